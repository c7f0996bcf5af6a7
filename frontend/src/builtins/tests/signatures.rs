//! The accepted operand types, against a second formulation of LANGUAGE §7.

use super::{RandomOperands, TYPES, evaluator, tuples, types};
use crate::builtins::{Builtin, Condition, Operand, SignatureError};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::op::Elementary;
use lambdav_core::types::{Type, TypeKind};

/// The names of the texture's and the buffer's types in this test.
const TEXTURE: &str = "type 19";
const BUFFER: &str = "type 20";

/// The result type of an application without literal indices, by LANGUAGE §7; types are given by name.
fn by_the_page(name: &str, types: &[&str]) -> Option<String> {
    let count = types.len();
    let is = |t: &str, list: &str| list.split(' ').any(|item| item == t);
    let numeric = |t: &str| is(t, "num vec2 vec3 vec4");
    let ints = |t: &str| is(t, "int ivec2 ivec3 ivec4");
    let uints = |t: &str| is(t, "uint uvec2 uvec3 uvec4");
    let integer = |t: &str| ints(t) || uints(t);
    let logical = |t: &str| is(t, "bool bvec2 bvec3 bvec4");
    let matrix = |t: &str| is(t, "mat2 mat3 mat4");
    let equal = types.windows(2).all(|pair| pair[0] == pair[1]);
    let size = |t: &str| t.chars().last().and_then(|c| c.to_digit(10)).unwrap_or(1);
    // Any mix of a scalar type and one vector type of it.
    let mix_of = |types: &[&str], scalar: &str, fits: &dyn Fn(&str) -> bool| {
        let mut vectors: Vec<&str> = types.iter().copied().filter(|&t| t != scalar).collect();
        vectors.sort_unstable();
        vectors.dedup();
        let fits = types.iter().all(|t| fits(t)) && vectors.len() <= 1;
        fits.then(|| vectors.first().copied().unwrap_or(scalar).to_owned())
    };
    let mix = || mix_of(types, "num", &numeric);
    let integers_of =
        |types: &[&str]| mix_of(types, "int", &ints).or_else(|| mix_of(types, "uint", &uints));
    let integers = || if count == 0 { None } else { integers_of(types) };
    let numbers = || mix().or_else(integers);
    let with = |scalar: &str, t: &str| match (scalar, size(t)) {
        (_, 1) => scalar.to_owned(),
        ("num", n) => format!("vec{n}"),
        (_, n) => format!("{}vec{n}", &scalar[..1]),
    };
    let to_bools = |t: String| with("bool", &t);
    let when = |condition: bool, result: &str| condition.then(|| result.to_owned());
    // Builtins on textures, and `select`, which chooses between values of any type.
    let of_textures = ["select", "tex", "sample", "gather"];
    let takes_textures = of_textures.iter().any(|head| name.starts_with(head));
    if types.contains(&TEXTURE) && !takes_textures {
        return None;
    }
    if types.contains(&BUFFER) && !matches!(name, "select" | "at") {
        return None;
    }
    match name {
        "+" | "-" if count >= 1 && matrix(types[0]) => {
            when(equal && (count >= 2 || name == "-"), types[0])
        }
        "+" | "min" | "max" => numbers().filter(|_| count >= 2),
        "-" => numbers().filter(|_| count >= 1),
        "*" => {
            if count < 2 || types.iter().any(|t| logical(t)) {
                return None;
            }
            if types.iter().any(|t| integer(t)) {
                return integers();
            }
            // From the left: n×k times k×m. A vector is a row on the left and a column on the right.
            types[1..].iter().try_fold(types[0].to_owned(), |a, &b| match (&*a, b) {
                ("num", _) => Some(b.to_owned()),
                (_, "num") => Some(a),
                (_, _) if size(&a) != size(b) => None,
                (_, _) if matrix(&a) && matrix(b) => Some(a),
                (_, _) if matrix(&a) => Some(b.to_owned()),
                _ => Some(a),
            })
        }
        "/" | "step" => mix().filter(|_| count == 2),
        "mod" => numbers().filter(|_| count == 2),
        "div" | "rem" | "mul-high" => integers().filter(|_| count == 2),
        "bit-and" | "bit-or" | "bit-xor" => integers().filter(|_| count >= 2),
        "bit-not" | "count-ones" | "leading-zeros" | "trailing-zeros" | "reverse-bits"
        | "first-leading-bit" | "first-trailing-bit" => integers().filter(|_| count == 1),
        "shift-left" | "shift-right" => {
            let &[a, n] = types else { return None };
            let of_kind = uints(n) || ints(a) && ints(n);
            when(integer(a) && of_kind && (size(n) == 1 || size(n) == size(a)), a)
        }
        "extract-bits" => {
            let &[e, "uint", "uint"] = types else { return None };
            when(integer(e), e)
        }
        "insert-bits" => {
            let &[e, new, "uint", "uint"] = types else { return None };
            integers_of(&[e, new])
        }
        "int" | "uint" | "num" | "bool" => {
            let &[e] = types else { return None };
            (!matrix(e)).then(|| with(name, e))
        }
        "bits" => mix().filter(|_| count == 1).map(|t| with("uint", &t)),
        "exponent" => mix().filter(|_| count == 1).map(|t| with("int", &t)),
        "from-bits" => {
            let &[u] = types else { return None };
            uints(u).then(|| with("num", u))
        }
        "fma" => mix().filter(|_| count == 3),
        "ldexp" => {
            let &[x, n] = types else { return None };
            let larger = if size(x) == 1 { n } else { x };
            let fits = numeric(x) && ints(n) && (size(n) == 1 || size(n) == size(larger));
            fits.then(|| with("num", larger))
        }
        _ if name.starts_with("pack-") => {
            when(types == [if name.ends_with("4x8") { "vec4" } else { "vec2" }], "uint")
        }
        _ if name.starts_with("unpack-") => {
            when(types == ["uint"], if name.ends_with("4x8") { "vec4" } else { "vec2" })
        }
        "atan" => mix().filter(|_| count == 1 || count == 2),
        "mix" | "smooth-step" => mix().filter(|_| count == 3),
        "clamp" => numbers().filter(|_| count == 3),
        "abs" | "sign" => numbers().filter(|_| count == 1),
        "floor" | "ceil" | "trunc" | "round-even" | "fract" | "sqrt" | "inverse-sqrt"
        | "radians" | "degrees" | "normalize" | "significand" | "dfdx" | "dfdy" | "fwidth" => {
            mix().filter(|_| count == 1)
        }
        "less" | "less-eq" | "greater" | "greater-eq" => {
            numbers().filter(|_| count == 2).map(to_bools)
        }
        "eq" | "neq" if count == 2 && equal && logical(types[0]) => Some(types[0].to_owned()),
        "eq" | "neq" => numbers().filter(|_| count == 2).map(to_bools),
        "and" | "or" => when(count >= 2 && equal && logical(types[0]), types.first()?),
        "not" => when(count == 1 && logical(types[0]), types.first()?),
        "any-of" | "all-of" => when(count == 1 && is(types[0], "bvec2 bvec3 bvec4"), "bool"),
        "select" => {
            let &[c, a, b] = types else { return None };
            let per_component = is(c, "bvec2 bvec3 bvec4") && !matrix(a) && size(c) == size(a);
            when(a == b && (c == "bool" || per_component), a)
        }
        "dot" if count == 2 && equal && integer(types[0]) => {
            Some(if ints(types[0]) { "int" } else { "uint" }.to_owned())
        }
        "dot" | "distance" => when(count == 2 && equal && numeric(types[0]), "num"),
        "length" => when(count == 1 && numeric(types[0]), "num"),
        "reflect" => when(count == 2 && equal && numeric(types[0]), types.first()?),
        "face-forward" => when(count == 3 && equal && numeric(types[0]), types.first()?),
        "refract" => {
            let &[i, n, eta] = types else { return None };
            when(i == n && numeric(i) && eta == "num", i)
        }
        "cross" => when(types == ["vec3", "vec3"], "vec3"),
        "transpose" | "inverse" => when(count == 1 && matrix(types[0]), types.first()?),
        "perspective" => when(types == ["num"; 4], "mat4"),
        "orthographic" => when(types == ["num"; 6], "mat4"),
        "look-at" => when(types == ["vec3"; 3], "mat4"),
        "vertex-index" | "instance-index" | "primitive-index" => when(count == 0, "int"),
        "front-facing" => when(count == 0, "bool"),
        "determinant" => when(count == 1 && matrix(types[0]), "num"),
        _ if is(name, "vec2 vec3 vec4 bvec2 bvec3 bvec4 ivec2 ivec3 ivec4 uvec2 uvec3 uvec4") => {
            let total: u32 = types.iter().map(|t| size(t)).sum();
            let (scalar, of): (_, &dyn Fn(&str) -> bool) = match &name[..1] {
                "v" => ("num", &numeric),
                "b" => ("bool", &logical),
                "i" => ("int", &ints),
                _ => ("uint", &uints),
            };
            let fits = total == size(name) || types == [scalar];
            when(fits && types.iter().all(|t| of(t)), name)
        }
        "mat2" | "mat3" | "mat4" => {
            let n = size(name) as usize;
            let column = format!("vec{n}");
            let columns = count == n && types.iter().all(|t| *t == column);
            let scalars = (count == 1 || count == n * n) && types.iter().all(|&t| t == "num");
            when(columns || scalars, name)
        }
        "texel" => when(matches!(types, [TEXTURE, "ivec2"] | [TEXTURE, "ivec2", "int"]), "vec4"),
        "texture-size" => when(matches!(types, [TEXTURE] | [TEXTURE, "int"]), "ivec2"),
        "sample" => when(types == [TEXTURE, "vec2"], "vec4"),
        "sample-level" => when(types == [TEXTURE, "vec2", "num"], "vec4"),
        "sample-grad" => when(types == [TEXTURE, "vec2", "vec2", "vec2"], "vec4"),
        "sample-bias" => when(types == [TEXTURE, "vec2", "num"], "vec4"),
        "sample-offset" => when(types == [TEXTURE, "vec2", "ivec2"], "vec4"),
        "sample-projected" => when(types == [TEXTURE, "vec3"], "vec4"),
        "sample-compare" => when(types == [TEXTURE, "vec2", "num"], "num"),
        "sample-compare-level" => when(types == [TEXTURE, "vec2", "num", "num"], "num"),
        "gather-compare" => when(types == [TEXTURE, "vec2", "num"], "vec4"),
        "texture-lod" => when(types == [TEXTURE, "vec2"], "vec2"),
        "texture-levels" => when(types == [TEXTURE], "int"),
        "frag-coord" | "mouse" => when(count == 0, "vec4"),
        "resolution" => when(count == 0, "vec2"),
        "time" | "frame" => when(count == 0, "num"),
        // Without a literal index.
        "at" => {
            let index = count == 2 && (types[1] == "int" || types[1] == "uint");
            match part(types.first().copied().unwrap_or_default()) {
                _ if types.first() == Some(&BUFFER) => when(index, "vec2"),
                Some(part) => when(index, &part),
                None => None,
            }
        }
        "update" => {
            let index = count == 3 && (types[1] == "int" || types[1] == "uint");
            let fits = index && !matrix(types[0]) && part(types[0]).as_deref() == Some(types[2]);
            when(fits, types.first().copied().unwrap_or_default())
        }
        // The index is a literal.
        "col" | "gather" | "pi" | "tau" => None,
        _ => {
            let function = Elementary::ALL.iter().find(|function| function.name() == name);
            let function = function.unwrap_or_else(|| panic!("{name} is not covered"));
            mix().filter(|_| count == function.arity())
        }
    }
}

