//! What stands before the function: types and constants, each once, names and decorations.
//!
//! Ids are given out here. Declarations are made on demand, parts before wholes, so that they stand
//! in an order that SPIR-V takes, and nothing is declared that is not used.

use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// A type by structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TypeDeclaration {
    Void,
    /// A function without parameters and result.
    Main,
    Value(Type),
    Pointer(StorageClass, Word),
}

/// The declarations so far.
#[derive(Debug)]
pub(super) struct Declarations<'p> {
    pub(super) module: Module,
    types: &'p Types,
    next: Word,
    shapes: FxHashMap<TypeDeclaration, Word>,
    constants: FxHashMap<(Type, Box<[u32]>), Word>,
    /// Values that have a name, and constants, which are too many things at once to have one.
    named: FxHashSet<Word>,
    glsl: Option<Word>,
}

impl<'p> Declarations<'p> {
    /// None, for a program with these types.
    pub(super) fn new(types: &'p Types) -> Self {
        Self {
            module: Module::new(),
            types,
            next: 1,
            shapes: FxHashMap::default(),
            constants: FxHashMap::default(),
            named: FxHashSet::default(),
            glsl: None,
        }
    }

    /// An id that nothing has.
    pub(super) fn id(&mut self) -> Word {
        let id = self.next;
        self.next += 1;
        id
    }

    /// One more than the largest id.
    pub(super) fn bound(&self) -> Word {
        self.next
    }

    /// Adds a type, constant or variable.
    pub(super) fn declare(
        &mut self,
        op: Op,
        result_type: Option<Word>,
        operands: Vec<Operand>,
    ) -> Word {
        let id = self.id();
        let instruction = Instruction::new(op, result_type, Some(id), operands);
        self.module.types_global_values.push(instruction);
        id
    }

    /// The id of a type.
    pub(super) fn shape(&mut self, shape: TypeDeclaration) -> Word {
        if let Some(&id) = self.shapes.get(&shape) {
            return id;
        }
        let (op, operands) = match shape {
            TypeDeclaration::Void => (Op::TypeVoid, vec![]),
            TypeDeclaration::Main => {
                (Op::TypeFunction, vec![Operand::IdRef(self.shape(TypeDeclaration::Void))])
            }
            TypeDeclaration::Pointer(class, to) => {
                (Op::TypePointer, vec![Operand::StorageClass(class), Operand::IdRef(to)])
            }
            TypeDeclaration::Value(ty) => match *self.types.kind(ty) {
                TypeKind::Scalar(Scalar::F32) => (Op::TypeFloat, vec![Operand::LiteralBit32(32)]),
                TypeKind::Scalar(Scalar::Bool) => (Op::TypeBool, vec![]),
                TypeKind::Scalar(scalar @ (Scalar::I32 | Scalar::U32)) => {
                    let is_signed = u32::from(scalar == Scalar::I32);
                    (Op::TypeInt, [32, is_signed].map(Operand::LiteralBit32).to_vec())
                }
                TypeKind::Vector(scalar, n) => {
                    let of = self.ty(Type::of(scalar, 1));
                    (Op::TypeVector, vec![Operand::IdRef(of), Operand::LiteralBit32(n.into())])
                }
                TypeKind::Matrix(scalar, n) => {
                    let of = self.ty(Type::of(scalar, n));
                    (Op::TypeMatrix, vec![Operand::IdRef(of), Operand::LiteralBit32(n.into())])
                }
                TypeKind::Structure(_) | TypeKind::Variant(_) | TypeKind::Array(..) => {
                    unreachable!("no program has such a type yet")
                }
            },
        };
        let id = self.declare(op, None, operands);
        self.shapes.insert(shape, id);
        id
    }

    /// The id of the type of a value.
    pub(super) fn ty(&mut self, ty: Type) -> Word {
        self.shape(TypeDeclaration::Value(ty))
    }

