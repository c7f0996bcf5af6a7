//! The instructions of emitted modules.

use crate::support::{Shader, by_words_of};
use lambdav_core::inputs::Inputs;
use lambdav_spirv::disassemble;
use lambdav_spirv_backend::emit as emit_program;
use lambdav_spirv_backend::emit::{EmitOptions, EmittedModule, Exact, Subnormals};
use lambdav_spirv_eval::{Arithmetic, Module};
use rspirv::binary::Assemble;
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, GlslStd450Op, Op};

/// Options for exact modules on most GPUs.
const EXACT: Exact = Exact {
    float64: true,
    fused: true,
    subnormals: Subnormals::Integers,
    report: None,
    registers: false,
};

fn count(text: &str, op: &str) -> usize {
    text.lines().filter(|line| line.split_whitespace().any(|word| word == op)).count()
}

#[test]
fn exact_arithmetic_is_not_contracted() {
    let arithmetic = ["OpFAdd", "OpFSub", "OpFMul", "OpFDiv", "OpFNegate"];
    for float64 in [true, false] {
        let exact = Some(Exact { float64, fused: false, ..EXACT });
        let options = EmitOptions { exact, ..EmitOptions::default() };
        let shader = Shader::new(
            "b.lv",
            "(vec4 (fma (time) 3 (frame)) (tan (/ 2 (time))) (sqrt (- (frame) (time))) (pow (frame) (time)))",
        );
        let text = disassemble(&shader.emitted(&options).words).expect("it is a module");
        let total: usize = arithmetic.iter().map(|op| count(&text, op)).sum();
        assert!(total > if float64 { 50 } else { 0 }, "{total}");
        assert_eq!(count(&text, "NoContraction"), total, "{text}");
    }
}

/// `NoContraction` is what gives every `fma` the same precision.
#[test]
fn fused_operations_are_not_contracted() {
    let shader = Shader::new("a.lv", "(vec3 (fma (time) 3 (frame)) (/ 2 (time)) (sqrt (frame)))");
    for (exact, least) in [(None, 1), (Some(EXACT), 12)] {
        let words = shader.emitted(&EmitOptions { exact, ..EmitOptions::default() }).words;
        let module = rspirv::dr::load_words(&words).expect("it is a module");
        let decorated: Vec<u32> = module
            .annotations
            .iter()
            .filter(|it| it.operands.get(1) == Some(&Decoration::NoContraction.into()))
            .map(|it| it.operands[0].unwrap_id_ref())
            .collect();
        let is_fma = |it: &&rspirv::dr::Instruction| {
            let function = it.operands.get(1);
            it.class.opcode == Op::ExtInst
                && function == Some(&Operand::LiteralExtInstInteger(GlslStd450Op::Fma as u32))
        };
        let all: Vec<u32> =
            module.all_inst_iter().filter(is_fma).filter_map(|it| it.result_id).collect();
        assert!(all.len() >= least && all.iter().all(|id| decorated.contains(id)), "{all:?}");
    }
}

