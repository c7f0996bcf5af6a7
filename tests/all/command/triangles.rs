//! Triangles, on the command line: meshes, vertices, instances, depth buffers, and wrong command lines.

use super::harness::TestFolder;
use lambdav_image::AnyImage;
use lambdav_test_support::skipped;

/// A square of two triangles in an OBJ, with a material each.
const SQUARE: &str = "mtllib none.mtl
v -1 -1 0.5
v 1 -1 0.5
v 1 1 0.25
v -1 1 0.25
usemtl left
f 1 2 4
usemtl right
f 2 3 4
";

const MESH: &str = "(attribute position vec3)
(uniform scale num 1)
(position (vec4 (* scale (.xy position)) (.z position) 1))
(varying depth (.z position))
(state (clear 0 0 1 1))
(vec4 1 depth 0 1)";

const THREE: &str = "(define corners (array (vec2 -1 -1) (vec2 3 -1) (vec2 -1 3)))
(attribute shift vec2 instance)
(position (vec4 (+ shift (at corners (vertex-index))) 0.5 1))
(varying number (instance-index) flat)
(state (depth less-eq))
(num (+ 1i number))";

fn pixel(place: &TestFolder, file: &str, x: u32, y: u32) -> [f32; 4] {
    let AnyImage::Float(frame) = place.image(file) else { panic!("it is of floats") };
    frame.pixel(x, y).expect("it lies inside")
}

#[test]
fn a_mesh_is_drawn_by_every_engine_that_can() {
    let place = TestFolder::with([("mesh.lv", MESH), ("square.obj", SQUARE)]);
    let mesh = ["--mesh", "square.obj", "--size", "8x8"];
    for engine in ["fast", "simd", "core", "source", "spirv"] {
        let mut arguments = vec!["render", "mesh.lv", "out.npy", "--depth", "depth.npy"];
        arguments.extend(mesh);
        if engine != "fast" {
            arguments.extend(["--engine", engine]);
        }
        place.run(&arguments).done();
        assert_eq!(pixel(&place, "out.npy", 0, 0), [1.0, 0.484375, 0.0, 1.0], "{engine}");
        assert_eq!(pixel(&place, "depth.npy", 7, 7), [0.265625, 0.265625, 0.265625, 1.0]);
    }
    place.run(&["compile", "mesh.lv", "-o", "mesh.core", "--emit", "core"]).done();
    place.run(&["render", "mesh.core", "core.npy", "--mesh", "square.obj", "--size", "8x8"]).done();
    place.run(&["diff", "out.npy", "core.npy"]).done();
    // One material's triangles.
    let material = ["render", "mesh.lv", "left.npy", "--mesh", "square.obj#left", "--size", "8x8"];
    place.run(&material).done();
    assert_eq!(pixel(&place, "left.npy", 7, 7), [0.0, 0.0, 1.0, 1.0]);
    for stage in ["lanes", "registers", "asm"] {
        place.run(&["compile", "mesh.lv", "--emit", stage, "-o", "code.txt"]).done();
    }
}

#[test]
fn instances_have_attributes() {
    let place = TestFolder::with([("three.lv", THREE), ("shifts.json", "[[0, 0], [1, 0]]")]);
    let command = ["render", "three.lv", "a.npy", "--vertices", "3", "--size", "4x2"];
    let shifts = ["--bind", "shift=shifts.json"];
    place.run(&[&command[..], &shifts].concat()).done();
    assert_eq!(pixel(&place, "a.npy", 1, 0)[0], 1.0);
    assert_eq!(pixel(&place, "a.npy", 2, 0)[0], 2.0);
    let one = [&command[..], &shifts, &["--instances", "1"]].concat();
    place.run(&one).done();
    assert_eq!(pixel(&place, "a.npy", 2, 0)[0], 1.0);
    for (more, message) in [
        (&["--bind", "shift=shifts.json", "--instances", "3"][..], "3 instances are asked for"),
        (&[], "the attribute `shift` of instances is not bound"),
    ] {
        let outcome = place.run(&[&command[..], more].concat());
        assert_eq!(outcome.status, 2, "{}", outcome.err);
        assert!(outcome.err.contains(message), "{}", outcome.err);
    }
}

