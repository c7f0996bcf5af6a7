//! Breaks each invariant of a valid schedule; the verifier must report exactly that one.

use lambdav_core::inputs::Input;
use lambdav_core::op::Op;
use lambdav_core::schedule::{
    BlockId, End, Expr, Program, Statement, ValueId, VerifyError, schedule, verify,
};
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;

/// A shader whose schedule has a uniform and an `if`; an arm of the `if` has a loop with a decision in its
/// tail and an `if` in its body.
const SHADER: &str = "(uniform gain num 0.5)
(define x (.x (frag-coord)))
(if (< x 2)
  ((rec-func (i b) (if (< i gain) (rec (+ i 1) (not b)) (if b i (* i x)))) x (< x 1))
  (time))";

fn valid() -> Program {
    let (core, diagnostics) = compile(&SourceFile::new("valid.lv", SHADER));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let program = schedule(&core.expect("no errors"), &[0]).expect("it nests little");
    assert_eq!(verify(&program), Ok(()));
    program
}

/// The errors of a valid program after a change, and the change's result.
fn broken<R>(change: impl FnOnce(&mut Program) -> R) -> (Vec<VerifyError>, R) {
    let mut program = valid();
    let what = change(&mut program);
    (verify(&program).expect_err("it is broken"), what)
}

/// The block and index of the first statement that satisfies `wanted`.
fn find(program: &Program, wanted: impl Fn(&Statement) -> bool) -> (BlockId, usize) {
    let blocks = program.blocks.iter().zip(0..);
    let mut found = blocks.filter_map(|(block, id)| {
        let at = block.statements.iter().position(&wanted)?;
        Some((BlockId(id), at))
    });
    found.next().expect("the program has such a statement")
}

fn operation(program: &Program, wanted: Op) -> (BlockId, usize) {
    find(program, |s| matches!(s, Statement::Let { expr: Expr::Op(op, _), .. } if *op == wanted))
}

fn the_loop(program: &Program) -> (BlockId, usize) {
    find(program, |s| matches!(s, Statement::Loop { .. }))
}

fn the_if(program: &Program) -> (BlockId, usize) {
    find(program, |s| matches!(s, Statement::If { .. }))
}

fn statement(program: &mut Program, (block, at): (BlockId, usize)) -> &mut Statement {
    &mut program.blocks[block.index()].statements[at]
}

/// The body of the loop, and the two blocks of its tail, the one with the `rec` first.
fn tail(program: &Program) -> [BlockId; 3] {
    let (block, at) = the_loop(program);
    let Statement::Loop { body, .. } = program.block(block).statements[at] else {
        unreachable!("it is a loop")
    };
    match program.block(body).end {
        End::If { then, otherwise, .. } => [body, then, otherwise],
        _ => unreachable!("the loop ends in a decision"),
    }
}

#[test]
fn a_value_is_defined_once() {
    let (errors, (block, value)) = broken(|program| {
        let (block, at) = operation(program, Op::Add);
        let again = program.block(block).statements[at].clone();
        let value = again.value();
        program.blocks[block.index()].statements.push(again);
        (block, value)
    });
    assert_eq!(errors, [VerifyError::Redefined { block, value }]);
}

#[test]
fn a_value_is_defined_before_its_uses() {
    let (errors, (block, value)) = broken(|program| {
        // The number 2, and a comparison with it.
        let two = Expr::Constant([2f32.to_bits()].into());
        let (block, at) =
            find(program, |s| matches!(s, Statement::Let { expr, .. } if *expr == two));
        let value = program.block(block).statements[at].value();
        let moved = program.blocks[block.index()].statements.remove(at);
        let statements = &mut program.blocks[block.index()].statements;
        let last = statements.len();
        statements.insert(last, moved);
        (block, value)
    });
    assert_eq!(errors, [VerifyError::Undefined { block, value }]);
}

#[test]
fn a_value_is_defined_in_a_block_around_its_uses() {
    let (errors, value) = broken(|program| {
        let (block, at) = the_loop(program);
        let value = program.block(block).statements[at].value();
        program.blocks[Program::ROOT.index()].end = End::Yield([value].into());
        value
    });
    assert_eq!(errors, [VerifyError::Undefined { block: Program::ROOT, value }]);
}

#[test]
fn parameters_are_used_in_their_body_only() {
    let (errors, (block, value)) = broken(|program| {
        let (block, at) = the_loop(program);
        let Statement::Loop { params, .. } = &program.block(block).statements[at] else {
            unreachable!("it is a loop")
        };
        let value = params[0];
        program.blocks[block.index()].end = End::Yield([value].into());
        (block, value)
    });
    assert_eq!(errors, [VerifyError::Undefined { block, value }]);
}

