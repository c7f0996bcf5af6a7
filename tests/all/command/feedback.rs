//! `--feedback`: a texture that holds the previous frame.

use super::harness::TestFolder;
use lambdav_image::AnyImage;

/// Numbers that 16 bits cannot represent: from the pixel's own texel, from a texel common to all pixels, and
/// from the frame's number.
const PROGRAM: &str = "(texture last (filter nearest))
    (uniform gain num 0.3)
    (define p (int (.xy (frag-coord))))
    (define old (texel last p))
    (+ (* gain (.yzwx old)) (* 0.01 (texel last (ivec2 1i)))
       (/ (vec4 (.xy (frag-coord)) (+ 1 (frame)) 4) 7))";

/// The same from the texture's smaller levels.
const LEVELS: &str = "(texture last mipmaps (wrap repeat))
    (define p (/ (.xy (frag-coord)) (resolution)))
    (+ 0.1 (* 0.5 (.zxyw (sample-level last p 0.75))) (vec4 (* 0.3 p) (/ (frame) 9) 0.2))";

/// The picture before the first frame.
const START: &str = "(vec4 (/ (.xy (frag-coord)) 8) 0.25 0.5)";

const SIZE: [&str; 2] = ["--size", "6x5"];

fn place(program: &str) -> TestFolder {
    let place = TestFolder::with([("a.lv", program), ("start.lv", START), ("zero.lv", "(vec4 0)")]);
    for name in ["start", "zero"] {
        let (text, image) = (format!("{name}.lv"), format!("{name}.npy"));
        place.run(&[&["render", &text, &image][..], &SIZE].concat()).done();
    }
    place
}

/// Draws frames 3 to 6 one by one, each with the file of the previous one.
fn by_hand(place: &TestFolder, start: &str) {
    for number in 3..7 {
        let last = if number == 3 { start.to_owned() } else { format!("hand{}.npy", number - 1) };
        let (frame, time) = (number.to_string(), (f64::from(number) / 30.0).to_string());
        for ending in ["npy", "png"] {
            let (out, bind) = (format!("hand{number}.{ending}"), format!("last={last}"));
            let line =
                ["render", "a.lv", &out, "--frame", &frame, "--time", &time, "--bind", &bind];
            place.run(&[&line[..], &SIZE, &["--no-metadata"]].concat()).done();
        }
    }
}

/// The command line that draws these frames as a sequence.
fn sequence<'a>(shader: &'a str, out: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let line = ["render", shader, out, "--frames", "3..7", "--feedback", "last", "--no-metadata"];
    [&line[..], &SIZE, more].concat()
}

const START_BOUND: [&str; 2] = ["--bind", "last=start.npy"];

#[test]
fn each_frame_reads_the_exact_numbers_of_the_one_before() {
    for program in [PROGRAM, LEVELS] {
        let place = place(program);
        place.run(&["compile", "a.lv", "--emit", "core", "-o", "a.core"]).done();
        for (start, bound) in [("zero.npy", &[][..]), ("start.npy", &START_BOUND)] {
            by_hand(&place, start);
            let draw = |shader: &str, more: &[&str]| {
                for ending in ["npy", "png"] {
                    let out = format!("f%d.{ending}");
                    place.run(&sequence(shader, &out, &[more, bound].concat())).done();
                    for number in 3..7 {
                        let [found, wanted] =
                            ["f", "hand"].map(|of| place.read(&format!("{of}{number}.{ending}")));
                        assert!(found == wanted, "{shader} {more:?} {number} {ending}");
                    }
                }
            };
            for engine in ["simd", "core", "source", "spirv"] {
                draw("a.lv", &["--engine", engine]);
            }
            for threads in ["1", "7"] {
                draw("a.lv", &["--threads", threads]);
            }
            draw("a.lv", &["--lanes", "4"]);
            draw("a.lv", &["--specialise"]);
            draw("a.core", &[]);
        }
    }
}

/// The same with a module and its uniforms.
#[test]
fn modules_read_the_frame_before() {
    for (program, set) in [(PROGRAM, &["--set", "gain=0.3"][..]), (LEVELS, &[])] {
        let place = place(program);
        by_hand(&place, "start.npy");
        place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
        place.run(&sequence("a.spv", "f%d.npy", &[set, &START_BOUND].concat())).done();
        for number in 3..7 {
            let [found, wanted] = ["f", "hand"].map(|of| place.read(&format!("{of}{number}.npy")));
            assert!(found == wanted, "{number}");
        }
    }
}

