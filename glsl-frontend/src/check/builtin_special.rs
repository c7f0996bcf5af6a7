//! Built-in functions that are more than one instruction, and constant calls.

use super::checker::Checker;
use super::items::Argument;
use super::values::{Constant, Value};
use crate::types::{Kind, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Capability, GlslStd450Op as Glsl, Op, StorageClass};

/// The scope of a workgroup.
const WORKGROUP: u32 = 2;
/// AcquireRelease with the memory of the workgroup.
const WORKGROUP_MEMORY: u32 = 0x108;

impl Checker<'_> {
    /// A function with code of its own. `ids` are those of the arguments that are values.
    pub(super) fn special(
        &mut self,
        name: &str,
        result: Type,
        given: Vec<Argument>,
        ids: &[u32],
        at: Span,
    ) -> Option<Value> {
        Some(match (name, &given[..]) {
            ("atan", _) => {
                let function = if ids.len() == 1 { Glsl::Atan } else { Glsl::Atan2 };
                let ty = self.id_of(result, None);
                Value::new(result, self.ext(function, ty, ids))
            }
            ("mix", [.., Argument::Value(by)]) => {
                if self.types.scalar(by.ty) == Some(Scalar::Bool) {
                    return Some(self.compute(Op::Select, result, &[ids[2], ids[1], ids[0]]));
                }
                let ty = self.id_of(result, None);
                Value::new(result, self.ext(Glsl::FMix, ty, ids))
            }
            ("dot", [Argument::Value(first), ..]) => {
                let op = if first.ty == Types::FLOAT { Op::FMul } else { Op::Dot };
                self.compute(op, result, ids)
            }
            ("matrixCompMult", [Argument::Value(a), Argument::Value(b)]) => {
                let parts: Vec<Value> = (0..self.parts(a.ty))
                    .map(|k| {
                        let [x, y] = [self.extract(a, k), self.extract(b, k)];
                        let operands = [self.id(&x), self.id(&y)];
                        self.compute(Op::FMul, x.ty, &operands)
                    })
                    .collect();
                self.compose(result, &parts)
            }
            ("outerProduct", [Argument::Value(column), Argument::Value(row)]) => {
                let [(_, rows), (_, columns)] =
                    [self.types.numeric(column.ty)?, self.types.numeric(row.ty)?];
                let ty = self.types.of(Kind::Matrix(Scalar::Float, columns, rows));
                self.compute(Op::OuterProduct, ty, ids)
            }
            ("transpose", [Argument::Value(of)]) => {
                let Kind::Matrix(scalar, columns, rows) = self.types.kind(of.ty) else {
                    return None;
                };
                let ty = self.types.of(Kind::Matrix(scalar, rows, columns));
                self.compute(Op::Transpose, ty, ids)
            }
            ("barrier", _) => {
                let scope = self.uint(WORKGROUP);
                let semantics = self.uint(WORKGROUP_MEMORY);
                self.act(Op::ControlBarrier, &[scope, scope, semantics]);
                Value::new(Types::VOID, 0)
            }
            ("noise1" | "noise2" | "noise3" | "noise4", _) => self.splat_value(result, 0),
            (_, [Argument::Place(..), ..]) => return self.interpolate(name, given, ids, at),
            _ => return None,
        })
    }

    /// The functions that interpolate an input anew.
    fn interpolate(
        &mut self,
        name: &str,
        mut given: Vec<Argument>,
        ids: &[u32],
        at: Span,
    ) -> Option<Value> {
        let Argument::Place(place, span) = given.swap_remove(0) else { return None };
        if place.class != StorageClass::Input || place.layout.is_some() {
            let message = format!("`{name}` takes an input of the shader");
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            self.also(span, "this is another variable");
            return None;
        }
        self.module.capability(Capability::InterpolationFunction);
        let function = match name {
            "interpolateAtCentroid" => Glsl::InterpolateAtCentroid,
            "interpolateAtSample" => Glsl::InterpolateAtSample,
            _ => Glsl::InterpolateAtOffset,
        };
        let mut operands = vec![self.pointer_to(&place)];
        operands.extend_from_slice(ids);
        let ty = self.id_of(place.whole, None);
        let whole = Value::new(place.whole, self.ext(function, ty, &operands));
        Some(match &place.swizzle {
            Some(components) => self.swizzle(&whole, components),
            None => whole,
        })
    }

    /// Folds a call whose result is exact, such as the length of an array needs.
    pub(super) fn fold_call(&self, name: &str, ty: Type, given: &[Argument]) -> Option<Value> {
        if !matches!(name, "abs" | "sign" | "floor" | "ceil" | "trunc" | "min" | "max" | "clamp") {
            return None;
        }
        let mut constants = Vec::new();
        for argument in given {
            let Argument::Value(value) = argument else { return None };
            constants.push(value.constant.as_deref()?);
        }
        Some(Value::constant(ty, fold(name, &constants)?))
    }
}

