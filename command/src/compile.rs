//! `lambdav compile`: shows or writes a stage of the compilation.

use super::binds::Binds;
use super::engines::failed;
use super::failure::{Failure, Result, save_failure};
use super::files::{check_not_read, check_target, one_standard_input, read_bytes};
use super::messages::{
    MessageFormat, Messages, no_terminal, note, one_standard_output, print_exact, report, write_out,
};
use super::module::ModuleArguments;
use super::user_values::UserValues;
use super::values::{Outputs, lanes, location, locations, outputs, target};
use clap::{Args, ValueEnum};
use lambdav_core::graph::Uniform;
use lambdav_core::types::Types;
use lambdav_engine::stages::{
    CodeStage, EmitOptions, Exact, FloatControls, Subnormals, Version, full_screen_vertex,
};
use lambdav_engine::{Options, Shader, Size};
use lambdav_image::file::write_atomically;
use lambdav_spirv as spirv;
use std::io;
use std::path::{Path, PathBuf};

/// Show or write what a program is compiled to
#[derive(Args)]
pub(super) struct CompileArguments {
    /// A shader, core text or a SPIR-V module; `-` is standard input
    shader: PathBuf,
    /// The file to write; by default, and for `-`, standard output
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// What to write; not needed for a file that ends in .spv, which is SPIR-V
    #[arg(long, value_name = "STAGE", value_enum, required_unless_present = "out")]
    emit: Option<Stage>,
    /// Which output of the program, or `all`; by default all in the core and in SPIR-V, and in the other
    /// stages, which are of one, 0 or the lowest that there is
    #[arg(long, value_name = "LOC", value_parser = outputs_no_file, allow_hyphen_values = true)]
    output: Option<Outputs>,
    /// How many pixels are computed together: 1, 4, 8, 16, 32 or 64; by default as many as seem best
    #[arg(long, value_name = "N", value_parser = lanes, allow_hyphen_values = true)]
    lanes: Option<u32>,
    /// What machine code is made for: baseline, avx2, avx512-256 or avx512; by default the widest
    /// registers that this machine has
    #[arg(long, value_name = "TARGET", value_parser = target)]
    target: Option<&'static str>,
    /// For an image of which size, from `registers` on: how registers are allocated depends on it; by default
    /// 512x512
    #[arg(long, value_name = "WxH", allow_hyphen_values = true)]
    size: Option<Size>,
    /// The version of SPIR-V: 1.0 to 1.6; by default 1.0
    #[arg(long, value_name = "VERSION")]
    spirv_version: Option<Version>,
    /// Demand of the GPU that it keep signed zeros, infinities, NaNs and subnormals, and round to
    /// nearest even (SPV_KHR_float_controls)
    #[arg(long)]
    float_controls: bool,
    /// Make a module that computes the bits that the language says on every device, where without this
    /// division, square roots, `fma` and elementary functions are the device's own
    #[arg(long)]
    exact: bool,
    /// With --exact: do without floats and integers of 64 bits, which not all devices have
    #[arg(long, requires = "exact")]
    no_float64: bool,
    /// With --exact: do without the device's `fma` of 32 bits; without this, modules are slow on
    /// devices whose `fma` rounds twice
    #[arg(long, requires = "exact")]
    no_fma: bool,
    /// With --exact: let subnormal numbers become zero
    #[arg(long, requires = "exact", conflicts_with = "preserve_subnormals")]
    flush_subnormals: bool,
    /// With --exact: demand of the device that it keep subnormal numbers (DenormPreserve), as
    /// `lambdav devices` tells of one; without this they are computed by integers
    #[arg(long, requires = "exact")]
    preserve_subnormals: bool,
    /// Leave samples of textures to the device's samplers, whose state `inspect` tells; the picture is
    /// then the device's
    #[arg(long)]
    native_sampling: bool,
    /// Leave the source, lines and names out of SPIR-V
    #[arg(long)]
    strip: bool,
    /// Gives a constant of the program a value, as `render --set` does. Can be given several times
    #[arg(long, value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Binds a file to a texture or buffer, as `render --bind` does: what comes after the core, SPIR-V
    /// apart, is then for data of that size, as with `render --specialise`. Can be given several times
    #[arg(long, value_name = "NAME=FILE")]
    bind: Vec<String>,
    /// Make scalar constants that no `@` and no default consulted into specialisation constants of
    /// SPIR-V, with these values as defaults
    #[arg(long)]
    keep_constants: bool,
    /// Write a vertex stage, too, a module of its own: a triangle that covers the picture, drawn by three
    /// vertices without buffers
    #[arg(long, value_name = "FILE")]
    vertex: Option<PathBuf>,
    #[command(flatten)]
    module: ModuleArguments,
    #[command(flatten)]
    messages: Messages,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// The typed core as text, which every command takes in place of a shader
    Core,
    /// The lane program: components, with masks in place of divergent control flow
    Lanes,
    /// The register program: lanes in registers, and what lies in memory
    Registers,
    /// The code generator's own form
    Clif,
    /// The assembly of this machine
    Asm,
    /// SPIR-V: a fragment shader for Vulkan
    Spirv,
    /// The same as text
    SpirvText,
}

