//! The kernels: each is a shader, and the same computation in scalar Rust.
//!
//! The Rust code has the formulas of the shader in the same order, one pixel at a time, and the elementary
//! functions of the machine code (`bodies.rs`). So both compute the same bits by the same algorithm. The
//! source is scalar; the Rust compiler may still vectorise it, as it does for `volume`.

mod ambient_occlusion;
mod binomial;
mod black_scholes;
mod builtins;
mod hash;
mod mandelbrot;
mod measure;
mod noise;
mod path;
mod plasma;
mod raymarch;
mod table;
mod volume;

pub(crate) use measure::run;

use crate::bodies;
use builtins::Vec2;
use lambdav_raster::Tile;

/// A kernel.
pub(crate) struct Kernel {
    pub(crate) name: &'static str,
    pub(crate) shader: &'static str,
    /// Computes the pixels of a tile as RGBA, for an image of a resolution.
    scalar: fn(Tile, Vec2, &mut [f32]),
}

/// All kernels.
pub(crate) const KERNELS: [Kernel; 13] = [
    Kernel {
        name: "mandelbrot",
        shader: include_str!("../../shaders/mandelbrot.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, mandelbrot::pixel),
    },
    Kernel {
        name: "ambient-occlusion",
        shader: include_str!("../../shaders/ambient-occlusion.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, ambient_occlusion::pixel),
    },
    Kernel {
        name: "volume",
        shader: include_str!("../../shaders/volume.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, volume::pixel),
    },
    Kernel {
        name: "binomial",
        shader: include_str!("../../shaders/binomial.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, binomial::pixel),
    },
    Kernel {
        name: "black-scholes",
        shader: include_str!("../../shaders/black-scholes.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, black_scholes::pixel),
    },
    Kernel {
        name: "raymarch",
        shader: include_str!("../../shaders/raymarch.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, raymarch::pixel),
    },
    Kernel {
        name: "noise",
        shader: include_str!("../../shaders/noise.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, noise::pixel),
    },
    Kernel {
        name: "plasma",
        shader: include_str!("../../shaders/plasma.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, plasma::pixel),
    },
    Kernel {
        name: "hash",
        shader: include_str!("../../shaders/hash.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, hash::pixel),
    },
    Kernel {
        name: "table-uniform",
        shader: include_str!("../../shaders/table-uniform.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, table::uniform_pixel),
    },
    Kernel {
        name: "table-row",
        shader: include_str!("../../shaders/table-row.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, table::row_pixel),
    },
    Kernel {
        name: "table-varying",
        shader: include_str!("../../shaders/table-varying.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, table::varying_pixel),
    },
    Kernel {
        name: "path",
        shader: include_str!("../../shaders/path.lv"),
        scalar: |tile, resolution, out| fill(tile, resolution, out, path::pixel),
    },
];

/// Computes the pixels of a tile one by one.
fn fill(tile: Tile, resolution: Vec2, out: &mut [f32], pixel: impl Fn(Vec2, Vec2) -> [f32; 4]) {
    let at = |left: u32, top: u32| [(tile.x + left) as f32 + 0.5, (tile.y + top) as f32 + 0.5];
    for (top, row) in (0..).zip(out.chunks_exact_mut(4 * tile.width as usize)) {
        for (left, out) in (0..).zip(row.as_chunks_mut().0) {
            *out = pixel(at(left, top), resolution);
        }
    }
}
