//! Calls of a register program's functions, for compiled code and the interpreter alike.

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_core::evaluate::Memory;
use lambdav_core::resource::Bound;

use super::{POLL_ROUNDS, Shape, Status};
use crate::lanes::{Column, Descriptors, Items, Memories, Mismatch, Resource, Space};
use crate::mutants::{Mutant, is_active};

/// The inputs of a frame: words, and the data of resources.
///
/// *The descriptors among the words match the data.* Only [`Self::new`], [`Self::set_resource`] and
/// [`Self::set_memory`] write them; compiled code relies on them for its accesses.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// One word for each of the program's inputs ([`InputWord`](crate::lanes::InputWord)).
    words: Vec<u32>,
    descriptors: Descriptors,
    data: Vec<Bound>,
    /// The address of the first word of each resource, valid as long as `data` lives.
    addresses: Vec<u64>,
    max_iterations: u64,
}

fn address(resource: &Resource, data: &Bound) -> u64 {
    resource.words_of(data).as_ptr().expose_provenance() as u64
}

impl Inputs {
    /// Inputs for a program with these resources. The words of descriptors in `words` are
    /// overwritten. `max_iterations`: the number of `rec`s that each entry of a loop may execute.
    ///
    /// # Errors
    ///
    /// If data is missing, of another format, or of other sizes than those baked into the code.
    ///
    /// # Panics
    ///
    /// If there are fewer words than the program has.
    pub fn new(
        mut words: Vec<u32>,
        descriptors: &Descriptors,
        data: Vec<Bound>,
        max_iterations: u64,
    ) -> Result<Self, Mismatch> {
        descriptors.describe_all(&data, &mut words)?;
        let all = descriptors.0.iter().zip(&data);
        let addresses = all.map(|(resource, data)| address(resource, data)).collect();
        let descriptors = descriptors.clone();
        Ok(Self { words, descriptors, data, addresses, max_iterations })
    }

    /// The inputs of a program without resources.
    pub fn of_words(words: Vec<u32>, max_iterations: u64) -> Self {
        let (descriptors, data, addresses) = (Descriptors::default(), Vec::new(), Vec::new());
        Self { words, descriptors, data, addresses, max_iterations }
    }

    /// One word for each of the program's inputs.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The data of resources.
    pub fn data(&self) -> &[Bound] {
        &self.data
    }

    /// The words of each resource, in the order of memory.
    pub fn words_of_resources(&self) -> impl Iterator<Item = &[u32]> {
        let all = self.descriptors.0.iter().zip(&self.data);
        all.map(|(resource, data)| resource.words_of(data))
    }

    /// The formats of resources, and the positions of their sizes among the words.
    pub fn descriptors(&self) -> &Descriptors {
        &self.descriptors
    }

    /// The number of `rec`s that each entry of a loop may execute.
    pub fn max_iterations(&self) -> u64 {
        self.max_iterations
    }

    /// The address of the first word of each resource.
    pub(crate) fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Overwrites words from `first` on.
    ///
    /// # Panics
    ///
    /// If a word does not exist or belongs to a descriptor.
    pub fn set_words(&mut self, first: usize, words: &[u32]) {
        let mut all = first..first + words.len();
        assert!(
            !all.any(|word| self.descriptors.contain(word as u32)),
            "the host makes descriptors"
        );
        self.words[first..][..words.len()].copy_from_slice(words);
    }

    /// Replaces the data of a resource.
    ///
    /// # Errors
    ///
    /// If it is of another format, or of other sizes than those baked into the code. Then it
    /// changes nothing.
    pub(crate) fn set_resource(&mut self, number: usize, data: Bound) -> Result<(), Mismatch> {
        if !is_active(Mutant::StaleExtent) {
            self.descriptors.describe(number, &data, &mut self.words)?;
        }
        self.addresses[number] = address(&self.descriptors.0[number], &data);
        self.data[number] = data;
        Ok(())
    }

    /// Sets the sizes of all memories.
    ///
    /// # Errors
    ///
    /// If a memory has too many words, or a variable of workgroups another number than it declares.
    ///
    /// # Panics
    ///
    /// If `memory` is for another program.
    pub(crate) fn set_memory(&mut self, memory: &Memory) -> Result<(), Mismatch> {
        for number in self.descriptors.memories() {
            let count = memory.words(number).len();
            self.descriptors.describe_memory(number, count, &mut self.words)?;
        }
        Ok(())
    }

