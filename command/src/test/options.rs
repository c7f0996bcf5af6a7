//! Options of a run.

use super::directive::Directive;
use crate::binds::Binds;
use crate::engines::{EngineName, engine, failed_silently};
use crate::failure::{Failure, Result};
use crate::gpu::Gpu;
use crate::module::SearchArguments;
use crate::render::PictureArguments;
use crate::undefined::UndefinedBehaviour;
use crate::user_values::UserValues;
use lambdav_engine::{Engine, Error};
use std::path::{Path, PathBuf};
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
    /// What is done about undefined behaviour; pictures are not painted.
    pub(super) undefined: UndefinedBehaviour,
    /// True if a report will show evidence of failures.
    pub(super) is_reported: bool,
}

impl RunOptions {
    /// The options of a directive and the values that they give. Files are relative to the program, not to the working
    /// directory.
    pub(super) fn settings(
        &self,
        directive: &Directive,
        program: &Path,
    ) -> Result<(PictureArguments, UserValues)> {
        let mut picture = directive.picture.clone();
        let folder = program.parent().unwrap_or(Path::new(""));
        picture.uniforms = picture.uniforms.map(|path| folder.join(path));
        picture.mesh = picture.mesh.map(|mesh| folder.join(mesh).to_string_lossy().into_owned());
        picture.module.text.within(folder);
        let mut module = picture.module.clone();
        module.text.search.add(&self.search);
        let values = UserValues::read(&picture.set, picture.uniforms.as_ref())?;
        let binds = Binds::read(&picture.bind)?.within(folder);
        let values = values.with_binds(binds).with_module(&module)?;
        Ok((picture, values))
    }

    /// The engine for a compute program, or for passes; none if the chosen one runs none.
    pub(super) fn compute_engine(&self, is_compute: bool) -> Option<Engine> {
        match self.engine {
            Some(EngineName::Source) if is_compute => None,
            Some(EngineName::Gpu) if !is_compute => None,
            name => Some(engine(name, self.gpu.as_ref())),
        }
    }

    /// Failure of a test with this error of a pipeline.
    pub(super) fn failed(&self, error: Error) -> Failure {
        match error {
            Error::TimedOut { .. } => too_slow(self.timeout),
            error => failed_silently(error),
        }
    }
}

/// Failure of a test that exceeded its time.
pub(super) fn too_slow(timeout: Duration) -> Failure {
    let seconds = timeout.as_secs_f64();
    Failure::machine(format!("it took longer than {seconds} s; --timeout allows more"))
}
