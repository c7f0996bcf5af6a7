//! Runs a comparison from the options of `compare`.

use super::arguments::CompareCommandArguments;
use super::found::{json, text};
use crate::binds::Binds;
use crate::engines::failed;
use crate::failure::{Failure, Result};
use crate::files::{one_standard_input, read_bytes};
use crate::gpu::{Gpu, failure};
use crate::messages::{MessageFormat, Messages, note, print, report};
use crate::module::ProgramKind;
use crate::supervise::Deadline;
use crate::user_values::{UserValues, bind_test_cards, note_bindings, note_remarks};
use crate::values::{Outputs, locations};
use lambdav_engine::compare::{CompareError, compare};
use lambdav_engine::{Options, Shader};
use lambdav_gpu::{Error, functions};
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
    let values = UserValues::read(&options.picture.set, options.picture.uniforms.as_ref())?;
    let values = values.with_binds(binds).with_module(&options.picture.module)?;
    let messages = Messages::of(options.message_format);
    let (_, bytes) = read_bytes(shader)?;
    let mut loaded = values.compile(shader, bytes, messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    report(&loaded.source, &loaded.diagnostics, messages)?;
    note_remarks(shader, &loaded, messages);
    let name = shader.display().to_string();
    let shader = Shader::of(loaded).map_err(|_| Failure::reported())?;
    options.picture.module.check(ProgramKind::of(&shader), &name)?;
    let mut bindings = options.picture.bindings(values.bindings(&shader)?)?;
    bind_test_cards(&name, &mut bindings, messages)?;
    let locations = locations(shader.outputs(), options.picture.output.or(Some(Outputs::All)))?;
    note_bindings(&name, &bindings, messages);
    let size = options.picture.size;
    let pipeline_options =
        Options::default().max_iterations(options.picture.max_iterations).for_size(size);
    let on = (&gpu.device, gpu.mode);
    let left = || deadline.left();
    let outcomes = compare(&shader, &bindings, size, &locations, on, &pipeline_options, &left);
    let outcomes = outcomes.map_err(|error| match error {
        CompareError::Error(error) => failed(error, messages),
        CompareError::Device(error) => failure(error),
        CompareError::TimedOut => deadline.failure(),
        CompareError::Iterations => {
            Failure::input("the pixel that differs exceeds --max-iterations by itself")
        }
        CompareError::Part(message) => Failure::input(message),
    })?;
    if let Some(remark) = outcomes.first().and_then(|outcome| outcome.remark.as_ref()) {
        note(remark, messages);
    }
    Deadline::lift();
    let source = shader.source();
    print(match options.message_format {
        MessageFormat::Text => {
            outcomes.iter().map(|outcome| text(outcome, source)).collect::<String>()
        }
        MessageFormat::Json => {
            let objects = outcomes.iter().map(|outcome| json(outcome, source));
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
