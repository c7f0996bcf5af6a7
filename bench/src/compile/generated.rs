//! Generated programs of given sizes: straight-line ones, and ones with many loops and branches.

use std::fmt::Write as _;

const SIZES: [usize; 5] = [1_000, 3_000, 10_000, 30_000, 100_000];

/// Names, which end in the number of operations, and texts.
pub(super) fn programs() -> Vec<(String, String)> {
    let named =
        |kind, text: fn(usize) -> String| SIZES.map(|size| (format!("{kind}-{size}"), text(size)));
    [named("straight", straight), named("branches", branches)].concat()
}

const START: &str = "(define v0 (/ (.x (frag-coord)) (.x (resolution))))\n\
                     (define v1 (/ (.y (frag-coord)) (.y (resolution))))\n";

/// Definitions of two operations each, on the previous value and an earlier one.
fn straight(size: usize) -> String {
    let mut text = START.to_owned();
    let last = size / 2;
    for i in 2..=last {
        let (before, earlier) = (i - 1, i.saturating_sub(7));
        // Different factors, so that no two definitions are equal.
        let factor = 0.5 + i as f64 / (8 * size) as f64;
        let _ = writeln!(text, "(define v{i} (+ (* v{before} {factor:.7}) v{earlier}))");
    }
    text + &format!("(fract v{last})")
}

/// Loops of four rounds with an `if` inside, eight operations each.
fn branches(size: usize) -> String {
    let mut text = START.to_owned();
    let last = size / 8;
    for i in 2..=last {
        let before = i - 1;
        let factor = 0.5 + i as f64 / (8 * size) as f64;
        let _ = writeln!(
            text,
            "(define v{i}
               ((rec-func (n v)
                  (if (and (less n 4) (less v 9))
                    (rec (+ n 1) (if (less v 1) (+ v v{before}) (- (* v {factor:.7}) 1)))
                    v))
                0 v{before}))"
        );
    }
    text + &format!("(fract v{last})")
}
