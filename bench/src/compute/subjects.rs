//! The subjects: their texts, data, and statements in plain Rust.

use rayon::prelude::*;

/// A compute shader with its data.
pub(super) struct Subject {
    pub(super) name: &'static str,
    /// Its text in WGSL. Buffers have the bindings 0, 1, … of set 0.
    pub(super) text: &'static str,
    /// The names of its buffers.
    pub(super) names: &'static [&'static str],
    /// The number of words of each buffer; true if it begins with numbers, not zeros.
    sizes: &'static [(usize, bool)],
    /// The buffer to compare.
    pub(super) result: usize,
    pub(super) groups: [u32; 3],
    /// The same in Rust, on the words of all buffers.
    pub(super) plain: fn(&mut [Vec<u32>]),
}

impl Subject {
    /// The first words of all buffers: numbers below 1.
    pub(super) fn buffers(&self) -> Vec<Vec<u32>> {
        let words = |&(count, is_filled): &(usize, bool)| {
            let mut state = 1_u32;
            let number = move |_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                ((state >> 8) as f32 / (1 << 24) as f32).to_bits()
            };
            if is_filled { (0..count).map(number).collect() } else { vec![0; count] }
        };
        self.sizes.iter().map(words).collect()
    }
}

const SAXPY: &str = include_str!("saxpy.wgsl");
const NUMBERS: usize = 1 << 20;

pub(super) const SUBJECTS: &[Subject] = &[
    Subject {
        name: "saxpy-64k",
        text: SAXPY,
        names: &["x", "y"],
        sizes: &[(64 << 10, true); 2],
        result: 1,
        groups: [256, 1, 1],
        plain: saxpy,
    },
    Subject {
        name: "saxpy-64m",
        text: SAXPY,
        names: &["x", "y"],
        sizes: &[(64 << 20, true); 2],
        result: 1,
        groups: [1024, 256, 1],
        plain: saxpy,
    },
    Subject {
        // Drivers may take no larger buffers.
        name: "saxpy-32m",
        text: SAXPY,
        names: &["x", "y"],
        sizes: &[(32 << 20, true); 2],
        result: 1,
        groups: [1024, 128, 1],
        plain: saxpy,
    },
    Subject {
        name: "histogram",
        text: include_str!("histogram.wgsl"),
        names: &["values", "bins"],
        sizes: &[(NUMBERS, true), (256, false)],
        result: 1,
        groups: [256, 1, 1],
        plain: histogram,
    },
    Subject {
        name: "prefix-sum",
        text: include_str!("../../../shaders/compute/prefix-sum.wgsl"),
        names: &["values", "sums", "totals"],
        sizes: &[(NUMBERS, true), (NUMBERS, false), (NUMBERS / 256, false)],
        result: 1,
        groups: [4096, 1, 1],
        plain: prefix_sums,
    },
    Subject {
        name: "product",
        text: include_str!("product.wgsl"),
        names: &["a", "b", "product"],
        sizes: &[(512 * 512, true), (512 * 512, true), (512 * 512, false)],
        result: 2,
        groups: [32, 32, 1],
        plain: product,
    },
    Subject {
        name: "bodies",
        text: include_str!("bodies.wgsl"),
        names: &["bodies", "forces"],
        sizes: &[(4 * 4096, true), (4 * 4096, false)],
        result: 1,
        groups: [16, 1, 1],
        plain: bodies,
    },
    Subject {
        name: "boids",
        text: include_str!("../../../shaders/compute/boids.wgsl"),
        names: &["before", "after"],
        sizes: &[(4 * 4096, true), (4 * 4096, false)],
        result: 1,
        groups: [64, 1, 1],
        plain: boids,
    },
    Subject {
        name: "blur",
        text: include_str!("blur.wgsl"),
        names: &["texels", "blurred"],
        sizes: &[(1920 * 1080, true), (1920 * 1080, false)],
        result: 1,
        groups: [15, 1080, 1],
        plain: blur,
    },
];

fn num(word: u32) -> f32 {
    f32::from_bits(word)
}

fn saxpy(buffers: &mut [Vec<u32>]) {
    let [x, y] = buffers else { unreachable!("there are two") };
    y.par_iter_mut()
        .zip(x)
        .with_min_len(4096)
        .for_each(|(y, x)| *y = (0.5 * num(*x) + 0.25 * num(*y)).to_bits());
}

fn histogram(buffers: &mut [Vec<u32>]) {
    let [values, bins] = buffers else { unreachable!("there are two") };
    let count = |values: &[u32]| {
        let mut counts = [0_u32; 256];
        for &value in values {
            counts[(num(value).clamp(0.0, 0.999) * 256.0) as usize] += 1;
        }
        counts
    };
    let all: Vec<[u32; 256]> = values.par_chunks(65_536).map(count).collect();
    for counts in all {
        bins.iter_mut().zip(counts).for_each(|(bin, count)| *bin += count);
    }
}

