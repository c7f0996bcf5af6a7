//! Measuring: runs of all that is compared in turn, so that noise hits all of it alike, and what
//! they say.

use cpu_time::ThreadTime;
use serde::Serialize;
use std::time::Instant;

/// Something to measure.
pub(crate) type Subject<'a> = Box<dyn FnMut() + 'a>;

/// What a time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// That of this thread on a processor: what else the machine does takes less of it than of the
    /// clock on the wall.
    Processor,
    /// From beginning to end, for what uses other threads or processes.
    Wall,
}

impl Clock {
    /// Milliseconds that something takes.
    pub(crate) fn time(self, what: impl FnOnce()) -> f64 {
        let (wall, processor) = (Instant::now(), ThreadTime::now());
        what();
        let time = match self {
            Self::Processor => processor.elapsed(),
            Self::Wall => wall.elapsed(),
        };
        time.as_secs_f64() * 1e3
    }

    /// The milliseconds of each run of each subject. A run of the same subject before each counts
    /// for nothing: what ran before leaves traces in the processor that cost up to a tenth of what
    /// runs for a few milliseconds after it.
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

/// What several runs say.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Summary {
    /// The value in the middle; of an even number, the upper one of the two.
    pub(crate) median: f64,
    /// The median distance from the median.
    pub(crate) spread: f64,
    /// The least value.
    pub(crate) least: f64,
}

impl Summary {
    /// Of at least one value.
    pub(crate) fn of(values: &[f64]) -> Self {
        let middle = median(values);
        let distances: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        Self { median: middle, spread: median(&distances), least }
    }

    /// Of how many times as long the first takes as the second, run by run.
    pub(crate) fn of_ratios(first: &[f64], second: &[f64]) -> Self {
        Self::of(&first.iter().zip(second).map(|(a, b)| a / b).collect::<Vec<_>>())
    }

    /// The same in another unit.
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
