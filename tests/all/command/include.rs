//! Programs of several files.

use super::harness::TestFolder;
use serde_json::Value;
use std::fs;

const NOISE: &str = "(define (wave x)\n  (* 0.5 (+ 1 (sin x))))\n";

/// A program in a folder, with included files beside it and below it.
fn place() -> TestFolder {
    let place = TestFolder::with([
        ("main.lv", "(include \"lib/colour.lv\")\n(include \"noise.lv\")\n(red (wave (time)))"),
        ("noise.lv", NOISE),
        ("alone.lv", ""),
    ]);
    fs::create_dir(place.path("lib")).expect("a folder can be made");
    place.write(
        "lib/colour.lv",
        "(include \"../noise.lv\")\n\n(define (red x) (vec4 (wave x) 0 0 1))",
    );
    place.write("alone.lv", format!("{NOISE}(vec4 (wave (wave (time))) 0 0 1)"));
    place
}

#[test]
fn files_are_as_if_they_stood_there() {
    let place = place();
    let render = |shader, out, engine| {
        let arguments =
            ["render", shader, out, "--size", "3x2", "--time", "1.5", "--engine", engine];
        place.run(&arguments).done();
        place.frame(out)
    };
    for engine in ["simd", "core", "source", "spirv"] {
        let [a, b] = ["main.lv", "alone.lv"].map(|shader| render(shader, "a.npy", engine));
        assert_eq!(a.samples(), b.samples(), "{engine}");
    }
    // Core text needs no included files, and programs on standard input can include files.
    let [a, b] = ["main.lv", "alone.lv"].map(|shader| {
        place.run(&["compile", shader, "--emit", "core", "-o", "a.core"]).done();
        let text = String::from_utf8(place.read("a.core")).expect("core text");
        let without_comments = text.lines().map(|line| line.split(';').next().map(str::to_owned));
        without_comments.collect::<Vec<_>>()
    });
    assert_eq!(a, b);
    let text = "(include \"lib/colour.lv\")(red (time))";
    place.run_with(&["render", "-", "b.npy", "--size", "3x2", "--time", "1.5"], text).done();
}

