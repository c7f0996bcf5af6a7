//! Compile times: by size of the program, for the gallery, and of whole processes up to an image.

mod generated;
mod process;

pub(crate) use process::CONSTANT;

use crate::BenchArguments;
use crate::table::Table;
use crate::timing::{Clock, Summary};
use clap::Args;
use lambdav_core::graph::Core;
use lambdav_core::schedule::{Expr, Program, Statement, schedule};
use lambdav_engine::Settings;
use lambdav_engine::program::Loaded;
use lambdav_image::Size;
use lambdav_simd_backend::emit::Listing;

use lambdav_matrix::pictures;
use lambdav_simd_backend::registers::Callable;
use lambdav_simd_backend::{Compiler, SimdKernel};
use serde::Serialize;
use std::io;
use std::path::{Path, PathBuf};

/// Options of `compile`.
#[derive(Args)]
pub(crate) struct CompileOptions {
    #[command(flatten)]
    options: BenchArguments,
    /// The folder of the gallery
    #[arg(long, value_name = "DIR", default_value = "shaders")]
    gallery: PathBuf,
    /// The command `lambdav`, to measure whole processes
    #[arg(long, value_name = "FILE")]
    command: Option<PathBuf>,
}

/// A row of the table; times are milliseconds.
#[derive(Serialize)]
pub(crate) struct Row {
    name: String,
    /// Number of core operations of the output's schedule.
    operations: usize,
    /// Time from the text to the schedule.
    frontend: Summary,
    /// Time from the schedule to machine code.
    jit: Summary,
    /// The number of lanes chosen.
    lanes: u32,
    /// Number of instructions before register allocation.
    instructions: usize,
    /// Bytes of machine code.
    code: usize,
    /// Time of the whole process for an image of 256x256, if it was measured.
    process: Option<Summary>,
}

/// Measures and prints.
pub(crate) fn run(options: &CompileOptions) -> io::Result<()> {
    let common = &options.options;
    println!(
        "times in ms, for an image of 256x256; \
         of 2 + 1.2: (frontend + JIT) / (2 ms + 1.2 ms per 1,000 instructions)"
    );
    let table = Table::new(&[
        ("program", 16),
        ("core ops", 8),
        ("frontend", 8),
        ("JIT", 8),
        ("lanes", 5),
        ("instrs", 7),
        ("JIT/1000", 8),
        ("of 2+1.2", 8),
        ("us/op", 6),
        ("code", 8),
        ("bytes/op", 8),
        ("process", 8),
    ]);
    let mut rows = Vec::new();
    let mut measured = |row: Row| {
        print(&table, &row);
        rows.push(row);
    };
    for (name, text) in generated::programs() {
        if common.wants(&name) {
            measured(compile(&name, &text, common.runs().min(5)));
        }
    }
    for (name, text) in gallery(&options.gallery)? {
        if common.wants(&name) {
            measured(compile(&name, &text, common.runs()));
        }
    }
    if let Some(command) = &options.command {
        for (name, text) in process::PROGRAMS {
            if common.wants(name) {
                let row = compile(name, text, common.runs());
                let process = process::time(command, text)?;
                measured(Row { process: Some(process), ..row });
            }
        }
    }
    common.save(&rows)
}

fn print(table: &Table, row: &Row) {
    let (frontend, jit) = (row.frontend.median, row.jit.median);
    let (thousands, operations) = (row.instructions as f64 / 1e3, row.operations.max(1) as f64);
    table.row([
        row.name.clone(),
        row.operations.to_string(),
        format!("{frontend:.2}"),
        format!("{jit:.2}"),
        format!("x{}", row.lanes),
        row.instructions.to_string(),
        format!("{:.2}", jit / thousands),
        format!("{:.2}", (frontend + jit) / (2.0 + 1.2 * thousands)),
        format!("{:.2}", (frontend + jit) * 1e3 / operations),
        row.code.to_string(),
        format!("{:.1}", row.code as f64 / operations),
        row.process.map_or(String::new(), |process| format!("{:.2}", process.median)),
    ]);
}

/// The shaders of a folder, by name.
fn gallery(folder: &Path) -> io::Result<Vec<(String, String)>> {
    let problem = |error| io::Error::other(format!("{}: {error}", folder.display()));
    let mut shaders = Vec::new();
    for entry in folder.read_dir().map_err(problem)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "lv") {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            shaders.push((name, std::fs::read_to_string(&path)?));
        }
    }
    shaders.sort();
    Ok(shaders)
}

/// Compiles a program for an image of 256x256 repeatedly.
fn compile(name: &str, text: &str, runs: usize) -> Row {
    let size = Size::new(256, 256).expect("a common size");
    let core = || Loaded::from_text(name, text).core.expect("it compiles");
    let first = core();
    let mut settings = Settings::new(&first, size);
    settings.inputs.resources = pictures::resources(text, first.graph.types());
    let output = first.outputs[0].location;
    let scheduled = |core: &Core| schedule(core, &[output]).expect("it does not nest");
    let jit = |program: Program| {
        SimdKernel::new(program, None, &settings.inputs, settings.max_iterations)
            .expect("it compiles")
    };
    let (mut frontend_times, mut jit_times) = (Vec::new(), Vec::new());
    for _ in 0..runs {
        let mut program = None;
        frontend_times.push(Clock::Processor.time(|| program = Some(scheduled(&core()))));
        let program = program.expect("it has just been made");
        jit_times.push(Clock::Processor.time(|| drop(jit(program))));
    }
    let program = scheduled(&first);
    let kernel = jit(program.clone());
    let code = kernel.code();
    Row {
        name: name.to_owned(),
        operations: operations(&program),
        frontend: Summary::of(&frontend_times),
        jit: Summary::of(&jit_times),
        lanes: code.shape().lanes(),
        instructions: instructions(&program, &kernel),
        code: code.size(),
        process: None,
    }
}

/// Number of operations of a program.
fn operations(program: &Program) -> usize {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    let is_operation = |s: &&Statement| matches!(s, Statement::Let { expr: Expr::Op(..), .. });
    statements.filter(is_operation).count()
}

/// Number of instructions of a kernel before register allocation.
pub(crate) fn instructions(program: &Program, kernel: &SimdKernel) -> usize {
    let target = kernel.target();
    let compiler = Compiler {
        lanes: Some(kernel.code().shape().lanes()),
        listing: Listing::Intermediate,
        ..Compiler::new(target.with_allocation(kernel.allocation()))
    };
    let text = compiler.compile(program).expect("it has been compiled before").code.listing();
    // Instructions are indented, but so are signatures and other lines before the first block.
    let mut in_block = false;
    let is_instruction = |line: &&str| {
        in_block = line.starts_with("block") || (in_block && !line.starts_with('}'));
        in_block && line.starts_with("    ")
    };
    text.lines().filter(is_instruction).count()
}

#[cfg(test)]
mod tests {
    use super::{compile, generated};

    /// Generated programs compile, and have the size in their name within a tenth.
    #[test]
    fn generated_programs() {
        for (name, text) in generated::programs().into_iter().filter(|(_, t)| t.len() < 1 << 17) {
            let wanted: usize =
                name.rsplit('-').next().and_then(|n| n.parse().ok()).expect("a size");
            let row = compile(&name, &text, 1);
            assert!((wanted * 9 / 10..wanted * 11 / 10).contains(&row.operations), "{name}");
        }
    }
}
