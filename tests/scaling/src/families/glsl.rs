//! Texts in GLSL.

use super::{Table, each};

pub(super) const FAMILIES: Table = &[
    ("glsl-functions", functions),
    ("glsl-calls", calls),
    ("glsl-prototypes", prototypes),
    ("glsl-overloads", overloads),
    ("glsl-calls-of-overloads", calls_of_overloads),
    ("glsl-inexact-calls", inexact_calls),
    ("glsl-inout", inout),
    ("glsl-out", out),
    ("glsl-modf", modf),
    ("glsl-long-expression", long_expression),
    ("glsl-parentheses", parentheses),
    ("glsl-unary", unary),
    ("glsl-and", and),
    ("glsl-commas", commas),
    ("glsl-swizzles", swizzles),
    ("glsl-matrices", matrices),
    ("glsl-textures", textures),
    ("glsl-statements", statements),
    ("glsl-locals", locals),
    ("glsl-declarators", declarators),
    ("glsl-blocks", blocks),
    ("glsl-ifs", ifs),
    ("glsl-else-ifs", else_ifs),
    ("glsl-returns", returns),
    ("glsl-switch", switch),
    ("glsl-labels", labels),
    ("glsl-for", for_loops),
    ("glsl-while", while_loops),
    ("glsl-array", array),
    ("glsl-array-lengths", array_lengths),
    ("glsl-structures", structures),
    ("glsl-nested-structures", nested_structures),
    ("glsl-copies", copies),
    ("glsl-equal-structures", equal_structures),
    ("glsl-block-members", block_members),
    ("glsl-block-copies", block_copies),
    ("glsl-stage-block", stage_block),
    ("glsl-uniforms", uniforms),
    ("glsl-structure-uniforms", structure_uniforms),
    ("glsl-samplers", samplers),
    ("glsl-inputs", inputs),
    ("glsl-constants", constants),
    ("glsl-globals", globals),
    ("glsl-macros", macros),
    ("glsl-macro-uses", macro_uses),
    ("glsl-undef", undef),
    ("glsl-if-lines", if_lines),
    ("glsl-nested-if-lines", nested_if_lines),
    ("glsl-lines", lines),
    ("glsl-comments", comments),
    ("glsl-extensions", extensions),
    ("glsl-long-name", long_name),
    ("glsl-unknown-names", unknown_names),
    ("glsl-wrong-syntax", wrong_syntax),
    ("glsl-redeclared", redeclared),
];

const HEAD: &str = "#version 450\nlayout(location = 0) out vec4 o;\n";

/// A text with declarations and the statements of `main`, which has a float `x` and ends with the colour `x`.
fn text(declarations: &str, statements: &str) -> String {
    format!(
        "{HEAD}{declarations}void main() {{\nfloat x = gl_FragCoord.x;\n{statements}o = vec4(x);\n}}\n"
    )
}

fn declared(n: usize, piece: impl Fn(usize) -> String) -> String {
    text(&each(n, piece), "")
}

fn done(n: usize, piece: impl Fn(usize) -> String) -> String {
    text("", &each(n, piece))
}

fn functions(n: usize) -> String {
    declared(n, |i| format!("float f{i}(float x) {{ return x * {i}.0 + 1.0; }}\n"))
}

fn calls(n: usize) -> String {
    // Each function calls the one before it. The program is as long as all bodies together.
    let function = |i: usize| match i {
        0 => "float f0(float x) { return x; }\n".to_owned(),
        i => format!("float f{i}(float x) {{ return f{}(x) * 0.5; }}\n", i - 1),
    };
    text(&each(n, function), &format!("x = f{}(x);\n", n - 1))
}

fn prototypes(n: usize) -> String {
    declared(n, |i| format!("float f{i}(float);\n"))
}

fn overloads(n: usize) -> String {
    declared(n, |i| format!("float f(float a[{}]) {{ return a[0]; }}\n", i + 1))
}

fn calls_of_overloads(n: usize) -> String {
    let function = |i| format!("float f(int a, float b[{}]) {{ return b[a]; }}\n", i + 1);
    let calls = "x = f(1, a);\n".repeat(n);
    text(&each(n, function), &format!("float a[3] = float[](x, x, x);\n{calls}"))
}

fn inexact_calls(n: usize) -> String {
    let function = |i| format!("float f(uint a, float b[{}]) {{ return b[a]; }}\n", i + 1);
    let calls = "x = f(1, a);\n".repeat(n);
    text(&each(n, function), &format!("float a[3] = float[](x, x, x);\n{calls}"))
}

