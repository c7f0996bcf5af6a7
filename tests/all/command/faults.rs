//! Faults of the environment: full disks, closed pipes, signals, and other processes that write the same
//! files.

#![cfg(unix)]

use super::harness::{LAMBDAV, TestFolder, assert_one_error};
use std::fs;
use std::io::{Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// A shader whose image takes about 100 kB and is hard to compress.
const NOISE: &str = "(define p (frag-coord))
(vec3 (fract (* 43758.547 (sin (+ (* 12.9898 (.x p)) (* 78.233 (.y p)))))) (time) 0)";
/// A practically endless loop.
const LONG: &str = "((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (time))";

/// Runs a shell script in the folder; `$0` is the command.
fn shell(place: &TestFolder, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(place.path("")).args(["-c", script, LAMBDAV]);
    command
}

const WRITES: [(&str, &str); 5] = [
    ("out.png", "render noise.lv out.png --size 400x300"),
    ("out.exr", "render noise.lv out.exr --size 400x300"),
    ("out.npy", "render noise.lv out.npy --size 400x300"),
    ("heat.png", "diff large.npy other.npy --out heat.png"),
    ("noise.core", "compile long.lv --emit core -o noise.core"),
];

fn place() -> TestFolder {
    let long: String = (0..3000).map(|i| format!("(+ (sin (* {i} (time))) ")).collect();
    let long = format!("{long} 1{}", ")".repeat(3000));
    let other = NOISE.replace("12.9898", "17.1");
    let place = TestFolder::with([("noise.lv", NOISE), ("other.lv", &other), ("long.lv", &long)]);
    for (shader, image) in [("noise.lv", "large.npy"), ("other.lv", "other.npy")] {
        place.run(&["render", shader, image, "--size", "400x300"]).done();
    }
    place
}

/// A limit on file sizes simulates a full disk: each write fails after 8 KiB.
#[test]
fn files_that_become_too_large_leave_nothing() {
    let place = place();
    for (out, arguments) in WRITES {
        for content in [None, Some("untouched")] {
            content.iter().for_each(|content| place.write(out, content));
            let before = place.files();
            // The unit of `ulimit -f` is 512 or 1,024 bytes.
            let script = format!("ulimit -f 8 && exec \"$0\" {arguments}");
            let outcome = place.finish(shell(&place, &script));
            assert_eq!(outcome.status, 3, "{arguments}: {}", outcome.err);
            assert_one_error(&outcome.err, &format!("cannot write `{out}`"));
            assert_eq!(place.files(), before, "{arguments}");
        }
    }
}

/// A full file system of 32 KiB, where namespaces allow mounting one. The test above covers other systems.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_nothing() {
    let place = place();
    fs::create_dir(place.path("full")).expect("a directory can be made");
    let mount = "mount -t tmpfs -o size=32k tmpfs full";
    let mut probe = Command::new("unshare");
    probe.current_dir(place.path("")).args(["-rm", "sh", "-c", mount]).stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        return lambdav_test_support::skipped("no file system can be mounted here");
    }
    for (out, arguments) in WRITES {
        let arguments = arguments.replace(out, &format!("full/{out}"));
        let script = format!("{mount} && {{ \"$0\" {arguments}; echo \"$?\"; ls -A full; }}");
        let mut command = Command::new("unshare");
        command.current_dir(place.path("")).args(["-rm", "sh", "-c", &script, LAMBDAV]);
        let outcome = place.finish(command);
        // The status, and no file after it.
        assert!(outcome.text().ends_with("3\n"), "{arguments}: {}", outcome.err);
        assert_one_error(&outcome.err, "No space left on device");
    }
}

/// A folder in which not even a superuser can write.
#[cfg(target_os = "linux")]
#[test]
fn a_target_in_a_folder_of_the_system() {
    let place = place();
    for (out, arguments) in WRITES {
        let target = format!("/proc/{out}");
        let arguments = arguments.replace(out, &target);
        let outcome = place.run_line(&arguments);
        assert!((2..=3).contains(&outcome.status), "{}", outcome.err);
        assert_one_error(&outcome.err, &format!("cannot write `{target}`"));
    }
}

/// `lambdav … | head -c 10`: a closed pipe is no error.
#[test]
fn a_reader_that_has_enough() {
    let place = place();
    for (_, arguments) in WRITES {
        let arguments = match arguments.split_once(" --") {
            Some((render, rest)) if render.starts_with("render") => {
                format!("render noise.lv - --format {} --{rest}", &render[render.len() - 3..])
            }
            _ => "compile long.lv --emit core".to_owned(),
        };
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let mut command = place.command(&arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut child = child.expect("the command can be started");
        let mut reader = child.stdout.take().expect("it is a pipe");
        let mut first = [0; 10];
        reader.read_exact(&mut first).expect("there are ten bytes");
        drop(reader);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{arguments:?}");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}");
    }
}

