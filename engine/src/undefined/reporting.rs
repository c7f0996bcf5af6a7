//! A program with probes, compiled again, and the lines of a report.

use super::Undefined;
use super::unit::Unit;
use super::watched::Watched;
use crate::accepted::Accepted;
use crate::compilers::at_fault;
use crate::error::{Error, Report};
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate::{Evaluated, Evaluator, Observer};
use lambdav_core::graph::{Core, Uniform};
use lambdav_core::op::Op;
use lambdav_core::probes::Site;
use lambdav_core::schedule::{Program, schedule_effects_probed, schedule_probed};
use lambdav_core::source::SourceFile;
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use lambdav_frontend::compile_reporting;
use lambdav_image::Size;
#[cfg(feature = "spirv")]
use lambdav_spirv::SiteNote;
#[cfg(feature = "spirv")]
use lambdav_spirv_frontend::{OperationNames, RaiseOptions, Reports, raise};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// The sites that were met: for each the first unit, its operands, and the number of units.
pub(crate) type Met = BTreeMap<u32, (Unit, Operands, u64)>;

/// The operands of a probe, with their types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operands(Vec<(Type, Vec<u32>)>);

impl Operands {
    /// Those of a probe that was evaluated.
    pub(super) fn of(evaluated: &Evaluated<'_>) -> Self {
        let shown = evaluated.types.iter().zip(evaluated.operands).skip(1);
        Self(shown.map(|(ty, words)| (*ty, words.to_vec())).collect())
    }
}

/// Compares the words of operands, from the left.
pub(super) fn is_less(a: &Operands, b: &Operands) -> bool {
    let words =
        |of: &Operands| -> Vec<u32> { of.0.iter().flat_map(|(_, words)| words).copied().collect() };
    words(a) < words(b)
}

/// A program with probes.
pub(crate) struct Reporting {
    pub(crate) core: Core,
    /// The outputs of a picture, or the final states of memories, with probes.
    pub(super) program: Program,
    /// Text that the sites point into.
    source: SourceFile,
    /// True for values in λV's notation.
    is_shader: bool,
}

impl Reporting {
    /// Compiles a program again, with probes, for the outputs at these locations.
    ///
    /// # Errors
    ///
    /// A program without reports, and a program that nests too deeply.
    pub(crate) fn of_outputs(program: &Accepted, locations: &[u32]) -> Result<Self, Error> {
        if program.core.triangles.is_some() {
            let why = "undefined behaviour of programs that draw triangles is not reported";
            return Err(Error::Mismatch(why.to_owned()));
        }
        Self::new(program, |core| schedule_probed(core, locations))
    }

    /// Compiles a compute program again, with probes.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply.
    pub(crate) fn of_dispatch(program: &Accepted) -> Result<Self, Error> {
        Self::new(program, |core| schedule_effects_probed(core, &core.changed_memories()))
    }

    /// Compiles a program with passes again, with probes.
    ///
    /// # Errors
    ///
    /// A program that nests too deeply.
    pub(crate) fn of_passes(program: &Accepted) -> Result<Self, Error> {
        Self::of_outputs(program, &[])
    }

    fn new(
        program: &Accepted,
        schedule: impl FnOnce(&Core) -> Result<Program, Diagnostic>,
    ) -> Result<Self, Error> {
        let (core, source) = with_probes(program)?;
        let scheduled = schedule(&core).map_err(|diagnostic| at_fault(program, diagnostic))?;
        Ok(Self { core, program: scheduled, source, is_shader: program.is_shader() })
    }

    /// The program with probes, and the number of its sites.
    pub(crate) fn watched(&self) -> (&Program, usize) {
        (&self.program, self.core.sites.len())
    }

    /// The sites that a picture met, and the pixels that met one, in scan order. `settings` are the picture's.
    pub(crate) fn of_picture(
        &self,
        watched: Watched<'_>,
        settings: &Settings,
        size: Size,
        is_reversed: bool,
    ) -> (Met, Vec<[u32; 2]>) {
        let (sites, mut pixels) = watched.into_met();
        pixels.sort_unstable();
        let width = u64::from(size.width());
        let pixel = |index: u64| [(index % width) as u32, (index / width) as u32];
        let mut met = Met::new();
        for (number, found) in (0..).zip(sites) {
            let Some((first, count)) = found else { continue };
            let [x, y] = pixel(first);
            let row = if is_reversed { size.height() - 1 - y } else { y };
            let operands = self.operands(number, [x, row], settings);
            met.insert(number, (Unit::Pixel([x, y]), operands, count));
        }
        (met, pixels.into_iter().map(pixel).collect())
    }

