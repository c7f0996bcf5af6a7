//! `lambdav trace`: how a pixel, a vertex, or an id of a pass or dispatch comes about.

mod against;
mod arguments;
mod other;
mod page;
mod work;

pub(super) use arguments::TraceArguments;
pub(super) use work::traced;

use super::binds::Binds;
use super::engines::in_time;
use super::failure::{Failure, Result, save_failure};
use super::files::{check_not_read, check_target, one_standard_input, read_bytes};
use super::meshes::MeshArgument;
use super::messages::{print, report};
use super::module::ProgramKind;
use super::render::check_defaults;
use super::run::bind_zeros;
use super::supervise::Deadline;
use super::unit::{Around, Unit, in_trace, outside};
use super::user_values::{UserValues, bind_test_cards, note_bindings, note_remarks, note_rows};
use super::values::location;
use against::Second;
use lambdav_engine::Shader;
use lambdav_image::file::write_atomically;
use lambdav_trace::{Against, Condition, Recorder, Trace};
use other::Other;
use std::io;
use std::iter;
use std::path::PathBuf;
use work::Work;

pub(super) fn run(options: &TraceArguments) -> Result {
    let (picture, messages) = (&options.picture, options.messages);
    let engine = options.compare.as_ref().and_then(Other::engine);
    picture.check_engine(engine)?;
    let condition = options.condition.as_deref().map(Condition::parse).transpose();
    let condition = condition.map_err(|error| Failure::usage(format!("--break: {error}")))?;
    let asked = options.x.zip(options.y).map(|(x, y)| [x, y]);
    if let Some(why) = asked.and_then(|pixel| outside(pixel, picture.size)) {
        return Err(Failure::usage(why));
    }
    let binds = Binds::read(&picture.bind)?;
    let mesh = picture.mesh();
    let other = options.compare.as_ref().and_then(Other::path);
    let read = iter::once(&options.shader).chain(&picture.uniforms).chain(binds.paths());
    let read = read.chain(mesh.as_ref().map(MeshArgument::path)).chain(other);
    let mut read: Vec<PathBuf> = read.cloned().collect();
    one_standard_input(&read)?;
    if let Some(path) = &options.html {
        check_target(path, &read)?;
    }
    let is_gpu = options.compare.as_ref().is_some_and(Other::is_gpu);
    let gpu = options.gpu.open_for("--compare gpu", is_gpu)?;
    let second = match &options.compare {
        Some(other) => Some(Second::open(other, picture.size, options.srgb, gpu.as_ref())?),
        None => None,
    };
    let deadline = Deadline::set_for("tracing", options.timeout);
    let (name, bytes) = read_bytes(&options.shader)?;
    let values = UserValues::read(&picture.set, picture.uniforms.as_ref())?;
    let mut values = values.with_binds(binds.clone()).with_module(&picture.module)?;
    if let Some(Unit::Id { .. }) = options.of {
        values = values.compute();
    }
    let mut loaded = values.compile(&options.shader, bytes, messages.max_errors)?;
    loaded.diagnostics.drop_lints();
    report(&loaded.source, &loaded.diagnostics, messages)?;
    note_remarks(&options.shader, &loaded, messages);
    read.extend_from_slice(&loaded.included);
    if let Some(path) = &options.html {
        check_not_read(path, &read)?;
    }
    let shader = Shader::of(loaded).map_err(|_| Failure::reported())?;
    note_rows(&options.shader, &shader, &binds, messages);
    picture.module.check(ProgramKind::of(&shader), &name)?;
    let mut bindings = picture.bindings(values.bindings(&shader)?)?;
    if let Some(unit) = &options.of {
        bind_zeros(&options.zeros, &mut bindings)?;
        check_defaults(&shader, &bindings, &name)?;
        note_bindings(&name, &bindings, messages);
        let around = Around {
            size: picture.size,
            output: 0,
            max_iterations: picture.max_iterations,
            groups: options.groups,
            deadline,
        };
        let mut recorder = Recorder::default();
        let traced = unit.observe(&shader, &bindings, &around, &mut None, &mut recorder);
        let traced = in_trace(traced, deadline, messages)?;
        return options.finish(&traced.trace(recorder), String::new);
    }
    let output = location(shader.outputs(), picture.output, "a trace")?;
    check_defaults(&shader, &bindings, &name)?;
    bind_test_cards(&name, &mut bindings, messages)?;
    note_bindings(&name, &bindings, messages);
    let (limit, left) = (picture.max_iterations, Some(deadline.left()));
    let tracer = shader.tracer(&bindings, picture.size, output, limit, left);
    let tracer = in_time(tracer, deadline, messages)?;
    let work = Work {
        shader: &shader,
        bindings: &bindings,
        tracer: &tracer,
        picture,
        output,
        deadline,
        messages,
    };
    let pixel = match (asked, &condition, &second) {
        (Some(pixel), ..) => pixel,
        (None, Some(condition), _) => {
            work.find(condition, options.condition.as_deref().unwrap_or_default())?
        }
        (None, None, Some(second)) => match work.first_difference(second)? {
            Some(pixel) => pixel,
            None => return options.nothing_differs(&name, second),
        },
        (None, None, None) => unreachable!("clap requires one of them"),
    };
    let (mut trace, named) = work.trace(pixel)?;
    if let Some(second) = &second {
        trace.subject.against = Some(work.against(second, pixel, &trace, &named)?);
    }
    options.finish(&trace, || page::of(&work, pixel, &trace))
}

impl TraceArguments {
    /// Prints the trace or writes the page; `with_picture` makes the page of a pixel, and an empty text says that there is no
    /// picture.
    fn finish(&self, trace: &Trace, with_picture: impl FnOnce() -> String) -> Result {
        if let Some(path) = &self.html {
            let mut page = with_picture();
            if page.is_empty() {
                page = trace.page(&lambdav_trace::Page::default());
            }
            let written = write_atomically::<io::Error>(path, |out| out.write_all(page.as_bytes()));
            written.map_err(|error| save_failure(&error))?;
        } else {
            Deadline::lift();
            print(match self.json {
                true => format!("{}\n", trace.json()),
                false => trace.text(self.all),
            })?;
        }
        match trace.subject.against.as_ref().is_none_or(Against::is_equal) {
            true => Ok(()),
            false => Err(Failure::reported()),
        }
    }

    /// All pixels are the same.
    fn nothing_differs(&self, name: &str, second: &Second) -> Result {
        let size = self.picture.size;
        if self.html.is_some() {
            let message =
                format!("no pixel of {size} differs from {}; name a pixel, X and Y", second.name());
            return Err(Failure::input(message));
        }
        print(match self.json {
            true => "null\n".to_owned(),
            false => format!("{name}: all pixels of {size} are the same: {}\n", second.name()),
        })
    }
}
