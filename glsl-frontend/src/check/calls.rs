//! Calls: constructors, functions of the text, built-in functions.

use super::checker::Checker;
use super::expressions::Call;
use super::items::Passing;
use super::overloads::Overloads;
use super::printf;
use super::scopes::Symbol;
use super::values::{Operand, Value};
use crate::syntax::tree::{Callee, TypeName, TypeSpecifier};
use crate::token::Name;
use crate::types::{Dim, Image, Kind, Role, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::Op;

impl Checker<'_> {
    /// A call begins: which parameters take variables.
    pub(super) fn begin_call(&mut self, callee: u32) -> Call {
        let mut keeps = Vec::new();
        if let Callee::Name(name, _) = self.unit.callees[callee as usize] {
            keeps = self.builtin_keeps(self.text(name));
            let own = self.overloads.get(&name).map_or(&[][..], Overloads::keeps);
            keeps.resize(keeps.len().max(own.len()), false);
            keeps.iter_mut().zip(own).for_each(|(keep, own)| *keep |= own);
        }
        Call { keeps, arguments: Vec::new() }
    }

    /// Calls what a callee names.
    pub(super) fn end_call(&mut self, callee: u32, call: Call, at: Span) -> Operand {
        match self.unit.callees[callee as usize].clone() {
            Callee::Type(specifier) => self.call_type(&specifier, call, at),
            Callee::Name(name, span) => match self.scopes.find(name) {
                Some(&Symbol::Type(ty)) => operand(self.construct(ty, call.arguments, at)),
                Some(Symbol::Error) => Operand::Error,
                Some(Symbol::Variable(..) | Symbol::Constant(..) | Symbol::Block(_))
                    if !self.overloads.contains_key(&name) || self.scopes.is_local(name) =>
                {
                    let text = self.text(name).to_owned();
                    let message = format!("`{text}` is a variable here, no function");
                    self.wrong(DiagnosticCode::GlslTypes, span, message);
                    Operand::Error
                }
                _ => {
                    let text = self.text(name).to_owned();
                    let is_type = *crate::types::in_words(&text) != *text;
                    match crate::types::named(&mut self.types, &text).filter(|_| is_type) {
                        Some(ty) => operand(self.construct(ty, call.arguments, at)),
                        None => self.call_function(name, span, call, at),
                    }
                }
            },
        }
    }

    fn call_type(&mut self, specifier: &TypeSpecifier, call: Call, at: Span) -> Operand {
        // `texture2D(…)` names a function in texts that mix both.
        if let TypeName::Named(name) = specifier.what
            && specifier.dims.is_empty()
        {
            let text = self.text(name).to_owned();
            if let Some(ty) = crate::types::named(&mut self.types, &text)
                && let Kind::Image(image) = self.types.kind(ty)
            {
                if image.role == Role::Combined {
                    return self.texture_constructor(ty, call.arguments, at);
                }
                if self.is_builtin_function(&text) {
                    return self.call_builtin(&text, call.arguments, at);
                }
            }
        }
        match self.specified(specifier) {
            Some(ty) => operand(self.construct(ty, call.arguments, at)),
            None => Operand::Error,
        }
    }

    fn call_function(&mut self, name: Name, span: Span, call: Call, at: Span) -> Operand {
        let text = self.text(name).to_owned();
        let builtin = self.is_builtin_function(&text);
        if text == printf::NAME && !self.overloads.contains_key(&name) {
            return self.call_printf(call.arguments, at);
        }
        if !self.overloads.contains_key(&name) && !builtin {
            match text.starts_with("sparse") && text.ends_with("ARB") {
                true => self.unsupported(span, "sparse textures"),
                false => self.unknown(name, span, "the function"),
            }
            return Operand::Error;
        }
        let mut types = Vec::new();
        for (operand, _) in &call.arguments {
            types.push(match operand {
                Operand::Value(value) => value.ty,
                Operand::Place(place) => place.ty,
                Operand::Block(_) | Operand::List(_) | Operand::Text(_) | Operand::Error => {
                    Types::ERROR
                }
            });
        }
        if types.contains(&Types::ERROR) {
            for (operand, span) in call.arguments {
                if matches!(operand, Operand::Block(_) | Operand::List(_) | Operand::Text(_)) {
                    self.value_of(operand, span);
                }
            }
            return Operand::Error;
        }
        match self.choose(name, &types) {
            Ok(Some(function)) => self.call_own(function, call),
            Ok(None) if builtin => {
                self.note_deeper(&text, &call.arguments, &types);
                self.call_builtin(&text, call.arguments, at)
            }
            Ok(None) if self.differs_by_format(name, &types) => {
                self.unsupported(at, "images with a format as arguments of functions");
                self.help("declare the image without a format, or use it where it is declared");
                Operand::Error
            }
            Ok(None) => {
                let given: Vec<String> = types.iter().map(|&ty| self.types.name(ty)).collect();
                let message = format!("no `{text}` takes ({})", given.join(", "));
                self.wrong(DiagnosticCode::GlslArguments, at, message);
                let all = self.overloads.get(&name).map_or(&[][..], Overloads::all);
                let shown: Vec<usize> = all.iter().copied().take(3).collect();
                for candidate in shown {
                    let (place, form) =
                        (self.functions[candidate].at, self.function_text(candidate));
                    self.also(place, &form);
                }
                Operand::Error
            }
            Err([first, second]) => {
                let message = format!("two functions `{text}` take these arguments equally well");
                self.wrong(DiagnosticCode::GlslArguments, at, message);
                for candidate in [first, second] {
                    let (place, form) =
                        (self.functions[candidate].at, self.function_text(candidate));
                    self.also(place, &form);
                }
                self.help("convert an argument to the type of a parameter");
                Operand::Error
            }
        }
    }

    /// True if a function would take these types, had images no formats.
    fn differs_by_format(&mut self, name: Name, types: &[Type]) -> bool {
        let mut without = |ty: Type| match self.types.kind(ty) {
            Kind::Image(image) => self.types.of(Kind::Image(Image { format: 0, ..image })),
            _ => ty,
        };
        let without: Vec<Type> = types.iter().map(|&ty| without(ty)).collect();
        without != types && matches!(self.choose(name, &without), Ok(Some(_)))
    }

    /// Notes a texture of two dimensions that is read with three coordinates.
    fn note_deeper(&mut self, name: &str, arguments: &[(Operand, Span)], types: &[Type]) {
        if let [(Operand::Place(place), _), ..] = arguments
            && let [texture, coordinates, ..] = types
            && let Some(&variable) = self.textures.get(&place.pointer)
            && let Kind::Image(Image { dim: Dim::D2, arrayed: false, shadow: false, .. }) =
                self.types.kind(*texture)
            && self.types.numeric(*coordinates) == Some((Scalar::Float, 3))
            && name.starts_with("texture")
            && !name.contains("Proj")
        {
            self.deeper.insert(variable);
        }
    }

    fn call_own(&mut self, number: usize, call: Call) -> Operand {
        let function = self.functions[number].clone();
        if let Some(body) = &mut self.body {
            body.calls.insert(number);
        }
        let mut operands = vec![self.functions[number].id];
        let mut written = Vec::new();
        for ((argument, span), parameter) in call.arguments.into_iter().zip(&function.parameters) {
            if self.types.is_opaque(self.types.innermost(parameter.ty).0) {
                match argument {
                    Operand::Place(place) => {
                        if let Some(lost) = place.memory.lost(parameter.memory) {
                            let message =
                                format!("the image is `{lost}`, and the parameter is not");
                            self.wrong(DiagnosticCode::GlslQualifier, span, message);
                            self.help(format!("write `{lost}` in front of the parameter"));
                            self.also(function.at, "the function");
                            return Operand::Error;
                        }
                        operands.push(self.pointer_to(&place));
                    }
                    _ => {
                        self.unsupported(span, "texture values as arguments");
                        return Operand::Error;
                    }
                }
                continue;
            }
            if parameter.passing == Passing::In {
                let Some(value) = self.value_of(argument, span) else { return Operand::Error };
                let value = self.coerce(&value, parameter.ty, span, "the parameter has the type");
                let Some(value) = value else { return Operand::Error };
                operands.push(self.id(&value));
                continue;
            }
            let Some(place) = self.writable(argument, span) else { return Operand::Error };
            let copy = self.temporary(parameter.ty);
            if parameter.passing == Passing::InOut {
                let old = self.load(&place);
                let Some(old) = self.coerce(&old, parameter.ty, span, "the parameter has the type")
                else {
                    return Operand::Error;
                };
                self.store(&copy, &old);
            }
            operands.push(copy.pointer);
            written.push((place, copy, span));
        }
        let result = self.id_of(function.result, None);
        let id = self.emit(Op::FunctionCall, result, &operands);
        for (place, copy, span) in written {
            let new = self.load(&copy);
            if let Some(new) = self.coerce(&new, place.ty, span, "the variable has the type") {
                self.store(&place, &new);
            }
        }
        Operand::Value(Value::new(function.result, id))
    }
}

fn operand(value: Option<Value>) -> Operand {
    value.map_or(Operand::Error, Operand::Value)
}
