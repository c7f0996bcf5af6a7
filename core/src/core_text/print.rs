//! Prints a program as core text.

use super::names::{write_component, write_operation};
use super::{MAGIC, VERSION, VERSION_WITHOUT_MEMORY};
use crate::diagnostics::{Diagnostic, DiagnosticCode, is_control};
use crate::graph::{
    Attribute, Core, Discard, Passes, Place, ResultLength, Side, StageInput, Triangles, Varying,
};
use crate::limits::CORE_TEXT;
use crate::sampler::Border;
use crate::schedule::{
    BlockRole, End, Event, Expr, NO_LOCATION, Program, Statement, ValueId, schedule_all,
};
use crate::source::{SourceFile, Span};
use crate::texture::{Number, Texels};
use crate::types::{Field, MemoryKind, Resource, ResourceKind, Type, TypeKind, Types};
use lambdav_float_environment::with_default;
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Write;

/// Blocks nested deeper than this are not indented further, so that the text stays linear in the
/// size of the program.
const MAX_INDENTATION: usize = 32;

/// The text of a program, scheduled for all its outputs. If the source text is given, each definition has its
/// position there as a comment.
///
/// # Errors
///
/// Those of [`schedule_all`], and LV0502 if the text would be longer than the reader accepts.
pub fn print(core: &Core, source: Option<&SourceFile>) -> Result<String, Diagnostic> {
    let program = schedule_all(core)?;
    let types = numbered_types(&program);
    let triangles = core.triangles.as_deref();
    let out = String::new();
    let mut printer = Printer { program: &program, core, triangles, source, types, out };
    // The conversion of numbers to decimals compares floats.
    with_default(|| printer.program())?;
    Ok(printer.out)
}

struct Printer<'a> {
    program: &'a Program,
    core: &'a Core,
    triangles: Option<&'a Triangles>,
    source: Option<&'a SourceFile>,
    /// The numbers of the declared types that are used.
    types: FxHashMap<Type, usize>,
    out: String,
}

/// The direct parts of a type.
fn inside(types: &Types, ty: Type) -> Vec<Type> {
    match *types.kind(ty) {
        TypeKind::Array(element, _) => vec![element],
        TypeKind::Resource(_) => match types.resource_kind(ty) {
            Some(ResourceKind::Buffer(element)) => vec![element],
            _ => vec![],
        },
        _ => {
            let cases = types.variant(ty).map_or(&[][..], |variant| &variant.cases);
            let structure = types.structure(ty).map_or(&[][..], |structure| &structure.fields);
            let fields = cases.iter().flat_map(|case| &case.fields).chain(structure);
            fields.map(|field| field.ty).collect()
        }
    }
}

/// The declared types that are used, and those of all resources, in order.
fn numbered_types(program: &Program) -> FxHashMap<Type, usize> {
    let values = program.values.iter().map(|value| value.ty);
    let used = values.chain(program.uniforms.iter().map(|uniform| uniform.ty));
    // All resources, used or not, since the order determines their numbers.
    let types = &program.types;
    let used = used.chain(types.all().filter(|&ty| types.resource(ty).is_some()));
    let mut used: FxHashSet<Type> = used.filter(|ty| ty.builtin().is_none()).collect();
    let mut stack: Vec<Type> = used.iter().copied().collect();
    while let Some(ty) = stack.pop() {
        for part in inside(&program.types, ty) {
            if part.builtin().is_none() && used.insert(part) {
                stack.push(part);
            }
        }
    }
    let mut used: Vec<Type> = used.into_iter().collect();
    used.sort_unstable();
    used.into_iter().enumerate().map(|(number, ty)| (ty, number)).collect()
}

