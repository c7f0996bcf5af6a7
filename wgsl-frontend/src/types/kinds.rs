//! Scalars, address spaces, textures.

use rspirv::spirv::StorageClass;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Scalar {
    Bool,
    Int,
    Uint,
    Float,
    AbstractInt,
    AbstractFloat,
}

impl Scalar {
    /// True for numbers without a type.
    pub(crate) fn is_abstract(self) -> bool {
        matches!(self, Self::AbstractInt | Self::AbstractFloat)
    }

    pub(crate) fn is_integer(self) -> bool {
        matches!(self, Self::Int | Self::Uint | Self::AbstractInt)
    }

    pub(crate) fn is_float(self) -> bool {
        matches!(self, Self::Float | Self::AbstractFloat)
    }

    /// The type that a number without one gets by itself.
    pub(crate) fn concrete(self) -> Self {
        match self {
            Self::AbstractInt => Self::Int,
            Self::AbstractFloat => Self::Float,
            own => own,
        }
    }

    /// The cost of an automatic conversion; `None` if there is none.
    pub(crate) fn rank(self, to: Self) -> Option<u8> {
        match (self, to) {
            _ if self == to => Some(0),
            (Self::AbstractFloat, Self::Float) => Some(1),
            (Self::AbstractInt, Self::Int) => Some(3),
            (Self::AbstractInt, Self::Uint) => Some(4),
            (Self::AbstractInt, Self::AbstractFloat) => Some(5),
            (Self::AbstractInt, Self::Float) => Some(6),
            _ => None,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bool => "bool",
            Self::Int => "i32",
            Self::Uint => "u32",
            Self::Float => "f32",
            Self::AbstractInt => "abstract-int",
            Self::AbstractFloat => "abstract-float",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Length {
    Known(u32),
    /// As long as the buffer.
    Open,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Access {
    Read,
    Write,
    ReadWrite,
}

impl Access {
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "read" => Self::Read,
            "write" => Self::Write,
            "read_write" => Self::ReadWrite,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::ReadWrite => "read_write",
        }
    }
}

/// An address space.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Space {
    Function,
    Private,
    Workgroup,
    Uniform,
    Storage,
    /// `push_constant` or `immediate`.
    Immediate,
    /// Textures and samplers.
    Handle,
}

impl Space {
    pub(crate) fn of(word: &str) -> Option<Self> {
        Some(match word {
            "function" => Self::Function,
            "private" => Self::Private,
            "workgroup" => Self::Workgroup,
            "uniform" => Self::Uniform,
            "storage" => Self::Storage,
            "push_constant" | "immediate" => Self::Immediate,
            "handle" => Self::Handle,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Function => "function",
            Self::Private => "private",
            Self::Workgroup => "workgroup",
            Self::Uniform => "uniform",
            Self::Storage => "storage",
            Self::Immediate => "immediate",
            Self::Handle => "handle",
        }
    }

    pub(crate) fn class(self) -> StorageClass {
        match self {
            Self::Function => StorageClass::Function,
            Self::Private => StorageClass::Private,
            Self::Workgroup => StorageClass::Workgroup,
            Self::Uniform => StorageClass::Uniform,
            Self::Storage => StorageClass::StorageBuffer,
            Self::Immediate => StorageClass::PushConstant,
            Self::Handle => StorageClass::UniformConstant,
        }
    }

    /// The access of a variable that says none.
    pub(crate) fn access(self) -> Access {
        match self {
            Self::Function | Self::Private | Self::Workgroup => Access::ReadWrite,
            Self::Uniform | Self::Storage | Self::Immediate | Self::Handle => Access::Read,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Dim {
    D1,
    D2,
    D3,
    Cube,
}

/// What a texture is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TextureKind {
    /// Of this component type.
    Sampled(Scalar),
    Depth,
    /// With the number of its format in SPIR-V, and its component type.
    Storage(u32, Scalar, Access),
    External,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Texture {
    pub(crate) dim: Dim,
    pub(crate) arrayed: bool,
    pub(crate) multisampled: bool,
    pub(crate) kind: TextureKind,
}

impl Texture {
    /// The number of coordinates without that of the layer.
    pub(crate) fn dimensions(self) -> u8 {
        match self.dim {
            Dim::D1 => 1,
            Dim::D2 => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }

    /// The component type.
    pub(crate) fn scalar(self) -> Scalar {
        match self.kind {
            TextureKind::Sampled(scalar) | TextureKind::Storage(_, scalar, _) => scalar,
            TextureKind::Depth | TextureKind::External => Scalar::Float,
        }
    }
}

/// The type of a texture, as it is written.
pub(super) fn texture_name(of: Texture) -> String {
    let dim = match of.dim {
        Dim::D1 => "1d",
        Dim::D2 => "2d",
        Dim::D3 => "3d",
        Dim::Cube => "cube",
    };
    let array = if of.arrayed { "_array" } else { "" };
    let multisampled = if of.multisampled { "multisampled_" } else { "" };
    match of.kind {
        TextureKind::External => "texture_external".to_owned(),
        TextureKind::Depth => format!("texture_depth_{multisampled}{dim}{array}"),
        TextureKind::Sampled(scalar) => {
            format!("texture_{multisampled}{dim}{array}<{}>", scalar.name())
        }
        TextureKind::Storage(_, _, access) => {
            format!("texture_storage_{dim}{array}<…, {}>", access.name())
        }
    }
}
