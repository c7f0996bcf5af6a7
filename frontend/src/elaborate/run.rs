//! The abstract machine: steps from one state to the next, with an explicit stack of continuations.

use super::continuation::{Continuation, OperandSource, State};
use super::elaborator::Elaborator;
use super::loops::NotALoop;
use super::values::{Arguments, Denotation, EnvId, FunctionId, ROOT, Site, Value};
use crate::mutants::{Mutant, is_active};
use crate::resolve::{Code, CodeId};
use lambdav_core::source::Span;
use lambdav_core::types::Type;

impl Elaborator {
    /// The value of a top-level expression.
    pub(super) fn evaluate(&mut self, code: CodeId) -> Value {
        self.run(State::Evaluate(code, ROOT))
    }

    /// The value of an expression in a scope.
    pub(super) fn evaluate_in(&mut self, code: CodeId, env: EnvId) -> Value {
        self.run(State::Evaluate(code, env))
    }

    /// The value of an application.
    pub(super) fn apply_to(
        &mut self,
        function: FunctionId,
        site: Site,
        arguments: Arguments,
    ) -> Value {
        self.run(State::Apply(function, site, arguments))
    }

    /// The value of a denotation.
    pub(super) fn force(&mut self, denotation: Denotation) -> Value {
        self.run(State::Force(denotation))
    }

    fn run(&mut self, mut state: State) -> Value {
        let bottom = self.continuations.len();
        loop {
            if self.stopped {
                self.continuations.truncate(bottom);
                return Value::Error;
            }
            state = match state {
                State::Evaluate(code, env) => {
                    self.count_step(code, env);
                    self.step(code, env)
                }
                State::Force(denotation) => self.step_force(denotation),
                State::Apply(function, site, arguments) => self.apply(function, site, arguments),
                State::Return(value) => {
                    if self.continuations.len() == bottom {
                        return value;
                    }
                    let continuation =
                        self.continuations.pop().expect("there are more than at the bottom");
                    self.resume(continuation, value)
                }
            };
        }
    }

    fn step(&mut self, code: CodeId, env: EnvId) -> State {
        match self.arena.get(code) {
            Code::Local(local) => State::Force(self.local(*local, env)),
            &Code::Global(global) => State::Force(self.global(global)),
            Code::Apply { callee, .. } => {
                let callee = *callee;
                if let Code::Builtin(builtin) = *self.arena.get(callee) {
                    let site = self.site(code, env);
                    return self.apply_builtin(builtin, site, OperandSource::Text(env));
                }
                self.wait(Continuation::Callee { code, env });
                State::Evaluate(callee, env)
            }
            Code::Let { names, values, body } => {
                let (names, values, body) = (names.clone(), values.clone(), *body);
                let slots: Arguments = values.iter().map(|&v| self.denote(v, env)).collect();
                let activation = self.env(env).activation;
                self.name_all(&slots, &names, activation);
                let inner = self.push_env(env, slots, activation);
                State::Evaluate(body, inner)
            }
            Code::If([condition, ..]) => {
                let condition = *condition;
                self.wait(Continuation::Condition { code, env });
                State::Evaluate(condition, env)
            }
            Code::Mode { eager, value } => {
                let (eager, value) = (*eager, *value);
                let at = eager.then(|| self.span(code, env));
                let inner = self.in_mode(env, at);
                State::Evaluate(value, inner)
            }
            Code::With { value, .. } => {
                let value = *value;
                self.wait(Continuation::With { code, env, values: Vec::new() });
                State::Evaluate(value, env)
            }
            Code::Tabulate(_, function) => {
                let function = *function;
                self.wait(Continuation::Tabulate { code, env });
                State::Evaluate(function, env)
            }
            Code::Case(case) => {
                let scrutinee = case.scrutinee;
                self.wait(Continuation::Scrutinee { code, env });
                State::Evaluate(scrutinee, env)
            }
            Code::The(_, value) => {
                let value = *value;
                self.wait(Continuation::The { code, env });
                State::Evaluate(value, env)
            }
            _ => {
                let value = self.known_value(code, env);
                State::Return(value.expect("all other code is evaluated step by step"))
            }
        }
    }

    fn step_force(&mut self, denotation: Denotation) -> State {
        match denotation {
            Denotation::Value(value) => State::Return(value),
            Denotation::Thunk(id) => {
                let thunk = self.thunks[id.0 as usize];
                match thunk.value {
                    Some(value) => State::Return(value),
                    None => {
                        self.wait(Continuation::Thunk(id));
                        State::Evaluate(thunk.code, thunk.env)
                    }
                }
            }
        }
    }

