//! All stages, from text to core.

use crate::elaborate::Fix;
use crate::{elaborate, resolve, syntax};
use lambdav_core::diagnostics::{Diagnostic, Diagnostics};
use lambdav_core::flat::FlatType;
use lambdav_core::graph::Core;
use lambdav_core::limits;
use lambdav_core::source::SourceFile;
use lambdav_float_environment::with_default;
use std::time::{Duration, Instant};

/// The durations of a compilation's stages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Times {
    /// From text to the syntax tree.
    pub parse: Duration,
    /// From the tree to code.
    pub resolve: Duration,
    /// From code to the core.
    pub elaborate: Duration,
}

/// Compiles a program. Returns its core, unless there is an error, and the diagnostics.
pub fn compile(source: &SourceFile) -> (Option<Core>, Diagnostics) {
    let (core, diagnostics, _) = compile_within(source, limits::ERRORS);
    (core, diagnostics)
}

/// Like [`compile`], with at most `most` errors and `most` warnings; also returns the durations.
pub fn compile_within(source: &SourceFile, most: usize) -> (Option<Core>, Diagnostics, Times) {
    compile_fixed(source, most, &mut |_, _| None)
}

/// Like [`compile_within`], with values for the program's constants.
pub fn compile_fixed(
    source: &SourceFile,
    most: usize,
    fix: &mut Fix<'_>,
) -> (Option<Core>, Diagnostics, Times) {
    let (core, diagnostics, times, _) =
        with_default(|| stages(source, most, fix, &[], Variant::Usual));
    (core, diagnostics, times)
}

/// Like [`compile_fixed`], with probes for undefined behaviour ([`lambdav_core::probes`]).
pub fn compile_reporting(source: &SourceFile, fix: &mut Fix<'_>) -> (Option<Core>, Diagnostics) {
    let (core, diagnostics, ..) =
        with_default(|| stages(source, limits::ERRORS, fix, &[], Variant::Reporting));
    (core, diagnostics)
}

/// A program that computes the words of an expression's value, which [`lambdav_core::flat`] defines.
#[derive(Debug)]
pub struct Expressed {
    /// The program, unless there is an error.
    pub core: Option<Core>,
    /// The type of the value, unless there is an error.
    pub ty: Option<FlatType>,
    /// The diagnostics; lints of the program are left out.
    pub diagnostics: Diagnostics,
}

/// Compiles the expression that is the text of a file of `source`, by its index. No other file includes it. It sees all
/// definitions of the program, and takes the place of its outputs and stages; the program need not have any.
pub fn compile_expression(
    source: &SourceFile,
    file: usize,
    most: usize,
    fix: &mut Fix<'_>,
) -> Expressed {
    with_default(|| {
        let (tree, roots, mut diagnostics) = syntax::parse_beside(source, Some(file), most);
        let mut arena = resolve::CodeArena::default();
        let is_read = !diagnostics.has_errors();
        let expression = Some((&*roots, source.files()[file].span));
        let (items, found) = resolve::resolve(&mut arena, &tree, source, is_read, expression, most);
        diagnostics.append(found);
        let sound = !diagnostics.has_errors();
        let elaborated = elaborate::elaborate(arena, &items, sound, most, fix, &[], false);
        diagnostics.append(elaborated.diagnostics);
        diagnostics.drop_lints();
        let whole = !diagnostics.has_errors();
        let core = whole.then_some(elaborated.core);
        Expressed { core, ty: elaborated.expression.filter(|_| whole), diagnostics }
    })
}

/// A program that keeps constants as uniforms.
#[derive(Debug)]
pub struct Kept {
    /// The program, unless there is an error.
    pub core: Option<Core>,
    /// The diagnostics.
    pub diagnostics: Diagnostics,
    /// The number of constants among its uniforms, where they are last. They are the scalar constants that
    /// decided nothing under an `@` and that no default reads.
    pub constants: usize,
}

/// Compiles a program with values for its constants. Keeps constants as uniforms where that does not change
/// the compiled program.
pub fn compile_keeping(source: &SourceFile, most: usize, fix: &mut Fix<'_>) -> Kept {
    with_default(|| kept(source, most, fix, Variant::Usual))
}

/// Compiles a program whose textures are sampled by the device's own samplers: for SPIR-V only. Keeps
/// constants as uniforms if `keeps`.
pub fn compile_for_samplers(
    source: &SourceFile,
    most: usize,
    fix: &mut Fix<'_>,
    keeps: bool,
) -> Kept {
    with_default(|| {
        if keeps {
            return kept(source, most, fix, Variant::NativeSamples);
        }
        let (core, diagnostics, ..) = stages(source, most, fix, &[], Variant::NativeSamples);
        Kept { core, diagnostics, constants: 0 }
    })
}

/// A variant of a compilation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variant {
    Usual,
    /// Textures are sampled by the device's sampler, not by the expansion in the table of builtins.
    NativeSamples,
    /// Undefined behaviour is reported.
    Reporting,
}

fn kept(source: &SourceFile, most: usize, fix: &mut Fix<'_>, variant: Variant) -> Kept {
    let (core, diagnostics, _, free) = stages(source, most, fix, &[], variant);
    if core.is_none() || free.is_empty() {
        return Kept { core, diagnostics, constants: 0 };
    }
    let (core, _, _, _) = stages(source, most, fix, &free, variant);
    Kept { core, diagnostics, constants: free.len() }
}

fn stages(
    source: &SourceFile,
    most: usize,
    fix: &mut Fix<'_>,
    kept: &[u32],
    variant: Variant,
) -> (Option<Core>, Diagnostics, Times, Vec<u32>) {
    let mut times = Times::default();
    let mut last = Instant::now();
    let mut took = |time: &mut Duration| {
        let now = Instant::now();
        *time = now - std::mem::replace(&mut last, now);
    };
    let (tree, mut diagnostics) = syntax::parse_within(source, most);
    took(&mut times.parse);
    let mut arena = resolve::CodeArena::default();
    let is_read = !diagnostics.has_errors();
    let (mut items, found) = resolve::resolve(&mut arena, &tree, source, is_read, None, most);
    took(&mut times.resolve);
    diagnostics.append(found);
    let sound = !diagnostics.has_errors();
    if !sound && let Some(finding) = syntax::foreign(source) {
        return (None, vec![finding].into(), times, Vec::new());
    }
    if !sound
        && let Some((without, finding)) = syntax::foreign_comments(source)
        && diagnostics.iter().any(|found| finding.primary.span.start == found.primary.span.start)
    {
        // Other findings would come from the text of these comments.
        let (_, others, ..) = stages(&without, most, fix, kept, variant);
        let mut all = Diagnostics::new(most);
        all.push(finding);
        others.into_iter().filter(Diagnostic::is_error).for_each(|other| all.push(other));
        return (None, all, times, Vec::new());
    }
    if variant == Variant::NativeSamples {
        diagnostics.append(items.sample_natively(most));
    }
    let reports = variant == Variant::Reporting;
    let elaborated = elaborate::elaborate(arena, &items, sound, most, fix, kept, reports);
    took(&mut times.elaborate);
    let core = elaborated.core;
    diagnostics.append(elaborated.diagnostics);
    let whole = !diagnostics.has_errors();
    if !whole {
        // Lints are reported only for a correct program.
        diagnostics.drop_lints();
    }
    debug_assert!(!whole || core.outputs.len() == items.outputs.len(), "an output is lost");
    (whole.then_some(core), diagnostics, times, elaborated.free)
}