/// Which outputs. A file was once named so.
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
    if !is_spirv && (asks || float_controls || native_sampling || strip || keep_constants) {
        return Err(Failure::usage(
            "--spirv-version, --float-controls, --exact, --native-sampling, --strip, --keep-constants and --vertex are for --emit spirv and spirv-text",
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
    let mut loaded = given.compile(&options.shader, bytes, options.messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    report(&loaded.source, &loaded.diagnostics, options.messages)?;
    if let Some(core) = &loaded.core {
        given.are_constants(core.graph.types(), &core.uniforms, &core.constants)?;
    }
    let name = options.shader.display().to_string();
    options.module.check(loaded.module.is_some(), &name)?;
    let kept = match loaded.core {
        Some(_) if keep_constants && !loaded.is_shader() => {
            return Err(Failure::usage(
                "--keep-constants is for shaders of λV; here constants have their values already",
            ));
        }
        Some(_) if native_sampling && !loaded.is_shader() => {
            return Err(Failure::usage(
                "--native-sampling is for shaders of λV; here samples are made of texels already",
            ));
        }
        Some(_) if (keep_constants || native_sampling) && loaded.is_shader() => {
            let mut fix =
                |types: &Types, constant: &Uniform| given.constant(types, constant).ok()?;
            let most = options.messages.max_errors;
            loaded.compile_for_device(most, &mut fix, native_sampling, keep_constants)
        }
        _ => 0,
    };
    for path in out.into_iter().chain(options.vertex.as_deref()) {
        check_not_read(path, &loaded.included)?;
    }
    let shader = Shader::of(loaded).map_err(|_| Failure::reported())?;
    let all = shader.outputs();
    let result = match stage {
        Stage::Core if matches!(options.output, Some(Outputs::At(_))) => {
            Err(Failure::usage("the core holds all outputs; --output is for what comes after it"))
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
    match out {
        None => match str::from_utf8(&result) {
            Ok(text) if stage != Stage::Spirv => print_exact(text),
            _ => write_out(&result).map(|_| ()),
        },
        Some(path) => write_atomically::<io::Error>(path, |out| out.write_all(&result))
            .map_err(|error| save_failure(&error)),
    }
}

/// The size of the image that code is made for.
fn size_of(options: &CompileArguments) -> Size {
    options.size.unwrap_or_else(|| Size::new(512, 512).expect("within the limits"))
}

/// Checks that options are for the stage.
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

/// The stage that was asked for, or that the ending of the file says.
fn stage(asked: Option<Stage>, out: Option<&Path>) -> Result<Stage> {
    let module = out.filter(|path| path.extension().is_some_and(|ending| ending == "spv"));
    match (asked, module) {
        (Some(stage), Some(out)) if stage != Stage::Spirv => Err(Failure::usage(format!(
            "`{}` ends in .spv, which is SPIR-V, and --emit says another stage; name the file otherwise",
            out.display()
        ))),
        (Some(stage), _) => Ok(stage),
        (None, Some(_)) => Ok(Stage::Spirv),
        (None, None) => Err(Failure::usage("say with --emit what to write, such as --emit spirv")),
    }
}

/// Says which members of blocks lie elsewhere in a module that is written again.
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

/// A SPIR-V module, or its text.
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
    let how = EmitOptions { version, float_controls, strip, constants, exact };
    let module = shader.spirv(locations, &how);
    let module = module.map_err(|error| failed(error, options.messages))?;
    note_moved(options, &module.moved);
    if stage == Stage::Spirv {
        return Ok(spirv::bytes(&module.words));
    }
    let text = spirv::disassemble(&module.words);
    text.map(String::into_bytes).map_err(|error| Failure::machine(error.to_string()))
}

/// The text of a stage of machine code, as `render` takes it for an image of that size; where data is bound, specialised
/// for its sizes.
fn code_stage(
    stage: CodeStage,
    options: &CompileArguments,
    shader: &Shader,
    binds: &Binds,
) -> Result<Vec<u8>> {
    let location = location(shader.outputs(), options.output, "this stage")?;
    let mut bindings = shader.bindings();
    binds.apply(&mut bindings)?;
    let mut how = Options::default().for_size(size_of(options));
    if let Some(lanes) = options.lanes {
        how = how.lanes(lanes);
    }
    if let Some(target) = options.target {
        how = how.target(target);
    }
    let text = shader.code_text(stage, location, &bindings, &how);
    text.map(String::into_bytes).map_err(|error| failed(error, options.messages))
}