#[test]
fn a_value_that_is_not_there() {
    let nothing = ValueId(u32::MAX);
    let (errors, ()) = broken(|program| {
        program.blocks[Program::ROOT.index()].end = End::Yield([nothing].into());
    });
    assert_eq!(errors, [VerifyError::Undefined { block: Program::ROOT, value: nothing }]);
}

/// An operation on operands for which it is not defined, a constant of the wrong length, a uniform or an
/// input of another type.
#[test]
fn computations_have_the_types_of_their_values() {
    let wrong: [Expr; 5] = [
        Expr::Op(Op::Not, [ValueId(0)].into()),
        Expr::Constant([0, 0].into()),
        Expr::Uniform(1),
        Expr::Input(Input::FragCoord),
        Expr::Op(Op::Add, [ValueId(0), ValueId(0)].into()),
    ];
    for wrong in wrong {
        let (errors, (block, value)) = broken(|program| {
            let at = find(
                program,
                |s| matches!(s, Statement::Let { expr: Expr::Constant(words), .. } if words.len() == 1),
            );
            let changed = statement(program, at);
            let value = changed.value();
            *changed = Statement::Let { value, expr: wrong.clone() };
            (at.0, value)
        });
        assert_eq!(errors, [VerifyError::Type { block, value }], "{wrong:?}");
    }
}

#[test]
fn initial_values_have_the_types_of_the_parameters() {
    for count in [1, 2] {
        let (errors, (block, value)) = broken(|program| {
            let at = the_loop(program);
            let Statement::Loop { inits, value, .. } = statement(program, at) else {
                unreachable!("it is a loop")
            };
            *inits = vec![inits[0]; count].into();
            (at.0, *value)
        });
        assert_eq!(errors, [VerifyError::Type { block, value }]);
    }
}

#[test]
fn arguments_of_rec_have_the_types_of_the_parameters() {
    for count in [1, 2] {
        let (errors, block) = broken(|program| {
            let [_, rec, _] = tail(program);
            let End::Rec(arguments) = &mut program.blocks[rec.index()].end else {
                unreachable!("it goes on")
            };
            *arguments = vec![arguments[0]; count].into();
            rec
        });
        assert_eq!(errors, [VerifyError::End { block }]);
    }
}

#[test]
fn a_loop_yields_its_type() {
    let (errors, block) = broken(|program| {
        let (block, at) = the_loop(program);
        let Statement::Loop { params, .. } = &program.block(block).statements[at] else {
            unreachable!("it is a loop")
        };
        let is_bool = params[1];
        let [_, _, exit] = tail(program);
        program.blocks[exit.index()].end = End::Yield([is_bool].into());
        exit
    });
    assert_eq!(errors, [VerifyError::End { block }]);
}

#[test]
fn an_arm_yields_one_value_of_the_type_of_its_if() {
    let (errors, block) = broken(|program| {
        let (block, at) = the_if(program);
        let Statement::If { condition, otherwise, .. } = program.block(block).statements[at] else {
            unreachable!("it is an if")
        };
        program.blocks[otherwise.index()].end = End::Yield([condition].into());
        otherwise
    });
    assert_eq!(errors, [VerifyError::End { block }]);
    let (errors, block) = broken(|program| {
        let (block, at) = the_if(program);
        let Statement::If { otherwise, .. } = program.block(block).statements[at] else {
            unreachable!("it is an if")
        };
        program.blocks[otherwise.index()].end = End::Yield(Box::default());
        otherwise
    });
    assert_eq!(errors, [VerifyError::End { block }]);
}

#[test]
fn a_condition_is_a_bool() {
    let (errors, (block, value)) = broken(|program| {
        let at = the_if(program);
        let Statement::If { condition, .. } = statement(program, at) else {
            unreachable!("it is an if")
        };
        *condition = ValueId(0);
        (at.0, ValueId(0))
    });
    assert_eq!(errors, [VerifyError::Condition { block, value }]);
    let (errors, block) = broken(|program| {
        let [body, ..] = tail(program);
        let End::If { condition, .. } = &mut program.blocks[body.index()].end else {
            unreachable!("it decides")
        };
        *condition = ValueId(0);
        body
    });
    assert_eq!(errors, [VerifyError::Condition { block, value: ValueId(0) }]);
}

#[test]
fn rec_stands_in_tails_of_loops_only() {
    let (errors, block) = broken(|program| {
        let (block, at) = the_if(program);
        let Statement::If { otherwise, .. } = program.block(block).statements[at] else {
            unreachable!("it is an if")
        };
        program.blocks[otherwise.index()].end = End::Rec(Box::default());
        otherwise
    });
    assert_eq!(errors, [VerifyError::End { block }]);
    let (errors, ()) = broken(|program| {
        program.blocks[Program::ROOT.index()].end = End::Rec(Box::default());
    });
    assert_eq!(errors, [VerifyError::End { block: Program::ROOT }]);
}

