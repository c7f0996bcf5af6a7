// Boids (Reynolds, 1987): each keeps away from near ones, and follows the mean position and velocity of its flock.
struct Boid {
    position: vec2f,
    velocity: vec2f,
}
@group(0) @binding(0) var<storage, read> before: array<Boid>;
@group(0) @binding(1) var<storage, read_write> after: array<Boid>;

override STEP: f32 = 0.04;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
    let count = arrayLength(&before);
    if id.x >= count {
        return;
    }
    let own = before[id.x];
    var centre = vec2f();
    var heading = vec2f();
    var away = vec2f();
    var neighbours = 0.0;
    for (var i = 0u; i < count; i++) {
        let other = before[i];
        let apart = distance(other.position, own.position);
        if i == id.x || apart > 0.4 {
            continue;
        }
        if apart < 0.1 {
            away -= other.position - own.position;
        }
        centre += other.position;
        heading += other.velocity;
        neighbours += 1.0;
    }
    var velocity = own.velocity + 0.5 * away;
    if neighbours > 0.0 {
        velocity += 0.1 * (centre / neighbours - own.position);
        velocity += 0.05 * (heading / neighbours - own.velocity);
    }
    velocity *= clamp(length(velocity), 0.05, 0.3) / max(length(velocity), 1e-6);
    after[id.x] = Boid(own.position + STEP * velocity, velocity);
}
