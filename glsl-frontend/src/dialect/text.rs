//! The text of a shader as words, and the text around it.

use rustc_hash::FxHashSet;

/// The text around a shader.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) before: String,
    pub(crate) behind: String,
    /// What is worth a note to the user.
    pub(crate) notes: Vec<String>,
}

/// The words and the single characters of punctuation of a text without comments.
pub(crate) struct TextWords<'t> {
    all: Vec<&'t str>,
    /// Names and keywords.
    names: FxHashSet<&'t str>,
    /// Words in declarations of uniforms.
    declared: FxHashSet<&'t str>,
}

impl<'t> TextWords<'t> {
    /// The words of `code`, which [`without_comments`] returned.
    pub(crate) fn of(code: &'t str) -> Self {
        let mut all: Vec<&str> = Vec::with_capacity(code.len() / 3);
        all.extend(words(code));
        let is_name =
            |word: &&&str| !word.starts_with(|c: char| c.is_ascii_digit()) && word.len() > 1;
        let mut declared = FxHashSet::default();
        let mut is_declaration = false;
        for &word in &all {
            is_declaration = match word {
                "uniform" => true,
                ";" => false,
                _ => is_declaration,
            };
            if is_declaration {
                declared.insert(word);
            }
        }
        Self { names: all.iter().filter(is_name).copied().collect(), all, declared }
    }

    /// True if the name, of two characters at least, occurs.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// True if a word follows the name somewhere.
    pub(super) fn has_pair(&self, first: &str, second: &str) -> bool {
        self.has(first) && self.pairs().any(|pair| pair == [first, second])
    }

    /// All pairs of words, each with the next.
    pub(super) fn pairs(&self) -> impl Iterator<Item = [&'t str; 2]> + '_ {
        self.all.windows(2).map(|pair| [pair[0], pair[1]])
    }

    /// True if a uniform stands outside of blocks, and is no texture.
    pub(super) fn has_loose(&self) -> bool {
        let skipped = ["highp", "mediump", "lowp"];
        self.all.iter().enumerate().any(|(k, word)| {
            if *word != "uniform" {
                return false;
            }
            let mut rest = self.all[k + 1..].iter().filter(|word| !skipped.contains(word));
            let (Some(ty), Some(next)) = (rest.next(), rest.next()) else { return false };
            *next != "{"
                && !["sampler", "image", "texture", "isampler", "usampler", "iimage", "uimage"]
                    .iter()
                    .any(|start| ty.starts_with(start))
        })
    }

    /// True if the text declares a uniform of this name itself.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.declared.contains(name)
    }
}

/// The text with a blank for each comment.
pub(crate) fn without_comments(text: &str) -> String {
    let (mut code, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('/') {
        let (before, comment) = rest.split_at(at);
        code.push_str(before);
        let length = match comment.as_bytes().get(1) {
            Some(b'/') => comment.find('\n').unwrap_or(comment.len()),
            Some(b'*') => comment[2..].find("*/").map_or(comment.len(), |end| end + 4),
            _ => {
                code.push('/');
                rest = &comment[1..];
                continue;
            }
        };
        code.push(' ');
        rest = &comment[length..];
    }
    code + rest
}

/// Words and single characters of punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || **byte == b'_';
        let length = match bytes[at..].iter().take_while(is_word).count() {
            0 => text[at..].chars().next()?.len_utf8(),
            length => length,
        };
        at += length;
        Some(&text[at - length..at])
    })
}
