//! The elaborator's memory: environments, thunks and closures, hash-consed.
//!
//! A thunk or closure is identified by its code and the denotations of its free locals. Equal ones are one,
//! which makes sharing linear.

use super::constancy::{Constancies, Constancy};
use super::continuation::Continuation;
use super::rounds::{Before, Unrolling};
use super::uniforms::Zeros;
use super::values::{
    Activation, ActivationId, Arguments, Captured, ContentsId, Data, Denotation, Env, EnvId,
    FunctionId, FunctionValue, HeldId, HeldStructure, ROOT, Site, Thunk, ThunkId, Value,
};
use crate::builtins::Builtin;
use crate::mutants::{Mutant, is_active};
use crate::resolve::{Code, CodeArena, CodeId, Declarations, Free, Key, Local};
use lambdav_core::diagnostics::{DiagnosticCode, Diagnostics};
use lambdav_core::graph::{Graph, LoopId, Name, Neighbours, NodeId};
use lambdav_core::limits;
use lambdav_core::probes::{MetSites, Sites};
use lambdav_core::sets::SetId;
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// A kind of parameter of a loop under elaboration.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoopParameter {
    Data(Type),
    /// A function, which each `rec` must pass on.
    Static(FunctionId),
    /// A structure that holds functions, which each `rec` must pass on, and the computations for it that
    /// might not end.
    Structure(HeldId, Option<NodeId>),
    /// A value from outside the loop, since each `rec` in the text passes it on unchanged.
    Outside,
}

/// A loop under elaboration.
#[derive(Debug)]
pub(super) struct LoopInfo {
    pub(super) parameters: Vec<LoopParameter>,
    pub(super) span: Span,
}

/// What makes code the same: its text, and its place if undefined behaviour is reported.
type Identity = (Key, Option<CodeId>);

/// The elaborator's state.
pub(super) struct Elaborator {
    pub(super) arena: CodeArena,
    pub(super) graph: Graph,
    pub(super) declarations: Rc<Declarations>,
    pub(super) diagnostics: Diagnostics,
    pub(super) globals: Vec<Denotation>,
    pub(super) thunks: Vec<Thunk>,
    pub(super) loops: FxHashMap<LoopId, LoopInfo>,
    pub(super) expansions: FxHashMap<String, FunctionId>,
    thunk_ids: FxHashMap<(Identity, Captured, bool), ThunkId>,
    /// The first name of each thunk without a value.
    pub(super) thunk_names: FxHashMap<ThunkId, Name>,
    held: Vec<HeldStructure>,
    held_ids: FxHashMap<HeldStructure, HeldId>,
    functions: Vec<FunctionValue>,
    function_ids: FxHashMap<FunctionValue, FunctionId>,
    closure_ids: FxHashMap<(Identity, Captured), FunctionId>,
    envs: Vec<Env>,
    contents: FxHashMap<(ContentsId, Arguments), ContentsId>,
    pub(super) activations: Vec<Activation>,
    /// Memoised results, separately for eager applications (true).
    pub(super) results: FxHashMap<(FunctionId, Arguments, bool), Value>,
    pub(super) unrolling: Unrolling,
    pub(super) constancies: Constancies,
    /// The globals read so far, while defaults are elaborated.
    pub(super) read_by_defaults: Option<FxHashSet<u32>>,
    pub(super) continuations: Vec<Continuation>,
    /// The number of expressions evaluated so far.
    pub(super) steps: u32,
    /// The copies made for derivatives.
    pub(super) neighbours: Neighbours,
    /// The number of arguments and bindings of `let`s so far.
    pub(super) bindings: usize,
    /// The number of operations that loops in defaults of uniforms may still execute.
    pub(super) default_operations: Option<u64>,
    /// The words of missing defaults.
    pub(super) zeros: Zeros,
    pub(super) reported: FxHashSet<(DiagnosticCode, Span)>,
    /// The program has a position.
    pub(super) draws_triangles: bool,
    /// The position or a varying is being elaborated.
    pub(super) is_in_vertex_stage: bool,
    /// The number of axes of the pass that is being elaborated.
    pub(super) axes: Option<u8>,
    /// The counter of each buffer to which passes append, by types.
    pub(super) counters: FxHashMap<Type, Type>,
    /// The sites of probes, if the program's undefined behaviour is to be reported.
    pub(super) sites: Option<Sites>,
    /// The sites that were met in defaults, and in applications to constants under `@`.
    pub(super) met: MetSites,
    /// A limit was exceeded: elaboration stops.
    pub(super) stopped: bool,
}

