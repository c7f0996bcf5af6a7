//! Kind, features and numeric guarantees of a device.

use crate::error::Error;
use lambdav_spirv_backend::emit::{EmitOptions, Exact, FloatControls, Subnormals};

/// Kind of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares its memory with the processor.
    Integrated,
    /// A GPU of a virtual machine, shared with other systems.
    Virtual,
    /// A device of another kind.
    Other,
    /// The processor.
    Cpu,
}

impl DeviceKind {
    /// The kind in one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Other => "other",
            Self::Cpu => "cpu",
        }
    }
}

/// Support of a feature for floats of 32 and of 64 bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FloatWidths {
    /// Supported for 32 bits.
    pub of32: bool,
    /// Supported for 64 bits.
    pub of64: bool,
}

/// Float widths whose modes can be set independently of the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Independence {
    /// No width: one mode for all.
    #[default]
    None,
    /// 32 bits only.
    Of32,
    /// Every width.
    All,
}

/// A device: kind, features and numeric guarantees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct About {
    /// Name that the device reports.
    pub name: String,
    /// Kind of device.
    pub kind: DeviceKind,
    /// Driver and its version, as far as reported.
    pub driver: String,
    /// The version of Vulkan.
    pub api: [u32; 3],
    /// Supports 64-bit floats.
    pub float64: bool,
    /// Supports 64-bit integers.
    pub int64: bool,
    /// Has geometry shaders, without which fragments cannot read the number of their triangle.
    pub geometry_shaders: bool,
    /// Reports float controls, by Vulkan 1.2 or `VK_KHR_shader_float_controls`; otherwise the fields
    /// below are false or `None`.
    pub has_float_controls: bool,
    /// Widths for which a module can demand that subnormal numbers be kept (`DenormPreserve`).
    pub denorm_preserve: FloatWidths,
    /// Widths for which a module can demand rounding to nearest even (`RoundingModeRTE`).
    pub rounding_mode_rte: FloatWidths,
    /// Widths for which a module can demand that signed zeros, infinities and NaNs be kept
    /// (`SignedZeroInfNanPreserve`).
    pub signed_zero_inf_nan_preserve: FloatWidths,
    /// Widths whose treatment of subnormal numbers is independent.
    pub denorm_independence: Independence,
    /// Widths whose rounding is independent.
    pub rounding_independence: Independence,
}

impl About {
    /// Supports floats and integers of 64 bits.
    pub fn has_64_bits(&self) -> bool {
        self.float64 && self.int64
    }

    /// True if a module can demand that subnormal numbers of 32 bits be kept, and with `float64`, which
    /// says that it uses 64-bit floats, those of 64 bits too.
    pub fn keeps_subnormals(&self, float64: bool) -> bool {
        self.denorm_preserve.of32
            && match float64 {
                true => self.denorm_preserve.of64,
                false => self.denorm_independence != Independence::None,
            }
    }

    /// Options for exact modules on this device. `fused`: its `fma` rounds once (see
    /// [`Device::exact`](crate::Device::exact)). `flushes`: subnormal numbers may become zero; the
    /// output at `report` then marks the pixels that met one.
    pub fn exact(&self, fused: bool, flushes: bool, report: Option<u32>) -> EmitOptions {
        let float64 = self.has_64_bits();
        let demanded = self.float_controls(float64);
        let subnormals = match flushes {
            true => Subnormals::Flush,
            false if demanded.subnormals => Subnormals::Preserve,
            false => Subnormals::Integers,
        };
        EmitOptions {
            float_controls: FloatControls {
                subnormals: subnormals == Subnormals::Preserve,
                ..demanded
            },
            exact: Some(Exact {
                float64,
                fused,
                subnormals,
                report: report.filter(|_| flushes),
                registers: self.kind == DeviceKind::Cpu,
            }),
            ..EmitOptions::default()
        }
    }

    /// Float controls that a module can demand, with or without 64-bit floats.
    pub fn float_controls(&self, float64: bool) -> FloatControls {
        let zeros = self.signed_zero_inf_nan_preserve;
        let rounding = self.rounding_mode_rte;
        FloatControls {
            signed_zeros: zeros.of32 && (!float64 || zeros.of64),
            rounding: rounding.of32
                && match float64 {
                    true => rounding.of64,
                    false => self.rounding_independence != Independence::None,
                },
            subnormals: self.keeps_subnormals(float64),
        }
    }
}

