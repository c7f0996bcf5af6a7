//! The table of builtins, by result type.

use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::builtins::{Builtin, Operand, OperationKind};
use std::collections::HashMap;
use std::sync::LazyLock;

/// All builtin types of values.
pub(crate) const TYPES: [Type; 19] = [
    Type::NUM,
    Type::BOOL,
    Type::vec(2),
    Type::vec(3),
    Type::vec(4),
    Type::bvec(2),
    Type::bvec(3),
    Type::bvec(4),
    Type::mat(2),
    Type::mat(3),
    Type::mat(4),
    Type::INT,
    Type::of(Scalar::I32, 2),
    Type::of(Scalar::I32, 3),
    Type::of(Scalar::I32, 4),
    Type::UINT,
    Type::of(Scalar::U32, 2),
    Type::of(Scalar::U32, 3),
    Type::of(Scalar::U32, 4),
];

/// The name of a builtin type, which is also the name of its constructor.
pub(crate) fn type_name(ty: Type) -> &'static str {
    ty.name().expect("it is builtin")
}

/// A builtin and the operand types that give one result type.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) builtin: Builtin,
    pub(crate) signatures: Vec<Vec<Operand>>,
    /// Relative frequency.
    pub(crate) weight: u32,
}

/// The builtins with results of that type.
pub(crate) fn giving(ty: Type) -> &'static [Entry] {
    static TABLE: LazyLock<HashMap<Type, Vec<Entry>>> = LazyLock::new(build);
    TABLE.get(&ty).map_or(&[], Vec::as_slice)
}

fn build() -> HashMap<Type, Vec<Entry>> {
    let mut table: HashMap<Type, Vec<Entry>> = HashMap::new();
    // A derivative does not take any operand, and inputs of a stage belong to programs that draw triangles.
    let is_for_all = |b: &Builtin| b.is_function() && !b.is_derivative() && !b.is_of_stage();
    for builtin in Builtin::all().filter(is_for_all) {
        let mut by_result: HashMap<Type, Vec<Vec<Operand>>> = HashMap::new();
        for operands in tuples(builtin) {
            if let Ok(resolved) = builtin.resolve(&operands) {
                by_result.entry(resolved.result).or_default().push(operands);
            }
        }
        // The reference implementations of these are slow, and their results are often NaN.
        let weight = if builtin.kind() == OperationKind::CorrectlyRounded { 2 } else { 8 };
        for (result, signatures) in by_result {
            table.entry(result).or_default().push(Entry { builtin, signatures, weight });
        }
    }
    // The order of hashing differs from run to run.
    table.values_mut().for_each(|entries| entries.sort_by_key(|entry| entry.builtin));
    table
}

/// Operand types to try: all tuples of up to four types, 6, 9 and 16 nums, and literal indices.
fn tuples(builtin: Builtin) -> Vec<Vec<Operand>> {
    let (least, most) = builtin.arity();
    let mut all = Vec::new();
    for count in least..=most.unwrap_or(least + 1).min(4) {
        let mut tuple = vec![0; count];
        loop {
            all.push(tuple.iter().map(|&i| Operand::from(TYPES[i])).collect());
            let Some(k) = tuple.iter().rposition(|&i| i + 1 < TYPES.len()) else { break };
            tuple[k] += 1;
            tuple[k + 1..].fill(0);
        }
    }
    for count in [6, 9, 16] {
        if most.is_some_and(|most| most >= count) {
            all.push(vec![Operand::from(Type::NUM); count]);
        }
    }
    if (least, most) == (2, Some(2)) {
        for ty in TYPES {
            for k in 0..4 {
                all.push(vec![ty.into(), Operand { index: Some(k), ..Type::NUM.into() }]);
            }
        }
        // A builtin that also takes a `num` there has no literal index.
        let plain = builtin.resolve(&[Type::vec(4).into(), Type::NUM.into()]).is_ok()
            || builtin.resolve(&[Type::NUM.into(), Type::NUM.into()]).is_ok();
        if plain {
            all.retain(|t: &Vec<Operand>| t.iter().all(|o| o.index.is_none()));
        }
    }
    all
}
