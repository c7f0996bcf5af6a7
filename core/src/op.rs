//! The primitive operations of the core, and their results to the bit.
//!
//! A backend implements these and nothing else; every other builtin expands into them. [`Op::apply`] defines
//! the semantics: constant folding and both evaluators call it.
//!
//! Values are slices of `u32`, one word per component (`f32::to_bits`, 0/1 for `bool`, the bits of
//! an `int` or `uint`), vectors in order, matrices by columns.
//!
//! *Operations are total and pure. Every NaN that one computes is 0x7fc00000.*

use crate::float::canonical_bits;
use crate::math;
use crate::memory::MemoryOp;
use crate::resource::Bound;
use crate::types::{ResourceKind, Scalar, Type, TypeKind, Types};

pub use crate::float::NAN;

/// Defines [`Elementary`], with a variant for each function of [`math`]. The function's name is also its name
/// in λV and in core text.
macro_rules! elementary {
    (unary { $($one:ident = $one_name:ident,)* } binary { $($two:ident = $two_name:ident,)* }) => {
        /// A correctly rounded function of LANGUAGE §6.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "each is the function of its name")]
        pub enum Elementary { $($one,)* $($two,)* }

        impl Elementary {
            /// All of them.
            pub const ALL: [Self; [$(stringify!($one),)* $(stringify!($two),)*].len()] =
                [$(Self::$one,)* $(Self::$two,)*];

            /// The name in λV and in core text.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$one => stringify!($one_name),)*
                    $(Self::$two => stringify!($two_name),)*
                }
            }

            /// The number of operands, 1 or 2.
            pub fn arity(self) -> usize {
                match self {
                    $(Self::$one)|* => 1,
                    $(Self::$two)|* => 2,
                }
            }

            /// The correctly rounded value of the unary function at `x`, or of the binary one at
            /// `(x, y)` in the order of the λV operands; `y` is ignored by unary functions.
            pub fn evaluate(self, x: f32, y: f32) -> f32 {
                match self {
                    $(Self::$one => math::$one_name(x),)*
                    $(Self::$two => math::$two_name(x, y),)*
                }
            }

            /// The same in binary64.
            pub fn evaluate_binary64(self, x: f64, y: f64) -> f64 {
                match self {
                    $(Self::$one => math::binary64::$one_name(x),)*
                    $(Self::$two => math::binary64::$two_name(x, y),)*
                }
            }
        }
    };
}

elementary! {
    unary {
        Sin = sin,
        Cos = cos,
        Tan = tan,
        Asin = asin,
        Acos = acos,
        Atan = atan,
        Sinh = sinh,
        Cosh = cosh,
        Tanh = tanh,
        Asinh = asinh,
        Acosh = acosh,
        Atanh = atanh,
        Exp = exp,
        Exp2 = exp2,
        Log = log,
        Log2 = log2,
    }
    binary {
        // (atan2 y x)
        Atan2 = atan2,
        // (pow x y)
        Pow = pow,
    }
}

