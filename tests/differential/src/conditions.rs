//! The conditions of a run, apart from the values of uniforms.

use lambdav_generate::Random;
use std::fmt;

/// Iteration limit that no loop of a generated program reaches.
pub const ENOUGH_ITERATIONS: u64 = 64;

/// Sizes of images and their weights. Widths and heights are chosen for engines that compute many pixels at
/// once: they end with incomplete groups and rows.
const SIZES: [((u32, u32), u32); 9] = [
    ((9, 7), 40),
    ((8, 8), 12),
    ((16, 3), 8),
    ((17, 5), 10),
    ((7, 9), 10),
    ((5, 11), 8),
    ((33, 17), 3),
    ((31, 2), 6),
    ((1, 1), 3),
];

/// Size of the image, inputs, and the iteration limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `(time)`
    pub time: f32,
    /// `(frame)`: 0 to 3, which generated programs rely on.
    pub frame: f32,
    /// `(mouse)`
    pub mouse: [f32; 4],
    /// Largest number of `rec`s in each execution of a loop.
    pub max_iterations: u64,
}

impl Conditions {
    /// Random conditions. One in six has a limit that loops exceed.
    pub fn random(random: &mut Random) -> Self {
        let (width, height) = SIZES[random.weighted(&SIZES.map(|(_, weight)| weight))].0;
        let mut mouse = [0.0; 4];
        if random.percent(60) {
            mouse = [3.5, 2.0, 1.0, -1.0];
        }
        Self {
            width,
            height,
            time: *random.pick(&[0.0, 1.25, 1.25, 7.5]),
            frame: random.below(4) as f32,
            mouse,
            max_iterations: match random.below(6) {
                0 => random.between(0, 6) as u64,
                _ => ENOUGH_ITERATIONS,
            },
        }
    }

    /// Each size, with a generous limit and with one that loops exceed, to check a single program.
    pub fn several() -> impl Iterator<Item = Self> {
        let sizes = SIZES.iter().map(|&((width, height), _)| (width, height));
        sizes.flat_map(|(width, height)| {
            [ENOUGH_ITERATIONS, 3].map(|max_iterations| Self {
                width,
                height,
                time: 1.25,
                frame: 0.0,
                mouse: [3.5, 2.0, 1.0, -1.0],
                max_iterations,
            })
        })
    }

    /// Number of pixels in the image.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// True if no loop of a generated program exceeds the limit.
    pub fn is_generous(&self) -> bool {
        self.max_iterations >= ENOUGH_ITERATIONS
    }

    /// Simpler conditions, the simplest first.
    pub fn simpler(&self) -> Vec<Self> {
        let sizes = [(1, 1), (2, 1), (5, 1), (9, 1), (9, 7), (17, 5)];
        let smaller = sizes.into_iter().map(|(width, height)| Self { width, height, ..*self });
        let mut all: Vec<Self> = smaller.filter(|c| c.pixels() < self.pixels()).collect();
        if !self.is_generous() {
            all.push(Self { max_iterations: ENOUGH_ITERATIONS, ..*self });
        }
        let still = Self { time: 0.0, frame: 0.0, mouse: [0.0; 4], ..*self };
        if still != *self {
            all.push(still);
        }
        all
    }
}

impl fmt::Display for Conditions {
    /// Prints the options of the command `render`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, time, frame, mouse: [a, b, c, d], max_iterations } = self;
        write!(
            f,
            "--size {width}x{height} --time {time} --frame {frame} --mouse {a},{b},{c},{d} \
             --max-iterations {max_iterations}"
        )
    }
}
