//! Every builtin on special operands: zeros, subnormal numbers, infinities, NaN and values near the bounds of
//! its domain. All accepted types, in machine code at all numbers of lanes against the core evaluator.

use lambdav_core::float::canonical_bits;
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use lambdav_engine::Settings;
use lambdav_engine::engines::{CoreEngine, SimdEngine};
use lambdav_engine::program::Loaded;
use lambdav_frontend::builtins::{Builtin, Operand, OperationKind};
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Tile, TileBuffer};
use lambdav_simd_backend::registers::Shape;
use std::fmt::Write as _;

/// Components of operands, chosen by a pixel's column and row. The first two go through all pairs.
const VALUES: [f32; 24] = [
    0.0,
    -0.0,
    f32::from_bits(1),
    -f32::from_bits(0x7f_ffff),
    f32::MIN_POSITIVE,
    -f32::MIN_POSITIVE,
    0.5,
    -0.5,
    0.999_999_94,
    1.0,
    -1.0,
    1.5,
    -2.5,
    3.7,
    -1e-20,
    8_388_607.5,
    -16_777_217.0,
    3e9,
    -3e19,
    f32::MAX,
    f32::MIN,
    f32::INFINITY,
    f32::NEG_INFINITY,
    f32::NAN,
];

const SIDE: u32 = VALUES.len() as u32;

fn types() -> Vec<Type> {
    let scalars = [Scalar::F32, Scalar::Bool, Scalar::I32, Scalar::U32];
    let vectors = (1..=4).flat_map(|n| scalars.map(|scalar| Type::of(scalar, n)));
    vectors.chain((2..=4).map(Type::mat)).collect()
}

/// Operand types accepted by a builtin. For more than two operands: those of equal types, and one in seven of
/// the others.
fn overloads(builtin: Builtin) -> Vec<(Vec<Type>, Type)> {
    let (least, most) = builtin.arity();
    let mut found = Vec::new();
    let mut combinations: Vec<Vec<Type>> = vec![Vec::new()];
    for arity in 0..=most.unwrap_or(3).min(4) {
        if arity >= least && arity > 0 {
            let accepted = combinations.iter().enumerate().filter_map(|(i, types)| {
                let operands: Vec<Operand> = types.iter().map(|&ty| Operand::from(ty)).collect();
                let ty = builtin.resolve(&operands).ok()?.result;
                (arity < 3 || types.windows(2).all(|t| t[0] == t[1]) || i % 7 == 0)
                    .then(|| (types.clone(), ty))
            });
            found.extend(accepted);
        }
        combinations = combinations
            .iter()
            .flat_map(|known| types().into_iter().map(|ty| [&known[..], &[ty]].concat()))
            .collect();
    }
    found
}

/// The steps of each component's index in x and y. The first two components go through all pairs, and the
/// steps differ, so that all kinds of values meet.
const STEPS: [(u32, u32); 6] = [(1, 0), (0, 1), (7, 5), (1, 11), (13, 1), (5, 7)];

/// An expression for an operand whose components are the values from `first` on.
fn operand(ty: Type, first: usize) -> String {
    let component = |i: usize| format!("p{}", (first + i) % STEPS.len());
    match Types::default().components(ty) {
        1 => numbers(ty, &component(0), first),
        n => {
            let components: String = (0..n).map(|i| format!(" {}", component(i))).collect();
            let constructor = if ty.is_matrix() { ty } else { Type::vec(n as u8) };
            let constructor = constructor.name().expect("it is builtin");
            numbers(ty, &format!("({constructor}{components})"), first)
        }
    }
}

/// Converts a value with `num` components to the type. Alternate integer operands are the numbers and their
/// bits.
fn numbers(ty: Type, value: &str, first: usize) -> String {
    match ty.scalar() {
        Some(Scalar::Bool) => format!("(< {value} 1)"),
        Some(Scalar::I32) if first.is_multiple_of(2) => format!("(int (bits {value}))"),
        Some(Scalar::I32) => format!("(int {value})"),
        Some(Scalar::U32) if first.is_multiple_of(2) => format!("(bits {value})"),
        Some(Scalar::U32) => format!("(uint {value})"),
        Some(Scalar::F32) | None => value.to_owned(),
    }
}

