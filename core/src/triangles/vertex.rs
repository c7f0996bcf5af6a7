//! The vertex stage as a plain program.

use crate::graph::{AttributeRate, Core, Node, NodeId, Output, StageInput, Triangles};
use crate::inputs::Input;
use crate::op::Op;
use crate::types::{Resource, ResourceKind, Type};
use lambdav_float_environment::with_default;

/// The vertex stage of a program as a [`Core`].
///
/// Its outputs are the position at location 0 and the requested varyings after it, in their order. Outputs of
/// integers are stored by their bits. An *item* is a vertex of an instance: its index and the instance's are
/// the bits of the first two components of `frag-coord` ([`Self::item`]).
#[derive(Clone, Debug)]
pub struct VertexStage {
    /// The program. Its first resources, and its sites of probes, are those of the whole program.
    pub core: Core,
    /// The attributes that it reads. Their elements are the resources after those of the whole program, in
    /// this order.
    pub inputs: Vec<VertexInput>,
    /// The varyings that it computes, by index.
    pub varyings: Vec<u32>,
}

/// An attribute that a vertex stage reads from a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VertexInput {
    /// The attribute, by index.
    pub attribute: u32,
    /// Its type, that of the elements.
    pub ty: Type,
    /// The index of an element is that of the vertex or of the instance.
    pub rate: AttributeRate,
}

impl VertexStage {
    /// The vertex stage of a program that draws triangles, with these varyings, ascending.
    pub fn new(core: &Core, triangles: &Triangles, varyings: &[u32]) -> Self {
        with_default(|| Self::of(core, triangles, varyings))
    }

    /// The `frag-coord` of an item. Both indices are below 2^31 − 2^23, so that no number is a NaN.
    pub fn item(vertex: u32, instance: u32) -> [f32; 4] {
        [f32::from_bits(vertex), f32::from_bits(instance), 0.0, 1.0]
    }

    fn of(core: &Core, triangles: &Triangles, varyings: &[u32]) -> Self {
        let of_varyings = varyings.iter().map(|&k| &triangles.varyings[k as usize]);
        let roots: Vec<NodeId> =
            [triangles.position].into_iter().chain(of_varyings.map(|of| of.node)).collect();
        let mut types = core.graph.types().clone();
        let mut inputs: Vec<VertexInput> = Vec::new();
        let mut buffers: Vec<Type> = Vec::new();
        for id in core.graph.needed_by(roots.iter().copied()) {
            let Node::Stage(StageInput::Attribute(attribute), ty) = *core.graph.node(id) else {
                continue;
            };
            let of = &triangles.attributes[attribute as usize];
            let resource =
                Resource { name: of.name.as_str().into(), kind: ResourceKind::Buffer(ty) };
            buffers.push(types.add_resource(resource));
            inputs.push(VertexInput { attribute, ty, rate: of.rate });
        }
        let (graph, map) = core.graph.rebuilt(
            roots.iter().copied(),
            types,
            |graph, id| {
                let Node::Stage(input, _) = *core.graph.node(id) else { return None };
                let span = core.graph.span(id);
                let mut index = |component| {
                    let item = graph.input(Input::FragCoord, span);
                    let word = graph.op(Op::Component(component), vec![item], span);
                    graph.op(Op::Bits, vec![word], span)
                };
                Some(match input {
                    StageInput::Attribute(attribute) => {
                        let is_it = |of: &VertexInput| of.attribute == attribute;
                        let number = inputs.iter().position(is_it).expect("it has been found");
                        let index = index(match inputs[number].rate {
                            AttributeRate::Vertex => 0,
                            AttributeRate::Instance => 1,
                        });
                        let buffer = graph.constant(buffers[number], &[], span);
                        graph.op(Op::Element, vec![buffer, index], span)
                    }
                    StageInput::InstanceIndex => {
                        let index = index(1);
                        graph.op(Op::Convert(crate::types::Scalar::I32), vec![index], span)
                    }
                    // The others belong to the fragment stage, so no root reads them.
                    _ => {
                        let index = index(0);
                        graph.op(Op::Convert(crate::types::Scalar::I32), vec![index], span)
                    }
                })
            },
            |_, _, _| None,
        );
        let outputs = (0..).zip(&roots).map(|(location, root)| {
            let span = core.graph.span(*root);
            Output { location, node: map[root], span }
        });
        let outputs = outputs.collect();
        let (uniforms, sites) = (core.uniforms.clone(), core.sites.clone());
        let core = Core { graph, outputs, uniforms, sites, ..Core::default() };
        Self { core, inputs, varyings: varyings.to_vec() }
    }
}
