//! Draws all pictures in all configurations of this machine and compares them with the list.

use crate::configurations::{Division, PROCESSORS, Processor, lanes, pool};
use crate::pictures::{List, SIZES, Shader, all, digest, draw};
use lambdav_engine::engines::{BoundKernel, CoreEngine, SimdEngine};
use lambdav_image::Size;
use std::fmt::{self, Display, Formatter};

/// Largest number of pixels for the core evaluator, which is slow.
const CORE_PIXELS: u64 = 1000;

/// The result of a comparison.
#[derive(Debug, Default)]
pub struct MatrixReport {
    /// Number of compiled kernels.
    pub kernels: usize,
    /// Number of drawn pictures.
    pub pictures: usize,
    /// Number of different pictures in the list.
    pub listed: usize,
    /// Pictures that differ from the list, one line each.
    pub differences: Vec<String>,
    /// Configurations that this machine cannot execute.
    pub absent: Vec<&'static str>,
}

impl Display for MatrixReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for difference in &self.differences {
            writeln!(f, "{difference}")?;
        }
        for absent in &self.absent {
            writeln!(f, "this machine lacks {absent}")?;
        }
        write!(
            f,
            "{}: {} pictures of {} kernels, {} of {} digests differ",
            std::env::consts::ARCH,
            self.pictures,
            self.kernels,
            self.differences.len(),
            self.listed
        )
    }
}

/// Draws pictures in all configurations. Each combination of picture, processor and number of lanes has a
/// number, from 0; `part` selects the numbers to draw.
pub fn compare(part: impl Fn(usize) -> bool) -> MatrixReport {
    let list = List::read();
    let mut report = MatrixReport::default();
    let absent = PROCESSORS.iter().filter(|processor| !(processor.is_here)());
    report.absent.extend(absent.map(|processor| processor.name));
    let mut number = 0;
    for shader in all() {
        for output in &shader.core().outputs {
            for (width, height) in SIZES {
                let size = Size::new(width, height).expect("a small size");
                let picture = Picture { shader: &shader, location: output.location, size };
                report.listed += 1;
                for what in each_kernel() {
                    if part(number) {
                        report.kernels += 1;
                        what.compare(&picture, &list, &mut report);
                    }
                    number += 1;
                }
            }
        }
    }
    report
}

/// An engine and its configuration.
enum What {
    Core,
    Code(Processor, Option<u32>),
}

fn each_kernel() -> Vec<What> {
    let here = PROCESSORS.into_iter().filter(|processor| (processor.is_here)());
    let code = here.flat_map(|processor| lanes().map(move |lanes| What::Code(processor, lanes)));
    [What::Core].into_iter().chain(code).collect()
}

struct Picture<'a> {
    shader: &'a Shader,
    location: u32,
    size: Size,
}

impl What {
    fn compare(&self, picture: &Picture<'_>, list: &List, report: &mut MatrixReport) {
        let (core, size) = (picture.shader.core(), picture.size);
        let settings = picture.shader.settings(size);
        match self {
            Self::Core => {
                if u64::from(size.width()) * u64::from(size.height()) <= CORE_PIXELS {
                    let engine =
                        CoreEngine::new(core, picture.location, &settings).expect("it schedules");
                    let division = Division { threads: 1, tile: None };
                    picture.check(&engine, division, "the core evaluator", list, report);
                }
            }
            Self::Code(processor, lanes) => {
                let target = processor.target();
                let location = picture.location;
                let engine = SimdEngine::for_target(core, location, &settings, *lanes, target)
                    .expect("it compiles");
                let lanes = lanes.map_or("default".to_owned(), |lanes| lanes.to_string());
                let what = format!("{}, {lanes} lanes", processor.name);
                for division in Division::all() {
                    picture.check(&engine, division, &what, list, report);
                }
            }
        }
    }
}

impl Picture<'_> {
    fn check(
        &self,
        engine: &(impl BoundKernel + Send),
        division: Division,
        what: &str,
        list: &List,
        report: &mut MatrixReport,
    ) {
        let Self { shader: Shader { name, .. }, location, size } = *self;
        let frame = pool(division.threads).install(|| draw(engine, size, &division.options()));
        let found = digest(&frame);
        report.pictures += 1;
        let wanted = list.get(name, location, size);
        if wanted != Some(&found) {
            let wanted = wanted.unwrap_or("nothing");
            report.differences.push(format!(
                "{name} {location} {size}: {found}, where the list has {wanted}; {what}, {division}"
            ));
        }
    }
}
