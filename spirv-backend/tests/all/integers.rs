//! All core operations on, to and from integers, with operands near limits: the module executes no
//! undefined operation.

use crate::support::{by_core, by_words};
use lambdav_core::graph::{Core, Graph, NodeId, Output, Uniform};
use lambdav_core::inputs::Inputs;
use lambdav_core::op::Op;
use lambdav_core::schedule::schedule;
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type};
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_test_support::{INTEGERS, NUMBERS, Random};

fn op(graph: &mut Graph, op: Op, operands: &[NodeId]) -> NodeId {
    graph.op(op, operands.to_vec(), Span::default())
}

/// The operation on uniforms of these types, of one width; the bits of its result fill two outputs.
fn program(operation: Op, types: &[Type]) -> Core {
    let mut core = Core::default();
    let graph = &mut core.graph;
    let width = types[0].width().expect("a scalar or a vector");
    let [uints, nums] = [Scalar::U32, Scalar::F32].map(|scalar| Type::of(scalar, width));
    let splat = |graph: &mut Graph, ty: Type, word: u32| {
        graph.constant(ty, &vec![word; width.into()], Span::default())
    };
    let mut operands = Vec::new();
    for (index, &ty) in (0..).zip(types) {
        // Bools are made from integers.
        let word = if ty.is_bool() { uints } else { ty };
        let (name, default) = (format!("u{index}"), vec![0; width.into()].into());
        core.uniforms.push(Uniform { name, ty: word, default });
        let mut value = graph.uniform(index, word, Span::default());
        if ty.is_bool() {
            let zero = splat(graph, word, 0);
            value = op(graph, Op::NotEqual, &[value, zero]);
        }
        operands.push(value);
    }
    let result = op(graph, operation, &operands);
    let bits = match graph.value_type(result) {
        ty if ty == uints => result,
        ty if ty == nums => op(graph, Op::Bits, &[result]),
        _ => op(graph, Op::Convert(Scalar::U32), &[result]),
    };
    let [mask, sixteen] = [0xffff, 16].map(|word| splat(graph, uints, word));
    let halves = [(Op::And, mask), (Op::ShiftRight, sixteen)];
    for (location, (of, by)) in (0..).zip(halves) {
        let half = op(graph, of, &[bits, by]);
        let node = op(graph, Op::Convert(Scalar::F32), &[half]);
        core.outputs.push(Output { location, node, span: Span::default() });
    }
    core
}

fn check(operation: Op, scalars: &[Scalar], random: &mut Random) {
    for width in [1, 3] {
        let types: Vec<Type> = scalars.iter().map(|&scalar| Type::of(scalar, width)).collect();
        let core = program(operation, &types);
        let program = schedule(&core, &[0, 1]).expect("it nests little");
        let options = EmitOptions::default();
        let module = emit(&program, None, &options).expect("it fits");
        crate::validity::accepted(&module);
        let pools: Vec<&[u32]> = scalars
            .iter()
            .map(|scalar| if *scalar == Scalar::F32 { &NUMBERS[..] } else { &INTEGERS })
            .collect();
        let pairs = if scalars.len() > 1 { NUMBERS.len() * INTEGERS.len() } else { INTEGERS.len() };
        for pair in 0..pairs {
            let word = |operand: usize, component: usize, random: &mut Random| {
                let pool = pools[operand];
                match operand {
                    0 => pool[(pair + component) % pool.len()],
                    1 => pool[(pair / pool.len() + component * 5) % pool.len()],
                    _ if random.below(2) == 0 => random.bits() as u32,
                    _ => pool[random.below(pool.len())],
                }
            };
            let uniforms = (0..types.len())
                .map(|operand| (0..width.into()).map(|i| word(operand, i, random)).collect())
                .collect();
            let pixels = [Inputs { uniforms, ..Inputs::default() }];
            let wanted = by_core(&program, &pixels, 1);
            let found = by_words(&program, &module, &pixels, 1);
            assert_eq!(found, wanted, "{operation:?} of {:x?}", pixels[0].uniforms);
        }
    }
}

#[test]
fn integers() {
    let mut random = Random::new(1);
    for scalar in [Scalar::I32, Scalar::U32] {
        for operation in [
            Op::Add,
            Op::Sub,
            Op::Mul,
            Op::MulHigh,
            Op::Div,
            Op::Rem,
            Op::Min,
            Op::Max,
            Op::Less,
            Op::LessEqual,
            Op::Equal,
            Op::NotEqual,
            Op::And,
            Op::Or,
            Op::Xor,
        ] {
            check(operation, &[scalar; 2], &mut random);
        }
        for operation in [Op::ShiftLeft, Op::ShiftRight] {
            check(operation, &[scalar, Scalar::U32], &mut random);
        }
        let other = if scalar == Scalar::I32 { Scalar::U32 } else { Scalar::I32 };
        let conversions = [Scalar::F32, Scalar::Bool, other].map(Op::Convert);
        for operation in [Op::Neg, Op::Abs, Op::Not].into_iter().chain(conversions) {
            check(operation, &[scalar], &mut random);
        }
    }
}

#[test]
fn conversions() {
    let mut random = Random::new(2);
    for scalar in [Scalar::I32, Scalar::U32, Scalar::Bool] {
        check(Op::Convert(scalar), &[Scalar::F32], &mut random);
    }
    for scalar in [Scalar::I32, Scalar::U32, Scalar::F32] {
        check(Op::Convert(scalar), &[Scalar::Bool], &mut random);
    }
    check(Op::Bits, &[Scalar::F32], &mut random);
    check(Op::FromBits, &[Scalar::U32], &mut random);
    check(Op::Fma, &[Scalar::F32; 3], &mut random);
}
