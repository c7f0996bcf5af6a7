//! Instructions, ids of types and constants, loads and stores.

use super::checker::{Body, Checker};
use super::values::{Index, Operand, Place, Value};
use crate::const_eval::{Constant, zero};
use crate::types::{Access, Dim, Kind, Length, Scalar, Space, Texture, TextureKind, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Capability, Decoration, Op, StorageClass};

impl Checker<'_> {
    /// The open function.
    pub(super) fn body(&mut self) -> &mut Body {
        self.body.as_mut().expect("instructions stand in functions")
    }

    /// Adds an instruction with a result.
    pub(super) fn emit(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.module.id();
        let mut all = vec![ty, id];
        all.extend_from_slice(operands);
        self.body().builder.push(op, &all);
        self.note_result(op, operands, id);
        id
    }

    /// Adds an instruction without a result.
    pub(super) fn act(&mut self, op: Op, operands: &[u32]) {
        self.body().builder.push(op, operands);
    }

    /// Adds an instruction whose result has this type.
    pub(super) fn compute(&mut self, op: Op, ty: Type, operands: &[u32]) -> Value {
        let result = self.id_of(ty);
        Value::new(ty, self.emit(op, result, operands))
    }

    /// Ends the open block.
    pub(super) fn end(&mut self, op: Op, operands: &[u32]) {
        self.body().builder.end(op, operands);
    }

    /// Begins a block.
    pub(super) fn begin_block(&mut self, label: u32) {
        self.body().builder.label(label);
        self.body().label = label;
    }

    /// Ends the open block with a jump, if it is open.
    pub(super) fn branch(&mut self, to: u32) {
        if !self.body().builder.ended() {
            self.end(Op::Branch, &[to]);
        }
    }

    /// Notes the author's line for the instructions that follow.
    pub(super) fn line(&mut self, at: Span) {
        self.statement_at = at;
        let Some(place) = self.place_of(at) else { return };
        if self.body().line != place {
            self.body().line = place;
            self.act(Op::Line, &place);
        }
    }

    /// The id of the file's name, line and column.
    pub(super) fn place_of(&mut self, at: Span) -> Option<[u32; 3]> {
        let file = *self.files.get(self.set.source.file_index(at.start))?;
        let first = self.positions.of(at.start, self.set.source);
        Some([file, first.line, first.column])
    }

    pub(super) fn uint(&mut self, value: u32) -> u32 {
        let ty = self.module.ty(Op::TypeInt, &[32, 0]);
        self.module.constant(Op::Constant, ty, &[value])
    }

    pub(super) fn int(&mut self, value: i32) -> u32 {
        let ty = self.module.ty(Op::TypeInt, &[32, 1]);
        self.module.constant(Op::Constant, ty, &[value as u32])
    }

    /// A constant with the same scalar in each component.
    pub(super) fn splat_constant(&mut self, ty: Type, word: u32) -> u32 {
        let one = Constant::Word(word);
        let constant = match self.types.kind(ty) {
            Kind::Vector(_, width) => Constant::composite(vec![one; width.into()]),
            _ => one,
        };
        self.constant_id(ty, &constant)
    }

    /// The id of a constant of a concrete type.
    pub(super) fn constant_id(&mut self, ty: Type, constant: &Constant) -> u32 {
        debug_assert!(!self.types.is_abstract(ty), "a value of the program has a concrete type");
        let id = self.id_of(ty);
        match constant {
            Constant::Word(word) => match (self.types.scalar(ty), word) {
                (Some(Scalar::Bool), 0) => self.module.constant(Op::ConstantFalse, id, &[]),
                (Some(Scalar::Bool), _) => self.module.constant(Op::ConstantTrue, id, &[]),
                _ => self.module.constant(Op::Constant, id, &[*word]),
            },
            Constant::Composite(parts) => {
                let key = (parts.as_ptr() as usize, ty);
                if let Some((_, known)) = self.constants.get(&key) {
                    return *known;
                }
                let ids: Vec<u32> = (0..parts.len())
                    .map(|k| {
                        let ty = self.types.part(ty, k);
                        self.constant_id(ty, &parts[k])
                    })
                    .collect();
                let found = self.module.constant(Op::ConstantComposite, id, &ids);
                self.constants.insert(key, (parts.clone(), found));
                found
            }
            _ => self.module.constant(Op::ConstantNull, id, &[]),
        }
    }

    /// The id of a value.
    pub(super) fn id(&mut self, value: &Value) -> u32 {
        match &value.constant {
            Some(constant) if value.id == 0 => self.constant_id(value.ty, constant),
            _ => value.id,
        }
    }

    /// The id of a type. A structure that host programs share has its offsets.
    pub(super) fn id_of(&mut self, ty: Type) -> u32 {
        if let Some(&id) = self.ids.get(&ty) {
            return id;
        }
        let id = self.new_id_of(ty);
        self.ids.insert(ty, id);
        id
    }

    fn new_id_of(&mut self, ty: Type) -> u32 {
        match self.types.kind(ty) {
            Kind::Void => self.module.ty(Op::TypeVoid, &[]),
            // Nothing is written once an error was reported; any type will do.
            Kind::Error | Kind::Pointer(..) => self.module.ty(Op::TypeFloat, &[32]),
            Kind::Scalar(scalar) | Kind::Atomic(scalar) => self.scalar_id(scalar),
            Kind::Vector(scalar, width) => {
                let scalar = self.scalar_id(scalar);
                self.module.ty(Op::TypeVector, &[scalar, width.into()])
            }
            Kind::Matrix(scalar, columns, rows) => {
                let scalar = self.scalar_id(scalar);
                let column = self.module.ty(Op::TypeVector, &[scalar, rows.into()]);
                self.module.ty(Op::TypeMatrix, &[column, columns.into()])
            }
            Kind::Array(element, length) => {
                let id = self.id_of(element);
                let (array, new) = match length {
                    Length::Known(length) => {
                        let length = self.uint(length);
                        self.module.unique_type(Op::TypeArray, &[id, length], 0)
                    }
                    Length::Open => {
                        if self.types.is_handle(element) {
                            self.module.capability(Capability::RuntimeDescriptorArray);
                            self.module.extension("SPV_EXT_descriptor_indexing");
                        }
                        self.module.unique_type(Op::TypeRuntimeArray, &[id], 0)
                    }
                };
                if new && self.types.facts(element).is_shareable {
                    let stride = self.types.stride(element);
                    self.module.decorate(array, Decoration::ArrayStride, &[stride]);
                }
                array
            }
            Kind::Struct(number) => self.struct_id(number),
            Kind::Texture(texture) => self.texture_id(texture),
            Kind::Sampler(_) => self.module.ty(Op::TypeSampler, &[]),
        }
    }

    fn scalar_id(&mut self, scalar: Scalar) -> u32 {
        match scalar {
            Scalar::Bool => self.module.ty(Op::TypeBool, &[]),
            Scalar::Int | Scalar::AbstractInt => self.module.ty(Op::TypeInt, &[32, 1]),
            Scalar::Uint => self.module.ty(Op::TypeInt, &[32, 0]),
            Scalar::Float | Scalar::AbstractFloat => self.module.ty(Op::TypeFloat, &[32]),
        }
    }

    fn struct_id(&mut self, number: u32) -> u32 {
        let structure = self.types.structs[number as usize].clone();
        let ids: Vec<u32> = structure.members.iter().map(|member| self.id_of(member.ty)).collect();
        // Equal structures of different names are different types.
        let (id, _) = self.module.unique_type(Op::TypeStruct, &ids, 0x100 + number);
        self.module.name(id, &structure.name);
        let ty = self.types.of(Kind::Struct(number));
        let is_shared = self.types.facts(ty).is_shareable;
        for (k, member) in (0..).zip(&structure.members) {
            let name = self.text(member.name);
            self.module.member_name(id, k, name);
            if is_shared {
                self.decorate_member(id, k, member.ty, member.offset);
            }
        }
        id
    }

    /// The place of a member in memory.
    pub(super) fn decorate_member(&mut self, id: u32, k: u32, ty: Type, offset: u32) {
        self.module.decorate_member(id, k, Decoration::Offset, &[offset]);
        let mut inner = ty;
        while let Kind::Array(element, _) = self.types.kind(inner) {
            inner = element;
        }
        if let Kind::Matrix(_, _, rows) = self.types.kind(inner) {
            let stride = if rows == 2 { 8 } else { 16 };
            self.module.decorate_member(id, k, Decoration::ColMajor, &[]);
            self.module.decorate_member(id, k, Decoration::MatrixStride, &[stride]);
        }
    }

    /// The type of a texture without its sampler.
    pub(super) fn texture_id(&mut self, of: Texture) -> u32 {
        use rspirv::spirv::Dim as Spirv;
        let scalar = self.scalar_id(of.scalar());
        let (format, is_stored) = match of.kind {
            TextureKind::Storage(format, ..) => (format, true),
            _ => (0, false),
        };
        let (dim, capability) = match of.dim {
            Dim::D1 if is_stored => (Spirv::Dim1D, Some(Capability::Image1D)),
            Dim::D1 => (Spirv::Dim1D, Some(Capability::Sampled1D)),
            Dim::D2 => (Spirv::Dim2D, None),
            Dim::D3 => (Spirv::Dim3D, None),
            Dim::Cube if of.arrayed => (Spirv::DimCube, Some(Capability::SampledCubeArray)),
            Dim::Cube => (Spirv::DimCube, None),
        };
        if let Some(capability) = capability {
            self.module.capability(capability);
        }
        if is_stored && format > 5 && ![21, 24, 30, 33].contains(&format) {
            self.module.capability(Capability::StorageImageExtendedFormats);
        }
        let depth = u32::from(of.kind == TextureKind::Depth);
        let flags = [u32::from(of.arrayed), u32::from(of.multisampled)];
        let sampled = if is_stored { 2 } else { 1 };
        let operands = [scalar, dim as u32, depth, flags[0], flags[1], sampled, format];
        self.module.ty(Op::TypeImage, &operands)
    }

    /// A pointer to a place.
    pub(super) fn pointer_to(&mut self, place: &Place) -> u32 {
        let (base, indices) = match place.known {
            Some((pointer, count)) => (pointer, &place.chain[count..]),
            None => (place.root, &place.chain[..]),
        };
        if indices.is_empty() {
            return base;
        }
        let id = self.id_of(place.ty);
        let pointer = self.module.pointer(place.space.class(), id);
        let operands: Vec<u32> =
            std::iter::once(base).chain(indices.iter().map(|index| index.id)).collect();
        self.emit(Op::AccessChain, pointer, &operands)
    }

    /// The value of a place.
    pub(super) fn load(&mut self, place: &Place) -> Value {
        let pointer = self.pointer_to(place);
        let value = self.compute(Op::Load, place.ty, &[pointer]);
        self.note_load(place, value.id);
        value
    }

    /// Writes a value of the right type to a place.
    pub(super) fn store(&mut self, place: &Place, value: &Value) {
        let pointer = self.pointer_to(place);
        let id = self.id(value);
        self.act(Op::Store, &[pointer, id]);
        self.note_store(place, id);
    }

    /// A part of a place, at a constant index.
    pub(super) fn part_of(&mut self, mut place: Place, k: u32, ty: Type) -> Place {
        let id = self.uint(k);
        place.chain.push(Index { id, dynamic: None });
        place.ty = ty;
        place.member = k;
        place
    }

    /// A new variable of the open function.
    pub(super) fn local_variable(&mut self, ty: Type) -> Place {
        self.temporary(ty, Space::Function)
    }

    /// A variable that a pointer to this space can point to: of the function, or of the module.
    pub(super) fn temporary(&mut self, ty: Type, space: Space) -> Place {
        let id = self.id_of(ty);
        let root = match space {
            Space::Private => {
                let pointer = self.module.pointer(StorageClass::Private, id);
                self.module.variable(pointer, StorageClass::Private)
            }
            _ => {
                let pointer = self.module.pointer(StorageClass::Function, id);
                let root = self.module.id();
                self.body().builder.variable(pointer, root);
                root
            }
        };
        Place::whole(root, space, Access::ReadWrite, ty)
    }

    /// The zero value of a type.
    pub(super) fn zero_value(&self, ty: Type) -> Value {
        Value::constant(ty, zero(&self.types, ty))
    }

    /// Reads a reference; other operands stay what they are.
    pub(super) fn loaded(&mut self, operand: Operand, at: Span) -> Operand {
        match operand {
            Operand::Place(place) if place.space != Space::Handle => match self.read(&place, at) {
                Some(value) => Operand::Value(value),
                None => Operand::Error,
            },
            other => other,
        }
    }

    fn read(&mut self, place: &Place, at: Span) -> Option<Value> {
        let facts = self.types.facts(place.ty);
        if !facts.is_constructible {
            let name = self.type_name(place.ty);
            let message = format!("a variable of type {name} has no value");
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            if facts.has_atomics {
                self.help("read it by `atomicLoad(&…)`");
            } else if facts.is_open {
                self.help("use its elements, and `arrayLength(&…)`");
            }
            return None;
        }
        if place.access == Access::Write {
            let message = "the variable is written only, and read here";
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        }
        if self.body.is_none() {
            self.not_constant(at, "a variable");
            return None;
        }
        Some(self.load(place))
    }

    /// The value of an operand.
    pub(super) fn value_of(&mut self, operand: Operand, at: Span) -> Option<Value> {
        let what = match self.loaded(operand, at) {
            Operand::Value(value) if value.ty == Types::VOID => {
                "a function without a result has no value"
            }
            Operand::Value(value) if value.ty == Types::ERROR => return None,
            Operand::Value(value) => return Some(value),
            Operand::Error => return None,
            Operand::Place(_) => "a texture or sampler is no value",
            Operand::Pointer(_) => "a pointer is no value here: write `*` in front of it",
            Operand::Type(_) | Operand::Generator(_) => "a type is no value",
            Operand::Function(_) | Operand::Builtin(..) => "a function is no value: call it",
            Operand::Word(name) => {
                self.unknown(name, at);
                return None;
            }
        };
        self.wrong(DiagnosticCode::WgslTypes, at, what);
        None
    }

    /// Reports that something is not a constant.
    pub(super) fn not_constant(&mut self, at: Span, what: &str) {
        let message = format!("a constant is needed here, and {what} is none");
        self.wrong(DiagnosticCode::WgslNotConstant, at, message);
    }

    /// Checks an expression whose value must be known before the values of overrides are.
    pub(super) fn without_overrides<T>(&mut self, check: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.override_at.take();
        let result = check(self);
        if let Some(at) = self.override_at {
            self.not_constant(at, "an override");
            self.help("declare it by `const`, or what depends on it by `override`");
        }
        self.override_at = before;
        result
    }
}
