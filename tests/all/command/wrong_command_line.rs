//! Errors on the command line: exit status 2, one message, no file written.

use super::harness::TestFolder;

fn place() -> TestFolder {
    TestFolder::with([
        ("a.lv", "(vec4 1)"),
        ("u.lv", "(uniform tint vec3 (vec3 1)) (uniform on bool) (output 1 (vec4 tint 1))"),
        ("a.png", "untouched"),
    ])
}

/// Demands that `render a.lv a.png` refuses this option.
#[track_caller]
fn refused(option: &str, value: &str, message: &str) {
    place().fails(&["render", "a.lv", "a.png", option, value], 2, message);
}

#[test]
fn sizes() {
    refused("--size", "0x5", "an image of 0x5 pixels is empty");
    refused("--size", "5x0", "an image of 5x0 pixels is empty");
    refused("--size", "100000x100000", "has a side longer than 65536");
    refused("--size", "65536x65536", "has more than 268435456 pixels");
    refused("--size", "99999999999999999999x1", "has a side longer than 65536");
    for text in ["x", "5", "-1x5", "5x", "1e3x5", "5 x5", ""] {
        refused("--size", text, "--size <WxH>");
    }
    refused("--size", "x", "`x` is not a size; write WIDTHxHEIGHT, such as 512x512");
}

#[test]
fn numbers() {
    for option in ["--time", "--frame"] {
        for text in ["nan", "NaN", "inf", "0x7fc00000", "1,2", "x", "--1"] {
            refused(option, text, &format!("`{text}` is not a number"));
        }
        refused(option, "1e39", "`1e39` is too large for binary32");
    }
    refused("--mouse", "1,2,3", "the mouse has four components: x,y,z,w");
    refused("--mouse", "1,2,3,nan", "`nan` is not a number");
    for text in ["0", "-1", "x", "1.5"] {
        refused("--threads", text, &format!("`{text}` is not a whole number from 1 on"));
    }
    for text in ["-1", "x", "1e3"] {
        refused("--max-iterations", text, &format!("`{text}` is not a whole number from 0 to"));
    }
    for text in ["-1", "x", "nan", "inf", "1e300"] {
        refused("--timeout", text, &format!("`{text}` is not a number of seconds"));
    }
}

#[test]
fn choices() {
    refused("--depth", "12", "give 8 or 16, the bits of a sample, or a file .npy or .exr");
    refused("--engine", "cuda", "[possible values: simd, core, source, spirv, gpu]");
    refused("--format", "jpeg", "`jpeg` is not an image format; there are png, exr and npy");
    refused("--message-format", "xml", "[possible values: text, json]");
    refused("--sise", "1x1", "a similar argument exists: '--size'");
}

#[test]
fn formats() {
    let place = place();
    for (out, message) in [
        ("a.jpg", "`jpg` is not an image format; there are png, exr and npy"),
        ("a", "`a` has no ending that implies a format; add --format png, exr or npy"),
        ("a.", "`a.` has no ending that implies a format; add --format png, exr or npy"),
        (".png", "`.png` has no ending that implies a format"),
        ("-", "standard output has no ending; add --format png, exr or npy"),
    ] {
        place.fails(&["render", "a.lv", out], 2, message);
    }
    for out in ["b.exr", "b.npy"] {
        for options in [&["--srgb"][..], &["--depth", "8"]] {
            place.fails(&[&["render", "a.lv", out], options].concat(), 2, "are for PNG");
        }
    }
    let json = ["render", "a.lv", "-", "--format", "png", "--message-format", "json"];
    place.fails(&json, 2, "writes to standard output, and so would the image; name a file");
}

#[test]
fn outputs() {
    let place = place();
    let render = |shader, output| ["render", shader, "a.png", "--output", output];
    place.fails(&render("u.lv", "0"), 2, "the program has no output 0; it has 1");
    place.fails(&render("a.lv", "7"), 2, "the program has no output 7; it has 0");
    place.fails(
        &render("a.lv", "x"),
        2,
        "`x` is neither the location of an output, such as 0, nor `all`",
    );
    place.fails(&render("a.lv", "-1"), 2, "`-1` is neither the location");
}

/// Former names of options, and a file name where a location is expected.
#[test]
fn options_have_one_name() {
    let place = place();
    let compile = |option, value| ["compile", "a.lv", "--emit", "asm", option, value];
    place.fails(&compile("--location", "0"), 2, "a similar argument exists: '--output'");
    place.fails(&compile("--output", "a.spv"), 2, "a file is named with -o or --out");
    place.fails(&compile("--output", "all"), 2, "this stage is of one output");
}

