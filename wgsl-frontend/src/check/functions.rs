//! Functions: parameters, bodies, code for pointers to buffers.

use super::causes::Summary;
use super::checker::{Body, Checker};
use super::items::{Function, Need, Parameter, Passing};
use super::values::{Index, Place, Symbol, Value};
use crate::syntax::tree::{self, Global};
use crate::types::{Access, Kind, Space, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use lambdav_spirv::build::FunctionBuilder;
use rspirv::spirv::{Op, StorageClass};
use std::rc::Rc;

impl Checker<'_> {
    /// Notes that the open function needs something that not all stages have.
    pub(super) fn need(&mut self, need: Need, at: Span) {
        if let Some(function) = self.functions.last_mut()
            && function.global == self.current
            && function.needs.iter().all(|(other, _)| *other != need)
        {
            function.needs.push((need, at));
        }
    }

    /// A function: its parameters, then its body.
    pub(super) fn function(
        &mut self,
        global: usize,
        of: &Global,
        function: &tree::Function,
    ) -> Option<Symbol> {
        self.check_attributes(
            &of.attributes,
            &["vertex", "fragment", "compute", "workgroup_size", "must_use"],
            "a function",
        );
        let number = self.functions.len();
        let stage = self.stage_of(of);
        let mut parameters = Vec::new();
        let mut is_wrong = false;
        for parameter in &function.parameters {
            match self.parameter(parameter, stage.is_some()) {
                Some(parameter) => parameters.push(parameter),
                None => is_wrong = true,
            }
        }
        let result = match function.result {
            Some(ty) => {
                let result = self.type_of(ty);
                if result != Types::ERROR && !self.types.facts(result).is_constructible {
                    let found = self.type_name(result);
                    let message = format!("a function does not return {found}");
                    self.wrong(DiagnosticCode::WgslTypes, ty.span, message);
                    is_wrong = true;
                }
                is_wrong |= result == Types::ERROR;
                result
            }
            None => Types::VOID,
        };
        let id = self.module.id();
        self.functions.push(Function {
            name: self.text(of.name?).to_owned(),
            at: of.at,
            id,
            parameters,
            result,
            stage,
            global,
            needs: Vec::new(),
            uniformity: Summary::default(),
            is_wrong,
        });
        if is_wrong {
            return Some(Symbol::Function(number));
        }
        let is_special =
            self.functions[number].parameters.iter().any(|one| one.passing == Passing::Special);
        if is_special {
            // Checked once with variables that do not exist; nothing is kept of the code.
            let fixed = self.stand_ins(number);
            self.is_dry = true;
            self.emit_function(number, function, id, &fixed);
            self.is_dry = false;
        } else {
            let none = vec![None; function.parameters.len()];
            if let Some(body) = self.emit_function(number, function, id, &none) {
                self.code.push(body);
            }
        }
        if stage.is_some() {
            self.entry_point(number, of, function);
        }
        Some(Symbol::Function(number))
    }

    fn parameter(&mut self, of: &tree::Field, is_entry: bool) -> Option<Parameter> {
        let ty = self.type_of(of.ty);
        let passing = match self.types.kind(ty) {
            Kind::Error => return None,
            Kind::Pointer(space, ..) if !is_entry => match Self::is_special(space) {
                true => Passing::Special,
                false => Passing::Pointer,
            },
            Kind::Texture(_) | Kind::Sampler(_) if !is_entry => Passing::Handle,
            _ if self.types.facts(ty).is_constructible => Passing::Value,
            _ => {
                let found = self.type_name(ty);
                let message = format!("a parameter does not have the type {found}");
                self.wrong(DiagnosticCode::WgslTypes, of.ty.span, message);
                return None;
            }
        };
        Some(Parameter { ty, passing })
    }

    /// Places for special parameters while nothing is called yet.
    fn stand_ins(&mut self, number: usize) -> Vec<Option<Place>> {
        let parameters = self.functions[number].parameters.clone();
        parameters
            .into_iter()
            .map(|parameter| match self.types.kind(parameter.ty) {
                Kind::Pointer(space, ty, access) if parameter.passing == Passing::Special => {
                    let root = self.module.id();
                    Some(Place::whole(root, space, access, ty))
                }
                _ => None,
            })
            .collect()
    }

    /// Writes the code of a function.
    pub(super) fn emit_function(
        &mut self,
        number: usize,
        function: &tree::Function,
        id: u32,
        fixed: &[Option<Place>],
    ) -> Option<Rc<FunctionBuilder>> {
        let result = self.functions[number].result;
        let parameters = self.functions[number].parameters.clone();
        let name = self.functions[number].name.clone();
        let result_id = self.id_of(result);
        let mut ids: Vec<[u32; 2]> = Vec::new();
        let mut symbols: Vec<Symbol> = Vec::new();
        for (parameter, fixed) in parameters.iter().zip(fixed) {
            let id = self.module.id();
            let symbol = match (parameter.passing, self.types.kind(parameter.ty), fixed) {
                (Passing::Value, ..) => {
                    ids.push([self.id_of(parameter.ty), id]);
                    Symbol::Value(Value::new(parameter.ty, id))
                }
                (Passing::Pointer, Kind::Pointer(space, ty, access), _) => {
                    let inner = self.id_of(ty);
                    ids.push([self.module.pointer(space.class(), inner), id]);
                    let place = Place::whole(id, space, access, ty);
                    Symbol::Pointer(place)
                }
                (Passing::Special, _, Some(place)) => {
                    // Indices that the program computes are parameters.
                    let mut place = Place { known: None, ..place.clone() };
                    for index in &mut place.chain {
                        if let Some(ty) = index.dynamic {
                            let own = self.module.id();
                            ids.push([self.id_of(ty), own]);
                            *index = Index { id: own, dynamic: Some(ty) };
                        }
                    }
                    Symbol::Pointer(place)
                }
                (Passing::Handle, ..) => {
                    let inner = self.id_of(parameter.ty);
                    ids.push([self.module.pointer(StorageClass::UniformConstant, inner), id]);
                    Symbol::Place(Place::whole(id, Space::Handle, Access::Read, parameter.ty))
                }
                _ => Symbol::Error,
            };
            symbols.push(symbol);
        }
        let mut signature = vec![result_id];
        signature.extend(ids.iter().map(|[ty, _]| ty));
        let ty = self.module.ty(Op::TypeFunction, &signature);
        let label = self.module.id();
        let mut builder = FunctionBuilder::new(id, result_id, ty, &ids, label);
        builder.name(id, &name);
        self.body = Some(Body { builder, label, result, targets: Vec::new(), line: [0; 3] });
        self.scopes.enter();
        let is_entry = self.functions[number].stage.is_some();
        self.begin_control(is_entry);
        let mut pointers = Vec::new();
        for (k, (symbol, of)) in symbols.into_iter().zip(&function.parameters).enumerate() {
            let text = self.text(of.name);
            match &symbol {
                Symbol::Value(value) => {
                    self.body().builder.name(value.id, text);
                    match is_entry {
                        true => self.note_input(of, value),
                        false => self.note_parameter(k, value.id),
                    }
                }
                Symbol::Pointer(place) | Symbol::Place(place)
                    if matches!(place.space, Space::Function | Space::Private | Space::Handle) =>
                {
                    self.body().builder.name(place.root, text);
                    if place.space == Space::Function {
                        self.note_parameter(k, place.root);
                        pointers.push((k, place.root));
                    }
                }
                _ => {}
            }
            self.bind(of.name, symbol, of.at);
        }
        let flow = self.statements(&function.body);
        self.end_control(number, &pointers);
        self.scopes.leave();
        if flow.goes_on() && result != Types::VOID {
            let message = "the function does not return a value on every path";
            self.wrong(DiagnosticCode::WgslPlacement, function.end, message);
            self.help("write `return …;` at its end");
        }
        if !self.body().builder.ended() {
            match result {
                Types::VOID => self.end(Op::Return, &[]),
                _ => self.end(Op::Unreachable, &[]),
            }
        }
        let body = self.body.take()?;
        Some(Rc::new(body.builder))
    }

    /// Makes the functions that calls with pointers into buffers ask for.
    pub(super) fn emit_instances(&mut self) {
        /// Most functions that are made so.
        const INSTANCES: usize = 10_000;
        /// Most words of their code.
        const WORDS: usize = 1 << 22;
        let (mut count, mut words) = (0, 0);
        self.is_again = true;
        while let Some(instance) = self.waiting.pop() {
            count += 1;
            let global = self.functions[instance.function].global;
            self.current = global;
            let tree::Item::Function(function) = &self.set.unit.globals[global].what else {
                continue;
            };
            if count > INSTANCES || words > WORDS {
                let at = self.functions[instance.function].at;
                let message = "functions with pointers to buffers are called in too many ways";
                self.wrong(DiagnosticCode::WgslTooLarge, at, message);
                return;
            }
            let body =
                self.emit_function(instance.function, function, instance.id, &instance.fixed);
            words += body.as_ref().map_or(0, |body| body.position());
            self.code.extend(body);
        }
    }

    /// Binds a name in the innermost scope, or reports that it is bound there.
    pub(super) fn bind(&mut self, name: crate::token::Name, symbol: Symbol, at: Span) {
        if let Some(before) = self.scopes.bind(name, symbol, at) {
            let text = self.text(name);
            let message = format!("`{text}` is declared twice in one scope");
            self.wrong(DiagnosticCode::WgslRedeclared, at, message);
            self.also(before, "declared here before");
        }
    }
}
