//! An expression in place of `main`: a fragment stage whose outputs are the words of its value.

use super::checker::Checker;
use super::items::{Expectation, Stage};
use super::values::Value;
use crate::syntax::tree::Expression;
use crate::types::{Kind, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::flat::{FLAT_ENTRY, FLAT_WORDS, FlatComponent, FlatType, vector_path};
use lambdav_core::source::Span;
use lambdav_core::types;
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};

impl Checker<'_> {
    /// Checks an expression in the scope at the end of the text, and writes its function.
    pub(super) fn expectation(&mut self, of: Expression) {
        let (id, mut body) = self.plain_function();
        body.builder.name(id, "expectation");
        self.init = self.body.replace(body);
        self.scopes.enter();
        self.statement_at = of.span;
        let value = self.rvalue(of);
        let parts = value.and_then(|value| {
            let name = self.types.name(value.ty);
            Some((self.flat_parts(&value, of.span)?, name))
        });
        let outputs = parts.map(|(parts, name)| {
            let components = parts.iter().map(|(component, _)| component.clone()).collect();
            (self.outputs_of(&parts), FlatType { name, components })
        });
        self.end(Op::Return, &[]);
        self.scopes.leave();
        let init = self.init.take();
        let body = std::mem::replace(&mut self.body, init);
        if let (Some(body), Some((outputs, ty))) = (body, outputs) {
            let mut calls: Vec<usize> = body.calls.into_iter().collect();
            calls.sort_unstable();
            self.expectation = Some(Expectation { id, builder: body.builder, calls, ty, outputs });
        }
    }

    /// The scalars of a value, with their places in it; reports a value that has none, or too many.
    fn flat_parts(&mut self, value: &Value, at: Span) -> Option<Vec<(FlatComponent, Value)>> {
        let (mut all, mut open) = (Vec::new(), vec![(String::new(), value.clone())]);
        while let Some((path, value)) = open.pop() {
            let scalar = match self.types.kind(value.ty) {
                Kind::Scalar(Scalar::Float) => types::Scalar::F32,
                Kind::Scalar(Scalar::Int) => types::Scalar::I32,
                Kind::Scalar(Scalar::Uint) => types::Scalar::U32,
                Kind::Scalar(Scalar::Bool) => types::Scalar::Bool,
                Kind::Vector(..) | Kind::Matrix(..) | Kind::Array(..) | Kind::Struct(_) => {
                    let count = self.parts(value.ty);
                    if count + open.len() + all.len() > FLAT_WORDS {
                        return self.incomparable(at, value.ty, true);
                    }
                    for k in (0..count).rev() {
                        let path = format!("{path}{}", self.path_of_part(value.ty, k));
                        open.push((path, self.extract(&value, k)));
                    }
                    continue;
                }
                _ => return self.incomparable(at, value.ty, false),
            };
            all.push((FlatComponent { path, scalar }, value));
        }
        match all.is_empty() {
            true => self.incomparable(at, value.ty, false),
            false => Some(all),
        }
    }

    fn incomparable<T>(&mut self, at: Span, ty: Type, is_large: bool) -> Option<T> {
        if ty != Types::ERROR {
            let name = self.type_name(ty);
            let message = match is_large {
                true => format!("a value with more than {FLAT_WORDS} components is not compared"),
                false => format!("a value of the type {name} is not compared"),
            };
            self.wrong(DiagnosticCode::GlslTypes, at, message);
            self.help("compare parts of it, or the result of a function");
        }
        None
    }

    fn path_of_part(&self, ty: Type, k: usize) -> String {
        match self.types.kind(ty) {
            Kind::Vector(..) => vector_path(k),
            Kind::Struct(number) => {
                format!(".{}", self.text(self.structure(number).members[k].name))
            }
            _ => format!("[{k}]"),
        }
    }

    /// Writes the words of scalars to new outputs.
    fn outputs_of(&mut self, parts: &[(FlatComponent, Value)]) -> Vec<u32> {
        let vec4 = self.types.vector(Scalar::Float, 4);
        let [zero, low, sixteen] = [self.float(0.0), self.uint(0xffff), self.uint(16)];
        let mut outputs = Vec::new();
        for (location, pair) in (0..).zip(parts.chunks(2)) {
            let mut channels = Vec::new();
            for (component, value) in pair {
                let id = self.id(value);
                let word = match component.scalar {
                    types::Scalar::U32 => id,
                    types::Scalar::Bool => {
                        let [one, none] = [self.uint(1), self.uint(0)];
                        self.compute(Op::Select, Types::UINT, &[id, one, none]).id
                    }
                    _ => self.compute(Op::Bitcast, Types::UINT, &[id]).id,
                };
                let halves = [
                    self.compute(Op::BitwiseAnd, Types::UINT, &[word, low]).id,
                    self.compute(Op::ShiftRightLogical, Types::UINT, &[word, sixteen]).id,
                ];
                for half in halves {
                    channels.push(self.compute(Op::ConvertUToF, Types::FLOAT, &[half]).id);
                }
            }
            channels.resize(4, zero);
            let value = self.compute(Op::CompositeConstruct, vec4, &channels);
            let place = self.global_variable(vec4, StorageClass::Output);
            self.module.decorate(place.pointer, Decoration::Location, &[location]);
            self.act(Op::Store, &[place.pointer, value.id]);
            outputs.push(place.pointer);
        }
        outputs
    }

    /// The entry point of an expression. Inputs of another stage are none of its interface.
    pub(super) fn entry_of_expression(&mut self, entry: u32, of: &Expectation) {
        let mut variables = std::mem::take(&mut self.interface.variables);
        if self.set.stage != Stage::Fragment {
            variables.clear();
        }
        variables.extend(&of.outputs);
        self.module.entry_point(ExecutionModel::Fragment, entry, FLAT_ENTRY, &variables);
        self.module.mode(entry, ExecutionMode::OriginUpperLeft, &[]);
    }
}
