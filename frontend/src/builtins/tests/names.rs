//! The set of names.

use super::TYPES;
use crate::builtins::{Builtin, Operand, OperationKind, Recipe};
use lambdav_core::op::{Elementary, Op};
use lambdav_core::types::{Scalar, Type};

/// The names of LANGUAGE §7 and §5 that are exact, and the inputs and constants.
const EXACT: &str = "
    + * - / min max abs sign floor ceil trunc round round-even sqrt step
    eq neq less less-eq greater greater-eq = != < <= > >=
    and or not any-of all-of select
    vec2 vec3 vec4 bvec2 bvec3 bvec4 mat2 mat3 mat4
    ivec2 ivec3 ivec4 uvec2 uvec3 uvec4
    div rem mul-high bit-and bit-or bit-xor bit-not shift-left shift-right
    int uint num bool bits from-bits fma
    at col
    frag-coord resolution time frame mouse dfdx dfdy
    vertex-index instance-index primitive-index front-facing
    pi tau
    update
    texel texture-size texture-levels";

/// The builtins that LANGUAGE §6 lists as expanded, and the expanded ones of §9.
const EXPANDED: &str = "
    dot length distance normalize cross reflect refract face-forward mix clamp smooth-step fract mod
    inverse-sqrt radians degrees determinant inverse transpose
    perspective orthographic look-at
    count-ones leading-zeros trailing-zeros reverse-bits first-leading-bit first-trailing-bit
    extract-bits insert-bits ldexp exponent significand
    sample sample-level sample-grad sample-bias sample-offset sample-projected
    sample-compare sample-compare-level gather gather-compare texture-lod
    pack-unorm4x8 pack-snorm4x8 pack-unorm2x16 pack-snorm2x16 pack-half2x16
    unpack-unorm4x8 unpack-snorm4x8 unpack-unorm2x16 unpack-snorm2x16 unpack-half2x16
    fwidth";

/// All names. The correctly rounded functions are in the list of LANGUAGE §6; each is one line of `op.rs`.
fn names() -> Vec<&'static str> {
    let elementary = Elementary::ALL.iter().map(|function| function.name());
    EXACT.split_whitespace().chain(EXPANDED.split_whitespace()).chain(elementary).collect()
}

#[test]
fn every_name_of_the_language_is_there() {
    for name in names() {
        assert!(Builtin::lookup(name).is_some(), "{name}");
    }
}

#[test]
fn no_other_name_is_there() {
    let known = names();
    for builtin in Builtin::all() {
        for name in std::iter::once(&*builtin.name()).chain(builtin.aliases().iter().copied()) {
            assert!(known.contains(&name), "{name}");
        }
    }
    for name in ["", "if", "func", "let", "rec", "define", "true", "lerp", "==", "PI", "Sin", "."] {
        assert!(Builtin::lookup(name).is_none(), "{name}");
    }
}

#[test]
fn names_lead_back() {
    for builtin in Builtin::all() {
        assert_eq!(Builtin::lookup(&builtin.name()), Some(builtin));
        for alias in builtin.aliases() {
            assert_eq!(Builtin::lookup(alias), Some(builtin));
        }
    }
}

#[test]
fn aliases_are_one_builtin() {
    for (a, b) in [
        ("eq", "="),
        ("neq", "!="),
        ("less", "<"),
        ("less-eq", "<="),
        ("greater", ">"),
        ("greater-eq", ">="),
        ("round", "round-even"),
    ] {
        assert_eq!(Builtin::lookup(a), Builtin::lookup(b));
    }
}

