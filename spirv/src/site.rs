//! Notes in an instrumented module about the sites that it reports.
//!
//! A host that reads the buffer of reports finds for each site two words, and here its meaning: strings such as
//! `lambdav site 3: a.lv:3:12: sqrt: operand below 0`, which no instruction uses and drivers ignore.

use rspirv::spirv::Op;
use std::fmt;

const HEAD: &str = "lambdav site ";

/// A site of an instrumented module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteNote {
    /// Its number: its words in the buffer are at 2 · number and the next place.
    pub number: u32,
    /// Place, operation and condition.
    pub text: String,
}

impl fmt::Display for SiteNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{HEAD}{}: {}", self.number, self.text)
    }
}

impl SiteNote {
    /// Parses a note as `Display` writes it.
    pub fn parse(text: &str) -> Option<Self> {
        let (number, text) = text.strip_prefix(HEAD)?.split_once(": ")?;
        Some(Self { number: number.parse().ok()?, text: text.to_owned() })
    }

    /// Adds notes to the words of a module.
    pub fn add(words: &[u32], notes: &[Self]) -> Vec<u32> {
        let Some((head, _)) = words.split_at_checked(5) else { return words.to_vec() };
        // Strings come before names, decorations and types.
        let comes_before = |op: Op| {
            matches!(
                op,
                Op::Capability
                    | Op::Extension
                    | Op::ExtInstImport
                    | Op::MemoryModel
                    | Op::EntryPoint
                    | Op::ExecutionMode
                    | Op::ExecutionModeId
                    | Op::String
            )
        };
        let mut at = head.len();
        while let Some(&first) = words.get(at)
            && Op::from_u32(first & 0xffff).is_some_and(comes_before)
        {
            at += (first >> 16).max(1) as usize;
        }
        let at = at.min(words.len());
        let mut all = words[..at].to_vec();
        for note in notes {
            let id = all[3];
            all[3] += 1;
            // An instruction has at most 65,535 words.
            let text = note.to_string();
            let mut bytes = text.as_bytes()[..text.floor_char_boundary(4 * 0xfff0)].to_vec();
            bytes.resize((bytes.len() / 4 + 1) * 4, 0);
            let text = bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
            all.push((2 + bytes.len() as u32 / 4) << 16 | Op::String as u32);
            all.push(id);
            all.extend(text);
        }
        all.extend(&words[at..]);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_are_read_again() {
        let text = "a: b.lv:3:12: sqrt: operand below 0".to_owned();
        let note = SiteNote { number: 7, text };
        assert_eq!(SiteNote::parse(&note.to_string()), Some(note.clone()));
        for text in ["", "lambdav site", "lambdav site x: y", "lambdav sampler 2: linear repeat"] {
            assert_eq!(SiteNote::parse(text), None, "{text}");
        }
        let words = [0x0723_0203, 0x0001_0000, 0, 5, 0, 2 << 16 | Op::Capability as u32, 1];
        let added = SiteNote::add(&words, &[note]);
        assert_eq!((added[3], &added[..3]), (6, &words[..3]));
        assert_eq!(added[7] & 0xffff, Op::String as u32);
        assert_eq!(added.len(), 7 + (added[7] >> 16) as usize);
    }
}
