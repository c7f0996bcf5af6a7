//! Samples of textures with planes as LANGUAGE §12 defines them: layers, cubes, slices.
//!
//! A texel beyond the edge of a cube's face is found in space: it is the texel of the face behind the edge whose centre is nearest
//! to that of the last texel before the edge.

use lambdav_core::op::Elementary;
use lambdav_core::texture::{Filter, TextureKind, TextureOptions};

use crate::evaluate;
use crate::textures::{Image, add, div, floor, int, mix, mul, next, of_level, sub, wrap};

/// The planes of a level, of equal size.
pub type Level = Vec<Image>;

/// All levels of a texture of this kind.
pub fn pyramid(kind: TextureKind, first: Level) -> Vec<Level> {
    let mut all = vec![first];
    loop {
        let level = &all[all.len() - 1];
        let [width, height] = level[0].size;
        let is_thinner = kind == TextureKind::Volume && level.len() > 1;
        if (width, height) == (1, 1) && !is_thinner {
            return all;
        }
        let half = |side: i64| if side == 1 { 1 } else { side / 2 };
        let (across, down) = (half(width), half(height));
        let planes = if is_thinner { level.len() / 2 } else { level.len() };
        let texel = |plane: usize, x: i64, y: i64, k: usize| {
            let at = |dx: i64, dy: i64| {
                let (x, y) = ((2 * x + dx).min(width - 1), (2 * y + dy).min(height - 1));
                level[plane].texels[(y * width + x) as usize][k]
            };
            add(add(at(0, 0), at(1, 0)), add(at(0, 1), at(1, 1)))
        };
        let image = |plane: usize| {
            let places = (0..down).flat_map(|y| (0..across).map(move |x| (x, y)));
            let texels = places.map(|(x, y)| {
                std::array::from_fn(|k| match is_thinner {
                    false => mul(texel(plane, x, y, k), 0.25),
                    true => {
                        let (near, far) = (2 * plane, 2 * plane + 1);
                        mul(add(texel(near, x, y, k), texel(far, x, y, k)), 0.125)
                    }
                })
            });
            Image { size: [across, down], texels: texels.collect() }
        };
        let smaller = (0..planes).map(image).collect();
        all.push(smaller);
    }
}

/// The nearest integer, ties to even.
pub(crate) fn nearest(x: f32) -> i64 {
    let (below, rest) = (int(floor(x)), sub(x, floor(x)));
    if !x.is_finite() || x.abs() >= 8_388_608.0 {
        return int(x);
    }
    if rest > 0.5 || (rest == 0.5 && below.rem_euclid(2) == 1) { below + 1 } else { below }
}

/// A face in space: towards it, to the right, and down.
pub(crate) const FACES: [[[i64; 3]; 3]; 6] = [
    [[1, 0, 0], [0, 0, -1], [0, -1, 0]],
    [[-1, 0, 0], [0, 0, 1], [0, -1, 0]],
    [[0, 1, 0], [1, 0, 0], [0, 0, 1]],
    [[0, -1, 0], [1, 0, 0], [0, 0, -1]],
    [[0, 0, 1], [1, 0, 0], [0, -1, 0]],
    [[0, 0, -1], [-1, 0, 0], [0, -1, 0]],
];

/// The component of a vector along an axis of space.
pub(crate) fn along(v: [f32; 3], axis: [i64; 3]) -> f32 {
    let at = axis.iter().position(|&of| of != 0).expect("it is an axis");
    if axis[at] < 0 { -v[at] } else { v[at] }
}

/// The face that a direction meets.
pub(crate) fn face_of(v: [f32; 3]) -> usize {
    let [x, y, z] = v.map(f32::abs);
    let axis = if x <= z && y <= z {
        2
    } else if x <= y {
        1
    } else {
        0
    };
    2 * axis + usize::from(v[axis] < 0.0)
}

/// The texel at a column and a row of a face, at most one beyond one edge.
pub(crate) fn across_edge(faces: &[Image], face: usize, x: i64, y: i64) -> [f32; 4] {
    let n = faces[0].size[0];
    let [towards, right, down] = FACES[face];
    let (inside_x, inside_y) = (x.clamp(0, n - 1), y.clamp(0, n - 1));
    if (x, y) == (inside_x, inside_y) {
        return faces[face].texels[(y * n + x) as usize];
    }
    let centre = |face: usize, x: i64, y: i64| {
        let [towards, right, down] = FACES[face];
        [0, 1, 2].map(|k| n * towards[k] + (2 * x + 1 - n) * right[k] + (2 * y + 1 - n) * down[k])
    };
    let outwards = [0, 1, 2].map(|k| (x - inside_x) * right[k] + (y - inside_y) * down[k]);
    let behind = FACES.iter().position(|of| of[0] == outwards).expect("it is an axis");
    assert_ne!(outwards, towards);
    let from = centre(face, inside_x, inside_y);
    let distance = |&(x, y): &(i64, i64)| -> i64 {
        let to = centre(behind, x, y);
        (0..3).map(|k| (to[k] - from[k]) * (to[k] - from[k])).sum()
    };
    let places = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
    let (x, y) = places.min_by_key(distance).expect("a face has texels");
    faces[behind].texels[(y * n + x) as usize]
}

