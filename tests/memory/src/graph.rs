//! The core of a program's tree, built in program order: variables and states are nodes.

use crate::program::{AtomicStatement, Binary, Expression, Id, Program, Statement};
use lambdav_core::graph::{Core, Effect, Graph, LoopId, NodeId, StageInput};
use lambdav_core::memory::{InvocationInput, MemoryOp};
use lambdav_core::op::Op;
use lambdav_core::source::Span;
use lambdav_core::types::{Field, MemoryKind, Structure, Type};
use std::collections::BTreeSet;

/// The core of a program, whose results are the final states of all its memories.
pub fn build(program: &Program) -> Core {
    let mut core = Core { workgroup: Some(program.workgroup), ..Core::default() };
    let types = core.graph.types_mut();
    let memories: Vec<Type> = (0..)
        .zip(&program.memories)
        .map(|(index, memory): (u32, _)| {
            let kind = match memory.is_of_workgroup {
                true => MemoryKind::Workgroup(memory.words.len() as u32),
                false => MemoryKind::Storage,
            };
            types.add_memory(format!("m{index}").into(), kind).expect("there are few")
        })
        .collect();
    let mut builder = Builder { graph: core.graph, memories, loops: 0, span: 0 };
    let zero = builder.constant(0);
    let states = builder.memories.clone();
    let states = states.into_iter().map(|ty| builder.memory_op(MemoryOp::State(ty), vec![]));
    let mut scope = Scope {
        variables: vec![zero; program.variables],
        states: states.collect(),
        awaited: BTreeSet::new(),
    };
    builder.statements(&program.body, &mut scope);
    core.graph = builder.graph;
    let effect = |&node: &NodeId| Effect { node, span: Span::default() };
    core.effects = scope.states.iter().map(effect).collect();
    core
}

/// The values of all variables, and the states of all memories, at a point of the program.
#[derive(Clone, PartialEq)]
struct Scope {
    variables: Vec<NodeId>,
    states: Vec<NodeId>,
    /// Memories that are only read, in a loop without a parameter for their states, for which the states after it wait.
    awaited: BTreeSet<usize>,
}

/// The variables that a list of statements assigns, and the memories that it accesses and changes.
#[derive(Default)]
struct Touched {
    variables: BTreeSet<usize>,
    read: BTreeSet<usize>,
    changed: BTreeSet<usize>,
    has_barrier: bool,
}

impl Touched {
    fn add(&mut self, statements: &[Statement]) {
        for statement in statements {
            match statement {
                Statement::Assign(variable, _) => drop(self.variables.insert(*variable)),
                Statement::Load(variable, memory, _) => {
                    self.variables.insert(*variable);
                    self.read.insert(*memory);
                }
                Statement::Store(memory, ..) => drop(self.changed.insert(*memory)),
                Statement::Atomic(AtomicStatement { variable, memory, .. }) => {
                    self.variables.insert(*variable);
                    self.changed.insert(*memory);
                }
                Statement::Barrier => self.has_barrier = true,
                Statement::If(_, then, otherwise) => {
                    self.add(then);
                    self.add(otherwise);
                }
                Statement::Loop(body) => self.add(body),
                Statement::Break(_) | Statement::Continue(_) => {}
            }
        }
    }
}

/// A loop whose body is being built: the positions of its parameters' variables and states, and its value's type.
struct Open {
    of: LoopId,
    variables: Vec<usize>,
    states: Vec<usize>,
    ty: Type,
}

struct Builder {
    graph: Graph,
    memories: Vec<Type>,
    /// The number of loops so far.
    loops: usize,
    /// The number of statements so far: their positions.
    span: u32,
}

impl Builder {
    fn span(&self) -> Span {
        Span::new(self.span, self.span)
    }

    fn constant(&mut self, word: u32) -> NodeId {
        let span = self.span();
        self.graph.constant(Type::UINT, &[word], span)
    }

    fn op(&mut self, op: Op, operands: Vec<NodeId>) -> NodeId {
        let span = self.span();
        self.graph.op(op, operands, span)
    }

    fn memory_op(&mut self, op: MemoryOp, operands: Vec<NodeId>) -> NodeId {
        self.op(Op::Memory(op), operands)
    }

    fn structure(&mut self, fields: &[Type]) -> Type {
        let fields = (0..).zip(fields).map(|(index, &ty): (u32, _)| Field {
            name: index.to_string().into(),
            ty,
            is_generic: false,
        });
        let structure = Structure { name: "Values".into(), fields: fields.collect() };
        self.graph.types_mut().add_structure(structure).expect("it is small")
    }

    fn fields(&mut self, value: NodeId, count: usize) -> Vec<NodeId> {
        (0..count as u32).map(|field| self.op(Op::Field(field), vec![value])).collect()
    }