fn prefix_sums(buffers: &mut [Vec<u32>]) {
    let [values, sums, totals] = buffers else { unreachable!("there are three") };
    let blocks = sums.par_chunks_mut(256).zip(values.par_chunks(256)).zip(totals);
    blocks.with_min_len(64).for_each(|((sums, values), total)| {
        let mut sum = 0_u32;
        for (to, &value) in sums.iter_mut().zip(values) {
            sum = sum.wrapping_add(value);
            *to = sum;
        }
        *total = sum;
    });
}

fn product(buffers: &mut [Vec<u32>]) {
    let [a, b, product] = buffers else { unreachable!("there are three") };
    product.par_chunks_mut(512).zip(a.par_chunks(512)).for_each(|(to, a)| {
        let mut row = [0.0_f32; 512];
        for (&a, b) in a.iter().zip(b.chunks(512)) {
            for (sum, &b) in row.iter_mut().zip(b) {
                *sum += num(a) * num(b);
            }
        }
        to.iter_mut().zip(row).for_each(|(to, sum)| *to = sum.to_bits());
    });
}

fn bodies(buffers: &mut [Vec<u32>]) {
    let [bodies, forces] = buffers else { unreachable!("there are two") };
    let bodies: Vec<[f32; 4]> = bodies.as_chunks().0.iter().map(|of| of.map(num)).collect();
    let forces = forces.as_chunks_mut::<4>().0;
    forces.par_iter_mut().zip(&bodies).with_min_len(64).for_each(|(to, own)| {
        let mut force = [0.0_f32; 3];
        for other in &bodies {
            let apart = [0, 1, 2].map(|k: usize| other[k] - own[k]);
            let [x, y, z] = apart;
            let squared = x * x + y * y + z * z + 0.01;
            let by = other[3] / (squared * squared.sqrt());
            force.iter_mut().zip(apart).for_each(|(sum, apart)| *sum += apart * by);
        }
        *to = [force[0], force[1], force[2], 0.0].map(f32::to_bits);
    });
}

fn boids(buffers: &mut [Vec<u32>]) {
    let [before, after] = buffers else { unreachable!("there are two") };
    let before: Vec<[f32; 4]> = before.as_chunks().0.iter().map(|of| of.map(num)).collect();
    let after = after.as_chunks_mut::<4>().0;
    let length = |[x, y]: [f32; 2]| (x * x + y * y).sqrt();
    after.par_iter_mut().enumerate().with_min_len(64).for_each(|(number, to)| {
        let [x, y, vx, vy] = before[number];
        let (mut centre, mut heading, mut away) = ([0.0_f32; 2], [0.0_f32; 2], [0.0_f32; 2]);
        let mut neighbours = 0.0_f32;
        for (i, &[other_x, other_y, other_vx, other_vy]) in before.iter().enumerate() {
            let to_other = [other_x - x, other_y - y];
            let apart = length(to_other);
            if i == number || apart > 0.4 {
                continue;
            }
            if apart < 0.1 {
                away = [away[0] - to_other[0], away[1] - to_other[1]];
            }
            centre = [centre[0] + other_x, centre[1] + other_y];
            heading = [heading[0] + other_vx, heading[1] + other_vy];
            neighbours += 1.0;
        }
        let mut velocity = [vx + 0.5 * away[0], vy + 0.5 * away[1]];
        if neighbours > 0.0 {
            for (k, place) in velocity.iter_mut().enumerate() {
                *place += 0.1 * (centre[k] / neighbours - [x, y][k]);
            }
            for (k, place) in velocity.iter_mut().enumerate() {
                *place += 0.05 * (heading[k] / neighbours - [vx, vy][k]);
            }
        }
        let speed = length(velocity);
        let by = speed.clamp(0.05, 0.3) / speed.max(1e-6);
        let velocity = velocity.map(|along| along * by);
        let moved = [x + 0.04 * velocity[0], y + 0.04 * velocity[1]];
        *to = [moved[0], moved[1], velocity[0], velocity[1]].map(f32::to_bits);
    });
}

fn blur(buffers: &mut [Vec<u32>]) {
    let [texels, blurred] = buffers else { unreachable!("there are two") };
    blurred.par_chunks_mut(1920).zip(texels.par_chunks(1920)).for_each(|(to, row)| {
        let row: Vec<f32> =
            (0..1920 + 16_usize).map(|at| num(row[at.saturating_sub(8).min(1919)])).collect();
        for (to, window) in to.iter_mut().zip(row.windows(17)) {
            *to = (window.iter().fold(0.0, |sum, texel| sum + texel) / 17.0).to_bits();
        }
    });
}
