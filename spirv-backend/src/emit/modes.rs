//! Modes of functions, and state of exact modules.

use super::options::Exact;
use crate::library::{LibraryFunction, program};
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, Program, Statement};
use lambdav_core::types::Type;
use rspirv::spirv::Word;
use rustc_hash::FxHashMap;

/// Arithmetic of the open function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// The device's own operations.
    Native,
    /// Exact if no number is subnormal and no function is undecided.
    Fast {
        /// The switch that records a possibly subnormal number.
        notes: Option<Switch>,
        /// True if pixels with [`Switch::Again`] on are computed again.
        repeats: bool,
    },
    /// Always exact.
    Rare {
        /// True if the device may flush numbers that are subnormal.
        any: bool,
    },
    /// A library function, by integers: the program's uniforms are its parameters, and the output is its
    /// value.
    Library,
}

impl Mode {
    /// True for functions of exact modules outside their library.
    pub(super) fn is_exact(self) -> bool {
        matches!(self, Self::Fast { .. } | Self::Rare { .. })
    }
}

/// The library function for an operation on nums.
pub(super) fn builtin(op: Core) -> Option<LibraryFunction> {
    Some(match op {
        Core::Add | Core::Sub => LibraryFunction::Add,
        Core::Mul => LibraryFunction::Mul,
        Core::Div => LibraryFunction::Div,
        Core::Sqrt => LibraryFunction::Sqrt,
        Core::Fma => LibraryFunction::Fma,
        Core::Elementary(function) => LibraryFunction::Elementary(function),
        _ => return None,
    })
}

/// Condition that a pixel records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Switch {
    /// The pixel must be computed again.
    Again,
    /// The pixel met a subnormal number.
    Subnormal,
    /// The last function did not decide.
    Hard,
    /// The pixel is discarded.
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

/// The library functions that a module needs, as programs.
#[derive(Debug, Default)]
pub(super) struct Library(pub(super) Vec<(LibraryFunction, Program)>);

impl Library {
    /// Selects the functions that a module of these programs needs.
    pub(super) fn new(of: &[&Program], exact: Exact) -> Self {
        let is_hard =
            |of: &LibraryFunction| matches!(of, LibraryFunction::Elementary(_)) || !exact.float64;
        let mut needed: Vec<LibraryFunction> = Vec::new();
        for function in of.iter().flat_map(|of| functions_of(of)).filter(is_hard) {
            if !needed.contains(&function) {
                needed.push(function);
            }
        }
        Self(needed.into_iter().map(|function| (function, program(function))).collect())
    }
}

/// The library functions that correspond to a program's operations on nums.
pub(super) fn functions_of(of: &Program) -> Vec<LibraryFunction> {
    let mut all: Vec<LibraryFunction> = Vec::new();
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

/// State of an exact module.
pub(super) struct ExactState<'p> {
    pub(super) library: &'p Library,
    /// The functions defined so far.
    pub(super) defined: FxHashMap<(LibraryFunction, Variant), Word>,
    /// The variables of the switches used so far.
    pub(super) switches: FxHashMap<Switch, Word>,
}

/// Variant of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Variant {
    /// Operands are zero or normal; a subnormal or undecided result is noted.
    Fast,
    /// Any operands and results; an elementary function may be undecided.
    Rare,
    /// The library's: always exact.
    Library,
}

impl<'p> ExactState<'p> {
    pub(super) fn new(library: &'p Library) -> Self {
        Self { library, defined: FxHashMap::default(), switches: FxHashMap::default() }
    }

    /// Begins an entry point. Functions of the library serve all; others note in switches of their own entry
    /// point.
    pub(super) fn begin_entry_point(&mut self) {
        self.defined.retain(|&(_, variant), _| variant == Variant::Library);
        self.switches.clear();
    }
}

/// Origin of a value that is hidden from compilers (`exact/drivers`). Each kind has a hiding word of its
/// own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hiding {
    /// A constant or a uniform.
    Given,
    /// The result of an operation.
    Result,
    /// The result of a conversion from bits.
    Bits,
    /// An operand of a function of the module.
    Operand,
}

impl Hiding {
    pub(super) const COUNT: usize = 4;
}

/// Calls of the library by a function.
#[derive(Debug)]
pub(super) struct Calls {
    /// The variables of operands and result, and of the label of the block to return to.
    pub(super) operands: [Word; 3],
    pub(super) result: Word,
    pub(super) back: Word,
    /// The functions, with the labels of the blocks that call them.
    pub(super) functions: Vec<(LibraryFunction, Word)>,
}

/// A sum or product of numbers that are zero or normal, which may be subnormal.
#[derive(Clone, Copy, Debug)]
pub(super) struct UntestedResult {
    pub(super) is_product: bool,
    pub(super) ty: Type,
    /// The operands; the second one of a sum is negated.
    pub(super) operands: [Word; 2],
    /// True if its size is below 2^-126, by component.
    pub(super) is_small: Word,
}

/// Values of a program that subnormal numbers can affect.
#[derive(Debug, Default)]
pub(super) struct Magnitudes {
    /// For each value: true for a sum or product that is never subnormal, as far as that matters. If
    /// numbers may be subnormal, also true if the operands of an operation that depends on magnitudes
    /// never are.
    pub(super) harmless: Vec<bool>,
    /// For each value: true for a num or a vector of nums that is never subnormal.
    pub(super) never_subnormal: Vec<bool>,
}
