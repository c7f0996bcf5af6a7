// Counts values in 16 bins: first in the workgroup, then for all.
struct Histogram {
    total: atomic<u32>,
    bins: array<atomic<u32>, 16>,
}
@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> histogram: Histogram;

var<workgroup> counts: array<atomic<u32>, 16>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) k: u32) {
    if id.x < arrayLength(&values) {
        let bin = u32(clamp(values[id.x], 0.0, 0.999) * 16.0);
        atomicAdd(&counts[bin], 1u);
        atomicAdd(&histogram.total, 1u);
    }
    workgroupBarrier();
    if k < 16u {
        atomicAdd(&histogram.bins[k], atomicLoad(&counts[k]));
    }
}

// test: --groups 2 --zeros values=100
// expect: histogram.total == 100
// expect: histogram.bins[0] == 100
// expect: histogram.bins[15] == 0
