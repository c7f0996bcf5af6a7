//! Breaks each invariant of register programs in a valid one: the verifier reports exactly that
//! violation.

use lambdav_core::elementary::Part;
use lambdav_core::graph::Side;
use lambdav_simd_backend::lanes::{Axis, Kind, Op};
use lambdav_simd_backend::registers::{
    Block, BlockCall, BlockId, End, Function, Instr, Reg, RegisterProgram, RegisterType, Status,
    verify,
};
use lambdav_simd_backend::{Compiler, Target};

use crate::scheduled;

/// A value of the frame, a loop that lanes leave in different rounds, and a sine in a divergent
/// arm.
const SHADER: &str = "(define x (.x (frag-coord)))
(define y (* (.y (frag-coord)) (sqrt (time))))
(if (< (* x y) 9)
  ((rec-func (i z) (if (< z y) (rec (+ i 1) (+ z (* x i))) z)) 0 x)
  (sin (* x y)))";

/// A valid program after spilling, for a machine with hardly any registers.
fn valid() -> RegisterProgram {
    let target = Target::with(&[]).expect("a machine that is not too old").with_vector_registers(5);
    let compiler = Compiler { lanes: Some(8), ..Compiler::new(target) };
    let lanes = compiler.lane_program(&scheduled(SHADER));
    let (program, _) = compiler.register_program(&lanes, compiler.choice(&lanes).shape);
    assert_eq!(verify(&program), Ok(()));
    program
}

