//! The built command, run in a folder.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};

/// A run that takes longer counts as hanging.
const LONGEST: Duration = Duration::from_secs(60);

/// The command: the path in the variable `LAMBDAV`, or the binary beside this program.
pub fn lambdav() -> Option<&'static Path> {
    static FOUND: OnceLock<Option<PathBuf>> = OnceLock::new();
    let find = || {
        if let Some(path) = std::env::var_os("LAMBDAV") {
            return Some(path.into());
        }
        let this = std::env::current_exe().ok()?;
        let folders = this.ancestors().skip(1).take(2);
        folders.map(|folder| folder.join("lambdav")).find(|path| path.is_file())
    };
    FOUND.get_or_init(find).as_deref()
}

/// The exit status and output of a run.
pub(super) struct Outcome {
    pub(super) status: i32,
    pub(super) out: String,
    pub(super) err: String,
}

/// Runs the command in a folder. Fails unless the command exits with status 0 to 3, without a panic.
pub(super) fn run(folder: &Path, arguments: &[&str]) -> Result<Outcome, String> {
    let program = lambdav().ok_or("the command `lambdav` is not built")?;
    let mut command = Command::new(program);
    command.args(arguments).current_dir(folder).env_remove("RUST_BACKTRACE");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    let reader = |stream: Option<Box<dyn Read + Send>>| {
        thread::spawn(move || {
            let mut bytes = Vec::new();
            stream.map(|mut stream| stream.read_to_end(&mut bytes));
            String::from_utf8_lossy(&bytes).into_owned()
        })
    };
    let out = reader(child.stdout.take().map(|stream| Box::new(stream) as _));
    let err = reader(child.stderr.take().map(|stream| Box::new(stream) as _));
    let begun = Instant::now();
    let status = loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => break status,
            None if begun.elapsed() > LONGEST => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("`lambdav {}` hangs", arguments.join(" ")));
            }
            None => thread::sleep(Duration::from_micros(300)),
        }
    };
    let [out, err] = [out, err].map(|reader| reader.join().unwrap_or_default());
    let said = || format!("`lambdav {}`: {status}\n{out}{err}", arguments.join(" "));
    let Some(status @ 0..=3) = status.code() else { return Err(said()) };
    if err.contains("panicked") || out.contains("a fault of its own") {
        return Err(said());
    }
    Ok(Outcome { status, out, err })
}

/// All files below a folder, by relative path.
pub(super) fn snapshot(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(at) = folders.pop() {
        for entry in fs::read_dir(&at).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if let (Ok(name), Ok(bytes)) = (path.strip_prefix(folder), fs::read(&path)) {
                found.insert(name.to_string_lossy().into_owned(), bytes);
            }
        }
    }
    found
}
