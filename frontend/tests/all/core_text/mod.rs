//! Core text: printing and reading.

use crate::resources::resources;
use lambdav_core::core_text::{is_core_text, print, read};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics};
use lambdav_core::evaluate::{EvaluationFault, Evaluator};
use lambdav_core::float::canonical;
use lambdav_core::graph::{Core, NodeId, Output, Uniform};
use lambdav_core::inputs::Inputs;
use lambdav_core::limits;
use lambdav_core::op::Elementary;
use lambdav_core::schedule::{schedule, verify};
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::Type;
use lambdav_frontend::compile;
use lambdav_frontend::reduction;
use lambdav_frontend::syntax::parse;
use std::fmt::Write;

mod hostile;
mod programs;

fn compiled(text: &str) -> Core {
    let (core, diagnostics) = compile(&SourceFile::new("test.lv", text));
    core.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"))
}

fn read_text(text: &str) -> (Option<Core>, Diagnostics) {
    read(&SourceFile::new("test.core", text))
}

fn read_whole(text: &str) -> Core {
    let (core, diagnostics) = read_text(text);
    core.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"))
}

fn printed(core: &Core) -> String {
    print(core, None).expect("it is not nested too deep")
}

/// The inputs of some pixels.
fn pixels(core: &Core) -> impl Iterator<Item = Inputs> {
    let places = [[0.5, 0.5], [1.5, 0.5], [3.5, 2.5], [7.5, 11.5], [100.5, 33.5]];
    places.into_iter().map(|[x, y]| Inputs {
        frag_coord: [x, y, 0.0, 1.0],
        resolution: [128.0, 64.0],
        time: 0.75,
        frame: 3.0,
        mouse: [1.0, 2.0, 3.0, 4.0],
        uniforms: core.uniforms.iter().map(|u| u.default.clone()).collect(),
        resources: resources(core.graph.types()),
    })
}

/// The words of all outputs at these pixels, with one NaN; `None` if a loop exceeds the limit.
type Values = Vec<Option<Vec<u32>>>;

fn values(core: &Core, max_iterations: u64) -> Values {
    let locations: Vec<u32> = core.outputs.iter().map(|o| o.location).collect();
    let program = schedule(core, &locations).expect("it is not nested too deep");
    assert_eq!(verify(&program), Ok(()));
    let mut evaluator = Evaluator::new(&program, max_iterations);
    pixels(core)
        .map(|inputs| {
            evaluator.run(&inputs, &|| false).ok()?;
            Some(
                (0..locations.len())
                    .flat_map(|i| evaluator.output(i))
                    .copied()
                    .map(canonical)
                    .collect(),
            )
        })
        .collect()
}

/// The same values, by the source evaluator.
fn source_values(text: &str, core: &Core, max_iterations: u64) -> Values {
    let (tree, _) = parse(&SourceFile::new("test.lv", text));
    let program = reduction::SourceProgram::new(&tree).expect("the compiler takes it");
    let limits = reduction::Limits { max_iterations, ..reduction::Limits::default() };
    pixels(core)
        .map(|inputs| {
            let mut words = Vec::new();
            for output in &core.outputs {
                let value = program.run(output.location, &inputs, limits, &|| false).ok()?;
                words.extend(value.iter().copied().map(canonical));
            }
            Some(words)
        })
        .collect()
}

/// Checks all properties of a program and its text.
fn check(text: &str) {
    let core = compiled(text);
    let first = printed(&core);
    let again = read_whole(&first);
    assert_eq!(printed(&again), first, "the text of what is read is another, for {text}");
    assert_eq!(again.uniforms, core.uniforms);
    let locations = |core: &Core| core.outputs.iter().map(|o| o.location).collect::<Vec<_>>();
    assert_eq!(locations(&again), locations(&core));
    let found = values(&again, 1000);
    assert_eq!(found, values(&core, 1000), "{text}\n{first}");
    if text.len() < 2000 {
        assert_eq!(found, source_values(text, &core, 1000), "{text}\n{first}");
    }
}

