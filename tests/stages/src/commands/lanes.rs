//! `lanes [--width any|pairs|quads|one] [--no-hoist] [--listed UNIFORM,…] [--all-outputs]`: the lane program of
//! output 0. With `--listed`, lanes are listed, and the uniforms of these indices are words of the primitive.

use lambdav_simd_backend::lanes::{self, Items, Width, lower, verify};

use super::options::Options;
use super::{Output, outputs};
use crate::ids::Ids;

/// Values.
const IDS: Ids = &[&["v"]];

pub(super) fn lanes(options: &mut Options<'_>, program: &str) -> Result<Output, String> {
    let width = match options.value::<String>("--width")?.as_deref() {
        None | Some("any") => Width::Any,
        Some("pairs") => Width::Pairs,
        Some("quads") => Width::Quads,
        Some("one") => Width::One,
        Some(other) => return Err(format!("`{other}` is no width")),
    };
    let hoist = !options.flag("--no-hoist");
    let of_primitive = options.list::<u32>("--listed")?;
    let items = if of_primitive.is_some() { Items::Listed } else { Items::Rows };
    let of_primitive = of_primitive.unwrap_or_default();
    let program = outputs(options, program)?;
    let options =
        lanes::Options { items, hoist, of_primitive: &of_primitive, ..lanes::Options::new(width) };
    let program = lower(&program, &options);
    let text = program.to_string();
    match verify(&program) {
        Ok(()) => Ok(Output { text, ids: IDS }),
        Err(errors) => Err(format!("the verifier finds {errors:?}\n{text}")),
    }
}
