//! Types as SPIR-V has them, and how data lie in blocks (std140, std430, scalar).

use super::checker::Checker;
use super::values::{Layout, Rules};
use crate::types::{Dim, Image, Kind, Length, Member, Role, Scalar, Type, Types};
use lambdav_spirv::build::round_up;
use rspirv::spirv::{Capability, Decoration, Op};

impl Layout {
    /// Tells types of different layouts apart.
    fn variant(self) -> u32 {
        1 + self.rules as u32 * 2 + u32::from(self.row_major)
    }

    /// The layout of a member.
    pub(super) fn of_member(self, member: &Member) -> Self {
        Self { row_major: member.layout.row_major.unwrap_or(self.row_major), ..self }
    }
}

impl Checker<'_> {
    /// The id of a type. In the memory of a block a type has a layout.
    pub(super) fn id_of(&mut self, ty: Type, layout: Option<Layout>) -> u32 {
        if let Some(&id) = self.ids.get(&(ty, layout)) {
            return id;
        }
        let id = self.new_id_of(ty, layout);
        self.ids.insert((ty, layout), id);
        id
    }

    fn new_id_of(&mut self, ty: Type, layout: Option<Layout>) -> u32 {
        match self.types.kind(ty) {
            Kind::Void => self.module.ty(Op::TypeVoid, &[]),
            // Nothing is written once an error was reported; any type will do.
            Kind::Error => self.module.ty(Op::TypeFloat, &[32]),
            Kind::Scalar(scalar) => self.scalar_id(scalar, layout.is_some()),
            Kind::Vector(scalar, width) => {
                let scalar = self.scalar_id(scalar, layout.is_some());
                self.module.ty(Op::TypeVector, &[scalar, width.into()])
            }
            Kind::Matrix(scalar, columns, rows) => {
                let scalar = self.scalar_id(scalar, false);
                let column = self.module.ty(Op::TypeVector, &[scalar, rows.into()]);
                self.module.ty(Op::TypeMatrix, &[column, columns.into()])
            }
            Kind::Array(element, length) => self.array_id(element, length, layout),
            Kind::Struct(number) => self.struct_id(number, layout),
            Kind::Image(image) => self.image_id(image),
            Kind::Sampler { .. } => self.module.ty(Op::TypeSampler, &[]),
            Kind::AtomicCounter => self.scalar_id(Scalar::Uint, false),
        }
    }

    /// A bool in memory is a uint.
    fn scalar_id(&mut self, scalar: Scalar, in_memory: bool) -> u32 {
        match scalar {
            Scalar::Bool if in_memory => self.module.ty(Op::TypeInt, &[32, 0]),
            Scalar::Bool => self.module.ty(Op::TypeBool, &[]),
            Scalar::Int => self.module.ty(Op::TypeInt, &[32, 1]),
            Scalar::Uint => self.module.ty(Op::TypeInt, &[32, 0]),
            Scalar::Float => self.module.ty(Op::TypeFloat, &[32]),
            Scalar::Double => {
                self.module.capability(Capability::Float64);
                self.module.ty(Op::TypeFloat, &[64])
            }
        }
    }

    fn array_id(&mut self, element: Type, length: Length, layout: Option<Layout>) -> u32 {
        let id = self.id_of(element, layout);
        let variant = layout.map_or(0, Layout::variant);
        let (id, new) = match length {
            Length::Known(length) => {
                let length = self.uint(length);
                self.module.unique_type(Op::TypeArray, &[id, length], variant)
            }
            Length::Open => {
                if self.types.is_opaque(element) {
                    self.module.extension("SPV_EXT_descriptor_indexing");
                    self.module.capability(Capability::RuntimeDescriptorArray);
                }
                self.module.unique_type(Op::TypeRuntimeArray, &[id], variant)
            }
        };
        if let (true, Some(layout)) = (new, layout)
            && !self.types.is_opaque(element)
        {
            let stride = stride(&self.types, element, layout);
            self.module.decorate(id, Decoration::ArrayStride, &[stride]);
        }
        id
    }

    fn struct_id(&mut self, number: u32, layout: Option<Layout>) -> u32 {
        let members = self.structure(number).members.clone();
        let name = self.structure(number).name.clone();
        let ids: Vec<u32> = members
            .iter()
            .map(|member| self.id_of(member.ty, layout.map(|layout| layout.of_member(member))))
            .collect();
        // Equal structures of different names are different types.
        let variant = 0x100 + self.ids.len() as u32;
        let (id, _) = self.module.unique_type(Op::TypeStruct, &ids, variant);
        self.module.name(id, &name);
        for (k, member) in (0..).zip(&members) {
            // Members of the block of loose uniforms are named there.
            if member.name != crate::token::Name(u32::MAX) {
                self.module.member_name(id, k, self.set.names.text(member.name));
            }
        }
        if let Some(layout) = layout {
            let offsets = offsets(&self.types, &members, layout).0;
            for ((k, member), offset) in (0..).zip(&members).zip(offsets) {
                self.module.decorate_member(id, k, Decoration::Offset, &[offset]);
                let layout = layout.of_member(member);
                if let Kind::Matrix(..) = self.types.kind(self.types.innermost(member.ty).0) {
                    let matrix = self.types.innermost(member.ty).0;
                    let stride = matrix_stride(&self.types, matrix, layout);
                    let major = match layout.row_major {
                        true => Decoration::RowMajor,
                        false => Decoration::ColMajor,
                    };
                    self.module.decorate_member(id, k, major, &[]);
                    self.module.decorate_member(id, k, Decoration::MatrixStride, &[stride]);
                }
            }
        }
        id
    }

    /// The type of an image, or of an image with its sampler.
    fn image_id(&mut self, image: Image) -> u32 {
        let id = self.plain_image_id(image);
        match image.role {
            Role::Combined => self.module.ty(Op::TypeSampledImage, &[id]),
            _ => id,
        }
    }

    /// The type of an image without its sampler.
    pub(super) fn plain_image_id(&mut self, image: Image) -> u32 {
        use rspirv::spirv::Dim as Spirv;
        let scalar = self.scalar_id(image.scalar, false);
        let is_stored = image.role == Role::Storage;
        let (dim, capability) = match image.dim {
            Dim::D1 => (
                Spirv::Dim1D,
                Some(if is_stored { Capability::Image1D } else { Capability::Sampled1D }),
            ),
            Dim::D2 => (Spirv::Dim2D, None),
            Dim::D3 => (Spirv::Dim3D, None),
            Dim::Cube if image.arrayed => (
                Spirv::DimCube,
                Some(if is_stored {
                    Capability::ImageCubeArray
                } else {
                    Capability::SampledCubeArray
                }),
            ),
            Dim::Cube => (Spirv::DimCube, None),
            Dim::Rect => (
                Spirv::DimRect,
                Some(if is_stored { Capability::ImageRect } else { Capability::SampledRect }),
            ),
            Dim::Buffer => (
                Spirv::DimBuffer,
                Some(if is_stored { Capability::ImageBuffer } else { Capability::SampledBuffer }),
            ),
            Dim::Subpass => (Spirv::DimSubpassData, Some(Capability::InputAttachment)),
        };
        if let Some(capability) = capability {
            self.module.capability(capability);
        }
        if is_stored && image.multisampled {
            self.module.capability(Capability::StorageImageMultisample);
        }
        if is_stored && image.format > 5 && ![21, 24, 30, 33].contains(&image.format) {
            self.module.capability(Capability::StorageImageExtendedFormats);
        }
        let sampled = if matches!(image.role, Role::Storage | Role::Subpass) { 2 } else { 1 };
        let flags = [image.shadow, image.arrayed, image.multisampled].map(u32::from);
        let operands = [scalar, dim as u32, flags[0], flags[1], flags[2], sampled, image.format];
        self.module.ty(Op::TypeImage, &operands)
    }
}

