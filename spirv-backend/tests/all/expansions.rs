//! Elementary functions that are expanded rather than called: the module computes what the same
//! formula computes in λV, bit for bit.

use crate::support::{Shader, by_core, by_words};
use lambdav_core::op::{Elementary, Op};
use lambdav_spirv_backend::emit::{self, Builder, Lowering, Operand, native};

/// sin x / cos x
fn tangent(builder: &mut dyn Builder, operands: &[Operand]) -> Operand {
    let [sine, cosine] =
        [Elementary::Sin, Elementary::Cos].map(|f| builder.op(Op::Elementary(f), operands));
    builder.op(Op::Div, &[sine, cosine])
}

/// 2^(y·log2 x), or 1 where y is 0
fn power(builder: &mut dyn Builder, operands: &[Operand]) -> Operand {
    let &[x, y] = operands else { panic!("two operands") };
    let logarithm = builder.op(Op::Elementary(Elementary::Log2), &[x]);
    let exponent = builder.op(Op::Mul, &[y, logarithm]);
    let power = builder.op(Op::Elementary(Elementary::Exp2), &[exponent]);
    let (zero, one) = (builder.number(0.0), builder.number(1.0));
    let is_zero = builder.op(Op::Equal, &[y, zero]);
    builder.op(Op::Select, &[is_zero, one, power])
}

fn expanding(function: Elementary) -> Lowering {
    match function {
        Elementary::Tan => Lowering::Expansion(tangent),
        Elementary::Pow => Lowering::Expansion(power),
        _ => native(function),
    }
}

/// Programs with the functions, and the same with the formulas in their place.
const PROGRAMS: [(&str, &str); 4] = [
    ("(tan (.x (frag-coord)))", "(tan1 (.x (frag-coord)))"),
    ("(tan (frag-coord))", "(tan1 (frag-coord))"),
    (
        "(pow (- (.x (frag-coord)) 3.5) (- (.y (frag-coord)) 2.5))",
        "(pow1 (- (.x (frag-coord)) 3.5) (- (.y (frag-coord)) 2.5))",
    ),
    (
        "(pow (.xy (frag-coord)) (- (.yy (frag-coord)) 4.5))",
        "(pow2 (.xy (frag-coord)) (- (.yy (frag-coord)) 4.5))",
    ),
];

const FORMULAS: &str = "(define (tan1 x) (/ (sin x) (cos x)))
    (define (pow1 x y) (select (= y 0) 1 (exp2 (* y (log2 x)))))
    (define (pow2 x y) (select (= y 0) (vec2 1) (exp2 (* y (log2 x)))))";

#[test]
fn an_expansion_computes_its_formula() {
    for (function, formula) in PROGRAMS {
        let shader = Shader::new("function.lv", function);
        let program = shader.scheduled(&[0]);
        let options = emit::EmitOptions::default();
        let module = emit::emit_with(&program, None, &options, expanding).expect("it fits");
        let text = lambdav_spirv_backend::disassemble(&module.words).expect("it is a module");
        assert!(!text.contains("Tan") && !text.contains("Pow"), "{text}");
        crate::validity::accepted_by_spirv_val(&module);
        let pixels: Vec<_> = shader.pixels(100).collect();
        let formula = Shader::new("formula.lv", &format!("{FORMULAS} {formula}"));
        let wanted = by_core(&formula.scheduled(&[0]), &pixels, 1);
        // The evaluator of modules needs lines for loops only, and there are none.
        assert_eq!(by_words(&program, &module, &pixels, 1), wanted, "{function}");
        // An instruction gives other bits, so the expansion is what was executed.
        let native = emit::emit(&program, None, &options).expect("it fits");
        assert_ne!(by_words(&program, &native, &pixels, 1), wanted, "{function}");
    }
}