    /// The id of a constant, one word per component.
    pub(super) fn constant(&mut self, ty: Type, words: &[u32]) -> Word {
        // The key owns its words, so that a look-up copies them: they are few.
        let key = (ty, Box::from(words));
        if let Some(&id) = self.constants.get(&key) {
            return id;
        }
        let result_type = self.ty(ty);
        let types = self.types;
        let (op, operands) = match *types.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) if words[0] != 0 => (Op::ConstantTrue, vec![]),
            TypeKind::Scalar(Scalar::Bool) => (Op::ConstantFalse, vec![]),
            TypeKind::Scalar(Scalar::F32 | Scalar::I32 | Scalar::U32) => {
                (Op::Constant, vec![Operand::LiteralBit32(words[0])])
            }
            _ => {
                let mut rest = words;
                let parts = types.parts(ty).map(|part| {
                    let (words, others) = rest.split_at(types.components(part));
                    rest = others;
                    Operand::IdRef(self.constant(part, words))
                });
                (Op::ConstantComposite, parts.collect())
            }
        };
        let id = self.declare(op, Some(result_type), operands);
        self.constants.insert(key, id);
        self.named.insert(id);
        id
    }

    /// The id of an unsigned integer.
    pub(super) fn uint(&mut self, value: u32) -> Word {
        self.constant(Type::UINT, &[value])
    }

    /// The id of the instruction set GLSL.std.450.
    pub(super) fn glsl(&mut self) -> Word {
        if let Some(id) = self.glsl {
            return id;
        }
        let id = self.id();
        let name = vec![Operand::LiteralString("GLSL.std.450".into())];
        self.module.ext_inst_imports.push(Instruction::new(
            Op::ExtInstImport,
            None,
            Some(id),
            name,
        ));
        self.glsl = Some(id);
        id
    }

    /// Gives a value a name, unless it has one.
    pub(super) fn name_value(&mut self, id: Word, name: &str) {
        if self.named.insert(id) {
            self.name(id, beginning(name, MAX_NAME));
        }
    }

    /// Gives an id a name.
    pub(super) fn name(&mut self, id: Word, name: &str) {
        let operands = vec![Operand::IdRef(id), literal(name)];
        self.module.debug_names.push(Instruction::new(Op::Name, None, None, operands));
    }

    /// Gives a member of a structure a name.
    pub(super) fn member_name(&mut self, of: Word, member: u32, name: &str) {
        let operands = vec![Operand::IdRef(of), Operand::LiteralBit32(member), literal(name)];
        self.module.debug_names.push(Instruction::new(Op::MemberName, None, None, operands));
    }

    /// Decorates an id.
    pub(super) fn decorate(
        &mut self,
        id: Word,
        decoration: Decoration,
        parameters: impl IntoIterator<Item = Operand>,
    ) {
        let mut operands = vec![Operand::IdRef(id), Operand::Decoration(decoration)];
        operands.extend(parameters);
        self.module.annotations.push(Instruction::new(Op::Decorate, None, None, operands));
    }

    /// Decorates a member of a structure.
    pub(super) fn decorate_member(
        &mut self,
        of: Word,
        member: u32,
        decoration: Decoration,
        parameter: Option<u32>,
    ) {
        let mut operands = vec![
            Operand::IdRef(of),
            Operand::LiteralBit32(member),
            Operand::Decoration(decoration),
        ];
        operands.extend(parameter.map(Operand::LiteralBit32));
        self.module.annotations.push(Instruction::new(Op::MemberDecorate, None, None, operands));
    }
}

/// The longest name of a value in bytes. (Uniforms have names of any length.)
const MAX_NAME: usize = 256;

/// The longest string in bytes that SPIR-V's universal limits allow.
pub(super) const MAX_STRING: usize = 65_535;

/// The longest beginning of the text that has at most `limit` bytes.
pub(super) fn beginning(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A string as an operand. One that is too long is cut.
pub(super) fn literal(text: &str) -> Operand {
    Operand::LiteralString(beginning(text, MAX_STRING).to_owned())
}