/// Starts the command with default signal handling, since ignored signals are inherited from the process that
/// runs the tests.
#[cfg(target_os = "linux")]
fn start(place: &TestFolder, arguments: &[&str]) -> Child {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(LAMBDAV).args(arguments).current_dir(place.path(""));
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it can be started")
}

#[cfg(not(target_os = "linux"))]
fn start(place: &TestFolder, arguments: &[&str]) -> Child {
    let mut command = place.command(arguments);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("it can be started")
}

fn send(child: &Child, signal: &str) {
    let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
    assert!(status.expect("there is `kill`").success());
}

/// Signals that end a process by default.
const SIGNALS: [(&str, i32); 12] = [
    ("-INT", 2),
    ("-TERM", 15),
    ("-HUP", 1),
    ("-QUIT", 3),
    ("-XCPU", 24),
    ("-ALRM", 14),
    ("-VTALRM", 26),
    ("-PROF", 27),
    ("-USR1", 10),
    ("-USR2", 12),
    ("-SYS", 31),
    ("-TRAP", 5),
];

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_render_leaves_nothing() {
    let place = TestFolder::with([("long.lv", LONG), ("a.png", "untouched")]);
    let before = place.files();
    for (i, (name, number)) in SIGNALS.into_iter().enumerate() {
        for engine in ["simd", "core", "source"].into_iter().skip(i % 3).take(1) {
            let limit = "99999999999999";
            let fixed =
                ["render", "long.lv", "a.png", "--max-iterations", limit, "--timeout", "60"];
            let child = start(&place, &[&fixed[..], &["--engine", engine]].concat());
            sleep(Duration::from_millis(300));
            send(&child, name);
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(output.status.signal(), Some(number), "{engine}");
            assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{engine}");
            assert_eq!(place.files(), before, "{engine}");
        }
    }
}

/// A failed allocation aborts the process, as this signal does. The command reports a fault of the machine.
#[cfg(target_os = "linux")]
#[test]
fn an_abort_has_a_status_and_leaves_nothing() {
    let place = TestFolder::with([("long.lv", LONG), ("a.png", "untouched")]);
    let before = place.files();
    let child =
        start(&place, &["render", "long.lv", "a.png", "--max-iterations", "99999999999999"]);
    sleep(Duration::from_millis(300));
    send(&child, "-ABRT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(3));
    assert_eq!(place.files(), before);
}

/// True if the process has a file of the folder open for writing, even one without a name.
#[cfg(target_os = "linux")]
fn is_writing(child: &Child, place: &TestFolder) -> bool {
    let folder = fs::canonicalize(place.path("")).expect("it exists");
    let Ok(open) = fs::read_dir(format!("/proc/{}/fd", child.id())) else { return false };
    let mut links = open.flatten().filter_map(|entry| fs::read_link(entry.path()).ok());
    links.any(|link| link.starts_with(&folder) && !link.ends_with("noise.lv"))
}

/// A signal during the write, even one that cannot be caught, leaves no partial file.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_write_leaves_nothing() {
    let place = TestFolder::with([("noise.lv", NOISE), ("a.png", "untouched")]);
    let before = place.files();
    let mut interrupted = 0;
    for (name, number) in SIGNALS.into_iter().chain([("-KILL", 9)]) {
        let size = ["--size", "4000x3000", "--depth", "16"];
        let child = start(&place, &[&["render", "noise.lv", "a.png"][..], &size].concat());
        let start = Instant::now();
        while !is_writing(&child, &place) {
            assert!(start.elapsed() < Duration::from_secs(300), "nothing is written");
            sleep(Duration::from_millis(1));
        }
        send(&child, name);
        let output = child.wait_with_output().expect("it ends");
        // Unless the command had just finished.
        if output.status.signal() == Some(number) {
            interrupted += 1;
            assert_eq!(place.files(), before);
        } else {
            assert_eq!(output.status.code(), Some(0));
            assert_eq!(place.image("a.png").size().to_string(), "4000x3000");
            place.write("a.png", "untouched");
        }
    }
    assert!(interrupted > 0, "the signals came too late");
}

/// A signal that the parent process ignores stays ignored.
#[cfg(target_os = "linux")]
#[test]
fn an_ignored_signal_stays_ignored() {
    let place = TestFolder::with([]);
    let mut command = shell(&place, "trap '' INT HUP; exec \"$0\" render - a.npy --size 20x20");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("there is a shell");
    // By then the command waits for the shader.
    sleep(Duration::from_millis(300));
    send(&child, "-INT");
    send(&child, "-HUP");
    let mut shader = child.stdin.take().expect("it is a pipe");
    shader.write_all(NOISE.as_bytes()).expect("it lives on");
    drop(shader);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(place.image("a.npy").size().to_string(), "20x20");
}

