//! Dead-code elimination, and hoisting of code that is uniform over the frame or a primitive.

use std::ops::Range;

use super::{BlockId, LaneEnd, LaneExpr, LaneProgram, LaneStatement, Rate, ValueId};
use crate::lanes::walk::{Event, Walk, tail};

/// Removes computations, and values of `if`s and loops, that are not needed. Changes of memories stay. Loops stay, since they may not
/// terminate, and so do the `if`s around them.
pub(super) fn eliminate(program: &mut LaneProgram) {
    let needed = Needs::new(program).needed;
    let keep = |v: ValueId| needed[v.index()];
    for block in &mut program.blocks {
        block.statements.retain_mut(|statement| match statement {
            LaneStatement::Let { value, .. } => keep(*value),
            LaneStatement::Access { value, access } => {
                *value = value.filter(|&value| keep(value));
                value.is_some() || access.change.is_some()
            }
            LaneStatement::If { .. } | LaneStatement::Loop { .. } => true,
        });
    }
    // The yields and arguments that belong to removed values of an `if` or a loop.
    for id in 0..program.blocks.len() {
        let mut statements = std::mem::take(&mut program.blocks[id].statements);
        for statement in &mut statements {
            match statement {
                LaneStatement::Let { .. } | LaneStatement::Access { .. } => {}
                LaneStatement::If { values, then, otherwise, .. } => {
                    let kept: Vec<bool> = values.iter().map(|&v| keep(v)).collect();
                    retain(values, &kept);
                    for arm in [*then, *otherwise] {
                        ends(program, arm, &mut |end| {
                            if let LaneEnd::Yield(yields) = end {
                                retain(yields, &kept);
                            }
                        });
                    }
                }
                LaneStatement::Loop { values, params, inits, body, .. } => {
                    let results: Vec<bool> = values.iter().map(|&v| keep(v)).collect();
                    let carried: Vec<bool> = params.iter().map(|&v| keep(v)).collect();
                    retain(values, &results);
                    retain(params, &carried);
                    retain(inits, &carried);
                    ends(program, *body, &mut |end| match end {
                        LaneEnd::Yield(yields) => retain(yields, &results),
                        LaneEnd::Rec(arguments) => retain(arguments, &carried),
                        LaneEnd::If { .. } => {}
                    });
                }
            }
        }
        program.blocks[id].statements = statements;
    }
    // An `if` without values and with empty arms has no effect.
    for id in (0..program.blocks.len()).rev() {
        let mut statements = std::mem::take(&mut program.blocks[id].statements);
        statements.retain(|statement| match *statement {
            LaneStatement::If { ref values, then, otherwise, .. } => {
                let bare = |id: BlockId| program.block(id).statements.is_empty();
                !(values.is_empty() && bare(then) && bare(otherwise))
            }
            _ => true,
        });
        program.blocks[id].statements = statements;
    }
}

fn retain(values: &mut Box<[ValueId]>, kept: &[bool]) {
    if kept.iter().all(|&k| k) {
        return;
    }
    let of = values.iter().zip(kept);
    *values = of.filter(|&(_, &k)| k).map(|(&v, _)| v).collect();
}

/// Visits all ends of the tail that begins with a block.
fn ends(program: &mut LaneProgram, id: BlockId, visit: &mut impl FnMut(&mut LaneEnd)) {
    for id in tail(program, id) {
        visit(&mut program.blocks[id.index()].end);
    }
}

/// The values that outputs, conditions or changes of memories depend on. A loop parameter that only its own next value uses is
/// not needed.
struct Needs {
    needed: Vec<bool>,
    worklist: Vec<ValueId>,
}