#[test]
fn uniforms() {
    let place = place();
    for (set, message) in [
        ("tnt=1,2,3", "the program has no uniform `tnt`; did you mean `tint`?"),
        ("colour=1", "the program has no uniform `colour`; it has tint, on"),
        ("tint", "`tint` sets nothing: write --set NAME=VALUE"),
        ("tint=1,2", "uniform `tint`: a vec3 has 3 components, not 2"),
        ("tint=1,2,3,4", "uniform `tint`: a vec3 has 3 components, not 4"),
        ("tint=", "uniform `tint`: `` is not a number"),
        ("tint=1,2,x", "uniform `tint`: `x` is not a number"),
        ("tint=1,2,nan", "uniform `tint`: `nan` is not a number"),
        ("tint=1,2,0x7fc00000", "uniform `tint`: `0x7fc00000` is not a number"),
        ("tint=1,2,1e99", "uniform `tint`: `1e99` is too large for binary32"),
        ("on=2", "uniform `on`: `2` is neither true nor false, nor 1 or 0"),
    ] {
        place.fails(&["render", "u.lv", "a.png", "--set", set], 2, message);
    }
    let none = "the program has no uniform `tint`; it has none";
    place.fails(&["render", "a.lv", "a.png", "--set", "tint=1"], 2, none);
}

#[test]
fn arguments() {
    let place = place();
    place.fails(&["render"], 2, "<SHADER>");
    place.fails(&["render", "a.lv"], 2, "<OUT>");
    place.fails(&["render", "a.lv", ""], 2, "'[OUT]'");
    place.fails(&["render", "a.lv", "a.png", "b.png"], 2, "unexpected argument 'b.png'");
    place.fails(&["render", "a.lv", "a.png", "-o", "b.png"], 2, "cannot be used with");
}

