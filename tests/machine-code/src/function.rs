//! Compiled functions of λV, called under the evaluator: the memory that their callers lay out, and checks of
//! the results.

use lambdav_core::op::Elementary;
use lambdav_simd_backend::emit::MachineCode;
use lambdav_simd_backend::emit::abi::Field;
use lambdav_simd_backend::emit::linked::Linked;
use lambdav_simd_backend::lanes::{Descriptors, Items};
use lambdav_simd_backend::registers::{
    Callable, Inputs, Listed, Memories, Poll, Row, Shape, Status,
};
use std::sync::atomic::Ordering;

use crate::bits::Bits;
use crate::machine::{Code, HostFunction, Machine};
use crate::memory::{Memory, Region};

/// Addresses of the regions, aligned exactly as their elements are, and far apart.
const CODE: u64 = 0x10_0000_0000;
const CONTEXT: u64 = 0x20_0000_0008;
const INPUTS: u64 = 0x30_0000_0004;
const SLOTS: u64 = 0x40_0000_0008;
const MASK: u64 = 0x50_0000_0004;
const FRONTIER: u64 = 0x60_0000_0008;
const ARRAYS: u64 = 0x68_0000_0004;
const PIXELS: u64 = 0x70_0000_0004;
const RESOURCES: u64 = 0x78_0000_0008;
const PRIMITIVE: u64 = 0x79_0000_0004;
const TABLE: u64 = 0x7a_0000_0004;
const DROPPED: u64 = 0x7b_0000_0004;
const REFERENCE: u64 = 0x7fff_0000_0000;
/// Address of the first resource; each resource takes less than 4 GiB.
const DATA: u64 = 0x1000_0000_0004;
/// The end of the stack.
const STACK: u64 = 0x7ffe_0000_0000;

/// Limit of instructions in a call.
const MAX_STEPS: u64 = 1 << 30;

/// Machine code whose functions are called under the evaluator.
///
/// A call panics on a fault; the message names the instruction.
#[derive(Debug)]
pub struct Evaluated {
    code: Code,
    frame: u64,
    row: u64,
    shape: Shape,
    items: Items,
    attachments: usize,
    slots: usize,
    inputs: usize,
    resources: Descriptors,
    array_words: usize,
    stack: usize,
}

impl Evaluated {
    /// Links code for the System V convention of x86-64.
    pub fn new(code: &MachineCode) -> Self {
        let Linked { bytes, frame, row } = Linked::new(code, CODE, REFERENCE);
        Self {
            code: Code::new(CODE, bytes),
            frame,
            row,
            shape: code.shape(),
            items: code.items(),
            attachments: code.attachments(),
            slots: code.slots(),
            inputs: code.inputs(),
            resources: code.resources().clone(),
            array_words: code.array_words(),
            stack: code.stack(),
        }
    }

    /// Calls a function with further regions of memory, and with arguments behind the context.
    fn call<'a>(
        &self,
        entry: u64,
        inputs: &Inputs,
        poll: Poll<'a>,
        plane: usize,
        regions: Vec<Region<'a>>,
        arguments: &[Bits],
    ) -> (Status, Memory<'a>) {
        assert_eq!(inputs.words().len(), self.inputs, "one word for each");
        assert_eq!(inputs.descriptors(), &self.resources, "the code is for their formats");
        let data: Vec<&[u32]> = inputs.words_of_resources().collect();
        let mut context = [0; 13];
        let [first, rest] = inputs.rounds();
        for (field, value) in [
            (Field::Inputs, INPUTS),
            (Field::Slots, SLOTS),
            (Field::Mask, MASK),
            (Field::Frontier, FRONTIER),
            (Field::FirstPixel, poll.first),
            (Field::FirstRounds, first),
            (Field::RestRounds, rest),
            (Field::Reference, REFERENCE),
            (Field::Arrays, ARRAYS),
            (Field::Resources, RESOURCES),
            (Field::Primitive, PRIMITIVE),
            (Field::Plane, 16 * plane as u64),
            (Field::Dropped, DROPPED),
        ] {
            context[field as usize / 8] = value;
        }
        // The return address of the reference mathematics is part of the code's own stack.
        let stack = self.stack + 8;
        let mut all = vec![
            self.code.region(),
            Region::constant("context", CONTEXT, bytes(context, u64::to_le_bytes)),
            Region::constant(
                "inputs",
                INPUTS,
                bytes(inputs.words().iter().copied(), u32::to_le_bytes),
            ),
            Region::shared("frontier", FRONTIER, poll.frontier),
            // Exactly the declared number of bytes.
            Region::undefined("stack", STACK - stack as u64, stack),
        ];
        let addresses = bytes((0..data.len()).map(address), u64::to_le_bytes);
        all.push(Region::constant("resources", RESOURCES, addresses));
        all.extend(data.iter().enumerate().map(|(number, words)| {
            let words = words.iter().copied();
            Region::constant("data", address(number), bytes(words, u32::to_le_bytes))
        }));
        all.extend(regions);
        let mut machine = Machine::new(Memory::new(all));
        let mut reference =
            |memory: &mut Memory<'_>, arguments: [Bits; 6]| reference(memory, arguments, poll);
        let mut host = [HostFunction { address: REFERENCE, function: &mut reference }];
        let arguments = [&[Bits::known(CONTEXT)], arguments].concat();
        let result = machine
            .call(&self.code, entry, &arguments, STACK, &mut host, MAX_STEPS)
            .unwrap_or_else(|fault| panic!("{fault}"));
        let status = result.get(64).expect("a function returns what it has done");
        (Status::from_code(status as i64), machine.memory)
    }
}

