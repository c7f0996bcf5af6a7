//! Arrays of a scheduled program that become values of their own ([`Kind::Array`]), and their origins.
//!
//! An array lies in memory if it has many parts, and some operation reads or updates an array of its type
//! at an index that is not constant. The decision is made by type, so that all values that flow into one
//! another have the same form. Nested arrays are words of the outer array. Arrays in variants remain words,
//! since cases share words.
//!
//! If all values of a type are computed once for the frame, its arrays are words of the frame
//! ([`frame`](super::frame)).
//!
//! [`Kind::Array`]: super::Kind::Array

use std::ops::Range;

use lambdav_core::op::Op;
use lambdav_core::schedule::{BlockId, End, Event, Expr, Places, Program, Statement, ValueId};
use lambdav_core::types::{Type, TypeKind};
use rustc_hash::{FxHashMap, FxHashSet};

use super::sources::{Source, sources};
use crate::cost;

/// A component of a value.
pub(super) type Component = (ValueId, usize);

/// The arrays of a program that lie in memory.
#[derive(Default)]
pub(super) struct Arrays {
    /// For each type, the component ranges of its arrays in memory. Types without such arrays are absent.
    ranges: FxHashMap<Type, Vec<Range<usize>>>,
    /// The array types that lie in memory.
    is_chosen: FxHashSet<Type>,
    /// The array that an array originates from by updates alone: a loop parameter or an initial value. Both
    /// are named by their first component. Arrays that are their own origin are absent.
    origins: FxHashMap<Component, Component>,
}

impl Arrays {
    /// The arrays of these types, with their origins.
    pub(super) fn new(program: &Program, chosen: FxHashSet<Type>) -> Self {
        let mut arrays = Self::of_types(program, chosen);
        if !arrays.is_empty() {
            arrays.follow(program);
        }
        arrays
    }

    /// The arrays of these types, without origins.
    pub(super) fn of_types(program: &Program, chosen: FxHashSet<Type>) -> Self {
        let mut arrays = Self::default();
        let types = &program.types;
        for ty in types.all() {
            let ranges = if chosen.contains(&ty) {
                std::iter::once(0..types.components(ty)).collect()
            } else if matches!(types.kind(ty), TypeKind::Structure(_) | TypeKind::Array(..)) {
                let (mut first, mut ranges) = (0, Vec::new());
                for part in types.parts(ty) {
                    let of_part = arrays.ranges.get(&part).into_iter().flatten();
                    ranges.extend(of_part.map(|of| first + of.start..first + of.end));
                    first += types.components(part);
                }
                ranges
            } else {
                Vec::new()
            };
            if !ranges.is_empty() {
                arrays.ranges.insert(ty, ranges);
            }
        }
        arrays.is_chosen = chosen;
        arrays
    }

    /// True if no type has arrays in memory.
    pub(super) fn is_empty(&self) -> bool {
        self.ranges.is_empty()
    }

    /// The component ranges of the arrays in a value of that type.
    pub(super) fn of(&self, ty: Type) -> &[Range<usize>] {
        self.ranges.get(&ty).map_or(&[], Vec::as_slice)
    }

    /// True if the type is an array type that lies in memory.
    pub(super) fn is_whole(&self, ty: Type) -> bool {
        self.is_chosen.contains(&ty)
    }

    /// The component range of the array that contains a component, if any.
    pub(super) fn around(&self, ty: Type, component: usize) -> Option<Range<usize>> {
        let ranges = self.of(ty);
        let at = ranges.partition_point(|range| range.end <= component);
        ranges.get(at).filter(|range| range.contains(&component)).cloned()
    }

    /// The array that updates started from.
    fn origin(&self, of: Component) -> Component {
        self.origins.get(&of).copied().unwrap_or(of)
    }