/// The memos that depend on the number of axes of ids.
#[derive(Default)]
pub(super) struct Memos {
    globals: Vec<Denotation>,
    thunk_ids: FxHashMap<(Identity, Captured, bool), ThunkId>,
    results: FxHashMap<(FunctionId, Arguments, bool), Value>,
}

impl Elaborator {
    /// An elaborator for this code.
    pub(super) fn new(arena: CodeArena, declarations: Rc<Declarations>, most: usize) -> Self {
        let mut graph = Graph::default();
        *graph.types_mut() = declarations.types.clone();
        let top = Activation {
            caller: ActivationId(0),
            depth: 0,
            function: None,
            site: Span::default(),
            expansion: None,
            eager: None,
        };
        let root = Env {
            parent: ROOT,
            jump: ROOT,
            contents: Some(ContentsId(0)),
            level: 0,
            slots: Rc::new([]),
            activation: ActivationId(0),
        };
        Self {
            arena,
            graph,
            declarations,
            held: Vec::new(),
            held_ids: FxHashMap::default(),
            diagnostics: Diagnostics::new(most),
            globals: Vec::new(),
            thunks: Vec::new(),
            loops: FxHashMap::default(),
            expansions: FxHashMap::default(),
            thunk_ids: FxHashMap::default(),
            thunk_names: FxHashMap::default(),
            functions: Vec::new(),
            function_ids: FxHashMap::default(),
            closure_ids: FxHashMap::default(),
            envs: vec![root],
            contents: FxHashMap::default(),
            activations: vec![top],
            results: FxHashMap::default(),
            unrolling: Unrolling::default(),
            constancies: Constancies::default(),
            read_by_defaults: None,
            continuations: Vec::new(),
            steps: 0,
            neighbours: Neighbours::default(),
            bindings: 0,
            default_operations: Some(limits::DEFAULT_OPERATIONS),
            zeros: Zeros::default(),
            reported: FxHashSet::default(),
            draws_triangles: false,
            is_in_vertex_stage: false,
            axes: None,
            counters: FxHashMap::default(),
            sites: None,
            met: MetSites::default(),
            stopped: false,
        }
    }

    /// Changes places with the memos of code elaborated for another number of axes of ids.
    pub(super) fn swap_memos(&mut self, memos: &mut Memos) {
        std::mem::swap(&mut self.globals, &mut memos.globals);
        std::mem::swap(&mut self.thunk_ids, &mut memos.thunk_ids);
        std::mem::swap(&mut self.results, &mut memos.results);
    }

    pub(super) fn env(&self, id: EnvId) -> &Env {
        &self.envs[id.0 as usize]
    }

    pub(super) fn push_env(
        &mut self,
        parent: EnvId,
        slots: Arguments,
        activation: ActivationId,
    ) -> EnvId {
        self.count_bindings(slots.len(), activation);
        let level = self.env(parent).level + 1;
        let outer = self.env(parent);
        let jumped = self.env(outer.jump);
        let equally_far = outer.level - jumped.level == jumped.level - self.env(jumped.jump).level;
        let jump = if equally_far { jumped.jump } else { parent };
        self.envs.push(Env { parent, jump, contents: None, level, slots, activation });
        EnvId(self.envs.len() as u32 - 1)
    }

    /// The same scopes in another mode: eager because of the `@` at this position, or as usual.
    pub(super) fn in_mode(&mut self, env: EnvId, eager: Option<Span>) -> EnvId {
        let mut inner = self.env(env).clone();
        if self.is_eager(inner.activation) == eager.is_some() {
            return env;
        }
        inner.activation = self.activation_in_mode(inner.activation, eager);
        self.envs.push(inner);
        EnvId(self.envs.len() as u32 - 1)
    }

