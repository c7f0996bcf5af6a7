//! Control flow from a place on: a tree of decisions whose leaves are ways out.
//!
//! Code is raised on a *hole* of the tree, which becomes a decision or a way out with the contents of
//! variables there. Ways that lead to one block are joined, and the code of that block has one hole
//! again ([`Flow::converge`]):
//!
//! - One decision stays one: each decision between the ways is one `If` that yields a structure of all
//!   values in which they differ. A single value needs no structure.
//! - If other ways lead elsewhere, that structure has a field that says if the block is reached. The
//!   other ways stay in the tree behind that decision.
//! - Ways that are never taken (OpUnreachable, loops without an end) are left out.

use crate::error::{RaiseError, Result};
use crate::memory::Memory;
use crate::mutants::{Mutant, is_active};
use lambdav_core::graph::{Graph, NodeId};
use lambdav_core::op::Op;
use lambdav_core::source::Span;
use lambdav_core::types::{Field, Structure, Type};

/// A node of the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FlowId(usize);

/// The target of a way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// A block of the function that is raised.
    Block(usize),
    /// The end of the function.
    Return,
    /// The end of the program: the pixel keeps its colour, after the way's values, which do not
    /// terminate. Without values it is discarded.
    Kill,
}

/// A way out.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    pub(crate) target: Target,
    /// The values of the block's φ's, or the result of the function.
    pub(crate) values: Vec<NodeId>,
    pub(crate) memory: Memory,
}

/// A node of the tree.
#[derive(Clone, Debug)]
enum Node {
    /// Not raised yet.
    Hole,
    /// A condition, its then arm and its else arm.
    Branch(NodeId, [FlowId; 2]),
    Leaf(Leaf),
    /// Never reached.
    Never,
}

/// The trees of all functions.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    nodes: Vec<Node>,
    /// Number of nodes visited.
    pub(crate) work: usize,
}

/// Role of a leaf in a join.
enum Way {
    /// Joined, with its values.
    Here(Vec<NodeId>),
    /// Not joined.
    Elsewhere,
    /// Treated as never reached.
    Never,
}

/// Result of joining the leaves of a subtree.
struct Joined {
    /// True if a joined leaf is reached; `None` if none exists.
    reached: Option<NodeId>,
    /// Values of the slots there.
    slots: Vec<Option<NodeId>>,
    /// The tree without the joined leaves; `None` if nothing remains.
    others: Option<FlowId>,
}

impl Flow {
    /// Adds a hole.
    pub(crate) fn hole(&mut self) -> FlowId {
        self.add(Node::Hole)
    }

    fn add(&mut self, node: Node) -> FlowId {
        self.nodes.push(node);
        FlowId(self.nodes.len() - 1)
    }

    /// Turns a hole into a decision between two new holes.
    pub(crate) fn branch(&mut self, at: FlowId, condition: NodeId) -> [FlowId; 2] {
        let arms = [self.hole(), self.hole()];
        self.nodes[at.0] = Node::Branch(condition, arms);
        arms
    }

    /// Turns a hole into a way out.
    pub(crate) fn leave(&mut self, at: FlowId, leaf: Leaf) {
        self.nodes[at.0] = Node::Leaf(leaf);
    }

    /// Marks a hole as never reached.
    pub(crate) fn never(&mut self, at: FlowId) {
        self.nodes[at.0] = Node::Never;
    }

    /// The way out at a node.
    pub(crate) fn leaf(&self, at: FlowId) -> &Leaf {
        match &self.nodes[at.0] {
            Node::Leaf(leaf) => leaf,
            other => unreachable!("{other:?} is no leaf"),
        }
    }

    /// True if a node is a way out.
    pub(crate) fn is_leaf(&self, at: FlowId) -> bool {
        matches!(self.nodes[at.0], Node::Leaf(_))
    }

    /// The condition and the arms of a decision.
    pub(crate) fn decision(&self, at: FlowId) -> Option<(NodeId, [FlowId; 2])> {
        match self.nodes[at.0] {
            Node::Branch(condition, arms) => Some((condition, arms)),
            _ => None,
        }
    }

    /// All nodes below `root`, arms before their decision, and `root` last.
    pub(crate) fn below(&mut self, root: FlowId) -> Vec<FlowId> {
        let (mut all, mut stack) = (Vec::new(), vec![root]);
        while let Some(id) = stack.pop() {
            all.push(id);
            if let Some((_, arms)) = self.decision(id) {
                stack.extend(arms);
            }
        }
        self.work += all.len();
        all.reverse();
        all
    }

    /// The ways out below a node, in order.
    pub(crate) fn leaves(&mut self, root: FlowId) -> Vec<FlowId> {
        let mut all = self.below(root);
        all.retain(|&id| matches!(self.nodes[id.0], Node::Leaf(_)));
        all
    }

