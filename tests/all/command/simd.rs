//! Machine code on the command line: lanes, statistics, stages of the compilation.

use super::harness::TestFolder;
use lambdav_simd_backend::Target;
use std::collections::BTreeMap;

const PROGRAM: &str = "(output 0 (vec3 (sin (.x (frag-coord)))
  ((rec-func (i) (if (less i (.y (frag-coord))) (rec (+ i 1)) i)) 0) 1))
(output 3 (time))";

#[test]
fn the_image_does_not_depend_on_the_engine_or_the_lanes() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    let options: [&[&str]; 7] = [
        &["--engine", "core"],
        &[],
        &["--lanes", "1"],
        &["--lanes", "4"],
        &["--lanes", "8", "--engine", "simd"],
        &["--lanes", "16", "--threads", "3"],
        &["--lanes", "32"],
    ];
    let images = options.map(|options| {
        let arguments = [&["render", "a.lv", "a.npy", "--size", "37x11"], options].concat();
        place.run(&arguments).done();
        place.read("a.npy")
    });
    assert!(images.iter().all(|image| *image == images[0]));
}

#[test]
fn lanes_are_1_4_8_16_32_or_64_and_of_machine_code() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    for lanes in ["0", "2", "128", "-1", "many"] {
        let arguments = ["render", "a.lv", "a.png", "--lanes", lanes];
        let outcome = place.run(&arguments);
        assert_eq!(outcome.status, 2, "{lanes}");
        assert!(outcome.err.contains("--lanes"), "{}", outcome.err);
    }
    let outcome = place.run(&["render", "a.lv", "a.png", "--lanes", "4", "--engine", "core"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.contains("for the engine `simd`"), "{}", outcome.err);
}

/// Machine code of each target can be shown on every machine, and executed on machines with that target.
#[test]
fn targets_have_names() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.run(&["render", "a.lv", "any.npy", "--size", "37x11"]).done();
    let here: Vec<&str> = Target::here().collect();
    for name in Target::names() {
        let arguments = ["render", "a.lv", "a.npy", "--size", "37x11", "--target", name];
        if here.contains(&name) {
            place.run(&arguments).done();
            assert_eq!(place.read("a.npy"), place.read("any.npy"), "{name}");
            says(&stats(PROGRAM, &["--target", name]), "target", &[name, "asked for"]);
        } else {
            place.fails(&arguments, 1, "which this machine lacks; it has baseline");
        }
        let shown = place.run(&["compile", "a.lv", "--emit", "asm", "--target", name]).done();
        let widest = match name {
            "avx512" => "zmm",
            "avx2" | "avx512-256" => "ymm",
            _ => "; row",
        };
        assert!(shown.text().contains(widest), "{name}: {}", shown.text());
    }
    let narrow = stats(PROGRAM, &["--lanes", "4"]);
    says(&narrow, "target", &["baseline"]);
    place.fails(&["render", "a.lv", "a.npy", "--target", "mmx"], 2, "`mmx` is none of baseline");
    let core = ["render", "a.lv", "a.npy", "--target", "baseline", "--engine", "core"];
    place.fails(&core, 2, "--target is for the engine `simd`");
}

/// The lines of `--stats`, by their subjects.
fn stats(program: &str, options: &[&str]) -> BTreeMap<String, String> {
    let place = TestFolder::with([("a.lv", program)]);
    let arguments = [&["render", "a.lv", "a.png", "--stats"], options].concat();
    let outcome = place.run(&arguments);
    assert_eq!((outcome.status, outcome.out.len()), (0, 0), "{}", outcome.err);
    let lines = outcome.err.lines();
    let split = |line: &str| {
        let (about, text) = line.split_once(": ").expect("every line is about something");
        (about.trim().to_owned(), text.trim().to_owned())
    };
    lines.map(split).collect()
}

#[track_caller]
fn says(stats: &BTreeMap<String, String>, about: &str, parts: &[&str]) {
    let text = stats.get(about).unwrap_or_else(|| panic!("nothing about {about}: {stats:?}"));
    for part in parts {
        assert!(text.contains(part), "{about}: {part}: {text}");
    }
}

#[test]
fn statistics_say_how_long_and_what() {
    let stats = stats(PROGRAM, &["--lanes", "16"]);
    says(&stats, "read and check", &["ms", "parse ", "resolve ", "elaborate "]);
    let stages = ["ms", "schedule ", "lane program ", "register program ", "machine code "];
    says(&stats, "compile", &stages);
    says(&stats, "render", &["ms", "ns per pixel"]);
    says(&stats, "sample lanes", &["ms"]);
    says(&stats, "write", &["ms"]);
    says(&stats, "code", &["bytes", "of stack"]);
    says(&stats, "lanes", &["16, groups of 4x4 pixels", "asked for"]);
    says(&stats, "active", &["% of lanes on average", "64 groups"]);
}

