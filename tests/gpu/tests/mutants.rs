//! Mutants of exact modules are found: `cargo test -p lambdav-gpu-tests --features mutants --test mutants`

use lambdav_core::inputs::Inputs;
use lambdav_core::op::{Elementary, Op};
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;
use lambdav_gpu_tests::open;
use lambdav_gpu_tests::operations::{ARITHMETIC, operands, wrong};
use lambdav_spirv_backend::emit::{EmitOptions, Exact, Subnormals, emit};
use lambdav_spirv_backend::mutants::{Mutant, activate};
use lambdav_spirv_eval::{Arithmetic, Module, ModuleEvaluator, Resources};
use lambdav_test_support::skipped;

/// One test for all mutants, since an active mutant affects the whole process.
#[test]
fn mutants_are_found() {
    of_rough();
    of_all_devices();
}

/// Mutants that show on a device with the roughest arithmetic that Vulkan allows and an `fma` that rounds
/// once.
fn of_rough() {
    let text = "(/ (- (* (.x (frag-coord)) (.y (frag-coord))) 1) (+ 3 (.y (frag-coord))))";
    let core = compile(&SourceFile::new("ratio.lv", text)).0.expect("a program");
    let program = schedule(&core, &[0]).expect("it is flat");
    let exact = Exact {
        float64: true,
        fused: true,
        subnormals: Subnormals::Integers,
        report: None,
        registers: false,
    };
    let options = EmitOptions { exact: Some(exact), ..EmitOptions::default() };
    let is_right = || {
        let module = emit(&program, None, &options).expect("it fits");
        let module = Module::new(&module.words).expect("it can be evaluated");
        let resources = Resources::new(&Inputs::default(), &program.types, []);
        let mut evaluator = ModuleEvaluator::new(&module, &resources, 1 << 12);
        evaluator.set_arithmetic(Arithmetic { is_rough: true, ..Arithmetic::default() });
        (0..1000).all(|index| {
            let [x, y] = [index as f32 + 0.5, index as f32 / 7.0];
            evaluator.run([x, y, 0.0, 1.0], &|| false).expect("it ends");
            evaluator.output(0).expect("there is one")[0] == ((x * y - 1.0) / (3.0 + y)).to_bits()
        })
    };
    assert!(is_right(), "no mutant is active");
    for mutant in Mutant::OF_ROUGH {
        activate(Some(mutant));
        let is_hidden = is_right();
        activate(None);
        assert!(!is_hidden, "nothing shows {mutant:?}");
    }
}

/// Mutants that show on every device.
fn of_all_devices() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    };
    let operands = operands(200_000, 3);
    let options = device.exact(false, None);
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
