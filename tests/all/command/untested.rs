//! No shader stays untested unnoticed: places for tests in all languages, and near misses of tests.

use super::harness::{CommandOutcome, TestFolder};
use serde_json::Value;
use std::fs;

#[track_caller]
fn says(place: &TestFolder, arguments: &str, status: i32, parts: &[&str]) -> CommandOutcome {
    let outcome = place.run_line(&format!("test {arguments}"));
    let text = format!("{}{}", outcome.text(), outcome.err);
    assert_eq!(outcome.status, status, "{text}");
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
    outcome
}

const WGSL: &str = "@fragment fn main() -> @location(0) vec4<f32> { return vec4<f32>(0.5); }\n";
const GLSL: &str =
    "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(0.5); }\n";

/// A program in each language with comments, with a comment behind it. `before` is the prefix of its name.
fn programs(before: &str, comment: &dyn Fn(&str) -> String) -> Vec<(String, String)> {
    let lv = "(vec4 0.5)\n";
    let core = String::from_utf8(
        TestFolder::with([("a.lv", lv)])
            .run(&["compile", "a.lv", "--emit", "core", "-o", "-"])
            .done()
            .out,
    );
    let core = core.expect("it is text");
    [
        ("lv", ";", lv),
        ("core", ";", core.as_str()),
        ("wgsl", "//", WGSL),
        ("frag", "//", GLSL),
        ("glsl", "//", GLSL),
    ]
    .into_iter()
    .map(|(ending, marker, text)| {
        let comment = comment(marker);
        // GLSL's version must come first, so the comment stands at the end.
        (format!("{before}-{ending}.{ending}"), format!("{text}{comment}\n"))
    })
    .collect()
}

#[test]
fn every_language_has_tests_in_its_comments() {
    let place = TestFolder::new();
    for (name, text) in programs("a", &|marker| format!("{marker} test: --size 4x4")) {
        place.write(&name, text);
    }
    place.write("b.glsl", format!("{GLSL}/* test: one --size 4x4\n * test: two --size 5x5\n */"));
    let outcome = says(&place, ". --bless", 0, &["7 tests: 7 blessed for the first time"]);
    assert_eq!(outcome.err, "");
    says(&place, ". --require-tests", 0, &["7 passed"]);
    for golden in ["a-lv.png", "a-wgsl.png", "a-frag.png", "a-core.png", "b.one.png", "b.two.png"] {
        assert!(place.path(golden).exists(), "{golden}");
    }
    // None of these goldens is an orphan.
    says(&place, ". --bless --prune", 0, &["7 passed"]);
    assert!(place.path("a-wgsl.png").exists());
}

/// The file that docs/spirv.md shows works as written.
#[test]
fn the_documented_file_beside_a_program() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/spirv.md");
    let page = fs::read_to_string(page).expect("it is there");
    let block =
        page.split("```text\n").find(|block| block.starts_with("; shaders/plasma.wgsl.test"));
    let block = block.and_then(|rest| rest.split("```").next()).expect("it shows one");
    let place = TestFolder::new();
    let shader = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/foreign/plasma.wgsl");
    place.write("shaders/plasma.wgsl", fs::read(shader).expect("it is there"));
    place.write("shaders/plasma.wgsl.test", block);
    let outcome =
        says(&place, "shaders --bless", 0, &["new golden shaders/plasma.png", "1 blessed"]);
    assert_eq!(outcome.err, "");
    assert_eq!(place.image("shaders/plasma.png").size().to_string(), "64x48");
    says(&place, "shaders", 0, &["1 passed"]);
    // A line without a comment marker is a test, too.
    for line in ["--size 8x8", "test: --size 8x8", "// test: --size 8x8", "; test: --size 8x8"] {
        place.write("shaders/plasma.wgsl.test", format!("; A comment.\n{line}\n"));
        says(&place, "shaders --bless", 0, &["replaced shaders/plasma.png", "1 blessed anew"]);
        place.write("shaders/plasma.wgsl.test", block);
        says(&place, "shaders --bless", 0, &["1 blessed anew"]);
    }
    place.write("shaders/plasma.wgsl.test", "; test: beside --size 4x4");
    let text = fs::read_to_string(shader).expect("it is there");
    place.write("shaders/plasma.wgsl", format!("// test: inside --size 4x4\n{text}"));
    says(&place, "shaders", 1, &["2 tests: 2 without golden"]);
}

