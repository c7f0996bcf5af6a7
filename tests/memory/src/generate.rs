//! Random programs.
//!
//! A *racy* program accesses any word from any invocation. In a *race-free* one, an invocation accesses a buffer that is
//! written at its own index only. It accesses a variable of workgroups at its local index, rotated by a number that
//! changes at each barrier; a loop with a barrier begins with one and is followed by one. A *reduced* buffer has atomic
//! operations of one kind at any index, whose results nobody reads (sometimes of two kinds: then it is racy). So the result depends on no order of invocations.

use crate::program::{
    AtomicStatement, Binary, Expression, Id, MemoryDeclaration, Program, Statement,
};
use lambdav_core::memory::Atomic;
use lambdav_test_support::Random;

/// Variables that statements assign; counters of loops follow.
pub(crate) const VARIABLES: usize = 6;

/// Atomic operations whose order does not matter.
const COMMUTATIVE: [Atomic; 8] = [
    Atomic::Add,
    Atomic::IntMin,
    Atomic::IntMax,
    Atomic::UintMin,
    Atomic::UintMax,
    Atomic::And,
    Atomic::Or,
    Atomic::Xor,
];

/// Most nested branches and loops.
const NESTING: usize = 3;

/// The program of a seed. Every third one is race-free.
pub fn generate(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let is_race_free = random.below(3) == 0;
    // Atomic operations of two kinds, which do not commute, and nothing else that depends on the order.
    let is_mixed = is_race_free && random.percent(15);
    let side = |random: &mut Random, most| 1 + random.below(most) as u32;
    let workgroup = [side(&mut random, 4), side(&mut random, 2), side(&mut random, 2)];
    let groups = [side(&mut random, 3), side(&mut random, 2), 1];
    let size: u32 = workgroup.iter().product();
    let count: u32 = groups.iter().product::<u32>() * size;
    let mut memories = Vec::new();
    for index in 0..2 + random.below(3) {
        let is_of_workgroup = index > 0 && random.percent(40) && !is_mixed;
        let words = match (is_race_free, is_of_workgroup) {
            (true, true) => size as usize,
            (true, false) => count as usize + random.below(3),
            (false, _) => 1 + random.below(9),
        };
        let words = (0..words).map(|_| match is_of_workgroup {
            true => 0,
            false => word(&mut random),
        });
        memories.push(MemoryDeclaration { words: words.collect(), is_of_workgroup });
    }
    // A buffer that nobody writes may be read anywhere.
    let read_only = (memories.len() > 2 && !memories[2].is_of_workgroup).then_some(2);
    let reduced = (is_race_free && (is_mixed || random.percent(40))).then(|| {
        let words = (0..1 + random.below(5)).map(|_| word(&mut random)).collect();
        memories.push(MemoryDeclaration { words, is_of_workgroup: false });
        let kind = *random.pick(&COMMUTATIVE);
        let other = if is_mixed { *random.pick(&COMMUTATIVE) } else { kind };
        (memories.len() - 1, [kind, other])
    });
    let mut generator = Generator {
        random,
        memories,
        workgroup,
        groups,
        variables: VARIABLES,
        is_race_free,
        read_only,
        reduced,
        unread: Vec::new(),
        phase: 0,
        size,
        allows_divergence: false,
        allows_barriers: !is_mixed,
    };
    generator.allows_divergence = !is_race_free && generator.random.percent(16);
    let count = 4 + generator.random.below(10);
    let mut body = generator.block(count, 0, true);
    // Variables become visible.
    for variable in 0..VARIABLES.min(2 + generator.random.below(4)) {
        let index = generator.index(0);
        body.push(Statement::Store(0, index, Expression::Variable(variable)));
    }
    let Generator { memories, variables, reduced, .. } = generator;
    let is_race_free = is_race_free && reduced.is_none_or(|(_, [kind, other])| kind == other);
    Program { memories, variables, body, workgroup, groups, is_race_free }
}

/// A word: small, any, or the bits of a number.
fn word(random: &mut Random) -> u32 {
    match random.below(5) {
        0 => random.bits() as u32,
        1 => *random.pick(&[0x7fc0_0001, 0xff80_0001, 0x7f80_0000, 0x8000_0000, u32::MAX]),
        2 => (random.below(200) as f32 * 0.25).to_bits(),
        _ => random.below(12) as u32,
    }
}

