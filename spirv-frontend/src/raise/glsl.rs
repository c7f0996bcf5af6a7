//! The functions of GLSL.std.450: operations of the core, and expansions in the order of LANGUAGE §6.
//!
//! Results that the instruction set leaves open — minima of NaN, signs of zeros — are those of
//! LANGUAGE's own functions. NMin, NMax and NClamp prefer numbers to NaN.

use super::raiser::Raiser;
use crate::error::{RaiseError, Result};
use crate::module::Instruction;
use lambdav_core::graph::NodeId;
use lambdav_core::op::{Elementary, Op as Core};
use lambdav_core::types::{Scalar, Type};
use rspirv::spirv::GlslStd450Op as Glsl;

/// π/180 and 180/π.
const RADIANS: f32 = 0.017_453_292;
const DEGREES: f32 = 57.295_78;

/// The core operation that a function equals, and its number of operands.
fn direct(function: Glsl) -> Option<(Core, usize)> {
    let of = |function| Some((Core::Elementary(function), function.arity()));
    match function {
        Glsl::Round | Glsl::RoundEven => Some((Core::RoundEven, 1)),
        Glsl::Trunc => Some((Core::Trunc, 1)),
        Glsl::FAbs => Some((Core::Abs, 1)),
        Glsl::Floor => Some((Core::Floor, 1)),
        Glsl::Ceil => Some((Core::Ceil, 1)),
        Glsl::Sqrt => Some((Core::Sqrt, 1)),
        Glsl::FMin => Some((Core::Min, 2)),
        Glsl::FMax => Some((Core::Max, 2)),
        Glsl::Fma => Some((Core::Fma, 3)),
        Glsl::Sin => of(Elementary::Sin),
        Glsl::Cos => of(Elementary::Cos),
        Glsl::Tan => of(Elementary::Tan),
        Glsl::Asin => of(Elementary::Asin),
        Glsl::Acos => of(Elementary::Acos),
        Glsl::Atan => of(Elementary::Atan),
        Glsl::Sinh => of(Elementary::Sinh),
        Glsl::Cosh => of(Elementary::Cosh),
        Glsl::Tanh => of(Elementary::Tanh),
        Glsl::Asinh => of(Elementary::Asinh),
        Glsl::Acosh => of(Elementary::Acosh),
        Glsl::Atanh => of(Elementary::Atanh),
        Glsl::Exp => of(Elementary::Exp),
        Glsl::Exp2 => of(Elementary::Exp2),
        Glsl::Log => of(Elementary::Log),
        Glsl::Log2 => of(Elementary::Log2),
        Glsl::Atan2 => of(Elementary::Atan2),
        Glsl::Pow => of(Elementary::Pow),
        _ => None,
    }
}

/// The integer operation of a function, and the signedness of its operands.
fn of_integers(function: Glsl) -> Option<(Core, Scalar)> {
    Some(match function {
        Glsl::SAbs => (Core::Abs, Scalar::I32),
        Glsl::SMin => (Core::Min, Scalar::I32),
        Glsl::SMax => (Core::Max, Scalar::I32),
        Glsl::UMin => (Core::Min, Scalar::U32),
        Glsl::UMax => (Core::Max, Scalar::U32),
        _ => return None,
    })
}

/// Number of operands of a function that expands to operations.
fn operand_count(function: Glsl) -> usize {
    match function {
        Glsl::FClamp
        | Glsl::SClamp
        | Glsl::UClamp
        | Glsl::NClamp
        | Glsl::FMix
        | Glsl::SmoothStep
        | Glsl::FaceForward
        | Glsl::Refract => 3,
        Glsl::NMin
        | Glsl::NMax
        | Glsl::Step
        | Glsl::Distance
        | Glsl::Cross
        | Glsl::Reflect
        | Glsl::Ldexp
        | Glsl::SMin
        | Glsl::SMax
        | Glsl::UMin
        | Glsl::UMax => 2,
        _ => 1,
    }
}

