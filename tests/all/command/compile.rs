//! `lambdav compile`, and core text in place of shaders.

use super::harness::{TestFolder, assert_one_error};

const PROGRAM: &str = "(uniform gain num 0.5) (output 0 (* gain (sin (time)))) (output 2 (frame))";

#[test]
fn core_goes_to_standard_output_or_a_file() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    let printed = place.run(&["compile", "a.lv", "--emit", "core"]).done();
    assert!(printed.text().starts_with("lambdav-core 1\n"));
    assert!(printed.text().contains("uniform \"gain\": num = 0.5"));
    assert!(printed.text().contains("\noutput 2 = %"));
    let dash = place.run(&["compile", "a.lv", "--emit", "core", "-o", "-"]).done();
    assert_eq!(printed.out, dash.out);
    let file = place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
    assert_eq!(file.out, b"");
    assert_eq!(printed.out, place.read("a.core"));
}

#[test]
fn every_command_takes_core_text_for_a_shader() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
    place.run(&["check", "a.core"]).done();
    let again = place.run(&["compile", "a.core", "--emit", "core"]).done();
    // The texts are equal except for their comments, which are positions.
    assert_eq!(without_comments(again.text()), without_comments(&text(&place, "a.core")));
    let options = ["--size", "3x2", "--set", "gain=2", "--time", "1", "--output", "0"];
    for from in ["a.lv", "a.core"] {
        let out = format!("{from}.npy");
        place.run(&[&["render", from, &out], &options[..]].concat()).done();
    }
    assert_eq!(place.read("a.lv.npy"), place.read("a.core.npy"));
    let arguments = [&["render", "-", "-", "--format", "npy"], &options[..]].concat();
    let piped = place.run_with(&arguments, place.read("a.core")).done();
    assert_eq!(piped.out, place.read("a.lv.npy"));
    place.fails(
        &["render", "a.core", "b.png", "--engine", "source"],
        2,
        "the engine `source` evaluates shader text, and this is core text",
    );
}

/// A program that writes memory is refused as a whole, by one diagnostic.
#[test]
fn programs_that_write_memory_draw_nothing() {
    let text = "lambdav-core 2\ntype #0 = memory \"counts\"\nworkgroup-size 4 1 1\n\
                %0: uint = input local-index\n%1: #0 = state\n%2: #0 = store %1, %0, %0\neffect %2\n";
    let place = TestFolder::with([("a.core", text)]);
    let mut commands = vec![vec!["check", "a.core"], vec!["inspect", "a.core"]];
    for engine in ["simd", "core", "source", "spirv"] {
        commands.push(vec!["render", "a.core", "a.png", "--engine", engine]);
    }
    for stage in ["core", "spirv", "spirv-text", "lanes", "registers", "asm"] {
        commands.push(vec!["compile", "a.core", "--emit", stage]);
    }
    for command in commands {
        place.fails(&command, 1, "LV0508");
    }
}

fn text(place: &TestFolder, name: &str) -> String {
    String::from_utf8(place.read(name)).expect("core text is UTF-8")
}

fn without_comments(text: &str) -> Vec<&str> {
    text.lines().map(|line| line.split(';').next().unwrap_or_default().trim_end()).collect()
}

#[test]
fn spirv_goes_to_a_file_and_is_rendered() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    let module = place.read("a.spv");
    assert_eq!(module[..8], [3, 2, 0x23, 7, 0, 0, 1, 0]);
    let named = place.run(&["compile", "a.lv", "--emit", "spirv"]).done();
    assert_eq!(named.out, module);
    let newer =
        ["compile", "a.lv", "--emit", "spirv", "--spirv-version", "1.5", "--float-controls"];
    assert_eq!(place.run(&newer).done().out[4..8], [0, 5, 1, 0]);
    let text = place.run(&["compile", "a.lv", "--emit", "spirv-text"]).done();
    assert!(text.text().contains("OpEntryPoint Fragment"), "{}", text.text());
    let options = ["--size", "3x2", "--set", "gain=2", "--time", "1"];
    for output in ["0", "2"] {
        let output = [&options[..], &["--output", output]].concat();
        place
            .run(&[&["render", "a.lv", "core.npy", "--engine", "core"], &output[..]].concat())
            .done();
        for from in ["a.lv", "a.spv"] {
            for engine in ["simd", "core", "spirv"] {
                let arguments = ["render", from, "b.npy", "--engine", engine];
                place.run(&[&arguments, &output[..]].concat()).done();
                assert_eq!(place.read("core.npy"), place.read("b.npy"), "{from} {engine}");
            }
        }
    }
}

