//! The promises of the generator.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::SourceFile;
use lambdav_frontend::builtins::Builtin;
use lambdav_generate::{
    GenerateOptions, GeneratedProgram, Term, TermKind, builtins, generate, is_refused_for_rounds,
    shrink,
};
use std::collections::BTreeSet;

/// Number of programs in each test.
const PROGRAMS: u64 = 500;

fn options(seed: u64) -> GenerateOptions {
    GenerateOptions {
        size: 20 + (seed as usize * 7) % 140,
        endless: seed.is_multiple_of(2),
        special_divisors: true,
    }
}

fn compiles(program: &GeneratedProgram) -> bool {
    lambdav_frontend::compile(&SourceFile::new("generated", program.to_string())).0.is_some()
}

#[test]
fn programs_are_well_typed_also_where_nothing_reaches_them() {
    let mut refused = 0;
    for seed in 0..PROGRAMS {
        let program = generate(seed, options(seed));
        let file = SourceFile::new("generated.lv", program.to_string());
        let (core, diagnostics) = lambdav_frontend::compile(&file);
        let all: Vec<Diagnostic> = diagnostics.iter().cloned().collect();
        if is_refused_for_rounds(file.text(), &all) {
            refused += 1;
            continue;
        }
        assert!(core.is_some(), "seed {seed}: {diagnostics:?}\n{program}");
        let unused = diagnostics.iter().find(|d| d.code == DiagnosticCode::UnreachedIllTyped);
        assert!(unused.is_none(), "seed {seed}: {unused:?}\n{program}");
    }
    assert!(refused < PROGRAMS / 50, "{refused} programs unroll too much");
}

#[test]
fn equal_seeds_give_equal_programs() {
    for seed in 0..PROGRAMS {
        assert_eq!(generate(seed, options(seed)), generate(seed, options(seed)), "seed {seed}");
    }
}

/// Reported seeds must give the same programs on every machine. A change of the generator changes this
/// number.
#[test]
fn seeds_give_the_same_programs_everywhere() {
    let text: String = (0..50).map(|seed| generate(seed, options(seed)).to_string()).collect();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(hash, 0xd2ec4e5d38002471, "the FNV-1a hash of 50 programs");
}

#[test]
fn every_builtin_is_reached() {
    let used: BTreeSet<Builtin> =
        (0..2 * PROGRAMS).flat_map(|seed| builtins(seed, options(seed))).collect();
    let missing = Builtin::all().filter(|b| !used.contains(b) && !b.is_of_stage());
    let missing: Vec<_> = missing.map(|b| b.name()).collect();
    assert!(missing.is_empty(), "never used: {missing:?}");
    assert!(used.len() > Builtin::all().count() + 20, "swizzles are used too");
}

#[test]
fn loops_pass_structures_of_functions_on() {
    fn passed(term: &Term) -> bool {
        matches!(term.kind(), Some(TermKind::Whole(..))) || term.parts().iter().any(passed)
    }
    fn applied(term: &Term) -> bool {
        let is_held = |part: &Term| matches!(part.kind(), Some(TermKind::Held(_)));
        let is_taken = |callee: &Term| callee.parts().get(1).is_some_and(is_held);
        term.parts().first().is_some_and(is_taken) || term.parts().iter().any(applied)
    }
    let programs = (0..PROGRAMS).map(|seed| generate(seed, options(seed)));
    let programs: Vec<_> = programs.filter(|program| program.forms.iter().any(passed)).collect();
    assert!(programs.len() >= 20, "{} programs", programs.len());
    let applied = programs.iter().filter(|program| program.forms.iter().any(applied)).count();
    assert!(applied >= 8, "{applied} programs apply what they pass on");
}

/// All lists in a program, from the outside in.
fn lists<'a>(term: &'a Term, all: &mut Vec<&'a [Term]>) {
    if !term.parts().is_empty() {
        all.push(term.parts());
    }
    term.parts().iter().for_each(|part| lists(part, all));
}

