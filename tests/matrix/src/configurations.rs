//! Configurations that must not affect a picture.

use lambdav_image::Size;
use lambdav_raster::{RenderOptions, thread_pool};
use lambdav_simd_backend::Target;
use lambdav_simd_backend::emit::Wide;
use lambdav_simd_backend::registers::Shape;
use rayon::ThreadPool;
use std::collections::BTreeMap;
use std::fmt::{self, Display, Formatter};
use std::num::NonZeroUsize;
use std::sync::{Mutex, PoisonError};

/// A set of processor features.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// The features, in words.
    pub name: &'static str,
    /// The kind of code to compile.
    pub code: Code,
    /// True if this machine has the features.
    pub is_here: fn() -> bool,
}

/// The emitter and its options.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// Cranelift, without these settings.
    Cranelift(&'static [&'static str]),
    /// The emitter for wide registers.
    Wide(Wide),
    /// The emitter for wide registers, without extensions that the first processors of this kind lack.
    First(Wide),
}

impl Processor {
    /// The target of the code.
    pub fn target(self) -> Target {
        match self.code {
            Code::Cranelift(off) => Target::with(off).expect("names of Cranelift's settings"),
            Code::Wide(wide) => Target::wide(wide),
            Code::First(wide) => Target::wide(wide).without_extensions(),
        }
    }
}

/// From the fewest features to all that the machine has.
#[cfg(target_arch = "x86_64")]
pub const PROCESSORS: [Processor; 8] = {
    use std::arch::is_x86_feature_detected as has;
    /// Settings in the order in which processors gained the features.
    const NEWER: &[&str] = &[
        "has_sse42",
        "has_popcnt",
        "has_avx",
        "has_avx2",
        "has_fma",
        "has_bmi1",
        "has_bmi2",
        "has_lzcnt",
        "has_avx512bitalg",
        "has_avx512dq",
        "has_avx512f",
        "has_avx512vbmi",
        "has_avx512vl",
        "has_avx512vnni",
        "has_avx_vnni",
    ];
    [
        Processor { name: "SSE4.1", code: Code::Cranelift(NEWER), is_here: || true },
        Processor {
            name: "AVX",
            code: Code::Cranelift(NEWER.split_at(3).1),
            is_here: || has!("avx"),
        },
        Processor {
            name: "AVX2 and FMA",
            code: Code::Cranelift(NEWER.split_at(8).1),
            is_here: || has!("avx2") && has!("fma"),
        },
        Processor { name: "all features", code: Code::Cranelift(&[]), is_here: || true },
        Processor {
            name: "AVX2 at 256 bits",
            code: Code::Wide(Wide::Avx2),
            is_here: || Wide::Avx2.is_here(),
        },
        Processor {
            name: "AVX-512 at 256 bits",
            code: Code::Wide(Wide::Avx512At256),
            is_here: || Wide::Avx512At256.is_here(),
        },
        Processor {
            name: "AVX-512 at 512 bits, of the first processors",
            code: Code::First(Wide::Avx512),
            is_here: || Wide::Avx512.is_here(),
        },
        Processor {
            name: "AVX-512 at 512 bits",
            code: Code::Wide(Wide::Avx512),
            is_here: || Wide::Avx512.is_here(),
        },
    ]
};

/// From the fewest features to all that the machine has.
#[cfg(target_arch = "aarch64")]
pub const PROCESSORS: [Processor; 2] = [
    Processor {
        name: "ARMv8.0",
        code: Code::Cranelift(&["has_lse", "has_pauth", "has_fp16", "sign_return_address"]),
        is_here: || true,
    },
    Processor { name: "all features", code: Code::Cranelift(&[]), is_here: || true },
];

/// All features that the machine has.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const PROCESSORS: [Processor; 1] =
    [Processor { name: "all features", code: Code::Cranelift(&[]), is_here: || true }];

/// Numbers of lanes; `None`: the compiler's choice.
pub fn lanes() -> impl Iterator<Item = Option<u32>> {
    Shape::LANES.into_iter().map(Some).chain([None])
}

/// A thread pool of that size. Each pool is created once.
pub fn pool(threads: usize) -> &'static ThreadPool {
    static POOLS: Mutex<BTreeMap<usize, &'static ThreadPool>> = Mutex::new(BTreeMap::new());
    POOLS.lock().unwrap_or_else(PoisonError::into_inner).entry(threads).or_insert_with(|| {
        let threads = NonZeroUsize::new(threads).expect("at least one thread");
        Box::leak(Box::new(thread_pool(threads).expect("threads can be started")))
    })
}

/// The division of a frame into tiles and threads.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// Number of threads.
    pub threads: usize,
    /// Width and height of a tile; `None`: the default.
    pub tile: Option<(u32, u32)>,
}

impl Division {
    /// All divisions. Tiles of 7x5 are no multiple of any number of lanes, and tiles of 64x1 are lower than
    /// most groups.
    pub fn all() -> impl Iterator<Item = Self> {
        let tiles = [None, Some((7, 5)), Some((64, 1))];
        tiles.into_iter().flat_map(|tile| [1, 2, 7].map(|threads| Self { threads, tile }))
    }

    /// The options for rendering.
    pub fn options(self) -> RenderOptions<'static> {
        let mut options = RenderOptions::default();
        if let Some((width, height)) = self.tile {
            options.tile = Size::new(width, height).expect("a small tile");
        }
        options
    }
}

impl Display for Division {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} threads", self.threads)?;
        match self.tile {
            Some((width, height)) => write!(f, ", tiles of {width}x{height}"),
            None => Ok(()),
        }
    }
}