/// Folds component by component.
fn fold(name: &str, constants: &[&Constant]) -> Option<Constant> {
    let Constant::Composite(first) = constants.first()? else {
        let mut scalar = None;
        let mut bits = Vec::new();
        for constant in constants {
            let &&Constant::Scalar(of, word) = constant else { return None };
            scalar = Some(of);
            bits.push(word);
        }
        let scalar = scalar?;
        let bits = match scalar {
            Scalar::Float => fold_float(name, &bits)?,
            Scalar::Int => fold_integer(name, &bits, |bits| i64::from(bits as i32))?,
            Scalar::Uint => fold_integer(name, &bits, i64::from)?,
            _ => return None,
        };
        return Some(Constant::Scalar(scalar, bits));
    };
    let mut parts = Vec::new();
    for k in 0..first.len() {
        let mut own = Vec::new();
        for constant in constants {
            let Constant::Composite(parts) = constant else { return None };
            own.push(parts.get(k)?);
        }
        parts.push(fold(name, &own)?);
    }
    Some(Constant::Composite(parts))
}

/// NaN, and zeros of both signs, are left to the running program.
fn fold_float(name: &str, bits: &[u32]) -> Option<u32> {
    let numbers: Vec<f32> = bits.iter().map(|&bits| f32::from_bits(bits)).collect();
    if numbers.iter().any(|number| number.is_nan()) {
        return None;
    }
    let is_tie = |x: f32, y: f32| x == y && x.to_bits() != y.to_bits();
    let least = |x: f32, y: f32| (!is_tie(x, y)).then_some(if y < x { y } else { x });
    let most = |x: f32, y: f32| (!is_tie(x, y)).then_some(if x < y { y } else { x });
    let number = match (name, &numbers[..]) {
        ("abs", &[x]) => x.abs(),
        ("sign", &[0.0]) => 0.0,
        ("sign", &[x]) => 1.0_f32.copysign(x),
        ("floor", &[x]) => x.floor(),
        ("ceil", &[x]) => x.ceil(),
        ("trunc", &[x]) => x.trunc(),
        ("min", &[x, y]) => least(x, y)?,
        ("max", &[x, y]) => most(x, y)?,
        // Other bounds are reported by the running program.
        ("clamp", &[x, low, high]) if low <= high => least(most(x, low)?, high)?,
        _ => return None,
    };
    Some(number.to_bits())
}

fn fold_integer(name: &str, bits: &[u32], number: impl Fn(u32) -> i64) -> Option<u32> {
    let numbers: Vec<i64> = bits.iter().map(|&bits| number(bits)).collect();
    let folded = match (name, &numbers[..]) {
        ("abs", &[x]) => x.abs(),
        ("sign", &[x]) => x.signum(),
        ("min", &[x, y]) => x.min(y),
        ("max", &[x, y]) => x.max(y),
        ("clamp", &[x, low, high]) if low <= high => x.max(low).min(high),
        _ => return None,
    };
    Some(folded as u32)
}
