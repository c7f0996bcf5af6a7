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
mod constants;
mod construct;
mod declarations;
mod expressions;
mod finish;
mod functions;
mod images;
mod interface;
mod layout;
mod memory;
mod operators;
mod scopes;
mod statements;
mod textures;
mod values;

use crate::syntax::tree::{Expression, Item, Unit};
use crate::token::{Name, Names};
use crate::types::{Struct, Type, Types};
use crate::version::Version;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Diagnostics, nearest_name, quote};
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv::build::{FunctionBuilder, ModuleBuilder};
use rustc_hash::{FxHashMap, FxHashSet};
use scopes::Scopes;
use std::rc::Rc;
use values::{Constant, Layout};

/// The stage of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `.vert`.
    Vertex,
    /// `.frag`.
    Fragment,
    /// `.comp`.
    Compute,
}

/// What the check needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) source: &'a SourceFile,
    pub(crate) names: &'a Names,
    pub(crate) version: Version,
    pub(crate) stage: Stage,
    pub(crate) most: usize,
}

/// A default of a loose uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformDefault {
    /// The name of the uniform.
    pub name: String,
    /// Its components, 32 bits each.
    pub words: Vec<u32>,
}

/// The result of the check.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) words: Vec<u32>,
    pub(crate) defaults: Vec<UniformDefault>,
    /// Names of textures that are read with three coordinates, and have two.
    pub(crate) deeper: Vec<String>,
}

/// The function that is open.
struct Body {
    builder: FunctionBuilder,
    /// The label of the open block.
    label: u32,
    result: Type,
    /// Labels that `break` and `continue` lead to, innermost last. A switch has no second one.
    targets: Vec<(u32, Option<u32>)>,
    /// Numbers of the functions that it calls.
    calls: FxHashSet<usize>,
    /// The line that was noted last.
    line: [u32; 3],
}

struct Checker<'a> {
    set: Setting<'a>,
    unit: &'a Unit,
    types: Types,
    module: ModuleBuilder,
    diagnostics: Diagnostics,
    scopes: Scopes,
    functions: Vec<functions::Function>,
    overloads: FxHashMap<Name, Vec<usize>>,
    blocks: Vec<blocks::Block>,
    body: Option<Body>,
    /// The function of global initialisers, while another one is open.
    init: Option<Body>,
    init_id: u32,
    init_used: bool,
    structs: FxHashMap<(u32, Option<Layout>), u32>,
    files: Vec<u32>,
    interface: interface::Interface,
    /// Uniforms outside blocks: name, type, default.
    loose: Vec<interface::Loose>,
    loose_block: Option<u32>,
    reported_names: FxHashSet<Name>,
    /// Names of textures by their variables.
    textures: FxHashMap<u32, Name>,
    /// Names of textures that are read with three coordinates, and have two.
    deeper: FxHashSet<Name>,
    /// Textures that an expression combined with samplers: type, image, sampler. The key is a reserved id.
    sampled: FxHashMap<u32, [u32; 3]>,
    /// Values of `const` arrays, by their variables.
    constant_arrays: FxHashMap<u32, Rc<Constant>>,
}

/// Checks a tree and writes the words of a module.
pub(crate) fn check(unit: &Unit, set: Setting<'_>) -> (Checked, Diagnostics) {
    let mut checker = Checker {
        set,
        unit,
        types: Types::new(),
        module: ModuleBuilder::new(),
        diagnostics: Diagnostics::new(set.most),
        scopes: Scopes::default(),
        functions: Vec::new(),
        overloads: FxHashMap::default(),
        blocks: Vec::new(),
        body: None,
        init: None,
        init_id: 0,
        init_used: false,
        structs: FxHashMap::default(),
        files: Vec::new(),
        interface: interface::Interface::default(),
        loose: Vec::new(),
        loose_block: None,
        reported_names: FxHashSet::default(),
        textures: FxHashMap::default(),
        deeper: FxHashSet::default(),
        sampled: FxHashMap::default(),
        constant_arrays: FxHashMap::default(),
    };
    checker.begin();
    for item in &unit.items {
        match item {
            Item::Function(function) => checker.function(function),
            Item::Declaration(declaration) => checker.global(declaration),
            Item::Block(block) => checker.block(block),
            Item::Qualifiers(qualifiers, names) => checker.alone(qualifiers, names),
            Item::Precision => {}
        }
    }
    let mut checked = checker.finish();
    checked.deeper = checker.deeper.iter().map(|&name| checker.text(name).to_owned()).collect();
    checked.deeper.sort_unstable();
    (checked, checker.diagnostics)
}

impl Checker<'_> {
    fn text(&self, name: Name) -> &str {
        self.set.names.text(name)
    }

    /// Reports an error.
    fn wrong(&mut self, code: DiagnosticCode, at: Span, message: impl Into<String>) -> &mut Self {
        self.diagnostics.push(Diagnostic::new(code, at, message));
        self
    }

    /// Adds help to the last error.
    fn help(&mut self, help: impl Into<String>) -> &mut Self {
        let help = help.into();
        self.diagnostics.amend(|last| last.help(help));
        self
    }

    /// Adds a label to the place of the last error.
    fn label(&mut self, label: impl Into<String>) -> &mut Self {
        let label = label.into();
        self.diagnostics.amend(|last| last.label(label));
        self
    }

    /// Adds another place to the last error.
    fn also(&mut self, at: Span, label: &str) -> &mut Self {
        self.diagnostics.amend(|last| last.also(at, label));
        self
    }

    /// Refuses a feature that the core lacks.
    fn unsupported(&mut self, at: Span, what: &str) {
        self.wrong(DiagnosticCode::UnsupportedModule, at, format!("{what} are not supported"));
    }

    /// Reports a name that nothing has, once for each name.
    fn unknown(&mut self, name: Name, at: Span, what: &str) {
        if !self.reported_names.insert(name) {
            return;
        }
        let text = self.text(name).to_owned();
        let known = self.scopes.names().map(|known| self.set.names.text(known));
        let functions = self.overloads.keys().map(|&known| self.set.names.text(known));
        let nearest = nearest_name(&text, known.chain(functions)).map(str::to_owned);
        self.wrong(DiagnosticCode::GlslName, at, format!("{what} {} is unknown", quote(&text)));
        if let Some(nearest) = nearest {
            self.help(format!("{} is similar", quote(&nearest)));
        }
    }

    /// True in the version `desktop` or `es`, and later.
    fn since(&self, desktop: u32, es: u32) -> bool {
        let Version { number, es: is_es } = self.set.version;
        number >= if is_es { es } else { desktop }
    }

    fn type_name(&self, ty: Type) -> String {
        format!("`{}`", self.types.name(ty))
    }

    fn structure(&self, number: u32) -> &Struct {
        &self.types.structs[number as usize]
    }

    /// The nodes of an expression.
    fn nodes(&self, of: Expression) -> std::ops::Range<usize> {
        of.start as usize..of.end as usize
    }
}
