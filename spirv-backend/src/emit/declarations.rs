//! Declarations before the functions: types and constants, each once, names and decorations.
//!
//! Ids are allocated here. Declarations are made on demand, parts before wholes: SPIR-V requires that
//! order, and unused ones are never made.

use lambdav_core::layout::{Layout, Rules};
use lambdav_core::texture::{Texels, TextureKind};
use lambdav_core::types::{Scalar, Type, TypeKind, Types};
use rspirv::dr::{Instruction, Module, Operand};
use rspirv::spirv::{Decoration, Dim, ImageFormat, Op, StorageClass, Word};
use rustc_hash::{FxHashMap, FxHashSet};

/// A type, by structure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum TypeDeclaration {
    Void,
    /// A function without parameters and result.
    Main,
    /// `Double` is a 64-bit float and `Long` an unsigned 64-bit integer; `Halves` are the two halves of
    /// a product.
    Double,
    Long,
    Halves,
    Value(Type),
    /// The type of a value in a block: with a layout, and without bools.
    Memory(Type, Rules),
    Pointer(StorageClass, Word),
    /// An image for texel fetches, of textures of this kind with such texels; `SampledImage` has a sampler, too.
    Image(TextureKind, Texels),
    SampledImage(TextureKind, Texels),
    /// So many of them.
    SampledImages(TextureKind, Texels, u32),
}

impl TypeDeclaration {
    /// The declaration with the kind of image that is emitted. Faces of cubes are layers, for texels of cubes cannot be fetched. A
    /// module has one declaration of a type.
    fn emitted(self) -> Self {
        let kind = |kind| match kind {
            TextureKind::Cube | TextureKind::CubeArray => TextureKind::Array,
            TextureKind::Flat | TextureKind::Array | TextureKind::Volume => kind,
        };
        match self {
            Self::Image(of, texels) => Self::Image(kind(of), texels),
            Self::SampledImage(of, texels) => Self::SampledImage(kind(of), texels),
            Self::SampledImages(of, texels, count) => Self::SampledImages(kind(of), texels, count),
            other => other,
        }
    }
}

/// The declarations so far.
#[derive(Debug)]
pub(super) struct Declarations<'p> {
    pub(super) module: Module,
    types: &'p Types,
    std140: Layout,
    std430: Layout,
    next: Word,
    /// Number of the current program: aggregate types are local to a program.
    scope: u32,
    shapes: FxHashMap<(u32, TypeDeclaration), Word>,
    function_types: FxHashMap<(Word, Box<[Word]>), Word>,
    constants: FxHashMap<(u32, Type, Box<[u32]>), Word>,
    /// The words of constants that are nums or vectors of nums.
    numbers: FxHashMap<Word, Box<[u32]>>,
    /// The values of constants that are uints.
    uints: FxHashMap<Word, u32>,
    longs: FxHashMap<(TypeDeclaration, u64), Word>,
    specialisations: FxHashMap<u32, Word>,
    /// Ids that already have a name, and constants, which stand for too many values to have one.
    named: FxHashSet<Word>,
    glsl: Option<Word>,
    /// The block of a memory.
    words: Option<Word>,
    /// The types of workgroups' variables, by their numbers of words.
    workgroup_arrays: FxHashMap<u32, Word>,
    /// Largest number of members of a structure; `most_parts` is that of parts of a constructed value.
    pub(super) most_members: usize,
    pub(super) most_parts: usize,
}

impl<'p> Declarations<'p> {
    /// No declarations, for a program with these types.
    pub(super) fn new(types: &'p Types) -> Self {
        Self {
            module: Module::new(),
            types,
            std140: Layout::new(types, Rules::Std140),
            std430: Layout::new(types, Rules::Std430),
            next: 1,
            scope: 0,
            shapes: FxHashMap::default(),
            function_types: FxHashMap::default(),
            constants: FxHashMap::default(),
            numbers: FxHashMap::default(),
            uints: FxHashMap::default(),
            longs: FxHashMap::default(),
            specialisations: FxHashMap::default(),
            named: FxHashSet::default(),
            glsl: None,
            words: None,
            workgroup_arrays: FxHashMap::default(),
            most_members: 0,
            most_parts: 0,
        }
    }

