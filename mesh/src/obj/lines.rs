//! Lines and words of OBJ files and material libraries. Bytes need not be UTF-8: comments and names often are not.

use std::borrow::Cow;

/// Lines with their numbers, the first 1. A line that ends with a backslash goes on in the next.
pub(super) struct Lines<'a> {
    rest: &'a [u8],
    number: u64,
}

impl<'a> Lines<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), number: 0 }
    }

    /// The next line as it is in the file.
    fn raw(&mut self) -> &'a [u8] {
        self.number += 1;
        let end = self.rest.iter().position(|&byte| byte == b'\n').unwrap_or(self.rest.len());
        let (line, rest) = self.rest.split_at(end);
        self.rest = rest.get(1..).unwrap_or_default();
        line.strip_suffix(b"\r").unwrap_or(line)
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = (u64, Cow<'a, [u8]>);

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let mut line = Cow::Borrowed(self.raw());
        let number = self.number;
        while line.last() == Some(&b'\\') {
            let whole = line.to_mut();
            whole.pop();
            whole.push(b' ');
            if self.rest.is_empty() {
                break;
            }
            whole.extend_from_slice(self.raw());
        }
        Some((number, line))
    }
}

/// Words of a line, up to a comment.
pub(super) struct Words<'a> {
    rest: &'a [u8],
}

impl<'a> Words<'a> {
    pub(super) fn new(line: &'a [u8]) -> Self {
        Self { rest: line }
    }

    /// The rest of the line as a name, in which blanks and `#` may occur.
    pub(super) fn rest(self) -> String {
        String::from_utf8_lossy(self.rest.trim_ascii()).into_owned()
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = &'a [u8];

    fn next(&mut self) -> Option<&'a [u8]> {
        let text = self.rest.trim_ascii_start();
        if text.first().is_none_or(|&byte| byte == b'#') {
            self.rest = &[];
            return None;
        }
        let end = text.iter().position(u8::is_ascii_whitespace).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        Some(word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(bytes: &[u8]) -> Vec<(u64, String)> {
        let text = |(number, line): (u64, Cow<'_, [u8]>)| {
            (number, String::from_utf8_lossy(&line).into_owned())
        };
        Lines::new(bytes).map(text).collect()
    }

    #[test]
    fn lines_are_numbered_and_go_on_after_backslashes() {
        let line = |number, text: &str| (number, text.to_owned());
        let found = lines(b"\xef\xbb\xbfa\r\nb\\\nc\\\r\nd\n\ne\\");
        assert_eq!(found, [line(1, "a"), line(2, "b c d"), line(5, ""), line(6, "e ")]);
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), [line(1, "")]);
    }

    #[test]
    fn comments_end_words_but_not_names() {
        let mut words = Words::new(b" usemtl\t a#b  c ");
        assert_eq!(words.next(), Some(&b"usemtl"[..]));
        assert_eq!(words.rest(), "a#b  c");
        let words: Vec<&[u8]> = Words::new(b"v 1 2#3 #4 5").collect();
        assert_eq!(words, [&b"v"[..], b"1", b"2#3"]);
    }
}
