//! Tests find the mutants of the raise and of the evaluator of words: shaders with known colours find
//! each of the raise, small modules each of the evaluator.
//!
//! `cargo test -p lambdav-spirv-frontend --features mutants --test mutants`

use lambdav_core::evaluate::Evaluator;
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_engine::foreign::{Language, to_spirv};
use lambdav_spirv_eval::mutants::{self as words, Mutant as WordsMutant};
use lambdav_spirv_frontend::mutants::{Mutant, activate};
use lambdav_spirv_frontend::{RaiseOptions, raise};
use std::path::Path;

#[path = "all/bound.rs"]
mod bound;
#[path = "all/helpers.rs"]
mod helpers;
#[path = "all/theorem.rs"]
mod theorem;
#[path = "all/written.rs"]
mod written;

/// Bodies of functions from a pixel's column to a number, with the numbers of columns 0 to 7.
const SHADERS: [(&str, [f32; 8]); 4] = [
    // A case that falls into the next one, and one that does not.
    (
        "int y = 0;
         switch (x & 3) {
             case 0: y += 1; break;
             case 1: y += 10;
             case 2: y += 100; break;
             default: y += 1000;
         }
         return float(y);",
        [1.0, 110.0, 100.0, 1000.0, 1.0, 110.0, 100.0, 1000.0],
    ),
    // A `continue` that goes on with the next number.
    (
        "int sum = 0;
         for (int i = 0; i < 8; i++) {
             if (i == x) { continue; }
             if (i > 5) { continue; }
             sum += i;
         }
         return float(sum);",
        [15.0, 14.0, 13.0, 12.0, 11.0, 10.0, 15.0, 15.0],
    ),
    // A store to an array by some pixels only.
    (
        "float a[3];
         a[0] = 1.0; a[1] = 2.0; a[2] = 3.0;
         if (x > 3) { a[x - 4] = 50.0; } else { a[0] += 4.0; }
         return a[0] + a[1] + a[2];",
        [10.0, 10.0, 10.0, 10.0, 55.0, 54.0, 53.0, 53.0],
    ),
    // A return out of a loop that is followed by code.
    (
        "int i;
         for (i = 0; i < 5; i++) {
             if (i == x) { return 100.0 + float(i); }
         }
         return float(x);",
        [100.0, 101.0, 102.0, 103.0, 104.0, 5.0, 6.0, 7.0],
    ),
];

/// The colours of the shaders; `None` if one is refused.
fn colours() -> Option<Vec<[f32; 8]>> {
    let one = |(body, _): &(&str, [f32; 8])| {
        let text = format!(
            "#version 450
             layout(location = 0) out vec4 colour;
             float value(int x) {{ {body} }}
             void main() {{ colour = vec4(value(int(gl_FragCoord.x))); }}"
        );
        let source = SourceFile::new("a.frag", text);
        let language = Language::of(Path::new("a.frag")).expect("it is GLSL");
        let words = to_spirv(language, &source).expect("it is right");
        let (core, _) = raise("a.frag", &words, &RaiseOptions::default()).program.ok()?;
        let program = schedule(&core, &[0]).ok()?;
        let mut evaluator = Evaluator::new(&program, 100);
        let mut row = [0.0; 8];
        for (x, value) in (0..).zip(&mut row) {
            evaluator.run(&Inputs::default().at(x, 0), &|| false).ok()?;
            *value = f32::from_bits(evaluator.output(0)[0]);
        }
        Some(row)
    };
    SHADERS.iter().map(one).collect()
}

/// One test, since a mutant is active for the whole process.
#[test]
fn mutants_are_found() {
    of_the_raise();
    of_the_evaluator();
}

fn of_the_evaluator() {
    let modules = written::written();
    let agree = || modules.iter().all(|(_, words)| written::compare(words).is_ok());
    assert!(agree(), "no mutant is active");
    for mutant in WordsMutant::OF_WORDS {
        words::activate(Some(mutant));
        let is_hidden = agree();
        words::activate(None);
        assert!(!is_hidden, "{mutant:?} is not found");
    }
}

fn of_the_raise() {
    let wanted: Vec<[f32; 8]> = SHADERS.iter().map(|(_, row)| *row).collect();
    assert_eq!(colours().as_ref(), Some(&wanted), "no mutant is active");
    for mutant in Mutant::ALL {
        activate(Some(mutant));
        let found = colours();
        activate(None);
        assert_ne!(found.as_ref(), Some(&wanted), "{mutant:?} is not found");
    }
}
