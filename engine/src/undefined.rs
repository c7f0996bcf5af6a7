//! Reports of undefined behaviour: the sites that a picture met ([`lambdav_core::probes`]).
//!
//! A pipeline that reports draws further attachments, which say for each pixel what sites it met. The operands come from the
//! core evaluator, which computes the first pixel again.

use crate::accepted::Accepted;
use crate::compilers::at_fault;
use crate::error::{Error, Report};
use crate::options::{Engine, Options};
use crate::settings::Settings;
use lambdav_core::evaluate::{Evaluated, Evaluator, Observer};
use lambdav_core::graph::{Core, Uniform};
use lambdav_core::op::Op;
use lambdav_core::probes::Site;
use lambdav_core::schedule::probes::{is_hit, report_outputs};
use lambdav_core::schedule::{Program, schedule_probed};
use lambdav_core::source::SourceFile;
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use lambdav_frontend::compile_reporting;
use lambdav_image::Frame;
use std::fmt::Write;
use std::sync::Arc;

/// A site that a picture met.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Undefined {
    /// Name of the file, line and column, from 1.
    pub place: (String, u32, u32),
    /// The operation, as the author names it.
    pub operation: String,
    /// The condition that held.
    pub condition: &'static str,
    /// Column and row of the first pixel in scan order.
    pub first: [u32; 2],
    /// The operands there, in λV's notation. If the pixel met the site several times, the least words.
    pub operands: Vec<String>,
    /// Number of pixels that met the site.
    pub pixels: u64,
}

impl std::fmt::Display for Undefined {
    /// The line of LANGUAGE §15.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { place: (file, line, column), operation, condition, first: [x, y], .. } = self;
        write!(f, "{file}:{line}:{column}: {operation}: {condition}; first at ({x}, {y}) with ")?;
        let pixels = if self.pixels == 1 { "pixel" } else { "pixels" };
        write!(f, "{}; {} {pixels}", self.operands.join(", "), self.pixels)
    }
}

/// A program with probes.
pub(crate) struct Reporting {
    pub(crate) core: Core,
    program: Program,
}

impl Reporting {
    /// Compiles a program again, with probes.
    ///
    /// # Errors
    ///
    /// A program or an engine without reports, and a program that nests too deeply.
    pub(crate) fn new(
        program: &Accepted,
        locations: &[u32],
        options: &Options,
    ) -> Result<Self, Error> {
        let mismatch = |why: &str| Err(Error::Mismatch(why.to_owned()));
        if !program.is_shader() {
            return mismatch("undefined behaviour is reported for programs in λV");
        }
        if program.core.triangles.is_some() || program.core.passes.is_some() {
            return mismatch(
                "undefined behaviour is reported for programs without triangles and passes",
            );
        }
        if !matches!(options.engine, Engine::Fast | Engine::Simd | Engine::Core) {
            return mismatch("undefined behaviour is reported by the engines `simd` and `core`");
        }
        let mut values =
            program.core.constants.iter().map(|constant| Arc::clone(&constant.default));
        let mut fix = |_: &Types, _: &Uniform| values.next();
        let (core, diagnostics) = compile_reporting(&program.source, &mut fix);
        let Some(core) = core else {
            return Err(Report { source: program.source.clone(), diagnostics }.into());
        };
        let scheduled = schedule_probed(&core, locations);
        let scheduled = scheduled.map_err(|diagnostic| at_fault(program, diagnostic))?;
        Ok(Self { core, program: scheduled })
    }

    /// Number of attachments that a kernel has behind those of outputs.
    pub(crate) fn attachments(&self) -> usize {
        report_outputs(self.core.sites.len())
    }

    /// The sites that a picture met, in the order of lines, and the pixels that met one, in scan order. `settings` are the
    /// picture's.
    pub(crate) fn read(
        &self,
        frames: &[Frame],
        settings: &Settings,
        source: &SourceFile,
    ) -> (Vec<Undefined>, Vec<[u32; 2]>) {
        let Some(frame) = frames.first() else { return Default::default() };
        let (width, height) = (frame.size().width(), frame.size().height());
        let mut pixels = Vec::new();
        let mut met: Vec<Option<([u32; 2], u64)>> = vec![None; self.core.sites.len()];
        for y in 0..height {
            for x in 0..width {
                let pixel = |k: usize| frames[k].pixel(x, y).expect("it is inside");
                if (0..frames.len()).all(|k| pixel(k) == [0.0; 4]) {
                    continue;
                }
                pixels.push([x, y]);
                for (number, met) in (0..).zip(&mut met) {
                    if is_hit(number, pixel) {
                        met.get_or_insert(([x, y], 0)).1 += 1;
                    }
                }
            }
        }
        let mut found: Vec<(&Site, Undefined)> = Vec::new();
        for (number, (site, met)) in (0..).zip(self.core.sites.iter().zip(met)) {
            let Some((first, count)) = met else { continue };
            let at = source.line_column(site.span.start);
            let file = source.file(site.span.start).name.clone();
            let place = (file, at.line, at.column);
            let operands = self.operands(number, first, settings);
            let (operation, condition) = (site.operation.clone(), site.condition);
            let report = Undefined { place, operation, condition, first, operands, pixels: count };
            found.push((site, report));
        }
        found.sort_by_key(|(site, _)| (site.span.start, site.span.end, site.order));
        (found.into_iter().map(|(_, report)| report).collect(), pixels)
    }

    /// The operands with which a pixel met a site; the least, if there are several.
    fn operands(&self, number: u32, [x, y]: [u32; 2], settings: &Settings) -> Vec<String> {
        let mut evaluator = Evaluator::new(&self.program, settings.max_iterations);
        let mut met = Met { number, least: None };
        let inputs = settings.at(x, y);
        // The kernel has computed this pixel without a fault.
        let _ = evaluator.run_observed(&inputs, &|| false, &mut met);
        let types = &self.program.types;
        let least = met.least.unwrap_or_default();
        least.iter().map(|(ty, words)| literal(types, *ty, words)).collect()
    }
}

/// Finds the least operands of a probe that hits.
struct Met {
    number: u32,
    least: Option<Vec<(Type, Vec<u32>)>>,
}

impl Observer for Met {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        if evaluated.op != Op::Probe(self.number) || evaluated.result == [0] {
            return;
        }
        let shown = evaluated.types.iter().zip(evaluated.operands).skip(1);
        let shown: Vec<(Type, Vec<u32>)> = shown.map(|(ty, words)| (*ty, words.to_vec())).collect();
        let words = |of: &[(Type, Vec<u32>)]| -> Vec<u32> {
            of.iter().flat_map(|(_, words)| words).copied().collect()
        };
        if self.least.as_ref().is_none_or(|least| words(&shown) < words(least)) {
            self.least = Some(shown);
        }
    }
}

/// A value in λV's notation.
fn literal(types: &Types, ty: Type, words: &[u32]) -> String {
    let mut text = String::new();
    let scalars: Vec<String> =
        types.scalars(ty).zip(words).map(|(scalar, &word)| number(scalar, word)).collect();
    match types.kind(ty) {
        TypeKind::Scalar(_) => text.push_str(&scalars[0]),
        _ => {
            // Writing to a string does not fail.
            let _ = write!(text, "({} {})", types.name(ty), scalars.join(" "));
        }
    }
    text
}

fn number(scalar: Scalar, word: u32) -> String {
    match scalar {
        Scalar::F32 => f32::from_bits(word).to_string(),
        Scalar::I32 => (word as i32).to_string(),
        Scalar::U32 => word.to_string(),
        Scalar::Bool => (word != 0).to_string(),
    }
}
