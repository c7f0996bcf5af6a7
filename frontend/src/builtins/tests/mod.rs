//! Tests of the table against LANGUAGE §6 and §7, in a second formulation.

mod evaluator;
mod formulas;
mod integers;
mod linear_algebra;
mod names;
mod signatures;
mod texts;

use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::sampler::Compare;
use lambdav_core::texture::{TextureData, TextureOptions};
use lambdav_core::types::{Resource, ResourceKind, Type, Types};
use std::sync::LazyLock;

/// The builtin types, and those of the texture `t` and the buffer `b`.
static TYPES: LazyLock<Types> = LazyLock::new(|| {
    let mut types = Types::default();
    let compare = Some(Compare::default());
    let texture = ResourceKind::Texture(TextureOptions { compare, ..Default::default() });
    for (name, kind) in [("t", texture), ("b", ResourceKind::Buffer(Type::vec(2)))] {
        types.add_resource(Resource { name: name.into(), kind });
    }
    types
});

/// Black and white, side by side; and (1, 2), (3, 4).
static RESOURCES: LazyLock<[Bound; 2]> = LazyLock::new(|| {
    let texels = [[0.0, 0.0, 0.0, 1.0], [1.0; 4]];
    let data = TextureData::new([2, 1], texels.into_iter(), false);
    let elements = [1.0_f32, 2.0, 3.0, 4.0].map(f32::to_bits).to_vec();
    let buffer = BufferData::new(&TYPES, Type::vec(2), elements).expect("two elements");
    [Bound::Texture(data.expect("two texels of two").into()), Bound::Buffer(buffer.into())]
});

/// The type of a texture or buffer, by its index.
fn resource(number: usize) -> Type {
    TYPES.all().find(|&ty| TYPES.resource(ty) == Some(number)).expect("it is declared")
}

/// All types of the table.
fn types() -> Vec<Type> {
    TYPES.all().collect()
}

/// All sequences of this length of the types.
fn tuples(types: &[Type], length: usize) -> Vec<Vec<Type>> {
    (0..length).fold(vec![vec![]], |shorter, _| {
        shorter
            .iter()
            .flat_map(|tuple| {
                types.iter().map(|&t| tuple.iter().copied().chain([t]).collect::<Vec<_>>())
            })
            .collect()
    })
}

/// Random operands, the same in each run.
struct RandomOperands(lambdav_test_support::Random);

impl RandomOperands {
    fn new() -> Self {
        Self(lambdav_test_support::Random::new(1))
    }

    fn bits(&mut self) -> u32 {
        (self.0.bits() >> 32) as u32
    }

    fn below(&mut self, n: u32) -> u32 {
        self.bits() % n
    }

    /// Mostly ordinary numbers; also arbitrary bits, special values, and subnormals.
    fn number(&mut self) -> f32 {
        const SPECIAL: [f32; 14] = [
            0.0,
            -0.0,
            1.0,
            -1.0,
            0.5,
            2.0,
            f32::INFINITY,
            f32::NEG_INFINITY,
            f32::NAN,
            f32::MAX,
            f32::MIN_POSITIVE,
            f32::MIN,
            1e-45,
            -1e-45,
        ];
        match self.below(8) {
            0 => f32::from_bits(self.bits()),
            1 => SPECIAL[self.below(14) as usize],
            2 => f32::from_bits(self.bits() & 0x807f_ffff),
            _ => (self.bits() as i32 as f32) / (1 << 29) as f32,
        }
    }

    fn numbers(&mut self, count: usize) -> Vec<f32> {
        // Vectors of ordinary numbers must be frequent; otherwise nearly all products are NaN.
        if self.below(2) == 0 {
            (0..count).map(|_| (self.bits() as i32 as f32) / (1 << 29) as f32).collect()
        } else {
            (0..count).map(|_| self.number()).collect()
        }
    }

    fn value(&mut self, ty: Type) -> evaluator::ConcreteValue {
        let count = TYPES.components(ty);
        let bits = match TYPES.scalars(ty).next() {
            // A texture or a buffer.
            None => Vec::new(),
            Some(lambdav_core::types::Scalar::F32) => {
                self.numbers(count).into_iter().map(f32::to_bits).collect()
            }
            Some(lambdav_core::types::Scalar::Bool) => (0..count).map(|_| self.below(2)).collect(),
            Some(lambdav_core::types::Scalar::I32 | lambdav_core::types::Scalar::U32) => {
                (0..count).map(|_| self.bits()).collect()
            }
        };
        evaluator::ConcreteValue { ty, bits }
    }
}
