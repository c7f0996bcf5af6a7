//! `render --stats`: time of each part, the compiled code, and the use of lanes.

use super::failure::Result;
use super::messages::{MessageFormat, print, say};
use lambdav_engine::program::{Loaded, Times};
use lambdav_engine::{Activity, Bindings, Pipeline, Size};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Statistics of `--stats`.
pub(super) struct Stats {
    asked: Option<MessageFormat>,
    last: Instant,
    parts: Vec<Part>,
    notes: Vec<(&'static str, String)>,
}

/// A timed part of the run.
struct Part {
    name: &'static str,
    time: Duration,
    /// Stages of the part.
    stages: Vec<(&'static str, Duration)>,
}

impl Stats {
    /// Starts the clock.
    pub(super) fn new(asked: Option<MessageFormat>) -> Self {
        Self { asked, last: Instant::now(), parts: Vec::new(), notes: Vec::new() }
    }

    /// Adds the time since the last part to this part.
    pub(super) fn took(&mut self, part: &'static str) {
        self.took_in(part, Vec::new());
    }

    /// Like [`Self::took`], with the times of the part's stages.
    fn took_in(&mut self, name: &'static str, stages: Vec<(&'static str, Duration)>) {
        let now = Instant::now();
        let time = now - self.last;
        self.last = now;
        // With several pictures, times add up.
        match self.parts.iter_mut().find(|part| part.name == name) {
            Some(part) => {
                part.time += time;
                for (of, (_, more)) in part.stages.iter_mut().zip(stages) {
                    of.1 += more;
                }
            }
            None => self.parts.push(Part { name, time, stages }),
        }
    }

    /// Records a fact other than a time.
    pub(super) fn note(&mut self, about: &'static str, text: String) {
        // Several outputs may record the same fact.
        let note = (about, text);
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// Records the parsing and checking of the program.
    pub(super) fn read(&mut self, loaded: &Loaded) {
        let stages = loaded.times.map(|Times { parse, resolve, elaborate }| {
            vec![("parse", parse), ("resolve", resolve), ("elaborate", elaborate)]
        });
        self.took_in("read and check", stages.unwrap_or_default());
    }

    /// Records the compiled pipeline.
    pub(super) fn compiled(&mut self, pipeline: &Pipeline) {
        if let Some(why) = pipeline.exceeded_limit() {
            self.note("engine", format!("core: {why}"));
        }
        let Some(code) = pipeline.code() else { return self.took("compile") };
        self.took_in("compile", code.stages);
        let allocation = match code.is_quick {
            true => "; registers allocated in one pass, as pixels are few",
            false => "",
        };
        self.note("code", format!("{} bytes, {} of stack{allocation}", code.size, code.stack));
        self.note("target", format!("{} ({})", code.target, code.target_reason));
        let ([columns, rows], lanes, reason) = (code.group, code.lanes, code.lanes_reason);
        self.note("lanes", format!("{lanes}, groups of {columns}x{rows} pixels ({reason})"));
    }

    /// Records the share of active lanes in a picture of that size, if statistics were requested.
    pub(super) fn drawn(&mut self, pipeline: &Pipeline, bindings: &Bindings, size: Size) {
        if self.asked.is_none() {
            return;
        }
        let Ok(Some(Activity { share, groups, planned })) = pipeline.activity(bindings, size)
        else {
            return;
        };
        self.took("sample lanes");
        let share = match share {
            Some(share) => format!("{:.0} % of lanes on average", share * 100.0),
            None => "nothing is computed in lanes".to_owned(),
        };
        let sample = match groups {
            1 if planned == 1 => "1 group".to_owned(),
            all if all == planned => format!("{all} groups"),
            some => format!("{some} of {planned} groups, for lack of time"),
        };
        self.note("active", format!("{share} (a sample of {sample})"));
    }

    /// Prints the statistics, if requested; `pixels` is the number drawn.
    pub(super) fn say(&self, pixels: f64) -> Result {
        match self.asked {
            None => {}
            Some(MessageFormat::Json) => return print(format!("{}\n", self.json(pixels))),
            Some(MessageFormat::Text) => {
                say(&self.text(pixels));
            }
        }
        Ok(())
    }

    fn json(&self, pixels: f64) -> Value {
        let stage =
            |&(name, time): &(&str, Duration)| json!({"name": name, "seconds": time.as_secs_f64()});
        let part = |part: &Part| {
            let stages: Vec<Value> = part.stages.iter().map(stage).collect();
            json!({"name": part.name, "seconds": part.time.as_secs_f64(), "stages": stages})
        };
        let notes = self.notes.iter().map(|(about, text)| json!({"about": about, "text": text}));
        json!({
            "kind": "stats",
            "pixels": pixels,
            "parts": self.parts.iter().map(part).collect::<Vec<_>>(),
            "notes": notes.collect::<Vec<_>>(),
        })
    }

    fn text(&self, pixels: f64) -> String {
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let mut text = String::new();
        for Part { name, time, stages } in &self.parts {
            text += &format!("{name:>16}: {:9.3} ms", milliseconds(*time));
            if *name == "render" {
                text += &format!(", {:.2} ns per pixel", time.as_secs_f64() * 1e9 / pixels);
            }
            let stages: Vec<String> = stages
                .iter()
                .map(|&(stage, time)| format!("{stage} {:.3}", milliseconds(time)))
                .collect();
            if !stages.is_empty() {
                text += &format!(" ({})", stages.join(", "));
            }
            text += "\n";
        }
        for (about, note) in &self.notes {
            text += &format!("{about:>16}: {note}\n");
        }
        text
    }
}
