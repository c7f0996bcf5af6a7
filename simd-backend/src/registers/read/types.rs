//! The registers of a function.

use super::error::{ReadError, ReadErrorKind};
use super::line::Line;
use crate::lanes::Kind;
use crate::registers::{Reg, RegisterType};

/// The number of registers that a function may have, so that a short text takes little memory.
const MAX_REGISTERS: u32 = 1 << 22;

/// The kinds of scalars, and of lanes of vectors.
pub(super) const KINDS: [Kind; 5] = [Kind::F32, Kind::F64, Kind::I32, Kind::I64, Kind::Mask];

/// The registers of a function, as far as they are read.
#[derive(Default)]
pub(super) struct Types {
    /// The type of each register that is assigned.
    types: Vec<Option<RegisterType>>,
    /// The first use of each register, with its line.
    uses: Vec<Option<usize>>,
}

impl Types {
    /// Takes a register with its type, where it is assigned.
    pub(super) fn definition(
        &mut self,
        line: &mut Line<'_>,
    ) -> Result<(Reg, RegisterType), ReadError> {
        let reg = register(line)?;
        line.mark(":")?;
        let ty = register_type(line)?;
        let at = reg.index();
        if self.types.len() <= at {
            self.types.resize(at + 1, None);
        }
        match self.types[at].replace(ty) {
            Some(other) if other != ty => Err(ReadErrorKind::Retyped(reg).at(line.number())),
            _ => Ok((reg, ty)),
        }
    }

    /// Takes a register where it is used.
    pub(super) fn operand(&mut self, line: &mut Line<'_>) -> Result<Reg, ReadError> {
        let reg = register(line)?;
        let at = reg.index();
        if self.uses.len() <= at {
            self.uses.resize(at + 1, None);
        }
        self.uses[at].get_or_insert(line.number());
        Ok(reg)
    }

    /// Takes registers with commas between them, at least one.
    pub(super) fn operands(&mut self, line: &mut Line<'_>) -> Result<Vec<Reg>, ReadError> {
        let mut all = vec![self.operand(line)?];
        while line.has_mark(",") {
            all.push(self.operand(line)?);
        }
        Ok(all)
    }

    /// Takes so many registers.
    pub(super) fn array<const N: usize>(
        &mut self,
        line: &mut Line<'_>,
    ) -> Result<[Reg; N], ReadError> {
        let all = self.operands(line)?;
        all.try_into().map_err(|_| line.expected("another number of registers"))
    }

    /// The types of all registers. Those that nothing assigns or uses have an arbitrary one.
    ///
    /// # Errors
    ///
    /// If a register is used and never assigned.
    pub(super) fn finish(self) -> Result<Vec<RegisterType>, ReadError> {
        let Self { types, uses } = self;
        for (at, line) in uses.into_iter().enumerate() {
            if let (Some(line), None) = (line, types.get(at).copied().flatten()) {
                return Err(ReadErrorKind::Unassigned(Reg(at as u32)).at(line));
            }
        }
        Ok(types.into_iter().map(|ty| ty.unwrap_or(RegisterType::Scalar(Kind::I32))).collect())
    }
}

/// True if a word is the name of a register.
pub(super) fn is_register(word: &str) -> bool {
    word.strip_prefix('r').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn register(line: &mut Line<'_>) -> Result<Reg, ReadError> {
    if !is_register(line.peek()) {
        return Err(line.expected("a register"));
    }
    line.printed("a register", |word| {
        let number = word.strip_prefix('r')?.parse::<u32>().ok()?;
        (number < MAX_REGISTERS).then_some(Reg(number))
    })
}

fn register_type(line: &mut Line<'_>) -> Result<RegisterType, ReadError> {
    let word = line.peek();
    let scalars = KINDS.map(RegisterType::Scalar);
    let vectors = KINDS.map(RegisterType::Vector);
    let mut all = scalars.into_iter().chain(vectors).chain([RegisterType::WideMask]);
    match all.find(|ty| ty.to_string() == word) {
        Some(ty) => line.word("a type").map(|_| ty),
        None => Err(line.expected("a type")),
    }
}
