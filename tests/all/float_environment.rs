//! Changes of the floating-point environment by other code of the process do not affect constant folding, any
//! engine, or image files.

use crate::check::check;
use crate::language;
use lambdav::metadata;
use lambdav_engine::Settings;
use lambdav_engine::engines::{CoreEngine, FastEngine, SourceEngine, SpirvEngine};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::number;
use lambdav_float_environment::{Foreign, with_foreign};
use lambdav_image::file::{Encoding, decode, encode};
use lambdav_image::quantize::Transfer;
use lambdav_image::{AnyImage, Frame, Size};
use lambdav_image_compare::{CompareOptions, compare};
use lambdav_matrix::pictures::root;
use lambdav_raster::{Kernel, RenderOptions, render};
use rayon::prelude::*;

/// Shaders with constants, operations and results that every environment changes.
const SENSITIVE: [&str; 3] = [
    // Folded: a subnormal, inexact quotients, elementary functions.
    "(vec4 (* 1e-20 1e-20) (/ 1 3) (/ -1 3) (+ (sin 0.7) (pow 1.1 2.3)))",
    // Computed at run time.
    "(define x (.x (frag-coord)))
     (vec4 (* (* x 1e-30) 1e-12) (/ x 3) (/ (- x) 7) (+ (exp (/ x 9)) (atan2 x 3)))",
    // In a loop, and in a default.
    "(uniform u num ((rec-func (n s) (if (> n 30) s (rec (+ n 1) (/ (+ s 1e-40) 1.1)))) 0 1e-38))
     (define x (.x (frag-coord)))
     (vec4 ((rec-func (n s) (if (> n x) s (rec (+ n 1) (+ (* s 0.1) (/ n 3))))) 0 1e-44) u x (* u 0.3))",
];

fn bytes(frame: &Frame, encoding: Encoding) -> Vec<u8> {
    let mut bytes = Vec::new();
    encode(frame, encoding, &metadata(), &mut bytes).expect("it goes to memory");
    bytes
}

/// All products of a shader: core text, files of the frames of all engines, and comparisons.
fn results(name: &str, text: &str) -> Vec<Vec<u8>> {
    let size = Size::new(13, 7).expect("within the limits");
    let loaded = Loaded::from_text(name, text);
    assert!(loaded.diagnostics.is_empty(), "{name}: {:?}", loaded.diagnostics);
    let core = loaded.core.as_ref().expect("there are no diagnostics");
    let location = core.outputs[0].location;
    let settings = Settings::new(core, size);
    let fast = |lanes| FastEngine::new(core, location, &settings, lanes).expect("it compiles");
    let engines: [Box<dyn Kernel>; 6] = [
        Box::new(CoreEngine::new(core, location, &settings).expect("it schedules")),
        Box::new(SourceEngine::new(&loaded.source, location, &settings).expect("it is read")),
        Box::new(SpirvEngine::new(core, location, &settings).expect("it is emitted")),
        Box::new(fast(Some(1))),
        Box::new(fast(Some(16))),
        Box::new(fast(None)),
    ];
    let mut all = vec![lambdav_core::core_text::print(core, None).expect("it schedules").into()];
    for engine in engines {
        let frame = render(&*engine, size, &RenderOptions::default()).expect("its loops end");
        for transfer in [Transfer::Linear, Transfer::Srgb] {
            all.push(bytes(&frame, Encoding::Png8(transfer)));
            all.push(bytes(&frame, Encoding::Png16(transfer)));
        }
        let image = bytes(&frame, Encoding::Png16(Transfer::Srgb));
        let image = decode(&image).expect("it was just encoded");
        all.push(bytes(&frame, Encoding::Npy));
        let options = CompareOptions { tolerance: Some([0.3; 4]), ..CompareOptions::default() };
        all.push(compare(&AnyImage::from(frame), &image, &options).to_string().into());
    }
    all
}

#[test]
fn no_bit_depends_on_the_environment() {
    let gallery = ["hello", "mandelbrot", "plasma", "newton", "noise"].map(|name| {
        let path = root().join(format!("shaders/{name}.lv"));
        (name, std::fs::read_to_string(path).expect("it is in the gallery"))
    });
    let sensitive = SENSITIVE.map(|text| ("sensitive", text.to_owned()));
    for (name, text) in sensitive.into_iter().chain(gallery) {
        let expected = results(name, &text);
        for foreign in Foreign::ALL {
            let mut found = Vec::new();
            if with_foreign(foreign, || found = results(name, &text)) {
                let other = found.iter().zip(&expected).position(|(found, is)| found != is);
                assert_eq!(other, None, "{name} with {foreign:?}: {text}");
            }
        }
    }
}

/// Numbers of the command line.
#[test]
fn numbers_are_read_alike() {
    for text in ["0.1", "1.1754942e-38", "3.3333333333", "1e-45", "16777217"] {
        let expected = number(text).expect("it is one").to_bits();
        for foreign in Foreign::ALL {
            with_foreign(foreign, || {
                assert_eq!(number(text).expect("it is one").to_bits(), expected, "{text}");
            });
        }
    }
}

/// Runs a sample of the conformance suite.
#[test]
fn conformance() {
    // Each case runs in another environment.
    let cases: Vec<_> = language::cases().into_iter().step_by(5).collect();
    cases.par_iter().enumerate().for_each(|(i, (name, case))| {
        let foreign = Foreign::ALL[i % Foreign::ALL.len()];
        with_foreign(foreign, || {
            if let Err(what) = check(case) {
                panic!("{name} with {foreign:?}: {what}");
            }
        });
    });
}
