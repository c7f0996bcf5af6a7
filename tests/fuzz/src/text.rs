//! Mutation of texts as sequences of tokens. Pieces are the expressions of programs, and the lines of core
//! text and of GLSL.

use lambdav_generate::Random;

/// Words, names and numbers of the language, and rare tokens.
const DICTIONARY: [&str; 103] = [
    "define",
    "discard-if",
    "state",
    "clear",
    "output",
    "uniform",
    "let",
    "let*",
    "func",
    "rec-func",
    "rec",
    "if",
    "the",
    "true",
    "false",
    "num",
    "bool",
    "vec2",
    "vec3",
    "vec4",
    "bvec2",
    "bvec4",
    "mat2",
    "mat3",
    "mat4",
    "+",
    "-",
    "*",
    "/",
    "mod",
    "pow",
    "min",
    "max",
    "abs",
    "floor",
    "sqrt",
    "sin",
    "exp",
    "log",
    "atan",
    "eq",
    "less",
    "<",
    ">=",
    "and",
    "or",
    "not",
    "select",
    "any-of",
    "all-of",
    "mix",
    "clamp",
    "dot",
    "length",
    "normalize",
    "cross",
    "refract",
    ".x",
    ".xyz",
    ".bgra",
    ".wwww",
    ".xr",
    "at",
    "col",
    "transpose",
    "inverse",
    "determinant",
    "pi",
    "frag-coord",
    "(frag-coord)",
    "(time)",
    "(resolution)",
    "(mouse)",
    "0",
    "1",
    "-1",
    "0.5",
    "2",
    "3",
    "7",
    "8",
    "-0",
    "-0.0",
    "1e38",
    "3.4028235e38",
    "1e39",
    "-1e39",
    "1e-45",
    "1e-46",
    "16777216",
    "4294967295",
    "4294967296",
    "1e999999999999",
    "0x10",
    "1.",
    ".5",
    "()",
    "(",
    ")",
    ";",
    "\u{feff}",
    "\0",
    "λ",
];

/// Patterns that nest an expression: `_` stands for it. Patterns without `_` replace it.
const AROUND: [&str; 36] = [
    "(- _)",
    "(+ _ _)",
    "(the num _)",
    "(if (< _ 1) _ 2)",
    "(let ((x _)) x)",
    "(let* ((x _) (y x)) (+ x y))",
    "((func (x) (+ x x)) _)",
    "((rec-func (n) (if (< n 3) (rec (+ n 1)) n)) _)",
    "int",
    "uint",
    "ivec2",
    "uvec4",
    "div",
    "rem",
    "bit-and",
    "bit-xor",
    "shift-left",
    "shift-right",
    "extract-bits",
    "bits",
    "from-bits",
    "fma",
    "ldexp",
    "pack-half2x16",
    "unpack-snorm4x8",
    "count-ones",
    "3i",
    "-1i",
    "0xffu",
    "0b101i",
    "4294967295u",
    "0xffffffffi",
    "(.x (vec2 _))",
    "(select (< _ 0) _ 1)",
    "((func (f) (f (f _))) sin)",
    "(vec3 _)",
];

/// Largest length of a mutated text, in bytes.
const MAX_LENGTH: usize = 40_000;

/// The words of core text.
const CORE: [&str; 63] = [
    "lambdav-core",
    "discard",
    "1",
    "uniform",
    "output",
    "input",
    "if",
    "guard",
    "loop",
    "yield",
    "rec",
    "else",
    "{",
    "}",
    "(",
    ")",
    ",",
    ":",
    "=",
    "%0",
    "%1",
    "%2",
    "%5",
    "%4294967295",
    "%4294967296",
    "%-1",
    "num",
    "bool",
    "vec2",
    "vec4",
    "bvec2",
    "mat2",
    "mat4",
    "int",
    "uint",
    "uvec2",
    "ivec4",
    "convert",
    "bits",
    "from-bits",
    "xor",
    "shift-left",
    "mul-high",
    "fma",
    "rem",
    "-2147483648",
    "4294967295",
    "add",
    "mul",
    "less",
    "sin",
    "pow",
    "construct",
    "component.0",
    "component.9",
    "column.1",
    "select",
    "nan",
    "-inf",
    "0x7fc00001",
    "1e39",
    "true",
    "\"g\"",
];

