//! Files of directives: `lambdav test --list` names each test in a file, among any other lines.

use super::command::run;
use super::{FuzzTarget, Reached};
use lambdav_generate::Random;
use std::fs;

pub(super) struct Beside;

/// Words of lines.
const WORDS: [&str; 34] = [
    ";",
    "//",
    "#",
    "test:",
    "tests:",
    "Test:",
    "test",
    "a",
    "night",
    "new",
    "diff",
    "--size",
    "4x4",
    "0x0",
    "--time",
    "-1",
    "1e39",
    "--bind",
    "t=-",
    "t=a.png",
    "--uniforms",
    "-",
    "--format",
    "digest",
    "'",
    "\"a b\"",
    "--set",
    "k={\"x\":1}",
    "--output",
    "all",
    "λ",
    "\u{feff}",
    "\u{202e}",
    "--help",
];

impl FuzzTarget for Beside {
    fn name(&self) -> &'static str {
        "beside"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let mut bytes = Vec::new();
        for _ in 0..random.below(8) {
            for _ in 0..random.below(7) {
                bytes.extend(random.pick(&WORDS).as_bytes());
                bytes.extend(random.pick(&[" ", "", "  ", "\t"]).as_bytes());
            }
            bytes.extend(random.pick(&["\n", "\r\n", "\n\n"]).as_bytes());
        }
        if random.percent(20) { self.mutate(&bytes, random) } else { bytes }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..1 + random.below(4) {
            let at = random.below(bytes.len() + 1);
            match random.below(3) {
                0 if at < bytes.len() => drop(bytes.remove(at)),
                1 => bytes.insert(at, random.bits() as u8),
                _ => bytes.splice(at..at, random.pick(&WORDS).bytes()).for_each(drop),
            }
        }
        bytes
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let write = |name: &str, bytes: &[u8]| {
            fs::write(place.path().join(name), bytes).map_err(|error| error.to_string())
        };
        write("x.lv", b"(vec4 1)")?;
        write("x.lv.test", input)?;
        let outcome = run(place.path(), &["test", "--list"])?;
        let text = String::from_utf8_lossy(input);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let is_test = |line: &&str| {
            let line = line.trim();
            let comment = [";", "//", "#"].iter().find(|marker| line.starts_with(**marker));
            match comment {
                Some(_) => line.trim_start_matches([';', '/', '#']).trim().starts_with("test:"),
                None => !line.is_empty() && line != "test:",
            }
        };
        let tests = text.lines().filter(is_test).count();
        let listed = outcome.out.lines().count();
        if listed != tests {
            return Err(format!(
                "{tests} tests, of which {listed} are listed: {}{}",
                outcome.out, outcome.err
            ));
        }
        let mut reached = Reached { parsed: tests > 0, ..Reached::default() };
        if tests > 0 && number.is_multiple_of(8) {
            let outcome = run(place.path(), &["test", "--bless", "--timeout", "20"])?;
            reached.accepted = true;
            reached.computed = outcome.out.contains("blessed");
            let told = outcome.out.lines().rev().find_map(|line| line.split_once(" test"));
            if told.and_then(|(count, _)| count.parse().ok()) != Some(tests) {
                return Err(format!("{tests} tests, but the total differs: {}", outcome.out));
            }
        }
        Ok(reached)
    }
}
