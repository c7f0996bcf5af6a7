//! Realistic shaders in WGSL and GLSL draw the same pictures as their λV twins, bit for bit.
#![cfg(feature = "foreign")]

use lambdav_core::source::SourceFile;
use lambdav_core::texture::TextureKind;
use lambdav_core::types::ResourceKind;
use lambdav_engine::engines::{CoreEngine, SimdEngine};
use lambdav_engine::foreign::{Language, to_spirv};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::Settings;
use lambdav_engine::{DataRef, LocationInput, ShaderOptions};
use lambdav_image::file::ImageRef;
use lambdav_image::{Frame, Image, Size};
use lambdav_raster::{RenderOptions, render};
use std::path::Path;

const SIZE: [u32; 2] = [64, 48];

/// Values of uniforms, as on the command line.
type Values = &'static [(&'static str, &'static str)];

const SHADERS: [(&str, Values); 11] = [
    ("plasma.wgsl", &[("phase", "0.75"), ("scale", "7"), ("tint", "1,0.5,0.25")]),
    ("mandelbrot.wgsl", &[("zoom", "18")]),
    ("march.wgsl", &[("light", "1,2,0.5")]),
    ("cells.wgsl", &[("seed", "7")]),
    ("blur.wgsl", &[("radius", "1.5")]),
    ("disc.frag", &[("radius", "0.8"), ("inner", "0.2,0.4,1,1")]),
    ("planes.frag", &[]),
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
        let image = |width: u32, height: u32| {
            Image::from_fn(Size::new(width, height).expect("it is small"), texel)
        };
        let ResourceKind::Texture(options) = resource.kind else { unreachable!("a texture") };
        let bound = match options.kind {
            TextureKind::Flat => settings.bind(types, &resource.name, &image(10, 6)),
            TextureKind::Cube => settings.bind(types, &resource.name, &image(4, 24)),
            TextureKind::CubeArray => settings.bind(types, &resource.name, &image(3, 36)),
            TextureKind::Array | TextureKind::Volume => {
                let images = [
                    image(5, 6),
                    image(5, 6),
                    Image::from_fn(image(5, 6).size(), |x, _| [0.25 * x as f32, 0.5, 1.0, 1.0]),
                ];
                let images: Vec<ImageRef<'_>> = images.iter().map(ImageRef::from).collect();
                settings.bind(types, &resource.name, DataRef::Planes(&images))
            }
        };
        bound.expect("it is a texture");
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
    assert!(words(50_000).is_ok());
    let text = format!("fn f() {{ {}", "{".repeat(50_000));
    let errors = to_spirv(Language::Wgsl, &SourceFile::new("a.wgsl", text));
    let errors = errors.expect_err("it nests too deep");
    assert!(errors[0].message.contains("nested deeper"), "{errors:?}");
}

