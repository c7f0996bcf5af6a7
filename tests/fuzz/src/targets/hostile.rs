//! WGSL and GLSL with expressions, blocks, types and macros that nest or repeat, up to thousands of times.
//! Each text has an answer within the deadline, and none ends the process.

use super::{FuzzTarget, Reached};
use lambdav_core::source::SourceFile;
use lambdav_engine::foreign::{Language, to_spirv};
use lambdav_generate::Random;
use lambdav_glsl_frontend::Stage;
use std::time::{Duration, Instant};

pub(super) struct Hostile;

/// Time limit for a text.
const LONGEST: Duration = Duration::from_secs(10);

/// Text before and after an expression that nests it, in WGSL and GLSL.
const EXPRESSIONS: [[&str; 2]; 14] = [
    ["(", ")"],
    ["-", ""],
    ["!", ""],
    ["~", ""],
    ["- -", ""],
    ["abs(", ")"],
    ["x + ", ""],
    ["", " + x"],
    ["x * (", ")"],
    ["max(x, ", ")"],
    ["", ".x"],
    ["v[int(", ")]"],
    ["mix(x, x, ", ")"],
    ["", " < x"],
];

const WGSL_EXPRESSIONS: [[&str; 2]; 6] = [
    ["vec4<f32>(", ").x"],
    ["select(x, x, ", " > x)"],
    ["array<f32, 2>(x, ", ")[1]"],
    ["dpdx(", ")"],
    ["bitcast<f32>(", ")"],
    ["f(", ")"],
];

const GLSL_EXPRESSIONS: [[&str; 2]; 6] = [
    ["x > 0.0 ? x : ", ""],
    ["vec4(", ").x"],
    ["float[2](x, ", ")[1]"],
    ["dFdx(", ")"],
    ["f(", ")"],
    ["(x, ", ")"],
];

/// Text before and after statements that nests them, in WGSL and GLSL.
const STATEMENTS: [[&str; 2]; 8] = [
    ["{", "}"],
    ["if (x > 0.0) {", "}"],
    ["if (x > 0.0) { x += 1.0; } else ", ""],
    ["while (x > 0.0) {", "}"],
    ["for (;;) {", "break; }"],
    ["switch (int(x)) { case 0: {", "} default: {} }"],
    ["x = x * 2.0;", ""],
    ["", "x = v[0];"],
];

/// Declarations before a function, which refer to one another or repeat. `#` is a number, `$` the number
/// before it.
const WGSL_DECLARATIONS: [&str; 9] = [
    "const c# = 1.0 + c$;\n",
    "alias t# = array<t$, 2>;\n",
    "struct s# { a: s$, b: s$ }\n",
    "fn g#(x: f32) -> f32 { return g$(x) + g$(x); }\n",
    "var<private> p#: f32 = 1.0;\n",
    "override o#: f32 = 1.0;\n",
    "@id(#) override n#: f32;\n",
    "const a# = array(a$, a$);\n",
    "/* ",
];

const GLSL_DECLARATIONS: [&str; 10] = [
    "#define m#(x) m$(m$(x))\n",
    "#define n# n$ + n$\n",
    "#define k# k$ k$ k$ k$\n",
    "#if 1\n",
    "#ifdef A\n#else\n",
    "struct s# { s$ a; s$ b; };\n",
    "float g#(float x) { return g$(x) + g$(x); }\n",
    "const float c# = 1.0 + c$;\n",
    "#define j#(x) j$ x ## x\n",
    "/* ",
];

/// Number of repetitions: mostly few, sometimes thousands.
fn times(random: &mut Random) -> usize {
    match random.weighted(&[30, 30, 25, 15]) {
        0 => random.below(8),
        1 => random.below(60),
        2 => random.below(1000),
        _ => random.below(20_000),
    }
}

/// Wraps the text in layers.
fn nested(text: &str, layers: &[[&str; 2]], random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..1 + random.below(3) {
        let [before, after] = *random.pick(layers);
        let times = times(random);
        text = format!("{}{text}{}", before.repeat(times), after.repeat(times));
    }
    text
}

fn declarations(all: &[&str], random: &mut Random) -> String {
    let mut text = String::new();
    for _ in 0..random.below(3) {
        let pattern = *random.pick(all);
        for number in 0..times(random) {
            let before = number.saturating_sub(1);
            text += &pattern
                .replace('$', &before.to_string())
                .replacen('#', "\u{1}", usize::from(pattern.starts_with('#')))
                .replace('#', &number.to_string())
                .replace('\u{1}', "#");
        }
    }
    text
}

impl FuzzTarget for Hostile {
    fn name(&self) -> &'static str {
        "hostile"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let is_wgsl = random.percent(50);
        let own = if is_wgsl { WGSL_EXPRESSIONS } else { GLSL_EXPRESSIONS };
        let all: Vec<_> = EXPRESSIONS.into_iter().chain(own).collect();
        let value = nested("x", &all, random);
        let body = nested("x = x + 1.0;", &STATEMENTS, random);
        let text = if is_wgsl {
            format!(
                "{}fn f(x: f32) -> f32 {{ return x; }}\n@fragment fn main(@location(0) v: vec4<f32>) -> @location(0) vec4<f32> {{\n\
                 var x = v.x;\n{body}\nx = {value};\nreturn vec4<f32>(x);\n}}\n",
                declarations(&WGSL_DECLARATIONS, random)
            )
        } else {
            format!(
                "#version 450\n{}float f(float x) {{ return x; }}\nlayout(location = 0) in vec4 v;\nlayout(location = 0) out vec4 o;\n\
                 void main() {{\nfloat x = v.x;\n{body}\nx = {value};\no = vec4(x);\n}}\n",
                declarations(&GLSL_DECLARATIONS, random)
            )
        };
        let text = text.into_bytes();
        if random.percent(15) { self.mutate(&text, random) } else { text }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        let mut bytes = input.to_vec();
        for _ in 0..1 + random.below(3) {
            let at = random.below(bytes.len() + 1);
            let end = (at + random.below(40)).min(bytes.len());
            match random.below(3) {
                0 => drop(bytes.drain(at..end)),
                1 => bytes.insert(at, *random.pick(b"(){}[]<>;,.#\\\n\"*/@0eEx-")),
                _ => {
                    let part = bytes[at..end].repeat(times(random));
                    bytes.splice(at..at, part).for_each(drop);
                }
            }
        }
        bytes
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let text = String::from_utf8_lossy(input);
        let language = match text.starts_with("#version") {
            true => Language::Glsl(Stage::Fragment),
            false => Language::Wgsl,
        };
        let source = SourceFile::new("fuzz", text);
        let begun = Instant::now();
        let result = to_spirv(language, &source);
        if begun.elapsed() > LONGEST {
            return Err(format!("it takes {:.1} s", begun.elapsed().as_secs_f64()));
        }
        match result {
            Ok(words) => Ok(Reached { parsed: true, accepted: true, computed: words.len() > 5 }),
            Err(all) if all.iter().all(|found| found.message.is_empty()) => {
                Err("a refusal has no message".into())
            }
            Err(_) => Ok(Reached::default()),
        }
    }
}
