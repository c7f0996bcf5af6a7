//! Inputs of a frame: values of uniforms, textures and buffers.

mod binding;
mod buffers;
mod data;
mod error;
mod json;
mod memories;
mod names;
mod path;
mod position;
mod scalar;
mod textures;

pub(crate) use buffers::elements;
pub use data::{BindError, DataRef};
pub use error::UniformError;
pub(crate) use memories::{memory_array, memory_text, memory_words};
pub use path::{ModuleNames, Paths, Place, Target};
pub use position::TextPosition;
pub use scalar::number;
#[cfg(feature = "formats")]
pub use textures::of_file;
pub use textures::texels;

use lambdav_core::graph::{Core, Uniform};
use lambdav_core::inputs::Inputs;
use lambdav_core::interface::BuiltInPart;
use lambdav_core::limits;
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use lambdav_image::Size;
use names::with_article;
use scalar::{int, truth, uint};
use std::sync::Arc;

/// All inputs of a frame except the pixel's position.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Resolution, time, frame, mouse, uniforms, and textures and buffers, which must be bound.
    pub inputs: Inputs,
    /// Most `rec`s of a loop, each time that it is entered.
    pub max_iterations: u64,
}

impl Settings {
    /// Defaults of LANGUAGE §5 and §8 for an image of that size.
    pub fn new(core: &Core, size: Size) -> Self {
        Self::with_uniforms(&core.uniforms, size)
    }

    /// Like [`Self::new`], for a program with these uniforms.
    pub fn with_uniforms(uniforms: &[Uniform], size: Size) -> Self {
        let inputs = Inputs {
            resolution: [size.width() as f32, size.height() as f32],
            uniforms: uniforms.iter().map(|u| u.default.clone()).collect(),
            ..Inputs::default()
        };
        Self { inputs, max_iterations: limits::ITERATIONS }
    }

    /// Sets the uniform `name`, or a part of one; `types` and `uniforms` are the program's. A part is
    /// named by a path, such as `light.power` or `kernel[1]`.
    ///
    /// # Errors
    ///
    /// [`UniformError`] if there is no such uniform or part, or it has another type.
    pub fn set(
        &mut self,
        types: &Types,
        uniforms: &[Uniform],
        name: &str,
        value: impl Into<UniformValue>,
    ) -> Result<(), UniformError> {
        self.set_at(&Paths::new(types, uniforms), name, value)
    }

    /// Like [`Self::set`], with a table of the program's names.
    ///
    /// # Errors
    ///
    /// As for [`Settings::set`].
    pub fn set_at(
        &mut self,
        paths: &Paths<'_>,
        name: &str,
        value: impl Into<UniformValue>,
    ) -> Result<(), UniformError> {
        let fail = |reason| UniformError::Value { name: name.to_owned(), reason, at: None };
        match paths.find(name)? {
            Target::Place(place) => {
                let words = value.into().words(paths.types, place.ty).map_err(fail)?;
                self.words_mut(place.uniform)[place.start..][..words.len()].copy_from_slice(&words);
                Ok(())
            }
            Target::Block(_) => Err(fail("it is a block; set its members".to_owned())),
            Target::Unused => Ok(()),
        }
    }

    /// Like [`Self::set`], with the value as text: its components in order (of a matrix, by columns),
    /// separated by commas, or one for all components of a vector. Numbers are written as in λV; `1`
    /// and `0` stand for `true` and `false`, too; integers need no suffix. Text that begins with `[` or
    /// `{` is JSON: a structure is an object, whose omitted fields keep their values; an array, vector
    /// or matrix (by columns or by components) is a list.
    ///
    /// # Errors
    ///
    /// [`UniformError`] if there is no such uniform or part, or the text is no value of its type.
    pub fn set_text(
        &mut self,
        types: &Types,
        uniforms: &[Uniform],
        name: &str,
        text: &str,
    ) -> Result<(), UniformError> {
        self.set_text_at(&Paths::new(types, uniforms), name, text)
    }

