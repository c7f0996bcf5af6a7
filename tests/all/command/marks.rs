//! `lambdav test` writes, replaces and removes only its own files.

use super::harness::{CommandOutcome, TestFolder};
use lambdav_image::file::{self, Metadata};
use std::collections::BTreeMap;
use std::fs;

fn run(place: &TestFolder, arguments: &str) -> CommandOutcome {
    place.run_line(&format!("test {arguments}"))
}

#[track_caller]
fn says(place: &TestFolder, arguments: &str, status: i32, parts: &[&str]) -> String {
    let outcome = run(place, arguments);
    let text = format!("{}{}", outcome.text(), outcome.err);
    assert_eq!(outcome.status, status, "{text}");
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
    text
}

fn plain(level: &str) -> String {
    format!("; test: --size 8x8\n(vec3 {level})\n")
}

/// The contents of these files, which must exist.
fn bytes(place: &TestFolder, names: &[&str]) -> BTreeMap<String, Vec<u8>> {
    names.iter().map(|name| ((*name).to_owned(), place.read(name))).collect()
}

/// Programs with the names of pictures of a failed test.
#[test]
fn goldens_of_neighbours_stay() {
    let place = TestFolder::with([
        ("x.lv", plain("0.25").as_str()),
        ("x.new.lv", &plain("0.75")),
        ("x.diff.lv", &plain("0.5")),
    ]);
    says(
        &place,
        "--bless",
        0,
        &["new golden x.diff.png\nnew golden x.png\nnew golden x.new.png\n"],
    );
    let goldens = ["x.png", "x.new.png", "x.diff.png"];
    let before = bytes(&place, &goldens);
    says(&place, "", 0, &["3 passed"]);
    assert_eq!(bytes(&place, &goldens), before);
    // The test fails, and its pictures are only in the report.
    place.write("x.lv", plain("0.3"));
    for arguments in ["--report r", "x.lv --report r"] {
        let text = says(
            &place,
            arguments,
            1,
            &["failed x.lv: ", "not written: `x.new.png` is the golden of "],
        );
        assert!(text.contains("not written: `x.diff.png` is the golden of "), "{text}");
        assert_eq!(bytes(&place, &goldens), before);
        let page = String::from_utf8(place.read("r/index.html")).expect("it is text");
        assert!(page.contains("\"found\":\"iVBOR"));
    }
    says(&place, "", 1, &["2 passed, 1 failed"]);
    // Pictures left by a failed test are not goldens.
    for name in goldens {
        fs::remove_file(place.path(name)).expect("it is there");
    }
    place.write("x.lv", plain("0.25"));
    run(&place, "x.lv --bless");
    place.write("x.lv", plain("0.3"));
    says(&place, "x.lv", 1, &["x.new.png against x.png"]);
    says(
        &place,
        "",
        1,
        &["missing x.new.lv: `x.new.png` is the picture of another test that failed"],
    );
    says(&place, "x.new.lv --bless", 0, &["replaced x.new.png"]);
    says(&place, "x.lv x.new.lv", 1, &["1 passed, 1 failed"]);
}

/// Foreign files with the names of a run's files, in each role, stay.
#[test]
fn files_without_a_mark_stay() {
    let place = TestFolder::with([("a.lv", "; test: --size 4x4\n; nothing else\n(vec3 1)")]);
    // Foreign pictures: as a golden, as pictures of a failing test, and as orphans.
    for name in ["a.png", "a.new.png", "a.diff.png", "a.old.png", "b.npy", "b.exr"] {
        place.run_with(&["render", "-", name, "--size", "4x4"], "(vec3 0.5)").done();
    }
    place.write("a.line.digest", "a line of somebody's\n");
    let all: Vec<String> = place.files().into_keys().collect();
    let names: Vec<&str> = all.iter().map(String::as_str).collect();
    let before = bytes(&place, &names);
    for arguments in ["", "--bless", "--bless --prune", "--filter a.lv --report r", "--accept a.lv"]
    {
        let text = says(&place, arguments, 1, &["failed a.lv: different: 16 of 16 pixels"]);
        assert!(
            text.contains("not written: `a.new.png` was not written by `lambdav test`"),
            "{text}"
        );
        assert!(!text.contains("no test has"), "{text}");
        assert_eq!(bytes(&place, &names), before, "{arguments}");
    }
    says(
        &place,
        "--bless",
        1,
        &["not blessed: `a.png` was not written by `lambdav test`; remove it"],
    );
    // If the test passes, the picture is a golden like any other.
    place.write("a.lv", "; test: --size 4x4\n(vec3 0.5)");
    for arguments in ["", "--bless", "--bless --prune"] {
        says(&place, arguments, 0, &["1 passed"]);
        assert_eq!(place.read("a.new.png"), before["a.new.png"]);
    }
    // It can be adopted, with its own picture or with another.
    says(&place, "--bless --adopt", 0, &["marked a.png\n1 test: 1 passed, its golden marked"]);
    assert_ne!(place.read("a.png"), before["a.png"]);
    place.run(&["diff", "a.png", "a.new.png", "--quiet"]).done();
    says(&place, "--bless --adopt", 0, &["1 test: 1 passed ("]);
    fs::write(place.path("a.png"), &before["a.png"]).expect("it can be written");
    place.write("a.lv", "; test: --size 4x4\n(vec3 0.25)");
    says(&place, "--bless --adopt", 0, &["replaced a.png\n"]);
    place.fails(&["test", "--adopt"], 2, "--adopt is for --bless and --accept");
}

