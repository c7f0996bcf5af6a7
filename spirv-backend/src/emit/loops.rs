//! Loops: the header with a φ for each parameter, the continue block with the arguments of the
//! `rec`s, the merge block with the value.

use super::translator::{Loop, Slot, Translator, Ways};
use lambdav_core::schedule::ValueId;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{LoopControl, Op, Word};

impl<'p> Translator<'p> {
    /// Emits the header and begins the body.
    pub(super) fn open_loop(
        &mut self,
        value: ValueId,
        params: &'p [ValueId],
        inits: &'p [ValueId],
    ) -> Loop<'p> {
        let inits: Vec<Word> = inits.iter().map(|&init| self.value(init)).collect();
        let [header, first, continuing, merge] = [(); 4].map(|()| self.declarations.id());
        let before = self.function.current;
        self.branch(header);
        self.begin(header);
        self.sites.push((header, self.function.span));
        self.mark_line();
        let header_index = self.function.blocks.len() - 1;
        let first_phi = self.function.blocks[header_index].instructions.len();
        for (&param, &init) in params.iter().zip(&inits) {
            let ty = self.declarations.ty(self.function.program.ty(param));
            // What comes from the continue block is added when that is known.
            let operands = vec![Operand::IdRef(init), Operand::IdRef(before)];
            let id = self.compute(Op::Phi, ty, operands);
            self.define(param, Slot::Id(id));
        }
        let operands = vec![
            Operand::IdRef(merge),
            Operand::IdRef(continuing),
            Operand::LoopControl(LoopControl::NONE),
        ];
        self.push(Instruction::new(Op::LoopMerge, None, None, operands));
        self.branch(first);
        self.begin(first);
        let mut exits = Ways::default();
        if let Some(condition) = self.ends_early() {
            let [leave, stay] = [(); 2].map(|()| self.declarations.id());
            self.select_between(condition, [leave, stay], stay);
            self.begin(leave);
            let ty = self.function.program.ty(value);
            let words = vec![0; self.function.program.types.components(ty)];
            let nothing = self.declarations.constant(ty, &words);
            self.branch(merge);
            exits.0.push((nothing, leave));
            self.begin(stay);
        }
        Loop {
            value,
            params,
            header,
            header_index,
            first_phi,
            continuing,
            merge,
            rounds: Vec::new(),
            exits,
        }
    }

    /// Emits the continue block and begins the merge block.
    pub(super) fn close_loop(&mut self, closed: Loop<'p>) {
        let Loop {
            value,
            params,
            header,
            header_index,
            first_phi,
            continuing,
            merge,
            rounds,
            exits,
        } = closed;
        self.function.span = self.function.program.values[value.index()].span;
        self.begin(continuing);
        self.most_ways = self.most_ways.max(rounds.len());
        for (k, &param) in params.iter().enumerate() {
            let ways = Ways(rounds.iter().map(|(args, from)| (args[k], *from)).collect());
            let next = self.join(self.function.program.ty(param), ways);
            let phi = &mut self.function.blocks[header_index].instructions[first_phi + k];
            phi.operands.extend([next, continuing].map(Operand::IdRef));
        }
        self.branch(header);
        self.begin(merge);
        self.merge(value, exits);
    }
}
