//! `lambdav devices`: lists the devices of the engine `gpu`.

use super::failure::Result;
use super::messages::MessageFormat;
use clap::Args;

/// List the Vulkan devices that the engine `gpu` can use
///
/// Each has a number. --device selects a device by this number or by a part of its name. The
/// floating-point guarantees of a device decide how the engine computes exact bits on it, and at what
/// speed. Exit status 3: no device was found.
#[derive(Args)]
pub(super) struct DevicesArguments {
    /// Format of the list; json is one object per device
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = MessageFormat::Text)]
    message_format: MessageFormat,
}

pub(super) fn run(options: &DevicesArguments) -> Result {
    listed::print_all(options.message_format)
}

#[cfg(not(feature = "gpu"))]
mod listed {
    use crate::failure::Result;
    use crate::gpu::missing;
    use crate::messages::MessageFormat;

    pub(super) fn print_all(_: MessageFormat) -> Result {
        Err(missing())
    }
}

#[cfg(feature = "gpu")]
mod listed {
    use crate::failure::Result;
    use crate::gpu::devices;
    use crate::messages::{MessageFormat, print};
    use lambdav_core::diagnostics::printable;
    use lambdav_gpu::{About, FloatWidths, Independence};
    use serde_json::{Value, json};

    pub(super) fn print_all(format: MessageFormat) -> Result {
        let vulkan = devices()?;
        let devices = vulkan.devices().iter().enumerate();
        print(match format {
            MessageFormat::Json => {
                devices.map(|(number, about)| format!("{}\n", object(number, about))).collect()
            }
            MessageFormat::Text => {
                devices.map(|(number, about)| text(number, about)).collect::<Vec<_>>().join("\n")
            }
        })
    }

    fn version(about: &About) -> String {
        about.api.map(|part| part.to_string()).join(".")
    }

    fn yes(holds: bool) -> &'static str {
        if holds { "yes" } else { "no" }
    }

    fn of_widths(widths: FloatWidths) -> &'static str {
        match widths {
            FloatWidths { of32: true, of64: true } => "32 and 64 bits",
            FloatWidths { of32: true, of64: false } => "32 bits",
            FloatWidths { of32: false, of64: true } => "64 bits",
            FloatWidths { of32: false, of64: false } => "no",
        }
    }

    fn independence(of: Independence) -> &'static str {
        match of {
            Independence::None => "for all widths or none",
            Independence::Of32 => "for 32 bits separately",
            Independence::All => "for each width",
        }
    }

    fn text(number: usize, about: &About) -> String {
        let rows = [
            ("kind", about.kind.word().to_owned()),
            ("driver", printable(&about.driver).to_string()),
            ("Vulkan", version(about)),
            ("64-bit floats", yes(about.float64).to_owned()),
            ("64-bit integers", yes(about.int64).to_owned()),
            ("geometry shaders", yes(about.geometry_shaders).to_owned()),
        ];
        let controls = [
            ("keeps subnormals", of_widths(about.denorm_preserve)),
            ("rounds to nearest", of_widths(about.rounding_mode_rte)),
            ("keeps -0, inf, NaN", of_widths(about.signed_zero_inf_nan_preserve)),
            ("subnormal controls", independence(about.denorm_independence)),
            ("rounding controls", independence(about.rounding_independence)),
        ];
        let controls = controls.map(|(name, value)| (name, value.to_owned()));
        let unknown = [("float controls", "not reported".to_owned())];
        let controls = if about.has_float_controls { &controls[..] } else { &unknown };
        let rows = rows.iter().chain(controls);
        let rows: String = rows.map(|(name, value)| format!("   {name:<20}{value}\n")).collect();
        format!("{number}: {}\n{rows}", printable(&about.name))
    }

    fn object(number: usize, about: &About) -> Value {
        let widths = |widths: FloatWidths| json!({"32": widths.of32, "64": widths.of64});
        let independence = |of| match of {
            Independence::None => "none",
            Independence::Of32 => "32",
            Independence::All => "all",
        };
        let controls = about.has_float_controls.then(|| {
            json!({
                "denorm_preserve": widths(about.denorm_preserve),
                "rounding_mode_rte": widths(about.rounding_mode_rte),
                "signed_zero_inf_nan_preserve": widths(about.signed_zero_inf_nan_preserve),
                "denorm_independence": independence(about.denorm_independence),
                "rounding_independence": independence(about.rounding_independence),
            })
        });
        json!({
            "number": number,
            "name": about.name,
            "kind": about.kind.word(),
            "driver": about.driver,
            "api_version": version(about),
            "shader_float64": about.float64,
            "shader_int64": about.int64,
            "geometry_shader": about.geometry_shaders,
            "float_controls": controls,
        })
    }
}
