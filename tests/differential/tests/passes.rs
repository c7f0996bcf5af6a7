//! Programs with passes: all engines, and modules for devices, have the same results.

use lambdav_differential::{PassProfile, check_passes, pass_program};
use lambdav_test_support::in_parallel;

#[test]
fn engines_agree_on_passes() {
    let profile = |number: u64| {
        let (program, conditions) = pass_program(3, number, 100);
        let profile = check_passes(&program, conditions);
        profile.unwrap_or_else(|what| panic!("{number}: {what}\n{program}"))
    };
    let all = in_parallel(0..250, profile);
    let count = |is_it: fn(&PassProfile) -> bool| all.iter().filter(|of| is_it(of)).count();
    let (faults, ordered) = (count(|of| of.has_fault), count(|of| of.is_ordered));
    let results = count(|of| of.has_results);
    println!("{faults} with a fault, {ordered} for devices, {results} with results");
    // The campaign shows something.
    assert!(faults >= 10 && ordered >= 30 && results >= 120, "{faults} {ordered} {results}");
}
