//! The beginning and the end: the function of initialisers, the entry point, bindings and locations.

use super::checker::{Body, Checker};
use super::items::{Bound, Checked, Copy, Direction, Stage, UniformDefault};
use super::values::{Layout, Rules};
use crate::token::Name;
use crate::types::{Member, MemberLayout, Struct, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::limits::LOCATIONS;
use lambdav_core::source::Span;
use lambdav_spirv::build::FunctionBuilder;
use rspirv::spirv::{
    Capability, Decoration, ExecutionMode, ExecutionModel, Op, SourceLanguage, StorageClass,
};
use rustc_hash::{FxHashMap, FxHashSet};

impl Checker<'_> {
    /// A function without parameters or result.
    pub(super) fn plain_function(&mut self) -> (u32, Body) {
        let void = self.module.ty(Op::TypeVoid, &[]);
        let ty = self.module.ty(Op::TypeFunction, &[void]);
        let [id, label] = [self.module.id(), self.module.id()];
        let builder = FunctionBuilder::new(id, void, ty, &[], label);
        let body = Body {
            builder,
            label,
            result: Types::VOID,
            targets: Vec::new(),
            calls: FxHashSet::default(),
            line: [0; 3],
        };
        (id, body)
    }

    /// Opens the function of initialisers and notes the source texts.
    pub(super) fn begin(&mut self) {
        self.module.capability(Capability::Shader);
        let language = match self.set.version.es {
            true => SourceLanguage::ESSL,
            false => SourceLanguage::GLSL,
        };
        for file in self.set.source.files() {
            let id = self.module.string(&file.module_name);
            let text = self.set.source.slice(file.span).replace('\0', " ");
            self.module.source(language as u32, self.set.version.number, id, &text);
            self.files.push(id);
        }
        let (id, mut body) = self.plain_function();
        body.builder.name(id, "initialise");
        self.body = Some(body);
        self.init_id = id;
    }

    /// The function `main`, or an error.
    fn main(&mut self) -> Option<usize> {
        let main = self.set.names.find("main").and_then(|name| {
            let all = self.overloads.get(&name)?;
            all.all().iter().copied().find(|&number| {
                let function = &self.functions[number];
                function.parameters.is_empty() && function.code.is_some()
            })
        });
        let Some(main) = main else {
            let at = self.set.source.files()[0].span;
            let end = Span::new(at.end, at.end);
            self.wrong(DiagnosticCode::GlslName, end, "the text has no function `main`");
            self.help("the entry point is `void main() { … }`");
            return None;
        };
        if self.functions[main].result != Types::VOID {
            let at = self.functions[main].at;
            self.wrong(DiagnosticCode::GlslTypes, at, "`main` returns nothing: `void main()`");
            return None;
        }
        Some(main)
    }

    /// Numbers of the functions that these and global initialisers reach, or an error.
    fn reached(&mut self, roots: &[usize]) -> Option<Vec<usize>> {
        // Depth first with an explicit stack; a function on the stack that is called again recurses.
        let mut state = vec![0_u8; self.functions.len()];
        let mut order = Vec::new();
        let first = self.body().calls.iter().copied();
        let mut stack: Vec<(usize, bool)> = first.map(|number| (number, false)).collect();
        stack.sort_unstable();
        stack.extend(roots.iter().map(|&root| (root, false)));
        while let Some((number, done)) = stack.pop() {
            if done {
                state[number] = 2;
                order.push(number);
                continue;
            }
            match state[number] {
                1 => {
                    let (at, name) = (self.functions[number].at, self.functions[number].name);
                    let text = self.text(name).to_owned();
                    let message = format!("the function `{text}` calls itself");
                    self.wrong(DiagnosticCode::GlslPlacement, at, message);
                    self.help("GLSL has no recursion: write a loop");
                    return None;
                }
                2 => continue,
                _ => {}
            }
            if self.functions[number].code.is_none() {
                let (at, name) = (self.functions[number].at, self.functions[number].name);
                let text = self.text(name).to_owned();
                let message = format!("the function `{text}` is called and has no body");
                self.wrong(DiagnosticCode::GlslName, at, message);
                return None;
            }
            state[number] = 1;
            stack.push((number, true));
            for &callee in &self.functions[number].calls {
                if state[callee] != 2 {
                    stack.push((callee, false));
                }
            }
        }
        Some(order)
    }

    /// The words of the module, if there was no error.
    pub(super) fn finish(&mut self) -> Checked {
        if self.diagnostics.has_errors() {
            return Checked::default();
        }
        let expectation = self.expectation.take();
        let (main_id, roots) = match &expectation {
            Some(of) => (of.id, of.calls.clone()),
            None => {
                let Some(main) = self.main() else { return Checked::default() };
                (self.functions[main].id, vec![main])
            }
        };
        let Some(order) = self.reached(&roots) else { return Checked::default() };
        self.close_loose();
        self.bind_resources();
        self.frag_data_copies();
        self.locate();
        self.end(Op::Return, &[]);
        let init = self.body.take();
        let needs_wrapper = self.init_used || !self.interface.copies.is_empty();
        let mut entry = main_id;
        let mut wrapper = None;
        if needs_wrapper {
            let (id, mut body) = self.plain_function();
            body.builder.name(id, "entry");
            self.body = Some(body);
            entry = id;
            let copies = self.interface.copies.clone();
            for copy in copies.iter().rev().filter(|copy| copy.direction == Direction::In) {
                let value = self.load(&copy.outside);
                self.store(&copy.part, &value);
            }
            let void = self.id_of(Types::VOID, None);
            if self.init_used {
                self.emit(Op::FunctionCall, void, &[self.init_id]);
            }
            self.emit(Op::FunctionCall, void, &[main_id]);
            for copy in copies.iter().filter(|copy| copy.direction == Direction::Out) {
                let value = self.load(&copy.part);
                self.store(&copy.outside, &value);
            }
            self.end(Op::Return, &[]);
            wrapper = self.body.take();
        }
        if let Some(init) = init.filter(|_| self.init_used) {
            self.module.function(&init.builder);
        }
        for number in order {
            if let Some(code) = self.functions[number].code.clone() {
                self.module.function(&code);
            }
        }
        if let Some(of) = &expectation {
            self.module.function(&of.builder);
        }
        if let Some(wrapper) = wrapper {
            self.module.function(&wrapper.builder);
        }
        match &expectation {
            Some(of) => self.entry_of_expression(entry, of),
            None => self.entry_point(entry),
        }
        let defaults = self
            .loose
            .iter()
            .filter_map(|loose| {
                Some(UniformDefault { name: loose.name.clone(), words: loose.default.clone()? })
            })
            .collect();
        let words = std::mem::take(&mut self.module).finish();
        let guards = std::mem::take(&mut self.guards);
        let (expression, deeper) = (expectation.map(|of| of.ty), Vec::new());
        Checked { words, defaults, guards, expression, deeper }
    }

    fn entry_point(&mut self, entry: u32) {
        let model = match self.set.stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        let variables = std::mem::take(&mut self.interface.variables);
        self.module.entry_point(model, entry, "main", &variables);
        match self.set.stage {
            Stage::Vertex => {}
            Stage::Fragment => {
                self.module.mode(entry, ExecutionMode::OriginUpperLeft, &[]);
                let modes = std::mem::take(&mut self.interface.modes);
                let has = |name: &str| modes.iter().any(|mode| mode == name);
                if has("early_fragment_tests") {
                    self.module.mode(entry, ExecutionMode::EarlyFragmentTests, &[]);
                }
                if self.interface.writes_depth {
                    self.module.mode(entry, ExecutionMode::DepthReplacing, &[]);
                    for (name, mode) in [
                        ("depth_greater", ExecutionMode::DepthGreater),
                        ("depth_less", ExecutionMode::DepthLess),
                        ("depth_unchanged", ExecutionMode::DepthUnchanged),
                    ] {
                        if has(name) {
                            self.module.mode(entry, mode, &[]);
                        }
                    }
                }
            }
            Stage::Compute => {
                // A vector of specialisation constants takes precedence.
                self.specialised_size();
                let size = self.interface.local_size;
                self.module.mode(entry, ExecutionMode::LocalSize, &size);
            }
        }
    }

    /// Declares the block of uniforms outside of blocks.
    fn close_loose(&mut self) {
        let Some(id) = self.loose_block else { return };
        let layout = Layout { rules: Rules::Std140, row_major: false };
        let at = Span::default();
        let mut members = Vec::new();
        for loose in self.loose.clone() {
            let layout = MemberLayout::default();
            members.push(Member { name: Name(u32::MAX), ty: loose.ty, at, layout });
        }
        let name = "uniforms".to_owned();
        let ty = self.types.structure(Struct { name, members });
        let structure = self.id_of(ty, Some(layout));
        for (k, loose) in (0..).zip(&self.loose) {
            self.module.member_name(structure, k, &loose.name);
        }
        self.module.decorate(structure, Decoration::Block, &[]);
        let pointer = self.module.pointer(StorageClass::Uniform, structure);
        self.module.variable_of(pointer, id, StorageClass::Uniform);
        self.module.name(id, "");
        self.interface.resources.push(Bound { id, set: None, binding: None });
    }

    /// Gives each resource its set and binding; what has none gets the least free one of set 0.
    fn bind_resources(&mut self) {
        let mut taken: FxHashSet<(u32, u32)> = FxHashSet::default();
        for bound in &self.interface.resources {
            if let Some(binding) = bound.binding {
                taken.insert((bound.set.unwrap_or(0), binding));
            }
        }
        let mut next = 0;
        for bound in self.interface.resources.clone() {
            let set = bound.set.unwrap_or(0);
            let binding = bound.binding.unwrap_or_else(|| {
                while taken.contains(&(set, next)) {
                    next += 1;
                }
                taken.insert((set, next));
                next
            });
            self.module.decorate(bound.id, Decoration::DescriptorSet, &[set]);
            self.module.decorate(bound.id, Decoration::Binding, &[binding]);
        }
    }

    /// Makes an output of each element of `gl_FragData` that is used.
    fn frag_data_copies(&mut self) {
        let Some((place, used)) = self.interface.frag_data.clone() else { return };
        for k in 0..used {
            let part = self.part_of(place.clone(), k as usize);
            let none = crate::syntax::tree::Qualifiers::default();
            let name = format!("gl_FragData[{k}]");
            let outside = self.stage_variable(
                &name,
                part.ty,
                &none,
                Direction::Out,
                Some(k),
                Span::default(),
            );
            let direction = Direction::Out;
            self.interface.copies.push(Copy { part, outside, direction });
        }
    }

    /// Gives each input and output its location; what has none gets the least free one.
    fn locate(&mut self) {
        for direction in [Direction::In, Direction::Out] {
            let all: Vec<_> = self
                .interface
                .located
                .iter()
                .copied()
                .filter(|of| of.direction == direction)
                .collect();
            // Whose components of which colour of a location are taken.
            let mut taken: FxHashMap<(u32, u32), Vec<(u8, Span)>> = FxHashMap::default();
            let mut free = vec![true; LOCATIONS as usize];
            for of in &all {
                let Some(first) = of.location else { continue };
                let end = first.saturating_add(of.count);
                if end > LOCATIONS {
                    let last = LOCATIONS - 1;
                    let message = format!("inputs and outputs have locations up to {last}");
                    self.wrong(DiagnosticCode::GlslQualifier, of.at, message);
                    return;
                }
                free[first as usize..end as usize].fill(false);
                for location in first..end {
                    let before = taken.entry((location, of.index)).or_default();
                    let same =
                        before.iter().find(|(components, _)| components & of.components != 0);
                    if let Some(&(_, other)) = same {
                        let what = match direction {
                            Direction::In => "inputs",
                            Direction::Out => "outputs",
                        };
                        let message = format!("two {what} have the location {location}");
                        self.wrong(DiagnosticCode::GlslQualifier, of.at, message);
                        self.also(other, "the other one is here");
                        self.help("give each a location of its own");
                        return;
                    }
                    before.push((of.components, of.at));
                }
            }
            let mut next = 0_usize;
            for of in all {
                let count = of.count as usize;
                let location = of.location.unwrap_or_else(|| {
                    while !free.iter().skip(next).take(count).all(|&free| free) {
                        next += 1;
                    }
                    next += count;
                    (next - count) as u32
                });
                if location.saturating_add(of.count) > LOCATIONS {
                    let message = "inputs and outputs take too many locations";
                    self.wrong(DiagnosticCode::GlslQualifier, of.at, message);
                    return;
                }
                self.module.decorate(of.id, Decoration::Location, &[location]);
            }
        }
    }
}