/// Goldens and pictures of every kind have a mark.
#[test]
fn every_kind_has_a_mark() {
    let directives = "; test: a --size 4x4\n; test: b --size 4x4 --format exr
; test: c --size 4x4 --format npy\n; test: d --size 4x4 --format digest\n";
    let place = TestFolder::new();
    place.write("x.lv", format!("{directives}(vec3 0.5)"));
    run(&place, "--bless");
    let goldens = ["x.a.png", "x.b.exr", "x.c.npy", "x.d.digest"];
    for (golden, test) in goldens.iter().zip(["a", "b", "c"]) {
        let metadata = file::metadata(&place.read(golden)).expect("it is an image");
        let mut entries = metadata.entries();
        let comment = entries.find(|(name, _)| *name == Metadata::COMMENT);
        assert_eq!(comment, Some((Metadata::COMMENT, format!("golden of x.lv:{test}").as_str())));
    }
    place.write("x.lv", format!("{directives}(vec3 0.25)"));
    says(&place, "", 1, &["4 failed"]);
    for new in ["x.a.new.png", "x.b.new.exr", "x.c.new.npy", "x.d.new.png", "x.a.diff.png"] {
        let metadata = file::metadata(&place.read(new)).expect("it is an image");
        let comment = metadata.entries().find(|(name, _)| *name == Metadata::COMMENT);
        assert!(
            comment.is_some_and(|(_, text)| text.contains("of a test that failed: x.lv:")
                || text.starts_with("drawn by a test that failed: x.lv:")),
            "{new}: {comment:?}"
        );
    }
    says(
        &place,
        "--bless",
        0,
        &["replaced x.a.png\nreplaced x.b.exr\nreplaced x.c.npy\nreplaced x.d.digest\n"],
    );
    let left: Vec<String> = place.files().into_keys().collect();
    assert_eq!(left, [&goldens[..], &["x.lv"]].concat());
    // Without their test all goldens are orphans, and their removal is reported.
    place.write("x.lv", "; test: e --size 4x4\n(vec3 0.25)");
    let told =
        "no test has these goldens: x.a.png, x.b.exr, x.c.npy, …; --bless --prune removes 4\n";
    says(&place, "", 1, &[told]);
    let removed = "removed x.a.png\nremoved x.b.exr\nremoved x.c.npy\nremoved x.d.digest\n";
    says(&place, "--bless --prune", 0, &[removed, "4 goldens removed that no test has"]);
}

/// Files named by a directive are only read, even if they have a mark.
#[test]
fn inputs_are_never_touched() {
    let place = TestFolder::with([
        (
            "lights.lv",
            "; test: night --size 4x4 --bind lights=lights.npy\n(buffer lights num)\n(vec3 (at lights 0i))",
        ),
        (
            "other.lv",
            "; test: --size 4x4 --format npy --uniforms u.json\n(uniform k num 0.5)\n(vec3 k)",
        ),
        ("u.json", "{\"k\": 0.5}"),
    ]);
    place.run_with(&["render", "-", "image.npy", "--size", "2x2"], "(vec3 0.25)").done();
    // An array in NumPy's format, beside the program and with its name.
    let array = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    let mut npy = b"\x93NUMPY\x01\x00\x76\x00".to_vec();
    npy.extend(format!("{array:<117}\n").bytes());
    npy.extend([0.5_f32, 1.0].iter().flat_map(|number| number.to_le_bytes()));
    place.write("lights.npy", &npy);
    says(&place, "--bless --prune", 0, &["2 blessed for the first time"]);
    assert_eq!(place.read("lights.npy"), npy);
    // A marked golden that is the input of another test, spelt differently.
    fs::create_dir(place.path("sub")).expect("it can be made");
    let reader =
        "; test: --size 4x4 --bind t=sub/../other.npy\n(texture t)\n(texel t (ivec2 0i 0i))";
    place.write("reader.lv", reader);
    run(&place, "reader.lv --bless");
    let golden = place.read("other.npy");
    place.write("u.json", "{\"k\": 0.75}");
    let why = "not blessed: `other.npy` is an input of `reader.lv`";
    says(&place, "--bless --filter other", 1, &[why]);
    says(&place, "--bless --adopt --filter other", 1, &[why]);
    assert_eq!(place.read("other.npy"), golden);
    // It is no orphan either, even if the directive that names it is wrong or a near miss.
    fs::remove_file(place.path("other.lv")).expect("it is there");
    for line in [
        "; test: --size 4x4 --bind t=other.npy",
        "; test: --sizee 4x4 --bind t=other.npy",
        "; tests: --size 4x4 --bind=t=other.npy",
    ] {
        place.write("reader.lv", format!("{line}\n(texture t)\n(texel t (ivec2 0i 0i))"));
        let text = says(&place, "--bless --prune", i32::from(line.contains("sizee")), &[]);
        assert!(!text.contains("removed other.npy"), "{text}");
        assert_eq!(place.read("other.npy"), golden);
    }
}

