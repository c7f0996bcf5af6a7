//! Writes the words of GLSL files: `spirv FOLDER FILE…` makes FOLDER/0.spv, FOLDER/1.spv and so on, for
//! `spirv-val`. A refused file gives none; its first error is printed.

use lambdav_core::files::Files;
use lambdav_core::source::SourceFile;
use lambdav_glsl_frontend::{Options, Stage, compile};
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// The files of the system.
struct System;

impl Files for System {
    fn canonical(&mut self, path: &Path) -> io::Result<PathBuf> {
        path.canonicalize()
    }

    fn read(&mut self, path: &Path, _: usize) -> io::Result<Vec<u8>> {
        fs::read(path)
    }
}

fn main() -> io::Result<()> {
    let mut arguments = env::args().skip(1);
    let folder = PathBuf::from(arguments.next().unwrap_or_default());
    for (k, name) in arguments.enumerate() {
        let text = String::from_utf8_lossy(&fs::read(&name)?).into_owned();
        let path = Path::new(&name);
        let stage = match path.extension().and_then(|of| of.to_str()) {
            Some("vert" | "vs") => Stage::Vertex,
            Some("comp") => Stage::Compute,
            _ => Stage::Fragment,
        };
        let options = Options { path: Some(path), ..Options::new(stage) };
        let compiled = compile(SourceFile::new(&*name, text), &options, &mut System);
        match compiled.words {
            Some(words) => {
                fs::write(folder.join(format!("{k}.spv")), lambdav_spirv::bytes(&words))?;
            }
            None => {
                let first = compiled.diagnostics.first().map(|of| of.message.as_str());
                println!("{k}\t{name}\t{}", first.unwrap_or_default());
            }
        }
    }
    Ok(())
}
