//! Layout of values in memory.

use super::super::binary::Instruction;
use super::super::code::{Place, Words};
use super::super::error::LoadError;
use super::super::options::Undefined;
use super::super::resources::PUSH_CONSTANT_WORDS;
use super::super::values::{
    ComponentType, ELEMENTS, Entity, Ids, Index, MatrixLayout, MemoryRegion, Space, SpirvType,
    ValueType,
};
use super::Globals;
use rspirv::spirv::Decoration;

/// Limit of the words of a block.
pub(super) const MAX_BLOCK_WORDS: usize = 1 << 20;

/// End of a region of shared memory for its largest indices. `words` are the offsets of its values.
fn end(region: &MemoryRegion, words: &[u32]) -> usize {
    let most = words.iter().max().map_or(0, |&word| word as usize + 1);
    let last = |index: &Index| match index.count {
        ELEMENTS => 0,
        count => (count - 1).saturating_mul(index.stride),
    };
    let first = region.indices.iter().map(last).fold(region.at, usize::saturating_add);
    first.saturating_add(most)
}

impl Globals {
    /// A decoration in bytes, converted to words.
    pub(super) fn words_of(
        &self,
        instruction: &Instruction<'_>,
        of: u32,
        member: Option<u32>,
        decoration: Decoration,
    ) -> Result<usize, LoadError> {
        let bytes = self.decorations.get(&(of, member, decoration)).copied();
        let words = bytes.filter(|bytes| bytes % 4 == 0).map(|bytes| bytes as usize / 4);
        words.filter(|&words| words <= MAX_BLOCK_WORDS).ok_or_else(|| match member {
            Some(member) => instruction.malformed(format!("member {member}: {decoration:?}")),
            None => instruction.malformed(format!("%{of}: {decoration:?}")),
        })
    }

    /// The matrix layout of a member.
    pub(super) fn matrix_layout(&self, of: u32, member: u32) -> MatrixLayout {
        let of_member = |decoration| self.decorations.get(&(of, Some(member), decoration));
        let bytes = of_member(Decoration::MatrixStride).filter(|&bytes| bytes % 4 == 0);
        let stride = bytes.map_or(0, |&bytes| bytes as usize / 4).min(MAX_BLOCK_WORDS);
        match (stride, of_member(Decoration::RowMajor)) {
            (0, _) => MatrixLayout::default(),
            (_, None) => MatrixLayout { column: stride, row: 1 },
            (_, Some(_)) => MatrixLayout { column: 1, row: stride },
        }
    }

    /// The places of the words that a region's pointer refers to.
    pub(crate) fn place(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        region: &MemoryRegion,
    ) -> Result<Place, LoadError> {
        let limit = match region.space {
            Space::Block(number) => match (self.blocks[number].binding, self.undefined) {
                (None, Undefined::Marked) => PUSH_CONSTANT_WORDS,
                _ => MAX_BLOCK_WORDS,
            },
            _ => usize::MAX,
        };
        let words = if region.space.is_shared() {
            let words = self.laid_out(ids, instruction, region.kind, region.layout)?;
            if limit < usize::MAX && end(region, &words) > limit {
                return Err(instruction.malformed("it lies outside the block"));
            }
            Words::Apart(words.into())
        } else {
            Words::Together(region.kind.words())
        };
        let indices = region.indices.clone().into();
        Ok(Place { space: region.space, base: region.base, at: region.at, indices, words })
    }

    /// Number of words that a block needs to contain a region.
    pub(super) fn end(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        region: &MemoryRegion,
    ) -> Result<usize, LoadError> {
        match self.place(ids, instruction, region)?.words {
            Words::Apart(words) => Ok(end(region, &words)),
            Words::Together(count) => Ok(region.at + count),
        }
    }

    /// For each word of a value, in order, true if it is a float.
    pub(crate) fn numbers(&self, ids: &Ids, kind: ValueType) -> Box<[bool]> {
        let mut numbers = Vec::with_capacity(kind.words());
        let mut stack = vec![kind];
        while let Some(kind) = stack.pop() {
            let aggregate = kind.aggregate.and_then(|aggregate| ids.get(aggregate.ty));
            match aggregate {
                Some(Entity::Type(SpirvType::Struct(members, _))) => {
                    stack.extend(members.iter().rev().map(|&(kind, _)| kind));
                }
                Some(&Entity::Type(SpirvType::Array(kind, count))) => {
                    stack.extend(std::iter::repeat_n(kind, count));
                }
                _ => {
                    let is_number = kind.scalar == ComponentType::Float;
                    numbers.extend(std::iter::repeat_n(is_number, kind.words()));
                }
            }
        }
        numbers.into()
    }

    /// Offset of each word of a value from its beginning in shared memory.
    fn laid_out(
        &self,
        ids: &Ids,
        instruction: &Instruction<'_>,
        kind: ValueType,
        layout: MatrixLayout,
    ) -> Result<Vec<u32>, LoadError> {
        let mut words = Vec::with_capacity(kind.words());
        let mut stack = vec![(kind, layout, 0_usize)];
        while let Some((kind, layout, at)) = stack.pop() {
            if kind.words() == 0 {
                continue;
            }
            if at > MAX_BLOCK_WORDS {
                return Err(instruction.malformed("it lies outside the block"));
            }
            let aggregate = kind.aggregate.map(|aggregate| aggregate.ty);
            match aggregate.and_then(|ty| Some((ty, ids.get(ty)?))) {
                Some((ty, Entity::Type(SpirvType::Struct(members, _)))) => {
                    for (index, &(kind, _)) in members.iter().enumerate().rev() {
                        let index = index as u32;
                        let offset =
                            self.words_of(instruction, ty, Some(index), Decoration::Offset)?;
                        stack.push((kind, self.matrix_layout(ty, index), at + offset));
                    }
                }
                Some((ty, &Entity::Type(SpirvType::Array(kind, count)))) => {
                    let step = self.words_of(instruction, ty, None, Decoration::ArrayStride)?;
                    stack.extend((0..count).rev().map(|k| (kind, layout, at + k * step)));
                }
                _ => {
                    if kind.scalar == ComponentType::Bool {
                        let message = "shared memory cannot hold bools";
                        return Err(instruction.malformed(message));
                    }
                    if kind.is_matrix() && (layout.column == 0 || layout.row == 0) {
                        return Err(instruction.malformed("MatrixStride"));
                    }
                    let (columns, rows) = (usize::from(kind.columns), usize::from(kind.rows));
                    let (far, near) = (layout.column, layout.row.max(1));
                    let column = |k| (0..rows).map(move |r| (at + k * far + r * near) as u32);
                    words.extend((0..columns).flat_map(column));
                }
            }
        }
        Ok(words)
    }
}
