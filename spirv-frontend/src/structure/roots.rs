//! Effects of each block on variables.

use super::facts::FunctionFacts;
use super::sets::BitSet;
use crate::error::Result;
use crate::module::{DEMOTED, Function, Instruction, Module, ModuleType, REPORTED, Variable};
use lambdav_spirv::may_be_undefined;
use rspirv::spirv::{GlslStd450Op, Op, StorageClass};
use rustc_hash::FxHashMap;

/// Effects of a block on roots.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    /// Roots that the block may read before it has written all of them.
    pub(super) reads: BitSet,
    /// Roots that the block writes as a whole before it reads any part.
    pub(super) writes: BitSet,
    /// Roots that the block writes, as a whole or in part.
    pub(super) stores: BitSet,
}

/// The roots of a function.
pub(super) struct Roots {
    pub(super) ids: Vec<u32>,
    pub(super) blocks: Vec<Effects>,
    /// Indices of the first root that is no parameter and of the first that is a variable of the module.
    bounds: [usize; 2],
    /// Roots that other invocations write, too: no store hides all before it.
    memories: BitSet,
}

/// The calls of a function: callees and instructions.
pub(super) fn calls<'f, 'w>(
    function: &'f Function<'w>,
) -> impl Iterator<Item = (u32, &'f Instruction<'w>)> {
    let all = function.blocks.iter().flat_map(|block| &block.instructions);
    all.filter(|of| of.op == Op::FunctionCall).filter_map(|of| Some((*of.operands.get(2)?, of)))
}

impl Effects {
    fn read(&mut self, root: usize) {
        if !self.writes.contains(root) {
            self.reads.insert(root);
        }
    }

    fn write(&mut self, root: usize, is_whole: bool) {
        self.stores.insert(root);
        match is_whole {
            true if !self.reads.contains(root) => {
                self.writes.insert(root);
            }
            true => {}
            false => self.read(root),
        }
    }
}

impl Roots {
    pub(super) fn new(
        module: &Module<'_>,
        function: &Function<'_>,
        known: &FxHashMap<u32, FunctionFacts>,
    ) -> Result<Self> {
        let (mut ids, mut memories) = (Vec::new(), BitSet::default());
        for &(id, ty) in &function.parameters {
            if let ModuleType::Pointer(class, _) = module.ty(ty)? {
                if matches!(class, StorageClass::StorageBuffer | StorageClass::Workgroup) {
                    memories.insert(ids.len());
                }
                ids.push(id);
            }
        }
        let parameters = ids.len();
        let all = || function.blocks.iter().flat_map(|block| &block.instructions);
        ids.extend(all().filter(|of| of.op == Op::Variable).filter_map(Instruction::result));
        // All these variables of the module: an unused one costs one bit per set.
        let bounds = [parameters, ids.len()];
        for variable in written_globals(module) {
            if module.is_memory(variable) {
                memories.insert(ids.len());
            }
            ids.push(variable.id);
        }
        let mut root_of: FxHashMap<u32, usize> =
            ids.iter().enumerate().map(|(root, &id)| (id, root)).collect();
        let mut roots = Self { ids, blocks: Vec::new(), bounds, memories };
        let has_unreachable = function.blocks.iter().any(|of| of.end.op == Op::Unreachable);
        for block in &function.blocks {
            let mut effects = Effects::default();
            for instruction in &block.instructions {
                roots.effects(module, instruction, &mut root_of, known, &mut effects)?;
            }
            // A branch that leads to OpUnreachable.
            if has_unreachable && matches!(block.end.op, Op::BranchConditional | Op::Switch) {
                root_of.get(&REPORTED).into_iter().for_each(|&of| effects.write(of, false));
            }
            roots.blocks.push(effects);
        }
        Ok(roots)
    }