#[test]
fn statistics_say_what_there_is_of_other_engines_and_texts() {
    for engine in ["core", "source", "spirv"] {
        let stats = stats("(vec3 (.x (frag-coord)) 0 1)", &["--engine", engine]);
        let about: Vec<&str> = stats.keys().map(String::as_str).collect();
        assert_eq!(about, ["compile", "read and check", "render", "write"], "{engine}");
    }
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
    let core = String::from_utf8(place.read("a.core")).expect("core text is UTF-8");
    let stats = stats(&core, &[]);
    says(&stats, "compile", &["machine code"]);
    assert!(!stats["read and check"].contains("parse"), "{stats:?}");
}

#[test]
fn statistics_say_why_there_are_so_many_lanes() {
    let baseline = ["--target", "baseline"];
    let lanes = |program: &str, parts: &[&str]| says(&stats(program, &baseline), "lanes", parts);
    lanes("(* (.x (frag-coord)) (.y (frag-coord)))", &["16, groups of 4x4", "mostly varying: 1 "]);
    let counted =
        "((rec-func (i s) (if (less i 9) (rec (+ i 1) (+ s (sin i))) s)) 0 (.x (frag-coord)))";
    lanes(counted, &["32, groups of 8x4", "mostly uniform"]);
    let terms: String =
        (0..1000).map(|i| format!("(define a{} (+ (* a{i} x) {i}.5))", i + 1)).collect();
    let large =
        format!("(define x (.x (frag-coord))) (define a0 (* x (.y (frag-coord)))) {terms} a1000");
    lanes(&large, &["8, groups of 4x2", "8004 register instructions at 16 lanes, more than 5000"]);
}

#[test]
fn statistics_say_how_many_lanes_are_active() {
    let share = |program: &str| -> u32 {
        let active = &stats(program, &["--lanes", "16"])["active"];
        let (share, _) = active.split_once(" %").expect("a share of lanes");
        share.parse().expect("a number")
    };
    assert_eq!(share("(sin (* (.x (frag-coord)) (.y (frag-coord))))"), 100);
    let half = "(if (less (mod (.x (frag-coord)) 2) 1)
      (sin (exp (sin (* (.x (frag-coord)) (.y (frag-coord)))))) 0)";
    assert!((50..65).contains(&share(half)), "{}", share(half));
    let none = stats("(sin (time))", &[]);
    says(&none, "active", &["nothing is computed in lanes"]);
}

#[test]
fn each_stage_can_be_shown() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    for (stage, part) in [
        ("lanes", "loop #0"),
        ("registers", "groups of 4×2 pixels"),
        ("clif", "block0"),
        ("asm", "; row"),
    ] {
        let arguments = ["compile", "a.lv", "--emit", stage, "--lanes", "8"];
        let shown = place.run(&arguments).done();
        assert!(shown.text().contains(part), "{stage}: {}", shown.text());
        let other = place.run(&[&arguments[..], &["--output", "3"]].concat()).done();
        assert_ne!(shown.text(), other.text(), "{stage} of another output");
        place.run(&[&arguments[..], &["-o", "a.txt"]].concat()).done();
        assert_eq!(place.read("a.txt"), shown.out);
    }
    let none = ["compile", "a.lv", "--emit", "asm", "--output", "1"];
    place.fails(&none, 2, "no output 1");
    let core = ["compile", "a.lv", "--emit", "core", "--output", "0"];
    place.fails(&core, 2, "--output");
}

#[test]
fn loops_that_nest_too_deeply_are_left_to_the_evaluator() {
    let (open, close) = ("((rec-func (n) (if (< n 1) (rec (+ n 1)) (- n 1))) ", ")");
    let inside = "((rec-func (n) (if (< n 1) (rec (+ n 1)) ".repeat(300);
    let program = format!("{open}{inside}(time){}{close}", ")) 0)".repeat(300));
    let place = TestFolder::with([("a.lv", program.as_str())]);
    place.run(&["render", "a.lv", "a.npy", "--size", "3x2"]).done();
    place.run(&["render", "a.lv", "b.npy", "--size", "3x2", "--engine", "core"]).done();
    assert_eq!(place.read("a.npy"), place.read("b.npy"));
    let said = stats(&program, &["--size", "3x2"]);
    says(&said, "engine", &["core: loops nest 300 deep"]);
    let simd = ["render", "a.lv", "c.npy", "--size", "3x2", "--engine", "simd"];
    place.fails(&simd, 1, "deep; machine code is limited to 200; --engine core");
}
