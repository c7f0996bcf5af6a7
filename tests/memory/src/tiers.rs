//! The tiers in which kernels run texts, and their results.

use crate::compare::ITERATIONS;
use crate::words::compiled;
use lambdav_core::evaluate::{Dispatch, Memory};
use lambdav_core::inputs::Inputs;
use lambdav_core::interface::Stage;
use lambdav_core::schedule::schedule_effects;
use lambdav_float_environment::with_default;
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::Target;
use lambdav_simd_backend::kernel::{DispatchKernel, Tier};
use lambdav_spirv_frontend::{RaiseOptions, raise};

/// The tiers of a text for workgroups of 64 on buffers of 256 words, without and with checks. The results are those of the
/// core evaluator.
fn tiers(body: &str) -> [Tier; 2] {
    let text = format!(
        "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
@group(0) @binding(1) var<storage, read_write> b: array<u32>;
@group(0) @binding(2) var<storage, read_write> total: atomic<u32>;
var<workgroup> part: array<u32, 192>;
var<workgroup> count: atomic<u32>;
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) k: u32,
        @builtin(workgroup_id) group: vec3u) {{ {body} }}"
    );
    let words = compiled(&text).unwrap_or_else(|error| panic!("{text}: {error}"));
    let options = RaiseOptions { stage: Stage::Compute, ..RaiseOptions::default() };
    let (core, interface) = raise("a", &words, &options).program.expect("it is raised");
    let types = core.graph.types();
    let all: Vec<usize> = types.memories().map(|(number, _)| number).collect();
    let changed =
        core.effects.iter().filter_map(|of| types.resource(core.graph.value_type(of.node)));
    let changed: Vec<usize> = changed.collect();
    let scheduled = schedule_effects(&core, &changed).expect("it is small");
    let mut memory = Memory::new(types);
    let is_buffer =
        |number: &usize| interface.resources.get(*number).is_some_and(|of| of.memory.is_some());
    let buffers: Vec<usize> = all.into_iter().filter(is_buffer).collect();
    for &number in &buffers {
        memory.set(number, (0..256).map(|k| k * 7 % 61).collect());
    }
    let dispatch = Dispatch { workgroup: [64, 1, 1], groups: [4, 1, 1] };
    let inputs = Inputs::default();
    let expected = dispatch.run(&scheduled, &inputs, memory.clone(), ITERATIONS, &|_| false);
    let expected = expected.expect("it has no fault");
    let mut found = None;
    for lanes in [4, 8, 16] {
        let target = Target::named(Target::BASELINE).expect("it is emitted").expect("it is known");
        let compiler = Compiler { lanes: Some(lanes), ..Compiler::new(target) };
        let tiers = [u64::MAX, 1].map(|least| {
            let kernel = DispatchKernel::compile(scheduled.clone(), &compiler);
            let kernel = kernel.expect("it is small").with_checks_from(least);
            // After a late access the kernel does not check again.
            let [tier, again] = [(); 2].map(|()| {
                let mut memory = memory.clone();
                let tier = kernel.run(&dispatch, &inputs, &mut memory, ITERATIONS, None);
                for &number in &buffers {
                    assert_eq!(memory.words(number), expected.words(number), "{body}");
                }
                tier.expect("it has no fault")
            });
            assert_eq!(again, tier, "{body}");
            tier
        });
        assert!(found.is_none_or(|found| found == tiers), "{body}: {found:?} and {tiers:?}");
        found = Some(tiers);
    }
    found.expect("there are several numbers of lanes")
}

