//! `--probe`: the messages of chosen units, by `probe` in λV and `debugPrintfEXT` in GLSL and SPIR-V.

use crate::failure::Result;
use crate::messages::{Messages, note, report_line};
use crate::unit::{Around, Unit, in_trace};
use lambdav_engine::{Bindings, Shader};

/// Prints the messages of units, one unit after another. An evaluator computes each of them once more.
pub(crate) fn tell(
    units: &[Unit],
    shader: &Shader,
    bindings: &Bindings,
    around: &Around,
    messages: Messages,
) -> Result {
    let mut tracer = None;
    for unit in units {
        let mut found = lambdav_trace::Messages::default();
        let traced = unit.observe(shader, bindings, around, &mut tracer, &mut found);
        let traced = in_trace(traced, around.deadline, messages)?;
        let name = traced.subject.unit.name();
        let (lines, dropped) = traced.messages(found);
        if lines.is_empty() {
            note(&format!("{name} reaches no `probe` and no `debugPrintfEXT`"), messages);
        }
        lines.iter().for_each(|line| report_line(line));
        if dropped > 0 {
            note(&format!("{dropped} more messages of {name} are left out"), messages);
        }
    }
    Ok(())
}
