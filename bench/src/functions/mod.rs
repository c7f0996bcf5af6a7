//! Nanoseconds per value of each elementary function: in machine code at each number of lanes, beside
//! CORE-MATH (one value after the other), and beside polynomials in single precision.
//!
//! Each pixel sums the function at 64 arguments. They are spread evenly over a typical range, or over the
//! exponents of all finite numbers that are not negative (rows that end in `any`), but in scrambled order, so that branches on the argument are as unpredictable as in a varied picture. All times
//! but `own` include the loop and the arguments. `own` is the time at the default number of lanes minus the
//! time of the same loop summing the arguments themselves: the cost that a function adds to a program. All
//! sums are equal in every bit, except those of the polynomials.

mod oracle;
mod polynomial;
mod program;

use crate::BenchArguments;
use crate::table::Table;
use crate::timing::{Clock, Subject, Summary};
use clap::Args;
use lambdav_core::op::Elementary;
use lambdav_simd_backend::Target;
use lambdav_simd_backend::registers::Shape;
use program::{Compiled, PIXELS, Value};
use serde::Serialize;
use std::hint::black_box;
use std::io;

/// A function, and the ranges of its operands.
#[derive(Clone, Copy, Debug)]
struct Domain {
    /// The name, if it is not the function's.
    name: Option<&'static str>,
    function: Elementary,
    /// Minimum and maximum of the first operand; if `None`, its bits are evenly spread.
    x: Option<[f32; 2]>,
    /// Minimum and maximum of the second operand.
    y: [f32; 2],
}

const DOMAINS: [Domain; 21] = {
    use Elementary::*;
    const fn of(function: Elementary, low: f32, high: f32) -> Domain {
        Domain { name: None, function, x: Some([low, high]), y: [0.0, 0.0] }
    }
    const fn of_any(name: &'static str, function: Elementary) -> Domain {
        Domain { name: Some(name), function, x: None, y: [0.0, 0.0] }
    }
    const fn of_two(function: Elementary, x: [f32; 2], y: [f32; 2]) -> Domain {
        Domain { name: None, function, x: Some(x), y }
    }
    [
        of(Sin, -10.0, 10.0),
        of(Cos, -10.0, 10.0),
        of(Tan, -10.0, 10.0),
        of(Asin, -1.0, 1.0),
        of(Acos, -1.0, 1.0),
        of(Atan, -10.0, 10.0),
        of(Sinh, -10.0, 10.0),
        of(Cosh, -10.0, 10.0),
        of(Tanh, -4.0, 4.0),
        of(Asinh, -10.0, 10.0),
        of(Acosh, 1.0, 100.0),
        of(Atanh, -0.99, 0.99),
        of(Exp, -10.0, 10.0),
        of(Exp2, -10.0, 10.0),
        of(Log, 0.01, 100.0),
        of(Log2, 0.01, 100.0),
        of_two(Atan2, [-10.0, 10.0], [-10.0, 10.0]),
        of_two(Pow, [0.01, 10.0], [-4.0, 4.0]),
        of_any("sin-any", Sin),
        of_any("cos-any", Cos),
        of_any("tan-any", Tan),
    ]
};

impl Domain {
    fn name(&self) -> &'static str {
        self.name.unwrap_or(self.function.name())
    }

    /// True if a polynomial in single precision is compared. It is accurate for small arguments alone.
    fn has_polynomial(&self) -> bool {
        self.x.is_some() && polynomial::exists(self.function)
    }
}

#[derive(Args)]
pub(crate) struct FunctionOptions {
    #[command(flatten)]
    options: BenchArguments,
    /// Registers to compile for; by default the widest of this machine
    #[arg(long, value_name = "NAME", value_parser = clap::builder::PossibleValuesParser::new(Target::here()))]
    target: Option<String>,
}

