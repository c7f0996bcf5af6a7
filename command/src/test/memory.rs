//! Memory limit of a worker: a test that exhausts memory ends only its worker.

use std::fs;

/// Smallest default limit, even on smaller machines: the limit covers address space, and a process
/// reserves more of it than it uses.
const LEAST: u64 = 4 << 30;

/// Limits the memory of this process to `gib` GiB, by default to three quarters of the machine's
/// memory. Without effect on systems without such a limit.
pub(super) fn limit(gib: Option<f64>) {
    let asked = gib.map(|gib| (gib * f64::from(1 << 30)) as u64);
    let usual = || machine().map(|bytes| (bytes / 4 * 3).max(LEAST));
    if let Some(bytes) = asked.or_else(usual) {
        set(bytes);
    }
}

/// Memory available to this process, on Linux: the machine's, or its control group's limit.
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
    // If the system refuses the limit, run without one.
    let _ = setrlimit(Resource::Data, limit);
}

#[cfg(not(unix))]
fn set(_: u64) {}