impl<'a> Printer<'a> {
    fn program(&mut self) -> Result<(), Diagnostic> {
        let program = self.program;
        let has_memory = program.types.memories().next().is_some()
            || self.core.workgroup.is_some()
            || self.core.passes.is_some();
        let version = if has_memory { VERSION } else { VERSION_WITHOUT_MEMORY };
        self.text(format_args!("{MAGIC} {version}\n"));
        if let Some(source) = self.source {
            self.text(format_args!("; positions: {}\n", source.name().escape_debug()));
        }
        self.out.push('\n');
        self.declared_types()?;
        for uniform in &program.uniforms {
            self.out.push_str("uniform ");
            self.string(&uniform.name);
            self.out.push_str(": ");
            self.ty(uniform.ty);
            self.out.push_str(" = ");
            self.constant(uniform.ty, &uniform.default);
            self.out.push('\n');
        }
        if !program.uniforms.is_empty() {
            self.out.push('\n');
        }
        if let Some([x, y, z]) = self.core.workgroup {
            self.text(format_args!("workgroup-size {x} {y} {z}\n\n"));
        }
        self.interface();
        self.declared_results();
        self.blocks()?;
        self.out.push('\n');
        self.results();
        if let Some(Discard { condition, when, clear }) = program.discard {
            let not = if when { "" } else { "not " };
            self.text(format_args!("discard {not}%{} = ", condition.0));
            self.constant(Type::vec(4), &clear);
            self.out.push('\n');
        }
        Ok(())
    }

    /// Attributes, varyings and state of a program that draws triangles.
    fn interface(&mut self) {
        let Some(Triangles { attributes, varyings, state, .. }) = self.triangles else { return };
        for Attribute { name, ty, rate, .. } in attributes {
            self.out.push_str("attribute ");
            self.string(name);
            self.out.push_str(": ");
            self.ty(*ty);
            self.text(format_args!(" {}\n", rate.name()));
        }
        for Varying { name, ty, interpolation, readers, .. } in varyings {
            self.out.push_str("varying ");
            self.string(name);
            self.out.push_str(": ");
            self.ty(*ty);
            self.text(format_args!(" {} read", interpolation.name()));
            for location in &readers.outputs {
                self.text(format_args!(" {location}"));
            }
            self.out.push_str(if readers.in_test { " test\n" } else { "\n" });
        }
        let [cull, front, depth] = [state.cull.name(), state.front.name(), state.depth.name()];
        let write = if state.depth_write { "on" } else { "off" };
        let (blend, topology) = (state.blend.name(), state.topology.name());
        let samples = state.samples;
        self.text(format_args!(
            "state cull {cull} front {front} depth {depth} depth-write {write} blend {blend} \
             samples {samples} topology {topology} clear "
        ));
        self.constant(Type::vec(4), &state.clear.map(f32::to_bits));
        self.out.push_str("\n\n");
    }

    /// The buffers that passes write.
    fn declared_results(&mut self) {
        let Some(Passes { results, .. }) = self.core.passes.as_deref() else { return };
        for result in results {
            self.out.push_str("result ");
            self.resource(result.resource);
            match result.length {
                ResultLength::Elements(count) => self.text(format_args!(" length {count}")),
                ResultLength::Of(buffer) => {
                    self.out.push_str(" length of ");
                    self.resource(buffer);
                }
            }
            if let Some(counter) = result.counter {
                self.out.push_str(" counter ");
                self.resource(counter);
            }
            self.out.push('\n');
        }
        self.out.push('\n');
    }

    /// The name of a resource.
    fn resource(&mut self, number: u32) {
        let program = self.program;
        self.string(&program.types.resources()[number as usize].name);
    }

    /// The passes, whose roots are the values of `rest`.
    fn passes(&mut self, mut rest: impl Iterator<Item = u32>) {
        let Some(Passes { passes, .. }) = self.core.passes.as_deref() else { return };
        let mut next = || rest.next().expect("all roots are scheduled");
        for pass in passes {
            self.out.push_str("pass ");
            self.string(&pass.name);
            for (k, _) in pass.size.iter().enumerate() {
                let comma = if k == 0 { "" } else { "," };
                self.text(format_args!("{comma} %{}", next()));
            }
            self.out.push('\n');
            for write in &pass.writes {
                let condition = write.condition.map(|_| next());
                let index = write.index.map(|_| next());
                let value = next();
                self.text(format_args!("write {} ", write.way.name()));
                self.resource(write.resource);
                if let Some(index) = index {
                    self.text(format_args!(" at %{index}"));
                }
                self.text(format_args!(" = %{value}"));
                if let Some(condition) = condition {
                    self.text(format_args!(" when %{condition}"));
                }
                self.out.push('\n');
            }
        }
    }

