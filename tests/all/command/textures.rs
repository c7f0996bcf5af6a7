//! `--bind`: images as textures, on every engine, and errors in files.

use super::harness::TestFolder;
use lambdav_image::AnyImage;

/// Draws its texture upside down.
const FLIP: &str = "(texture source)
    (define size (texture-size source))
    (define p (int (.xy (frag-coord))))
    (texel source (ivec2 (.x p) (- (- (.y size) 1i) (.y p))))";

/// A picture with different pixels.
const GRADIENT: &str = "(vec4 (/ (.xy (frag-coord)) 8) 0.25 1)";

const ENGINES: [&str; 4] = ["simd", "core", "source", "spirv"];

#[test]
fn images_of_any_depth_are_read_as_they_were_written() {
    let place = TestFolder::with([("gradient.lv", GRADIENT), ("flip.lv", FLIP)]);
    for (name, depth) in [("a.png", "8"), ("b.png", "16"), ("a.exr", ""), ("a.npy", "")] {
        let mut options = vec!["render", "gradient.lv", name, "--size", "5x3"];
        if !depth.is_empty() {
            options.extend(["--depth", depth]);
        }
        place.run(&options).done();
        let bind = format!("source={name}");
        for engine in ENGINES {
            let flipped = ["render", "flip.lv", "out.npy", "--size", "5x3", "--engine", engine];
            place.run(&[&flipped[..], &["--bind", &bind]].concat()).done();
            let frame = place.frame("out.npy");
            for (x, y) in [(0, 0), (4, 2), (2, 1)] {
                let wanted = match place.image(name) {
                    AnyImage::Unorm8(image) => {
                        image.pixel(x, 2 - y).map(|p| p.map(|k| f32::from(k) / 255.0))
                    }
                    AnyImage::Unorm16(image) => {
                        image.pixel(x, 2 - y).map(|p| p.map(|k| f32::from(k) / 65_535.0))
                    }
                    AnyImage::Float(image) => image.pixel(x, 2 - y),
                };
                assert_eq!(frame.pixel(x, y), wanted, "{name} {engine} ({x}, {y})");
            }
        }
    }
}

/// Core text and a module take the same images, and tests find images beside their program.
#[test]
fn all_forms_of_a_program_take_images() {
    let place = TestFolder::with([("gradient.lv", GRADIENT), ("flip.lv", FLIP)]);
    place.run(&["render", "gradient.lv", "a.exr", "--size", "6x4"]).done();
    let draw = |shader: &str, out: &str| {
        let options = ["--size", "6x4", "--bind", "source=a.exr"];
        place.run(&[&["render", shader, out][..], &options].concat()).done();
        place.read(out)
    };
    let wanted = draw("flip.lv", "a.npy");
    place.run(&["compile", "flip.lv", "--emit", "core", "-o", "flip.core"]).done();
    assert_eq!(draw("flip.core", "b.npy"), wanted);
    place.run(&["compile", "flip.lv", "-o", "flip.spv"]).done();
    assert_eq!(draw("flip.spv", "c.npy"), wanted);
    let text = format!("; test: --size 6x4 --bind source=a.exr --format exr\n{FLIP}");
    place.write("flip.lv", text);
    place.run(&["test", "flip.lv", "--bless"]).done();
    assert_eq!(place.frame("flip.exr").pixel(1, 0), Some([1.5 / 8.0, 3.5 / 8.0, 0.25, 1.0]));
    place.run(&["test", "flip.lv"]).done();
    // Code is compiled for textures of any size, or for the bound sizes.
    let word = "resource.0.last-column.0";
    for (stage, is_named) in [("lanes", true), ("registers", true), ("asm", false)] {
        let any = place.run(&["compile", "flip.lv", "--emit", stage]).done();
        assert_eq!(any.text().contains(word), is_named, "{}", any.text());
        let words = ["compile", "flip.lv", "--emit", stage, "--bind", "source=a.exr"];
        let baked = place.run(&words).done();
        assert!(!baked.text().contains("resource.0.last"), "{}", baked.text());
        assert_ne!(any.text(), baked.text());
    }
    let words = ["render", "flip.lv", "d.npy", "--size", "6x4", "--bind", "source=a.exr"];
    place.run(&[&words[..], &["--specialise"]].concat()).done();
    assert_eq!(place.read("d.npy"), wanted);
    let inspected = place.run(&["inspect", "flip.spv"]).done();
    assert!(inspected.text().contains("source"), "{}", inspected.text());
}

