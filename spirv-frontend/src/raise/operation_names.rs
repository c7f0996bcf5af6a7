//! Names of operations in reports of undefined behaviour.

use crate::module::Instruction;
use crate::options::OperationNames;
use rspirv::spirv::{GlslStd450Op as Glsl, Op};

/// The name of an operation as its author writes it.
pub(super) fn name_of(of: &Instruction<'_>, names: OperationNames) -> String {
    let name = match names {
        OperationNames::Instructions => None,
        OperationNames::Glsl | OperationNames::Wgsl => name_in_text(of, names),
    };
    name.map_or_else(|| name_of_instruction(of), str::to_owned)
}

/// True if WGSL defines the results of an instruction that SPIR-V leaves undefined.
pub(super) fn is_defined_in_wgsl(op: Op) -> bool {
    !matches!(op, Op::ExtInst | Op::FRem | Op::FMod)
}

/// The name of an operation in GLSL or WGSL.
fn name_in_text(of: &Instruction<'_>, names: OperationNames) -> Option<&'static str> {
    let is_wgsl = names == OperationNames::Wgsl;
    Some(match of.op {
        Op::SDiv | Op::UDiv => "/",
        // GLSL's `mod` of numbers is FMod.
        Op::FMod if !is_wgsl => "mod",
        Op::SRem | Op::SMod | Op::UMod | Op::FRem | Op::FMod => "%",
        Op::ShiftLeftLogical => "<<",
        Op::ShiftRightLogical | Op::ShiftRightArithmetic => ">>",
        Op::BitFieldInsert if is_wgsl => "insertBits",
        Op::BitFieldInsert => "bitfieldInsert",
        Op::BitFieldSExtract | Op::BitFieldUExtract if is_wgsl => "extractBits",
        Op::BitFieldSExtract | Op::BitFieldUExtract => "bitfieldExtract",
        Op::ConvertFToS if is_wgsl => "i32",
        Op::ConvertFToS => "int",
        Op::ConvertFToU if is_wgsl => "u32",
        Op::ConvertFToU => "uint",
        Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::VectorExtractDynamic
        | Op::VectorInsertDynamic => "[]",
        Op::ImageFetch if is_wgsl => "textureLoad",
        Op::ImageFetch => "texelFetch",
        Op::ImageRead if is_wgsl => "textureLoad",
        Op::ImageRead => "imageLoad",
        Op::ExtInst => match Glsl::from_u32(*of.operands.get(3)?)? {
            Glsl::Sqrt => "sqrt",
            Glsl::InverseSqrt if is_wgsl => "inverseSqrt",
            Glsl::InverseSqrt => "inversesqrt",
            Glsl::Log => "log",
            Glsl::Log2 => "log2",
            Glsl::Pow => "pow",
            Glsl::Asin => "asin",
            Glsl::Acos => "acos",
            Glsl::Acosh => "acosh",
            Glsl::Atanh => "atanh",
            Glsl::Atan2 if is_wgsl => "atan2",
            Glsl::Atan2 => "atan",
            Glsl::Normalize => "normalize",
            Glsl::SmoothStep => "smoothstep",
            Glsl::FClamp | Glsl::SClamp | Glsl::UClamp | Glsl::NClamp => "clamp",
            Glsl::MatrixInverse => "inverse",
            _ => return None,
        },
        _ => return None,
    })
}

/// The name of an operation of a module, with its result.
fn name_of_instruction(of: &Instruction<'_>) -> String {
    let name = match of.op {
        Op::ExtInst => match of.operands.get(3).and_then(|&number| Glsl::from_u32(number)) {
            Some(function) => format!("{function:?}"),
            None => of.name(),
        },
        _ => of.name(),
    };
    match of.result() {
        Some(id) => format!("{name} %{id}"),
        None => name,
    }
}
