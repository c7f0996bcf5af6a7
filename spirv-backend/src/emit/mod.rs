//! From the schedule to SPIR-V: the λV report's translation, from structured SSA.
//!
//! # Guarantees
//!
//! - The module is a valid fragment shader for Vulkan (`spirv-val`) of the requested version, or a valid pair of
//!   a vertex and a fragment shader ([`emit_stages`]), or these with compute shaders ([`emit_computes`]).
//! - Control flow is structured like the schedule: an `if` is a selection with a φ at the merge block; a
//!   loop has a header with a φ for each parameter, a body, a continue block with a φ for each argument
//!   that several `rec`s pass, and a merge block with a φ of the exits' values. The only functions
//!   are the entry points, and the only variables are for dynamic indices (exact modules have others).
//! - Structures and arrays keep their types, and variants are structures. Uniforms have the layout
//!   std140, elements of buffers std430. Every index is clamped before use.
//! - Arithmetic is `NoContraction`, in the order of the schedule. Instructions whose results are the
//!   driver's choice (`OpDot`, `FMin`, `FClamp` …) do not occur. Elementary functions and rounding are
//!   those of GLSL.std.450; an exact module ([`exact`]) has its own functions for inexact operations.
//! - Every instruction has a source line; a loop's header has that of its `rec-func`. Values keep their
//!   source names for debuggers.
//! - Time and size are linear in the size of the schedule; nothing recurses on its depth.
//!
//! Blocks may nest deeper than the 1,023 levels that every implementation must accept: the evaluator
//! accepts any depth.
//!
//! Constants are declared where they are used, a φ of one value is no φ, and a vector that only fills an output is never
//! built: the yellow shader of the report is one store.

mod accesses;
mod control;
mod declarations;
mod exact;
mod integers;
mod interface;
mod lines;
mod loops;
mod memory;
mod modes;
mod operations;
mod options;
mod parts;
mod reports;
mod stages;
mod textures;
mod translator;
mod uniforms;
mod values;

use lambdav_core::interface::{Interface, Stage};
use lambdav_core::op::Op;
use lambdav_core::schedule::{Expr, Program, Statement};
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv::MAX_IDS;
use modes::Library;
use rspirv::binary::Assemble;
use rspirv::spirv::Word;
use thiserror::Error;
use translator::Translator;

pub use options::{EmitOptions, Exact, FloatControls, Instrument, Subnormals, Version};

/// An emitted module.
#[derive(Clone, Debug)]
pub struct EmittedModule {
    /// The words.
    pub words: Vec<u32>,
    /// The label of each loop's header block with the span of its `rec-func`; ascending.
    pub loops: Vec<(u32, Span)>,
}

impl EmittedModule {
    /// The `rec-func` of the loop whose header block has that label.
    pub fn loop_span(&self, header: u32) -> Option<Span> {
        let found = self.loops.binary_search_by_key(&header, |&(label, _)| label);
        found.ok().map(|index| self.loops[index].1)
    }
}

/// Limits of SPIR-V that a program exceeds.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum EmitError {
    /// Too many uniforms for one structure.
    #[error("SPIR-V takes at most {MAX_MEMBERS} uniforms, and the program has {0}")]
    TooManyUniforms(usize),
    /// Too many predecessors for a φ: an instruction has at most 65,535 words.
    #[error("a loop is left or goes on in {0} places, which is too many for SPIR-V")]
    TooManyWays(usize),
    /// A structure with too many members, or a constructed array with more elements than an instruction
    /// can list.
    #[error(
        "SPIR-V takes structures of at most {MAX_MEMBERS} members and arrays of at most {MAX_PARTS} elements, and the program has one of {0}"
    )]
    TooManyParts(usize),
    /// An operation or input of triangles without a form in SPIR-V.
    #[error("the program draws triangles, and this has no form in SPIR-V yet")]
    Triangles,
    /// The program accesses the memory of that name.
    #[error("the program accesses the memory `{0}`, which has no form in SPIR-V yet")]
    Dispatched(String),
    /// Too many ids.
    #[error("the program is too large for SPIR-V: it needs {0} ids of {MAX_IDS}")]
    TooLarge(u32),
}

/// SPIR-V's universal limit on members of a structure.
const MAX_MEMBERS: usize = 16_383;
/// OpCompositeConstruct has three words and one for each part.
const MAX_PARTS: usize = 0xffff - 3;
/// A φ has three words and two for each predecessor.
const MAX_WAYS: usize = (0xffff - 3) / 2;

/// Translates all outputs of a program. The program's spans point into `source`; without it, the module
/// has no lines.
pub fn emit(
    program: &Program,
    source: Option<&SourceFile>,
    options: &EmitOptions,
) -> Result<EmittedModule, EmitError> {
    emit_for(program, source, options, &Interface::default())
}

/// The same with names and bindings from an interface. Members of blocks have the layout std140, from
/// the first byte of their placements on. Missing bindings are assigned ([`Interface::bind_rest`]).
pub fn emit_for(
    program: &Program,
    source: Option<&SourceFile>,
    options: &EmitOptions,
    interface: &Interface,
) -> Result<EmittedModule, EmitError> {
    if has(program, |expr| matches!(expr, Expr::Stage(_))) {
        return Err(EmitError::Triangles);
    }
    emit_entry_points(&[(program, interface, None)], source, options)
}