/// Each of these would be a test that never runs.
#[test]
fn what_is_nearly_a_test_is_a_warning() {
    let near = [
        "tests: --size 4x4",
        "Test: --size 4x4",
        "test --size 4x4",
        "test : --size 4x4",
        "tets: --size 4x4",
    ];
    for near in near {
        let place = TestFolder::with([("z.lv", "; test: --size 4x4\n(vec4 1)")]);
        let all = programs("a", &|marker| format!("{marker} {near}"));
        for (name, text) in &all {
            place.write(name, text);
        }
        let outcome =
            says(&place, ".", 1, &["5 programs have no test: ", "1 test: 1 without golden"]);
        for (name, text) in &all {
            let line = text.lines().count();
            let warning =
                format!("warning: {name}:{line}: `{near}` is no test; a test begins with `");
            assert!(outcome.err.contains(&warning), "{warning}: {}", outcome.err);
        }
        assert_eq!(outcome.err.lines().count(), all.len(), "{}", outcome.err);
        place.fails(&["test", &all[0].0], 1, "is no test; a test begins with");
    }
    let place = TestFolder::with([
        ("a.lv", "; test: --size 4x4\n(vec4 1) ; test: b --size 4x4"),
        ("b.wgsl", &format!("; test: --size 4x4\n{WGSL}")),
        ("c.wgsl.test", "; test: --size 4x4"),
    ]);
    let outcome = says(&place, ". --bless", 0, &["1 program has no test: b.wgsl; --require-tests"]);
    for warning in [
        "warning: a.lv:2: a test has a line of its own: `; test: …`\n",
        "warning: b.wgsl:1: a test begins with `// test:` in this language\n",
        "warning: `c.wgsl.test` is a file of tests, and its program `c.wgsl` is not there\n",
    ] {
        assert!(outcome.err.contains(warning), "{}", outcome.err);
    }
}

/// Comments in the source text that a module carries are not tests of the module.
#[test]
fn modules_have_no_comments() {
    let place = TestFolder::with([("a.lv", "; test: --size 4x4\n; tests: none\n(vec4 1)")]);
    place.run(&["compile", "a.lv", "-o", "b.spv"]).done();
    fs::remove_file(place.path("a.lv")).expect("it is there");
    place.fails(&["test", "b.spv"], 1, "`b.spv` has no test; a test is a comment such as");
    place.write("b.spv.test", "; test: --size 4x4");
    says(&place, ". --bless", 0, &["1 test: 1 blessed"]);
}

#[test]
fn programs_without_a_test_are_told() {
    let place = TestFolder::with([
        ("a.lv", "; test: --size 4x4\n(include \"lib/noise.lv\")\n(vec4 (noise 1))"),
        ("b.wgsl", WGSL),
        ("c.frag", GLSL),
    ]);
    place.write("lib/noise.lv", "(include \"hash.lv\")\n(define (noise x) (hash x))");
    place.write("lib/hash.lv", "(define (hash x) x)");
    place.run(&["test", "--bless"]);
    let told = "2 programs have no test: b.wgsl, c.frag; --require-tests makes that an error\n";
    says(&place, "", 0, &[told, "1 passed"]);
    let told = "2 programs have no test: b.wgsl, c.frag; --require-tests wants one of each\n";
    says(&place, "--require-tests --report r", 1, &[told, "1 passed"]);
    let text = String::from_utf8(place.read("r/results.jsonl")).expect("it is text");
    let header: Value =
        serde_json::from_str(text.lines().next().unwrap_or_default()).expect("JSON");
    assert_eq!(header["untested"], serde_json::json!(["b.wgsl", "c.frag"]));
    // The same for merged shards. Runs of single files do not report other files.
    for shard in ["1", "2"] {
        says(&place, &format!("--shard {shard}/2 --report p{shard}"), i32::from(shard == "3"), &[]);
    }
    says(&place, "--merge p1 p2", 0, &["2 programs have no test: "]);
    says(&place, "--merge p1 p2 --require-tests", 1, &["2 programs have no test: "]);
    let single = says(&place, "a.lv --require-tests", 0, &["1 passed"]);
    assert!(!single.text().contains("no test"));
}

