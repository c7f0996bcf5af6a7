// Distances to random points, one in each cell, in colours of a palette.
@group(0) @binding(0) var<uniform> seed: u32;

const palette = array<vec3f, 4>(
    vec3f(0.9, 0.3, 0.2), vec3f(0.2, 0.7, 0.4), vec3f(0.2, 0.4, 0.9), vec3f(0.9, 0.8, 0.3),
);

fn hash(x: u32) -> u32 {
    let state = x * 747796405u + 2891336453u;
    let word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

fn cell_hash(cell: vec2i) -> u32 {
    return hash(bitcast<u32>(cell.x) + hash(bitcast<u32>(cell.y) + seed));
}

@fragment
fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let p = position.xy / 12.0;
    let home = vec2i(floor(p));
    var nearest = 100.0;
    var kind = 0u;
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let cell = home + vec2i(x, y);
            let h = cell_hash(cell);
            let point = vec2f(cell) + vec2f(f32(h & 0xffffu), f32(h >> 16u)) / 65536.0;
            let d = distance(p, point);
            if d >= nearest {
                continue;
            }
            nearest = d;
            kind = h % 4u;
        }
    }
    return vec4f(palette[kind] * (1.0 - nearest), 1.0);
}