#[test]
fn programs_survive() {
    let fails = |program: &&&str| std::panic::catch_unwind(|| check(program)).is_err();
    let failing: Vec<_> = programs::PROGRAMS.iter().filter(fails).collect();
    assert!(failing.is_empty(), "{failing:#?}");
    let guarded = |program: &&&str| printed(&compiled(program)).contains(" = guard %");
    assert!(programs::PROGRAMS.iter().filter(guarded).count() >= 3);
    for f in Elementary::ALL {
        check(&match f.arity() {
            1 => format!("({} (/ (.x (frag-coord)) 64))", f.name()),
            _ => format!("({} (.x (frag-coord)) (.xyz (resolution)))", f.name())
                .replace(".xyz (resolution)", ".y (frag-coord)"),
        });
    }
}

#[test]
fn sharing_survives() {
    let mut text = String::from("(define f0 (func (x) (+ x 1)))\n");
    for i in 1..=200 {
        let _ = writeln!(text, "(define f{i} (func (x) (+ (f{0} x) (f{0} x))))", i - 1);
    }
    text.push_str("(f200 (.x (frag-coord)))");
    check(&text);
    assert!(printed(&compiled(&text)).lines().count() < 250);
}

#[test]
fn deep_ifs_survive() {
    let mut text = String::from("(define x (.x (frag-coord)))\n");
    for i in 0..10_000 {
        let _ = writeln!(text, "(if (< x {i}) (+ x {i})");
    }
    text.push_str("(sin x)");
    text.push_str(&")".repeat(10_000));
    check(&text);
}

/// The text of `depth` nested `if`s.
fn nested(depth: usize) -> String {
    let mut text = String::from("lambdav-core 1\n%0: num = input time\n%1: bool = equal %0, %0\n");
    for i in 0..depth {
        let _ = write!(text, "%{}: num = if %1 {{\nyield %0\n}} else {{\n", i + 2);
    }
    let _ = writeln!(text, "%{0}: num = neg %0\nyield %{0}\n}}", depth + 2);
    for i in (1..depth).rev() {
        let _ = writeln!(text, "yield %{}\n}}", i + 2);
    }
    text.push_str("output 0 = %2\n");
    text
}

#[test]
fn as_deep_as_schedules_go() {
    let core = read_whole(&nested(limits::BLOCK_NESTING));
    let text = printed(&core);
    assert_eq!(printed(&read_whole(&text)), text);
    let (core, diagnostics) = read_text(&nested(limits::BLOCK_NESTING + 1));
    assert!(core.is_none());
    assert_eq!(diagnostics.len(), 1);
}

#[test]
fn deep_loops() {
    let depth = 1000;
    let mut text = String::from("lambdav-core 1\n%0: num = 0.0\n%1: num = 2.0\n");
    let mut last = 0;
    let mut id = 2;
    for _ in 0..depth {
        let _ = writeln!(text, "%{id}: num = loop (%{}: num = %{last}) {{", id + 1);
        last = id + 1;
        id += 2;
    }
    let _ = writeln!(text, "%{id}: bool = less %{last}, %1\nif %{id} {{");
    let _ = writeln!(text, "%{0}: num = add %{last}, %1\nrec %{0}", id + 1);
    let _ = writeln!(text, "}} else {{\nyield %{last}\n}}\n}}");
    id += 2;
    for i in (1..depth).rev() {
        let (inner, param) = (2 + 2 * i, 1 + 2 * i);
        let _ = writeln!(text, "%{id}: bool = less %{inner}, %{param}\nif %{id} {{");
        let _ = writeln!(text, "rec %{inner}\n}} else {{\nyield %{inner}\n}}\n}}");
        id += 1;
    }
    text.push_str("output 0 = %2\n");
    let core = read_whole(&text);
    let first = printed(&core);
    assert_eq!(printed(&read_whole(&first)), first);
    assert_eq!(values(&core, 1000)[0], Some(vec![2f32.to_bits()]));
}

/// A program that yields a constant and has one uniform of the same value.
fn constant(ty: Type, words: &[u32]) -> Core {
    let mut core = Core::default();
    let node: NodeId = core.graph.constant(ty, words, Span::default());
    core.outputs.push(Output { location: 3, node, span: Span::default() });
    core.uniforms.push(Uniform { name: "\"a\\{}:=,λ".into(), ty, default: words.into() });
    core
}

