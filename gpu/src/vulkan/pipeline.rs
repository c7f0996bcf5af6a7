//! The render pass and the pipeline of a frame.

use super::device::{Cleanup, FORMAT, make};
use super::job::Job;
use super::result::said;
use crate::error::Error;
use ash::vk;
use lambdav_spirv_backend::full_screen_vertex;

/// One more than the largest location.
fn locations(outputs: &[u32]) -> usize {
    outputs.iter().max().map_or(0, |last| *last as usize + 1)
}

/// A pass that clears the images of these outputs, draws to them, and leaves them ready to be copied.
pub(super) fn render_pass(cleanup: &mut Cleanup, outputs: &[u32]) -> Result<vk::RenderPass, Error> {
    let attachment = vk::AttachmentDescription::default()
        .format(FORMAT)
        .samples(vk::SampleCountFlags::TYPE_1)
        .load_op(vk::AttachmentLoadOp::CLEAR)
        .store_op(vk::AttachmentStoreOp::STORE)
        .final_layout(vk::ImageLayout::TRANSFER_SRC_OPTIMAL);
    let attachments = vec![attachment; outputs.len()];
    let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
    let unused = vk::AttachmentReference { attachment: vk::ATTACHMENT_UNUSED, layout };
    let mut colors = vec![unused; locations(outputs)];
    for (attachment, &location) in (0..).zip(outputs) {
        colors[location as usize].attachment = attachment;
    }
    let subpasses = [vk::SubpassDescription::default().color_attachments(&colors)];
    let dependencies = [vk::SubpassDependency::default()
        .src_subpass(0)
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT)
        .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
        .src_access_mask(vk::AccessFlags::COLOR_ATTACHMENT_WRITE)
        .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
    let info = vk::RenderPassCreateInfo::default()
        .attachments(&attachments)
        .subpasses(&subpasses)
        .dependencies(&dependencies);
    Ok(make!(cleanup, create_render_pass, destroy_render_pass, info))
}

pub(super) fn pipeline(
    cleanup: &mut Cleanup,
    job: &Job<'_>,
    pass: vk::RenderPass,
    layout: vk::PipelineLayout,
) -> Result<vk::Pipeline, Error> {
    let vertex = full_screen_vertex();
    let info = vk::ShaderModuleCreateInfo::default().code(&vertex);
    let vertex = make!(cleanup, create_shader_module, destroy_shader_module, info);
    let info = vk::ShaderModuleCreateInfo::default().code(job.words);
    let fragment = make!(cleanup, create_shader_module, destroy_shader_module, info);
    let stages =
        [(vk::ShaderStageFlags::VERTEX, vertex), (vk::ShaderStageFlags::FRAGMENT, fragment)].map(
            |(stage, module)| {
                vk::PipelineShaderStageCreateInfo::default()
                    .stage(stage)
                    .module(module)
                    .name(c"main")
            },
        );
    let input = vk::PipelineVertexInputStateCreateInfo::default();
    let assembly = vk::PipelineInputAssemblyStateCreateInfo::default()
        .topology(vk::PrimitiveTopology::TRIANGLE_LIST);
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
    let raster = vk::PipelineRasterizationStateCreateInfo::default().line_width(1.0);
    let samples = vk::PipelineMultisampleStateCreateInfo::default()
        .rasterization_samples(vk::SampleCountFlags::TYPE_1);
    let all = vk::PipelineColorBlendAttachmentState::default()
        .color_write_mask(vk::ColorComponentFlags::RGBA);
    let blends = vec![all; locations(job.outputs)];
    let blend = vk::PipelineColorBlendStateCreateInfo::default().attachments(&blends);
    let info = vk::GraphicsPipelineCreateInfo::default()
        .stages(&stages)
        .vertex_input_state(&input)
        .input_assembly_state(&assembly)
        .viewport_state(&viewport)
        .rasterization_state(&raster)
        .multisample_state(&samples)
        .color_blend_state(&blend)
        .layout(layout)
        .render_pass(pass);
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
