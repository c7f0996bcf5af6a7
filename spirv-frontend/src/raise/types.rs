//! Maps types and constants of a module to the core.

use super::raiser::Raiser;
use crate::error::{RaiseError, Result};
use crate::module::{Instruction, ModuleType};
use lambdav_core::graph::{Name, NodeId};
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Field, Scalar, Structure, Type, TypeLimit};
use rspirv::spirv::Op;
use rustc_hash::FxHashSet;

fn limit(limit: TypeLimit) -> RaiseError {
    RaiseError::too_large(limit.to_string())
}

impl Raiser<'_, '_> {
    /// The core type for a type of the module. A matrix that is not square is an array of its columns.
    pub(super) fn core_type(&mut self, id: u32) -> Result<Type> {
        // Parts first, as a valid module declares them. The stack's depth reveals cyclic types.
        let mut stack = vec![id];
        while let Some(&next) = stack.last() {
            if self.types.contains_key(&next) {
                stack.pop();
                continue;
            }
            let parts: Vec<u32> = match self.module.ty(next)? {
                ModuleType::Vector(of, _)
                | ModuleType::Matrix(of, _)
                | ModuleType::Array(of, _) => vec![*of],
                ModuleType::Structure(members) => members.clone(),
                _ => Vec::new(),
            };
            let missing = parts.iter().copied().find(|part| !self.types.contains_key(part));
            match missing {
                Some(_) if stack.len() > lambdav_core::limits::TYPE_NESTING as usize => {
                    return Err(RaiseError::too_large(format!("%{id} is nested too deep")));
                }
                Some(missing) => stack.push(missing),
                None => {
                    let ty = self.declare(next)?;
                    self.types.insert(next, ty);
                }
            }
        }
        Ok(self.types[&id])
    }

    /// Makes a type whose parts are known.
    fn declare(&mut self, id: u32) -> Result<Type> {
        let malformed = |what: &str| Err(RaiseError::malformed(format!("%{id}: {what}")));
        Ok(match self.module.ty(id)? {
            ModuleType::Bool => Type::BOOL,
            ModuleType::Int(true) => Type::INT,
            ModuleType::Int(false) => Type::UINT,
            ModuleType::Float => Type::NUM,
            ModuleType::Vector(of, n) => {
                let of = self.types[of];
                match of.scalar() {
                    Some(scalar) if of.width() == Some(1) => Type::of(scalar, *n),
                    _ => return malformed("a vector whose components are no scalars"),
                }
            }
            ModuleType::Matrix(column, n) => {
                let column = self.types[column];
                if !column.is_num() || column.width() == Some(1) {
                    return malformed("a matrix whose columns are no vectors");
                }
                match column.width() == Some(*n) {
                    true => Type::mat(*n),
                    false => {
                        self.graph.types_mut().add_array(column, (*n).into()).map_err(limit)?
                    }
                }
            }
            ModuleType::Array(element, length) => {
                let (element, length) = (self.types[element], self.module.length(*length)?);
                self.graph.types_mut().add_array(element, length).map_err(limit)?
            }
            ModuleType::Structure(members) => {
                let mut seen = FxHashSet::default();
                let mut fields = Vec::with_capacity(members.len());
                for (k, member) in (0..).zip(members) {
                    let name = self.module.member_name(id, k);
                    let name = match !name.is_empty() && seen.insert(name) {
                        true => name.to_owned(),
                        false => k.to_string(),
                    };
                    let ty = self.types[member];
                    fields.push(Field { name: name.into(), ty, is_generic: false });
                }
                let name = match self.module.name(id) {
                    "" => "struct",
                    name => name,
                };
                let structure = Structure { name: name.into(), fields: fields.into() };
                self.graph.types_mut().add_structure(structure).map_err(limit)?
            }
            ModuleType::Other(what) => return Err(RaiseError::unsupported(what.clone())),
            other => {
                let what = format!("values of the type %{id}, {other:?},");
                return Err(RaiseError::unsupported(what));
            }
        })
    }