struct Generator {
    random: Random,
    memories: Vec<MemoryDeclaration>,
    workgroup: [u32; 3],
    groups: [u32; 3],
    /// The number of variables, counters included.
    variables: usize,
    is_race_free: bool,
    /// A buffer that no statement writes, if the program is race-free.
    read_only: Option<usize>,
    /// A buffer with atomic operations of these kinds only, whose results nobody reads.
    reduced: Option<(usize, [Atomic; 2])>,
    /// The variables that its results become.
    unread: Vec<usize>,
    /// Changes at each barrier.
    phase: u32,
    /// Invocations of a workgroup.
    size: u32,
    /// Barriers may stand in divergent control flow.
    allows_divergence: bool,
    /// There may be barriers.
    allows_barriers: bool,
}

fn binary(of: Binary, a: Expression, b: Expression) -> Expression {
    Expression::Binary(of, Box::new([a, b]))
}

impl Generator {
    fn block(&mut self, count: usize, depth: usize, is_uniform: bool) -> Vec<Statement> {
        let mut all = Vec::new();
        for _ in 0..count {
            self.statement(depth, is_uniform, &mut all);
        }
        all
    }

    fn variable(&mut self) -> usize {
        self.random.below(VARIABLES)
    }

    /// A memory that may be written.
    fn written(&mut self) -> usize {
        loop {
            let memory = self.random.below(self.memories.len());
            let is_reduced = self.reduced.is_some_and(|(reduced, _)| reduced == memory);
            if !is_reduced && (!self.is_race_free || self.read_only != Some(memory)) {
                return memory;
            }
        }
    }

    fn statement(&mut self, depth: usize, is_uniform: bool, all: &mut Vec<Statement>) {
        let nested = if depth < NESTING { 14 } else { 0 };
        let may_wait = self.allows_barriers && (is_uniform || self.allows_divergence);
        let barrier = if may_wait { 10 } else { 0 };
        let statement = match self.random.weighted(&[14, 24, 24, 14, barrier, nested, nested]) {
            0 => Statement::Assign(self.variable(), self.expression(2)),
            1 => {
                let readable = self.memories.len() - usize::from(self.reduced.is_some());
                let memory = self.random.below(readable);
                let index = match self.is_race_free && self.read_only == Some(memory) {
                    true => self.any_index(memory),
                    false => self.index(memory),
                };
                Statement::Load(self.variable(), memory, index)
            }
            2 => {
                let memory = self.written();
                Statement::Store(memory, self.index(memory), self.expression(1))
            }
            3 if self.reduced.is_some() && self.random.percent(50) => {
                let (memory, kinds) = self.reduced.expect("it is there");
                let atomic = *self.random.pick(&kinds);
                let variable = self.variables;
                self.variables += 1;
                self.unread.push(variable);
                let (index, words) =
                    (self.any_index(memory), [self.expression(1), Expression::Constant(0)]);
                Statement::Atomic(AtomicStatement { variable, atomic, memory, index, words })
            }
            3 => {
                let memory = self.written();
                Statement::Atomic(AtomicStatement {
                    variable: self.variable(),
                    atomic: *self.random.pick(&Atomic::ALL),
                    memory,
                    index: self.index(memory),
                    words: [self.expression(1), self.expression(0)],
                })
            }
            4 => {
                self.phase += 1;
                Statement::Barrier
            }
            5 => self.branch(depth, is_uniform),
            _ => return self.repetition(depth, is_uniform, all),
        };
        all.push(statement);
    }

    fn branch(&mut self, depth: usize, is_uniform: bool) -> Statement {
        let stays_uniform = is_uniform && self.random.percent(40);
        let condition = match stays_uniform {
            true => self.uniform(),
            false => {
                let [a, b] = [self.expression(1), self.expression(1)];
                binary(Binary::Less, a, b)
            }
        };
        let before = self.phase;
        let count = 1 + self.random.below(4);
        let then = self.block(count, depth + 1, stays_uniform);
        let after = std::mem::replace(&mut self.phase, before);
        let count = self.random.below(4);
        let mut otherwise = match self.random.percent(10) {
            // Equal statements in exclusive arms.
            true => {
                self.phase = after;
                then.clone()
            }
            false => self.block(count, depth + 1, stays_uniform),
        };
        // Both arms go on in one phase: an arm with fewer barriers gets another one.
        if self.is_race_free && (after != before || self.phase != before) {
            let mut then = then;
            then.push(Statement::Barrier);
            otherwise.push(Statement::Barrier);
            self.phase = after.max(self.phase) + 1;
            return Statement::If(condition, then, otherwise);
        }
        self.phase = after.max(self.phase);
        Statement::If(condition, then, otherwise)
    }

