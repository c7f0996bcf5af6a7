//! Lane programs of the gallery: the interpreter against the evaluator of the core.

use lambdav_core::limits;

use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_image::Size;
use lambdav_matrix::pictures;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::interpret::{Group, interpret};
use lambdav_simd_backend::lanes::{Extents, Options, Width, lower};

#[test]
fn gallery() {
    let mut count = 0;
    let size = Size::new(31, 17).expect("a small size");
    for shader in pictures::gallery() {
        let (name, core) = (&shader.name, shader.core());
        for output in &core.outputs {
            count += 1;
            let program = schedule(core, &[output.location]).expect("it nests little");
            let inputs = Inputs { time: 1.5, ..shader.settings(size).inputs };
            let baked: Vec<Extents> = inputs.resources.iter().map(Extents::of).collect();
            for (width, hoist, extents) in [
                (Width::Any, false, &[][..]),
                (Width::Any, true, &[]),
                (Width::Any, true, &baked),
                (Width::One, false, &[]),
                (Width::One, true, &[]),
                (Width::One, false, &baked),
            ] {
                let lanes = lower(&program, &Options { hoist, extents, ..Options::new(width) });
                let given = words(&lanes, &inputs);
                for seed in 0..6_u32 {
                    let count = if width == Width::One { 1 } else { 1 + 3 * seed };
                    let pixels: Vec<(u32, u32)> = (0..count)
                        .map(|k| ((seed * 5 + k * 7) % 31, (seed * 3 + k) % 17))
                        .collect();
                    let mask: Vec<bool> = (0..count).map(|k| k % 5 != 3).collect();
                    let group = Group {
                        inputs: &given,
                        primitive: &[],
                        resources: &inputs.resources,
                        pixels: &pixels,
                        mask: &mask,
                        max_iterations: limits::ITERATIONS,
                    };
                    let found = interpret(&lanes, &group).expect("it ends");
                    let mut evaluator = Evaluator::new(&program, limits::ITERATIONS);
                    for ((&(x, y), found), _) in
                        pixels.iter().zip(found).zip(&mask).filter(|(_, active)| **active)
                    {
                        evaluator.run(&inputs.at(x, y), &|| false).expect("it ends");
                        let words = evaluator.output(0);
                        let found: Vec<u32> = found.iter().map(|c| c.to_bits()).collect();
                        assert_eq!(found[..words.len()], *words, "{name} at {x}, {y}");
                    }
                }
            }
        }
    }
    assert!(count >= 8, "{count} outputs");
}