/// Words, names and punctuation of GLSL.
const GLSL: [&str; 159] = [
    "#version",
    "#define",
    "#undef",
    "#ifdef",
    "#if",
    "#else",
    "#endif",
    "#line",
    "#include",
    "#extension",
    "#pragma",
    "##",
    "\\",
    "450",
    "100",
    "300",
    "es",
    "core",
    "void",
    "float",
    "int",
    "uint",
    "bool",
    "double",
    "vec2",
    "vec3",
    "vec4",
    "ivec2",
    "uvec4",
    "bvec3",
    "mat2",
    "mat3x4",
    "sampler2D",
    "samplerCube",
    "texture2D",
    "sampler",
    "struct",
    "const",
    "in",
    "out",
    "inout",
    "uniform",
    "buffer",
    "shared",
    "varying",
    "attribute",
    "flat",
    "layout(location=0)",
    "layout(std140,binding=1)",
    "layout(offset=4)",
    "precision",
    "highp",
    "invariant",
    "if",
    "else",
    "for",
    "while",
    "do",
    "switch",
    "case",
    "default:",
    "break;",
    "continue;",
    "return",
    "discard;",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "[]",
    "[3]",
    ";",
    ",",
    ".",
    "=",
    "+=",
    "==",
    "!=",
    "!",
    "~",
    "+",
    "-",
    "*",
    "/",
    "%",
    "++",
    "--",
    "&&",
    "||",
    "^^",
    "&",
    "|",
    "^",
    "<<",
    ">>",
    "?",
    ":",
    "<",
    "<=",
    "0",
    "1",
    "-1",
    "0u",
    "4294967295u",
    "2147483648",
    "1.0",
    "1e39",
    ".5",
    "0.0/0.0",
    "1e-45",
    "true",
    "false",
    ".x",
    ".xyzw",
    ".stp",
    ".rrg",
    ".length()",
    "gl_FragCoord",
    "gl_FragColor",
    "gl_FragData[0]",
    "gl_Position",
    "gl_VertexID",
    "main",
    "main()",
    "texture(s,v)",
    "texture2D",
    "mix",
    "clamp",
    "dot",
    "cross",
    "normalize",
    "mod",
    "modf",
    "frexp",
    "dFdx",
    "fwidth",
    "min",
    "atan",
    "pow",
    "sin",
    "floatBitsToInt",
    "packUnorm4x8",
    "bitfieldExtract",
    "uaddCarry",
    "matrixCompMult",
    "transpose",
    "inverse",
    "mainImage",
    "iTime",
    "iResolution.xy",
    "__LINE__",
    "__VERSION__",
    "defined(A)",
    "/*",
    "*/",
    "//",
    "\n",
];

/// The language of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Programs.
    Program,
    /// Core text, and WGSL.
    Core,
    /// GLSL.
    Glsl,
}

/// The text with one to a few changes. `others` are texts from which pieces are copied.
pub(crate) fn mutate(
    text: &str,
    others: &[String],
    language: Language,
    random: &mut Random,
) -> Vec<u8> {
    let mut tokens = tokens(text, language);
    let count = 1 + random.weighted(&[50, 25, 12, 6, 4, 2, 1]);
    for _ in 0..count {
        if language != Language::Program && random.percent(55) {
            within_line(&mut tokens, random);
        } else if random.percent(if language == Language::Program { 70 } else { 45 }) {
            structured(&mut tokens, others, language, random);
        } else {
            by_token(&mut tokens, language, random);
        }
        if tokens.iter().map(String::len).sum::<usize>() > MAX_LENGTH {
            break;
        }
    }
    let mut bytes = tokens.concat().into_bytes();
    match random.below(200) {
        0 => bytes.splice(0..0, "\u{feff}".bytes()).for_each(drop),
        1 => {
            let text = String::from_utf8_lossy(&bytes).replace('\n', "\r\n");
            bytes = text.into_bytes();
        }
        2 => bytes.truncate(random.below(bytes.len() + 1)),
        3..=9 => by_byte(&mut bytes, random),
        _ => {}
    }
    bytes
}

/// The text with one piece repeated, in sequence or nested. Superlinear costs show in long texts.
pub(crate) fn more(text: &str, language: Language, random: &mut Random) -> String {
    let tokens = tokens(text, language);
    let all = pieces(&tokens, language);
    if all.is_empty() {
        return text.to_owned();
    }
    let &(start, end) = random.pick(&all);
    let inside: Vec<_> = all.iter().filter(|&&(a, b)| start < a && b < end).collect();
    let piece = tokens[start..end].concat();
    let times = 2 + random.below(30);
    let times = times.min(MAX_LENGTH.saturating_sub(text.len()) / piece.len().max(1));
    let repeated = if language == Language::Program && !inside.is_empty() && random.percent(50) {
        let &&(a, b) = random.pick(&inside);
        let (before, after) = (tokens[start..a].concat(), tokens[b..end].concat());
        before.repeat(times) + &piece + &after.repeat(times)
    } else {
        let separator = if language == Language::Program { " " } else { "\n" };
        vec![piece; times.max(1)].join(separator)
    };
    tokens[..start].concat() + &repeated + &tokens[end..].concat()
}

