//! Building a module: sections in the order of the specification, types and constants once each.
//!
//! [`ModuleBuilder`] has the sections of a module, and [`FunctionBuilder`] the blocks of one function. Neither
//! knows what the words mean: the compilers of source languages do.

use crate::text::words_of_string;
use rspirv::spirv::{Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// The number under which the tool that made a module is registered: none.
const GENERATOR: u32 = 0;

/// SPIR-V 1.3, which Vulkan 1.1 has.
const VERSION: u32 = 0x0001_0300;

/// Appends an instruction.
pub fn push(words: &mut Vec<u32>, op: Op, operands: &[u32]) {
    words.push((operands.len() as u32 + 1) << 16 | op as u32);
    words.extend_from_slice(operands);
}

/// Appends an instruction with a string behind its first operands, and others behind the string.
fn push_string(words: &mut Vec<u32>, op: Op, before: &[u32], text: &str, behind: &[u32]) {
    let mut operands = before.to_vec();
    operands.extend(words_of_string(text));
    operands.extend_from_slice(behind);
    push(words, op, &operands);
}

/// The least multiple of `to`, or of 1, that is not below `value`; saturated. For offsets and sizes of layouts.
pub fn round_up(value: u32, to: u32) -> u32 {
    value.div_ceil(to.max(1)).saturating_mul(to.max(1))
}

/// A module under construction.
#[derive(Debug, Default)]
pub struct ModuleBuilder {
    last_id: u32,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    /// Sets of extended instructions, by name.
    sets: BTreeMap<&'static str, u32>,
    entry_points: Vec<u32>,
    modes: Vec<u32>,
    sources: Vec<u32>,
    names: Vec<u32>,
    annotations: Vec<u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    /// Types and constants that exist once: instruction, operands without the result, and a number that tells
    /// types of different layouts apart.
    unique: FxHashMap<Box<[u32]>, u32>,
    /// The key that is looked up: instruction, number, operands.
    key: Vec<u32>,
}

impl ModuleBuilder {
    /// An empty module.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new id.
    pub fn id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    /// The number of ids so far.
    pub fn ids(&self) -> u32 {
        self.last_id
    }

    /// Declares a capability.
    pub fn capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    /// Declares an extension.
    pub fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// The id of the instruction set GLSL.std.450.
    pub fn glsl(&mut self) -> u32 {
        self.set("GLSL.std.450")
    }

    /// The id of an instruction set without effect on results, `NonSemantic.…`.
    pub fn non_semantic(&mut self, name: &'static str) -> u32 {
        self.extension("SPV_KHR_non_semantic_info");
        self.set(name)
    }

    fn set(&mut self, name: &'static str) -> u32 {
        match self.sets.get(name) {
            Some(&id) => id,
            None => {
                let id = self.id();
                self.sets.insert(name, id);
                id
            }
        }
    }

    /// Adds an entry point with the variables of its interface.
    pub fn entry_point(
        &mut self,
        model: ExecutionModel,
        function: u32,
        name: &str,
        variables: &[u32],
    ) {
        let before = [model as u32, function];
        push_string(&mut self.entry_points, Op::EntryPoint, &before, name, variables);
    }

    /// Adds an execution mode.
    pub fn mode(&mut self, function: u32, mode: ExecutionMode, operands: &[u32]) {
        let mut all = vec![function, mode as u32];
        all.extend_from_slice(operands);
        push(&mut self.modes, Op::ExecutionMode, &all);
    }

    /// Adds a string, such as the name of a file.
    pub fn string(&mut self, text: &str) -> u32 {
        let id = self.id();
        push_string(&mut self.sources, Op::String, &[id], text, &[]);
        id
    }

    /// Adds a source text. `language` and `version` are those of OpSource; `file` is the id of the name.
    pub fn source(&mut self, language: u32, version: u32, file: u32, text: &str) {
        // An instruction has at most 65,535 words.
        const PART: usize = 65_000 * 4;
        let mut rest = text;
        let mut first = true;
        while first || !rest.is_empty() {
            let mut end = rest.len().min(PART);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            let (part, behind) = rest.split_at(end);
            if first {
                let before = [language, version, file];
                push_string(&mut self.sources, Op::Source, &before, part, &[]);
            } else {
                push_string(&mut self.sources, Op::SourceContinued, &[], part, &[]);
            }
            (rest, first) = (behind, false);
        }
    }

    /// Names an id.
    pub fn name(&mut self, id: u32, name: &str) {
        push_string(&mut self.names, Op::Name, &[id], name, &[]);
    }

    /// Names a member of a structure.
    pub fn member_name(&mut self, id: u32, member: u32, name: &str) {
        push_string(&mut self.names, Op::MemberName, &[id, member], name, &[]);
    }

    /// Decorates an id.
    pub fn decorate(&mut self, id: u32, decoration: Decoration, operands: &[u32]) {
        let mut all = vec![id, decoration as u32];
        all.extend_from_slice(operands);
        push(&mut self.annotations, Op::Decorate, &all);
    }

    /// Decorates a member of a structure.
    pub fn decorate_member(
        &mut self,
        id: u32,
        member: u32,
        decoration: Decoration,
        operands: &[u32],
    ) {
        let mut all = vec![id, member, decoration as u32];
        all.extend_from_slice(operands);
        push(&mut self.annotations, Op::MemberDecorate, &all);
    }

    /// The type with this instruction and these operands, and true if it is new.
    pub fn unique_type(&mut self, op: Op, operands: &[u32], variant: u32) -> (u32, bool) {
        if let Some(id) = self.find(op, variant, None, operands) {
            return (id, false);
        }
        let id = self.id();
        let mut all = vec![id];
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
        self.unique.insert(self.key.as_slice().into(), id);
        (id, true)
    }

    /// The type or constant that exists already. Its key stays in `self.key`.
    fn find(&mut self, op: Op, variant: u32, ty: Option<u32>, operands: &[u32]) -> Option<u32> {
        self.key.clear();
        self.key.extend([op as u32, variant]);
        self.key.extend(ty);
        self.key.extend_from_slice(operands);
        self.unique.get(self.key.as_slice()).copied()
    }

    /// A type that exists once.
    pub fn ty(&mut self, op: Op, operands: &[u32]) -> u32 {
        self.unique_type(op, operands, 0).0
    }

    /// The type of pointers to `ty`.
    pub fn pointer(&mut self, class: StorageClass, ty: u32) -> u32 {
        self.ty(Op::TypePointer, &[class as u32, ty])
    }

    /// A constant that exists once.
    pub fn constant(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        if let Some(id) = self.find(op, 0, Some(ty), operands) {
            return id;
        }
        let id = self.specialisation(op, ty, operands);
        self.unique.insert(self.key.as_slice().into(), id);
        id
    }

    /// A new constant, such as one that specialisation may change.
    pub fn specialisation(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        push(&mut self.globals, op, &all);
        id
    }

    /// A variable outside all functions. `pointer` is its type.
    pub fn variable(&mut self, pointer: u32, class: StorageClass) -> u32 {
        let id = self.id();
        self.variable_of(pointer, id, class);
        id
    }

    /// The same, with the place where it is declared: the id of the file's name, line and column.
    pub fn variable_at(&mut self, pointer: u32, class: StorageClass, place: [u32; 3]) -> u32 {
        push(&mut self.globals, Op::Line, &place);
        let id = self.variable(pointer, class);
        push(&mut self.globals, Op::NoLine, &[]);
        id
    }

    /// A variable with its first value, and the place where it is declared.
    pub fn initialised_variable(
        &mut self,
        pointer: u32,
        class: StorageClass,
        value: u32,
        place: Option<[u32; 3]>,
    ) -> u32 {
        if let Some(place) = place {
            push(&mut self.globals, Op::Line, &place);
        }
        let id = self.id();
        push(&mut self.globals, Op::Variable, &[pointer, id, class as u32, value]);
        if place.is_some() {
            push(&mut self.globals, Op::NoLine, &[]);
        }
        id
    }

    /// A variable whose id exists already.
    pub fn variable_of(&mut self, pointer: u32, id: u32, class: StorageClass) {
        push(&mut self.globals, Op::Variable, &[pointer, id, class as u32]);
    }

    /// Adds a finished function.
    pub fn function(&mut self, function: &FunctionBuilder) {
        self.names.extend_from_slice(&function.names);
        self.functions.extend_from_slice(&function.head);
        self.functions.extend_from_slice(&function.first);
        self.functions.extend_from_slice(&function.variables);
        self.functions.extend_from_slice(&function.code);
        push(&mut self.functions, Op::FunctionEnd, &[]);
    }

    /// The words of the module.
    pub fn finish(self) -> Vec<u32> {
        let mut words = vec![0x0723_0203, VERSION, GENERATOR, self.last_id + 1, 0];
        for &capability in &self.capabilities {
            push(&mut words, Op::Capability, &[capability]);
        }
        for name in &self.extensions {
            push_string(&mut words, Op::Extension, &[], name, &[]);
        }
        for (name, &id) in &self.sets {
            push_string(&mut words, Op::ExtInstImport, &[id], name, &[]);
        }
        // Logical addresses; the memory model of GLSL.
        push(&mut words, Op::MemoryModel, &[0, 1]);
        let sections = [
            self.entry_points,
            self.modes,
            self.sources,
            self.names,
            self.annotations,
            self.globals,
            self.functions,
        ];
        words.extend(sections.into_iter().flatten());
        words
    }
}

/// A function under construction: a sequence of blocks, of which the last is open or ended.
#[derive(Debug, Default)]
pub struct FunctionBuilder {
    head: Vec<u32>,
    /// The label of the first block.
    first: Vec<u32>,
    variables: Vec<u32>,
    code: Vec<u32>,
    /// Names of ids in it.
    names: Vec<u32>,
    ended: bool,
}

impl FunctionBuilder {
    /// A function with parameters of these types and ids. `label` is the id of its first block.
    pub fn new(id: u32, result: u32, ty: u32, parameters: &[[u32; 2]], label: u32) -> Self {
        let mut function = Self::default();
        push(&mut function.head, Op::Function, &[result, id, 0, ty]);
        for parameter in parameters {
            push(&mut function.head, Op::FunctionParameter, parameter);
        }
        push(&mut function.first, Op::Label, &[label]);
        function
    }

    /// Names the function or an id in it.
    pub fn name(&mut self, id: u32, name: &str) {
        push_string(&mut self.names, Op::Name, &[id], name, &[]);
    }

    /// Declares a variable of the function. `pointer` is its type.
    pub fn variable(&mut self, pointer: u32, id: u32) {
        push(&mut self.variables, Op::Variable, &[pointer, id, StorageClass::Function as u32]);
    }

    /// Adds an instruction to the open block. Behind the end of a block nothing is added.
    pub fn push(&mut self, op: Op, operands: &[u32]) {
        if !self.ended {
            push(&mut self.code, op, operands);
        }
    }

    /// Adds an instruction with a result of the type `ty`.
    pub fn push_value(&mut self, op: Op, ty: u32, id: u32, operands: &[u32]) {
        if !self.ended {
            self.code.extend([(operands.len() as u32 + 3) << 16 | op as u32, ty, id]);
            self.code.extend_from_slice(operands);
        }
    }

    /// Ends the open block.
    pub fn end(&mut self, op: Op, operands: &[u32]) {
        self.push(op, operands);
        self.ended = true;
    }

    /// Begins a block; the one before must have ended.
    pub fn label(&mut self, id: u32) {
        debug_assert!(self.ended, "a block ends before the next begins");
        push(&mut self.code, Op::Label, &[id]);
        self.ended = false;
    }

    /// Says that the open block will get its end later, when the code behind it is known.
    pub fn end_later(&mut self) {
        self.ended = true;
    }

    /// The last block is open again, since what followed its beginning was taken ([`Self::split`]).
    pub fn reopen(&mut self) {
        self.ended = false;
    }

    /// True if the last block has ended.
    pub fn ended(&self) -> bool {
        self.ended
    }

    /// Takes the code that was added behind `from`, to add it later ([`Self::append`]).
    pub fn split(&mut self, from: usize) -> Vec<u32> {
        self.code.split_off(from)
    }

    /// The position behind the last instruction.
    pub fn position(&self) -> usize {
        self.code.len()
    }

    /// Adds code that was taken from this function.
    pub fn append(&mut self, code: &[u32], ended: bool) {
        self.code.extend_from_slice(code);
        self.ended = ended;
    }
}
