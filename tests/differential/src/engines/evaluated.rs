//! Machine code executed by the evaluator of decoded instructions. The evaluator runs instructions that the
//! processor lacks, and faults on every forbidden access.

use super::simd::draw;
use crate::case::Case;
use crate::engine::{Engine, Image};
use crate::reference::each_output;
use lambdav_machine_code::Evaluated;
use lambdav_simd_backend::emit::Allocation;
use lambdav_simd_backend::kernel::CalledKernel;
use lambdav_simd_backend::{Compiler, Target};

/// Compiles each output for one number of lanes and evaluates the code.
pub(super) struct Evaluator {
    pub(super) name: &'static str,
    pub(super) lanes: u32,
    /// The name of the code's target.
    pub(super) target: &'static str,
    /// Limit on vector registers.
    pub(super) registers: Option<usize>,
    pub(super) allocation: Allocation,
}

impl Engine for Evaluator {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, case: &Case) -> Result<Vec<Image>, String> {
        each_output(case, &case.core, |schedule, _, components| {
            let target = Target::named(self.target).map_err(|e| e.to_string())?;
            let target = target.ok_or("there is no such target")?;
            let mut target = target.with_allocation(self.allocation);
            if let Some(registers) = self.registers {
                target = target.with_vector_registers(registers);
            }
            let compiler = Compiler { lanes: Some(self.lanes), ..Compiler::new(target) };
            let limit = case.conditions.max_iterations;
            let kernel =
                CalledKernel::new(schedule, compiler, &case.inputs, limit, |compiler, lanes| {
                    let compiled = compiler.compile_lane_program(lanes.clone());
                    compiled.map(|compiled| Evaluated::new(&compiled.code))
                })
                .map_err(|e| e.to_string())?;
            draw(case, &kernel, |site| kernel.site(site), components)
        })
    }
}
