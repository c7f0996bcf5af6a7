//! SPIR-V text to words: the assembly language of SPIRV-Tools, as their `docs/syntax.md` describes it.
//!
//! The grammar, with the names of all operands, is rspirv's table; these modules hold the rules of the
//! text. A text is split into tokens (`lex`). An instruction extends from its name, or from the `%id =`
//! before that, to the next instruction, and the grammar names its operands (`operands`). Number
//! literals are encoded by their type (`literal`).
//!
//! # Guarantees
//!
//! - *Any text gives words or an error with its place, never a panic.* Nothing recurses, and the time is
//!   linear in the text.
//! - A numeric id is kept. Other ids get the least free number, in the order in which the words have
//!   them: the words are those of `spirv-as --preserve-numeric-ids`.
//! - Comments have no effect, the header included: the caller chooses the version.
//! - The words need not be a valid module.
//!
//! Unsupported: 16-bit float literals, and extended instructions whose operands are not ids.

mod error;
mod lex;
mod literal;
mod operands;

pub use error::{AssembleError, AssembleErrorKind};

use crate::text::words_of_string;
use lambdav_core::source::Span;
use lex::{Token, tokens};
use literal::NumberType;
use operands::{describe, named, without_ending};
use rspirv::grammar::{
    INSTRUCTION_TABLE, Instruction, LogicalOperand, OperandKind, OperandQuantifier, ext_inst_table,
};
use rspirv::spirv::{MAGIC_NUMBER, Op};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::VecDeque;
use std::sync::OnceLock;

/// A version of SPIR-V, 1.0 to 1.6, by its second number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpirvVersion(u32);

impl SpirvVersion {
    /// The newest version that a target environment, such as `spv1.3` or `vulkan1.1`, accepts.
    pub fn of_environment(name: &str) -> Option<Self> {
        let minor = match name {
            "spv1.0" | "vulkan1.0" => 0,
            "spv1.1" => 1,
            "spv1.2" => 2,
            "spv1.3" | "vulkan1.1" => 3,
            "spv1.4" | "vulkan1.1spv1.4" => 4,
            "spv1.5" | "vulkan1.2" => 5,
            "spv1.6" | "vulkan1.3" | "vulkan1.4" => 6,
            _ => return None,
        };
        Some(Self(minor))
    }
}

/// 1.6, which has every instruction.
impl Default for SpirvVersion {
    fn default() -> Self {
        Self(6)
    }
}

/// The generator number of SPIRV-Tools' assembler: the words are the same as its own.
const GENERATOR: u32 = 7 << 16;

/// The largest id: the limit of SPIR-V.
const MAX_ID: u32 = (1 << 22) - 1;

/// True if a text is SPIR-V assembly: its first word begins an instruction.
pub fn is_assembly(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_start);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with(';')).unwrap_or_default();
    let mut words = first.split_whitespace();
    let is_name = |word: &str| {
        let name = word.strip_prefix("Op");
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    match words.next() {
        Some(word) if word.starts_with('%') => {
            words.next() == Some("=") && words.next().is_some_and(is_name)
        }
        Some(word) => is_name(word),
        None => false,
    }
}

/// Assembles the words of a module.
///
/// # Errors
///
/// The first mistake, with its place.
pub fn assemble(text: &str, version: SpirvVersion) -> Result<Vec<u32>, AssembleError> {
    let tokens = tokens(text)?;
    let mut assembler = Assembler::new(&tokens, version);
    let mut at = 0;
    while at < tokens.len() {
        let has_result = is_result(&tokens, at);
        let name = at + if has_result { 2 } else { 0 };
        let Some(opcode) = tokens.get(name).filter(|token| token.is_instruction()) else {
            let token = tokens.get(name).unwrap_or(&tokens[at]);
            let found = token.text.to_owned();
            return Err(token.error(AssembleErrorKind::NoInstruction(found)));
        };
        let is_next = |&index: &usize| tokens[index].is_instruction() || is_result(&tokens, index);
        let end = (name + 1..tokens.len()).find(is_next).unwrap_or(tokens.len());
        let result = has_result.then(|| tokens[at]);
        assembler.instruction(result, opcode, &tokens[name + 1..end])?;
        at = end;
    }
    Ok(assembler.finish())
}

/// True if `%id =` begins at token `at`.
fn is_result(tokens: &[Token<'_>], at: usize) -> bool {
    let is_equals = || tokens.get(at + 1).is_some_and(|token| token.text == "=");
    tokens[at].text.starts_with('%') && is_equals()
}

/// The instruction of that name, given without `Op`.
fn instruction(name: &str) -> Option<&'static Instruction<'static>> {
    static TABLE: OnceLock<FxHashMap<&'static str, &'static Instruction<'static>>> =
        OnceLock::new();
    let all = || INSTRUCTION_TABLE.iter().map(|of| (of.opname, of)).collect();
    let table = TABLE.get_or_init(all);
    table.get(name).or_else(|| table.get(without_ending(name)?)).copied()
}

/// State of the assembly: the words so far, and the names and types of ids.
struct Assembler<'t> {
    words: Vec<u32>,
    /// Numbers that the text uses as ids.
    kept: FxHashSet<u32>,
    /// Ids that have names.
    names: FxHashMap<&'t str, u32>,
    /// The next number to try for a name.
    next: u32,
    bound: u32,
    /// Types of numbers, by their ids.
    numbers: FxHashMap<u32, NumberType>,
    /// The types of results.
    types: FxHashMap<u32, u32>,
    /// Sets of extended instructions.
    sets: FxHashMap<u32, String>,
}

