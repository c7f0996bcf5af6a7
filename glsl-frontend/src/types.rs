//! Types of GLSL, each once in a table.

use crate::token::Name;
use lambdav_core::source::Span;
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::fmt::Write as _;

/// A type, by its number in [`Types`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Type(u32);

/// The type of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    Double,
}

impl Scalar {
    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Self::Int | Self::Uint)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::Double)
    }

    /// The name of the type, and the letter in front of the names of vectors.
    fn names(self) -> [&'static str; 2] {
        match self {
            Self::Bool => ["bool", "b"],
            Self::Int => ["int", "i"],
            Self::Uint => ["uint", "u"],
            Self::Float => ["float", ""],
            Self::Double => ["double", "d"],
        }
    }
}

/// The number of dimensions of an image, or its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dim {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
    Subpass,
}

/// What an opaque image type is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    /// An image with its sampler, such as `sampler2D`.
    Combined,
    /// An image that is sampled with a separate sampler, such as `texture2D`.
    Separate,
    /// An image that is read and written, such as `image2D`.
    Storage,
    /// An input of a subpass.
    Subpass,
}

/// An image type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Image {
    pub(crate) role: Role,
    pub(crate) scalar: Scalar,
    pub(crate) dim: Dim,
    pub(crate) arrayed: bool,
    pub(crate) multisampled: bool,
    pub(crate) shadow: bool,
    /// The format of a storage image, as SPIR-V numbers it; 0 is unknown.
    pub(crate) format: u32,
}

impl Image {
    /// The number of coordinates of a position, without the layer.
    pub(crate) fn dimensions(self) -> u8 {
        match self.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Subpass => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}

/// The length of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Length {
    Known(u32),
    /// Not given; the last member of a buffer keeps it.
    Open,
}

/// What a type is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Void,
    /// The type of what was reported already.
    Error,
    Scalar(Scalar),
    Vector(Scalar, u8),
    /// Columns and rows.
    Matrix(Scalar, u8, u8),
    Array(Type, Length),
    /// A structure, by its number.
    Struct(u32),
    Image(Image),
    Sampler {
        shadow: bool,
    },
    AtomicCounter,
}

/// A member of a structure or block.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) at: Span,
    pub(crate) layout: MemberLayout,
}

/// What a block says of a member.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct MemberLayout {
    pub(crate) row_major: Option<bool>,
    pub(crate) offset: Option<u32>,
    pub(crate) align: Option<u32>,
    pub(crate) location: Option<u32>,
    pub(crate) flat: bool,
    pub(crate) built_in: Option<u32>,
}

/// A structure.
#[derive(Clone, Debug)]
pub(crate) struct Struct {
    pub(crate) name: String,
    pub(crate) members: Vec<Member>,
}

/// What a type holds.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Contents {
    /// The number of structures and arrays that nest in it.
    pub(crate) nesting: u32,
    /// The number of vectors, scalars and columns, at most [`u64::MAX`].
    pub(crate) leaves: u64,
    /// True if an array in it has no length.
    pub(crate) is_open: bool,
    /// True if a texture, sampler or counter is in it.
    pub(crate) is_opaque: bool,
    /// True if a `bool` is in it.
    pub(crate) has_bool: bool,
    /// True if an integer or `double` is in it, which is not interpolated.
    pub(crate) is_flat: bool,
}

/// All types of a program.
#[derive(Debug)]
pub(crate) struct Types {
    kinds: Vec<Kind>,
    numbers: FxHashMap<Kind, Type>,
    contents: Vec<Contents>,
    pub(crate) structs: Vec<Struct>,
    /// The places of members in their structures.
    members: FxHashMap<(u32, Name), usize>,
}

impl Types {
    pub(crate) const VOID: Type = Type(0);
    pub(crate) const ERROR: Type = Type(1);
    pub(crate) const BOOL: Type = Type(2);
    pub(crate) const INT: Type = Type(3);
    pub(crate) const UINT: Type = Type(4);
    pub(crate) const FLOAT: Type = Type(5);

