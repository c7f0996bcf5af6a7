//! SPIR-V text on the command line.

use super::harness::TestFolder;

/// A module and its assembly draw the same picture, whatever the file's name. Its comments may hold tests.
#[test]
fn text_is_a_program() {
    let place = TestFolder::with([("a.lv", "(vec4 (fract (* (.xy (frag-coord)) 0.37)) 0.25 1)")]);
    let size = ["--size", "7x5"];
    place.run(&[&["render", "a.lv", "a.npy"][..], &size].concat()).done();
    place.run(&["compile", "a.lv", "--emit", "spirv-text", "-o", "a.spvasm"]).done();
    let text = String::from_utf8(place.read("a.spvasm")).expect("it is text");
    place.write("other", &text);
    for name in ["a.spvasm", "other"] {
        place.run(&[&["render", name, "b.npy"][..], &size].concat()).done();
        assert_eq!(place.frame("a.npy").pixels(), place.frame("b.npy").pixels(), "{name}");
    }
    place.write("t/b.spvasm", format!("; test: --size 7x5\n{text}"));
    place.run(&["test", "t", "--bless"]).done();
    place.run(&["test", "t"]).done();
}

#[test]
fn what_is_wrong_is_said_with_its_place() {
    let place =
        TestFolder::with([("a.spvasm", "OpCapability Shader\nOpMemoryModel Logical GLSL\n")]);
    place.fails(
        &["check", "a.spvasm"],
        1,
        "error[LV0604]: expected a name that the grammar has there, found `GLSL`",
    );
    place.fails(&["check", "a.spvasm"], 1, "a.spvasm:2:23");
}
