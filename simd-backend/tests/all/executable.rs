//! Calls of machine code: accepted arguments, and cancellation.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use lambdav_core::inputs;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::registers::{Callable, Inputs, Instr, Poll, Row, Shape, Status};
use lambdav_simd_backend::{Compiler, SimdKernel, Target};

use crate::scheduled;

fn host() -> Target {
    Target::host().expect("a machine that is not too old")
}

/// The code of a shader without uniforms, for `lanes` lanes.
fn executable(shader: &str, lanes: u32, target: Target) -> (Executable, Inputs) {
    let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
    let compiled = compiler.compile(&scheduled(shader)).expect("it compiles");
    let inputs = Inputs::of_words(vec![0; compiled.lanes.inputs.len()], 99);
    (Executable::new(&compiled.code, &compiler.target).expect("there is memory"), inputs)
}

const EVERYTHING: Poll<'static> = {
    static FRONTIER: AtomicU64 = AtomicU64::new(u64::MAX);
    Poll { frontier: &FRONTIER, first: 0 }
};

/// Masks and pixels are aligned to their elements only: instructions of SSE fault on memory
/// operands that are not aligned to 16 bytes.
#[test]
fn slices_may_lie_anywhere() {
    let newer = ["has_avx512f", "has_avx2", "has_fma", "has_avx"];
    let off: &[&str] = if cfg!(target_arch = "x86_64") { &newer } else { &[] };
    let shaders = [
        "(define x (.x (frag-coord)))
        (vec4 ((rec-func (n) (if (< n x) (rec (+ n 1)) n)) 0) (if (< x 2) (sin x) x) 0 1)",
        "(vec4 (+ 0.5 (* 0 (sin (.x (frag-coord)))) 0.5))",
        "(define x (.x (frag-coord)))
        (define (loop y) ((rec-func (n) (if (< n y) (rec (+ n 1)) n)) 0))
        (vec4 (if (< x 1.5) (if (< x 1) (loop x) 3) 2))",
    ];
    let old = Target::with(off).expect("SSE4.1 is enough");
    let all = shaders.into_iter().flat_map(|shader| Shape::LANES.map(|lanes| (shader, lanes)));
    let all =
        all.flat_map(|(shader, lanes)| [old.clone(), host()].map(|target| (shader, lanes, target)));
    for (shader, lanes, target) in all {
        let (code, inputs) = executable(shader, lanes, target);
        let (columns, rows) = (code.shape().columns() as usize, code.shape().rows() as usize);
        let (status, slots) = code.frame(&inputs, EVERYTHING);
        assert_eq!(status, Status::Done);
        let words = vec![u32::MAX; lanes as usize + 3];
        let mut samples = vec![0.0_f32; 4 * columns * rows + 3];
        for skip in 0..4 {
            let mask = &words[skip..][..lanes as usize];
            let pixels = samples[skip..].as_chunks_mut().0;
            let row = Row { x: 0, y: 0, groups: 1, stride: columns, plane: 0 };
            let status = code.row(&inputs, &slots, mask, EVERYTHING, row, pixels);
            assert_eq!(status, Status::Done);
            assert_eq!(pixels[0][0].to_bits(), 1.0_f32.to_bits());
        }
    }
}

/// Rows outside the pixels are refused, also if their extent overflows.
#[test]
fn rows_that_do_not_fit_are_refused() {
    let (code, inputs) = executable("(vec4 (.x (frag-coord)))", 16, host());
    let (_, slots) = code.frame(&inputs, EVERYTHING);
    let mask = [u32::MAX; 16];
    let mut pixels = [[0.0; 4]; 16];
    let mut is_refused = |groups, stride| {
        let row = Row { x: 0, y: 0, groups, stride, plane: 0 };
        let call = || code.row(&inputs, &slots, &mask, EVERYTHING, row, &mut pixels);
        catch_unwind(AssertUnwindSafe(call)).is_err()
    };
    assert!(!is_refused(1, 4));
    // Three strides and a row wrap around to a few pixels, which would fit.
    let third = usize::MAX / 3;
    for (groups, stride) in [(0, 4), (2, 4), (1, 5), (1, third), (1, third + 1), (1, usize::MAX)] {
        assert!(is_refused(groups, stride), "{groups} {stride}");
    }
}

/// A group without loops polls only on the slow path of elementary functions, which takes most of
/// the time where it runs. After cancellation the slow path computes nothing, and the results are
/// not taken as valid.
#[test]
fn slow_paths_are_cancelled() {
    // The power lies halfway between two numbers of binary32.
    let shader = "(vec4 (pow (+ 923521 (* 0 (.x (frag-coord)))) 1.25))";
    let (code, inputs) = executable(shader, 16, host());
    let (_, slots) = code.frame(&inputs, EVERYTHING);
    let row = Row { x: 0, y: 0, groups: 1, stride: 4, plane: 0 };
    let first = |frontier| {
        let frontier = AtomicU64::new(frontier);
        let (poll, mut pixels) = (Poll { frontier: &frontier, first: 0 }, [[0.0; 4]; 16]);
        let status = code.row(&inputs, &slots, &[u32::MAX; 16], poll, row, &mut pixels);
        assert_eq!(status, Status::Done);
        pixels[0][0]
    };
    assert_ne!(first(0), 28_629_152.0);
    assert_eq!(first(1), 28_629_152.0);

    // A tile may be cancelled by another thread while it is computed.
    let terms: String =
        (0..3000).map(|i| format!("(+ (pow (+ 923521 (* 0 (+ x {i}))) 1.25) ")).collect();
    let shader = format!("(define x (.x (frag-coord))) {terms} 0{}", ")".repeat(3000));
    let inputs = inputs::Inputs { resolution: [256.0, 4.0], ..inputs::Inputs::default() };
    let kernel = SimdKernel::new(scheduled(&shader), Some(16), &inputs, 99).expect("it compiles");
    let size = Size::new(256, 4).expect("within the limits");
    let tile = Tile::whole(size);
    let mut samples = vec![0.0; tile.samples()];
    let frontier = AtomicU64::new(u64::MAX);
    let result = std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(30));
            frontier.store(0, Ordering::Relaxed);
        });
        let cancel = Cancel::new(&frontier, size, tile);
        kernel.tile(tile, &mut TileBuffer::new(tile, &mut samples), &cancel)
    });
    assert_eq!(result, Err(Stop::Cancelled));
}

/// Long loops poll in each round, and rows poll in each long group.
#[test]
fn polls_are_by_work() {
    let polls = |operations: usize| {
        let terms: String = (0..operations).map(|i| format!("(+ {i}.5 (* x ")).collect();
        let ends = "))".repeat(operations);
        let shader = format!(
            "((rec-func (n x) (if (< x n) (rec (+ n 1) {terms}n{ends}) x)) 0 (.x (frag-coord)))"
        );
        let target = Target::host().expect("a machine that is not too old");
        let compiler = Compiler { lanes: Some(16), ..Compiler::new(target) };
        let lanes = compiler.lane_program(&scheduled(&shader));
        let program = compiler.register_program(&lanes, compiler.choice(&lanes).shape).0;
        let instrs = program.row.blocks.iter().flat_map(|block| &block.instrs);
        instrs.filter(|instr| matches!(instr, Instr::Poll(_))).count()
    };
    // Polls at the end of the counted rounds and on exit.
    assert_eq!(polls(50), 2);
    assert_eq!(polls(2000), 4);
}