#[test]
fn what_is_not_bound_is_said() {
    let place = TestFolder::with([("flip.lv", FLIP), ("gradient.lv", GRADIENT)]);
    place.run(&["render", "gradient.lv", "a.png", "--size", "2x2"]).done();
    place.run(&["compile", "flip.lv", "-o", "flip.spv"]).done();
    let unbound = "error[LV0507]: the texture `source` is not bound";
    for engine in ENGINES {
        place.fails(&["render", "flip.lv", "b.png", "--engine", engine], 1, unbound);
    }
    place.fails(&["render", "flip.spv", "b.png"], 1, unbound);
    let words = ["render", "flip.spv", "b.png", "--engine", "spirv"];
    place.fails(&words, 1, unbound);
    let fails = |bind: &str, status, message: &str| {
        place.fails(&["render", "flip.lv", "b.png", "--bind", bind], status, message);
    };
    fails("source", 2, "`source` binds nothing: write --bind NAME=FILE");
    fails("source=", 2, "binds nothing");
    fails("sauce=a.png", 2, "the program has no texture or buffer `sauce`; did you mean `source`?");
    fails("source=no.png", 2, "no.png");
    fails("source=flip.lv", 1, "flip.lv");
    let bound = ["--bind", "source=a.png"];
    place.fails(
        &[&["render", "flip.lv", "a.png"][..], &bound].concat(),
        2,
        "`a.png` would be overwritten",
    );
    place.fails(
        &[&["compile", "flip.lv", "--emit", "core"][..], &bound].concat(),
        2,
        "--bind is for --emit lanes",
    );
}

#[test]
fn encoded_samples_are_decoded_where_the_program_says_so() {
    let text = "(texture plain) (texture encoded srgb)
        (vec4 (.x (texel plain (ivec2 0i))) (.x (texel encoded (ivec2 0i))) 0 1)";
    let place = TestFolder::with([("a.lv", text), ("grey.lv", "(vec4 0.2 0.2 0.2 0.5)")]);
    place.run(&["render", "grey.lv", "grey.png", "--size", "1x1"]).done();
    place.run(&["render", "grey.lv", "grey.exr", "--size", "1x1"]).done();
    let bind = ["--size", "1x1", "--bind", "plain=grey.png", "--bind"];
    place.run(&[&["render", "a.lv", "a.npy"], &bind[..], &["encoded=grey.png"]].concat()).done();
    assert_eq!(place.frame("a.npy").pixel(0, 0), Some([0.2, 0.033_104_767, 0.0, 1.0]));
    place.fails(
        &[&["render", "a.lv", "a.npy"], &bind[..], &["encoded=grey.exr"]].concat(),
        1,
        "the texture `encoded` is `srgb`, which is for images of 8 or 16 bits",
    );
}

/// Truncated files, and files that declare more than they contain.
#[test]
fn hostile_files_are_refused() {
    let place = TestFolder::with([("flip.lv", FLIP), ("gradient.lv", GRADIENT)]);
    for name in ["a.png", "a.exr", "a.npy"] {
        place.run(&["render", "gradient.lv", name, "--size", "9x9"]).done();
        let bytes = place.read(name);
        for length in [0, 7, bytes.len() / 2] {
            place.write(name, &bytes[..length]);
            let bind = format!("source={name}");
            place.fails(&["render", "flip.lv", "out.png", "--bind", &bind], 1, name);
        }
    }
}

/// Ten thousand textures: all are bound, or the first unbound one is named.
#[test]
fn ten_thousand_bindings() {
    let count = 10_000;
    let declared: String = (0..count).map(|k| format!("(texture t{k})\n")).collect();
    let sum = "(vec4 (+ (texel t0 (ivec2 0i)) (texel t9999 (ivec2 0i))))";
    let place = TestFolder::with([("gradient.lv", GRADIENT)]);
    place.write("many.lv", declared + sum);
    place.run(&["render", "gradient.lv", "a.png", "--size", "1x1"]).done();
    let mut options: Vec<String> =
        ["render", "many.lv", "b.npy", "--size", "2x1"].map(str::to_owned).into();
    for k in 0..count {
        options.extend(["--bind".to_owned(), format!("t{k}=a.png")]);
    }
    place.run(&options).done();
    let wanted = 2.0 * (16.0 / 255.0);
    assert_eq!(place.frame("b.npy").pixel(1, 0), Some([wanted, wanted, 128.0 / 255.0, 2.0]));
    options.truncate(options.len() - 2);
    place.fails(&options, 1, "error[LV0507]: the texture `t9999` is not bound");
}

/// The declared size of an image is checked before its pixels are read.
#[test]
fn sizes_are_refused_before_images_are_decoded() {
    let place = TestFolder::with([("flip.lv", FLIP)]);
    let header = format!(
        "{:117}\n",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (16384, 16384, 4), }"
    );
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.bytes());
    place.write("large.npy", file);
    let message = "`large.npy`: the texture `source`: a texture of 16384x16384 is too large";
    let draw = ["render", "flip.lv", "out.png", "--bind", "source=large.npy"];
    place.fails(&draw, 1, message);
    assert!(!place.path("out.png").exists());
}

