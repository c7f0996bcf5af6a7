//! Magnitudes of a program's numbers: a sum or product that is never subnormal needs no test, and is the
//! device's own when a pixel is computed again.
//!
//! This is an abstract interpretation of the schedule. For each component of a value, it computes a
//! power of two that bounds its size from below unless it is zero, and if it may be zero, negative or
//! NaN. In the fast function these facts hold as long as nothing was subnormal; otherwise the pixel is
//! computed again anyway. In the rare function any number may be subnormal. The signs of zeros are not
//! distinguished, and a NaN counts as any size and as positive.
//!
//! - A sum of a and b with |b| ≥ 2^m: if |a| is less than half of |b|, the sum's size is at least 2^(m−1).
//!   Otherwise a and b are multiples of 2^(m−24), and so is the sum. So it is enough that one operand is zero or at
//!   least 2^-102. A sum of non-negative numbers is at least as large as each.
//! - A product of numbers of at least 2^k and 2^m is at least 2^(k+m).
//! - The root of any number is at least 2^-63.
//!
//! A subnormal number may also be harmless: if it is only added to numbers of at least 2^-100, zero
//! would give the same sum (half of the distance between such neighbours is more than 2^-126). A
//! backward pass over the uses finds that.
//!
//! Constants are mostly large, and so are sums with them: distances to objects of a scene, for example,
//! whose squares then need no tests. Parameters of loops start with their initial values and join the
//! arguments of the rounds, pass after pass; values that still grow after some passes are widened to any
//! number.

use crate::emit::modes::Magnitudes;
use lambdav_core::inputs::Input;
use lambdav_core::op::{Elementary, Op};
use lambdav_core::schedule::{End, Event, Expr, Program, Statement, ValueId};
use lambdav_core::types::{Scalar, Type};

/// Facts about a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Magnitude {
    /// The number is zero, or at least 2 to this power.
    least: i16,
    may_be_zero: bool,
    may_be_negative: bool,
    may_be_nan: bool,
}

/// The exponent of the least normal number, and one above every number's.
const LEAST: i16 = -126;
const MAX_EXPONENT: i16 = 128;

/// A number of at least 2 to this power absorbs subnormal numbers.
const ABSORBS: i16 = -100;

/// The exponent of the least positive number.
const SUBNORMAL: i16 = -149;

/// No facts: any number.
const ANY: Magnitude =
    Magnitude { least: SUBNORMAL, may_be_zero: true, may_be_negative: true, may_be_nan: true };

/// An integer; `NATURAL` is not negative.
const INTEGER: Magnitude = Magnitude { least: 0, may_be_nan: false, ..ANY };
const NATURAL: Magnitude = Magnitude { may_be_negative: false, ..INTEGER };

/// The facts about each component of a value.
type Components = [Magnitude; 4];

/// Passes in which loop parameters may still grow, and passes after which all that grow are widened.
const PATIENT: usize = 8;
const PASSES: usize = 16;

impl Magnitude {
    fn of_constant(word: u32) -> Self {
        let number = f32::from_bits(word);
        let exponent = (word >> 23 & 0xff) as i16 - 127;
        Self {
            least: match exponent {
                _ if number == 0.0 => MAX_EXPONENT,
                ..LEAST => SUBNORMAL,
                exponent => exponent,
            },
            may_be_zero: number == 0.0,
            may_be_negative: number < 0.0,
            may_be_nan: number.is_nan(),
        }
    }

    /// The facts that hold for both numbers.
    fn or(self, other: Self) -> Self {
        Self {
            least: self.least.min(other.least),
            may_be_zero: self.may_be_zero || other.may_be_zero,
            may_be_negative: self.may_be_negative || other.may_be_negative,
            may_be_nan: self.may_be_nan || other.may_be_nan,
        }
    }

    /// True if it absorbs a subnormal number.
    fn absorbs(self) -> bool {
        self.least >= ABSORBS && !self.may_be_zero
    }

    /// True if the number is zero or normal.
    fn is_never_subnormal(&self) -> bool {
        self.least >= LEAST
    }

    fn opposite(self) -> Self {
        Self { may_be_negative: true, ..self }
    }

