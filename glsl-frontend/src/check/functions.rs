//! Functions: declarations, overloads, bodies.

use super::checker::{Body, Checker};
use super::items::{Function, Parameter, Passing};
use super::scopes::Symbol;
use super::values::{Memory, Place};
use crate::syntax::tree::{self, Storage};
use crate::token::Name;
use crate::types::{Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use lambdav_spirv::build::FunctionBuilder;
use rspirv::spirv::{Op, StorageClass};
use rustc_hash::FxHashSet;

impl Checker<'_> {
    /// Chooses the function for arguments of these types: the one that fits without conversions, or the only
    /// one whose conversions are nowhere worse than those of the others.
    pub(super) fn choose(&self, name: Name, types: &[Type]) -> Result<Option<usize>, [usize; 2]> {
        let Some(overloads) = self.overloads.get(&name) else { return Ok(None) };
        if let Some(number) = overloads.exact(types) {
            return Ok(Some(number));
        }
        let mut fitting: Vec<(usize, Vec<u8>)> = Vec::new();
        for &number in overloads.like(&self.types, types) {
            let parameters = &self.functions[number].parameters;
            let costs: Option<Vec<u8>> = parameters
                .iter()
                .zip(types)
                .map(|(parameter, &ty)| {
                    let fits = match parameter.passing {
                        Passing::In => self.fits(ty, parameter.ty),
                        Passing::Out => self.fits(parameter.ty, ty),
                        Passing::InOut => parameter.ty == ty,
                    };
                    let cost = match self.types.scalar(parameter.ty) {
                        _ if parameter.ty == ty => 0,
                        // A conversion to float is better than one to double.
                        Some(crate::types::Scalar::Double) => 2,
                        _ => 1,
                    };
                    fits.then_some(cost)
                })
                .collect();
            fitting.extend(costs.map(|costs| (number, costs)));
        }
        let best = |own: &Vec<u8>| {
            fitting.iter().all(|(_, other)| own.iter().zip(other).all(|(own, other)| own <= other))
        };
        let mut winners =
            fitting.iter().filter(|(_, costs)| best(costs)).map(|(number, _)| *number);
        match (winners.next(), winners.next(), &fitting[..]) {
            (Some(one), None, _) => Ok(Some(one)),
            (_, _, []) => Ok(None),
            (_, _, [one]) => Ok(Some(one.0)),
            (_, _, [first, second, ..]) => Err([first.0, second.0]),
        }
    }

    /// `float f(vec2, inout int)`
    pub(super) fn function_text(&self, number: usize) -> String {
        let function = &self.functions[number];
        let parameters: Vec<String> = function
            .parameters
            .iter()
            .map(|parameter| {
                let name = self.types.name(parameter.ty);
                match parameter.passing {
                    Passing::In => name,
                    Passing::Out => format!("out {name}"),
                    Passing::InOut => format!("inout {name}"),
                }
            })
            .collect();
        let result = self.types.name(function.result);
        format!("{result} {}({})", self.text(function.name), parameters.join(", "))
    }

    fn passing(&mut self, of: &tree::Qualifiers) -> Passing {
        if of.has(Storage::InOut) || (of.has(Storage::In) && of.has(Storage::Out)) {
            return Passing::InOut;
        }
        if of.has(Storage::Out) { Passing::Out } else { Passing::In }
    }

    /// Declares a function, and returns its number.
    fn declare(&mut self, of: &tree::Function) -> Option<usize> {
        let result = self.specified(&of.result)?;
        let mut parameters = Vec::new();
        for parameter in &of.parameters {
            let ty = self.specified(&parameter.ty)?;
            let ty = self.with_dims(ty, &parameter.dims)?;
            let passing = self.passing(&parameter.qualifiers);
            if ty == Types::VOID {
                self.wrong(DiagnosticCode::GlslTypes, parameter.span, "a parameter is not `void`");
                return None;
            }
            if self.has_open_length(ty) {
                self.wrong(
                    DiagnosticCode::GlslTypes,
                    parameter.span,
                    "the array of a parameter needs a length",
                );
                return None;
            }
            let memory = Memory::of(&parameter.qualifiers);
            parameters.push(Parameter { ty, passing, memory });
        }
        let types: Vec<Type> = parameters.iter().map(|parameter| parameter.ty).collect();
        let before = self.overloads.get(&of.name).and_then(|all| all.exact(&types));
        if let Some(number) = before {
            if self.functions[number].result != result {
                let at = self.functions[number].at;
                self.wrong(
                    DiagnosticCode::GlslRedeclared,
                    of.span,
                    "this function was declared with another result",
                );
                self.also(at, "declared here");
                return None;
            }
            return Some(number);
        }
        if self.scopes.is_bound_here(of.name)
            && !matches!(self.scopes.find(of.name), Some(Symbol::Type(_)))
        {
            let text = self.text(of.name).to_owned();
            let message = format!("`{text}` is a variable already");
            self.wrong(DiagnosticCode::GlslRedeclared, of.span, message);
            return None;
        }
        let id = self.module.id();
        let number = self.functions.len();
        self.overloads.entry(of.name).or_default().add(number, &parameters, &self.types);
        self.functions.push(Function {
            name: of.name,
            id,
            result,
            parameters,
            at: of.span,
            code: None,
            calls: Vec::new(),
        });
        Some(number)
    }

    /// A prototype or a definition.
    pub(super) fn function(&mut self, of: &tree::Function) {
        let Some(number) = self.declare(of) else { return };
        let Some(statements) = &of.body else { return };
        if self.functions[number].code.is_some() {
            let text = self.text(of.name).to_owned();
            let at = self.functions[number].at;
            self.wrong(
                DiagnosticCode::GlslRedeclared,
                of.span,
                format!("the function `{text}` is defined twice"),
            );
            self.also(at, "defined here before");
            return;
        }
        self.functions[number].at = of.span;
        let result = self.functions[number].result;
        let result_id = self.id_of(result, None);
        let mut ids = Vec::new();
        for parameter in self.functions[number].parameters.clone() {
            let ty = self.id_of(parameter.ty, None);
            let opaque = self.types.is_opaque(self.types.innermost(parameter.ty).0);
            let ty = match parameter.passing {
                _ if opaque => self.module.pointer(StorageClass::UniformConstant, ty),
                Passing::In => ty,
                _ => self.module.pointer(StorageClass::Function, ty),
            };
            ids.push([ty, self.module.id()]);
        }
        let mut signature = vec![result_id];
        signature.extend(ids.iter().map(|[ty, _]| ty));
        let ty = self.module.ty(Op::TypeFunction, &signature);
        let label = self.module.id();
        let id = self.functions[number].id;
        let name = self.text(of.name).to_owned();
        let mut builder = FunctionBuilder::new(id, result_id, ty, &ids, label);
        builder.name(id, &name);
        self.init = self.body.replace(Body {
            builder,
            label,
            result,
            targets: Vec::new(),
            calls: FxHashSet::default(),
            line: [0; 3],
        });
        self.scopes.enter();
        let parameters = self.functions[number].parameters.clone();
        for ((parameter, [_, id]), of) in parameters.iter().zip(ids).zip(&of.parameters) {
            let opaque = self.types.is_opaque(self.types.innermost(parameter.ty).0);
            let place = if opaque {
                let place = Place::variable(id, StorageClass::UniformConstant, parameter.ty);
                Place { memory: Memory::of(&of.qualifiers), ..place }
            } else if parameter.passing == Passing::In {
                let mut place = self.temporary(parameter.ty);
                let value = super::values::Value::new(parameter.ty, id);
                self.store(&place, &value);
                if of.qualifiers.has(Storage::Const) {
                    place.constant = Some("the parameter is `const`");
                }
                place
            } else {
                Place::variable(id, StorageClass::Function, parameter.ty)
            };
            if let Some((name, at)) = of.name {
                let text = self.text(name).to_owned();
                self.body().builder.name(place.pointer, &text);
                self.bind(name, Symbol::Variable(place, None), at);
            }
        }
        // The body's own scope is that of the parameters: a local variable may not repeat their names.
        self.statements(statements);
        self.scopes.leave();
        if !self.body().builder.ended() {
            if result == Types::VOID {
                self.end(Op::Return, &[]);
            } else {
                // What a function returns that runs to its end is undefined: zero here.
                let id = self.undefined(result);
                self.end(Op::ReturnValue, &[id]);
            }
        }
        let init = self.init.take();
        let body = std::mem::replace(&mut self.body, init);
        if let Some(body) = body {
            let function = &mut self.functions[number];
            function.code = Some(std::rc::Rc::new(body.builder));
            function.calls = body.calls.into_iter().collect();
            function.calls.sort_unstable();
        }
    }

    /// A value of which nothing is known.
    pub(super) fn undefined(&mut self, ty: Type) -> u32 {
        let ty = self.id_of(ty, None);
        self.emit(Op::Undef, ty, &[])
    }

    /// Binds a name in the innermost scope, or reports that it is bound there.
    pub(super) fn bind(&mut self, name: Name, symbol: Symbol, at: Span) {
        if let Some(before) = self.scopes.bind(name, symbol, at) {
            let text = self.text(name).to_owned();
            self.wrong(
                DiagnosticCode::GlslRedeclared,
                at,
                format!("`{text}` is declared twice in one scope"),
            );
            self.also(before, "declared here before");
        }
    }
}
