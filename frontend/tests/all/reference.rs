//! The reference page of all builtins, made from their table.
//!
//! `BLESS=1 cargo test -p lambdav-frontend --test all -- reference` writes it.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use lambdav_core::types::Type;
use lambdav_frontend::builtins::{Builtin, OperationKind};

fn page() -> String {
    let mut page = String::from(
        "# Builtins\n\n\
         All builtins of λV except the swizzles (`.x`, `.xyz`, `.bgra` …). The compiler's table \
         generates this page: `BLESS=1 cargo test -p lambdav-frontend --test all -- reference` writes it. \
         [LANGUAGE.md](LANGUAGE.md) defines the language.\n\n\
         A builtin is *exact* (the IEEE operation itself), *correctly rounded* (the binary32 value \
         nearest to the real result, for every input) or *expanded* (defined by an expression of other \
         builtins). Where SPIR-V leaves a result undefined, λV has the IEEE result. Each example is a \
         test; in the examples of textures, `t` has 2 by 1 texels, black and white, and `(compare less-eq)`.\n",
    );
    for builtin in Builtin::all() {
        let kind = match builtin.kind() {
            OperationKind::Exact => "exact",
            OperationKind::CorrectlyRounded => "correctly rounded",
            OperationKind::Expanded => "expanded",
        };
        let mut section = format!("\n## `{}`\n\n", builtin.name());
        write!(section, "`{}`", builtin.usage()).expect("writing to a string");
        if !builtin.aliases().is_empty() {
            let names: Vec<String> =
                builtin.aliases().iter().map(|name| format!("`{name}`")).collect();
            write!(section, ", also {}", names.join(" and ")).expect("writing to a string");
        }
        if !builtin.takes().is_empty() {
            write!(section, ", of {}", builtin.takes()).expect("writing to a string");
        }
        write!(section, "; {kind}.\n\n{}\n", builtin.documentation()).expect("writing to a string");
        let conditions = builtin.undefined_where().into_iter().map(|(of, condition)| match of {
            Some(of) => format!("`{condition}` of {:?}", Type::of(of, 1)),
            None => format!("`{condition}`"),
        });
        let conditions: Vec<String> = conditions.collect();
        if !conditions.is_empty() {
            writeln!(section, "\nSPIR-V leaves it undefined where {}.", conditions.join(", "))
                .expect("writing to a string");
        }
        let example = builtin.example();
        writeln!(section, "\n```lv\n{} ; {}\n```", example.expression, example.value)
            .expect("writing to a string");
        page += &section;
    }
    page
}

#[test]
fn the_page_is_that_of_the_table() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../BUILTINS.md");
    let page = page();
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, &page).expect("the page can be written");
    }
    let known = fs::read_to_string(&path).expect("the page is there");
    assert!(page == known, "BUILTINS.md has to be written again");
}

/// The files that ADD-A-BUILTIN.md names for a new builtin exist.
#[test]
fn the_files_of_the_instructions_are_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let text = fs::read_to_string(root.join("ADD-A-BUILTIN.md")).expect("the page is there");
    let mut folder = root.clone();
    let mut found = 0;
    for name in text.split('`').skip(1).step_by(2) {
        let is_file = name.ends_with(".rs") || name.ends_with(".md");
        if name.ends_with('/') && !name.contains(' ') {
            folder = root.join(name);
        }
        if !is_file || name.contains(' ') {
            continue;
        }
        // `a/b.rs`, `c.rs`: the second is in the folder of the first, or in the folder named last.
        let path = if name.contains('/') { root.join(name) } else { folder.join(name) };
        if name.contains('/') {
            folder = path.parent().expect("it lies in a folder").to_path_buf();
        }
        if !name.contains("THEME") {
            assert!(path.exists() || root.join(name).exists(), "{name}");
            found += 1;
        }
    }
    assert!(found > 20, "{found}");
}
