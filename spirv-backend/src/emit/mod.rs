//! From the schedule to SPIR-V: the λV report's translation, from structured SSA.
//!
//! # What is guaranteed
//!
//! - The module is a valid fragment shader for Vulkan (`spirv-val`), of the version asked for.
//! - Control flow is structured and says what the schedule says: `if`s are selections with a φ at
//!   the merge block; loops have a header with a φ for each parameter, a body, a continue block
//!   with a φ for each argument that several `rec`s pass, and a merge block with a φ of the values
//!   of the exits. No functions but `main`, and no variables but those that an index chooses from
//!   (exact modules have others).
//! - Structures and arrays are such types, variants structures; uniforms lie by std140, elements of buffers
//!   by std430. An index is
//!   clamped before it leads anywhere.
//! - Arithmetic is `NoContraction`, in the order of the schedule; what drivers may compute in
//!   their own ways (`OpDot`, `FMin`, `FClamp` …) does not occur. The elementary functions and
//!   rounding are those of GLSL.std.450; in exact modules ([`exact`]) what devices compute in their own
//!   ways is a function of the module.
//! - Every instruction has a line of the source; the line of a loop's header is that of its
//!   `rec-func`. What the source calls a value, debuggers do too.
//! - Time and size are linear in the size of the schedule; nothing recurses on its depth.
//!
//! Blocks may nest deeper than the 1,023 levels that every implementation must take: the evaluator
//! takes any depth.

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
mod textures;
mod translator;
mod uniforms;
mod values;

use lambdav_core::interface::Interface;
use lambdav_core::schedule::Program;
use lambdav_core::source::{SourceFile, Span};
use modes::Library;
use rspirv::binary::Assemble;
use rspirv::spirv::Word;
use thiserror::Error;
use translator::Translator;

pub use options::{EmitOptions, Exact, FloatControls, Subnormals, Version};

/// An emitted module.
#[derive(Clone, Debug)]
pub struct EmittedModule {
    /// The words.
    pub words: Vec<u32>,
    /// The label of each loop's header block, and the loop's `rec-func`; ascending.
    pub loops: Vec<(u32, Span)>,
}

impl EmittedModule {
    /// The `rec-func` of the loop whose header block has that label.
    pub fn loop_span(&self, header: u32) -> Option<Span> {
        let found = self.loops.binary_search_by_key(&header, |&(label, _)| label);
        found.ok().map(|index| self.loops[index].1)
    }
}

/// Why a program cannot be said in SPIR-V.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum EmitError {
    /// A structure has at most so many members.
    #[error("SPIR-V takes at most {MAX_MEMBERS} uniforms, and the program has {0}")]
    TooManyUniforms(usize),
    /// An instruction has at most 65,535 words.
    #[error("a loop is left or goes on in {0} places, which is too many for SPIR-V")]
    TooManyWays(usize),
    /// So have those of the program, and arrays that are put together as many elements as an
    /// instruction lists.
    #[error(
        "SPIR-V takes structures of at most {MAX_MEMBERS} members and arrays of at most {MAX_PARTS} elements, and the program has one of {0}"
    )]
    TooManyParts(usize),
    /// Ids are at most so many.
    #[error("the program is too large for SPIR-V: it needs {0} ids of {MAX_IDS}")]
    TooLarge(u32),
}

/// The universal limit on members of a structure.
const MAX_MEMBERS: usize = 16_383;
/// The universal limit on ids.
const MAX_IDS: u32 = 0x3f_ffff;
/// What puts a value together has three words and one for each part.
const MAX_PARTS: usize = 0xffff - 3;
/// A φ has three words and two for each way.
const MAX_WAYS: usize = (0xffff - 3) / 2;

/// Translates all outputs of a program. `source` is the text that the program's spans point into;
/// without it the module has no lines.
pub fn emit(
    program: &Program,
    source: Option<&SourceFile>,
    options: &EmitOptions,
) -> Result<EmittedModule, EmitError> {
    emit_for(program, source, options, &Interface::default())
}

/// The same with names and bindings by an interface. Members of blocks lie by std140 from the first bytes of their
/// placements on. What has no binding gets one ([`Interface::bind_rest`]).
pub fn emit_for(
    program: &Program,
    source: Option<&SourceFile>,
    options: &EmitOptions,
    interface: &Interface,
) -> Result<EmittedModule, EmitError> {
    if program.uniforms.len() > MAX_MEMBERS {
        return Err(EmitError::TooManyUniforms(program.uniforms.len()));
    }
    let source = source.filter(|_| !options.strip);
    let library = options.exact.map(|exact| Library::new(program, exact)).unwrap_or_default();
    let mut translator = Translator::new(program, source, options, &library);
    let uniforms = &program.uniforms[..translator.block_members()];
    translator.interface.bind_all(interface, uniforms, &program.types);
    let (mut module, loops, [ways, members, parts]) = translator.translate();
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
