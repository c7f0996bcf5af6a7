//! The library of exact modules: its texts are those of its source, and what is in them.
//!
//! `BLESS=1 cargo test -p lambdav-spirv-backend --test all -- library` writes the texts.

use lambdav_core::core_text;
use lambdav_core::graph::Core;
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;
use lambdav_spirv_backend::exact::library::Function;
use std::path::{Path, PathBuf};

/// The files of the source, in order.
const SOURCE: [&str; 4] = ["soft.lv", "wide.lv", "tables.lv", "functions.lv"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("exact")
}

/// The core of a function, from the source.
fn compiled(function: Function) -> Core {
    let mut text = String::new();
    for name in SOURCE {
        text += &std::fs::read_to_string(folder().join(name)).expect("the source is there");
    }
    let operands = &["a", "b", "c"][..function.arity()];
    for operand in operands {
        text += &format!("\n(uniform {operand} num)");
    }
    text += &format!("\n(output 0 (exact-{} {}))\n", function.name(), operands.join(" "));
    let (core, diagnostics) = compile(&SourceFile::new(function.name(), text));
    core.unwrap_or_else(|| panic!("{}: {diagnostics:?}", function.name()))
}

#[test]
fn the_texts_are_those_of_the_source() {
    for &function in Function::ALL {
        let path = folder().join("core").join(format!("{}.core", function.name()));
        let text = core_text::print(&compiled(function), None).expect("it is small");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("the text can be written");
        }
        let known = std::fs::read_to_string(&path).expect("the text is there");
        assert!(text == known, "{} has to be written again", path.display());
    }
}
