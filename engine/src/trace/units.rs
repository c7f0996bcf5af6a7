//! Traces of vertices, and of ids of passes, of programs in λV.

use super::pixel::Needed;
use super::source::{Adapter, of_value, of_words, stop};
use super::{TraceError, TracedUnit, subject};
use crate::accepted::Accepted;
use crate::bindings::Bindings;
use crate::compilers::{at_fault, check, source_program};
use crate::engines::{Vertex, all_inputs, bind_results};
use crate::error::Error;
use crate::settings::Settings;
use crate::shader::Shader;
use lambdav_core::passes::Ids;
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::reduction::{
    Limits, ObservedWrite, PassFault, SourceFault, SourceProgram, StageResult,
};
use lambdav_image::Size;
use lambdav_trace::{Recorder, Sink, Subject, Trace, Unit, Value};
use std::sync::Arc;

/// A program with its inputs, for the source evaluator.
struct Prepared<'a> {
    program: &'a Accepted,
    source: Arc<SourceProgram>,
    settings: Settings,
}

impl Prepared<'_> {
    fn limits(&self) -> Limits {
        Limits { max_iterations: self.settings.max_iterations, ..Limits::default() }
    }

    fn stopped(&self, fault: SourceFault) -> TraceError {
        TraceError::stopped(self.program, stop(fault, self.settings.max_iterations))
    }

    fn wrong(&self, why: &str) -> TraceError {
        Error::Mismatch(format!("`{}` {why}", self.program.source.name())).into()
    }
}

/// A unit that was evaluated by need, so all of its events made the result.
fn by_need(subject: Subject) -> TracedUnit {
    TracedUnit { subject, is_by_need: true, needed: Needed::default() }
}

