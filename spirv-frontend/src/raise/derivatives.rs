//! Derivatives, and values at the other pixels of a quad (LANGUAGE §13).

use super::raiser::Raiser;
use crate::error::{RaiseError, Result};
use crate::module::Instruction;
use lambdav_core::graph::{Axis, NodeId, Side};
use lambdav_core::inputs::Input;
use lambdav_core::interface::Stage;
use lambdav_core::op::Op as Core;
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type};
use rspirv::spirv::Op;

impl Raiser<'_, '_> {
    /// The derivative of an instruction: coarse and fine ones are those of LANGUAGE §13.
    pub(super) fn derivative(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        self.demand(Stage::has_derivatives, "derivatives")?;
        let x = self.operand(of, 2)?;
        match of.op {
            Op::DPdx | Op::DPdxFine | Op::DPdxCoarse => self.difference(x, Axis::X),
            Op::DPdy | Op::DPdyFine | Op::DPdyCoarse => self.difference(x, Axis::Y),
            _ => {
                let [dx, dy] = [self.difference(x, Axis::X)?, self.difference(x, Axis::Y)?];
                let [dx, dy] = [self.op(Core::Abs, &[dx])?, self.op(Core::Abs, &[dy])?];
                self.op(Core::Add, &[dx, dy])
            }
        }
    }

    /// The value of another pixel of the quad.
    pub(super) fn swapped(&mut self, of: &Instruction<'_>) -> Result<NodeId> {
        self.demand(Stage::has_derivatives, "quads")?;
        let x = self.operand(of, 3)?;
        let direction = self.operand(of, 4)?;
        let axes = match self.graph.constant_words(direction) {
            Some([0]) => &[Axis::X][..],
            Some([1]) => &[Axis::Y],
            Some([2]) => &[Axis::X, Axis::Y],
            _ => return Err(of.malformed("its direction is none")),
        };
        let mut value = x;
        for &axis in axes {
            value = self.across(value, axis)?;
        }
        Ok(value)
    }

    /// The value of the other pixel along an axis.
    fn across(&mut self, x: NodeId, axis: Axis) -> Result<NodeId> {
        if !self.graph.free_loops(x).is_empty() {
            self.alike.push((x, self.span));
            return Ok(x);
        }
        let position = self.graph.input(Input::FragCoord, self.span);
        let coordinate = self.op(Core::Component((axis == Axis::Y).into()), &[position])?;
        let pixel = self.op(Core::Convert(Scalar::U32), &[coordinate])?;
        let one = self.splat(Type::UINT, 1);
        let parity = self.op(Core::And, &[pixel, one])?;
        let is_odd = self.op(Core::Equal, &[parity, one])?;
        let neighbours = &mut self.neighbours;
        let [even, odd] =
            [Side::Even, Side::Odd].map(|side| self.graph.at_neighbour(neighbours, x, axis, side));
        self.op(Core::Select, &[is_odd, even, odd])
    }

    /// The derivative of a value.
    pub(super) fn difference(&mut self, x: NodeId, axis: Axis) -> Result<NodeId> {
        if !self.graph.free_loops(x).is_empty() {
            // Assumed to be zero; checked when the loops are complete.
            self.alike.push((x, self.span));
            return self.op(Core::Sub, &[x, x]);
        }
        let neighbours = &mut self.neighbours;
        let [even, odd] =
            [Side::Even, Side::Odd].map(|side| self.graph.at_neighbour(neighbours, x, axis, side));
        self.op(Core::Sub, &[odd, even])
    }

    /// Refuses derivatives of values that loops around them compute, unless the values are the same at
    /// all pixels.
    pub(super) fn check_alike(&self) -> Result<()> {
        let differs = |(node, _): &&(NodeId, Span)| !self.graph.is_same_everywhere(*node);
        let Some(&(_, span)) = self.alike.iter().find(differs) else { return Ok(()) };
        let what = "a derivative inside a loop, of a value that it computes from coordinates";
        let mut error = RaiseError::unsupported(what)
            .help("take it outside the loop, or give the level of detail");
        error.span = Some(span);
        Err(error)
    }
}