    fn resume(&mut self, continuation: Continuation, value: Value) -> State {
        match continuation {
            Continuation::Thunk(id) => {
                self.thunks[id.0 as usize].value = Some(value);
                if let (Some(name), Value::Data(data)) = (self.thunk_names.remove(&id), value) {
                    self.graph.set_name(data.node, &name);
                }
                State::Return(value)
            }
            Continuation::Callee { code, env } => self.resume_callee(code, env, value),
            Continuation::Operands { builtin, site, source, mut values } => {
                values.push(value);
                self.next_operand(builtin, site, source, values)
            }
            Continuation::FormerOperands { former, site, arguments, mut values } => {
                values.push(value);
                self.next_former_operand(former, site, arguments, values)
            }
            Continuation::After { other, site } => {
                let span = self.site_span(site);
                State::Return(self.after_value(value, [other], span))
            }
            Continuation::With { code, env, mut values } => {
                values.push(value);
                self.next_with(code, env, values)
            }
            Continuation::Tabulate { code, env } => self.begin_tabulate(code, env, value),
            Continuation::Elements { function, site, count, mut values } => {
                values.push(value);
                self.next_element(function, site, count, values)
            }
            Continuation::Scrutinee { code, env } => self.begin_case(code, env, value),
            Continuation::Bodies { code, env, scrutinee, mut values } => {
                values.push(value);
                self.next_body(code, env, scrutinee, values)
            }
            Continuation::Condition { code, env } => {
                let span = self.part_span(code, env, 0);
                let activation = self.env(env).activation;
                let condition = self.require_value(value, span, "the condition", Some(activation));
                let condition = condition.filter(|c| {
                    let ty = self.graph.value_type(c.node);
                    if ty != Type::BOOL {
                        self.report_in(self.no_condition(ty, span), activation);
                    }
                    ty == Type::BOOL
                });
                let [_, then, otherwise] = self.if_parts(code);
                if self.is_eager(activation)
                    && let Some((by, word)) = condition.and_then(|c| self.constant(c))
                {
                    let is_first = (word != 0) != is_active(Mutant::OtherArm);
                    let taken = if is_first { then } else { otherwise };
                    self.note_decision(by, [then, otherwise], env);
                    return State::Evaluate(taken, env);
                }
                self.wait(Continuation::Then { code, env, condition });
                State::Evaluate(then, env)
            }
            Continuation::Then { code, env, condition } => {
                self.wait(Continuation::Otherwise { code, env, condition, then: value });
                State::Evaluate(self.if_parts(code)[2], env)
            }
            Continuation::Otherwise { code, env, condition, then } => {
                let spans = [1, 2].map(|part| self.part_span(code, env, part));
                let span = self.span(code, env);
                let activation = self.env(env).activation;
                State::Return(match condition {
                    Some(c) => self.choose(c, [then, value], span, spans, activation),
                    None => Value::Error,
                })
            }
            Continuation::Decided(by) => State::Return(match value {
                Value::Data(data) => {
                    let constancy = self.constancies.decided_by(data.constancy, by);
                    self.data(data.node, constancy)
                }
                other => other,
            }),
            Continuation::The { code, env } => {
                let Code::The(ty, inner) = *self.arena.get(code) else {
                    unreachable!("the continuation was made for it")
                };
                let span = self.span(inner, env);
                let activation = self.env(env).activation;
                State::Return(self.check_annotation(value, ty, span, span, activation))
            }
            Continuation::Remember { function, arguments, eager } => {
                // By now the needed arguments have values. An application to the same values, or to the same
                // thunks, has the same result.
                let settled = self.settled(&arguments);
                self.results.insert((function, settled, eager), value);
                self.results.insert((function, arguments, eager), value);
                State::Return(value)
            }
            Continuation::Annotated { function, site, arguments, next } => {
                self.resume_annotated(function, site, arguments, next, value)
            }
            Continuation::LoopArguments { function, site, arguments, mut values } => {
                values.push(value);
                self.next_loop_argument(function, site, arguments, values)
            }
            Continuation::LoopBody { of, params, inits, code, again } => {
                match self.end_loop(of, params, inits, code, value, again.is_some()) {
                    Ok(value) => State::Return(value),
                    Err(NotALoop) => {
                        let (function, mut site, values) = again.expect("it was told so");
                        site.activation = self.activation_in_mode(site.activation, None);
                        self.begin_loop(function, site, values)
                    }
                }
            }
            Continuation::Round { round, values } => self.end_round(round, values, value),
            Continuation::NextArguments { round, site, arguments, mut values } => {
                values.push(value);
                self.next_next_argument(round, site, arguments, values)
            }
            Continuation::Unrolled(unrolled) => State::Return(self.unrolled(&unrolled, value)),
            Continuation::RecArguments { of, site, arguments, mut values } => {
                values.push(value);
                self.next_rec_argument(of, site, arguments, values)
            }
            Continuation::ChoiceThen { condition, otherwise, site, arguments } => {
                self.wait(Continuation::ChoiceOtherwise { condition, then: value, site });
                State::Apply(otherwise, site, arguments)
            }
            Continuation::ChoiceOtherwise { condition, then, site } => {
                let span = self.site_span(site);
                let arms = [then, value];
                State::Return(self.choose(condition, arms, span, [span; 2], site.activation))
            }
        }
    }

    fn if_parts(&self, code: CodeId) -> [CodeId; 3] {
        match *self.arena.get(code) {
            Code::If(parts) => parts,
            _ => unreachable!("the continuation was made for an if"),
        }
    }

    fn part_span(&self, code: CodeId, env: EnvId, part: usize) -> Span {
        self.span(self.if_parts(code)[part], env)
    }
}
