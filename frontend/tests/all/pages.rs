//! The examples of the pages of `lambdav explain`, tested by their tags; and programs for the codes whose
//! examples cannot be written on a page.

use crate::resources::resources;
use lambdav_core::core_text;
use lambdav_core::diagnostics::{DiagnosticCode, Diagnostics, Tag, page_examples};
use lambdav_core::evaluate::{EvaluationFault, Evaluator};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_core::schedule::{schedule, schedule_all};
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;
use lambdav_frontend::syntax::{decode, parse};
use std::fmt::Write;

fn compiled(text: &str) -> (Option<Core>, Diagnostics) {
    compile(&SourceFile::new("page.lv", text))
}

/// The codes of all findings on a program, up to the schedule.
fn codes(text: &str) -> Vec<DiagnosticCode> {
    let (core, diagnostics) = compiled(text);
    let mut codes: Vec<DiagnosticCode> = diagnostics.iter().map(|d| d.code).collect();
    if let Some(core) = core {
        codes.extend(schedule(&core, &locations(&core)).err().map(|d| d.code));
    }
    codes
}

fn locations(core: &Core) -> Vec<u32> {
    core.outputs.iter().map(|output| output.location).collect()
}

/// Computes all outputs of a program without errors at one pixel.
fn evaluate(core: &Core) -> Result<(), EvaluationFault> {
    // A program that draws triangles is evaluated by stages, which needs a rasterizer.
    if core.triangles.is_some() {
        schedule_all(core).expect("examples are not nested deep");
        return Ok(());
    }
    let program = schedule(core, &locations(core)).expect("examples are not nested deep");
    let inputs = Inputs {
        frag_coord: [3.5, 2.5, 0.0, 1.0],
        resolution: [8.0, 4.0],
        time: 0.75,
        uniforms: core.uniforms.iter().map(|u| u.default.clone()).collect(),
        resources: resources(core.graph.types()),
        ..Inputs::default()
    };
    Evaluator::new(&program, 10_000).run(&inputs, &|| false)
}

#[test]
fn examples_are_what_their_tags_say() {
    for &code in DiagnosticCode::ALL {
        for (tag, text) in page_examples(code) {
            let name = code.as_str();
            let (core, diagnostics) = compiled(&text);
            let found: Vec<&str> = diagnostics.iter().map(|d| d.code.as_str()).collect();
            match tag {
                Tag::Text => {}
                Tag::Rejected => {
                    assert_eq!(found.first(), Some(&name), "{name}: {found:?}\n{text}");
                    assert!(core.is_none(), "{name} is no error\n{text}");
                }
                Tag::Warned => {
                    assert_eq!(found, [name], "{text}");
                    assert_eq!(evaluate(&core.expect("accepted")), Ok(()), "{name}\n{text}");
                }
                Tag::Exceeds => {
                    assert_eq!(found, [""; 0], "{name}\n{text}");
                    let outcome = evaluate(&core.expect("accepted"));
                    assert!(
                        matches!(outcome, Err(EvaluationFault::LoopLimit(_))),
                        "{name}\n{text}"
                    );
                }
                Tag::Accepted => {
                    assert_eq!(found, [""; 0], "{name}\n{text}");
                    assert_eq!(evaluate(&core.expect("accepted")), Ok(()), "{name}\n{text}");
                }
            }
        }
    }
}

#[test]
fn the_parser_finds_its_own_mistakes_alone() {
    for &code in DiagnosticCode::ALL {
        for (tag, text) in page_examples(code) {
            if tag == Tag::Text {
                continue;
            }
            let (_, found) = parse(&SourceFile::new("page", text.as_str()));
            let found: Vec<_> = found.iter().map(|d| d.code).collect();
            let by_parser = code.as_str().starts_with("LV01") && tag != Tag::Accepted;
            let expected = if by_parser { &[code][..] } else { &[] };
            assert_eq!(found, expected, "{}: {text}", code.as_str());
        }
    }
}

#[test]
fn codes_without_a_wrong_program_on_their_page_are_provoked_below() {
    let is_right = |tag: &Tag| matches!(tag, Tag::Text | Tag::Accepted);
    let without: Vec<&str> = DiagnosticCode::ALL
        .iter()
        .filter(|&&code| page_examples(code).iter().all(|(tag, _)| is_right(tag)))
        .map(|code| code.as_str())
        .collect();
    // LV0505, LV0506, LV0507, LV0510 to LV0513 and LV0603 are an engine's: the tests of the command provoke them. Those of `tests/memory/`
    // provoke LV0508 and LV0509, those of the SPIR-V frontend LV0604 and LV0605, those of the GLSL frontend LV0611 to
    // LV0623, and those of the WGSL frontend LV0631 to LV0644.
    let here = [
        "LV0101", "LV0106", "LV0107", "LV0108", "LV0503", "LV0505", "LV0506", "LV0507", "LV0508",
        "LV0509", "LV0510", "LV0511", "LV0512", "LV0513", "LV0601", "LV0602", "LV0603", "LV0604",
        "LV0605", "LV0611", "LV0612", "LV0613", "LV0614", "LV0615", "LV0616", "LV0617", "LV0618",
        "LV0619", "LV0620", "LV0621", "LV0622", "LV0623", "LV0631", "LV0632", "LV0633", "LV0634",
        "LV0635", "LV0636", "LV0637", "LV0638", "LV0639", "LV0640", "LV0641", "LV0642", "LV0643",
        "LV0644",
    ];
    assert_eq!(without, here);
}

