//! Tests of built-in functions: each form of the table, texture functions of each sampler, and errors.

use super::builtin_table::{NEVER, Parameter, Pass, Returns, Shape, Stages, rows};
use super::check;
use super::items::{Setting, Stage};
use crate::preprocess::{Settings, preprocess};
use crate::syntax::{Words, parse};
use crate::types::Scalar;
use crate::version::Version;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use rspirv::spirv::Op;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

/// The words of a text, or the messages of its errors with their help.
fn compile(stage: Stage, vulkan: bool, text: &str) -> Result<Vec<u32>, Vec<String>> {
    let mut source = SourceFile::new("a.glsl", text);
    let settings = Settings {
        defines: &[],
        default_version: Version { number: 450, es: false },
        vulkan,
        roots: &[],
        path: None,
        most: 100,
    };
    let tokens = preprocess(&mut source, &[0], &settings, &mut NoFiles);
    let words = Words::new(&tokens.names, tokens.version, vulkan);
    let (unit, syntax) = parse(&tokens.tokens, None, &tokens.names, &words, 100);
    let set = Setting {
        source: &source,
        names: &tokens.names,
        version: tokens.version,
        int_to_uint: tokens.int_to_uint(),
        stage,
        is_expression: false,
        most: 100,
    };
    let (checked, found) = check(&unit, set);
    let mut errors = Vec::new();
    for all in [tokens.diagnostics, syntax, found] {
        for one in &all {
            let help = one.help.as_deref().unwrap_or_default();
            errors.push(format!("{:?}: {} / {help}", one.code, one.message));
        }
    }
    if errors.is_empty() { Ok(checked.words) } else { Err(errors) }
}

