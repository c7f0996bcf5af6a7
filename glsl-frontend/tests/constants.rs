//! Constant expressions, and effects beside them.

use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_glsl_frontend::{Options, Stage, compile};

/// The words of a fragment shader with these statements.
fn words(statements: &str) -> Option<Vec<u32>> {
    let text = format!(
        "#version 450\nlayout(location = 0) out vec4 o;\nvoid main() {{\nint n = int(gl_FragCoord.x);\n\
         vec4 v = vec4(0.0);\nfloat a[2] = float[2](1.0, 2.0);\n{statements}\no = v + a[0];\n}}\n"
    );
    let options = Options { most: 1, ..Options::new(Stage::Fragment) };
    compile(SourceFile::new("text.frag", text), &options, &mut NoFiles).words
}

#[test]
fn computed_indices_choose_from_swizzles() {
    for statement in ["v.yx[n] += 1.0;", "v.yx[1] = 2.0;", "v.wzyx[n]++;", "v.x = v.xx[n];"] {
        assert!(words(statement).is_some(), "{statement}");
    }
    for statement in ["v.xx[n] = 1.0;", "v.yy[1] = 1.0;"] {
        assert!(words(statement).is_none(), "{statement}");
    }
}

#[test]
fn effects_and_variables_make_no_constants() {
    for expression in ["n = 5", "true ? 5 : n", "(n++, 5)"] {
        assert!(words(&format!("a[{expression}] = 1.0;")).is_some(), "{expression}");
        assert!(words(&format!("const float b[{expression}];")).is_none(), "{expression}");
    }
    assert!(words("a[true ? 5 : 6] = 1.0;").is_none());
}

#[test]
fn effects_beside_constants_stay() {
    const STORE: u32 = 62;
    let stores = |statements: &str| {
        let words = words(statements).expect("it is right");
        let (mut at, mut count) = (5, 0);
        while let Some(word) = words.get(at) {
            count += usize::from(word & 0xffff == STORE);
            at += (word >> 16) as usize;
        }
        count
    };
    let without = stores("if (true) { }");
    assert_eq!(stores("if (true && (v.x = 1.0, true)) { }"), without + 1);
    assert_eq!(stores("if (false || (v.x = 1.0, true)) { }"), without + 1);
}
