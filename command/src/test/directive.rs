//! Directives: comments that declare tests.

use crate::binds::file_of;
use crate::comparison::CompareArguments;
use crate::render::{PictureArguments, SampleArguments};
use crate::unit::{Groups, groups};
use crate::values::Outputs;
use clap::{Parser, ValueEnum};
use lambdav_core::diagnostics::printable;
use std::path::{Path, PathBuf};

/// Options of a directive.
#[derive(Parser, Clone, Debug)]
#[command(
    no_binary_name = true,
    disable_help_flag = true,
    override_usage = "; test: [NAME] [OPTION]…"
)]
pub(super) struct Directive {
    /// Name of the test among those of the program
    #[arg(value_parser = name)]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    #[command(flatten)]
    pub(super) samples: SampleArguments,
    #[command(flatten)]
    pub(super) allowed: CompareArguments,
    /// Workgroups of a compute program, whose golden is a buffer; without --save it has expectations alone
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = groups)]
    pub(super) groups: Option<Groups>,
    /// Zeros for a buffer of a compute program
    #[arg(long, value_name = "NAME=N", requires = "groups")]
    pub(super) zeros: Vec<String>,
    /// The buffer of a compute program, or the result of passes, that the golden holds
    #[arg(long, value_name = "NAME")]
    pub(super) save: Option<String>,
    /// Format of the golden; none for a test that has expectations alone
    #[arg(long = "format", value_enum, default_value_t = GoldenFormat::Png)]
    pub(super) kind: GoldenFormat,
}

/// Format of a golden.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum GoldenFormat {
    /// A PNG file.
    Png,
    /// An OpenEXR file.
    Exr,
    /// An NPY file.
    Npy,
    /// A text file with a digest of the picture.
    Digest,
    /// No golden: the expectations are the test.
    None,
    /// A JSON file with a buffer.
    #[value(skip)]
    Json,
}

/// Reason why a test cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// The directive is malformed.
    Directive(String),
    /// Something else; the message says where.
    Placed(String),
}

impl Wrong {
    /// The message without the place of the directive.
    pub(super) fn message(&self) -> &str {
        match self {
            Self::Directive(message) | Self::Placed(message) => message,
        }
    }
}

impl GoldenFormat {
    /// File name extension.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Exr => "exr",
            Self::Npy => "npy",
            Self::Digest => "digest",
            Self::None => "none",
            Self::Json => "json",
        }
    }
}

fn name(text: &str) -> Result<String, String> {
    let is_good = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    match text {
        "new" | "diff" => Err(format!("`{text}` stands for the pictures of tests that fail")),
        _ if !text.is_empty() && text.chars().all(is_good) => Ok(text.to_owned()),
        _ => Err(format!("`{text}` is no name of a test: it has letters, digits, - and _")),
    }
}

/// Parses a directive; the error is its message.
pub(super) fn read(words: &str) -> Result<Directive, String> {
    let split = shlex::split(words).ok_or("a quotation mark is not closed")?;
    if named(&split).iter().any(|path| path == Path::new("-")) {
        return Err("a test has no standard input; name a file in place of `-`".to_owned());
    }
    let directive = Directive::try_parse_from(split).map_err(|error| {
        // The first paragraph is the error; the rest is the usage of another command.
        let text = error.render().to_string();
        let text = text.split("\n\n").next().unwrap_or_default();
        printable(text.trim_start_matches("error: ")).to_string()
    })?;
    let mut directive = directive;
    if directive.save.is_some() {
        if directive.kind != GoldenFormat::Png
            || directive.allowed != CompareArguments::default()
            || directive.samples.srgb
            || !directive.samples.depth.is_empty()
        {
            let what = "a buffer is compared exactly, as JSON: leave out --format and what allows differences";
            return Err(what.to_owned());
        }
        directive.kind = GoldenFormat::Json;
        return Ok(directive);
    }
    if directive.groups.is_some() || directive.kind == GoldenFormat::None {
        if !matches!(directive.kind, GoldenFormat::Png | GoldenFormat::None)
            || directive.allowed != CompareArguments::default()
            || directive.samples.srgb
            || !directive.samples.depth.is_empty()
        {
            let what = match directive.kind {
                GoldenFormat::None => "there is no golden: leave out options of one",
                _ => {
                    "a compute program has no picture: name the buffer that is compared, --save NAME"
                }
            };
            return Err(what.to_owned());
        }
        directive.kind = GoldenFormat::None;
    }
    let samples = &directive.samples;
    if directive.picture.output == Some(Outputs::All) {
        return Err("a test is of one output; write one for each".to_owned());
    }
    let is_digest = directive.kind == GoldenFormat::Digest;
    if is_digest && directive.allowed != CompareArguments::default() {
        return Err("pictures are not compared by their digests: nothing may differ".to_owned());
    }
    if directive.kind != GoldenFormat::Png
        && !is_digest
        && (samples.srgb || samples.bits().is_some())
    {
        let kind = directive.kind.ending();
        return Err(format!(
            "--srgb and --depth are for png; {kind} holds the numbers as they are"
        ));
    }
    if let Some(path) = samples.depth_file() {
        let path = path.display();
        return Err(format!("`{path}`: a test compares the picture; leave the depth buffer out"));
    }
    if is_digest && samples.srgb && samples.bits().is_none() {
        return Err("--srgb is for samples of 8 or 16 bits; add --depth".to_owned());
    }
    if directive.allowed.max_ulp.is_some() && directive.kind == GoldenFormat::Png {
        return Err("--max-ulp is for floats: --format exr or --format npy".to_owned());
    }
    Ok(directive)
}

