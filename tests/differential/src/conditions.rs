//! What a program is run with, its uniforms apart.

use lambdav_generate::Random;
use std::fmt;

/// More `rec`s than any loop of a generated program executes at an entry.
pub const ENOUGH_ITERATIONS: u64 = 64;

/// Sizes of images and how often they are used: the last columns of a row, and of the image, matter
/// to engines that compute many pixels at once.
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

/// Size of the image, inputs, and the limit of loops.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Pixels in a row.
    pub width: u32,
    /// Rows.
    pub height: u32,
    /// `(time)`
    pub time: f32,
    /// `(frame)`: 0 to 3, which generated programs count on.
    pub frame: f32,
    /// `(mouse)`
    pub mouse: [f32; 4],
    /// How many `rec`s each entry of a loop may execute.
    pub max_iterations: u64,
}

impl Conditions {
    /// Draws some. One in six has a limit that loops do exceed.
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

    /// Some of different sizes, without and with a limit that loops exceed, to check one program.
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

    /// How many pixels the image has.
    pub fn pixels(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Whether no loop of a generated program can exceed the limit.
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
    /// As options of the command `render`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { width, height, time, frame, mouse: [a, b, c, d], max_iterations } = self;
        write!(
            f,
            "--size {width}x{height} --time {time} --frame {frame} --mouse {a},{b},{c},{d} \
             --max-iterations {max_iterations}"
        )
    }
}
