//! AmberScript in `lambdav test`: scripts written here, and the conformance suite in `../shared/corpus`,
//! which is not part of the project. Without the corpus its test is skipped.

use super::harness::{LAMBDAV, TestFolder};
use lambdav_amber::{AmberErrorKind, Script};
use lambdav_test_support::COLOUR_SHADER;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// A script whose shader writes the colour of a uniform, with an expectation.
fn script(data: &str, expectation: &str) -> String {
    format!(
        "#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f SPIRV-ASM TARGET_ENV spv1.0
{COLOUR_SHADER}END
BUFFER u DATA_TYPE vec4<float> STD140 DATA
 {data}
END
BUFFER frame FORMAT B8G8R8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 4
  BIND BUFFER frame AS color LOCATION 0
  BIND BUFFER u AS uniform DESCRIPTOR_SET 0 BINDING 1
END
CLEAR_COLOR p 0 0 0 255
CLEAR p
RUN p DRAW_RECT POS 0 0 SIZE 8 4
{expectation}
"
    )
}

const RED: &str = "EXPECT frame IDX 0 0 SIZE 8 4 EQ_RGBA 255 0 0 255";

#[test]
fn scripts_pass_fail_or_are_unsupported() {
    let place = TestFolder::with([
        ("a/pass.amber", &*script("1 0 0 1", RED)),
        ("b/fail.amber", &script("1 0.5 0 1", RED)),
        ("c/near.amber", &script("1 0.01 0 1", &format!("{RED} TOLERANCE 3"))),
        ("c/same.amber", &script("1 0 0 1", "EXPECT frame EQ_BUFFER frame")),
        ("d/probe.amber", &script("1 0 0 1", "EXPECT frame IDX 0 EQ 3")),
        ("d/rays.amber", "#!amber\nPIPELINE raytracing p\nEND\n"),
        ("e/wrong.amber", "#!amber\nSHADER vertex v PASSTHROUGH\nCLEAR q\n"),
        ("e/text.amber", &script("1 0 0 1", RED).replace("OpReturn\n", "OpRetur\n")),
    ]);
    for engine in ["simd", "core", "spirv"] {
        place.run(&["test", "a", "c", "--engine", engine]).done();
        let differs =
            "expected [255, 0, 0, 255], got [255, 128, 0, 255], first at (0, 0) (line 47)";
        let failed = place.run(&["test", "b", "--engine", engine]);
        assert_eq!(failed.status, 1, "{}", failed.text());
        assert!(failed.text().contains(differs), "{}", failed.text());
    }
    let unsupported = place.run(&["test", "a", "d", "--report", "r"]).done();
    let said = unsupported.text();
    assert!(said.contains("unsupported d/rays.amber: a raytracing pipeline"), "{said}");
    assert!(said.contains("unsupported d/probe.amber: EXPECT … IDX … EQ"), "{said}");
    assert!(said.contains("3 tests: 1 passed, 2 unsupported"), "{said}");
    let xml = String::from_utf8(place.read("r/junit.xml")).expect("it is text");
    assert!(xml.contains("failures=\"0\" errors=\"0\" skipped=\"2\""), "{xml}");
    assert!(xml.contains("<skipped message=\"a raytracing pipeline\"/>"), "{xml}");
    let wrong = place.run(&["test", "e"]);
    assert_eq!(wrong.status, 1);
    assert!(
        wrong.text().contains("e/wrong.amber:3:7: there is no pipeline `q`"),
        "{}",
        wrong.text()
    );
    assert!(wrong.text().contains("there is no instruction `OpRetur`"), "{}", wrong.text());
    assert!(wrong.text().contains("e/text.amber:30:1"), "{}", wrong.text());
}

