//! A compiled program as a kernel that fills tiles.
//!
//! - `compiled`: machine code for any inputs;
//! - `groups`: tiles in groups of lanes, their edges, and which pixel is at fault;
//! - `listed`: quads in groups of listed lanes;
//! - `called`: the same with something else in place of this machine, for tests;
//! - `interpreted`: the interpreter of register programs, in its place.

mod called;
mod compiled;
mod groups;
mod interpreted;
mod listed;

use lambdav_core::inputs;
use lambdav_core::resource::Bound;
use lambdav_core::schedule;
use lambdav_core::source::Span;
use lambdav_core::texture::TextureData;
use lambdav_float_environment::with_default;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};
use std::sync::Arc;

use self::groups::Groups;
use crate::activity::{self, Activity};
use crate::emit::{Allocation, BindError, EmitError, Executable, Target};
use crate::lanes::{self, Axis, InputWord, InputWords, LaneProgram, Width, lower};
use crate::pipeline::{Compiler, Times};
use crate::registers::{Callable, Reason};

pub use called::CalledKernel;
pub use compiled::CompiledKernel;
pub use interpreted::{Interpreted, Spilling};

/// One output of a program, compiled, with inputs: a [`CompiledKernel`] that is bound to them.
#[derive(Debug)]
pub struct SimdKernel {
    compiled: Arc<CompiledKernel>,
    groups: Groups,
}

impl SimdKernel {
    /// Compiles the output of a program that was scheduled for it alone, for so many lanes, or, if
    /// that is none of [`Shape::LANES`](crate::registers::Shape::LANES) or not said, for as many as
    /// seem best.
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

    /// The same with some of what this machine's processor can do.
    ///
    /// # Errors
    ///
    /// As of [`Self::with_compiler`].
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

    /// The same with a compiler, whose number of pixels is overridden.
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

    /// The code, which other kernels may share.
    pub fn compiled(&self) -> &Arc<CompiledKernel> {
        &self.compiled
    }

    /// Changes what `(time)` and `(frame)` are.
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
    /// Where it has another number of words.
    pub fn set_uniform(&mut self, index: usize, words: &[u32]) {
        let compiled = &self.compiled;
        let ty = compiled.program.uniforms[index].ty;
        assert_eq!(words.len(), compiled.program.types.components(ty), "words of the uniform");
        // One that is not read has none.
        if let Some(range) = compiled.layout.uniform(index as u32) {
            self.groups.inputs_mut().set_words(range.start, words);
        }
    }

    /// Changes the data of the texture or buffer of that number.
    ///
    /// # Errors
    ///
    /// Where the data is of another kind, or has another size than the code is specialised for.
    ///
    /// # Panics
    ///
    /// Where there is no such resource.
    pub fn set_resource(&mut self, number: usize, data: Bound) -> Result<(), BindError> {
        let changed = self.groups.inputs_mut().set_resource(number, data);
        changed.map_err(|mismatch| self.compiled.mismatch(mismatch))
    }

    /// Changes the texture of that number for another one, of any size, with levels below the first if
    /// its declaration says so.
    ///
    /// # Panics
    ///
    /// Where there is no such texture, or the code is specialised for another size.
    pub fn set_texture(&mut self, number: usize, texture: &Arc<TextureData>) {
        let data = Bound::Texture(Arc::clone(texture));
        self.set_resource(number, data).unwrap_or_else(|error| panic!("{error}"));
    }

    /// Changes all inputs, and how many `rec`s each entry of a loop may execute.
    ///
    /// # Errors
    ///
    /// As of [`CompiledKernel::bind`]. Then nothing is changed.
    pub fn rebind(
        &mut self,
        inputs: &inputs::Inputs,
        max_iterations: u64,
    ) -> Result<(), BindError> {
        self.groups = self.compiled.groups(inputs, max_iterations)?;
        Ok(())
    }

    /// Where the loop of a fault's site is.
    pub fn site(&self, site: u32) -> Span {
        self.compiled.site(site)
    }

    /// The bytes of stack that the compiled code takes ([`CompiledKernel::stack_size`]).
    pub fn stack_size(&self) -> usize {
        self.compiled.stack_size()
    }

    /// The code.
    pub fn code(&self) -> &Executable {
        self.compiled.code()
    }

    /// What it is made for.
    pub fn target(&self) -> Target {
        self.compiled.target()
    }

    /// How registers were allocated.
    pub fn allocation(&self) -> Allocation {
        self.compiled.allocation()
    }

    /// Why it has so many lanes.
    pub fn reason(&self) -> Reason {
        self.compiled.reason()
    }

    /// How long compiling it took.
    pub fn times(&self) -> Times {
        self.compiled.times()
    }

    /// How many lanes are active in an image of that size, by a sample of its groups. It takes
    /// about as long as lowering to lanes did, and a fifth of a second.
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

/// The words of a program's inputs.
///
/// # Panics
///
/// If resources are not bound, or to data of other sizes than are baked.
pub fn words(program: &LaneProgram, inputs: &inputs::Inputs) -> Vec<u32> {
    let mut words = given(&program.inputs, inputs);
    let described = program.resources.describe_all(&inputs.resources, &mut words);
    described.expect("all resources are bound");
    words
}

/// The words of the primitive, as the uniforms have them.
fn primitive(of_primitive: &[u32], inputs: &inputs::Inputs) -> Vec<u32> {
    of_primitive.iter().flat_map(|&index| &*inputs.uniforms[index as usize]).copied().collect()
}

/// The words of inputs, without descriptors.
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
