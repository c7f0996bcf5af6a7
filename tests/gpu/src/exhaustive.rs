//! Functions of exact modules at all arguments, against the same programs in machine code. `tests/oracle`
//! checks the machine code against CORE-MATH.

use crate::exact::options;
use lambdav_core::op::Elementary;
use lambdav_core::schedule::schedule;
use lambdav_engine::{Options, Shader, Size};
use lambdav_gpu::{Device, Job, forever};
use lambdav_spirv_backend::emit::emit;
use rayon::prelude::*;
use std::error::Error;
use std::time::Instant;

/// Width and height of a picture. Each pixel has four results.
const SIDE: u32 = 4096;
const EACH: u64 = (SIDE as u64) * (SIDE as u64) * 4;

/// A function's name and its number of arguments.
pub(crate) type Function = (&'static str, usize);

/// All functions: elementary functions, and arithmetic that Vulkan lets be inexact.
pub(crate) fn functions() -> Vec<Function> {
    let elementary = Elementary::ALL.into_iter().map(|f| (f.name(), f.arity()));
    elementary.chain([("/", 2), ("sqrt", 1), ("fma", 3)]).collect()
}

/// The arguments of functions with several.
const SALTS: [&str; 3] =
    [" (argument i 0u)", " (argument i 0xa5a5a5a5u)", " (argument i 0x5a5a5a5au)"];

/// A program with four results for each pixel. An argument is the number whose bits are a counter times
/// 2^`step` plus some last bits. Several arguments are hashes of the counter, of which three in four are near
/// 1.
fn text((name, arity): Function, step: u32) -> String {
    let value = match (arity, step) {
        (1, 0) => format!("(define (value i) ({name} (from-bits i)))"),
        (1, _) => format!(
            "(define (bits i) (+ (shift-left i {step}u) (shift-right (* i 0x9e3779b9u) {}u)))
             (define (value i) ({name} (from-bits (bits i))))",
            32 - step
        ),
        _ => format!(
            "(define (mix i) (let ((i (* (bit-xor i (shift-right i 16u)) 0x7feb352du)))
               (let ((i (* (bit-xor i (shift-right i 15u)) 0x846ca68bu))) (bit-xor i (shift-right i 16u)))))
             (define (near i) (if (eq (bit-and i 3u) 0u) i (+ 0x3c000000u (bit-and (shift-right i 2u) 0x07ffffffu))))
             (define (argument i salt) (from-bits (near (mix (bit-xor i salt)))))
             (define (value i) ({name}{}))",
            SALTS[..arity].concat()
        ),
    };
    format!(
        "{value}
         (define p (uint (.xy (frag-coord))))
         (define i (+ (* (uint (frame)) {EACH}u) (* 4u (+ (.x p) (* {SIDE}u (.y p))))))
         (vec4 (value i) (value (+ i 1u)) (value (+ i 2u)) (value (+ i 3u)))"
    )
}

/// Compares and prints a table. True if no result differs.
pub(crate) fn compare(
    device: &Device,
    functions: &[Function],
    step: u32,
    pairs: u64,
    no_float64: bool,
) -> Result<bool, Box<dyn Error>> {
    let options = options(device, no_float64, false);
    println!(
        "{:?}\n\n| function | arguments | differ | first | seconds |\n|---|---:|---:|---|---:|",
        options.exact
    );
    let mut is_right = true;
    for &function in functions {
        let start = Instant::now();
        let shader = Shader::new("function.lv", &text(function, step))?;
        let program = schedule(shader.core(), &[0]).map_err(|error| error.message)?;
        let module = emit(&program, None, &options)?;
        let size = Size::new(SIDE, SIDE)?;
        let mut push_constants = [0; 8];
        [push_constants[0], push_constants[1]] = [(SIDE as f32).to_bits(); 2];
        let job = Job::new(&module.words, &[0], [SIDE; 2]);
        let job = Job { push_constants: &push_constants, ..job };
        let mut prepared = device.prepare(&job, &forever)?;
        let pipeline = shader.pipeline(&Options::default())?;
        let mut bindings = pipeline.bindings();
        let mut frame = pipeline.render(&bindings, size)?;
        let all = if function.1 == 1 { 1_u64 << (32 - step) } else { pairs };
        let frames = all.div_ceil(EACH);
        let (mut differing, mut first) = (0, None);
        for k in 0..frames {
            push_constants[3] = (k as f32).to_bits();
            prepared.set_push_constants(&push_constants)?;
            bindings.frame(k as f32);
            let (by_cpu, by_device) = rayon::join(
                || pipeline.render_into(&bindings, &mut frame),
                || {
                    prepared.draw(&forever)?;
                    prepared.read(0, &forever)
                },
            );
            by_cpu.map_err(|error| error.to_string())?;
            let found = by_device?;
            let wanted = frame.pixels();
            let wrong =
                wanted.par_iter().zip(&found).enumerate().filter_map(|(index, (wanted, found))| {
                    (wanted.map(f32::to_bits) != *found).then_some((
                        index,
                        wanted.map(f32::to_bits),
                        *found,
                    ))
                });
            let wrong: Vec<(usize, [u32; 4], [u32; 4])> = wrong.collect();
            differing += wrong
                .iter()
                .map(|(_, a, b)| a.iter().zip(b).filter(|(a, b)| a != b).count())
                .sum::<usize>();
            if let (None, Some((index, wanted, found))) = (&first, wrong.first()) {
                let counter = k * EACH + 4 * *index as u64;
                first = Some(format!("from {counter:#x}: {found:08x?}, not {wanted:08x?}"));
            }
        }
        is_right &= differing == 0;
        println!(
            "| `{}` | {} | {differing} | {} | {:.1} |",
            function.0,
            frames * EACH.min(all),
            first.unwrap_or_default(),
            start.elapsed().as_secs_f64()
        );
    }
    Ok(is_right)
}
