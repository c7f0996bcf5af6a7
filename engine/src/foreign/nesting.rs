//! Nesting and chains of operators, measured before a parser that recurses on both sees the text.
//!
//! [`Nesting`] holds an upper bound of the syntax tree's depth at the current token: the open brackets,
//! and for each of them the operators, selectors and prefixes since the last separator. After `,`, `;`
//! or the end of a block the count restarts, except before `else`, whose chains nest.

/// Deepest nesting: an open bracket counts [`BRACKET`], an operator its cost in the language's parser.
///
/// At this depth naga needs a tenth of [`super::guard::STACK`], unoptimised two thirds.
pub(super) const DEPTH: usize = 12_000;

/// Cost of an operator of WGSL.
pub(super) const WGSL_OPERATOR: usize = 1;

/// Cost of an open bracket, as a multiple of a WGSL operator.
const BRACKET: usize = 4;

/// A token, classified by its effect on nesting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NestingToken {
    /// `(`, `[` or `{`.
    Open(u8),
    /// `)`, `]` or `}`.
    Close(u8),
    /// `,`.
    Comma,
    /// `;`.
    Semicolon,
    /// `else`.
    Else,
    /// A keyword that begins a declaration: `struct`, `layout`, `var`, `const` and others.
    Declaration,
    /// `<`, which may open a list of types.
    Less,
    /// A token that can take an operand: an operator, a selector, a keyword such as `if`.
    Operator,
    /// Names and numbers.
    Operand,
}

impl NestingToken {
    /// Token of a name or a keyword.
    pub(super) fn word(word: &str) -> Self {
        match word {
            "else" => Self::Else,
            "if" | "for" | "while" | "do" | "loop" | "switch" | "case" | "return" => Self::Operator,
            "struct" | "layout" | "in" | "out" | "uniform" | "var" | "const" | "override"
            | "alias" => Self::Declaration,
            _ => Self::Operand,
        }
    }

    /// Token of a punctuation character.
    pub(super) fn punctuation(byte: u8) -> Self {
        match byte {
            b'(' | b'[' | b'{' => Self::Open(byte),
            b')' | b']' | b'}' => Self::Close(byte),
            b',' => Self::Comma,
            b';' => Self::Semicolon,
            b'<' => Self::Less,
            _ => Self::Operator,
        }
    }
}

/// Counts inside one open bracket, up to the current token.
#[derive(Clone, Copy, Default)]
struct Level {
    operators: usize,
    /// Cost of the statement's `<`.
    lesser: usize,
    /// True if a statement has ended, unless `else` follows.
    ended: bool,
}

/// Nesting at the end of a sequence of tokens.
#[derive(Default)]
pub(super) struct Nesting {
    outer: Vec<Level>,
    inner: Level,
    depth: usize,
}

impl Nesting {
    /// True if no bracket is open.
    pub(super) fn is_outside(&self) -> bool {
        self.outer.is_empty()
    }

    /// Adds a token; an operator costs `cost`. Returns false if the depth is exceeded.
    pub(super) fn take(&mut self, token: NestingToken, cost: usize) -> bool {
        if self.inner.ended {
            self.inner.ended = false;
            if token != NestingToken::Else {
                self.forget(true);
            }
        }
        match token {
            NestingToken::Open(_) => {
                self.outer.push(std::mem::take(&mut self.inner));
                self.depth += BRACKET;
            }
            NestingToken::Close(bracket) => {
                self.forget(true);
                if let Some(level) = self.outer.pop() {
                    self.inner = level;
                    self.depth -= BRACKET;
                }
                match bracket {
                    b'}' => self.inner.ended = true,
                    _ => self.operator(cost),
                }
            }
            NestingToken::Comma => self.forget(false),
            NestingToken::Semicolon => self.inner.ended = true,
            NestingToken::Less => {
                self.inner.lesser += cost;
                self.depth += cost;
            }
            NestingToken::Else | NestingToken::Operator => self.operator(cost),
            NestingToken::Operand | NestingToken::Declaration => {}
        }
        self.depth <= DEPTH
    }

    fn operator(&mut self, cost: usize) {
        self.inner.operators += cost;
        self.depth += cost;
    }

    fn forget(&mut self, lesser: bool) {
        self.depth -= std::mem::take(&mut self.inner.operators);
        if lesser {
            self.depth -= std::mem::take(&mut self.inner.lesser);
        }
    }
}

