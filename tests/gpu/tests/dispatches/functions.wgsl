// Functions of two operands with any bits, which come from the neighbours of an invocation.
@group(0) @binding(0) var<storage, read> operands: array<u32>;
@group(0) @binding(1) var<storage, read_write> results: array<f32>;

var<workgroup> shared_words: array<u32, 64>;

@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u, @builtin(local_invocation_index) local: u32) {
    var a = bitcast<f32>(operands[2u * id.x]);
    for (var round = 0u; round < 4u; round++) {
        shared_words[local] = bitcast<u32>(a) ^ operands[2u * id.x + 1u];
        workgroupBarrier();
        let b = bitcast<f32>(shared_words[(local + 1u + round) % 64u]);
        workgroupBarrier();
        let at = 16u * id.x + 4u * round;
        let small = fract(b * 0.37) - 0.5;
        results[at] = select(sin(a * 0.001) + exp2(small), a / b, round == 1u);
        results[at + 1u] = select(pow(abs(small), a * 1e-3), sqrt(b), round == 2u);
        results[at + 2u] = select(fma(a, b, small), log(b), round == 3u);
        results[at + 3u] = select(a * b + small, atan2(a, b), round == 0u);
        a = results[at + 1u] + 1.5 * b;
    }
}
