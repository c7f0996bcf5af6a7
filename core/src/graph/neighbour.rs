//! Values at neighbours, from which derivatives are made (LANGUAGE §13).
//!
//! A *quad* is a square of two by two pixels whose upper left pixel has even coordinates. The value of an
//! expression at another pixel of the quad is the same expression with another `frag-coord`. So it is made by
//! copying all nodes that depend on that input. The position of the quad is one node, the same at all four
//! pixels. Hence a copy of a copy along the same axis is the copy itself, and nested derivatives make at most
//! nine copies.
//!
//! The graph links each copy to its original ([`Graph::neighbour_of`]), so that code which computes whole
//! quads may take the value from the other pixel. The link has no effect on the node's value. It is lost in
//! core text, and where nodes are copied again.
//!
//! Copies are made while a program is elaborated, so no engine knows of derivatives. The source evaluator has no graph: it
//! reduces the term at the other pixel.

use super::{Graph, LoopId, Node, NodeId, Place};
use crate::inputs::Input;
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::source::Span;
use crate::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// A direction in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Axis {
    /// From column to column.
    X,
    /// From row to row, downward.
    Y,
}

/// One of the two pixels of a quad along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The pixel in the even column or row.
    Even,
    /// The pixel in the odd column or row.
    Odd,
}

impl Side {
    /// Its name in core text.
    pub fn name(self) -> &'static str {
        match self {
            Self::Even => "even",
            Self::Odd => "odd",
        }
    }

    /// The coordinate of this pixel's centre, relative to the quad's origin.
    pub fn centre(self) -> f32 {
        match self {
            Self::Even => 0.5,
            Self::Odd => 1.5,
        }
    }
}

/// A value at another pixel of the quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour<V> {
    /// The value here.
    pub of: V,
    /// The axis along which the other pixel lies: in the same row, or in the same column.
    pub axis: Axis,
    /// The even or the odd pixel of the pair; may be this one.
    pub side: Side,
}

/// A coordinate of `frag-coord`, moved to this side of its quad.
pub fn neighbour(coordinate: f32, side: Side) -> f32 {
    (coordinate * 0.5).floor() * 2.0 + side.centre()
}

/// All copies so far: for each axis and side, a map from a node to its copy.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    known: [FxHashMap<NodeId, NodeId>; 4],
    /// True if a neighbour itself meets the sites of its probes, so that copies have none.
    drops_probes: bool,
}

impl Neighbours {
    /// Copies without probes: undefined behaviour at a neighbour is the neighbour's own.
    pub fn without_probes() -> Self {
        Self { drops_probes: true, ..Self::default() }
    }
}

impl Graph {
    /// The value of a node at the pixel of this side, in its own row (axis X) or column (axis Y). The node
    /// must not depend on parameters of loops around it. Takes time by the number of nodes not copied before.
    pub fn at_neighbour(
        &mut self,
        neighbours: &mut Neighbours,
        root: NodeId,
        axis: Axis,
        side: Side,
    ) -> NodeId {
        let place = 2 * usize::from(axis == Axis::Y) + usize::from(side == Side::Odd);
        let drops_probes = neighbours.drops_probes;
        let known = &mut neighbours.known[place];
        if known.is_empty() {
            self.move_coordinates(known, axis, side);
        }
        let nodes = self.unknown_below([root], |id| known.contains_key(&id));
        let moved = self.moved_loops(&nodes, known, axis);
        let mut renamed: FxHashMap<LoopId, LoopId> = FxHashMap::default();
        for id in nodes {
            let span = self.span(id);
            let all = |old: &[NodeId]| -> Vec<NodeId> { old.iter().map(|o| known[o]).collect() };
            let changed = self.operands(id).iter().any(|o| known[o] != *o);
            let copy = match self.node(id).clone() {
                Node::Param(of, index, ty) if moved.contains(&of) => {
                    let of = *renamed.entry(of).or_insert_with(|| self.begin_loop());
                    self.param(of, index, ty, span)
                }
                Node::Rec(of, arguments) if moved.contains(&of) => {
                    let of = *renamed.entry(of).or_insert_with(|| self.begin_loop());
                    self.rec(of, all(&arguments), span)
                }
                Node::Loop(of) if moved.contains(&of) => {
                    let l = self.loop_(of).clone();
                    let of = *renamed.entry(of).or_insert_with(|| self.begin_loop());
                    self.finish_loop(of, all(&l.params), all(&l.inits), known[&l.body], l.span)
                }
                Node::Op(Op::Probe(_), _) if drops_probes => self.bool(false, span),
                Node::Op(op, operands) if changed => self.op(op, all(&operands), span),
                Node::If(parts) if changed => self.if_(parts.map(|p| known[&p]), span),
                Node::Stage(input, ty) => match input.place().filter(|of| of.moves(axis)) {
                    Some(place) => {
                        let moved = match axis {
                            Axis::X => Place { x: Some(side), ..place },
                            Axis::Y => Place { y: Some(side), ..place },
                        };
                        self.stage_input(input.at(moved), ty, span)
                    }
                    None => id,
                },
                _ => id,
            };
            if let Some(name) = self.name(id).cloned() {
                self.set_name(copy, &name);
            }
            known.insert(id, copy);
            // Inside a loop the link would relate equal rounds only, and the pixels may be in different
            // rounds.
            if self.free_loops(id).is_empty() && self.expr_type(id).value().is_some() {
                self.set_neighbour(copy, Neighbour { of: id, axis, side });
            }
        }
        known[&root]
    }

