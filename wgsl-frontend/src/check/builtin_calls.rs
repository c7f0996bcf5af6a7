//! Calls of numeric functions: the type of the arguments, folding, instructions.

use super::builtin_table::{Emits, Row, Shape};
use super::checker::Checker;
use super::values::Value;
use crate::const_eval::{Constant, Math, evaluate};
use crate::types::{Kind, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{GlslStd450Op as Glsl, Op};

/// A function's arguments, converted, and the type of its result.
struct Fitted {
    scalar: Scalar,
    values: Vec<Value>,
    result: Type,
}

impl Checker<'_> {
    /// An instruction of GLSL.std.450.
    pub(super) fn glsl(&mut self, function: Glsl, ty: Type, operands: &[u32]) -> Value {
        let mut all = vec![self.module.glsl(), function as u32];
        all.extend_from_slice(operands);
        self.compute(Op::ExtInst, ty, &all)
    }

    /// Calls a numeric function.
    pub(super) fn call_numeric(
        &mut self,
        name: &str,
        row: Row,
        values: &[(Value, Span)],
        at: Span,
    ) -> Option<Value> {
        let fitted = self.fitted(name, row, values, at)?;
        let constants: Option<Vec<Constant>> =
            fitted.values.iter().map(|value| value.constant.clone()).collect();
        if let Some(constants) = constants {
            let result = evaluate(row.math, fitted.scalar, &constants);
            return self.folded(fitted.result, result, at);
        }
        if self.body.is_none() {
            self.not_constant(at, "this call");
            return None;
        }
        let ids: Vec<u32> = fitted.values.iter().map(|value| self.id(value)).collect();
        Some(match row.emits {
            Emits::Glsl(function) => self.glsl(function, fitted.result, &ids),
            Emits::GlslBy(float, signed, unsigned) => {
                let function = match fitted.scalar {
                    Scalar::Int => signed,
                    Scalar::Uint => unsigned,
                    _ => float,
                };
                self.glsl(function, fitted.result, &ids)
            }
            Emits::Special => self.emit_special(row.math, &fitted, &ids),
        })
    }

    fn no_form(&mut self, name: &str, values: &[(Value, Span)], at: Span) -> Option<Fitted> {
        let given: Vec<String> =
            values.iter().map(|(value, _)| self.types.name(value.ty)).collect();
        let message = format!("no `{name}` takes ({})", given.join(", "));
        self.wrong(DiagnosticCode::WgslArguments, at, message);
        None
    }

    /// The scalar that all of these have after conversion.
    fn common(&self, values: &[(Value, Span)]) -> Option<Scalar> {
        let mut common: Option<Scalar> = None;
        for (value, _) in values {
            let own = match self.types.kind(value.ty) {
                Kind::Scalar(scalar) | Kind::Vector(scalar, _) | Kind::Matrix(scalar, ..) => scalar,
                _ => return None,
            };
            common = Some(match common {
                None => own,
                Some(other) if other.rank(own).is_some() => own,
                Some(other) if own.rank(other).is_some() => other,
                _ => return None,
            });
        }
        common
    }

    fn fitted(
        &mut self,
        name: &str,
        row: Row,
        values: &[(Value, Span)],
        at: Span,
    ) -> Option<Fitted> {
        // The number of parameters, and how many of them, from the first, share a scalar type.
        let (count, shared) = match row.shape {
            Shape::Floats(count) | Shape::Numbers(count) | Shape::Length(count) => (count, count),
            Shape::Vectors(count) => (count, count),
            Shape::Signed | Shape::Integer | Shape::Determinant | Shape::Transpose => (1, 1),
            Shape::Bools | Shape::Pack(_) | Shape::Unpack(_) => (1, 1),
            Shape::PackBytes(_) | Shape::UnpackBytes(_) => (1, 1),
            Shape::Field(more) => (more + 3, more + 1),
            Shape::Mix | Shape::Refract => (3, 3),
            Shape::Dot | Shape::Cross | Shape::DotBytes(_) => (2, 2),
            Shape::Select => (3, 2),
            Shape::Ldexp => (2, 1),
        };
        if values.len() != count {
            let plural = if count == 1 { "" } else { "s" };
            let message =
                format!("`{name}` takes {count} argument{plural}, and here are {}", values.len());
            self.wrong(DiagnosticCode::WgslArguments, at, message);
            return None;
        }
        let Some(common) = self.common(&values[..shared]) else {
            return self.no_form(name, values, at);
        };
        let is_constant = values.iter().all(|(value, _)| value.constant.is_some());
        let scalar = match row.shape {
            Shape::Floats(_)
            | Shape::Mix
            | Shape::Length(_)
            | Shape::Vectors(_)
            | Shape::Cross
            | Shape::Refract
            | Shape::Determinant
            | Shape::Transpose
            | Shape::Ldexp => match common {
                Scalar::AbstractInt => Scalar::AbstractFloat,
                scalar => scalar,
            },
            Shape::Integer | Shape::Field(_) => common.concrete(),
            Shape::Pack(_) => Scalar::Float,
            Shape::Unpack(_) | Shape::UnpackBytes(_) | Shape::DotBytes(_) => Scalar::Uint,
            Shape::PackBytes(signed) => {
                if signed {
                    Scalar::Int
                } else {
                    Scalar::Uint
                }
            }
            _ => common,
        };
        // Abstract numbers are for constants alone; f16 rounding is defined for f32.
        let is_half = row.math == Math::QuantizeToF16;
        let scalar = if is_constant && !is_half { scalar } else { scalar.concrete() };
        let is_allowed = match row.shape {
            Shape::Floats(_)
            | Shape::Mix
            | Shape::Length(_)
            | Shape::Vectors(_)
            | Shape::Cross
            | Shape::Refract
            | Shape::Determinant
            | Shape::Transpose
            | Shape::Ldexp => scalar.is_float(),
            Shape::Numbers(_) | Shape::Dot => scalar != Scalar::Bool,
            Shape::Signed => !matches!(scalar, Scalar::Bool | Scalar::Uint),
            Shape::Integer | Shape::Field(_) => scalar.is_integer(),
            Shape::Bools => scalar == Scalar::Bool,
            _ => true,
        };
        let first = values[0].0.ty;
        let width = self.types.width(first);
        let own = self.types.with_scalar(first, scalar);
        let component = self.types.scalar_type(scalar);
        let mut wanted = vec![own; shared];
        let mut result = own;
        let is_vector = matches!(width, Some(2..));
        let is_shaped = match row.shape {
            Shape::Floats(_) | Shape::Numbers(_) | Shape::Signed | Shape::Integer => {
                width.is_some()
            }
            Shape::Field(_) => {
                wanted.extend([Types::UINT, Types::UINT]);
                width.is_some()
            }
            Shape::Mix => {
                if self.types.width(values[2].0.ty) == Some(1) {
                    wanted[2] = component;
                }
                width.is_some()
            }
            Shape::Dot => {
                result = component;
                is_vector
            }
            Shape::Length(_) => {
                result = component;
                width.is_some()
            }
            Shape::Vectors(_) => is_vector,
            Shape::Cross => width == Some(3),
            Shape::Refract => {
                wanted[2] = component;
                is_vector
            }
            Shape::Determinant | Shape::Transpose => match self.types.kind(own) {
                Kind::Matrix(_, columns, rows) => {
                    result = match row.shape {
                        Shape::Transpose => self.types.matrix(scalar, rows, columns),
                        _ => component,
                    };
                    row.shape == Shape::Transpose || columns == rows
                }
                _ => false,
            },
            Shape::Bools => {
                result = Types::BOOL;
                width.is_some()
            }
            Shape::Select => {
                let own_width = self.types.width(values[2].0.ty);
                let mask = match own_width {
                    Some(1) => Types::BOOL,
                    _ => self.types.vector(Scalar::Bool, width.unwrap_or(1)),
                };
                wanted.push(mask);
                width.is_some()
            }
            Shape::Ldexp => {
                let exponent = self.types.with_scalar(own, Scalar::Int);
                wanted.push(exponent);
                width.is_some()
            }
            Shape::Pack(width) => {
                wanted = vec![self.types.vector(Scalar::Float, width)];
                result = Types::UINT;
                true
            }
            Shape::Unpack(width) => {
                wanted = vec![Types::UINT];
                result = self.types.vector(Scalar::Float, width);
                true
            }
            Shape::PackBytes(_) => {
                wanted = vec![self.types.vector(scalar, 4)];
                result = Types::UINT;
                true
            }
            Shape::UnpackBytes(signed) => {
                wanted = vec![Types::UINT];
                let scalar = if signed { Scalar::Int } else { Scalar::Uint };
                result = self.types.vector(scalar, 4);
                true
            }
            Shape::DotBytes(signed) => {
                wanted = vec![Types::UINT; 2];
                result = if signed { Types::INT } else { Types::UINT };
                true
            }
        };
        let fits = values.iter().zip(&wanted).all(|((value, _), &ty)| self.fits(value.ty, ty));
        if !is_allowed || !is_shaped || !fits {
            return self.no_form(name, values, at);
        }
        let mut fitted = Vec::with_capacity(count);
        for ((value, span), ty) in values.iter().zip(wanted) {
            fitted.push(self.coerce(value, ty, *span, "the argument has the type")?);
        }
        if let (Shape::Mix, Some(width @ 2..)) = (row.shape, width)
            && self.types.width(fitted[2].ty) == Some(1)
        {
            fitted[2] = self.splat(&fitted[2].clone(), width);
        }
        Some(Fitted { scalar, values: fitted, result })
    }

    /// Functions of several instructions.
    fn emit_special(&mut self, math: Math, of: &Fitted, ids: &[u32]) -> Value {
        let ty = of.result;
        let word = |checker: &mut Self, word: u32| checker.splat_constant(ty, word);
        match math {
            Math::Saturate => {
                let [zero, one] = [0.0_f32, 1.0].map(|bound| word(self, bound.to_bits()));
                self.glsl(Glsl::FClamp, ty, &[ids[0], zero, one])
            }
            Math::QuantizeToF16 => self.compute(Op::QuantizeToF16, ty, ids),
            Math::Abs => match of.scalar {
                Scalar::Int => self.glsl(Glsl::SAbs, ty, ids),
                Scalar::Uint => of.values[0].clone(),
                _ => self.glsl(Glsl::FAbs, ty, ids),
            },
            Math::CountOneBits => self.compute(Op::BitCount, ty, ids),
            Math::ReverseBits => self.compute(Op::BitReverse, ty, ids),
            Math::CountLeadingZeros => {
                // Of zero, the index of the highest bit is −1.
                let unsigned = self.types.with_scalar(ty, Scalar::Uint);
                let bits = self.as_type(ids[0], ty, unsigned);
                let highest = self.glsl(Glsl::FindUMsb, unsigned, &[bits]);
                let last = self.splat_constant(unsigned, 31);
                let count = self.compute(Op::ISub, unsigned, &[last, highest.id]);
                let id = self.as_type(count.id, unsigned, ty);
                Value::new(ty, id)
            }
            Math::CountTrailingZeros => {
                let unsigned = self.types.with_scalar(ty, Scalar::Uint);
                let bits = self.as_type(ids[0], ty, unsigned);
                let lowest = self.glsl(Glsl::FindILsb, unsigned, &[bits]);
                let most = self.splat_constant(unsigned, 32);
                let count = self.glsl(Glsl::UMin, unsigned, &[lowest.id, most]);
                let id = self.as_type(count.id, unsigned, ty);
                Value::new(ty, id)
            }
            Math::ExtractBits => {
                let op = match of.scalar {
                    Scalar::Int => Op::BitFieldSExtract,
                    _ => Op::BitFieldUExtract,
                };
                self.compute(op, ty, ids)
            }
            Math::InsertBits => self.compute(Op::BitFieldInsert, ty, ids),
            Math::Dot if of.scalar == Scalar::Float => self.compute(Op::Dot, ty, ids),
            Math::Dot => self.integer_dot(of, ids),
            Math::Transpose => self.compute(Op::Transpose, ty, ids),
            Math::All | Math::Any => {
                if self.types.width(of.values[0].ty) == Some(1) {
                    return of.values[0].clone();
                }
                let op = if math == Math::All { Op::All } else { Op::Any };
                self.compute(op, ty, ids)
            }
            Math::Select => {
                let width = self.types.width(ty).unwrap_or(1);
                let mask = match self.types.width(of.values[2].ty) {
                    Some(1) if width > 1 => {
                        let mask = self.splat(&of.values[2], width);
                        self.id(&mask)
                    }
                    _ => ids[2],
                };
                self.compute(Op::Select, ty, &[mask, ids[1], ids[0]])
            }
            Math::PackBytes { signed, clamped } => self.pack_bytes(signed, clamped, of, ids[0]),
            Math::UnpackBytes { signed } => self.unpack_bytes(ids[0], signed, ty),
            _ => self.dot_bytes(ids, ty),
        }
    }

    /// The same bits as another type.
    fn as_type(&mut self, id: u32, from: Type, to: Type) -> u32 {
        if from == to { id } else { self.compute(Op::Bitcast, to, &[id]).id }
    }

    fn integer_dot(&mut self, of: &Fitted, ids: &[u32]) -> Value {
        let vector = of.values[0].ty;
        let products = self.compute(Op::IMul, vector, ids);
        let width = self.types.parts(vector) as u32;
        let mut sum = self.compute(Op::CompositeExtract, of.result, &[products.id, 0]);
        for k in 1..width {
            let part = self.compute(Op::CompositeExtract, of.result, &[products.id, k]);
            sum = self.compute(Op::IAdd, of.result, &[sum.id, part.id]);
        }
        sum
    }

    fn pack_bytes(&mut self, signed: bool, clamped: bool, of: &Fitted, id: u32) -> Value {
        let vector = of.values[0].ty;
        let mut id = id;
        if clamped {
            let (function, low, high) = match signed {
                true => (Glsl::SClamp, -128_i32 as u32, 127),
                false => (Glsl::UClamp, 0, 255),
            };
            let [low, high] = [low, high].map(|bound| self.splat_constant(vector, bound));
            id = self.glsl(function, vector, &[id, low, high]).id;
        }
        let words = self.types.vector(Scalar::Uint, 4);
        let id = self.as_type(id, vector, words);
        let eight = self.uint(8);
        let mut word = self.uint(0);
        for k in 0..4 {
            let part = self.compute(Op::CompositeExtract, Types::UINT, &[id, k]);
            let offset = self.uint(8 * k);
            let operands = [word, part.id, offset, eight];
            word = self.compute(Op::BitFieldInsert, Types::UINT, &operands).id;
        }
        Value::new(Types::UINT, word)
    }

    fn unpack_bytes(&mut self, id: u32, signed: bool, ty: Type) -> Value {
        let scalar = if signed { Types::INT } else { Types::UINT };
        let word = self.as_type(id, Types::UINT, scalar);
        let op = if signed { Op::BitFieldSExtract } else { Op::BitFieldUExtract };
        let eight = self.uint(8);
        let mut parts = Vec::new();
        for k in 0..4 {
            let offset = self.uint(8 * k);
            parts.push(self.compute(op, scalar, &[word, offset, eight]).id);
        }
        self.compute(Op::CompositeConstruct, ty, &parts)
    }

    fn dot_bytes(&mut self, ids: &[u32], ty: Type) -> Value {
        let signed = ty == Types::INT;
        let scalar = if signed { Scalar::Int } else { Scalar::Uint };
        let vector = self.types.vector(scalar, 4);
        let [a, b] = [ids[0], ids[1]].map(|id| self.unpack_bytes(id, signed, vector));
        let ids = [a.id, b.id];
        let of = Fitted { scalar, values: vec![a, b], result: ty };
        self.integer_dot(&of, &ids)
    }
}
