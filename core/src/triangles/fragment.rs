//! The fragment stage as plain programs: interpolation as arithmetic on words of the triangle.

use crate::graph::{
    Core, Graph, Interpolation, Node, NodeId, Output, Place, Side, StageInput, Triangles, Uniform,
};
use crate::inputs::Input;
use crate::op::Op;
use crate::source::Span;
use crate::types::{Scalar, Type};
use lambdav_float_environment::with_default;
use rustc_hash::FxHashMap;

/// The fragment stage of a program that draws triangles, for some of its outputs.
///
/// Properties of the triangle are uniforms after those of the program, in the order of [`Self::words`]. Sites of probes are
/// those of the program.
#[derive(Clone, Debug)]
pub struct FragmentStage {
    /// The outputs. Unless there is a test, a discarded fragment has zeros, and one more output comes last: 1
    /// for a fragment that is kept, 0 for a discarded one ([`Self::has_mask`]).
    pub colours: Core,
    /// For a program with a depth of its own: a program whose output 0 is the same mask, and the depth, clamped,
    /// as a `vec2`. Only fragments that pass the depth test are given to [`Self::colours`].
    pub test: Option<Core>,
    /// True if the last output of [`Self::colours`] is the mask of fragments that are kept.
    pub has_mask: bool,
    /// The number of uniforms of the program.
    pub uniforms: u32,
    /// The meanings of the uniforms after them.
    pub words: Vec<TriangleWord>,
    /// The varyings that the stage uses, ascending.
    pub varyings: Vec<u32>,
}

/// The meaning of a uniform that belongs to the triangle. Vertices are numbered after the exchange of §14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TriangleWord {
    /// `vec2`: the growth of an edge function with x, in pixels, as the sum of two numbers.
    EdgeX(u8),
    /// `vec2`: its growth with y, likewise.
    EdgeY(u8),
    /// `vec3`: its value at the upper left corner of the image, as the sum of three numbers.
    EdgeOrigin(u8),
    /// `num`: twice the area, rounded once.
    Area,
    /// `vec3`: 1/w of each vertex.
    Reciprocals,
    /// `vec3`: z/w of each vertex.
    Depths,
    /// `uint`: 1 if all w are equal, else 0.
    HasEqualW,
    /// `int`: the number of the triangle in its instance.
    PrimitiveIndex,
    /// `uint`: 1 on the front, else 0.
    FrontFacing,
    /// The value of a varying, by index, at a vertex. A flat varying is that of vertex 0.
    Varying(u32, u8),
}

impl TriangleWord {
    /// The properties that every triangle has, in the order of [`FragmentStage::words`]. Values of varyings
    /// follow: for each varying that is read one if it is flat, else three.
    pub const FIRST: [Self; 15] = [
        Self::EdgeX(0),
        Self::EdgeY(0),
        Self::EdgeOrigin(0),
        Self::EdgeX(1),
        Self::EdgeY(1),
        Self::EdgeOrigin(1),
        Self::EdgeX(2),
        Self::EdgeY(2),
        Self::EdgeOrigin(2),
        Self::Area,
        Self::Reciprocals,
        Self::Depths,
        Self::HasEqualW,
        Self::PrimitiveIndex,
        Self::FrontFacing,
    ];

    fn ty(self, triangles: &Triangles) -> Type {
        match self {
            Self::EdgeX(_) | Self::EdgeY(_) => Type::vec(2),
            Self::EdgeOrigin(_) | Self::Reciprocals | Self::Depths => Type::vec(3),
            Self::Area => Type::NUM,
            Self::HasEqualW | Self::FrontFacing => Type::UINT,
            Self::PrimitiveIndex => Type::INT,
            Self::Varying(index, _) => triangles.varyings[index as usize].ty,
        }
    }
}

/// The location of the mask of fragments that are kept, which no output of a program has.
const MASK: u32 = 8;

impl FragmentStage {
    /// The fragment stage of a program that draws triangles, for its outputs at these locations.
    pub fn new(core: &Core, triangles: &Triangles, locations: &[u32]) -> Self {
        with_default(|| Self::of(core, triangles, locations))
    }

    /// The indices of the uniforms that belong to the triangle.
    pub fn of_triangle(&self) -> Vec<u32> {
        (self.uniforms..).take(self.words.len()).collect()
    }

