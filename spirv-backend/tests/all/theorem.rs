//! The λV report's theorem (§7): *eval_λ(e) = eval_S(translate(e))*, bit for bit.

use crate::support::{Shader, by_core, by_words, gallery, generated, programs};
use lambdav_spirv_backend::emit as emit_program;
use lambdav_spirv_backend::emit::{EmitOptions, FloatControls, Version};

/// Compares all outputs together, and each by itself.
fn check(shader: &Shader, pixels: usize, limit: u64, options: &EmitOptions) {
    let pixels: Vec<_> = shader.pixels(pixels).collect();
    let all = shader.locations();
    let mut choices = vec![all.clone()];
    if all.len() > 1 {
        choices.extend(all.iter().map(|&location| vec![location]));
    }
    for locations in choices {
        let program = shader.scheduled(&locations);
        let module = emit_program(&program, Some(&shader.source), options).expect("it fits");
        let wanted = by_core(&program, &pixels, limit);
        let found = by_words(&program, &module, &pixels, limit);
        for ((wanted, found), inputs) in wanted.iter().zip(&found).zip(&pixels) {
            let name = shader.source.name();
            assert_eq!(
                wanted,
                found,
                "{name}, outputs {locations:?} at {:?}\n{}",
                inputs.frag_coord,
                shader.source.text()
            );
        }
    }
}

#[test]
fn on_the_gallery() {
    for shader in gallery() {
        check(&shader, 60, 1 << 24, &EmitOptions::default());
    }
}

#[test]
fn on_generated_programs() {
    for (i, shader) in generated(0..programs()).enumerate() {
        let limit = if i % 6 == 0 { i as u64 % 7 } else { 64 };
        check(&shader, 12, limit, &EmitOptions::default());
    }
}

#[test]
fn in_every_version() {
    for version in Version::all() {
        for float_controls in [FloatControls::default(), FloatControls::ALL] {
            for shader in generated(500..520) {
                check(
                    &shader,
                    4,
                    64,
                    &EmitOptions {
                        version,
                        float_controls,
                        strip: false,
                        constants: 0,
                        exact: None,
                        instrument: None,
                    },
                );
            }
        }
    }
}

/// `rec` arguments change in parallel, and may open blocks.
#[test]
fn on_pitfalls() {
    for text in [
        "(vec2 ((rec-func (a b n) (if (< n (frame)) (rec b a (+ n 1)) (- a b))) 1 (time) 0))",
        "((rec-func (n s) (if (< n 5)
            (rec (+ n 1) (+ s (if (< n (.x (frag-coord))) ((rec-func (k) (if (< k n) (rec (+ k 1)) k)) (time)) n)))
            s)) 0 0)",
        "((rec-func (n) (if (< n 3) (if (< n (.x (frag-coord))) (rec (+ n 1)) (rec (+ n 2))) n)) 0)",
        "((rec-func (n) (if (< n 3) (rec (+ n 1)) (if (< n (.x (frag-coord))) 1 (if (< n (time)) 2 (sin n))))) 0)",
        // Both arms of a tail continue, after an arm that has a loop.
        "((rec-func (n s) (if (< n 9)
            (if (< ((rec-func (k) (if (< k s) (rec (+ k 1)) k)) 0) (.y (frag-coord)))
              (rec (+ n 1) (+ s 0.5)) (rec (+ n 2) (* s 0.5)))
            s)) 0 (time))",
        "(uniform yes bool true) (uniform m mat3) (uniform n mat2 (mat2 1 2 3 4)) (uniform no bool)
         (output 0 (select yes (* m (vec3 1 2 3)) (vec3 9))) (output 2 (* (select no m (transpose m)) (.xyz (frag-coord))))
         (output 1 (* n (.xy (mouse)))) (output 3 (if no 1 2))",
        "(vec4 (time) (frame) (resolution))",
        "(if (< (.x (frag-coord)) 4) (vec2 1 (time)) (vec2 (frame) 2))",
    ] {
        let shader = Shader::new("pitfall.lv", text);
        for limit in [0, 3, 1000] {
            check(&shader, 40, limit, &EmitOptions::default());
        }
    }
}
