// A blur of 16 texels by four gathers of each component.
layout(binding = 0) uniform sampler2D t;

vec4 colour(vec2 place) {
    vec4 ones = vec4(1.0 / 16.0);
    vec4 sum = vec4(0.0);
    for (int y = -1; y <= 1; y += 2) {
        for (int x = -1; x <= 1; x += 2) {
            vec2 at = place + vec2(x, y) / 1024.0;
            sum.x += dot(ones, textureGather(t, at, 0));
            sum.y += dot(ones, textureGather(t, at, 1));
            sum.z += dot(ones, textureGather(t, at, 2));
            sum.w += dot(ones, textureGather(t, at, 3));
        }
    }
    return sum;
}
