//! Campaigns no larger than that of the gate find each mutant of elaboration, the scheduler, the evaluators,
//! the lowering to masks and registers, and the emitters.
//!
//! `cargo test -p lambdav-differential --features mutants --test mutants -- --nocapture`

use lambdav_core::inputs::Inputs;
use lambdav_core::mutants as core;
use lambdav_core::resource::Bound;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::TextureData;
use lambdav_differential::{
    Campaign, Case, Conditions, Engine, check_passes, check_traces, engines, pass_program,
};
use lambdav_frontend::{compile, mutants as frontend};
use lambdav_generate::resources;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Tile, TileBuffer};
use lambdav_simd_backend::SimdKernel;
use lambdav_simd_backend::mutants as simd;
use lambdav_spirv_backend::mutants as spirv;
use lambdav_spirv_eval::mutants as eval;
use lambdav_test_support::find_in_parallel;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

/// An active mutant affects the whole process.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Demands that a campaign finds no bug in an engine without a mutant, and a bug with each of the mutants.
fn each_is_found<M: Copy + Debug>(name: &str, mutants: &[M], activate: fn(Option<M>)) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let all = engines::all();
    let engine: &dyn Engine =
        &**all.iter().find(|engine| engine.name() == name).expect("there is such an engine");
    let sound = Campaign {
        seed: 2,
        first: 0,
        programs: 50,
        size: 160,
        endless: 50,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        attempts: 0,
        max_bugs: 1,
    };
    let found = sound.run(&[engine]).found;
    assert!(found.is_empty(), "{name}: a bug without any mutant: {}", found[0]);
    for &mutant in mutants {
        activate(Some(mutant));
        // Ten times the mean number of programs that the rarest mutant takes.
        let report = Campaign { programs: 6000, ..sound }.run(&[engine]);
        activate(None);
        assert!(!report.found.is_empty(), "{name}: {mutant:?} is not found");
        println!("{name}: {mutant:?} is found after {} programs", report.programs);
    }
}

/// The source evaluator finds mutants of elaboration and of the core evaluator. The comparison also finds
/// mutants of the source evaluator.
#[test]
fn mutants_in_core_and_frontend_are_found() {
    each_is_found("source", &core::Mutant::ALL, core::activate);
    each_is_found("source", &frontend::Mutant::ALL, frontend::activate);
}

/// Traces find mutants of observation, and those of the core evaluator that change a value: by the line that differs.
#[test]
fn mutants_are_found_by_traces() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let campaign = Campaign {
        seed: 45,
        first: 0,
        programs: 400,
        size: 160,
        endless: 0,
        threads: 1,
        attempts: 1,
        max_bugs: 1,
    };
    let differs = |number: u64| {
        let (program, conditions) = campaign.program(number);
        let case = Case::new(&program, conditions).expect("it is well typed");
        check_traces(&case).is_err()
    };
    let first = |most: u64| (0..most).find(|&number| differs(number));
    assert_eq!(first(20), None, "no mutant is active");
    for mutant in frontend::Mutant::OF_TRACES {
        frontend::activate(Some(mutant));
        let found = first(campaign.programs);
        frontend::activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
    for mutant in [core::Mutant::SequentialRec, core::Mutant::WrongMinimum] {
        core::activate(Some(mutant));
        let found = first(campaign.programs);
        core::activate(None);
        println!("{mutant:?}: program {found:?}");
        assert!(found.is_some(), "{mutant:?} is not found");
    }
}

/// Demands that an engine agrees with `registers8` on a program, and disagrees with it under each of the
/// mutants. The program is compiled with the mutant active, too.
fn each_is_found_by<M: Copy + Debug>(
    text: &str,
    name: &str,
    mutants: &[M],
    activate: fn(Option<M>),
) {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let compiled = || {
        let source = SourceFile::new("mutant.lv", text);
        let (core, diagnostics) = compile(&source);
        let core = core.unwrap_or_else(|| panic!("{diagnostics:?}"));
        let resources = resources(core.graph.types());
        let inputs = Inputs { resolution: [16.0, 1.0], resources, ..Inputs::default() };
        let conditions = Conditions {
            width: 16,
            height: 1,
            time: inputs.time,
            frame: inputs.frame,
            mouse: inputs.mouse,
            max_iterations: 1,
        };
        Case { source, core, inputs, conditions }
    };
    let run = |name: &str| {
        let case = compiled();
        let all = engines::all();
        let engine = all.iter().find(|engine| engine.name() == name);
        let engine = engine.expect("there is such an engine");
        // An error of a verifier or evaluator shows the mutant, too.
        let run = AssertUnwindSafe(|| engine.run(&case));
        catch_unwind(run).unwrap_or_else(|_| Err("it panics".into()))
    };
    let sound = run(name);
    assert!(sound.is_ok(), "{name}: {sound:?}");
    assert_eq!(sound, run("registers8"), "{name}: no mutant is active");
    for &mutant in mutants {
        activate(Some(mutant));
        let found = run(name);
        activate(None);
        assert_ne!(found, sound, "{name}: {mutant:?} is not found");
    }
}

