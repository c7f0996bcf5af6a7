//! How long exact modules take on a device, beside its own arithmetic.

use crate::exact::options;
use lambdav_gpu::{Device, forever};
use lambdav_gpu_tests::Shader;
use lambdav_spirv_backend::emit::EmitOptions;
use std::error::Error;
use std::time::Instant;

/// The size of pictures, and how often each pixel is computed, so that the device works for long enough.
const SIZE: [u32; 2] = [1920, 1080];
const TIMES: [u32; 2] = [4, 36];

/// Prints the table: milliseconds for a picture, the difference of so many repetitions and fewer, the median of several runs.
pub(crate) fn table(device: &Device, runs: usize) -> Result<(), Box<dyn Error>> {
    println!(
        "Milliseconds for {}×{} pixels.\n\n| shader | native | exact | ratio | flushing | ratio |\n|---|---:|---:|---:|---:|---:|",
        SIZE[0], SIZE[1]
    );
    for shader in Shader::all() {
        for output in shader.outputs().take(1) {
            let kinds = [EmitOptions::default(), options(device, false, false), {
                let mut flushing = options(device, false, true);
                flushing.exact = flushing
                    .exact
                    .map(|exact| lambdav_spirv_backend::emit::Exact { report: None, ..exact });
                flushing
            }];
            let mut times = Vec::new();
            for options in &kinds {
                let (mut prepared, push_constants) =
                    output.prepare_to_repeat(device, SIZE, options)?;
                let mut all = Vec::new();
                for _ in 0..runs {
                    let mut measured = [0.0; 2];
                    for (times, measured) in TIMES.into_iter().zip(&mut measured) {
                        prepared.repeat(times, &push_constants)?;
                        prepared.draw(&forever)?;
                        let start = Instant::now();
                        prepared.draw(&forever)?;
                        *measured = start.elapsed().as_secs_f64() * 1e3;
                    }
                    all.push((measured[1] - measured[0]) / f64::from(TIMES[1] - TIMES[0]));
                }
                all.sort_by(f64::total_cmp);
                times.push(all[runs / 2]);
            }
            println!(
                "| `{}` | {:.3} | {:.3} | {:.2} | {:.3} | {:.2} |",
                shader.name,
                times[0],
                times[1],
                times[1] / times[0],
                times[2],
                times[2] / times[0]
            );
        }
    }
    Ok(())
}
