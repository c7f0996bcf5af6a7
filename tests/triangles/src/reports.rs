//! Scenes whose expressions meet a condition: reports of undefined behaviour, compared with the evaluations of the reference
//! rasterizer.
//!
//! Each expression `X` of a scene becomes `(at (array X) k)`, which has the bits of `X`, and whose index is outside unless it
//! is 0. The index tells vertices, instances and triangles apart. Outputs that are no finite numbers are reported, too.

use crate::engines::{Conditions, Form, bind};
use crate::picture::equal;
use crate::reference::{Fragment, Shader, Vertex, draw};
use crate::scenes::Scene;
use lambdav_engine::{Drawn, Shader as Compiled, Size, Undefined, Unit};
use std::collections::BTreeMap;

/// A line of a report: the line of the text and the operation.
type Place = (usize, &'static str);

/// The units that met a site, in their order, with the least index that was outside there.
#[derive(Debug, Default)]
struct Met {
    /// By instance and index.
    vertices: BTreeMap<[u32; 2], u32>,
    /// By row and column.
    pixels: BTreeMap<[u32; 2], u32>,
}

/// A scene and its program.
#[derive(Debug)]
pub struct ReportedScene {
    scene: Scene,
    text: String,
    /// The lines of the expressions, by their forms: `position`, `varying f0`, …; all in one line if they share a function.
    lines: BTreeMap<String, usize>,
    /// The outputs that are drawn.
    asked: Vec<u32>,
}

/// The index of the first element that is outside.
const COUNT: u32 = 1;

impl ReportedScene {
    /// The scene of a seed.
    pub fn random(seed: u64) -> Self {
        let mut scene = Scene::random(seed);
        scene.limit = None;
        let is_shared = seed.is_multiple_of(3);
        let asked: Vec<u32> = match seed % 4 {
            0 => vec![0],
            _ => (0..scene.outputs.len() as u32).collect(),
        };
        let mut text = "(define (marked x k) (at (array x) k))\n".to_owned();
        let mut lines = BTreeMap::new();
        for line in scene.lambda_v().lines() {
            let inside = line.strip_prefix('(').and_then(|line| line.strip_suffix(')'));
            let (form, rest) = inside.and_then(|all| all.split_once(' ')).expect("it is a form");
            let (name, value, index) = match form {
                "position" => (form.to_owned(), rest, "(vertex-index)".to_owned()),
                "discard-if" => (form.to_owned(), rest, "(primitive-index)".to_owned()),
                "depth" => (form.to_owned(), rest, "(+ (primitive-index) 1i)".to_owned()),
                "varying" | "output" => {
                    let (name, rest) = rest.split_once(' ').expect("it has a name");
                    let index = match form {
                        "varying" => "(instance-index)".to_owned(),
                        _ => format!("(- (primitive-index) {name}i)"),
                    };
                    (format!("{form} {name}"), rest, index)
                }
                _ => {
                    text += &format!("{line}\n");
                    continue;
                }
            };
            // The interpolation of a varying follows its value.
            let end = ["linear", "flat"].iter().find(|word| value.ends_with(&format!(" {word}")));
            let end = end.filter(|_| form == "varying").map_or("", |word| word);
            let value = value[..value.len() - end.len()].trim_end();
            let number = text.lines().count() + 1;
            lines.insert(name.clone(), if is_shared { 1 } else { number });
            text += &match is_shared {
                true => format!("({name} (marked {value} {index}) {end})\n"),
                false => format!("({name} (at (array {value}) {index}) {end})\n"),
            };
        }
        Self { scene, text, lines, asked }
    }

    /// The program.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The conditions of a seed under which reports are compared.
    pub fn conditions(&self, seed: u64) -> Vec<Conditions> {
        let all = Conditions::of(seed, &self.scene);
        all.into_iter().filter(|of| of.form == Form::Text).collect()
    }

    /// True if the fragment stage reads a varying.
    fn reads(&self, varying: usize) -> bool {
        let is_asked = |line: &&str| {
            let output = line.strip_prefix("(output ").and_then(|rest| rest.split_once(' '));
            match output {
                Some((location, _)) => self.asked.iter().any(|of| of.to_string() == location),
                None => line.starts_with("(discard-if ") || line.starts_with("(depth "),
            }
        };
        let mut lines = self.text.lines().filter(is_asked);
        lines.any(|line| line.contains(&format!("f{varying}")))
    }

    /// Draws under these conditions, and compares picture and report with the reference. Returns the number of lines.
    ///
    /// # Errors
    ///
    /// The first difference.
    pub fn check(&self, conditions: &Conditions) -> Result<usize, String> {
        let mut noted = Noted { inner: self.scene.shader(), of: self, sites: BTreeMap::new() };
        let mut wanted = match draw(&self.scene.draw_call(), &mut noted) {
            Ok(wanted) => wanted,
            Err(error) => return Err(format!("the reference stops: {error}")),
        };
        let sites = noted.sites;
        wanted.attachments =
            self.asked.iter().map(|k| wanted.attachments[*k as usize].clone()).collect();
        let (found, drawn) = self.draw(conditions).map_err(|error| error.to_string())?;
        equal(&wanted, &found).map_err(|difference| difference.to_string())?;
        compare(&sites, &drawn)?;
        Ok(drawn.undefined.len())
    }

    fn draw(
        &self,
        conditions: &Conditions,
    ) -> Result<(crate::picture::Picture, Drawn), lambdav_engine::Error> {
        let shader = Compiled::new("scene.lv", &self.text)?;
        let options = conditions.options(self.asked.clone()).report_undefined(true);
        let pipeline = shader.pipeline(&options)?;
        let mut bindings = pipeline.bindings();
        bind(&shader, &self.scene, &mut bindings)?;
        conditions.draw(&pipeline, &bindings, Size::new(self.scene.width, self.scene.height)?)
    }
}

/// The shader of a scene that notes what the program meets.
struct Noted<'a, S> {
    inner: S,
    of: &'a ReportedScene,
    sites: BTreeMap<Place, Met>,
}

