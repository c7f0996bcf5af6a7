//! The built command, run in a test's own folder: its output, its messages and the files that it leaves.
//!
//! Every run is checked for a panic, an exit status other than 0 to 3, and a temporary file left behind.

mod amber;
mod assembly;
mod buffers;
mod check;
mod compile;
mod devices;
mod diff;
mod discard;
mod documents;
mod everyday;
mod explain;
mod faults;
mod feedback;
mod foreign;
mod gallery;
mod glsl;
mod harness;
mod harvest;
mod include;
mod inspect;
mod limits;
mod lines;
mod marks;
mod metadata;
mod page;
mod pipes;
mod render;
mod resources;
mod rewritten;
mod run;
mod sequences;
mod settings;
mod shader_inputs;
mod simd;
mod terminal;
mod test;
mod test_faults;
mod textures;
mod triangles;
mod untested;
mod words;
mod workers;
mod wrong_command_line;
mod wrong_files;
