//! Breaks each invariant of lane programs in a valid one: the verifier reports exactly that
//! violation.

use lambdav_core::graph::Side;
use lambdav_simd_backend::lanes::{
    Axis, BlockId, Kind, LaneEnd, LaneExpr, LaneOp, LaneProgram, LaneStatement, Options, Rate,
    ValueId, ValueInfo, Width, lower, verify,
};

use crate::scheduled;

/// A divergent arm with a loop that lanes leave in different rounds, and a sine.
const SHADER: &str = "(define x (.x (frag-coord)))
(define y (.y (frag-coord)))
(if (< x 2)
  ((rec-func (i b) (if (< i y) (rec (+ i 1) (not b)) (if b i (* i x)))) x (< x 1))
  (sin (* x y)))";

fn valid() -> LaneProgram {
    let program = lower(&scheduled(SHADER), &Options::new(Width::Any));
    assert_eq!(verify(&program), Ok(()));
    program
}

/// Breaks a valid program; the closure returns the block and the message of the expected error.
fn broken(change: impl FnOnce(&mut LaneProgram) -> (BlockId, String)) {
    let mut program = valid();
    let (block, message) = change(&mut program);
    let errors = verify(&program).expect_err("it is broken");
    let found: Vec<_> = errors.iter().map(|e| (e.block, e.message.as_str())).collect();
    assert_eq!(found, [(block, message.as_str())]);
}

type Place = (BlockId, usize);

/// The first statement for which `wanted` holds.
fn find(program: &LaneProgram, wanted: impl Fn(&LaneStatement) -> bool) -> Place {
    let blocks = program.blocks.iter().zip(0..);
    let mut found = blocks.filter_map(|(block, id)| {
        let at = block.statements.iter().position(&wanted)?;
        Some((BlockId(id), at))
    });
    found.next().expect("the program has such a statement")
}

fn find_expr(program: &LaneProgram, wanted: impl Fn(&LaneExpr) -> bool) -> Place {
    find(program, |s| matches!(s, LaneStatement::Let { expr, .. } if wanted(expr)))
}

fn the_loop(program: &LaneProgram) -> Place {
    find(program, |s| matches!(s, LaneStatement::Loop { .. }))
}

/// The `if` around the loop.
fn the_if(program: &LaneProgram) -> Place {
    find(program, |s| matches!(s, LaneStatement::If { .. }))
}

fn statement(program: &mut LaneProgram, (block, at): Place) -> &mut LaneStatement {
    &mut program.blocks[block.index()].statements[at]
}

fn value(program: &LaneProgram, (block, at): Place) -> ValueId {
    program.block(block).statements[at].values()[0]
}

/// A number that is uniform over the frame.
fn constant(program: &LaneProgram) -> ValueId {
    let is_one = |expr: &LaneExpr| *expr == LaneExpr::Constant(1f32.to_bits().into());
    value(program, find_expr(program, is_one))
}

fn arms(program: &LaneProgram, (block, at): Place) -> [BlockId; 2] {
    match program.block(block).statements[at] {
        LaneStatement::If { then, otherwise, .. } => [then, otherwise],
        _ => unreachable!("it is an if"),
    }
}

/// The blocks of the tail of the loop, its body first.
fn tail(program: &LaneProgram) -> Vec<BlockId> {
    let (block, at) = the_loop(program);
    let LaneStatement::Loop { body, .. } = program.block(block).statements[at] else {
        unreachable!("it is a loop")
    };
    let mut all = vec![body];
    let mut next = 0;
    while let Some(&id) = all.get(next) {
        if let LaneEnd::If { then, otherwise, .. } = program.block(id).end {
            all.extend([then, otherwise]);
        }
        next += 1;
    }
    all
}

/// The first block of the tail with such an end.
fn end(program: &LaneProgram, wanted: impl Fn(&LaneEnd) -> bool) -> BlockId {
    let mut tail = tail(program).into_iter();
    tail.find(|&id| wanted(&program.block(id).end)).expect("the tail has such an end")
}

fn set_end(program: &mut LaneProgram, block: BlockId, end: LaneEnd) {
    program.blocks[block.index()].end = end;
}

/// Makes both arms of an `if` yield only the same number of the frame.
fn empty_arms(program: &mut LaneProgram, at: Place) {
    let constant = constant(program);
    for arm in arms(program, at) {
        program.blocks[arm.index()].statements.clear();
        set_end(program, arm, LaneEnd::Yield([constant].into()));
    }
}

#[test]
fn a_value_is_defined_once() {
    broken(|program| {
        let (block, at) = find_expr(program, |e| *e == LaneExpr::Coordinate(Axis::X));
        let again = program.block(block).statements[at].clone();
        let value = again.values()[0];
        program.blocks[block.index()].statements.push(again);
        (block, format!("{value} is defined twice"))
    });
}

