//! The library of exact modules: builtins as programs without arithmetic on floats.
//!
//! A function is written in λV (`spirv-backend/exact/*.lv`) and held as core text (`spirv-backend/exact/core/NAME.core`), since
//! this crate does not know the frontend. The texts are written by
//!
//! ```text
//! BLESS=1 cargo test -p lambdav-spirv-backend --test all -- library
//! ```
//!
//! # What is guaranteed
//!
//! - The result has the bits that the language says, for every operand, also for subnormal numbers; a NaN is 0x7fc00000.
//! - Of floats there are `bits` of the parameters and `from-bits` of the result, and nothing else: neither arithmetic nor
//!   comparisons. (A test looks at every operation.)
//! - Loops end, within a few thousand rounds.

use lambdav_core::core_text;
use lambdav_core::op::Elementary;
use lambdav_core::schedule::{Program, schedule};
use lambdav_core::source::SourceFile;

/// A builtin of the library. All operands, and the result, are nums.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// `a + b`. (A difference is the sum with the negated operand.)
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

/// Defines [`Function::ALL`], and the core text of each.
macro_rules! functions {
    ($($function:expr => $name:literal,)*) => {
        impl Function {
            /// All that the library has.
            pub const ALL: &[Self] = &[$($function,)*];

            /// The core text.
            ///
            /// # Panics
            ///
            /// If the function is none of [`Self::ALL`].
            pub fn text(self) -> &'static str {
                $(if self == $function {
                    return include_str!(concat!("../../exact/core/", $name, ".core"));
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

impl Function {
    /// The name in core text, which is that of the file.
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

/// The program of a function. Its uniforms are the operands, in order (for `atan2` and `pow` that of λV), and its output 0, a
/// num, is the result.
///
/// # Panics
///
/// If the function is none of [`Function::ALL`].
pub fn program(function: Function) -> Program {
    let name = format!("{}.core", function.name());
    let (core, diagnostics) = core_text::read(&SourceFile::new(name, function.text()));
    let core = core.unwrap_or_else(|| panic!("the text is generated: {diagnostics:?}"));
    schedule(&core, &[0]).expect("it nests little")
}
