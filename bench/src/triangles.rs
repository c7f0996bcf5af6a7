//! Pictures of triangles at 1080p: many small ones, few large ones, with textures and with samples.

use super::BenchArguments;
use crate::table::Table;
use crate::timing::{Clock, Subject, Summary};
use lambdav_engine::{Frame, Options, Shader, Size};
use lambdav_raster::thread_pool;
use serde::Serialize;
use std::error::Error;
use std::io;
use std::num::NonZeroUsize;

const SIZE: [u32; 2] = [1920, 1080];

/// Triangles at random places, given the sides of a right angle in pixels. A vertex has no attributes: it is
/// computed from its index.
const SCATTERED: &str = "
    (uniform side num)
    (define (mixed n)
      (let* ((a (* n 747796405u)) (b (* (bit-xor a (shift-right a 15u)) 2246822519u))
             (c (* (bit-xor b (shift-right b 13u)) 3266489917u)))
        (bit-xor c (shift-right c 16u))))
    (define (unit n) (* (num (shift-right (mixed n) 8u)) 5.9604645e-8))
    (define triangle (uint (div (vertex-index) 3i)))
    (define corner (at (array (vec2 0 0) (vec2 1 0) (vec2 0 1)) (rem (vertex-index) 3i)))
    (define place (vec2 (unit (* 3u triangle)) (unit (+ 1u (* 3u triangle)))))
    (define at-pixel (+ (* place (vec2 1920 1080)) (* side (- corner 0.33))))
    (position (vec4 (- (/ at-pixel (vec2 960 540)) 1) (unit (+ 2u (* 3u triangle))) 1))
    (varying colour (vec3 place (.x corner)))
    (varying at-corner corner)";

/// Names, numbers of triangles, sides in pixels, rest of the program, and true for a texture.
const ROWS: [(&str, u32, f32, &str, bool); 5] = [
    ("ten-pixels", 100_000, 4.472, "(vec4 colour 1)", false),
    ("one-pixel", 1_000_000, 1.414, "(vec4 colour 1)", false),
    (
        "large",
        1_000,
        300.0,
        "(texture photo (wrap repeat)) (* (vec4 colour 1) (sample photo (* 4 at-corner)))",
        true,
    ),
    ("ten-pixels-4", 100_000, 4.472, "(state (samples 4)) (vec4 colour 1)", false),
    (
        "large-4",
        1_000,
        300.0,
        "(state (samples 4)) (texture photo (wrap repeat))
         (* (vec4 colour 1) (sample photo (* 4 at-corner)))",
        true,
    ),
];

/// A row of the table.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    threads: usize,
    /// Milliseconds of a picture.
    time: Summary,
}

pub(crate) fn run(options: &BenchArguments) -> io::Result<()> {
    let table = Table::new(&[("triangles", 16), ("threads", 8), ("ms", 9), ("ns/triangle", 12)]);
    let mut rows = Vec::new();
    for (name, count, side, text, has_texture) in ROWS {
        if !options.wants(name) {
            continue;
        }
        for threads in [1, 2] {
            let time = measure(options, threads, (count, side), text, has_texture);
            let time = time.map_err(|error| io::Error::other(error.to_string()))?;
            table.row([
                name.to_owned(),
                threads.to_string(),
                format!("{:.2}", time.median),
                format!("{:.1}", time.median * 1e6 / f64::from(count)),
            ]);
            rows.push(Row { name, threads, time });
        }
    }
    options.save(&rows)
}

fn measure(
    options: &BenchArguments,
    threads: usize,
    (count, side): (u32, f32),
    text: &str,
    has_texture: bool,
) -> Result<Summary, Box<dyn Error>> {
    let shader = Shader::new("triangles", &format!("{SCATTERED}{text}"))?;
    let mut bindings = shader.bindings();
    bindings.set("side", side)?;
    bindings.vertices(3 * count);
    if has_texture {
        let texel = |x: u32, y: u32| [x, y, x ^ y, 63].map(|part| part as f32 / 63.0);
        bindings.bind("photo", &Frame::from_fn(Size::new(64, 64)?, texel))?;
    }
    let pipeline = shader.pipeline(&Options::default().for_sizes(&bindings))?;
    let pool = thread_pool(NonZeroUsize::new(threads).expect("at least one thread"))?;
    let [width, height] = SIZE;
    let mut frame = Frame::zeros(Size::new(width, height)?)?;
    let draw = || {
        pool.install(|| pipeline.render_into(&bindings, &mut frame)).expect("it can be drawn");
    };
    let mut subjects: [Subject<'_>; 1] = [Box::new(draw)];
    let times = Clock::Wall.interleaved(options.runs(), &mut subjects);
    Ok(Summary::of(&times[0]))
}
