//! Inclusions and their safety.

use super::{Memory, found, settings, with_files, words};
use crate::preprocess::Settings;
use std::path::{Path, PathBuf};

/// The tokens without errors.
#[track_caller]
fn reads(text: &str, files: &[(&str, &str)], expected: &str) {
    let mut memory = Memory::with(files);
    let roots = [PathBuf::from("/lib")];
    let (source, done) = with_files(text, &mut memory, &Settings { roots: &roots, ..settings() });
    assert_eq!((found(&source, &done), words(&done).as_str()), (vec![], expected), "{text}");
}

/// The only error's message and position; nothing of a refused file is in the source.
#[track_caller]
fn refuses(text: &str, memory: &mut Memory, roots: &[PathBuf], expected: &str) {
    let (source, done) = with_files(text, memory, &Settings { roots, ..settings() });
    assert_eq!(found(&source, &done), [expected], "{text}");
    assert!(!source.text().contains("secret"), "{text}");
}

#[test]
fn paths() {
    let files = [
        ("/work/a.glsl", "a"),
        ("/work/d/b.glsl", "b\n#include \"c.glsl\"\n#include \"../a.glsl\""),
        ("/work/d/c.glsl", "c"),
        ("/lib/l.glsl", "l\n#include <m/n.glsl>"),
        ("/lib/m/n.glsl", "n"),
        ("/lib/a.glsl", "other"),
    ];
    reads("#include \"a.glsl\"\nx", &files, "a x");
    reads("#include <a.glsl> // why\nx", &files, "a x");
    reads("#pragma include \"a.glsl\"\nx", &files, "a x");
    reads("#include \"d/b.glsl\"", &files, "b c a");
    reads("#include \"./d/../a.glsl\"", &files, "a");
    reads("#include <l.glsl>", &files, "l n");
    reads("#include \"../lib/l.glsl\"", &files, "l n");
    reads("#define P \"a.glsl\"\n#include P", &files, "a");
    reads("#include \"a.glsl\"\n#include \"a.glsl\"", &files, "a a");
    reads("#if 0\n#include \"none\"\n#endif", &files, "");
    reads("#define F(x) <x>\nF(\n#include \"a.glsl\"\n)", &files, "< a >");
    reads(
        "#include \"a.glsl\"\n__FILE__ __LINE__",
        &[("/work/a.glsl", "\n__FILE__ __LINE__")],
        "1 2 0 2",
    );
}

#[test]
fn once_and_guards() {
    let twice = "#include \"a.glsl\"\n#include \"./a.glsl\"";
    reads(twice, &[("/work/a.glsl", "#pragma once\na")], "a");
    reads(twice, &[("/work/a.glsl", "#ifndef A\n#define A\na\n#endif")], "a");
    reads(twice, &[("/work/a.glsl", "#ifndef A\n#define A\n#include \"a.glsl\"\na\n#endif")], "a");
    let files = [
        ("/work/a.glsl", "#pragma once\n#include \"b.glsl\"\na"),
        ("/work/b.glsl", "#include \"a.glsl\"\nb"),
    ];
    reads("#include \"a.glsl\"", &files, "b a");
    reads("#pragma once\n#include \"main.frag\"\nx", &[], "x");
    let mut memory = Memory::with(&[("/work/a.glsl", "x X\n")]);
    let text = "#define X 1\n#include \"a.glsl\"\n#undef X\n#define X 2\n#include \"a.glsl\"";
    let (source, done) = with_files(text, &mut memory, &settings());
    assert_eq!((words(&done).as_str(), source.files().len()), ("x 1 x 2", 2));
    assert_eq!((memory.reads.len(), done.paths), (1, vec![PathBuf::from("/work/a.glsl")]));
    assert_eq!(source.files()[1].module_name, "a.glsl");
}

#[test]
fn nothing_outside_is_read() {
    let outside = [("/etc/passwd", "secret"), ("/work2/a.glsl", "secret"), ("/lib/x", "secret")];
    for (text, what) in [
        ("/etc/passwd", "is an absolute path"),
        ("\\etc\\passwd", "is an absolute path"),
        ("C:/passwd", "is an absolute path"),
        ("~/passwd", "is an absolute path"),
        ("../etc/passwd", "lies outside of the folders that may be read"),
        ("../work2/a.glsl", "lies outside of the folders that may be read"),
        ("link", "lies outside of the folders that may be read"),
        ("folder/passwd", "lies outside of the folders that may be read"),
    ] {
        let mut memory = Memory::with(&outside);
        memory.links.insert("/work/link".into(), "/etc/passwd".into());
        memory.links.insert("/work/folder".into(), "/etc".into());
        let expected = format!("LV0213 1:10 \"{text}\": `{text}` {what}");
        refuses(&format!("#include \"{text}\""), &mut memory, &[], &expected);
        assert_eq!(memory.reads, [] as [PathBuf; 0], "{text}");
    }
    // A root allows its own files, also by a link, and no others.
    let root = [PathBuf::from("/lib")];
    let mut memory = Memory::with(&outside);
    memory.links.insert("/lib/link".into(), "/etc/passwd".into());
    let expected = "LV0213 1:10 <link>: `link` lies outside of the folders that may be read";
    refuses("#include <link>", &mut memory, &root, expected);
}

