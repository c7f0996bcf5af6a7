//! Derivatives against their definition: at a pixel, `(dfdx e)` and `(dfdy e)` are the difference of `e` at
//! two pixels of the quad. One of these may lie outside the image.

use lambdav_core::evaluate::Evaluator;
use lambdav_core::float::{NAN, canonical_bits};
use lambdav_core::graph::{Core, Node, NodeId};
use lambdav_core::schedule::schedule;
use lambdav_engine::Settings;
use lambdav_engine::engines::{BoundKernel, CoreEngine, SimdEngine};
use lambdav_engine::program::Loaded;
use lambdav_generate::{GenerateOptions, Term, generate, resources};
use lambdav_image::Size;
use lambdav_raster::{RenderOptions, render};
use lambdav_simd_backend::registers::Shape;

/// Number of programs.
const PROGRAMS: u64 = 60;
/// Odd numbers of columns and rows, and more columns than a register has lanes.
const SIZE: (u32, u32) = (19, 3);

/// The core of a text; `None` if the text exceeds a limit.
fn compiled(text: &str) -> Option<Core> {
    let loaded = Loaded::from_text("derivatives.lv", text);
    let is_bad = |d: &&lambdav_core::diagnostics::Diagnostic| {
        d.is_error() && !d.code.as_str().starts_with("LV05")
    };
    let error = loaded.diagnostics.iter().find(is_bad);
    assert!(error.is_none(), "{error:?}\n{text}");
    loaded.core
}

/// The settings of a generated program, with data for its textures and buffers.
fn settings(core: &Core, size: Size) -> Settings {
    let mut settings = Settings::new(core, size);
    settings.inputs.resources = resources(core.graph.types());
    settings
}

/// The values of an output at these pixels, inside or outside of the picture.
fn values(
    core: &Core,
    location: u32,
    size: Size,
    pixels: impl Iterator<Item = (u32, u32)>,
) -> Vec<Vec<f32>> {
    let scheduled = schedule(core, &[location]).expect("it nests little");
    let settings = settings(core, size);
    let mut evaluator = Evaluator::new(&scheduled, settings.max_iterations);
    pixels
        .map(|(x, y)| {
            evaluator.run(&settings.inputs.at(x, y), &|| false).expect("it ends");
            evaluator.output(0).iter().map(|&word| f32::from_bits(word)).collect()
        })
        .collect()
}

/// The first components of each pixel of a picture.
fn drawn(engine: &impl BoundKernel, size: Size, components: usize) -> Vec<u32> {
    let frame = render(engine, size, &RenderOptions::default()).expect("it ends");
    let pixels = frame.samples().chunks(4).flat_map(|pixel| &pixel[..components]);
    pixels.map(|sample| sample.to_bits()).collect()
}

/// The program with `(dfdx e)` or `(dfdy e)` in place of the last output's `e`, and the location of this
/// output.
fn derived(forms: &[Term], derivative: &str) -> (String, u32) {
    let mut text = String::new();
    let (last, before) = forms.split_last().expect("a program has an output");
    for form in before {
        text += &format!("{form}\n");
    }
    let parts = last.parts();
    if let [word, location, value] = parts
        && word.to_string() == "output"
    {
        text += &format!("(output {location} ({derivative} {value}))");
        return (text, location.to_string().parse().expect("a number"));
    }
    (text + &format!("({derivative} {last})"), 0)
}

#[test]
fn a_derivative_is_the_difference_of_two_pixels() {
    let size = Size::new(SIZE.0, SIZE.1).expect("a small size");
    let (mut compared, mut differ) = (0u64, 0u64);
    for seed in 0..PROGRAMS {
        let options = GenerateOptions { size: 40, endless: seed % 2 == 0, special_divisors: true };
        let mut program = generate(seed, options);
        // A discarded pixel has no derivative.
        program.forms.retain(|form| {
            let word = form.parts().first().map(ToString::to_string);
            !matches!(word.as_deref(), Some("discard-if" | "state"))
        });
        for (derivative, across) in [("dfdx", true), ("dfdy", false)] {
            let (text, location) = derived(&program.forms, derivative);
            let whole: String = program.forms.iter().map(|form| format!("{form}\n")).collect();
            let (Some(plain), Some(core)) = (compiled(&whole), compiled(&text)) else { continue };
            let all = || (0..size.height()).flat_map(|y| (0..size.width()).map(move |x| (x, y)));
            let side = |odd: u32| {
                let pixels = all().map(|(x, y)| match across {
                    true => ((x & !1) + odd, y),
                    false => (x, (y & !1) + odd),
                });
                values(&plain, location, size, pixels)
            };
            let (odd, even) = (side(1), side(0));
            let components = odd[0].len();
            let pairs = odd.iter().flatten().zip(even.iter().flatten());
            let expected: Vec<u32> = pairs.map(|(odd, even)| canonical_bits(odd - even)).collect();
            differ += u64::from(expected.iter().any(|&word| word != 0 && word != NAN));
            compared += 1;
            let settings = settings(&core, size);
            let engine = CoreEngine::new(&core, location, &settings).expect("it schedules");
            assert_eq!(drawn(&engine, size, components), expected, "seed {seed}, core\n{text}");
            for lanes in Shape::LANES {
                let Ok(engine) = SimdEngine::new(&core, location, &settings, Some(lanes)) else {
                    continue;
                };
                assert_eq!(
                    drawn(&engine, size, components),
                    expected,
                    "seed {seed}, {lanes} lanes\n{text}"
                );
            }
        }
    }
    assert!(compared > PROGRAMS, "{compared} programs were small enough");
    assert!(differ > compared / 4, "{differ} of {compared} differ from pixel to pixel");
}

/// Number of operations in a program.
fn operations(text: &str) -> usize {
    let core = compiled(text).expect("it is small");
    let nodes = (0..core.graph.len()).map(|i| core.graph.node(NodeId(i as u32)));
    nodes.filter(|node| matches!(node, Node::Op(..))).count()
}

/// Nested derivatives still use only the four pixels of a quad.
#[test]
fn nested_derivatives_do_not_grow() {
    let nested = |depth: usize| {
        let (open, close) = ("(dfdx (dfdy ".repeat(depth), "))".repeat(depth));
        operations(&format!("{open}(sin (* (.x (frag-coord)) (.y (frag-coord)))){close}"))
    };
    let growth = nested(40) - nested(20);
    assert!(growth <= 20 * 8, "{growth}");
}
