// Inclusive prefix sums of blocks of 256 values (Hillis and Steele, 1986), and the total of each block.
@group(0) @binding(0) var<storage, read> values: array<u32>;
@group(0) @binding(1) var<storage, read_write> sums: array<u32>;
@group(0) @binding(2) var<storage, read_write> totals: array<u32>;

var<workgroup> block: array<u32, 256>;

@compute @workgroup_size(256)
fn main(
    @builtin(global_invocation_id) id: vec3u,
    @builtin(local_invocation_index) k: u32,
    @builtin(workgroup_id) group: vec3u,
) {
    block[k] = values[id.x];
    for (var step = 1u; step < 256u; step *= 2u) {
        workgroupBarrier();
        var sum = block[k];
        if k >= step {
            sum += block[k - step];
        }
        workgroupBarrier();
        block[k] = sum;
    }
    sums[id.x] = block[k];
    if k == 255u {
        totals[group.x] = block[k];
    }
}
