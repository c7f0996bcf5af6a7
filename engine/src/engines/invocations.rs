//! The sites that invocations of a dispatch met: noted by an observer of the core evaluator, or told by machine code.
//!
//! Machine code knows sites and invocations, and no operands. The core evaluator computes those of the invocations that met a
//! site first, in the state of memory that they found.

use crate::mutants::{Mutant, is_active};
use lambdav_core::evaluate::{Dispatch, Evaluated, Observer};
use lambdav_core::probes::Operands;
use lambdav_core::schedule::probes::{BITS, hits};
use lambdav_simd_backend::kernel::Sink;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Notes the sites of each invocation.
#[derive(Debug, Default)]
pub(crate) struct Invocations {
    current: [u32; 3],
    /// Sites with the invocations that met them.
    seen: HashSet<(u32, [u32; 3])>,
    found: BTreeMap<u32, Found>,
}

#[derive(Debug)]
struct Found {
    first: [u32; 3],
    operands: Operands,
    count: u64,
}

/// Orders ids: x fastest, then y, then z.
fn order([x, y, z]: [u32; 3]) -> [u32; 3] {
    [z, y, x]
}

impl Observer for Invocations {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        let Some((site, operands)) = evaluated.met() else { return };
        let id = self.current;
        let is_new = self.seen.insert((site, id));
        match self.found.get_mut(&site) {
            None => {
                self.found.insert(site, Found { first: id, operands, count: 1 });
            }
            Some(found) => {
                found.count += u64::from(is_new);
                let is_earlier = order(id) < order(found.first);
                if is_earlier || id == found.first && operands.is_less(&found.operands) {
                    (found.first, found.operands) = (id, operands);
                }
            }
        }
    }

    fn invocation(&mut self, id: [u32; 3]) {
        self.current = id;
    }
}

impl Invocations {
    /// The sites that machine code told of, with the operands that an observer of the first invocations noted.
    pub(crate) fn of_code(told: &BTreeMap<u32, FirstInvocation>, mut observed: Self) -> Self {
        let of_site = |(&site, of): (&u32, &FirstInvocation)| {
            let operands = observed.found.remove(&site).filter(|found| found.first == of.id);
            let operands = operands.map(|found| found.operands).unwrap_or_default();
            (site, Found { first: of.id, operands, count: of.count })
        };
        let found = told.iter().map(of_site).collect();
        Self { found, ..Self::default() }
    }

    /// The sites that were met: for each the first invocation, its operands, and the number of invocations. `unit` names an
    /// invocation.
    pub(crate) fn met<U>(self, unit: impl Fn([u32; 3]) -> U) -> BTreeMap<u32, (U, Operands, u64)> {
        let of = |found: Found| (unit(found.first), found.operands, found.count);
        self.found.into_iter().map(|(site, found)| (site, of(found))).collect()
    }
}

/// The first invocation that met a site, and the number of invocations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FirstInvocation {
    id: [u32; 3],
    /// Its index in the order of the dispatch.
    index: u64,
    count: u64,
}

/// Takes the words of the invocations of a dispatch whose program tells its sites.
pub(crate) struct InvocationSites<'a> {
    dispatch: &'a Dispatch,
    found: Mutex<BTreeMap<u32, FirstInvocation>>,
}

impl<'a> InvocationSites<'a> {
    pub(crate) fn new(dispatch: &'a Dispatch) -> Self {
        Self { dispatch, found: Mutex::default() }
    }

    fn found(&self) -> MutexGuard<'_, BTreeMap<u32, FirstInvocation>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The sites that were met.
    pub(crate) fn into_found(self) -> BTreeMap<u32, FirstInvocation> {
        self.found.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The indices of invocations that met a site first, in the order of the dispatch.
pub(crate) fn first_indices(found: &BTreeMap<u32, FirstInvocation>) -> BTreeSet<u64> {
    found.values().map(|of| of.index).collect()
}

impl Sink for InvocationSites<'_> {
    fn clear(&self) {
        if !is_active(Mutant::KeptReport) {
            self.found().clear();
        }
    }

    fn take(&self, first: u64, word: usize, bits: &[u32]) {
        let all = bits.iter().fold(0, |all, bits| all | bits);
        if all == 0 {
            return;
        }
        // Ids ascend within a workgroup, and in a dispatch whose workgroups are rows.
        let size = self.dispatch.invocations_of_workgroup();
        let ascends = self.dispatch.workgroup[1..] == [1, 1];
        let end = first + bits.len() as u64;
        let mut found = self.found();
        for site in hits(word, all) {
            let bit = site % BITS;
            let mut from = first;
            while from < end {
                let to = if ascends { end } else { end.min((from / size + 1) * size) };
                let part = &bits[(from - first) as usize..(to - first) as usize];
                let count = part.iter().map(|bits| bits >> bit & 1).sum::<u32>();
                if let Some(at) = part.iter().position(|bits| bits >> bit & 1 != 0) {
                    let index = from + at as u64;
                    let id = self.dispatch.invocation(index / size, index % size).global_id;
                    add(&mut found, site, FirstInvocation { id, index, count: count.into() });
                }
                from = to;
            }
        }
    }
}

fn add(found: &mut BTreeMap<u32, FirstInvocation>, site: u32, other: FirstInvocation) {
    let of = found.entry(site).or_insert(FirstInvocation { count: 0, ..other });
    let count = of.count + other.count;
    let is_earlier = order(other.id) < order(of.id);
    *of = FirstInvocation { count, ..if is_earlier { other } else { *of } };
}
