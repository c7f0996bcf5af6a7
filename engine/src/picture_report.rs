//! The report of a picture: of its passes, its vertices and its pixels.

use crate::accepted::Accepted;
use crate::before::MetBefore;
use crate::compilers::at_fault;
use crate::engines::BoundKernel;
use crate::error::Error;
use crate::settings::Settings;
use crate::undefined::{Met, Reporting, Undefined, Watched};
use lambdav_core::schedule::{Program, schedule_probed};
use lambdav_image::Size;

/// A program with probes, for the reports of its pictures.
pub(crate) struct PictureReporting {
    pub(crate) reporting: Reporting,
    /// The outputs of a full-screen program, for the core evaluator.
    outputs: Option<Program>,
}

impl PictureReporting {
    /// Compiles a program again, with probes, for the outputs at these locations.
    ///
    /// # Errors
    ///
    /// A program without reports, and a program that nests too deeply.
    pub(crate) fn new(program: &Accepted, locations: &[u32]) -> Result<Self, Error> {
        let reporting = Reporting::new(program)?;
        let outputs = match reporting.core.triangles {
            Some(_) => None,
            None => {
                let scheduled = schedule_probed(&reporting.core, locations);
                Some(scheduled.map_err(|diagnostic| at_fault(program, diagnostic))?)
            }
        };
        Ok(Self { reporting, outputs })
    }

    /// A kernel of a full-screen program, watched: it may have attachments for sites behind those of `outputs`.
    pub(crate) fn watched<'a>(
        &'a self,
        kernel: &'a dyn BoundKernel,
        outputs: usize,
        settings: &'a Settings,
        size: Size,
        is_reversed: bool,
    ) -> Watched<'a> {
        let program = self.outputs.as_ref().expect("triangles have no kernel of whole pictures");
        let sites = self.reporting.core.sites.len();
        Watched::new(kernel, outputs, (program, sites), settings, size, is_reversed)
    }

    /// The lines of a report: of what passes meet, then of vertices and pixels.
    pub(crate) fn lines(
        &self,
        MetBefore { sizes, passes }: MetBefore,
        stages: impl IntoIterator<Item = Met>,
    ) -> Vec<Undefined> {
        self.reporting.lines(sizes, passes.into_iter().chain(stages))
    }
}
