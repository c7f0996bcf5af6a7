//! Calls of a register program's functions, whoever executes them.

use std::sync::atomic::{AtomicU64, Ordering};

use lambdav_core::resource::Bound;

use super::{POLL_ROUNDS, Shape, Status};
use crate::lanes::Space;

/// What a frame is computed from.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// One for each of the program's inputs ([`InputWord`](crate::lanes::InputWord)).
    pub words: Vec<u32>,
    /// The program's resources.
    pub resources: Resources,
    /// How many `rec`s each entry of a loop may execute.
    pub max_iterations: u64,
}

/// The data of resources, and where it lies.
#[derive(Clone, Debug, Default)]
pub struct Resources {
    data: Vec<Bound>,
    /// The address of the first word of each, which stays where it is as long as `data` lives.
    addresses: Vec<u64>,
}

fn address(data: &Bound) -> u64 {
    data.words().as_ptr().expose_provenance() as u64
}

impl Resources {
    /// These resources.
    pub fn new(data: Vec<Bound>) -> Self {
        let addresses = data.iter().map(address).collect();
        Self { data, addresses }
    }

    /// Puts other data of as many words in the place of one.
    ///
    /// # Panics
    ///
    /// Where it has another number of words, for which no code was made.
    pub(crate) fn replace(&mut self, number: usize, data: Bound) {
        let lengths = [&data, &self.data[number]].map(|data| data.words().len());
        assert_eq!(lengths[0], lengths[1], "code is made for the sizes of resources");
        self.addresses[number] = address(&data);
        self.data[number] = data;
    }

    /// The resources.
    pub fn data(&self) -> &[Bound] {
        &self.data
    }

    /// The address of the first word of each.
    pub(crate) fn addresses(&self) -> &[u64] {
        &self.addresses
    }

    /// Whether they have so many words.
    pub(crate) fn have(&self, words: &[u32]) -> bool {
        self.data.iter().map(|data| data.words().len()).eq(words.iter().map(|&n| n as usize))
    }
}

impl Inputs {
    /// The word of that number in a space, if there is one.
    pub(crate) fn word(&self, space: Space, at: u64) -> Option<u32> {
        let at = usize::try_from(at).ok()?;
        match space {
            Space::Inputs => self.words.get(at).copied(),
            Space::Resource(number) => {
                self.resources.data.get(number as usize)?.words().get(at).copied()
            }
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
}

/// Something that executes the functions of a register program.
pub trait Callable {
    /// How lanes lie.
    fn shape(&self) -> Shape;

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
}