    /// The node of a constant.
    pub(super) fn constant(&mut self, id: u32) -> Result<NodeId> {
        let mut stack = vec![id];
        while let Some(&next) = stack.last() {
            if self.constants.contains_key(&next) {
                stack.pop();
                continue;
            }
            let Some(&of) = self.module.constants.get(&next) else {
                return Err(RaiseError::malformed(format!("%{next} has no value here")));
            };
            let parts = match of.op {
                Op::ConstantComposite | Op::SpecConstantComposite => of.rest(2),
                Op::SpecConstantOp => of.rest(3),
                _ => &[],
            };
            // A literal operand is no constant's id, or making that constant is harmless.
            let is_missing = |part: &&u32| {
                !self.constants.contains_key(part)
                    && self.module.constants.get(part).is_some_and(|part| part.at < of.at)
            };
            match parts.iter().find(is_missing) {
                Some(&missing) => stack.push(missing),
                None => {
                    let node = self.make_constant(&of).map_err(|e| e.at(of.at, None))?;
                    self.constants.insert(next, node);
                }
            }
        }
        Ok(self.constants[&id])
    }

    fn make_constant(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        let ty = self.core_type(of.operand(0)?)?;
        Ok(match of.op {
            Op::ConstantTrue | Op::SpecConstantTrue => self.graph.bool(true, self.span),
            Op::ConstantFalse | Op::SpecConstantFalse => self.graph.bool(false, self.span),
            Op::Constant | Op::SpecConstant => {
                if ty.width() != Some(1) || ty.is_bool() {
                    return Err(of.malformed("its type is no number"));
                }
                self.splat(ty, of.operand(2)?)
            }
            Op::ConstantNull | Op::Undef => self.zero(ty),
            Op::ConstantComposite | Op::SpecConstantComposite => {
                let mut parts = Vec::new();
                for &id in of.rest(2) {
                    match self.constants.get(&id) {
                        Some(&part) => parts.push(part),
                        None => return Err(of.malformed("a part is no constant before it")),
                    }
                }
                self.construct(ty, parts)?
            }
            _ => {
                let Some(op) = Op::from_u32(of.operand(2)?) else {
                    return Err(of.malformed("there is no such operation"));
                };
                let mut operands = of.operands[..2].to_vec();
                operands.extend(of.rest(3));
                let inner = Instruction { op, operands: &operands, at: of.at };
                self.operation(&inner)?
            }
        })
    }

    /// A value of type `ty` from all its parts.
    pub(super) fn construct(&mut self, ty: Type, parts: Vec<NodeId>) -> Result<NodeId> {
        let wanted: Vec<Type> = self.graph.types().parts(ty).collect();
        if wanted.len() != parts.len() {
            return Err(RaiseError::malformed("it has another number of parts"));
        }
        let parts = parts.into_iter().zip(wanted).map(|(part, ty)| self.of_type(part, ty));
        let parts: Vec<NodeId> = parts.collect::<Result<_>>()?;
        self.op(Core::Construct(ty), &parts)
    }

    /// The component type of a scalar or vector type.
    pub(super) fn scalar_of(&mut self, ty: u32) -> Result<Scalar> {
        let ty = self.core_type(ty)?;
        ty.scalar().ok_or_else(|| RaiseError::malformed("its type is no scalar and no vector"))
    }

    /// Gives a node the name of an id.
    pub(super) fn name(&mut self, id: u32, node: NodeId) {
        let name = self.module.name(id);
        if !name.is_empty() {
            self.graph.set_name(node, &Name::new(name));
        }
    }

    /// Gives the contents of slots the names of their variables.
    pub(super) fn name_slots(&mut self, slots: &[usize], memory: &crate::memory::Memory) {
        for &slot in slots {
            let frame = self.frames.last().expect("a function is being raised");
            if let Some(&root) = frame.slot_roots.get(&slot).and_then(|roots| roots.first()) {
                let id = frame.facts.roots[root];
                self.name(id, memory.get(slot));
            }
        }
    }
}
