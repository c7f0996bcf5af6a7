//! `lambdav render`: the contents of image files.

use super::harness::{CommandOutcome, TestFolder};
use lambdav_image::file::Metadata;
use lambdav_image::{AnyImage, Size};
use std::path::Path;

const ORANGE: &str = "(vec4 1 0.5 0.25 1)";
const GRADIENT: &str = "(vec4 (/ (.xy (frag-coord)) (resolution)) (sin (.x (frag-coord))) 1)";

/// Renders a.lv to `out` with these options.
#[track_caller]
fn render(place: &TestFolder, out: &str, options: &[&str]) -> CommandOutcome {
    place.run(&[&["render", "a.lv", out, "--size", "5x3"], options].concat()).done()
}

fn contains(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

#[test]
fn png_has_8_or_16_bits_linear_or_srgb() {
    let place = TestFolder::with([("a.lv", ORANGE)]);
    for options in [&[][..], &["--depth", "8"]] {
        render(&place, "a.png", options);
        let AnyImage::Unorm8(image) = place.image("a.png") else { panic!("8 bits") };
        assert_eq!(image.size(), Size::new(5, 3).expect("a small size"));
        assert!(image.pixels().iter().all(|p| *p == [255, 128, 64, 255]));
    }
    render(&place, "a.png", &["--depth", "16"]);
    let AnyImage::Unorm16(image) = place.image("a.png") else { panic!("16 bits") };
    assert!(image.pixels().iter().all(|p| *p == [65535, 32768, 16384, 65535]));
    render(&place, "a.png", &["--srgb"]);
    let AnyImage::Unorm8(image) = place.image("a.png") else { panic!("8 bits") };
    assert!(image.pixels().iter().all(|p| *p == [255, 188, 137, 255]));
}

#[test]
fn float_files_hold_the_numbers_as_they_are() {
    let place = TestFolder::with([("a.lv", "(vec4 -1.5 1e30 (/ 1 0) (/ 0 0))")]);
    for name in ["a.exr", "a.npy", "A.NPY"] {
        let outcome = place.run(&["render", "a.lv", name, "--size", "5x3"]);
        assert!(outcome.err.starts_with("note: ") && outcome.status == 0, "{}", outcome.err);
        let frame = place.frame(name);
        assert_eq!(frame.size(), Size::new(5, 3).expect("a small size"));
        for [r, g, b, a] in frame.pixels() {
            assert_eq!([*r, *g, *b], [-1.5, 1e30, f32::INFINITY], "{name}");
            assert!(a.is_nan(), "{name}");
        }
    }
}

#[test]
fn missing_components_are_filled_up() {
    let place = TestFolder::with([("a.lv", "(vec2 0.25 2)")]);
    render(&place, "a.npy", &[]);
    assert_eq!(place.frame("a.npy").pixel(4, 2), Some([0.25, 2.0, 0.0, 1.0]));
}

#[test]
fn the_size_is_512x512_unless_told_otherwise() {
    let place = TestFolder::with([("a.lv", ORANGE)]);
    place.run(&["render", "a.lv", "a.png"]).done();
    assert_eq!(place.image("a.png").size().to_string(), "512x512");
}

#[test]
fn inputs_come_from_the_command_line() {
    let program =
        "(uniform v vec3 (vec3 7)) (uniform b bool false) (uniform m mat2) (uniform n num 4)
        (output 0 (vec4 (time) (frame) (.x (mouse)) (.w (mouse))))
        (output 1 (vec4 (resolution) (.xy (frag-coord))))
        (output 2 (vec4 v (if b 1 0)))
        (output 3 (vec4 (* m (vec2 1 10)) n 0))";
    let place = TestFolder::with([("a.lv", program)]);
    let options = ["--time", "-2.5", "--frame", "3", "--mouse", "-1,2,3,4e1"];
    let sets = ["--set", "v=1,-2,.5", "--set", "b=true", "--set", "m=1,2,3,4"];
    let expected = [
        [-2.5, 3.0, -1.0, 40.0],
        [5.0, 3.0, 4.5, 0.5],
        [1.0, -2.0, 0.5, 1.0],
        [31.0, 42.0, 4.0, 0.0],
    ];
    for (location, pixel) in ["0", "1", "2", "3"].into_iter().zip(expected) {
        render(&place, "a.npy", &[&["--output", location], &options[..], &sets].concat());
        assert_eq!(place.frame("a.npy").pixel(4, 0), Some(pixel), "output {location}");
    }
    // Without options, the defaults of the language and the program apply.
    for (location, pixel) in [("0", [0.0; 4]), ("2", [7.0, 7.0, 7.0, 0.0])] {
        render(&place, "a.npy", &["--output", location]);
        assert_eq!(place.frame("a.npy").pixel(0, 0), Some(pixel));
    }
    // The last setting wins.
    render(&place, "a.npy", &["--output", "3", "--set", "n=1", "--set", "n=2"]);
    assert_eq!(place.frame("a.npy").pixel(0, 0), Some([1.0, 10.0, 2.0, 0.0]));
}

/// A program with uniforms that are structures and arrays.
const LIGHTS: &str = "(struct Light (colour vec3) (on bool) (n int))
    (uniform lights (array 2 Light))
    (uniform gain num 1)
    (let ((light (at lights (int (.x (frag-coord))))))
      (* gain (vec4 (if (.on light) (.colour light) (vec3 0)) (num (.n light)))))";

#[test]
fn structures_and_arrays_are_set_by_json() {
    let lights = r#"[{"colour": [1, 2, 3], "on": true}, {"n": -4}]"#;
    let file = format!(r#"{{"lights": {lights}, "gain": 2}}"#);
    let place = TestFolder::with([("a.lv", LIGHTS), ("u.json", &file), ("none.json", " {} ")]);
    let set = format!("lights={lights}");
    for engine in ["simd", "core", "source", "spirv"] {
        let pixels = |more: &[&str]| {
            render(&place, "a.npy", &[&["--engine", engine], more].concat());
            [0, 1].map(|x| place.frame("a.npy").pixel(x, 0).expect("it is within"))
        };
        assert_eq!(pixels(&["--uniforms", "none.json"]), [[0.0; 4]; 2], "{engine}");
        let once = [[1.0, 2.0, 3.0, 0.0], [0.0, 0.0, 0.0, -4.0]];
        let twice = once.map(|pixel| pixel.map(|sample| 2.0 * sample));
        assert_eq!(pixels(&["--set", &set]), once, "{engine}");
        assert_eq!(pixels(&["--uniforms", "u.json"]), twice, "{engine}");
        // `--set` comes after the file, whatever their order. Fields that it leaves out keep their values.
        let both = ["--set", "gain=1", "--uniforms", "u.json"];
        assert_eq!(pixels(&both), once, "{engine}");
        let field = [&both[..], &["--set", r#"lights=[{"colour": [5, 6, 7]}, {"n": 8}]"#]].concat();
        assert_eq!(pixels(&field), [[5.0, 6.0, 7.0, 0.0], [0.0, 0.0, 0.0, 8.0]], "{engine}");
    }
}

/// Constants are fixed at compile time, by the same options that set uniforms.
#[test]
fn constants_are_set_like_uniforms() {
    let shader = "(struct Options (rounds int) (scale num))
        (constant options Options (Options 2i 3))
        (constant flat bool true)
        (uniform gain num 1)
        (define rounds (num (.rounds options)))
        (define x (@ ((rec-func (i x) (if (less i rounds) (rec (+ i 1) (* x (.scale options))) x))
                      0 gain)))
        (@ (if flat x (vec2 x 1)))";
    let file = r#"{"options": {"rounds": 1, "scale": 5}, "gain": 2}"#;
    let place =
        TestFolder::with([("a.lv", shader), ("u.json", file), ("bad.json", r#"{"flat": 2}"#)]);
    for engine in ["simd", "core", "source", "spirv"] {
        let pixel = |more: &[&str]| {
            render(&place, "a.npy", &[&["--engine", engine], more].concat());
            place.frame("a.npy").pixel(0, 0).expect("it is within")
        };
        assert_eq!(pixel(&[]), [9.0, 0.0, 0.0, 1.0], "{engine}");
        assert_eq!(pixel(&["--set", "flat=false"]), [9.0, 1.0, 0.0, 1.0], "{engine}");
        assert_eq!(pixel(&["--uniforms", "u.json"]), [10.0, 0.0, 0.0, 1.0], "{engine}");
        let both = ["--set", r#"options={"rounds": 3}"#, "--uniforms", "u.json"];
        assert_eq!(pixel(&both), [250.0, 0.0, 0.0, 1.0], "{engine}");
    }
    let fails = |more: &[&str], message: &str| {
        let status = if more[0] == "--set" { 2 } else { 1 };
        place.fails(&[&["render", "a.lv", "a.npy"], more].concat(), status, message);
    };
    fails(&["--set", "flta=true"], "no uniform `flta`; did you mean `flat`?");
    fails(&["--set", "flat=3"], "`flat`: `3` is neither true nor false");
    fails(&["--uniforms", "bad.json"], "`bad.json`: constant `flat`");
    fails(&["--set", "z=3"], "it has gain, options, flat");
}

/// A program specialised to the values of its uniforms draws the same picture.
#[test]
fn uniforms_are_folded_on_request() {
    let place = TestFolder::with([("a.lv", LIGHTS)]);
    let lights = r#"lights=[{"colour": [1, 2, 3], "on": true}, {"n": -4}]"#;
    for engine in ["simd", "core", "spirv"] {
        let draw = |more: &[&str]| {
            let set = ["--engine", engine, "--set", lights, "--set", "gain=0.5"];
            render(&place, "a.npy", &[&set, more].concat());
            place.frame("a.npy")
        };
        assert_eq!(draw(&[]).samples(), draw(&["--specialise"]).samples(), "{engine}");
    }
    let stats = ["render", "a.lv", "a.npy", "--specialise", "--stats"];
    let outcome = place.run(&stats);
    assert!(outcome.err.contains("for the values of 2 uniforms"), "{}", outcome.err);
    let source = ["render", "a.lv", "a.npy", "--specialise", "--engine", "source"];
    place.fails(&source, 2, "--specialise is for the engines that compile");
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    let module = ["render", "a.spv", "a.npy", "--specialise", "--engine", "spirv"];
    place.fails(&module, 2, "--specialise is for programs");
}

/// A module takes structures like its program, except that blocks and structures have no bools.
#[test]
fn structures_of_modules_are_set() {
    let file = r#"{"lights": [{"colour": [1, 2, 3], "on": 1}, {"n": -4, "on": 0}], "gain": 1}"#;
    let place = TestFolder::with([("a.lv", LIGHTS), ("u.json", file)]);
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    for engine in ["simd", "core", "spirv"] {
        let draw = |more: &[&str]| {
            let module = ["render", "a.spv", "a.npy", "--size", "8x4", "--engine", engine];
            let outcome = place.run(&[&module[..], &["--uniforms", "u.json"], more].concat());
            let parts = "`lights[0].n`, `lights[1].colour`";
            let note = format!("note: `a.spv`: {parts} are 0; --set gives them values\n");
            assert_eq!((outcome.status, outcome.err), (0, note));
            [0, 1].map(|x| place.frame("a.npy").pixel(x, 0))
        };
        let wanted = [Some([1.0, 2.0, 3.0, 0.0]), Some([0.0, 0.0, 0.0, -4.0])];
        assert_eq!(draw(&[]), wanted, "{engine}");
        let dark = draw(&["--set", r#"lights=[{"on": 0}, {}]"#]);
        assert_eq!(dark, [Some([0.0; 4]), wanted[1]], "{engine}");
    }
    let wrong = ["render", "a.spv", "a.npy", "--engine", "spirv", "--set", "light=1"];
    place.fails(&wrong, 2, "no uniform `light`; did you mean `lights`?");
}

#[test]
fn the_lowest_output_is_rendered_by_default() {
    let place = TestFolder::with([("a.lv", "(output 3 0.75) (output 1 0.25)")]);
    render(&place, "a.npy", &[]);
    assert_eq!(place.frame("a.npy").pixel(0, 0), Some([0.25, 0.0, 0.0, 1.0]));
}

#[test]
fn standard_input_and_output_are_dashes() {
    let place = TestFolder::with([("a.lv", GRADIENT)]);
    for format in ["png", "exr", "npy"] {
        let name = format!("a.{format}");
        render(&place, &name, &[]);
        let arguments = ["render", "-", "-", "--size", "5x3", "--format", format];
        let outcome = place.run_with(&arguments, GRADIENT).done();
        assert_eq!(outcome.out, place.read(&name), "{format}");
    }
    // `--format` decides for files whose extension is missing or unknown.
    for name in ["without", "other.data", "other."] {
        render(&place, name, &["--format", "npy"]);
        assert_eq!(place.read(name), place.read("a.npy"));
    }
}

#[test]
fn neither_threads_nor_engine_nor_core_text_change_a_bit() {
    let place = TestFolder::new();
    let shaders = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    for name in ["plasma", "newton", "fold"] {
        std::fs::copy(shaders.join(name).with_extension("lv"), place.path("a.lv"))
            .expect("the gallery is there");
        let draw = |from: &str, options: &[&str]| {
            let fixed = ["render", from, "a.npy", "--size", "37x19", "--time", "1.25"];
            place.run(&[&fixed, options].concat()).done();
            place.read("a.npy")
        };
        let first = draw("a.lv", &[]);
        for threads in ["1", "2", "7"] {
            assert!(first == draw("a.lv", &["--threads", threads]), "{name}, {threads} threads");
        }
        place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
        assert!(first == draw("a.core", &[]), "{name} as core text");
        // The source evaluator is slow, so it draws a few pixels.
        let few = ["--size", "4x3"];
        let render = |engine| draw_at(&place, &few, engine);
        assert!(render("source") == render("core"), "{name} by substitution");
    }
}

fn draw_at(place: &TestFolder, options: &[&str], engine: &str) -> Vec<u8> {
    place.run(&[&["render", "a.lv", "b.npy", "--engine", engine], options].concat()).done();
    place.read("b.npy")
}

#[test]
fn files_are_the_same_bytes_each_time() {
    let place = TestFolder::with([("a.lv", GRADIENT)]);
    for name in ["a.png", "a.exr", "a.npy"] {
        render(&place, name, &["--threads", "1"]);
        let first = place.read(name);
        render(&place, name, &["--threads", "3"]);
        assert_eq!(first, place.read(name), "{name}");
    }
}

#[test]
fn the_language_version_is_in_images_and_in_the_version() {
    let place = TestFolder::with([("a.lv", ORANGE)]);
    let key = Metadata::LANGUAGE_VERSION;
    render(&place, "a.png", &[]);
    let text = format!("tEXt{key}\0{}", lambdav_core::LANGUAGE_VERSION);
    assert!(contains(&place.read("a.png"), text.as_bytes()));
    render(&place, "a.exr", &[]);
    let attribute = format!("{key}\0string\0\u{1}\0\0\0{}", lambdav_core::LANGUAGE_VERSION);
    assert!(contains(&place.read("a.exr"), attribute.as_bytes()));
    let outcome = place.run(&["--version"]).done();
    let version = lambdav_core::LANGUAGE_VERSION;
    assert!(outcome.text().contains(&format!("λV language version {version}")));
    assert!(outcome.text().contains(env!("CARGO_PKG_VERSION")));
}

#[test]
fn warnings_are_said_and_do_not_matter() {
    let place = TestFolder::with([("a.lv", "(output 0 1) (output 5 1)")]);
    let outcome = place.run(&["render", "a.lv", "a.png", "--size", "1x1"]);
    assert_eq!(outcome.status, 0);
    assert!(outcome.err.starts_with("warning[LV0206]"), "{}", outcome.err);
    assert_eq!(place.image("a.png").size().to_string(), "1x1");
}