    fn effects(
        &self,
        module: &Module<'_>,
        instruction: &Instruction<'_>,
        root_of: &mut FxHashMap<u32, usize>,
        known: &FxHashMap<u32, FunctionFacts>,
        effects: &mut Effects,
    ) -> Result<()> {
        let operands = instruction.operands;
        let root = |index: usize| operands.get(index).and_then(|id| root_of.get(id)).copied();
        let is_whole = |index: usize| {
            root(index)
                .is_some_and(|k| self.ids[k] == operands[index] && !self.memories.contains(k))
        };
        if may_be_undefined(instruction.op) {
            root_of.get(&REPORTED).into_iter().for_each(|&of| effects.write(of, false));
        }
        match instruction.op {
            Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject => {
                if let (Some(of), Some(id)) = (root(2), instruction.result()) {
                    root_of.insert(id, of);
                }
            }
            Op::Load => root(2).into_iter().for_each(|of| effects.read(of)),
            Op::Store => {
                if let Some(of) = root(0) {
                    effects.write(of, is_whole(0));
                }
            }
            // Modf and Frexp store their second result through a pointer.
            Op::ExtInst => {
                let function = operands.get(3).and_then(|&number| GlslStd450Op::from_u32(number));
                if let Some(GlslStd450Op::Modf | GlslStd450Op::Frexp) = function
                    && operands.get(2).is_some_and(|&set| module.is_glsl(set))
                    && let Some(of) = root(5)
                {
                    effects.write(of, is_whole(5));
                }
            }
            Op::CopyMemory => {
                root(1).into_iter().for_each(|of| effects.read(of));
                if let Some(of) = root(0) {
                    effects.write(of, is_whole(0));
                }
            }
            Op::Variable => {
                if let Some(of) = root(1) {
                    effects.write(of, true);
                }
            }
            op if is_atomic(op) => {
                // All take their pointer first, after result type and id if they have a result.
                let at = if op == Op::AtomicStore { 0 } else { 2 };
                if let Some(of) = root(at) {
                    effects.read(of);
                    if op != Op::AtomicLoad {
                        effects.write(of, false);
                    }
                }
            }
            // Afterwards all memories have what other invocations wrote.
            Op::ControlBarrier => {
                for variable in module.variables.iter().filter(|of| module.is_memory(of)) {
                    if let Some(&of) = root_of.get(&variable.id) {
                        effects.write(of, false);
                    }
                }
            }
            Op::DemoteToHelperInvocation => {
                root_of.get(&DEMOTED).into_iter().for_each(|&of| effects.write(of, true));
            }
            Op::IsHelperInvocationEXT => {
                root_of.get(&DEMOTED).into_iter().for_each(|&of| effects.read(of));
            }
            Op::FunctionCall => {
                let id = instruction.operand(2)?;
                let (Some(facts), Some(callee)) = (known.get(&id), module.functions.get(&id))
                else {
                    return Ok(());
                };
                // Effects of the callee on each of its roots, mapped to our roots.
                let is_pointer = |ty| matches!(module.ty(ty), Ok(ModuleType::Pointer(..)));
                let parameters = callee.parameters.iter().enumerate();
                let pointers = parameters.filter(|&(_, &(_, ty))| is_pointer(ty));
                let arguments = pointers.map(|(at, _)| root(3 + at));
                let globals = written_globals(module).map(|of| root_of.get(&of.id).copied());
                let [parameters, first] = facts.bounds;
                let theirs = (0..parameters).chain(first..facts.roots.len());
                for (k, of) in theirs.zip(arguments.chain(globals)) {
                    let Some(of) = of else { continue };
                    if facts.is_live(Some(0), k) {
                        effects.read(of);
                    }
                    if facts.stores.contains(k) {
                        effects.write(of, false);
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// True if the content of a root matters after the function.
    pub(super) fn outlives(&self, module: &Module<'_>, root: usize, is_entry: bool) -> bool {
        let [parameters, globals] = self.bounds;
        match root.checked_sub(globals) {
            None => root < parameters,
            Some(global) => {
                !is_entry
                    || written_globals(module)
                        .nth(global)
                        .is_some_and(|of| of.class != StorageClass::Private)
            }
        }
    }

    /// Indices of the first root that is no parameter and of the first that is a variable of the module.
    pub(super) fn bounds(&self) -> [usize; 2] {
        self.bounds
    }
}

/// The variables of the module whose contents change, or may differ at each read.
fn written_globals<'m>(module: &'m Module<'_>) -> impl Iterator<Item = &'m Variable> {
    let is_written = |of: &&Variable| {
        matches!(of.class, StorageClass::Private | StorageClass::Output) || module.is_memory(of)
    };
    module.variables.iter().filter(is_written)
}

/// True for an atomic operation on a pointer to a word.
pub(crate) fn is_atomic(op: Op) -> bool {
    matches!(
        op,
        Op::AtomicLoad
            | Op::AtomicStore
            | Op::AtomicExchange
            | Op::AtomicCompareExchange
            | Op::AtomicIIncrement
            | Op::AtomicIDecrement
            | Op::AtomicIAdd
            | Op::AtomicISub
            | Op::AtomicSMin
            | Op::AtomicUMin
            | Op::AtomicSMax
            | Op::AtomicUMax
            | Op::AtomicAnd
            | Op::AtomicOr
            | Op::AtomicXor
    )
}
