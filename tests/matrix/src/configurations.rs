//! What a picture must not depend on.

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

/// Some of what this machine's processor can do.
#[derive(Clone, Copy, Debug)]
pub struct Processor {
    /// What it can do, in words.
    pub name: &'static str,
    /// What the code is made for.
    pub code: Code,
    /// Whether this machine has what the name says.
    pub is_here: fn() -> bool,
}

/// Whose code it is.
#[derive(Clone, Copy, Debug)]
pub enum Code {
    /// Cranelift's, without what has these names there.
    Cranelift(&'static [&'static str]),
    /// For wide registers.
    Wide(Wide),
    /// The same, for all processors that have these.
    First(Wide),
}

impl Processor {
    /// What the code is made for.
    pub fn target(self) -> Target {
        match self.code {
            Code::Cranelift(off) => Target::with(off).expect("names of Cranelift's settings"),
            Code::Wide(wide) => Target::wide(wide),
            Code::First(wide) => Target::wide(wide).without_extensions(),
        }
    }
}

/// From the least to all that the machine can do.
#[cfg(target_arch = "x86_64")]
pub const PROCESSORS: [Processor; 8] = {
    use std::arch::is_x86_feature_detected as has;
    /// In the order in which processors got it.
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

/// From the least to all that the machine can do.
#[cfg(target_arch = "aarch64")]
pub const PROCESSORS: [Processor; 2] = [
    Processor {
        name: "ARMv8.0",
        code: Code::Cranelift(&["has_lse", "has_pauth", "has_fp16", "sign_return_address"]),
        is_here: || true,
    },
    Processor { name: "all features", code: Code::Cranelift(&[]), is_here: || true },
];

/// All that the machine can do.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub const PROCESSORS: [Processor; 1] =
    [Processor { name: "all features", code: Code::Cranelift(&[]), is_here: || true }];

/// Numbers of lanes; none is what the compiler chooses.
pub fn lanes() -> impl Iterator<Item = Option<u32>> {
    Shape::LANES.into_iter().map(Some).chain([None])
}

/// A pool of so many threads; each is made once.
pub fn pool(threads: usize) -> &'static ThreadPool {
    static POOLS: Mutex<BTreeMap<usize, &'static ThreadPool>> = Mutex::new(BTreeMap::new());
    POOLS.lock().unwrap_or_else(PoisonError::into_inner).entry(threads).or_insert_with(|| {
        let threads = NonZeroUsize::new(threads).expect("at least one thread");
        Box::leak(Box::new(thread_pool(threads).expect("threads can be started")))
    })
}

/// How a frame is cut into tiles and shared among threads.
#[derive(Clone, Copy, Debug)]
pub struct Division {
    /// Threads.
    pub threads: usize,
    /// The sides of a tile; none are the default's.
    pub tile: Option<(u32, u32)>,
}

impl Division {
    /// All of them. Tiles of 7x5 fit no number of lanes, those of 64x1 are lower than most groups.
    pub fn all() -> impl Iterator<Item = Self> {
        let tiles = [None, Some((7, 5)), Some((64, 1))];
        tiles.into_iter().flat_map(|tile| [1, 2, 7].map(|threads| Self { threads, tile }))
    }

    /// For rendering.
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
