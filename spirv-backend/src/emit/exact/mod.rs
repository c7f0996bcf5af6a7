//! Modules that compute, on every conformant device, the bits that the language says.
//!
//! What Vulkan makes devices compute exactly is used as it is: sums, differences and products (with
//! `NoContraction`), comparisons, rounding, conversions, integers. What it does not is a function of
//! the module, one for each builtin:
//!
//! - Division, square root and `fma` in binary64 ([`functions`]), rounded to binary32: that is the right
//!   result wherever it is not subnormal, even of a quotient or root that is some units in its last place off.
//!   `fma` rounds its sum to odd first (Boldo and Melquiond). Where a device's `fma` of 32 bits rounds once, the
//!   residuals correct quotients and roots in binary32, and say that they are right ([`residual`]).
//! - Elementary functions by the bodies of `lambdav_core::elementary`, and, where these cannot decide, by
//!   integers, from the library of [`crate::exact`].
//! - On devices without floats of 64 bits all of them by integers.
//!
//! # Twice
//!
//! What is rare stands apart: where a body does not decide (one call in 130,000), and subnormal numbers, since most devices
//! make a subnormal operand or result zero, and none that we know can be told not to. The program is emitted twice. The
//! *fast* function computes with the device's arithmetic and keeps the invariant that *no value is subnormal or
//! undecided, or the pixel has noted it*: each operation that may have made one out of operands that are none
//! notes it where it has, and so does what is read from outside. Such a pixel is computed again by the
//! *rare* function, in which everything that looks at the size of a number takes any. In the fast
//! function, loops end where the pixel has noted something, so that what a wrong number leads to ends, unless they end anyway
//! ([`bounds`]).
//!
//! Compilers of drivers copy a function to wherever it is called. One of some hundred instructions with loops
//! cannot be copied often, so the rare function calls each function of the library in one place ([`machine`]).
//!
//! The tests (a number that is not subnormal is called *full*, zeros included):
//!
//! - a sum of full numbers is subnormal or zero if its size is below 2^-126, and zero rightly if a = −b;
//! - a product of full numbers is subnormal, or rounds to zero, if its size is below 2^-126 and none of them is zero;
//! - of many sums and products it is known before that they are never subnormal ([`magnitude`]);
//! - what comes from outside (uniforms, inputs, elements of buffers, texels, bits, constants) is looked at as bits.
//!
//! Zeros are frequent. So sizes are looked at first, those of several sums and products together, and operands only where
//! something is small. Values that are moved, chosen or compared make no subnormal numbers of full ones.

mod body;
mod bounds;
mod doubles;
mod drivers;
mod functions;
mod machine;
mod magnitude;
mod rare;
mod regions;
mod residual;
mod subnormal;
mod unused;

use super::declarations::TypeDeclaration;
use super::modes::{Hiding, Magnitudes, Mode, Switch, Variant, builtin, functions_of};
use super::options::{Exact, Subnormals};
use super::translator::{FunctionState, Translator};
use crate::exact::library::Function;
use bounds::bounded;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type};
use magnitude::magnitudes;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};

impl<'p> Translator<'p> {
    /// Emits the program's functions, and `main`, the entry point.
    pub(super) fn exactly(&mut self, main: Word, exact: Exact) {
        let program = self.function.program;
        let void = self.declarations.shape(TypeDeclaration::Void);
        let ty = self.declarations.shape(TypeDeclaration::Main);
        let any = exact.subnormals == Subnormals::Integers;
        let notes = match exact.subnormals {
            Subnormals::Integers => Some(Switch::Again),
            Subnormals::Flush if exact.report.is_some() => Some(Switch::Subnormal),
            _ => None,
        };
        let of_program = functions_of(program);
        let relies_on_fma = of_program.iter().any(|function| self.relies_on_fma(function));
        let has_elementary = of_program.iter().any(is_elementary);
        let repeats = any || relies_on_fma || has_elementary;
        let mut define = |mode, name: &str| {
            let id = self.declarations.id();
            self.declarations.name(id, name);
            let mut inner = FunctionState::new(program, mode, Vec::new());
            inner.magnitudes = match mode {
                Mode::Fast { notes: Some(_), .. } => magnitudes(program, false),
                Mode::Rare { any: true } => magnitudes(program, true),
                _ => Magnitudes::default(),
            };
            if let Mode::Fast { repeats, .. } = mode {
                inner.calls_once = self.has_too_many_loops(program);
                if repeats {
                    inner.bounded = bounded(program);
                }
            }
            let outer = std::mem::replace(&mut self.function, inner);
            self.define_program(id, void, ty, Vec::new());
            self.function = outer;
            id
        };
        let fast = define(Mode::Fast { notes, repeats }, "fast");
        let rare = repeats.then(|| define(Mode::Rare { any }, "rare"));

        let entry = self.declarations.id();
        self.begin(entry);
        if relies_on_fma {
            let twice = self.rounds_twice();
            self.turn_on(Switch::Again, twice);
            self.settle();
        }
        self.call_void(fast, void);
        if let Some(rare) = rare {
            let again = self.is_on(Switch::Again);
            self.when(again, |s| {
                if let Some(&discarded) = s.exact.switches.get(&Switch::Discarded) {
                    let no = s.declarations.constant(Type::BOOL, &[0]);
                    s.store(discarded, no);
                }
                s.call_void(rare, void);
            });
        }
        if notes == Some(Switch::Subnormal)
            && let Some(location) = exact.report
        {
            self.report(location);
        }
        if self.exact.switches.contains_key(&Switch::Discarded) {
            let discarded = self.is_on(Switch::Discarded);
            let [kill, keep] = [(); 2].map(|()| self.declarations.id());
            self.select_between(discarded, [kill, keep], keep);
            self.begin(kill);
            self.push(Instruction::new(Op::Kill, None, None, vec![]));
            self.begin(keep);
        }
        self.push(Instruction::new(Op::Return, None, None, vec![]));
        self.finish_function(main, void, ty, Vec::new());
    }

