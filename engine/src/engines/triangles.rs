//! Engine of programs that draw triangles: the stages compiled by another engine, and the rasterizer between them.

use super::evaluated_stages::{BoundStage, EvaluatedStage, Role, StageInputs};
use super::source_stages::SourceInputs;
#[cfg(feature = "spirv")]
use super::spirv::{SpirvInputs, SpirvStages};
use super::{CoreEngine, CoreProgram, SimdEngine, SimdError, SimdProgram, SourceProgram};
use crate::draw_inputs::DrawInputs;
use crate::settings::Settings;
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::evaluate;
use lambdav_core::graph::{Core, Interpolation, Triangles, Varying};
use lambdav_core::state::{self, Cull, DepthTest, FrontFace, State};
use lambdav_core::triangles::{FragmentStage, VertexInput, VertexStage};
use lambdav_frontend::reduction;
use lambdav_raster::triangles::{
    Blend, Compare, Depths, Draw, DrawError, DrawState, Face, Indices, Interpolated, Topology,
    Varied, VertexKernel, draw,
};
use lambdav_raster::{Attachment, QuadKernel, RenderOptions};
use lambdav_simd_backend::Compiler;
use lambdav_simd_backend::emit::BindError;
use std::sync::Arc;

/// Outputs of a program that draws triangles, with both stages compiled.
#[derive(Debug)]
pub struct TriangleProgram {
    vertices: StageProgram,
    colours: StageProgram,
    test: Option<StageProgram>,
    has_mask: bool,
    inputs: Vec<VertexInput>,
    varied: Vec<Varied>,
    triangles: Triangles,
    /// The words of the uniforms that belong to a triangle; zeros.
    of_triangle: Vec<Arc<[u32]>>,
}

/// A stage, compiled.
#[derive(Debug)]
enum StageProgram {
    Simd(SimdProgram),
    Core(Arc<CoreProgram>, Vec<u32>),
    Source(Arc<reduction::SourceProgram>, EvaluatedStage),
    #[cfg(feature = "spirv")]
    Spirv(Arc<SpirvStages>, EvaluatedStage),
}

/// The engine of the stages.
#[derive(Clone, Debug)]
pub enum StageEngine {
    /// Machine code, by this compiler.
    Simd(Box<Compiler>),
    /// The core evaluator.
    Core,
    /// The source evaluator, of this text.
    Source(Arc<SourceProgram>),
    /// The SPIR-V evaluator, of these modules of the same outputs.
    #[cfg(feature = "spirv")]
    Spirv(Arc<SpirvStages>),
}

/// A stage with its inputs.
trait StageKernel: QuadKernel + VertexKernel {
    /// Diagnostic of a faulty site.
    fn explain(&self, site: u32) -> Diagnostic;
}

/// Reason why there is no picture.
#[derive(Debug)]
pub enum TriangleError {
    /// A vertex or fragment is at fault.
    Program(Diagnostic),
    /// Data has another size than the code is specialised for.
    Bind(BindError),
    /// The rasterizer stopped.
    Draw(DrawError),
}

impl StageProgram {
    fn new(
        core: &Core,
        of_triangle: &[u32],
        engine: &StageEngine,
        role: Role,
        varyings: &Arc<[(u32, Varying)]>,
        resources: usize,
    ) -> Result<Self, SimdError> {
        let locations: Vec<u32> = core.outputs.iter().map(|output| output.location).collect();
        match engine {
            StageEngine::Simd(compiler) => {
                let compiler = Compiler::clone(compiler);
                let compiler = match &role {
                    Role::Vertices(_) => compiler.listed(Vec::new()),
                    Role::Colours(..) | Role::Test => of_fragments(compiler, of_triangle.to_vec()),
                };
                SimdProgram::new(core, &locations, compiler).map(Self::Simd)
            }
            StageEngine::Core => {
                let program = CoreProgram::new(core, &locations).map_err(SimdError::Program)?;
                Ok(Self::Core(Arc::new(program), of_triangle.to_vec()))
            }
            StageEngine::Source(source) => {
                let varyings = Arc::clone(varyings);
                let stage = EvaluatedStage { role, varyings, resources };
                Ok(Self::Source(Arc::clone(source.text()), stage))
            }
            #[cfg(feature = "spirv")]
            StageEngine::Spirv(stages) => {
                let varyings = Arc::clone(varyings);
                let stage = EvaluatedStage { role, varyings, resources };
                Ok(Self::Spirv(Arc::clone(stages), stage))
            }
        }
    }

