//! External forms of words: the bytes of a file, and text.

use rspirv::binary::Disassemble;
use rspirv::dr;
use rspirv::spirv::Op;
use std::borrow::Cow;
use thiserror::Error;

/// Error of [`disassemble`]: the words are no module.
#[derive(Debug, Error)]
#[error("not SPIR-V: {0}")]
pub struct TextError(String);

/// Disassembles the words of a module.
pub fn disassemble(words: &[u32]) -> Result<String, TextError> {
    let module = dr::load_words(with_utf8(words)).map_err(|error| TextError(error.to_string()))?;
    let mut text = strings(&module.disassemble());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The words with U+FFFD for what is not UTF-8 in names and source texts: some compilers write such modules, and
/// nothing that a module computes depends on these strings.
pub(crate) fn with_utf8(words: &[u32]) -> Cow<'_, [u32]> {
    let mut changed: Option<Vec<u32>> = None;
    let mut at = 5;
    while let Some(&first) = words.get(at) {
        let length = (first >> 16) as usize;
        let Some(instruction) = words.get(at..at + length).filter(|_| length > 0) else { break };
        // The operands in front of the string.
        let before = match Op::from_u32(first & 0xffff) {
            Some(Op::SourceContinued | Op::SourceExtension | Op::ModuleProcessed) => 0,
            Some(Op::Name | Op::String) => 1,
            Some(Op::MemberName) => 2,
            Some(Op::Source) => 3,
            _ => usize::MAX,
        };
        let string = instruction.get(before.saturating_add(1)..).unwrap_or_default();
        let mut text = bytes(string);
        text.truncate(text.iter().position(|&byte| byte == 0).unwrap_or(text.len()));
        let mended = match std::str::from_utf8(&text) {
            Ok(_) => None,
            Err(_) => Some(words_of_string(&String::from_utf8_lossy(&text))),
        };
        match mended.filter(|string| before + 1 + string.len() <= usize::from(u16::MAX)) {
            Some(string) => {
                let out = changed.get_or_insert_with(|| words[..at].to_vec());
                let length = (before + 1 + string.len()) as u32;
                out.push(length << 16 | first & 0xffff);
                out.extend_from_slice(&instruction[1..=before]);
                out.extend(string);
            }
            None => {
                if let Some(out) = &mut changed {
                    out.extend_from_slice(instruction);
                }
            }
        }
        at += length;
    }
    match changed {
        Some(mut out) => {
            out.extend_from_slice(&words[at.min(words.len())..]);
            Cow::Owned(out)
        }
        None => Cow::Borrowed(words),
    }
}

/// Rewrites string escapes for SPIR-V text, where a backslash makes the next character literal, so that
/// `\\n` is an n. rspirv escapes strings as Rust does.
fn strings(text: &str) -> String {
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars();
    let mut is_string = false;
    while let Some(c) = chars.next() {
        match c {
            '"' => is_string = !is_string,
            '\\' if is_string => {
                match chars.next() {
                    Some('n') => result.push('\n'),
                    Some('r') => result.push('\r'),
                    Some('t') => result.push('\t'),
                    Some('0') => result.push('\0'),
                    Some('u') => {
                        let code: String = chars.by_ref().take_while(|&c| c != '}').collect();
                        let code = u32::from_str_radix(code.trim_start_matches('{'), 16);
                        result.extend(code.ok().and_then(char::from_u32));
                    }
                    Some(quoted @ ('"' | '\\')) => result.extend(['\\', quoted]),
                    other => result.extend(other),
                }
                continue;
            }
            _ => {}
        }
        result.push(c);
    }
    result
}

/// The bytes of a file with these words, little-endian as usual.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words of a file, of either byte order; `None` if the magic number is missing or the length is no
/// multiple of 4.
pub fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (chunks, []) = bytes.as_chunks::<4>() else { return None };
    let little = chunks.iter().map(|&b| u32::from_le_bytes(b));
    match chunks.first()? {
        [0x03, 0x02, 0x23, 0x07] => Some(little.collect()),
        [0x07, 0x23, 0x02, 0x03] => Some(little.map(u32::swap_bytes).collect()),
        _ => None,
    }
}

/// A string as operands of an instruction: UTF-8 that ends with a zero byte, padded with zeros.
pub fn words_of_string(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    bytes.as_chunks().0.iter().map(|&four| u32::from_le_bytes(four)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names and source texts that are not UTF-8 are shown with U+FFFD, and the rest stays.
    #[test]
    fn strings_that_are_not_utf8() {
        let header = [0x0723_0203, 0x0001_0000, 0, 9, 0];
        let name = |bytes: [u8; 4]| vec![4 << 16 | 5, 1, u32::from_le_bytes(bytes), 0];
        let capability = vec![2 << 16 | 17, 1];
        let words = [&header[..], &capability, &name(*b"a\xe9bc"), &name(*b"good")].concat();
        let text = disassemble(&words).expect("it is mended");
        assert!(text.contains("\"a\u{fffd}bc\"") && text.contains("\"good\""), "{text}");
        let good = [&header[..], &capability, &name(*b"good")].concat();
        assert!(matches!(with_utf8(&good), Cow::Borrowed(_)));
    }
}