/// A compute program, scheduled for its final states, with the interface of its entry point.
#[derive(Clone, Copy, Debug)]
pub struct ComputeEntry<'a> {
    /// The program.
    pub program: &'a Program,
    /// Name and bindings, with [`Stage::Compute`].
    pub interface: &'a Interface,
    /// The number of invocations of a workgroup, by axes.
    pub workgroup: [u32; 3],
    /// True if the program accesses no memory beyond its end, so that no access is tested. Passes make no such access.
    pub is_inside: bool,
}

/// Translates the stages of a program that draw, if it has any, and compute programs, such as its passes, of the same table
/// of types, to one module. Each compute program becomes an entry point, which accesses storage buffers of words at the
/// bindings of its memories. In an exact module an invocation's x is below 2^31 - 2^16.
pub fn emit_computes(
    stages: &[(&Program, &Interface)],
    computes: &[ComputeEntry<'_>],
    source: Option<&SourceFile>,
    options: &EmitOptions,
) -> Result<EmittedModule, EmitError> {
    let stages = stages.iter().map(|&(program, interface)| (program, interface, None));
    let computes = computes.iter().map(|of| {
        let compute = Compute { workgroup: of.workgroup, is_inside: of.is_inside };
        (of.program, of.interface, Some(compute))
    });
    emit_entry_points(&stages.chain(computes).collect::<Vec<_>>(), source, options)
}

/// Translates both stages of a program that draws triangles, of the same table of types, to one module with two
/// entry points, named by their interfaces (`triangles::EntryPoints`).
///
/// Attributes and varyings are inputs and outputs at the locations of the interfaces. Flat and linear varyings
/// are decorated `Flat` and `NoPerspective`. A varying at another pixel of the quad is read by a quad operation
/// at the beginning of the entry point, where control flow is uniform; such a module has at least version 1.3.
pub fn emit_stages(
    programs: [&Program; 2],
    source: Option<&SourceFile>,
    options: &EmitOptions,
    interfaces: &[Interface; 2],
) -> Result<EmittedModule, EmitError> {
    let [vertex, fragment] = interfaces;
    let entry_points = [(programs[0], vertex, None), (programs[1], fragment, None)];
    emit_entry_points(&entry_points, source, options)
}

/// True if a statement of a program computes such an expression.
fn has(program: &Program, is_it: impl Fn(&Expr) -> bool) -> bool {
    let mut statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.any(|of| matches!(of, Statement::Let { expr, .. } if is_it(expr)))
}

/// A compute entry point.
#[derive(Clone, Copy, Debug)]
struct Compute {
    /// The number of invocations of a workgroup, by axes.
    workgroup: [u32; 3],
    /// See [`ComputeEntry::is_inside`].
    is_inside: bool,
}

/// A program with its interface, and how it is dispatched if it is a compute program.
type Entry<'a> = (&'a Program, &'a Interface, Option<Compute>);

fn emit_entry_points(
    entry_points: &[Entry<'_>],
    source: Option<&SourceFile>,
    options: &EmitOptions,
) -> Result<EmittedModule, EmitError> {
    let programs: Vec<&Program> = entry_points.iter().map(|&(program, ..)| program).collect();
    let is_dispatched = entry_points.iter().any(|(.., compute)| compute.is_some());
    for program in &programs {
        if let Some((number, _)) = program.types.memories().next()
            && !is_dispatched
        {
            return Err(EmitError::Dispatched(program.types.resources()[number].name.to_string()));
        }
        if program.uniforms.len() > MAX_MEMBERS {
            return Err(EmitError::TooManyUniforms(program.uniforms.len()));
        }
        if has(program, |expr| matches!(expr, Expr::Op(Op::Plane, _))) {
            return Err(EmitError::Triangles);
        }
    }
    let source = source.filter(|_| !options.strip);
    let library = options.exact.map(|exact| Library::new(&programs, exact)).unwrap_or_default();
    let mut translator = Translator::new(&programs, source, options, &library);
    translator.interface.draws_triangles =
        entry_points.iter().any(|(_, of, _)| of.entry_point.stage == Stage::Vertex);
    for (program, interface, compute) in entry_points {
        translator.entry_point(program, interface, *compute);
    }
    let (mut module, loops, [ways, members, parts]) = translator.finish();
    if options.strip {
        module.debug_names.clear();
    }
    if ways > MAX_WAYS {
        return Err(EmitError::TooManyWays(ways));
    }
    if members > MAX_MEMBERS || parts > MAX_PARTS {
        return Err(EmitError::TooManyParts(members.max(parts)));
    }
    let bound: Word = module.header.as_ref().map_or(0, |header| header.bound);
    if bound > MAX_IDS {
        return Err(EmitError::TooLarge(bound));
    }
    Ok(EmittedModule { words: module.assemble(), loops })
}
