//! The abstract machine: the step from one state to the next, on a stack of frames of its own.

use super::frame::{Frame, OperandSource, State};
use super::machine::Machine;
use super::values::{Arguments, Denotation, EnvId, ROOT, Value};
use crate::resolve::{Code, CodeId};
use lambdav_core::diagnostics::{Code as Lv, Diagnostic};
use lambdav_core::source::Span;
use lambdav_core::types::Type;

impl Machine {
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
                    self.count_step(code, env);
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

    fn step(&mut self, code: CodeId, env: EnvId) -> State {
        match self.arena.get(code) {
            Code::Local(local) => State::Force(self.local(*local, env)),
            Code::Global(global) => State::Force(self.globals[*global as usize]),
            Code::Apply { callee, .. } => {
                let callee = *callee;
                if let Code::Builtin(builtin) = *self.arena.get(callee) {
                    let site = self.site(code, env);
                    return self.apply_builtin(builtin, site, OperandSource::Text(env));
                }
                self.wait(Frame::Callee { code, env });
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
                self.wait(Frame::Condition { code, env });
                State::Evaluate(condition, env)
            }
            Code::The(_, value) => {
                let value = *value;
                self.wait(Frame::The { code, env });
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
                                .label(format!("this is {}", self.a(ty)))
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
}
