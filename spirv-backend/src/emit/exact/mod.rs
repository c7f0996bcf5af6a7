//! Modules that compute the language's bits on every conformant device.
//!
//! Operations that Vulkan requires to be exact are the device's: sums, differences and products (with
//! `NoContraction`), comparisons, rounding, conversions, integers. Every other builtin is a function of
//! the module:
//!
//! - Division, square root and `fma` are computed in binary64 ([`functions`]) and rounded to binary32.
//!   That is the right result if it is not subnormal, even of a quotient or root that is some units in
//!   its last place off. `fma` rounds its sum to odd first (Boldo and Melquiond). If a device's 32-bit
//!   `fma` rounds once, residuals correct quotients and roots in binary32 and prove them right
//!   ([`residual`]).
//! - Elementary functions are the bodies of `lambdav_core::elementary`, and, where these cannot decide,
//!   the integer functions of [`crate::library`].
//! - On devices without 64-bit floats, integers compute all of them.
//!
//! # Compute shaders
//!
//! An invocation that writes cannot be computed again. So the entry point of a compute shader is the rare function below,
//! alone: each operation is exact for any number.
//!
//! # Twice
//!
//! The slow path is a separate function. It handles bodies that do not decide (one call in 130,000), and
//! subnormal numbers, since most devices flush a subnormal operand or result to zero, and none that we
//! know can be told not to. So the program is emitted twice. The *fast* function computes with the
//! device's arithmetic and keeps the invariant that *no value is subnormal or undecided, or the pixel
//! has noted it*: each operation that may produce a subnormal from others notes it, and so does
//! each value that is read from outside. The *rare* function computes such a pixel again; all its
//! operations that depend on magnitudes accept any number. In the fast function, loops end early once
//! the pixel has noted something, so that wrong numbers cannot keep them running, except for loops that
//! end anyway ([`bounds`]).
//!
//! Drivers' compilers copy a function to each call. A function of some hundred instructions with loops
//! must not be copied often, so the rare function calls each library function from one place
//! ([`machine`]).
//!
//! The tests, for operands that are zero or normal:
//!
//! - A sum is subnormal or zero if its size is below 2^-126. It is truly zero if a = −b.
//! - A product is subnormal, or rounds to zero, if its size is below 2^-126 and no
//!   factor is zero.
//! - Many sums and products are known not to be subnormal ([`magnitude`]).
//! - Values from outside (uniforms, inputs, elements of buffers, texels, bits, constants) are tested by
//!   their bits.
//!
//! Zeros are frequent. So sizes are tested first, for several sums and products together, and operands
//! only if something is small. Moves, choices and comparisons of such numbers produce no subnormal
//! numbers.

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

use super::accesses::has_barriers;
use super::declarations::TypeDeclaration;
use super::modes::{Hiding, Magnitudes, Mode, Switch, Variant, builtin, functions_of};
use super::options::{Exact, Subnormals};
use super::translator::{FunctionState, Translator};
use crate::library::LibraryFunction;
use bounds::bounded;
use lambdav_core::op::Op as Core;
use lambdav_core::types::{Scalar, Type};
use magnitude::magnitudes;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{Op, Word};

impl<'p> Translator<'p> {
    /// Emits the program's functions and that of the entry point.
    pub(super) fn exactly(&mut self, main: Word, exact: Exact) {
        let program = self.function.program;
        if self.interface.workgroup.is_some() {
            return self.exactly_once(main, exact);
        }
        // Only fragments can report.
        let report = exact.report.filter(|_| self.interface.bound.entry_point.stage.has_pixels());
        let void = self.declarations.shape(TypeDeclaration::Void);
        let ty = self.declarations.shape(TypeDeclaration::Main);
        let any = exact.subnormals == Subnormals::Integers;
        let notes = match exact.subnormals {
            Subnormals::Integers => Some(Switch::Again),
            Subnormals::Flush if report.is_some() => Some(Switch::Subnormal),
            _ => None,
        };
        let of_program = functions_of(program);
        let relies_on_fma = of_program.iter().any(|function| self.relies_on_fma(function));
        let has_elementary = of_program.iter().any(is_elementary);
        let repeats = any || relies_on_fma || has_elementary;
        // The functions read the variables that the entry point stores first, so those are declared before.
        let entry = self.declarations.id();
        self.begin(entry);
        self.store_moved_inputs();
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
        self.report_sites();
        if notes == Some(Switch::Subnormal)
            && let Some(location) = report
        {
            self.report(location);
        }
        if self.exact.switches.contains_key(&Switch::Discarded) {
            let discarded = self.is_on(Switch::Discarded);
            self.discard_where(discarded);
        }
        self.push(Instruction::new(Op::Return, None, None, vec![]));
        self.finish_function(main, void, ty, Vec::new());
    }

    /// Emits the entry point as a function that is exact for all numbers.
    fn exactly_once(&mut self, main: Word, exact: Exact) {
        let program = self.function.program;
        let any = exact.subnormals == Subnormals::Integers;
        self.function = FunctionState::new(program, Mode::Rare { any }, Vec::new());
        if any {
            self.function.magnitudes = magnitudes(program, true);
        }
        self.function.has_barriers = has_barriers(program);
        let void = self.declarations.shape(TypeDeclaration::Void);
        let ty = self.declarations.shape(TypeDeclaration::Main);
        self.define_program(main, void, ty, Vec::new());
    }

