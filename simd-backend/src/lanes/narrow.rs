//! Narrow textures: of a texture that is read in one component alone, memory holds that component alone.
//!
//! Heights, depths, masks and noise are read so. A texel is then a word in place of four. That quarters the memory that samples
//! read, and neighbours in a row lie side by side. The host takes the words from the data once
//! ([`TextureData::component`](lambdav_core::texture::TextureData::component)).
//!
//! An index of a load of a texture is a texel times four ([`super::lower()`]); the shift goes. The pass needs programs without
//! dead code, where the loads of other components are gone.

use rustc_hash::FxHashMap;

use super::{LaneExpr, LaneOp, LaneProgram, LaneStatement, Space, ValueId};
use crate::mutants::{Mutant, is_active};

/// The shift of a texel to its first word.
const SHIFT: LaneOp = LaneOp::ShiftLeft(2);

/// Makes textures narrow. True if there was one.
pub(super) fn narrow(program: &mut LaneProgram) -> bool {
    let mut texels: FxHashMap<ValueId, ValueId> = FxHashMap::default();
    let mut read: Vec<Read> = vec![Read::Nothing; program.resources.0.len()];
    for (value, expr) in lets(program) {
        let texel = match expr {
            LaneExpr::Op(SHIFT, of) => of[0],
            // The first texel.
            LaneExpr::Constant(0) => value,
            _ => continue,
        };
        texels.insert(value, texel);
    }
    for (_, expr) in lets(program) {
        let LaneExpr::Load { space: Space::Resource(number), first, index } = expr else {
            continue;
        };
        let read = &mut read[*number as usize];
        *read = match (*read, texels.contains_key(index)) {
            (Read::Nothing, true) => Read::One(*first),
            (Read::One(before), true) if before == *first => *read,
            _ => Read::Several,
        };
    }
    let mut found = false;
    for (resource, read) in program.resources.0.iter_mut().zip(&read) {
        if let (Read::One(component), true) = (read, resource.levels > 0) {
            let component =
                if is_active(Mutant::WrongComponent) { 3 - component } else { *component };
            resource.narrow(component as u8);
            found = true;
        }
    }
    if !found {
        return false;
    }
    let LaneProgram { blocks, resources, .. } = program;
    for statement in blocks.iter_mut().flat_map(|block| &mut block.statements) {
        if let LaneStatement::Let {
            expr: LaneExpr::Load { space: Space::Resource(number), first, index },
            ..
        } = statement
            && resources.0[*number as usize].component.is_some()
        {
            (*first, *index) = (0, texels[index]);
        }
    }
    true
}

/// The components of a texture that loads read.
#[derive(Clone, Copy)]
enum Read {
    Nothing,
    One(u32),
    Several,
}

fn lets(program: &LaneProgram) -> impl Iterator<Item = (ValueId, &LaneExpr)> {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.filter_map(|statement| match statement {
        LaneStatement::Let { value, expr } => Some((*value, expr)),
        _ => None,
    })
}
