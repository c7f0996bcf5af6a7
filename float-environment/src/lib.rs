//! The floating-point environment in which λV computes.
//!
//! A thread's control register says how operations round, whether subnormal operands and results become
//! zero, and which exceptions trap. A library that was linked with `-ffast-math`, or a call of
//! `fesetround`, changes it for all code that the thread executes later, and threads inherit it. The
//! meaning of a λV program must not depend on the register, so all floating-point work of this project
//! runs inside [`with_default`].
//!
//! *Guarantee:* inside, operations round to nearest even, keep subnormals and do not trap. Afterwards,
//! also after a panic, the control register has its old value. A register that is already right is only
//! read.
//!
//! Supports x86-64 (MXCSR) and AArch64 (FPCR, FPSR). Elsewhere nothing is changed.
//!
//! Inside it run: compiling, which folds constants; evaluators; calls of machine code; workers; quantising and comparing.
//! `tests/all/float_environment.rs` sets each flag and compares bits.

use std::marker::PhantomData;

/// Does the work in the default environment.
#[inline]
pub fn with_default<R>(work: impl FnOnce() -> R) -> R {
    let _restore = Restore::after(registers::DEFAULT);
    isolated(work)
}

/// Environments in which other code may leave a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Foreign {
    /// Subnormal operands and results are zero.
    FlushToZero,
    /// Results are rounded toward +∞.
    Upward,
    /// Results are rounded toward −∞.
    Downward,
    /// Results are rounded toward zero.
    TowardZero,
}

impl Foreign {
    /// All foreign environments.
    pub const ALL: [Self; 4] = [Self::FlushToZero, Self::Upward, Self::Downward, Self::TowardZero];
}

/// Does the work as if other code had left the thread in environment `foreign`; false if this crate
/// cannot set that environment. For tests: inside, only code under [`with_default`] may compute.
pub fn with_foreign(foreign: Foreign, work: impl FnOnce()) -> bool {
    let Some(control) = registers::foreign(foreign) else { return false };
    let _restore = Restore::after(control);
    isolated(work);
    true
}

/// Out of line, so that no computation moves past a change of the registers.
#[inline(never)]
fn isolated<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Restores the registers on drop, on the thread that they belong to.
struct Restore(Option<registers::Saved>, PhantomData<*const ()>);

impl Restore {
    /// Sets the control register and remembers its old value.
    fn after(control: registers::Control) -> Self {
        let saved = registers::read();
        let is_other = registers::control(saved) != control;
        if is_other {
            registers::write_control(saved, control);
        }
        Self(is_other.then_some(saved), PhantomData)
    }
}

impl Drop for Restore {
    fn drop(&mut self) {
        if let Some(saved) = self.0 {
            registers::restore(saved);
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "no safe function reads or writes the register")]
mod registers {
    use super::Foreign;
    use std::arch::asm;

    /// MXCSR: bits 0 to 5 are the status, which operations set; the rest is control.
    pub(super) type Saved = u32;
    pub(super) type Control = u32;

    const STATUS: u32 = 0x3f;
    /// No traps, results rounded to nearest even, subnormals kept.
    pub(super) const DEFAULT: Control = 0x1f80;

    pub(super) fn foreign(foreign: Foreign) -> Option<Control> {
        Some(match foreign {
            // The flags FTZ and DAZ.
            Foreign::FlushToZero => DEFAULT | 1 << 15 | 1 << 6,
            Foreign::Downward => DEFAULT | 1 << 13,
            Foreign::Upward => DEFAULT | 2 << 13,
            Foreign::TowardZero => DEFAULT | 3 << 13,
        })
    }

    pub(super) fn control(saved: Saved) -> Control {
        saved & !STATUS
    }

    #[inline]
    pub(super) fn read() -> Saved {
        let mut register = 0_u32;
        // SAFETY: writes the four bytes of `register`; every x86-64 processor has the instruction.
        unsafe {
            asm!("stmxcsr [{}]", in(reg) &raw mut register, options(nostack, preserves_flags));
        }
        register
    }

