//! The state of the check, and its messages.

use super::causes::Varying;
use super::items::{Function, Instance};
use super::scopes::Scopes;
use super::values::{Index, Symbol, Value};
use crate::const_eval::{Constant, Fault};
use crate::syntax::tree::{Reference, Unit};
use crate::token::{Name, Names};
use crate::types::{Type, Types};
use lambdav_core::diagnostics::{
    Diagnostic, DiagnosticCode, Diagnostics, Severity, nearest_name, quote,
};
use lambdav_core::flat::FlatType;
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv::build::{FunctionBuilder, ModuleBuilder};
use lambdav_spirv::positions::Positions;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// What a unit is checked with.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) source: &'a SourceFile,
    pub(crate) names: &'a Names,
    pub(crate) unit: &'a Unit,
    /// Where the imported names of a module are declared.
    pub(crate) imports: &'a FxHashMap<Reference, Reference>,
    /// Bits of overrides, by name or id.
    pub(crate) overrides: &'a [(String, u32)],
    /// Most errors, and most warnings, that are kept.
    pub(crate) most: usize,
}

/// An `override`, as a host program sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Override {
    /// Its name.
    pub name: String,
    /// The number of `@id`.
    pub id: Option<u32>,
    /// `bool`, `i32`, `u32` or `f32`.
    pub ty: String,
    /// The bits of its value; `None` if it has no default and none was given.
    pub bits: Option<u32>,
}

/// What is known of composite constants of some type, by their addresses; the entry keeps the constant alive.
pub(super) type ByIdentity<T> = FxHashMap<(usize, Type), (Rc<[Constant]>, T)>;

/// The function that is open.
pub(super) struct Body {
    pub(super) builder: FunctionBuilder,
    /// The label of the open block.
    pub(super) label: u32,
    pub(super) result: Type,
    pub(super) targets: Vec<Target>,
    /// The line that was noted last.
    pub(super) line: [u32; 3],
}

/// Labels that `break` and `continue` lead to.
pub(super) struct Target {
    /// 0 in `continuing`, which neither leaves.
    pub(super) merge: u32,
    /// A switch has none.
    pub(super) next: Option<u32>,
    /// The scope of the loop's body, and the number of its names at the first `continue`.
    pub(super) scope: usize,
    pub(super) names: Option<usize>,
}

pub(super) struct Checker<'a> {
    pub(super) set: Setting<'a>,
    pub(super) types: Types,
    pub(super) module: ModuleBuilder,
    pub(super) diagnostics: Diagnostics,
    /// True if the last error is among the diagnostics, not only counted.
    is_kept: bool,
    pub(super) positions: Positions,
    /// Declarations by name.
    pub(super) declared: FxHashMap<Reference, usize>,
    /// Functions that replace others (`override fn` of naga_oil).
    pub(super) replaced: FxHashMap<usize, Vec<usize>>,
    /// The declaration that is checked.
    pub(super) current: usize,
    /// Members of structures by name.
    pub(super) members: FxHashMap<(u32, Name), usize>,
    /// Types that may lie in uniform buffers.
    pub(super) uniform: FxHashSet<Type>,
    /// Structures by their numbers: their declarations.
    pub(super) declarations: FxHashMap<u32, usize>,
    /// What each declaration is, as soon as it was checked.
    pub(super) symbols: Vec<Option<Symbol>>,
    pub(super) scopes: Scopes,
    pub(super) functions: Vec<Function>,
    pub(super) body: Option<Body>,
    /// Finished functions.
    pub(super) code: Vec<Rc<FunctionBuilder>>,
    pub(super) files: Vec<u32>,
    pub(super) ids: FxHashMap<Type, u32>,
    /// Structures that are blocks themselves.
    pub(super) blocks: FxHashSet<u32>,
    /// Ids of composite constants, and private variables that hold them, by identity.
    pub(super) constants: ByIdentity<u32>,
    pub(super) constant_variables: FxHashMap<u32, u32>,
    pub(super) conversions: ByIdentity<Constant>,
    /// More than zero where `&&` or `||` of constants leaves out the right side.
    pub(super) unevaluated: u32,
    /// True while a function is checked whose code is made for each call's arguments.
    pub(super) is_dry: bool,
    pub(super) instances: FxHashMap<(usize, Vec<Shape>), u32>,
    pub(super) waiting: Vec<Instance>,
    /// What differs between invocations.
    pub(super) varying: Varying,
    /// True while the code of a function is made again.
    pub(super) is_again: bool,
    pub(super) overrides: Vec<Override>,
    /// The first use of an override in the expression that is checked.
    pub(super) override_at: Option<Span>,
    /// Overrides without a value.
    pub(super) missing: FxHashMap<usize, Type>,
    pub(super) reported: FxHashSet<Name>,
    /// Words of constants that were folded.
    pub(super) folded: u64,
    pub(super) is_too_large: bool,
    /// The structures that `frexp`, `modf` and `atomicCompareExchangeWeak` return.
    pub(super) results: FxHashMap<(&'static str, Type), Type>,
    /// The statement that is checked.
    pub(super) statement_at: Span,
    pub(super) entries: usize,
    /// The type of the expression to evaluate.
    pub(super) expression: Option<FlatType>,
}

