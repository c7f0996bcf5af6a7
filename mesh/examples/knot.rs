//! Writes `shaders/data/knot.glb`: a knotted tube over a square of ground, and a camera.
//!
//!     cargo run -p lambdav-mesh --example knot > shaders/data/knot.glb

use serde_json::{Value, json};
use std::f64::consts::TAU;
use std::io::{self, Write};

/// Rings along the tube, and corners of a ring.
const RINGS: usize = 96;
const CORNERS: usize = 10;
/// Radius of the tube.
const RADIUS: f64 = 0.34;

type Vector = [f64; 3];

fn along(a: Vector, scale: f64, b: Vector) -> Vector {
    std::array::from_fn(|i| a[i] + scale * b[i])
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

fn cross(a: Vector, b: Vector) -> Vector {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn unit(a: Vector) -> Vector {
    a.map(|part| part / dot(a, a).sqrt())
}

/// The knot that winds twice around a torus and three times through its hole, at `t` turns: its place, and its
/// direction away from the middle of the torus.
fn knot(t: f64) -> [Vector; 2] {
    let (sin2, cos2) = libm::sincos(2.0 * TAU * t);
    let (sin3, cos3) = libm::sincos(3.0 * TAU * t);
    let away = [cos3 * cos2, sin3, cos3 * sin2];
    [[2.0 * cos2 + away[0], away[1], 2.0 * sin2 + away[2]], away]
}

/// Positions and normals of the tube, then of the ground.
fn vertices() -> [Vec<Vector>; 2] {
    let (mut positions, mut normals) = (Vec::new(), Vec::new());
    for ring in 0..RINGS {
        let t = ring as f64 / RINGS as f64;
        let [centre, away] = knot(t);
        let tangent = unit(along(knot(t + 1e-4)[0], -1.0, knot(t - 1e-4)[0]));
        let across = unit(along(away, -dot(away, tangent), tangent));
        let third = cross(tangent, across);
        for corner in 0..CORNERS {
            let (sin, cos) = libm::sincos(TAU * corner as f64 / CORNERS as f64);
            let normal = along(across.map(|part| part * cos), sin, third);
            positions.push(along(centre, RADIUS, normal));
            normals.push(normal);
        }
    }
    for [x, z] in [[-6.0, -6.0], [-6.0, 6.0], [6.0, 6.0], [6.0, -6.0]] {
        positions.push([x, -1.5, z]);
        normals.push([0.0, 1.0, 0.0]);
    }
    [positions, normals]
}

/// Indices of the tube and the ground.
fn indices() -> [Vec<u16>; 2] {
    let index = |ring: usize, corner: usize| (ring % RINGS * CORNERS + corner % CORNERS) as u16;
    let mut tube = Vec::new();
    for (ring, corner) in (0..RINGS).flat_map(|ring| (0..CORNERS).map(move |corner| (ring, corner)))
    {
        let [a, b] = [index(ring, corner), index(ring, corner + 1)];
        let [c, d] = [index(ring + 1, corner), index(ring + 1, corner + 1)];
        tube.extend([a, c, b, b, c, d]);
    }
    let ground = [0, 1, 2, 0, 2, 3].map(|corner| (RINGS * CORNERS) as u16 + corner);
    [tube, ground.into()]
}

/// A camera's matrix that looks from `eye` towards `target`, by columns.
fn camera(eye: Vector, target: Vector) -> Vec<f64> {
    let back = unit(along(eye, -1.0, target));
    let side = unit(cross([0.0, 1.0, 0.0], back));
    let up = cross(back, side);
    let columns = [(side, 0.0), (up, 0.0), (back, 0.0), (eye, 1.0)];
    columns.iter().flat_map(|&([x, y, z], w)| [x, y, z, w]).collect()
}

/// The file.
fn file() -> Vec<u8> {
    let mut data: Vec<u8> = Vec::new();
    let (mut views, mut accessors) = (Vec::new(), Vec::new());
    let mut add = |bytes: &[u8], mut accessor: Value| {
        views.push(json!({ "buffer": 0, "byteOffset": data.len(), "byteLength": bytes.len() }));
        accessor["bufferView"] = json!(views.len() - 1);
        accessors.push(accessor);
        data.extend(bytes);
    };
    for vectors in vertices() {
        let parts: Vec<f32> = vectors.iter().flatten().map(|&part| part as f32).collect();
        let bound = |pick: fn(f32, f32) -> f32| -> Vec<f32> {
            let of = |axis: usize| parts.iter().skip(axis).step_by(3).copied();
            (0..3).map(|axis| of(axis).reduce(pick).unwrap_or_default()).collect()
        };
        let bytes: Vec<u8> = parts.iter().flat_map(|part| part.to_le_bytes()).collect();
        let accessor = json!({
            "componentType": 5126, "type": "VEC3", "count": vectors.len(),
            "min": bound(f32::min), "max": bound(f32::max),
        });
        add(&bytes, accessor);
    }
    for indices in indices() {
        let bytes: Vec<u8> = indices.iter().flat_map(|index| index.to_le_bytes()).collect();
        add(&bytes, json!({ "componentType": 5123, "type": "SCALAR", "count": indices.len() }));
    }
    let primitive = |part: usize| {
        json!({
            "attributes": { "POSITION": 0, "NORMAL": 1 }, "indices": 2 + part, "material": part,
        })
    };
    let document = json!({
        "asset": { "version": "2.0" },
        "scene": 0,
        "scenes": [{ "nodes": [0, 1] }],
        "nodes": [
            { "mesh": 0 },
            { "camera": 0, "matrix": camera([2.6, 4.2, 6.4], [0.0, -0.35, 0.0]) },
        ],
        "meshes": [{ "primitives": [primitive(0), primitive(1)] }],
        "materials": [{ "name": "knot" }, { "name": "ground" }],
        "cameras": [{
            "name": "front", "type": "perspective",
            "perspective": { "yfov": 0.75, "znear": 0.5, "zfar": 40.0 },
        }],
        "buffers": [{ "byteLength": data.len() }],
        "bufferViews": views,
        "accessors": accessors,
    });
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    data.resize(data.len().next_multiple_of(4), 0);
    let length = 12 + 8 + text.len() + 8 + data.len();
    let mut file = b"glTF".to_vec();
    for word in [2, length as u32, text.len() as u32] {
        file.extend(word.to_le_bytes());
    }
    file.extend(b"JSON");
    file.extend(text);
    file.extend((data.len() as u32).to_le_bytes());
    file.extend(b"BIN\0");
    file.extend(data);
    file
}

fn main() -> io::Result<()> {
    io::stdout().write_all(&file())
}

#[test]
fn the_file_of_the_gallery_is_this_one() {
    let kept = include_bytes!("../../shaders/data/knot.glb");
    assert!(file() == kept, "write it by the command above");
}
