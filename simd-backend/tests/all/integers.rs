//! All operations of the core on integers, and conversions from and to integers, on operands near
//! limits: machine code of all targets against [`Op::apply`].
//!
//! Operands vary by column and by row, are uniform over the frame, or are constants.

use std::sync::atomic::AtomicU64;

use lambdav_core::float::canonical;
use lambdav_core::graph::{Core, Graph, NodeId, Output, Uniform};
use lambdav_core::inputs::{self, Input};
use lambdav_core::op::Op;
use lambdav_core::schedule::schedule;
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type, Types};
use lambdav_machine_code::Evaluated;
use lambdav_simd_backend::emit::Executable;
use lambdav_simd_backend::kernel::words;
use lambdav_simd_backend::lanes::interpret::{Group, interpret};
use lambdav_simd_backend::lanes::{Options, Width, lower};
use lambdav_simd_backend::registers::{Callable, Inputs, Poll, Row, Shape, Status};
use lambdav_simd_backend::{Compiler, Target};
use lambdav_test_support::{INTEGERS, NUMBERS, Random};

/// The columns and rows of the image.
const SIDES: [u32; 2] = [8, 4];

/// The origin of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    /// Varies by column.
    Columns,
    /// Varies by row.
    Rows,
    /// Uniform over the frame.
    Frame,
    /// A constant of the program for each row.
    Constants,
}

/// An operation with the operands of each pixel.
struct Trial<'a> {
    op: Op,
    types: &'a [Type],
    origins: &'a [Origin],
    /// The words of each operand: one for each column, one for each row, or a single one.
    given: Vec<Vec<u32>>,
}

fn count(origin: Origin) -> usize {
    match origin {
        Origin::Columns => SIDES[0] as usize,
        Origin::Rows | Origin::Constants => SIDES[1] as usize,
        Origin::Frame => 1,
    }
}

fn op(graph: &mut Graph, op: Op, operands: &[NodeId]) -> NodeId {
    graph.op(op, operands.to_vec(), Span::default())
}

/// The value for the pixel's column or row.
fn by_place(graph: &mut Graph, axis: u8, values: &[NodeId]) -> NodeId {
    let coord = graph.input(Input::FragCoord, Span::default());
    let place = op(graph, Op::Component(axis), &[coord]);
    let mut chosen = values[0];
    for (i, &value) in values.iter().enumerate().skip(1) {
        let first = graph.number(i as f32, Span::default());
        let is_before = op(graph, Op::Less, &[place, first]);
        chosen = op(graph, Op::Select, &[is_before, chosen, value]);
    }
    chosen
}