#[test]
fn files_that_cannot_be_read() {
    let mut memory = Memory::with(&[("/work/d/a", "x")]);
    let none = &[];
    refuses(
        "#include \"b\"",
        &mut memory,
        none,
        "LV0213 1:10 \"b\": cannot read `b`: there is no such file",
    );
    refuses(
        "#include \"\"",
        &mut memory,
        none,
        "LV0213 1:10 \"\": the path of `#include` is no path",
    );
    refuses("#include a", &mut memory, none, "LV0213 1:10 a: `#include` lacks a path");
    refuses("#include", &mut memory, none, "LV0213 1:1 #include: `#include` lacks a path");
    refuses(
        "#include <a",
        &mut memory,
        none,
        "LV0213 1:10 <: the path of `#include` is not closed",
    );
    refuses("#include \"d/a\" b", &mut memory, none, "LV0213 1:16 b: `#include` takes one path");
    memory.texts.insert("/work/latin".into(), b"secret \xe9".to_vec());
    memory.texts.insert("/work/picture".into(), b"\x89PNG secret".to_vec());
    memory.texts.insert("/work/long".into(), b"secret ".repeat(1 << 20));
    for name in ["latin", "picture", "long", "d"] {
        let (source, done) =
            with_files(&format!("#include \"{name}\"\nx"), &mut memory, &settings());
        let all = found(&source, &done);
        assert!(all.len() == 1 && all[0].starts_with("LV0213 1:10"), "{all:?}");
        assert_eq!((words(&done).as_str(), source.files().len()), ("x", 1));
    }
}

#[test]
fn errors_in_included_files() {
    let mut memory =
        Memory::with(&[("/work/a.glsl", "x\n#if 1\n"), ("/work/b.glsl", "#endif\nF(\n")]);
    let text = "#define F(x) x\n#include \"a.glsl\"\n#include \"b.glsl\"\n1)";
    let (source, done) = with_files(text, &mut memory, &settings());
    assert_eq!(
        found(&source, &done),
        [
            "LV0611 2:1 #if: a conditional is not closed",
            "LV0611 1:1 #endif: `#endif` has no `#if` before it",
            "LV0611 2:1 F: the arguments of `F` do not end + 1:9 F",
        ]
    );
    let names: Vec<&str> =
        done.diagnostics.iter().map(|d| source.file(d.primary.span.start).name.as_str()).collect();
    assert_eq!(names, ["/work/a.glsl", "/work/b.glsl", "/work/b.glsl"]);
    assert!(done.complete);
}

#[test]
fn endless_inclusions_end() {
    for text in [
        "#include \"main.frag\"\n",
        "#include \"main.frag\"\n#include \"main.frag\"\n",
        "#include \"a\"\n",
    ] {
        let mut memory = Memory::with(&[("/work/a", "#include \"main.frag\"\n#include \"a\"")]);
        let (source, done) = with_files(text, &mut memory, &settings());
        let all = found(&source, &done);
        assert!(all.len() == 1 && all[0].contains("more than 64 deep"), "{all:?}");
        assert!(!done.complete);
    }
    // Each of 30 files includes the next one twice.
    let files: Vec<(String, String)> = (0..30)
        .map(|i| (format!("/work/{i}"), format!("#include \"{0}\"\n#include \"{0}\"\nx", i + 1)))
        .collect();
    let mut memory = Memory::with(&[("/work/30", "y")]);
    memory.texts.extend(files.into_iter().map(|(path, text)| (path.into(), text.into_bytes())));
    let (source, done) = with_files("#include \"0\"", &mut memory, &settings());
    let all = found(&source, &done);
    assert!(all.len() == 1 && all[0].contains("included again and again"), "{all:?}");
}

/// Without a path, files lie below the working directory.
#[test]
fn standard_input() {
    let mut memory = Memory::with(&[("/work/a.glsl", "a"), ("/etc/passwd", "secret")]);
    let with = Settings { path: None, ..settings() };
    let (_, done) = with_files("#include \"a.glsl\"", &mut memory, &with);
    assert_eq!(words(&done), "a");
    let (_, done) = with_files("#include \"../etc/passwd\"", &mut memory, &with);
    assert!(done.diagnostics.has_errors() && Path::new("/work").is_absolute());
}