/// A file that cannot be read costs only its own test.
#[cfg(unix)]
#[test]
fn files_that_cannot_be_read_are_tests_that_are_broken() {
    use std::os::unix::fs::symlink;
    let place = TestFolder::with([("a.lv", "; test: --size 4x4\n(vec4 1)")]);
    place.run(&["test", "--bless"]);
    symlink("nowhere.lv", place.path("dangling.lv")).expect("it can be made");
    symlink(place.path(""), place.path("folder.lv")).expect("it can be made");
    symlink("a.lv", place.path("link.lv")).expect("it can be made");
    let made = std::process::Command::new("mkfifo").arg(place.path("pipe.wgsl")).status();
    assert!(made.is_ok_and(|status| status.success()));
    let parts = [
        "broken dangling.lv: cannot read `dangling.lv`: No such file or directory",
        "broken pipe.wgsl: `pipe.wgsl` is no regular file",
        "missing link.lv: ",
        "4 tests: 1 passed, 1 without golden, 2 broken",
    ];
    says(&place, ".", 1, &parts);
}

/// Different spellings of a path are one test.
#[test]
fn spellings_of_a_path_are_one() {
    let place = TestFolder::new();
    place.write("sub/x.lv", "; test: --size 4x4\n(vec4 1)");
    place.run(&["test", "--bless"]);
    let absolute = place.path("sub").canonicalize().expect("it is there");
    for paths in [
        ". ./sub",
        "./sub sub sub/../sub",
        "sub/x.lv ./sub/x.lv sub",
        &format!("sub {}", absolute.display()),
    ] {
        says(&place, &format!("{paths} --report r"), 0, &["1 test: 1 passed"]);
        says(&place, "--merge r", 0, &["1 test: 1 passed"]);
    }
    // Two programs with one golden are told apart, however the folder is spelt.
    place.write("sub/x.wgsl", format!("// test: --size 4x4\n{WGSL}"));
    says(
        &place,
        "sub ./sub",
        1,
        &["its golden `sub/x.png` is also that of `sub/x.lv`", "2 tests: "],
    );
}

/// Reports with unreasonable numbers.
#[test]
fn merged_reports_are_judged_at_once() {
    let place = TestFolder::new();
    let report = |shard: &str| {
        place.write(
            "r/results.jsonl",
            format!("{{\"lambdav\":\"0\",\"tests\":1,\"shard\":{shard}}}\n"),
        );
        place.run(&["test", "--merge", "r"])
    };
    for (shard, message) in [
        (
            "[1,4000000000]",
            "the report of shard 2/4000000000, 3/4000000000, 4/4000000000 and 3999999996 more is missing",
        ),
        ("[1,18446744073709551615]", "and 18446744073709551611 more is missing"),
        ("[3,2]", "it says that it is shard 3 of 2"),
        ("[0,0]", "it says that it is shard 0 of 0"),
        ("[1,1]", "the reports hold 0 of 1 tests"),
    ] {
        let begun = std::time::Instant::now();
        let outcome = report(shard);
        assert_eq!(outcome.status, 1, "{}", outcome.err);
        assert!(outcome.err.contains(message), "{shard}: {}", outcome.err);
        assert!(begun.elapsed().as_secs() < 10);
    }
    place.write("q/results.jsonl", "{\"lambdav\":\"0\",\"tests\":1,\"shard\":[2,3]}\n");
    report("[1,2]");
    place.fails(
        &["test", "--merge", "r", "q"],
        1,
        "it is one of 3 shards, and the first report of 2",
    );
}
