//! Loads and stores: fields of the context, the memory that they point to, spill slots, constants,
//! pixels.

use regalloc2::VReg;

use super::selection::{Selection, Source, Value};
use crate::emit::wide::code::Arg;
use crate::emit::wide::instruction::{Area, Instruction, Mem, Rm};
use crate::emit::wide::isa::{Condition, Opcode, Size, Tuple};
use crate::emit::wide::machine::{GENERAL, MASK, VECTOR, Wide};
use crate::lanes::{Axis, Kind, Space};
use crate::machine::Tile;
use crate::mutants::{Mutant, is_active};
use crate::registers::{Instr, Reg, RegisterType};

/// The bits of one lane, and its size in bytes.
fn lane(ty: RegisterType, bits: u64) -> (u64, u32) {
    match ty {
        RegisterType::Vector(Kind::Mask) if bits != 0 => (u32::MAX.into(), 4),
        RegisterType::WideMask if bits != 0 => (u64::MAX, 8),
        RegisterType::Vector(Kind::F64 | Kind::I64)
        | RegisterType::Scalar(Kind::F64 | Kind::I64)
        | RegisterType::WideMask => (bits, 8),
        _ => (bits & u64::from(u32::MAX), 4),
    }
}

impl Selection<'_> {
    /// The size in bytes of a scalar, or of a lane of a vector.
    pub(super) fn lane_bytes(ty: RegisterType) -> u8 {
        lane(ty, 0).1 as u8
    }

    /// A constant of `bytes` bytes with `bits` in every lane.
    pub(super) fn constant_place(&mut self, ty: RegisterType, bits: u64, bytes: u32) -> Mem<Arg> {
        let (bits, size) = lane(ty, bits);
        let one = &bits.to_le_bytes()[..size as usize];
        let id = self.code.constant(one.repeat((bytes / size) as usize));
        Mem::constant(id)
    }

    /// The centres of pixels along an axis, plus a number.
    pub(super) fn centres(&mut self, ty: RegisterType, axis: Axis, first: f32) -> Source {
        if matches!(ty, RegisterType::Scalar(_)) {
            let bits = Tile::ONE.centre(axis, 0, first).to_bits();
            return Source::memory(self.constant_place(ty, bits.into(), 4));
        }
        let tile = self.program.shape.tile;
        let lane = |lane| tile.centre(axis, lane, first).to_bits().to_le_bytes();
        Source::memory(self.whole_constant((0..tile.width()).flat_map(lane).collect()))
    }

    /// A constant whose lanes differ, by its bytes.
    pub(super) fn whole_constant(&mut self, bytes: Vec<u8>) -> Mem<Arg> {
        Mem::constant(self.code.constant(bytes))
    }

    /// Puts a constant into a register.
    pub(super) fn load_constant(&mut self, to: VReg, ty: RegisterType, bits: u64) {
        let (def, same) = (Arg::Def(to), Arg::SameAsReg);
        if to.class() == GENERAL {
            let wide = ty == RegisterType::Scalar(Kind::I64);
            match (wide, i32::try_from(bits as i64)) {
                (false, _) => {
                    let number = bits as u32 as i32;
                    self.push(
                        Instruction::new(Opcode::MovNumber, Size::B32).rm(def).number(number),
                    );
                }
                (true, Ok(number)) => {
                    self.push(
                        Instruction::new(Opcode::MovNumber, Size::B64).rm(def).number(number),
                    );
                }
                (true, Err(_)) => {
                    let mem = self.constant_place(ty, bits, 8);
                    self.push(Instruction::new(Opcode::Mov, Size::B64).reg(def).mem(mem));
                }
            }
        } else if to.class() == MASK {
            let op = if bits == 0 { Opcode::XorK } else { Opcode::XnorK };
            self.push(Instruction::new(op, Size::B128).reg(def).vvvv(same).rm(same));
        } else if lane(ty, bits).0 == 0 {
            self.push(Instruction::new(Opcode::XorPs, Size::B128).reg(def).vvvv(same).rm(same));
        } else if matches!(ty, RegisterType::Vector(Kind::Mask) | RegisterType::WideMask) {
            self.push(Instruction::new(Opcode::EqualD, self.size()).reg(def).vvvv(same).rm(same));
        } else {
            let bytes = lane(ty, bits).1;
            let mem = self.constant_place(ty, bits, bytes);
            let op = match (ty, bytes) {
                (RegisterType::Scalar(_), 4) => Opcode::LoadSs,
                (RegisterType::Scalar(_), _) => Opcode::LoadSd,
                (_, 4) => Opcode::BroadcastSs,
                _ => Opcode::BroadcastSd,
            };
            self.op2(op, self.size_of(ty), to, Source::memory(mem));
        }
    }

    /// The size of the vector register that holds a value of a type.
    pub(super) fn size_of(&self, ty: RegisterType) -> Size {
        if matches!(ty, RegisterType::Scalar(_)) { Size::B128 } else { self.size() }
    }

    /// Loads a value of a type.
    pub(super) fn load(&mut self, to: VReg, ty: RegisterType, from: Source) {
        let (op, size) = match ty {
            RegisterType::Scalar(Kind::F32) => (Opcode::LoadSs, Size::B128),
            RegisterType::Scalar(Kind::F64) => (Opcode::LoadSd, Size::B128),
            RegisterType::Scalar(Kind::I64) => (Opcode::Mov, Size::B64),
            RegisterType::Scalar(_) => (Opcode::Mov, Size::B32),
            _ if to.class() == MASK => (Opcode::LoadK, Size::B128),
            _ if from.broadcast && Self::lane_bytes(ty) == 8 => (Opcode::BroadcastSd, self.size()),
            _ if from.broadcast => (Opcode::BroadcastSs, self.size()),
            _ => (Opcode::Load, self.size()),
        };
        self.op2(op, size, to, Source { broadcast: false, ..from });
    }

    /// Stores a register in a spill slot.
    pub(super) fn store(&mut self, from: VReg, to: Mem<Arg>) {
        let (op, size) = if from.class() == VECTOR {
            (Opcode::Store, self.size())
        } else if from.class() == MASK {
            (Opcode::StoreK, Size::B128)
        } else {
            (Opcode::MovToMemory, Size::B64)
        };
        self.push(Instruction::new(op, size).reg(Arg::Use(from)).mem(to));
    }

    /// The memory operand that replaces an instruction's result, if there is one.
    pub(super) fn place_of(&mut self, instr: &Instr) -> Option<Source> {
        let at = |base: Option<VReg>, offset| {
            let base = base.expect("loaded on entry");
            Source::memory(Mem::at(Arg::Use(base), offset))
        };
        Some(match instr {
            Instr::Input(_, word) => at(self.inputs, (word * 4) as i32),
            Instr::Primitive(_, word) => at(self.primitive, (word * 4) as i32),
            Instr::Slot(_, slot) => at(self.slots, (slot * 8) as i32),
            Instr::Reload(_, slot) => Source::memory(self.spill_slot(*slot)),
            Instr::Broadcast(_, from) => {
                let place = self.place_of(self.deferred(*from)?)?;
                Source { broadcast: true, ..place }
            }
            _ => return None,
        })
    }

    /// True if an instruction can take the value as a memory operand.
    pub(super) fn is_in_memory(&self, reg: Reg) -> bool {
        match self.values[reg.index()] {
            Value::Constant(bits) => lane(self.ty(reg), bits).0 != 0,
            Value::Centres(..) => true,
            Value::Deferred(index) => matches!(
                self.instrs[index],
                Instr::Input(..)
                    | Instr::Primitive(..)
                    | Instr::Slot(..)
                    | Instr::Reload(..)
                    | Instr::Broadcast(..)
            ),
            Value::Unset | Value::Register(_) => false,
        }
    }

    /// A value as the last operand of `op`: in memory if possible and of the size that `op` reads.
    pub(super) fn source(&mut self, reg: Reg, op: Opcode, size: Size) -> Source {
        let ty = self.ty(reg);
        let tuple = op.row().tuple;
        let is_scalar = matches!(ty, RegisterType::Scalar(_));
        if let Some(&made) = self.kept.get(&reg) {
            return Source::any(made);
        }
        match self.values[reg.index()] {
            Value::Constant(bits) if self.class(ty) == VECTOR && lane(ty, bits).0 != 0 => {
                let element = Self::lane_bytes(ty);
                if let Tuple::Bytes(bytes) = tuple {
                    if bytes == element {
                        return Source::memory(self.constant_place(ty, bits, bytes.into()));
                    }
                } else if self.wide.has_masks() {
                    if tuple.element() == Some(element) {
                        let mem = self.constant_place(ty, bits, element.into());
                        return Source { rm: Rm::Mem(mem), broadcast: true };
                    }
                } else {
                    let mem = self.constant_place(ty, bits, tuple.bytes(size, false));
                    return Source::memory(mem);
                }
            }
            Value::Centres(axis, first)
                if !is_scalar && tuple.bytes(size, false) == self.size().bytes() =>
            {
                return self.centres(ty, axis, first);
            }
            Value::Deferred(index) => {
                let instrs = self.instrs;
                let place = self.place_of(&instrs[index]);
                if let Some(place) = place {
                    let element = Self::lane_bytes(ty);
                    let fits = if place.broadcast {
                        tuple.element() == Some(element)
                    } else if is_scalar {
                        tuple == Tuple::Bytes(element)
                    } else {
                        tuple.bytes(size, false) <= self.size().bytes()
                            && !matches!(tuple, Tuple::Bytes(_))
                    };
                    if fits {
                        return place;
                    }
                }
            }
            _ => {}
        }
        let made = self.register(reg);
        // The allocator may leave it in its spill slot.
        if made.class() == VECTOR { Source::any(made) } else { Source::register(made) }
    }

    /// The address of the words of a space.
    pub(super) fn words_of(&mut self, space: Space) -> Arg {
        let found = "loaded on entry";
        Arg::Use(match space {
            Space::Inputs => self.inputs.expect(found),
            Space::Slots => self.slots.expect(found),
            Space::Resource(number) => {
                let place = Mem::at(Arg::Use(self.resources.expect(found)), (number * 8) as i32);
                let base = self.temporary(GENERAL);
                self.op2(Opcode::Mov, Size::B64, base, Source::memory(place));
                base
            }
        })
    }

    /// Loads the word number `first + index` of a space, one for each lane if the index is a
    /// vector.
    pub(super) fn load_word(&mut self, to: Reg, space: Space, first: u32, index: Reg) {
        let base = self.words_of(space);
        let is_vector = matches!(self.ty(to), RegisterType::Vector(_));
        if let Some(table) = self.table(space, first, index).filter(|_| is_vector) {
            self.permute_table(to, base, table, index);
            return;
        }
        self.load_at(to, base, first, index);
    }

    /// Loads the word number `first + index` after an address, one for each lane if the index is a vector.
    pub(super) fn load_at(&mut self, to: Reg, base: Arg, first: u32, index: Reg) {
        let is_vector = matches!(self.ty(to), RegisterType::Vector(_));
        let index = self.register(index);
        let at = |index| Mem::word(base, Arg::Use(index), (first * 4) as i32);
        if !is_vector {
            // The upper half of the index register is undefined: this clears it.
            let whole = self.temporary(GENERAL);
            self.op2(Opcode::Mov, Size::B32, whole, Source::register(index));
            let made = self.define(to);
            self.load(made, self.ty(to), Source::memory(at(whole)));
            return;
        }
        let made = self.define(to);
        self.gather(made, at(index));
    }

    /// Loads four words for each lane, and transposes them. Before that, register k holds the four
    /// words of lane k in its first 128 bits, those of lane k + 4 in the next 128 bits, and so on.
    pub(super) fn load_four(&mut self, to: [Option<Reg>; 4], space: Space, first: u32, index: Reg) {
        let base = self.words_of(space);
        let index = self.register(index);
        let size = self.size();
        self.keep_indices(&[index]);
        let mut rows: [Option<VReg>; 4] = [None; 4];
        for part in 0..size.bytes() as i32 / 16 {
            for (lane, row) in (0..).zip(&mut rows) {
                let from = self.word_of_lane(base, 0, 4 * part + lane, first);
                let words = self.temporary(VECTOR);
                match *row {
                    None => self.op2(Opcode::Load, Size::B128, words, Source::memory(from)),
                    Some(before) => {
                        let it = Instruction::new(Opcode::Insert128, size).reg(Arg::Def(words));
                        self.push(it.vvvv(Arg::Use(before)).mem(from).number(part));
                    }
                }
                *row = Some(words);
            }
        }
        self.transpose_words(to, rows.map(|row| row.expect("a register has four lanes or more")));
    }

    /// Stores indices, from where they are loaded lane by lane: that is faster than to extract lanes.
    fn keep_indices(&mut self, all: &[VReg]) {
        let size = self.size();
        for (k, &index) in (0..).zip(all) {
            let to = Mem::frame(Area::Scratch, k * size.bytes() as i32);
            self.push(Instruction::new(Opcode::Store, size).reg(Arg::Use(index)).mem(to));
        }
        self.code.scratch = self.code.scratch.max(all.len() as u32 * size.bytes());
    }

    /// The word `first` after the index of a lane, in the register of that number of those that [`Self::keep_indices`] has stored.
    fn word_of_lane(&mut self, base: Arg, register: i32, lane: i32, first: u32) -> Mem<Arg> {
        let number = self.temporary(GENERAL);
        let at = Mem::frame(Area::Scratch, register * self.size().bytes() as i32 + 4 * lane);
        self.op2(Opcode::Mov, Size::B32, number, Source::memory(at));
        Mem::word(base, Arg::Use(number), (first * 4) as i32)
    }

    /// Loads two words side by side for each lane. In each 128 bits, one register has those of the first and second lane, the other
    /// those of the third and fourth.
    pub(super) fn load_two(&mut self, to: [Reg; 2], space: Space, first: u32, index: Reg) {
        let base = self.words_of(space);
        let index = self.register(index);
        let size = self.size();
        self.keep_indices(&[index]);
        let [x, y] = [0, 2].map(|second| {
            let parts: Vec<VReg> = (0..size.bytes() as i32 / 16)
                .map(|part| {
                    let [low, both] = [(); 2].map(|()| self.temporary(VECTOR));
                    let lane = self.word_of_lane(base, 0, 4 * part + second, first);
                    self.op2(Opcode::LoadSd, Size::B128, low, Source::memory(lane));
                    let lane = self.word_of_lane(base, 0, 4 * part + second + 1, first);
                    self.op3(Opcode::LoadHigh, Size::B128, both, low, Source::memory(lane));
                    both
                })
                .collect();
            let halves = parts
                .chunks(2)
                .map(|pair| self.insert(Opcode::Insert128, Size::B256, pair[0], pair[1]));
            let halves: Vec<VReg> = halves.collect();
            match halves[..] {
                [low, high] => self.insert(Opcode::Insert256, Size::B512, low, high),
                _ => halves[0],
            }
        });
        let to = if is_active(Mutant::SwappedPair) { [to[1], to[0]] } else { to };
        for (to, number) in to.into_iter().zip([0b10_00_10_00, 0b11_01_11_01]) {
            let made = self.define(to);
            let it = Instruction::new(Opcode::ShufflePs, size).reg(Arg::Def(made));
            self.push(it.vvvv(Arg::Use(x)).rm(Arg::Use(y)).number(number));
        }
    }

    /// A register with another in its upper half.
    fn insert(&mut self, op: Opcode, size: Size, low: VReg, high: VReg) -> VReg {
        let whole = self.temporary(VECTOR);
        let it = Instruction::new(op, size).reg(Arg::Def(whole));
        self.push(it.vvvv(Arg::Use(low)).rm(Arg::Use(high)).number(1));
        whole
    }

    /// Sets the flags: the condition holds if in some lane the second index of a pair is not `step` more than the first.
    pub(super) fn apart(&mut self, step: u32, pairs: &[[Reg; 2]]) -> Condition {
        let size = self.size();
        let mut all: Option<VReg> = None;
        for pair in pairs {
            let [first, second] = pair.map(|index| self.register(index));
            let [next, differ] = [(); 2].map(|()| self.temporary(VECTOR));
            let step = self.whole_constant(step.to_le_bytes().repeat(size.bytes() as usize / 4));
            self.op3(Opcode::AddD, size, next, first, Source::memory(step));
            self.op3(Opcode::XorPs, size, differ, next, Source::any(second));
            all = Some(match all {
                None => differ,
                Some(before) => {
                    let both = self.temporary(VECTOR);
                    self.op3(Opcode::OrPs, size, both, before, Source::register(differ));
                    both
                }
            });
        }
        let mut all = all.expect("there is a pair");
        if is_active(Mutant::UntestedPairs) {
            all = self.temporary(VECTOR);
            self.load_constant(all, RegisterType::Vector(Kind::I32), 0);
        }
        if self.wide.has_masks() {
            let mask = self.temporary(MASK);
            let it = Instruction::new(Opcode::TestDK, size).reg(Arg::Def(mask));
            self.push(it.vvvv(Arg::Use(all)).rm(Arg::Use(all)));
            all = mask;
        }
        self.any_of_two(all, all)
    }

    /// Pairs of 128-bit parts from two registers: parts `2k` of both if `upper` is false, parts `2k + 1` if it is true; with 512
    /// bits, two parts of the first and then two of the second.
    fn parts(&mut self, a: VReg, b: VReg, upper: bool) -> VReg {
        let to = self.temporary(VECTOR);
        let (op, number) = match (self.wide, upper) {
            (Wide::Avx2, false) => (Opcode::Permute128, 0x20),
            (Wide::Avx2, true) => (Opcode::Permute128, 0x31),
            (Wide::Avx512At256, false) => (Opcode::Shuffle128, 0b00),
            (Wide::Avx512At256, true) => (Opcode::Shuffle128, 0b11),
            (Wide::Avx512, false) => (Opcode::Shuffle128, 0b10_00_10_00),
            (Wide::Avx512, true) => (Opcode::Shuffle128, 0b11_01_11_01),
        };
        let it = Instruction::new(op, self.size()).reg(Arg::Def(to)).vvvv(Arg::Use(a));
        self.push(it.rm(Arg::Use(b)).number(number));
        to
    }

    /// For each 128 bits, the word of that number in all words.
    fn spread(&mut self, from: VReg, word: i32) -> VReg {
        let to = self.temporary(VECTOR);
        let it = Instruction::new(Opcode::ShufflePs, self.size()).reg(Arg::Def(to));
        self.push(it.vvvv(Arg::Use(from)).rm(Arg::Use(from)).number(word * 0b01_01_01_01));
        to
    }

    /// The weights of a pair of texels in 256 bits, for lanes that are four apart: `u` and `v` for the first part of 128 bits of both,
    /// and for the parts after that; and the same for the second half of the register.
    fn weights_of_pairs(&mut self, [u, v]: [VReg; 2]) -> [VReg; 2] {
        if self.wide != Wide::Avx512 {
            return [false, true].map(|upper| self.parts(u, v, upper));
        }
        [0b01_00_01_00, 0b11_10_11_10].map(|number| {
            let [both, pairs] = [(); 2].map(|()| self.temporary(VECTOR));
            let it = Instruction::new(Opcode::Shuffle128, Size::B512).reg(Arg::Def(both));
            self.push(it.vvvv(Arg::Use(u)).rm(Arg::Use(v)).number(number));
            let it = Instruction::new(Opcode::Shuffle128, Size::B512).reg(Arg::Def(pairs));
            self.push(it.vvvv(Arg::Use(both)).rm(Arg::Use(both)).number(0b11_01_10_00));
            pairs
        })
    }

    /// Mixes of pairs of texels. A pair is 256 bits. For each k below 4, the mixes of lanes k, k + 4, and so on are
    /// computed at once, each in 128 bits; the four registers are transposed at the end.
    pub(super) fn load_mixed(
        &mut self,
        to: [Option<Reg>; 4],
        space: Space,
        first: u32,
        indices: &[Reg],
        weights: &[[Reg; 2]],
    ) {
        let base = self.words_of(space);
        let size = self.size();
        let indices: Vec<VReg> = indices.iter().map(|&index| self.register(index)).collect();
        self.keep_indices(&indices);
        let weights = weights.iter().map(|pair| pair.map(|weight| self.register(weight)));
        let mut weights: Vec<[VReg; 2]> = weights.collect();
        weights[0] = self.weights_of_pairs(weights[0]);
        let lanes = [0, 1, 2, 3].map(|k| {
            let all = weights.iter().map(|pair| pair.map(|weight| self.spread(weight, k)));
            let all: Vec<[VReg; 2]> = all.collect();
            let mut mixed = Vec::new();
            for row in 0..indices.len() as i32 {
                let products = [0, 1].map(|half| {
                    let made = self.temporary(VECTOR);
                    let mut lane = |n: i32| self.word_of_lane(base, row, k + 4 * n, first);
                    let weight = all[0][half as usize];
                    if size != Size::B512 {
                        let texels = lane(half);
                        self.op3(Opcode::MulPs, size, made, weight, Source::memory(texels));
                        return made;
                    }
                    let texels = [lane(2 * half), lane(2 * half + 1)];
                    let [lower, both] = [(); 2].map(|()| self.temporary(VECTOR));
                    self.op2(Opcode::Load, Size::B256, lower, Source::memory(texels[0]));
                    let it = Instruction::new(Opcode::Insert256, size).reg(Arg::Def(both));
                    self.push(it.vvvv(Arg::Use(lower)).mem(texels[1]).number(1));
                    self.op3(Opcode::MulPs, size, made, weight, Source::register(both));
                    made
                });
                let parts = [false, true].map(|upper| self.parts(products[0], products[1], upper));
                mixed.push(self.sum(parts));
                // Rows are mixed as soon as there are two of them, so that few registers are in use.
                for (axis, pair) in (1..).zip(&all[1..]) {
                    if (row + 1) % (1 << axis) != 0 {
                        break;
                    }
                    let second = mixed.pop().expect("a row of each pair");
                    let first = mixed.pop().expect("a row of each pair");
                    let products = [(first, pair[0]), (second, pair[1])].map(|(of, weight)| {
                        let made = self.temporary(VECTOR);
                        self.op3(Opcode::MulPs, size, made, of, Source::register(weight));
                        made
                    });
                    mixed.push(self.sum(products));
                }
            }
            mixed[0]
        });
        self.transpose_words(to, lanes);
    }

    fn sum(&mut self, [a, b]: [VReg; 2]) -> VReg {
        let made = self.temporary(VECTOR);
        self.op3(Opcode::AddPs, self.size(), made, a, Source::register(b));
        made
    }

    /// Transposes four registers within each 128 bits: the results hold the first words of all, the
    /// second words, and so on.
    pub(super) fn transpose_words(&mut self, to: [Option<Reg>; 4], rows: [VReg; 4]) {
        let size = self.size();
        let mut mixed = |op, x, y| {
            let to = self.temporary(VECTOR);
            self.op3(op, size, to, x, Source::any(y));
            to
        };
        let [low, high] = [Opcode::UnpackLowPs, Opcode::UnpackHighPs]
            .map(|op| [mixed(op, rows[0], rows[1]), mixed(op, rows[2], rows[3])]);
        let parts = [
            (Opcode::UnpackLowPd, low),
            (Opcode::UnpackHighPd, low),
            (Opcode::UnpackLowPd, high),
            (Opcode::UnpackHighPd, high),
        ];
        for (to, (op, [x, y])) in to.into_iter().zip(parts) {
            if let Some(to) = to {
                let made = self.define(to);
                self.op3(op, size, made, x, Source::any(y));
            }
        }
    }

    /// Loads words at the indices of an address, one for each lane.
    pub(super) fn gather(&mut self, made: VReg, from: Mem<Arg>) {
        // The instruction overwrites the lanes of its target under a mask, and clears the mask. So
        // both are tied operands.
        let before = self.temporary(VECTOR);
        self.load_constant(before, RegisterType::Vector(Kind::I32), 0);
        let class = if self.wide.has_masks() { MASK } else { VECTOR };
        let [all, cleared] = [(); 2].map(|()| self.temporary(class));
        self.load_constant(all, RegisterType::Vector(Kind::Mask), 1);
        let op = if class == MASK { Opcode::GatherK } else { Opcode::Gather };
        let it = Instruction::new(op, self.size()).reg(Arg::Tied(before, made)).mem(from);
        let mask = Arg::Tied(all, cleared);
        self.push(match class {
            MASK => Instruction { mask: Some(mask), ..it },
            _ => it.vvvv(mask),
        });
    }

    pub(super) fn set_slot(&mut self, slot: u32, from: Reg) {
        let base = self.slots.expect("loaded on entry");
        let (op, size) = match self.ty(from) {
            RegisterType::Scalar(Kind::F32) => (Opcode::StoreSs, Size::B128),
            RegisterType::Scalar(Kind::F64) => (Opcode::StoreSd, Size::B128),
            RegisterType::Scalar(Kind::I64) => (Opcode::MovToMemory, Size::B64),
            _ => (Opcode::MovToMemory, Size::B32),
        };
        let from = self.register(from);
        let mem = Mem::at(Arg::Use(base), (slot * 8) as i32);
        self.push(Instruction::new(op, size).reg(Arg::Use(from)).mem(mem));
    }

    /// Loads a mask of words that are all ones or zero.
    pub(super) fn mask(&mut self, to: Reg, mem: Mem<Arg>) {
        let made = self.define(to);
        if made.class() == VECTOR {
            self.op2(Opcode::Load, self.size(), made, Source::memory(mem));
        } else {
            let words = self.temporary(VECTOR);
            self.op2(Opcode::Load, self.size(), words, Source::memory(mem));
            self.op2(Opcode::SignsToK, self.size(), made, Source::register(words));
        }
    }

    /// Stores pixels. A transposition of four by four within each 128 bits yields registers of four
    /// pixels of one row or, in a tile of two rows, of one pixel of each row per 128 bits.
    pub(super) fn pixels(&mut self, channels: [Reg; 4], rows: &[Reg], offset: i32) {
        let [r, g, b, a] = channels.map(|reg| self.register(reg));
        let rows: Vec<VReg> = rows.iter().map(|&reg| self.register(reg)).collect();
        let size = self.size();
        let mut mix = |op, x, y| {
            let to = self.temporary(VECTOR);
            self.op3(op, size, to, x, Source::any(y));
            to
        };
        let (rg, ba) = (mix(Opcode::UnpackLowPs, r, g), mix(Opcode::UnpackLowPs, b, a));
        let (rg_high, ba_high) = (mix(Opcode::UnpackHighPs, r, g), mix(Opcode::UnpackHighPs, b, a));
        let pixels = [
            mix(Opcode::UnpackLowPd, rg, ba),
            mix(Opcode::UnpackHighPd, rg, ba),
            mix(Opcode::UnpackLowPd, rg_high, ba_high),
            mix(Opcode::UnpackHighPd, rg_high, ba_high),
        ];
        for (i, pixel) in pixels.into_iter().enumerate() {
            let mut write = |op, size, row: VReg, at, number| {
                let mem = Mem::at(Arg::Use(row), offset + at);
                let it = Instruction::new(op, size).reg(Arg::Use(pixel)).mem(mem);
                self.push(it.number(number));
            };
            match rows[..] {
                [first, second] => {
                    let at = 16 * i as i32;
                    write(Opcode::Store, Size::B128, first, at, 0);
                    write(Opcode::Extract128, Size::B256, second, at, 1);
                }
                _ => write(Opcode::Store, size, rows[i], 0, 0),
            }
        }
    }
}