    /// Joins the ways below a node where some have changed a memory, if they lead to several targets. Then one decision is
    /// one `If`, which yields the states and which target is reached; below the node is one way to each target. (To
    /// [`Self::converge`] alone, ways to other targets stay apart, and both would depend on the same effects.) `is_live`
    /// tells which slots matter at a target; those below `memories` have states.
    pub(crate) fn gather(
        &mut self,
        graph: &mut Graph,
        root: FlowId,
        first: Target,
        is_live: impl Fn(Target, usize) -> bool,
        memories: usize,
        span: Span,
    ) -> Result<()> {
        if memories == 0 || is_active(Mutant::UngatheredWays) {
            return Ok(());
        }
        let leaves = self.leaves(root);
        let mut targets: Vec<Target> = vec![first];
        for &id in &leaves {
            let target = self.leaf(id).target;
            if !targets.contains(&target) {
                targets.push(target);
            }
        }
        let is_first = |id: &&FlowId| self.leaf(**id).target == first;
        let (Some(&one), true) = (leaves.first(), targets.len() > 1) else { return Ok(()) };
        let has_effects = leaves.iter().any(|&id| {
            let (memory, other) = (&self.leaf(one).memory, &self.leaf(id).memory);
            memory.differing(other, memories).next().is_some()
        });
        if !has_effects || leaves.iter().filter(is_first).count() < 2 {
            return Ok(());
        }
        let mut memory = self.leaf(one).memory.clone();
        let len = leaves.iter().map(|&id| self.leaf(id).memory.len()).min().unwrap_or(0);
        let mut slots: Vec<usize> = Vec::new();
        for &id in &leaves {
            let differing = memory.differing(&self.leaf(id).memory, len);
            slots.extend(differing.filter(|&slot| targets.iter().any(|&of| is_live(of, slot))));
        }
        slots.sort_unstable();
        slots.dedup();
        // For each target its values. Zeros stand for those of other targets, and for what is not live at a target: such a
        // content may depend on effects of one arm alone.
        let mut zero = |node: NodeId| {
            let ty = graph.value_type(node);
            match graph.types().holds_state(ty) {
                true => node,
                false => graph.constant(ty, &vec![0; graph.types().components(ty)], span),
            }
        };
        let zeros: Vec<NodeId> = slots.iter().map(|&slot| zero(memory.get(slot))).collect();
        let mut values: Vec<(Target, usize, NodeId)> = Vec::new();
        for &target in &targets {
            let of_target = leaves.iter().find(|&&id| self.leaf(id).target == target);
            let leaf = of_target.map(|&id| self.leaf(id));
            for (index, &value) in leaf.iter().flat_map(|leaf| leaf.values.iter().enumerate()) {
                values.push((target, index, zero(value)));
            }
        }
        let tags: Vec<NodeId> =
            (0..targets.len()).map(|k| tag(graph, targets.len(), k as u32, span)).collect();
        let count = 1 + values.len() + slots.len();
        self.work += leaves.len() * count;
        let of = |_, leaf: &Leaf| {
            let target = targets.iter().position(|&of| of == leaf.target)?;
            let values = values.iter().map(|&(of, index, zero)| match of == leaf.target {
                true => leaf.values[index],
                false => zero,
            });
            let slots = slots.iter().zip(&zeros).map(|(&slot, &zero)| {
                match is_live(leaf.target, slot) || is_active(Mutant::DeadContent) {
                    true => leaf.memory.get(slot),
                    false => zero,
                }
            });
            Some([tags[target]].into_iter().chain(values).chain(slots).collect())
        };
        let all = self.all_values(graph, root, count, of, span)?.expect("there are leaves");
        let (reached, all) = all.split_first().expect("it is the first");
        let (joined, states) = all.split_at(values.len());
        memory.truncate(len);
        slots.iter().zip(states).for_each(|(&slot, &node)| memory.set(slot, node));
        self.nodes[root.0] = Node::Hole;
        let places = self.ways(graph, root, Some(*reached), targets.len(), span);
        for (&target, place) in targets.iter().zip(places) {
            let of_target = values.iter().zip(joined).filter(|((of, ..), _)| *of == target);
            let values = of_target.map(|(_, &value)| value).collect();
            self.leave(place, Leaf { target, values, memory: memory.clone() });
        }
        Ok(())
    }

    /// Turns a hole into decisions between `count` new holes by a [`tag`]; a single way needs none.
    pub(crate) fn ways(
        &mut self,
        graph: &mut Graph,
        at: FlowId,
        tag: Option<NodeId>,
        count: usize,
        span: Span,
    ) -> Vec<FlowId> {
        let (mut at, mut all) = (at, Vec::with_capacity(count));
        for k in 1..count as u32 {
            let reached = tag.expect("several ways have a tag");
            let condition = match count {
                2 => reached,
                _ => {
                    let number = self::tag(graph, count, k - 1, span);
                    graph.op(Op::Equal, vec![reached, number], span)
                }
            };
            let [here, others] = self.branch(at, condition);
            all.push(here);
            at = others;
        }
        all.push(at);
        all
    }