/// A primitive operation: total and pure. It reads only its operands and, if one of them is a resource, that
/// resource's data.
///
/// *Numbers* are `num`, `int`, `uint` and their vectors; *integers* are `int`, `uint` and their vectors.
/// Arithmetic on integers wraps modulo 2^32.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Op {
    /// Componentwise on numbers: `-x`.
    Neg,
    /// Componentwise on numbers. For `num`, clears the sign bit; the least `int` stays as it is.
    Abs,
    /// Componentwise: toward −∞.
    Floor,
    /// Componentwise: toward +∞.
    Ceil,
    /// Componentwise: toward zero.
    Trunc,
    /// Componentwise: to nearest, ties to even.
    RoundEven,
    /// Componentwise: IEEE square root.
    Sqrt,
    /// Componentwise on two equal types of numbers.
    Add,
    /// Componentwise on two equal types of numbers.
    Sub,
    /// Componentwise on two equal types of numbers.
    Mul,
    /// Componentwise on two equal types of numbers. Integer division truncates toward zero; dividing by 0, or
    /// the least `int` by −1, yields the dividend.
    Div,
    /// Componentwise on two equal types of integers: the remainder of [`Op::Div`], with the sign of the
    /// dividend. It is 0 for a divisor of 0, and for the least `int` by −1.
    Rem,
    /// Componentwise on two equal types of integers: the upper 32 bits of the 64-bit product.
    MulHigh,
    /// Componentwise on three equal types of nums: `a·b + c`, rounded once.
    Fma,
    /// `(at, x, y, origin)`: `x·at.x + (y·at.y + origin)` in binary64, rounded to a `num`. `at` is a `vec2`;
    /// `x`, `y` (each a `vec2`) and `origin` (a `vec3`) are the sums of their components, from the first to
    /// the last, in binary64. Edge functions of triangles are exact before the last rounding.
    Plane,
    /// Componentwise on two equal types of numbers: `b < a ? b : a`.
    Min,
    /// Componentwise on two equal types of numbers: `a < b ? b : a`.
    Max,
    /// Componentwise to `bool`/`bvec`, of two equal types of numbers.
    Less,
    /// Componentwise to `bool`/`bvec`, of two equal types of numbers.
    LessEqual,
    /// Componentwise to `bool`/`bvec`, of two equal types of numbers or of bools.
    Equal,
    /// The negation of [`Op::Equal`].
    NotEqual,
    /// Componentwise on bools, or bitwise on integers.
    And,
    /// Componentwise on bools, or bitwise on integers.
    Or,
    /// Bitwise on integers.
    Xor,
    /// Componentwise on bools, or bitwise on integers.
    Not,
    /// `(a, n)`: componentwise on integers `a` and equally many `uint`s `n`, taken modulo 32.
    ShiftLeft,
    /// The same to the right: arithmetic for `int`, logical for `uint`.
    ShiftRight,
    /// `bvec` to `bool`.
    Any,
    /// `bvec` to `bool`.
    All,
    /// `(c, a, b)`: a whole value of any type by a `bool`, or componentwise by a `bvecN`.
    Select,
    /// Componentwise from another scalar type. From `num` to an integer: toward zero, saturating, 0 for NaN.
    /// Between integers: the same bits. From an integer to `num`: to nearest, ties to even. From `bool`: 0
    /// or 1. To `bool`: true unless 0.
    Convert(Scalar),
    /// Componentwise from `num` to `uint`: the bits; [`NAN`] for any NaN.
    Bits,
    /// Componentwise from `uint` to `num`: the number with these bits.
    FromBits,
    /// A value from its parts ([`Types::parts`]): a vector from its scalars, a matrix from its columns, a
    /// structure from its fields, an array from its elements. The operand of the variant is the result's
    /// type.
    Construct(Type),
    /// One component of a vector.
    Component(u8),
    /// One column of a matrix.
    Column(u8),
    /// One field of a structure.
    Field(u32),
    /// `(a, index)`: one part of an array, vector or matrix. The index is an `int` or `uint`, clamped to the
    /// existing parts.
    At,
    /// `(a, index, part)`: the array, vector or matrix `a` with one part replaced. The index is clamped
    /// likewise.
    Update,
    /// A variant of this case (by index), from the case's fields.
    Inject(Type, u32),
    /// The index of a variant's case, as a `uint`.
    Tag,
    /// `(case, field)`: the words of a field, if the variant is of this case. Otherwise the words belong to
    /// another field or are zero, and no result depends on them.
    Payload(u32, u32),
    /// `(texture, place, level)`: the texel, a `vec4`, at the column and row `place`, an `ivec2`, of a level,
    /// an `int`. If the texture has planes, the place is an `ivec3`, whose third component is the plane. All are clamped to the
    /// texture.
    Texel,
    /// `(texture, level)`: width and height, an `ivec2`, of a level, an `int`, which is clamped. If the texture has planes, an
    /// `ivec3` with their number.
    TextureSize,
    /// The number of levels of a texture: an `int`.
    TextureLevels,
    /// `(texture, place, level)`: a sample, a `vec4`, by the device's own sampler, at a `vec2` and a level of
    /// detail, a `num`. Only for textures with [`native`](crate::texture::TextureOptions::native) samples,
    /// and only in SPIR-V.
    Sample,
    /// `(buffer, index)`: an element. The index is an `int` or `uint`, clamped to the existing elements.
    Element,
    /// The number of elements of a buffer: an `int`.
    Length,
    /// `(value, others…)`: the value, after evaluating the others, which might not end. At least one other.
    After,
    /// `(hit, shown…)`: the `bool` `hit`. If it is true, the evaluation is reported as the probe of this number, with the
    /// values of the others ([`crate::probes`]). So it is evaluated only where it is needed.
    Probe(u32),
    /// An elementary function, componentwise.
    Elementary(Elementary),
    /// An operation on a state of a memory. Only a dispatch evaluates it ([`crate::evaluate::Dispatch`]).
    Memory(MemoryOp),
}

fn is_index(ty: Type) -> bool {
    matches!(ty, Type::INT | Type::UINT)
}

/// The word of [`Op::Plane`].
fn plane([at, x, y, origin]: [&[u32]; 4]) -> u32 {
    let wide = |word: &u32| f64::from(f32::from_bits(*word));
    let sum = |words: &[u32]| words[1..].iter().fold(wide(&words[0]), |sum, word| sum + wide(word));
    let row = sum(y) * wide(&at[1]) + sum(origin);
    canonical_bits((sum(x) * wide(&at[0]) + row) as f32)
}

/// The type of the parts that can be chosen by index.
fn indexed_part(types: &Types, ty: Type) -> Option<Type> {
    match types.kind(ty) {
        TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Array(..) => {
            types.part(ty, 0).map(|(part, _)| part)
        }
        TypeKind::Scalar(_)
        | TypeKind::Structure(_)
        | TypeKind::Variant(_)
        | TypeKind::Resource(_) => None,
    }
}

/// True if a type is a texture with the device's own samples.
fn is_native(types: &Types, ty: Type) -> bool {
    matches!(types.resource_kind(ty), Some(ResourceKind::Texture(options)) if options.native)
}

/// The type of a texture's texels.
fn texels_of(types: &Types, ty: Type) -> Option<Type> {
    match types.resource_kind(ty)? {
        ResourceKind::Texture(options) => Some(Type::of(options.texels.into(), 4)),
        ResourceKind::Buffer(_) | ResourceKind::Memory(_) => None,
    }
}

/// The type of a texel's place in a texture, and of a size.
fn place_of(types: &Types, ty: Type) -> Option<Type> {
    match types.resource_kind(ty)? {
        ResourceKind::Texture(options) => Some(Type::of(Scalar::I32, options.kind.axes())),
        ResourceKind::Buffer(_) | ResourceKind::Memory(_) => None,
    }
}