    fn expression(&mut self, of: &Expression, scope: &Scope) -> NodeId {
        match of {
            Expression::Constant(word) => self.constant(*word),
            Expression::Variable(variable) => scope.variables[*variable],
            Expression::Size(memory) => self.memory_op(MemoryOp::Size, vec![scope.states[*memory]]),
            Expression::Id(id, axis) => {
                let input = match id {
                    Id::Global => InvocationInput::GlobalId,
                    Id::Local => InvocationInput::LocalId,
                    Id::Workgroup => InvocationInput::WorkgroupId,
                    Id::LocalIndex => InvocationInput::LocalIndex,
                    Id::Workgroups => InvocationInput::Workgroups,
                };
                let (ty, span) = (input.ty(), self.span());
                let node = self.graph.stage_input(StageInput::Invocation(input), ty, span);
                match id {
                    Id::LocalIndex => node,
                    _ => self.op(Op::Component(*axis as u8), vec![node]),
                }
            }
            Expression::Binary(binary, of) => {
                let [a, b] = [0, 1].map(|k| self.expression(&of[k], scope));
                let op = match binary {
                    Binary::Add => Op::Add,
                    Binary::Mul => Op::Mul,
                    Binary::Xor => Op::Xor,
                    Binary::And => Op::And,
                    Binary::Rem => Op::Rem,
                    Binary::Less => {
                        let less = self.op(Op::Less, vec![a, b]);
                        return self.op(Op::Convert(lambdav_core::types::Scalar::U32), vec![less]);
                    }
                    Binary::AddNumbers => {
                        let [a, b] = [a, b].map(|word| self.op(Op::FromBits, vec![word]));
                        let sum = self.op(Op::Add, vec![a, b]);
                        return self.op(Op::Bits, vec![sum]);
                    }
                };
                self.op(op, vec![a, b])
            }
        }
    }

    fn condition(&mut self, of: &Expression, scope: &Scope) -> NodeId {
        let word = self.expression(of, scope);
        let zero = self.constant(0);
        self.op(Op::NotEqual, vec![word, zero])
    }

    fn statements(&mut self, statements: &[Statement], scope: &mut Scope) {
        for statement in statements {
            self.statement(statement, scope);
        }
    }

    fn statement(&mut self, statement: &Statement, scope: &mut Scope) {
        self.span += 1;
        match statement {
            Statement::Assign(variable, value) => {
                scope.variables[*variable] = self.expression(value, scope);
            }
            Statement::Load(variable, memory, index) => {
                let index = self.expression(index, scope);
                let span = self.span();
                let [word, state] = self.graph.load(scope.states[*memory], index, span);
                scope.variables[*variable] = word;
                if !scope.awaited.contains(memory) {
                    scope.states[*memory] = state;
                }
            }
            Statement::Store(memory, index, value) => {
                let [index, value] = [index, value].map(|of| self.expression(of, scope));
                let operands = vec![scope.states[*memory], index, value];
                scope.states[*memory] = self.memory_op(MemoryOp::Store, operands);
            }
            Statement::Atomic(AtomicStatement { variable, atomic, memory, index, words }) => {
                let mut operands = vec![scope.states[*memory], self.expression(index, scope)];
                for word in &words[..atomic.words()] {
                    operands.push(self.expression(word, scope));
                }
                let ty = self.structure(&[Type::UINT, self.memories[*memory]]);
                let both = self.memory_op(MemoryOp::Atomic(*atomic, ty), operands);
                let both = self.fields(both, 2);
                (scope.variables[*variable], scope.states[*memory]) = (both[0], both[1]);
            }
            Statement::Barrier => {
                let ty = self.structure(&self.memories.clone());
                let all = self.memory_op(MemoryOp::Barrier(ty), scope.states.clone());
                scope.states = self.fields(all, self.memories.len());
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.condition(condition, scope);
                let (mut yes, mut no) = (scope.clone(), scope.clone());
                self.statements(then, &mut yes);
                self.statements(otherwise, &mut no);
                self.choose(condition, &yes, &no, scope);
            }
            Statement::Loop(body) => self.loop_(body, scope),
            Statement::Break(_) | Statement::Continue(_) => {
                unreachable!("only directly in a loop")
            }
        }
    }

