//! A program with probes, compiled again, and the lines of a report.

use super::Undefined;
use super::unit::Unit;
use crate::accepted::Accepted;
use crate::error::{Error, Report};
use lambdav_core::graph::{Core, Uniform};
use lambdav_core::probes::{MetSites, Operands, Site};
use lambdav_core::source::SourceFile;
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use lambdav_frontend::compile_reporting;
#[cfg(feature = "spirv")]
use lambdav_spirv::SiteNote;
#[cfg(feature = "spirv")]
use lambdav_spirv_frontend::{OperationNames, RaiseOptions, Reports, raise};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

/// The sites that were met: for each the first unit, its operands, and the number of units.
pub(crate) type Met = BTreeMap<u32, (Unit, Operands, u64)>;

/// A program with probes.
pub(crate) struct Reporting {
    pub(crate) core: Core,
    /// Text that the sites point into.
    source: SourceFile,
    /// True for values in λV's notation.
    is_shader: bool,
}

impl Reporting {
    /// Compiles a program again, with probes.
    ///
    /// # Errors
    ///
    /// A program without reports, and a program that nests too deeply.
    pub(crate) fn new(program: &Accepted) -> Result<Self, Error> {
        let (core, source) = with_probes(program)?;
        Ok(Self { core, source, is_shader: program.is_shader() })
    }

    /// The lines of a report: the sites of no unit, which are the compiler's and `of_no_unit`; then those that the units of
    /// stages met, in the order of the stages.
    pub(crate) fn lines(
        &self,
        of_no_unit: MetSites,
        stages: impl IntoIterator<Item = Met>,
    ) -> Vec<Undefined> {
        let mut alone = self.core.met.clone();
        of_no_unit.0.into_iter().for_each(|(site, operands)| alone.add(site, operands));
        let alone = alone.0.into_iter().map(|(site, operands)| (site, (None, operands, 0)));
        let mut all: BTreeMap<u32, (Option<Unit>, Operands, u64)> = BTreeMap::new();
        let mut nouns: BTreeMap<u32, [&'static str; 2]> = BTreeMap::new();
        for (number, (first, operands, count)) in stages.into_iter().flatten() {
            let own = first.nouns();
            let noun = nouns.entry(number).or_insert(own);
            if *noun != own {
                *noun = ["unit", "units"];
            }
            all.entry(number).or_insert((Some(first), operands, 0)).2 += count;
        }
        let mut found: Vec<(&Site, Undefined)> = Vec::new();
        for (number, (first, operands, units)) in alone.chain(all) {
            let site = &self.core.sites[number as usize];
            let literal = |(ty, words): &(Type, Box<[u32]>)| self.literal(*ty, words);
            let report = Undefined {
                place: self.place(site),
                operation: site.operation.clone(),
                condition: site.condition,
                is_defined: site.is_defined,
                operands: operands.0.iter().map(literal).collect(),
                units,
                nouns: first.as_ref().map_or(["unit", "units"], |_| nouns[&number]),
                first,
            };
            found.push((site, report));
        }
        let place = |site: &Site| (site.span.start, site.span.end, site.order);
        found.sort_by_key(|(site, of)| (of.first.is_some(), place(site)));
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

    /// A value in the notation of the program's language.
    fn literal(&self, ty: Type, words: &[u32]) -> String {
        let types = self.core.graph.types();
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

fn number(scalar: Scalar, word: u32) -> String {
    match scalar {
        Scalar::F32 => f32::from_bits(word).to_string(),
        Scalar::I32 => (word as i32).to_string(),
        Scalar::U32 => word.to_string(),
        Scalar::Bool => (word != 0).to_string(),
    }
}
