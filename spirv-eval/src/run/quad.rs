//! Derivatives and swaps: values of other pixels of a quad, which are executed together as far as needed.
//!
//! Each pixel notes the operands of its derivatives and swaps in order. If a neighbour's operand is not known yet,
//! the pixel stops; it restarts after each neighbour has run as far as it can.

use super::super::arithmetic::word;
use super::super::code::Axes;
use super::super::observer::Observer;
use super::notes::Note;
use super::slice::{Collector, Slice};
use super::watch::Watch;
use super::{InvocationAt, ModuleEvaluator, ModuleFault, Stopped, Wrong};
use crate::mutants::{Mutant, is_active};

impl ModuleEvaluator<'_> {
    /// Computes one pixel, and as much of its neighbours as it needs.
    pub(super) fn run_quad(
        &mut self,
        frag_coord: [f32; 4],
        inputs: Option<&InvocationAt<'_>>,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<(), ModuleFault> {
        let [x, y, z, w] = frag_coord;
        let [column, row] = [x, y].map(|at| at.floor() as i64 & 1);
        let own = (column + 2 * row) as usize;
        self.quad.notes.iter_mut().for_each(Vec::clear);
        loop {
            self.quad.begin(own);
            let label = match self.run_pixel(frag_coord, inputs, cancelled, &mut Watch::nobody()) {
                Ok(()) => return Ok(()),
                Err(Stopped::Fault(fault)) => return Err(fault),
                Err(Stopped::Neighbour(label)) => label,
            };
            let before = self.quad.len();
            for pixel in (0..4).filter(|&pixel| pixel != own) {
                let [dx, dy] = [pixel & 1, pixel >> 1].map(|of| of as i64);
                let [dx, dy] = [dx - column, dy - row].map(|by| by as f32);
                self.quad.begin(pixel);
                // A neighbour that stops for another reason has still noted its operands.
                let ended =
                    self.run_pixel([x + dx, y + dy, z, w], inputs, cancelled, &mut Watch::nobody());
                if let Err(Stopped::Fault(fault @ ModuleFault::Cancelled)) = ended {
                    return Err(fault);
                }
            }
            if self.quad.len() == before {
                return Err(ModuleFault::Divergent(label));
            }
        }
    }

    /// Computes one pixel, and then once more with an observer, when all operands of its neighbours are known.
    pub(super) fn run_quad_observed<O: Observer>(
        &mut self,
        frag_coord: [f32; 4],
        location: Option<u32>,
        cancelled: &dyn Fn() -> bool,
        observer: &mut O,
    ) -> Result<Slice, ModuleFault> {
        self.run_quad(frag_coord, None, cancelled)?;
        let [column, row] = [frag_coord[0], frag_coord[1]].map(|at| at.floor() as i64 & 1);
        self.quad.begin((column + 2 * row) as usize);
        let mut watch = Watch::new(observer, location.map(|_| Collector::new(self.module)));
        let ended = self.run_pixel(frag_coord, None, cancelled, &mut watch);
        ended.map_err(|stopped| match stopped {
            Stopped::Fault(fault) => fault,
            Stopped::Neighbour(label) => ModuleFault::Divergent(label),
        })?;
        // A discarded pixel has no output.
        let output = self.module.outputs.iter().find(|of| Some(of.location) == location);
        let output = output.filter(|_| !self.is_discarded);
        let words = output.map(|output| output.at..output.at + output.components);
        Ok(watch.collector.map_or_else(Slice::default, |collector| collector.slice(words)))
    }

    /// The difference between a value and the neighbour's.
    pub(super) fn derivative(
        &mut self,
        to: usize,
        a: usize,
        words: usize,
        axes: Axes,
    ) -> Result<(), Wrong> {
        let (pixel, next) = self.note(to, a, words);
        let (quad, own) = (&self.quad, &self.memory[a..a + words]);
        let difference = |bit: usize| {
            let other =
                quad.notes[pixel ^ if is_active(Mutant::FlatQuad) { 0 } else { bit }].get(next);
            let other = &other.filter(|note| note.to == to).ok_or(Wrong::Neighbour)?.words;
            let pairs = own.iter().zip(other);
            Ok(pairs
                .map(|(&own, &other)| {
                    let [own, other] = [own, other].map(f32::from_bits);
                    if pixel & bit != 0 { own - other } else { other - own }
                })
                .collect())
        };
        let result: Vec<f32> = match axes {
            Axes::X => difference(1)?,
            Axes::Y => difference(2)?,
            Axes::Both => {
                let [x, y]: [Vec<f32>; 2] = [difference(1)?, difference(2)?];
                x.iter().zip(&y).map(|(x, y)| x.abs() + y.abs()).collect()
            }
        };
        for (k, number) in result.into_iter().enumerate() {
            self.memory[to + k] = word(number);
        }
        Ok(())
    }

    /// The value that another pixel of the quad has.
    pub(super) fn swap(
        &mut self,
        to: usize,
        a: usize,
        words: usize,
        direction: usize,
    ) -> Result<(), Wrong> {
        let bits = self.memory[direction] as usize + 1;
        if bits > 3 {
            return Err(Wrong::Outside);
        }
        let (pixel, next) = self.note(to, a, words);
        let bits = if is_active(Mutant::FlatQuad) { 0 } else { bits };
        let other = self.quad.notes[pixel ^ bits].get(next).filter(|note| note.to == to);
        let other = other.ok_or(Wrong::Neighbour)?;
        self.memory[to..to + words].copy_from_slice(&other.words);
        Ok(())
    }

    /// Notes an operand for the other pixels. Returns this pixel, and the number of the note.
    fn note(&mut self, to: usize, a: usize, words: usize) -> (usize, usize) {
        let quad = &mut self.quad;
        let (pixel, next) = (quad.pixel, quad.next);
        if quad.notes[pixel].len() == next {
            let words = self.memory[a..a + words].to_vec();
            quad.notes[pixel].push(Note { to, words });
        }
        quad.next += 1;
        (pixel, next)
    }
}