/// A directive with an error does not cost its golden.
#[test]
fn goldens_of_what_is_wrong_stay() {
    let place =
        TestFolder::with([("a.lv", "; test: day --size 4x4\n; test: night --size 4x4\n(vec3 1)")]);
    run(&place, "--bless");
    for line in
        ["; test: night --sizee 4x4", "; Test: night --size 4x4", "; tests: night --size 4x4"]
    {
        place.write("a.lv", format!("; test: day --size 4x4\n{line}\n(vec3 1)"));
        run(&place, "--bless --prune");
        assert!(place.path("a.night.png").exists(), "{line}");
    }
    // Hidden folders are not searched, so their files stay, too.
    fs::create_dir(place.path(".hidden")).expect("it can be made");
    fs::copy(place.path("a.night.png"), place.path(".hidden/a.png")).expect("it can be copied");
    place.write("a.lv", "; test: day --size 4x4\n(vec3 1)");
    says(&place, "--bless --prune", 0, &["removed a.night.png\n", "1 golden removed"]);
    assert!(place.path(".hidden/a.png").exists());
}

/// A report replaces only reports.
#[test]
fn reports_replace_reports_only() {
    let place = TestFolder::with([("a.lv", plain("1").as_str())]);
    fs::create_dir(place.path("site")).expect("it can be made");
    for (name, text) in [
        ("index.html", "<!doctype html>\n<title>A site</title>"),
        ("junit.xml", "<testsuites name=\"others\"/>"),
        ("results.jsonl", "{}\n"),
    ] {
        let path = format!("site/{name}");
        place.write(&path, text);
        let message = format!("`{path}` is no report of `lambdav test`, and would be replaced");
        place.fails(&["test", "--report", "site"], 2, &message);
        fs::remove_file(place.path(&path)).expect("it is there");
    }
    for _ in 0..2 {
        says(&place, "--report site", 1, &["report: site/index.html"]);
    }
    // Failures are printed even if the report cannot be written.
    place.write("file", "text");
    let outcome = run(&place, "--report file");
    assert!(
        outcome.text().contains("missing a.lv: ") && !outcome.text().contains("report:"),
        "{}",
        outcome.text()
    );
    assert!(outcome.status > 0 && outcome.err.contains("cannot make `file`"), "{}", outcome.err);
}

/// Goldens can be accepted one by one.
#[test]
fn single_pictures_are_accepted() {
    let directives =
        "; test: a --size 4x4\n; test: b --size 4x4\n; test: c --size 4x4 --format npy";
    let place = TestFolder::with([("x.lv", format!("{directives}\n(vec3 1)").as_str())]);
    run(&place, "--bless");
    place.write("x.lv", format!("{directives}\n(vec3 0.5)"));
    says(&place, "", 1, &["3 failed"]);
    let before = bytes(&place, &["x.a.png", "x.b.png"]);
    says(&place, "--accept x.lv:b", 0, &["replaced x.b.png\n1 test: 1 blessed anew"]);
    assert_eq!(place.read("x.a.png"), before["x.a.png"]);
    assert_ne!(place.read("x.b.png"), before["x.b.png"]);
    // Also by the names of files.
    says(&place, ". --accept ./x.a.new.png x.c.npy", 0, &["2 tests: 2 blessed anew"]);
    says(&place, "", 0, &["3 passed"]);
    place.fails(&["test", "--accept", "x.lv:d"], 2, "there is no test `x.lv:d`; `x.lv:a` is one");
    place.fails(&["test", "--accept", "x.lv:a", "--bless"], 2, "cannot be used with");
}
