//! Our own modules: λV → SPIR-V → raise computes the same bits with about as many values.

use crate::support::{Shader, by_core, by_words, conformance, gallery, generated, programs};
use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::{Program, schedule};
use lambdav_spirv_backend::emit::{EmitOptions, emit};
use lambdav_spirv_frontend::{RaiseOptions, raise};

/// Number of values of programs before and after the round trip through SPIR-V.
#[derive(Default)]
struct Sizes {
    before: usize,
    after: usize,
    worst: (f64, String),
    /// Pixels for which the program exceeds a loop limit; those of them for which the raised program
    /// does, too (unused loops do not run); those with the same loop.
    exceeding: [usize; 3],
}

impl Sizes {
    fn add(&mut self, name: &str, before: &Program, after: &Program) {
        let [before, after] = [before, after].map(|program| program.values.len());
        self.before += before;
        self.after += after;
        let ratio = after as f64 / before as f64;
        if std::env::var_os("RATIOS").is_some() && ratio > 1.05 {
            println!("{name}: {before} {after} {ratio:.3}");
        }
        if before > 20 && ratio > self.worst.0 {
            self.worst = (ratio, name.to_owned());
        }
    }

    /// Ratio of the numbers of values.
    fn ratio(&self) -> f64 {
        self.after as f64 / self.before as f64
    }

    fn say(&self, what: &str) {
        let ratio = self.ratio();
        println!("{what}: {} values, {} raised, {ratio:.3}", self.before, self.after);
        println!("  most: {:.3} of {}; limits: {:?}", self.worst.0, self.worst.1, self.exceeding);
    }
}

/// The program after the round trip through SPIR-V.
fn raised(shader: &Shader) -> Core {
    let module = shader.emitted(&EmitOptions::default());
    let clear = shader.core.discard.map_or([0; 4], |discard| discard.clear);
    let options = RaiseOptions { clear: clear.map(f32::from_bits), ..RaiseOptions::default() };
    let raised = raise("module.spv", &module.words, &options);
    let name = shader.source.name();
    let text = shader.source.text();
    assert_eq!(raised.source.text(), text, "{name}");
    raised.program.unwrap_or_else(|error| panic!("{name}: {error:?}\n{text}")).0
}

/// The inputs of a pixel for the raised program, by names of uniforms and resources.
fn renamed(shader: &Shader, core: &Core, inputs: &Inputs) -> Inputs {
    let position = |name: &str| shader.core.uniforms.iter().position(|of| of.name == name);
    let uniform = |name: &str| inputs.uniforms[position(name).expect("it has it")].clone();
    let types = shader.core.graph.types();
    let resource = |name: &str| {
        let number = types.resources().iter().position(|of| &*of.name == name);
        inputs.resources[number.expect("it has it")].clone()
    };
    Inputs {
        uniforms: core.uniforms.iter().map(|of| uniform(&of.name)).collect(),
        resources: core.graph.types().resources().iter().map(|of| resource(&of.name)).collect(),
        ..inputs.clone()
    }
}

fn check(shader: &Shader, pixels: usize, limit: u64, sizes: &mut Sizes) {
    let mut core = raised(shader);
    let order = shader.locations();
    let place = |location| order.iter().position(|&of| of == location);
    core.outputs.sort_by_key(|output| place(output.location));
    let before = shader.scheduled(&shader.locations());
    let after = schedule(&core, &before.locations).expect("it can be scheduled");
    let name = shader.source.name();
    sizes.add(name, &before, &after);
    let pixels: Vec<Inputs> = shader.pixels(pixels).collect();
    let wanted = by_core(&before, &pixels, limit);
    let all: Vec<Inputs> = pixels.iter().map(|of| renamed(shader, &core, of)).collect();
    let found = by_core(&after, &all, limit);
    let module = emit(&after, Some(&shader.source), &EmitOptions::default()).expect("it fits");
    assert_eq!(by_words(&after, &module, &all, limit), found, "{name}, emitted again");
    for ((wanted, found), inputs) in wanted.iter().zip(&found).zip(&pixels) {
        let (at, text) = (inputs.frag_coord, shader.source.text());
        match (wanted, found) {
            (Err(wanted), Err(found)) => {
                sizes.exceeding[0] += 1;
                sizes.exceeding[1] += 1;
                sizes.exceeding[2] += usize::from(wanted.start == found.start);
            }
            (Err(_), Ok(_)) => sizes.exceeding[0] += 1,
            _ => assert_eq!(wanted, found, "{name} at {at:?}\n{text}"),
        }
    }
}

#[test]
fn the_gallery() {
    let mut sizes = Sizes::default();
    for shader in gallery() {
        check(&shader, 60, 1 << 24, &mut sizes);
    }
    sizes.say("gallery");
    assert!(sizes.ratio() < 1.05, "{}", sizes.ratio());
}

#[test]
fn the_conformance_suite() {
    let mut sizes = Sizes::default();
    for shader in conformance() {
        check(&shader, 10, 1000, &mut sizes);
    }
    sizes.say("conformance suite");
}

#[test]
fn generated_programs() {
    let mut sizes = Sizes::default();
    for (i, shader) in generated(0..programs()).enumerate() {
        let limit = if i % 6 == 0 { i as u64 % 7 } else { 64 };
        check(&shader, 12, limit, &mut sizes);
    }
    sizes.say("generated programs");
}
