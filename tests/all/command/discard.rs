//! Discarded pixels, on the command line.

use super::harness::TestFolder;
use lambdav_image::AnyImage;

const DISC: &str = "(state (clear 0.25 0.5 0.75 0.5))
(discard-if (less (.x (frag-coord)) 2))
(output 0 (vec3 1))
(output 2 (.y (frag-coord)))";

#[test]
fn they_keep_the_clear_colour_in_every_engine() {
    let place = TestFolder::with([("disc.lv", DISC)]);
    place.run(&["compile", "disc.lv", "-o", "disc.core", "--emit", "core"]).done();
    place.run(&["compile", "disc.lv", "-o", "disc.spv"]).done();
    let mut pictures: Vec<AnyImage> = Vec::new();
    for file in ["disc.lv", "disc.core", "disc.spv"] {
        for engine in ["simd", "core", "source", "spirv"] {
            // The source evaluator takes shader text only.
            if file != "disc.lv" && engine == "source" {
                continue;
            }
            let out = format!("{file}-{engine}.npy");
            let mut arguments = vec!["render", file, &*out, "--size", "4x3", "--engine", engine];
            if file == "disc.spv" {
                arguments.extend(["--clear", "0.25,0.5,0.75,0.5"]);
            }
            place.run(&arguments).done();
            pictures.push(place.image(&out));
        }
    }
    let AnyImage::Float(frame) = &pictures[0] else { panic!("it is of floats") };
    assert_eq!(frame.pixel(1, 1), Some([0.25, 0.5, 0.75, 0.5]));
    assert_eq!(frame.pixel(2, 1), Some([1.0; 4]));
    let samples = |image: &AnyImage| match image {
        AnyImage::Float(frame) => frame.samples().to_vec(),
        _ => panic!("it is of floats"),
    };
    assert!(pictures.iter().all(|picture| samples(picture) == samples(&pictures[0])));
}

#[test]
fn a_clear_colour_has_four_numbers() {
    let place = TestFolder::with([("disc.lv", DISC)]);
    let outcome = place.run(&["render", "disc.lv", "a.png", "--clear", "1,2,3"]);
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.contains("a colour has four components"), "{}", outcome.err);
}
