//! The examples of the pages that explain codes
//! ([`DiagnosticCode::page`](super::DiagnosticCode::page)).
//!
//! A page is Markdown: the title `# LV0401: …`, prose, and fenced blocks. The tag of a block states the
//! compiler's expected result, which tests check.

use super::DiagnosticCode;

/// The tag of a fenced block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tag {
    /// `lv rejected`: a program whose first finding has the code of the page, an error.
    Rejected,
    /// `lv warned`: a program that is accepted, whose first finding has the code of the page.
    Warned,
    /// `lv exceeds`: a program without findings that stops with the code of the page when it is
    /// rendered.
    Exceeds,
    /// `lv accepted`: a program without findings.
    Accepted,
    /// `text`: content that cannot be written as a program on a page.
    Text,
}

impl Tag {
    /// Parses the tag of a fence ```` ```lv rejected ````: the text after the back quotes.
    fn parse(info: &str) -> Option<Self> {
        Some(match info {
            "lv rejected" => Self::Rejected,
            "lv warned" => Self::Warned,
            "lv exceeds" => Self::Exceeds,
            "lv accepted" => Self::Accepted,
            "text" => Self::Text,
            _ => return None,
        })
    }
}

/// The fenced blocks of the page of a code, in order, without those with an unknown tag.
pub fn page_examples(code: DiagnosticCode) -> Vec<(Tag, String)> {
    blocks(code.page())
        .into_iter()
        .filter_map(|(info, text)| Some((Tag::parse(info)?, text)))
        .collect()
}

/// The fenced blocks of a Markdown text: the tag after the opening back quotes, and the content.
fn blocks(page: &str) -> Vec<(&str, String)> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(info) = line.strip_prefix("```") {
            let content = lines.by_ref().take_while(|&line| line != "```");
            blocks.push((info, content.map(|line| format!("{line}\n")).collect()));
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostics::Severity;

    #[test]
    fn codes_are_found_by_name() {
        for &code in DiagnosticCode::ALL {
            assert_eq!(DiagnosticCode::parse(code.as_str()), Some(code));
            assert_eq!(DiagnosticCode::parse(&code.as_str().to_lowercase()), Some(code));
        }
        assert_eq!(DiagnosticCode::parse("LV9999"), None);
        assert_eq!(DiagnosticCode::parse("401"), None);
        assert!(DiagnosticCode::ALL.is_sorted_by_key(|code| code.as_str()));
    }

    #[test]
    fn pages_have_title_prose_and_examples() {
        for &code in DiagnosticCode::ALL {
            let page = code.page();
            let name = code.as_str();
            assert_eq!(
                page.lines().next(),
                Some(&*format!("# {name}: {}", code.title())),
                "{name}"
            );
            assert!(page.split("```").step_by(2).map(str::len).sum::<usize>() > 300, "{name}");
            assert!(!page.contains('\t') && page.ends_with('\n'), "{name}");
            let known = page_examples(code).len();
            assert_eq!(known, blocks(page).len(), "{name} has a block with an unknown tag");
            let tags: Vec<_> = page_examples(code).into_iter().map(|(tag, _)| tag).collect();
            let wrong = match (code, code.severity()) {
                (DiagnosticCode::LoopLimit, _) => Tag::Exceeds,
                (_, Severity::Error) => Tag::Rejected,
                (_, Severity::Warning) => Tag::Warned,
            };
            let text_only = matches!(
                code,
                DiagnosticCode::NotUtf8
                    | DiagnosticCode::NestedTooDeep
                    | DiagnosticCode::ControlCharacter
                    | DiagnosticCode::TextTooLong
                    | DiagnosticCode::BlocksTooDeep
                    | DiagnosticCode::EvaluatorLimit
                    | DiagnosticCode::IndexedArray
                    | DiagnosticCode::Unbound
                    | DiagnosticCode::TooManyIds
                    | DiagnosticCode::WrittenTwice
                    | DiagnosticCode::UnorderedWrite
                    | DiagnosticCode::NativeSampler
                    | DiagnosticCode::Dispatched
                    | DiagnosticCode::DivergentBarrier
                    | DiagnosticCode::MalformedCore
                    | DiagnosticCode::CoreVersion
                    | DiagnosticCode::InvalidModule
                    | DiagnosticCode::MalformedModule
                    | DiagnosticCode::UnsupportedModule
            );
            let text_only = text_only || is_foreign(code);
            let first = if text_only { Tag::Text } else { wrong };
            assert_eq!(tags.first(), Some(&first), "{name}");
            let no_shader = matches!(
                code,
                DiagnosticCode::MalformedCore
                    | DiagnosticCode::CoreVersion
                    | DiagnosticCode::Dispatched
                    | DiagnosticCode::DivergentBarrier
                    | DiagnosticCode::InvalidModule
                    | DiagnosticCode::MalformedModule
                    | DiagnosticCode::UnsupportedModule
            );
            let no_shader = no_shader || is_foreign(code);
            assert!(no_shader || tags.contains(&Tag::Accepted), "{name}");
        }
    }

    /// True for findings on GLSL and WGSL texts, whose pages their front ends test.
    fn is_foreign(code: DiagnosticCode) -> bool {
        ("LV0611"..="LV0644").contains(&code.as_str())
    }

    #[test]
    fn every_page_has_a_code() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/diagnostics/pages");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let code = name.strip_suffix(".md").and_then(DiagnosticCode::parse);
            assert_eq!(code.map(|code| format!("{}.md", code.as_str())), Some(name));
        }
    }
}
