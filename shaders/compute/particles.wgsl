// Moves particles by their velocities under gravity; they bounce off the ground.
struct Particle {
    position: vec3f,
    age: f32,
    velocity: vec3f,
    bounces: u32,
}
@group(0) @binding(0) var<storage, read_write> particles: array<Particle>;
@group(0) @binding(1) var<uniform> step: f32;

const GRAVITY = vec3f(0.0, -9.81, 0.0);

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    if id.x >= arrayLength(&particles) {
        return;
    }
    var p = particles[id.x];
    p.velocity += GRAVITY * step;
    p.position += p.velocity * step;
    p.age += step;
    if p.position.y < 0.0 {
        p.position.y = -p.position.y;
        p.velocity.y *= -0.5;
        p.bounces += 1u;
    }
    particles[id.x] = p;
}