/// Files that a directive names, relative to its program. Works for malformed directives, too.
pub(super) fn inputs(words: &str) -> Vec<PathBuf> {
    let split = shlex::split(words)
        .unwrap_or_else(|| words.split_whitespace().map(str::to_owned).collect());
    named(&split)
}

/// Files that the words of a directive name.
fn named(words: &[String]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let (option, value) = match word.split_once('=') {
            Some((option, value)) => (option, Some(value)),
            None => (word.as_str(), None),
        };
        if !["--bind", "--uniforms", "--mesh"].contains(&option) {
            continue;
        }
        let Some(value) = value.or_else(|| words.next().map(String::as_str)) else { break };
        found.extend(match option {
            "--bind" => file_of(value),
            "--mesh" => Some(value.rsplit_once('#').map_or(value, |(file, _)| file).into()),
            _ => Some(value.into()),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_command_lines() {
        let words = " b --time -1.5 --set 'l={\"power\": 2}' --format npy --max-ulp 2";
        let directive = read(words).expect("it is right");
        assert_eq!((directive.name.as_deref(), directive.picture.time), (Some("b"), -1.5));
        assert_eq!(directive.picture.set, ["l={\"power\": 2}"]);
        assert_eq!((directive.kind, directive.allowed.max_ulp), (GoldenFormat::Npy, Some(2)));
    }

    #[test]
    fn files_are_named_by_options() {
        let words = "a --bind t=x.png --bind=u='a b.npy' --uniforms v.json --uniforms=w.json \
                     --set bind=no --oops --bind 'v=c=d.png' --bind w=e.png:flip --bind";
        let paths = ["x.png", "a b.npy", "v.json", "w.json", "c=d.png", "e.png"].map(PathBuf::from);
        assert_eq!(inputs(words), paths);
        assert_eq!(inputs("--bind t=x.png 'a").first(), paths.first());
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (words, message) in [
            ("--size", "a value is required for '--size <WxH>'"),
            ("--size 0x4", "0x4"),
            ("a b", "unexpected argument 'b'"),
            ("a/b", "is no name of a test"),
            ("new", "stands for the pictures of tests that fail"),
            ("'a", "a quotation mark is not closed"),
            ("--format gif", "invalid value 'gif'"),
            ("--format digest --tolerance 1", "nothing may differ"),
            ("--format exr --srgb", "exr holds the numbers as they are"),
            ("--format digest --srgb", "add --depth"),
            ("--max-ulp 1", "--format exr or --format npy"),
            ("--output all", "a test is of one output; write one for each"),
            ("--as exr", "unexpected argument '--as'"),
            ("--help", "unexpected argument '--help'"),
            ("--engine core", "unexpected argument '--engine'"),
            ("--bind t=-", "a test has no standard input"),
            ("--uniforms -", "a test has no standard input"),
        ] {
            let error = read(words).expect_err(words);
            assert!(error.contains(message), "{words}: {error}");
            assert!(!error.contains("Usage"), "{error}");
        }
    }
}
