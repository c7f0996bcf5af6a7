//! Samplers of shaders in other languages: `--sampler`, options of `--bind`, and descriptors of WebGPU.

use super::harness::TestFolder;

/// Draws an image from −1/2 to 3/2 of its sides.
const SHADER: &str = "#version 450
layout(set = 0, binding = 2) uniform texture2D image;
layout(set = 0, binding = 3) uniform sampler way;
layout(location = 0) out vec4 colour;
void main() { colour = texture(sampler2D(image, way), gl_FragCoord.xy / 4.0 - 0.5); }
";

/// The same with a texture that is combined with a sampler, as a compute shader.
const COMPUTE: &str = "#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(set = 0, binding = 1) buffer Found { vec4 found[64]; };
void main() {
    uvec2 at = gl_WorkGroupID.xy;
    found[at.y * 8 + at.x] = texture(image, (vec2(at) + 0.5) / 4.0 - 0.5);
}
";

/// A folder with the shaders and an image of red, green, blue and white.
fn folder() -> TestFolder {
    let place = TestFolder::with([
        ("a.frag", SHADER),
        ("a.comp", COMPUTE),
        (
            "four.lv",
            "(define p (floor (.xy (frag-coord))))
             (define blue (.y p))
             (vec4 (- 1 (clamp (+ (- (.x p) (* (.x p) blue)) (- blue (* (.x p) blue))) 0 1)) (.x p) blue 1)",
        ),
        (
            "way.json",
            r#"{"label": "way", "addressModeU": "mirror-repeat", "addressModeV": "repeat",
                "magFilter": "linear", "minFilter": "linear"}"#,
        ),
        ("wrong.json", "{\n  \"addressModeU\": \"repeat\",\n  \"addressMode\": \"repeat\"\n}"),
    ]);
    place.run(&["render", "four.lv", "four.png", "--size", "2x2"]).done();
    place
}

#[test]
fn options_mean_the_same_wherever_they_stand() {
    let place = folder();
    let draw = |to: &str, more: &[&str]| {
        let first = ["render", "a.frag", to, "--size", "8x8"];
        place.run(&[&first[..], more].concat()).done();
        place.frame(to)
    };
    let plain = draw("plain.npy", &["--bind", "image=four.png"]);
    let named = draw("named.npy", &["--bind", "image=four.png", "--sampler", "way=wrap=repeat"]);
    let placed = draw("placed.npy", &["--bind", "0.2=four.png", "--sampler", "0.3=wrap=repeat"]);
    assert_eq!(named.samples(), placed.samples());
    assert_ne!(plain.samples(), named.samples());
    let options = "way=filter=linear,wrap-u=mirror,wrap-v=repeat";
    let listed = draw("listed.npy", &["--bind", "image=four.png", "--sampler", options]);
    let described =
        draw("described.npy", &["--bind", "image=four.png", "--sampler", "way=way.json"]);
    assert_eq!(listed.samples(), described.samples());
    assert_ne!(listed.samples(), named.samples());
    // The upper left pixel lies at (−3/8, −3/8), a quarter of a texel into the last one.
    let nearest = "way=filter=nearest,wrap=repeat";
    let nearest = draw("nearest.npy", &["--bind", "image=four.png", "--sampler", nearest]);
    assert_eq!(nearest.pixel(0, 0), Some([1.0; 4]));
    let border = "way=filter=nearest,wrap=border,border=black";
    let border = draw("border.npy", &["--bind", "image=four.png", "--sampler", border]);
    assert_eq!(border.pixel(0, 0), Some([0.0, 0.0, 0.0, 1.0]));
    assert_eq!(border.pixel(2, 2), Some([1.0, 0.0, 0.0, 1.0]));

    let run = |to: &str, more: &[&str]| {
        let save = format!("Found={to}");
        let first = ["run", "a.comp", "--groups", "8,8", "--save", &save];
        place.run(&[&first[..], more].concat()).done();
        place.read(to)
    };
    let bound = run("bound.bin", &["--bind", "image=four.png:wrap=repeat"]);
    let named = run("named.bin", &["--bind", "image=four.png", "--sampler", "image=wrap=repeat"]);
    assert_eq!(bound, named);
    let words = bound.as_chunks().0.iter().map(|&word| f32::from_le_bytes(word));
    let drawn = place.frame("named.npy");
    assert_eq!(words.collect::<Vec<_>>(), drawn.samples());
}

