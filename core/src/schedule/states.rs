//! Verifies that states of memories are consumed in the order of execution.
//!
//! The machine has one content for each memory; a state is only a name for it at one point of the program. This pass walks
//! the program in the order of execution and keeps the *current version* of each memory. It reports
//!
//! - an access, a barrier, an initial value of a loop, an argument of `rec`, a yield or a result whose state is not the
//!   current version of its memory ([`VerifyError::StaleState`]);
//! - a `rec` of a loop in whose rounds a memory changes that has no parameter, likewise;
//! - a barrier that does not take all memories of the program ([`VerifyError::Barrier`]).
//!
//! # Versions
//!
//! Each effect makes a new version. Arms of an `if` begin with the version before it. Afterwards the version is the
//! arms' common one; else it is a new one, and the states in the `if`'s value are of that version. If its value has no
//! such state, no value is of the new version, so every later access is reported. A parameter of a loop is a new version,
//! and so are the states in the loop's value, unless all its ends have the version that its body began with: then it changes
//! nothing, and the version is that before the loop.
//!
//! A program that passes has the meaning of its graph: each load reads the state that it names.

use super::program::{BlockId, End, Expr, Program, Statement, ValueId};
use super::violation::VerifyError;
use super::walk::{BlockRole, Event};
use crate::memory::MemoryOp;
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::types::{Type, Types};
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// A content of a memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Version(u32);

/// The state parts of a type.
#[derive(Clone)]
struct Parts {
    /// For each state in a value of the type, in order: its memory, as an index among the memories.
    memories: Rc<[usize]>,
    /// For a structure: how many of these states lie before each field.
    before: Rc<[usize]>,
}

/// The versions of the states in a value, in order: a part of a shared list.
#[derive(Clone)]
struct Versions {
    all: Rc<[Version]>,
    from: usize,
    count: usize,
}

impl Versions {
    fn new(all: Vec<Version>) -> Self {
        let count = all.len();
        Self { all: all.into(), from: 0, count }
    }

    fn as_slice(&self) -> &[Version] {
        &self.all[self.from..][..self.count]
    }
}

/// The version of each memory at all yields so far: `None` where they differ. Empty before the first one.
#[derive(Default)]
struct Ends(Vec<Option<Version>>);

impl Ends {
    fn add(&mut self, versions: &[Version]) {
        if self.0.is_empty() {
            self.0 = versions.iter().copied().map(Some).collect();
        }
        for (known, version) in self.0.iter_mut().zip(versions) {
            *known = known.filter(|known| known == version);
        }
    }
}

/// An `if` statement, a loop or a decision in a tail whose blocks are being walked.
enum Open {
    If {
        before: Vec<Version>,
        ends: Ends,
    },
    Loop {
        /// The versions before the loop, and at the beginning of the body.
        before: Vec<Version>,
        begin: Vec<Version>,
        ends: Ends,
        /// The versions at all `rec`s and yields.
        all_ends: Ends,
    },
    /// The versions before the decision.
    Decision(Vec<Version>),
}

struct Checker<'p> {
    program: &'p Program,
    /// The index among the memories of each memory, by its number among the resources.
    indices: FxHashMap<usize, usize>,
    parts: FxHashMap<Type, Parts>,
    versions: Vec<Option<Versions>>,
    current: Vec<Version>,
    next: u32,
    open: Vec<Open>,
    errors: Vec<VerifyError>,
}

/// Checks the states of a program; see the head of this module. The other invariants must hold.
///
/// # Errors
///
/// All violations.
pub(super) fn verify_states(program: &Program) -> Result<(), Vec<VerifyError>> {
    let indices: FxHashMap<usize, usize> =
        program.types.memories().enumerate().map(|(index, (number, _))| (number, index)).collect();
    if indices.is_empty() || is_active(Mutant::StaleState) {
        return Ok(());
    }
    let count = indices.len() as u32;
    let mut checker = Checker {
        program,
        indices,
        parts: FxHashMap::default(),
        versions: vec![None; program.values.len()],
        current: (0..count).map(Version).collect(),
        next: count,
        open: Vec::new(),
        errors: Vec::new(),
    };
    for event in program.walk() {
        match event {
            Event::Enter(_, role) => checker.enter(role),
            Event::Statement(block, statement) => checker.statement(block, statement),
            Event::After(_, statement) => checker.after(statement),
            Event::End(block, end) => checker.end(block, end),
            Event::Leave(block) => {
                if let End::If { .. } = program.block(block).end {
                    checker.open.pop();
                }
            }
        }
    }
    if checker.errors.is_empty() { Ok(()) } else { Err(checker.errors) }
}

