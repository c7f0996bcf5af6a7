//! Results of single operations on a device.
//!
//! Operands come from buffers. Results are stored as two whole numbers of 16 bits each, which every device stores exactly.

use crate::error::Error;
use crate::vulkan::{Device, Job, Patience};
use lambdav_core::graph::{Core, Graph, NodeId, Output};
use lambdav_core::inputs::{Input, Inputs};
use lambdav_core::op::Op;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::schedule::schedule;
use lambdav_core::source::Span;
use lambdav_core::types::{Resource, ResourceKind, Scalar, Type};
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_spirv_eval::Resources;
use std::time::{Duration, Instant};

/// The operands of one operation on scalars; it takes the first one, two or three.
pub type Operands = [u32; 3];

/// The width of the image whose pixels compute an operation.
const SIDE: u32 = 256;

/// Operands computed by one picture.
const MAX_PIXELS: usize = (SIDE * SIDE) as usize;

/// Computes an operation on scalars of the types `of` on a device, one pixel for each element of
/// `operands`, in modules emitted with `options`. The results are words. For a number, every NaN is
/// [`NAN`](lambdav_core::op::NAN).
///
/// # Errors
///
/// Errors of [`Device::prepare`] and [`Prepared::draw`](crate::Prepared::draw).
///
/// # Panics
///
/// If the operation is not defined on one to three scalars of these types.
pub fn apply(
    device: &Device,
    options: &EmitOptions,
    op: Op,
    of: &[Scalar],
    operands: &[Operands],
    patience: Patience<'_>,
) -> Result<Vec<u32>, Error> {
    let core = program(op, of);
    let program = schedule(&core, &[0]).map_err(|error| Error::Module(error.message))?;
    let module = emit(&program, None, options).map_err(|error| Error::Module(error.to_string()))?;
    let mut results = Vec::with_capacity(operands.len());
    for operands in operands.chunks(MAX_PIXELS) {
        let column = |number: usize| {
            let words = operands.iter().map(|operands| operands[number]).collect();
            let element = held(of[number]);
            let data = BufferData::new(&program.types, element, words);
            Bound::Buffer(data.expect("there are some, of one word each").into())
        };
        let rows = operands.len().div_ceil(SIDE as usize) as u32;
        let inputs = Inputs {
            resolution: [SIDE as f32, rows as f32],
            resources: (0..of.len()).map(column).collect(),
            ..Inputs::default()
        };
        let resources = Resources::new(&inputs, &program.types, []);
        let job = Job::new(&module.words, &[0], [SIDE, rows]).with(&resources);
        let mut prepared = device.prepare(&job, patience)?;
        prepared.draw(patience)?;
        let halves = prepared.read(0, patience)?;
        let word = |pixel: &[u32; 4]| from_halves([pixel[0], pixel[1]]);
        results.extend(halves.iter().take(operands.len()).map(word));
    }
    Ok(results)
}

impl Device {
    /// Options for exact modules on this device. They follow from its features, its guarantees, and a
    /// test drawn once that shows if its `fma` rounds once. `flushes`: subnormal numbers may become
    /// zero; the output at `report` then marks the pixels that met one.
    pub fn exact(&self, flushes: bool, report: Option<u32>) -> EmitOptions {
        // Ignore errors: if nothing can be drawn, drawing the picture reports why.
        let fused = self.fused(|| rounds_once(self).unwrap_or(false));
        self.about().exact(fused, flushes, report)
    }
}

/// Time limit for the picture of this test.
const MOMENT: Duration = Duration::from_secs(10);

/// True if a device's `fma` rounds once for some thousand operands.
///
/// # Errors
///
/// Errors of [`apply`].
fn rounds_once(device: &Device) -> Result<bool, Error> {
    // Two numbers of 24 significant bits between 1 and 2, and one that cancels nearly all of their
    // product.
    let number = |mixed: u32| f32::from_bits(0x3f80_0000 | mixed >> 9);
    let operands: Vec<Operands> = (1..4096_u32)
        .map(|index| {
            let [a, b] = [0x9e37_79b9, 0x85eb_ca6b].map(|odd| number(index.wrapping_mul(odd)));
            [a, b, -(a * b)].map(f32::to_bits)
        })
        .collect();
    let start = Instant::now();
    let patience = || start.elapsed() < MOMENT;
    let of = [Scalar::F32; 3];
    let found = apply(device, &EmitOptions::default(), Op::Fma, &of, &operands, &patience)?;
    let expected = operands.iter().map(|of| {
        let [a, b, c] = of.map(f32::from_bits);
        a.mul_add(b, c).to_bits()
    });
    Ok(expected.eq(found))
}

/// The type of a buffer's elements for a scalar.
fn held(scalar: Scalar) -> Type {
    match scalar {
        Scalar::Bool => Type::UINT,
        scalar => Type::of(scalar, 1),
    }
}

/// A program that reads the operands of each pixel from buffers and outputs the result as two halves:
/// whole numbers, which no device changes.
fn program(op: Op, of: &[Scalar]) -> Core {
    let mut core = Core::default();
    let graph = &mut core.graph;
    let at = Span::default();
    let position = graph.input(Input::FragCoord, at);
    let [column, row] = [0, 1].map(|axis| {
        let number = graph.op(Op::Component(axis), vec![position], at);
        graph.op(Op::Convert(Scalar::I32), vec![number], at)
    });
    let side = graph.constant(Type::INT, &[SIDE], at);
    let row = graph.op(Op::Mul, vec![row, side], at);
    let index = graph.op(Op::Add, vec![row, column], at);
    let mut operands: Vec<NodeId> = Vec::new();
    for (name, &scalar) in ["a", "b", "c"].into_iter().zip(of) {
        let kind = ResourceKind::Buffer(held(scalar));
        let buffer = graph.types_mut().add_resource(Resource { name: name.into(), kind });
        let buffer = graph.constant(buffer, &[], at);
        let mut operand = graph.op(Op::Element, vec![buffer, index], at);
        if scalar == Scalar::Bool {
            operand = graph.op(Op::Convert(Scalar::Bool), vec![operand], at);
        }
        operands.push(operand);
    }
    let result = graph.op(op, operands, at);
    let node = as_halves(graph, result);
    core.outputs.push(Output { location: 0, node, span: at });
    core
}

/// Splits the word of a scalar into two halves: numbers from 0 to 65,535, which every device stores
/// unchanged.
pub fn as_halves(graph: &mut Graph, scalar: NodeId) -> NodeId {
    let at = Span::default();
    let word = match graph.value_type(scalar).scalar() {
        Some(Scalar::F32) => graph.op(Op::Bits, vec![scalar], at),
        Some(Scalar::U32) => scalar,
        _ => graph.op(Op::Convert(Scalar::U32), vec![scalar], at),
    };
    let [sixteen, low] = [16, 0xffff].map(|word| graph.constant(Type::UINT, &[word], at));
    let halves =
        [graph.op(Op::ShiftRight, vec![word, sixteen], at), graph.op(Op::And, vec![word, low], at)];
    let halves = halves.map(|half| graph.op(Op::Convert(Scalar::F32), vec![half], at));
    graph.op(Op::Construct(Type::vec(2)), halves.to_vec(), at)
}

/// Joins a word from the bits of its two halves.
pub fn from_halves(halves: [u32; 2]) -> u32 {
    let [high, low] = halves.map(|half| f32::from_bits(half) as u32);
    high << 16 | low
}
