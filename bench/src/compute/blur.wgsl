// Means of 17 texels of a row, which workgroups load once.
@group(0) @binding(0) var<storage, read> texels: array<f32>;
@group(0) @binding(1) var<storage, read_write> blurred: array<f32>;

const WIDTH = 1920u;
const RADIUS = 8u;

var<workgroup> row: array<f32, 144>;

@compute @workgroup_size(128)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) k: u32) {
    let first = id.y * WIDTH;
    row[k] = texels[first + u32(max(i32(id.x) - 8, 0))];
    if k < 2u * RADIUS {
        row[k + 128u] = texels[first + min(id.x + 120u, WIDTH - 1u)];
    }
    workgroupBarrier();
    var sum = 0.0;
    for (var i = 0u; i < 2u * RADIUS + 1u; i++) {
        sum += row[k + i];
    }
    blurred[first + id.x] = sum / 17.0;
}
