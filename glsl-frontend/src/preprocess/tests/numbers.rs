//! Numbers and characters.

use super::{fails, gives, run};
use crate::token::TokenKind;

#[test]
fn spellings() {
    gives(
        "0 7 017 0x1F 0XfFu 4294967295 0xffffffffU 00",
        "0 7 15 31 255u 4294967295 4294967295u 0",
    );
    gives(
        "1. .5 1.5 1e5 1.e2 .5e-1 1E+2 1.0f 2.F 1e2f",
        "1.0 0.5 1.5 100000.0 100.0 0.05 100.0 1.0 2.0 100.0",
    );
    gives("1.0lf 0.1LF 1e-3lf", "1.0lf 0.1lf 0.001lf");
    gives("08.5 1e400 1e-400 16777217.0", "8.5 inf 0.0 16777216.0");
    gives("0xE+1 1.0.x a.x 1-1", "14 + 1 1.0 . x a . x 1 - 1");
    // Halfway between two floats, and a little more.
    gives("1.00000005960464477539062500 1.00000005960464477539062501", "1.0 1.0000001");
}

#[test]
fn wrong_numbers() {
    fails("4294967296", "LV0612 1:1 4294967296: `4294967296` does not fit into 32 bits");
    fails(
        "0x1ffffffff 99999999999999999999",
        "
        LV0612 1:1 0x1ffffffff: `0x1ffffffff` does not fit into 32 bits
        LV0612 1:13 99999999999999999999: `99999999999999999999` does not fit into 32 bits",
    );
    for number in
        ["08", "1f", "0x", "0xg", "1e", "1.0e", "1.0h", "1ul", "1x", "1.0x", "1_0", "1.0lF"]
    {
        fails(number, &format!("LV0612 1:1 {number}: `{number}` is not a number"));
    }
    let (_, done) = run("#if 0\n08 1x @ é \"a\n#endif\n#define UNUSED 08 @\n");
    assert_eq!(done.diagnostics.len(), 0);
}

#[test]
fn characters() {
    gives("\u{feff}a // é\n/* ü */ b", "a b");
    gives("a\\\nb c\\\r\nd e // f \\\n g\nh", "ab cd e h");
    gives("a /\\\n* b *\\\n/ c", "a c");
    gives(r#"f("a\n\"\x41\101\q\\")"#, r#"f ( "a\n\"AAq\\" )"#);
    gives("a\r\nb\rc", "a b c");
    gives("a /* // */ b // /* c\nd", "a b d");
    gives("x <\\\n<= y", "x <<= y");
    fails(
        "a é b\n\u{201c}c",
        "
        LV0612 1:3 é: `é` does not belong to GLSL
        LV0612 2:1 \u{201c}: `\u{201c}` does not belong to GLSL",
    );
    fails(
        "a @ $ \\ b",
        "
        LV0612 1:3 @: `@` does not belong to GLSL
        LV0612 1:5 $: `$` does not belong to GLSL
        LV0612 1:7 \\: `\\` does not belong to GLSL",
    );
    fails(
        "x = \"text\"; 'c' \"",
        "
        LV0612 1:13 ': `'` does not belong to GLSL
        LV0612 1:15 ': `'` does not belong to GLSL
        LV0612 1:17 \": `\"` does not belong to GLSL",
    );
    fails("a /* b", "LV0612 1:3 /*: a comment is not closed");
    fails(
        "a # b\nc ## d",
        "
        LV0612 1:3 #: `#` stands inside a line
        LV0612 2:3 ##: `##` stands outside the text of a macro",
    );
    fails(
        "#define A @\nA",
        "LV0612 2:1 A: the text of `A` has a character that does not belong to GLSL",
    );
}

#[test]
fn the_end() {
    let (_, done) = run("a");
    let last = done.tokens.last().map(|token| (token.kind, token.span.start, token.span.end));
    assert_eq!(last, Some((TokenKind::End, 1, 1)));
    let (_, done) = run("");
    assert_eq!(done.tokens.len(), 1);
}
