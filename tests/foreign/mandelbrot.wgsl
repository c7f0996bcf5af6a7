// How fast points leave.
@group(0) @binding(0) var<uniform> zoom: f32;

@fragment
fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let c = (position.xy - vec2f(32.0, 24.0)) / zoom - vec2f(0.5, 0.0);
    var z = vec2f(0.0);
    var n = 0u;
    for (var i = 0u; i < 64u; i++) {
        if dot(z, z) > 4.0 {
            break;
        }
        z = vec2f(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    }
    let s = f32(n) / 64.0;
    return vec4f(s, s * s, sqrt(s), 1.0);
}
