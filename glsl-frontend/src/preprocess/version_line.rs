//! `#version`.

use super::define::error;
use super::lexer::{Interned, Lexer, RawKind, RawToken};
use super::number::integer;
use crate::version::Version;
use lambdav_core::diagnostics::{Diagnostic, quote};
use lambdav_core::source::Span;

/// What a `#version` says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VersionLine {
    pub version: Version,
    /// True for the compatibility profile.
    pub compatibility: bool,
}

/// The versions of GLSL, and of GLSL ES.
pub(super) const DESKTOP: [u32; 13] =
    [110, 120, 130, 140, 150, 330, 400, 410, 420, 430, 440, 450, 460];
pub(super) const ES: [u32; 4] = [100, 300, 310, 320];

/// The version of a text: that of its first `#version`, wherever it stands outside comments, and the position
/// of the directive. `None` without one, or if it is malformed.
pub fn scan_version(text: &str) -> Option<(Version, Span)> {
    scan(text).and_then(|(span, line)| Some((line.ok()?.version, span)))
}

/// The first `#version` of a text.
pub(super) fn scan(text: &str) -> Option<(Span, Result<VersionLine, Diagnostic>)> {
    if !may_have_version(text) {
        return None;
    }
    let mut interned = Interned::default();
    let mut lexer = Lexer::new(text, 0);
    let word = interned.names.number("version");
    while let Some(hash) = lexer.next(&mut interned) {
        if !(hash.is_first() && hash.kind == RawKind::Hash) {
            continue;
        }
        let Some(first) = lexer.next(&mut interned) else { break };
        if first.kind != RawKind::Name(word) {
            continue;
        }
        let mut line = Vec::new();
        while let Some(token) = lexer.next(&mut interned)
            && token.kind != RawKind::NewLine
        {
            line.push(token);
        }
        let span = hash.span.to(line.last().unwrap_or(&first).span);
        return Some((span, parse(&line, span, &interned)));
    }
    None
}

/// False if no line can be a `#version`: most texts without one need not be split into tokens for that.
fn may_have_version(text: &str) -> bool {
    // Joined lines.
    if ["\\\n", "\\\r"].iter().any(|joint| text.contains(joint)) {
        let joined = text.replace("\\\r\n", "").replace("\\\n", "").replace("\\\r", "");
        return may_have_version(&joined);
    }
    text.match_indices("version").any(|(at, _)| {
        let line = text[..at].rfind(['\n', '\r']).map_or(0, |end| end + 1);
        let before = &text[line..at];
        // A comment may stand between, and begin lines above.
        before.contains('#') || before.contains("*/")
    })
}

/// Parses what follows `#version`; `span` is the whole directive.
pub(super) fn parse(
    line: &[RawToken],
    span: Span,
    interned: &Interned,
) -> Result<VersionLine, Diagnostic> {
    const HELP: &str = "write `#version 450`, `#version 330 core` or `#version 300 es`";
    let Some(&RawToken { kind: RawKind::Number(text), span: at, .. }) = line.first() else {
        let at = line.first().map_or(span, |token| token.span);
        return Err(error(at, "`#version` lacks a number").label("here").help(HELP));
    };
    let text = interned.texts.text(text);
    let number = integer(text).ok().and_then(|(value, _)| u32::try_from(value).ok()).unwrap_or(0);
    let unknown = |help: String| {
        let found = error(at, format!("there is no version {} of GLSL", quote(text)));
        Err(found.label("unknown").help(help))
    };
    let profile = match line.get(1).map(|token| token.kind) {
        None => None,
        Some(RawKind::Name(name)) => Some(interned.names.text(name)),
        Some(_) => Some(""),
    };
    if let Some(extra) = line.get(2) {
        let found = error(extra.span, "`#version` has more than a number and a profile");
        return Err(found.label("from here").help("move the rest to a line of its own"));
    }
    let desktop =
        |compatibility| Ok(VersionLine { version: Version { number, es: false }, compatibility });
    let is_es = ES.contains(&number);
    match profile {
        None if number == 100 => {}
        None | Some("core" | "compatibility") if is_es && number != 100 => {
            return Err(error(span, format!("version {number} is of GLSL ES only"))
                .label("lacks `es`")
                .help(format!(
                    "write `#version {number} es`, or another number for desktop GLSL"
                )));
        }
        Some("es") if is_es => {}
        Some("es") => {
            let [old @ .., new] = ES.map(|es| es.to_string());
            return unknown(format!("GLSL ES has the versions {} and {new}", old.join(", ")));
        }
        None | Some("core" | "compatibility") if !DESKTOP.contains(&number) => {
            let [old @ .., new] = DESKTOP.map(|desktop| desktop.to_string());
            return unknown(format!("GLSL has the versions {} and {new}", old.join(", ")));
        }
        None => return desktop(false),
        Some("core" | "compatibility") if number < 150 => {
            return Err(error(line[1].span, format!("version {number} has no profiles"))
                .label("since version 150")
                .help(format!("write `#version {number}`")));
        }
        Some("core") => return desktop(false),
        Some("compatibility") => return desktop(true),
        Some(other) => {
            let found = error(line[1].span, format!("there is no profile {}", quote(other)));
            return Err(found
                .label("unknown")
                .help("the profiles are `core`, `compatibility` and `es`"));
        }
    }
    Ok(VersionLine { version: Version { number, es: true }, compatibility: false })
}
