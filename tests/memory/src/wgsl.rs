//! Programs as texts in WGSL.
//!
//! A text may be *changed*: with early returns, switches, functions and branches that leave in several ways, which the
//! trees of programs lack. Such a text is another program, so only the evaluators of words and of the core agree on it.

use crate::generate::VARIABLES;
use crate::program::{AtomicStatement, Binary, Expression, Id, Program, Statement};
use lambdav_core::memory::Atomic;
use lambdav_test_support::Random;
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
    /// Functions, before the entry point.
    functions: String,
    /// Chooses the changes.
    changes: Option<Random>,
}

/// The text of a program. Buffers are `m0`, `m1` … at the bindings of these numbers. `None` if a memory is compared as
/// signed and as unsigned numbers, for which WGSL has no type.
pub fn print(program: &Program) -> Option<String> {
    printed(program, None)
}

/// The text of a program, changed as a seed says.
pub fn print_changed(program: &Program, seed: u64) -> Option<String> {
    printed(program, Some(Random::new(seed)))
}

fn printed(program: &Program, changes: Option<Random>) -> Option<String> {
    let mut uses = vec![Use::default(); program.memories.len()];
    note(&program.body, &mut uses);
    if uses.iter().any(|of| of.is_signed && of.is_unsigned) {
        return None;
    }
    let (text, functions) = (String::new(), String::new());
    let mut printer = Printer { program, uses, text, functions, changes };
    printer.statements(&program.body, 1);
    let body = std::mem::take(&mut printer.text);
    printer.declarations();
    Some(printer.text + &body + "}\n")
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
        let class = if self.changes.is_some() { "var<private>" } else { "var" };
        let nesting = usize::from(self.changes.is_none());
        let variables = (0..self.program.variables).map(|variable| format!("v{variable}"));
        let variables: Vec<String> = [String::from("zero")].into_iter().chain(variables).collect();
        let declare = |s: &mut Self| {
            for variable in &variables {
                s.line(nesting, &format!("{class} {variable}: u32;"));
            }
        };
        let ids = ["global", "local", "workgroup", "workgroups"];
        if self.changes.is_some() {
            declare(self);
            ids.iter().for_each(|id| self.line(0, &format!("var<private> {id}: vec3u;")));
            self.line(0, "var<private> index: u32;");
            let functions = std::mem::take(&mut self.functions);
            self.text.push_str(&functions);
        }
        let of = if self.changes.is_some() { "_" } else { "" };
        let [x, y, z] = self.program.workgroup;
        self.line(0, &format!("@compute @workgroup_size({x}, {y}, {z}) fn main("));
        let built_ins =
            ["global_invocation_id", "local_invocation_id", "workgroup_id", "num_workgroups"];
        for (id, built_in) in ids.iter().zip(built_ins) {
            self.line(1, &format!("@builtin({built_in}) {id}{of}: vec3u,"));
        }
        self.line(1, &format!("@builtin(local_invocation_index) index{of}: u32,"));
        self.line(0, ") {");
        match self.changes {
            None => declare(self),
            Some(_) => {
                for id in ids.iter().chain(&["index"]) {
                    self.line(1, &format!("{id} = {id}_;"));
                }
            }
        }
    }

    fn line(&mut self, nesting: usize, text: &str) {
        writeln!(self.text, "{:1$}{text}", "", 4 * nesting).expect("a text takes all");
    }

    fn statements(&mut self, all: &[Statement], nesting: usize) {
        if self.changes.is_none() {
            return all.iter().for_each(|statement| self.statement(statement, nesting));
        }
        let mut rest = all;
        while !rest.is_empty() {
            // None of the statements that are changed stands directly in a loop.
            let is_direct =
                |of: &Statement| matches!(of, Statement::Break(_) | Statement::Continue(_));
            let free = rest.iter().position(is_direct).unwrap_or(rest.len());
            if free == 0 {
                self.statement(&rest[0], nesting);
                rest = &rest[1..];
                continue;
            }
            let (part, others) = rest.split_at((1 + self.below(4)).min(free));
            rest = others;
            self.changed(part, nesting);
        }
    }

    fn below(&mut self, count: usize) -> usize {
        self.changes.as_mut().map_or(0, |random| random.below(count))
    }

    /// Some statements, changed or as they are.
    fn changed(&mut self, part: &[Statement], nesting: usize) {
        let [a, b] = [0, 1].map(|_| self.below(VARIABLES));
        let case = self.below(4);
        match self.below(16) {
            0 => {
                self.line(nesting, &format!("if (v{a} & 7u) == {case}u {{ return; }}"));
                self.statements(part, nesting);
            }
            1 => {
                let (first, second) = part.split_at(part.len() / 2);
                let leave = ["break;", "return;", ""][self.below(3)];
                self.line(nesting, &format!("switch v{a} & 3u {{"));
                self.line(nesting + 1, &format!("case {case}u, {}u: {{", (case + 1) % 4));
                self.statements(first, nesting + 2);
                self.line(nesting + 2, &format!("if (v{b} & 1u) == 0 {{ {leave} }}"));
                self.statements(second, nesting + 2);
                self.line(nesting + 1, "}");
                self.line(nesting + 1, &format!("default: {{ v{b} += 1u; }}"));
                self.line(nesting, "}");
            }
            2 => {
                self.line(nesting, &format!("if (v{a} & 1u) == 0 {{"));
                self.statements(part, nesting + 1);
                let leave = format!("if (v{b} & 3u) == {case}u {{ v{a} += 3u; return; }}");
                self.line(nesting + 1, &leave);
                self.line(nesting, "}");
            }
            3 => {
                let outer = std::mem::take(&mut self.text);
                self.statements(part, 1);
                let body = std::mem::replace(&mut self.text, outer);
                // Functions that it calls stand before it.
                let name = format!("f{}", self.functions.matches("fn ").count());
                let body = body.replace("return;", "return 1u;");
                let leave = format!("if (v{a} & 3u) == {case}u {{ return v{b} ^ 5u; }}");
                let function =
                    format!("fn {name}() -> u32 {{\n    {leave}\n{body}    return v{b};\n}}\n");
                self.functions.push_str(&function);
                self.line(nesting, &format!("v{a} ^= {name}();"));
            }
            _ => part.iter().for_each(|statement| self.statement(statement, nesting)),
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
                // A loop may be left in a branch.
                if self.changes.is_some() {
                    let [a, b] = [0, 1].map(|_| self.below(VARIABLES));
                    let leave = ["break", "return", "v0 += 1u"][self.below(3)];
                    let text = format!(
                        "if (v{a} & 7u) == 3u {{ if v{b} == 0u {{ {leave}; }} v{a} += 1u; }}"
                    );
                    self.line(nesting + 1, &text);
                }
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
