//! Compute shaders of public repositories, beside plain statements of what they compute.
//!
//! The texts are not ours, so they are read from a folder that the environment's `COMPUTE_FILES` names, with the folders
//! `wgpu`, `vello` and `bevy` of these projects (`tests/wgsl/compute.tsv` names commits). Without it the test is skipped.
#![cfg(feature = "foreign")]

use super::harness::TestFolder;
use lambdav_test_support::{Random, skipped};
use std::path::{Path, PathBuf};

/// A buffer's words, by its name.
type Words = (&'static str, Vec<u32>);

/// A dispatch of a file.
struct Case {
    /// Path in the folder.
    file: &'static str,
    /// Workgroups, entry point, and values of uniforms.
    options: String,
    before: Vec<Words>,
    /// The buffers that are written, afterwards.
    after: Vec<Words>,
}

fn case(file: &'static str, options: &str, before: Vec<Words>, after: Vec<Words>) -> Case {
    Case { file, options: options.to_owned(), before, after }
}

/// The steps of Collatz's rule from n to 1.
fn collatz(mut n: u32) -> u32 {
    let mut steps = 0;
    while n > 1 {
        n = if n.is_multiple_of(2) { n / 2 } else { 3 * n + 1 };
        steps += 1;
    }
    steps
}

/// Random words below `end`.
fn below(random: &mut Random, end: usize, count: usize) -> Vec<u32> {
    (0..count).map(|_| random.below(end) as u32).collect()
}

fn wgpu() -> Vec<Case> {
    let numbers: Vec<u32> = (1..100).collect();
    let steps: Vec<u32> = numbers.iter().map(|&n| collatz(n)).collect();
    let hash = |input: u32| {
        let state = input.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
        let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
        (word >> 22) ^ word
    };
    let hashed = (0..128).fold(7, |value, _| hash(value));
    let more = |words: &[u32], by: u32| words.iter().map(|word| word.wrapping_add(by)).collect();
    let sums = (0..50).map(|k| 3 * k + k).collect();
    let empty = vec![0xffff_fffe, 5, 0, 9];
    vec![
        case(
            "wgpu/examples/src/hello_compute/shader.wgsl",
            "--groups 99",
            vec![("v_indices", numbers.clone())],
            vec![("v_indices", steps.clone())],
        ),
        case(
            "wgpu/examples/src/repeated_compute/shader.wgsl",
            "--groups 99",
            vec![("v_indices", numbers.clone())],
            vec![("v_indices", steps.clone())],
        ),
        case(
            "wgpu/naga/tests/in/collatz.wgsl",
            "--groups 99",
            vec![("v_indices", numbers.clone())],
            vec![("v_indices", steps.clone())],
        ),
        case(
            "wgpu/examples/src/hello_synchronization/shaders.wgsl",
            "--groups 5 --entry patient_main",
            vec![("output", vec![9; 5])],
            vec![("output", vec![16; 5])],
        ),
        // In the defined order, the first invocation is before all others.
        case(
            "wgpu/examples/src/hello_synchronization/shaders.wgsl",
            "--groups 5 --entry hasty_main",
            vec![("output", vec![9; 5])],
            vec![("output", vec![1; 5])],
        ),
        case(
            "wgpu/examples/src/hello_workgroups/shader.wgsl",
            "--groups 4",
            vec![("a", empty.clone()), ("b", numbers[..4].to_vec())],
            vec![("a", more(&empty, 1)), ("b", more(&numbers[..4], 1))],
        ),
        case(
            "wgpu/examples/src/timestamp_queries/shader.wgsl",
            "--groups 1",
            vec![("buffer", vec![7])],
            vec![("buffer", vec![hashed])],
        ),
        case(
            "wgpu/player/tests/data/zero-init-buffer-for-binding.wgsl",
            "--groups 50",
            vec![("buf", (0..50).map(|k| 3 * k).collect())],
            vec![("buf", sums)],
        ),
        case(
            "wgpu/naga/tests/in/workgroup-var-init.wgsl",
            "--groups 2",
            vec![("output", vec![3; 512])],
            vec![("output", vec![0; 512])],
        ),
        case(
            "wgpu/tests/tests/shader/zero_init_workgroup_mem.wgsl",
            "--groups 2,3,2 --entry read",
            vec![("output", vec![3; 12])],
            vec![("output", vec![0; 12])],
        ),
    ]
}

/// The sum of two monoids.
fn sum<const N: usize>(a: [u32; N], b: [u32; N]) -> [u32; N] {
    std::array::from_fn(|k| a[k].wrapping_add(b[k]))
}

/// What vello counts in the four tags of a word: transforms, segments, words of points, words of styles, paths.
fn tags(word: u32) -> [u32; 5] {
    let of_tag = |tag: u8| {
        let tag = u32::from(tag);
        let points = (tag & 3) + (tag >> 2 & 1);
        let words = if tag & 8 != 0 { 2 * points } else { points };
        [tag >> 5 & 1, u32::from(tag & 3 != 0), words, 2 * (tag >> 6 & 1), tag >> 4 & 1]
    };
    word.to_le_bytes().map(of_tag).into_iter().reduce(sum).expect("there are four")
}

/// The sums before each element, from a first one on.
fn sums_before<const N: usize>(first: [u32; N], all: &[[u32; N]]) -> Vec<[u32; N]> {
    let mut before = first;
    let step = |&one: &[u32; N]| {
        let own = before;
        before = sum(before, one);
        own
    };
    all.iter().map(step).collect()
}

fn vello() -> Vec<Case> {
    let mut random = Random::new(9);
    let flat = |all: &[[u32; 5]]| all.as_flattened().to_vec();
    let words: Vec<u32> = (0..512).map(|_| random.bits() as u32).collect();
    let counted: Vec<[u32; 5]> = words.iter().map(|&word| tags(word)).collect();
    let total = |all: &[[u32; 5]]| all.iter().copied().reduce(sum).expect("there are some");
    let reduced: Vec<[u32; 5]> = counted.chunks(256).map(total).collect();
    let parents = sums_before([0; 5], &reduced);
    let scene = [vec![1, 2, 3], words].concat();
    let draw_tags = [0, 0x44, 0x114, 0x29c, 0x254, 0x28c, 0x2d4, 0x49, 0x21];
    let drawn: Vec<u32> = (0..300).map(|_| *random.pick(&draw_tags)).collect();
    let monoids =
        drawn.iter().map(|&tag| [u32::from(tag != 0), tag & 1, tag >> 2 & 7, tag >> 6 & 15]);
    let monoids: Vec<[u32; 4]> = monoids.collect();
    let of_block = |all: &[[u32; 4]]| all.iter().copied().reduce(sum).expect("there are some");
    let of_blocks: Vec<[u32; 4]> = monoids.chunks(256).map(of_block).collect();

    let corner = |k: u32| if k < 2 { 0x7fff_ffff } else { 0x8000_0000 };
    let cleared = (0..100 * 6).map(|k| if k % 6 < 4 { corner(k % 6) } else { k });
    let cleared = cleared.chain(600..612).collect();

    // Paths of up to 3 rows of up to 4 tiles, one after another.
    let (mut paths, mut tiles, mut swept) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..200 {
        let (width, rows) = (random.below(5) as u32, random.below(4) as u32);
        paths.extend([2, 3, 2 + width, 3 + rows, tiles.len() as u32 / 2, 0, 0, 0]);
        for _ in 0..rows {
            let mut backdrop = 0_u32;
            for _ in 0..width {
                let (own, count) = (random.below(9) as u32, random.below(9) as u32);
                backdrop = backdrop.wrapping_add(own.wrapping_sub(4));
                tiles.extend([own.wrapping_sub(4), count]);
                swept.extend([backdrop, count]);
            }
        }
    }
    let bump =
        |failed: u32, lines: u32, segments: u32| vec![failed, 0, 0, 0, segments, 0, 0, lines];
    vec![
        case(
            "vello/vello_shaders/shader/bbox_clear.wgsl",
            "--groups 1 --set config.n_path=100",
            vec![("path_bboxes", (0..612).collect())],
            vec![("path_bboxes", cleared)],
        ),
        case(
            "vello/vello_shaders/shader/pathtag_reduce.wgsl",
            "--groups 2 --set config.pathtag_base=3",
            vec![("scene", scene.clone()), ("reduced", vec![7; 10])],
            vec![("reduced", flat(&reduced))],
        ),
        case(
            "vello/vello_shaders/shader/pathtag_reduce2.wgsl",
            "--groups 2",
            vec![("reduced_in", flat(&counted)), ("reduced", vec![7; 10])],
            vec![("reduced", flat(&reduced))],
        ),
        case(
            "vello/vello_shaders/shader/pathtag_scan1.wgsl",
            "--groups 2",
            vec![
                ("reduced", flat(&counted)),
                ("reduced2", flat(&reduced)),
                ("tag_monoids", vec![7; 512 * 5]),
            ],
            vec![("tag_monoids", flat(&sums_before([0; 5], &counted)))],
        ),
        case(
            "vello/vello_shaders/shader/pathtag_scan.wgsl",
            "--groups 2 --set config.pathtag_base=3",
            vec![("scene", scene), ("reduced", flat(&parents)), ("tag_monoids", vec![7; 512 * 5])],
            vec![("tag_monoids", flat(&sums_before([0; 5], &counted)))],
        ),
        case(
            "vello/vello_shaders/shader/draw_reduce.wgsl",
            "--groups 2 --set config.n_drawobj=300 --set config.drawtag_base=0",
            vec![("scene", drawn), ("reduced", vec![7; 8])],
            vec![("reduced", of_blocks.as_flattened().to_vec())],
        ),
        case(
            "vello/vello_shaders/shader/path_count_setup.wgsl",
            "--groups 1",
            vec![("bump", bump(0, 1025, 0)), ("indirect", vec![7; 3])],
            vec![("indirect", vec![5, 1, 1])],
        ),
        case(
            "vello/vello_shaders/shader/path_tiling_setup.wgsl",
            "--groups 1",
            vec![("bump", bump(4, 0, 1025)), ("indirect", vec![7; 3]), ("ptcl", vec![7; 2])],
            vec![("indirect", vec![0, 1, 1]), ("ptcl", vec![u32::MAX, 7])],
        ),
        case(
            "vello/vello_shaders/shader/backdrop_dyn.wgsl",
            "--groups 1 --set config.n_drawobj=200",
            vec![("bump", bump(0, 0, 0)), ("paths", paths), ("tiles", tiles)],
            vec![("tiles", swept)],
        ),
    ]
}

fn bevy() -> Vec<Case> {
    let mut random = Random::new(10);
    let sets: Vec<u32> = (0..140).collect();
    let reset = sets.iter().map(|&k| if k.is_multiple_of(2) { 0 } else { k }).collect();
    // Pages of 4 elements of 3 words.
    let (pages, page) = ([5, 0, 3], 12);
    let source: Vec<u32> = below(&mut random, 1000, 3 * page);
    let mut sparse = vec![7; 6 * page];
    for (page_of, words) in pages.iter().zip(source.chunks(page)) {
        sparse[page_of * page..][..page].copy_from_slice(words);
    }
    let pages = pages.map(|page| page as u32).to_vec();
    let bins = below(&mut random, 9, 100);
    let offsets = below(&mut random, 50, 9);
    let instances: Vec<u32> = bins.iter().zip(100..).flat_map(|(&bin, k)| [k, bin]).collect();
    let items = bins.iter().zip(100..).flat_map(|(&bin, k)| [k, 40 + offsets[bin as usize]]);
    let items: Vec<u32> = [7; 6].into_iter().chain(items).collect();
    let update = "--set metadata.element_size=3 --set metadata.updated_page_count=3 --set metadata.page_size_log2=2";
    let unpack = "--set bin_unpacking_metadata.base_output_work_item_index=3 \
         --set bin_unpacking_metadata.base_indirect_parameters_index=40 \
         --set bin_unpacking_metadata.binned_mesh_instance_count=100";
    vec![
        case(
            "bevy/crates/bevy_pbr/src/render/reset_indirect_batch_sets.wgsl",
            "--groups 2",
            vec![("indirect_batch_sets", sets)],
            vec![("indirect_batch_sets", reset)],
        ),
        case(
            "bevy/crates/bevy_pbr/src/meshlet/fill_counts.wgsl",
            "--groups 1",
            vec![
                ("meshlet_software_raster_indirect_args", vec![10, 2, 3]),
                ("meshlet_hardware_raster_indirect_args", vec![1, 20, 3, 4]),
                ("meshlet_previous_raster_counts", vec![5, 6]),
            ],
            vec![
                ("meshlet_software_raster_indirect_args", vec![0, 2, 3]),
                ("meshlet_hardware_raster_indirect_args", vec![1, 0, 3, 4]),
                ("meshlet_previous_raster_counts", vec![15, 26]),
            ],
        ),
        case(
            "bevy/crates/bevy_pbr/src/meshlet/remap_1d_to_2d_dispatch.wgsl",
            "--groups 1 --set max_compute_workgroups_per_dimension=50",
            vec![
                ("meshlet_software_raster_indirect_args", vec![101, 2, 3]),
                ("meshlet_software_raster_cluster_count", vec![4]),
            ],
            vec![
                ("meshlet_software_raster_indirect_args", vec![11, 11, 3]),
                ("meshlet_software_raster_cluster_count", vec![101]),
            ],
        ),
        case(
            "bevy/crates/bevy_render/src/render_resource/sparse_buffer_update.wgsl",
            &format!("--groups 1 {update}"),
            vec![("dest_buffer", vec![7; 6 * page]), ("src_buffer", source), ("indices", pages)],
            vec![("dest_buffer", sparse)],
        ),
        case(
            "bevy/crates/bevy_pbr/src/render/unpack_bins.wgsl",
            &format!("--groups 2 {unpack}"),
            vec![
                ("binned_mesh_instances", instances),
                ("preprocess_work_items", vec![7; 206]),
                ("bin_index_to_indirect_parameters_offset", offsets),
            ],
            vec![("preprocess_work_items", items)],
        ),
    ]
}

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn public_shaders_leave_what_plain_statements_say() {
    let Some(folder) = std::env::var_os("COMPUTE_FILES").map(PathBuf::from) else {
        return skipped("COMPUTE_FILES does not name a folder of shaders");
    };
    let shown = |path: &Path| path.display().to_string();
    let includes = ["bevy", "vello/vello_shaders/shader/shared"];
    let includes = includes.map(|name| format!("--include {}", shown(&folder.join(name))));
    let cases: Vec<Case> = [wgpu(), vello(), bevy()].into_iter().flatten().collect();
    for engine in ["simd", "core", "spirv"] {
        for Case { file, options, before, after } in &cases {
            let place = TestFolder::new();
            let mut line = format!("run {} {options} --engine {engine}", shown(&folder.join(file)));
            for (name, words) in before {
                place.write(&format!("{name}.in.bin"), bytes(words));
                line += &format!(" --bind {name}={name}.in.bin");
            }
            for (name, _) in after {
                line += &format!(" --save {name}={name}.bin");
            }
            let outcome = place.run_line(&format!("{line} {}", includes.join(" ")));
            assert_eq!(outcome.status, 0, "{engine}, {file}: {}", outcome.err);
            for (name, words) in after {
                let found = place.read(&format!("{name}.bin"));
                assert!(found == bytes(words), "{engine}, {file}: `{name}` differs");
            }
        }
    }
}