    /// Writes to the output at that location if the pixel met a subnormal number.
    fn report(&mut self, location: u32) {
        let met = self.is_on(Switch::Subnormal);
        let [zero, one] =
            [0.0_f32, 1.0].map(|x| self.declarations.constant(Type::NUM, &[x.to_bits()]));
        let red = self.instruction(Op::Select, Type::NUM, &[met, one, zero]);
        let color = self.instruction(Op::CompositeConstruct, Type::vec(4), &[red, zero, zero, one]);
        let variable = self.interface.output(&mut self.declarations, location, Type::vec(4));
        self.store(variable, color);
    }

    /// Calls a function for each component of operands of that type.
    fn each(
        &mut self,
        function: LibraryFunction,
        variant: Variant,
        ty: Type,
        ids: &[Word],
    ) -> Word {
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

    /// Calls a function of nums.
    fn call(&mut self, function: LibraryFunction, variant: Variant, ids: &[Word]) -> Word {
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
        let value = self.call_function(function, variant, ids);
        match variant {
            Variant::Rare if is_elementary => {
                let hard = self.is_on(Switch::Hard);
                self.call_library(function, ids, Some((hard, value)))
            }
            _ => value,
        }
    }

    /// Calls the function for a builtin.
    fn call_function(&mut self, function: LibraryFunction, variant: Variant, ids: &[Word]) -> Word {
        let id = self.function_of(function, variant);
        let num = self.declarations.ty(Type::NUM);
        let operands = [id].iter().chain(ids).copied().map(Operand::IdRef).collect();
        self.compute(Op::FunctionCall, num, operands)
    }

    /// The function for a builtin, defined at its first use.
    fn function_of(&mut self, function: LibraryFunction, variant: Variant) -> Word {
        if let Some(&known) = self.exact.defined.get(&(function, variant)) {
            return known;
        }
        let id = match (function, variant) {
            (_, Variant::Library) => self.of_library(function),
            (_, Variant::Fast) if self.relies_on_fma(&function) => self.by_residual(function),
            _ if !self.has_float64() => self.function_of(function, Variant::Library),
            (LibraryFunction::Elementary(elementary), _) => self.elementary(elementary, variant),
            _ => self.in_binary64(function),
        };
        self.exact.defined.insert((function, variant), id);
        id
    }

    /// Emits a library function.
    fn of_library(&mut self, function: LibraryFunction) -> Word {
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

    pub(in crate::emit) fn call_void(&mut self, function: Word, void: Word) {
        self.compute(Op::FunctionCall, void, vec![Operand::IdRef(function)]);
    }

    /// Discards the pixel: `main` does it at the end, when all is known.
    pub(super) fn discard_exactly(&mut self) {
        self.settle();
        let yes = self.declarations.constant(Type::BOOL, &[1]);
        let discarded = self.switch(Switch::Discarded);
        self.store(discarded, yes);
        self.push(Instruction::new(Op::Return, None, None, vec![]));
    }

    /// Discards the pixel under a condition; `main` does it at the end.
    pub(super) fn discard_exactly_where(&mut self, condition: Word) {
        self.settle();
        let discarded = self.switch(Switch::Discarded);
        self.store(discarded, condition);
    }

    /// True if the function is computed by residuals, which rely on the device's `fma`.
    fn relies_on_fma(&self, function: &LibraryFunction) -> bool {
        let has_residual =
            matches!(function, LibraryFunction::Div | LibraryFunction::Sqrt | LibraryFunction::Fma);
        has_residual && self.options.exact.is_some_and(|exact| exact.fused)
    }

    /// True if the fast function, too, takes this function from the integer library.
    pub(super) fn is_of_library(&self, function: &LibraryFunction) -> bool {
        let has_integers =
            matches!(function, LibraryFunction::Div | LibraryFunction::Sqrt | LibraryFunction::Fma);
        has_integers && !self.has_float64() && !self.relies_on_fma(function)
    }

    /// True if the module may use 64-bit floats.
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

    /// Loads a switch.
    fn is_on(&mut self, switch: Switch) -> Word {
        let variable = self.switch(switch);
        let bool = self.declarations.ty(Type::BOOL);
        self.compute(Op::Load, bool, vec![Operand::IdRef(variable)])
    }

    /// An operation of an exact module that replaces the device's own; `None` if the device's own
    /// serves. The first operand has the type `kind`.
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
                Mode::Rare { any: true } if !self.function.is_harmless => {
                    self.without_subnormal(kind, ids[0])
                }
                _ => ids[0],
            };
            let rounded = self.natively(op, kind, ty, &[of]);
            // (Mesa's lavapipe may round a NaN to an integer.)
            let bools = Type::bvec(ty.width().expect("nums and vectors are rounded"));
            let is_number = self.instruction(Op::FOrdEqual, bools, &[ids[0], ids[0]]);
            return Some(self.instruction(Op::Select, ty, &[is_number, rounded, ids[0]]));
        }
        // Sums and products are the device's, unless subnormal numbers matter.
        let is_arithmetic =
            |of: &LibraryFunction| matches!(of, LibraryFunction::Add | LibraryFunction::Mul);
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

fn is_elementary(function: &LibraryFunction) -> bool {
    matches!(function, LibraryFunction::Elementary(_))
}
