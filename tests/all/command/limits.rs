//! Endless loops, timeouts, and texts and images that are too large.

use super::harness::{LAMBDAV, TestFolder, assert_one_error};
use serde_json::Value;
use std::process::Command;

/// An endless loop in the lower right part of the picture.
const ENDLESS: &str = "(define forever
  (rec-func (n) (if (< n 0) n (rec (+ n 1)))))
(define p (frag-coord))
(vec4 (if (and (> (.x p) 100) (> (.y p) 40)) (forever 0) 0) 0 0 1)";

#[test]
fn an_endless_loop_is_named_with_its_first_pixel_whatever_the_threads_do() {
    let place = TestFolder::with([("a.lv", ENDLESS), ("a.png", "untouched")]);
    let before = place.files();
    let mut said = Vec::new();
    for options in
        [["--threads", "1"], ["--threads", "2"], ["--threads", "7"], ["--engine", "source"]]
    {
        let fixed = ["render", "a.lv", "a.png", "--size", "150x90", "--max-iterations", "1000"];
        let outcome = place.run(&[&fixed[..], &options].concat());
        assert_eq!((outcome.status, outcome.text()), (1, ""));
        assert_one_error(&outcome.err, "error[LV0504]: this loop does not end within 1000 rounds");
        assert!(outcome.err.contains("a.lv:2:3"), "{}", outcome.err);
        assert!(outcome.err.contains("scan order is (100, 40)"), "{}", outcome.err);
        said.push(outcome.err);
    }
    assert!(said.iter().all(|err| *err == said[0]));
    assert_eq!(place.files(), before);
}

#[test]
fn an_endless_loop_is_reported_in_json_and_from_core_text() {
    let place = TestFolder::with([("a.lv", ENDLESS)]);
    place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
    for (from, line) in [("a.lv", Some(2)), ("a.core", None)] {
        let fixed = ["render", from, "a.png", "--size", "150x90", "--max-iterations", "50"];
        let outcome = place.run(&[&fixed[..], &["--message-format", "json"]].concat());
        assert_eq!((outcome.status, outcome.err.as_str()), (1, ""));
        let object: Value = serde_json::from_str(outcome.text()).expect("JSON");
        assert_eq!((&object["code"], &object["file"]), (&"LV0504".into(), &from.into()));
        let note = object["notes"][0].as_str().expect("a text");
        assert!(note.ends_with("(100, 40)"), "{note}");
        let at = object["primary"]["line"].as_u64().expect("a number");
        match line {
            Some(line) => assert_eq!(at, line),
            None => {
                let text = String::from_utf8(place.read("a.core")).expect("UTF-8");
                let named = text.lines().nth(at as usize - 1).expect("a line of the text");
                assert!(named.contains("= loop ("), "{named}");
            }
        }
    }
}

#[test]
fn the_limit_counts_recs_exactly() {
    let place = TestFolder::with([("a.lv", "((rec-func (n) (if (< n 10) (rec (+ n 1)) n)) 0)")]);
    let render =
        |limit| place.run(&["render", "a.lv", "a.png", "--size", "2x2", "--max-iterations", limit]);
    render("10").done();
    assert_one_error(&render("9").err, "LV0504");
    assert_one_error(&render("0").err, "LV0504");
}

#[test]
fn time_out_is_the_machines_fault() {
    let place = TestFolder::with([("a.lv", ENDLESS), ("a.png", "untouched")]);
    for engine in ["simd", "core", "source"] {
        let fixed = ["render", "a.lv", "a.png", "--engine", engine, "--timeout", "0.2"];
        let arguments = [&fixed[..], &["--max-iterations", "99999999999"]].concat();
        place.fails(&arguments, 3, "rendering took longer than 0.2 s; --timeout allows more");
    }
}

/// The timeout includes compilation, and the command does not wait for the compiler: this program would end
/// with an error.
#[test]
fn compiling_is_timed_out() {
    let (open, close) = ("(twice ".repeat(20), ")".repeat(20));
    let mut text = "(define (twice f) (func (x) (f (f x))))\n".to_owned();
    text += &(0..500_000).map(|i| format!("(define x{i} (+ {i} 2))\n")).collect::<String>();
    text += &format!("({open}sin{close} (time))");
    let place = TestFolder::with([("a.lv", &text), ("a.png", "untouched")]);
    place.fails(&["check", "a.lv"], 1, "error[LV0502]");
    let message = "checking took longer than 0 s; --timeout allows more";
    place.fails(&["check", "a.lv", "--timeout", "0"], 3, &format!("`a.lv`: {message}"));
    let render = ["render", "a.lv", "a.png", "--timeout"];
    let message =
        |seconds| format!("rendering took longer than {seconds} s; --timeout allows more");
    for engine in ["simd", "core", "source", "spirv"] {
        place.fails(&[&render[..], &["0", "--engine", engine]].concat(), 3, &message("0"));
    }
}

