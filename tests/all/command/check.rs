//! `lambdav check`: several files, and every format of messages.

use super::harness::TestFolder;
use serde_json::Value;

fn place() -> TestFolder {
    TestFolder::with([
        ("good.lv", "(vec4 1)"),
        ("unbound.lv", "(vec4\n  colour\n  (sin true))"),
        ("warned.lv", "(output 0 1)\n(output 4 2)"),
        ("open.lv", "(vec4 1 (+ 2"),
    ])
}

#[test]
fn nothing_is_said_of_what_is_right() {
    let place = place();
    let outcome = place.run(&["check", "good.lv"]).done();
    assert_eq!(outcome.out, b"");
    let outcome = place.run_with(&["check", "-"], "(vec4 1)").done();
    assert_eq!(outcome.out, b"");
}

#[test]
fn all_findings_of_all_files_are_said_with_their_places() {
    let place = place();
    let outcome = place.run(&["check", "good.lv", "unbound.lv", "warned.lv", "open.lv"]);
    assert_eq!((outcome.status, outcome.text()), (1, ""));
    let places = [
        ("error[LV0301]", "unbound.lv:2:3"),
        ("error[LV0401]", "unbound.lv:3:3"),
        ("warning[LV0206]", "warned.lv:2:9"),
        ("error[LV0104]", "open.lv:1:9"),
    ];
    let mut rest = outcome.err.as_str();
    for (code, at) in places {
        for part in [code, at] {
            let (_, after) = rest.split_once(part).unwrap_or_else(|| panic!("{part}: {rest}"));
            rest = after;
        }
    }
    let warned = place.run(&["check", "warned.lv"]);
    assert_eq!(warned.status, 0);
}

#[test]
fn json_is_an_object_a_line() {
    let place = place();
    let arguments =
        ["check", "--message-format", "json", "good.lv", "unbound.lv", "warned.lv", "open.lv"];
    let outcome = place.run(&arguments);
    assert_eq!((outcome.status, outcome.err.as_str()), (1, ""));
    let found: Vec<_> = outcome
        .text()
        .lines()
        .map(|line| {
            let object: Value = serde_json::from_str(line).expect("each line is JSON");
            let text = |key: &str| object[key].as_str().expect("a text").to_owned();
            let place = &object["primary"];
            let number = |key: &str| place[key].as_u64().expect("a number");
            assert!(number("start") <= number("end"));
            assert!(text("rendered").contains(&text("message")));
            assert!(object["help"].is_string() || object["help"].is_null());
            (text("severity"), text("code"), text("file"), number("line"), number("column"))
        })
        .collect();
    let expected = [
        ("error", "LV0301", "unbound.lv", 2, 3),
        ("error", "LV0401", "unbound.lv", 3, 3),
        ("warning", "LV0206", "warned.lv", 2, 9),
    ];
    for (found, (severity, code, file, line, column)) in found.iter().zip(expected) {
        assert_eq!(*found, (severity.into(), code.into(), file.into(), line, column));
    }
    let open: Vec<_> =
        found[expected.len()..].iter().map(|f| (f.1.as_str(), f.2.as_str())).collect();
    assert_eq!(open, [("LV0104", "open.lv")]);
}

#[test]
fn a_missing_file_does_not_hide_the_others() {
    let place = place();
    let outcome = place.run(&["check", "missing.lv", "unbound.lv", "good.lv"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.starts_with("error: cannot read `missing.lv`"), "{}", outcome.err);
    assert!(outcome.err.contains("unbound.lv:2:3"), "{}", outcome.err);
}

#[test]
fn standard_input_has_a_name_and_can_be_read_once() {
    let place = place();
    let outcome = place.run_with(&["check", "-"], "(vec4 x)");
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.contains("<stdin>:1:7"), "{}", outcome.err);
    place.fails(&["check", "-", "good.lv", "-"], 2, "`-`, can be given only once");
    place.fails(&["check"], 2, "<SHADER>...");
}

#[test]
fn modules_are_checked() {
    let place = place();
    place.run(&["compile", "good.lv", "-o", "good.spv"]).done();
    place.run(&["check", "good.spv"]).done();
    place.fails(&["check", "good.spv", "--entry", "other"], 1, "no fragment entry point `other`");
    let module = place.read("good.spv");
    place.write("cut.spv", &module[..module.len() - 4]);
    for command in [&["check", "cut.spv"][..], &["compile", "cut.spv", "--emit", "core"]] {
        place.fails(command, 1, "error[LV0604]: a function does not end (at word ");
    }
}

/// Unapplied functions are typed if all their parameters are annotated.
#[test]
fn annotated_functions_are_typed() {
    let place = TestFolder::new();
    let found = |text: &str| place.run_with(&["check", "-", "--allow", "LV0702"], text).err;
    let wrong = "(define (f (v vec3) (k num)) (+ v (vec2 k k))) (vec3 0)";
    let message = "warning[LV0418]: this is never applied, and ill-typed";
    assert!(found(wrong).contains(message), "{}", found(wrong));
    let inner = "(define (f (v vec3)) (func ((k num)) (+ v (vec2 k k)))) (vec3 0)";
    assert!(found(inner).contains(message), "{}", found(inner));
    for right in [
        "(define (f (v vec3) (k num)) (+ v k)) (vec3 0)",
        // Without an annotation the parameter's type is unknown.
        "(define (f (v vec3) k) (+ v (vec2 1 1) k)) (vec3 0)",
        "(define (f (v vec3) (k num)) (+ v k)) (f (vec3 0) 1)",
        "(define (f) (func ((n num)) ((rec-func (i) (if (< i n) (rec (+ i 1)) i)) 0))) (vec3 0)",
    ] {
        assert_eq!(found(right), "", "{right}");
    }
}