#[test]
fn a_value_is_defined_around_its_uses() {
    broken(|program| {
        let inside = value(program, the_loop(program));
        let rest = program.outputs()[1..].to_vec();
        set_end(program, LaneProgram::ROOT, LaneEnd::Yield([&[inside], &rest[..]].concat().into()));
        (LaneProgram::ROOT, format!("{inside} is not visible here"))
    });
    // A parameter has no value after its loop.
    broken(|program| {
        let at = the_loop(program);
        let LaneStatement::Loop { params, .. } = statement(program, at) else {
            unreachable!("it is a loop")
        };
        let varying: Vec<ValueId> = params.to_vec();
        let is_number = |&&v: &&ValueId| program.kind(v) == Kind::F32;
        let param = *varying.iter().find(is_number).expect("it counts");
        set_end(program, at.0, LaneEnd::Yield([param].into()));
        (at.0, format!("{param} is not visible here"))
    });
}

#[test]
fn operations_have_the_kinds_of_their_values() {
    broken(|program| {
        let (block, at) = find_expr(program, |e| matches!(e, LaneExpr::Op(LaneOp::Mul, _)));
        let LaneStatement::Let { value, expr: LaneExpr::Op(op, operands) } =
            &mut program.blocks[block.index()].statements[at]
        else {
            unreachable!("it multiplies")
        };
        *op = LaneOp::And;
        let expr = LaneExpr::Op(LaneOp::And, operands.clone());
        (block, format!("{value}: {expr:?} is not of kind {}", Kind::F32))
    });
    // A function must have a mask of the lanes that matter.
    broken(|program| {
        let (block, at) = find_expr(program, |e| matches!(e, LaneExpr::Elementary { .. }));
        let LaneStatement::Let { value, expr } = &mut program.blocks[block.index()].statements[at]
        else {
            unreachable!("it is a sine")
        };
        let LaneExpr::Elementary { mask, .. } = expr else { unreachable!("it is a sine") };
        *mask = None;
        (block, format!("{value}: {expr:?} is not of kind {}", Kind::F32))
    });
}

#[test]
fn arms_yield_the_values_of_their_if() {
    broken(|program| {
        let [then, _] = arms(program, the_if(program));
        set_end(program, then, LaneEnd::Yield(Box::default()));
        (then, "yield: 0 values where 1 are expected".into())
    });
    broken(|program| {
        let at = the_if(program);
        let LaneStatement::If { condition, values, .. } = statement(program, at).clone() else {
            unreachable!("it is an if")
        };
        let [then, _] = arms(program, at);
        set_end(program, then, LaneEnd::Yield([condition].into()));
        (then, format!("yield: {condition} and {} are of different kinds", values[0]))
    });
}

#[test]
fn initial_values_agree_with_parameters() {
    broken(|program| {
        let at = the_loop(program);
        let LaneStatement::Loop { inits, params, .. } = statement(program, at) else {
            unreachable!("it is a loop")
        };
        *inits = Box::default();
        (at.0, format!("initial values: 0 values where {} are expected", params.len()))
    });
}

#[test]
fn arguments_of_rec_agree_with_parameters() {
    broken(|program| {
        let block = end(program, |end| matches!(end, LaneEnd::Rec(_)));
        let LaneEnd::Rec(arguments) = program.block(block).end.clone() else {
            unreachable!("it goes on")
        };
        set_end(program, block, LaneEnd::Rec(Box::default()));
        (block, format!("rec: 0 values where {} are expected", arguments.len()))
    });
    broken(|program| {
        let block = end(program, |end| matches!(end, LaneEnd::Rec(_)));
        let number = constant(program);
        let (of, at) = the_loop(program);
        let LaneStatement::Loop { params, .. } = &program.block(of).statements[at] else {
            unreachable!("it is a loop")
        };
        let first = params[0];
        assert_eq!(program.kind(first), Kind::Mask);
        let LaneEnd::Rec(arguments) = &mut program.blocks[block.index()].end else {
            unreachable!("it goes on")
        };
        arguments[0] = number;
        (block, format!("rec: {number} and {first} are of different kinds"))
    });
}

#[test]
fn a_value_has_the_rates_of_its_operands() {
    broken(|program| {
        let at = find_expr(program, |e| *e == LaneExpr::Coordinate(Axis::X));
        let value = value(program, at);
        program.values[value.index()].rate = Rate::GROUP;
        (at.0, format!("{value} has a rate below its operands'"))
    });
    broken(|program| {
        let at = find_expr(program, |e| matches!(e, LaneExpr::Any(_)));
        let value = value(program, at);
        program.values[value.index()].rate = Rate::FRAME;
        (at.0, format!("{value} has a rate below its operands'"))
    });
}