/// The place of an error: the function, the block, and the number of the instruction.
type Place = (&'static str, BlockId, Option<usize>);

/// Breaks a valid program; the closure returns the place and the message of the expected error.
#[track_caller]
fn broken(change: impl FnOnce(&mut RegisterProgram) -> (Place, String)) {
    let mut program = valid();
    let ((function, block, instr), message) = change(&mut program);
    let errors = verify(&program).expect_err("it is broken");
    let expected = (function, block, instr, message.as_str());
    let found: Vec<_> = errors
        .iter()
        .map(|e| (e.function.as_str(), e.block, e.instr, e.message.as_str()))
        .collect();
    assert_eq!(found, [expected], "{program}");
}

/// The first instruction of a function for which `holds` is true.
#[track_caller]
fn find(function: &Function, holds: impl Fn(&Instr) -> bool) -> (BlockId, usize) {
    let blocks = function.blocks.iter().zip(0..);
    let mut found =
        blocks.filter_map(|(block, id)| Some((BlockId(id), block.instrs.iter().position(&holds)?)));
    found.next().expect("the function has such an instruction")
}

/// The first block of a function with such an end.
#[track_caller]
fn find_end(function: &Function, holds: impl Fn(&End) -> bool) -> BlockId {
    let at = function.blocks.iter().position(|block| holds(&block.end));
    BlockId(at.expect("the function has such a block") as u32)
}

fn block(function: &mut Function, id: BlockId) -> &mut Block {
    &mut function.blocks[id.index()]
}

fn new_register(function: &mut Function, ty: RegisterType) -> Reg {
    function.registers.push(ty);
    Reg(function.registers.len() as u32 - 1)
}

/// A block whose jump passes arguments.
fn passing(function: &Function) -> BlockId {
    find_end(function, |end| matches!(end, End::Jump(to) if !to.arguments.is_empty()))
}

#[test]
fn calls_fit_their_blocks() {
    broken(|program| {
        let at = find_end(&program.row, |end| matches!(end, End::Jump(_)));
        block(&mut program.row, at).end =
            End::Jump(BlockCall { block: BlockId(0), arguments: Vec::new() });
        (("row", at, None), "no edge may lead to block0".into())
    });
    broken(|program| {
        let at = passing(&program.row);
        let End::Jump(call) = &mut block(&mut program.row, at).end else { unreachable!() };
        let takes = format!("{} takes {} arguments", call.block, call.arguments.len());
        call.arguments.pop();
        (("row", at, None), takes)
    });
    broken(|program| {
        let at = passing(&program.row);
        let wrong = new_register(&mut program.row, RegisterType::Scalar(Kind::F64));
        block(&mut program.row, at).instrs.push(Instr::Constant(wrong, 0));
        let End::Jump(call) = &mut block(&mut program.row, at).end else { unreachable!() };
        let was = std::mem::replace(&mut call.arguments[0], wrong);
        let ty = program.row.registers[was.index()];
        (("row", at, None), format!("the argument {wrong} is f64, not {ty}"))
    });
}

#[test]
fn no_edge_is_critical() {
    broken(|program| {
        let at = find_end(&program.row, |end| matches!(end, End::Branch { .. }));
        let End::Branch { then, otherwise, .. } = &mut block(&mut program.row, at).end else {
            unreachable!()
        };
        // The first successor jumps to the second one.
        let goal = otherwise.block;
        let entry = then.block;
        program.row.blocks[entry.index()].instrs.clear();
        program.row.blocks[entry.index()].end =
            End::Jump(BlockCall { block: goal, arguments: Vec::new() });
        (("row", at, None), format!("the edge to {goal} is critical"))
    });
}

#[test]
fn loops_have_one_entry() {
    // Two blocks that jump to each other, and an edge to each from outside.
    let call = |block| BlockCall { block: BlockId(block), arguments: Vec::new() };
    let empty = |end| Block { params: Vec::new(), instrs: Vec::new(), end, cold: false };
    broken(|program| {
        let condition = Reg(0);
        let mut entry = empty(End::Branch { condition, then: call(1), otherwise: call(2) });
        entry.instrs.push(Instr::Poll(condition));
        let blocks = vec![
            entry,
            empty(End::Jump(call(3))),
            empty(End::Jump(call(4))),
            empty(End::Jump(call(4))),
            empty(End::Jump(call(3))),
        ];
        program.row =
            Function { registers: vec![RegisterType::Scalar(Kind::Mask)], blocks, spill_slots: 0 };
        (("row", BlockId(4), None), "the loop at block3 has another entry".into())
    });
}

#[test]
fn functions_return_what_they_should() {
    broken(|program| {
        let at = find_end(&program.row, |end| *end == End::Return(Status::Done));
        block(&mut program.row, at).end = End::ReturnValue(Reg(0));
        (("row", at, None), "only procedures return a value".into())
    });
    broken(|program| {
        let code = &mut program.procedures[0].code;
        let at = find_end(code, |end| matches!(end, End::ReturnValue(_)));
        block(code, at).end = End::Return(Status::Done);
        (("procedure 0", at, None), "a procedure returns a value".into())
    });
    broken(|program| {
        let at = find_end(&program.row, |end| matches!(end, End::Branch { .. }));
        let number = new_register(&mut program.row, RegisterType::Scalar(Kind::I32));
        let block = block(&mut program.row, at);
        block.instrs.push(Instr::Constant(number, 1));
        let End::Branch { condition, .. } = &mut block.end else { unreachable!() };
        *condition = number;
        (("row", at, None), format!("the condition {number} is i32, not mask"))
    });
}

#[test]
fn registers_are_assigned_once_before_they_are_used() {
    broken(|program| {
        let (at, instr) = find(&program.row, |instr| matches!(instr, Instr::Centres(..)));
        let again = program.row.blocks[at.index()].instrs[instr].clone();
        let Instr::Centres(reg, ..) = again else { unreachable!() };
        block(&mut program.row, at).instrs.insert(instr, again);
        (("row", at, Some(instr + 1)), format!("{reg} is assigned twice"))
    });
    broken(|program| {
        let (at, instr) = find(&program.row, |instr| matches!(instr, Instr::Store { .. }));
        let late = new_register(&mut program.row, RegisterType::Vector(Kind::F32));
        let instrs = &mut block(&mut program.row, at).instrs;
        let Instr::Store { channels, .. } = &mut instrs[instr] else { unreachable!() };
        channels[0] = late;
        instrs.insert(instr + 1, Instr::Constant(late, 0));
        (("row", at, Some(instr)), format!("{late} has no value here"))
    });
    broken(|program| {
        // Assigned in a block that does not dominate the use.
        let late = new_register(&mut program.row, RegisterType::Vector(Kind::F32));
        let (at, instr) = find(&program.row, |instr| matches!(instr, Instr::Call { .. }));
        block(&mut program.row, at).instrs.insert(instr, Instr::Constant(late, 0));
        let (at, instr) = find(&program.row, |instr| matches!(instr, Instr::Store { .. }));
        let Instr::Store { channels, .. } = &mut block(&mut program.row, at).instrs[instr] else {
            unreachable!()
        };
        channels[0] = late;
        (("row", at, Some(instr)), format!("{late} has no value here"))
    });
}

#[test]
fn types_fit() {
    let vector = RegisterType::Vector(Kind::F32);
    let with =
        |instr: fn(Reg, Reg, Reg) -> Instr, types: [RegisterType; 3], message: &'static str| {
            broken(move |program| {
                let row = &mut program.row;
                let [a, b, to] = types.map(|ty| new_register(row, ty));
                let new = [Instr::Constant(a, 0), Instr::Constant(b, 0), instr(a, b, to)];
                row.blocks[0].instrs.splice(0..0, new);
                let message = message.replace("{to}", &to.to_string());
                (("row", BlockId(0), Some(2)), message)
            });
        };
    let undefined = "the operation is not defined on these types";
    let add = |a, b, to| Instr::Op(to, Op::Add, [a, b].into());
    with(add, [vector, RegisterType::Vector(Kind::I32), vector], undefined);
    with(
        add,
        [vector, vector, RegisterType::Vector(Kind::I32)],
        "the result {to} is i32s, not f32s",
    );
    let select = |a, b, to| Instr::Op(to, Op::Select, [a, b, b].into());
    let wide = RegisterType::Vector(Kind::F64);
    with(
        select,
        [RegisterType::Vector(Kind::Mask), wide, wide],
        "the operands are not of lanes of one size",
    );
    with(
        |a, _, to| Instr::Half(to, a, true),
        [RegisterType::Vector(Kind::I64), vector, wide],
        undefined,
    );
    with(|a, _, to| Instr::Neighbour(to, a, Axis::X, Side::Odd), [wide, vector, wide], undefined);
    with(
        |a, _, to| Instr::Neighbour(to, a, Axis::Y, Side::Odd),
        [vector, vector, vector],
        "a register has no pairs along the axis",
    );
    with(|a, b, to| Instr::Join(to, [a, b]), [wide, vector, vector], undefined);
    with(
        |a, _, to| Instr::Any(to, [a].into()),
        [vector, vector, RegisterType::Scalar(Kind::Mask)],
        "these are not masks of one type",
    );
    with(
        |_, _, to| Instr::Centres(to, Axis::X, 0.0),
        [vector, vector, RegisterType::Vector(Kind::I32)],
        "the result {to} is not F32",
    );
}

