//! Matrices, bit for bit against the formulas of LANGUAGE §6; also construction and access.

use super::evaluator::{ConcreteValue, apply, evaluate};
use super::formulas::{compare, dot};
use crate::builtins::Builtin;
use lambdav_core::types::Type;

/// A square matrix by rows.
type Rows = Vec<Vec<f32>>;

fn rows(components: &[f32]) -> Rows {
    let n = (1..=4).find(|n| n * n == components.len()).expect("a square");
    (0..n).map(|i| (0..n).map(|j| components[j * n + i]).collect()).collect()
}

fn flat(rows: &Rows) -> Vec<f32> {
    (0..rows.len()).flat_map(|j| rows.iter().map(move |row| row[j])).collect()
}

fn column(m: &Rows, j: usize) -> Vec<f32> {
    m.iter().map(|row| row[j]).collect()
}

fn times(a: &Rows, b: &Rows) -> Rows {
    a.iter().map(|row| (0..b.len()).map(|j| dot(row, &column(b, j))).collect()).collect()
}

fn times_vector(m: &Rows, v: &[f32]) -> Vec<f32> {
    m.iter().map(|row| dot(row, v)).collect()
}

fn minor(m: &Rows, row: usize, column: usize) -> Rows {
    let keep = |k: usize, out: usize| k != out;
    m.iter()
        .enumerate()
        .filter(|&(i, _)| keep(i, row))
        .map(|(_, r)| {
            r.iter().enumerate().filter(|&(j, _)| keep(j, column)).map(|(_, &x)| x).collect()
        })
        .collect()
}

fn determinant(m: &Rows) -> f32 {
    match m.len() {
        1 => m[0][0],
        2 => m[0][0] * m[1][1] - m[1][0] * m[0][1],
        n => {
            let term = |i: usize| m[i][0] * determinant(&minor(m, i, 0));
            (1..n).fold(term(0), |sum, i| if i % 2 == 0 { sum + term(i) } else { sum - term(i) })
        }
    }
}

fn inverse(m: &Rows) -> Rows {
    let d = determinant(m);
    let cofactor = |i: usize, j: usize| {
        let value = determinant(&minor(m, i, j));
        if (i + j) % 2 == 1 { -value } else { value }
    };
    (0..m.len()).map(|i| (0..m.len()).map(|j| cofactor(j, i) / d).collect()).collect()
}

#[test]
fn arithmetic() {
    for n in 2..=4 {
        let (m, v, s) = (Type::mat(n), Type::vec(n), Type::NUM);
        let each = |f: fn(f32, f32) -> f32, a: &[f32], b: &[f32]| -> Vec<f32> {
            a.iter().zip(b).map(|(&a, &b)| f(a, b)).collect()
        };
        compare("+", &[m, m], |v| each(|a, b| a + b, &v[0], &v[1]));
        compare("+", &[m, m, m], |v| each(|a, b| a + b, &each(|a, b| a + b, &v[0], &v[1]), &v[2]));
        compare("-", &[m], |v| v[0].iter().map(|x| -x).collect());
        compare("-", &[m, m], |v| each(|a, b| a - b, &v[0], &v[1]));
        compare("-", &[m, m, m], |v| each(|a, b| a - b, &each(|a, b| a - b, &v[0], &v[1]), &v[2]));
        compare("*", &[m, s], |v| v[0].iter().map(|x| x * v[1][0]).collect());
        compare("*", &[s, m], |v| v[1].iter().map(|x| v[0][0] * x).collect());
        compare("*", &[m, v], |v| times_vector(&rows(&v[0]), &v[1]));
        compare("*", &[v, m], |v| {
            let m = rows(&v[1]);
            (0..m.len()).map(|j| dot(&v[0], &column(&m, j))).collect()
        });
        compare("*", &[m, m], |v| flat(&times(&rows(&v[0]), &rows(&v[1]))));
        compare("*", &[m, m, v], |v| times_vector(&times(&rows(&v[0]), &rows(&v[1])), &v[2]));
        compare("*", &[s, v, m], |v| {
            let scaled: Vec<f32> = v[1].iter().map(|x| v[0][0] * x).collect();
            let m = rows(&v[2]);
            (0..m.len()).map(|j| dot(&scaled, &column(&m, j))).collect()
        });
    }
}

#[test]
fn transpose_determinant_inverse() {
    for n in 2..=4 {
        let m = Type::mat(n);
        compare("transpose", &[m], |v| {
            let m = rows(&v[0]);
            flat(&(0..m.len()).map(|j| column(&m, j)).collect())
        });
        compare("determinant", &[m], |v| vec![determinant(&rows(&v[0]))]);
        compare("inverse", &[m], |v| flat(&inverse(&rows(&v[0]))));
    }
}

