//! Both pictures, and how far they are apart.

use super::arguments::CompareCommandArguments;
use super::bindings::first_binding;
use super::found::{Cause, Found, Outcome, Pixel};
use super::operations::{Sought, first_operation};
use super::subject::{Comparing, Unknown, same};
use crate::binds::Binds;
use crate::engines::{EngineName, engine, not_drawn};
use crate::failure::{Failure, Result};
use crate::files::{one_standard_input, read_bytes};
use crate::given::Given;
use crate::gpu::{Gpu, failure};
use crate::messages::{MessageFormat, Messages, note, print, report};
use crate::module::MOST_UNSET;
use crate::supervise::Deadline;
use crate::values::{Outputs, locations};
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::graph::Core;
use lambdav_engine::engines::{Engine, GpuEngine, GpuError};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::Settings;
use lambdav_gpu::{Difference, Error, functions};
use lambdav_raster::{RenderOptions, render};
use std::iter;

pub(super) fn run(options: &CompareCommandArguments) -> Result {
    let gpu = Gpu::open(&options.gpu)?;
    let deadline = Deadline::set(options.timeout);
    let patience = || !deadline.left().is_zero();
    if options.functions {
        let emit = gpu.mode.emit_options(&gpu.device, None);
        let table = functions::table(&gpu.device, &emit, &patience);
        let table = table.map_err(|error| device_failure(error, deadline))?;
        Deadline::lift();
        return print(format!("On {}.\n\n{table}", gpu.device.name()));
    }
    let shader = options.shader.as_ref().expect("clap demands it");
    let binds = Binds::read(&options.picture.bind)?;
    let read = iter::once(shader).chain(&options.picture.uniforms).chain(binds.paths());
    one_standard_input(read)?;
    let given = Given::read(&options.picture.set, options.picture.uniforms.as_ref())?;
    let given = given.with_binds(binds).with_module(&options.picture.module)?;
    let messages = Messages::of(options.message_format);
    let (_, bytes) = read_bytes(shader)?;
    let mut loaded = given.compile(shader, bytes, messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    let given = given.reaching(&mut loaded, &|_| false);
    report(&loaded.source, &loaded.diagnostics, messages)?;
    let core = loaded.core.as_ref().ok_or_else(Failure::reported)?;
    options.picture.module.check(loaded.module.is_some(), &shader.display().to_string())?;
    let given = given.for_program(&loaded)?;
    let all = core.outputs.iter().map(|output| output.location);
    let locations = locations(all, options.picture.output.or(Some(Outputs::All)))?;
    let mut settings = options.picture.settings(&core.uniforms);
    given.apply(&mut settings, core.graph.types(), &core.uniforms, &core.constants)?;
    if loaded.module.is_some() {
        let name = shader.display().to_string();
        let unset = given.unset(core.graph.types(), &core.uniforms, MOST_UNSET);
        given.note(&name, &unset, messages);
    }
    let both = Both { options, gpu: &gpu, loaded: &loaded, core, settings: &settings, messages };
    let outcomes = both.compare(&locations, deadline)?;
    Deadline::lift();
    print(match options.message_format {
        MessageFormat::Text => {
            outcomes.iter().map(|outcome| outcome.text(&loaded.source)).collect::<String>()
        }
        MessageFormat::Json => {
            let objects = outcomes.iter().map(|outcome| outcome.json(&loaded.source));
            objects.map(|object| format!("{object}\n")).collect()
        }
    })?;
    let is_equal = outcomes.iter().all(|outcome| outcome.found.is_none());
    if is_equal { Ok(()) } else { Err(Failure::reported()) }
}

fn device_failure(error: Error, deadline: Deadline) -> Failure {
    match error {
        Error::TimedOut => deadline.failure(),
        error => failure(error),
    }
}

/// A program that is drawn twice.
struct Both<'a> {
    options: &'a CompareCommandArguments,
    gpu: &'a Gpu,
    loaded: &'a Loaded,
    core: &'a Core,
    settings: &'a Settings,
    messages: Messages,
}

