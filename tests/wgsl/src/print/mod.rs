//! Texts of programs.
//!
//! The program's style chooses everything that has no meaning: the order of declarations, forms of types and literals,
//! parentheses beyond those that the grammar needs, letters of swizzles' indices.

mod expression;
mod statement;

use crate::program::{Function, Program, Role, Scalar, Type, VariableId};
use lambdav_test_support::Random;
use std::fmt::Write;

struct Printer<'p> {
    program: &'p Program,
    random: Random,
    /// Aliases of types: their texts, in the order of their numbers.
    aliases: Vec<(String, Type)>,
    names: Vec<String>,
}

/// The text of a program.
pub fn print(program: &Program) -> String {
    let mut random = Random::new(program.style);
    let has_inputs = random.percent(40);
    let mut names: Vec<String> =
        program.variables.iter().map(|variable| variable.name.clone()).collect();
    for (id, _) in &program.uniforms {
        names[*id] = format!("block.{}", names[*id]);
    }
    if has_inputs {
        for id in [program.position, program.facing] {
            names[id] = format!("inputs.{}", names[id]);
        }
    }
    let mut printer = Printer { program, random, aliases: Vec::new(), names };
    printer.module(has_inputs)
}

/// The word for a kind of components.
fn scalar(of: Scalar) -> &'static str {
    match of {
        Scalar::Bool => "bool",
        Scalar::Int => "i32",
        Scalar::Uint => "u32",
        Scalar::Float => "f32",
    }
}

impl Printer<'_> {
    fn module(&mut self, has_inputs: bool) -> String {
        let mut items = Vec::new();
        for structure in &self.program.structures {
            let fields = structure.fields.iter();
            let fields: Vec<String> =
                fields.map(|(name, ty)| format!("    {name}: {},\n", self.ty(ty))).collect();
            items.push(format!("struct {} {{\n{}}}\n", structure.name, fields.concat()));
        }
        for (name, value) in &self.program.abstracts {
            let value = self.number(value);
            items.push(format!("const {name} = {value};\n"));
        }
        if !self.program.uniforms.is_empty() {
            let mut members = String::new();
            for (id, _) in &self.program.uniforms {
                let variable = &self.program.variables[*id];
                let ty = self.ty(&variable.ty);
                let _ = writeln!(members, "    {}: {ty},", variable.name);
            }
            items.push(format!("struct Block {{\n{members}}}\n"));
            items.push("@group(0) @binding(0)\nvar<uniform> block: Block;\n".into());
        }
        for (number, global) in self.program.globals.iter().enumerate() {
            let word = match self.program.variables[global.variable].role {
                Role::Const => "const".to_owned(),
                Role::Override if self.random.percent(30) => format!("@id({number}) override"),
                Role::Override => "override".into(),
                _ => "var<private>".into(),
            };
            let text =
                self.declaration(&word, global.variable, global.value.as_ref(), global.has_type);
            items.push(format!("{text};\n"));
        }
        for function in &self.program.functions {
            items.push(self.function(function));
        }
        items.push(self.entry_point(has_inputs));
        for k in 0.. {
            let Some((alias, _)) = self.aliases.get(k) else { break };
            items.push(alias.clone());
        }
        self.random.shuffle(&mut items);
        items.join("\n")
    }

    fn function(&mut self, function: &Function) -> String {
        let mut parameters = Vec::new();
        for &id in &function.parameters {
            let variable = &self.program.variables[id];
            let ty = self.ty(&variable.ty);
            let ty = match variable.role {
                Role::FunctionPointer => format!("ptr<function, {ty}>"),
                Role::UniformPointer => format!("ptr<uniform, {ty}>"),
                Role::PrivatePointer => format!("ptr<private, {ty}>"),
                _ => ty,
            };
            parameters.push(format!("{}: {ty}", variable.name));
        }
        let result = match function.result {
            Type::Void => String::new(),
            ref ty => format!(" -> {}", self.ty(ty)),
        };
        let body = self.body(&function.body, 0);
        format!("fn {}({}){result} {body}\n", function.name, parameters.join(", "))
    }

    fn entry_point(&mut self, has_inputs: bool) -> String {
        let body = self.body(&self.program.main, 0);
        let builtins =
            ["@builtin(position) position: vec4f", "@builtin(front_facing) facing: bool"];
        let (before, parameters) = match has_inputs {
            true => (
                format!("struct Inputs {{\n    {},\n}}\n\n", builtins.join(",\n    ")),
                "inputs: Inputs".to_owned(),
            ),
            false => (String::new(), builtins.join(", ")),
        };
        format!("{before}@fragment\nfn main({parameters}) -> @location(0) vec4<f32> {body}\n")
    }

    /// The text of a type.
    fn ty(&mut self, ty: &Type) -> String {
        if let Some(k) = self.aliases.iter().position(|(_, known)| known == ty)
            && self.random.percent(30)
        {
            return format!("A{k}");
        }
        let text = self.plain_type(ty);
        if self.random.percent(3) {
            let k = self.aliases.len();
            self.aliases.push((format!("alias A{k} = {text};\n"), ty.clone()));
            return format!("A{k}");
        }
        text
    }

    fn plain_type(&mut self, ty: &Type) -> String {
        let is_short = self.random.percent(50);
        let letter = |of: Scalar| &scalar(of)[..1];
        match ty {
            Type::Void => String::new(),
            Type::Scalar(of) => scalar(*of).into(),
            Type::Vector(of, width) if is_short && *of != Scalar::Bool => {
                format!("vec{width}{}", letter(*of))
            }
            Type::Vector(of, width) => format!("vec{width}<{}>", scalar(*of)),
            Type::Matrix(columns, rows) if is_short => format!("mat{columns}x{rows}f"),
            Type::Matrix(columns, rows) => format!("mat{columns}x{rows}<f32>"),
            Type::Structure(number) => self.program.structures[*number].name.clone(),
            Type::Array(element, length) => {
                let element = self.ty(element);
                let suffix = *self.random.pick(&["", "", "u", "i"]);
                format!("array<{element}, {length}{suffix}>")
            }
        }
    }

    fn name(&self, id: VariableId) -> &str {
        &self.names[id]
    }
}
