//! Proves that invocations may run in any order, and at once.
//!
//! A dispatch is the fold of its invocations over its memories. The order of those in a [`Scope`] does not matter if each
//! memory is one of these:
//!
//! 1. *Constant*: nothing changes it.
//! 2. *Disjoint*: of any two accesses, one of which is a change, two different invocations (or workgroups, as the scope
//!    asks) never reach the same word.
//! 3. *Reduced*: its only accesses are atomic operations of one commutative and associative kind, whose old words
//!    nobody needs. Threads may work on copies that begin with the neutral word, to be combined afterwards.
//! 4. *Marked*: its only accesses store one value.
//!
//! The proof is made for a dispatch, so uniforms, sizes and numbers of workgroups are constants. It is about lane
//! programs, one or several that the invocations execute: an index beyond the end is clamped, but the word read there is
//! not used, and a change there has no lane.
//!
//! # Forms
//!
//! An index is c + f(i) + a·s, modulo 2^32, where f is a linear function of the position i of the invocation. It has six
//! coordinates: three of the workgroup, and three in the workgroup. s is a *symbol*: a word that the invocations of a
//! workgroup have saved before a phase. In the proof it is any number below [`SYMBOLS`]; the caller checks that, and that
//! the invocations have saved the same ([`Independence::symbols`]).
//!
//! The mask of an access is a conjunction. A condition g < b bounds f where g has the same f. Where g = b, the access is
//! as good as one at its index plus g − b.
//!
//! # Apart
//!
//! Two accesses reach different words
//!
//! - if their words lie in ranges that do not meet, or
//! - if they have the same f and the same symbol, and f keeps different positions further apart than their constants. Let
//!   the factors of f be a₁ to a₆, signed and ascending by magnitude, for coordinates below n₁ to n₆. Coordinates with n = 1
//!   do not count. Let each |aₖ| exceed the distance w of the constants plus the sum of |aⱼ|·(nⱼ − 1) over all j < k. Then
//!   the greatest coordinate in which two positions differ keeps them more than w words apart.
//!
//! All these numbers are integers below 2^32, so no wrap brings words together. Of invocations of one workgroup only the
//! last three coordinates differ. Of workgroups, only the first three count: what the others add is as good as a constant,
//! and may be different in each access.

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
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// The program.
    pub program: &'a LaneProgram,
    /// The words of its inputs.
    pub words: &'a [u32],
    /// It may run several times in the scope, with other saved words: these are no symbols.
    pub is_repeated: bool,
}

/// The conditions of a proof.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Independence {
    /// The reduced memories by number, each with its operation: threads combine them.
    pub reduced: Vec<(usize, Atomic)>,
    /// Saved words of programs, each by the numbers of the program and of the word, that must be the same for all
    /// invocations of a workgroup, and below [`SYMBOLS`], before the program runs.
    pub symbols: BTreeSet<(usize, u32)>,
}

/// A bound of symbols.
pub const SYMBOLS: u32 = 1 << 20;

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

/// Most accesses to a memory that a proof compares.
const ACCESSES: usize = 256;

