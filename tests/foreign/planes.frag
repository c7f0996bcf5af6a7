#version 450
// Cube maps, layers and a volume.
layout(set = 0, binding = 0) uniform samplerCube sky;
layout(set = 0, binding = 1) uniform sampler2DArray layers;
layout(set = 0, binding = 2) uniform sampler3D volume;
layout(set = 0, binding = 3) uniform samplerCubeArray skies;
layout(location = 0) in vec2 uv;
layout(location = 0) out vec4 color;

void main() {
    vec2 p = uv * 2.0 - 1.0;
    vec3 d = vec3(p.x * 2.0, p.y * 1.75, 1.0 - p.x * p.y);
    vec4 sum = texture(sky, d) + texture(layers, vec3(uv, 3.0 * uv.x));
    sum += texture(volume, vec3(uv, p.y));
    sum += textureLod(skies, vec4(d.zyx, 2.0 * uv.y), uv.x);
    sum += textureGrad(sky, d.yzx, vec3(0.25, 0.0, 0.5), vec3(0.0, 0.125, 0.0));
    float sizes = float(textureQueryLevels(volume)) + float(textureSize(layers, 1).z);
    sum.x += sizes + float(textureSize(skies, 0).z);
    color = sum + texelFetch(volume, ivec3(3, 2, 1), 0);
}
