//! `lambdav inspect`: the interface for host programs.

use super::harness::TestFolder;
use serde_json::{Value, json};

const SHADER: &str = "(struct light (power num) (colour vec3))
(uniform gain num 1)
(uniform lights (array 2 light) (array (light 1 (vec3 1)) (light 2 (vec3 0 1 0))))
(uniform turn mat3 (mat3 1))
(output 0 (* gain (.power (at lights 0))))
(output 2 (* turn (.colour (at lights (int (time))))))";

/// Offsets are those of the module's decorations, by std140. Names are those of the source.
#[test]
fn a_host_program_needs_no_guess() {
    let place = TestFolder::with([("a.lv", SHADER)]);
    place.run(&["compile", "a.lv", "-o", "a.spv"]).done();
    let text = place.run(&["inspect", "a.lv"]).done();
    assert_eq!(place.run(&["inspect", "a.spv"]).done().text(), text.text());
    let text = text.text();
    for line in [
        "SPIR-V 1.0\n",
        "entry point main: Fragment, OriginUpperLeft\n",
        "push constants inputs, 32 bytes\n",
        "  out  location 0: ",
        "  out  location 2: ",
        "f32 gain\n",
        "lights[].power\n",
        "vec3 lights[].colour\n",
        "mat3 turn, columns 16 bytes apart\n",
        "elements 32 bytes apart\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let json = place.run(&["inspect", "a.spv", "--message-format", "json"]).done();
    let object: Value = serde_json::from_str(json.text()).expect("it is JSON");
    assert_eq!((&object["spirv"], &object["constants"]), (&json!("1.0"), &json!([])));
    let outputs: Vec<&Value> = object["entry_points"][0]["outputs"]
        .as_array()
        .expect("outputs")
        .iter()
        .map(|output| &output["location"])
        .collect();
    assert_eq!(outputs, [0, 2]);
    let resources = object["resources"].as_array().expect("resources");
    let block = resources
        .iter()
        .find(|resource| {
            resource["members"].as_array().is_some_and(|m| m.iter().any(|m| m["name"] == "gain"))
        })
        .expect("the block of uniforms");
    assert_eq!((&block["kind"], &block["set"]), (&json!("uniform buffer"), &json!(0)));
    let member = |name: &str| {
        let members = block["members"].as_array().expect("members");
        members.iter().find(|member| member["name"] == name).expect("a member")["offset"].clone()
    };
    // A structure is aligned to 16 bytes, and its vec3 is at offset 16. The matrix follows the array.
    let base = member("lights").as_u64().expect("a number");
    assert_eq!(base % 16, 0);
    assert_eq!(member("lights[].power"), json!(base));
    assert_eq!(member("lights[].colour"), json!(base + 16));
    assert_eq!(member("turn"), json!(base + 64));
    assert_eq!(block["size"], json!(base + 64 + 48));
}

#[test]
fn what_is_no_program_is_refused() {
    let place = TestFolder::with([("wrong.lv", "(vec4 oops)")]);
    place.fails(&["inspect", "wrong.lv"], 1, "`oops` is not bound");
    place.fails(&["inspect", "none.spv"], 2, "cannot read `none.spv`");
    place.write("cut.spv", [3, 2, 0x23, 7, 0, 0, 1, 0]);
    place.fails(&["inspect", "cut.spv"], 1, "`cut.spv`: not SPIR-V");
}
