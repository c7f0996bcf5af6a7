//! Constants of type f32 have the bits of the running program.
//!
//! Each function is drawn for many operands, which lie in a buffer. Then a text asserts for each of them that the
//! constant has the same bits. `OPERANDS=10000` takes more operands than the gate does.

use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_engine::{Options, Size};
use lambdav_test_support::Random;
use lambdav_wgsl_frontend::compile;
use lambdav_wgsl_tests::builtins::{Builtin, Shape};
use lambdav_wgsl_tests::compare::shader;
use std::fmt::Write;

/// A call of a function, and the number of its operands, which are `{a}`, `{b}`, `{c}` in it.
fn functions() -> Vec<(String, usize)> {
    let mut all: Vec<(String, usize)> = Vec::new();
    for builtin in Builtin::ALL {
        let count = match builtin.shape() {
            Shape::Floats(count) | Shape::Numbers(count) | Shape::Length(count) => count,
            Shape::Signed => 1,
            Shape::Mix => 3,
            _ => continue,
        };
        let (name, member) = builtin.name().split_once('.').unwrap_or((builtin.name(), ""));
        let dot = if member.is_empty() { "" } else { "." };
        let operands = &["{a}", "{b}", "{c}"][..count];
        all.push((format!("{name}({}){dot}{member}", operands.join(", ")), count));
    }
    for operator in ["+", "-", "*", "/", "%"] {
        all.push((format!("{{a}} {operator} {{b}}"), 2));
    }
    for (text, count) in [
        ("-{a}", 1),
        ("f32(i32({a}))", 1),
        ("f32(u32({a}))", 1),
        ("dot(vec2f({a}, {b}), vec2f({c}, 0.5f))", 3),
        ("length(vec3f({a}, {b}, {c}))", 3),
        ("normalize(vec3f({a}, {b}, {c})).x", 3),
        ("cross(vec3f({a}, {b}, {c}), vec3f(1f, 0.3f, -2f)).y", 3),
        ("reflect(vec2f({a}, {b}), vec2f({c}, 0.5f)).x", 3),
        ("refract(vec2f({a}, {b}), vec2f({c}, 0.5f), 0.75f).y", 3),
        ("determinant(mat2x2f({a}, {b}, {c}, 2f))", 3),
        ("(mat2x2f({a}, {b}, {c}, 2f) * vec2f(0.1f, {a})).x", 3),
        ("ldexp({a}, i32(clamp({b}, -100f, 100f)))", 2),
        ("f32(pack2x16float(vec2f({a}, 1f)))", 1),
    ] {
        all.push((text.to_owned(), count));
    }
    all
}

/// Finite operands: usual ones, all exponents, and special ones.
fn operand(random: &mut Random) -> f32 {
    const SPECIAL: [f32; 12] = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        0.5,
        2.0,
        1e-45,
        -1e-38,
        f32::MAX,
        f32::MIN_POSITIVE,
        1e6,
        16777217.0,
    ];
    match random.below(8) {
        0 => *random.pick(&SPECIAL),
        1 => {
            let any = f32::from_bits(random.bits() as u32);
            if any.is_finite() { any } else { 3.0 }
        }
        2..5 => (random.below(2001) as f32 - 1000.0) / 1000.0,
        _ => (random.below(1 << 24) as f32 - (1 << 23) as f32) / (1 << 17) as f32,
    }
}

/// A literal of type f32.
fn literal(x: f32) -> String {
    let sign = if x.is_sign_negative() { "-" } else { "" };
    let bits = x.to_bits() & 0x7fff_ffff;
    let (exponent, fraction) = ((bits >> 23) as i32, bits & 0x7f_ffff);
    match exponent {
        0 => format!("({sign}0x{fraction:x}p-149f)"),
        _ => format!("({sign}0x{:x}p{}f)", fraction | 1 << 23, exponent - 150),
    }
}

fn filled(call: &str, operands: &[String; 3]) -> String {
    call.replace("{a}", &operands[0]).replace("{b}", &operands[1]).replace("{c}", &operands[2])
}

#[test]
fn constants_have_the_bits_of_the_running_program() {
    let count = std::env::var("OPERANDS").map_or(200, |text| text.parse().expect("a number"));
    let (mut asserted, mut random) = (0, Random::new(7));
    for (call, parameters) in functions() {
        let operands: Vec<[f32; 3]> =
            (0..count).map(|_| std::array::from_fn(|_| operand(&mut random))).collect();
        let at = ["a", "b", "c"].map(|name| format!("own.{name}"));
        let text = format!(
            "struct Operands {{ a: f32, b: f32, c: f32 }}
            @group(0) @binding(0) var<storage, read> all: array<Operands>;
            @fragment fn main(@builtin(position) at: vec4f) -> @location(0) vec4f {{
                let own = all[u32(at.x)];
                return vec4f({}, 0, 0, 1);
            }}",
            filled(&call, &at)
        );
        let shader = shader(&text).unwrap_or_else(|error| panic!("{call}: {error}"));
        let size = Size::new(count, 1).expect("it is small");
        let pipeline = shader.pipeline(&Options::default().for_size(size)).expect("it is small");
        let mut bindings = pipeline.bindings();
        let words: Vec<f32> = operands.as_flattened().to_vec();
        bindings.bind("all", lambdav_engine::DataRef::Nums(&words)).expect("it is the buffer");
        let frame = pipeline.render(&bindings, size).expect("it ends");
        let values: Vec<f32> = frame.pixels().iter().map(|pixel| pixel[0]).collect();
        let mut here = 0;
        let finite = operands.iter().zip(&values).filter(|(_, value)| value.is_finite());
        let finite: Vec<(&[f32; 3], &f32)> = finite.collect();
        for chunk in finite.chunks(2000) {
            let mut text = String::new();
            for (operands, value) in chunk {
                let call = filled(&call, &operands.map(literal));
                let bits = value.to_bits();
                writeln!(text, "const_assert bitcast<u32>({call}) == {bits:#x}u;").expect("text");
            }
            let options =
                lambdav_wgsl_frontend::Options { most: chunk.len(), ..Default::default() };
            let compiled =
                compile(SourceFile::new("constants.wgsl", &*text), &options, &mut NoFiles);
            // What overflows on the way, or has bounds in the wrong order, is an error of its own.
            let is_other = |message: &str| !message.contains("does not hold");
            let mut others = 0;
            for found in &compiled.diagnostics {
                let place =
                    &text[found.primary.span.start as usize..found.primary.span.end as usize];
                assert!(is_other(&found.message), "{place}: another constant");
                assert_eq!(found.code, DiagnosticCode::WgslConstant, "{place}: {}", found.message);
                others += 1;
            }
            here += chunk.len() - others;
        }
        println!("{call}: {here} of {count} with {parameters} operands");
        assert!(here * 4 > count as usize, "{call}: only {here} constants");
        asserted += here;
    }
    assert!(asserted > 50 * count as usize / 2, "{asserted}");
}
