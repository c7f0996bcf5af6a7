//! Tests run in a worker process. If it dies or hangs, only the test that it was running fails.

#![cfg(target_os = "linux")]

use super::harness::{LAMBDAV, TestFolder};
use std::fs;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A practically endless test.
const ENDLESS: &str = "; test: --size 64x64 --max-iterations 1000000000000
((rec-func (n) (if (< n 1000000000000) (rec (+ n (- 1 (time)))) n)) 0)\n";

const QUICK: &str = "; test: --size 4x4\n(vec4 1)\n";

fn start(place: &TestFolder, arguments: &[&str]) -> Child {
    let mut command = Command::new(LAMBDAV);
    command.args(arguments).current_dir(place.path(""));
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().expect("it can be started")
}

/// The child processes of a process.
fn children(of: u32) -> Vec<u32> {
    let text = fs::read_to_string(format!("/proc/{of}/task/{of}/children")).unwrap_or_default();
    let mut found: Vec<u32> = text.split_whitespace().filter_map(|id| id.parse().ok()).collect();
    // Any of its threads may have started them.
    for entry in fs::read_dir(format!("/proc/{of}/task")).into_iter().flatten().flatten() {
        let text = fs::read_to_string(entry.path().join("children")).unwrap_or_default();
        found.extend(text.split_whitespace().filter_map(|id| id.parse::<u32>().ok()));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Kills the worker again and again, as the system does when memory runs out. The endless test is found to be
/// the cause, and all others are run.
#[test]
fn a_worker_that_is_killed_costs_one_test() {
    let place = TestFolder::with([("slow.lv", ENDLESS)]);
    for index in 0..20 {
        place.write(&format!("t{index}.lv"), QUICK);
    }
    let mut child = start(&place, &["test", "--bless", "--jobs", "2", "--timeout", "300"]);
    let begun = Instant::now();
    let mut killed = 0;
    while child.try_wait().expect("it can be asked").is_none() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{killed} workers were killed");
        std::thread::sleep(Duration::from_secs(1));
        for worker in children(child.id()) {
            let status = Command::new("kill").args(["-KILL", &worker.to_string()]).status();
            killed += u32::from(status.is_ok_and(|status| status.success()));
        }
    }
    let output = child.wait_with_output().expect("it ends");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let message = "machine slow.lv: the process that ran it ended with signal: 9";
    assert!(said.contains(message), "{said}");
    let counts = "20 blessed for the first time, 1 not run because of the machine";
    assert!(said.contains(counts), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert!(killed > 0);
}

/// A picture larger than the memory limit of tests.
#[test]
fn memory_is_bounded() {
    let place = TestFolder::with([
        ("large.lv", "; test: --size 12000x9000 --format digest\n(vec4 1)"),
        ("small.lv", QUICK),
    ]);
    let outcome = place.run(&["test", "--bless", "--jobs", "2", "--memory", "1.5"]);
    let said = outcome.text();
    assert_eq!((outcome.status, outcome.err.as_str()), (3, ""), "{said}");
    assert!(
        said.contains("machine large.lv: not enough memory for an image of 12000x9000"),
        "{said}"
    );
    assert!(said.contains("1 blessed for the first time, 1 not run"), "{said}");
    place.fails(&["test", "--memory", "1"], 2, "is not a number of GiB from 1.5 on");
}

/// The time limit of a test includes reading, drawing and comparing.
#[test]
fn time_is_for_reading_drawing_and_comparing() {
    let place = TestFolder::with([("slow.lv", ENDLESS), ("quick.lv", QUICK)]);
    // A binding that never delivers data.
    let made = Command::new("mkfifo").arg(place.path("pipe.png")).status();
    assert!(made.is_ok_and(|status| status.success()));
    place.write(
        "pipe.lv",
        "; test: --size 4x4 --bind t=pipe.png\n(texture t)\n(texel t (ivec2 0i 0i))",
    );
    let begun = Instant::now();
    let outcome = place.run(&["test", "--bless", "--timeout", "1", "--jobs", "3"]);
    let said = outcome.text();
    assert_eq!((outcome.status, outcome.err.as_str()), (3, ""), "{said}");
    for name in ["slow.lv", "pipe.lv"] {
        let message = format!("machine {name}: it took longer than 1 s; --timeout allows more\n");
        assert!(said.contains(&message), "{said}");
    }
    assert!(said.contains("1 blessed for the first time, 2 not run"), "{said}");
    assert!(begun.elapsed() < Duration::from_secs(30));
}

/// A folder with one hostile program of each kind: only that program fails, and all others are reported, also
/// in the report.
#[test]
fn hostile_programs_cost_themselves() {
    let place = TestFolder::new();
    let quick = ["a.lv", "m.lv", "z.lv"];
    quick.iter().for_each(|name| place.write(name, QUICK));
    place.run(&["test", "--bless"]).done();

    let frame = "; test: --size 2x2\n";
    let line = "// test: --size 2x2\n";
    let wgsl = |body: &str| {
        format!("{line}@fragment fn main() -> @location(0) vec4f {{ {body} return vec4f(1); }}")
    };
    let glsl = |before: &str| {
        format!(
            "#version 450\n{line}{before}\nlayout(location=0) out vec4 o; void main() {{ o = vec4(1); }}"
        )
    };
    let nested = |n: usize, open: &str, close: &str| open.repeat(n) + "1" + &close.repeat(n);
    let macros: String =
        (1..40).map(|n| format!("#define A{n}(x) A{}(A{}(x))\n", n - 1, n - 1)).collect();
    let many: String =
        (0..3000).map(|n| format!("BUFFER b{n} DATA_TYPE float SIZE 16000000 FILL 0\n")).collect();
    let programs = [
        ("slow.lv", ENDLESS.to_owned()),
        ("deep.lv", format!("{frame}{}", nested(100_000, "(- ", ")"))),
        ("wide.lv", format!("{frame}(vec4 (+ {}))", "1 ".repeat(400_000))),
        ("large.lv", "; test: --size 16000x16000 --format digest\n(vec4 1)".to_owned()),
        (
            "pipe.lv",
            "; test: --size 2x2 --bind t=pipe.png\n(texture t)\n(texel t (ivec2 0i 0i))".to_owned(),
        ),
        (
            "cut.lv",
            "; test: --size 2x2 --bind t=cut.png\n(texture t)\n(texel t (ivec2 0i 0i))".to_owned(),
        ),
        ("array.lv", "; test: --size 2x2 --bind b=huge.npy\n(buffer b num)\n(at b 0)".to_owned()),
        ("deep.wgsl", wgsl(&format!("let x = {};", nested(50_000, "(", ")")))),
        ("panic.wgsl", wgsl(&"let y = array(array(array(1)));".repeat(2000))),
        ("macros.frag", glsl(&format!("#define A0(x) x\n{macros}float f = A39(1.0);"))),
        ("text.frag", format!("{line}\0\u{1b}]0;owned\u{7}")),
        ("many.amber", format!("#!amber\n{many}")),
        ("cut.amber", "#!amber\nSHADER fragment f SPIRV-ASM\nOpCapability Shader\n".to_owned()),
        (
            "text.spvasm",
            format!("{frame}OpCapability Shader\n%1 = OpConstant %2 99999999999999999999"),
        ),
        ("itself.lv", format!("{frame}(include \"itself.lv\")")),
    ];
    for (name, text) in &programs {
        place.write(name, text);
    }
    let made = Command::new("mkfifo").arg(place.path("pipe.png")).status();
    assert!(made.is_ok_and(|status| status.success()));
    place.write("cut.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\xff\xff\xff\xff\xff\xff\xff\xff");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,), }\n";
    let npy =
        [b"\x93NUMPY\x01\0".as_slice(), &(header.len() as u16).to_le_bytes(), header.as_bytes()];
    place.write("huge.npy", npy.concat());
    place.write("words.spv", [0x03, 0x02, 0x23, 0x07].repeat(1000));
    place.write("words.spv.test", "--size 2x2");
    place.write("bytes.lv", b"; test: --size 2x2\n\xff\xfe(vec4 1)");
    std::os::unix::fs::symlink("nowhere", place.path("link.lv")).expect("a link can be made");

    let outcome =
        place.run(&["test", "--timeout", "5", "--memory", "2", "--jobs", "2", "--report", "r"]);
    let said = outcome.text();
    assert!([1, 3].contains(&outcome.status), "{said}{}", outcome.err);
    let report = String::from_utf8(place.read("r/results.jsonl")).expect("it is text");
    let status = |name: &str| -> Option<String> {
        let objects =
            report.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
        let mut of = objects.filter(|object| object["test"] == name);
        Some(of.next()?["status"].as_str()?.to_owned())
    };
    for name in quick {
        assert_eq!(status(name).as_deref(), Some("passed"), "{name}: {said}{}", outcome.err);
    }
    let others = ["words.spv", "bytes.lv", "link.lv"];
    for name in programs.iter().map(|(name, _)| *name).chain(others) {
        let status = status(name).unwrap_or_else(|| panic!("{name} is not reported: {said}"));
        let is_known = ["broken", "machine", "unsupported", "missing"].contains(&status.as_str());
        assert!(is_known, "{name}: {status}: {said}");
    }
    assert!(!said.contains('\u{1b}') && !said.contains("panicked"), "{said}");
    assert!(
        said.contains(&format!("{} tests: 3 passed", 3 + programs.len() + others.len())),
        "{said}"
    );
}