    fn of(core: &Core, triangles: &Triangles, locations: &[u32]) -> Self {
        let is_asked = |output: &&Output| locations.contains(&output.location);
        let asked: Vec<Output> = core.outputs.iter().filter(is_asked).copied().collect();
        let of_test = triangles.discard.into_iter().chain(triangles.depth);
        let roots: Vec<NodeId> = asked.iter().map(|of| of.node).chain(of_test).collect();
        let varyings = triangles.used(core, locations);
        let words = TriangleWord::FIRST.into_iter();
        let words: Vec<TriangleWord> = words
            .chain(varyings.iter().flat_map(|&index| {
                let is_flat =
                    triangles.varyings[index as usize].interpolation == Interpolation::Flat;
                (0..if is_flat { 1 } else { 3 }).map(move |i| TriangleWord::Varying(index, i))
            }))
            .collect();
        let mut uniforms = core.uniforms.clone();
        let declared = words.iter().map(|word| {
            let ty = word.ty(triangles);
            let default = vec![0; core.graph.types().components(ty)].into();
            Uniform { name: format!("{word:?}"), ty, default }
        });
        uniforms.extend(declared);
        let first = core.uniforms.len() as u32;
        let made = Made { core, triangles, words: &words, first };
        let (graph, map) = made.graph(&roots);
        let program = |graph, outputs| {
            let (uniforms, sites) = (uniforms.clone(), core.sites.clone());
            Core { graph, outputs, uniforms, sites, ..Core::default() }
        };
        let discard = triangles.discard.map(|node| map[&node]);
        let test = triangles.depth.map(|depth| {
            let mut graph = graph.clone();
            let node = tested(&mut graph, discard, map[&depth]);
            let span = core.graph.span(depth);
            program(graph, vec![Output { location: 0, node, span }])
        });
        let mut graph = graph;
        let mut outputs = asked;
        outputs.iter_mut().for_each(|output| output.node = map[&output.node]);
        let has_mask = discard.is_some() && test.is_none();
        if let Some(discard) = discard.filter(|_| has_mask) {
            let span = graph.span(discard);
            for output in &mut outputs {
                let ty = graph.value_type(output.node);
                let zero = vec![0; graph.types().components(ty)];
                let zero = graph.constant(ty, &zero, output.span);
                output.node = graph.if_([discard, zero, output.node], output.span);
            }
            let kept = graph.op(Op::Not, vec![discard], span);
            let node = graph.op(Op::Convert(Scalar::F32), vec![kept], span);
            outputs.push(Output { location: MASK, node, span });
        }
        let colours = program(graph, outputs);
        Self { colours, test, has_mask, uniforms: first, words, varyings }
    }
}

/// The mask and the depth of a fragment: (1, depth), or (0, 0) if it is discarded.
fn tested(graph: &mut Graph, discard: Option<NodeId>, depth: NodeId) -> NodeId {
    let span = graph.span(depth);
    let pair = |graph: &mut Graph, parts: [NodeId; 2]| {
        graph.op(Op::Construct(Type::vec(2)), parts.to_vec(), span)
    };
    let (zero, one) = (graph.number(0.0, span), graph.number(1.0, span));
    let depth = clamped(graph, depth, span);
    let kept = pair(graph, [one, depth]);
    match discard {
        Some(discard) => {
            let discarded = pair(graph, [zero, zero]);
            graph.if_([discard, discarded, kept], span)
        }
        None => kept,
    }
}

/// A depth clamped to [0, 1]; 0 for NaN.
pub(super) fn clamped(graph: &mut Graph, depth: NodeId, span: Span) -> NodeId {
    let (zero, one) = (graph.number(0.0, span), graph.number(1.0, span));
    let above = graph.op(Op::Max, vec![depth, zero], span);
    let inside = graph.op(Op::Min, vec![above, one], span);
    let is_number = graph.op(Op::Equal, vec![depth, depth], span);
    graph.op(Op::Select, vec![is_number, inside, zero], span)
}

/// The graph of a fragment stage under construction.
struct Made<'a> {
    core: &'a Core,
    triangles: &'a Triangles,
    words: &'a [TriangleWord],
    /// The index of the first uniform of the triangle.
    first: u32,
}

/// Values at a place of a triangle.
#[derive(Clone, Copy)]
struct Weights {
    /// The weights that are linear in the image: E/A of each edge.
    linear: [NodeId; 3],
    /// The weights that are linear in clip space.
    perspective: [NodeId; 3],
    /// 1/w.
    q: NodeId,
}

