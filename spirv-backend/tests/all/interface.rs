//! What a module shares with the world: its bytes, its interface, and the layout of its memory.

use lambdav_core::inputs::Inputs;
use lambdav_core::types::{Type, Types};
use lambdav_spirv_backend::eval::Resources;
use lambdav_spirv_backend::inspect::inspect;
use lambdav_spirv_backend::{bytes, full_screen_vertex, words};

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
    let value = |words: std::ops::Range<u32>| words.collect::<Box<[u32]>>();
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