    /// True if a node has the same value at all pixels, in the same round of the loops around it: neither the
    /// node nor these loops read coordinates. False for a loop that is not finished.
    pub fn is_same_everywhere(&self, root: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![root]);
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match *self.node(id) {
                Node::Input(Input::FragCoord) => return false,
                Node::Stage(input, _) if input.place().is_some() => return false,
                Node::Param(of, ..) | Node::Loop(of) => match self.finished_loop(of) {
                    Some(around) => {
                        stack.push(around.body);
                        stack.extend_from_slice(&around.inits);
                    }
                    None => return false,
                },
                _ => stack.extend_from_slice(self.operands(id)),
            }
        }
        true
    }

    /// Adds the moved `frag-coord`.
    fn move_coordinates(&mut self, known: &mut FxHashMap<NodeId, NodeId>, axis: Axis, side: Side) {
        let span = Span::default();
        let coordinates = self.input(Input::FragCoord, span);
        let mut parts: Vec<NodeId> =
            (0..4).map(|k| self.op(Op::Component(k), vec![coordinates], span)).collect();
        let k = usize::from(axis == Axis::Y);
        let mut centre = side.centre();
        if axis == Axis::Y && side == Side::Odd && is_active(Mutant::WrongRow) {
            centre += 1.0;
        }
        let quad = self.quad_of(parts[k], span);
        let centre = self.number(centre, span);
        parts[k] = self.op(Op::Add, vec![quad, centre], span);
        let moved = self.op(Op::Construct(Type::vec(4)), parts, span);
        known.insert(quad, quad);
        known.insert(coordinates, moved);
    }

    /// The coordinate at which the quad of a pixel begins.
    fn quad_of(&mut self, coordinate: NodeId, span: Span) -> NodeId {
        let [half, two] = [0.5, 2.0].map(|number| self.number(number, span));
        let quads = self.op(Op::Mul, vec![coordinate, half], span);
        let quads = self.op(Op::Floor, vec![quads], span);
        self.op(Op::Mul, vec![quads, two], span)
    }

    /// A coordinate of `frag-coord`, moved to this side of its quad: [`neighbour`].
    pub(crate) fn moved_coordinate(
        &mut self,
        coordinate: NodeId,
        side: Side,
        span: Span,
    ) -> NodeId {
        let quad = self.quad_of(coordinate, span);
        let centre = self.number(side.centre(), span);
        self.op(Op::Add, vec![quad, centre], span)
    }

    /// The loops among `nodes`, which ascend, that depend on a moved node.
    fn moved_loops(
        &self,
        nodes: &[NodeId],
        known: &FxHashMap<NodeId, NodeId>,
        axis: Axis,
    ) -> FxHashSet<LoopId> {
        let mut moved = FxHashSet::default();
        let mut changed = FxHashSet::default();
        for &id in nodes {
            let is_changed =
                |o: &NodeId| changed.contains(o) || known.get(o).is_some_and(|there| there != o);
            let mut is_moved = self.operands(id).iter().any(is_changed);
            is_moved |= match self.node(id) {
                Node::Stage(input, _) => input.place().is_some_and(|place| place.moves(axis)),
                _ => false,
            };
            if let Node::Loop(of) = *self.node(id) {
                is_moved |= is_changed(&self.loop_(of).body);
                if is_moved {
                    moved.insert(of);
                }
            }
            if is_moved {
                changed.insert(id);
            }
        }
        // Inner loops that depend on a moved loop's parameters move too: outer loops first.
        for &id in nodes.iter().rev() {
            if let Node::Loop(of) = *self.node(id)
                && self.free_loops(id).iter().any(|around| moved.contains(around))
            {
                moved.insert(of);
            }
        }
        moved
    }
}
