//! Tokens of GLSL, as the preprocessor leaves them.

use lambdav_core::source::Span;
pub use lambdav_spirv::names::{Name, Names};

/// A token with its place.
///
/// A token of a macro's replacement list has the span of the outermost invocation; a token of an argument has
/// its own span.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Where it stands in the joined text of all files.
    pub span: Span,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TokenKind {
    /// An identifier or keyword.
    Name(Name),
    /// An integer without a suffix, or with the suffix `u`; hexadecimal and octal numbers, too.
    Integer {
        /// The 32 bits.
        value: u32,
        /// True with the suffix `u`.
        unsigned: bool,
    },
    /// A floating-point number of 32 bits, rounded once to nearest even.
    Float(f32),
    /// A floating-point number with the suffix `lf`.
    Double(f64),
    /// A string, for a `printf`: the characters that its escapes mean.
    Text(Name),
    /// An operator or other punctuation, such as `<<=`.
    Punctuation(Punctuation),
    /// The end of the text.
    End,
}

lambdav_spirv::punctuation! { pub Punctuation:
    ShiftLeftAssign "<<=" ShiftRightAssign ">>="
    Increment "++" Decrement "--" LessEqual "<=" GreaterEqual ">=" Equal "==" NotEqual "!="
    AndAnd "&&" OrOr "||" XorXor "^^" ShiftLeft "<<" ShiftRight ">>"
    AddAssign "+=" SubtractAssign "-=" MultiplyAssign "*=" DivideAssign "/=" RemainderAssign "%="
    AndAssign "&=" OrAssign "|=" XorAssign "^="
    LeftParenthesis "(" RightParenthesis ")" LeftBracket "[" RightBracket "]" LeftBrace "{" RightBrace "}"
    Dot "." Comma "," Colon ":" Assign "=" Semicolon ";" Not "!" Minus "-" Tilde "~" Plus "+" Star "*"
    Slash "/" Percent "%" Less "<" Greater ">" Or "|" Caret "^" And "&" Question "?"
}
