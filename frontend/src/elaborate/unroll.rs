//! `rec-func` under `@`: unrolled round by round, as long as rounds are decided at compile time.
//!
//! A round evaluates the body with the arguments themselves in place of the parameters, and with a `rec` that
//! only records its arguments. If one of the round's decisions was constant and at most one `rec` remains,
//! the value of the next round replaces that `rec`. Otherwise the round is discarded, and an ordinary loop
//! begins with its arguments.
//!
//! A decision of a round is an `if` or `case` whose condition depends on a parameter of the round, with an
//! arm that mentions its `rec`, directly or through names. So an option that is the same in all rounds is not
//! a decision, and neither is a choice inside the loop's last value.

use super::constancy::Constancy;
use super::continuation::{Continuation, State};
use super::elaborator::Elaborator;
use super::rounds::{Call, Decision, Round, Unrolled};
use super::values::{
    Arguments, Data, Denotation, EnvId, FunctionId, FunctionValue, HeldId, HeldStructure, RoundId,
    Site, Value,
};
use crate::mutants::{Mutant, is_active};
use crate::resolve::{Code, CodeId};
use lambdav_core::graph::{ExprType, LoopId, Node, NodeId};
use lambdav_core::op::Op;
use lambdav_core::sets::SetId;
use lambdav_core::types::Type;
use rustc_hash::{FxHashMap, FxHashSet};

/// The number of steps that a round counts in addition to the expressions evaluated in it.
const ROUND_STEPS: u32 = 16;

/// The `rec`s in the tail of a round.
enum Leaves {
    None,
    /// The index of the only `rec`, and the decisions around it.
    One(usize, Vec<Decision>),
    Many,
}

impl Elaborator {
    /// Begins a round of a `rec-func` with these arguments of the application at `from`.
    pub(super) fn begin_round(
        &mut self,
        of: LoopId,
        function: FunctionId,
        site: Site,
        from: Site,
        mut values: Vec<Value>,
    ) -> State {
        let (code, env) = self.closure_parts(function);
        let (declared, _) = self.signature(code);
        for (i, parameter) in declared.iter().enumerate() {
            values[i] = self.check_parameter(parameter, from, i, values[i]);
            if let Value::Data(_) = values[i] {
                let span = self.argument_span(from, i);
                let activation = Some(from.activation);
                let data = self.require_value(values[i], span, "an argument of a loop", activation);
                values[i] = data.map_or(Value::Error, Value::Data);
            }
        }
        if values.contains(&Value::Error) {
            return State::Return(Value::Error);
        }
        let Code::Function(f) = self.arena.get(code) else {
            unreachable!("closures are made of functions")
        };
        let (body, fixed) = (f.body, f.fixed.clone());
        let by = self.constancies.of_round(of);
        for (value, fixed) in values.iter_mut().zip(fixed) {
            if !fixed {
                *value = self.computed_from(*value, by);
            }
        }
        // Rounds follow one another: none is nested in the one before.
        let Some(activation) = self.activate(function, site) else {
            return State::Return(Value::Error);
        };
        self.steps += ROUND_STEPS;
        let round = RoundId(self.unrolling.rounds.len() as u32);
        let before = self.before();
        self.unrolling.rounds.push(Round { of, function, site, decided: false, before });
        self.unrolling.undecided.push(round);
        let next = self.function_id(FunctionValue::Next(round));
        let slots = values.iter().copied().chain([Value::Function(next)]);
        let slots = Self::arguments_of(slots);
        self.name_all(&slots, declared.iter().map(|p| &p.name), activation);
        let inner = self.push_env(env, slots, activation);
        self.wait(Continuation::Round { round, values });
        State::Evaluate(body, inner)
    }

    /// Adds origins to all constant parts of a value.
    fn computed_from(&mut self, value: Value, by: SetId) -> Value {
        let mut made: FxHashMap<HeldId, HeldId> = FxHashMap::default();
        let mut rest = match value {
            Value::Structure(id) => vec![id],
            _ => Vec::new(),
        };
        // Inner structures first; each only once, however often it occurs.
        while let Some(&id) = rest.last() {
            self.steps += 1;
            let held = self.held(id).clone();
            let inner = held.fields.iter().filter_map(|&field| match field {
                Value::Structure(inner) if !made.contains_key(&inner) => Some(inner),
                _ => None,
            });
            let inner: Vec<HeldId> = inner.collect();
            if made.contains_key(&id) || inner.is_empty() {
                rest.pop();
                let fields = held.fields.iter().map(|&field| self.marked(field, by, &made));
                let fields = fields.collect();
                made.insert(id, self.held_id(HeldStructure { fields, ..held }));
            }
            rest.extend(inner);
        }
        self.marked(value, by, &made)
    }