/// Chooses a device by number, by name or by part of a name, ignoring case; by default the first GPU,
/// or, without one, the first device.
pub(crate) fn choose(all: &[About], wanted: Option<&str>) -> Result<usize, Error> {
    let there = || all.iter().map(|about| about.name.clone()).collect();
    let Some(wanted) = wanted else {
        let best = all.iter().enumerate().min_by_key(|(number, about)| (about.kind, *number));
        return best.map(|(number, _)| number).ok_or(Error::NoDevice);
    };
    let unknown = || Error::UnknownDevice { wanted: wanted.to_owned(), there: there() };
    if let Ok(number) = wanted.parse::<usize>() {
        return if number < all.len() { Ok(number) } else { Err(unknown()) };
    }
    let lower = wanted.trim().to_lowercase();
    let matching = |test: &dyn Fn(&str) -> bool| -> Vec<usize> {
        let names = all.iter().map(|about| about.name.to_lowercase()).enumerate();
        names.filter(|(_, name)| test(name)).map(|(number, _)| number).collect()
    };
    let mut found = matching(&|name| name == lower);
    if found.is_empty() && !lower.is_empty() {
        found = matching(&|name| name.contains(&lower));
    }
    match found[..] {
        [one] => Ok(one),
        [] => Err(unknown()),
        _ => Err(Error::AmbiguousDevice { wanted: wanted.to_owned(), there: there() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn about(name: &str, kind: DeviceKind) -> About {
        About {
            name: name.to_owned(),
            kind,
            driver: String::new(),
            api: [1, 2, 0],
            float64: false,
            int64: false,
            geometry_shaders: false,
            has_float_controls: false,
            denorm_preserve: FloatWidths::default(),
            rounding_mode_rte: FloatWidths::default(),
            signed_zero_inf_nan_preserve: FloatWidths::default(),
            denorm_independence: Independence::None,
            rounding_independence: Independence::None,
        }
    }

    #[test]
    fn devices_are_chosen() {
        let all = [
            about("llvmpipe (LLVM 15)", DeviceKind::Cpu),
            about("Intel Arc 770", DeviceKind::Discrete),
            about("Intel Arc 770 Pro", DeviceKind::Discrete),
        ];
        assert_eq!(choose(&all, None), Ok(1));
        assert_eq!(choose(&all, Some("0")), Ok(0));
        assert_eq!(choose(&all, Some("LLVM")), Ok(0));
        assert_eq!(choose(&all, Some("intel arc 770")), Ok(1), "a whole name is no part of one");
        assert_eq!(choose(&all, Some("pro")), Ok(2));
        for (wanted, message) in [
            ("3", "there is no device `3`; there is\n  0: llvmpipe (LLVM 15)\n  1: Intel"),
            ("nvidia", "there is no device `nvidia`; there is\n  0: llvmpipe"),
            ("", "there is no device ``"),
            ("intel", "`intel` is part of several names; say the number"),
        ] {
            let error = choose(&all, Some(wanted)).expect_err(wanted);
            assert!(error.to_string().starts_with(message), "{error}");
        }
        assert_eq!(choose(&[], None), Err(Error::NoDevice));
    }

    #[test]
    fn subnormals_are_kept_where_the_widths_allow_it() {
        let all = FloatWidths { of32: true, of64: true };
        let mut about = About {
            denorm_preserve: FloatWidths { of32: true, of64: false },
            rounding_mode_rte: all,
            signed_zero_inf_nan_preserve: all,
            ..about("x", DeviceKind::Other)
        };
        assert!(!about.keeps_subnormals(false) && !about.keeps_subnormals(true));
        assert!(about.float_controls(false).signed_zeros && !about.float_controls(false).rounding);
        about.denorm_independence = Independence::Of32;
        assert!(about.keeps_subnormals(false) && !about.keeps_subnormals(true));
        assert!(!about.float_controls(false).rounding, "rounding is for all widths or none");
        about.rounding_independence = Independence::All;
        assert!(about.float_controls(false).rounding);
        about.denorm_preserve.of64 = true;
        assert!(about.keeps_subnormals(true));
    }

    #[test]
    fn what_a_device_promises_decides_how_it_is_exact() {
        let all = FloatWidths { of32: true, of64: true };
        let able = About {
            float64: true,
            int64: true,
            geometry_shaders: true,
            denorm_preserve: all,
            rounding_mode_rte: all,
            signed_zero_inf_nan_preserve: all,
            denorm_independence: Independence::All,
            rounding_independence: Independence::All,
            ..about("able", DeviceKind::Discrete)
        };
        let only32 = FloatWidths { of32: true, of64: false };
        let halfway = About { denorm_preserve: only32, ..able.clone() };
        let plain = About { int64: false, denorm_preserve: FloatWidths::default(), ..able.clone() };
        use Subnormals::{Flush, Integers, Preserve};
        for (about, float64, exact) in
            [(&able, true, Preserve), (&halfway, true, Integers), (&plain, false, Integers)]
        {
            for (flushes, subnormals, report) in [(false, exact, None), (true, Flush, Some(1))] {
                for fused in [false, true] {
                    let found = about.exact(fused, flushes, Some(1));
                    let controls =
                        FloatControls { subnormals: subnormals == Preserve, ..FloatControls::ALL };
                    let expected = Exact { float64, fused, subnormals, report, registers: false };
                    let found = (found.float_controls, found.exact);
                    assert_eq!(found, (controls, Some(expected)), "{about:?}");
                }
            }
        }
    }
}
