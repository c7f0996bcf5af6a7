//! Texts in WGSL.

use super::{Table, each, nest};

pub(super) const FAMILIES: Table = &[
    ("wgsl-functions", functions),
    ("wgsl-calls", calls),
    ("wgsl-later-functions", later_functions),
    ("wgsl-pointers", pointers),
    ("wgsl-parts-by-pointer", parts_by_pointer),
    ("wgsl-buffer-pointers", buffer_pointers),
    ("wgsl-long-expression", long_expression),
    ("wgsl-parentheses", parentheses),
    ("wgsl-unary", unary),
    ("wgsl-and", and),
    ("wgsl-less-or-template", less_or_template),
    ("wgsl-templates", templates),
    ("wgsl-swizzles", swizzles),
    ("wgsl-statements", statements),
    ("wgsl-locals", locals),
    ("wgsl-blocks", blocks),
    ("wgsl-ifs", ifs),
    ("wgsl-else-ifs", else_ifs),
    ("wgsl-switch", switch),
    ("wgsl-loops", loops),
    ("wgsl-constants", constants),
    ("wgsl-constant-list", constant_list),
    ("wgsl-constant-uses", constant_uses),
    ("wgsl-globals", globals),
    ("wgsl-structures", structures),
    ("wgsl-members", members),
    ("wgsl-overrides", overrides),
    ("wgsl-comments", comments),
    ("wgsl-if-lines", if_lines),
    ("wgsl-conditions", conditions),
    ("wgsl-unknown-names", unknown_names),
    ("wgsl-wrong-syntax", wrong_syntax),
    ("wgsl-redeclared", redeclared),
    ("wgsl-cycle", cycle),
];

/// Declarations, then an entry point with these statements, in which `p` is the pixel and `x` a variable.
fn program(before: &str, body: &str) -> String {
    format!(
        "{before}\n@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {{\n\
         var x = p.x;\n{body}\nreturn vec4f(x);\n}}\n"
    )
}

fn functions(n: usize) -> String {
    program(&each(n, |i| format!("fn f{i}_(y: f32) -> f32 {{ return y + {i}.0; }}\n")), "")
}

fn calls(n: usize) -> String {
    program("fn f(y: f32) -> f32 { return y; }", &"x = f(x);\n".repeat(n))
}

fn later_functions(n: usize) -> String {
    let all = each(n, |i| format!("fn f{i}_(y: f32) -> f32 {{ return f{}_(y); }}\n", i + 1));
    program(&format!("{all}fn f{n}_(y: f32) -> f32 {{ return y; }}"), "x = f0_(x);")
}

fn pointers(n: usize) -> String {
    program("fn f(y: ptr<function, f32>) { *y += 1.0; }", &"f(&x);\n".repeat(n))
}

fn parts_by_pointer(n: usize) -> String {
    let body = format!("var v = array(1.0, x);\n{}", "f(&v[1]);\n".repeat(n));
    program("fn f(y: ptr<function, f32>) { *y += 1.0; }", &body)
}

fn buffer_pointers(n: usize) -> String {
    let before = "@group(0) @binding(0) var<storage> a: array<f32>;
        fn f(y: ptr<storage, f32>) -> f32 { return *y; }";
    program(before, &"x += f(&a[u32(x)]);\n".repeat(n))
}

fn long_expression(n: usize) -> String {
    program("", &format!("x = {}x;", "p.y + ".repeat(n)))
}

fn parentheses(n: usize) -> String {
    program("", &format!("x = {};", nest(n, |_| "(".to_owned(), "x", ")")))
}

fn unary(n: usize) -> String {
    program("", &format!("x = {}x;", "- ".repeat(n)))
}

fn and(n: usize) -> String {
    program("", &format!("let b = {}true; x = f32(b);", "x > 1.0 && ".repeat(n)))
}

fn less_or_template(n: usize) -> String {
    program("", &format!("x = f32({}true);", "(x < p.y) && ".repeat(n)))
}

fn templates(n: usize) -> String {
    program("", &"x += vec2<f32>(x, 1.0).y;\n".repeat(n))
}

fn swizzles(n: usize) -> String {
    program("", &format!("x = p{}.x;", ".yxwz".repeat(n)))
}

fn statements(n: usize) -> String {
    program("", &"x = x * 2.0 + p.y;\n".repeat(n))
}

fn locals(n: usize) -> String {
    program("", &each(n, |i| format!("let l{i} = x + {i}.0;\n")))
}

fn blocks(n: usize) -> String {
    program("", &each(n, |i| format!("{{ let x = {i}.0; var y = x; }}\n")))
}

fn ifs(n: usize) -> String {
    program("", &"if x > 1.0 { x += 1.0; }\n".repeat(n))
}

fn else_ifs(n: usize) -> String {
    let arms = each(n, |i| format!("else if x > {i}.0 {{ x = 2.0; }}\n"));
    program("", &format!("if x < 0.0 {{ }} {arms}"))
}

fn switch(n: usize) -> String {
    let cases = each(n, |i| format!("case {i}: {{ x += 1.0; }}\n"));
    program("", &format!("switch i32(x) {{ {cases} default: {{ }} }}"))
}

fn loops(n: usize) -> String {
    program("", &"for (var i = 0; i < 3; i++) { if x > 9.0 { break; } x += 1.0; }\n".repeat(n))
}

fn constants(n: usize) -> String {
    let all = each(n, |i| format!("const c{} = c{i} + 1;\n", i + 1));
    program(&format!("const c0 = 1;\n{all}"), &format!("x += f32(c{n});"))
}

fn constant_list(n: usize) -> String {
    let list = each(n, |i| format!("{i}.5, "));
    program(&format!("const a = array({list}1.0);"), "x = a[u32(x)];")
}

fn constant_uses(n: usize) -> String {
    let list = each(n, |i| format!("{i}.5, "));
    program(&format!("const a = array({list}1.0);"), &"x += a[u32(x)];\n".repeat(n))
}

fn globals(n: usize) -> String {
    program(&each(n, |i| format!("var<private> g{i}: f32 = {i}.0;\n")), "")
}

fn structures(n: usize) -> String {
    program(&each(n, |i| format!("struct S{i} {{ a: f32, b: vec3f }}\n")), "")
}

fn members(n: usize) -> String {
    let all = each(n, |i| format!("m{i}: f32, "));
    let uses = each(n, |i| format!("x += s.m{i};\n"));
    program(&format!("struct S {{ {all} }}"), &format!("var s: S;\n{uses}"))
}

fn overrides(n: usize) -> String {
    program(&each(n, |i| format!("override o{i} = {i}.0;\n")), "")
}

fn comments(n: usize) -> String {
    program(&"/* /* a */ */ // b\n".repeat(n), "")
}

fn if_lines(n: usize) -> String {
    program(&"#ifdef A\nwrong\n#else\n#endif\n".repeat(n), "")
}

fn conditions(n: usize) -> String {
    program(&each(n, |i| format!("@if(a && !b) const c{i} = wrong;\n")), "")
}

fn unknown_names(n: usize) -> String {
    program("", &each(n, |i| format!("x = unknown{i};\n")))
}

fn wrong_syntax(n: usize) -> String {
    program("", &"x = ;\n".repeat(n))
}

fn redeclared(n: usize) -> String {
    program(&"const a = 1;\n".repeat(n), "")
}

fn cycle(n: usize) -> String {
    program(&each(n, |i| format!("const c{i} = c{};\n", (i + 1) % n)), "")
}
