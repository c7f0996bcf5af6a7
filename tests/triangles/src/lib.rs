//! Reference rasterizer for the triangles of λV, and random scenes.
//!
//! [`mod@reference`] executes LANGUAGE §14 one fragment at a time. Each step is written as the section writes it:
//! edge functions, areas and their sums are exact integers of 128 bits, everything else is binary32 in the
//! written order. It shares no code with the product, except the floating-point environment.
//!
//! [`engines`], [`programs`], [`reports`] and [`traces`] draw by the product; no other module uses it.
//!
//! [`scenes`] makes random scenes from a seed. A scene is data. It is drawn by the reference rasterizer with
//! its own small family of shaders, and printed as a program in λV, so that engines can be compared with the
//! reference. [`equal`] compares two pictures to the bit and describes the first difference.
#![forbid(unsafe_code)]

pub mod engines;
mod picture;
pub mod programs;
pub mod reference;
pub mod reports;
pub mod scenes;
pub mod traces;

pub use picture::{Coverage, Difference, Picture, Place, equal};
