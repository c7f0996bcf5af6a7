//! Probes of a scheduled program as outputs: which of them reported anything in a pixel.
//!
//! [`reported`] replaces probes by ordinary computations. Each has a bit of a `uint`, [`BITS`] of them to a word. A block
//! starts with words of zero, and a probe that hits sets its bit. The arms of an `if` yield their words beside its value, in a
//! structure, and the block around it takes them over; a loop passes them on from round to round. The root yields the words
//! behind its outputs: [`Form`] says how. A word is below 2^24, so its number is exact in any attachment of `num`s.
//!
//! What a copy at a neighbour reports is what the original reports at the other pixel. So the words of a copy are linked to those
//! of the original, if the same probes stand in both ([`Program::neighbours`]).
//!
//! A scheduled program evaluates a probe exactly where it is needed ([`super::demand`]), so the bits are those of the language.

use super::program::{
    Block, BlockId, End, Expr, NO_LOCATION, Program, Statement, ValueId, ValueInfo,
};
use super::walk::{BlockRole, Event, Walk};
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::Neighbour;
use crate::mutants::{Mutant, is_active};
use crate::op::Op;
use crate::source::Span;
use crate::types::{Field, Scalar, Structure, Type, TypeLimit};
use rustc_hash::FxHashMap;
use std::collections::{BTreeMap, BTreeSet};

/// Number of probes of a word.
pub const BITS: u32 = 24;

/// The form of the words that the root yields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Four to a `vec4` of numbers, as attachments of a picture.
    Attachments,
    /// `uint`s, of an invocation.
    Words,
}

/// The number of attachments that a program with so many probes has behind its own.
pub fn report_outputs(probes: usize) -> usize {
    probes.div_ceil(4 * BITS as usize)
}

/// True if the pixel of a report's attachments says that a probe hit.
pub fn is_hit(probe: u32, pixel: impl Fn(usize) -> [f32; 4]) -> bool {
    let (word, bit) = (probe / BITS, probe % BITS);
    (pixel(word as usize / 4)[word as usize % 4] as u32) >> bit & 1 != 0
}

/// The program without probes.
pub(super) fn without(mut program: Program) -> Program {
    for statement in program.blocks.iter_mut().flat_map(|block| &mut block.statements) {
        if let Statement::Let { expr: Expr::Op(op @ Op::Probe(_), operands), .. } = statement {
            (*op, *operands) = (Op::And, [operands[0]; 2].into());
        }
    }
    program
}

/// The number of words that an invocation of a program with so many probes yields.
pub fn report_words(probes: usize) -> usize {
    probes.div_ceil(BITS as usize)
}

/// The probes whose bits are set in a word of this index.
pub fn hits(word: usize, bits: u32) -> impl Iterator<Item = u32> {
    let rest = std::iter::successors(Some(bits), |bits| Some(bits & bits.wrapping_sub(1)));
    let rest = rest.take_while(|bits| *bits != 0);
    rest.map(move |bits| word as u32 * BITS + bits.trailing_zeros())
}