    /// The outputs, the other roots of a program that draws triangles, and passes.
    fn results(&mut self) {
        let program = self.program;
        let is_output = |&(_, location): &(&ValueId, &u32)| *location != NO_LOCATION;
        let roots = || program.outputs().iter().zip(&program.locations);
        for (value, location) in roots().filter(is_output) {
            self.text(format_args!("output {location} = %{}\n", value.0));
        }
        // In the order of `Core::roots`.
        let mut rest = roots().filter(|root| !is_output(root)).map(|(value, _)| value.0);
        for value in rest.by_ref().take(self.core.effects.len()) {
            self.text(format_args!("effect %{value}\n"));
        }
        let Some(triangles) = self.triangles else { return self.passes(rest) };
        let mut next = || rest.next().expect("all roots are scheduled");
        for Varying { name, .. } in &triangles.varyings {
            let value = next();
            self.out.push_str("vary ");
            self.string(name);
            self.text(format_args!(" = %{value}\n"));
        }
        let value = next();
        self.text(format_args!("position = %{value}\n"));
        if triangles.depth.is_some() {
            let value = next();
            self.text(format_args!("depth = %{value}\n"));
        }
        if triangles.discard.is_some() {
            let value = next();
            self.text(format_args!("discard-if %{value}\n"));
        }
        self.passes(rest);
    }

    fn declared_types(&mut self) -> Result<(), Diagnostic> {
        let mut declared: Vec<(usize, Type)> =
            self.types.iter().map(|(&ty, &number)| (number, ty)).collect();
        declared.sort_unstable();
        let types = &self.program.types;
        for &(number, ty) in &declared {
            self.text(format_args!("type #{number} = "));
            if let Some(structure) = types.structure(ty) {
                self.out.push_str("struct ");
                self.string(&structure.name);
                self.out.push(' ');
                self.fields(&structure.fields);
            } else if let Some(variant) = types.variant(ty) {
                self.out.push_str("variant ");
                self.string(&variant.name);
                for (i, case) in variant.cases.iter().enumerate() {
                    self.out.push_str(if i == 0 { " (" } else { ", " });
                    self.string(&case.name);
                    self.out.push(' ');
                    self.fields(&case.fields);
                }
                self.out.push(')');
            } else if let TypeKind::Array(element, count) = *types.kind(ty) {
                self.text(format_args!("array {count} "));
                self.ty(element);
            } else if let Some(number) = types.resource(ty) {
                let Resource { name, kind } = &*types.resources()[number];
                self.text(format_args!("{} ", kind.word()));
                self.string(name);
                match *kind {
                    ResourceKind::Texture(options) => {
                        if options.kind.has_planes() {
                            self.text(format_args!(" {}", options.kind.name()));
                        }
                        self.text(format_args!(" {}", options.filter.name()));
                        for wrap in options.wrap_words() {
                            self.text(format_args!(" {wrap}"));
                        }
                        if options.border != Border::default() {
                            self.text(format_args!(" border-{}", options.border.word()));
                        }
                        if let Some(compare) = options.compare {
                            self.text(format_args!(" compare-{}", compare.word()));
                        }
                        if options.bias != Number::default() {
                            self.out.push_str(" bias ");
                            self.constant(Type::NUM, &[options.bias.get().to_bits()]);
                        }
                        if let Some([least, most]) = options.limits {
                            self.out.push_str(" levels ");
                            self.constant(Type::NUM, &[least.get().to_bits()]);
                            self.out.push(' ');
                            self.constant(Type::NUM, &[most.get().to_bits()]);
                        }
                        self.out.push_str(if options.srgb { " srgb" } else { "" });
                        self.out.push_str(if options.mipmaps { " mipmaps" } else { "" });
                        self.out.push_str(if options.native { " native" } else { "" });
                        if options.texels != Texels::Numbers {
                            self.text(format_args!(" {}", options.texels.name()));
                        }
                    }
                    ResourceKind::Buffer(element) => {
                        self.out.push(' ');
                        self.ty(element);
                    }
                    ResourceKind::Memory(MemoryKind::Storage) => {}
                    ResourceKind::Memory(MemoryKind::Workgroup(words)) => {
                        self.text(format_args!(" {words}"));
                    }
                }
            }
            self.out.push('\n');
            if self.out.len() > CORE_TEXT {
                return Err(too_long());
            }
        }
        if !declared.is_empty() {
            self.out.push('\n');
        }
        Ok(())
    }

