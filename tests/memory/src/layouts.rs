//! Random texts in GLSL whose buffers have members of many types: structures, arrays, matrices in both orders, and a header
//! before an array without a length; and variables of the workgroup of these types. Words of parts and of whole values are
//! copied to other places, with indices that may lie outside.

use crate::compare::Mismatch;
use crate::program::{MemoryDeclaration, Program};
use crate::words::{by_words, raised_agrees};
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_float_environment::with_default;
use lambdav_glsl_frontend::{Options, Stage, compile};
use lambdav_test_support::{NUMBERS, Random, is_valid, spirv_opt};
use std::fmt::Write;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Type {
    /// A scalar or vector: `f`, `i` or `u`, and the number of components.
    Vector(char, usize),
    /// A matrix of this many columns and rows.
    Matrix(usize, usize),
    /// An array; without a length if that is 0.
    Array(Box<Self>, usize),
    /// A structure, by number.
    Structure(usize),
}

struct Writer {
    random: Random,
    /// The members of each structure.
    structures: Vec<Vec<Type>>,
    /// The variables: a prefix of their members' names, the members, and whether the workgroup has them.
    variables: Vec<(String, Vec<Type>, bool)>,
}

/// The text of a seed. Its buffers have the bindings 0 and 1, and its workgroups 4 invocations.
pub fn layouts(seed: u64) -> String {
    let random = Random::new(seed ^ 0x6c61_796f_7574);
    let mut writer = Writer { random, structures: Vec::new(), variables: Vec::new() };
    let mut text = String::from("#version 450\nlayout(local_size_x = 4) in;\n");
    for number in 0..2 {
        let members = (0..1 + writer.below(3)).map(|_| writer.ty(2)).collect::<Vec<_>>();
        writeln!(text, "struct S{number} {{").expect("a text takes all");
        for (k, member) in members.iter().enumerate() {
            writeln!(text, "    {};", declared(member, &format!("m{k}")))
                .expect("a text takes all");
        }
        text.push_str("};\n");
        writer.structures.push(members);
    }
    for number in 0..3 {
        let is_shared = number == 2;
        let mut members: Vec<Type> = (0..1 + writer.below(4)).map(|_| writer.ty(3)).collect();
        if !is_shared && writer.random.percent(60) {
            let element = writer.ty(2);
            members.push(Type::Array(Box::new(element), 0));
        }
        let packing = ["std430", "std140"][writer.below(2)];
        let (name, before) = match is_shared {
            true => (String::from("w"), String::from("shared ")),
            false => (format!("b{number}.m"), String::from("    ")),
        };
        if !is_shared {
            writeln!(text, "layout({packing}, binding = {number}) buffer B{number} {{")
                .expect("a text takes all");
        }
        for (k, member) in members.iter().enumerate() {
            let order = ["", "layout(row_major) "][writer.below(2)];
            let order = if !is_shared && has_matrix(member) { order } else { "" };
            let member_name = if is_shared { format!("w{k}") } else { format!("m{k}") };
            writeln!(text, "{before}{order}{};", declared(member, &member_name))
                .expect("a text takes all");
        }
        if !is_shared {
            writeln!(text, "}} b{number};").expect("a text takes all");
        }
        writer.variables.push((name, members, is_shared));
    }
    text.push_str("void main() {\n    int i = int(gl_GlobalInvocationID.x), k = int(gl_LocalInvocationIndex);\n");
    let count = 4 + writer.below(9);
    let mut done = 0;
    for _ in 0..200 {
        if let Some(statement) = writer.statement() {
            writeln!(text, "    {statement}").expect("a text takes all");
            done += 1;
        }
        if done == count {
            break;
        }
    }
    text + "}\n"
}

/// Compares the core that is raised from the text's words with eval_S; again, if wanted, for words that `spirv-opt` has
/// `optimised`, if these are still valid. Returns the text.
///
/// # Errors
///
/// The first difference.
pub fn compare_layouts(seed: u64, optimised: bool) -> Result<String, Mismatch> {
    let text = layouts(seed);
    let source = SourceFile::new("a.comp", &*text);
    let options = Options::new(Stage::Compute);
    let compiled = compile(source, &options, &mut NoFiles);
    let Some(mut words) = compiled.words else {
        let second = compiled.diagnostics.first().map_or(String::new(), |of| of.message.clone());
        return Err(Mismatch::Text { first: text, second });
    };
    let mut random = Random::new(seed);
    let mut memory = || MemoryDeclaration {
        words: (0..random.below(160)).map(|_| NUMBERS[random.below(NUMBERS.len())]).collect(),
        is_of_workgroup: false,
    };
    let program = Program {
        memories: vec![memory(), memory()],
        variables: 0,
        body: Vec::new(),
        workgroup: [4, 1, 1],
        groups: [2, 1, 1],
        is_race_free: false,
    };
    for is_optimised in [false, true] {
        if is_optimised {
            if !optimised {
                break;
            }
            words = spirv_opt(&words);
            if !is_valid(&words) {
                break;
            }
        }
        let expected = with_default(|| by_words(&program, &text, &words))?;
        let expected = expected.expect("the text has no loops");
        with_default(|| raised_agrees(&program, &words, &expected))?;
    }
    Ok(text)
}

