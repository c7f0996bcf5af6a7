//! AmberScript, the language in which the Vulkan conformance suite and GraphicsFuzz write shader tests;
//! only the subset for full-screen pictures and for compute shaders on buffers.
//!
//! A script declares shaders, buffers and pipelines, runs pipelines, and states expectations of the
//! pictures. [`Script::read`] returns its commands in order, with all names resolved and all data as
//! bytes.
//!
//! # Supported commands
//!
//! - `SHADER vertex NAME PASSTHROUGH`; `SHADER fragment NAME` and `SHADER compute NAME` in SPIRV-ASM or GLSL,
//!   `[TARGET_ENV ENV]`;
//! - `BUFFER NAME DATA_TYPE TYPE [STD140|STD430]` with `DATA … END` or `SIZE N` and `FILL X`, `SERIES_FROM X
//!   INC_BY Y` or `FILE TEXT PATH`, of floats and integers of 32 bits, vectors and matrices of them; `BUFFER NAME FORMAT` of four bytes a pixel;
//! - `IMAGE NAME DATA_TYPE TYPE DIM_1D|DIM_2D|DIM_3D WIDTH W [HEIGHT H [DEPTH D]]` with `DATA … END`, `FILL X` or `SERIES_FROM X
//!   INC_BY Y`; `SAMPLER` with all its options; `BIND BUFFER … AS` sampled_image, combined_image_sampler, of an image or
//!   of a picture that is drawn before, and `BIND SAMPLER`;
//! - `PIPELINE graphics` with `ATTACH`, `FRAMEBUFFER_SIZE`, and `BIND BUFFER … AS` color, uniform, storage,
//!   push_constant;
//! - `PIPELINE compute` with `ATTACH NAME [ENTRY_POINT NAME] [SPECIALIZE ID AS TYPE X]…`, and `BIND BUFFER … AS` uniform, storage, push_constant;
//! - `CLEAR_COLOR`, `CLEAR`, `RUN … DRAW_RECT` of the whole frame; `RUN … X Y Z`; `REPEAT N … END`;
//! - `EXPECT … IDX … SIZE …` with `EQ_RGBA` or `EQ_RGB`, and a tolerance in levels; `EQ_BUFFER`, and
//!   `EQ_HISTOGRAM_EMD_BUFFER`, which is taken to say the same: the pictures are equal. `EXPECT … IDX BYTE` with `EQ`,
//!   `NE`, `LT`, `LE`, `GT`, `GE` or `TOLERANCE … EQ` of numbers in a buffer; `EQ_BUFFER` of buffers.
//!
//! Scripts of VkRunner for compute shaders are read, too (`runner`).
//!
//! Anything else is [`AmberErrorKind::Unsupported`], with the name of the feature. *Any text gives a
//! script or an error with its place, never a panic*, in time linear in the text.
mod data;
mod error;
mod images;
mod read;
mod runner;
mod script;
mod value;
mod words;

pub use error::{AmberError, AmberErrorKind};
pub use read::ReadFile;
pub use script::{
    AmberBindings, AmberBuffer, AmberCommand, AmberCompute, AmberImage, AmberLanguage,
    AmberPipeline, AmberShader, AmberTexels, AmberTexture, Script,
};
pub use value::{AmberRelation, AmberValue};
