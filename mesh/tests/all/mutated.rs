//! Mutated files give a mesh or an error. `tests/fuzz/` runs more of them.

use lambdav_mesh::{Format, Limits, Mesh, NoFolder, Scalar};
use lambdav_test_support::Random;
use lambdav_test_support::meshes::{Gltf, random_obj};

const INPUTS: u64 = 10_000;

/// Limits that keep accepted files small.
const LIMITS: Limits =
    Limits { file_bytes: 1 << 20, mesh_bytes: 1 << 20, vertices: 1 << 14, triangles: 1 << 14 };

/// Bytes with a few changes: other bytes, other digits, parts removed, repeated or moved.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.between(1, 4) {
        let at = random.below(bytes.len());
        let end = (at + random.between(1, 24)).min(bytes.len());
        match random.below(6) {
            _ if bytes.is_empty() => return,
            0 => bytes[at] ^= 1 << random.below(8),
            1 => {
                let digit = bytes[at..].iter().position(u8::is_ascii_digit);
                digit.into_iter().for_each(|i| bytes[at + i] = *random.pick(b"0123456789-e.\""));
            }
            2 => {
                let number =
                    *random.pick(&["4294967295", "-1", "1e308", "18446744073709551616", "0"]);
                bytes.splice(at..at, number.bytes()).for_each(drop);
            }
            3 => bytes.splice(at..end, []).for_each(drop),
            4 => {
                let part = bytes[at..end].to_vec();
                let to = random.below(bytes.len());
                bytes.splice(to..to, part).for_each(drop);
            }
            _ => bytes.truncate(at),
        }
    }
}

/// Checks the invariants of a mesh.
fn check(mesh: &mut Mesh) {
    assert_eq!(mesh.indices().len(), 3 * mesh.triangles());
    assert!(mesh.indices().iter().all(|&index| (index as usize) < mesh.vertices()));
    let mut next = 0;
    for part in mesh.parts() {
        assert_eq!(part.triangles.start, next);
        next = part.triangles.end;
    }
    assert_eq!(next, mesh.triangles());
    let names: Vec<String> =
        mesh.attributes().iter().map(|found| found.name().to_owned()).collect();
    for attribute in mesh.attributes() {
        let expected = mesh.vertices() * usize::from(attribute.components());
        assert_eq!(attribute.data().len(), expected);
    }
    for name in names.iter().map(String::as_str).chain(["absent"]) {
        for scalar in [Scalar::Num, Scalar::Int, Scalar::Uint] {
            match mesh.attribute(name, scalar, 3) {
                Ok(words) => assert_eq!(words.len(), 3 * mesh.vertices()),
                Err(error) => assert!(!error.to_string().is_empty()),
            }
        }
    }
    for camera in mesh.cameras() {
        let _ = (camera.view(), camera.projection(1.5));
    }
    if let Err(error) = mesh.select_material("red") {
        assert!(!error.to_string().chars().any(char::is_control), "{error}");
    }
    assert_eq!(mesh.indices().len(), 3 * mesh.triangles());
}

#[test]
fn mutated_files_give_a_mesh_or_an_error() {
    let mut random = Random::new(14);
    let mut accepted = 0;
    for _ in 0..INPUTS {
        let (format, bytes) = if random.percent(65) {
            let mut file = Gltf::random(&mut random);
            let mut json = file.json.into_bytes();
            if random.percent(80) {
                mutate(&mut json, &mut random);
            }
            file.json = String::from_utf8_lossy(&json).into_owned();
            let mut bytes = file.glb();
            if random.percent(20) {
                mutate(&mut bytes, &mut random);
            }
            (Format::Gltf, bytes)
        } else {
            let mut bytes = random_obj(&mut random).into_bytes();
            mutate(&mut bytes, &mut random);
            (Format::Obj, bytes)
        };
        match Mesh::read(&bytes, format, &NoFolder, &LIMITS) {
            Ok(mut mesh) => {
                accepted += 1;
                check(&mut mesh);
            }
            Err(error) => assert!(!error.to_string().chars().any(char::is_control), "{error}"),
        }
    }
    // Fewer would mean that the files are too broken to find much; more, that they are hardly broken.
    assert!((INPUTS / 10..INPUTS * 9 / 10).contains(&accepted), "{accepted}");
}
