// test: --size 160x100 --time 0.3 --set tint=1,0.6,0.2 --set width=0.05
struct Params { tint: vec3f, width: f32, resolution: vec2f, time: f32 }
@group(0) @binding(0) var<uniform> params: Params;

@vertex
fn whole(@builtin(vertex_index) i: u32) -> @builtin(position) vec4f {
    let corner = vec2f(f32(i & 1), f32(i >> 1));
    return vec4f(4 * corner - 1, 0, 1);
}

@fragment
fn waves(@builtin(position) at: vec4f) -> @location(0) vec4f {
    let p = (at.xy - 0.5 * params.resolution) / params.resolution.y;
    let phase = (p.x + 0.2 * p.y * p.y + 0.1 * params.time) / params.width;
    return vec4f(params.tint * abs(2 * fract(phase) - 1), 1);
}
