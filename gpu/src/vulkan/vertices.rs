//! The vertices of a draw of triangles: buffers of attributes and indices.

use super::device::{Cleanup, Shared};
use super::job::{Attribute, Indices, Triangles};
use crate::error::Error;
use ash::vk;
use lambdav_core::graph::AttributeRate;
use lambdav_core::types::Scalar;

/// Buffers and counts of a draw.
pub(super) struct Vertices {
    /// Buffers of the attributes, by binding.
    attributes: Vec<vk::Buffer>,
    indices: Option<vk::Buffer>,
    /// Number of vertices or indices.
    count: u32,
    instances: u32,
}

impl Cleanup {
    /// Buffers of these triangles.
    pub(super) fn vertices(&mut self, triangles: &Triangles<'_>) -> Result<Vertices, Error> {
        let mut buffer = |words: &[u32], usage| {
            // No buffer is empty.
            let words = if words.is_empty() { &[0] } else { words };
            self.filled(words, usage).map(|(info, _)| info.buffer)
        };
        let usage = vk::BufferUsageFlags::VERTEX_BUFFER;
        let attributes = triangles.attributes.iter().map(|of| buffer(of.words, usage));
        let attributes = attributes.collect::<Result<_, _>>()?;
        let (count, indices) = match triangles.indices {
            Indices::Count(count) => (count, None),
            Indices::List(list) => {
                let count = u32::try_from(list.len()).map_err(|_| Error::Limit {
                    what: "indices",
                    wanted: list.len() as u64,
                    most: u32::MAX.into(),
                })?;
                (count, Some(buffer(list, vk::BufferUsageFlags::INDEX_BUFFER)?))
            }
        };
        Ok(Vertices { attributes, indices, count, instances: triangles.instances })
    }
}

impl Vertices {
    /// Records the draw. The pipeline is bound, and the command buffer is in its render pass.
    pub(super) fn record(&self, shared: &Shared, commands: vk::CommandBuffer) {
        let device = &shared.device;
        let offsets = vec![0; self.attributes.len()];
        // SAFETY: see the head; the buffers hold all vertices and instances, which `Shared::check_triangles` has
        // checked.
        unsafe {
            if !self.attributes.is_empty() {
                device.cmd_bind_vertex_buffers(commands, 0, &self.attributes, &offsets);
            }
            match self.indices {
                Some(indices) => {
                    device.cmd_bind_index_buffer(commands, indices, 0, vk::IndexType::UINT32);
                    device.cmd_draw_indexed(commands, self.count, self.instances, 0, 0, 0);
                }
                None => device.cmd_draw(commands, self.count, self.instances, 0, 0),
            }
        }
    }
}

/// The bindings and the locations of attributes.
pub(super) fn vertex_inputs(
    attributes: &[Attribute<'_>],
) -> (Vec<vk::VertexInputBindingDescription>, Vec<vk::VertexInputAttributeDescription>) {
    let bindings =
        (0..).zip(attributes).map(|(binding, attribute)| vk::VertexInputBindingDescription {
            binding,
            stride: 4 * attribute.stride(),
            input_rate: match attribute.rate {
                AttributeRate::Vertex => vk::VertexInputRate::VERTEX,
                AttributeRate::Instance => vk::VertexInputRate::INSTANCE,
            },
        });
    let locations = (0..).zip(attributes).flat_map(|(binding, attribute)| {
        let format = format(attribute);
        let column = 4 * attribute.width;
        (0..attribute.columns).map(move |number| vk::VertexInputAttributeDescription {
            location: attribute.location + number,
            binding,
            format,
            offset: number * column,
        })
    });
    (bindings.collect(), locations.collect())
}

/// The format of one location.
fn format(attribute: &Attribute<'_>) -> vk::Format {
    let [float, int, uint] = match attribute.width {
        1 => [vk::Format::R32_SFLOAT, vk::Format::R32_SINT, vk::Format::R32_UINT],
        2 => [vk::Format::R32G32_SFLOAT, vk::Format::R32G32_SINT, vk::Format::R32G32_UINT],
        3 => [vk::Format::R32G32B32_SFLOAT, vk::Format::R32G32B32_SINT, vk::Format::R32G32B32_UINT],
        _ => [
            vk::Format::R32G32B32A32_SFLOAT,
            vk::Format::R32G32B32A32_SINT,
            vk::Format::R32G32B32A32_UINT,
        ],
    };
    match attribute.scalar {
        Scalar::F32 => float,
        Scalar::I32 => int,
        Scalar::U32 | Scalar::Bool => uint,
    }
}
