//! Built-in values of the stages.

use crate::types::Scalar;
use rspirv::spirv::BuiltIn;

/// The stage of an entry point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Vertex,
    Fragment,
    Compute,
}

/// Type, number and capability of a built-in value.
pub(super) fn built_in(name: &str, stage: Stage, is_output: bool) -> Option<(BuiltIn, Scalar, u8)> {
    let of = |built_in, scalar, width| Some((built_in, scalar, width));
    match (name, stage, is_output) {
        ("vertex_index", Stage::Vertex, false) => of(BuiltIn::VertexIndex, Scalar::Uint, 1),
        ("instance_index", Stage::Vertex, false) => of(BuiltIn::InstanceIndex, Scalar::Uint, 1),
        ("position", Stage::Vertex, true) => of(BuiltIn::Position, Scalar::Float, 4),
        ("position", Stage::Fragment, false) => of(BuiltIn::FragCoord, Scalar::Float, 4),
        ("front_facing", Stage::Fragment, false) => of(BuiltIn::FrontFacing, Scalar::Bool, 1),
        ("frag_depth", Stage::Fragment, true) => of(BuiltIn::FragDepth, Scalar::Float, 1),
        ("sample_index", Stage::Fragment, false) => of(BuiltIn::SampleId, Scalar::Uint, 1),
        ("sample_mask", Stage::Fragment, _) => of(BuiltIn::SampleMask, Scalar::Uint, 1),
        ("primitive_index", Stage::Fragment, false) => of(BuiltIn::PrimitiveId, Scalar::Uint, 1),
        ("view_index", Stage::Vertex | Stage::Fragment, false) => {
            of(BuiltIn::ViewIndex, Scalar::Int, 1)
        }
        ("local_invocation_id", Stage::Compute, false) => {
            of(BuiltIn::LocalInvocationId, Scalar::Uint, 3)
        }
        ("local_invocation_index", Stage::Compute, false) => {
            of(BuiltIn::LocalInvocationIndex, Scalar::Uint, 1)
        }
        ("global_invocation_id", Stage::Compute, false) => {
            of(BuiltIn::GlobalInvocationId, Scalar::Uint, 3)
        }
        ("workgroup_id", Stage::Compute, false) => of(BuiltIn::WorkgroupId, Scalar::Uint, 3),
        ("num_workgroups", Stage::Compute, false) => of(BuiltIn::NumWorkgroups, Scalar::Uint, 3),
        _ => None,
    }
}

/// Built-in values that WGSL or an extension has, in some stage.
pub(super) const BUILT_INS: [&str; 22] = [
    "vertex_index",
    "instance_index",
    "position",
    "front_facing",
    "frag_depth",
    "sample_index",
    "sample_mask",
    "primitive_index",
    "view_index",
    "local_invocation_id",
    "local_invocation_index",
    "global_invocation_id",
    "workgroup_id",
    "num_workgroups",
    "clip_distances",
    "subgroup_invocation_id",
    "subgroup_size",
    "subgroup_id",
    "num_subgroups",
    "barycentric",
    "global_invocation_index",
    "workgroup_index",
];
