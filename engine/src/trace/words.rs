//! Events of the evaluator of SPIR-V.

use super::pixel::{Needed, Stop, Traced};
use crate::accepted::{Accepted, AsIs};
use crate::engines::{Observed, SpirvEngine, SpirvError, SpirvProgram, fill};
use crate::error::Error;
use crate::settings::Settings;
use lambdav_core::source::SourceFile;
use lambdav_spirv_eval::{
    Module, ModuleEvent, ModuleScalar, ModuleValue, Observer, Position, Printed, Slice,
};
use lambdav_trace::{
    Argument, Event, EventKind, PIXEL, Place, Scalar, ScopeKind, Sink, Value, printf,
};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

/// The words of a program with their inputs.
pub(super) struct Words {
    engine: SpirvEngine,
    /// Indices of files in the program's text, by id.
    files: Vec<(u32, u32)>,
}

impl Words {
    pub(super) fn new(program: &Accepted, output: u32, settings: &Settings) -> Result<Self, Error> {
        let (source, name) = (&program.source, program.source.name());
        let Some(of) = &program.module else {
            let why = match &program.as_is {
                Some(AsIs { .. }) => "is executed as it is, and cannot be traced",
                None => "is no module",
            };
            return Err(Error::Mismatch(format!("`{name}` {why}")));
        };
        let (words, interface) = (&of.words, &program.interface);
        let compiled = SpirvProgram::observed(words, interface, source, output, of.clear);
        let compiled =
            compiled.map_err(|error| Error::Unsupported(format!("`{name}`: {error}")))?;
        let files = file_indices(compiled.module(), source);
        let engine = Arc::new(compiled).bind(settings.clone());
        Ok(Self { engine, files })
    }

    pub(super) fn names(&self) -> BTreeSet<String> {
        self.engine.program().module().observed_names().map(str::to_owned).collect()
    }

    pub(super) fn distinct_names(&self) -> BTreeSet<String> {
        self.engine.program().module().distinct_names().map(str::to_owned).collect()
    }

    /// The words that a compiler of our own makes of a program, with its names and lines.
    pub(super) fn emitted(
        program: &Accepted,
        output: u32,
        settings: &Settings,
    ) -> Result<Self, SpirvError> {
        let compiled =
            SpirvProgram::emitted(&program.core, output, &program.source, settings.max_iterations)?;
        let files = file_indices(compiled.module(), &program.source);
        let engine = Arc::new(compiled).bind(settings.clone());
        Ok(Self { engine, files })
    }

    /// Evaluates a pixel.
    pub(super) fn pixel(
        &self,
        source: &SourceFile,
        pixel: [u32; 2],
        sink: &mut dyn Sink,
        is_sliced: bool,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Traced, Stop> {
        let mut observer = Adapter::new(source, &self.files, sink);
        match self.engine.observe(pixel, is_sliced, cancelled, &mut observer) {
            Ok(Some(Observed { words, is_discarded, slice })) => {
                let colour = fill(&words).map(f32::to_bits);
                Ok(Traced { colour, is_discarded, needed: observer.needed(slice) })
            }
            Ok(None) => Err(Stop::Cancelled),
            Err(diagnostic) => Err(Stop::Fault(diagnostic.into())),
        }
    }
}

/// Indices of a module's files in a text, by id.
pub(super) fn file_indices(module: &Module, source: &SourceFile) -> Vec<(u32, u32)> {
    let named = |(id, name): (u32, &str)| {
        let mut files = source.files().iter();
        let file = files.position(|file| file.module_name == name || file.name == name)?;
        Some((id, file as u32))
    };
    module.file_names().filter_map(named).collect()
}

/// Translates events of the evaluator.
pub(super) struct Adapter<'a> {
    source: &'a SourceFile,
    files: &'a [(u32, u32)],
    sink: &'a mut dyn Sink,
    /// The open scopes, innermost last.
    scopes: Vec<(u32, ScopeKind)>,
    last: u32,
    /// Numbers of the current event and of the next one.
    number: u32,
    next: u32,
    /// Inputs that were read, with the numbers of their first events, and events that read them again.
    inputs: HashMap<Arc<str>, u32>,
    again: Vec<[u32; 2]>,
    /// Texts of conditions, by place.
    conditions: HashMap<Place, Option<Arc<str>>>,
}

