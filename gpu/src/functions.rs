//! Accuracy of a device's elementary functions.
//!
//! Each function is computed for 65,536 evenly spaced arguments.

use crate::difference::ulps;
use crate::error::Error;
use crate::probe::{Operands, apply};
use crate::vulkan::{Device, Patience};
use lambdav_core::op::{Elementary, Op};
use lambdav_core::types::Scalar;
use lambdav_spirv_backend::emit::EmitOptions;
use std::fmt;

/// Arguments for each parameter of a function of two.
const SIDE: u32 = 256;

/// Arguments `from`, `from + step` … of one parameter.
#[derive(Clone, Copy, Debug)]
struct Range {
    from: f32,
    step: f32,
}

impl Range {
    /// `count` numbers from `from`, the last of them one step before `to`.
    const fn new(from: f32, to: f32, count: u32) -> Self {
        Self { from, step: (to - from) / count as f32 }
    }

    /// The middles of `count` steps from `from` to `to`.
    const fn between(from: f32, to: f32, count: u32) -> Self {
        let all = Self::new(from, to, count);
        Self { from: from + all.step / 2.0, ..all }
    }

    fn at(self, index: u32) -> f32 {
        self.from + self.step * index as f32
    }
}

/// Accuracy that Vulkan demands of a function in 32 bits ("Precision of GLSL.std.450 Instructions").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// An absolute error of at most 2⁻¹¹, between −π and π.
    Absolute,
    /// 4096 ULP.
    Ulps,
    /// 3 + 2·|x| ULP.
    Exponential,
    /// 3 ULP; between ½ and 2, an absolute error of 2⁻²¹.
    Logarithm,
    /// No bound of its own: the error follows from a formula in other functions.
    Inherited,
}

impl Demand {
    /// The accuracy that Vulkan demands of a function.
    pub fn of(function: Elementary) -> Self {
        match function {
            Elementary::Sin | Elementary::Cos => Self::Absolute,
            Elementary::Atan | Elementary::Atan2 => Self::Ulps,
            Elementary::Exp | Elementary::Exp2 => Self::Exponential,
            Elementary::Log | Elementary::Log2 => Self::Logarithm,
            _ => Self::Inherited,
        }
    }

    /// The bound in words.
    pub fn text(self) -> &'static str {
        match self {
            Self::Absolute => "2⁻¹¹ absolute",
            Self::Ulps => "4096 ULP",
            Self::Exponential => "3 + 2·\\|x\\| ULP",
            Self::Logarithm => "3 ULP; 2⁻²¹ absolute in [½, 2]",
            Self::Inherited => "inherited",
        }
    }

    /// Largest absolute distance that a device's result for the argument `x` may have from the correctly
    /// rounded result. If Vulkan leaves the error to a formula, the bound is 2⁻⁸, relative above 1:
    /// enough to tell one function from another.
    fn allows(self, x: f32, result: f32) -> f64 {
        // Half a unit more for the rounding of the reference result.
        let ulp = f64::from(result.abs().next_up()) - f64::from(result.abs());
        let ulps = |count: f64| (count + 0.5) * ulp;
        let (x, result) = (f64::from(x), f64::from(result));
        match self {
            Self::Absolute => 2.0_f64.powi(-11) + ulps(0.0),
            Self::Ulps => ulps(4096.0),
            Self::Exponential => ulps(3.0 + 2.0 * x.abs()),
            Self::Logarithm if (0.5..=2.0).contains(&x) => 2.0_f64.powi(-21) + ulps(0.0),
            Self::Logarithm => ulps(3.0),
            Self::Inherited => result.abs().max(1.0) * 2.0_f64.powi(-8),
        }
    }
}

/// The arguments of a function; the second parameter varies by column.
fn ranges(function: Elementary) -> (Range, Option<Range>) {
    let (all, side) = (SIDE * SIDE, SIDE);
    let one = |from, to| (Range::new(from, to, all), None);
    match function {
        Elementary::Sin | Elementary::Cos => one(-3.125, 3.125),
        Elementary::Tan => one(-1.25, 1.25),
        Elementary::Asin | Elementary::Acos => one(-1.0, 1.0),
        Elementary::Atanh => (Range::between(-1.0, 1.0, all), None),
        Elementary::Acosh => one(1.0, 17.0),
        Elementary::Sinh | Elementary::Cosh | Elementary::Tanh => one(-8.0, 8.0),
        Elementary::Atan | Elementary::Asinh | Elementary::Exp | Elementary::Exp2 => {
            one(-16.0, 16.0)
        }
        Elementary::Log | Elementary::Log2 => (Range::between(0.0, 16.0, all), None),
        Elementary::Atan2 => {
            let off_the_axes = Range::between(-4.0, 4.0, side);
            (off_the_axes, Some(off_the_axes))
        }
        Elementary::Pow => (Range::between(0.0, 8.0, side), Some(Range::new(-4.0, 4.0, side))),
    }
}

