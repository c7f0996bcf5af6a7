//! Kernels over any [`Callable`] instead of this machine's code: an interpreter of register programs, or an
//! evaluator of machine code. For tests.

use lambdav_core::inputs;
use lambdav_core::schedule;
use lambdav_core::source::Span;
use lambdav_raster::triangles::{VertexKernel, VertexStop};
use lambdav_raster::{Cancel, Kernel, Quad, QuadKernel, Stop, Tile, TileBuffer};

use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

use super::groups::Groups;
use super::{primitive, words};
use crate::lanes::LaneProgram;
use crate::pipeline::Compiler;
use crate::registers::{Callable, Inputs};

/// One output of a program, with the code that `make` makes of its lane program.
pub struct CalledKernel<C, F> {
    program: schedule::Program,
    compiler: Compiler,
    make: F,
    code: C,
    /// The code without hoisting to the part for the frame.
    unhoisted: OnceLock<C>,
    groups: Groups,
    sites: Vec<Span>,
}

impl<C, F, E> CalledKernel<C, F>
where
    C: Callable,
    F: Fn(&Compiler, &LaneProgram) -> Result<C, E>,
{
    /// The kernel of an output that was scheduled alone.
    ///
    /// # Errors
    ///
    /// Those of `make`.
    ///
    /// # Panics
    ///
    /// If resources are not bound, or are bound to data of other sizes than the baked ones.
    pub fn new(
        program: schedule::Program,
        compiler: Compiler,
        given: &inputs::Inputs,
        max_iterations: u64,
        make: F,
    ) -> Result<Self, E> {
        let lanes = compiler.lane_program(&program);
        let code = make(&compiler, &lanes)?;
        let data = given.resources.clone();
        let inputs = Inputs::new(words(&lanes, given), &lanes.resources, data, max_iterations);
        let primitive = primitive(&compiler.of_primitive, given);
        let groups = Groups::new(inputs.expect("all resources are bound"), primitive);
        let unhoisted = OnceLock::new();
        Ok(Self { program, compiler, make, code, unhoisted, groups, sites: lanes.sites })
    }

    /// The source span of a fault's loop.
    pub fn site(&self, site: u32) -> Span {
        self.sites[site as usize]
    }

    /// Makes the code without hoisting to the function for the frame.
    fn unhoisted(&self) -> C {
        let lanes = Some(self.code.shape().lanes());
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
        let unhoisted = || self.unhoisted.get_or_init(|| self.unhoisted());
        self.groups.tile(&self.code, tile, pixels, cancel, unhoisted)
    }

    fn attachments(&self) -> usize {
        self.code.attachments()
    }
}

impl<C, F, E> VertexKernel for CalledKernel<C, F>
where
    C: Callable + Send + Sync,
    F: Fn(&Compiler, &LaneProgram) -> Result<C, E> + Sync,
{
    fn vertices(
        &self,
        items: &[[u32; 2]],
        results: &mut [[f32; 4]],
        frontier: &AtomicU64,
    ) -> Result<(), VertexStop> {
        let unhoisted = || self.unhoisted.get_or_init(|| self.unhoisted());
        self.groups.vertices(&self.code, items, results, frontier, unhoisted)
    }

    fn attachments(&self) -> usize {
        self.code.attachments()
    }
}

impl<C, F, E> QuadKernel for CalledKernel<C, F>
where
    C: Callable + Send + Sync,
    F: Fn(&Compiler, &LaneProgram) -> Result<C, E> + Sync,
{
    fn quads(
        &self,
        quads: &[Quad],
        primitive: &[u32],
        pixels: &mut TileBuffer<'_>,
        cancel: &Cancel<'_>,
    ) -> Result<(), Stop> {
        let unhoisted = || self.unhoisted.get_or_init(|| self.unhoisted());
        self.groups.quads(&self.code, quads, primitive, pixels, cancel, unhoisted)
    }
}