impl Raiser<'_, '_> {
    /// The value of a function.
    pub(super) fn glsl(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let Some(function) = Glsl::from_u32(of.operand(3)?) else {
            return Err(of.malformed("GLSL.std.450 has no function of that number"));
        };
        let unsupported =
            || Err(of.unsupported(&format!("{function:?} of GLSL.std.450 is not supported")));
        if let Glsl::Modf
        | Glsl::Frexp
        | Glsl::InterpolateAtCentroid
        | Glsl::InterpolateAtSample
        | Glsl::InterpolateAtOffset = function
        {
            return unsupported();
        }
        let mut x = self.operands(of, 4)?;
        let core = direct(function);
        let count = core.map_or_else(|| operand_count(function), |(_, count)| count);
        if x.len() != count {
            let found = x.len();
            let what = format!("{function:?} takes {count} operands, and here are {found}");
            return Err(of.malformed(&what));
        }
        if let Some((core, _)) = core {
            return self.op(core, &x);
        }
        if let Some((core, scalar)) = of_integers(function) {
            for operand in &mut x {
                *operand = self.integer_as(*operand, scalar)?;
            }
            return self.op(core, &x);
        }
        // Surplus elements are never used.
        let [a, b, c] = [0, 1, 2].map(|k| x[k.min(count - 1)]);
        let ty = self.type_of(a);
        match function {
            Glsl::Fract => self.fract(a),
            Glsl::Radians | Glsl::Degrees => {
                let factor = if function == Glsl::Radians { RADIANS } else { DEGREES };
                let factor = self.number(ty, factor);
                self.op(Core::Mul, &[a, factor])
            }
            Glsl::InverseSqrt => {
                let (one, root) = (self.number(ty, 1.0), self.op(Core::Sqrt, &[a])?);
                self.op(Core::Div, &[one, root])
            }
            Glsl::FSign | Glsl::SSign => self.sign(a, function == Glsl::SSign),
            Glsl::FClamp => self.clamp(a, b, c),
            Glsl::SClamp | Glsl::UClamp => {
                let scalar = if function == Glsl::SClamp { Scalar::I32 } else { Scalar::U32 };
                let [a, b, c] = [
                    self.integer_as(a, scalar)?,
                    self.integer_as(b, scalar)?,
                    self.integer_as(c, scalar)?,
                ];
                self.clamp(a, b, c)
            }
            Glsl::NMin => self.prefer_number(Core::Min, a, b),
            Glsl::NMax => self.prefer_number(Core::Max, a, b),
            Glsl::NClamp => {
                let above = self.prefer_number(Core::Max, a, b)?;
                self.prefer_number(Core::Min, above, c)
            }
            Glsl::FMix => {
                let one = self.number(ty, 1.0);
                let rest = self.op(Core::Sub, &[one, c])?;
                let [first, second] =
                    [self.op(Core::Mul, &[a, rest])?, self.op(Core::Mul, &[b, c])?];
                self.op(Core::Add, &[first, second])
            }
            Glsl::Step => {
                let [zero, one] = [0.0, 1.0].map(|number| self.number(ty, number));
                let is_below = self.op(Core::Less, &[b, a])?;
                self.op(Core::Select, &[is_below, zero, one])
            }
            Glsl::SmoothStep => {
                let [zero, one, two, three] =
                    [0.0, 1.0, 2.0, 3.0].map(|number| self.number(ty, number));
                let [way, width] = [self.op(Core::Sub, &[c, a])?, self.op(Core::Sub, &[b, a])?];
                let t = self.op(Core::Div, &[way, width])?;
                let t = self.clamp(t, zero, one)?;
                let square = self.op(Core::Mul, &[t, t])?;
                let double = self.op(Core::Mul, &[two, t])?;
                let rest = self.op(Core::Sub, &[three, double])?;
                self.op(Core::Mul, &[square, rest])
            }
            Glsl::Length => self.length(a),
            Glsl::Distance => {
                let difference = self.op(Core::Sub, &[a, b])?;
                self.length(difference)
            }
            Glsl::Normalize => {
                let length = self.length(a)?;
                let length = self.spread(length, ty)?;
                self.op(Core::Div, &[a, length])
            }
            Glsl::Cross => self.cross(a, b),
            Glsl::FaceForward => {
                let product = self.dot(c, b)?;
                let zero = self.number(Type::NUM, 0.0);
                let is_toward = self.op(Core::Less, &[product, zero])?;
                let back = self.op(Core::Neg, &[a])?;
                self.op(Core::Select, &[is_toward, a, back])
            }
            Glsl::Reflect => {
                let product = self.dot(b, a)?;
                let two = self.number(Type::NUM, 2.0);
                let double = self.op(Core::Mul, &[two, product])?;
                let double = self.spread(double, ty)?;
                let normal = self.op(Core::Mul, &[b, double])?;
                self.op(Core::Sub, &[a, normal])
            }
            Glsl::Refract => self.refract(a, b, c),
            Glsl::Determinant => self.determinant(a),
            Glsl::MatrixInverse => self.inverse(a),
            Glsl::ModfStruct => {
                let whole = self.op(Core::Trunc, &[a])?;
                let rest = self.rest_of(a, whole)?;
                let ty = self.core_type(of.operand(0)?)?;
                self.construct(ty, vec![rest, whole])
            }
            Glsl::FrexpStruct => {
                let [significand, exponent] = [self.significand(a)?, self.exponent(a)?];
                let ty = self.core_type(of.operand(0)?)?;
                self.construct(ty, vec![significand, exponent])
            }
            Glsl::Ldexp => self.ldexp(a, b),
            Glsl::FindILsb => self.first_trailing_bit(a),
            Glsl::FindSMsb | Glsl::FindUMsb => {
                self.first_leading_bit(a, function == Glsl::FindSMsb)
            }
            Glsl::PackSnorm4x8 => self.pack(a, 127.0, 8, true),
            Glsl::PackUnorm4x8 => self.pack(a, 255.0, 8, false),
            Glsl::PackSnorm2x16 => self.pack(a, 32_767.0, 16, true),
            Glsl::PackUnorm2x16 => self.pack(a, 65_535.0, 16, false),
            Glsl::PackHalf2x16 => self.pack_half(a),
            Glsl::UnpackSnorm4x8 => self.unpack(a, 127.0, 8, true),
            Glsl::UnpackUnorm4x8 => self.unpack(a, 255.0, 8, false),
            Glsl::UnpackSnorm2x16 => self.unpack(a, 32_767.0, 16, true),
            Glsl::UnpackUnorm2x16 => self.unpack(a, 65_535.0, 16, false),
            Glsl::UnpackHalf2x16 => self.unpack_half(a),
            _ => unsupported(),
        }
    }

