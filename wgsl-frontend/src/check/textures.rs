//! Texture functions.

use super::checker::Checker;
use super::items::Need;
use super::values::{Operand, Place, Value};
use crate::types::{Access, Dim, Kind, Scalar, Texture, TextureKind, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Capability, ImageOperands, Op};

/// The arguments of a texture function, taken one by one.
struct Arguments<'n> {
    name: &'n str,
    rest: std::vec::IntoIter<(Operand, Span)>,
    at: Span,
}

/// Optional operands of an image instruction, in the order of their bits.
#[derive(Default)]
struct Optional {
    bias: Option<u32>,
    level: Option<u32>,
    gradient: Option<[u32; 2]>,
    offset: Option<u32>,
    sample: Option<u32>,
}

impl Optional {
    fn operands(&self) -> Vec<u32> {
        let mut mask = ImageOperands::NONE;
        let mut all = Vec::new();
        if let Some(bias) = self.bias {
            mask |= ImageOperands::BIAS;
            all.push(bias);
        }
        if let Some(level) = self.level {
            mask |= ImageOperands::LOD;
            all.push(level);
        }
        if let Some(gradient) = self.gradient {
            mask |= ImageOperands::GRAD;
            all.extend(gradient);
        }
        if let Some(offset) = self.offset {
            mask |= ImageOperands::CONST_OFFSET;
            all.push(offset);
        }
        if let Some(sample) = self.sample {
            mask |= ImageOperands::SAMPLE;
            all.push(sample);
        }
        if all.is_empty() {
            return all;
        }
        all.insert(0, mask.bits());
        all
    }
}

