//! Checks of a job against the limits and abilities of a device.

use super::device::{FORMAT, Shared};
use super::job::{Attribute, Indices, Job, Triangles};
use super::result::said;
use super::targets::{DEPTH_FORMAT, has_depth, samples};
use crate::error::Error;
use ash::vk;
use lambdav_core::graph::AttributeRate;
use lambdav_core::interface::Stage;
use lambdav_core::state::Blend;
use lambdav_core::types::Scalar;
use lambdav_spirv::inspect::{EntryPoint, Interface, Variable};
use lambdav_spirv_eval::SharedData;

impl Shared {
    /// Checks sizes against the limits of the device.
    pub(super) fn check(&self, job: &Job<'_>) -> Result<(), Error> {
        let limits = &self.limits;
        for (axis, what) in ["pixels in a row", "rows of pixels"].into_iter().enumerate() {
            let most = [limits.max_framebuffer_width, limits.max_framebuffer_height][axis]
                .min(limits.max_image_dimension2_d)
                .min(limits.max_viewport_dimensions[axis]);
            self.within(what, job.size[axis].into(), most.into())?;
        }
        let most = limits.max_color_attachments.min(limits.max_fragment_output_attachments);
        let locations = job.outputs.iter().max().map_or(0, |last| u64::from(*last) + 1);
        self.within("locations of outputs", locations, most.into())?;
        let uniforms = (job.uniforms.len() * 4) as u64;
        self.within("bytes of uniforms", uniforms, limits.max_uniform_buffer_range.into())?;
        let (mut textures, mut buffers) = (0, 0);
        for (_, data) in job.resources {
            match data {
                SharedData::Texture(data) => {
                    textures += 1;
                    let level = &data.levels()[0];
                    let most = limits.max_image_dimension2_d.into();
                    self.within("texels in a row of a texture", level.width.into(), most)?;
                    self.within("rows of texels of a texture", level.height.into(), most)?;
                }
                SharedData::Buffer(words) => {
                    buffers += 1;
                    let most = limits.max_storage_buffer_range.into();
                    self.within("bytes of a buffer", (words.len() * 4) as u64, most)?;
                }
            }
        }
        let most = limits
            .max_per_stage_descriptor_sampled_images
            .min(limits.max_per_stage_descriptor_samplers)
            .min(limits.max_descriptor_set_sampled_images)
            .min(limits.max_descriptor_set_samplers);
        self.within("textures", textures, most.into())?;
        let most = limits
            .max_per_stage_descriptor_storage_buffers
            .min(limits.max_descriptor_set_storage_buffers);
        self.within("buffers", buffers, most.into())
    }

    /// Checks a draw of triangles: entry points, data of attributes, limits and abilities of the device.
    pub(super) fn check_triangles(
        &self,
        job: &Job<'_>,
        triangles: &Triangles<'_>,
        interface: &Interface,
    ) -> Result<(), Error> {
        let limits = &self.limits;
        let [vertices, fragments] = triangles.entry_points;
        let vertices = entry_point(interface, vertices, Stage::Vertex)?;
        let fragments = entry_point(interface, fragments, Stage::Fragment)?;
        let given = locations(triangles.attributes)?;
        let end = given.iter().max().map_or(0, |last| u64::from(*last) + 1);
        let most = limits.max_vertex_input_attributes.into();
        self.within("locations of attributes", end, most)?;
        let most = limits.max_vertex_input_bindings.into();
        self.within("attributes", triangles.attributes.len() as u64, most)?;
        let mut read = vertices.inputs.iter().flat_map(covered);
        if let Some(missing) = read.find(|location| !given.contains(location)) {
            let why = format!("it reads location {missing}, where no attribute is");
            return Err(Error::Module(why));
        }
        let varyings = vertices.outputs.iter().filter_map(|varying| varying.location).max();
        let most = limits.max_vertex_output_components.min(limits.max_fragment_input_components);
        let varyings = varyings.map_or(0, |last| u64::from(last) + 1);
        self.within("locations of varyings", varyings, (most / 4).into())?;

        let drawn = match triangles.indices {
            Indices::Count(count) => u64::from(count),
            Indices::List(list) => list.iter().max().map_or(0, |last| u64::from(*last) + 1),
        };
        if let Indices::List(_) = triangles.indices {
            let most = u64::from(limits.max_draw_indexed_index_value) + 1;
            self.within("vertices with indices", drawn, most)?;
        }
        for attribute in triangles.attributes {
            let wanted = match attribute.rate {
                AttributeRate::Vertex => drawn,
                AttributeRate::Instance => triangles.instances.into(),
            };
            let found = attribute.words.len() as u64 / u64::from(attribute.stride());
            if found < wanted {
                return Err(Error::Elements { location: attribute.location, wanted, found });
            }
        }

        let reads_index =
            fragments.inputs.iter().any(|of| of.builtin.as_deref() == Some("PrimitiveId"));
        if reads_index && self.features.geometry_shader == vk::FALSE {
            return Err(Error::Unsupported {
                ability: "number the triangles of a fragment, for it has no geometry shaders",
                instead: "leave `primitive-index` out, or take another device or engine",
            });
        }
        self.check_formats(job, triangles)
    }

