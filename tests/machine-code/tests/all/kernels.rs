//! The gallery, compiled for every target and executed by the evaluator, gives the pictures of this machine's
//! own target.

use lambdav_core::schedule::schedule;
use lambdav_engine::Settings;
use lambdav_image::Size;
use lambdav_machine_code::Evaluated;
use lambdav_matrix::pictures;
use lambdav_raster::{Cancel, Kernel, Tile, TileBuffer};
use lambdav_simd_backend::kernel::CalledKernel;
use lambdav_simd_backend::{Compiler, EmitError, SimdKernel, Target};

/// The bits of a picture drawn as one tile.
fn draw(kernel: &impl Kernel, size: Size) -> Vec<u32> {
    let tile = Tile::whole(size);
    let mut samples = vec![f32::NAN; tile.samples()];
    let drawn = kernel.tile(tile, &mut TileBuffer::new(tile, &mut samples), &Cancel::never(size));
    assert!(drawn.is_ok(), "no loop exceeds its limit");
    // All NaNs are equal in files.
    let bits = samples.iter().map(|sample| if sample.is_nan() { f32::NAN } else { *sample });
    bits.map(f32::to_bits).collect()
}

#[test]
fn the_gallery_is_drawn_as_by_this_machine() {
    // Whole groups of all shapes, and incomplete groups at each edge.
    let size = Size::new(19, 9).expect("a small size");
    for shader in pictures::all() {
        let core = shader.core();
        let Settings { inputs, max_iterations, .. } = shader.settings(size);
        for output in &core.outputs {
            let program = || schedule(core, &[output.location]).expect("it nests little");
            let native = SimdKernel::new(program(), None, &inputs, max_iterations);
            let expected = draw(&native.expect("it compiles"), size);
            for name in Target::names() {
                let target = Target::named(name).expect("a machine").expect("it is one of them");
                let kernel = CalledKernel::new(
                    program(),
                    Compiler::new(target),
                    &inputs,
                    max_iterations,
                    |compiler, lanes| {
                        let compiled = compiler.compile_lane_program(lanes.clone())?;
                        Ok::<_, EmitError>(Evaluated::new(&compiled.code))
                    },
                );
                let found = draw(&kernel.expect("it compiles"), size);
                assert!(found == expected, "{}, output {}, {name}", shader.name, output.location);
            }
        }
    }
}