/// The type of the components of a vector, or of the columns of a matrix.
fn part(of: &str) -> Option<String> {
    let (kind, size) = of.split_at_checked(of.len().checked_sub(1)?)?;
    let part = match kind {
        "vec" => "num",
        "bvec" => "bool",
        "ivec" => "int",
        "uvec" => "uint",
        "mat" => return Some(format!("vec{size}")),
        _ => return None,
    };
    Some(part.to_owned())
}

fn operands(types: &[Type]) -> Vec<Operand> {
    types.iter().map(|&t| Operand::of(&TYPES, t)).collect()
}

fn named(name: &str) -> Builtin {
    Builtin::lookup(name).expect("a builtin")
}

/// Checks acceptance, the result type, and that the recipe yields a value of that type.
fn check(builtin: Builtin, types: &[Type], random: &mut RandomOperands) {
    let names: Vec<String> = types.iter().map(|t| format!("{t:?}")).collect();
    let names: Vec<&str> = names.iter().map(|s| &**s).collect();
    let expected = by_the_page(&builtin.name(), &names);
    let found = builtin.resolve(&operands(types));
    match &found {
        Ok(resolved) => {
            assert_eq!(Some(format!("{:?}", resolved.result)), expected, "{builtin:?} {names:?}");
            let values: Vec<_> = types.iter().map(|&t| random.value(t)).collect();
            let value = evaluator::apply(builtin, &values);
            assert_eq!(value.ty, resolved.result);
            for Condition { predicate, .. } in builtin.undefined(types) {
                assert_eq!(evaluator::call(&predicate, &values).ty, Type::BOOL, "{predicate}");
            }
        }
        Err(error) => {
            assert_eq!(None, expected, "{builtin:?} {names:?} {error:?}");
            if let SignatureError::Types { expected, culprit, .. } = error {
                assert!(!expected.is_empty());
                assert!(culprit.is_none_or(|k| k < types.len()));
            }
        }
    }
}