/// Tokens of a WGSL text, with their offsets.
pub(super) fn wgsl_tokens(text: &str) -> impl Iterator<Item = (NestingToken, [usize; 2])> {
    let bytes = text.as_bytes();
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let (start, byte) = (at, *bytes.get(at)?);
            at += 1;
            let token = match byte {
                b'/' if bytes.get(at) == Some(&b'/') => {
                    at += bytes[at..].iter().take_while(|&&byte| byte != b'\n').count();
                    continue;
                }
                b'/' if bytes.get(at) == Some(&b'*') => {
                    at = comment_end(bytes, start);
                    continue;
                }
                _ if byte.is_ascii_whitespace() => continue,
                _ if is_word(byte) => {
                    at += bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
                    NestingToken::word(&text[start..at])
                }
                _ => NestingToken::punctuation(byte),
            };
            return Some((token, [start, at]));
        }
    })
}

/// Byte ranges of the declarations of a well-formed text; they end at `;` and `}` outside of brackets.
pub(super) fn declarations(text: &str) -> Vec<[usize; 2]> {
    let (mut all, mut open, mut begun) = (Vec::new(), 0_usize, None);
    for (token, [start, end]) in wgsl_tokens(text) {
        let start = *begun.get_or_insert(start);
        match token {
            NestingToken::Open(_) => open += 1,
            NestingToken::Close(_) => open = open.saturating_sub(1),
            _ => {}
        }
        if open == 0 && matches!(token, NestingToken::Semicolon | NestingToken::Close(b'}')) {
            all.push([start, end]);
            begun = None;
        }
    }
    all
}

/// Offset after the block comment that begins at `start`; block comments nest.
fn comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut open) = (start, 0_usize);
    while at < bytes.len() {
        match bytes.get(at..at + 2) {
            Some(b"/*") => (at, open) = (at + 2, open + 1),
            Some(b"*/") => {
                (at, open) = (at + 2, open - 1);
                if open == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn depth(text: &str) -> usize {
        let mut most = 0;
        let mut nesting = Nesting::default();
        for word in text.split_whitespace() {
            let token = match word.as_bytes() {
                [byte] if byte.is_ascii_punctuation() => NestingToken::punctuation(*byte),
                _ => NestingToken::word(word),
            };
            nesting.take(token, 1);
            most = most.max(nesting.depth);
        }
        most
    }

    #[test]
    fn statements_and_arguments_begin_anew() {
        assert_eq!(depth("a + b + c ;"), 2);
        assert_eq!(depth("a + b ; c + d ; e + f ;"), 1);
        assert_eq!(depth("f ( a + b , c + d )"), BRACKET + 1);
        assert_eq!(depth("f ( a ) ( b ) ( c )"), BRACKET + 2);
        assert_eq!(depth("{ a ; } { b ; } { c ; }"), BRACKET);
    }

    #[test]
    fn chains_of_else_nest_with_braces_and_without() {
        let braces = "if ( a ) { } ".to_owned() + &"else if ( a ) { } ".repeat(50);
        assert!(depth(&braces) >= 100, "{}", depth(&braces));
        let bare = "if ( a ) b ; ".to_owned() + &"else if ( a ) b ; ".repeat(50);
        assert!(depth(&bare) >= 100, "{}", depth(&bare));
        let apart = "if ( a ) { } else { } ".repeat(50);
        assert!(depth(&apart) < 10, "{}", depth(&apart));
    }

    #[test]
    fn types_nest_in_either_place() {
        assert!(depth(&"array < ".repeat(50)) >= 50);
        assert!(depth(&"array < f32 , ".repeat(50)) >= 50);
    }

    #[test]
    fn declarations_end_outside_of_brackets() {
        let text = "const a = array(1; 2); // b;\nfn f() { x; { y } }\nstruct S { a: f32 };left";
        let all = declarations(text).into_iter().map(|[start, end]| &text[start..end]);
        let all: Vec<_> = all.collect();
        let wanted = ["const a = array(1; 2);", "fn f() { x; { y } }", "struct S { a: f32 }", ";"];
        assert_eq!(all, wanted);
    }

    #[test]
    fn comments_are_none_of_it() {
        let text = "a // (((\n/* /* */ ((( */ + é";
        let tokens: Vec<_> = wgsl_tokens(text).collect();
        let end = text.len();
        assert_eq!(
            tokens,
            [
                (NestingToken::Operand, [0, 1]),
                (NestingToken::Operator, [end - 4, end - 3]),
                (NestingToken::Operand, [end - 2, end])
            ]
        );
    }
}
