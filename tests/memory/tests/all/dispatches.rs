//! Dispatches of core texts with known results.

use lambdav_core::core_text::{print, read};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::evaluate::{Dispatch, DispatchFault, EvaluationFault, Memory};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::{schedule, schedule_all};
use lambdav_core::source::SourceFile;

fn core(text: &str) -> Core {
    let source = SourceFile::new("a.core", format!("lambdav-core 2\n{text}\n"));
    let (core, diagnostics) = read(&source);
    core.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"))
}

/// Runs one workgroup on the words of the first memory.
fn run(text: &str, workgroup: [u32; 3], words: &[u32]) -> Result<Vec<u32>, DispatchFault> {
    let program = schedule_all(&core(text)).expect("it can be scheduled");
    let mut memory = Memory::new(&program.types);
    memory.set(0, words.to_vec());
    let dispatch = Dispatch { workgroup, groups: [1, 1, 1] };
    let memory = dispatch.run(&program, &Inputs::default(), memory, 100, &|_| false)?;
    Ok(memory.words(0).to_vec())
}

#[test]
fn accesses_beyond_the_end() {
    let text = "type #0 = memory \"m\"
type #1 = struct \"Old\" (\"old\": uint, \"m\": #0)
workgroup-size 1 1 1
%0: uint = 2
%1: uint = 7
%2: uint = 4294967295
%3: #0 = state
%4: #0 = store %3, %0, %1
%5: #1 = atomic.exchange %4, %2, %1
%6: uint = field.0 %5
%7: #0 = field.1 %5
%8: uint = load %7, %0
%9: uint = add %8, %6
%10: uint = size %7
%11: uint = shift-left %10, %0
%12: uint = add %9, %11
%13: uint = 0
%14: #0 = store %7, %13, %12
effect %14";
    assert_eq!(run(text, [1, 1, 1], &[5, 6]), Ok(vec![8, 6]));
}

#[test]
fn a_stored_nan_has_one_word() {
    let text = "type #0 = memory \"m\"
workgroup-size 1 1 1
%0: uint = 0
%1: uint = 1
%2: #0 = state
%3: uint = load %2, %0
%4: num = from-bits %3
%5: uint = bits %4
%6: #0 = store %2, %1, %5
effect %6";
    assert_eq!(run(text, [1, 1, 1], &[0xffc1_2345, 0]), Ok(vec![0xffc1_2345, 0x7fc0_0000]));
    assert_eq!(run(text, [1, 1, 1], &[0x3f80_0000, 0]), Ok(vec![0x3f80_0000; 2]));
}

/// Invocation 0 alone waits, or the barrier stands in a loop of different rounds.
#[test]
fn divergent_barriers_name_two_invocations() {
    let head = "type #0 = memory \"m\"
type #1 = struct \"Barrier\" (\"m\": #0)
workgroup-size 3 2 1
%0: uint = 0
%1: uint = 1
%2: uint = input local-index
%3: #0 = state
%4: bool = less %2, %1
";
    let branch = "%5: #0 = if %4 {
%6: #1 = barrier %3
%7: #0 = field.0 %6
yield %7
} else {
yield %3
}
%8: #0 = store %5, %0, %2
effect %8";
    let rounds = "%5: #0 = loop (%6: #0 = %3, %7: uint = %0) {
%8: #1 = barrier %6
%9: #0 = field.0 %8
%10: uint = add %7, %1
%11: bool = less %7, %2
if %11 {
rec %9, %10
} else {
yield %9
}
}
effect %5";
    for (text, arrived, other) in [(branch, [0, 0, 0], [1, 0, 0]), (rounds, [1, 0, 0], [0, 0, 0])] {
        let fault = run(&format!("{head}{text}"), [3, 2, 1], &[0]).expect_err("it diverges");
        let is_it = matches!(fault, DispatchFault::DivergentBarrier { arrived: a, other: b, .. }
            if a == arrived && b == other);
        assert!(is_it, "{fault:?}");
        let Diagnostic { code, message, .. } = fault.diagnostic().expect("it has one");
        assert_eq!(code, DiagnosticCode::DivergentBarrier);
        for [x, y, z] in [arrived, other] {
            assert!(message.contains(&format!("({x}, {y}, {z})")), "{message}");
        }
    }
}