/// True if child processes ignore this signal, which is inherited.
fn is_ignored(signal: u32) -> bool {
    let status = fs::read_to_string("/proc/self/status").expect("it is there");
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:")).expect("it has it");
    let mask = u64::from_str_radix(mask.trim(), 16).expect("it is a mask");
    mask >> (signal - 1) & 1 != 0
}

/// A worker does not outlive its command, however that ends.
#[test]
fn a_worker_ends_with_its_command() {
    let place = TestFolder::with([("slow.lv", ENDLESS)]);
    for (signal, number) in [("-KILL", 9), ("-TERM", 15), ("-INT", 2)] {
        if is_ignored(number) {
            // The tests run in the background of a script, where this signal is ignored.
            continue;
        }
        let mut child = start(&place, &["test", "--timeout", "300"]);
        let begun = Instant::now();
        let worker = loop {
            assert!(begun.elapsed() < Duration::from_secs(60), "there is no worker");
            if let [worker] = children(child.id())[..] {
                break worker;
            }
        };
        let status = Command::new("kill").args([signal, &child.id().to_string()]).status();
        assert!(status.is_ok_and(|status| status.success()));
        child.wait().expect("it ends");
        let is_there = || {
            let stat = fs::read_to_string(format!("/proc/{worker}/stat")).unwrap_or_default();
            stat.contains("test-worker") || !stat.is_empty() && !stat.contains(") Z ")
        };
        let begun = Instant::now();
        while is_there() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{signal}: it is still there");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

/// A worker is not meant to be started by hand.
#[test]
fn a_worker_alone_does_nothing() {
    let place = TestFolder::with([("a.lv", QUICK)]);
    for input in ["", "{\"go\": 1}x", "{}\n", "text"] {
        let outcome = place.run_with(&["test-worker", "test"], input);
        assert!(outcome.text().contains("is started by that command alone"), "{}", outcome.text());
        assert_eq!(place.files().len(), 1);
    }
}
