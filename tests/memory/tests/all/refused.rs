//! Texts that use states out of order.

use lambdav_core::core_text::read;
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::schedule::schedule_all;
use lambdav_core::source::SourceFile;

const HEAD: &str = "lambdav-core 2
type #0 = memory \"m\"
type #1 = memory \"n\"
type #2 = struct \"Barrier\" (\"m\": #0, \"n\": #1)
type #3 = struct \"One\" (\"m\": #0)
workgroup-size 2 1 1
%0: uint = 0
%1: uint = 1
%2: uint = input local-index
%3: bool = less %2, %1
%4: #0 = state
%5: #1 = state
";

/// A name, definitions and results, and whether they are right.
const TEXTS: [(&str, &str, bool); 14] = [
    ("two stores", "%6: #0 = store %4, %0, %1\n%7: #0 = store %6, %0, %2\neffect %7", true),
    (
        "a state consumed twice",
        "%6: #0 = store %4, %0, %1\n%7: #0 = store %4, %1, %2\n%8: uint = load %6, %0\n%9: #0 = store %7, %2, %8\neffect %9",
        false,
    ),
    (
        "a load of a state between two stores",
        "%6: #0 = store %4, %0, %1\n%7: uint = load %6, %1\n%8: #0 = store %6, %0, %2\n%9: #0 = store %8, %1, %7\neffect %9",
        true,
    ),
    (
        "a load whose operand needs a later state",
        "%6: #0 = store %4, %0, %1\n%7: uint = load %6, %0\n%8: uint = load %4, %7\n%9: #0 = store %6, %0, %8\neffect %9",
        false,
    ),
    (
        "a final state that is not the last",
        "%6: #0 = store %4, %0, %1\n%7: uint = load %6, %0\n%8: #1 = store %5, %0, %7\neffect %4\neffect %8",
        false,
    ),
    (
        "an arm that passes its state on",
        "%6: #0 = if %3 {\n%7: #0 = store %4, %0, %1\nyield %7\n} else {\nyield %4\n}\neffect %6",
        true,
    ),
    (
        "a state after an arm that consumed it",
        "%6: #0 = if %3 {\n%7: #0 = store %4, %0, %1\nyield %7\n} else {\nyield %4\n}\n%8: uint = load %6, %0\n%9: #1 = store %5, %0, %8\neffect %4\neffect %9",
        false,
    ),
    (
        "an arm with an effect and another decision for its value",
        "%6: #0 = store %4, %0, %1\n%7: #0 = if %3 {\nyield %6\n} else {\nyield %4\n}\neffect %7",
        true,
    ),
    (
        "an effect in one arm of two decisions",
        "%6: #0 = store %4, %0, %1\n%7: uint = load %6, %0\n%8: #0 = if %3 {\nyield %6\n} else {\nyield %4\n}\n%9: uint = if %3 {\n%10: uint = add %7, %1\nyield %10\n} else {\nyield %0\n}\n%11: #1 = store %5, %0, %9\neffect %8\neffect %11",
        false,
    ),
    (
        "a loop that passes its state on",
        "%6: #0 = loop (%7: #0 = %4, %8: uint = %0) {\n%9: #0 = store %7, %8, %1\n%10: uint = add %8, %1\n%11: bool = less %10, %1\nif %11 {\nrec %9, %10\n} else {\nyield %9\n}\n}\neffect %6",
        true,
    ),
    (
        "a loop that forgets its state",
        "%6: #0 = loop (%7: #0 = %4, %8: uint = %0) {\n%9: #0 = store %7, %8, %1\n%10: uint = add %8, %1\n%12: uint = load %9, %0\n%11: bool = less %12, %10\nif %11 {\nrec %7, %10\n} else {\nyield %9\n}\n}\neffect %6",
        false,
    ),
    (
        "a loop without a parameter for the state",
        "%6: #0 = loop (%8: uint = %0) {\n%9: #0 = store %4, %8, %1\n%10: uint = add %8, %1\n%12: uint = load %9, %0\n%11: bool = less %12, %10\nif %11 {\nrec %10\n} else {\nyield %9\n}\n}\neffect %6",
        false,
    ),
    (
        "a barrier",
        "%6: #0 = store %4, %0, %1\n%7: #2 = barrier %6, %5\n%8: #0 = field.0 %7\neffect %8",
        true,
    ),
    (
        "a barrier that leaves out a memory",
        "%6: #0 = store %4, %0, %1\n%7: #3 = barrier %6\n%8: #0 = field.0 %7\neffect %8",
        false,
    ),
];

/// True if a text can be scheduled.
fn is_accepted(text: &str) -> bool {
    let source = SourceFile::new("a.core", format!("{HEAD}{text}\n"));
    let (core, diagnostics) = read(&source);
    let core = core.unwrap_or_else(|| panic!("{text}: {diagnostics:?}"));
    match schedule_all(&core) {
        Ok(_) => true,
        Err(diagnostic) => {
            assert_eq!(diagnostic.code, DiagnosticCode::MalformedCore);
            false
        }
    }
}

/// The wrong texts that are accepted.
pub(crate) fn accepted() -> Vec<&'static str> {
    let wrong = TEXTS.iter().filter(|(_, _, is_right)| !is_right);
    wrong.filter(|(_, text, _)| is_accepted(text)).map(|(name, ..)| *name).collect()
}

#[test]
fn states_out_of_order_are_refused() {
    assert_eq!(accepted(), [""; 0]);
    for (name, text, is_right) in TEXTS {
        assert!(!is_right || is_accepted(text), "{name} is refused");
    }
}
