//! Atomic operations on variables of buffers, shared variables, and atomic counters.

use super::builtin_table::Stages;
use super::checker::Checker;
use super::items::Argument;
use super::values::{Operand, Place, Value};
use crate::types::{Kind, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Op, StorageClass};

/// A function of atomic counters.
#[derive(Clone, Copy, Debug)]
pub(super) struct Counter {
    op: Op,
    /// The number of values behind the counter.
    values: usize,
}

impl Counter {
    /// The function of a name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let name = name.strip_prefix("atomicCounter")?;
        let (op, values) = match name.strip_suffix("ARB").unwrap_or(name) {
            "" => (Op::AtomicLoad, 0),
            "Increment" => (Op::AtomicIIncrement, 0),
            "Decrement" => (Op::AtomicIDecrement, 0),
            "Add" => (Op::AtomicIAdd, 1),
            "Subtract" => (Op::AtomicISub, 1),
            "Min" => (Op::AtomicUMin, 1),
            "Max" => (Op::AtomicUMax, 1),
            "And" => (Op::AtomicAnd, 1),
            "Or" => (Op::AtomicOr, 1),
            "Xor" => (Op::AtomicXor, 1),
            "Exchange" => (Op::AtomicExchange, 1),
            "CompSwap" => (Op::AtomicCompareExchange, 2),
            _ => return None,
        };
        Some(Self { op, values })
    }
}

impl Checker<'_> {
    /// The instruction of an atomic operation: relaxed, for the whole device.
    pub(super) fn atomic_at(&mut self, op: Op, ty: Type, pointer: u32, values: &[u32]) -> Value {
        let [device, relaxed] = [self.uint(1), self.uint(0)];
        let mut operands = vec![pointer, device, relaxed];
        match (op, values) {
            // Its order is the new value, then the one to compare with.
            (Op::AtomicCompareExchange, &[compare, new]) => {
                operands.extend([relaxed, new, compare]);
            }
            _ => operands.extend_from_slice(values),
        }
        self.compute(op, ty, &operands)
    }

    /// An atomic operation on a variable.
    pub(super) fn atomic(
        &mut self,
        name: &str,
        op: Op,
        ty: Type,
        given: &[Argument],
        ids: &[u32],
    ) -> Option<Value> {
        let Some(Argument::Place(place, span)) = given.first() else { return None };
        let shared = [StorageClass::StorageBuffer, StorageClass::Workgroup];
        if !shared.contains(&place.class) {
            let message = format!("`{name}` takes a variable of a buffer, or a `shared` one");
            self.wrong(DiagnosticCode::GlslArguments, *span, message);
            return None;
        }
        let place = self.writable(Operand::Place(place.clone()), *span)?;
        let place = match place.swizzle.as_deref() {
            Some(&[component]) => {
                let index = self.int(component.into());
                let mut chain = place.chain.clone();
                chain.push(index);
                Place { chain, whole: place.ty, swizzle: None, ..place }
            }
            _ => place,
        };
        let pointer = self.pointer_to(&place);
        Some(self.atomic_at(op, ty, pointer, ids))
    }

    /// A function of an atomic counter.
    pub(super) fn call_counter(
        &mut self,
        name: &str,
        counter: Counter,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        self.check_available(name, [400, 310], Stages::All, at);
        let mut arguments = arguments.into_iter();
        let place = match arguments.next() {
            Some((Operand::Place(place), _))
                if self.types.kind(place.ty) == Kind::AtomicCounter =>
            {
                place
            }
            other => {
                let at = other.map_or(at, |(_, span)| span);
                let message = format!("`{name}` takes an `atomic_uint` first");
                self.wrong(DiagnosticCode::GlslArguments, at, message);
                return None;
            }
        };
        if arguments.len() != counter.values {
            let message = format!(
                "`{name}` takes {} numbers behind the counter, and here are {}",
                counter.values,
                arguments.len()
            );
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            return None;
        }
        let mut values = Vec::new();
        for (operand, span) in arguments {
            let value = self.value_of(operand, span)?;
            let value = self.coerce(&value, Types::UINT, span, "the number has the type")?;
            values.push(self.id(&value));
        }
        let pointer = self.pointer_to(&place);
        let old = self.atomic_at(counter.op, Types::UINT, pointer, &values);
        if counter.op != Op::AtomicIDecrement {
            return Some(old);
        }
        // The function returns the new value, the instruction the old one.
        let one = self.uint(1);
        Some(self.compute(Op::ISub, Types::UINT, &[old.id, one]))
    }
}
