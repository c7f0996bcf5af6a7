//! Dispatches: verifiers, texts, the ends of memories, faults, and the proofs by which invocations run at once.

use std::sync::atomic::AtomicU64;

use lambdav_core::core_text::read;
use lambdav_core::evaluate::{Dispatch, DispatchFault, EvaluationFault, Memory};
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::{Program, schedule_all};
use lambdav_core::source::SourceFile;
use lambdav_simd_backend::kernel::{DispatchError, DispatchKernel, Tier};
use lambdav_simd_backend::lanes::{
    self, Change, Items, Kind, LaneExpr, LaneOp, LaneProgram, LaneStatement, Options, ValueId,
    ValueInfo, Width,
};
use lambdav_simd_backend::registers::{self, Instr, RegisterProgram};
use lambdav_simd_backend::{Compiler, EmitError, Target};

/// A program on the memory `m`.
fn program(lines: &str) -> Program {
    let text = format!(
        "lambdav-core 2
type #0 = memory \"m\"
type #1 = struct \"Old\" (\"old\": uint, \"m\": #0)
workgroup-size 64 1 1
%0: uvec3 = input global-id
%1: uint = component.0 %0
%2: #0 = state
%3: uint = 1
%4: uint = 5
{lines}
"
    );
    let (core, diagnostics) = read(&SourceFile::new("a.core", &*text));
    let core = core.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    schedule_all(&core).expect("it can be scheduled")
}

fn compiler(target: &'static str, lanes: u32) -> Compiler {
    let target = Target::named(target).expect("any machine emits it").expect("it is known");
    Compiler { lanes: Some(lanes), items: Items::INVOCATIONS, ..Compiler::new(target) }
}

fn host() -> Compiler {
    Compiler::new(Target::host().expect("a machine that is not too old"))
}

/// Runs workgroups of 64 invocations on the words of `m`.
fn run(
    program: &Program,
    workgroups: u32,
    words: &[u32],
) -> Result<(Vec<u32>, Tier), DispatchError> {
    let kernel = DispatchKernel::compile(program.clone(), &host()).expect("it is small");
    let mut memory = Memory::new(&program.types);
    memory.set(0, words.to_vec());
    let dispatch = Dispatch { workgroup: [64, 1, 1], groups: [workgroups, 1, 1] };
    let expected = dispatch.run(program, &Inputs::default(), memory.clone(), 100, &|_| false);
    let original = memory.clone();
    let found = kernel.run(&dispatch, &Inputs::default(), &mut memory, 100, None);
    match (&found, expected) {
        // Threads have variables of workgroups of their own.
        (Ok(_), Ok(expected)) => assert_eq!(memory.words(0), expected.words(0)),
        (Err(DispatchError::Fault(found)), Err(expected)) => {
            assert_eq!(found, &expected);
            assert_eq!(memory.words(0), original.words(0));
        }
        (found, expected) => panic!("{found:?} in place of {expected:?}"),
    }
    found.map(|tier| (memory.words(0).to_vec(), tier))
}

/// Each invocation adds 1 to its word.
const COUNT: &str = "%5: uint = load %2, %1
%6: uint = add %5, %3
%7: #0 = store %2, %1, %6
effect %7";

/// All invocations count one of five words, and store the count that they found.
const COUNTED: &str = "%5: uint = rem %1, %4
%6: #1 = atomic.add %2, %5, %3
%7: uint = field.0 %6
%8: #0 = field.1 %6
%9: uint = add %1, %4
%10: #0 = store %8, %9, %7
effect %10";