/// The program with `probes` probes as outputs behind its own, at the locations behind theirs.
///
/// # Errors
///
/// LV0502 if it has too many probes.
pub(super) fn reported(
    program: &Program,
    probes: usize,
    form: Form,
) -> Result<Program, Diagnostic> {
    let of_blocks = probes_of(program);
    let mut rewriting = Rewriting {
        // A discarded pixel is reported, too. (Its outputs already have the clear colour.)
        out: Program { blocks: Vec::new(), discard: None, ..program.clone() },
        blocks: vec![None; program.blocks.len()],
        probes: &of_blocks,
        zero: ValueId(0),
        bits: Vec::new(),
        frames: Vec::new(),
        waiting: Vec::new(),
        structures: FxHashMap::default(),
        beside: FxHashMap::default(),
    };
    let outputs = match form {
        Form::Attachments => report_outputs(probes),
        Form::Words => report_words(probes),
    };
    let span = |_: TypeLimit| {
        too_many(program.outputs().first().map(|&of| program.values[of.index()].span))
    };
    rewriting.zero = rewriting.value(Type::UINT);
    rewriting.bits = (0..BITS).map(|_| rewriting.value(Type::UINT)).collect();
    for event in Walk::new(program) {
        rewriting.event(event, (form, outputs)).map_err(span)?;
    }
    let Rewriting { mut out, blocks, zero, bits, .. } = rewriting;
    out.blocks = blocks.into_iter().map(|block| block.expect("all are left")).collect();
    let constant = |value, word| Statement::Let { value, expr: Expr::Constant([word].into()) };
    let mut constants = vec![constant(zero, 0)];
    constants.extend((0..).zip(bits).map(|(bit, value)| constant(value, 1 << bit)));
    out.blocks[Program::ROOT.index()].statements.splice(0..0, constants);
    let first = match form {
        Form::Attachments => out.locations.iter().max().map_or(0, |&last| last.wrapping_add(1)),
        Form::Words => NO_LOCATION,
    };
    // No location follows `NO_LOCATION`.
    out.locations.extend((0..outputs as u32).map(|k| first.saturating_add(k)));
    Ok(out)
}

fn too_many(span: Option<Span>) -> Diagnostic {
    let message = "the program has too many operations whose undefined behaviour can be reported";
    Diagnostic::new(DiagnosticCode::ExpansionTooLarge, span.unwrap_or_default(), message)
        .label("this is what they are for")
        .help("report fewer outputs at a time")
}

type Words = BTreeSet<u32>;

/// The words of probes.
fn words(probes: &[u32]) -> Words {
    probes.iter().map(|probe| probe / BITS).collect()
}

/// The probes in each block, inner blocks included, in ascending order.
fn probes_of(program: &Program) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); program.blocks.len()];
    let mut around: Vec<BlockId> = Vec::new();
    for event in Walk::new(program) {
        match event {
            Event::Enter(block, _) => around.push(block),
            Event::Statement(block, Statement::Let { expr: Expr::Op(Op::Probe(probe), _), .. }) => {
                all[block.index()].push(*probe);
            }
            Event::Leave(block) => {
                around.pop();
                all[block.index()].sort_unstable();
                if let Some(outer) = around.last() {
                    let inner = all[block.index()].clone();
                    all[outer.index()].extend(inner);
                }
            }
            Event::Statement(..) | Event::After(..) | Event::End(..) => {}
        }
    }
    all
}

/// A block that the walk is in.
struct Frame {
    statements: Vec<Statement>,
    /// The words so far; others are zero.
    found: BTreeMap<u32, ValueId>,
    /// What its yields and `rec`s pass on beside their values.
    passed: Words,
    end: End,
}

/// An `if` or a loop whose inner blocks are being visited.
struct Waiting {
    words: Words,
    probes: Vec<u32>,
    /// The value with its words, in place of its own.
    whole: ValueId,
    /// The parameters of a loop for words.
    params: Vec<ValueId>,
}

struct Rewriting<'p> {
    out: Program,
    blocks: Vec<Option<Block>>,
    /// The probes in each block.
    probes: &'p [Vec<u32>],
    zero: ValueId,
    /// The words with one bit.
    bits: Vec<ValueId>,
    frames: Vec<Frame>,
    waiting: Vec<Waiting>,
    structures: FxHashMap<(Type, usize), Type>,
    /// For the value of a probe its bits, and for that of an `if` or a loop the whole with its words; with the probes.
    beside: FxHashMap<ValueId, (ValueId, Vec<u32>)>,
}

