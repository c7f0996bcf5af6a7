//! Execution of a program's tree: flat code with jumps, a program counter and variables for each invocation, one
//! mutable memory.

use crate::program::{
    AtomicStatement, Binary, Expression, Id, MemoryDeclaration, Program, Statement,
};
use lambdav_core::memory::Atomic;

/// The end of a dispatch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The words of each memory.
    Words(Vec<Vec<u32>>),
    /// A divergent barrier: an invocation that arrived, and one that did not.
    Divergent {
        /// The former's index in the dispatch.
        arrived: [u32; 3],
        /// The latter's.
        other: [u32; 3],
    },
}

/// A change of a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The invocation: the number of its workgroup, and its own in the workgroup.
    pub invocation: (u64, u64),
    /// The function of the old word; [`Atomic::Exchange`] for a store.
    pub atomic: Atomic,
    /// Its operand and comparand; 0 for one that it does not take.
    pub operands: [u32; 2],
    /// The memory.
    pub memory: usize,
    /// The index of the word.
    pub index: usize,
    /// The new word.
    pub word: u32,
}

/// The order of the invocations of a segment and of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The defined one.
    Forward,
    /// The opposite.
    Backward,
}

/// An instruction; targets of jumps are indices.
enum Instruction<'p> {
    Simple(&'p Statement),
    JumpIfZero(&'p Expression, usize),
    Jump(usize),
    /// A loop begins, its next round begins, it has ended.
    Enter,
    Round,
    Leave,
    Barrier,
}

/// The code of a list of statements, appended to `code`. `of` is the first instruction of the loop around it, if any; the
/// indices of jumps out of that loop are added to `breaks`.
fn compile<'p>(
    statements: &'p [Statement],
    code: &mut Vec<Instruction<'p>>,
    of: Option<usize>,
    breaks: &mut Vec<usize>,
) {
    for statement in statements {
        match statement {
            Statement::If(condition, then, otherwise) => {
                let decision = code.len();
                code.push(Instruction::JumpIfZero(condition, 0));
                compile(then, code, None, breaks);
                let end = code.len();
                code.push(Instruction::Jump(0));
                code[decision] = Instruction::JumpIfZero(condition, code.len());
                compile(otherwise, code, None, breaks);
                code[end] = Instruction::Jump(code.len());
            }
            Statement::Loop(body) => {
                code.push(Instruction::Enter);
                let begin = code.len();
                let mut left = Vec::new();
                compile(body, code, Some(begin), &mut left);
                code.push(Instruction::Round);
                code.push(Instruction::Jump(begin));
                for at in left {
                    code[at] = Instruction::Jump(code.len());
                }
                code.push(Instruction::Leave);
            }
            Statement::Break(condition) => {
                code.push(Instruction::JumpIfZero(condition, code.len() + 2));
                breaks.push(code.len());
                code.push(Instruction::Jump(0));
            }
            Statement::Continue(condition) => {
                let begin = of.expect("a `continue` stands in a loop");
                code.push(Instruction::JumpIfZero(condition, code.len() + 3));
                code.push(Instruction::Round);
                code.push(Instruction::Jump(begin));
            }
            Statement::Barrier => code.push(Instruction::Barrier),
            simple => code.push(Instruction::Simple(simple)),
        }
    }
}

struct Invocation {
    next: usize,
    variables: Vec<u32>,
    /// The rounds so far of the loops around the next instruction.
    rounds: Vec<u32>,
    local: [u32; 3],
    workgroup: [u32; 3],
}

/// An invocation's place after a segment: `None` at the end.
type Place = Option<(usize, Vec<u32>)>;

struct Machine<'p> {
    program: &'p Program,
    code: Vec<Instruction<'p>>,
    memories: Vec<Vec<u32>>,
    log: Vec<Change>,
}

/// Executes a dispatch.
pub fn run(program: &Program, order: Order) -> Outcome {
    run_logged(program, order).0
}

/// Executes a dispatch, and returns the changes in their order, too.
pub fn run_logged(program: &Program, order: Order) -> (Outcome, Vec<Change>) {
    let mut code = Vec::new();
    compile(&program.body, &mut code, None, &mut Vec::new());
    let memories = program.memories.iter().map(|memory| memory.words.clone()).collect();
    let mut machine = Machine { program, code, memories, log: Vec::new() };
    let mut groups = indices(program.groups);
    if order == Order::Backward {
        groups.reverse();
    }
    for group in groups {
        if let Err(outcome) = machine.workgroup(group, order) {
            return (outcome, machine.log);
        }
    }
    (Outcome::Words(machine.memories), machine.log)
}

/// All indices of a box, x fastest.
fn indices([x, y, z]: [u32; 3]) -> Vec<[u32; 3]> {
    let mut all = Vec::new();
    for c in 0..z {
        for b in 0..y {
            all.extend((0..x).map(|a| [a, b, c]));
        }
    }
    all
}

/// The number of an index in a box, x fastest.
fn number(index: [u32; 3], size: [u32; 3]) -> u64 {
    let ([x, y, z], [width, height, _]) = (index.map(u64::from), size.map(u64::from));
    x + width * (y + height * z)
}