fn inout(n: usize) -> String {
    let calls = "g(o);\n".repeat(n);
    text("void g(inout vec4 v) { v.xy += v.zw; }\n", &format!("o = vec4(x);\n{calls}"))
}

fn out(n: usize) -> String {
    text("void g(out float v, float u) { v = u * 0.5; }\n", &"g(x, x);\n".repeat(n))
}

fn modf(n: usize) -> String {
    done(n, |_| "x += modf(x, x);\n".to_owned())
}

fn long_expression(n: usize) -> String {
    text("", &format!("x = x{};\n", " + gl_FragCoord.x".repeat(n)))
}

fn parentheses(n: usize) -> String {
    text("", &format!("x = {}x{};\n", "(".repeat(n), ")".repeat(n)))
}

fn unary(n: usize) -> String {
    text("", &format!("x = {}x;\n", "- ".repeat(n)))
}

fn and(n: usize) -> String {
    let conditions = each(n, |i| format!(" && (x += 1.0) < {i}.0"));
    text("", &format!("if (x > 0.0{conditions}) x = 1.0;\n"))
}

fn commas(n: usize) -> String {
    text("", &format!("x{};\n", ", x += 1.0".repeat(n)))
}

fn swizzles(n: usize) -> String {
    text("", &format!("o = gl_FragCoord;\no = o{};\n", ".wzyx".repeat(n)))
}

fn matrices(n: usize) -> String {
    text("", &format!("mat4 m = mat4(x);\n{}x = m[0].x;\n", "m = m * m;\n".repeat(n)))
}

fn textures(n: usize) -> String {
    let reads = each(n, |i| format!("x += texture(s, vec2(x, {i}.0)).x;\n"));
    text("layout(binding = 0) uniform sampler2D s;\n", &reads)
}

fn statements(n: usize) -> String {
    done(n, |i| format!("x = x * 0.5 + {i}.0;\n"))
}

fn locals(n: usize) -> String {
    let local = |i: usize| format!("float x{i} = {} + 1.0;\n", format_args!("x{}", i - 1));
    text("", &format!("float x0 = x;\n{}", each(n, |i| local(i + 1))))
}

fn declarators(n: usize) -> String {
    text("", &format!("float z = x{};\n", each(n, |i| format!(", y{i} = x"))))
}

fn blocks(n: usize) -> String {
    done(n, |i| format!("{{ float y = x + {i}.0; {{ x = y; }} }}\n"))
}

fn ifs(n: usize) -> String {
    done(n, |i| format!("if (x < {i}.0) {{ x = {i}.5; }}\n"))
}

fn else_ifs(n: usize) -> String {
    text("", &format!("{}x = 1.0;\n", each(n, |i| format!("if (x < {i}.0) x = {i}.5; else "))))
}

fn returns(n: usize) -> String {
    let body = each(n, |i| format!("if (x < {i}.0) return {i}.0;\n"));
    text(&format!("float f(float x) {{\n{body}return x;\n}}\n"), "x = f(x);\n")
}

fn switch(n: usize) -> String {
    let cases = each(n, |i| format!("case {i}: x += {i}.0; break;\n"));
    text("", &format!("switch (int(x)) {{\n{cases}}}\n"))
}

fn labels(n: usize) -> String {
    text("", &format!("switch (int(x)) {{\n{}x = 1.0;\n}}\n", each(n, |i| format!("case {i}:\n"))))
}

fn for_loops(n: usize) -> String {
    done(n, |_| "for (int i = 0; i < 3; i++) x += 1.0;\n".to_owned())
}

fn while_loops(n: usize) -> String {
    done(n, |_| "while (x < 1.0) { if (x > 0.5) break; x += 0.1; }\n".to_owned())
}

fn array(n: usize) -> String {
    let elements = each(n, |i| format!("{i}.0, "));
    text(&format!("const float t[] = float[]({elements}1.0);\n"), "x = t[int(x)];\n")
}

fn array_lengths(n: usize) -> String {
    let lengths = each(n, |i| format!("const int n{i} = {i} % 7 + 3;\n"));
    text(&lengths, &each(n, |i| format!("{{ float a[n{i}]; a[1] = x; x = a[1]; }}\n")))
}

fn structures(n: usize) -> String {
    declared(n, |i| format!("struct S{i} {{ float a; vec2 b; }};\n"))
}

