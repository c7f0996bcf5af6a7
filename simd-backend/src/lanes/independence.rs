//! Proves that the invocations of a dispatch may run in any order, and at once.
//!
//! A dispatch is the fold of its invocations over its memories. The order does not matter if each memory is one of these:
//!
//! 1. *Constant*: nothing changes it.
//! 2. *Disjoint*: each word is accessed by one invocation. All indices have the form c + f(i), where f is one linear
//!    function of the invocation's position i for all accesses, and the constants c lie in a window of w words. Then
//!    f must keep different positions more than w − 1 words apart.
//! 3. *Reduced*: its only accesses are atomic operations of one commutative and associative kind, whose old words
//!    nobody needs. Threads may work on copies that begin with the neutral word, to be combined afterwards.
//! 4. *Marked*: its only accesses store one value.
//!
//! The proof is made for a dispatch, so uniforms, sizes and numbers of workgroups are constants. It is about the lane
//! program: an index beyond the end is clamped, but the word read there is not used, and a change there has no lane.
//! Variables of workgroups have no proof.
//!
//! # Apart
//!
//! A position has six coordinates: three of the workgroup, and three in the workgroup. Let the factors of f be a₁ to a₆,
//! signed and ascending by magnitude, for coordinates below n₁ to n₆. Coordinates with n = 1 do not count. Let each |aₖ|
//! exceed w − 1 plus the sum of |aⱼ|·(nⱼ − 1) over all j < k. Then the greatest coordinate in which two positions differ
//! keeps them more than w − 1 words apart. If also w − 1 plus the whole sum is below 2^32, no wrap brings them together.

use lambdav_core::evaluate::Dispatch;
use lambdav_core::memory::{Atomic, InvocationInput};

use super::interpret::apply;
use super::walk::{Event, Walk};
use super::{Access, Extents, Kind, LaneExpr, LaneOp, LaneProgram, LaneStatement, ValueId};
use crate::mutants::{Mutant, is_active};

/// The memories that threads combine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Independence {
    /// The reduced memories by number, each with its operation.
    pub reduced: Vec<(usize, Atomic)>,
}

/// The word w for which any word x combined with w is x, for operations whose order does not matter.
pub fn neutral(atomic: Atomic) -> Option<u32> {
    match atomic {
        Atomic::Add | Atomic::Or | Atomic::Xor | Atomic::UintMax => Some(0),
        Atomic::And | Atomic::UintMin => Some(u32::MAX),
        Atomic::IntMin => Some(i32::MAX as u32),
        Atomic::IntMax => Some(i32::MIN as u32),
        Atomic::Exchange | Atomic::CompareExchange => None,
    }
}

/// True if some dispatch of the program may have a proof.
pub fn may_be_independent(program: &LaneProgram) -> bool {
    let is_of_buffer =
        |access: &Access| program.resources.0[access.memory as usize].extents == Extents::Any;
    accesses(program).all(|(_, access)| is_of_buffer(access))
}

fn accesses(program: &LaneProgram) -> impl Iterator<Item = (Option<ValueId>, &Access)> {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.filter_map(|statement| match statement {
        LaneStatement::Access { value, access } => Some((*value, access)),
        _ => None,
    })
}

/// Proves that the invocations of a dispatch are independent. `words` are the words of the program's inputs.
pub fn prove(program: &LaneProgram, words: &[u32], dispatch: &Dispatch) -> Option<Independence> {
    if !may_be_independent(program) {
        return None;
    }
    let forms = Forms::new(program, words, dispatch);
    let mut found = Independence::default();
    for number in program.resources.memories() {
        let all: Vec<_> =
            accesses(program).filter(|(_, of)| of.memory as usize == number).collect();
        if all.iter().all(|(_, access)| access.change.is_none()) {
            continue;
        }
        let count = program.resources.words_of_memory(number, words);
        let is_disjoint = {
            let indices = all.iter().map(|(_, access)| forms.index(access.index, count));
            let indices: Option<Vec<Linear>> = indices.collect();
            count == 0 || indices.is_some_and(|indices| are_apart(&indices, dispatch))
        };
        if is_disjoint {
            continue;
        }
        // The changes, if no word is read.
        let changes =
            all.iter().map(|(value, access)| access.change.as_ref().filter(|_| value.is_none()));
        let changes: Vec<_> = changes.collect::<Option<_>>()?;
        let atomic = changes[0].atomic;
        if changes.iter().any(|change| change.atomic != atomic) && !is_active(Mutant::MixedAtomics)
        {
            return None;
        }
        if atomic == Atomic::Exchange {
            let first = forms.constant(changes[0].words[0])?;
            let is_same = |word| forms.constant(word) == Some(first);
            if !changes.iter().all(|change| is_same(change.words[0])) {
                return None;
            }
        } else {
            neutral(atomic)?;
            found.reduced.push((number, atomic));
        }
    }
    Some(found)
}