/// Arrays of the dispatch loop have constant indices except for one store to each, which keeps it out of
/// registers.
#[test]
fn the_machine_keeps_values_in_memory_or_in_registers() {
    let shader =
        Shader::new("a.lv", "(let* ((a (sin (time))) (b (pow a (frame)))) (vec4 a b (* a b) 1))");
    for registers in [false, true] {
        let exact = Some(Exact { float64: false, registers, ..EXACT });
        let module = shader.emitted(&EmitOptions { exact, ..EmitOptions::default() });
        let module = rspirv::dr::load_words(&module.words).expect("it is a module");
        let globals = || module.types_global_values.iter();
        let constants: Vec<u32> = globals()
            .filter(|it| it.class.opcode == Op::Constant)
            .filter_map(|it| it.result_id)
            .collect();
        let is_rare = |of: &&rspirv::dr::Function| {
            let name = module
                .debug_names
                .iter()
                .find(|it| it.operands[1] == Operand::LiteralString("rare".to_owned()));
            name.map(|it| it.operands[0].unwrap_id_ref()) == of.def_id()
        };
        let rare = module.functions.iter().find(is_rare).expect("it is there");
        let arrays: Vec<u32> = rare
            .all_inst_iter()
            .filter(|it| it.class.opcode == Op::AccessChain)
            .filter(|it| !constants.contains(&it.operands[1].unwrap_id_ref()))
            .map(|it| it.operands[0].unwrap_id_ref())
            .collect();
        let of_machine: std::collections::HashSet<u32> = rare
            .all_inst_iter()
            .filter(|it| it.class.opcode == Op::AccessChain)
            .map(|it| it.operands[0].unwrap_id_ref())
            .filter(|&id| {
                rare.all_inst_iter()
                    .any(|it| it.class.opcode == Op::Variable && it.result_id == Some(id))
            })
            .collect();
        assert!(!of_machine.is_empty(), "values go from block to block");
        assert_eq!(arrays.len(), if registers { 0 } else { of_machine.len() }, "{registers}");
    }
}

/// NVIDIA's compiler crashes on φ's of bools in loop headers.
#[test]
fn no_bools_go_round_in_loops() {
    let shader = Shader::new(
        "a.lv",
        "((rec-func (n was (all bvec3))
            (if (< n (time)) (rec (+ n 1) (< (.x (frag-coord)) n) (bvec3 was (not was) true))
                             (if (and was (.y all)) n 1)))
          0 (less (time) 3) (bvec3 true (less (time) 4) false))",
    );
    for exact in [None, Some(EXACT)] {
        let module = shader.emitted(&EmitOptions { exact, ..EmitOptions::default() });
        let module = rspirv::dr::load_words(&module.words).expect("it is a module");
        let types: std::collections::HashMap<u32, &rspirv::dr::Instruction> =
            module.types_global_values.iter().filter_map(|it| Some((it.result_id?, it))).collect();
        let is_bool = |id: u32| match types[&id].class.opcode {
            Op::TypeVector => {
                let component = types[&types[&id].operands[0].unwrap_id_ref()];
                component.class.opcode == Op::TypeBool
            }
            opcode => opcode == Op::TypeBool,
        };
        let blocks = module.functions.iter().flat_map(|function| &function.blocks);
        let is_header = |block: &&rspirv::dr::Block| {
            block.instructions.iter().any(|it| it.class.opcode == Op::LoopMerge)
        };
        let phis: Vec<u32> = blocks
            .filter(is_header)
            .flat_map(|block| &block.instructions)
            .filter(|it| it.class.opcode == Op::Phi)
            .map(|it| it.result_type.expect("a φ has a type"))
            .collect();
        assert!(phis.len() >= 3 && !phis.into_iter().any(is_bool), "{}", shader.text());
    }
}

/// The instructions of the function with that name in an exact module.
fn function_of(text: &str, name: &str, exact: Exact) -> Vec<Op> {
    let options = EmitOptions { exact: Some(exact), ..EmitOptions::default() };
    let module = Shader::new("a.lv", text).emitted(&options);
    let module = rspirv::dr::load_words(&module.words).expect("it is a module");
    let is_named =
        |it: &&rspirv::dr::Instruction| it.operands[1] == Operand::LiteralString(name.to_owned());
    let named = module.debug_names.iter().find(is_named).expect("it has a name");
    let id = Some(named.operands[0].unwrap_id_ref());
    let function = module.functions.iter().find(|of| of.def_id() == id).expect("it is there");
    function.all_inst_iter().map(|it| it.class.opcode).collect()
}

