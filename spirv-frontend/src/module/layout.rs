//! Layout of a value's words in a block of memory, from its decorations.

use super::declarations::Module;
use super::types::ModuleType;
use crate::error::{RaiseError, Result};
use crate::mutants::{Mutant, is_active};
use lambdav_core::limits::{TYPE_NESTING, WORDS};
use rspirv::spirv::Decoration;

/// Layout of a value in a block: of a member's matrices, or of a part of one. Strides of layout and components are in
/// bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Layout {
    /// The stride of the columns of a matrix, or of its rows.
    stride: u32,
    is_row_major: bool,
    /// The stride of the components of a vector that is a column of such a matrix; 0 if they lie together.
    component: u32,
}

/// A number of bytes in words.
fn in_words(bytes: u32) -> Result<u32> {
    match bytes % 4 {
        0 => Ok(bytes / 4),
        _ => Err(RaiseError::unsupported("a value in a buffer that is not aligned to words")),
    }
}

impl Layout {
    /// The layout of a member of a structure.
    pub(crate) fn of_member(module: &Module<'_>, of: u32, member: u32) -> Self {
        let stride = module.member_decoration(of, member, Decoration::MatrixStride);
        Self {
            stride: stride.and_then(|stride| stride.first().copied()).unwrap_or(0),
            is_row_major: module.member_decoration(of, member, Decoration::RowMajor).is_some(),
            component: 0,
        }
    }

    /// The offset of a member of a structure, in words.
    pub(crate) fn offset(module: &Module<'_>, of: u32, member: u32) -> Result<u32> {
        in_words(offset(module, of, member)?)
    }

    /// The stride of the elements of an array, in words.
    pub(crate) fn stride(module: &Module<'_>, array: u32) -> Result<u32> {
        in_words(module.decorated(array, Decoration::ArrayStride).unwrap_or(0))
    }

    /// The layout of a column of a matrix, and the stride of columns in words.
    pub(crate) fn column(self) -> Result<(Self, u32)> {
        let (columns, component) = match self.is_row_major {
            true if is_active(Mutant::IgnoredRows) => (4, 0),
            true => (4, self.stride),
            false if is_active(Mutant::TightColumns) => (8, 0),
            false => (self.stride, 0),
        };
        Ok((Self { component, ..self }, in_words(columns)?))
    }

    /// The stride of the components of a vector, in words.
    pub(crate) fn components(self) -> Result<u32> {
        in_words(self.component()).map(|words| words.max(1))
    }

    fn component(self) -> u32 {
        self.component.max(4)
    }
}

/// The offset of a member of a structure, in bytes.
fn offset(module: &Module<'_>, of: u32, member: u32) -> Result<u32> {
    let offset = module.member_decoration(of, member, Decoration::Offset);
    offset
        .and_then(|offset| offset.first().copied())
        .ok_or_else(|| RaiseError::malformed(format!("member {member} of %{of} has no offset")))
}

/// The offset of each word of a value from its first one, in words, in the order of components.
pub(crate) fn value_offsets(module: &Module<'_>, ty: u32, layout: Layout) -> Result<Vec<u32>> {
    let mut offsets = Vec::new();
    place(module, ty, 0, layout, &mut offsets, TYPE_NESTING)?;
    offsets.into_iter().map(in_words).collect()
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
    let base = base.wrapping_add(offset(module, of, member)?);
    place(module, ty, base, Layout::of_member(module, of, member), out, depth)
}

/// Adds the words of a value at `base`; `depth` limits the nesting of types.
fn place(
    module: &Module<'_>,
    ty: u32,
    base: u32,
    layout: Layout,
    out: &mut Vec<u32>,
    depth: u32,
) -> Result<()> {
    let Some(depth) = depth.checked_sub(1).filter(|_| out.len() <= WORDS as usize) else {
        return Err(RaiseError::too_large(format!("a value of %{ty} is too large")));
    };
    match module.ty(ty)? {
        ModuleType::Bool | ModuleType::Int(_) | ModuleType::Float => out.push(base),
        ModuleType::Vector(_, n) => {
            let stride = layout.component();
            out.extend((0..u32::from(*n)).map(|k| base.wrapping_add(stride.wrapping_mul(k))));
        }
        ModuleType::Matrix(column, columns) => {
            let ModuleType::Vector(_, rows) = *module.ty(*column)? else {
                return Err(RaiseError::malformed(format!("%{ty} has no columns")));
            };
            for (column, row) in
                (0..u32::from(*columns)).flat_map(|c| (0..u32::from(rows)).map(move |r| (c, r)))
            {
                let (far, near) = match layout.is_row_major {
                    true => (row, column),
                    false => (column, row),
                };
                out.push(base.wrapping_add(far.wrapping_mul(layout.stride)).wrapping_add(4 * near));
            }
        }
        ModuleType::Array(element, length) => {
            let stride = module.decorated(ty, Decoration::ArrayStride).unwrap_or(0);
            for k in 0..module.length(*length)?.min(WORDS + 1) {
                let base = base.wrapping_add(k.wrapping_mul(stride));
                place(module, *element, base, layout, out, depth)?;
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
