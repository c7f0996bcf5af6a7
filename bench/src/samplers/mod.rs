//! Textures that are read by samplers, beside Vulkan drivers that read them by their own samplers on the CPU.
//!
//! The time is that of one dispatch, an invocation for each pixel of 1920×1080. Subjects alternate, and medians are printed, with
//! the number of pixels that differ by more than 1/255: drivers filter with fewer bits.

use crate::server::{Peer, PeerOptions, answer, cells, compare, differences, open_restricted};
use crate::table::Table;
use crate::timing::Summary;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::{TextureData, TextureKind};
use lambdav_engine::{Sampler, Shader, ShaderOptions, TextLanguage};
use lambdav_glsl_frontend::{Options, Stage, compile};
use lambdav_gpu::{BoundBuffer, BoundTexture, DispatchJob, forever};
use lambdav_raster::thread_pool;
use serde::Serialize;
use std::io;
use std::num::NonZeroUsize;

const WIDTH: usize = 1920;
const HEIGHT: usize = 1080;
const GROUPS: [u32; 3] = [WIDTH as u32 / 64, HEIGHT as u32, 1];

/// A compute shader in GLSL with its texture.
struct Subject {
    name: &'static str,
    /// Declares the texture `t` at binding 0, and computes `vec4 colour` from `vec2 place` and from `pixel`.
    text: &'static str,
    kind: TextureKind,
    size: [u32; 3],
    sampler: &'static str,
    compares: bool,
}

const SUBJECTS: [Subject; 5] = [
    Subject {
        name: "cube",
        text: include_str!("cube.glsl"),
        kind: TextureKind::Cube,
        size: [256, 256, 6],
        sampler: "filter=linear",
        compares: false,
    },
    Subject {
        name: "shadow",
        text: include_str!("shadow.glsl"),
        kind: TextureKind::Flat,
        size: [1024, 1024, 1],
        sampler: "wrap=border,border=white,compare=less-equal",
        compares: true,
    },
    Subject {
        name: "volume",
        text: include_str!("volume.glsl"),
        kind: TextureKind::Volume,
        size: [64, 64, 64],
        sampler: "filter=linear",
        compares: false,
    },
    Subject {
        name: "layers",
        text: include_str!("layers.glsl"),
        kind: TextureKind::Array,
        size: [512, 512, 8],
        sampler: "wrap=repeat",
        compares: false,
    },
    Subject {
        name: "gather",
        text: include_str!("gather.glsl"),
        kind: TextureKind::Flat,
        size: [1024, 1024, 1],
        sampler: "filter=linear",
        compares: false,
    },
];

impl Subject {
    fn whole_text(&self) -> String {
        format!(
            "#version 450
layout(local_size_x = 64) in;
layout(binding = 1, std430) buffer Found {{ vec4 found[]; }};
{}
void main() {{
    uvec2 pixel = gl_GlobalInvocationID.xy;
    vec2 place = (vec2(pixel) + 0.5) / vec2({WIDTH}.0, {HEIGHT}.0);
    found[pixel.y * {WIDTH}u + pixel.x] = colour(place);
}}
",
            self.text
        )
    }

    fn sampler(&self) -> Sampler {
        self.sampler.parse().expect("it is right")
    }

    /// Texels of 8 bits: waves with a little noise.
    fn texels(&self) -> Vec<[f32; 4]> {
        let [width, height, planes] = self.size;
        let texel = |k: u32| {
            let (x, y, z) = (k % width, k / width % height, k / width / height);
            let noise = k.wrapping_mul(747_796_405).wrapping_add(2_891_336_453) >> 28;
            [x ^ y, x + 2 * y + z, 3 * x + y, x * y / 64 + z]
                .map(|wave| ((wave + noise) % 256) as f32 / 255.0)
        };
        (0..width * height * planes).map(texel).collect()
    }
}

/// A row of the table. Times are milliseconds.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    threads: usize,
    ours: Summary,
    drivers: Vec<Peer>,
}

