//! Hand-written programs with known pictures, after reports of faults in other compilers.

use lambdav_engine::Engine;
use lambdav_glsl_tests::builtins::Builtin;
use lambdav_glsl_tests::compare::compare;
use lambdav_glsl_tests::compiler::Compiler;
use lambdav_glsl_tests::dialect::Dialect;
use lambdav_glsl_tests::program::{
    Binary, Case, Direction, Expr, Function, Item, Kind, Program, Scalar, Statement, Structure,
    Type, VariableId,
};
use lambdav_glsl_tests::{Origin, picture};
use lambdav_test_support::has_tool;

const FLOAT: Type = Type::FLOAT;

fn vec(width: u8) -> Type {
    Type::of(Scalar::Float, width)
}

fn float(value: f32) -> Expr {
    Expr::float(value)
}

fn two(ty: Type, op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::binary(ty, op, a, b)
}

fn swizzle(of: Expr, components: &[u8]) -> Expr {
    let scalar = of.ty.scalar().expect("a vector has components");
    let ty = Type::of(scalar, components.len() as u8);
    Expr::new(ty, Kind::Swizzle(Box::new(of), components.to_vec(), 0))
}

fn construct(ty: Type, parts: Vec<Expr>) -> Expr {
    Expr::new(ty, Kind::Construct(parts))
}

fn conditional(condition: Expr, yes: f32, no: f32) -> Expr {
    let arms = [yes, no].map(|value| Box::new(float(value)));
    let [yes, no] = arms;
    Expr::new(FLOAT, Kind::Conditional(Box::new(condition), yes, no))
}

fn set(target: Expr, value: Expr) -> Statement {
    change(None, target, value)
}

fn change(op: Option<Binary>, target: Expr, value: Expr) -> Statement {
    let kind = Kind::Assign(op, Box::new(target.clone()), Box::new(value));
    Statement::Expression(Expr::new(target.ty, kind))
}

fn declare(variable: VariableId, value: Expr) -> Statement {
    Statement::Declare { variables: vec![(variable, Some(value))], is_const: false }
}

fn count(target: Expr) -> Expr {
    let ty = target.ty.clone();
    Expr::new(ty, Kind::Step { target: Box::new(target), is_prefix: false, is_decrement: false })
}

/// `gl_FragCoord.x`.
fn x(program: &Program) -> Expr {
    swizzle(program.read(program.position), &[0])
}

fn output(program: &mut Program, parts: [Expr; 4]) {
    let value = construct(vec(4), parts.to_vec());
    program.main.push(set(program.read(program.output), value));
}

/// Compares pixels of an 8×8 picture, and the picture with glslang's.
fn expect(program: &Program, pixels: &[([u32; 2], [f32; 4])]) {
    let found = picture(program, 8, 8, Origin::UpperLeft).expect("it has no mistake");
    for &([x, y], expected) in pixels {
        assert_eq!(found[(y * 8 + x) as usize].map(f32::from_bits), expected, "pixel ({x}, {y})");
    }
    if has_tool("glslangValidator") {
        let engines = [Engine::Simd, Engine::Core];
        compare(program, Compiler::Glslang, &engines)
            .unwrap_or_else(|mismatch| panic!("{mismatch}"));
    }
}

