//! Calls of built-in functions: the form that the arguments fit, and the instruction.

use super::builtin_table::{
    Binding, Emits, Form, NEVER, Parameter, Part, Pass, Returns, Row, Shape,
};
use super::builtin_table::{Stages, find};
use super::checker::Checker;
use super::items::{Argument, Stage};
use super::values::{Operand, Value};
use super::{atomics, images, textures};
use crate::types::{Kind, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Capability, GlslStd450Op, Op};

/// The conversions of the newest versions, to find what a text means that converts nothing.
fn converts_anywhere(from: Scalar, to: Scalar) -> bool {
    matches!((from, to), (Scalar::Int, Scalar::Uint) | (Scalar::Int | Scalar::Uint, Scalar::Float))
}

impl Checker<'_> {
    /// True if GLSL has a function of that name, in some version, stage or dialect.
    pub(super) fn is_builtin_function(&self, name: &str) -> bool {
        find(name).is_some()
            || textures::sampling(name).is_some()
            || images::Query::of(name).is_some()
            || images::is_image_function(name)
            || atomics::Counter::of(name).is_some()
    }

    /// For each parameter, true if it takes a variable. Parameters that are not listed take values.
    pub(super) fn builtin_keeps(&self, name: &str) -> Vec<bool> {
        let mut keeps = Vec::new();
        if name == "textureGatherOffsets" {
            // The array of offsets must be constant: its variable says so.
            return vec![false, false, true, true];
        }
        if let Some(row) = find(name) {
            for form in row.forms() {
                keeps.resize(keeps.len().max(form.parameters.len()), false);
                for (keep, parameter) in keeps.iter_mut().zip(&form.parameters) {
                    *keep |= parameter.pass != Pass::Value;
                }
            }
        }
        keeps
    }

    /// Calls a built-in function.
    pub(super) fn call_builtin(
        &mut self,
        name: &str,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Operand {
        match self.builtin(name, arguments, at) {
            Some(value) => Operand::Value(value),
            None => Operand::Error,
        }
    }

    fn builtin(&mut self, name: &str, arguments: Vec<(Operand, Span)>, at: Span) -> Option<Value> {
        let types = self.types_of(&arguments)?;
        if let Some(row) = find(name) {
            return self.call_row(row, arguments, &types, at);
        }
        if let Some(sampling) = textures::sampling(name) {
            return self.call_sampling(name, sampling, arguments, &types, at);
        }
        if let Some(query) = images::Query::of(name) {
            return self.call_query(name, query, arguments, &types, at);
        }
        if let Some(counter) = atomics::Counter::of(name) {
            return self.call_counter(name, counter, arguments, at);
        }
        self.call_image(name, arguments, &types, at)
    }

    /// The types of arguments. What is no value is reported.
    pub(super) fn types_of(&mut self, arguments: &[(Operand, Span)]) -> Option<Vec<Type>> {
        let mut types = Vec::new();
        for (operand, span) in arguments {
            types.push(match operand {
                Operand::Value(value) => value.ty,
                Operand::Place(place) => place.ty,
                other => self.value_of(other.clone(), *span)?.ty,
            });
        }
        (!types.contains(&Types::ERROR)).then_some(types)
    }

    /// Reports a function that the version or the stage lacks, once for each name.
    pub(super) fn check_available(
        &mut self,
        name: &str,
        [desktop, es]: [u32; 2],
        stages: Stages,
        at: Span,
    ) {
        let stage = match stages {
            Stages::Fragment if self.set.stage != Stage::Fragment => "fragment",
            Stages::Compute if self.set.stage != Stage::Compute => "compute",
            _ => "",
        };
        let message = if !stage.is_empty() {
            format!("only {stage} shaders have `{name}`")
        } else if self.since(desktop, es) {
            return;
        } else if es == NEVER && self.set.version.es {
            format!("GLSL ES has no `{name}`")
        } else if es == NEVER {
            format!("`{name}` needs version {desktop}")
        } else {
            format!("`{name}` needs version {desktop}, or {es} es")
        };
        if let Some(name) = self.set.names.find(name)
            && !self.reported_names.insert(name)
        {
            return;
        }
        self.wrong(DiagnosticCode::GlslVersion, at, message);
    }

    fn call_row(
        &mut self,
        row: &'static Row,
        arguments: Vec<(Operand, Span)>,
        types: &[Type],
        at: Span,
    ) -> Option<Value> {
        self.check_available(row.name, row.since, row.stages, at);
        if types.iter().any(|&ty| self.types.scalar(ty) == Some(Scalar::Double)) {
            self.unsupported(at, "functions of double");
            return None;
        }
        let later = self.since(130, 300);
        let all: Vec<&Form> = row.forms().iter().filter(|form| later || !form.later).collect();
        let picked = self.pick(&all, types, &|from, to| self.converts(from, to));
        let Some((form, binding)) = picked else {
            self.no_form(row.name, &all, &arguments, types, at);
            return None;
        };
        let mut given = Vec::new();
        let mut converted = Vec::new();
        for ((operand, span), parameter) in arguments.into_iter().zip(&form.parameters) {
            given.push(match parameter.pass {
                Pass::Value => {
                    let value = self.value_of(operand, span)?;
                    let value = self.convert(&value, parameter.scalar);
                    Argument::Value(match parameter.repeats {
                        true => self.splat(&value, binding.width.max(1)),
                        false => value,
                    })
                }
                Pass::Out => {
                    let place = self.writable(operand, span)?;
                    let ty = self.types.with_scalar(place.ty, parameter.scalar);
                    Argument::Place(
                        match ty == place.ty {
                            true => place,
                            false => {
                                let own = self.temporary(ty);
                                converted.push((place, own.clone()));
                                own
                            }
                        },
                        span,
                    )
                }
                Pass::Place => match operand {
                    Operand::Place(place) => Argument::Place(place, span),
                    _ => {
                        let message = format!("`{}` takes a variable here", row.name);
                        self.wrong(DiagnosticCode::GlslArguments, span, message);
                        return None;
                    }
                },
            });
        }
        let result = match &form.returns {
            Returns::Nothing | Returns::Special => Types::VOID,
            Returns::Of(parameter) => self.bound(parameter, &binding),
        };
        let scalar = form.parameters.first().map_or(Scalar::Float, |first| first.scalar);
        let folded = self.fold_call(row.name, result, &given);
        if let Some(folded) = &folded
            && given.iter().all(|of| matches!(of, Argument::Value(value) if value.id == 0))
        {
            return Some(folded.clone());
        }
        let mut value = self.emit_call(row, scalar, result, given, at)?;
        value.constant = value.constant.or(folded.and_then(|of| of.constant));
        for (place, own) in converted {
            let new = self.load(&own);
            if let Some(scalar) = self.types.scalar(place.ty) {
                let new = self.convert(&new, scalar);
                self.store(&place, &new);
            }
        }
        Some(value)
    }

    /// The form that fits with the fewest conversions; earlier ones are preferred.
    fn pick<'f>(
        &self,
        forms: &[&'f Form],
        types: &[Type],
        converts: &dyn Fn(Scalar, Scalar) -> bool,
    ) -> Option<(&'f Form, Binding)> {
        let mut best: Option<(&Form, Binding, u32)> = None;
        for form in forms.iter().copied().filter(|form| form.parameters.len() == types.len()) {
            let mut binding = Binding::default();
            let costs: Option<u32> = form
                .parameters
                .iter()
                .zip(types)
                .map(|(parameter, &ty)| self.cost(parameter, ty, &mut binding, converts))
                .sum();
            if let Some(cost) = costs
                && best.as_ref().is_none_or(|(.., least)| cost < *least)
            {
                best = Some((form, binding, cost));
            }
        }
        best.map(|(form, binding, _)| (form, binding))
    }

    /// The number of conversions that a parameter needs, if the argument fits.
    fn cost(
        &self,
        parameter: &Parameter,
        ty: Type,
        binding: &mut Binding,
        converts: &dyn Fn(Scalar, Scalar) -> bool,
    ) -> Option<u32> {
        let scalar = self.types.scalar(ty)?;
        let shape_fits = match (parameter.shape, self.types.kind(ty)) {
            (Shape::Matrix, Kind::Matrix(..)) => binding.of_matrix(ty),
            (Shape::Square, Kind::Matrix(_, columns, rows)) => {
                columns == rows && binding.of_matrix(ty)
            }
            (shape, _) => {
                let (_, width) = self.types.numeric(ty)?;
                match shape {
                    Shape::Fixed(fixed) => width == fixed,
                    Shape::Any => binding.of_width(width),
                    Shape::Vector => width > 1 && binding.of_width(width),
                    Shape::Other => {
                        binding.other = width;
                        width > 1
                    }
                    Shape::Matrix | Shape::Square => false,
                }
            }
        };
        if !shape_fits {
            return None;
        }
        if scalar == parameter.scalar {
            return Some(0);
        }
        let fits = match parameter.pass {
            Pass::Value => converts(scalar, parameter.scalar),
            // The value of the parameter is converted to the type of the variable.
            Pass::Out => converts(parameter.scalar, scalar),
            Pass::Place => false,
        };
        fits.then_some(1)
    }

    /// The type of a parameter or result.
    fn bound(&mut self, parameter: &Parameter, binding: &Binding) -> Type {
        let width = match parameter.shape {
            Shape::Matrix | Shape::Square => return binding.matrix.unwrap_or(Types::ERROR),
            Shape::Fixed(width) => width,
            Shape::Any => binding.width.max(1),
            Shape::Vector => binding.width.max(2),
            Shape::Other => binding.other.max(2),
        };
        self.types.vector(parameter.scalar, width)
    }

    /// Reports arguments that no form takes.
    fn no_form(
        &mut self,
        name: &str,
        all: &[&Form],
        arguments: &[(Operand, Span)],
        types: &[Type],
        at: Span,
    ) {
        let given: Vec<String> = types.iter().map(|&ty| self.types.name(ty)).collect();
        let message = format!("no `{name}` takes ({})", given.join(", "));
        // With conversions a form may fit: then a literal of the wrong type is the usual mistake.
        let meant = self.pick(all, types, &converts_anywhere).map(|(form, binding)| {
            let wanted = form.parameters.clone();
            (wanted, binding)
        });
        if let Some((wanted, binding)) = meant {
            let wrong = wanted
                .iter()
                .zip(types)
                .position(|(parameter, &ty)| self.types.scalar(ty) != Some(parameter.scalar));
            if let Some(k) = wrong {
                let parameters = wanted;
                let wanted = self.bound(&parameters[k], &binding);
                self.wrong(DiagnosticCode::GlslArguments, at, message);
                self.also(arguments[k].1, &format!("this is `{}`", given[k]));
                if parameters[k].pass == Pass::Out {
                    let wanted = self.types.name(wanted);
                    self.help(format!("give it a variable of the type `{wanted}`"));
                    return;
                }
                let literal = match &arguments[k].0 {
                    Operand::Value(value) if value.id == 0 && wanted == Types::FLOAT => {
                        value.bits().map(|bits| bits as i32)
                    }
                    _ => None,
                };
                let language =
                    if self.set.version.es { "GLSL ES converts" } else { "this version converts" };
                let wanted = self.types.name(wanted);
                match literal {
                    Some(number) => {
                        self.help(format!("{language} no numbers by itself: write `{number}.0`"))
                    }
                    None => {
                        self.help(format!("{language} no numbers by itself: write `{wanted}(…)`"))
                    }
                };
                return;
            }
        }
        self.wrong(DiagnosticCode::GlslArguments, at, message);
        let listed = self.nearest_forms(all, types);
        self.help(format!("`{name}` takes {listed}"));
    }

    /// Up to three forms, those first that are most like the arguments.
    fn nearest_forms(&mut self, all: &[&Form], types: &[Type]) -> String {
        let width = types.iter().filter_map(|&ty| self.types.numeric(ty)).map(|(_, width)| width);
        let width = width.max().unwrap_or(1);
        let is_matrix = |ty: &&Type| matches!(self.types.kind(**ty), Kind::Matrix(..));
        let matrix = types.iter().find(is_matrix).copied();
        let matrix = matrix.unwrap_or_else(|| self.types.of(Kind::Matrix(Scalar::Float, 3, 3)));
        let binding = Binding { width, other: width, matrix: Some(matrix) };
        let mut ranked: Vec<(usize, String)> = Vec::new();
        for form in all {
            let wanted: Vec<Type> =
                form.parameters.iter().map(|parameter| self.bound(parameter, &binding)).collect();
            let differ = wanted.iter().zip(types).filter(|(wanted, given)| wanted != given).count();
            let lengths = wanted.len().abs_diff(types.len());
            let names: Vec<String> = wanted
                .iter()
                .zip(&form.parameters)
                .map(|(&ty, parameter)| match parameter.pass {
                    Pass::Out => format!("out {}", self.types.name(ty)),
                    _ => self.types.name(ty),
                })
                .collect();
            let text = format!("({})", names.join(", "));
            if !ranked.iter().any(|(_, known)| *known == text) {
                ranked.push((differ + 4 * lengths, text));
            }
        }
        ranked.sort_by_key(|(rank, _)| *rank);
        ranked.truncate(3);
        let texts: Vec<String> = ranked.into_iter().map(|(_, text)| text).collect();
        texts.join(" or ")
    }

    /// An instruction of GLSL.std.450.
    pub(super) fn ext(&mut self, function: GlslStd450Op, ty: u32, operands: &[u32]) -> u32 {
        let mut all = vec![self.module.glsl(), function as u32];
        all.extend_from_slice(operands);
        self.emit(Op::ExtInst, ty, &all)
    }

    fn emit_call(
        &mut self,
        row: &Row,
        scalar: Scalar,
        result: Type,
        given: Vec<Argument>,
        at: Span,
    ) -> Option<Value> {
        let mut ids = Vec::new();
        for argument in &given {
            if let Argument::Value(value) = argument {
                ids.push(self.id(value));
            }
        }
        let ext = |s: &mut Self, function| {
            let ty = s.id_of(result, None);
            Value::new(result, s.ext(function, ty, &ids))
        };
        Some(match row.emits {
            Emits::Ext(function) => ext(self, function),
            Emits::Ext3(float, int, uint) => match scalar {
                Scalar::Int => ext(self, int),
                Scalar::Uint => ext(self, uint),
                _ => ext(self, float),
            },
            Emits::Op(op) => self.compute(op, result, &ids),
            Emits::Op4(float, int, uint, bool) => {
                let op = match scalar {
                    Scalar::Int => int,
                    Scalar::Uint => uint,
                    Scalar::Bool => bool,
                    _ => float,
                };
                self.compute(op, result, &ids)
            }
            Emits::Derivative(op) => {
                self.module.capability(Capability::DerivativeControl);
                self.compute(op, result, &ids)
            }
            Emits::Parts(part, members) => self.emit_parts(part, members, result, &given, &ids),
            Emits::Atomic(signed, unsigned) => {
                let op = if result == Types::INT { signed } else { unsigned };
                return self.atomic(row.name, op, result, &given, &ids);
            }
            Emits::Memory(scope, semantics) => {
                let operands = [self.uint(scope), self.uint(semantics)];
                self.act(Op::MemoryBarrier, &operands);
                Value::new(Types::VOID, 0)
            }
            Emits::Special => return self.special(row.name, result, given, &ids, at),
        })
    }

    /// An instruction that returns a structure: one member is the result, others go to places.
    fn emit_parts(
        &mut self,
        part: Part,
        members: &[Option<usize>],
        result: Type,
        given: &[Argument],
        ids: &[u32],
    ) -> Value {
        let place = |member: &Option<usize>| match member.and_then(|k| given.get(k)) {
            Some(Argument::Place(place, _)) => Some(place),
            _ => None,
        };
        let types: Vec<Type> =
            members.iter().map(|member| place(member).map_or(result, |place| place.ty)).collect();
        let type_ids: Vec<u32> = types.iter().map(|&ty| self.id_of(ty, None)).collect();
        let structure = self.module.ty(Op::TypeStruct, &type_ids);
        let id = match part {
            Part::Ext(function) => self.ext(function, structure, ids),
            Part::Op(op) => self.emit(op, structure, ids),
        };
        let mut returned = Value::new(Types::VOID, 0);
        for (k, (&ty, member)) in (0..).zip(types.iter().zip(members)) {
            let value = self.compute(Op::CompositeExtract, ty, &[id, k]);
            match place(member) {
                Some(place) => self.store(place, &value),
                None => returned = value,
            }
        }
        returned
    }
}