    /// Like [`Self::set_text`], with a table of the program's names. A block of a module is an object
    /// of its members.
    ///
    /// # Errors
    ///
    /// As for [`Settings::set_text`].
    pub fn set_text_at(
        &mut self,
        paths: &Paths<'_>,
        name: &str,
        text: &str,
    ) -> Result<(), UniformError> {
        let fail = |(reason, at)| UniformError::Value { name: name.to_owned(), reason, at };
        match paths.find(name)? {
            Target::Place(place) => self.set_place(paths, place, text).map_err(fail),
            Target::Block(_) => self.set_each(paths, block_members(name, text)?),
            Target::Unused => Ok(()),
        }
    }

    /// Sets a part of a uniform. The error is a message, with its place in JSON text.
    fn set_place(
        &mut self,
        paths: &Paths<'_>,
        place: Place,
        text: &str,
    ) -> Result<(), (String, Option<TextPosition>)> {
        let (types, ty) = (paths.types, place.ty);
        let words = &mut self.words_mut(place.uniform)[place.start..];
        let words = &mut words[..types.components(ty)];
        if text.trim_start().starts_with(['[', '{', '"']) {
            let mut new = words.to_vec();
            let read = json::read(types, ty, text, text, paths.takes_truths, &mut new);
            read.map_err(|error| (error.message.clone(), Some(error.position(text))))?;
            words.copy_from_slice(&new);
            return Ok(());
        }
        let new = plain(types, ty, text, paths.takes_truths).map_err(|reason| (reason, None))?;
        words.copy_from_slice(&new);
        Ok(())
    }

    /// Words of a constant after setting the part at `path` from a text, as in [`Settings::set_text`].
    ///
    /// # Errors
    ///
    /// [`UniformError`] if the text is no value of its type.
    pub fn constant_words(
        types: &Types,
        constant: &Uniform,
        path: &str,
        text: &str,
    ) -> Result<Arc<[u32]>, UniformError> {
        let words = constant.default.clone();
        let inputs = Inputs { uniforms: vec![words], ..Inputs::default() };
        let mut settings = Self { inputs, max_iterations: 0 };
        let set = settings.set_text(types, std::slice::from_ref(constant), path, text);
        set.map_err(UniformError::of_constant)?;
        Ok(settings.inputs.uniforms.swap_remove(0))
    }

    /// Sets uniforms from the members of a JSON object.
    ///
    /// # Errors
    ///
    /// [`UniformError`] if the text is no object, and as for [`Settings::set_text`].
    pub fn set_all(
        &mut self,
        types: &Types,
        uniforms: &[Uniform],
        text: &str,
    ) -> Result<(), UniformError> {
        self.set_all_at(&Paths::new(types, uniforms), text)
    }

    /// Like [`Self::set_all`], with a table of the program's names.
    ///
    /// # Errors
    ///
    /// As for [`Settings::set_all`].
    pub fn set_all_at(&mut self, paths: &Paths<'_>, text: &str) -> Result<(), UniformError> {
        self.set_each(paths, members(text)?)
    }

    /// Sets uniforms from the members of a text; errors get their places in it.
    fn set_each(
        &mut self,
        paths: &Paths<'_>,
        all: Vec<SettingText<'_>>,
    ) -> Result<(), UniformError> {
        for SettingText { name, value, at } in all {
            self.set_text_at(paths, &name, value).map_err(|error| error.within(at))?;
        }
        Ok(())
    }

