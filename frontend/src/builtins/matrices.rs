//! Rows of linear algebra, and matrix arithmetic for `+ - *`.
//!
//! All expansions are texts in terms of columns and components. `aij` is the component in row i and column j.

use lambdav_core::op::Op;
use lambdav_core::types::Type;
use lambdav_core::types::TypeKind::{Matrix, Scalar as One, Vector};

use super::recipe::{Operand, Recipe};
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::{DETERMINANT, MATRIX, PROJECTION, VIEW, constructor};

/// The rows of this theme.
pub(super) static ROWS: &[Row] = &[
    Row {
        name: "transpose",
        aliases: &[],
        operands: Operands::Exactly(&["m"]),
        signature: MATRIX,
        meaning: Meaning::ExpansionFor(transpose),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "Rows and columns exchanged.",
        example: Example { expression: "(transpose (mat2 1 2 3 4))", value: "(mat2 1 3 2 4)" },
    },
    Row {
        name: "determinant",
        aliases: &[],
        operands: Operands::Exactly(&["m"]),
        signature: DETERMINANT,
        meaning: Meaning::ExpansionFor(determinant),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The determinant, expanded along the first column: `a00*M00 - a10*M10 + \
                        a20*M20 - …` from the left, where `Mi0` is the determinant without row i \
                        and column 0, and that of two rows is `a00*a11 - a10*a01`.",
        example: Example { expression: "(determinant (mat2 1 2 3 4))", value: "-2" },
    },
    Row {
        name: "inverse",
        aliases: &[],
        operands: Operands::Exactly(&["m"]),
        signature: MATRIX,
        meaning: Meaning::ExpansionFor(inverse),
        kind: OperationKind::Expanded,
        undefined: Undefined::WhereWhole("(= (determinant m) 0)", "a determinant of 0"),
        placement: Placement::Floating,
        documentation: "The inverse: the component in row i and column j is the cofactor of (j, \
                        i) divided by the determinant. The cofactor is the determinant of the \
                        minor, negated where row + column is odd.",
        example: Example { expression: "(inverse (mat2 1 2 3 4))", value: "(mat2 -2 1 1.5 -0.5)" },
    },
    Row {
        name: "perspective",
        aliases: &[],
        operands: Operands::Exactly(&["fov-y", "aspect", "near", "far"]),
        signature: PROJECTION,
        meaning: Meaning::Expansion(
            "(let* ((f (/ 1 (tan (* fov-y 0.5)))) (d (- near far))) \
               (mat4 (vec4 (/ f aspect) 0 0 0) (vec4 0 (- f) 0 0) \
                     (vec4 0 0 (/ far d) -1) (vec4 0 0 (/ (* near far) d) 0)))",
        ),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The projection of a view that looks along -z with y up, with the angle \
                        `fov-y` from bottom to top, to clip space: y down, z from 0 at `near` to w \
                        at `far`.",
        example: Example {
            expression: "(perspective 1 2 1 3)",
            value: "(mat4 (vec4 0.91524386 0 0 0) (vec4 0 -1.8304877 0 0) (vec4 0 0 -1.5 -1) \
                    (vec4 0 0 -1.5 0))",
        },
    },
    Row {
        name: "orthographic",
        aliases: &[],
        operands: Operands::Exactly(&["left", "right", "bottom", "top", "near", "far"]),
        signature: PROJECTION,
        meaning: Meaning::Expansion(
            "(mat4 (vec4 (/ 2 (- right left)) 0 0 0) (vec4 0 (/ 2 (- bottom top)) 0 0) \
                   (vec4 0 0 (/ 1 (- near far)) 0) \
                   (vec4 (/ (+ right left) (- left right)) (/ (+ top bottom) (- top bottom)) \
                         (/ near (- near far)) 1))",
        ),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The parallel projection of a box of a view that looks along -z with y up \
                        to clip space: y down, z from 0 at `near` to 1 at `far`.",
        example: Example {
            expression: "(orthographic -1 1 -1 1 0 2)",
            value: "(mat4 (vec4 1 0 0 0) (vec4 0 -1 0 0) (vec4 0 0 -0.5 0) (vec4 -0 0 -0 1))",
        },
    },
    Row {
        name: "look-at",
        aliases: &[],
        operands: Operands::Exactly(&["eye", "target", "up"]),
        signature: VIEW,
        meaning: Meaning::Expansion(
            "(let* ((f (normalize (- target eye))) (s (normalize (cross f up))) (u (cross s f))) \
               (mat4 (vec4 (.x s) (.x u) (- (.x f)) 0) (vec4 (.y s) (.y u) (- (.y f)) 0) \
                     (vec4 (.z s) (.z u) (- (.z f)) 0) \
                     (vec4 (- (dot s eye)) (- (dot u eye)) (dot f eye) 1)))",
        ),
        kind: OperationKind::Expanded,
        undefined: Undefined::Never,
        placement: Placement::Floating,
        documentation: "The view from the point `eye` to the point `target`, with the direction \
                        `up` upward: it looks along -z with y up.",
        example: Example {
            expression: "(look-at (vec3 0 0 2) (vec3 0) (vec3 0 1 0))",
            value: "(mat4 (vec4 1 0 -0 0) (vec4 -0 1 -0 0) (vec4 0 0 1 0) (vec4 -0 -0 -2 1))",
        },
    },
];

