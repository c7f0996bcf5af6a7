//! Random programs: core = oracle, whole, sliced, and after core text.

use lambdav_memory_tests::{Verdict, compare, generate};

/// `PROGRAMS` and `SEED` choose.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn core_and_oracle_agree() {
    let (programs, first) = (number("PROGRAMS", 400), number("SEED", 1));
    let mut verdicts = Vec::new();
    for seed in first..first + programs {
        match compare(&generate(seed)) {
            Ok(verdict) => verdicts.push(verdict),
            Err(mismatch) => panic!("program {seed}: {mismatch}"),
        }
    }
    let count = |is_it: fn(&Verdict) -> bool| verdicts.iter().filter(|of| is_it(of)).count() as u64;
    let (ordered, divergent) = (count(|of| of.depends_on_order), count(|of| of.is_divergent));
    println!("{ordered} depend on the order, {divergent} have a divergent barrier");
    assert!(ordered > programs / 6 && divergent > 0);
    let count = |of: fn(&Verdict) -> usize| verdicts.iter().map(of).sum::<usize>() as u64;
    let (executions, at_once) = (count(|of| of.executions), count(|of| of.at_once));
    let faults = count(|of| of.faults);
    println!("{executions} executions, {at_once} by threads, {faults} faults");
    assert!(executions > 4 * programs && at_once > programs / 4 && faults > programs / 4);
}
