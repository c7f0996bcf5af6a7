//! Programs as texts in WGSL.

use crate::program::{AtomicStatement, Binary, Expression, Id, Program, Statement};
use lambdav_core::memory::Atomic;
use std::fmt::Write;

/// How a memory is declared.
#[derive(Clone, Copy, Debug, Default)]
struct Use {
    is_atomic: bool,
    /// Words are compared as signed, and as unsigned numbers.
    is_signed: bool,
    is_unsigned: bool,
}

struct Printer<'p> {
    program: &'p Program,
    uses: Vec<Use>,
    text: String,
}

/// The text of a program. Buffers are `m0`, `m1` … at the bindings of these numbers. `None` if a memory is compared as
/// signed and as unsigned numbers, for which WGSL has no type.
pub fn print(program: &Program) -> Option<String> {
    let mut uses = vec![Use::default(); program.memories.len()];
    note(&program.body, &mut uses);
    if uses.iter().any(|of| of.is_signed && of.is_unsigned) {
        return None;
    }
    let mut printer = Printer { program, uses, text: String::new() };
    printer.declarations();
    printer.statements(&program.body, 1);
    printer.text.push_str("}\n");
    Some(printer.text)
}

/// Notes the uses of all memories.
fn note(statements: &[Statement], uses: &mut [Use]) {
    for statement in statements {
        match statement {
            Statement::Atomic(AtomicStatement { atomic, memory, .. }) => {
                let of = &mut uses[*memory];
                of.is_atomic = true;
                of.is_signed |= matches!(atomic, Atomic::IntMin | Atomic::IntMax);
                of.is_unsigned |= matches!(atomic, Atomic::UintMin | Atomic::UintMax);
            }
            Statement::If(_, then, otherwise) => {
                note(then, uses);
                note(otherwise, uses);
            }
            Statement::Loop(body) => note(body, uses),
            _ => {}
        }
    }
}

