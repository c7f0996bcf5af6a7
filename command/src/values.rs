//! Parsers of option values; errors name the valid values.

use super::failure::{Failure, Result};
use lambdav_engine::settings::number;
use lambdav_engine::{LANES, targets};
use std::num::NonZeroUsize;
use std::time::Duration;

/// Parses the four components of the mouse.
pub(super) fn mouse(text: &str) -> Result<[f32; 4], String> {
    four(text, "the mouse has four components: x,y,z,w")
}

/// Parses the four numbers of a date.
pub(super) fn date(text: &str) -> Result<[f32; 4], String> {
    four(text, "the date has four numbers: year,month,day,seconds")
}

/// Parses the four components of a colour.
pub(super) fn colour(text: &str) -> Result<[f32; 4], String> {
    four(text, "a colour has four components: r,g,b,a")
}

fn four(text: &str, wrong: &str) -> Result<[f32; 4], String> {
    let values: Vec<f32> = text.split(',').map(number).collect::<Result<_, _>>()?;
    values.try_into().map_err(|_| wrong.to_owned())
}

/// Parses a whole number.
pub(super) fn whole(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number from 0 to {}", u64::MAX))
}

/// Requested outputs of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outputs {
    /// The output at that location.
    At(u32),
    /// All outputs.
    All,
}

/// Parses a location or `all`.
pub(super) fn outputs(text: &str) -> Result<Outputs, String> {
    match text.parse() {
        Ok(location) => Ok(Outputs::At(location)),
        Err(_) if text == "all" => Ok(Outputs::All),
        Err(_) => {
            Err(format!("`{text}` is neither the location of an output, such as 0, nor `all`"))
        }
    }
}

/// Parses a number of threads, at least one.
pub(super) fn threads(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| format!("`{text}` is not a whole number from 1 on"))
}

/// Parses a number of lanes.
pub(super) fn lanes(text: &str) -> Result<u32, String> {
    let lanes = text.parse().ok().filter(|lanes| LANES.contains(lanes));
    lanes.ok_or_else(|| {
        let known = LANES.map(|lanes| lanes.to_string()).join(", ");
        format!("`{text}` is none of {known}")
    })
}

/// Parses the name of a target for machine code.
pub(super) fn target(text: &str) -> Result<&'static str, String> {
    let names: Vec<&str> = targets().collect();
    let known = targets().find(|name| *name == text);
    known.ok_or_else(|| format!("`{text}` is none of {}", names.join(", ")))
}

/// Parses a time in seconds.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok();
    seconds
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .ok_or_else(|| format!("`{text}` is not a number of seconds"))
}

/// The requested locations, ascending; by default the lowest. Fails for a location that the program
/// lacks.
pub(super) fn locations(
    all: impl IntoIterator<Item = u32>,
    asked: Option<Outputs>,
) -> Result<Vec<u32>> {
    let mut all: Vec<u32> = all.into_iter().collect();
    all.sort_unstable();
    if all.is_empty() {
        // The compiler of pictures refuses a program of passes alone, with a position in its text.
        return Ok(vec![0]);
    }
    match asked {
        None => Ok(vec![all[0]]),
        Some(Outputs::All) => Ok(all),
        Some(Outputs::At(location)) if all.contains(&location) => Ok(vec![location]),
        Some(Outputs::At(location)) => {
            let all: Vec<String> = all.iter().map(u32::to_string).collect();
            let all = all.join(", ");
            Err(Failure::usage(format!("the program has no output {location}; it has {all}")))
        }
    }
}

/// Like [`locations`], for a use of one output, which messages call `what`.
pub(super) fn location(
    all: impl IntoIterator<Item = u32>,
    asked: Option<Outputs>,
    what: &str,
) -> Result<u32> {
    match asked {
        Some(Outputs::All) => Err(Failure::usage(format!(
            "{what} is of one output; give its location in place of `all`"
        ))),
        asked => Ok(locations(all, asked)?[0]),
    }
}
