//! Template lists: the types that they make.

use super::checker::Checker;
use super::predeclared::{self, Predeclared};
use super::values::{Generator, Operand};
use crate::syntax::tree::{Expression, Reference};
use crate::token::Name;
use crate::types::{Access, Kind, Length, Scalar, Space, Texture, TextureKind, Type, Types};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::source::Span;

impl Checker<'_> {
    /// The type that an expression means.
    pub(super) fn type_of(&mut self, of: Expression) -> Type {
        match self.expression(of) {
            Operand::Type(ty) => ty,
            Operand::Error => Types::ERROR,
            Operand::Generator(_) => {
                let message = "the type needs a template list";
                self.wrong(DiagnosticCode::WgslTypes, of.span, message)
                    .help("write `vec2<f32>`, or `vec2f`; `array<f32, 4>`");
                Types::ERROR
            }
            Operand::Word(name) => {
                self.unknown(name, of.span);
                Types::ERROR
            }
            _ => {
                self.wrong(DiagnosticCode::WgslTypes, of.span, "a type is needed here");
                Types::ERROR
            }
        }
    }

    /// What a name of the language means.
    pub(super) fn predeclared(&mut self, name: Name, at: Span) -> Operand {
        let text = self.text(name);
        match predeclared::find(text) {
            Some(Predeclared::Type(kind)) => Operand::Type(self.types.of(kind)),
            Some(Predeclared::Generator(generator)) => Operand::Generator(generator),
            Some(Predeclared::Half) => {
                self.unsupported(at, &format!("{}: numbers of 16 bits are", quote(text)));
                self.help("numbers have 32 bits: write `f32`");
                Operand::Error
            }
            Some(Predeclared::Extension) => {
                self.unsupported(at, &format!("values of type {} are", quote(text)));
                Operand::Error
            }
            Some(Predeclared::Templated) => {
                let message = format!("{} needs a template list", quote(text));
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                self.help(format!("write `{text}<…>`"));
                Operand::Error
            }
            None if predeclared::is_word(text) => Operand::Word(name),
            None if super::builtin_table::is_function(text) => Operand::Builtin(name, None),
            None => {
                self.unknown(name, at);
                Operand::Error
            }
        }
    }

    /// A name with a template list.
    pub(super) fn template(
        &mut self,
        reference: Reference,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Operand {
        if arguments.iter().any(|(operand, _)| matches!(operand, Operand::Error)) {
            return Operand::Error;
        }
        let name = reference.name;
        let text = self.text(name);
        if self.is_declared(reference) {
            let message = format!("{} takes no template list", quote(text));
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return Operand::Error;
        }
        if text == "bitcast" {
            return match &arguments[..] {
                [(Operand::Type(ty), _)] => Operand::Builtin(name, Some(*ty)),
                _ => self.wrong_template(at, "`bitcast<T>(e)` takes the type of its result"),
            };
        }
        let ty = match predeclared::find(text) {
            Some(Predeclared::Generator(generator)) => self.generated(generator, &arguments, at),
            Some(Predeclared::Templated) => match text {
                "atomic" => self.atomic_type(&arguments, at),
                "ptr" => self.pointer_type(&arguments, at),
                "binding_array" => self.binding_array_type(&arguments, at),
                _ => self.texture_type(text, &arguments, at),
            },
            Some(Predeclared::Extension) => {
                self.unsupported(at, &format!("values of type {} are", quote(text)));
                None
            }
            Some(_) => {
                let message = format!("{} takes no template list", quote(text));
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                None
            }
            None => {
                self.unknown(name, at);
                None
            }
        };
        ty.map_or(Operand::Error, Operand::Type)
    }

    fn wrong_template(&mut self, at: Span, message: &str) -> Operand {
        self.wrong(DiagnosticCode::WgslTypes, at, message);
        Operand::Error
    }

    fn generated(
        &mut self,
        generator: Generator,
        arguments: &[(Operand, Span)],
        at: Span,
    ) -> Option<Type> {
        match (generator, arguments) {
            (Generator::Vector(width), [(Operand::Type(ty), span)]) => match self.types.kind(*ty) {
                Kind::Scalar(scalar) => Some(self.types.vector(scalar, width)),
                _ => {
                    let found = self.type_name(*ty);
                    let message = format!("the components of a vector are scalars, not {found}");
                    self.wrong(DiagnosticCode::WgslTypes, *span, message);
                    None
                }
            },
            (Generator::Matrix(columns, rows), [(Operand::Type(ty), span)]) => {
                match self.types.kind(*ty) {
                    Kind::Scalar(Scalar::Float) => {
                        Some(self.types.matrix(Scalar::Float, columns, rows))
                    }
                    _ => {
                        let found = self.type_name(*ty);
                        let message = format!("the components of a matrix are `f32`, not {found}");
                        self.wrong(DiagnosticCode::WgslTypes, *span, message);
                        None
                    }
                }
            }
            (Generator::Array, [(Operand::Type(element), span), rest @ ..]) => {
                let length = match rest {
                    [] => Length::Open,
                    [(operand, at)] => Length::Known(self.length(operand.clone(), *at)?),
                    [_, (_, at), ..] => {
                        let message = "an array has an element type and a length";
                        self.wrong(DiagnosticCode::WgslTypes, *at, message);
                        return None;
                    }
                };
                self.array_type(*element, length, *span)
            }
            _ => {
                let message = match generator {
                    Generator::Array => {
                        "an array has an element type and a length: `array<f32, 4>`"
                    }
                    _ => "the template list of a vector or matrix is the type of its components",
                };
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                None
            }
        }
    }

    /// The type of an array with these elements.
    pub(super) fn array_type(&mut self, element: Type, length: Length, at: Span) -> Option<Type> {
        let facts = self.types.facts(element);
        let is_data = facts.is_constructible || facts.has_atomics;
        if !is_data || facts.is_open {
            let found = self.type_name(element);
            let message = format!("an array has no elements of type {found}");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        }
        let ty = self.types.array(element, length);
        if self.types.is_too_deep(ty) {
            let message = "structures and arrays are nested too deep";
            self.wrong(DiagnosticCode::WgslTooLarge, at, message);
            return None;
        }
        Some(ty)
    }

    /// The length of an array.
    fn length(&mut self, operand: Operand, at: Span) -> Option<u32> {
        let number = self.constant_integer(operand, at)?;
        match u32::try_from(number) {
            Ok(length @ 1..) => Some(length),
            _ => {
                let message = format!("the length of an array is at least 1, and this is {number}");
                self.wrong(DiagnosticCode::WgslConstant, at, message);
                None
            }
        }
    }

    /// An array of textures or samplers, perhaps without a length.
    fn binding_array_type(&mut self, arguments: &[(Operand, Span)], at: Span) -> Option<Type> {
        let (element, length) = match arguments {
            [(Operand::Type(element), _)] => (*element, Length::Open),
            [(Operand::Type(element), _), (length, at)] => {
                (*element, Length::Known(self.length(length.clone(), *at)?))
            }
            _ => {
                let message = "`binding_array` has an element type and perhaps a length";
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                return None;
            }
        };
        if !matches!(self.types.kind(element), Kind::Texture(_) | Kind::Sampler(_)) {
            self.unsupported(at, "arrays of buffers are");
            return None;
        }
        Some(self.types.array(element, length))
    }

    fn atomic_type(&mut self, arguments: &[(Operand, Span)], at: Span) -> Option<Type> {
        if let [(Operand::Type(ty), _)] = arguments
            && let Kind::Scalar(scalar @ (Scalar::Int | Scalar::Uint)) = self.types.kind(*ty)
        {
            return Some(self.types.of(Kind::Atomic(scalar)));
        }
        self.wrong(DiagnosticCode::WgslTypes, at, "an atomic is `atomic<i32>` or `atomic<u32>`");
        None
    }

    fn pointer_type(&mut self, arguments: &[(Operand, Span)], at: Span) -> Option<Type> {
        let (space, ty, access) = match arguments {
            [(Operand::Word(space), _), (Operand::Type(ty), _)] => (*space, *ty, None),
            [(Operand::Word(space), _), (Operand::Type(ty), _), (Operand::Word(access), _)] => {
                (*space, *ty, Some(*access))
            }
            _ => {
                let message = "a pointer has an address space and a type: `ptr<function, f32>`";
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                return None;
            }
        };
        let Some(space) = Space::of(self.text(space)).filter(|space| *space != Space::Handle)
        else {
            let message = "a pointer begins with an address space: `ptr<function, f32>`";
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        };
        let access = match access {
            None => space.access(),
            Some(access) => match Access::of(self.text(access)) {
                Some(access) => access,
                None => {
                    self.wrong(DiagnosticCode::WgslTypes, at, "this is no access mode");
                    return None;
                }
            },
        };
        Some(self.types.of(Kind::Pointer(space, ty, access)))
    }

    fn texture_type(
        &mut self,
        text: &str,
        arguments: &[(Operand, Span)],
        at: Span,
    ) -> Option<Type> {
        let (dim, arrayed, multisampled, is_stored) = predeclared::texture_shape(text)?;
        let kind = match arguments {
            [(Operand::Type(ty), _)] if !is_stored => match self.types.kind(*ty) {
                Kind::Scalar(scalar @ (Scalar::Float | Scalar::Int | Scalar::Uint)) => {
                    Some(TextureKind::Sampled(scalar))
                }
                _ => None,
            },
            [(Operand::Word(format), _), (Operand::Word(access), _)] if is_stored => {
                let (format, access) = (self.text(*format), self.text(*access));
                match (predeclared::format(format), Access::of(access)) {
                    (Some((number, scalar)), Some(access)) => {
                        Some(TextureKind::Storage(number, scalar, access))
                    }
                    _ => None,
                }
            }
            _ => None,
        };
        let Some(kind) = kind else {
            let message = match is_stored {
                true => format!("`{text}` has a format and an access: `{text}<rgba8unorm, write>`"),
                false => format!("`{text}` has the type of its components: `{text}<f32>`"),
            };
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        };
        Some(self.types.of(Kind::Texture(Texture { dim, arrayed, multisampled, kind })))
    }
}