    /// Joins all ways below a node that lead to a target into one hole for the code there; returns the
    /// hole with the values of the φ's and the memory. `is_live` tells which slots matter there. `None`
    /// if there is no such way.
    pub(crate) fn converge(
        &mut self,
        graph: &mut Graph,
        root: FlowId,
        target: Target,
        is_live: impl Fn(usize) -> bool,
        span: Span,
    ) -> Result<Option<(FlowId, Leaf)>> {
        let mut leaves = self.leaves(root);
        leaves.retain(|&id| self.leaf(id).target == target);
        let (Some(&first), rest) = (leaves.first(), leaves.get(1..).unwrap_or_default()) else {
            return Ok(None);
        };
        if rest.is_empty() {
            return Ok(Some((first, self.take(first))));
        }
        // Values and slots in which they differ.
        let mut leaf = self.leaf(first).clone();
        let len = leaves.iter().map(|&id| self.leaf(id).memory.len()).min().unwrap_or(0);
        let mut slots: Vec<usize> = Vec::new();
        for &id in rest {
            let other = &self.leaf(id).memory;
            slots.extend(leaf.memory.differing(other, len).filter(|&slot| is_live(slot)));
        }
        slots.sort_unstable();
        slots.dedup();
        let count = leaf.values.len();
        self.work += leaves.len() * (slots.len() + count);
        let way = |_, leaf: &Leaf| match leaf.target == target {
            true => {
                let memory = slots.iter().map(|&slot| leaf.memory.get(slot));
                Way::Here(leaf.values.iter().copied().chain(memory).collect())
            }
            false => Way::Elsewhere,
        };
        let joined = self.join(graph, root, count + slots.len(), way, span)?;
        let mut all = joined.slots.into_iter().map(|slot| slot.expect("each leaf has all slots"));
        leaf.values = all.by_ref().take(count).collect();
        leaf.memory.truncate(len);
        slots.iter().zip(all).for_each(|(&slot, node)| leaf.memory.set(slot, node));
        let hole = match joined.others {
            None => root,
            Some(others) => {
                let hole = self.hole();
                let reached = joined.reached.expect("there are such leaves");
                self.nodes[root.0] = Node::Branch(reached, [hole, others]);
                hole
            }
        };
        self.nodes[hole.0] = Node::Hole;
        Ok(Some((hole, leaf)))
    }

    /// Replaces a way out by a hole.
    pub(crate) fn take(&mut self, at: FlowId) -> Leaf {
        match std::mem::replace(&mut self.nodes[at.0], Node::Hole) {
            Node::Leaf(leaf) => leaf,
            other => unreachable!("{other:?} is no leaf"),
        }
    }

    /// The joined values of the ways out below a node, as `values` gives them; ways without values are
    /// treated as never reached.
    pub(crate) fn all_values(
        &mut self,
        graph: &mut Graph,
        root: FlowId,
        count: usize,
        values: impl Fn(FlowId, &Leaf) -> Option<Vec<NodeId>>,
        span: Span,
    ) -> Result<Option<Vec<NodeId>>> {
        let way = |id, leaf: &Leaf| values(id, leaf).map_or(Way::Never, Way::Here);
        let joined = self.join(graph, root, count, way, span)?;
        Ok(joined.slots.into_iter().collect())
    }

    /// True if the way out taken below a node satisfies `is_one`; `None` if no way does.
    pub(crate) fn is_reached(
        &mut self,
        graph: &mut Graph,
        root: FlowId,
        is_one: impl Fn(&Leaf) -> bool,
        span: Span,
    ) -> Result<Option<NodeId>> {
        let way = |_, leaf: &Leaf| match is_one(leaf) {
            true => Way::Here(Vec::new()),
            false => Way::Elsewhere,
        };
        Ok(self.join(graph, root, 0, way, span)?.reached)
    }

    /// Joins the leaves for which `way` gives values.
    fn join(
        &mut self,
        graph: &mut Graph,
        root: FlowId,
        count: usize,
        way: impl Fn(FlowId, &Leaf) -> Way,
        span: Span,
    ) -> Result<Joined> {
        let all = self.below(root);
        // Arms precede their decision, the else arm last.
        let mut done: Vec<Joined> = Vec::new();
        for id in all {
            let joined = match &self.nodes[id.0] {
                Node::Hole => unreachable!("all code below has been raised"),
                Node::Never => Joined { reached: None, slots: vec![None; count], others: None },
                Node::Leaf(leaf) => match way(id, leaf) {
                    Way::Here(values) => Joined {
                        reached: Some(graph.bool(true, span)),
                        slots: values.into_iter().map(Some).collect(),
                        others: None,
                    },
                    Way::Elsewhere => {
                        Joined { reached: None, slots: vec![None; count], others: Some(id) }
                    }
                    Way::Never => Joined { reached: None, slots: vec![None; count], others: None },
                },
                &Node::Branch(condition, _) => {
                    let [otherwise, then] = [done.pop(), done.pop()].map(|of| of.expect("an arm"));
                    self.choose(graph, condition, [then, otherwise], span)?
                }
            };
            done.push(joined);
        }
        Ok(done.pop().expect("the root"))
    }

