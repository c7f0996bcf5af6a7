//! Values at neighbours, of which derivatives are made (LANGUAGE §13).
//!
//! A *quad* is a square of two by two pixels whose upper left one has even coordinates. What an
//! expression is at another pixel of the quad is the expression with another `frag-coord`, so it is
//! made by copying what depends on that input. The position of the quad is one node, which is the same
//! at all of its pixels: a copy of a copy along the same axis is the copy itself, and nested derivatives
//! make no more than nine copies.
//!
//! Of a copy the graph remembers what it is a copy of ([`Graph::neighbour_of`]), so that code which
//! computes whole quads may take the value from the other pixel. This says nothing about what a node
//! computes: it is lost in core text, and where nodes are copied again.

use super::{Graph, LoopId, Node, NodeId};
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

/// One of two pixels of a quad along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The one of the even column or row.
    Even,
    /// The next one.
    Odd,
}

impl Side {
    /// The coordinate of the centre of this pixel, of a quad that begins at a position.
    pub fn centre(self) -> f32 {
        match self {
            Self::Even => 0.5,
            Self::Odd => 1.5,
        }
    }
}

/// What a value is elsewhere in the quad.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour<V> {
    /// The value.
    pub of: V,
    /// Along which axis the other pixel lies: in the same row, or the same column.
    pub axis: Axis,
    /// Which of the two pixels it is, which may be the asking one.
    pub side: Side,
}

/// `coordinate`, one of `frag-coord`, in the same quad on this side.
pub fn neighbour(coordinate: f32, side: Side) -> f32 {
    (coordinate * 0.5).floor() * 2.0 + side.centre()
}

/// What has been copied so far: for each axis and side, what nodes are there.
#[derive(Clone, Debug, Default)]
pub struct Neighbours {
    known: [FxHashMap<NodeId, NodeId>; 4],
}

impl Graph {
    /// The value of a node at the pixel of this side, in the column or row of its own. The node must not
    /// depend on parameters of loops around it. Takes time by the number of nodes that were not copied
    /// before.
    pub fn at_neighbour(
        &mut self,
        neighbours: &mut Neighbours,
        root: NodeId,
        axis: Axis,
        side: Side,
    ) -> NodeId {
        let place = 2 * usize::from(axis == Axis::Y) + usize::from(side == Side::Odd);
        let known = &mut neighbours.known[place];
        if known.is_empty() {
            self.move_coordinates(known, axis, side);
        }
        let nodes = self.unknown_below([root], |id| known.contains_key(&id));
        let moved = self.moved_loops(&nodes, known);
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
                Node::Op(op, operands) if changed => self.op(op, all(&operands), span),
                Node::If(parts) if changed => self.if_(parts.map(|p| known[&p]), span),
                _ => id,
            };
            if let Some(name) = self.name(id).cloned() {
                self.set_name(copy, &name);
            }
            known.insert(id, copy);
            // In a round of a loop it would be what it is in the same round there.
            if self.free_loops(id).is_empty() && self.expr_type(id).value().is_some() {
                self.set_neighbour(copy, Neighbour { of: id, axis, side });
            }
        }
        known[&root]
    }

    /// Whether a node has the same value at all pixels, in the same round of the loops around it: neither it nor
    /// anything of these loops reads coordinates. Of a loop that is not finished that is not known.
    pub fn is_same_everywhere(&self, root: NodeId) -> bool {
        let (mut seen, mut stack) = (FxHashSet::default(), vec![root]);
        while let Some(id) = stack.pop() {
            if !seen.insert(id) {
                continue;
            }
            match *self.node(id) {
                Node::Input(Input::FragCoord) => return false,
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

    /// Where `frag-coord` is on that side.
    fn move_coordinates(&mut self, known: &mut FxHashMap<NodeId, NodeId>, axis: Axis, side: Side) {
        let span = Span::default();
        let coordinates = self.input(Input::FragCoord, span);
        let mut parts: Vec<NodeId> =
            (0..4).map(|k| self.op(Op::Component(k), vec![coordinates], span)).collect();
        let k = usize::from(axis == Axis::Y);
        let [half, two] = [0.5, 2.0].map(|number| self.number(number, span));
        let quads = self.op(Op::Mul, vec![parts[k], half], span);
        let quads = self.op(Op::Floor, vec![quads], span);
        let quad = self.op(Op::Mul, vec![quads, two], span);
        let mut centre = side.centre();
        if axis == Axis::Y && side == Side::Odd && is_active(Mutant::WrongRow) {
            centre += 1.0;
        }
        let centre = self.number(centre, span);
        parts[k] = self.op(Op::Add, vec![quad, centre], span);
        let moved = self.op(Op::Construct(Type::vec(4)), parts, span);
        known.insert(quad, quad);
        known.insert(coordinates, moved);
    }

    /// Of loops among these nodes, which are in ascending order, those that compute something else
    /// where what is known has been moved.
    fn moved_loops(
        &self,
        nodes: &[NodeId],
        known: &FxHashMap<NodeId, NodeId>,
    ) -> FxHashSet<LoopId> {
        let mut moved = FxHashSet::default();
        let mut changed = FxHashSet::default();
        for &id in nodes {
            let is_changed =
                |o: &NodeId| changed.contains(o) || known.get(o).is_some_and(|there| there != o);
            let mut is_moved = self.operands(id).iter().any(is_changed);
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
        // And the loops in them that depend on their parameters: outer loops first.
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