/// Proves that the invocations of a scope are independent while they execute some of these programs, which have the same
/// memories.
pub fn prove(programs: &[Given<'_>], dispatch: &Dispatch, scope: Scope) -> Option<Independence> {
    let (found, unproved) = prove_each(programs, dispatch, scope);
    unproved.is_empty().then_some(found)
}

/// [`prove`] for each memory. Returns the conditions of all proofs, and the memories without one.
pub fn prove_each(
    programs: &[Given<'_>],
    dispatch: &Dispatch,
    scope: Scope,
) -> (Independence, Vec<usize>) {
    let all: Vec<(Forms, Vec<_>)> = programs
        .iter()
        .enumerate()
        .map(|(number, &Given { program, words, is_repeated })| {
            let has_symbols = scope == Scope::Workgroup && !is_repeated;
            let number = has_symbols.then_some(number);
            (Forms::new(program, words, dispatch, number), accesses(program).collect())
        })
        .collect();
    let (mut found, mut unproved) = (Independence::default(), Vec::new());
    let Some(&Given { program: first, words, .. }) = programs.first() else {
        return (found, unproved);
    };
    for number in first.resources.memories() {
        let is_of_buffer = first.resources.0[number].extents == Extents::Any;
        if scope == Scope::Workgroups && !is_of_buffer {
            continue;
        }
        let of_memory: Vec<Reached<'_>> = all
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
            unproved.push(number);
            continue;
        }
        let count = first.resources.words_of_memory(number, words);
        if count == 0 {
            continue;
        }
        match prove_memory(&of_memory, count, dispatch, scope) {
            Some(Proof::Apart(symbols)) => found.symbols.extend(symbols),
            Some(Proof::Marked) => {}
            Some(Proof::Reduced(atomic)) => found.reduced.push((number, atomic)),
            None => unproved.push(number),
        }
    }
    (found, unproved)
}

/// An access with the value that it defines, and the forms of its program.
type Reached<'a> = (&'a Forms, Option<ValueId>, &'a Access);

/// A proof for a memory.
enum Proof {
    /// Its accesses are apart, while these symbols are what they should be.
    Apart(Vec<Symbol>),
    Marked,
    Reduced(Atomic),
}

/// Proves that accesses to a memory of so many words do not depend on their order.
fn prove_memory(
    of_memory: &[Reached<'_>],
    count: usize,
    dispatch: &Dispatch,
    scope: Scope,
) -> Option<Proof> {
    let place = |&(forms, _, access): &Reached<'_>| forms.place(access, count, dispatch, scope);
    let places: Option<Vec<Place>> = of_memory.iter().map(place).collect();
    if let Some(places) = places.filter(|places| places.len() <= ACCESSES)
        && are_apart(&places, dispatch, scope)
    {
        return Some(Proof::Apart(places.iter().flat_map(Place::symbols).collect()));
    }
    // The changes, if no word is read.
    let changes = of_memory.iter().map(|(forms, value, access)| {
        Some((*forms, access.change.as_ref().filter(|_| value.is_none())?))
    });
    let changes: Vec<_> = changes.collect::<Option<_>>()?;
    let atomic = changes[0].1.atomic;
    if changes.iter().any(|(_, change)| change.atomic != atomic) && !is_active(Mutant::MixedAtomics)
    {
        return None;
    }
    if atomic == Atomic::Exchange {
        let constant = |&(forms, change): &(&Forms, &Change)| forms.constant(change.words[0]);
        let first = constant(&changes[0])?;
        let is_marked = changes.iter().all(|change| constant(change) == Some(first));
        return is_marked.then_some(Proof::Marked);
    }
    neutral(atomic)?;
    Some(Proof::Reduced(atomic))
}

/// Number of coordinates of an invocation.
const COORDINATES: usize = 6;

/// A symbol: the number of a program, and of a saved word.
type Symbol = (usize, u32);

/// A linear function of an invocation's position and of at most one symbol, modulo 2^32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Linear {
    constant: u32,
    /// The factors of the workgroup's coordinates, and of those in the workgroup.
    factors: [u32; COORDINATES],
    /// The symbol with its factor, which is not 0.
    symbol: Option<(Symbol, u32)>,
}

impl Linear {
    fn constant(constant: u32) -> Self {
        Self { constant, ..Self::default() }
    }

    fn is_constant(&self) -> bool {
        self.factors == [0; COORDINATES] && self.symbol.is_none()
    }

    /// The sum of this and another one `times` a number.
    fn plus(self, other: Self, times: u32) -> Option<Self> {
        let other = other.times(times);
        let factors = std::array::from_fn(|k| self.factors[k].wrapping_add(other.factors[k]));
        let symbol = match (self.symbol, other.symbol) {
            (Some((symbol, a)), Some((same, b))) if symbol == same => {
                Some((symbol, a.wrapping_add(b)))
            }
            (Some(_), Some(_)) => return None,
            (one, two) => one.or(two),
        };
        let symbol = symbol.filter(|&(_, factor)| factor != 0);
        Some(Self { constant: self.constant.wrapping_add(other.constant), factors, symbol })
    }

    fn times(self, by: u32) -> Self {
        let factors = self.factors.map(|factor| factor.wrapping_mul(by));
        let symbol = self.symbol.map(|(symbol, factor)| (symbol, factor.wrapping_mul(by)));
        let symbol = symbol.filter(|&(_, factor)| factor != 0);
        Self { constant: self.constant.wrapping_mul(by), factors, symbol }
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
        Self { constant: 0, factors, symbol: None }
    }

    /// The least and the greatest sum of signed factors times these coordinates.
    fn span(&self, coordinates: Range<usize>, counts: &[u32; COORDINATES]) -> (i64, i64) {
        coordinates.fold((0, 0), |(low, high), k| {
            let span = i64::from(self.factors[k] as i32) * i64::from(counts[k].max(1) - 1);
            (low + span.min(0), high + span.max(0))
        })
    }
}

/// A number, plus a symbol times a factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bound {
    number: i64,
    symbol: Option<(Symbol, i64)>,
}