/// Shifts by 32 and more, and a lost carry: few random programs show them.
#[test]
fn mutants_of_integers_are_found() {
    let large = "(- 4294967295u (uint (.x (frag-coord))))";
    let text = format!(
        "(vec3 (num (shift-left 1u {large})) (num (div {large} 7u)) (num (bit-and 255u (mul-high {large} {large}))))"
    );
    each_is_found_by(&text, "lanes", &simd::Mutant::OF_INTEGERS, simd::activate);
    each_is_found_by(&text, "simd8", &simd::Mutant::OF_INTEGERS, simd::activate);
    each_is_found_by(&text, "spirv", &spirv::Mutant::OF_INTEGERS, spirv::activate);
}

/// A multiplier that is too small by one, for a divisor that is uniform over the frame. Quotients of
/// multiples show it.
#[test]
fn mutants_of_divisors_are_found() {
    let text = "(define n (int (* 0.4375 (.x (resolution))))) (define m (uint (* 0.625 (.x (resolution)))))
        (define x (.x (frag-coord)))
        (vec4 (num (div (* 7i (int x)) n)) (num (rem (* 7i (int x)) n))
              (num (div (* 10u (uint x)) m)) (num (mod (* 10u (uint x)) m)))";
    for name in ["lanes", "simd8", "registers8"] {
        each_is_found_by(text, name, &simd::Mutant::OF_DIVISORS, simd::activate);
    }
}

/// An unclamped index: into computed parts, where selects decide by its bits, and into a table and a buffer,
/// where a verifier demands the clamp.
#[test]
fn mutants_of_indices_are_found() {
    let at = |element: &str| {
        format!("(at (tabulate 11 (func (i) (* (num i) {element}))) (int (.x (frag-coord))))")
    };
    let of_buffer = "(buffer b vec2) (at b (- (int (.x (frag-coord))) 3i))".to_owned();
    for text in [at("(.y (frag-coord))"), at("(num i)"), of_buffer] {
        for name in ["lanes", "simd8"] {
            each_is_found_by(&text, name, &simd::Mutant::OF_INDICES, simd::activate);
        }
        each_is_found_by(&text, "spirv", &spirv::Mutant::OF_INDICES, spirv::activate);
    }
}

/// An unclamped column and row, and a wrong row length, at the only level and at a level that varies by
/// pixel.
#[test]
fn mutants_of_textures_are_found() {
    for (declaration, level) in
        [("(texture t)", "0i"), ("(texture t mipmaps)", "(bit-and 1i (.x p))")]
    {
        let text =
            format!("{declaration} (define p (- (int (.xx (frag-coord))) 4i)) (texel t p {level})");
        for name in ["lanes", "simd8"] {
            each_is_found_by(&text, name, &simd::Mutant::OF_TEXTURES, simd::activate);
        }
        each_is_found_by(&text, "spirv", &spirv::Mutant::OF_TEXTURES, spirv::activate);
        for name in ["registers8", "simd8"] {
            each_is_found_by(&text, name, &simd::Mutant::OF_FOURS, simd::activate);
        }
    }
}

/// The sizes of another texture, and of another buffer.
#[test]
fn mutants_of_extents_are_found() {
    let textures = "(texture t) (texture u) (define p (int (.xy (frag-coord))))
        (+ (texel t p 0i) (texel u p 0i))";
    let buffers = "(buffer b vec2) (buffer c vec2) (define i (int (.x (frag-coord))))
        (+ (at b i) (at c i))";
    for text in [textures, buffers] {
        for name in ["lanes", "simd8", "registers8"] {
            each_is_found_by(text, name, &simd::Mutant::OF_EXTENTS, simd::activate);
        }
    }
}