    fn bind(&self, settings: &Settings) -> Result<Box<dyn StageKernel>, BindError> {
        Ok(match self {
            Self::Simd(program) => Box::new(program.bind(settings)?),
            Self::Core(program, of_triangle) => {
                Box::new(program.bind(settings.clone()).of_triangle(of_triangle.clone()))
            }
            Self::Source(program, stage) => {
                let (program, owned) = (Arc::clone(program), settings.clone());
                let inputs = SourceInputs { program, settings: owned };
                Box::new(BoundStage::new(stage, inputs, &settings.inputs.resources))
            }
            #[cfg(feature = "spirv")]
            Self::Spirv(stages, stage) => {
                let inputs = SpirvInputs::new(stages, settings);
                Box::new(BoundStage::new(stage, inputs, &settings.inputs.resources))
            }
        })
    }
}

/// All attributes of a program.
pub(crate) fn all_inputs(triangles: &Triangles) -> Vec<VertexInput> {
    let all = (0..).zip(&triangles.attributes);
    all.map(|(attribute, of)| VertexInput { attribute, ty: of.ty, rate: of.rate }).collect()
}

impl StageKernel for SimdEngine {
    fn explain(&self, site: u32) -> Diagnostic {
        evaluate::loop_limit_diagnostic(self.kernel().site(site), self.max_iterations())
    }
}

impl StageKernel for CoreEngine {
    fn explain(&self, site: u32) -> Diagnostic {
        self.site(site)
    }
}

impl<I: StageInputs> StageKernel for BoundStage<I> {
    fn explain(&self, site: u32) -> Diagnostic {
        self.site(site)
    }
}

impl TriangleProgram {
    /// Compiles the outputs at these locations, which must exist, of a program that draws triangles.
    ///
    /// # Errors
    ///
    /// As for [`SimdProgram::new`].
    pub fn new(
        core: &Core,
        triangles: &Triangles,
        locations: &[u32],
        engine: &StageEngine,
    ) -> Result<Self, SimdError> {
        Self::with_engines(core, triangles, locations, engine, engine)
    }

    /// Like [`Self::new`], with an engine of vertices and one of fragments.
    ///
    /// # Errors
    ///
    /// As for [`SimdProgram::new`].
    pub(crate) fn with_engines(
        core: &Core,
        triangles: &Triangles,
        locations: &[u32],
        of_vertices: &StageEngine,
        of_fragments: &StageEngine,
    ) -> Result<Self, SimdError> {
        let fragment = FragmentStage::new(core, triangles, locations);
        let vertex = VertexStage::new(core, triangles, &fragment.varyings);
        let of_triangle = fragment.of_triangle();
        let varied = fragment.varyings.iter().map(|&index| {
            let varying = &triangles.varyings[index as usize];
            Varied {
                components: varying.ty.width().unwrap_or(1),
                interpolated: match varying.interpolation {
                    Interpolation::Perspective => Interpolated::Perspective,
                    Interpolation::Linear => Interpolated::Linear,
                    Interpolation::Flat => Interpolated::Flat,
                },
            }
        });
        let read = fragment.varyings.iter();
        let read: Arc<[(u32, Varying)]> =
            read.map(|&index| (index, triangles.varyings[index as usize].clone())).collect();
        let asked = core.outputs.iter().map(|output| output.location);
        let asked = asked.filter(|location| locations.contains(location)).collect();
        let inputs = match of_vertices {
            StageEngine::Simd(_) | StageEngine::Core => vertex.inputs,
            // Simplifications of the graph drop reads, which these evaluate.
            _ => all_inputs(triangles),
        };
        let role = Role::Vertices(inputs.clone());
        let resources = core.graph.types().resources().len();
        let of_colours = Role::Colours(asked, fragment.has_mask);
        let stage = |core: &Core, of_triangle: &[u32], engine, role| {
            StageProgram::new(core, of_triangle, engine, role, &read, resources)
        };
        let words = fragment.colours.uniforms.iter().skip(fragment.uniforms as usize);
        Ok(Self {
            vertices: stage(&vertex.core, &[], of_vertices, role)?,
            colours: stage(&fragment.colours, &of_triangle, of_fragments, of_colours)?,
            test: match &fragment.test {
                Some(test) => Some(stage(test, &of_triangle, of_fragments, Role::Test)?),
                None => None,
            },
            has_mask: fragment.has_mask,
            inputs,
            varied: varied.collect(),
            triangles: triangles.clone(),
            of_triangle: words.map(|uniform| Arc::clone(&uniform.default)).collect(),
        })
    }