    /// Writes whether the pixel has noted anything to the output at that location.
    fn report(&mut self, location: u32) {
        let met = self.is_on(Switch::Subnormal);
        let [zero, one] =
            [0.0_f32, 1.0].map(|x| self.declarations.constant(Type::NUM, &[x.to_bits()]));
        let red = self.instruction(Op::Select, Type::NUM, &[met, one, zero]);
        let color = self.instruction(Op::CompositeConstruct, Type::vec(4), &[red, zero, zero, one]);
        let variable = self.interface.output(&mut self.declarations, location);
        self.store(variable, color);
    }

    /// The values of a function for each component of operands of that type.
    fn each(&mut self, function: Function, variant: Variant, ty: Type, ids: &[Word]) -> Word {
        let width = ty.width().expect("the function is one of nums and vectors");
        if width == 1 {
            return self.call(function, variant, ids);
        }
        let components: Vec<Word> = (0..u32::from(width))
            .map(|k| {
                let ids: Vec<Word> = ids.iter().map(|&id| self.extract(Type::NUM, id, k)).collect();
                self.call(function, variant, &ids)
            })
            .collect();
        self.instruction(Op::CompositeConstruct, ty, &components)
    }

    /// The value of a function of numbers.
    fn call(&mut self, function: Function, variant: Variant, ids: &[Word]) -> Word {
        let has_float64 = self.has_float64();
        let is_elementary = is_elementary(&function);
        match variant {
            Variant::Fast if !has_float64 && is_elementary => {
                let yes = self.declarations.constant(Type::BOOL, &[1]);
                self.turn_on(Switch::Again, yes);
                return self.declarations.constant(Type::NUM, &[0]);
            }
            Variant::Rare if !has_float64 => return self.call_library(function, ids, None),
            Variant::Fast if self.function.calls_once && self.is_of_library(&function) => {
                return self.call_library(function, ids, None);
            }
            _ => {}
        }
        let id = self.function_of(function, variant);
        let num = self.declarations.ty(Type::NUM);
        let operands = [id].iter().chain(ids).copied().map(Operand::IdRef).collect();
        let value = self.compute(Op::FunctionCall, num, operands);
        match variant {
            Variant::Rare if is_elementary => {
                let hard = self.is_on(Switch::Hard);
                self.call_library(function, ids, Some((hard, value)))
            }
            _ => value,
        }
    }

    /// The function of a builtin.
    fn function_of(&mut self, function: Function, variant: Variant) -> Word {
        if let Some(&known) = self.exact.defined.get(&(function, variant)) {
            return known;
        }
        let id = match (function, variant) {
            (_, Variant::Library) => self.of_library(function),
            (_, Variant::Fast) if self.relies_on_fma(&function) => self.by_residual(function),
            _ if !self.has_float64() => self.function_of(function, Variant::Library),
            (Function::Elementary(elementary), _) => self.elementary(elementary, variant),
            _ => self.in_binary64(function),
        };
        self.exact.defined.insert((function, variant), id);
        id
    }

    /// Emits a function of the library.
    fn of_library(&mut self, function: Function) -> Word {
        let library = self.exact.library;
        let found = library.0.iter().position(|&(of, _)| of == function);
        let index = found.expect("the functions that a program needs are known before");
        let program = &library.0[index].1;
        let (id, num) = (self.declarations.id(), self.declarations.ty(Type::NUM));
        self.declarations.name(id, function.name());
        let parameters: Vec<Word> =
            program.uniforms.iter().map(|_| self.declarations.id()).collect();
        let ty = self.declarations.function_type(num, &vec![num; parameters.len()]);
        let inner = FunctionState::new(program, Mode::Library, parameters.clone());
        let outer = std::mem::replace(&mut self.function, inner);
        let lines = self.lines.take();
        let types = self.declarations.enter((&program.types, index as u32 + 1));
        let declared = |id| Instruction::new(Op::FunctionParameter, Some(num), Some(id), vec![]);
        self.define_program(id, num, ty, parameters.into_iter().map(declared).collect());
        self.declarations.enter(types);
        self.lines = lines;
        self.function = outer;
        id
    }

