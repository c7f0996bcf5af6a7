//! Tests the macro as other packages use it.

use lambdav::{Options, Shader, Size};
use lambdav_image::{AnyImage, file};
use lambdav_test::{BLESS, CompareOptions, assert_image};
use std::path::Path;
use std::process::{Command, Output};

/// A shader under test, with its golden beside this file.
#[test]
fn a_shader_draws_its_golden() {
    let shader = Shader::open(concat!(env!("CARGO_MANIFEST_DIR"), "/shaders/disk.lv"));
    let shader = shader.expect("it is right");
    let size = Size::new(48, 32).expect("small");
    let pipeline = shader.pipeline(&Options::default()).expect("it is small");
    let mut bindings = pipeline.bindings();
    let frame = pipeline.render(&bindings, size).expect("it ends");
    assert_image!(frame, "goldens/orange.png");
    let buffer: image::RgbaImage =
        image::ImageBuffer::from(&file_image(Path::new("goldens/orange.png")));
    assert_image!(&buffer, "goldens/orange.png");
    // A small difference, which is allowed.
    bindings.set("colour", [0.996, 0.5, 0.0]).expect("a vec3");
    let paler = pipeline.render(&bindings, size).expect("it ends");
    let allowed = CompareOptions { tolerance: Some([1.5; 4]), ..CompareOptions::default() };
    assert_image!(paler, "goldens/orange.png", allowed);
}

fn file_image(path: &Path) -> lambdav_image::Image<u8> {
    match file::load(&Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("it is there") {
        AnyImage::Unorm8(image) => image,
        other => panic!("{other:?}"),
    }
}

/// Environment variable with the folder of [`child`].
const FOLDER: &str = "LAMBDAV_TEST_FOLDER";

/// A test of another package, run by [`failures_say_what_to_do`].
#[test]
fn child() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let folder = Path::new(&folder);
    for format in ["png", "exr", "npy"] {
        assert_image!(folder.join("a.lv"), folder.join(format!("goldens/a.{format}")));
    }
}

/// Runs the test as cargo does, with or without blessing; returns success and output.
fn run(folder: &Path, bless: &str) -> (bool, String) {
    let mut test = Command::new(std::env::current_exe().expect("it has a name"));
    test.args(["--exact", "child", "--nocapture"]).env(FOLDER, folder).env(BLESS, bless);
    let Output { status, stdout, stderr } = test.output().expect("it can be started");
    let text = [stdout, stderr].concat();
    (status.success(), String::from_utf8(text).expect("UTF-8"))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("it is there");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn failures_say_what_to_do() {
    let place = tempfile::tempdir().expect("a folder can be made");
    let (folder, goldens) = (place.path(), place.path().join("goldens"));
    let write = |text: &str| std::fs::write(folder.join("a.lv"), text).expect("it can be written");
    let fails = |messages: &[&str]| {
        let (passed, said) = run(folder, "0");
        assert!(!passed, "{said}");
        for message in messages {
            assert!(said.contains(message), "{message} is not in: {said}");
        }
    };
    write("(vec3 (/ (.xy (frag-coord)) (resolution)) 0.5)");
    let (drawn, golden) = (goldens.join("a.new.png"), goldens.join("a.png"));
    let [drawn, golden] = [&drawn, &golden].map(|path| path.to_string_lossy());
    fails(&["there is no golden", &drawn, &golden, "LAMBDAV_BLESS=1 cargo test"]);
    assert_eq!(names(&goldens), ["a.new.png"]);
    let (passed, said) = run(folder, "1");
    assert!(passed, "{said}");
    let blessed = ["a.exr", "a.npy", "a.png"];
    assert_eq!(names(&goldens), blessed);
    assert!(run(folder, "").0);

    // A corner of the picture changes.
    let corner = "(if (< (+ (.x (frag-coord)) (.y (frag-coord))) 9) (vec3 1)";
    write(&format!("{corner} (vec3 (/ (.xy (frag-coord)) (resolution)) 0.5))"));
    let heat = goldens.join("a.diff.png");
    fails(&["the picture differs from its golden", &drawn, &golden, &heat.to_string_lossy()]);
    assert_eq!(names(&goldens), ["a.diff.png", "a.exr", "a.new.png", "a.npy", "a.png"]);
    let (passed, said) = run(folder, "1");
    assert!(passed, "{said}");
    assert_eq!(names(&goldens), blessed);

    // Goldens that are no images, and programs with errors.
    std::fs::write(goldens.join("a.png"), "no picture").expect("it can be written");
    fails(&["a.png", "not a file of the formats"]);
    write("(vec3 oops)");
    fails(&["error[LV0301]", "`oops` is not bound"]);
    std::fs::remove_file(folder.join("a.lv")).expect("it was made just now");
    fails(&["cannot read", "a.lv"]);
}
