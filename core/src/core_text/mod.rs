//! The text form of the core: prints a scheduled program as lines, and reads it back into a graph.
//!
//! [`print()`] schedules all outputs of a program and writes the result. [`read()`] makes a [`Core`] of such
//! a text, which can be scheduled again for any of its outputs. The text preserves everything that affects
//! the bits of an output. Printing a text that was printed and read yields the same text.
//!
//! ```text
//! lambdav-core 1
//! ; positions: spiral.lv
//!
//! uniform "gain": num = 0.5
//!
//! %0: vec4 = input frag-coord  ; 2:10
//! %1: num = component.0 %0  ; 2:10
//! %2: num = uniform "gain"  ; 1:1
//! %3: num = 1.0  ; 3:4
//! %4: num = loop (%5 "x": num = %1, %6 "n": num = %3) {  ; 3:1
//!   %7: bool = less %5, %6  ; 3:20
//!   if %7 {
//!     yield %6
//!   } else {
//!     %8: num = mul %5, %2  ; 4:6
//!     rec %8, %6
//!   }
//! }
//!
//! output 0 = %4
//! ```
//!
//! # Grammar
//!
//! A text is UTF-8, with one statement per line. White space separates tokens; indentation has no meaning.
//! `;` begins a comment.
//!
//! ```text
//! text       = ( "lambdav-core 1" | "lambdav-core 2" ) line*
//! line       = declared | uniform | attribute | varying | state | definition | end | output | vary | position
//!            | depth | discard | discard-if | size | effect | result | pass | write | close | nothing
//! declared   = "type" "#" digits "=" ( "struct" string fields | "array" digits type
//!                                    | "variant" string "(" [ case { "," case } ] ")"
//!                                    | "texture" string [ planes ] filter wrap [ wrap [ wrap ] ] [ border ] [ compare ] [ bias ] [ levels ] [ "srgb" ] [ "mipmaps" ] [ "native" ] [ "int" | "uint" ]
//!                                    | "buffer" string type
//!                                    | "memory" string | "workgroup" string digits )
//! filter     = "nearest" | "linear"
//! planes     = "array" | "cube" | "cube-array" | "volume"
//! wrap       = "clamp" | "repeat" | "mirror" | "mirror-once" | "border"
//! border     = "border-black" | "border-white"
//! compare    = "compare-" and "never" | "less" | "less-eq" | "eq" | "greater" | "neq" | "greater-eq" | "always"
//! bias       = "bias" constant
//! levels     = "levels" constant constant
//! case       = string fields
//! fields     = "(" [ field { "," field } ] ")"
//! field      = [ "generic" ] string ":" type
//! type       = name of a type that every program has | "#" digits
//! uniform    = "uniform" string ":" type "=" constant
//! attribute  = "attribute" string ":" type ( "vertex" | "instance" )
//! varying    = "varying" string ":" type ( "perspective" | "linear" | "flat" ) "read" { integer } [ "test" ]
//! state      = "state" { option }
//! option     = "cull" word | "front" word | "depth" word | "depth-write" word | "blend" word
//!            | "samples" digits | "topology" word | "clear" constant
//! definition = name ":" type "=" ( constant | "input" name [ place ] | "uniform" string
//!                                 | "attribute" string | "varying" string [ place ]
//!                                 | operation [ value { "," value } ]
//!                                 | "if" value "{" | "guard" value "{"
//!                                 | "loop" "(" [ parameter { "," parameter } ] ")" "{" )
//! parameter  = name ":" type "=" value
//! end        = "yield" value | "rec" [ value { "," value } ] | "if" value "{"
//! output     = "output" location "=" value
//! vary       = "vary" string "=" value
//! position   = "position" "=" value
//! depth      = "depth" "=" value
//! discard    = "discard" [ "not" ] value "=" constant
//! discard-if = "discard-if" value
//! size       = "workgroup-size" digits digits digits
//! effect     = "effect" value
//! result     = "result" string "length" ( digits | "of" string ) [ "counter" string ]
//! pass       = "pass" string value [ "," value [ "," value ] ]
//! write      = "write" way string [ "at" value ] "=" value [ "when" value ]
//! way        = "scatter" | "scatter.unique" | "append" | "combine." operation
//! place      = "at" side side
//! side       = "here" | "even" | "odd"
//! close      = "}" | "}" "else" "{"
//! name       = value [ string ]
//! value      = "%" digits
//! string     = '"' { character | '\"' | "\\" | "\u{" hexadecimal digits "}" } '"'
//! constant   = component | "(" [ component { "," component } ] ")"
//! component  = "true" | "false" | decimal | "inf" | "-inf" | "nan" | "0x" eight hexadecimal digits
//!            | [ "-" ] digits
//! ```
//!
//! - Each value is defined once in the text, before its uses, in the block of the use or an enclosing one. An
//!   `if` has two arms; those of a definition each end in a `yield` of its type.
//! - The body of a `loop` ends in a tail: `rec` starts the next round with new values of the parameters,
//!   `yield` ends the loop, `if` is followed by two tails. A tail contains at least one `rec` and one
//!   `yield`.
//! - `guard` yields the value of its block, and tells that the value is needed only if the condition is true.
//!   A schedule makes guards; the reader drops them.
//! - The component of an integer is digits; the type tells which of the forms applies.
//! - An operation is named as in [`Op`]: `add`, `less-equal`, `atan2`, …. The names `component.K`,
//!   `column.K`, `field.K`, `inject.CASE` and `payload.CASE.FIELD` contain the indices. The result type of
//!   `construct`, `convert` and `inject` is that of the definition.
//! - Types are declared outside all blocks, before their uses. A constant of any type has all its components
//!   in order, a variant's tag and slots included ([`crate::types`]). `generic` marks a field whose type the
//!   λV declaration leaves open; it only affects messages.
//! - Numbers are the shortest decimals that read back as the same binary32 value. The reader accepts any
//!   decimal and rounds it once. `nan` is 0x7fc00000. The hexadecimal form gives the bits. Vectors are in
//!   order, matrices by columns.
//! - A name may have any characters; those that would end the line or control a terminal are written `\u{…}`.
//! - The string beside a value is its name in the source. It has no meaning, but is kept.
//! - A texture or a buffer is a type, whose only value is the constant `()`. All of them are declared, used
//!   or not, in the order of their numbers, with distinct names.
//! - A memory is a type, too, whose values are states: of a buffer (`memory`), or of a variable of workgroups with this number
//!   of words (`workgroup`). No constant has a state. The result type of `state`, `barrier` and the operations `atomic.…`
//!   is that of the definition. `effect` gives the final state of a memory,
//!   one of each memory that stores or atomic operations change. Such a text has version 2, and
//!   a `workgroup-size`: three numbers of invocations.
//! - `result` says that passes write a buffer, with a number of elements, or as many as another buffer has; `counter` is the
//!   buffer of one `uint` that counts the elements which are appended. `pass` gives the numbers of ids, and each `write` after it is one
//!   of that pass (LANGUAGE §18). A pass reads its id as `input id`, `id.2` or `id.3`. Such a text has version 2.
//! - `discard` states that if the value is true (with `not`: false), all outputs are this colour, a `vec4`;
//!   at most one. The printed outputs already choose this colour.
//! - A program with a `position` draws triangles (LANGUAGE §14). Its attributes and varyings are declared
//!   before their uses; `read` lists the outputs that use a varying, and `test` stands for `discard-if` and the
//!   depth. `vary` gives the value of a varying in the vertex stage, each once. The words of
//!   `state` are those of λV. `discard-if` is the condition of such a program; `discard` belongs to others.
//!   Inputs of the vertex stage are attributes, `vertex-index` and `instance-index`; those of the fragment
//!   stage are varyings, `primitive-index`, `front-facing`, `depth` and `w` (components of `frag-coord`).
//!   A place gives the column and the row of a pixel of the quad.
//! - Uniforms, outputs, effects, passes and `discard` are outside all blocks, a uniform before its uses. The uniforms are in
//!   the order of [`Core::uniforms`].
//!
//! The meaning of a text is that of its graph: values that no output needs are not evaluated, in any block.
//!
//! # Guarantees
//!
//! Neither direction recurses on the depth of the program. The reader accepts any text without a panic: a
//! malformed, ill-typed or out-of-scope part is LV0601 at its position, another version is LV0602. The nodes
//! that it makes have the positions of their definitions in the text.

mod line;
mod names;
mod print;
mod read;

pub use print::print;
pub use read::{read, read_within};

#[cfg(doc)]
use crate::graph::Core;
use crate::op::Op;

/// The name of an operation in core text, such as `add` or `component.0`.
pub fn operation_name(op: Op) -> String {
    let mut name = String::new();
    names::write_operation(&mut name, op);
    name
}

/// The version of the text form.
pub const VERSION: u32 = 2;

/// The version of texts without memories, which are still printed and read as before.
const VERSION_WITHOUT_MEMORY: u32 = 1;

/// The first word of every core text.
const MAGIC: &str = "lambdav-core";

/// True if a text is meant as core text and not as λV: decided by its first word.
pub fn is_core_text(text: &str) -> bool {
    text.strip_prefix('\u{feff}')
        .unwrap_or(text)
        .split('\n')
        .map(|text| line::Line::new(text, 0).peek().text)
        .find(|word| !word.is_empty())
        == Some(MAGIC)
}
