//! Macros of the language.

use super::define::{Macro, Origin};
use super::lexer::{Lexer, RawKind};
use super::state::Preprocessor;
use lambdav_core::source::Span;
use std::cell::Cell;
use std::rc::Rc;

/// Extensions that both languages have here.
const COMMON: &[&str] = &[
    "GL_EXT_control_flow_attributes",
    "GL_EXT_debug_printf",
    "GL_EXT_demote_to_helper_invocation",
    "GL_EXT_fragment_invocation_density",
    "GL_EXT_fragment_shader_barycentric",
    "GL_EXT_gpu_shader5",
    "GL_EXT_multiview",
    "GL_EXT_nonuniform_qualifier",
    "GL_EXT_post_depth_coverage",
    "GL_EXT_samplerless_texture_functions",
    "GL_EXT_scalar_block_layout",
    "GL_EXT_shader_implicit_conversions",
    "GL_EXT_shader_integer_mix",
    "GL_EXT_shader_io_blocks",
    "GL_EXT_shader_non_constant_global_initializers",
    "GL_EXT_terminate_invocation",
    "GL_EXT_texture_array",
    "GL_EXT_texture_buffer",
    "GL_EXT_texture_cube_map_array",
    "GL_GOOGLE_cpp_style_line_directive",
    "GL_GOOGLE_include_directive",
    "GL_KHR_vulkan_glsl",
];

/// Extensions of GLSL ES.
const ES: &[&str] = &[
    "GL_EXT_frag_depth",
    "GL_EXT_separate_shader_objects",
    "GL_EXT_shader_texture_lod",
    "GL_OES_gpu_shader5",
    "GL_OES_shader_io_blocks",
    "GL_OES_standard_derivatives",
    "GL_OES_texture_3D",
    "GL_OES_texture_buffer",
    "GL_OES_texture_cube_map_array",
];

/// Extensions of desktop GLSL.
const DESKTOP: &[&str] = &[
    "GL_ARB_arrays_of_arrays",
    "GL_ARB_compute_shader",
    "GL_ARB_conservative_depth",
    "GL_ARB_derivative_control",
    "GL_ARB_enhanced_layouts",
    "GL_ARB_explicit_attrib_location",
    "GL_ARB_explicit_uniform_location",
    "GL_ARB_fragment_coord_conventions",
    "GL_ARB_gpu_shader5",
    "GL_ARB_separate_shader_objects",
    "GL_ARB_shader_bit_encoding",
    "GL_ARB_shader_image_load_store",
    "GL_ARB_shader_storage_buffer_object",
    "GL_ARB_shader_texture_lod",
    "GL_ARB_shading_language_420pack",
    "GL_ARB_shading_language_packing",
    "GL_ARB_texture_cube_map_array",
    "GL_ARB_texture_gather",
    "GL_ARB_texture_query_levels",
    "GL_ARB_texture_query_lod",
    "GL_ARB_texture_rectangle",
    "GL_ARB_uniform_buffer_object",
    "GL_EXT_gpu_shader4",
];

/// All extensions whose names a text may require.
pub(super) fn extensions() -> impl Iterator<Item = &'static str> {
    COMMON.iter().chain(ES).chain(DESKTOP).copied()
}

impl Preprocessor<'_> {
    /// Defines the macros that the text finds.
    pub(super) fn predefine(&mut self) {
        let version = self.version;
        for (name, origin) in [("__LINE__", Origin::Line), ("__FILE__", Origin::File)] {
            self.predefine_one(name, "", origin);
        }
        self.predefine_one("__VERSION__", &version.number.to_string(), Origin::Predefined);
        let mut ones = vec!["GL_FRAGMENT_PRECISION_HIGH"];
        if version.es {
            ones.push("GL_ES");
            if version.number >= 300 {
                ones.push("GL_es_profile");
            }
        } else if self.compatibility {
            ones.push("GL_compatibility_profile");
        } else if version.number >= 150 {
            ones.push("GL_core_profile");
        }
        ones.extend(COMMON);
        ones.extend(if version.es { ES } else { DESKTOP });
        for name in ones {
            self.predefine_one(name, "1", Origin::Predefined);
        }
        if self.settings.vulkan {
            self.predefine_one("VULKAN", "100", Origin::Predefined);
        }
    }

    fn predefine_one(&mut self, name: &str, value: &str, origin: Origin) {
        let mut lexer = Lexer::new(value, 0);
        let mut body = Vec::new();
        while let Some(token) = lexer.next(&mut self.interned)
            && token.kind != RawKind::NewLine
        {
            body.push(token);
        }
        let of = Macro {
            parameters: None,
            body,
            expands: Vec::new(),
            at: Span::default(),
            origin,
            active: Cell::new(0),
            is_reported: Cell::new(false),
        };
        self.macros.insert(self.interned.names.number(name), Rc::new(of));
    }
}