    fn fields(&mut self, fields: &[Field]) {
        self.out.push('(');
        for (i, field) in fields.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.out.push_str(if field.is_generic { "generic " } else { "" });
            self.string(&field.name);
            self.out.push_str(": ");
            self.ty(field.ty);
        }
        self.out.push(')');
    }

    fn ty(&mut self, ty: Type) {
        match self.types.get(&ty).copied() {
            Some(number) => self.text(format_args!("#{number}")),
            None => self.out.push_str(ty.name().expect("all others are numbered")),
        }
    }

    fn blocks(&mut self) -> Result<(), Diagnostic> {
        let program = self.program;
        let mut walk = program.walk();
        // The number of open blocks inside the root.
        let mut depth = 0;
        while let Some(event) = walk.next() {
            match event {
                Event::Enter(_, BlockRole::Root) => {}
                // The value of a guard with a false condition is never needed, so its block is not printed.
                Event::Enter(_, BlockRole::Otherwise(Some(value))) if program.is_guard(value) => {
                    walk.skip_block();
                    depth += 1;
                }
                Event::Enter(_, BlockRole::Otherwise(_)) => {
                    self.line(depth, format_args!("}} else {{"));
                    depth += 1;
                }
                Event::Enter(_, BlockRole::Then(_) | BlockRole::Body(_)) => depth += 1,
                Event::Statement(_, statement) => self.statement(statement, depth),
                Event::After(..) => self.line(depth, format_args!("}}")),
                Event::End(Program::ROOT, _) => {}
                Event::End(_, end) => self.end(end, depth),
                Event::Leave(block) => {
                    if let End::If { .. } = program.block(block).end {
                        self.line(depth, format_args!("}}"));
                    }
                    depth = depth.saturating_sub(1);
                }
            }
            if self.out.len() > CORE_TEXT {
                return Err(too_long());
            }
        }
        Ok(())
    }

    fn statement(&mut self, statement: &Statement, depth: usize) {
        let value = statement.value();
        self.indent(depth);
        self.definition(value);
        match statement {
            Statement::Let { expr, .. } => self.expr(self.program.ty(value), expr),
            Statement::If { condition, .. } => {
                let word = if self.program.is_guard(value) { "guard" } else { "if" };
                self.text(format_args!("{word} %{} {{", condition.0));
            }
            Statement::Loop { params, inits, .. } => {
                self.out.push_str("loop (");
                for (i, (param, init)) in params.iter().zip(inits).enumerate() {
                    self.out.push_str(if i == 0 { "" } else { ", " });
                    self.definition(*param);
                    self.text(format_args!("%{}", init.0));
                }
                self.out.push_str(") {");
            }
        }
        self.position(self.program.values[value.index()].span);
        self.out.push('\n');
    }

    fn end(&mut self, end: &End, depth: usize) {
        self.indent(depth);
        match end {
            End::Yield(values) => self.with_operands("yield", values),
            End::Rec(values) => self.with_operands("rec", values),
            End::If { condition, .. } => self.text(format_args!("if %{} {{", condition.0)),
        }
        self.out.push('\n');
    }

    fn line(&mut self, depth: usize, line: std::fmt::Arguments<'_>) {
        self.indent(depth);
        self.text(line);
        self.out.push('\n');
    }

    fn definition(&mut self, value: ValueId) {
        self.text(format_args!("%{}", value.0));
        if let Some(name) = self.program.name(value) {
            self.out.push(' ');
            self.string(name);
        }
        self.out.push_str(": ");
        self.ty(self.program.ty(value));
        self.out.push_str(" = ");
    }

    fn expr(&mut self, ty: Type, expr: &Expr) {
        match expr {
            Expr::Constant(words) => self.constant(ty, words),
            Expr::Input(input) => self.text(format_args!("input {}", input.name())),
            Expr::Uniform(index) => {
                self.out.push_str("uniform ");
                self.string(&self.program.uniforms[*index as usize].name);
            }
            Expr::Stage(input) => self.stage_input(*input),
            Expr::Op(op, operands) => {
                write_operation(&mut self.out, *op);
                self.with_operands("", operands);
            }
        }
    }

    fn stage_input(&mut self, input: StageInput) {
        let triangles = self.triangles;
        let triangles = || triangles.expect("the program draws triangles");
        match input {
            StageInput::Attribute(index) => {
                self.out.push_str("attribute ");
                self.string(&triangles().attributes[index as usize].name);
            }
            StageInput::Varying(index, _) => {
                self.out.push_str("varying ");
                self.string(&triangles().varyings[index as usize].name);
            }
            _ => self.text(format_args!("input {}", input.name())),
        }
        if let Some(place) = input.place().filter(|place| *place != Place::HERE) {
            let name = |side: Option<Side>| side.map_or("here", Side::name);
            self.text(format_args!(" at {} {}", name(place.x), name(place.y)));
        }
    }

    fn with_operands(&mut self, word: &str, values: &[ValueId]) {
        self.out.push_str(word);
        for (i, value) in values.iter().enumerate() {
            self.text(format_args!("{}%{}", if i == 0 { " " } else { ", " }, value.0));
        }
    }

    fn constant(&mut self, ty: Type, words: &[u32]) {
        let types = &self.program.types;
        if let TypeKind::Scalar(scalar) = *types.kind(ty) {
            write_component(&mut self.out, scalar, words[0]);
            return;
        }
        self.out.push('(');
        for (i, (&word, scalar)) in words.iter().zip(types.scalars(ty)).enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            write_component(&mut self.out, scalar, word);
        }
        self.out.push(')');
    }

    fn string(&mut self, text: &str) {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' | '\\' => self.out.extend(['\\', c]),
                // A line is a statement, so line ends are escaped; control characters would reach a terminal.
                '\n' | '\t' => self.out.extend(c.escape_unicode()),
                c if is_control(c) => self.out.extend(c.escape_unicode()),
                c => self.out.push(c),
            }
        }
        self.out.push('"');
    }

    fn position(&mut self, span: Span) {
        if let Some(source) = self.source.filter(|_| span != Span::default()) {
            let (file, at) = (source.file_index(span.start), source.line_column(span.start));
            self.text(format_args!("  ; {}:{}", at.line, at.column));
            if file > 0 {
                self.text(format_args!(" {}", source.files()[file].name.escape_debug()));
            }
        }
    }

    fn indent(&mut self, depth: usize) {
        let width = 2 * depth.min(MAX_INDENTATION);
        self.text(format_args!("{:width$}", ""));
    }

    fn text(&mut self, text: std::fmt::Arguments<'_>) {
        self.out.write_fmt(text).expect("writing to a string does not fail");
    }
}

fn too_long() -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::ExpansionTooLarge,
        Span::default(),
        format!("the core text is longer than {CORE_TEXT} bytes, the most that are read"),
    )
    .help("use shorter names, or fewer operations")
}