/// The address of the words of a resource. Resources lie far apart.
fn address(number: usize) -> u64 {
    DATA + number as u64 * (1 << 32)
}

fn bytes<T, const N: usize>(
    words: impl IntoIterator<Item = T>,
    to_bytes: impl Fn(T) -> [u8; N],
) -> Vec<u8> {
    words.into_iter().flat_map(to_bytes).collect()
}

/// The caller's view of memory: undefined bits get arbitrary values.
fn found(bits: Bits) -> u64 {
    bits.value ^ bits.undefined & 0x5a5a_a5a5_1234_8765
}

/// The reference mathematics. The result of a lane is undefined if an operand is, or if the call is
/// cancelled.
fn reference(
    memory: &mut Memory<'_>,
    [function, lanes, data, ..]: [Bits; 6],
    poll: Poll<'_>,
) -> Result<(), String> {
    let known = |bits: Bits, width| bits.get(width).ok_or("an argument is undefined");
    let function = known(function, 32)? as usize;
    let function = *Elementary::ALL.get(function).ok_or("there is no such function")?;
    let (lanes, data) = (known(lanes, 32)?, known(data, 64)?);
    for lane in 0..lanes {
        let address = |k: u64| data.wrapping_add(4 * (k * lanes + lane));
        let word = |k| memory.load(address(k), 4).map_err(|kind| kind.to_string());
        let [mask, x, y] = [word(0)?, word(1)?, word(2)?].map(|bits| bits.get(32));
        let y = if function.arity() == 2 { y } else { Some(0) };
        let result = match (mask, x, y) {
            (Some(0), ..) => continue,
            (Some(_), Some(x), Some(y)) if poll.goes_on() => {
                let [x, y] = [x, y].map(|word| f32::from_bits(word as u32));
                Bits::known(function.evaluate(x, y).to_bits().into())
            }
            _ => Bits::UNDEFINED,
        };
        memory.store(address(3), 4, result).map_err(|kind| kind.to_string())?;
    }
    Ok(())
}

impl Callable for Evaluated {
    fn shape(&self) -> Shape {
        self.shape
    }

    fn items(&self) -> Items {
        self.items
    }

    fn attachments(&self) -> usize {
        self.attachments
    }

    fn frame(&self, inputs: &Inputs, poll: Poll<'_>) -> (Status, Vec<u64>) {
        let slots = Region::undefined("slots", SLOTS, 8 * self.slots);
        let (status, memory) = self.call(self.frame, inputs, poll, 0, vec![slots], &[]);
        let slots = (0..self.slots).map(|slot| found(memory.region("slots").get(8 * slot, 8)));
        (status, slots.collect())
    }

