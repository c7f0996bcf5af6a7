//! The supported instructions.

use rspirv::spirv::Op;

/// All supported instructions.
#[rustfmt::skip]
pub(super) const ACCEPTED: &[Op] = &[
    // No effect on execution.
    Op::Nop, Op::Source, Op::SourceContinued, Op::SourceExtension, Op::Name, Op::MemberName,
    Op::String, Op::Line, Op::NoLine, Op::ModuleProcessed, Op::Extension, Op::ExtInstImport,
    Op::MemoryModel, Op::EntryPoint, Op::ExecutionMode, Op::Capability, Op::Decorate, Op::MemberDecorate,
    Op::SelectionMerge, Op::LoopMerge,
    // Declarations.
    Op::TypeVoid, Op::TypeBool, Op::TypeInt, Op::TypeFloat, Op::TypeVector, Op::TypeMatrix,
    Op::TypeImage, Op::TypeSampler, Op::TypeSampledImage, Op::TypeStruct, Op::TypeArray, Op::TypeRuntimeArray, Op::TypePointer, Op::TypeFunction, Op::ConstantTrue, Op::ConstantFalse,
    Op::SpecConstantTrue, Op::SpecConstantFalse, Op::SpecConstant, Op::SpecConstantComposite, Op::SpecConstantOp,
    Op::Constant, Op::ConstantComposite, Op::ConstantNull, Op::Undef, Op::Variable, Op::Function,
    Op::FunctionParameter, Op::FunctionEnd, Op::FunctionCall,
    // Memory and composites.
    Op::Load, Op::Store, Op::CopyMemory, Op::AccessChain, Op::InBoundsAccessChain, Op::ArrayLength,
    Op::CopyObject, Op::CopyLogical, Op::CompositeConstruct,
    Op::CompositeExtract, Op::CompositeInsert, Op::VectorShuffle,
    Op::VectorExtractDynamic, Op::VectorInsertDynamic,
    Op::AtomicLoad, Op::AtomicStore, Op::AtomicExchange, Op::AtomicCompareExchange, Op::AtomicIIncrement,
    Op::AtomicIDecrement, Op::AtomicIAdd, Op::AtomicISub, Op::AtomicSMin, Op::AtomicUMin, Op::AtomicSMax,
    Op::AtomicUMax, Op::AtomicAnd, Op::AtomicOr, Op::AtomicXor,
    // Images.
    Op::Image, Op::SampledImage, Op::ImageFetch, Op::ImageRead, Op::ImageQuerySize, Op::ImageQuerySizeLod,
    Op::ImageQueryLevels, Op::ImageQuerySamples, Op::ImageQueryLod, Op::ImageSampleImplicitLod, Op::ImageSampleExplicitLod,
    Op::ImageSampleDrefImplicitLod, Op::ImageSampleDrefExplicitLod, Op::ImageSampleProjImplicitLod, Op::ImageSampleProjExplicitLod,
    Op::ImageSampleProjDrefImplicitLod, Op::ImageSampleProjDrefExplicitLod, Op::ImageGather, Op::ImageDrefGather,
    Op::DPdx, Op::DPdxFine, Op::DPdxCoarse, Op::DPdy, Op::DPdyFine, Op::DPdyCoarse,
    Op::Fwidth, Op::FwidthFine, Op::FwidthCoarse, Op::GroupNonUniformQuadSwap,
    // Computations.
    Op::ExtInst, Op::FNegate, Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FMod, Op::FRem, Op::Any, Op::All,
    Op::IsNan, Op::IsInf, Op::LogicalEqual, Op::LogicalNotEqual, Op::LogicalOr, Op::LogicalAnd, Op::LogicalNot,
    Op::Select, Op::IEqual, Op::INotEqual, Op::FOrdEqual, Op::FUnordEqual, Op::FOrdNotEqual,
    Op::FUnordNotEqual, Op::FOrdLessThan, Op::FUnordLessThan, Op::FOrdGreaterThan,
    Op::FUnordGreaterThan, Op::FOrdLessThanEqual, Op::FUnordLessThanEqual, Op::FOrdGreaterThanEqual,
    Op::FUnordGreaterThanEqual,
    Op::SNegate, Op::IAdd, Op::ISub, Op::IMul, Op::SDiv, Op::UDiv, Op::SRem, Op::SMod, Op::UMod,
    Op::SLessThan, Op::SLessThanEqual, Op::SGreaterThan, Op::SGreaterThanEqual, Op::ULessThan,
    Op::ULessThanEqual, Op::UGreaterThan, Op::UGreaterThanEqual, Op::Not, Op::BitwiseAnd,
    Op::BitwiseOr, Op::BitwiseXor, Op::ShiftLeftLogical, Op::ShiftRightLogical,
    Op::ShiftRightArithmetic, Op::Bitcast, Op::ConvertFToS, Op::ConvertFToU, Op::ConvertSToF,
    Op::ConvertUToF, Op::QuantizeToF16, Op::FConvert, Op::UConvert, Op::BitCount, Op::BitReverse, Op::BitFieldInsert, Op::BitFieldSExtract,
    Op::BitFieldUExtract, Op::IAddCarry, Op::ISubBorrow, Op::UMulExtended, Op::SMulExtended,
    Op::VectorTimesScalar, Op::MatrixTimesScalar, Op::VectorTimesMatrix, Op::MatrixTimesVector,
    Op::MatrixTimesMatrix, Op::OuterProduct, Op::Transpose, Op::Dot,
    // Control flow.
    Op::Phi, Op::Label, Op::Branch, Op::BranchConditional, Op::Switch, Op::Return, Op::ReturnValue,
    Op::Kill, Op::TerminateInvocation, Op::DemoteToHelperInvocation, Op::IsHelperInvocationEXT, Op::Unreachable, Op::ControlBarrier, Op::MemoryBarrier,
];