    /// The same activation in another mode.
    pub(super) fn activation_in_mode(
        &mut self,
        activation: ActivationId,
        eager: Option<Span>,
    ) -> ActivationId {
        let inner = Activation { eager, ..self.activations[activation.0 as usize] };
        self.activations.push(inner);
        ActivationId(self.activations.len() as u32 - 1)
    }

    /// True if the activation's code is elaborated eagerly.
    pub(super) fn is_eager(&self, activation: ActivationId) -> bool {
        self.activations[activation.0 as usize].eager.is_some()
    }

    pub(super) fn local(&self, local: Local, env: EnvId) -> Denotation {
        self.env(self.scope_at(local.level, env)).slots[local.index as usize]
    }

    /// The enclosing scope of this level, or the innermost one if that has a lower level.
    fn scope_at(&self, level: u32, mut env: EnvId) -> EnvId {
        while self.env(env).level > level {
            let Env { parent, jump, .. } = *self.env(env);
            env = if self.env(jump).level >= level { jump } else { parent };
        }
        env
    }

    /// The contents of a scope and of those around it.
    fn contents(&mut self, env: EnvId) -> ContentsId {
        let (mut at, mut inside) = (env, Vec::new());
        let mut contents = loop {
            if let Some(known) = self.env(at).contents {
                break known;
            }
            inside.push(at);
            at = self.env(at).parent;
        };
        while let Some(at) = inside.pop() {
            let slots = self.settled(&self.env(at).slots);
            let next = ContentsId(self.contents.len() as u32 + 1);
            contents = *self.contents.entry((contents, slots)).or_insert(next);
            self.envs[at.0 as usize].contents = Some(contents);
        }
        contents
    }

    /// The denotation of a top-level name.
    pub(super) fn global(&mut self, global: u32) -> Denotation {
        if let Some(read) = &mut self.read_by_defaults {
            read.insert(global);
        }
        self.globals[global as usize]
    }

    /// The denotation of an argument or binding, which is not evaluated.
    pub(super) fn denote(&mut self, code: CodeId, env: EnvId) -> Denotation {
        match self.arena.get(code) {
            Code::Local(local) => self.local(*local, env),
            &Code::Global(global) => self.global(global),
            _ => match self.known_value(code, env) {
                Some(value) => Denotation::Value(value),
                None => self.thunk(code, env),
            },
        }
    }

    /// The value of code that needs no evaluation; `None` for other code.
    pub(super) fn known_value(&mut self, code: CodeId, env: EnvId) -> Option<Value> {
        match *self.arena.get(code) {
            Code::Error => Some(Value::Error),
            Code::Number(value, _) => {
                let span = self.span(code, env);
                let node = self.graph.number(value, span);
                Some(self.data(node, Constancy::LITERAL))
            }
            Code::Integer(scalar, bits) => {
                let span = self.span(code, env);
                let ty = Type::of(scalar, 1);
                let node = self.graph.constant(ty, &[bits], span);
                Some(self.data(node, Constancy::LITERAL))
            }
            Code::Bool(value) => {
                let span = self.span(code, env);
                let node = self.graph.bool(value, span);
                Some(self.data(node, Constancy::LITERAL))
            }
            Code::Builtin(builtin) => Some(self.builtin_value(builtin, self.span(code, env))),
            Code::Former(former) => Some(self.former_value(former, self.span(code, env))),
            Code::Function(_) => Some(self.closure(code, env)),
            Code::Local(_)
            | Code::Global(_)
            | Code::Apply { .. }
            | Code::Let { .. }
            | Code::If(_)
            | Code::The(..)
            | Code::Mode { .. }
            | Code::With { .. }
            | Code::Tabulate(..)
            | Code::Case(_) => None,
        }
    }

    /// The value of a node, with this constancy if it is a value that ends. The value after a loop is not
    /// constant: it depends on the loop's parameters.
    pub(super) fn data(&self, node: NodeId, constancy: Constancy) -> Value {
        Value::Data(self.known(node, constancy))
    }

    /// The same as [`Data`].
    pub(super) fn known(&self, node: NodeId, constancy: Constancy) -> Data {
        let is_tail = self.graph.expr_type(node).value().is_none();
        let constancy = match is_tail || self.graph.may_diverge(node) {
            true => Constancy::Varies,
            false => constancy,
        };
        debug_assert!(
            self.constancies.whole(constancy).is_none()
                || self.graph.constant_words(node).is_some(),
            "what is constant is folded"
        );
        Data { node, constancy }
    }