/// The rare function calls `exp` of the library, so it is a dispatch loop. A selection is no case of its
/// own unless an arm calls `exp`.
#[test]
fn choices_stay_together_in_machines() {
    let stores = |choices: usize, arm: &str| {
        let mut pair = "(.xy (frag-coord))".to_owned();
        for k in 0..choices {
            pair = format!(
                "(let* ((a {pair}) (b (+ (.yx a) {k}.5))) (if (less (.x b) (time)) b {arm}))"
            );
        }
        let text = format!("(let ((pair {pair})) (exp (+ (.x pair) (.y pair))))");
        let of = function_of(&text, "rare", EXACT);
        of.into_iter().filter(|&op| op == Op::Store).count()
    };
    assert_eq!(stores(1, "a"), stores(9, "a"));
    assert!(stores(1, "(exp a)") + 8 < stores(3, "(exp a)"));
}

/// Nested sums reuse their operands in binary64; each component of the mouse, which may be subnormal, is
/// converted once.
#[test]
fn numbers_stay_in_binary64() {
    for text in [
        "(let* ((m (mouse)) (a (* (.x m) (.y m)))) (+ a (.x m)))",
        "(let* ((m (mouse)) (a (* (.x m) (.y m))) (b (- (* a a) (.x m))) (c (min a (abs b))))
           (+ (* b c) (max c (.y m))))",
    ] {
        let of = function_of(text, "rare", EXACT);
        let count = |op| of.iter().filter(|&&it| it == op).count();
        // The digits and the sign of a subnormal result are taken from words of 64 bits.
        assert_eq!([count(Op::ConvertUToF), count(Op::UConvert)], [2, 2], "{text}");
    }
}

/// Compile times double with each loop that follows another.
#[test]
fn functions_with_loops_are_not_called_often() {
    let exact = Exact { float64: false, fused: false, ..EXACT };
    let calls = |divisions: usize| {
        let quotient = (0..divisions).fold("(time)".to_owned(), |of, k| format!("(/ {of} {k}.5)"));
        let of = function_of(&quotient, "fast", exact);
        of.into_iter().filter(|&op| op == Op::FunctionCall).count()
    };
    assert_eq!([2, 8, 20].map(calls), [2, 8, 1]);
}

/// Counts the extra exits of loops for pixels that are computed again: each loads the switch.
#[test]
fn loops_that_count_have_no_way_out_of_their_own() {
    let ways_out = |text: &str| {
        let options = EmitOptions { exact: Some(EXACT), ..EmitOptions::default() };
        let module = Shader::new("a.lv", text).emitted(&options);
        let module = rspirv::dr::load_words(&module.words).expect("it is a module");
        let named = |name: &str| {
            let is_it = |it: &&rspirv::dr::Instruction| {
                it.operands[1] == Operand::LiteralString(name.to_owned())
            };
            module.debug_names.iter().find(is_it).map(|it| it.operands[0].unwrap_id_ref())
        };
        let again = named("again").map(Operand::IdRef);
        let fast = module.functions.iter().find(|of| of.def_id() == named("fast"));
        let instructions = fast.expect("it is there").all_inst_iter();
        // Each note also loads and stores the switch.
        let of_variable = instructions.filter(|it| it.operands.first() == again.as_ref());
        let counts = of_variable.fold([0; 2], |[loads, stores], it| match it.class.opcode {
            Op::Load => [loads + 1, stores],
            Op::Store => [loads, stores + 1],
            _ => [loads, stores],
        });
        counts[0] - counts[1]
    };
    let up = |start: &str, condition: &str, next: &str| {
        format!("(num ((rec-func (i) (if {condition} (rec {next}) i)) {start}))")
    };
    for (expected, text) in [
        (0, up("0", "(less i (min 10 (time)))", "(+ i 1)")),
        (0, up("(max 0 (time))", "(less i (min (time) 10))", "(+ 1 i)")),
        (0, up("(min 15 (time))", "(greater i 0)", "(- i 1)")),
        (0, up("0", "(and (less (time) 3) (not (greater i 9)))", "(+ i (if (less i 5) 1 1))")),
        (0, up("(max 0i (int (time)))", "(not (>= i 9i))", "(+ i 3i)")),
        (0, up("0u", "(less i (min (uint (time)) 100u))", "(+ i 1u)")),
        // The loop leaves with a value of its last round.
        (1, "((rec-func (i) (if (less i (min 10 (time))) (rec (+ i 1)) (* i (time)))) 0)".to_owned()),
        // The counter may be far from the bound, or never reach it.
        (1, up("(time)", "(less i 10)", "(+ i 1)")),
        (1, up("0", "(less i (time))", "(+ i 1)")),
        (1, up("0", "(less i (max 10 (time)))", "(+ i 1)")),
        (1, up("0", "(less i (min 10 (time)))", "(+ i (time))")),
        (1, up("0", "(less i (min 10 (time)))", "(* i 2)")),
        (1, up("0", "(less i (min 10 (time)))", "(- i 1)")),
        (1, up("0", "(or (less i 10) (less (time) 3))", "(+ i 1)")),
        (1, up("0", "(less i (min 10 (time)))", "(+ i 1e-4)")),
        (1, up("0", "(less i (min 5000 (time)))", "(+ i 1)")),
        (1, up("(max (uint (time)) 9u)", "(greater i 2u)", "(- i 3u)")),
        // NaN fails `>= 10`, too.
        (1, up("(max (time) 0)", "(not (>= i 10))", "(+ i 1)")),
        // The rounds of both loops together exceed the limit.
        (
            1,
            "((rec-func (i) (if (less i (min 90 (time)))
                (rec (+ i ((rec-func (k) (if (less k (min 90 (time))) (rec (+ k 1)) 1)) 0))) i)) 0)"
                .to_owned(),
        ),
    ] {
        assert_eq!(ways_out(&text), expected, "{text}");
    }
}