    pub(super) fn write_control(saved: Saved, control: Control) {
        restore(saved & STATUS | control);
    }

    pub(super) fn restore(saved: Saved) {
        // SAFETY: reads the four bytes of `saved`. They are an earlier value of the register or set only
        // known flags, so loading them does not fault. Rust code expects the default environment: a
        // foreign one was set by other code, is replaced here for our work, and is put back when that
        // code goes on.
        unsafe {
            asm!("ldmxcsr [{}]", in(reg) &raw const saved, options(nostack, preserves_flags));
        }
    }
}

#[cfg(target_arch = "aarch64")]
#[allow(unsafe_code, reason = "no safe function reads or writes the registers")]
mod registers {
    use super::Foreign;
    use std::arch::asm;

    /// FPCR, and FPSR, which operations set.
    pub(super) type Saved = [u64; 2];
    pub(super) type Control = u64;

    /// No traps, results rounded to nearest even, subnormals kept, NaNs propagated.
    pub(super) const DEFAULT: Control = 0;

    pub(super) fn foreign(foreign: Foreign) -> Option<Control> {
        Some(match foreign {
            Foreign::FlushToZero => 1 << 24,
            Foreign::Upward => 1 << 22,
            Foreign::Downward => 2 << 22,
            Foreign::TowardZero => 3 << 22,
        })
    }

    pub(super) fn control([control, _]: Saved) -> Control {
        control
    }

    #[inline]
    pub(super) fn read() -> Saved {
        let (control, status): (u64, u64);
        // SAFETY: reads two registers that every program may read.
        unsafe {
            asm!("mrs {}, fpcr", "mrs {}, fpsr", out(reg) control, out(reg) status, options(nomem, nostack, preserves_flags));
        }
        [control, status]
    }

    pub(super) fn write_control([_, status]: Saved, control: Control) {
        restore([control, status]);
    }

    pub(super) fn restore([control, status]: Saved) {
        // SAFETY: every program may write these registers, and bits that a processor lacks are ignored.
        // For the environment that Rust code expects, see x86-64.
        unsafe {
            asm!("msr fpcr, {}", "msr fpsr, {}", in(reg) control, in(reg) status, options(nostack, preserves_flags));
        }
    }
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
mod registers {
    use super::Foreign;

    pub(super) type Saved = ();
    pub(super) type Control = ();

    pub(super) const DEFAULT: Control = ();

    pub(super) fn foreign(_: Foreign) -> Option<Control> {
        None
    }

    pub(super) fn control(_: Saved) -> Control {}

    pub(super) fn read() -> Saved {}

    pub(super) fn write_control(_: Saved, _: Control) {}

    pub(super) fn restore(_: Saved) {}
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::hint::black_box;

    /// Three operations; each foreign environment changes the result of at least one.
    fn results() -> [u32; 3] {
        let tiny = f32::from_bits(1);
        let third = |sign: f32| black_box(sign) / black_box(3.0);
        [(black_box(tiny) + black_box(tiny)).to_bits(), third(1.0).to_bits(), third(-1.0).to_bits()]
    }

    #[test]
    fn the_environment_is_the_default_inside_and_what_it_was_afterwards() {
        let expected = results();
        for foreign in Foreign::ALL {
            let mut found = [[0; 3]; 3];
            let is_known = with_foreign(foreign, || {
                found = [isolated(results), with_default(results), isolated(results)];
            });
            if is_known {
                assert_ne!(found[0], expected, "{foreign:?}");
                assert_eq!(found[1], expected, "{foreign:?}");
                assert_eq!(found[2], found[0], "{foreign:?}");
            }
            assert_eq!(results(), expected, "{foreign:?}");
        }
    }

    #[test]
    fn it_is_restored_after_a_panic() {
        let before = registers::read();
        let _ = std::panic::catch_unwind(|| {
            with_foreign(Foreign::Upward, || std::panic::resume_unwind(Box::new(())));
        });
        assert_eq!(registers::control(registers::read()), registers::control(before));
    }
}