impl Checker<'_> {
    fn types(&self) -> &Types {
        &self.program.types
    }

    /// The states in values of a type.
    fn parts(&mut self, ty: Type) -> Parts {
        if let Some(known) = self.parts.get(&ty) {
            return known.clone();
        }
        let memories = self.types().states(ty).into_iter().map(|number| self.indices[&number]);
        let memories: Rc<[usize]> = memories.collect();
        let fields = self.types().structure(ty).map_or(&[][..], |structure| &structure.fields);
        let mut before = Vec::with_capacity(fields.len());
        let mut count = 0;
        for field in fields {
            before.push(count);
            if self.types().holds_state(field.ty) {
                count += self.types().states(field.ty).len();
            }
        }
        let parts = Parts { memories, before: before.into() };
        self.parts.insert(ty, parts.clone());
        parts
    }

    /// The states in a value: memories and versions.
    fn states(&mut self, value: ValueId) -> (Rc<[usize]>, Versions) {
        let ty = self.program.ty(value);
        if !self.types().holds_state(ty) {
            return (Rc::default(), Versions::new(Vec::new()));
        }
        let memories = self.parts(ty).memories;
        // A value of which no version is known is an error that another check reports.
        let versions = self.versions[value.index()].clone();
        let unknown = || Versions::new(vec![Version(u32::MAX); memories.len()]);
        (memories.clone(), versions.unwrap_or_else(unknown))
    }

    fn fresh(&mut self) -> Version {
        self.next += 1;
        Version(self.next - 1)
    }

    /// Reports a value with a state that is not current.
    fn check(&mut self, block: BlockId, value: ValueId) {
        let (memories, versions) = self.states(value);
        let mut states = memories.iter().zip(versions.as_slice());
        if !states.all(|(&memory, version)| self.current[memory] == *version) {
            self.errors.push(VerifyError::StaleState { block, value });
        }
    }

    /// A new version of each memory of the states in values of a type, which becomes current.
    fn change(&mut self, ty: Type) -> Versions {
        let memories = self.parts(ty).memories;
        for &memory in &*memories {
            self.current[memory] = self.fresh();
        }
        self.current_of(&memories)
    }

    fn current_of(&self, memories: &[usize]) -> Versions {
        Versions::new(memories.iter().map(|&memory| self.current[memory]).collect())
    }

    fn enter(&mut self, role: BlockRole) {
        let before = match (role, self.open.last()) {
            (BlockRole::Otherwise(Some(_)), Some(Open::If { before, .. }))
            | (BlockRole::Otherwise(None), Some(Open::Decision(before))) => before,
            _ => return,
        };
        self.current.clone_from(before);
    }

    fn statement(&mut self, block: BlockId, statement: &Statement) {
        match statement {
            Statement::Let { value, expr } => {
                if let Expr::Op(op, operands) = expr {
                    self.operation(block, *value, *op, operands);
                }
            }
            Statement::If { .. } => {
                self.open.push(Open::If { before: self.current.clone(), ends: Ends::default() });
            }
            Statement::Loop { params, inits, .. } => {
                inits.iter().for_each(|&init| self.check(block, init));
                let before = self.current.clone();
                for &param in params {
                    let ty = self.program.ty(param);
                    if self.types().holds_state(ty) {
                        self.change(ty);
                    }
                }
                // Two parameters may hold states of one memory.
                for &param in params {
                    if self.types().holds_state(self.program.ty(param)) {
                        let memories = self.parts(self.program.ty(param)).memories;
                        self.versions[param.index()] = Some(self.current_of(&memories));
                    }
                }
                let (begin, ends) = (self.current.clone(), Ends::default());
                self.open.push(Open::Loop { before, begin, ends, all_ends: Ends::default() });
            }
        }
    }

    fn operation(&mut self, block: BlockId, value: ValueId, op: Op, operands: &[ValueId]) {
        let ty = self.program.ty(value);
        let versions = match op {
            Op::Memory(MemoryOp::State(ty)) => {
                let memories = self.parts(ty).memories;
                Versions::new(memories.iter().map(|&memory| Version(memory as u32)).collect())
            }
            Op::Memory(MemoryOp::Size) => return,
            Op::Memory(MemoryOp::Load) => return self.check(block, operands[0]),
            Op::Memory(MemoryOp::Store | MemoryOp::Atomic(..)) => {
                self.check(block, operands[0]);
                self.change(ty)
            }
            Op::Memory(MemoryOp::Barrier(_)) => {
                operands.iter().for_each(|&state| self.check(block, state));
                let memories = self.parts(ty).memories;
                if !memories.iter().copied().eq(0..self.indices.len()) {
                    self.errors.push(VerifyError::Barrier { block, value });
                }
                self.change(ty)
            }
            _ if !self.types().holds_state(ty) => return,
            Op::Construct(_) => {
                let mut all = Vec::new();
                for &part in operands {
                    all.extend_from_slice(self.states(part).1.as_slice());
                }
                Versions::new(all)
            }
            Op::Field(field) => {
                let before = self.parts(self.program.ty(operands[0])).before[field as usize];
                let count = self.parts(ty).memories.len();
                let Versions { all, from, .. } = self.states(operands[0]).1;
                Versions { all, from: from + before, count }
            }
            Op::After => self.states(operands[0]).1,
            _ => return,
        };
        self.versions[value.index()] = Some(versions);
    }

    /// The versions after an `if` or a loop with these versions at its ends.
    fn join(&mut self, ends: &Ends) {
        for (memory, &version) in ends.0.iter().enumerate() {
            self.current[memory] = version.unwrap_or_else(|| self.fresh());
        }
    }

    fn after(&mut self, statement: &Statement) {
        let value = statement.value();
        let ty = self.program.ty(value);
        match self.open.pop() {
            Some(Open::If { ends, .. }) => self.join(&ends),
            Some(Open::Loop { before, begin, ends, all_ends }) => {
                self.join(&ends);
                for memory in 0..before.len() {
                    if begin[memory] == before[memory] {
                        continue;
                    }
                    // A parameter holds its state.
                    let is_unchanged = all_ends.0[memory] == Some(begin[memory]);
                    self.current[memory] = if is_unchanged { before[memory] } else { self.fresh() };
                }
            }
            Some(Open::Decision(_)) | None => unreachable!("the walk nests"),
        }
        if self.types().holds_state(ty) {
            let memories = self.parts(ty).memories;
            self.versions[value.index()] = Some(self.current_of(&memories));
        }
    }

    fn end(&mut self, block: BlockId, end: &End) {
        match end {
            End::Yield(values) => {
                values.iter().for_each(|&value| self.check(block, value));
                let innermost =
                    self.open.iter_mut().rev().find(|open| !matches!(open, Open::Decision(_)));
                match innermost {
                    Some(Open::If { ends, .. }) => ends.add(&self.current),
                    Some(Open::Loop { ends, all_ends, .. }) => {
                        ends.add(&self.current);
                        all_ends.add(&self.current);
                    }
                    _ => {}
                }
            }
            End::Rec(arguments) => {
                arguments.iter().for_each(|&argument| self.check(block, argument));
                let innermost =
                    self.open.iter_mut().rev().find(|open| !matches!(open, Open::Decision(_)));
                let Some(Open::Loop { before, begin, all_ends, .. }) = innermost else {
                    unreachable!("a `rec` stands in a loop")
                };
                all_ends.add(&self.current);
                let is_wrong = |memory: usize| {
                    begin[memory] == before[memory] && self.current[memory] != begin[memory]
                };
                if (0..begin.len()).any(is_wrong) {
                    self.errors.push(match arguments.first() {
                        Some(&value) => VerifyError::StaleState { block, value },
                        None => VerifyError::End { block },
                    });
                }
            }
            End::If { .. } => self.open.push(Open::Decision(self.current.clone())),
        }
    }
}
