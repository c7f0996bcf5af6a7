// Waves that cross one another.
struct Parameters {
    phase: f32,
    scale: f32,
    tint: vec3f,
}

@group(0) @binding(0) var<uniform> parameters: Parameters;

@fragment
fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let q = position.xy / parameters.scale;
    let a = sin(q.x + parameters.phase) + cos(q.y - parameters.phase);
    let b = length(q) * 0.5;
    let v = 0.5 + 0.5 * sin(a + b);
    return vec4f(parameters.tint * v, 1.0);
}
