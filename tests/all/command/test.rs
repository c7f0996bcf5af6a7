//! `lambdav test`: golden images.

use super::harness::{CommandOutcome, LAMBDAV, TestFolder};
use lambdav_image::AnyImage;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::process::{Command, Stdio};

/// A disk with this radius.
fn disk(directives: &str, radius: &str) -> String {
    format!(
        "{directives}
         (uniform gain num 1)
         (define p (- (/ (.xy (frag-coord)) 8) 1))
         (if (< (length p) {radius}) (vec4 gain (time) 0.25 1) (vec4 0 0 0 1))"
    )
}

/// Runs `lambdav test` and demands empty standard error.
#[track_caller]
fn run(place: &TestFolder, arguments: &str) -> CommandOutcome {
    let outcome = place.run_line(&format!("test {arguments}"));
    assert_eq!(outcome.err, "", "{}", outcome.text());
    outcome
}

/// Also demands this exit status, and these parts of the output.
#[track_caller]
fn says(place: &TestFolder, arguments: &str, status: i32, parts: &[&str]) {
    let outcome = run(place, arguments);
    let text = outcome.text();
    assert_eq!(outcome.status, status, "{text}");
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

fn names(place: &TestFolder) -> Vec<String> {
    place.files().into_keys().collect()
}

/// A test from its first run to its repair.
#[test]
fn the_life_of_a_test() {
    let place = TestFolder::with([("disk.lv", &disk("; test: --size 16x16", "0.8"))]);
    let missing = "missing disk.lv: there is no `disk.png`; --bless makes it\n";
    says(&place, "", 1, &[missing, "1 test: 1 without golden (", "lines for .gitignore: *.new.*"]);
    assert_eq!(names(&place), ["disk.lv", "disk.new.png"]);
    says(&place, "--bless", 0, &["1 test: 1 blessed for the first time"]);
    assert_eq!(names(&place), ["disk.lv", "disk.png"]);
    assert_eq!(place.image("disk.png").size().to_string(), "16x16");
    says(&place, "", 0, &["1 test: 1 passed ("]);
    for engine in ["simd", "core", "source", "spirv"] {
        says(&place, &format!("--engine {engine} --jobs 1"), 0, &["1 passed"]);
    }

    let golden = place.read("disk.png");
    place.write("disk.lv", disk("; test: --size 16x16", "0.6"));
    let parts = ["failed disk.lv: different: ", "disk.new.png against disk.png\n", "1 failed"];
    says(&place, "", 1, &parts);
    assert_eq!(names(&place), ["disk.diff.png", "disk.lv", "disk.new.png", "disk.png"]);
    assert_eq!(place.read("disk.png"), golden);
    place.run(&["diff", "disk.new.png", "disk.png", "--quiet", "--max-pixels", "90%"]).done();
    // The hint on .gitignore is not repeated once it is followed.
    place.write(".gitignore", "*.new.*\n*.diff.png\n");
    assert!(!run(&place, "").text().contains(".gitignore"));

    place.write("disk.lv", disk("; test: --size 16x16", "0.8"));
    says(&place, "", 0, &["1 passed"]);
    assert_eq!(names(&place), [".gitignore", "disk.lv", "disk.png"]);
    // Blessing a passing test changes no file.
    says(&place, "--bless", 0, &["1 passed"]);
    assert_eq!(place.read("disk.png"), golden);
    place.write("disk.lv", disk("; test: --size 16x16", "0.6"));
    says(&place, "--bless", 0, &["1 blessed anew"]);
    assert_ne!(place.read("disk.png"), golden);
}

/// Every kind of golden, and the options of directives.
#[test]
fn kinds_of_goldens() {
    let directives = "; test: small --size 8x8
         ;; test: deep --size 16x16 --depth 16 --srgb --time 0.5
         ; test: float --size 16x16 --format exr --set gain=2 --max-ulp 3
         ; test: numbers --size 16x16 --format npy --uniforms values.json
         ; test: line --size 100x100 --format digest";
    let place = TestFolder::with([("disk.lv", disk(directives, "0.8").as_str())]);
    place.write("values.json", r#"{"gain": 0.5}"#);
    says(&place, "--bless", 0, &["5 tests: 5 blessed for the first time"]);
    let all = ["deep.png", "float.exr", "line.digest", "numbers.npy", "small.png"];
    let mut expected: Vec<String> = all.map(|name| format!("disk.{name}")).to_vec();
    expected.splice(4..4, ["disk.lv".to_owned()]);
    expected.sort();
    expected.push("values.json".to_owned());
    assert_eq!(names(&place), expected);
    assert!(matches!(place.image("disk.deep.png"), AnyImage::Unorm16(_)));
    assert_eq!(place.frame("disk.numbers.npy").pixel(8, 8), Some([0.5, 0.0, 0.25, 1.0]));
    assert_eq!(place.frame("disk.float.exr").pixel(8, 8), Some([2.0, 0.0, 0.25, 1.0]));
    let line = String::from_utf8(place.read("disk.line.digest")).expect("it is a line");
    assert!(line.starts_with("sha256 ") && line.ends_with(" 100x100 float32\n"), "{line}");
    says(&place, "", 0, &["5 passed"]);
    says(&place, "--filter lv:f --filter small", 0, &["2 tests: 2 passed"]);

    // A difference of 3 ULP is allowed; one of 7 ULP fails.
    let off = |steps: &str| disk(directives, "0.8").replace("0.25 1", &format!("{steps} 1"));
    place.write("disk.lv", off("0.25000009"));
    says(&place, "--filter float", 0, &["1 passed"]);
    says(&place, "--filter line", 1, &["failed disk.lv:line: the digests differ"]);
    assert!(place.path("disk.line.new.png").exists());
    place.write("disk.lv", off("0.2500002"));
    says(&place, "--filter float", 1, &["by up to 7 ULP, first at (5, 2); only B differs"]);
    assert!(
        place.path("disk.float.new.exr").exists() && place.path("disk.float.diff.png").exists()
    );
}

#[test]
fn goldens_that_do_not_fit() {
    let directive = |more: &str| disk(&format!("; test: --size 8x8 {more}"), "0.8");
    let place = TestFolder::with([("disk.lv", directive("").as_str())]);
    run(&place, "--bless");
    place.write("disk.lv", disk("; test: --size 9x8", "0.8"));
    says(&place, "", 1, &["stale disk.lv: the golden is of 8x8 8-bit, the test of 9x8 8-bit"]);
    place.write("disk.lv", directive("--depth 16"));
    says(&place, "", 1, &["the golden is of 8x8 8-bit, the test of 8x8 16-bit"]);
    says(&place, "--bless", 0, &["1 blessed anew"]);
    // A golden that is no image.
    place.write("disk.png", "text");
    says(&place, "", 1, &["broken disk.lv: `disk.png` is not an image that can be read"]);
    says(&place, "--bless", 1, &["stale disk.lv: `disk.png` is not an image", "not blessed: "]);
    says(&place, "--bless --adopt", 0, &["1 blessed anew"]);
    says(&place, "", 0, &["1 passed"]);
}

/// Wrong programs and directives do not affect other tests.
#[test]
fn what_is_wrong_is_told_with_its_place() {
    let place = TestFolder::with([
        ("a.lv", "; test: --size 4x4\n(vec4 (time))"),
        ("b.lv", "; test: --size 4x4\n(vec4 oops)"),
        ("c.lv", "; test: --size 4x4\n; test: --size 5x5\n(vec4 1)"),
        ("d.lv", "; test: x --size 4x4\n; test: x --size 5x5\n(vec4 1)"),
        ("e.lv", "; test: --size big\n(vec4 1)"),
        ("f.lv", "; test: --size 4x4 --set none=1\n(vec4 1)"),
        (
            "g.lv",
            "; test: --size 4x4 --max-iterations 9\n((rec-func (n) (if (< n 99) (rec (+ n 1)) n)) (time))",
        ),
    ]);
    says(
        &place,
        "--bless",
        1,
        &[
            "broken b.lv: error[LV0301]: `oops` is not bound\n",
            "broken c.lv:line-1: c.lv:1: several tests each need a name",
            "broken d.lv:line-2: d.lv:2: `x` is used twice",
            "broken e.lv:line-1: e.lv:1: invalid value 'big' for '--size <WxH>'",
            "broken f.lv: ",
            "broken g.lv: error[LV0504]",
            "9 tests: 2 blessed for the first time, 7 broken",
        ],
    );
    assert!(place.path("a.png").exists() && place.path("d.x.png").exists());
    // Two tests with one golden.
    place.write("a.b.lv", "; test: --size 4x4\n(vec4 1)");
    place.write("a.lv", "; test: b --size 4x4\n(vec4 1)");
    says(
        &place,
        "--filter a.",
        1,
        &["broken a.lv:b: a.lv:1: its golden `a.b.png` is also that of `a.b.lv`"],
    );
}

#[test]
fn nothing_to_test_is_an_error() {
    let place = TestFolder::with([("a.lv", "(vec4 1)"), ("b.lv", "; test: --size 4x4\n(vec4 1)")]);
    place.fails(&["test", "a.lv"], 1, "`a.lv` has no test; a test is a comment such as");
    place.fails(&["test", "c.lv"], 2, "there is neither a file nor a folder `c.lv`");
    place.fails(&["test", "--filter", "x"], 1, "none of 1 tests has `x` in its name");
    fs::create_dir(place.path("empty")).expect("it can be made");
    place.fails(&["test", "empty"], 1, "no tests in `empty`");
    place.fails(&["test", "--shard", "3/2"], 2, "`3/2` is not a part such as 2/3");
    place.fails(&["test", "--prune"], 2, "--bless");
    place.fails(&["test", "--merge", "empty"], 2, "cannot read `empty/results.jsonl`");
    says(&place, "--list", 0, &["b.lv  b.png\n"]);
    let listed = run(&place, "--list --message-format json");
    let object: Value = serde_json::from_str(listed.text()).expect("it is JSON");
    assert_eq!(object, json!({"test": "b.lv", "golden": "b.png"}));
}

/// Goldens without a test are named, and removed on request. Foreign pictures are not.
#[test]
fn orphans() {
    let two = "; test: one --size 4x4\n; test: two --size 4x4 --format npy\n(vec4 1)";
    let place = TestFolder::with([("a.lv", two), ("b.lv", "; test: --size 4x4\n(vec4 0)")]);
    run(&place, "--bless");
    place.write("a.lv", "; test: one --size 4x4\n(vec4 1)");
    fs::remove_file(place.path("b.lv")).expect("it is there");
    // A foreign picture, whose name would fit.
    place.run(&["render", "a.lv", "a.page.png", "--size", "4x4"]).done();
    let told = "no test has these goldens: a.two.npy, b.png; --bless --prune removes 2\n";
    says(&place, "", 0, &[told, "1 test: 1 passed"]);
    // A foreign array, whose name would fit, but which has no mark.
    place.run(&["render", "a.lv", "a.npy", "--size", "4x4"]).done();
    assert!(!run(&place, "a.lv").text().contains("no test has"));
    says(&place, "--bless --prune", 0, &["2 goldens removed that no test has"]);
    assert_eq!(names(&place), ["a.lv", "a.npy", "a.one.png", "a.page.png"]);
}

/// Tests of core text and modules.
#[test]
fn other_programs() {
    let place = TestFolder::with([("disk.lv", disk("; test: --size 16x16", "0.8").as_str())]);
    place.run(&["compile", "disk.lv", "-o", "disk2.spv"]).done();
    place.run(&["compile", "disk.lv", "--emit", "core", "-o", "disk3.core"]).done();
    place.write("disk2.spv.test", "; The module's.\n--size 16x16 --set gain=1\n");
    let core = String::from_utf8(place.read("disk3.core")).expect("it is text");
    place.write("disk3.core", core + "; test: --size 16x16\n");
    says(&place, "--bless", 0, &["3 tests: 3 blessed"]);
    for other in ["disk2.png", "disk3.png"] {
        place.run(&["diff", "disk.png", other]).done();
    }
    for engine in ["simd", "spirv"] {
        says(&place, &format!("--engine {engine} --filter spv"), 0, &["1 test: 1 passed"]);
    }
}

/// Pictures drawn by other programs.
#[test]
fn against_pictures_of_others() {
    let place = TestFolder::with([("disk.lv", &disk("; test: --size 16x16 --tolerance 2", "0.8"))]);
    fs::create_dir(place.path("gpu")).expect("it can be made");
    says(
        &place,
        "--against gpu",
        1,
        &["missing disk.lv: there is no `gpu/disk` of any image format"],
    );
    let draw = |radius: &str, gain: &str| {
        let arguments = ["render", "-", "gpu/disk.npy", "--size", "16x16", "--set", gain];
        place.run_with(&arguments, disk("", radius)).done();
    };
    draw("0.8", "gain=0.995");
    says(&place, "--against gpu", 0, &["1 passed"]);
    draw("0.8", "gain=0.9");
    says(
        &place,
        "--against gpu",
        1,
        &["failed disk.lv: different: ", "by up to 26 levels of 8 bits"],
    );
    assert_eq!(names(&place), ["disk.lv", "gpu"]);
}

fn results(place: &TestFolder, path: &str) -> BTreeSet<(String, String)> {
    let text = String::from_utf8(place.read(path)).expect("it is text");
    let lines = text.lines().skip(1).map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    lines.map(|test| (text(&test["test"]), text(&test["status"]))).collect()
}

/// Shards of the tests on several machines, and one report for all.
#[test]
fn shards_are_merged() {
    let place = TestFolder::new();
    for index in 0..7 {
        place.write(&format!("t{index}.lv"), format!("; test: --size 4x4\n(vec4 0.{index})"));
    }
    run(&place, "--bless");
    place.write("t3.lv", "; test: --size 4x4\n(vec4 1)");
    assert_eq!(run(&place, "--report whole").status, 1);
    let mut statuses = Vec::new();
    for shard in ["1", "2", "3"] {
        let outcome = run(&place, &format!("--shard {shard}/3 --report part{shard}"));
        assert!(outcome.text().contains(&format!("of 7 (shard {shard}/3)")), "{}", outcome.text());
        statuses.push(outcome.status);
    }
    assert_eq!(statuses, [1, 0, 0]);
    says(&place, "--report all --merge part1 part2 part3", 1, &["7 tests: 6 passed, 1 failed"]);
    assert_eq!(results(&place, "all/results.jsonl"), results(&place, "whole/results.jsonl"));
    for file in ["index.html", "junit.xml"] {
        assert!(place.path(&format!("all/{file}")).exists());
    }
    let merge = |folders: &[&str], message: &str| {
        place.fails(&[&["test", "--merge"], folders].concat(), 1, message);
    };
    merge(&["part1", "part3"], "the report of shard 2/3 is missing");
    merge(&["part1", "part2", "part2"], "it is shard 2, as is `part2/results.jsonl`");
    place.write("part2/results.jsonl", "[]\n");
    merge(&["part1", "part2", "part3"], "`part2/results.jsonl`: it is no report");
}

/// Names that look like markup are escaped in every report.
#[test]
fn reports_hold_any_name() {
    let name = "<b>&\"'\u{1b}[31m</script>.lv".replace('/', "\u{2215}");
    let place = TestFolder::new();
    place.write(&name, "; test: --size 4x4\n(vec4 1)");
    let outcome = run(&place, "--report r --message-format json");
    let object: Value = serde_json::from_str(outcome.text()).expect("it is JSON");
    assert_eq!(
        (object["test"].as_str(), &object["status"]),
        (Some(name.as_str()), &json!("missing"))
    );
    assert!(!run(&place, "").text().contains('\u{1b}'));
    let xml = String::from_utf8(place.read("r/junit.xml")).expect("it is text");
    let class = "&lt;b&gt;&amp;&quot;&apos;\u{fffd}[31m&lt;\u{2215}script&gt;.lv";
    assert!(xml.contains(&format!("classname=\"{class}\"")), "{xml}");
    assert!(xml.contains("<testsuite name=\"lambdav\" tests=\"1\" failures=\"1\" errors=\"0\""));
    let page = String::from_utf8(place.read("r/index.html")).expect("it is text");
    assert!(!page.contains("<b>") && page.contains("\\u003cb>"));
}

#[test]
fn a_hundred_failures_fit_a_screen() {
    let place = TestFolder::new();
    for index in 0..100 {
        place.write(&format!("t{index}.lv"), "; test: --size 4x4\n(vec4 1)");
    }
    let outcome = run(&place, "");
    let lines = outcome.text().lines().count();
    assert!(outcome.status == 1 && lines <= 24, "{}", outcome.text());
    assert!(outcome.text().contains("and 80 more; --report DIR shows them all\n100 tests: "));
    let outcome = run(&place, "--quiet");
    assert!(outcome.text().starts_with("100 tests: 100 without golden"), "{}", outcome.text());
    assert_eq!(outcome.text().lines().count(), 1);
}

/// Goldens are whole after two simultaneous runs, and after an interrupted one.
#[cfg(unix)]
#[test]
fn goldens_are_whole_whatever_happens() {
    let place = TestFolder::new();
    for index in 0..40 {
        let text = format!("; test: --size 64x64\n(vec4 (fract (* 0.{index} (frag-coord))))");
        place.write(&format!("t{index}.lv"), text);
    }
    let start = |arguments: &[&str]| {
        let mut command: Command = place.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.spawn().expect("it can be started")
    };
    let both = [start(&["test", "--bless"]), start(&["test", "--bless"])];
    for child in both {
        let output = child.wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
    }
    says(&place, "", 0, &["40 tests: 40 passed"]);
    for name in names(&place).into_iter().filter(|name| name.ends_with(".png")) {
        fs::remove_file(place.path(&name)).expect("it is there");
    }
    let mut child = start(&["test", "--bless", "--jobs", "1"]);
    while !names(&place).iter().any(|name| name.ends_with(".png")) {
        std::thread::yield_now();
    }
    let killed = Command::new("kill").arg(child.id().to_string()).status();
    assert!(killed.expect("there is kill").success());
    let _ = child.wait();
    for name in names(&place).into_iter().filter(|name| name.ends_with(".png")) {
        assert_eq!(place.image(&name).size().to_string(), "64x64");
    }
    says(&place, "--bless", 0, &["40 tests: "]);
    says(&place, "", 0, &["40 passed"]);

    // With a limit of zero on file sizes, the goldens stay, and a fault of the machine is reported.
    let before = place.files();
    for index in 0..40 {
        let text = format!("; test: --size 64x64\n(vec4 (fract (* 0.7{index} (frag-coord))))");
        place.write(&format!("t{index}.lv"), text);
    }
    let script = "ulimit -f 0 && exec \"$0\" test --bless";
    let mut shell = Command::new("sh");
    shell.current_dir(place.path("")).args(["-c", script, LAMBDAV]);
    let outcome = place.finish(shell);
    assert_eq!(outcome.status, 3, "{}", outcome.err);
    assert!(outcome.text().contains("40 not run because of the machine"), "{}", outcome.text());
    for (name, content) in before {
        if name.ends_with(".png") {
            assert_eq!(Some(place.read(&name)), content);
        }
    }
}
