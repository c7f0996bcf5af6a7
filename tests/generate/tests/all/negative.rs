//! Programs with mistakes: no panic, good diagnostics, and agreement of the compiler with the source
//! evaluator. The head of `oracle.rs` defines agreement.

use lambdav_generate::{Agreement, GenerateOptions, Mistake, Random, compare, generate};

/// Number of programs for each mistake.
const PROGRAMS: u64 = 250;

/// Results for the programs with one mistake.
#[derive(Debug, Default)]
struct Count {
    made: u32,
    refused: u32,
    malformed: u32,
    unbound: u32,
    stuck: u32,
    values: u32,
}

fn count(mistake: Mistake) -> Count {
    let mut count = Count::default();
    for seed in 0..PROGRAMS {
        let options = GenerateOptions {
            size: 12 + (seed as usize * 7) % 60,
            endless: seed % 3 == 0,
            special_divisors: true,
        };
        let (program, other) = (generate(seed, options), generate(seed + 7919, options));
        let mut random = Random::new(seed ^ (mistake as u64) << 32);
        let Some(text) = mistake.make(&program, &other, &mut random) else { continue };
        let agreement = compare(&text)
            .unwrap_or_else(|what| panic!("{what}\n; {mistake:?}, seed {seed}\n{text}"));
        count.made += 1;
        count.refused += u32::from(!matches!(agreement, Agreement::Accepted { .. }));
        match agreement {
            Agreement::Accepted { values } => count.values += values,
            Agreement::RefusedByOne => {}
            Agreement::UnboundInBoth => count.unbound += 1,
            Agreement::StuckInBoth => count.stuck += 1,
            Agreement::Malformed => count.malformed += 1,
        }
    }
    count
}

#[test]
fn both_agree_on_mistakes() {
    let mut all = Count::default();
    for mistake in Mistake::ALL {
        let count = count(mistake);
        println!("{mistake:?}: {count:?}");
        let share = |part: u32| 100 * part / count.made.max(1);
        // Enough programs get the mistake, and enough of them are wrong. (Few programs have functions as
        // parameters.)
        let part = if mistake == Mistake::Changed { 12 } else { 3 };
        assert!(count.made >= PROGRAMS as u32 / part, "{mistake:?}: {count:?}");
        assert!(share(count.refused) >= 30, "{mistake:?}: {count:?}");
        all.stuck += count.stuck;
        all.unbound += count.unbound;
        all.values += count.values;
        all.malformed += count.malformed;
    }
    // Each kind of agreement is tested often enough.
    assert!(all.stuck >= 60 && all.unbound >= 200 && all.values >= 800, "{all:?}");
    assert!(all.malformed >= 200, "{all:?}");
}

#[test]
fn both_agree_on_what_is_right() {
    let mut compared = 0;
    for seed in 0..PROGRAMS {
        let program =
            generate(seed, GenerateOptions { size: 40, endless: true, special_divisors: true });
        match compare(&program.to_string()) {
            Ok(Agreement::Accepted { values }) => compared += values,
            other => panic!("seed {seed}: {other:?}\n{program}"),
        }
    }
    assert!(compared >= 1000, "{compared} values");
}
