//! Units of work that a command observes: pixels, vertices, and ids of passes and dispatches.

use crate::engines::failed;
use crate::failure::{self, Failure};
use crate::messages::Messages;
use crate::supervise::Deadline;
use lambdav_engine::trace::{TraceError, TracedUnit, Tracer};
use lambdav_engine::{Bindings, Error, Shader};
use lambdav_image::Size;
use lambdav_trace::Sink;

/// A unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Column and row, from the upper left.
    Pixel([u32; 2]),
    /// A vertex and its instance.
    Vertex([u32; 2]),
    /// An id of a pass, which may be named, or an invocation of a dispatch.
    Id { id: Vec<u32>, pass: Option<String> },
}

/// Numbers of workgroups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Groups(pub(crate) [u32; 3]);

/// Parses one to three numbers of workgroups.
pub(crate) fn groups(text: &str) -> Result<Groups, String> {
    let wrong = || format!("`{text}` is not X, X,Y or X,Y,Z: whole numbers from 1 on");
    let numbers = text.split(',').map(|number| match number.parse() {
        Ok(0) | Err(_) => Err(wrong()),
        Ok(number) => Ok(number),
    });
    let numbers: Vec<u32> = numbers.collect::<Result<_, _>>()?;
    match numbers[..] {
        [x] => Ok(Groups([x, 1, 1])),
        [x, y] => Ok(Groups([x, y, 1])),
        [x, y, z] => Ok(Groups([x, y, z])),
        _ => Err(wrong()),
    }
}

/// The work that has a unit.
#[derive(Clone, Copy)]
pub(crate) struct Around {
    /// The size of the picture.
    pub(crate) size: Size,
    /// The output of a pixel.
    pub(crate) output: u32,
    pub(crate) max_iterations: u64,
    /// The workgroups of a dispatch.
    pub(crate) groups: Option<Groups>,
    pub(crate) deadline: Deadline,
}

/// Parses `vertex:N[:INSTANCE]` or `id:X[,Y[,Z]][:PASS]`.
pub(crate) fn parse(text: &str) -> Result<Unit, String> {
    parse_as(text, "vertex:N, vertex:N:INSTANCE, id:X, id:X,Y, id:X,Y,Z or id:X:PASS")
}

/// Parses `X,Y`, a pixel, or another unit.
pub(crate) fn parse_any(text: &str) -> Result<Unit, String> {
    let pixel = text.split_once(',').and_then(|(x, y)| Some([x.parse().ok()?, y.parse().ok()?]));
    match pixel {
        Some(pixel) => Ok(Unit::Pixel(pixel)),
        None => {
            parse_as(text, "X,Y, vertex:N, vertex:N:INSTANCE, id:X, id:X,Y, id:X,Y,Z or id:X:PASS")
        }
    }
}

fn parse_as(text: &str, forms: &str) -> Result<Unit, String> {
    let wrong = || format!("`{text}` is no unit: write {forms}");
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    let mut parts = text.splitn(3, ':');
    match (parts.next(), parts.next(), parts.next()) {
        (Some("vertex"), Some(vertex), instance) => {
            Ok(Unit::Vertex([number(vertex)?, number(instance.unwrap_or("0"))?]))
        }
        (Some("id"), Some(id), pass) if pass != Some("") => {
            let id: Vec<u32> = id.split(',').map(number).collect::<Result<_, _>>()?;
            match id.len() {
                1..=3 => Ok(Unit::Id { id, pass: pass.map(str::to_owned) }),
                _ => Err(wrong()),
            }
        }
        _ => Err(wrong()),
    }
}