/// Planes of textures whose sides differ.
#[test]
fn mutants_of_planes_are_found() {
    let text = "(texture t (kind array)) (texture u (kind volume)) (texture v (kind array))
        (texture w (kind volume)) (define x (int (.x (frag-coord))))
        (define p (ivec3 (rem x 3i) (rem x 2i) (- x 1i)))
        (+ (+ (texel t p 0i) (texel u p 0i)) (+ (texel v p 0i) (texel w p 0i)))";
    for name in ["lanes", "simd8"] {
        each_is_found_by(text, name, &simd::Mutant::OF_PLANES, simd::activate);
    }
}

/// The sizes of the texture that was bound before.
#[test]
fn mutants_of_binding_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    let text = "(texture t) (texel t (int (.xx (frag-coord))) 0i)";
    let (core, _) = compile(&SourceFile::new("mutant.lv", text));
    let program = schedule(&core.expect("it is a program"), &[0]).expect("it nests little");
    let texture = |side: u32| {
        let texels: Vec<[f32; 4]> = (0..side * side).map(|i| [i as f32; 4]).collect();
        Arc::new(TextureData::new([side; 2], texels.into_iter(), false).expect("it is small"))
    };
    let size = Size::new(16, 1).expect("a small size");
    let drawn = |kernel: &SimdKernel| {
        let tile = Tile::whole(size);
        let mut samples = vec![f32::NAN; tile.samples()];
        let mut pixels = TileBuffer::new(tile, &mut samples);
        kernel.tile(tile, &mut pixels, &Cancel::never(size)).expect("there are no loops");
        samples
    };
    let bound = |texture| {
        let resources = vec![Bound::Texture(texture)];
        let inputs = Inputs { resolution: [16.0, 1.0], resources, ..Inputs::default() };
        SimdKernel::new(program.clone(), Some(8), &inputs, 1).expect("it compiles")
    };
    // From a small texture to a large one, so that no load lies outside the bound texture.
    let rebound = || {
        let mut kernel = bound(texture(3));
        kernel.set_texture(0, &texture(9));
        drawn(&kernel)
    };
    let sound = drawn(&bound(texture(9)));
    assert_eq!(rebound(), sound, "no mutant is active");
    for mutant in simd::Mutant::OF_BINDING {
        simd::activate(Some(mutant));
        let found = rebound();
        simd::activate(None);
        assert_ne!(found, sound, "{mutant:?} is not found");
    }
}

