//! Independent oracle for the reference mathematics.
#![forbid(unsafe_code)]
