//! Reports of undefined behaviour by a device: an instrumented module.
//!
//! The last outputs of a program that reports hold a bit for each site ([`lambdav_core::schedule::probes`]). In an instrumented module
//! they are no outputs: the program is a function that leaves them in private variables, and the entry point, behind its call,
//! writes to a storage buffer of uints. A site has two of them:
//!
//! - the first pixel in scan order that met the site, row · 65536 + column, by an atomic minimum; the host fills it with
//!   0xffffffff before;
//! - the number of pixels that met it, by an atomic addition; 0 before.
//!
//! So the module reports pictures of at most 65,536 columns and rows. A pixel writes nothing if it meets no site.

use super::declarations::TypeDeclaration;
use super::interface::{Interface, MemoryReference};
use super::modes::Mode;
use super::options::Instrument;
use super::translator::{FunctionState, Translator};
use lambdav_core::inputs::Input;
use lambdav_core::interface::Binding;
use lambdav_core::schedule::probes::BITS;
use lambdav_core::types::Type;
use rspirv::dr::{Instruction, Operand};
use rspirv::spirv::{MemorySemantics, Op, Scope, StorageClass, Word};

impl Interface {
    /// The private variable that stands for the output at a location, if that is one of a report.
    pub(super) fn report(
        &mut self,
        declarations: &mut super::declarations::Declarations<'_>,
        location: u32,
        instrument: Option<Instrument>,
    ) -> Option<Word> {
        instrument?.place(location)?;
        if let Some(&known) = self.reports.get(&location) {
            return Some(known);
        }
        let zero = declarations.constant(Type::vec(4), &[0; 4]);
        let id = self.private(declarations, Type::vec(4), zero);
        declarations.name(id, &format!("sites {location}"));
        self.reports.insert(location, id);
        Some(id)
    }
}

impl Translator<'_> {
    /// Emits the program as a function, and an entry point that calls it and reports.
    pub(super) fn instrumented(&mut self, main: Word) {
        let program = self.function.program;
        let void = self.declarations.shape(TypeDeclaration::Void);
        let ty = self.declarations.shape(TypeDeclaration::Main);
        let drawn = self.declarations.id();
        self.declarations.name(drawn, "drawn");
        self.define_program(drawn, void, ty, Vec::new());
        self.function = FunctionState::new(program, Mode::Native, Vec::new());
        let entry = self.declarations.id();
        self.begin(entry);
        self.call_void(drawn, void);
        self.report_sites();
        self.push(Instruction::new(Op::Return, None, None, vec![]));
        self.finish_function(main, void, ty, Vec::new());
    }

    /// Writes the sites that the pixel met to the buffer, if the module is instrumented.
    pub(super) fn report_sites(&mut self) {
        let Some(instrument) = self.options.instrument else { return };
        let mut variables: Vec<(u32, Word)> =
            self.interface.reports.iter().map(|(&location, &id)| (location, id)).collect();
        variables.sort_unstable();
        let pixel = self.pixel_index();
        for (location, variable) in variables {
            let place = instrument.place(location).expect("it is one of a report");
            let four = self.declarations.ty(Type::vec(4));
            let words = self.compute(Op::Load, four, vec![Operand::IdRef(variable)]);
            for component in 0..4 {
                let first = (4 * place + component) * BITS;
                let sites = instrument.sites.saturating_sub(first).min(BITS);
                if sites == 0 {
                    break;
                }
                let number = self.extract(Type::NUM, words, component);
                let word = self.instruction(Op::ConvertFToU, Type::UINT, &[number]);
                let zero = self.declarations.uint(0);
                let is_met = self.instruction(Op::INotEqual, Type::BOOL, &[word, zero]);
                self.when(is_met, |s| {
                    for bit in 0..sites {
                        let one = s.declarations.uint(1 << bit);
                        let masked = s.instruction(Op::BitwiseAnd, Type::UINT, &[word, one]);
                        let hits = s.instruction(Op::INotEqual, Type::BOOL, &[masked, zero]);
                        s.when(hits, |s| s.report_site(instrument, first + bit, pixel));
                    }
                });
            }
        }
    }

    /// The pixel's row · 65536 + column.
    fn pixel_index(&mut self) -> Word {
        let MemoryReference::Variable(variable) =
            self.interface.input(&mut self.declarations, Input::FragCoord)
        else {
            unreachable!("the coordinate is a variable of its own")
        };
        let four = self.declarations.ty(Type::vec(4));
        let centre = self.compute(Op::Load, four, vec![Operand::IdRef(variable)]);
        let [column, row] = [0, 1].map(|k| {
            let number = self.extract(Type::NUM, centre, k);
            self.instruction(Op::ConvertFToU, Type::UINT, &[number])
        });
        let sixteen = self.declarations.uint(16);
        let row = self.instruction(Op::ShiftLeftLogical, Type::UINT, &[row, sixteen]);
        self.instruction(Op::BitwiseOr, Type::UINT, &[row, column])
    }

    /// Updates the words of a site.
    fn report_site(&mut self, instrument: Instrument, site: u32, pixel: Word) {
        let base = self.interface.report_buffer(&mut self.declarations, instrument);
        let uint = self.declarations.ty(Type::UINT);
        let shape = TypeDeclaration::Pointer(StorageClass::StorageBuffer, uint);
        let pointer_type = self.declarations.shape(shape);
        let (scope, one) =
            (self.declarations.uint(Scope::Device as u32), self.declarations.uint(1));
        let relaxed = self.declarations.uint(MemorySemantics::empty().bits());
        for (op, offset, value) in [(Op::AtomicUMin, 0, pixel), (Op::AtomicIAdd, 1, one)] {
            let zero = self.declarations.uint(0);
            let index = self.declarations.uint(2 * site + offset);
            let indices = [base, zero, index].map(Operand::IdRef).to_vec();
            let pointer = self.compute(Op::AccessChain, pointer_type, indices);
            let operands = vec![
                Operand::IdRef(pointer),
                Operand::IdScope(scope),
                Operand::IdMemorySemantics(relaxed),
                Operand::IdRef(value),
            ];
            self.compute(op, uint, operands);
        }
    }
}

impl Interface {
    /// The buffer of a report.
    fn report_buffer(
        &mut self,
        declarations: &mut super::declarations::Declarations<'_>,
        instrument: Instrument,
    ) -> Word {
        if let Some(known) = self.report_buffer {
            return known;
        }
        self.has_buffers = true;
        let words = declarations.words();
        let id = self.variable(declarations, StorageClass::StorageBuffer, words, "sites");
        let [set, binding] = instrument.binding;
        Self::bind(declarations, id, Binding::Descriptor { set, binding });
        self.report_buffer = Some(id);
        id
    }
}
