//! Listed lanes, attachments and primitives.

use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::{Program, schedule};
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Quad, QuadKernel, Tile, TileBuffer};
use lambdav_simd_backend::lanes::{
    self, BlockId, Column, Items, Kind, LaneExpr, LaneProgram, LaneStatement, Options, Rate, Width,
};
use lambdav_simd_backend::registers::{self, Argument, Instr, Reg, RegisterProgram, RegisterType};
use lambdav_simd_backend::{Compiler, SimdKernel, Target};

/// Two outputs of different widths; they use a derivative, a value of the primitive and one of the
/// frame.
const SHADER: &str = "(uniform tint vec2 (vec2 1 2)) (uniform scale num 3)
    (define p (.xy (frag-coord)))
    (define bright (sqrt (+ (.x tint) (time))))
    (output 0 (* bright (dfdy (* (.x p) (.y p) (.y p)))))
    (output 1 (vec3 (* scale p) (.y tint)))";

fn all_outputs() -> Program {
    let (core, diagnostics) = compile(&SourceFile::new("test.lv", SHADER));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    schedule(&core.expect("no errors"), &[0, 1]).expect("it nests little")
}

/// The index of `tint`.
const OF_PRIMITIVE: &[u32] = &[0];

fn inputs() -> Inputs {
    let words = |numbers: &[f32]| numbers.iter().map(|n| n.to_bits()).collect();
    let uniforms = vec![words(&[1.0, 2.0]), words(&[3.0])];
    Inputs { uniforms, resolution: [13.0, 7.0], ..Inputs::default() }
}

fn kernel(program: Program, name: &str, lanes: u32, is_listed: bool) -> Option<SimdKernel> {
    let target = Target::named(name).ok()??;
    let mut compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
    if is_listed {
        compiler = compiler.listed(OF_PRIMITIVE.to_vec());
    }
    let kernel = SimdKernel::with_compiler(program, &inputs(), 100, compiler);
    Some(kernel.expect("it compiles"))
}

fn size() -> Size {
    Size::new(13, 7).expect("a small size")
}

/// The value of samples that no kernel has written.
const UNTOUCHED: f32 = -77.0;

fn drawn(kernel: &impl Kernel, tile: Tile) -> Vec<f32> {
    let mut samples = vec![UNTOUCHED; kernel.attachments() * tile.samples()];
    let mut pixels = TileBuffer::with_attachments(tile, kernel.attachments(), &mut samples);
    kernel.tile(tile, &mut pixels, &Cancel::never(size())).expect("there are no loops");
    samples
}

/// Each attachment equals its output drawn alone: in whole and partial groups, in rows and listed.
#[test]
fn attachments_are_outputs() {
    let (core, _) = compile(&SourceFile::new("test.lv", SHADER));
    let core = core.expect("no errors");
    let alone = |location| schedule(&core, &[location]).expect("it nests little");
    let tiles = [Tile::whole(size()), Tile { x: 3, y: 1, width: 9, height: 5 }];
    for name in Target::here() {
        for lanes in [1, 4, 8, 16, 32] {
            for tile in tiles {
                let draw = |program, is_listed| {
                    Some(drawn(&kernel(program, name, lanes, is_listed)?, tile))
                };
                let Some(first) = draw(alone(0), false) else { continue };
                let expected = [first, draw(alone(1), false).expect("it is there")].concat();
                assert!(!expected.contains(&UNTOUCHED), "all pixels are drawn");
                for is_listed in [false, true] {
                    let found = draw(all_outputs(), is_listed).expect("it is there");
                    assert_eq!(found, expected, "{name}, {lanes} lanes, listed: {is_listed}");
                }
            }
        }
    }
}

