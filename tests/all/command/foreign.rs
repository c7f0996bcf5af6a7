//! WGSL and GLSL on the command line.
#![cfg(feature = "foreign")]

use super::harness::TestFolder;

const WRONG: [(&str, &str, [&str; 2]); 3] = [
    (
        "name.wgsl",
        "@fragment\nfn main() -> @location(0) vec4f {\n    return vec4f(colour);\n}\n",
        ["error[LV0634]: `colour` is unknown", "name.wgsl:3:18"],
    ),
    (
        "type.wgsl",
        "@fragment\nfn main() -> @location(0) vec4f {\n    let x: i32 = 1;\n    return vec4f(1.0 * x);\n}\n",
        ["error[LV0636]: `*` is not defined for `abstract-float` and `i32`", "type.wgsl:4:18"],
    ),
    (
        "call.frag",
        "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() { c = vec4(f(1.0)); }\n",
        ["error[LV0614]: the function `f` is unknown", "call.frag:3:24"],
    ),
];

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let place = TestFolder::new();
    for (name, text, said) in WRONG {
        place.write(name, text);
        for message in said {
            place.fails(&["check", name], 1, message);
        }
    }
}

/// Texts of which nothing is drawn are checked and compiled.
#[test]
fn what_is_not_drawn_is_compiled() {
    let compute = "override width = 2u; var<private> x: u32;
        @compute @workgroup_size(width) fn main() { x = width; }";
    let depth = "@fragment fn main(@builtin(position) at: vec4f) { if at.x < 2 { discard; } }";
    let place = TestFolder::with([
        ("compute.wgsl", compute),
        ("depth.wgsl", depth),
        ("part.wgsl", "fn double(x: f32) -> f32 { return 2 * x; }"),
    ]);
    place.run(&["check", "compute.wgsl", "depth.wgsl", "part.wgsl"]).done();
    place.run(&["check", "."]).done();
    for (name, message) in [
        ("compute.wgsl", "this text has only compute shaders, which are compiled and not drawn"),
        ("depth.wgsl", "`main` writes no colour, and is compiled and not drawn"),
        ("part.wgsl", "this text has no entry point, and nothing of it is drawn"),
    ] {
        place.fails(&["render", name, "a.png"], 1, message);
    }
    place.run(&["compile", "compute.wgsl", "-o", "two.spv"]).done();
    place.run(&["compile", "compute.wgsl", "-o", "four.spv", "--set", "width=4"]).done();
    let modes = |name| place.run(&["inspect", name]).done().text().to_owned();
    assert!(modes("two.spv").contains("LocalSize 2 1 1"), "{}", modes("two.spv"));
    assert!(modes("four.spv").contains("LocalSize 4 1 1"), "{}", modes("four.spv"));
    let wrong = ["compile", "compute.wgsl", "-o", "a.spv", "--set", "height=4"];
    place.fails(&wrong, 2, "--set");
}

/// Two entry points, and location inputs of each kind.
#[test]
fn entry_points_and_inputs() {
    let text = "@fragment fn one(@location(0) uv: vec2f) -> @location(0) vec4f { return vec4f(uv, 0.0, 1.0); }
        @fragment fn two(@location(1) x: vec3f) -> @location(0) vec4f { return vec4f(x, 1.0); }";
    let place = TestFolder::with([
        ("a.wgsl", text),
        ("one.lv", "(vec4 (/ (.xy (frag-coord)) (resolution)) 0 1)"),
        ("two.lv", "(vec4 0.5 0.25 1 1)"),
    ]);
    place.fails(&["render", "a.wgsl", "a.npy"], 1, "name one of `one`, `two`");
    let size = ["--size", "5x3"];
    for (entry, input) in [("one", "0=uv"), ("two", "1=0.5,0.25,1")] {
        let twin = format!("{entry}.lv");
        place.run(&[&["render", &twin, "b.npy"][..], &size].concat()).done();
        let render = ["render", "a.wgsl", "a.npy", "--entry", entry, "--input", input];
        place.run(&[&render[..], &size].concat()).done();
        assert_eq!(place.frame("a.npy").pixels(), place.frame("b.npy").pixels(), "{entry}");
    }
    let zero = ["render", "a.wgsl", "a.npy", "--entry", "one"];
    let outcome = place.run(&[&zero[..], &size].concat());
    assert_eq!(outcome.err, "note: `a.wgsl`: `uv` is 0; --set gives it a value\n");
    let wrong = [&zero[..], &["--input", "4=1"]].concat();
    place.fails(&wrong, 2, "the module has no input 4; it has 0");
}