/// The first fault in the order of the dispatch is reported.
/// An `if` of a state has consumed the states in its arms, so it is not replaced by an arm where its condition is known.
#[test]
fn decisions_about_states_are_made_again() {
    let text = "type #0 = memory \"m\"
workgroup-size 4 1 1
%0: uint = 0
%1: uint = 1
%2: uint = input local-index
%3: #0 = state
%4: bool = less %2, %1
%5: #0 = if %4 {
%6: #0 = store %3, %0, %1
yield %6
} else {
yield %3
}
%7: bool = less %1, %2
%8: #0 = if %7 {
%9: #0 = if %4 {
yield %5
} else {
%10: #0 = store %5, %1, %2
yield %10
}
yield %9
} else {
yield %5
}
effect %8";
    assert_eq!(run(text, [4, 1, 1], &[5, 6]), Ok(vec![1, 3]));
}

#[test]
fn a_loop_without_end_is_a_fault_of_its_invocation() {
    let text = "type #0 = memory \"m\"
workgroup-size 4 1 1
%0: uint = 1
%1: uint = input local-index
%2: #0 = state
%3: #0 = loop (%4: #0 = %2) {
%5: uint = load %4, %0
%6: uint = add %5, %0
%7: #0 = store %4, %0, %6
%8: bool = less %0, %1
if %8 {
rec %7
} else {
yield %7
}
}
effect %3";
    let fault = run(text, [4, 1, 1], &[0, 0]).expect_err("it does not end");
    let is_it = matches!(
        fault,
        DispatchFault::Invocation { id: [2, 0, 0], fault: EvaluationFault::LoopLimit(_) }
    );
    assert!(is_it, "{fault:?}");
    assert_eq!(run(text, [2, 1, 1], &[0, 0]), Ok(vec![0, 2]));
    assert_eq!(fault.diagnostic(), None);
}

/// A loop that only reads is awaited by the state after it: the load stays before the store.
#[test]
fn loops_that_read_come_before_later_stores() {
    let text = "type #0 = memory \"m\"
workgroup-size 1 1 1
%0: uint = 0
%1: uint = 1
%2: #0 = state
%3: uint = loop (%4: uint = %0) {
%5: uint = load %2, %4
%6: uint = add %4, %1
%7: bool = less %5, %1
if %7 {
yield %4
} else {
rec %6
}
}
%8: #0 = after %2, %3
%9: #0 = store %8, %0, %0
%11: #0 = store %9, %1, %3
effect %11";
    assert_eq!(run(text, [1, 1, 1], &[9, 9, 9, 0]), Ok(vec![0, 3, 9, 0]));
}

#[test]
fn texts_are_printed_as_they_were_read() {
    let text = "lambdav-core 2

type #0 = memory \"m\"
type #1 = workgroup \"w\" 16
type #2 = struct \"Old\" (\"old\": uint, \"m\": #0)

workgroup-size 4 2 1

%0: uvec3 = input global-id
%1: uint = component.0 %0
%2: #0 = state
%3: uint = load %2, %1
%4: #2 = atomic.compare-exchange %2, %1, %3, %1
%5: #0 = field.1 %4
%6: uint = input local-index
%7: #0 = store %5, %6, %6

effect %7
";
    let (read_core, diagnostics) = read(&SourceFile::new("a.core", text));
    let read_core = read_core.unwrap_or_else(|| panic!("{diagnostics:?}"));
    assert_eq!(read_core.workgroup, Some([4, 2, 1]));
    let printed = print(&read_core, None).expect("it is small");
    let again = read(&SourceFile::new("b.core", &*printed)).0.expect("it is right");
    assert_eq!(print(&again, None).expect("it is small"), printed);
    for line in ["type #0 = memory \"m\"", "workgroup \"w\" 16", "workgroup-size 4 2 1", "effect %"]
    {
        assert!(printed.contains(line), "{printed}");
    }
}

