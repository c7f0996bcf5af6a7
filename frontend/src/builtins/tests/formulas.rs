//! Componentwise and geometric builtins, bit for bit against the formulas of LANGUAGE §6.

use super::evaluator::{ConcreteValue, apply};
use super::{RandomOperands, TYPES, tuples};
use crate::builtins::{Builtin, Operand};
use lambdav_core::float::same;
use lambdav_core::types::Type;

/// Random operands per combination of types.
const ROUNDS: usize = 2_000;

fn named(name: &str) -> Builtin {
    Builtin::lookup(name).expect("a builtin")
}

fn numerics() -> Vec<Type> {
    (1..=4).map(Type::vec).collect()
}

/// Compares a builtin, on random operands of these types, with a function of their components.
pub(super) fn compare(name: &str, types: &[Type], formula: impl Fn(&[Vec<f32>]) -> Vec<f32>) {
    let mut random = RandomOperands::new();
    for _ in 0..ROUNDS {
        let operands: Vec<ConcreteValue> = types.iter().map(|&t| random.value(t)).collect();
        let components: Vec<Vec<f32>> = operands.iter().map(ConcreteValue::floats).collect();
        let found = apply(named(name), &operands).floats();
        let expected = formula(&components);
        let agree =
            found.len() == expected.len() && found.iter().zip(&expected).all(|(&a, &b)| same(a, b));
        assert!(agree, "{name} {components:?}: {found:?}, not {expected:?}");
    }
}

fn min(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

fn max(a: f32, b: f32) -> f32 {
    if a < b { b } else { a }
}

fn clamp(x: f32, lo: f32, hi: f32) -> f32 {
    min(max(x, lo), hi)
}

type Formula = fn(&[f32]) -> f32;

#[test]
fn componentwise() {
    let table: &[(&str, usize, Formula)] = &[
        ("+", 2, |v| v[0] + v[1]),
        ("+", 3, |v| (v[0] + v[1]) + v[2]),
        ("-", 1, |v| -v[0]),
        ("-", 2, |v| v[0] - v[1]),
        ("-", 3, |v| (v[0] - v[1]) - v[2]),
        ("*", 2, |v| v[0] * v[1]),
        ("*", 3, |v| (v[0] * v[1]) * v[2]),
        ("/", 2, |v| v[0] / v[1]),
        ("mod", 2, |v| v[0] - v[1] * (v[0] / v[1]).floor()),
        ("min", 2, |v| min(v[0], v[1])),
        ("min", 3, |v| min(min(v[0], v[1]), v[2])),
        ("max", 2, |v| max(v[0], v[1])),
        ("max", 3, |v| max(max(v[0], v[1]), v[2])),
        ("abs", 1, |v| f32::from_bits(v[0].to_bits() & 0x7fff_ffff)),
        ("sign", 1, |v| {
            if v[0] > 0.0 {
                1.0
            } else if v[0] < 0.0 {
                -1.0
            } else {
                0.0
            }
        }),
        ("floor", 1, |v| v[0].floor()),
        ("ceil", 1, |v| v[0].ceil()),
        ("trunc", 1, |v| v[0].trunc()),
        ("round-even", 1, |v| v[0].round_ties_even()),
        ("fract", 1, |v| v[0] - v[0].floor()),
        ("sqrt", 1, |v| v[0].sqrt()),
        ("inverse-sqrt", 1, |v| 1.0 / v[0].sqrt()),
        ("radians", 1, |v| v[0] * (std::f64::consts::PI / 180.0) as f32),
        ("degrees", 1, |v| v[0] * (180.0 / std::f64::consts::PI) as f32),
        ("mix", 3, |v| v[0] * (1.0 - v[2]) + v[1] * v[2]),
        ("clamp", 3, |v| clamp(v[0], v[1], v[2])),
        ("step", 2, |v| if v[1] < v[0] { 0.0 } else { 1.0 }),
        ("smooth-step", 3, |v| {
            let t = clamp((v[2] - v[0]) / (v[1] - v[0]), 0.0, 1.0);
            (t * t) * (3.0 - 2.0 * t)
        }),
        // Tests the order of the operands, not the mathematics.
        ("atan", 1, |v| lambdav_core::math::atan(v[0])),
        ("atan", 2, |v| lambdav_core::math::atan2(v[0], v[1])),
        ("atan2", 2, |v| lambdav_core::math::atan2(v[0], v[1])),
        ("pow", 2, |v| lambdav_core::math::pow(v[0], v[1])),
    ];
    for &(name, count, formula) in table {
        for types in tuples(&numerics(), count) {
            let operands: Vec<Operand> = types.iter().map(|&t| Operand::from(t)).collect();
            let Ok(resolved) = named(name).resolve(&operands) else { continue };
            compare(name, &types, |operands| {
                (0..TYPES.components(resolved.result))
                    .map(|i| {
                        // A num is broadcast.
                        let components: Vec<f32> =
                            operands.iter().map(|v| v[i.min(v.len() - 1)]).collect();
                        formula(&components)
                    })
                    .collect()
            });
        }
    }
}

#[test]
fn elementary_functions_are_those_of_their_name() {
    let mut random = RandomOperands::new();
    for function in lambdav_core::op::Elementary::ALL {
        for _ in 0..200 {
            let operands: Vec<f32> = (0..function.arity()).map(|_| random.number()).collect();
            let expected = function.evaluate(operands[0], operands.last().copied().unwrap());
            let operands: Vec<ConcreteValue> =
                operands.iter().map(|&x| ConcreteValue::of(Type::NUM, &[x])).collect();
            let found = apply(named(function.name()), &operands).floats()[0];
            assert!(same(found, expected), "{function:?} {operands:?}");
        }
    }
}

#[test]
fn comparisons() {
    type Comparison = fn(&f32, &f32) -> bool;
    let table: [(&str, Comparison); 6] = [
        ("eq", |a, b| a == b),
        ("neq", |a, b| a != b),
        ("less", |a, b| a < b),
        ("less-eq", |a, b| a <= b),
        ("greater", |a, b| a > b),
        ("greater-eq", |a, b| a >= b),
    ];
    let mut random = RandomOperands::new();
    for (name, comparison) in table {
        for types in [["num", "num"], ["vec3", "vec3"], ["num", "vec2"], ["vec4", "num"]] {
            for _ in 0..ROUNDS {
                let operands = types.map(|t| random.value(Type::from_name(t).unwrap()));
                let [a, b] = operands.each_ref().map(ConcreteValue::floats);
                let found = apply(named(name), &operands).bits;
                let expected: Vec<u32> = (0..a.len().max(b.len()))
                    .map(|i| comparison(&a[i.min(a.len() - 1)], &b[i.min(b.len() - 1)]).into())
                    .collect();
                assert_eq!(found, expected, "{name} {a:?} {b:?}");
            }
        }
    }
}

#[test]
fn logic_and_selection() {
    let mut random = RandomOperands::new();
    for _ in 0..ROUNDS {
        for n in 1..=4 {
            let [a, b, c] = [0; 3].map(|_| random.value(Type::bvec(n)));
            let componentwise = |f: fn(u32, u32, u32) -> u32| -> Vec<u32> {
                (0..n.into()).map(|i| f(a.bits[i], b.bits[i], c.bits[i])).collect()
            };
            let of = |name: &str| apply(named(name), &[a.clone(), b.clone(), c.clone()]).bits;
            assert_eq!(of("and"), componentwise(|a, b, c| a & b & c));
            assert_eq!(of("or"), componentwise(|a, b, c| a | b | c));
            assert_eq!(of("select"), componentwise(|a, b, c| if a == 1 { b } else { c }));
            let pair = [a.clone(), b.clone()];
            assert_eq!(apply(named("eq"), &pair).bits, componentwise(|a, b, _| u32::from(a == b)));
            assert_eq!(apply(named("neq"), &pair).bits, componentwise(|a, b, _| a ^ b));
            let a = std::slice::from_ref(&a);
            assert_eq!(apply(named("not"), a).bits, componentwise(|a, _, _| 1 - a));
            if n > 1 {
                let any = a[0].bits.contains(&1);
                let all = !a[0].bits.contains(&0);
                assert_eq!(apply(named("any-of"), a).bits, [u32::from(any)]);
                assert_eq!(apply(named("all-of"), a).bits, [u32::from(all)]);
            }
        }
        let [a, b] = [0; 2].map(|_| random.value(Type::mat(3)));
        let c = random.value(Type::BOOL);
        let expected = if c.bits == [1] { a.clone() } else { b.clone() };
        assert_eq!(apply(named("select"), &[c, a, b]), expected);
    }
}

pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let products: Vec<f32> = a.iter().zip(b).map(|(a, b)| a * b).collect();
    // Not `sum`, which starts from a zero.
    products.into_iter().reduce(|sum, product| sum + product).unwrap()
}

