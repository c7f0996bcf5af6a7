//! Pipelines of passes: the passes of a program, run on the data of any bindings, without a picture.

use crate::accepted::Accepted;
use crate::before::{Before, MetBefore};
use crate::bindings::Bindings;
use crate::compilers::check;
use crate::compute::{DispatchOptions, Ran};
use crate::error::Error;
use crate::options::Options;
use crate::shader::Shader;
use crate::undefined::Reporting;
use lambdav_image::Size;
use std::fmt;
use std::sync::Arc;

/// The passes of a program, compiled for an engine. Clones share the code. All methods may be called from many threads at
/// once.
///
/// ```
/// # use lambdav_engine::{Options, Shader};
/// let text = "(buffer values num) (result histogram uint 4)
///     (pass count-all (size (count values))
///       (combine histogram (int (* 4 (at values (id)))) 1u add))";
/// let pipeline = Shader::new("histogram.lv", text)?.pass_pipeline(&Options::default())?;
/// let mut bindings = pipeline.bindings();
/// bindings.bind("values", &[0.1_f32, 0.9, 0.3, 0.2, 2.0][..])?;
/// pipeline.run(&mut bindings)?;
/// assert_eq!(bindings.components("histogram"), Some(vec![2, 1, 0, 1]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct PassPipeline(Arc<Compiled>);

struct Compiled {
    program: Arc<Accepted>,
    options: Options,
    passes: Before,
    /// The program with probes, if undefined behaviour is reported.
    reporting: Option<Reporting>,
}

impl fmt::Debug for PassPipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Compiled { program, options, .. } = &*self.0;
        f.debug_struct("PassPipeline")
            .field("program", &program.source.name())
            .field("engine", &options.engine)
            .finish_non_exhaustive()
    }
}

impl Shader {
    /// True if the program has passes, or results that passes could write.
    pub fn has_passes(&self) -> bool {
        self.0.core.passes.is_some()
    }

    /// Compiles the passes of a program for an engine.
    ///
    /// # Errors
    ///
    /// [`Error::Mismatch`] if the program has none, and as for [`Self::pipeline`].
    pub fn pass_pipeline(&self, options: &Options) -> Result<PassPipeline, Error> {
        let program = Arc::clone(&self.0);
        if !self.has_passes() {
            let why = "this program has no passes";
            return Err(Error::Mismatch(why.to_owned()));
        }
        let reporting = options.reports_undefined.then(|| Reporting::new(&program)).transpose()?;
        let core = reporting.as_ref().map_or(&program.core, |of| &of.core);
        let (passes, options) = (Before::new(&program, core, options)?, options.clone());
        Ok(PassPipeline(Arc::new(Compiled { program, options, passes, reporting })))
    }
}

impl PassPipeline {
    /// Bindings with default uniforms, at time 0, without data.
    pub fn bindings(&self) -> Bindings {
        Bindings::new(&self.0.program)
    }

    /// Runs all passes. Results are zero before; afterwards [`Bindings::components`], [`Bindings::json`] and
    /// [`Bindings::npy`] have their elements.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if a texture or buffer is not bound, a pass has too many ids, a loop exceeds its limit, or a `unique`
    /// scatter writes to one place twice; [`Error::Foreign`]. Then the results are as before.
    pub fn run(&self, bindings: &mut Bindings) -> Result<(), Error> {
        self.run_with(bindings, &DispatchOptions::default()).map(drop)
    }

    /// Like [`Self::run`], with a time limit.
    ///
    /// # Errors
    ///
    /// As for [`Self::run`], and [`Error::TimedOut`].
    pub fn run_with(
        &self,
        bindings: &mut Bindings,
        options: &DispatchOptions<'_>,
    ) -> Result<Ran, Error> {
        let Compiled { program, options: compiled, passes, reporting } = &*self.0;
        check(program, bindings)?;
        let settings = bindings.settings(Size::new(1, 1)?, compiled.max_iterations);
        let (settings, met) = passes.run(program, settings, options.timeout, "running")?;
        for number in passes.results().into_iter().flatten() {
            bindings.memories.set(number, settings.inputs.resources[number].words().to_vec());
        }
        let MetBefore { sizes, passes: met } = met;
        let undefined = reporting.as_ref().map(|of| of.lines(sizes, met));
        Ok(Ran { undefined: undefined.unwrap_or_default() })
    }
}
