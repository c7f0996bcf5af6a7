//! Punctuation of a shading language: an enumeration made from a list.

/// Defines an enumeration with `ALL`, `text` and `at_start`, from names and texts; longer texts stand before their
/// beginnings.
#[macro_export]
macro_rules! punctuation {
    ($vis:vis $enumeration:ident: $($name:ident $text:literal)*) => {
        /// An operator or other punctuation.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "the text says it")]
        $vis enum $enumeration { $($name,)* }

        impl $enumeration {
            /// All, longer ones before their beginnings.
            $vis const ALL: &[Self] = &[$(Self::$name,)*];

            /// As it is written.
            $vis const fn text(self) -> &'static str {
                match self { $(Self::$name => $text,)* }
            }

            /// The longest one that bytes begin with.
            $vis fn at_start(of: &[u8]) -> Option<Self> {
                // For each first character its punctuation.
                const MOST_ALIKE: usize = 5;
                const BY_FIRST: [[Option<$enumeration>; MOST_ALIKE]; 128] = {
                    let mut table = [[None; MOST_ALIKE]; 128];
                    let mut k = 0;
                    while k < $enumeration::ALL.len() {
                        let punctuation = $enumeration::ALL[k];
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
                let row = BY_FIRST.get(usize::from(*of.first()?))?;
                let fits = |one: &Self| of.starts_with(one.text().as_bytes());
                row.iter().flatten().copied().find(fits)
            }
        }
    };
}
