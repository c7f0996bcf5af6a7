//! Interfaces as data agree with the emitted modules.

use lambdav_core::inputs::Input;
use lambdav_core::types::ResourceKind;
use lambdav_engine::Shader;
use lambdav_engine::interface::{Binding, Block, EntryPoint, Interface, Stage};
use lambdav_engine::program::Loaded;
use lambdav_engine::stages::{EmitOptions, Exact, Subnormals};
use lambdav_matrix::pictures;
use lambdav_spirv::inspect::{self, inspect};
use std::collections::BTreeSet;

/// A top-level member of a block: offset in bytes, and name.
type Member = (u32, String);

/// A block, texture or buffer: kind, binding, name, and members of a block.
type Bound = (&'static str, Binding, String, Vec<Member>);

fn module(shader: &Shader) -> Vec<u32> {
    let module = shader.spirv(&shader.outputs(), &EmitOptions::default());
    module.expect("it fits").words
}

fn block(block: &Block) -> Bound {
    let kind = match block.binding {
        Binding::Descriptor { .. } => "uniform buffer",
        Binding::PushConstants => "push constants",
    };
    let members = block.members.iter().map(|of| (of.placement.first(), of.name.clone()));
    (kind, block.binding, block.name.clone(), members.collect())
}

/// All blocks, textures and buffers of the interface.
fn bound(shader: &Shader) -> BTreeSet<Bound> {
    let interface = shader.interface();
    let resources = interface.resources.iter().zip(shader.resources()).map(|(of, resource)| {
        let kind = match resource.kind {
            ResourceKind::Texture(_) => "combined image sampler",
            ResourceKind::Buffer(_) | ResourceKind::Memory(_) => "storage buffer",
        };
        (kind, of.binding, of.name.clone(), Vec::new())
    });
    interface.blocks.iter().map(block).chain(resources).collect()
}

/// All blocks, textures and buffers declared by the words, with their decorations and names.
fn declared(found: &inspect::Interface) -> BTreeSet<Bound> {
    let one = |of: &inspect::Resource| {
        let kinds =
            ["uniform buffer", "push constants", "combined image sampler", "storage buffer"];
        let kind = kinds.into_iter().find(|kind| *kind == of.kind).expect("a known kind");
        let binding = match (of.set, of.binding) {
            (Some(set), Some(binding)) => Binding::Descriptor { set, binding },
            _ => Binding::PushConstants,
        };
        let is_block = kind == "uniform buffer" || kind == "push constants";
        let members = of.members.iter().filter(|of| is_block && !of.name.contains('.'));
        let members = members.map(|of| (of.offset, of.name.clone())).collect();
        (kind, binding, of.name.clone(), members)
    };
    found.resources.iter().map(one).collect()
}

/// Modules of all shaders of the gallery and the benchmark declare their λV interface.
#[test]
fn modules_declare_the_interface() {
    let (mut blocks, mut resources) = (0, 0);
    for picture in pictures::all() {
        let name = &picture.name;
        let shader = Shader::of(picture.loaded).expect("it is right");
        let interface = shader.interface();
        assert_eq!(interface.entry_point, EntryPoint::new("main", Stage::Fragment), "{name}");
        let found = inspect(&module(&shader)).expect("it is SPIR-V");
        let [entry] = &found.entry_points[..] else { panic!("{name} has one entry point") };
        assert_eq!(EntryPoint::new(&*entry.name, entry.stage), interface.entry_point, "{name}");
        let outputs = interface.outputs.iter().map(|of| Some(of.location));
        assert!(entry.outputs.iter().map(|of| of.location).eq(outputs), "{name}");
        let has_position = entry.inputs.iter().any(|of| of.builtin.as_deref() == Some("FragCoord"));
        assert_eq!(has_position, interface.inputs.contains(&Input::FragCoord), "{name}");
        let of_frame = interface.inputs.iter().any(|of| *of != Input::FragCoord);
        let own = interface.blocks.iter().any(|of| *of == Block::of_inputs());
        assert_eq!(of_frame, own, "{name}");
        assert_eq!(declared(&found), bound(&shader), "{name}");
        blocks += interface.blocks.len();
        resources += interface.resources.len();
    }
    assert!(blocks > 20 && resources > 5, "{blocks} blocks, {resources} resources");
}

/// Interfaces are the same after emitting a module and reading it, and after doing so again.
#[test]
fn interfaces_survive_modules() {
    let bindings = |interface: &Interface| {
        let blocks: BTreeSet<Bound> = interface.blocks.iter().map(block).collect();
        let resources: BTreeSet<_> =
            interface.resources.iter().map(|of| (of.binding, of.name.clone())).collect();
        let outputs: Vec<u32> = interface.outputs.iter().map(|of| of.location).collect();
        (interface.entry_point.clone(), blocks, resources, outputs)
    };
    let read = |words: &[u32]| {
        let loaded = Loaded::from_bytes("a.spv", lambdav_spirv::bytes(words));
        Shader::of(loaded).unwrap_or_else(|error| panic!("{error}"))
    };
    for picture in pictures::all() {
        let name = &picture.name;
        let shader = Shader::of(picture.loaded).expect("it is right");
        let first = read(&module(&shader));
        assert_eq!(bindings(first.interface()), bindings(shader.interface()), "{name}");
        assert_eq!(first.interface().entry_points, [shader.interface().entry_point.clone()]);
        let second = read(&module(&first));
        assert_eq!(bindings(second.interface()), bindings(first.interface()), "{name}");
    }
}

/// The interface of an exact module, which is executed as it is, has everything that the words declare.
#[test]
fn exact_modules_have_interfaces() {
    let text = "(struct light (power num) (colour vec3))
        (uniform gain num 1) (uniform turn mat2 (mat2 1)) (uniform tint vec3 (vec3 1))
        (texture photo) (buffer heights vec2)
        (output 3 (* tint (.x (* turn (at heights 0)))))
        (output 1 (* gain (+ (sin (time)) (sample photo (.xy (frag-coord))))))";
    let shader = Shader::new("a.lv", text).expect("it is right");
    let exact = Exact {
        float64: true,
        fused: false,
        subnormals: Subnormals::default(),
        report: None,
        registers: false,
    };
    let options = EmitOptions { exact: Some(exact), ..EmitOptions::default() };
    let words = shader.spirv(&shader.outputs(), &options).expect("it fits").words;
    let executed = Shader::executed_as_it_is("a.spv", &words, [0.0; 4]).expect("it has outputs");
    let executed = executed.expect("it is one of ours");
    assert_eq!(bound(&executed), bound(&shader));
    let [found, wanted] = [&executed, &shader].map(Shader::interface);
    assert_eq!(found.entry_point, wanted.entry_point);
    assert_eq!(executed.outputs(), shader.outputs());
    assert!(found.inputs.contains(&Input::FragCoord) && found.inputs.contains(&Input::Time));
    assert_eq!(executed.blocks(), shader.blocks());
}
