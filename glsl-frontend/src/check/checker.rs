//! The state of the check, and its messages.

use super::items::{Block, Expectation, Function, Interface, Loose, Setting};
use super::overloads::Overloads;
use super::scopes::Scopes;
use super::values::{Constant, Layout};
use crate::syntax::tree::{Expression, Unit};
use crate::token::Name;
use crate::types::{Struct, Type, Types};
use crate::version::Version;
use lambdav_core::diagnostics::{
    Diagnostic, DiagnosticCode, Diagnostics, Severity, nearest_name, quote,
};
use lambdav_core::source::Span;
use lambdav_spirv::Guard;
use lambdav_spirv::build::{FunctionBuilder, ModuleBuilder};
use lambdav_spirv::positions::Positions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The function that is open.
pub(super) struct Body {
    pub(super) builder: FunctionBuilder,
    /// The label of the open block.
    pub(super) label: u32,
    pub(super) result: Type,
    /// Labels that `break` and `continue` lead to, innermost last. A switch has no second one.
    pub(super) targets: Vec<(u32, Option<u32>)>,
    /// Numbers of the functions that it calls.
    pub(super) calls: FxHashSet<usize>,
    /// The line that was noted last.
    pub(super) line: [u32; 3],
}

pub(super) struct Checker<'a> {
    pub(super) set: Setting<'a>,
    pub(super) unit: &'a Unit,
    pub(super) types: Types,
    pub(super) module: ModuleBuilder,
    pub(super) diagnostics: Diagnostics,
    /// True if the last error is among the diagnostics, not only counted.
    is_kept: bool,
    pub(super) positions: Positions,
    pub(super) scopes: Scopes,
    pub(super) functions: Vec<Function>,
    pub(super) overloads: FxHashMap<Name, Overloads>,
    pub(super) blocks: Vec<Block>,
    pub(super) body: Option<Body>,
    /// The function of global initialisers, while another one is open.
    pub(super) init: Option<Body>,
    pub(super) init_id: u32,
    pub(super) init_used: bool,
    /// Ids of types with their layouts.
    pub(super) ids: FxHashMap<(Type, Option<Layout>), u32>,
    pub(super) files: Vec<u32>,
    /// The declaration outside of functions that is checked.
    pub(super) declared: Option<Span>,
    pub(super) interface: Interface,
    /// Uniforms outside blocks: name, type, default.
    pub(super) loose: Vec<Loose>,
    pub(super) loose_block: Option<u32>,
    pub(super) loose_types: FxHashMap<Name, Type>,
    pub(super) reported_names: FxHashSet<Name>,
    /// Instructions of arms that are executed in any case.
    pub(super) guards: Vec<Guard>,
    /// The number of words of arms that were put in their places.
    pub(super) moved: usize,
    /// The number of parts that were copied or compared one by one, and whether there were too many.
    pub(super) expanded: usize,
    pub(super) is_expanded: bool,
    /// The statement or declaration that is checked.
    pub(super) statement_at: Span,
    /// Names of textures by their variables.
    pub(super) textures: FxHashMap<u32, Name>,
    /// Names of textures that are read with three coordinates, and have two.
    pub(super) deeper: FxHashSet<Name>,
    /// Textures that an expression combined with samplers: type, image, sampler. The key is a reserved id.
    pub(super) sampled: FxHashMap<u32, [u32; 3]>,
    /// Values of `const` arrays, by their variables.
    pub(super) constant_arrays: FxHashMap<u32, Rc<Constant>>,
    /// The expression in place of `main`.
    pub(super) expectation: Option<Expectation>,
}