/// The instruction that is being assembled.
struct Current<'a, 't> {
    grammar: &'static Instruction<'static>,
    tokens: std::slice::Iter<'a, Token<'t>>,
    /// Operands still expected by the grammar.
    expected: VecDeque<LogicalOperand>,
    start: usize,
    span: Span,
}

impl<'t> Current<'_, 't> {
    fn token(&mut self, what: &'static str) -> Result<Token<'t>, AssembleError> {
        let missing = AssembleErrorKind::Missing(self.grammar.opname, what);
        self.tokens.next().copied().ok_or(AssembleError { span: self.span, kind: missing })
    }
}

impl<'t> Assembler<'t> {
    fn new(tokens: &[Token<'t>], version: SpirvVersion) -> Self {
        let kept = tokens.iter().filter_map(|token| token.id()?.parse().ok()).collect();
        Self {
            words: vec![MAGIC_NUMBER, 1 << 16 | version.0 << 8, GENERATOR, 0, 0],
            kept,
            names: FxHashMap::default(),
            next: 1,
            bound: 1,
            numbers: FxHashMap::default(),
            types: FxHashMap::default(),
            sets: FxHashMap::default(),
        }
    }

    fn finish(mut self) -> Vec<u32> {
        self.words[3] = self.bound;
        self.words
    }

    fn id(&mut self, token: &Token<'t>, expected: &'static str) -> Result<u32, AssembleError> {
        let unexpected =
            || AssembleErrorKind::Unexpected { found: token.text.to_owned(), expected };
        let name = token.id().ok_or_else(|| token.error(unexpected()))?;
        let range = || token.error(AssembleErrorKind::OutOfRange(token.text.to_owned()));
        let id = if name.bytes().all(|byte| byte.is_ascii_digit()) {
            name.parse().ok().filter(|id| (1..=MAX_ID).contains(id)).ok_or_else(range)?
        } else if let Some(&id) = self.names.get(name) {
            id
        } else {
            while self.kept.contains(&self.next) {
                self.next += 1;
            }
            let id = self.next;
            if id > MAX_ID {
                return Err(range());
            }
            self.next += 1;
            self.names.insert(name, id);
            id
        };
        self.bound = self.bound.max(id + 1);
        Ok(id)
    }

    fn instruction(
        &mut self,
        result: Option<Token<'t>>,
        opcode: &Token<'t>,
        tokens: &[Token<'t>],
    ) -> Result<(), AssembleError> {
        let unknown = || AssembleErrorKind::UnknownInstruction(opcode.text.to_owned());
        let grammar = instruction(&opcode.text[2..]).ok_or_else(|| opcode.error(unknown()))?;
        let has_result = grammar.operands.iter().any(|of| of.kind == OperandKind::IdResult);
        match &result {
            None if has_result => {
                return Err(opcode.error(AssembleErrorKind::NoResult(grammar.opname)));
            }
            Some(token) if !has_result => {
                return Err(token.error(AssembleErrorKind::HasResult(grammar.opname)));
            }
            _ => {}
        }
        let start = self.words.len();
        let span = tokens.iter().fold(opcode.span, |span, token| span.to(token.span));
        let expected = grammar.operands.iter().cloned().collect();
        let mut current = Current { grammar, tokens: tokens.iter(), expected, start, span };
        self.words.push(0);
        while let Some(operand) = current.expected.pop_front() {
            if let (OperandKind::IdResult, Some(token)) = (operand.kind, &result) {
                let id = self.id(token, describe(operand.kind))?;
                self.words.push(id);
                continue;
            }
            let is_over = current.tokens.as_slice().is_empty();
            match operand.quantifier {
                OperandQuantifier::One => {}
                _ if is_over => continue,
                OperandQuantifier::ZeroOrOne => {}
                OperandQuantifier::ZeroOrMore => current.expected.push_front(operand.clone()),
            }
            self.operand(operand.kind, &mut current)?;
        }
        if let Some(token) = current.tokens.next() {
            let found = token.text.to_owned();
            return Err(token.error(AssembleErrorKind::Surplus(grammar.opname, found)));
        }
        let count = self.words.len() - start;
        if count > 0xffff {
            return Err(opcode.error(AssembleErrorKind::TooLong(grammar.opname)));
        }
        self.words[start] = (count as u32) << 16 | grammar.opcode as u32;
        self.learn(grammar, start);
        Ok(())
    }

    /// Records types and imports, which later numbers and names depend on.
    fn learn(&mut self, grammar: &Instruction<'_>, start: usize) {
        let words = &self.words[start..];
        match (grammar.opcode, words) {
            (Op::TypeInt, &[_, id, width, sign]) => {
                self.numbers.insert(id, NumberType::Int(width, sign != 0));
            }
            (Op::TypeFloat, &[_, id, width, ..]) => {
                self.numbers.insert(id, NumberType::Float(width));
            }
            (Op::ExtInstImport, &[_, id, ref name @ ..]) => {
                let bytes: Vec<u8> = name.iter().flat_map(|word| word.to_le_bytes()).collect();
                let name = String::from_utf8_lossy(&bytes);
                self.sets.insert(id, name.trim_end_matches('\0').to_owned());
            }
            (_, &[_, ty, id, ..]) => {
                let typed = grammar.operands.first().map(|of| of.kind);
                if typed == Some(OperandKind::IdResultType) {
                    self.types.insert(id, ty);
                }
            }
            _ => {}
        }
    }

    fn operand(
        &mut self,
        kind: OperandKind,
        current: &mut Current<'_, 't>,
    ) -> Result<(), AssembleError> {
        use OperandKind as K;
        let expected = describe(kind);
        let token = current.token(expected)?;
        // A literal word, for operands that the grammar does not know.
        if let Some(digits) = token.text.strip_prefix('!') {
            let word = literal::word(&Token { text: digits, span: token.span })?;
            self.words.push(word);
            return Ok(());
        }
        let unexpected = || {
            token.error(AssembleErrorKind::Unexpected { found: token.text.to_owned(), expected })
        };
        if let Some(found) = named(kind, token.text) {
            let (word, additional) = found.ok_or_else(unexpected)?;
            self.words.push(word);
            additional.into_iter().rev().for_each(|operand| current.expected.push_front(operand));
            return Ok(());
        }
        match kind {
            K::IdResultType | K::IdResult | K::IdMemorySemantics | K::IdScope | K::IdRef => {
                let id = self.id(&token, expected)?;
                self.words.push(id);
            }
            K::LiteralInteger => self.words.push(literal::word(&token)?),
            K::LiteralFloat => literal::number(&token, NumberType::Float(32), &mut self.words)?,
            K::LiteralString => {
                let text = token.string().ok_or_else(unexpected)?;
                self.words.extend(words_of_string(&text));
            }
            K::LiteralContextDependentNumber => {
                let ty = self.words.get(current.start + 1).copied();
                self.number(&token, ty, current.span)?;
            }
            K::LiteralExtInstInteger => self.extended(&token, current)?,
            K::LiteralSpecConstantOpInteger => {
                let grammar = instruction(token.text).ok_or_else(unexpected)?;
                self.words.push(grammar.opcode as u32);
                let is_operand =
                    |of: &&LogicalOperand| !matches!(of.kind, K::IdResultType | K::IdResult);
                let operands: Vec<_> = grammar.operands.iter().filter(is_operand).collect();
                operands.into_iter().rev().for_each(|of| current.expected.push_front(of.clone()));
            }
            K::PairLiteralIntegerIdRef => {
                // In OpSwitch, numbers have the selector's type.
                let selector = self.words.get(current.start + 1);
                let ty = selector.and_then(|selector| self.types.get(selector)).copied();
                self.number(&token, ty, current.span)?;
                self.operand(K::IdRef, current)?;
            }
            K::PairIdRefLiteralInteger => {
                let id = self.id(&token, expected)?;
                self.words.push(id);
                self.operand(K::LiteralInteger, current)?;
            }
            K::PairIdRefIdRef => {
                let id = self.id(&token, expected)?;
                self.words.push(id);
                self.operand(K::IdRef, current)?;
            }
            _ => return Err(unexpected()),
        }
        Ok(())
    }

    fn number(
        &mut self,
        token: &Token<'t>,
        ty: Option<u32>,
        span: Span,
    ) -> Result<(), AssembleError> {
        let Some(&ty) = ty.and_then(|ty| self.numbers.get(&ty)) else {
            let kind = AssembleErrorKind::NoNumberType(token.text.to_owned());
            return Err(AssembleError { span, kind });
        };
        literal::number(token, ty, &mut self.words)
    }

    /// The name, or the number, of an instruction of the extended set that was named last.
    fn extended(
        &mut self,
        token: &Token<'t>,
        current: &Current<'_, 't>,
    ) -> Result<(), AssembleError> {
        if token.text.starts_with(|c: char| c.is_ascii_digit()) {
            self.words.push(literal::word(token)?);
            return Ok(());
        }
        let set = self.words[current.start..].last().and_then(|id| self.sets.get(id));
        let set = set.map_or("", String::as_str);
        let found = ext_inst_table(set)
            .and_then(|table| table.iter().find(|of| of.opname == token.text))
            .ok_or_else(|| {
                let (name, set) = (token.text.to_owned(), set.to_owned());
                token.error(AssembleErrorKind::UnknownExtended { name, set })
            })?;
        self.words.push(found.opcode.into());
        Ok(())
    }
}
