//! Calls of a register program's functions, whoever executes them.

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_core::resource::Bound;

use super::{POLL_ROUNDS, Shape, Status};
use crate::lanes::{Column, Descriptors, Items, Mismatch, Space};
use crate::mutants::{Mutant, is_active};

/// What a frame is computed from: words, and the data of resources.
///
/// *The descriptors among the words are those of the data.* They are made here, by [`Self::new`] and
/// [`Self::set_resource`], and nothing else changes them: compiled code relies on them for its loads.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// One for each of the program's inputs ([`InputWord`](crate::lanes::InputWord)).
    words: Vec<u32>,
    descriptors: Descriptors,
    data: Vec<Bound>,
    /// The address of the first word of each, which stays where it is as long as `data` lives.
    addresses: Vec<u64>,
    max_iterations: u64,
}

fn address(data: &Bound) -> u64 {
    data.words().as_ptr().expose_provenance() as u64
}

impl Inputs {
    /// The words of inputs, of which descriptors may be anything, with the data of resources, for a program whose
    /// resources are these; and how many `rec`s each entry of a loop may execute.
    ///
    /// # Errors
    ///
    /// Where data is missing, of another format, or of other sizes than are baked.
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
        let (descriptors, addresses) = (descriptors.clone(), data.iter().map(address).collect());
        Ok(Self { words, descriptors, data, addresses, max_iterations })
    }

    /// The words of inputs of a program without resources.
    pub fn of_words(words: Vec<u32>, max_iterations: u64) -> Self {
        let (descriptors, data, addresses) = (Descriptors::default(), Vec::new(), Vec::new());
        Self { words, descriptors, data, addresses, max_iterations }
    }

    /// One for each of the program's inputs.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    /// The data of resources.
    pub fn data(&self) -> &[Bound] {
        &self.data
    }

    /// The formats of resources, and where their sizes are among the words.
    pub fn descriptors(&self) -> &Descriptors {
        &self.descriptors
    }

    /// How many `rec`s each entry of a loop may execute.
    pub fn max_iterations(&self) -> u64 {
        self.max_iterations
    }

    /// The address of the first word of each resource.
    pub(crate) fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Changes words from one on.
    ///
    /// # Panics
    ///
    /// If there are none, or one is of a descriptor.
    pub fn set_words(&mut self, first: usize, words: &[u32]) {
        let mut all = first..first + words.len();
        assert!(
            !all.any(|word| self.descriptors.contain(word as u32)),
            "the host makes descriptors"
        );
        self.words[first..][..words.len()].copy_from_slice(words);
    }

    /// Puts other data in the place of a resource's.
    ///
    /// # Errors
    ///
    /// Where it is of another format, or of other sizes than are baked. Then nothing is changed.
    pub(crate) fn set_resource(&mut self, number: usize, data: Bound) -> Result<(), Mismatch> {
        if !is_active(Mutant::StaleExtent) {
            self.descriptors.describe(number, &data, &mut self.words)?;
        }
        self.addresses[number] = address(&data);
        self.data[number] = data;
        Ok(())
    }

    /// The word of that number in a space, if there is one.
    pub(crate) fn word(&self, space: Space, at: u64) -> Option<u32> {
        let at = usize::try_from(at).ok()?;
        match space {
            Space::Inputs => self.words.get(at).copied(),
            Space::Resource(number) => self.data.get(number as usize)?.words().get(at).copied(),
            // They are the caller's.
            Space::Slots => None,
        }
    }

    /// The rounds that a loop may do before its first poll ([`Limit::First`]), and the rest
    /// ([`Limit::Rest`]).
    ///
    /// [`Limit::First`]: super::Limit::First
    /// [`Limit::Rest`]: super::Limit::Rest
    pub fn rounds(&self) -> [u64; 2] {
        let first = self.max_iterations.min(POLL_ROUNDS);
        // Rounds are counted in signed numbers.
        [first, (self.max_iterations - first).min(i64::MAX as u64)]
    }
}

/// Says whether a call is cancelled: unless `first` is below the frontier.
#[derive(Clone, Copy, Debug)]
pub struct Poll<'a> {
    /// The frontier.
    pub frontier: &'a AtomicU64,
    /// The number of the first pixel that is computed.
    pub first: u64,
}

impl Poll<'_> {
    /// Whether the call goes on.
    pub fn goes_on(&self) -> bool {
        self.first < self.frontier.load(Ordering::Relaxed)
    }
}

/// Groups side by side.
///
/// Attachments lie one after the other, a plane apart.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// The column of the first pixel.
    pub x: u32,
    /// Its row.
    pub y: u32,
    /// How many groups.
    pub groups: u32,
    /// How many pixels further the next row of pixels is.
    pub stride: usize,
    /// How many pixels further the next attachment is; of a single one nobody looks at it.
    pub plane: usize,
}

/// What listed lanes compute: groups of a table, all of one primitive.
#[derive(Clone, Copy, Debug)]
pub struct Listed<'a> {
    /// For each group its columns ([`Column::ALL`]), in each of them a word a lane.
    pub table: &'a [u32],
    /// The words of the primitive.
    pub primitive: &'a [u32],
}

impl<'a> Listed<'a> {
    /// How many words a group has.
    pub fn words_of_group(shape: Shape) -> usize {
        Column::ALL.len() * shape.lanes() as usize
    }

    /// How many groups there are.
    ///
    /// # Panics
    ///
    /// If there is none, or some group has not all of its words.
    pub fn groups(&self, shape: Shape) -> u32 {
        let words = Self::words_of_group(shape);
        let is_whole = !self.table.is_empty() && self.table.len().is_multiple_of(words);
        assert!(is_whole, "{} words of groups of {words}", self.table.len());
        (self.table.len() / words) as u32
    }

    /// The columns of a group.
    pub(crate) fn column(&self, shape: Shape, group: usize, column: Column) -> &'a [u32] {
        let lanes = shape.lanes() as usize;
        let first = group * Self::words_of_group(shape) + column as usize * lanes;
        &self.table[first..][..lanes]
    }
}

/// Something that executes the functions of a register program.
pub trait Callable {
    /// How lanes lie.
    fn shape(&self) -> Shape;

    /// What the lanes compute.
    fn items(&self) -> Items;

    /// How many attachments there are.
    fn attachments(&self) -> usize;

    /// Computes what is the same for the whole frame: the slots' words.
    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>);

    /// Computes a row of groups into `pixels`, RGBA row by row. `mask` is the execution mask: a
    /// word for each lane, all ones where it is active, else zero, the same for each group.
    fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status;

    /// Computes listed lanes into `pixels`: attachment by attachment all groups, of each the pixels of its shape
    /// row by row.
    fn listed(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        poll: Poll<'_>,
        listed: Listed<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status;
}