    pub(crate) fn new() -> Self {
        let mut types = Self {
            kinds: Vec::new(),
            numbers: FxHashMap::default(),
            contents: Vec::new(),
            structs: Vec::new(),
            members: FxHashMap::default(),
        };
        let first = [
            Kind::Void,
            Kind::Error,
            Kind::Scalar(Scalar::Bool),
            Kind::Scalar(Scalar::Int),
            Kind::Scalar(Scalar::Uint),
            Kind::Scalar(Scalar::Float),
        ];
        for kind in first {
            types.of(kind);
        }
        types
    }

    /// The type of a kind.
    pub(crate) fn of(&mut self, kind: Kind) -> Type {
        if let Some(&ty) = self.numbers.get(&kind) {
            return ty;
        }
        let ty = Type(self.kinds.len() as u32);
        self.kinds.push(kind);
        let contents = self.contents_of(kind);
        self.contents.push(contents);
        self.numbers.insert(kind, ty);
        ty
    }

    pub(crate) fn kind(&self, ty: Type) -> Kind {
        self.kinds[ty.0 as usize]
    }

    /// What a type holds.
    pub(crate) fn contents(&self, ty: Type) -> Contents {
        self.contents[ty.0 as usize]
    }

    fn contents_of(&self, kind: Kind) -> Contents {
        match kind {
            Kind::Array(element, length) => {
                let inner = self.contents(element);
                let (count, is_open) = match length {
                    Length::Known(length) => (length.into(), false),
                    Length::Open => (1, true),
                };
                Contents {
                    nesting: inner.nesting + 1,
                    leaves: inner.leaves.saturating_mul(count),
                    is_open: inner.is_open || is_open,
                    ..inner
                }
            }
            Kind::Struct(number) => {
                let members = self.structs[number as usize].members.iter();
                let all = members.map(|of| self.contents(of.ty));
                let all = all.fold(Contents::default(), |all, of| Contents {
                    nesting: all.nesting.max(of.nesting),
                    leaves: all.leaves.saturating_add(of.leaves),
                    is_open: all.is_open || of.is_open,
                    is_opaque: all.is_opaque || of.is_opaque,
                    has_bool: all.has_bool || of.has_bool,
                    is_flat: all.is_flat || of.is_flat,
                });
                Contents { nesting: all.nesting + 1, ..all }
            }
            Kind::Image(_) | Kind::Sampler { .. } | Kind::AtomicCounter => {
                Contents { leaves: 1, is_opaque: true, ..Contents::default() }
            }
            Kind::Matrix(_, columns, _) => {
                Contents { leaves: columns.into(), ..Contents::default() }
            }
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) => Contents {
                leaves: 1,
                has_bool: scalar == Scalar::Bool,
                is_flat: scalar.is_integer() || scalar == Scalar::Double,
                ..Contents::default()
            },
            Kind::Void | Kind::Error => Contents { leaves: 1, ..Contents::default() },
        }
    }

    /// A scalar or a vector.
    pub(crate) fn vector(&mut self, scalar: Scalar, width: u8) -> Type {
        self.of(if width == 1 { Kind::Scalar(scalar) } else { Kind::Vector(scalar, width) })
    }

    pub(crate) fn array(&mut self, element: Type, length: Length) -> Type {
        self.of(Kind::Array(element, length))
    }

    pub(crate) fn structure(&mut self, structure: Struct) -> Type {
        let number = self.structs.len() as u32;
        let names = structure.members.iter().enumerate();
        self.members.extend(names.map(|(k, member)| ((number, member.name), k)));
        self.structs.push(structure);
        self.of(Kind::Struct(number))
    }

    /// The place of a member in a structure.
    pub(crate) fn member(&self, number: u32, name: Name) -> Option<usize> {
        self.members.get(&(number, name)).copied()
    }

    /// Scalar and width of a scalar or vector.
    pub(crate) fn numeric(&self, ty: Type) -> Option<(Scalar, u8)> {
        match self.kind(ty) {
            Kind::Scalar(scalar) => Some((scalar, 1)),
            Kind::Vector(scalar, width) => Some((scalar, width)),
            _ => None,
        }
    }

    /// The scalar of a scalar, vector or matrix.
    pub(crate) fn scalar(&self, ty: Type) -> Option<Scalar> {
        match self.kind(ty) {
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) | Kind::Matrix(scalar, ..) => {
                Some(scalar)
            }
            _ => None,
        }
    }

    /// The same shape with another scalar.
    pub(crate) fn with_scalar(&mut self, ty: Type, scalar: Scalar) -> Type {
        match self.kind(ty) {
            Kind::Scalar(_) => self.of(Kind::Scalar(scalar)),
            Kind::Vector(_, width) => self.of(Kind::Vector(scalar, width)),
            Kind::Matrix(_, columns, rows) => self.of(Kind::Matrix(scalar, columns, rows)),
            _ => ty,
        }
    }

    /// The number of components of a scalar, vector or matrix.
    pub(crate) fn components(&self, ty: Type) -> Option<u32> {
        match self.kind(ty) {
            Kind::Scalar(_) => Some(1),
            Kind::Vector(_, width) => Some(width.into()),
            Kind::Matrix(_, columns, rows) => Some(u32::from(columns) * u32::from(rows)),
            _ => None,
        }
    }

    pub(crate) fn is_opaque(&self, ty: Type) -> bool {
        matches!(self.kind(ty), Kind::Image(_) | Kind::Sampler { .. } | Kind::AtomicCounter)
    }

    /// The innermost element of arrays, and the lengths, the outermost first.
    pub(crate) fn innermost(&self, mut ty: Type) -> (Type, Vec<Length>) {
        let mut lengths = Vec::new();
        while let Kind::Array(element, length) = self.kind(ty) {
            lengths.push(length);
            ty = element;
        }
        (ty, lengths)
    }

    /// As it is written.
    pub(crate) fn name(&self, ty: Type) -> String {
        let (inner, lengths) = self.innermost(ty);
        let mut text = match self.kind(inner) {
            Kind::Void => "void".to_owned(),
            Kind::Error | Kind::Array(..) => "?".to_owned(),
            Kind::Scalar(scalar) => scalar.names()[0].to_owned(),
            Kind::Vector(scalar, width) => format!("{}vec{width}", scalar.names()[1]),
            Kind::Matrix(scalar, columns, rows) => {
                let letter = scalar.names()[1];
                match columns == rows {
                    true => format!("{letter}mat{columns}"),
                    false => format!("{letter}mat{columns}x{rows}"),
                }
            }
            Kind::Struct(number) => self.structs[number as usize].name.clone(),
            Kind::Image(image) => image_name(image),
            Kind::Sampler { shadow: false } => "sampler".to_owned(),
            Kind::Sampler { shadow: true } => "samplerShadow".to_owned(),
            Kind::AtomicCounter => "atomic_uint".to_owned(),
        };
        for length in lengths {
            // Writing to a string does not fail.
            let _ = match length {
                Length::Known(length) => write!(text, "[{length}]"),
                Length::Open => write!(text, "[]"),
            };
        }
        text
    }
}