impl Bound {
    fn number(number: i64) -> Self {
        Self { number, symbol: None }
    }

    fn plus(self, number: i64) -> Self {
        Self { number: self.number + number, ..self }
    }

    /// The constant and symbol of a form, all of it signed.
    fn of(form: &Linear) -> Self {
        let symbol = form.symbol.map(|(symbol, factor)| (symbol, i64::from(factor as i32)));
        Self { number: i64::from(form.constant as i32), symbol }
    }

    /// True if it is less whatever the symbols are.
    fn is_below(&self, other: &Self) -> bool {
        // The greatest of this minus the other.
        let most = i64::from(SYMBOLS) - 1;
        let part = match (self.symbol, other.symbol) {
            (Some((a, x)), Some((b, y))) if a == b => ((x - y) * most).max(0),
            (one, two) => {
                let one = one.map_or(0, |(_, x)| (x * most).max(0));
                one + two.map_or(0, |(_, y)| (-y * most).max(0))
            }
        };
        self.number - other.number + part < 0
    }
}

/// The words that an access may reach.
#[derive(Clone, Debug)]
struct Place {
    index: Linear,
    is_change: bool,
    /// Bounds of the sum of the last three factors times their coordinates, some of them by the access's mask.
    low: Vec<Bound>,
    high: Vec<Bound>,
}

impl Place {
    fn symbols(&self) -> impl Iterator<Item = Symbol> {
        let bounds = self.low.iter().chain(&self.high).filter_map(|bound| bound.symbol);
        let bounds = bounds.map(|(symbol, _)| symbol);
        bounds.chain(self.index.symbol.map(|(symbol, _)| symbol))
    }

    /// Bounds of the word: the least, and the greatest. The sum of the first three factors is between `group`.
    fn words(&self, (low, high): (i64, i64)) -> [Vec<Bound>; 2] {
        let base = Bound::of(&self.index);
        let add = |of: &Bound, group: i64| {
            let symbol = match (base.symbol, of.symbol) {
                (Some((a, x)), Some((b, y))) if a == b => Some((a, x + y)),
                (Some(_), Some(_)) => return None,
                (one, two) => one.or(two),
            };
            Some(Bound { number: base.number + of.number + group, symbol })
        };
        [
            self.low.iter().filter_map(|of| add(of, low)).collect(),
            self.high.iter().filter_map(|of| add(of, high)).collect(),
        ]
    }
}

fn counts(dispatch: &Dispatch) -> [u32; COORDINATES] {
    let [a, b, c] = dispatch.groups;
    let [x, y, z] = dispatch.workgroup;
    [a, b, c, x, y, z]
}

/// The largest magnitude of a word in a proof, so that differences are below 2^32.
const FAR: i64 = 1 << 30;

/// True if different invocations, or workgroups, reach different words, where one of them changes its word.
fn are_apart(places: &[Place], dispatch: &Dispatch, scope: Scope) -> bool {
    let counts = counts(dispatch);
    let first = &places[0].index;
    // The workgroup is one, whatever its factors are, if these are the same.
    let is_elsewhere = |of: &Place| of.index.factors[..3] != first.factors[..3];
    if scope == Scope::Workgroup && places.iter().any(is_elsewhere) {
        return false;
    }
    let words = |of: &Place| {
        let group = match scope {
            Scope::Workgroup => (0, 0),
            Scope::Dispatch | Scope::Workgroups => of.index.span(0..3, &counts),
        };
        of.words(group)
    };
    let words: Vec<[Vec<Bound>; 2]> = places.iter().map(words).collect();
    let (least, most) = (Bound::number(-FAR), Bound::number(FAR));
    let is_near = |[low, high]: &[Vec<Bound>; 2]| {
        low.iter().any(|low| least.is_below(low)) && high.iter().any(|high| high.is_below(&most))
    };
    if !words.iter().all(is_near) {
        return false;
    }
    let is_below = |[_, high]: &[Vec<Bound>; 2], [low, _]: &[Vec<Bound>; 2]| {
        high.iter().any(|high| low.iter().any(|low| high.is_below(low)))
    };
    let pair = |(a, of_a): (&Place, &[Vec<Bound>; 2]), (b, of_b): (&Place, &[Vec<Bound>; 2])| {
        !a.is_change && !b.is_change
            || is_below(of_a, of_b)
            || is_below(of_b, of_a)
            || have_steps([&a.index, &b.index], &counts, scope)
    };
    let all = || places.iter().zip(&words);
    all().enumerate().all(|(number, a)| all().skip(number).all(|b| pair(a, b)))
}

