//! Recognises GLSL by its content.

use super::text::without_comments;

/// True for a text with a line `#version`, or with a definition of `main` or `mainImage` as GLSL writes it. λV and
/// core text, which begin with `(` or `;`, are never GLSL.
pub fn is_glsl(text: &str) -> bool {
    let code = without_comments(text);
    let code = code.trim_start_matches('\u{feff}').trim_start();
    if code.starts_with([';', '(']) {
        return false;
    }
    let has_version = code.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        directive.is_some_and(|rest| rest.starts_with("version "))
    });
    has_version || has_main(code)
}

/// True for a text with a definition of `main` or `mainImage` as GLSL writes it.
pub fn defines_main(text: &str) -> bool {
    has_main(&without_comments(text))
}

fn has_main(code: &str) -> bool {
    code.split("void").skip(1).any(|behind| {
        let name = behind.trim_start();
        let behind = name.strip_prefix("mainImage").or_else(|| name.strip_prefix("main"));
        behind.is_some_and(|behind| behind.trim_start().starts_with('('))
    })
}

#[cfg(test)]
mod tests {
    use super::is_glsl;

    #[test]
    fn texts_are_recognised() {
        for text in [
            "#version 450\n",
            "// (a)\n  # version 100\nvoid f() {}",
            "/* ; */ void main () {}",
            "\u{feff}uniform float a;\nvoid\nmainImage(out vec4 c, vec2 p) {}",
        ] {
            assert!(is_glsl(text), "{text}");
        }
        for text in [
            "(vec4 1) ; void main()",
            "; void main()\n(vec3 1)",
            "// void main()\n(vec3 1)",
            "/* #version 450 */ vec3",
            "/* void main()",
            "fn main() -> void {}",
            "",
        ] {
            assert!(!is_glsl(text), "{text}");
        }
    }
}
