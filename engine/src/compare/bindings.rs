//! Finds the first named value or loop that a device computes differently, if no single operation is to
//! blame: the driver's compiler may fuse several operations.

use super::subject::{Comparing, Unknown};
use lambdav_core::evaluate::{EvaluationFault, Evaluator};
use lambdav_core::float::same_bits;
use lambdav_core::graph::{Core, Graph, Node, NodeId, Output};
use lambdav_core::op::Op;
use lambdav_core::schedule::schedule;
use lambdav_core::source::Span;
use lambdav_core::types::Scalar;
use lambdav_gpu::probe::{as_halves, from_halves};
use lambdav_gpu::{Error, Job};
use lambdav_spirv_backend::emit::emit;
use lambdav_spirv_eval::Resources;

/// A named value or a loop that a device computes differently.
#[derive(Clone, Debug)]
pub struct Binding {
    /// The name; a loop may have none.
    pub name: Option<String>,
    /// The type of its components.
    pub scalar: Scalar,
    /// Its components on the processor.
    pub expected: Vec<u32>,
    /// Its components on the device.
    pub found: Vec<u32>,
    /// Its place in the program.
    pub span: Span,
}

/// The first named value or loop outside of loops, in order of dependency, that differs on the device
/// in that pixel of the output.
pub(super) fn first_binding(
    comparing: &Comparing<'_>,
    location: u32,
    at: [u32; 2],
) -> Result<Option<Binding>, Unknown> {
    for node in named(comparing.core, location) {
        let graph = &comparing.core.graph;
        let ty = graph.value_type(node);
        let Some(scalar) = ty.scalar() else { continue };
        let core = of_words(comparing.core, node);
        let Some([expected, found]) = both(comparing, &core, at)? else { continue };
        let is_float = scalar == Scalar::F32;
        let differs = |(a, b): (&u32, &u32)| a != b && !(is_float && same_bits(*a, *b));
        if expected.iter().zip(&found).any(differs) {
            let name = graph.name(node).map(|name| name.as_str().to_owned());
            return Ok(Some(Binding { name, scalar, expected, found, span: graph.span(node) }));
        }
    }
    Ok(None)
}

/// Nodes that an output may need, in order of dependency: named values and loops that are vectors or
/// scalars and do not depend on an enclosing loop's round.
fn named(core: &Core, location: u32) -> Vec<NodeId> {
    let graph = &core.graph;
    let mut is_needed = vec![false; graph.len()];
    for output in core.outputs.iter().filter(|output| output.location == location) {
        is_needed[output.node.index()] = true;
    }
    for index in (0..graph.len()).rev() {
        if is_needed[index] {
            for used in used(graph, NodeId(index as u32)) {
                is_needed[used.index()] = true;
            }
        }
    }
    let nodes = (0..graph.len() as u32).map(NodeId).filter(|node| is_needed[node.index()]);
    let is_seen = |node: &NodeId| {
        (graph.name(*node).is_some() || matches!(graph.node(*node), Node::Loop(_)))
            && graph.free_loops(*node).is_empty()
            && !matches!(graph.node(*node), Node::Constant(..))
            && graph.expr_type(*node).value().is_some_and(|ty| ty.width().is_some())
    };
    nodes.filter(is_seen).collect()
}

/// Operands of a node.
fn used(graph: &Graph, node: NodeId) -> Vec<NodeId> {
    match graph.node(node) {
        Node::Loop(of) => {
            let of = graph.loop_(*of);
            of.inits.iter().copied().chain([of.body]).collect()
        }
        _ => graph.operands(node).to_vec(),
    }
}

/// A program whose outputs are the words of that value. The output at a component's index holds the
/// halves of the component as whole numbers, which no device changes.
fn of_words(core: &Core, node: NodeId) -> Core {
    let mut core = core.clone();
    core.outputs.clear();
    core.discard = None;
    let graph = &mut core.graph;
    let at = Span::default();
    let ty = graph.value_type(node);
    let width = ty.width().expect("it has one");
    for index in 0..width {
        let component = match width {
            1 => node,
            _ => graph.op(Op::Component(index), vec![node], at),
        };
        let node = as_halves(graph, component);
        core.outputs.push(Output { location: index.into(), node, span: at });
    }
    core
}

/// Side of the square of pixels that are drawn together: the device's result for one pixel may depend
/// on its neighbours.
const SIDE: u32 = 8;

/// Rectangle of pixels to draw for one pixel: its square, or the pixel alone if the value does not end
/// in all pixels of the square. None if the value does not end even in this pixel.
fn area(
    comparing: &Comparing<'_>,
    core: &Core,
    evaluator: &mut Evaluator<'_>,
    at: [u32; 2],
    size: [u32; 2],
) -> Result<Option<[u32; 4]>, Unknown> {
    let [x, y] = at.map(|of| of / SIDE * SIDE);
    let [width, height] = [SIDE.min(size[0] - x), SIDE.min(size[1] - y)];
    if !core.outputs.iter().any(|output| core.graph.may_diverge(output.node)) {
        return Ok(Some([x, y, width, height]));
    }
    let mut ends = |pixel: [u32; 2]| match evaluator
        .run(&comparing.inputs(pixel), &|| !(comparing.patience)())
    {
        Err(EvaluationFault::LoopLimit(_)) => Ok(false),
        evaluated => evaluated.map(|()| true),
    };
    for pixel in (y..y + height).flat_map(|y| (x..x + width).map(move |x| [x, y])) {
        if !ends(pixel)? {
            return Ok(ends(at)?.then_some([at[0], at[1], 1, 1]));
        }
    }
    Ok(Some([x, y, width, height]))
}

/// Words of the outputs in that pixel, from the evaluator and from the device. None if the value cannot
/// be computed alone: it may not end where the program does not need it.
fn both(
    comparing: &Comparing<'_>,
    core: &Core,
    at: [u32; 2],
) -> Result<Option<[Vec<u32>; 2]>, Unknown> {
    let Comparing { settings, device, emit: options, patience, .. } = comparing;
    let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
    let Ok(program) = schedule(core, &locations) else { return Ok(None) };
    // Exact: sides are whole numbers.
    let size = settings.inputs.resolution.map(|side| side as u32);
    let mut evaluator = Evaluator::new(&program, settings.max_iterations);
    let Some(only) = area(comparing, core, &mut evaluator, at, size)? else { return Ok(None) };
    evaluator.run(&comparing.inputs(at), &|| !patience())?;
    let word = |halves: &[u32]| from_halves([halves[0], halves[1]]);
    let expected = (0..locations.len()).map(|index| word(evaluator.output(index))).collect();
    // The engine emits the program in this form, too.
    let drawn = core.with_closed_loops_evaluated(settings.max_iterations);
    let Ok(drawn) = schedule(&drawn, &locations) else { return Ok(None) };
    let Ok(module) = emit(&drawn, None, options) else { return Ok(None) };
    let types = core.uniforms.iter().map(|uniform| uniform.ty);
    let resources = Resources::new(&settings.inputs, &program.types, types);
    let job = Job::new(&module.words, &locations, size).with(&resources);
    let job = Job { only: Some(only), ..job };
    let mut prepared = device.prepare(&job, patience)?;
    prepared.draw(patience)?;
    let index = at[1] as usize * size[0] as usize + at[0] as usize;
    let found = (locations.iter())
        .map(|location| Ok(word(&prepared.read(*location, patience)?[index])))
        .collect::<Result<_, Error>>()?;
    Ok(Some([expected, found]))
}
