#version 450
// A turned wall.
layout(location = 0) out vec4 colour;

struct Wall {
    vec2 size;
    float mortar;
    vec3 tone[2];
};

layout(set = 0, binding = 0) uniform Scene {
    Wall wall;
    float angle;
};

void main() {
    mat2 turn = mat2(cos(angle), sin(angle), -sin(angle), cos(angle));
    vec2 p = turn * gl_FragCoord.xy / wall.size;
    float row = floor(p.y);
    p.x += 0.5 * mod(row, 2.0);
    vec2 inside = step(vec2(wall.mortar), fract(p));
    float brick = inside.x * inside.y;
    int tone = int(mod(floor(p.x), 2.0));
    colour = vec4(mix(vec3(0.8), wall.tone[tone], brick), 1.0);
}
