//! Standard streams that are closed early, full or missing.

use super::harness::TestFolder;
use std::process::Stdio;

const RUNS: [&[&str]; 9] = [
    &["--help"],
    &["render", "--help"],
    &["explain"],
    &["explain", "LV0411"],
    &["render", "good.lv", "-", "--format", "exr"],
    &["compile", "good.lv", "--emit", "core"],
    &["check", "bad.lv", "--message-format", "json"],
    &["check", "bad.lv", "missing.lv"],
    &["diff", "a.png", "b.png"],
];

fn place() -> TestFolder {
    let place = TestFolder::with([("good.lv", "(vec4 (time))"), ("bad.lv", "(vec4 x)")]);
    for (name, time) in [("a.png", "0"), ("b.png", "1")] {
        place.run(&["render", "good.lv", name, "--size", "9x9", "--time", time]).done();
    }
    place
}

/// A closed pipe is no error: messages and exit status stay the same.
#[test]
fn readers_may_go_away() {
    let place = place();
    for arguments in RUNS {
        let usual = place.run(arguments);

        let mut command = place.command(arguments);
        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(usual.status), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), usual.err, "{arguments:?}");

        let mut child =
            command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("runs");
        drop(child.stderr.take());
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(usual.status), "{arguments:?}");
        assert_eq!(output.stdout, usual.out, "{arguments:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_the_machines_fault() {
    use crate::command::harness::assert_one_error;
    use std::fs::OpenOptions;

    let place = place();
    let full = || OpenOptions::new().write(true).open("/dev/full").expect("Linux has it");
    for arguments in RUNS {
        if arguments.contains(&"--help") || arguments.contains(&"missing.lv") {
            continue;
        }
        let mut command = place.command(arguments);
        command.stdout(full());
        let outcome = place.finish(command);
        assert_eq!(outcome.status, 3, "{arguments:?}: {}", outcome.err);
        assert_one_error(&outcome.err, "standard output");
        let mut command = place.command(arguments);
        command.stderr(full());
        assert_eq!(place.finish(command).status, place.run(arguments).status, "{arguments:?}");
    }
    for out in ["a.exr", "a.png"] {
        std::os::unix::fs::symlink("/dev/full", place.path(out)).ok();
        let arguments = ["render", "good.lv", "/dev/full", "--format", &out[2..]];
        place.fails(&arguments, 3, "cannot write `/dev/full`: No space left on device");
    }
}
