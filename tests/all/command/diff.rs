//! `lambdav diff`: its report on two images, and its exit status.

use super::harness::{CommandOutcome, TestFolder, assert_one_error};
use lambdav_image::AnyImage;
use serde_json::{Value, json};
use std::fs;

/// A folder with pictures of 8x4 pixels, each drawn by a shader.
fn pictures<const N: usize>(pictures: [(&str, &str); N]) -> TestFolder {
    let place = TestFolder::new();
    for (name, shader) in pictures {
        let arguments = ["render", "-", name, "--size", "8x4", "--depth", "8"];
        let arguments = if name.ends_with(".png") { &arguments[..] } else { &arguments[..5] };
        // A note may report NaN.
        assert_eq!(place.run_with(arguments, shader).status, 0);
    }
    place
}

/// Grey, with one pixel that is lighter by `more`.
fn spot(more: &str) -> String {
    format!(
        "(define p (.xy (frag-coord)))
         (define here (and (= (.x p) 5.5) (= (.y p) 2.5)))
         (vec3 0.5 (+ 0.5 (if here {more} 0)) 0.5)"
    )
}

#[track_caller]
fn different(outcome: &CommandOutcome, parts: &[&str]) {
    assert_eq!((outcome.status, outcome.err.as_str()), (1, ""));
    says(outcome, parts);
}