impl Both<'_> {
    /// Draws the outputs at these locations, on the device at once.
    fn compare(&self, locations: &[u32], deadline: Deadline) -> Result<Vec<Outcome>> {
        let Self { options, gpu, loaded, core, settings, messages } = *self;
        let size = options.picture.size;
        let patience = || !deadline.left().is_zero();
        let made = GpuEngine::of_outputs(core, locations, settings, &gpu.device, gpu.mode);
        let mut on_device = made.map_err(|error| match error {
            GpuError::Program(diagnostic) => {
                crate::messages::fault(&loaded.source, diagnostic, messages)
            }
            GpuError::Emit(error) => Failure::input(error.to_string()),
        })?;
        let pictures = on_device.pictures(size, &patience);
        let pictures = pictures.map_err(|error| device_failure(error, deadline))?;
        let remark = on_device.remark();
        if let Some(remark) = &remark {
            note(remark, messages);
        }
        let comparing = Comparing {
            core,
            settings,
            device: &gpu.device,
            emit: gpu.mode.emit_options(&gpu.device, None),
            patience: &patience,
        };
        let mut outcomes = Vec::new();
        for (&location, found) in locations.iter().zip(&pictures) {
            let on_cpu = engine(None::<EngineName>, None, loaded, core, location, settings)
                .map_err(|trouble| trouble.failure(&loaded.source, messages))?;
            let how = RenderOptions { timeout: Some(deadline.left()), ..RenderOptions::default() };
            let expected = render(&*on_cpu, size, &how)
                .map_err(|error| not_drawn(error, &*on_cpu, &loaded.source, deadline, messages))?;
            let expected: Vec<[u32; 4]> =
                expected.pixels().iter().map(|pixel| pixel.map(f32::to_bits)).collect();
            let difference = Difference::new(&expected, found);
            let found = match first_pixel(&expected, found, size.width()) {
                None => None,
                Some(pixel) => {
                    let cause = comparing.cause(location, pixel.at);
                    let cause = cause.map_err(|unknown| match unknown {
                        Unknown::Device(error) => device_failure(error, deadline),
                        Unknown::Evaluation(EvaluationFault::Cancelled) => deadline.failure(),
                        Unknown::Evaluation(EvaluationFault::LoopLimit(_)) => Failure::input(
                            "the pixel that differs exceeds --max-iterations by itself",
                        ),
                        Unknown::Program(message) => Failure::input(message),
                    })?;
                    Some(Found { difference, pixel, cause })
                }
            };
            outcomes.push(Outcome { location, size, found, remark: remark.clone() });
        }
        Ok(outcomes)
    }
}

impl Comparing<'_> {
    /// Why that pixel of the output is another on the device.
    fn cause(&self, location: u32, at: [u32; 2]) -> Result<Cause, Unknown> {
        let is_cut = match first_operation(self, location, at)? {
            Sought::Found(operation) => return Ok(Cause::Operation(operation)),
            Sought::None { is_cut } => is_cut,
        };
        Ok(match first_binding(self, location, at)? {
            Some(binding) => Cause::Binding { binding, is_cut },
            None => Cause::Unknown { is_cut },
        })
    }
}

/// The first pixel in scan order whose bits differ, any NaN being any other.
fn first_pixel(expected: &[[u32; 4]], found: &[[u32; 4]], width: u32) -> Option<Pixel> {
    let differ = |(a, b): (&u32, &u32)| !same(*a, *b);
    let pairs = (0_u32..).zip(expected.iter().zip(found));
    let mut different = pairs.filter(|(_, (a, b))| a.iter().zip(b.iter()).any(differ));
    let (index, (expected, found)) = different.next()?;
    Some(Pixel { at: [index % width, index / width], expected: *expected, found: *found })
}