fn has_matrix(ty: &Type) -> bool {
    match ty {
        Type::Matrix(..) => true,
        Type::Array(element, _) => has_matrix(element),
        Type::Vector(..) | Type::Structure(_) => false,
    }
}

/// A declaration.
fn declared(ty: &Type, name: &str) -> String {
    let (mut ty, mut lengths) = (ty, String::new());
    while let Type::Array(element, count) = ty {
        let length = if *count == 0 { String::new() } else { count.to_string() };
        write!(lengths, "[{length}]").expect("a text takes all");
        ty = element;
    }
    let base = match ty {
        Type::Vector(scalar, count) => vector(*scalar, *count),
        Type::Matrix(columns, rows) => format!("mat{columns}x{rows}"),
        Type::Structure(number) => format!("S{number}"),
        Type::Array(..) => unreachable!("they are taken off"),
    };
    format!("{base} {name}{lengths}")
}

fn vector(scalar: char, count: usize) -> String {
    let (one, several) = match scalar {
        'f' => ("float", "vec"),
        'i' => ("int", "ivec"),
        _ => ("uint", "uvec"),
    };
    if count == 1 { one.to_owned() } else { format!("{several}{count}") }
}

impl Writer {
    fn below(&mut self, count: usize) -> usize {
        self.random.below(count)
    }

    fn ty(&mut self, nesting: usize) -> Type {
        match self.below(8) {
            0 | 1 if nesting > 1 => {
                let (element, count) = (self.ty(nesting - 1), 1 + self.below(3));
                Type::Array(Box::new(element), count)
            }
            2 | 3 => Type::Matrix(2 + self.below(3), 2 + self.below(3)),
            4 if nesting == 3 => Type::Structure(self.below(self.structures.len())),
            _ => Type::Vector(['f', 'i', 'u'][self.below(3)], 1 + self.below(4)),
        }
    }

    /// An index into `count` parts; 0 if that is unknown.
    fn index(&mut self, count: usize) -> String {
        match self.below(5) {
            0 => self.below(count.max(1)).to_string(),
            1 => format!("(i + {}) % {}", self.below(5), count.max(3)),
            2 => format!("k - {}", self.below(3)),
            3 => format!("(i * {}) & 3", 1 + self.below(3)),
            _ => format!("k % {}", count.max(2)),
        }
    }

    /// A path to a value, and its type.
    fn path(&mut self) -> (String, Type) {
        let of = self.below(self.variables.len());
        let (prefix, members, _) = self.variables[of].clone();
        let member = self.below(members.len());
        let (mut text, mut ty) = (format!("{prefix}{member}"), members[member].clone());
        loop {
            let is_open = matches!(ty, Type::Array(_, 0));
            if !is_open && self.random.percent(30) {
                return (text, ty);
            }
            match ty {
                Type::Vector(scalar, count) if count > 1 => {
                    let index = self.index(count);
                    return (format!("{text}[{index}]"), Type::Vector(scalar, 1));
                }
                Type::Vector(..) => return (text, ty),
                Type::Matrix(columns, rows) => {
                    let index = self.index(columns);
                    (text, ty) = (format!("{text}[{index}]"), Type::Vector('f', rows));
                }
                Type::Array(element, count) => {
                    let index = self.index(count);
                    (text, ty) = (format!("{text}[{index}]"), *element);
                }
                Type::Structure(number) => {
                    let member = self.below(self.structures[number].len());
                    ty = self.structures[number][member].clone();
                    text = format!("{text}.m{member}");
                }
            }
        }
    }

    /// A statement; `None` if no value of a wanted type was found.
    fn statement(&mut self) -> Option<String> {
        if self.below(12) == 0 {
            return Some(String::from("barrier();"));
        }
        let (to, ty) = self.path();
        if let Type::Vector(scalar @ ('i' | 'u'), 1) = ty {
            match self.below(4) {
                0 => {
                    let of = self.below(2);
                    let (prefix, members, _) = self.variables[of].clone();
                    if let Some(Type::Array(_, 0)) = members.last() {
                        let name = vector(scalar, 1);
                        let last = members.len() - 1;
                        return Some(format!("{to} = {name}({prefix}{last}.length());"));
                    }
                }
                1 => {
                    let name =
                        ["atomicAdd", "atomicMax", "atomicXor", "atomicExchange"][self.below(4)];
                    let name_of = vector(scalar, 1);
                    return Some(format!("{name}({to}, {name_of}(i + {}));", self.below(9)));
                }
                _ => {}
            }
        }
        for _ in 0..30 {
            let (from, found) = self.path();
            match (&ty, &found) {
                (Type::Vector(to_scalar, 1), Type::Vector(_, 1)) if ty != found => {
                    let name = vector(*to_scalar, 1);
                    return Some(format!("{to} = {name}({from}) + {name}(i);"));
                }
                _ if ty == found => return Some(format!("{to} = {from};")),
                _ => {}
            }
        }
        None
    }
}
