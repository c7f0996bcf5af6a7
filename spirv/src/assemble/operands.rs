//! Names of operands, by the grammar.

use rspirv::binary::Disassemble;
use rspirv::dr::Operand;
use rspirv::grammar::{LogicalOperand, OperandKind};
use rspirv::spirv;
use std::str::FromStr;

/// A named operand: its word, and the further operands that it requires.
pub(super) type Named = (u32, Vec<LogicalOperand>);

/// Suffixes of extensions that core SPIR-V dropped.
const ENDINGS: [&str; 4] = ["KHR", "EXT", "GOOGLE", "NV"];

/// The name without the ending of an extension.
pub(super) fn without_ending(name: &str) -> Option<&str> {
    ENDINGS.into_iter().find_map(|ending| name.strip_suffix(ending))
}

macro_rules! named {
    ($kind:expr, $text:expr; $($name:ident)*; $($mask:ident)*) => {
        match $kind {
            $(OperandKind::$name => {
                let find = |text: &str| spirv::$name::from_str(text).ok();
                let value = find($text)
                    .or_else(|| find(&format!("{}{}", stringify!($name), $text)))
                    .or_else(|| find(without_ending($text)?));
                Some(value.map(|value| (value as u32, Operand::$name(value).additional_operands())))
            })*
            $(OperandKind::$mask => {
                let bit = |bit: u32| Some(Operand::$mask(spirv::$mask::from_bits(1_u32 << bit)?));
                Some(mask($text, &bit))
            })*
            _ => None,
        }
    };
}

/// Looks a name up among the operands of a kind: `None` if the kind has no names, `Some(None)` if the
/// name is unknown.
pub(super) fn named(kind: OperandKind, text: &str) -> Option<Option<Named>> {
    named! { kind, text;
        SourceLanguage ExecutionModel AddressingModel MemoryModel ExecutionMode StorageClass Dim
        SamplerAddressingMode SamplerFilterMode ImageFormat ImageChannelOrder ImageChannelDataType
        FPRoundingMode FPDenormMode QuantizationModes FPOperationMode OverflowModes LinkageType
        AccessQualifier HostAccessQualifier FunctionParameterAttribute Decoration BuiltIn Scope
        GroupOperation KernelEnqueueFlags Capability RayQueryIntersection
        RayQueryCommittedIntersectionType RayQueryCandidateIntersectionType PackedVectorFormat
        CooperativeMatrixLayout CooperativeMatrixUse TensorClampMode InitializationModeQualifier
        LoadCacheControl StoreCacheControl NamedMaximumNumberOfRegisters FPEncoding
        CooperativeVectorMatrixLayout ComponentType;
        ImageOperands FPFastMathMode SelectionControl LoopControl FunctionControl MemorySemantics
        MemoryAccess KernelProfilingInfo RayFlags FragmentShadingRate RawAccessChainOperands
        CooperativeMatrixOperands CooperativeMatrixReduce TensorAddressingOperands TensorOperands
        MatrixMultiplyAccumulateOperands
    }
}

/// Parses a mask, such as `Volatile|Aligned`. Further operands follow in the order of the bits.
fn mask(text: &str, bit: &dyn Fn(u32) -> Option<Operand>) -> Option<Named> {
    let (mut word, mut additional) = (0, Vec::new());
    let names: Vec<(u32, Operand, String)> = (0..32)
        .filter_map(|index| {
            let operand = bit(index)?;
            let name = operand.disassemble();
            Some((index, operand, name))
        })
        .collect();
    for part in text.split('|') {
        let find = |part: &str| names.iter().find(|(_, _, name)| name == part);
        match find(part).or_else(|| find(without_ending(part)?)) {
            Some((index, _, _)) => word |= 1 << index,
            None if part == "None" => {}
            None => return None,
        }
    }
    for (_, operand, _) in names.iter().filter(|(index, _, _)| word >> index & 1 == 1) {
        additional.extend(operand.additional_operands());
    }
    Some((word, additional))
}

/// Description of a kind of operand in messages.
pub(super) fn describe(kind: OperandKind) -> &'static str {
    use OperandKind as K;
    match kind {
        K::IdResultType => "the id of a type such as `%1`",
        K::IdResult | K::IdMemorySemantics | K::IdScope | K::IdRef => "an id such as `%1`",
        K::LiteralInteger => "an integer",
        K::LiteralString => "a string",
        K::LiteralFloat | K::LiteralContextDependentNumber => "a number",
        K::LiteralExtInstInteger => "the name of an extended instruction",
        K::LiteralSpecConstantOpInteger => "the name of an instruction without `Op`",
        K::PairLiteralIntegerIdRef => "a number and an id",
        K::PairIdRefLiteralInteger => "an id and a number",
        K::PairIdRefIdRef => "two ids",
        K::StorageClass => "a storage class",
        K::Decoration => "a decoration",
        K::BuiltIn => "a built-in",
        K::Capability => "a capability",
        K::ExecutionModel => "an execution model",
        K::ExecutionMode => "an execution mode",
        K::Dim => "a dimension such as `2D`",
        K::MemoryAccess => "a mask such as `None`",
        K::FunctionControl | K::SelectionControl | K::LoopControl => "a mask such as `None`",
        _ => "a name that the grammar has there",
    }
}