/// Measures and prints.
pub(crate) fn run(options: &PeerOptions) -> io::Result<()> {
    if let Some(name) = &options.drivers.serve {
        let subject = SUBJECTS.iter().find(|subject| subject.name == name);
        return serve(subject.ok_or_else(|| io::Error::other(format!("no subject {name}")))?);
    }
    println!("ms per dispatch, and our time over the driver's");
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
const COLUMNS: [(&str, usize); 4] = [("subject", 12), ("threads", 7), ("ours", 8), ("spread", 6)];

fn print(table: &Table, row: &Row) {
    let mut all = vec![row.name.to_owned(), row.threads.to_string()];
    all.extend(cells(row.ours));
    all.extend(row.drivers.iter().flat_map(Peer::cells));
    table.row(all);
}

fn pixels(words: &[u32]) -> Vec<[f32; 4]> {
    words.as_chunks().0.iter().map(|pixel| pixel.map(f32::from_bits)).collect()
}

fn measure(subject: &Subject, threads: usize, options: &PeerOptions) -> io::Result<Row> {
    let reading = ShaderOptions::default().compute().language(TextLanguage::Glsl);
    let reading = reading.sampler("t", subject.sampler());
    let shader = Shader::with_options(subject.name, &subject.whole_text(), &reading);
    let pipeline = shader.and_then(|shader| shader.compute_pipeline(&options.engine()));
    let pipeline = pipeline.map_err(io::Error::other)?;
    let mut bindings = pipeline.bindings();
    let bound = bindings.bind_planes("t", subject.size, &subject.texels());
    bound.map_err(io::Error::other)?;
    bindings.bind_zeros("Found", (WIDTH * HEIGHT) as u32).map_err(io::Error::other)?;
    let pool = thread_pool(NonZeroUsize::new(threads).expect("at least one thread"));
    let pool = pool.map_err(io::Error::other)?;
    pool.install(|| pipeline.dispatch(&mut bindings, GROUPS)).map_err(io::Error::other)?;
    let first = pixels(bindings.words("Found").expect("it is bound"));
    let servers = options.drivers.start(&["samplers", "--serve", subject.name], threads)?;
    let (ours, drivers) = compare(
        options.common.runs(),
        first.len(),
        |theirs| differences(&first, theirs, Some(1.0 / 255.0)),
        || {
            pool.install(|| pipeline.dispatch(&mut bindings, GROUPS)).expect("it has run before");
        },
        servers,
    )?;
    Ok(Row { name: subject.name, threads, ours, drivers })
}

/// Runs a subject on request of the other process.
fn serve(subject: &Subject) -> io::Result<()> {
    let device = open_restricted()?;
    let source = SourceFile::new(subject.name, subject.whole_text());
    let words = compile(source, &Options::new(Stage::Compute), &mut NoFiles).words;
    let words = words.ok_or_else(|| io::Error::other("the shader is refused"))?;
    let texels = subject.texels().into_iter();
    let data = TextureData::with_planes(subject.kind, subject.size, texels, false);
    let data = data.map_err(io::Error::other)?;
    let found = vec![0; 4 * WIDTH * HEIGHT];
    let job = DispatchJob {
        words: &words,
        entry_point: "main",
        groups: GROUPS,
        push_constants: &Default::default(),
        buffers: &[BoundBuffer { set: 0, binding: 1, is_uniform: false, words: &found }],
        textures: &[BoundTexture {
            set: 0,
            binding: 0,
            data: &data,
            sampler: Some((subject.sampler(), subject.compares)),
        }],
    };
    let mut prepared = device.prepare_dispatch(&job, &forever).map_err(io::Error::other)?;
    prepared.run(&forever).map_err(io::Error::other)?;
    let found = prepared.read(0).map_err(io::Error::other)?;
    answer(&device, &found.as_chunks().0.to_vec(), || prepared.run(&forever))
}
