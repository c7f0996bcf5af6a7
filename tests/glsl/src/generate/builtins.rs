//! Calls of builtin functions.

use super::{Constants, Generator};
use crate::builtins::Builtin::{self, *};
use crate::program::{Expr, Kind, Scalar, Type};

/// Functions of one operand of floats.
const UNARY: [Builtin; 27] = [
    Radians,
    Degrees,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Asinh,
    Acosh,
    Atanh,
    Exp,
    Log,
    Exp2,
    Log2,
    Sqrt,
    InverseSqrt,
    Floor,
    Trunc,
    Round,
    RoundEven,
    Ceil,
    Fract,
    Normalize,
];

/// Functions that glslang accepts in constant expressions.
const FOLDED: [Builtin; 44] = [
    Radians,
    Degrees,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Atan2,
    Pow,
    Exp,
    Log,
    Exp2,
    Log2,
    Sqrt,
    InverseSqrt,
    Abs,
    Sign,
    Floor,
    Ceil,
    Fract,
    Trunc,
    Round,
    RoundEven,
    Mod,
    Min,
    Max,
    Clamp,
    Mix,
    Step,
    SmoothStep,
    Length,
    Distance,
    Dot,
    Cross,
    Normalize,
    Reflect,
    LessThan,
    LessThanEqual,
    GreaterThan,
    GreaterThanEqual,
    Equal,
    NotEqual,
    Not,
];

impl Generator {
    /// True if a function may stand in constant expressions: any without effects; or only those of glslang.
    fn is_constant_builtin(&self, builtin: Builtin) -> bool {
        match self.constants {
            Constants::All => builtin.first_out().is_none(),
            Constants::Glslang => FOLDED.contains(&builtin),
        }
    }

    /// A call of a builtin function with a result of that type.
    pub(super) fn builtin(&mut self, ty: &Type, depth: u32) -> Option<Expr> {
        let (builtin, types) = match *ty {
            Type::Matrix(columns, rows) => self.of_matrix_type(ty, columns, rows)?,
            Type::Scalar(scalar) | Type::Vector(scalar, _) => {
                let width = ty.width().expect("it has components");
                match scalar {
                    Scalar::Float => self.of_floats(ty, width),
                    Scalar::Bool => self.of_bools(width),
                    _ => self.of_integers(ty, scalar, width),
                }?
            }
            _ => return None,
        };
        if !builtin.is_in(self.dialect) || (self.is_constant && !self.is_constant_builtin(builtin))
        {
            return None;
        }
        let Some(first_out) = builtin.first_out() else {
            let arguments = self.operands(&types, depth);
            return Some(Expr::builtin(ty.clone(), builtin, arguments));
        };
        if self.is_pure {
            return None;
        }
        self.with_places(ty, builtin, &types, first_out, depth)
    }

    /// A call with `out` arguments.
    pub(super) fn with_places(
        &mut self,
        ty: &Type,
        builtin: Builtin,
        types: &[Type],
        first_out: usize,
        depth: u32,
    ) -> Option<Expr> {
        let mut arguments: Vec<Expr> = Vec::new();
        for (k, ty) in types.iter().enumerate() {
            arguments.push(match k < first_out {
                true => self.pure(ty, depth),
                false => {
                    let place = self.place_for(ty);
                    self.place(&place)?
                }
            });
        }
        let roots: Vec<_> =
            arguments[first_out..].iter().filter_map(crate::effects::root).collect();
        let is_twice = roots.len() == 2 && roots[0] == roots[1];
        // Values are read before places change; indices of places read nothing that changes.
        let finder = self.finder();
        let is_open = arguments[first_out..].iter().any(|place| {
            let effects = finder.of_place(place);
            !effects.is_pure() || roots.iter().any(|root| effects.reads.contains(root))
        });
        if is_twice || is_open {
            return None;
        }
        Some(Expr::new(ty.clone(), Kind::Builtin(builtin, arguments)))
    }

