//! Plain data of the check: what it is given and returns, functions, blocks, the interface.

use super::values::{Layout, Memory, Operand, Place, Rules, Value};
use crate::token::{Name, Names};
use crate::types::Type;
use crate::version::Version;
use lambdav_core::flat::FlatType;
use lambdav_core::source::{SourceFile, Span};
use lambdav_spirv::Guard;
use lambdav_spirv::build::FunctionBuilder;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The stage of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// `.vert`.
    Vertex,
    /// `.frag`.
    Fragment,
    /// `.comp`.
    Compute,
}

/// What the check needs to know.
#[derive(Clone, Copy)]
pub(crate) struct Setting<'a> {
    pub(crate) source: &'a SourceFile,
    pub(crate) names: &'a Names,
    pub(crate) version: Version,
    /// [`Preprocessed::int_to_uint`](crate::preprocess::Preprocessed::int_to_uint).
    pub(crate) int_to_uint: bool,
    pub(crate) stage: Stage,
    /// True if an expression takes the place of `main`.
    pub(crate) is_expression: bool,
    pub(crate) most: usize,
}

/// A default of a loose uniform.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformDefault {
    /// The name of the uniform.
    pub name: String,
    /// Its components, 32 bits each.
    pub words: Vec<u32>,
}

/// The result of the check.
#[derive(Debug, Default)]
pub(crate) struct Checked {
    pub(crate) words: Vec<u32>,
    pub(crate) defaults: Vec<UniformDefault>,
    pub(crate) guards: Vec<Guard>,
    /// The type of the expression in place of `main`.
    pub(crate) expression: Option<FlatType>,
    /// Names of textures that are read with three coordinates, and have two.
    pub(crate) deeper: Vec<String>,
}

/// The direction in which a parameter passes a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Passing {
    In,
    Out,
    InOut,
}

#[derive(Clone, Debug)]
pub(super) struct Parameter {
    pub(super) ty: Type,
    pub(super) passing: Passing,
    /// The qualifiers of an image.
    pub(super) memory: Memory,
}

/// A function of the text.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) id: u32,
    pub(super) result: Type,
    pub(super) parameters: Vec<Parameter>,
    pub(super) at: Span,
    /// Its code, once it is defined.
    pub(super) code: Option<Rc<FunctionBuilder>>,
    pub(super) calls: Vec<usize>,
}

/// The function of an expression.
pub(super) struct Expectation {
    pub(super) id: u32,
    pub(super) builder: FunctionBuilder,
    /// Numbers of the functions that it calls.
    pub(super) calls: Vec<usize>,
    pub(super) ty: FlatType,
    /// The outputs.
    pub(super) outputs: Vec<u32>,
}

/// A block whose members are variables of their own.
#[derive(Clone, Debug)]
pub(super) struct Block {
    pub(super) name: String,
    pub(super) members: Vec<(Name, Place)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Direction {
    In,
    Out,
}

/// A resource, and what the text says of its binding.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bound {
    pub(super) id: u32,
    pub(super) set: Option<u32>,
    pub(super) binding: Option<u32>,
}

/// An input or output at a location.
#[derive(Clone, Copy, Debug)]
pub(super) struct Located {
    pub(super) id: u32,
    pub(super) direction: Direction,
    pub(super) location: Option<u32>,
    /// The number of locations that it takes.
    pub(super) count: u32,
    /// The components that it takes of each, a bit each.
    pub(super) components: u8,
    /// Which colour of an output it is.
    pub(super) index: u32,
    pub(super) at: Span,
}

/// A uniform outside of blocks.
#[derive(Clone, Debug)]
pub(super) struct Loose {
    pub(super) name: String,
    pub(super) ty: Type,
    pub(super) default: Option<Vec<u32>>,
}

/// A part of a variable that is an input or output of its own.
#[derive(Clone, Debug)]
pub(super) struct Copy {
    pub(super) part: Place,
    pub(super) outside: Place,
    pub(super) direction: Direction,
}

#[derive(Debug)]
pub(super) struct Interface {
    pub(super) resources: Vec<Bound>,
    pub(super) located: Vec<Located>,
    /// All variables of the entry point's interface.
    pub(super) variables: Vec<u32>,
    pub(super) copies: Vec<Copy>,
    /// Names of layouts without a variable, such as `early_fragment_tests`.
    pub(super) modes: Vec<String>,
    pub(super) local_size: [u32; 3],
    /// Its specialisation constants, by axes.
    pub(super) local_size_ids: [Option<u32>; 3],
    /// The vector of its specialisation constants, once it is declared.
    pub(super) specialised_size: Option<u32>,
    pub(super) uniform_layout: Layout,
    pub(super) buffer_layout: Layout,
    pub(super) built_ins: FxHashMap<Name, Operand>,
    /// `gl_FragData` with the number of its elements that are used.
    pub(super) frag_data: Option<(Place, u32)>,
    pub(super) writes_depth: bool,
    /// The form of a fragment shader's outputs, and the first of them.
    pub(super) outputs: Option<(&'static str, Span)>,
    /// True if an error has said that the forms are mixed.
    pub(super) has_mixed_outputs: bool,
}

impl Default for Interface {
    fn default() -> Self {
        Self {
            resources: Vec::new(),
            located: Vec::new(),
            variables: Vec::new(),
            copies: Vec::new(),
            modes: Vec::new(),
            local_size: [1; 3],
            local_size_ids: [None; 3],
            specialised_size: None,
            uniform_layout: Layout { rules: Rules::Std140, row_major: false },
            buffer_layout: Layout { rules: Rules::Std430, row_major: false },
            built_ins: FxHashMap::default(),
            outputs: None,
            has_mixed_outputs: false,
            frag_data: None,
            writes_depth: false,
        }
    }
}

/// An argument as its parameter takes it.
#[derive(Debug)]
pub(super) enum Argument {
    Value(Value),
    Place(Place, Span),
}
