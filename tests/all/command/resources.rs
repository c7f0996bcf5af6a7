//! Limits of the system: memory, stack, files, threads. Under every limit the command succeeds or reports a
//! fault of the machine.

#![cfg(unix)]

use super::harness::{LAMBDAV, TestFolder};
#[cfg(target_os = "linux")]
use lambdav_test_support::skipped;
use std::process::Command;

/// A shader whose image takes about 100 kB.
const NOISE: &str = "(define p (frag-coord))
(vec3 (fract (* 43758.547 (sin (+ (* 12.9898 (.x p)) (* 78.233 (.y p)))))) (time) 0)";

const COMMANDS: [&str; 8] = [
    "render noise.lv out.png --size 300x200",
    "render noise.lv out.exr --size 300x200 --threads 7",
    "render noise.lv out.npy --size 2000x1000",
    "render noise.lv - --format png --size 300x200 --engine core",
    "compile noise.lv --emit asm -o out.asm",
    "compile noise.lv -o out.spv",
    "diff a.png b.png --out heat.png",
    "check noise.lv",
];

/// Limits as options of `ulimit`; memory in KiB.
fn limits() -> Vec<String> {
    let memory =
        (20..60).step_by(4).chain((60..200).step_by(10)).map(|mb| format!("-v {}", mb << 10));
    let files = (3..12).map(|files| format!("-n {files}"));
    let others = ["-f 0", "-f 8", "-s 32", "-s 100", "-s 1000", "-d 10000", "-c 0"];
    memory.chain(files).chain(others.map(str::to_owned)).collect()
}

/// Runs a shell script in the folder; `$0` is the command. The environment, which takes space on the stack,
/// has only the path.
fn run(place: &TestFolder, script: &str) -> std::process::Output {
    let mut command = Command::new("sh");
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.current_dir(place.path("")).args(["-c", script, LAMBDAV]);
    command.output().expect("there is a shell")
}

fn place() -> TestFolder {
    let place = TestFolder::new();
    fill(&place);
    place
}

/// Writes the files that the commands read.
fn fill(place: &TestFolder) {
    place.write("noise.lv", NOISE);
    for (image, time) in [("a.png", "0"), ("b.png", "0.5")] {
        place.run(&["render", "noise.lv", image, "--size", "300x200", "--time", time]).done();
    }
}

/// Runs all commands under the limit that a script sets. The result is the numbers of successes and failures.
fn under(place: &TestFolder, limit: &str) -> [usize; 2] {
    // If not even `--version` runs, the process cannot be started.
    if !run(place, &format!("{limit} && exec \"$0\" --version")).status.success() {
        return [0, 0];
    }
    let before = place.files();
    let mut count = [0, 0];
    for arguments in COMMANDS {
        let output = run(place, &format!("{limit} && exec \"$0\" {arguments}"));
        let err = String::from_utf8_lossy(&output.stderr);
        let status = output.status.code();
        // The status for different images is 1.
        let expected = if arguments.starts_with("diff") { 1 } else { 0 };
        let is_done = status == Some(expected);
        assert!(is_done || status == Some(3), "{limit}: {arguments}: {:?}: {err}", output.status);
        assert_eq!(is_done, err.is_empty(), "{limit}: {arguments}: {err}");
        assert!(!err.contains("panicked"), "{limit}: {arguments}: {err}");
        // On success only the requested output is new. No other file is new or changed.
        let mut after = place.files();
        after.retain(|name, _| !(is_done && arguments.contains(&format!(" {name}"))));
        let inputs = before.iter().filter(|(name, _)| after.contains_key(*name));
        assert!(after.iter().eq(inputs), "{limit}: {arguments}: {:?}", after.keys());
        for name in place.files().keys().filter(|name| !before.contains_key(*name)) {
            std::fs::remove_file(place.path(name)).expect("it was made just now");
        }
        count[usize::from(!is_done)] += 1;
    }
    count
}

#[test]
fn limits_of_the_system_are_the_machines_fault() {
    let place = place();
    let counts: Vec<[usize; 2]> =
        limits().iter().map(|limit| under(&place, &format!("ulimit {limit}"))).collect();
    let [done, failed] = [0, 1].map(|k| counts.iter().map(|count| count[k]).sum::<usize>());
    assert!(done > COMMANDS.len() && failed > COMMANDS.len(), "{done} and {failed}");
}

/// A way to run the command with a limit on threads.
#[cfg(target_os = "linux")]
struct Limited {
    /// A folder that the user of the run can write to.
    place: TestFolder,
    /// A copy of the command that this user can read; folders around the original may be closed to other
    /// users.
    command: std::path::PathBuf,
    /// The beginning of the command line, which switches the user.
    user: &'static [&'static str],
}

#[cfg(target_os = "linux")]
impl Limited {
    /// The first way that works here.
    ///
    /// Superusers have no limit on processes, so another user runs the command for them.
    fn find() -> Option<Self> {
        const SOMEBODY: &[&str] = &["setpriv", "--reuid=54321", "--regid=54321", "--clear-groups"];
        let folders = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into(), "/dev/shm".into()];
        let ways = folders.iter().flat_map(|folder| [SOMEBODY, &[]].map(|user| (folder, user)));
        let mut found = ways.filter_map(|(folder, user)| Self::prepare(folder, user));
        found.find(|limited| {
            // The command runs this way, and a second process cannot be started beside it.
            limited.shell(1 << 14, "(true); exec \"$0\" --version").status.success()
                && !limited.shell(0, "(true); (true)").status.success()
                && limited.shell(0, "exec \"$0\" --version").status.success()
        })
    }

    fn prepare(folder: &std::path::Path, user: &'static [&'static str]) -> Option<Self> {
        use std::fs;
        use std::os::unix::fs::PermissionsExt;

        let place = TestFolder::inside(folder)?;
        let command = place.path("lambdav");
        fs::hard_link(LAMBDAV, &command).or_else(|_| fs::copy(LAMBDAV, &command).map(drop)).ok()?;
        fs::set_permissions(place.path(""), PermissionsExt::from_mode(0o777)).ok()?;
        fill(&place);
        Some(Self { place, command, user })
    }

    /// Runs a shell script with this limit on threads; `$0` is the command.
    fn shell(&self, threads: u32, script: &str) -> std::process::Output {
        let limit = format!("--nproc={threads}");
        let words = self.user.iter().copied().chain(["prlimit", &limit, "sh", "-c", script]);
        let mut command = Command::new("env");
        command.args(words).arg(&self.command).current_dir(self.place.path(""));
        command.output().expect("there is `env`")
    }
}

#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started() {
    let Some(limited) = Limited::find() else {
        return skipped(
            "threads cannot be limited here: that needs `prlimit` and, for a superuser, `setpriv`",
        );
    };
    let mut failed = 0;
    for arguments in COMMANDS {
        for limit in 0..5 {
            let run = limited.shell(limit, &format!("exec \"$0\" {arguments}"));
            let err = String::from_utf8_lossy(&run.stderr);
            let expected = if arguments.starts_with("diff") { 1 } else { 0 };
            let status = run.status.code();
            assert!(status == Some(expected) || status == Some(3), "{limit} {arguments}: {err}");
            assert!(!err.contains("panicked"), "{limit} {arguments}: {err}");
            failed += u32::from(status == Some(3));
        }
    }
    assert!(failed > 0, "nothing needed a thread");
}
