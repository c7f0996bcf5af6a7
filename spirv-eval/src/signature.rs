//! Signatures of functions, for their callers.

use super::error::LoadError;
use super::scan::Head;
use super::values::{
    ComponentType, Entity, Ids, MatrixLayout, MemoryRegion, Space, SpirvType, ValueType,
};
use rspirv::spirv::StorageClass;

/// Signature of a function.
#[derive(Clone, Debug)]
pub(super) struct Signature {
    pub(super) id: u32,
    /// Type of the result, if any.
    pub(super) result: Option<ValueType>,
    /// Parameters by id, with their places in memory.
    pub(super) parameters: Vec<(u32, Entity)>,
}

/// Gives a function its number and its parameters their places.
pub(super) fn signature(
    ids: &mut Ids,
    head: &Head<'_>,
    number: usize,
) -> Result<Signature, LoadError> {
    let read = read_signature(ids, head, number);
    read.map_err(|error| {
        let mut all = std::iter::once(&head.function).chain(&head.parameters);
        let found = all.find_map(|of| Some(ids.reason(of, error.clone())).filter(|e| *e != error));
        found.unwrap_or(error)
    })
}

fn read_signature(ids: &mut Ids, head: &Head<'_>, number: usize) -> Result<Signature, LoadError> {
    let of = &head.function;
    of.exactly(4)?;
    ids.define(of, head.id, Entity::Function(number))?;
    let result = match ids.ty(of, of.operand(0)?)? {
        SpirvType::Void => None,
        _ => Some(ids.kind(of, of.operand(0)?)?),
    };
    let address = ValueType::scalar(ComponentType::Uint);
    let mut parameters = Vec::new();
    for of in &head.parameters {
        let (ty, id) = (of.operand(0)?, of.operand(1)?);
        let entity = match *ids.ty(of, ty)? {
            SpirvType::Pointer(StorageClass::UniformConstant, to) => match *ids.ty(of, to)? {
                SpirvType::Opaque(of) => {
                    let [place, sampler] = [ids.allocate(address), ids.allocate(address)];
                    Entity::Opaque { of, is_pointer: true, place, sampler }
                }
                SpirvType::Opaques(of, count) if count > 0 => {
                    let [place, sampler] = [ids.allocate(address), ids.allocate(address)];
                    Entity::Opaques { of, count, place, sampler }
                }
                _ => return Err(of.malformed("it points to no texture")),
            },
            SpirvType::Pointer(
                StorageClass::Function
                | StorageClass::Private
                | StorageClass::Output
                | StorageClass::Input,
                to,
            ) => {
                let kind = ids.kind(of, to)?;
                let region = MemoryRegion {
                    space: Space::Pointed,
                    base: Some(ids.allocate(address)),
                    at: 0,
                    indices: Vec::new(),
                    kind,
                    layout: MatrixLayout::default(),
                };
                Entity::Pointer(ty, region)
            }
            SpirvType::Pointer(..) => {
                let what = "a parameter that points to shared memory".into();
                return Err(LoadError::Unknown { what, at: of.at });
            }
            SpirvType::Opaque(opaque) => {
                let [place, sampler] = [ids.allocate(address), ids.allocate(address)];
                Entity::Opaque { of: opaque, is_pointer: false, place, sampler }
            }
            _ => {
                let kind = ids.kind(of, ty)?;
                Entity::Value(kind, ids.allocate(kind))
            }
        };
        parameters.push((id, entity));
    }
    if ids.is_full() {
        let what = "parameters beyond the limit".into();
        return Err(LoadError::Unknown { what, at: of.at });
    }
    Ok(Signature { id: head.id, result, parameters })
}
