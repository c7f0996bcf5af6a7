//! `lambdav compile`: shows or writes a stage of the compilation.

use super::binds::Binds;
use super::engines::failed;
use super::failure::{Failure, Result, save_failure};
use super::files::{check_not_read, check_target, one_standard_input, read_bytes};
use super::messages::{
    MessageFormat, Messages, no_terminal, note, one_standard_output, print_exact, report, write_out,
};
use super::module::{ModuleArguments, ProgramKind};
use super::user_values::UserValues;
use super::values::{Outputs, lanes, location, locations, outputs, target};
use clap::{Args, ValueEnum};
use lambdav_core::graph::Uniform;
use lambdav_core::types::Types;
use lambdav_engine::program::Loaded;
use lambdav_engine::stages::{
    CodeStage, EmitOptions, Exact, FloatControls, Subnormals, Version, full_screen_vertex,
};
use lambdav_engine::{Options, Shader, Size};
use lambdav_image::file::write_atomically;
use lambdav_spirv as spirv;
use std::io;
use std::path::{Path, PathBuf};

/// Show or write a compiled form of a program
#[derive(Args)]
pub(super) struct CompileArguments {
    /// A shader in λV, GLSL or WGSL, core text or a SPIR-V module; `-` is standard input
    shader: PathBuf,
    /// The file to write; by default, and for `-`, standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Form to write; files that end in .spv are SPIR-V and need none
    #[arg(long, value_name = "STAGE", value_enum, required_unless_present = "out")]
    emit: Option<Stage>,
    /// Location of an output, or `all`; by default all for the core and SPIR-V. The other forms have
    /// one output, by default 0 or the lowest location
    #[arg(long, value_name = "LOC", value_parser = outputs_no_file, allow_hyphen_values = true)]
    output: Option<Outputs>,
    /// Pixels computed together: 1, 4, 8, 16, 32 or 64; by default chosen by cost
    #[arg(long, value_name = "N", value_parser = lanes, allow_hyphen_values = true)]
    lanes: Option<u32>,
    /// Instruction set of the machine code: baseline, avx2, avx512-256 or avx512; by default the widest
    /// registers of this machine
    #[arg(long, value_name = "TARGET", value_parser = target)]
    target: Option<&'static str>,
    /// Size of the image to compile for, from `registers` on, since register allocation depends on it;
    /// by default 512x512
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Size>,
    /// SPIR-V version: 1.0 to 1.6; by default 1.0
    #[arg(long, value_name = "VERSION")]
    spirv_version: Option<Version>,
    /// Require that the GPU keep signed zeros, infinities, NaNs and subnormals, and round to nearest
    /// even (SPV_KHR_float_controls)
    #[arg(long)]
    float_controls: bool,
    /// Write a module that computes exactly the bits of the language on every device. Without this,
    /// division, square roots, `fma` and elementary functions are the device's own
    #[arg(long)]
    exact: bool,
    /// With --exact: avoid 64-bit floats and integers, which some devices lack
    #[arg(long, requires = "exact")]
    no_float64: bool,
    /// With --exact: avoid the device's 32-bit `fma`; use it for devices whose `fma` rounds twice,
    /// where modules are slow otherwise
    #[arg(long, requires = "exact")]
    no_fma: bool,
    /// With --exact: flush subnormal numbers to zero
    #[arg(long, requires = "exact", conflicts_with = "preserve_subnormals")]
    flush_subnormals: bool,
    /// With --exact: require that the device keep subnormal numbers (DenormPreserve); `lambdav devices`
    /// shows support. Without this, subnormal numbers are computed with integers
    #[arg(long, requires = "exact")]
    preserve_subnormals: bool,
    /// Sample textures with the device's samplers; `inspect` shows their state. The picture is then the
    /// device's
    #[arg(long)]
    native_sampling: bool,
    /// Omit the source, lines and names from SPIR-V
    #[arg(long)]
    strip: bool,
    /// Write a SPIR-V module that reports undefined behaviour: a device writes the first pixel and the number of pixels of each
    /// site to a storage buffer; `inspect` lists the sites. For programs that cover the screen
    #[arg(long, conflicts_with_all = ["native_sampling", "keep_constants"])]
    instrument: bool,
    /// Set a constant of the program, as `render --set` does; may be given more than once
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Bind a file to a texture or buffer, as `render --bind` does. The forms after the core, except
    /// SPIR-V, are then compiled for the size of that data, as with `render --specialise`. May be given
    /// more than once
    #[arg(long, value_name = "NAME=FILE")]
    bind: Vec<String>,
    /// Turn scalar constants that no `@` and no default used into specialisation constants of SPIR-V,
    /// with their values as defaults
    #[arg(long)]
    keep_constants: bool,
    /// Also write a vertex shader module: a triangle that covers the picture, drawn with three vertices
    /// and no buffers
    #[arg(long, value_name = "FILE")]
    vertex: Option<PathBuf>,
    #[command(flatten)]
    module: ModuleArguments,
    #[command(flatten)]
    messages: Messages,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The typed core as text, which all commands accept as a program
    Core,
    /// The lane program: components, with masks in place of divergent control flow
    Lanes,
    /// The register program: lanes in registers and spill slots
    Registers,
    /// The code generator's intermediate representation
    Clif,
    /// Assembly of the target
    Asm,
    /// SPIR-V: a fragment shader for Vulkan
    Spirv,
    /// SPIR-V as text
    SpirvText,
}

