//! Profile of a program's control flow: the `if`s and loops that diverge between pixels.

use crate::case::Case;
use crate::engine::Verdict;
use crate::reference::scheduled;
use crate::walk::{Special, Walker};
use lambdav_core::float::same_words;
use lambdav_core::graph::Core;
use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Expr, Program, Statement, ValueId};
use lambdav_core::types::TypeKind;
use lambdav_generate::suite::without_modes;
use std::collections::BTreeSet;

/// Observations over all pixels of an image.
///
/// An `if` is *divergent* if two pixels take different arms the k-th time that each reaches it. A loop is
/// divergent if two pixels do different numbers of rounds then. The test at which a loop ends does not count
/// as an `if`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    /// Number of outputs.
    pub images: u32,
    /// Number of outputs that are neither constant nor all NaN.
    pub varied_images: u32,
    /// Some loop is divergent.
    pub divergent_loop: bool,
    /// A divergent loop inside a divergent `if`.
    pub divergent_loop_in_if: bool,
    /// A divergent loop inside another one.
    pub divergent_loop_in_loop: bool,
    /// A divergent `if` inside a divergent loop.
    pub divergent_if_in_loop: bool,
    /// Nesting depth of divergent `if`s.
    pub divergent_depth: u32,
    /// Nesting depth of executed loops.
    pub loop_depth: u32,
    /// An executed loop has an integer parameter.
    pub integer_in_loop: bool,
    /// An integer is computed inside a divergent `if` or loop.
    pub divergent_integer: bool,
    /// Some value is a structure, a variant, an array.
    pub aggregates: [bool; 3],
    /// An executed loop has a parameter of aggregate type.
    pub aggregate_in_loop: bool,
    /// An array is updated inside a loop.
    pub update_in_loop: bool,
    /// A decision on the case of a variant is divergent.
    pub divergent_case: bool,
    /// The text has an `@`.
    pub eager: bool,
    /// An `@` unrolls a loop or decides an `if` at compile time.
    pub partial: bool,
    /// The program was refused, since its unrolling is endless.
    pub endless_rounds: bool,
    /// The program has a `constant`.
    pub constant: bool,
    /// The schedule has a guard.
    pub guarded: bool,
    /// A pixel exceeds the iteration limit.
    pub limited: bool,
    /// The walk ran out of fuel at some pixel.
    pub out_of_fuel: bool,
    /// Engines that ran out of fuel at some pixel.
    pub gave_up: Vec<&'static str>,
    /// Operations that some pixel executed.
    pub operations: BTreeSet<Op>,
    /// Kinds of special numbers that arose.
    pub special: Special,
}

/// Walks over all pixels of all outputs.
///
/// # Errors
///
/// A value of the walk that differs from the expected one.
pub(crate) fn profile(case: &Case, expected: &[Vec<Verdict>]) -> Result<Profile, String> {
    let program = scheduled(&case.core, &case.locations())?;
    let mut walker = Walker::new(&program);
    let mut profile = Profile {
        eager: case.source.text().contains("(@ "),
        partial: is_partial(case),
        constant: !case.core.constants.is_empty(),
        guarded: !program.guards.is_empty(),
        limited: expected.iter().flatten().any(|v| matches!(v, Verdict::LoopLimit(_))),
        ..Profile::default()
    };
    for (pixel, inputs) in case.pixels().enumerate() {
        let Some(outputs) = walker.pixel(&inputs) else {
            profile.out_of_fuel = true;
            break;
        };
        for (found, expected) in outputs.iter().zip(expected) {
            match &expected[pixel] {
                Verdict::Value(words) if !same_words(words, found) => {
                    return Err(format!("pixel {pixel}: {found:x?}, not {words:x?}"));
                }
                _ => {}
            }
        }
    }
    for pixels in expected {
        profile.images += 1;
        profile.varied_images += u32::from(is_varied(pixels));
    }
    shape(&program, &walker, &mut profile);
    profile.operations = walker.operations;
    profile.special = walker.special;
    Ok(profile)
}

/// True if the schedule has another number of blocks than without `@`.
fn is_partial(case: &Case) -> bool {
    let blocks = |core: &Core| Some(scheduled(core, &case.locations()).ok()?.blocks.len());
    without_modes(&case.source).is_some_and(|source| {
        let usual = lambdav_frontend::compile(&source).0;
        usual.is_some_and(|usual| blocks(&usual) != blocks(&case.core))
    })
}