#[test]
fn modules_in_place_of_programs() {
    let place = TestFolder::with([
        ("a.lv", PROGRAM),
        ("loop.lv", "; endless\n((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (time))"),
    ]);
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    let source = ["render", "a.spv", "a.png", "--engine", "source"];
    place.fails(&source, 2, "evaluates shader text, and this is a module");
    let engine = ["--engine", "spirv"];
    let render =
        |file, more: &[&'static str]| [&["render", file, "a.png"], &engine[..], more].concat();
    let unset = place.run(&render("a.spv", &[]));
    assert_eq!(unset.err, "note: `a.spv`: `gain` is 0; --set gives it a value\n");
    place.fails(&render("a.spv", &["--set", "gian=2"]), 2, "did you mean `gain`?");
    place.fails(&render("a.spv", &["--output", "1"]), 2, "the program has no output 1");
    let module = place.read("a.spv");
    place.write("b.spv", &module[..module.len() - 4]);
    place.fails(
        &render("b.spv", &["--set", "gain=2"]),
        1,
        "error[LV0604]: a function does not end",
    );
    // A return is replaced by OpUnreachable.
    let (op_return, op_unreachable) =
        (0x0001_00fd_u32.to_le_bytes(), 0x0001_00ff_u32.to_le_bytes());
    let word =
        |bytes: &[u8]| if bytes == op_return { op_unreachable.to_vec() } else { bytes.to_vec() };
    place.write("c.spv", module.chunks(4).flat_map(word).collect::<Vec<u8>>());
    place.fails(&render("c.spv", &["--set", "gain=2"]), 1, "error[LV0603]");
    // The place is in the source text that the module carries.
    place.run(&["compile", "loop.lv", "-o", "loop.spv"]).done();
    let limit = ["--max-iterations", "9", "--size", "2x1"];
    place.fails(&render("loop.spv", &limit), 1, "--> loop.lv:2:2");
    place.fails(&render("loop.lv", &limit), 1, "--> loop.lv:2:2");
}

#[test]
fn options_of_spirv_are_for_spirv() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.fails(
        &["compile", "a.lv", "--emit", "core", "--float-controls"],
        2,
        "--spirv-version, --float-controls, --exact, --native-sampling, --strip, --keep-constants, --instrument and --vertex are for --emit spirv",
    );
    place.fails(&["compile", "a.lv", "-o", "a.png"], 2, "say with --emit what to write");
    let version = ["compile", "a.lv", "--emit", "spirv", "--spirv-version", "2.0"];
    place.fails(&version, 2, "`2.0` is none of 1.0 to 1.6");
}

