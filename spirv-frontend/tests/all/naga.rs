//! naga's and our own SPIR-V for WGSL, and our own for GLSL: the shaders of `tests/foreign`, and all WGSL, GLSL (`.frag`) and
//! SPIR-V text (`.spvasm`) in the folder named by the environment's `NAGA_INPUTS`, such as naga's own
//! test inputs (`naga/tests/in` of gfx-rs/wgpu).

use crate::naga_words::naga_words;
use crate::theorem::{Counts, Foreign, pixels};
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::Core;
use lambdav_core::interface::{Interface, LocationSource};
use lambdav_core::source::SourceFile;
use lambdav_engine::foreign::{Language, to_spirv};
use lambdav_image::Frame;
use lambdav_spirv::assemble::{SpirvVersion, assemble};
use lambdav_spirv_frontend::{RaiseOptions, raise};
use lambdav_test_support::{files_below, has_tool, skipped, spirv_opt};
use std::collections::BTreeMap;
use std::path::Path;

/// Width and height of a picture.
const SIZE: [u32; 2] = [48, 40];

/// Limit of a loop's rounds; some of naga's inputs have endless loops.
const ITERATIONS: u64 = 1000;

/// The names of a module's fragment entry points.
fn entry_points(words: &[u32]) -> Vec<String> {
    let (mut names, mut at) = (Vec::new(), 5);
    while let Some(&first) = words.get(at) {
        let count = (first >> 16) as usize;
        if first & 0xffff == 15 && words[at + 1] == 4 {
            let bytes = words[at + 3..at + count].iter().flat_map(|word| word.to_le_bytes());
            let name: Vec<u8> = bytes.take_while(|&byte| byte != 0).collect();
            names.push(String::from_utf8(name).expect("naga writes UTF-8"));
        }
        at += count.max(1);
    }
    names
}

/// The result for an entry point.
enum Verdict {
    Passed(Counts),
    /// Code and message of the diagnostic.
    Refused(String, String),
    Failed(String),
}

/// A module and its raised program.
fn raised(words: &[u32], entry_point: &str) -> Result<(Core, Interface, RaiseOptions), Diagnostic> {
    let mut options =
        RaiseOptions { entry_point: Some(entry_point.to_owned()), ..RaiseOptions::default() };
    // Inputs at other locations are equal for all pixels.
    options.locations.insert(0, LocationSource::Uv);
    let mut raised = raise("a.spv", words, &options).program;
    if raised.as_ref().is_err_and(|error| error.message.contains("a position for an input")) {
        options.locations.clear();
        raised = raise("a.spv", words, &options).program;
    }
    raised.map(|(core, interface)| (core, interface, options))
}

fn check(words: &[u32], entry_point: &str, seed: u64) -> Verdict {
    let (core, interface, options) = match raised(words, entry_point) {
        Ok(raised) => raised,
        Err(error) => return Verdict::Refused(error.code.as_str().to_owned(), error.message),
    };
    let program = (&core, &interface);
    let foreign = Foreign::seeded(words, program, options.clear, SIZE, ITERATIONS, seed);
    match foreign.check(&pixels(SIZE)) {
        Ok(counts) => Verdict::Passed(counts),
        Err(error) => Verdict::Failed(error),
    }
}

/// Draws an entry point by our own words of a text in WGSL and by naga's: true if all bits are equal.
fn agrees(ours: &[u32], theirs: &[u32], entry_point: &str) -> Result<bool, String> {
    let mut drawn = Vec::new();
    for words in [ours, theirs] {
        let (core, interface, options) =
            raised(words, entry_point).map_err(|error| error.message)?;
        let program = (&core, &interface);
        let foreign = Foreign::seeded(words, program, options.clear, SIZE, ITERATIONS, 1);
        let Some(frames) = foreign.pictures()? else { return Err("a loop is long".to_owned()) };
        let bits = |frame: &Frame| frame.samples().iter().map(|x| x.to_bits()).collect();
        drawn.push(frames.iter().map(bits).collect::<Vec<Vec<u32>>>());
    }
    Ok(drawn[0] == drawn[1])
}

/// The table of what naga and our front end take differently, with reasons: name of the file, what happens, reason.
fn known() -> Vec<[String; 3]> {
    let text = include_str!("../../../tests/wgsl/naga.tsv");
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| {
        let mut parts = row.split('\t').map(str::to_owned);
        std::array::from_fn(|_| parts.next().expect("three columns"))
    })
    .collect()
}