#[track_caller]
fn says(outcome: &CommandOutcome, parts: &[&str]) {
    let text = outcome.text();
    for part in parts {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn equal_images_are_equal_in_any_format() {
    let shader = "(/ (frag-coord) 8)";
    let place = pictures([("a.png", shader), ("a.exr", shader), ("a.npy", shader)]);
    for (a, b, how) in [
        ("a.png", "a.png", "8-bit UNORM"),
        ("a.exr", "a.npy", "binary32"),
        ("a.npy", "a.png", "8-bit UNORM"),
    ] {
        let outcome = place.run(&["diff", a, b]).done();
        assert_eq!(outcome.text(), format!("identical: 8x4 pixels compared as {how}\n"));
    }
    let outcome = place.run_with(&["diff", "-", "a.npy"], place.read("a.exr")).done();
    assert!(outcome.text().starts_with("identical"));
}

#[test]
fn integer_images_differ_by_levels() {
    let place = pictures([("a.png", &spot("0")), ("b.png", &spot("0.1"))]);
    different(
        &place.run(&["diff", "a.png", "b.png"]),
        &[
            "different: 8x4 pixels compared as 8-bit UNORM\n",
            "differing pixels: 1 of 32 (3.1250 %)\n",
            "first: (5, 2), (128, 128, 128, 255) against (128, 153, 128, 255)\n",
            "largest: 25 levels of 8 bits at (5, 2)\n",
            "   16: 1\n   32: 0\n",
        ],
    );
}

#[test]
fn float_images_differ_by_ulps() {
    // 1/2, its neighbour 2^-24 above it, and a number 4 such steps above it.
    let place = pictures([
        ("a.npy", &spot("0")),
        ("b.npy", &spot("5.9604645e-8")),
        ("c.npy", &spot("2.3841858e-7")),
        ("nan.npy", &spot("(/ 0 0)")),
    ]);
    different(
        &place.run(&["diff", "a.npy", "b.npy"]),
        &["differing pixels: 1 of 32", "largest: 1 ULP at (5, 2)\n", "\n  0: 127\n  1: 1\n"],
    );
    different(
        &place.run(&["diff", "a.npy", "c.npy"]),
        &["largest: 4 ULP at (5, 2)\n", "samples by distance in ULP:\n  0: 127\n  3-4: 1\n"],
    );
    different(&place.run(&["diff", "a.npy", "nan.npy"]), &["differing pixels: 1", "NaN"]);
    place.run(&["diff", "nan.npy", "nan.npy"]).done();
}

#[test]
fn a_tolerance_is_in_levels_of_8_bits() {
    let place = pictures([("a.png", &spot("0")), ("b.png", &spot("0.1"))]);
    let outcome = place.run(&["diff", "a.png", "b.png", "--tolerance", "25"]).done();
    says(&outcome, &["same within the tolerance", "beyond what is allowed: 0\n", "   16: 1\n"]);
    let outcome = place.run(&["diff", "a.png", "b.png", "--tolerance", "24.5"]);
    different(&outcome, &["different: 8x4 pixels"]);
}

#[test]
fn the_heat_map_is_black_where_images_are_equal() {
    let place = pictures([("a.npy", &spot("0")), ("b.npy", &spot("0.1"))]);
    let outcome = place.run(&["diff", "a.npy", "b.npy", "--out", "heat.png"]);
    different(&outcome, &["differing pixels: 1"]);
    let AnyImage::Unorm8(heat) = place.image("heat.png") else { panic!("8 bits") };
    for (index, &[r, g, b, a]) in heat.pixels().iter().enumerate() {
        let lit = [r, g, b] != [0, 0, 0];
        assert_eq!((lit, a), (index == 2 * 8 + 5, 255), "pixel {index}");
    }
    place.run(&["diff", "a.npy", "a.npy", "--out", "black.png"]).done();
    let AnyImage::Unorm8(heat) = place.image("black.png") else { panic!("8 bits") };
    assert!(heat.pixels().iter().all(|p| *p == [0, 0, 0, 255]));
}

#[test]
fn sizes_must_agree() {
    let place = pictures([("a.png", "1")]);
    place.run_with(&["render", "-", "b.png", "--size", "4x8"], "1").done();
    let outcome = place.run(&["diff", "a.png", "b.png"]);
    different(&outcome, &["different: 8x4 pixels against 4x8\n"]);
    let outcome = place.run(&["diff", "a.png", "b.png", "--out", "heat.png"]);
    assert_eq!(outcome.status, 1);
    assert_one_error(&outcome.err, "images of different sizes have no heat map");
    assert!(!place.path("heat.png").exists());
}

#[test]
fn what_is_no_image_is_refused() {
    let place = pictures([("a.png", "1"), ("a.npy", "1"), ("a.exr", "1")]);
    place.write("text", "(vec4 1)");
    place.write("empty", "");
    for name in ["text", "empty"] {
        let message = format!("`{name}` is not an image that can be read: not a file of the");
        place.fails(&["diff", name, "a.png"], 1, &message);
        place.fails(&["diff", "a.png", name], 1, &message);
    }
    for name in ["a.png", "a.npy", "a.exr"] {
        let whole = place.read(name);
        place.write("cut", &whole[..whole.len() * 2 / 3]);
        place.fails(&["diff", "cut", name], 1, "`cut` is not an image that can be read: ");
    }
    // A header that declares an impossibly large image.
    let mut huge = place.read("a.npy");
    let shape = huge.windows(9).position(|w| w == b"(4, 8, 4)").expect("the shape is there");
    huge[shape..shape + 9].copy_from_slice(b"(9999999)");
    place.write("huge.npy", huge);
    place.fails(&["diff", "huge.npy", "a.npy"], 1, "`huge.npy` is not an image that can be read");
}

#[test]
fn wrong_options_are_refused() {
    let place = pictures([("a.png", "1"), ("b.png", "0")]);
    place.fails(&["diff", "a.png"], 2, "<B>");
    place.fails(&["diff", "a.png", "none.png"], 2, "cannot read `none.png`");
    place.fails(&["diff", "a.png", "."], 2, "`.` is a folder, and `a.png` is not");
    place.fails(&["diff", "-", "-"], 2, "`-`, can be given only once");
    for tolerance in ["x", "-1", "256", "nan"] {
        let arguments = ["diff", "a.png", "b.png", "--tolerance", tolerance];
        place.fails(&arguments, 2, "a tolerance is a number from 0 to 255");
    }
    for (out, message) in [
        ("heat.exr", "let the name `heat.exr` end in .png"),
        ("none/heat.png", "cannot write `none/heat.png`: there is no folder `none`"),
        (".", "cannot write `.`: it is a folder"),
    ] {
        place.fails(&["diff", "a.png", "b.png", "--out", out], 2, message);
    }
}

/// Options for allowed differences.
#[test]
fn more_or_less_may_differ() {
    let place = pictures([("a.png", &spot("0")), ("b.png", &spot("0.1"))]);
    let with = |more: &[&str]| {
        let outcome = place.run(&[&["diff", "a.png", "b.png"], more].concat());
        assert_eq!(outcome.err, "");
        outcome.status
    };
    assert_eq!(with(&[]), 1);
    assert_eq!(with(&["--max-pixels", "1"]), 0);
    assert_eq!(with(&["--max-pixels", "3%"]), 1);
    assert_eq!(with(&["--max-pixels", "3.2%"]), 0);
    assert_eq!(with(&["--tolerance", "0,25,0,0"]), 0);
    assert_eq!(with(&["--tolerance", "25,24,25,25"]), 1);
    assert_eq!(with(&["--ignore", "5,2,1,1"]), 0);
    assert_eq!(with(&["--ignore", "0,0,5,4", "--ignore", "6,0,9,9"]), 1);
    for (option, value, message) in [
        ("--max-pixels", "-1", "neither a number of pixels nor a share"),
        ("--max-pixels", "101%", "neither a number of pixels nor a share"),
        ("--ignore", "1,2,3", "a rectangle is four whole numbers"),
        ("--tolerance", "1,2", "four of them: R,G,B,A"),
        ("--max-ulp", "3", "compared as 8-bit UNORM, which has no ULP"),
    ] {
        place.fails(&["diff", "a.png", "b.png", option, value], 2, message);
    }
    let place = pictures([("a.npy", &spot("0")), ("b.npy", &spot("2.3841858e-7"))]);
    different(&place.run(&["diff", "a.npy", "b.npy", "--max-ulp", "3"]), &["4 ULP at (5, 2)"]);
    place.run(&["diff", "a.npy", "b.npy", "--max-ulp", "4"]).done();
}

#[test]
fn what_may_have_happened_is_said() {
    let slope = "(/ (frag-coord) 8)";
    let place = pictures([("a.npy", slope), ("b.npy", "(define p (/ (frag-coord) 8)) (.yxzw p)")]);
    let outcome = place.run(&["diff", "a.npy", "b.npy"]);
    different(&outcome, &["of the second image: its channels R, G, B, A are GRBA of the first\n"]);
    let outcome = place.run(&["diff", "a.npy", "b.npy", "--quiet"]);
    assert_eq!((outcome.status, outcome.text(), outcome.err.as_str()), (1, "", ""));
}

#[test]
fn programs_get_json() {
    let place = pictures([("a.npy", &spot("0")), ("b.npy", &spot("(/ 0 0)"))]);
    let outcome = place.run(&["diff", "a.npy", "b.npy", "--message-format", "json"]);
    assert_eq!((outcome.status, outcome.text().lines().count()), (1, 1));
    let object: Value = serde_json::from_str(outcome.text()).expect("it is JSON");
    assert_eq!(object["verdict"], "different");
    assert_eq!((&object["a"], &object["b"]), (&json!("a.npy"), &json!("b.npy")));
    assert_eq!((&object["unit"], &object["size"]), (&json!("ULP"), &json!([8, 4])));
    assert_eq!((&object["differing_pixels"], &object["rmse"]), (&json!(1), &json!("inf")));
    let first = json!({"x": 5, "y": 2, "a": [0.5, 0.5, 0.5, 1.0], "b": [0.5, "NaN", 0.5, 1.0]});
    assert_eq!(object["first"], first);
    assert_eq!(object["findings"][0]["kind"], "nans-appeared");
    place.run_with(&["render", "-", "small.png", "--size", "4x4"], "1").done();
    let outcome = place.run(&["diff", "small.png", "a.npy", "--message-format", "json"]);
    let object: Value = serde_json::from_str(outcome.text()).expect("it is JSON");
    assert_eq!(object["sizes"], json!([[4, 4], [8, 4]]));
}

#[test]
fn folders_are_compared_by_names() {
    let place = pictures([("a.png", &spot("0")), ("b.png", &spot("0.1"))]);
    for folder in ["one/deep", "two/deep", "none"] {
        fs::create_dir_all(place.path(folder)).expect("it can be made");
    }
    let (a, b) = (place.read("a.png"), place.read("b.png"));
    for (name, bytes) in [("one/same.png", &a), ("two/same.png", &a), ("one/deep/x.png", &a)] {
        place.write(name, bytes);
    }
    place.write("two/deep/x.png", &b);
    place.write("two/more.png", &b);
    place.write("two/notes.txt", "no image");
    let outcome = place.run(&["diff", "one", "two", "--out", "heat"]);
    assert_eq!((outcome.status, outcome.err.as_str()), (1, ""));
    assert_eq!(
        outcome.text(),
        "deep/x.png: different: 1 of 32 pixels, by up to 25 levels of 8 bits, first at (5, 2); \
         only G differs\n\
         more.png: only in two\n\
         same.png: identical\n\
         1 the same, 1 different, 1 in one folder only\n"
    );
    assert_eq!(place.image("heat/deep/x.png").size().to_string(), "8x4");
    assert!(!place.path("heat/same.png").exists());
    let outcome = place.run(&["diff", "one", "two", "--message-format", "json"]);
    let names: Vec<Value> = outcome
        .text()
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("it is JSON")["name"].clone())
        .collect();
    assert_eq!(names, ["deep/x.png", "more.png", "same.png"]);
    place.run(&["diff", "one", "one"]).done();
    place.fails(&["diff", "none", "none"], 1, "there are no images in `none` and `none`");
    place.fails(&["diff", "one", "a.png"], 2, "`one` is a folder, and `a.png` is not");
}

/// Formats of other programs, as first and as second image.
#[test]
fn formats_of_other_programs() {
    let place = pictures([("a.png", &spot("0"))]);
    // A PPM file: its header, then its pixels.
    let AnyImage::Unorm8(image) = place.image("a.png") else { panic!("8 bits") };
    let mut ppm = b"P6 8 4 255\n".to_vec();
    ppm.extend(image.pixels().iter().flat_map(|&[r, g, b, _]| [r, g, b]));
    place.write("a.ppm", &ppm);
    place.run(&["diff", "a.png", "a.ppm"]).done();
    *ppm.last_mut().expect("there are pixels") ^= 1;
    place.write("b.ppm", &ppm);
    different(
        &place.run(&["diff", "b.ppm", "a.png"]),
        &["of the second image: one bit differs: bit 0 of B at (7, 3)\n"],
    );
    place.write("cut.ppm", &ppm[..20]);
    place.fails(&["diff", "cut.ppm", "a.png"], 1, "`cut.ppm` is not an image that can be read");
}

/// A disc in λV, WGSL and GLSL. Only the first has an unused uniform.
const DISCS: [(&str, &str); 3] = [
    (
        "disc.lv",
        "(uniform radius num 0.5)
         (uniform unused num 1)
         (define p (- (* 2 (/ (.xy (frag-coord)) (resolution))) 1))
         (vec4 (step (dot p p) radius) (vec2 0.25) 1)",
    ),
    (
        "disc.wgsl",
        "struct Disc { radius: f32 }
         @group(0) @binding(0) var<uniform> disc: Disc;
         @fragment fn main(@location(0) uv: vec2f) -> @location(0) vec4f {
             let p = 2 * uv - 1;
             return vec4f(step(p.x * p.x + p.y * p.y, disc.radius), 0.25, 0.25, 1);
         }",
    ),
    (
        "disc.frag",
        "#version 450
         layout(set = 0, binding = 0) uniform Disc { float radius; };
         layout(location = 0) in vec2 at;
         layout(location = 0) out vec4 colour;
         void main() {
             vec2 p = 2.0 * at - 1.0;
             colour = vec4(p.x * p.x + p.y * p.y < radius, 0.25, 0.25, 1);
         }",
    ),
];

#[test]
#[cfg(feature = "foreign")]
fn programs_are_drawn_with_the_same_inputs() {
    let place = TestFolder::with(DISCS);
    let all = ["disc.lv", "disc.wgsl", "disc.frag"];
    for (a, b) in all.into_iter().flat_map(|a| all.map(|b| (a, b))) {
        let arguments = ["diff", "--run", a, b, "--size", "9x7", "--set", "radius=0.7"];
        // λV shaders have no location inputs.
        let input = ["--input", "0=uv"];
        let input = if [a, b] == ["disc.lv"; 2] { &[][..] } else { &input };
        let outcome = place.run(&[&arguments[..], input].concat()).done();
        assert_eq!(outcome.text(), "identical: 9x7 pixels compared as binary32\n", "{a} {b}");
    }
    // A module has no defaults of its own, and takes the defaults of the λV shader.
    let arguments = ["diff", "--run", "disc.wgsl", "disc.lv", "--size", "9x7", "--input", "0=uv"];
    says(&place.run(&arguments).done(), &["identical"]);
    // A setting that one program does not know applies to the other.
    let unused = [&arguments[..], &["--set", "unused=3"]].concat();
    says(&place.run(&unused).done(), &["identical"]);
    // Without `--input`, the input is 0 instead of the coordinate.
    let outcome = place.run(&arguments[..6]);
    says(&outcome, &["different: 9x7 pixels compared as binary32", "first: (3, 1), (0, 0.25"]);
    let note = "note: `disc.wgsl`: `uv` is 0; --set gives it a value\n";
    assert_eq!((outcome.status, outcome.err.as_str()), (1, note));
    // λV against its own module.
    place.run(&["compile", "disc.lv", "-o", "disc.spv"]).done();
    for engine in ["simd", "core", "spirv"] {
        let words = ["diff", "--run", "disc.lv", "disc.spv", "--size", "8x8", "--engine", engine];
        says(&place.run(&words).done(), &["identical"]);
    }
}

#[test]
fn two_programs_differ_in_a_bit() {
    let place = TestFolder::with([("a.lv", &*spot("0")), ("b.lv", &*spot("5.9604645e-8"))]);
    let run = ["diff", "--run", "a.lv", "b.lv", "--size", "8x4"];
    different(
        &place.run(&run),
        &[
            "different: 8x4 pixels compared as binary32\n",
            "first: (5, 2), ",
            "differing pixels: 1 ",
        ],
    );
    let outcome = place.run(&[&run[..], &["--message-format", "json", "-o", "heat.png"]].concat());
    let object: Value = serde_json::from_str(outcome.text()).expect("it is JSON");
    assert_eq!((outcome.status, &object["a"]), (1, &json!("a.lv")));
    assert_eq!((&object["first"]["x"], &object["first"]["y"]), (&json!(5), &json!(2)));
    assert!(place.path("heat.png").exists());
    place.run(&[&run[..], &["--max-ulp", "1"]].concat()).done();
}

#[test]
fn programs_that_cannot_be_compared() {
    let place = TestFolder::with([
        ("a.lv", "(uniform gain num 1) (vec3 gain)"),
        ("wrong.lv", "(vec3 gain)"),
        ("slow.lv", "((rec-func (x) (if (less x 1e30) (rec (+ x 1)) x)) (.x (frag-coord)))"),
    ]);
    let run = |arguments: &[&str]| place.run(&[&["diff", "--run"], arguments].concat());
    let status = |outcome: CommandOutcome, status: i32, part: &str| {
        assert_eq!((outcome.status, outcome.out.len()), (status, 0), "{}", outcome.err);
        assert!(outcome.err.contains(part), "{}", outcome.err);
    };
    status(run(&["a.lv", "wrong.lv"]), 1, "wrong.lv:1:7");
    status(run(&["a.lv", "slow.lv", "--max-iterations", "9"]), 1, "LV0504");
    status(run(&["a.lv", "none.lv"]), 2, "cannot read `none.lv`");
    status(run(&["-", "-"]), 2, "standard input");
    status(run(&["a.lv", "a.lv", "--set", "gian=2"]), 2, "no uniform `gian`");
    status(run(&["a.lv", "a.lv", "--output", "all"]), 2, "is of one output");
    status(run(&["a.lv", "a.lv", "--srgb"]), 2, "--srgb");
    status(run(&["a.lv", "a.lv", "-o", "a.lv"]), 2, "a.lv");
    let most = ["--max-iterations", "18446744073709551615", "--timeout", "0.2"];
    status(run(&[&["a.lv", "slow.lv"], &most[..]].concat()), 3, "--timeout");
    status(place.run(&["diff", "a.lv", "a.lv", "--time", "1"]), 2, "--run");
}

/// NaN and infinite samples are reported, for drawn and for compared pictures.
#[test]
fn what_is_no_finite_number_is_told() {
    let place = TestFolder::new();
    let text = "(define x (.x (frag-coord))) (vec4 (/ 0 (- x 0.5)) (/ 1 (- x 1.5)) 0 1)";
    let said = "note: the picture has non-finite samples: 2 NaN and 2 infinite\n";
    for name in ["a.npy", "a.png", "a.exr"] {
        for engine in ["simd", "core"] {
            let arguments = ["render", "-", name, "--size", "3x2", "--engine", engine];
            let outcome = place.run_with(&arguments, text);
            assert_eq!((outcome.status, outcome.err.as_str()), (0, said), "{name} {engine}");
        }
    }
    let frames = ["render", "-", "f-%d.png", "--size", "3x2", "--frames", "0..3"];
    let outcome = place.run_with(&frames, text);
    let all = "note: the pictures have non-finite samples: 6 NaN and 6 infinite\n";
    assert_eq!(outcome.err, all);
    place.run_with(&["render", "-", "b.npy", "--size", "3x2"], "(vec4 0 0 0 1)").done();
    let outcome = place.run(&["diff", "a.npy", "b.npy"]);
    let line = "non-finite samples: 2 NaN and 2 infinite against none\n";
    assert!(outcome.text().contains(line), "{}", outcome.text());
    let outcome = place.run(&["diff", "a.npy", "a.exr"]);
    let line = "non-finite samples: 2 NaN and 2 infinite in each\n";
    assert!(outcome.status == 0 && outcome.text().contains(line), "{}", outcome.text());
    let outcome = place.run(&["diff", "a.npy", "b.npy", "--message-format", "json"]);
    let object: Value = serde_json::from_str(outcome.text()).expect("it is JSON");
    assert_eq!((&object["nans"], &object["infinities"]), (&json!([2, 0]), &json!([2, 0])));
}

/// Properties of an image file that the comparison ignores are reported.
#[test]
fn what_is_left_out_of_account_is_told() {
    let place = TestFolder::new();
    place.run_with(&["render", "-", "a.png", "--size", "4x2"], "(vec4 1)").done();
    // Chunks before the pixels: gamma, orientation, frames.
    let file = place.read("a.png");
    let at = file.windows(4).position(|window| window == b"IDAT").expect("it has pixels") - 4;
    let chunk = |kind: &[u8; 4], data: &[u8]| {
        let mut chunk = (data.len() as u32).to_be_bytes().to_vec();
        chunk.extend(kind);
        chunk.extend(data);
        let sum = crc(&chunk[4..]);
        chunk.extend(sum.to_be_bytes());
        chunk
    };
    let exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0";
    let chunks = [chunk(b"gAMA", &[0, 0, 177, 143]), chunk(b"eXIf", exif)].concat();
    place.write("b.png", [&file[..at], &chunks, &file[at..]].concat());
    let said = "note: `b.png`: not compared: EXIF orientation, gAMA\n";
    let outcome = place.run(&["diff", "a.png", "b.png"]);
    assert_eq!((outcome.status, outcome.err.as_str()), (0, said), "{}", outcome.text());
    assert_eq!(place.run(&["diff", "a.png", "b.png", "--quiet"]).err, "");
    let outcome = place.run(&["diff", "a.png", "b.png", "--message-format", "json"]).done();
    let object: Value = serde_json::from_str(outcome.text()).expect("it is JSON");
    assert_eq!(object["left_out"], json!({"a": [], "b": ["EXIF orientation", "gAMA"]}));
    for (folder, image) in [("one", "a.png"), ("two", "b.png")] {
        place.write(&format!("{folder}/x.png"), place.read(image));
    }
    let outcome = place.run(&["diff", "one", "two"]);
    assert!(outcome.err.contains("`two/x.png`: not compared: "), "{}", outcome.err);
    // Files written by lambdav have no such properties.
    place.run_with(&["render", "-", "c.png", "--size", "4x2", "--srgb"], "(vec4 1)").done();
    place.run(&["diff", "c.png", "a.png"]).done();
}

/// The checksum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, &byte: &u8| {
        (0..8).fold(sum ^ u32::from(byte), |sum, _| {
            if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 }
        })
    };
    !bytes.iter().fold(!0, step)
}