impl Trial<'_> {
    /// A program with the operands' words in uniforms, or as constants.
    fn core(&self) -> Core {
        let mut core = Core::default();
        let graph = &mut core.graph;
        let mut place = Vec::new();
        for ((&ty, &origin), given) in self.types.iter().zip(self.origins).zip(&self.given) {
            // Bools are made from integers.
            let word = if ty == Type::BOOL { Type::UINT } else { ty };
            let words: Vec<NodeId> = given
                .iter()
                .map(|&bits| {
                    if origin == Origin::Constants {
                        return graph.constant(word, &[bits], Span::default());
                    }
                    let index = core.uniforms.len() as u32;
                    let name = format!("u{index}");
                    core.uniforms.push(Uniform { name, ty: word, default: [bits].into() });
                    graph.uniform(index, word, Span::default())
                })
                .collect();
            place.push((ty, origin, words));
        }
        let result = if self.origins.contains(&Origin::Constants) {
            // One result for each row, with the row's constant.
            let rows: Vec<NodeId> = (0..SIDES[1] as usize)
                .map(|row| {
                    let of = place.iter().map(|(_, origin, words)| match origin {
                        Origin::Columns => by_place(graph, 0, words),
                        _ => words[row],
                    });
                    let of: Vec<NodeId> = of.collect();
                    op(graph, self.op, &of)
                })
                .collect();
            by_place(graph, 1, &rows)
        } else {
            let of: Vec<NodeId> = place
                .iter()
                .map(|(ty, origin, words)| {
                    let word = match origin {
                        Origin::Columns => by_place(graph, 0, words),
                        Origin::Rows => by_place(graph, 1, words),
                        Origin::Frame | Origin::Constants => words[0],
                    };
                    if *ty != Type::BOOL {
                        return word;
                    }
                    let zero = graph.constant(Type::UINT, &[0], Span::default());
                    op(graph, Op::NotEqual, &[word, zero])
                })
                .collect();
            op(graph, self.op, &of)
        };
        // Halves of 16 bits are exact as numbers.
        let bits = match graph.value_type(result) {
            Type::UINT => result,
            Type::NUM => op(graph, Op::Bits, &[result]),
            _ => op(graph, Op::Convert(Scalar::U32), &[result]),
        };
        let [mask, sixteen] =
            [0xffff, 16].map(|word| graph.constant(Type::UINT, &[word], Span::default()));
        let low = op(graph, Op::And, &[bits, mask]);
        let high = op(graph, Op::ShiftRight, &[bits, sixteen]);
        let halves = [low, high].map(|half| op(graph, Op::Convert(Scalar::F32), &[half]));
        let node = op(graph, Op::Construct(Type::vec(2)), &halves);
        core.outputs.push(Output { location: 0, node, span: Span::default() });
        core
    }

    /// The words of the operands at a pixel.
    fn operands(&self, x: u32, y: u32) -> Vec<u32> {
        let of = self.types.iter().zip(self.origins).zip(&self.given);
        of.map(|((&ty, &origin), given)| {
            let word = match origin {
                Origin::Columns => given[x as usize],
                Origin::Rows | Origin::Constants => given[y as usize],
                Origin::Frame => given[0],
            };
            if ty == Type::BOOL { u32::from(word != 0) } else { word }
        })
        .collect()
    }

    fn expected(&self, x: u32, y: u32) -> u32 {
        let types = Types::default();
        let operands = self.operands(x, y);
        let operands: Vec<&[u32]> = operands.iter().map(std::slice::from_ref).collect();
        let mut out = [0];
        self.op.apply(&types, self.types, &operands, &mut out);
        let ty = self.op.result_type(&types, self.types).expect("it is defined");
        if ty == Type::NUM { canonical(out[0]) } else { out[0] }
    }
}

/// The targets, each with the numbers of lanes to test.
fn ways() -> Vec<(&'static str, u32)> {
    let of_machine = cfg!(all(unix, target_arch = "x86_64"));
    Target::names()
        .flat_map(|name| Shape::LANES.map(|lanes| (name, lanes)))
        .filter(|&(name, lanes)| match name == Target::BASELINE {
            true => lanes <= 4,
            false => of_machine && [8, 16].contains(&lanes),
        })
        .collect()
}

/// Runs a program on all targets, at all pixels; `more` are further words of its uniforms.
fn check(trial: &Trial<'_>, more: impl Iterator<Item = Vec<Vec<u32>>>) {
    let core = trial.core();
    let program = schedule(&core, &[0]).expect("it nests little");
    let frontier = AtomicU64::new(u64::MAX);
    let here: Vec<&str> = Target::here().collect();
    let mut codes: Vec<(String, Box<dyn Callable>, Shape)> = Vec::new();
    let lane_program = lower(&program, &Options::new(Width::Any));
    for (name, lanes) in ways() {
        let target = Target::named(name).expect("a machine that is not too old");
        let target = target.expect("one of them");
        let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target.clone()) };
        let compiled = compiler.compile(&program).expect("it compiles");
        let shape = compiled.choice.shape;
        let code: Box<dyn Callable> = if here.contains(&name) {
            Box::new(Executable::new(&compiled.code, &target).expect("there is memory"))
        } else {
            Box::new(Evaluated::new(&compiled.code))
        };
        codes.push((format!("{name}, {lanes} lanes"), code, shape));
    }
    for given in std::iter::once(trial.given.clone()).chain(more) {
        let trial = Trial { given, ..*trial };
        let uniforms = trial.given.iter().zip(trial.origins);
        let uniforms = uniforms.filter(|(_, origin)| **origin != Origin::Constants);
        let inputs = inputs::Inputs {
            resolution: SIDES.map(|side| side as f32),
            uniforms: uniforms.flat_map(|(of, _)| of.iter().map(|&w| [w].into())).collect(),
            ..inputs::Inputs::default()
        };
        let inputs = Inputs::of_words(words(&lane_program, &inputs), 1);
        let places: Vec<(u32, u32)> =
            (0..SIDES[1]).flat_map(|y| (0..SIDES[0]).map(move |x| (x, y))).collect();
        let compare = |name: &str, pixel: [f32; 4], (x, y): (u32, u32)| {
            let found = pixel[0] as u32 | (pixel[1] as u32) << 16;
            assert_eq!(
                found,
                trial.expected(x, y),
                "{:?} of {:x?}, {:?} {name}:\n{lane_program}",
                trial.op,
                trial.operands(x, y),
                trial.origins,
            );
        };
        let mask = vec![true; places.len()];
        let group = Group {
            inputs: inputs.words(),
            primitive: &[],
            resources: &[],
            pixels: &places,
            mask: &mask,
            max_iterations: 1,
        };
        let pixels = interpret(&lane_program, &group).expect("there are no loops");
        for (&pixel, &place) in pixels.iter().zip(&places) {
            compare("interpreted", pixel, place);
        }
        for (name, code, shape) in &codes {
            let poll = Poll { frontier: &frontier, first: 0 };
            let (status, slots) = code.frame(&inputs, poll);
            assert_eq!(status, Status::Done);
            let groups = SIDES[0].div_ceil(shape.columns());
            let stride = (groups * shape.columns()) as usize;
            let mask = vec![u32::MAX; shape.lanes() as usize];
            for y in (0..SIDES[1]).step_by(shape.rows() as usize) {
                let mut pixels = vec![[0.0; 4]; stride * shape.rows() as usize];
                let row = Row { x: 0, y, groups, stride, plane: 0 };
                let status = code.row(&inputs, &slots, &mask, poll, row, &mut pixels);
                assert_eq!(status, Status::Done);
                for (i, &pixel) in pixels.iter().enumerate() {
                    let place = ((i % stride) as u32, y + (i / stride) as u32);
                    if place.0 < SIDES[0] && place.1 < SIDES[1] {
                        compare(name, pixel, place);
                    }
                }
            }
        }
    }
}