    /// The type of a variable that an `out` argument of this type may be: the type, or what it converts to.
    fn place_for(&mut self, ty: &Type) -> Type {
        let scalar = ty.scalar().expect("it has components");
        let mut all = vec![scalar];
        if matches!(scalar, Scalar::Int | Scalar::Uint) && self.dialect.converts() {
            all.push(Scalar::Float);
        }
        if scalar == Scalar::Int && self.dialect.converts_to_unsigned() {
            all.push(Scalar::Uint);
        }
        match self.random.percent(30) {
            true => Type::of(*self.random.pick(&all), ty.width().expect("it has components")),
            false => ty.clone(),
        }
    }

    fn pick(&mut self, all: &[Builtin]) -> Builtin {
        *self.random.pick(all)
    }

    fn of_floats(&mut self, ty: &Type, width: u8) -> Option<(Builtin, Vec<Type>)> {
        let same = |count: usize| vec![ty.clone(); count];
        let one = Type::FLOAT;
        let has_one = self.random.percent(30);
        Some(match self.random.below(20) {
            0..5 => (self.pick(&UNARY), same(1)),
            5 => (self.pick(&[Abs, Sign, Fract, Floor]), same(1)),
            6 => (self.pick(&[Pow, Atan2, Reflect, Mod, Min, Max, Step]), same(2)),
            7 if has_one => (Step, vec![one, ty.clone()]),
            7 => (self.pick(&[Mod, Min, Max]), vec![ty.clone(), one]),
            8 if has_one => {
                (self.pick(&[Clamp, Mix]), vec![ty.clone(), ty.clone(), one.clone()]).map_clamp(ty)
            }
            8 => (self.pick(&[Clamp, Mix, SmoothStep, FaceForward, Fma]), same(3)),
            9 if has_one => (SmoothStep, vec![one.clone(), one, ty.clone()]),
            9 => (Refract, vec![ty.clone(), ty.clone(), one]),
            10 => (Choose, vec![ty.clone(), ty.clone(), Type::of(Scalar::Bool, width)]),
            11 if width == 3 => (Cross, same(2)),
            11..13 if width == 1 => {
                let other = Type::of(Scalar::Float, self.random.between(1, 4) as u8);
                match self.random.below(3) {
                    0 => (Length, vec![other]),
                    1 => (Distance, vec![other.clone(), other]),
                    _ => (Dot, vec![other.clone(), other]),
                }
            }
            13 if width == 1 => {
                let size = self.random.between(2, 4) as u8;
                (Determinant, vec![Type::Matrix(size, size)])
            }
            14 => (IntBitsToFloat, vec![Type::of(Scalar::Int, width)]),
            15 => (UintBitsToFloat, vec![Type::of(Scalar::Uint, width)]),
            16 if width == 2 => {
                (self.pick(&[UnpackUnorm2x16, UnpackSnorm2x16, UnpackHalf2x16]), vec![Type::UINT])
            }
            16 if width == 4 => (self.pick(&[UnpackUnorm4x8, UnpackSnorm4x8]), vec![Type::UINT]),
            17 => (Modf, same(2)),
            18 => (Frexp, vec![ty.clone(), Type::of(Scalar::Int, width)]),
            19 => (Ldexp, vec![ty.clone(), Type::of(Scalar::Int, width)]),
            _ => return None,
        })
    }