    /// The facts about a sum; true if it is never subnormal.
    fn sum(self, other: Self) -> (Self, bool) {
        let larger = self.least.max(other.least);
        let cancels = self.may_be_negative || other.may_be_negative;
        let of_both = if cancels { larger.saturating_sub(24) } else { larger };
        let mut least = of_both;
        if self.may_be_zero {
            least = least.min(other.least);
        }
        if other.may_be_zero {
            least = least.min(self.least);
        }
        let sum = Self {
            least: least.max(SUBNORMAL),
            may_be_zero: cancels || self.may_be_zero && other.may_be_zero,
            may_be_negative: cancels,
            may_be_nan: true,
        };
        (sum, of_both >= LEAST)
    }

    /// The facts about a product, or a square; true if it is never subnormal.
    fn product(self, other: Self, is_square: bool) -> (Self, bool) {
        let least = (self.least + other.least).min(MAX_EXPONENT);
        let product = Self {
            least: least.max(SUBNORMAL),
            may_be_zero: self.may_be_zero || other.may_be_zero || least < SUBNORMAL,
            may_be_negative: !is_square && (self.may_be_negative || other.may_be_negative),
            may_be_nan: true,
        };
        (product, least >= LEAST)
    }
}

/// The magnitudes of a program's values; with `any`, numbers may be subnormal.
pub(super) fn magnitudes(program: &Program, any: bool) -> Magnitudes {
    let mut analysis = Analysis {
        program,
        least: if any { SUBNORMAL } else { LEAST },
        known: vec![None; program.values.len()],
        never_subnormal: vec![[false; 4]; program.values.len()],
        targets: Vec::new(),
        passed: 0,
        has_changed: true,
    };
    while analysis.has_changed {
        analysis.pass();
    }
    let matters = analysis.matters();
    let mut harmless = vec![false; program.values.len()];
    for statement in program.blocks.iter().flat_map(|block| &block.statements) {
        let Statement::Let { value, expr: Expr::Op(op, operands) } = statement else { continue };
        let [never_subnormal, matters] =
            [&analysis.never_subnormal, &matters].map(|of| &of[value.index()]);
        let is_fine = never_subnormal
            .iter()
            .zip(matters)
            .all(|(&is_never_subnormal, &matters)| is_never_subnormal || !matters);
        harmless[value.index()] = is_fine && analysis.takes_no_subnormal(*op, operands);
    }
    let never_subnormal = analysis.known.iter().zip(&program.values).map(|(known, value)| {
        let width = value.ty.width().filter(|_| value.ty.is_num());
        let of = known.iter().flatten().take(width.unwrap_or(0).into());
        width.is_some() && known.is_some() && of.clone().all(Magnitude::is_never_subnormal)
    });
    Magnitudes { harmless, never_subnormal: never_subnormal.collect() }
}

struct Analysis<'p> {
    program: &'p Program,
    /// The exponent of the least number without facts.
    least: i16,
    /// Facts about each value; `None` until a way reaches it.
    known: Vec<Option<Components>>,
    /// For sums and products, the components that are never subnormal.
    never_subnormal: Vec<[bool; 4]>,
    /// The `if`s and loops around, with the parameters of loops.
    targets: Vec<(ValueId, &'p [ValueId])>,
    passed: usize,
    has_changed: bool,
}

impl<'p> Analysis<'p> {
    fn pass(&mut self) {
        self.has_changed = false;
        for event in self.program.walk() {
            match event {
                Event::Statement(_, Statement::Let { value, expr }) => {
                    let (known, never_subnormal) = self.expression(*value, expr);
                    let known = known.map(|of| Magnitude { least: of.least.max(self.least), ..of });
                    self.known[value.index()] = Some(known);
                    self.never_subnormal[value.index()] = never_subnormal;
                }
                Event::Statement(_, Statement::If { value, .. }) => {
                    self.known[value.index()] = None;
                    self.targets.push((*value, &[]));
                }
                Event::Statement(_, Statement::Loop { value, params, inits, .. }) => {
                    self.known[value.index()] = None;
                    self.targets.push((*value, params));
                    self.pass_to(params, inits);
                }
                Event::After(..) => {
                    self.targets.pop();
                }
                Event::End(_, End::Yield(values)) => {
                    if let Some(&(target, _)) = self.targets.last() {
                        let known = self.components(values[0]);
                        self.join(target, known);
                    }
                }
                Event::End(_, End::Rec(args)) => {
                    if let Some(&(_, params)) = self.targets.last() {
                        self.pass_to(params, args);
                    }
                }
                Event::Enter(..) | Event::End(_, End::If { .. }) | Event::Leave(_) => {}
            }
        }
        self.passed += 1;
    }

