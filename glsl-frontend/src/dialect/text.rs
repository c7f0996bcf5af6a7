//! The text of a shader as words, and the text around it.

/// The text around a shader.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Frame {
    pub(crate) before: String,
    pub(crate) behind: String,
    /// What is worth a note to the user.
    pub(crate) notes: Vec<String>,
}

/// True if a uniform stands outside of blocks, and is no texture.
pub(super) fn has_loose(words: &[&str]) -> bool {
    let skipped = ["highp", "mediump", "lowp"];
    words.iter().enumerate().any(|(k, word)| {
        if *word != "uniform" {
            return false;
        }
        let mut rest = words[k + 1..].iter().filter(|word| !skipped.contains(word));
        let (Some(ty), Some(next)) = (rest.next(), rest.next()) else { return false };
        *next != "{"
            && !["sampler", "image", "texture", "isampler", "usampler", "iimage", "uimage"]
                .iter()
                .any(|start| ty.starts_with(start))
    })
}

/// True if the text declares a uniform of this name itself.
pub(super) fn declares(words: &[&str], name: &str) -> bool {
    words.iter().enumerate().any(|(k, word)| {
        *word == "uniform"
            && words[k..].iter().take_while(|word| **word != ";").any(|word| *word == name)
    })
}

/// The text with a blank for each comment.
pub(super) fn without_comments(text: &str) -> String {
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
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        rest = rest.trim_start();
        let first = rest.chars().next()?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (word, behind) = rest.split_at(end);
        rest = behind;
        Some(word)
    })
}
