//! Several pictures in one run: frames of a sequence, outputs of a program, frames for an encoder.

use super::harness::{LAMBDAV, TestFolder};
use lambdav_image::AnyImage;
use std::io::Read;
use std::process::Stdio;

/// All frames, outputs and pixels differ.
const PROGRAM: &str = "(uniform k num 1)
    (output 0 (vec4 (/ (frame) 255) (* k (time)) (/ (.x (frag-coord)) 16) 0.5))
    (output 3 (vec3 (time)))";

fn place() -> TestFolder {
    TestFolder::with([("a.lv", PROGRAM)])
}

/// The RGBA bytes of an 8-bit picture.
fn bytes(place: &TestFolder, name: &str) -> Vec<u8> {
    match place.image(name) {
        AnyImage::Unorm8(image) => image.samples().to_vec(),
        other => panic!("{other:?}"),
    }
}

const SIZE: [&str; 2] = ["--size", "5x3"];

/// On every engine, a frame of a sequence is the picture for its time and number.
#[test]
fn frames_are_pictures() {
    for engine in ["simd", "core", "source", "spirv"] {
        let place = place();
        let sequence =
            ["render", "a.lv", "f-%03d.png", "--frames", "9..12", "--fps", "24", "--time", "-0.25"];
        place.run(&[&sequence[..], &SIZE, &["--engine", engine]].concat()).done();
        let names: Vec<String> = place.files().into_keys().collect();
        assert_eq!(names, ["a.lv", "f-009.png", "f-010.png", "f-011.png"]);
        for number in 9..12 {
            let (frame, time) =
                (number.to_string(), (-0.25 + f64::from(number) / 24.0).to_string());
            let alone = ["render", "a.lv", "one.png", "--frame", &frame, "--time", &time];
            place.run(&[&alone[..], &SIZE].concat()).done();
            let name = format!("f-{number:03}.png");
            assert_eq!(place.read(&name), place.read("one.png"), "{engine}: {name}");
        }
    }
}

/// The same for modules.
#[test]
fn frames_of_modules() {
    let place = place();
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    let outputs = ["--output", "all", "--set", "k=1", "--frames", "0..=1"];
    place.run(&[&["render", "a.spv", "m%d.npy"][..], &SIZE, &outputs].concat()).done();
    place.run(&[&["render", "a.lv", "t%d.npy"][..], &SIZE, &outputs].concat()).done();
    for name in ["0.0", "0.3", "1.0", "1.3"] {
        let [module, text] = ["m", "t"].map(|of| place.read(&format!("{of}{name}.npy")));
        assert_eq!(module, text, "{name}");
    }
}

/// The output file is given by its position or by `-o`, as in other commands.
#[test]
fn a_file_is_named_as_in_other_commands() {
    let place = place();
    place.run(&[&["render", "a.lv", "one.png"][..], &SIZE].concat()).done();
    place.run(&[&["render", "a.lv", "-o", "two.png"][..], &SIZE].concat()).done();
    place.run(&[&["render", "--out", "three.png", "a.lv"][..], &SIZE].concat()).done();
    assert_eq!(place.read("one.png"), place.read("two.png"));
    assert_eq!(place.read("one.png"), place.read("three.png"));
}

/// `--output all` writes a file for each output, equal to the file of that output alone.
#[test]
fn all_outputs() {
    let place = place();
    let render = |out, output| {
        let arguments = ["render", "a.lv", out, "--time", "0.5", "--output", output];
        place.run(&[&arguments[..], &SIZE].concat()).done();
    };
    render("a.b.png", "all");
    for location in ["0", "3"] {
        render("one.png", location);
        assert_eq!(place.read(&format!("a.b.{location}.png")), place.read("one.png"));
    }
    place.run(&["compile", "a.lv", "--emit", "spirv", "--output", "all", "-o", "all.spv"]).done();
    place.run(&["compile", "a.lv", "--emit", "spirv", "-o", "usual.spv"]).done();
    place.run(&["compile", "a.lv", "--emit", "spirv", "--output", "3", "-o", "one.spv"]).done();
    assert_eq!(place.read("all.spv"), place.read("usual.spv"));
    assert_ne!(place.read("all.spv"), place.read("one.spv"));
}

/// Frames without a header are the concatenated samples of the files.
#[test]
fn raw_frames() {
    let place = place();
    let sequence = ["--size", "5x3", "--frames", "0..3"];
    place.run(&[&["render", "a.lv", "f%d.png"][..], &sequence].concat()).done();
    let raw = |format| {
        let arguments = ["render", "a.lv", "-", "--format", format];
        place.run(&[&arguments[..], &sequence].concat()).done().out
    };
    let rgba: Vec<u8> = (0..3).flat_map(|k| bytes(&place, &format!("f{k}.png"))).collect();
    assert_eq!(raw("rgba8"), rgba);
    let rgb: Vec<u8> = rgba.chunks(4).flat_map(|pixel| &pixel[..3]).copied().collect();
    assert_eq!(raw("rgb8"), rgb);
    assert_eq!(raw("rgba16").len(), 2 * rgba.len());
    place.run(&[&["render", "a.lv", "f%d.npy"][..], &sequence].concat()).done();
    let samples = (0..3).flat_map(|k| place.frame(&format!("f{k}.npy")).samples().to_vec());
    let floats: Vec<u8> = samples.flat_map(f32::to_le_bytes).collect();
    assert_eq!(raw("rgba32f"), floats);
    // Files of other formats are concatenated, too.
    let files: Vec<u8> = (0..3).flat_map(|k| place.read(&format!("f{k}.png"))).collect();
    assert_eq!(raw("png"), files);
    // A single frame without a header, in a file.
    let arguments = ["render", "a.lv", "f.rgb", "--format", "rgb8", "--size", "5x3"];
    place.run(&arguments).done();
    assert_eq!(place.read("f.rgb"), rgb[..45]);
}

