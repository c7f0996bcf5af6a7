//! Traces pixels, and searches for them.

use crate::engines::failed_silently;
use crate::failure::{Failure, Result};
use crate::messages::Messages;
use crate::module::some_of;
use crate::progress::Progress;
use crate::render::PictureArguments;
use crate::supervise::Deadline;
use crate::unit::failure;
use lambdav_engine::trace::{TraceError, Tracer};
use lambdav_engine::{Bindings, Shader};
use lambdav_trace::{Condition, Event, EventKind, NamedValues, PIXEL, Sink, Trace, Watch};
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use std::sync::atomic::{AtomicUsize, Ordering};

/// The name of the pixel's value in conditions.
const OUTPUT: &str = "output";

/// A tracer at work.
pub(super) struct Work<'a> {
    pub(super) shader: &'a Shader,
    pub(super) bindings: &'a Bindings,
    pub(super) tracer: &'a Tracer,
    pub(super) picture: &'a PictureArguments,
    pub(super) output: u32,
    pub(super) deadline: Deadline,
    pub(super) messages: Messages,
}

/// The text of a pixel's trace, or the reason why there is none, for the report of a test.
pub(crate) fn traced(
    tracer: Result<Tracer, lambdav_engine::Error>,
    pixel: [u32; 2],
    cancelled: &dyn Fn() -> bool,
) -> String {
    let tracer = match tracer {
        Ok(tracer) => tracer,
        Err(error) => return failed_silently(error).message.unwrap_or_default(),
    };
    match tracer.trace(pixel, None, cancelled) {
        Ok((trace, _)) => trace.text(false),
        Err(TraceError::Cancelled) => "no time is left for a trace".to_owned(),
        Err(TraceError::Error(error)) => failed_silently(error).message.unwrap_or_default(),
    }
}

impl Work<'_> {
    pub(super) fn is_late(&self) -> bool {
        self.deadline.left().is_zero()
    }

    pub(super) fn failure(&self, error: TraceError) -> Failure {
        failure(error, self.deadline, self.messages)
    }

    /// The trace of a pixel, and the values of its names.
    pub(super) fn trace(&self, pixel: [u32; 2]) -> Result<(Trace, NamedValues)> {
        let traced = self.tracer.trace(pixel, None, &|| self.is_late());
        traced.map_err(|error| self.failure(error))
    }

    /// The first pixel in scan order where the condition holds.
    pub(super) fn find(&self, condition: &Condition, text: &str) -> Result<[u32; 2]> {
        let mut known = self.tracer.names();
        known.insert(OUTPUT.to_owned());
        if let Some(name) = condition.names().find(|name| !known.contains(*name)) {
            let all: Vec<String> = known.into_iter().collect();
            let has = match all.is_empty() {
                true => "it binds none".to_owned(),
                false => format!("it binds {}", some_of(&all)),
            };
            return Err(Failure::usage(format!(
                "--break: the program binds no name `{name}`; {has}"
            )));
        }
        let size = self.picture.size;
        let (progress, done) = (Progress::new(), AtomicUsize::new(0));
        let width = size.width() as usize;
        // The first one in scan order, whatever the threads are faster with.
        let found = (0..size.pixels()).into_par_iter().find_map_first(|index| {
            if self.is_late() {
                return Some(Err(TraceError::Cancelled));
            }
            let pixel = [(index % width) as u32, (index / width) as u32];
            let mut watch = Watch::new(condition);
            let traced = match self.tracer.pixel(pixel, &mut watch, &|| self.is_late()) {
                Ok(traced) => traced,
                Err(error) => return Some(Err(error)),
            };
            let value = self.tracer.value(traced.colour);
            let kind = EventKind::Binding { name: OUTPUT.into(), value };
            watch.event(Event { scope: PIXEL, place: None, number: 0, kind });
            progress.advance(done.fetch_add(1, Ordering::Relaxed), size.pixels());
            watch.holds.then_some(Ok(pixel))
        });
        progress.clear();
        if let Some(found) = found {
            return found.map_err(|error| self.failure(error));
        }
        Err(Failure::input(format!("`{text}` holds in no pixel of the picture of {size}")))
    }
}
