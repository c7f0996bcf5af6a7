//! Programs with passes: all engines, and modules for devices, have the same results.

use lambdav_differential::{check_passes, pass_program};

#[test]
fn engines_agree_on_passes() {
    let (mut faults, mut ordered, mut results) = (0, 0, 0);
    for number in 0..250 {
        let (program, conditions) = pass_program(3, number, 100);
        let profile = check_passes(&program, conditions);
        let profile = profile.unwrap_or_else(|what| panic!("{number}: {what}\n{program}"));
        faults += u32::from(profile.has_fault);
        ordered += u32::from(profile.is_ordered);
        results += u32::from(profile.has_results);
    }
    println!("{faults} with a fault, {ordered} for devices, {results} with results");
    // The campaign shows something.
    assert!(faults >= 10 && ordered >= 30 && results >= 120, "{faults} {ordered} {results}");
}
