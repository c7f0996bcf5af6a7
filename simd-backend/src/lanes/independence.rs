//! Proves that invocations may run in any order, and at once.
//!
//! A dispatch is the fold of its invocations over its memories. The order of those in a [`Scope`] does not matter if each
//! memory is one of these:
//!
//! 1. *Constant*: nothing changes it.
//! 2. *Disjoint*: each word is accessed by one invocation, or by one workgroup, as the scope asks. All indices have the
//!    form c + f(i), where f is one linear function of the invocation's position i for all accesses, and the constants c
//!    lie in a window of w words. Then f must keep different positions more than w − 1 words apart.
//! 3. *Reduced*: its only accesses are atomic operations of one commutative and associative kind, whose old words
//!    nobody needs. Threads may work on copies that begin with the neutral word, to be combined afterwards.
//! 4. *Marked*: its only accesses store one value.
//! 5. *Single*: its only accesses are changes by one and the same invocation: where an injective linear function of the
//!    position equals a constant.
//!
//! The proof is made for a dispatch, so uniforms, sizes and numbers of workgroups are constants. It is about lane
//! programs, one or several that the invocations execute: an index beyond the end is clamped, but the word read there is
//! not used, and a change there has no lane.
//!
//! # Apart
//!
//! A position has six coordinates: three of the workgroup, and three in the workgroup. Let the factors of f be a₁ to a₆,
//! signed and ascending by magnitude, for coordinates below n₁ to n₆. Coordinates with n = 1 do not count. Let each |aₖ|
//! exceed w − 1 plus the sum of |aⱼ|·(nⱼ − 1) over all j < k. Then the greatest coordinate in which two positions differ
//! keeps them more than w − 1 words apart. If also w − 1 plus the whole sum is below 2^32, no wrap brings them together.
//!
//! Of invocations of one workgroup only the last three coordinates differ. Of workgroups, only the first three count: the
//! others widen the window, and may have different factors in each access.

use std::collections::BTreeSet;
use std::ops::Range;

use lambdav_core::evaluate::Dispatch;
use lambdav_core::memory::{Atomic, InvocationInput};
use rustc_hash::FxHashSet;

use super::interpret::apply;
use super::walk::{Event, Walk};
use super::{Access, Change, Extents, Kind, LaneExpr, LaneOp, LaneProgram, LaneStatement, ValueId};
use crate::mutants::{Mutant, is_active};

/// The invocations that may run in any order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of a dispatch. Variables of workgroups have no proof.
    Dispatch,
    /// Workgroups, each of which keeps its order. They have variables of their own.
    Workgroups,
    /// Those of one workgroup, on one thread.
    Workgroup,
}

impl Scope {
    /// The coordinates in which positions differ.
    fn coordinates(self) -> Range<usize> {
        match self {
            Self::Dispatch => 0..COORDINATES,
            Self::Workgroups => 0..3,
            Self::Workgroup => 3..COORDINATES,
        }
    }
}

/// A program with the words of its inputs.
pub type Given<'a> = (&'a LaneProgram, &'a [u32]);

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

/// The memories that one of these programs changes, variables of workgroups excluded.
pub fn changed<'a>(programs: impl IntoIterator<Item = &'a LaneProgram>) -> BTreeSet<usize> {
    let all = programs.into_iter().flat_map(|program| {
        let changes = accesses(program).filter(|(_, access)| access.change.is_some());
        let numbers = changes.map(|(_, access)| access.memory as usize);
        numbers.filter(|&number| program.resources.0[number].extents == Extents::Any)
    });
    all.collect()
}