#[test]
fn a_loop_goes_on_somewhere_and_ends_somewhere() {
    let (errors, block) = broken(|program| {
        let [_, rec, exit] = tail(program);
        program.blocks[exit.index()] = program.block(rec).clone();
        // The copied block must define values of its own.
        for statement in &mut program.blocks[exit.index()].statements {
            let Statement::Let { value, .. } = statement else {
                unreachable!("it adds and negates")
            };
            let info = program.values[value.index()];
            *value = ValueId(program.values.len() as u32);
            program.values.push(info);
        }
        let statements = program.block(exit).statements.iter();
        let arguments = statements.map(Statement::value).collect();
        program.blocks[exit.index()].end = End::Rec(arguments);
        // Drops the arms of the replaced `if`.
        let used = reachable(program);
        retain(program, &used);
        tail(program)[0]
    });
    assert_eq!(errors, [VerifyError::Loop { block }]);
    let (errors, block) = broken(|program| {
        let [body, rec, _] = tail(program);
        let (block, at) = the_loop(program);
        let Statement::Loop { params, .. } = &program.block(block).statements[at] else {
            unreachable!("it is a loop")
        };
        let first = params[0];
        program.blocks[rec.index()].end = End::Yield([first].into());
        body
    });
    assert_eq!(errors, [VerifyError::Loop { block }]);
}

/// The blocks that are referred to.
fn reachable(program: &Program) -> Vec<bool> {
    let (mut used, mut stack) = (vec![false; program.blocks.len()], vec![Program::ROOT]);
    while let Some(id) = stack.pop() {
        used[id.index()] = true;
        let block = program.block(id);
        for statement in &block.statements {
            match *statement {
                Statement::Let { .. } => {}
                Statement::If { then, otherwise, .. } => stack.extend([then, otherwise]),
                Statement::Loop { body, .. } => stack.push(body),
            }
        }
        if let End::If { then, otherwise, .. } = block.end {
            stack.extend([then, otherwise]);
        }
    }
    used
}

/// Drops the blocks that are not used.
fn retain(program: &mut Program, used: &[bool]) {
    let mut next = 0;
    let numbers: Vec<BlockId> = used
        .iter()
        .map(|&used| {
            next += u32::from(used);
            BlockId(next.wrapping_sub(1))
        })
        .collect();
    let mut kept = used.iter();
    program.blocks.retain(|_| *kept.next().expect("one for each block"));
    for block in &mut program.blocks {
        for statement in &mut block.statements {
            match statement {
                Statement::Let { .. } => {}
                Statement::If { then, otherwise, .. } => {
                    [*then, *otherwise] = [numbers[then.index()], numbers[otherwise.index()]];
                }
                Statement::Loop { body, .. } => *body = numbers[body.index()],
            }
        }
        if let End::If { then, otherwise, .. } = &mut block.end {
            [*then, *otherwise] = [numbers[then.index()], numbers[otherwise.index()]];
        }
    }
}

#[test]
fn blocks_form_a_tree() {
    let (errors, block) = broken(|program| {
        let last = BlockId(program.blocks.len() as u32);
        program.blocks.push(program.block(Program::ROOT).clone());
        last
    });
    assert_eq!(errors, [VerifyError::Tree { block }], "referred to by nobody");
    let (errors, [lost, block]) = broken(|program| {
        let at = the_if(program);
        let Statement::If { then, otherwise, .. } = statement(program, at) else {
            unreachable!("it is an if")
        };
        let lost = std::mem::replace(otherwise, *then);
        [lost, *then]
    });
    let twice = [VerifyError::Tree { block }, VerifyError::Tree { block: lost }];
    assert_eq!(errors, twice, "referred to twice");
    let nowhere = BlockId(u32::MAX);
    let (errors, lost) = broken(|program| {
        let at = the_if(program);
        let Statement::If { otherwise, .. } = statement(program, at) else {
            unreachable!("it is an if")
        };
        std::mem::replace(otherwise, nowhere)
    });
    let missing = [VerifyError::Tree { block: nowhere }, VerifyError::Tree { block: lost }];
    assert_eq!(errors, missing, "not there");
}

#[test]
fn the_root_yields_each_output() {
    let (errors, ()) = broken(|program| program.locations.push(1));
    assert_eq!(errors, [VerifyError::Interface { block: Program::ROOT }]);
}
