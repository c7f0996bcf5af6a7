//! The images that a frame is drawn to, and their render pass.

use super::device::{Cleanup, FORMAT, make};
use super::job::Job;
use crate::error::Error;
use ash::vk;
use lambdav_core::state::DepthTest;

/// Format of the depth buffer.
pub(super) const DEPTH_FORMAT: vk::Format = vk::Format::D32_SFLOAT;

/// Images that a frame is drawn to.
pub(super) struct Targets {
    pub(super) pass: vk::RenderPass,
    pub(super) framebuffer: vk::Framebuffer,
    /// Clear values of the attachments.
    pub(super) clear: Vec<vk::ClearValue>,
    /// The images of the outputs, by location.
    pub(super) outputs: Vec<(u32, vk::Image)>,
    /// The depth, one sample per pixel, if it is kept.
    pub(super) depth: Option<vk::Image>,
}

/// Samples of a pixel.
pub(super) fn samples(job: &Job<'_>) -> vk::SampleCountFlags {
    match job.triangles.map_or(1, |triangles| triangles.state.samples) {
        4 => vk::SampleCountFlags::TYPE_4,
        _ => vk::SampleCountFlags::TYPE_1,
    }
}

/// True if a job needs a depth buffer.
pub(super) fn has_depth(job: &Job<'_>) -> bool {
    job.triangles.is_some_and(|of| of.keeps_depth || of.state.depth != DepthTest::Off)
}

/// One more than the largest location.
pub(super) fn locations(outputs: &[u32]) -> usize {
    outputs.iter().max().map_or(0, |last| *last as usize + 1)
}

/// Attachments of a frame.
#[derive(Default)]
struct Attachments {
    views: Vec<vk::ImageView>,
    described: Vec<vk::AttachmentDescription>,
    clear: Vec<vk::ClearValue>,
}

/// Role of an attachment.
#[derive(Clone, Copy)]
struct Role {
    aspect: vk::ImageAspectFlags,
    samples: vk::SampleCountFlags,
    /// It is cleared and drawn to; others receive resolved samples.
    is_drawn: bool,
    /// It is copied to the host.
    is_kept: bool,
}

impl Cleanup {
    /// Images, render pass and framebuffer of a job.
    pub(super) fn targets(&mut self, job: &Job<'_>) -> Result<Targets, Error> {
        let this = self;
        let samples = samples(job);
        let is_resolved = samples != vk::SampleCountFlags::TYPE_1;
        let keeps_depth = job.triangles.is_some_and(|triangles| triangles.keeps_depth);
        let mut all = Attachments::default();
        let aspect = vk::ImageAspectFlags::COLOR;
        let drawn = Role { aspect, samples, is_drawn: true, is_kept: !is_resolved };
        let once = vk::SampleCountFlags::TYPE_1;
        let resolved = Role { samples: once, is_drawn: false, is_kept: true, ..drawn };
        let mut add = |role| this.attachment(job, role, &mut all);
        let mut kept: Vec<vk::Image> =
            job.outputs.iter().map(|_| add(drawn)).collect::<Result<_, _>>()?;
        if is_resolved {
            kept = job.outputs.iter().map(|_| add(resolved)).collect::<Result<_, _>>()?;
        }
        let aspect = vk::ImageAspectFlags::DEPTH;
        let is_kept = keeps_depth && !is_resolved;
        let mut depth = None;
        if has_depth(job) {
            depth = Some(add(Role { aspect, is_kept, ..drawn })?);
        }
        if keeps_depth && is_resolved {
            depth = Some(add(Role { aspect, ..resolved })?);
        }
        let pass = this.render_pass(job, &all.described)?;
        let info = vk::FramebufferCreateInfo::default()
            .render_pass(pass)
            .attachments(&all.views)
            .width(job.size[0])
            .height(job.size[1])
            .layers(1);
        let framebuffer = make!(this, create_framebuffer, destroy_framebuffer, info);
        Ok(Targets {
            pass,
            framebuffer,
            clear: all.clear,
            outputs: job.outputs.iter().copied().zip(kept).collect(),
            depth: depth.filter(|_| keeps_depth),
        })
    }

