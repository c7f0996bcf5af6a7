//! naga as a compiler of WGSL.

use naga::back::pipeline_constants::process_overrides;
use naga::back::{PipelineConstants, spv};
use naga::front::wgsl;
use naga::proc::{BoundsCheckPolicies, BoundsCheckPolicy};
use naga::valid::{Capabilities, ValidationFlags, Validator};

/// The words of a module, with names and lines, and with clamped indices.
pub(crate) fn naga_words(text: &str) -> Result<Vec<u32>, String> {
    let module = wgsl::parse_str(text).map_err(|error| error.message().to_owned())?;
    let mut validator = Validator::new(ValidationFlags::all(), Capabilities::all());
    let info = validator.validate(&module).map_err(|error| error.to_string())?;
    let debug_info =
        spv::DebugInfo { source_code: text, file_name: "a", language: spv::SourceLanguage::WGSL };
    let restrict = BoundsCheckPolicy::Restrict;
    let options = spv::Options {
        lang_version: (1, 3),
        flags: spv::WriterFlags::DEBUG | spv::WriterFlags::LABEL_VARYINGS,
        bounds_check_policies: BoundsCheckPolicies {
            index: restrict,
            buffer: restrict,
            image_load: restrict,
            binding_array: restrict,
        },
        force_loop_bounding: false,
        debug_info: Some(debug_info),
        ..spv::Options::default()
    };
    let defaults = PipelineConstants::default();
    let overridden = process_overrides(&module, &info, None, &defaults);
    let (module, info) = overridden.map_err(|error| error.to_string())?;
    spv::write_vec(&module, &info, &options, None).map_err(|error| error.to_string())
}