fn decoding_fails(bytes: &[u8], code: DiagnosticCode) {
    let (_, diagnostic) = decode("page.lv", bytes.to_vec()).expect_err("not a text");
    assert_eq!(diagnostic.code, code);
}

#[test]
fn what_is_no_text_is_refused() {
    decoding_fails(b"(vec4 \xe9 0 0 1)", DiagnosticCode::NotUtf8);
    decoding_fails(b"\xff\xfe(\0v\0", DiagnosticCode::NotUtf8);
    decoding_fails(&vec![b' '; limits::TEXT + 1], DiagnosticCode::TextTooLong);
    assert_eq!(codes("(vec4 1 0 0 1) ; \0"), [DiagnosticCode::ControlCharacter]);
    assert_eq!(codes("(vec4 1 \u{1b} 0 1)")[0], DiagnosticCode::ControlCharacter);
}

#[test]
fn deep_lists_are_refused() {
    let nested = |depth: usize| format!("{}(time){}", "(+ 1 ".repeat(depth), ")".repeat(depth));
    assert_eq!(codes(&nested(limits::LIST_NESTING - 1)), []);
    assert_eq!(codes(&nested(limits::LIST_NESTING)), [DiagnosticCode::NestedTooDeep]);
    let million = "(".repeat(1_000_000);
    assert_eq!(codes(&(million + &")".repeat(1_000_000))), [DiagnosticCode::NestedTooDeep]);
}

#[test]
fn deep_expansions_are_refused() {
    let twice = |times: usize| {
        let mut f = "twice".to_owned();
        (1..times).for_each(|_| f = format!("({f} twice)"));
        format!(
            "(define (twice f) (func (x) (f (f x))))
             (({f} (func (x) (sin (+ x 1)))) (time))"
        )
    };
    assert_eq!(codes(&twice(4)), []);
    // Finite, too, but far beyond the limit.
    assert_eq!(codes(&twice(5)), [DiagnosticCode::EndlessExpansion]);
}

#[test]
fn deep_branches_are_refused() {
    let branches = |from: usize, to: usize, end: &str| {
        let mut text = String::new();
        for i in from..to {
            write!(text, "(if (less x {i}) (sin (+ x {i})) ").expect("a string takes all");
        }
        text + end + &")".repeat(to - from)
    };
    let half = limits::BLOCK_NESTING / 2 + 1000;
    let program = |half: usize| {
        let (low, high) = (branches(0, half, "0"), branches(half, 2 * half, "low"));
        format!("(define x (time)) (define low {low}) {high}")
    };
    assert_eq!(codes(&program(100)), []);
    assert_eq!(codes(&program(half)), [DiagnosticCode::BlocksTooDeep]);
}

fn core_text_fails(text: &str, code: DiagnosticCode) {
    assert!(core_text::is_core_text(text), "{text}");
    let (core, diagnostics) = core_text::read(&SourceFile::new("page.core", text));
    assert!(core.is_none(), "{text}");
    assert_eq!(diagnostics.first().map(|d| d.code), Some(code), "{text}");
}

#[test]
fn malformed_core_texts_are_refused() {
    for lines in [
        "",
        "output 0 = %0\n",
        "%0: vec4 = inptu frag-coord\noutput 0 = %0\n",
        "%0: vec2 = input frag-coord\noutput 0 = %0\n",
    ] {
        core_text_fails(&format!("lambdav-core 1\n{lines}"), DiagnosticCode::MalformedCore);
    }
    core_text_fails("lambdav-core 3\n%0: num = 1.0\noutput 0 = %0\n", DiagnosticCode::CoreVersion);
}

/// The same mistakes at more positions than a page has room for.
#[test]
fn reserved_words_and_types_are_refused_wherever_they_stand() {
    for text in [
        "(define define 1) 1",
        "(define (output x) x) 1",
        "(uniform uniform num 1) 1",
        "((func (define) 1) 2)",
        "((rec-func (output) (if true 1 (rec 2))) 2)",
        "(let ((uniform 1)) 1)",
        "(let* ((output 1)) 1)",
        "(+ 1 (define x 2))",
        "(let ((f uniform)) 1)",
    ] {
        assert_eq!(codes(text).first(), Some(&DiagnosticCode::ReservedWord), "{text}");
    }
    for ty in ["bvec2", "bvec3", "bvec4"] {
        assert_eq!(codes(&format!("(uniform u {ty}) 1")), [DiagnosticCode::UniformType], "{ty}");
    }
}
