#version 450
// A disc; what is outside keeps its colour.
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform Disc {
    float radius;
    vec4 inner;
};

void main() {
    vec2 p = uv * 2.0 - 1.0;
    float d = length(p);
    if (d > radius) {
        discard;
    }
    colour = mix(inner, vec4(0.0, 0.0, 0.0, 1.0), smoothstep(0.0, radius, d));
}
