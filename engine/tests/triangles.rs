//! Triangles by the public API: every engine that draws them gives the same bits.

use lambdav_engine::interface::AttributeRate;
use lambdav_engine::{Bindings, Engine, Frame, Options, Shader, Size};

/// Two triangles that overlap, with interpolation of each kind, discard, and a derivative.
const SCENE: &str = "
    (define corners (array (vec4 -0.9 -0.8 0.2 1) (vec4 0.8 -0.7 0.9 2) (vec4 -0.2 0.9 0.5 1.5)
                           (vec4 0.9 0.9 0.1 1) (vec4 -0.8 0.4 0.6 1) (vec4 0.3 -0.9 0.3 3)))
    (define corner (at corners (vertex-index)))
    (position (* corner (vec4 1 1 1 1)))
    (varying colour (.xyz corner))
    (varying along (num (vertex-index)) linear)
    (varying number (+ (* 10i (instance-index)) (vertex-index)) flat)
    (discard-if (< (.x colour) -0.6))
    (output 0 (vec4 colour (+ along (* 0.1 (num number)))))
    (output 1 (vec4 (dfdx (.y colour)) (dfdy along) (.z (frag-coord)) (.w (frag-coord))))";

fn pictures(text: &str, options: Options, size: Size, bind: impl Fn(&mut Bindings)) -> Vec<Frame> {
    let shader = Shader::new("scene.lv", text).expect("it is accepted");
    let outputs = shader.outputs();
    let pipeline = shader.pipeline(&options.outputs(outputs)).expect("it is compiled");
    let mut bindings = pipeline.bindings();
    bind(&mut bindings);
    pipeline.render_outputs(&bindings, size).expect("it is drawn")
}

fn bits(frame: &Frame) -> Vec<u32> {
    frame.samples().iter().map(|sample| sample.to_bits()).collect()
}

#[test]
fn engines_agree() {
    let size = Size::new(61, 47).expect("within the limits");
    let six = |bindings: &mut Bindings| {
        bindings.vertices(6).instances(2);
    };
    for state in [
        "",
        "(state (cull back))",
        "(state (depth off) (blend over))",
        "(state (samples 4) (depth greater) (clear 1 0 0.5 1))",
        "(state (depth always) (depth-write off) (blend add) (topology strip))",
        "(state (topology fan) (front cw) (cull front) (blend multiply))",
        "(depth (* 0.5 (.y colour))) (state (samples 4))",
    ] {
        let text = format!("{SCENE} {state}");
        let wanted = pictures(&text, Options::default().engine(Engine::Core), size, six);
        let source = pictures(&text, Options::default().engine(Engine::Source), size, six);
        for (location, (wanted, found)) in wanted.iter().zip(&source).enumerate() {
            assert_eq!(bits(wanted), bits(found), "{state}: output {location} by the text");
        }
        for lanes in [1, 4, 8, 16, 32, 64] {
            let options = Options::default().engine(Engine::Simd).lanes(lanes);
            let found = pictures(&text, options, size, six);
            for (location, (wanted, found)) in wanted.iter().zip(&found).enumerate() {
                assert_eq!(
                    bits(wanted),
                    bits(found),
                    "{state}: output {location} with {lanes} lanes"
                );
            }
        }
    }
}

#[test]
fn attributes_are_listed() {
    let text = "(attribute position vec3) (attribute world mat4 instance)
        (position (* world (vec4 position 1))) (vec4 1)";
    let shader = Shader::new("scene.lv", text).expect("it is accepted");
    let attributes = shader.attributes().iter();
    let found: Vec<_> =
        attributes.map(|of| (&*of.name, shader.type_name(of.ty), of.rate)).collect();
    let expected = [
        ("position", "vec3".to_owned(), AttributeRate::Vertex),
        ("world", "mat4".to_owned(), AttributeRate::Instance),
    ];
    assert_eq!(found, expected);
    assert!(Shader::new("plain.lv", "1").expect("it is accepted").attributes().is_empty());
}