#[test]
fn images_of_materials_are_bound() {
    let library =
        "newmtl left\nmap_Kd wood.png\nnewmtl right\nmap_Kd more/stone.png\nnorm ../out.png\n";
    let square = SQUARE.replace("none.mtl", "square.mtl");
    let program = |textures: &str, colour: &str| {
        format!("(attribute position vec3) (position (vec4 position 1)) {textures} {colour}")
    };
    let both = program(
        "(texture left-base-color) (texture right-base-color)",
        "(+ (texel left-base-color (ivec2 0i)) (* 2 (texel right-base-color (ivec2 0i))))",
    );
    let one = program("(texture base-color)", "(texel base-color (ivec2 0i))");
    let outside = program("(texture right-normal)", "(texel right-normal (ivec2 0i))");
    let place = TestFolder::with([
        ("both.lv", &*both),
        ("one.lv", &one),
        ("outside.lv", &outside),
        ("square.obj", &square),
        ("square.mtl", library),
        ("red.lv", "(vec4 1 0 0 1)"),
        ("green.lv", "(vec4 0 1 0 1)"),
    ]);
    std::fs::create_dir(place.path("more")).expect("a folder can be made");
    place.run(&["render", "red.lv", "wood.png", "--size", "1x1"]).done();
    place.run(&["render", "green.lv", "more/stone.png", "--size", "1x1"]).done();
    let render = |program: &str, out: &str, mesh: &str, more: &[&str]| {
        let arguments = ["render", program, out, "--size", "4x4", "--mesh", mesh];
        place.run(&[&arguments[..], more].concat())
    };
    render("both.lv", "a.npy", "square.obj", &[]).done();
    assert_eq!(pixel(&place, "a.npy", 1, 1), [1.0, 2.0, 0.0, 3.0]);
    render("one.lv", "a.npy", "square.obj#right", &[]).done();
    assert_eq!(pixel(&place, "a.npy", 3, 3), [0.0, 1.0, 0.0, 1.0]);
    render("one.lv", "a.npy", "square.obj#right", &["--bind", "base-color=wood.png"]).done();
    assert_eq!(pixel(&place, "a.npy", 3, 3), [1.0, 0.0, 0.0, 1.0]);
    for (program, out, mesh, message) in [
        ("one.lv", "b.npy", "square.obj", "base-color"),
        ("outside.lv", "b.npy", "square.obj", "leads out of the mesh's folder"),
        ("both.lv", "wood.png", "square.obj", "would be overwritten"),
    ] {
        let outcome = render(program, out, mesh, &[]);
        assert_ne!(outcome.status, 0);
        assert!(outcome.err.contains(message), "{}", outcome.err);
        assert!(!place.path("b.npy").exists());
    }
    assert_eq!(place.image("wood.png").size().to_string(), "1x1");
}

#[test]
fn a_directive_draws_triangles() {
    let text = format!("; test: --mesh square.obj --size 8x8\n{MESH}");
    let place = TestFolder::with([("mesh.lv", &*text), ("square.obj", SQUARE)]);
    place.run(&["test", ".", "--bless"]).done();
    place.run(&["test", "."]).done();
}