    /// Values of the program's uniforms, with their names and types.
    pub fn values<'a>(
        &'a self,
        uniforms: &'a [Uniform],
    ) -> impl Iterator<Item = (&'a str, Type, &'a [u32])> + Clone {
        let values = uniforms.iter().zip(&self.inputs.uniforms);
        values.map(|(uniform, words)| (uniform.name.as_str(), uniform.ty, &**words))
    }

    /// Words of a uniform for writing; copied first if shared with the program.
    fn words_mut(&mut self, uniform: usize) -> &mut [u32] {
        Arc::make_mut(&mut self.inputs.uniforms[uniform])
    }

    /// Writes the values of inputs of λV into parts of uniforms.
    pub fn write_inputs(&mut self, parts: &[BuiltInPart], date: &[f32; 4]) {
        for part in parts {
            let words = part.words(&self.inputs, date);
            self.words_mut(part.uniform)[part.start..][..words.len()].copy_from_slice(&words);
        }
    }

    pub(crate) fn at(&self, x: u32, y: u32) -> Inputs {
        self.inputs.at(x, y)
    }
}

/// A setting in a JSON text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettingText<'t> {
    /// Name or path of the uniform.
    pub name: String,
    /// Value, in the form of [`Settings::set_text`].
    pub value: &'t str,
    /// Place of the value.
    pub at: TextPosition,
}

/// Members of a JSON object.
///
/// # Errors
///
/// [`UniformError::Malformed`] if the text is no object, or has a name twice.
pub fn members(text: &str) -> Result<Vec<SettingText<'_>>, UniformError> {
    let all = json::members(text);
    let all = all.map_err(|error| UniformError::Malformed(error.told(text)))?;
    Ok(settings_of(text, all, |name| name))
}

/// Members of the object with their places, which one pass over the text finds.
fn settings_of<'t>(
    text: &'t str,
    members: Vec<json::Member<'t>>,
    name: impl Fn(String) -> String,
) -> Vec<SettingText<'t>> {
    let (mut at, mut before) = (TextPosition { line: 1, column: 1 }, 0);
    let settings = members.into_iter().map(|member| {
        let offset = member.value.as_ptr().addr() - text.as_ptr().addr();
        at = at.then(TextPosition::of(&text[before..], offset - before));
        before = offset;
        SettingText { name: name(member.name), value: member.value, at }
    });
    settings.collect()
}

/// Words of a value that is not JSON.
fn plain(types: &Types, ty: Type, text: &str, takes_truths: bool) -> Result<Box<[u32]>, String> {
    if types.structure(ty).is_some() {
        let name = types.name(ty);
        return Err(format!("a {name} is an object: `{{\"field\": value, …}}`"));
    }
    let count = types.components(ty);
    if count == 0 {
        return Err("it has no components".to_owned());
    }
    let text = match (types.kind(ty), text) {
        (TypeKind::Scalar(Scalar::I32 | Scalar::U32), "true") if takes_truths => "1",
        (TypeKind::Scalar(Scalar::I32 | Scalar::U32), "false") if takes_truths => "0",
        _ => text,
    };
    let mut value = UniformValue::parse(types.component(ty, 0), text)?;
    if let TypeKind::Vector(..) = types.kind(ty) {
        value.spread(count);
    }
    value.words(types, ty)
}

/// Values under their names as a JSON object in ASCII, as [`Settings::set_all`] reads it. Non-finite
/// numbers, which JSON lacks, are strings.
pub fn to_json<'a>(
    types: &Types,
    values: impl Iterator<Item = (&'a str, Type, &'a [u32])>,
) -> String {
    let members = values.map(|(name, ty, words)| {
        format!("{}: {}", json::quoted(name), json::write(types, ty, words))
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
}

/// Like [`to_json`]; none if longer than `most` bytes. Time and memory do not depend on larger values.
pub fn to_json_within<'a>(
    types: &Types,
    values: impl Iterator<Item = (&'a str, Type, &'a [u32])> + Clone,
    most: usize,
) -> Option<String> {
    // Each word takes at least one digit.
    let words: usize = values.clone().map(|(.., words)| words.len()).sum();
    (words <= most).then(|| to_json(types, values)).filter(|text| text.len() <= most)
}

/// Members of the block `name` of a module, by path, with values for [`Settings::set_text_at`].
///
/// # Errors
///
/// [`UniformError::Value`] if the text is no object.
pub fn block_members<'t>(name: &str, text: &'t str) -> Result<Vec<SettingText<'t>>, UniformError> {
    let fail = |reason, at| UniformError::Value { name: name.to_owned(), reason, at };
    if !text.trim_start().starts_with('{') {
        return Err(fail("a block is an object: `{\"member\": value, …}`".to_owned(), None));
    }
    let members = json::members(text);
    let members =
        members.map_err(|error| fail(error.message.clone(), Some(error.position(text))))?;
    Ok(settings_of(text, members, |member| format!("{name}.{member}")))
}