/// Texts in WGSL, by our front end and by naga: equal pictures, or a reason in the table.
#[test]
fn opinions_of_naga() {
    let Some(folder) = std::env::var_os("NAGA_INPUTS") else {
        skipped("NAGA_INPUTS does not name a folder of shaders");
        return;
    };
    let known = known();
    let (mut equal, mut taken, mut lacking, mut neither) = (0, 0, 0, 0);
    let mut found: Vec<(String, String)> = Vec::new();
    for path in files_below(Path::new(&folder), &["wgsl"]) {
        let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).expect("it can be read");
        // naga knows no imports and no conditions.
        if text.lines().any(|line| line.trim_start().starts_with('#')) {
            continue;
        }
        let words = || naga_words(&text);
        let theirs = std::panic::catch_unwind(words).unwrap_or_else(|_| Err("panic".to_owned()));
        let ours = to_spirv(Language::Wgsl, &SourceFile::new("a", text));
        let (ours, theirs) = match (ours, theirs) {
            (Ok(ours), Ok(theirs)) => (ours, theirs),
            (Err(all), theirs) => {
                match all.iter().find(|of| of.code.as_str() != "LV0605") {
                    None => lacking += 1,
                    Some(of) if theirs.is_ok() => {
                        found.push((stem, format!("refused {}: {}", of.code.as_str(), of.message)));
                    }
                    Some(_) => neither += 1,
                }
                continue;
            }
            (Ok(_), Err(error)) => {
                found.push((stem, format!("naga refuses: {error}").replace('\n', " ")));
                continue;
            }
        };
        taken += 1;
        for name in entry_points(&theirs) {
            match agrees(&ours, &theirs, &name) {
                Ok(true) => equal += 1,
                Ok(false) => found.push((stem.clone(), format!("{name} differs"))),
                Err(error) => println!("  {stem} {name}: {error}"),
            }
        }
    }
    println!(
        "{taken} files by both, {lacking} lack a feature, {neither} by none; {equal} pictures equal"
    );
    let is_known = |(stem, what): &(String, String)| {
        known.iter().any(|row| row[0] == *stem && what.contains(&row[1]))
    };
    let new: Vec<String> = found
        .iter()
        .filter(|found| !is_known(found))
        .map(|(stem, what)| format!("{stem}\t{what}"))
        .collect();
    println!("{} differences, {} without a reason", found.len(), new.len());
    assert!(new.is_empty(), "{}", new.join("\n"));
    assert!(equal > 0, "the folder holds no fragment shader");
}

fn words_of(path: &Path) -> Result<Vec<u32>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    if path.extension().is_some_and(|ending| ending == "spvasm") {
        let words = assemble(&text, SpirvVersion::default());
        return words.map_err(|error| format!("{error:?}"));
    }
    let language = Language::of(path).expect("the ending says it");
    if language == Language::Wgsl {
        return naga_words(&text);
    }
    to_spirv(language, &SourceFile::new("a", text)).map_err(|all| all[0].message.clone())
}

#[test]
fn foreign_shaders() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/foreign");
    let mut count = 0;
    for path in files_below(&folder, &["wgsl", "frag"]) {
        let words = words_of(&path).expect("it is right");
        let mut all = vec![words];
        if Language::of(&path) == Some(Language::Wgsl) {
            // Those of our own front end, too.
            let text = std::fs::read_to_string(&path).expect("it is there");
            let source = SourceFile::new("a", text);
            all.push(to_spirv(Language::Wgsl, &source).expect("it is right"));
        }
        if has_tool("spirv-opt") {
            for k in 0..all.len() {
                all.push(spirv_opt(&all[k]));
            }
        }
        for (words, seed) in all.iter().flat_map(|words| (0..3).map(move |seed| (words, seed))) {
            for name in entry_points(words) {
                match check(words, &name, seed) {
                    Verdict::Passed(_) => count += 1,
                    Verdict::Refused(_, error) | Verdict::Failed(error) => {
                        panic!("{}: {error}", path.display())
                    }
                }
            }
        }
    }
    assert!(count >= 30, "{count}");
}

/// An image that is written is valid, and not supported.
#[test]
fn images_that_are_written_are_refused() {
    let text = "@group(0) @binding(0) var picture: texture_storage_2d<r32float, write>;
        @fragment fn main() -> @location(0) vec4f {
            textureStore(picture, vec2i(0, 0), vec4f(1.0));
            return vec4f(1.0);
        }";
    let words = to_spirv(Language::Wgsl, &SourceFile::new("a", text)).expect("it is right");
    let refused = raise("a.spv", &words, &RaiseOptions::default()).program;
    let error = refused.expect_err("it is not supported");
    assert_eq!(error.code.as_str(), "LV0605", "{}", error.message);
    assert!(error.message.contains("images that are written"), "{}", error.message);
}

#[test]
fn inputs_of_naga() {
    let Some(folder) = std::env::var_os("NAGA_INPUTS") else {
        skipped("NAGA_INPUTS does not name a folder of shaders");
        return;
    };
    let (mut passed, mut no_words) = (0, Vec::new());
    let (mut total, mut failed) = (Counts::default(), Vec::new());
    let mut refused: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files_below(Path::new(&folder), &["wgsl", "frag", "spvasm"]) {
        let stem = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let words = match words_of(&path) {
            Ok(words) => words,
            Err(error) => {
                no_words.push(format!("{stem}: {error}"));
                continue;
            }
        };
        for name in entry_points(&words) {
            match check(&words, &name, 1) {
                Verdict::Passed(counts) => {
                    passed += 1;
                    total.add(counts);
                }
                Verdict::Refused(code, what) => {
                    refused.entry(code).or_default().push(format!("{stem} {name}: {what}"));
                }
                Verdict::Failed(what) => failed.push(format!("{stem} {name}: {what}")),
            }
        }
    }
    let count: usize = refused.values().map(Vec::len).sum();
    println!("passed {passed}, refused {count}, failed {}; {total:?}", failed.len());
    for (code, all) in &refused {
        println!("  {code}: {}\n    {}", all.len(), all.join("\n    "));
    }
    println!("  no words of {} files\n    {}", no_words.len(), no_words.join("\n    "));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(passed > 0, "the folder holds no fragment shader");
}