/// A compute shader in GLSL that adds to each of four numbers its index.
const ADDS: &str = "#version 450
layout(local_size_x = 4) in;
layout(set = 0, binding = 1) buffer Numbers { int numbers[]; };
layout(set = 0, binding = 2) uniform Step { int by; };
void main() { numbers[gl_LocalInvocationIndex] += by * int(gl_LocalInvocationIndex); }
";

/// A script that runs it three times, with an expectation.
fn compute(expectation: &str) -> String {
    format!(
        "#!amber
SHADER compute adds GLSL
{ADDS}END
BUFFER numbers DATA_TYPE int32 DATA 10 20 30 40 END
BUFFER same DATA_TYPE int32 SIZE 4 SERIES_FROM 10 INC_BY 40
BUFFER step DATA_TYPE int32 SIZE 1 FILL 10
PIPELINE compute p
  ATTACH adds
  BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 1
  BIND BUFFER step AS uniform DESCRIPTOR_SET 0 BINDING 2
END
RUN p 1 1 1
REPEAT 2
  RUN TIMED_EXECUTION p 1 1 1
END
{expectation}
"
    )
}

/// The shader above as a script of VkRunner.
fn of_runner(probe: &str) -> String {
    format!(
        "[compute shader]
{ADDS}
[require]
framebuffer R8_UNORM
[test]
ssbo 1 subdata int 0 10 20 30 40
ubo 0:2 16
ubo 0:2 subdata int 0 30
compute entrypoint main
compute 1 1 1
{probe}
"
    )
}

/// Data from files beside the script, and values of specialisation constants.
#[test]
fn scripts_name_files_and_constants() {
    let place = TestFolder::new();
    let script = |file: &str, constant: &str| {
        format!(
            "#!amber
SHADER compute scales GLSL
#version 450
layout(constant_id = 5) const int by = 1;
layout(set = 0, binding = 1) buffer Numbers {{ int numbers[]; }};
void main() {{ numbers[gl_WorkGroupID.x] *= by; }}
END
BUFFER numbers DATA_TYPE int32 SIZE 4 FILE TEXT {file}
PIPELINE compute p
  ATTACH scales SPECIALIZE 5 AS int32 {constant}
  BIND BUFFER numbers AS storage DESCRIPTOR_SET 0 BINDING 1
END
RUN p 4 1 1
EXPECT numbers IDX 0 EQ -3 6 9 12
"
        )
    };
    place.write("data/four.txt", "# The fifth is left out.\n-1 2\n3 4\n5\n");
    place.write("data/three.txt", "1 2 3");
    place.write("data/words.txt", "1 2 three 4");
    for (file, constant, said) in [
        ("data/four.txt", "3", "1 passed"),
        ("data/four.txt", "4", "expected -3, got -4, at byte 0"),
        ("data/four.txt", "x", "expected a number, found `x`"),
        (
            "data/three.txt",
            "3",
            "a.amber:8:49: the file `data/three.txt`: it has 3 elements in place of 4",
        ),
        ("data/words.txt", "3", "the file `data/words.txt`: expected a number, found `three`"),
        ("data/none.txt", "3", "the file `data/none.txt`: No such file"),
        ("../a.amber", "3", "it is not below the folder of the script"),
    ] {
        place.write("a.amber", script(file, constant));
        for engine in ["simd", "core", "spirv"] {
            let text = place.run(&["test", "a.amber", "--engine", engine]).text().to_owned();
            assert!(text.contains(said), "{file} {constant}: {text}");
        }
    }
}

