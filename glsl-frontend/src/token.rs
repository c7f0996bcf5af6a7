//! Tokens of GLSL, as the preprocessor leaves them.

use lambdav_core::source::Span;
use rustc_hash::FxHashMap;

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

/// An identifier or keyword, by its number in [`Names`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Name(pub u32);

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
    /// An operator or other punctuation, such as `<<=`.
    Punctuation(Punctuation),
    /// The end of the text.
    End,
}

macro_rules! punctuation {
    ($($name:ident $text:literal)*) => {
        /// An operator or other punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the text says it")]
        pub enum Punctuation { $($name,)* }

        impl Punctuation {
            /// All, longer ones before their beginnings.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// As it is written.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }
        }
    };
}

punctuation! {
    ShiftLeftAssign "<<=" ShiftRightAssign ">>="
    Increment "++" Decrement "--" LessEqual "<=" GreaterEqual ">=" Equal "==" NotEqual "!="
    AndAnd "&&" OrOr "||" XorXor "^^" ShiftLeft "<<" ShiftRight ">>"
    AddAssign "+=" SubtractAssign "-=" MultiplyAssign "*=" DivideAssign "/=" RemainderAssign "%="
    AndAssign "&=" OrAssign "|=" XorAssign "^="
    LeftParenthesis "(" RightParenthesis ")" LeftBracket "[" RightBracket "]" LeftBrace "{" RightBrace "}"
    Dot "." Comma "," Colon ":" Assign "=" Semicolon ";" Not "!" Minus "-" Tilde "~" Plus "+" Star "*"
    Slash "/" Percent "%" Less "<" Greater ">" Or "|" Caret "^" And "&" Question "?"
}

/// Most punctuation that begins with the same character.
const MOST_ALIKE: usize = 4;

/// For each first character its punctuation, longer before shorter.
const BY_FIRST: [[Option<Punctuation>; MOST_ALIKE]; 128] = {
    let mut table = [[None; MOST_ALIKE]; 128];
    let mut k = 0;
    while k < Punctuation::ALL.len() {
        let punctuation = Punctuation::ALL[k];
        let row = &mut table[punctuation.text().as_bytes()[0] as usize];
        let mut free = 0;
        while row[free].is_some() {
            free += 1;
        }
        row[free] = Some(punctuation);
        k += 1;
    }
    table
};

impl Punctuation {
    /// The longest punctuation that bytes begin with.
    pub fn at_start(of: &[u8]) -> Option<Self> {
        let row = BY_FIRST.get(usize::from(*of.first()?))?;
        row.iter()
            .flatten()
            .copied()
            .find(|punctuation| of.starts_with(punctuation.text().as_bytes()))
    }
}

/// All identifiers and keywords of a text, each with a number.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    numbers: FxHashMap<Box<str>, Name>,
}

impl Names {
    /// The number of a name, a new one if needed.
    pub fn number(&mut self, text: &str) -> Name {
        if let Some(&name) = self.numbers.get(text) {
            return name;
        }
        let name = Name(self.texts.len() as u32);
        self.texts.push(text.into());
        self.numbers.insert(text.into(), name);
        name
    }

    /// The text of a name.
    pub fn text(&self, name: Name) -> &str {
        &self.texts[name.0 as usize]
    }

    /// All texts, in the order of their numbers.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// The number of a name that occurs.
    pub fn find(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }
}
