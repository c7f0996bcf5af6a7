//! `--bind`: files as buffers, on every engine, and errors in files.

use super::harness::TestFolder;

const LIGHTS: &str = "(struct Light (at vec2) (on bool) (turn mat2) (cells (array 2 int)))
    (buffer heights num)
    (buffer lights Light)
    (buffer spots vec3)
    (define p (int (.xy (frag-coord))))
    (define light (at lights (.x p)))
    (vec4 (if (.on light) (at heights (- (.x p) 1i)) (.y (.at light)))
          (num (at (.cells light) (.y p)))
          (.x (* (.turn light) (vec2 1 10)))
          (.z (at spots (* 1000i (.x p)))))";

const LIST: &str = r#"[{"at": [1, 2], "on": true, "turn": [[1, 0], [2, 1]], "cells": [-3, 4]},
    {"at": [3, 4], "on": 0, "turn": [1, 2, 3, 4], "cells": [5, 6]}]"#;

const ENGINES: [&str; 4] = ["simd", "core", "source", "spirv"];

/// An NPY file with this dtype, shape and data.
fn npy(dtype: &str, shape: &str, words: &[[u8; 4]]) -> Vec<u8> {
    let header = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': {shape}, }}\n");
    let length = (header.len() as u16).to_le_bytes();
    [b"\x93NUMPY\x01\0", &length[..], header.as_bytes(), words.as_flattened()].concat()
}

fn place() -> TestFolder {
    let place = TestFolder::with([("lights.lv", LIGHTS), ("lights.json", LIST)]);
    place.write("heights.npy", npy("<f4", "(3,)", &[0.5_f32, 0.25, 0.125].map(f32::to_le_bytes)));
    let spots = [1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0].map(f32::to_be_bytes);
    place.write("spots.npy", npy(">f4", "(2, 3)", &spots));
    place
}

const BOUND: [&str; 8] = [
    "--size",
    "3x2",
    "--bind",
    "heights=heights.npy",
    "--bind",
    "lights=lights.json",
    "--bind",
    "spots=spots.npy",
];

/// Programs, core text and modules take the same files, except that modules have no bools.
#[test]
fn files_are_elements() {
    let place = place();
    let wanted = [
        [0.5, -3.0, 21.0, 3.0],
        [4.0, 5.0, 31.0, 6.0],
        [4.0, 5.0, 31.0, 6.0],
        [0.5, 4.0, 21.0, 3.0],
        [4.0, 6.0, 31.0, 6.0],
        [4.0, 6.0, 31.0, 6.0],
    ];
    for engine in ENGINES {
        let options = ["render", "lights.lv", "a.npy", "--engine", engine];
        place.run(&[&options[..], &BOUND].concat()).done();
        assert_eq!(place.frame("a.npy").pixels(), wanted, "{engine}");
    }
    place.run(&["compile", "lights.lv", "--emit", "core", "-o", "lights.core"]).done();
    place.run(&[&["render", "lights.core", "b.npy"][..], &BOUND].concat()).done();
    assert_eq!(place.frame("b.npy").pixels(), wanted);
    place.run(&["compile", "lights.lv", "-o", "lights.spv"]).done();
    // The raised module has the same elements, but numbers for bools, which do not exist in memory.
    let elements = r#"[{"at": [1, 2], "on": 1, "turn": [1, 0, 2, 1], "cells": [-3, 4]},
        {"at": [3, 4], "on": 0, "turn": [1, 2, 3, 4], "cells": [5, 6]}]"#;
    place.write("lights.json", elements);
    place.run(&[&["render", "lights.spv", "c.npy"][..], &BOUND].concat()).done();
    assert_eq!(place.frame("c.npy").pixels(), wanted);
    let words = ["render", "lights.spv", "d.npy", "--engine", "spirv"];
    place.run(&[&words[..], &BOUND].concat()).done();
    assert_eq!(place.frame("d.npy").pixels(), wanted);
    for stage in ["lanes", "registers", "asm"] {
        let options = ["compile", "lights.lv", "--emit", stage];
        place.write("lights.json", LIST);
        place.run(&[&options[..], &BOUND[2..]].concat()).done();
    }
}