#[test]
fn compute_scripts_run_on_buffers() {
    let place = TestFolder::new();
    for (expectation, said) in [
        ("EXPECT numbers IDX 0 EQ 10 50 90 130", None),
        ("EXPECT numbers IDX 8 GE 90 129\nEXPECT numbers IDX 4 LT 51", None),
        ("EXPECT numbers IDX 4 TOLERANCE 2 EQ 48\nEXPECT numbers IDX 4 TOLERANCE 5% EQ 48", None),
        ("EXPECT numbers EQ_BUFFER same", None),
        ("EXPECT numbers EQ_BUFFER step", Some("`numbers` is not `step`: 16 and 4 bytes")),
        (
            "EXPECT numbers IDX 4 EQ 50 91",
            Some("`numbers`: expected 91, got 90, at byte 8 (line 21)"),
        ),
        ("EXPECT numbers IDX 4 NE 50", Some("expected 50, got 50, at byte 4")),
        ("EXPECT numbers IDX 4 TOLERANCE 1% EQ 48", Some("expected 48, got 50")),
        ("EXPECT numbers IDX 3 EQ 50", Some("no number of the buffer begins at byte 3")),
        ("EXPECT numbers IDX 12 EQ 130 1", Some("`numbers` ends before byte 20")),
        ("EXPECT numbers IDX 12 EQ", Some("nothing is expected")),
        ("", Some("a script that expects nothing")),
    ] {
        place.write("a.amber", compute(expectation));
        for engine in ["simd", "core", "spirv"] {
            let text = place.run(&["test", "a.amber", "--engine", engine]).text().to_owned();
            match said {
                None => assert!(text.contains("1 passed"), "{expectation}: {text}"),
                Some(message) => assert!(text.contains(message), "{expectation}: {text}"),
            }
        }
    }
    for (probe, said) in [
        ("probe ssbo int 0:1 0 == 10 50 90 130", "1 passed"),
        ("probe ssbo ivec2 0:1 8 > 89 129", "1 passed"),
        ("probe ssbo uint 1 12 == 131", "expected 131, got 130, at byte 12 (line 16)"),
        ("probe ssbo double 1 12 == 131", "a buffer of double"),
        ("probe all rgb 1 1 1", "`probe` of pictures"),
        ("probe ssbo int 1 12 = 131", "expected a relation, found `=`"),
    ] {
        place.write("a.amber", of_runner(probe));
        let text = place.run(&["test", "a.amber"]).text().to_owned();
        assert!(text.contains(said), "{probe}: {text}");
    }
    place.write("a.amber", "[vertex shader passthrough]\n\n[test]\nclear\n");
    let text = place.run(&["test", "a.amber"]).text().to_owned();
    assert!(text.contains("unsupported a.amber: a script of VkRunner that draws"), "{text}");
}

/// A script that draws an image by a sampler, from −1/2 to 3/2 of its sides; then that picture, one half to the right.
fn sampled(image: &str, sampler: &str, bind: &str, expectation: &str) -> String {
    format!(
        "#!amber
SHADER vertex v PASSTHROUGH
SHADER fragment f GLSL
#version 450
layout(set = 0, binding = 0) uniform sampler2D image;
layout(location = 0) out vec4 colour;
void main() {{ colour = texture(image, (gl_FragCoord.xy - 2.0) / 4.0); }}
END
SHADER fragment again GLSL
#version 450
layout(set = 1, binding = 3) uniform texture2D image;
layout(set = 1, binding = 4) uniform sampler way;
layout(location = 0) out vec4 colour;
void main() {{ colour = texture(sampler2D(image, way), (gl_FragCoord.xy + vec2(4, 0)) / 8.0); }}
END
{image}
SAMPLER s {sampler}
SAMPLER default
BUFFER frame FORMAT B8G8R8A8_UNORM
BUFFER second FORMAT B8G8R8A8_UNORM
PIPELINE graphics p
  ATTACH v
  ATTACH f
  FRAMEBUFFER_SIZE 8 8
  BIND BUFFER frame AS color LOCATION 0
  {bind}
END
PIPELINE graphics q
  ATTACH v
  ATTACH again
  FRAMEBUFFER_SIZE 8 8
  BIND BUFFER second AS color LOCATION 0
  BIND BUFFER frame AS sampled_image DESCRIPTOR_SET 1 BINDING 3
  BIND SAMPLER default DESCRIPTOR_SET 1 BINDING 4
END
RUN p DRAW_RECT POS 0 0 SIZE 8 8
RUN q DRAW_RECT POS 0 0 SIZE 8 8
{expectation}
"
    )
}

