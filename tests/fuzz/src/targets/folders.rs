//! Folders of programs, files of directives, pictures and other files: the tests that `lambdav test` finds in
//! them, and the files that it leaves.
//!
//! An input is a text. Lines `== NAME` begin files, lines `>> ARGUMENTS` run the command, and files change
//! when they are written again. *A run changes and removes only files that an earlier run wrote*, no input of
//! a directive. It finds every test and warns of near misses. The target does not know marks or the syntax of
//! comments: it remembers which files it wrote itself, and it knows the lines that it writes.

use super::command::{run, snapshot};
use super::{FuzzTarget, Reached};
use lambdav_generate::Random;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

pub(super) struct Folders;

/// Names of files, few enough that many belong together.
const NAMES: [&str; 22] = [
    "a.lv",
    "a.new.lv",
    "a.diff.lv",
    "b.lv",
    "sub/a.lv",
    "c.wgsl",
    "d.frag",
    "e.glsl",
    "a.wgsl",
    "a.lv.test",
    "c.wgsl.test",
    "sub/a.lv.test",
    "a.png",
    "a.new.png",
    "a.diff.png",
    "a.night.npy",
    "b.exr",
    "b.digest",
    "lights.npy",
    "sub/a.png",
    "u.json",
    "notes.txt",
];

/// Lines that are tests, without the comment marker.
const TESTS: [&str; 10] = [
    "test: --size 2x2",
    "test: night --size 2x2",
    "test: night --size 2x2 --format npy",
    "test:x --size 3x2 --format exr",
    "test: y --size 2x2 --format digest",
    "test: --size 2x2 --bind t=a.png",
    "test: z --size 2x2 --bind lights=lights.npy",
    "test: --size 2x2 --uniforms u.json",
    "test: --sizee 2x2 --bind t=a.night.npy",
    "test: w --size 2x2 --set k=-",
];

/// Lines that are nearly tests.
const NEAR: [&str; 6] = [
    "tests: --size 2x2",
    "Test: --size 2x2",
    "test --size 2x2",
    "test : night",
    "tets: --size 2x2 --bind t=b.exr",
    "TEST: x",
];

/// Other lines.
const OTHERS: [&str; 4] = ["a comment", "test the edge", "text: no", ""];

/// Command lines.
const RUNS: [&str; 14] = [
    "test",
    "test --bless",
    "test --bless --prune",
    "test .",
    "test . ./sub --bless",
    "test sub --bless --prune",
    "test a.lv",
    "test a.lv --bless",
    "test --report r",
    "test --bless --prune --jobs 1",
    "test --accept a.lv",
    "test --accept a.lv:night",
    "test --filter night --bless",
    "test --require-tests --quiet",
];

/// Contents of files that are no programs.
const CONTENTS: [&str; 6] = ["png", "exr", "npy", "text", "{\"k\": 1}", "empty"];

impl FuzzTarget for Folders {
    fn name(&self) -> &'static str {
        "folders"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let mut text = String::new();
        for _ in 0..1 + random.below(5) {
            for _ in 0..1 + random.below(4) {
                text += &file(random);
            }
            for _ in 0..1 + random.below(2) {
                text += &format!(">> {}\n", random.pick(&RUNS));
            }
        }
        text.into_bytes()
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let text = String::from_utf8_lossy(input);
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        for _ in 0..1 + random.below(3) {
            let at = random.below(lines.len() + 1);
            match random.below(3) {
                0 if at < lines.len() => drop(lines.remove(at)),
                1 => lines.insert(at, format!(">> {}", random.pick(&RUNS))),
                _ => lines.splice(at..at, file(random).lines().map(str::to_owned)).for_each(drop),
            }
        }
        lines.join("\n").into_bytes()
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let text = String::from_utf8_lossy(input).into_owned();
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let folder = place.path();
        // Files that this target wrote and no run has written since.
        let mut own: BTreeMap<String, Vec<u8>> = BTreeMap::new();
        let mut open: Option<(String, Vec<u8>)> = None;
        let mut reached = Reached { parsed: true, ..Reached::default() };
        for line in text.lines().chain([">> test --list"]) {
            let begins = line.strip_prefix("== ").filter(|name| is_name(name));
            let runs = line.strip_prefix(">> ");
            if (begins.is_some() || runs.is_some())
                && let Some((name, content)) = open.take()
            {
                let path = folder.join(&name);
                let parent = path.parent().unwrap_or(folder);
                fs::create_dir_all(parent).map_err(|error| error.to_string())?;
                fs::write(&path, &content).map_err(|error| error.to_string())?;
                own.insert(name, content);
            }
            if let Some(name) = begins {
                open = Some((name.to_owned(), Vec::new()));
            } else if let Some(arguments) = runs {
                reached.accepted = true;
                reached.computed |= step(folder, arguments, &mut own)?;
            } else if let Some((_, content)) = &mut open {
                content.extend(bytes(line));
            }
        }
        Ok(reached)
    }
}

