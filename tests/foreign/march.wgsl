// A ball over a plane, by steps along a ray.
@group(0) @binding(0) var<uniform> light: vec3f;

fn scene(p: vec3f) -> f32 {
    return min(length(p) - 1.0, p.y + 1.0);
}

fn march(origin: vec3f, direction: vec3f) -> f32 {
    var t = 0.0;
    for (var i = 0; i < 48; i++) {
        let h = scene(origin + direction * t);
        if h < 0.001 {
            return t;
        }
        t += h;
        if t > 20.0 {
            break;
        }
    }
    return -1.0;
}

fn normal(p: vec3f) -> vec3f {
    let e = vec2f(0.001, 0.0);
    return normalize(vec3f(
        scene(p + e.xyy) - scene(p - e.xyy),
        scene(p + e.yxy) - scene(p - e.yxy),
        scene(p + e.yyx) - scene(p - e.yyx),
    ));
}

@fragment
fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let uv = (position.xy - vec2f(32.0, 24.0)) / 24.0;
    let origin = vec3f(0.0, 0.5, 4.0);
    let direction = normalize(vec3f(uv.x, -uv.y, -2.0));
    let t = march(origin, direction);
    if t < 0.0 {
        return vec4f(0.1, 0.2, 0.4, 1.0);
    }
    let p = origin + direction * t;
    let shade = max(dot(normal(p), normalize(light)), 0.0);
    return vec4f(vec3f(shade), 1.0);
}