/// Samples by the device's samplers: `inspect` shows the samplers, and no engine here draws such a program.
#[test]
fn native_sampling() {
    let shader = "(texture a) (texture b (filter nearest) (wrap mirror) srgb mipmaps)
        (define uv (.xy (frag-coord)))
        (+ (sample a uv) (sample b uv) (sample-grad b uv uv uv) (texel a (ivec2 1i)))";
    let place = TestFolder::with([("a.lv", shader)]);
    let text = place.run(&["compile", "a.lv", "--emit", "spirv-text", "--native-sampling"]).done();
    assert_eq!(text.text().matches("OpImageSampleExplicitLod").count(), 3);
    assert_eq!(text.text().matches("OpImageFetch").count(), 1);
    place.run(&["compile", "a.lv", "-o", "a.spv", "--native-sampling", "--strip"]).done();
    let said = place.run(&["inspect", "a.spv"]).done();
    for line in [
        "set 0 binding 1: combined image sampler  (sampled image 2D), sampled linear, clamp, of one level",
        "set 0 binding 2: combined image sampler  (sampled image 2D), sampled nearest, mirror, srgb, mipmaps",
    ] {
        assert!(said.text().lines().any(|said| said == line), "{}", said.text());
    }
    let said = place.run(&["inspect", "a.spv", "--message-format", "json"]).done();
    let sampler = r#""sampler":{"filter":"nearest","mipmaps":true,"srgb":true,"wrap":"mirror"}"#;
    assert!(said.text().contains(sampler), "{}", said.text());
    // Without `--native-sampling`, samplers have no effect and `inspect` prints nothing about them.
    assert!(!place.run(&["inspect", "a.lv"]).done().text().contains("sampled linear"));
    place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
    let core = String::from_utf8(place.read("a.core")).expect("it is text");
    let options = "nearest mirror srgb mipmaps";
    place.write("b.core", core.replace(options, &format!("{options} native")));
    place.write("white.lv", "1");
    place.run(&["render", "white.lv", "a.png", "--size", "2x2"]).done();
    let draw = |file, engine| {
        let binds = ["--bind", "a=a.png", "--bind", "b=a.png"];
        [&["render", file, "b.png", "--engine", engine], &binds[..]].concat()
    };
    // A module without a sampler's settings is sampled linearly, on every engine.
    let by = |engine| {
        let options = ["render", "a.spv", "b.npy", "--bind", "0.1=a.png", "--bind", "0.2=a.png"];
        place.run(&[&options[..], &["--engine", engine]].concat()).done();
        place.frame("b.npy")
    };
    assert_eq!(by("spirv").pixels(), by("simd").pixels());
    for engine in ["simd", "core", "spirv"] {
        let said = "error[LV0507]: samples of the texture `b` are a device's";
        place.fails(&draw("b.core", engine), 1, said);
    }
    let again = ["compile", "a.core", "--emit", "spirv", "--native-sampling"];
    place.fails(&again, 2, "--native-sampling is for shaders");
    let core = ["compile", "a.lv", "--emit", "core", "--native-sampling"];
    place.fails(&core, 2, "are for --emit spirv and spirv-text");
    // Not every device's sampler has these options; a texture with planes is read by texels in any case.
    for option in
        ["(wrap border)", "(wrap repeat clamp)", "(wrap mirror-once)", "(bias 1)", "(levels 0 1)"]
    {
        let text =
            format!("(texture t (kind array) {option})\n(texture u {option})\n(sample u (vec2 0))");
        place.write("c.lv", text);
        let compile = ["compile", "c.lv", "-o", "c.spv", "--native-sampling"];
        place.fails(
            &compile,
            1,
            "error[LV0513]: a device's sampler lacks an option of this texture",
        );
        place.fails(&compile, 1, "c.lv:2:1");
    }
    // Comparisons, gathers and offsets are reads of texels.
    let text = "(texture t (kind depth)) (define uv (.xy (frag-coord)))
        (+ (sample-bias t uv 1) (sample-projected t (vec3 uv 2)) (gather t uv 0) (sample-offset t uv (ivec2 1i)) (sample-compare t uv 1))";
    place.write("d.lv", text);
    let text = place.run(&["compile", "d.lv", "--emit", "spirv-text", "--native-sampling"]).done();
    assert_eq!(text.text().matches("OpImageSampleExplicitLod").count(), 2);
    assert!(text.text().contains("OpImageFetch"));
}

/// A vertex stage in its own module, which tests/gpu draws with.
#[test]
fn a_vertex_stage_covers_the_picture() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.run(&["compile", "a.lv", "-o", "a.spv", "--vertex", "v.spv"]).done();
    let seen = place.run(&["inspect", "v.spv"]).done();
    assert!(seen.text().contains("entry point main: Vertex\n"), "{}", seen.text());
    let arguments = ["compile", "a.lv", "-o", "b.spv", "--vertex", "b.spv"];
    place.fails(&arguments, 2, "--vertex and --out name one file");
    let arguments = ["compile", "a.lv", "-o", "b.spv", "--vertex", "a.lv"];
    place.fails(&arguments, 2, "`a.lv` would be overwritten");
    let arguments = ["compile", "a.lv", "--emit", "core", "--vertex", "w.spv"];
    place.fails(&arguments, 2, "--vertex are for --emit spirv");
}