#[test]
fn the_right_operand_is_evaluated_only_if_it_decides() {
    let mut program = Program::new(Dialect::Vulkan);
    let hits = program.variable("hits", FLOAT);
    program.items.push(Item::Global { variable: hits, value: Some(float(0.0)), is_const: false });
    let count = change(Some(Binary::Add), program.read(hits), float(1.0));
    let truth = Expr::literal(Scalar::Bool, 1);
    program.functions.push(Function {
        name: "touch".into(),
        parameters: Vec::new(),
        result: Type::BOOL,
        body: vec![count, Statement::Return(Some(truth))],
    });
    program.items.push(Item::Function(0));
    let touch = || Expr::new(Type::BOOL, Kind::Call(0, Vec::new()));
    let [far, both, either] =
        ["far", "both", "either"].map(|name| program.variable(name, Type::BOOL));
    let is_far = two(Type::BOOL, Binary::Greater, x(&program), float(4.0));
    program.main = vec![
        declare(far, is_far),
        declare(both, two(Type::BOOL, Binary::And, program.read(far), touch())),
        declare(either, two(Type::BOOL, Binary::Or, program.read(far), touch())),
    ];
    let quarter = two(FLOAT, Binary::Mul, program.read(hits), float(0.25));
    let flags = [both, either].map(|flag| conditional(program.read(flag), 1.0, 0.0));
    let [both, either] = flags;
    output(&mut program, [quarter, both, either, float(1.0)]);
    expect(&program, &[([0, 0], [0.25, 0.0, 1.0, 1.0]), ([7, 0], [0.25, 1.0, 1.0, 1.0])]);
}

#[test]
fn continue_goes_to_the_condition_of_do() {
    let mut program = Program::new(Dialect::Vulkan);
    let (n, s) = (program.variable("n", Type::INT), program.variable("s", FLOAT));
    let column = two(Type::INT, Binary::Rem, construct(Type::INT, vec![x(&program)]), Expr::int(2));
    let low = two(Type::INT, Binary::BitAnd, program.read(n), Expr::int(1));
    let is_same = two(Type::BOOL, Binary::Equal, low, column);
    let number = construct(FLOAT, vec![program.read(n)]);
    let body = vec![
        Statement::Expression(count(program.read(n))),
        Statement::If(is_same, vec![Statement::Continue], None),
        change(Some(Binary::Add), program.read(s), number.clone()),
    ];
    let condition = two(Type::BOOL, Binary::Less, program.read(n), Expr::int(6));
    program.main =
        vec![declare(n, Expr::int(0)), declare(s, float(0.0)), Statement::DoWhile(body, condition)];
    let sum = program.read(s);
    output(&mut program, [sum, number, float(0.0), float(1.0)]);
    expect(&program, &[([0, 0], [9.0, 6.0, 0.0, 1.0]), ([1, 0], [12.0, 6.0, 0.0, 1.0])]);
}

#[test]
fn swizzles_of_swizzles_are_places() {
    let mut program = Program::new(Dialect::Vulkan);
    let v = program.variable("v", vec(4));
    let zero = construct(vec(4), [0.0, 0.0, 0.0, 1.0].map(float).to_vec());
    let first = swizzle(swizzle(program.read(v), &[0, 1, 2]), &[2, 0]);
    let second = swizzle(swizzle(swizzle(program.read(v), &[3, 2, 1, 0]), &[2, 3]), &[0]);
    program.main = vec![
        declare(v, zero),
        set(first, construct(vec(2), vec![float(0.25), float(0.5)])),
        change(Some(Binary::Add), second, float(0.125)),
        set(program.read(program.output), program.read(v)),
    ];
    expect(&program, &[([0, 0], [0.5, 0.125, 0.25, 1.0])]);
}

#[test]
fn global_initialisers_run_in_order() {
    let mut program = Program::new(Dialect::Vulkan);
    let [a, b] = ["a", "b"].map(|name| program.variable(name, FLOAT));
    let f = program.variable("f", vec(4));
    let twice = two(FLOAT, Binary::Mul, program.read(a), float(2.0));
    let half = two(vec(4), Binary::Mul, program.read(program.position), float(0.5));
    for (variable, value) in [(a, float(0.25)), (b, twice), (f, half)] {
        program.items.push(Item::Global { variable, value: Some(value), is_const: false });
    }
    let sum = two(FLOAT, Binary::Add, program.read(b), program.read(b));
    let parts = [program.read(b), program.read(a), sum, swizzle(program.read(f), &[0])];
    output(&mut program, parts);
    expect(&program, &[([0, 0], [0.5, 0.25, 1.0, 0.25]), ([7, 0], [0.5, 0.25, 1.0, 3.75])]);
}

