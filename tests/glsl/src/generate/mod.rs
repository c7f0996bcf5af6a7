//! Random programs: well typed, always ending, with one meaning.
//!
//! Where GLSL leaves the order of evaluation open, the order does not matter, except that operands of which both have
//! effects are evaluated from left to right. Every loop counts rounds by a variable that its body does not change.

mod access;
mod builtins;
mod call;
mod expression;
mod finish;
mod function;
mod loops;
mod operators;
mod statement;
mod types;

use crate::dialect::Dialect;
use crate::effects::{Effects, Finder};
use crate::program::{Expr, Item, Program, Type, Variable, VariableId};
use lambdav_test_support::Random;

/// A scope of names.
#[derive(Debug, Default)]
struct Scope {
    variables: Vec<VariableId>,
    /// True if a variable may have the name of an outer one.
    may_hide: bool,
}

/// Use of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Use {
    /// True if statements may change it.
    is_writable: bool,
    /// True for a `const` with a constant value.
    is_constant: bool,
    /// True for a loop's counter, which is an index in `#version 100`; its rounds stay below this.
    rounds: Option<usize>,
}

/// Options of the generator.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// The dialect whose rules programs keep.
    pub dialect: Dialect,
    /// About the number of statements.
    pub statements: usize,
    /// The functions in constant expressions.
    pub constants: Constants,
}

/// The builtin functions in constant expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constants {
    /// All, as GLSL says.
    All,
    /// Those that glslang folds. It refuses the others.
    Glslang,
}

impl Options {
    /// Programs of usual size.
    pub fn new(dialect: Dialect) -> Self {
        Self { dialect, statements: 40, constants: Constants::All }
    }
}

/// The state of the generator.
struct Generator {
    random: Random,
    dialect: Dialect,
    constants: Constants,
    program: Program,
    uses: Vec<Use>,
    /// Effects of functions on global variables.
    effects: Vec<Effects>,
    /// Steps and words of functions, calls included.
    costs: Vec<Cost>,
    /// Functions that can be called, in this place of the text.
    callable: Vec<usize>,
    scopes: Vec<Scope>,
    /// The number of names so far.
    names: usize,
    /// Nodes that are left for this function.
    budget: i64,
    cost: Cost,
    /// Rounds of the loops around.
    rounds: u64,
    /// True if expressions may have no effects.
    is_pure: bool,
    /// True if expressions must be constant.
    is_constant: bool,
    /// The result's type of the function around; of `main`, void.
    result: Type,
    /// Indices around.
    indices: u32,
    loops: u32,
    /// Number of messages so far.
    messages: usize,
    switches: u32,
    /// True in statements of `main` itself before any pixel may have ended.
    has_quad: bool,
}

/// Cost of a function.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    /// Statements that are executed at most.
    steps: u64,
    /// Statements, with those of calls in their places.
    size: u64,
}

/// The program of a seed.
pub fn generate(seed: u64, options: &Options) -> Program {
    let mut generator = Generator::new(seed, options);
    generator.program(options.statements);
    generator.program
}

impl Generator {
    fn new(seed: u64, options: &Options) -> Self {
        let dialect = options.dialect;
        let program = Program::new(dialect);
        let mut generator = Self {
            random: Random::new(seed.wrapping_mul(0x9e37_79b9) ^ seed << 32),
            dialect,
            constants: options.constants,
            program,
            uses: Vec::new(),
            effects: Vec::new(),
            costs: Vec::new(),
            callable: Vec::new(),
            scopes: vec![Scope::default()],
            names: 0,
            budget: 0,
            cost: Cost::default(),
            rounds: 1,
            is_pure: false,
            is_constant: false,
            result: Type::Void,
            indices: 0,
            loops: 0,
            messages: 0,
            switches: 0,
            has_quad: false,
        };
        for id in 0..generator.program.variables.len() {
            generator.uses.push(Use::default());
            generator.show(id);
        }
        generator
    }

    /// A variable that is visible in the innermost scope.
    fn named(&mut self, name: String, ty: Type, of: Use) -> VariableId {
        let id = self.hidden(name, ty, of);
        self.show(id);
        id
    }

    /// A variable that is not visible yet.
    fn hidden(&mut self, name: String, ty: Type, of: Use) -> VariableId {
        self.program.variables.push(Variable { name, ty });
        self.uses.push(of);
        self.program.variables.len() - 1
    }