/// A block given by its members, as JSON and as bytes, in layouts with gaps.
#[test]
fn blocks_are_bound_whole() {
    let text = "struct Light { at: vec3f, power: f32, on: u32, turn: vec4f }
        @group(1) @binding(2) var<uniform> light: Light;
        @fragment fn main() -> @location(0) vec4f {
            let turned = light.turn.xy * light.at.x + light.turn.zw * light.at.y;
            return vec4f(turned * light.power, light.at.z, f32(light.on));
        }";
    let place = TestFolder::with([("a.wgsl", text)]);
    let words = [0.5_f32, 0.25, 2.0, 3.0].map(f32::to_bits).into_iter().chain([1, 0, 0, 0]);
    let words = words.chain([0.0_f32, 1.0, -1.0, 0.5].map(f32::to_bits));
    let bytes: Vec<u8> = words.flat_map(u32::to_le_bytes).collect();
    place.write("light.bin", &bytes);
    let json = r#"{"at": [0.5, 0.25, 2], "power": 3, "on": 1, "turn": [0, 1, -1, 0.5]}"#;
    place.write("light.json", json);
    let all: [&[&str]; 4] = [
        &["--bind", "1.2=light.bin"],
        &["--bind", "1.2=light.json"],
        &[
            "--set",
            "at=0.5,0.25,2",
            "--set",
            "power=3",
            "--set",
            "on=1",
            "--set",
            "turn=0,1,-1,0.5",
        ],
        &["--bind", "1.2=light.json", "--bind", "1.2=light.bin", "--set", "1.2.power=3"],
    ];
    for how in all {
        let render = ["render", "a.wgsl", "a.npy", "--size", "2x2"];
        place.run(&[&render[..], how].concat()).done();
        assert_eq!(place.frame("a.npy").pixel(1, 1), Some([-0.75, 1.875, 2.0, 1.0]), "{how:?}");
    }
    let render = |bind| ["render", "a.wgsl", "a.npy", "--bind", bind];
    place.write("short.bin", &bytes[..32]);
    place.fails(
        &render("1.2=short.bin"),
        1,
        "32 bytes, and `turn` of the block 1.2 ends at byte 48",
    );
    place.write("wrong.json", "[1]");
    place.fails(&render("1.2=wrong.json"), 1, "`wrong.json`");
    place.write("other.json", r#"{"pwer": 1}"#);
    let message =
        "`other.json`: `1.2.pwer`: the block `1.2` has no member `pwer`; did you mean `power`?";
    place.fails(&render("1.2=other.json"), 1, message);
    place.fails(&render("1.3=light.bin"), 2, "1.3");
}

/// A WGSL program whose entry point has this body.
fn wgsl(body: &str) -> String {
    format!(
        "@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {{ {body} return vec4f(); }}"
    )
}

/// A GLSL program with text before the entry point, and a body.
fn glsl(before: &str, body: &str) -> String {
    format!(
        "#version 450\nlayout(location=0) out vec4 o;\n{before}\nvoid main() {{ vec4 x; {body} }}\n"
    )
}

/// `n` copies of `before`, then `middle`, then `n` copies of `after`.
fn around(n: usize, before: &str, middle: &str, after: &str) -> String {
    before.repeat(n) + middle + &after.repeat(n)
}

/// A chain of macros. `body` gives each macro's text from the number of the one before.
fn macros(n: usize, first: &str, body: impl Fn(usize) -> String) -> String {
    let rest = (1..n).map(|index| format!("#define A{index}{}\n", body(index - 1)));
    format!("#define A0{first}\n") + &rest.collect::<String>()
}

/// Structures of which each has the one before as its member.
fn structures(n: usize) -> String {
    let rest = (1..n).map(|index| format!("struct S{index} {{ S{} s; }};\n", index - 1));
    String::from("struct S0 { float x; };\n") + &rest.collect::<String>()
}

/// Texts on which a recursive parser without a deadline would overflow its stack or hang.
#[test]
fn deep_and_long_texts_are_refused_with_a_place() {
    let large = "macros expand to more than 1000000 tokens";
    let words = macros(14, " +1.0", |i| format!(" A{i} A{i} A{i} A{i}"));
    let calls = macros(24, "(x) (x+1.0)", |i| format!("(x) A{i}(A{i}(x))"));
    let many = 100_000;
    let texts = [
        (
            "a.wgsl",
            wgsl(&format!("var a: {};", around(many, "array<", "f32", ", 1>"))),
            "structures and arrays are nested too deep",
        ),
        ("a.wgsl", wgsl(&"{".repeat(many)), "nested deeper than 200"),
        ("a.wgsl", wgsl(&"loop { ".repeat(many)), "nested deeper than 200"),
        ("a.wgsl", wgsl(&"x = dpdx(x) + x;".repeat(55_000)), "`x` is unknown"),
        ("a.wgsl", "fn a(){}".repeat(many), "`a` is declared twice"),
        ("a.wgsl", " ".repeat(5_000_000), "the text has 5000000 bytes; WGSL may have 4194304"),
        ("a.frag", glsl("", &format!("float a{};", "[1]".repeat(300_000))), "256 dimensions"),
        ("a.frag", glsl(&structures(1000), ""), "structures and arrays nest at most 256 deep"),
        ("a.frag", glsl("", &around(many, "{", "", "}")), "nested deeper than 200"),
        ("a.frag", glsl("", &"if (x.x > 0.0) ".repeat(many / 2)), "nested deeper than 200"),
        ("a.frag", glsl("", &around(many / 2, "float(", "x", ")")), "`;` is missing"),
        ("a.frag", glsl(&macros(3000, " (", |i| format!(" A{i} (")), "A2999"), "is expected"),
        ("a.frag", glsl(&words, "o = vec4(0.0 A13);"), large),
        ("a.frag", glsl(&calls, "o = vec4(A23(1.0));"), large),
        ("a.frag", glsl(&format!("{calls}#defe b(x) A23(x)\n"), ""), "no directive `defe`"),
        ("a.frag", glsl("", "o = vec4(1.0) @ 2.0;"), "`@` does not belong to GLSL"),
        ("a.frag", glsl(&format!("{calls}#if A23(1)\n#endif"), ""), large),
        ("a.frag", " ".repeat(5_000_000), "the text has 5000000 bytes; GLSL may have 4194304"),
    ];
    let place = TestFolder::new();
    for (name, text, message) in texts {
        place.write(name, &text);
        let outcome = place.run(&["check", name]);
        let start = &text[..text.len().min(200)];
        assert_eq!((outcome.status, outcome.text()), (1, ""), "{start}: {}", outcome.err);
        assert!(outcome.err.contains(message), "{start}: {}", outcome.err);
        assert!(outcome.err.contains(&format!("--> {name}:")), "{start}: {}", outcome.err);
    }
}

/// Texts below these limits are drawn.
#[test]
fn texts_that_nest_are_drawn() {
    let folder = TestFolder::new();
    let sum = |n, x: &str| format!("{x} + ").repeat(n) + x;
    folder.write(
        "a.wgsl",
        wgsl(&format!("return vec4f({}, 0, 1);", around(50_000, "(", "p.xy", ")"))),
    );
    folder.write("b.wgsl", wgsl(&format!("return vec4f({});", sum(50_000, "p.x"))));
    let elses = around(1500, "if p.x > 2 {} else ", "{ return vec4f(1); }", "");
    folder.write(
        "g.wgsl",
        wgsl(&format!("return vec4f({}, 0, 1);", around(50_000, "abs(", "p.xy", ")"))),
    );
    folder.write("c.wgsl", wgsl(&elses));
    folder.write("d.frag", glsl("", &format!("o = vec4({});", sum(50_000, "gl_FragCoord.x"))));
    let calls = macros(4, "(x) (x*0.5)", |i| format!("(x) A{i}(A{i}(x))"));
    folder.write("e.frag", glsl(&calls, "o = vec4(A3(256.0));"));
    for (name, red) in [
        ("a.wgsl", 0.5),
        ("b.wgsl", 25000.5),
        ("g.wgsl", 0.5),
        ("c.wgsl", 1.0),
        ("d.frag", 25000.5),
    ] {
        folder.run(&["render", name, "o.npy", "--size", "1x1"]).done();
        assert_eq!(folder.frame("o.npy").pixel(0, 0).expect("a pixel")[0], red, "{name}");
    }
    folder.run(&["render", "e.frag", "o.npy", "--size", "1x1"]).done();
    let red = folder.frame("o.npy").pixel(0, 0).expect("a pixel")[0];
    assert_eq!(red, 1.0);
}

/// A constant that doubles in each line is one error, and other files are still checked.
#[test]
fn constants_that_grow_are_errors() {
    let constants = (1..40).map(|i| format!("const c{i} = array(c{j}, c{j});\n", j = i - 1));
    let text = format!("const c0 = array(1.0);\n{}{}", constants.collect::<String>(), wgsl(""));
    let place = TestFolder::with([("a.wgsl", &text), ("b.lv", "(vec4 colour)")]);
    let outcome = place.run(&["check", "a.wgsl", "b.lv"]);
    assert_eq!((outcome.status, outcome.text()), (1, ""));
    assert!(
        outcome.err.contains("error[LV0643]: the array has more than 65536 words"),
        "{}",
        outcome.err
    );
    assert!(outcome.err.contains("--> a.wgsl:18:13\n"), "{}", outcome.err);
    assert!(outcome.err.contains("b.lv:1:7"), "{}", outcome.err);
}

/// Overrides have their defaults, or the values that are given.
#[test]
fn overrides_have_their_values() {
    let text = "@id(3) override gain: f32 = 0.25; override twice = gain * 2; override on = true;
        @fragment fn main() -> @location(0) vec4f { return vec4f(gain, twice, f32(on), 1); }";
    let place = TestFolder::with([
        ("a.wgsl", text),
        (
            "b.wgsl",
            "override a: f32; @fragment fn main() -> @location(0) vec4f { return vec4f(a); }",
        ),
    ]);
    place.run(&["render", "a.wgsl", "o.npy", "--size", "1x1"]).done();
    assert_eq!(place.frame("o.npy").pixel(0, 0), Some([0.25, 0.5, 1.0, 1.0]));
    let set = ["--set", "gain=2", "--set", "on=false"];
    let render = ["render", "a.wgsl", "o.npy", "--size", "1x1"];
    place.run(&[&render[..], &set].concat()).done();
    assert_eq!(place.frame("o.npy").pixel(0, 0), Some([2.0, 4.0, 0.0, 1.0]));
    place.fails(&["render", "b.wgsl", "o.npy"], 1, "error[LV0642]: the override `a` has no value");
    place.run(&["render", "b.wgsl", "o.npy", "--size", "1x1", "--set", "a=0.5"]).done();
    assert_eq!(place.frame("o.npy").pixel(0, 0), Some([0.5; 4]));
    place.fails(&[&render[..], &["--set", "gain=red"]].concat(), 2, "gain");
}

/// Modules of Bevy's dialect and of WESL, below the folders that are given.
#[test]
fn modules_are_imported() {
    let text = "#import lib::colour::{mixed, Style as S}
        import super::other::half;
        #ifdef RED
        const red = f32(#{RED});
        #endif
        @fragment fn main() -> @location(0) vec4f { return mixed(S(red), half(1.0)); }";
    let colour = "#define_import_path lib::colour
        struct Style { red: f32 }
        fn mixed(s: Style, x: f32) -> vec4f { return vec4f(s.red, x, 0.0, 1.0); }";
    let place = TestFolder::with([
        ("a.wgsl", text),
        ("other.wgsl", "fn half(x: f32) -> f32 { return 0.5 * x; }"),
        ("deep/down/colour.wgsl", colour),
    ]);
    let render = ["render", "a.wgsl", "o.npy", "--size", "1x1"];
    let options = ["--include", "deep", "--define", "RED=0.25"];
    place.run(&[&render[..], &options].concat()).done();
    assert_eq!(place.frame("o.npy").pixel(0, 0), Some([0.25, 0.5, 0.0, 1.0]));
    place.fails(&render, 1, "error[LV0634]: `red` is unknown");
    let dialect = [&render[..], &options, &["--dialect", "isf"]].concat();
    place.fails(&dialect, 2, "`a.wgsl` is not GLSL");
}