#[test]
fn parameters_of_loops_change_places() {
    let [mut numbers, mut vectors, mut computed] = [0; 3];
    for seed in 0..PROGRAMS {
        let program = generate(seed, options(seed));
        let mut all = Vec::new();
        program.forms.iter().for_each(|form| lists(form, &mut all));
        for parts in all.iter().filter(|parts| parts[0].to_string() == "rec") {
            // The counter, then parameters numbered in their order.
            let place = |part: &Term| part.to_string().split_once('-')?.1.parse::<usize>().ok();
            let is_moved = |(i, part): (usize, &Term)| {
                part.to_string().starts_with('p') && place(part).is_some_and(|place| place != i)
            };
            let next = &parts[2.min(parts.len())..];
            let moved: Vec<&Term> =
                next.iter().enumerate().filter(|&at| is_moved(at)).map(|(_, part)| part).collect();
            let Some(TermKind::Value(ty)) = moved.first().and_then(|part| part.kind()) else {
                continue;
            };
            *(if ty.width() == Some(1) { &mut numbers } else { &mut vectors }) += 1;
            computed += u32::from(next.iter().any(|part| !part.parts().is_empty()));
        }
    }
    println!("{numbers} of numbers, {vectors} of vectors, {computed} with new values");
    assert!(numbers >= 20 && vectors >= 20 && computed >= 20);
}

#[test]
fn divisors_are_zero_subnormal_infinite_and_nan() {
    let kinds = ["0", "-0.0", "1e-40", "-1e-45", "(/ 1 0)", "(/ 0 0)", "x - x", "1 - step", "num"];
    let mut counts = [[0; 9]; 2];
    for seed in 0..PROGRAMS {
        let program = generate(seed, options(seed));
        let mut all = Vec::new();
        program.forms.iter().for_each(|form| lists(form, &mut all));
        for parts in all {
            let name = parts[0].to_string();
            let ([_, _, divisor], "/" | "mod") = (parts, name.as_str()) else { continue };
            // For a vector, its first component.
            let is_vector = divisor.to_string().starts_with("(vec");
            let divisor = if is_vector { &divisor.parts()[1] } else { divisor };
            let text = divisor.to_string();
            let kind = match divisor.parts() {
                [minus, a, b] if minus.to_string() == "-" && a == b => Some(6),
                _ if text.starts_with("(- 1 (step ") => Some(7),
                _ if text.starts_with("(num (- ") => Some(8),
                _ => kinds[..6].iter().position(|kind| *kind == text),
            };
            if let Some(kind) = kind {
                counts[usize::from(is_vector)][kind] += 1;
            }
        }
    }
    println!("{kinds:?}: {counts:?}");
    for (kind, (number, vector)) in kinds.iter().zip(counts[0].iter().zip(counts[1])) {
        assert!(*number >= 5 && vector >= 2, "{kind}: {number} of numbers, {vector} of vectors");
    }
}

#[test]
fn settings_fit_their_uniforms() {
    let mut set = 0;
    for seed in 0..PROGRAMS {
        let program = generate(seed, options(seed));
        let file = SourceFile::new("generated.lv", program.to_string());
        // The program unrolls too much; another test counts these.
        let Some(core) = lambdav_frontend::compile(&file).0 else { continue };
        for (name, words) in &program.settings {
            let uniform = core.uniforms.iter().find(|u| u.name == *name);
            let uniform = uniform.expect("settings are of uniforms");
            assert_eq!(words.len(), core.graph.types().components(uniform.ty), "seed {seed}");
            set += 1;
        }
    }
    assert!(set > 0, "some uniforms are set");
}

#[test]
fn shrinking_keeps_what_it_is_asked_to_keep() {
    let mut smaller = 0;
    for seed in 0..20 {
        let program = generate(seed, options(seed));
        let mut still = |p: &GeneratedProgram| p.to_string().contains("rec-func") && compiles(p);
        if !still(&program) {
            continue;
        }
        let shrunk = shrink(&program, 2000, &mut still);
        assert!(still(&shrunk), "seed {seed}:\n{shrunk}");
        // Half of that bound is a declaration of four cases: they all stay if one of them is needed.
        assert!(shrunk.size() < 130, "seed {seed}: shrinking is stuck at\n{shrunk}");
        smaller += u32::from(shrunk.size() < program.size());
    }
    assert!(smaller > 5, "most of the programs have loops, and all get smaller");
}
