//! Tells an observer what a pixel's execution does.

use super::super::code::{Call, End, Place, Step};
use super::super::debug::{
    BlockDebug, FunctionDebug, Named, NamedValue, PathPart, PrintedPart, Shape,
};
use super::super::observer::{ModuleEvent, ModuleScalar, ModuleValue, Observer, Printed};
use super::super::values::{Index, Space};
use super::ModuleEvaluator;
use super::watch::{OpenLoop, Watch};
use crate::mutants::{Mutant, is_active};
use std::fmt::Write as _;
use std::sync::Arc;

impl<'m> ModuleEvaluator<'m> {
    /// After a step.
    pub(super) fn observe_step(
        &self,
        watch: &mut Watch<'_, impl Observer>,
        function: usize,
        block: usize,
        step: usize,
    ) {
        if let Some(collector) = &mut watch.collector {
            let of = &self.module.functions[function].blocks[block].steps[step];
            collector.step(of, step_place(of).and_then(|place| self.address(place)));
        }
        let Some(block) = self.block_debug(function, block) else { return };
        let position = match self.callers.last() {
            Some(frame) if is_active(Mutant::CallersLine) => {
                let caller = self.block_debug(frame.function, frame.block);
                caller.and_then(|caller| caller.position(frame.next - 1))
            }
            _ => block.position(step),
        };
        for named in block.named(step) {
            match named {
                Named::Value(named) => {
                    if let Some(value) = self.value_of(named) {
                        let name = Arc::clone(&named.name);
                        watch.event(position, ModuleEvent::Binding { name, value });
                    }
                }
                Named::Input(named) => {
                    if let Some(value) = self.value_of(named) {
                        let name = Arc::clone(&named.name);
                        watch.event(position, ModuleEvent::Input { name, value });
                    }
                }
                Named::Written { name, at, shape, path } => {
                    let words = self.memory.get(*at..);
                    if let Some(value) = words.and_then(|words| shape.value(words)) {
                        let name = self.with_path(name, path);
                        watch.event(position, ModuleEvent::Binding { name, value });
                    }
                }
                Named::Printed { format, arguments } => {
                    let argument = |part: &PrintedPart| match part {
                        PrintedPart::Text(text) => Some(Printed::Text(Arc::clone(text))),
                        PrintedPart::Value(at, shape) => self
                            .memory
                            .get(*at..)
                            .and_then(|words| shape.value(words))
                            .map(Printed::Value),
                    };
                    let (format, arguments) =
                        (Arc::clone(format), arguments.iter().filter_map(argument).collect());
                    watch.event(position, ModuleEvent::Printed { format, arguments });
                }
                Named::Stored { name, place, shape, path, is_parameter } => {
                    let Ok(first) = self.first(place) else { continue };
                    let Some(value) = self.variables.get(first..).and_then(|of| shape.value(of))
                    else {
                        continue;
                    };
                    let name = self.with_path(name, path);
                    let event = match is_parameter {
                        true => ModuleEvent::Argument { name, value },
                        false => ModuleEvent::Binding { name, value },
                    };
                    watch.event(position, event);
                }
            }
        }
    }

    /// A call, after its arguments were passed.
    pub(super) fn observe_call(
        &self,
        watch: &mut Watch<'_, impl Observer>,
        at: [usize; 3],
        call: &Call,
    ) {
        let [function, block, step] = at;
        if let Some(collector) = &mut watch.collector {
            collector.call(self.module, call);
        }
        watch.about_nothing();
        let callee = call.function;
        let position = self.block_debug(function, block).and_then(|block| block.position(step));
        let Some(debug) = self.module.debug.get(callee) else { return };
        // The call of an entry point is not the author's: it has the place of the function.
        let own = || debug.blocks.iter().find_map(|block| block.first);
        let position = position.or_else(own);
        watch.event(position, ModuleEvent::Call { name: debug.name.clone() });
        for named in &debug.parameters {
            if let Some(value) = self.value_of(named) {
                let name = Arc::clone(&named.name);
                watch.about(named.at);
                watch.event(position, ModuleEvent::Argument { name, value });
            }
        }
    }

    /// A return.
    pub(super) fn observe_leave(
        &self,
        watch: &mut Watch<'_, impl Observer>,
        function: usize,
        block: usize,
        end: &End,
    ) {
        let depth = self.callers.len();
        if let Some(collector) = &mut watch.collector {
            collector.leave(end, depth);
        }
        watch.about_nothing();
        while watch.loops.last().is_some_and(|open| open.depth >= depth) {
            watch.loops.pop();
            watch.event(None, ModuleEvent::EndLoop);
        }
        let Some(FunctionDebug { result, blocks, .. }) = self.module.debug.get(function) else {
            return;
        };
        let position = blocks.get(block).and_then(|block| block.position(usize::MAX));
        let value = match (end, result) {
            (End::ReturnValue { a, .. }, Some(shape)) => {
                self.memory.get(*a..).and_then(|words| shape.value(words))
            }
            _ => None,
        };
        if depth > 0 {
            watch.about_result();
            watch.event(position, ModuleEvent::Return(value));
        }
    }

