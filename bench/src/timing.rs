//! Timing: runs of the compared subjects alternate, so that noise hits all of them alike. Then summaries of
//! the times.

use cpu_time::ThreadTime;
use serde::Serialize;
use std::time::Instant;

/// A subject to measure.
pub(crate) type Subject<'a> = Box<dyn FnMut() + 'a>;

/// The clock of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// CPU time of this thread. Other load on the machine affects it less than wall time.
    Processor,
    /// Wall time, for subjects that use other threads or processes.
    Wall,
}

impl Clock {
    /// The time of a call in milliseconds.
    pub(crate) fn time(self, what: impl FnOnce()) -> f64 {
        let (wall, processor) = (Instant::now(), ThreadTime::now());
        what();
        let time = match self {
            Self::Processor => processor.elapsed(),
            Self::Wall => wall.elapsed(),
        };
        time.as_secs_f64() * 1e3
    }

    /// The time of each run of each subject in milliseconds. Before each timed run the same subject runs
    /// once untimed: the state of the processor after another subject costs up to a tenth of a run of a few
    /// milliseconds.
    pub(crate) fn interleaved(self, runs: usize, subjects: &mut [Subject<'_>]) -> Vec<Vec<f64>> {
        let mut times = vec![Vec::with_capacity(runs); subjects.len()];
        for _ in 0..runs {
            for (times, subject) in times.iter_mut().zip(&mut *subjects) {
                subject();
                times.push(self.time(subject));
            }
        }
        times
    }
}

/// Summary of several times or ratios.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Summary {
    /// The median; of an even number of values the upper one.
    pub(crate) median: f64,
    /// The median absolute deviation.
    pub(crate) spread: f64,
    /// The minimum.
    pub(crate) least: f64,
}

impl Summary {
    /// Summarises at least one value.
    pub(crate) fn of(values: &[f64]) -> Self {
        let middle = median(values);
        let distances: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        Self { median: middle, spread: median(&distances), least }
    }

    /// Summarises the ratios of first to second, run by run.
    pub(crate) fn of_ratios(first: &[f64], second: &[f64]) -> Self {
        Self::of(&first.iter().zip(second).map(|(a, b)| a / b).collect::<Vec<_>>())
    }

    /// The summary in another unit.
    pub(crate) fn scaled(self, by: f64) -> Self {
        Self { median: self.median * by, spread: self.spread * by, least: self.least * by }
    }
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::{Clock, Summary};
    use std::cell::RefCell;

    #[test]
    fn summaries() {
        let summary = Summary::of(&[5.0, 1.0, 2.0]);
        assert_eq!(summary, Summary { median: 2.0, spread: 1.0, least: 1.0 });
        assert_eq!(Summary::of_ratios(&[6.0, 8.0], &[2.0, 2.0]).least, 3.0);
    }

    #[test]
    fn all_take_turns() {
        let order = RefCell::new(String::new());
        let subject = |name| -> Box<dyn FnMut()> {
            let order = &order;
            Box::new(move || order.borrow_mut().push(name))
        };
        let times = Clock::Wall.interleaved(2, &mut [subject('a'), subject('b')]);
        assert_eq!(times.iter().map(Vec::len).collect::<Vec<_>>(), [2, 2]);
        assert_eq!(order.into_inner(), "aabbaabb");
    }
}
