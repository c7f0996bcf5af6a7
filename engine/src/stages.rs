//! Intermediate forms of a program, as pictures are drawn from them: core text, lane program, register
//! program, machine code and SPIR-V.

use crate::bindings::Bindings;
use crate::compilers::{at_fault, compiler, simd_error};
use crate::engines::{SimdError, of_fragments};
use crate::error::Error;
use crate::options::Options;
use crate::pipeline::without_outputs;
#[cfg(feature = "spirv")]
use crate::rewritten;
use crate::shader::Shader;
#[cfg(feature = "spirv")]
use crate::undefined::Reporting;
use lambdav_core::core_text;
#[cfg(feature = "spirv")]
use lambdav_core::graph::{Core, Passes};
#[cfg(feature = "spirv")]
use lambdav_core::passes::DevicePasses;
#[cfg(feature = "spirv")]
use lambdav_core::schedule::schedule_effects;
#[cfg(feature = "spirv")]
use lambdav_core::schedule::schedule_reported;
use lambdav_core::schedule::{schedule, schedule_all};
#[cfg(feature = "spirv")]
use lambdav_core::triangles::EntryPoints;
use lambdav_core::triangles::FragmentStage;
use lambdav_simd_backend::emit::Listing;
use lambdav_simd_backend::{Compiler, EmitError};
#[cfg(feature = "spirv")]
use lambdav_spirv::SiteNote;
#[cfg(feature = "spirv")]
use lambdav_spirv::inspect::inspect;
#[cfg(feature = "spirv")]
use lambdav_spirv_backend::emit::{ComputeEntry, emit_computes, emit_for, emit_stages};
#[cfg(feature = "spirv")]
pub use lambdav_spirv_backend::emit::{
    EmitOptions, Exact, FloatControls, Instrument, Subnormals, Version,
};

/// A stage between the core and machine code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeStage {
    /// The lane program.
    Lanes,
    /// The register program.
    Registers,
    /// The code generator's intermediate representation.
    Intermediate,
    /// Assembly.
    Assembly,
}

/// A SPIR-V module of a program.
#[cfg(feature = "spirv")]
#[derive(Clone, Debug)]
pub struct SpirvModule {
    /// The module's words.
    pub words: Vec<u32>,
    /// Uniforms of a re-emitted module whose offsets changed, since std140 places them elsewhere.
    pub moved: Vec<String>,
}

impl Shader {
    /// The core as text, which can be read as a program.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if the program nests too deeply.
    pub fn core_text(&self) -> Result<String, Error> {
        core_text::print(self.core(), Some(self.source())).map_err(|found| at_fault(&self.0, found))
    }

    /// Module of the outputs at these locations. The last `options.constants` uniforms become
    /// specialisation constants. The module of a program that draws triangles has two entry points, `vertex`
    /// and `fragment`. Each pass is a compute entry point of its name. That of a compute program has its own entry point.
    ///
    /// # Errors
    ///
    /// [`Error::Program`] if the program nests too deeply or a pass has writes whose order a device does not keep, and [`Error::Unsupported`] if it is too
    /// large for SPIR-V.
    #[cfg(feature = "spirv")]
    pub fn spirv(&self, locations: &[u32], options: &EmitOptions) -> Result<SpirvModule, Error> {
        let core = self.core().with_closed_loops_evaluated(u64::MAX);
        let fault = |found| at_fault(&self.0, found);
        let source = Some(self.source());
        if let Some(passes) = core.passes.as_deref() {
            let words = self.spirv_of_passes(&core, passes, locations, options)?;
            return Ok(SpirvModule { words, moved: Vec::new() });
        }
        if let Some(workgroup) = core.workgroup {
            let changed = core.changed_memories();
            let program = schedule_effects(&core, &changed).map_err(fault)?;
            let (interface, moved) = rewritten::by_std140(&core, &self.0.interface);
            let (program, interface) = (&program, &interface);
            let entry = ComputeEntry { program, interface, workgroup, is_inside: false };
            let module = emit_computes(&[], &[entry], source, options);
            let module = module.map_err(|error| Error::Unsupported(error.to_string()))?;
            return Ok(SpirvModule { words: module.words, moved });
        }
        let (module, moved) = match core.triangles.as_deref() {
            Some(triangles) => {
                let stages = EntryPoints::new(&core, triangles, locations);
                let [vertex, fragment] = stages.schedule().map_err(fault)?;
                let programs = [&vertex, &fragment];
                (emit_stages(programs, source, options, &stages.interfaces), Vec::new())
            }
            None => {
                let program = schedule(&core, locations).map_err(fault)?;
                let (interface, moved) = rewritten::by_std140(&core, &self.0.interface);
                (emit_for(&program, source, options, &interface), moved)
            }
        };
        let module = module.map_err(|error| Error::Unsupported(error.to_string()))?;
        Ok(SpirvModule { words: module.words, moved })
    }