/// Mask of the words of the uniform at `index` that the given settings (names and values) set.
///
/// # Errors
///
/// As for [`Settings::set_text`].
pub fn set_words(
    paths: &Paths<'_>,
    uniform: &Uniform,
    index: usize,
    given: &[(impl AsRef<str>, &str)],
) -> Result<Vec<bool>, UniformError> {
    if given.is_empty() {
        return Ok(vec![false; uniform.default.len()]);
    }
    // A word is set if the result does not depend on its old value.
    let [zeros, ones] = [0, u32::MAX].map(|word| {
        let mut settings = Settings { inputs: Inputs::default(), max_iterations: 0 };
        settings.inputs.uniforms.resize(index, Arc::default());
        settings.inputs.uniforms.push(vec![word; uniform.default.len()].into());
        for (path, text) in given {
            settings.set_text_at(paths, path.as_ref(), text)?;
        }
        Ok(settings.inputs.uniforms.swap_remove(index))
    });
    Ok(zeros?.iter().zip(ones?.iter()).map(|(one, other)| one == other).collect())
}

/// Largest parts of a uniform (or the uniform itself) without a set word, at most `most`.
pub fn unset_parts(
    paths: &Paths<'_>,
    uniform: &Uniform,
    is_set: &[bool],
    most: usize,
) -> Vec<String> {
    path::unset_parts(paths.types, uniform.ty, &uniform.name, is_set, most)
}

/// A value for a uniform: its components in order (of a matrix, by columns).
///
/// It is made from an `f32`, an `i32`, a `u32`, a `bool`, or an array or slice of one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct UniformValue(Components);

#[derive(Clone, Debug, PartialEq)]
enum Components {
    Nums(Vec<f32>),
    Bools(Vec<bool>),
    Ints(Vec<i32>),
    Uints(Vec<u32>),
}

impl UniformValue {
    /// Parses components of that type.
    fn parse(scalar: Scalar, text: &str) -> Result<Self, String> {
        let parts = text.split(',');
        Ok(match scalar {
            Scalar::F32 => parts.map(number).collect::<Result<Vec<f32>, _>>()?.as_slice().into(),
            Scalar::Bool => parts.map(truth).collect::<Result<Vec<bool>, _>>()?.as_slice().into(),
            Scalar::I32 => parts.map(int).collect::<Result<Vec<i32>, _>>()?.as_slice().into(),
            Scalar::U32 => parts.map(uint).collect::<Result<Vec<u32>, _>>()?.as_slice().into(),
        })
    }

    /// Broadcasts one component to `count`, as the language does for a number with a vector.
    fn spread(&mut self, count: usize) {
        fn repeat<T: Copy>(all: &mut Vec<T>, count: usize) {
            if let [one] = all[..] {
                all.resize(count, one);
            }
        }
        match &mut self.0 {
            Components::Nums(all) => repeat(all, count),
            Components::Bools(all) => repeat(all, count),
            Components::Ints(all) => repeat(all, count),
            Components::Uints(all) => repeat(all, count),
        }
    }

