//! Passes, id by id (LANGUAGE §18).
//!
//! The operands of each write are reduced like any term of the text. Buffers that the pass writes are copies, so all terms see
//! the elements from before the pass. The meaning of the writes is spelt out here, independently of the core's memories.

use super::fault::{Limits, SourceFault};
use super::observer::{Observer, SourceValue, seen};
use super::operate::Data;
use super::program::{Length, SourcePass, SourceProgram, SourceWrite, StageValues, Whole};
use super::term::Part;
use super::text::TextId;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::{Combine, StageInput, Way};
use lambdav_core::inputs::Inputs;
use lambdav_core::passes::{Ids, WrittenTwice};
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::source::Span;
use lambdav_core::types::{ResourceKind, Scalar, Type};
use rustc_hash::FxHashMap;

/// The cause of missing results.
#[derive(Debug)]
pub enum PassFault {
    /// A term has no value.
    Value {
        /// The cause.
        fault: SourceFault,
        /// Names the id.
        note: Option<String>,
    },
    /// The program is at fault.
    Program(Box<Diagnostic>),
}

impl From<SourceFault> for PassFault {
    fn from(fault: SourceFault) -> Self {
        Self::Value { fault, note: None }
    }
}

/// The id of a pass as the input of its terms.
struct Id(Vec<u32>);

impl StageValues for Id {
    fn value(&self, input: StageInput) -> Option<(Type, Box<[u32]>)> {
        let ty = Type::of(Scalar::I32, self.0.len() as u8);
        matches!(input, StageInput::Id(_)).then(|| (ty, self.0.as_slice().into()))
    }
}

/// The elements of a buffer while a pass writes them.
struct Elements {
    width: usize,
    words: Vec<u32>,
    scalars: Vec<Scalar>,
    /// For each element that was written: the last id, and true if some write was `unique`.
    writers: FxHashMap<usize, (u32, bool)>,
    /// The number of appended elements.
    count: u32,
}

impl Elements {
    fn element(&mut self, index: usize) -> Option<&mut [u32]> {
        let first = index.checked_mul(self.width)?;
        self.words.get_mut(first..)?.get_mut(..self.width)
    }
}

impl SourceProgram {
    /// Sets all results to zeros, then runs all passes; `inputs` has the data of all other resources. Afterwards it has
    /// that of results, too.
    ///
    /// # Errors
    ///
    /// The first fault, in the order of passes and ids.
    pub fn run_passes(
        &self,
        inputs: &mut Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), PassFault> {
        self.run_first(self.passes.len(), inputs, limits, cancelled)
    }

    /// Sets all results to zeros, then runs so many passes.
    fn run_first(
        &self,
        count: usize,
        inputs: &mut Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), PassFault> {
        inputs.resources.resize(self.types.resources().len(), Bound::Nothing);
        for result in &self.results {
            let count = match result.length {
                Length::Token(count) => count as usize,
                Length::Of(buffer) => inputs.resources[buffer].buffer().map_or(0, |of| of.len()),
                Length::Text(text) => {
                    let data = self.term(text, inputs, &(), limits, cancelled, &mut ())?;
                    match (data.ty, data.words.first()) {
                        (Type::NUM, Some(&word)) => f32::from_bits(word) as usize,
                        (_, word) => word.copied().unwrap_or(0) as usize,
                    }
                }
            };
            let element = self.element_type(result.resource);
            let zeros = |element, count| {
                let data = BufferData::zeros(&self.types, element, count);
                let what = "a result of that length";
                data.map(|data| Bound::Buffer(data.into()))
                    .map_err(|_| SourceFault::Unexpected(result.span, what))
            };
            inputs.resources[result.resource] = zeros(element, count)?;
            if let Some(counter) = result.counter {
                inputs.resources[counter] = zeros(Type::UINT, 1)?;
            }
        }
        let mut passes = self.passes[..count].iter();
        passes.try_for_each(|pass| self.run_pass(pass, inputs, limits, cancelled))
    }

    fn element_type(&self, resource: usize) -> Type {
        match self.types.resources()[resource].kind {
            ResourceKind::Buffer(element) => element,
            _ => Type::UINT,
        }
    }