/// Special and random words of a type.
fn pool(ty: Type, random: &mut Random) -> Vec<u32> {
    let known: &[u32] = match ty {
        Type::NUM => &NUMBERS,
        Type::BOOL => &[0, 1],
        _ => &INTEGERS,
    };
    let more = (0..12).map(|_| random.bits() as u32 >> (random.bits() % 32));
    known.iter().copied().chain(more).collect()
}

/// All pairs of the first two operands, in blocks of columns and rows.
fn pairs<'a>(
    types: &'a [Type],
    origins: &'a [Origin],
    random: &'a mut Random,
) -> impl Iterator<Item = Vec<Vec<u32>>> + 'a {
    let pools: Vec<Vec<u32>> = types.iter().map(|&ty| pool(ty, random)).collect();
    let chunks: Vec<usize> =
        pools.iter().zip(origins).map(|(pool, &of)| pool.len().div_ceil(count(of))).collect();
    let total: usize = chunks.iter().take(2).product();
    (0..total).map(move |i| {
        let mut rest = i;
        let each = pools.iter().zip(&chunks).zip(origins).enumerate();
        each.map(|(operand, ((pool, &chunks), &origin))| {
            let chunk = match operand {
                0 | 1 => rest % chunks,
                _ => random.below(chunks),
            };
            rest /= chunks;
            let first = chunk * count(origin);
            (0..count(origin)).map(|k| pool[(first + k) % pool.len()]).collect()
        })
        .collect()
    })
}

fn trials(operation: Op, types: &[Type], origins: &[Origin]) {
    let mut random = Random::new(7);
    let mut all = pairs(types, origins, &mut random);
    let given = all.next().expect("there are words");
    check(&Trial { op: operation, types, origins, given }, all);
}

const BOTH: [Type; 2] = [Type::INT, Type::UINT];

/// Two varying operands, and one varying operand with one of the frame.
const ORIGINS: [[Origin; 2]; 3] = [
    [Origin::Columns, Origin::Rows],
    [Origin::Frame, Origin::Columns],
    [Origin::Columns, Origin::Frame],
];

fn binary(operations: &[Op]) {
    for &op in operations {
        for ty in BOTH {
            let second = if matches!(op, Op::ShiftLeft | Op::ShiftRight) { Type::UINT } else { ty };
            for origins in &ORIGINS {
                trials(op, &[ty, second], origins);
            }
        }
    }
}

#[test]
fn sums_and_products() {
    binary(&[Op::Add, Op::Sub, Op::Mul, Op::MulHigh]);
}

#[test]
fn orders() {
    binary(&[Op::Min, Op::Max, Op::Less, Op::LessEqual, Op::Equal, Op::NotEqual]);
}

