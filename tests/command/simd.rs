//! What is about machine code in the command: lanes, statistics, stages of the compilation.

use crate::harness::Place;

const PROGRAM: &str = "(output 0 (vec3 (sin (.x (frag-coord)))
  ((rec-func (i) (if (less i (.y (frag-coord))) (rec (+ i 1)) i)) 0) 1))
(output 3 (time))";

#[test]
fn the_image_does_not_depend_on_the_engine_or_the_lanes() {
    let place = Place::with([("a.lv", PROGRAM)]);
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
fn lanes_are_1_4_8_16_or_32_and_of_machine_code() {
    let place = Place::with([("a.lv", PROGRAM)]);
    for lanes in ["0", "2", "64", "-1", "many"] {
        let arguments = ["render", "a.lv", "a.png", "--lanes", lanes];
        let outcome = place.run(&arguments);
        assert_eq!(outcome.status, 2, "{lanes}");
        assert!(outcome.err.contains("--lanes"), "{}", outcome.err);
    }
    let outcome = place.run(&["render", "a.lv", "a.png", "--lanes", "4", "--engine", "core"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.contains("for the engine `simd`"), "{}", outcome.err);
}

#[test]
fn statistics_say_how_long_and_what() {
    let place = Place::with([("a.lv", PROGRAM)]);
    let arguments = ["render", "a.lv", "a.png", "--stats", "--lanes", "16", "--size", "8x8"];
    let outcome = place.run(&arguments);
    assert_eq!((outcome.status, outcome.out.len()), (0, 0));
    for part in ["read and check", "compile", "render", "ns per pixel", "write", "16 lanes"] {
        assert!(outcome.err.contains(part), "{part}: {}", outcome.err);
    }
}

#[test]
fn each_stage_can_be_shown() {
    let place = Place::with([("a.lv", PROGRAM)]);
    for (stage, part) in [
        ("lanes", "loop #0"),
        ("registers", "groups of 4×2 pixels"),
        ("clif", "function"),
        ("asm", "; row"),
    ] {
        let arguments = ["compile", "a.lv", "--emit", stage, "--lanes", "8"];
        let shown = place.run(&arguments).done();
        assert!(shown.text().contains(part), "{stage}: {}", shown.text());
        let other = place.run(&[&arguments[..], &["--location", "3"]].concat()).done();
        assert_ne!(shown.text(), other.text(), "{stage} of another output");
        place.run(&[&arguments[..], &["-o", "a.txt"]].concat()).done();
        assert_eq!(place.read("a.txt"), shown.out);
    }
    let none = ["compile", "a.lv", "--emit", "asm", "--location", "1"];
    place.fails(&none, 2, "no output 1");
    let core = ["compile", "a.lv", "--emit", "core", "--location", "0"];
    place.fails(&core, 2, "--location");
}

#[test]
fn loops_that_nest_too_deeply_are_left_to_the_evaluator() {
    let (open, close) = ("((rec-func (n) (if (< n 1) (rec (+ n 1)) (- n 1))) ", ")");
    let inside = "((rec-func (n) (if (< n 1) (rec (+ n 1)) ".repeat(300);
    let program = format!("{open}{inside}(time){}{close}", ")) 0)".repeat(300));
    let place = Place::with([("a.lv", program.as_str())]);
    place.run(&["render", "a.lv", "a.npy", "--size", "3x2"]).done();
    place.run(&["render", "a.lv", "b.npy", "--size", "3x2", "--engine", "core"]).done();
    assert_eq!(place.read("a.npy"), place.read("b.npy"));
    let simd = ["render", "a.lv", "c.npy", "--size", "3x2", "--engine", "simd"];
    place.fails(&simd, 1, "deep, and machine code is made of at most 200; --engine core");
}
