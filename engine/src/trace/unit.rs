//! A traced unit, for all kinds of units.

use super::pixel::Needed;
use lambdav_trace::{Messages, Place, Recorder, Subject, Trace};

/// A unit whose events went to a sink, which finishes it.
#[derive(Clone, Debug)]
pub struct TracedUnit {
    /// The unit and its results.
    pub subject: Subject,
    /// True if scopes are put in the order of the text, since their events came as they were needed.
    pub(super) is_by_need: bool,
    pub(super) needed: Needed,
}

impl TracedUnit {
    /// The trace of the events that a recorder has.
    pub fn trace(self, recorder: Recorder) -> Trace {
        recorder.finish(self.subject, self.is_by_need, &|number| self.needed.has(number))
    }

    /// The messages that a sink has, in order: `FILE:LINE:COLUMN: UNIT: TEXT`. At last comes the number of messages that are
    /// beyond its limit.
    pub fn messages(self, messages: Messages) -> (Vec<String>, u64) {
        let subject = self.subject.clone();
        let (all, dropped) = messages.finish(self.subject, self.is_by_need);
        let line = |(place, text): (Option<Place>, String)| {
            let place = match place {
                Some(place) => subject.place(place),
                None => subject.files.first().cloned().unwrap_or_default(),
            };
            format!("{place}: {}: {text}", subject.unit.name())
        };
        (all.into_iter().map(line).collect(), dropped)
    }
}
