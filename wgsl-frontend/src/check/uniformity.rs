//! Uniformity: which values differ between the invocations of an entry point, and where control does.
//!
//! WGSL refuses derivatives and barriers that not all invocations reach. Here they have a meaning all the same, so
//! this is a warning. The analysis follows a function once, in the order of its text, with the set of causes of each
//! value (`causes`): the program itself, a parameter, or control at the call. A call puts the causes of its arguments
//! in the place of the parameters, so functions are followed only once.
//!
//! *What is warned of is refused by WebGPU, and not everything that WebGPU refuses is warned of*: a value that a loop
//! changes behind its use is taken for what it was at the use. A text that names `derivative_uniformity` in a
//! `diagnostic` is not warned of derivatives.

use super::causes::{Branch, Causes, Demand, Exits, Summary};
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
        let causes = values(op, operands)
            .iter()
            .fold(Causes::NONE, |all, &operand| all | self.varying.of(operand));
        self.varying.set(id, causes);
    }

    /// Notes a value that was read.
    pub(super) fn note_load(&mut self, place: &Place, id: u32) {
        let differs = match place.space {
            Space::Private | Space::Workgroup => true,
            Space::Storage => place.access != Access::Read,
            _ => false,
        };
        let mut causes = if differs { Causes::PROGRAM } else { self.varying.of(place.root) };
        for index in &place.chain {
            causes |= self.varying.of(index.id);
        }
        self.varying.set(id, causes);
    }

    /// Notes that all invocations have the same value.
    pub(super) fn note_equal(&mut self, value: &Value) {
        self.varying.set(value.id, Causes::NONE);
    }

    /// Notes a value that was written.
    pub(super) fn note_store(&mut self, place: &Place, value: u32) {
        let control = self.varying.here.inside();
        let mut causes = self.varying.of(value) | control;
        for index in &place.chain {
            causes |= self.varying.of(index.id);
        }
        if !place.chain.is_empty() || control != Causes::NONE {
            causes |= self.varying.of(place.root);
        }
        self.varying.set(place.root, causes);
    }

    /// Notes a parameter of an entry point.
    pub(super) fn note_input(&mut self, of: &Field, value: &Value) {
        let is_equal = self.attribute(&of.attributes, "builtin").is_some_and(|builtin| {
            let word = builtin.words.first().map(|&(word, _)| self.text(word));
            matches!(word, Some("workgroup_id" | "num_workgroups"))
        });
        if !is_equal {
            self.varying.set(value.id, Causes::PROGRAM);
        }
    }

    /// Notes a parameter of another function: its id, or that of the variable that it points to.
    pub(super) fn note_parameter(&mut self, number: usize, id: u32) {
        self.varying.set(id, Causes::parameter(number));
    }

    /// Enters a branch, `switch` or loop with this condition; 0 if there is none.
    pub(super) fn enter_branch(&mut self, condition: u32) -> Branch {
        let outside = self.varying.here;
        let before = std::mem::take(&mut self.varying.exits);
        let demands = self.varying.demands.len();
        let arms = Exits::default();
        let mut branch = Branch { outside, inside: outside, before, arms, demands };
        self.next_arm(&mut branch, condition);
        branch
    }

    /// Begins another arm of a branch, under this condition, too.
    pub(super) fn next_arm(&mut self, branch: &mut Branch, condition: u32) {
        branch.arms |= std::mem::take(&mut self.varying.exits);
        branch.inside |= self.varying.of(condition);
        self.varying.here = branch.inside;
    }

    /// Leaves a branch. Invocations that left the function or the loop do not come back.
    pub(super) fn leave_branch(&mut self, branch: Branch) {
        let mut arms = branch.arms;
        arms |= self.varying.exits;
        self.varying.here = branch.outside | arms.all();
        self.varying.exits = branch.before;
        self.varying.exits |= arms;
    }

    /// Leaves a `switch`, whose breaks end here.
    pub(super) fn leave_switch(&mut self, mut branch: Branch) {
        branch.arms.broken = Causes::NONE;
        self.varying.exits.broken = Causes::NONE;
        self.leave_branch(branch);
    }

    /// Begins `continuing`: all invocations that are still in the loop are here.
    pub(super) fn begin_continuing(&mut self, branch: &Branch) {
        let exits = &mut self.varying.exits;
        exits.continued = Causes::NONE;
        self.varying.here = branch.inside | exits.all();
    }

    /// Leaves a loop. Invocations that left it miss everything in it in the next iteration.
    pub(super) fn leave_loop(&mut self, branch: Branch) {
        let returned = self.varying.exits.returned;
        let missing = self.varying.exits.broken | returned;
        for demand in &mut self.varying.demands[branch.demands..] {
            demand.causes |= missing;
        }
        self.varying.exits = Exits { returned, ..Exits::default() };
        self.leave_branch(branch);
    }

    /// Notes that a loop is left by this condition.
    pub(super) fn note_exit(&mut self, condition: u32) {
        let causes = self.varying.here.inside() | self.varying.of(condition);
        self.varying.exits.broken |= causes;
    }

    /// Notes that invocations leave the function with this value, the loop or `switch`, or the iteration.
    pub(super) fn note_return(&mut self, value: u32) {
        let here = self.varying.here.inside();
        self.varying.exits.returned |= here;
        let causes = self.varying.of(value) | here;
        self.varying.result |= causes;
    }

    pub(super) fn note_break(&mut self) {
        self.varying.exits.broken |= self.varying.here.inside();
    }

    pub(super) fn note_continue(&mut self) {
        self.varying.exits.continued |= self.varying.here.inside();
    }

    /// Begins a function.
    pub(super) fn begin_control(&mut self, is_entry: bool) {
        self.varying.begin(is_entry);
    }

    /// Ends it: warns, and keeps for its callers what they must know. `pointers` are the parameters that are pointers,
    /// with the ids of what they point to.
    pub(super) fn end_control(&mut self, number: usize, pointers: &[(usize, u32)]) {
        if self.is_again {
            return;
        }
        let mut summary = Summary { result: self.varying.result, ..Summary::default() };
        summary.pointees.extend(pointers.iter().map(|&(k, id)| (k, self.varying.of(id))));
        for demand in std::mem::take(&mut self.varying.demands) {
            if demand.causes.has(Causes::PROGRAM) {
                self.warn(demand);
            } else {
                let all = &mut summary.demands[usize::from(demand.is_barrier)];
                *all = Some(all.unwrap_or_default() | demand.causes);
            }
        }
        self.functions[number].uniformity = summary;
    }

    /// Notes a call. `arguments` are the ids of the values, and of what pointers point to.
    pub(super) fn note_call(&mut self, number: usize, arguments: &[u32], value: &Value, at: Span) {
        let causes: Vec<Causes> = arguments.iter().map(|&id| self.varying.of(id)).collect();
        let control = self.varying.here;
        let here = self.functions[number].uniformity.in_caller(&causes, control);
        self.varying.set(value.id, here.result);
        for (k, causes) in here.pointees {
            self.varying.set(arguments[k], causes | control.inside());
        }
        let whats = ["a call that computes derivatives", "a call with a barrier"];
        for (k, causes) in here.demands.into_iter().enumerate() {
            if let Some(causes) = causes {
                let demand = Demand { what: whats[k], is_barrier: k == 1, at, causes };
                self.varying.demands.push(demand);
            }
        }
    }

    /// Notes something that all invocations must reach together.
    pub(super) fn need_uniform(&mut self, what: &'static str, is_barrier: bool, at: Span) {
        let causes = self.varying.here;
        self.varying.demands.push(Demand { what, is_barrier, at, causes });
    }

    fn warn(&mut self, of: Demand) {
        if !of.is_barrier && self.set.names.find("derivative_uniformity").is_some() {
            return;
        }
        let message = format!("{} is not in uniform control flow", of.what);
        let found = Diagnostic::new(DiagnosticCode::WgslUniformity, of.at, message);
        self.diagnostics.push(found.help(match of.is_barrier {
            true => "WebGPU refuses this: put the barrier where all invocations come",
            false => "WebGPU refuses this: compute it in front of the branch, or choose the level by yourself",
        }));
    }
}