impl Machine<'_> {
    fn workgroup(&mut self, group: [u32; 3], order: Order) -> Result<(), Outcome> {
        for (words, MemoryDeclaration { is_of_workgroup, .. }) in
            self.memories.iter_mut().zip(&self.program.memories)
        {
            if *is_of_workgroup {
                words.fill(0);
            }
        }
        let begin = |local| Invocation {
            next: 0,
            variables: vec![0; self.program.variables],
            rounds: Vec::new(),
            local,
            workgroup: group,
        };
        let mut all: Vec<Invocation> =
            indices(self.program.workgroup).into_iter().map(begin).collect();
        if order == Order::Backward {
            all.reverse();
        }
        loop {
            let mut first: Option<([u32; 3], Place)> = None;
            for invocation in &mut all {
                let place = self.segment(invocation);
                let id = self.global(invocation);
                match &first {
                    None => first = Some((id, place)),
                    Some((_, known)) if *known == place => {}
                    Some((other, None)) => {
                        return Err(Outcome::Divergent { arrived: id, other: *other });
                    }
                    Some((arrived, Some(_))) => {
                        return Err(Outcome::Divergent { arrived: *arrived, other: id });
                    }
                }
            }
            if first.is_none_or(|(_, place)| place.is_none()) {
                return Ok(());
            }
        }
    }

    fn global(&self, invocation: &Invocation) -> [u32; 3] {
        let Invocation { local, workgroup, .. } = invocation;
        [0, 1, 2].map(|axis| workgroup[axis] * self.program.workgroup[axis] + local[axis])
    }

    /// Runs an invocation to a barrier, or to its end.
    fn segment(&mut self, invocation: &mut Invocation) -> Place {
        loop {
            let instruction = self.code.get(invocation.next)?;
            invocation.next += 1;
            match instruction {
                Instruction::Barrier => return Some((invocation.next, invocation.rounds.clone())),
                Instruction::Jump(target) => invocation.next = *target,
                Instruction::JumpIfZero(condition, target) => {
                    if self.value(invocation, condition) == 0 {
                        invocation.next = *target;
                    }
                }
                Instruction::Enter => invocation.rounds.push(0),
                Instruction::Round => {
                    *invocation.rounds.last_mut().expect("it is in a loop") += 1;
                }
                Instruction::Leave => drop(invocation.rounds.pop()),
                Instruction::Simple(statement) => self.simple(invocation, statement),
            }
        }
    }

    fn simple(&mut self, invocation: &mut Invocation, statement: &Statement) {
        match statement {
            Statement::Assign(variable, value) => {
                invocation.variables[*variable] = self.value(invocation, value);
            }
            Statement::Load(variable, memory, index) => {
                let index = self.value(invocation, index) as usize;
                invocation.variables[*variable] =
                    self.memories[*memory].get(index).copied().unwrap_or(0);
            }
            Statement::Store(memory, index, value) => {
                let [index, value] = [index, value].map(|of| self.value(invocation, of));
                self.change(invocation, *memory, index as usize, Atomic::Exchange, [value, 0]);
            }
            Statement::Atomic(AtomicStatement { variable, atomic, memory, index, words }) => {
                let index = self.value(invocation, index) as usize;
                let [operand, comparand] = [0, 1].map(|k| self.value(invocation, &words[k]));
                let operands =
                    [operand, if *atomic == Atomic::CompareExchange { comparand } else { 0 }];
                let old = self.change(invocation, *memory, index, *atomic, operands);
                invocation.variables[*variable] = old;
            }
            _ => unreachable!("not a simple statement"),
        }
    }

    /// Changes a word, if there is one, and returns the old word, else 0.
    fn change(
        &mut self,
        invocation: &Invocation,
        memory: usize,
        index: usize,
        atomic: Atomic,
        operands: [u32; 2],
    ) -> u32 {
        let Some(place) = self.memories[memory].get_mut(index) else { return 0 };
        let old = *place;
        let word = changed(atomic, old, operands[0], operands[1]);
        *place = word;
        let Invocation { local, workgroup, .. } = invocation;
        let invocation =
            (number(*workgroup, self.program.groups), number(*local, self.program.workgroup));
        self.log.push(Change { invocation, atomic, operands, memory, index, word });
        old
    }

    fn value(&self, invocation: &Invocation, of: &Expression) -> u32 {
        match of {
            Expression::Constant(word) => *word,
            Expression::Variable(variable) => invocation.variables[*variable],
            Expression::Size(memory) => self.memories[*memory].len() as u32,
            Expression::Id(id, axis) => match id {
                Id::Global => self.global(invocation)[*axis],
                Id::Local => invocation.local[*axis],
                Id::Workgroup => invocation.workgroup[*axis],
                Id::Workgroups => self.program.groups[*axis],
                Id::LocalIndex => number(invocation.local, self.program.workgroup) as u32,
            },
            Expression::Binary(binary, of) => {
                let [a, b] = [0, 1].map(|k| self.value(invocation, &of[k]));
                match binary {
                    Binary::Add => a.wrapping_add(b),
                    Binary::Mul => a.wrapping_mul(b),
                    Binary::Xor => a ^ b,
                    Binary::And => a & b,
                    Binary::Rem => a.checked_rem(b).unwrap_or(0),
                    Binary::Less => u32::from(a < b),
                    Binary::AddNumbers => {
                        let sum = f32::from_bits(a) + f32::from_bits(b);
                        if sum.is_nan() { 0x7fc0_0000 } else { sum.to_bits() }
                    }
                }
            }
        }
    }
}

/// The new word of an atomic operation.
fn changed(atomic: Atomic, old: u32, operand: u32, comparand: u32) -> u32 {
    // Signed numbers, in the order of unsigned ones.
    let signed = |word: u32| word ^ 0x8000_0000;
    match atomic {
        Atomic::Add => old.wrapping_add(operand),
        Atomic::IntMin if signed(operand) < signed(old) => operand,
        Atomic::IntMax if signed(operand) > signed(old) => operand,
        Atomic::UintMin if operand < old => operand,
        Atomic::UintMax if operand > old => operand,
        Atomic::And => old & operand,
        Atomic::Or => old | operand,
        Atomic::Xor => old ^ operand,
        Atomic::Exchange => operand,
        Atomic::CompareExchange if old == comparand => operand,
        _ => old,
    }
}
