//! Lowers the schedule to the lane program: splits values into components, and replaces divergent control
//! flow by masks.
//!
//! - [`state`]: the program under construction, the tasks and the builder methods;
//! - [`tasks`]: the task loop, in place of recursion;
//! - [`arms`]: the arms of `if`s;
//! - [`operations`]: operations by component; [`parts`]: structures, variants and arrays;
//! - [`textures`]: the addresses of texels; [`memory`]: memories and invocations;
//! - [`lineage`]: the lanes in which arrays differ;
//! - [`loops`]: uniform and divergent loops; [`exits`]: the exits of divergent loops;
//! - [`cost`]: the arms for which a test if any lane is active pays.

mod arms;
mod cost;
mod division;
mod exits;
mod integers;
mod lineage;
mod loops;
mod memory;
mod operations;
mod parts;
mod state;
mod tasks;
mod textures;

use rustc_hash::{FxHashMap, FxHashSet};

use lambdav_core::graph::Uniform;
use lambdav_core::schedule::{self, Expr, Statement};
use lambdav_core::types::Scalar;

use self::lineage::Lineage;
use self::state::{Lowering, UniformWords, Work};
use super::arrays::choices;
use super::rates::{Of, Rates};
use super::{
    Descriptors, InputWord, InputWords, Items, Kind, LaneBlock, LaneEnd, LaneExpr, LaneOp,
    LaneProgram, Options, Rate, Resource, ValueId, dead_code, frame, quads, sink, value_numbering,
};
use lambdav_core::schedule::Places;

