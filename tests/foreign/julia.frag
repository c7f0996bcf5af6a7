#version 450
layout(location = 0) out vec4 colour;

layout(set = 0, binding = 0) uniform Julia {
    vec2 c;
    vec2 centre;
    float scale;
};

void main() {
    vec2 z = (gl_FragCoord.xy - centre) * scale;
    int n = 0;
    do {
        z = vec2(z.x * z.x - z.y * z.y, 2.0 * z.x * z.y) + c;
        n++;
    } while (n < 50 && dot(z, z) < 16.0);
    float s = float(n) / 50.0;
    colour = vec4(pow(s, 0.5), s, 1.0 - s, 1.0);
}
