//! The sites that invocations of a dispatch met, noted by an observer of the core evaluator.

use super::reporting::Met;
use super::unit::Unit;
use lambdav_core::evaluate::{Evaluated, Observer};
use lambdav_core::probes::Operands;
use std::collections::{BTreeMap, HashSet};

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
    /// The sites that were met. `unit` names an invocation.
    pub(crate) fn met(self, unit: impl Fn([u32; 3]) -> Unit) -> Met {
        let of = |found: Found| (unit(found.first), found.operands, found.count);
        self.found.into_iter().map(|(site, found)| (site, of(found))).collect()
    }
}