    /// A branch to a block, before it is entered.
    pub(super) fn observe_decide(
        &self,
        watch: &mut Watch<'_, impl Observer>,
        function: usize,
        block: usize,
        end: &End,
        target: usize,
    ) {
        let is_signed = self.block_debug(function, block).is_some_and(|from| from.is_signed);
        let (at, scalar) = match *end {
            End::Conditional { condition, then, otherwise } if then != otherwise => {
                (condition, ModuleScalar::Bool)
            }
            End::Switch { selector, .. } => {
                (selector, if is_signed { ModuleScalar::Int } else { ModuleScalar::Uint })
            }
            _ => return,
        };
        if let Some(collector) = &mut watch.collector {
            collector.decide(self.module, [function, block], self.callers.len(), at);
        }
        let Some(from) = self.block_debug(function, block) else { return };
        let words = [self.memory[at]];
        let Some(value) = Shape::Components(scalar, 1, 1).value(&words) else { return };
        let arm = self.block_debug(function, target).and_then(|block| block.first);
        watch.event(from.position(usize::MAX), ModuleEvent::Condition { value, arm });
    }

    /// A block was entered.
    pub(super) fn observe_enter(
        &self,
        watch: &mut Watch<'_, impl Observer>,
        function: usize,
        target: usize,
        previous: usize,
    ) {
        let depth = self.callers.len();
        if let Some(collector) = &mut watch.collector {
            let block = &self.module.functions[function].blocks[target];
            collector.enter(self.module, block, [target, previous], depth);
        }
        watch.about_nothing();
        let is_here = |open: &&OpenLoop| open.depth == depth;
        let Some(block) = self.block_debug(function, target) else { return };
        // A loop inside may be left by the same branch.
        let left = watch.loops.iter().filter(is_here).position(|open| open.merge == Some(target));
        let below = watch.loops.iter().filter(|open| open.depth < depth).count();
        if let Some(left) = left {
            while watch.loops.len() > below + left {
                watch.loops.pop();
                watch.event(None, ModuleEvent::EndLoop);
            }
        }
        if let Some(header) = self.module.functions[function].blocks[target].header {
            let position = header.position.or(block.first).or(block.before);
            let known = watch.loops.iter().filter(is_here).position(|open| open.header == target);
            match known {
                Some(known) if previous >= target => {
                    while watch.loops.len() > below + known + 1 {
                        watch.loops.pop();
                        watch.event(None, ModuleEvent::EndLoop);
                    }
                }
                _ => {
                    watch.event(position, ModuleEvent::Loop);
                    watch.loops.push(OpenLoop { depth, header: target, merge: block.merge });
                }
            }
            let times = if is_active(Mutant::DoubledRound) { 2 } else { 1 };
            for _ in 0..times {
                watch.event(position, ModuleEvent::Round);
            }
        }
        for (named, position) in &block.phis {
            if let Some(value) = self.value_of(named) {
                let name = Arc::clone(&named.name);
                watch.about(named.at);
                watch.event(*position, ModuleEvent::Binding { name, value });
            }
        }
    }

    /// The first word of a place.
    fn address(&self, place: &Place) -> Option<usize> {
        match place.space {
            Space::Own(_) | Space::Pointed => self.first(place).ok(),
            Space::Memory(_) | Space::Shared(_) => {
                let offset = |of: &Index| self.memory[of.value].wrapping_mul(of.stride as u32);
                let offsets = place.indices.iter().map(offset);
                Some(offsets.fold(place.at as u32, u32::wrapping_add) as usize)
            }
            Space::Block(_) | Space::Buffer(_) => None,
        }
    }

    fn block_debug(&self, function: usize, block: usize) -> Option<&'m BlockDebug> {
        self.module.debug.get(function)?.blocks.get(block)
    }

    /// The value of a named id.
    fn value_of(&self, named: &NamedValue) -> Option<ModuleValue> {
        self.memory.get(named.at..).and_then(|words| named.shape.value(words))
    }

    /// The name of a part.
    fn with_path(&self, name: &Arc<str>, path: &[PathPart]) -> Arc<str> {
        if path.is_empty() {
            return Arc::clone(name);
        }
        let mut text = String::from(&**name);
        for part in path {
            // Writing to a string does not fail.
            let _ = match part {
                PathPart::Member(name) => write!(text, ".{name}"),
                PathPart::Index(index) => write!(text, "[{index}]"),
                PathPart::Dynamic(at) => write!(text, "[{}]", self.memory[*at]),
            };
        }
        text.into()
    }
}

/// The place of a step that reads or writes one.
fn step_place(step: &Step) -> Option<&Place> {
    match step {
        Step::Load { place, .. }
        | Step::Store { place, .. }
        | Step::Write { place, .. }
        | Step::Atomic { place, .. } => Some(place),
        _ => None,
    }
}