/// Number of coordinates of an invocation.
const COORDINATES: usize = 6;

/// A linear function of an invocation's position, modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Linear {
    constant: u32,
    /// The factors of the workgroup's coordinates, and of those in the workgroup.
    factors: [u32; COORDINATES],
}

impl Linear {
    fn constant(constant: u32) -> Self {
        Self { constant, ..Self::default() }
    }

    fn is_constant(&self) -> bool {
        self.factors == [0; COORDINATES]
    }

    fn zip(self, other: Self, f: impl Fn(u32, u32) -> u32) -> Self {
        let factors = std::array::from_fn(|k| f(self.factors[k], other.factors[k]));
        Self { constant: f(self.constant, other.constant), factors }
    }

    fn times(self, by: u32) -> Self {
        let factors = self.factors.map(|factor| factor.wrapping_mul(by));
        Self { constant: self.constant.wrapping_mul(by), factors }
    }

    /// A component of an input of the invocation.
    fn of_input(input: InvocationInput, k: usize, dispatch: &Dispatch) -> Self {
        let [x, y, _] = dispatch.workgroup;
        let mut factors = [0; COORDINATES];
        match input {
            InvocationInput::Workgroups => return Self::constant(dispatch.groups[k]),
            InvocationInput::WorkgroupId => factors[k] = 1,
            InvocationInput::LocalId => factors[3 + k] = 1,
            InvocationInput::GlobalId => {
                factors[k] = dispatch.workgroup[k];
                factors[3 + k] = 1;
            }
            InvocationInput::LocalIndex => factors[3..].copy_from_slice(&[1, x, x.wrapping_mul(y)]),
        }
        Self { constant: 0, factors }
    }
}

/// True if different invocations have different words, for accesses with these indices, at least one.
fn are_apart(indices: &[Linear], dispatch: &Dispatch) -> bool {
    let first = indices[0];
    if indices.iter().any(|index| index.factors != first.factors) {
        return false;
    }
    let further = indices.iter().map(|index| index.constant.wrapping_sub(first.constant) as i32);
    let (least, most) = further.fold((0, 0), |(least, most), of| (least.min(of), most.max(of)));
    let mut reach = u64::from(most.abs_diff(least));
    let counts = dispatch.groups.into_iter().chain(dispatch.workgroup);
    let steps = first.factors.map(|factor| u64::from((factor as i32).unsigned_abs()));
    let mut all: Vec<(u64, u64)> =
        steps.into_iter().zip(counts.map(u64::from)).filter(|&(_, count)| count > 1).collect();
    all.sort_unstable();
    for (step, count) in all {
        if step <= reach {
            return false;
        }
        reach = reach.saturating_add(step.saturating_mul(count - 1));
    }
    reach < 1 << 32
}

/// The values of a program that are linear functions of the position.
struct Forms {
    of: Vec<Option<Linear>>,
    /// The operands of each minimum of unsigned integers.
    minima: Vec<Option<[ValueId; 2]>>,
}

impl Forms {
    fn new(program: &LaneProgram, words: &[u32], dispatch: &Dispatch) -> Self {
        let count = program.values.len();
        let mut forms = Self { of: vec![None; count], minima: vec![None; count] };
        for event in Walk::new().events(program) {
            let Event::Statement(id, index) = event else { continue };
            if let LaneStatement::Let { value, expr } = &program.block(id).statements[index]
                && program.kind(*value) == Kind::I32
            {
                forms.of[value.index()] = forms.form(program, expr, words, dispatch);
                if let LaneExpr::Op(LaneOp::MinUnsigned, of) = expr {
                    forms.minima[value.index()] = Some([of[0], of[1]]);
                }
            }
        }
        forms
    }

