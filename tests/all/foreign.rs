//! Realistic shaders in WGSL and GLSL draw the same pictures as their λV twins, bit for bit.
#![cfg(feature = "foreign")]

use lambdav_core::source::SourceFile;
use lambdav_engine::engines::{CoreEngine, SimdEngine};
use lambdav_engine::foreign::{Language, to_spirv};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::Settings;
use lambdav_engine::{LocationInput, ShaderOptions};
use lambdav_image::{Frame, Image, Size};
use lambdav_raster::{RenderOptions, render};
use std::path::Path;

const SIZE: [u32; 2] = [64, 48];

/// Values of uniforms, as on the command line.
type Values = &'static [(&'static str, &'static str)];

const SHADERS: [(&str, Values); 10] = [
    ("plasma.wgsl", &[("phase", "0.75"), ("scale", "7"), ("tint", "1,0.5,0.25")]),
    ("mandelbrot.wgsl", &[("zoom", "18")]),
    ("march.wgsl", &[("light", "1,2,0.5")]),
    ("cells.wgsl", &[("seed", "7")]),
    ("blur.wgsl", &[("radius", "1.5")]),
    ("disc.frag", &[("radius", "0.8"), ("inner", "0.2,0.4,1,1")]),
    ("clouds.frag", &[("drift", "0.3,-0.2")]),
    ("weave.frag", &[("width", "5"), ("shift", "2")]),
    ("julia.frag", &[("c", "-0.8,0.156"), ("centre", "32,24"), ("scale", "0.05")]),
    (
        "bricks.frag",
        &[
            (
                "wall",
                r#"{"size": [12, 6], "mortar": 0.1, "tone": [[0.6, 0.2, 0.1], [0.5, 0.3, 0.2]]}"#,
            ),
            ("angle", "0.2"),
        ],
    ),
];

fn load(name: &str) -> Loaded {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/foreign").join(name);
    let bytes = std::fs::read(&path).expect("it is there");
    let options = ShaderOptions::default().input(0, LocationInput::Uv);
    let loaded = Loaded::from_file_with(Some(&path), bytes, 20, &mut |_, _| None, &options);
    assert!(loaded.core.is_some(), "{name}: {:?}", loaded.diagnostics);
    loaded
}

/// The picture of a shader in machine code, which must equal that of the core evaluator.
fn draw(name: &str, values: Values) -> Frame {
    let loaded = load(name);
    let core = loaded.core.expect("it is right");
    let size = Size::new(SIZE[0], SIZE[1]).expect("it is small");
    let types = core.graph.types();
    let mut settings = Settings::new(&core, size);
    for (uniform, value) in values {
        let set = settings.set_text(types, &core.uniforms, uniform, value);
        set.unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    for resource in types.resources() {
        let texel = |x: u32, y: u32| [x as f32 / 9.0, y as f32 / 5.0, (x * y) as f32 / 45.0, 1.0];
        let image = Image::from_fn(Size::new(10, 6).expect("it is small"), texel);
        settings.bind(types, &resource.name, &image).expect("it is a texture");
    }
    let location = core.outputs[0].location;
    let simd = SimdEngine::new(&core, location, &settings, None).expect("it is small");
    let options = RenderOptions::default();
    let frame = render(&simd, size, &options).expect("its loops end");
    let evaluator = CoreEngine::new(&core, location, &settings).expect("it is small");
    let evaluated = render(&evaluator, size, &options).expect("its loops end");
    assert!(bits(&frame) == bits(&evaluated), "{name}: machine code and the evaluator differ");
    frame
}

fn bits(frame: &Frame) -> Vec<u32> {
    frame.samples().iter().map(|sample| sample.to_bits()).collect()
}

#[test]
fn they_draw_what_their_twins_draw() {
    for (name, values) in SHADERS {
        let (stem, _) = name.split_once('.').expect("it has an ending");
        let [found, wanted] = [name, &format!("{stem}.lv")].map(|name| draw(name, values));
        let [found, wanted] = [bits(&found), bits(&wanted)];
        let differing = found.iter().zip(&wanted).filter(|(a, b)| a != b).count();
        assert_eq!(differing, 0, "{name}: samples of {}", wanted.len());
        let first = &found[..4];
        assert!(found.chunks(4).any(|pixel| pixel != first), "{name} draws nothing");
    }
}

/// An embedder's thread may have a small stack.
#[test]
fn texts_that_nest_harm_no_embedder() {
    let parentheses = |n| format!("{}1.0{}", "(".repeat(n), ")".repeat(n));
    let text = |n| {
        let value = parentheses(n);
        format!("@fragment fn main() -> @location(0) vec4f {{ return vec4f({value}); }}")
    };
    let words = |n| {
        let source = SourceFile::new("a.wgsl", text(n));
        let thread = std::thread::Builder::new().stack_size(64 << 10);
        let read = thread.spawn(move || to_spirv(Language::Wgsl, &source));
        read.expect("a thread can be started").join().expect("nothing panics")
    };
    assert!(words(2500).is_ok());
    let errors = words(50_000).expect_err("it nests too deep");
    assert!(errors[0].message.contains("nests too deep"), "{errors:?}");
}