impl Made<'_> {
    /// The graph with arithmetic in place of stage inputs, and each node's new one.
    fn graph(&self, roots: &[NodeId]) -> (Graph, FxHashMap<NodeId, NodeId>) {
        let types = self.core.graph.types().clone();
        let mut known: FxHashMap<Place, Weights> = FxHashMap::default();
        let replace = |graph: &mut Graph, id: NodeId| {
            let Node::Stage(input, _) = *self.core.graph.node(id) else { return None };
            Some(self.input(graph, &mut known, input, self.core.graph.span(id)))
        };
        self.core.graph.rebuilt(roots.iter().copied(), types, replace, |_, _, _| None)
    }

    fn input(
        &self,
        graph: &mut Graph,
        known: &mut FxHashMap<Place, Weights>,
        input: StageInput,
        span: Span,
    ) -> NodeId {
        if let Some(place) = input.place() {
            if let StageInput::Varying(index, _) = input
                && self.triangles.varyings[index as usize].interpolation == Interpolation::Flat
            {
                return self.word(graph, TriangleWord::Varying(index, 0), span);
            }
            let weights = match known.get(&place) {
                Some(weights) => *weights,
                None => {
                    let weights = self.weights(graph, place, span);
                    known.insert(place, weights);
                    weights
                }
            };
            return match input {
                StageInput::Varying(index, _) => self.varying(graph, index, weights, span),
                StageInput::Depth(_) => self.depth(graph, weights, span),
                _ => weights.q,
            };
        }
        match input {
            StageInput::FrontFacing => {
                let word = self.word(graph, TriangleWord::FrontFacing, span);
                graph.op(Op::Convert(Scalar::Bool), vec![word], span)
            }
            // The others belong to the vertex stage, so no root reads them.
            _ => self.word(graph, TriangleWord::PrimitiveIndex, span),
        }
    }

    fn word(&self, graph: &mut Graph, word: TriangleWord, span: Span) -> NodeId {
        let number = self.words.iter().position(|of| *of == word).expect("the triangle has it");
        graph.uniform(self.first + number as u32, word.ty(self.triangles), span)
    }

    fn component(&self, graph: &mut Graph, word: TriangleWord, k: u8, span: Span) -> NodeId {
        let word = self.word(graph, word, span);
        graph.op(Op::Component(k), vec![word], span)
    }

    fn weights(&self, graph: &mut Graph, place: Place, span: Span) -> Weights {
        let at = [(0, place.x), (1, place.y)].map(|(k, side): (u8, Option<Side>)| {
            let position = graph.input(Input::FragCoord, span);
            let coordinate = graph.op(Op::Component(k), vec![position], span);
            match side {
                Some(side) => graph.moved_coordinate(coordinate, side, span),
                None => coordinate,
            }
        });
        let at = graph.op(Op::Construct(Type::vec(2)), at.to_vec(), span);
        let area = self.word(graph, TriangleWord::Area, span);
        let linear = [0, 1, 2].map(|edge| {
            let of = [
                TriangleWord::EdgeX(edge),
                TriangleWord::EdgeY(edge),
                TriangleWord::EdgeOrigin(edge),
            ];
            let [x, y, origin] = of.map(|word| self.word(graph, word, span));
            let value = graph.op(Op::Plane, vec![at, x, y, origin], span);
            graph.op(Op::Div, vec![value, area], span)
        });
        let scaled = [0, 1, 2].map(|k: u8| {
            let reciprocal = self.component(graph, TriangleWord::Reciprocals, k, span);
            graph.op(Op::Mul, vec![linear[usize::from(k)], reciprocal], span)
        });
        let sum = graph.op(Op::Add, vec![scaled[0], scaled[1]], span);
        let sum = graph.op(Op::Add, vec![sum, scaled[2]], span);
        let is_equal = self.word(graph, TriangleWord::HasEqualW, span);
        let is_equal = graph.op(Op::Convert(Scalar::Bool), vec![is_equal], span);
        let perspective = [0, 1, 2].map(|k| {
            let weight = graph.op(Op::Div, vec![scaled[k], sum], span);
            graph.op(Op::Select, vec![is_equal, linear[k], weight], span)
        });
        let first = self.component(graph, TriangleWord::Reciprocals, 0, span);
        let q = graph.op(Op::Select, vec![is_equal, first, sum], span);
        Weights { linear, perspective, q }
    }

    /// `v0 + ((v1 - v0)*B1 + (v2 - v0)*B2)`.
    fn interpolated(graph: &mut Graph, of: [NodeId; 3], by: [NodeId; 3], span: Span) -> NodeId {
        let ty = graph.value_type(of[0]);
        let [first, second] = [1, 2].map(|k| {
            let difference = graph.op(Op::Sub, vec![of[k], of[0]], span);
            let weight = graph.broadcast(by[k], ty, span);
            graph.op(Op::Mul, vec![difference, weight], span)
        });
        let sum = graph.op(Op::Add, vec![first, second], span);
        graph.op(Op::Add, vec![of[0], sum], span)
    }

    fn varying(&self, graph: &mut Graph, index: u32, weights: Weights, span: Span) -> NodeId {
        let of =
            [0, 1, 2].map(|vertex| self.word(graph, TriangleWord::Varying(index, vertex), span));
        let by = match self.triangles.varyings[index as usize].interpolation {
            Interpolation::Linear => weights.linear,
            Interpolation::Perspective | Interpolation::Flat => weights.perspective,
        };
        Self::interpolated(graph, of, by, span)
    }

    fn depth(&self, graph: &mut Graph, weights: Weights, span: Span) -> NodeId {
        let of = [0, 1, 2].map(|k| self.component(graph, TriangleWord::Depths, k, span));
        let depth = Self::interpolated(graph, of, weights.linear, span);
        clamped(graph, depth, span)
    }
}