/// Parses `--output`. The error mentions `-o`, since `--output` once named the file.
fn outputs_no_file(text: &str) -> std::result::Result<Outputs, String> {
    outputs(text).map_err(|wrong| format!("{wrong}; a file is named with -o or --out"))
}

pub(super) fn run(options: &CompileArguments) -> Result {
    let out = options.out.as_deref().filter(|path| *path != Path::new("-"));
    match out {
        None => one_standard_output(options.messages, "the result", "add -o FILE")?,
        Some(path) => check_target(path, &[&options.shader])?,
    }
    let stage = stage(options.emit, out)?;
    check_stage(stage, options)?;
    let is_spirv = matches!(stage, Stage::Spirv | Stage::SpirvText);
    if out.is_none() && stage == Stage::Spirv {
        no_terminal("a module", "add -o FILE")?;
    }
    let CompileArguments { float_controls, native_sampling, strip, keep_constants, .. } = *options;
    let asks = options.spirv_version.is_some() || options.vertex.is_some() || options.exact;
    let asks = asks || options.instrument;
    if !is_spirv && (asks || float_controls || native_sampling || strip || keep_constants) {
        return Err(Failure::usage(
            "--spirv-version, --float-controls, --exact, --native-sampling, --strip, --keep-constants, --instrument and --vertex are for --emit spirv and spirv-text",
        ));
    }
    if let Some(vertex) = &options.vertex {
        check_target(vertex, &[&options.shader])?;
        if out == Some(vertex) {
            return Err(Failure::usage("--vertex and --out name one file; name another"));
        }
    }
    if (is_spirv || stage == Stage::Core) && !options.bind.is_empty() {
        return Err(Failure::usage(
            "--bind is for --emit lanes, registers, clif and asm; the core and SPIR-V are for any images",
        ));
    }
    let given = UserValues::read(&options.set, None)?.with_module(&options.module)?;
    let binds = Binds::read(&options.bind)?;
    let read: Vec<&PathBuf> = [&options.shader].into_iter().chain(binds.paths()).collect();
    one_standard_input(read.iter().copied())?;
    for path in out.into_iter().chain(options.vertex.as_deref()) {
        check_not_read(path, &read)?;
    }
    let (_, bytes) = read_bytes(&options.shader)?;
    let most = options.messages.max_errors;
    let mut loaded = given.compile(&options.shader, bytes.clone(), most)?;
    // The module of a compute shader is the front end's, an exact one that of the core.
    let given = match is_spirv && options.exact && loaded.core.is_none() && loaded.is_run() {
        true => {
            let given = given.compute();
            loaded = given.compile(&options.shader, bytes, most)?;
            given
        }
        false => given,
    };
    loaded.diagnostics.drop_lints();
    if is_spirv && loaded.accept_undrawn() {
        report(&loaded.source, &loaded.diagnostics, options.messages)?;
        options.module.check(ProgramKind::of_loaded(&loaded), &options.shader.to_string_lossy())?;
        return write_result(out, stage, &undrawn(stage, options, &loaded)?);
    }
    report(&loaded.source, &loaded.diagnostics, options.messages)?;
    if let Some(core) = &loaded.core {
        given.are_constants(core.graph.types(), &core.uniforms, &core.constants)?;
    }
    let name = options.shader.display().to_string();
    options.module.check(ProgramKind::of_loaded(&loaded), &name)?;
    let kept = match loaded.core {
        Some(_) if keep_constants && !loaded.is_shader() => {
            return Err(Failure::usage(
                "--keep-constants is for shaders of λV; here constants have their values already",
            ));
        }
        Some(_) if native_sampling && !loaded.is_shader() => {
            return Err(Failure::usage(
                "--native-sampling is for shaders of λV; here samples are texel reads already",
            ));
        }
        Some(_) if (keep_constants || native_sampling) && loaded.is_shader() => {
            let mut fix =
                |types: &Types, constant: &Uniform| given.constant(types, constant).ok()?;
            let most = options.messages.max_errors;
            let kept = loaded.compile_for_device(most, &mut fix, native_sampling, keep_constants);
            if loaded.core.is_none() {
                report(&loaded.source, &loaded.diagnostics, options.messages)?;
            }
            kept
        }
        _ => 0,
    };
    for path in out.into_iter().chain(options.vertex.as_deref()) {
        check_not_read(path, &loaded.included)?;
    }
    let shader = Shader::of(loaded).map_err(|_| Failure::reported())?;
    if options.vertex.is_some() && shader.draws_triangles() {
        return Err(Failure::usage(
            "--vertex is for programs that draw the full screen; the module of this one has its own vertex stage, `vertex`: leave the option out",
        ));
    }
    let all = shader.outputs();
    let result = match stage {
        Stage::Core if matches!(options.output, Some(Outputs::At(_))) => {
            Err(Failure::usage("the core holds all outputs; --output is for the later stages"))
        }
        Stage::Core => {
            let text = shader.core_text().map(String::into_bytes);
            text.map_err(|error| failed(error, options.messages))
        }
        Stage::Spirv | Stage::SpirvText => {
            let locations = locations(all, options.output.or(Some(Outputs::All)))?;
            spirv_stage(stage, options, &shader, &locations, kept)
        }
        Stage::Lanes => code_stage(CodeStage::Lanes, options, &shader, &binds),
        Stage::Registers => code_stage(CodeStage::Registers, options, &shader, &binds),
        Stage::Clif => code_stage(CodeStage::Intermediate, options, &shader, &binds),
        Stage::Asm => code_stage(CodeStage::Assembly, options, &shader, &binds),
    }?;
    if let Some(path) = &options.vertex {
        let module = spirv::bytes(&full_screen_vertex());
        write_atomically::<io::Error>(path, |out| out.write_all(&module))
            .map_err(|error| save_failure(&error))?;
    }
    write_result(out, stage, &result)
}

