//! Stages and their numbers and names in SPIR-V.

use lambdav_core::interface::Stage;
use rspirv::spirv::ExecutionModel;

/// The stage of an execution model.
pub fn stage(model: ExecutionModel) -> Stage {
    match model {
        ExecutionModel::Vertex => Stage::Vertex,
        ExecutionModel::Fragment => Stage::Fragment,
        ExecutionModel::GLCompute => Stage::Compute,
        ExecutionModel::TessellationControl => Stage::Other("TessellationControl"),
        ExecutionModel::TessellationEvaluation => Stage::Other("TessellationEvaluation"),
        ExecutionModel::Geometry => Stage::Other("Geometry"),
        ExecutionModel::Kernel => Stage::Other("Kernel"),
        ExecutionModel::TaskNV => Stage::Other("TaskNV"),
        ExecutionModel::MeshNV => Stage::Other("MeshNV"),
        ExecutionModel::RayGenerationKHR => Stage::Other("RayGenerationKHR"),
        ExecutionModel::IntersectionKHR => Stage::Other("IntersectionKHR"),
        ExecutionModel::AnyHitKHR => Stage::Other("AnyHitKHR"),
        ExecutionModel::ClosestHitKHR => Stage::Other("ClosestHitKHR"),
        ExecutionModel::MissKHR => Stage::Other("MissKHR"),
        ExecutionModel::CallableKHR => Stage::Other("CallableKHR"),
        ExecutionModel::TaskEXT => Stage::Other("TaskEXT"),
        ExecutionModel::MeshEXT => Stage::Other("MeshEXT"),
    }
}

/// SPIR-V's name of a stage, as `GLCompute`.
pub fn stage_name(stage: Stage) -> String {
    match stage {
        Stage::Vertex => "Vertex".to_owned(),
        Stage::Fragment => "Fragment".to_owned(),
        Stage::Compute => "GLCompute".to_owned(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `inspect` shows the names of SPIR-V's specification.
    #[test]
    fn stages_have_the_names_of_spirv() {
        let all = (0..6000).filter_map(ExecutionModel::from_u32);
        let wrong = all.clone().filter(|&model| stage_name(stage(model)) != format!("{model:?}"));
        assert_eq!((all.clone().count(), wrong.count()), (17, 0));
        let is_drawn = |model: &ExecutionModel| stage(*model).has_pixels();
        assert_eq!(all.filter(is_drawn).collect::<Vec<_>>(), [ExecutionModel::Fragment]);
    }
}
