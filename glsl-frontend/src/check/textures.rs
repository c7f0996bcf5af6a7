//! Texture functions: names, and the parameters that follow from a name and a sampler.
//!
//! A name says what a function does: `textureProjLodOffset` divides the coordinates, takes a level of detail
//! and an offset. Old names also say the kind of the sampler: `texture2DProj`, `shadow1D`. Both kinds of names
//! are known in all versions, since texts mix them.

use super::checker::Checker;
use super::items::Stage;
use super::values::{Operand, Value};
use crate::types::{Dim, Image, Kind, Length, Role, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reads {
    /// Filtered.
    Sample,
    /// One texel.
    Fetch,
    /// A component of the four texels that would be filtered.
    Gather,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Level {
    /// By derivatives, and a bias.
    Automatic,
    Explicit,
    Gradient,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offset {
    None,
    One,
    Four,
}

/// What the name of a texture function says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sampling {
    pub(super) reads: Reads,
    pub(super) divides: bool,
    pub(super) level: Level,
    pub(super) offset: Offset,
    /// What an old name says of the sampler: its dimensions, and whether it is an array.
    pub(super) named: Option<(Dim, bool)>,
    /// True for the old names that begin with `shadow`.
    pub(super) shadow: bool,
    /// True if a shadow gives `vec4`.
    pub(super) widens: bool,
}

const DIMS: [(&str, Dim, bool); 9] = [
    ("1DArray", Dim::D1, true),
    ("2DArray", Dim::D2, true),
    ("CubeArray", Dim::Cube, true),
    ("2DRect", Dim::Rect, false),
    ("1D", Dim::D1, false),
    ("2D", Dim::D2, false),
    ("3D", Dim::D3, false),
    ("Cube", Dim::Cube, false),
    ("Buffer", Dim::Buffer, false),
];

/// The kind of sampler at the beginning of the rest of an old name, and what follows.
pub(super) fn dimension(rest: &str) -> (Option<(Dim, bool)>, &str) {
    let found = DIMS
        .iter()
        .find_map(|&(text, dim, arrayed)| Some((rest.strip_prefix(text)?, dim, arrayed)));
    match found {
        Some((behind, dim, arrayed)) => (Some((dim, arrayed)), behind),
        None => (None, rest),
    }
}

/// What a name says, if it is the name of a texture function.
pub(super) fn sampling(name: &str) -> Option<Sampling> {
    let starts = [
        ("texelFetch", Reads::Fetch),
        ("textureGather", Reads::Gather),
        ("texture", Reads::Sample),
        ("shadow", Reads::Sample),
    ];
    let (rest, reads) =
        starts.iter().find_map(|&(start, reads)| Some((name.strip_prefix(start)?, reads)))?;
    let shadow = name.starts_with("shadow");
    let (named, rest) = dimension(rest);
    if (shadow && named.is_none()) || (reads == Reads::Gather && named.is_some()) {
        return None;
    }
    if reads != Reads::Fetch && matches!(named, Some((Dim::Buffer, _))) {
        return None;
    }
    let (rest, suffix) = ["EXT", "ARB", "OES"]
        .iter()
        .find_map(|suffix| Some((rest.strip_suffix(suffix)?, named.is_some())))
        .unwrap_or((rest, false));
    let (rest, divides) = match rest.strip_prefix("Proj") {
        Some(rest) => (rest, true),
        None => (rest, false),
    };
    let (rest, level) = match (rest.strip_prefix("Lod"), rest.strip_prefix("Grad")) {
        (Some(rest), _) => (rest, Level::Explicit),
        (_, Some(rest)) => (rest, Level::Gradient),
        _ => (rest, Level::Automatic),
    };
    let offset = match rest {
        "" => Offset::None,
        "Offset" => Offset::One,
        "Offsets" if reads == Reads::Gather => Offset::Four,
        _ => return None,
    };
    if reads != Reads::Sample && (divides || level != Level::Automatic) {
        return None;
    }
    let widens = shadow && !suffix;
    Some(Sampling { reads, divides, level, offset, named, shadow, widens })
}

impl Sampling {
    /// True if the function takes such an image.
    fn takes(&self, image: Image) -> bool {
        let fetched = image.multisampled || image.dim == Dim::Buffer;
        let fits = match self.reads {
            Reads::Fetch => {
                !image.shadow && image.dim != Dim::Cube && !(fetched && self.offset != Offset::None)
            }
            Reads::Gather => {
                !fetched
                    && matches!(image.dim, Dim::D2 | Dim::Cube | Dim::Rect)
                    && !(self.offset != Offset::None && image.dim == Dim::Cube)
            }
            Reads::Sample => {
                let lacks_levels = image.dim == Dim::Rect && self.level == Level::Explicit;
                let is_cube = image.dim == Dim::Cube;
                !fetched
                    && !lacks_levels
                    && !(self.divides && (image.arrayed || is_cube))
                    && !(self.offset != Offset::None && is_cube)
            }
        };
        let named = self.named.is_none_or(|(dim, arrayed)| {
            (dim, arrayed) == (image.dim, image.arrayed)
                && (self.shadow == image.shadow || self.reads == Reads::Fetch)
        });
        fits && named
    }

    /// The numbers of components that the coordinates may have.
    fn widths(&self, image: Image) -> Vec<u8> {
        let own = image.dimensions() + u8::from(image.arrayed);
        match (self.reads, self.divides, image.shadow) {
            (Reads::Sample, true, true) => vec![4],
            (Reads::Sample, true, false) if image.dim == Dim::D3 => vec![4],
            (Reads::Sample, true, false) => vec![own + 1, 4],
            // The second component is not used.
            (Reads::Sample, false, true) if own == 1 => vec![3],
            (Reads::Sample, false, true) => vec![(own + 1).min(4)],
            _ => vec![own],
        }
    }
}

/// The arguments of a texture function behind the sampler, as the instruction takes them.
#[derive(Debug, Default)]
pub(super) struct Sampled {
    /// The coordinates, divided.
    pub(super) coordinates: u32,
    /// The depth to compare with.
    pub(super) reference: Option<u32>,
    pub(super) bias: Option<u32>,
    pub(super) level: Option<u32>,
    pub(super) gradient: Option<[u32; 2]>,
    /// An offset, or four; true if they are constant.
    pub(super) offset: Option<(u32, bool)>,
    pub(super) sample: Option<u32>,
    pub(super) component: Option<u32>,
}

/// A parameter behind the coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extra {
    Reference,
    Level,
    DerivativeX,
    DerivativeY,
    Sample,
    Offset,
    Bias,
    Component,
}

impl Extra {
    fn what(self) -> &'static str {
        match self {
            Self::Reference => "the depth to compare with is",
            Self::Level => "the level is",
            Self::DerivativeX | Self::DerivativeY => "the derivative is",
            Self::Sample => "the number of the sample is",
            Self::Offset => "the offset is",
            Self::Bias => "the bias is",
            Self::Component => "the number of the component is",
        }
    }
}

