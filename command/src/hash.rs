//! Digests as text.

use sha2::{Digest, Sha256};

/// Digest of bytes.
pub(super) fn sha256(bytes: &[u8]) -> String {
    digits(Sha256::new_with_prefix(bytes))
}

/// Digest of all bytes given to `hash`.
pub(super) fn digits(hash: Sha256) -> String {
    let digits: String = hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256 {digits}")
}
