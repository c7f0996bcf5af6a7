//! Versions and profiles of GLSL.

/// A version of the language: its number, such as 450 or 300, and whether it is GLSL ES.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// 100, 300, 310, 320 of GLSL ES; 110 to 460 of GLSL.
    pub number: u32,
    /// True for GLSL ES.
    pub es: bool,
}