    /// True if all memories have the sizes that the words say.
    pub fn are_for(&self, memories: &Memories<'_>) -> bool {
        let mut all = self.descriptors.memories();
        all.all(|number| {
            let count = self.descriptors.words_of_memory(number, &self.words);
            memories.0.get(number).is_some_and(|words| words.len() == count)
        })
    }

    /// The word of that number in a space, if there is one.
    pub(crate) fn word(&self, space: Space, at: u64) -> Option<u32> {
        let at = usize::try_from(at).ok()?;
        match space {
            Space::Inputs => self.words.get(at).copied(),
            Space::Resource(number) => {
                self.words_of_resources().nth(number as usize)?.get(at).copied()
            }
            // The caller has the slots.
            Space::Slots => None,
        }
    }

    /// The number of rounds that a loop may do before its first poll ([`Limit::First`]), and the
    /// number of rounds after it ([`Limit::Rest`]).
    ///
    /// [`Limit::First`]: super::Limit::First
    /// [`Limit::Rest`]: super::Limit::Rest
    pub fn rounds(&self) -> [u64; 2] {
        let first = self.max_iterations.min(POLL_ROUNDS);
        // Code counts rounds in signed integers.
        [first, (self.max_iterations - first).min(i64::MAX as u64)]
    }
}

/// The cancellation poll: a call goes on while `first` is below the frontier.
#[derive(Clone, Copy, Debug)]
pub struct Poll<'a> {
    /// The frontier.
    pub frontier: &'a AtomicU64,
    /// The number of the first pixel of the call.
    pub first: u64,
}

impl Poll<'_> {
    /// True if the call goes on.
    pub fn goes_on(&self) -> bool {
        self.first < self.frontier.load(Ordering::Relaxed)
    }
}

/// A row of adjacent groups.
///
/// Attachments lie one after the other, a plane apart.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The column of the first pixel.
    pub x: u32,
    /// The row of the first pixel.
    pub y: u32,
    /// The number of groups.
    pub groups: u32,
    /// The distance from a row of pixels to the next, in pixels.
    pub stride: usize,
    /// The distance from an attachment to the next, in pixels; unused if there is only one.
    pub plane: usize,
}

/// Listed items: the groups of a table, all of one primitive or dispatch.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// For each group its columns ([`Items::columns`]), each with a word per lane.
    pub table: &'a [u32],
    /// The words of the primitive, or the numbers of workgroups.
    pub primitive: &'a [u32],
}

impl<'a> Listed<'a> {
    /// The number of words of a group.
    pub fn words_of_group(items: Items, shape: Shape) -> usize {
        items.column_count() * shape.lanes() as usize
    }

    /// The number of groups.
    ///
    /// # Panics
    ///
    /// If there is none, or the last group is incomplete.
    pub fn groups(&self, items: Items, shape: Shape) -> u32 {
        let words = Self::words_of_group(items, shape);
        let is_whole = !self.table.is_empty() && self.table.len().is_multiple_of(words);
        assert!(is_whole, "{} words of groups of {words}", self.table.len());
        (self.table.len() / words) as u32
    }

    /// A column of a group.
    pub(crate) fn column(
        &self,
        items: Items,
        shape: Shape,
        group: usize,
        column: Column,
    ) -> &'a [u32] {
        let (lanes, position) = (shape.lanes() as usize, items.position(column));
        let before = position.expect("the items have the column") * lanes;
        &self.table[group * Self::words_of_group(items, shape) + before..][..lanes]
    }
}

/// An executable form of a register program.
pub trait Callable {
    /// The layout of lanes.
    fn shape(&self) -> Shape;

    /// The items that the lanes compute.
    fn items(&self) -> Items;

    /// The number of attachments.
    fn attachments(&self) -> usize;

    /// The bytes of its thread's stack that a call needs, if they are many.
    fn stack(&self) -> usize {
        0
    }

    /// Computes the values that are uniform over the frame: the words of the slots.
    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>);

    /// Computes a row of groups into `pixels`, RGBA row by row. `mask` is the execution mask, the
    /// same for each group: one word per lane, all ones if the lane is active, else zero.
    fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status;

    /// Computes listed items into `pixels`: attachment by attachment, group by group, row by row of
    /// the group's shape. The memories have the sizes that the inputs say.
    fn listed(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        poll: Poll<'_>,
        listed: Listed<'_>,
        memories: &Memories<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status;
}
