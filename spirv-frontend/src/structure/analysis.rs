//! Analysis of all functions that an entry point reaches, callees before callers.

use super::facts::FunctionFacts;
use super::liveness::live_variables;
use super::sets::BitSet;
use super::{loops, roots};
use crate::error::{RaiseError, Result};
use crate::module::{Function, Module};
use rustc_hash::FxHashMap;

/// The facts of all functions reachable from `entry`.
pub(crate) fn analyse(module: &Module<'_>, entry: u32) -> Result<FxHashMap<u32, FunctionFacts>> {
    let mut all = FxHashMap::default();
    for id in callees_first(module, entry)? {
        let function = &module.functions[&id];
        let facts = facts(module, function, id == entry, &all)
            .map_err(|error| error.at(function.at, None))?;
        all.insert(id, facts);
    }
    Ok(all)
}

/// The functions that `entry` calls, directly or not, then `entry` itself: callees before callers.
/// Recursion is an error.
fn callees_first(module: &Module<'_>, entry: u32) -> Result<Vec<u32>> {
    enum Visit {
        Open,
        Done,
    }
    let (mut seen, mut order) = (FxHashMap::default(), Vec::new());
    let mut stack = vec![(entry, false)];
    while let Some((id, is_after)) = stack.pop() {
        if is_after {
            seen.insert(id, Visit::Done);
            order.push(id);
            continue;
        }
        match seen.get(&id) {
            Some(Visit::Done) => continue,
            Some(Visit::Open) => {
                let what = format!("the function %{id} {} calls itself", module.name(id));
                return Err(RaiseError::malformed(what));
            }
            None => {}
        }
        let Some(function) = module.functions.get(&id) else {
            return Err(RaiseError::malformed(format!("%{id} is no function")));
        };
        seen.insert(id, Visit::Open);
        stack.push((id, true));
        stack.extend(roots::calls(function).map(|(callee, _)| (callee, false)));
    }
    Ok(order)
}

fn facts(
    module: &Module<'_>,
    function: &Function<'_>,
    is_entry: bool,
    known: &FxHashMap<u32, FunctionFacts>,
) -> Result<FunctionFacts> {
    let roots = roots::Roots::new(module, function, known)?;
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for block in 0..function.blocks.len() {
        for next in function.successors(block)? {
            predecessors[next].push(block);
        }
    }
    let mut live_at_end = BitSet::default();
    let mut stores = BitSet::default();
    for k in 0..roots.ids.len() {
        if roots.outlives(module, k, is_entry) {
            live_at_end.insert(k);
        }
    }
    for effects in &roots.blocks {
        stores.add(&effects.stores, &BitSet::default());
    }
    let live = live_variables(function, &roots.blocks, &live_at_end)?;
    let loops = loops::loops(module, function, &roots.blocks)?;
    let bounds = roots.bounds();
    let root_of = roots.ids.iter().enumerate().map(|(root, &id)| (id, root)).collect();
    Ok(FunctionFacts {
        roots: roots.ids,
        bounds,
        root_of,
        stores,
        live,
        live_at_end,
        predecessors,
        loops,
    })
}
