//! Compute shaders, beside Vulkan drivers that run them on the CPU from the same SPIR-V, and beside plain Rust with
//! rayon.
//!
//! The time is that of one dispatch on buffers that are bound before. Subjects alternate, and medians are printed, with
//! the number of quadruples of words that differ in a result of the first dispatch: drivers may contract, approximate
//! divisions, and reorder sums.

mod subjects;

use self::subjects::{SUBJECTS, Subject};
use crate::server::{Peer, PeerOptions, answer, cells, compare, differences, open_restricted};
use crate::table::Table;
use crate::timing::{Clock, Summary};
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_engine::{DataRef, Shader, ShaderOptions};
use lambdav_gpu::{BoundBuffer, DispatchJob, forever};
use lambdav_raster::thread_pool;
use lambdav_wgsl_frontend::{Options as WgslOptions, compile};
use serde::Serialize;
use std::io;
use std::num::NonZeroUsize;

/// Numbers that differ by no more than this part of their magnitude are equal.
const TOLERANCE: f32 = 1.0 / 1024.0;

/// A row of the table. Times are milliseconds.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    threads: usize,
    ours: Summary,
    /// Our time over that of plain Rust.
    plain: Summary,
    drivers: Vec<Peer>,
}

/// Measures and prints.
pub(crate) fn run(options: &PeerOptions) -> io::Result<()> {
    if let Some(name) = &options.drivers.serve {
        let subject = SUBJECTS.iter().find(|subject| subject.name == name);
        return serve(subject.ok_or_else(|| io::Error::other(format!("no subject {name}")))?);
    }
    println!("ms per dispatch; our time over that of plain Rust, and over the driver's");
    let mut table = None;
    let mut rows = Vec::new();
    for subject in SUBJECTS.iter().filter(|subject| options.common.wants(subject.name)) {
        for threads in options.drivers.threads() {
            let row = measure(subject, threads, options)?;
            print(table.get_or_insert_with(|| Peer::head(&row.drivers, &COLUMNS)), &row);
            rows.push(row);
        }
    }
    options.common.save(&rows)
}

/// The columns before those of the drivers.
const COLUMNS: [(&str, usize); 5] =
    [("subject", 12), ("threads", 7), ("ours", 8), ("spread", 6), ("rust", 6)];

fn print(table: &Table, row: &Row) {
    let mut all = vec![row.name.to_owned(), row.threads.to_string()];
    all.extend(cells(row.ours));
    all.push(format!("{:.2}", row.plain.median));
    all.extend(row.drivers.iter().flat_map(Peer::cells));
    table.row(all);
}

/// Words as quadruples of numbers, the last ones zero.
fn quadruples(words: &[u32]) -> Vec<[f32; 4]> {
    let mut all: Vec<f32> = words.iter().map(|&word| f32::from_bits(word)).collect();
    all.resize(words.len().next_multiple_of(4), 0.0);
    all.as_chunks().0.to_vec()
}

fn measure(subject: &Subject, threads: usize, options: &PeerOptions) -> io::Result<Row> {
    let name = format!("{}.wgsl", subject.name);
    let shader = Shader::with_options(&name, subject.text, &ShaderOptions::default().compute());
    let shader = shader.map_err(io::Error::other)?;
    let pipeline = shader.compute_pipeline(&options.engine()).map_err(io::Error::other)?;
    let mut bindings = pipeline.bindings();
    let buffers = subject.buffers();
    for (name, words) in subject.names.iter().zip(&buffers) {
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bindings.bind(name, DataRef::Bytes(&bytes)).map_err(io::Error::other)?;
    }
    let pool = thread_pool(NonZeroUsize::new(threads).expect("at least one thread"));
    let pool = pool.map_err(io::Error::other)?;
    let result = subject.names[subject.result];
    pool.install(|| pipeline.dispatch(&mut bindings, subject.groups).map_err(io::Error::other))?;
    let found = bindings.words(result).expect("it is bound");
    let mut plain = buffers.clone();
    pool.install(|| (subject.plain)(&mut plain));
    let wrong = differences(&quadruples(found), &quadruples(&plain[subject.result]), None);
    if wrong > 0 {
        let why = format!("{}: {wrong} differ from plain Rust", subject.name);
        return Err(io::Error::other(why));
    }
    let first = quadruples(found);
    let servers = options.drivers.start(&["compute", "--serve", subject.name], threads)?;
    let mut rust = Vec::new();
    let (ours, drivers) = compare(
        options.common.runs(),
        first.len(),
        |theirs| differences(&first, theirs, Some(TOLERANCE)),
        || {
            pool.install(|| pipeline.dispatch(&mut bindings, subject.groups))
                .expect("it has run before");
        },
        servers,
    )?;
    for _ in 0..options.common.runs() {
        (subject.plain)(&mut plain);
        rust.push(Clock::Wall.time(|| pool.install(|| (subject.plain)(&mut plain))));
    }
    let plain = Summary::of(&rust.iter().map(|rust| ours.median / rust).collect::<Vec<_>>());
    Ok(Row { name: subject.name, threads, ours, plain, drivers })
}

/// Runs a subject on request of the other process.
fn serve(subject: &Subject) -> io::Result<()> {
    let device = open_restricted()?;
    let source = SourceFile::new(subject.name, subject.text);
    let words = compile(source, &WgslOptions::default(), &mut NoFiles).words;
    let words = words.ok_or_else(|| io::Error::other("the shader is refused"))?;
    let buffers = subject.buffers();
    let bound = (0..).zip(&buffers).map(|(binding, words)| BoundBuffer {
        set: 0,
        binding,
        is_uniform: false,
        words,
    });
    let bound: Vec<BoundBuffer<'_>> = bound.collect();
    let job = DispatchJob {
        words: &words,
        entry_point: "main",
        groups: subject.groups,
        push_constants: &Default::default(),
        buffers: &bound,
        textures: &[],
    };
    let mut prepared = device.prepare_dispatch(&job, &forever).map_err(io::Error::other)?;
    drop(bound);
    drop(buffers);
    prepared.run(&forever).map_err(io::Error::other)?;
    let found = prepared.read(subject.result).map_err(io::Error::other)?;
    let bits = quadruples(&found).into_iter().map(|four| four.map(f32::to_bits)).collect();
    answer(&device, &bits, || prepared.run(&forever))
}
