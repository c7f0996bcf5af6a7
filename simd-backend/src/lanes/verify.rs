//! The verifier of lane programs. It checks all invariants and collects all errors.

use std::fmt::{self, Display, Formatter};

use super::limits::Limits;
use super::whole::Whole;
use super::{
    Access, BlockId, Change, Column, Items, Kind, LaneEnd, LaneExpr, LaneProgram, LaneStatement,
    Rate, Spaces, ValueId, dead_code,
};
use crate::lanes::walk::{Event, Walk, tail};

/// A violation of an invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifyError {
    /// The block of the violation.
    pub block: BlockId,
    /// The violated invariant.
    pub message: String,
}

impl Display for VerifyError {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "block {}: {}", self.block.0, self.message)
    }
}

/// Checks all invariants listed in [`super`].
///
/// # Errors
///
/// All violations.
pub fn verify(program: &LaneProgram) -> Result<(), Vec<VerifyError>> {
    let mut verifier = Verifier {
        program,
        visible: vec![false; program.values.len()],
        defined: vec![false; program.values.len()],
        seen: vec![false; program.blocks.len()],
        errors: Vec::new(),
        roles: vec![Role::Root; program.blocks.len()],
        scopes: Vec::new(),
        at: LaneProgram::ROOT,
        limits: Limits::new(program),
        of_frame: vec![false; program.values.len()],
        shared: false,
    };
    for statement in &program.block(LaneProgram::ROOT).statements[..program.frame_len] {
        for value in statement.values() {
            verifier.of_frame[value.index()] = true;
        }
    }
    verifier.run();
    if verifier.shared && verifier.errors.is_empty() {
        verifier.whole();
    }
    verifier.at = LaneProgram::ROOT;
    let root = program.block(LaneProgram::ROOT);
    let (frame, primitive) = (program.frame_len, program.frame_len + program.primitive_len);
    for (index, statement) in root.statements[..primitive].iter().enumerate() {
        let (rate, of) =
            if index < frame { (Rate::FRAME, "frame") } else { (Rate::PRIMITIVE, "primitive") };
        if !dead_code::is_of_rate(program, index, rate) {
            verifier.error(format!("{:?} is not of the {of}", statement.values()));
        }
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

/// The role of a block, which its end must match.
#[derive(Clone, Copy)]
enum Role<'p> {
    Root,
    /// The arm of an `if` with these values.
    Arm(&'p [ValueId]),
    /// The tail of a loop with these values and parameters.
    Body {
        values: &'p [ValueId],
        params: &'p [ValueId],
        is_first: bool,
    },
}

struct Verifier<'p> {
    program: &'p LaneProgram,
    visible: Vec<bool>,
    defined: Vec<bool>,
    seen: Vec<bool>,
    errors: Vec<VerifyError>,
    /// The role of each block that a statement or an end has named so far.
    roles: Vec<Role<'p>>,
    /// The open blocks, each with the values that are visible until its end.
    scopes: Vec<(BlockId, Vec<ValueId>)>,
    at: BlockId,
    /// Limits of the values that operations compute.
    limits: Limits,
    /// `of_frame[v]`: v is computed once for the frame.
    of_frame: Vec<bool>,
    /// True if some lane reads another lane.
    shared: bool,
}

impl<'p> Verifier<'p> {
    fn error(&mut self, message: String) {
        self.errors.push(VerifyError { block: self.at, message });
    }

    fn require(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.error(message());
        }
    }

    fn uses(&mut self, value: ValueId) {
        let visible = self.visible.get(value.index()).copied().unwrap_or(false);
        self.require(visible, || format!("{value} is not visible here"));
    }

    /// Makes values visible until the end of the innermost block.
    fn define(&mut self, values: &[ValueId]) {
        for &value in values {
            let again = std::mem::replace(&mut self.defined[value.index()], true);
            self.require(!again, || format!("{value} is defined twice"));
            let info = self.program.values[value.index()];
            let is_of_lanes =
                info.kind.words().is_none() || info.rate == self.program.width.lanes();
            self.require(is_of_lanes, || format!("{value} is an array, but not of every lane"));
            self.visible[value.index()] = true;
            self.scopes.last_mut().expect("a block has begun").1.push(value);
        }
    }

    /// Checks values passed on to others: equal numbers and kinds, and no higher rates.
    fn flow(&mut self, what: &str, from: &[ValueId], to: &[ValueId], control: Rate) {
        for &value in from {
            self.uses(value);
        }
        self.require(from.len() == to.len(), || {
            format!("{what}: {} values where {} are expected", from.len(), to.len())
        });
        let program = self.program;
        for (&from, &to) in from.iter().zip(to) {
            self.require(program.kind(from) == program.kind(to), || {
                format!("{what}: {from} and {to} are of different kinds")
            });
            self.require(program.rate(to).includes(program.rate(from) | control), || {
                format!("{what}: {to} has a rate below that of {from} or of the condition")
            });
        }
    }

    fn condition(&mut self, value: ValueId) -> Rate {
        self.uses(value);
        let info = self.program.values[value.index()];
        self.require(info.kind == Kind::Mask && info.rate.is_uniform(), || {
            format!("the condition {value} is not one mask for all lanes")
        });
        info.rate
    }

    fn run(&mut self) {
        let program = self.program;
        for event in Walk::new().events(program) {
            match event {
                Event::Enter(id) => {
                    self.at = id;
                    let again = std::mem::replace(&mut self.seen[id.index()], true);
                    self.require(!again, || "the block is referred to twice".into());
                    if self.seen.len() < self.scopes.len() {
                        // A block that contains itself: the walk would not terminate.
                        return;
                    }
                    self.scopes.push((id, Vec::new()));
                    if let Role::Body { params, is_first: true, .. } = self.roles[id.index()] {
                        self.define(params);
                    }
                }
                Event::Statement(id, index) => self.before(&program.block(id).statements[index]),
                Event::After(id, index) => self.after(&program.block(id).statements[index]),
                Event::End(id) => self.end(&program.block(id).end, self.roles[id.index()]),
                Event::Leave(_) => {
                    let (_, values) = self.scopes.pop().expect("a block has begun");
                    for value in values {
                        self.visible[value.index()] = false;
                    }
                    self.at = self.scopes.last().map_or(LaneProgram::ROOT, |&(id, _)| id);
                }
            }
        }
    }

    /// A statement before its inner blocks.
    fn before(&mut self, statement: &'p LaneStatement) {
        match statement {
            LaneStatement::Let { value, expr } => {
                self.expr(*value, expr);
                self.define(&[*value]);
            }
            LaneStatement::Access { value, access } => {
                self.access(*value, access);
                self.define(value.as_slice());
            }
            LaneStatement::If { values, condition, then, otherwise } => {
                let control = self.condition(*condition);
                for &value in values {
                    let rate = self.program.rate(value);
                    self.require(rate.includes(control), || {
                        format!("{value} has a rate below its condition's")
                    });
                }
                for arm in [then, otherwise] {
                    self.roles[arm.index()] = Role::Arm(values);
                }
            }
            LaneStatement::Loop { values, params, inits, body, site } => {
                self.flow("initial values", inits, params, Rate::FRAME);
                let known = (*site as usize) < self.program.sites.len();
                self.require(known, || format!("there is no loop site {site}"));
                self.roles[body.index()] = Role::Body { values, params, is_first: true };
            }
        }
    }

    /// A statement after its inner blocks.
    fn after(&mut self, statement: &'p LaneStatement) {
        if let LaneStatement::Loop { values, body, .. } = statement {
            let program = self.program;
            let ends = || tail(program, *body).into_iter().map(|id| &program.block(id).end);
            let control = ends().fold(Rate::FRAME, |all, end| match end {
                LaneEnd::If { condition, .. } => all | program.rate(*condition),
                LaneEnd::Yield(_) | LaneEnd::Rec(_) => all,
            });
            for &value in values {
                let rate = program.rate(value);
                self.require(rate.includes(control), || {
                    format!("{value} has a rate below the loop's exits'")
                });
            }
            let can_leave = ends().any(|end| matches!(end, LaneEnd::Yield(_)));
            self.require(can_leave, || "the loop cannot be left".into());
        }
        self.define(statement.values());
    }

    fn expr(&mut self, value: ValueId, expr: &LaneExpr) {
        let program = self.program;
        let info = program.values[value.index()];
        for operand in expr.operands() {
            self.uses(operand);
        }
        let (kind, rate) = match expr {
            LaneExpr::Constant(_) | LaneExpr::Undefined | LaneExpr::Input(_) => {
                (Some(info.kind), Rate::FRAME)
            }
            LaneExpr::Load { space, first, index } => {
                let spaces = Spaces {
                    inputs: program.inputs.len(),
                    resources: &program.resources,
                    slots: 0,
                };
                let inside = spaces.hold(*space, *first, 0, self.limits.bound(*index));
                self.require(inside, || format!("{value}: nothing keeps {index} inside"));
                let is_word = matches!(info.kind, Kind::F32 | Kind::I32);
                let fits = is_word && program.kind(*index) == Kind::I32;
                (fits.then_some(info.kind), program.rate(*index))
            }
            LaneExpr::Lookup { words, first, index } => {
                let most = self.limits.most(*index).saturating_add(*first) as usize;
                self.require(most < words.len(), || {
                    format!("{value}: nothing keeps {index} inside")
                });
                for &word in words {
                    let is_of_frame = self.of_frame[word.index()];
                    self.require(is_of_frame, || format!("{value}: {word} is not of the frame"));
                }
                let is_word = |&word: &ValueId| matches!(program.kind(word), Kind::F32 | Kind::I32);
                let fits = matches!(info.kind, Kind::F32 | Kind::I32)
                    && words.iter().all(is_word)
                    && program.kind(*index) == Kind::I32
                    && info.rate != Rate::FRAME;
                (fits.then_some(info.kind), program.rate(*index))
            }
            LaneExpr::Array(words) => {
                let is_word = |&word: &ValueId| matches!(program.kind(word), Kind::F32 | Kind::I32);
                let all = words.iter().all(is_word);
                (all.then_some(Kind::Array(words.len() as u32)), program.width.lanes())
            }
            LaneExpr::Table(first) => {
                let words = info.kind.words().filter(|words| {
                    (*words as usize).saturating_add(*first as usize) <= program.inputs.len()
                });
                (words.map(Kind::Array), program.width.lanes())
            }
            LaneExpr::At { array, first, index } => {
                self.inside(value, *array, *first, *index);
                let is_word = matches!(info.kind, Kind::F32 | Kind::I32);
                let fits = is_word && program.kind(*array).words().is_some();
                (fits.then_some(info.kind), program.width.lanes())
            }
            LaneExpr::Put { array, first, index, word, mask } => {
                self.inside(value, *array, *first, *index);
                let is_word = matches!(program.kind(*word), Kind::F32 | Kind::I32);
                let fits = is_word
                    && program.kind(*array).words().is_some()
                    && mask.is_none_or(|mask| program.kind(mask) == Kind::Mask);
                (fits.then(|| program.kind(*array)), program.width.lanes())
            }
            LaneExpr::Merge(mask, [a, b]) => {
                let fits = program.kind(*mask) == Kind::Mask
                    && program.kind(*a) == program.kind(*b)
                    && program.kind(*a).words().is_some();
                (fits.then(|| program.kind(*a)), program.width.lanes())
            }
            LaneExpr::Primitive(word) => {
                let is_there = *word < program.primitive_words && program.items != Items::Rows;
                self.require(is_there, || format!("{value}: no primitive has a word {word}"));
                let is_word = matches!(info.kind, Kind::F32 | Kind::I32);
                (is_word.then_some(info.kind), Rate::PRIMITIVE)
            }
            LaneExpr::Coordinate(axis) => {
                (Some(Kind::F32), program.items.rate(program.width, *axis))
            }
            LaneExpr::Invocation(..) | LaneExpr::Saved(_) => {
                let column = match expr {
                    LaneExpr::Invocation(input, k) => Column::Invocation(*input, *k),
                    LaneExpr::Saved(word) => Column::Saved(*word),
                    _ => unreachable!("it is one of these"),
                };
                let is_there = program.items.position(column).is_some();
                self.require(is_there, || format!("{value}: no lane has {column}"));
                (Some(Kind::I32), program.width.lanes())
            }
            LaneExpr::ExecutionMask => (Some(Kind::Mask), Rate::VARYING),
            LaneExpr::Neighbour { of, axis, .. } => {
                self.shared = true;
                self.require(program.width.shares(*axis), || {
                    format!("{value} reads a lane that may not be there")
                });
                let fits = matches!(program.kind(*of), Kind::F32 | Kind::I32);
                (fits.then(|| program.kind(*of)), program.rate(*of))
            }
            LaneExpr::Any(mask) => {
                let is_mask = program.kind(*mask) == Kind::Mask;
                (is_mask.then_some(Kind::Mask), Rate::GROUP)
            }
            LaneExpr::Op(op, operands) => {
                let kinds: Vec<_> = operands.iter().map(|&v| program.kind(v)).collect();
                let rates = operands.iter().map(|&v| program.rate(v));
                (op.result(&kinds), rates.fold(Rate::FRAME, |a, b| a | b))
            }
            LaneExpr::Elementary { function, operands, mask } => {
                let fits = operands.len() == function.arity()
                    && operands.iter().all(|&v| program.kind(v) == Kind::F32)
                    && mask.is_none_or(|mask| program.kind(mask) == Kind::Mask)
                    && (mask.is_some() || info.rate.is_uniform());
                let rates = operands.iter().map(|&v| program.rate(v));
                (fits.then_some(Kind::F32), rates.fold(Rate::FRAME, |a, b| a | b))
            }
        };
        self.require(kind == Some(info.kind), || {
            format!("{value}: {expr:?} is not of kind {}", info.kind)
        });
        self.require(info.rate.includes(rate), || {
            format!("{value} has a rate below its operands'")
        });
        if kind == Some(info.kind) {
            self.limits.define(value, info.kind, expr);
        }
    }

    fn access(&mut self, value: Option<ValueId>, access: &Access) {
        let program = self.program;
        let Access { memory, index, mask, change } = access;
        access.operands().for_each(|operand| self.uses(operand));
        let is_memory = program.resources.0.get(*memory as usize).is_some_and(|of| of.is_memory);
        self.require(is_memory && matches!(program.items, Items::Invocations { .. }), || {
            format!("there is no memory {memory}")
        });
        let bound = self.limits.bound(*index);
        let inside = program.resources.holds(*memory, 0, 0, bound);
        self.require(inside, || format!("memory {memory}: nothing keeps {index} inside"));
        let words = change.iter().flat_map(|change| &change.words).chain([index]).chain(&value);
        let are_words = words.into_iter().all(|&word| program.kind(word) == Kind::I32);
        self.require(are_words, || format!("memory {memory}: these are no words"));
        let rate = match change {
            None => {
                let is_mask = mask.is_none_or(|mask| program.kind(mask) == Kind::Mask);
                self.require(is_mask, || format!("{mask:?} is no mask"));
                program.rate(*index) | Rate::GROUP
            }
            Some(Change { atomic, words, mask }) => {
                self.require(access.mask.is_none(), || "a change has a mask of its own".into());
                self.require(words.len() == atomic.words(), || {
                    format!("{} takes {} words", atomic.name(), atomic.words())
                });
                let is_mask = program.kind(*mask) == Kind::Mask;
                self.require(is_mask, || format!("{mask} is no mask"));
                program.width.lanes()
            }
        };
        self.require(value.is_some() || change.is_some(), || "nobody needs the word".into());
        self.require(value.is_none_or(|value| program.rate(value).includes(rate)), || {
            format!("memory {memory}: the word has a rate below its index's or its group's")
        });
    }

    /// Checks that the word of an array that `value` reads or replaces exists.
    fn inside(&mut self, value: ValueId, array: ValueId, first: u32, index: Option<ValueId>) {
        let words = self.program.kind(array).words().unwrap_or(0);
        let most = index.map_or(0, |index| self.limits.most(index));
        self.require(most.saturating_add(first) < words, || {
            format!("{value}: nothing keeps {index:?} inside {array}")
        });
        let is_index = index.is_none_or(|index| self.program.kind(index) == Kind::I32);
        self.require(is_index, || format!("{value}: {index:?} is no index"));
    }

    /// Checks that values read in other lanes are whole.
    fn whole(&mut self) {
        let program = self.program;
        let mut all = vec![false; program.values.len()];
        let reached = Walk::new().events(program).filter_map(|event| match event {
            Event::Statement(id, index) => Some((id, &program.block(id).statements[index])),
            _ => None,
        });
        let lets: Vec<_> = reached
            .filter_map(|(id, statement)| match statement {
                LaneStatement::Let { value, expr } => Some((id, *value, expr)),
                _ => None,
            })
            .collect();
        for (_, value, expr) in &lets {
            all[value.index()] = matches!(expr, LaneExpr::Constant(1..));
        }
        let whole = Whole::new(program, |mask| mask.is_none_or(|mask| all[mask.index()]));
        for (id, value, expr) in lets {
            if let LaneExpr::Neighbour { of, .. } = expr {
                self.at = id;
                self.require(whole.contains(*of), || {
                    format!("{value}: {of} is not right in every lane")
                });
            }
        }
    }

    fn end(&mut self, end: &'p LaneEnd, role: Role<'p>) {
        match (end, role) {
            (LaneEnd::Yield(values), Role::Root) => {
                for &value in values {
                    self.uses(value);
                }
                let numbers = values.iter().all(|&v| self.program.kind(v) == Kind::F32);
                let may_be_none = matches!(self.program.items, Items::Invocations { .. });
                let are_pixels =
                    (may_be_none || !values.is_empty()) && values.len().is_multiple_of(4);
                self.require(are_pixels && numbers, || "no pixel is yielded".into());
            }
            (LaneEnd::Yield(values), Role::Arm(results) | Role::Body { values: results, .. }) => {
                self.flow("yield", values, results, Rate::FRAME);
            }
            (LaneEnd::Rec(values), Role::Body { params, .. }) => {
                self.flow("rec", values, params, Rate::FRAME);
            }
            (LaneEnd::If { condition, then, otherwise }, Role::Body { values, params, .. }) => {
                self.condition(*condition);
                for arm in [then, otherwise] {
                    self.roles[arm.index()] = Role::Body { values, params, is_first: false };
                }
            }
            (LaneEnd::Rec(_) | LaneEnd::If { .. }, _) => {
                self.error("only a loop's body may end so".into());
            }
        }
    }
}
