//! The functions of binary64 against CORE-MATH's, at a sample.

use lambdav_core::op::Elementary;
use lambdav_oracle::binary64::compare;

#[test]
fn functions_are_those_of_core_math() {
    std::thread::scope(|scope| {
        for f in Elementary::ALL {
            scope.spawn(move || compare(f, 2_000, 1).expect("they agree"));
        }
    });
}