impl<S> Noted<'_, S> {
    /// The units that met the condition of a form, if its index is outside.
    fn met(&mut self, form: &str, index: u32) -> Option<&mut Met> {
        let line = *self.of.lines.get(form)?;
        (index >= COUNT).then(|| self.sites.entry((line, "at")).or_default())
    }

    fn of_fragment(&mut self, form: &str, index: u32, fragment: &Fragment<'_>) {
        if let Some(met) = self.met(form, index) {
            least(&mut met.pixels, [fragment.y, fragment.x], index);
        }
    }
}

fn least(of: &mut BTreeMap<[u32; 2], u32>, unit: [u32; 2], index: u32) {
    let least = of.entry(unit).or_insert(index);
    *least = index.min(*least);
}

impl<S: Shader> Shader for Noted<'_, S> {
    type Fault = S::Fault;

    fn vertex(&mut self, index: u32, instance: u32) -> Result<Vertex, S::Fault> {
        let unit = [instance, index];
        if let Some(met) = self.met("position", index) {
            least(&mut met.vertices, unit, index);
        }
        for varying in (0..self.of.scene.varyings.len()).filter(|&k| self.of.reads(k)) {
            if let Some(met) = self.met(&format!("varying f{varying}"), instance) {
                least(&mut met.vertices, unit, instance);
            }
        }
        self.inner.vertex(index, instance)
    }

    fn discards(&mut self, fragment: &Fragment<'_>) -> Result<bool, S::Fault> {
        self.of_fragment("discard-if", fragment.primitive_index, fragment);
        self.inner.discards(fragment)
    }

    fn depth(&mut self, fragment: &Fragment<'_>) -> Result<f32, S::Fault> {
        self.of_fragment("depth", fragment.primitive_index + 1, fragment);
        self.inner.depth(fragment)
    }

    fn outputs(&mut self, fragment: &Fragment<'_>) -> Result<Vec<[f32; 4]>, S::Fault> {
        let all = self.inner.outputs(fragment)?;
        for &k in &self.of.asked {
            let form = format!("output {k}");
            self.of_fragment(&form, fragment.primitive_index.wrapping_sub(k), fragment);
            if all[k as usize].iter().any(|component| !component.is_finite()) {
                let line =
                    self.of.text.lines().position(|line| line.starts_with(&format!("({form} ")));
                let line = line.expect("it is in the text") + 1;
                let met = self.sites.entry((line, "output")).or_default();
                met.pixels.insert([fragment.y, fragment.x], 0);
            }
        }
        Ok(all)
    }
}

/// Compares a report with the sites that were met.
fn compare(sites: &BTreeMap<Place, Met>, drawn: &Drawn) -> Result<(), String> {
    let found: Vec<_> = drawn.undefined.iter().map(described).collect();
    let wanted: Vec<_> = sites
        .iter()
        .map(|(&(line, operation), met)| {
            let vertex =
                met.vertices.iter().next().map(|(&[instance, vertex], &index)| {
                    (Unit::Vertex { vertex, instance }, index)
                });
            let pixel =
                || met.pixels.iter().next().map(|(&[y, x], &index)| (Unit::Pixel([x, y]), index));
            let (first, index) = vertex.or_else(pixel).expect("a unit met it");
            let operand = (operation == "at").then(|| index.cast_signed().to_string());
            let units = (met.vertices.len() + met.pixels.len()) as u64;
            (line, operation.to_owned(), Some(first), operand, units)
        })
        .collect();
    if found != wanted {
        return Err(format!("the report is {found:#?}\nand not {wanted:#?}"));
    }
    let mut pixels: Vec<[u32; 2]> =
        sites.values().flat_map(|met| met.pixels.keys().copied()).collect();
    pixels.sort_unstable();
    pixels.dedup();
    let found: Vec<[u32; 2]> = drawn.undefined_pixels.iter().map(|[x, y]| [y, x]).collect();
    match found == pixels {
        true => Ok(()),
        false => Err(format!("the pixels are {found:?} and not {pixels:?}")),
    }
}

/// Line, operation, first unit, index that was outside, and number of units.
fn described(of: &Undefined) -> (usize, String, Option<Unit>, Option<String>, u64) {
    let operand = of.operands.first().filter(|_| of.operation == "at").cloned();
    (of.place.1 as usize, of.operation.clone(), of.first.clone(), operand, of.units)
}