    /// The origins of a constant scalar, and its word.
    pub(super) fn constant(&self, data: Data) -> Option<(SetId, u32)> {
        let by = self.constancies.whole(data.constancy)?;
        Some((by, *self.graph.constant_words(data.node)?.first()?))
    }

    /// The value of a builtin that is not applied.
    fn builtin_value(&mut self, builtin: Builtin, span: Span) -> Value {
        match builtin.constant() {
            Some(value) => {
                let node = self.graph.number(value, span);
                self.data(node, Constancy::LITERAL)
            }
            None => Value::Function(self.function_id(FunctionValue::Builtin(builtin))),
        }
    }

    /// The denotations of an application's arguments, not evaluated.
    pub(super) fn denote_arguments(&mut self, code: CodeId, env: EnvId) -> Arguments {
        let Code::Apply { arguments, .. } = self.arena.get(code) else {
            unreachable!("only applications have arguments")
        };
        let arguments = arguments.clone();
        arguments.iter().map(|&a| self.denote(a, env)).collect()
    }

    /// The identity of code. Sites have places in the text, so equal code elsewhere is other code where they are wanted.
    fn identity(&self, code: CodeId) -> Identity {
        (self.arena.key(code), self.sites.is_some().then_some(code))
    }

    /// The thunk for this code in this scope. Code, captured locals and mode identify it. Captured locals are
    /// looked up both as they were when the thunk was made, and with the values found since.
    pub(super) fn thunk(&mut self, code: CodeId, env: EnvId) -> Denotation {
        let (key, eager) = (self.identity(code), self.is_eager(self.env(env).activation));
        let captured = self.captured(code, env);
        if let Some(&known) = self.thunk_ids.get(&(key, captured.clone(), eager)) {
            return Denotation::Thunk(known);
        }
        let settled = self.settled_captured(&captured);
        let next = ThunkId(self.thunks.len() as u32);
        let id = *self.thunk_ids.entry((key, settled, eager)).or_insert(next);
        self.thunk_ids.insert((key, captured, eager), id);
        if id == next {
            self.thunks.push(Thunk { code, env, value: None });
        }
        Denotation::Thunk(id)
    }

