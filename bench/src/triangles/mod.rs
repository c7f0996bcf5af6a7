//! Pictures of triangles at 1080p, beside Vulkan drivers that draw them on the CPU from our own SPIR-V: many
//! small triangles, few large ones with a texture, each also with four samples, and a scene with shadows.
//!
//! The time of a scene is that of all its passes, with textures bound before, into memory that has been used
//! before, without reading it back. Both sides compute vertices from their index. Subjects alternate, and medians
//! are printed, with the number of pixels that differ by more than a tolerance.

mod scenes;

use self::scenes::{Pass, SCENES, Scene};
use crate::server::{Peer, PeerOptions, answer, cells, compare_frames, open_restricted};
use crate::table::Table;
use crate::timing::Summary;
use lambdav_engine::stages::EmitOptions;
use lambdav_engine::{Frame, Pipeline, Size};
use lambdav_gpu::{Device, Indices, Job, Prepared, Triangles, forever};
use lambdav_raster::thread_pool;
use serde::Serialize;
use std::error::Error;
use std::hint::black_box;
use std::io;
use std::num::NonZeroUsize;

const SIZE: [u32; 2] = [1920, 1080];

/// Channels that differ by no more than this are equal: drivers interpolate in their own way. So the number of pixels
/// that differ is mostly that of differences in coverage, and in the order of depths.
const TOLERANCE: f32 = 1.0 / 64.0;

/// A row of the table. Times are milliseconds.
#[derive(Serialize)]
struct Row {
    scene: &'static str,
    threads: usize,
    ours: Summary,
    drivers: Vec<Peer>,
}

fn other(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

/// Measures and prints.
pub(crate) fn run(options: &PeerOptions) -> io::Result<()> {
    if let Some(name) = &options.drivers.serve {
        let scene = SCENES.iter().find(|scene| scene.name == name);
        return serve(scene.ok_or_else(|| other(format!("no scene is called {name}")))?);
    }
    println!(
        "ms per scene; for drivers also our time over theirs, and the number of pixels that differ"
    );
    let mut table = None;
    let mut rows = Vec::new();
    for scene in SCENES.iter().filter(|scene| options.common.wants(scene.name)) {
        for threads in options.drivers.threads() {
            let row = measure(scene, threads, options)?;
            print(table.get_or_insert_with(|| Peer::head(&row.drivers, &COLUMNS)), &row, scene);
            rows.push(row);
        }
    }
    options.common.save(&rows)
}

/// The columns before those of the drivers.
const COLUMNS: [(&str, usize); 5] =
    [("scene", 14), ("threads", 7), ("ns/triangle", 11), ("ours", 8), ("spread", 6)];

fn print(table: &Table, row: &Row, scene: &Scene) {
    let of_triangle = row.ours.median * 1e6 / f64::from(scene.triangles);
    let mut all = vec![row.scene.to_owned(), row.threads.to_string(), format!("{of_triangle:.1}")];
    all.extend(cells(row.ours));
    all.extend(row.drivers.iter().flat_map(Peer::cells));
    table.row(all);
}

fn size() -> Size {
    Size::new(SIZE[0], SIZE[1]).expect("a size")
}

fn measure(scene: &Scene, threads: usize, options: &PeerOptions) -> io::Result<Row> {
    let passes = scene.passes(size()).map_err(other)?;
    let pipelines: Vec<(Pipeline, &Pass)> = passes
        .iter()
        .map(|pass| {
            let of_pass = options.engine().for_sizes(&pass.bindings);
            Ok((pass.shader.pipeline(&of_pass).map_err(other)?, pass))
        })
        .collect::<io::Result<_>>()?;
    let pool = thread_pool(NonZeroUsize::new(threads).expect("at least one thread"));
    let pool = pool.map_err(other)?;
    let draw = |frame: &mut Frame| {
        pool.install(|| {
            for (pipeline, pass) in &pipelines {
                pipeline.render_into(&pass.bindings, &mut *frame).expect("it can be drawn");
            }
        });
        black_box(frame);
    };
    let mut frame = Frame::zeros(size()).map_err(other)?;
    let servers = options.drivers.start(&["triangles", "--serve", scene.name], threads)?;
    let (ours, drivers) =
        compare_frames(options.common.runs(), Some(TOLERANCE), &mut frame, draw, servers)?;
    Ok(Row { scene: scene.name, threads, ours, drivers })
}

/// Draws a scene on request of the other process.
fn serve(scene: &Scene) -> io::Result<()> {
    let device = open_restricted()?;
    let passes = scene.passes(size()).map_err(other)?;
    let prepared = passes.iter().map(|pass| prepare(pass, &device));
    let mut prepared: Vec<Prepared> = prepared.collect::<Result<_, _>>().map_err(other)?;
    let mut draw = || prepared.iter_mut().try_for_each(|prepared| prepared.draw(&forever));
    draw().map_err(io::Error::other)?;
    let last = prepared.last_mut().expect("a scene has a pass");
    let pixels = last.read(0, &forever).map_err(io::Error::other)?;
    answer(&device, &pixels, || prepared.iter_mut().try_for_each(|of| of.draw(&forever)))
}

fn prepare(pass: &Pass, device: &Device) -> Result<Prepared, Box<dyn Error>> {
    let module = pass.shader.spirv(&[0], &EmitOptions::default())?;
    let memory = pass.bindings.device_memory(size());
    let triangles = Triangles {
        entry_points: ["vertex", "fragment"],
        attributes: &[],
        indices: Indices::Count(pass.vertices),
        instances: 1,
        state: pass.shader.core().triangles.as_ref().expect("it draws triangles").state,
        keeps_depth: false,
    };
    let job = Job::new(&module.words, &[0], SIZE).with(&memory).draw(triangles);
    Ok(device.prepare(&job, &forever)?)
}
