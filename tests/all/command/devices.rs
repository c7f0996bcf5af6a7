//! `lambdav devices`, `compare` and the engine `gpu`: a Vulkan device on the command line.
//!
//! Without a device the tests are skipped with a message.
#![cfg(feature = "gpu")]

use super::harness::{CommandOutcome, LAMBDAV, TestFolder};
use lambdav_core::op::Op;
use lambdav_core::schedule::{Expr, Statement, schedule};
use lambdav_engine::program::Loaded;
use lambdav_test_support::{header_bindings, skipped};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// The names of the devices.
fn devices() -> Vec<String> {
    let output = Command::new(LAMBDAV).args(["devices", "--message-format", "json"]).output();
    let output = output.expect("the command can be started");
    if output.status.code() == Some(3) {
        skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
        return Vec::new();
    }
    let text = String::from_utf8(output.stdout).expect("JSON");
    let name = |line: &str| {
        let device: Value = serde_json::from_str(line).expect("each line is an object");
        device["name"].as_str().expect("it has a name").to_owned()
    };
    text.lines().map(name).collect()
}

/// The number of Mesa's lavapipe, whose results are known; `None` if it is missing.
fn lavapipe() -> Option<String> {
    let devices = devices();
    let number = devices.iter().position(|name| name.contains("llvmpipe"));
    if number.is_none() && !devices.is_empty() {
        skipped("Mesa's lavapipe is not there; .ci/install-tools installs it");
    }
    number.map(|number| number.to_string())
}

/// Draws on that device with the engine `gpu`.
fn on_device(place: &TestFolder, device: &str, line: &[&str]) -> CommandOutcome {
    place.run(&[line, &["--engine", "gpu", "--device", device]].concat())
}

/// Demands that the CPU and a device draw the same picture.
#[track_caller]
fn same(place: &TestFolder, device: &str, program: &str, options: &[&str]) {
    let line = |out| [&["render", program, out][..], options].concat();
    place.run(&line("cpu.npy")).done();
    on_device(place, device, &line("gpu.npy")).done();
    let outcome = place.run(&["diff", "cpu.npy", "gpu.npy"]);
    assert_eq!(outcome.status, 0, "{program}: {}", outcome.text());
}

/// A picture that needs only operations that every device computes exactly.
const PLAIN: &str = "(define p (.xy (frag-coord))) (vec3 (* 0.0078125 p) (+ (time) (frame)))";

/// Sines, which devices compute differently.
const SINE: &str = "(define angle (* 0.37 (.x (frag-coord))))\n(vec3 (sin angle) 0 1)\n";

#[test]
fn devices_are_listed() {
    let names = devices();
    let Some(first) = names.first() else { return };
    let text = TestFolder::new().run(&["devices"]).done();
    assert!(text.text().starts_with(&format!("0: {first}\n")), "{}", text.text());
    for row in ["kind", "driver", "Vulkan", "64-bit floats", "64-bit integers"] {
        assert!(text.text().contains(&format!("\n   {row} ")), "{row}: {}", text.text());
    }
}

#[test]
fn a_device_has_a_number_and_a_name() {
    let names = devices();
    let Some(first) = names.first() else { return };
    let place = TestFolder::with([("a.lv", PLAIN)]);
    let line = ["render", "a.lv", "a.png", "--size", "4x4", "--engine", "gpu", "--device"];
    for device in ["0", first, &first.to_uppercase()] {
        place.run(&[&line[..], &[device]].concat()).done();
        fs::remove_file(place.path("a.png")).expect("it was written");
    }
    for (device, said) in [("99", "there is no device `99`"), ("no such", "`no such`")] {
        let line = [&line[..], &[device]].concat();
        place.fails(&line, 2, said);
        place.fails(&line, 2, &format!("\n  0: {first}"));
    }
}

