//! Values of expectations, by the engine of the run.

use super::directive::Directive;
use super::equality::{Value, difference};
use super::expectation::{Comparison, Expectation, Literal, Side};
use super::options::RunOptions;
use super::plan::Test;
use crate::engines::engine;
use crate::failure::{Failure, Result};
use crate::files::read_bytes;
use crate::render::PictureArguments;
use crate::undefined::UndefinedBehaviour;
use lambdav_core::flat::{FlatComponent, FlatType, PlacedExpression, vector_path};
use lambdav_core::limits;
use lambdav_core::types::Scalar;
use lambdav_engine::{
    AnyImage, Bindings, DispatchOptions, MemoryPartError, MemoryStep, Options, Shader, Undefined,
};
use std::cell::OnceCell;
use std::time::Instant;

/// The test whose expectations are checked.
pub(super) struct Subject<'a> {
    pub(super) test: &'a Test,
    pub(super) directive: &'a Directive,
    pub(super) run_options: &'a RunOptions,
    pub(super) until: Instant,
    /// The memories that a dispatch or the passes of the test have left.
    pub(super) memories: Option<&'a Bindings>,
    /// Draws the test's picture without quantising it. The type is that of its samples; integers are the bits of floats.
    pub(super) picture: &'a dyn Fn() -> Result<(AnyImage, Scalar)>,
    /// The undefined behaviour that the test's picture or dispatch meets.
    pub(super) undefined: &'a dyn Fn() -> Result<Vec<Undefined>>,
}

/// Results of the expectations of a test.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Messages of those that do not hold.
    pub(super) failed: Vec<String>,
    /// Messages of those that cannot be checked.
    pub(super) broken: Vec<String>,
    /// Traces of the expressions of those that do not hold.
    pub(super) traces: Vec<String>,
}

impl Findings {
    /// True if all expectations hold.
    pub(super) fn is_empty(&self) -> bool {
        self.failed.is_empty() && self.broken.is_empty()
    }
}

impl Subject<'_> {
    /// Checks all expectations.
    ///
    /// # Errors
    ///
    /// Faults of the machine, and too little time.
    pub(super) fn check(&self) -> Result<Findings> {
        let state = State { subject: self, passes: OnceCell::new(), drawn: OnceCell::new() };
        let mut findings = Findings::default();
        for expectation in &self.test.expectations {
            match state.check(expectation) {
                Ok(None) => {}
                Ok(Some(what)) if expectation.of_undefined => {
                    let place = expectation.place();
                    findings.failed.push(format!("{place}: undefined behaviour\n{what}"));
                }
                Ok(Some(what)) => {
                    let words = expectation.words.trim();
                    findings.failed.push(format!("{}: {words}: {what}", expectation.place()));
                    findings.traces.extend(state.traces(expectation));
                }
                Err(failure) if failure.status == 3 => return Err(failure),
                Err(failure) => findings.broken.push(failure.message.unwrap_or_default()),
            }
        }
        Ok(findings)
    }
}

/// The subject, and values shared by its expectations.
struct State<'a> {
    subject: &'a Subject<'a>,
    /// The results of passes; none if the program has no passes.
    passes: OnceCell<Option<Bindings>>,
    drawn: OnceCell<(AnyImage, Scalar)>,
}

