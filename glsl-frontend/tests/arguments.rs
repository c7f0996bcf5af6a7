//! Arguments that are variables: memory qualifiers of images, and `out` parameters of built-in functions. glslang is
//! a second opinion, where it is installed.

use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_glsl_frontend::{Options, Stage, compile};
use std::io::Write as _;
use std::process::{Command, Stdio};

/// True if glslang accepts a text, or is not installed.
fn glslang_agrees(text: &str, accepts: bool) -> bool {
    let child = Command::new("glslangValidator")
        .args(["-V", "--stdin", "-S", "frag"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .current_dir(std::env::temp_dir())
        .args(["-o", if cfg!(windows) { "NUL" } else { "/dev/null" }])
        .spawn();
    let Ok(mut child) = child else { return true };
    let mut input = child.stdin.take().expect("it has an input");
    input.write_all(text.as_bytes()).expect("it reads everything");
    drop(input);
    child.wait().expect("it ends").success() == accepts
}

/// Asserts that a text has one error with this message and help, or none if it is empty.
#[track_caller]
fn expect(text: &str, message: &str, help: &str) {
    let options = Options::new(Stage::Fragment);
    let compiled = compile(SourceFile::new("a.frag", text), &options, &mut NoFiles);
    let found: Vec<(&str, &str)> = compiled
        .diagnostics
        .iter()
        .map(|of| (of.message.as_str(), of.help.as_deref().unwrap_or_default()))
        .collect();
    let wanted = if message.is_empty() { vec![] } else { vec![(message, help)] };
    assert_eq!(found, wanted, "{text}");
    assert!(glslang_agrees(text, message.is_empty()), "glslang differs: {text}");
}

const IMAGES: &str = "#version 450
layout(location = 0) out vec4 o;
layout(binding = 0, r32f) uniform readonly image2D r;
layout(binding = 1, r32f) uniform writeonly image2D w;
layout(binding = 2, r32f) uniform coherent image2D c;
layout(binding = 3, r32f) uniform restrict image2D b;
layout(binding = 4, r32ui) uniform readonly uimage2D u;
layout(binding = 5, r32ui) uniform writeonly uimage2D[2] v;
layout(binding = 6) uniform writeonly image2D x;
layout(binding = 7) uniform writeonly restrict coherent image2D y;
";

fn images(functions: &str, statement: &str) -> String {
    format!("{IMAGES}{functions}void main() {{ ivec2 p = ivec2(0); o = vec4(0); {statement} }}\n")
}

/// Readonly images are not written, writeonly ones not read, and atomic operations do both.
#[test]
fn qualified_images_are_used_as_they_may_be() {
    let read_only = "delete `readonly` where the image is declared";
    let write_only = "delete `writeonly` where the image is declared";
    for (statement, message, help) in [
        ("o = imageLoad(r, p); imageStore(w, p, o);", "", ""),
        ("o = imageLoad(b, p); imageStore(b, p, o);", "", ""),
        ("p = imageSize(r) + imageSize(w);", "", ""),
        ("imageStore(r, p, o);", "`imageStore` writes the image, which is `readonly`", read_only),
        ("o = imageLoad(w, p);", "`imageLoad` reads the image, which is `writeonly`", write_only),
        (
            "imageAtomicAdd(u, p, 1u);",
            "`imageAtomicAdd` writes the image, which is `readonly`",
            read_only,
        ),
        (
            "imageAtomicAdd(v[1], p, 1u);",
            "`imageAtomicAdd` reads the image, which is `writeonly`",
            write_only,
        ),
    ] {
        expect(&images("", statement), message, help);
    }
}

/// A parameter has at least the qualifiers of its argument, apart from `restrict`.
#[test]
fn parameters_keep_the_qualifiers_of_images() {
    for (parameter, image, lost) in [
        ("writeonly", "x", ""),
        ("writeonly coherent", "x", ""),
        ("writeonly coherent", "y", ""),
        ("", "x", "writeonly"),
        ("coherent", "x", "writeonly"),
        ("writeonly", "y", "coherent"),
    ] {
        let function =
            format!("void f({parameter} image2D i, ivec2 p) {{ imageStore(i, p, vec4(1)); }}\n");
        let message = match lost {
            "" => String::new(),
            lost => format!("the image is `{lost}`, and the parameter is not"),
        };
        let help = format!("write `{lost}` in front of the parameter");
        expect(&images(&function, &format!("f({image}, p);")), &message, &help);
    }
    // Parameters have no formats.
    let function = "vec4 f(readonly image2D i, ivec2 p) { return imageLoad(i, p); }\n";
    let message = "images with a format as arguments of functions are not supported";
    let help = "declare the image without a format, or use it where it is declared";
    expect(&images(function, "o = f(r, p);"), message, help);
    // The body of a function sees the qualifiers of the parameter.
    let function = "void f(readonly image2D i, ivec2 p) { imageStore(i, p, vec4(1)); }\n";
    let message = "`imageStore` writes the image, which is `readonly`";
    expect(&images(function, ""), message, "delete `readonly` where the image is declared");
}

/// What an `out` parameter returns is converted to the type of the variable, in that direction only.
#[test]
fn out_arguments_are_converted() {
    let text = |declared: &str, statement: &str| {
        format!(
            "#version 450\nlayout(location = 0) out vec4 o;\n\
             void main() {{ o = vec4(0); uint a = 1u; {declared} {statement} }}\n"
        )
    };
    for (declared, statement, message, help) in [
        ("uint x;", "o.x = frexp(2.0, x);", "", ""),
        ("float x;", "o.x = frexp(2.0, x);", "", ""),
        ("vec2 x;", "o.xy = frexp(vec2(2.0), x);", "", ""),
        ("float x;", "a = uaddCarry(a, a, x);", "", ""),
        ("vec4 x;", "a = uaddCarry(a, a, x.z);", "", ""),
        (
            "int x;",
            "a = uaddCarry(a, a, x);",
            "no `uaddCarry` takes (uint, uint, int)",
            "`uaddCarry` takes (uint, uint, out uint)",
        ),
        (
            "int x;",
            "o.x = modf(2.5, x);",
            "no `modf` takes (float, int)",
            "`modf` takes (float, out float)",
        ),
        (
            "ivec3 x;",
            "o.xyz = modf(vec3(2.5), x);",
            "no `modf` takes (vec3, ivec3)",
            "`modf` takes (vec3, out vec3)",
        ),
    ] {
        expect(&text(declared, statement), message, help);
    }
}