fn length(v: &[f32]) -> f32 {
    if v.len() == 1 { v[0].abs() } else { dot(v, v).sqrt() }
}

fn zip(a: &[f32], b: &[f32], f: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
}

#[test]
fn geometry() {
    for t in numerics() {
        compare("dot", &[t, t], |v| vec![dot(&v[0], &v[1])]);
        compare("length", &[t], |v| vec![length(&v[0])]);
        compare("distance", &[t, t], |v| vec![length(&zip(&v[0], &v[1], |a, b| a - b))]);
        // The operands are values, the same at each pixel.
        compare("fwidth", &[t], |v| v[0].iter().map(|x| (x - x).abs() + (x - x).abs()).collect());
        compare("normalize", &[t], |v| {
            let length = length(&v[0]);
            v[0].iter().map(|x| x / length).collect()
        });
        compare("reflect", &[t, t], |v| {
            let (i, n) = (&v[0], &v[1]);
            let twice = 2.0 * dot(n, i);
            zip(i, n, |i, n| i - n * twice)
        });
        compare("refract", &[t, t, Type::NUM], |v| {
            let (i, n, eta) = (&v[0], &v[1], v[2][0]);
            let d = dot(n, i);
            let k = 1.0 - eta * eta * (1.0 - d * d);
            if k < 0.0 {
                return vec![0.0; i.len()];
            }
            zip(i, n, |i, n| i * eta - n * (eta * d + k.sqrt()))
        });
        compare("face-forward", &[t, t, t], |v| {
            let negative = dot(&v[2], &v[1]) < 0.0;
            v[0].iter().map(|&n| if negative { n } else { -n }).collect()
        });
    }
    compare("cross", &[Type::vec(3), Type::vec(3)], |v| {
        let (a, b) = (&v[0], &v[1]);
        vec![a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
    });
}
