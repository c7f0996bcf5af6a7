@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<f32>;
@group(0) @binding(2) var<storage, read_write> product: array<f32>;

const SIDE = 512u;
const TILE = 16u;

var<workgroup> tile_a: array<array<f32, TILE>, TILE>;
var<workgroup> tile_b: array<array<f32, TILE>, TILE>;

@compute @workgroup_size(TILE, TILE)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_id) local: vec3u) {
    var sum = 0.0;
    for (var tile = 0u; tile < SIDE / TILE; tile++) {
        tile_a[local.y][local.x] = a[id.y * SIDE + tile * TILE + local.x];
        tile_b[local.y][local.x] = b[(tile * TILE + local.y) * SIDE + id.x];
        workgroupBarrier();
        for (var k = 0u; k < TILE; k++) {
            sum += tile_a[local.y][k] * tile_b[k][local.x];
        }
        workgroupBarrier();
    }
    product[id.y * SIDE + id.x] = sum;
}