#[test]
fn programs_for_scalars_have_no_vectors() {
    let target = Target::host().expect("a machine that is not too old");
    let compiler = Compiler { lanes: Some(1), ..Compiler::new(target) };
    let lanes = compiler.lane_program(&scheduled("(.x (frag-coord))"));
    let (mut program, _) = compiler.register_program(&lanes, compiler.choice(&lanes).shape);
    let reg = new_register(&mut program.row, RegisterType::Vector(Kind::F32));
    program.row.blocks[0].instrs.insert(0, Instr::Constant(reg, 0));
    let errors = verify(&program).expect_err("it is broken");
    assert_eq!(errors[0].message, format!("{reg} is a vector in a program for scalars"));
}

#[test]
fn what_is_referred_to_exists() {
    let add = |program: &mut RegisterProgram, ty, instr: fn(Reg) -> Instr| {
        let reg = new_register(&mut program.row, ty);
        program.row.blocks[0].instrs.insert(0, instr(reg));
        ("row", BlockId(0), Some(0))
    };
    let number = RegisterType::Scalar(Kind::F32);
    broken(|program| {
        (add(program, number, |to| Instr::Input(to, 99)), "there is no input 99".into())
    });
    broken(|program| {
        let mask = RegisterType::Vector(Kind::Mask);
        let place = add(program, mask, |to| Instr::ExecutionMask(to, 2));
        (place, "there is no mask register 2".into())
    });
    broken(|program| {
        let slots = program.row.spill_slots;
        let reg = new_register(&mut program.row, number);
        let new = [Instr::Constant(reg, 0), Instr::Spill(slots, reg)];
        program.row.blocks[0].instrs.splice(0..0, new);
        (("row", BlockId(0), Some(1)), format!("there is no spill slot {slots}"))
    });
}

#[test]
fn slots_are_filled_once_by_the_frame() {
    broken(|program| {
        let (at, instr) = find(&program.frame, |instr| matches!(instr, Instr::SetSlot(0, _)));
        block(&mut program.frame, at).instrs.remove(instr);
        let at = find_end(&program.frame, |end| *end == End::Return(Status::Done));
        (("frame", at, None), "slot 0 is not filled once before the return".into())
    });
    broken(|program| {
        let kind = program.slots[0];
        let reg = new_register(&mut program.frame, RegisterType::Scalar(kind));
        program.frame.blocks[0].instrs.insert(0, Instr::Slot(reg, 0));
        (("frame", BlockId(0), Some(0)), "a slot's value is not for this function".into())
    });
    broken(|program| {
        let (at, instr) = find(&program.frame, |instr| matches!(instr, Instr::SetSlot(0, _)));
        let wrong = new_register(&mut program.frame, RegisterType::Scalar(Kind::I64));
        let instrs = &mut block(&mut program.frame, at).instrs;
        instrs[instr] = Instr::SetSlot(0, wrong);
        instrs.insert(instr, Instr::Constant(wrong, 0));
        (("frame", at, Some(instr + 1)), format!("the value {wrong} is i64, not f32"))
    });
}