fn image_name(image: Image) -> String {
    let letter = match image.scalar {
        Scalar::Int => "i",
        Scalar::Uint => "u",
        _ => "",
    };
    let role = match image.role {
        Role::Combined => "sampler",
        Role::Separate => "texture",
        Role::Storage => "image",
        Role::Subpass => {
            return format!("{letter}subpassInput{}", if image.multisampled { "MS" } else { "" });
        }
    };
    let dim = match image.dim {
        Dim::D1 => "1D",
        Dim::D2 => "2D",
        Dim::D3 => "3D",
        Dim::Cube => "Cube",
        Dim::Rect => "2DRect",
        Dim::Buffer => "Buffer",
        Dim::Subpass => "",
    };
    let mut name = format!("{letter}{role}{dim}");
    name += if image.multisampled { "MS" } else { "" };
    name += if image.arrayed { "Array" } else { "" };
    name += if image.shadow { "Shadow" } else { "" };
    name
}

/// The usual name of a type of 32 bits that GL_EXT_shader_explicit_arithmetic_types names by its width; other names as they
/// are.
pub(crate) fn in_words(name: &str) -> Cow<'_, str> {
    match name {
        "float32_t" => return "float".into(),
        "int32_t" => return "int".into(),
        "uint32_t" => return "uint".into(),
        _ => {}
    }
    for (wide, usual) in [("f32", ""), ("i32", "i"), ("u32", "u")] {
        if let Some(rest) = name.strip_prefix(wide)
            && (rest.starts_with("vec") || wide == "f32" && rest.starts_with("mat"))
        {
            return format!("{usual}{rest}").into();
        }
    }
    name.into()
}

