//! The abstract machine: states, continuation frames, and the step from one to the next.

use super::values::{
    Activation, ActivationId, Arguments, Denotation, Env, EnvId, Function, FunctionId, ROOT, Site,
    Thunk, ThunkId, Value,
};
use super::{MAX_APPLICATION_DEPTH, MAX_APPLICATIONS, MAX_NODES, MAX_STEPS};
use crate::builtins::Builtin;
use crate::mutants::{Mutant, is_active};
use crate::resolve::{Code, CodeArena, CodeId, Items, Key, Local};
use lambdav_core::diagnostics::{Code as Lv, Diagnostic};
use lambdav_core::evaluate::MAX_DEFAULT_OPERATIONS;
use lambdav_core::graph::{ExprType, Graph, LoopId, Name, NodeId};
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;
use std::rc::Rc;

/// How many unfinished steps may wait for one another.
const MAX_FRAMES: usize = 4_000_000;

/// What the machine does next.
#[derive(Debug)]
pub(super) enum State {
    Evaluate(CodeId, EnvId),
    Force(Denotation),
    Apply(FunctionId, Site, Arguments),
    Return(Value),
}

/// What waits for a value.
#[derive(Debug)]
pub(super) enum Frame {
    /// The callee of an application.
    Callee {
        code: CodeId,
        env: EnvId,
    },
    /// The next operand of a builtin.
    Operands {
        builtin: Builtin,
        site: Site,
        source: OperandSource,
        values: Vec<Value>,
    },
    Condition {
        code: CodeId,
        env: EnvId,
    },
    Then {
        code: CodeId,
        env: EnvId,
        condition: Option<NodeId>,
    },
    Otherwise {
        code: CodeId,
        env: EnvId,
        condition: Option<NodeId>,
        then: Value,
    },
    The {
        code: CodeId,
        env: EnvId,
    },
    Thunk(ThunkId),
    /// The result of an application, to be remembered.
    Remember {
        function: FunctionId,
        arguments: Arguments,
    },
    /// The next annotated argument of a closure.
    Annotated {
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        next: usize,
    },
    /// The next argument of a `rec-func`.
    LoopArguments {
        function: FunctionId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    LoopBody {
        of: LoopId,
        params: Vec<NodeId>,
        inits: Vec<NodeId>,
        code: CodeId,
    },
    /// The next argument of a `rec`.
    RecArguments {
        of: LoopId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    },
    /// The application of the first of two functions chosen by an `if`.
    ChoiceThen {
        condition: NodeId,
        otherwise: FunctionId,
        site: Site,
        arguments: Arguments,
    },
    ChoiceOtherwise {
        condition: NodeId,
        then: Value,
        site: Site,
    },
}

/// Where the operands of a builtin come from.
#[derive(Debug)]
pub(super) enum OperandSource {
    /// From the text of the application: nobody else can need them, so they are no thunks.
    Text(EnvId),
    Arguments(Arguments),
}

/// A kind of parameter of a loop under elaboration.
#[derive(Clone, Copy, Debug)]
pub(super) enum LoopParameter {
    Data(Type),
    Static(FunctionId),
}

/// A loop under elaboration.
#[derive(Debug)]
pub(super) struct LoopInfo {
    pub(super) parameters: Vec<LoopParameter>,
    pub(super) span: Span,
}

/// The elaborator's whole state.
pub(super) struct Machine<'a> {
    pub(super) arena: CodeArena,
    pub(super) graph: Graph,
    pub(super) diagnostics: Vec<Diagnostic>,
    pub(super) globals: Vec<Denotation>,
    pub(super) thunks: Vec<Thunk>,
    pub(super) loops: FxHashMap<LoopId, LoopInfo>,
    pub(super) expansions: FxHashMap<String, FunctionId>,
    thunk_ids: FxHashMap<(Key, Arguments), ThunkId>,
    /// What thunks without a value are called first.
    thunk_names: FxHashMap<ThunkId, Name>,
    functions: Vec<Function>,
    function_ids: FxHashMap<Function, FunctionId>,
    closure_ids: FxHashMap<(Key, Arguments), FunctionId>,
    envs: Vec<Env>,
    activations: Vec<Activation>,
    pub(super) results: FxHashMap<(FunctionId, Arguments), Value>,
    frames: Vec<Frame>,
    /// Expressions evaluated so far.
    steps: u32,
    applications: u32,
    /// How many operations the loops in defaults of uniforms may still execute.
    pub(super) default_operations: Option<u64>,
    reported: FxHashSet<(Lv, Span)>,
    /// A limit was exceeded: everything ends.
    stopped: bool,
    items: std::marker::PhantomData<&'a Items>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(arena: CodeArena, items: &'a Items) -> Self {
        let top = Activation {
            caller: ActivationId(0),
            depth: 0,
            function: None,
            site: Span::default(),
            expansion: None,
        };
        let root = Env { parent: ROOT, level: 0, slots: Rc::new([]), activation: ActivationId(0) };
        let mut machine = Self {
            arena,
            graph: Graph::default(),
            diagnostics: Vec::new(),
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
            activations: vec![top],
            results: FxHashMap::default(),
            frames: Vec::new(),
            steps: 0,
            applications: 0,
            default_operations: Some(MAX_DEFAULT_OPERATIONS),
            reported: FxHashSet::default(),
            stopped: false,
            items: std::marker::PhantomData,
        };
        machine.globals = super::global_denotations(&mut machine, items);
        machine
    }

    /// The value of an expression of the top level.
    pub(super) fn evaluate(&mut self, code: CodeId) -> Value {
        self.run(State::Evaluate(code, ROOT))
    }

    /// The value of a denotation.
    pub(super) fn force(&mut self, denotation: Denotation) -> Value {
        self.run(State::Force(denotation))
    }

    fn run(&mut self, mut state: State) -> Value {
        let bottom = self.frames.len();
        loop {
            if self.stopped {
                self.frames.truncate(bottom);
                return Value::Error;
            }
            state = match state {
                State::Evaluate(code, env) => {
                    self.steps += 1;
                    if self.steps > MAX_STEPS {
                        let at = self.span(code, env);
                        self.expansion_too_large(at);
                    }
                    self.step(code, env)
                }
                State::Force(denotation) => self.step_force(denotation),
                State::Apply(function, site, arguments) => self.apply(function, site, arguments),
                State::Return(value) => {
                    if self.frames.len() == bottom {
                        return value;
                    }
                    let frame = self.frames.pop().expect("there are more than at the bottom");
                    self.resume(frame, value)
                }
            };
        }
    }

    pub(super) fn wait(&mut self, frame: Frame) {
        self.frames.push(frame);
        if self.frames.len() > MAX_FRAMES || self.graph.len() > MAX_NODES {
            self.expansion_too_large(Span::default());
        }
    }

    fn step(&mut self, code: CodeId, env: EnvId) -> State {
        let value = match self.arena.get(code) {
            Code::Error => Value::Error,
            Code::Number(value, _) => {
                let value = *value;
                Value::Data(self.graph.number(value, self.span(code, env)))
            }
            Code::Bool(b) => {
                let b = *b;
                Value::Data(self.graph.bool(b, self.span(code, env)))
            }
            Code::Local(local) => return State::Force(self.local(*local, env)),
            Code::Global(global) => return State::Force(self.globals[*global as usize]),
            Code::Builtin(builtin) => {
                let builtin = *builtin;
                self.builtin_value(builtin, self.span(code, env))
            }
            Code::Function(_) => self.closure(code, env),
            Code::Apply { callee, .. } => {
                let callee = *callee;
                if let Code::Builtin(builtin) = *self.arena.get(callee) {
                    let site = self.site(code, env);
                    return self.apply_builtin(builtin, site, OperandSource::Text(env));
                }
                self.wait(Frame::Callee { code, env });
                return State::Evaluate(callee, env);
            }
            Code::Let { names, values, body } => {
                let (names, values, body) = (names.clone(), values.clone(), *body);
                let slots: Arguments = values.iter().map(|&v| self.denote(v, env)).collect();
                let activation = self.env(env).activation;
                self.name_all(&slots, &names, activation);
                let inner = self.push_env(env, slots, activation);
                return State::Evaluate(body, inner);
            }
            Code::If([condition, ..]) => {
                let condition = *condition;
                self.wait(Frame::Condition { code, env });
                return State::Evaluate(condition, env);
            }
            Code::The(_, value) => {
                let value = *value;
                self.wait(Frame::The { code, env });
                return State::Evaluate(value, env);
            }
        };
        State::Return(value)
    }

    fn step_force(&mut self, denotation: Denotation) -> State {
        match denotation {
            Denotation::Value(value) => State::Return(value),
            Denotation::Thunk(id) => {
                let thunk = self.thunks[id.0 as usize];
                match thunk.value {
                    Some(value) => State::Return(value),
                    None => {
                        self.wait(Frame::Thunk(id));
                        State::Evaluate(thunk.code, thunk.env)
                    }
                }
            }
        }
    }

    fn resume(&mut self, frame: Frame, value: Value) -> State {
        match frame {
            Frame::Thunk(id) => {
                self.thunks[id.0 as usize].value = Some(value);
                if let (Some(name), Value::Data(node)) = (self.thunk_names.remove(&id), value) {
                    self.graph.set_name(node, &name);
                }
                State::Return(value)
            }
            Frame::Callee { code, env } => self.resume_callee(code, env, value),
            Frame::Operands { builtin, site, source, mut values } => {
                values.push(value);
                self.next_operand(builtin, site, source, values)
            }
            Frame::Condition { code, env } => {
                let span = self.part_span(code, env, 0);
                let activation = self.env(env).activation;
                let condition = self.require_value(value, span, "the condition", Some(activation));
                let condition = condition.filter(|&c| {
                    let ty = self.graph.value_type(c);
                    if ty != Type::BOOL {
                        self.report_in(
                            Diagnostic::new(Lv::ConditionType, span, "the condition is not a bool")
                                .label(format!("this is a {ty}"))
                                .help("compare: `(!= x 0)`; of a bvec, use `any-of` or `all-of`"),
                            activation,
                        );
                    }
                    ty == Type::BOOL
                });
                self.wait(Frame::Then { code, env, condition });
                State::Evaluate(self.if_parts(code)[1], env)
            }
            Frame::Then { code, env, condition } => {
                self.wait(Frame::Otherwise { code, env, condition, then: value });
                State::Evaluate(self.if_parts(code)[2], env)
            }
            Frame::Otherwise { code, env, condition, then } => {
                let spans = [1, 2].map(|part| self.part_span(code, env, part));
                let span = self.span(code, env);
                let activation = self.env(env).activation;
                State::Return(match condition {
                    Some(c) => self.choose(c, [then, value], span, spans, activation),
                    None => Value::Error,
                })
            }
            Frame::The { code, env } => {
                let Code::The(ty, inner) = *self.arena.get(code) else {
                    unreachable!("the frame was made for it")
                };
                let span = self.span(inner, env);
                let activation = self.env(env).activation;
                State::Return(self.check_annotation(value, ty, span, span, activation))
            }
            Frame::Remember { function, arguments } => {
                // By now the arguments that were needed have values; whoever comes with these
                // values, or with the same thunks, gets the same result.
                let settled = self.settled(&arguments);
                self.results.insert((function, settled), value);
                self.results.insert((function, arguments), value);
                State::Return(value)
            }
            Frame::Annotated { function, site, arguments, next } => {
                self.resume_annotated(function, site, arguments, next, value)
            }
            Frame::LoopArguments { function, site, arguments, mut values } => {
                values.push(value);
                self.next_loop_argument(function, site, arguments, values)
            }
            Frame::LoopBody { of, params, inits, code } => {
                State::Return(self.end_loop(of, params, inits, code, value))
            }
            Frame::RecArguments { of, site, arguments, mut values } => {
                values.push(value);
                self.next_rec_argument(of, site, arguments, values)
            }
            Frame::ChoiceThen { condition, otherwise, site, arguments } => {
                self.wait(Frame::ChoiceOtherwise { condition, then: value, site });
                State::Apply(otherwise, site, arguments)
            }
            Frame::ChoiceOtherwise { condition, then, site } => {
                let span = self.site_span(site);
                let arms = [then, value];
                State::Return(self.choose(condition, arms, span, [span; 2], site.activation))
            }
        }
    }

    fn if_parts(&self, code: CodeId) -> [CodeId; 3] {
        match *self.arena.get(code) {
            Code::If(parts) => parts,
            _ => unreachable!("the frame was made for an if"),
        }
    }

    fn part_span(&self, code: CodeId, env: EnvId, part: usize) -> Span {
        self.span(self.if_parts(code)[part], env)
    }

    /// The value of an `if` with this condition.
    fn choose(
        &mut self,
        condition: NodeId,
        [then, otherwise]: [Value; 2],
        span: Span,
        spans: [Span; 2],
        activation: ActivationId,
    ) -> Value {
        let describe = |machine: &Self, value| match value {
            Value::Data(node) => match machine.graph.expr_type(node) {
                ExprType::Value(ty) => format!("a {ty}"),
                ExprType::Rec(ty) => format!("a {ty} or the next round"),
                ExprType::PureRec => "the next round".to_owned(),
            },
            _ => "a function".to_owned(),
        };
        match (then, otherwise) {
            (Value::Error, _) | (_, Value::Error) => return Value::Error,
            (Value::Function(then), Value::Function(otherwise)) => {
                let choice = Function::Choice { condition, then, otherwise };
                return Value::Function(self.function_id(choice));
            }
            (Value::Data(a), Value::Data(b)) => {
                let types = (self.graph.expr_type(a), self.graph.expr_type(b));
                if types.0.rec_match(types.1).is_some() {
                    return Value::Data(self.graph.if_([condition, a, b], span));
                }
            }
            _ => {}
        }
        let (a, b) = (describe(self, then), describe(self, otherwise));
        // The other branch goes on with `rec`, so the function would be the loop's result.
        let result = match (then, otherwise) {
            (Value::Function(_), Value::Data(node)) => Some((node, spans[0])),
            (Value::Data(node), Value::Function(_)) => Some((node, spans[1])),
            _ => None,
        };
        if let Some((node, at)) = result
            && !matches!(self.graph.expr_type(node), ExprType::Value(_))
        {
            self.report_in(super::loops::returns_function(at), activation);
            return Value::Error;
        }
        self.report_in(
            Diagnostic::new(Lv::BranchTypes, span, "the branches have different types")
                .also(spans[0], format!("this is {a}"))
                .also(spans[1], format!("this is {b}"))
                .help("both branches of an `if` must have the same type"),
            activation,
        );
        Value::Error
    }

    // ---- denotations, closures, scopes ----

    pub(super) fn env(&self, id: EnvId) -> &Env {
        &self.envs[id.0 as usize]
    }

    pub(super) fn push_env(
        &mut self,
        parent: EnvId,
        slots: Arguments,
        activation: ActivationId,
    ) -> EnvId {
        let level = self.env(parent).level + 1;
        self.envs.push(Env { parent, level, slots, activation });
        EnvId(self.envs.len() as u32 - 1)
    }

    fn local(&self, local: Local, mut env: EnvId) -> Denotation {
        while self.env(env).level > local.level {
            env = self.env(env).parent;
        }
        self.env(env).slots[local.index as usize]
    }

    /// What an argument or binding denotes; it is not evaluated.
    pub(super) fn denote(&mut self, code: CodeId, env: EnvId) -> Denotation {
        match self.arena.get(code) {
            Code::Local(local) => self.local(*local, env),
            Code::Global(global) => self.globals[*global as usize],
            Code::Error
            | Code::Number(..)
            | Code::Bool(_)
            | Code::Builtin(_)
            | Code::Function(_) => match self.step(code, env) {
                State::Return(value) => Denotation::Value(value),
                _ => unreachable!("values take one step"),
            },
            Code::Apply { .. } | Code::Let { .. } | Code::If(_) | Code::The(..) => {
                self.thunk(code, env)
            }
        }
    }

    /// The arguments of an application, not evaluated.
    pub(super) fn denote_arguments(&mut self, code: CodeId, env: EnvId) -> Arguments {
        let Code::Apply { arguments, .. } = self.arena.get(code) else {
            unreachable!("only applications have arguments")
        };
        let arguments = arguments.clone();
        arguments.iter().map(|&a| self.denote(a, env)).collect()
    }

    /// The thunk of this code here. Code and captured locals identify it: both as they were when it
    /// was made, and as values where they have been found since.
    pub(super) fn thunk(&mut self, code: CodeId, env: EnvId) -> Denotation {
        let key = self.arena.key(code);
        let captured = self.captured(code, env);
        if let Some(&known) = self.thunk_ids.get(&(key, captured.clone())) {
            return Denotation::Thunk(known);
        }
        let settled = self.settled(&captured);
        let next = ThunkId(self.thunks.len() as u32);
        let id = *self.thunk_ids.entry((key, settled)).or_insert(next);
        self.thunk_ids.insert((key, captured), id);
        if id == next {
            self.thunks.push(Thunk { code, env, value: None });
        }
        Denotation::Thunk(id)
    }

    /// Calls what these denote, in the program, by the names that it is bound to. (The names in the
    /// expansion of a builtin are not the user's.)
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

    /// Calls a value so, unless it has a name; what has no value yet, when it gets one.
    pub(super) fn name(&mut self, denotation: Denotation, name: &Name) {
        match (self.settle(denotation), denotation) {
            (Denotation::Value(Value::Data(node)), _) => self.graph.set_name(node, name),
            (Denotation::Thunk(id), _) => {
                self.thunk_names.entry(id).or_insert_with(|| name.clone());
            }
            (Denotation::Value(Value::Function(_) | Value::Error), _) => {}
        }
    }

    fn closure(&mut self, code: CodeId, env: EnvId) -> Value {
        let key = self.arena.key(code);
        let captured = self.captured(code, env);
        if let Some(&known) = self.closure_ids.get(&(key, captured.clone())) {
            return Value::Function(known);
        }
        let settled = self.settled(&captured);
        let id = match self.closure_ids.get(&(key, settled.clone())) {
            Some(&known) => known,
            None => self.function_id(Function::Closure { code, env, expansion: false }),
        };
        self.closure_ids.insert((key, settled), id);
        self.closure_ids.insert((key, captured), id);
        Value::Function(id)
    }

    /// What the locals that the code uses denote, in order.
    fn captured(&self, code: CodeId, env: EnvId) -> Arguments {
        let mut free = self.arena.free(code);
        if let (true, Some((_, others))) = (is_active(Mutant::ForgottenLocal), free.split_last()) {
            free = others;
        }
        free.iter().map(|&local| self.local(local, env)).collect()
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

    /// The arguments, with their values where they have any.
    pub(super) fn settled(&self, arguments: &Arguments) -> Arguments {
        arguments.iter().map(|&a| self.settle(a)).collect()
    }

    pub(super) fn function(&self, id: FunctionId) -> Function {
        self.functions[id.0 as usize]
    }

    pub(super) fn function_id(&mut self, function: Function) -> FunctionId {
        let next = FunctionId(self.functions.len() as u32);
        let id = *self.function_ids.entry(function).or_insert(next);
        if id == next {
            self.functions.push(function);
        }
        id
    }

    /// Opens the body of a closure that is applied at `site`.
    pub(super) fn activate(&mut self, function: FunctionId, site: Site) -> Option<ActivationId> {
        let Function::Closure { code, expansion, .. } = self.function(function) else {
            unreachable!("only closures have bodies")
        };
        let caller = &self.activations[site.activation.0 as usize];
        let depth = caller.depth + 1;
        let at = self.site_span(site);
        let expansion = caller.expansion.or(expansion.then_some(at));
        let activation = Activation {
            caller: site.activation,
            depth,
            function: Some(code),
            site: at,
            expansion,
        };
        let id = ActivationId(self.activations.len() as u32);
        self.activations.push(activation);
        self.applications += 1;
        if depth > MAX_APPLICATION_DEPTH {
            self.endless(id);
            return None;
        }
        if self.applications > MAX_APPLICATIONS {
            self.expansion_too_large(at);
            return None;
        }
        Some(id)
    }

    // ---- positions and reports ----

    /// Where the code stands for the user: inside the expansion of a builtin, where the builtin is
    /// applied.
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
            _ => unreachable!("a site is an application"),
        }
    }

    pub(super) fn argument_span(&self, site: Site, i: usize) -> Span {
        self.span_in(self.argument_code(site, i), site.activation)
    }

    /// Whether a limit was exceeded, after which nothing is evaluated any more.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn has_errors(&self) -> bool {
        self.diagnostics.iter().any(Diagnostic::is_error)
    }

    /// Reports a diagnostic, unless there is one of its kind at its place already.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.reported.insert((diagnostic.code, diagnostic.primary.span)) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The same, saying by which applications the place was reached.
    pub(super) fn report_in(&mut self, mut diagnostic: Diagnostic, activation: ActivationId) {
        let mut at = activation;
        let mut shown = 0;
        while at != ActivationId(0) && shown < 2 {
            let Activation { caller, site, expansion, function, .. } =
                self.activations[at.0 as usize];
            if expansion.is_none() && site != diagnostic.primary.span {
                let name = function.and_then(|f| self.function_name(f));
                let what =
                    name.map_or("this application".to_owned(), |n| format!("applying `{n}`"));
                diagnostic = diagnostic.also(site, format!("reached by {what}"));
                shown += 1;
            }
            at = caller;
        }
        self.report(diagnostic);
    }

    pub(super) fn function_name(&self, code: CodeId) -> Option<&str> {
        match self.arena.get(code) {
            Code::Function(f) => f.name.as_deref(),
            _ => None,
        }
    }

    /// Applications nest too deep: shows the functions that go round.
    fn endless(&mut self, last: ActivationId) {
        let mut chain = Vec::new();
        let mut at = last;
        while at != ActivationId(0) && chain.len() < 1000 {
            let activation = self.activations[at.0 as usize];
            chain.push((activation.function, activation.site));
            at = activation.caller;
        }
        // The smallest period with which the latest applications repeat.
        let period = (1..=chain.len() / 3).find(|&p| (0..2 * p).all(|i| chain[i] == chain[i + p]));
        let cycle = &chain[..period.unwrap_or(1).min(6)];
        let mut diagnostic = Diagnostic::new(
            Lv::EndlessExpansion,
            cycle[0].1,
            "functions apply each other without end",
        )
        .label(format!("after {MAX_APPLICATION_DEPTH} nested applications"))
        .note("every application of a `func` is inlined, so its nesting must be finite")
        .help("use `rec-func` for a loop");
        for (function, site) in &cycle[1..] {
            let name = function.and_then(|f| self.function_name(f)).unwrap_or("a function");
            diagnostic =
                diagnostic.also(*site, format!("which is inside this application of {name}"));
        }
        if let Some(function) = cycle[0].0 {
            diagnostic = diagnostic
                .also(self.arena.span(function), "this function is applied again and again");
        }
        self.report(diagnostic);
        self.stopped = true;
    }

    pub(super) fn expansion_too_large(&mut self, at: Span) {
        self.report(
            Diagnostic::new(Lv::ExpansionTooLarge, at, "the program expands to too much code")
                .label("the limit was reached here")
                .note(format!(
                    "every application is inlined; at most {MAX_APPLICATIONS} applications, \
                     {MAX_STEPS} steps of expansion and {MAX_NODES} operations are accepted"
                ))
                .help("repeat with `rec-func`, which becomes a loop, instead of nesting functions"),
        );
        self.stopped = true;
    }

    /// The node of a value that must be neither a function nor a tail; reports what it is instead.
    pub(super) fn require_value(
        &mut self,
        value: Value,
        span: Span,
        role: impl fmt::Display,
        activation: Option<ActivationId>,
    ) -> Option<NodeId> {
        let diagnostic = match value {
            Value::Error => return None,
            Value::Data(node) => match self.graph.expr_type(node) {
                ExprType::Value(_) => return Some(node),
                ExprType::Rec(_) | ExprType::PureRec => {
                    let diagnostic =
                        Diagnostic::new(Lv::RecNotTail, span, format!("{role} goes on with `rec`"))
                            .label("`rec` is not in tail position here")
                            .help("make it the last thing that the body does; pass what is to be done with the result as another parameter");
                    match self.graph.span(node) {
                        same if same == span => diagnostic,
                        other => diagnostic.also(other, "here is the `rec`, or the `if` around it"),
                    }
                }
            },
            Value::Function(_) => {
                Diagnostic::new(Lv::FunctionAsValue, span, format!("{role} is a function"))
                    .label("a value is needed here")
                    .help("apply it: `(f x)`, or `(f)` where it has no parameters")
            }
        };
        self.report_in(diagnostic, activation.unwrap_or(ActivationId(0)));
        None
    }

    /// `value`, if it is of the annotated type.
    pub(super) fn check_annotation(
        &mut self,
        value: Value,
        ty: Type,
        span: Span,
        annotation: Span,
        activation: ActivationId,
    ) -> Value {
        let found = match value {
            Value::Error => return Value::Error,
            Value::Data(node) => match self.graph.expr_type(node) {
                ExprType::Value(found) if found == ty => return value,
                ExprType::Value(found) => format!("a {found}"),
                ExprType::Rec(_) | ExprType::PureRec => "the next round of a loop".to_owned(),
            },
            Value::Function(_) => "a function".to_owned(),
        };
        let mut diagnostic =
            Diagnostic::new(Lv::AnnotationMismatch, span, format!("this is not a {ty}"))
                .label(format!("this is {found}"))
                .help("change the annotation or the expression");
        if annotation != span {
            diagnostic = diagnostic.also(annotation, format!("a {ty} is wanted here"));
        }
        self.report_in(diagnostic, activation);
        Value::Error
    }
}
