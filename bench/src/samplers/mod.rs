//! Textures that are read by samplers, beside Vulkan drivers that read them by their own samplers on the CPU.
//!
//! The time is that of one frame of floats, 1920×1080, drawn into memory that has been used before. Subjects alternate, and
//! medians are printed, with the number of pixels that differ by more than 1/255: drivers filter with fewer bits.

use crate::server::{Peer, PeerOptions, answer, cells, compare_frames, open_restricted};
use crate::table::Table;
use crate::timing::Summary;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::{TextureData, TextureKind};
use lambdav_engine::{Sampler, Shader, ShaderOptions, TextLanguage};
use lambdav_glsl_frontend::{Options, Stage, compile};
use lambdav_gpu::{Job, forever};
use lambdav_image::{Frame, Size};
use lambdav_raster::thread_pool;
use lambdav_spirv_eval::SharedData;
use serde::Serialize;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;

const WIDTH: u32 = 1920;
const HEIGHT: u32 = 1080;

/// A fragment shader in GLSL with its texture.
struct Subject {
    name: &'static str,
    /// Declares the texture `t` at binding 0, and computes `vec4 colour` from `vec2 place`, which is between 0 and 1.
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
layout(location = 0) out vec4 found;
{}
void main() {{
    found = colour(gl_FragCoord.xy / vec2({WIDTH}.0, {HEIGHT}.0));
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
    println!("ms per frame, and our time over the driver's");
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

fn measure(subject: &Subject, threads: usize, options: &PeerOptions) -> io::Result<Row> {
    let reading = ShaderOptions::default().language(TextLanguage::Glsl);
    let reading = reading.sampler("t", subject.sampler());
    let shader = Shader::with_options(subject.name, &subject.whole_text(), &reading);
    let pipeline = shader.and_then(|shader| shader.pipeline(&options.engine()));
    let pipeline = pipeline.map_err(io::Error::other)?;
    let mut bindings = pipeline.bindings();
    let bound = bindings.bind_planes("t", subject.size, &subject.texels());
    bound.map_err(io::Error::other)?;
    let pool = thread_pool(NonZeroUsize::new(threads).expect("at least one thread"));
    let pool = pool.map_err(io::Error::other)?;
    let size = Size::new(WIDTH, HEIGHT).expect("a size");
    let mut frame = Frame::from_fn(size, |_, _| [0.0; 4]);
    let draw = |frame: &mut Frame| {
        pool.install(|| pipeline.render_into(&bindings, frame)).expect("it has no fault");
    };
    let servers = options.drivers.start(&["samplers", "--serve", subject.name], threads)?;
    let tolerance = Some(1.0 / 255.0);
    let (ours, drivers) =
        compare_frames(options.common.runs(), tolerance, &mut frame, draw, servers)?;
    Ok(Row { name: subject.name, threads, ours, drivers })
}

/// Draws a subject on request of the other process.
fn serve(subject: &Subject) -> io::Result<()> {
    let device = open_restricted()?;
    let source = SourceFile::new(subject.name, subject.whole_text());
    let words = compile(source, &Options::new(Stage::Fragment), &mut NoFiles).words;
    let words = words.ok_or_else(|| io::Error::other("the shader is refused"))?;
    let texels = subject.texels().into_iter();
    let data = TextureData::with_planes(subject.kind, subject.size, texels, false);
    let data = SharedData::Texture(Arc::new(data.map_err(io::Error::other)?));
    let job = Job {
        resources: &[(0, data)],
        samplers: &[(0, subject.sampler(), subject.compares)],
        ..Job::new(&words, &[0], [WIDTH, HEIGHT])
    };
    let mut prepared = device.prepare(&job, &forever).map_err(io::Error::other)?;
    prepared.draw(&forever).map_err(io::Error::other)?;
    let pixels = prepared.read(0, &forever).map_err(io::Error::other)?;
    answer(&device, &pixels, || prepared.draw(&forever))
}