/// Frames without a header have the samples of the files.
#[test]
fn raw_frames_and_other_depths() {
    let place = place(PROGRAM);
    let raw = |format: &str| {
        let more = ["--format", format, "--srgb"];
        let more = if format.ends_with('f') { &more[..2] } else { &more };
        place.run(&sequence("a.lv", "-", &[more, &START_BOUND].concat())).done().out
    };
    for (format, depth) in [("rgba8", "8"), ("rgba16", "16")] {
        let more = ["--depth", depth, "--srgb"];
        place.run(&sequence("a.lv", "f%d.png", &[&more[..], &START_BOUND].concat())).done();
        let files = (3..7).flat_map(|number| match place.image(&format!("f{number}.png")) {
            AnyImage::Unorm8(image) => image.samples().to_vec(),
            AnyImage::Unorm16(image) => {
                image.samples().iter().copied().flat_map(u16::to_le_bytes).collect()
            }
            other => panic!("{other:?}"),
        });
        assert_eq!(raw(format), files.collect::<Vec<u8>>(), "{format}");
    }
    place.run(&sequence("a.lv", "f%d.npy", &START_BOUND)).done();
    let samples = (3..7).flat_map(|k| place.frame(&format!("f{k}.npy")).samples().to_vec());
    assert_eq!(raw("rgba32f"), samples.flat_map(f32::to_le_bytes).collect::<Vec<u8>>());
}

/// With several outputs, the drawn output is fed back.
#[test]
fn the_output_that_is_drawn_goes_on() {
    let two = "(texture last) (define old (texel last (ivec2 0i)))
        (output 0 (+ 1 old)) (output 3 (+ 2 (* 3 old)))";
    let place = place(two);
    for (output, wanted) in [("0", 4.0), ("3", 80.0)] {
        place.run(&sequence("a.lv", "f%d.npy", &["--output", output])).done();
        assert_eq!(place.frame("f6.npy").pixel(5, 4), Some([wanted; 4]));
    }
}

#[test]
fn files_and_statistics_say_so() {
    let place = place(PROGRAM);
    let line = ["render", "a.lv", "f%d.png", "--frames", "0..2", "--feedback", "last", "--stats"];
    let outcome = place.run(&[&line[..], &SIZE].concat());
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert!(outcome.err.contains("feedback: `last`"), "{}", outcome.err);
    assert_eq!(outcome.err.matches(" compile: ").count(), 1, "{}", outcome.err);
    let said = place.run(&["inspect", "f1.png"]).done();
    assert!(said.text().contains("\nlambdav:feedback: last\n"), "{}", said.text());
}

#[test]
fn what_cannot_be_fed_back() {
    let text = "(texture last) (texture encoded srgb) (buffer numbers num)
        (+ (texel last (ivec2 0i)) (texel encoded (ivec2 0i)) (at numbers 0i))";
    let place = place(text);
    place.write("numbers.json", "[1]");
    let bound = ["--bind", "last=start.npy", "--bind", "numbers=numbers.json"];
    let line = ["render", "a.lv", "f%d.png", "--frames", "0..2"];
    let fails = |more: &[&str], message: &str| {
        place.fails(&[&line[..], &bound, more].concat(), 2, message);
    };
    let wrong_size =
        "what is bound to `last` is 6x5, and the frames that follow it are 7x5; add --size 6x5";
    fails(&["--feedback", "last", "--size", "7x5"], wrong_size);
    fails(&["--feedback", "lost"], "has no texture or buffer `lost`; did you mean `last`?");
    fails(&["--feedback", "numbers"], "`numbers` is a buffer, and a frame is an image");
    fails(&["--feedback", "encoded"], "`encoded` is `srgb`, and frames are floats");
    fails(&["--feedback", "last", "--output", "all"], "--feedback is for the frames of one output");
    // Another texture must still be bound.
    let unbound = [&line[..], &bound, &SIZE, &["--feedback", "last"]].concat();
    place.fails(&unbound, 1, "error[LV0507]: the texture `encoded` is not bound");
    let alone = ["render", "a.lv", "f.png", "--feedback", "last"];
    place.fails(&[&alone[..], &bound].concat(), 2, "--frames <A..B>");
    // A frame must not overwrite the picture before the first frame.
    place.run(&[&["render", "start.lv", "f0.png"][..], &SIZE].concat()).done();
    let over = [&line[..], &SIZE, &["--feedback", "last", "--bind", "last=f0.png"]].concat();
    place.fails(&over, 2, "`f0.png` would be overwritten");
}