#[test]
fn broken_programs_are_not_compiled() {
    let place = TestFolder::with([("a.lv", "(vec4 x)"), ("a.core", "untouched")]);
    place.fails(&["compile", "a.lv", "--emit", "core", "-o", "a.core"], 1, "error[LV0301]");
    place.write("b.core", "lambdav-core 1\n%0: num = add %1, %1\noutput 0 = %0\n");
    place.fails(&["compile", "b.core", "--emit", "core"], 1, "--> b.core:2:");
    place.write("c.core", "lambdav-core 3\n");
    place.fails(&["check", "c.core"], 1, "error[LV0602]");
}

#[test]
fn wrong_options_are_refused() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.fails(&["compile", "a.lv"], 2, "--emit <STAGE>");
    place.fails(&["compile", "a.lv", "--emit", "spam"], 2, "[possible values: core");
    place.fails(
        &["compile", "a.lv", "--emit", "core", "-o", "none/a.core"],
        2,
        "cannot write `none/a.core`: there is no folder `none`",
    );
    // Standard output cannot take both.
    let json = ["compile", "a.lv", "--emit", "core", "--message-format", "json"];
    place.fails(&json, 2, "add -o FILE");
}

#[test]
fn diagnostics_can_be_json() {
    let place = TestFolder::with([("a.lv", "(vec4 x)")]);
    let arguments =
        ["compile", "a.lv", "--emit", "core", "-o", "a.core", "--message-format", "json"];
    let outcome = place.run(&arguments);
    assert_eq!((outcome.status, outcome.err.as_str()), (1, ""));
    let object: serde_json::Value = serde_json::from_str(outcome.text()).expect("one JSON object");
    assert_eq!(object["code"], "LV0301");
    assert_one_error(object["rendered"].as_str().expect("a text"), "`x` is not bound");
}

/// Constants that decide nothing at compile time can become specialisation constants.
#[test]
fn scalar_constants_are_kept_on_request() {
    let shader = "(constant gain num 2)
        (constant on bool true)
        (constant rounds int 3i)
        (constant base num 4)
        (constant tint vec2 (vec2 1 2))
        (uniform u num base)
        (define sum (@ ((rec-func (i s) (if (less i rounds) (rec (+ i 1i) (+ s 1)) s)) 0i 0)))
        (vec4 (if on gain 0) sum u (.y tint))";
    let place = TestFolder::with([("a.lv", shader)]);
    let text = |more: &[&str]| {
        let arguments = ["compile", "a.lv", "--emit", "spirv-text"];
        place.run(&[&arguments, more].concat()).done().text().to_owned()
    };
    let kept = text(&["--keep-constants"]);
    let count = |what: &str| kept.matches(what).count();
    assert_eq!([count("OpSpecConstant "), count("OpSpecConstantTrue")], [1, 1], "{kept}");
    assert_eq!(count("SpecId"), 2, "{kept}");
    assert!(kept.contains("\"gain\"") && kept.contains("\"on\""), "{kept}");
    assert!(!text(&[]).contains("OpSpecConstant"));
    // Both kinds of constants can be set.
    let pixel = |more: &[&str]| {
        place.run(&[&["compile", "a.lv", "-o", "a.spv"], more].concat()).done();
        let render = ["render", "a.spv", "a.npy", "--size", "2x1", "--engine", "spirv"];
        place.run(&[&render[..], &["--set", "u=5"]].concat()).done();
        place.frame("a.npy").pixel(0, 0).expect("it is within")
    };
    for keep in [&["--keep-constants"][..], &[]] {
        assert_eq!(pixel(keep), [2.0, 3.0, 5.0, 2.0]);
        let set = [keep, &["--set", "gain=7", "--set", "rounds=1"]].concat();
        assert_eq!(pixel(&set), [7.0, 1.0, 5.0, 2.0]);
        assert_eq!(pixel(&[keep, &["--set", "on=false"]].concat()), [0.0, 3.0, 5.0, 2.0]);
    }
    let fails = |more: &[&str], message: &str| {
        place.fails(&[&["compile", "a.lv"], more].concat(), 2, message);
    };
    fails(
        &["--emit", "core", "--keep-constants"],
        "--keep-constants, --instrument and --vertex are for --emit spirv",
    );
    fails(&["--emit", "core", "--set", "u=1"], "`u` is a uniform");
    fails(&["--emit", "core", "--set", "gian=1"], "did you mean `gain`?");
    fails(&["--emit", "core", "--set", "gain=true"], "constant `gain`: `true` is not a number");
}