/// `+` and both `-`: for matrices, column by column.
pub(super) fn sum(op: Op, operands: &[Operand], result: Type) -> Recipe {
    let Some(Matrix(_, n)) = result.builtin() else { return Recipe::Fold(op, result) };
    let symbol = if op == Op::Add { "+" } else { "-" };
    let names: Vec<String> = (0..operands.len()).map(|k| format!("a{k}")).collect();
    let columns = (0..n).map(|j| {
        let terms: String = names.iter().map(|name| format!(" (col {name} {j})")).collect();
        format!("({symbol}{terms})")
    });
    let names = names.join(" ");
    Recipe::Expansion(format!("(func ({names}) {})", construct(result, columns)))
}

/// `*`: for operands with a matrix among them, a chain of products of two.
pub(super) fn product(operands: &[Operand], result: Type) -> Recipe {
    if !operands.iter().any(|o| o.ty.is_matrix()) {
        return Recipe::Fold(Op::Mul, result);
    }
    if let [a, b] = operands {
        return Recipe::Expansion(format!("(func (a b) {})", product_of_two(a.ty, b.ty)));
    }
    let count = operands.len();
    let names: Vec<String> = (0..count).map(|k| format!("a{k}")).collect();
    let steps: Vec<String> = (1..count)
        .map(|k| match k {
            1 => "(p1 (* a0 a1))".to_owned(),
            _ => format!("(p{k} (* p{} a{k}))", k - 1),
        })
        .collect();
    Recipe::Expansion(format!(
        "(func ({}) (let* ({}) p{}))",
        names.join(" "),
        steps.join(" "),
        count - 1
    ))
}

/// The product of `a` and `b`, at least one of them a matrix: sums of products, terms in index
/// order, from the left.
fn product_of_two(a: Type, b: Type) -> String {
    let kind = |ty: Type| ty.builtin().expect("signatures accept builtin types only");
    match (kind(a), kind(b)) {
        // Row i is `ai0*b.x + ai1*b.y + …`, all rows at once.
        (Matrix(_, n), Vector(..)) => {
            let terms: String = (0..n).map(|j| format!(" (* (col a {j}) (at b {j}))")).collect();
            format!("(+{terms})")
        }
        (Vector(..), Matrix(_, n)) => construct(a, (0..n).map(|j| format!("(dot a (col b {j}))"))),
        (Matrix(_, n), One(_)) => construct(a, (0..n).map(|j| format!("(* (col a {j}) b)"))),
        (_, Matrix(_, n)) => construct(b, (0..n).map(|j| format!("(* a (col b {j}))"))),
        _ => unreachable!("one of the two is a matrix"),
    }
}

fn transpose(types: &[Type]) -> String {
    let n = order(types);
    let rows = (0..n).map(|i| {
        let components = (0..n).map(|j| format!("(at (col m {j}) {i})"));
        construct(Type::vec(n), components)
    });
    construct(Type::mat(n), rows)
}

fn determinant(types: &[Type]) -> String {
    let all: Vec<u8> = (0..order(types)).collect();
    with_components(all.len(), &determinant_of(&all, &all))
}

fn inverse(types: &[Type]) -> String {
    let n = order(types);
    let all: Vec<u8> = (0..n).collect();
    let cofactor = |row: u8, column: u8| {
        let minor = determinant_of(&without(&all, row), &without(&all, column));
        if (row + column) % 2 == 1 { format!("(- {minor})") } else { minor }
    };
    let columns = (0..n).map(|j| {
        let components = (0..n).map(|i| format!("(/ {} d)", cofactor(j, i)));
        construct(Type::vec(n), components)
    });
    let columns = construct(Type::mat(n), columns);
    let determinant = determinant_of(&all, &all);
    with_components(all.len(), &format!("(let ((d {determinant})) {columns})"))
}

/// The determinant of these rows and columns of `m`, in terms of the `aij`.
fn determinant_of(rows: &[u8], columns: &[u8]) -> String {
    let first = columns[0];
    if let [row] = rows {
        return format!("a{row}{first}");
    }
    let mut sum = String::new();
    for (k, &row) in rows.iter().enumerate() {
        let minor = determinant_of(&without(rows, row), &columns[1..]);
        let term = format!("(* a{row}{first} {minor})");
        sum = match k {
            0 => term,
            _ if k % 2 == 1 => format!("(- {sum} {term})"),
            _ => format!("(+ {sum} {term})"),
        };
    }
    sum
}

/// `body` with the components of `m` bound to `aij`.
fn with_components(n: usize, body: &str) -> String {
    let bindings: Vec<String> = (0..n)
        .flat_map(|j| (0..n).map(move |i| format!("(a{i}{j} (at (col m {j}) {i}))")))
        .collect();
    format!("(let ({}) {body})", bindings.join(" "))
}

fn construct(result: Type, parts: impl Iterator<Item = String>) -> String {
    let parts: Vec<String> = parts.collect();
    format!("({} {})", constructor(result), parts.join(" "))
}

fn without(indices: &[u8], index: u8) -> Vec<u8> {
    indices.iter().copied().filter(|&i| i != index).collect()
}

fn order(types: &[Type]) -> u8 {
    match types[0].builtin() {
        Some(Matrix(_, n)) => n,
        other => unreachable!("the signature accepts matrices only, not {other:?}"),
    }
}