/// On a timeout, earlier findings are reported in each format, and so is the timeout. The pipe never gets any
/// data.
#[cfg(unix)]
#[test]
fn checks_that_end_late_tell_what_they_found() {
    let place = TestFolder::with([("b.lv", "(vec4 colour)")]);
    let made = Command::new("mkfifo").arg(place.path("a.lv")).status();
    assert!(made.expect("mkfifo is there").success());
    let late = |format: &str| {
        place.run(&["check", "b.lv", "a.lv", "--timeout", "3", "--message-format", format])
    };
    for format in ["json", "github", "sarif"] {
        let outcome = late(format);
        assert_eq!(outcome.status, 3, "{format}: {}", outcome.err);
        let message = "error: `a.lv`: checking took longer than 3 s";
        assert!(outcome.err.contains(message), "{format}: {}", outcome.err);
        let text = outcome.text();
        assert!(text.contains("LV0301"), "{format}: {text}");
        if format == "github" {
            let last = text.lines().last().expect("a line");
            assert!(last.starts_with("::error") && last.contains("took longer than 3 s"), "{last}");
        }
        if format == "sarif" {
            let log: Value = serde_json::from_str(text).expect("one value");
            let run = &log["runs"][0];
            assert_eq!(run["invocations"][0]["executionSuccessful"], false);
            let result = run["results"].as_array().expect("results").last().expect("one");
            assert_eq!(result["level"], "error");
            let physical = &result["locations"][0]["physicalLocation"];
            assert_eq!(physical["artifactLocation"]["uri"], "a.lv");
            let said = result["message"]["text"].as_str().expect("a text");
            assert!(said.starts_with("checking took longer than 3 s"), "{said}");
        }
    }
}

/// The source evaluator gives up with an error at its limit on free variables.
#[test]
fn the_source_evaluator_may_give_up() {
    // Each term has all variables that are bound around it.
    let count = 8500;
    let bound: String = (0..count).map(|i| format!("(let ((x{i} {i})) ")).collect();
    let used: String = (0..count).map(|i| format!("(+ x{i} ")).collect();
    let text = format!("{bound}{used}1{}", ")".repeat(2 * count));
    let place = TestFolder::with([("a.lv", &text)]);
    let render = ["render", "a.lv", "a.png", "--size", "1x1"];
    let message = "error[LV0505]: the source evaluator gave up: too many free variables";
    place.fails(&[&render[..], &["--engine", "source"]].concat(), 1, message);
}

#[test]
fn core_text_may_be_longer_than_shaders() {
    let place = TestFolder::with([("a.lv", "(* 2 (time))")]);
    place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
    let mut text = place.read("a.core");
    text.extend_from_slice(";......................................\n".repeat(1 << 19).as_bytes());
    place.write("a.core", &text);
    place.run(&["check", "a.core"]).done();
    // As shader text, the same length is too much.
    place.write("b.lv", &text["lambdav-core 1".len()..]);
    place.fails(&["check", "b.lv"], 1, "error[LV0108]: the text is longer than 16777216 bytes");
}

#[cfg(unix)]
#[test]
fn endless_input_is_not_read_for_ever() {
    let place = TestFolder::new();
    place.fails(&["check", "/dev/zero"], 1, "error[LV0108]");
    place.fails(&["diff", "/dev/zero", "/dev/zero"], 1, "`/dev/zero` is not an image");
}

#[cfg(unix)]
#[test]
fn no_memory_is_the_machines_fault() {
    let place = TestFolder::with([("a.lv", "(vec4 1)")]);
    let mut command = Command::new("sh");
    command.current_dir(place.path("")).args([
        "-c",
        "ulimit -v 2000000 && exec \"$0\" render a.lv a.png --threads 2 --size 16384x16384",
        LAMBDAV,
    ]);
    let outcome = place.finish(command);
    assert_eq!(outcome.status, 3, "{}", outcome.err);
    assert_one_error(&outcome.err, "16384x16384");
    assert!(!place.path("a.png").exists());
}