    /// Results of a function with a pointer: the returned value and the stored one.
    pub(super) fn glsl_with_pointer(
        &mut self,
        of: &Instruction<'_>,
    ) -> Result<Option<(NodeId, NodeId)>> {
        let a = || of.operand(4);
        let function = Glsl::from_u32(of.operand(3)?);
        if matches!(function, Some(Glsl::Modf | Glsl::Frexp)) && of.operands.len() != 6 {
            return Err(of.malformed("it takes a number and a pointer"));
        }
        Ok(match function {
            Some(Glsl::Modf) => {
                let a = self.node(a()?)?;
                let whole = self.op(Core::Trunc, &[a])?;
                Some((self.rest_of(a, whole)?, whole))
            }
            Some(Glsl::Frexp) => {
                let a = self.node(a()?)?;
                Some((self.significand(a)?, self.exponent(a)?))
            }
            _ => None,
        })
    }

    /// The fractional part of a number, with its sign; zero for an infinity.
    fn rest_of(&mut self, x: NodeId, whole: NodeId) -> Result<NodeId> {
        let rest = self.op(Core::Sub, &[x, whole])?;
        let is_whole = self.op(Core::Equal, &[x, whole])?;
        // A zero with the sign of `x`.
        let bits = self.op(Core::Bits, &[x])?;
        let sign = self.splat(self.type_of(bits), 1 << 31);
        let sign = self.op(Core::And, &[bits, sign])?;
        let signed_zero = self.op(Core::FromBits, &[sign])?;
        self.op(Core::Select, &[is_whole, signed_zero, rest])
    }