    /// Joins arguments into the parameters of a loop.
    fn pass_to(&mut self, params: &[ValueId], args: &[ValueId]) {
        for (&param, &arg) in params.iter().zip(args) {
            let before = self.known[param.index()];
            let mut known = self.components(arg);
            if self.passed >= PASSES {
                known = [ANY; 4];
            }
            self.join(param, known);
            let after = self.known[param.index()];
            if before == after {
                continue;
            }
            self.has_changed = true;
            if self.passed >= PATIENT
                && let (Some(before), Some(after)) = (before, &mut self.known[param.index()])
            {
                for (before, after) in before.iter().zip(after) {
                    if *before != *after {
                        *after = ANY;
                    }
                }
            }
        }
    }

    fn join(&mut self, value: ValueId, also: Components) {
        let known = &mut self.known[value.index()];
        *known = Some(match *known {
            None => also,
            Some(known) => [0, 1, 2, 3].map(|k| known[k].or(also[k])),
        });
    }

    fn components(&self, value: ValueId) -> Components {
        self.known[value.index()].unwrap_or([ANY; 4])
    }

    fn expression(&self, value: ValueId, expr: &Expr) -> (Components, [bool; 4]) {
        let ty = self.program.ty(value);
        let any = ([ANY; 4], [false; 4]);
        if !ty.is_num() {
            return ([ANY; 4], [true; 4]);
        }
        match expr {
            Expr::Constant(words) => {
                let mut known = [ANY; 4];
                for (known, &word) in known.iter_mut().zip(words) {
                    *known = Magnitude::of_constant(word);
                }
                (known, [false; 4])
            }
            // Pixels, or samples of them, lie at multiples of 2^-8.
            Expr::Input(Input::FragCoord) => {
                let place = Magnitude { least: -8, ..NATURAL };
                ([place, place, ANY, ANY], [false; 4])
            }
            Expr::Input(_) | Expr::Uniform(_) | Expr::Stage(_) => any,
            Expr::Op(op, operands) => self.operation(*op, ty, operands),
        }
    }

    /// True if no operand of an operation is ever subnormal, or the other operand absorbs it.
    fn takes_no_subnormal(&self, op: Op, operands: &[ValueId]) -> bool {
        let of_numbers = operands.iter().filter(|&&operand| self.program.ty(operand).is_num());
        let of: Vec<(usize, Components)> = of_numbers
            .map(|&of| (self.program.ty(of).width().unwrap_or(4).into(), self.components(of)))
            .collect();
        match (op, &of[..]) {
            (Op::Add | Op::Sub, [(width, a), (_, b)]) => {
                a.iter().zip(b).take(*width).all(|(a, b)| {
                    (a.is_never_subnormal() || b.absorbs())
                        && (b.is_never_subnormal() || a.absorbs())
                })
            }
            _ => of
                .iter()
                .all(|(width, of)| of.iter().take(*width).all(Magnitude::is_never_subnormal)),
        }
    }

