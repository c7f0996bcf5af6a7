//! Random texts.

use super::{Memory, settings, with_files};
use proptest::prelude::*;

const PARTS: &[&str] = &[
    "#define ",
    "#undef ",
    "#if ",
    "#ifdef ",
    "#ifndef ",
    "#elif ",
    "#else\n",
    "#endif\n",
    "#error ",
    "#line ",
    "#version ",
    "#extension ",
    "#pragma ",
    "#include ",
    "\"a\"",
    "<a>",
    "once\n",
    "\n",
    "\n",
    "\n",
    "(",
    ")",
    ",",
    "#",
    "##",
    "A",
    "B",
    "F",
    "G",
    "F(",
    "G(",
    "(x)",
    "(x, y)",
    "x",
    "y",
    " ",
    " ",
    "1",
    "0",
    "1.5",
    "300 es",
    "+",
    "/",
    "%",
    "&&",
    "||",
    "!",
    "<<",
    "defined",
    "__LINE__",
    "__FILE__",
    "\\\n",
    "/*",
    "*/",
    "//",
    "é",
    "@",
    "'",
    "\"",
    ":",
    "all",
    "require",
    "A A",
    "F(x) x G(x)",
    "G(x) F(x)##x",
];

proptest! {
    /// Any text gives tokens and findings whose positions are in the text.
    #[test]
    fn any_text_is_answered(parts in proptest::collection::vec(proptest::sample::select(PARTS), 0..120)) {
        let text = parts.concat();
        let mut memory = Memory::with(&[("/work/a", &text)]);
        let (source, done) = with_files(&text, &mut memory, &settings());
        for token in &done.tokens {
            prop_assert!(source.text().get(token.span.start as usize..token.span.end as usize).is_some());
        }
        for found in &done.diagnostics {
            let labels = std::iter::once(&found.primary).chain(&found.secondary);
            for span in labels.map(|label| label.span) {
                prop_assert!(source.text().get(span.start as usize..span.end as usize).is_some());
            }
            prop_assert!(found.help.is_some());
        }
    }

    #[test]
    fn any_characters_are_answered(text in any::<String>()) {
        with_files(&text, &mut Memory::default(), &settings());
        with_files(&format!("#define {text}\n#if {text}\n#include {text}\n#line {text}"), &mut Memory::default(), &settings());
    }
}