impl<'a> Adapter<'a> {
    pub(super) fn new(
        source: &'a SourceFile,
        files: &'a [(u32, u32)],
        sink: &'a mut dyn Sink,
    ) -> Self {
        Self {
            source,
            files,
            sink,
            scopes: vec![(PIXEL, ScopeKind::Pixel)],
            last: PIXEL,
            number: 0,
            next: 0,
            inputs: HashMap::new(),
            again: Vec::new(),
            conditions: HashMap::new(),
        }
    }

    /// The events of a slice. An input is needed if one of its reads is.
    pub(super) fn needed(&self, slice: Slice) -> Needed {
        let mut events = slice.into_events();
        if let Some(events) = &mut events {
            for [first, again] in self.again.iter().map(|pair| pair.map(|of| of as usize)) {
                let is_needed = events.get(again).copied().unwrap_or(false);
                if let Some(first) = events.get_mut(first) {
                    *first |= is_needed;
                }
            }
        }
        Needed(events)
    }
}

impl Adapter<'_> {
    fn is_generated(&self, place: Option<Place>) -> bool {
        let name = |place: Place| self.source.files()[place.file as usize].name.as_str();
        place.is_some_and(|place| name(place).starts_with('<'))
    }

    /// The text of a condition: from its place to the end of the expression, as far as brackets tell.
    fn condition(&mut self, place: Option<Place>) -> Option<Arc<str>> {
        let place = place?;
        if let Some(known) = self.conditions.get(&place) {
            return known.clone();
        }
        let text = self.read_condition(place);
        self.conditions.insert(place, text.clone());
        text
    }

    fn read_condition(&self, place: Place) -> Option<Arc<str>> {
        let Place { file, line, column } = place;
        let text = self.source.slice(self.source.files()[file as usize].span);
        let line = text.lines().nth(line as usize - 1)?;
        let (start, _) = line.char_indices().nth(column as usize - 1)?;
        let mut depth = 0_u32;
        let end = line[start..].find(|c: char| match c {
            '(' | '[' => {
                depth += 1;
                false
            }
            ')' | ']' if depth > 0 => {
                depth -= 1;
                false
            }
            ')' | ']' | '{' | '}' | ';' => true,
            _ => false,
        });
        let found = &line[start..end.map_or(line.len(), |end| start + end)];
        let found = found.trim();
        (!found.is_empty()).then(|| found.into())
    }

    fn place(&self, position: Option<Position>) -> Option<Place> {
        let Position { file, line, column } = position?;
        let (_, file) = self.files.iter().find(|(id, _)| *id == file)?;
        Some(Place { file: *file, line, column: column.max(1) })
    }

    fn send(&mut self, place: Option<Place>, kind: EventKind) {
        let scope = self.scopes.last().map_or(PIXEL, |(scope, _)| *scope);
        self.sink.event(Event { scope, place, number: self.number, kind });
    }

    fn open(&mut self, place: Option<Place>, kind: ScopeKind, name: Option<Arc<str>>) {
        self.last += 1;
        self.send(place, EventKind::Open { scope: self.last, kind, name });
        self.scopes.push((self.last, kind));
    }

    /// Closes scopes up to the innermost one of a kind.
    fn close(&mut self, kind: ScopeKind, mut result: Option<Value>) {
        while let Some((_, found)) = self.scopes.last().copied()
            && found != ScopeKind::Pixel
        {
            let result = if found == kind { result.take() } else { None };
            self.send(None, EventKind::Close { result });
            self.scopes.pop();
            if found == kind {
                return;
            }
        }
    }
}

