//! The page of a pixel: its picture, the pixels around it, and the command that traces another one.

use super::arguments::TraceArguments;
use super::work::Work;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use clap::{Args, Command, FromArgMatches};
use lambdav_engine::Engine;
use lambdav_image::Image;
use lambdav_image::file::{Metadata, png};
use lambdav_image::quantize::{Transfer, quantize};
use lambdav_trace::{Page, Trace};
use std::ffi::OsString;

/// Events that are kept of a pixel around the traced one.
const EVENTS: usize = 4_000;

/// The page of a pixel. Without a picture, and without the pixels around it, it still shows the trace.
pub(super) fn of(work: &Work<'_>, [x, y]: [u32; 2], trace: &Trace) -> String {
    let (width, height) = (work.picture.size.width(), work.picture.size.height());
    let (left, top) = (x.saturating_sub(1), y.saturating_sub(1));
    let (right, bottom) = ((x + 1).min(width - 1), (y + 1).min(height - 1));
    let places = (top..=bottom).flat_map(|y| (left..=right).map(move |x| [x, y]));
    let others = places.filter(|at| *at != [x, y]);
    let traced = others.map(|at| work.tracer.trace(at, Some(EVENTS), &|| work.is_late()));
    let around: Vec<Trace> = traced.filter_map(|traced| Some(traced.ok()?.0)).collect();
    let arguments = std::env::args_os().skip(1).collect();
    trace.page(&Page { around: &around, picture: picture(work), command: command(arguments) })
}

/// The picture as a PNG file in base64.
fn picture(work: &Work<'_>) -> Option<String> {
    let frame = work.draw(Engine::Fast).ok()?;
    let image: Image<u8> = quantize(&frame, Transfer::Linear);
    let mut bytes = Vec::new();
    png::encode(&image, Transfer::Linear, &Metadata::default(), &mut bytes).ok()?;
    Some(STANDARD.encode(bytes))
}

/// The command without its pixel, so that column and row of another one stand behind it; `None` if the arguments cannot be
/// written for a shell.
fn command(mut arguments: Vec<OsString>) -> Option<[String; 2]> {
    if arguments.iter().any(|argument| argument == "--") {
        return None;
    }
    let parse = |arguments: &[OsString]| {
        let command = TraceArguments::augment_args(Command::new("trace").no_binary_name(true));
        let matches = command.try_get_matches_from(arguments.get(1..)?).ok()?;
        TraceArguments::from_arg_matches(&matches).ok()
    };
    let options = parse(&arguments)?;
    if let Some(at) = arguments.iter().position(|argument| argument == "--break") {
        arguments.drain(at..(at + 2).min(arguments.len()));
    }
    let is_break = |argument: &OsString| argument.to_string_lossy().starts_with("--break=");
    arguments.retain(|argument| !is_break(argument));
    if let (Some(x), Some(y)) = (options.x, options.y) {
        // Which arguments are the pixel is known from the parser, since numbers may be values of options.
        let is = |at: usize, number: u32| {
            arguments[at].to_str().and_then(|text| text.parse().ok()) == Some(number)
        };
        let pairs =
            (0..arguments.len()).flat_map(|a| (a + 1..arguments.len()).map(move |b| (a, b)));
        let (first, second) = pairs.filter(|&(a, b)| is(a, x) && is(b, y)).find(|&(a, b)| {
            let mut changed = arguments.clone();
            changed[a] = (x ^ 1 << 31).to_string().into();
            changed[b] = (y ^ 1 << 31).to_string().into();
            let read = parse(&changed).map(|of| (of.x, of.y));
            read == Some((Some(x ^ 1 << 31), Some(y ^ 1 << 31)))
        })?;
        arguments.remove(second);
        arguments.remove(first);
    }
    let texts: Vec<&str> = arguments.iter().map(|of| of.to_str()).collect::<Option<_>>()?;
    let joined = shlex::try_join(texts).ok()?;
    Some([format!("lambdav {joined} "), String::new()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_without_a_pixel() {
        let without = |line: &str| {
            let words = shlex::split(line).expect("it can be split");
            let [before, after] = command(words.into_iter().map(OsString::from).collect())?;
            Some(format!("{before}X Y{after}"))
        };
        for (line, expected) in [
            ("trace a.lv 3 4 --html t.html", "lambdav trace a.lv --html t.html X Y"),
            (
                "trace --time 3 'my a.lv' --frame 4 3 --size 9x9 4",
                "lambdav trace --time 3 'my a.lv' --frame 4 --size 9x9 X Y",
            ),
            ("trace a.lv --break 'r > 1' --size 4x4", "lambdav trace a.lv --size 4x4 X Y"),
            ("trace a.lv '--break=r > 1'", "lambdav trace a.lv X Y"),
        ] {
            assert_eq!(without(line).as_deref(), Some(expected));
        }
        assert_eq!(without("trace a.lv 1 2 --no-such-option"), None);
        assert_eq!(without("trace 1 2 -- a.lv"), None);
    }
}
