//! What is not needed is taken out, and what is the same for the whole frame is moved to the front.

use super::{BlockId, End, LaneProgram, Rate, Statement, ValueId};

/// Removes computations, and values of `if`s and loops, that nothing depends on. Loops stay, since a
/// loop may not end; so do `if`s around them.
pub(super) fn eliminate(program: &mut LaneProgram) {
    let needed = Needs::new(program).needed;
    let keep = |v: ValueId| needed[v.index()];
    for block in &mut program.blocks {
        block.statements.retain(|statement| match statement {
            Statement::Let { value, .. } => keep(*value),
            Statement::If { .. } | Statement::Loop { .. } => true,
        });
    }
    // The values that go with each place of an `if` or a loop.
    for id in 0..program.blocks.len() {
        let mut statements = std::mem::take(&mut program.blocks[id].statements);
        for statement in &mut statements {
            match statement {
                Statement::Let { .. } => {}
                Statement::If { values, then, otherwise, .. } => {
                    let kept: Vec<bool> = values.iter().map(|&v| keep(v)).collect();
                    retain(values, &kept);
                    for arm in [*then, *otherwise] {
                        ends(program, arm, &mut |end| {
                            if let End::Yield(yields) = end {
                                retain(yields, &kept);
                            }
                        });
                    }
                }
                Statement::Loop { values, params, inits, body, .. } => {
                    let results: Vec<bool> = values.iter().map(|&v| keep(v)).collect();
                    let carried: Vec<bool> = params.iter().map(|&v| keep(v)).collect();
                    retain(values, &results);
                    retain(params, &carried);
                    retain(inits, &carried);
                    ends(program, *body, &mut |end| match end {
                        End::Yield(yields) => retain(yields, &results),
                        End::Rec(arguments) => retain(arguments, &carried),
                        End::If { .. } => {}
                    });
                }
            }
        }
        program.blocks[id].statements = statements;
    }
    // An `if` without values and without statements in its arms does nothing.
    for id in (0..program.blocks.len()).rev() {
        let mut statements = std::mem::take(&mut program.blocks[id].statements);
        statements.retain(|statement| match *statement {
            Statement::If { ref values, then, otherwise, .. } => {
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

/// All ends of the tail that begins with a block.
fn ends(program: &mut LaneProgram, id: BlockId, visit: &mut impl FnMut(&mut End)) {
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        let end = &mut program.blocks[id.index()].end;
        if let End::If { then, otherwise, .. } = *end {
            stack.extend([then, otherwise]);
        }
        visit(end);
    }
}

/// Which values something depends on. A parameter of a loop that only its own next value depends on is
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
            if let End::If { condition, .. } = block.end {
                needs.mark(condition);
            }
            for statement in &block.statements {
                if let Statement::If { condition, .. } = statement {
                    needs.mark(*condition);
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

/// What each value is made of, conditions apart.
fn sources(program: &LaneProgram) -> Vec<Vec<ValueId>> {
    let mut sources = vec![Vec::new(); program.values.len()];
    // What to do with the yields of each block, and with its `rec`s.
    let mut targets: Vec<[&[ValueId]; 2]> = vec![[&[], &[]]; program.blocks.len()];
    let mut stack = vec![LaneProgram::ROOT];
    while let Some(id) = stack.pop() {
        let block = program.block(id);
        for statement in &block.statements {
            match statement {
                Statement::Let { value, expr } => sources[value.index()].extend(expr.operands()),
                Statement::If { values, then, otherwise, .. } => {
                    for &arm in [then, otherwise] {
                        targets[arm.index()] = [values, &[]];
                        stack.push(arm);
                    }
                }
                Statement::Loop { values, params, inits, body, .. } => {
                    for (&param, &init) in params.iter().zip(inits) {
                        sources[param.index()].push(init);
                    }
                    targets[body.index()] = [values, params];
                    stack.push(*body);
                }
            }
        }
        let [results, params] = targets[id.index()];
        let (to, from) = match &block.end {
            End::Yield(values) => (results, values),
            End::Rec(values) => (params, values),
            End::If { then, otherwise, .. } => {
                for &arm in [then, otherwise] {
                    targets[arm.index()] = [results, params];
                    stack.push(arm);
                }
                continue;
            }
        };
        for (&to, &from) in to.iter().zip(from) {
            sources[to.index()].push(from);
        }
    }
    sources
}

/// Moves those statements of the root that are the same for the whole frame before all others.
pub(super) fn hoist(program: &mut LaneProgram) {
    let root = std::mem::take(&mut program.blocks[LaneProgram::ROOT.index()].statements);
    let (mut first, mut rest) = (Vec::new(), Vec::new());
    // A value may be the same for the frame and come from a statement with others that are not.
    let mut stays = vec![false; program.values.len()];
    let mut used = Vec::new();
    for statement in root {
        used.clear();
        uses(program, std::slice::from_ref(&statement), &mut used);
        if is_of_frame(program, &statement) && !used.iter().any(|v| stays[v.index()]) {
            first.push(statement);
        } else {
            for value in statement.values() {
                stays[value.index()] = true;
            }
            rest.push(statement);
        }
    }
    program.frame_len = first.len();
    first.extend(rest);
    program.blocks[LaneProgram::ROOT.index()].statements = first;
}

/// Whether all that a statement computes, inside it too, is the same for the whole frame.
pub(super) fn is_of_frame(program: &LaneProgram, statement: &Statement) -> bool {
    let of_frame = |values: &[ValueId]| values.iter().all(|&v| program.rate(v) == Rate::FRAME);
    let mut stack = vec![statement];
    while let Some(statement) = stack.pop() {
        if !of_frame(statement.values()) {
            return false;
        }
        let mut blocks = match *statement {
            Statement::Let { .. } => continue,
            Statement::If { condition, then, otherwise, .. } => {
                if !of_frame(&[condition]) {
                    return false;
                }
                vec![then, otherwise]
            }
            Statement::Loop { ref params, ref inits, body, .. } => {
                if !of_frame(params) || !of_frame(inits) {
                    return false;
                }
                vec![body]
            }
        };
        while let Some(id) = blocks.pop() {
            stack.extend(&program.block(id).statements);
            if let End::If { condition, then, otherwise } = program.block(id).end {
                if !of_frame(&[condition]) {
                    return false;
                }
                blocks.extend([then, otherwise]);
            }
        }
    }
    true
}

/// How many blocks, and how many loops, lie around the innermost one, itself included.
pub(super) fn nesting(program: &LaneProgram) -> (usize, usize) {
    let (mut deepest, mut stack) = ((0, 0), vec![(LaneProgram::ROOT, 1, 0)]);
    while let Some((id, depth, loops)) = stack.pop() {
        deepest = (deepest.0.max(depth), deepest.1.max(loops));
        for statement in &program.block(id).statements {
            match *statement {
                Statement::Let { .. } => {}
                Statement::If { then, otherwise, .. } => {
                    stack.extend([(then, depth + 1, loops), (otherwise, depth + 1, loops)]);
                }
                Statement::Loop { body, .. } => stack.push((body, depth + 1, loops + 1)),
            }
        }
        if let End::If { then, otherwise, .. } = program.block(id).end {
            stack.extend([(then, depth + 1, loops), (otherwise, depth + 1, loops)]);
        }
    }
    deepest
}

/// All values that statements use, inside them too.
pub(crate) fn uses(program: &LaneProgram, statements: &[Statement], used: &mut Vec<ValueId>) {
    for statement in statements {
        let mut blocks = match statement {
            Statement::Let { expr, .. } => {
                used.extend(expr.operands());
                continue;
            }
            Statement::If { condition, then, otherwise, .. } => {
                used.push(*condition);
                vec![*then, *otherwise]
            }
            Statement::Loop { inits, body, .. } => {
                used.extend(inits);
                vec![*body]
            }
        };
        while let Some(id) = blocks.pop() {
            let block = program.block(id);
            uses(program, &block.statements, used);
            match &block.end {
                End::Yield(values) | End::Rec(values) => used.extend(values),
                End::If { condition, then, otherwise } => {
                    used.push(*condition);
                    blocks.extend([*then, *otherwise]);
                }
            }
        }
    }
}
