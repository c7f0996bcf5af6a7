//! Metadata of images about how they were drawn.

use super::harness::TestFolder;
use serde_json::{Value, json};

const PROGRAM: &str = "(struct Light (colour vec3) (on bool) (n int))
    (uniform λight Light) (uniform gains (array 2 vec2)) (uniform turn mat2) (uniform seed uint 7u)
    (constant k num 2)
    (output 0 (vec4 (* k (.colour λight)) (time)))
    (output 1 (vec4 (* turn (at gains 1)) (num seed) (if (.on λight) (num (.n λight)) 0)))";

const SET: [&str; 8] = [
    "--set",
    r#"λight={"colour": [0.1, 1e-30, -3], "on": true, "n": -4}"#,
    "--set",
    "gains=[[1, 2], 0.5]",
    "--set",
    "k=2.5",
    "--time",
    "1.25",
];

fn inspect(place: &TestFolder, name: &str) -> Value {
    let json = place.run(&["inspect", name, "--message-format", "json"]).done();
    serde_json::from_str(json.text()).expect("JSON")
}

/// An image carries everything that is needed to draw it again.
#[test]
fn an_image_says_how_it_was_drawn() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    for ending in ["png", "exr"] {
        let name = format!("a.{ending}");
        let size = ["--size", "4x3", "--output", "1", "--mouse", "1,2,3,4.5"];
        let draw = |name: &str, more: &[&str]| {
            place.run(&[&["render", "a.lv", name][..], &size, more].concat()).done();
            place.read(name)
        };
        let file = draw(&name, &SET);
        let said = inspect(&place, &name);
        assert_eq!(said["image"]["size"], json!([4, 3]));
        let metadata = &said["metadata"];
        let text = |key: &str| metadata[key].as_str().unwrap_or_else(|| panic!("{key}: {said}"));
        assert_eq!(text("Software"), concat!("lambdav ", env!("CARGO_PKG_VERSION")));
        let keys = ["lambdav:output", "lambdav:time", "lambdav:frame", "lambdav:mouse"];
        assert_eq!(keys.map(text), ["1", "1.25", "0", "1,2,3,4.5"]);
        let sum = std::process::Command::new("sha256sum").arg(place.path("a.lv")).output();
        if let Ok(sum) = sum {
            let sum = String::from_utf8(sum.stdout).expect("text");
            let sum = sum.trim_start_matches('\\').split(' ').next().expect("a sum");
            assert_eq!(text("lambdav:program"), format!("sha256 {sum}"));
        }
        // Drawing with the recorded uniforms gives the same file, byte for byte.
        place.write("u.json", text("lambdav:uniforms"));
        assert_eq!(draw(&name, &["--uniforms", "u.json", "--time", "1.25"]), file);
        let values: Value = serde_json::from_str(text("lambdav:uniforms")).expect("JSON");
        assert_eq!(values["λight"]["n"], json!(-4));
        assert_eq!((&values["k"], &values["seed"]), (&json!(2.5), &json!(7)));
        assert_eq!(values["gains"], json!([[1.0, 2.0], [0.5, 0.5]]));
        // Also as text, and from standard input.
        let shown = place.run_with(&["inspect", "-"], &file).done();
        assert!(shown.text().starts_with("image: 4x3 "), "{}", shown.text());
        assert!(shown.text().contains("\nlambdav:time: 1.25\n"), "{}", shown.text());
        // Comparisons ignore metadata, and an option leaves it out.
        let plain = draw(&format!("plain.{ending}"), &[&SET[..], &["--no-metadata"]].concat());
        assert!(plain.len() < file.len());
        let said = inspect(&place, &format!("plain.{ending}"));
        assert_eq!(said["metadata"], json!({}));
        place.run(&["diff", &name, &format!("plain.{ending}"), "--quiet"]).done();
    }
}

/// The recorded hash covers a program with all its included files. Images of modules record the uniforms that
/// were set.
#[test]
fn programs_are_told_apart() {
    let place =
        TestFolder::with([("a.lv", "(include \"b.lv\") (vec3 x)"), ("b.lv", "(define x 1)")]);
    let program = |shader: &str, more: &[&str]| {
        let arguments = ["render", shader, "a.png", "--size", "2x2"];
        place.run(&[&arguments[..], more].concat()).done();
        let metadata = inspect(&place, "a.png")["metadata"].clone();
        (metadata["lambdav:program"].clone(), metadata["lambdav:uniforms"].clone())
    };
    let (first, uniforms) = program("a.lv", &[]);
    assert!(first.as_str().is_some_and(|first| first.starts_with("sha256 ")), "{first}");
    assert_eq!(uniforms, Value::Null);
    place.write("b.lv", "(define x 0.5)");
    assert_ne!(program("a.lv", &[]).0, first);
    place.write("u.lv", "(uniform gain num 3) (uniform on bool true) (vec3 (if on gain 0))");
    let (_, uniforms) = program("u.lv", &["--set", "gain=1e30"]);
    assert_eq!(uniforms, json!(r#"{"gain": 1e30, "on": true}"#));
    // Long values are left out.
    place.write("l.lv", "(uniform all (array 60000 num)) (vec3 (at all 3i))");
    let long = format!("all=[{}1]", "0.5, ".repeat(59_999));
    place.write("l.json", format!("{{\"all\": {}}}", &long[4..]));
    let draw = ["render", "l.lv", "l.png", "--size", "2x2", "--uniforms", "l.json"];
    assert_eq!(place.run(&draw).status, 0);
    let metadata = &inspect(&place, "l.png")["metadata"];
    assert!(metadata["lambdav:program"].is_string(), "{metadata}");
    assert_eq!(metadata["lambdav:uniforms"], Value::Null);
    place.run(&["compile", "u.lv", "-o", "u.spv"]).done();
    // Bools do not exist in memory.
    let (_, uniforms) = program("u.spv", &["--set", "gain=2", "--set", "on=true"]);
    assert_eq!(uniforms, json!(r#"{"gain": 2.0, "on": 1}"#));
}

/// A file's bytes do not depend on the engine or the number of threads.
#[test]
fn metadata_depends_on_what_was_asked_for_alone() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    let draw = |more: &[&str]| {
        for ending in ["png", "exr"] {
            let name = format!("a.{ending}");
            let arguments = ["render", "a.lv", &name, "--size", "9x7"];
            place.run(&[&arguments[..], &SET, more].concat()).done();
        }
        (place.read("a.png"), place.read("a.exr"))
    };
    let first = draw(&[]);
    for more in
        [&["--engine", "source"][..], &["--threads", "1"], &["--lanes", "4"], &["--specialise"]]
    {
        assert!(draw(more) == first, "{more:?}");
    }
}
