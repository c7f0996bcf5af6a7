//! Prints, as Markdown, how far a Vulkan device is from the reference: `cargo run --release -p lambdav-gpu`.
#![forbid(unsafe_code)]

use lambdav_core::op::Elementary;
use lambdav_gpu::functions::{Demand, measure};
use lambdav_gpu::{Device, Difference, Shader};
use std::error::Error;

/// The size of the gallery's images.
const SIZE: [u32; 2] = [240, 150];

fn main() -> Result<(), Box<dyn Error>> {
    let device = Device::open()?.ok_or("there is no Vulkan device")?;
    println!("On {}.\n", device.name());
    functions(&device)?;
    println!();
    gallery(&device)
}

fn functions(device: &Device) -> Result<(), Box<dyn Error>> {
    println!(
        "| function | arguments | not nearest | ULP at most | where | absolute at most | Vulkan demands |"
    );
    println!("|---|---|---:|---:|---|---:|---|");
    for function in Elementary::ALL {
        let measured = measure(device, function)?;
        let ranges: Vec<String> =
            measured.ranges.iter().map(|[from, to]| format!("{from:.3} … {to:.3}")).collect();
        let percent = 100.0 * measured.wrong as f64 / measured.arguments as f64;
        let (ulps, at) = measured.ulps;
        let at: Vec<String> = at[..function.arity()].iter().map(f32::to_string).collect();
        println!(
            "| `{}` | {} | {percent:.1} % | {ulps} | {} | {:.1e} | {} |",
            function.name(),
            ranges.join(", "),
            at.join(", "),
            measured.absolute,
            Demand::of(function).text()
        );
    }
    Ok(())
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
