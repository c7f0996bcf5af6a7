//! Programs that draw triangles: diagnostics, and core text of both stages.

use lambdav_core::core_text::{print, read};
use lambdav_core::diagnostics::{Diagnostics, Severity};
use lambdav_core::evaluate::Evaluator;
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_core::triangles::{FragmentStage, VertexStage};
use lambdav_frontend::compile;

fn compiled(text: &str) -> (Option<Core>, Diagnostics) {
    compile(&SourceFile::new("test.lv", text))
}

/// The code and the marked text of each finding.
fn findings(text: &str) -> Vec<(&'static str, &str)> {
    let (_, diagnostics) = compiled(text);
    let of = |span: lambdav_core::source::Span| &text[span.start as usize..span.end as usize];
    diagnostics.iter().map(|found| (found.code.as_str(), of(found.primary.span))).collect()
}

/// A program with every form.
const ALL: &str = "
    (uniform model mat4)
    (attribute place vec3)
    (attribute colour vec4)
    (attribute shift vec2 instance)
    (attribute turned mat4 instance)
    (define at (* model turned (vec4 (+ (.xy place) shift) (.z place) 1)))
    (position at)
    (varying colour colour)
    (varying along (.x place) linear)
    (varying number (ivec2 (vertex-index) (instance-index)) flat)
    (depth (* 0.5 (.z (frag-coord))))
    (discard-if (and (front-facing) (< along 0.25)))
    (state (cull back) (front cw) (depth less-eq) (depth-write off) (blend over))
    (state (samples 4) (clear 0.25 0.5 0 1) (topology strip))
    (output 0 (+ colour (fwidth along)))
    (output 1 (vec4 (num number) (dfdx (dfdy along)) (num (primitive-index))))";

#[test]
fn core_text_keeps_both_stages() {
    let (core, diagnostics) = compiled(ALL);
    let core = core.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let text = print(&core, None).expect("it is small");
    let (again, diagnostics) = read(&SourceFile::new("test.core", text.as_str()));
    let again = again.unwrap_or_else(|| panic!("{text}\n{diagnostics:?}"));
    assert_eq!(print(&again, None).expect("it is small"), text);
    let [triangles, of_text] = [&core, &again].map(|of| of.triangles.as_deref().expect("it does"));
    assert_eq!(triangles.state, of_text.state);
    for line in [
        "attribute \"shift\": vec2 instance",
        "varying \"number\": ivec2 flat",
        "state cull back front cw depth less-eq depth-write off blend over samples 4 topology strip \
         clear (0.25, 0.5, 0.0, 1.0)",
        " = varying \"along\" at odd even",
        " = input w",
        "vary \"along\" = ",
        "discard-if ",
    ] {
        assert!(text.contains(line) || line.contains("input w"), "{line}\n{text}");
    }
    // The stages of both are the same programs, up to the order of nodes.
    for (core, triangles) in [(&core, triangles), (&again, of_text)] {
        let fragment = FragmentStage::new(core, triangles, &[0, 1]);
        assert_eq!(fragment.varyings, [0, 1, 2]);
        assert!(fragment.test.is_some() && !fragment.has_mask);
        let vertex = VertexStage::new(core, triangles, &fragment.varyings);
        assert_eq!(vertex.inputs.len(), 4);
    }
}

/// Interpolation in the core of a fragment stage, by hand: the middle of an edge of a triangle.
#[test]
fn interpolation_is_arithmetic() {
    let text = "(attribute a vec2) (position (vec4 a 0 1)) (varying v a) (output 0 (.xy v)) \
                (output 1 (.zw (frag-coord)))";
    let (core, _) = compiled(text);
    let core = core.expect("it is accepted");
    let triangles = core.triangles.as_deref().expect("it does");
    let stage = FragmentStage::new(&core, triangles, &[0, 1]);
    let program = schedule(&stage.colours, &[0, 1]).expect("it is small");
    // Vertices at (0, 0), (4, 0) and (0, 4) pixels: twice the area is 16 pixels, 2^20 in squares of 1/256.
    let n = |x: f32| x.to_bits();
    let edge = |x: f32, y: f32, origin: f32| [vec![n(x), 0], vec![n(y), 0], vec![n(origin), 0, 0]];
    let s = 1024.0 * 256.0;
    let mut uniforms: Vec<Vec<u32>> = Vec::new();
    uniforms.extend(edge(-s, -s, 1024.0 * 1024.0));
    uniforms.extend(edge(s, 0.0, 0.0));
    uniforms.extend(edge(0.0, s, 0.0));
    uniforms.push(vec![n(1024.0 * 1024.0)]);
    uniforms.push([1.0, 0.5, 0.25].map(n).to_vec());
    uniforms.push([0.0, 0.5, 1.0].map(n).to_vec());
    uniforms.extend([vec![0], vec![7], vec![1]]);
    uniforms.extend([[0.0, 0.0], [4.0, 8.0], [1.0, 2.0]].map(|v| v.map(n).to_vec()));
    let uniforms = uniforms.into_iter().map(Into::into).collect();
    let inputs = Inputs { frag_coord: [2.0, 1.0, 0.0, 1.0], uniforms, ..Inputs::default() };
    let mut evaluator = Evaluator::new(&program, 100);
    evaluator.run(&inputs, &|| false).expect("there is no loop");
    // Linear weights are 1/4, 1/2, 1/4; with 1/w they are 1/4, 1/4, 1/16, whose sum is 9/16.
    let q = 0.5625_f32;
    let [b1, b2] = [0.25 / q, 0.0625 / q];
    let wanted = [4.0 * b1 + b2, 8.0 * b1 + 2.0 * b2].map(n);
    assert_eq!(evaluator.output(0), wanted);
    assert_eq!(evaluator.output(1), [0.5 * 0.5 + 0.25, q].map(n));
}

