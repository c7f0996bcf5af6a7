//! A folder of files in which the command is run.

use lambdav_image::{AnyImage, Frame, file};
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// The built command.
pub(crate) const LAMBDAV: &str = env!("CARGO_BIN_EXE_lambdav");

/// The outcome of a run.
pub(crate) struct CommandOutcome {
    /// The exit status, 0 to 3.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: Vec<u8>,
    /// Standard error.
    pub(crate) err: String,
}

impl CommandOutcome {
    /// Standard output as text.
    #[track_caller]
    pub(crate) fn text(&self) -> &str {
        std::str::from_utf8(&self.out).expect("standard output is UTF-8")
    }

    /// Demands exit status 0 and no messages.
    #[track_caller]
    pub(crate) fn done(self) -> Self {
        assert_eq!((self.status, self.err.as_str()), (0, ""));
        self
    }
}

/// A test's own folder, removed at the end.
pub(crate) struct TestFolder(TempDir);

impl TestFolder {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().expect("a directory can be made"))
    }

    /// An empty folder inside another one; `None` if it cannot be created there.
    #[cfg(target_os = "linux")]
    pub(crate) fn inside(folder: &Path) -> Option<Self> {
        tempfile::tempdir_in(folder).ok().map(Self)
    }

    /// A folder with these files.
    pub(crate) fn with<const N: usize>(files: [(&str, &str); N]) -> Self {
        let place = Self::new();
        for (name, text) in files {
            place.write(name, text);
        }
        place
    }

    /// The path of a file in the folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        if let Some(folder) = Path::new(name).parent() {
            fs::create_dir_all(self.path("").join(folder)).expect("the folder can be made");
        }
        fs::write(self.path(name), content).expect("the file can be written");
    }

    /// Copies the gallery and its data to the same paths as in the repository.
    pub(crate) fn copy_gallery(&self) {
        for folder in ["shaders", "shaders/data", "shaders/triangles"] {
            fs::create_dir(self.path(folder)).expect("a folder can be made");
            let from = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
            for entry in fs::read_dir(from).expect("the gallery is there") {
                let from = entry.expect("it can be listed").path();
                if from.is_file() {
                    let to = self.path(folder).join(from.file_name().unwrap_or_default());
                    fs::copy(from, to).expect("files can be copied");
                }
            }
        }
    }

    /// Reads a file.
    #[track_caller]
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).expect("the file is there")
    }

    /// The float image in a file.
    #[track_caller]
    pub(crate) fn frame(&self, name: &str) -> Frame {
        match self.image(name) {
            AnyImage::Float(frame) => frame,
            other => panic!("{name} is no float image: {other:?}"),
        }
    }

    /// The image in a file.
    #[track_caller]
    pub(crate) fn image(&self, name: &str) -> AnyImage {
        file::load(&self.path(name)).expect("an image was written")
    }

    /// The entries of the folder, with the contents of files.
    pub(crate) fn files(&self) -> BTreeMap<String, Option<Vec<u8>>> {
        let entries = fs::read_dir(self.0.path()).expect("the directory can be listed");
        entries
            .map(|entry| {
                let path = entry.expect("the directory can be listed").path();
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                (name, path.is_file().then(|| fs::read(&path).expect("the file can be read")))
            })
            .collect()
    }

    /// The command with its arguments, in this folder.
    pub(crate) fn command(&self, arguments: &[impl AsRef<OsStr>]) -> Command {
        let mut command = Command::new(LAMBDAV);
        command.args(arguments).current_dir(self.0.path()).env_remove("NO_COLOR");
        command
    }

    /// Runs the command with empty standard input.
    #[track_caller]
    pub(crate) fn run(&self, arguments: &[impl AsRef<OsStr>]) -> CommandOutcome {
        self.run_with(arguments, "")
    }

    /// Runs the command with the words of a line as arguments. Quotation marks are the shell's.
    #[track_caller]
    pub(crate) fn run_line(&self, line: &str) -> CommandOutcome {
        self.run(&shlex::split(line).expect("quotation marks are closed"))
    }

    /// Runs the command with this standard input.
    #[track_caller]
    pub(crate) fn run_with(
        &self,
        arguments: &[impl AsRef<OsStr>],
        input: impl AsRef<[u8]>,
    ) -> CommandOutcome {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the command can be started");
        let mut stdin = child.stdin.take().expect("it is a pipe");
        let input = input.as_ref().to_vec();
        // A thread of its own avoids a deadlock with the reading of output. The command may ignore its input.
        let writer = std::thread::spawn(move || stdin.write_all(&input).ok());
        let output = child.wait_with_output().expect("the command can be waited for");
        writer.join().expect("writing does not panic");
        self.outcome(&output)
    }

    /// Runs a prepared command.
    #[track_caller]
    pub(crate) fn finish(&self, mut command: Command) -> CommandOutcome {
        self.outcome(&command.output().expect("the command can be started"))
    }

    /// Checks the requirements on every run.
    #[track_caller]
    fn outcome(&self, output: &std::process::Output) -> CommandOutcome {
        let err = String::from_utf8(output.stderr.clone()).expect("standard error is UTF-8");
        assert!(!err.contains("panicked"), "{err}");
        let status = output.status.code().filter(|status| (0..=3).contains(status));
        let status = status.unwrap_or_else(|| panic!("exit status {:?}: {err}", output.status));
        for name in self.files().keys() {
            let temporary = Path::new(name).extension().is_some_and(|e| e == "tmp");
            assert!(!temporary, "{name} is left");
        }
        CommandOutcome { status, out: output.stdout.clone(), err }
    }

    /// Demands that a run fails with this exit status and a single error that contains `message`, prints
    /// nothing on standard output, and changes no file.
    #[track_caller]
    pub(crate) fn fails(&self, arguments: &[impl AsRef<OsStr>], status: i32, message: &str) {
        let before = self.files();
        let outcome = self.run(arguments);
        assert_eq!(outcome.status, status, "{}", outcome.err);
        assert_one_error(&outcome.err, message);
        assert_eq!(outcome.text(), "");
        assert_eq!(self.files(), before);
    }
}

/// Demands a single error that contains `message`.
#[track_caller]
pub(crate) fn assert_one_error(text: &str, message: &str) {
    let errors = text.lines().filter(|line| line.starts_with("error")).count();
    assert_eq!(errors, 1, "{text}");
    assert!(text.contains(message), "{text}");
}
