//! The members of a uniform block, or of a buffer's element, by name.

use super::super::binary::Instruction;
use super::super::error::LoadError;
use super::super::options::Undefined;
use super::super::resources::Member;
use super::super::values::{ComponentType, Entity, Ids, MatrixLayout, SpirvType, ValueType};
use super::Globals;
use lambdav_core::types as lv;
use rspirv::spirv::Decoration;

/// Limit of the members of a block, nested ones included.
const MAX_MEMBERS: usize = 1 << 17;
/// Longer names are not extended.
const MAX_NAME: usize = 256;

impl Globals {
    /// Lists the members of a value in shared memory, nested ones included, and the number of words that
    /// it needs. `layout` applies to matrices.
    pub(super) fn members(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        kind: ValueType,
        layout: MatrixLayout,
    ) -> Result<(Vec<Member>, usize), LoadError> {
        let unknown =
            |what: &str| Err(LoadError::Unknown { what: what.into(), at: instruction.at });
        // Names and places of pending parts, next one last.
        let (mut all, mut words) = (Vec::new(), 0);
        let aggregate = kind.aggregate.map(|aggregate| aggregate.ty);
        let mut stack = vec![(String::new(), aggregate, kind, layout, 0_usize)];
        while let Some((name, aggregate, kind, layout, at)) = stack.pop() {
            if stack.len() + all.len() > MAX_MEMBERS {
                return unknown("a block with too many members");
            }
            match aggregate.and_then(|ty| Some((ty, ids.get(ty)?))) {
                Some((ty, Entity::Type(SpirvType::Struct(members, _)))) => {
                    for (index, &(kind, _)) in members.iter().enumerate().rev() {
                        let member = index as u32;
                        let of = self.names.get(&(ty, Some(member)));
                        let of = of.map_or("", String::as_str);
                        let name = match &*name {
                            "" => of.to_owned(),
                            name if name.len() > MAX_NAME => name.to_owned(),
                            name => format!("{name}.{of}"),
                        };
                        let offset =
                            self.words_of(instruction, ty, Some(member), Decoration::Offset)?;
                        let layout = self.matrix_layout(ty, member);
                        let aggregate = kind.aggregate.map(|aggregate| aggregate.ty);
                        stack.push((name, aggregate, kind, layout, at.saturating_add(offset)));
                    }
                }
                Some((ty, &Entity::Type(SpirvType::Array(kind, count)))) => {
                    if count > MAX_MEMBERS {
                        return unknown("a block with too many members");
                    }
                    let step = self.words_of(instruction, ty, None, Decoration::ArrayStride)?;
                    let aggregate = kind.aggregate.map(|aggregate| aggregate.ty);
                    for k in (0..count).rev() {
                        let name = match &*name {
                            name if name.len() > MAX_NAME => name.to_owned(),
                            name => format!("{name}[{k}]"),
                        };
                        let at = at.saturating_add(k * step);
                        stack.push((name, aggregate, kind, layout, at));
                    }
                }
                // Matrices without a type in λV are listed component by component, column by column.
                _ if self.undefined == Undefined::Total
                    && kind.is_matrix()
                    && (kind.columns != kind.rows || layout.row > 1) =>
                {
                    if layout.column == 0 {
                        return Err(instruction.malformed("MatrixStride"));
                    }
                    let (columns, rows) = (usize::from(kind.columns), usize::from(kind.rows));
                    for (column, row) in (0..columns).flat_map(|c| (0..rows).map(move |r| (c, r))) {
                        let at = at + column * layout.column + row * layout.row;
                        words = words.max(at + 1);
                        let (name, ty) = (format!("{name}[{column}][{row}]"), lv::Type::NUM);
                        all.push(Member { name, ty, at, stride: 0 });
                    }
                }
                _ => {
                    let stride = layout.column;
                    let ty = match (kind.scalar, kind.columns) {
                        (ComponentType::Float, 1) => lv::Type::vec(kind.rows),
                        (ComponentType::Float, n) if n == kind.rows => lv::Type::mat(n),
                        (ComponentType::Int, 1) => lv::Type::of(lv::Scalar::I32, kind.rows),
                        (ComponentType::Uint, 1) => lv::Type::of(lv::Scalar::U32, kind.rows),
                        (ComponentType::Bool, _) => {
                            let message = "shared memory cannot hold bools";
                            return Err(instruction.malformed(message));
                        }
                        _ => return unknown("a member of a block that is of no type of λV"),
                    };
                    let columns = usize::from(kind.columns);
                    let end = at.saturating_add((columns - 1) * stride + usize::from(kind.rows));
                    words = words.max(end);
                    all.push(Member { name, ty, at, stride });
                }
            }
        }
        Ok((all, words))
    }
}
