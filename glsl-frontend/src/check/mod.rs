//! The check: from the tree to SPIR-V, with all rules of the language.
//!
//! One pass in the order of the text, since GLSL declares before it uses. Each expression is a loop over its
//! nodes with a stack of operands ([`values::Operand`]). Instructions go to the function that is open; a
//! global initialiser goes to a function of its own, which runs before `main`.
//!
//! *Nothing is folded but what the language calls constant*: scalars of 32 bits, and what is composed of them.
//! Such a value becomes OpConstant.

mod atomics;
mod blocks;
mod builtin_calls;
mod builtin_special;
mod builtin_table;
#[cfg(test)]
mod builtin_tests;
mod calls;
mod checker;
mod constants;
mod construct;
mod declarations;
mod expectation;
mod expressions;
mod finish;
mod functions;
mod images;
mod interface;
mod items;
mod layout;
mod memory;
mod operators;
mod overloads;
mod printf;
mod scopes;
mod statements;
mod textures;
mod values;

use crate::syntax::tree::{Item, Unit};
use checker::Checker;
use lambdav_core::diagnostics::Diagnostics;

pub(crate) use items::{Checked, Setting};
pub use items::{Stage, UniformDefault};

/// Checks a tree and writes the words of a module.
pub(crate) fn check(unit: &Unit, set: Setting<'_>) -> (Checked, Diagnostics) {
    let mut checker = Checker::new(unit, set);
    checker.begin();
    for item in &unit.items {
        match item {
            Item::Function(function) => checker.function(function),
            Item::Declaration(declaration) => checker.global(declaration),
            Item::Block(block) => {
                checker.declared = Some(block.span);
                checker.block(block);
            }
            Item::Qualifiers(qualifiers, names) => checker.alone(qualifiers, names),
            Item::Precision => {}
        }
        checker.declared = None;
    }
    if let Some(expression) = unit.expression {
        checker.expectation(expression);
    }
    let mut checked = checker.finish();
    checked.deeper = checker.deeper.iter().map(|&name| checker.text(name).to_owned()).collect();
    checked.deeper.sort_unstable();
    (checked, checker.diagnostics)
}
