//! What the generator promises.

use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::source::SourceFile;
use lambdav_frontend::builtins::Builtin;
use lambdav_generate::{
    GenerateOptions, GeneratedProgram, Term, TermKind, builtins, generate, is_refused_for_rounds,
    shrink,
};
use std::collections::BTreeSet;

/// How many programs each test makes.
const PROGRAMS: u64 = 500;

fn options(seed: u64) -> GenerateOptions {
    GenerateOptions { size: 20 + (seed as usize * 7) % 140, endless: seed.is_multiple_of(2) }
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

/// A seed that somebody else reports must give the same program here. Who changes the generator
/// changes this number.
#[test]
fn seeds_give_the_same_programs_everywhere() {
    let text: String = (0..50).map(|seed| generate(seed, options(seed)).to_string()).collect();
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    assert_eq!(hash, 0x3f2bbc989874ec1e, "the FNV-1a hash of 50 programs");
}

#[test]
fn every_builtin_is_reached() {
    let used: BTreeSet<Builtin> =
        (0..2 * PROGRAMS).flat_map(|seed| builtins(seed, options(seed))).collect();
    let missing: Vec<_> = Builtin::all().filter(|b| !used.contains(b)).map(|b| b.name()).collect();
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

#[test]
fn settings_fit_their_uniforms() {
    let mut set = 0;
    for seed in 0..PROGRAMS {
        let program = generate(seed, options(seed));
        let file = SourceFile::new("generated.lv", program.to_string());
        // See above.
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
        // A declaration of four cases, which all stay if one of them is needed, is half of that.
        assert!(shrunk.size() < 130, "seed {seed}: shrinking is stuck at\n{shrunk}");
        smaller += u32::from(shrunk.size() < program.size());
    }
    assert!(smaller > 5, "most of the programs have loops, and all get smaller");
}