#[test]
fn programs_are_read_as_they_are_printed() {
    for (name, lanes) in [(Target::BASELINE, 1), (Target::BASELINE, 8), ("avx512", 32)] {
        let compiler = compiler(name, lanes);
        let lowered = compiler.lane_program(&program(COUNTED));
        let text = lowered.to_string();
        for part in ["memory.0[", " add ", " exchange ", " where ", "global-id.0"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let (registers, _) = compiler.register_program(&lowered, compiler.choice(&lowered).shape);
        let text = registers.to_string();
        let again = registers::read(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.to_string(), text);
        assert_eq!(registers::verify(&again), Ok(()));
        for part in [
            "invocations global-id.0\n",
            "memory, sizes at",
            "memory 0 at",
            "lanes global-id.0 0 of",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
        assert_eq!(text.contains("= lane 3 of "), lanes > 1, "{text}");
        assert_eq!(text.contains("= from r"), lanes > 1, "{text}");
    }
}

/// The lane program of [`COUNTED`].
fn lowered() -> LaneProgram {
    let options = Options { items: Items::INVOCATIONS, ..Options::new(Width::Any) };
    lanes::lower(&program(COUNTED), &options)
}

/// The first change of a lane program.
fn change(program: &mut LaneProgram) -> &mut LaneStatement {
    let is_change = |statement: &&mut LaneStatement| matches!(statement, LaneStatement::Access { access, .. } if access.change.is_some());
    let mut statements = program.blocks.iter_mut().flat_map(|block| &mut block.statements);
    statements.find(is_change).expect("it has one")
}

#[test]
fn accesses_are_verified() {
    assert_eq!(lanes::verify(&lowered()), Ok(()));
    let broken = |message: &str, change: &dyn Fn(&mut LaneProgram)| {
        let mut program = lowered();
        change(&mut program);
        let errors = lanes::verify(&program).expect_err("it is broken");
        assert!(errors.iter().any(|e| e.message.contains(message)), "{message}: {errors:?}");
    };
    broken("nothing keeps", &|program| {
        for block in &mut program.blocks {
            for statement in &mut block.statements {
                if let LaneStatement::Let { expr: LaneExpr::Op(op, _), .. } = statement
                    && *op == LaneOp::MinUnsigned
                {
                    *op = LaneOp::MaxUnsigned;
                }
            }
        }
    });
    broken("there is no memory 7", &|program| {
        let LaneStatement::Access { access, .. } = change(program) else { unreachable!() };
        access.memory = 7;
    });
    broken("there is no memory 0", &|program| program.resources.0[0].is_memory = false);
    broken("is no mask", &|program| {
        let LaneStatement::Access { access, .. } = change(program) else { unreachable!() };
        let index = access.index;
        access.change.as_mut().expect("it is a change").mask = index;
    });
    broken("add takes 1 words", &|program| {
        let LaneStatement::Access { access, .. } = change(program) else { unreachable!() };
        let Change { words, .. } = access.change.as_mut().expect("it is a change");
        *words = [words[0], words[0]].into();
    });
    broken("the word has a rate below", &|program| {
        let LaneStatement::Access { value, .. } = change(program) else { unreachable!() };
        let value = value.expect("it is used");
        program.values[value.index()].rate = lanes::Rate::GROUP;
    });
    broken("nobody needs the word", &|program| {
        let LaneStatement::Access { value, access } = change(program) else { unreachable!() };
        (*value, access.change) = (None, None);
    });
    broken("these are no words", &|program| {
        let LaneStatement::Access { access, .. } = change(program) else { unreachable!() };
        let mask = access.change.as_ref().expect("it is a change").mask;
        access.change.as_mut().expect("it is a change").words = [mask].into();
    });
    broken("is not of the frame", &|program| {
        let root = &mut program.blocks[LaneProgram::ROOT.index()].statements;
        let at = root.iter().position(|s| matches!(s, LaneStatement::Access { .. }));
        program.frame_len = 1 + at.expect("it stands in the root");
    });
    broken("no lane has", &|program| {
        let value = ValueId(program.values.len() as u32);
        let rate = program.width.lanes();
        program.values.push(ValueInfo { kind: Kind::I32, rate });
        let input = lambdav_core::memory::InvocationInput::LocalIndex;
        let expr = LaneExpr::Invocation(input, 1);
        let root = &mut program.blocks[LaneProgram::ROOT.index()].statements;
        root.push(LaneStatement::Let { value, expr });
    });
}

/// Calls `with` for each instruction of the function for a row.
fn each(program: &mut RegisterProgram, mut with: impl FnMut(&mut Instr)) {
    program.row.blocks.iter_mut().flat_map(|block| &mut block.instrs).for_each(&mut with);
}

#[test]
fn instructions_are_verified() {
    let compiler = compiler(Target::BASELINE, 8);
    let lowered = lowered();
    let valid = compiler.unspilled(&lowered, compiler.choice(&lowered).shape);
    assert_eq!(registers::verify(&valid), Ok(()));
    let broken = |message: &str, change: &dyn Fn(&mut RegisterProgram)| {
        let mut program = valid.clone();
        change(&mut program);
        let errors = registers::verify(&program).expect_err("it is broken");
        assert!(errors.iter().any(|e| e.message.contains(message)), "{message}: {errors:?}");
    };
    broken("nothing keeps", &|program| {
        each(program, |instr| {
            if let Instr::Op(_, op @ LaneOp::MinUnsigned, _) = instr {
                *op = LaneOp::MaxUnsigned;
            }
        });
    });
    broken("there is no memory 3", &|program| {
        each(program, |instr| {
            if let Instr::StoreMemory { memory, .. } = instr {
                *memory = 3;
            }
        });
    });
    broken("the operand", &|program| {
        each(program, |instr| {
            if let Instr::StoreMemory { index, mask, .. } = instr {
                *mask = *index;
            }
        });
    });
    broken("there is no lane 4", &|program| {
        each(program, |instr| {
            if let Instr::Lane(_, _, lane) = instr {
                *lane += 4;
            }
        });
    });
    broken("a scalar for each lane", &|program| {
        each(program, |instr| {
            if let Instr::FromLanes(_, of) = instr {
                *of = of[1..].into();
            }
        });
    });
    broken("no lanes have a column", &|program| program.items = Items::Listed);
    broken("a memory is not for this function", &|program| program.frame = program.row.clone());
}

#[test]
fn pixels_and_invocations_are_told_apart() {
    let counted = program(COUNTED);
    let error = host().check(&counted).expect_err("it draws nothing");
    assert!(matches!(error, EmitError::Dispatched(name) if name == "m"));
    let text = "%5: #1 = atomic.add %2, %1, %3
%6: #0 = field.1 %5
effect %6";
    assert!(DispatchKernel::compile(program(text), &host()).is_ok());
}

/// Words beyond the end are 0, also of an empty memory, and nothing is stored there.
#[test]
fn ends_of_memories() {
    for words in [&[][..], &[7], &[1, 2, 3, 4, 5, 6, 7]] {
        let (counted, _) = run(&program(COUNTED), 2, words).expect("it has no loops");
        assert_eq!(counted.len(), words.len());
        let (own, _) = run(&program(COUNT), 2, words).expect("it has no loops");
        let next: Vec<u32> = words.iter().map(|word| word + 1).collect();
        assert_eq!(own, next);
    }
    let size = "%5: uint = size %2
%6: #0 = store %2, %1, %5
effect %6";
    let (sizes, _) = run(&program(size), 1, &[0; 3]).expect("it has no loops");
    assert_eq!(sizes, [3; 3]);
}

/// A proof for each kind of memory, and programs that lack one.
#[test]
fn independent_invocations_run_at_once() {
    let pair = "%5: uint = shift-left %1, %3
%6: uint = add %5, %3
%7: #0 = store %2, %5, %1
%8: uint = load %7, %6
%9: #0 = store %7, %6, %8
effect %9";
    let overlap = "%5: uint = add %1, %3
%6: uint = load %2, %5
%7: #0 = store %2, %1, %6
effect %7";
    let histogram = "%5: uint = rem %1, %4
%6: #1 = atomic.add %2, %5, %3
%7: #0 = field.1 %6
effect %7";
    let two_kinds = "%5: uint = rem %1, %4
%6: #1 = atomic.add %2, %5, %3
%7: #0 = field.1 %6
%8: #1 = atomic.uint-max %7, %5, %4
%9: #0 = field.1 %8
effect %9";
    let marks = "%5: uint = mul %1, %1
%6: uint = rem %5, %4
%7: #0 = store %2, %6, %4
effect %7";
    let last = "%5: uint = rem %1, %4
%6: #0 = store %2, %5, %1
effect %6";
    let read = "%5: uint = rem %1, %4
%6: #0 = store %2, %5, %4
%7: uint = load %6, %1
%8: bool = less %7, %4
%9: #0 = if %8 {
%10: #0 = store %6, %1, %4
yield %10
} else {
yield %6
}
effect %9";
    let one = "%5: uint = load %2, %4
%6: bool = less %1, %5
%7: #0 = if %6 {
%8: #0 = store %2, %1, %4
yield %8
} else {
yield %2
}
effect %7";
    for (name, text, tier) in [
        ("own words", COUNT, Tier::AtOnce),
        ("pairs of words", pair, Tier::AtOnce),
        ("overlapping pairs", overlap, Tier::Lanes),
        ("sums", histogram, Tier::AtOnce),
        ("sums and maxima", two_kinds, Tier::InOrder),
        ("used counts", COUNTED, Tier::Lanes),
        ("marks", marks, Tier::AtOnce),
        ("different words", last, Tier::Lanes),
        ("marks that are read", read, Tier::InOrder),
        ("one word for all", one, Tier::Lanes),
    ] {
        let words: Vec<u32> = (0..40_000).map(|k| k % 977).collect();
        // So many that several threads have a part.
        let (_, found) = run(&program(text), 700, &words).expect("it has no loops");
        assert_eq!(found, tier, "{name}");
    }
}

