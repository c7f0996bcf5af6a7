//! Dispatches of compute shaders in WGSL and GLSL, beside plain statements of what they compute.

use lambdav_core::files::NoFiles;
use lambdav_core::interface::Stage;
use lambdav_core::source::SourceFile;
use lambdav_spirv_eval::{
    BindingKind, DispatchError, LoadOptions, Module, ModuleEvaluator, ModuleFault, Resources,
    Undefined,
};

/// The words of a text in WGSL, or in GLSL if it begins with `#version`.
fn words(text: &str) -> Vec<u32> {
    let source = SourceFile::new("shader", text);
    let (words, diagnostics) = if text.starts_with("#version") {
        let options = lambdav_glsl_frontend::Options::new(lambdav_glsl_frontend::Stage::Compute);
        let compiled = lambdav_glsl_frontend::compile(source, &options, &mut NoFiles);
        (compiled.words, compiled.diagnostics)
    } else {
        let options = lambdav_wgsl_frontend::Options::default();
        let compiled = lambdav_wgsl_frontend::compile(source, &options, &mut NoFiles);
        (compiled.words, compiled.diagnostics)
    };
    words.unwrap_or_else(|| panic!("{:?}", diagnostics.first()))
}

/// Runs a text with these contents of its buffers, by binding in set 0.
fn run(text: &str, groups: [u32; 3], buffers: &[Vec<u32>]) -> Result<Vec<Vec<u32>>, DispatchError> {
    let options = LoadOptions {
        stage: Stage::Compute,
        undefined: Undefined::Total,
        ..LoadOptions::default()
    };
    let module = Module::with_options(&words(text), &options).expect("it can be evaluated");
    let mut evaluator = ModuleEvaluator::new(&module, &Resources::default(), 1000);
    let content = |binding: u32| buffers.get(binding as usize).cloned().unwrap_or_default();
    let all = module.resources().iter();
    assert!(module.resources().iter().all(|of| of.kind == BindingKind::Memory));
    let mut memory: Vec<Vec<u32>> = all.map(|of| content(of.binding)).collect();
    evaluator.dispatch(groups, &mut memory, &|_| false)?;
    let mut after = buffers.to_vec();
    for (of, words) in module.resources().iter().zip(memory) {
        after[of.binding as usize] = words;
    }
    Ok(after)
}

fn ran(text: &str, groups: [u32; 3], buffers: &[Vec<u32>]) -> Vec<Vec<u32>> {
    run(text, groups, buffers).expect("it ends")
}

fn floats(of: impl IntoIterator<Item = f32>) -> Vec<u32> {
    of.into_iter().map(f32::to_bits).collect()
}

/// Members in front of the array; stores beyond its end, which nothing guards, have no effect.
#[test]
fn sums_of_vectors() {
    let x: Vec<f32> = (0..10).map(|k| k as f32 * 0.37).collect();
    let y: Vec<f32> = (0..10).map(|k| 5.0 - k as f32).collect();
    let expected = floats(x.iter().zip(&y).map(|(x, y)| 2.5 * x + y));
    let wgsl = "struct Sum { factor: f32, count: u32, y: array<f32> }
        @group(0) @binding(0) var<storage, read> x: array<f32>;
        @group(0) @binding(1) var<storage, read_write> sum: Sum;
        @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {
            sum.y[id.x] = sum.factor * x[id.x] + sum.y[id.x];
            sum.count = arrayLength(&sum.y);
        }";
    let glsl = "#version 450
        layout(local_size_x = 4) in;
        layout(std430, binding = 0) readonly buffer X { float x[]; };
        layout(std430, binding = 1) buffer Sum { float factor; uint count; float y[]; };
        void main() {
            uint id = gl_GlobalInvocationID.x;
            y[id] = factor * x[id] + y[id];
            count = y.length();
        }";
    for text in [wgsl, glsl] {
        let sum = [vec![2.5_f32.to_bits(), 7], floats(y.clone())].concat();
        let after = ran(text, [3, 1, 1], &[floats(x.clone()), sum]);
        assert_eq!(after[1][..2], [2.5_f32.to_bits(), 10]);
        assert_eq!(after[1][2..], expected);
    }
}

