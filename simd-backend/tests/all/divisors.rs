//! Divisions and remainders by numbers that are uniform over the frame. All kinds of divisors meet
//! dividends near their multiples and near the limits, in one compiled kernel for each target.

use std::sync::Arc;

use lambdav_core::inputs::Inputs;
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::types::{Scalar, Type};
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Tile, TileBuffer};
use lambdav_simd_backend::lanes::{LaneExpr, LaneOp, LaneProgram, LaneStatement, Rate};
use lambdav_simd_backend::{CompiledKernel, Compiler, Target};
use lambdav_test_support::{INTEGERS, Random};

use crate::scheduled;

/// The number of dividends of each divisor.
const DIVIDENDS: u32 = 512;

/// A shader that yields the halves of quotient and remainder.
fn text(ty: &str, one: &str) -> String {
    format!(
        "(uniform d {ty} {one}) (buffer a {ty})
         (define x (at a (int (.x (frag-coord)))))
         (define q (uint (div x d))) (define r (uint (rem x d)))
         (vec4 (num (bit-and q 65535u)) (num (shift-right q 16u))
               (num (bit-and r 65535u)) (num (shift-right r 16u)))"
    )
}

/// Zero, small numbers, numbers near powers of two, and random ones, with both signs.
fn divisors(random: &mut Random) -> Vec<u32> {
    let mut all: Vec<u32> = (0..700).collect();
    all.extend(
        (0..32).flat_map(|k| (0..5).map(move |by| (1_u32 << k).wrapping_add(by).wrapping_sub(2))),
    );
    all.extend(INTEGERS);
    all.extend((0..1500).map(|i| random.bits() as u32 >> (i % 32)));
    let negative: Vec<u32> = all.iter().map(|d| d.wrapping_neg()).collect();
    all.extend(negative);
    all
}

/// Numbers near multiples of a divisor, near the limits, and random ones.
fn dividends(random: &mut Random, divisor: u32) -> Vec<u32> {
    let mut all: Vec<u32> = INTEGERS.to_vec();
    all.extend(
        [0, 1 << 31, u32::MAX]
            .into_iter()
            .flat_map(|n: u32| (0..9).map(move |by| n.wrapping_add(by).wrapping_sub(4))),
    );
    let last = u32::MAX / divisor.max(1);
    while all.len() < DIVIDENDS as usize {
        let any = random.bits() as u32;
        let factor = if all.len().is_multiple_of(2) {
            any % last.max(1)
        } else {
            last - any % 3 % last.max(1)
        };
        let near = divisor.wrapping_mul(factor).wrapping_add(any % 3).wrapping_sub(1);
        all.extend([near, near.wrapping_neg(), any >> (any % 32)]);
    }
    all.truncate(DIVIDENDS as usize);
    all
}

/// Quotient and remainder as the language defines them.
fn wanted(is_signed: bool, a: u32, d: u32) -> [u32; 2] {
    if !is_signed {
        return [a.checked_div(d).unwrap_or(a), a.checked_rem(d).unwrap_or(0)];
    }
    let (a, d) = (a as i32, d as i32);
    if d == 0 {
        return [a as u32, 0];
    }
    [a.wrapping_div(d) as u32, a.wrapping_rem(d) as u32]
}

#[test]
fn all_kinds_of_divisors_of_the_frame() {
    for (ty, one, is_signed) in [("int", "1i", true), ("uint", "1u", false)] {
        let program = scheduled(&text(ty, one));
        let scalar = if is_signed { Scalar::I32 } else { Scalar::U32 };
        let size = Size::new(DIVIDENDS, 1).expect("a small size");
        let tile = Tile::whole(size);
        let mut samples = vec![0.0; tile.samples()];
        for (name, lanes) in Target::here().flat_map(|name| [1, 8, 16].map(|lanes| (name, lanes))) {
            let target = Target::named(name).expect("it is known").expect("it is here");
            let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
            let compiled = CompiledKernel::new(program.clone(), compiler).expect("it compiles");
            let compiled = Arc::new(compiled);
            let mut random = Random::new(u64::from(lanes));
            let mut kernel = None;
            for d in divisors(&mut random) {
                let dividends = dividends(&mut random, d);
                let data = BufferData::new(&program.types, Type::of(scalar, 1), dividends.clone());
                let data = Bound::Buffer(Arc::new(data.expect("it is small")));
                let kernel = kernel.get_or_insert_with(|| {
                    let resources = vec![data.clone()];
                    let uniforms = vec![[1].into()];
                    let inputs = Inputs { uniforms, resources, ..Inputs::default() };
                    compiled.bind(&inputs, 1).expect("it is bound")
                });
                kernel.set_uniform(0, &[d]);
                kernel.set_resource(0, data).expect("it is the buffer's");
                let mut pixels = TileBuffer::new(tile, &mut samples);
                kernel.tile(tile, &mut pixels, &Cancel::never(size)).expect("there are no loops");
                for (&a, halves) in dividends.iter().zip(samples.as_chunks::<4>().0) {
                    let [q, q_high, r, r_high] = halves.map(|half| half as u32);
                    let found = [q | q_high << 16, r | r_high << 16];
                    let wanted = wanted(is_signed, a, d);
                    assert_eq!(found, wanted, "{ty} {a:#x} by {d:#x}, {name} {lanes}");
                }
            }
        }
    }
}

/// The number of divisions that are computed for each group.
fn divisions(program: &LaneProgram) -> usize {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    let is_division = |statement: &&LaneStatement| matches!(statement, LaneStatement::Let { value, expr: LaneExpr::Op(LaneOp::Div, _) } if program.rate(*value) != Rate::FRAME);
    let frame = &program.blocks[0].statements[..program.frame_len];
    // All other divisions are in the frame's statements, which are executed once.
    let inside = |statement: &&LaneStatement| {
        matches!(statement, LaneStatement::Let { expr: LaneExpr::Op(LaneOp::Div, _), .. })
    };
    let all = statements.clone().filter(inside).count();
    assert_eq!(all - statements.filter(is_division).count(), frame.iter().filter(inside).count());
    program.blocks.iter().flat_map(|block| &block.statements).filter(is_division).count()
}

#[test]
fn groups_do_not_divide_by_what_is_the_same_for_the_frame() {
    let compiler = Compiler::new(Target::host().expect("a machine that is not too old"));
    let x = "(define x (int (.x (frag-coord))))";
    for text in [
        "(uniform n int 7i) (vec2 (num (mod x n)) (num (div x n)))",
        // In a loop and in one of its arms, on operands computed there.
        "(uniform n int 7i)
         ((rec-func (i s) (if (< i (.x (frag-coord)))
            (rec (+ i 1) (if (< s 9i) (+ s (mod (+ x s) (+ (* 2i n) 1i))) (rem s n))) (num s))) 0 1i)",
        "(texture t (filter nearest) (wrap repeat)) (sample t (* 0.1 (.xy (frag-coord))))",
        "(texture t (wrap mirror)) (sample t (* 0.1 (.xy (frag-coord))))",
    ] {
        let program = compiler.lane_program(&scheduled(&format!("{x} {text}")));
        assert_eq!(divisions(&program), 0, "{program}");
    }
    // Varying divisors are divided by.
    let program = compiler.lane_program(&scheduled(&format!("{x} (num (mod 77i x))")));
    assert_eq!(divisions(&program), 1, "{program}");
}
