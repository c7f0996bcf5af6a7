//! Memory: separate regions of bytes, whose bits may be undefined.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::bits::Bits;
use crate::fault::FaultKind;

/// Bytes at consecutive addresses.
#[derive(Clone, Debug)]
pub struct Region<'a> {
    name: &'static str,
    base: u64,
    value: Vec<u8>,
    undefined: Vec<u8>,
    is_writable: bool,
    /// The first eight bytes, if other threads change them.
    live: Option<&'a AtomicU64>,
}

impl<'a> Region<'a> {
    /// Known read-only bytes.
    pub fn constant(name: &'static str, base: u64, bytes: Vec<u8>) -> Self {
        let undefined = vec![0; bytes.len()];
        Self { name, base, value: bytes, undefined, is_writable: false, live: None }
    }

    /// Undefined bytes.
    pub fn undefined(name: &'static str, base: u64, size: usize) -> Self {
        let (value, undefined) = (vec![0; size], vec![0xff; size]);
        Self { name, base, value, undefined, is_writable: true, live: None }
    }

    /// A read-only word that other threads write.
    pub fn shared(name: &'static str, base: u64, word: &'a AtomicU64) -> Self {
        Self { live: Some(word), ..Self::constant(name, base, vec![0; 8]) }
    }

    /// Makes the region writable.
    #[must_use]
    pub fn writable(self) -> Self {
        Self { is_writable: true, ..self }
    }

    /// Up to eight bytes at an offset.
    ///
    /// # Panics
    ///
    /// If some of them lie outside the region.
    pub fn get(&self, offset: usize, size: usize) -> Bits {
        if let Some(word) = self.live {
            let word = word.load(Ordering::Relaxed).to_le_bytes();
            return Bits::known(little_endian(&word[offset..offset + size]));
        }
        let range = offset..offset + size;
        let value = little_endian(&self.value[range.clone()]);
        Bits { value, undefined: little_endian(&self.undefined[range]) }
    }

    /// The address of its first byte.
    pub fn base(&self) -> u64 {
        self.base
    }

    fn offset(&self, address: u64, size: u64) -> Option<usize> {
        let offset = address.checked_sub(self.base)?;
        let end = offset.checked_add(size)?;
        (end <= self.value.len() as u64).then_some(offset as usize)
    }
}

fn little_endian(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The memory that code can access.
#[derive(Clone, Debug, Default)]
pub struct Memory<'a> {
    regions: Vec<Region<'a>>,
}

impl<'a> Memory<'a> {
    /// Memory of these regions.
    ///
    /// # Panics
    ///
    /// If two of them overlap.
    pub fn new(mut regions: Vec<Region<'a>>) -> Self {
        regions.sort_by_key(|region| region.base);
        for pair in regions.windows(2) {
            assert!(pair[0].base + (pair[0].value.len() as u64) <= pair[1].base, "overlap");
        }
        Self { regions }
    }

    /// The region of that name.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn region(&self, name: &str) -> &Region<'a> {
        self.regions.iter().find(|region| region.name == name).expect("a region of that name")
    }

    /// The last region that begins at an address.
    ///
    /// # Panics
    ///
    /// If there is none.
    pub fn region_at(&self, base: u64) -> &Region<'a> {
        let mut found = self.regions.iter().rev();
        found.find(|region| region.base == base).expect("a region at that address")
    }

    fn find(&self, address: u64, size: u64) -> Result<(usize, usize), FaultKind> {
        let after = self.regions.partition_point(|region| region.base <= address);
        let found = after.checked_sub(1).and_then(|index| {
            self.regions[index].offset(address, size).map(|offset| (index, offset))
        });
        found.ok_or(FaultKind::Outside { address, size })
    }

    /// Reads up to eight bytes.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Outside`].
    pub fn load(&self, address: u64, size: u64) -> Result<Bits, FaultKind> {
        let (index, offset) = self.find(address, size)?;
        Ok(self.regions[index].get(offset, size as usize))
    }

    /// Writes up to eight bytes.
    ///
    /// # Errors
    ///
    /// [`FaultKind::Outside`] and [`FaultKind::ReadOnly`].
    pub fn store(&mut self, address: u64, size: u64, bits: Bits) -> Result<(), FaultKind> {
        let (index, offset) = self.find(address, size)?;
        let region = &mut self.regions[index];
        if !region.is_writable {
            return Err(FaultKind::ReadOnly(region.name));
        }
        let range = offset..offset + size as usize;
        region.value[range.clone()].copy_from_slice(&bits.value.to_le_bytes()[..size as usize]);
        region.undefined[range].copy_from_slice(&bits.undefined.to_le_bytes()[..size as usize]);
        Ok(())
    }
}
