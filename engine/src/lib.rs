//! Shaders in any language, compiled once and drawn often: everything between a file and a picture.
//!
//! | module | is |
//! |---|---|
//! | `shader`, `pipeline`, `compute`, `passes`, `bindings`, `memories`, `memory_bindings`, `memory_part`, `options`, `target`, `error`, `save` | the public API |
//! | `accepted` | an accepted program, which they share |
//! | `compilers`, `before` | compilers and errors of all pipelines; passes before a picture |
//! | `reading`, `loaded`, [`program`], `module` | files to programs, with diagnostics |
//! | `foreign` | WGSL and GLSL to SPIR-V |
//! | `expectation` | values of expressions in the scope of a program |
//! | `undefined`, `picture_report` | reports of undefined behaviour; that of a picture, of its passes, vertices and pixels |
//! | [`trace`] | single pixels with their events |
//! | `test_card` | pictures in place of images that nothing binds |
//! | `compare` | comparison of the processor with a device |
//! | `stages`, `rewritten`, `as_is` | intermediate forms as text and modules, layout of re-emitted modules, and modules executed without raising |
//! | [`settings`] | values of uniforms, as text and as numbers, and data of textures and buffers |
//! | [`engines`] | machine code, evaluators and devices behind one interface |
#![forbid(unsafe_code)]

mod accepted;
#[cfg(feature = "spirv")]
mod as_is;
mod before;
mod bindings;
#[cfg(feature = "gpu")]
#[doc(hidden)]
pub mod compare;
mod compilers;
mod compute;
mod draw_inputs;
pub mod endings;
#[doc(hidden)]
pub mod engines;
mod error;
mod expectation;
#[cfg(feature = "foreign")]
#[doc(hidden)]
pub mod foreign;
mod loaded;
mod memories;
mod memory_bindings;
mod memory_part;
#[cfg(feature = "spirv")]
mod module;
#[doc(hidden)]
pub mod mutants;
mod options;
mod passes;
mod picture_report;
mod pipeline;
#[doc(hidden)]
pub mod program;
mod reading;
#[cfg(feature = "spirv")]
mod rewritten;
mod save;
#[doc(hidden)]
pub mod settings;
mod shader;
pub mod stages;
mod target;
mod test_card;
#[doc(hidden)]
pub mod trace;
mod undefined;

/// Interfaces of entry points as data ([`Shader::interface`]): stage, inputs, outputs, and bindings by
/// set, number and name; and attributes ([`Shader::attributes`]).
pub mod interface {
    pub use lambdav_core::graph::{Attribute, AttributeRate};
    pub use lambdav_core::inputs::Input;
    pub use lambdav_core::interface::{
        Binding, Block, BlockMember, BoundResource, BoundSampler, EntryPoint, Interface,
        LocationInput, LocationSource, MemberValue, NamedValue, Placement, Stage, StageOutput,
        UnusedInput,
    };
    pub use lambdav_core::types::Type;
}

pub use bindings::{Bindings, MeshError, Slot};
pub use compute::{ComputePipeline, DispatchOptions, Ran};
#[doc(hidden)]
pub use error::error_chain;
pub use error::{Error, Report};
pub use lambdav_core::sampler::{Border, Compare, Sampler, SamplerError, Wrap};
pub use lambdav_core::texture::Filter;
pub use lambdav_image::{AnyImage, Frame, Image, Size};
pub use lambdav_mesh::Mesh;
pub use lambdav_raster::{RenderOptions, SpecialsCounter};
#[doc(hidden)]
pub use lambdav_simd_backend::activity::Activity;
#[cfg(feature = "spirv")]
pub use lambdav_spirv_eval::Resources as DeviceMemory;
#[doc(hidden)]
pub use memory_part::{MemoryPartError, MemoryStep};
pub use options::{Engine, LANES, Options, targets};
pub use passes::PassPipeline;
pub use pipeline::{CodeReport, Drawn, Pipeline};
pub use reading::{GlslOptions, LocationInput, ShaderOptions, TextLanguage};
pub use save::{metadata, save};
#[doc(hidden)]
pub use settings::Settings;
pub use settings::{BindError, DataRef, UniformError, UniformValue};
pub use shader::{LocationUse, Shader};
pub use target::{Target, TargetError};
pub use undefined::{PixelSet, Undefined, Unit};