impl Shader {
    fn prepared(
        &self,
        bindings: &Bindings,
        size: Size,
        max_iterations: u64,
    ) -> Result<Prepared<'_>, Error> {
        let program = &self.0;
        check(program, bindings)?;
        let mut settings = bindings.settings(size, max_iterations);
        if let Some(passes) = &program.core.passes {
            let resources = &mut settings.inputs.resources;
            bind_results(program.types(), &passes.results, resources)
                .map_err(|found| at_fault(program, found))?;
        }
        if let Some(unbound) = program.core.unbound(&settings.inputs.resources) {
            return Err(at_fault(program, unbound));
        }
        let compiled = source_program(program, &program.core, &[])?;
        Ok(Prepared { program, source: Arc::clone(compiled.text()), settings })
    }

    /// Evaluates a vertex of a program that draws triangles: its position and varyings. Its events go to `sink`.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] for other programs and languages and for a vertex that an attribute lacks; as for
    /// [`Tracer::pixel`](super::Tracer::pixel).
    pub fn observe_vertex(
        &self,
        bindings: &Bindings,
        size: Size,
        [vertex, instance]: [u32; 2],
        max_iterations: u64,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn Sink,
    ) -> Result<TracedUnit, TraceError> {
        let name = self.0.source.name();
        let (Some(triangles), true) = (&self.0.core.triangles, self.0.is_shader()) else {
            let why = "has no vertices: only programs in λV that draw triangles have";
            return Err(Error::Mismatch(format!("`{name}` {why}")).into());
        };
        let prepared = self.prepared(bindings, size, max_iterations)?;
        if let Some(why) = bindings.draw.missing(triangles) {
            return Err(Error::Mismatch(why).into());
        }
        let instances = bindings.draw.instance_count(triangles);
        if instance >= instances {
            let why = format!("has no instance {instance}: the last one is {}", instances - 1);
            return Err(prepared.wrong(&why));
        }
        let count = bindings.draw.vertex_count_of(triangles);
        if vertex >= count {
            let why =
                format!("has no vertex {vertex}: the last one is {}", count.saturating_sub(1));
            return Err(prepared.wrong(&why));
        }
        let inputs = all_inputs(triangles);
        let data: Vec<_> = inputs.iter().map(|of| bindings.draw.attribute(of.attribute)).collect();
        let values = Vertex { vertex, instance, inputs: &inputs, data: &data };
        let mut observer = Adapter::new(&prepared.program.source, sink);
        let varyings = (0..).zip(&triangles.varyings);
        let varyings = varyings
            .map(|(index, of)| (StageResult::Varying(index), Arc::from(of.name.as_str()), of.ty));
        let vec4 = Type::of(Scalar::F32, 4);
        let all =
            [(StageResult::Position, Arc::from("position"), vec4)].into_iter().chain(varyings);
        let mut results: Vec<(Arc<str>, Value)> = Vec::new();
        for (result, name, ty) in all {
            let words = prepared.source.run_stage_observed(
                result,
                &prepared.settings.inputs,
                &values,
                prepared.limits(),
                cancelled,
                &mut observer,
            );
            results.push((name, of_words(ty, words.map_err(|fault| prepared.stopped(fault))?)));
        }
        let unit = Unit::Vertex { vertex, instance };
        Ok(by_need(subject(prepared.program, unit, results)))
    }

    /// Evaluates an id of a pass: its writes. Its events go to `sink`. `pass` is the pass's name; without it, the program must have one pass.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] for programs without passes, for an unknown pass and for an id that the pass lacks; as for
    /// [`Tracer::pixel`](super::Tracer::pixel).
    pub fn observe_id(
        &self,
        bindings: &Bindings,
        pass: Option<&str>,
        id: &[u32],
        max_iterations: u64,
        cancelled: &dyn Fn() -> bool,
        sink: &mut dyn Sink,
    ) -> Result<TracedUnit, TraceError> {
        let one = Size::new(1, 1).map_err(|error| Error::Machine(error.to_string()))?;
        let mut prepared = self.prepared(bindings, one, max_iterations)?;
        let names: Vec<String> =
            prepared.source.passes().map(|(name, _)| name.to_owned()).collect();
        let listed = || names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        let number = match (pass, &names[..]) {
            (_, []) => return Err(prepared.wrong("has no passes, whose ids could be traced")),
            (Some(pass), all) => all.iter().position(|name| name == pass).ok_or_else(|| {
                prepared.wrong(&format!("has no pass `{pass}`; its passes are {}", listed()))
            })?,
            (None, [_]) => 0,
            (None, _) => {
                let why = format!(
                    "has the passes {}: name one, as in `--of id:0:{}`",
                    listed(),
                    names[0]
                );
                return Err(prepared.wrong(&why));
            }
        };
        let limits = prepared.limits();
        let mut inputs = prepared.settings.inputs.clone();
        let ids = prepared.source.run_passes_before(number, &mut inputs, limits, cancelled);
        let Ids { counts, axes } = ids.map_err(|fault| match fault {
            PassFault::Value { fault, .. } => prepared.stopped(fault),
            PassFault::Program(found) => at_fault(prepared.program, *found).into(),
        })?;
        prepared.settings.inputs = inputs;
        let mut full = [0; 3];
        if id.len() != axes || id.iter().zip(counts).any(|(at, count)| *at >= count) {
            let size: Vec<String> = counts[..axes].iter().map(u32::to_string).collect();
            let why = format!(
                "has no such id: the ids of the pass `{}` have {axes} {}, each below {}",
                names[number],
                if axes == 1 { "number" } else { "numbers" },
                size.join(", ")
            );
            return Err(prepared.wrong(&why));
        }
        full[..axes].copy_from_slice(id);
        let mut observer = Adapter::new(&prepared.program.source, sink);
        let inputs = &prepared.settings.inputs;
        let writes =
            prepared.source.observe_id(number, full, inputs, limits, cancelled, &mut observer);
        let writes = writes.map_err(|fault| prepared.stopped(fault))?;
        let results = writes.into_iter().map(|write| self.written(write)).collect();
        let unit = Unit::Id { id: full, axes, pass: Some(names[number].clone()) };
        Ok(by_need(subject(prepared.program, unit, results)))
    }

    /// The trace of the value of the program's expression (`ShaderOptions::expression`), at the first pixel of a picture of
    /// that size, by the evaluator of its language.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] for other programs; as for [`Tracer::pixel`](super::Tracer::pixel).
    #[doc(hidden)]
    pub fn trace_expression(
        &self,
        bindings: &Bindings,
        size: Size,
        max_iterations: u64,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Trace, TraceError> {
        let program = &self.0;
        let Some(file) = program.source.files().last().filter(|_| program.expression.is_some())
        else {
            return Err(Error::Mismatch("the program is no expression".to_owned()).into());
        };
        let unit = Unit::Expression(program.source.slice(file.span).trim().to_owned());
        let mut bindings = bindings.clone();
        let unread = bindings.bind_unread();
        unread.map_err(|error| Error::Machine(error.to_string()))?;
        bindings.set_resolution(size);
        if !program.is_shader() {
            let one = Size::new(1, 1).map_err(|error| Error::Machine(error.to_string()))?;
            let output = self.outputs().first().copied().unwrap_or(0);
            let tracer = self.tracer(&bindings, one, output, max_iterations, None)?;
            return tracer.all(unit, cancelled);
        }
        let settings = bindings.settings(size, max_iterations);
        let constants = program.core.constants.iter();
        let given: Vec<(&str, &[u32])> =
            constants.map(|of| (of.name.as_str(), &*of.default)).collect();
        let file = program.source.files().len() - 1;
        let stopped = |fault| TraceError::stopped(program, stop(fault, max_iterations));
        let source = SourceProgram::with_expression(&program.source, file, &given);
        let source = source.map_err(stopped)?;
        let limits = Limits { max_iterations, ..Limits::default() };
        let mut recorder = Recorder::default();
        let mut observer = Adapter::new(&program.source, &mut recorder);
        let inputs = settings.at(0, 0);
        let value = source.run_expression(&inputs, limits, cancelled, &mut observer);
        let value = value.map_err(stopped)?.map(|value| (Arc::from("value"), of_value(value)));
        let subject = subject(program, unit, value.into_iter().collect());
        Ok(by_need(subject).trace(recorder))
    }

    /// A write as a result: `BUFFER[INDEX]` and the element; a write that is not made has no element.
    fn written(&self, write: ObservedWrite) -> (Arc<str>, Value) {
        let name = &self.0.types().resources()[write.resource].name;
        match write.written {
            Some((index, value)) if write.has_index => {
                (format!("{name}[{index}]").into(), of_value(value))
            }
            Some((_, value)) => (format!("{name}, appended").into(), of_value(value)),
            None => {
                let nothing = of_words(Type::BOOL, [0].into());
                (format!("{name}, written").into(), nothing)
            }
        }
    }
}
