//! Instructions of images: samples, queries, storage images, subpasses, and Vulkan's combined samplers.

use super::builtin_table::Stages;
use super::checker::Checker;
use super::items::Stage;
use super::textures::{Level, Offset, Reads, Sampled, Sampling, dimension};
use super::values::{Constant, Operand, Value};
use crate::types::{Dim, Image, Kind, Role, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Capability, ImageOperands, Op, StorageClass};

/// A question about an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Query {
    Size,
    Lod,
    Levels,
    Samples,
}

impl Query {
    /// The question of a name.
    pub(super) fn of(name: &str) -> Option<Self> {
        let rest = name.strip_prefix("texture")?;
        Some(match rest {
            "QueryLod" | "QueryLOD" => Self::Lod,
            "QueryLevels" => Self::Levels,
            "Samples" => Self::Samples,
            _ => {
                // `textureSize2D` of EXT_gpu_shader4.
                let (_, rest) = dimension(rest.strip_prefix("Size")?);
                if !rest.is_empty() {
                    return None;
                }
                Self::Size
            }
        })
    }
}

const IMAGE_ATOMICS: [(&str, Op, Op); 8] = [
    ("imageAtomicAdd", Op::AtomicIAdd, Op::AtomicIAdd),
    ("imageAtomicMin", Op::AtomicSMin, Op::AtomicUMin),
    ("imageAtomicMax", Op::AtomicSMax, Op::AtomicUMax),
    ("imageAtomicAnd", Op::AtomicAnd, Op::AtomicAnd),
    ("imageAtomicOr", Op::AtomicOr, Op::AtomicOr),
    ("imageAtomicXor", Op::AtomicXor, Op::AtomicXor),
    ("imageAtomicExchange", Op::AtomicExchange, Op::AtomicExchange),
    ("imageAtomicCompSwap", Op::AtomicCompareExchange, Op::AtomicCompareExchange),
];

/// True for the functions of storage images and subpasses.
pub(super) fn is_image_function(name: &str) -> bool {
    let names = ["imageLoad", "imageStore", "imageSize", "imageSamples", "subpassLoad"];
    names.contains(&name) || IMAGE_ATOMICS.iter().any(|(known, ..)| *known == name)
}

