//! External forms of words: the bytes of a file, and text.

use rspirv::binary::Disassemble;
use rspirv::dr;
use thiserror::Error;

/// Error of [`disassemble`]: the words are no module.
#[derive(Debug, Error)]
#[error("not SPIR-V: {0}")]
pub struct TextError(String);

/// Disassembles the words of a module.
pub fn disassemble(words: &[u32]) -> Result<String, TextError> {
    let module = dr::load_words(words).map_err(|error| TextError(error.to_string()))?;
    let mut text = strings(&module.disassemble());
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
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