#[test]
fn a_structure_is_copied_in_and_out() {
    let mut program = Program::new(Dialect::Vulkan);
    let fields = ["x", "y"].map(|name| (name.to_owned(), FLOAT)).to_vec();
    program.structures.push(Structure { name: "M".into(), fields });
    program.items.push(Item::Structure(0));
    let ty = Type::Structure(0);
    let [d, m] = ["d", "m"].map(|name| program.variable(name, ty.clone()));
    let s = program.variable("s", FLOAT);
    let field = |of: Expr, k: usize| Expr::new(FLOAT, Kind::Field(Box::new(of), k));
    let scaled = |program: &Program, k: usize| {
        let product = two(FLOAT, Binary::Mul, field(program.read(m), k), program.read(s));
        change(Some(Binary::Add), field(program.read(d), k), product)
    };
    let body =
        vec![scaled(&program, 0), scaled(&program, 1), set(field(program.read(m), 0), float(9.0))];
    program.functions.push(Function {
        name: "add".into(),
        parameters: vec![(d, Direction::InOut), (m, Direction::In), (s, Direction::In)],
        result: Type::Void,
        body,
    });
    program.items.push(Item::Function(0));
    let [a, b] = ["a", "b"].map(|name| program.variable(name, ty.clone()));
    let call = |program: &Program, other: VariableId, by: f32| {
        let arguments = vec![program.read(a), program.read(other), float(by)];
        Statement::Expression(Expr::new(Type::Void, Kind::Call(0, arguments)))
    };
    program.main = vec![
        declare(a, construct(ty.clone(), vec![float(0.25), float(0.5)])),
        declare(b, construct(ty, vec![float(1.0), float(0.25)])),
        call(&program, b, 0.5),
        call(&program, a, 1.0),
    ];
    let parts = [(a, 0), (a, 1), (b, 0), (b, 1)].map(|(of, k)| field(program.read(of), k));
    output(&mut program, parts);
    expect(&program, &[([0, 0], [1.5, 1.25, 1.0, 0.25])]);
}

#[test]
fn an_out_argument_is_a_swizzle() {
    let mut program = Program::new(Dialect::Vulkan);
    let [w, f] = ["w", "f"].map(|name| program.variable(name, vec(4)));
    let numbers = construct(vec(4), [1.75, -2.5, 3.25, 0.5].map(float).to_vec());
    let place = swizzle(program.read(w), &[1, 3, 2, 0]);
    let modf = Expr::builtin(vec(4), Builtin::Modf, vec![numbers, place]);
    program.main = vec![
        declare(w, construct(vec(4), vec![float(9.0)])),
        declare(f, modf),
        set(
            program.read(program.output),
            two(vec(4), Binary::Add, program.read(w), program.read(f)),
        ),
    ];
    expect(&program, &[([0, 0], [0.75, 0.5, 3.25, -1.5])]);
}

/// glslang 12 gives `modf` a pointer. The front end for SPIR-V once lost such a store in a loop.
#[test]
fn an_out_argument_in_a_loop_is_stored() {
    let mut program = Program::new(Dialect::Vulkan);
    let g = program.variable("g", vec(2));
    let i = program.variable("i", Type::INT);
    let place = swizzle(program.read(g), &[0]);
    let modf = Expr::builtin(FLOAT, Builtin::Modf, vec![x(&program), place]);
    program.main = vec![
        declare(g, construct(vec(2), vec![float(9.0), float(3.0)])),
        Statement::For {
            first: Some(Box::new(declare(i, Expr::int(0)))),
            condition: Some(two(Type::BOOL, Binary::Less, program.read(i), Expr::int(2))),
            step: Some(count(program.read(i))),
            body: vec![Statement::Expression(modf)],
        },
    ];
    let parts = [0, 1].map(|k| swizzle(program.read(g), &[k]));
    let [a, b] = parts;
    output(&mut program, [a, b, float(0.0), float(1.0)]);
    expect(&program, &[([0, 0], [0.0, 3.0, 0.0, 1.0]), ([5, 0], [5.0, 3.0, 0.0, 1.0])]);
}