#[test]
fn wrong_command_lines_are_refused() {
    let place = TestFolder::with([
        ("mesh.lv", MESH),
        ("three.lv", THREE),
        ("plain.lv", "(vec4 1)"),
        ("square.obj", SQUARE),
        ("flat.obj", "v 0 0\nf 1 1 1\n"),
    ]);
    for (arguments, status, message) in [
        ("mesh.lv", 2, "there is no mesh"),
        ("mesh.lv --vertices 3", 2, "there is no mesh"),
        ("mesh.lv --mesh square.obj --vertices 3", 2, "cannot be used with"),
        ("mesh.lv --mesh none.obj", 1, "none.obj"),
        ("mesh.lv --mesh flat.obj", 1, "flat.obj"),
        ("mesh.lv --mesh mesh.lv", 1, "mesh.lv"),
        ("mesh.lv --mesh square.obj#wood", 2, "left"),
        ("mesh.lv --mesh square.obj --camera a", 2, "no cameras"),
        ("mesh.lv --mesh square.obj --instances 0", 2, "from 1 on"),
        ("mesh.lv --mesh square.obj --depth out.npy", 2, "different files"),
        ("mesh.lv --mesh square.obj --depth square.obj", 2, ".npy or .exr"),
        ("three.lv --mesh square.obj", 2, "is not bound"),
        ("plain.lv --vertices 3", 2, "for a program with a `position`"),
        ("plain.lv --mesh square.obj", 2, "for a program with a `position`"),
        ("plain.lv --depth d.npy", 2, "only programs with a position"),
    ] {
        let mut words: Vec<&str> = arguments.split(' ').collect();
        words.insert(0, "render");
        words.insert(2, "out.npy");
        let outcome = place.run(&words);
        assert_eq!(outcome.status, status, "{arguments}\n{}", outcome.err);
        assert!(outcome.err.contains(message), "{arguments}\n{}", outcome.err);
        assert!(!place.path("out.npy").exists(), "{arguments}");
    }
    let outcome = place.run(&["compile", "mesh.lv", "-o", "mesh.spv", "--vertex", "vertex.spv"]);
    assert_eq!(outcome.status, 2, "{}", outcome.err);
    assert!(outcome.err.contains("its own vertex stage"), "{}", outcome.err);
    assert!(!place.path("mesh.spv").exists() && !place.path("vertex.spv").exists());
}

#[test]
fn a_module_has_both_stages() {
    let place = TestFolder::with([("mesh.lv", MESH), ("three.lv", THREE)]);
    for (program, wanted) in [
        ("mesh.lv", &["point vertex: Vertex", "point fragment: Fragment", "location 0: vec3"][..]),
        ("three.lv", &["shift", "VertexIndex", "InstanceIndex"]),
    ] {
        for more in [&[][..], &["--exact"], &["--exact", "--no-float64", "--spirv-version", "1.5"]]
        {
            let command = ["compile", program, "-o", "module.spv"];
            place.run(&[&command[..], more].concat()).done();
            let outcome = place.run(&["inspect", "module.spv"]);
            let text = String::from_utf8_lossy(&outcome.out);
            for word in wanted {
                assert!(text.contains(word), "{word}\n{text}");
            }
        }
    }
}

#[test]
fn a_device_draws_triangles() {
    let place = TestFolder::with([("mesh.lv", MESH), ("square.obj", SQUARE)]);
    if place.run(&["devices"]).status != 0 {
        return skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    }
    let mesh = ["--mesh", "square.obj", "--size", "8x8"];
    let render = |out: &str, depth: &str, more: &[&str]| {
        let command = ["render", "mesh.lv", out, "--depth", depth];
        place.run(&[&command[..], &mesh, more].concat()).done();
    };
    render("cpu.npy", "cpu-depth.npy", &[]);
    render("gpu.npy", "gpu-depth.npy", &["--engine", "gpu"]);
    // The device interpolates depth and varying.
    for (x, y) in [(0, 0), (7, 0), (3, 5), (7, 7)] {
        for [cpu, gpu] in [["cpu.npy", "gpu.npy"], ["cpu-depth.npy", "gpu-depth.npy"]] {
            let [cpu, gpu] = [cpu, gpu].map(|file| pixel(&place, file, x, y)[1]);
            assert!((cpu - gpu).abs() < 1e-6, "{cpu} {gpu}");
        }
    }
    let outcome = place.run(&[&["compare", "mesh.lv"][..], &mesh].concat());
    let text = String::from_utf8_lossy(&outcome.out);
    assert!(text.contains("output 0: "), "{text}{}", outcome.err);
}