/// Splits a text into tokens, which include white space, comments and strings. The tokens joined are the
/// text.
fn tokens(text: &str, language: Language) -> Vec<String> {
    let mut all = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            c if language == Language::Glsl && c.is_ascii_punctuation() && c != '_' => 1,
            '(' | ')' | '{' | '}' | ',' | ':' | '=' => 1,
            ';' => rest.find('\n').unwrap_or(rest.len()),
            c if c.is_whitespace() => rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len()),
            _ => {
                let ends = |c: char| match language {
                    Language::Glsl => c.is_whitespace() || (c.is_ascii_punctuation() && c != '_'),
                    _ => c.is_whitespace() || "(){},:=;".contains(c),
                };
                let at = rest.char_indices().skip(1).find(|&(_, c)| ends(c));
                at.map_or(rest.len(), |(at, _)| at)
            }
        };
        let (token, after) = rest.split_at(length);
        all.push(token.to_owned());
        rest = after;
    }
    all
}

fn is_space(token: &str) -> bool {
    token.starts_with(|c: char| c.is_whitespace() || c == ';')
}

/// Ranges of tokens that belong together: expressions, or lines.
fn pieces(tokens: &[String], language: Language) -> Vec<(usize, usize)> {
    let mut all = Vec::new();
    match language {
        Language::Program => {
            let mut open = Vec::new();
            for (i, token) in tokens.iter().enumerate() {
                match token.as_str() {
                    "(" => open.push(i),
                    ")" => all.extend(open.pop().map(|start| (start, i + 1))),
                    token if is_space(token) => {}
                    _ => all.push((i, i + 1)),
                }
            }
        }
        Language::Core | Language::Glsl => {
            let mut start = 0;
            for (i, token) in tokens.iter().enumerate() {
                if token.contains('\n') {
                    if start < i {
                        all.push((start, i));
                    }
                    start = i + 1;
                }
            }
        }
    }
    all
}

/// Moves, copies, deletes, replaces or wraps whole pieces, so that parentheses stay balanced.
fn structured(
    tokens: &mut Vec<String>,
    others: &[String],
    language: Language,
    random: &mut Random,
) {
    let all = pieces(tokens, language);
    if all.is_empty() {
        return;
    }
    let &(start, end) = random.pick(&all);
    let &(from, to) = random.pick(&all);
    match random.weighted(&[20, 12, 15, 15, 8, 10, 8, 2]) {
        0 => {
            let piece = tokens[from..to].to_vec();
            tokens.splice(start..end, piece);
        }
        1 => {
            // Separated, so that two names do not join.
            let mut piece = tokens[from..to].to_vec();
            let separator = if language == Language::Program { " " } else { "\n" };
            piece.push(separator.into());
            tokens.splice(start..start, piece);
        }
        2 if to <= start || end <= from => {
            let (first, second) =
                if start < from { ((start, end), (from, to)) } else { ((from, to), (start, end)) };
            let (a, b) = (tokens[first.0..first.1].to_vec(), tokens[second.0..second.1].to_vec());
            tokens.splice(second.0..second.1, a);
            tokens.splice(first.0..first.1, b);
        }
        3 if !others.is_empty() => {
            let other: &String = random.pick(others);
            let mut other = self::tokens(other, language);
            let found = pieces(&other, language);
            if let Some(&(from, to)) = (!found.is_empty()).then(|| random.pick(&found)) {
                tokens.splice(start..end, other.drain(from..to));
            }
        }
        4 => tokens.splice(start..end, []).for_each(drop),
        5 if language == Language::Program => {
            let around = *random.pick(&AROUND);
            let times = [1, 1, 1, 2, 3, 10][random.below(6)];
            let mut text = tokens[start..end].concat();
            for _ in 0..times {
                if text.len() > MAX_LENGTH / 8 {
                    break;
                }
                text = around.replace('_', &text);
            }
            tokens.splice(start..end, self::tokens(&text, language));
        }
        6 => rename(tokens, start, random),
        7 if language == Language::Program => {
            let (begin, close) = *random.pick(&[("(- ", ")"), ("(let ((x 1)) ", ")"), ("(", ")")]);
            let times = *random.pick(&[50, 500, 3000]);
            let text = [begin.repeat(times), tokens[start..end].concat(), close.repeat(times)];
            tokens.splice(start..end, self::tokens(&text.concat(), language));
        }
        _ => by_token(tokens, language, random),
    }
}

