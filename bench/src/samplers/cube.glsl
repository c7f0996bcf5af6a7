// A sphere that reflects a cube map.
layout(binding = 0) uniform samplerCube t;

vec4 colour(vec2 place) {
    vec3 eye = normalize(vec3(2.0 * place - 1.0, 1.5));
    float b = dot(eye, vec3(0.0, 0.0, 3.0));
    float d = b * b - 8.0;
    vec3 to = eye;
    if (d > 0.0) {
        vec3 normal = normalize(eye * (b - sqrt(d)) - vec3(0.0, 0.0, 3.0));
        to = reflect(eye, normal);
    }
    return textureLod(t, to, 0.0);
}