    fn form(
        &self,
        program: &LaneProgram,
        expr: &LaneExpr,
        words: &[u32],
        dispatch: &Dispatch,
    ) -> Option<Linear> {
        Some(match expr {
            LaneExpr::Constant(bits) => Linear::constant(*bits as u32),
            LaneExpr::Input(word) => Linear::constant(words[*word as usize]),
            LaneExpr::Primitive(k) => Linear::constant(dispatch.groups[*k as usize]),
            LaneExpr::Invocation(input, k) => Linear::of_input(*input, usize::from(*k), dispatch),
            LaneExpr::Op(op, of) => {
                let form = |k: usize| self.of[of.get(k)?.index()];
                let is_word = |&v: &ValueId| program.kind(v) == Kind::I32;
                if !of.iter().all(is_word) {
                    return None;
                }
                match op {
                    LaneOp::Add => form(0)?.zip(form(1)?, u32::wrapping_add),
                    LaneOp::Sub => form(0)?.zip(form(1)?, u32::wrapping_sub),
                    LaneOp::ShiftLeft(by) => form(0)?.times(1 << by),
                    LaneOp::Mul if form(1)?.is_constant() => form(0)?.times(form(1)?.constant),
                    LaneOp::Mul if form(0)?.is_constant() => form(1)?.times(form(0)?.constant),
                    _ => {
                        let mut constants = [0; 3];
                        for (constant, &operand) in constants.iter_mut().zip(of) {
                            *constant = self.constant(operand)?.into();
                        }
                        Linear::constant(apply(*op, Kind::I32, constants) as u32)
                    }
                }
            }
            _ => return None,
        })
    }

    fn constant(&self, value: ValueId) -> Option<u32> {
        self.of[value.index()].filter(Linear::is_constant).map(|form| form.constant)
    }

    /// The form of an index into a memory of so many words, at least one, before it is clamped.
    fn index(&self, index: ValueId, count: usize) -> Option<Linear> {
        if let Some([a, b]) = self.minima[index.index()] {
            let last = Some(count.saturating_sub(1) as u32);
            if self.constant(b) == last {
                return self.of[a.index()];
            }
            if self.constant(a) == last {
                return self.of[b.index()];
            }
        }
        self.of[index.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(constant: u32, factors: [i32; COORDINATES]) -> Linear {
        Linear { constant, factors: factors.map(|factor| factor as u32) }
    }

    /// All indices of all positions, by enumeration.
    fn are_different(indices: &[Linear], dispatch: &Dispatch) -> bool {
        let counts: Vec<u32> = dispatch.groups.into_iter().chain(dispatch.workgroup).collect();
        let mut owners = std::collections::HashMap::new();
        let total: u32 = counts.iter().product();
        (0..total).all(|position| {
            let mut rest = position;
            let coordinates: Vec<u32> = counts
                .iter()
                .map(|count| {
                    let coordinate = rest % count;
                    rest /= count;
                    coordinate
                })
                .collect();
            indices.iter().all(|index| {
                let sum = coordinates
                    .iter()
                    .zip(index.factors)
                    .fold(index.constant, |sum, (&x, f)| sum.wrapping_add(x.wrapping_mul(f)));
                *owners.entry(sum).or_insert(position) == position
            })
        })
    }

    /// A proof is right for random functions, and is found for the usual ones.
    #[test]
    fn proofs_are_right() {
        let dispatch = Dispatch { workgroup: [4, 2, 1], groups: [3, 1, 2] };
        let mut state = 1_u64;
        let mut random = |count: u64| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % count
        };
        let steps = [0, 1, 2, 4, 6, 8, 12, 24, 48, -1, -8, 1 << 30, i32::MIN];
        let mut proved = 0;
        for _ in 0..200_000 {
            let factors = std::array::from_fn(|_| steps[random(steps.len() as u64) as usize]);
            let count = 1 + random(2);
            let indices: Vec<Linear> =
                (0..count).map(|_| linear(random(3) as u32, factors)).collect();
            if are_apart(&indices, &dispatch) {
                assert!(are_different(&indices, &dispatch), "{indices:?}");
                proved += 1;
            }
        }
        assert!(proved > 200, "{proved}");
        // x + 12 (y + 2 z), words of a pair, and words of a pair that overlap the next.
        let global = linear(5, [4, 24, 24, 1, 12, 24]);
        assert!(are_apart(&[global], &dispatch));
        let [even, odd] = [0, 1].map(|k| Linear { constant: k, ..global.times(2) });
        assert!(are_apart(&[even, odd], &dispatch) && are_apart(&[odd, even], &dispatch));
        assert!(!are_apart(&[even, Linear { constant: 2, ..even }], &dispatch));
        assert!(!are_apart(&[global, even], &dispatch));
    }

    #[test]
    fn neutral_words() {
        for atomic in Atomic::ALL {
            let Some(word) = neutral(atomic) else { continue };
            for x in [0, 1, 7, i32::MAX as u32, i32::MIN as u32, u32::MAX] {
                assert_eq!(atomic.apply(x, word, 0), x, "{atomic:?}");
                assert_eq!(atomic.apply(word, x, 0), x, "{atomic:?}");
            }
        }
    }
}