#[test]
fn nan_is_unequal() {
    let mut program = Program::new(Dialect::Vulkan);
    let q = program.variable("q", FLOAT);
    let zero = two(FLOAT, Binary::Sub, x(&program), float(0.5));
    program.main = vec![declare(q, two(FLOAT, Binary::Div, zero.clone(), zero))];
    let test = |program: &Program, op, with: Expr| {
        conditional(two(Type::BOOL, op, program.read(q), with), 1.0, 0.0)
    };
    let is_nan = Expr::builtin(Type::BOOL, Builtin::IsNan, vec![program.read(q)]);
    let parts = [
        test(&program, Binary::NotEqual, program.read(q)),
        test(&program, Binary::Equal, program.read(q)),
        test(&program, Binary::NotEqual, float(3.0)),
        conditional(is_nan, 1.0, 0.0),
    ];
    output(&mut program, parts);
    expect(&program, &[([0, 0], [1.0, 0.0, 1.0, 1.0]), ([1, 0], [0.0, 1.0, 1.0, 0.0])]);
}

#[test]
fn cases_fall_through_to_default_in_the_middle() {
    let mut program = Program::new(Dialect::Vulkan);
    let r = program.variable("r", FLOAT);
    let add = |program: &Program, by: f32| change(Some(Binary::Add), program.read(r), float(by));
    let cases = vec![
        Case { labels: vec![Some(0)], body: vec![add(&program, 1.0)] },
        Case { labels: vec![None, Some(3)], body: vec![add(&program, 2.0), Statement::Break] },
        Case { labels: vec![Some(1)], body: vec![add(&program, 4.0)] },
        Case { labels: vec![Some(2)], body: vec![Statement::Block(vec![add(&program, 8.0)])] },
    ];
    program.main = vec![
        declare(r, float(0.0)),
        Statement::Switch(construct(Type::INT, vec![x(&program)]), cases),
    ];
    let sum = program.read(r);
    output(&mut program, [sum, float(0.0), float(0.0), float(1.0)]);
    let pixel = |x: u32, sum: f32| ([x, 0], [sum, 0.0, 0.0, 1.0]);
    expect(&program, &[pixel(0, 3.0), pixel(1, 12.0), pixel(2, 8.0), pixel(3, 2.0), pixel(7, 2.0)]);
}

#[test]
fn derivatives_are_differences_in_the_quad() {
    let mut program = Program::new(Dialect::Vulkan);
    let y = swizzle(program.read(program.position), &[1]);
    let product = two(FLOAT, Binary::Mul, x(&program), y);
    let parts = [Builtin::DFdx, Builtin::DFdy, Builtin::FWidth]
        .map(|builtin| Expr::builtin(FLOAT, builtin, vec![product.clone()]));
    let [dx, dy, sum] = parts;
    output(&mut program, [dx, dy, sum, float(1.0)]);
    expect(&program, &[([2, 1], [1.5, 2.5, 4.0, 1.0]), ([3, 0], [0.5, 3.5, 4.0, 1.0])]);
}

#[test]
fn a_discarded_pixel_is_cleared() {
    let mut program = Program::new(Dialect::Vulkan);
    let is_far = two(Type::BOOL, Binary::Greater, x(&program), float(4.0));
    program.main.push(Statement::If(is_far, vec![Statement::Discard], None));
    output(&mut program, [0.25, 0.5, 0.75, 1.0].map(float));
    expect(&program, &[([0, 0], [0.25, 0.5, 0.75, 1.0]), ([5, 3], [0.0; 4])]);
}
