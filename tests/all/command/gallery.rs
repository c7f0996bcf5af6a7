//! The gallery on the command line: its engines and forms agree, and its data is what the documented command
//! lines produce.
//!
//! `BLESS=1 cargo test --test all command::gallery::data` writes the data.

use super::harness::TestFolder;
use lambdav_test_support::{command_lines, header_bindings, header_command_lines};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Largest size of a data file.
const BYTES: u64 = 100_000;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// The sorted names of the files in a folder.
fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    let files = paths.filter(|path| path.is_file());
    files.map(|path| path.file_name().unwrap_or_default().to_string_lossy().into_owned()).collect()
}

/// Core text, the SPIR-V evaluator and a single thread give the same picture as machine code on all threads.
#[test]
fn forms_and_engines_agree() {
    let place = TestFolder::new();
    place.copy_gallery();
    let shaders = names(&folder("shaders")).into_iter().filter(|name| name.ends_with(".lv"));
    shaders.collect::<Vec<_>>().into_par_iter().for_each(|name| {
        let shader = format!("shaders/{name}");
        place.run(&["check", &shader]).done();
        let text = String::from_utf8(place.read(&shader)).expect("it is UTF-8");
        let bindings = header_bindings(&text).into_iter();
        let bindings: Vec<String> = bindings.map(|(of, file)| format!("{of}={file}")).collect();
        let core = format!("{name}.core");
        place.run(&["compile", &shader, "--emit", "core", "-o", &core]).done();
        place.run(&["compile", &shader, "-o", &format!("{name}.spv")]).done();
        let draw = |from: &str, form: &str, options: &[&str]| {
            let out = format!("{name}.{form}.npy");
            let mut line = vec!["render", from, &out, "--size", "31x17", "--time", "1.5"];
            bindings.iter().for_each(|binding| line.extend(["--bind", binding]));
            place.run(&[&line, options].concat()).done();
            place.read(&out)
        };
        let wanted = draw(&shader, "simd", &[]);
        assert!(draw(&core, "core", &["--threads", "1"]) == wanted, "{name} as core text");
        assert!(draw(&shader, "spirv", &["--engine", "spirv"]) == wanted, "{name} as SPIR-V");
    });
}

/// Programs that draw triangles, by the command lines of their headers: each engine draws the same files.
#[test]
fn engines_draw_the_same_triangles() {
    let programs = names(&folder("shaders/triangles")).into_iter();
    let programs: Vec<String> = programs.filter(|name| name.ends_with(".lv")).collect();
    assert!(programs.len() >= 7, "{programs:?}");
    programs.into_par_iter().for_each(|name| {
        let path = folder("shaders/triangles").join(&name);
        let text = fs::read_to_string(path).expect("it is UTF-8");
        let lines = header_command_lines(&text);
        assert!(!lines.is_empty(), "{name} is rendered by no command line");
        // The evaluators are slow, so pictures are small.
        let draw = |engine: &str| {
            let place = TestFolder::new();
            place.copy_gallery();
            for line in &lines {
                let mut words: Vec<&str> = line.split_whitespace().collect();
                let size = words.iter().position(|word| *word == "--size");
                words[size.expect("it has a size") + 1] = "16x10";
                words.extend(["--engine", engine, "--no-metadata"]);
                place.run(&words).done();
            }
            let files = names(&place.path("")).into_iter();
            let files: Vec<_> = files.map(|file| (place.read(&file), file)).collect();
            assert!(files.len() >= lines.len(), "{name}");
            files
        };
        let wanted = draw("source");
        for engine in ["core", "simd", "spirv"] {
            for ((wanted, file), (found, _)) in wanted.iter().zip(draw(engine)) {
                assert!(*wanted == found, "{file} of {name} by {engine}");
            }
        }
    });
}

/// Each data file is what the command lines of the page beside it produce, and there are no other files.
#[test]
fn data_is_made_by_programs() {
    let place = TestFolder::new();
    place.copy_gallery();
    // The program that makes the mesh has a test of its own.
    let is_data = |name: &String| !["lv", "md", "glb"].iter().any(|ending| name.ends_with(ending));
    let kept = folder("shaders/data");
    let checked_in: Vec<String> = names(&kept).into_iter().filter(is_data).collect();
    for name in &checked_in {
        fs::remove_file(place.path("shaders/data").join(name)).expect("it was copied");
    }
    let page = String::from_utf8(place.read("shaders/data/README.md")).expect("it is UTF-8");
    for line in command_lines(&page) {
        place.run_line(&line).done();
    }
    let made: Vec<String> =
        names(&place.path("shaders/data")).into_iter().filter(is_data).collect();
    if std::env::var_os("BLESS").is_some() {
        for name in &made {
            fs::copy(place.path("shaders/data").join(name), kept.join(name)).expect("it is made");
        }
        return;
    }
    assert_eq!(made, checked_in);
    for name in &made {
        let kept = kept.join(name);
        let made = place.path("shaders/data").join(name);
        let compared = place.run(&[Path::new("diff"), &made, &kept]);
        assert_eq!(compared.status, 0, "write {name} with BLESS=1: {}", compared.text());
        let length = fs::metadata(&kept).expect("it is there").len();
        assert!(length <= BYTES, "{name} has {length} bytes");
    }
}
