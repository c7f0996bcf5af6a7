//! `registers [--target NAME] [--lanes N] [--vector-registers N] [--unspilled] [--listed UNIFORM,…]
//! [--all-outputs]`: the register program of output 0. `--target` is `avx2`, `avx512-256`, `avx512` or `128`, a
//! machine with 16 registers of 128 bits, none of which a call preserves; that is the default. `--lanes` is 8 by
//! default.
//!
//! `assembly --target NAME …`, with the same options but `--unspilled`: the machine code. It is the same on every
//! machine: extensions that only some processors have are not used.

use lambdav_simd_backend::emit::Listing;
use lambdav_simd_backend::machine::{Machine, PerClass, Tile};
use lambdav_simd_backend::registers::{RegisterProgram, read, verify};
use lambdav_simd_backend::{Compiler, Target, emit::Wide};

use super::options::Options;
use super::{Output, outputs};
use crate::ids::Ids;

/// Registers and blocks.
const REGISTERS: Ids = &[&["r"], &["block"]];

/// Vector registers, mask registers, labels and constants.
const MACHINE_REGISTERS: Ids = &[&["xmm", "ymm", "zmm"], &["k"], &["block"], &["constant"]];

/// The name of the machine of the default.
const DEFAULT: &str = "128";

/// A compiler for the options, and the name of its target.
fn compiler(options: &mut Options<'_>) -> Result<(Compiler, String), String> {
    let name = options.value::<String>("--target")?.unwrap_or_else(|| DEFAULT.to_owned());
    let mut target = if name == DEFAULT {
        let (registers, preserved) = (PerClass([16, 0]), PerClass([0, 0]));
        let machine = Machine { tile: Tile::FOUR, registers, preserved, fma: false };
        Target::wide(Wide::Avx2).with_machine(machine)
    } else {
        let wide = Wide::ALL.into_iter().find(|wide| wide.name() == name);
        let wide = wide.ok_or_else(|| format!("`{name}` is no target"))?;
        Target::wide(wide).without_extensions()
    };
    if let Some(registers) = options.value("--vector-registers")? {
        target = target.with_vector_registers(registers);
    }
    let lanes = options.value("--lanes")?.unwrap_or(8);
    let mut compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
    // Registers of 128 bits, or scalars, are for the code generator of this machine.
    if matches!(lanes, 1 | 4) && name != DEFAULT {
        return Err(format!("{lanes} lanes fill no registers of {name}"));
    }
    if let Some(of_primitive) = options.list("--listed")? {
        compiler = compiler.listed(of_primitive);
    }
    Ok((compiler, name))
}

pub(super) fn registers(options: &mut Options<'_>, program: &str) -> Result<Output, String> {
    let (compiler, _) = compiler(options)?;
    let is_spilled = !options.flag("--unspilled");
    let program = outputs(options, program)?;
    let lanes = compiler.lane_program(&program);
    let shape = compiler.choice(&lanes).shape;
    let program = match is_spilled {
        true => compiler.register_program(&lanes, shape).0,
        false => compiler.unspilled(&lanes, shape),
    };
    let text = checked(&program)?;
    Ok(Output { text, ids: REGISTERS })
}

/// The text of a program, which the verifier accepts and which reads back as the same text.
fn checked(program: &RegisterProgram) -> Result<String, String> {
    let text = program.to_string();
    if let Err(errors) = verify(program) {
        return Err(format!("the verifier finds {errors:?}\n{text}"));
    }
    match read(&text) {
        Ok(again) if again.to_string() == text => Ok(text),
        Ok(again) => Err(format!("the text\n{text}\nreads back as\n{again}")),
        Err(error) => Err(format!("the text does not read back: {error}\n{text}")),
    }
}

pub(super) fn assembly(options: &mut Options<'_>, program: &str) -> Result<Output, String> {
    let (compiler, name) = compiler(options)?;
    if name == DEFAULT {
        return Err("machine code needs `--target`".to_owned());
    }
    let compiler = Compiler { listing: Listing::Assembly, ..compiler };
    let program = outputs(options, program)?;
    let compiled = compiler.compile(&program).map_err(|error| error.to_string())?;
    Ok(Output { text: compiled.code.listing(), ids: MACHINE_REGISTERS })
}
