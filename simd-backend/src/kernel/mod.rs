//! A compiled program as a kernel that fills tiles.
//!
//! - `groups`: tiles in groups of lanes, their edges, and which pixel is at fault;
//! - `called`: the same with something else in place of this machine, for tests;
//! - `interpreted`: the interpreter of register programs, in its place.

mod called;
mod groups;
mod interpreted;

use lambdav_core::inputs;
use lambdav_core::resource::Bound;
use lambdav_core::schedule;
use lambdav_core::source::Span;
use lambdav_core::texture::TextureData;
use lambdav_float_environment::with_default;
use lambdav_image::Size;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};
use std::sync::Arc;

use self::groups::Groups;
use crate::activity::{self, Activity};
use crate::emit::{Allocation, EmitError, Executable, Target};
use crate::lanes::{Axis, InputWord, InputWords, LaneProgram, Width, lower};
use crate::pipeline::{Compilation, Compiler, Times, timed};
use crate::registers::{Callable, Choice, Inputs, Reason, Resources};

pub use called::CalledKernel;
pub use interpreted::{Interpreted, Spilling};

/// One output of a program, compiled.
#[derive(Debug)]
pub struct SimdKernel {
    program: schedule::Program,
    compiler: Compiler,
    groups: Groups<Executable>,
    reason: Reason,
    allocation: Allocation,
    times: Times,
    sites: Vec<Span>,
    /// What the words of its inputs are.
    layout: InputWords,
}

impl SimdKernel {
    /// Compiles the output of a program that was scheduled for it alone, for so many lanes, or, if
    /// that is none of [`Shape::LANES`](crate::registers::Shape::LANES) or not said, for as many as
    /// seem best.
    ///
    /// # Errors
    ///
    /// Those of [`Target::host`] and of [`Compiler::compile`].
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
    /// Those of [`Compiler::compile`].
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
    /// Those of [`Compiler::compile`].
    pub fn with_compiler(
        program: schedule::Program,
        inputs: &inputs::Inputs,
        max_iterations: u64,
        compiler: Compiler,
    ) -> Result<Self, EmitError> {
        let pixels = inputs.resolution.map(f64::from).iter().product();
        let resources = inputs.resources.clone();
        let compiler = Compiler { pixels, resources, ..compiler };
        let Compilation { lanes, choice, code, allocation, mut times, .. } =
            compiler.compile(&program)?;
        let code = timed(&mut times.code, || Executable::new(&code, &compiler.target))?;
        let Choice { reason, .. } = choice;
        let resources = Resources::new(inputs.resources.clone());
        let inputs = Inputs { words: words(&lanes, inputs), resources, max_iterations };
        let groups = Groups::new(code, inputs);
        let (sites, layout) = (lanes.sites, lanes.inputs);
        Ok(Self { program, compiler, groups, reason, allocation, times, sites, layout })
    }

    /// Changes what `(time)` and `(frame)` are.
    pub fn set_time(&mut self, time: f32, frame: f32) {
        for (index, word) in self.layout.single() {
            match word {
                InputWord::Time => self.groups.set_input(index, time.to_bits()),
                InputWord::Frame => self.groups.set_input(index, frame.to_bits()),
                _ => {}
            }
        }
    }

    /// Changes the texture of that number for another one of the same size, levels included.
    ///
    /// # Panics
    ///
    /// Where there is no texture of that number, or it has another size.
    pub fn set_texture(&mut self, number: usize, texture: &Arc<TextureData>) {
        let known = self.compiler.resources[number].texture().expect("it is a texture");
        assert_eq!(known.levels(), texture.levels(), "code is made for the sizes of textures");
        let data = Bound::Texture(Arc::clone(texture));
        self.compiler.resources[number] = data.clone();
        self.groups.set_resource(number, data);
    }

    /// Where the loop of a fault's site is.
    pub fn site(&self, site: u32) -> Span {
        self.sites[site as usize]
    }

    /// The bytes of stack that the compiled code takes, exactly. What calls it, and the reference
    /// mathematics that it may call, need some more.
    pub fn stack_size(&self) -> usize {
        self.code().stack()
    }

    /// The code.
    pub fn code(&self) -> &Executable {
        self.groups.code()
    }

    /// What it is made for.
    pub fn target(&self) -> Target {
        self.compiler.target()
    }

    /// How registers were allocated.
    pub fn allocation(&self) -> Allocation {
        self.allocation
    }

    /// Why it has so many lanes.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// How long compiling it took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// How many lanes are active in an image of that size, by a sample of its groups. It takes
    /// about as long as lowering to lanes did, and a fifth of a second.
    pub fn activity(&self, size: Size) -> Activity {
        with_default(|| {
            let (shape, inputs) = (self.code().shape(), self.groups.inputs());
            let width = if shape.lanes() == 1 { Width::Any } else { shape.width() };
            let program = lower(&self.program, 0, true, width, &self.compiler.resources);
            activity::sample(&program, shape, inputs, size, activity::PATIENCE)
        })
    }

    /// The code with nothing moved to the function for the frame.
    fn unhoisted(&self) -> Executable {
        let lanes = Some(self.code().shape().lanes());
        let compiler = self.compiler.clone();
        let compiler = Compiler { lanes, pixels: 0.0, hoist: false, deadline: None, ..compiler };
        let compiled = compiler.compile(&self.program);
        let compiled = compiled.and_then(|c| Executable::new(&c.code, &compiler.target));
        compiled.expect("the same program has been compiled before")
    }
}

impl Kernel for SimdKernel {
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        self.groups.tile(tile, pixels, cancel, || self.unhoisted())
    }
}

/// The words of a program's inputs.
pub fn words(program: &LaneProgram, inputs: &inputs::Inputs) -> Vec<u32> {
    let uniform = |index: u32| &*inputs.uniforms[index as usize];
    let word = |word: &InputWord| match *word {
        InputWord::Resolution(Axis::X) => inputs.resolution[0].to_bits(),
        InputWord::Resolution(Axis::Y) => inputs.resolution[1].to_bits(),
        InputWord::Time => inputs.time.to_bits(),
        InputWord::Frame => inputs.frame.to_bits(),
        InputWord::Mouse(k) => inputs.mouse[usize::from(k)].to_bits(),
        InputWord::Uniform(index, k) => uniform(index)[k as usize],
        InputWord::Constant(bits) => bits,
    };
    program.inputs.values(uniform, word)
}