/// Maps `%7 = OpFAdd …` to `(OpFAdd, name of %7)`, for all named results.
fn named(words: &[u32]) -> Vec<(&'static str, String)> {
    let module = rspirv::dr::load_words(words).expect("it is a module");
    let names: std::collections::HashMap<u32, &str> = module
        .debug_names
        .iter()
        .filter(|name| name.class.opname == "Name")
        .map(|name| (name.operands[0].unwrap_id_ref(), name.operands[1].unwrap_literal_string()))
        .collect();
    let results = module.all_inst_iter();
    results
        .filter_map(|i| Some((i.class.opname, (*names.get(&i.result_id?)?).to_owned())))
        .filter(|(op, _)| !matches!(*op, "Variable" | "TypeStruct" | "Function"))
        .collect()
}

/// Debuggers see the first source name of a value: of `define`, `let` and parameters, of results of
/// `if`s and loops, and of loop parameters.
#[test]
fn values_have_their_names() {
    let text = "(define (wave phase) (sin (+ phase phase)))
        (define speed (* (time) 3))
        (let* ((a (wave (* speed 2))) (same a) (pair (vec2 a (- a)))
               (steps ((rec-func (n total)
                         (if (< n a) (rec (+ n 1) (let ((more (* total a))) more))
                             (if (< total 9) total (- total))))
                       (time) 0.5))
               (bright (if (< a 0) (+ a 1) (sqrt a))))
          (vec4 (* pair pair) (smooth-step 0 speed bright) steps))";
    let module = Shader::new("a.lv", text).emitted(&EmitOptions::default());
    let wanted = [
        ("Load", "time"),
        ("FMul", "speed"),
        ("FMul", "phase"),
        ("ExtInst", "a"),
        ("CompositeConstruct", "pair"),
        ("Phi", "n"),
        ("Phi", "total"),
        ("FMul", "more"),
        ("Phi", "steps"),
        ("Phi", "bright"),
    ];
    let mut found = named(&module.words);
    found.sort_unstable();
    let mut wanted: Vec<_> = wanted.map(|(op, name)| (op, name.to_owned())).into();
    wanted.sort_unstable();
    assert_eq!(found, wanted);
}

