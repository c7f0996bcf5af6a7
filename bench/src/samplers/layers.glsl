// Three layers, chosen and mixed by the first.
layout(binding = 0) uniform sampler2DArray t;

vec4 colour(vec2 place) {
    vec4 which = textureLod(t, vec3(place, 0.0), 0.0);
    vec4 a = textureLod(t, vec3(4.0 * place, 1.0 + floor(which.x * 3.5)), 0.0);
    vec4 b = textureLod(t, vec3(6.0 * place.yx, 4.0 + floor(which.y * 3.5)), 0.0);
    return mix(a, b, which.z);
}
