//! Operations that only rearrange components: for each component of the result, the component of an operand
//! that it equals.

use crate::mutants::{Mutant, is_active};
use lambdav_core::mutants::mistaken_payload;
use lambdav_core::op::Op;
use lambdav_core::types::{Type, Types};

/// The origin of a component of the result.
pub(super) enum Source {
    /// A component of an operand: the index of the operand, and of its component.
    Operand(usize, usize),
    /// These bits.
    Constant(u32),
}

/// The sources of all components of the result, in order. `None` if the operation computes.
pub(super) fn sources(types: &Types, op: Op, of: &[Type], to: Type) -> Option<Vec<Source>> {
    let count = types.components(to);
    let part = |operand, first: usize| (0..count).map(move |i| Source::Operand(operand, first + i));
    if let Some(index) = op.fixed_part() {
        let (_, first) = types.part(of[0], index).expect("the operand has this part");
        return Some(part(0, first).collect());
    }
    Some(match op {
        Op::Construct(_) => {
            let each = of.iter().enumerate();
            let components = |(operand, &ty)| {
                (0..types.components(ty)).map(move |i| Source::Operand(operand, i))
            };
            each.flat_map(components).collect()
        }
        Op::After | Op::Probe(_) | Op::Tag => part(0, 0).collect(),
        Op::Payload(case, field) => {
            let (case, field) = match is_active(Mutant::WrongField) {
                true => mistaken_payload(types, of[0], case, field),
                false => (case, field),
            };
            let (_, slots) = types.payload(of[0], case, field).expect("there is such a field");
            slots.iter().map(|&slot| Source::Operand(0, slot as usize)).collect()
        }
        Op::Inject(ty, case) => {
            let mut all: Vec<Source> = (0..count).map(|_| Source::Constant(0)).collect();
            all[0] = Source::Constant(case);
            for field in 0..of.len() {
                let slots = types.payload(ty, case, field as u32);
                let (_, slots) = slots.expect("a case has its fields");
                for (i, &slot) in slots.iter().enumerate() {
                    all[slot as usize] = Source::Operand(field, i);
                }
            }
            all
        }
        _ => return None,
    })
}