#[test]
fn swizzles() {
    // All words of up to five letters from both alphabets and one foreign letter.
    let letters = ['x', 'y', 'z', 'w', 'r', 'g', 'b', 'a', 's'];
    let mut words = vec![String::new()];
    for _ in 0..5 {
        let longer: Vec<String> = words
            .iter()
            .flat_map(|word| letters.iter().map(move |letter| format!("{word}{letter}")))
            .collect();
        for word in &longer {
            let position = word.chars().all(|c| "xyzw".contains(c));
            let colour = word.chars().all(|c| "rgba".contains(c));
            let expected = word.len() <= 4 && (position || colour);
            let found = Builtin::lookup(&format!(".{word}"));
            assert_eq!(found.is_some(), expected, ".{word}");
            let Some(swizzle) = found else { continue };
            assert_eq!(swizzle.name(), format!(".{word}"));
            assert_eq!(swizzle.arity(), (1, Some(1)));
            for n in 1..=4 {
                let all = [Scalar::F32, Scalar::Bool, Scalar::I32, Scalar::U32];
                for vector in all.map(|scalar| Type::of(scalar, n)) {
                    let components: Vec<u8> = word
                        .chars()
                        .map(|c| "xyzw".find(c).or("rgba".find(c)).unwrap() as u8)
                        .collect();
                    let fits = n > 1 && components.iter().all(|&c| c < n);
                    match swizzle.resolve(&[Operand::from(vector)]) {
                        Ok(resolved) => {
                            assert!(fits, ".{word} of {vector:?}");
                            let result = Type::of(TYPES.component(vector, 0), word.len() as u8);
                            assert_eq!(resolved.result, result);
                            assert_eq!(resolved.recipe, Recipe::Swizzle(components));
                        }
                        Err(_) => assert!(!fits, ".{word} of {vector:?}"),
                    }
                }
            }
            assert!(swizzle.resolve(&[Operand::from(Type::mat(4))]).is_err());
        }
        words = longer;
        words.retain(|word| word.len() <= 4);
    }
}

#[test]
fn constants_are_no_functions() {
    let value = |name: &str| Builtin::lookup(name).unwrap().constant();
    assert_eq!(value("pi").map(f32::to_bits), Some(0x4049_0fdb));
    assert_eq!(value("tau").map(f32::to_bits), Some(0x40c9_0fdb));
    for builtin in Builtin::all() {
        assert_eq!(builtin.is_function(), !["pi", "tau"].contains(&&*builtin.name()));
    }
}

#[test]
fn kinds() {
    for builtin in Builtin::all() {
        let name = builtin.name();
        let is_elementary = Elementary::ALL.iter().any(|function| function.name() == name);
        let kind = match EXPANDED.split_whitespace().any(|expanded| expanded == name) {
            true => OperationKind::Expanded,
            false if is_elementary => OperationKind::CorrectlyRounded,
            false => OperationKind::Exact,
        };
        assert_eq!(builtin.kind(), kind, "{builtin:?}");
    }
}

/// Each expansion has a second formula in one of these files.
#[test]
fn every_expanded_builtin_is_compared_with_a_formula() {
    let files = [
        include_str!("formulas.rs"),
        include_str!("linear_algebra.rs"),
        include_str!("integers.rs"),
    ];
    let formulas = files.concat();
    // Samples of textures are tested in tests/oracle.
    let is_sample = |name: &&str| {
        name.starts_with("sample") || name.starts_with("gather") || *name == "texture-lod"
    };
    let here = EXPANDED.split_whitespace().filter(|name| !is_sample(name));
    for name in here {
        assert!(formulas.contains(&format!("\"{name}\"")), "{name}");
    }
}

/// Compares recipes, since values could not distinguish functions that agree on the operands.
#[test]
fn elementary_functions_are_those_of_their_name() {
    for function in Elementary::ALL {
        let builtin = Builtin::lookup(function.name()).unwrap();
        let operands = vec![Operand::from(Type::NUM); function.arity()];
        let expected = Recipe::Fold(Op::Elementary(function), Type::NUM);
        assert_eq!(builtin.resolve(&operands).unwrap().recipe, expected);
    }
    let atan = Builtin::lookup("atan").unwrap();
    let of_two = atan.resolve(&[Operand::from(Type::NUM); 2]).unwrap().recipe;
    assert_eq!(of_two, Recipe::Fold(Op::Elementary(Elementary::Atan2), Type::NUM));
}
