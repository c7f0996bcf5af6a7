//! What happens when the process is asked to end, or a file gets too large for it.

/// From now on signals that end the process, such as SIGINT (Ctrl-C), remove temporary files first,
/// and a limit on the size of files (`ulimit -f`) is an error of the write that meets it. A signal
/// that whoever started the process ignores, as `nohup` does, stays ignored.
#[cfg(unix)]
pub(super) fn watch() {
    use lambdav::raster::file::abandon_writes;
    use signal_hook::consts::{
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2,
        SIGVTALRM, SIGXCPU, SIGXFSZ,
    };
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    const ENDING: [i32; 12] = [
        SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGUSR1, SIGUSR2,
        SIGVTALRM, SIGXCPU,
    ];
    // Without a handler the process is killed, as it would be anyhow.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let ignored = ignored();
    let ending = ENDING.into_iter().filter(|signal| ignored >> (signal - 1) & 1 == 0);
    let Ok(mut signals) = Signals::new(ending) else { return };
    let wait = move || {
        for signal in signals.forever() {
            abandon_writes();
            let _ = emulate_default_handler(signal);
        }
    };
    let _ = std::thread::Builder::new().stack_size(64 << 10).spawn(wait);
}

/// The signals that are ignored, bit n − 1 for signal n. Only Linux tells without unsafe code.
#[cfg(unix)]
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    line.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

/// Elsewhere the system ends the process, which may leave a temporary file while a file is written.
#[cfg(not(unix))]
pub(super) fn watch() {}
