// A picture, blurred by nine samples.
@group(0) @binding(0) var picture: texture_2d<f32>;
@group(0) @binding(1) var picture_sampler: sampler;
@group(0) @binding(2) var<uniform> radius: f32;

@fragment
fn main(@builtin(position) position: vec4f) -> @location(0) vec4f {
    let size = vec2f(textureDimensions(picture));
    let uv = position.xy / vec2f(64.0, 48.0);
    var sum = vec4f(0.0);
    for (var y = -1; y <= 1; y++) {
        for (var x = -1; x <= 1; x++) {
            let by = vec2f(f32(x), f32(y)) * radius / size;
            sum += textureSampleLevel(picture, picture_sampler, uv + by, 0.0);
        }
    }
    return sum / 9.0;
}
