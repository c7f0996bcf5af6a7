//! The pipeline of a frame.

use super::device::{Cleanup, make};
use super::job::Job;
use super::result::said;
use super::targets::{has_depth, locations, samples};
use super::vertices::vertex_inputs;
use crate::error::Error;
use ash::vk;
use lambdav_core::state::{Blend, Cull, DepthTest, FrontFace, State, Topology};
use lambdav_spirv_backend::full_screen_vertex;
use std::ffi::CString;

/// Creates the pipeline of a job.
pub(super) fn pipeline(
    cleanup: &mut Cleanup,
    job: &Job<'_>,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, Error> {
    let info = vk::ShaderModuleCreateInfo::default().code(job.words);
    let module = make!(cleanup, create_shader_module, destroy_shader_module, info);
    let (vertex, names) = match job.triangles {
        Some(triangles) => (module, triangles.entry_points),
        None => {
            let vertex = full_screen_vertex();
            let info = vk::ShaderModuleCreateInfo::default().code(&vertex);
            (make!(cleanup, create_shader_module, destroy_shader_module, info), ["main"; 2])
        }
    };
    let name = |name| CString::new(name).map_err(|error| Error::Module(error.to_string()));
    let names = [name(names[0])?, name(names[1])?];
    let stages = [
        (vk::ShaderStageFlags::VERTEX, vertex, &names[0]),
        (vk::ShaderStageFlags::FRAGMENT, module, &names[1]),
    ]
    .map(|(stage, module, name)| {
        vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(name)
    });
    let attributes = job.triangles.map_or(&[][..], |triangles| triangles.attributes);
    let (bindings, inputs) = vertex_inputs(attributes);
    let input = vk::PipelineVertexInputStateCreateInfo::default()
        .vertex_binding_descriptions(&bindings)
        .vertex_attribute_descriptions(&inputs);
    let full_screen = State { depth: DepthTest::Off, ..State::default() };
    let state = job.triangles.map_or(full_screen, |triangles| triangles.state);
    let assembly =
        vk::PipelineInputAssemblyStateCreateInfo::default().topology(topology(state.topology));
    let extent = vk::Extent2D { width: job.size[0], height: job.size[1] };
    let viewports = [vk::Viewport {
        width: job.size[0] as f32,
        height: job.size[1] as f32,
        max_depth: 1.0,
        ..vk::Viewport::default()
    }];
    // The job lies within the limits of the device, which are below `i32::MAX`.
    let part = |[x, y, width, height]: [u32; 4]| vk::Rect2D {
        offset: vk::Offset2D { x: x as i32, y: y as i32 },
        extent: vk::Extent2D { width, height },
    };
    let scissors = [job.only.map_or(vk::Rect2D::from(extent), part)];
    let viewport =
        vk::PipelineViewportStateCreateInfo::default().viewports(&viewports).scissors(&scissors);
    let raster = vk::PipelineRasterizationStateCreateInfo::default()
        .line_width(1.0)
        .cull_mode(match state.cull {
            Cull::None => vk::CullModeFlags::NONE,
            Cull::Back => vk::CullModeFlags::BACK,
            Cull::Front => vk::CullModeFlags::FRONT,
        })
        .front_face(match state.front {
            FrontFace::Ccw => vk::FrontFace::COUNTER_CLOCKWISE,
            FrontFace::Cw => vk::FrontFace::CLOCKWISE,
        });
    let samples =
        vk::PipelineMultisampleStateCreateInfo::default().rasterization_samples(samples(job));
    let depth = depth_test(&state);
    let blends = vec![blend(state.blend); locations(job.outputs)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let mut info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(pass);
    if has_depth(job) {
        info = info.depth_stencil_state(&depth);
    }
    let device = &cleanup.shared.device;
    let cache = vk::PipelineCache::null();
    // SAFETY: see the head.
    let made = unsafe { device.create_graphics_pipelines(cache, &[info], None) };
    let made = made.map_err(|(_, error)| said("vkCreateGraphicsPipelines")(error))?;
    let pipeline = made[0];
    // SAFETY: see the head.
    cleanup.push(move |device| unsafe { device.destroy_pipeline(pipeline, None) });
    Ok(pipeline)
}

fn topology(of: Topology) -> vk::PrimitiveTopology {
    match of {
        Topology::Triangles => vk::PrimitiveTopology::TRIANGLE_LIST,
        Topology::Strip => vk::PrimitiveTopology::TRIANGLE_STRIP,
        Topology::Fan => vk::PrimitiveTopology::TRIANGLE_FAN,
    }
}

fn depth_test(state: &State) -> vk::PipelineDepthStencilStateCreateInfo<'static> {
    let compare = match state.depth {
        DepthTest::Never => vk::CompareOp::NEVER,
        DepthTest::Less => vk::CompareOp::LESS,
        DepthTest::Equal => vk::CompareOp::EQUAL,
        DepthTest::LessEqual => vk::CompareOp::LESS_OR_EQUAL,
        DepthTest::Greater => vk::CompareOp::GREATER,
        DepthTest::NotEqual => vk::CompareOp::NOT_EQUAL,
        DepthTest::GreaterEqual => vk::CompareOp::GREATER_OR_EQUAL,
        DepthTest::Always | DepthTest::Off => vk::CompareOp::ALWAYS,
    };
    vk::PipelineDepthStencilStateCreateInfo::default()
        .depth_test_enable(state.depth != DepthTest::Off)
        .depth_write_enable(state.depth_write)
        .depth_compare_op(compare)
}

/// The blending of an output (LANGUAGE §14).
fn blend(of: Blend) -> vk::PipelineColorBlendAttachmentState {
    use vk::BlendFactor as Factor;
    let all = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA);
    // Factors of the fragment and of the stored colour, then those of their alphas.
    let [source, stored, source_alpha, stored_alpha] = match of {
        Blend::Off => return all,
        Blend::Over => {
            let rest = Factor::ONE_MINUS_SRC_ALPHA;
            [Factor::SRC_ALPHA, rest, Factor::ONE, rest]
        }
        Blend::Add => [Factor::ONE; 4],
        Blend::Multiply => [Factor::DST_COLOR, Factor::ZERO, Factor::DST_ALPHA, Factor::ZERO],
    };
    all.blend_enable(true)
        .color_blend_op(vk::BlendOp::ADD)
        .alpha_blend_op(vk::BlendOp::ADD)
        .src_color_blend_factor(source)
        .dst_color_blend_factor(stored)
        .src_alpha_blend_factor(source_alpha)
        .dst_alpha_blend_factor(stored_alpha)
}
