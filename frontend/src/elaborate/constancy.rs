//! The constant parts of a value, in the sense of LANGUAGE §11.
//!
//! Constancy is a property of the program's text, by component, and the elaborator carries it beside the
//! node. It does not follow from the node: a literal `0` and `(if c 0 0)` are one node, and only the first is
//! constant. The converse holds: *a constant value is a constant node*, since operations on constants are
//! always folded.
//!
//! Constancy comes with its origins. These are `constant`s of the program, so that those which decided
//! nothing can be listed; and parameters of loops that are being unrolled, since only a decision that depends
//! on them belongs to one of their rounds.

use lambdav_core::graph::LoopId;
use lambdav_core::sets::{SetId, Sets};
use rustc_hash::{FxHashMap, FxHashSet};

/// The constant parts of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Constancy {
    /// No part.
    Varies,
    /// All parts; the set is the value's origins.
    Constant(SetId),
    /// Some parts.
    Mixed(MixedId),
}

/// An origin of a constant value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Origin {
    /// A `constant` of the program.
    Constant(u32),
    /// A parameter of a loop that is being unrolled.
    Round(LoopId),
}

/// An entry of [`Constancies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct MixedId(u32);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mixed {
    /// The first half of the parts, rounded down, and the others. So finding or replacing a part takes
    /// logarithmic time.
    Halves(Constancy, Constancy),
    /// A variant: the origins of its case, and its fields.
    Case(SetId, Constancy),
}

/// A hash-consing table of constancies.
#[derive(Debug, Default)]
pub(super) struct Constancies {
    /// With the origins of the whole value, if all of it is constant.
    mixed: Vec<(Mixed, Option<SetId>)>,
    ids: FxHashMap<Mixed, MixedId>,
    joined: FxHashMap<(MixedId, SetId), Constancy>,
    sets: Sets<Origin>,
    consulted: FxHashSet<u32>,
}

impl Constancy {
    /// The constancy of a literal: no origins.
    pub(super) const LITERAL: Self = Self::Constant(SetId::EMPTY);
}

impl Constancies {
    /// The constancy of a `constant` of the program.
    pub(super) fn of_constant(&mut self, index: u32) -> Constancy {
        Constancy::Constant(self.sets.single(Origin::Constant(index)))
    }

    /// The origin of the parameters of a loop that is being unrolled.
    pub(super) fn of_round(&mut self, of: LoopId) -> SetId {
        self.sets.single(Origin::Round(of))
    }

    /// True if a parameter of this loop is among the origins.
    pub(super) fn has_round(&self, set: SetId, of: LoopId) -> bool {
        self.sets.get(set).binary_search(&Origin::Round(of)).is_ok()
    }

    /// Records that a value with these origins decided something.
    pub(super) fn consult(&mut self, set: SetId) {
        let constant = |origin: &Origin| match *origin {
            Origin::Constant(index) => Some(index),
            Origin::Round(_) => None,
        };
        self.consulted.extend(self.sets.get(set).iter().filter_map(constant));
    }

    /// Records that a constant of the program decided something.
    pub(super) fn consult_constant(&mut self, index: u32) {
        self.consulted.insert(index);
    }

    /// True if a constant of the program decided something.
    pub(super) fn is_consulted(&self, index: u32) -> bool {
        self.consulted.contains(&index)
    }

    /// The origins of a value, if all of it is constant.
    pub(super) fn whole(&self, of: Constancy) -> Option<SetId> {
        match of {
            Constancy::Varies => None,
            Constancy::Constant(set) => Some(set),
            Constancy::Mixed(id) => self.mixed[id.0 as usize].1,
        }
    }

    /// The constancy of a value computed from all of these values.
    pub(super) fn all(&mut self, of: impl IntoIterator<Item = Constancy>) -> Constancy {
        let mut joint = SetId::EMPTY;
        for one in of {
            match self.whole(one) {
                Some(set) => joint = self.sets.union(joint, set),
                None => return Constancy::Varies,
            }
        }
        Constancy::Constant(joint)
    }