/// A row of the table; times are nanoseconds per value.
#[derive(Serialize)]
struct Row {
    name: &'static str,
    /// Time of CORE-MATH.
    oracle: Summary,
    /// Times at each number of lanes.
    lanes: Vec<Timed>,
    /// Times of the polynomial at each number of lanes, if there is one.
    polynomial: Option<Vec<Timed>>,
    /// The default number of lanes.
    default_lanes: u32,
    /// Time at the default number of lanes, without the loop and the arguments.
    own: Summary,
    /// Time of CORE-MATH over time at the best number of lanes.
    speed: Summary,
    /// Time over the polynomial's time, both at the default number of lanes.
    time: Option<Summary>,
}

#[derive(Clone, Copy, Serialize)]
struct Timed {
    lanes: u32,
    time: Summary,
}

/// Measures and prints.
pub(crate) fn run(FunctionOptions { options, target }: &FunctionOptions) -> io::Result<()> {
    let target = match target {
        None => Target::host(),
        Some(name) => Target::named(name).map(|known| known.expect("one of them")),
    };
    let target = target.map_err(io::Error::other)?;
    let mut columns = vec![("function", 10), ("oracle", 7)];
    let lanes = Shape::LANES.map(|lanes| format!("x{lanes}"));
    columns.extend(lanes.iter().map(|name| (name.as_str(), 7)));
    columns.extend([("default", 7), ("own", 6), ("speed", 6), ("time", 6)]);
    println!(
        "nanoseconds per value; own: default, less loop and arguments; speed: oracle / best; time: default / polynomial at its lanes"
    );
    let table = Table::new(&columns);
    let mut rows = Vec::new();
    for domain in DOMAINS.iter().filter(|domain| options.wants(domain.name())) {
        let row = measure(domain, options.runs(), &target);
        print(&table, &row);
        rows.push(row);
    }
    options.save(&rows)
}

fn print(table: &Table, row: &Row) {
    let number = |value: f64| format!("{value:.2}");
    let or_nothing = |value: Option<Summary>| value.map_or(String::new(), |s| number(s.median));
    let lanes = |times: &[Timed]| times.iter().map(|t| number(t.time.median)).collect::<Vec<_>>();
    let mut cells = vec![row.name.to_owned(), number(row.oracle.median)];
    cells.extend(lanes(&row.lanes));
    let default = format!("x{}", row.default_lanes);
    let [own, speed] = [row.own, row.speed].map(|summary| number(summary.median));
    cells.extend([default, own, speed, or_nothing(row.time)]);
    table.row(cells);
    if let Some(times) = &row.polynomial {
        let mut cells = vec!["  in f32".to_owned(), String::new()];
        cells.extend(lanes(times));
        table.row(cells);
    }
}

