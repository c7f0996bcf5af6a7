//! AmberScript: scripts from a grammar, with mutations. Each is read in bounded memory, or refused with a
//! place in the text. Some accepted scripts are run by `lambdav test`.

use super::command::{lambdav, run};
use super::{FuzzTarget, Reached};
use lambdav_amber::Script;
use lambdav_generate::Random;
use lambdav_test_support::COLOUR_SHADER;
use std::fs;

pub(super) struct Amber;

/// One in this many accepted scripts is run.
const SOME: u64 = 8;

/// Largest memory use while reading a script, in bytes.
const MAX_BYTES: u64 = 1 << 29;

/// Numbers that are easily misread, or too large.
const NUMBERS: [&str; 22] = [
    "0",
    "1",
    "2",
    "4",
    "255",
    "256",
    "-1",
    "0x7f",
    "0xffffffff",
    "4294967295",
    "4294967296",
    "18446744073709551615",
    "1e400",
    "1e-50",
    "nan",
    "inf",
    "-0.0",
    "65535",
    "16777216",
    "67108864",
    "67108865",
    "λ",
];

const TYPES: [&str; 12] = [
    "float",
    "int32",
    "uint32",
    "vec2<float>",
    "vec3<float>",
    "vec4<float>",
    "vec4<int32>",
    "mat2x2<float>",
    "mat3x3<float>",
    "mat4x4<float>",
    "vec4<uint32>",
    "float[]",
];

fn number(random: &mut Random) -> String {
    match random.percent(98) {
        true => random.below(9).to_string(),
        false => random.pick(&NUMBERS).to_string(),
    }
}

fn numbers(count: usize, random: &mut Random) -> String {
    let all: Vec<String> = (0..count).map(|_| number(random)).collect();
    all.join(" ")
}

/// The name of a buffer, out of few.
fn name(random: &mut Random) -> &'static str {
    random.pick::<&str>(&["u", "u", "u", "w", "frame"])
}

fn buffer(name: &str, random: &mut Random) -> String {
    let (ty, layout) = (random.pick(&TYPES), random.pick(&["", " STD140", " STD430"]));
    match random.percent(60) {
        true => {
            let count = [1, 4, 8, 16, 16, 48][random.below(6)];
            format!("BUFFER {name} DATA_TYPE {ty}{layout} DATA\n {}\nEND\n", numbers(count, random))
        }
        false => {
            let (count, fill) = (number(random), number(random));
            format!("BUFFER {name} DATA_TYPE {ty}{layout} SIZE {count} FILL {fill}\n")
        }
    }
}

fn expectation(size: [usize; 2], random: &mut Random) -> String {
    let [width, height] = size;
    let tolerance = match random.below(6) {
        0 => format!(" TOLERANCE {}", number(random)),
        1 => format!(" TOLERANCE {}", numbers(4, random)),
        _ => String::new(),
    };
    match random.below(6) {
        0 => format!("EXPECT frame EQ_BUFFER {}\n", name(random)),
        1 => format!("EXPECT frame EQ_HISTOGRAM_EMD_BUFFER frame{tolerance}\n"),
        2 => format!(
            "EXPECT frame IDX {} SIZE {} EQ_RGB {}{tolerance}\n",
            numbers(2, random),
            numbers(2, random),
            numbers(3, random)
        ),
        _ => format!(
            "EXPECT frame IDX 0 0 SIZE {width} {height} EQ_RGBA {}{tolerance}\n",
            numbers(4, random)
        ),
    }
}

impl FuzzTarget for Amber {
    fn name(&self) -> &'static str {
        "amber"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let size = [1 + random.below(9), 1 + random.below(9)];
        let [width, height] = size;
        let mut text = format!(
            "#!amber\nSHADER vertex v PASSTHROUGH\nSHADER fragment f SPIRV-ASM\n{COLOUR_SHADER}END\n{}",
            buffer("u", random)
        );
        text += "BUFFER frame FORMAT B8G8R8A8_UNORM\n";
        if random.percent(20) {
            text += &buffer("w", random);
        }
        text += &format!(
            "PIPELINE graphics p\n  ATTACH v\n  ATTACH f\n  FRAMEBUFFER_SIZE {width} {height}\n"
        );
        text += "  BIND BUFFER frame AS color LOCATION 0\n";
        for _ in 0..1 + random.weighted(&[80, 15, 5]) {
            text += &match random.below(8) {
                0 => format!("  BIND BUFFER {} AS push_constant\n", name(random)),
                1 => format!(
                    "  BIND BUFFER {} AS storage DESCRIPTOR_SET {} BINDING {}\n",
                    name(random),
                    number(random),
                    number(random)
                ),
                _ => "  BIND BUFFER u AS uniform DESCRIPTOR_SET 0 BINDING 1\n".to_owned(),
            };
        }
        text += "END\n";
        for _ in 0..1 + random.below(4) {
            if random.percent(60) {
                text += &format!("CLEAR_COLOR p {}\n", numbers(4, random));
            }
            if random.percent(70) {
                text += "CLEAR p\n";
            }
            let [w, h] = match random.percent(90) {
                true => [width.to_string(), height.to_string()],
                false => [number(random), number(random)],
            };
            text += &format!("RUN p DRAW_RECT POS 0 0 SIZE {w} {h}\n");
            text += &expectation(size, random);
        }
        let text = text.into_bytes();
        if random.percent(25) { self.mutate(&text, random) } else { text }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let text = String::from_utf8_lossy(input);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        if lines.is_empty() {
            lines.push(String::new());
        }
        for _ in 0..1 + random.below(3) {
            let (at, other) = (random.below(lines.len()), random.below(lines.len()));
            match random.below(5) {
                0 => drop(lines.splice(at..=at, [])),
                1 => lines.swap(at, other),
                2 => lines.insert(at, lines[other].clone()),
                _ => {
                    let mut words: Vec<&str> = lines[at].split(' ').collect();
                    let place = random.below(words.len());
                    words[place] = *random.pick(&NUMBERS);
                    lines[at] = words.join(" ");
                }
            }
            if lines.is_empty() {
                lines.push(String::new());
            }
        }
        lines.join("\n").into_bytes()
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let text = String::from_utf8_lossy(input);
        let mut result = None;
        let used = allocation_counter::measure(|| result = Some(Script::read(&text)));
        if used.bytes_max > MAX_BYTES {
            return Err(format!("reading it takes {} MiB", used.bytes_max >> 20));
        }
        let script = match result.expect("it has been read") {
            Ok(script) => script,
            Err(error) => {
                let [start, end] = [error.span.start, error.span.end].map(|at| at as usize);
                if error.kind.to_string().is_empty() || text.get(start..end).is_none() {
                    return Err(format!("an error has no message or no place: {error:?}"));
                }
                return Ok(Reached::default());
            }
        };
        let mut reached =
            Reached { parsed: true, accepted: !script.commands.is_empty(), computed: false };
        if number.is_multiple_of(SOME) && lambdav().is_some() {
            let place = tempfile::tempdir().map_err(|error| error.to_string())?;
            fs::write(place.path().join("a.amber"), &*text).map_err(|error| error.to_string())?;
            let outcome = run(place.path(), &["test", "a.amber"])?;
            reached.computed = outcome.out.contains("1 passed") || outcome.status == 1;
            if !outcome.out.contains("1 test: 1 ") {
                return Err(format!("the test is not reported: {}{}", outcome.out, outcome.err));
            }
        }
        Ok(reached)
    }
}
