// Nine comparisons with a shadow map.
layout(binding = 0) uniform sampler2DShadow t;

vec4 colour(vec2 place) {
    float lit = 0.0;
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            lit += textureLod(t, vec3(place * 1.1 - 0.05 + vec2(x, y) / 1024.0, 0.5), 0.0);
        }
    }
    return vec4(vec3(lit / 9.0), 1.0);
}
