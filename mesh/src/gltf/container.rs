//! The container of a glTF: its JSON text alone, or a binary file of chunks.

use crate::error::ContainerError;

/// The parts of a glTF file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Container<'a> {
    pub(super) json: &'a [u8],
    /// The chunk that the first buffer may use.
    pub(super) binary: Option<&'a [u8]>,
}

/// Splits a file. Bytes after the declared length, and chunks of unknown types, are ignored.
pub(super) fn split(bytes: &[u8]) -> Result<Container<'_>, ContainerError> {
    let Some(header) = bytes.strip_prefix(b"glTF") else {
        let json = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        return Ok(Container { json, binary: None });
    };
    let truncated = |declared: u64, found: usize| {
        let found = found as u64;
        ContainerError::Truncated { declared, found }
    };
    let ([version, length], _) = words(header).ok_or(truncated(12, bytes.len()))?;
    if version != 2 {
        return Err(ContainerError::Version(version));
    }
    let file = usize::try_from(length).ok().and_then(|length| bytes.get(..length));
    let chunks = file.and_then(|file| file.get(12..));
    let mut rest = chunks.ok_or(truncated(length.max(12).into(), bytes.len()))?;
    let whole = 12 + rest.len();
    let (mut json, mut binary) = (None, None);
    while !rest.is_empty() {
        let begin = (whole - rest.len()) as u64 + 8;
        let ([length, kind], content) = words(rest).ok_or(truncated(begin, whole))?;
        let length = length as usize;
        let end = begin + length as u64;
        let (content, after) = content.split_at_checked(length).ok_or(truncated(end, whole))?;
        match (json, &kind.to_le_bytes()) {
            (None, b"JSON") => json = Some(content),
            (None, _) => return Err(ContainerError::NoJson),
            (Some(_), b"BIN\0") => binary = binary.or(Some(content)),
            _ => {}
        }
        rest = after;
    }
    Ok(Container { json: json.ok_or(ContainerError::NoJson)?, binary })
}

/// Two little-endian words, and the bytes after them.
fn words(bytes: &[u8]) -> Option<([u32; 2], &[u8])> {
    let (&[a, b, c, d, e, f, g, h], rest) = bytes.split_first_chunk()?;
    Some(([u32::from_le_bytes([a, b, c, d]), u32::from_le_bytes([e, f, g, h])], rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(version: u32, length: u32, chunks: &[(&[u8; 4], &[u8])]) -> Vec<u8> {
        let mut bytes = b"glTF".to_vec();
        bytes.extend([version.to_le_bytes(), length.to_le_bytes()].concat());
        for (kind, content) in chunks {
            bytes.extend((content.len() as u32).to_le_bytes());
            bytes.extend(*kind);
            bytes.extend(*content);
        }
        bytes
    }

    #[test]
    fn chunks_are_found() {
        let text = Container { json: b"{}", binary: None };
        assert_eq!(split(b"{}"), Ok(text));
        let both = file(2, 34, &[(b"JSON", b"{}"), (b"BIN\0", b"abcd"), (b"BIN\0", b"")]);
        // The declared length ends before the third chunk.
        assert_eq!(split(&both[..34]), Ok(Container { json: b"{}", binary: Some(b"abcd") }));
        assert_eq!(split(&both), Ok(Container { json: b"{}", binary: Some(b"abcd") }));
        let other = file(2, 33, &[(b"JSON", b"{}"), (b"MORE", b"abc")]);
        assert_eq!(split(&other), Ok(Container { json: b"{}", binary: None }));
    }

    #[test]
    fn broken_containers_are_refused() {
        let json: &[(&[u8; 4], &[u8])] = &[(b"JSON", b"{}")];
        assert_eq!(split(&file(1, 22, json)), Err(ContainerError::Version(1)));
        let truncated = |declared, found| Err(ContainerError::Truncated { declared, found });
        assert_eq!(split(b"glTF\x02"), truncated(12, 5));
        assert_eq!(split(&file(2, 23, json)), truncated(23, 22));
        assert_eq!(split(&file(2, 4, json)), truncated(12, 22));
        assert_eq!(split(&file(2, 21, json)), truncated(22, 21));
        assert_eq!(split(&file(2, 15, json)), truncated(20, 15));
        assert_eq!(split(&file(2, 12, json)), Err(ContainerError::NoJson));
        let binary: &[(&[u8; 4], &[u8])] = &[(b"BIN\0", b"")];
        assert_eq!(split(&file(2, 20, binary)), Err(ContainerError::NoJson));
    }
}
