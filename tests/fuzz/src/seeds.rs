//! Seeds of mutations.

use lambdav_core::core_text;
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_core::triangles::EntryPoints;
use lambdav_engine::foreign::{Language, to_spirv};
use lambdav_engine::program::Loaded;
use lambdav_generate::{
    GenerateOptions, GeneratedProgram, generate, generate_triangles, is_refused_for_rounds,
};
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::{Options, Style};
use lambdav_spirv_backend as spirv_backend;
use lambdav_spirv_backend::emit::{EmitOptions, emit_stages};
use lambdav_test_support::files_below;
use std::fs;
use std::path::{Path, PathBuf};

/// Number of generated programs.
const GENERATED: u64 = 400;
/// Number of generated programs that are also compiled.
const COMPILED: usize = 150;
/// Number of generated programs in GLSL.
const GLSL: u64 = 160;

/// Valid inputs, and the corpus.
#[derive(Debug)]
pub struct Seeds {
    /// Generated programs, which are mutated as trees.
    pub(crate) programs: Vec<GeneratedProgram>,
    /// Texts of programs; most are valid.
    pub(crate) texts: Vec<String>,
    /// Core texts.
    pub(crate) cores: Vec<String>,
    /// SPIR-V modules.
    pub(crate) modules: Vec<Vec<u32>>,
    /// Modules from other compilers.
    pub(crate) foreign_modules: Vec<Vec<u32>>,
    /// WGSL.
    pub(crate) wgsl: Vec<String>,
    /// GLSL.
    pub(crate) glsl: Vec<String>,
}

impl Seeds {
    /// Reads the gallery, the conformance suite and the corpus, and generates programs from `seed`.
    ///
    /// # Panics
    ///
    /// If the files are not at their places in the repository.
    pub fn new(seed: u64) -> Self {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let programs: Vec<GeneratedProgram> = (0..GENERATED)
            .map(|i| {
                let options = GenerateOptions {
                    size: 6 + (i as usize * 7) % 60,
                    endless: i % 4 == 0,
                    special_divisors: true,
                };
                let seed = seed.wrapping_mul(GENERATED).wrapping_add(i);
                match i % 5 {
                    3 => generate_triangles(seed, options),
                    _ => generate(seed, options),
                }
            })
            .collect();
        let read = |path: &PathBuf| {
            fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        let text = |path: &PathBuf| String::from_utf8_lossy(&read(path)).into_owned();
        let mut texts: Vec<String> =
            files_below(&root.join("shaders"), &["lv"]).iter().map(text).collect();
        let compiled: Vec<String> = texts.clone();
        for path in files_below(&root.join("tests/language"), &["lv"]) {
            // Headers of programs are lines that begin with two semicolons.
            let mut program = String::new();
            for line in text(&path).lines() {
                if !line.starts_with(";;") {
                    program.extend([line, "\n"]);
                } else if !program.is_empty() {
                    texts.push(std::mem::take(&mut program));
                }
            }
            texts.push(program);
        }
        let (mut cores, mut modules) = (Vec::new(), Vec::new());
        let generated = programs.iter().take(COMPILED).map(ToString::to_string);
        for text in generated.chain(compiled) {
            let loaded = Loaded::from_text("seed.lv", &text);
            let Some(core) = loaded.core else {
                let all: Vec<_> = loaded.diagnostics.into_iter().collect();
                assert!(is_refused_for_rounds(&text, &all), "{all:?}\n{text}");
                continue;
            };
            cores.extend(core_text::print(&core, Some(&loaded.source)));
            let all: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
            let options = EmitOptions::default();
            let source = Some(&loaded.source);
            let emitted = match core.triangles.as_deref() {
                Some(triangles) => {
                    let stages = EntryPoints::new(&core, triangles, &all);
                    let programs = stages.schedule();
                    programs.map(|[vertex, fragment]| {
                        emit_stages([&vertex, &fragment], source, &options, &stages.interfaces)
                    })
                }
                None => schedule(&core, &all)
                    .map(|program| spirv_backend::emit(&program, source, &options)),
            };
            modules.extend(emitted.into_iter().flatten().map(|module| module.words));
        }
        let corpus = |target: &str| corpus(target).iter().map(|(_, bytes)| bytes.clone()).collect();
        let as_texts = |all: Vec<Vec<u8>>| {
            all.into_iter().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        };
        texts.extend(as_texts(corpus("parse")));
        texts.extend(as_texts(corpus("pipeline")));
        cores.extend(as_texts(corpus("core-text")));
        modules.extend(corpus("spirv").iter().map(|bytes| crate::words::from_bytes(bytes)));
        let (mut foreign_modules, mut wgsl, mut glsl) = (Vec::new(), Vec::new(), Vec::new());
        for path in files_below(&root.join("tests/foreign"), &[]) {
            let Some(language) = Language::of(&path) else { continue };
            let text = fs::read_to_string(&path).expect("it can be read");
            let source = SourceFile::new("seed", text.as_str());
            foreign_modules.push(to_spirv(language, &source).expect("it is right"));
            match language {
                Language::Wgsl => wgsl.push(text),
                Language::Glsl(_) => glsl.push(text),
            }
        }
        foreign_modules.extend(corpus("raise").iter().map(|bytes| crate::words::from_bytes(bytes)));
        glsl.extend(
            (0..GLSL).map(|number| generated_glsl(seed.wrapping_mul(GLSL).wrapping_add(number))),
        );
        // The pages of errors have a wrong text and a right one each.
        let pages = DiagnosticCode::ALL.iter().filter(|code| code.page().contains("GLSL"));
        glsl.extend(pages.flat_map(|code| {
            code.page().split("```").skip(1).step_by(2).map(|text| text.replacen("text\n", "", 1))
        }));
        glsl.extend(as_texts(corpus("glsl")));
        // Many rules in little text: those of the front end's tests, and of the field's cases.
        let pages = DiagnosticCode::ALL.iter().filter(|code| code.page().contains("WGSL"));
        wgsl.extend(pages.flat_map(|code| {
            code.page().split("```").skip(1).step_by(2).map(|text| text.replacen("text\n", "", 1))
        }));
        wgsl.extend(as_texts(corpus("wgsl")));
        Self { programs, texts, cores, modules, foreign_modules, wgsl, glsl }
    }
}

/// A generated program in GLSL.
fn generated_glsl(seed: u64) -> String {
    let dialect = Dialect::ALL[(seed % 4) as usize];
    let options = Options { statements: 8, ..Options::new(dialect) };
    let program = lambdav_glsl_tests::generate(seed, &options);
    lambdav_glsl_tests::print(&program, Style { dialect, is_opaque: false })
}

/// The checked-in inputs of a target, with their names.
///
/// # Panics
///
/// If a file cannot be read.
pub fn corpus(target: &str) -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(target);
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let read = |path: &PathBuf| (name(path), fs::read(path).expect("the corpus can be read"));
    // Most targets have no folder.
    let files = if folder.is_dir() { files_below(&folder, &[]) } else { Vec::new() };
    files.iter().map(read).collect()
}
