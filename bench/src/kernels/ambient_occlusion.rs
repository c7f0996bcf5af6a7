//! `shaders/ambient-occlusion.lv`.

use super::builtins::{Vec2, Vec3, add, cross, dot, fract, normalize, scale, sub};

const SAMPLES: f32 = 8.0;
const FAR: f32 = 1e17;

const CENTRES: [Vec3; 3] = [[-2.0, 0.0, -3.5], [-0.5, 0.0, -3.0], [1.0, 0.0, -2.2]];

fn sphere(centre: Vec3, nearest: f32, origin: Vec3, direction: Vec3) -> f32 {
    let r = sub(origin, centre);
    let b = dot(r, direction);
    let c = dot(r, r) - 0.25;
    let d = b * b - c;
    if d > 0.0 {
        let t = -b - d.sqrt();
        if t > 0.0 && t < nearest { t } else { nearest }
    } else {
        nearest
    }
}

fn plane(nearest: f32, origin: Vec3, direction: Vec3) -> f32 {
    let t = (-0.5 - origin[1]) / direction[1];
    if t > 0.0 && t < nearest { t } else { nearest }
}

fn fraction_of(p: f32) -> f32 {
    fract(43.75 * fract(p * 0.318_4))
}

/// Number of rays that hit nothing.
fn open(p: Vec3, normal: Vec3, start: Vec2) -> f32 {
    let is_steep = normal[0] < 0.6 && normal[0] > -0.6;
    let helper = if is_steep { [1.0, 0.0, 0.0] } else { [0.0, 1.0, 0.0] };
    let tangent = normalize(cross(helper, normal));
    let other = cross(normal, tangent);
    let (mut i, [mut c, mut s], mut sum) = (0.0, start, 0.0);
    while i < SAMPLES {
        let (mut j, mut count) = (0.0, 0.0);
        while j < SAMPLES {
            let r = ((j + 0.5) / SAMPLES).sqrt();
            let height = (1.0 - r * r).sqrt();
            let sideways = add(scale(tangent, c * r), scale(other, s * r));
            let direction = add(sideways, scale(normal, height));
            let t = CENTRES.iter().fold(FAR, |t, &centre| sphere(centre, t, p, direction));
            count = if plane(t, p, direction) < FAR { count } else { count + 1.0 };
            j += 1.0;
        }
        (c, s) = (c * 0.707_106_77 - s * 0.707_106_77, s * 0.707_106_77 + c * 0.707_106_77);
        (sum, i) = (sum + count, i + 1.0);
    }
    sum
}

fn light(at: Vec2, resolution: Vec2) -> f32 {
    let [x, y]: Vec2 = std::array::from_fn(|i| 2.0 * (at[i] / resolution[i]) - 1.0);
    let ray = normalize([x, -y, -1.0]);
    let origin = [0.0; 3];
    let t1 = sphere(CENTRES[0], FAR, origin, ray);
    let t2 = sphere(CENTRES[1], t1, origin, ray);
    let t3 = sphere(CENTRES[2], t2, origin, ray);
    let t = plane(t3, origin, ray);
    if t < FAR {
        let p = scale(ray, t);
        let normal = if t < t3 {
            [0.0, 1.0, 0.0]
        } else {
            let met = if t3 < t2 { 2 } else { usize::from(t2 < t1) };
            normalize(sub(p, CENTRES[met]))
        };
        let above = add(p, scale(normal, 0.000_1));
        let hash = fraction_of(at[0] + 57.31 * at[1]);
        let start = normalize([0.1 + hash, 1.1 - hash]);
        open(above, normal, start) / (SAMPLES * SAMPLES)
    } else {
        0.0
    }
}

pub(super) fn pixel(at: Vec2, resolution: Vec2) -> [f32; 4] {
    let light = light(at, resolution);
    [light, light, light, 1.0]
}
