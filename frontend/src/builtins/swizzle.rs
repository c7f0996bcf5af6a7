//! Swizzles: `.x`, `.xyz`, `.bgra`, one to four of `xyzw` or of `rgba`, not mixed.

use lambdav_core::types::{Type, TypeKind};

use super::recipe::{Recipe, Resolved, SignatureError};
use super::row::{Example, Meaning, Operands, OperationKind, Placement, Row, Undefined};
use super::signature::Signature;

/// A swizzle. Its alphabet affects only its name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Swizzle {
    /// The components, zero after the last.
    components: [u8; 4],
    count: u8,
    colours: bool,
}

const POSITIONS: &str = "xyzw";
const COLOURS: &str = "rgba";

impl Swizzle {
    /// Parses the name of a swizzle, with its full stop.
    pub(super) fn parse(name: &str) -> Option<Self> {
        let letters = name.strip_prefix('.')?;
        let colours = COLOURS.contains(letters.chars().next()?);
        let alphabet = if colours { COLOURS } else { POSITIONS };
        let mut swizzle = Self { components: [0; 4], count: 0, colours };
        for letter in letters.chars() {
            let slot = swizzle.components.get_mut(usize::from(swizzle.count))?;
            *slot = alphabet.find(letter)? as u8;
            swizzle.count += 1;
        }
        Some(swizzle)
    }

    pub(super) fn name(self) -> String {
        let alphabet = if self.colours { COLOURS } else { POSITIONS };
        let letters =
            self.components().iter().map(|&c| char::from(alphabet.as_bytes()[usize::from(c)]));
        std::iter::once('.').chain(letters).collect()
    }

    /// The application to an operand of this type.
    pub(super) fn resolve(self, operand: Type) -> Result<Resolved, SignatureError> {
        let needed = self.components().iter().max().map_or(0, |&c| c + 1);
        match operand.builtin() {
            Some(TypeKind::Vector(scalar, n)) if needed <= n => Ok(Resolved {
                result: Type::of(scalar, self.count),
                recipe: Recipe::Swizzle(self.components().to_vec()),
            }),
            _ => {
                let expected = match needed {
                    ..=2 => "a vector or bvec".to_owned(),
                    _ => format!("a vector or bvec of at least {needed} components"),
                };
                Err(SignatureError::Types { expected, culprit: Some(0), instead: None })
            }
        }
    }

    fn components(&self) -> &[u8] {
        &self.components[..usize::from(self.count)]
    }
}

/// The advice for a name that begins with a full stop and seems to be meant as a swizzle.
pub(crate) fn swizzle_advice(name: &str) -> Option<String> {
    let letters = name.strip_prefix('.').filter(|letters| !letters.is_empty())?;
    let place = |letter| [POSITIONS, COLOURS, "stpq"].iter().find_map(|all| all.find(letter));
    let places: Option<Vec<usize>> = letters.chars().map(place).collect();
    Some(match places {
        Some(places) if places.len() > 4 => {
            "a swizzle has one to four letters; a matrix is made of columns".to_owned()
        }
        Some(places) => {
            let letters: String =
                places.iter().map(|&k| char::from(POSITIONS.as_bytes()[k])).collect();
            format!(
                "the letters of a swizzle are all of `xyzw` or all of `rgba`: write `.{letters}`"
            )
        }
        None if letters.len() <= 4 => {
            "a swizzle consists of letters of `xyzw` or of `rgba`; no structure has such a field"
                .to_owned()
        }
        None => return None,
    })
}

/// The row shared by all swizzles.
pub(super) static ROW: Row = Row {
    name: ".xyzw",
    aliases: &[],
    operands: Operands::Exactly(&["v"]),
    signature: Signature { takes: "a vector or bvec", check: |operands| Ok(operands[0].ty) },
    meaning: Meaning::Recipe(|_, _| Recipe::Swizzle(vec![0, 1, 2, 3])),
    kind: OperationKind::Exact,
    undefined: Undefined::Never,
    placement: Placement::Floating,
    documentation: "Components of a vector or bvec: a full stop and one to four letters of `xyzw`, \
                    or of `rgba`, in any order and repeated at will. One letter gives a scalar.",
    example: Example { expression: "(.yxx (vec2 1 2))", value: "(vec3 2 1 1)" },
};
