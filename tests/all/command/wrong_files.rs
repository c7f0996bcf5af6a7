//! Files that are not programs, and targets that cannot be written.

use super::harness::{TestFolder, assert_one_error};
use std::fs;

/// Demands that every command that reads a shader refuses this content.
#[track_caller]
fn refused(content: &[u8], message: &str) {
    let place = TestFolder::with([("a.png", "untouched"), ("a.core", "untouched")]);
    place.write("a.lv", content);
    place.fails(&["check", "a.lv"], 1, message);
    place.fails(&["render", "a.lv", "a.png"], 1, message);
    place.fails(&["render", "a.lv", "new.png", "--engine", "source"], 1, message);
    place.fails(&["compile", "a.lv", "--emit", "core", "-o", "a.core"], 1, message);
}

#[test]
fn a_million_parentheses() {
    let open = vec![b'('; 1_000_000];
    refused(&open, "error[LV0106]: this list is inside 20000 others, the most that can be");
    let closed = [open, vec![b')'; 1_000_000]].concat();
    refused(&closed, "error[LV0106]");
}

#[test]
fn an_empty_file() {
    refused(b"", "error[LV0202]: the program has no output");
    refused(b" \n; nothing\n", "error[LV0202]");
}

/// Control characters in names and texts never reach the terminal.
#[cfg(unix)]
#[test]
fn nothing_controls_the_terminal() {
    let place = TestFolder::new();
    let name = "a\u{9b}31m\u{1b}[31m\u{202e}.lv";
    place.write(name, "(foo\u{9b}31m 1) ; \u{1b}[31m \u{7f} \u{202e}\n(bar\u{2066} 1)");
    for arguments in
        [vec!["check", name], vec!["check", "no\u{1b}[31m\u{85}such"], vec!["diff", name, name]]
    {
        let outcome = place.run(&arguments);
        assert_ne!(outcome.status, 0);
        let controls = |c: char| {
            c.is_control() && c != '\n'
                || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        assert!(!outcome.err.contains(controls), "{:?}", outcome.err);
        assert!(outcome.err.contains("\\u{1b}[31m"), "{}", outcome.err);
    }
}

#[test]
fn binary_files() {
    let mut bytes: Vec<u8> = (0..=255).cycle().take(100_000).collect();
    refused(&bytes, "error[LV0101]: byte 0x80 at offset 128");
    bytes.reverse();
    refused(&bytes, "error[LV0101]");
    refused(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "error[LV0217]: this is a PNG image");
    refused(
        "\u{feff}(vec4 1)".encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>().as_slice(),
        "UTF-16",
    );
}

#[test]
fn shaders_that_cannot_be_read() {
    let place = TestFolder::with([("a.png", "untouched")]);
    fs::create_dir(place.path("folder")).expect("a directory can be made");
    for (shader, message) in [
        ("missing.lv", "cannot read `missing.lv`: No such file"),
        ("folder", "cannot read `folder`: "),
        ("a.png/a.lv", "cannot read `a.png/a.lv`: "),
    ] {
        place.fails(&["render", shader, "a.png"], 2, message);
        // `check` takes the programs in a folder.
        let of_check = match shader {
            "folder" => "there is no program in the folder `folder`",
            _ => message,
        };
        place.fails(&["check", shader], 2, of_check);
        place.fails(&["compile", shader, "--emit", "core"], 2, message);
    }
}

#[test]
fn targets_that_cannot_be_written() {
    let place = TestFolder::with([("a.lv", "(vec4 1)")]);
    fs::create_dir(place.path("folder")).expect("a directory can be made");
    fs::create_dir(place.path("folder.png")).expect("a directory can be made");
    for (out, message) in [
        ("none/a.png", "cannot write `none/a.png`: there is no folder `none`"),
        ("folder", "cannot write `folder`: it is a folder"),
        ("folder.png", "cannot write `folder.png`: it is a folder"),
        ("folder/", "cannot write `folder/`: it is a folder"),
        ("a.lv/a.png", "cannot write `a.lv/a.png`: `a.lv` is not a folder"),
    ] {
        // The error comes before the program is read.
        for shader in ["a.lv", "missing.lv"] {
            place.fails(&["render", shader, out], 2, message);
        }
        place.fails(&["compile", "a.lv", "--emit", "core", "-o", out], 2, message);
    }
    assert_eq!(fs::read_dir(place.path("folder")).expect("it is there").count(), 0);
}

#[cfg(unix)]
#[test]
fn targets_that_must_not_be_written() {
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;

    let place = TestFolder::with([("a.lv", "(vec4 1)"), ("a.png", "untouched")]);
    let set = |name, mode| {
        fs::set_permissions(place.path(name), Permissions::from_mode(mode)).expect("it is ours");
    };
    // Refused even for a superuser, who could write the file.
    set("a.png", 0o444);
    place.fails(&["render", "a.lv", "a.png"], 3, "cannot write `a.png`: permission denied");

    let folder = place.path("folder");
    fs::create_dir(&folder).expect("a directory can be made");
    set("folder", 0o555);
    let superuser = fs::write(folder.join("probe"), "").is_ok();
    if superuser {
        fs::remove_file(folder.join("probe")).expect("it was made just now");
        place.run(&["render", "a.lv", "folder/a.png", "--size", "1x1"]).done();
    } else {
        place.fails(&["render", "a.lv", "folder/a.png"], 3, "cannot write `folder/a.png`: ");
        assert_eq!(fs::read_dir(&folder).expect("it is there").count(), 0);
    }
    set("folder", 0o755);
}

/// An existing target is replaced as a whole if the run succeeds, also through links.
#[cfg(unix)]
#[test]
fn targets_are_replaced() {
    let place = TestFolder::with([("a.lv", "(vec4 1)"), ("a.png", "old")]);
    std::os::unix::fs::symlink("a.png", place.path("link.png")).expect("a link can be made");
    place.run(&["render", "a.lv", "link.png", "--size", "3x2"]).done();
    assert_eq!(place.image("a.png").size().to_string(), "3x2");
    assert!(place.path("link.png").is_symlink());
}

/// Files in unsupported languages are recognised by their extensions, and the error names a way to convert
/// them. λV programs may have any extension.
#[test]
fn languages_that_are_not_read() {
    let place = TestFolder::new();
    for (name, text, parts) in [
        ("a.hlsl", "float4 main() : SV_Target\n{\n  return 1;\n}", ["this is HLSL", "dxc -spirv"]),
        ("a.slang", "[shader(\"fragment\")]\nfloat4 main() {", ["this is Slang", "slangc"]),
        ("a.gdshader", "shader_type canvas_item;", ["this is Godot's shading language", ".frag"]),
        ("a.metal", "fragment float4 f() {", ["this is the language of Metal", ".wgsl"]),
        ("a.shader", "Shader \"A\" {", ["this is Unity's shader format", "dxc -spirv"]),
    ] {
        place.write(name, text);
        for part in parts {
            let outcome = place.run(&["render", name, "out.png"]);
            assert_eq!(outcome.status, 1, "{name}");
            assert_one_error(&outcome.err, "error[LV0217]");
            assert!(outcome.err.contains(part), "{name}: {}", outcome.err);
            assert!(outcome.err.contains(&format!("--> {name}:1:1")), "{name}: {}", outcome.err);
        }
        place.write(name, "(vec3 1)");
        place.run(&["check", name]).done();
    }
}

/// Images and arrays are not programs, whatever their extension.
#[test]
fn an_image_in_place_of_a_shader() {
    let place = TestFolder::with([("a.lv", "(vec3 1)")]);
    for (name, kind) in
        [("a.png", "a PNG image"), ("a.exr", "an OpenEXR image"), ("a.npy", "an NPY file")]
    {
        place.run(&["render", "a.lv", name, "--size", "4x4"]).done();
        place.fails(
            &["render", name, "b.png"],
            1,
            &format!("this is {kind}, not the text of a program"),
        );
        place.fails(&["check", name], 1, "--bind NAME=FILE");
    }
}

/// `diff` of programs needs `--run`.
#[test]
fn programs_in_place_of_images() {
    let place = TestFolder::with([("a.lv", "(vec3 1)"), ("b.wgsl", "")]);
    place.run(&["render", "a.lv", "a.png", "--size", "4x4"]).done();
    place.fails(&["diff", "a.lv", "b.wgsl"], 2, "`lambdav diff --run a.lv b.wgsl`");
    place.fails(&["diff", "a.png", "b.wgsl"], 2, "`b.wgsl` is a program, not an image");
}
