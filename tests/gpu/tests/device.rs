//! The gallery, and each elementary function, on a Vulkan device against the evaluator of the core.
//!
//! Without a device the tests are skipped, and say so. Mesa's lavapipe (Debian's mesa-vulkan-drivers, which
//! `.ci/install-tools` installs) is one that needs no GPU. `cargo test -p lambdav-gpu -- --nocapture` prints the tables.

use lambdav_frontend::compile;
use lambdav_frontend::core::Core;
use lambdav_frontend::evaluate::core::Evaluator;
use lambdav_frontend::evaluate::{DEFAULT_MAX_ITERATIONS, Inputs};
use lambdav_frontend::op::{Elementary, Op};
use lambdav_frontend::schedule::{Expr, Program, Statement, schedule};
use lambdav_frontend::source::SourceFile;
use lambdav_generate::generate;
use lambdav_gpu::{Device, Frame, Job};
use lambdav_spirv_backend::emit::{Options, emit};
use lambdav_spirv_backend::eval::Resources;
use std::io::Write;
use std::path::Path;

const WIDTH: u32 = 97;
const HEIGHT: u32 = 61;

fn device() -> Option<Device> {
    let device = Device::open().expect("Vulkan works, if it is there");
    match &device {
        Some(device) => println!("on {}", device.name()),
        None => skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU"),
    }
    device
}

/// Says that a test is skipped. What `println` prints would be shown of failing tests only.
fn skipped(why: &str) {
    let line = format!("\nskipped: {why}\n");
    std::io::stderr().write_all(line.as_bytes()).expect("standard error can be written");
}

fn core(name: &str, text: &str) -> (SourceFile, Core) {
    let source = SourceFile::new(name, text);
    let (core, diagnostics) = compile(&source);
    (source, core.unwrap_or_else(|| panic!("{name}: {diagnostics:?}")))
}

fn inputs(core: &Core) -> Inputs {
    Inputs {
        resolution: [WIDTH as f32, HEIGHT as f32],
        time: 1.5,
        uniforms: core.uniforms.iter().map(|uniform| uniform.default.clone()).collect(),
        ..Inputs::default()
    }
}

fn by_core(program: &Program, inputs: &Inputs) -> Frame {
    let mut evaluator = Evaluator::new(program, DEFAULT_MAX_ITERATIONS);
    let mut frame = Frame::new();
    for y in 0..HEIGHT {
        for x in 0..WIDTH {
            let frag_coord = [x as f32 + 0.5, y as f32 + 0.5, 0.0, 1.0];
            let inputs = Inputs { frag_coord, ..inputs.clone() };
            evaluator.run(&inputs, &|| false).expect("its loops end");
            let mut pixel = [0.0_f32, 0.0, 0.0, 1.0].map(f32::to_bits);
            let words = evaluator.output(0);
            pixel[..words.len()].copy_from_slice(words);
            frame.push(pixel);
        }
    }
    frame
}

fn by_device(device: &Device, program: &Program, source: &SourceFile, inputs: &Inputs) -> Frame {
    let module = emit(program, Some(source), &Options::default()).expect("it fits");
    let resources = Resources::new(inputs, program.uniforms.iter().map(|uniform| uniform.ty));
    let job = Job {
        words: &module.words,
        location: program.locations[0],
        width: WIDTH,
        height: HEIGHT,
        push_constants: resources.push_constants(),
        uniforms: resources.uniforms(),
    };
    device.draw(&job).expect("it draws")
}

/// How two images differ.
#[derive(Debug, Default)]
struct Difference {
    /// Components whose bits differ; NaNs are one value.
    components: usize,
    /// The largest distance in units in the last place.
    ulps: u32,
    /// The largest distance of 8-bit samples, and how many differ by more than one.
    levels: u32,
    beyond_one_level: usize,
}

fn compare(wanted: &Frame, found: &Frame) -> Difference {
    // Numbers in order, as integers in order.
    let order = |word: u32| if word >> 31 == 1 { !word } else { word | 1 << 31 };
    let level = |word: u32| (f32::from_bits(word).clamp(0.0, 1.0) * 255.0).round_ties_even() as u32;
    let mut difference = Difference::default();
    for (&a, &b) in wanted.iter().flatten().zip(found.iter().flatten()) {
        let nans = [a, b].map(|word| f32::from_bits(word).is_nan());
        if a == b || nans == [true; 2] {
            continue;
        }
        difference.components += 1;
        let ulps = if nans == [false; 2] { order(a).abs_diff(order(b)) } else { u32::MAX };
        difference.ulps = difference.ulps.max(ulps);
        let levels = level(a).abs_diff(level(b));
        difference.levels = difference.levels.max(levels);
        difference.beyond_one_level += usize::from(levels > 1);
    }
    difference
}

fn has_elementary(program: &Program) -> bool {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.into_iter().any(|statement| {
        matches!(statement, Statement::Let { expr: Expr::Op(Op::Elementary(_), _), .. })
    })
}