/// A program whose outputs are the components of a call.
fn program(builtin: Builtin, operands: &[Type], result: Type) -> (String, u32) {
    let mut text = String::new();
    writeln!(text, "(uniform values (array {SIDE} num))").expect("to memory");
    text += "(define x (- (.x (frag-coord)) 0.5))\n(define y (- (.y (frag-coord)) 0.5))\n";
    text += "(define (pick i) (at values (int i)))\n";
    for (k, (a, b)) in STEPS.into_iter().enumerate() {
        let index = format!("(mod (+ (+ (* {a} x) (* {b} y)) {k}) {SIDE})");
        writeln!(text, "(define p{k} (pick {index}))").expect("to memory");
    }
    let mut first = 0;
    let mut application = format!("({}", builtin.name());
    for &ty in operands {
        write!(application, " {}", operand(ty, first)).expect("to memory");
        first += Types::default().components(ty);
    }
    writeln!(text, "(define result {application}))").expect("to memory");
    let components = Types::default().components(result) as u32;
    let number = |value: String| {
        if result.is_bool() { format!("(if {value} 1 0)") } else { value }
    };
    // Half of an integer's bits is exactly a number.
    let halves = ["(num (shift-right (uint result) 16u))", "(num (bit-and (uint result) 0xffffu))"];
    let outputs = if let Some(TypeKind::Matrix(_, columns)) = result.builtin() {
        (0..columns).map(|k| format!("(col result {k})")).collect::<Vec<_>>()
    } else if result.is_integer() {
        halves.map(str::to_owned).into()
    } else if components == 1 {
        vec![number("result".to_owned())]
    } else {
        let parts = (0..components).map(|k| number(format!("(at result {k})")));
        vec![format!("(vec{components} {})", parts.collect::<Vec<_>>().join(" "))]
    };
    for (location, output) in outputs.iter().enumerate() {
        writeln!(text, "(output {location} {output})").expect("to memory");
    }
    (text, outputs.len() as u32)
}

fn draw(kernel: &impl Kernel) -> Vec<u32> {
    let size = Size::new(SIDE, SIDE).expect("a small size");
    let mut samples = vec![0.0; (SIDE * SIDE * 4) as usize];
    let tile = Tile { x: 0, y: 0, width: SIDE, height: SIDE };
    let mut buffer = TileBuffer::new(tile, &mut samples);
    kernel.tile(tile, &mut buffer, &Cancel::never(size)).expect("there are no loops");
    // All NaNs are equal.
    samples.into_iter().map(canonical_bits).collect()
}

/// All numbers of lanes for scalars. Vectors and matrices are lowered by components, so they take one number
/// of lanes in turn.
fn lanes(types: &[Type], number: usize) -> &'static [u32] {
    let all = &Shape::LANES[..];
    let is_scalar = types.iter().all(|ty| ty.width() == Some(1));
    if is_scalar { all } else { &all[number % all.len()..][..1] }
}

fn agrees(builtin: Builtin, types: &[Type], result: Type, lanes: &[u32]) {
    let (text, outputs) = program(builtin, types, result);
    let loaded = Loaded::from_text("operands.lv", &text);
    assert!(loaded.diagnostics.iter().all(|d| !d.is_error()), "{text}\n{:?}", loaded.diagnostics);
    let core = loaded.core.expect("no errors");
    let size = Size::new(SIDE, SIDE).expect("a small size");
    let mut settings = Settings::new(&core, size);
    settings.inputs.uniforms = vec![VALUES.map(f32::to_bits).into()];
    for location in 0..outputs {
        let engine = CoreEngine::new(&core, location, &settings).expect("it schedules");
        let expected = draw(&engine);
        for &lanes in lanes {
            let engine = SimdEngine::new(&core, location, &settings, Some(lanes));
            let found = draw(&engine.expect("it compiles"));
            if let Some(at) = (0..expected.len()).find(|&i| expected[i] != found[i]) {
                let (x, y) = (at as u32 / 4 % SIDE, at as u32 / 4 / SIDE);
                let [expected, found] = [expected[at], found[at]].map(f32::from_bits);
                panic!(
                    "{lanes} lanes: component {} at ({x}, {y}) is {found:e}, not {expected:e}, of\n{text}",
                    at % 4
                );
            }
        }
    }
}

fn all_of(kind: OperationKind) {
    let mut count = 0;
    let is_of_kind = |b: &Builtin| b.is_function() && b.kind() == kind && !b.is_of_stage();
    for builtin in Builtin::all().filter(is_of_kind) {
        for (types, result) in overloads(builtin) {
            agrees(builtin, &types, result, lanes(&types, count));
            count += 1;
        }
    }
    println!("{count} overloads");
    assert!(count > 20);
}

#[test]
fn exact_builtins() {
    all_of(OperationKind::Exact);
}

#[test]
fn expanded_builtins() {
    all_of(OperationKind::Expanded);
}

#[test]
fn correctly_rounded_builtins() {
    all_of(OperationKind::CorrectlyRounded);
}
