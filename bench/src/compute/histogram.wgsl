@group(0) @binding(0) var<storage, read> values: array<f32>;
@group(0) @binding(1) var<storage, read_write> bins: array<atomic<u32>, 256>;

var<workgroup> counts: array<atomic<u32>, 256>;

// A workgroup counts 4,096 values.
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) k: u32) {
    for (var i = 0u; i < 16u; i++) {
        let value = values[group.x * 4096u + i * 256u + k];
        atomicAdd(&counts[u32(clamp(value, 0.0, 0.999) * 256.0)], 1u);
    }
    workgroupBarrier();
    atomicAdd(&bins[k], atomicLoad(&counts[k]));
}