/// Each workgroup reverses its words by a variable of its own, twice in a loop with barriers. A vector, a truth value and a
/// structure live across them.
#[test]
fn values_live_across_barriers() {
    let text = "lambdav-core 2
type #0 = memory \"m\"
type #1 = workgroup \"w\" 64
type #2 = struct \"Both\" (\"m\": #0, \"w\": #1)
type #3 = struct \"Value\" (\"m\": #0, \"w\": #1, \"place\": uvec2, \"is_odd\": bool)
workgroup-size 64 1 1
%0: uvec3 = input global-id
%1: uint = component.0 %0
%2: uint = input local-index
%3: uint = 63
%4: uint = sub %3, %2
%5: uint = 1
%6: uint = 0
%7: uint = 2
%8: uint = and %2, %5
%9: bool = equal %8, %5
%10: uvec2 = construct %2, %4
%11: #0 = state
%12: #1 = state
%13: #3 = construct %11, %12, %10, %9
%14: #3 = loop (%15: #3 = %13, %16: uint = %6) {
%17: #0 = field.0 %15
%18: #1 = field.1 %15
%19: uvec2 = field.2 %15
%20: bool = field.3 %15
%21: uint = load %17, %1
%22: uint = component.0 %19
%23: #1 = store %18, %22, %21
%24: #2 = barrier %17, %23
%25: #0 = field.0 %24
%26: #1 = field.1 %24
%27: uint = component.1 %19
%28: uint = load %26, %27
%29: uint = add %28, %5
%30: uint = select %20, %29, %28
%31: #0 = store %25, %1, %30
%32: #2 = barrier %31, %26
%33: #0 = field.0 %32
%34: #1 = field.1 %32
%35: #3 = construct %33, %34, %19, %20
%36: uint = add %16, %5
%37: bool = less %36, %7
if %37 {
rec %35, %36
} else {
yield %35
}
}
%38: #0 = field.0 %14
%39: #1 = field.1 %14
effect %38
effect %39
";
    let (core, diagnostics) = read(&SourceFile::new("a.core", text));
    let core = core.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let waiting = schedule_all(&core).expect("it can be scheduled");
    let words: Vec<u32> = (0..128).map(|k| 10 * k).collect();
    let (found, tier) = run(&waiting, 2, &words).expect("all wait together");
    // The odd one of each pair of places adds 1 in each round; a pair is one odd and one even place.
    let expected: Vec<u32> = words.iter().map(|word| word + 1).collect();
    // Places in the variable are saved words, of which nothing is known.
    assert_eq!((found, tier), (expected, Tier::Threads));
}

