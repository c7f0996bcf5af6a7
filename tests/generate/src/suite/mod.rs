//! The programs of the conformance suite, `tests/language`: reading them, hiding their literals, and removing
//! their modes.

mod case;
mod hidden;
mod modes;
mod probes;

pub use case::{Case, Expected, ExpectedVerdict, Finding, read_cases};
pub use hidden::hide_literals;
pub use modes::without_modes;
pub use probes::with_names_for_probes;
