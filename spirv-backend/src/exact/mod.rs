//! What exact modules compute by integers of 32 bits alone: on devices that flush subnormal numbers, and whose division, square
//! root and elementary functions are their own.

pub mod library;