/// Declarations, the body of a function of the pixel `p`, and the colour at (2.5, 1.5).
const WGSL: [(&str, &str, [f32; 4]); 24] = [
    (
        "",
        "var s = 0; for (var i = 0; i < 5; i++) { if i == 2 { continue; } s += i; } return vec4f(f32(s));",
        [8.0; 4],
    ),
    (
        "",
        "var s = 0; var i = 0; loop { if i == 3 { continue; } s += 10; continuing { i++; s++; break if i == 6; } } return vec4f(f32(s));",
        [56.0; 4],
    ),
    (
        "",
        "var r = 0.0; switch i32(p.x) { case 1: { r = 1.0; } default: { r = 3.0; } case 2, 7: { r = 2.0; if p.y < 9.0 { break; } r = 9.0; } } return vec4f(r);",
        [2.0; 4],
    ),
    (
        "fn add(a: ptr<function, i32>, b: i32) { *a += b; }",
        "var a = array(1, 2, 3); let q = &a[1]; add(q, 5); add(&a[i32(p.x)], 7); var x = 0; add(&x, 4); return vec4f(f32(a[0]), f32(a[1]), f32(a[2]), f32(x));",
        [1.0, 7.0, 10.0, 4.0],
    ),
    (
        "var<private> n: i32 = 5; fn next() -> i32 { n++; return n; } fn set(q: ptr<private, i32>) { *q = 40; }",
        "let a = next(); let b = next() * 10; set(&n); return vec4f(f32(a), f32(b), f32(n), f32(next()));",
        [6.0, 70.0, 40.0, 41.0],
    ),
    (
        "var<private> n: i32; fn bump() -> bool { n++; return true; }",
        "let a = p.x > 100.0 && bump(); let b = p.x < 100.0 || bump(); let c = p.x < 100.0 && bump(); return vec4f(f32(a), f32(b), f32(c), f32(n));",
        [0.0, 1.0, 1.0, 1.0],
    ),
    (
        "const T = array(10, 20, 30, 40); const M = mat2x2f(1, 2, 3, 4);",
        "let i = u32(p.x); return vec4f(f32(T[i]), f32(T[1]), M[i - 1][0], (M * vec2f(1, 1)).y);",
        [30.0, 20.0, 3.0, 6.0],
    ),
    (
        "struct S { a: vec3f, b: array<vec2f, 2> } fn make(x: f32) -> S { return S(vec3f(x), array(vec2f(1, 2), vec2f(3, 4))); }",
        "var s = make(p.x); s.b[1].y = 9.0; let t = s; s.a.x = 0.0; return vec4f(t.a.x, t.b[1].y, s.a.x, make(1.0).b[i32(p.y)].x);",
        [2.5, 9.0, 0.0, 3.0],
    ),
    (
        "",
        "let z = i32(p.x) - 2; let low = -2147483647 - i32(p.x) + 1; return vec4f(f32(7 / z), f32(7 % z), f32(low / -(z + 1) == low), f32(-7 % (z + 4)));",
        [7.0, 0.0, 1.0, -3.0],
    ),
    (
        "",
        "let n = u32(p.x) + 31u; return vec4f(f32(1u << n), f32(-8 >> (n - 31u)), f32(i32(p.x * 1e20)), f32(u32(-p.x)));",
        [2.0, -2.0, 2_147_483_648.0, 0.0],
    ),
    (
        "",
        "let a = array<f32, 3>(1, 2, 3); let i = i32(p.x); return vec4f(a[i + 5], a[i - 9], vec3f(4, 5, 6)[i + 1], 0);",
        [3.0, 1.0, 6.0, 0.0],
    ),
    (
        "",
        "let m = modf(-p.x); let f = frexp(p.x); return vec4f(m.fract, m.whole, f.fract, f32(f.exp));",
        [-0.5, -2.0, 0.625, 2.0],
    ),
    (
        "",
        "let b = pack4x8unorm(vec4f(0, 1, 0.5, p.x)); let u = unpack4xU8(b); return vec4f(f32(u.x), f32(u.y), f32(u.z), f32(u.w));",
        [0.0, 255.0, 128.0, 255.0],
    ),
    (
        "",
        "let i = i32(p.x); return vec4f(f32(countLeadingZeros(i)), f32(countTrailingZeros(i * 4)), f32(firstLeadingBit(-i)), f32(extractBits(0xf0, 4u, 4u)));",
        [30.0, 3.0, 0.0, -1.0],
    ),
    (
        "",
        "let v = vec4f(1, 2, 3, p.x); let w = v.wzyx.xy; return select(vec4f(w, 0, 0), vec4f(9), vec4<bool>(false, p.x > 1.0, false, true));",
        [2.5, 9.0, 0.0, 9.0],
    ),
    (
        "",
        "let a = bitcast<u32>(p.x); let b = dot(vec3i(1, 2, 3), vec3i(i32(p.x))); return vec4f(f32(a >> 23), f32(b), fract(-p.x), round(p.x));",
        [128.0, 12.0, 0.5, 2.0],
    ),
    (
        "alias V = vec2<f32>; override k: f32 = 2 * 3; const_assert vec2(1, 2).y == 2;",
        "const h = 1 << 2; let v = V(k, h); return vec4f(v, vec2f(vec2i(i32(p.x))));",
        [6.0, 4.0, 2.0, 2.0],
    ),
    (
        "",
        "var x = p.x; if x > 2.0 { if x > 9.0 { return vec4f(1); } else if x > 2.2 { x = 7.0; } else { return vec4f(2); } } else { discard; } return vec4f(x);",
        [7.0; 4],
    ),
    (
        "",
        "var t = 0; for (var i = 0; i < 3; i++) { for (var j = 0; ; j++) { if j > i { break; } var fresh: i32; fresh += j + 1; t += fresh; } } return vec4f(f32(t));",
        [10.0; 4],
    ),
    (
        "fn first(a: ptr<function, array<f32, 2>>) -> f32 { return a[0] + (*a)[1]; }",
        "var m = mat2x3f(); m[1] = vec3f(1, 2, p.x); m[1][0] += 4.0; var a = array(p.x, 1.0); return vec4f(m[1], first(&a));",
        [5.0, 2.0, 2.5, 3.5],
    ),
    (
        "fn f(p: ptr<private, vec4f>) { (*p).x += 1.0; } var<private> g: array<vec4f, 2>;",
        "g[1].x = p.x; f(&g[1]); return g[1];",
        [3.5, 0.0, 0.0, 0.0],
    ),
    ("", "let b = p.x > 9.0; return vec4f(f32(1u << select(2u, 32u, true || b)));", [1.0; 4]),
    (
        "const pi = 3.14159265358979; fn f(x: f32) -> f32 { return x; }",
        "return vec4f(f(pi), f32(pi * 1e10 - pi * 1e10 + 1), sqrt(4), max(1, 2.5));",
        [std::f32::consts::PI, 1.0, 2.0, 2.5],
    ),
    (
        "",
        "let a = 5u - u32(p.x) * 3u; let b = ~i32(p.x); return vec4f(f32(a), f32(b), f32(5 ^ i32(p.x)), f32(!(p.x > 1.0)));",
        [4_294_967_295.0, -3.0, 7.0, 0.0],
    ),
];

#[test]
fn statements_and_expressions_of_wgsl() {
    for (before, body, wanted) in WGSL {
        let text = format!(
            "{before} fn colour(p: vec2f) -> vec4f {{ {body} }}
             @fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {{ return colour(p.xy); }}"
        );
        let loaded = Loaded::from_text("a.wgsl", &text);
        let core = loaded.core.unwrap_or_else(|| panic!("{body}: {:?}", loaded.diagnostics));
        let size = Size::new(4, 2).expect("it is small");
        let settings = Settings::new(&core, size);
        let engine = CoreEngine::new(&core, 0, &settings).expect("it is small");
        let frame = render(&engine, size, &RenderOptions::default()).expect("its loops end");
        assert_eq!(frame.pixel(2, 1), Some(wanted), "{body}");
    }
}