#[test]
fn texts_have_tiers() {
    let all = [
        // Prefix sums (Hillis and Steele). The loop might have no round: then one segment reads and writes `a`.
        (
            "part[k] = a[id.x];
             for (var step = 1u; step < 64u; step *= 2u) {
                 workgroupBarrier();
                 var sum = part[k];
                 if k >= step { sum += part[k - step]; }
                 workgroupBarrier();
                 part[k] = sum;
             }
             b[id.x] = part[k];
             if k == 63u { a[group.x] = part[k]; }",
            [Tier::InOrder, Tier::Lanes],
        ),
        (
            "part[k] = a[id.x];
             for (var step = 1u; step < 64u; step *= 2u) {
                 workgroupBarrier();
                 var sum = part[k];
                 if k >= step { sum += part[k - step]; }
                 workgroupBarrier();
                 part[k] = sum;
             }
             b[id.x] = part[k];",
            [Tier::AtOnce; 2],
        ),
        // Sums by halves; the first invocation stores the last one.
        (
            "part[k] = a[id.x];
             for (var step = 32u; step > 0u; step /= 2u) {
                 workgroupBarrier();
                 if k < step { part[k] += part[k + step]; }
             }
             if k == 0u { b[group.x] = part[0]; }",
            [Tier::AtOnce; 2],
        ),
        // The same with a wrong bound: lanes would meet.
        (
            "part[k] = a[id.x];
             for (var step = 32u; step > 0u; step /= 2u) {
                 workgroupBarrier();
                 if k < step + 1u { part[k] += part[k + step]; }
             }
             if k == 0u { b[group.x] = part[0]; }",
            [Tier::Threads, Tier::AtOnce],
        ),
        // The step depends on the invocation, so what is known of `b` does not hold.
        (
            "var step = select(32u, 31u, k == 5u);
             part[k] = a[id.x];
             for (var i = 0u; i < 5u; i++) {
                 workgroupBarrier();
                 if k < step { part[k] += part[k + step]; }
                 step /= 2u;
             }
             b[id.x] = part[k];",
            [Tier::InOrder; 2],
        ),
        // A row with its surroundings.
        (
            "part[k] = a[id.x];
             if k < 16u { part[k + 64u] = a[id.x ^ 64u]; }
             workgroupBarrier();
             b[id.x] = part[k] + part[k + 16u];",
            [Tier::AtOnce; 2],
        ),
        // Places by a count, without a barrier.
        ("b[atomicAdd(&total, 1u)] = a[id.x];", [Tier::InOrder, Tier::Lanes]),
        // An invocation reads the word of the next one, before it is changed, and after.
        ("b[id.x] = b[(id.x + 1u) % 256u];", [Tier::InOrder, Tier::Lanes]),
        ("b[id.x] = k; a[id.x] = b[(id.x + 1u) % 256u];", [Tier::InOrder; 2]),
        // It reads what an earlier one has written, far before it.
        ("if id.x >= 64u { b[id.x] += b[id.x - 64u]; }", [Tier::InOrder, Tier::Lanes]),
        // Counts in the workgroup.
        (
            "atomicAdd(&count, a[id.x]);
             workgroupBarrier();
             b[id.x] = atomicLoad(&count) + k;",
            [Tier::AtOnce; 2],
        ),
        // Places by a count.
        (
            "part[k] = atomicAdd(&count, a[id.x]);
             workgroupBarrier();
             b[id.x] = part[63u - k];",
            [Tier::Threads, Tier::AtOnce],
        ),
        // A workgroup reads what another one has written.
        (
            "part[k] = b[(id.x + 64u) % 256u];
             workgroupBarrier();
             b[id.x] = part[63u - k];",
            [Tier::Lanes; 2],
        ),
        // An invocation reads its neighbour's word, without a barrier between.
        (
            "part[k] = a[id.x];
             let x = part[k ^ 1u];
             workgroupBarrier();
             b[id.x] = x;",
            [Tier::Threads; 2],
        ),
        // A condition that differs: the workgroup goes on in order.
        (
            "for (var i = 0u; i < 2u; i++) {
                 part[k] = a[id.x] + i;
                 workgroupBarrier();
                 if i == 1u && part[k] > 30u { break; }
                 part[k] += 1u;
             }
             b[id.x] = part[k];",
            [Tier::AtOnce; 2],
        ),
    ];
    let found = all.map(|(body, _)| (body, with_default(|| tiers(body))));
    let wrong: Vec<_> = found.iter().zip(&all).filter(|(found, wanted)| found != wanted).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