    /// The value of a term that is data.
    fn term<O: Observer>(
        &self,
        text: TextId,
        inputs: &Inputs,
        stage: &dyn StageValues,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Data, SourceFault> {
        match self.reduce(text, inputs, stage, limits, cancelled, observer)? {
            Part::Data(data) => Ok(data),
            _ => Err(SourceFault::Unexpected(self.texts.get(text).span, "not a number")),
        }
    }

    /// A number of ids, or an index: any integer.
    fn whole<O: Observer>(
        &self,
        whole: Whole,
        inputs: &Inputs,
        stage: &dyn StageValues,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<i64, SourceFault> {
        let text = match whole {
            Whole::Token(digits) => return Ok(digits.into()),
            Whole::Text(text) => text,
        };
        let data = self.term(text, inputs, stage, limits, cancelled, observer)?;
        match data.ty {
            Type::INT => Ok((data.words[0] as i32).into()),
            Type::UINT => Ok(data.words[0].into()),
            _ => Err(SourceFault::Unexpected(self.texts.get(text).span, "not an integer")),
        }
    }

    /// The numbers of a pass's ids.
    fn ids(
        &self,
        pass: &SourcePass,
        inputs: &Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Ids, PassFault> {
        let mut ids = Ids { counts: [1; 3], axes: pass.size.len() };
        for (count, &size) in ids.counts.iter_mut().zip(&pass.size) {
            let size = self.whole(size, inputs, &(), limits, cancelled, &mut ());
            let size = size.map_err(|fault| PassFault::Value {
                fault,
                note: Some(format!("in the size of the pass `{}`", pass.name)),
            })?;
            *count = size.max(0) as u32;
        }
        if let Some(found) = ids.too_many(&pass.name, pass.span) {
            return Err(PassFault::Program(found.into()));
        }
        Ok(ids)
    }

    fn run_pass(
        &self,
        pass: &SourcePass,
        inputs: &mut Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), PassFault> {
        let ids = self.ids(pass, inputs, limits, cancelled)?;
        let mut open: FxHashMap<usize, Elements> = FxHashMap::default();
        for resource in pass.writes.iter().map(|write| write.resource) {
            let data = inputs.resources[resource].buffer();
            let data = data.ok_or(SourceFault::Unexpected(pass.span, "a result without data"))?;
            let counter = self.results.iter().find(|of| of.resource == resource);
            let counter = counter.and_then(|of| inputs.resources[of.counter?].buffer());
            let element = self.element_type(resource);
            open.entry(resource).or_insert_with(|| Elements {
                width: data.words().len() / data.len(),
                words: data.words().to_vec(),
                scalars: self.types.scalars(element).collect(),
                writers: FxHashMap::default(),
                count: counter.map_or(0, |data| data.words()[0]),
            });
        }
        let mut twice: Option<(WrittenTwice, usize)> = None;
        let total = ids.total() as u32;
        for index in 0..total {
            let at = ids.coordinates(index);
            let stage = Id(at[..ids.axes].to_vec());
            for (number, write) in (0..).zip(&pass.writes) {
                let found = self.operands(write, inputs, &stage, limits, cancelled);
                let found = found.map_err(|fault| PassFault::Value {
                    fault,
                    note: Some(ids.first(&pass.name, at)),
                })?;
                let Some((place, words)) = found else { continue };
                let elements = open.get_mut(&write.resource).expect("it is open");
                if let Some((before, element)) = apply(write.way, elements, place, &words, index) {
                    let element = element as u32;
                    let found = WrittenTwice { again: index, write: number, before, element };
                    twice.get_or_insert((found, write.resource));
                }
            }
        }
        if let Some((found, resource)) = twice {
            let name = &self.types.resources()[resource].name;
            let span = pass.writes[found.write as usize].span;
            return Err(PassFault::Program(ids.twice(name, span, &found).into()));
        }
        for (resource, elements) in open {
            let element = self.element_type(resource);
            let data = BufferData::new(&self.types, element, elements.words);
            let data = data.map_err(|_| SourceFault::Unexpected(pass.span, "no elements"))?;
            inputs.resources[resource] = Bound::Buffer(data.into());
            let counter = self.results.iter().find(|of| of.resource == resource);
            if let Some(counter) = counter.and_then(|of| of.counter) {
                let data = BufferData::new(&self.types, Type::UINT, vec![elements.count]);
                inputs.resources[counter] = Bound::Buffer(data.expect("it is one word").into());
            }
        }
        Ok(())
    }

    /// The index and the words that a write has at an id; none where its condition is false.
    fn operands(
        &self,
        write: &SourceWrite,
        inputs: &Inputs,
        stage: &dyn StageValues,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Option<(i64, Vec<u32>)>, SourceFault> {
        let found = self.parts(write, inputs, stage, limits, cancelled, &mut ())?;
        let Some((place, value)) = found else { return Ok(None) };
        let mut words = Vec::new();
        let shape = self.elements[write.resource].as_ref();
        let fits = shape.and_then(|shape| shape.words(&value, &mut words));
        let span = self.texts.get(write.value).span;
        fits.ok_or(SourceFault::Unexpected(span, "an element of another type"))?;
        Ok(Some((place, words)))
    }
}

/// A write of an observed id.
#[derive(Clone, Debug, PartialEq)]
pub struct ObservedWrite {
    /// Number of the buffer among the resources.
    pub resource: usize,
    /// The write in the text.
    pub span: Span,
    /// True if its form names an index.
    pub has_index: bool,
    /// Index and value; none if the condition is false. An appended element has the index 0.
    pub written: Option<(i64, SourceValue)>,
}

impl SourceProgram {
    /// Names and spans of the passes, in order.
    pub fn passes(&self) -> impl Iterator<Item = (&str, Span)> {
        self.passes.iter().map(|pass| (pass.name.as_str(), pass.span))
    }

    /// The index and the value that a write has at an id; none where its condition is false.
    fn parts<O: Observer>(
        &self,
        write: &SourceWrite,
        inputs: &Inputs,
        stage: &dyn StageValues,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Option<(i64, Part)>, SourceFault> {
        if let Some(condition) = write.condition {
            let data = self.term(condition, inputs, stage, limits, cancelled, observer)?;
            if data.words[0] == 0 {
                return Ok(None);
            }
        }
        let place = match write.index {
            Some(index) => self.whole(index, inputs, stage, limits, cancelled, observer)?,
            None => 0,
        };
        let value = self.reduce(write.value, inputs, stage, limits, cancelled, observer)?;
        Ok(Some((place, value)))
    }

    /// Runs the passes before one of them, by its index. Returns the number of its ids.
    ///
    /// # Errors
    ///
    /// As for [`Self::run_passes`].
    pub fn run_passes_before(
        &self,
        number: usize,
        inputs: &mut Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Ids, PassFault> {
        self.run_first(number, inputs, limits, cancelled)?;
        self.ids(&self.passes[number], inputs, limits, cancelled)
    }

    /// Evaluates the writes of an id with an observer; `inputs` are those that [`Self::run_passes_before`] leaves.
    ///
    /// # Errors
    ///
    /// The first fault.
    pub fn observe_id<O: Observer>(
        &self,
        number: usize,
        id: [u32; 3],
        inputs: &Inputs,
        limits: Limits,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Vec<ObservedWrite>, SourceFault> {
        let pass = &self.passes[number];
        let stage = Id(id[..pass.size.len()].to_vec());
        let mut writes = Vec::new();
        for write in &pass.writes {
            let found = self.parts(write, inputs, &stage, limits, cancelled, observer)?;
            let written = found.and_then(|(place, value)| Some((place, seen(&value)?)));
            let SourceWrite { resource, span, .. } = *write;
            writes.push(ObservedWrite {
                resource,
                span,
                has_index: write.index.is_some(),
                written,
            });
        }
        Ok(writes)
    }
}

/// Makes a write. Returns the id that wrote there before and the index of the element, if that is an error.
fn apply(
    way: Way,
    elements: &mut Elements,
    place: i64,
    words: &[u32],
    id: u32,
) -> Option<(u32, usize)> {
    let place = match way {
        Way::Append => {
            elements.count = elements.count.wrapping_add(1);
            i64::from(elements.count.wrapping_sub(1))
        }
        _ => place,
    };
    let index = usize::try_from(place).ok()?;
    let scalars = elements.scalars.clone();
    let element = elements.element(index)?;
    match way {
        Way::Combine(combine) => {
            for ((word, &value), scalar) in element.iter_mut().zip(words).zip(scalars) {
                *word = combined(combine, scalar, *word, value);
            }
            None
        }
        Way::Append => {
            element.copy_from_slice(words);
            None
        }
        Way::Scatter | Way::Unique => {
            element.copy_from_slice(words);
            let is_unique = way == Way::Unique;
            let before = elements.writers.insert(index, (id, is_unique));
            before.filter(|(_, was_unique)| is_unique || *was_unique).map(|(id, _)| (id, index))
        }
    }
}

/// A component combined with a value.
fn combined(combine: Combine, scalar: Scalar, old: u32, value: u32) -> u32 {
    let (old_num, value_num) = (f32::from_bits(old), f32::from_bits(value));
    let is_below = |a: u32, b: u32| match scalar {
        Scalar::F32 => {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            // −0 is below +0.
            a < b || (a == b && a.is_sign_negative() && b.is_sign_positive())
        }
        Scalar::I32 => (a as i32) < b as i32,
        Scalar::U32 | Scalar::Bool => a < b,
    };
    let has_nan = scalar == Scalar::F32 && (old_num.is_nan() || value_num.is_nan());
    match combine {
        Combine::Add => old.wrapping_add(value),
        Combine::And => old & value,
        Combine::Or => old | value,
        Combine::Xor => old ^ value,
        Combine::Min | Combine::Max if has_nan => old,
        Combine::Min if is_below(value, old) => value,
        Combine::Max if is_below(old, value) => value,
        Combine::Min | Combine::Max => old,
    }
}