#[test]
fn what_is_for_devices_needs_one() {
    let place = TestFolder::with([("a.lv", PLAIN)]);
    for options in [&["--device", "0"][..], &["--native"], &["--flush-subnormals"]] {
        for command in [&["render", "a.lv", "a.png"][..], &["test", "."]] {
            let said = format!("{} is for the engine `gpu`; add --engine gpu", options[0]);
            place.fails(&[command, options].concat(), 2, &said);
        }
    }
    let line = ["render", "a.lv", "a.png", "--engine", "gpu"];
    let limited = [&line[..], &["--max-iterations", "7"]].concat();
    place.fails(&limited, 2, "a device counts no iterations");
    place.fails(&[&line[..], &["--lanes", "4"]].concat(), 2, "--lanes is for the engine `simd`");
    let both = ["--native", "--flush-subnormals"];
    place.fails(&[&line[..], &both].concat(), 2, "cannot be used with");
}

/// A missing driver is reported as a fault of the machine.
#[test]
fn without_a_driver() {
    let place = TestFolder::with([("a.lv", "; test: --size 2x2\n(vec4 1)")]);
    place.run(&["test", "--bless"]).done();
    for line in [
        &["devices"][..],
        &["render", "a.lv", "b.png", "--engine", "gpu"],
        &["compare", "a.lv"],
        &["compare", "--functions"],
        &["test", "--engine", "gpu"],
        &["diff", "--run", "a.lv", "a.lv", "--engine", "gpu"],
    ] {
        let mut command = place.command(line);
        for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            command.env(variable, "/nonexistent");
        }
        let outcome = place.finish(command);
        assert_eq!((outcome.status, outcome.text()), (3, ""), "{line:?}");
        assert!(outcome.err.starts_with("error: there is no Vulkan"), "{}", outcome.err);
        assert_eq!(outcome.err.lines().count(), 1, "{}", outcome.err);
    }
}

/// True if a program calls operations that devices may round differently.
fn is_inexact(path: &Path) -> bool {
    let bytes = fs::read(path).expect("it is there");
    let core = Loaded::from_file(Some(path), bytes, 1).core.expect("it is right");
    let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
    let program = schedule(&core, &locations).expect("it is small");
    let mut statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.any(|statement| {
        let Statement::Let { expr: Expr::Op(op, _), .. } = statement else { return false };
        matches!(op, Op::Elementary(_) | Op::Fma)
    })
}

/// Shaders without inexact operations are equal in every bit. The gallery has textures, buffers, uniforms and
/// several outputs.
#[test]
fn the_gallery_is_drawn_alike() {
    let Some(device) = lavapipe() else { return };
    let place = TestFolder::new();
    place.copy_gallery();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders");
    let mut drawn = 0;
    for entry in fs::read_dir(&folder).expect("the gallery is there") {
        let path = entry.expect("it can be listed").path();
        if path.extension().is_none_or(|ending| ending != "lv") || is_inexact(&path) {
            continue;
        }
        let name = format!("shaders/{}", path.file_name().unwrap_or_default().to_string_lossy());
        let text = fs::read_to_string(&path).expect("it is text");
        let bindings = header_bindings(&text).into_iter();
        let bindings: Vec<String> = bindings.map(|(of, file)| format!("{of}={file}")).collect();
        let mut options: Vec<&str> = Vec::new();
        bindings.iter().for_each(|binding| options.extend(["--bind", binding]));
        options.extend(["--size", "48x30", "--time", "1.5"]);
        same(&place, &device, &name, &options);
        drawn += 1;
    }
    assert!(drawn >= 3, "{drawn}");
}

/// SwiftShader, installed with Chromium: a device without 64-bit numbers.
const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