/// Proves that the invocations of a scope are independent while they execute some of these programs, which have the same
/// memories.
pub fn prove(programs: &[Given<'_>], dispatch: &Dispatch, scope: Scope) -> Option<Independence> {
    let all: Vec<(Forms, Vec<_>)> = programs
        .iter()
        .map(|&(program, words)| {
            (Forms::new(program, words, dispatch), accesses(program).collect())
        })
        .collect();
    let mut found = Independence::default();
    let (first, words) = programs.first()?;
    for number in first.resources.memories() {
        let is_of_buffer = first.resources.0[number].extents == Extents::Any;
        if scope == Scope::Workgroups && !is_of_buffer {
            continue;
        }
        let of_memory: Vec<(&Forms, Option<ValueId>, &Access)> = all
            .iter()
            .flat_map(|(forms, accesses)| {
                let of_memory = accesses.iter().filter(|(_, of)| of.memory as usize == number);
                of_memory.map(move |&(value, access)| (forms, value, access))
            })
            .collect();
        if of_memory.iter().all(|(.., access)| access.change.is_none()) {
            continue;
        }
        if scope == Scope::Dispatch && !is_of_buffer {
            return None;
        }
        let count = first.resources.words_of_memory(number, words);
        let is_disjoint = {
            let indices = of_memory.iter().map(|(forms, _, of)| forms.index(of.index, count));
            let indices: Option<Vec<Linear>> = indices.collect();
            count == 0 || indices.is_some_and(|indices| are_apart(&indices, dispatch, scope))
        };
        let owner = |&(forms, value, access): &(&Forms, Option<ValueId>, &Access)| {
            let change = access.change.as_ref().filter(|_| value.is_none())?;
            forms.owner(change.mask, dispatch, scope)
        };
        let first_owner = owner(&of_memory[0]);
        let is_single =
            first_owner.is_some() && of_memory.iter().all(|access| owner(access) == first_owner);
        if is_disjoint || is_single {
            continue;
        }
        // The changes, if no word is read.
        let changes = of_memory.iter().map(|(forms, value, access)| {
            Some((*forms, access.change.as_ref().filter(|_| value.is_none())?))
        });
        let changes: Vec<_> = changes.collect::<Option<_>>()?;
        let atomic = changes[0].1.atomic;
        if changes.iter().any(|(_, change)| change.atomic != atomic)
            && !is_active(Mutant::MixedAtomics)
        {
            return None;
        }
        if atomic == Atomic::Exchange {
            let constant = |&(forms, change): &(&Forms, &Change)| forms.constant(change.words[0]);
            let first = constant(&changes[0])?;
            if !changes.iter().all(|change| constant(change) == Some(first)) {
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

/// True if different invocations, or workgroups, have different words, for accesses with these indices, at least one.
fn are_apart(indices: &[Linear], dispatch: &Dispatch, scope: Scope) -> bool {
    let first = indices[0];
    let coordinates = scope.coordinates();
    // Workgroups are fixed in the scope of one, whatever their factors are, if these are the same.
    let equal = if scope == Scope::Workgroups { 0..3 } else { 0..COORDINATES };
    if indices.iter().any(|index| index.factors[equal.clone()] != first.factors[equal.clone()]) {
        return false;
    }
    let counts: Vec<u32> = dispatch.groups.into_iter().chain(dispatch.workgroup).collect();
    let (mut least, mut most) = (0, 0);
    for index in indices {
        let constant = i64::from(index.constant.wrapping_sub(first.constant) as i32);
        let [mut low, mut high] = [constant; 2];
        for k in (0..COORDINATES).filter(|k| *k >= 3 && !coordinates.contains(k)) {
            let span = i64::from(index.factors[k] as i32) * i64::from(counts[k].max(1) - 1);
            low += span.min(0);
            high += span.max(0);
        }
        (least, most) = (i64::min(least, low), i64::max(most, high));
    }
    let mut reach = most.abs_diff(least);
    let of_scope = coordinates.map(|k| (first.factors[k] as i32, counts[k]));
    let mut all: Vec<(u64, u64)> = of_scope
        .filter(|&(_, count)| count > 1)
        .map(|(factor, count)| (factor.unsigned_abs().into(), count.into()))
        .collect();
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
    /// The operands of each conjunction of masks.
    both: Vec<Option<[ValueId; 2]>>,
    /// The operands of each comparison for equality of integers.
    equal: Vec<Option<[ValueId; 2]>>,
}

impl Forms {
    fn new(program: &LaneProgram, words: &[u32], dispatch: &Dispatch) -> Self {
        let count = program.values.len();
        let none = || vec![None; count];
        let mut forms = Self { of: vec![None; count], minima: none(), both: none(), equal: none() };
        for event in Walk::new().events(program) {
            let Event::Statement(id, index) = event else { continue };
            let LaneStatement::Let { value, expr } = &program.block(id).statements[index] else {
                continue;
            };
            let (kind, number) = (program.kind(*value), value.index());
            if kind == Kind::I32 {
                forms.of[number] = forms.form(program, expr, words, dispatch);
            }
            let LaneExpr::Op(op, of) = expr else { continue };
            match (op, &of[..]) {
                (LaneOp::MinUnsigned, &[a, b]) => forms.minima[number] = Some([a, b]),
                (LaneOp::And, &[a, b]) if kind == Kind::Mask => forms.both[number] = Some([a, b]),
                (LaneOp::Equal, &[a, b]) if program.kind(a) == Kind::I32 => {
                    forms.equal[number] = Some([a, b]);
                }
                _ => {}
            }
        }
        forms
    }

    /// The only invocation whose mask may be true: where a linear function, which keeps all positions apart, is 0.
    fn owner(&self, mask: ValueId, dispatch: &Dispatch, scope: Scope) -> Option<Linear> {
        if scope == Scope::Workgroups {
            return None;
        }
        let (mut conjuncts, mut seen) = (vec![mask], FxHashSet::default());
        while let Some(mask) = conjuncts.pop() {
            if !seen.insert(mask) {
                continue;
            }
            if let Some(both) = self.both[mask.index()] {
                conjuncts.extend(both);
            }
            let Some([a, b]) = self.equal[mask.index()] else { continue };
            let (Some(a), Some(b)) = (self.of[a.index()], self.of[b.index()]) else { continue };
            let difference = a.zip(b, u32::wrapping_sub);
            if are_apart(&[difference], dispatch, scope) {
                return Some(difference);
            }
        }
        None
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
    fn are_different(indices: &[Linear], dispatch: &Dispatch, scope: Scope) -> bool {
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
            let (group, local) = coordinates.split_at(3);
            // The words that others must not have, and their owner.
            let (of, owner) = match scope {
                Scope::Dispatch => (&[][..], &coordinates[..]),
                Scope::Workgroups => (&[][..], group),
                Scope::Workgroup => (group, local),
            };
            indices.iter().all(|index| {
                let sum = coordinates
                    .iter()
                    .zip(index.factors)
                    .fold(index.constant, |sum, (&x, f)| sum.wrapping_add(x.wrapping_mul(f)));
                *owners.entry((of.to_vec(), sum)).or_insert(owner.to_vec()) == owner
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
        for (scope, least) in
            [(Scope::Dispatch, 200), (Scope::Workgroups, 2_000), (Scope::Workgroup, 2_000)]
        {
            let mut proved = 0;
            for _ in 0..100_000 {
                let factors: [i32; COORDINATES] =
                    std::array::from_fn(|_| steps[random(steps.len() as u64) as usize]);
                let count = 1 + random(2);
                let indices: Vec<Linear> = (0..count)
                    .map(|k| {
                        let mut factors = factors;
                        if k > 0 && random(2) == 0 {
                            factors[random(COORDINATES as u64) as usize] =
                                steps[random(6) as usize];
                        }
                        linear(random(3) as u32, factors)
                    })
                    .collect();
                if are_apart(&indices, &dispatch, scope) {
                    assert!(are_different(&indices, &dispatch, scope), "{scope:?}: {indices:?}");
                    proved += 1;
                }
            }
            assert!(proved > least, "{scope:?}: {proved}");
        }
        // x + 12 (y + 2 z), words of a pair, and words of a pair that overlap the next.
        let are_apart = |indices: &[Linear]| are_apart(indices, &dispatch, Scope::Dispatch);
        let global = linear(5, [4, 24, 24, 1, 12, 24]);
        assert!(are_apart(&[global]));
        let [even, odd] = [0, 1].map(|k| Linear { constant: k, ..global.times(2) });
        assert!(are_apart(&[even, odd]) && are_apart(&[odd, even]));
        assert!(!are_apart(&[even, Linear { constant: 2, ..even }]));
        assert!(!are_apart(&[global, even]));
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
