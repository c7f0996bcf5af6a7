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

/// The text with blanks for its comments; lines stay.
pub(super) fn without_comments(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut k = 0;
    while k < bytes.len() {
        match (bytes[k], bytes.get(k + 1)) {
            (b'/', Some(b'/')) => {
                while k < bytes.len() && bytes[k] != b'\n' {
                    k += 1;
                }
            }
            (b'/', Some(b'*')) => {
                let end = text[k + 2..].find("*/").map_or(bytes.len(), |at| k + 2 + at + 2);
                out.extend(bytes[k..end].iter().filter(|&&byte| byte == b'\n'));
                out.push(b' ');
                k = end;
            }
            (byte, _) => {
                out.push(byte);
                k += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
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
