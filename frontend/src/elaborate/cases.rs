//! `case`: its bodies are typed one after the other, and become a chain of decisions by the tag.

use super::constancy::Constancy;
use super::continuation::{Continuation, State};
use super::elaborator::Elaborator;
use super::values::{Data, EnvId, Value};
use crate::elaborate::values::{Arguments, Denotation};
use crate::mutants::{Mutant, is_active};
use crate::resolve::{Case, Code, CodeId};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::mutants::mistaken_payload;
use lambdav_core::op::Op;
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use std::rc::Rc;

impl Elaborator {
    fn case_of(&self, code: CodeId) -> Rc<Case> {
        match self.arena.get(code) {
            Code::Case(case) => Rc::clone(case),
            _ => unreachable!("the continuation was made for a case"),
        }
    }

    /// Evaluates the bodies of a `case` of this value.
    pub(super) fn begin_case(&mut self, code: CodeId, env: EnvId, value: Value) -> State {
        let case = self.case_of(code);
        let span = self.span(case.scrutinee, env);
        let activation = self.env(env).activation;
        let scrutinee = self.require_value(value, span, "the operand of `case`", Some(activation));
        let scrutinee = scrutinee.filter(|data| {
            let found = self.graph.value_type(data.node);
            if found != case.ty {
                let wanted = self.a(case.ty);
                self.report_in(
                    Diagnostic::new(
                        DiagnosticCode::NotTheVariant,
                        span,
                        format!("the cases are of {wanted}"),
                    )
                    .label(format!("this is {}", self.a(found)))
                    .help("the value and the cases must be of one variant"),
                    activation,
                );
            }
            found == case.ty
        });
        if let Some(data) = scrutinee
            && self.is_eager(activation)
        {
            let tag = self.tag(data, span);
            if let Some((by, tag)) = self.constant(tag) {
                self.note_decision(by, case.bodies(), env);
                let arm = case.arms.iter().find(|(index, _)| *index == tag);
                return match (arm, case.otherwise) {
                    (Some(&(index, body)), _) => {
                        State::Evaluate(body, self.body_scope(env, &case, index, body, scrutinee))
                    }
                    (None, Some(body)) => State::Evaluate(body, env),
                    (None, None) => unreachable!("the resolver has looked for missing cases"),
                };
            }
        }
        self.next_body(code, env, scrutinee, Vec::with_capacity(case.bodies().len()))
    }

    /// The tag of a variant.
    fn tag(&mut self, of: Data, span: Span) -> Data {
        let node = self.graph.op(Op::Tag, vec![of.node], span);
        self.known(node, self.constancies.tag(of.constancy))
    }

    /// The scope of the body of a case, with its fields bound.
    fn body_scope(
        &mut self,
        env: EnvId,
        case: &Case,
        index: u32,
        body: CodeId,
        scrutinee: Option<Data>,
    ) -> EnvId {
        let fields = self.case(case.ty, index).fields.len() as u32;
        if fields == 0 {
            return env;
        }
        let span = self.span(body, env);
        // The fields of a case that the value is not of are never constant.
        let is_taken = scrutinee.is_some_and(|of| {
            let tag = self.tag(of, span);
            self.constant(tag).is_some_and(|(_, tag)| tag == index)
        });
        let slots: Arguments = (0..fields)
            .map(|field| {
                let Some(of) = scrutinee else { return Denotation::Value(Value::Error) };
                let (at, count) = (field as usize, fields as usize);
                let mut constancy = match is_taken {
                    true => self.constancies.payload(of.constancy, at, count),
                    false => Constancy::Varies,
                };
                let mut payload = (index, field);
                if is_active(Mutant::WrongField) {
                    payload = mistaken_payload(self.graph.types(), case.ty, index, field);
                    constancy = Constancy::Varies;
                }
                let payload = Op::Payload(payload.0, payload.1);
                let node = self.graph.op(payload, vec![of.node], span);
                Denotation::Value(self.data(node, constancy))
            })
            .collect();
        let activation = self.env(env).activation;
        self.push_env(env, slots, activation)
    }

    /// Evaluates the next body, or builds the decisions when all have values.
    pub(super) fn next_body(
        &mut self,
        code: CodeId,
        env: EnvId,
        scrutinee: Option<Data>,
        values: Vec<Value>,
    ) -> State {
        let case = self.case_of(code);
        let arm = case.arms.get(values.len()).copied();
        let Some((index, body)) = arm else {
            return match case.otherwise {
                Some(body) if values.len() == case.arms.len() => {
                    self.wait(Continuation::Bodies { code, env, scrutinee, values });
                    State::Evaluate(body, env)
                }
                _ => State::Return(self.decide(code, env, &case, scrutinee, values)),
            };
        };
        let inner = self.body_scope(env, &case, index, body, scrutinee);
        self.wait(Continuation::Bodies { code, env, scrutinee, values });
        State::Evaluate(body, inner)
    }

    fn decide(
        &mut self,
        code: CodeId,
        env: EnvId,
        case: &Case,
        scrutinee: Option<Data>,
        mut values: Vec<Value>,
    ) -> Value {
        let Some(scrutinee) = scrutinee else { return Value::Error };
        let (span, activation) = (self.span(code, env), self.env(env).activation);
        let mut last_span = self.span(case.bodies().next_back().expect("there is one"), env);
        let mut value = values.pop().expect("a case has a body");
        if values.is_empty() {
            return self.after_value(value, [scrutinee.node], span);
        }
        let tag = self.tag(scrutinee, span);
        while let Some(before) = values.pop() {
            let (index, body) = case.arms[values.len()];
            let index = self.graph.constant(Type::UINT, &[index], span);
            let condition = self.graph.op(Op::Equal, vec![tag.node, index], span);
            let condition = self.known(condition, tag.constancy);
            let body_span = self.span(body, env);
            value =
                self.choose(condition, [before, value], span, [body_span, last_span], activation);
            last_span = body_span;
        }
        value
    }
}