    pub(super) fn fract(&mut self, x: NodeId) -> Result<NodeId> {
        let floor = self.op(Core::Floor, &[x])?;
        self.op(Core::Sub, &[x, floor])
    }

    pub(super) fn clamp(&mut self, x: NodeId, low: NodeId, high: NodeId) -> Result<NodeId> {
        let above = self.op(Core::Max, &[x, low])?;
        self.op(Core::Min, &[above, high])
    }

    fn sign(&mut self, x: NodeId, is_integer: bool) -> Result<NodeId> {
        let x = if is_integer { self.integer_as(x, Scalar::I32)? } else { x };
        let ty = self.type_of(x);
        let words = match is_integer {
            true => [0, 1, u32::MAX],
            false => [0.0_f32, 1.0, -1.0].map(f32::to_bits),
        };
        let [zero, one, minus] = words.map(|word| self.splat(ty, word));
        let is_below = self.op(Core::Less, &[x, zero])?;
        let below = self.op(Core::Select, &[is_below, minus, zero])?;
        let is_above = self.op(Core::Less, &[zero, x])?;
        self.op(Core::Select, &[is_above, one, below])
    }

    /// The other operand if one is NaN.
    fn prefer_number(&mut self, core: Core, a: NodeId, b: NodeId) -> Result<NodeId> {
        let chosen = self.op(core, &[a, b])?;
        let is_nan = self.op(Core::NotEqual, &[a, a])?;
        self.op(Core::Select, &[is_nan, b, chosen])
    }

    pub(super) fn length(&mut self, v: NodeId) -> Result<NodeId> {
        if self.type_of(v) == Type::NUM {
            return self.op(Core::Abs, &[v]);
        }
        let square = self.dot(v, v)?;
        self.op(Core::Sqrt, &[square])
    }

    fn cross(&mut self, a: NodeId, b: NodeId) -> Result<NodeId> {
        let [p, q] = [self.scalars(&[a])?, self.scalars(&[b])?];
        let (&[ax, ay, az], &[bx, by, bz]) = (&p[..], &q[..]) else {
            return Err(RaiseError::malformed("its operands have not three components"));
        };
        let mut part = |[a, b, c, d]: [NodeId; 4]| {
            let [first, second] = [self.op(Core::Mul, &[a, b])?, self.op(Core::Mul, &[c, d])?];
            self.op(Core::Sub, &[first, second])
        };
        let parts = vec![part([ay, bz, az, by])?, part([az, bx, ax, bz])?, part([ax, by, ay, bx])?];
        self.construct(Type::vec(3), parts)
    }

    fn refract(&mut self, i: NodeId, n: NodeId, eta: NodeId) -> Result<NodeId> {
        let ty = self.type_of(i);
        let [zero, one] = [0.0, 1.0].map(|number| self.number(Type::NUM, number));
        let d = self.dot(n, i)?;
        let square = self.op(Core::Mul, &[d, d])?;
        let rest = self.op(Core::Sub, &[one, square])?;
        let eta_square = self.op(Core::Mul, &[eta, eta])?;
        let product = self.op(Core::Mul, &[eta_square, rest])?;
        let k = self.op(Core::Sub, &[one, product])?;
        let is_total = self.op(Core::Less, &[k, zero])?;
        let along = self.op(Core::Mul, &[eta, d])?;
        let root = self.op(Core::Sqrt, &[k])?;
        let factor = self.op(Core::Add, &[along, root])?;
        let [eta, factor] = [self.spread(eta, ty)?, self.spread(factor, ty)?];
        let [first, second] = [self.op(Core::Mul, &[i, eta])?, self.op(Core::Mul, &[n, factor])?];
        let bent = self.op(Core::Sub, &[first, second])?;
        let nothing = self.number(ty, 0.0);
        self.op(Core::Select, &[is_total, nothing, bent])
    }
}