/// The built-in type of a name.
pub(crate) fn named(types: &mut Types, name: &str) -> Option<Type> {
    let name = &*in_words(name);
    let kind = match name {
        "void" => Kind::Void,
        "bool" => Kind::Scalar(Scalar::Bool),
        "int" => Kind::Scalar(Scalar::Int),
        "uint" => Kind::Scalar(Scalar::Uint),
        "float" => Kind::Scalar(Scalar::Float),
        "double" => Kind::Scalar(Scalar::Double),
        "sampler" => Kind::Sampler { shadow: false },
        "samplerShadow" => Kind::Sampler { shadow: true },
        "atomic_uint" => Kind::AtomicCounter,
        _ => return composite(name).map(|kind| types.of(kind)),
    };
    Some(types.of(kind))
}

fn digit(text: &str) -> Option<u8> {
    match text {
        "2" => Some(2),
        "3" => Some(3),
        "4" => Some(4),
        _ => None,
    }
}

fn composite(name: &str) -> Option<Kind> {
    let (scalar, rest) = match name.as_bytes().first()? {
        b'b' => (Scalar::Bool, &name[1..]),
        b'i' if !name.starts_with("image") => (Scalar::Int, &name[1..]),
        b'u' => (Scalar::Uint, &name[1..]),
        b'd' => (Scalar::Double, &name[1..]),
        _ => (Scalar::Float, name),
    };
    if let Some(width) = rest.strip_prefix("vec") {
        return digit(width).map(|width| Kind::Vector(scalar, width));
    }
    if let Some(size) = rest.strip_prefix("mat").filter(|_| scalar.is_float()) {
        let (columns, rows) = size.split_once('x').unwrap_or((size, size));
        return Some(Kind::Matrix(scalar, digit(columns)?, digit(rows)?));
    }
    if matches!(scalar, Scalar::Bool | Scalar::Double) {
        return None;
    }
    let mut image = Image {
        role: Role::Combined,
        scalar,
        dim: Dim::D2,
        arrayed: false,
        multisampled: false,
        shadow: false,
        format: 0,
    };
    let roles = [
        ("subpassInput", Role::Subpass),
        ("sampler", Role::Combined),
        ("texture", Role::Separate),
        ("image", Role::Storage),
    ];
    let (mut rest, role) =
        roles.iter().find_map(|&(text, role)| Some((rest.strip_prefix(text)?, role)))?;
    image.role = role;
    if role == Role::Subpass {
        image.dim = Dim::Subpass;
        image.multisampled = rest == "MS";
        return (rest.is_empty() || rest == "MS").then_some(Kind::Image(image));
    }
    let dims = [
        ("1D", Dim::D1),
        ("2DRect", Dim::Rect),
        ("2D", Dim::D2),
        ("3D", Dim::D3),
        ("Cube", Dim::Cube),
        ("Buffer", Dim::Buffer),
    ];
    let (behind, dim) =
        dims.iter().find_map(|&(text, dim)| Some((rest.strip_prefix(text)?, dim)))?;
    (rest, image.dim) = (behind, dim);
    for (text, flag) in [
        ("MS", &mut image.multisampled),
        ("Array", &mut image.arrayed),
        ("Shadow", &mut image.shadow),
    ] {
        if let Some(behind) = rest.strip_prefix(text) {
            (rest, *flag) = (behind, true);
        }
    }
    let fits = match image.dim {
        Dim::D3 | Dim::Buffer => !image.arrayed && !image.multisampled && !image.shadow,
        Dim::D1 | Dim::Cube => !image.multisampled,
        Dim::Rect => !image.arrayed && !image.multisampled,
        _ => !(image.multisampled && image.shadow),
    };
    let fits = fits && (!image.shadow || (scalar == Scalar::Float && role == Role::Combined));
    (rest.is_empty() && fits).then_some(Kind::Image(image))
}