/// Writes the result to a file or to standard output.
fn write_result(out: Option<&Path>, stage: Stage, result: &[u8]) -> Result {
    match out {
        None => match str::from_utf8(result) {
            Ok(text) if stage != Stage::Spirv => print_exact(text),
            _ => write_out(result).map(|_| ()),
        },
        Some(path) => write_atomically::<io::Error>(path, |out| out.write_all(result))
            .map_err(|error| save_failure(&error)),
    }
}

/// The module of a text that is not drawn, as a vertex or compute shader, as the front end makes it.
fn undrawn(stage: Stage, options: &CompileArguments, loaded: &Loaded) -> Result<Vec<u8>> {
    let is_override = |set: &String| {
        loaded.has_given_override(set.split_once('=').map_or(&**set, |(name, _)| name))
    };
    let given = [
        ("output", options.output.is_some()),
        ("spirv-version", options.spirv_version.is_some()),
        ("float-controls", options.float_controls),
        ("exact", options.exact),
        ("native-sampling", options.native_sampling),
        ("strip", options.strip),
        ("instrument", options.instrument),
        ("set", !options.set.iter().all(is_override)),
        ("keep-constants", options.keep_constants),
        ("vertex", options.vertex.is_some()),
        ("entry", options.module.entry.is_some()),
        ("input", !options.module.input.is_empty()),
        ("clear", options.module.clear.is_some()),
    ];
    if let Some((option, _)) = given.iter().find(|(_, is_given)| *is_given) {
        let name = options.shader.display();
        return Err(Failure::usage(format!(
            "--{option} is for programs that are drawn; the module of `{name}` is written as it is"
        )));
    }
    let words = loaded.module.as_ref().map_or(&[][..], |module| &module.words);
    match stage {
        Stage::Spirv => Ok(spirv::bytes(words)),
        _ => disassembled(words),
    }
}

/// Size of the image to compile for.
fn size_of(options: &CompileArguments) -> Size {
    options.size.unwrap_or_else(|| Size::new(512, 512).expect("within the limits"))
}

