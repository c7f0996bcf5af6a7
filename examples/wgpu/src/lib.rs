//! Shaders drawn with wgpu: how a program can compare the pictures of its GPU with exact ones.
//!
//! A text in WGSL is drawn by wgpu as it is ([`Gpu::draw_wgsl`]). Of a λV shader ([`Gpu::draw`]), `lambdav` compiles the
//! program to SPIR-V, with a vertex stage that covers the picture; wgpu draws it,
//! here into memory, so that no window is needed. `lambdav inspect` shows the bindings: the inputs of
//! the language are 32 bytes of immediate data (push constants in Vulkan), uniforms are a buffer in set
//! 0.
#![forbid(unsafe_code)]

use lambdav::stages::{EmitOptions, full_screen_vertex};
use lambdav::{Bindings, Image, Shader, Size};
use std::borrow::Cow;
use std::error::Error;
use wgpu::util::{BufferInitDescriptor, DeviceExt};

/// Bytes per pixel of the picture.
const PIXEL: u32 = 4;

/// What a picture is drawn with.
struct Program<'a> {
    /// The modules of both stages and their entry points.
    vertex: (wgpu::ShaderSource<'a>, &'a str),
    fragment: (wgpu::ShaderSource<'a>, &'a str),
    /// Bytes of immediate data.
    immediates: &'a [u8],
    /// Bytes of the buffer at group 0, binding 0; none if empty.
    uniforms: &'a [u8],
}

/// A device that draws.
pub struct Gpu {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: String,
}

