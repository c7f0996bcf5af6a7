//! Layout of a value's words in a block of memory, from its decorations.

use super::declarations::Module;
use super::types::ModuleType;
use crate::error::{RaiseError, Result};
use lambdav_core::limits::{TYPE_NESTING, WORDS};
use rspirv::spirv::Decoration;

/// Layout of a member's matrices.
#[derive(Clone, Copy, Debug, Default)]
struct MatrixLayout {
    stride: u32,
    is_row_major: bool,
}

/// The byte offset of each word of a member's value, in the order of components; the structure begins at
/// `base`.
pub(crate) fn word_offsets(
    module: &Module<'_>,
    of: u32,
    member: u32,
    base: u32,
) -> Result<Vec<u32>> {
    let ty = match module.ty(of)? {
        ModuleType::Structure(members) => members.get(member as usize).copied(),
        _ => None,
    };
    let Some(ty) = ty else {
        return Err(RaiseError::malformed(format!("%{of} has no member {member}")));
    };
    let mut offsets = Vec::new();
    place_member(module, of, member, ty, base, &mut offsets, TYPE_NESTING)?;
    Ok(offsets)
}

fn place_member(
    module: &Module<'_>,
    of: u32,
    member: u32,
    ty: u32,
    base: u32,
    out: &mut Vec<u32>,
    depth: u32,
) -> Result<()> {
    let number = |decoration| module.member_decoration(of, member, decoration)?.first().copied();
    let Some(offset) = number(Decoration::Offset) else {
        return Err(RaiseError::malformed(format!("member {member} of %{of} has no offset")));
    };
    let matrices = MatrixLayout {
        stride: number(Decoration::MatrixStride).unwrap_or(0),
        is_row_major: module.member_decoration(of, member, Decoration::RowMajor).is_some(),
    };
    place(module, ty, base.wrapping_add(offset), matrices, out, depth)
}

/// Adds the words of a value at `base`; `depth` limits the nesting of types.
fn place(
    module: &Module<'_>,
    ty: u32,
    base: u32,
    matrices: MatrixLayout,
    out: &mut Vec<u32>,
    depth: u32,
) -> Result<()> {
    let Some(depth) = depth.checked_sub(1).filter(|_| out.len() <= WORDS as usize) else {
        return Err(RaiseError::too_large(format!("a value of %{ty} is too large")));
    };
    match module.ty(ty)? {
        ModuleType::Bool | ModuleType::Int(_) | ModuleType::Float => out.push(base),
        ModuleType::Vector(_, n) => {
            out.extend((0..u32::from(*n)).map(|k| base.wrapping_add(4 * k)));
        }
        ModuleType::Matrix(column, columns) => {
            let ModuleType::Vector(_, rows) = *module.ty(*column)? else {
                return Err(RaiseError::malformed(format!("%{ty} has no columns")));
            };
            for (column, row) in
                (0..u32::from(*columns)).flat_map(|c| (0..u32::from(rows)).map(move |r| (c, r)))
            {
                let (far, near) = match matrices.is_row_major {
                    true => (row, column),
                    false => (column, row),
                };
                out.push(
                    base.wrapping_add(far.wrapping_mul(matrices.stride)).wrapping_add(4 * near),
                );
            }
        }
        ModuleType::Array(element, length) => {
            let stride = module.decorated(ty, Decoration::ArrayStride).unwrap_or(0);
            for k in 0..module.length(*length)?.min(WORDS + 1) {
                let base = base.wrapping_add(k.wrapping_mul(stride));
                place(module, *element, base, matrices, out, depth)?;
            }
        }
        ModuleType::Structure(members) => {
            for (member, &of) in (0..).zip(members) {
                place_member(module, ty, member, of, base, out, depth)?;
            }
        }
        _ => return Err(RaiseError::unsupported(format!("values of %{ty} in a block"))),
    }
    Ok(())
}
