//! Replaces copies of expressions at neighbour pixels by values in the neighbours' lanes.
//!
//! A derivative is the difference of two copies of an expression, at the even and at the odd pixel of a
//! pair (the core's `graph::neighbour`). Where lanes lie in whole quads ([`super::Width::shares`]) and the expression
//! itself is computed, its copies are in the lanes already: [`LaneExpr::Neighbour`] reads them.
//!
//! # Correctness
//!
//! The lane of the other pixel may be inactive, or outside the image. So only *whole* values are read
//! ([`super::whole`]): every lane holds the source's value, whatever the masks are. The copy at a pixel is
//! by definition the expression at the other pixel, so it equals the value in that pixel's lane. The value
//! must have been computed before the copy: its statement comes earlier, in the same block or an outer one.
//! Removing a copied loop changes no fault: the copy would have ended, or exceeded its limit, exactly as
//! the loop of the other lane has, since whole conditions are uniform over the group. (After a fault pixels
//! are computed again one by one, in groups that contain the same quads.)
//!
//! Elementary functions take their slow path in active lanes only. Functions that shared values depend on
//! take it in every lane.
//!
//! # Profitability
//!
//! A permutation of lanes costs about as much as a simple operation. It replaces a copy of higher cost
//! ([`cost::SHARED`]), or a whole loop or `if`. Dead-code elimination then removes the operands that only
//! the copy used.

use lambdav_core::graph::Side;
use rustc_hash::FxHashMap;

use super::walk::{Event, Walk};
use super::whole::Whole;
use super::{
    Axis, BlockId, Kind, LaneBlock, LaneEnd, LaneExpr, LaneProgram, LaneStatement, Rate, ValueId,
};
use crate::cost;
use crate::mutants::{Mutant, is_active};

/// A copy, and the value that it equals at another pixel of the quad.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair {
    pub(super) copy: ValueId,
    pub(super) of: ValueId,
    pub(super) axis: Axis,
    pub(super) side: Side,
}

impl Pair {
    pub(super) fn new(copy: ValueId, of: ValueId, axis: Axis, side: Side) -> Self {
        Self { copy, of, axis, side }
    }

    fn expr(self) -> LaneExpr {
        let side = match self.side {
            Side::Odd if is_active(Mutant::WrongQuad) => Side::Even,
            side => side,
        };
        LaneExpr::Neighbour { of: self.of, axis: self.axis, side }
    }
}

/// Replaces copies by the values in neighbours' lanes if they are equal and that is cheaper.
pub(super) fn share(program: &mut LaneProgram, pairs: &[Pair]) {
    let mut known: FxHashMap<ValueId, Pair> = FxHashMap::default();
    for &pair in pairs {
        if may_share(program, pair) {
            known.entry(pair.copy).or_insert(pair);
        }
    }
    if known.is_empty() {
        return;
    }
    let whole = Whole::new(program, |_| true);
    known.retain(|_, pair| whole.contains(pair.of));
    let mut sharing = Sharing {
        program,
        known,
        visible: vec![false; program.values.len()],
        scopes: Vec::new(),
        work: FxHashMap::default(),
        shared: Vec::new(),
    };
    for event in Walk::new().events(program) {
        sharing.event(event);
    }
    let (shared, known) = (sharing.shared, sharing.known);
    if shared.is_empty() {
        return;
    }
    let read = shared.iter().flat_map(|&(id, index)| {
        let values = program.block(id).statements[index].values();
        values.iter().map(|value| known[value].of).collect::<Vec<_>>()
    });
    let cone = whole.cone(read);
    replace(program, &shared, &known);
    compute_everywhere(program, &cone);
}

/// True if kinds and rates allow a permutation to replace the copy.
fn may_share(program: &LaneProgram, Pair { copy, of, axis, .. }: Pair) -> bool {
    let (to, from) = (program.rate(copy), program.rate(of));
    copy != of
        && program.width.shares(axis)
        && program.kind(copy) == program.kind(of)
        && matches!(program.kind(of), Kind::F32 | Kind::I32)
        && to.includes(from)
        && from.includes(program.items.rate(program.width, axis))
}

