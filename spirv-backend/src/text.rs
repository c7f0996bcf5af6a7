//! The forms that words have outside: bytes of a file, and text.

use rspirv::binary::Disassemble;
use rspirv::dr;
use thiserror::Error;

/// Why words have no text.
#[derive(Debug, Error)]
#[error("not SPIR-V: {0}")]
pub struct TextError(String);

/// The text of a module, from its words.
pub fn disassemble(words: &[u32]) -> Result<String, TextError> {
    let module = dr::load_words(words).map_err(|error| TextError(error.to_string()))?;
    let mut text = module.disassemble();
    if !text.ends_with('\n') {
        text.push('\n');
    }
    Ok(text)
}

/// The bytes of a file with these words: little-endian, as everybody writes it.
pub fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The words of a file, of either byte order; `None` if it does not begin as SPIR-V does, or ends
/// within a word.
pub fn words(bytes: &[u8]) -> Option<Vec<u32>> {
    let (chunks, []) = bytes.as_chunks::<4>() else { return None };
    let little = chunks.iter().map(|&b| u32::from_le_bytes(b));
    match chunks.first()? {
        [0x03, 0x02, 0x23, 0x07] => Some(little.collect()),
        [0x07, 0x23, 0x02, 0x03] => Some(little.map(u32::swap_bytes).collect()),
        _ => None,
    }
}