/// `inspect` prints the layout that a host program needs.
#[test]
fn a_host_program_is_told_the_layout() {
    let place = place();
    let text = place.run(&["inspect", "lights.lv"]).done();
    for line in [
        "set 0 binding 1: storage buffer heights",
        "f32[] elements, elements 4 bytes apart",
        "set 0 binding 2: storage buffer lights",
        "Light[] elements, elements 40 bytes apart",
        "16  mat2 elements[].turn, columns 8 bytes apart",
        "vec3[] elements, elements 16 bytes apart",
    ] {
        assert!(text.text().contains(line), "{line}: {}", text.text());
    }
}

#[test]
fn what_is_wrong_with_a_file_is_said() {
    let place = place();
    let unbound = "error[LV0507]: the buffer `heights` is not bound";
    for engine in ENGINES {
        place.fails(&["render", "lights.lv", "b.png", "--engine", engine], 1, unbound);
    }
    let text = place.run(&["compile", "lights.lv", "--emit", "lanes"]).done();
    assert!(text.text().contains("resource.0.last"), "{}", text.text());
    place.run(&["compile", "lights.lv", "-o", "lights.spv"]).done();
    place.fails(&["render", "lights.spv", "b.png"], 1, "error[LV0507]: the buffer `");
    let words = ["render", "lights.spv", "b.png", "--engine", "spirv"];
    place.fails(&words, 1, "error[LV0507]: the buffer `");
    place.write("empty.json", "[]");
    place.write("many.json", "[1, 2, x]");
    place.write("wide.npy", npy("<f8", "(1,)", &[[0; 4]; 2]));
    place.write("pairs.npy", npy("<f4", "(2, 2)", &[[0; 4]; 4]));
    place.write("huge.npy", npy("<f4", "(1000000000000,)", &[[0; 4]]));
    place.write("short.npy", npy("<f4", "(9,)", &[[0; 4]]));
    place.write("cut.npy", b"\x93NUMPY\x01");
    place.write("bytes", [0xff, 0xfe, 0x00]);
    for (file, message) in [
        ("empty.json", "`empty.json`: the buffer `heights`: a buffer has at least one element"),
        ("many.json", "the buffer `heights`: expected value (line 1, column 8)"),
        ("lights.json", "element 0: a num is one value, not `{"),
        ("wide.npy", "of dtype \"<f8\", and elements of type num are of float32 (`<f4`)"),
        ("pairs.npy", "shape [2, 2] holds no elements of type num, which need the shape (n,)"),
        ("huge.npy", "1000000000000 words are too many"),
        ("short.npy", "the file ends too early"),
        ("cut.npy", "cut.npy"),
        ("bytes", "neither NPY nor JSON"),
    ] {
        let bind = format!("heights={file}");
        place.fails(&["render", "lights.lv", "b.png", "--bind", &bind], 1, message);
    }
    let spots = ["render", "lights.lv", "b.png", "--bind", "lights=spots.npy"];
    place.fails(&spots, 1, "have components of several kinds; give them as JSON");
    let missing = ["render", "lights.lv", "b.png", "--bind", "heights=none.npy"];
    place.fails(&missing, 2, "none.npy");
}

/// Ten thousand buffers: all are bound, or the first unbound one is named.
#[test]
fn ten_thousand_bindings() {
    let count = 10_000;
    let declared: String = (0..count).map(|k| format!("(buffer b{k} num)\n")).collect();
    let place = TestFolder::with([("a.json", "[1, 2]")]);
    place.write("many.lv", declared + "(+ (at b0 0) (at b9999 (size-of b7)))");
    let mut options: Vec<String> =
        ["render", "many.lv", "b.npy", "--size", "2x1"].map(str::to_owned).into();
    for k in 0..count {
        options.extend(["--bind".to_owned(), format!("b{k}=a.json")]);
    }
    place.run(&options).done();
    assert_eq!(place.frame("b.npy").pixel(1, 0), Some([3.0, 0.0, 0.0, 1.0]));
    options.truncate(options.len() - 2);
    place.fails(&options, 1, "error[LV0507]: the buffer `b9999` is not bound");
}