/// Red, green; blue, white.
const FOUR: &str = "IMAGE four DATA_TYPE vec3<float> DIM_2D WIDTH 2 HEIGHT 2 DATA
1 0 0  0 1 0
0 0 1  1 1 1
END";

const COMBINED: &str =
    "BIND BUFFER four AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0";

#[test]
fn scripts_sample_images() {
    let place = TestFolder::new();
    let corner = |colour: &str| format!("EXPECT frame IDX 0 0 SIZE 2 2 EQ_RGBA {colour}");
    let sides = |mode: &str| format!("ADDRESS_MODE_U {mode} ADDRESS_MODE_V {mode}");
    let border = |colour: &str| format!("{} BORDER_COLOR {colour}", sides("clamp_to_border"));
    let (bind, wrapped) = (COMBINED, "MIN_LOD 0.0 MAX_LOD 1.0");
    for (image, sampler, bind, expectation, said) in [
        (FOUR, "", bind, corner("255 255 255 255"), "1 passed"),
        (FOUR, wrapped, bind, corner("255 255 255 255"), "1 passed"),
        (FOUR, &sides("clamp_to_edge"), bind, corner("255 0 0 255"), "1 passed"),
        (FOUR, &sides("mirrored_repeat"), bind, corner("255 0 0 255"), "1 passed"),
        (FOUR, &sides("mirrored_clamp_to_edge"), bind, corner("255 0 0 255"), "1 passed"),
        (FOUR, &border("float_transparent_black"), bind, corner("0 0 0 0"), "1 passed"),
        (FOUR, &border("float_opaque_black"), bind, corner("0 0 0 255"), "1 passed"),
        (FOUR, &border("int_opaque_white"), bind, corner("255 255 255 255"), "1 passed"),
        // Half of blue and white, with one eighth of the next ones.
        (
            FOUR,
            "MAG_FILTER linear MIN_FILTER linear",
            bind,
            "EXPECT frame IDX 3 4 SIZE 1 1 EQ_RGBA 96 64 128 255 TOLERANCE 64".into(),
            "1 passed",
        ),
        // The second picture is the first, moved by a half of it.
        (FOUR, "", bind, "EXPECT second IDX 6 0 SIZE 2 2 EQ_RGBA 0 0 255 255".into(), "1 passed"),
        (FOUR, "", bind, "EXPECT second EQ_BUFFER frame".into(), "1 passed"),
        (
            "IMAGE four DATA_TYPE float DIM_2D WIDTH 2 HEIGHT 2 SERIES_FROM 0.0 INC_BY 0.2",
            "",
            bind,
            corner("153 0 0 255"),
            "1 passed",
        ),
        (FOUR, "", "", corner("0 0 0 0"), "nothing is bound to set 0, binding 0"),
        (FOUR, "MAG_FILTER cubic", bind, corner("0 0 0 0"), "expected a filter, found `cubic`"),
        (FOUR, "WRAP repeat", bind, corner("0 0 0 0"), "expected an option of a sampler, found"),
        (
            "IMAGE four DATA_TYPE float DIM_2D WIDTH 2 HEIGHT 2 DATA 1 2 3 END",
            "",
            bind,
            corner("0 0 0 0"),
            "unsupported a.amber: an image with fewer texels than its size says",
        ),
        (
            "IMAGE four DATA_TYPE int32 DIM_2D WIDTH 1 HEIGHT 1 FILL 3",
            "",
            bind,
            corner("0 0 0 0"),
            "a.amber:36:1: `image` is a texture, which takes numbers",
        ),
        (
            "IMAGE four DATA_TYPE float DIM_3D WIDTH 60000 HEIGHT 60000 DEPTH 60000 FILL 3",
            "",
            bind,
            corner("0 0 0 0"),
            "buffers of more than 67108864 bytes",
        ),
        (
            FOUR,
            "",
            "BIND BUFFER frame AS combined_image_sampler SAMPLER s DESCRIPTOR_SET 0 BINDING 0",
            corner("0 0 0 0"),
            "nothing was drawn into `frame`",
        ),
    ] {
        place.write("a.amber", sampled(image, sampler, bind, &expectation));
        for engine in ["simd", "core", "spirv"] {
            let text = place.run(&["test", "a.amber", "--engine", engine]).text().to_owned();
            assert!(text.contains(said), "{image} {sampler} {expectation}: {text}");
        }
    }
}

