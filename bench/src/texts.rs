//! Time of the front ends of foreign languages: from a text to the words of a module.

use crate::BenchArguments;
use crate::table::Table;
use crate::timing::{Clock, Summary};
use clap::Args;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_glsl_frontend::Stage;
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Options of `texts`.
#[derive(Args)]
pub(crate) struct TextOptions {
    #[command(flatten)]
    options: BenchArguments,
    /// Shaders in WGSL (`.wgsl`) and fragment shaders in GLSL, each in one file
    #[arg(long = "file", value_name = "FILE", required = true, num_args = 1..)]
    files: Vec<PathBuf>,
}

/// A row of the table.
#[derive(Serialize)]
struct Row {
    name: String,
    /// Bytes of the text.
    bytes: usize,
    /// Words of the module.
    words: usize,
    /// Milliseconds from the text to the words.
    time: Summary,
}

/// Measures and prints.
pub(crate) fn run(options: &TextOptions) -> io::Result<()> {
    println!("from the text to SPIR-V");
    let table = Table::new(&[("file", 24), ("bytes", 7), ("words", 7), ("ms", 7), ("ms/10 KB", 8)]);
    let mut rows = Vec::new();
    for path in &options.files {
        let row = measure(path, options.options.runs())?;
        table.row([
            row.name.clone(),
            row.bytes.to_string(),
            row.words.to_string(),
            format!("{:.3}", row.time.median),
            format!("{:.3}", row.time.median * 1e4 / row.bytes as f64),
        ]);
        rows.push(row);
    }
    options.options.save(&rows)
}

fn measure(path: &Path, runs: usize) -> io::Result<Row> {
    let problem = |what: &str| io::Error::other(format!("{}: {what}", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| problem(&error.to_string()))?;
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let source = SourceFile::new(name.clone(), text.as_str());
    let is_wgsl = path.extension().is_some_and(|ending| ending == "wgsl");
    let compile = |source| match is_wgsl {
        true => {
            let options = lambdav_wgsl_frontend::Options::default();
            lambdav_wgsl_frontend::compile(source, &options, &mut NoFiles).words
        }
        false => {
            let options = lambdav_glsl_frontend::Options::new(Stage::Fragment);
            lambdav_glsl_frontend::compile(source, &options, &mut NoFiles).words
        }
    };
    let words = compile(source.clone());
    let words = words.ok_or_else(|| problem("`lambdav check` says what is wrong"))?.len();
    let times: Vec<f64> = (0..runs)
        .map(|_| {
            let source = source.clone();
            Clock::Processor.time(|| drop(compile(source)))
        })
        .collect();
    Ok(Row { name, bytes: text.len(), words, time: Summary::of(&times) })
}