#[test]
fn every_kind_of_number_is_exact() {
    let specials = [0, 0x8000_0000, 1, 0x8000_0001, 0x007f_ffff, 0x0080_0000, 0x7f7f_ffff];
    let infinite = [0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0xffc0_0001, 0x7f80_0001];
    let mut words: Vec<u32> = specials.into_iter().chain(infinite).collect();
    words.extend((0..20_000u32).map(|i| i.wrapping_mul(0x9e37_79b9)));
    for four in words.chunks(4) {
        let ty = Type::of(lambdav_core::types::Scalar::F32, four.len() as u8);
        let core = constant(ty, four);
        let again = read_whole(&printed(&core));
        assert_eq!(again.uniforms, core.uniforms);
        let node =
            |core: &Core| core.graph.constant_words(core.outputs[0].node).map(<[u32]>::to_vec);
        assert_eq!(node(&again), node(&core));
    }
    for bits in [0.1f32, 1e-45, 1e38, 123_456.79, 16_777_216.0, -0.0] {
        let text = printed(&constant(Type::NUM, &[bits.to_bits()]));
        assert!(text.contains(&format!(" = {bits:?}\n")), "{text}");
    }
}

#[test]
fn the_first_word_decides() {
    for text in ["lambdav-core 1", "\u{feff}\n ; remark\n\t lambdav-core", "lambdav-core;"] {
        assert!(is_core_text(text), "{text}");
    }
    for text in ["", "(f)", "; lambdav-core", "lambdav-cores", "a lambdav-core", "(lambdav-core)"] {
        assert!(!is_core_text(text), "{text}");
    }
}

#[test]
fn the_text_reads_well() {
    let source = SourceFile::new(
        "spiral.lv",
        "(uniform gain num 0.5)\n\
         (define x (.x (frag-coord)))\n\
         ((rec-func (a n)\n  (if (< a 1) n (rec (* a gain) (+ n 1)))) x 0)\n",
    );
    let core = compile(&source).0.expect("it is right");
    let expected = "\
lambdav-core 1
; positions: spiral.lv

uniform \"gain\": num = 0.5

%0: vec4 = input frag-coord  ; 2:15
%1 \"x\": num = component.0 %0  ; 2:11
%2: num = 0.0  ; 4:46
%3: num = 1.0  ; 4:12
%4: num = uniform \"gain\"  ; 1:1
%5: num = loop (%6 \"a\": num = %1, %7 \"n\": num = %2) {  ; 3:2
  %8: bool = less %6, %3  ; 4:7
  if %8 {
    yield %7
  } else {
    %9: num = mul %6, %4  ; 4:22
    %10: num = add %7, %3  ; 4:33
    rec %9, %10
  }
}

output 0 = %5
";
    assert_eq!(print(&core, Some(&source)).expect("it is shallow"), expected);
    assert_eq!(read_whole(expected).graph.loop_count(), 1);
}

#[test]
fn options_of_textures_survive() {
    for (options, words) in [
        ("", "linear clamp"),
        ("(filter nearest) (wrap mirror mirror)", "nearest mirror"),
        ("(wrap border repeat)", "linear border repeat"),
        ("(kind volume) (wrap clamp clamp mirror-once)", "volume linear clamp clamp mirror-once"),
        ("(kind array) (border black)", "array linear clamp border-black"),
        ("(kind cube) (wrap repeat)", "cube linear repeat"),
        ("(kind depth) (border white)", "linear clamp border-white compare-less-eq"),
        ("(compare neq) (border clear) srgb", "linear clamp compare-neq srgb"),
        ("(bias -0.5) (levels 0 3.25) mipmaps", "linear clamp bias -0.5 levels 0.0 3.25 mipmaps"),
    ] {
        let core = compiled(&format!("(texture t {options}) (num (.x (texture-size t)))"));
        let text = printed(&core);
        let line = format!("texture \"t\" {words}\n");
        assert!(text.contains(&line), "{options}: {text}");
        let again = read_whole(&text);
        let resources = [&core, &again].map(|core| core.graph.types().resources().to_vec());
        assert_eq!(resources[0], resources[1], "{options}");
    }
}