/// An expectation that every picture meets is refused.
#[test]
fn expectations_that_say_nothing_are_refused() {
    let place = TestFolder::new();
    let number = "expected a number that is finite and not negative";
    for (expectation, message) in [
        ("EXPECT frame IDX 0 0 SIZE 8 4 EQ_RGBA 1 2 3 4 TOLERANCE nan", number),
        ("EXPECT frame IDX 0 0 SIZE 8 4 EQ_RGBA 1 2 3 4 TOLERANCE 1 inf 1 1", number),
        ("EXPECT frame IDX 0 0 SIZE 8 4 EQ_RGBA 1 2 3 4 TOLERANCE -1", number),
        ("EXPECT frame EQ_HISTOGRAM_EMD_BUFFER frame TOLERANCE NaN", number),
        ("EXPECT frame IDX 0 0 SIZE 0 4 EQ_RGBA 1 2 3 4", "the rectangle is empty"),
        ("EXPECT frame IDX 8 4 SIZE 8 0 EQ_RGB 1 2 3", "the rectangle is empty"),
    ] {
        place.write("a.amber", script("1 0 0 1", expectation));
        let outcome = place.run(&["test", "a.amber"]);
        assert_eq!(outcome.status, 1, "{expectation}: {}", outcome.text());
        assert!(outcome.text().contains(message), "{expectation}: {}", outcome.text());
        assert!(outcome.text().contains("a.amber:47:"), "{expectation}: {}", outcome.text());
    }
}

/// Buffers and pictures of a script share a limit. A buffer that is bound several times counts once.
#[test]
fn scripts_take_bounded_memory() {
    let place = TestFolder::new();
    let first = script("1 0 0 1", RED);
    let buffer = |n: usize| format!("BUFFER b{n} DATA_TYPE mat4x4<float> SIZE 900000 FILL 1\n");
    let bind = |n: usize| format!("  BIND BUFFER b0 AS uniform DESCRIPTOR_SET 1 BINDING {n}\n");
    let bound: String = (0..200).map(bind).collect();
    let script = first.replace("PIPELINE", &(buffer(0) + "PIPELINE"));
    let script = script.replace("  BIND BUFFER frame", &(bound + "  BIND BUFFER frame"));
    place.write("bound.amber", &script);
    place.write("many.amber", script.replace("PIPELINE", &(buffer(1) + "PIPELINE")));
    place.write("large.amber", first.replace("8 4", "8192 8192"));
    place.write("drawn.amber", first.replace("8 4", "8192 8193"));
    let run = |name: &str| {
        let run = std::process::Command::new("sh")
            .args(["-c", "ulimit -v 2000000 && exec \"$0\" test \"$1\"", LAMBDAV, name])
            .current_dir(place.path(""))
            .output();
        let output = run.expect("there is a shell");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    for (name, message) in [
        ("bound.amber", "1 test: 1 passed"),
        ("many.amber", "unsupported many.amber: buffers of more than 67108864 bytes"),
        ("large.amber", "1 test: 1 passed"),
        ("drawn.amber", "unsupported drawn.amber: more than 67108864 pixels that are cleared"),
    ] {
        let (status, text) = run(name);
        assert_eq!(status, Some(0), "{name}: {text}");
        assert!(text.contains(message), "{name}: {text}");
    }
}

/// The scripts of the corpus.
fn corpus() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/corpus/graphicsfuzz");
    let Ok(files) = fs::read_dir(folder) else {
        lambdav_test_support::skipped("../shared/corpus/graphicsfuzz is not there");
        return Vec::new();
    };
    let mut files: Vec<PathBuf> = files.map(|file| file.expect("it is listed").path()).collect();
    files.sort();
    files
}