#[test]
fn findings_name_the_right_file() {
    let place = place();
    place.write("noise.lv", "\u{feff}; two lines\n(define (wave x)\n  (sin true x))");
    let outcome = place.run(&["check", "main.lv"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.contains("--> lib/../noise.lv:3:3"), "{}", outcome.err);
    assert!(outcome.err.contains("3 |   (sin true x))"), "{}", outcome.err);
    let outcome = place.run(&["check", "main.lv", "--message-format", "json"]);
    let object: Value = serde_json::from_str(outcome.text()).expect("one object");
    assert_eq!(object["file"], "lib/../noise.lv");
    let (at, all) = (&object["primary"], place.read("noise.lv"));
    assert_eq!((&at["file"], &at["line"], &at["column"]), (&object["file"], &3.into(), &3.into()));
    let offset = |key: &str| at[key].as_u64().expect("a number") as usize;
    assert_eq!(&all[offset("start")..offset("end")], b"(sin true x)");

    // Each excerpt is taken from its own file.
    place.write("noise.lv", "(uniform wave num)");
    place.write("lib/colour.lv", "(include \"../noise.lv\") (uniform wave num)");
    let outcome = place.run(&["check", "main.lv"]);
    for at in ["--> lib/colour.lv:1:34", "::: lib/../noise.lv:1:10"] {
        assert!(outcome.err.contains(at), "{}", outcome.err);
    }
    // An unclosed list ends with its file.
    place.write("noise.lv", "(define (wave x) (+ x 1)");
    place.write("lib/colour.lv", "(define (red x) (vec4 x))");
    let outcome = place.run(&["check", "main.lv"]);
    assert!(outcome.err.contains("[LV0104]") && outcome.err.contains("noise.lv:1:1"));
}

#[test]
fn what_cannot_be_included() {
    let place = place();
    let check = |text: &str, parts: &[&str]| {
        place.write("wrong.lv", text);
        let outcome = place.run(&["check", "wrong.lv"]);
        assert_eq!(
            (outcome.status, outcome.err.matches("error[").count()),
            (1, 1),
            "{}",
            outcome.err
        );
        for part in parts {
            assert!(outcome.err.contains(part), "{part}: {}", outcome.err);
        }
    };
    check("(include \"none.lv\")", &["LV0213", "wrong.lv:1:10", "there is no such file"]);
    check("(include \"lib\")", &["LV0213", "cannot read `lib`"]);
    check("(include \"wrong.lv\")", &["LV0213", "`wrong.lv` includes itself"]);
    place.write("noise.lv", "(include \"lib/colour.lv\")");
    let through = "through `lib/../noise.lv`";
    check("(include \"lib/colour.lv\")", &["lib/../noise.lv:1:10", "includes itself", through]);
    check("(include \"alone.lv\" 1) (vec4 1)", &["LV0201", "(include \"path\")"]);
    check("(vec4 \"alone.lv\")", &["LV0308", "at the top level"]);
    place.write("noise.lv", b"; \xff");
    check("\n(include \"noise.lv\")", &["LV0101", "noise.lv:1:3"]);
    for i in 0..70 {
        place.write(&format!("{i}.lv"), format!("(include \"{}.lv\")", i + 1));
    }
    place.write("70.lv", "1");
    check("(include \"0.lv\")", &["LV0213", "63.lv:1:10", "64 deep"]);
    place.run(&["check", "10.lv"]).done();
    let outcome = place.run_with(&["check", "-"], "(include \"none.lv\")");
    assert!(outcome.err.contains("<stdin>:1:10"), "{}", outcome.err);
    place.write("long.lv", format!("; {}", " ".repeat(16 << 20)));
    check("(include \"long.lv\")", &["LV0108", "wrong.lv:1:10"]);
    place.run(&["check", "70.lv"]).done();
}

/// A file that was read is not overwritten.
#[test]
fn what_is_included_is_kept() {
    let place = place();
    fs::copy(place.path("noise.lv"), place.path("noise.png")).expect("it can be copied");
    place.write("main.lv", "(include \"noise.png\") (wave 1)");
    for arguments in [
        ["render", "main.lv", "noise.png", "--size", "1x1"],
        ["compile", "main.lv", "-onoise.png", "--emit", "core"],
    ] {
        let outcome = place.run(&arguments);
        assert_eq!(outcome.status, 2);
        assert!(outcome.err.contains("would be overwritten"), "{}", outcome.err);
    }
    assert_eq!(place.read("noise.png"), NOISE.as_bytes());
}

/// A module carries each file under a name that does not depend on the spelling of paths, and an endless loop
/// is reported in its file.
#[test]
fn modules_have_the_files() {
    let place = place();
    let endless = "\n(define (wave x) ((rec-func (n) (if (< n 0) n (rec (+ n 1)))) x))";
    place.write("noise.lv", endless);
    let absolute = place.path("main.lv").to_string_lossy().into_owned();
    let modules = ["main.lv", "./main.lv", "lib/../main.lv", &absolute].map(|path| {
        place.run(&["compile", path, "-o", "a.spv"]).done();
        place.read("a.spv")
    });
    assert!(modules.iter().all(|module| *module == modules[0]));
    let text = place.run(&["compile", "main.lv", "--emit", "spirv-text"]).done();
    for name in ["\"main.lv\"", "\"lib/colour.lv\"", "\"noise.lv\""] {
        assert!(text.text().contains(&format!("OpString {name}")), "{}", text.text());
    }
    for shader in ["main.lv", "a.spv"] {
        let outcome =
            place.run(&["render", shader, "a.png", "--size", "2x2", "--max-iterations", "9"]);
        assert_eq!(outcome.status, 1);
        assert!(outcome.err.contains("noise.lv:2:19"), "{}", outcome.err);
    }
    let text = place.run(&["compile", "main.lv", "--emit", "spirv-text", "--strip"]).done();
    let has = |word: &str| text.text().contains(word);
    for word in ["OpName", "OpMemberName", "OpSource", "OpString", "OpLine", "wave", ".lv"] {
        assert!(!has(word), "{word}: {}", text.text());
    }
    assert!(has("OpEntryPoint"));
}