    fn marked(&mut self, value: Value, by: SetId, made: &FxHashMap<HeldId, HeldId>) -> Value {
        match value {
            Value::Data(Data { node, constancy }) => {
                let constancy = self.constancies.decided_by(constancy, by);
                Value::Data(Data { node, constancy })
            }
            Value::Structure(id) => Value::Structure(made[&id]),
            other => other,
        }
    }

    /// Records a constant decision between these arms, with the origins `by`; the next value is that of the
    /// taken arm. A round is decided if the condition depends on its parameters and an arm mentions its
    /// `rec`.
    pub(super) fn note_decision(
        &mut self,
        by: SetId,
        arms: impl IntoIterator<Item = CodeId>,
        env: EnvId,
    ) {
        if by == SetId::EMPTY {
            return;
        }
        self.constancies.consult(by);
        self.wait(Continuation::Decided(by));
        let rounds = &self.unrolling.rounds;
        let concerns =
            |round: &RoundId| self.constancies.has_round(by, rounds[round.0 as usize].of);
        let Some(&oldest) = self.unrolling.undecided.iter().find(|round| concerns(round)) else {
            return;
        };
        // Values older than all of these rounds mention none of them.
        let before = rounds[oldest.0 as usize].before;
        let mut codes: Vec<(CodeId, EnvId)> = arms.into_iter().map(|arm| (arm, env)).collect();
        let (mut seen, mut found) = (FxHashSet::default(), Vec::new());
        while let Some((code, env)) = codes.pop() {
            self.steps += 1;
            found.extend(self.mentioned(code, env));
            while let Some(denotation) = found.pop() {
                if before.has(denotation) || !seen.insert(denotation) {
                    continue;
                }
                let function = match denotation {
                    Denotation::Thunk(id) => {
                        codes.push(self.thunk_parts(id));
                        continue;
                    }
                    Denotation::Value(Value::Structure(id)) => {
                        found.extend(self.held(id).fields.iter().copied().map(Denotation::Value));
                        continue;
                    }
                    Denotation::Value(Value::Function(id)) => self.function(id),
                    Denotation::Value(Value::Data(_) | Value::Error) => continue,
                };
                let inside = |id| Denotation::Value(Value::Function(id));
                match function {
                    FunctionValue::Closure { code, env, .. } => codes.push((code, env)),
                    FunctionValue::Next(round) => {
                        let of = self.unrolling.rounds[round.0 as usize].of;
                        if self.constancies.has_round(by, of) {
                            self.decide_round(round);
                        }
                    }
                    FunctionValue::Choice { then, otherwise, .. } => {
                        found.extend([then, otherwise].map(inside));
                    }
                    FunctionValue::After { function, .. }
                    | FunctionValue::Static { function, .. } => found.push(inside(function)),
                    FunctionValue::Builtin(_)
                    | FunctionValue::Former(_)
                    | FunctionValue::Rec(_) => {}
                }
            }
        }
    }

    fn decide_round(&mut self, round: RoundId) {
        self.unrolling.rounds[round.0 as usize].decided = true;
        if let Some(at) = self.unrolling.undecided.iter().rposition(|&other| other == round) {
            self.unrolling.undecided.remove(at);
        }
    }

    /// The value of a round, from the value of its body: continues with the next round, or with a loop that
    /// begins here.
    pub(super) fn end_round(&mut self, id: RoundId, values: Vec<Value>, body: Value) -> State {
        let Round { of, function, site, decided, .. } = self.unrolling.rounds[id.0 as usize];
        self.decide_round(id);
        let (code, _) = self.closure_parts(function);
        let span = self.span_in(code, site.activation);
        let leaves = match body {
            Value::Error => return State::Return(Value::Error),
            Value::Data(Data { node, .. }) if self.graph.expr_type(node).value().is_none() => {
                if self.has_foreign_rec(node, of, span) {
                    return State::Return(Value::Error);
                }
                self.leaves(node)
            }
            _ => Leaves::None,
        };
        if !decided {
            return self.begin_loop(function, site, values);
        }
        let strict = |values: &[Value]| -> Vec<NodeId> {
            let nodes = values.iter().filter_map(|value| match *value {
                Value::Data(data) => Some(data.node),
                Value::Structure(id) => self.held(id).strict,
                Value::Function(_) | Value::Error => None,
            });
            nodes.filter(|&node| self.graph.may_diverge(node)).collect()
        };
        match leaves {
            Leaves::Many => self.begin_loop(function, site, values),
            Leaves::None => {
                let strict = strict(&values);
                let body = match body {
                    Value::Data(data) => {
                        let constancy = self.constancies.after_loop(data.constancy, of);
                        self.data(data.node, constancy)
                    }
                    other => other,
                };
                State::Return(self.after_value(body, strict, span))
            }
            Leaves::One(call, mut decisions) => {
                if is_active(Mutant::ForgottenDecision) {
                    decisions.clear();
                }
                let strict = strict(&values);
                if !decisions.is_empty() || !strict.is_empty() {
                    let activation = site.activation;
                    let unrolled = Unrolled { decisions, strict, span, activation };
                    self.wait(Continuation::Unrolled(unrolled));
                }
                let Call { site: from, values } = &mut self.unrolling.calls[call];
                let (from, values) = (*from, std::mem::take(values));
                self.begin_round(of, function, site, from, values)
            }
        }
    }

