//! Pictures of a pipeline that is compiled once: a thousand small ones, each with other values or another
//! size of texture. The baseline is the same compiled kernel, rebound to new inputs for each picture.

use super::BenchArguments;
use crate::table::Table;
use crate::timing::{Clock, Subject, Summary};
use lambdav_core::schedule::schedule;
use lambdav_engine::{Frame, Options, Settings, Shader, Size};
use lambdav_raster::{RenderOptions, render_into};
use lambdav_simd_backend::{CompiledKernel, Compiler, Target};
use serde::Serialize;
use std::error::Error;
use std::io;
use std::sync::Arc;

/// Width and height of a picture.
const SIDE: u32 = 64;

/// Number of pictures in a run.
const PICTURES: u32 = 1000;

/// Names and texts of programs. The bool is true if each picture has a texture of another size.
const ROWS: [(&str, &str, bool); 2] = [
    ("time", "(vec3 (fract (+ (time) (/ (.xy (frag-coord)) 64))) 0.5)", false),
    (
        "texture",
        "(texture photo (wrap repeat)) (sample photo (/ (.xy (frag-coord)) (resolution)))",
        true,
    ),
];

/// A row of the table.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    /// Microseconds to draw a picture by the pipeline.
    pipeline: Summary,
    /// Microseconds to draw a picture by the kernel.
    kernel: Summary,
    /// Time of the pipeline over time of the kernel.
    ratio: Summary,
}

pub(crate) fn run(options: &BenchArguments) -> io::Result<()> {
    let head = [("pictures", 10), ("pipeline/µs", 12), ("kernel/µs", 12), ("ratio", 8)];
    let table = Table::new(&head);
    let mut rows = Vec::new();
    for (name, text, has_texture) in ROWS.into_iter().filter(|(name, ..)| options.wants(name)) {
        let row = measure(options, name, text, has_texture);
        let row = row.map_err(|error| io::Error::other(error.to_string()))?;
        table.row([
            name.to_owned(),
            format!("{:.2}", row.pipeline.median),
            format!("{:.2}", row.kernel.median),
            format!("{:.3}", row.ratio.median),
        ]);
        rows.push(row);
    }
    options.save(&rows)
}

fn measure(
    options: &BenchArguments,
    name: &'static str,
    text: &str,
    has_texture: bool,
) -> Result<Row, Box<dyn Error>> {
    let size = Size::new(SIDE, SIDE)?;
    let shader = Shader::new(name, text)?;
    let pipeline = shader.pipeline(&Options::default())?;
    // Data is bound in advance: converting images is not part of drawing.
    let mut all = Vec::new();
    let mut inputs = Vec::new();
    for k in 0..PICTURES {
        let mut bindings = pipeline.bindings();
        bindings.time(k as f32);
        let mut settings = Settings::new(shader.core(), size);
        settings.inputs.time = k as f32;
        if has_texture {
            let (width, height) = (1 + k % 40, 1 + k / 40);
            let texel = |x: u32, y: u32| [x as f32, y as f32, k as f32, 1.0];
            let photo = Frame::from_fn(Size::new(width, height)?, texel);
            bindings.bind("photo", &photo)?;
            settings.bind(shader.core().graph.types(), "photo", &photo)?;
        }
        all.push(bindings);
        inputs.push(settings.inputs);
    }
    let program = schedule(shader.core(), &[0]).map_err(|diagnostic| diagnostic.message)?;
    let compiled = Arc::new(CompiledKernel::new(program, Compiler::new(Target::host()?))?);
    let limit = lambdav_core::limits::ITERATIONS;
    let mut kernel = compiled.bind(&inputs[0], limit)?;
    let [mut by_pipeline, mut by_kernel] = [Frame::zeros(size)?, Frame::zeros(size)?];
    let how = RenderOptions::default();
    for (bindings, inputs) in all.iter().zip(&inputs) {
        pipeline.render_into(bindings, &mut by_pipeline)?;
        kernel.rebind(inputs, limit)?;
        render_into(&kernel, &mut by_kernel, &how)?;
        assert_eq!(by_pipeline.samples(), by_kernel.samples(), "{name}");
    }
    let mut subjects: [Subject<'_>; 2] = [
        Box::new(|| {
            for bindings in &all {
                pipeline.render_into(bindings, &mut by_pipeline).expect("it has been drawn");
            }
        }),
        Box::new(|| {
            for inputs in &inputs {
                kernel.rebind(inputs, limit).expect("it has been bound");
                render_into(&kernel, &mut by_kernel, &how).expect("it has been drawn");
            }
        }),
    ];
    let times = Clock::Wall.interleaved(options.runs(), &mut subjects);
    // Milliseconds per run equal microseconds per picture.
    let [pipeline, kernel] = [0, 1].map(|k: usize| Summary::of(&times[k]));
    Ok(Row { name, pipeline, kernel, ratio: Summary::of_ratios(&times[0], &times[1]) })
}
