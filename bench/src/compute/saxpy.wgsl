@group(0) @binding(0) var<storage, read> x: array<f32>;
@group(0) @binding(1) var<storage, read_write> y: array<f32>;

// Workgroups lie in rows of 1,024.
@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let i = id.x + id.y * 262144u;
    if i < arrayLength(&x) {
        y[i] = 0.5 * x[i] + 0.25 * y[i];
    }
}
