use super::*;
use crate::error::Item;

fn triangle() -> Mesh {
    Mesh::new(3, vec![0, 1, 2]).expect("it is right")
}

fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|number| number.to_bits()).collect()
}

#[test]
fn components_are_filled_and_dropped() {
    let data = Data::Num(vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let mesh = triangle().with_attribute("texcoord-0", 2, data).expect("it is right");
    let get = |components| mesh.attribute("texcoord-0", Scalar::Num, components);
    assert_eq!(get(1), Ok(bits(&[1.0, 3.0, 5.0])));
    assert_eq!(get(2), Ok(bits(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])));
    let four = [1.0, 2.0, 0.0, 1.0, 3.0, 4.0, 0.0, 1.0, 5.0, 6.0, 0.0, 1.0];
    assert_eq!(get(4), Ok(bits(&four)));
    let mesh = mesh.with_attribute("id", 1, Data::Int(vec![-1, 2, 3])).expect("it is right");
    let filled = mesh.attribute("id", Scalar::Int, 4);
    assert_eq!(filled, Ok(vec![u32::MAX, 0, 0, 1, 2, 0, 0, 1, 3, 0, 0, 1]));
}

#[test]
fn integers_become_nums_rounded_to_even() {
    let odd = (1 << 24) + 1;
    let mesh = triangle()
        .with_attribute("u", 1, Data::Uint(vec![odd, u32::MAX, 7]))
        .and_then(|mesh| mesh.with_attribute("i", 1, Data::Int(vec![i32::MIN, -7, 0])));
    let mesh = mesh.expect("it is right");
    let num = |name| mesh.attribute(name, Scalar::Num, 1);
    assert_eq!(num("u"), Ok(bits(&[16_777_216.0, 4_294_967_296.0, 7.0])));
    assert_eq!(num("i"), Ok(bits(&[-2_147_483_648.0, -7.0, 0.0])));
}

#[test]
fn integers_are_taken_in_their_sign_and_range() {
    let mesh = triangle()
        .with_attribute("small", 1, Data::Uint(vec![0, 1, 2]))
        .and_then(|mesh| mesh.with_attribute("large", 1, Data::Uint(vec![0, 1 << 31, 2])))
        .and_then(|mesh| mesh.with_attribute("signed", 1, Data::Int(vec![0, 1, 2])))
        .and_then(|mesh| mesh.with_attribute("num", 1, Data::Num(vec![0.0, 1.0, 2.0])));
    let mesh = mesh.expect("it is right");
    assert_eq!(mesh.attribute("small", Scalar::Int, 1), Ok(vec![0, 1, 2]));
    assert_eq!(mesh.attribute("small", Scalar::Uint, 1), Ok(vec![0, 1, 2]));
    assert_eq!(mesh.attribute("large", Scalar::Uint, 1), Ok(vec![0, 1 << 31, 2]));
    let told = |name, scalar| mesh.attribute(name, scalar, 1).map_err(|error| error.to_string());
    assert_eq!(
        told("large", Scalar::Int),
        Err("the attribute `large` has 2147483648 at vertex 1, which exceeds `int`".into())
    );
    assert_eq!(
        told("signed", Scalar::Uint),
        Err("the attribute `signed` holds signed integers, which `uint` does not take; `int` does"
            .into())
    );
    assert_eq!(
        told("num", Scalar::Int),
        Err("the attribute `num` holds binary32 numbers, which `int` does not take; `num` does"
            .into())
    );
}

#[test]
fn a_missing_attribute_lists_the_others() {
    let missing = triangle().attribute("normal", Scalar::Num, 3).map_err(|error| error.to_string());
    assert_eq!(missing, Err("the mesh has no attribute `normal`; it has none".into()));
    let data = || Data::Num(vec![0.0; 3]);
    let mesh = triangle().with_attribute("position", 1, data());
    let mesh = mesh.and_then(|mesh| mesh.with_attribute("texcoord-0", 1, data()));
    let missing = mesh.expect("it is right").attribute("normal", Scalar::Num, 3);
    assert_eq!(
        missing.map_err(|error| error.to_string()),
        Err("the mesh has no attribute `normal`; it has `position`, `texcoord-0`".into())
    );
}