/// True if the name is one of ours, which stay in the folder.
fn is_name(name: &str) -> bool {
    NAMES.contains(&name)
}

/// Runs the command once and checks its effects. True if it drew something.
fn step(
    folder: &std::path::Path,
    arguments: &str,
    own: &mut BTreeMap<String, Vec<u8>>,
) -> Result<bool, String> {
    let before = snapshot(folder);
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let outcome = run(folder, &words)?;
    let after = snapshot(folder);
    let said = || format!("`lambdav {arguments}`\n{}{}", outcome.out, outcome.err);
    let inputs = inputs(&before);
    for (name, content) in &before {
        if after.get(name) == Some(content) {
            continue;
        }
        if own.contains_key(name) {
            return Err(format!(
                "{name}, which no run has written, is changed or removed: {}",
                said()
            ));
        }
        if inputs.contains(name) {
            return Err(format!("{name}, an input, is changed or removed: {}", said()));
        }
        if !after.contains_key(name) && !is_scratch(name) {
            let is_told = outcome.out.contains(&format!("removed {name}\n"));
            if !words.contains(&"--prune") || !is_told {
                return Err(format!("{name} is removed without a message: {}", said()));
            }
        }
    }
    for name in after.keys().filter(|name| !before.contains_key(*name)) {
        let is_report = name.starts_with("r/");
        if !is_report && !["png", "exr", "npy", "digest"].iter().any(|e| name.ends_with(e)) {
            return Err(format!("{name} is unexpected: {}", said()));
        }
    }
    if words == ["test", "--list"] {
        listed(&before, &outcome.out, &outcome.err)
            .map_err(|what| format!("{what}: {}", said()))?;
    }
    Ok(outcome.out.contains("passed") || outcome.out.contains("blessed"))
}

/// True if the name is that of a failed test's output.
fn is_scratch(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    stem.ends_with(".new") || stem.ends_with(".diff")
}

/// The files named by lines that are tests, or nearly tests.
fn inputs(files: &BTreeMap<String, Vec<u8>>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (name, content) in files.iter().filter(|(name, _)| is_program(name) || is_beside(name)) {
        let folder =
            name.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
        for line in String::from_utf8_lossy(content).lines() {
            let text = comment(line).unwrap_or(if is_beside(name) { line } else { "" });
            if !is_test(text) && !is_near(text) && !is_beside(name) {
                continue;
            }
            let mut words = text.split_whitespace();
            while let Some(word) = words.next() {
                let file = match word {
                    "--bind" => words.next().and_then(|bind| Some(bind.split_once('=')?.1)),
                    "--uniforms" => words.next(),
                    _ => None,
                };
                found.extend(file.map(|file| format!("{folder}{file}")));
            }
        }
    }
    found
}

fn is_program(name: &str) -> bool {
    [".lv", ".wgsl", ".frag", ".glsl"].iter().any(|ending| name.ends_with(ending))
}

fn is_beside(name: &str) -> bool {
    name.strip_suffix(".test").is_some_and(is_program)
}

/// The text of a comment line.
fn comment(line: &str) -> Option<&str> {
    let line = line.trim();
    line.strip_prefix("; ").or_else(|| line.strip_prefix("// ")).or_else(|| line.strip_prefix("* "))
}

fn is_test(text: &str) -> bool {
    TESTS.contains(&text)
}

fn is_near(text: &str) -> bool {
    NEAR.contains(&text)
}