#[test]
fn spill_slots_are_filled_before_they_are_read() {
    broken(|program| {
        let reg = new_register(&mut program.row, RegisterType::Vector(Kind::F32));
        program.row.blocks[0].instrs.insert(0, Instr::Reload(reg, 0));
        let message = "spill slot 0 does not hold f32s on every way here";
        (("row", BlockId(0), Some(0)), message.into())
    });
    broken(|program| {
        let slot = program.row.spill_slots;
        program.row.spill_slots += 1;
        let [from, to] =
            [Kind::F32, Kind::I32].map(|k| new_register(&mut program.row, RegisterType::Vector(k)));
        let new = [Instr::Constant(from, 0), Instr::Spill(slot, from), Instr::Reload(to, slot)];
        program.row.blocks[0].instrs.splice(0..0, new);
        let message = format!("spill slot {slot} does not hold i32s on every way here");
        (("row", BlockId(0), Some(2)), message)
    });
}

#[test]
fn pixels_are_the_rows_business() {
    broken(|program| {
        let reg = new_register(&mut program.frame, RegisterType::Vector(Kind::Mask));
        program.frame.blocks[0].instrs.insert(0, Instr::ExecutionMask(reg, 0));
        (("frame", BlockId(0), Some(0)), "the execution mask is not for this function".into())
    });
    broken(|program| {
        let (at, instr) = find(&program.row, |instr| matches!(instr, Instr::Store { .. }));
        let Instr::Store { rows, .. } = &mut block(&mut program.row, at).instrs[instr] else {
            unreachable!()
        };
        *rows = [rows[0], rows[0]].into();
        (("row", at, Some(instr)), "2 rows of pixels are stored".into())
    });
}

#[test]
fn calls_fit_their_procedures() {
    broken(|program| {
        let (at, instr) = find(&program.row, |instr| matches!(instr, Instr::Call { .. }));
        let Instr::Call { arguments, .. } = &mut block(&mut program.row, at).instrs[instr] else {
            unreachable!()
        };
        *arguments = [arguments[0]].into();
        (("row", at, Some(instr)), "sin takes 2 arguments".into())
    });
    broken(|program| {
        let code = &mut program.procedures[0].code;
        let (at, instr) = find(code, |instr| matches!(instr, Instr::Callout { .. }));
        block(code, at).cold = false;
        (("procedure 0", at, Some(instr)), "a call-out stands in a cold block".into())
    });
    broken(|program| {
        let [a, to] =
            [(); 2].map(|()| new_register(&mut program.row, RegisterType::Scalar(Kind::F64)));
        let new = [Instr::Constant(a, 0), Instr::MulAdd(to, [a; 3])];
        program.row.blocks[0].instrs.splice(0..0, new);
        let message = "a product and sum of open rounding is not for this function";
        (("row", BlockId(0), Some(1)), message.into())
    });
    // Instructions for registers of 512 bits only.
    let of_procedure = |kind: Kind, to: Kind, what: &str, instr: fn(Reg, Reg) -> Instr| {
        broken(|program| {
            let code = &mut program.procedures[0].code;
            let [from, to] = [kind, to].map(|kind| new_register(code, RegisterType::Vector(kind)));
            code.blocks[0].instrs.splice(0..0, [Instr::Constant(from, 0), instr(to, from)]);
            (("procedure 0", BlockId(0), Some(1)), format!("{what} needs registers of 512 bits"))
        });
    };
    let exponent = |to, from| Instr::Part(to, Part::Exponent, from);
    of_procedure(Kind::F64, Kind::F64, "a part of a number", exponent);
    let concat = |to, from| Instr::Concat(to, [from; 2], false);
    of_procedure(Kind::I32, Kind::I64, "numbers of two words", concat);
    let words = |to, from| Instr::Words(to, [from; 2], true);
    of_procedure(Kind::I64, Kind::I32, "the words of two registers", words);
    let funnel = |to, from| Instr::Funnel(to, 3, [from; 2]);
    of_procedure(Kind::I32, Kind::I32, "a shift of two words", funnel);
    let logic = |to, from| Instr::Logic(to, 0x96, [from; 3]);
    of_procedure(Kind::I32, Kind::I32, "logic of three words", logic);
}

#[test]
fn all_that_is_wrong_is_said() {
    let mut program = valid();
    program.row.blocks[0].instrs.insert(0, Instr::SetSlot(9, Reg(0)));
    let code = &mut program.procedures[0].code;
    let (at, _) = find(code, |instr| matches!(instr, Instr::Callout { .. }));
    block(code, at).cold = false;
    let errors = verify(&program).expect_err("it is broken");
    let functions: Vec<&str> = errors.iter().map(|e| e.function.as_str()).collect();
    assert_eq!(functions, ["procedure 0", "row", "row"]);
    assert!(errors[1].to_string().starts_with("row, block0, instruction 0: "), "{}", errors[1]);
}
