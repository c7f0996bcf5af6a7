//! A campaign small enough for every commit.

use lambdav_differential::{Campaign, Report, engines};

/// So many programs through the engines that evaluate machine code, or through the others.
fn campaign(programs: u64, evaluated: bool) -> Report {
    let campaign = Campaign {
        seed: 2,
        first: 0,
        programs,
        size: 160,
        endless: 50,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        attempts: 2000,
        max_bugs: 1,
    };
    let engines = engines::all();
    let engines = engines.iter().map(|engine| &**engine);
    let engines: Vec<_> =
        engines.filter(|engine| engine.name().starts_with("evaluated") == evaluated).collect();
    let report = campaign.run(&engines);
    println!("{report}");
    assert!(report.found.is_empty(), "{}", report.found[0]);
    assert_eq!(report.programs, campaign.programs);
    report
}

/// They take many times longer than what they evaluate.
#[test]
fn evaluated_machine_code_agrees() {
    campaign(250, true);
}

#[test]
fn engines_agree_and_programs_diverge() {
    let report = campaign(2000, false);
    // What the programs are for: see the head of `profile.rs`.
    assert!(report.divergent_loops_in_ifs() >= 20.0, "{report}");
    assert!(report.varied_images() >= 50.0, "{report}");
    assert!(report.operations.len() >= 50, "{report}");
}
