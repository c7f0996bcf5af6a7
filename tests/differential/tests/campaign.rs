//! A campaign small enough for every commit: each program runs on a third of the engines, each engine runs a
//! third of the programs. (The command runs every program on all engines.)

use lambdav_differential::{Campaign, Report, engines};

const PARTS: u64 = 3;

/// Runs this many programs on the engines that evaluate machine code, or on the others. One report for each
/// part.
fn campaign(programs: u64, evaluated: bool) -> Vec<Report> {
    let engines = engines::all();
    let engines = engines.iter().map(|engine| &**engine);
    let engines: Vec<_> =
        engines.filter(|engine| engine.name().starts_with("evaluated") == evaluated).collect();
    let part = |part: u64| {
        let campaign = Campaign {
            seed: 2,
            first: part * programs / PARTS,
            programs: programs / PARTS,
            size: 160,
            endless: 50,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            attempts: 2000,
            max_bugs: 1,
        };
        let of_part = engines.iter().skip(part as usize).step_by(PARTS as usize).copied();
        let report = campaign.run(&of_part.collect::<Vec<_>>());
        println!("{report}");
        assert!(report.found.is_empty(), "{}", report.found[0]);
        assert_eq!(report.programs, campaign.programs);
        report
    };
    (0..PARTS).map(part).collect()
}

/// Evaluated machine code is many times slower, so there are fewer programs.
#[test]
fn evaluated_machine_code_agrees() {
    campaign(60, true);
}

#[test]
fn engines_agree_and_programs_diverge() {
    for report in campaign(300, false) {
        // Demands the divergence that the programs are made for; `profile.rs` defines it.
        assert!(report.divergent_loops_in_ifs() >= 20.0, "{report}");
        assert!(report.varied_images() >= 50.0, "{report}");
        assert!(report.operations.len() >= 50, "{report}");
    }
}
