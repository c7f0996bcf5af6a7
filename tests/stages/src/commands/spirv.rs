//! `spirv [--version 1.N] [--float-controls] [--keep-constants] [--exact [--no-float64] [--no-fma]] [--all-outputs]`:
//! the module of output 0 in SPIR-V text, with names, without lines and source. The options are those of
//! `lambdav compile --emit spirv-text`.

use lambdav_core::source::SourceFile;
use lambdav_frontend::compile_keeping;
use lambdav_spirv::disassemble;
use lambdav_spirv_backend::emit::{EmitOptions, Exact, FloatControls, Subnormals, Version, emit};

use super::options::Options;
use super::{Output, core, outputs_of};
use crate::ids::Ids;

/// Results of instructions.
const IDS: Ids = &[&["%"]];

pub(super) fn spirv(options: &mut Options<'_>, program: &str) -> Result<Output, String> {
    let version: Version = options.value("--version")?.unwrap_or_default();
    let has_controls = options.flag("--float-controls");
    let float_controls = if has_controls { FloatControls::ALL } else { FloatControls::default() };
    let exact = options.flag("--exact").then(|| Exact {
        float64: !options.flag("--no-float64"),
        fused: !options.flag("--no-fma"),
        subnormals: Subnormals::Integers,
        report: None,
        registers: false,
    });
    let (core, constants) = match options.flag("--keep-constants") {
        true => {
            let source = SourceFile::new("program.lv", program);
            let kept = compile_keeping(&source, 20, &mut |_, _| None);
            (kept.core.ok_or("the program is refused")?, kept.constants)
        }
        false => (core(program)?, 0),
    };
    let program = outputs_of(options, &core)?;
    let (strip, instrument) = (false, None);
    let options = EmitOptions { version, float_controls, strip, constants, exact, instrument };
    let module = emit(&program, None, &options).map_err(|error| format!("{error:?}"))?;
    let text = disassemble(&module.words).map_err(|error| error.to_string())?;
    Ok(Output { text, ids: IDS })
}