    /// Switches to another program's types; returns the previous ones. That program must not have
    /// blocks.
    pub(super) fn enter(&mut self, (types, scope): (&'p Types, u32)) -> (&'p Types, u32) {
        (std::mem::replace(&mut self.types, types), std::mem::replace(&mut self.scope, scope))
    }

    /// The program that a type belongs to; scalars, vectors and matrices belong to all.
    fn scope_of(&self, ty: Type) -> u32 {
        match self.types.kind(ty) {
            TypeKind::Scalar(_) | TypeKind::Vector(..) | TypeKind::Matrix(..) => 0,
            _ => self.scope,
        }
    }

    /// Allocates an id.
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
        let shape = shape.emitted();
        let scope = match shape {
            TypeDeclaration::Value(ty) | TypeDeclaration::Memory(ty, _) => self.scope_of(ty),
            _ => 0,
        };
        let key = (scope, shape);
        if let Some(&id) = self.shapes.get(&key) {
            return id;
        }
        let (op, operands) = match shape {
            TypeDeclaration::Double => (Op::TypeFloat, vec![Operand::LiteralBit32(64)]),
            TypeDeclaration::Long => (Op::TypeInt, [64, 0].map(Operand::LiteralBit32).to_vec()),
            TypeDeclaration::Halves => {
                (Op::TypeStruct, [self.ty(Type::UINT); 2].map(Operand::IdRef).to_vec())
            }
            TypeDeclaration::Void => (Op::TypeVoid, vec![]),
            TypeDeclaration::Main => {
                (Op::TypeFunction, vec![Operand::IdRef(self.shape(TypeDeclaration::Void))])
            }
            TypeDeclaration::Pointer(class, to) => {
                (Op::TypePointer, vec![Operand::StorageClass(class), Operand::IdRef(to)])
            }
            TypeDeclaration::Image(kind, texels) => {
                let dimension = if kind == TextureKind::Volume { Dim::Dim3D } else { Dim::Dim2D };
                let component = self.ty(Type::of(texels.into(), 1));
                let mut of = vec![Operand::IdRef(component), Operand::Dim(dimension)];
                let has_layers = kind == TextureKind::Array;
                // No depth, one layer or several, one sample, sampled.
                of.extend([0, has_layers.into(), 0, 1].map(Operand::LiteralBit32));
                of.push(Operand::ImageFormat(ImageFormat::Unknown));
                (Op::TypeImage, of)
            }
            TypeDeclaration::SampledImage(kind, texels) => {
                let image = self.shape(TypeDeclaration::Image(kind, texels));
                (Op::TypeSampledImage, vec![Operand::IdRef(image)])
            }
            TypeDeclaration::SampledImages(kind, texels, count) => {
                let of = self.shape(TypeDeclaration::SampledImage(kind, texels));
                let count = self.uint(count);
                (Op::TypeArray, [of, count].map(Operand::IdRef).to_vec())
            }
            TypeDeclaration::Memory(ty, rules) => match *self.types.kind(ty) {
                TypeKind::Scalar(Scalar::Bool) => return self.ty(Type::UINT),
                TypeKind::Vector(Scalar::Bool, n) => return self.ty(Type::of(Scalar::U32, n)),
                TypeKind::Structure(_) | TypeKind::Array(..) => return self.laid_out(ty, rules),
                _ => return self.ty(ty),
            },
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
                TypeKind::Array(element, count) => {
                    let (of, count) = (self.ty(element), self.uint(count));
                    (Op::TypeArray, [of, count].map(Operand::IdRef).to_vec())
                }
                // The type alone identifies the resource: its value has no words.
                TypeKind::Resource(_) => (Op::TypeStruct, vec![]),
                TypeKind::Structure(_) | TypeKind::Variant(_) => {
                    let id = self.structure(ty, TypeDeclaration::Value);
                    self.shapes.insert(key, id);
                    return id;
                }
            },
        };
        let id = self.declare(op, None, operands);
        self.shapes.insert(key, id);
        id
    }

    /// The type of a function.
    pub(super) fn function_type(&mut self, result: Word, parameters: &[Word]) -> Word {
        let key = (result, Box::from(parameters));
        if let Some(&id) = self.function_types.get(&key) {
            return id;
        }
        let operands = std::iter::once(&result).chain(parameters).copied().map(Operand::IdRef);
        let id = self.declare(Op::TypeFunction, None, operands.collect());
        self.function_types.insert(key, id);
        id
    }

    /// A 64-bit constant, float or integer.
    pub(super) fn long(&mut self, shape: TypeDeclaration, bits: u64) -> Word {
        if let Some(&id) = self.longs.get(&(shape, bits)) {
            return id;
        }
        let ty = self.shape(shape);
        let id = self.declare(Op::Constant, Some(ty), vec![Operand::LiteralBit64(bits)]);
        self.longs.insert((shape, bits), id);
        id
    }

    /// Records that a value has the words of a constant, though it is none.
    pub(super) fn is_like(&mut self, id: Word, constant: Word) {
        if let Some(words) = self.numbers.get(&constant).cloned() {
            self.numbers.insert(id, words);
        }
    }

    /// The words of a constant num or vector of nums.
    pub(super) fn numbers(&self, constant: Word) -> Option<&[u32]> {
        self.numbers.get(&constant).map(|words| &**words)
    }

    /// A structure; a variant is its tag and then the words that its cases share.
    fn structure(&mut self, ty: Type, member: impl Fn(Type) -> TypeDeclaration) -> Word {
        let types = self.types;
        let (name, members): (&str, Vec<(Type, &str)>) = match types.structure(ty) {
            Some(structure) => {
                let fields = structure.fields.iter().map(|field| (field.ty, &*field.name));
                (&structure.name, fields.collect())
            }
            None => {
                let variant = types.variant(ty).expect("it is a structure or a variant");
                let slots = types.scalars(ty).enumerate();
                let slots = slots
                    .map(|(k, scalar)| (Type::of(scalar, 1), if k == 0 { "tag" } else { "slot" }));
                (&variant.name, slots.collect())
            }
        };
        self.most_members = self.most_members.max(members.len());
        let of = members.iter().map(|&(ty, _)| Operand::IdRef(self.shape(member(ty)))).collect();
        let id = self.declare(Op::TypeStruct, None, of);
        self.name(id, name);
        for (index, (_, name)) in (0..).zip(members) {
            self.member_name(id, index, name);
        }
        id
    }

    /// The layout for these rules.
    pub(super) fn layout(&self, rules: Rules) -> &Layout {
        match rules {
            Rules::Std140 => &self.std140,
            Rules::Std430 => &self.std430,
        }
    }

    /// The type of a structure or array in a block.
    fn laid_out(&mut self, ty: Type, rules: Rules) -> Word {
        let types = self.types;
        let memory = |ty| TypeDeclaration::Memory(ty, rules);
        let shape = memory(ty);
        let id = match *types.kind(ty) {
            TypeKind::Array(element, count) => {
                let of = self.shape(memory(element));
                let operands = [of, self.uint(count)].map(Operand::IdRef).to_vec();
                let id = self.declare(Op::TypeArray, None, operands);
                self.decorate_stride(id, element, rules);
                id
            }
            _ => {
                let id = self.structure(ty, memory);
                let mut end = 0;
                for (index, part) in (0..).zip(types.parts(ty)) {
                    let offset = self.layout(rules).place(part, &mut end);
                    self.lay_out_member(id, index, part, offset as u32, rules);
                }
                id
            }
        };
        self.shapes.insert((self.scope, shape), id);
        id
    }

    /// Decorates an array with its stride.
    fn decorate_stride(&mut self, array: Word, element: Type, rules: Rules) {
        let stride = Operand::LiteralBit32(self.layout(rules).stride(element) as u32);
        self.decorate(array, Decoration::ArrayStride, [stride]);
    }

    /// The block of a buffer: a runtime array of elements.
    pub(super) fn buffer(&mut self, element: Type) -> Word {
        let rules = Rules::Std430;
        let of = self.shape(TypeDeclaration::Memory(element, rules));
        let array = self.declare(Op::TypeRuntimeArray, None, vec![Operand::IdRef(of)]);
        self.decorate_stride(array, element, rules);
        let block = self.declare(Op::TypeStruct, None, vec![Operand::IdRef(array)]);
        self.member_name(block, 0, "elements");
        self.decorate(block, Decoration::Block, []);
        self.lay_out_member(block, 0, element, 0, rules);
        self.decorate_member(block, 0, Decoration::NonWritable, None);
        block
    }

    /// The block of a memory: a runtime array of words.
    pub(super) fn words(&mut self) -> Word {
        if let Some(known) = self.words {
            return known;
        }
        let (rules, uint) = (Rules::Std430, self.ty(Type::UINT));
        let array = self.declare(Op::TypeRuntimeArray, None, vec![Operand::IdRef(uint)]);
        self.decorate_stride(array, Type::UINT, rules);
        let block = self.declare(Op::TypeStruct, None, vec![Operand::IdRef(array)]);
        self.member_name(block, 0, "words");
        self.decorate(block, Decoration::Block, []);
        self.lay_out_member(block, 0, Type::UINT, 0, rules);
        self.words = Some(block);
        block
    }

    /// The type of a workgroup's variable of so many words.
    pub(super) fn words_of_workgroup(&mut self, words: u32) -> Word {
        if let Some(&known) = self.workgroup_arrays.get(&words) {
            return known;
        }
        let (uint, count) = (self.ty(Type::UINT), self.uint(words));
        let operands = [uint, count].map(Operand::IdRef).to_vec();
        let array = self.declare(Op::TypeArray, None, operands);
        self.workgroup_arrays.insert(words, array);
        array
    }

    /// Decorates a member of a block, or of a structure or array in one, with its layout.
    pub(super) fn lay_out_member(
        &mut self,
        of: Word,
        index: u32,
        ty: Type,
        offset: u32,
        rules: Rules,
    ) {
        self.decorate_member(of, index, Decoration::Offset, Some(offset));
        let mut innermost = ty;
        while let TypeKind::Array(element, _) = *self.types.kind(innermost) {
            innermost = element;
        }
        if let TypeKind::Matrix(scalar, n) = *self.types.kind(innermost) {
            let stride = self.layout(rules).stride(Type::of(scalar, n)) as u32;
            self.decorate_member(of, index, Decoration::ColMajor, None);
            self.decorate_member(of, index, Decoration::MatrixStride, Some(stride));
        }
    }

    /// The id of the type of a value.
    pub(super) fn ty(&mut self, ty: Type) -> Word {
        self.shape(TypeDeclaration::Value(ty))
    }

    /// The id of a constant, one word per component.
    pub(super) fn constant(&mut self, ty: Type, words: &[u32]) -> Word {
        // The key owns its words, so a look-up copies them: they are few.
        let key = (self.scope_of(ty), ty, Box::from(words));
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
            TypeKind::Variant(_) => {
                let scalars = types.scalars(ty).zip(words);
                let parts = scalars
                    .map(|(of, &word)| Operand::IdRef(self.constant(Type::of(of, 1), &[word])));
                (Op::ConstantComposite, parts.collect())
            }
            _ => {
                let mut rest = words;
                self.most_parts = self.most_parts.max(types.parts(ty).len());
                let parts = types.parts(ty).map(|part| {
                    let (words, others) = rest.split_at(types.components(part));
                    rest = others;
                    Operand::IdRef(self.constant(part, words))
                });
                (Op::ConstantComposite, parts.collect())
            }
        };
        let id = self.declare(op, Some(result_type), operands);
        if ty == Type::UINT {
            self.uints.insert(id, words[0]);
        }
        if ty.is_num() {
            self.numbers.insert(id, Box::from(words));
        }
        self.constants.insert(key, id);
        self.named.insert(id);
        id
    }

    /// The id of a specialisation constant: a scalar, its default and its name.
    pub(super) fn specialisation(
        &mut self,
        spec_id: u32,
        ty: Type,
        default: u32,
        name: &str,
    ) -> Word {
        if let Some(&known) = self.specialisations.get(&spec_id) {
            return known;
        }
        let result_type = self.ty(ty);
        let (op, operands) = match *self.types.kind(ty) {
            TypeKind::Scalar(Scalar::Bool) if default != 0 => (Op::SpecConstantTrue, vec![]),
            TypeKind::Scalar(Scalar::Bool) => (Op::SpecConstantFalse, vec![]),
            _ => (Op::SpecConstant, vec![Operand::LiteralBit32(default)]),
        };
        let id = self.declare(op, Some(result_type), operands);
        self.decorate(id, Decoration::SpecId, [Operand::LiteralBit32(spec_id)]);
        self.name_value(id, name);
        self.specialisations.insert(spec_id, id);
        id
    }

    /// The id of an unsigned integer.
    pub(super) fn uint(&mut self, value: u32) -> Word {
        self.constant(Type::UINT, &[value])
    }

    /// The value of a constant that is a uint.
    pub(super) fn known_uint(&self, id: Word) -> Option<u32> {
        self.uints.get(&id).copied()
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

    /// Names an id.
    pub(super) fn name(&mut self, id: Word, name: &str) {
        let operands = vec![Operand::IdRef(id), literal(name)];
        self.module.debug_names.push(Instruction::new(Op::Name, None, None, operands));
    }

    /// Names a member of a structure.
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

/// Limit in bytes of a value's name. (Names of uniforms are not limited.)
const MAX_NAME: usize = 256;

/// SPIR-V's universal limit in bytes of a string.
pub(super) const MAX_STRING: usize = 65_535;

/// The longest prefix of at most `limit` bytes.
pub(super) fn beginning(text: &str, limit: usize) -> &str {
    let mut end = text.len().min(limit);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// A string operand, cut if it is too long.
pub(super) fn literal(text: &str) -> Operand {
    Operand::LiteralString(beginning(text, MAX_STRING).to_owned())
}
