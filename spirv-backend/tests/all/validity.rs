//! Emitted modules pass the validators `spirv-val` and naga.
//!
//! `spirv-val` and `spirv-opt` are Debian's package spirv-tools, which `.ci/install-tools` installs.
//! Without them, the tests that need them are skipped and report that.

use crate::support::{Shader, by_core, by_words, conformance, gallery, generated, programs};
use lambdav_core::op::Op;
use lambdav_core::schedule::{Expr, Program, Statement, schedule};
use lambdav_core::source::SourceFile;
use lambdav_core::types::{Scalar, Type};
use lambdav_core::{core_text, limits};
use lambdav_frontend::compile_for_samplers;
use lambdav_spirv::bytes;
use lambdav_spirv::words;
use lambdav_spirv_backend::emit::{EmitOptions, EmittedModule, FloatControls, Version, emit};
use lambdav_spirv_eval::Module;
use lambdav_test_support::has_tool;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

pub(crate) fn environments(version: Version) -> &'static [&'static str] {
    match version.to_string().as_str() {
        "1.0" => &["spv1.0", "vulkan1.0"],
        "1.1" => &["spv1.1", "vulkan1.1"],
        "1.2" => &["spv1.2", "vulkan1.1"],
        "1.3" => &["spv1.3", "vulkan1.1"],
        "1.4" => &["spv1.4", "vulkan1.1spv1.4"],
        "1.5" => &["spv1.5", "vulkan1.2"],
        _ => &["spv1.6", "vulkan1.3"],
    }
}

pub(crate) fn write(folder: &Path, module: &EmittedModule) -> std::path::PathBuf {
    let path = folder.join("module.spv");
    std::fs::write(&path, bytes(&module.words)).expect("the file can be written");
    path
}

pub(crate) fn validate(path: &Path, environment: &str, name: &str) {
    let deep = ["--max-control-flow-nesting-depth", "30000"];
    let output = Command::new("spirv-val")
        .args(deep)
        .args(["--target-env", environment])
        .arg(path)
        .output()
        .expect("it is installed");
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{name}, {environment}: {said}");
}

/// Checks a module of version 1.0 with spirv-val, if installed.
pub(crate) fn accepted_by_spirv_val(module: &EmittedModule) {
    if has_tool("spirv-val") {
        let folder = TempDir::new().expect("a folder");
        validate(&write(folder.path(), module), "vulkan1.0", "a module");
    }
}