impl Rewriting<'_> {
    fn value(&mut self, ty: Type) -> ValueId {
        let value = ValueId(self.out.values.len() as u32);
        self.out.values.push(ValueInfo { ty, span: Span::default() });
        value
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("the walk is in a block")
    }

    fn op(&mut self, ty: Type, op: Op, operands: &[ValueId]) -> ValueId {
        let value = self.value(ty);
        self.define(value, op, operands);
        value
    }

    fn define(&mut self, value: ValueId, op: Op, operands: &[ValueId]) {
        let expr = Expr::Op(op, operands.into());
        self.frame().statements.push(Statement::Let { value, expr });
    }

    /// The type of a value beside so many words.
    fn structure(&mut self, of: Type, words: usize) -> Result<Type, TypeLimit> {
        if let Some(&known) = self.structures.get(&(of, words)) {
            return Ok(known);
        }
        let field =
            |(k, ty): (usize, Type)| Field { name: format!("f{k}").into(), ty, is_generic: false };
        let fields = std::iter::once(of).chain(vec![Type::UINT; words]);
        let fields = fields.enumerate().map(field).collect();
        let made = self.out.types.add_structure(Structure { name: "reported".into(), fields })?;
        self.structures.insert((of, words), made);
        Ok(made)
    }

    /// Links what is beside a value to what is beside the value's original, if that is at a neighbour.
    fn link(&mut self, value: ValueId, beside: ValueId, probes: Vec<u32>) {
        if let Some(&link) = self.out.neighbours.get(&value)
            && let Some((original, of_original)) = self.beside.get(&link.of)
            && *of_original == probes
        {
            self.out.neighbours.insert(beside, Neighbour { of: *original, ..link });
        }
        self.beside.insert(value, (beside, probes));
    }

    /// Adds a word to those found.
    fn add(&mut self, word: u32, bits: ValueId) {
        let found = match self.frame().found.get(&word).copied() {
            Some(known) => self.op(Type::UINT, Op::Or, &[known, bits]),
            None => bits,
        };
        self.frame().found.insert(word, found);
    }

    /// The words that a block passes on.
    fn passed(&mut self) -> Vec<ValueId> {
        let zero = self.zero;
        let Frame { found, passed, .. } = self.frame();
        passed.iter().map(|word| found.get(word).copied().unwrap_or(zero)).collect()
    }

    fn event(&mut self, event: Event<'_>, outputs: (Form, usize)) -> Result<(), TypeLimit> {
        match event {
            Event::Enter(_, role) => self.enter(role),
            Event::Statement(_, statement) => self.statement(statement)?,
            Event::After(_, statement) => self.after(statement),
            Event::End(block, end) => {
                self.frame().end = match end {
                    End::Yield(values) if block == Program::ROOT => {
                        let all = values.iter().copied().chain(self.report(outputs));
                        End::Yield(all.collect())
                    }
                    End::Yield(values) => {
                        let words = self.passed();
                        if words.is_empty() {
                            end.clone()
                        } else {
                            let of = self.out.ty(values[0]);
                            let ty = self.structure(of, words.len())?;
                            let parts: Vec<ValueId> = values.iter().copied().chain(words).collect();
                            End::Yield([self.op(ty, Op::Construct(ty), &parts)].into())
                        }
                    }
                    End::Rec(arguments) => {
                        End::Rec(arguments.iter().copied().chain(self.passed()).collect())
                    }
                    End::If { .. } => end.clone(),
                };
            }
            Event::Leave(block) => {
                let Frame { statements, end, .. } = self.frames.pop().expect("it was entered");
                self.blocks[block.index()] = Some(Block { statements, end });
            }
        }
        Ok(())
    }

    fn enter(&mut self, role: BlockRole) {
        let (found, passed) = match role {
            BlockRole::Root => (BTreeMap::new(), Words::new()),
            // An arm of a block's end goes on for it.
            BlockRole::Then(None) | BlockRole::Otherwise(None) => {
                let Frame { found, passed, .. } = self.frame();
                (found.clone(), passed.clone())
            }
            BlockRole::Then(Some(_)) | BlockRole::Otherwise(Some(_)) => {
                let waiting = self.waiting.last().expect("its statement was met");
                (BTreeMap::new(), waiting.words.clone())
            }
            BlockRole::Body(_) => {
                let Waiting { words, params, .. } =
                    self.waiting.last().expect("its statement was met");
                (words.iter().copied().zip(params.iter().copied()).collect(), words.clone())
            }
        };
        let end = End::Yield([].into());
        self.frames.push(Frame { statements: Vec::new(), found, passed, end });
    }

    fn statement(&mut self, statement: &Statement) -> Result<(), TypeLimit> {
        let (probes, has_params) = match statement {
            Statement::Let { value, expr: Expr::Op(Op::Probe(probe), operands) } => {
                let hit = operands[0];
                // Others may wait for it.
                self.define(*value, Op::And, &[hit; 2]);
                let (bit, zero) = (self.bits[(probe % BITS) as usize], self.zero);
                let bits = self.op(Type::UINT, Op::Select, &[hit, bit, zero]);
                self.link(*value, bits, vec![*probe]);
                self.add(probe / BITS, bits);
                return Ok(());
            }
            Statement::Let { .. } => {
                self.frame().statements.push(statement.clone());
                return Ok(());
            }
            Statement::If { then, otherwise, .. } => {
                let of = |block: &BlockId| &self.probes[block.index()][..];
                let mut both = [of(then), of(otherwise)].concat();
                both.sort_unstable();
                (both, false)
            }
            Statement::Loop { body, .. } => (self.probes[body.index()].clone(), true),
        };
        let words = words(&probes);
        let value = statement.value();
        let (whole, params) = if words.is_empty() {
            (value, Vec::new())
        } else {
            let ty = self.structure(self.out.ty(value), words.len())?;
            let count = if has_params { words.len() } else { 0 };
            let params = (0..count).map(|_| self.value(Type::UINT)).collect();
            let whole = self.value(ty);
            // A loop at its limit is reported by its place.
            self.out.values[whole.index()].span = self.out.values[value.index()].span;
            (whole, params)
        };
        self.waiting.push(Waiting { words, probes, whole, params });
        Ok(())
    }

    fn after(&mut self, statement: &Statement) {
        let waiting = self.waiting.pop().expect("its statement was met");
        let Waiting { words, probes, whole, params } = waiting;
        let mut new = statement.clone();
        match &mut new {
            Statement::Let { .. } => unreachable!("it has no inner blocks"),
            Statement::If { value, .. } => *value = whole,
            Statement::Loop { value, params: old, inits, .. } => {
                *value = whole;
                *inits = inits.iter().copied().chain(vec![self.zero; params.len()]).collect();
                *old = old.iter().copied().chain(params).collect();
            }
        }
        self.frame().statements.push(new);
        if words.is_empty() {
            return;
        }
        let value = statement.value();
        self.link(value, whole, probes);
        // Where a guard does not hold, its words are needed all the same.
        match is_active(Mutant::InactiveProbe) {
            false => self.out.guards.retain(|guard| *guard != value),
            true => {
                self.out.guards.extend(self.out.guards.contains(&value).then_some(whole));
                self.out.guards.sort_unstable();
            }
        }
        self.define(value, Op::Field(0), &[whole]);
        for (k, word) in (1..).zip(words) {
            let bits = self.op(Type::UINT, Op::Field(k), &[whole]);
            self.add(word, bits);
        }
    }

    /// The outputs with the words of the root.
    fn report(&mut self, (form, outputs): (Form, usize)) -> Vec<ValueId> {
        let zero = self.zero;
        if form == Form::Words {
            let found = &self.frame().found;
            let word = |word| found.get(&word).copied().unwrap_or(zero);
            return (0..outputs as u32).map(word).collect();
        }
        let output = |k: usize| {
            let words: [ValueId; 4] = std::array::from_fn(|component| {
                let word = (4 * k + component) as u32;
                self.frame().found.get(&word).copied().unwrap_or(zero)
            });
            let numbers = words.map(|word| self.op(Type::NUM, Op::Convert(Scalar::F32), &[word]));
            self.op(Type::vec(4), Op::Construct(Type::vec(4)), &numbers)
        };
        (0..outputs).map(output).collect()
    }
}
