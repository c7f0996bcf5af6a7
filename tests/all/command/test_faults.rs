//! Runs of `lambdav test` that are interrupted, that meet a full disk, or that share a folder: goldens stay
//! whole, and exit statuses are right.

#![cfg(target_os = "linux")]

use super::harness::{LAMBDAV, TestFolder, assert_one_error};
use lambdav_image::file;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Number of tests.
const TESTS: usize = 24;

/// A test whose picture is large and hard to compress. The year changes the picture.
fn shader(number: usize, year: u32) -> String {
    format!(
        "; test: --size 120x90 --frame {year}
         (define p (+ (frag-coord) {number}))
         (vec3 (fract (* 43758.547 (sin (+ (* 12.9898 (.x p)) (* 78.233 (.y p)) (frame))))))"
    )
}

/// Writes the tests of a year into a folder.
fn write(folder: &Path, year: u32) {
    for number in 0..TESTS {
        fs::write(folder.join(format!("{number}.lv")), shader(number, year))
            .expect("there is room");
    }
}

/// The goldens in the folder, each of which must be a valid image.
fn goldens(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    for number in 0..TESTS {
        let path = folder.join(format!("{number}.png"));
        if let Ok(bytes) = fs::read(&path) {
            file::decode(&bytes).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            found.insert(path, bytes);
        }
    }
    found
}

/// Temporary files left in the folder.
fn left(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it can be listed");
    let names = entries.map(|entry| entry.expect("it can be listed").file_name());
    let names = names.map(|name| name.to_string_lossy().into_owned());
    names.filter(|name| name.contains("tmp")).collect()
}

/// Goldens of two years: first those after the change, then those before it.
fn two_years(place: &TestFolder) -> [BTreeMap<PathBuf, Vec<u8>>; 2] {
    [2, 1].map(|year| {
        write(&place.path(""), year);
        place.run(&["test", "--bless"]).done();
        goldens(&place.path(""))
    })
}

/// The years whose goldens are in the folder. Every golden must belong to one of the two.
fn years(folder: &Path, known: &[BTreeMap<PathBuf, Vec<u8>>; 2]) -> BTreeSet<usize> {
    let found = goldens(folder);
    assert_eq!(found.len(), TESTS);
    let year = |(path, bytes): (&PathBuf, &Vec<u8>)| {
        known.iter().position(|year| year[path] == *bytes).expect("it is one of the two")
    };
    found.iter().map(year).collect()
}

fn start(place: &TestFolder, arguments: &[&str]) -> Child {
    let mut command = Command::new("env");
    command.arg("--default-signal").arg(LAMBDAV).args(arguments).current_dir(place.path(""));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it can be started")
}

/// Interrupts a run when some of the goldens are already new.
#[test]
fn an_interrupted_run_leaves_goldens_whole() {
    let place = TestFolder::new();
    let known = two_years(&place);
    let [after, before] = &known;
    write(&place.path(""), 2);
    let mut in_between = 0;
    for signal in ["-INT", "-TERM", "-HUP", "-KILL", "-XCPU"] {
        for (path, bytes) in before {
            fs::write(path, bytes).expect("there is room");
        }
        let child = start(&place, &["test", "--bless", "--jobs", "1"]);
        let begun = Instant::now();
        let (first, bytes) = after.iter().next().expect("there are tests");
        while fs::read(first).expect("it is there") != *bytes {
            assert!(begun.elapsed() < Duration::from_secs(60), "nothing is blessed");
        }
        let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(status.is_ok());
        let Output { status, stderr, .. } = child.wait_with_output().expect("it ends");
        assert_eq!(String::from_utf8_lossy(&stderr), "", "{signal}");
        let found = years(&place.path(""), &known);
        // Unless the run had just finished.
        if status.code().is_none() {
            in_between += usize::from(found.len() == 2);
        } else {
            assert_eq!((status.code(), found), (Some(0), BTreeSet::from([0])), "{signal}");
        }
        assert_eq!(left(&place.path("")), [""; 0], "{signal}");
        // An uninterrupted run completes the work.
        place.run(&["test", "--bless"]).done();
        assert_eq!(years(&place.path(""), &known), BTreeSet::from([0]));
        place.run(&["test"]).done();
    }
    assert!(in_between > 0, "the signals came too late");
}

/// Runs a shell script in the folder; `$0` is the command.
fn shell(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", script, LAMBDAV]);
    command.output().expect("there is a shell")
}