/// Each limit of the compiler has one message, whatever the threads do, and no file is left.
#[test]
fn each_limit_has_one_message() {
    let (open, close) = ("(twice ".repeat(20), ")".repeat(20));
    let tower = format!("(define (twice f) (func (x) (f (f x))))\n({open}sin{close} (time))");
    let count = "(rec-func (n) (if (> n 1e4) n (rec (+ n 1))))";
    let nested = count.replace("(+ n 1)", &format!("(+ n (- ({count} 0) 1e4))"));
    let uniforms: String = (0..16_384).map(|i| format!("(uniform u{i} num)\n")).collect();
    // Three branches in each of 7,000 functions, each inlined into the next.
    let mut branches = "(define (f0 x) x)\n".to_owned();
    for i in 1..=7_000 {
        let inner = format!("(f{} (sin x))", i - 1);
        let choice = |inner: &str, to: usize| format!("(if (< x {i}.{to}) {inner} x)");
        let body = choice(&choice(&choice(&inner, 1), 2), 3);
        branches += &format!("(define (f{i} x) {body})\n");
    }
    branches += "(f7000 (time))";
    let place = TestFolder::with([
        ("lists.lv", "(".repeat(20_001).as_str()),
        ("endless.lv", "(define (f g) (g g)) (f f)"),
        ("tower.lv", &tower),
        ("default.lv", &format!("(uniform u num ({nested} 0)) u")),
        ("uniforms.lv", &format!("{uniforms}u0")),
        ("branches.lv", &branches),
    ]);
    for (program, message) in [
        ("lists.lv", "error[LV0106]: this list is inside 20000 others, the most that can be"),
        ("endless.lv", "error[LV0501]: functions apply each other without end"),
        ("tower.lv", "error[LV0502]: the program expands to too much code"),
        ("default.lv", "error[LV0504]: the loops of this default take more than "),
        ("branches.lv", "error[LV0503]: "),
    ] {
        let mut said = Vec::new();
        for threads in ["1", "2", "7"] {
            let before = place.files();
            let outcome = place.run(&["render", program, "a.png", "--threads", threads]);
            assert_eq!((outcome.status, outcome.text()), (1, ""), "{program}");
            assert_one_error(&outcome.err, message);
            assert_eq!(place.files(), before);
            said.push(outcome.err);
        }
        assert!(said.iter().all(|err| *err == said[0]), "{said:?}");
    }
    let message = "error: SPIR-V takes at most 16383 uniforms, and the program has 16384";
    place.fails(&["compile", "uniforms.lv", "-o", "a.spv"], 1, message);
}

/// Errors beyond a limit are only counted. The last line gives the count, in JSON as well.
#[test]
fn errors_are_told_up_to_a_number() {
    let unbound: String = (0..100).map(|i| format!(" u{i}")).collect();
    let place = TestFolder::with([("a.lv", &format!("(+ 1 1{unbound})"))]);
    let told = |err: &str| err.matches("error[LV0301]").count();
    let outcome = place.run(&["check", "a.lv"]);
    assert_eq!((outcome.status, told(&outcome.err)), (1, 20));
    let last = "80 more errors are not shown; --max-errors shows more";
    assert_eq!(outcome.err.trim_end().lines().last(), Some(last));
    let outcome = place.run(&["check", "a.lv", "--max-errors", "100"]);
    assert_eq!((outcome.status, told(&outcome.err)), (1, 100));
    assert!(!outcome.err.contains("not shown"), "{}", outcome.err);
    let outcome = place.run(&["check", "a.lv", "--max-errors", "0"]);
    assert_eq!((outcome.status, told(&outcome.err)), (1, 0));
    assert_eq!(outcome.err, "100 more errors are not shown; --max-errors shows more\n");
    let json = ["check", "a.lv", "--max-errors", "3", "--message-format", "json"];
    let outcome = place.run(&json);
    let lines: Vec<Value> =
        outcome.text().lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((outcome.status, lines.len()), (1, 4));
    assert_eq!((&lines[3]["omittedErrors"], &lines[3]["omittedWarnings"]), (&97.into(), &0.into()));
    assert_eq!(lines[3]["rendered"], "97 more errors are not shown");
}