/// Replaces a value, operation or number within a line, so that the text may stay well-formed.
fn within_line(tokens: &mut [String], random: &mut Random) {
    let of_kind = |tokens: &[String], accepts: &dyn Fn(usize) -> bool| -> Vec<usize> {
        (0..tokens.len()).filter(|&i| accepts(i)).collect()
    };
    let is_value = |token: &String| token.starts_with('%');
    let is_word = |token: &String| token.starts_with(|c: char| c.is_ascii_lowercase());
    let follows = |i: usize, token: &str| tokens.get(i + 1).is_some_and(|next| next == token);
    let all = match random.weighted(&[60, 25, 15]) {
        // A colon follows definitions, not uses.
        0 => of_kind(tokens, &|i| is_value(&tokens[i]) && !follows(i, ":")),
        1 => of_kind(tokens, &|i| is_word(&tokens[i])),
        _ => of_kind(tokens, &|i| tokens[i].starts_with(|c: char| c.is_ascii_digit() || c == '-')),
    };
    if all.is_empty() {
        return;
    }
    let at = *random.pick(&all);
    tokens[at] = match tokens[at].as_bytes()[0] {
        b'%' | b'a'..=b'z' => {
            // A value defined nearby is more likely to be visible here, and to have the same type.
            let place = all.partition_point(|&other| other < at);
            let near = all[place.saturating_sub(12)..(place + 3).min(all.len())].to_vec();
            let from = if random.percent(70) { *random.pick(&near) } else { *random.pick(&all) };
            tokens[from].clone()
        }
        _ => number(&tokens[at], random),
    };
}

/// Renames all tokens equal to one of them.
fn rename(tokens: &mut [String], which: usize, random: &mut Random) {
    let old = tokens[which].clone();
    if old == "(" || old == ")" || is_space(&old) {
        return;
    }
    let new = match random.below(40) {
        0 => "n".repeat(5000),
        _ => tokens[random.below(tokens.len())].clone(),
    };
    if matches!(new.as_str(), "(" | ")") || is_space(&new) {
        return;
    }
    tokens.iter_mut().filter(|token| **token == old).for_each(|token| token.clone_from(&new));
}

/// Changes any token.
fn by_token(tokens: &mut Vec<String>, language: Language, random: &mut Random) {
    let word = |random: &mut Random| match language {
        Language::Program => (*random.pick(&DICTIONARY)).to_owned(),
        Language::Core => (*random.pick(&CORE)).to_owned(),
        Language::Glsl => (*random.pick(&GLSL)).to_owned(),
    };
    if tokens.is_empty() {
        tokens.push(word(random));
        return;
    }
    let at = random.below(tokens.len());
    // White space is rarely interesting.
    let at = if is_space(&tokens[at]) { random.below(tokens.len()) } else { at };
    let is_parenthesis = matches!(tokens[at].as_str(), "(" | ")");
    let other = random.below(tokens.len());
    match random.weighted(&[10, 6, 8, 30, 10, 15]) {
        0 if !is_parenthesis || random.percent(30) => {
            tokens.remove(at);
        }
        1 => {
            let token = tokens[at].clone();
            tokens.insert(at, token);
        }
        2 if !is_parenthesis || random.percent(30) => tokens.swap(at, other),
        3 if !is_parenthesis || random.percent(20) => tokens[at] = word(random),
        4 => {
            let token = format!(" {} ", word(random));
            tokens.insert(at, token);
        }
        5 => {
            let digits = |token: &&mut String| token.contains(|c: char| c.is_ascii_digit());
            if let Some(token) = tokens.iter_mut().skip(at).find(digits) {
                *token = number(token, random);
            }
        }
        _ => {}
    }
}

/// A number derived from a token, or a random one.
fn number(token: &str, random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("-{token}"),
        1 => format!("{token}{}", random.below(10)),
        2 => format!("{token}e{}", random.between(0, 60)),
        3 => format!("{token}.{}", random.below(1000)),
        4 => format!("{:e}", f32::from_bits(random.bits() as u32)),
        _ => token.chars().rev().collect(),
    }
}

/// Changes bytes. The result need not be UTF-8.
fn by_byte(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..random.between(1, 3) {
        let at = random.below(bytes.len() + 1);
        match random.below(3) {
            0 => bytes.insert(at, random.bits() as u8),
            1 if at < bytes.len() => {
                bytes.remove(at);
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            _ => {}
        }
    }
}

/// Random bytes.
pub(crate) fn random_text(random: &mut Random) -> Vec<u8> {
    let length = random.below(200);
    let any = random.percent(30);
    (0..length)
        .map(|_| if any { random.bits() as u8 } else { *random.pick(b"() \n;.-+0e1xaf\"\\%{},:=") })
        .collect()
}