/// Subnormal numbers, divisions, square roots and `fma` in integer arithmetic.
#[test]
fn a_device_without_64_bits_is_exact() {
    if !Path::new(SWIFTSHADER).is_file() {
        return skipped("there is no SwiftShader; .ci/install-tools installs it with Chromium");
    }
    let program = "(uniform tiny num 3e-41)
        (define p (/ (- (.xy (frag-coord)) 4) 7))
        (output 0 (vec4 (* tiny (.x p)) (/ tiny (.y p)) (sqrt (abs (* tiny (.x p)))) (fma tiny (.x p) 1e-38)))
        (output 1 (vec4 (sqrt (.x p)) (/ (.x p) (.y p)) (if (< (* tiny (.x p)) 0) 1 2) (floor (* tiny (.y p)))))";
    let place = TestFolder::with([("a.lv", program)]);
    place.copy_gallery();
    for line in [
        &["compare", "a.lv", "--size", "16x16"][..],
        &["compare", "shaders/hello.lv", "--size", "48x30"],
        &["compare", "shaders/life.lv", "--size", "48x30"],
        &["compare", "shaders/mandelbrot.lv", "--size", "48x30"],
    ] {
        let mut command = place.command(line);
        command.env("VK_DRIVER_FILES", SWIFTSHADER).env("VK_ICD_FILENAMES", SWIFTSHADER);
        let outcome = place.finish(command);
        assert_eq!((outcome.status, outcome.err.as_str()), (0, ""), "{line:?}: {}", outcome.text());
    }
}

#[test]
fn all_outputs_are_drawn() {
    let Some(device) = lavapipe() else { return };
    let program = "(output 1 (.xy (frag-coord))) (output 3 (* 3 (.y (frag-coord))))";
    let place = TestFolder::with([("a.lv", program)]);
    let line = |out| ["render", "a.lv", out, "--size", "9x5", "--output", "all"];
    place.run(&line("cpu.npy")).done();
    on_device(&place, &device, &line("gpu.npy")).done();
    for location in [1, 3] {
        let [cpu, gpu] = ["cpu", "gpu"].map(|who| format!("{who}.{location}.npy"));
        place.run(&["diff", &cpu, &gpu]).done();
    }
}

#[test]
fn closed_loops_are_constants() {
    let Some(device) = lavapipe() else { return };
    let place = TestFolder::with([("crc.lv", super::compile::CRC_TABLE)]);
    same(&place, &device, "crc.lv", &["--size", "7x5"]);
}

#[test]
fn pixels_that_are_discarded_keep_the_colour() {
    let Some(device) = lavapipe() else { return };
    let program = "(state (clear 0.25 0.5 0.75 1))
        (discard-if (< (.x (frag-coord)) 3))
        (vec4 (.xy (frag-coord)) 0 1)";
    let place = TestFolder::with([("a.lv", program)]);
    same(&place, &device, "a.lv", &["--size", "7x3"]);
    assert_eq!(place.frame("gpu.npy").pixel(2, 1), Some([0.25, 0.5, 0.75, 1.0]));
}

#[test]
fn modules_are_drawn() {
    let Some(device) = lavapipe() else { return };
    let place = TestFolder::with([("a.lv", PLAIN)]);
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    same(&place, &device, "a.spv", &["--size", "33x21", "--time", "2"]);
}

/// Each frame has its own time, and may read the previous frame.
#[test]
fn sequences() {
    let Some(device) = lavapipe() else { return };
    let fed =
        "(texture last) (+ (texel last (int (.xy (frag-coord)))) (vec4 (time) (frame) 0.5 1))";
    let place = TestFolder::with([("plain.lv", PLAIN), ("fed.lv", fed)]);
    for (program, more) in [("plain.lv", &[][..]), ("fed.lv", &["--feedback", "last"])] {
        let line = |out| {
            let line = ["render", program, out, "--size", "5x4", "--frames", "2..6", "--fps", "4"];
            [&line[..], more].concat()
        };
        place.run(&line("cpu-%d.npy")).done();
        on_device(&place, &device, &line("gpu-%d.npy")).done();
        for number in 2..6 {
            let [cpu, gpu] = ["cpu", "gpu"].map(|who| format!("{who}-{number}.npy"));
            place.run(&["diff", &cpu, &gpu]).done();
        }
        let differ = place.run(&["diff", "gpu-2.npy", "gpu-3.npy"]);
        assert_eq!(differ.status, 1, "{program} changes with time");
    }
}

#[test]
fn the_device_has_limits() {
    let Some(device) = lavapipe() else { return };
    let place = TestFolder::with([("a.lv", PLAIN)]);
    let line = ["render", "a.lv", "a.png", "--size", "60000x1", "--engine", "gpu", "--device"];
    let said = "the device takes at most 16384 pixels in a row, and this has 60000";
    place.fails(&[&line[..], &[&device]].concat(), 3, said);
}

