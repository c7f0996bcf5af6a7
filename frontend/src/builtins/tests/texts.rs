//! Texts in the table: expansions, conditions, examples, documentation.

use super::evaluator::{Syntax, call, evaluate, integer, read};
use super::{RandomOperands, TYPES, tuples, types};
use crate::builtins::{Builtin, Condition, Operand, OperationKind, Recipe};
use lambdav_core::float::same;
use lambdav_core::types::{Scalar, Type};

/// Every builtin with all accepted operand types, up to three operands; indices are 0.
fn applications() -> Vec<(Builtin, Vec<Type>, Recipe)> {
    let mut found = vec![];
    for builtin in Builtin::all() {
        for count in 0..=3 {
            for types in tuples(&types(), count) {
                let operands: Vec<Operand> =
                    types.iter().map(|&ty| Operand { index: Some(0), ..ty.into() }).collect();
                if let Ok(resolved) = builtin.resolve(&operands) {
                    found.push((builtin, types, resolved.recipe));
                }
            }
        }
    }
    found
}

/// Panics unless all names in the expression are bound, by the scope or as builtins, and its only forms are
/// `let` and `let*`.
fn closed(syntax: &Syntax, scope: &[&str]) {
    match syntax {
        Syntax::Atom(atom) => {
            let number = atom.parse::<f32>().is_ok() || integer(atom).is_some();
            let constant = Builtin::lookup(atom).is_some_and(|b| b.constant().is_some());
            let bound = scope.contains(&&**atom);
            assert!(number || bound || constant, "{atom} is not bound");
        }
        Syntax::List(items) => match items[0].atom() {
            form @ ("let" | "let*") => {
                let [_, bindings, body] = items.as_slice() else { panic!("{items:?}") };
                let mut inner = scope.to_vec();
                for binding in bindings.list() {
                    let [name, value] = binding.list() else { panic!("{binding:?}") };
                    closed(value, if form == "let" { scope } else { &inner });
                    not_a_builtin(name.atom());
                    inner.push(name.atom());
                }
                closed(body, &inner);
            }
            name => {
                assert!(!scope.contains(&name), "{name} is a parameter");
                let builtin = Builtin::lookup(name).unwrap_or_else(|| panic!("unbound {name}"));
                assert!(builtin.is_function());
                items[1..].iter().for_each(|item| closed(item, scope));
            }
        },
    }
}

/// A name bound inside a text must not shadow a builtin that the text may use.
fn not_a_builtin(name: &str) {
    assert!(Builtin::lookup(name).is_none(), "{name} hides a builtin");
    assert!(!["func", "let", "let*", "if", "rec-func", "rec", "the"].contains(&name), "{name}");
}

fn closed_function(text: &str, count: usize) {
    let function = read(text);
    let [head, parameters, body] = function.list() else { panic!("{text} has another shape") };
    assert_eq!(head.atom(), "func");
    let parameters: Vec<&str> = parameters.list().iter().map(Syntax::atom).collect();
    assert_eq!(parameters.len(), count, "{text}");
    for (k, name) in parameters.iter().enumerate() {
        not_a_builtin(name);
        assert!(!parameters[..k].contains(name), "{name} twice in {text}");
    }
    closed(body, &parameters);
}

#[test]
fn expansions_are_closed_functions() {
    let mut seen = 0;
    for (_, types, recipe) in applications() {
        if let Recipe::Expansion(text) = recipe {
            closed_function(&text, types.len());
            seen += 1;
        }
    }
    assert!(seen > 100);
}

#[test]
fn expanded_builtins_have_expansions() {
    for (builtin, types, recipe) in applications() {
        let is_expansion = matches!(recipe, Recipe::Expansion(_));
        match builtin.kind() {
            OperationKind::Expanded => assert!(is_expansion, "{builtin:?}"),
            OperationKind::CorrectlyRounded => assert!(!is_expansion, "{builtin:?}"),
            OperationKind::Exact => {
                let matrices = types.iter().any(|t| t.is_matrix());
                // A conversion to an operand's own type expands to the operand.
                let allowed = matrices
                    || ["sign", "step", "shift-left", "shift-right", "int", "uint", "num", "bool"]
                        .contains(&&*builtin.name());
                assert!(!is_expansion || allowed, "{builtin:?}");
            }
        }
    }
}

/// Evaluating an expansion visits all of it, and panics at the first repetition.
#[test]
fn expansions_end() {
    let mut random = RandomOperands::new();
    for (_, types, recipe) in applications() {
        if let Recipe::Expansion(text) = recipe {
            let values: Vec<_> = types.iter().map(|&t| random.value(t)).collect();
            call(&text, &values);
        }
    }
}

#[test]
fn conditions_are_closed_functions_to_bool() {
    let mut random = RandomOperands::new();
    for (builtin, types, _) in applications() {
        for Condition { predicate: text, words } in builtin.undefined(&types) {
            assert!(!words.is_empty());
            closed_function(&text, types.len());
            let values: Vec<_> = types.iter().map(|&t| random.value(t)).collect();
            assert_eq!(call(&text, &values).ty, Type::BOOL, "{text}");
        }
    }
}

