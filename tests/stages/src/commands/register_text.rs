//! Commands for register programs that are written as text.
//!
//! - `read registers`: the text of the program, or the reader's error.
//! - `verify registers`: `valid`, or the errors of the verifier, one in each line.
//! - `run registers [--at X,Y] [--groups N] [--mask LANES] [--iterations N] [--inputs WORD,…] [--cancelled]`: the
//!   status and, if all is done, the active pixels, or the trap of the interpreter. `--mask` has a digit for each lane, 1 if it is
//!   active. Inputs are numbers, 0 by default.

use std::fmt::Write;
use std::sync::atomic::AtomicU64;

use lambdav_simd_backend::registers::interpret::{Trap, frame, row};
use lambdav_simd_backend::registers::{Inputs, Poll, RegisterProgram, Row, Status, read, verify};

use super::Output;
use super::options::Options;

pub(super) fn read_registers(text: &str) -> Result<Output, String> {
    let text = match read(text) {
        Ok(program) => program.to_string(),
        Err(error) => error.to_string(),
    };
    Ok(Output { text, ids: &[] })
}

pub(super) fn verify_registers(text: &str) -> Result<Output, String> {
    let program = read(text).map_err(|error| error.to_string())?;
    let text = match verify(&program) {
        Ok(()) => "valid".to_owned(),
        Err(errors) => errors.iter().map(|error| format!("{error}\n")).collect(),
    };
    Ok(Output { text, ids: &[] })
}

pub(super) fn run_registers(options: &mut Options<'_>, text: &str) -> Result<Output, String> {
    let program = read(text).map_err(|error| error.to_string())?;
    if let Err(errors) = verify(&program) {
        return Err(format!("the verifier finds {errors:?}"));
    }
    let shape = program.shape;
    let at = options.list("--at")?.unwrap_or_else(|| vec![0, 0]);
    let [x, y] = at[..] else { return Err("`--at` has two numbers".to_owned()) };
    let groups: u32 = options.value("--groups")?.unwrap_or(1);
    let all = || "1".repeat(shape.lanes() as usize);
    let mask = options.value("--mask")?.unwrap_or_else(all);
    let mask: Vec<u32> = mask.bytes().map(|lane| u32::from(lane == b'1') * u32::MAX).collect();
    if mask.len() != shape.lanes() as usize || program.attachments != 1 {
        return Err("a group has another number of lanes, or there are several attachments".into());
    }
    let numbers: Vec<f32> = options.list("--inputs")?.unwrap_or_default();
    let mut words: Vec<u32> = numbers.into_iter().map(f32::to_bits).collect();
    words.resize(program.inputs.len(), 0);
    let inputs = Inputs::of_words(words, options.value("--iterations")?.unwrap_or(100));
    let frontier = AtomicU64::new(if options.flag("--cancelled") { 0 } else { u64::MAX });
    let poll = Poll { frontier: &frontier, first: 1 };
    let stride = (groups * shape.columns()) as usize;
    let place = Row { x, y, groups, stride, plane: 0 };
    let mut pixels = vec![[f32::NAN; 4]; stride * shape.rows() as usize];
    let mut text = match call(&program, &inputs, &mask, poll, place, &mut pixels) {
        Ok(Status::Done) => format!("{}\n", Status::Done),
        Ok(status) => return Ok(Output { text: status.to_string(), ids: &[] }),
        Err(trap) => return Ok(Output { text: trap.to_string(), ids: &[] }),
    };
    for row in 0..shape.rows() {
        for column in 0..groups * shape.columns() {
            let is_it = |&lane: &u32| shape.pixel(lane) == (column % shape.columns(), row);
            let lane = (0..shape.lanes()).find(is_it).expect("each pixel lies in a lane");
            if mask[lane as usize] != 0 {
                let [r, g, b, a] = pixels[row as usize * stride + column as usize];
                let _ = writeln!(text, "{}, {}: {r:?} {g:?} {b:?} {a:?}", x + column, y + row);
            }
        }
    }
    Ok(Output { text, ids: &[] })
}

fn call(
    program: &RegisterProgram,
    inputs: &Inputs,
    mask: &[u32],
    poll: Poll<'_>,
    place: Row,
    pixels: &mut [[f32; 4]],
) -> Result<Status, Trap> {
    let (status, slots) = frame(program, inputs, poll)?;
    if status != Status::Done {
        return Ok(status);
    }
    row(program, inputs, &slots, mask, poll, place, pixels)
}
