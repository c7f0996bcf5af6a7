//! `debugPrintfEXT` (GL_EXT_debug_printf): an instruction of NonSemantic.DebugPrintf, which evaluators tell to their observers.

use super::checker::Checker;
use super::values::{Operand, Value};
use crate::types::{Kind, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;

/// The function's name.
pub(super) const NAME: &str = "debugPrintfEXT";

/// The number of the instruction in its set.
const DEBUG_PRINTF: u32 = 1;

impl Checker<'_> {
    /// Calls `debugPrintfEXT(format, arguments…)`.
    pub(super) fn call_printf(&mut self, arguments: Vec<(Operand, Span)>, at: Span) -> Operand {
        let Some((Operand::Text(_), _)) = arguments.first() else {
            let at = arguments.first().map_or(at, |&(_, span)| span);
            let message = format!("`{NAME}` takes its format first, a string");
            self.wrong(DiagnosticCode::GlslArguments, at, message)
                .help(format!("write `{NAME}(\"x = %f\", x)`"));
            return Operand::Error;
        };
        let mut ids = Vec::new();
        for (operand, span) in arguments {
            if let Operand::Text(text) = operand {
                let text = self.text(text).to_owned();
                ids.push(self.module.string(&text));
                continue;
            }
            let Some(value) = self.value_of(operand, span) else { return Operand::Error };
            if !matches!(self.types.kind(value.ty), Kind::Scalar(_) | Kind::Vector(..)) {
                let ty = self.types.name(value.ty);
                let message =
                    format!("`{NAME}` prints numbers, vectors and strings, and this is `{ty}`");
                self.wrong(DiagnosticCode::GlslArguments, span, message)
                    .help("print its parts one by one");
                return Operand::Error;
            }
            ids.push(self.id(&value));
        }
        let set = self.module.non_semantic("NonSemantic.DebugPrintf");
        let result = self.id_of(Types::VOID, None);
        let operands: Vec<u32> = [set, DEBUG_PRINTF].into_iter().chain(ids).collect();
        Operand::Value(Value::new(Types::VOID, self.emit(Op::ExtInst, result, &operands)))
    }
}