/// Checks that all tests are listed, and that there is a warning for each near miss.
fn listed(files: &BTreeMap<String, Vec<u8>>, out: &str, err: &str) -> Result<(), String> {
    let mut tests = 0;
    for (name, content) in files {
        let text = String::from_utf8_lossy(content);
        let program = name.strip_suffix(".test").unwrap_or(name);
        if !(is_program(name) || is_beside(name)) || !files.contains_key(program) {
            continue;
        }
        // Such a file also has tests without a marker. This target does not write them, but mutation may.
        let has_marker =
            |line: &str| line.is_empty() || line.starts_with("; ") || line.starts_with("// ");
        if is_beside(name) && !text.lines().all(has_marker) {
            return Ok(());
        }
        let marker = if program.ends_with(".lv") { "; " } else { "// " };
        for (index, line) in text.lines().enumerate() {
            let own = if is_beside(name) {
                ["; ", "// "].iter().any(|m| line.starts_with(m))
            } else {
                line.starts_with(marker) || marker == "// " && line.starts_with(" * ")
            };
            let Some(text) = comment(line) else { continue };
            if own && is_test(text) {
                tests += 1;
            } else if is_near(text) || is_test(text) {
                let place = format!("warning: {name}:{}: ", index + 1);
                if !err.contains(&place) {
                    return Err(format!("{name}:{} is not reported", index + 1));
                }
            }
        }
    }
    let found = out.lines().count();
    if found != tests && !(tests == 0 && err.contains("no tests in")) {
        return Err(format!("{tests} tests, of which {found} are listed"));
    }
    Ok(())
}

/// The bytes for a line of a file; some lines stand for pictures.
fn bytes(line: &str) -> Vec<u8> {
    use lambdav_image::file::{Encoding, Metadata, encode};
    use lambdav_image::quantize::Transfer;
    use lambdav_image::{Frame, Size};
    let encoding = match line {
        "= png" => Encoding::Png8(Transfer::Linear),
        "= exr" => Encoding::Exr,
        "= npy" => Encoding::Npy,
        "= empty" => return Vec::new(),
        _ => return format!("{line}\n").into_bytes(),
    };
    let frame = Frame::from_fn(Size::new(2, 2).expect("within the limits"), |_, _| [0.5; 4]);
    let mut bytes = Vec::new();
    // Metadata that is not a mark of `lambdav test`.
    let metadata =
        Metadata::default().with(Metadata::SOFTWARE, "painter").with("Title", "golden of x");
    encode(&frame, encoding, &metadata, &mut bytes).expect("it goes to memory");
    bytes
}

/// A random file, with its name.
fn file(random: &mut Random) -> String {
    let name = *random.pick(&NAMES);
    let mut text = format!("== {name}\n");
    let beside = is_beside(name);
    if !is_program(name) && !beside {
        text += &format!("= {}\n", random.pick(&CONTENTS));
        return text;
    }
    let is_lv = name.ends_with(".lv");
    let comment = |random: &mut Random| -> String {
        let text = match random.below(10) {
            0..6 => *random.pick(&TESTS),
            6..8 => *random.pick(&NEAR),
            _ => *random.pick(&OTHERS),
        };
        let marker = match (beside, is_lv, random.percent(8)) {
            (true, ..) => *random.pick(&["; ", "// "]),
            (_, true, false) | (_, false, true) => "; ",
            _ => "// ",
        };
        format!("{marker}{text}\n")
    };
    let mut comments = String::new();
    for _ in 0..random.below(4) {
        comments += &comment(random);
    }
    let level = random.below(4);
    match name {
        _ if beside => text += &comments,
        _ if is_lv => text += &format!("{comments}(uniform k num 1)\n(vec3 (* k (/ {level} 4)))\n"),
        _ if name.ends_with(".wgsl") => {
            text += &comments;
            let colour = format!("vec4<f32>({level}.0 / 4.0)");
            text += &format!("@fragment fn m() -> @location(0) vec4<f32> {{ return {colour}; }}\n");
            if random.percent(30) {
                text += &format!("/*\n * {}\n */\n", random.pick(&TESTS));
            }
        }
        _ => {
            text += "#version 450\nlayout(location = 0) out vec4 c;\n";
            text += &format!("void main() {{ c = vec4({level}.0 / 4.0); }}\n{comments}");
        }
    }
    text
}
