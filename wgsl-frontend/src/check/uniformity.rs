//! Uniformity: which values differ between the invocations of an entry point, and where control does.
//!
//! WGSL refuses derivatives and barriers that not all invocations reach. Here they have a meaning all the same, so
//! this is a warning. The analysis follows values through a function in the order of its text; it takes parameters of
//! functions that are no entry points for equal. So *what is warned of is refused by WebGPU, and not everything that
//! WebGPU refuses is warned of*. A text that names `derivative_uniformity` in a `diagnostic` is not warned.

use super::checker::Checker;
use super::values::{Place, Value};
use crate::syntax::tree::Field;
use crate::types::{Access, Space};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::Span;
use rspirv::spirv::Op;

/// The operands of an instruction that are values; others are numbers.
fn values(op: Op, operands: &[u32]) -> &[u32] {
    let range = match op {
        Op::CompositeExtract => 0..1,
        Op::VectorShuffle => 0..2,
        Op::ExtInst => 2..operands.len(),
        Op::ArrayLength => 0..0,
        _ if is_image(op) => 0..2,
        _ => 0..operands.len(),
    };
    operands.get(range).unwrap_or_default()
}

fn is_image(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageGather
            | Op::ImageDrefGather
            | Op::ImageFetch
            | Op::ImageRead
    )
}

impl Checker<'_> {
    /// Notes the result of an instruction.
    pub(super) fn note_result(&mut self, op: Op, operands: &[u32], id: u32) {
        if values(op, operands).iter().any(|operand| self.varying.ids.contains(operand)) {
            self.varying.ids.insert(id);
        }
    }

    /// Notes a value that was read.
    pub(super) fn note_load(&mut self, place: &Place, id: u32) {
        let differs = match place.space {
            Space::Private | Space::Workgroup => true,
            Space::Storage => place.access != Access::Read,
            _ => self.varying.ids.contains(&place.root),
        };
        if differs || place.chain.iter().any(|index| self.varying.ids.contains(&index.id)) {
            self.varying.ids.insert(id);
        }
    }

    /// Notes a value that was written.
    pub(super) fn note_store(&mut self, place: &Place, value: u32) {
        if self.varying.control > 0 || self.varying.ids.contains(&value) {
            self.varying.ids.insert(place.root);
        } else if place.chain.is_empty() {
            self.varying.ids.remove(&place.root);
        }
    }

    /// Notes a parameter of an entry point.
    pub(super) fn note_input(&mut self, of: &Field, value: &Value) {
        let is_equal = self.attribute(&of.attributes, "builtin").is_some_and(|builtin| {
            let word = builtin.words.first().map(|&(word, _)| self.text(word));
            matches!(word, Some("workgroup_id" | "num_workgroups"))
        });
        if !is_equal {
            self.varying.ids.insert(value.id);
        }
    }

    /// Enters a branch or loop with this condition; returns what [`Self::leave_control`] takes.
    pub(super) fn enter_control(&mut self, condition: u32) -> u32 {
        let before = self.varying.control;
        self.varying.control += u32::from(self.varying.ids.contains(&condition));
        before
    }

    /// Leaves it.
    pub(super) fn leave_control(&mut self, before: u32) {
        self.varying.control = before;
    }

    /// Begins a function.
    pub(super) fn begin_control(&mut self) {
        self.varying.control = 0;
    }

    /// Warns where control differs between invocations, and `what` needs all of them.
    pub(super) fn need_uniform(&mut self, what: &str, at: Span) {
        if self.varying.control == 0 || self.is_dry || self.is_again {
            return;
        }
        let filter = self.set.names.find("derivative_uniformity");
        if filter.is_some() && what != "a barrier" {
            return;
        }
        let message = format!("{what} is not in uniform control flow");
        let found = Diagnostic::new(DiagnosticCode::WgslUniformity, at, message);
        self.diagnostics.push(found.help(
            "WebGPU refuses this: compute it in front of the branch, or choose the level by yourself",
        ));
    }
}
