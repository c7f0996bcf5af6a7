//! Does exactness show? `cargo test -p lambdav-gpu-tests --features mutants --test mutants`

use lambdav_core::op::{Elementary, Op};
use lambdav_gpu_tests::open;
use lambdav_gpu_tests::operations::{ARITHMETIC, operands, wrong};
use lambdav_spirv_backend::mutants::{Mutant, activate};
use lambdav_test_support::skipped;

/// Mistakes of the emitter, each of which a device shows.
#[test]
fn mutants_are_found() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    };
    let operands = operands(200_000, 3);
    let options = device.about().exact(false, None);
    let all_wrong = || -> usize {
        let functions = Elementary::ALL.into_iter().map(|function| {
            let meaning = |[x, y, _]: [f32; 3]| function.evaluate(x, y);
            wrong(&device, &options, Op::Elementary(function), &operands, meaning).0
        });
        let arithmetic = ARITHMETIC.iter();
        let arithmetic =
            arithmetic.map(|&(op, meaning)| wrong(&device, &options, op, &operands, meaning).0);
        arithmetic.chain(functions).sum()
    };
    assert_eq!(all_wrong(), 0, "no mutant is active");
    for mutant in Mutant::OF_EXACT {
        activate(Some(mutant));
        let wrong = all_wrong();
        activate(None);
        println!("{mutant:?}: {wrong} results are wrong");
        assert!(wrong > 0, "nothing shows {mutant:?}");
    }
}
