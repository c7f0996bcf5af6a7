//! Interval analysis of integers and floats.
//!
//! Operations of binary32 are monotone, rounding included. So the limits of a result are the operation's
//! results for the limits of its operands.

use super::interpret::FITS;
use super::{Bound, Descriptors, Kind, LaneExpr, LaneOp, LaneProgram, ValueId};
use rustc_hash::FxHashMap;

/// Exceeds any coordinate of a pixel, also in groups that cross an edge.
const MAX_COLUMNS: f32 = 131_072.0;

/// Up to this, signed and unsigned interpretations of an integer agree.
pub(super) const POSITIVE: u32 = i32::MAX as u32;

/// The maximum result of an operation on unsigned 32-bit integers, from the maxima of its operands.
pub(super) fn most_of(op: LaneOp, most: impl Fn(usize) -> u32) -> u32 {
    match op {
        LaneOp::And | LaneOp::MinUnsigned => most(0).min(most(1)),
        LaneOp::ShiftLeft(n) if n < 32 => most(0).saturating_mul(1 << n),
        LaneOp::ShiftRight(n) if n < 32 => most(0) >> n,
        LaneOp::Add => most(0).saturating_add(most(1)),
        LaneOp::Mul => most(0).saturating_mul(most(1)),
        LaneOp::Or | LaneOp::Xor => {
            u32::MAX.checked_shr((most(0) | most(1)).leading_zeros()).unwrap_or(0)
        }
        // Signed operations, on operands that are not negative.
        LaneOp::Min if most(0).max(most(1)) <= POSITIVE => most(0).min(most(1)),
        LaneOp::Max if most(0).max(most(1)) <= POSITIVE => most(0).max(most(1)),
        LaneOp::Select => most(1).max(most(2)),
        _ => u32::MAX,
    }
}

/// Limits of all values.
pub(super) struct Limits {
    /// The program's resources.
    resources: Descriptors,
    /// For each `I32`, its upper bound as an unsigned integer.
    bounds: Vec<Bound>,
    /// For each value that is the sign of an integer, 0 or −1, that integer.
    signs: FxHashMap<ValueId, ValueId>,
    /// For each `F32` that is certainly finite, its minimum and maximum.
    numbers: Vec<Option<[f32; 2]>>,
}

impl Limits {
    pub(super) fn new(program: &LaneProgram) -> Self {
        let (values, resources) = (program.values.len(), program.resources.clone());
        Self {
            resources,
            bounds: vec![Bound::ANY; values],
            signs: FxHashMap::default(),
            numbers: vec![None; values],
        }
    }

    /// The upper bound of an unsigned integer.
    pub(super) fn bound(&self, value: ValueId) -> Bound {
        self.bounds[value.index()]
    }

    /// The constant upper bound of an unsigned integer.
    pub(super) fn most(&self, value: ValueId) -> u32 {
        self.bound(value).most
    }

    /// True if a float certainly fits an integer after rounding toward zero: a signed one, or an unsigned
    /// one if `is_unsigned`.
    pub(super) fn fits(&self, value: ValueId, is_unsigned: bool) -> bool {
        self.numbers[value.index()].is_some_and(|[low, high]| {
            FITS.contains(&low) && FITS.contains(&high) && (!is_unsigned || low > -1.0)
        })
    }

    /// Computes and stores the limits of a value from its expression.
    pub(super) fn define(&mut self, value: ValueId, kind: Kind, expr: &LaneExpr) {
        if let LaneExpr::Op(LaneOp::ShiftRightSigned(31), of) = expr {
            self.signs.insert(value, of[0]);
        }
        match kind {
            Kind::I32 => self.bounds[value.index()] = self.bound_of(expr),
            Kind::F32 => self.numbers[value.index()] = self.interval(expr),
            Kind::F64 | Kind::I64 | Kind::Mask | Kind::Array(_) => {}
        }
    }

    fn bound_of(&self, expr: &LaneExpr) -> Bound {
        match expr {
            LaneExpr::Constant(bits) => Bound::constant(*bits as u32),
            LaneExpr::Input(word) => self.resources.bound_of(*word),
            // An integer with the bits of a negative one flipped is not negative.
            LaneExpr::Op(LaneOp::Xor, of)
                if self.signs.get(&of[0]) == Some(&of[1])
                    || self.signs.get(&of[1]) == Some(&of[0]) =>
            {
                Bound::constant(POSITIVE)
            }
            LaneExpr::Op(op, operands) => {
                Bound::of(*op, &self.resources, |i| self.bound(operands[i]))
            }
            LaneExpr::Neighbour { of, .. } => self.bound(*of),
            _ => Bound::ANY,
        }
    }

    fn interval(&self, expr: &LaneExpr) -> Option<[f32; 2]> {
        let found = match expr {
            LaneExpr::Constant(bits) => [f32::from_bits(*bits as u32); 2],
            LaneExpr::Coordinate(_) => [0.0, MAX_COLUMNS],
            LaneExpr::Neighbour { of, .. } => self.numbers[of.index()]?,
            LaneExpr::Op(op, operands) => {
                let of = |i: usize| self.numbers[operands[i].index()];
                let each = |f: fn(f32) -> f32| of(0).map(|of| of.map(f));
                match op {
                    LaneOp::Floor => each(f32::floor)?,
                    LaneOp::Ceil => each(f32::ceil)?,
                    LaneOp::Trunc => each(f32::trunc)?,
                    LaneOp::RoundEven => each(f32::round_ties_even)?,
                    LaneOp::Add => [of(0)?[0] + of(1)?[0], of(0)?[1] + of(1)?[1]],
                    LaneOp::Sub => [of(0)?[0] - of(1)?[1], of(0)?[1] - of(1)?[0]],
                    LaneOp::Mul => {
                        let ([a, b], [c, d]) = (of(0)?, of(1)?);
                        let products = [a * c, a * d, b * c, b * d];
                        let least = products.into_iter().fold(f32::INFINITY, f32::min);
                        [least, products.into_iter().fold(f32::NEG_INFINITY, f32::max)]
                    }
                    LaneOp::Select => {
                        let ([a, b], [c, d]) = (of(1)?, of(2)?);
                        [a.min(c), b.max(d)]
                    }
                    LaneOp::FromInteger if self.most(operands[0]) > POSITIVE => return None,
                    LaneOp::FromInteger | LaneOp::FromUnsigned => {
                        [0.0, self.most(operands[0]) as f32]
                    }
                    _ => return None,
                }
            }
            _ => return None,
        };
        found.iter().all(|limit| limit.is_finite()).then_some(found)
    }
}
