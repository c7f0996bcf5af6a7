//! Random programs: well typed, always ending, without errors in const-expressions.
//!
//! Every loop counts rounds by a variable that its body does not change. What an expression costs is bounded by the
//! number of nodes, of a function by its steps and by its size with all calls in place.

mod builtins;
mod expression;
mod function;
mod loops;
mod numbers;
mod statement;
mod types;
mod variables;

use crate::evaluate::{is_partly_valid, strict};
use crate::program::{
    Expr, Global, Kind, Program, Role, Scalar, Stage, Structure, Type, VariableId,
};
use lambdav_test_support::Random;
use std::collections::BTreeSet;

/// Options of the generator.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// About the number of statements of the entry point.
    pub statements: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { statements: 30 }
    }
}

/// Cost of a function.
#[derive(Clone, Debug, Default)]
struct Cost {
    /// Statements that are executed at most.
    steps: u64,
    /// Statements, with those of calls in their places.
    size: u64,
    /// Variables of the module that the function or its calls use.
    touched: BTreeSet<VariableId>,
    /// True if the pixel may be discarded.
    discards: bool,
}

/// The state of the generator.
struct Generator {
    random: Random,
    program: Program,
    scopes: Vec<Vec<VariableId>>,
    /// Variables whose names inner scopes use.
    hidden: BTreeSet<VariableId>,
    /// Variables that statements must not change.
    protected: BTreeSet<VariableId>,
    /// The variables whose places pointers have.
    roots: Vec<VariableId>,
    costs: Vec<Cost>,
    cost: Cost,
    names: usize,
    /// Nodes that are left.
    budget: i64,
    /// Rounds of the loops around.
    rounds: u64,
    /// The latest stage of expressions.
    limit: Stage,
    has_calls: bool,
    indices: u32,
    result: Type,
    loops: u32,
    switches: u32,
    /// True in statements of the entry point itself before any pixel may have ended.
    has_quad: bool,
}

/// The program of a seed.
pub fn generate(seed: u64, options: &Options) -> Program {
    let mut random = Random::new(seed.wrapping_mul(0x9e37_79b9) ^ seed << 32);
    let program = Program::new(random.bits());
    let roots = (0..program.variables.len()).collect();
    let mut generator = Generator {
        random,
        program,
        scopes: vec![vec![]],
        hidden: BTreeSet::new(),
        protected: BTreeSet::new(),
        roots,
        costs: Vec::new(),
        cost: Cost::default(),
        names: 0,
        budget: 0,
        rounds: 1,
        limit: Stage::Run,
        has_calls: true,
        indices: 0,
        result: Type::Void,
        loops: 0,
        switches: 0,
        has_quad: false,
    };
    generator.module(options.statements);
    generator.program
}

impl Generator {
    /// An expression with its stage and value. `None` if it would be an error.
    fn finish(&self, ty: &Type, kind: Kind) -> Option<Expr> {
        let mut of = Expr::new(ty.clone(), kind);
        let is_run = match &of.kind {
            Kind::Call(..) | Kind::AddressOf(_) | Kind::Deref(_) => true,
            Kind::Builtin(builtin, _) => builtin.is_derivative(),
            _ => false,
        };
        if is_run {
            return Some(of);
        }
        of.stage = of.operands().iter().map(|operand| operand.stage).max().unwrap_or(Stage::Const);
        if of.operands().iter().all(|operand| operand.value.is_some()) {
            of.value = Some(strict(&self.program, &of)?);
            return Some(of);
        }
        is_partly_valid(&of).then_some(of)
    }

    fn variable(&mut self, prefix: &str, ty: Type, role: Role) -> VariableId {
        self.names += 1;
        let name = format!("{prefix}{}", self.names);
        let id = self.program.variable(&name, ty, role);
        self.roots.push(id);
        id
    }

    fn show(&mut self, id: VariableId) {
        self.scopes.last_mut().expect("there is the module's scope").push(id);
    }

    fn within<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let hidden = self.hidden.clone();
        self.scopes.push(Vec::new());
        let result = work(self);
        self.scopes.pop();
        self.hidden = hidden;
        result
    }

    /// An expression that is known at this stage.
    fn known(&mut self, ty: &Type, depth: u32, stage: Stage) -> Expr {
        let was = std::mem::replace(&mut self.limit, stage);
        let result = self.expr(ty, depth);
        self.limit = was;
        result
    }

    fn module(&mut self, statements: usize) {
        for _ in 0..self.random.between(0, 3) {
            self.structure();
        }
        for _ in 0..self.random.below(4) {
            self.abstract_constant();
        }
        self.uniforms();
        for _ in 0..self.random.between(2, 6) {
            self.global();
        }
        for _ in 0..self.random.between(1, 5) {
            self.function(statements / 5 + 1);
            if self.random.percent(30) {
                self.global();
            }
        }
        self.entry_point(statements);
    }

    fn structure(&mut self) {
        let count = self.random.between(1, 3);
        let mut fields = Vec::new();
        for k in 0..count {
            let ty = match self.random.below(10) {
                0..6 => self.plain_type(),
                6..8 => {
                    let element = self.plain_type();
                    Type::array(element, self.random.between(1, 3))
                }
                _ if !self.program.structures.is_empty() => {
                    Type::Structure(self.random.below(self.program.structures.len()))
                }
                _ => Type::FLOAT,
            };
            fields.push((format!("m{k}"), ty));
        }
        self.names += 1;
        let name = format!("S{}", self.names);
        self.program.structures.push(Structure { name, fields });
    }

    fn abstract_constant(&mut self) {
        let is_int = self.random.percent(60);
        let value = self.abstract_number(is_int, 3);
        if value.value().is_some() {
            self.names += 1;
            let name = format!("N{}", self.names);
            self.program.abstracts.push((name, value));
        }
    }

    fn uniforms(&mut self) {
        for _ in 0..self.random.below(5) {
            let ty = match self.random.below(8) {
                0..6 => self.uniform_type(),
                _ => {
                    let scalar = *self.random.pick(&[Scalar::Int, Scalar::Uint, Scalar::Float]);
                    let element = match self.random.percent(60) {
                        true => Type::Vector(scalar, self.random.between(3, 4) as u8),
                        false => Type::Matrix(
                            self.random.between(2, 4) as u8,
                            self.random.between(3, 4) as u8,
                        ),
                    };
                    Type::array(element, self.random.between(1, 3))
                }
            };
            let kinds = ty.components(&self.program.structures);
            let words = kinds.iter().map(|&scalar| self.uniform_word(scalar)).collect();
            let id = self.variable("un", ty, Role::Uniform);
            self.show(id);
            self.program.uniforms.push((id, words));
        }
    }

    /// A constant or variable of the module.
    fn global(&mut self) {
        let role = *self.random.pick(&[Role::Const, Role::Private, Role::Private, Role::Override]);
        let ty = match role {
            Role::Override => Type::Scalar(self.scalar()),
            _ => self.value_type(),
        };
        self.budget = 30;
        let stage = if role == Role::Const { Stage::Const } else { Stage::Override };
        let value = match role {
            Role::Private if self.random.percent(30) => None,
            _ => Some(self.known(&ty, 3, stage)),
        };
        let id = self.variable("g", ty, role);
        if role != Role::Private {
            self.program.variables[id].value =
                value.as_ref().and_then(|value: &Expr| value.value.clone());
        }
        let has_type = self.random.percent(50);
        self.program.globals.push(Global { variable: id, value, has_type });
        self.show(id);
    }
}