    fn of_integers(
        &mut self,
        ty: &Type,
        scalar: Scalar,
        width: u8,
    ) -> Option<(Builtin, Vec<Type>)> {
        let same = |count: usize| vec![ty.clone(); count];
        let one = Type::Scalar(scalar);
        let is_int = scalar == Scalar::Int;
        let any = {
            let kind = if self.random.percent(50) { Scalar::Int } else { Scalar::Uint };
            Type::of(kind, width)
        };
        if self.dialect.is_old() {
            return None;
        }
        Some(match self.random.below(14) {
            0 if is_int => (self.pick(&[Abs, Sign]), same(1)),
            1 => (self.pick(&[Min, Max]), same(2)),
            2 => (self.pick(&[Min, Max]), vec![ty.clone(), one]),
            3 => (Clamp, same(3)),
            4 => (Clamp, vec![ty.clone(), one.clone(), one]),
            5 if self.dialect == crate::dialect::Dialect::Vulkan => {
                (Choose, vec![ty.clone(), ty.clone(), Type::of(Scalar::Bool, width)])
            }
            6 => (
                if is_int { FloatBitsToInt } else { FloatBitsToUint },
                vec![Type::of(Scalar::Float, width)],
            ),
            7 => (BitfieldExtract, vec![ty.clone(), Type::INT, Type::INT]),
            8 => (BitfieldInsert, vec![ty.clone(), ty.clone(), Type::INT, Type::INT]),
            9 => (BitfieldReverse, same(1)),
            10 | 11 if is_int => (self.pick(&[BitCount, FindLsb, FindMsb]), vec![any]),
            10 if width == 1 => {
                let (function, count) = *self.random.pick(&[
                    (PackUnorm2x16, 2),
                    (PackSnorm2x16, 2),
                    (PackHalf2x16, 2),
                    (PackUnorm4x8, 4),
                    (PackSnorm4x8, 4),
                ]);
                (function, vec![Type::of(Scalar::Float, count)])
            }
            11 => (self.pick(&[AddCarry, SubBorrow]), same(3)),
            _ => return None,
        })
    }

    fn of_bools(&mut self, width: u8) -> Option<(Builtin, Vec<Type>)> {
        if width == 1 {
            return Some(match self.random.below(4) {
                0 => (self.pick(&[IsNan, IsInf]), vec![Type::FLOAT]),
                _ => {
                    let vector = Type::of(Scalar::Bool, self.random.between(2, 4) as u8);
                    (self.pick(&[Any, All]), vec![vector])
                }
            });
        }
        let scalar = self.scalar();
        let operand = Type::of(scalar, width);
        let two = vec![operand.clone(), operand];
        Some(match self.random.below(6) {
            0 => (Not, vec![Type::of(Scalar::Bool, width)]),
            1 => (self.pick(&[IsNan, IsInf]), vec![Type::of(Scalar::Float, width)]),
            2 => (self.pick(&[Equal, NotEqual]), two),
            3 => (Choose, vec![Type::of(Scalar::Bool, width); 3])
                .unless(self.dialect != crate::dialect::Dialect::Vulkan)?,
            _ if scalar == Scalar::Bool => (self.pick(&[Equal, NotEqual]), two),
            _ => (self.pick(&[LessThan, LessThanEqual, GreaterThan, GreaterThanEqual]), two),
        })
    }

    fn of_matrix_type(&mut self, ty: &Type, columns: u8, rows: u8) -> Option<(Builtin, Vec<Type>)> {
        Some(match self.random.below(4) {
            0 => (MatrixCompMult, vec![ty.clone(), ty.clone()]),
            1 => (Transpose, vec![Type::Matrix(rows, columns)]),
            2 if columns == rows => (Inverse, vec![ty.clone()]),
            _ => (
                OuterProduct,
                vec![Type::of(Scalar::Float, rows), Type::of(Scalar::Float, columns)],
            ),
        })
    }
}

/// Small changes of a choice.
trait Choice: Sized {
    fn map_clamp(self, ty: &Type) -> Self;
    fn unless(self, is_refused: bool) -> Option<Self>;
}

impl Choice for (Builtin, Vec<Type>) {
    /// `clamp` has two scalars after the vector.
    fn map_clamp(mut self, _: &Type) -> Self {
        if self.0 == Clamp {
            self.1[1] = Type::FLOAT;
        }
        self
    }

    fn unless(self, is_refused: bool) -> Option<Self> {
        (!is_refused).then_some(self)
    }
}