fn of_cube(faces: &[Image], filter: Filter, v: [f32; 3]) -> [f32; 4] {
    let face = face_of(v);
    let [towards, right, down] = FACES[face].map(|axis| along(v, axis));
    let n = faces[0].size[0];
    let place = [right, down].map(|of| add(mul(div(of, towards), 0.5), 0.5));
    let scaled = place.map(|of| mul(of, n as f32));
    if filter == Filter::Nearest {
        let [x, y] = scaled.map(|q| int(floor(q)).clamp(0, n - 1));
        return faces[face].texels[(y * n + x) as usize];
    }
    let q = scaled.map(|q| sub(q, 0.5));
    let [fx, fy] = q.map(|q| sub(q, floor(q)));
    let [x, y] = q.map(|q| int(floor(q)).clamp(-1, n - 1));
    let places = [(x, y), (x + 1, y), (x, y + 1), (x + 1, y + 1)];
    let beyond = |at: i64| at < 0 || at >= n;
    let texel = |&(x, y): &(i64, i64)| match beyond(x) && beyond(y) {
        false => across_edge(faces, face, x, y),
        true => {
            let others: Vec<[f32; 4]> = places
                .iter()
                .filter(|&&other| other != (x, y))
                .map(|&(x, y)| across_edge(faces, face, x, y))
                .collect();
            std::array::from_fn(|k| div(add(add(others[0][k], others[1][k]), others[2][k]), 3.0))
        }
    };
    let [a, b, c, d] = [0, 1, 2, 3].map(|k| texel(&places[k]));
    mix(mix(a, b, fx), mix(c, d, fx), fy)
}

fn sample_level(level: &Level, options: TextureOptions, [u, v, w, layer]: [f32; 4]) -> [f32; 4] {
    let count = level.len() as i64;
    match options.kind {
        TextureKind::Flat => of_level(&level[0], options, [u, v]),
        TextureKind::Array => {
            of_level(&level[nearest(w).clamp(0, count - 1) as usize], options, [u, v])
        }
        TextureKind::Volume => {
            let slice = |k: i64| {
                of_level(&level[wrap(options.wrap[2], k, count) as usize], options, [u, v])
            };
            let scaled = mul(w, count as f32);
            match options.filter {
                Filter::Nearest => slice(int(floor(scaled))),
                Filter::Linear => {
                    let q = sub(scaled, 0.5);
                    let k = int(floor(q));
                    mix(slice(k), slice(next(k)), sub(q, floor(q)))
                }
            }
        }
        TextureKind::Cube => of_cube(level, options.filter, [u, v, w]),
        TextureKind::CubeArray => {
            let cube = nearest(layer).clamp(0, count / 6 - 1) as usize;
            of_cube(&level[6 * cube..][..6], options.filter, [u, v, w])
        }
    }
}

/// `sample-level` of a texture; `levels` has all levels, or the first only.
pub fn sample(levels: &[Level], options: TextureOptions, place: [f32; 4], l: f32) -> [f32; 4] {
    if !options.mipmaps {
        return sample_level(&levels[0], options, place);
    }
    let last = (levels.len() - 1) as f32;
    let l = if l > 0.0 { l } else { 0.0 };
    let l = if last < l { last } else { l };
    let level = |k: i64| &levels[(k as usize).min(levels.len() - 1)];
    match options.filter {
        Filter::Nearest => sample_level(level(nearest(l)), options, place),
        Filter::Linear => {
            let below = int(floor(l));
            let [a, b] = [below, below + 1].map(|k| sample_level(level(k), options, place));
            mix(a, b, sub(l, floor(l)))
        }
    }
}

/// `sample-grad` of a texture.
pub fn sample_grad(
    levels: &[Level],
    options: TextureOptions,
    place: [f32; 4],
    moves: [[f32; 3]; 2],
) -> [f32; 4] {
    let [width, height] = levels[0][0].size;
    let size = [width, height, levels[0].len() as i64].map(|side| side as f32);
    let square = |by: [f32; 3]| {
        let by = match options.kind {
            TextureKind::Cube | TextureKind::CubeArray => {
                let v = [place[0], place[1], place[2]];
                let axes = FACES[face_of(v)];
                let [m, s, t] = axes.map(|axis| along(v, axis));
                let [dm, ds, dt] = axes.map(|axis| along(by, axis));
                let moved = |d: f32, of: f32| mul(div(sub(mul(d, m), mul(of, dm)), mul(m, m)), 0.5);
                [moved(ds, s), moved(dt, t), 0.0]
            }
            _ => by,
        };
        let [x, y, z] = [0, 1, 2].map(|k| mul(by[k], size[k]));
        let flat = add(mul(x, x), mul(y, y));
        if options.kind == TextureKind::Volume { add(flat, mul(z, z)) } else { flat }
    };
    let [a, b] = moves.map(square);
    let larger = if a < b { b } else { a };
    sample(levels, options, place, mul(0.5, evaluate(Elementary::Log2, larger, 0.0)))
}
