//! The check: from the tree to SPIR-V, with all rules of the language.
//!
//! Declarations are checked in the order of their uses (`order`). Each expression is a loop over its nodes with a
//! stack of operands ([`values::Operand`]). Instructions go to the function that is open.
//!
//! *Const-expressions are computed* (`const_eval`), since WGSL gives them more range than the running program has, and
//! refuses those without a value. Nothing else is folded.
//!
//! Pointers are no values: a pointer to a variable of a function is passed as one, with a copy if it is a part; a
//! pointer into a buffer or shared memory makes a function of its own for each variable (`functions`). So the words are
//! valid without the capability VariablePointers.

mod access;
mod attributes;
mod built_ins;
mod builtin_calls;
mod builtin_other;
mod builtin_table;
mod calls;
mod causes;
mod checker;
mod construct;
mod control;
mod convert;
mod entry_points;
mod expectation;
mod expressions;
mod functions;
mod globals;
mod items;
mod memory;
mod operators;
mod order;
mod predeclared;
mod scopes;
mod statements;
mod textures;
mod type_expressions;
mod uniformity;
mod values;
mod variables;

pub use checker::Override;
pub(crate) use checker::Setting;

use checker::Checker;
use lambdav_core::diagnostics::{DiagnosticCode, Diagnostics};
use lambdav_core::flat::FlatType;
use rspirv::spirv::{Capability, SourceLanguage};

/// What the check makes.
pub(crate) struct Checked {
    /// The words of the module; `None` if there are errors.
    pub(crate) words: Option<Vec<u32>>,
    pub(crate) overrides: Vec<Override>,
    /// The type of the expression, if there is one.
    pub(crate) expression: Option<FlatType>,
    pub(crate) diagnostics: Diagnostics,
}

/// Checks a unit and writes the words of a module.
pub(crate) fn check(set: Setting<'_>) -> Checked {
    let mut checker = Checker::new(set);
    checker.module.capability(Capability::Shader);
    for file in set.source.files() {
        let id = checker.module.string(&file.module_name);
        let text = set.source.slice(file.span).replace('\0', " ");
        // WGSL's own number is not known to validators before 2024.
        checker.module.source(SourceLanguage::Unknown as u32, 0, id, &text);
        checker.files.push(id);
    }
    checker.declare_all();
    for number in checker.in_order() {
        checker.global(number);
    }
    if !checker.diagnostics.has_errors() {
        checker.emit_instances();
    }
    if checker.module.ids() > lambdav_spirv::MAX_IDS && !checker.diagnostics.has_errors() {
        let message = "the program has more values than a module of SPIR-V";
        checker.wrong(DiagnosticCode::WgslTooLarge, set.source.files()[0].span, message);
    }
    let has_errors = checker.diagnostics.has_errors();
    let (overrides, diagnostics) = (checker.overrides, checker.diagnostics);
    if has_errors {
        return Checked { words: None, overrides, expression: None, diagnostics };
    }
    let mut module = checker.module;
    if checker.entries == 0 {
        // A library: nothing in it is run.
        module.capability(Capability::Linkage);
    }
    for code in &checker.code {
        module.function(code);
    }
    let expression = checker.expression;
    Checked { words: Some(module.finish()), overrides, expression, diagnostics }
}