/// All scripts on `simd`; on the other engines, which are slow, a sample. `AMBER_ALL` runs all scripts there,
/// too.
#[test]
fn the_corpus_has_no_failure() {
    let files = corpus();
    if files.is_empty() {
        return;
    }
    check("simd", &files);
    let every = if std::env::var_os("AMBER_ALL").is_some() { 1 } else { 60 };
    let sample: Vec<PathBuf> = files.into_iter().step_by(every).collect();
    ["core", "spirv"].into_iter().for_each(|engine| check(engine, &sample));
}

/// Runs scripts on an engine, and prints the number of scripts for each result.
fn check(engine: &str, files: &[PathBuf]) {
    let place = TestFolder::new();
    let paths = files.iter().map(|path| path.to_str().expect("it is text"));
    let arguments: Vec<&str> =
        ["test", "--timeout", "600", "--engine", engine, "--message-format", "json"]
            .into_iter()
            .chain(paths)
            .collect();
    let outcome = place.run(&arguments);
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut bad = Vec::new();
    for line in outcome.text().lines() {
        let Ok(result) = serde_json::from_str::<Value>(line) else { continue };
        let [status, message, test] =
            ["status", "message", "test"].map(|key| result[key].as_str().unwrap_or_default());
        let key = match status {
            "unsupported" => format!("unsupported: {message}"),
            status => status.to_owned(),
        };
        *counts.entry(key).or_default() += 1;
        if !matches!(status, "passed" | "unsupported") {
            bad.push(format!("{test}: {message}"));
        }
    }
    println!("{engine}: {counts:#?}");
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert_eq!(counts.values().sum::<usize>(), files.len());
    assert_eq!(outcome.status, 0);
}

/// A truncated or damaged script is read, or refused with a place.
#[test]
fn no_script_is_a_panic() {
    let mut texts: Vec<String> = corpus()
        .iter()
        .step_by(40)
        .map(|path| fs::read_to_string(path).expect("it can be read"))
        .collect();
    texts.push(script("1 0 0 1", RED));
    texts.push(compute("EXPECT numbers IDX 4 TOLERANCE 5% EQ 48"));
    texts.push(of_runner("probe ssbo ivec2 0:1 8 > 89 129"));
    let parts = [
        "END",
        "#",
        "-1",
        "4294967296",
        "DATA",
        "\n",
        "vec9<float>",
        "é",
        "SIZE 99999999 FILL 1",
        "p",
    ];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for text in &texts {
        for _ in 0..100 {
            // Changes fall anywhere in the script. (The shaders are the longest part, but only the lines
            // around them are parsed.)
            let mut words: Vec<&str> = text.split_inclusive([' ', '\n']).collect();
            for _ in 0..=random(3) {
                let at = random(words.len());
                match random(3) {
                    0 => words.truncate(at.max(1)),
                    1 => words[at] = parts[random(parts.len())],
                    _ => drop(words.remove(at)),
                }
                if words.is_empty() {
                    words.push("END");
                }
            }
            let text = words.concat();
            if let Err(error) = Script::read(&text) {
                let span = error.span.start as usize..error.span.end as usize;
                assert!(text.get(span).is_some(), "{}", error.kind);
                assert!(
                    !matches!(&error.kind, AmberErrorKind::Unsupported(what) if what.is_empty())
                );
            }
        }
    }
}
