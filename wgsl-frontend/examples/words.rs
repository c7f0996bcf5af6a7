//! Compiles a text in WGSL to the words of a module: `words IN.wgsl OUT.spv [--include DIR] [--define NAME=V]`.

use lambdav_core::diagnostics::render_text;
use lambdav_core::source::SourceFile;
use lambdav_wgsl_frontend::{Options, compile};
use std::path::PathBuf;

/// The files of the system.
struct System;

impl lambdav_core::files::Files for System {
    fn canonical(&mut self, path: &std::path::Path) -> std::io::Result<PathBuf> {
        path.canonicalize()
    }

    fn read(&mut self, path: &std::path::Path, _: usize) -> std::io::Result<Vec<u8>> {
        std::fs::read(path)
    }

    fn list(&mut self, folder: &std::path::Path) -> std::io::Result<Vec<PathBuf>> {
        let entries = std::fs::read_dir(folder)?;
        let mut all: Vec<PathBuf> =
            entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<_, _>>()?;
        all.sort();
        Ok(all)
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let (mut paths, mut roots, mut defines) = (Vec::new(), Vec::new(), Vec::new());
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--include" => roots.extend(arguments.next().map(PathBuf::from)),
            "--define" => {
                let text = arguments.next().unwrap_or_default();
                let (name, value) = text.split_once('=').unwrap_or((&text, ""));
                defines.push((name.to_owned(), value.to_owned()));
            }
            _ => paths.push(PathBuf::from(argument)),
        }
    }
    let text = std::fs::read(&paths[0]).expect("the file can be read");
    let Ok(text) = String::from_utf8(text) else {
        println!("the text is not UTF-8");
        std::process::exit(1);
    };
    let source = SourceFile::new(paths[0].to_string_lossy(), text);
    let options =
        Options { defines: &defines, roots: &roots, path: Some(&paths[0]), ..Options::default() };
    let compiled = compile(source, &options, &mut System);
    print!("{}", render_text(&compiled.diagnostics, &compiled.source, false));
    let Some(words) = compiled.words else { std::process::exit(1) };
    if let Some(out) = paths.get(1) {
        std::fs::write(out, lambdav_spirv::bytes(&words)).expect("the module can be written");
    }
}
