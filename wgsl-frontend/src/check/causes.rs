//! Sets of causes why something differs between invocations.

use lambdav_core::source::Span;
use rustc_hash::FxHashMap;
use std::ops::{BitOr, BitOrAssign};

/// A set of causes. A value with none of them is equal in all invocations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Causes(u64);

impl Causes {
    pub(super) const NONE: Self = Self(0);
    /// The program: an input that differs, or memory that invocations write.
    pub(super) const PROGRAM: Self = Self(1);
    /// The control flow at the call of the function.
    const CALLER: Self = Self(1 << 63);
    /// The parameters that are causes of their own; those behind them count as equal.
    const PARAMETERS: usize = 62;

    /// A parameter of the function, or what it points to.
    pub(super) fn parameter(number: usize) -> Self {
        if number < Self::PARAMETERS { Self(2 << number) } else { Self::NONE }
    }

    pub(super) fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// Without the control flow of the caller: all invocations that are in the function came by the same call.
    pub(super) fn inside(self) -> Self {
        Self(self.0 & !Self::CALLER.0)
    }

    /// The causes in the caller, which calls in control flow with the causes `control`.
    fn in_caller(self, arguments: &[Self], control: Self) -> Self {
        let mut all = Self(self.0 & Self::PROGRAM.0);
        if self.has(Self::CALLER) {
            all |= control;
        }
        for (number, &argument) in arguments.iter().enumerate() {
            if self.has(Self::parameter(number)) {
                all |= argument;
            }
        }
        all
    }
}

impl BitOr for Causes {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Causes {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// Something that all invocations must reach together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Demand {
    /// How a message calls it.
    pub(super) what: &'static str,
    pub(super) is_barrier: bool,
    pub(super) at: Span,
    /// Why not all of them reach it.
    pub(super) causes: Causes,
}

/// What the callers of a function must know. Its causes are those of the function.
#[derive(Clone, Debug, Default)]
pub(super) struct Summary {
    /// Why its result differs.
    pub(super) result: Causes,
    /// Why what its parameters point to differs at the end, by the number of the parameter.
    pub(super) pointees: Vec<(usize, Causes)>,
    /// Why not all invocations reach its derivatives, and its barriers; `None` if it has none.
    pub(super) demands: [Option<Causes>; 2],
}

impl Summary {
    /// The same for a call, with the causes of the arguments and of the control flow there.
    pub(super) fn in_caller(&self, arguments: &[Causes], control: Causes) -> Self {
        let here = |causes: Causes| causes.in_caller(arguments, control);
        Self {
            result: here(self.result),
            pointees: self
                .pointees
                .iter()
                .map(|&(number, causes)| (number, here(causes)))
                .collect(),
            demands: self.demands.map(|causes| causes.map(here)),
        }
    }
}

/// Why invocations leave, since the innermost open branch began, ...
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Exits {
    /// ... the function, ...
    pub(super) returned: Causes,
    /// ... the innermost loop or `switch`, ...
    pub(super) broken: Causes,
    /// ... and the iteration.
    pub(super) continued: Causes,
}

impl Exits {
    pub(super) fn all(self) -> Causes {
        self.returned | self.broken | self.continued
    }
}

impl BitOrAssign for Exits {
    fn bitor_assign(&mut self, other: Self) {
        self.returned |= other.returned;
        self.broken |= other.broken;
        self.continued |= other.continued;
    }
}

/// An open branch, `switch` or loop.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    /// Why not all invocations came to it.
    pub(super) outside: Causes,
    /// The same at the beginning of an arm.
    pub(super) inside: Causes,
    /// The exits in front of it, and those of its arms.
    pub(super) before: Exits,
    pub(super) arms: Exits,
    /// The number of demands in front of it.
    pub(super) demands: usize,
}

/// What the analysis knows of the function that is checked.
#[derive(Debug, Default)]
pub(super) struct Varying {
    /// The causes of values, and of the contents of variables of functions.
    pub(super) causes: FxHashMap<u32, Causes>,
    /// Why not all invocations are here.
    pub(super) here: Causes,
    pub(super) exits: Exits,
    pub(super) demands: Vec<Demand>,
    pub(super) result: Causes,
}

impl Varying {
    pub(super) fn of(&self, id: u32) -> Causes {
        self.causes.get(&id).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, id: u32, causes: Causes) {
        if causes == Causes::NONE {
            self.causes.remove(&id);
        } else {
            self.causes.insert(id, causes);
        }
    }

    /// Begins a function.
    pub(super) fn begin(&mut self, is_entry: bool) {
        self.here = if is_entry { Causes::NONE } else { Causes::CALLER };
        self.exits = Exits::default();
        self.demands.clear();
        self.result = Causes::NONE;
    }
}