impl State<'_> {
    /// The difference of the two sides, if there is one.
    fn check(&self, expectation: &Expectation) -> Result<Option<String>> {
        if expectation.of_undefined {
            let found = (self.subject.undefined)()?;
            let lines: Vec<String> =
                UndefinedBehaviour::faults(&found).map(Undefined::to_string).collect();
            return Ok((!lines.is_empty()).then(|| lines.join("\n")));
        }
        let wrong = |column: usize, message: &str| {
            Failure::input(format!("{}: {message}", expectation.at(column)))
        };
        let Comparison { sides, ulp } = expectation
            .comparison()
            .map_err(|malformed| wrong(malformed.column, &malformed.message))?;
        let literals = [0, 1].map(|k: usize| Literal::of(&sides[k].text));
        let mut values = [None, None];
        for k in (0..2).filter(|&k| literals[k].is_none()) {
            values[k] = Some(self.value(&sides[k], expectation)?);
        }
        for k in 0..2 {
            if let (Some(literal), Some(other)) = (&literals[k], &values[1 - k]) {
                let value = Value::of_literal(&sides[k].text, literal, &other.ty);
                values[k] = Some(value.map_err(|message| wrong(sides[k].column, &message))?);
            }
        }
        let [Some(left), Some(right)] = &values else { return Ok(None) };
        difference([left, right], ulp).map_err(|message| wrong(sides[0].column, &message))
    }

    /// The value of a side that is no literal.
    fn value(&self, side: &Side, expectation: &Expectation) -> Result<Value> {
        let wrong =
            |message: String| Failure::input(format!("{}: {message}", expectation.at(side.column)));
        if let Some((name, steps)) = element(&side.text)
            && let Some(part) = self.part(&name, &steps).map_err(|failure| match failure {
                Failure { status: 3, .. } => failure,
                failure => wrong(failure.message.unwrap_or_default()),
            })?
        {
            let (ty, words) = part.map_err(|error| wrong(error.to_string()))?;
            return Ok(Value { ty, words });
        }
        let pixel = pixel(&side.text);
        match (self.expression(side, expectation), pixel) {
            (Err(failure), Some(at)) if failure.status != 3 => {
                self.pixel(at, &wrong, &expectation.place())
            }
            (value, _) => value,
        }
    }

    /// A part of a buffer; `None` if the program has no such buffer.
    #[expect(clippy::type_complexity, reason = "a part, or why there is none")]
    fn part(
        &self,
        name: &str,
        steps: &[MemoryStep],
    ) -> Result<Option<std::result::Result<(FlatType, Vec<u32>), MemoryPartError>>> {
        let has = |bindings: &Bindings| bindings.check_memory(name, false).is_ok();
        if let Some(memories) = self.subject.memories {
            return Ok(has(memories).then(|| memories.memory_part(name, steps)));
        }
        if steps.is_empty() {
            return Ok(None);
        }
        if self.passes.get().is_none() {
            let passes = self.run_passes(name)?;
            let _ = self.passes.set(passes);
        }
        let results = self.passes.get().and_then(Option::as_ref).filter(|of| has(of));
        Ok(results.map(|bindings| bindings.memory_part(name, steps)))
    }

    /// The bindings after all passes; none if the program has no passes.
    ///
    /// # Errors
    ///
    /// Also for a compute program with a buffer `name`: the number of its workgroups is unknown.
    fn run_passes(&self, name: &str) -> Result<Option<Bindings>> {
        let Subject { test, directive, run_options, until, .. } = *self.subject;
        let (_, values) = run_options.settings(directive, &test.program)?;
        let values = values.compute();
        let (_, bytes) = read_bytes(&test.program)?;
        let loaded = values.compile(&test.program, bytes, limits::ERRORS)?;
        // A program without an output, for example. Its functions can be called.
        let Ok(shader) = Shader::of(loaded) else { return Ok(None) };
        if shader.workgroup().is_some() && shader.bindings().check_memory(name, false).is_ok() {
            let what =
                format!("`{name}` is a buffer of a compute program, which runs in workgroups");
            let help = "write a `test:` with --groups above the expectation";
            return Err(Failure::input(format!("{what}; {help}")));
        }
        if !shader.has_passes() {
            return Ok(None);
        }
        let engine = run_options.compute_engine(false).ok_or_else(|| {
            Failure::input("passes are run by the engines simd, core, spirv and source")
        })?;
        let failed = |error| run_options.failed(error);
        let iterations = directive.picture.max_iterations;
        let options = Options::default().engine(engine).max_iterations(iterations);
        let mut bindings = values.bindings(&shader)?;
        let pipeline = shader.pass_pipeline(&options).map_err(failed)?;
        let left = until.saturating_duration_since(Instant::now());
        let limit = DispatchOptions::default().timeout(left);
        pipeline.run_with(&mut bindings, &limit).map_err(failed)?;
        Ok(Some(bindings))
    }

    /// A pixel of the picture.
    fn pixel(
        &self,
        [x, y]: [u32; 2],
        wrong: &dyn Fn(String) -> Failure,
        place: &str,
    ) -> Result<Value> {
        if self.subject.directive.groups.is_some() {
            return Err(wrong("a compute program draws no picture".to_owned()));
        }
        if self.drawn.get().is_none() {
            let drawn =
                (self.subject.picture)().map_err(|failure| at_expectation(place, failure))?;
            let _ = self.drawn.set(drawn);
        }
        let Some(&(AnyImage::Float(ref frame), scalar)) = self.drawn.get() else {
            return Err(Failure::machine("the picture is not of floats"));
        };
        let Some(pixel) = frame.pixel(x, y) else {
            let size = frame.size();
            return Err(wrong(format!("the pixel ({x}, {y}) is outside the picture of {size}")));
        };
        let component = |k| FlatComponent { path: vector_path(k), scalar };
        let components = (0..4).map(component).collect();
        let ty = FlatType { name: "pixel".to_owned(), components };
        Ok(Value { ty, words: pixel.map(f32::to_bits).to_vec() })
    }

    /// The traces of the expressions of an expectation that was checked.
    fn traces(&self, expectation: &Expectation) -> Vec<String> {
        let sides = expectation.comparison().map(|of| of.sides.to_vec()).unwrap_or_default();
        let expressions = sides.iter().filter(|side| Literal::of(&side.text).is_none());
        let traced = expressions.filter_map(|side| {
            let Compiled { shader, bindings, picture, .. } =
                self.compiled(side, expectation).ok()?;
            let cancelled = || Instant::now() >= self.subject.until;
            let limit = picture.max_iterations;
            let trace = shader.trace_expression(&bindings, picture.size, limit, &cancelled).ok()?;
            (trace.events() > 0).then(|| trace.text(false))
        });
        traced.collect()
    }

    /// The program of an expression in the program's language.
    fn compiled(&self, side: &Side, expectation: &Expectation) -> Result<Compiled> {
        let Subject { test, directive, run_options, .. } = *self.subject;
        let file = expectation.file.display().to_string();
        let placed = PlacedExpression::new(&file, expectation.line, side.column, &side.text);
        let (picture, values) = run_options.settings(directive, &test.program)?;
        let values = if directive.groups.is_some() { values.compute() } else { values };
        let values = values.expressing(placed);
        let (_, bytes) = read_bytes(&test.program)?;
        let loaded = values.compile(&test.program, bytes, limits::ERRORS)?;
        let is_text = loaded.module.as_ref().is_none_or(|module| module.is_foreign);
        let has_words = loaded.module.as_ref().is_some_and(|module| !module.words.is_empty());
        if loaded.is_core_text || !is_text && has_words {
            let what = "core text and SPIR-V have no expressions";
            let help = "compare numbers, elements of buffers, NAME[i], and pixels, pixel(X,Y)";
            let at = expectation.at(side.column);
            return Err(Failure::input(format!("{at}: {what}; {help}")));
        }
        let place = expectation.place();
        let shader =
            Shader::of(loaded).map_err(|found| Failure::input(format!("{place}: {found}")))?;
        let Some(ty) = shader.expression().cloned() else {
            return Err(Failure::machine("the expression was not compiled"));
        };
        let mut bindings = values.known_to(&shader).bindings(&shader)?;
        bindings.time(picture.time).frame(picture.frame);
        bindings.mouse(picture.mouse.unwrap_or_default()).date(picture.date.unwrap_or_default());
        Ok(Compiled { shader, bindings, picture, ty })
    }

    /// The value of an expression in the program's language.
    fn expression(&self, side: &Side, expectation: &Expectation) -> Result<Value> {
        let Subject { run_options, until, .. } = *self.subject;
        let Compiled { shader, bindings, picture, ty } = self.compiled(side, expectation)?;
        let place = expectation.place();
        let options = Options::default()
            .engine(engine(run_options.engine, run_options.gpu.as_ref()))
            .max_iterations(picture.max_iterations);
        let left = Some(until.saturating_duration_since(Instant::now()));
        let words = shader.evaluate_expression(&options, &bindings, picture.size, left);
        let failed = |error| at_expectation(&place, run_options.failed(error));
        match words.map_err(failed)? {
            Some(words) => Ok(Value { ty, words }),
            None => {
                let at = expectation.at(side.column);
                Err(Failure::input(format!("{at}: the expression discards its pixel")))
            }
        }
    }
}

