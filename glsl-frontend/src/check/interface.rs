//! The interface of a stage: inputs, outputs, uniforms, built-in variables.

use super::checker::Checker;
use super::items::{Block, Bound, Copy, Direction, Located, Loose, Stage};
use super::scopes::Symbol;
use super::values::{Constant, Layout, Memory, Operand, Place, Rules, Value};
use crate::syntax::tree::{Declarator, Mark, Qualifiers, Storage};
use crate::token::Name;
use crate::types::{Kind, Length, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{BuiltIn, Capability, Decoration, Op, StorageClass};

/// The length of `gl_FragData` and `gl_TexCoord`.
const MANY: u32 = 8;

/// Names of the sizes of a workgroup in a layout.
const LOCAL_SIZE: [&str; 3] = ["local_size_x", "local_size_y", "local_size_z"];

impl Checker<'_> {
    /// The number of locations that a type takes.
    pub(super) fn locations(&self, ty: Type) -> u32 {
        match self.types.kind(ty) {
            Kind::Matrix(_, columns, _) => columns.into(),
            Kind::Array(element, Length::Known(length)) => {
                self.locations(element).saturating_mul(length)
            }
            Kind::Struct(number) => {
                let counts = self.structure(number).members.iter().map(|of| self.locations(of.ty));
                counts.fold(0, u32::saturating_add)
            }
            _ => 1,
        }
    }

    /// The components of each location that a variable takes, a bit each.
    fn component_mask(&self, ty: Type, first: u32) -> u8 {
        let count = match self.types.kind(self.types.innermost(ty).0) {
            Kind::Scalar(_) => 1,
            Kind::Vector(_, count) | Kind::Matrix(_, _, count) => count,
            _ => 4,
        };
        ((1_u32 << count) - 1).checked_shl(first).map_or(0, |bits| (bits & 15) as u8)
    }

    pub(super) fn interface_variable(
        &mut self,
        of: &Declarator,
        base: Type,
        qualifiers: &Qualifiers,
        direction: Direction,
    ) {
        let fail = |s: &mut Self| {
            s.scopes.bind(of.name, Symbol::Error, of.span);
        };
        let Some(ty) = self.with_dims(base, &of.dims) else { return fail(self) };
        let contents = self.types.contents(ty);
        if ty == Types::VOID || contents.is_opaque || contents.has_bool {
            let name = self.type_name(ty);
            let message = format!("an input or output has not the type {name}");
            self.wrong(DiagnosticCode::GlslTypes, of.span, message);
            return fail(self);
        }
        if self.has_open_length(ty) {
            self.wrong(DiagnosticCode::GlslTypes, of.span, "the array has no length");
            return fail(self);
        }
        if let Some(initial) = of.initial {
            self.wrong(
                DiagnosticCode::GlslQualifier,
                initial.span,
                "an input or output has no initialiser",
            );
        }
        let location = self.layout_of(qualifiers, "location");
        let text = self.text(of.name).to_owned();
        let place = self.stage_variable(&text, ty, qualifiers, direction, location, of.span);
        self.bind(of.name, Symbol::Variable(place, None), of.span);
    }

    /// A variable that other stages, or the attachments, see.
    pub(super) fn stage_variable(
        &mut self,
        name: &str,
        ty: Type,
        qualifiers: &Qualifiers,
        direction: Direction,
        location: Option<u32>,
        at: Span,
    ) -> Place {
        if direction == Direction::Out && self.set.is_expression {
            return self.without_stage(name, ty);
        }
        let split = self.set.stage == Stage::Fragment
            && matches!(self.types.kind(ty), Kind::Struct(_) | Kind::Array(..));
        if split {
            let mut whole = self.global_variable(ty, StorageClass::Private);
            self.module.name(whole.pointer, name);
            let mut location = location;
            for k in 0..self.parts(ty) {
                let part = self.part_of(whole.clone(), k);
                let text = match self.types.kind(ty) {
                    Kind::Struct(number) => {
                        let member = self.structure(number).members[k].name;
                        format!("{name}.{}", self.text(member))
                    }
                    _ => format!("{name}[{k}]"),
                };
                let outside =
                    self.stage_variable(&text, part.ty, qualifiers, direction, location, at);
                let count = self.locations(part.ty);
                location = location.map(|location| location.saturating_add(count));
                self.interface.copies.push(Copy { part, outside, direction });
            }
            if direction == Direction::In {
                whole.constant = Some("it is an input");
            }
            return whole;
        }
        let class = match direction {
            Direction::In => StorageClass::Input,
            Direction::Out => StorageClass::Output,
        };
        let mut place = self.global_variable(ty, class);
        let id = place.pointer;
        self.module.name(id, name);
        let [component, index] =
            ["component", "index"].map(|name| self.layout_of(qualifiers, name));
        self.interface.variables.push(id);
        self.interface.located.push(Located {
            id,
            direction,
            location,
            count: self.locations(ty),
            components: self.component_mask(ty, component.unwrap_or(0)),
            index: index.unwrap_or(0),
            at,
        });
        if direction == Direction::In {
            place.constant = Some("it is an input");
        }
        let integer = self.types.contents(ty).is_flat;
        let between = match self.set.stage {
            Stage::Fragment => direction == Direction::In,
            Stage::Vertex => direction == Direction::Out,
            Stage::Compute => false,
        };
        if between {
            if qualifiers.marked(Mark::Flat) || integer {
                self.module.decorate(id, Decoration::Flat, &[]);
            } else if qualifiers.marked(Mark::NoPerspective) {
                self.module.decorate(id, Decoration::NoPerspective, &[]);
            }
            if qualifiers.marked(Mark::Centroid) {
                self.module.decorate(id, Decoration::Centroid, &[]);
            }
            if qualifiers.marked(Mark::Sample) {
                self.module.capability(Capability::SampleRateShading);
                self.module.decorate(id, Decoration::Sample, &[]);
            }
        }
        for (number, decoration) in [(component, Decoration::Component), (index, Decoration::Index)]
        {
            if let Some(number) = number {
                self.module.decorate(id, decoration, &[number]);
            }
        }
        place
    }

    /// A uniform outside of blocks: a texture, or a member of the block of loose uniforms.
    pub(super) fn uniform(&mut self, of: &Declarator, base: Type, qualifiers: &Qualifiers) {
        let Some(mut ty) = self.with_dims(base, &of.dims) else {
            self.scopes.bind(of.name, Symbol::Error, of.span);
            return;
        };
        let name = self.text(of.name).to_owned();
        let opaque = self.types.is_opaque(self.types.innermost(ty).0);
        let mixed = self.types.contents(ty).is_opaque;
        if !opaque && mixed {
            return self.mixed_uniform(of, ty, qualifiers);
        }
        if opaque {
            ty = self.formatted(ty, qualifiers);
            if self.types.kind(self.types.innermost(ty).0) == Kind::AtomicCounter {
                self.unsupported(of.span, "atomic counters");
                self.scopes.bind(of.name, Symbol::Error, of.span);
                return;
            }
            let place = self.opaque_uniform(&name, ty, qualifiers);
            self.textures.insert(place.pointer, of.name);
            return self.bind(of.name, Symbol::Variable(place, None), of.span);
        }
        if ty == Types::VOID || self.has_open_length(ty) {
            self.wrong(DiagnosticCode::GlslTypes, of.span, "a uniform cannot have this type");
            self.scopes.bind(of.name, Symbol::Error, of.span);
            return;
        }
        // A uniform may be declared twice alike.
        if self.loose_types.get(&of.name) == Some(&ty) {
            return;
        }
        let default = match of.initial {
            Some(initial) => {
                let operand = self.expression(initial);
                let value = self.value_of(operand, initial.span);
                let value = value.and_then(|value| {
                    self.coerce(&value, ty, initial.span, "the uniform has the type")
                });
                let words = value.and_then(|value| words(value.constant.as_deref()?));
                if words.is_none() && !self.diagnostics.has_errors() {
                    self.wrong(
                        DiagnosticCode::GlslNotConstant,
                        initial.span,
                        "the default of a uniform is a constant",
                    );
                }
                words
            }
            None => None,
        };
        self.loose_types.insert(of.name, ty);
        let place = self.loose_uniform(name, ty, default);
        self.bind(of.name, Symbol::Variable(place, None), of.span);
    }

    /// A texture or sampler.
    fn opaque_uniform(&mut self, name: &str, ty: Type, qualifiers: &Qualifiers) -> Place {
        let mut place = self.global_variable(ty, StorageClass::UniformConstant);
        place.constant = Some("it is `uniform`");
        place.memory = Memory::of(qualifiers);
        self.module.name(place.pointer, name);
        let [set, binding, attachment] = ["set", "binding", "input_attachment_index"]
            .map(|name| self.layout_of(qualifiers, name));
        if let Some(attachment) = attachment {
            let decoration = Decoration::InputAttachmentIndex;
            self.module.decorate(place.pointer, decoration, &[attachment]);
        }
        for (mark, decoration) in [
            (Mark::ReadOnly, Decoration::NonWritable),
            (Mark::WriteOnly, Decoration::NonReadable),
            (Mark::Coherent, Decoration::Coherent),
        ] {
            let stored = matches!(self.types.kind(self.types.innermost(ty).0), Kind::Image(image)
                if image.role == crate::types::Role::Storage);
            if stored && qualifiers.marked(mark) {
                self.module.decorate(place.pointer, decoration, &[]);
            }
        }
        let id = place.pointer;
        self.interface.resources.push(Bound { id, set, binding });
        place
    }

    /// A member of the block of loose uniforms.
    fn loose_uniform(&mut self, name: String, ty: Type, default: Option<Vec<u32>>) -> Place {
        let pointer = match self.loose_block {
            Some(id) => id,
            None => {
                let id = self.module.id();
                self.loose_block = Some(id);
                id
            }
        };
        let k = self.loose.len();
        self.loose.push(Loose { name, ty, default });
        let index = self.int(k as i32);
        let mut place = Place::variable(pointer, StorageClass::Uniform, ty);
        place.chain.push(index);
        place.layout = Some(Layout { rules: Rules::Std140, row_major: false });
        place.constant = Some("it is `uniform`");
        place
    }

    /// A uniform structure with textures: each member is a uniform of its own.
    fn mixed_uniform(&mut self, of: &Declarator, ty: Type, qualifiers: &Qualifiers) {
        let name = self.text(of.name).to_owned();
        let Kind::Struct(number) = self.types.kind(ty) else {
            self.unsupported(of.span, "arrays of structures with textures");
            self.scopes.bind(of.name, Symbol::Error, of.span);
            return;
        };
        let mut members = Vec::new();
        for member in self.structure(number).members.clone() {
            let full = format!("{name}.{}", self.text(member.name));
            let place = if self.types.is_opaque(self.types.innermost(member.ty).0) {
                self.opaque_uniform(&full, member.ty, qualifiers)
            } else if self.types.contents(member.ty).is_opaque {
                self.unsupported(of.span, "structures with textures in structures");
                self.scopes.bind(of.name, Symbol::Error, of.span);
                return;
            } else {
                self.loose_uniform(full, member.ty, None)
            };
            members.push((member.name, place));
        }
        self.blocks.push(Block { name, members });
        let number = self.blocks.len() - 1;
        self.bind(of.name, Symbol::Block(number), of.span);
    }

    /// The type of an image with the format that its layout names.
    fn formatted(&mut self, ty: Type, qualifiers: &Qualifiers) -> Type {
        let (inner, lengths) = self.types.innermost(ty);
        let Kind::Image(mut image) = self.types.kind(inner) else { return ty };
        if image.role != crate::types::Role::Storage {
            return ty;
        }
        let format = qualifiers.layout.iter().find_map(|item| format_number(self.text(item.name)));
        match format {
            Some(format) => image.format = format,
            None => {
                self.module.capability(Capability::StorageImageReadWithoutFormat);
                self.module.capability(Capability::StorageImageWriteWithoutFormat);
            }
        }
        let mut ty = self.types.of(Kind::Image(image));
        for length in lengths.into_iter().rev() {
            ty = self.types.array(ty, length);
        }
        ty
    }

    /// Qualifiers without a variable, or for variables that exist.
    pub(super) fn alone(&mut self, qualifiers: &Qualifiers, names: &[(Name, Span)]) {
        for &(name, at) in names {
            if self.scopes.find(name).is_none() && !self.is_built_in(name) {
                self.unknown(name, at, "the name");
            }
        }
        if !names.is_empty() {
            return;
        }
        if qualifiers.has(Storage::Uniform) {
            self.interface.uniform_layout =
                self.layout_from(qualifiers, self.interface.uniform_layout);
        } else if qualifiers.has(Storage::Buffer) {
            self.interface.buffer_layout =
                self.layout_from(qualifiers, self.interface.buffer_layout);
        } else {
            for item in &qualifiers.layout {
                let name = self.text(item.name).to_owned();
                let axis = LOCAL_SIZE.iter().position(|axis| *axis == name);
                let of_id = name.strip_suffix("_id");
                let id_axis = LOCAL_SIZE.iter().position(|axis| Some(*axis) == of_id);
                match (axis, id_axis) {
                    (Some(axis), _) => {
                        if let Some(size) = self.layout_number(item) {
                            self.interface.local_size[axis] = size.max(1);
                        }
                    }
                    (None, Some(axis)) => {
                        self.interface.local_size_ids[axis] = self.layout_number(item);
                    }
                    (None, None) => self.interface.modes.push(name),
                }
            }
        }
    }

    pub(super) fn is_built_in(&mut self, name: Name) -> bool {
        built_in(self.text(name), self.set.stage).is_some() || {
            let text = self.text(name);
            text == "gl_FragData"
                || text == "gl_TexCoord"
                || text == "gl_WorkGroupSize"
                || constant(text).is_some()
        }
    }

    /// A built-in variable or constant.
    pub(super) fn built_in(&mut self, name: Name, at: Span) -> Option<Operand> {
        match self.text(name) {
            "gl_FragColor" => self.note_output("`gl_FragColor`", at),
            "gl_FragData" => self.note_output("`gl_FragData`", at),
            _ => {}
        }
        if let Some(operand) = self.interface.built_ins.get(&name) {
            return Some(operand.clone());
        }
        let text = self.text(name).to_owned();
        let operand = self.new_built_in(&text, at)?;
        self.interface.built_ins.insert(name, operand.clone());
        Some(operand)
    }

    /// The size of a workgroup as a vector of specialisation constants; none if it has none.
    pub(super) fn specialised_size(&mut self) -> Option<u32> {
        let ids = self.interface.local_size_ids;
        if self.interface.specialised_size.is_some() {
            return self.interface.specialised_size;
        }
        ids.iter().flatten().next()?;
        let uint = self.id_of(Types::UINT, None);
        let sizes = self.interface.local_size;
        let parts: Vec<u32> = (0..3)
            .map(|axis| {
                let Some(number) = ids[axis] else {
                    return self
                        .constant_id(Types::UINT, &Constant::Scalar(Scalar::Uint, sizes[axis]));
                };
                let id = self.module.specialisation(Op::SpecConstant, uint, &[sizes[axis]]);
                self.module.decorate(id, Decoration::SpecId, &[number]);
                self.module.name(id, LOCAL_SIZE[axis]);
                id
            })
            .collect();
        let ty = self.types.vector(Scalar::Uint, 3);
        let ty = self.id_of(ty, None);
        let id = self.module.specialisation(Op::SpecConstantComposite, ty, &parts);
        self.module.decorate(id, Decoration::BuiltIn, &[BuiltIn::WorkgroupSize as u32]);
        self.interface.specialised_size = Some(id);
        Some(id)
    }

    fn new_built_in(&mut self, text: &str, at: Span) -> Option<Operand> {
        if let Some(number) = constant(text) {
            let constant = Constant::Scalar(Scalar::Int, number);
            return Some(Operand::Value(Value::constant(Types::INT, constant)));
        }
        let stage = self.set.stage;
        let none = Qualifiers::default();
        if text == "gl_WorkGroupSize" && stage == Stage::Compute {
            if let Some(id) = self.specialised_size() {
                let ty = self.types.vector(Scalar::Uint, 3);
                return Some(Operand::Value(Value::new(ty, id)));
            }
            let size = self.interface.local_size.map(|side| Constant::Scalar(Scalar::Uint, side));
            let ty = self.types.vector(Scalar::Uint, 3);
            return Some(Operand::Value(Value::constant(ty, Constant::Composite(size.into()))));
        }
        if text == "gl_FragData" && stage == Stage::Fragment {
            let vec4 = self.types.vector(Scalar::Float, 4);
            let ty = self.types.array(vec4, Length::Known(MANY));
            let place = self.global_variable(ty, StorageClass::Private);
            self.module.name(place.pointer, text);
            self.interface.frag_data = Some((place.clone(), 0));
            return Some(Operand::Place(place));
        }
        if text == "gl_TexCoord" && stage != Stage::Compute {
            let vec4 = self.types.vector(Scalar::Float, 4);
            let ty = self.types.array(vec4, Length::Known(MANY));
            let direction = if stage == Stage::Fragment { Direction::In } else { Direction::Out };
            let place = self.stage_variable(text, ty, &none, direction, None, at);
            return Some(Operand::Place(place));
        }
        let (scalar, width, what) = built_in(text, stage)?;
        let ty = self.types.vector(scalar, width);
        let (class, decoration) = match what {
            What::Located(direction) => {
                let location = (text == "gl_FragColor").then_some(0);
                let place = self.stage_variable(text, ty, &none, direction, location, at);
                return Some(Operand::Place(place));
            }
            What::In(decoration) => (StorageClass::Input, decoration),
            What::Out(decoration) => (StorageClass::Output, decoration),
        };
        let is_private = class == StorageClass::Output && self.set.is_expression;
        let ty = match decoration {
            BuiltIn::SampleMask => self.types.array(ty, Length::Known(1)),
            BuiltIn::ClipDistance | BuiltIn::CullDistance => {
                self.types.array(ty, Length::Known(MANY))
            }
            _ => ty,
        };
        let capability = match decoration {
            BuiltIn::SampleId | BuiltIn::SamplePosition => Some(Capability::SampleRateShading),
            BuiltIn::ClipDistance => Some(Capability::ClipDistance),
            BuiltIn::CullDistance => Some(Capability::CullDistance),
            BuiltIn::PrimitiveId | BuiltIn::Layer => Some(Capability::Geometry),
            BuiltIn::ViewportIndex => Some(Capability::MultiViewport),
            BuiltIn::ViewIndex => {
                self.module.extension("SPV_KHR_multiview");
                Some(Capability::MultiView)
            }
            BuiltIn::BaryCoordKHR | BuiltIn::BaryCoordNoPerspKHR => {
                self.module.extension("SPV_KHR_fragment_shader_barycentric");
                Some(Capability::FragmentBarycentricKHR)
            }
            BuiltIn::FragSizeEXT | BuiltIn::FragInvocationCountEXT => {
                self.module.extension("SPV_EXT_fragment_invocation_density");
                Some(Capability::FragmentDensityEXT)
            }
            BuiltIn::DrawIndex | BuiltIn::BaseVertex | BuiltIn::BaseInstance => {
                Some(Capability::DrawParameters)
            }
            _ => None,
        };
        if is_private {
            return Some(Operand::Place(self.without_stage(text, ty)));
        }
        if let Some(capability) = capability {
            self.module.capability(capability);
        }
        let mut place = self.global_variable(ty, class);
        self.module.name(place.pointer, text);
        self.module.decorate(place.pointer, Decoration::BuiltIn, &[decoration as u32]);
        let integer = scalar.is_integer();
        if stage == Stage::Fragment && class == StorageClass::Input && integer {
            self.module.decorate(place.pointer, Decoration::Flat, &[]);
        }
        self.interface.variables.push(place.pointer);
        self.interface.writes_depth |= decoration == BuiltIn::FragDepth;
        if class == StorageClass::Input {
            place.constant = Some("it is an input");
        }
        Some(Operand::Place(place))
    }

    /// A variable in place of an output, where an expression takes the place of `main`.
    fn without_stage(&mut self, name: &str, ty: Type) -> Place {
        let place = self.global_variable(ty, StorageClass::Private);
        self.module.name(place.pointer, name);
        place
    }

    /// Notes an output of a fragment shader, in one of three forms that exclude one another.
    pub(super) fn note_output(&mut self, form: &'static str, at: Span) {
        if self.set.stage != Stage::Fragment || self.interface.has_mixed_outputs {
            return;
        }
        let (before, first) = *self.interface.outputs.get_or_insert((form, at));
        if before != form {
            self.interface.has_mixed_outputs = true;
            let message = format!("{form} and {before} exclude one another");
            self.wrong(DiagnosticCode::GlslQualifier, at, message);
            self.also(first, "the other one is here").help("assign the same output everywhere");
        }
    }

    /// Notes that an element of `gl_FragData` is used; `u32::MAX` if any may be.
    pub(super) fn note_index(&mut self, place: &Place, index: u32) {
        if let Some((data, used)) = &mut self.interface.frag_data
            && data.pointer == place.pointer
            && place.chain.is_empty()
        {
            *used = (*used).max(index.saturating_add(1).min(MANY));
        }
    }

    /// A variable by its name.
    pub(super) fn named_variable(&mut self, name: Name) -> Operand {
        match self.scopes.find(name) {
            Some(Symbol::Variable(place, _)) => Operand::Place(place.clone()),
            Some(Symbol::Constant(ty, constant)) => {
                Operand::Value(Value { ty: *ty, id: 0, constant: Some(constant.clone()) })
            }
            _ => Operand::Error,
        }
    }
}