/// Each limit of expansion is named in its message.
#[test]
fn each_limit_of_expansion_has_one_message() {
    let each = |n: usize, piece: &dyn Fn(usize) -> String| (0..n).map(piece).collect::<String>();
    let calls =
        |n, argument: &dyn Fn(usize) -> String| each(n, &|i| format!(" (f {})", argument(i)));
    let head = "(define x (.x (frag-coord)))\n";
    let ones = " 1".repeat(1000);
    let steps = format!("(define (f a) (+ a{ones}))\n(+ 1 1{})", calls(1600, &|i| i.to_string()));
    let nodes = format!(
        "{head}(define (f a) (+ a{ones}))\n(+ 1 1{})",
        calls(1100, &|i| format!("(* x {i})"))
    );
    let bound = each(1000, &|i| format!("(b{i} a)"));
    let bindings =
        format!("(define (f a) (let ({bound}) b0))\n(+ 1 1{})", calls(2000, &|i| i.to_string()));
    let names = each(2000, &|i| format!(" p{i}"));
    let turned = each(2000, &|i| format!(" p{}", (i + 1) % 2000));
    let arms =
        |inner: &str| each(2000, &|i| format!("(if (> m {i}) k ")) + inner + &")".repeat(2000);
    let operands = format!(
        "{head}((rec-func (m{names}) (let ((k (rec (+ m 1){turned}))) {})) x{})",
        arms("p0"),
        each(2000, &|i| format!(" (* x {i})"))
    );
    let large = each(1000, &|i| format!(" (sin (+ n {i}))"));
    let bodies = each(1000, &|i| {
        format!(" ((rec-func (m) (if (> m {i}) (if (> m {i}.5) l m) (rec (+ m m 1)))) x)")
    });
    let copies = format!(
        "{head}(define l ((rec-func (n) (if (> n 9) n (rec (+ n 1{large})))) x))\n(+ 1 1{bodies})"
    );
    let place = TestFolder::new();
    for (name, text, message) in [
        ("steps", steps, "at most 1500000 steps of expansion are"),
        ("nodes", nodes, "at most 1000000 operations are"),
        ("bindings", bindings, "at most 2000000 arguments and bindings are"),
        ("operands", operands, "at most 3000000 operands are"),
        ("copies", copies, "at most 500000 operations and 20000000 steps are"),
    ] {
        let file = format!("{name}.lv");
        place.write(&file, text.as_bytes());
        let outcome = place.run(&["check", &file]);
        assert_eq!(outcome.status, 1, "{name}");
        assert_one_error(&outcome.err, "error[LV0502]");
        assert!(outcome.err.contains(message), "{name}: {}", outcome.err);
    }
}

/// A program too large for machine code is evaluated, with the same pixels.
#[test]
fn programs_that_are_too_large_for_machine_code_are_evaluated() {
    let names: String = (0..5000).map(|i| format!(" p{i}")).collect();
    let turned: String = (0..5000).map(|i| format!(" p{}", (i + 1) % 5000)).collect();
    let first: String = (0..5000).map(|i| format!(" (* x {i})")).collect();
    let text = format!(
        "(define x (.x (frag-coord)))\n\
         ((rec-func (m{names}) (if (> m 7) p0 (rec (+ m 1){turned}))) x{first})"
    );
    let place = TestFolder::with([("a.lv", &text)]);
    let render =
        |more: &[&str]| place.run(&[&["render", "a.lv", "a.npy", "--size", "3x2"], more].concat());
    let outcome = render(&["--stats"]);
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let why = "5003 values that a loop or a branch passes on; machine code is limited to 4096";
    assert!(outcome.err.contains(why), "{}", outcome.err);
    assert_one_error(&render(&["--engine", "simd"]).err, why);
}

/// By default the core evaluator draws such a program, since it cannot be compiled to machine code.
#[test]
fn computed_arrays_that_are_indexed_are_no_larger_in_machine_code() {
    let at = "(define t (tabulate 16385 (func (i) (* (num i) (.y (frag-coord))))))
(vec2 1
  (at t (int (.x (frag-coord)))))";
    let update = "(define t (tabulate 16385 (func (i) (* (num i) (.y (frag-coord))))))
(define set (update t (int (.x (frag-coord))) -1))
(+ (at set 3) (at set 900))";
    let place = TestFolder::with([("at.lv", at), ("update.lv", update)]);
    let size = ["--size", "2x1"];
    for (file, position) in [("at.lv", "at.lv:3:3"), ("update.lv", "update.lv:2:13")] {
        let stats = [&["render", file, "a.npy", "--stats"], &size[..]].concat();
        let outcome = place.run(&stats);
        assert_eq!(outcome.status, 0, "{}", outcome.err);
        let why = "engine: core: an index chooses from an array of 16385 words";
        assert!(outcome.err.contains(why), "{}", outcome.err);
        for engine in ["core", "source", "spirv"] {
            let render = ["render", file, "b.npy", "--engine", engine];
            place.run(&[&render[..], &size].concat()).done();
            assert_eq!(place.read("a.npy"), place.read("b.npy"), "{file} {engine}");
        }
        let render = ["render", file, "b.npy", "--engine", "simd"];
        let mut wrong = vec![[&render[..], &size].concat()];
        wrong.extend(
            ["lanes", "registers", "clif", "asm"]
                .map(|stage| vec!["compile", file, "--emit", stage]),
        );
        for arguments in wrong {
            place.fails(&arguments, 1, position);
            assert_one_error(&place.run(&arguments).err, "error[LV0506]: an index chooses from");
        }
        place.run(&["compile", file, "--emit", "spirv-text"]).done();
    }
}