    /// Adds an attachment, and returns its image.
    fn attachment(
        &mut self,
        job: &Job<'_>,
        role: Role,
        all: &mut Attachments,
    ) -> Result<vk::Image, Error> {
        let Role { aspect, samples, is_drawn, is_kept } = role;
        let (format, usage, layout, clear) = match aspect {
            vk::ImageAspectFlags::DEPTH => {
                let depth_stencil = vk::ClearDepthStencilValue { depth: 1.0, stencil: 0 };
                (
                    DEPTH_FORMAT,
                    vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
                    vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL,
                    vk::ClearValue { depth_stencil },
                )
            }
            _ => {
                let color = vk::ClearColorValue { uint32: job.clear };
                (
                    FORMAT,
                    vk::ImageUsageFlags::COLOR_ATTACHMENT,
                    vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL,
                    vk::ClearValue { color },
                )
            }
        };
        let (usage, layout, store) = match is_kept {
            true => (
                usage | vk::ImageUsageFlags::TRANSFER_SRC,
                vk::ImageLayout::TRANSFER_SRC_OPTIMAL,
                vk::AttachmentStoreOp::STORE,
            ),
            false => (usage, layout, vk::AttachmentStoreOp::DONT_CARE),
        };
        let load = match is_drawn {
            true => vk::AttachmentLoadOp::CLEAR,
            false => vk::AttachmentLoadOp::DONT_CARE,
        };
        let info = vk::ImageCreateInfo::default()
            .image_type(vk::ImageType::TYPE_2D)
            .format(format)
            .extent(vk::Extent3D { width: job.size[0], height: job.size[1], depth: 1 })
            .mip_levels(1)
            .array_layers(1)
            .samples(samples)
            .usage(usage);
        let (image, view) = self.image(&info, aspect)?;
        let described = vk::AttachmentDescription::default()
            .format(format)
            .samples(samples)
            .load_op(load)
            .store_op(store)
            .stencil_load_op(vk::AttachmentLoadOp::DONT_CARE)
            .stencil_store_op(vk::AttachmentStoreOp::DONT_CARE)
            .final_layout(layout);
        all.views.push(view);
        all.described.push(described);
        all.clear.push(clear);
        Ok(image)
    }

    /// A pass that clears the images, draws to them, resolves samples, and leaves the kept ones ready to be
    /// copied. Attachments: outputs, their resolved samples if any, depth, its resolved sample if any.
    fn render_pass(
        &mut self,
        job: &Job<'_>,
        attachments: &[vk::AttachmentDescription],
    ) -> Result<vk::RenderPass, Error> {
        let this = self;
        let is_resolved = samples(job) != vk::SampleCountFlags::TYPE_1;
        let layout = vk::ImageLayout::COLOR_ATTACHMENT_OPTIMAL;
        let references = |first: u32| {
            let unused = vk::AttachmentReference { attachment: vk::ATTACHMENT_UNUSED, layout };
            let mut all = vec![unused; locations(job.outputs)];
            for (attachment, &location) in (first..).zip(job.outputs) {
                all[location as usize].attachment = attachment;
            }
            all
        };
        let count = job.outputs.len() as u32;
        let (colors, resolved) = (references(0), references(count));
        let first_depth = if is_resolved { 2 * count } else { count };
        let layout = vk::ImageLayout::DEPTH_STENCIL_ATTACHMENT_OPTIMAL;
        let depth = vk::AttachmentReference { attachment: first_depth, layout };
        let mut subpass = vk::SubpassDescription::default().color_attachments(&colors);
        if is_resolved {
            subpass = subpass.resolve_attachments(&resolved);
        }
        if has_depth(job) {
            subpass = subpass.depth_stencil_attachment(&depth);
        }
        let dependencies = dependencies(job);
        if is_resolved && job.triangles.is_some_and(|triangles| triangles.keeps_depth) {
            return this.depth_resolving_pass(
                attachments,
                [&colors, &resolved],
                depth,
                &dependencies,
            );
        }
        let subpasses = [subpass];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        Ok(make!(this, create_render_pass, destroy_render_pass, info))
    }