/// The first fault in the order is reported, and cancellation.
#[test]
fn faults_have_their_place_in_the_order() {
    // Invocation 70 and later ones with an odd number count without end, after they have stored.
    let text = "%5: uint = 70
%6: bool = less %1, %5
%7: uint = and %1, %3
%8: uint = 0
%9: bool = equal %7, %8
%10: bool = or %6, %9
%11: #0 = store %2, %1, %4
%12: #0 = loop (%13: #0 = %11) {
%14: uint = load %13, %1
%15: uint = add %14, %3
%16: #0 = store %13, %1, %15
if %10 {
yield %16
} else {
rec %16
}
}
effect %12";
    let endless = program(text);
    let error = run(&endless, 2, &[0; 128]).expect_err("it does not end");
    let is_it = matches!(
        error,
        DispatchError::Fault(DispatchFault::Invocation {
            id: [71, 0, 0],
            fault: EvaluationFault::LoopLimit(_)
        })
    );
    assert!(is_it, "{error:?}");
    let (words, tier) = run(&endless, 1, &[0; 64]).expect("the first 64 end");
    assert_eq!((words, tier), (vec![6; 64], Tier::AtOnce));
    for text in [text, COUNT, COUNTED] {
        let kernel = DispatchKernel::compile(program(text), &host()).expect("it is small");
        let mut memory = Memory::new(&endless.types);
        memory.set(0, vec![0; 128]);
        let dispatch = Dispatch { workgroup: [64, 1, 1], groups: [2, 1, 1] };
        let frontier = AtomicU64::new(0);
        let error = kernel.run(&dispatch, &Inputs::default(), &mut memory, 100, Some(&frontier));
        let is_cancelled = matches!(
            error,
            Err(DispatchError::Fault(DispatchFault::Invocation {
                fault: EvaluationFault::Cancelled,
                ..
            }))
        );
        assert!(is_cancelled, "{error:?}");
    }
}
