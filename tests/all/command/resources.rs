//! What the system allows the process: memory, stack, files, threads. Whatever it is, the command does
//! what it was asked for or says that the machine is at fault.

#![cfg(unix)]

use super::harness::{LAMBDAV, TestFolder};
use std::process::Command;

/// An image of this shader is about 100 kB.
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

/// Limits as the shell sets them; of memory in KiB.
fn limits() -> Vec<String> {
    let memory =
        (20..60).step_by(4).chain((60..200).step_by(10)).map(|mb| format!("-v {}", mb << 10));
    let files = (3..12).map(|files| format!("-n {files}"));
    let others = ["-f 0", "-f 8", "-s 32", "-s 100", "-s 1000", "-d 10000", "-c 0"];
    memory.chain(files).chain(others.map(str::to_owned)).collect()
}

/// Runs a command of the shell in the place; `$0` is the command. Of the environment, which lies on the
/// stack, it has the path alone.
fn run(place: &TestFolder, script: &str) -> std::process::Output {
    let mut command = Command::new("sh");
    command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command.current_dir(place.path("")).args(["-c", script, LAMBDAV]);
    command.output().expect("there is a shell")
}

fn place() -> TestFolder {
    let place = TestFolder::with([("noise.lv", NOISE)]);
    for (image, time) in [("a.png", "0"), ("b.png", "0.5")] {
        place.run(&["render", "noise.lv", image, "--size", "300x200", "--time", time]).done();
    }
    place
}

/// Runs all commands under a limit that this part of a script sets; how many did what they were asked
/// for, and how many did not.
fn under(place: &TestFolder, limit: &str) -> [usize; 2] {
    // Where not even that can be started it is not for the command to say anything.
    if !run(place, &format!("{limit} && exec \"$0\" --version")).status.success() {
        return [0, 0];
    }
    let before = place.files();
    let mut count = [0, 0];
    for arguments in COMMANDS {
        let output = run(place, &format!("{limit} && exec \"$0\" {arguments}"));
        let err = String::from_utf8_lossy(&output.stderr);
        let status = output.status.code();
        // A difference is status 1.
        let expected = if arguments.starts_with("diff") { 1 } else { 0 };
        let is_done = status == Some(expected);
        assert!(is_done || status == Some(3), "{limit}: {arguments}: {:?}: {err}", output.status);
        assert_eq!(is_done, err.is_empty(), "{limit}: {arguments}: {err}");
        assert!(!err.contains("panicked"), "{limit}: {arguments}: {err}");
        // What it was asked for is there if it is done, and nothing else is new or has changed.
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

/// A superuser has no limit on processes, so it is somebody else who runs the command.
#[cfg(target_os = "linux")]
#[test]
fn threads_that_cannot_be_started() {
    use std::os::unix::fs::PermissionsExt;

    let place = place();
    std::fs::set_permissions(place.path(""), PermissionsExt::from_mode(0o777)).expect("it is ours");
    // Nobody else runs processes as this user.
    let user = "setpriv --reuid=54321 --regid=54321 --clear-groups";
    let probe = run(&place, &format!("{user} \"$0\" --version"));
    if !probe.status.success() {
        println!("nobody else can be asked to run it");
        return;
    }
    for arguments in COMMANDS {
        for limit in 0..5 {
            let run = run(
                &place,
                &format!("exec {user} sh -c 'ulimit -u {limit}; exec \"$0\" {arguments}' \"$0\""),
            );
            let err = String::from_utf8_lossy(&run.stderr);
            let expected = if arguments.starts_with("diff") { 1 } else { 0 };
            let status = run.status.code();
            assert!(status == Some(expected) || status == Some(3), "{limit} {arguments}: {err}");
            assert!(!err.contains("panicked"), "{limit} {arguments}: {err}");
        }
    }
}
