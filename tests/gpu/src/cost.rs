//! The cost of exact modules on a device, compared with its own arithmetic.

use crate::exact::options;
use lambdav_gpu::{Device, forever};
use lambdav_gpu_tests::{Output, Shader};
use lambdav_spirv_backend::emit::{EmitOptions, Exact};
use std::error::Error;
use std::time::Instant;

/// Size of the pictures, and numbers of repetitions of each pixel. The repetitions keep the device busy for
/// long enough.
const SIZE: [u32; 2] = [1920, 1080];
const TIMES: [u32; 2] = [4, 36];

/// Prints a table of milliseconds for a picture. Each number comes from the difference of many repetitions
/// and few, and is the median of several runs.
pub(crate) fn table(device: &Device, runs: usize, names: &[String]) -> Result<(), Box<dyn Error>> {
    println!(
        "Milliseconds for {}×{} pixels; in brackets, over native.\n\n| shader | native | exact | flushing | flushing, with report |\n|---|---:|---:|---:|---:|",
        SIZE[0], SIZE[1]
    );
    let with_report = options(device, false, true);
    let flushing = with_report.exact.map(|exact| Exact { report: None, ..exact });
    let kinds = [
        EmitOptions::default(),
        options(device, false, false),
        EmitOptions { exact: flushing, ..with_report },
        with_report,
    ];
    let wanted = |shader: &Shader| names.is_empty() || names.contains(&shader.name);
    for shader in Shader::all().iter().filter(|shader| wanted(shader)) {
        for output in shader.outputs().take(1) {
            let mut times = Vec::new();
            for options in &kinds {
                times.push(time(device, &output, options, runs)?);
            }
            let over = |time: f64| format!("{time:.3} ({:.2})", time / times[0]);
            println!(
                "| `{}` | {:.3} | {} | {} | {} |",
                shader.name,
                times[0],
                over(times[1]),
                over(times[2]),
                over(times[3])
            );
        }
    }
    Ok(())
}

fn time(
    device: &Device,
    output: &Output<'_>,
    options: &EmitOptions,
    runs: usize,
) -> Result<f64, Box<dyn Error>> {
    let (mut prepared, push_constants) = output.prepare(device, SIZE, options)?;
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
    Ok(all[runs / 2])
}
