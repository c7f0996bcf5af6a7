//! Merging of reports: `lambdav test --merge` joins them or prints an error.

use super::command::run;
use super::{FuzzTarget, Reached};
use lambdav_generate::Random;
use std::fs;

pub(super) struct Reports;

/// Separator of the two reports in an input.
const NEXT: &str = "\n%%\n";

/// JSON values and strings of reports.
const PARTS: [&str; 26] = [
    "0",
    "1",
    "2",
    "-1",
    "4000000000",
    "18446744073709551615",
    "1e400",
    "0.5",
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "\"passed\"",
    "\"failed\"",
    "\"machine\"",
    "\"</script>\"",
    "\"\\u0000\\u001b[31m\"",
    "[1,2]",
    "[2,2]",
    "[1,4000000000]",
    "[0,0]",
    "\"shard\"",
    "\"tests\"",
    "\"evidence\"",
    "\"a.lv\"",
];

/// A report as a run would write it.
fn report(shard: usize, of: usize, tests: usize) -> String {
    let mut text = format!(
        "{{\"lambdav\":\"0.1.0\",\"orphans\":[\"o.png\"],\"seconds\":0.5,\"shard\":[{shard},{of}],\"tests\":{tests},\"untested\":[]}}\n"
    );
    for number in (0..tests).filter(|number| number % of == shard - 1) {
        let status = ["passed", "failed", "missing", "unsupported"][number % 4];
        text += &format!(
            "{{\"comparison\":{{\"exceeding\":[],\"psnr\":1.5}},\"evidence\":{{\"found\":\"AAAA\",\"near\":null}},\"golden\":\"t{number}.png\",\
             \"message\":\"different\",\"seconds\":0.1,\"status\":\"{status}\",\"test\":\"t{number}.lv\",\"undefined\":[\"a.lv:1:1: /: the divisor is 0\"],\"written\":[\"t{number}.new.png\"]}}\n"
        );
    }
    text
}

impl FuzzTarget for Reports {
    fn name(&self) -> &'static str {
        "reports"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let tests = random.below(7);
        let both = [report(1, 2, tests), report(2, 2, tests)].join(NEXT).into_bytes();
        if random.percent(15) { both } else { self.mutate(&both, random) }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let mut text = String::from_utf8_lossy(input).into_owned();
        for _ in 0..1 + random.below(3) {
            // Replaces a value, or inserts something behind a separator.
            let ends: Vec<usize> =
                text.match_indices([':', ',', '[']).map(|(at, _)| at + 1).collect();
            let at = if ends.is_empty() { 0 } else { *random.pick(&ends) };
            let rest = text[at..].find([',', '}', ']', '\n']).unwrap_or(0);
            match random.below(5) {
                0 => {
                    let part = PARTS[random.below(PARTS.len())];
                    text.insert_str(at, part);
                }
                1 => {
                    let nested = "[".repeat(1 + random.below(2000));
                    text.insert_str(at, &nested);
                }
                2 => {
                    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
                    let line = random.pick(&lines).clone();
                    text += &format!("{line}\n");
                }
                _ => {
                    let part = PARTS[random.below(PARTS.len())];
                    text.replace_range(at..at + rest, part);
                }
            }
        }
        text.into_bytes()
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let text = String::from_utf8_lossy(input);
        let parts: Vec<&str> = text.split(NEXT).take(2).collect();
        let mut arguments = vec!["test", "--report", "all", "--merge"];
        for (part, name) in parts.iter().zip(["r1", "r2"]) {
            let folder = place.path().join(name);
            fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
            fs::write(folder.join("results.jsonl"), part).map_err(|error| error.to_string())?;
            arguments.push(name);
        }
        let outcome = run(place.path(), &arguments)?;
        let written = place.path().join("all/results.jsonl");
        let is_joined = outcome.out.contains("report: all/index.html");
        if is_joined != written.exists() || !is_joined && outcome.err.is_empty() {
            return Err(format!("{}{}", outcome.out, outcome.err));
        }
        if is_joined {
            // A joined report can be merged again and stays the same.
            let again = run(place.path(), &["test", "--report", "again", "--merge", "all"])?;
            let count = |text: &str| {
                text.lines().rev().find_map(|l| Some(l.split_once(" (")?.0.to_owned()))
            };
            if count(&again.out) != count(&outcome.out) || again.status != outcome.status {
                return Err(format!("{}{}\n{}{}", outcome.out, outcome.err, again.out, again.err));
            }
        }
        Ok(Reached { parsed: true, accepted: is_joined, computed: is_joined })
    }
}
