//! Checks that lanes keep the order of a dispatch, for memories without a [proof](super::independence).
//!
//! Lanes go on in step, so an access of one invocation may come before an access of an earlier invocation, which the
//! order puts first. Timestamp ordering notices that (Bernstein and Goodman, 1981). Each invocation has a number, which
//! grows in the order of the dispatch. Each word has two *stamps*: the greatest number of an invocation that has changed
//! it, and of one that has read it. An access by invocation i is *late* if its word was changed by a later invocation, or,
//! for a change, read by a later one. If no access is late, then any two accesses to a word of which one is a change
//! happened in the order of their invocations; so every load has found the word that it finds in order, and the result is
//! that of the order. If one is late, a flag is set, and the contents of memories mean nothing.
//!
//! An access of several lanes happens in the order of lanes, which is that of invocations. So its lanes are checked
//! together, before it: they do not make one another late. Of an atomic operation only the change is stamped, since
//! whoever it makes late by reading it makes late by changing.
//!
//! [`checked`] adds the stamps as memories and the checks as ordinary statements before each access, so nothing after it
//! knows of them. The number is the last of the saved words. It grows from segment to segment and from workgroup to
//! workgroup, so stamps are never cleared.

use lambdav_core::memory::Atomic;
use lambdav_core::texture::TextureKind;

use super::extents::Resource;
use super::{
    Access, BlockId, Change, Extent, Extents, Items, Kind, LaneBlock, LaneEnd, LaneExpr, LaneOp,
    LaneProgram, LaneStatement, Rate, ValueId,
};
use crate::mutants::{Mutant, is_active};

/// The memories that checks add to those of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// The number of resources without them.
    first: usize,
    /// The memories that are checked.
    memories: Vec<usize>,
}

/// The stamps of a memory.
#[derive(Clone, Copy)]
struct Stamped {
    changed: Clamped,
    read: Clamped,
}

/// A memory with the index of its last word, a value of the frame.
#[derive(Clone, Copy)]
struct Clamped {
    memory: u32,
    last: ValueId,
}

impl Stamps {
    /// Stamps for some memories of a program.
    pub fn new(program: &LaneProgram, memories: Vec<usize>) -> Self {
        Self { first: program.resources.0.len(), memories }
    }

    /// True if all these memories are checked.
    pub fn has(&self, memories: &[usize]) -> bool {
        memories.iter().all(|memory| self.memories.contains(memory))
    }

    /// The numbers of the added memories: the stamps of each checked memory, which have its size, and the flag, one word.
    /// All words are zero in the beginning.
    pub fn added(&self) -> impl Iterator<Item = (usize, Added)> + use<'_> {
        let stamps = self.memories.iter().flat_map(|&of| [Added::Stamps(of); 2]);
        (self.first..).zip(stamps.chain([Added::Flag]))
    }

    /// The number of the flag.
    pub fn flag(&self) -> usize {
        self.first + 2 * self.memories.len()
    }
}

/// An added memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Added {
    /// A stamp for each word of that memory.
    Stamps(usize),
    /// A word that is not zero if an access was late.
    Flag,
}

/// A program for several lanes that checks each access to the checked memories. Its items have one more saved word, the
/// number of the invocation.
///
/// # Panics
///
/// If the program is not for invocations in several lanes.
pub fn checked(program: &LaneProgram, stamps: &Stamps) -> LaneProgram {
    let mut out = program.clone();
    let Items::Invocations { inputs, saved } = program.items else {
        panic!("the program is not for invocations")
    };
    out.items = Items::Invocations { inputs, saved: saved + 1 };
    for (number, added) in stamps.added() {
        let extents = match added {
            Added::Stamps(of) => program.resources.0[of].extents.clone(),
            Added::Flag => Extents::Buffer(1),
        };
        let (kind, component) = (TextureKind::Flat, None);
        let (is_memory, width, levels, first) = (true, 1, 0, 0);
        let mut resource = Resource { is_memory, width, component, levels, kind, extents, first };
        out.inputs.add_descriptor(number as u32, &mut resource);
        out.resources.0.push(resource);
    }
    let mut maker = Maker { out, current: Vec::new(), number: ValueId(0), consts: [ValueId(0); 2] };
    // Values of the frame stand behind the others of the frame.
    let constants = [0, 1].map(|word| maker.let_(Kind::I32, Rate::FRAME, LaneExpr::Constant(word)));
    maker.consts = constants;
    let mut stamped = Vec::new();
    for k in 0..stamps.memories.len() {
        let [changed, read] = [0, 1].map(|side| {
            let memory = (stamps.first + 2 * k + side) as u32;
            Clamped { memory, last: maker.last(memory) }
        });
        stamped.push(Stamped { changed, read });
    }
    let of_frame = std::mem::take(&mut maker.current);
    let lanes = program.width.lanes();
    maker.number = maker.let_(Kind::I32, lanes, LaneExpr::Saved(saved));
    let of_lanes = std::mem::take(&mut maker.current);
    let (frame, shared) = (program.frame_len, program.frame_len + program.primitive_len);
    for (at, block) in program.blocks.iter().enumerate() {
        let is_root = at == LaneProgram::ROOT.index();
        for position in 0..=block.statements.len() {
            if is_root && position == frame {
                maker.current.extend(of_frame.iter().cloned());
            }
            if is_root && position == shared {
                maker.current.extend(of_lanes.iter().cloned());
            }
            let Some(statement) = block.statements.get(position) else { break };
            if let LaneStatement::Access { access, .. } = statement {
                let checked = stamps.memories.iter().position(|&of| of == access.memory as usize);
                if let Some(k) = checked {
                    maker.check(access, stamped[k], stamps.flag() as u32);
                }
            }
            maker.current.push(statement.clone());
        }
        let statements = std::mem::take(&mut maker.current);
        maker.out.blocks[at].statements = statements;
    }
    maker.out.frame_len += of_frame.len();
    maker.out
}