/// The type of a buffer's elements.
fn element_of(types: &Types, ty: Type) -> Option<Type> {
    match types.resource_kind(ty)? {
        ResourceKind::Buffer(element) => Some(element),
        ResourceKind::Texture(_) | ResourceKind::Memory(_) => None,
    }
}

/// True for an array that holds states: no value of such a type is made, since an index would choose among states.
fn has_scattered_state(types: &Types, ty: Type) -> bool {
    types.holds_state(ty) && !matches!(types.kind(ty), TypeKind::Structure(_))
}

/// The clamped index of [`Op::At`] or [`Op::Update`], their second operand.
fn clamped(types: &Types, of: &[Type], operands: &[&[u32]]) -> usize {
    clamped_index(of[1], operands[1][0], types.parts(of[0]).len())
}

/// An index of type `int` or `uint`, clamped to `count` parts, as by [`Op::At`], [`Op::Update`] and
/// [`Op::Element`].
pub fn clamped_index(ty: Type, word: u32, count: usize) -> usize {
    let is_below = ty == Type::INT && (word as i32) < 0;
    if is_below { 0 } else { (word as usize).min(count - 1) }
}

impl Op {
    /// The type of the result for operands of these types; `None` if the operation is not defined on them.
    pub fn result_type(self, types: &Types, operands: &[Type]) -> Option<Type> {
        let is_number = |ty: Type| ty.is_num() || ty.is_integer();
        let is_texture = |ty| place_of(types, ty).map(drop);
        match (self, operands) {
            (Self::Neg | Self::Abs, &[a]) if is_number(a) => Some(a),
            (Self::Floor | Self::Ceil | Self::Trunc | Self::RoundEven | Self::Sqrt, &[a])
                if a.is_num() =>
            {
                Some(a)
            }
            (Self::Add | Self::Sub | Self::Mul | Self::Div | Self::Min | Self::Max, &[a, b])
                if a == b && is_number(a) =>
            {
                Some(a)
            }
            (Self::Rem | Self::MulHigh | Self::Xor, &[a, b]) if a == b && a.is_integer() => Some(a),
            (Self::Fma, &[a, b, c]) if a == b && b == c && a.is_num() => Some(a),
            (Self::Plane, &[at, x, y, origin])
                if [at, x, y] == [Type::vec(2); 3] && origin == Type::vec(3) =>
            {
                Some(Type::NUM)
            }
            (Self::Less | Self::LessEqual, &[a, b]) if a == b && is_number(a) => {
                Some(Type::bvec(a.width()?))
            }
            (Self::Equal | Self::NotEqual, &[a, b]) if a == b => Some(Type::bvec(a.width()?)),
            (Self::And | Self::Or, &[a, b]) if a == b && (a.is_bool() || a.is_integer()) => Some(a),
            (Self::Not, &[a]) if a.is_bool() || a.is_integer() => Some(a),
            (Self::ShiftLeft | Self::ShiftRight, &[a, n])
                if a.is_integer() && n.scalar() == Some(Scalar::U32) && a.width() == n.width() =>
            {
                Some(a)
            }
            (Self::Any | Self::All, &[a]) if a.is_bool() && a != Type::BOOL => Some(Type::BOOL),
            // No select between states: the machine has one content for each memory.
            (Self::Select, &[Type::BOOL, a, b]) if a == b && !types.holds_state(a) => Some(a),
            (Self::Select, &[c, a, b]) if a == b && c.is_bool() && a.width() == c.width() => {
                Some(a)
            }
            (Self::Convert(to), &[a]) if a.scalar() != Some(to) => Some(Type::of(to, a.width()?)),
            (Self::Bits, &[a]) if a.is_num() => Some(Type::of(Scalar::U32, a.width()?)),
            (Self::FromBits, &[a]) if a.scalar() == Some(Scalar::U32) => {
                Some(Type::vec(a.width()?))
            }
            (Self::Construct(ty), parts)
                if !matches!(types.kind(ty), TypeKind::Scalar(_) | TypeKind::Variant(_))
                    && !has_scattered_state(types, ty) =>
            {
                types.parts(ty).eq(parts.iter().copied()).then_some(ty)
            }
            (Self::Component(k), &[a]) if matches!(types.kind(a), TypeKind::Vector(..)) => {
                types.part(a, k.into()).map(|(part, _)| part)
            }
            (Self::Column(k), &[a]) if matches!(types.kind(a), TypeKind::Matrix(..)) => {
                types.part(a, k.into()).map(|(part, _)| part)
            }
            (Self::Field(k), &[a]) => {
                types.structure(a).and_then(|structure| Some(structure.fields.get(k as usize)?.ty))
            }
            (Self::At, &[a, index]) if is_index(index) => indexed_part(types, a),
            (Self::Update, &[a, index, part])
                if is_index(index) && indexed_part(types, a) == Some(part) =>
            {
                Some(a)
            }
            (Self::Inject(ty, case), fields) => {
                let case = types.case(ty, case)?;
                let of = case.fields.iter().map(|field| field.ty);
                (of.eq(fields.iter().copied()) && !types.holds_state(ty)).then_some(ty)
            }
            (Self::Tag, &[a]) => types.variant(a).map(|_| Type::UINT),
            (Self::Payload(case, field), &[a]) => {
                let case = types.case(a, case)?;
                Some(case.fields.get(field as usize)?.ty)
            }
            (Self::Texel, &[texture, place, Type::INT]) => {
                let texels = texels_of(types, texture)?;
                (place_of(types, texture) == Some(place)).then_some(texels)
            }
            (Self::TextureSize, &[texture, Type::INT]) => place_of(types, texture),
            (Self::TextureLevels, &[texture]) => is_texture(texture).map(|_| Type::INT),
            (Self::Sample, &[texture, place, Type::NUM]) if place == Type::vec(2) => {
                is_native(types, texture).then_some(Type::vec(4))
            }
            (Self::Element, &[buffer, index]) if is_index(index) => element_of(types, buffer),
            (Self::Length, &[buffer]) => element_of(types, buffer).map(|_| Type::INT),
            (Self::After, &[a, _, ..]) => Some(a),
            (Self::Probe(_), &[Type::BOOL, ..]) => Some(Type::BOOL),
            (Self::Memory(op), operands) => op.result_type(types, operands),
            (Self::Elementary(f), &[a]) if f.arity() == 1 && a.is_num() => Some(a),
            (Self::Elementary(f), &[a, b]) if f.arity() == 2 && a == b && a.is_num() => Some(a),
            _ => None,
        }
    }