#[test]
fn bits() {
    binary(&[Op::And, Op::Or, Op::Xor, Op::ShiftLeft, Op::ShiftRight]);
}

#[test]
fn divisions() {
    binary(&[Op::Div, Op::Rem]);
}

#[test]
fn scalars_of_the_frame() {
    for op in [Op::Add, Op::Mul, Op::MulHigh, Op::Div, Op::Rem, Op::ShiftLeft, Op::ShiftRight] {
        for ty in BOTH {
            let second = if matches!(op, Op::ShiftLeft | Op::ShiftRight) { Type::UINT } else { ty };
            let mut random = Random::new(5);
            let types = [ty, second];
            let mut given = (0..120).map(|_| {
                types.map(|ty| vec![pool(ty, &mut random)[random.below(INTEGERS.len())]]).to_vec()
            });
            let first = given.next().expect("there are some");
            let origins = [Origin::Frame; 2];
            check(&Trial { op, types: &types, origins: &origins, given: first }, given);
        }
    }
}

#[test]
fn one_operand() {
    for origins in [[Origin::Columns], [Origin::Rows], [Origin::Frame]] {
        for ty in BOTH {
            let other = if ty == Type::INT { Scalar::U32 } else { Scalar::I32 };
            for to in [Scalar::F32, Scalar::Bool, other] {
                trials(Op::Convert(to), &[ty], &origins);
            }
            for op in [Op::Neg, Op::Abs, Op::Not] {
                trials(op, &[ty], &origins);
            }
        }
        for to in [Scalar::I32, Scalar::U32, Scalar::Bool] {
            trials(Op::Convert(to), &[Type::NUM], &origins);
        }
        for to in [Scalar::I32, Scalar::U32, Scalar::F32] {
            trials(Op::Convert(to), &[Type::BOOL], &origins);
        }
        trials(Op::Bits, &[Type::NUM], &origins);
        trials(Op::FromBits, &[Type::UINT], &origins);
    }
}

/// Divisors and shift counts that are constants.
#[test]
fn constants() {
    let mut random = Random::new(3);
    for op in [Op::Div, Op::Rem, Op::ShiftLeft, Op::ShiftRight, Op::MulHigh] {
        for ty in BOTH {
            let second = if matches!(op, Op::ShiftLeft | Op::ShiftRight) { Type::UINT } else { ty };
            let types = [ty, second];
            let divisors = pool(second, &mut random);
            for constants in divisors.chunks_exact(SIDES[1] as usize) {
                let dividends = pool(ty, &mut random);
                let mut near: Vec<u32> = constants
                    .iter()
                    .flat_map(|&d| [0, d.wrapping_sub(1), d, d.wrapping_neg(), d.wrapping_mul(3)])
                    .collect();
                near.extend(dividends);
                let mut all = near.chunks_exact(SIDES[0] as usize);
                let given = |of: &[u32]| vec![of.to_vec(), constants.to_vec()];
                let first = given(all.next().expect("there are some"));
                let origins = [Origin::Columns, Origin::Constants];
                check(
                    &Trial { op, types: &types, origins: &origins, given: first },
                    all.map(given),
                );
            }
        }
    }
}

/// Sums near the middle of two numbers, near zero, or out of range.
#[test]
fn products_and_sums() {
    let types = [Type::NUM; 3];
    for origins in [
        [Origin::Columns, Origin::Rows, Origin::Columns],
        [Origin::Columns, Origin::Columns, Origin::Rows],
        [Origin::Frame, Origin::Columns, Origin::Rows],
        [Origin::Frame; 3],
    ] {
        trials(Op::Fma, &types, &origins);
        let mut random = Random::new(11);
        let mut near = std::iter::repeat_with(|| {
            let any = |random: &mut Random, exponents: u64| {
                let exponent = 127 - exponents / 2 + random.bits() % exponents;
                let few = [0x7f_ffff, 0x7f_f000, 0x40_0000, 0x00_00ff][random.below(4)];
                let bits = exponent << 23 | random.bits() & few | (random.bits() & 1) << 31;
                bits as u32
            };
            origins
                .iter()
                .enumerate()
                .map(|(k, &origin)| {
                    let exponents = if k == 2 { 60 } else { 4 };
                    (0..count(origin)).map(|_| any(&mut random, exponents)).collect()
                })
                .collect::<Vec<Vec<u32>>>()
        });
        let given = near.next().expect("there is no end");
        check(&Trial { op: Op::Fma, types: &types, origins: &origins, given }, near.take(200));
    }
}