/// Wrong words for a case's fields, an update in place of an array that is still used, and a possibly endless
/// value dropped beside the field that is taken. Few random programs show these.
#[test]
fn mutants_of_parts_are_found() {
    let case = "(variant Shape (Dot (size num)) (Box (kind int) (from num) (size num)))
        (case (if (< (.x (frag-coord)) 8) (Dot (.y (frag-coord))) (Box 3i (.x (frag-coord)) 5))
          ((Dot size) size)
          ((Box kind from size) (+ from (* 100 size))))";
    let update = "(define i (int (.x (frag-coord))))
        (define a (tabulate 11 (func (i) (* (num i) (.y (frag-coord))))))
        (define b (update a i 100))
        (vec2 (at b (- 10i i)) (at a i))";
    let part = "(struct Pair (first num) (second num))
        (define endless ((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (.x (frag-coord))))
        (.first (Pair (time) endless))";
    for name in ["lanes", "simd8"] {
        each_is_found_by(case, name, &[simd::Mutant::WrongField], simd::activate);
        each_is_found_by(update, name, &[simd::Mutant::UpdateInPlace], simd::activate);
    }
    each_is_found_by(case, "spirv", &[spirv::Mutant::WrongField], spirv::activate);
    each_is_found_by(update, "spirv", &[spirv::Mutant::UpdateInPlace], spirv::activate);
    each_is_found_by(case, "lanes", &frontend::Mutant::OF_PARTS, frontend::activate);
    each_is_found_by(part, "lanes", &core::Mutant::OF_PARTS, core::activate);
}

/// A neighbour that is a row too low.
#[test]
fn mutants_of_derivatives_are_found() {
    let text = "(dfdy (* (.x (frag-coord)) (.y (frag-coord)) (.y (frag-coord))))";
    each_is_found_by(text, "lanes", &core::Mutant::OF_DERIVATIVES, core::activate);
}

/// Lanes that read the wrong lane of their quad, or a lane whose value is not right. The image has one row,
/// so lanes of the second row are inactive.
#[test]
fn mutants_of_quads_are_found() {
    let text = "(define y (.y (frag-coord)))
        (define same ((rec-func (i s) (if (< i 1) (rec (+ i 1) (+ s (* y y) (.x (frag-coord)))) s)) 0 1))
        (define other ((rec-func (i s) (if (< i y) (rec (+ i 1) (* 3 s)) s)) 0.5 y))
        (vec4 same (dfdy same) other (dfdy other))";
    each_is_found_by(text, "quads", &simd::Mutant::OF_QUADS, simd::activate);
    for name in ["registers8", "simd8"] {
        each_is_found_by(text, name, &[simd::Mutant::WrongQuad], simd::activate);
    }
}

/// Stores of pixels that run but are not to be stored.
#[test]
fn mutants_of_stores_are_found() {
    let text =
        "(output 0 (.x (frag-coord))) (output 1 (dfdy (* (.y (frag-coord)) (.y (frag-coord)))))";
    for name in ["listed1", "listed8", "listed-registers8"] {
        each_is_found_by(text, name, &simd::Mutant::OF_STORES, simd::activate);
    }
}

/// Arrays in memory: an unclamped index, an update in inactive lanes, and an update of memory that another
/// live array occupies.
#[test]
fn mutants_of_arrays_are_found() {
    let text = "(define i (int (.x (frag-coord))))
        (define a (tabulate 20 (func (k) (* (num k) (.y (frag-coord))))))
        (define b (if (< (fract (* 0.3 (.x (frag-coord)))) 0.5) (update a (* 2i i) 100) a))
        (vec3 (at b (- 20i i)) (at a (* 2i i)) (at b (* 2i i)))";
    for name in ["registers8", "simd8"] {
        each_is_found_by(text, name, &simd::Mutant::OF_ARRAYS, simd::activate);
    }
}

/// The interpreter of lane programs and machine code each find them.
#[test]
fn mutants_in_masks_are_found() {
    for name in ["lanes", "simd8"] {
        each_is_found(name, &simd::Mutant::OF_MASKS, simd::activate);
    }
}

#[test]
fn mutants_in_machine_code_are_found() {
    each_is_found("simd8", &simd::Mutant::OF_CODE, simd::activate);
}

/// Code for AVX2 runs where the processor has it. Mutants that would access wrong addresses are evaluated
/// instead, and so is code for AVX-512.
#[cfg(all(unix, target_arch = "x86_64"))]
#[test]
fn mutants_in_wide_machine_code_are_found() {
    for (name, mutants) in [
        ("avx2-16", &simd::Mutant::OF_CODE[..]),
        ("evaluated-avx2-16", &simd::Mutant::OF_VECTORS),
        ("evaluated-avx512-16", &simd::Mutant::OF_MASK_REGISTERS),
        ("evaluated-avx512-256-8", &simd::Mutant::OF_MASK_REGISTERS),
    ] {
        if engines::all().iter().any(|engine| engine.name() == name) {
            each_is_found(name, mutants, simd::activate);
        }
    }
}

/// Permuted tables, with as many words as need two permutations, or four. The index reads the words in
/// another order than theirs, and the inputs end with the table.
#[cfg(all(unix, target_arch = "x86_64"))]
#[test]
fn mutants_of_tables_are_found() {
    for (name, words) in
        [("evaluated-avx2-16", 13), ("evaluated-avx512-16", 60), ("evaluated-avx512-256-8", 27)]
    {
        let text = format!(
            "(define table (tabulate {words} (func (i) (* (num i) (num i)))))
             (at table (- {words}i (* 5i (int (.x (frag-coord))))))"
        );
        each_is_found_by(&text, name, &simd::Mutant::OF_TABLES, simd::activate);
    }
}

/// Sines, cosines and tangents of large arguments.
#[test]
fn mutants_of_large_arguments_are_found() {
    for function in ["sin", "cos", "tan"] {
        let text = format!("({function} (* (.x (frag-coord)) 1e30))");
        for name in ["registers8", "wide16", "widest32", "simd4"] {
            each_is_found_by(&text, name, &simd::Mutant::OF_LARGE_ARGUMENTS, simd::activate);
        }
    }
}

/// Words at the end of a texture's row, which are not adjacent, and words of a table indexed by column. Code
/// is evaluated, since it would read out of bounds.
#[cfg(all(unix, target_arch = "x86_64"))]
#[test]
fn mutants_of_columns_are_found() {
    let texels = "(texture t) (texel t (+ (int (.xy (frag-coord))) (ivec2 2i 0i)))";
    let table = "(define table (tabulate 90 (func (i) (* (num i) (num i)))))
        (at table (- (int (.x (frag-coord))) 3i))";
    for name in ["evaluated8", "evaluated-avx2-16", "evaluated-avx512-16", "evaluated-avx512-256-8"]
    {
        for text in [texels, table] {
            each_is_found_by(text, name, &simd::Mutant::OF_COLUMNS, simd::activate);
        }
    }
}

/// Samples whose texels do not lie side by side at the edges of a texture. Code is evaluated, since it would read out of bounds.
#[cfg(all(unix, target_arch = "x86_64"))]
#[test]
fn mutants_of_mixes_are_found() {
    let text = "(texture t) (define x (.x (frag-coord)))
        (sample t (- (vec2 (* 0.02 (* x x)) (* 0.011 (* x x))) 0.3))";
    for name in ["evaluated8", "evaluated-avx2-16", "evaluated-avx512-16", "evaluated-avx512-256-8"]
    {
        each_is_found_by(text, name, &simd::Mutant::OF_MIXES, simd::activate);
    }
}

/// A texture of which one component is read. Code is evaluated, since it would read out of bounds.
#[cfg(all(unix, target_arch = "x86_64"))]
#[test]
fn mutants_of_narrow_textures_are_found() {
    let text = "(texture t) (define x (.x (frag-coord)))
        (.y (sample t (- (vec2 (* 0.02 (* x x)) (* 0.011 (* x x))) 0.3)))";
    for name in ["evaluated-avx2-16", "evaluated-avx512-16", "evaluated-avx512-256-8"] {
        each_is_found_by(text, name, &simd::Mutant::OF_NARROW, simd::activate);
    }
}

/// Machine code and the interpreter of register programs each find them.
#[test]
fn mutants_in_spilling_are_found() {
    for name in ["spilled4", "starved4"] {
        each_is_found(name, &simd::Mutant::OF_SPILLING, simd::activate);
    }
}

#[test]
fn mutants_that_look_at_undefined_lanes_are_found() {
    each_is_found("registers8", &simd::Mutant::OF_UNDEFINED_LANES, simd::activate);
}

/// Demands that programs with passes show each mutant.
fn each_is_found_by_passes<M: Copy + Debug>(mutants: &[M], activate: fn(Option<M>)) {
    let differs = |number| {
        let (program, conditions) = pass_program(3, number, 40);
        // An error of a verifier shows the mutant, too.
        let check = AssertUnwindSafe(|| check_passes(&program, conditions));
        catch_unwind(check).map_or(true, |found| found.is_err())
    };
    // Programs that revealed mutants when they were written are tried first.
    const REVEALING: [u64; 5] = [1, 22, 27, 207, 742];
    let nth = |index: u64| REVEALING.get(index as usize).copied().unwrap_or(index);
    for &mutant in mutants {
        activate(Some(mutant));
        let found = find_in_parallel(0..2000, |index| differs(nth(index))).map(nth);
        activate(None);
        let number = found.unwrap_or_else(|| panic!("{mutant:?} is not found"));
        assert!(!differs(number), "no mutant is active");
        println!("{mutant:?} is found by program {number}");
    }
}

/// The source evaluator and eval_S find mutants of passes.
#[test]
fn mutants_of_passes_are_found() {
    let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    each_is_found_by_passes(&core::Mutant::OF_PASSES, core::activate);
    each_is_found_by_passes(&spirv::Mutant::OF_PASSES, spirv::activate);
}

#[test]
fn mutants_in_spirv_are_found() {
    each_is_found("spirv", &spirv::Mutant::ALL, spirv::activate);
    each_is_found("spirv", &eval::Mutant::ALL, eval::activate);
}