#[test]
fn a_world_that_is_the_same_for_all_pixels_is_computed_once() {
    let place = TestFolder::with([("life.lv", include_str!("../../../shaders/life.lv"))]);
    let lanes = place.run(&["compile", "life.lv", "--emit", "lanes"]).done();
    let (frame, groups) = lanes.text().split_once("\n}").expect("the part for the frame ends");
    assert!(frame.contains("loop #0") && !groups.contains("loop #"), "{frame}");
    assert_eq!(groups.matches(" = lookup ").count(), 1, "{groups}");
}

/// Members of blocks are set by names or by places. Unset members are zero, which a note reports.
#[test]
fn modules_are_programs() {
    let place = TestFolder::with([("a.lv", PROGRAM)]);
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    let options = ["--size", "3x2", "--time", "1"];
    place.run(&[&["render", "a.lv", "a.npy", "--set", "gain=2"], &options[..]].concat()).done();
    for name in ["gain", "0.0.gain"] {
        let set = format!("{name}=2");
        let render = ["render", "a.spv", "b.npy", "--set", &set, "--no-metadata"];
        let outcome = place.run(&[&render, &options[..]].concat()).done();
        assert_eq!(outcome.err, "", "{name}");
        assert_eq!(place.frame("a.npy").pixels(), place.frame("b.npy").pixels(), "{name}");
    }
    let outcome = place.run(&[&["render", "a.spv", "c.npy"], &options[..]].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert_eq!(outcome.err, "note: `a.spv`: `gain` is 0; --set gives it a value\n");
    let wrong = ["render", "a.spv", "c.npy", "--set", "gian=2"];
    place.fails(&wrong, 2, "did you mean `gain`?");
    let input = ["render", "a.spv", "c.npy", "--input", "3=1"];
    place.fails(&input, 2, "the module has no input 3; it has none");
    let input = ["render", "a.spv", "c.npy", "--input", "uv"];
    place.fails(&input, 2, "write --input LOC=uv, LOC=position or LOC=NUMBERS");
    // The raised core is an ordinary program.
    place.run(&["compile", "a.spv", "--emit", "core", "-o", "a.core"]).done();
    let render = ["render", "a.core", "d.npy", "--set", "gain=2"];
    place.run(&[&render, &options[..]].concat()).done();
    assert_eq!(place.frame("a.npy").pixels(), place.frame("d.npy").pixels());
}

/// The table of CRC-32: 256 closed loops.
pub(super) const CRC_TABLE: &str = include_str!("crc_table.lv");

#[test]
fn closed_loops_are_constants_of_modules() {
    let place = TestFolder::with([("crc.lv", CRC_TABLE)]);
    for options in [&[][..], &["--exact"]] {
        let line = [&["compile", "crc.lv", "--emit", "spirv-text"][..], options].concat();
        let module = place.run(&line).done();
        assert!(!module.text().contains("OpLoopMerge"), "{}", module.text());
        // An element of the table, 0x77073096.
        assert!(module.text().contains("1996959894"), "{}", module.text());
    }
    for engine in ["core", "source", "simd", "spirv"] {
        let out = format!("{engine}.npy");
        place.run(&["render", "crc.lv", &out, "--size", "7x5", "--engine", engine]).done();
        assert_eq!(place.read(&out), place.read("core.npy"), "{engine}");
    }
    // CRC-32 of the bytes 5 and 3 is 0xa5a7b700.
    assert_eq!(place.frame("core.npy").pixel(5, 3), Some([0.0, 183.0, 42407.0, 1.0]));
}

#[test]
fn loops_that_take_too_long_stay_in_modules() {
    let counting = |to: &str, by: &str| {
        format!("((rec-func (n) (if (less n {to}) (rec (+ n {by})) n)) (* 0.5 {by}))")
    };
    for (to, by, is_constant) in
        [("1000", "1", true), ("10000000", "1", false), ("1", "0", false), ("(time)", "1", false)]
    {
        let program = format!("(if (less (time) 0) {} 1)", counting(to, by));
        let place = TestFolder::with([("a.lv", &*program)]);
        let module = place.run(&["compile", "a.lv", "--emit", "spirv-text"]).done();
        assert_eq!(!module.text().contains("OpLoopMerge"), is_constant, "{program}");
    }
}