impl Gpu {
    /// Opens the first Vulkan device; none if there is no driver.
    ///
    /// # Errors
    ///
    /// The device cannot be opened.
    pub fn open() -> Result<Option<Self>, Box<dyn Error>> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: wgpu::Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let options = wgpu::RequestAdapterOptions::default();
        let Ok(adapter) = pollster::block_on(instance.request_adapter(&options)) else {
            return Ok(None);
        };
        let (device, queue) =
            pollster::block_on(adapter.request_device(&wgpu::DeviceDescriptor {
                required_features: wgpu::Features::IMMEDIATES,
                required_limits: wgpu::Limits {
                    max_immediate_size: 32,
                    ..wgpu::Limits::downlevel_defaults()
                },
                ..wgpu::DeviceDescriptor::default()
            }))?;
        Ok(Some(Self { device, queue, name: adapter.get_info().name }))
    }

    /// The driver's name for the device.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Draws the lowest output of a shader with these bindings.
    ///
    /// # Errors
    ///
    /// An error of the compiler or the device.
    pub fn draw(
        &self,
        shader: &Shader,
        size: Size,
        bindings: &Bindings,
    ) -> Result<Image<u8>, Box<dyn Error>> {
        let module = shader.spirv(&shader.outputs()[..1], &EmitOptions::default())?;
        // Push constants and uniforms, laid out as the module reads them.
        let memory = bindings.device_memory(size);
        let [immediates, uniforms] = [memory.push_constants(), memory.uniforms()].map(bytes);
        let program = Program {
            vertex: (wgpu::ShaderSource::SpirV(full_screen_vertex().into()), "main"),
            fragment: (wgpu::ShaderSource::SpirV(Cow::Borrowed(&module.words)), "main"),
            immediates: &immediates,
            uniforms: &uniforms,
        };
        self.draw_program(&program, size)
    }

    /// Draws the entry points of a text in WGSL, with these bytes in the uniform buffer at group 0, binding 0.
    ///
    /// # Errors
    ///
    /// An error of the device. wgpu panics if the text is wrong.
    pub fn draw_wgsl(
        &self,
        text: &str,
        [vertex, fragment]: [&str; 2],
        uniforms: &[u8],
        size: Size,
    ) -> Result<Image<u8>, Box<dyn Error>> {
        let module = || wgpu::ShaderSource::Wgsl(Cow::Borrowed(text));
        let program = Program {
            vertex: (module(), vertex),
            fragment: (module(), fragment),
            immediates: &[],
            uniforms,
        };
        self.draw_program(&program, size)
    }

    fn draw_program(&self, program: &Program<'_>, size: Size) -> Result<Image<u8>, Box<dyn Error>> {
        let texture = self.device.create_texture(&wgpu::TextureDescriptor {
            label: None,
            size: wgpu::Extent3d {
                width: size.width(),
                height: size.height(),
                depth_or_array_layers: 1,
            },
            mip_level_count: 1,
            sample_count: 1,
            dimension: wgpu::TextureDimension::D2,
            format: wgpu::TextureFormat::Rgba8Unorm,
            usage: wgpu::TextureUsages::RENDER_ATTACHMENT | wgpu::TextureUsages::COPY_SRC,
            view_formats: &[],
        });
        let groups = self.uniforms(program.uniforms);
        let pipeline = self.pipeline(program, groups.as_ref().map(|(layout, _)| layout));

        let mut commands = self.device.create_command_encoder(&Default::default());
        {
            let view = texture.create_view(&Default::default());
            let mut pass = commands.begin_render_pass(&wgpu::RenderPassDescriptor {
                color_attachments: &[Some(wgpu::RenderPassColorAttachment {
                    view: &view,
                    depth_slice: None,
                    resolve_target: None,
                    ops: wgpu::Operations {
                        load: wgpu::LoadOp::Clear(wgpu::Color::TRANSPARENT),
                        store: wgpu::StoreOp::Store,
                    },
                })],
                ..wgpu::RenderPassDescriptor::default()
            });
            pass.set_pipeline(&pipeline);
            if !program.immediates.is_empty() {
                pass.set_immediates(0, program.immediates);
            }
            if let Some((_, group)) = &groups {
                pass.set_bind_group(0, group, &[]);
            }
            pass.draw(0..3, 0..1);
        }
        self.read(commands, &texture, size)
    }

    /// Bind group of the uniform buffer; none for a shader without uniforms.
    fn uniforms(&self, bytes: &[u8]) -> Option<(wgpu::BindGroupLayout, wgpu::BindGroup)> {
        if bytes.is_empty() {
            return None;
        }
        let buffer = self.device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents: bytes,
            usage: wgpu::BufferUsages::UNIFORM,
        });
        let layout = self.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: None,
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::FRAGMENT,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Uniform,
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &[wgpu::BindGroupEntry { binding: 0, resource: buffer.as_entire_binding() }],
        });
        Some((layout, group))
    }

    /// Pipeline of both stages, for an 8-bit target.
    fn pipeline(
        &self,
        program: &Program<'_>,
        uniforms: Option<&wgpu::BindGroupLayout>,
    ) -> wgpu::RenderPipeline {
        let module = |source: &wgpu::ShaderSource<'_>| {
            let source = source.clone();
            self.device.create_shader_module(wgpu::ShaderModuleDescriptor { label: None, source })
        };
        let vertex = module(&program.vertex.0);
        let fragment = module(&program.fragment.0);
        let groups: Vec<Option<&wgpu::BindGroupLayout>> = uniforms.map(Some).into_iter().collect();
        let layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &groups,
            immediate_size: program.immediates.len() as u32,
        });
        self.device.create_render_pipeline(&wgpu::RenderPipelineDescriptor {
            label: None,
            layout: Some(&layout),
            vertex: wgpu::VertexState {
                module: &vertex,
                entry_point: Some(program.vertex.1),
                compilation_options: Default::default(),
                buffers: &[],
            },
            primitive: Default::default(),
            depth_stencil: None,
            multisample: Default::default(),
            fragment: Some(wgpu::FragmentState {
                module: &fragment,
                entry_point: Some(program.fragment.1),
                compilation_options: Default::default(),
                targets: &[Some(wgpu::TextureFormat::Rgba8Unorm.into())],
            }),
            multiview_mask: None,
            cache: None,
        })
    }

    /// Appends a copy of the picture to the commands, executes them and reads the copy.
    fn read(
        &self,
        mut commands: wgpu::CommandEncoder,
        texture: &wgpu::Texture,
        size: Size,
    ) -> Result<Image<u8>, Box<dyn Error>> {
        // Rows in a buffer begin at multiples of 256 bytes.
        let row = size.width() * PIXEL;
        let stride = row.next_multiple_of(wgpu::COPY_BYTES_PER_ROW_ALIGNMENT);
        let buffer = self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: u64::from(stride) * u64::from(size.height()),
            usage: wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::MAP_READ,
            mapped_at_creation: false,
        });
        commands.copy_texture_to_buffer(
            texture.as_image_copy(),
            wgpu::TexelCopyBufferInfo {
                buffer: &buffer,
                layout: wgpu::TexelCopyBufferLayout {
                    offset: 0,
                    bytes_per_row: Some(stride),
                    rows_per_image: None,
                },
            },
            texture.size(),
        );
        self.queue.submit([commands.finish()]);
        let (send, mapped) = std::sync::mpsc::channel();
        buffer.map_async(wgpu::MapMode::Read, .., move |result| {
            // The receiver waits below.
            let _ = send.send(result);
        });
        self.device.poll(wgpu::PollType::wait_indefinitely())?;
        mapped.recv()??;
        let rows = buffer.get_mapped_range(..);
        let samples = rows.chunks(stride as usize).flat_map(|of| &of[..row as usize]).copied();
        Ok(Image::from_samples(size, samples.collect())?)
    }
}

/// Words as little-endian bytes.
fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}
