//! Units of `--of`: vertices, and ids of passes and dispatches.

use crate::render::PictureArguments;
use crate::run::Groups;
use crate::supervise::Deadline;
use lambdav_engine::trace::TraceError;
use lambdav_engine::{Bindings, Error, Shader};
use lambdav_trace::Trace;

/// A unit other than a pixel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A vertex and its instance.
    Vertex([u32; 2]),
    /// An id of a pass, which may be named, or an invocation of a dispatch.
    Id { id: Vec<u32>, pass: Option<String> },
}

/// Parses `vertex:N[:INSTANCE]` or `id:X[,Y[,Z]][:PASS]`.
pub(super) fn parse(text: &str) -> Result<Unit, String> {
    let wrong = || {
        format!(
            "`{text}` is no unit: write vertex:N, vertex:N:INSTANCE, id:X, id:X,Y, id:X,Y,Z or id:X:PASS"
        )
    };
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
    /// Traces the unit.
    pub(super) fn trace(
        &self,
        shader: &Shader,
        bindings: &Bindings,
        picture: &PictureArguments,
        groups: Option<Groups>,
        deadline: Deadline,
    ) -> Result<Trace, TraceError> {
        let (limit, cancelled) = (picture.max_iterations, &|| deadline.left().is_zero());
        let mismatch = |why: &str| Err(TraceError::Error(Error::Mismatch(why.to_owned())));
        match self {
            Self::Vertex(_) if groups.is_some() => {
                mismatch("--groups is for the invocations of a compute shader: leave it out")
            }
            Self::Vertex(vertex) => {
                shader.trace_vertex(bindings, picture.size, *vertex, limit, cancelled)
            }
            Self::Id { id, pass } => match (shader.workgroup().is_some(), groups) {
                (true, None) => {
                    mismatch("this is a compute program: say how many workgroups run, --groups X")
                }
                (true, Some(_)) if pass.is_some() => {
                    mismatch("a compute program has no passes: write --of id:X[,Y[,Z]]")
                }
                (true, Some(groups)) => {
                    let mut full = [0; 3];
                    full[..id.len()].copy_from_slice(id);
                    shader.trace_invocation(bindings, groups.0, full, limit, cancelled)
                }
                (false, Some(_)) => {
                    mismatch("passes say how many ids they have: leave out --groups")
                }
                (false, None) => shader.trace_id(bindings, pass.as_deref(), id, limit, cancelled),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units() {
        let id = |id: &[u32], pass: Option<&str>| {
            Ok(Unit::Id { id: id.to_vec(), pass: pass.map(str::to_owned) })
        };
        assert_eq!(parse("vertex:4"), Ok(Unit::Vertex([4, 0])));
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
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
