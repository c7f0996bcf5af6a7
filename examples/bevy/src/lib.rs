//! A Bevy material, drawn into memory: how a game can compare its shaders with exact pictures.
//!
//! The material is WGSL, as in a game (`assets/rings.wgsl`). A program in λV, `shaders/rings.lv`,
//! defines the intended picture: its exact picture is the golden, drawn without a GPU, and
//! `tests/golden.rs` compares Bevy's picture with it. No window is opened: `App` is updated by hand,
//! the camera's target is an image, and [`Screenshot`] reads it.
#![forbid(unsafe_code)]

use bevy::app::{AppLabel, PluginsState, SubApps};
use bevy::asset::LoadState;
use bevy::camera::RenderTarget;
use bevy::core_pipeline::tonemapping::{DebandDither, Tonemapping};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, CachedPipelineState, PipelineCache, PollType, TextureFormat,
};
use bevy::render::renderer::{RenderAdapterInfo, RenderDevice};
use bevy::render::settings::{Backends, RenderCreation, WgpuSettings};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::render::{RenderApp, RenderPlugin};
use bevy::shader::{ShaderCacheError, ShaderRef};
use bevy::sprite_render::{Material2d, Material2dPlugin};
use bevy::window::ExitCondition;
use std::error::Error;
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// Longest wait for a picture.
const PATIENCE: Duration = Duration::from_secs(120);

/// Rings of a colour. The fields are the uniform buffer of `assets/rings.wgsl`.
#[derive(Asset, AsBindGroup, TypePath, Clone, Debug)]
pub struct Rings {
    /// Linear colour of the brightest places.
    #[uniform(0)]
    pub tint: LinearRgba,
    /// Time in seconds.
    #[uniform(1)]
    pub time: f32,
    /// Distance between rings, in heights of the picture.
    #[uniform(2)]
    pub width: f32,
}

impl Material2d for Rings {
    fn fragment_shader() -> ShaderRef {
        "rings.wgsl".into()
    }
}

/// A game without a window.
pub struct Game(SubApps);

impl Game {
    /// Starts the plugins of Bevy's enabled features on the first Vulkan device. None if there is no
    /// driver, since Bevy would panic.
    pub fn open() -> Option<Self> {
        let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
            backends: Backends::VULKAN,
            ..wgpu::InstanceDescriptor::new_without_display_handle()
        });
        let options = wgpu::RequestAdapterOptions::default();
        pollster::block_on(instance.request_adapter(&options)).ok()?;

        let settings = WgpuSettings { backends: Some(Backends::VULKAN), ..WgpuSettings::default() };
        let mut app = App::new();
        app.add_plugins((
            DefaultPlugins
                .set(WindowPlugin {
                    primary_window: None,
                    exit_condition: ExitCondition::DontExit,
                    ..default()
                })
                .set(RenderPlugin {
                    render_creation: RenderCreation::Automatic(Box::new(settings)),
                    // Draw no frame before its shaders are compiled.
                    synchronous_pipeline_compilation: true,
                    ..default()
                })
                .set(AssetPlugin {
                    file_path: concat!(env!("CARGO_MANIFEST_DIR"), "/assets").to_owned(),
                    ..default()
                }),
            Material2dPlugin::<Rings>::default(),
        ));
        // `App::run` does this, and `update` needs it.
        while app.plugins_state() == PluginsState::Adding {
            std::thread::yield_now();
        }
        app.finish();
        app.cleanup();
        Some(Self(std::mem::take(app.sub_apps_mut())))
    }

    /// The driver's name for the device.
    pub fn device(&self) -> &str {
        &self.0.main.world().resource::<RenderAdapterInfo>().name
    }

    /// Draws a picture filled by a material, `width` by `height` pixels of 8 bits.
    ///
    /// # Errors
    ///
    /// A picture that does not arrive, for instance because the shader does not compile.
    pub fn draw(
        &mut self,
        material: Rings,
        width: u32,
        height: u32,
    ) -> Result<image::RgbaImage, Box<dyn Error>> {
        let world = self.0.main.world_mut();
        // The target stores the material's numbers without an sRGB encoding.
        let target = Image::new_target_texture(width, height, TextureFormat::Rgba8Unorm, None);
        let target = world.resource_mut::<Assets<Image>>().add(target);
        let mesh = Rectangle::new(width as f32, height as f32);
        let mesh = world.resource_mut::<Assets<Mesh>>().add(mesh);
        let material = world.resource_mut::<Assets<Rings>>().add(material);
        let mesh = world.spawn((Mesh2d(mesh), MeshMaterial2d(material))).id();
        let target_of_camera = RenderTarget::Image(target.clone().into());
        let exact = (Msaa::Off, Tonemapping::None, DebandDither::Disabled);
        let camera = world.spawn((Camera2d, target_of_camera, exact)).id();

        let drawn = self.photograph(target);
        for entity in [mesh, camera] {
            self.0.main.world_mut().despawn(entity);
        }
        drawn
    }

    /// Reads the target once everything drawn there is compiled.
    fn photograph(&mut self, target: Handle<Image>) -> Result<image::RgbaImage, Box<dyn Error>> {
        // Shaders are loaded and compiled while the game runs.
        let shader = self.0.main.world().resource::<AssetServer>().load::<Shader>("rings.wgsl");
        self.update_until(|game| {
            match game.main.world().resource::<AssetServer>().load_state(&shader) {
                LoadState::Failed(wrong) => Err(wrong.to_string().into()),
                LoadState::Loaded => Ok(Some(())),
                _ => Ok(None),
            }
        })?;
        // The renderer receives new objects in the next frame, and compiles them by the end of it.
        for _ in 0..2 {
            self.update()?;
        }
        self.update_until(|game| {
            let pipelines = game.sub_apps[&RenderApp.intern()].world().resource::<PipelineCache>();
            for pipeline in pipelines.pipelines() {
                if let CachedPipelineState::Err(wrong) = &pipeline.state
                    && !matches!(wrong, ShaderCacheError::ShaderNotLoaded(_))
                {
                    return Err(wrong.to_string().into());
                }
            }
            Ok(pipelines.waiting_pipelines().next().is_none().then_some(()))
        })?;

        let (send, captured) = mpsc::channel();
        let mut screenshot = self.0.main.world_mut().spawn(Screenshot::image(target));
        screenshot.observe(move |captured: On<'_, '_, ScreenshotCaptured>| {
            // The receiver waits below.
            let _ = send.send(captured.image.clone());
        });
        let image = self.update_until(|_| Ok(captured.try_recv().ok()))?;
        let (width, height) = (image.width(), image.height());
        let bytes = image.data.ok_or("the picture has no bytes")?;
        Ok(image::RgbaImage::from_raw(width, height, bytes).ok_or("the picture is cut off")?)
    }

    /// Updates the game until `answer` returns a value.
    fn update_until<T>(
        &mut self,
        mut answer: impl FnMut(&SubApps) -> Result<Option<T>, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        let begin = Instant::now();
        while begin.elapsed() < PATIENCE {
            self.update()?;
            if let Some(found) = answer(&self.0)? {
                return Ok(found);
            }
        }
        Err("the picture has not come".into())
    }

    /// Runs one frame and waits for the device's work.
    fn update(&mut self) -> Result<(), Box<dyn Error>> {
        self.0.update();
        let device = self.0.main.world().resource::<RenderDevice>();
        device.wgpu_device().poll(PollType::wait_indefinitely())?;
        Ok(())
    }
}