    /// The pass if the depth of sample 0 is resolved, into the attachment after `depth`: a function of Vulkan
    /// 1.2.
    fn depth_resolving_pass(
        &mut self,
        attachments: &[vk::AttachmentDescription],
        [colors, resolved]: [&[vk::AttachmentReference]; 2],
        depth: vk::AttachmentReference,
        dependencies: &[vk::SubpassDependency],
    ) -> Result<vk::RenderPass, Error> {
        let this = self;
        let attachments = attachments.iter().map(|of| {
            vk::AttachmentDescription2::default()
                .format(of.format)
                .samples(of.samples)
                .load_op(of.load_op)
                .store_op(of.store_op)
                .stencil_load_op(of.stencil_load_op)
                .stencil_store_op(of.stencil_store_op)
                .final_layout(of.final_layout)
        });
        let reference = |of: &vk::AttachmentReference, aspect| {
            vk::AttachmentReference2::default()
                .attachment(of.attachment)
                .layout(of.layout)
                .aspect_mask(aspect)
        };
        let [colors, resolved] = [colors, resolved].map(|all| {
            all.iter().map(|of| reference(of, vk::ImageAspectFlags::COLOR)).collect::<Vec<_>>()
        });
        let depth = reference(&depth, vk::ImageAspectFlags::DEPTH);
        let depth_resolved = depth.attachment(depth.attachment + 1);
        let mut resolve = vk::SubpassDescriptionDepthStencilResolve::default()
            .depth_resolve_mode(vk::ResolveModeFlags::SAMPLE_ZERO)
            .depth_stencil_resolve_attachment(&depth_resolved);
        let subpasses = [vk::SubpassDescription2::default()
            .pipeline_bind_point(vk::PipelineBindPoint::GRAPHICS)
            .color_attachments(&colors)
            .resolve_attachments(&resolved)
            .depth_stencil_attachment(&depth)
            .push_next(&mut resolve)];
        let dependencies = dependencies.iter().map(|of| {
            vk::SubpassDependency2::default()
                .src_subpass(of.src_subpass)
                .dst_subpass(of.dst_subpass)
                .src_stage_mask(of.src_stage_mask)
                .dst_stage_mask(of.dst_stage_mask)
                .src_access_mask(of.src_access_mask)
                .dst_access_mask(of.dst_access_mask)
        });
        let (attachments, dependencies): (Vec<_>, Vec<_>) =
            (attachments.collect(), dependencies.collect());
        let info = vk::RenderPassCreateInfo2::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        Ok(make!(this, create_render_pass2, destroy_render_pass, info))
    }
}

/// Dependencies of a pass: images are copied after it, and a draw of triangles may follow another.
fn dependencies(job: &Job<'_>) -> Vec<vk::SubpassDependency> {
    let mut stages = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;
    let mut writes = vk::AccessFlags::COLOR_ATTACHMENT_WRITE;
    if has_depth(job) {
        stages |= vk::PipelineStageFlags::EARLY_FRAGMENT_TESTS
            | vk::PipelineStageFlags::LATE_FRAGMENT_TESTS;
        writes |= vk::AccessFlags::DEPTH_STENCIL_ATTACHMENT_WRITE;
    }
    let copied = vk::SubpassDependency::default()
        .src_subpass(0)
        .dst_subpass(vk::SUBPASS_EXTERNAL)
        .src_stage_mask(stages)
        .dst_stage_mask(vk::PipelineStageFlags::TRANSFER)
        .src_access_mask(writes)
        .dst_access_mask(vk::AccessFlags::TRANSFER_READ);
    let previous = vk::SubpassDependency::default()
        .src_subpass(vk::SUBPASS_EXTERNAL)
        .dst_subpass(0)
        .src_stage_mask(stages)
        .dst_stage_mask(stages)
        .src_access_mask(writes)
        .dst_access_mask(writes);
    let previous = job.triangles.map(|_| previous);
    [copied].into_iter().chain(previous).collect()
}