    fn show(&mut self, id: VariableId) {
        self.scopes.last_mut().expect("there is the global scope").variables.push(id);
    }

    /// A name that is new.
    fn fresh(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn within<T>(&mut self, may_hide: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope { variables: Vec::new(), may_hide });
        let result = work(self);
        self.scopes.pop();
        result
    }

    fn finder(&self) -> Finder<'_> {
        Finder { functions: &self.program.functions, known: &self.effects }
    }

    fn effects_of(&self, of: &Expr) -> Effects {
        self.finder().of(of)
    }

    /// True if the text of an expression is constant.
    fn is_constant_expr(&self, of: &Expr) -> bool {
        of.is_constant(&|variable| self.uses[variable].is_constant)
    }

    /// An expression without effects.
    fn pure(&mut self, ty: &Type, depth: u32) -> Expr {
        let was = std::mem::replace(&mut self.is_pure, true);
        let result = self.expr(ty, depth);
        self.is_pure = was;
        result
    }

    /// A constant expression.
    fn constant_expr(&mut self, ty: &Type, depth: u32) -> Expr {
        let was = std::mem::replace(&mut self.is_constant, true);
        let result = self.pure(ty, depth);
        self.is_constant = was;
        result
    }

    fn program(&mut self, statements: usize) {
        for _ in 0..self.random.between(1, 3) {
            self.structure();
        }
        self.uniforms();
        for _ in 0..self.random.between(1, 4) {
            self.global();
        }
        if self.random.percent(60) {
            self.macros();
        }
        let functions = self.random.between(1, 5);
        for k in 0..functions {
            self.function(statements / 6 + 1);
            if k < 3 && self.random.percent(40) {
                self.global();
            }
        }
        self.main(statements);
    }

    fn structure(&mut self) {
        let count = self.random.between(1, 3);
        let mut fields = Vec::new();
        for k in 0..count {
            let ty = match self.random.below(10) {
                0..5 => self.small_type(),
                5..7 if !self.dialect.is_old() => {
                    let element = self.small_type();
                    Type::array(element, self.random.between(1, 3))
                }
                7..9 if !self.program.structures.is_empty() => {
                    Type::Structure(self.random.below(self.program.structures.len()))
                }
                _ => Type::FLOAT,
            };
            fields.push((format!("f{k}"), ty));
        }
        let name = self.fresh("S");
        self.program.structures.push(crate::program::Structure { name, fields });
        self.program.items.push(Item::Structure(self.program.structures.len() - 1));
    }

    fn uniforms(&mut self) {
        for _ in 0..self.random.below(5) {
            let ty = match self.random.below(8) {
                0..5 => self.uniform_type(),
                5..7 => {
                    let element = self.uniform_type();
                    Type::array(element, self.random.between(2, 4))
                }
                _ => {
                    let all = 0..self.program.structures.len();
                    let is_free = |ty: &Type| {
                        !ty.components(&self.program.structures)
                            .contains(&crate::program::Scalar::Bool)
                    };
                    let all: Vec<Type> = all.map(Type::Structure).filter(is_free).collect();
                    match all.is_empty() {
                        true => Type::FLOAT,
                        false => self.random.pick(&all).clone(),
                    }
                }
            };
            let name = self.fresh("u_");
            let kinds = ty.components(&self.program.structures);
            let words = kinds.iter().map(|&scalar| self.uniform_word(scalar)).collect();
            let id = self.named(name, ty, Use::default());
            self.program.uniforms.push((id, words));
        }
        self.program.items.push(Item::Uniforms);
    }

    /// A global variable.
    fn global(&mut self) {
        let ty = self.value_type();
        let is_const = self.random.percent(30);
        self.budget = 40;
        let value = match self.random.percent(10) && !is_const {
            // Its value would be undefined.
            true => self.constant(&ty),
            false if is_const || !self.dialect.has_global_code() => self.constant_expr(&ty, 2),
            false => self.expr(&ty, 3),
        };
        let value = match self.effects_of(&value).discards {
            true => self.constant(&ty),
            false => value,
        };
        let of = Use { is_writable: !is_const, is_constant: is_const, rounds: None };
        let name = self.fresh("g");
        let variable = self.named(name, ty, of);
        self.program.items.push(Item::Global { variable, value: Some(value), is_const });
    }
}
