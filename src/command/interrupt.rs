//! What happens when the process is asked to end, or a file gets too large for it.

/// From now on SIGINT (Ctrl-C) and SIGTERM remove temporary files before they end the process as they
/// always do, and a limit on the size of files (`ulimit -f`) is an error of the write that meets it.
#[cfg(unix)]
pub(super) fn watch() {
    use lambdav::raster::file::abandon_writes;
    use signal_hook::consts::{SIGINT, SIGTERM, SIGXFSZ};
    use signal_hook::iterator::Signals;
    use signal_hook::low_level::emulate_default_handler;
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    // Without a handler the process is killed, as it would be anyhow.
    let _ = signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    let Ok(mut signals) = Signals::new([SIGINT, SIGTERM]) else { return };
    let wait = move || {
        for signal in signals.forever() {
            abandon_writes();
            let _ = emulate_default_handler(signal);
        }
    };
    let _ = std::thread::Builder::new().stack_size(64 << 10).spawn(wait);
}

/// Elsewhere the system ends the process, which may leave a temporary file while a file is written.
#[cfg(not(unix))]
pub(super) fn watch() {}