    fn intern(&mut self, mixed: Mixed) -> Constancy {
        if let Some(&known) = self.ids.get(&mixed) {
            return Constancy::Mixed(known);
        }
        let whole = match mixed {
            Mixed::Halves(a, b) => match (self.whole(a), self.whole(b)) {
                (Some(a), Some(b)) => Some(self.sets.union(a, b)),
                _ => None,
            },
            Mixed::Case(tag, fields) => {
                self.whole(fields).map(|fields| self.sets.union(tag, fields))
            }
        };
        let id = MixedId(self.mixed.len() as u32);
        self.mixed.push((mixed, whole));
        self.ids.insert(mixed, id);
        Constancy::Mixed(id)
    }

    fn halves(&mut self, a: Constancy, b: Constancy) -> Constancy {
        match (a, b) {
            (Constancy::Varies, Constancy::Varies) => a,
            (Constancy::Constant(_), Constancy::Constant(_)) if a == b => a,
            _ => self.intern(Mixed::Halves(a, b)),
        }
    }

    /// The constancy of a value made of these parts.
    pub(super) fn made_of(&mut self, parts: &[Constancy]) -> Constancy {
        match *parts {
            [] => Constancy::LITERAL,
            [part] => part,
            _ => {
                let (a, b) = parts.split_at(parts.len() / 2);
                let (a, b) = (self.made_of(a), self.made_of(b));
                self.halves(a, b)
            }
        }
    }

    /// The constancy of a variant of a known case with these fields.
    pub(super) fn case(&mut self, fields: &[Constancy]) -> Constancy {
        match self.made_of(fields) {
            Constancy::LITERAL => Constancy::LITERAL,
            fields => self.intern(Mixed::Case(SetId::EMPTY, fields)),
        }
    }

    fn halves_of(&self, of: Constancy) -> Option<[Constancy; 2]> {
        match of {
            Constancy::Mixed(id) => match self.mixed[id.0 as usize].0 {
                Mixed::Halves(a, b) => Some([a, b]),
                Mixed::Case(..) => None,
            },
            Constancy::Varies | Constancy::Constant(_) => None,
        }
    }

    /// The constancy of a part of a value with `count` parts.
    pub(super) fn part(&self, mut of: Constancy, mut index: usize, mut count: usize) -> Constancy {
        while count > 1
            && let Some([a, b]) = self.halves_of(of)
        {
            let half = count / 2;
            (of, index, count) = match index < half {
                true => (a, index, half),
                false => (b, index - half, count - half),
            };
        }
        of
    }

    /// The constancy of a value with `count` parts after its part at `index` is replaced.
    pub(super) fn updated(
        &mut self,
        of: Constancy,
        index: usize,
        count: usize,
        part: Constancy,
    ) -> Constancy {
        if count == 1 {
            return part;
        }
        let ([a, b], half) = (self.halves_of(of).unwrap_or([of, of]), count / 2);
        match index < half {
            true => {
                let a = self.updated(a, index, half, part);
                self.halves(a, b)
            }
            false => {
                let b = self.updated(b, index - half, count - half, part);
                self.halves(a, b)
            }
        }
    }

    /// The constancy of a variant's tag.
    pub(super) fn tag(&self, of: Constancy) -> Constancy {
        match of {
            Constancy::Mixed(id) => match self.mixed[id.0 as usize].0 {
                Mixed::Case(tag, _) => Constancy::Constant(tag),
                Mixed::Halves(..) => Constancy::Varies,
            },
            whole => whole,
        }
    }

    /// The constancy of a variant's field, of the case that it has, which has `count` fields.
    pub(super) fn payload(&self, of: Constancy, field: usize, count: usize) -> Constancy {
        match of {
            Constancy::Mixed(id) => match self.mixed[id.0 as usize].0 {
                Mixed::Case(_, fields) => self.part(fields, field, count),
                Mixed::Halves(..) => Constancy::Varies,
            },
            whole => whole,
        }
    }