/// Atomic operations on a workgroup's memory, barriers, and then on a buffer.
#[test]
fn histograms() {
    let data: Vec<u32> = (0..64_u32).map(|k| k.wrapping_mul(2_654_435_761) >> 7).collect();
    let mut expected = vec![0; 8];
    data.iter().for_each(|x| expected[(x % 8) as usize] += 1);
    let wgsl = "var<workgroup> bins: array<atomic<u32>, 8>;
        @group(0) @binding(0) var<storage, read> data: array<u32>;
        @group(0) @binding(1) var<storage, read_write> all: array<atomic<u32>, 8>;
        @compute @workgroup_size(16) fn main(
            @builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) k: u32,
        ) {
            atomicAdd(&bins[data[id.x] % 8u], 1u);
            workgroupBarrier();
            if k < 8u { atomicAdd(&all[k], atomicLoad(&bins[k])); }
        }";
    let glsl = "#version 450
        layout(local_size_x = 16) in;
        shared uint bins[8];
        layout(std430, binding = 0) readonly buffer Data { uint data[]; };
        layout(std430, binding = 1) buffer All { uint all[8]; };
        void main() {
            uint k = gl_LocalInvocationIndex;
            if (k < 8u) bins[k] = 0u;
            barrier();
            atomicAdd(bins[data[gl_GlobalInvocationID.x] % 8u], 1u);
            barrier();
            if (k < 8u) atomicAdd(all[k], bins[k]);
        }";
    for text in [wgsl, glsl] {
        let after = ran(text, [4, 1, 1], &[data.clone(), vec![0; 8]]);
        assert_eq!(after[1], expected);
    }
}

/// Barriers in a loop: each invocation waits with all its values.
#[test]
fn prefix_sums() {
    let text = "var<workgroup> part: array<i32, 16>;
        @group(0) @binding(0) var<storage, read_write> data: array<i32>;
        fn sum(k: u32, x: i32) -> i32 {
            var total = x;
            for (var d = 1u; d < 16u; d *= 2u) {
                part[k] = total;
                workgroupBarrier();
                if k >= d { total += part[k - d]; }
                workgroupBarrier();
            }
            return total;
        }
        @compute @workgroup_size(4, 2, 2) fn main(
            @builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) k: u32,
        ) {
            let at = group.x * 16u + k;
            data[at] = sum(k, data[at]);
        }";
    let data: Vec<i32> = (0..32).map(|k| k * k - 100).collect();
    let words: Vec<u32> = data.iter().map(|&x| x as u32).collect();
    let after = ran(text, [2, 1, 1], &[words]);
    let sums = data.chunks(16).flat_map(|chunk| {
        chunk.iter().scan(0, |sum, x| {
            *sum += x;
            Some(*sum as u32)
        })
    });
    assert_eq!(after[0], sums.collect::<Vec<_>>());
}

/// Matrices, vectors and structures in their layout, and a part at an index that the shader computes.
#[test]
fn layouts() {
    let text = "struct Part { turn: mat3x3f, move_by: vec3f, kind: u32 }
        @group(0) @binding(0) var<storage, read_write> parts: array<Part>;
        @compute @workgroup_size(1) fn main(@builtin(global_invocation_id) id: vec3u) {
            let part = parts[id.x];
            parts[id.x].move_by = part.turn * part.move_by;
            parts[id.x].turn[id.x % 3u][2] = 9.0;
            parts[id.x].kind = part.kind + id.x;
        }";
    let part: [u32; 16] = std::array::from_fn(|k| match k {
        3 | 7 | 11 => 77,
        15 => 5,
        k => ((k + 1) as f32).to_bits(),
    });
    let after = &ran(text, [2, 1, 1], &[[part, part].concat()])[0];
    let number = |k: usize| (k + 1) as f32;
    for (k, found) in after.chunks(16).enumerate() {
        let mut expected = part;
        for row in 0..3 {
            let columns = [0, 1, 2].map(|column| number(column * 4 + row) * number(12 + column));
            expected[12 + row] = (columns[0] + columns[1] + columns[2]).to_bits();
        }
        expected[k * 4 + 2] = 9.0_f32.to_bits();
        expected[15] = 5 + k as u32;
        assert_eq!(found, expected);
    }
}

/// Old words are in the order of the invocations, and comparisons see the latest word.
#[test]
fn atomic_operations() {
    let text =
        "struct All { count: atomic<u32>, least: atomic<i32>, most: atomic<u32>, bits: atomic<u32>,
            owner: atomic<u32>, last: atomic<i32>, none: atomic<u32> }
        @group(0) @binding(0) var<storage, read_write> all: All;
        @group(0) @binding(1) var<storage, read_write> tickets: array<u32>;
        @group(0) @binding(2) var<storage, read_write> won: array<u32>;
        @compute @workgroup_size(2, 3) fn main(@builtin(global_invocation_id) id: vec3u) {
            let k = id.x + 4u * id.y;
            tickets[k] = atomicAdd(&all.count, 3u);
            atomicMin(&all.least, 5 - i32(k));
            atomicMax(&all.most, k ^ 2u);
            atomicXor(&all.bits, 1u << k);
            atomicOr(&all.none, 0u);
            let swap = atomicCompareExchangeWeak(&all.owner, 7u, 100u + k);
            won[k] = swap.old_value * 2u + u32(swap.exchanged);
            tickets[k + 12u] = u32(atomicExchange(&all.last, i32(k)));
        }";
    let order = [0, 1, 4, 5, 8, 9, 2, 3, 6, 7, 10, 11];
    let buffers = [vec![0, 0, 0, 0, 7, -1_i32 as u32, 0], vec![0; 24], vec![0; 12]];
    let after = ran(text, [2, 1, 1], &buffers);
    let mut tickets = vec![0; 24];
    let mut won = vec![200; 12];
    for (turn, k) in order.into_iter().enumerate() {
        tickets[k] = 3 * turn as u32;
        tickets[k + 12] = if turn == 0 { -1_i32 as u32 } else { order[turn - 1] as u32 };
    }
    won[0] = 15;
    let all = [36, -6_i32 as u32, 11, 0xfff, 100, 11, 0];
    assert_eq!(after, [all.to_vec(), tickets, won]);
}