/// A text, a line and a name longer than one instruction.
#[test]
fn long_sources() {
    let name = "n".repeat(300_000);
    let text = format!("; ä{}\n(uniform {name} num 3)\n(vec2 {name} (time))", "ö".repeat(200_000));
    let shader = Shader::new("a.lv", &text);
    let module = shader.emitted(&EmitOptions::default());
    let loaded = Module::new(&module.words).expect("it is read");
    let [source] = loaded.sources() else { panic!("it carries its source") };
    assert_eq!((source.name.as_str(), source.text.as_str()), ("a.lv", text.as_str()));
}

/// Nesting deeper than evaluators may recurse.
#[test]
fn deep_nesting() {
    let mut text = "(time)".to_owned();
    for i in 0..9_000 {
        text = format!("(if (< (time) {i}) (sin {i}) {text})");
    }
    let shader = Shader::new("a.lv", &text);
    let program = shader.scheduled(&[0]);
    let module = emit_program(&program, None, &EmitOptions::default()).expect("it fits");
    assert!(Module::new(&module.words).is_ok());
}

/// Number of words of a program with that many operations, all with names and lines.
fn words(operations: usize) -> usize {
    let mut text = "(define v0 (.x (frag-coord)))".to_owned();
    for i in 1..=operations {
        let (before, number) = (i - 1, i % 97);
        let operation = ["+", "*", "-", "/"][i % 4];
        text.push_str(&format!("\n(define v{i} ({operation} v{before} {number}.5))"));
    }
    text.push_str(&format!("\n(vec3 v{operations})"));
    Shader::new("a.lv", &text).emitted(&EmitOptions::default()).words.len()
}

#[test]
fn modules_grow_with_programs() {
    let [few, many] = [10_000, 160_000].map(words);
    assert!(many < 17 * few, "{few} words, and {many}");
}

/// For a rough device, the evaluator contracts exactly the operations that the module allows.
#[test]
fn sums_of_products_are_contracted_where_they_may_be() {
    type Contracted = fn(f32, f32) -> f32;
    let programs: [(&str, Contracted); 4] = [
        ("(+ (* x y) 0.3)", |x, y| x.mul_add(y, 0.3)),
        ("(+ 0.3 (* x y))", |x, y| x.mul_add(y, 0.3)),
        ("(- (* x y) 0.3)", |x, y| x.mul_add(y, -0.3)),
        ("(- 0.3 (* x y))", |x, y| (-x).mul_add(y, 0.3)),
    ];
    for (text, contracted) in programs {
        let text =
            format!("(define x (.x (frag-coord))) (define y (* 0.3 (.y (frag-coord)))) {text}");
        let shader = Shader::new("a.lv", &text);
        let pixels: Vec<Inputs> = shader.pixels(100).collect();
        let module = shader.emitted(&EmitOptions::default());
        let mut words = rspirv::dr::load_words(&module.words).expect("it is a module");
        words
            .annotations
            .retain(|it| it.operands.get(1) != Some(&Decoration::NoContraction.into()));
        let lenient = EmittedModule { words: words.assemble(), ..module.clone() };
        let of_words = |module: &EmittedModule, is_rough| {
            let arithmetic = Arithmetic { is_rough, ..Arithmetic::default() };
            let program = shader.scheduled(&shader.locations());
            let outcomes = by_words_of(&program, module, &pixels, 1 << 12, arithmetic);
            outcomes
                .into_iter()
                .map(|outcome| outcome.expect("it ends")[0][0])
                .collect::<Vec<u32>>()
        };
        let exact = of_words(&module, false);
        assert_eq!(of_words(&module, true), exact, "{text}");
        assert_eq!(of_words(&lenient, false), exact, "{text}");
        let expected: Vec<u32> = pixels
            .iter()
            .map(|of| contracted(of.frag_coord[0], 0.3 * of.frag_coord[1]).to_bits())
            .collect();
        assert_eq!(of_words(&lenient, true), expected, "{text}");
        assert_ne!(expected, exact, "{text}");
    }
}