/// Rejects options that the stage does not have.
fn check_stage(stage: Stage, options: &CompileArguments) -> Result {
    let is_text_or_words = matches!(stage, Stage::Core | Stage::Spirv | Stage::SpirvText);
    let of_code = [("lanes", options.lanes.is_some()), ("target", options.target.is_some())];
    for (option, is_given) in of_code {
        if is_given && is_text_or_words {
            return Err(Failure::usage(format!(
                "--{option} is for --emit lanes, registers, clif and asm"
            )));
        }
    }
    match options.size {
        Some(_) if is_text_or_words || stage == Stage::Lanes => {
            Err(Failure::usage("--size is for --emit registers, clif and asm"))
        }
        _ => Ok(()),
    }
}

/// The requested stage, or the one that the file name implies.
fn stage(asked: Option<Stage>, out: Option<&Path>) -> Result<Stage> {
    let module = out.filter(|path| path.extension().is_some_and(|ending| ending == "spv"));
    match (asked, module) {
        (Some(stage), Some(out)) if stage != Stage::Spirv => Err(Failure::usage(format!(
            "`{}` ends in .spv, which is SPIR-V, and --emit names another stage; rename the file",
            out.display()
        ))),
        (Some(stage), _) => Ok(stage),
        (None, Some(_)) => Ok(Stage::Spirv),
        (None, None) => Err(Failure::usage("say with --emit what to write, such as --emit spirv")),
    }
}

/// Notes the members of blocks whose offsets differ from those of the input module.
fn note_moved(options: &CompileArguments, moved: &[String]) {
    if moved.is_empty() || options.messages.format() == MessageFormat::Json {
        return;
    }
    let names: Vec<String> = moved.iter().map(|name| format!("`{name}`")).collect();
    let (lie, are) = if moved.len() == 1 { ("lies", "is") } else { ("lie", "are") };
    let (names, shader) = (names.join(", "), options.shader.display());
    let what = format!(
        "{names} of `{shader}` {are} not laid out as std140 says, and {lie} behind the other members now; \
         `lambdav inspect` shows where"
    );
    note(&what, options.messages);
}

/// A SPIR-V module, or its disassembly.
fn spirv_stage(
    stage: Stage,
    options: &CompileArguments,
    shader: &Shader,
    locations: &[u32],
    constants: usize,
) -> Result<Vec<u8>> {
    let version = options.spirv_version.unwrap_or_default();
    let CompileArguments { float_controls, strip, .. } = *options;
    let subnormals = match options {
        CompileArguments { flush_subnormals: true, .. } => Subnormals::Flush,
        CompileArguments { preserve_subnormals: true, .. } => Subnormals::Preserve,
        _ => Subnormals::Integers,
    };
    let exact = Exact {
        float64: !options.no_float64,
        fused: !options.no_fma,
        subnormals,
        report: None,
        registers: false,
    };
    let exact = options.exact.then_some(exact);
    let float_controls = match exact {
        Some(Exact { subnormals, .. }) => FloatControls {
            signed_zeros: true,
            rounding: float_controls,
            subnormals: subnormals == Subnormals::Preserve,
        },
        None if float_controls => FloatControls::ALL,
        None => FloatControls::default(),
    };
    let instrument = None;
    let emit_options = EmitOptions { version, float_controls, strip, constants, exact, instrument };
    let module = match options.instrument {
        true => shader.instrumented_spirv(locations, &emit_options),
        false => shader.spirv(locations, &emit_options),
    };
    let module = module.map_err(|error| failed(error, options.messages))?;
    note_moved(options, &module.moved);
    if stage == Stage::Spirv {
        return Ok(spirv::bytes(&module.words));
    }
    disassembled(&module.words)
}

fn disassembled(words: &[u32]) -> Result<Vec<u8>> {
    let text = spirv::disassemble(words);
    text.map(String::into_bytes).map_err(|error| Failure::machine(error.to_string()))
}

/// Text of a code stage, compiled as `render` does for an image of that size; specialised for the sizes
/// of bound data.
fn code_stage(
    stage: CodeStage,
    options: &CompileArguments,
    shader: &Shader,
    binds: &Binds,
) -> Result<Vec<u8>> {
    let location = location(shader.outputs(), options.output, "this stage")?;
    let mut bindings = shader.bindings();
    binds.apply(&mut bindings)?;
    let mut pipeline_options = Options::default().for_size(size_of(options));
    if let Some(lanes) = options.lanes {
        pipeline_options = pipeline_options.lanes(lanes);
    }
    if let Some(target) = options.target {
        pipeline_options = pipeline_options.target(target);
    }
    let text = shader.code_text(stage, location, &bindings, &pipeline_options);
    text.map(String::into_bytes).map_err(|error| failed(error, options.messages))
}