/// Bytes of a scalar.
fn scalar_size(scalar: Scalar) -> u32 {
    if scalar == Scalar::Double { 8 } else { 4 }
}

/// Size and alignment in bytes.
pub(super) fn size_and_align(types: &Types, ty: Type, layout: Layout) -> [u32; 2] {
    match types.kind(ty) {
        Kind::Scalar(scalar) => [scalar_size(scalar); 2],
        Kind::Vector(scalar, width) => {
            let one = scalar_size(scalar);
            let align = match (layout.rules, width) {
                (Rules::Scalar, _) => one,
                (_, 2) => one * 2,
                _ => one * 4,
            };
            [one * u32::from(width), align]
        }
        Kind::Matrix(_, columns, rows) => {
            let stride = matrix_stride(types, ty, layout);
            let count = if layout.row_major { rows } else { columns };
            let align = match (layout.rules, types.scalar(ty)) {
                (Rules::Scalar, Some(scalar)) => scalar_size(scalar),
                _ => stride,
            };
            [stride * u32::from(count), align]
        }
        Kind::Array(element, length) => {
            let count = match length {
                Length::Known(count) => count,
                Length::Open => 0,
            };
            let align = align_of_array(types, element, layout);
            [stride(types, element, layout).saturating_mul(count), align]
        }
        Kind::Struct(number) => {
            let members = &types.structs[number as usize].members;
            let (_, end, align) = offsets(types, members, layout);
            [round_up(end, align), align]
        }
        _ => [4; 2],
    }
}

/// Distance in bytes of the columns of a matrix, or of its rows.
pub(super) fn matrix_stride(types: &Types, ty: Type, layout: Layout) -> u32 {
    let Kind::Matrix(scalar, columns, rows) = types.kind(ty) else { return 16 };
    let width = if layout.row_major { columns } else { rows };
    let one = scalar_size(scalar);
    match layout.rules {
        Rules::Scalar => one * u32::from(width),
        Rules::Std430 if width == 2 => one * 2,
        Rules::Std140 if width == 2 => round_up(one * 2, 16),
        _ => one * 4,
    }
}

fn align_of_array(types: &Types, element: Type, layout: Layout) -> u32 {
    let align = size_and_align(types, element, layout)[1];
    if layout.rules == Rules::Std140 { round_up(align, 16) } else { align }
}

/// Distance in bytes of the elements of an array.
pub(super) fn stride(types: &Types, element: Type, layout: Layout) -> u32 {
    let size = size_and_align(types, element, layout)[0];
    round_up(size, align_of_array(types, element, layout))
}

/// Offsets of members, the end of the last one, and the alignment of the structure.
pub(super) fn offsets(types: &Types, members: &[Member], layout: Layout) -> (Vec<u32>, u32, u32) {
    let (mut end, mut most) = (0_u32, if layout.rules == Rules::Std140 { 16 } else { 1 });
    let mut offsets = Vec::new();
    for member in members {
        let [size, align] = size_and_align(types, member.ty, layout.of_member(member));
        let align = align.max(member.layout.align.unwrap_or(1));
        let offset = member.layout.offset.unwrap_or(end);
        let offset = round_up(offset, align);
        offsets.push(offset);
        end = offset.saturating_add(size);
        most = most.max(align);
    }
    (offsets, end, most)
}