#[test]
fn up_to_three_operands_of_any_types() {
    let mut random = RandomOperands::new();
    for builtin in Builtin::all() {
        for count in 0..=3 {
            for types in tuples(&types(), count) {
                check(builtin, &types, &mut random);
            }
        }
    }
}

#[test]
fn four_operands_of_any_types() {
    let mut random = RandomOperands::new();
    for types in tuples(&types(), 4) {
        for name in [
            "+",
            "-",
            "*",
            "min",
            "and",
            "clamp",
            "vec2",
            "vec3",
            "vec4",
            "bvec3",
            "bvec4",
            "mat2",
            "mat3",
            "mat4",
            "bit-or",
            "ivec4",
            "uvec3",
            "insert-bits",
        ] {
            check(named(name), &types, &mut random);
        }
    }
}

#[test]
fn long_constructors() {
    let mut random = RandomOperands::new();
    for name in ["mat2", "mat3", "mat4", "vec4", "bvec4", "ivec4", "uvec4"] {
        for count in 0..=20 {
            for ty in types() {
                check(named(name), &vec![ty; count], &mut random);
                if count > 0 {
                    for other in types() {
                        let mut types = vec![ty; count];
                        types[count - 1] = other;
                        check(named(name), &types, &mut random);
                    }
                }
            }
        }
    }
}