/// A call uses the words of its own primitive, not the bound ones, and leaves other pixels
/// unchanged.
#[test]
fn a_call_has_its_primitive() {
    let tile = Tile::whole(size());
    for name in Target::here() {
        for lanes in [1, 4, 16] {
            let Some(kernel) = kernel(all_outputs(), name, lanes, true) else { continue };
            let mut samples = vec![UNTOUCHED; 2 * tile.samples()];
            let mut pixels = TileBuffer::with_attachments(tile, 2, &mut samples);
            let quads = [
                Quad { x: 4, y: 2, run: 0b1111, stored: 0b0001 },
                Quad { x: 8, y: 0, run: 0b0110, stored: 0b0100 },
            ];
            let primitive = [24.0_f32, 5.0].map(f32::to_bits);
            let done = kernel.quads(&quads, &primitive, &mut pixels, &Cancel::never(size()));
            done.expect("there are no loops");
            let stored = [(4, 2), (8, 1)];
            for (at, pixel) in samples.as_chunks::<4>().0.iter().enumerate() {
                let (x, y) = ((at % 13) as u32, (at / 13 % 7) as u32);
                let expected = match (stored.contains(&(x, y)), at / (13 * 7)) {
                    (false, _) => [UNTOUCHED; 4],
                    (true, 1) => [3.0 * (x as f32 + 0.5), 3.0 * (y as f32 + 0.5), 5.0, 1.0],
                    (true, _) => {
                        // The difference of the quad's rows, times √24.
                        let square =
                            |y: u32| (x as f32 + 0.5) * (y as f32 + 0.5) * (y as f32 + 0.5);
                        let difference = square(y | 1) - square(y & !1);
                        [24.0_f32.sqrt() * difference, 0.0, 0.0, 1.0]
                    }
                };
                assert_eq!(*pixel, expected, "{name}, {lanes} lanes, ({x}, {y})");
            }
        }
    }
}

fn listed(width: Width) -> LaneProgram {
    let options =
        Options { items: Items::Listed, of_primitive: OF_PRIMITIVE, ..Options::new(width) };
    lanes::lower(&all_outputs(), &options)
}

#[test]
fn what_a_primitive_has_alike_is_computed_once() {
    let program = listed(Width::Quads);
    assert_eq!(lanes::verify(&program), Ok(()));
    assert_eq!((program.attachments(), program.primitive_words), (2, 2));
    let first = program.frame_len;
    let statements = &program.block(LaneProgram::ROOT).statements[first..][..program.primitive_len];
    let is_root = |statement: &LaneStatement| {
        matches!(statement, LaneStatement::Let { expr: LaneExpr::Op(lanes::LaneOp::Sqrt, _), .. })
    };
    assert!(statements.iter().any(is_root), "{program}");
    // Without hoisting, the operation stays where the schedule puts it.
    let options = Options {
        hoist: false,
        items: Items::Listed,
        of_primitive: OF_PRIMITIVE,
        ..Options::new(Width::Quads)
    };
    let program = lanes::lower(&all_outputs(), &options);
    assert_eq!((program.frame_len, program.primitive_len), (0, 0));
}

#[track_caller]
fn broken_lanes(change: impl FnOnce(&mut LaneProgram) -> String) {
    let mut program = listed(Width::Quads);
    let message = change(&mut program);
    let errors = lanes::verify(&program).expect_err("it is broken");
    let found: Vec<_> = errors.iter().map(|e| (e.block, e.message.as_str())).collect();
    assert_eq!(found, [(BlockId(0), message.as_str())]);
}