/// Two triangles of materials `a` and `b`; the second lacks the only attribute.
fn partial() -> Mesh {
    let mut mesh = Mesh::new(6, vec![0, 1, 2, 3, 4, 5, 2, 1, 0]).expect("it is right");
    mesh = mesh.with_attribute("normal", 1, Data::Num(vec![0.0; 6])).expect("it is right");
    let part = |material, triangles, lacks| Part {
        material: Some(material),
        triangles,
        place: Some(Place::Item(Item::Mesh, material as u32)),
        lacks,
    };
    mesh.parts = vec![part(0, 0..1, 0), part(1, 1..2, 1), part(0, 2..3, 0)];
    let named = |name: &str| Material { name: Some(name.to_owned()), images: Vec::new() };
    mesh.materials = vec![named("a"), named("b"), named("unused")];
    mesh
}

#[test]
fn materials_are_selected_by_name() {
    let mut mesh = partial();
    let unknown = mesh.select_material("unused").map_err(|error| error.to_string());
    let expected = "no triangle of the mesh has the material `unused`; its materials are `a`, `b`";
    assert_eq!(unknown, Err(expected.into()));
    assert_eq!(mesh, partial());
    assert_eq!(mesh.select_material("a"), Ok(()));
    assert_eq!(mesh.indices(), [0, 1, 2, 2, 1, 0]);
    assert_eq!(mesh.vertices(), 6);
    assert_eq!(
        mesh.parts().iter().map(|part| part.triangles.clone()).collect::<Vec<_>>(),
        [0..1, 1..2]
    );
    assert_eq!(mesh.attribute("normal", Scalar::Num, 1), Ok(vec![0; 6]));
    let error = triangle().select_material("a").map_err(|error| error.to_string());
    let expected = "no triangle of the mesh has the material `a`; its materials have no names";
    assert_eq!(error, Err(expected.into()));
}

#[test]
fn a_part_without_an_attribute_is_named() {
    let mut mesh = partial();
    let error = mesh.attribute("normal", Scalar::Num, 1).map_err(|error| error.to_string());
    let expected =
        "mesh 1 lacks the attribute `normal`, which other parts of the mesh have; it has none";
    assert_eq!(error, Err(expected.into()));
    assert_eq!(mesh.attribute_names(), [""; 0]);
    mesh.select_material("a").expect("it has triangles");
    assert_eq!(mesh.attribute_names(), ["normal"]);
    assert!(mesh.select_material("b").is_err());
}

#[test]
fn slices_are_checked() {
    assert_eq!(Mesh::new(3, vec![0, 1]).err(), Some(BuildError::Indices(2)));
    let beyond = BuildError::Index { index: 3, position: 1, vertices: 3 };
    assert_eq!(Mesh::new(3, vec![0, 3, 2]).err(), Some(beyond));
    let with =
        |name: &str, components, data| triangle().with_attribute(name, components, data).err();
    let short = BuildError::Length { name: "a".into(), found: 2, expected: 3 };
    assert_eq!(with("a", 1, Data::Int(vec![0, 1])), Some(short));
    let none = BuildError::Components { name: "a".into(), components: 0 };
    assert_eq!(with("a", 0, Data::Int(vec![])), Some(none));
    let twice = triangle().with_attribute("a", 1, Data::Int(vec![0; 3]));
    let twice = twice.and_then(|mesh| mesh.with_attribute("a", 1, Data::Int(vec![0; 3])));
    assert_eq!(twice.err(), Some(BuildError::SameName("a".into())));
    let nan = f32::from_bits(0xffff_ffff);
    let mesh = triangle().with_attribute("n", 1, Data::Num(vec![nan; 3])).expect("it is right");
    assert_eq!(mesh.attribute("n", Scalar::Num, 1), Ok(vec![0x7fc0_0000; 3]));
}

#[test]
fn the_environment_of_the_caller_does_not_matter() {
    use lambdav_float_environment::{Foreign, with_foreign};
    let mesh = triangle().with_attribute("u", 1, Data::Uint(vec![(1 << 24) + 1; 3]));
    let mesh = mesh.expect("it is right");
    for foreign in Foreign::ALL {
        with_foreign(foreign, || {
            assert_eq!(mesh.attribute("u", Scalar::Num, 1), Ok(bits(&[16_777_216.0; 3])));
        });
    }
}