/// Words beyond the end are 0, and stores there have no effect; a number that is stored has the canonical NaN.
#[test]
fn ends_of_memory() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
        @group(0) @binding(1) var<storage, read_write> b: array<vec4f>;
        @compute @workgroup_size(1) fn main() {
            let far = a[0];
            a[1] = a[far] + 1u;
            a[far] = 5u;
            a[2] = arrayLength(&a) * 100u + arrayLength(&b);
            b[0] = bitcast<vec4f>(vec4u(0x7fc12345u, far, 0u, 0xffffffffu));
            b[1] = b[2] + 1.0;
        }";
    let last = u32::MAX;
    let after = ran(text, [1, 1, 1], &[vec![last, 9, 9], vec![1; 9]]);
    assert_eq!(after[0], [last, 1, 302]);
    let one = 1.0_f32.to_bits();
    let nan = 0x7fc0_0000;
    let small = (f32::from_bits(1) + 1.0).to_bits();
    assert_eq!(after[1], [nan, nan, 0, nan, small, one, one, one, 1]);
}

/// Two invocations are named at a barrier that not all reach.
#[test]
fn barriers_that_not_all_reach() {
    let text = |condition: &str| {
        format!(
            "var<workgroup> x: u32;
            @compute @workgroup_size(4) fn main(@builtin(global_invocation_id) id: vec3u) {{
                if {condition} {{ workgroupBarrier(); }} else {{ x = id.x; }}
                workgroupBarrier();
            }}"
        )
    };
    let named = |condition: &str| match run(&text(condition), [2, 1, 1], &[]) {
        Err(DispatchError::Barrier { waits, other, .. }) => Some((waits[0], other[0])),
        other => panic!("{other:?}"),
    };
    assert_eq!(named("id.x < 2u"), Some((0, 2)));
    assert_eq!(named("id.x == 3u"), Some((0, 3)));
    assert_eq!(named("id.x > 4u"), Some((4, 5)));
    run(&text("id.x < 4u"), [2, 1, 1], &[]).expect("each workgroup goes one way");
    // The same barrier in another round, and by another call.
    let other = |body: &str| {
        let text = format!(
            "fn wait() {{ workgroupBarrier(); }}
            @compute @workgroup_size(2) fn main(@builtin(local_invocation_index) k: u32) {{ {body} }}"
        );
        match run(&text, [1, 1, 1], &[]) {
            Err(DispatchError::Barrier { waits, other, .. }) => Some((waits[0], other[0])),
            Ok(_) => None,
            other => panic!("{other:?}"),
        }
    };
    let skipped = "for (var r = 0u; r < 2u; r++) { if r == k { continue; } workgroupBarrier(); }";
    assert_eq!(other(skipped), Some((0, 1)));
    assert_eq!(other("if k == 0u { wait(); } else { wait(); }"), Some((0, 1)));
    // Loops that are over do not count.
    let over = "var s = 0u; for (var r = 0u; r < k; r++) { s += r; } wait(); wait();";
    assert_eq!(other(over), None);
    assert_eq!(other("for (var r = 0u; r < 3u; r++) { wait(); }"), None);
}

/// An invocation may wait for an earlier one, and not for a later one.
#[test]
fn invocations_run_in_order() {
    let text = |other: &str| {
        format!(
            "@group(0) @binding(0) var<storage, read_write> done: array<atomic<u32>>;
            @compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) {{
                while atomicLoad(&done[{other}]) == 0u {{ }}
                atomicStore(&done[id.x + 1u], 1u);
            }}"
        )
    };
    let done = [vec![1, 0, 0, 0, 0]];
    assert_eq!(ran(&text("id.x"), [2, 1, 1], &done)[0], [1; 5]);
    let fault = run(&text("id.x + 1u"), [2, 1, 1], &done).expect_err("it waits for ever");
    let DispatchError::Fault { invocation: [0, 0, 0], fault: ModuleFault::LoopLimit { .. } } =
        fault
    else {
        panic!("{fault}");
    };
}
