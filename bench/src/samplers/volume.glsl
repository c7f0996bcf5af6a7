// A march of 32 steps through a volume.
layout(binding = 0) uniform sampler3D t;

vec4 colour(vec2 place) {
    vec3 at = vec3(place, 0.0);
    vec3 by = vec3((0.5 - place) / 64.0, 1.0 / 32.0);
    vec4 sum = vec4(0.0);
    for (int k = 0; k < 32; k++) {
        vec4 here = textureLod(t, at, 0.0);
        float alpha = 0.1 * here.w * (1.0 - sum.w);
        sum += vec4(here.xyz * alpha, alpha);
        at += by;
    }
    return sum;
}
