//! The reference mathematics against the oracle, at a sample small enough for every test run.

use lambdav_core::op::Elementary;
use lambdav_oracle::compare::{Arguments, compare, each};

/// Number of random arguments for each function.
const COUNT: u64 = 20_000;

fn agrees(f: Elementary) {
    let found = each(|x, y| f.evaluate(x, y));
    let expected = each(|x, y| lambdav_oracle::evaluate(f, x, y));
    for arguments in [Arguments::special(f), Arguments::Random { count: COUNT, seed: 0 }] {
        let report = compare(f, &arguments, &found, &expected);
        assert_eq!(report.differing, 0, "the first: {:x?}", report.differences[0]);
    }
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
