//! Work on numbered cases by all processors.

use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// The seeds that an environment variable chooses, a number of them (`5000`) or a range (`4851..4852`); else these.
///
/// # Panics
///
/// If the variable is neither.
pub fn seeds(variable: &str, default: Range<u64>) -> Range<u64> {
    let Ok(text) = std::env::var(variable) else { return default };
    let number = |text: &str| {
        text.parse::<u64>().unwrap_or_else(|_| panic!("{variable}: {text} is no number"))
    };
    match text.split_once("..") {
        Some((first, end)) => number(first)..number(end),
        None => default.start..default.start + number(&text),
    }
}

/// The results for all numbers, in order, by a thread for each processor. (A thread of a pool may begin another case while
/// it waits within one, and needs the stack of both. These do not.)
pub fn in_parallel<T: Send>(numbers: Range<u64>, work: impl Fn(u64) -> T + Sync) -> Vec<T> {
    let next = AtomicU64::new(numbers.start);
    let mut all = by_all(|| {
        let mut own = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return own;
            }
            own.push((number, work(number)));
        }
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, result)| result).collect()
}

/// Demands so many items for each seed, and few programs that are too large, which have none.
///
/// # Panics
///
/// If there are fewer, or more are too large.
pub fn demand_enough(items: &str, seeds: Range<u64>, found: &[Option<usize>], least: usize) {
    let (count, refused) = (found.len(), found.iter().filter(|of| of.is_none()).count());
    let all: usize = found.iter().flatten().sum();
    println!("{all} {items} of the programs {seeds:?}, of which {refused} are too large");
    assert!(refused * 10 <= count, "{refused} programs of {count} are too large");
    assert!(all > least * count / 2, "{all} {items} of {count} programs are few");
}

/// One of the numbers for which a condition holds, tried from the first on.
pub fn find_in_parallel(numbers: Range<u64>, holds: impl Fn(u64) -> bool + Sync) -> Option<u64> {
    let next = AtomicU64::new(numbers.start);
    let found = by_all(|| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= numbers.end {
                return Vec::new();
            }
            if holds(number) {
                next.store(numbers.end, Ordering::Relaxed);
                return vec![number];
            }
        }
    });
    found.into_iter().min()
}

/// The results of a thread for each processor, together. A panic of one is a panic here.
fn by_all<T: Send>(work: impl Fn() -> Vec<T> + Sync) -> Vec<T> {
    let count = thread::available_parallelism().map_or(1, usize::from);
    thread::scope(|scope| {
        let threads: Vec<_> = (0..count).map(|_| scope.spawn(&work)).collect();
        let joined = threads.into_iter().map(|thread| thread.join());
        joined.flat_map(|ended| ended.unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_order() {
        let squares = in_parallel(3..1000, |number| number * number);
        assert!(squares.iter().copied().eq((3..1000_u64).map(|number| number * number)));
        assert_eq!(find_in_parallel(0..1000, |number| number == 777), Some(777));
        assert_eq!(find_in_parallel(0..100, |number| number == 777), None);
    }
}
