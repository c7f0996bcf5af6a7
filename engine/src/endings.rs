//! Endings of the names of files in GLSL.

/// Fragment shaders.
pub const FRAGMENT: [&str; 7] = ["frag", "glsl", "fs", "fsh", "fragment", "isf", "shadertoy"];

/// Vertex shaders.
pub const VERTEX: [&str; 2] = ["vert", "vs"];

/// Compute shaders.
pub const COMPUTE: [&str; 1] = ["comp"];