    /// Joins the scopes at the ends of two arms. One `if` chooses everything that differs if a state does.
    fn choose(&mut self, condition: NodeId, yes: &Scope, no: &Scope, scope: &mut Scope) {
        let places = |all: &Scope| [all.variables.clone(), all.states.clone()].concat();
        let (yes_all, no_all) = (places(yes), places(no));
        let differing: Vec<usize> =
            (0..yes_all.len()).filter(|&place| yes_all[place] != no_all[place]).collect();
        let span = self.span();
        let mut joined = yes_all.clone();
        if yes.states == no.states {
            for place in differing {
                joined[place] = self.graph.if_([condition, yes_all[place], no_all[place]], span);
            }
        } else {
            let types: Vec<Type> =
                differing.iter().map(|&place| self.graph.value_type(yes_all[place])).collect();
            let ty = self.structure(&types);
            let arms = [&yes_all, &no_all].map(|all| {
                let parts = differing.iter().map(|&place| all[place]).collect();
                self.op(Op::Construct(ty), parts)
            });
            let chosen = self.graph.if_([condition, arms[0], arms[1]], span);
            for (place, part) in differing.iter().zip(self.fields(chosen, differing.len())) {
                joined[*place] = part;
            }
        }
        scope.states = joined.split_off(scope.variables.len());
        scope.variables = joined;
    }

    fn loop_(&mut self, body: &[Statement], scope: &mut Scope) {
        let mut touched = Touched::default();
        touched.add(body);
        self.loops += 1;
        let mut states: BTreeSet<usize> = touched.changed;
        // Every second loop passes the states on that it only reads; another one is awaited by the states after it.
        let only_read: Vec<usize> = touched.read.difference(&states).copied().collect();
        let only_read: Vec<usize> =
            only_read.into_iter().filter(|memory| !scope.awaited.contains(memory)).collect();
        let awaits = self.loops.is_multiple_of(2) && !touched.has_barrier;
        if !awaits {
            states.extend(&only_read);
        }
        if touched.has_barrier {
            states.extend(0..self.memories.len());
        }
        let variables: Vec<usize> = touched.variables.into_iter().collect();
        let states: Vec<usize> = states.into_iter().collect();
        let inits: Vec<NodeId> = variables
            .iter()
            .map(|&variable| scope.variables[variable])
            .chain(states.iter().map(|&memory| scope.states[memory]))
            .collect();
        let types: Vec<Type> = inits.iter().map(|&init| self.graph.value_type(init)).collect();
        let ty = self.structure(&types);
        let (of, span) = (self.graph.begin_loop(), self.span());
        let params: Vec<NodeId> =
            (0..).zip(&types).map(|(index, &ty)| self.graph.param(of, index, ty, span)).collect();
        let mut inside = scope.clone();
        if awaits {
            inside.awaited.extend(&only_read);
        }
        for (&variable, &param) in variables.iter().zip(&params) {
            inside.variables[variable] = param;
        }
        for (&memory, &param) in states.iter().zip(&params[variables.len()..]) {
            inside.states[memory] = param;
        }
        let open = Open { of, variables, states, ty };
        let body = self.tail(body, &open, inside);
        let value = self.graph.finish_loop(of, params, inits, body, span);
        let parts = self.fields(value, types.len());
        for (&variable, &part) in open.variables.iter().zip(&parts) {
            scope.variables[variable] = part;
        }
        for (&memory, &part) in open.states.iter().zip(&parts[open.variables.len()..]) {
            scope.states[memory] = part;
        }
        if awaits {
            for memory in only_read {
                scope.states[memory] = self.graph.after(scope.states[memory], [value], span);
            }
        }
    }

    /// The values that a loop passes on.
    fn passed(open: &Open, scope: &Scope) -> Vec<NodeId> {
        let variables = open.variables.iter().map(|&variable| scope.variables[variable]);
        variables.chain(open.states.iter().map(|&memory| scope.states[memory])).collect()
    }

    /// The tail of a loop's body from these statements on.
    fn tail(&mut self, statements: &[Statement], open: &Open, mut scope: Scope) -> NodeId {
        // The decisions so far: condition, and whether the arm taken leaves the loop; with that arm.
        let mut decisions = Vec::new();
        for statement in statements {
            let (condition, leaves) = match statement {
                Statement::Break(condition) => (condition, true),
                Statement::Continue(condition) => (condition, false),
                other => {
                    self.statement(other, &mut scope);
                    continue;
                }
            };
            let condition = self.condition(condition, &scope);
            decisions.push((condition, self.leaf(open, &scope, leaves)));
        }
        let mut tail = self.leaf(open, &scope, false);
        let span = self.span();
        for (condition, leaf) in decisions.into_iter().rev() {
            tail = self.graph.if_([condition, leaf, tail], span);
        }
        tail
    }

    fn leaf(&mut self, open: &Open, scope: &Scope, leaves: bool) -> NodeId {
        let (passed, span) = (Self::passed(open, scope), self.span());
        match leaves {
            true => self.op(Op::Construct(open.ty), passed),
            false => self.graph.rec(open.of, passed, span),
        }
    }
}
