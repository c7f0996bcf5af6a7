//! Bytes of a module, its interface, and the layout of shared memory.

use lambdav_core::inputs::Inputs;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::types::{Field, Resource, ResourceKind, Structure, Type, Types};
use lambdav_spirv::inspect::inspect;
use lambdav_spirv::{bytes, words};
use lambdav_spirv_backend::full_screen_vertex;
use lambdav_spirv_eval::{Resources, SharedData};
use std::sync::Arc;

#[test]
fn byte_orders() {
    let module = [0x0723_0203, 0x0001_0000, 7];
    let little = bytes(&module);
    let big: Vec<u8> = module.iter().flat_map(|word: &u32| word.to_be_bytes()).collect();
    assert_eq!(words(&little).as_deref(), Some(&module[..]));
    assert_eq!(words(&big).as_deref(), Some(&module[..]));
    assert_eq!(words(&little[..7]), None);
    assert_eq!(words(b"(vec3 1)"), None);
    assert_eq!(words(b""), None);
}

#[test]
fn the_vertex_shader() {
    let interface = inspect(&full_screen_vertex()).expect("it is SPIR-V");
    let expected = "SPIR-V 1.0\nentry point main: Vertex\n  in   VertexIndex: i32\n  \
                    out  Position: vec4\n";
    assert_eq!(interface.to_string(), expected);
    assert!(inspect(&[]).is_err() && inspect(&[0x0723_0203, 1, 2]).is_err());
}

/// The offsets of the std140 rules in OpenGL's specification (§7.6.2.2).
#[test]
fn std140() {
    let value = |words: std::ops::Range<u32>| words.collect::<Arc<[u32]>>();
    let types = [
        (Type::NUM, value(1..2)),
        (Type::vec(3), value(2..5)),
        (Type::NUM, value(5..6)),
        (Type::vec(2), value(6..8)),
        (Type::mat(2), value(10..14)),
        (Type::BOOL, value(1..2)),
        (Type::mat(3), value(20..29)),
        (Type::vec(4), value(30..34)),
    ];
    let uniforms = types.iter().map(|(_, words)| words.clone()).collect();
    let inputs = Inputs { uniforms, ..Inputs::default() };
    let found = Resources::new(&inputs, &Types::default(), types.iter().map(|&(ty, _)| ty));
    #[rustfmt::skip]
    let wanted = [
        1, 0, 0, 0,  2, 3, 4, 5,  6, 7, 0, 0,  10, 11, 0, 0,  12, 13, 0, 0,  1, 0, 0, 0,
        20, 21, 22, 0,  23, 24, 25, 0,  26, 27, 28, 0,  30, 31, 32, 33,
    ];
    assert_eq!(found.uniforms(), wanted);
}

/// Two numbered elements of each type: the words of the first, and the total length.
#[test]
fn elements_lie_by_std430() {
    let mut types = Types::default();
    let array = types.add_array(Type::NUM, 2).expect("is small");
    let field = |ty| Field { name: "f".into(), ty, is_generic: false };
    let fields = [Type::NUM, Type::mat(2), Type::vec(3), Type::UINT, array, Type::mat(3)];
    let of = Structure { name: "S".into(), fields: fields.map(field).into() };
    let of = types.add_structure(of).expect("is small");
    let all: [(Type, &[u32], usize); 7] = [
        (Type::NUM, &[1], 1),
        (Type::vec(2), &[1, 2], 2),
        (Type::vec(3), &[1, 2, 3, 0], 4),
        (Type::mat(2), &[1, 2, 3, 4], 4),
        (Type::mat(3), &[1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0], 12),
        (array, &[1, 2], 2),
        (
            of,
            &[
                1, 0, 2, 3, 4, 5, 0, 0, 6, 7, 8, 9, 10, 11, 0, 0, 12, 13, 14, 0, 15, 16, 17, 0, 18,
                19, 20, 0,
            ],
            28,
        ),
    ];
    for (ty, wanted, stride) in all {
        let mut types = types.clone();
        let name = types.name(ty).to_string();
        types.add_resource(Resource { name: "b".into(), kind: ResourceKind::Buffer(ty) });
        let words = 1..=2 * types.components(ty) as u32;
        let data = BufferData::new(&types, ty, words.collect()).expect("is small");
        let inputs = Inputs { resources: vec![Bound::Buffer(data.into())], ..Inputs::default() };
        let resources = Resources::new(&inputs, &types, []);
        let [(1, SharedData::Buffer(found))] = resources.resources() else {
            panic!("{name} is not bound")
        };
        assert_eq!((&found[..stride], found.len()), (wanted, 2 * stride), "{name}");
    }
}