impl Unit {
    /// Evaluates the unit, whose events go to `sink`. `tracer` is made for the first pixel, and serves others of the same work.
    pub(crate) fn observe(
        &self,
        shader: &Shader,
        bindings: &Bindings,
        around: &Around,
        tracer: &mut Option<Tracer>,
        sink: &mut dyn Sink,
    ) -> Result<TracedUnit, TraceError> {
        let &Around { size, output, max_iterations: limit, groups, deadline } = around;
        let cancelled = &|| deadline.left().is_zero();
        let mismatch = |why: String| Err(TraceError::Error(Error::Mismatch(why)));
        match self {
            &Self::Pixel(pixel) => {
                if let Some(why) = outside(pixel, size) {
                    return mismatch(why);
                }
                let tracer = match tracer {
                    Some(tracer) => tracer,
                    None => {
                        let left = Some(deadline.left());
                        tracer.insert(shader.tracer(bindings, size, output, limit, left)?)
                    }
                };
                tracer.observe(pixel, sink, cancelled)
            }
            Self::Vertex(_) if groups.is_some() => {
                mismatch("--groups is for the invocations of a compute shader: leave it out".into())
            }
            Self::Vertex(vertex) => {
                shader.observe_vertex(bindings, size, *vertex, limit, cancelled, sink)
            }
            Self::Id { id, pass } => match (shader.workgroup().is_some(), groups) {
                (true, None) => mismatch(
                    "this is a compute program: say how many workgroups run, --groups X".into(),
                ),
                (true, Some(_)) if pass.is_some() => {
                    mismatch("a compute program has no passes: write id:X[,Y[,Z]]".into())
                }
                (true, Some(groups)) => {
                    let mut full = [0; 3];
                    full[..id.len()].copy_from_slice(id);
                    shader.observe_invocation(bindings, groups.0, full, limit, cancelled, sink)
                }
                (false, Some(_)) => {
                    mismatch("passes say how many ids they have: leave out --groups".into())
                }
                (false, None) => {
                    let pass = pass.as_deref();
                    shader.observe_id(bindings, pass, id, limit, cancelled, sink)
                }
            },
        }
    }
}

/// The failure of a trace; diagnostics are reported.
pub(crate) fn failure(error: TraceError, deadline: Deadline, messages: Messages) -> Failure {
    match error {
        TraceError::Cancelled => deadline.failure(),
        TraceError::Error(error) => failed(error, messages),
    }
}

/// A trace, or the failure that takes its place.
pub(crate) fn in_trace<T>(
    traced: Result<T, TraceError>,
    deadline: Deadline,
    messages: Messages,
) -> failure::Result<T> {
    traced.map_err(|error| failure(error, deadline, messages))
}

/// The reason why a pixel is not in a picture of that size.
pub(crate) fn outside([x, y]: [u32; 2], size: Size) -> Option<String> {
    let (width, height) = (size.width(), size.height());
    let (right, bottom) = (width - 1, height - 1);
    (x >= width || y >= height).then(|| {
        format!(
            "the pixel ({x}, {y}) is outside of the picture of {width}x{height}: X is 0 to {right}, Y is 0 to {bottom}; \
             --size makes it larger"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_workgroups() {
        for (text, wanted) in [("3", [3, 1, 1]), ("3,4", [3, 4, 1]), ("3,4,5", [3, 4, 5])] {
            assert_eq!(groups(text), Ok(Groups(wanted)));
        }
        for text in ["", "0", "1,", "1,2,3,4", "-1", "x", "1, 2", "4294967296"] {
            assert!(groups(text).is_err(), "{text}");
        }
    }

    #[test]
    fn units() {
        let id = |id: &[u32], pass: Option<&str>| {
            Ok(Unit::Id { id: id.to_vec(), pass: pass.map(str::to_owned) })
        };
        assert_eq!(parse("vertex:4"), Ok(Unit::Vertex([4, 0])));
        assert_eq!(parse_any("4,5"), Ok(Unit::Pixel([4, 5])));
        assert_eq!(parse_any("id:4,5"), id(&[4, 5], None));
        assert_eq!(parse("vertex:4:2"), Ok(Unit::Vertex([4, 2])));
        assert_eq!(parse("id:7"), id(&[7], None));
        assert_eq!(parse("id:7,8,9"), id(&[7, 8, 9], None));
        assert_eq!(parse("id:7,8:bins"), id(&[7, 8], Some("bins")));
        for text in [
            "",
            "id",
            "id:",
            "id:x",
            "id:1,2,3,4",
            "id:1:",
            "vertex",
            "vertex:-1",
            "pixel:1",
            "vertex:1:x",
        ] {
            assert!(parse(text).is_err() && parse_any(text).is_err(), "{text}");
        }
    }
}