/// A cube, layers and slices of files; the same picture by all engines, in λV and in GLSL.
#[test]
fn planes_have_files() {
    let lv = "(texture sky (kind cube)) (texture layers (kind array)) (texture volume (kind volume))
        (define p (- (/ (.xy (frag-coord)) 8) 1))
        (define d (vec3 (* 2 (.x p)) (* 1.5 (.y p)) (- 1 (.x p))))
        (+ (+ (sample sky d) (sample layers (vec3 p (* 3 (.y p))))) (sample volume (vec3 p (.x p))))";
    let glsl = "#version 450
layout(binding = 0) uniform samplerCube sky;
layout(binding = 1) uniform sampler2DArray layers;
layout(binding = 2) uniform sampler3D volume;
layout(location = 0) out vec4 color;
void main() {
    vec2 p = gl_FragCoord.xy / 8.0 - 1.0;
    vec3 d = vec3(2.0 * p.x, 1.5 * p.y, 1.0 - p.x);
    color = texture(sky, d) + texture(layers, vec3(p, 3.0 * p.y)) + texture(volume, vec3(p, p.x));
}";
    let cell = "(uniform seed num) (define p (.xy (frag-coord)))
        (vec4 (fract (* seed (+ (.x p) (* 3.25 (.y p))))) (/ (.y p) 32) (fract (* 0.375 (.x p))) 1)";
    let place = TestFolder::with([("a.lv", lv), ("a.frag", glsl), ("cell.lv", cell)]);
    for (name, size, seed) in [
        ("sky.png", "4x24", "0.71"),
        ("l0.png", "5x3", "0.13"),
        ("l1.png", "5x3", "0.37"),
        ("v0.png", "3x4", "0.59"),
        ("v1.png", "3x4", "0.87"),
        ("wide.png", "5x4", "0.2"),
    ] {
        let seed = format!("seed={seed}");
        place.run(&["render", "cell.lv", name, "--size", size, "--set", &seed]).done();
    }
    let planes = [
        "--bind",
        "layers[0]=l0.png",
        "--bind",
        "layers[1]=l1.png",
        "--bind",
        "volume[1]=v1.png",
        "--bind",
        "volume[0]=v0.png",
    ];
    let sky = ["--bind", "sky=sky.png"];
    let draw = |shader: &str, engine: &str, bound: &[&str]| {
        let of = ["render", shader, "out.npy", "--size", "16x16", "--engine", engine];
        place.run(&[&of[..], &planes, bound].concat())
    };
    let mut first = None;
    for (shader, engine) in ENGINES
        .map(|engine| ("a.lv", engine))
        .into_iter()
        .chain(["simd", "core", "spirv"].map(|engine| ("a.frag", engine)))
    {
        draw(shader, engine, &sky).done();
        let picture = place.read("out.npy");
        assert!(*first.get_or_insert_with(|| picture.clone()) == picture, "{shader} by {engine}");
    }
    // The faces one by one, by their names.
    for (face, number) in ["+x", "-x", "+y", "-y", "+z", "-z"].into_iter().zip(0..) {
        let cut = format!(
            "(texture sky) (texel sky (+ (int (.xy (frag-coord))) (ivec2 0i {}i)))",
            4 * number
        );
        place.write("cut.lv", cut);
        let name = format!("face{number}.png");
        place.run(&["render", "cut.lv", &name, "--size", "4x4", "--bind", "sky=sky.png"]).done();
        place.write(&format!("bind{number}"), format!("sky[{face}]={name}"));
    }
    let faces: Vec<String> = (0..6)
        .map(|k| String::from_utf8(place.read(&format!("bind{k}"))).expect("it is text"))
        .collect();
    let faces: Vec<&str> = faces.iter().flat_map(|of| ["--bind", of]).collect();
    draw("a.lv", "simd", &faces).done();
    assert!(first.expect("a picture is drawn") == place.read("out.npy"));
    for (bound, status, message) in [
        (&["--bind", "sky=wide.png"][..], 1, "a cube has 6 faces, and these are 1"),
        (&["--bind", "sky[0]=l0.png"], 1, "a cube has 6 faces, and these are 1"),
        (&["--bind", "sky[1]=l0.png"], 2, "none for it: --bind sky[0]=FILE"),
        (&["--bind", "sky=sky.png", "--bind", "layers=l0.png"], 2, "as a whole and by planes"),
        (
            &["--bind", "sky=sky.png", "--bind", "layers[1]=wide.png"],
            1,
            "its planes differ in size",
        ),
        (
            &["--bind", "sky=sky.png", "--bind", "nosky[1]=wide.png"],
            2,
            "no texture or buffer `nosky`",
        ),
    ] {
        let found = draw("a.lv", "simd", bound);
        assert_eq!(found.status, status, "{}", found.err);
        assert!(found.err.contains(message), "{}", found.err);
    }
}