/// The list of LANGUAGE §6, by examples: operands, and true if the result is undefined.
#[test]
fn conditions_say_what_the_language_says() {
    for (expression, expected) in [
        ("/ 1 0", true),
        ("/ 1 -0", true),
        ("/ 0 1", false),
        ("/ (vec2 1) (vec2 1 0)", true),
        ("/ 1 (vec3 1)", false),
        ("/ (vec3 1) 0", true),
        ("mod 1 0", true),
        ("normalize (vec2 0)", true),
        ("normalize (vec2 0 1)", false),
        ("normalize 0", true),
        ("sqrt -1", true),
        ("sqrt -0", false),
        ("inverse-sqrt 0", true),
        ("log -1", true),
        ("log 0", false),
        ("log2 (vec2 1 -1)", true),
        ("pow -1 2", true),
        ("pow 0 0", true),
        ("pow 0 1", false),
        ("pow (vec2 1 0) -1", true),
        ("pow 2 (vec3 -1)", false),
        ("asin 1", false),
        ("asin 1.5", true),
        ("acos (vec2 0 -1.5)", true),
        ("acosh 0.5", true),
        ("acosh 1", false),
        ("atanh 1", true),
        ("atanh -2", true),
        ("atanh 0.5", false),
        ("atan2 0 0", true),
        ("atan2 0 1", false),
        ("atan2 (vec2 1 0) 0", true),
        ("atan 0 0", true),
        ("smooth-step 1 1 0", true),
        ("smooth-step 0 1 5", false),
        ("smooth-step 0 (vec2 1 -1) 0", true),
        ("clamp 0 1 0", true),
        ("clamp 0 1 1", false),
        ("clamp (vec2 0) 0 (vec2 1 -1)", true),
        ("inverse (mat2 1 2 2 4)", true),
        ("inverse (mat3 1)", false),
        ("div 1i 0i", true),
        ("div 0x80000000u 0xffffffffu", false),
        ("div -2147483648i -1i", true),
        ("rem (ivec2 -2147483648i 1i) (ivec2 1i -1i)", false),
        ("rem (uvec2 1u) (uvec2 1u 0u)", true),
        ("mod 1i 0i", true),
        ("mod 1u 1u", false),
        ("clamp 1i 2i 1i", true),
        ("shift-left 1i 31i", false),
        ("shift-left 1u 32u", true),
        ("shift-right (ivec2 1i) -1i", true),
        ("shift-right (ivec3 1i) (uvec3 0u 1u 32u)", true),
        ("int 2147483648", true),
        ("int -2147483648", false),
        ("int (/ 0 0)", true),
        ("uint (vec2 1 -0.75)", false),
        ("uint (vec2 1 -1)", true),
        ("uint 4294967296", true),
        ("extract-bits 1u 8u 24u", false),
        ("extract-bits 1u 8u 25u", true),
        ("insert-bits 1u 1u 4294967295u 2u", true),
    ] {
        let syntax = read(&format!("({expression})"));
        let items = syntax.list();
        let operands: Vec<_> = items[1..].iter().map(|item| evaluate(&show(item))).collect();
        let types: Vec<Type> = operands.iter().map(|v| v.ty).collect();
        let builtin = Builtin::lookup(items[0].atom()).unwrap();
        let conditions = builtin.undefined(&types);
        assert!(!conditions.is_empty(), "{expression}");
        let holds = |of: &Condition| call(&of.predicate, &operands).bits == [1];
        assert_eq!(conditions.iter().any(holds), expected, "{expression}: {conditions:?}");
    }
    let atan = Builtin::lookup("atan").unwrap();
    assert_eq!(atan.undefined(&[Type::NUM]), []);
    for name in ["uint", "bool"] {
        assert_eq!(Builtin::lookup(name).unwrap().undefined(&[Type::INT]), []);
    }
    for name in ["+", "sin", "refract", "exp", "mix", "min", "vec2", "time"] {
        assert_eq!(Builtin::lookup(name).unwrap().undefined(&[Type::NUM, Type::NUM]), []);
    }
}

fn show(syntax: &Syntax) -> String {
    match syntax {
        Syntax::Atom(atom) => atom.clone(),
        Syntax::List(items) => {
            format!("({})", items.iter().map(show).collect::<Vec<_>>().join(" "))
        }
    }
}

/// True once `math` computes the functions.
fn mathematics_is_there() -> bool {
    lambdav_core::math::sin(1.0) != 1.0
}

#[test]
fn examples() {
    let swizzle = Builtin::lookup(".x").unwrap();
    for builtin in Builtin::all().chain([swizzle]) {
        if builtin.kind() == OperationKind::CorrectlyRounded && !mathematics_is_there() {
            continue;
        }
        let example = builtin.example();
        let found = evaluate(example.expression);
        let expected = evaluate(example.value);
        assert_eq!(found.ty, expected.ty, "{builtin:?}");
        let agree = match TYPES.component(found.ty, 0) {
            Scalar::F32 => found.floats().iter().zip(expected.floats()).all(|(&a, b)| same(a, b)),
            _ => found.bits == expected.bits,
        };
        assert!(agree, "{}: {:?}, not {}", example.expression, found.floats(), example.value);
    }
}

#[test]
fn examples_and_documentation_fit_their_builtin() {
    for builtin in Builtin::all() {
        let name = builtin.name();
        let example = builtin.example().expression;
        let words = example.replace(['(', ')'], " ");
        let mut names = std::iter::once(&*name).chain(builtin.aliases().iter().copied());
        assert!(names.any(|name| words.split(' ').any(|word| word == name)), "{example}");
        let documentation = builtin.documentation();
        assert!(documentation.ends_with('.'), "{name}");
        assert!(!documentation.contains("  ") && !documentation.contains('\n'), "{name}");
        let (_, most) = builtin.arity();
        assert_eq!(builtin.takes().is_empty(), most == Some(0), "{name}");
    }
}

#[test]
fn usage() {
    for (name, usage) in [
        ("clamp", "(clamp x lo hi)"),
        ("+", "(+ a b …)"),
        ("time", "(time)"),
        ("pi", "pi"),
        (".xy", "(.xy v)"),
    ] {
        assert_eq!(Builtin::lookup(name).unwrap().usage(), usage);
    }
}
