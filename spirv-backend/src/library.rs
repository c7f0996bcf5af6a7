//! The library of exact modules: builtins by 32-bit integers only, for devices that flush subnormal numbers
//! and whose division, square root and elementary functions are inaccurate.
//!
//! A function is written in λV (`spirv-backend/library/*.lv`) and stored as core text
//! (`spirv-backend/library/core/NAME.core`), since this crate does not depend on the frontend. This
//! command writes the texts:
//!
//! ```text
//! BLESS=1 cargo test -p lambdav-spirv-backend --test all -- library
//! ```
//!
//! # Guarantees
//!
//! - The result has the language's bits for every operand, subnormal ones included; a NaN is 0x7fc00000.
//! - The only float operations are `bits` of the parameters and `from-bits` of the result: no
//!   arithmetic, no comparisons. (A test inspects every operation.)
//! - Loops end within a few thousand rounds.
//!
//! An elementary function is a power series in numbers of 112 bits, with one multiplication in a loop:
//! drivers copy a function to each call, so its code must be small rather than fast.
//! `spirv-backend/library/functions.lv` bounds the error of each before it is rounded.

use lambdav_core::core_text;
use lambdav_core::op::Elementary;
use lambdav_core::schedule::{Program, schedule};
use lambdav_core::source::SourceFile;

/// A builtin of the library. Operands and result are nums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LibraryFunction {
    /// `a + b`; a difference negates its second operand.
    Add,
    /// `a * b`.
    Mul,
    /// `a / b`.
    Div,
    /// The square root.
    Sqrt,
    /// `a * b + c`, rounded once.
    Fma,
    /// A correctly rounded function.
    Elementary(Elementary),
}

/// Defines [`LibraryFunction::ALL`] and the core text of each function.
macro_rules! functions {
    ($($function:expr => $name:literal,)*) => {
        impl LibraryFunction {
            /// All functions of the library.
            pub const ALL: &[Self] = &[$($function,)*];

            /// The core text.
            ///
            /// # Panics
            ///
            /// If the function is none of [`Self::ALL`].
            pub fn text(self) -> &'static str {
                $(if self == $function {
                    return include_str!(concat!("../library/core/", $name, ".core"));
                })*
                panic!("the library has no {}", self.name())
            }
        }
    };
}

functions! {
    Self::Add => "add",
    Self::Mul => "mul",
    Self::Div => "div",
    Self::Sqrt => "sqrt",
    Self::Fma => "fma",
    Self::Elementary(Elementary::Exp) => "exp",
    Self::Elementary(Elementary::Exp2) => "exp2",
    Self::Elementary(Elementary::Sin) => "sin",
    Self::Elementary(Elementary::Cos) => "cos",
    Self::Elementary(Elementary::Tan) => "tan",
    Self::Elementary(Elementary::Asin) => "asin",
    Self::Elementary(Elementary::Acos) => "acos",
    Self::Elementary(Elementary::Atan) => "atan",
    Self::Elementary(Elementary::Sinh) => "sinh",
    Self::Elementary(Elementary::Cosh) => "cosh",
    Self::Elementary(Elementary::Tanh) => "tanh",
    Self::Elementary(Elementary::Asinh) => "asinh",
    Self::Elementary(Elementary::Acosh) => "acosh",
    Self::Elementary(Elementary::Atanh) => "atanh",
    Self::Elementary(Elementary::Log) => "log",
    Self::Elementary(Elementary::Log2) => "log2",
    Self::Elementary(Elementary::Atan2) => "atan2",
    Self::Elementary(Elementary::Pow) => "pow",
}

impl LibraryFunction {
    /// The name in core text and of the file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Mul => "mul",
            Self::Div => "div",
            Self::Sqrt => "sqrt",
            Self::Fma => "fma",
            Self::Elementary(f) => f.name(),
        }
    }

    /// The number of operands.
    pub fn arity(self) -> usize {
        match self {
            Self::Sqrt => 1,
            Self::Add | Self::Mul | Self::Div => 2,
            Self::Fma => 3,
            Self::Elementary(f) => f.arity(),
        }
    }
}

/// The program of a function. Its uniforms are the operands in order (in λV's order for `atan2` and
/// `pow`); its output 0 is the result, a num.
///
/// # Panics
///
/// If the function is none of [`LibraryFunction::ALL`].
pub fn program(function: LibraryFunction) -> Program {
    let name = format!("{}.core", function.name());
    let (core, diagnostics) = core_text::read(&SourceFile::new(name, function.text()));
    let core = core.unwrap_or_else(|| panic!("the text is generated: {diagnostics:?}"));
    schedule(&core, &[0]).expect("it nests little")
}