    /// The program with its inputs. All textures, buffers and attributes must be bound.
    ///
    /// # Errors
    ///
    /// Data of another size than the code is specialised for.
    pub fn bind<'a>(
        &'a self,
        settings: &Settings,
        inputs: &'a DrawInputs,
    ) -> Result<BoundTriangles<'a>, TriangleError> {
        let [mut of_vertices, mut of_fragments] = [settings.clone(), settings.clone()];
        let resources = &mut of_vertices.inputs.resources;
        resources.extend(self.inputs.iter().map(|of| inputs.attribute(of.attribute)));
        of_fragments.inputs.uniforms.extend(self.of_triangle.iter().cloned());
        let bind =
            |stage: &StageProgram, settings| stage.bind(settings).map_err(TriangleError::Bind);
        Ok(BoundTriangles {
            program: self,
            inputs,
            vertices: bind(&self.vertices, &of_vertices)?,
            colours: bind(&self.colours, &of_fragments)?,
            test: self.test.as_ref().map(|test| bind(test, &of_fragments)).transpose()?,
            of_vertices,
            of_fragments,
        })
    }
}

/// A program that draws triangles, with its inputs.
pub struct BoundTriangles<'a> {
    program: &'a TriangleProgram,
    inputs: &'a DrawInputs,
    vertices: Box<dyn StageKernel>,
    colours: Box<dyn StageKernel>,
    test: Option<Box<dyn StageKernel>>,
    /// The settings of the stage of vertices.
    pub(crate) of_vertices: Settings,
    /// The settings of the stage of fragments.
    pub(crate) of_fragments: Settings,
}