    /// Words of a value of that type, or an error message.
    fn words(&self, types: &Types, ty: Type) -> Result<Box<[u32]>, String> {
        let (scalar, words): (_, Box<[u32]>) = match &self.0 {
            Components::Nums(nums) => (Scalar::F32, nums.iter().map(|num| num.to_bits()).collect()),
            Components::Bools(bools) => (Scalar::Bool, bools.iter().map(|&b| b.into()).collect()),
            Components::Ints(ints) => (Scalar::I32, ints.iter().map(|&int| int as u32).collect()),
            Components::Uints(uints) => (Scalar::U32, uints.as_slice().into()),
        };
        let name = with_article(&types.name(ty).to_string());
        if types.scalars(ty).any(|component| component != scalar) {
            let given = match scalar {
                Scalar::F32 => "numbers",
                Scalar::Bool => "truth values",
                Scalar::I32 => "ints",
                Scalar::U32 => "uints",
            };
            return Err(format!("it is {name}, which is not made of {given}"));
        }
        let expected = types.components(ty);
        if words.len() != expected {
            let plural = if expected == 1 { "" } else { "s" };
            return Err(format!("{name} has {expected} component{plural}, not {}", words.len()));
        }
        Ok(words)
    }
}

impl From<&[f32]> for UniformValue {
    fn from(components: &[f32]) -> Self {
        Self(Components::Nums(components.to_vec()))
    }
}

impl From<&[bool]> for UniformValue {
    fn from(components: &[bool]) -> Self {
        Self(Components::Bools(components.to_vec()))
    }
}

impl From<&[i32]> for UniformValue {
    fn from(components: &[i32]) -> Self {
        Self(Components::Ints(components.to_vec()))
    }
}

impl From<&[u32]> for UniformValue {
    fn from(components: &[u32]) -> Self {
        Self(Components::Uints(components.to_vec()))
    }
}

impl<const N: usize> From<[f32; N]> for UniformValue {
    fn from(components: [f32; N]) -> Self {
        components.as_slice().into()
    }
}

impl<const N: usize> From<[bool; N]> for UniformValue {
    fn from(components: [bool; N]) -> Self {
        components.as_slice().into()
    }
}

impl<const N: usize> From<[i32; N]> for UniformValue {
    fn from(components: [i32; N]) -> Self {
        components.as_slice().into()
    }
}

impl<const N: usize> From<[u32; N]> for UniformValue {
    fn from(components: [u32; N]) -> Self {
        components.as_slice().into()
    }
}

impl From<i32> for UniformValue {
    fn from(int: i32) -> Self {
        [int].into()
    }
}

impl From<u32> for UniformValue {
    fn from(uint: u32) -> Self {
        [uint].into()
    }
}

impl From<f32> for UniformValue {
    fn from(num: f32) -> Self {
        [num].into()
    }
}