/// True if two accesses with one linear function keep different positions apart.
fn have_steps([a, b]: [&Linear; 2], counts: &[u32; COORDINATES], scope: Scope) -> bool {
    let coordinates = scope.coordinates();
    if a.symbol != b.symbol || a.factors[coordinates.clone()] != b.factors[coordinates.clone()] {
        return false;
    }
    let own = if scope == Scope::Workgroups { 3..COORDINATES } else { 0..0 };
    let [(low, high), (other_low, other_high)] = [a, b].map(|of| of.span(own.clone(), counts));
    let distance = i64::from(a.constant.wrapping_sub(b.constant) as i32);
    let mut reach = i64::max(distance + high - other_low, other_high - distance - low);
    reach = reach.max(distance.abs());
    let steps = coordinates.map(|k| (i64::from((a.factors[k] as i32).unsigned_abs()), counts[k]));
    let mut steps: Vec<(i64, u32)> = steps.filter(|&(_, count)| count > 1).collect();
    steps.sort_unstable();
    for (step, count) in steps {
        if step <= reach {
            return false;
        }
        reach = reach.saturating_add(step.saturating_mul(i64::from(count) - 1));
    }
    reach < 1 << 32
}

/// The values of a program that are linear functions of the position.
struct Forms {
    of: Vec<Option<Linear>>,
    /// The operation that makes each mask, and each minimum of unsigned integers.
    made: Vec<Option<(LaneOp, [ValueId; 2])>>,
}