#[test]
fn gallery() {
    let Some(device) = device() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let files = std::fs::read_dir(folder).expect("the gallery is there");
    let mut paths: Vec<_> = files.map(|file| file.expect("it can be listed").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "lv"));
    paths.sort();
    let mut failures = Vec::new();
    for path in paths {
        let name = path.file_stem().expect("it has a name").to_string_lossy().into_owned();
        let (source, core) = core(&name, &std::fs::read_to_string(&path).expect("it is text"));
        for output in &core.outputs {
            let program = schedule(&core, &[output.location]).expect("it can be scheduled");
            let inputs = inputs(&core);
            let found = by_device(&device, &program, &source, &inputs);
            let difference = compare(&by_core(&program, &inputs), &found);
            let elementary = has_elementary(&program);
            let kind = if elementary { "elementary" } else { "arithmetic" };
            println!("{name:12} {} {kind}: {difference:?}", output.location);
            if difference.levels > 1 || !elementary && difference.components > 0 {
                failures.push(name.clone());
            }
        }
    }
    // GPUs may divide and take roots less exactly than lavapipe does.
    if device.name().contains("llvmpipe") {
        assert!(failures.is_empty(), "these differ too much: {failures:?}");
    }
}

/// Most programs without elementary functions have the same bits; not those that subnormals, which lavapipe
/// makes zero, the signs of zeros or NaNs decide (see [`EXACT`]).
#[test]
fn generated_programs() {
    let Some(device) = device() else { return };
    let (mut same, mut different) = (0, Vec::new());
    for seed in 0..300 {
        let program = generate(seed, lambdav_generate::Options { size: 80, endless: false });
        let (source, core) = core("generated.lv", &program.to_string());
        let location = core.outputs[0].location;
        let program = schedule(&core, &[location]).expect("it can be scheduled");
        if has_elementary(&program) {
            continue;
        }
        let inputs = inputs(&core);
        let found = by_device(&device, &program, &source, &inputs);
        let difference = compare(&by_core(&program, &inputs), &found);
        if difference.components == 0 {
            same += 1;
        } else {
            println!("seed {seed}: {difference:?}");
            different.push(seed);
        }
    }
    println!("{same} the same, {different:?} not");
    if device.name().contains("llvmpipe") {
        assert!(same >= 15 * different.len(), "{same} the same, {different:?} not");
    }
}

/// What has the same bits on lavapipe. `(- 0 x)` and `(sign x)` have not: Mesa is free with the sign of
/// zeros, whatever the module demands, and with NaN where an operand is the constant 0.
const EXACT: [&str; 24] = [
    "(sqrt x)",
    "(sqrt (* x y))",
    "(inverse-sqrt (abs x))",
    "(/ y (sqrt (abs x)))",
    "(/ (vec2 x y) (sqrt (abs x)))",
    "(normalize (vec3 x y 1))",
    "(length (vec2 x y))",
    "(dot (vec3 x y 0.3) (vec3 y 0.7 x))",
    "(/ x y)",
    "(/ 1 x)",
    "(/ (vec2 x y) 3)",
    "(mod x y)",
    "(mod x 3)",
    "(fract (+ x y))",
    "(* y (floor (/ x y)))",
    "(round (* x y))",
    "(trunc (* x y))",
    "(ceil (* x y))",
    "(min x y)",
    "(max x (sqrt x))",
    "(clamp x y 1)",
    "(step x y)",
    "(+ (* x y) (* y y))",
    "(* 1e30 (* x 1e30))",
];

#[test]
fn exact_operations() {
    let Some(device) = device() else { return };
    for expression in EXACT {
        let text = format!(
            "(define x (/ (- (.x (frag-coord)) 48.5) 16)) (define y (/ (- (.y (frag-coord)) 30.5) 7))
             {expression}"
        );
        let (source, core) = core("a.lv", &text);
        let program = schedule(&core, &[0]).expect("it can be scheduled");
        let inputs = inputs(&core);
        let found = by_device(&device, &program, &source, &inputs);
        let difference = compare(&by_core(&program, &inputs), &found);
        println!("{expression}: {difference:?}");
        if device.name().contains("llvmpipe") {
            assert_eq!(difference.components, 0, "{expression}");
        }
    }
}

#[test]
fn elementary_functions() {
    let Some(device) = device() else { return };
    for function in Elementary::ALL {
        let name = function.name();
        let second = if function.arity() == 2 { " y" } else { "" };
        let text = format!(
            "(define x (/ (- (.x (frag-coord)) 48.5) 16)) (define y (/ (- (.y (frag-coord)) 30.5) 7))
             (define z (/ (.x (frag-coord)) 97))
             (vec3 ({name} x{second}) ({name} (+ 1 (* x x)){second}) ({name} z{second}))"
        );
        let (source, core) = core(name, &text);
        let program = schedule(&core, &[0]).expect("it can be scheduled");
        let inputs = inputs(&core);
        let found = by_device(&device, &program, &source, &inputs);
        let Difference { components, ulps, .. } = compare(&by_core(&program, &inputs), &found);
        println!("{name:6} {components:5} of {} differ, by up to {ulps} ULP", 3 * WIDTH * HEIGHT);
    }
}