/// Checks the modules of all versions of a program with spirv-val, if installed.
pub(crate) fn accepted_in_all_versions(program: &Program, name: &str) {
    if !has_tool("spirv-val") {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    for version in Version::all() {
        let options = EmitOptions { version, ..EmitOptions::default() };
        let module = emit(program, None, &options).expect("it fits");
        let path = write(folder.path(), &module);
        for environment in environments(version) {
            validate(&path, environment, name);
        }
    }
}

/// naga's complaint about a module.
fn by_naga(words: &[u32]) -> Result<(), String> {
    let options = naga::front::spv::Options::default();
    let module = naga::front::spv::Frontend::new(words.iter().copied(), &options).parse();
    let module = module.map_err(|error| error.to_string())?;
    let mut validator = naga::valid::Validator::new(
        naga::valid::ValidationFlags::all(),
        naga::valid::Capabilities::all(),
    );
    validator.validate(&module).map(|_| ()).map_err(|error| format!("{error:?}"))
}

/// Checks a module of version 1.0 with both validators.
pub(crate) fn accepted(module: &EmittedModule) {
    accepted_by_spirv_val(module);
    by_naga(&module.words).expect("naga accepts it");
}

#[test]
fn spirv_val_accepts() {
    if !has_tool("spirv-val") {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let check = |shader: &Shader, options: &EmitOptions| {
        let path = write(folder.path(), &shader.emitted(options));
        for environment in environments(options.version) {
            validate(&path, environment, shader.source.name());
        }
    };
    for shader in gallery() {
        for version in Version::all() {
            for float_controls in [FloatControls::default(), FloatControls::ALL] {
                check(
                    &shader,
                    &EmitOptions {
                        version,
                        float_controls,
                        strip: float_controls == FloatControls::ALL,
                        constants: 0,
                        exact: None,
                        instrument: None,
                    },
                );
            }
        }
    }
    for (i, shader) in conformance().into_iter().chain(generated(0..programs())).enumerate() {
        let version = Version::all().nth(i % 7).expect("there are seven");
        check(
            &shader,
            &EmitOptions {
                version,
                float_controls: if i % 3 == 0 {
                    FloatControls::ALL
                } else {
                    FloatControls::default()
                },
                strip: i % 5 == 0,
                constants: 0,
                exact: None,
                instrument: None,
            },
        );
    }
}

/// Native samples with all options, next to fetches and in divergent code.
#[test]
fn native_sampling_is_accepted() {
    for options in ["", "(filter nearest)", "(wrap repeat) mipmaps", "srgb (wrap mirror) mipmaps"] {
        let text = format!(
            "(texture t {options}) (define uv (/ (.xy (frag-coord)) 32))
             (define a (+ (sample t uv) (sample-level t uv 1.5) (sample-grad t uv uv (* 2 uv))))
             (if (< (.x uv) (.y uv)) (+ a (sample t (* uv uv)))
                 (+ (dfdx a) (* (texel t (ivec2 1i)) (num (.x (texture-size t))))))"
        );
        let source = SourceFile::new("native.lv", &text);
        let kept = compile_for_samplers(&source, limits::ERRORS, &mut |_, _| None, false);
        let core = kept.core.unwrap_or_else(|| panic!("{:?}", kept.diagnostics));
        let program = schedule(&core, &[0]).expect("it nests little");
        accepted_in_all_versions(&program, options);
        let module = emit(&program, Some(&source), &EmitOptions::default()).expect("it fits");
        let error = Module::new(&module.words).expect_err("it is not evaluated").to_string();
        let expected = "an image sample, which depends on a sampler's state, cannot be evaluated";
        assert!(error.ends_with(expected), "{error}");
        // The core text states native sampling, too.
        let text = core_text::print(&core, None).expect("it is small");
        let (again, diagnostics) = core_text::read(&SourceFile::new("native.core", &text));
        let again = again.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
        assert_eq!(core_text::print(&again, None).expect("it is small"), text);
        assert!(again.unbound(&[]).is_some_and(|said| said.message.contains("are a device's")));
    }
}

/// spirv-opt's result computes the same bits if loops end, which spirv-opt assumes.
#[test]
fn spirv_opt_keeps_the_bits() {
    if !has_tool("spirv-opt") {
        return;
    }
    let folder = TempDir::new().expect("a folder");
    let mut compared = 0_u64;
    let given = gallery().into_iter().chain(conformance());
    for shader in given.chain(generated(0..programs())) {
        let program = shader.scheduled(&shader.locations());
        // spirv-opt folds elementary functions with its own implementations.
        if has_elementary(&program) {
            continue;
        }
        let module = shader.emitted(&EmitOptions::default());
        let path = write(folder.path(), &module);
        let optimised = folder.path().join("optimised.spv");
        let status = Command::new("spirv-opt")
            .args(["-O", "--target-env=vulkan1.0"])
            .arg(&path)
            .arg("-o")
            .arg(&optimised)
            .status();
        assert!(status.expect("it is installed").success(), "{}", shader.source.name());
        let optimised = std::fs::read(&optimised).expect("it was written");
        let optimised = EmittedModule { words: words(&optimised).expect("it is SPIR-V"), ..module };
        let pixels: Vec<_> = shader.pixels(12).collect();
        let wanted = by_core(&program, &pixels, 1 << 16);
        let found = by_words(&program, &optimised, &pixels, 1 << 16);
        for (wanted, found) in wanted.iter().zip(&found).filter(|(wanted, _)| wanted.is_ok()) {
            assert_eq!(wanted, found, "{}", shader.source.name());
        }
        compared += u64::from(wanted.iter().all(Result::is_ok));
    }
    println!("{compared} programs");
    assert!(compared >= 1000 + programs() / 5, "{compared}");
}

fn has_elementary(program: &Program) -> bool {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.into_iter().any(|statement| {
        matches!(statement, Statement::Let { expr: Expr::Op(Op::Elementary(_), _), .. })
    })
}

#[test]
fn naga_accepts() {
    let mut accepted = 0_u64;
    let given = gallery().into_iter().chain(conformance());
    for shader in given.chain(generated(0..programs())) {
        let name = shader.source.name();
        // naga rejects infinite literals, which WGSL lacks, the std140 layout of a mat2, and structures
        // without members.
        let types = shader.core.graph.types();
        let has_mat2 = types.all().any(|ty| types.parts(ty).any(|part| part == Type::mat(2)))
            || shader.core.uniforms.iter().any(|uniform| uniform.ty == Type::mat(2));
        let has_unit = types.all().any(|ty| types.components(ty) == 0);
        if has_mat2 || has_unit || has_special(&shader.scheduled(&shader.locations())) {
            continue;
        }
        accepted += 1;
        let words = shader.emitted(&EmitOptions::default()).words;
        if let Err(error) = by_naga(&words) {
            panic!("{name}: {error}\n{}", shader.source.text());
        }
    }
    println!("{accepted} programs");
    assert!(accepted >= 1000 + programs() / 2, "{accepted}");
}

/// True if a constant is infinite or NaN.
fn has_special(program: &Program) -> bool {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.into_iter().any(|statement| match statement {
        Statement::Let { expr: Expr::Constant(words), value } => {
            let mut scalars = program.types.scalars(program.ty(*value)).zip(words);
            scalars.any(|(of, &word)| of == Scalar::F32 && !f32::from_bits(word).is_finite())
        }
        _ => false,
    })
}