    /// The facts about an operation's value; for sums and products, the components that are never
    /// subnormal.
    fn operation(&self, op: Op, ty: Type, operands: &[ValueId]) -> (Components, [bool; 4]) {
        let width = usize::from(ty.width().expect("a number or a vector"));
        let of = |operand: usize| match operands.get(operand) {
            Some(&operand) => self.components(operand),
            None => [ANY; 4],
        };
        let kind = self.program.ty(operands[0]);
        let is_square = operands.len() == 2 && operands[0] == operands[1];
        if let Op::Construct(_) = op {
            let mut parts = operands.iter().flat_map(|&operand| {
                let width = self.program.ty(operand).width().unwrap_or(1);
                self.components(operand).into_iter().take(width.into())
            });
            return ([(); 4].map(|()| parts.next().unwrap_or(ANY)), [false; 4]);
        }
        let (mut known, mut never_subnormal) = ([ANY; 4], [true; 4]);
        for (k, known) in known.iter_mut().enumerate().take(width) {
            let [a, b, c] = [0, 1, 2].map(|operand| of(operand)[k]);
            *known = match op {
                Op::Add | Op::Sub | Op::Mul => {
                    let (result, is_never_subnormal) = match op {
                        Op::Add => a.sum(b),
                        Op::Sub => a.sum(b.opposite()),
                        _ => a.product(b, is_square),
                    };
                    never_subnormal[k] = is_never_subnormal;
                    result
                }
                Op::Div => {
                    Magnitude { may_be_negative: a.may_be_negative || b.may_be_negative, ..ANY }
                }
                Op::Sqrt => Magnitude {
                    least: a.least.min(MAX_EXPONENT - 1) >> 1,
                    may_be_negative: false,
                    may_be_nan: true,
                    ..a
                },
                Op::Neg => a.opposite(),
                Op::Abs => Magnitude { may_be_negative: false, ..a },
                Op::Floor | Op::Ceil | Op::Trunc | Op::RoundEven => {
                    Magnitude { least: a.least.max(0), may_be_zero: true, ..a }
                }
                Op::Min => a.or(b),
                // The second operand is chosen only if it is greater.
                Op::Max => {
                    let is_below = a.may_be_negative && (b.may_be_negative || b.may_be_nan);
                    Magnitude { may_be_negative: is_below, ..a.or(b) }
                }
                Op::Select => b.or(c),
                Op::After => a,
                Op::Component(component) => of(0)[usize::from(component)],
                Op::Convert(_) => match kind.scalar() {
                    Some(Scalar::Bool | Scalar::U32) => NATURAL,
                    Some(Scalar::I32) => INTEGER,
                    _ => ANY,
                },
                Op::Elementary(Elementary::Exp | Elementary::Exp2 | Elementary::Cosh) => {
                    Magnitude { may_be_negative: false, ..ANY }
                }
                _ => ANY,
            };
        }
        (known, never_subnormal)
    }

    /// For each component of each value, true if a subnormal number there could change a result.
    fn matters(&self) -> Vec<[bool; 4]> {
        let mut matters = vec![[false; 4]; self.program.values.len()];
        let events: Vec<Event<'_>> = self.program.walk().collect();
        // Backwards: uses before definitions.
        for event in events.into_iter().rev() {
            match event {
                Event::Statement(_, Statement::Let { value, expr: Expr::Op(op, operands) }) => {
                    self.uses(&mut matters, *value, *op, operands);
                }
                Event::Statement(_, statement) => {
                    statement.uses().iter().for_each(|of| matters[of.index()] = [true; 4]);
                }
                Event::End(_, end) => {
                    end.uses().iter().for_each(|of| matters[of.index()] = [true; 4]);
                }
                Event::Enter(..) | Event::After(..) | Event::Leave(_) => {}
            }
        }
        matters
    }

    /// Propagates an operation's needs to its operands.
    fn uses(&self, matters: &mut [[bool; 4]], value: ValueId, op: Op, operands: &[ValueId]) {
        let of_value = matters[value.index()];
        match op {
            Op::Add | Op::Sub => {
                for (&operand, &other) in operands.iter().zip(operands.iter().rev()) {
                    for (k, of_other) in self.components(other).iter().enumerate() {
                        matters[operand.index()][k] |= match of_other.least {
                            _ if of_other.absorbs() => false,
                            MAX_EXPONENT => of_value[k],
                            _ => true,
                        };
                    }
                }
            }
            Op::Neg | Op::Abs => {
                for (k, of_value) in of_value.into_iter().enumerate() {
                    matters[operands[0].index()][k] |= of_value;
                }
            }
            Op::Component(component) => {
                matters[operands[0].index()][usize::from(component)] |= of_value[0];
            }
            Op::Construct(_) => {
                let mut of_value = of_value.into_iter();
                for operand in operands {
                    let width = self.program.ty(*operand).width().unwrap_or(1);
                    for of_operand in matters[operand.index()].iter_mut().take(width.into()) {
                        *of_operand |= of_value.next().unwrap_or(true);
                    }
                }
            }
            _ => operands.iter().for_each(|of| matters[of.index()] = [true; 4]),
        }
    }
}