struct Maker {
    out: LaneProgram,
    /// The statements of the block so far.
    current: Vec<LaneStatement>,
    /// The number of the invocation.
    number: ValueId,
    /// The words 0 and 1.
    consts: [ValueId; 2],
}

impl Maker {
    fn value(&mut self, kind: Kind, rate: Rate) -> ValueId {
        let value = ValueId(self.out.values.len() as u32);
        self.out.values.push(super::ValueInfo { kind, rate });
        value
    }

    fn let_(&mut self, kind: Kind, rate: Rate, expr: LaneExpr) -> ValueId {
        let value = self.value(kind, rate);
        self.current.push(LaneStatement::Let { value, expr });
        value
    }

    fn op(&mut self, kind: Kind, op: LaneOp, of: [ValueId; 2]) -> ValueId {
        let rate = self.out.rate(of[0]) | self.out.rate(of[1]);
        self.let_(kind, rate, LaneExpr::Op(op, of.into()))
    }

    /// The index of the last word of a memory.
    fn last(&mut self, memory: u32) -> ValueId {
        let resource = &self.out.resources.0[memory as usize];
        let expr = match resource.constant(Extent::Last) {
            Some(last) => LaneExpr::Constant(last.into()),
            None => LaneExpr::Input(resource.word(Extent::Last)),
        };
        self.let_(Kind::I32, Rate::FRAME, expr)
    }

    /// Checks an access, and stamps its words.
    fn check(&mut self, access: &Access, stamped: Stamped, flag: u32) {
        let mask = access.change.as_ref().map(|change| change.mask).or(access.mask);
        let mask = mask.expect("accesses of several lanes have masks");
        let [changed, read] = [stamped.changed, stamped.read].map(|of| {
            let index = self.op(Kind::I32, LaneOp::MinUnsigned, [access.index, of.last]);
            (of.memory, index)
        });
        let of_change = self.stamp(changed, mask);
        let mut late = self.op(Kind::Mask, LaneOp::LessUnsigned, [self.number, of_change]);
        let is_change = access.change.is_some();
        if !is_change && is_active(Mutant::UncheckedReads) {
            return;
        }
        let of_read = self.stamp(read, mask);
        if is_change {
            let other = self.op(Kind::Mask, LaneOp::LessUnsigned, [self.number, of_read]);
            late = self.op(Kind::Mask, LaneOp::Or, [late, other]);
        }
        self.flag(late, mask, flag);
        if is_change {
            if !is_active(Mutant::UnstampedChange) {
                self.store(changed, self.number, mask);
            }
        } else {
            let last = self.op(Kind::I32, LaneOp::MaxUnsigned, [of_read, self.number]);
            self.store(read, last, mask);
        }
    }

    fn stamp(&mut self, (memory, index): (u32, ValueId), mask: ValueId) -> ValueId {
        let value = self.value(Kind::I32, self.out.rate(index) | Rate::GROUP);
        let access = Access { memory, index, mask: Some(mask), change: None };
        self.current.push(LaneStatement::Access { value: Some(value), access });
        value
    }

    fn store(&mut self, (memory, index): (u32, ValueId), word: ValueId, mask: ValueId) {
        let change = Some(Change { atomic: Atomic::Exchange, words: [word].into(), mask });
        let access = Access { memory, index, mask: None, change };
        self.current.push(LaneStatement::Access { value: None, access });
    }

    /// Sets the flag if a lane of the mask is late.
    fn flag(&mut self, late: ValueId, mask: ValueId, flag: u32) {
        let late = self.op(Kind::Mask, LaneOp::And, [late, mask]);
        let condition = self.let_(Kind::Mask, Rate::GROUP, LaneExpr::Any(late));
        let before = std::mem::take(&mut self.current);
        let [zero, one] = self.consts;
        self.store((flag, zero), one, late);
        let statements = std::mem::replace(&mut self.current, before);
        let [then, otherwise] = [statements, Vec::new()].map(|statements| {
            let block = BlockId(self.out.blocks.len() as u32);
            self.out.blocks.push(LaneBlock { statements, end: LaneEnd::Yield([].into()) });
            block
        });
        let values = [].into();
        self.current.push(LaneStatement::If { values, condition, then, otherwise });
    }
}