/// Measures a row.
fn measure(domain: &Domain, runs: usize, target: &Target) -> Row {
    let compile = |value| -> Vec<Compiled> {
        let lanes = Shape::LANES.into_iter();
        lanes.map(|lanes| Compiled::new(domain, Some(lanes), value, target)).collect()
    };
    let mut compiled = compile(Value::Function);
    let default_lanes = Compiled::new(domain, None, Value::Function, target).lanes();
    let lanes_of_function = compiled.len();
    let has_polynomial = domain.has_polynomial();
    if has_polynomial {
        compiled.extend(compile(Value::Polynomial));
    }
    let mut wanted = vec![[0.0; 4]; PIXELS];
    oracle::sums(domain, &mut wanted);
    check(domain, &compiled[..lanes_of_function], &wanted);
    compiled.push(Compiled::new(domain, Some(default_lanes), Value::Arguments, target));

    let mut subjects: Vec<Subject<'_>> = compiled
        .iter()
        .map(|compiled| {
            let mut pixels = vec![[0.0; 4]; PIXELS];
            Box::new(move || {
                compiled.run(&mut pixels);
                black_box(&pixels);
            }) as Subject<'_>
        })
        .collect();
    let mut pixels = vec![[0.0; 4]; PIXELS];
    subjects.push(Box::new(move || {
        oracle::sums(domain, &mut pixels);
        black_box(&pixels);
    }));
    let times = Clock::Processor.interleaved(runs, &mut subjects);
    let nanoseconds = 1e6 / program::VALUES as f64;
    let summaries: Vec<Summary> =
        times.iter().map(|times| Summary::of(times).scaled(nanoseconds)).collect();
    let timed: Vec<Timed> = compiled
        .iter()
        .zip(&summaries)
        .map(|(compiled, &time)| Timed { lanes: compiled.lanes(), time })
        .collect();
    let (lanes, others) = timed.split_at(lanes_of_function);
    let polynomial = has_polynomial.then(|| others[..lanes_of_function].to_vec());
    let (arguments, oracle) = (times.len() - 2, times.len() - 1);
    let medians = summaries[..lanes_of_function].iter().map(|summary| summary.median);
    let best = (0..).zip(medians).min_by(|(_, a), (_, b)| a.total_cmp(b)).map_or(0, |(i, _)| i);
    let default = Shape::LANES.iter().position(|&lanes| lanes == default_lanes).unwrap_or(0);
    let ratio = |first: usize, second: usize| Summary::of_ratios(&times[first], &times[second]);
    let less_arguments = times[default].iter().zip(&times[arguments]).map(|(a, b)| a - b);
    Row {
        name: domain.name(),
        oracle: summaries[oracle],
        default_lanes,
        own: Summary::of(&less_arguments.collect::<Vec<_>>()).scaled(nanoseconds),
        speed: ratio(oracle, best),
        time: has_polynomial.then(|| ratio(default, lanes_of_function + default)),
        lanes: lanes.to_vec(),
        polynomial,
    }
}

/// Checks that all subjects compute the oracle's bits.
fn check(domain: &Domain, compiled: &[Compiled], wanted: &[[f32; 4]]) {
    for compiled in compiled {
        let mut pixels = vec![[0.0; 4]; PIXELS];
        compiled.run(&mut pixels);
        let differ = pixels.iter().zip(wanted).filter(|(a, b)| a[0].to_bits() != b[0].to_bits());
        assert_eq!(differ.count(), 0, "{domain:?} at {} lanes: sums that differ", compiled.lanes());
    }
}

#[cfg(test)]
mod tests {
    use lambdav_simd_backend::Target;
    use lambdav_simd_backend::registers::Shape;

    use super::program::{Compiled, PIXELS, Value};
    use super::{DOMAINS, check, oracle};

    fn host() -> Target {
        Target::host().expect("a machine that is not too old")
    }

    /// All sums equal the oracle's, at every number of lanes.
    #[test]
    fn functions_are_the_oracles() {
        for domain in &DOMAINS {
            let mut wanted = vec![[0.0; 4]; PIXELS];
            oracle::sums(domain, &mut wanted);
            let compiled = |n| Compiled::new(domain, Some(n), Value::Function, &host());
            check(domain, &Shape::LANES.map(compiled), &wanted);
        }
    }

    /// Polynomials of single precision have small errors.
    #[test]
    fn polynomials_are_near() {
        for domain in DOMAINS.iter().filter(|domain| domain.has_polynomial()) {
            let (mut wanted, mut found) = (vec![[0.0; 4]; PIXELS], vec![[0.0; 4]; PIXELS]);
            oracle::sums(domain, &mut wanted);
            for lanes in [1, 4, 16] {
                let value = Value::Polynomial;
                Compiled::new(domain, Some(lanes), value, &host()).run(&mut found);
                for ([found, ..], [wanted, ..]) in found.iter().zip(&wanted) {
                    let off = (found - wanted).abs();
                    assert!(off <= 1e-6 * wanted.abs().max(16.0), "{found} for {wanted}");
                }
            }
        }
    }
}