    fn call_void(&mut self, function: Word, void: Word) {
        self.compute(Op::FunctionCall, void, vec![Operand::IdRef(function)]);
    }

    /// Emits what is done where a condition holds.
    pub(super) fn when(&mut self, condition: Word, then: impl FnOnce(&mut Self)) {
        let [inside, behind] = [(); 2].map(|()| self.declarations.id());
        self.select_between(condition, [inside, behind], behind);
        self.begin(inside);
        then(self);
        self.branch(behind);
        self.begin(behind);
    }

    /// The pixel is discarded: `main` does it, once all is known.
    pub(super) fn discard_exactly(&mut self) {
        self.settle();
        let yes = self.declarations.constant(Type::BOOL, &[1]);
        let discarded = self.switch(Switch::Discarded);
        self.store(discarded, yes);
        self.push(Instruction::new(Op::Return, None, None, vec![]));
    }

    /// Whether what the result of a function lacks is an `fma`, and the device's is relied on.
    fn relies_on_fma(&self, function: &Function) -> bool {
        let has_residual = matches!(function, Function::Div | Function::Sqrt | Function::Fma);
        has_residual && self.options.exact.is_some_and(|exact| exact.fused)
    }

    /// Whether the fast function, too, has a function from the library of integers.
    pub(super) fn is_of_library(&self, function: &Function) -> bool {
        let has_integers = matches!(function, Function::Div | Function::Sqrt | Function::Fma);
        has_integers && !self.has_float64() && !self.relies_on_fma(function)
    }

    /// Whether the module may use floats of 64 bits.
    fn has_float64(&self) -> bool {
        self.options.exact.is_some_and(|exact| exact.float64)
    }

    /// The variable of a switch.
    fn switch(&mut self, switch: Switch) -> Word {
        if let Some(&known) = self.exact.switches.get(&switch) {
            return known;
        }
        let id = self.interface.switch(&mut self.declarations, switch.name());
        self.exact.switches.insert(switch, id);
        id
    }

    /// Whether a switch is on.
    fn is_on(&mut self, switch: Switch) -> Word {
        let variable = self.switch(switch);
        let bool = self.declarations.ty(Type::BOOL);
        self.compute(Op::Load, bool, vec![Operand::IdRef(variable)])
    }

    /// An operation of an exact module, if it is computed in another way than a device's own. The
    /// first operand has the type `kind`.
    pub(super) fn exact(&mut self, op: Core, kind: Type, ty: Type, ids: &[Word]) -> Option<Word> {
        if op == Core::FromBits {
            let id = self.instruction(Op::Bitcast, ty, ids);
            let id = self.hide(Hiding::Bits, id, ty);
            self.note_from_outside(id, ty);
            return Some(id);
        }
        if !kind.is_num() {
            let is_made_a_number = op == Core::Convert(Scalar::F32);
            return is_made_a_number.then(|| {
                let id = self.natively(op, kind, ty, ids);
                self.hide(Hiding::Result, id, ty)
            });
        }
        if matches!(op, Core::Floor | Core::Ceil | Core::Trunc | Core::RoundEven) {
            let of = match self.function.mode {
                Mode::Rare { any: true } if !self.function.is_harmless => self.full(kind, ids[0]),
                _ => ids[0],
            };
            let rounded = self.natively(op, kind, ty, &[of]);
            // (Mesa's lavapipe may round a NaN to an integer.)
            let bools = Type::bvec(ty.width().expect("nums and vectors are rounded"));
            let is_number = self.instruction(Op::FOrdEqual, bools, &[ids[0], ids[0]]);
            return Some(self.instruction(Op::Select, ty, &[is_number, rounded, ids[0]]));
        }
        // Sums and products are the device's, or any numbers'.
        let is_arithmetic = |of: &Function| matches!(of, Function::Add | Function::Mul);
        let function = builtin(op).filter(|of| !is_arithmetic(of));
        match (self.function.mode, function) {
            (Mode::Fast { .. }, Some(function)) => {
                let id = self.each(function, Variant::Fast, ty, ids);
                if !self.has_float64() && !self.relies_on_fma(&function) {
                    self.note_from_outside(id, ty);
                }
                Some(id)
            }
            (Mode::Rare { .. }, Some(function)) => match self.has_float64() {
                true if !is_elementary(&function) => self.in_doubles(op, kind, ty, ids),
                _ => Some(self.each(function, Variant::Rare, ty, ids)),
            },
            _ if self.function.is_harmless => None,
            (Mode::Fast { notes: Some(_), .. }, None) => self.noted(op, ty, ids),
            (Mode::Rare { any: true }, None) => self.rarely(op, kind, ty, ids),
            _ => None,
        }
    }
}

fn is_elementary(function: &Function) -> bool {
    matches!(function, Function::Elementary(_))
}
