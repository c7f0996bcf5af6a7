//! Random programs: core = oracle, whole, sliced, and after core text; raised core = eval_S, before and after spirv-opt.

use lambdav_memory_tests::{Verdict, compare, compare_layouts, compare_reports, generate};
use lambdav_test_support::{has_tool, in_parallel, seeds};

/// `PROGRAMS` and `SEED` choose.
fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn core_and_oracle_agree() {
    let (programs, first) = (number("PROGRAMS", 400), number("SEED", 1));
    let optimises = has_tool("spirv-opt");
    let verdict = |seed: u64| {
        let is_optimised = optimises && seed.is_multiple_of(8);
        let verdict = compare(&generate(seed), seed, is_optimised);
        verdict.unwrap_or_else(|mismatch| panic!("program {seed}: {mismatch}"))
    };
    let verdicts = in_parallel(first..first + programs, verdict);
    let count = |is_it: fn(&Verdict) -> bool| verdicts.iter().filter(|of| is_it(of)).count() as u64;
    let (ordered, divergent) = (count(|of| of.depends_on_order), count(|of| of.is_divergent));
    println!("{ordered} depend on the order, {divergent} have a divergent barrier");
    assert!(ordered > programs / 6 && divergent > 0);
    let count = |of: fn(&Verdict) -> usize| verdicts.iter().map(of).sum::<usize>() as u64;
    let executions = count(|of| of.executions);
    let lanes = count(|of| of.tiers[0]);
    let (threads, both) = (count(|of| of.tiers[1]), count(|of| of.tiers[2]));
    let faults = count(|of| of.faults);
    println!(
        "{executions} executions: {lanes} in lanes, {threads} in threads, {both} in both; {faults} faults"
    );
    assert!(executions > 4 * programs && faults > programs / 4);
    assert!(both > programs / 4 && lanes > programs / 20 && threads > programs / 100);
}

/// Buffers of many layouts: the raised core = eval_S.
#[test]
fn layouts_agree() {
    let (programs, first) = (number("PROGRAMS", 400), number("SEED", 1));
    let optimises = has_tool("spirv-opt");
    let text = |seed: u64| {
        let text = compare_layouts(seed, optimises && seed.is_multiple_of(8));
        text.unwrap_or_else(|mismatch| panic!("text {seed}: {mismatch}"))
    };
    let texts = in_parallel(first..first + programs, text);
    let count = |part: &str| texts.iter().filter(|text| text.contains(part)).count() as u64;
    let (matrices, lengths) = (count("row_major"), count(".length()"));
    assert!(matrices > programs / 8 && lengths > programs / 20, "{matrices} and {lengths}");
}

/// Reports of machine code are those of the core evaluator.
#[test]
fn reports_agree() {
    let lines = |seed: u64| {
        compare_reports(seed).unwrap_or_else(|mismatch| panic!("program {seed}: {mismatch}"))
    };
    let lines = in_parallel(seeds("REPORTED", 1..201), lines);
    let (all, with_some) =
        (lines.iter().sum::<usize>(), lines.iter().filter(|&&of| of > 0).count());
    println!("{all} lines of {with_some} programs");
    assert!(with_some > lines.len() / 4);
}