/// An expression as a program.
struct Compiled {
    shader: Shader,
    bindings: Bindings,
    picture: PictureArguments,
    ty: FlatType,
}

/// A failure of a program, with the place of the expectation.
fn at_expectation(place: &str, Failure { status, message }: Failure) -> Failure {
    let message = match status {
        3 => message,
        _ => message.map(|message| format!("{place}: {message}")),
    };
    Failure { status, message }
}

/// `pixel(X,Y)` with numbers.
fn pixel(text: &str) -> Option<[u32; 2]> {
    let inside = text.strip_prefix("pixel")?.trim_start().strip_prefix('(')?.strip_suffix(')')?;
    let (x, y) = inside.split_once(',')?;
    Some([x.trim().parse().ok()?, y.trim().parse().ok()?])
}

/// A name with steps behind it: `NAME[1].field`.
fn element(text: &str) -> Option<(String, Vec<MemoryStep>)> {
    let end = text.find(['[', '.']).unwrap_or(text.len());
    let (name, mut rest) = text.split_at(end);
    let is_part = |c: char| !c.is_whitespace() && !"()[]{}\"';,".contains(c);
    if name.is_empty()
        || name.starts_with(|c: char| c.is_ascii_digit())
        || !name.chars().all(is_part)
    {
        return None;
    }
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if let Some(inside) = rest.strip_prefix('[') {
            let (index, behind) = inside.split_once(']')?;
            steps.push(MemoryStep::Index(index.trim().parse().ok()?));
            rest = behind;
        } else {
            let field = rest.strip_prefix('.')?;
            let end = field.find(['[', '.']).unwrap_or(field.len());
            let (field, behind) = field.split_at(end);
            let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
            if field.is_empty() || !field.chars().all(is_word) {
                return None;
            }
            steps.push(MemoryStep::Field(field.to_owned()));
            rest = behind;
        }
    }
    Some((name.to_owned(), steps))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pixels_and_elements_have_a_form() {
        assert_eq!(pixel("pixel(3, 4)"), Some([3, 4]));
        assert_eq!(
            ["pixel(3)", "pixel(x, 1)", "pixels(1, 2)", "pixel(1, 2).x"].map(pixel),
            [None; 4]
        );
        let field = |name: &str| MemoryStep::Field(name.to_owned());
        let index = MemoryStep::Index;
        let steps = element;
        let found = steps("points[3].position[1]").expect("an element");
        assert_eq!(found, ("points".to_owned(), vec![index(3), field("position"), index(1)]));
        assert_eq!(steps("header.count").expect("a member").1, [field("count")]);
        assert_eq!(steps("total"), Some(("total".to_owned(), Vec::new())));
        for none in ["f(1)[2]", "a[i]", "a[1", "(at a 1)", "1.5", "a b[1]", "a[1] + 2", "a.x(1)"] {
            assert_eq!(element(none), None, "{none}");
        }
    }
}
