//! Loops: the header with a φ for each parameter, the continue block with the arguments of the `rec`s,
//! the merge block with the value.
//!
//! Bools are carried as 0 and 1: NVIDIA's compiler (580.159) crashes on φ's of bools in headers.

use super::translator::{Loop, Slot, Translator, Ways};
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{BlockId, End, ValueId};
use lambdav_core::types::{Scalar, Type};
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{LoopControl, Op, Word};

impl<'p> Translator<'p> {
    /// Emits the header and begins the body.
    ///
    /// If pixels may be computed again, a loop that may not end by itself leaves as soon as one has
    /// noted that. It gets an extra exit for that, unless an existing exit serves. (Driver bugs with
    /// loops: see `exact/drivers`.)
    pub(super) fn open_loop(
        &mut self,
        value: ValueId,
        params: &'p [ValueId],
        inits: &'p [ValueId],
        body: BlockId,
    ) -> Loop<'p> {
        let is_new = self.function.mode.is_exact() && self.leaves_with_new(body);
        let must_end = is_new || !self.function.bounded.contains(&value);
        let leaves = self.leaving_arm(params, body).filter(|_| must_end);
        let mut begins = Vec::with_capacity(inits.len());
        for &init in inits {
            let id = self.value(init);
            self.carried(self.function.program.ty(init), id, &mut begins);
        }
        let [header, first, continuing, merge] = [(); 4].map(|()| self.declarations.id());
        self.settle();
        let before = self.function.current;
        self.branch(header);
        self.begin(header);
        self.sites.push((header, self.function.span));
        self.mark_line();
        let header_index = self.function.blocks.len() - 1;
        let first_phi = self.function.blocks[header_index].instructions.len();
        let mut phis = Vec::with_capacity(begins.len());
        for (ty, begin) in begins {
            let ty = self.declarations.ty(ty);
            // `close_loop` adds the operands from the continue block.
            let operands = vec![Operand::IdRef(begin), Operand::IdRef(before)];
            phis.push(self.compute(Op::Phi, ty, operands));
        }
        let mut phis = phis.into_iter();
        for &param in params {
            let id = self.arrived(self.function.program.ty(param), &mut phis);
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
        let way_out = match leaves {
            None if must_end => self.ends_early().or_else(|| is_new.then(|| self.never())),
            _ => None,
        };
        if let Some(condition) = way_out {
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
            leaves,
            rounds: Vec::new(),
            exits,
        }
    }

    /// The arm of the `if` at the end of a loop's body that yields only parameters: there a pixel that
    /// is computed again may leave. (With other values it may not: see [`Self::open_loop`].)
    fn leaving_arm(&self, params: &[ValueId], body: BlockId) -> Option<bool> {
        let End::If { then, otherwise, .. } = self.function.program.block(body).end else {
            return None;
        };
        let leaves = |block| match &self.function.program.block(block).end {
            End::Yield(values) => values.iter().all(|value| params.contains(value)),
            _ => false,
        };
        [(then, true), (otherwise, false)]
            .into_iter()
            .find(|&(block, _)| leaves(block))
            .map(|it| it.1)
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
            ..
        } = closed;
        self.function.span = self.function.program.values[value.index()].span;
        self.begin(continuing);
        self.most_ways = self.most_ways.max(rounds.len());
        let mut all = Vec::with_capacity(params.len());
        for (k, &param) in params.iter().enumerate() {
            let ways = Ways(rounds.iter().map(|(args, from)| (args[k], *from)).collect());
            let ty = self.function.program.ty(param);
            // (φ's come first.)
            all.push((ty, self.join(ty, ways)));
        }
        let mut nexts = Vec::with_capacity(all.len());
        all.into_iter().for_each(|(ty, next)| self.carried(ty, next, &mut nexts));
        for (k, (_, next)) in nexts.into_iter().enumerate() {
            let phi = &mut self.function.blocks[header_index].instructions[first_phi + k];
            phi.operands.extend([next, continuing].map(Operand::IdRef));
        }
        self.branch(header);
        self.begin(merge);
        self.merge(value, exits);
    }

    /// The values carried to the next round for a value of that type: in exact modules, its components.
    fn carried(&mut self, ty: Type, id: Word, out: &mut Vec<(Type, Word)>) {
        if self.is_carried_whole(ty) {
            let Some(uints) = carrier(ty) else { return out.push((ty, id)) };
            let id = self.natively(Core::Convert(Scalar::U32), ty, uints, &[id]);
            return out.push((uints, id));
        }
        let parts: Vec<Type> = self.function.program.types.parts(ty).collect();
        for (k, part) in (0..).zip(parts) {
            let id = self.extract(part, id, k);
            self.carried(part, id, out);
        }
    }

    /// Restores a value of that type from its carried form.
    fn arrived(&mut self, ty: Type, ids: &mut impl Iterator<Item = Word>) -> Word {
        if self.is_carried_whole(ty) {
            let id = ids.next().expect("each part has one");
            return match carrier(ty) {
                Some(uints) => self.natively(Core::Convert(Scalar::Bool), uints, ty, &[id]),
                None => id,
            };
        }
        let parts: Vec<Type> = self.function.program.types.parts(ty).collect();
        let parts: Vec<Word> = parts.into_iter().map(|part| self.arrived(part, ids)).collect();
        self.construct(ty, &parts)
    }
}

/// The type that carries a bool or a vector of bools to the next round.
fn carrier(ty: Type) -> Option<Type> {
    let width = ty.width().filter(|_| ty.scalar() == Some(Scalar::Bool))?;
    Some(Type::of(Scalar::U32, width))
}
