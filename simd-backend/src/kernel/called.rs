//! A program as a kernel whose functions are called by something else than this machine: an
//! interpreter of register programs, or an evaluator of machine code. For tests.

use lambdav_core::inputs;
use lambdav_core::schedule;
use lambdav_core::source::Span;
use lambdav_raster::{Cancel, Kernel, Stop, Tile, TileBuffer};

use super::groups::Groups;
use super::words;
use crate::lanes::LaneProgram;
use crate::pipeline::Compiler;
use crate::registers::{Callable, Inputs, Resources};

/// One output of a program, as what `make` makes of its lane program.
pub struct CalledKernel<C, F> {
    program: schedule::Program,
    compiler: Compiler,
    make: F,
    groups: Groups<C>,
    sites: Vec<Span>,
}

impl<C, F, E> CalledKernel<C, F>
where
    C: Callable,
    F: Fn(&Compiler, &LaneProgram) -> Result<C, E>,
{
    /// That of an output that was scheduled alone.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    pub fn new(
        program: schedule::Program,
        compiler: Compiler,
        inputs: &inputs::Inputs,
        max_iterations: u64,
        make: F,
    ) -> Result<Self, E> {
        let compiler = Compiler { resources: inputs.resources.clone(), ..compiler };
        let lanes = compiler.lane_program(&program);
        let code = make(&compiler, &lanes)?;
        let resources = Resources::new(inputs.resources.clone());
        let inputs = Inputs { words: words(&lanes, inputs), resources, max_iterations };
        let groups = Groups::new(code, inputs);
        Ok(Self { program, compiler, make, groups, sites: lanes.sites })
    }

    /// Where the loop of a fault's site is.
    pub fn site(&self, site: u32) -> Span {
        self.sites[site as usize]
    }

    /// With nothing moved to the function for the frame.
    fn unhoisted(&self) -> C {
        let lanes = Some(self.groups.code().shape().lanes());
        let compiler = Compiler { lanes, hoist: false, ..self.compiler.clone() };
        let program = compiler.lane_program(&self.program);
        let Ok(code) = (self.make)(&compiler, &program) else {
            panic!("the same program has been executed before")
        };
        code
    }
}

impl<C, F, E> Kernel for CalledKernel<C, F>
where
    C: Callable + Send + Sync,
    F: Fn(&Compiler, &LaneProgram) -> Result<C, E> + Sync,
{
    fn tile(
        &self,
        tile: Tile,
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        self.groups.tile(tile, pixels, cancel, || self.unhoisted())
    }
}
