//! Programs with terminal control characters in names, text and comments. In the command's output no such
//! character appears raw, no line end in a name ends a line, and core text with such names can be read back.
//!
//! An input's first line is the file's name, the rest its content.

use super::command::{Outcome, run};
use super::{FuzzTarget, Reached};
use lambdav_generate::Random;
use std::fs;

pub(super) struct Names;

/// Text behind a line end in a name. A line that begins with it shows that a name broke a line.
const BROKEN: &str = "q7q";

/// Characters that control terminals or the direction of text: C0, DEL, C1, direction marks, and line ends.
const CONTROLS: [&str; 19] = [
    "\x1b]0;owned\x07",
    "\x1b[2J",
    "\x1b[31m",
    "\u{9b}31m",
    "\u{85}",
    "\x07",
    "\x08\x08",
    "\x7f",
    "\0",
    "\r",
    "\u{202e}",
    "\u{2066}",
    "\u{2028}",
    "\u{200f}",
    "\nq7q",
    "\r\nq7q",
    "\rq7q",
    "\u{2028}q7q",
    "\u{85}q7q",
];

/// Programs; `@` stands for control characters.
const PROGRAMS: [(&str, &str); 9] = [
    ("a.lv", "; @ test: x@ --size 2x2\n(uniform k@ num 1)\n(vec4 (* k@ 0.5))\n"),
    ("a.lv", "; test: --bind t@=u@.png\n(include \"b@.lv\")\n(vec4 (k@ 1) \"@\")\n"),
    ("a.lv", "(structure s@ (f@ num))\n(output 0 (.f@ (s@ 1)))\n(texture t@)\n"),
    ("a.core", "core 2\nuniform \"k@\" num = 1.0 @\n"),
    (
        "a.spvasm",
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"ma@in\" %o\n\
         OpExecutionMode %main OriginUpperLeft\n%file = OpString \"a@.frag\"\nOpSource GLSL 450 %file \"@\"\nOpName %ub \"ub@\"\n\
         OpName %UB \"UB@\"\nOpMemberName %UB 0 \"mem@\"\nOpDecorate %o Location 0\nOpDecorate %ub DescriptorSet 0\n\
         OpDecorate %ub Binding 0\nOpDecorate %UB Block\nOpMemberDecorate %UB 0 Offset 0\n%void = OpTypeVoid\n\
         %fn = OpTypeFunction %void\n%float = OpTypeFloat 32\n%v4 = OpTypeVector %float 4\n%int = OpTypeInt 32 1\n\
         %zero = OpConstant %int 0\n%UB = OpTypeStruct %v4\n%pub = OpTypePointer Uniform %UB\n\
         %pv4 = OpTypePointer Uniform %v4\n%ub = OpVariable %pub Uniform\n%ptr = OpTypePointer Output %v4\n\
         %o = OpVariable %ptr Output\n%main = OpFunction %void None %fn\n%l = OpLabel\n\
         %a = OpAccessChain %pv4 %ub %zero\n%x = OpLoad %v4 %a\nOpStore %o %x\nOpReturn\nOpFunctionEnd\n",
    ),
    (
        "a.wgsl",
        "// @ test: x@\n@group(0) @binding(0) var<uniform> k@: vec4<f32>;\n@fragment fn m@() -> @location(0) vec4<f32> { return k@; }\n",
    ),
    (
        "a.frag",
        "#version 450\n#pragma @\n// test: y@\nlayout(location = 0) out vec4 c@;\nvoid main() { c@ = vec4(1.0); } @\n",
    ),
    ("a.amber", "#!amber @\nSHADER vertex v@ PASSTHROUGH\nCLEAR q@\n"),
    ("a.lv.test", "; test: x@ --size@ 2x2\n"),
];

/// Command lines; `F` stands for the file.
const RUNS: [&[&str]; 8] = [
    &["check", "F"],
    &["inspect", "F"],
    &["inspect", "F", "--message-format", "json"],
    &["check", "F", "--message-format", "json"],
    &["check", ".", "--message-format", "github"],
    &["render", "F", "o.npy", "--size", "1x1", "--set", "x=1"],
    &["test", "--list"],
    &["test", "--report", "r"],
];

/// True for characters that output must not contain.
fn is_raw(c: char) -> bool {
    let is_mark = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_mark || c.is_control() && c != '\n' && c != '\t'
}