impl BoundTriangles<'_> {
    /// The kernel of vertices.
    pub(crate) fn vertices(&self) -> &dyn VertexKernel {
        &*self.vertices
    }

    /// Draws into attachments, one for each output, and into a depth buffer.
    ///
    /// # Errors
    ///
    /// [`TriangleError`].
    pub(crate) fn draw(
        &self,
        attachments: Vec<Attachment<'_>>,
        depths: Option<Depths<'_>>,
        options: &RenderOptions<'_>,
    ) -> Result<(), TriangleError> {
        let test = self.test.as_deref().map(|test| test as &dyn QuadKernel);
        let fragments = (&*self.colours as &dyn QuadKernel, test);
        self.draw_kernels(&*self.vertices, fragments, attachments, depths, options)
    }

    /// Like [`Self::draw`], with another kernel of vertices, and with kernels of fragments that `around` makes of those of
    /// colours and, with true, of mask and depth.
    ///
    /// # Errors
    ///
    /// As for [`Self::draw`].
    pub(crate) fn draw_around<'k, K: QuadKernel>(
        &'k self,
        vertices: &dyn VertexKernel,
        around: impl Fn(&'k dyn QuadKernel, bool) -> K,
        attachments: Vec<Attachment<'_>>,
        depths: Option<Depths<'_>>,
        options: &RenderOptions<'_>,
    ) -> Result<(), TriangleError> {
        let colours = around(&*self.colours, false);
        let test = self.test.as_deref().map(|test| around(test, true));
        let fragments =
            (&colours as &dyn QuadKernel, test.as_ref().map(|of| of as &dyn QuadKernel));
        self.draw_kernels(vertices, fragments, attachments, depths, options)
    }

    fn draw_kernels(
        &self,
        vertices: &dyn VertexKernel,
        (colours, test): (&dyn QuadKernel, Option<&dyn QuadKernel>),
        attachments: Vec<Attachment<'_>>,
        depths: Option<Depths<'_>>,
        options: &RenderOptions<'_>,
    ) -> Result<(), TriangleError> {
        let (program, inputs) = (self.program, self.inputs);
        let of_draw = Draw {
            vertices,
            colours,
            test,
            has_mask: program.has_mask,
            varied: &program.varied,
            indices: match inputs.indices() {
                Some(list) => Indices::List(list),
                None => Indices::Count(inputs.vertex_count()),
            },
            instances: inputs.instance_count(&program.triangles),
            state: state(&program.triangles.state),
        };
        draw(&of_draw, attachments, depths, options).map_err(|error| match error {
            DrawError::Vertex(fault) => {
                let (vertex, instance) = (fault.vertex, fault.instance);
                let note = format!("the first is vertex {vertex} of instance {instance}");
                TriangleError::Program(self.vertices.explain(fault.site).note(note))
            }
            DrawError::Fragment(fault) => {
                let (x, y) = (fault.x, fault.y);
                // A fault of the test has a site of its own kernel.
                let of = match (&self.test, fault.of_test) {
                    (Some(test), true) => test,
                    _ => &self.colours,
                };
                let note = format!("the first such fragment is at pixel ({x}, {y})");
                TriangleError::Program(of.explain(fault.site).note(note))
            }
            error => TriangleError::Draw(error),
        })
    }
}

/// A compiler of fragments. A triangle may have few pixels: groups of one register waste the fewest lanes.
pub(crate) fn of_fragments(compiler: Compiler, of_triangle: Vec<u32>) -> Compiler {
    let lanes = compiler.lanes.unwrap_or_else(|| compiler.target.machine().tile.width());
    Compiler { lanes: Some(lanes), ..compiler.listed(of_triangle) }
}

/// The state as the rasterizer takes it.
fn state(of: &State) -> DrawState {
    DrawState {
        cull: match of.cull {
            Cull::None => None,
            Cull::Back => Some(Face::Back),
            Cull::Front => Some(Face::Front),
        },
        is_clockwise: of.front == FrontFace::Cw,
        depth: match of.depth {
            DepthTest::Off => None,
            DepthTest::Never => Some(Compare::Never),
            DepthTest::Less => Some(Compare::Less),
            DepthTest::Equal => Some(Compare::Equal),
            DepthTest::LessEqual => Some(Compare::LessEqual),
            DepthTest::Greater => Some(Compare::Greater),
            DepthTest::NotEqual => Some(Compare::NotEqual),
            DepthTest::GreaterEqual => Some(Compare::GreaterEqual),
            DepthTest::Always => Some(Compare::Always),
        },
        writes_depth: of.depth_write,
        blend: match of.blend {
            state::Blend::Off => Blend::Off,
            state::Blend::Over => Blend::Over,
            state::Blend::Add => Blend::Add,
            state::Blend::Multiply => Blend::Multiply,
        },
        samples: of.samples,
        clear: of.clear,
        topology: match of.topology {
            state::Topology::Triangles => Topology::Triangles,
            state::Topology::Strip => Topology::Strip,
            state::Topology::Fan => Topology::Fan,
        },
    }
}