    fn row(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        mask: &[u32],
        poll: Poll<'_>,
        row: Row,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        assert_eq!(mask.len(), self.shape.lanes() as usize, "one for each lane");
        let before: Vec<u32> = pixels.as_flattened().iter().map(|c| c.to_bits()).collect();
        let regions = vec![
            Region::constant("slots", SLOTS, bytes(slots.iter().copied(), u64::to_le_bytes)),
            Region::constant("mask", MASK, bytes(mask.iter().copied(), u32::to_le_bytes)),
            Region::constant("pixels", PIXELS, bytes(before.iter().copied(), u32::to_le_bytes))
                .writable(),
            Region::undefined("arrays", ARRAYS, 4 * self.array_words),
        ];
        // The convention leaves the upper halves of 32-bit arguments undefined.
        let word = |word: u32| Bits { value: word.into(), undefined: u64::MAX << 32 };
        let arguments = [
            word(row.x),
            word(row.y),
            word(row.groups),
            Bits::known(PIXELS),
            Bits::known(16 * row.stride as u64),
        ];
        let (status, memory) = self.call(self.row, inputs, poll, row.plane, regions, &arguments);
        let (columns, rows) = (self.shape.columns() as usize, self.shape.rows() as usize);
        let mut is_active = vec![false; columns * rows];
        for (lane, &word) in (0..).zip(mask) {
            let (column, row) = self.shape.pixel(lane);
            is_active[row as usize * columns + column as usize] = word != 0;
        }
        let is_whole = status == Status::Done && poll.goes_on();
        for (index, component) in pixels.as_flattened_mut().iter_mut().enumerate() {
            let bits = memory.region("pixels").get(4 * index, 4);
            let (y, x) = (index / 4 / row.stride, index / 4 % row.stride);
            let is_inside = y < rows && x < columns * row.groups as usize;
            if !is_inside {
                let known = Some(u64::from(before[index]));
                assert_eq!(bits.get(32), known, "pixel {x}, {y} lies outside the groups");
            } else if is_whole && is_active[y * columns + x % columns] {
                assert_eq!(bits.undefined, 0, "component {index} of pixel {x}, {y} is undefined");
            }
            *component = f32::from_bits(found(bits) as u32);
        }
        status
    }

    fn listed(
        &self,
        inputs: &Inputs,
        slots: &[u64],
        poll: Poll<'_>,
        listed: Listed<'_>,
        memories: &Memories<'_>,
        pixels: &mut [[f32; 4]],
    ) -> Status {
        assert!(inputs.are_for(memories), "the inputs have the sizes of memories");
        let (shape, items) = (self.shape, self.items);
        let (groups, lanes) = (listed.groups(items, shape), shape.lanes() as usize);
        let plane = groups as usize * lanes;
        assert_eq!(pixels.len(), self.attachments * plane, "a pixel a lane of each attachment");
        let words = |words: &[u32]| bytes(words.iter().copied(), u32::to_le_bytes);
        let mut regions = vec![
            Region::constant("slots", SLOTS, bytes(slots.iter().copied(), u64::to_le_bytes)),
            Region::constant("table", TABLE, words(listed.table)),
            Region::constant("primitive", PRIMITIVE, words(listed.primitive)),
            Region::undefined("pixels", PIXELS, 16 * pixels.len()),
            Region::undefined("arrays", ARRAYS, 4 * self.array_words),
            Region::undefined("dropped", DROPPED, 4),
        ];
        let numbers = || self.resources.memories();
        regions.extend(numbers().map(|number| match memories.words(number) {
            [] => Region::undefined("memory", address(number), 4),
            words => {
                let words = words.iter().map(|word| word.load(Ordering::Relaxed));
                let words = bytes(words, u32::to_le_bytes);
                Region::constant("memory", address(number), words).writable()
            }
        }));
        let groups_word = Bits { value: groups.into(), undefined: u64::MAX << 32 };
        let arguments = [Bits::known(TABLE), groups_word, Bits::known(PIXELS)];
        let (status, memory) = self.call(self.row, inputs, poll, plane, regions, &arguments);
        let is_whole = status == Status::Done && poll.goes_on();
        for number in numbers() {
            let region = memory.region_at(address(number));
            for (at, word) in memories.words(number).iter().enumerate() {
                let bits = region.get(4 * at, 4);
                assert_eq!(bits.undefined, 0, "word {at} of memory {number} is undefined");
                word.store(bits.value as u32, Ordering::Relaxed);
            }
        }
        let columns = items.column_count();
        for (index, component) in pixels.as_flattened_mut().iter_mut().enumerate() {
            let bits = memory.region("pixels").get(4 * index, 4);
            let at = index / 4 % plane;
            let (group, at) = (at / lanes, (at % lanes) as u32);
            let pixel = (at % shape.columns(), at / shape.columns());
            let lane = (0..shape.lanes()).find(|&lane| shape.pixel(lane) == pixel);
            let lane = lane.expect("a lane has the pixel") as usize;
            // The first column has the masks.
            let is_active = listed.table[group * columns * lanes + lane] != 0;
            if is_whole && is_active {
                assert_eq!(bits.undefined, 0, "component {index} of lane {lane} is undefined");
            }
            *component = f32::from_bits(found(bits) as u32);
        }
        status
    }
}