impl Observer for Adapter<'_> {
    fn event(&mut self, position: Option<Position>, event: ModuleEvent) {
        (self.number, self.next) = (self.next, self.next + 1);
        let place = self.place(position);
        match event {
            // A dialect's own text is not the author's.
            ModuleEvent::Binding { .. } if self.is_generated(place) => {}
            ModuleEvent::Binding { name, value } => {
                self.send(place, EventKind::Binding { name, value: of_value(value) });
            }
            ModuleEvent::Input { name, value } => {
                if let Some(&first) = self.inputs.get(&name) {
                    self.again.push([first, self.number]);
                } else {
                    self.inputs.insert(Arc::clone(&name), self.number);
                    let kind = EventKind::Binding { name, value: of_value(value) };
                    self.sink.event(Event { scope: PIXEL, place, number: self.number, kind });
                }
            }
            ModuleEvent::Argument { name, value } => {
                self.send(place, EventKind::Argument { name, value: of_value(value) });
            }
            ModuleEvent::Condition { value, arm } => {
                let (arm, text) = (self.place(arm), self.condition(place));
                self.send(place, EventKind::Condition { text, value: of_value(value), arm });
            }
            ModuleEvent::Printed { format, arguments } => {
                let arguments: Vec<Argument> = arguments.into_iter().map(of_printed).collect();
                let text = printf(&format, &arguments);
                self.send(place, EventKind::Message(text.trim_end_matches('\n').into()));
            }
            ModuleEvent::Call { name } => self.open(place, ScopeKind::Call, name),
            ModuleEvent::Return(result) => self.close(ScopeKind::Call, result.map(of_value)),
            ModuleEvent::Loop => self.open(place, ScopeKind::Loop, None),
            ModuleEvent::Round => {
                if self.scopes.last().is_some_and(|(_, kind)| *kind == ScopeKind::Round) {
                    self.close(ScopeKind::Round, None);
                }
                self.open(place, ScopeKind::Round, None);
            }
            ModuleEvent::EndLoop => self.close(ScopeKind::Loop, None),
        }
    }
}

/// The name of a type of components, as GLSL has it.
fn type_name(scalar: ModuleScalar, rows: u8, columns: u8) -> String {
    let (name, prefix) = match scalar {
        ModuleScalar::Bool => ("bool", "b"),
        ModuleScalar::Float => ("float", ""),
        ModuleScalar::Int => ("int", "i"),
        ModuleScalar::Uint => ("uint", "u"),
        ModuleScalar::Double => ("double", "d"),
        ModuleScalar::Long => ("uint64", "u64"),
    };
    match (rows, columns) {
        (1, 1) => name.to_owned(),
        (rows, 1) => format!("{prefix}vec{rows}"),
        (rows, columns) if rows == columns => format!("{prefix}mat{columns}"),
        (rows, columns) => format!("{prefix}mat{columns}x{rows}"),
    }
}

/// An argument of a message.
fn of_printed(argument: Printed) -> Argument {
    match argument {
        Printed::Value(value) => Argument::Value(of_value(value)),
        Printed::Text(text) => Argument::Text(text),
    }
}

/// A value. The depth of values is limited, so the recursion is.
fn of_value(value: ModuleValue) -> Value {
    match value {
        ModuleValue::Words { scalar, rows, columns, words } => {
            let ty = type_name(scalar, rows, columns).into();
            let scalar = match scalar {
                ModuleScalar::Bool => Scalar::Bool,
                ModuleScalar::Float => Scalar::Num,
                ModuleScalar::Int => Scalar::Int,
                ModuleScalar::Uint => Scalar::Uint,
                ModuleScalar::Double => Scalar::Double,
                ModuleScalar::Long => Scalar::Long,
            };
            Value::Words { ty, scalar, words }
        }
        ModuleValue::Parts { name, parts, more } => {
            let part = |(name, value): (Option<Arc<str>>, ModuleValue)| {
                (name.unwrap_or_default(), of_value(value))
            };
            let ty = name.unwrap_or_else(|| "array".into());
            Value::Parts { ty, parts: parts.into_iter().map(part).collect(), more }
        }
    }
}