#[test]
fn many_operands() {
    let mut random = RandomOperands::new();
    for name in ["+", "-", "*", "max"] {
        for ty in ["num", "vec3", "mat3", "int", "uvec2"] {
            let ty = Type::from_name(ty).unwrap();
            check(named(name), &vec![ty; 100], &mut random);
        }
    }
    let mut types = vec![Type::mat(4); 50];
    types.push(Type::vec(4));
    types.extend([Type::mat(4), Type::NUM]);
    check(named("*"), &types, &mut random);
}

#[test]
fn indices() {
    for ty in types().into_iter().filter(|ty| ty.builtin().is_some()) {
        for index in [None, Some(0), Some(1), Some(2), Some(3), Some(4), Some(u32::MAX)] {
            let operands = [Operand::from(ty), Operand { index, ..Type::NUM.into() }];
            for (name, result, size) in [
                (
                    "at",
                    match ty.builtin() {
                        Some(TypeKind::Matrix(scalar, n)) => Type::of(scalar, n),
                        _ => Type::of(TYPES.component(ty, 0), 1),
                    },
                    match ty.builtin() {
                        Some(TypeKind::Vector(_, n) | TypeKind::Matrix(_, n)) => n,
                        _ => 0,
                    },
                ),
                (
                    "col",
                    Type::of(TYPES.component(ty, 0), (TYPES.components(ty) as f32).sqrt() as u8),
                    match ty.builtin() {
                        Some(TypeKind::Matrix(_, n)) => n,
                        _ => 0,
                    },
                ),
            ] {
                let found = named(name).resolve(&operands);
                let small = index.is_some_and(|k| k < u32::from(size));
                match found {
                    Ok(resolved) => {
                        assert!(small);
                        assert_eq!(resolved.result, result);
                    }
                    Err(SignatureError::Index { operand, found, limit }) => {
                        assert!(!small && size > 0);
                        assert_eq!((operand, found, limit), (1, index, size.into()));
                    }
                    Err(SignatureError::Types { culprit, .. }) => {
                        assert_eq!((size, culprit), (0, Some(0)));
                    }
                    Err(other) => panic!("{other:?}"),
                }
            }
        }
    }
}

