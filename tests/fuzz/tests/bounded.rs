//! A run small enough for every commit, and the corpus.

use lambdav_fuzz::targets::all;
use lambdav_fuzz::targets::command::lambdav;
use lambdav_fuzz::{Bounds, Campaign, Costly, Limits, Search, Seeds, corpus, minimise};
use lambdav_test_support::skipped;

/// Limits of an input's cost. The time limit does not measure speed, which depends on the machine: only
/// hanging inputs reach it.
const BOUNDS: Bounds = Bounds { seconds: 120.0, peak: 2 << 30 };

/// Number of inputs of each target; slow targets get fewer.
const INPUTS: [(&str, u64); 20] = [
    ("parse", 3500),
    ("pipeline", 2000),
    ("core-text", 2000),
    ("spirv", 2500),
    ("raise", 2000),
    ("wgsl", 1000),
    ("glsl", 2000),
    ("images", 5000),
    ("folders", 40),
    ("beside", 120),
    ("reports", 120),
    ("pairs", 1500),
    ("npy", 2000),
    ("amber", 400),
    ("assembly", 1000),
    ("hostile", 40),
    ("names", 200),
    ("json", 2500),
    ("settings", 2500),
    ("meshes", 5000),
];

/// Targets that run the command.
const OF_THE_COMMAND: [&str; 4] = ["folders", "beside", "reports", "names"];

/// True if the target can run. The command is built when all tests are.
fn can_run(target: &str) -> bool {
    let can = !OF_THE_COMMAND.contains(&target) || lambdav().is_some();
    if !can {
        skipped(&format!("{target}: the command `lambdav` is not built beside this test"));
    }
    can
}

#[test]
fn new_inputs() {
    let seeds = Seeds::new(1);
    for target in all(&seeds) {
        if !can_run(target.name()) {
            continue;
        }
        let (_, inputs) = INPUTS.iter().find(|(n, _)| *n == target.name()).expect("it is listed");
        let limits = Limits { seconds: BOUNDS.seconds, attempts: 500, findings: 1 };
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let campaign = Campaign {
            seed: 1,
            first: 0,
            inputs: *inputs,
            time: None,
            threads,
            limits,
            journal: None,
        };
        let report = campaign.run(&*target, &|number| {
            eprintln!("{}: input {number} hangs", target.name());
            std::process::exit(1);
        });
        println!("{}: {report:?}", target.name());
        if let Some(found) = report.found.first() {
            let input = String::from_utf8_lossy(&found.input);
            panic!(
                "{} input {}: {:?}: {}\n{input}",
                target.name(),
                found.number,
                found.kind,
                found.what
            );
        }
        assert_eq!(report.inputs, *inputs);
        // Lower rates would mean that the inputs are too broken to find much.
        let least = match target.name() {
            "parse" => [30.0, 10.0, 0.0],
            "pipeline" => [30.0, 10.0, 1.0],
            "core-text" => [10.0, 10.0, 0.5],
            "images" | "reports" => [50.0, 10.0, 5.0],
            "beside" => [50.0, 5.0, 0.0],
            "folders" => [100.0, 100.0, 20.0],
            "json" => [40.0, 15.0, 15.0],
            "settings" => [35.0, 8.0, 8.0],
            "pairs" => [80.0, 60.0, 50.0],
            "npy" => [50.0, 10.0, 5.0],
            "amber" => [15.0, 15.0, 0.5],
            "assembly" => [80.0, 20.0, 10.0],
            "hostile" => [3.0, 3.0, 3.0],
            "names" => [90.0, 15.0, 5.0],
            "raise" => [50.0, 10.0, 0.5],
            "glsl" => [15.0, 15.0, 0.5],
            "wgsl" => [15.0, 10.0, 0.5],
            _ => [50.0, 10.0, 5.0],
        };
        for (part, least) in
            [report.parsed, report.accepted, report.computed].into_iter().zip(least)
        {
            assert!(report.percent(part) >= least, "{}: {report:?}", target.name());
        }
    }
}

#[test]
fn the_corpus() {
    let seeds = Seeds::new(1);
    let mut run = 0;
    for target in all(&seeds) {
        for (name, input) in corpus(target.name()) {
            let costly = Costly::of(&*target, input, 0);
            assert!(!costly.exceeds(BOUNDS), "{name}: {costly:?}");
            run += 1;
        }
    }
    assert!(run > 0, "the corpus is found");
}

#[test]
fn equal_seeds_give_equal_inputs() {
    let (seeds, again) = (Seeds::new(3), Seeds::new(3));
    for (target, other) in all(&seeds).iter().zip(all(&again)) {
        let campaign = Campaign {
            seed: 3,
            first: 0,
            inputs: 0,
            time: None,
            threads: 1,
            limits: Limits::default(),
            journal: None,
        };
        for number in 0..50 {
            assert_eq!(campaign.input(&**target, number), campaign.input(&*other, number));
        }
    }
}

#[test]
fn minimising_keeps_what_matters() {
    let text = b"(define a 1)\n(define b (+ a 2))\n(output 0 (vec3 a b (sin b)))\n";
    let mut still = |input: &[u8]| String::from_utf8_lossy(input).contains("sin");
    assert_eq!(minimise(text, false, 1000, &mut still), b"sin");
    let words: Vec<u8> = (0..100u32).flat_map(u32::to_le_bytes).collect();
    let mut still = |input: &[u8]| input.chunks(4).any(|word| word == 57u32.to_le_bytes());
    assert_eq!(minimise(&words, true, 1000, &mut still), 57u32.to_le_bytes());
}

/// A search without the clock is reproducible, and finds no input that is too costly.
#[test]
fn a_search_for_costly_inputs() {
    let seeds = Seeds::new(2);
    for target in all(&seeds) {
        // Allocations in child processes are not counted.
        if OF_THE_COMMAND.contains(&target.name()) {
            continue;
        }
        let search = |inputs| {
            Search { seed: 2, inputs, time: None, bounds: BOUNDS, by_clock: false }.run(&*target)
        };
        // What the product allocates once per process is the cost of no input.
        search(30);
        let [few, _] = search(30);
        let [many, by_seconds] = search(300);
        for costly in many.iter().chain(&by_seconds) {
            let input = String::from_utf8_lossy(&costly.input);
            assert!(!costly.exceeds(BOUNDS), "{}: {costly:?}\n{input}", target.name());
        }
        let best = |found: &[Costly]| found[0].rates()[0];
        assert!(best(&many) >= best(&few), "{}", target.name());
        let [again, _] = search(30);
        assert_eq!(again[0].input, few[0].input, "{}", target.name());
    }
}
