//! Tokens of WGSL.

use lambdav_core::source::Span;
pub(crate) use lambdav_spirv::names::{Name, Names};

/// A token with its place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// An identifier or keyword.
    Name(Name),
    /// A number.
    Number(Number),
    Punctuation(Punctuation),
    /// The end of a file.
    End,
}

/// A number, by its suffix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Number {
    AbstractInt(i64),
    Int(i32),
    Uint(u32),
    AbstractFloat(f64),
    Float(f32),
    /// With the suffix `h`, or one of 64 bits, `li`, `lu`, `lf`.
    Other,
}

lambdav_spirv::punctuation! { pub(crate) Punctuation:
    ShiftLeftAssign "<<=" ShiftRightAssign ">>="
    Increment "++" Decrement "--" Arrow "->" LessEqual "<=" GreaterEqual ">=" Equal "==" NotEqual "!="
    AndAnd "&&" OrOr "||" ShiftLeft "<<" ShiftRight ">>" Path "::"
    AddAssign "+=" SubtractAssign "-=" MultiplyAssign "*=" DivideAssign "/=" RemainderAssign "%="
    AndAssign "&=" OrAssign "|=" XorAssign "^="
    LeftParenthesis "(" RightParenthesis ")" LeftBracket "[" RightBracket "]" LeftBrace "{" RightBrace "}"
    Dot "." Comma "," Colon ":" Assign "=" Semicolon ";" Not "!" Minus "-" Tilde "~" Plus "+" Star "*"
    Slash "/" Percent "%" Or "|" Caret "^" And "&" At "@" Hash "#"
    // A template list is marked by tokens of its own, found by `templates`.
    Less "<" Greater ">" TemplateBegin "<" TemplateEnd ">"
}
