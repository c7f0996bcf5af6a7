//! Lane programs of the gallery, interpreted, against the evaluator of the core.

use std::fs;
use std::path::Path;

use lambdav_frontend::compile;
use lambdav_frontend::evaluate::core::Evaluator;
use lambdav_frontend::evaluate::{DEFAULT_MAX_ITERATIONS, Inputs};
use lambdav_frontend::schedule::schedule;
use lambdav_frontend::source::SourceFile;
use lambdav_simd_backend::lanes::interpret::{Group, interpret};
use lambdav_simd_backend::lanes::{Axis, Given, lower};

fn word(inputs: &Inputs, given: &Given) -> u32 {
    match *given {
        Given::Resolution(Axis::X) => inputs.resolution[0].to_bits(),
        Given::Resolution(Axis::Y) => inputs.resolution[1].to_bits(),
        Given::Time => inputs.time.to_bits(),
        Given::Frame => inputs.frame.to_bits(),
        Given::Mouse(k) => inputs.mouse[usize::from(k)].to_bits(),
        Given::Uniform(index, k) => inputs.uniforms[index as usize][usize::from(k)],
    }
}

#[test]
fn gallery() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shaders");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("the gallery is there") {
        let path = entry.expect("it can be read").path();
        if path.extension().is_none_or(|ending| ending != "lv") {
            continue;
        }
        let text = fs::read_to_string(&path).expect("it can be read");
        let (core, _) = compile(&SourceFile::new(path.display().to_string(), text));
        let core = core.expect("the gallery compiles");
        for output in &core.outputs {
            count += 1;
            let program = schedule(&core, &[output.location]).expect("it nests little");
            let inputs = Inputs {
                resolution: [31.0, 17.0],
                time: 1.5,
                uniforms: core.uniforms.iter().map(|u| u.default.clone()).collect(),
                ..Inputs::default()
            };
            for hoist in [false, true] {
                let lanes = lower(&program, 0, hoist);
                let given: Vec<u32> = lanes.given.iter().map(|g| word(&inputs, g)).collect();
                for seed in 0..6_u32 {
                    let count = 1 + 3 * seed;
                    let pixels: Vec<(u32, u32)> = (0..count)
                        .map(|k| ((seed * 5 + k * 7) % 31, (seed * 3 + k) % 17))
                        .collect();
                    let run: Vec<bool> = (0..count).map(|k| k % 5 != 3).collect();
                    let group = Group {
                        given: &given,
                        pixels: &pixels,
                        run: &run,
                        max_iterations: DEFAULT_MAX_ITERATIONS,
                    };
                    let found = interpret(&lanes, &group).expect("it ends");
                    let mut evaluator = Evaluator::new(&program, DEFAULT_MAX_ITERATIONS);
                    for ((&(x, y), found), _) in
                        pixels.iter().zip(found).zip(&run).filter(|(_, run)| **run)
                    {
                        let frag_coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
                        let inputs = Inputs { frag_coord, ..inputs.clone() };
                        evaluator.run(&inputs, &|| false).expect("it ends");
                        let words = evaluator.output(0);
                        let found: Vec<u32> = found.iter().map(|c| c.to_bits()).collect();
                        assert_eq!(found[..words.len()], *words, "{} at {x}, {y}", path.display());
                    }
                }
            }
        }
    }
    assert!(count >= 8, "{count} outputs");
}