#[test]
fn lane_programs_are_verified() {
    // A primitive has a fixed number of words, and values computed once for it depend on nothing
    // that varies.
    broken_lanes(|program| {
        let statements = &mut program.blocks[0].statements;
        let word = statements.iter_mut().find_map(|statement| match statement {
            LaneStatement::Let { value, expr: LaneExpr::Primitive(word) } => Some((value, word)),
            _ => None,
        });
        let (value, word) = word.expect("the program has it");
        *word = 2;
        format!("{value}: no primitive has a word 2")
    });
    broken_lanes(|program| {
        let next = program.frame_len + program.primitive_len;
        let values = program.blocks[0].statements[next].values().to_vec();
        program.primitive_len += 1;
        format!("{values:?} is not of the primitive")
    });
    broken_lanes(|program| {
        let find = |statement: &LaneStatement| match statement {
            LaneStatement::Let { value, expr: LaneExpr::Primitive(_) } => Some(*value),
            _ => None,
        };
        let value = program.blocks[0].statements.iter().find_map(find).expect("the program has it");
        program.values[value.index()].rate = Rate::FRAME;
        format!("{value} has a rate below its operands'")
    });
    // Each attachment has four channels.
    broken_lanes(|program| {
        let lanes::LaneEnd::Yield(values) = &mut program.blocks[0].end else { unreachable!() };
        *values = values[..7].into();
        "no pixel is yielded".into()
    });
}

#[track_caller]
fn broken_registers(change: impl FnOnce(&mut RegisterProgram) -> (Instr, String)) {
    let target = Target::named(Target::BASELINE).expect("a machine").expect("it is one of them");
    let compiler = Compiler { lanes: Some(8), ..Compiler::new(target) };
    let compiler = compiler.listed(OF_PRIMITIVE.to_vec());
    let lanes = compiler.lane_program(&all_outputs());
    let mut program = compiler.unspilled(&lanes, compiler.choice(&lanes).shape);
    assert_eq!(registers::verify(&program), Ok(()));
    let (instr, message) = change(&mut program);
    program.row.blocks[0].instrs.insert(0, instr);
    let errors = registers::verify(&program).expect_err("it is broken");
    assert_eq!(errors[0].message, message, "{program}");
}

fn new(program: &mut RegisterProgram, ty: RegisterType) -> Reg {
    program.row.registers.push(ty);
    Reg(program.row.registers.len() as u32 - 1)
}

#[test]
fn register_programs_are_verified() {
    let (number, address) = (RegisterType::Scalar(Kind::F32), RegisterType::Scalar(Kind::I64));
    broken_registers(|program| {
        let to = new(program, number);
        (Instr::Primitive(to, 2), "there is no primitive word 2".into())
    });
    broken_registers(|program| {
        let to = new(program, address);
        (Instr::Primitive(to, 0), format!("{to} is no word"))
    });
    broken_registers(|program| {
        let to = new(program, RegisterType::Vector(Kind::Mask));
        (Instr::ExecutionMask(to, 0), "listed lanes have their own".into())
    });
    broken_registers(|program| {
        let to = new(program, address);
        (Instr::Argument(to, Argument::Stride), "Listed have no Stride".into())
    });
    broken_registers(|program| {
        let [to, group] = [RegisterType::Vector(Kind::F32), address].map(|ty| new(program, ty));
        program.row.blocks[0].instrs.insert(0, Instr::Argument(group, Argument::Lanes));
        let instr = Instr::Lanes(to, Column::X, 2, group);
        program.row.blocks[0].instrs.insert(1, instr);
        let unused = new(program, number);
        (Instr::Constant(unused, 0), "there is no column register 2".into())
    });
}

/// Quads without running pixels make no group.
#[test]
fn quads_that_do_not_run_cost_nothing() {
    let tile = Tile::whole(size());
    let Some(kernel) = kernel(all_outputs(), Target::BASELINE, 8, true) else {
        panic!("the baseline is everywhere")
    };
    let mut samples = vec![UNTOUCHED; 2 * tile.samples()];
    let mut pixels = TileBuffer::with_attachments(tile, 2, &mut samples);
    let none: Vec<Quad> = Quad::of_tile(tile).map(|q| Quad { run: 0, stored: 0, ..q }).collect();
    for quads in [&[][..], &none] {
        let done = kernel.quads(quads, &[0; 2], &mut pixels, &Cancel::never(size()));
        done.expect("nothing runs");
    }
    assert!(samples.iter().all(|&sample| sample == UNTOUCHED));
}
