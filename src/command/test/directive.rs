//! Directives: comments that say what is tested.

use crate::command::comparison::CompareArguments;
use crate::command::render::{PictureArguments, SampleArguments};
use crate::command::values::Outputs;
use clap::{Parser, ValueEnum};
use lambdav::core::diagnostics::printable;

/// What a directive says.
#[derive(Parser, Clone, Debug)]
#[command(
    no_binary_name = true,
    disable_help_flag = true,
    override_usage = "; test: [NAME] [OPTION]…"
)]
pub(super) struct Directive {
    /// What tells it from other tests of the program
    #[arg(value_parser = name)]
    pub(super) name: Option<String>,
    #[command(flatten)]
    pub(super) picture: PictureArguments,
    #[command(flatten)]
    pub(super) samples: SampleArguments,
    #[command(flatten)]
    pub(super) allowed: CompareArguments,
    /// What the golden is
    #[arg(long = "format", value_enum, default_value_t = Kind::Png)]
    pub(super) kind: Kind,
}

/// What a golden is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Kind {
    /// A PNG file.
    Png,
    /// An OpenEXR file.
    Exr,
    /// An NPY file.
    Npy,
    /// A text file with a digest of the picture.
    Digest,
}

impl Kind {
    /// The ending of its files.
    pub(super) fn ending(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Exr => "exr",
            Self::Npy => "npy",
            Self::Digest => "digest",
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

/// A directive and its line, from 1; or what is wrong with it.
pub(super) type Found = (usize, Result<Directive, String>);

/// The directives of a program's text: comments that begin with `test:`.
pub(super) fn in_comments(text: &str) -> Vec<Found> {
    let lines = text.lines().enumerate();
    lines
        .filter_map(|(index, line)| {
            let comment = line.trim_start().strip_prefix(';')?.trim_start_matches(';').trim_start();
            Some((index + 1, read(comment.strip_prefix("test:")?)))
        })
        .collect()
}

/// The directives of a file of them: one on a line. Comments begin with `;`.
pub(super) fn in_file(text: &str) -> Vec<Found> {
    let lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim()));
    lines
        .filter(|(_, line)| !line.is_empty() && !line.starts_with(';'))
        .map(|(line, words)| (line, read(words.strip_prefix("test:").unwrap_or(words))))
        .collect()
}

fn read(words: &str) -> Result<Directive, String> {
    let words = shlex::split(words).ok_or("a quotation mark is not closed")?;
    let directive = Directive::try_parse_from(words).map_err(|error| {
        // The first paragraph says what is wrong; the usage that follows is of another command.
        let text = error.render().to_string();
        let text = text.split("\n\n").next().unwrap_or_default();
        printable(text.trim_start_matches("error: ")).to_string()
    })?;
    let samples = &directive.samples;
    if directive.picture.output == Some(Outputs::All) {
        return Err("a test is of one output; write one for each".to_owned());
    }
    let is_digest = directive.kind == Kind::Digest;
    if is_digest && directive.allowed != CompareArguments::default() {
        return Err("pictures are not compared by their digests: nothing may differ".to_owned());
    }
    if directive.kind != Kind::Png && !is_digest && (samples.srgb || samples.depth.is_some()) {
        let kind = directive.kind.ending();
        return Err(format!(
            "--srgb and --depth are for png; {kind} holds the numbers as they are"
        ));
    }
    if is_digest && samples.srgb && samples.depth.is_none() {
        return Err("--srgb is for samples of 8 or 16 bits; add --depth".to_owned());
    }
    if directive.allowed.max_ulp.is_some() && directive.kind == Kind::Png {
        return Err("--max-ulp is for floats: --format exr or --format npy".to_owned());
    }
    Ok(directive)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(text: &str) -> Result<Directive, String> {
        let mut found = in_comments(text);
        assert_eq!(found.len(), 1, "{text}");
        found.remove(0).1
    }

    #[test]
    fn directives_are_comments() {
        let text = "; A disk.\n  ;; test: --size 4x4\n(vec4 1) ; test: no\n;test: b --time -1.5 \
                    --set 'l={\"power\": 2}' --format npy --max-ulp 2\n; tests: none";
        let found = in_comments(text);
        let lines: Vec<usize> = found.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 4]);
        let second = found[1].1.as_ref().expect("it is right");
        assert_eq!((second.name.as_deref(), second.picture.time), (Some("b"), -1.5));
        assert_eq!(second.picture.set, ["l={\"power\": 2}"]);
        assert_eq!((second.kind, second.allowed.max_ulp), (Kind::Npy, Some(2)));
        assert_eq!(in_file("; x\n\na --time 1\ntest: b\n").len(), 2);
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
        ] {
            let error = one(&format!("; test: {words}")).expect_err(words);
            assert!(error.contains(message), "{words}: {error}");
            assert!(!error.contains("Usage"), "{error}");
        }
    }
}