fn quiet(outcome: &Outcome, arguments: &[&str]) -> Result<(), String> {
    for text in [&outcome.out, &outcome.err] {
        if let Some(c) = text.chars().find(|&c| is_raw(c)) {
            return Err(format!("`lambdav {}` writes {c:?}: {text:?}", arguments.join(" ")));
        }
        if text.lines().any(|line| line.starts_with(BROKEN)) {
            return Err(format!("`lambdav {}` breaks a name: {text:?}", arguments.join(" ")));
        }
    }
    Ok(())
}

impl FuzzTarget for Names {
    fn name(&self) -> &'static str {
        "names"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let (name, pattern) = *random.pick(&PROGRAMS);
        let mut text = format!("{name}\n");
        // Attributes of WGSL keep their `@`.
        let hole = |rest: &str| {
            name != "a.wgsl"
                || !["group", "binding", "fragment", "location"].iter().any(|w| rest.starts_with(w))
        };
        let mut parts = pattern.split('@');
        text += parts.next().unwrap_or_default();
        // Half of the time, all holes get the same characters, so that names stay equal.
        let same = *random.pick(&CONTROLS);
        let (share, keep) = (random.percent(50), 20 + random.below(80) as u32);
        for part in parts {
            if !hole(part) {
                text.push('@');
            } else if random.percent(keep) {
                text += if share { same } else { *random.pick::<&str>(&CONTROLS) };
            }
            text += part;
        }
        text.into_bytes()
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let mut text = String::from_utf8_lossy(input).into_owned();
        let start = text.find('\n').map_or(text.len(), |at| at + 1);
        for _ in 0..1 + random.below(4) {
            let mut at = start + random.below(text.len() - start + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, random.pick::<&str>(&CONTROLS));
        }
        text.into_bytes()
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let text = String::from_utf8_lossy(input);
        let (name, content) = text.split_once('\n').unwrap_or(("a.lv", ""));
        if !PROGRAMS.iter().any(|(known, _)| *known == name) {
            return Ok(Reached::default());
        }
        let place = tempfile::tempdir().map_err(|error| error.to_string())?;
        let at = |name: &str| place.path().join(name);
        fs::write(at(name), content).map_err(|error| error.to_string())?;
        if name == "a.lv.test" {
            fs::write(at("a.lv"), "(vec4 1)").map_err(|error| error.to_string())?;
        }
        let file = name.strip_suffix(".test").unwrap_or(name);
        let mut reached = Reached { parsed: true, ..Reached::default() };
        let chosen = match number {
            0 => 0..RUNS.len(),
            _ => (number as usize) % RUNS.len()..(number as usize) % RUNS.len() + 1,
        };
        for arguments in &RUNS[chosen] {
            let arguments: Vec<&str> = arguments
                .iter()
                .map(|&argument| if argument == "F" { file } else { argument })
                .collect();
            let outcome = run(place.path(), &arguments)?;
            quiet(&outcome, &arguments)?;
            reached.accepted |= outcome.status == 0;
        }
        // Files get core text unescaped, and it can be read back.
        if number.is_multiple_of(2) && name != "a.amber" {
            let arguments = ["compile", file, "--emit", "core"];
            let outcome = run(place.path(), &arguments)?;
            if outcome.status == 0 {
                quiet(&outcome, &arguments)?;
                let arguments = ["compile", "b.core", "--emit", "core"];
                let read_back = |text: &str| -> Result<String, String> {
                    fs::write(at("b.core"), text).map_err(|error| error.to_string())?;
                    let again = run(place.path(), &arguments)?;
                    match again.status {
                        0 => Ok(again.out),
                        _ => Err(format!("core text is not read: {}{text}", again.err)),
                    }
                };
                let again = read_back(&outcome.out)?;
                let names = |text: &str| -> Vec<String> {
                    let named = |line: &&str| line.contains('"');
                    text.lines()
                        .filter(named)
                        .map(|line| line.split("  ; ").next().unwrap_or_default().to_owned())
                        .collect()
                };
                if names(&again) != names(&outcome.out) || read_back(&again)? != again {
                    return Err(format!(
                        "core text comes back as other text: {}{again}",
                        outcome.out
                    ));
                }
                reached.computed = true;
            }
        }
        Ok(reached)
    }
}
