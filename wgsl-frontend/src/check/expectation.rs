//! An expression to evaluate: a fragment stage whose outputs are the words of its value.

use super::checker::{Body, Checker};
use super::values::Value;
use crate::syntax::tree::Expression;
use crate::types::{Kind, Length, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::flat::{FLAT_ENTRY, FLAT_WORDS, FlatComponent, FlatType, vector_path};
use lambdav_core::source::Span;
use lambdav_core::types;
use lambdav_spirv::build::FunctionBuilder;
use rspirv::spirv::{Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use std::rc::Rc;

impl Checker<'_> {
    /// Checks an expression in the scope of the module, and writes its entry point.
    pub(super) fn expectation(&mut self, of: Expression) {
        let void = self.module.ty(Op::TypeVoid, &[]);
        let ty = self.module.ty(Op::TypeFunction, &[void]);
        let [id, label] = [self.module.id(), self.module.id()];
        let mut builder = FunctionBuilder::new(id, void, ty, &[], label);
        builder.name(id, "expectation");
        let (targets, line) = (Vec::new(), [0; 3]);
        self.body = Some(Body { builder, label, result: Types::VOID, targets, line });
        self.scopes.enter();
        self.statement_at = of.span;
        self.begin_control(true);
        self.line(of.span);
        let value = self.value(of).and_then(|value| self.concrete(&value, of.span));
        let parts = value.and_then(|value| {
            let name = self.types.name(value.ty);
            Some((self.flat_parts(&value, of.span)?, name))
        });
        if let Some((parts, name)) = parts {
            let components = parts.iter().map(|(component, _)| component.clone()).collect();
            let outputs = self.outputs_of(&parts);
            self.module.entry_point(ExecutionModel::Fragment, id, FLAT_ENTRY, &outputs);
            self.module.mode(id, ExecutionMode::OriginUpperLeft, &[]);
            self.entries += 1;
            self.expression = Some(FlatType { name, components });
        }
        self.end(Op::Return, &[]);
        self.varying.demands.clear();
        self.scopes.leave();
        self.code.extend(self.body.take().map(|body| Rc::new(body.builder)));
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
                Kind::Vector(..)
                | Kind::Matrix(..)
                | Kind::Array(_, Length::Known(_))
                | Kind::Struct(_) => {
                    let count = self.types.parts(value.ty);
                    if count + open.len() + all.len() > FLAT_WORDS {
                        return self.incomparable(at, value.ty, true);
                    }
                    for k in (0..count).rev() {
                        let part = self.types.part(value.ty, k);
                        let path = format!("{path}{}", self.path_of_part(value.ty, k));
                        open.push((path, self.extract(&value, k, part)));
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
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            self.help("compare parts of it, or the result of a function");
        }
        None
    }

    fn path_of_part(&self, ty: Type, k: usize) -> String {
        match self.types.kind(ty) {
            Kind::Vector(..) => vector_path(k),
            Kind::Struct(number) => {
                let member = self.types.structs[number as usize].members[k].name;
                format!(".{}", self.text(member))
            }
            _ => format!("[{k}]"),
        }
    }

    /// Writes the words of scalars to new outputs.
    fn outputs_of(&mut self, parts: &[(FlatComponent, Value)]) -> Vec<u32> {
        let vec4 = self.types.vector(Scalar::Float, 4);
        let zero = self.splat_constant(Types::FLOAT, 0);
        let [low, sixteen] = [self.uint(0xffff), self.uint(16)];
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
            let inner = self.id_of(vec4);
            let pointer = self.module.pointer(StorageClass::Output, inner);
            let variable = self.module.variable(pointer, StorageClass::Output);
            self.module.decorate(variable, Decoration::Location, &[location]);
            self.act(Op::Store, &[variable, value.id]);
            outputs.push(variable);
        }
        outputs
    }
}