    /// Finds the origins of all arrays, definitions before uses.
    fn follow(&mut self, program: &Program) {
        for event in program.walk() {
            match event {
                Event::Statement(_, Statement::Let { value, expr: Expr::Op(op, of) }) => {
                    self.operation(program, *value, *op, of);
                }
                Event::After(_, Statement::If { value, then, otherwise, .. }) => {
                    for range in self.of(program.ty(*value)).to_vec() {
                        let [a, b] = [*then, *otherwise].map(|arm| match &program.block(arm).end {
                            End::Yield(values) => self.origin((values[0], range.start)),
                            _ => unreachable!("an arm yields"),
                        });
                        if a == b && !program.is_guard(*value) {
                            self.origins.insert((*value, range.start), a);
                        }
                    }
                }
                Event::After(_, Statement::Loop { value, params, inits, body }) => {
                    for range in self.of(program.ty(*value)).to_vec() {
                        let carrier = self.carrier(program, params, *body, range.start);
                        if let Some((param, first)) = carrier {
                            let origin = self.origin((inits[param], first));
                            self.origins.insert((*value, range.start), origin);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    fn operation(&mut self, program: &Program, value: ValueId, op: Op, of: &[ValueId]) {
        let ranges = self.of(program.ty(value)).to_vec();
        if ranges.is_empty() {
            return;
        }
        if op == Op::Update && self.is_whole(program.ty(value)) {
            self.origins.insert((value, 0), self.origin((of[0], 0)));
            return;
        }
        let types: Vec<Type> = of.iter().map(|&v| program.ty(v)).collect();
        let Some(sources) = sources(&program.types, op, &types, program.ty(value)) else { return };
        for range in ranges {
            if let Some((operand, first)) = self.whole(&types, &sources[range.clone()]) {
                let origin = self.origin((of[operand], first));
                self.origins.insert((value, range.start), origin);
            }
        }
    }

    /// The operand and its first component, if the sources are one whole array of that operand.
    pub(super) fn whole(&self, types: &[Type], sources: &[Source]) -> Option<(usize, usize)> {
        let &Source::Operand(operand, first) = sources.first()? else { return None };
        let is_array = self.of(types[operand]).contains(&(first..first + sources.len()));
        let follow = sources.iter().enumerate();
        let mut follow = follow
            .map(|(i, of)| matches!(of, Source::Operand(o, k) if (*o, *k) == (operand, first + i)));
        (is_array && follow.all(|is_next| is_next)).then_some((operand, first))
    }

    /// The loop parameter, and the first component in it, that carries an array of the loop's value.
    /// `component` is the first component of that array. The parameter holds the array when a lane leaves,
    /// and each round updates it only from itself.
    pub(super) fn carrier(
        &self,
        program: &Program,
        params: &[ValueId],
        body: BlockId,
        component: usize,
    ) -> Option<(usize, usize)> {
        let tail = program.tail(body);
        let ends = || tail.iter().map(|&id| &program.block(id).end);
        let yielded = ends().find_map(|end| match end {
            End::Yield(values) => Some(self.origin((values[0], component))),
            _ => None,
        })?;
        let param = params.iter().position(|&param| param == yielded.0)?;
        let is_same = ends().all(|end| match end {
            End::Yield(values) => self.origin((values[0], component)) == yielded,
            End::Rec(values) => self.origin((values[param], yielded.1)) == yielded,
            End::If { .. } => true,
        });
        is_same.then_some((param, yielded.1))
    }
}

/// The array types that an index chooses from and that have at least [`cost::ARRAY`] parts.
pub(super) fn chosen(program: &Program, places: &Places, choices: &[Choice]) -> FxHashSet<Type> {
    let is_large = |ty| {
        let is_array = matches!(*program.types.kind(ty), TypeKind::Array(_, count) if count as usize >= cost::ARRAY);
        is_array && program.types.components(ty) > 0
    };
    let found = choices.iter().filter(|choice| {
        is_large(choice.ty) && (choice.op == Op::Update || !places.is_in_memory(choice.of))
    });
    found.map(|choice| choice.ty).collect()
}

/// A read or an update of an array at an index that is not constant.
pub(super) struct Choice {
    op: Op,
    of: ValueId,
    /// The array's type.
    pub(super) ty: Type,
    pub(super) value: ValueId,
}

pub(super) fn choices(program: &Program) -> Vec<Choice> {
    let (mut constants, mut found) = (FxHashSet::default(), Vec::new());
    for event in program.walk() {
        let Event::Statement(_, Statement::Let { value, expr }) = event else { continue };
        match expr {
            Expr::Constant(_) => {
                constants.insert(*value);
            }
            Expr::Op(op @ (Op::At | Op::Update), of) if !constants.contains(&of[1]) => {
                found.push(Choice { op: *op, of: of[0], ty: program.ty(of[0]), value: *value });
            }
            _ => {}
        }
    }
    found
}