    fn choose(
        &mut self,
        graph: &mut Graph,
        condition: NodeId,
        [mut then, mut otherwise]: [Joined; 2],
        span: Span,
    ) -> Result<Joined> {
        let others = match (then.others, otherwise.others) {
            (Some(then), Some(otherwise)) => {
                Some(self.add(Node::Branch(condition, [then, otherwise])))
            }
            (one, other) => one.or(other),
        };
        // Arm that is never reached: no condition. Arm elsewhere: false.
        leave_out(graph, &mut then, &otherwise, span);
        leave_out(graph, &mut otherwise, &then, span);
        let pairs = std::iter::once((then.reached, otherwise.reached))
            .chain(then.slots.into_iter().zip(otherwise.slots));
        let pairs: Vec<(Option<NodeId>, Option<NodeId>)> = pairs.collect();
        let mut chosen = choose_each(graph, condition, &pairs, span)?.into_iter();
        let reached = chosen.next().expect("it is the first");
        Ok(Joined { reached, slots: chosen.collect(), others })
    }
}

/// Fills in the values of an arm that leads elsewhere. They are not used. Where the arm is taken, a value of the other arm is
/// computed in their place, unless that may not end, or is a probe.
fn leave_out(graph: &mut Graph, arm: &mut Joined, other: &Joined, span: Span) {
    if arm.others.is_none() {
        return;
    }
    arm.reached.get_or_insert_with(|| graph.bool(false, span));
    for (slot, other) in arm.slots.iter_mut().zip(&other.slots) {
        if let (None, Some(node)) = (&slot, *other)
            && graph.may_diverge(node)
            && !is_active(Mutant::EagerWay)
        {
            let ty = graph.value_type(node);
            if !graph.types().holds_state(ty) {
                let words = vec![0; graph.types().components(ty)];
                *slot = Some(graph.constant(ty, &words, span));
            }
        }
    }
}

/// Selects pairwise by a condition. Differing pairs share one `If`, which yields a structure if there
/// are several. A pair with one value yields that value.
fn choose_each(
    graph: &mut Graph,
    condition: NodeId,
    pairs: &[(Option<NodeId>, Option<NodeId>)],
    span: Span,
) -> Result<Vec<Option<NodeId>>> {
    let differing = |&(a, b): &(Option<NodeId>, Option<NodeId>)| match (a, b) {
        (Some(a), Some(b)) if a != b => Some((a, b)),
        _ => None,
    };
    let (then, otherwise): (Vec<NodeId>, Vec<NodeId>) = pairs.iter().filter_map(differing).unzip();
    let mut chosen = match then.len() {
        0 => Vec::new(),
        1 => vec![graph.if_([condition, then[0], otherwise[0]], span)],
        _ => {
            let structure = structure(graph, &then, "Ways")?;
            let arms = [then, otherwise].map(|arm| graph.op(Op::Construct(structure), arm, span));
            let whole = graph.if_([condition, arms[0], arms[1]], span);
            let count = pairs.iter().filter_map(differing).count() as u32;
            (0..count).map(|k| graph.op(Op::Field(k), vec![whole], span)).collect()
        }
    }
    .into_iter();
    let one = |pair| match differing(pair) {
        Some(_) => chosen.next(),
        None => pair.0.or(pair.1),
    };
    Ok(pairs.iter().map(one).collect())
}

/// The value that tells which of `count` ways is taken: true for the first of two, else the number.
pub(crate) fn tag(graph: &mut Graph, count: usize, number: u32, span: Span) -> NodeId {
    match count {
        2 => graph.bool(number == 0, span),
        _ => graph.constant(Type::INT, &[number], span),
    }
}

/// A structure type for these values.
pub(crate) fn structure(graph: &mut Graph, values: &[NodeId], name: &str) -> Result<Type> {
    let fields = values.iter().enumerate().map(|(k, &value)| Field {
        name: k.to_string().into(),
        ty: graph.value_type(value),
        is_generic: false,
    });
    let structure = Structure { name: name.into(), fields: fields.collect() };
    let limit = |limit| RaiseError::too_large(format!("joined values are too large: {limit}"));
    graph.types_mut().add_structure(structure).map_err(limit)
}