#[test]
fn wrong_options_of_textures_are_reported() {
    let text = printed(&compiled("(texture t) (num (.x (texture-size t)))"));
    for (words, found) in [
        ("linear tile", "`tile` is no way to wrap a texture"),
        ("cubic clamp", "`cubic` is no way to filter a texture"),
        ("linear clamp clamp clamp", "must end"),
        ("linear clamp border-red", "must end"),
        ("linear clamp bias inf", "a level of detail is finite"),
        ("linear clamp levels 1", "not a component"),
        ("linear border native", "a device's sampler lacks an option"),
        ("linear clamp bias 1.0 native", "a device's sampler lacks an option"),
    ] {
        let (core, diagnostics) = read_text(&text.replace("linear clamp", words));
        assert!(core.is_none(), "{words}");
        let messages: Vec<String> = diagnostics.iter().map(|d| d.message.clone()).collect();
        assert!(messages.iter().any(|of| of.contains(found)), "{words}: {messages:?}");
    }
}

/// A value keeps its first name. Names inside the expansion of a builtin are not kept, nor are those of
/// constants, inputs and uniforms.
#[test]
fn names_are_kept() {
    let named = |text: &str| {
        let printed = printed(&compiled(text));
        assert_eq!(print(&read_whole(&printed), None), Ok(printed.clone()));
        let names = printed.lines().filter(|line| line.starts_with('%'));
        let names = names.filter_map(|line| Some(line.split_once(" \"")?.1.split_once("\":")?.0));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(named("(define a (sin (time))) (define b (sin (time))) (vec2 b a)"), ["a"]);
    assert_eq!(named("(let ((a (sin (time)))) (let* ((b a) (c (- b))) (vec2 b c)))"), ["a", "c"]);
    assert_eq!(named("((func (x y) (+ x (- y))) (sin (time)) (time))"), ["x"]);
    assert_eq!(named("(define (f x) (let ((y x)) (sqrt y))) (f (f (f (sin (time)))))"), ["x"; 3]);
    assert_eq!(named("(uniform u num) (let ((t (time)) (v u) (k 3)) (vec3 t v k))"), [""; 0]);
    assert_eq!(named("(smooth-step 0 1 (time))"), [""; 0]);
    assert_eq!(named(r#"(let ((a"\b (sin (time)))) (vec2 a"\b))"#), [r#"a\"\\b"#]);
    let loops =
        "(let ((r ((rec-func (n s) (if (< n (time)) (rec (+ n 1) (* s 2)) s)) 1 2))) (- r))";
    assert_eq!(named(loops), ["r"]);
    let text = printed(&compiled(loops));
    assert!(text.contains(r#" "n": num = %"#) && text.contains(r#" "s": num = %"#), "{text}");
}

#[test]
fn only_what_an_output_needs_is_evaluated() {
    let text = "(output 0 (.x (frag-coord))) (output 1 ((rec-func (i) (if (< i 0) i (rec i))) 1))";
    let core = read_whole(&printed(&compiled(text)));
    let program = schedule(&core, &[0]).expect("it is shallow");
    let mut evaluator = Evaluator::new(&program, 10);
    assert_eq!(evaluator.run(&Inputs::default(), &|| false), Ok(()));
    let program = schedule(&core, &[1]).expect("it is shallow");
    let fault = Evaluator::new(&program, 10).run(&Inputs::default(), &|| false);
    let text = printed(&compiled(text));
    let Err(EvaluationFault::LoopLimit(span)) = fault else { panic!("{fault:?}") };
    assert!(SourceFile::new("", &*text).slice(span).contains("= loop ("), "{text}");
}

#[test]
fn too_long_a_text() {
    let text = format!("lambdav-core 1\n;{}", " ".repeat(limits::CORE_TEXT));
    let (core, diagnostics) = read_text(&text);
    assert!(core.is_none());
    assert_eq!(diagnostics[0].code, DiagnosticCode::TextTooLong);
}