/// Measured accuracy of a function on a device.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The function.
    pub function: Elementary,
    /// Number of arguments.
    pub arguments: usize,
    /// Smallest and largest argument of each parameter.
    pub ranges: Vec<[f32; 2]>,
    /// Number of results that are not correctly rounded.
    pub wrong: usize,
    /// The largest distance from the correctly rounded result in ULP, with its arguments.
    pub ulps: (u32, [f32; 2]),
    /// The largest absolute distance.
    pub absolute: f64,
    /// The arguments whose distance exceeds Vulkan's bound.
    pub beyond: Vec<[f32; 2]>,
}

/// Computes a function on a device, in modules emitted with `options`, and compares it with the
/// reference mathematics.
///
/// # Errors
///
/// Errors of [`apply`].
pub fn measure(
    device: &Device,
    options: &EmitOptions,
    function: Elementary,
    patience: Patience<'_>,
) -> Result<Measured, Error> {
    let (first, second) = ranges(function);
    let arguments: Vec<[f32; 2]> = (0..SIDE * SIDE)
        .map(|index| match second {
            None => [first.at(index), 0.0],
            Some(second) => [first.at(index / SIDE), second.at(index % SIDE)],
        })
        .collect();
    let operands: Vec<Operands> =
        arguments.iter().map(|[x, y]| [x.to_bits(), y.to_bits(), 0]).collect();
    let (op, of) = (Op::Elementary(function), [Scalar::F32; 2]);
    let results = apply(device, options, op, &of[..function.arity()], &operands, patience)?;
    let end = SIDE - 1;
    let ends = |range: Range, last| [range.at(0), range.at(last)];
    let ranges = match second {
        None => vec![ends(first, SIDE * SIDE - 1)],
        Some(second) => vec![ends(first, end), ends(second, end)],
    };
    let mut measured = Measured {
        function,
        arguments: arguments.len(),
        ranges,
        wrong: 0,
        ulps: (0, [0.0; 2]),
        absolute: 0.0,
        beyond: Vec::new(),
    };
    for (&[x, y], word) in arguments.iter().zip(results) {
        let (expected, found) = (function.evaluate(x, y), f32::from_bits(word));
        if expected.to_bits() == found.to_bits() {
            continue;
        }
        measured.wrong += 1;
        let distance = ulps(expected, found);
        if distance > measured.ulps.0 {
            measured.ulps = (distance, [x, y]);
        }
        let absolute = (f64::from(expected) - f64::from(found)).abs();
        measured.absolute = measured.absolute.max(absolute);
        let allowed = Demand::of(function).allows(x, expected);
        if absolute.is_nan() || absolute > allowed {
            measured.beyond.push([x, y]);
        }
    }
    Ok(measured)
}

/// The table of all functions, as Markdown.
///
/// # Errors
///
/// Errors of [`measure`].
pub fn table(
    device: &Device,
    options: &EmitOptions,
    patience: Patience<'_>,
) -> Result<String, Error> {
    let mut text = String::from(
        "| function | arguments | not nearest | ULP at most | where | absolute at most | Vulkan demands |\n\
         |---|---|---:|---:|---|---:|---|\n",
    );
    for function in Elementary::ALL {
        let measured = measure(device, options, function, patience)?;
        text += &format!("{measured}\n");
    }
    Ok(text)
}

/// A row of the table.
impl fmt::Display for Measured {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { function, ulps: (ulps, at), absolute, .. } = self;
        let ranges: Vec<String> =
            self.ranges.iter().map(|[from, to]| format!("{from:.3} … {to:.3}")).collect();
        let percent = 100.0 * self.wrong as f64 / self.arguments as f64;
        let at: Vec<String> = at[..function.arity()].iter().map(f32::to_string).collect();
        write!(
            f,
            "| `{}` | {} | {percent:.1} % | {ulps} | {} | {absolute:.1e} | {} |",
            function.name(),
            ranges.join(", "),
            at.join(", "),
            Demand::of(*function).text()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arguments are exact under any order of operations and any fusing, and every result is finite.
    #[test]
    fn arguments_are_exact() {
        for function in Elementary::ALL {
            let (first, second) = ranges(function);
            assert_eq!(second.is_some(), function.arity() == 2);
            let count = if second.is_some() { SIDE } else { SIDE * SIDE };
            for range in [Some(first), second].into_iter().flatten() {
                for index in 0..count {
                    let product = f64::from(range.step) * f64::from(index);
                    let exact = f64::from(range.from) + product;
                    assert_eq!(product, f64::from(product as f32));
                    assert_eq!(exact, f64::from(range.at(index)));
                    let y = second.map_or(0.0, |range| range.at(index));
                    let result = function.evaluate(first.at(index), y);
                    assert!(result.is_finite(), "{function:?} {exact}");
                }
            }
        }
    }
}
