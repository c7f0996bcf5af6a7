//! Options of a run.

use crate::engines::EngineName;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::module::SearchArguments;
use std::path::PathBuf;
use std::time::Duration;

/// Options that all tests of a run share.
pub(super) struct RunOptions {
    /// Engine that computes the pixels.
    pub(super) engine: Option<EngineName>,
    /// The device of the engine `gpu`.
    pub(super) gpu: Option<Gpu>,
    /// Where all texts find files, and what is defined for them; behind what their directives say.
    pub(super) search: SearchArguments,
    /// True if drawn pictures become goldens.
    pub(super) bless: bool,
    /// True if blessing replaces unmarked files, too.
    pub(super) adopt: bool,
    /// Folder of the pictures to compare with the drawn ones.
    pub(super) against: Option<PathBuf>,
    /// Time limit of a test.
    pub(super) timeout: Duration,
    /// True if a report will show evidence of failures.
    pub(super) is_reported: bool,
}

/// Failure of a test that exceeded its time.
pub(super) fn too_slow(timeout: Duration) -> Failure {
    let seconds = timeout.as_secs_f64();
    Failure::machine(format!("it took longer than {seconds} s; --timeout allows more"))
}
