//! The library of exact modules: its texts match its source, and its functions are right.
//!
//! `BLESS=1 cargo test -p lambdav-spirv-backend --test all -- library` writes the texts.

use crate::support::by_words;
use crate::validity::accepted_by_spirv_val;
use lambdav_core::core_text;
use lambdav_core::float::{canonical, canonical_bits};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::op::Op;
use lambdav_core::schedule::{Expr, Program, Statement};
use lambdav_core::source::SourceFile;
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::compile;
use lambdav_spirv::disassemble;
use lambdav_spirv_backend::emit::{EmitOptions, EmittedModule, emit};
use lambdav_spirv_backend::library::{LibraryFunction, program};
use lambdav_test_support::{NUMBERS, Random};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The files of the source, in order.
const SOURCE: [&str; 4] = ["soft.lv", "wide.lv", "tables.lv", "functions.lv"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("library")
}

/// The core of a function, compiled from the source.
fn compiled(function: LibraryFunction) -> Core {
    let mut text = String::new();
    for name in SOURCE {
        text += &std::fs::read_to_string(folder().join(name)).expect("the source is there");
    }
    let operands = &["a", "b", "c"][..function.arity()];
    for operand in operands {
        text += &format!("\n(uniform {operand} num)");
    }
    text += &format!("\n(output 0 (exact-{} {}))\n", function.name(), operands.join(" "));
    let (core, diagnostics) = compile(&SourceFile::new(function.name(), text));
    core.unwrap_or_else(|| panic!("{}: {diagnostics:?}", function.name()))
}

#[test]
fn the_texts_are_those_of_the_source() {
    for &function in LibraryFunction::ALL {
        let path = folder().join("core").join(format!("{}.core", function.name()));
        let text = core_text::print(&compiled(function), None).expect("it is small");
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).expect("the text can be written");
        }
        let known = std::fs::read_to_string(&path).expect("the text is there");
        assert!(text == known, "{} has to be written again", path.display());
    }
}

/// The only float operations are `bits` of the operands and `from-bits` of the result.
#[test]
fn there_is_no_arithmetic_on_floats() {
    for &function in LibraryFunction::ALL {
        let name = function.name();
        let program = program(function);
        assert!(program.uniforms.iter().all(|uniform| uniform.ty == Type::NUM), "{name}");
        assert_eq!(program.uniforms.len(), function.arity(), "{name}");
        let is_float = |value| program.types.scalars(program.ty(value)).any(|of| of == Scalar::F32);
        let mut made = Vec::new();
        for statement in program.blocks.iter().flat_map(|block| &block.statements) {
            let value = statement.value();
            match statement {
                Statement::Let { expr: Expr::Uniform(_), .. } => {}
                Statement::Let { expr: Expr::Op(Op::Bits, operands), .. } => {
                    assert_eq!(program.ty(operands[0]), Type::NUM, "{name}");
                }
                Statement::Let { expr: Expr::Op(Op::FromBits, _), .. } => made.push(value),
                _ => {
                    let used = statement.uses().iter().copied();
                    assert!(!used.chain([value]).any(is_float), "{name}: {statement:?}");
                }
            }
        }
        assert_eq!(program.outputs(), made, "{name}: the result is made once, at the end");
    }
}

fn emitted(program: &Program) -> EmittedModule {
    let options = EmitOptions { strip: true, ..EmitOptions::default() };
    emit(program, None, &options).expect("it can be said in SPIR-V")
}

/// Limits the instructions of the only function: drivers copy it to each call.
#[test]
fn functions_are_small() {
    for &function in LibraryFunction::ALL {
        let name = function.name();
        let text = disassemble(&emitted(&program(function)).words).expect("it is a module");
        let body = text.lines().skip_while(|line| !line.contains("OpFunction ")).count();
        let most = match name {
            "add" | "div" | "mul" | "sqrt" => 140,
            "fma" => 290,
            "exp" | "exp2" => 330,
            "sin" | "cos" | "atan" | "atan2" | "log" | "log2" => 480,
            "atanh" | "tanh" | "cosh" | "sinh" | "asin" | "acos" | "tan" => 560,
            "acosh" | "asinh" => 740,
            _ => 780,
        };
        println!("{name} {body}");
        assert!(body <= most, "{name}: {body} instructions, more than {most}");
    }
}

/// The expected result: the processor's operation, or the reference mathematics.
fn expected(function: LibraryFunction, operands: [f32; 3]) -> u32 {
    let [a, b, c] = operands;
    let value = match function {
        LibraryFunction::Add => a + b,
        LibraryFunction::Mul => a * b,
        LibraryFunction::Div => a / b,
        LibraryFunction::Sqrt => a.sqrt(),
        LibraryFunction::Fma => a.mul_add(b, c),
        LibraryFunction::Elementary(f) => f.evaluate(a, b),
    };
    canonical_bits(value)
}

/// Executes the words at special and random operands; few, since each takes thousands of instructions.
#[test]
fn words_compute_the_functions() {
    let mut random = Random::new(7);
    for &function in LibraryFunction::ALL {
        let program = program(function);
        let module = emitted(&program);
        accepted_by_spirv_val(&module);
        let operand = |random: &mut Random| match random.below(3) {
            0 => f32::from_bits(*random.pick(&NUMBERS)),
            1 => f32::from_bits(random.bits() as u32),
            _ => f32::from_bits(random.bits() as u32 & 0x87ff_ffff | 0x3c00_0000),
        };
        let operands: Vec<[f32; 3]> =
            (0..60).map(|_| [(); 3].map(|()| operand(&mut random))).collect();
        for operands in operands {
            let words = operands[..function.arity()].iter().map(|x| Arc::from([x.to_bits()]));
            let inputs = Inputs { uniforms: words.collect(), ..Inputs::default() };
            let found = by_words(&program, &module, &[inputs], 1 << 16);
            let [pixel] = &found[..] else { unreachable!("there is one pixel") };
            let found = pixel.as_ref().expect("its loops end")[0][0];
            let bits = canonical(found);
            let expected = expected(function, operands);
            assert_eq!(
                bits,
                expected,
                "{} of {operands:?}: {bits:#x} {expected:#x}",
                function.name()
            );
        }
    }
}