/// The variable and the shape of the indices of a pointer that a function is specialised for.
pub(super) type Shape = (u32, Vec<Index>);

impl<'a> Checker<'a> {
    /// A checker that has seen nothing.
    pub(super) fn new(set: Setting<'a>) -> Self {
        Self {
            set,
            types: Types::new(),
            module: ModuleBuilder::new(),
            diagnostics: Diagnostics::new(set.most),
            is_kept: false,
            positions: Positions::default(),
            declared: FxHashMap::default(),
            replaced: FxHashMap::default(),
            current: 0,
            members: FxHashMap::default(),
            uniform: FxHashSet::default(),
            declarations: FxHashMap::default(),
            symbols: Vec::new(),
            scopes: Scopes::default(),
            functions: Vec::new(),
            body: None,
            code: Vec::new(),
            files: Vec::new(),
            ids: FxHashMap::default(),
            blocks: FxHashSet::default(),
            constants: FxHashMap::default(),
            constant_variables: FxHashMap::default(),
            conversions: FxHashMap::default(),
            unevaluated: 0,
            is_dry: false,
            instances: FxHashMap::default(),
            waiting: Vec::new(),
            varying: Varying::default(),
            is_again: false,
            overrides: Vec::new(),
            override_at: None,
            missing: FxHashMap::default(),
            reported: FxHashSet::default(),
            folded: 0,
            is_too_large: false,
            results: FxHashMap::default(),
            statement_at: Span::default(),
            entries: 0,
            expression: None,
        }
    }

    pub(super) fn text(&self, name: Name) -> &'a str {
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

    /// Adds another place to the last error.
    pub(super) fn also(&mut self, at: Span, label: &str) -> &mut Self {
        self.amend(|last| last.also(at, label))
    }

    /// Refuses a feature that is not built.
    pub(super) fn unsupported(&mut self, at: Span, what: &str) -> &mut Self {
        self.wrong(DiagnosticCode::UnsupportedModule, at, format!("{what} not supported"))
    }

    /// Reports a name that nothing has, once for each name.
    pub(super) fn unknown(&mut self, name: Name, at: Span) {
        if !self.reported.insert(name) {
            return;
        }
        // The search for a similar name goes through all names.
        if !self.diagnostics.has_room(Severity::Error) {
            self.is_kept = false;
            return self.diagnostics.omit(Severity::Error);
        }
        let text = self.text(name);
        let globals = self.set.unit.globals.iter().filter_map(|global| global.name);
        let known: Vec<Name> = self.scopes.names().chain(globals).collect();
        let names: &'a Names = self.set.names;
        let known = known.into_iter().map(|known| names.text(known));
        let language = super::predeclared::names().map(|name| -> &'a str { name });
        let nearest = nearest_name(text, known.chain(language));
        let nearest = nearest.map(str::to_owned);
        self.wrong(DiagnosticCode::WgslName, at, format!("{} is unknown", quote(text)));
        if let Some(nearest) = nearest {
            self.help(format!("{} is similar", quote(&nearest)));
        }
    }

    pub(super) fn type_name(&self, ty: Type) -> String {
        format!("`{}`", self.types.name(ty))
    }

    /// Reports that a const-expression has no value.
    pub(super) fn fault(&mut self, fault: &Fault, at: Span) {
        if self.unevaluated > 0 {
            return;
        }
        let code = DiagnosticCode::WgslConstant;
        match fault {
            Fault::Overflow(ty) => {
                self.wrong(code, at, format!("the result does not fit into {ty}"))
            }
            Fault::DivisionByZero => self.wrong(code, at, "a constant is divided by zero"),
            Fault::NotFinite => {
                self.wrong(code, at, "the result of constants is infinite or not a number")
            }
            Fault::Shift(bits) => {
                let message =
                    format!("a constant is shifted by {bits} bits or more, or by less than 0");
                self.wrong(code, at, message)
            }
            Fault::ShiftLoses => self.wrong(code, at, "the shifted constant does not fit its type"),
            Fault::Argument(what) => self.wrong(code, at, *what),
        };
    }

    /// A folded constant, or an error.
    pub(super) fn folded(
        &mut self,
        ty: Type,
        result: Result<Constant, Fault>,
        at: Span,
    ) -> Option<Value> {
        match result {
            Ok(constant) => Some(Value::constant(ty, constant)),
            Err(fault) => {
                self.fault(&fault, at);
                let zero = crate::const_eval::zero(&self.types, ty);
                (self.unevaluated > 0).then(|| Value::constant(ty, zero))
            }
        }
    }

    /// Counts words of constants that are computed; false beyond the limit, which is reported.
    pub(super) fn spend(&mut self, words: u64, at: Span) -> bool {
        /// Most words of all constants that a program computes.
        const FOLDED: u64 = 1 << 24;
        self.folded = self.folded.saturating_add(words);
        if self.folded > FOLDED && !self.is_too_large {
            self.is_too_large = true;
            let message = "the constants of the program are too large";
            self.wrong(DiagnosticCode::WgslTooLarge, at, message)
                .help("compute them in a function, or keep them in a buffer");
        }
        self.folded <= FOLDED
    }
}
