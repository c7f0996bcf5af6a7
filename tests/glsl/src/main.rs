//! Compares the front end for GLSL with an evaluator of the language on random programs; exit status 1 if any
//! differs.
#![forbid(unsafe_code)]

use clap::Parser;
use lambdav_engine::Engine;
use lambdav_glsl_tests::campaign::Campaign;
use lambdav_glsl_tests::compare::{Mismatch, compare};
use lambdav_glsl_tests::compiler::{Compiler, check};
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::program::Program;
use lambdav_glsl_tests::reduce::reduce;
use lambdav_glsl_tests::{Constants, Options, Style, generate, print};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Compare the front end for GLSL with an evaluator of the language on random programs
#[derive(Parser)]
struct Arguments {
    /// Number of programs
    #[arg(long, default_value_t = 1_000)]
    programs: u64,
    /// Seed of the first program; the others have those after it
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Dialect: vulkan, desktop, es300 or es100; all in turn if there is none
    #[arg(long)]
    dialect: Option<Dialect>,
    /// Compile by glslangValidator, and raise its modules
    #[arg(long)]
    glslang: bool,
    /// Ask glslangValidator only whether each text is valid
    #[arg(long)]
    check: bool,
    /// About the number of statements of `main`
    #[arg(long, default_value_t = 40)]
    statements: usize,
    /// Write texts that differ, and their reduced forms, into this folder
    #[arg(long)]
    save: Option<PathBuf>,
    /// Print the text of each program
    #[arg(long)]
    print: bool,
    /// Number of mismatches that end the run
    #[arg(long, default_value_t = 20)]
    most: u64,
}

impl Arguments {
    fn compiler(&self) -> Compiler {
        if self.glslang { Compiler::Glslang } else { Compiler::Own }
    }

    fn program(&self, seed: u64) -> Program {
        let dialect = self.dialect.unwrap_or(Dialect::ALL[(seed % 4) as usize]);
        let constants = if self.check { Constants::Glslang } else { Constants::All };
        let options = Options { statements: self.statements, constants, ..Options::new(dialect) };
        generate(seed, &options)
    }

    /// Machine code; for each eighth program the core evaluator as well.
    fn engines(seed: u64) -> Vec<Engine> {
        match seed.is_multiple_of(8) {
            true => vec![Engine::Simd, Engine::Core],
            false => vec![Engine::Simd],
        }
    }

    fn test(&self, program: &Program, seed: u64) -> Result<(), Mismatch> {
        if self.check {
            let style = Style { dialect: program.dialect, is_opaque: false };
            return Ok(check(&print(program, style))?);
        }
        compare(program, self.compiler(), &Self::engines(seed))
    }

    /// Writes the text and its reduced form.
    fn save(
        &self,
        folder: &Path,
        seed: u64,
        program: &Program,
        mismatch: &Mismatch,
    ) -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        let style = match self.check {
            true => Style { dialect: program.dialect, is_opaque: false },
            false => self.compiler().style(program.dialect),
        };
        let write = |name: String, program: &Program, note: &dyn std::fmt::Display| {
            let note: String =
                note.to_string().lines().map(|line| format!("// {line}\n")).collect();
            std::fs::write(folder.join(name), print(program, style) + &note)
        };
        write(format!("{seed}.frag"), program, mismatch)?;
        let kind = mismatch.kind();
        let fails = |program: &Program| {
            self.test(program, seed).is_err_and(|mismatch| mismatch.kind() == kind)
        };
        let reduced = reduce(program, &fails);
        let note =
            self.test(&reduced, seed).map_or_else(|error| error.to_string(), |()| String::new());
        write(format!("{seed}.reduced.frag"), &reduced, &note)
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let Arguments { programs, seed, most, .. } = arguments;
    let program = |seed| {
        let program = arguments.program(seed);
        if arguments.print {
            println!("{}", print(&program, arguments.compiler().style(program.dialect)));
        }
        program
    };
    let found = |program: &Program, seed, mismatch: &Mismatch| {
        println!("seed {seed}, {}: {mismatch}", program.dialect);
        if let Some(folder) = &arguments.save
            && let Err(error) = arguments.save(folder, seed, program, mismatch)
        {
            eprintln!("error: {error}");
        }
    };
    let test = |program: &Program, seed| arguments.test(program, seed);
    Campaign { programs, seed, most }.run(program, test, found)
}