#[test]
fn wrong_texts_have_a_diagnostic() {
    let head = "type #0 = memory \"m\"\nworkgroup-size 1 1 1\n%0: #0 = state\n%1: uint = 0\n";
    for lines in [
        "type #0 = memory \"m\"\n%0: #0 = state\neffect %0",
        "workgroup-size 1 1 1\n%0: uint = input local-index\n",
        "%0: uint = input local-index\n%1: num = convert %0\noutput 0 = %1",
        "type #0 = workgroup \"m\" 0",
        "type #0 = workgroup \"m\" 65537",
        "workgroup-size 1025 1 1",
        "workgroup-size 32 32 2",
        &format!("{head}%2: #0 = ()\neffect %2"),
        &format!("{head}effect %0\neffect %0"),
        &format!(
            "{head}type #1 = memory \"n\"\n%2: #0 = store %0, %1, %1\n%3: #1 = state\neffect %3"
        ),
        &format!("{head}effect %1"),
        &format!("{head}%2: uint = load %1, %1\neffect %0"),
        &format!("{head}%2: bool = true\n%3: #0 = select %2, %0, %0\neffect %3"),
        &format!("{head}%2: num = 1.0\noutput 0 = %2\neffect %0"),
        &format!("{head}type #1 = array 2 #0\n%2: #1 = construct %0, %0\neffect %0"),
        &format!("{head}type #1 = memory \"m\"\neffect %0"),
    ] {
        let source = SourceFile::new("a.core", format!("lambdav-core 2\n{lines}\n"));
        let (core, diagnostics) = read(&source);
        assert!(core.is_none(), "{lines}");
        assert_eq!(diagnostics[0].code, DiagnosticCode::MalformedCore, "{lines}");
    }
    let source = SourceFile::new("a.core", "lambdav-core 1\ntype #0 = memory \"m\"\n");
    assert_eq!(read(&source).1[0].code, DiagnosticCode::MalformedCore);
}

/// Engines that draw schedule outputs, which a program with memories has not.
#[test]
fn no_picture_is_drawn() {
    let core = core("type #0 = memory \"m\"\nworkgroup-size 1 1 1\n%0: #0 = state\neffect %0");
    let refused = schedule(&core, &[0]).expect_err("it draws nothing");
    assert_eq!(refused.code, DiagnosticCode::Dispatched);
    assert!(refused.message.contains("`m`"), "{}", refused.message);
}

/// The time of scheduling is linear in the number of accesses, one after another and in nested branches.
#[test]
fn long_programs_are_scheduled() {
    use std::fmt::Write;
    let head = "type #0 = memory \"m\"\nworkgroup-size 1 1 1\n%0: uint = 1\n%1: uint = input local-index\n%2: #0 = state\n";
    let count = 20_000;
    let mut text = head.to_owned();
    let (mut state, mut next) = (2, 3);
    for _ in 0..count {
        let [word, sum, new] = [next, next + 1, next + 2];
        next += 3;
        write!(text, "%{word}: uint = load %{state}, %1\n%{sum}: uint = add %{word}, %0\n%{new}: #0 = store %{state}, %1, %{sum}\n")
            .expect("a string takes all");
        state = new;
    }
    write!(text, "effect %{state}").expect("a string takes all");
    assert_eq!(run(&text, [1, 1, 1], &[7]), Ok(vec![7 + count]));
    // Branches in branches; each stores, and loads what the ones around it left.
    let (depth, mut next) = (2_000, 3);
    let (mut text, mut ends, mut state) = (head.to_owned(), Vec::new(), 2);
    for _ in 0..depth {
        let [word, sum, new, holds, inner] = [0, 1, 2, 3, 4].map(|k| next + k);
        next += 5;
        write!(text, "%{word}: uint = load %{state}, %1\n%{sum}: uint = add %{word}, %0\n%{new}: #0 = store %{state}, %1, %{sum}\n%{holds}: bool = less %1, %{sum}\n%{inner}: #0 = if %{holds} {{\n")
            .expect("a string takes all");
        ends.push((inner, new));
        state = new;
    }
    let mut last = state;
    for (inner, new) in ends.into_iter().rev() {
        write!(text, "yield %{last}\n}} else {{\nyield %{new}\n}}\n").expect("a string takes all");
        last = inner;
    }
    write!(text, "effect %{last}").expect("a string takes all");
    assert_eq!(run(&text, [1, 1, 1], &[7]), Ok(vec![7 + depth]));
}