    /// The index of the part that the operation takes of its only operand, whatever its value.
    pub fn fixed_part(self) -> Option<usize> {
        match self {
            Self::Component(k) | Self::Column(k) => Some(k.into()),
            Self::Field(k) => Some(k as usize),
            _ => None,
        }
    }

    /// True if the operation reads a resource, its first operand, or a memory: the result is unknown before data is
    /// bound.
    pub fn reads_resource(self) -> bool {
        matches!(
            self,
            Self::Texel
                | Self::TextureSize
                | Self::TextureLevels
                | Self::Sample
                | Self::Element
                | Self::Length
                | Self::Memory(_)
        )
    }

    /// True if the operation makes the next state of a memory.
    pub fn is_effect(self) -> bool {
        matches!(self, Self::Memory(op) if op.is_effect())
    }

    /// Computes the operation on operands and on the data of the program's resources. An operation that reads
    /// no resource is left to [`Op::apply`].
    ///
    /// # Panics
    ///
    /// If the operation reads a resource without data, or a memory.
    pub fn evaluate(
        self,
        types: &Types,
        resources: &[Bound],
        of: &[Type],
        operands: &[&[u32]],
        out: &mut [u32],
    ) {
        if !self.reads_resource() {
            return self.apply(types, of, operands, out);
        }
        assert!(!matches!(self, Self::Memory(_)), "a dispatch evaluates operations on memories");
        let number = types.resource(of[0]).expect("the operand is a resource");
        let texture = match &resources[number] {
            Bound::Texture(data) => data,
            Bound::Buffer(data) => {
                match self {
                    Self::Element => {
                        let index = clamped_index(of[1], operands[1][0], data.len());
                        out.copy_from_slice(data.element(index));
                    }
                    _ => out[0] = data.len() as u32,
                }
                return;
            }
            Bound::Nothing => panic!("all resources are bound"),
        };
        let int = |operand: usize, k: usize| operands[operand][k] as i32;
        match self {
            Self::Texel => {
                let plane = operands[1].get(2).map_or(0, |&plane| plane as i32);
                let texel = texture.texel_of_plane([int(1, 0), int(1, 1), plane], int(2, 0));
                out.copy_from_slice(&texel.map(f32::to_bits));
            }
            Self::TextureSize => {
                let level = texture.level(int(1, 0));
                let size = [level.width, level.height, level.planes];
                out.copy_from_slice(&size[..out.len()]);
            }
            Self::Sample => unreachable!("no data is bound to a texture that a device samples"),
            _ => out[0] = texture.levels().len() as u32,
        }
    }

    /// Computes an operation that reads no resource. [`Op::result_type`] must be `Some` for the operands'
    /// types `of`; `out` has as many words as the result has components.
    ///
    /// A computed NaN is always [`NAN`]. So folded constants, and printed core with them, are the same on
    /// every machine (x86 makes negative NaNs, others positive ones).
    pub fn apply(self, types: &Types, of: &[Type], operands: &[&[u32]], out: &mut [u32]) {
        match self {
            Self::Any => out[0] = u32::from(operands[0].iter().any(|&b| b != 0)),
            Self::All => out[0] = u32::from(operands[0].iter().all(|&b| b != 0)),
            Self::Construct(_) => {
                let mut at = 0;
                for part in operands {
                    out[at..at + part.len()].copy_from_slice(part);
                    at += part.len();
                }
            }
            Self::Component(_) | Self::Column(_) | Self::Field(_) => {
                let part = self.fixed_part().expect("it has one");
                let (_, first) = types.part(of[0], part).expect("the operand has this part");
                out.copy_from_slice(&operands[0][first..][..out.len()]);
            }
            Self::At => {
                let first = clamped(types, of, operands) * out.len();
                out.copy_from_slice(&operands[0][first..][..out.len()]);
            }
            Self::Update => {
                let part = operands[2];
                out.copy_from_slice(operands[0]);
                out[clamped(types, of, operands) * part.len()..][..part.len()]
                    .copy_from_slice(part);
            }
            Self::Inject(ty, case) => {
                out.fill(0);
                out[0] = case;
                for (field, words) in (0..).zip(operands) {
                    let (_, slots) = types.payload(ty, case, field).expect("a case has its fields");
                    for (&slot, &word) in slots.iter().zip(*words) {
                        out[slot as usize] = word;
                    }
                }
            }
            Self::Tag => out[0] = operands[0][0],
            Self::Payload(case, field) => {
                let (_, slots) = types.payload(of[0], case, field).expect("there is such a field");
                for (&slot, out) in slots.iter().zip(out) {
                    *out = operands[0][slot as usize];
                }
            }
            Self::After | Self::Probe(_) => out.copy_from_slice(operands[0]),
            Self::Plane => out[0] = plane([operands[0], operands[1], operands[2], operands[3]]),
            Self::Select if of[0] == Type::BOOL => {
                out.copy_from_slice(if operands[0][0] != 0 { operands[1] } else { operands[2] });
            }
            _ => {
                let scalar = of[0].scalar().expect("the operation is on components");
                for (i, out) in out.iter_mut().enumerate() {
                    let operand = |k: usize| operands[k][i];
                    *out = match scalar {
                        Scalar::F32 => self.of_nums(operand),
                        Scalar::Bool => self.of_bools(operand),
                        Scalar::I32 | Scalar::U32 => self.of_integers(scalar, operand),
                    };
                }
            }
        }
    }