/// Asserts that spirv-val accepts a module, if there is a spirv-val.
fn assert_valid(text: &str, words: &[u32]) {
    let child = Command::new("spirv-val")
        .args(["--target-env", "vulkan1.1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else { return };
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // spirv-val may end before it has read everything.
    let _ = child.stdin.take().expect("it has an input").write_all(&bytes);
    let output = child.wait_with_output().expect("it ends");
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{message}\n{text}");
}

fn accept(stage: Stage, vulkan: bool, text: &str) {
    match compile(stage, vulkan, text) {
        Ok(words) => assert_valid(text, &words),
        Err(errors) => panic!("{errors:#?}\n{text}"),
    }
}

fn type_name(of: &Parameter, width: u8) -> String {
    let width = match of.shape {
        Shape::Fixed(width) => width,
        Shape::Any => width,
        Shape::Vector => width.max(2),
        Shape::Other => 6 - width.max(2),
        Shape::Matrix | Shape::Square => return format!("mat{}", width.max(2)),
    };
    let (scalar, letter) = match of.scalar {
        Scalar::Bool => ("bool", "b"),
        Scalar::Int => ("int", "i"),
        Scalar::Uint => ("uint", "u"),
        _ => ("float", ""),
    };
    if width == 1 { scalar.to_owned() } else { format!("{letter}vec{width}") }
}

/// Each form of each row, in each width, in one shader for each stage.
#[test]
fn table() {
    let mut texts = [String::new(), String::new()];
    let mut count = 0;
    for row in rows() {
        let text = &mut texts[usize::from(row.stages == Stages::Compute)];
        for form in row.forms() {
            let atomic = row.name.starts_with("atomic");
            for width in 1..=4 {
                let mut body = String::new();
                let mut names = Vec::new();
                for (k, parameter) in form.parameters.iter().enumerate() {
                    let ty = type_name(parameter, width);
                    if parameter.pass != Pass::Place {
                        // Writing to a string does not fail.
                        let _ = write!(body, "{ty} p{k} = {ty}(x); ");
                        names.push(format!("p{k}"));
                    } else if atomic {
                        names.push(format!("{ty}s[0]"));
                    } else {
                        names.push(format!("in{}.{}", width, &"xyzw"[..usize::from(width)]));
                    }
                }
                let call = format!("{}({})", row.name, names.join(", "));
                let _ = match &form.returns {
                    Returns::Of(of) => {
                        let ty = type_name(of, width);
                        let end = if ty.contains("mat") { "[0][0]" } else { "" };
                        let end = if ty.contains("vec") { ".x" } else { end };
                        writeln!(text, "void f{count}() {{ {body}x += float({call}{end}); }}")
                    }
                    Returns::Nothing => writeln!(text, "void f{count}() {{ {body}{call}; }}"),
                    Returns::Special => {
                        writeln!(text, "void f{count}() {{ {body}x += {call}[0][0]; }}")
                    }
                };
                count += 1;
            }
        }
    }
    assert!(count > 500);
    let calls = |text: &str| -> String {
        (0..count).filter(|k| text.contains(&format!("void f{k}()"))).fold(
            String::new(),
            |mut all, k| {
                let _ = write!(all, "f{k}(); ");
                all
            },
        )
    };
    let fragment = format!(
        "#version 450\nlayout(location = 0) in vec4 in1; layout(location = 1) in vec4 in2;\n\
         layout(location = 2) in vec4 in3; layout(location = 3) in vec4 in4;\n\
         layout(location = 0) out vec4 color; float x = in1.x;\n\
         layout(set = 0, binding = 0) buffer B {{ int ints[4]; uint uints[4]; }};\n\
         {}void main() {{ {} color = vec4(x); }}",
        texts[0],
        calls(&texts[0])
    );
    accept(Stage::Fragment, true, &fragment);
    let compute = format!(
        "#version 450\nlayout(local_size_x = 4) in; float x = 0.0;\n\
         {}void main() {{ {} }}",
        texts[1],
        calls(&texts[1])
    );
    accept(Stage::Compute, true, &compute);
}

/// Each version that a row names exists.
#[test]
fn versions() {
    for row in rows() {
        let [desktop, es] = row.since;
        assert!(
            [0, 110, 120, 130, 140, 150, 330, 400, 420, 450].contains(&desktop),
            "{}",
            row.name
        );
        assert!([0, 100, 300, 310, 320, NEVER].contains(&es), "{}", row.name);
    }
}

/// A fragment shader with uniforms and statements.
fn shader(version: &str, uniforms: &str, body: &str) -> String {
    format!(
        "#version {version}\n{uniforms}\nlayout(location = 0) in vec4 p; \
         layout(location = 0) out vec4 color;\nvoid main() {{ vec4 c = vec4(0.0); {body} color = c; }}"
    )
}

fn samplers() -> String {
    let mut text = String::new();
    let kinds = [
        "sampler1D",
        "sampler2D",
        "sampler3D",
        "samplerCube",
        "sampler1DArray",
        "sampler2DArray",
        "samplerCubeArray",
        "sampler2DMS",
        "sampler2DMSArray",
        "samplerBuffer",
        "sampler1DShadow",
        "sampler2DShadow",
        "samplerCubeShadow",
        "sampler1DArrayShadow",
        "sampler2DArrayShadow",
        "samplerCubeArrayShadow",
        "isampler2D",
        "usampler3D",
    ];
    for (k, kind) in kinds.iter().enumerate() {
        let name = kind.replace("sampler", "s");
        let _ = writeln!(text, "layout(set = 0, binding = {k}) uniform {kind} {name};");
    }
    text
}

#[test]
fn textures() {
    let body = "
        c += texture(s1D, p.x); c += texture(s1D, p.x, 1.0); c += texture(s2D, p.xy);
        c += texture(s2D, p.xy, 0.5); c += texture(s3D, p.xyz); c += texture(sCube, p.xyz, 1.0);
        c += texture(s1DArray, p.xy); c += texture(s2DArray, p.xyz); c += texture(sCubeArray, p);
        c.x += texture(s1DShadow, p.xyz); c.x += texture(s2DShadow, p.xyz, 0.1);
        c.x += texture(sCubeShadow, p); c.x += texture(s1DArrayShadow, p.xyz);
        c.x += texture(s2DArrayShadow, p); c.x += texture(sCubeArrayShadow, p, 0.5);
        c += vec4(texture(is2D, p.xy)); c += vec4(texture(us3D, p.xyz));
        c += textureProj(s1D, p.xy); c += textureProj(s1D, p); c += textureProj(s2D, p.xyz);
        c += textureProj(s2D, p, 0.2); c += textureProj(s3D, p);
        c.x += textureProj(s1DShadow, p); c.x += textureProj(s2DShadow, p);
        c += textureLod(s2D, p.xy, 1.0); c += textureLod(sCube, p.xyz, 1.0);
        c.x += textureLod(s2DShadow, p.xyz, 1.0); c.x += textureLod(s1DArrayShadow, p.xyz, 1.0);
        c += textureOffset(s2D, p.xy, ivec2(1, -1)); c += textureOffset(s1D, p.x, 2, 0.5);
        c.x += textureOffset(s2DShadow, p.xyz, ivec2(1)); c += textureOffset(s2DArray, p.xyz, ivec2(1));
        c += textureProjOffset(s2D, p.xyz, ivec2(1)); c += textureLodOffset(s3D, p.xyz, 0.0, ivec3(1));
        c += textureProjLod(s2D, p.xyz, 0.0); c += textureProjLodOffset(s2D, p, 0.0, ivec2(1));
        c += textureGrad(s2D, p.xy, p.xy, p.zw); c += textureGrad(sCube, p.xyz, p.xyz, p.yzw);
        c += textureGrad(s2DArray, p.xyz, p.xy, p.zw); c.x += textureGrad(s2DShadow, p.xyz, p.xy, p.zw);
        c += textureGradOffset(s2D, p.xy, p.xy, p.zw, ivec2(1)); c += textureProjGrad(s2D, p, p.xy, p.xy);
        c += textureProjGradOffset(s2D, p.xyz, p.xy, p.xy, ivec2(1));
        c += texelFetch(s1D, int(p.x), 0); c += texelFetch(s2D, ivec2(p.xy), 1);
        c += texelFetch(s3D, ivec3(p.xyz), 0); c += texelFetch(s2DArray, ivec3(p.xyz), 0);
        c += texelFetch(s2DMS, ivec2(p.xy), 2); c += texelFetch(s2DMSArray, ivec3(p.xyz), 2);
        c += texelFetch(sBuffer, 3); c += texelFetchOffset(s2D, ivec2(p.xy), 1, ivec2(1));
        c += textureGather(s2D, p.xy); c += textureGather(s2D, p.xy, 2); c += textureGather(sCube, p.xyz);
        c += textureGather(s2DArray, p.xyz); c += textureGather(s2DShadow, p.xy, 0.5);
        c += textureGather(sCubeArrayShadow, p, 0.5); c += textureGatherOffset(s2D, p.xy, ivec2(1), 1);
        c += textureGatherOffset(s2D, p.xy, ivec2(p.xy)); c += textureGatherOffset(s2DShadow, p.xy, 0.5, ivec2(1));
        const ivec2 o[4] = ivec2[4](ivec2(0), ivec2(1), ivec2(2), ivec2(3));
        c += textureGatherOffsets(s2D, p.xy, o); c += textureGatherOffsets(s2DShadow, p.xy, 0.5, o);
        c.xy += vec2(textureSize(s2D, 0)); c.x += float(textureSize(s1D, 0)); c.xy += vec2(textureSize(sCube, 0));
        c.xyz += vec3(textureSize(sCubeArray, 0)); c.xy += vec2(textureSize(s2DMS)); c.x += float(textureSize(sBuffer));
        c.xy += textureQueryLod(s2D, p.xy); c.xy += textureQueryLod(s2DShadow, p.xy);
        c.xy += textureQueryLod(sCubeArray, p.xyz); c.x += float(textureQueryLevels(s2D));
        c.x += float(textureSamples(s2DMS));
        c += texture2D(s2D, p.xy); c += texture2DLod(s2D, p.xy, 1.0); c += texture2DProj(s2D, p.xyz);
        c += texture2DGradARB(s2D, p.xy, p.xy, p.zw); c += textureCubeLodEXT(sCube, p.xyz, 1.0);
        c += texture1D(s1D, p.x); c += texture3D(s3D, p.xyz); c += textureCube(sCube, p.xyz, 1.0);
        c += shadow2D(s2DShadow, p.xyz); c += shadow1D(s1DShadow, p.xyz); c += shadow2DProj(s2DShadow, p);
        c += texture2DProjLodEXT(s2D, p, 0.0); c += texture2DArray(s2DArray, p.xyz);
        c += texelFetch2D(s2D, ivec2(1), 0); c.xy += vec2(textureSize2D(s2D, 0));
        c.x += texture(sCubeArrayShadow, p, p.x > 0.0 ? 0.5 : 1.0);
    ";
    accept(Stage::Fragment, true, &shader("460", &samplers(), body));
}

#[test]
fn separate_samplers() {
    let uniforms = "layout(set = 0, binding = 0) uniform texture2D t; \
        layout(set = 0, binding = 1) uniform sampler s; \
        layout(set = 0, binding = 2) uniform samplerShadow ss; \
        layout(set = 0, binding = 3) uniform texture2DArray ta;";
    let body = "
        c += texture(sampler2D(t, s), p.xy);
        c += texture(sampler2D(t, s), p.x > 0.0 ? texture(sampler2D(t, s), p.zw).xy : p.xy);
        c.x += texture(sampler2DShadow(t, ss), p.xyz);
        c += texture(sampler2DArray(ta, s), p.xyz);
        c += texelFetch(sampler2D(t, s), ivec2(1), 0); c += texelFetch(t, ivec2(1), 0);
        c.xy += vec2(textureSize(t, 0)); c.xy += vec2(textureSize(sampler2D(t, s), 0));
        c += textureGather(sampler2D(t, s), p.xy);
    ";
    accept(Stage::Fragment, true, &shader("450", uniforms, body));
}

#[test]
fn images() {
    let uniforms = "layout(set = 0, binding = 0, rgba8) uniform image2D i; \
        layout(set = 0, binding = 1, r32i) uniform iimage2D ii; \
        layout(set = 0, binding = 2, r32ui) uniform uimageBuffer ub; \
        layout(set = 0, binding = 3, rgba16f) uniform image3D i3; \
        layout(set = 0, binding = 4, rgba16f) uniform imageCube ic; \
        layout(set = 0, binding = 5, rgba16f) uniform image2DArray ia; \
        layout(set = 0, binding = 6, r32f) uniform image2D fi; \
        layout(input_attachment_index = 0, set = 0, binding = 7) uniform subpassInput sub;";
    let body = "
        c += imageLoad(i, ivec2(1)); imageStore(i, ivec2(2), c); c += vec4(imageLoad(ii, ivec2(1)));
        c += vec4(imageLoad(ub, 1)); imageStore(i3, ivec3(1), c); imageStore(ic, ivec3(1), c);
        c += imageLoad(ia, ivec3(0)); c.xy += vec2(imageSize(i)); c.xyz += vec3(imageSize(ia));
        c.xy += vec2(imageSize(ic)); c.x += float(imageSize(ub));
        c.x += float(imageAtomicAdd(ii, ivec2(0), 1)); c.x += float(imageAtomicMax(ub, 0, 2u));
        c.x += float(imageAtomicCompSwap(ii, ivec2(0), 1, 2)); c.x += imageAtomicExchange(fi, ivec2(0), 1.0);
        c += subpassLoad(sub); memoryBarrierImage();
    ";
    accept(Stage::Fragment, true, &shader("450", uniforms, body));
}

/// The arm that is not chosen writes nothing.
#[test]
fn effects_of_arms() {
    let uniforms = "layout(set = 0, binding = 0, rgba8) uniform image2D i; \
        layout(set = 0, binding = 1, r32i) uniform iimage2D ii; \
        layout(set = 0, binding = 2) uniform sampler2DShadow s;";
    let arms = [
        "(imageStore(i, ivec2(0), p), 1.0)",
        "(memoryBarrier(), 1.0)",
        "float(imageAtomicAdd(ii, ivec2(0), 1))",
        "texture(s, p.xyz)",
    ];
    for arm in arms {
        let text = shader("450", uniforms, &format!("c.x = p.x > 0.0 ? {arm} : 0.0;"));
        let words = compile(Stage::Fragment, true, &text).expect("the text is right");
        assert_valid(&text, &words);
        let mut rest = &words[5..];
        let mut branches = 0;
        while let Some(&first) = rest.first() {
            branches += u32::from(first & 0xffff == Op::BranchConditional as u32);
            rest = &rest[(first >> 16) as usize..];
        }
        assert_eq!(branches, 1, "{arm}");
    }
}

/// Outside fragment shaders the level is explicit; ES texts use the old names.
#[test]
fn stages_and_dialects() {
    accept(
        Stage::Vertex,
        true,
        "#version 450\nlayout(set = 0, binding = 0) uniform sampler2D s;\n\
         void main() { gl_Position = texture(s, vec2(0.0)) + texture2DProj(s, vec3(1.0)); }",
    );
    accept(
        Stage::Fragment,
        false,
        "precision mediump float; uniform sampler2D s; uniform samplerCube k; varying vec2 uv;\n\
         void main() { gl_FragColor = texture2D(s, uv, 0.5) + textureCube(k, vec3(1.0)) \
         + texture2DLodEXT(s, uv, 0.0) + vec4(dFdx(uv), mod(uv, 2.0)) \
         + vec4(pow(uv.x, 2.0), atan(uv.x, uv.y), clamp(uv, 0.0, 1.0)); }",
    );
    accept(
        Stage::Fragment,
        false,
        "#version 330\nout vec4 c; const int n = max(2, 3) + int(abs(-2.0)); float a[n];\n\
         void main() { a[4] = 1.0; c = vec4(max(a[4], 0), pow(2, 0.5), mix(1, 2, 0.5), \
         float(max(1u, 2))); float w; c.x += modf(a[4], w) + w; c.zw = vec2(1.0); \
         c.y += modf(2.5, c.z); }",
    );
}

fn errors(stage: Stage, version: &str, body: &str) -> Vec<String> {
    let text = format!(
        "#version {version}\nprecision highp float; uniform sampler2D s; uniform samplerCube k;\n\
         uniform vec3 v; uniform int i;\nvoid main() {{ {body} }}"
    );
    compile(stage, false, &text).expect_err("the text is wrong")
}

#[test]
fn refusals() {
    let fragment = Stage::Fragment;
    let cases = [
        (
            fragment,
            "300 es",
            "float a = max(1.5, 0);",
            "no `max` takes (float, int) / GLSL ES converts no numbers by itself: write `0.0`",
        ),
        (
            fragment,
            "300 es",
            "vec3 a = pow(v, i);",
            "no `pow` takes (vec3, int) / `pow` takes (vec3, vec3)",
        ),
        (
            fragment,
            "330",
            "vec3 a = pow(v, 2.0);",
            "no `pow` takes (vec3, float) / `pow` takes (vec3, vec3)",
        ),
        (
            fragment,
            "330",
            "vec3 a = min(1.0, v);",
            "no `min` takes (float, vec3) / `min` takes (vec3, vec3) or (vec3, float)",
        ),
        (
            fragment,
            "330",
            "vec4 a = texture(s, v);",
            "`texture` of `sampler2D` takes `vec2` as coordinates, and this is `vec3` / write `.xy`",
        ),
        (
            fragment,
            "330",
            "vec4 a = texture(v, v);",
            "`texture` takes a sampler first, and this is `vec3`",
        ),
        (
            fragment,
            "330",
            "vec4 a = textureProj(k, v);",
            "`textureProj` does not take `samplerCube`",
        ),
        (fragment, "330", "vec4 a = texture2D(k, v);", "`texture2D` does not take `samplerCube`"),
        (
            fragment,
            "330",
            "vec4 a = textureLod(s, v.xy);",
            "no `textureLod` takes (sampler2D, vec2) / `textureLod` takes (sampler2D, vec2, float)",
        ),
        (
            fragment,
            "330",
            "vec4 a = textureOffset(s, v.xy, ivec2(v.xy));",
            "the offset must be constant",
        ),
        (fragment, "120", "float a = round(1.0);", "`round` needs version 130, or 300 es"),
        (Stage::Vertex, "330", "float a = dFdx(v.x);", "only fragment shaders have `dFdx`"),
        (fragment, "450", "barrier();", "only compute shaders have `barrier`"),
        (fragment, "450", "float a = modf(1.0, 2.0);", "this cannot be assigned"),
        (
            fragment,
            "450",
            "int a = 0; atomicAdd(a, 1);",
            "`atomicAdd` takes a variable of a buffer, or a `shared` one",
        ),
        (fragment, "450", "float a = float(sin(1.0lf));", "functions of double are not supported"),
    ];
    for (stage, version, body, message) in cases {
        let found = errors(stage, version, body);
        assert!(found.len() == 1 && found[0].contains(message), "{body}: {found:#?}");
    }
}

/// An array of textures may have no length.
#[test]
fn arrays_of_textures_without_a_length_are_valid() {
    let text = "#version 450\n#extension GL_EXT_nonuniform_qualifier : require\n\
        layout(binding = 0) uniform texture2D t[]; layout(binding = 1) uniform sampler s;\n\
        layout(location = 0) flat in int k; layout(location = 0) out vec4 o;\n\
        void main() { o = texture(sampler2D(t[nonuniformEXT(k)], s), vec2(0.0)); }";
    assert_valid(text, &compile(Stage::Fragment, true, text).expect("it is accepted"));
}

/// The size of the workgroup is a constant; types of 32 bits have names by their width.
#[test]
fn names_of_compute_shaders() {
    let text = "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 4, local_size_y = 2) in;
shared float32_t all[gl_WorkGroupSize.x * gl_WorkGroupSize.y];
layout(binding = 0) buffer B { u32vec2 u; i32vec3 i; f32mat2x3 m; int32_t n; };
void main() {
    f32vec2 v = f32vec2(1.0, 2.0);
    all[gl_LocalInvocationIndex] = v.x;
    barrier();
    u = u32vec2(gl_WorkGroupSize.xy);
    m = f32mat2x3(all[0]);
    n = int32_t(gl_WorkGroupSize.z) + i.x;
}
";
    accept(Stage::Compute, true, text);
    for (name, what) in [
        ("n = int(gl_SubgroupID);", "subgroups are not supported"),
        ("n = subgroupAdd(n);", "subgroups are not supported"),
        ("atomicStore(n, 1, 1, 64, 2);", "operations with a scope (GL_KHR_memory_scope_semantics)"),
    ] {
        let text = format!(
            "#version 450\nlayout(local_size_x = 4) in; layout(binding = 0) buffer B {{ int n; }};\n\
             void main() {{ {name} }}"
        );
        let errors = compile(Stage::Compute, true, &text).expect_err(name);
        assert!(errors[0].contains(what), "{errors:?}");
    }
}
