//! Compiled programs as kernels that fill tiles.
//!
//! - `compiled`: machine code for any inputs;
//! - `groups`: tiles in groups of lanes, edges, and the search for the pixel at fault;
//! - `listed`: quads in groups of listed lanes;
//! - `dispatch`: dispatches on memories; `phased`: those with barriers; `ends`: their ends; `invocations`: their code;
//!   `threads`: threads; `checked`: code that checks the order;
//! - `called`: the same over any `Callable`, for tests;
//! - `interpreted`: the interpreter of register programs as a `Callable`.

mod called;
mod checked;
mod compiled;
mod dispatch;
mod ends;
mod groups;
mod interpreted;
mod invocations;
mod listed;
mod phased;
mod threads;

use lambdav_core::inputs;
use lambdav_core::resource::Bound;
use lambdav_core::schedule;
use lambdav_core::source::Span;
use lambdav_core::texture::TextureData;
use lambdav_float_environment::with_default;
use lambdav_image::Size;
use lambdav_raster::triangles::{VertexKernel, VertexStop};
use lambdav_raster::{Cancel, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use self::groups::Groups;
use crate::activity::{self, Activity};
use crate::emit::{Allocation, BindError, EmitError, Executable, Target};
use crate::lanes::{self, Axis, InputWord, InputWords, LaneProgram, Width, lower};
use crate::pipeline::{Compiler, Times};
use crate::registers::{Callable, Reason};

pub use called::CalledKernel;
pub use compiled::CompiledKernel;
pub use dispatch::DispatchKernel;
pub use ends::{Call, DispatchError, Sink, Tier};
pub use interpreted::{ChangeLog, Interpreted, InterpretedLanes, Spilling};
pub use invocations::{dispatch_inputs, list_invocations};

/// A compiled output of a program with inputs: a [`CompiledKernel`] that is bound to them.
#[derive(Debug)]
pub struct SimdKernel {
    compiled: Arc<CompiledKernel>,
    groups: Groups,
}

impl SimdKernel {
    /// Compiles an output that was scheduled alone, for the requested number of lanes. If it is absent or
    /// not in [`Shape::LANES`](crate::registers::Shape::LANES), the cost model chooses.
    ///
    /// # Errors
    ///
    /// Those of [`Target::host`], of [`CompiledKernel::new`] and of [`CompiledKernel::bind`].
    pub fn new(
        program: schedule::Program,
        lanes: Option<u32>,
        inputs: &inputs::Inputs,
        max_iterations: u64,
    ) -> Result<Self, EmitError> {
        Self::for_target(program, lanes, inputs, max_iterations, Target::host()?)
    }

    /// [`Self::new`] for a given target, such as one with fewer features than this machine's processor.
    ///
    /// # Errors
    ///
    /// Those of [`Self::with_compiler`].
    pub fn for_target(
        program: schedule::Program,
        lanes: Option<u32>,
        inputs: &inputs::Inputs,
        max_iterations: u64,
        target: Target,
    ) -> Result<Self, EmitError> {
        let compiler = Compiler { lanes, ..Compiler::new(target) };
        Self::with_compiler(program, inputs, max_iterations, compiler)
    }

    /// [`Self::new`] with a compiler, whose number of pixels is overridden.
    ///
    /// # Errors
    ///
    /// Those of [`CompiledKernel::new`] and of [`CompiledKernel::bind`].
    pub fn with_compiler(
        program: schedule::Program,
        inputs: &inputs::Inputs,
        max_iterations: u64,
        compiler: Compiler,
    ) -> Result<Self, EmitError> {
        let pixels = inputs.resolution.map(f64::from).iter().product();
        let compiled = CompiledKernel::new(program, Compiler { pixels, ..compiler })?;
        Ok(Arc::new(compiled).bind(inputs, max_iterations)?)
    }

    /// The compiled code, which several kernels may share.
    pub fn compiled(&self) -> &Arc<CompiledKernel> {
        &self.compiled
    }

    /// Changes the values of `(time)` and `(frame)`.
    pub fn set_time(&mut self, time: f32, frame: f32) {
        let inputs = self.groups.inputs_mut();
        for (index, word) in self.compiled.layout.single() {
            match word {
                InputWord::Time => inputs.set_words(index, &[time.to_bits()]),
                InputWord::Frame => inputs.set_words(index, &[frame.to_bits()]),
                _ => {}
            }
        }
    }

    /// Changes the words of the uniform of that index.
    ///
    /// # Panics
    ///
    /// If the uniform has another number of words.
    pub fn set_uniform(&mut self, index: usize, words: &[u32]) {
        let compiled = &self.compiled;
        let ty = compiled.program.uniforms[index].ty;
        assert_eq!(words.len(), compiled.program.types.components(ty), "words of the uniform");
        // A uniform that is not read has no words.
        if let Some(range) = compiled.layout.uniform(index as u32) {
            self.groups.inputs_mut().set_words(range.start, words);
        }
    }

    /// Changes the data of the texture or buffer of that number.
    ///
    /// # Errors
    ///
    /// If the data is of another kind, or has another size than the code is specialised for.
    ///
    /// # Panics
    ///
    /// If there is no such resource.
    pub fn set_resource(&mut self, number: usize, data: Bound) -> Result<(), BindError> {
        let changed = self.groups.inputs_mut().set_resource(number, data);
        changed.map_err(|mismatch| self.compiled.mismatch(mismatch))
    }

    /// Replaces the texture of that number by a texture of any size. It needs levels below the first if its
    /// declaration says so.
    ///
    /// # Panics
    ///
    /// If there is no such texture, or the code is specialised for another size.
    pub fn set_texture(&mut self, number: usize, texture: &Arc<TextureData>) {
        let data = Bound::Texture(Arc::clone(texture));
        self.set_resource(number, data).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Changes all inputs, and the maximum number of `rec`s that each entry of a loop may execute.
    ///
    /// # Errors
    ///
    /// Those of [`CompiledKernel::bind`]. Then no input is changed.
    pub fn rebind(
        &mut self,
        inputs: &inputs::Inputs,
        max_iterations: u64,
    ) -> Result<(), BindError> {
        self.groups = self.compiled.groups(inputs, max_iterations)?;
        Ok(())
    }

    /// The source span of a fault's loop.
    pub fn site(&self, site: u32) -> Span {
        self.compiled.site(site)
    }

    /// The bytes of stack that the compiled code takes ([`CompiledKernel::stack_size`]).
    pub fn stack_size(&self) -> usize {
        self.compiled.stack_size()
    }

    /// The machine code.
    pub fn code(&self) -> &Executable {
        self.compiled.code()
    }

    /// The target of the code.
    pub fn target(&self) -> Target {
        self.compiled.target()
    }

    /// The register allocation used.
    pub fn allocation(&self) -> Allocation {
        self.compiled.allocation()
    }

    /// The reason for the number of lanes.
    pub fn reason(&self) -> Reason {
        self.compiled.reason()
    }

    /// How long the stages of compiling took.
    pub fn times(&self) -> Times {
        self.compiled.times()
    }

    /// Lane utilisation for an image of that size, from a sample of its groups. Takes about as long as
    /// lowering to lanes, plus a fifth of a second.
    pub fn activity(&self, size: Size) -> Activity {
        with_default(|| {
            let (shape, inputs) = (self.code().shape(), self.groups.inputs());
            let width = if shape.lanes() == 1 { Width::Any } else { shape.width() };
            let CompiledKernel { program, compiler, .. } = &*self.compiled;
            let program =
                lower(program, &lanes::Options { hoist: true, ..compiler.options(width) });
            let primitive = self.groups.primitive();
            activity::sample(&program, shape, inputs, primitive, size, activity::PATIENCE)
        })
    }
}

impl Kernel for SimdKernel {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        self.groups.tile(self.code(), tile, pixels, cancel, || self.compiled.unhoisted())
    }

    fn attachments(&self) -> usize {
        self.code().attachments()
    }
}

impl QuadKernel for SimdKernel {
    /// # Panics
    ///
    /// If the code is not for listed lanes, or the primitive has another number of words.
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let unhoisted = || self.compiled.unhoisted();
        self.groups.quads(self.code(), quads, primitive, pixels, cancel, unhoisted)
    }
}

