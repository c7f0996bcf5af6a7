#version 450
// Bands in an order that a switch says.
layout(location = 0) out vec4 colour;

layout(set = 1, binding = 3) uniform Weave {
    int width;
    int shift;
} weave;

void main() {
    ivec2 p = ivec2(gl_FragCoord.xy);
    int band = (p.x + p.y * weave.shift) / weave.width;
    vec3 rgb = vec3(0.1);
    switch (band & 3) {
        case 0:
            rgb.r = 0.9;
            break;
        case 1:
            rgb.g = 0.5;
        case 2:
            rgb.b += 0.4;
            break;
        default:
            rgb = rgb.bgr * 2.0;
    }
    int count = 0;
    for (int i = 0; i < 8; i++) {
        if (((p.x >> i) & 1) == 0) {
            continue;
        }
        count += i;
    }
    colour = vec4(rgb, float(count) / 28.0);
}