    fn repetition(&mut self, depth: usize, is_uniform: bool, all: &mut Vec<Statement>) {
        let counter = self.variables;
        self.variables += 1;
        let stays_uniform = is_uniform && self.random.percent(50);
        let limit = match stays_uniform {
            true => Expression::Constant(self.random.below(4) as u32),
            false => binary(Binary::And, self.expression(1), Expression::Constant(3)),
        };
        let more = binary(Binary::Less, Expression::Variable(counter), limit);
        let ends = binary(Binary::Less, more, Expression::Constant(1));
        let next = binary(Binary::Add, Expression::Variable(counter), Expression::Constant(1));
        let limited = binary(Binary::Less, Expression::Constant(6), next.clone());
        let mut body = vec![
            Statement::Break(ends),
            Statement::Break(limited),
            Statement::Assign(counter, next),
        ];
        let begin = self.phase;
        if self.is_race_free && stays_uniform && self.allows_barriers {
            self.phase += 1;
            body.push(Statement::Barrier);
        }
        for _ in 0..1 + self.random.below(4) {
            self.statement(depth + 1, stays_uniform, &mut body);
            if self.random.percent(15) && !stays_uniform {
                let [a, b] = [self.expression(1), self.expression(1)];
                let condition = binary(Binary::Less, a, b);
                body.push(match self.random.percent(50) {
                    true => Statement::Break(condition),
                    false => Statement::Continue(condition),
                });
            }
        }
        all.push(Statement::Assign(counter, Expression::Constant(0)));
        all.push(Statement::Loop(body));
        if self.is_race_free && self.phase != begin {
            self.phase += 1;
            all.push(Statement::Barrier);
        }
    }

    /// The index of an access: the invocation's own word in a race-free program.
    fn index(&mut self, memory: usize) -> Expression {
        if !self.is_race_free {
            return self.any_index(memory);
        }
        if self.memories[memory].is_of_workgroup {
            let turned = binary(
                Binary::Add,
                Expression::Id(Id::LocalIndex, 0),
                Expression::Constant(self.phase),
            );
            return binary(Binary::Rem, turned, Expression::Constant(self.size));
        }
        let mut index = Expression::Constant(0);
        for axis in (0..3).rev() {
            let width = Expression::Constant(self.workgroup[axis] * self.groups[axis]);
            index = binary(Binary::Mul, index, width);
            index = binary(Binary::Add, index, Expression::Id(Id::Global, axis));
        }
        index
    }

    /// Any index, sometimes beyond the end.
    fn any_index(&mut self, memory: usize) -> Expression {
        let index = self.expression(1);
        if self.random.percent(8) {
            return index;
        }
        let count = self.memories[memory].words.len() as u32 + u32::from(self.random.percent(30));
        binary(Binary::Rem, index, Expression::Constant(count))
    }

    /// A value that is equal in all invocations of a workgroup.
    fn uniform(&mut self) -> Expression {
        let id = Expression::Id(
            *self.random.pick(&[Id::Workgroup, Id::Workgroups]),
            self.random.below(3),
        );
        match self.random.below(3) {
            0 => Expression::Constant(self.random.below(2) as u32),
            1 => id,
            _ => binary(Binary::Less, id, Expression::Constant(1 + self.random.below(2) as u32)),
        }
    }

    fn expression(&mut self, depth: usize) -> Expression {
        if depth > 0 && self.random.percent(60) {
            let of = *self.random.pick(&[
                Binary::Add,
                Binary::Add,
                Binary::Mul,
                Binary::Xor,
                Binary::And,
                Binary::Rem,
                Binary::Less,
                Binary::AddNumbers,
            ]);
            let [a, b] = [self.expression(depth - 1), self.expression(depth - 1)];
            return binary(of, a, b);
        }
        match self.random.below(8) {
            0 => Expression::Constant(word(&mut self.random)),
            1 => Expression::Size(self.random.below(self.memories.len())),
            2 | 3 => {
                let id = *self.random.pick(&[Id::Global, Id::Local, Id::Workgroup, Id::LocalIndex]);
                Expression::Id(id, if id == Id::LocalIndex { 0 } else { self.random.below(3) })
            }
            _ => loop {
                let variable = self.random.below(self.variables);
                if !self.unread.contains(&variable) {
                    return Expression::Variable(variable);
                }
            },
        }
    }
}