#[test]
fn a_condition_is_one_mask_for_all_lanes() {
    broken(|program| {
        let at = the_if(program);
        let LaneStatement::If { condition, .. } = statement(program, at) else {
            unreachable!("it is an if")
        };
        let any = *condition;
        let asked = find(program, |s| s.values().contains(&any));
        let LaneStatement::Let { expr: LaneExpr::Any(mask), .. } = *statement(program, asked)
        else {
            unreachable!("it asks whether any lane")
        };
        let LaneStatement::If { condition, .. } = statement(program, at) else {
            unreachable!("it is an if")
        };
        *condition = mask;
        (at.0, format!("the condition {mask} is not one mask for all lanes"))
    });
    broken(|program| {
        let (at, number) = (the_if(program), constant(program));
        let LaneStatement::If { condition, .. } = statement(program, at) else {
            unreachable!("it is an if")
        };
        *condition = number;
        (at.0, format!("the condition {number} is not one mask for all lanes"))
    });
}

#[test]
fn values_have_the_rate_of_what_chooses_them() {
    broken(|program| {
        let at = the_if(program);
        empty_arms(program, at);
        let value = value(program, at);
        program.values[value.index()].rate = Rate::FRAME;
        (at.0, format!("{value} has a rate below its condition's"))
    });
    broken(|program| {
        let (at, constant) = (the_loop(program), constant(program));
        for block in tail(program) {
            if let LaneEnd::Yield(_) = program.block(block).end {
                set_end(program, block, LaneEnd::Yield([constant].into()));
            }
        }
        let value = value(program, at);
        program.values[value.index()].rate = Rate::FRAME;
        (at.0, format!("{value} has a rate below the loop's exits'"))
    });
}

#[test]
fn the_frame_has_no_lanes() {
    broken(|program| {
        let of_group = &program.block(LaneProgram::ROOT).statements[program.frame_len];
        let message = format!("{:?} is not of the frame", of_group.values());
        program.frame_len += 1;
        (LaneProgram::ROOT, message)
    });
}

#[test]
fn blocks_form_a_tree() {
    broken(|program| {
        let at = the_if(program);
        empty_arms(program, at);
        let [first, _] = arms(program, at);
        let LaneStatement::If { otherwise, .. } = statement(program, at) else {
            unreachable!("it is an if")
        };
        *otherwise = first;
        (first, "the block is referred to twice".into())
    });
}

#[test]
fn rec_stands_in_tails_of_loops_only() {
    broken(|program| {
        let [then, _] = arms(program, the_if(program));
        set_end(program, then, LaneEnd::Rec(Box::default()));
        (then, "only a loop's body may end so".into())
    });
    broken(|program| {
        set_end(program, LaneProgram::ROOT, LaneEnd::Rec(Box::default()));
        (LaneProgram::ROOT, "only a loop's body may end so".into())
    });
}

#[test]
fn a_loop_can_be_left() {
    broken(|program| {
        let at = the_loop(program);
        let LaneStatement::Loop { params, .. } = statement(program, at).clone() else {
            unreachable!("it is a loop")
        };
        for block in tail(program) {
            if let LaneEnd::Yield(_) = program.block(block).end {
                set_end(program, block, LaneEnd::Rec(params.clone()));
            }
        }
        (at.0, "the loop cannot be left".into())
    });
}

#[test]
fn a_loop_has_a_place_in_the_source() {
    broken(|program| {
        program.sites.clear();
        (the_loop(program).0, "there is no loop site 0".into())
    });
}

#[test]
fn a_pixel_has_four_numbers() {
    broken(|program| {
        let three = program.outputs()[..3].into();
        set_end(program, LaneProgram::ROOT, LaneEnd::Yield(three));
        (LaneProgram::ROOT, "no pixel is yielded".into())
    });
}

#[test]
fn what_is_read_in_other_lanes_is_right_there() {
    let reads =
        |of: fn(&LaneProgram) -> ValueId, width, message: fn(ValueId, ValueId) -> String| {
            broken(|program| {
                program.width = width;
                let (of, sum) = (of(program), ValueId(program.values.len() as u32));
                program.values.push(ValueInfo { kind: Kind::F32, rate: Rate::VARYING });
                let root = &mut program.blocks[LaneProgram::ROOT.index()].statements;
                let expr = LaneExpr::Neighbour { of, axis: Axis::Y, side: Side::Odd };
                root.push(LaneStatement::Let { value: sum, expr });
                (LaneProgram::ROOT, message(sum, of))
            });
        };
    let row = |program: &LaneProgram| {
        value(program, find_expr(program, |expr| *expr == LaneExpr::Coordinate(Axis::Y)))
    };
    let result = |program: &LaneProgram| program.outputs()[0];
    reads(row, Width::Pairs, |value, _| format!("{value} reads a lane that may not be there"));
    reads(result, Width::Quads, |value, of| format!("{value}: {of} is not right in every lane"));
}