impl Needs {
    fn new(program: &LaneProgram) -> Self {
        let mut needs = Self { needed: vec![false; program.values.len()], worklist: Vec::new() };
        let sources = sources(program);
        for &value in program.outputs() {
            needs.mark(value);
        }
        for block in &program.blocks {
            if let LaneEnd::If { condition, .. } = block.end {
                needs.mark(condition);
            }
            for statement in &block.statements {
                match statement {
                    LaneStatement::If { condition, .. } => needs.mark(*condition),
                    LaneStatement::Access { access, .. } if access.change.is_some() => {
                        access.operands().for_each(|operand| needs.mark(operand));
                    }
                    _ => {}
                }
            }
        }
        while let Some(value) = needs.worklist.pop() {
            for &used in &sources[value.index()] {
                needs.mark(used);
            }
        }
        needs
    }

    fn mark(&mut self, value: ValueId) {
        if !std::mem::replace(&mut self.needed[value.index()], true) {
            self.worklist.push(value);
        }
    }
}

/// The dependencies of each value, conditions excluded.
fn sources(program: &LaneProgram) -> Vec<Vec<ValueId>> {
    let mut sources = vec![Vec::new(); program.values.len()];
    // Receivers of the yields and of the `rec` arguments of each block.
    let mut targets: Vec<[&[ValueId]; 2]> = vec![[&[], &[]]; program.blocks.len()];
    for event in Walk::new().events(program) {
        match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                LaneStatement::Let { value, expr } => {
                    sources[value.index()].extend(expr.operands());
                }
                LaneStatement::Access { value, access } => {
                    if let Some(value) = value {
                        sources[value.index()].extend(access.operands());
                    }
                }
                LaneStatement::If { values, then, otherwise, .. } => {
                    for &arm in [then, otherwise] {
                        targets[arm.index()] = [values, &[]];
                    }
                }
                LaneStatement::Loop { values, params, inits, body, .. } => {
                    for (&param, &init) in params.iter().zip(inits) {
                        sources[param.index()].push(init);
                    }
                    targets[body.index()] = [values, params];
                }
            },
            Event::End(id) => {
                let [results, params] = targets[id.index()];
                let (to, from) = match &program.block(id).end {
                    LaneEnd::Yield(values) => (results, values),
                    LaneEnd::Rec(values) => (params, values),
                    &LaneEnd::If { then, otherwise, .. } => {
                        for arm in [then, otherwise] {
                            targets[arm.index()] = [results, params];
                        }
                        continue;
                    }
                };
                for (&to, &from) in to.iter().zip(from) {
                    sources[to.index()].push(from);
                }
            }
            Event::Enter(_) | Event::After(..) | Event::Leave(_) => {}
        }
    }
    sources
}

/// Moves the statements of the root that are uniform over the frame to the front, and after them those that
/// are uniform over a primitive.
pub(super) fn hoist(program: &mut LaneProgram) {
    program.frame_len = move_to(program, 0, Rate::FRAME);
    program.primitive_len = move_to(program, program.frame_len, Rate::PRIMITIVE);
}

/// Moves the statements of the root after `from` that have at most a rate before the others. Returns their
/// number.
fn move_to(program: &mut LaneProgram, from: usize, rate: Rate) -> usize {
    // A value can have the rate although a sibling value of its statement has not.
    let mut stays = vec![false; program.values.len()];
    let mut used = Vec::new();
    let count = program.block(LaneProgram::ROOT).statements.len();
    let mut is_first = Vec::with_capacity(count);
    for index in from..count {
        let moves = is_of_rate(program, index, rate) && {
            used.clear();
            match &program.block(LaneProgram::ROOT).statements[index] {
                LaneStatement::Let { expr, .. } => used.extend(expr.operands()),
                LaneStatement::Access { .. } => unreachable!("it is of no frame"),
                LaneStatement::If { .. } | LaneStatement::Loop { .. } => {
                    uses(program, index..index + 1, &mut used);
                }
            }
            !used.iter().any(|v| stays[v.index()])
        };
        if !moves {
            for value in program.block(LaneProgram::ROOT).statements[index].values() {
                stays[value.index()] = true;
            }
        }
        is_first.push(moves);
    }
    let root = &mut program.blocks[LaneProgram::ROOT.index()].statements;
    let mut rest = Vec::new();
    let mut moved = 0;
    for (statement, is_first) in root.split_off(from).into_iter().zip(is_first) {
        if is_first {
            root.push(statement);
            moved += 1;
        } else {
            rest.push(statement);
        }
    }
    root.extend(rest);
    moved
}