    /// Checks that the device has the formats of a draw of triangles.
    fn check_formats(&self, job: &Job<'_>, triangles: &Triangles<'_>) -> Result<(), Error> {
        let can = |format, wanted| {
            // SAFETY: see the head.
            let found = unsafe {
                let instance = &self.loaded.instance;
                instance.get_physical_device_format_properties(self.physical, format)
            };
            found.optimal_tiling_features.contains(wanted)
        };
        let is_blended = triangles.state.blend != Blend::Off && !job.outputs.is_empty();
        if is_blended && !can(FORMAT, vk::FormatFeatureFlags::COLOR_ATTACHMENT_BLEND) {
            return Err(Error::Unsupported {
                ability: "blend colours of 32-bit floats",
                instead: "take `(blend off)`, or another device or engine",
            });
        }
        if has_depth(job) && !can(DEPTH_FORMAT, vk::FormatFeatureFlags::DEPTH_STENCIL_ATTACHMENT) {
            return Err(Error::Unsupported {
                ability: "store a depth of 32 bits",
                instead: "take `(depth off)`, or another device or engine",
            });
        }
        let samples = samples(job);
        if samples == vk::SampleCountFlags::TYPE_1 {
            return Ok(());
        }
        let color = (FORMAT, vk::ImageUsageFlags::COLOR_ATTACHMENT);
        let depth = (DEPTH_FORMAT, vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT);
        let color = Some(color).filter(|_| !job.outputs.is_empty());
        for (format, usage) in color.into_iter().chain(Some(depth).filter(|_| has_depth(job))) {
            // SAFETY: see the head.
            let found = unsafe {
                self.loaded.instance.get_physical_device_image_format_properties(
                    self.physical,
                    format,
                    vk::ImageType::TYPE_2D,
                    vk::ImageTiling::OPTIMAL,
                    usage,
                    vk::ImageCreateFlags::empty(),
                )
            };
            let found = found.map_err(said("vkGetPhysicalDeviceImageFormatProperties"))?;
            if !found.sample_counts.contains(samples) {
                return Err(Error::Unsupported {
                    ability: "draw 4 samples of 32-bit floats",
                    instead: "take `(samples 1)`, or another device or engine",
                });
            }
            let (width, height) = (found.max_extent.width, found.max_extent.height);
            self.within("pixels in a row of 4 samples", job.size[0].into(), width.into())?;
            self.within("rows of pixels of 4 samples", job.size[1].into(), height.into())?;
        }
        if triangles.keeps_depth && self.version < vk::API_VERSION_1_2 {
            return Err(Error::Unsupported {
                ability: "tell the depth of one sample of 4, for it has no Vulkan 1.2",
                instead: "take `(samples 1)`, or another device or engine",
            });
        }
        Ok(())
    }
}

/// The entry point of this name and stage.
fn entry_point<'i>(
    interface: &'i Interface,
    name: &str,
    stage: Stage,
) -> Result<&'i EntryPoint, Error> {
    let mut all = interface.entry_points.iter();
    let found = all.find(|entry| entry.name == name && entry.stage == stage);
    found.ok_or_else(|| Error::Module(format!("it has no {stage} shader `{name}`")))
}

/// The locations of all attributes, each once.
fn locations(attributes: &[Attribute<'_>]) -> Result<Vec<u32>, Error> {
    let mut all = Vec::new();
    for attribute in attributes {
        let is_number = matches!(attribute.scalar, Scalar::F32 | Scalar::I32 | Scalar::U32);
        assert!(
            is_number && (1..=4).contains(&attribute.width) && attribute.columns > 0,
            "an attribute has one to four numbers at each location, and one location or more"
        );
        for column in 0..attribute.columns {
            let location = attribute.location.saturating_add(column);
            if all.contains(&location) {
                return Err(Error::Module(format!("two attributes have location {location}")));
            }
            all.push(location);
        }
    }
    Ok(all)
}

/// The locations of an input of the vertex stage.
fn covered(input: &Variable) -> std::ops::Range<u32> {
    // The first digit of a matrix's type is its number of columns.
    let columns = input.ty.strip_prefix("mat").and_then(|rest| rest.chars().next()?.to_digit(10));
    let first = input.location.unwrap_or(0);
    first..first + input.location.map_or(0, |_| columns.unwrap_or(1))
}