/// The words of a constant, component by component.
fn words(of: &Constant) -> Option<Vec<u32>> {
    match of {
        Constant::Scalar(Scalar::Double, _) => None,
        Constant::Scalar(_, bits) => Some(vec![*bits]),
        Constant::Composite(parts) => {
            let parts: Option<Vec<Vec<u32>>> = parts.iter().map(words).collect();
            Some(parts?.concat())
        }
    }
}

enum What {
    /// At a location.
    Located(Direction),
    In(BuiltIn),
    Out(BuiltIn),
}

/// The type of a built-in variable of a stage, and what it is.
fn built_in(text: &str, stage: Stage) -> Option<(Scalar, u8, What)> {
    let float = |width, what| Some((Scalar::Float, width, what));
    let int = |what| Some((Scalar::Int, 1, what));
    let bool = |what| Some((Scalar::Bool, 1, what));
    let uint = |width, what| Some((Scalar::Uint, width, what));
    match (stage, text) {
        (Stage::Fragment, "gl_BaryCoordEXT") => float(3, What::In(BuiltIn::BaryCoordKHR)),
        (Stage::Fragment, "gl_BaryCoordNoPerspEXT") => {
            float(3, What::In(BuiltIn::BaryCoordNoPerspKHR))
        }
        (Stage::Fragment, "gl_FragSizeEXT") => {
            Some((Scalar::Int, 2, What::In(BuiltIn::FragSizeEXT)))
        }
        (Stage::Fragment, "gl_FragInvocationCountEXT") => {
            int(What::In(BuiltIn::FragInvocationCountEXT))
        }
        (Stage::Fragment, "gl_FragCoord") => float(4, What::In(BuiltIn::FragCoord)),
        (Stage::Fragment, "gl_FrontFacing") => bool(What::In(BuiltIn::FrontFacing)),
        (Stage::Fragment, "gl_PointCoord") => float(2, What::In(BuiltIn::PointCoord)),
        (Stage::Fragment, "gl_HelperInvocation") => bool(What::In(BuiltIn::HelperInvocation)),
        (Stage::Fragment, "gl_SampleID") => int(What::In(BuiltIn::SampleId)),
        (Stage::Fragment, "gl_SamplePosition") => float(2, What::In(BuiltIn::SamplePosition)),
        (Stage::Fragment, "gl_SampleMaskIn") => int(What::In(BuiltIn::SampleMask)),
        (Stage::Fragment, "gl_SampleMask") => int(What::Out(BuiltIn::SampleMask)),
        (Stage::Fragment, "gl_PrimitiveID") => int(What::In(BuiltIn::PrimitiveId)),
        (Stage::Fragment, "gl_Layer") => int(What::In(BuiltIn::Layer)),
        (Stage::Fragment, "gl_ViewportIndex") => int(What::In(BuiltIn::ViewportIndex)),
        (Stage::Fragment, "gl_ClipDistance") => float(1, What::In(BuiltIn::ClipDistance)),
        (Stage::Fragment | Stage::Vertex, "gl_ViewIndex") => int(What::In(BuiltIn::ViewIndex)),
        (Stage::Fragment, "gl_FragDepth" | "gl_FragDepthEXT") => {
            float(1, What::Out(BuiltIn::FragDepth))
        }
        (Stage::Fragment, "gl_FragColor") => float(4, What::Located(Direction::Out)),
        (Stage::Fragment, "gl_Color" | "gl_SecondaryColor") => {
            float(4, What::Located(Direction::In))
        }
        (Stage::Fragment, "gl_FogFragCoord") => float(1, What::Located(Direction::In)),
        (Stage::Vertex, "gl_Position") => float(4, What::Out(BuiltIn::Position)),
        (Stage::Vertex, "gl_PointSize") => float(1, What::Out(BuiltIn::PointSize)),
        (Stage::Vertex, "gl_ClipDistance") => float(1, What::Out(BuiltIn::ClipDistance)),
        (Stage::Vertex, "gl_CullDistance") => float(1, What::Out(BuiltIn::CullDistance)),
        (Stage::Vertex, "gl_VertexIndex" | "gl_VertexID") => int(What::In(BuiltIn::VertexIndex)),
        (Stage::Vertex, "gl_InstanceIndex" | "gl_InstanceID") => {
            int(What::In(BuiltIn::InstanceIndex))
        }
        (Stage::Vertex, "gl_BaseVertex" | "gl_BaseVertexARB") => int(What::In(BuiltIn::BaseVertex)),
        (Stage::Vertex, "gl_BaseInstance" | "gl_BaseInstanceARB") => {
            int(What::In(BuiltIn::BaseInstance))
        }
        (Stage::Vertex, "gl_DrawID" | "gl_DrawIDARB") => int(What::In(BuiltIn::DrawIndex)),
        (Stage::Vertex, "gl_Vertex" | "gl_Color" | "gl_MultiTexCoord0" | "gl_MultiTexCoord1") => {
            float(4, What::Located(Direction::In))
        }
        (Stage::Vertex, "gl_Normal") => float(3, What::Located(Direction::In)),
        (Stage::Vertex, "gl_FrontColor" | "gl_BackColor") => {
            float(4, What::Located(Direction::Out))
        }
        (Stage::Vertex, "gl_Layer") => None,
        (Stage::Compute, "gl_GlobalInvocationID") => uint(3, What::In(BuiltIn::GlobalInvocationId)),
        (Stage::Compute, "gl_LocalInvocationID") => uint(3, What::In(BuiltIn::LocalInvocationId)),
        (Stage::Compute, "gl_WorkGroupID") => uint(3, What::In(BuiltIn::WorkgroupId)),
        (Stage::Compute, "gl_NumWorkGroups") => uint(3, What::In(BuiltIn::NumWorkgroups)),
        (Stage::Compute, "gl_LocalInvocationIndex") => {
            uint(1, What::In(BuiltIn::LocalInvocationIndex))
        }
        _ => None,
    }
}