impl From<bool> for UniformValue {
    fn from(truth: bool) -> Self {
        [truth].into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn uniforms() -> Vec<Uniform> {
        let uniform = |name: &str, ty: Type| Uniform {
            name: name.to_owned(),
            ty,
            default: vec![0; Types::default().components(ty)].into(),
        };
        let seeds = Type::of(Scalar::U32, 2);
        let mut all = vec![
            uniform("tint", Type::vec(3)),
            uniform("on", Type::BOOL),
            uniform("gain", Type::NUM),
        ];
        all.extend([uniform("count", Type::INT), uniform("seeds", seeds)]);
        all
    }

    #[test]
    fn values_fit_or_are_refused() {
        let (types, uniforms) = (Types::default(), uniforms());
        let size = Size::new(1, 1).expect("within the limits");
        let mut settings = Settings::with_uniforms(&uniforms, size);
        settings.set(&types, &uniforms, "tint", [0.5, 1.0, -0.0]).expect("three numbers");
        settings.set(&types, &uniforms, "on", true).expect("a truth value");
        settings.set_text(&types, &uniforms, "gain", "2").expect("a number");
        let bits = |num: f32| num.to_bits();
        settings.set(&types, &uniforms, "count", -3).expect("an int");
        settings.set_text(&types, &uniforms, "seeds", "0xffffffff,7u").expect("two uints");
        let mut words = vec![vec![bits(0.5), bits(1.0), bits(-0.0)], vec![1], vec![bits(2.0)]];
        words.extend([vec![0xffff_fffd], vec![u32::MAX, 7]]);
        assert!(settings.inputs.uniforms.iter().map(|w| w.to_vec()).eq(words));

        settings.set_text(&types, &uniforms, "tint", "0.25").expect("one for all");
        settings.set_text(&types, &uniforms, "seeds", "7").expect("one for all");
        settings.set_text(&types, &uniforms, "on", "0").expect("0 is false");
        assert_eq!(*settings.inputs.uniforms[0], [bits(0.25); 3]);
        assert_eq!((*settings.inputs.uniforms[4]).to_vec(), [7, 7]);
        assert_eq!(*settings.inputs.uniforms[1], [0]);
        settings.set_text(&types, &uniforms, "on", "1").expect("1 is true");
        assert_eq!(*settings.inputs.uniforms[1], [1]);
        settings.set_text(&types, &uniforms, "tint", "1,2").expect_err("neither one nor three");

        let mut refused = |name: &str, value: UniformValue, message: &str| {
            let error = settings.set(&types, &uniforms, name, value).expect_err("it does not fit");
            assert_eq!(error.to_string(), message);
        };
        refused("tnt", 1.0.into(), "the program has no uniform `tnt`; did you mean `tint`?");
        refused("tint", 1.0.into(), "uniform `tint`: a vec3 has 3 components, not 1");
        refused("gain", [1.0; 2].into(), "uniform `gain`: a num has 1 component, not 2");
        refused("on", 1.0.into(), "uniform `on`: it is a bool, which is not made of numbers");
        refused("gain", 1.into(), "uniform `gain`: it is a num, which is not made of ints");
        refused("count", 1_u32.into(), "uniform `count`: it is an int, which is not made of uints");
        refused(
            "seeds",
            [1.0; 2].into(),
            "uniform `seeds`: it is a uvec2, which is not made of numbers",
        );
        refused(
            "gain",
            true.into(),
            "uniform `gain`: it is a num, which is not made of truth values",
        );
    }

    /// Reads back everything that is written, for any names and numbers.
    #[test]
    fn json_is_read_again() {
        use lambdav_core::types::{Field, Structure};
        let mut types = Types::default();
        let array = types.add_array(Type::vec(2), 2).expect("is small");
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let fields = [field("λ", Type::NUM), field("a😀", array), field("on", Type::BOOL)];
        let light = Structure { name: "Light".into(), fields: fields.into() };
        let light = types.add_structure(light).expect("is small");
        let uniform = |name: &str, ty: Type| Uniform {
            name: name.to_owned(),
            ty,
            default: vec![0; types.components(ty)].into(),
        };
        let uniforms = [
            uniform("𝔩ight", light),
            uniform("m", Type::mat(3)),
            uniform("i", Type::of(Scalar::I32, 2)),
            uniform("u", Type::of(Scalar::U32, 1)),
        ];
        let size = Size::new(1, 1).expect("within the limits");
        let mut settings = Settings::with_uniforms(&uniforms, size);
        let mut random = 1_u32;
        for _ in 0..1000 {
            let values = uniforms.iter().zip(&mut settings.inputs.uniforms);
            for (word, scalar) in values.flat_map(|(uniform, words)| {
                Arc::make_mut(words).iter_mut().zip(types.scalars(uniform.ty)).collect::<Vec<_>>()
            }) {
                random = random.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
                *word = match scalar {
                    Scalar::Bool => random >> 31,
                    // Finite numbers only.
                    Scalar::F32 => random & 0xbfff_ffff,
                    _ => random,
                };
            }
            let text = to_json(&types, settings.values(&uniforms));
            assert!(text.is_ascii(), "{text}");
            let mut again = Settings::with_uniforms(&uniforms, size);
            again
                .set_all(&types, &uniforms, &text)
                .unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(again.inputs.uniforms, settings.inputs.uniforms, "{text}");
        }
        for (index, special) in [f32::NEG_INFINITY, f32::INFINITY, f32::NAN].into_iter().enumerate()
        {
            settings.words_mut(0)[index] = special.to_bits();
            settings.words_mut(1)[index] = special.to_bits();
        }
        let text = to_json(&types, settings.values(&uniforms));
        assert!(text.contains("[\"-inf\", \"inf\", \"NaN\"]"), "{text}");
        let mut again = Settings::with_uniforms(&uniforms, size);
        again.set_all(&types, &uniforms, &text).expect("it was written so");
        assert_eq!(again.inputs.uniforms, settings.inputs.uniforms, "{text}");
        for wrong in [r#"{"\u12": 1}"#, r#"{"\ud800": 1}"#, r#"{"\u00zz": 1}"#, r#"{"\u+075": 1}"#]
        {
            let error = settings.set_all(&types, &uniforms, wrong).expect_err(wrong);
            assert!(matches!(error, UniformError::Malformed(_)), "{error}");
        }
    }

    #[test]
    fn structures_and_arrays_are_json() {
        use lambdav_core::types::{Field, Structure};
        let mut types = Types::default();
        let array = types.add_array(Type::vec(2), 2).expect("is small");
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let fields = [field("gain", Type::NUM), field("at", array), field("n", Type::INT)];
        let light = Structure { name: "Light".into(), fields: fields.into() };
        let light = types.add_structure(light).expect("is small");
        let uniform = |name: &str, ty: Type| Uniform {
            name: name.to_owned(),
            ty,
            default: vec![7; types.components(ty)].into(),
        };
        let uniforms = [uniform("light", light), uniform("m", Type::mat(2)), uniform("a", array)];
        let size = Size::new(1, 1).expect("within the limits");
        let mut settings = Settings::with_uniforms(&uniforms, size);
        let text = r#"{"n": -3, "at": [[1, 2], [3, 16777217.0000000001]]}"#;
        settings.set_text(&types, &uniforms, "light", text).expect("an object");
        let num = |num: f32| num.to_bits();
        let words = [7, num(1.0), num(2.0), num(3.0), num(16_777_218.0), -3_i32 as u32];
        assert_eq!(*settings.inputs.uniforms[0], words);
        let all = r#" {"m": [1, 2, 3, 4], "a": [[0.5, 1], [2, 3]], "light": {}} "#;
        settings.set_all(&types, &uniforms, all).expect("an object");
        assert_eq!(*settings.inputs.uniforms[1], [1.0, 2.0, 3.0, 4.0].map(num));
        assert_eq!(*settings.inputs.uniforms[2], [0.5, 1.0, 2.0, 3.0].map(num));
        settings.set_text(&types, &uniforms, "m", "[[4, 3], [2, 1]]").expect("columns");
        assert_eq!(*settings.inputs.uniforms[1], [4.0, 3.0, 2.0, 1.0].map(num));
        for (name, text, message) in [
            ("light", "1,2", "a Light is an object: `{\"field\": value, …}`"),
            (
                "light",
                r#"{"power": 1}"#,
                "a Light has no field `power`; it has gain, at, n (line 1, column 2)",
            ),
            (
                "light",
                r#"{"gian": 1}"#,
                "a Light has no field `gian`; did you mean `gain`? (line 1, column 2)",
            ),
            ("light", "{\"gain\":\n\ttrue}", "`true` is not a number (line 2, column 2)"),
            ("light", r#"{"λ": 1, "gain" 1}"#, "expected `:` (line 1, column 17)"),
            ("light", r#"{"gain": 1"#, "EOF while parsing an object (line 1, column 10)"),
            (
                "light",
                r#"{"gain": 1, "g\u0061in": 2}"#,
                "the name `gain` is given twice (line 1, column 13)",
            ),
            ("light", "[1]", "a Light is an object, not `[1]` (line 1, column 1)"),
            ("light", r#"{"gain": [1]}"#, "a num is one value, not `[1]` (line 1, column 10)"),
            ("a", "[[1, 2]]", "(array 2 vec2) has 2 elements, not 1 (line 1, column 1)"),
            (
                "a",
                "[[1, 2], [3, 4], [5, 6]]",
                "(array 2 vec2) has 2 elements, not 3 (line 1, column 1)",
            ),
            ("a", "[[1, 2], 3, 4]", "(array 2 vec2) has 2 elements, not 3 (line 1, column 1)"),
            ("a", "[[1, 2], [3]]", "vec2 has 2 elements, not 1 (line 1, column 10)"),
            ("a", "[[1, 2], [3, 4]] 5", "trailing characters (line 1, column 18)"),
            (
                "a",
                "[[1, 2], [3, .5]]",
                "`.5` is not how JSON has numbers; write 0.5 (line 1, column 14)",
            ),
            (
                "a",
                "[[1, 2], [3, 0x1f]]",
                "`0x1f` is not how JSON has numbers; write 31 (line 1, column 14)",
            ),
            (
                "a",
                "[[1, 2], [3, 01]]",
                "`01` is not how JSON has numbers; write 1 (line 1, column 14)",
            ),
            (
                "a",
                "[[1, 2], [3, 4u]]",
                "`4u` is not how JSON has numbers; write 4 (line 1, column 14)",
            ),
            (
                "a",
                "[[1, 2], [3, 1.]]",
                "`1.` is not how JSON has numbers; write 1 (line 1, column 14)",
            ),
            (
                "a",
                "[[1, 2], [3, +1]]",
                "`+1` is not how JSON has numbers; write 1 (line 1, column 14)",
            ),
            (
                "a",
                "[[1, 2], [3, -Infinity]]",
                "`-Infinity` is not how JSON has numbers; write \"-inf\" (line 1, column 14)",
            ),
            (
                "a",
                "[[1, 2], [3, nan]]",
                "`nan` is not how JSON has numbers; write \"NaN\" (line 1, column 14)",
            ),
        ] {
            let error = settings.set_text(&types, &uniforms, name, text).expect_err(text);
            assert_eq!(error.to_string(), format!("uniform `{name}`: {message}"), "{text}");
        }
        for text in ["[]", "{", r#"{"m"}"#, r#"{"m": [1, 2}"#, "{\"m: 1}"] {
            settings.set_all(&types, &uniforms, text).expect_err(text);
        }
    }

    #[test]
    fn integers_as_text() {
        let uniforms = uniforms();
        let types = Types::default();
        let size = Size::new(1, 1).expect("within the limits");
        let mut settings = Settings::with_uniforms(&uniforms, size);
        for (text, int) in [
            ("3", 3),
            ("-7i", -7),
            ("+0x10", 16),
            ("-0b11i", -3),
            ("-2147483648", i32::MIN),
            ("2147483647", i32::MAX),
        ] {
            settings.set_text(&types, &uniforms, "count", text).expect(text);
            assert_eq!(*settings.inputs.uniforms[3], [int as u32], "{text}");
        }
        for (text, message) in [
            ("2147483648", "`2147483648` is not from -2147483648 to 2147483647"),
            ("1.5", "`1.5` is not an integer like `3`, `0x1f` or `0b101`"),
            ("3u", "`3u` is not an integer like `3`, `0x1f` or `0b101`"),
            ("", "`` is not an integer like `3`, `0x1f` or `0b101`"),
        ] {
            let error = settings.set_text(&types, &uniforms, "count", text).expect_err(text);
            assert_eq!(error.to_string(), format!("uniform `count`: {message}"));
        }
        let error = settings.set_text(&types, &uniforms, "seeds", "1,-1").expect_err("a sign");
        assert!(error.to_string().contains("`-1` is not an integer"), "{error}");
    }
}
