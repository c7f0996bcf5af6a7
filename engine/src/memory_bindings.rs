//! Memories in the bindings of a compute program.

use crate::bindings::Bindings;
use crate::settings::{BindError, DataRef, memory_array, memory_text, memory_words};
use lambdav_core::limits::BUFFER_WORDS;
use lambdav_core::memory_layout::MemoryLayout;
use lambdav_core::types::{MemoryKind, ResourceKind};

impl Bindings {
    /// The number and the layout of a memory that the host binds.
    pub(crate) fn memory(&self, name: &str) -> Option<(usize, &MemoryLayout)> {
        let name = self.resource_name(name);
        let all = self.program.types().resources();
        let number = all.iter().position(|resource| *resource.name == *name)?;
        Some((number, self.program.interface.resources.get(number)?.memory.as_ref()?))
    }

    /// Binds data to a memory; false if the name is none's.
    pub(crate) fn bind_memory(&mut self, name: &str, data: DataRef<'_>) -> Result<bool, BindError> {
        let Some((number, layout)) = self.memory(name) else { return Ok(false) };
        let words = memory_words(self.program.types(), name, layout, data)?;
        self.memories.set(number, words);
        Ok(true)
    }

    /// Binds zeros to a memory of a compute program, of which the array without a length has so many elements. (One with a
    /// length needs no data.)
    ///
    /// # Errors
    ///
    /// [`BindError`] if there is no such memory, or it would be too large.
    pub fn bind_zeros(&mut self, name: &str, elements: u32) -> Result<&mut Self, BindError> {
        self.check_no_result(name)?;
        let Some((number, layout)) = self.memory(name) else {
            return Err(self.no_memory(name));
        };
        let words = layout.size(elements.into());
        if words > BUFFER_WORDS.into() {
            let what = format!("buffers have at most {BUFFER_WORDS} words");
            return Err(BindError::TooMany { name: name.to_owned(), what });
        }
        self.memories.set(number, vec![0; words as usize]);
        Ok(self)
    }

    /// All words of a memory, with the gaps between its values: those that were bound, or that the last dispatch left.
    /// None if there is no such memory, or nothing is bound to it.
    pub fn words(&self, name: &str) -> Option<&[u32]> {
        let (number, _) = self.memory(name)?;
        self.memories.get(number)
    }

    /// The components of the elements of a memory whose block is one array, in order, without gaps. A num is given by its
    /// bits ([`f32::from_bits`]). None as for [`Self::words`], and if the block has other members.
    ///
    /// ```
    /// # #[cfg(feature = "foreign")] fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use lambdav_engine::{Options, Shader, ShaderOptions};
    /// let text = "@group(0) @binding(0) var<storage, read_write> points: array<vec3f>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) id: vec3u) {
    ///         points[id.x] *= 2.0;
    ///     }";
    /// let shader = Shader::with_options("double.wgsl", text, &ShaderOptions::default().compute())?;
    /// let pipeline = shader.compute_pipeline(&Options::default())?;
    /// let mut bindings = pipeline.bindings();
    /// bindings.bind("points", &[[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]][..])?;
    /// pipeline.dispatch(&mut bindings, [1, 1, 1])?;
    /// let components = bindings.components("points").expect("it was bound");
    /// let nums: Vec<f32> = components.into_iter().map(f32::from_bits).collect();
    /// assert_eq!(nums, [2.0, 4.0, 6.0, 8.0, 10.0, 12.0]);
    /// # Ok(()) }
    /// # #[cfg(not(feature = "foreign"))] fn main() {}
    /// ```
    pub fn components(&self, name: &str) -> Option<Vec<u32>> {
        let (_, layout) = self.memory(name)?;
        let words = self.words(name)?;
        let array = layout.array.as_ref().filter(|_| layout.members.is_empty())?;
        let places = (0..layout.elements(words.len())).flat_map(|index| array.of_element(index));
        Some(places.map(|place| words.get(place).copied().unwrap_or(0)).collect())
    }

    /// The values of a memory as JSON, as [`Self::bind`] takes them. None as for [`Self::words`].
    pub fn json(&self, name: &str) -> Option<String> {
        let (_, layout) = self.memory(name)?;
        Some(memory_text(self.program.types(), layout, self.words(name)?))
    }

    /// The values of a memory as the bytes of an NPY file.
    ///
    /// # Errors
    ///
    /// [`BindError`] if there is no such memory, nothing is bound to it, or its block is not one array of numbers of
    /// one type.
    pub fn npy(&self, name: &str) -> Result<Vec<u8>, BindError> {
        match (self.memory(name), self.words(name)) {
            (Some((_, layout)), Some(words)) => {
                memory_array(self.program.types(), name, layout, words)
            }
            _ => Err(self.no_memory(name)),
        }
    }

    /// Checks that a memory can be written to a file: the name, and, for an NPY file, the form of its block.
    ///
    /// # Errors
    ///
    /// As for [`Self::npy`], except that nothing need be bound.
    #[doc(hidden)]
    pub fn check_memory(&self, name: &str, is_npy: bool) -> Result<(), BindError> {
        let Some((_, layout)) = self.memory(name) else { return Err(self.no_memory(name)) };
        match is_npy {
            true => memory_array(self.program.types(), name, layout, &[]).map(drop),
            false => Ok(()),
        }
    }

    /// True for the number of a buffer that passes write.
    fn is_result(&self, number: usize) -> bool {
        let passes = self.program.core.passes.as_deref();
        passes.is_some_and(|passes| passes.result(number).is_some())
    }

    /// An error for a result: passes write it, nothing is bound to it.
    pub(crate) fn check_no_result(&self, name: &str) -> Result<(), BindError> {
        let name = self.resource_name(name);
        let mut all = self.program.types().resources().iter();
        match all.position(|of| *of.name == *name).filter(|&number| self.is_result(number)) {
            Some(_) => Err(BindError::Result { name: name.to_owned() }),
            None => Ok(()),
        }
    }

    /// The error of a name that is no memory's.
    fn no_memory(&self, name: &str) -> BindError {
        let all = self.program.types().resources().iter();
        let is_memory = |(number, kind)| {
            matches!(kind, ResourceKind::Memory(MemoryKind::Storage)) || self.is_result(number)
        };
        let names = all.enumerate().filter(|(number, of)| is_memory((*number, of.kind)));
        let names = names.map(|(_, of)| format!("`{}`", of.name));
        let names: Vec<String> = names.collect();
        let help = match names.is_empty() {
            true => "it has none".to_owned(),
            false => format!("it has {}", names.join(", ")),
        };
        BindError::NoMemory { name: name.to_owned(), help }
    }
}