    /// An instrumented module of the outputs at these locations of a full-screen program: a device writes the undefined behaviour
    /// that pixels meet to a storage buffer ([`Instrument`]) of the first free binding of set 0. The module's notes name the
    /// sites ([`lambdav_spirv::SiteNote`]), unless the options strip it.
    ///
    /// # Errors
    ///
    /// As for [`Self::spirv`], and [`Error::Mismatch`] for a program whose undefined behaviour is not reported, or is not drawn
    /// over the full screen.
    #[cfg(feature = "spirv")]
    pub fn instrumented_spirv(
        &self,
        locations: &[u32],
        options: &EmitOptions,
    ) -> Result<SpirvModule, Error> {
        let of = &self.0.core;
        if of.passes.is_some() || of.workgroup.is_some() || of.triangles.is_some() {
            let why = "modules of full-screen programs are instrumented, and this has other stages";
            return Err(Error::Mismatch(why.to_owned()));
        }
        let reporting = Reporting::new(&self.0)?;
        let core = &reporting.core;
        let program =
            schedule_reported(core, locations).map_err(|found| at_fault(&self.0, found))?;
        let (interface, moved) = rewritten::by_std140(core, &self.0.interface);
        let first = locations.iter().max().map_or(0, |last| last + 1);
        let sites = core.sites.len() as u32;
        let source = Some(self.source());
        // The bindings are those of the module without reports.
        let plain = emit_for(&program, None, options, &interface);
        let plain = plain.map_err(|error| Error::Unsupported(error.to_string()))?;
        let bound = inspect(&plain.words).map_err(|error| Error::Machine(error.to_string()))?;
        let of_set = bound.resources.iter().filter(|of| of.set == Some(0));
        let free = of_set.filter_map(|of| of.binding).max().map_or(0, |last| last + 1);
        let instrument = Some(Instrument { binding: [0, free], first, sites });
        let options = EmitOptions { instrument, ..*options };
        let module = emit_for(&program, source, &options, &interface);
        let words = module.map_err(|error| Error::Unsupported(error.to_string()))?.words;
        let notes: Vec<SiteNote> = match options.strip {
            true => Vec::new(),
            false => reporting.notes(),
        };
        Ok(SpirvModule { words: SiteNote::add(&words, &notes), moved })
    }

    /// Words of the module of a program with passes.
    #[cfg(feature = "spirv")]
    fn spirv_of_passes(
        &self,
        core: &Core,
        passes: &Passes,
        locations: &[u32],
        options: &EmitOptions,
    ) -> Result<Vec<u32>, Error> {
        let fault = |found| at_fault(&self.0, found);
        if let Some(disorder) = passes.passes.iter().find_map(|pass| pass.disorder(core)) {
            return Err(fault(disorder.diagnostic()));
        }
        let devices = DevicePasses::new(core, passes).map_err(fault)?;
        let mut stages = Vec::new();
        if let Some(triangles) = core.triangles.as_deref() {
            let entry_points = EntryPoints::new(core, triangles, locations);
            let programs = entry_points.schedule().map_err(fault)?;
            stages.extend(programs.into_iter().zip(entry_points.interfaces));
        } else if !core.outputs.is_empty() {
            let program = schedule(core, locations).map_err(fault)?;
            stages.push((program, self.0.interface.clone()));
        }
        for (program, _) in &mut stages {
            program.types.clone_from(devices.types());
        }
        let stages: Vec<_> = stages.iter().map(|(program, of)| (program, of)).collect();
        let entries = devices.passes.iter().map(|pass| ComputeEntry {
            program: &pass.program,
            interface: &pass.interface,
            workgroup: pass.workgroup,
            is_inside: true,
        });
        let entries: Vec<_> = entries.collect();
        let module = emit_computes(&stages, &entries, Some(self.source()), options);
        Ok(module.map_err(|error| Error::Unsupported(error.to_string()))?.words)
    }

    /// Text of a stage for the output at `location`, specialised for the sizes of bound textures and
    /// buffers. Of a program that draws triangles it is the code of fragments.
    ///
    /// # Errors
    ///
    /// As for [`Shader::pipeline`].
    pub fn code_text(
        &self,
        stage: CodeStage,
        location: u32,
        bindings: &Bindings,
        options: &Options,
    ) -> Result<String, Error> {
        let core = self.core();
        if let Some(found) = without_outputs(core) {
            return Err(at_fault(&self.0, found));
        }
        let fragments =
            core.triangles.as_deref().map(|of| FragmentStage::new(core, of, &[location]));
        let program = match &fragments {
            Some(stage) => schedule_all(&stage.colours),
            None => schedule(core, &[location]),
        };
        let program = program.map_err(|found| at_fault(&self.0, found))?;
        let listing = match stage {
            CodeStage::Intermediate => Listing::Intermediate,
            CodeStage::Assembly => Listing::Assembly,
            CodeStage::Lanes | CodeStage::Registers => Listing::None,
        };
        let failed = |error: EmitError| simd_error(&self.0, options, SimdError::Emit(error));
        let compiler = Compiler { listing, ..compiler(options)? };
        let compiler = compiler.specialised(bindings.resources());
        let compiler = match &fragments {
            Some(stage) => of_fragments(compiler, stage.of_triangle()),
            None => compiler,
        };
        if stage == CodeStage::Lanes {
            compiler.check(&program).map_err(failed)?;
            return Ok(compiler.lane_program(&program).to_string());
        }
        let compiled = compiler.compile(&program).map_err(failed)?;
        Ok(match stage {
            CodeStage::Registers => compiled.registers.to_string(),
            _ => compiled.code.listing(),
        })
    }
}

/// Words of a vertex shader that covers the picture with a triangle.
#[cfg(feature = "spirv")]
pub fn full_screen_vertex() -> Vec<u32> {
    lambdav_spirv_backend::full_screen_vertex()
}