struct Sharing<'p> {
    program: &'p LaneProgram,
    known: FxHashMap<ValueId, Pair>,
    visible: Vec<bool>,
    /// The values defined by each open block.
    scopes: Vec<Vec<ValueId>>,
    /// Cost of each copy including the copies that it depends on, in quarters of an operation.
    work: FxHashMap<ValueId, u64>,
    /// The statements that permutations replace.
    shared: Vec<(BlockId, usize)>,
}

impl Sharing<'_> {
    fn event(&mut self, event: Event) {
        let program = self.program;
        match event {
            Event::Enter(_) => self.scopes.push(Vec::new()),
            Event::Leave(_) => {
                for value in self.scopes.pop().expect("a block has begun") {
                    self.visible[value.index()] = false;
                }
            }
            Event::Statement(id, index) => {
                let statement = &program.block(id).statements[index];
                if self.is_shared(statement) {
                    self.shared.push((id, index));
                }
                if let LaneStatement::Let { value, .. } = statement {
                    self.define(&[*value]);
                }
            }
            Event::After(id, index) => self.define(program.block(id).statements[index].values()),
            Event::End(_) => {}
        }
    }

    fn define(&mut self, values: &[ValueId]) {
        for &value in values {
            self.visible[value.index()] = true;
            self.scopes.last_mut().expect("a block has begun").push(value);
        }
    }

    /// True if all values of a statement are available in other lanes, and reading them there is cheaper.
    fn is_shared(&mut self, statement: &LaneStatement) -> bool {
        let values = statement.values();
        let is_there = |value| {
            let pair = self.known.get(value);
            pair.is_some_and(|pair| self.visible[pair.of.index()])
        };
        if values.is_empty() || !values.iter().all(is_there) {
            return false;
        }
        let work = match statement {
            LaneStatement::Let { value, expr } => {
                // A value that needs one register where others need several counts less.
                let quarters = if self.program.rate(*value) == Rate::VARYING { 4 } else { 1 };
                let of_operands = expr.operands().filter_map(|operand| self.work.get(&operand));
                of_operands.fold(quarters * expr.cost(), |sum, work| sum.saturating_add(*work))
            }
            _ => u64::MAX,
        };
        self.work.extend(values.iter().map(|&value| (value, work)));
        work > 4 * cost::SHARED
    }
}

/// Replaces these statements, given in program order, by permutations.
fn replace(
    program: &mut LaneProgram,
    shared: &[(BlockId, usize)],
    known: &FxHashMap<ValueId, Pair>,
) {
    let mut of_block: FxHashMap<BlockId, Vec<usize>> = FxHashMap::default();
    let mut unreachable = Vec::new();
    for &(id, index) in shared {
        of_block.entry(id).or_default().push(index);
        let inside = Walk::of_statements(id, index..index + 1).events(program);
        unreachable.extend(inside.filter_map(|event| match event {
            Event::Enter(id) => Some(id),
            _ => None,
        }));
    }
    for (id, indices) in of_block {
        let (mut indices, mut statements) = (indices.into_iter().peekable(), Vec::new());
        let old = std::mem::take(&mut program.blocks[id.index()].statements);
        for (index, statement) in old.into_iter().enumerate() {
            if indices.next_if_eq(&index).is_none() {
                statements.push(statement);
                continue;
            }
            let permuted = |&value| LaneStatement::Let { value, expr: known[&value].expr() };
            statements.extend(statement.values().iter().map(permuted));
        }
        program.blocks[id.index()].statements = statements;
    }
    for id in unreachable {
        let end = LaneEnd::Yield(Box::default());
        program.blocks[id.index()] = LaneBlock { statements: Vec::new(), end };
    }
}

/// Computes the elementary functions among these values in every lane.
fn compute_everywhere(program: &mut LaneProgram, values: &[bool]) {
    let all = ValueId(program.values.len() as u32);
    let mut is_used = false;
    for statement in program.blocks.iter_mut().flat_map(|block| &mut block.statements) {
        if let LaneStatement::Let { value, expr: LaneExpr::Elementary { mask: Some(mask), .. } } =
            statement
            && values[value.index()]
        {
            *mask = all;
            is_used = true;
        }
    }
    if is_used {
        program.values.push(super::ValueInfo { kind: Kind::Mask, rate: Rate::FRAME });
        let constant = LaneStatement::Let { value: all, expr: LaneExpr::Constant(1) };
        program.blocks[LaneProgram::ROOT.index()].statements.insert(0, constant);
    }
}