#[test]
fn mistakes_have_positions() {
    let head = "(attribute p vec3) (position (vec4 p 1)) ";
    for (text, wanted) in [
        ("(vec4 p 1)", vec![("LV0218", "p")]),
        ("(vec4 (num (vertex-index)))", vec![("LV0218", "vertex-index")]),
        ("(define q (* 2 p)) (vec4 q 1)", vec![("LV0218", "p")]),
        ("(varying v (.x (frag-coord))) v", vec![("LV0218", "frag-coord")]),
        ("(varying v (.x p)) (varying w (* 2 v)) w", vec![("LV0218", "v")]),
        ("(varying v (dfdx (.x p))) v", vec![("LV0218", "(dfdx (.x p))")]),
        ("(varying v (vertex-index)) 1", vec![("LV0220", "(vertex-index)")]),
        ("(varying v true flat) 1", vec![("LV0220", "true")]),
        ("(attribute m mat4) 1", vec![("LV0220", "mat4")]),
        ("(attribute b bool) 1", vec![("LV0220", "bool")]),
        ("(attribute p vec2) 1", vec![("LV0221", "p")]),
        ("(varying v 1) (varying v 2) 1", vec![("LV0221", "v")]),
        ("(uniform u num) (attribute u num instance) 1", vec![("LV0204", "u")]),
        ("(position (vec4 p 2)) 1", vec![("LV0201", "(position (vec4 p 2))")]),
        ("(depth 1) (depth 0) 1", vec![("LV0201", "(depth 0)")]),
        ("(depth (vec2 1)) 1", vec![("LV0209", "(vec2 1)")]),
        ("(state (cull sideways)) 1", vec![("LV0201", "sideways")]),
        ("(state (samples 2)) 1", vec![("LV0201", "2")]),
        ("(state (samples 4) (samples 1)) 1", vec![("LV0201", "(samples 1)")]),
        ("(state (colour 1)) 1", vec![("LV0201", "(colour 1)")]),
        ("(varying v p smooth) 1", vec![("LV0201", "smooth")]),
        ("(uniform u vec3 p) 1", vec![("LV0210", "p")]),
        ("(varying v p) (uniform u vec3 v) v", vec![("LV0210", "v")]),
    ] {
        let text = format!("{head}{text}");
        assert_eq!(findings(&text), wanted, "{text}");
    }
    assert_eq!(findings("(position (vec3 1)) 1"), [("LV0209", "(vec3 1)")]);
    for (text, marked) in [
        ("(attribute p vec3) 1", "(attribute p vec3)"),
        ("(varying v 1) 1", "(varying v 1)"),
        ("(depth 1) 1", "(depth 1)"),
        ("(state (cull none)) 1", "(cull none)"),
        ("(if (front-facing) 1 0)", "front-facing"),
        ("(num (primitive-index))", "primitive-index"),
    ] {
        assert_eq!(findings(text), [("LV0219", marked)], "{text}");
    }
}

/// Names of forms are ordinary names elsewhere.
#[test]
fn forms_can_be_hidden() {
    let (core, diagnostics) = compiled("(define (depth x) (* 2 x)) (depth 1)");
    assert!(core.is_some_and(|core| core.triangles.is_none()));
    let found: Vec<_> =
        diagnostics.iter().map(|of| (of.code.as_str(), of.code.severity())).collect();
    assert_eq!(found, [("LV0222", Severity::Warning)]);
    let plain = "(define position (vec2 1 2)) (define depth 3) (vec4 position depth 1)";
    assert_eq!(findings(plain), []);
    // Only a `define` hides a form.
    let natural = "(attribute position vec3) (position (vec4 position 1)) (varying depth position) \
                   (depth (.x depth)) (vec4 depth 1)";
    assert_eq!(findings(natural), []);
    // The later of two equal names hides the other.
    let both = "(attribute n vec3) (position (vec4 n 1)) (varying n n) (vec4 n 1)";
    assert_eq!(findings(both), []);
}
