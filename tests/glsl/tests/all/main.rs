//! The evaluator of GLSL by hand-written cases, against the front end of our own, and against glslang with the front
//! end for SPIR-V.

mod cases;
mod random;
mod text;