    /// The `rec`s of a tail, counted once for every path to them.
    fn leaves(&self, root: NodeId) -> Leaves {
        let (mut all, mut stack) = (FxHashSet::default(), vec![root]);
        while let Some(id) = stack.pop() {
            if all.insert(id) {
                stack.extend(self.graph.tail_arms(id).into_iter().flatten());
            }
        }
        let mut all: Vec<NodeId> = all.into_iter().collect();
        all.sort_unstable();
        let mut ways: FxHashMap<NodeId, u32> = FxHashMap::default();
        for id in all {
            let count = match self.graph.node(id) {
                Node::Rec(..) => 1,
                _ => match self.graph.tail_arms(id) {
                    Some([then, _]) if self.is_forced(id) => ways[&then],
                    Some(arms) => {
                        arms.iter().fold(0, |sum: u32, arm| sum.saturating_add(ways[arm]))
                    }
                    None => 0,
                },
            };
            ways.insert(id, count);
        }
        match ways[&root] {
            0 => return Leaves::None,
            1 => {}
            _ => return Leaves::Many,
        }
        let (mut at, mut decisions) = (root, Vec::new());
        while let Some(arms) = self.graph.tail_arms(at) {
            let goes_on = usize::from(ways[&arms[0]] == 0);
            let other = (!self.is_forced(at)).then(|| (arms[1 - goes_on], 1 - goes_on));
            let (condition, span) = (self.graph.operands(at)[0], self.graph.span(at));
            decisions.push(Decision { condition, other, span });
            at = arms[goes_on];
        }
        let call = self.graph.constant_words(self.graph.operands(at)[0]);
        Leaves::One(call.expect("it was made so")[0] as usize, decisions)
    }

    /// True for an `if` of tails that decides nothing, and only evaluates its condition.
    fn is_forced(&self, id: NodeId) -> bool {
        let &[condition, then, otherwise] = self.graph.operands(id) else { return false };
        then == otherwise
            && matches!(self.graph.node(condition), Node::Op(Op::After, operands)
                if self.graph.constant_words(operands[0]).is_some())
    }

    /// The value of a round, from the value of the next round.
    pub(super) fn unrolled(&mut self, unrolled: &Unrolled, mut value: Value) -> Value {
        let &Unrolled { span, activation, .. } = unrolled;
        for &Decision { condition, other, span } in unrolled.decisions.iter().rev() {
            value = match other {
                Some((other, arm)) => {
                    let at = self.graph.span(other);
                    let other = self.data(other, Constancy::Varies);
                    let condition = self.known(condition, Constancy::Varies);
                    let (mut arms, mut spans) = ([other; 2], [at; 2]);
                    (arms[1 - arm], spans[1 - arm]) = (value, span);
                    self.choose(condition, arms, span, spans, activation)
                }
                None => self.after_value(value, [condition], span),
            };
        }
        self.after_value(value, unrolled.strict.iter().copied(), span)
    }

    /// Applies the `rec` of a round that is being unrolled.
    pub(super) fn apply_next(&mut self, round: RoundId, site: Site, arguments: Arguments) -> State {
        let function = self.unrolling.rounds[round.0 as usize].function;
        let (code, _) = self.closure_parts(function);
        let (wanted, found) = (self.signature(code).0.len(), arguments.len());
        if wanted != found {
            self.rec_count(wanted, found, self.arena.span(code), site);
            return State::Return(Value::Error);
        }
        self.next_next_argument(round, site, arguments, Vec::with_capacity(wanted))
    }

    pub(super) fn next_next_argument(
        &mut self,
        round: RoundId,
        site: Site,
        arguments: Arguments,
        values: Vec<Value>,
    ) -> State {
        if let Some(&argument) = arguments.get(values.len()) {
            self.wait(Continuation::NextArguments { round, site, arguments, values });
            return State::Force(argument);
        }
        for (i, &value) in values.iter().enumerate() {
            let is_tail = matches!(value, Value::Data(data)
                if !matches!(self.graph.expr_type(data.node), ExprType::Value(_)));
            if is_tail {
                let span = self.argument_span(site, i);
                self.require_value(value, span, "an argument of `rec`", Some(site.activation));
            }
            if is_tail || value == Value::Error {
                return State::Return(Value::Error);
            }
        }
        let call = self.unrolling.calls.len() as u32;
        self.unrolling.calls.push(Call { site, values });
        let span = self.site_span(site);
        let call = self.graph.constant(Type::UINT, &[call], span);
        let of = self.unrolling.rounds[round.0 as usize].of;
        let rec = self.graph.rec(of, vec![call], span);
        State::Return(self.data(rec, Constancy::Varies))
    }
}