#[test]
fn uniforms_as_json() {
    let program = "(struct Light (colour vec3) (power num))
        (uniform lights (array 2 Light)) (uniform gain num)
        (* gain (.power (at lights (int (.x (frag-coord))))) (.colour (at lights 0)))";
    let place = TestFolder::with([("a.lv", program), ("b.lv", program)]);
    for (text, message) in [
        (r#"{"gian": 2}"#, "`u.json`: the program has no uniform `gian`; did you mean `gain`?"),
        (r#"{"gain": "2"}"#, "`u.json`: uniform `gain`: `\"2\"` is not a number"),
        (r#"{"gain": null}"#, "`u.json`: uniform `gain`: `null` is not a number"),
        (r#"{"gain": [1]}"#, "`u.json`: uniform `gain`: "),
        (r#"{"gain": 1, "lights": 2}"#, "`u.json`: uniform `lights`: "),
        (r#"{"lights": [{}]}"#, "uniform `lights`: (array 2 Light) has 2 elements, not 1"),
        (
            r#"{"lights": [{}, {"powr": 1}]}"#,
            "uniform `lights`: a Light has no field `powr`; did you mean `power`?",
        ),
        (r#"{"lights": [{}, {"colour": [1, 2]}]}"#, "vec3 has 3 elements, not 2"),
        (
            r#"{"lights": [{}, {]}"#,
            "`u.json`: not a JSON object of uniforms: key must be a string (line 1, column 18)",
        ),
        (
            "[1, 2]",
            "`u.json`: not a JSON object of uniforms: `[1, 2]` is no object (line 1, column 1)",
        ),
        (r#"{"gain": 1"#, "; write {\"NAME\": VALUE, \"NAME\": VALUE}"),
        ("", "not a JSON object of uniforms: EOF while parsing a value (line 1, column 1)"),
        ("{\"gain\": 1,\n \"gain\": 2}", "the name `gain` is given twice (line 2, column 2)"),
        ("{\n\"gain\": 0x1f}", "`0x1f` is not how JSON has numbers; write 31 (line 2, column 9)"),
        ("{\"gain\": 3u}", "`3u` is not how JSON has numbers; write 3 (line 1, column 10)"),
        (r#"{"\u+067ain": 1}"#, "invalid escape (line 1, column 8)"),
        ("{\"gain\":\n null}", "uniform `gain`: `null` is not a number (line 2, column 2)"),
        (
            "{\n \"lights\": [{},\n  {\"power\": null}]}",
            "uniform `lights`: `null` is not a number (line 3, column 13)",
        ),
        (
            "{\n \"lights[0]\": {\"power\": true}}",
            "uniform `lights[0]`: `true` is not a number (line 2, column 25)",
        ),
        ("{\n \"lights[2]\": {}}", "it has `lights[0]` to `lights[1]` (line 2, column 15)"),
    ] {
        place.write("u.json", text);
        place.fails(&["render", "a.lv", "a.png", "--uniforms", "u.json"], 1, message);
    }
    for (set, message) in [
        (r#"lights=[{"power": 1}]"#, "uniform `lights`: (array 2 Light) has 2 elements, not 1"),
        (r#"lights=[{}, {"hue": 1}]"#, "a Light has no field `hue`; it has colour, power"),
        (r#"lights=[{}, {"power": true}]"#, "uniform `lights`: `true` is not a number"),
        ("gain=[1]", "uniform `gain`: "),
        ("lights=", "uniform `lights`: "),
    ] {
        place.fails(&["render", "a.lv", "a.png", "--set", set], 2, message);
    }
    place.write("u.json", [b'{', 0xff, b'}']);
    place.fails(&["render", "a.lv", "a.png", "--uniforms", "u.json"], 1, "`u.json`: invalid utf-8");
    place.fails(&["render", "a.lv", "a.png", "--uniforms", "no.json"], 2, "cannot read `no.json`");
    place.fails(&["render", "-", "a.png", "--uniforms", "-"], 2, "can be given only once");
    place.write("u.npy", "{}");
    let overwritten = ["render", "a.lv", "u.npy", "--uniforms", "u.npy"];
    place.fails(&overwritten, 2, "it is `u.npy`, which is read; name another file");
}

const FOREIGN: &str = "@fragment fn main() -> @location(0) vec4f { return vec4f(1.0); }";

/// Options without their subject.
#[test]
fn options_that_mean_nothing() {
    let place = place();
    place.write("a.wgsl", FOREIGN);
    place.write("c.lv", "(constant k num) (vec3 k)");
    place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
    let said = |option: &str, name: &str| {
        format!("{option} is for SPIR-V modules, WGSL and GLSL, and `{name}` is λV")
    };
    for module in [["--entry", "main"], ["--input", "0=uv"], ["--clear", "1,1,1,1"]] {
        for name in ["a.lv", "a.core"] {
            for command in [
                &["render", name, "o.png"][..],
                &["compile", name, "--emit", "core"],
                &["check", name],
                &["check", name, "u.lv"],
                &["diff", "--run", name, "u.lv"],
            ] {
                place.fails(&[command, &module].concat(), 2, &said(module[0], name));
            }
        }
        let outcome = place.run(&[&["check", "a.lv", "a.wgsl"][..], &module].concat());
        assert_eq!(outcome.status, 0, "it is for one of them: {}", outcome.err);
    }
    place.write("t.lv", "; test: --size 1x1 --entry main\n(vec4 1)");
    let outcome = place.run(&["test", "t.lv"]);
    assert_eq!(outcome.status, 1);
    assert!(outcome.text().contains("--entry is for SPIR-V modules"), "{}", outcome.text());
    for (out, format, message) in [
        ("o.png", "exr", "`o.png` ends in .png, and --format says exr"),
        ("o.exr", "png", "`o.exr` ends in .exr, and --format says png"),
        ("o.jpg", "npy", "`o.jpg` ends in .jpg, and --format says npy"),
        ("o.png", "rgb8", "`o.png` ends in .png, and --format says a frame without a header"),
    ] {
        place.fails(&["render", "a.lv", out, "--format", format], 2, message);
    }
    place.run(&["render", "a.lv", "o.png", "--format", "png", "--size", "1x1"]).done();
    place.run(&["render", "a.lv", "o.rgb", "--format", "rgb8", "--size", "1x1"]).done();
    for (options, message) in [
        (&["--emit", "core", "--lanes", "4"][..], "--lanes is for --emit lanes, registers"),
        (&["--emit", "spirv-text", "--target", "avx2"], "--target is for --emit lanes, registers"),
        (&["--emit", "lanes", "--size", "4x4"], "--size is for --emit registers, clif and asm"),
        (&["--emit", "core", "-o", "o.spv"], "`o.spv` ends in .spv, which is SPIR-V"),
    ] {
        place.fails(&[&["compile", "a.lv"][..], options].concat(), 2, message);
    }
    for name in ["a.wgsl", "a.core"] {
        let keep = ["compile", name, "--emit", "spirv-text", "--keep-constants"];
        place.fails(&keep, 2, "--keep-constants is for shaders of λV");
    }
    for option in [
        &["--report", "r"][..],
        &["--jobs", "2"],
        &["--timeout", "1"],
        &["--memory", "4"],
        &["--engine", "core"],
        &["--quiet"],
        &["--require-tests"],
        &["--against", "d"],
    ] {
        place.fails(&[&["test", "--list"][..], option].concat(), 2, "cannot be used with");
    }
    for option in
        [&["--jobs", "2"][..], &["--memory", "4"], &["--timeout", "1"], &["--engine", "core"]]
    {
        place.fails(&[&["test", "--merge", "r"][..], option].concat(), 2, "cannot be used with");
    }
    for option in [&["--size", "2x2"][..], &["--set", "a=1"], &["--entry", "main"]] {
        place.fails(&[&["compare", "--functions"][..], option].concat(), 2, "cannot be used with");
    }
}