#[test]
fn wrong_options_are_named() {
    let place = folder();
    for (option, said) in [
        ("way=wrap=round", "wrap"),
        ("way=colour=red", "colour"),
        ("way", "write NAME=KEY=VALUE,KEY=VALUE or NAME=FILE.json"),
        ("sky=wrap=repeat", "the program has no sampler or texture `sky`"),
        (
            "way=wrong.json",
            "wrong.json`, line 3, column 18: no GPUSamplerDescriptor has `addressMode`",
        ),
        ("way=none.json", "none.json"),
    ] {
        let arguments =
            ["render", "a.frag", "a.png", "--bind", "image=four.png", "--sampler", option];
        let outcome = place.run(&arguments);
        assert_ne!(outcome.status, 0, "{option}");
        assert!(outcome.err.contains(said), "{option}: {}", outcome.err);
        assert!(!place.path("a.png").exists(), "{option}");
    }
    let outcome = place.run(&["render", "a.frag", "a.png", "--bind", "image=four.png:wrap=round"]);
    assert_ne!(outcome.status, 0);
    assert!(outcome.err.contains("round"), "{}", outcome.err);
}

/// A gather, a comparison and a queried level; the fourth component is 1/0.
const GATHERS: &str = "#version 450
layout(binding = 0) uniform sampler2D t;
layout(binding = 1) uniform sampler2DShadow s;
layout(location = 0) out vec4 c;
void main() {
    vec4 g = textureGather(t, vec2(0.5), 1);
    float d = texture(s, vec3(0.5, 0.5, 0.0));
    c = g + vec4(d, textureQueryLod(t, vec2(0.5)), 1.0 / (d - d));
}
";

/// The same in λV, with messages.
const PROBES: &str = "(texture t)
(texture s (kind depth))
(define g (probe \"g\" (gather t (vec2 0.5) 1)))
(define d (probe \"d\" (sample-compare s (vec2 0.5) 0)))
(+ g (vec4 d (texture-lod t (vec2 0.5)) (/ 1 (- d d))))
";

#[test]
fn traces_reports_and_messages_know_samples() {
    let place = folder();
    place.write("k.frag", GATHERS);
    place.write("k.lv", PROBES);
    let bound = ["--bind", "t=four.png", "--bind", "s=four.png"];
    let traced = place.run(&[&["trace", "k.frag", "1", "2"], &bound[..]].concat()).done();
    for value in ["k.frag:6:5  g = (0.0, 1.0, 1.0, 0.0) ", "k.frag:7:5  d = 1.0 "] {
        assert!(traced.text().contains(value), "{}", traced.text());
    }
    for engine in ["simd", "core", "spirv"] {
        let report = ["--size", "4x4", "--undefined", "report", "--engine", engine];
        let reports = |file, more: &[&str]| {
            place.run(&[&["render", file, "k.npy"], &bound[..], &report, more].concat()).err
        };
        let found = reports("k.frag", &[]);
        let output = "k.frag:8:5: output: NaN or infinity; first at (0, 0) with (1, 1, -inf, inf)";
        assert!(found.contains(output), "{engine}: {found}");
        let found = reports("k.lv", &["--probe", "1,2"]);
        for line in [
            "k.lv:5:41: /: the divisor is 0; first at (0, 0) with 1, 0; 16 pixels",
            "k.lv:3:11: pixel (1, 2): g = (0.0, 1.0, 1.0, 0.0) ",
            "k.lv:4:11: pixel (1, 2): d = 1.0 ",
        ] {
            assert!(found.contains(line), "{engine}: {found}");
        }
    }
}