impl Forms {
    /// The forms of a program. Its saved words are symbols if it has a number.
    fn new(
        program: &LaneProgram,
        words: &[u32],
        dispatch: &Dispatch,
        number: Option<usize>,
    ) -> Self {
        let count = program.values.len();
        let mut forms = Self { of: vec![None; count], made: vec![None; count] };
        for event in Walk::new().events(program) {
            let Event::Statement(id, index) = event else { continue };
            let LaneStatement::Let { value, expr } = &program.block(id).statements[index] else {
                continue;
            };
            if program.kind(*value) == Kind::I32 {
                forms.of[value.index()] = match (expr, number) {
                    (LaneExpr::Saved(word), Some(number)) => {
                        let symbol = Some(((number, *word), 1));
                        Some(Linear { symbol, ..Linear::default() })
                    }
                    _ => forms.form(program, expr, words, dispatch),
                };
            }
            let LaneExpr::Op(op, of) = expr else { continue };
            if let &[a, b] = &of[..] {
                forms.made[value.index()] = Some((*op, [a, b]));
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
                    LaneOp::Add => form(0)?.plus(form(1)?, 1)?,
                    LaneOp::Sub => form(0)?.plus(form(1)?, 1_u32.wrapping_neg())?,
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
        if let Some((LaneOp::MinUnsigned, [a, b])) = self.made[index.index()] {
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

    /// The words that an access may reach, in a memory of so many words.
    fn place(
        &self,
        access: &Access,
        count: usize,
        dispatch: &Dispatch,
        scope: Scope,
    ) -> Option<Place> {
        let mut index = self.index(access.index, count)?;
        let counts = counts(dispatch);
        let mut guards = Vec::new();
        let mask = access.change.as_ref().map(|change| change.mask).or(access.mask);
        let (mut conjuncts, mut seen) = (Vec::from_iter(mask), FxHashSet::default());
        while let Some(mask) = conjuncts.pop() {
            let Some((op, [a, b])) = self.made[mask.index()] else { continue };
            if !seen.insert(mask) {
                continue;
            }
            if op == LaneOp::And {
                conjuncts.extend([a, b]);
            } else if let (Some(a), Some(b)) = (self.of[a.index()], self.of[b.index()]) {
                guards.push((op, a, b));
            }
        }
        // Of workgroups, what happens inside is as good as a constant.
        if scope != Scope::Workgroups {
            for &(op, a, b) in &guards {
                let difference = a.plus(b, 1_u32.wrapping_neg());
                if let (LaneOp::Equal, Some(difference)) = (op, difference)
                    && index.factors[3..] == [0; 3]
                    && have_steps([&difference; 2], &counts, scope)
                {
                    index = index.plus(difference, 1)?;
                    break;
                }
            }
        }
        let (low, high) = index.span(3..COORDINATES, &counts);
        let mut place = Place {
            index,
            is_change: access.change.is_some(),
            low: vec![Bound::number(low)],
            high: vec![Bound::number(high)],
        };
        for (op, a, b) in guards {
            place.bound(op, &a, &b, &counts);
        }
        Some(place)
    }
}

impl Place {
    /// Adds the bound of the sum that follows from a condition of two forms.
    fn bound(&mut self, op: LaneOp, a: &Linear, b: &Linear, counts: &[u32; COORDINATES]) {
        let (is_strict, is_signed) = match op {
            LaneOp::LessUnsigned => (true, false),
            LaneOp::LessEqualUnsigned => (false, false),
            LaneOp::Less => (true, true),
            LaneOp::LessEqual => (false, true),
            _ => return,
        };
        let strict = i64::from(is_strict);
        // One side is the sum plus a constant, the other a constant or a symbol.
        let is_sum = |of: &Linear| {
            let (low, high) = of.span(3..COORDINATES, counts);
            let constant = i64::from(of.constant as i32);
            // Small numbers are the same for both signs.
            let is_small = (0..FAR).contains(&(constant + low)) && constant + high < FAR;
            let is_negative = is_signed && constant + low > -FAR && constant + high < FAR;
            of.symbol.is_none()
                && of.factors[..3] == [0; 3]
                && of.factors[3..] == self.index.factors[3..]
                && (is_small || is_negative)
        };
        let is_bound = |of: &Linear| {
            let (constant, factor) =
                (of.constant as i32, of.symbol.map_or(0, |(_, factor)| factor as i32));
            let is_small = constant >= 0 && (0..=64).contains(&factor);
            of.factors == [0; COORDINATES] && i64::from(constant) < FAR && is_small
        };
        if is_sum(a) && is_bound(b) {
            self.high.push(Bound::of(b).plus(-i64::from(a.constant as i32) - strict));
        } else if is_bound(a) && is_sum(b) {
            self.low.push(Bound::of(a).plus(strict - i64::from(b.constant as i32)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn linear(constant: u32, factors: [i32; COORDINATES]) -> Linear {
        let factors = factors.map(|factor| factor as u32);
        Linear { constant, factors, symbol: None }
    }

    /// [`super::are_apart`] of changes without masks.
    fn apart(indices: &[Linear], dispatch: &Dispatch, scope: Scope) -> bool {
        let place = |&index: &Linear| {
            let (low, high) = index.span(3..COORDINATES, &counts(dispatch));
            let (low, high) = (vec![Bound::number(low)], vec![Bound::number(high)]);
            Place { index, is_change: true, low, high }
        };
        let places: Vec<Place> = indices.iter().map(place).collect();
        are_apart(&places, dispatch, scope)
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
            [(Scope::Dispatch, 200), (Scope::Workgroups, 1_000), (Scope::Workgroup, 1_000)]
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
                        let far = if random(4) == 0 { 40 } else { 0 };
                        linear(random(3) as u32 + far, factors)
                    })
                    .collect();
                if apart(&indices, &dispatch, scope) {
                    assert!(are_different(&indices, &dispatch, scope), "{scope:?}: {indices:?}");
                    proved += 1;
                }
            }
            assert!(proved > least, "{scope:?}: {proved}");
        }
        // x + 12 (y + 2 z), words of a pair, and words of a pair that overlap the next.
        let are_apart = |indices: &[Linear]| apart(indices, &dispatch, Scope::Dispatch);
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
