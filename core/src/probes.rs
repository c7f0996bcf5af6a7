//! Probes: conditions under which an operation is undefined elsewhere, to be reported (LANGUAGE §15).
//!
//! A front end that is asked to report makes an [`Op::Probe`](crate::op::Op::Probe) for each condition of the operations that
//! the author wrote, before anything is folded, and lets the result wait for it
//! ([`Graph::after`](crate::graph::Graph::after)). A probe is evaluated exactly where its operation is needed: the
//! scheduler treats it like a loop that might not end, so it neither moves into an arm nor out of one. Without
//! probes the graph is what it was.
//!
//! The raise of SPIR-V makes them for instructions, and chains those that are executed, so that every engine reports an instruction
//! that is executed, whether or not its result is needed.
//!
//! A probe computes the condition and is otherwise pure. [`schedule`](crate::schedule::schedule()) drops all of them;
//! [`schedule_reported`](crate::schedule::schedule_reported) turns them into outputs, one bit for each, so every engine
//! reports without an effect; [`schedule_probed`](crate::schedule::schedule_probed) keeps them for an
//! [`Observer`](crate::evaluate::Observer) of the core evaluator, which sees the operands ([`MetSites`]).

use crate::source::Span;
use crate::types::Type;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// A site: a place in the source with a condition. Several probes may belong to it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The author's application.
    pub span: Span,
    /// The operation, as the author names it: `sqrt`.
    pub operation: String,
    /// The condition, in words: `operand below 0`.
    pub condition: &'static str,
    /// The place of the condition among those of all operations.
    pub order: u32,
    /// True if the author's language defines the result, which may not be meant.
    pub is_defined: bool,
}

/// The sites of a program so far.
#[derive(Debug, Default)]
pub struct Sites {
    all: Vec<Site>,
    numbers: FxHashMap<Site, u32>,
}

impl Sites {
    /// The number of a site, which is added if it is new.
    pub fn number(&mut self, site: Site) -> u32 {
        let next = self.all.len() as u32;
        let number = *self.numbers.entry(site.clone()).or_insert(next);
        if number == next {
            self.all.push(site);
        }
        number
    }

    /// All sites, by their numbers.
    pub fn into_all(self) -> Vec<Site> {
        self.all
    }
}

/// The operands of a probe, with their types and words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operands(pub Vec<(Type, Box<[u32]>)>);

impl Operands {
    /// Compares words, from the left.
    pub fn is_less(&self, other: &Self) -> bool {
        let words = |of: &'_ Self| of.0.iter().flat_map(|(_, words)| words).copied().collect();
        let [mine, others]: [Vec<u32>; 2] = [words(self), words(other)];
        mine < others
    }
}

/// The sites that evaluations met, each with its least operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MetSites(pub BTreeMap<u32, Operands>);

impl MetSites {
    /// Notes that a site was met with these operands.
    pub fn add(&mut self, site: u32, operands: Operands) {
        match self.0.get_mut(&site) {
            Some(least) if operands.is_less(least) => *least = operands,
            Some(_) => {}
            None => _ = self.0.insert(site, operands),
        }
    }
}