/// Built-in constants: the least that every implementation has.
fn constant(text: &str) -> Option<u32> {
    Some(match text {
        "gl_MaxVertexAttribs" | "gl_MaxTextureImageUnits" | "gl_MaxVertexTextureImageUnits" => 16,
        "gl_MaxCombinedTextureImageUnits" => 80,
        "gl_MaxDrawBuffers" | "gl_MaxTextureCoords" | "gl_MaxClipDistances" | "gl_MaxLights" => 8,
        "gl_MaxVertexUniformVectors" => 256,
        "gl_MaxFragmentUniformVectors" => 224,
        "gl_MaxVaryingVectors" | "gl_MaxVertexOutputVectors" | "gl_MaxFragmentInputVectors" => 15,
        "gl_MaxVertexUniformComponents" | "gl_MaxFragmentUniformComponents" => 1024,
        "gl_MaxVaryingFloats" | "gl_MaxVaryingComponents" => 60,
        "gl_MinProgramTexelOffset" => -8_i32 as u32,
        "gl_MaxProgramTexelOffset" => 7,
        "gl_MaxTextureUnits" => 2,
        "gl_MaxSamples" => 4,
        _ => return None,
    })
}

/// The number of a format in SPIR-V.
fn format_number(name: &str) -> Option<u32> {
    const NAMES: [&str; 39] = [
        "rgba32f",
        "rgba16f",
        "r32f",
        "rgba8",
        "rgba8_snorm",
        "rg32f",
        "rg16f",
        "r11f_g11f_b10f",
        "r16f",
        "rgba16",
        "rgb10_a2",
        "rg16",
        "rg8",
        "r16",
        "r8",
        "rgba16_snorm",
        "rg16_snorm",
        "rg8_snorm",
        "r16_snorm",
        "r8_snorm",
        "rgba32i",
        "rgba16i",
        "rgba8i",
        "r32i",
        "rg32i",
        "rg16i",
        "rg8i",
        "r16i",
        "r8i",
        "rgba32ui",
        "rgba16ui",
        "rgba8ui",
        "r32ui",
        "rgb10_a2ui",
        "rg32ui",
        "rg16ui",
        "rg8ui",
        "r16ui",
        "r8ui",
    ];
    NAMES.iter().position(|of| *of == name).map(|k| k as u32 + 1)
}
