//! Tells an observer what a pixel's execution does.

use super::super::code::{End, Position};
use super::super::debug::{BlockDebug, FunctionDebug, Named, NamedValue, PathPart, Shape};
use super::super::observer::{ModuleEvent, ModuleScalar, ModuleValue, Observer};
use super::ModuleEvaluator;
use std::fmt::Write as _;
use std::sync::Arc;

/// An open loop: the number of callers, its header and its merge block.
#[derive(Clone, Copy, Debug)]
struct OpenLoop {
    depth: usize,
    header: usize,
    merge: Option<usize>,
}

/// An observer at work.
pub(super) struct Watch<'o, O> {
    observer: Option<&'o mut O>,
    loops: Vec<OpenLoop>,
}

impl Watch<'_, ()> {
    /// Observes nothing.
    pub(super) fn nobody() -> Self {
        Self { observer: None, loops: Vec::new() }
    }
}

impl<'o, O: Observer> Watch<'o, O> {
    pub(super) fn new(observer: &'o mut O) -> Self {
        Self { observer: Some(observer), loops: Vec::new() }
    }

    fn event(&mut self, position: Option<Position>, event: ModuleEvent) {
        if let Some(observer) = &mut self.observer {
            observer.event(position, event);
        }
    }

    /// After a step.
    pub(super) fn step(
        &mut self,
        of: &ModuleEvaluator<'_>,
        function: usize,
        block: usize,
        step: usize,
    ) {
        let Some(block) = block_debug(of, function, block) else { return };
        for named in block.named(step) {
            match named {
                Named::Value(named) => {
                    if let Some(value) = value_of(of, named) {
                        let name = Arc::clone(&named.name);
                        self.event(block.position(step), ModuleEvent::Binding { name, value });
                    }
                }
                Named::Input(named) => {
                    if let Some(value) = value_of(of, named) {
                        let name = Arc::clone(&named.name);
                        self.event(block.position(step), ModuleEvent::Input { name, value });
                    }
                }
                Named::Stored { name, place, shape, path, is_parameter } => {
                    let Ok(first) = of.first(place) else { continue };
                    let Some(value) = of.variables.get(first..).and_then(|of| shape.value(of))
                    else {
                        continue;
                    };
                    let name = with_path(of, name, path);
                    let event = match is_parameter {
                        true => ModuleEvent::Argument { name, value },
                        false => ModuleEvent::Binding { name, value },
                    };
                    self.event(block.position(step), event);
                }
            }
        }
    }

    /// A call, after its arguments were passed.
    pub(super) fn call(&mut self, of: &ModuleEvaluator<'_>, at: [usize; 3], callee: usize) {
        let [function, block, step] = at;
        let position = block_debug(of, function, block).and_then(|block| block.position(step));
        let Some(debug) = of.module.debug.get(callee) else { return };
        // The call of an entry point is not the author's: it has the place of the function.
        let own = || debug.blocks.iter().find_map(|block| block.first);
        let position = position.or_else(own);
        self.event(position, ModuleEvent::Call { name: debug.name.clone() });
        for named in &debug.parameters {
            if let Some(value) = value_of(of, named) {
                let name = Arc::clone(&named.name);
                self.event(position, ModuleEvent::Argument { name, value });
            }
        }
    }

    /// A return.
    pub(super) fn leave(
        &mut self,
        of: &ModuleEvaluator<'_>,
        function: usize,
        block: usize,
        end: &End,
    ) {
        let depth = of.callers.len();
        while self.loops.last().is_some_and(|open| open.depth >= depth) {
            self.loops.pop();
            self.event(None, ModuleEvent::EndLoop);
        }
        let Some(FunctionDebug { result, blocks, .. }) = of.module.debug.get(function) else {
            return;
        };
        let position = blocks.get(block).and_then(|block| block.position(usize::MAX));
        let value = match (end, result) {
            (End::ReturnValue { a, .. }, Some(shape)) => {
                of.memory.get(*a..).and_then(|words| shape.value(words))
            }
            _ => None,
        };
        if depth > 0 {
            self.event(position, ModuleEvent::Return(value));
        }
    }

    /// A branch to a block, before it is entered.
    pub(super) fn decide(
        &mut self,
        of: &ModuleEvaluator<'_>,
        function: usize,
        block: usize,
        end: &End,
        target: usize,
    ) {
        let Some(from) = block_debug(of, function, block) else { return };
        let (at, scalar) = match *end {
            End::Conditional { condition, then, otherwise } if then != otherwise => {
                (condition, ModuleScalar::Bool)
            }
            End::Switch { selector, .. } => {
                (selector, if from.is_signed { ModuleScalar::Int } else { ModuleScalar::Uint })
            }
            _ => return,
        };
        let words = [of.memory[at]];
        let Some(value) = Shape::Components(scalar, 1, 1).value(&words) else { return };
        let arm = block_debug(of, function, target).and_then(|block| block.first);
        self.event(from.position(usize::MAX), ModuleEvent::Condition { value, arm });
    }

    /// A block was entered.
    pub(super) fn enter(
        &mut self,
        of: &ModuleEvaluator<'_>,
        function: usize,
        target: usize,
        previous: usize,
    ) {
        let depth = of.callers.len();
        let is_here = |open: &&OpenLoop| open.depth == depth;
        let Some(block) = block_debug(of, function, target) else { return };
        // A loop inside may be left by the same branch.
        let left = self.loops.iter().filter(is_here).position(|open| open.merge == Some(target));
        let below = self.loops.iter().filter(|open| open.depth < depth).count();
        if let Some(left) = left {
            while self.loops.len() > below + left {
                self.loops.pop();
                self.event(None, ModuleEvent::EndLoop);
            }
        }
        if let Some(header) = of.module.functions[function].blocks[target].header {
            let known = self.loops.iter().filter(is_here).position(|open| open.header == target);
            match known {
                Some(known) if previous >= target => {
                    while self.loops.len() > below + known + 1 {
                        self.loops.pop();
                        self.event(None, ModuleEvent::EndLoop);
                    }
                }
                _ => {
                    self.event(header.position.or(block.first), ModuleEvent::Loop);
                    self.loops.push(OpenLoop { depth, header: target, merge: block.merge });
                }
            }
            self.event(header.position.or(block.first), ModuleEvent::Round);
        }
        for named in &block.phis {
            if let Some(value) = value_of(of, named) {
                let name = Arc::clone(&named.name);
                self.event(block.first.or(block.before), ModuleEvent::Binding { name, value });
            }
        }
    }
}

fn block_debug<'m>(
    of: &ModuleEvaluator<'m>,
    function: usize,
    block: usize,
) -> Option<&'m BlockDebug> {
    of.module.debug.get(function)?.blocks.get(block)
}

/// The value of a named id.
fn value_of(of: &ModuleEvaluator<'_>, named: &NamedValue) -> Option<ModuleValue> {
    of.memory.get(named.at..).and_then(|words| named.shape.value(words))
}

/// The name of a part.
fn with_path(of: &ModuleEvaluator<'_>, name: &Arc<str>, path: &[PathPart]) -> Arc<str> {
    if path.is_empty() {
        return Arc::clone(name);
    }
    let mut text = String::from(&**name);
    for part in path {
        // Writing to a string does not fail.
        let _ = match part {
            PathPart::Member(name) => write!(text, ".{name}"),
            PathPart::Index(index) => write!(text, "[{index}]"),
            PathPart::Dynamic(at) => write!(text, "[{}]", of.memory[*at]),
        };
    }
    text.into()
}