/// True if two pixels have different values, neither of them all NaN.
fn is_varied(pixels: &[Verdict]) -> bool {
    let values = || {
        pixels.iter().filter_map(|verdict| match verdict {
            Verdict::Value(words) => Some(words),
            Verdict::LoopLimit(_) | Verdict::OutOfFuel => None,
        })
    };
    let is_nan = |words: &[u32]| words.iter().all(|&word| f32::from_bits(word).is_nan());
    let Some(first) = values().find(|words| !is_nan(words)) else { return false };
    values().any(|words| !is_nan(words) && !same_words(words, first))
}

/// Numbers of divergent `if`s, divergent loops and loops around a block.
#[derive(Clone, Copy, Default)]
struct Around {
    divergent_ifs: u32,
    divergent_loops: u32,
    loops: u32,
}

fn shape(program: &Program, walker: &Walker<'_>, profile: &mut Profile) {
    let mut stack = vec![(Program::ROOT, Around::default())];
    // Tags of variants, and conditions computed from a tag.
    let mut tags: BTreeSet<ValueId> = BTreeSet::new();
    while let Some((id, around)) = stack.pop() {
        let block = program.block(id);
        let inside_if = |diverges: bool, profile: &mut Profile| {
            let ifs = around.divergent_ifs + u32::from(diverges);
            profile.divergent_depth = profile.divergent_depth.max(ifs);
            profile.divergent_if_in_loop |= diverges && around.divergent_loops > 0;
            Around { divergent_ifs: ifs, ..around }
        };
        for statement in &block.statements {
            match *statement {
                Statement::Let { value, ref expr } => {
                    let kind = program.types.kind(program.ty(value));
                    profile.aggregates[0] |= matches!(kind, TypeKind::Structure(_));
                    profile.aggregates[1] |= matches!(kind, TypeKind::Variant(_));
                    profile.aggregates[2] |= matches!(kind, TypeKind::Array(..));
                    if let Expr::Op(op, operands) = expr {
                        profile.update_in_loop |= *op == Op::Update
                            && around.loops > 0
                            && matches!(kind, TypeKind::Array(..));
                        if *op == Op::Tag || operands.iter().any(|operand| tags.contains(operand)) {
                            tags.insert(value);
                        }
                    }
                    let diverges = around.divergent_ifs + around.divergent_loops > 0;
                    profile.divergent_integer |= diverges && program.ty(value).is_integer();
                }
                Statement::If { value, condition, then, otherwise } => {
                    let varies = walker.values[value.index()].varies;
                    profile.divergent_case |= varies && tags.contains(&condition);
                    let arm = inside_if(varies, profile);
                    stack.extend([(then, arm), (otherwise, arm)]);
                }
                Statement::Loop { value, body, ref params, .. } => {
                    let trace = &walker.values[value.index()];
                    profile.integer_in_loop |= trace.was_reached()
                        && params.iter().any(|&param| program.ty(param).is_integer());
                    let is_aggregate = |&param: &ValueId| program.ty(param).builtin().is_none();
                    profile.aggregate_in_loop |=
                        trace.was_reached() && params.iter().any(is_aggregate);
                    profile.divergent_loop |= trace.varies;
                    profile.divergent_loop_in_if |= trace.varies && around.divergent_ifs > 0;
                    profile.divergent_loop_in_loop |= trace.varies && around.divergent_loops > 0;
                    let loops = around.loops + u32::from(trace.was_reached());
                    profile.loop_depth = profile.loop_depth.max(loops);
                    let divergent_loops = around.divergent_loops + u32::from(trace.varies);
                    stack.push((body, Around { loops, divergent_loops, ..around }));
                }
            }
        }
        if let End::If { condition, then, otherwise } = block.end {
            profile.divergent_case |= walker.ends[id.index()].varies && tags.contains(&condition);
            let is_test = !goes_on(program, then) || !goes_on(program, otherwise);
            let arm = inside_if(walker.ends[id.index()].varies && !is_test, profile);
            stack.extend([(then, arm), (otherwise, arm)]);
        }
    }
}

/// True if the tail that begins at this block has a `rec`.
fn goes_on(program: &Program, id: BlockId) -> bool {
    program.tail(id).into_iter().any(|id| matches!(program.block(id).end, End::Rec(_)))
}
