//! Whole frames of floats, beside Vulkan drivers that draw them on the CPU from our own SPIR-V.
//!
//! The time is that of drawing one frame into memory that has been used before, without reading it back.
//! Subjects alternate, and medians are printed. The first frames are compared bit by bit; the number of
//! pixels that a driver gets wrong is printed beside its time.

use crate::BenchArguments;
use crate::compile::CONSTANT;
use crate::kernels::KERNELS;
use crate::server::{DriverArguments, Peer, answer, cells, compare_frames, open_restricted};
use crate::table::Table;
use crate::textures;
use crate::timing::Summary;
use clap::Args;
use lambdav_core::resource::Bound;
use lambdav_core::types::Types;
use lambdav_engine::Settings;
use lambdav_engine::engines::FastEngine;
use lambdav_engine::program::Loaded;
use lambdav_gpu::forever;
use lambdav_gpu_tests::Shader;
use lambdav_image::{Frame, Size};
use lambdav_matrix::pictures;
use lambdav_raster::{self as raster, RenderOptions};
use lambdav_spirv_backend::emit::EmitOptions;
use serde::Serialize;
use std::hint::black_box;
use std::io;
use std::num::NonZero;

/// The time of all frames, equal to that of `lambdav-gpu-tests`.
const TIME: f32 = 1.5;

/// Options of `drivers`.
#[derive(Args)]
pub(crate) struct DriverOptions {
    #[command(flatten)]
    common: BenchArguments,
    #[command(flatten)]
    drivers: DriverArguments,
    /// Width and height of the frames
    #[arg(long, value_name = "WxH", default_value = "1920x1080")]
    size: Size,
}

/// A row of the table. Times are milliseconds.
#[derive(Serialize)]
struct Row {
    shader: String,
    threads: usize,
    ours: Summary,
    drivers: Vec<Peer>,
}

/// Names and texts of all shaders: a constant, the kernels, samples of textures, the gallery.
fn shaders() -> Vec<(String, String)> {
    let kernels = KERNELS.iter().map(|k| (format!("kernels/{}", k.name), k.shader.to_owned()));
    let mut all = vec![("constant".to_owned(), CONSTANT.to_owned())];
    all.extend(kernels);
    let sampled = textures::SHADERS.iter();
    all.extend(sampled.map(|(name, text)| (format!("textures/{name}"), (*text).to_owned())));
    for shader in Shader::gallery() {
        all.push((format!("shaders/{}", shader.name), shader.text().to_owned()));
    }
    all
}

/// The data of a shader's textures and buffers.
fn resources(name: &str, text: &str, types: &Types) -> Vec<Bound> {
    match name.starts_with("shaders/") {
        true => pictures::resources(text, types),
        false => textures::data(types),
    }
}

/// Measures and prints.
pub(crate) fn run(options: &DriverOptions) -> io::Result<()> {
    if let Some(name) = &options.drivers.serve {
        return serve(name, options.size);
    }
    println!("ms per frame; for drivers also our time over theirs, and the number of wrong pixels");
    let mut table = None;
    let mut rows = Vec::new();
    for (name, text) in shaders().into_iter().filter(|(name, _)| options.common.wants(name)) {
        for threads in options.drivers.threads() {
            let row = measure(&name, &text, threads, options)?;
            print(table.get_or_insert_with(|| Peer::head(&row.drivers, &COLUMNS)), &row);
            rows.push(row);
        }
    }
    options.common.save(&rows)
}

/// The columns before those of the drivers.
const COLUMNS: [(&str, usize); 4] = [("shader", 26), ("threads", 7), ("ours", 8), ("spread", 6)];

fn print(table: &Table, row: &Row) {
    let mut all = vec![row.shader.clone(), row.threads.to_string()];
    all.extend(cells(row.ours));
    all.extend(row.drivers.iter().flat_map(Peer::cells));
    table.row(all);
}

fn measure(name: &str, text: &str, threads: usize, options: &DriverOptions) -> io::Result<Row> {
    let size = options.size;
    let loaded = Loaded::from_text(name, text);
    let core = loaded.core.as_ref().expect("what is measured compiles");
    let location = core.outputs.iter().map(|output| output.location).min().expect("it has one");
    let mut settings = Settings::new(core, size);
    settings.inputs.time = TIME;
    settings.inputs.resources = resources(name, text, core.graph.types());
    let engine = FastEngine::new(core, location, &settings, None).map_err(io::Error::other)?;
    let threads_of_pool = NonZero::new(threads).expect("at least one thread");
    let pool = raster::thread_pool(threads_of_pool).map_err(io::Error::other)?;
    let mut frame = Frame::from_fn(size, |_, _| [0.0; 4]);
    let draw = |frame: &mut Frame| {
        let options = RenderOptions::default();
        pool.install(|| raster::render_into(&engine, frame, &options)).expect("it ends");
        black_box(frame);
    };
    let text_of_size = format!("{}x{}", size.width(), size.height());
    let arguments = ["drivers", "--serve", name, "--size", &text_of_size];
    let servers = options.drivers.start(&arguments, threads)?;
    let (ours, drivers) = compare_frames(options.common.runs(), None, &mut frame, draw, servers)?;
    Ok(Row { shader: name.to_owned(), threads, ours, drivers })
}

/// Draws a shader on request of the other process.
fn serve(name: &str, size: Size) -> io::Result<()> {
    let device = open_restricted()?;
    let (_, text) = shaders()
        .into_iter()
        .find(|(known, _)| known == name)
        .ok_or_else(|| io::Error::other(format!("no shader is called {name}")))?;
    let shader = Shader::new(name, &text).with_resources(|types| resources(name, &text, types));
    let output = shader.outputs().min_by_key(|output| output.location()).expect("it has one");
    let prepared = output.prepare(&device, [size.width(), size.height()], &EmitOptions::default());
    let (mut prepared, _) = prepared.map_err(io::Error::other)?;
    prepared.draw(&forever).map_err(io::Error::other)?;
    let pixels = prepared.read(output.location(), &forever).map_err(io::Error::other)?;
    answer(&device, &pixels, || prepared.draw(&forever))
}