/// A device that does not answer is abandoned after the timeout. (Lavapipe ends loops after 65,535 rounds, so
/// the test needs many pixels.)
#[test]
fn what_does_not_end_is_ended() {
    let Some(device) = lavapipe() else { return };
    let program =
        "(define f (rec-func (n) (if (< n 1e9) (rec (+ n (/ (.x (frag-coord)) 1024))) n)))
        (f 0)";
    let place = TestFolder::with([("a.lv", program)]);
    for line in [
        &["render", "a.lv", "a.png", "--engine", "gpu"][..],
        &["compare", "a.lv"],
        &["compare", "a.lv", "--native"],
    ] {
        let begun = Instant::now();
        let line = [line, &["--timeout", "0.5", "--device", &device]].concat();
        place.fails(&line, 3, "took longer than 0.5 s; --timeout allows more");
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    }
    let test = TestFolder::with([("a.lv", &format!("; test: --size 512x512\n{program}")[..])]);
    let line = ["test", "--engine", "gpu", "--device", &device, "--timeout", "0.5"];
    let outcome = test.run(&line);
    assert_eq!(outcome.status, 3, "{}", outcome.text());
    assert!(outcome.text().contains("it took longer than 0.5 s"), "{}", outcome.text());
}

/// A device's pictures against goldens of the CPU.
#[test]
fn goldens() {
    let Some(device) = lavapipe() else { return };
    let place = TestFolder::with([
        ("good.lv", &format!("; test: --size 40x30 --format npy\n{PLAIN}")[..]),
        ("bad.lv", &format!("; test: --size 40x30 --format npy\n{SINE}")[..]),
    ]);
    place.run(&["test", "--bless"]).done();
    let line = ["test", "--engine", "gpu", "--device", &device, "--native"];
    let outcome = place.run(&line);
    assert_eq!(outcome.status, 1, "{}", outcome.text());
    assert!(outcome.text().contains("1 passed"), "{}", outcome.text());
    assert!(outcome.text().contains("failed bad.lv: different"), "{}", outcome.text());
    place.run(&[&line[..], &["--filter", "good"]].concat()).done();
}

#[test]
fn equal_pictures_are_equal() {
    let Some(device) = lavapipe() else { return };
    let place = TestFolder::with([("a.lv", PLAIN)]);
    let line = ["compare", "a.lv", "--size", "20x10", "--time", "0.5", "--device", &device];
    let outcome = place.run(&line).done();
    assert_eq!(outcome.text(), "output 0: equal: 20x10 pixels\n");
    let outcome = place.run(&[&line[..], &["--message-format", "json"]].concat()).done();
    let object: Value = serde_json::from_str(outcome.text()).expect("an object");
    assert_eq!(object["verdict"], "equal");
}

/// The first different operation is named, with its operand and its place, also inside a loop.
#[test]
fn the_operation_is_named() {
    let Some(device) = lavapipe() else { return };
    let in_a_loop = "(define sum (rec-func (k s)
           (if (< k 3.5) (rec (+ k 1) (+ s (cos (* k (.y (frag-coord)))))) s)))
        (output 0 (vec2 0.5))
        (output 2 (sum 1 0))";
    let place = TestFolder::with([("a.lv", SINE), ("b.lv", in_a_loop)]);
    let line = |name| ["compare", name, "--native", "--size", "40x10", "--device", &device];
    let outcome = place.run(&line("a.lv"));
    assert_eq!((outcome.status, outcome.err.as_str()), (1, ""));
    let text = outcome.text();
    assert!(text.starts_with("output 0: different: "), "{text}");
    // The printed operand belongs to the pixel, and the printed result is that of the reference mathematics.
    let (_, at) = text.split_once("first at (").expect("it says where");
    let x: f32 = at.split(',').next().and_then(|x| x.parse().ok()).expect("a column");
    let angle = 0.37 * (x + 0.5);
    let right = lambdav_core::math::sin(angle);
    let said =
        format!("`sin` of {angle} ({:#010x}) at a.lv:2:7: the device says ", angle.to_bits());
    assert!(text.contains(&said), "{said}: {text}");
    assert!(text.ends_with(&format!("λV says {right} ({:#010x})\n", right.to_bits())), "{text}");

    let outcome = place.run(&[&line("b.lv")[..], &["--message-format", "json"]].concat());
    assert_eq!(outcome.status, 1);
    let objects: Vec<Value> = (outcome.text().lines())
        .map(|line| serde_json::from_str(line).expect("an object"))
        .collect();
    let [first, second] = &objects[..] else { panic!("{objects:?}") };
    assert_eq!([&first["output"], &first["verdict"]], [&Value::from(0), &Value::from("equal")]);
    assert_eq!(second["output"], 2);
    let cause = &second["cause"];
    assert_eq!(cause["kind"], "operation");
    assert_eq!(cause["name"], "cos");
    assert_eq!(cause["place"]["line"], 2);
    assert_ne!(cause["device"]["bits"], cause["expected"]["bits"]);
}