impl Checker<'_> {
    /// The sampled image of an operand. It must be made in the block that uses it.
    fn sampled_image(&mut self, operand: &Operand) -> u32 {
        match operand {
            Operand::Place(place) => self.load(place).id,
            Operand::Value(value) => match self.sampled.get(&value.id) {
                Some(&[ty, image, sampler]) => self.emit(Op::SampledImage, ty, &[image, sampler]),
                None => value.id,
            },
            _ => 0,
        }
    }

    /// The image of an operand without its sampler.
    fn plain_image(&mut self, operand: &Operand, image: Image) -> u32 {
        if let Operand::Value(value) = operand
            && let Some(&[_, image, _]) = self.sampled.get(&value.id)
        {
            return image;
        }
        let id = self.sampled_image(operand);
        if image.role != Role::Combined {
            return id;
        }
        let ty = self.plain_image_id(image);
        self.emit(Op::Image, ty, &[id])
    }

    /// `sampler2D(texture, sampler)` of Vulkan.
    pub(super) fn texture_constructor(
        &mut self,
        ty: Type,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Operand {
        let Kind::Image(combined) = self.types.kind(ty) else { return Operand::Error };
        let Some(types) = self.types_of(&arguments) else { return Operand::Error };
        let texture =
            self.types.of(Kind::Image(Image { role: Role::Separate, shadow: false, ..combined }));
        let is_sampler = |&ty: &Type| matches!(self.types.kind(ty), Kind::Sampler { .. });
        if types.len() != 2 || types[0] != texture || !is_sampler(&types[1]) {
            let [name, wanted] = [self.types.name(ty), self.types.name(texture)];
            let given: Vec<String> = types.iter().map(|&ty| self.types.name(ty)).collect();
            let message = format!("no `{name}` takes ({})", given.join(", "));
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            self.help(format!("`{name}` takes ({wanted}, sampler)"));
            return Operand::Error;
        }
        let mut ids = Vec::new();
        for (operand, _) in &arguments {
            ids.push(self.sampled_image(operand));
        }
        let image_type = self.id_of(texture, None);
        let sampled_type = self.module.ty(Op::TypeSampledImage, &[image_type]);
        // The instruction is written where the value is used.
        let id = self.module.id();
        self.sampled.insert(id, [sampled_type, ids[0], ids[1]]);
        Operand::Value(Value::new(ty, id))
    }

    /// The instruction of a texture function.
    pub(super) fn emit_sampling(
        &mut self,
        of: Sampling,
        image: Image,
        texture: &Operand,
        with: &Sampled,
    ) -> Value {
        let texture = match of.reads {
            Reads::Fetch => self.plain_image(texture, image),
            _ => self.sampled_image(texture),
        };
        let mut operands = vec![texture, with.coordinates];
        operands.extend(with.reference);
        if of.reads == Reads::Gather && !image.shadow {
            let component = with.component.unwrap_or_else(|| self.int(0));
            operands.push(component);
        }
        let automatic = of.reads == Reads::Sample && of.level == Level::Automatic;
        let implicit = automatic && self.set.stage == Stage::Fragment;
        // Without derivatives the level is 0.
        let level = match with.level {
            None if automatic && !implicit => Some(self.float(0.0)),
            level => level,
        };
        let mut mask = ImageOperands::NONE;
        let mut behind = Vec::new();
        if let Some(bias) = with.bias {
            mask |= ImageOperands::BIAS;
            behind.push(bias);
        }
        if let Some(level) = level {
            mask |= ImageOperands::LOD;
            behind.push(level);
        }
        if let Some(gradient) = with.gradient {
            mask |= ImageOperands::GRAD;
            behind.extend(gradient);
        }
        if let Some((offset, constant)) = with.offset {
            mask |= match (of.offset, constant) {
                (Offset::Four, _) => ImageOperands::CONST_OFFSETS,
                (_, true) => ImageOperands::CONST_OFFSET,
                _ => ImageOperands::OFFSET,
            };
            if of.offset == Offset::Four || !constant {
                self.module.capability(Capability::ImageGatherExtended);
            }
            behind.push(offset);
        }
        if let Some(sample) = with.sample {
            mask |= ImageOperands::SAMPLE;
            behind.push(sample);
        }
        if mask != ImageOperands::NONE {
            operands.push(mask.bits());
            operands.extend(behind);
        }
        let op = match (of.reads, image.shadow, implicit) {
            (Reads::Fetch, ..) => Op::ImageFetch,
            (Reads::Gather, false, _) => Op::ImageGather,
            (Reads::Gather, true, _) => Op::ImageDrefGather,
            (_, false, true) => Op::ImageSampleImplicitLod,
            (_, false, false) => Op::ImageSampleExplicitLod,
            (_, true, true) => Op::ImageSampleDrefImplicitLod,
            (_, true, false) => Op::ImageSampleDrefExplicitLod,
        };
        if of.reads == Reads::Gather || !image.shadow {
            let ty = self.types.vector(image.scalar, 4);
            return self.compute(op, ty, &operands);
        }
        let depth = self.compute(op, Types::FLOAT, &operands);
        if !of.widens {
            return depth;
        }
        let one = self.splat_value(Types::FLOAT, 1);
        let ty = self.types.vector(Scalar::Float, 4);
        self.compose(ty, &[depth.clone(), depth.clone(), depth, one])
    }

    /// Calls a function that asks about a texture.
    pub(super) fn call_query(
        &mut self,
        name: &str,
        query: Query,
        arguments: Vec<(Operand, Span)>,
        types: &[Type],
        at: Span,
    ) -> Option<Value> {
        let (since, stages) = match query {
            Query::Size => ([110, 300], Stages::All),
            Query::Lod => ([110, super::builtin_table::NEVER], Stages::Fragment),
            Query::Levels => ([130, super::builtin_table::NEVER], Stages::All),
            Query::Samples => ([150, super::builtin_table::NEVER], Stages::All),
        };
        self.check_available(name, since, stages, at);
        let Some((texture, texture_at)) = arguments.first() else {
            let message = format!("`{name}` takes a sampler");
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            return None;
        };
        let image = self.image_of(name, types[0], query != Query::Lod, *texture_at)?;
        let has_levels = !image.multisampled && !matches!(image.dim, Dim::Buffer | Dim::Rect);
        let fits = match query {
            Query::Size => true,
            Query::Lod | Query::Levels => has_levels,
            Query::Samples => image.multisampled,
        };
        if !fits {
            let message = format!("`{name}` does not take {}", self.type_name(types[0]));
            self.wrong(DiagnosticCode::GlslArguments, *texture_at, message);
            return None;
        }
        let second = match query {
            Query::Size if has_levels => Some((Types::INT, "the level is")),
            Query::Lod => {
                let ty = self.types.vector(Scalar::Float, image.dimensions());
                Some((ty, "the coordinates are"))
            }
            _ => None,
        };
        if arguments.len() != 1 + usize::from(second.is_some()) {
            let mut form = vec![self.types.name(types[0])];
            form.extend(second.map(|(ty, _)| self.types.name(ty)));
            let message = format!("`{name}` takes ({})", form.join(", "));
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            return None;
        }
        let mut operands = Vec::new();
        if let (Some((ty, what)), Some((operand, span))) = (second, arguments.get(1)) {
            let value = self.value_of(operand.clone(), *span)?;
            let value = self.coerce(&value, ty, *span, what)?;
            operands.push(self.id(&value));
        }
        let texture = match query {
            Query::Lod => self.sampled_image(texture),
            _ => self.plain_image(texture, image),
        };
        operands.insert(0, texture);
        self.module.capability(Capability::ImageQuery);
        let (op, ty) = match query {
            Query::Size => {
                let op = if has_levels { Op::ImageQuerySizeLod } else { Op::ImageQuerySize };
                (op, self.size_type(image))
            }
            Query::Lod => (Op::ImageQueryLod, self.types.vector(Scalar::Float, 2)),
            Query::Levels => (Op::ImageQueryLevels, Types::INT),
            Query::Samples => (Op::ImageQuerySamples, Types::INT),
        };
        Some(self.compute(op, ty, &operands))
    }

    /// The type of the size of an image.
    fn size_type(&mut self, image: Image) -> Type {
        let faces = if image.dim == Dim::Cube { 2 } else { image.dimensions() };
        self.types.vector(Scalar::Int, faces + u8::from(image.arrayed))
    }

    /// Calls a function of storage images or subpasses.
    pub(super) fn call_image(
        &mut self,
        name: &str,
        arguments: Vec<(Operand, Span)>,
        types: &[Type],
        at: Span,
    ) -> Option<Value> {
        let is_subpass = name == "subpassLoad";
        let role = if is_subpass { Role::Subpass } else { Role::Storage };
        match is_subpass {
            true => self.check_available(name, [0, 0], Stages::Fragment, at),
            false => self.check_available(name, [130, 310], Stages::All, at),
        }
        let image = match types.first().map(|&ty| self.types.kind(ty)) {
            Some(Kind::Image(image)) if image.role == role => image,
            _ => {
                let what = if is_subpass { "a subpass input" } else { "an image" };
                let message = format!("`{name}` takes {what} first");
                self.wrong(DiagnosticCode::GlslArguments, at, message);
                if !is_subpass {
                    self.help(
                        "images are declared as `image2D` and the like; `texture` takes samplers",
                    );
                }
                return None;
            }
        };
        let atomic = IMAGE_ATOMICS.iter().find(|(known, ..)| *known == name);
        // The parameters behind the image.
        let mut wanted = Vec::new();
        let asks = name == "imageSize" || name == "imageSamples";
        if !asks {
            if !is_subpass {
                let width = match image.dim {
                    // Coordinates of cubes are those of their faces.
                    Dim::Cube => 3,
                    _ => image.dimensions() + u8::from(image.arrayed),
                };
                wanted.push((self.types.vector(Scalar::Int, width), "the coordinates are"));
            }
            if image.multisampled {
                wanted.push((Types::INT, "the number of the sample is"));
            }
        }
        let [texel, single] = [4, 1].map(|width| self.types.vector(image.scalar, width));
        match name {
            "imageStore" => wanted.push((texel, "the texel is")),
            "imageAtomicCompSwap" => wanted.extend([(single, "the value is"); 2]),
            _ if atomic.is_some() => wanted.push((single, "the value is")),
            _ => {}
        }
        if arguments.len() != wanted.len() + 1 {
            let mut form = vec![self.types.name(types[0])];
            form.extend(wanted.iter().map(|&(ty, _)| self.types.name(ty)));
            let message = format!("`{name}` takes ({})", form.join(", "));
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            return None;
        }
        let mut ids = Vec::new();
        for ((operand, span), (ty, what)) in arguments.iter().skip(1).zip(wanted) {
            let value = self.value_of(operand.clone(), *span)?;
            let value = self.coerce(&value, ty, *span, what)?;
            ids.push(self.id(&value));
        }
        let texture = &arguments[0].0;
        if let Operand::Place(place) = texture {
            let is_store = name == "imageStore";
            let reads = !asks && !is_store && place.memory.write_only;
            let writes = (is_store || atomic.is_some()) && place.memory.read_only;
            if reads || writes {
                let (does, is) =
                    if writes { ("writes", "readonly") } else { ("reads", "writeonly") };
                let message = format!("`{name}` {does} the image, which is `{is}`");
                self.wrong(DiagnosticCode::GlslQualifier, arguments[0].1, message);
                self.help(format!("delete `{is}` where the image is declared"));
                return None;
            }
        }
        match atomic {
            Some(&(_, signed, unsigned)) => {
                let op = if image.scalar == Scalar::Int { signed } else { unsigned };
                if image.scalar == Scalar::Float && op != Op::AtomicExchange {
                    let message = format!("`{name}` takes images of integers");
                    self.wrong(DiagnosticCode::GlslArguments, at, message);
                    return None;
                }
                self.image_atomic(op, image, texture, single, ids)
            }
            None => Some(self.emit_image(name, image, texture, texel, ids)),
        }
    }

    fn image_atomic(
        &mut self,
        op: Op,
        image: Image,
        texture: &Operand,
        single: Type,
        mut ids: Vec<u32>,
    ) -> Option<Value> {
        let Operand::Place(place) = texture else { return None };
        let image_pointer = self.pointer_to(place);
        let coordinates = ids.remove(0);
        let sample = if image.multisampled { ids.remove(0) } else { self.uint(0) };
        let ty = self.id_of(single, None);
        let ty = self.module.pointer(StorageClass::Image, ty);
        let pointer = self.emit(Op::ImageTexelPointer, ty, &[image_pointer, coordinates, sample]);
        Some(self.atomic_at(op, single, pointer, &ids))
    }

    fn emit_image(
        &mut self,
        name: &str,
        image: Image,
        texture: &Operand,
        texel: Type,
        ids: Vec<u32>,
    ) -> Value {
        let mut operands = vec![self.plain_image(texture, image)];
        if name == "imageSize" || name == "imageSamples" {
            self.module.capability(Capability::ImageQuery);
            return match name {
                "imageSize" => {
                    let ty = self.size_type(image);
                    self.compute(Op::ImageQuerySize, ty, &operands)
                }
                _ => self.compute(Op::ImageQuerySamples, Types::INT, &operands),
            };
        }
        let mut ids = ids.into_iter();
        if image.role == Role::Subpass {
            let ty = self.types.vector(Scalar::Int, 2);
            let zero = Constant::Scalar(Scalar::Int, 0);
            let origin = Constant::Composite(vec![zero; 2]);
            operands.push(self.constant_id(ty, &origin));
        } else {
            operands.extend(ids.next());
        }
        let sample = if image.multisampled { ids.next() } else { None };
        let is_store = name == "imageStore";
        if image.format == 0 && image.role == Role::Storage {
            self.module.capability(match is_store {
                true => Capability::StorageImageWriteWithoutFormat,
                false => Capability::StorageImageReadWithoutFormat,
            });
        }
        if is_store {
            operands.extend(ids.next());
        }
        if let Some(sample) = sample {
            operands.extend([ImageOperands::SAMPLE.bits(), sample]);
        }
        if is_store {
            self.act(Op::ImageWrite, &operands);
            return Value::new(Types::VOID, 0);
        }
        self.compute(Op::ImageRead, texel, &operands)
    }
}