    /// The lines of a report: the sites that stages met, in their order.
    pub(crate) fn lines(&self, stages: impl IntoIterator<Item = Met>) -> Vec<Undefined> {
        let mut all = Met::new();
        let mut nouns: BTreeMap<u32, &'static str> = BTreeMap::new();
        for (number, (first, operands, count)) in stages.into_iter().flatten() {
            let own = first.plural();
            let noun = nouns.entry(number).or_insert(own);
            if *noun != own {
                *noun = "units";
            }
            all.entry(number).or_insert((first, operands, 0)).2 += count;
        }
        let mut found: Vec<(&Site, Undefined)> = Vec::new();
        for (number, (first, operands, units)) in all {
            let site = &self.core.sites[number as usize];
            let literal = |(ty, words): &(Type, Vec<u32>)| self.literal(*ty, words);
            let report = Undefined {
                place: self.place(site),
                operation: site.operation.clone(),
                condition: site.condition,
                is_defined: site.is_defined,
                first,
                operands: operands.0.iter().map(literal).collect(),
                units,
                noun: nouns[&number],
            };
            found.push((site, report));
        }
        found.sort_by_key(|(site, _)| (site.span.start, site.span.end, site.order));
        found.into_iter().map(|(_, report)| report).collect()
    }

    /// The sites, as notes of an instrumented module.
    #[cfg(feature = "spirv")]
    pub(crate) fn notes(&self) -> Vec<SiteNote> {
        let note = |(number, site): (u32, &Site)| {
            let ((file, line, column), Site { operation, condition, .. }) =
                (self.place(site), site);
            let place = match line {
                0 => file,
                _ => format!("{file}:{line}:{column}"),
            };
            SiteNote { number, text: format!("{place}: {operation}: {condition}") }
        };
        (0..).zip(&self.core.sites).map(note).collect()
    }

    /// File, line and column of a site; line 0 in a module without lines.
    fn place(&self, site: &Site) -> (String, u32, u32) {
        let file = self.source.file(site.span.start).name.clone();
        if self.source.text().is_empty() {
            return (file, 0, 0);
        }
        let at = self.source.line_column(site.span.start);
        (file, at.line, at.column)
    }

    /// The operands with which a pixel met a site; the least, if there are several.
    fn operands(&self, number: u32, [x, y]: [u32; 2], settings: &Settings) -> Operands {
        let mut evaluator = Evaluator::new(&self.program, settings.max_iterations);
        let mut met = Least { number, operands: None };
        let inputs = settings.at(x, y);
        // The kernel has computed this pixel without a fault.
        let _ = evaluator.run_observed(&inputs, &|| false, &mut met);
        met.operands.unwrap_or_else(|| Operands(Vec::new()))
    }

    /// A value in the notation of the program's language.
    fn literal(&self, ty: Type, words: &[u32]) -> String {
        let types = &self.program.types;
        let mut text = String::new();
        let scalars: Vec<String> =
            types.scalars(ty).zip(words).map(|(scalar, &word)| number(scalar, word)).collect();
        // Writing to a string does not fail.
        let _ = match types.kind(ty) {
            TypeKind::Scalar(_) => write!(text, "{}", scalars[0]),
            _ if self.is_shader => write!(text, "({} {})", types.name(ty), scalars.join(" ")),
            _ => write!(text, "({})", scalars.join(", ")),
        };
        text
    }
}

/// The program with probes, and the text that they point into.
fn with_probes(program: &Accepted) -> Result<(Core, SourceFile), Error> {
    #[cfg(feature = "spirv")]
    if let Some(module) = &program.module {
        let names = match program.dialect {
            _ if !module.is_foreign => OperationNames::Instructions,
            Some(_) => OperationNames::Glsl,
            None => OperationNames::Wgsl,
        };
        let reports = Some(Reports { names, guards: module.guards.clone() });
        let options = RaiseOptions { reports, ..module.raise.clone() };
        let raised = raise(program.source.name(), &module.words, &options);
        let (uniforms, constants) = (program.core.uniforms.clone(), program.core.constants.clone());
        return match raised.program {
            // The defaults of uniforms are those of the text.
            Ok((core, _)) => Ok((Core { uniforms, constants, ..core }, raised.source)),
            Err(found) => Err(Report::of(&raised.source, found).into()),
        };
    }
    if !program.is_shader() {
        let why = "undefined behaviour of core text is not reported";
        return Err(Error::Mismatch(why.to_owned()));
    }
    let mut values = program.core.constants.iter().map(|constant| Arc::clone(&constant.default));
    let mut fix = |_: &Types, _: &Uniform| values.next();
    let source = program.source.clone();
    match compile_reporting(&source, &mut fix) {
        (Some(core), _) => Ok((core, source)),
        (None, diagnostics) => Err(Report { source, diagnostics }.into()),
    }
}

/// Finds the least operands of a probe that hits.
struct Least {
    number: u32,
    operands: Option<Operands>,
}

impl Observer for Least {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        if evaluated.op != Op::Probe(self.number) || evaluated.result == [0] {
            return;
        }
        let operands = Operands::of(evaluated);
        if self.operands.as_ref().is_none_or(|least| is_less(&operands, least)) {
            self.operands = Some(operands);
        }
    }
}

fn number(scalar: Scalar, word: u32) -> String {
    match scalar {
        Scalar::F32 => f32::from_bits(word).to_string(),
        Scalar::I32 => (word as i32).to_string(),
        Scalar::U32 => word.to_string(),
        Scalar::Bool => (word != 0).to_string(),
    }
}