/// Lavapipe ends loops after 65,535 rounds, although it computes every operation correctly.
#[test]
fn where_no_operation_differs_a_binding_does() {
    let Some(device) = lavapipe() else { return };
    let count = "((rec-func (n) (if (< n most) (rec (+ n 1)) n)) 0)";
    let most = "(uniform most num 70000)\n(define half (* 0.5 (.x (frag-coord))))\n";
    let named = format!("{most}(define counted {count})\n(vec2 half counted)");
    let nameless = format!("{most}(vec2 half {count})");
    let place = TestFolder::with([("named.lv", &named[..]), ("nameless.lv", &nameless)]);
    let compare = |name, more: &[&str]| {
        let line = ["compare", name, "--size", "6x4", "--native", "--device", &device];
        place.run(&[&line[..], more].concat())
    };
    let outcome = compare("named.lv", &[]);
    assert_eq!(outcome.status, 1, "{}", outcome.err);
    let said = "no operation differs by itself; the first binding that does is `counted` at named.lv:3:18: \
                the device says 65535 (0x477fff00), λV says 70000 (0x4788b800)\n";
    assert!(outcome.text().ends_with(said), "{}", outcome.text());
    let outcome = compare("nameless.lv", &[]);
    assert_eq!(outcome.status, 1, "{}", outcome.err);
    let said = "the first loop that does is that at nameless.lv:3:13: \
                the device says 65535 (0x477fff00), λV says 70000 (0x4788b800)\n";
    assert!(outcome.text().ends_with(said), "{}", outcome.text());
    // More additions than `compare` examines.
    let outcome = compare("named.lv", &["--set", "most=300000"]);
    let said =
        "no operation differs by itself, of the first 262144 of each kind; the first binding that";
    assert!(outcome.text().contains(said), "{}", outcome.text());
    for name in ["named.lv", "nameless.lv"] {
        compare(name, &["--set", "most=60000"]).done();
    }
}

#[test]
fn functions_have_a_table() {
    let Some(device) = lavapipe() else { return };
    let place = TestFolder::new();
    let line = ["compare", "--functions", "--native", "--device", &device];
    let outcome = place.run(&line).done();
    assert!(outcome.text().starts_with("On llvmpipe"), "{}", outcome.text());
    assert_eq!(outcome.text().matches("\n| `").count(), 18, "{}", outcome.text());
    assert!(outcome.text().contains("\n| `sin` | -3.125 … 3.125 |"), "{}", outcome.text());
}

#[test]
fn exact_modules_are_asked_for() {
    let place = TestFolder::with([("a.lv", SINE)]);
    let line = ["compile", "a.lv", "-o", "a.spv"];
    let said = "--exact";
    for option in ["--no-float64", "--no-fma", "--flush-subnormals", "--preserve-subnormals"] {
        place.fails(&[&line[..], &[option]].concat(), 2, said);
    }
    let both = ["--exact", "--flush-subnormals", "--preserve-subnormals"];
    place.fails(&[&line[..], &both].concat(), 2, "cannot be used with");
    place.run(&[&line[..], &["--exact", "--no-float64", "--no-fma"]].concat()).done();
}
