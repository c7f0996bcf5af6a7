// All pairs of bodies with softened gravity, by tiles in the workgroup.
@group(0) @binding(0) var<storage, read> bodies: array<vec4f>;
@group(0) @binding(1) var<storage, read_write> forces: array<vec4f>;

var<workgroup> tile: array<vec4f, 256>;

@compute @workgroup_size(256)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) k: u32) {
    let own = bodies[id.x].xyz;
    var force = vec3f();
    for (var first = 0u; first < arrayLength(&bodies); first += 256u) {
        tile[k] = bodies[first + k];
        workgroupBarrier();
        for (var i = 0u; i < 256u; i++) {
            let apart = tile[i].xyz - own;
            let squared = dot(apart, apart) + 0.01;
            force += apart * (tile[i].w / (squared * sqrt(squared)));
        }
        workgroupBarrier();
    }
    forces[id.x] = vec4f(force, 0.0);
}