    /// One component of an operation on nums.
    fn of_nums(self, operand: impl Fn(usize) -> u32) -> u32 {
        let num = |k: usize| f32::from_bits(operand(k));
        match self {
            Self::Neg => canonical_bits(-num(0)),
            Self::Abs => canonical_bits(num(0).abs()),
            Self::Floor => canonical_bits(num(0).floor()),
            Self::Ceil => canonical_bits(num(0).ceil()),
            Self::Trunc => canonical_bits(num(0).trunc()),
            Self::RoundEven => canonical_bits(num(0).round_ties_even()),
            Self::Sqrt => canonical_bits(num(0).sqrt()),
            Self::Add => canonical_bits(num(0) + num(1)),
            Self::Sub => canonical_bits(num(0) - num(1)),
            Self::Mul => canonical_bits(num(0) * num(1)),
            Self::Div => canonical_bits(num(0) / num(1)),
            Self::Fma => canonical_bits(math::fma(num(0), num(1), num(2))),
            Self::Min => operand(usize::from(num(1) < num(0))),
            Self::Max => operand(usize::from(num(0) < num(1))),
            Self::Less => u32::from(num(0) < num(1)),
            Self::LessEqual => u32::from(num(0) <= num(1)),
            Self::Equal => u32::from(num(0) == num(1)),
            Self::NotEqual => u32::from(num(0) != num(1)),
            Self::Convert(Scalar::F32) => operand(0),
            Self::Convert(Scalar::I32) => num(0) as i32 as u32,
            Self::Convert(Scalar::U32) => num(0) as u32,
            Self::Convert(Scalar::Bool) => u32::from(num(0) != 0.0),
            Self::Bits => canonical_bits(num(0)),
            Self::Elementary(f) => {
                let y = if f.arity() == 2 { num(1) } else { 0.0 };
                canonical_bits(f.evaluate(num(0), y))
            }
            _ => unreachable!("it is not defined on nums"),
        }
    }

    /// One component of an operation on bools.
    fn of_bools(self, operand: impl Fn(usize) -> u32) -> u32 {
        match self {
            Self::Equal => u32::from(operand(0) == operand(1)),
            Self::NotEqual => u32::from(operand(0) != operand(1)),
            Self::And => operand(0) & operand(1),
            Self::Or => operand(0) | operand(1),
            Self::Not => operand(0) ^ 1,
            Self::Select => operand(if operand(0) != 0 { 1 } else { 2 }),
            Self::Convert(Scalar::F32) => (operand(0) as f32).to_bits(),
            Self::Convert(_) => operand(0),
            _ => unreachable!("it is not defined on bools"),
        }
    }