#[test]
fn arity_agrees_with_resolution() {
    for builtin in Builtin::all().filter(|b| b.is_function()) {
        let (least, most) = builtin.arity();
        for count in 0..=20 {
            let inside = count >= least && most.is_none_or(|most| count <= most);
            let found = builtin.resolve(&operands(&vec![Type::NUM; count]));
            let is_count = matches!(found, Err(SignatureError::Count { .. }));
            assert_eq!(is_count, !inside, "{builtin:?} {count}");
        }
    }
}

#[test]
fn messages() {
    let message = |name: &str, types: &[&str]| {
        let types: Vec<Type> = types.iter().map(|t| Type::from_name(t).unwrap()).collect();
        let operands = operands(&types);
        let error = named(name).resolve(&operands).unwrap_err();
        (error.code(), named(name).message(&TYPES, &error, &operands))
    };
    for (name, types, code, text) in [
        ("sin", &["num", "num"][..], DiagnosticCode::OperandCount, "`sin` takes 1 operand, not 2"),
        ("+", &["num"], DiagnosticCode::OperandCount, "`+` takes at least 2 operands, not 1"),
        ("atan", &[], DiagnosticCode::OperandCount, "`atan` takes 1 or 2 operands, not 0"),
        ("time", &["num"], DiagnosticCode::OperandCount, "`time` takes no operands, not 1"),
        ("sin", &["bool"], DiagnosticCode::OperandTypes, "`sin` takes a num or a vector, not bool"),
        (
            "cross",
            &["vec3", "vec2"],
            DiagnosticCode::OperandTypes,
            "`cross` takes two vec3, not vec3 and vec2",
        ),
        (
            "clamp",
            &["vec3", "num", "vec2"],
            DiagnosticCode::OperandTypes,
            "`clamp` takes numbers of one kind and vectors of one size, and operand 3 is vec2",
        ),
        (
            "vec3",
            &["vec2", "vec2"],
            DiagnosticCode::OperandTypes,
            "`vec3` takes nums and vectors of 3 components together, or one num; these have 4, \
             not vec2 and vec2",
        ),
        (
            ".xyz",
            &["vec2"],
            DiagnosticCode::OperandTypes,
            "`.xyz` takes a vector or bvec of at least 3 components, not vec2",
        ),
        (
            "at",
            &["vec2", "num"],
            DiagnosticCode::IndexLiteral,
            "the index of `at` is a literal from 0 to 1 here, and this is no literal",
        ),
        (
            "pi",
            &[],
            DiagnosticCode::NotAFunction,
            "`pi` is a value, not a function; write it without parentheses",
        ),
    ] {
        assert_eq!(message(name, types), (code, text.to_owned()));
    }
}