impl VertexKernel for SimdKernel {
    /// # Panics
    ///
    /// If the code is not for listed lanes, or reads words of a primitive.
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        let unhoisted = || self.compiled.unhoisted();
        self.groups.vertices(self.code(), items, results, frontier, unhoisted)
    }

    fn attachments(&self) -> usize {
        self.code().attachments()
    }

    fn stack_size(&self) -> usize {
        self.compiled.stack_size()
    }
}

/// The words of a program's inputs.
///
/// # Panics
///
/// If resources are not bound, or are bound to data of other sizes than the baked ones.
pub fn words(program: &LaneProgram, inputs: &inputs::Inputs) -> Vec<u32> {
    let mut words = given(&program.inputs, inputs);
    let described = program.resources.describe_all(&inputs.resources, &mut words);
    described.expect("all resources are bound");
    words
}

/// The words of the primitive, taken from the uniforms.
fn primitive(of_primitive: &[u32], inputs: &inputs::Inputs) -> Vec<u32> {
    of_primitive.iter().flat_map(|&index| &*inputs.uniforms[index as usize]).copied().collect()
}

/// The words of inputs; those of descriptors are not filled.
fn given(layout: &InputWords, inputs: &inputs::Inputs) -> Vec<u32> {
    let uniform = |index: u32| &*inputs.uniforms[index as usize];
    let word = |word: &InputWord| match *word {
        InputWord::Resolution(Axis::X) => inputs.resolution[0].to_bits(),
        InputWord::Resolution(Axis::Y) => inputs.resolution[1].to_bits(),
        InputWord::Time => inputs.time.to_bits(),
        InputWord::Frame => inputs.frame.to_bits(),
        InputWord::Mouse(k) => inputs.mouse[usize::from(k)].to_bits(),
        InputWord::Uniform(index, k) => uniform(index)[k as usize],
        InputWord::Constant(bits) => bits,
        InputWord::Extent(..) => unreachable!("a descriptor is no single word"),
    };
    layout.values(uniform, word)
}