impl<'a> Checker<'a> {
    /// A checker that has seen nothing.
    pub(super) fn new(unit: &'a Unit, set: Setting<'a>) -> Self {
        Self {
            set,
            unit,
            types: Types::new(),
            module: ModuleBuilder::new(),
            diagnostics: Diagnostics::new(set.most),
            is_kept: false,
            positions: Positions::default(),
            scopes: Scopes::default(),
            functions: Vec::new(),
            overloads: FxHashMap::default(),
            blocks: Vec::new(),
            body: None,
            init: None,
            init_id: 0,
            init_used: false,
            ids: FxHashMap::default(),
            files: Vec::new(),
            declared: None,
            interface: Interface::default(),
            loose: Vec::new(),
            loose_block: None,
            loose_types: FxHashMap::default(),
            reported_names: FxHashSet::default(),
            guards: Vec::new(),
            moved: 0,
            expanded: 0,
            is_expanded: false,
            statement_at: Span::default(),
            textures: FxHashMap::default(),
            deeper: FxHashSet::default(),
            sampled: FxHashMap::default(),
            constant_arrays: FxHashMap::default(),
            expectation: None,
        }
    }
}

impl Checker<'_> {
    pub(super) fn text(&self, name: Name) -> &str {
        self.set.names.text(name)
    }

    /// Reports an error.
    pub(super) fn wrong(
        &mut self,
        code: DiagnosticCode,
        at: Span,
        message: impl Into<String>,
    ) -> &mut Self {
        self.is_kept = self.diagnostics.has_room(code.severity());
        self.diagnostics.push(Diagnostic::new(code, at, message));
        self
    }

    /// Changes the last error, if it is kept.
    fn amend(&mut self, change: impl FnOnce(Diagnostic) -> Diagnostic) -> &mut Self {
        if self.is_kept {
            self.diagnostics.amend(change);
        }
        self
    }

    /// Adds help to the last error.
    pub(super) fn help(&mut self, help: impl Into<String>) -> &mut Self {
        let help = help.into();
        self.amend(|last| last.help(help))
    }

    /// Adds a label to the place of the last error.
    pub(super) fn label(&mut self, label: impl Into<String>) -> &mut Self {
        let label = label.into();
        self.amend(|last| last.label(label))
    }

    /// Adds another place to the last error.
    pub(super) fn also(&mut self, at: Span, label: &str) -> &mut Self {
        self.amend(|last| last.also(at, label))
    }

    /// Refuses a feature that the core lacks.
    pub(super) fn unsupported(&mut self, at: Span, what: &str) {
        self.wrong(DiagnosticCode::UnsupportedModule, at, format!("{what} are not supported"));
    }

    /// Reports a name that nothing has, once for each name.
    pub(super) fn unknown(&mut self, name: Name, at: Span, what: &str) {
        if !self.reported_names.insert(name) {
            return;
        }
        // The search for a similar name goes through all names.
        if !self.diagnostics.has_room(Severity::Error) {
            self.is_kept = false;
            return self.diagnostics.omit(Severity::Error);
        }
        let text = self.text(name).to_owned();
        let feature = match &*text {
            "gl_NumSubgroups" => Some("subgroups"),
            _ if text.starts_with("gl_Subgroup") || text.starts_with("subgroup") => {
                Some("subgroups")
            }
            "atomicLoad" | "atomicStore" | "controlBarrier" => {
                Some("operations with a scope (GL_KHR_memory_scope_semantics)")
            }
            _ => None,
        };
        if let Some(feature) = feature {
            return self.unsupported(at, feature);
        }
        let known = self.scopes.names().map(|known| self.set.names.text(known));
        let functions = self.overloads.keys().map(|&known| self.set.names.text(known));
        let nearest = nearest_name(&text, known.chain(functions)).map(str::to_owned);
        self.wrong(DiagnosticCode::GlslName, at, format!("{what} {} is unknown", quote(&text)));
        if let Some(nearest) = nearest {
            self.help(format!("{} is similar", quote(&nearest)));
        }
    }

    /// True in the version `desktop` or `es`, and later.
    pub(super) fn since(&self, desktop: u32, es: u32) -> bool {
        let Version { number, es: is_es } = self.set.version;
        number >= if is_es { es } else { desktop }
    }

    pub(super) fn type_name(&self, ty: Type) -> String {
        format!("`{}`", self.types.name(ty))
    }

    pub(super) fn structure(&self, number: u32) -> &Struct {
        &self.types.structs[number as usize]
    }

    /// The nodes of an expression.
    pub(super) fn nodes(&self, of: Expression) -> std::ops::Range<usize> {
        of.start as usize..of.end as usize
    }
}
