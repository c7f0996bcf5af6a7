//! Comparison of reports of undefined behaviour with the evaluator.
//!
//! The evaluator says what each pixel meets. A report has a line for each place of the text; the evaluator knows no places, so
//! lines of one operation and condition are compared together.

use crate::compare::{Mismatch, SIZE, values};
use crate::compiler::{CompileError, Compiler};
use crate::dialect::Dialect;
use crate::evaluate::{Condition, Origin, Pixel, UNWRITTEN, pixels};
use crate::print::print;
use crate::program::Program;
use lambdav_engine::{Drawn, Engine, Frame, Options, RenderOptions, Shader, Size, Undefined, Unit};
use std::collections::BTreeMap;

/// For each operation and condition the pixels that meet it, in scan order.
fn expected(all: &[Pixel]) -> BTreeMap<Condition, Vec<[u32; 2]>> {
    let mut found: BTreeMap<Condition, Vec<[u32; 2]>> = BTreeMap::new();
    for (k, pixel) in (0..).zip(all) {
        for condition in &pixel.met {
            found.entry(*condition).or_default().push([k % SIZE, k / SIZE]);
        }
    }
    found
}

fn draw(
    shader: &Shader,
    engine: &Engine,
    uniforms: &[(String, String)],
) -> Result<(Drawn, Frame), String> {
    let size = Size::new(SIZE, SIZE).map_err(|error| error.to_string())?;
    let options = Options::default().engine(engine.clone()).report_undefined(true);
    let pipeline = shader.pipeline(&options).map_err(|error| error.to_string())?;
    let mut bindings = pipeline.bindings();
    for (name, value) in uniforms {
        bindings.set_text(name, value).map_err(|error| error.to_string())?;
    }
    let mut frame = Frame::zeros(size).map_err(|error| error.to_string())?;
    let drawn = pipeline.render_with(&bindings, &mut frame, &RenderOptions::default());
    Ok((drawn.map_err(|error| error.to_string())?, frame))
}

/// Compares the reports of these engines with the evaluator's. Returns the number of lines.
///
/// # Errors
///
/// The first mismatch.
pub fn compare_reports(program: &Program, engines: &[Engine]) -> Result<usize, Mismatch> {
    let origin = match program.dialect {
        Dialect::Vulkan => Origin::UpperLeft,
        _ => Origin::LowerLeft,
    };
    let all = pixels(program, SIZE, SIZE, origin).map_err(Mismatch::Evaluator)?;
    let text = print(program, Compiler::Own.style(program.dialect));
    let shader = Shader::new("program.frag", &text);
    let shader = shader.map_err(|error| CompileError::NotRaised(error.to_string()))?;
    compare_reports_of(&shader, &values(program), &all, engines)
}

/// Compares the reports of a shader's pictures with the expected pixels. Returns the number of lines.
///
/// # Errors
///
/// The first mismatch.
pub fn compare_reports_of(
    shader: &Shader,
    uniforms: &[(String, String)],
    all: &[Pixel],
    engines: &[Engine],
) -> Result<usize, Mismatch> {
    let expected = expected(all);
    let mut first: Option<Vec<Undefined>> = None;
    for engine in engines {
        let differs = |message: String| {
            let engine = engine.clone();
            Err(Mismatch::Report { engine, message })
        };
        let (drawn, frame) = match draw(shader, engine, uniforms) {
            Ok(drawn) => drawn,
            Err(message) => {
                let engine = engine.clone();
                return Err(match message.contains("LV0502") || message.contains("LV0503") {
                    true => Mismatch::Limit { engine, message },
                    false => Mismatch::Engine { engine, message },
                });
            }
        };
        let words = frame.pixels().iter().map(|pixel| pixel.map(f32::to_bits));
        if words.ne(all.iter().map(|pixel| pixel.words)) {
            return differs("reports change the picture".to_owned());
        }
        let mut lines: BTreeMap<(&str, &str), Vec<&Undefined>> = BTreeMap::new();
        for line in &drawn.undefined {
            // An unwritten output is called by its name.
            let operation = match line.condition == UNWRITTEN.1 {
                true => UNWRITTEN.0,
                false => &line.operation,
            };
            lines.entry((operation, line.condition)).or_default().push(line);
        }
        let keys = |all: Vec<(&str, &str)>| format!("{all:?}");
        let [found, wanted] =
            [keys(lines.keys().copied().collect()), keys(expected.keys().copied().collect())];
        if found != wanted {
            return differs(format!("{found} and not {wanted}: {:#?}", drawn.undefined));
        }
        for (key, lines) in lines {
            let pixels = &expected[&key];
            let firsts = lines.iter().filter_map(|line| match line.first {
                Some(Unit::Pixel([x, y])) => Some([y, x]),
                _ => None,
            });
            let [y, x] = firsts.min().expect("a line has a pixel");
            let units = lines.iter().map(|line| line.units);
            let (most, sum) = (units.clone().max().unwrap_or(0), units.sum());
            let count = pixels.len() as u64;
            if [x, y] != pixels[0] || !(most..=sum).contains(&count) {
                let first = pixels[0];
                return differs(format!("{key:?}, {first:?}, {count} pixels: {lines:#?}"));
            }
        }
        let met = (0..).zip(all).filter(|(_, pixel)| !pixel.met.is_empty());
        let met: Vec<[u32; 2]> = met.map(|(k, _)| [k % SIZE, k / SIZE]).collect();
        if !drawn.undefined_pixels.iter().eq(met.iter().copied()) {
            return differs(format!("pixels {:?} and not {met:?}", drawn.undefined_pixels));
        }
        match &first {
            Some(first) if *first != drawn.undefined => {
                return differs(format!("{:#?} and not {first:#?}", drawn.undefined));
            }
            Some(_) => {}
            None => first = Some(drawn.undefined),
        }
    }
    Ok(first.map_or(0, |lines| lines.len()))
}
