//! Prints, as Markdown, how far a Vulkan device is from the reference: `cargo run --release -p lambdav-gpu-tests`.
#![forbid(unsafe_code)]

use lambdav_gpu::{Device, Difference, forever, functions};
use lambdav_gpu_tests::{Shader, open};
use lambdav_spirv_backend::emit::EmitOptions;
use std::error::Error;

/// The size of the gallery's images.
const SIZE: [u32; 2] = [240, 150];

fn main() -> Result<(), Box<dyn Error>> {
    let device = open()?.ok_or("there is no Vulkan device")?;
    println!("On {}.\n", device.name());
    println!("{}", functions::table(&device, &EmitOptions::default(), &forever)?);
    gallery(&device)
}

fn gallery(device: &Device) -> Result<(), Box<dyn Error>> {
    let [width, height] = SIZE;
    println!("Of {} components each ({width}×{height}):\n", 4 * width * height);
    println!(
        "| shader | output | elementary functions | components that differ | ULP at most | 8-bit levels at most |"
    );
    println!("|---|---:|---|---:|---:|---:|");
    for shader in Shader::gallery() {
        for output in shader.outputs() {
            let found = output.by_device(device, SIZE)?;
            let Difference { components, nans, ulps, levels } =
                Difference::new(&output.by_core(SIZE), &found);
            let elementary = if output.has_elementary() { "yes" } else { "none" };
            let nans = if nans == 0 { String::new() } else { format!(", {nans} NaN") };
            println!(
                "| `{}` | {} | {elementary} | {components}{nans} | {ulps} | {levels} |",
                shader.name,
                output.location()
            );
        }
    }
    Ok(())
}