    /// One component of an operation on integers of this type.
    fn of_integers(self, scalar: Scalar, operand: impl Fn(usize) -> u32) -> u32 {
        let is_signed = scalar == Scalar::I32;
        let signed = |k: usize| operand(k) as i32;
        let less = |a: usize, b: usize| match is_signed {
            true => signed(a) < signed(b),
            false => operand(a) < operand(b),
        };
        match self {
            Self::Neg => operand(0).wrapping_neg(),
            Self::Abs if is_signed => signed(0).unsigned_abs(),
            Self::Abs => operand(0),
            Self::Add => operand(0).wrapping_add(operand(1)),
            Self::Sub => operand(0).wrapping_sub(operand(1)),
            Self::Mul => operand(0).wrapping_mul(operand(1)),
            Self::Div if operand(1) == 0 => operand(0),
            Self::Div if is_signed => signed(0).wrapping_div(signed(1)) as u32,
            Self::Div => operand(0) / operand(1),
            Self::Rem if operand(1) == 0 => 0,
            Self::Rem if is_signed => signed(0).wrapping_rem(signed(1)) as u32,
            Self::Rem => operand(0) % operand(1),
            Self::MulHigh if is_signed => {
                ((i64::from(signed(0)) * i64::from(signed(1))) >> 32) as u32
            }
            Self::MulHigh => ((u64::from(operand(0)) * u64::from(operand(1))) >> 32) as u32,
            Self::Min => operand(usize::from(less(1, 0))),
            Self::Max => operand(usize::from(less(0, 1))),
            Self::Less => u32::from(less(0, 1)),
            Self::LessEqual => u32::from(!less(1, 0)),
            Self::Equal => u32::from(operand(0) == operand(1)),
            Self::NotEqual => u32::from(operand(0) != operand(1)),
            Self::And => operand(0) & operand(1),
            Self::Or => operand(0) | operand(1),
            Self::Xor => operand(0) ^ operand(1),
            Self::Not => !operand(0),
            Self::ShiftLeft => operand(0).wrapping_shl(operand(1)),
            Self::ShiftRight if is_signed => signed(0).wrapping_shr(operand(1)) as u32,
            Self::ShiftRight => operand(0).wrapping_shr(operand(1)),
            Self::Convert(Scalar::F32) if is_signed => (signed(0) as f32).to_bits(),
            Self::Convert(Scalar::F32) => (operand(0) as f32).to_bits(),
            Self::Convert(Scalar::Bool) => u32::from(operand(0) != 0),
            Self::Convert(_) => operand(0),
            Self::FromBits => canonical_bits(f32::from_bits(operand(0))),
            _ => unreachable!("it is not defined on integers"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unary(op: Op, x: f32) -> u32 {
        binary(op, x, 0.0, &[Type::NUM])
    }

    fn binary(op: Op, a: f32, b: f32, of: &[Type]) -> u32 {
        let mut out = [0];
        let operands: [&[u32]; 2] = [&[a.to_bits()], &[b.to_bits()]];
        op.apply(&Types::default(), of, &operands[..of.len()], &mut out);
        out[0]
    }

    #[test]
    fn computed_nans_are_one() {
        let pair = [Type::NUM; 2];
        let negative = f32::from_bits(0xffc0_1234);
        assert_eq!(binary(Op::Div, 0.0, 0.0, &pair), NAN);
        assert_eq!(binary(Op::Sub, f32::INFINITY, f32::INFINITY, &pair), NAN);
        assert_eq!(binary(Op::Add, negative, 1.0, &pair), NAN);
        for op in [Op::Neg, Op::Abs, Op::Floor, Op::Sqrt] {
            assert_eq!(unary(op, negative), NAN, "{op:?}");
        }
        assert_eq!(unary(Op::Sqrt, -1.0), NAN);
    }

    #[test]
    fn signs_of_zero() {
        let pair = [Type::NUM; 2];
        let (plus, minus) = (0.0_f32.to_bits(), (-0.0_f32).to_bits());
        assert_eq!(unary(Op::Neg, 0.0), minus);
        assert_eq!(unary(Op::Ceil, -0.5), minus);
        assert_eq!(unary(Op::RoundEven, -0.5), minus);
        assert_eq!(unary(Op::Sqrt, -0.0), minus);
        assert_eq!(binary(Op::Min, 0.0, -0.0, &pair), plus);
        assert_eq!(binary(Op::Min, -0.0, 0.0, &pair), minus);
        assert_eq!(binary(Op::Max, -0.0, 0.0, &pair), minus);
        assert_eq!(binary(Op::Sub, 0.0, 0.0, &pair), plus);
    }

    #[test]
    fn minimum_and_maximum_keep_the_first_of_unordered() {
        let pair = [Type::NUM; 2];
        for op in [Op::Min, Op::Max] {
            assert_eq!(binary(op, 1.0, f32::NAN, &pair), 1.0_f32.to_bits());
            assert!(f32::from_bits(binary(op, f32::NAN, 1.0, &pair)).is_nan());
        }
    }

    /// Tests an operation on integers, at all pairs of words near a limit.
    fn integers(op: Op, ty: Type, meaning: impl Fn(u32, u32) -> u32) {
        let types = Types::default();
        let near = [0, 1, 2, 3, 7, 31, 32, 33, 63, 0x7fff_ffff, 0x8000_0000, 0x8000_0001];
        let words = || near.into_iter().flat_map(|w: u32| [w, w.wrapping_neg()]);
        for (a, b) in words().flat_map(|a| words().map(move |b| (a, b))) {
            let count = if op.result_type(&types, &[ty]).is_some() { 1 } else { 2 };
            let shifts = matches!(op, Op::ShiftLeft | Op::ShiftRight);
            let of = [ty, if shifts { Type::UINT } else { ty }];
            assert!(op.result_type(&types, &of[..count]).is_some());
            let mut out = [0];
            op.apply(&types, &of[..count], &[&[a], &[b]], &mut out);
            assert_eq!(out[0], meaning(a, b), "{op:?} of {ty:?} {a:#x} {b:#x}");
        }
    }

    #[test]
    fn integers_wrap_and_division_is_total() {
        let int =
            |f: fn(i64, i64) -> i64| move |a, b| f(i64::from(a as i32), i64::from(b as i32)) as u32;
        let uint = |f: fn(u64, u64) -> u64| move |a, b| f(u64::from(a), u64::from(b)) as u32;
        integers(Op::Neg, Type::INT, int(|a, _| -a));
        integers(Op::Neg, Type::UINT, |a, _| 0_u32.wrapping_sub(a));
        integers(Op::Abs, Type::INT, int(|a, _| a.abs()));
        integers(Op::Abs, Type::UINT, |a, _| a);
        integers(Op::Add, Type::INT, int(|a, b| a + b));
        integers(Op::Sub, Type::UINT, uint(u64::wrapping_sub));
        integers(Op::Mul, Type::UINT, uint(|a, b| a * b));
        integers(Op::MulHigh, Type::INT, int(|a, b| (a * b).div_euclid(1 << 32)));
        integers(Op::MulHigh, Type::UINT, uint(|a, b| a * b / (1 << 32)));
        integers(Op::Div, Type::INT, int(|a, b| if b == 0 { a } else { a / b }));
        integers(Op::Div, Type::UINT, uint(|a, b| a.checked_div(b).unwrap_or(a)));
        integers(Op::Rem, Type::INT, int(|a, b| if b == 0 { 0 } else { a % b }));
        integers(Op::Rem, Type::UINT, uint(|a, b| a.checked_rem(b).unwrap_or(0)));
        integers(Op::Min, Type::INT, int(i64::min));
        integers(Op::Min, Type::UINT, uint(u64::min));
        integers(Op::Max, Type::INT, int(i64::max));
        integers(Op::Less, Type::INT, int(|a, b| (a < b).into()));
        integers(Op::LessEqual, Type::UINT, uint(|a, b| (a <= b).into()));
    }

    #[test]
    fn bits_and_shifts() {
        let times = |a: u64, n: u32| a << (n % 32);
        integers(Op::ShiftLeft, Type::INT, |a, n| times(a.into(), n) as u32);
        integers(Op::ShiftLeft, Type::UINT, |a, n| times(a.into(), n) as u32);
        integers(Op::ShiftRight, Type::UINT, |a, n| a / (1 << (n % 32)));
        integers(Op::ShiftRight, Type::INT, |a, n| {
            i64::from(a as i32).div_euclid(1 << (n % 32)) as u32
        });
        for ty in [Type::INT, Type::UINT] {
            // Xor as a sum without carries.
            integers(Op::Xor, ty, |a, b| (a | b) - (a & b));
            integers(Op::Or, ty, |a, b| u32::MAX - ((u32::MAX - a) & (u32::MAX - b)));
            integers(Op::Not, ty, |a, _| u32::MAX - a);
        }
    }

    #[test]
    fn conversions_saturate_and_round_to_even() {
        let types = Types::default();
        let convert = |from: Type, to: Scalar, word: u32| {
            let mut out = [0];
            assert_eq!(Op::Convert(to).result_type(&types, &[from]), Some(Type::of(to, 1)));
            Op::Convert(to).apply(&types, &[from], &[&[word]], &mut out);
            out[0]
        };
        let from_num = |to, num: f32| convert(Type::NUM, to, num.to_bits());
        for (num, int, uint) in [
            (1.9, 1, 1),
            (-1.9, -1, 0),
            (-0.0, 0, 0),
            (f32::NAN, 0, 0),
            (2_147_483_520.0, 2_147_483_520, 2_147_483_520),
            (2_147_483_648.0, i32::MAX, 0x8000_0000),
            (-2_147_483_648.0, i32::MIN, 0),
            (-2_147_483_904.0, i32::MIN, 0),
            (4_294_967_040.0, i32::MAX, 4_294_967_040),
            (4_294_967_296.0, i32::MAX, u32::MAX),
            (f32::INFINITY, i32::MAX, u32::MAX),
            (f32::NEG_INFINITY, i32::MIN, 0),
        ] {
            assert_eq!(from_num(Scalar::I32, num), int as u32, "{num}");
            assert_eq!(from_num(Scalar::U32, num), uint, "{num}");
        }
        let to_num = |from, word| f32::from_bits(convert(from, Scalar::F32, word));
        assert_eq!(to_num(Type::UINT, u32::MAX), 4_294_967_296.0);
        assert_eq!(to_num(Type::INT, u32::MAX), -1.0);
        assert_eq!(to_num(Type::UINT, (1 << 24) + 1), 16_777_216.0);
        assert_eq!(to_num(Type::INT, (1 << 24) + 3), 16_777_220.0);
        assert_eq!(to_num(Type::BOOL, 1), 1.0);
        assert_eq!(from_num(Scalar::Bool, f32::NAN), 1);
        assert_eq!(from_num(Scalar::Bool, -0.0), 0);
        assert_eq!(convert(Type::INT, Scalar::Bool, 0x8000_0000), 1);
        assert_eq!(convert(Type::INT, Scalar::U32, u32::MAX), u32::MAX);
        assert_eq!(unary(Op::Bits, f32::from_bits(0xffc0_1234)), NAN);
        assert_eq!(unary(Op::Bits, -0.0), 0x8000_0000);
        let mut out = [0];
        Op::FromBits.apply(&types, &[Type::UINT], &[&[0xff80_0001]], &mut out);
        assert_eq!(out[0], NAN);
    }

    #[test]
    fn indices_are_clamped() {
        let mut types = Types::default();
        let array = types.add_array(Type::vec(2), 3).expect("is small");
        let words = [10, 11, 20, 21, 30, 31];
        for (ty, index, part) in [
            (Type::INT, 0, 0),
            (Type::INT, 2, 2),
            (Type::INT, 3, 2),
            (Type::INT, i32::MAX, 2),
            (Type::INT, -1, 0),
            (Type::INT, i32::MIN, 0),
            (Type::UINT, 1, 1),
            (Type::UINT, -1, 2),
        ] {
            let index = [index as u32];
            assert_eq!(Op::At.result_type(&types, &[array, ty]), Some(Type::vec(2)));
            let mut out = [0; 2];
            Op::At.apply(&types, &[array, ty], &[&words, &index], &mut out);
            assert_eq!(out, words[2 * part..][..2]);
            let of = [array, ty, Type::vec(2)];
            assert_eq!(Op::Update.result_type(&types, &of), Some(array));
            let mut out = [0; 6];
            Op::Update.apply(&types, &of, &[&words, &index, &[1, 2]], &mut out);
            let mut expected = words;
            expected[2 * part..][..2].copy_from_slice(&[1, 2]);
            assert_eq!(out, expected);
        }
        let at = |of: Type, index| Op::At.result_type(&types, &[of, index]);
        assert_eq!(at(Type::mat(3), Type::UINT), Some(Type::vec(3)));
        assert_eq!(at(Type::bvec(3), Type::INT), Some(Type::BOOL));
        assert_eq!(at(Type::NUM, Type::INT), None);
        assert_eq!(at(array, Type::NUM), None);
        let update = [array, Type::INT, Type::NUM];
        assert_eq!(Op::Update.result_type(&types, &update), None);
    }

    #[test]
    fn cases_are_told_apart_by_their_tag() {
        use crate::types::{Case, Field, Variant};
        let mut types = Types::default();
        let field = |ty| Field { name: "x".into(), ty, is_generic: false };
        let case = |name: &str, fields: &[Type]| Case {
            name: name.into(),
            fields: fields.iter().copied().map(field).collect(),
        };
        let cases = [
            case("A", &[Type::UINT, Type::vec(2)]),
            case("B", &[Type::BOOL, Type::INT]),
            case("C", &[]),
        ];
        let variant = Variant { name: "V".into(), cases: cases.into() };
        let ty = types.add_variant(variant).expect("is small");
        // The layout: tag, two nums, an integer, a bool.
        for (case, of, operands, value) in [
            (0, &[Type::UINT, Type::vec(2)][..], &[&[7][..], &[8, 9]][..], [0, 8, 9, 7, 0]),
            (1, &[Type::BOOL, Type::INT], &[&[1], &[5]], [1, 0, 0, 5, 1]),
            (2, &[], &[], [2, 0, 0, 0, 0]),
        ] {
            let inject = Op::Inject(ty, case);
            assert_eq!(inject.result_type(&types, of), Some(ty));
            let mut out = [77; 5];
            inject.apply(&types, of, operands, &mut out);
            assert_eq!(out, value);
            let mut tag = [0];
            Op::Tag.apply(&types, &[ty], &[&value], &mut tag);
            assert_eq!(tag, [case]);
            for (field, (&of, &words)) in (0..).zip(of.iter().zip(operands)) {
                let payload = Op::Payload(case, field);
                assert_eq!(payload.result_type(&types, &[ty]), Some(of));
                let mut out = vec![0; words.len()];
                payload.apply(&types, &[ty], &[&value], &mut out);
                assert_eq!(out, words);
            }
        }
        assert_eq!(Op::Inject(ty, 1).result_type(&types, &[Type::INT, Type::BOOL]), None);
        assert_eq!(Op::Inject(ty, 3).result_type(&types, &[]), None);
        assert_eq!(Op::Payload(2, 0).result_type(&types, &[ty]), None);
        assert_eq!(Op::Tag.result_type(&types, &[Type::UINT]), None);
        assert_eq!(Op::Construct(ty).result_type(&types, &[]), None);
        assert_eq!(Op::Equal.result_type(&types, &[ty, ty]), None);
        assert_eq!(Op::Select.result_type(&types, &[Type::BOOL, ty, ty]), Some(ty));
        assert_eq!(Op::After.result_type(&types, &[ty, Type::NUM]), Some(ty));
        assert_eq!(Op::After.result_type(&types, &[ty]), None);
    }

    #[test]
    fn integers_and_nums_do_not_mix() {
        let types = Types::default();
        let [ivec, uvec] = [Scalar::I32, Scalar::U32].map(|scalar| Type::of(scalar, 3));
        for op in [Op::Add, Op::Div, Op::Min, Op::Less, Op::Equal] {
            for pair in [[Type::INT, Type::NUM], [ivec, uvec], [ivec, Type::INT]] {
                assert_eq!(op.result_type(&types, &pair), None, "{op:?} {pair:?}");
            }
        }
        assert_eq!(Op::Sqrt.result_type(&types, &[Type::INT]), None);
        assert_eq!(Op::Rem.result_type(&types, &[Type::NUM; 2]), None);
        assert_eq!(Op::And.result_type(&types, &[Type::NUM; 2]), None);
        assert_eq!(Op::Xor.result_type(&types, &[Type::BOOL; 2]), None);
        assert_eq!(Op::ShiftLeft.result_type(&types, &[ivec, ivec]), None);
        assert_eq!(Op::ShiftLeft.result_type(&types, &[ivec, uvec]), Some(ivec));
        assert_eq!(Op::Convert(Scalar::I32).result_type(&types, &[ivec]), None);
        assert_eq!(Op::Convert(Scalar::I32).result_type(&types, &[Type::mat(2)]), None);
        assert_eq!(Op::FromBits.result_type(&types, &[ivec]), None);
    }
}