    /// Names the denotations of these slots after their bindings in the program. (The names in the expansion
    /// of a builtin are not the user's.)
    pub(super) fn name_all<'n>(
        &mut self,
        slots: &Arguments,
        names: impl IntoIterator<Item = &'n Name>,
        activation: ActivationId,
    ) {
        if self.activations[activation.0 as usize].expansion.is_none() {
            slots.iter().zip(names).for_each(|(&slot, name)| self.name(slot, name));
        }
    }

    /// Names a value that has no name yet; a thunk passes the name to its value.
    pub(super) fn name(&mut self, denotation: Denotation, name: &Name) {
        match (self.settle(denotation), denotation) {
            (Denotation::Value(Value::Data(data)), _) => self.graph.set_name(data.node, name),
            (Denotation::Thunk(id), _) => {
                self.thunk_names.entry(id).or_insert_with(|| name.clone());
            }
            (Denotation::Value(Value::Function(_) | Value::Structure(_) | Value::Error), _) => {}
        }
    }

    fn closure(&mut self, code: CodeId, env: EnvId) -> Value {
        let key = self.identity(code);
        let captured = self.captured(code, env);
        if let Some(&known) = self.closure_ids.get(&(key, captured.clone())) {
            return Value::Function(known);
        }
        let settled = self.settled_captured(&captured);
        let id = match self.closure_ids.get(&(key, settled.clone())) {
            Some(&known) => known,
            None => self.function_id(FunctionValue::Closure { code, env, expansion: false }),
        };
        self.closure_ids.insert((key, settled), id);
        self.closure_ids.insert((key, captured), id);
        Value::Function(id)
    }

    /// The denotations of the code's free locals that belong to the scopes around it.
    pub(super) fn mentioned(&mut self, code: CodeId, env: EnvId) -> Vec<Denotation> {
        let outer = self.env(env).level;
        if let Free::Listed(free) = self.arena.free(code) {
            let free = free.iter().filter(|local| local.level <= outer);
            return free.map(|&local| self.local(local, env)).collect();
        }
        let (free, looked_at) = self.arena.listed(code, outer);
        self.steps += looked_at;
        free.into_iter().map(|local| self.local(local, env)).collect()
    }

    /// The numbers of functions, structures and thunks so far.
    pub(super) fn before(&self) -> Before {
        let count = |count: usize| count as u32;
        Before {
            functions: count(self.functions.len()),
            held: count(self.held.len()),
            thunks: count(self.thunks.len()),
        }
    }

    pub(super) fn thunk_parts(&self, id: ThunkId) -> (CodeId, EnvId) {
        let Thunk { code, env, .. } = self.thunks[id.0 as usize];
        (code, env)
    }

    /// The denotations of the code's free locals.
    fn captured(&mut self, code: CodeId, env: EnvId) -> Captured {
        let mut free = match self.arena.free(code) {
            Free::Listed(free) => free,
            Free::UpTo(level) => return Captured::All(self.contents(self.scope_at(level, env))),
        };
        if let (true, Some((_, others))) = (is_active(Mutant::ForgottenLocal), free.split_last()) {
            free = others;
        }
        Captured::Each(free.iter().map(|&local| self.local(local, env)).collect())
    }

    /// The same, with values in place of evaluated thunks.
    fn settled_captured(&self, captured: &Captured) -> Captured {
        match captured {
            Captured::Each(all) => Captured::Each(self.settled(all)),
            Captured::All(_) => captured.clone(),
        }
    }

    fn settle(&self, denotation: Denotation) -> Denotation {
        match denotation {
            Denotation::Thunk(id) => match self.thunks[id.0 as usize].value {
                Some(value) => Denotation::Value(value),
                None => denotation,
            },
            Denotation::Value(_) => denotation,
        }
    }

    /// The arguments, with values in place of evaluated thunks.
    pub(super) fn settled(&self, arguments: &Arguments) -> Arguments {
        arguments.iter().map(|&a| self.settle(a)).collect()
    }

    pub(super) fn function(&self, id: FunctionId) -> FunctionValue {
        self.functions[id.0 as usize]
    }

    pub(super) fn has_function(&self, id: FunctionId) -> bool {
        (id.0 as usize) < self.functions.len()
    }

    pub(super) fn function_id(&mut self, function: FunctionValue) -> FunctionId {
        let next = FunctionId(self.functions.len() as u32);
        let id = *self.function_ids.entry(function).or_insert(next);
        if id == next {
            self.functions.push(function);
        }
        id
    }

    pub(super) fn held(&self, id: HeldId) -> &HeldStructure {
        &self.held[id.0 as usize]
    }

    pub(super) fn held_id(&mut self, structure: HeldStructure) -> HeldId {
        let next = HeldId(self.held.len() as u32);
        let id = *self.held_ids.entry(structure.clone()).or_insert(next);
        if id == next {
            self.held.push(structure);
        }
        id
    }

    /// The position of code for users: inside the expansion of a builtin, the builtin's application.
    pub(super) fn span(&self, code: CodeId, env: EnvId) -> Span {
        self.span_in(code, self.env(env).activation)
    }

    pub(super) fn span_in(&self, code: CodeId, activation: ActivationId) -> Span {
        let expansion = self.activations[activation.0 as usize].expansion;
        expansion.unwrap_or_else(|| self.arena.span(code))
    }

    pub(super) fn site(&self, code: CodeId, env: EnvId) -> Site {
        Site { code, activation: self.env(env).activation }
    }

    pub(super) fn site_span(&self, site: Site) -> Span {
        self.span_in(site.code, site.activation)
    }

    /// The code of the `i`th argument of an application.
    pub(super) fn argument_code(&self, site: Site, i: usize) -> CodeId {
        match self.arena.get(site.code) {
            Code::Apply { arguments, .. } => arguments[i],
            // `tabulate` applies its function to an index, which has no text.
            Code::Tabulate(_, function) => *function,
            _ => unreachable!("a site is an application"),
        }
    }

    pub(super) fn argument_span(&self, site: Site, i: usize) -> Span {
        self.span_in(self.argument_code(site, i), site.activation)
    }
}