impl Printer<'_> {
    fn declarations(&mut self) {
        for (number, memory) in self.program.memories.iter().enumerate() {
            let of = self.uses[number];
            let word = match (of.is_atomic, of.is_signed) {
                (true, true) => "atomic<i32>",
                (true, false) => "atomic<u32>",
                (false, _) => "u32",
            };
            let text = match memory.is_of_workgroup {
                true => format!("var<workgroup> m{number}: array<{word}, {}>;", memory.words.len()),
                false => format!(
                    "@group(0) @binding({number}) var<storage, read_write> m{number}: array<{word}>;"
                ),
            };
            self.line(0, &text);
        }
        let [x, y, z] = self.program.workgroup;
        self.line(0, &format!("@compute @workgroup_size({x}, {y}, {z}) fn main("));
        for parameter in [
            "@builtin(global_invocation_id) global: vec3u,",
            "@builtin(local_invocation_id) local: vec3u,",
            "@builtin(workgroup_id) workgroup: vec3u,",
            "@builtin(local_invocation_index) index: u32,",
            "@builtin(num_workgroups) workgroups: vec3u,",
        ] {
            self.line(1, parameter);
        }
        self.line(0, ") {");
        self.line(1, "var zero: u32;");
        for variable in 0..self.program.variables {
            self.line(1, &format!("var v{variable}: u32;"));
        }
    }

    fn line(&mut self, nesting: usize, text: &str) {
        writeln!(self.text, "{:1$}{text}", "", 4 * nesting).expect("a text takes all");
    }

    fn statements(&mut self, all: &[Statement], nesting: usize) {
        for statement in all {
            self.statement(statement, nesting);
        }
    }

    fn statement(&mut self, of: &Statement, nesting: usize) {
        match of {
            Statement::Assign(variable, value) => {
                let value = self.value(value);
                self.line(nesting, &format!("v{variable} = {value};"));
            }
            Statement::Load(variable, memory, index) => {
                let place = self.place(*memory, index);
                let word = match self.uses[*memory].is_atomic {
                    true => format!("u32(atomicLoad(&{place}))"),
                    false => place,
                };
                self.line(nesting, &format!("v{variable} = {word};"));
            }
            Statement::Store(memory, index, value) => {
                // The tree evaluates the index first, as WGSL does; both are without effects.
                let (place, value) = (self.place(*memory, index), self.word(*memory, value));
                let text = match self.uses[*memory].is_atomic {
                    true => format!("atomicStore(&{place}, {value});"),
                    false => format!("{place} = {value};"),
                };
                self.line(nesting, &text);
            }
            Statement::Atomic(of) => self.atomic(of, nesting),
            Statement::Barrier => self.line(nesting, "workgroupBarrier();"),
            Statement::If(condition, then, otherwise) => {
                let condition = self.value(condition);
                self.line(nesting, &format!("if {condition} != 0 {{"));
                self.statements(then, nesting + 1);
                self.line(nesting, "} else {");
                self.statements(otherwise, nesting + 1);
                self.line(nesting, "}");
            }
            Statement::Loop(body) => {
                self.line(nesting, "loop {");
                self.statements(body, nesting + 1);
                self.line(nesting, "}");
            }
            Statement::Break(condition) => {
                let condition = self.value(condition);
                self.line(nesting, &format!("if {condition} != 0 {{ break; }}"));
            }
            Statement::Continue(condition) => {
                let condition = self.value(condition);
                self.line(nesting, &format!("if {condition} != 0 {{ continue; }}"));
            }
        }
    }

    fn atomic(&mut self, of: &AtomicStatement, nesting: usize) {
        let AtomicStatement { variable, atomic, memory, index, words } = of;
        let place = self.place(*memory, index);
        let [operand, comparand] = [0, 1].map(|k| self.word(*memory, &words[k]));
        let name = match atomic {
            Atomic::Add => "atomicAdd",
            Atomic::IntMin | Atomic::UintMin => "atomicMin",
            Atomic::IntMax | Atomic::UintMax => "atomicMax",
            Atomic::And => "atomicAnd",
            Atomic::Or => "atomicOr",
            Atomic::Xor => "atomicXor",
            Atomic::Exchange => "atomicExchange",
            Atomic::CompareExchange => {
                let call = format!("atomicCompareExchangeWeak(&{place}, {comparand}, {operand})");
                return self.line(nesting, &format!("v{variable} = u32({call}.old_value);"));
            }
        };
        self.line(nesting, &format!("v{variable} = u32({name}(&{place}, {operand}));"));
    }

    fn place(&self, memory: usize, index: &Expression) -> String {
        // A constant index beyond the end of an array with a length is an error of the text.
        format!("m{memory}[{}]", self.unknown(index))
    }

    /// A value of the type of a memory's words.
    fn word(&self, memory: usize, of: &Expression) -> String {
        let value = self.value(of);
        match self.uses[memory].is_signed {
            true => format!("i32({value})"),
            false => value,
        }
    }

    /// True if no part of an expression is known only when it runs.
    fn is_constant(&self, of: &Expression) -> bool {
        match of {
            Expression::Constant(_) => true,
            Expression::Size(memory) => self.program.memories[*memory].is_of_workgroup,
            Expression::Binary(_, of) => of.iter().all(|of| self.is_constant(of)),
            _ => false,
        }
    }

    /// An expression that is no constant expression, for operations of which some constants are errors.
    fn unknown(&self, of: &Expression) -> String {
        let value = self.value(of);
        if self.is_constant(of) { format!("(zero + {value})") } else { value }
    }

    fn value(&self, of: &Expression) -> String {
        match of {
            Expression::Constant(word) => format!("{word}u"),
            Expression::Variable(variable) => format!("v{variable}"),
            Expression::Size(memory) => {
                let declaration = &self.program.memories[*memory];
                match declaration.is_of_workgroup {
                    true => format!("{}u", declaration.words.len()),
                    false => format!("arrayLength(&m{memory})"),
                }
            }
            Expression::Id(id, axis) => {
                let name = match id {
                    Id::Global => "global",
                    Id::Local => "local",
                    Id::Workgroup => "workgroup",
                    Id::Workgroups => "workgroups",
                    Id::LocalIndex => return "index".to_owned(),
                };
                format!("{name}.{}", ["x", "y", "z"][*axis])
            }
            Expression::Binary(binary, of) => {
                let [a, b] = [0, 1].map(|k| self.value(&of[k]));
                let [unknown_a, unknown_b] = [0, 1].map(|k| self.unknown(&of[k]));
                match binary {
                    Binary::Add => format!("({a} + {b})"),
                    Binary::Mul => format!("({a} * {b})"),
                    Binary::Xor => format!("({a} ^ {b})"),
                    Binary::And => format!("({a} & {b})"),
                    Binary::Rem => format!("({a} % {unknown_b})"),
                    Binary::Less => format!("select(0u, 1u, {a} < {b})"),
                    Binary::AddNumbers => format!(
                        "bitcast<u32>(bitcast<f32>({unknown_a}) + bitcast<f32>({unknown_b}))"
                    ),
                }
            }
        }
    }
}
