//! How much memory a worker may have, so that a test that wants all of it ends its worker and nothing else.

use std::fs;

/// A worker has at least so much, even where the machine has less: address space counts, of which a process
/// has more than it uses.
const LEAST: u64 = 4 << 30;

/// Limits the memory of this process to so many GiB, or to three quarters of what the machine has. Where the
/// system has no such limit there is none.
pub(super) fn limit(gib: Option<f64>) {
    let asked = gib.map(|gib| (gib * f64::from(1 << 30)) as u64);
    let usual = || machine().map(|bytes| (bytes / 4 * 3).max(LEAST));
    if let Some(bytes) = asked.or_else(usual) {
        set(bytes);
    }
}

/// The memory that there is for this process, where Linux tells it: of the machine, or of its control group.
fn machine() -> Option<u64> {
    let text = fs::read_to_string("/proc/meminfo").ok()?;
    let total = text.lines().find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = total.trim().trim_end_matches("kB").trim().parse().ok()?;
    let groups = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"];
    let group = groups.iter().find_map(|path| fs::read_to_string(path).ok()?.trim().parse().ok());
    Some(group.unwrap_or(u64::MAX).min(kib << 10))
}

#[cfg(unix)]
fn set(bytes: u64) {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let had = getrlimit(Resource::Data);
    let least = |old: Option<u64>| Some(old.map_or(bytes, |old| old.min(bytes)));
    let limit = Rlimit { current: least(had.current), maximum: had.maximum };
    // Where it is refused there is none.
    let _ = setrlimit(Resource::Data, limit);
}

#[cfg(not(unix))]
fn set(_: u64) {}