/// Folders are searched for programs, and warnings can be denied.
#[test]
fn folders_are_checked_and_warnings_denied() {
    let place = TestFolder::with([
        ("all/good.lv", "(vec4 1)"),
        ("all/deep/warned.lv", "(output 0 1)\n(output 4 2)"),
        ("all/deep/open.wgsl", "fn f( {"),
        ("all/note.txt", "(vec4"),
        ("none/note.txt", ""),
    ]);
    let outcome = place.run(&["check", "all"]);
    assert_eq!(outcome.status, 1);
    for part in ["deep/open.wgsl:1:", "deep/warned.lv:2:9"] {
        assert!(outcome.err.contains(part), "{}", outcome.err);
    }
    assert!(!outcome.err.contains("note.txt"), "{}", outcome.err);
    place.fails(&["check", "none"], 2, "there is no program in the folder `none`");
    let warned = ["check", "all/deep/warned.lv"];
    assert_eq!(place.run(&warned).status, 0);
    let denied = [&warned[..], &["--deny", "warnings"]].concat();
    let outcome = place.run(&denied);
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.contains("warning[LV0206]"), "{}", outcome.err);
    place.run(&[&denied[..], &["--allow", "LV0206"]].concat()).done();
    place.run(&["check", "all/good.lv", "--deny", "warnings"]).done();
}

/// Annotations of GitHub: one escaped line each, also for an unreadable file.
#[test]
fn github_annotations() {
    let place = place();
    let format = ["check", "--message-format", "github"];
    let run = |files: &[&str]| place.run(&[&format, files].concat());
    let outcome = run(&["good.lv", "unbound.lv", "warned.lv", "missing.lv"]);
    assert_eq!(outcome.status, 2);
    let begins = [
        "::error file=unbound.lv,line=2,endLine=2,col=3,endColumn=9,title=LV0301::",
        "::error file=unbound.lv,line=3,endLine=3,col=3,endColumn=13,title=LV0401::",
        "::warning file=warned.lv,line=2,endLine=2,col=9,endColumn=10,title=LV0206::",
        "::error::cannot read `missing.lv`: ",
    ];
    let lines: Vec<&str> = outcome.text().lines().collect();
    assert_eq!(lines.len(), begins.len(), "{lines:#?}");
    for (line, begin) in lines.iter().zip(begins) {
        assert!(line.starts_with(begin), "{line}");
    }
    assert!(outcome.err.starts_with("error: cannot read `missing.lv`: "), "{}", outcome.err);
    let outcome = run(&["--max-errors", "1", "unbound.lv"]);
    assert!(outcome.text().ends_with("\n::notice file=unbound.lv::1 more error is not shown\n"));
    let name = "a,b: 100%.lv";
    place.write(name, "(vec4 x)");
    let outcome = run(&["./a,b: 100%.lv"]);
    assert!(outcome.text().starts_with("::error file=a%2Cb%3A 100%25.lv,line=1,"));
}

/// One SARIF log for all programs.
#[test]
fn a_sarif_log() {
    let place = place();
    place.write("two b.lv", "(include \"c.lv\")\n(vec4 λ)");
    place.write("c.lv", "(define λ (sin true))");
    let format = ["check", "--message-format", "sarif"];
    let log = |files: &[&str], status: i32| -> Value {
        let outcome = place.run(&[&format, files].concat());
        assert_eq!(outcome.status, status, "{}", outcome.err);
        serde_json::from_str(outcome.text()).expect("one value")
    };
    let whole = log(&["good.lv", "unbound.lv", "warned.lv", "two b.lv", "missing.lv"], 2);
    assert_eq!(whole["version"], "2.1.0");
    let run = &whole["runs"][0];
    assert_eq!(run["columnKind"], "unicodeCodePoints");
    let found: Vec<_> = run["results"]
        .as_array()
        .expect("results")
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            let region = &place["region"];
            let numbers =
                ["startLine", "startColumn", "endLine", "endColumn", "byteOffset", "byteLength"];
            let text = |value: &Value| value.as_str().expect("a text").to_owned();
            (
                text(&result["ruleId"]),
                text(&result["level"]),
                text(&place["artifactLocation"]["uri"]),
                numbers.map(|name| region[name].as_u64().expect("a number")),
            )
        })
        .collect();
    let expected = [
        ("LV0301", "error", "unbound.lv", [2, 3, 2, 9, 8, 6]),
        ("LV0401", "error", "unbound.lv", [3, 3, 3, 13, 17, 10]),
        ("LV0206", "warning", "warned.lv", [2, 9, 2, 10, 21, 1]),
        ("LV0401", "error", "c.lv", [1, 11, 1, 21, 11, 10]),
    ];
    let owned = expected.map(|(rule, level, uri, numbers)| {
        (rule.to_owned(), level.to_owned(), uri.to_owned(), numbers)
    });
    assert_eq!(found, owned);
    let rules: Vec<_> = run["tool"]["driver"]["rules"].as_array().expect("rules").iter().collect();
    let ids: Vec<_> = rules.iter().map(|rule| rule["id"].as_str().expect("a code")).collect();
    assert_eq!(ids, ["LV0206", "LV0301", "LV0401"]);
    assert_eq!(rules[0]["defaultConfiguration"]["level"], "warning");
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let said = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str();
    assert!(said.expect("a text").starts_with("cannot read `missing.lv`"));
    let clean = log(&["good.lv"], 0);
    assert_eq!(clean["runs"][0]["results"], Value::Array(Vec::new()));
    assert_eq!(clean["runs"][0]["invocations"][0]["executionSuccessful"], true);
    let watched = ["check", "good.lv", "--message-format", "sarif", "--watch"];
    place.fails(&watched, 2, "--message-format sarif");
}