#[test]
fn projections_and_views() {
    compare("perspective", &[Type::NUM; 4], |v| {
        let [fov_y, aspect, near, far] = [0, 1, 2, 3].map(|k: usize| v[k][0]);
        let f = 1.0 / lambdav_core::math::tan(fov_y * 0.5);
        let d = near - far;
        let columns = [
            [f / aspect, 0.0, 0.0, 0.0],
            [0.0, -f, 0.0, 0.0],
            [0.0, 0.0, far / d, -1.0],
            [0.0, 0.0, (near * far) / d, 0.0],
        ];
        columns.concat()
    });
    compare("orthographic", &[Type::NUM; 6], |v| {
        let [left, right, bottom, top, near, far] = [0, 1, 2, 3, 4, 5].map(|k: usize| v[k][0]);
        let x = (right + left) / (left - right);
        let columns = [
            [2.0 / (right - left), 0.0, 0.0, 0.0],
            [0.0, 2.0 / (bottom - top), 0.0, 0.0],
            [0.0, 0.0, 1.0 / (near - far), 0.0],
            [x, (top + bottom) / (top - bottom), near / (near - far), 1.0],
        ];
        columns.concat()
    });
    compare("look-at", &[Type::vec(3); 3], |v| {
        let [eye, target, up] = [0, 1, 2].map(|k: usize| &v[k]);
        let cross = |a: &[f32], b: &[f32]| {
            [1, 2, 0].map(|j: usize| {
                let k = (j + 1) % 3;
                a[j] * b[k] - a[k] * b[j]
            })
        };
        let normalize = |v: &[f32]| {
            let length = dot(v, v).sqrt();
            [v[0] / length, v[1] / length, v[2] / length]
        };
        let f = normalize(&[target[0] - eye[0], target[1] - eye[1], target[2] - eye[2]]);
        let s = normalize(&cross(&f, up));
        let u = cross(&s, &f);
        let column = |k: usize| [s[k], u[k], -f[k], 0.0];
        let last = [-dot(&s, eye), -dot(&u, eye), dot(&f, eye), 1.0];
        [column(0), column(1), column(2), last].concat()
    });
}

/// The formulas above could share a mistake with the table; an inverse that inverts cannot be wrong.
#[test]
fn inverse_inverts() {
    for text in [
        "(mat2 2 1 -1 3)",
        "(mat3 2 1 0 -1 3 0.5 4 0 1)",
        "(mat4 2 1 0 1 -1 3 0.5 0 4 0 1 2 1 1 0 -2)",
    ] {
        let product = rows(&evaluate(&format!("(* (inverse {text}) {text})")).floats());
        for (i, row) in product.iter().enumerate() {
            for (j, x) in row.iter().enumerate() {
                assert!((x - f32::from(u8::from(i == j))).abs() < 1e-5, "{product:?}");
            }
        }
    }
}

#[test]
fn construction_and_access() {
    for n in 2..=4_usize {
        // Component number k by columns is k + 1.
        let numbers: Vec<f32> = (1..=n * n).map(|k| k as f32).collect();
        let words: Vec<String> = numbers.iter().map(f32::to_string).collect();
        let by_scalars = format!("(mat{n} {})", words.join(" "));
        let columns: Vec<String> =
            words.chunks(n).map(|column| format!("(vec{n} {})", column.join(" "))).collect();
        let by_columns = format!("(mat{n} {})", columns.join(" "));
        assert_eq!(evaluate(&by_scalars).floats(), numbers);
        assert_eq!(evaluate(&by_columns).floats(), numbers);
        for j in 0..n {
            let column = format!("(col {by_scalars} {j})");
            assert_eq!(evaluate(&column).floats(), numbers[j * n..(j + 1) * n]);
            for i in 0..n {
                assert_eq!(evaluate(&format!("(at {column} {i})")).floats(), [numbers[j * n + i]]);
            }
        }
        for x in [1.5, -0.0, f32::INFINITY, f32::NAN] {
            let mat = Builtin::lookup(&format!("mat{n}")).unwrap();
            let diagonal = apply(mat, &[ConcreteValue::of(Type::NUM, &[x])]);
            for (k, &bits) in diagonal.bits.iter().enumerate() {
                assert_eq!(bits, if k % (n + 1) == 0 { x.to_bits() } else { 0 });
            }
        }
    }
    for (text, value) in [
        ("(vec4 1 (vec2 2 3) 4)", &[1.0, 2.0, 3.0, 4.0][..]),
        ("(vec4 (vec3 1 2 3) 4)", &[1.0, 2.0, 3.0, 4.0]),
        ("(vec3 (vec3 1 2 3))", &[1.0, 2.0, 3.0]),
        ("(vec3 7)", &[7.0, 7.0, 7.0]),
        ("(.bgr (vec3 1 2 3))", &[3.0, 2.0, 1.0]),
        ("(.wwxy (vec4 1 2 3 4))", &[4.0, 4.0, 1.0, 2.0]),
        ("(.y (vec2 1 2))", &[2.0]),
    ] {
        assert_eq!(evaluate(text).floats(), value, "{text}");
    }
}
