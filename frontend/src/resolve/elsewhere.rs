//! Names that other languages have for what λV calls otherwise.

/// Names from Scheme, GLSL, HLSL and their neighbours, and what to write instead.
const ELSEWHERE: [(&str, &str); 47] = [
    ("%", "write `(mod x y)`"),
    ("&", "write `(bit-and a b)`"),
    ("<<", "write `(shift-left a n)`"),
    (">>", "write `(shift-right a n)`"),
    ("^", "write `(bit-xor a b)`"),
    ("asfloat", "write `(from-bits u)`"),
    ("asuint", "write `(bits x)`"),
    ("begin", "nothing has an effect here: the last expression alone is enough"),
    ("bitCount", "write `(count-ones e)`"),
    ("cond", "write `(if condition a b)`, one inside another for several cases"),
    ("countbits", "write `(count-ones e)`"),
    ("def", "write `(define name expression)`"),
    ("defn", "write `(define (name parameter …) body)`"),
    ("defun", "write `(define (name parameter …) body)`"),
    ("do", "write a loop with `(rec-func (parameter …) body)`"),
    ("else", "`if` has no keywords: `(if condition a b)`"),
    ("float", "write `(num e)`; a number without a suffix is a num as it is"),
    ("floatBitsToUint", "write `(bits x)`"),
    ("fmod", "write `(mod x y)`"),
    ("fn", "write `(func (parameter …) body)`"),
    ("for", "write a loop with `(rec-func (parameter …) body)`"),
    ("frac", "write `(fract x)`"),
    ("fragCoord", "write `(frag-coord)`"),
    ("gl_FragColor", "the colour is the value of the last expression"),
    ("gl_FragCoord", "write `(frag-coord)`"),
    ("iMouse", "write `(mouse)`"),
    ("iResolution", "write `(resolution)`"),
    ("iTime", "write `(time)`"),
    ("inversesqrt", "write `(inverse-sqrt x)`"),
    ("lambda", "write `(func (parameter …) body)`"),
    ("lerp", "write `(mix a b t)`"),
    ("letrec", "write a loop with `(rec-func (parameter …) body)`"),
    ("loop", "write a loop with `(rec-func (parameter …) body)`"),
    ("quotient", "write `(div a b)`"),
    ("remainder", "write `(rem a b)`"),
    ("rsqrt", "write `(inverse-sqrt x)`"),
    ("saturate", "write `(clamp x 0 1)`"),
    ("set!", "nothing can be changed: bind a new name with `let` or `let*`"),
    ("smoothstep", "write `(smooth-step low high x)`"),
    ("switch", "write `(if condition a b)`, one inside another for several cases"),
    ("uintBitsToFloat", "write `(from-bits u)`"),
    ("vec1", "a single component is a num: write it as it is"),
    (
        "void",
        "this is not λV, or not all of it: a program is an expression like `(vec4 1 0.5 0 1)`",
    ),
    ("while", "write a loop with `(rec-func (parameter …) body)`"),
    ("|", "write `(bit-or a b)`"),
    ("~", "write `(bit-not a)`"),
    ("λ", "write `(func (parameter …) body)`"),
];

/// What to write instead of a name that is not bound here, but means something in other languages.
pub(super) fn elsewhere(name: &str) -> Option<&'static str> {
    ELSEWHERE.iter().find(|(known, _)| *known == name).map(|&(_, help)| help)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compile;
    use lambdav_core::diagnostics::DiagnosticCode;
    use lambdav_core::source::SourceFile;

    #[test]
    fn none_of_them_is_bound() {
        assert!(ELSEWHERE.is_sorted());
        for (name, help) in ELSEWHERE {
            let (_, diagnostics) = compile(&SourceFile::new("", format!("({name} 1)")));
            assert_eq!(diagnostics[0].code, DiagnosticCode::UnboundName, "{name}");
            assert_eq!(diagnostics[0].help.as_deref(), Some(help));
        }
    }

    /// What is recommended has its parts in parentheses, so a name that is misspelt here would be
    /// unbound there.
    #[test]
    fn what_they_recommend_is_bound() {
        for (_, help) in ELSEWHERE {
            let Some(name) = help.split("`(").nth(1).and_then(|form| form.split([' ', ')']).next())
            else {
                continue;
            };
            let (_, diagnostics) = compile(&SourceFile::new("", format!("({name})")));
            assert!(diagnostics.iter().all(|d| d.code != DiagnosticCode::UnboundName), "{help}");
        }
    }
}
