//! Textures: combined image samplers, whose texels are fetched by clamped indices.
//!
//! A sample is such fetches and arithmetic; in a program with native sampling, it is the device's. A
//! native sample is an `OpImageSampleExplicitLod` with a level of detail that the program computes, for
//! every form of `sample`. An implicit level is undefined where pixels diverge, and devices may derive a
//! level from gradients in various ways; with a level, only filtering is the device's choice.
//!
//! Each level has half the size of the previous one, rounded down, here as in Vulkan. So sizes are
//! shifts of the first level's size, which is queried with a constant: for a level that differs between
//! lanes, Mesa's lavapipe answers with that of one lane.

use super::declarations::TypeDeclaration;
use super::translator::Translator;
use crate::mutants::{Mutant, is_active};
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::ValueId;
use lambdav_core::texture::{Texels, TextureKind};
use lambdav_core::types::{ResourceKind, Scalar, Type};
use rspirv::dr::Operand;
use rspirv::spirv::{ImageOperands, Op, StorageClass, Word};

impl Translator<'_> {
    /// Reads or queries a texture.
    pub(super) fn of_texture(&mut self, op: Core, ty: Type, operands: &[ValueId]) -> Word {
        let types = &self.function.program.types;
        let number =
            types.resource(self.function.program.ty(operands[0])).expect("it is a texture");
        let resource = &types.resources()[number];
        let ResourceKind::Texture(options) = resource.kind else {
            unreachable!("the operation is one on textures")
        };
        if !options.mipmaps && op == Core::TextureLevels {
            return self.declarations.constant(ty, &[1]);
        }
        let variable = self.interface.resource(&mut self.declarations, number as u32, resource);
        let sampled =
            self.declarations.shape(TypeDeclaration::SampledImage(options.kind, options.texels));
        let variable = match self.interface.element(number as u32) {
            None => variable,
            Some(element) => {
                let class = StorageClass::UniformConstant;
                let pointer = self.declarations.shape(TypeDeclaration::Pointer(class, sampled));
                let element = self.declarations.uint(element);
                let operands = [variable, element].map(Operand::IdRef).to_vec();
                self.compute(Op::AccessChain, pointer, operands)
            }
        };
        let loaded = self.compute(Op::Load, sampled, vec![Operand::IdRef(variable)]);
        if op == Core::Sample {
            let [place, level] = [operands[1], operands[2]].map(|operand| self.value(operand));
            let ty = self.declarations.ty(ty);
            let mut of = [loaded, place].map(Operand::IdRef).to_vec();
            of.extend([Operand::ImageOperands(ImageOperands::LOD), Operand::IdRef(level)]);
            let id = self.compute(Op::ImageSampleExplicitLod, ty, of);
            self.note_from_outside(id, Type::vec(4));
            return id;
        }
        let image_type =
            self.declarations.shape(TypeDeclaration::Image(options.kind, options.texels));
        let image = self.compute(Op::Image, image_type, vec![Operand::IdRef(loaded)]);
        let level = |s: &mut Self, level| match options.mipmaps {
            true => s.level(image, level),
            false => s.declarations.constant(Type::INT, &[0]),
        };
        match op {
            Core::Texel => {
                let level = level(self, operands[2]);
                let size = self.size(image, options.kind, level);
                let place_type = Type::of(Scalar::I32, options.kind.axes());
                let place = self.value(operands[1]);
                let one = self.everywhere(place_type, 1);
                let last = self.instruction(Op::ISub, place_type, &[size, one]);
                let place = self.within(place_type, place, last);
                let ty = self.declarations.ty(ty);
                let mut of = [image, place].map(Operand::IdRef).to_vec();
                of.extend([Operand::ImageOperands(ImageOperands::LOD), Operand::IdRef(level)]);
                let id = self.compute(Op::ImageFetch, ty, of);
                if options.texels == Texels::Numbers {
                    self.note_from_outside(id, Type::vec(4));
                }
                id
            }
            Core::TextureSize => {
                let level = level(self, operands[1]);
                self.size(image, options.kind, level)
            }
            _ => self.levels(image),
        }
    }

    /// Clamps between 0 and `last`, by component.
    fn within(&mut self, ty: Type, number: Word, last: Word) -> Word {
        if is_active(Mutant::LooseTexel) {
            return number;
        }
        let zero = self.everywhere(ty, 0);
        let number = self.apply(Core::Max, ty, ty, &[number, zero]);
        self.apply(Core::Min, ty, ty, &[number, last])
    }

    fn levels(&mut self, image: Word) -> Word {
        self.interface.queries_images();
        self.instruction(Op::ImageQueryLevels, Type::INT, &[image])
    }

    /// A clamped level.
    fn level(&mut self, image: Word, level: ValueId) -> Word {
        let (level, count) = (self.value(level), self.levels(image));
        let one = self.declarations.constant(Type::INT, &[1]);
        let last = self.instruction(Op::ISub, Type::INT, &[count, one]);
        self.within(Type::INT, level, last)
    }

    /// The size of a level that exists, in a texture of this kind.
    fn size(&mut self, image: Word, kind: TextureKind, level: Word) -> Word {
        self.interface.queries_images();
        let ty = Type::of(Scalar::I32, kind.axes());
        let zero = self.declarations.constant(Type::INT, &[0]);
        let size = self.instruction(Op::ImageQuerySizeLod, ty, &[image, zero]);
        if level == zero {
            return size;
        }
        // Layers are as many in each level.
        let planes = if kind == TextureKind::Volume { level } else { zero };
        let shifts = &[level, level, planes][..usize::from(kind.axes())];
        let levels = self.instruction(Op::CompositeConstruct, ty, shifts);
        let halved = self.instruction(Op::ShiftRightArithmetic, ty, &[size, levels]);
        let one = self.everywhere(ty, 1);
        self.apply(Core::Max, ty, ty, &[halved, one])
    }
}
