//! The `lambdav` command.
#![forbid(unsafe_code)]

fn main() {}
