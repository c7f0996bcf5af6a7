//! How functions compute, and what exact modules have so far.

use super::options::Exact;
use crate::exact::library::{Function, program};
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, Program, Statement};
use lambdav_core::types::Type;
use rspirv::spirv::Word;
use rustc_hash::FxHashMap;

/// How the function that is open computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As the device does.
    Native,
    /// Exactly where no number is subnormal and no function is hard.
    Fast {
        /// Where pixels note that a number may be subnormal.
        notes: Option<Switch>,
        /// Whether those for which [`Switch::Again`] is on are computed again.
        repeats: bool,
    },
    /// Exactly.
    Rare {
        /// Whether numbers may be subnormal that the device makes zero.
        any: bool,
    },
    /// As a function of the library, by integers: its parameters are the program's uniforms, and its
    /// value is the output.
    Library,
}

impl Mode {
    /// Whether the function is one of an exact module, and not of its library.
    pub(super) fn is_exact(self) -> bool {
        matches!(self, Self::Fast { .. } | Self::Rare { .. })
    }
}

/// The function of the library for an operation on numbers.
pub(super) fn builtin(op: Core) -> Option<Function> {
    Some(match op {
        Core::Add | Core::Sub => Function::Add,
        Core::Mul => Function::Mul,
        Core::Div => Function::Div,
        Core::Sqrt => Function::Sqrt,
        Core::Fma => Function::Fma,
        Core::Elementary(function) => Function::Elementary(function),
        _ => return None,
    })
}

/// What a pixel notes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Switch {
    /// That it has to be computed again.
    Again,
    /// That it met a subnormal number.
    Subnormal,
    /// That the last function did not decide.
    Hard,
    /// That it is discarded.
    Discarded,
}

impl Switch {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Again => "again",
            Self::Subnormal => "subnormal",
            Self::Hard => "hard",
            Self::Discarded => "discarded",
        }
    }
}

/// The functions of the library that a program needs, as programs.
#[derive(Debug, Default)]
pub(super) struct Library(pub(super) Vec<(Function, Program)>);

impl Library {
    /// Those that a module needs.
    pub(super) fn new(of: &Program, exact: Exact) -> Self {
        let is_hard = |of: &Function| matches!(of, Function::Elementary(_)) || !exact.float64;
        let needed = functions_of(of).into_iter().filter(is_hard);
        Self(needed.map(|function| (function, program(function))).collect())
    }
}

/// The functions of numbers that a program consists of.
pub(super) fn functions_of(of: &Program) -> Vec<Function> {
    let mut all: Vec<Function> = Vec::new();
    for statement in of.blocks.iter().flat_map(|block| &block.statements) {
        let Statement::Let { expr: Expr::Op(op, operands), .. } = statement else { continue };
        let is_of_numbers = operands.first().is_some_and(|&first| of.ty(first).is_num());
        if let Some(function) = builtin(*op).filter(|_| is_of_numbers)
            && !all.contains(&function)
        {
            all.push(function);
        }
    }
    all
}

/// What an exact module has so far.
pub(super) struct ExactState<'p> {
    pub(super) library: &'p Library,
    /// The functions that are called.
    pub(super) defined: FxHashMap<(Function, Variant), Word>,
    /// The variables of the switches that are used.
    pub(super) switches: FxHashMap<Switch, Word>,
}

/// What a function is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    /// Full operands; what is subnormal or undecided is noted.
    Fast,
    /// Any operands and results; of elementary functions, those that are not hard.
    Rare,
    /// That of the library: any.
    Library,
}

impl<'p> ExactState<'p> {
    pub(super) fn new(library: &'p Library) -> Self {
        Self { library, defined: FxHashMap::default(), switches: FxHashMap::default() }
    }
}

/// What is hidden from compilers (`exact/drivers`), by where it comes from. Each kind has a word of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hiding {
    /// A constant or a uniform.
    Given,
    /// What an operation has computed.
    Result,
    /// What was made of bits.
    Bits,
    /// An operand of a function of the module.
    Operand,
}

impl Hiding {
    pub(super) const COUNT: usize = 4;
}

/// The calls of the library by a function.
#[derive(Debug)]
pub(super) struct Calls {
    /// The variables of operands and result, and of the label of the block to go on with.
    pub(super) operands: [Word; 3],
    pub(super) result: Word,
    pub(super) back: Word,
    /// The functions, and the labels of the blocks that call them.
    pub(super) functions: Vec<(Function, Word)>,
}

/// A sum or product of numbers that are not subnormal, which may be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Suspect {
    pub(super) is_product: bool,
    pub(super) ty: Type,
    /// The operands; of a sum, the second with the opposite sign.
    pub(super) operands: [Word; 2],
    /// Whether its size is below 2^-126, by component.
    pub(super) is_small: Word,
}

/// Which values of a program subnormal numbers have to do with.
#[derive(Debug, Default)]
pub(super) struct Magnitudes {
    /// For each value, whether it is a sum or product that is never subnormal, as far as that matters. Where numbers may be
    /// subnormal, also whether what it is computed of, by an operation that looks at the size of numbers, never is.
    pub(super) harmless: Vec<bool>,
    /// For each value, whether it is a number or a vector of numbers, and never subnormal.
    pub(super) full: Vec<bool>,
}