impl Checker<'_> {
    /// Calls a texture function.
    pub(super) fn call_texture(
        &mut self,
        name: &str,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        if self.body.is_none() {
            self.not_constant(at, "this call");
            return None;
        }
        let mut arguments = arguments.into_iter();
        // `textureGather` of a colour texture begins with the number of a component.
        let component = match (name, arguments.as_slice().first()) {
            ("textureGather", Some((Operand::Value(_), _))) => arguments.next(),
            _ => None,
        };
        let (place, texture) = match arguments.next() {
            Some((Operand::Place(place), _))
                if let Kind::Texture(texture) = self.types.kind(place.ty) =>
            {
                (place, texture)
            }
            _ => {
                let message = format!("`{name}` takes a texture first");
                return self.wrong_arguments(at, &message);
            }
        };
        let mut arguments = Arguments { name, rest: arguments, at };
        let value = match name {
            "textureDimensions" => self.dimensions(&place, texture, &mut arguments),
            "textureNumLayers" => {
                let size = self.size(&place, texture, None);
                let last = u32::from(texture.dimensions() - u8::from(texture.dim == Dim::Cube));
                texture
                    .arrayed
                    .then(|| self.compute(Op::CompositeExtract, Types::UINT, &[size.id, last]))
            }
            "textureNumLevels" => self.query(Op::ImageQueryLevels, &place, !texture.multisampled),
            "textureNumSamples" => self.query(Op::ImageQuerySamples, &place, texture.multisampled),
            "textureLoad" => return self.texture_load(&place, texture, arguments),
            "textureStore" => return self.texture_store(&place, texture, arguments),
            _ => return self.sampled(&place, texture, component, arguments),
        };
        match value {
            Some(value) => self.finished(arguments).map(|()| value),
            None => {
                let found = self.type_name(place.ty);
                self.wrong_arguments(at, &format!("`{name}` does not take {found}"))
            }
        }
    }

    /// Reports arguments that are left.
    fn finished(&mut self, mut arguments: Arguments<'_>) -> Option<()> {
        let Some((_, span)) = arguments.rest.next() else { return Some(()) };
        let message = format!("`{}` takes fewer arguments", arguments.name);
        self.wrong(DiagnosticCode::WgslArguments, span, message);
        None
    }

    /// The next argument, of a type.
    fn argument(&mut self, arguments: &mut Arguments<'_>, ty: Type, what: &str) -> Option<Value> {
        let Some((operand, span)) = arguments.rest.next() else {
            let wanted = self.type_name(ty);
            let name = arguments.name;
            let message = format!("an argument of `{name}` is missing: {what}, of type {wanted}");
            return self.wrong_arguments(arguments.at, &message);
        };
        let value = self.value_of(operand, span)?;
        self.coerce(&value, ty, span, &format!("{what} has the type"))
    }

    /// The next argument, an integer or a vector of them, whose sign does not matter.
    fn integer_argument(
        &mut self,
        arguments: &mut Arguments<'_>,
        width: u8,
        what: &str,
    ) -> Option<Value> {
        let unsigned = self.types.vector(Scalar::Uint, width);
        let is_unsigned = match arguments.rest.as_slice().first() {
            Some((Operand::Value(value), _)) => value.ty == unsigned,
            _ => false,
        };
        let scalar = if is_unsigned { Scalar::Uint } else { Scalar::Int };
        let ty = self.types.vector(scalar, width);
        self.argument(arguments, ty, what)
    }

    fn image(&mut self, place: &Place) -> u32 {
        let pointer = self.pointer_to(place);
        let ty = self.id_of(place.ty);
        self.emit(Op::Load, ty, &[pointer])
    }

    /// Width, height and so on, and the number of layers.
    fn size(&mut self, place: &Place, texture: Texture, level: Option<u32>) -> Value {
        self.module.capability(Capability::ImageQuery);
        let image = self.image(place);
        let width =
            texture.dimensions() - u8::from(texture.dim == Dim::Cube) + u8::from(texture.arrayed);
        let ty = self.types.vector(Scalar::Uint, width);
        let has_levels = !texture.multisampled
            && matches!(
                texture.kind,
                TextureKind::Sampled(_) | TextureKind::Depth | TextureKind::External
            );
        if has_levels {
            let level = level.unwrap_or_else(|| self.int(0));
            return self.compute(Op::ImageQuerySizeLod, ty, &[image, level]);
        }
        self.compute(Op::ImageQuerySize, ty, &[image])
    }

    fn dimensions(
        &mut self,
        place: &Place,
        texture: Texture,
        arguments: &mut Arguments<'_>,
    ) -> Option<Value> {
        let level = match arguments.rest.as_slice().is_empty() {
            true => None,
            false => {
                let level = self.integer_argument(arguments, 1, "the level")?;
                Some(self.id(&level))
            }
        };
        let size = self.size(place, texture, level);
        let width = texture.dimensions() - u8::from(texture.dim == Dim::Cube);
        if !texture.arrayed {
            return Some(size);
        }
        let ty = self.types.vector(Scalar::Uint, width);
        let mut operands = vec![size.id, size.id];
        operands.extend(0..u32::from(width));
        Some(self.compute(Op::VectorShuffle, ty, &operands))
    }

    fn query(&mut self, op: Op, place: &Place, fits: bool) -> Option<Value> {
        if !fits {
            return None;
        }
        self.module.capability(Capability::ImageQuery);
        let image = self.image(place);
        Some(self.compute(op, Types::UINT, &[image]))
    }

    /// Integer coordinates, with the number of the layer behind them.
    fn texel_place(&mut self, texture: Texture, arguments: &mut Arguments<'_>) -> Option<Value> {
        let width = texture.dimensions();
        let place = self.integer_argument(arguments, width, "the place")?;
        if !texture.arrayed {
            return Some(place);
        }
        let layer = self.integer_argument(arguments, 1, "the layer")?;
        let scalar = self.types.scalar(place.ty)?;
        let component = self.types.scalar_type(scalar);
        let layer = self.convert(&layer, component, arguments.at)?;
        let ty = self.types.vector(scalar, width + 1);
        Some(self.composite(ty, &[place, layer]))
    }

    fn texture_load(
        &mut self,
        place: &Place,
        texture: Texture,
        mut arguments: Arguments<'_>,
    ) -> Option<Value> {
        if texture.dim == Dim::Cube {
            let found = self.type_name(place.ty);
            let at = arguments.at;
            return self.wrong_arguments(at, &format!("`textureLoad` does not take {found}"));
        }
        let coordinates = self.texel_place(texture, &mut arguments)?;
        let mut optional = Optional::default();
        let is_stored = matches!(texture.kind, TextureKind::Storage(..));
        if texture.multisampled {
            let sample = self.integer_argument(&mut arguments, 1, "the number of the sample")?;
            optional.sample = Some(self.id(&sample));
        } else if texture.kind == TextureKind::External {
            optional.level = Some(self.int(0));
        } else if !is_stored {
            let level = self.integer_argument(&mut arguments, 1, "the level")?;
            optional.level = Some(self.id(&level));
        }
        if matches!(texture.kind, TextureKind::Storage(_, _, Access::Write)) {
            let message = "the texture is written only, and read here";
            self.wrong(DiagnosticCode::WgslTypes, arguments.at, message);
            return None;
        }
        self.finished(arguments)?;
        let image = self.image(place);
        let ty = self.types.vector(texture.scalar(), 4);
        let mut operands = vec![image, self.id(&coordinates)];
        operands.extend(optional.operands());
        let op = if is_stored { Op::ImageRead } else { Op::ImageFetch };
        let texel = self.compute(op, ty, &operands);
        Some(self.first_of_depth(texture, texel))
    }

    /// The only component of a depth texture.
    fn first_of_depth(&mut self, texture: Texture, texel: Value) -> Value {
        match texture.kind {
            TextureKind::Depth => self.compute(Op::CompositeExtract, Types::FLOAT, &[texel.id, 0]),
            _ => texel,
        }
    }

    fn texture_store(
        &mut self,
        place: &Place,
        texture: Texture,
        mut arguments: Arguments<'_>,
    ) -> Option<Value> {
        if !matches!(texture.kind, TextureKind::Storage(_, _, Access::Write | Access::ReadWrite)) {
            let found = self.type_name(place.ty);
            let at = arguments.at;
            return self.wrong_arguments(at, &format!("`textureStore` does not take {found}"));
        }
        let coordinates = self.texel_place(texture, &mut arguments)?;
        let ty = self.types.vector(texture.scalar(), 4);
        let value = self.argument(&mut arguments, ty, "the value")?;
        self.finished(arguments)?;
        let image = self.image(place);
        let operands = [image, self.id(&coordinates), self.id(&value)];
        self.act(Op::ImageWrite, &operands);
        Some(Value::new(Types::VOID, 0))
    }

    /// Functions that take a sampler.
    fn sampled(
        &mut self,
        place: &Place,
        texture: Texture,
        component: Option<(Operand, Span)>,
        mut arguments: Arguments<'_>,
    ) -> Option<Value> {
        let (name, at) = (arguments.name, arguments.at);
        let compares = name.contains("Compare");
        let gathers = name.starts_with("textureGather");
        let is_depth = texture.kind == TextureKind::Depth;
        let is_float = texture.scalar() == Scalar::Float;
        let is_stored = matches!(texture.kind, TextureKind::Storage(..));
        let fits = !texture.multisampled
            && !is_stored
            && (!compares || is_depth)
            && (gathers || is_float)
            && !(gathers && matches!(texture.dim, Dim::D1 | Dim::D3))
            && !(name == "textureSampleBias" && is_depth)
            && !(name == "textureSampleGrad" && is_depth);
        if !fits {
            let found = self.type_name(place.ty);
            return self.wrong_arguments(at, &format!("`{name}` does not take {found}"));
        }
        let sampler = match arguments.rest.next() {
            Some((Operand::Place(sampler), _))
                if self.types.kind(sampler.ty) == Kind::Sampler(compares) =>
            {
                sampler
            }
            _ => {
                let wanted = if compares { "sampler_comparison" } else { "sampler" };
                let message = format!("`{name}` takes a `{wanted}` behind the texture");
                return self.wrong_arguments(at, &message);
            }
        };
        let dimensions = texture.dimensions();
        let ty = self.types.vector(Scalar::Float, dimensions);
        let mut coordinates = self.argument(&mut arguments, ty, "the place")?;
        if texture.arrayed {
            let layer = self.integer_argument(&mut arguments, 1, "the layer")?;
            let layer = self.convert(&layer, Types::FLOAT, at)?;
            let ty = self.types.vector(Scalar::Float, dimensions + 1);
            coordinates = self.composite(ty, &[coordinates, layer]);
        }
        let mut optional = Optional::default();
        let mut reference = None;
        match name {
            "textureSample" | "textureGather" => {}
            "textureSampleBias" => {
                let bias = self.argument(&mut arguments, Types::FLOAT, "the bias")?;
                optional.bias = Some(self.id(&bias));
            }
            "textureSampleLevel" if is_depth => {
                let level = self.integer_argument(&mut arguments, 1, "the level")?;
                let level = self.convert(&level, Types::FLOAT, at)?;
                optional.level = Some(self.id(&level));
            }
            "textureSampleLevel" => {
                let level = self.argument(&mut arguments, Types::FLOAT, "the level")?;
                optional.level = Some(self.id(&level));
            }
            "textureSampleGrad" => {
                let dx = self.argument(&mut arguments, ty, "the derivative")?;
                let dy = self.argument(&mut arguments, ty, "the derivative")?;
                optional.gradient = Some([self.id(&dx), self.id(&dy)]);
            }
            "textureSampleBaseClampToEdge" => {
                if texture.dim != Dim::D2 || texture.arrayed {
                    let found = self.type_name(place.ty);
                    return self.wrong_arguments(at, &format!("`{name}` does not take {found}"));
                }
                coordinates = self.clamped(place, texture, &coordinates);
                optional.level = Some(self.splat_constant(Types::FLOAT, 0));
            }
            "textureSampleCompare" | "textureSampleCompareLevel" | "textureGatherCompare" => {
                let depth = self.argument(&mut arguments, Types::FLOAT, "the depth")?;
                reference = Some(self.id(&depth));
                if name == "textureSampleCompareLevel" {
                    optional.level = Some(self.splat_constant(Types::FLOAT, 0));
                }
            }
            _ => return self.wrong_arguments(at, &format!("there is no function `{name}`")),
        }
        if let Some((_, span)) = arguments.rest.as_slice().first() {
            let span = *span;
            let has_offsets = texture.dim != Dim::Cube && texture.dim != Dim::D1;
            if !has_offsets {
                let found = self.type_name(place.ty);
                return self.wrong_arguments(span, &format!("{found} has no offsets"));
            }
            let ty = self.types.vector(Scalar::Int, dimensions);
            let offset = self.argument(&mut arguments, ty, "the offset")?;
            if offset.constant.is_none() {
                self.not_constant(span, "the offset");
                return None;
            }
            optional.offset = Some(self.id(&offset));
        }
        self.finished(arguments)?;
        let component = match (component, gathers, compares) {
            (Some((operand, span)), true, false) if !is_depth => {
                let number = self.constant_integer(operand, span)?;
                match u32::try_from(number) {
                    Ok(number @ 0..=3) => Some(self.uint(number)),
                    _ => {
                        let message = "the number of the component is from 0 to 3";
                        self.wrong(DiagnosticCode::WgslConstant, span, message);
                        return None;
                    }
                }
            }
            (None, true, false) if is_depth => Some(self.uint(0)),
            (None, ..) if !gathers || compares => None,
            _ => {
                let message = "`textureGather` of colours takes the number of a component first";
                return self.wrong_arguments(at, message);
            }
        };
        let is_implicit = !gathers && optional.level.is_none() && optional.gradient.is_none();
        if is_implicit {
            self.need(Need::Derivatives, at);
            self.need_uniform("a sample whose level a derivative chooses", false, at);
        }
        let image = self.image(place);
        let sampler_id = self.image(&sampler);
        let image_type = self.id_of(place.ty);
        let combined = self.module.ty(Op::TypeSampledImage, &[image_type]);
        let combined = self.emit(Op::SampledImage, combined, &[image, sampler_id]);
        let mut operands = vec![combined, self.id(&coordinates)];
        operands.extend(component);
        operands.extend(reference);
        operands.extend(optional.operands());
        let op = match (gathers, compares, is_implicit) {
            (true, true, _) => Op::ImageDrefGather,
            (true, false, _) => Op::ImageGather,
            (_, true, true) => Op::ImageSampleDrefImplicitLod,
            (_, true, false) => Op::ImageSampleDrefExplicitLod,
            (_, _, true) => Op::ImageSampleImplicitLod,
            _ => Op::ImageSampleExplicitLod,
        };
        let ty = match (gathers, compares) {
            (false, true) => Types::FLOAT,
            _ => self.types.vector(texture.scalar(), 4),
        };
        let value = self.compute(op, ty, &operands);
        Some(match gathers || compares {
            true => value,
            false => self.first_of_depth(texture, value),
        })
    }

    /// Coordinates at least half a texel away from the edges.
    fn clamped(&mut self, place: &Place, texture: Texture, coordinates: &Value) -> Value {
        let size = self.size(place, texture, None);
        let ty = self.types.vector(Scalar::Float, 2);
        let size = self.compute(Op::ConvertUToF, ty, &[size.id]);
        let [half, one] = [0.5_f32, 1.0].map(|word| self.splat_constant(ty, word.to_bits()));
        let margin = self.compute(Op::FDiv, ty, &[half, size.id]);
        let most = self.compute(Op::FSub, ty, &[one, margin.id]);
        let id = self.id(coordinates);
        self.glsl(rspirv::spirv::GlslStd450Op::FClamp, ty, &[id, margin.id, most.id])
    }
}