fn nested_structures(n: usize) -> String {
    // As deep as the limit allows, as often as needed.
    let structure = |i: usize| match i % 50 {
        0 => format!("struct S{i} {{ float a; }};\n"),
        _ => format!("struct S{i} {{ S{} a; }};\n", i - 1),
    };
    declared(n, structure)
}

/// A structure of n members.
fn wide(n: usize) -> String {
    format!("struct S {{\n{}}};\n", each(n, |i| format!("float a{i};\n")))
}

fn copies(n: usize) -> String {
    text(&wide(n.isqrt()), &format!("S s, t;\n{}", "s = t;\n".repeat(n)))
}

fn equal_structures(n: usize) -> String {
    // Each comparison is as long as the structure, so both are the square root of the size.
    let compare = "x += float(s == t);\n".repeat(n.isqrt());
    let fill = each(n, |i| format!("x += {i}.0;\n"));
    text(&wide(n.isqrt()), &format!("S s, t;\n{fill}{compare}"))
}

fn block_members(n: usize) -> String {
    let block = each(n, |i| format!("float a{i};\n"));
    let declared = format!("layout(std140, binding = 0) uniform B {{\n{block}}} b;\n");
    text(&declared, &each(n, |i| format!("x += b.a{i};\n")))
}

fn block_copies(n: usize) -> String {
    let block = "layout(std140, binding = 0) uniform B { S s; } b;\n";
    let copies = "{ S s = b.s; }\n".repeat(n.isqrt());
    let fill = each(n, |i| format!("x += {i}.0;\n"));
    text(&format!("{}{block}", wide(n.isqrt())), &format!("{fill}{copies}"))
}

fn stage_block(n: usize) -> String {
    let block = each(n, |i| format!("float a{i};\n"));
    text(&format!("in B {{\n{block}}} b;\n"), &each(n, |i| format!("x += b.a{i};\n")))
}

/// A text of version 330, which has uniforms outside of blocks.
fn old(declarations: &str) -> String {
    format!("#version 330\nout vec4 o;\n{declarations}void main() {{ o = vec4(1.0); }}\n")
}

fn uniforms(n: usize) -> String {
    old(&each(n, |i| format!("uniform float u{i};\n")))
}

fn structure_uniforms(n: usize) -> String {
    old(&format!("{}{}", wide(n.isqrt()), each(n, |i| format!("uniform S u{i};\n"))))
}

fn samplers(n: usize) -> String {
    old(&each(n, |i| format!("uniform sampler2D s{i};\n")))
}

fn inputs(n: usize) -> String {
    old(&each(n, |i| format!("in float v{i};\n")))
}

fn constants(n: usize) -> String {
    declared(n, |i| format!("const float c{i} = {i}.0;\n"))
}

fn globals(n: usize) -> String {
    declared(n, |i| format!("float g{i} = {i}.0 * gl_FragCoord.x;\n"))
}

fn macros(n: usize) -> String {
    declared(n, |i| match i % 50 {
        0 => format!("#define A{i} 1.0\n"),
        _ => format!("#define A{i} A{}\n", i - 1),
    })
}

fn macro_uses(n: usize) -> String {
    text("#define M(a, b) ((a) + (b) * 2.0)\n", &"x = M(x, 1.0);\n".repeat(n))
}

fn undef(n: usize) -> String {
    declared(n, |i| format!("#define A {i}\nconst int c{i} = A;\n#undef A\n"))
}

fn if_lines(n: usize) -> String {
    declared(n, |i| format!("#if {i} > 3 && defined(X)\nfloat a{i};\n#endif\n"))
}

fn nested_if_lines(n: usize) -> String {
    text(&format!("{}{}", "#if 1\n".repeat(n), "#endif\n".repeat(n)), "")
}

fn lines(n: usize) -> String {
    done(n, |i| format!("#line {i} {}\nx += 1.0;\n", i % 5))
}

fn comments(n: usize) -> String {
    declared(n, |i| format!("/* {i} */ // and\n"))
}

fn extensions(n: usize) -> String {
    declared(n, |i| format!("#extension GL_NONE_e{i} : enable\n"))
}

fn long_name(n: usize) -> String {
    text(&format!("float {};\n", "a".repeat(n)), "")
}

fn unknown_names(n: usize) -> String {
    let known = each(n, |i| format!("const float c{i} = 1.0;\n"));
    text(&known, &each(n, |i| format!("x = d{i};\n")))
}

fn wrong_syntax(n: usize) -> String {
    declared(n, |_| "float x y;\n".to_owned())
}

fn redeclared(n: usize) -> String {
    done(n, |_| "float x;\n".to_owned())
}