/// A target that is an input is refused, also under another name.
#[test]
fn inputs_are_not_overwritten() {
    let place = place();
    fs::hard_link(place.path("noise.lv"), place.path("hard.npy")).expect("a link can be made");
    std::os::unix::fs::symlink("large.npy", place.path("link.png")).expect("a link can be made");
    let before = place.files();
    for (arguments, out) in [
        ("render noise.lv noise.lv --format png", "noise.lv"),
        ("render noise.lv ./noise.lv --format npy", "./noise.lv"),
        ("render noise.lv hard.npy", "hard.npy"),
        ("compile noise.lv --emit core -o noise.lv", "noise.lv"),
        ("diff large.npy other.npy --out link.png", "link.png"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        place.fails(&arguments, 2, &format!("`{out}` would be overwritten"));
        assert_eq!(place.files(), before, "{arguments:?}");
    }
}

/// An unwritable target is reported before anything is drawn.
#[test]
fn a_target_that_cannot_be_written_is_found_early() {
    let place = TestFolder::with([("long.lv", LONG), ("a.png", "untouched")]);
    let mut permissions = fs::metadata(place.path("a.png")).expect("it exists").permissions();
    permissions.set_readonly(true);
    fs::set_permissions(place.path("a.png"), permissions).expect("it is ours");
    let limit = "99999999999999";
    place.fails(
        &["render", "long.lv", "a.png", "--max-iterations", limit],
        3,
        "cannot write `a.png`",
    );
    place.fails(
        &["render", "long.lv", "/proc/a.png", "--max-iterations", limit],
        2,
        "cannot write",
    );
}

/// A failed write of requested output is an error, also for `--help`.
#[cfg(target_os = "linux")]
#[test]
fn a_full_standard_output_is_a_failure() {
    let place = place();
    for arguments in
        ["--help", "--version", "render --help", "explain LV0101", "diff large.npy large.npy"]
    {
        let outcome = place.finish(shell(&place, &format!("\"$0\" {arguments} > /dev/full")));
        assert_eq!(outcome.status, 3, "{arguments}: {}", outcome.err);
        assert_one_error(&outcome.err, "cannot write to standard output");
    }
}

#[test]
fn ten_writers_of_one_file_leave_one_whole_image() {
    let place = TestFolder::with([("noise.lv", NOISE)]);
    let times: Vec<String> = (0..10).map(|i| format!("0.{i}")).collect();
    let size = ["--size", "200x150"];
    let expected: Vec<Vec<u8>> = times
        .iter()
        .map(|time| {
            place
                .run(&[&["render", "noise.lv", "b.png", "--time", time][..], &size].concat())
                .done();
            place.read("b.png")
        })
        .collect();
    fs::remove_file(place.path("b.png")).expect("it was made just now");
    for _ in 0..3 {
        let render = |time: &String| {
            start(&place, &[&["render", "noise.lv", "a.png", "--time", time][..], &size].concat())
        };
        let children: Vec<Child> = times.iter().map(render).collect();
        for child in children {
            let output = child.wait_with_output().expect("it ends");
            assert_eq!(output.status.code(), Some(0));
            assert_eq!(String::from_utf8_lossy(&output.stderr), "");
        }
        assert!(expected.contains(&place.read("a.png")), "it is none of the ten");
        assert_eq!(place.files().len(), 2, "{:?}", place.files().keys());
    }
}

/// A file that changes while it is read is accepted or refused as a program or an image.
#[test]
fn files_that_change_while_they_are_read() {
    let place = place();
    let (shader, image) = (place.path("changing.lv"), place.path("changing.npy"));
    let whole = place.read("large.npy");
    fs::write(&shader, NOISE).expect("it can be written");
    fs::write(&image, &whole).expect("it can be written");
    let done = std::sync::atomic::AtomicBool::new(false);
    let is_done = || done.load(std::sync::atomic::Ordering::Relaxed);
    let mut statuses = std::collections::BTreeSet::new();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // Written in place, from the beginning each time.
            while !is_done() {
                for part in [NOISE.len(), 40, 0, 90] {
                    fs::write(&shader, &NOISE[..part]).expect("it can be written");
                }
                for part in [whole.len(), 5, 100_000, 0, 128] {
                    fs::write(&image, &whole[..part]).expect("it can be written");
                }
            }
        });
        for i in 0..40 {
            let outcome = match i % 3 {
                0 => place.run(&["check", "changing.lv"]),
                1 => place.run(&["render", "changing.lv", "-", "--format", "png", "--size", "9x9"]),
                _ => place.run(&["diff", "large.npy", "changing.npy"]),
            };
            assert!(outcome.status <= 1, "{}", outcome.err);
            statuses.insert(outcome.status);
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert!(statuses.contains(&1), "nothing changed");
}
