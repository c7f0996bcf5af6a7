//! Constants.

use super::super::accepted::ACCEPTED;
use super::super::binary::Instruction;
use super::super::code::Step;
use super::super::compute::compute;
use super::super::error::LoadError;
use super::super::values::{ComponentType, Entity, Ids, ValueType};
use super::Globals;
use rspirv::spirv::{BuiltIn, Decoration, Op};

impl Globals {
    /// The constant that a module calls its size of workgroups.
    pub(crate) fn workgroup_size(&self) -> Option<[u32; 3]> {
        let is_size = |of: Decoration, value: u32| {
            of == Decoration::BuiltIn && value == BuiltIn::WorkgroupSize as u32
        };
        let mut all = self.decorations.iter();
        let (&(id, ..), _) =
            all.find(|&(&(_, member, of), &value)| member.is_none() && is_size(of, value))?;
        self.constant(id)?.try_into().ok()
    }

    /// Reads a constant. OpUndef may have any value, so it is a constant zero.
    pub(crate) fn define_constant(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
    ) -> Result<(), LoadError> {
        let (ty, id) = (instruction.operand(0)?, instruction.operand(1)?);
        let kind = ids.kind(instruction, ty)?;
        let (is_bool, is_scalar) = (kind.scalar == ComponentType::Bool, kind.is_scalar());
        let words: Box<[u32]> = match instruction.op {
            Op::ConstantTrue | Op::SpecConstantTrue if is_bool && is_scalar => [1].into(),
            Op::ConstantFalse | Op::SpecConstantFalse if is_bool && is_scalar => [0].into(),
            Op::Constant | Op::SpecConstant if !is_bool && is_scalar => {
                instruction.exactly(2 + kind.words())?;
                instruction.rest(2)?.into()
            }
            Op::ConstantNull | Op::Undef => vec![0; kind.words()].into(),
            Op::SpecConstantOp => return self.compute_constant(ids, instruction, kind),
            Op::SpecConstantComposite
                if instruction.rest(2)?.iter().any(|&id| self.constant(id).is_none()) =>
            {
                let of = Instruction { op: Op::CompositeConstruct, ..*instruction };
                return self.computed_constant(ids, &of, kind);
            }
            Op::ConstantComposite | Op::SpecConstantComposite if !is_scalar => {
                let parts = instruction.rest(2)?;
                if ids.parts(kind) != parts.len() {
                    return Err(instruction.malformed("too few or too many parts"));
                }
                let mut words = Vec::with_capacity(kind.words());
                for (index, &id) in parts.iter().enumerate() {
                    let (part, _) = ids.part(kind, index).expect("there are so many");
                    ids.value_of(instruction, id, part)?;
                    match self.constant(id) {
                        Some(constant) => words.extend_from_slice(constant),
                        None => return Err(instruction.malformed("a part is no constant")),
                    }
                }
                words.into()
            }
            _ => return Err(instruction.malformed("a constant of another type")),
        };
        let at = self.allocate_constant(ids, instruction, kind, words)?;
        ids.define(instruction, id, Entity::Value(kind, at))?;
        self.constant_ids.insert(id, self.constants.len() - 1);
        Ok(())
    }

    /// Allocates memory for a constant with these words.
    pub(crate) fn allocate_constant(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
        kind: ValueType,
        words: Box<[u32]>,
    ) -> Result<usize, LoadError> {
        let at = ids.allocate(kind);
        if ids.is_full() {
            return Err(instruction.malformed("the constants are too large"));
        }
        self.constants.push((at, words));
        Ok(at)
    }

    /// Reads OpSpecConstantOp.
    fn compute_constant(
        &mut self,
        ids: &mut Ids,
        instruction: &Instruction<'_>,
        kind: ValueType,
    ) -> Result<(), LoadError> {
        let number = instruction.operand(2)?;
        let op = Op::from_u32(number).filter(|op| ACCEPTED.contains(op));
        let Some(op) = op else {
            let what = format!("a constant by the operation {number}");
            return Err(LoadError::Unknown { what, at: instruction.at });
        };
        let mut operands = instruction.operands[..2].to_vec();
        operands.extend(instruction.rest(3)?);
        let of = Instruction { op, operands: &operands, at: instruction.at };
        self.computed_constant(ids, &of, kind)
    }

    fn computed_constant(
        &mut self,
        ids: &mut Ids,
        of: &Instruction<'_>,
        kind: ValueType,
    ) -> Result<(), LoadError> {
        let to = ids.allocate(kind);
        if ids.is_full() {
            return Err(of.malformed("the constants are too large"));
        }
        let step = compute(self.undefined, ids, of, kind, to)?;
        // Steps that depend on the pixel are not constant.
        if let Step::Derivative { .. }
        | Step::Swap { .. }
        | Step::Fetch { .. }
        | Step::Size { .. }
        | Step::Levels { .. } = step
        {
            return Err(of.malformed("it is no operation of constants"));
        }
        self.computed.push(step);
        self.computed_ids.insert(of.operand(1)?);
        ids.define(of, of.operand(1)?, Entity::Value(kind, to))
    }
}