impl Checker<'_> {
    /// The parameters behind the coordinates; true if the last may be left out.
    fn extras(&mut self, of: Sampling, image: Image) -> (Vec<(Extra, Type)>, bool) {
        let float = Types::FLOAT;
        let dimensions = image.dimensions();
        let mut extras = Vec::new();
        let full = image.dim == Dim::Cube && image.arrayed;
        if image.shadow && (of.reads == Reads::Gather || (of.reads == Reads::Sample && full)) {
            extras.push((Extra::Reference, float));
        }
        match (of.reads, of.level) {
            (Reads::Fetch, _) if image.multisampled => extras.push((Extra::Sample, Types::INT)),
            (Reads::Fetch, _) if !matches!(image.dim, Dim::Buffer | Dim::Rect) => {
                extras.push((Extra::Level, Types::INT));
            }
            (Reads::Sample, Level::Explicit) => extras.push((Extra::Level, float)),
            (Reads::Sample, Level::Gradient) => {
                let ty = self.types.vector(Scalar::Float, dimensions);
                extras.extend([(Extra::DerivativeX, ty), (Extra::DerivativeY, ty)]);
            }
            _ => {}
        }
        let offset = self.types.vector(Scalar::Int, dimensions);
        match of.offset {
            Offset::None => {}
            Offset::One => extras.push((Extra::Offset, offset)),
            Offset::Four => {
                let ty = self.types.array(offset, Length::Known(4));
                extras.push((Extra::Offset, ty));
            }
        }
        let before = extras.len();
        match of.reads {
            Reads::Sample if of.level == Level::Automatic && image.dim != Dim::Rect => {
                extras.push((Extra::Bias, float));
            }
            Reads::Gather if !image.shadow => extras.push((Extra::Component, Types::INT)),
            _ => {}
        }
        let optional = extras.len() > before;
        (extras, optional)
    }

    /// Calls a texture function.
    pub(super) fn call_sampling(
        &mut self,
        name: &str,
        of: Sampling,
        arguments: Vec<(Operand, Span)>,
        types: &[Type],
        at: Span,
    ) -> Option<Value> {
        let mut arguments = arguments.into_iter();
        let Some((texture, texture_at)) = arguments.next() else {
            let message = format!("`{name}` takes a sampler and coordinates");
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            return None;
        };
        let image = self.image_of(name, types[0], of.reads == Reads::Fetch, texture_at)?;
        if !of.takes(image) {
            let found = self.type_name(types[0]);
            let message = format!("`{name}` does not take {found}");
            self.wrong(DiagnosticCode::GlslArguments, texture_at, message);
            if of.named.is_some() {
                let new = new_name(of);
                self.help(format!("`{new}` takes any kind of sampler that has such a function"));
            }
            return None;
        }
        let (extras, optional) = self.extras(of, image);
        let most = extras.len() + 2;
        let least = most - usize::from(optional);
        if types.len() < least || types.len() > most {
            return self.wrong_count(name, of, image, types, (&extras, optional), at);
        }
        let (place, place_at) = arguments.next()?;
        let place = self.value_of(place, place_at)?;
        let mut sampled = self.coordinates(name, of, image, &place, types[0], place_at)?;
        for ((operand, span), (extra, ty)) in arguments.zip(extras) {
            let value = match self.constant_array(&operand) {
                Some(value) => value,
                None => self.value_of(operand, span)?,
            };
            let value = self.coerce(&value, ty, span, extra.what())?;
            let constant = value.id == 0;
            let id = self.id(&value);
            match extra {
                Extra::Reference => sampled.reference = Some(id),
                Extra::Level => sampled.level = Some(id),
                Extra::DerivativeX => sampled.gradient = Some([id, id]),
                Extra::DerivativeY => {
                    sampled.gradient = sampled.gradient.map(|[x, _]| [x, id]);
                }
                Extra::Sample => sampled.sample = Some(id),
                Extra::Bias if self.set.stage != Stage::Fragment => {
                    let message = "only fragment shaders have a bias";
                    self.wrong(DiagnosticCode::GlslVersion, span, message);
                    self.help("give the level, with `textureLod`");
                    return None;
                }
                Extra::Bias => sampled.bias = Some(id),
                Extra::Offset => {
                    if !constant && (of.offset != Offset::One || of.reads != Reads::Gather) {
                        let message = "the offset must be constant";
                        self.wrong(DiagnosticCode::GlslNotConstant, span, message);
                        return None;
                    }
                    sampled.offset = Some((id, constant));
                }
                Extra::Component => {
                    if !constant || value.bits().is_none_or(|bits| bits > 3) {
                        let message = "the number of the component is a constant from 0 to 3";
                        self.wrong(DiagnosticCode::GlslNotConstant, span, message);
                        return None;
                    }
                    sampled.component = Some(id);
                }
            }
        }
        Some(self.emit_sampling(of, image, &texture, &sampled))
    }

    /// The value of a `const` array.
    fn constant_array(&self, operand: &Operand) -> Option<Value> {
        let Operand::Place(place) = operand else { return None };
        let constant = self.constant_arrays.get(&place.pointer).filter(|_| place.chain.is_empty());
        Some(Value { ty: place.ty, id: 0, constant: Some(constant?.clone()) })
    }

    /// Reports a wrong number of arguments.
    fn wrong_count(
        &mut self,
        name: &str,
        of: Sampling,
        image: Image,
        types: &[Type],
        (extras, optional): (&[(Extra, Type)], bool),
        at: Span,
    ) -> Option<Value> {
        let given: Vec<String> = types.iter().map(|&ty| self.types.name(ty)).collect();
        let message = format!("no `{name}` takes ({})", given.join(", "));
        self.wrong(DiagnosticCode::GlslArguments, at, message);
        let scalar = if of.reads == Reads::Fetch { Scalar::Int } else { Scalar::Float };
        let place = self.types.vector(scalar, of.widths(image)[0]);
        let mut form = vec![given[0].clone(), self.types.name(place)];
        form.extend(extras.iter().map(|&(_, ty)| self.types.name(ty)));
        let last = if optional { "; the last may be left out" } else { "" };
        self.help(format!("`{name}` takes ({}){last}", form.join(", ")));
        None
    }

    /// The image that a texture function takes first.
    pub(super) fn image_of(
        &mut self,
        name: &str,
        ty: Type,
        separate: bool,
        at: Span,
    ) -> Option<Image> {
        match self.types.kind(ty) {
            Kind::Image(image)
                if image.role == Role::Combined || (separate && image.role == Role::Separate) =>
            {
                return Some(image);
            }
            kind => {
                let found = self.type_name(ty);
                let message = format!("`{name}` takes a sampler first, and this is {found}");
                self.wrong(DiagnosticCode::GlslArguments, at, message);
                if let Kind::Image(image @ Image { role: Role::Separate, .. }) = kind {
                    let combined =
                        self.types.of(Kind::Image(Image { role: Role::Combined, ..image }));
                    let combined = self.types.name(combined);
                    self.help(format!("combine it with a sampler: `{combined}(…, …)`"));
                }
            }
        }
        None
    }

    /// The coordinates as the instruction takes them, and the depth that stands among them.
    fn coordinates(
        &mut self,
        name: &str,
        of: Sampling,
        image: Image,
        value: &Value,
        texture: Type,
        at: Span,
    ) -> Option<Sampled> {
        let scalar = if of.reads == Reads::Fetch { Scalar::Int } else { Scalar::Float };
        let widths = of.widths(image);
        let Some(width) = self
            .types
            .numeric(value.ty)
            .map(|(_, width)| width)
            .filter(|width| widths.contains(width))
        else {
            let found = self.type_name(value.ty);
            let wanted: Vec<String> = widths
                .iter()
                .map(|&width| {
                    let ty = self.types.vector(scalar, width);
                    self.type_name(ty)
                })
                .collect();
            let texture = self.type_name(texture);
            let message = format!(
                "`{name}` of {texture} takes {} as coordinates, and this is {found}",
                wanted.join(" or ")
            );
            self.wrong(DiagnosticCode::GlslArguments, at, message);
            let more = self.types.numeric(value.ty).is_some_and(|(_, own)| own > widths[0]);
            if more && (1..4).contains(&widths[0]) {
                self.help(format!("write `.{}`", &"xyz"[..widths[0].into()]));
            }
            return None;
        };
        let ty = self.types.vector(scalar, width);
        let value = self.coerce(value, ty, at, "the coordinates are")?;
        let own = image.dimensions() + u8::from(image.arrayed);
        let mut place = self.first_components(&value, own);
        let mut reference = None;
        if image.shadow && of.reads == Reads::Sample && own != 4 {
            // In one dimension the depth is the third component, too.
            reference = Some(self.swizzle(&value, &[own.max(2)]));
        }
        if of.divides {
            let divisor = self.swizzle(&value, &[width - 1]);
            place = self.divided(&place, &divisor);
            reference = reference.map(|depth| self.divided(&depth, &divisor));
        }
        let coordinates = self.id(&place);
        let reference = reference.map(|depth| self.id(&depth));
        Some(Sampled { coordinates, reference, ..Sampled::default() })
    }

    fn first_components(&mut self, value: &Value, count: u8) -> Value {
        match self.types.numeric(value.ty) {
            Some((_, width)) if width > count => {
                let components: Vec<u8> = (0..count).collect();
                self.swizzle(value, &components)
            }
            _ => value.clone(),
        }
    }

    fn divided(&mut self, value: &Value, by: &Value) -> Value {
        let width = self.types.numeric(value.ty).map_or(1, |(_, width)| width);
        let by = self.splat(by, width);
        let operands = [self.id(value), self.id(&by)];
        self.compute(rspirv::spirv::Op::FDiv, value.ty, &operands)
    }
}

/// The new name of an old one.
fn new_name(of: Sampling) -> String {
    let mut name = if of.reads == Reads::Fetch { "texelFetch" } else { "texture" }.to_owned();
    name += if of.divides { "Proj" } else { "" };
    name += match of.level {
        Level::Automatic => "",
        Level::Explicit => "Lod",
        Level::Gradient => "Grad",
    };
    name += if of.offset == Offset::One { "Offset" } else { "" };
    name
}
