//! A campaign small enough for every commit.

use lambdav_differential::{Campaign, engines};

#[test]
fn engines_agree_and_programs_diverge() {
    let campaign = Campaign {
        seed: 2,
        first: 0,
        programs: 2000,
        size: 160,
        endless: 50,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        attempts: 2000,
        max_bugs: 1,
    };
    let engines = engines::all();
    let engines: Vec<_> = engines.iter().map(|engine| &**engine).collect();
    let report = campaign.run(&engines);
    println!("{report}");
    assert!(report.found.is_empty(), "{}", report.found[0]);
    assert_eq!(report.programs, campaign.programs);
    // What the programs are for: see the head of `profile.rs`.
    assert!(report.divergent_loops_in_ifs() >= 20.0, "{report}");
    assert!(report.varied_images() >= 50.0, "{report}");
    assert!(report.operations.len() >= 50, "{report}");
}
