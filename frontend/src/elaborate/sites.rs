//! The sites of a program's probes ([`lambdav_core::probes`]).

use lambdav_core::probes::Site;
use rustc_hash::FxHashMap;

/// The sites so far.
#[derive(Default)]
pub(super) struct Sites {
    all: Vec<Site>,
    numbers: FxHashMap<Site, u32>,
}

impl Sites {
    /// The number of a site, which is added if it is new.
    pub(super) fn number(&mut self, site: Site) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(site.clone()).or_insert(next);
        if number == next {
            self.all.push(site);
        }
        number
    }

    /// All sites, by their numbers.
    pub(super) fn into_all(self) -> Vec<Site> {
        self.all
    }
}