/// A limit on file sizes simulates a full disk: each write fails after 8 KiB.
#[test]
fn files_that_become_too_large_leave_goldens_whole() {
    let place = TestFolder::new();
    let known = two_years(&place);
    write(&place.path(""), 2);
    for arguments in ["test", "test --bless", "test --jobs 1 --report report"] {
        let output = shell(&place.path(""), &format!("ulimit -f 8 && exec \"$0\" {arguments}"));
        let said = String::from_utf8_lossy(&output.stdout);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments}: {said}{error}");
        assert!(format!("{said}{error}").contains("cannot write `"), "{arguments}: {said}{error}");
        assert_eq!(years(&place.path(""), &known), BTreeSet::from([1]), "{arguments}");
        assert_eq!(left(&place.path("")), [""; 0], "{arguments}");
    }
    // With enough room, the run succeeds.
    place.run(&["test", "--bless"]).done();
    assert_eq!(years(&place.path(""), &known), BTreeSet::from([0]));
}

/// A file system with little room, where namespaces allow mounting one. The test above covers other systems.
#[test]
fn a_full_disk_leaves_goldens_whole() {
    let place = TestFolder::new();
    let known = two_years(&place);
    write(&place.path(""), 2);
    fs::create_dir(place.path("full")).expect("a directory can be made");
    let size: usize = known[1].values().map(Vec::len).sum::<usize>() + TESTS * 8192;
    // Room for all goldens and a few more pictures: a golden is replaced once the new one is written.
    let mount = format!("mount -t tmpfs -o size={} tmpfs full", size + 200_000);
    let mut probe = Command::new("unshare");
    probe.current_dir(place.path("")).args(["-rm", "sh", "-c", &mount]).stderr(Stdio::null());
    if !probe.status().is_ok_and(|status| status.success()) {
        return lambdav_test_support::skipped("no file system can be mounted here");
    }
    for (arguments, full) in
        [("test", true), ("test --bless", false), ("test --report report", true)]
    {
        fs::create_dir_all(place.path("out")).expect("a directory can be made");
        // Either no room, or room for a few pictures, which suffices to replace them one after the other.
        let fill =
            if full { "dd if=/dev/zero of=full/filler bs=1k count=9999 2>/dev/null;" } else { "" };
        let script = format!(
            "{mount} && cp *.lv *.png full && {fill} (cd full && \"$0\" {arguments}); \
             echo \"status $?\"; ls -A full; cp full/*.png out"
        );
        let mut command = Command::new("unshare");
        command.current_dir(place.path("")).args(["-rm", "sh", "-c", &script, LAMBDAV]);
        let output = command.output().expect("it can be started");
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let error = String::from_utf8_lossy(&output.stderr);
        let status = if full { "status 3\n" } else { "status 0\n" };
        assert!(said.contains(status), "{arguments}: {said}{error}");
        assert!(!said.contains(".tmp"), "{arguments}: {said}");
        let out = place.path("out");
        for (path, bytes) in &known[usize::from(full)] {
            let name = path.file_name().expect("it has a name");
            let found = fs::read(out.join(name)).expect("it was copied");
            assert!(found == *bytes, "{arguments}: {}", path.display());
        }
        fs::remove_dir_all(out).expect("it was made just now");
    }
}

/// A report or a line of results that cannot be printed is a failure.
#[test]
fn a_full_standard_output_is_a_failure() {
    let place = TestFolder::new();
    write(&place.path(""), 1);
    place.run(&["test", "--bless"]).done();
    for arguments in ["test", "test --message-format json", "test --list", "test --bless"] {
        let output = shell(&place.path(""), &format!("exec \"$0\" {arguments} > /dev/full"));
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{arguments}: {error}");
        assert_one_error(&error, "cannot write to standard output");
    }
}

/// Two simultaneous runs in one folder do not make one another fail.
#[test]
fn two_runs_in_one_folder() {
    let place = TestFolder::new();
    let known = two_years(&place);
    let [after, before] = &known;
    write(&place.path(""), 2);
    let bless = ["test", "--bless"];
    for (a, b) in [(&bless[..], &bless[..]), (&["test"], &bless), (&["test"], &["test"])] {
        for round in 0..4 {
            for (path, bytes) in before {
                fs::write(path, bytes).expect("there is room");
            }
            let children = [a, b].map(|arguments| (arguments, start(&place, arguments)));
            sleep(Duration::from_millis(round));
            for (arguments, child) in children {
                let output = child.wait_with_output().expect("it ends");
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{arguments:?}: {said}");
                let allowed: &[i32] = match (arguments == bless, b == bless) {
                    (true, _) => &[0],
                    // It saw the goldens from before or after the other run's blessing.
                    (false, true) => &[0, 1],
                    (false, false) => &[1],
                };
                let status = output.status.code().expect("it was not killed");
                assert!(allowed.contains(&status), "{arguments:?}: {status}: {said}");
            }
            let expected = if b == bless { after } else { before };
            assert!(goldens(&place.path("")) == *expected, "{a:?}, {b:?}");
            assert_eq!(left(&place.path("")), [""; 0]);
        }
    }
}
