#version 450
// Noise of four octaves.
layout(location = 0) out vec4 colour;

layout(push_constant) uniform Drift {
    vec2 drift;
};

float random(vec2 p) {
    return fract(sin(dot(p, vec2(12.9898, 78.233))) * 43758.5453);
}

float noise(vec2 p) {
    vec2 i = floor(p);
    vec2 f = fract(p);
    vec2 u = f * f * (3.0 - 2.0 * f);
    float a = random(i);
    float b = random(i + vec2(1.0, 0.0));
    float c = random(i + vec2(0.0, 1.0));
    float d = random(i + vec2(1.0, 1.0));
    return mix(mix(a, b, u.x), mix(c, d, u.x), u.y);
}

void octave(inout vec2 p, inout float amplitude, inout float sum) {
    sum += noise(p) * amplitude;
    p *= 2.0;
    amplitude *= 0.5;
}

void main() {
    vec2 p = gl_FragCoord.xy / 16.0 + drift;
    float amplitude = 0.5;
    float sum = 0.0;
    for (int i = 0; i < 4; i++) {
        octave(p, amplitude, sum);
    }
    colour = vec4(mix(vec3(0.3, 0.5, 0.8), vec3(1.0), sum), 1.0);
}