    /// Adds the origins of the constant condition that chose a value.
    ///
    /// (Recurses over the parts of a type, whose nesting is limited.)
    pub(super) fn decided_by(&mut self, of: Constancy, by: SetId) -> Constancy {
        match of {
            _ if by == SetId::EMPTY => of,
            Constancy::Varies => of,
            Constancy::Constant(set) => Constancy::Constant(self.sets.union(set, by)),
            Constancy::Mixed(id) => {
                if let Some(&known) = self.joined.get(&(id, by)) {
                    return known;
                }
                let joined = match self.mixed[id.0 as usize].0 {
                    Mixed::Halves(a, b) => {
                        let (a, b) = (self.decided_by(a, by), self.decided_by(b, by));
                        self.halves(a, b)
                    }
                    Mixed::Case(tag, fields) => {
                        let tag = self.sets.union(tag, by);
                        let fields = self.decided_by(fields, by);
                        self.intern(Mixed::Case(tag, fields))
                    }
                };
                self.joined.insert((id, by), joined);
                joined
            }
        }
    }

    /// Removes a loop from the origins, after the loop has been unrolled.
    ///
    /// (Recurses as [`Self::decided_by`].)
    pub(super) fn after_loop(&mut self, value: Constancy, of: LoopId) -> Constancy {
        match value {
            Constancy::Varies => value,
            Constancy::Constant(set) => {
                Constancy::Constant(self.sets.filter(set, |origin| origin != Origin::Round(of)))
            }
            Constancy::Mixed(id) => match self.mixed[id.0 as usize].0 {
                Mixed::Halves(a, b) => {
                    let (a, b) = (self.after_loop(a, of), self.after_loop(b, of));
                    self.halves(a, b)
                }
                Mixed::Case(tag, fields) => {
                    let tag = self.sets.filter(tag, |origin| origin != Origin::Round(of));
                    let fields = self.after_loop(fields, of);
                    self.intern(Mixed::Case(tag, fields))
                }
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_found_and_replaced() {
        let mut all = Constancies::default();
        for count in 1..20 {
            for index in 0..count {
                let mut of = Constancy::Varies;
                for other in 0..count {
                    assert_eq!(all.part(of, other, count), Constancy::Varies);
                }
                of = all.updated(of, index, count, Constancy::LITERAL);
                for other in 0..count {
                    let constant = all.part(of, other, count) == Constancy::LITERAL;
                    assert_eq!(constant, other == index);
                }
                let mut parts = vec![Constancy::Varies; count];
                parts[index] = Constancy::LITERAL;
                assert_eq!(all.made_of(&parts), of);
                assert_eq!(all.updated(of, index, count, Constancy::Varies), Constancy::Varies);
            }
        }
    }

    #[test]
    fn a_whole_is_computed_from_what_its_parts_are() {
        let mut all = Constancies::default();
        let [a, b] = [0, 1].map(|index| all.of_constant(index));
        let pair = all.made_of(&[a, b]);
        let set = all.whole(pair).expect("both are constant");
        all.consult(set);
        assert_eq!([0, 1, 2].map(|index| all.is_consulted(index)), [true, true, false]);
        assert_eq!(all.part(pair, 1, 2), b);
        let mixed = all.made_of(&[a, Constancy::Varies]);
        assert_eq!((all.whole(mixed), all.all([a, mixed])), (None, Constancy::Varies));
        let case = all.case(&[mixed, b]);
        assert_eq!((all.tag(case), all.payload(case, 1, 2)), (Constancy::LITERAL, b));
        assert_eq!(all.case(&[Constancy::LITERAL]), Constancy::LITERAL);
        let Constancy::Constant(by) = b else { unreachable!("it is constant") };
        let decided = all.decided_by(mixed, by);
        let first = all.part(decided, 0, 2);
        assert_eq!(all.whole(first), Some(set));
        assert_eq!(all.part(decided, 1, 2), Constancy::Varies);
        let decided = all.decided_by(case, by);
        assert_eq!(all.tag(decided), b);
    }
}
