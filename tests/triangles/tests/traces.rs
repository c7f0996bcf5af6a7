//! Traces of pixels: the fragments, in order, and the colour are those of the reference.

#[test]
fn fragments_are_those_of_the_reference() {
    let mut fragments = 0;
    for seed in 1 << 36..(1 << 36) + 250 {
        fragments +=
            lambdav_triangles::traces::check(seed).unwrap_or_else(|found| panic!("{found}"));
    }
    println!("{fragments} fragments");
    assert!(fragments > 500, "{fragments} fragments");
}