/// A sequence is compiled once, and a closed pipe ends it.
#[test]
fn a_long_sequence() {
    let place = place();
    let sequence = ["--format", "rgba8", "--size", "16x16", "--frames", "0..2000"];
    let arguments = [&["render", "a.lv", "-", "--stats"][..], &sequence].concat();
    let outcome = place.run(&arguments);
    assert_eq!((outcome.status, outcome.out.len()), (0, 2000 * 1024));
    let lines = |name: &str| outcome.err.matches(&format!(" {name}: ")).count();
    assert_eq!((lines("compile"), lines("render")), (1, 1), "{}", outcome.err);

    let sequence = ["--format", "rgba8", "--size", "64x64", "--frames", "0..16777216"];
    let mut command = place.command(&[&["render", "a.lv", "-"][..], &sequence].concat());
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.expect("the command can be started");
    let mut first = [0; 100_000];
    let mut reader = child.stdout.take().expect("it is a pipe");
    reader.read_exact(&mut first).expect("there is as much");
    drop(reader);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()));
}

/// Memory use does not depend on the number of pictures.
#[cfg(target_os = "linux")]
#[test]
fn memory_is_that_of_one_picture() {
    let place = place();
    for number in 0..3 {
        let file = place.path(&format!("f{number}"));
        std::os::unix::fs::symlink("/dev/null", file).expect("a link can be made");
    }
    let draw = |limit: usize, arguments: &str| {
        let command = format!(
            "ulimit -v {} && exec \"$0\" render a.lv {arguments} --threads 1 --size 4000x3000",
            limit << 10
        );
        let mut shell = std::process::Command::new("sh");
        let shell = shell.current_dir(place.path("")).args(["-c", &command, LAMBDAV]);
        shell.output().expect("there is a shell").status.code()
    };
    for format in ["--format rgba32f", "--format npy"] {
        // The memory for one picture of 192 MB; two pictures would need as much again.
        let mut limits = (400..1000).step_by(50);
        let enough = limits.find(|limit| draw(*limit, &format!("f0 {format}")) == Some(0));
        let enough = enough.expect("some memory is enough");
        let sequence = format!("f%d {format} --frames 0..3");
        assert_eq!(draw(enough + 128, &sequence), Some(0), "{format}: {enough} MB");
    }
}

#[test]
fn what_cannot_be_a_sequence() {
    let place = place();
    let fails = |out: &str, rest: &[&str], message: &str| {
        place.fails(&[&["render", "a.lv", out][..], rest].concat(), 2, message);
    };
    let frames = ["--frames", "0..2"];
    fails(
        "a.png",
        &frames,
        "`a.png` has no place for the number of a frame; write one, as in out-%04d",
    );
    fails("a%d%d.png", &frames, "has no place for the number of a frame");
    fails("no/%d.png", &frames, "there is no folder `no`");
    fails("a%d.png", &["--frames", "2..2"], "there is no frame in `2..2`");
    fails("a%d.png", &["--frames", "2"], "`2` is not a range such as 0..250");
    fails("a%d.png", &["--frames", "0..2", "--fps", "0"], "`0` is neither a number such as 24");
    fails("a%d.png", &["--frames", "0..2", "--frame", "3"], "cannot be used with");
    fails("a.png", &["--fps", "25"], "--frames");
    fails("-", &["--output", "all", "--format", "png"], "all outputs go into files of their own");
    fails("-", &["--format", "rgb24"], "and, without a header, rgb8, rgba8");
    fails("-", &["--format", "rgb8", "--depth", "16"], "--format sets the depth");
    fails("-", &["--format", "rgb32f", "--srgb"], "--srgb is for 8 and 16 bits");
}

/// When a frame fails, the frames before it are whole and stay.
#[test]
fn a_frame_that_fails() {
    let program = "(if (< (frame) 2) 1 ((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (time)))";
    let place = TestFolder::with([("a.lv", program)]);
    let arguments =
        ["render", "a.lv", "%d.png", "--frames", "0..4", "--size", "4x4", "--no-metadata"];
    let outcome = place.run(&[&arguments[..], &["--max-iterations", "100"]].concat());
    assert_eq!(outcome.status, 1);
    assert!(outcome.err.contains("error[LV0504]"), "{}", outcome.err);
    let names: Vec<String> = place.files().into_keys().collect();
    assert_eq!(names, ["0.png", "1.png", "a.lv"]);
    assert_eq!(place.read("0.png"), place.read("1.png"));
}
