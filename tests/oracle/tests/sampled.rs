//! The reference mathematics against the oracle, at a sample small enough for every run of the tests.

use lambdav_frontend::op::Elementary;
use lambdav_oracle::compare::compare;

/// Random arguments per function.
const COUNT: u64 = 20_000;

fn agrees(f: Elementary) {
    let report = compare(f, COUNT, 0);
    let count = report.differences.len();
    assert!(count == 0, "{count} differences, the first: {:x?}", report.differences[0]);
}

macro_rules! tests {
    ($($name:ident $function:ident)*) => { $(
        #[test]
        fn $name() {
            agrees(Elementary::$function);
        }
    )* };
}

tests! {
    sin Sin cos Cos tan Tan asin Asin acos Acos atan Atan sinh Sinh cosh Cosh tanh Tanh
    asinh Asinh acosh Acosh atanh Atanh exp Exp exp2 Exp2 log Log log2 Log2 atan2 Atan2 pow Pow
}
