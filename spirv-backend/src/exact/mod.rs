//! Exact arithmetic by 32-bit integers only, for devices that flush subnormal numbers and whose
//! division, square root and elementary functions are inaccurate.

pub mod library;
