//! Elementary functions in machine code against CORE-MATH, at a sample small enough for every test run. All
//! arguments: `cargo run --release -p lambdav-oracle -- code`.

use lambdav_core::op::Elementary;
use lambdav_oracle::compare::{Arguments, compare, each};
use lambdav_oracle::coremath;
use lambdav_oracle::exact;
use lambdav_oracle::machine::{MachineCode, Rates};
use lambdav_simd_backend::Target;
use lambdav_simd_backend::registers::Shape;

fn host() -> Target {
    Target::host().expect("a machine that is not too old")
}

fn agrees(f: Elementary, code: &MachineCode, arguments: &[Arguments]) {
    let expected = each(|x, y| coremath::evaluate(f, x, y));
    for arguments in arguments {
        let found = |pairs: &[(f32, f32)], results: &mut [f32]| code.evaluate(pairs, results);
        let report = compare(f, arguments, &found, &expected);
        let lanes = code.lanes();
        assert_eq!(report.differing, 0, "{lanes} lanes, the first: {:x?}", report.differences[0]);
    }
}

/// 2^20 arguments at the default number of lanes: every exponent, its ends, hard cases.
fn sample(f: Elementary) {
    let code = MachineCode::new(f, None, Rates::Varying, &host()).expect("it compiles");
    let mut arguments = vec![Arguments::special(f)];
    if f.arity() == 1 {
        arguments.push(Arguments::Numbers { step: 12, second: 0.0 });
    } else {
        arguments.push(Arguments::Random { count: 1 << 20, seed: 3 });
    }
    agrees(f, &code, &arguments);
}

macro_rules! tests {
    ($($name:ident $function:ident)*) => { $(
        #[test]
        fn $name() {
            sample(Elementary::$function);
        }
    )* };
}

tests! {
    sin Sin cos Cos tan Tan asin Asin acos Acos atan Atan sinh Sinh cosh Cosh tanh Tanh
    asinh Asinh acosh Acosh atanh Atanh exp Exp exp2 Exp2 log Log log2 Log2 atan2 Atan2 pow Pow
}

/// All pairs whose power is exact or a midpoint.
#[test]
fn exact_powers() {
    let f = Elementary::Pow;
    let code = MachineCode::new(f, None, Rates::Varying, &host()).expect("it compiles");
    agrees(f, &code, &[Arguments::These(exact::powers())]);
}

/// Other numbers of lanes, and code for processors without the newer instructions.
#[test]
fn other_lanes_and_processors() {
    let mut targets: Vec<_> = Shape::LANES.iter().map(|&lanes| (lanes, host())).collect();
    if cfg!(target_arch = "x86_64") {
        let old = ["has_avx", "has_avx2", "has_fma"];
        targets.push((8, Target::with(&old).expect("SSE4.1 is enough")));
    }
    for f in Elementary::ALL {
        for (lanes, target) in &targets {
            let code = MachineCode::new(f, Some(*lanes), Rates::Varying, target);
            let random = Arguments::Random { count: 1 << 14, seed: u64::from(*lanes) };
            agrees(f, &code.expect("it compiles"), &[Arguments::special(f), random]);
        }
    }
}

/// Functions of operands that are uniform over the frame are scalar code.
#[test]
fn uniform_operands() {
    for f in Elementary::ALL {
        let code = MachineCode::new(f, Some(1), Rates::Uniform, &host()).expect("it compiles");
        let random = Arguments::Random { count: 1 << 14, seed: 5 };
        agrees(f, &code, &[Arguments::special(f), random]);
    }
}
