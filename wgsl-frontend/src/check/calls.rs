//! Calls: constructors, functions of the program, functions of the language.

use super::builtin_table;
use super::checker::{Checker, Shape};
use super::items::{Instance, Passing};
use super::values::{Index, Operand, Place, Value};
use crate::mutants::{Mutant, is_active};
use crate::syntax::tree::Item;
use crate::token::Name;
use crate::types::{Kind, Space, Type, Types};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::source::Span;
use rspirv::spirv::Op;

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        callee: Operand,
        callee_at: Span,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Operand {
        if arguments.iter().any(|(operand, _)| matches!(operand, Operand::Error)) {
            // The call still counts as one, so that a statement is none without an effect.
            return Operand::Error;
        }
        let value = match callee {
            Operand::Error => None,
            Operand::Type(ty) => self.construct(ty, arguments, at),
            Operand::Generator(generator) => self.construct_inferred(generator, arguments, at),
            Operand::Function(number) => self.call_function(number, arguments, at),
            Operand::Builtin(name, template) => {
                return self.call_builtin(name, template, arguments, at);
            }
            _ => {
                let message = "this is no function and no type";
                self.wrong(DiagnosticCode::WgslTypes, callee_at, message);
                None
            }
        };
        value.map_or(Operand::Error, Operand::Value)
    }

    /// Calls a function of the language.
    fn call_builtin(
        &mut self,
        name: Name,
        template: Option<Type>,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Operand {
        let text = self.text(name);
        let value = if let Some(row) = builtin_table::find(text) {
            self.values(arguments).and_then(|values| self.call_numeric(text, row, &values, at))
        } else if let Some(ty) = template {
            self.values(arguments).and_then(|values| self.bitcast(ty, &values, at))
        } else if text.starts_with("texture") && text != "textureBarrier" {
            self.call_texture(text, arguments, at)
        } else if text.starts_with("atomic") {
            self.call_atomic(text, arguments, at)
        } else {
            self.call_other(text, arguments, at)
        };
        value.map_or(Operand::Error, Operand::Value)
    }

    /// True for a function of the language whose result must be used.
    pub(super) fn must_be_used(&self, name: Name) -> bool {
        let text = self.text(name);
        let is_atomic = text.starts_with("atomic");
        let acts = text == "textureStore" || text.ends_with("Barrier");
        !is_atomic && !acts && text != "workgroupUniformLoad" && !text.starts_with("rayQuery")
    }

    /// Calls a function of the program.
    fn call_function(
        &mut self,
        number: usize,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        let name = self.functions[number].name.clone();
        if self.body.is_none() {
            self.not_constant(at, "the result of a function of the program");
            return None;
        }
        let parameters = self.functions[number].parameters.clone();
        if arguments.len() != parameters.len() {
            let message = format!(
                "{} takes {} arguments, and here are {}",
                quote(&name),
                parameters.len(),
                arguments.len()
            );
            let declared = self.functions[number].at;
            self.wrong(DiagnosticCode::WgslArguments, at, message);
            self.also(declared, "declared here");
            return None;
        }
        if self.functions[number].stage.is_some() {
            let message = format!("{} is an entry point, which is not called", quote(&name));
            self.wrong(DiagnosticCode::WgslPlacement, at, message);
            return None;
        }
        let mut ids = Vec::new();
        // Places that are copied back behind the call, and the temporary variables.
        let mut copies: Vec<(Place, Place)> = Vec::new();
        let mut fixed: Vec<Option<Place>> = Vec::new();
        // One id for each argument: of the value, or of the variable that is pointed to.
        let mut own = Vec::new();
        let mut is_wrong = false;
        for ((operand, span), parameter) in arguments.into_iter().zip(&parameters) {
            let mut argument = 0;
            match parameter.passing {
                Passing::Value => {
                    let value = self.value_of(operand, span).and_then(|value| {
                        self.coerce(&value, parameter.ty, span, "the parameter has the type")
                    });
                    match value {
                        Some(value) => {
                            argument = self.id(&value);
                            ids.push(argument);
                        }
                        None => is_wrong = true,
                    }
                    fixed.push(None);
                }
                Passing::Pointer | Passing::Special => {
                    let Some(place) = self.pointer_argument(operand, parameter.ty, span) else {
                        is_wrong = true;
                        continue;
                    };
                    if parameter.passing == Passing::Special {
                        ids.extend(
                            place
                                .chain
                                .iter()
                                .filter(|one| one.dynamic.is_some())
                                .map(|one| one.id),
                        );
                        fixed.push(Some(place));
                        own.push(argument);
                        continue;
                    }
                    if place.chain.is_empty() {
                        argument = place.root;
                    } else {
                        let copy = self.temporary(place.ty, place.space);
                        let value = self.load(&place);
                        self.store(&copy, &value);
                        argument = copy.root;
                        copies.push((place, copy));
                    }
                    ids.push(argument);
                    fixed.push(None);
                }
                Passing::Handle => match operand {
                    Operand::Place(place) if place.ty == parameter.ty => {
                        let pointer = self.pointer_to(&place);
                        ids.push(pointer);
                        fixed.push(None);
                    }
                    other => {
                        let found = match &other {
                            Operand::Place(place) => self.type_name(place.ty),
                            Operand::Value(value) => self.type_name(value.ty),
                            _ => "something else".to_owned(),
                        };
                        let wanted = self.type_name(parameter.ty);
                        let message =
                            format!("the parameter has the type {wanted}, and this is {found}");
                        self.wrong(DiagnosticCode::WgslTypes, span, message);
                        is_wrong = true;
                    }
                },
            }
            own.push(argument);
        }
        if is_wrong || self.functions[number].is_wrong {
            return None;
        }
        let result = self.functions[number].result;
        let id = match fixed.iter().any(Option::is_some) {
            true => self.instance(number, fixed),
            false => self.functions[number].id,
        };
        let needs = self.functions[number].needs.clone();
        for (need, _) in needs {
            self.need(need, at);
        }
        let mut operands = vec![id];
        operands.extend(ids);
        let value = self.compute(Op::FunctionCall, result, &operands);
        self.note_call(number, &own, &value, at);
        if is_active(Mutant::LostCopy) {
            copies.clear();
        }
        for (place, copy) in copies {
            let new = self.load(&copy);
            self.store(&place, &new);
        }
        Some(value)
    }

    /// The place that a pointer argument points to.
    fn pointer_argument(&mut self, operand: Operand, ty: Type, at: Span) -> Option<Place> {
        let Kind::Pointer(space, wanted, access) = self.types.kind(ty) else { return None };
        match operand {
            Operand::Pointer(place)
                if place.space == space && place.ty == wanted && place.access == access =>
            {
                Some(place)
            }
            Operand::Error => None,
            other => {
                let found = match &other {
                    Operand::Pointer(place) => {
                        let own = Kind::Pointer(place.space, place.ty, place.access);
                        let own = self.types.of(own);
                        self.type_name(own)
                    }
                    Operand::Place(place) => self.type_name(place.ty),
                    Operand::Value(value) => self.type_name(value.ty),
                    _ => "something else".to_owned(),
                };
                let name = self.type_name(ty);
                let message = format!("the parameter has the type {name}, and this is {found}");
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                if matches!(&other, Operand::Place(place) if place.ty == wanted) {
                    self.help("write `&` in front of the variable");
                }
                None
            }
        }
    }

    /// The function for pointers to these variables and parts of them.
    fn instance(&mut self, number: usize, fixed: Vec<Option<Place>>) -> u32 {
        if self.is_dry {
            return self.functions[number].id;
        }
        let key: Vec<Shape> = fixed
            .iter()
            .map(|place| match place {
                None => (0, Vec::new()),
                Some(place) => {
                    // Indices of run time are parameters: only their types matter.
                    let index = |one: &Index| match one.dynamic {
                        Some(_) => Index { id: 0, ..*one },
                        None => *one,
                    };
                    (place.root, place.chain.iter().map(index).collect())
                }
            })
            .collect();
        let key = (number, key);
        if let Some(&id) = self.instances.get(&key) {
            return id;
        }
        let id = self.module.id();
        self.instances.insert(key, id);
        self.waiting.push(Instance { function: number, id, fixed });
        id
    }

    /// A statement that is a call.
    pub(super) fn call_statement(&mut self, of: crate::syntax::tree::Expression) {
        let unit = self.set.unit;
        let nodes = &unit.nodes[of.start as usize..of.end as usize];
        let operand = self.expression(of);
        let Operand::Value(value) = operand else { return };
        if value.ty == Types::VOID {
            return;
        }
        // The callee stands first: a name, or a template behind its arguments.
        let callee = match nodes.first().map(|node| node.code) {
            Some(crate::syntax::tree::Code::Name(reference)) => reference,
            _ => return,
        };
        let must_use = match self.target(self.current, callee) {
            Some(number) => match &unit.globals[number].what {
                Item::Function(_) => {
                    self.attribute(&unit.globals[number].attributes, "must_use").is_some()
                }
                _ => true,
            },
            None => self.must_be_used(callee.name),
        };
        if must_use {
            let name = self.text(callee.name);
            let message = format!("the result of {} is not used", quote(name));
            self.wrong(DiagnosticCode::WgslPlacement, of.span, message);
            self.help("write `_ = …;` if only the call matters");
        }
    }

    /// True for the address spaces whose pointers make a function of their own.
    pub(super) fn is_special(space: Space) -> bool {
        !matches!(space, Space::Function | Space::Private)
    }
}
