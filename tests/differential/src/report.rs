//! Bugs found by a campaign, and statistics of its programs.

use crate::campaign::Found;
use crate::profile::Profile;
use lambdav_core::op::Op;
use std::collections::BTreeMap;
use std::fmt;

/// Sums over all programs.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// Number of checked programs.
    pub programs: u64,
    /// Number of their images.
    pub images: u64,
    /// Number of programs, or images, of each kind.
    pub counts: BTreeMap<String, u64>,
    /// Number of programs that execute each operation.
    pub operations: BTreeMap<Op, u64>,
    /// The bugs, in order of programs.
    pub found: Vec<Found>,
}

/// Images that are neither constant nor all NaN.
pub(crate) const VARIED: &str = "images neither constant nor NaN";
/// Programs with a divergent loop inside a divergent `if`.
pub(crate) const LOOP_IN_IF: &str = "divergent loop inside a divergent if";

impl Report {
    /// Adds a program in which no bug was found.
    pub(crate) fn add(&mut self, profile: &Profile) {
        self.programs += 1;
        self.images += u64::from(profile.images);
        let Profile { special, .. } = profile;
        for (kind, count) in [
            (VARIED, profile.varied_images),
            (LOOP_IN_IF, profile.divergent_loop_in_if.into()),
            ("divergent loop", profile.divergent_loop.into()),
            ("divergent loop inside a divergent loop", profile.divergent_loop_in_loop.into()),
            ("divergent if inside a divergent loop", profile.divergent_if_in_loop.into()),
            ("divergent if", (profile.divergent_depth >= 1).into()),
            ("divergent ifs three deep", (profile.divergent_depth >= 3).into()),
            ("loops two deep", (profile.loop_depth >= 2).into()),
            ("loops three deep", (profile.loop_depth >= 3).into()),
            ("integers arise", special.integer.into()),
            ("an integer goes round a loop", profile.integer_in_loop.into()),
            ("an integer in divergent code", profile.divergent_integer.into()),
            ("structures", profile.aggregates[0].into()),
            ("variants", profile.aggregates[1].into()),
            ("arrays", profile.aggregates[2].into()),
            ("an aggregate goes round a loop", profile.aggregate_in_loop.into()),
            ("an array is updated in a loop", profile.update_in_loop.into()),
            ("a divergent case", profile.divergent_case.into()),
            ("`@`", profile.eager.into()),
            ("an `@` that saves control flow", profile.partial.into()),
            ("refused, since an `@` unrolls without end", profile.endless_rounds.into()),
            ("constants", profile.constant.into()),
            ("guards", profile.guarded.into()),
            ("NaN arises", special.nan.into()),
            ("infinity arises", special.infinity.into()),
            ("subnormal arises", special.subnormal.into()),
            ("limit of loops exceeded", profile.limited.into()),
            ("out of fuel", profile.out_of_fuel.into()),
        ] {
            *self.counts.entry(kind.to_owned()).or_default() += u64::from(count);
        }
        for engine in &profile.gave_up {
            *self.counts.entry(format!("{engine} gave up at some pixel")).or_default() += 1;
        }
        for &operation in &profile.operations {
            *self.operations.entry(operation).or_default() += 1;
        }
    }

    /// Percentage of that kind.
    fn share(&self, kind: &str) -> f64 {
        let whole = if kind == VARIED { self.images } else { self.programs };
        100.0 * self.counts.get(kind).copied().unwrap_or(0) as f64 / whole.max(1) as f64
    }

    /// Percentage of images that are neither constant nor all NaN.
    pub fn varied_images(&self) -> f64 {
        self.share(VARIED)
    }

    /// Percentage of programs with a divergent loop inside a divergent `if`.
    pub fn divergent_loops_in_ifs(&self) -> f64 {
        self.share(LOOP_IN_IF)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for found in &self.found {
            writeln!(f, "{found}")?;
        }
        writeln!(
            f,
            "programs: {}, images: {}, bugs: {}",
            self.programs,
            self.images,
            self.found.len()
        )?;
        for kind in self.counts.keys() {
            writeln!(f, "{:5.1} %  {kind}", self.share(kind))?;
        }
        let mut operations: Vec<_> = self.operations.iter().map(|(op, n)| (*n, op)).collect();
        operations.sort();
        write!(f, "{} different operations executed, most rarely:", operations.len())?;
        for (count, operation) in operations.iter().take(8) {
            write!(f, " {operation:?} {count}")?;
        }
        writeln!(f)
    }
}
