//! Limits on the time and stack that naga takes, checked on the tokens of a text before naga sees it.
//!
//! naga recurses on nesting ([`Nesting`]). It visits all expressions of a function for each statement,
//! and in GLSL all global declarations for each other one.

use super::nesting::{Nesting, NestingToken};

/// Most tokens of a text. naga compares the functions of a WGSL text with one another.
const TOKENS: usize = 250_000;

/// Most tokens of a function times its statements, summed over all functions. 10,000 statements `x = x
/// * 2.0;`, 6·10^8 units, take an unoptimised naga 10 s.
const WORK: u64 = 250_000_000;

/// Most structures, blocks, inputs, outputs, variables and constants outside of functions: 4,000 take
/// naga 1 s.
const DECLARATIONS: usize = 4_000;

/// Running count of a text's costs.
#[derive(Default)]
pub(super) struct Budget {
    nesting: Nesting,
    tokens: usize,
    declarations: usize,
    /// Work of the finished functions.
    work: u64,
    /// Number of open braces.
    braces: usize,
    /// Statements of the current function.
    statements: u64,
    length: u64,
}

impl Budget {
    /// Adds a token; an operator costs `cost` of nesting. The error is the exceeded limit.
    pub(super) fn take(&mut self, token: NestingToken, cost: usize) -> Result<(), &'static str> {
        self.tokens += 1;
        if self.tokens > TOKENS {
            return Err("the text has more than 250,000 tokens");
        }
        if token == NestingToken::Declaration && self.nesting.is_outside() {
            self.declarations += 1;
            if self.declarations > DECLARATIONS {
                return Err(
                    "the text declares more than 4,000 structures, variables and constants",
                );
            }
        }
        self.length += u64::from(self.braces > 0);
        match token {
            NestingToken::Open(b'{') => {
                self.braces += 1;
                self.statements += 1;
            }
            NestingToken::Close(b'}') => {
                self.braces = self.braces.saturating_sub(1);
                if self.braces == 0 {
                    self.work +=
                        std::mem::take(&mut self.length) * std::mem::take(&mut self.statements);
                }
            }
            NestingToken::Semicolon | NestingToken::Comma if self.braces > 0 => {
                self.statements += 1;
            }
            _ => {}
        }
        if self.work + self.length * self.statements > WORK {
            return Err("the functions of the text are too long");
        }
        match self.nesting.take(token, cost) {
            true => Ok(()),
            false => Err("the text nests too deep here"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_refused(
        tokens: impl IntoIterator<Item = NestingToken>,
    ) -> Option<(usize, &'static str)> {
        let mut budget = Budget::default();
        let mut tokens = tokens.into_iter().enumerate();
        tokens.find_map(|(index, token)| Some((index, budget.take(token, 1).err()?)))
    }

    #[test]
    fn long_functions_are_refused_and_many_short_ones_are_not() {
        let statement = [
            NestingToken::Operand,
            NestingToken::Operator,
            NestingToken::Operand,
            NestingToken::Semicolon,
        ];
        let function = |statements: usize| {
            let body = statement.into_iter().cycle().take(4 * statements);
            [NestingToken::Open(b'{')].into_iter().chain(body).chain([NestingToken::Close(b'}')])
        };
        let (index, why) = first_refused(function(40_000)).expect("it is long");
        assert!(why.contains("functions") && index < 100_000, "{index} {why}");
        let many = (0..10_000).flat_map(|_| function(4));
        assert_eq!(first_refused(many), None);
    }

    #[test]
    fn declarations_are_counted_outside_of_functions() {
        let parameters = [
            NestingToken::Open(b'('),
            NestingToken::Declaration,
            NestingToken::Close(b')'),
            NestingToken::Semicolon,
        ];
        let all = parameters.into_iter().cycle().take(40_000);
        assert_eq!(first_refused(all), None);
        let inputs = [NestingToken::Declaration, NestingToken::Operand, NestingToken::Semicolon];
        let (index, _) = first_refused(inputs.into_iter().cycle()).expect("they do not end");
        assert_eq!(index, 3 * DECLARATIONS);
    }
}