/// Lowers all outputs of a scheduled program to one lane program. Each output is an attachment, padded to
/// four components from (0, 0, 0, 1). Integers are stored by their bits. Of invocations, the components of all outputs follow
/// one another; final states of memories have none.
///
/// # Panics
///
/// If a program of pixels has no output or accesses a memory, if the program has a barrier, or if a uniform in `of_primitive` is not a number or a vector without truth
/// values, or items are rows and there is such a uniform, or those of invocations are not the saved words.
pub fn lower(program: &schedule::Program, options: &Options<'_>) -> LaneProgram {
    let &Options { width, items, hoist, extents, of_primitive } = options;
    assert!(items != Items::Rows || of_primitive.is_empty(), "rows have no primitives");
    let is_of_invocations = matches!(items, Items::Invocations { .. });
    let single = [super::Axis::X, super::Axis::Y].map(InputWord::Resolution);
    let single = single.into_iter().chain([InputWord::Time, InputWord::Frame]);
    let mut inputs: InputWords = single.chain((0..4).map(InputWord::Mouse)).collect();
    let mut resources = Resource::all(&program.types, extents);
    for (number, resource) in (0..).zip(&mut resources) {
        inputs.add_descriptor(number, resource);
    }
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    let is_read = statements.filter_map(|statement| match statement {
        Statement::Let { expr: Expr::Uniform(index), .. } => Some(*index),
        _ => None,
    });
    let is_read: FxHashSet<u32> = is_read.collect();
    let mut own_words = 0;
    let mut first_of_primitive = FxHashMap::default();
    for &index in of_primitive {
        let ty = program.uniforms[index as usize].ty;
        let is_word = ty.scalar().is_some_and(|scalar| scalar != Scalar::Bool);
        assert!(is_word, "a primitive has numbers and vectors");
        first_of_primitive.insert(index, own_words);
        own_words += program.types.components(ty) as u32;
    }
    // The numbers of workgroups are the words of a dispatch.
    let primitive_words = if is_of_invocations { 3 } else { own_words };
    assert!(!is_of_invocations || items.saved() == own_words, "all saved words are uniforms");
    // A uniform that is not read needs no word.
    let words = |(index, uniform): (u32, &Uniform)| match first_of_primitive.get(&index) {
        Some(&first) if is_of_invocations => UniformWords::Saved(first),
        Some(&first) => UniformWords::Primitive(first),
        None if is_read.contains(&index) => {
            UniformWords::Inputs(inputs.add_uniform(index, program.types.components(uniform.ty)))
        }
        None => UniformWords::Inputs(0),
    };
    let uniforms = (0..).zip(&program.uniforms).map(words).collect();
    let out = LaneProgram {
        width,
        items,
        values: Vec::new(),
        blocks: vec![LaneBlock { statements: Vec::new(), end: LaneEnd::Yield(Box::default()) }],
        frame_len: 0,
        primitive_len: 0,
        primitive_words,
        inputs,
        resources: Descriptors(resources),
        sites: Vec::new(),
        loop_nesting: 0,
    };
    let places = Places::new(program, crate::cost::TABLE);
    let choices = choices(program);
    let of = Of { width, items, primitive: of_primitive };
    let arrays = frame::arrays(program, &places, of, hoist, &choices);
    let rates = Rates::new(program, &places, &arrays, of);
    let mut lowering = Lowering {
        program,
        // Lookups need a part for the frame, and an index.
        of_frame: match hoist && !choices.is_empty() {
            true => frame::of_frame(program, &rates),
            false => Vec::new(),
        },
        rates,
        costs: cost::costs(program, &places, &arrays),
        lineage: Lineage::new(!arrays.is_empty()),
        arrays,
        places,
        place_of: FxHashMap::default(),
        tables: FxHashMap::default(),
        uniforms,
        map: vec![Box::default(); program.values.len()],
        out,
        current: Vec::new(),
        logic: FxHashMap::default(),
        constants: FxHashMap::default(),
        of_root: FxHashMap::default(),
        inner: FxHashMap::default(),
        divisors: FxHashMap::default(),
        undefined: FxHashSet::default(),
        run: ValueId(0),
        params: Vec::new(),
        work: Work::default(),
        pairs: Vec::new(),
    };
    let run = lowering.define(Kind::Mask, Rate::VARYING, LaneExpr::ExecutionMask);
    lowering.run = run;
    let outputs = lowering.root();
    assert!(is_of_invocations || !outputs.is_empty(), "a program has an output");
    let is_pixel = |&&output: &&schedule::ValueId| !program.types.holds_state(program.ty(output));
    let mut pixels = Vec::with_capacity(4 * outputs.len());
    for &output in outputs.iter().filter(is_pixel) {
        let components = lowering.components(output).to_vec();
        let filled = [0.0_f32, 0.0, 0.0, 1.0].into_iter().skip(components.len());
        for component in components {
            // Integers are stored by their bits.
            pixels.push(match lowering.out.kind(component) {
                Kind::I32 => lowering.op(LaneOp::Bits, &[component]),
                _ => component,
            });
        }
        // The outputs of a phase follow one another.
        for fill in filled.take(if is_of_invocations { 0 } else { 4 }) {
            pixels.push(lowering.constant(Kind::F32, fill.to_bits().into()));
        }
    }
    while !pixels.len().is_multiple_of(4) {
        pixels.push(lowering.constant(Kind::F32, 0));
    }
    let root = LaneBlock { statements: lowering.current, end: LaneEnd::Yield(pixels.into()) };
    lowering.out.blocks[LaneProgram::ROOT.index()] = root;
    let mut out = lowering.out;
    quads::share(&mut out, &lowering.pairs);
    value_numbering::number_values(&mut out);
    dead_code::eliminate(&mut out);
    if super::narrow::narrow(&mut out) {
        dead_code::eliminate(&mut out);
    }
    if hoist {
        dead_code::hoist(&mut out);
    }
    sink::sink(&mut out);
    if let Items::Invocations { inputs, .. } = &mut out.items {
        *inputs = memory::inputs(&out.blocks);
    }
    out.loop_nesting = dead_code::loop_nesting(&out);
    debug_assert_eq!(super::verify(&out), Ok(()), "{out}");
    out
}
