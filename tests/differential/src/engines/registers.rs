//! The interpreter of register programs.

use super::simd::draw;
use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::each_output;
use lambdav_simd_backend::kernel::{CalledKernel, Interpreted, Spilling};
use lambdav_simd_backend::machine::Machine;
use lambdav_simd_backend::{Compiler, Target};

/// Interprets the register program of each output, for a machine that need not exist.
pub(super) struct Registers {
    pub(super) name: &'static str,
    pub(super) lanes: u32,
    pub(super) machine: Machine,
    pub(super) spilling: Spilling,
}

impl Engine for Registers {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        each_output(case, &case.core, |schedule, _, components| {
            let target = Target::host().map_err(|e| e.to_string())?.with_machine(self.machine);
            let compiler = Compiler { lanes: Some(self.lanes), ..Compiler::new(target) };
            let limit = case.conditions.max_iterations;
            let kernel =
                CalledKernel::new(schedule, compiler, &case.inputs, limit, |compiler, lanes| {
                    Interpreted::new(compiler, lanes, self.spilling)
                })
                .map_err(|errors| {
                    let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
                    format!("malformed register program: {}", errors.join("; "))
                })?;
            draw(case, &kernel, |site| kernel.site(site), components)
        })
    }
}