/// True if all values that a statement of the root computes, nested ones included, have at most a rate.
pub(super) fn is_of_rate(program: &LaneProgram, index: usize, rate: Rate) -> bool {
    let fits = |values: &[ValueId]| values.iter().all(|&v| rate.includes(program.rate(v)));
    let root = LaneProgram::ROOT;
    if let LaneStatement::Let { value, .. } = program.block(root).statements[index] {
        return fits(&[value]);
    }
    let mut events = Walk::of_statements(root, index..index + 1).events(program);
    events.all(|event| match event {
        Event::Statement(id, index) => match &program.block(id).statements[index] {
            LaneStatement::Let { value, .. } => fits(&[*value]),
            // Its place in the order of accesses is its own.
            LaneStatement::Access { .. } => false,
            LaneStatement::If { values, condition, .. } => fits(values) && fits(&[*condition]),
            LaneStatement::Loop { values, params, inits, .. } => {
                fits(values) && fits(params) && fits(inits)
            }
        },
        Event::End(id) => match program.block(id).end {
            LaneEnd::If { condition, .. } => fits(&[condition]),
            LaneEnd::Yield(_) | LaneEnd::Rec(_) => true,
        },
        Event::Enter(_) | Event::After(..) | Event::Leave(_) => true,
    })
}

/// Maximum nesting of loops.
pub(super) fn loop_nesting(program: &LaneProgram) -> usize {
    let (mut deepest, mut loops) = (0, 0);
    for event in Walk::new().events(program) {
        let (id, index) = match event {
            Event::Statement(id, index) | Event::After(id, index) => (id, index),
            Event::Enter(_) | Event::End(_) | Event::Leave(_) => continue,
        };
        if let LaneStatement::Loop { .. } = program.block(id).statements[index] {
            match event {
                Event::After(..) => loops -= 1,
                _ => loops += 1,
            }
            deepest = deepest.max(loops);
        }
    }
    deepest
}

/// All values that statements of the root use, nested uses included. The words of lookups are excluded:
/// [`lookups`] finds them.
pub(crate) fn uses(program: &LaneProgram, statements: Range<usize>, used: &mut Vec<ValueId>) {
    for event in Walk::of_statements(LaneProgram::ROOT, statements).events(program) {
        match event {
            Event::Statement(id, index) => match &program.block(id).statements[index] {
                LaneStatement::Let { expr: LaneExpr::Lookup { index, .. }, .. } => {
                    used.push(*index);
                }
                LaneStatement::Let { expr, .. } => used.extend(expr.operands()),
                LaneStatement::Access { access, .. } => used.extend(access.operands()),
                LaneStatement::If { condition, .. } => used.push(*condition),
                LaneStatement::Loop { inits, .. } => used.extend(inits),
            },
            Event::End(id) => match &program.block(id).end {
                LaneEnd::Yield(values) | LaneEnd::Rec(values) => used.extend(values),
                LaneEnd::If { condition, .. } => used.push(*condition),
            },
            Event::Enter(_) | Event::After(..) | Event::Leave(_) => {}
        }
    }
}

/// The words of each [`LaneExpr::Lookup`] of a program.
pub(crate) fn lookups(program: &LaneProgram) -> impl Iterator<Item = &[ValueId]> {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.filter_map(|statement| match statement {
        LaneStatement::Let { expr: LaneExpr::Lookup { words, .. }, .. } => Some(&**words),
        _ => None,
    })
}
