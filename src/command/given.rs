//! The values of uniforms and constants, and the data of textures and buffers, as the options say.

use super::binds::Binds;
use super::failure::{Failure, Result};
use super::files::{compile_fixed, read_bytes};
use super::module::{self, BlockData, LocationValue, ModuleArguments};
use lambdav::core::graph::{Core, Uniform};
use lambdav::core::types::Types;
use lambdav::program::{Loaded, LoadedModule};
use lambdav::settings::{Settings, UniformError};
use lambdav::spirv_frontend::RaiseOptions;
use std::path::{Path, PathBuf};

/// The values that are given, as text: first those of the file, then those of the
/// command line, of which the last counts.
#[derive(Clone)]
pub(super) struct Given {
    file: Vec<(String, String)>,
    /// What messages call the file.
    name: String,
    set: Vec<(String, String)>,
    /// The files for textures and buffers.
    binds: Binds,
    /// How a module is raised, and what its inputs of locations are.
    raise: RaiseOptions,
    inputs: Vec<LocationValue>,
    /// The words that the bytes of blocks give to uniforms of a module, by their numbers.
    blocks: Vec<(usize, Box<[u32]>)>,
}

impl Given {
    /// Reads the file of uniforms, if there is one, and takes the options apart.
    pub(super) fn read(set: &[String], uniforms: Option<&PathBuf>) -> Result<Self> {
        let set = set.iter().map(|text| match text.split_once('=') {
            Some((name, value)) => Ok((name.to_owned(), value.to_owned())),
            None => Err(Failure::usage(format!("`{text}` sets nothing: write --set NAME=VALUE"))),
        });
        let set = set.collect::<Result<_>>()?;
        let nothing = Self {
            file: Vec::new(),
            name: String::new(),
            set,
            binds: Binds::default(),
            raise: RaiseOptions::default(),
            inputs: Vec::new(),
            blocks: Vec::new(),
        };
        let Some(path) = uniforms else { return Ok(nothing) };
        let (name, bytes) = read_bytes(path)?;
        let file = module::object(&name, &bytes, "NAME")?;
        Ok(Self { file, name, ..nothing })
    }

    /// The same with what is said of modules.
    pub(super) fn with_module(self, arguments: &ModuleArguments) -> Result<Self> {
        let (raise, inputs) = arguments.read()?;
        Ok(Self { raise, inputs, ..self })
    }

    /// The same for a program that has been read: of a module, members by their names in the program, and
    /// inputs by those of their uniforms.
    pub(super) fn for_program(&self, loaded: &Loaded) -> Result<Self> {
        let (Some(core), Some(module)) = (&loaded.core, &loaded.module) else {
            return Ok(self.clone());
        };
        let inputs = self.inputs.iter().map(|(location, value)| {
            Ok((module::location_name(core, module, *location)?, value.clone()))
        });
        let mut set = inputs.collect::<Result<Vec<_>>>()?;
        let (bound, binds) = self.binds.clone().split(|name| is_block(module, name));
        let mut blocks = Vec::new();
        for (name, path) in &bound {
            match module::block(module, name, path)? {
                BlockData::Members(members) => {
                    set.extend(members.iter().map(|given| renamed(core, module, given)));
                }
                BlockData::Words(words) => blocks.extend(words),
            }
        }
        set.extend(self.set.iter().map(|given| renamed(core, module, given)));
        let file = self.file.iter().map(|given| renamed(core, module, given)).collect();
        let name = |name: &str| {
            let all = &module.interface.resources;
            let found = all.iter().find(|resource| resource.binding.to_string() == name);
            found.map(|resource| resource.name.clone())
        };
        let binds = binds.renamed(name);
        Ok(Self { file, set, binds, blocks, ..self.clone() })
    }

    /// The same for the first of two programs, without what only the other one knows.
    pub(super) fn for_one_of(&self, [this, other]: [&Loaded; 2]) -> Result<Self> {
        let is_for_this = |knows: &dyn Fn(&Loaded) -> bool| knows(this) || !knows(other);
        let mut all = self.clone();
        all.inputs.retain(|(location, _)| is_for_this(&|of| has_location(of, *location)));
        all.file.retain(|(name, _)| is_for_this(&|of| has_uniform(of, name)));
        all.set.retain(|(name, _)| is_for_this(&|of| has_uniform(of, name)));
        all.binds = all.binds.filter(|name| is_for_this(&|of| has_resource(of, name)));
        all.for_program(this)
    }

    /// The uniforms that are given no value.
    pub(super) fn unset<'u>(&self, uniforms: &'u [Uniform]) -> Vec<&'u str> {
        let is_bound = |index: usize| self.blocks.iter().any(|(of, _)| *of == index);
        let unset = uniforms.iter().enumerate().filter(|&(index, uniform)| {
            !is_bound(index) && self.values(&uniform.name).next().is_none()
        });
        unset.map(|(_, uniform)| uniform.name.as_str()).collect()
    }

    /// The same with files for textures and buffers.
    #[must_use]
    pub(super) fn with_binds(self, binds: Binds) -> Self {
        Self { binds, ..self }
    }

    /// Compiles what was read from `path` with the values of its constants, without saying anything.
    pub(super) fn compile(&self, path: &Path, bytes: Vec<u8>, most: usize) -> Result<Loaded> {
        let mut wrong = None;
        let mut fix = |types: &Types, constant: &Uniform| {
            self.constant(types, constant).unwrap_or_else(|failure| {
                wrong.get_or_insert(failure);
                None
            })
        };
        let loaded = compile_fixed(path, bytes, most, &mut fix, &self.raise);
        wrong.map_or(Ok(loaded), Err)
    }

    /// Whether one of these has a value here.
    pub(super) fn sets_any(&self, constants: &[Uniform]) -> bool {
        constants.iter().any(|constant| self.values(&constant.name).next().is_some())
    }

    /// Checks that nothing else than constants is given a value.
    pub(super) fn are_constants(&self, uniforms: &[Uniform], constants: &[Uniform]) -> Result {
        for (name, _) in self.file.iter().chain(&self.set) {
            let is = |uniform: &Uniform| uniform.name == *name;
            if uniforms.iter().any(is) {
                return Err(Failure::usage(format!(
                    "`{name}` is a uniform, which has its value when something is drawn; `compile` sets constants"
                )));
            }
            if !constants.iter().any(is) {
                let (name, help, others) = (name.clone(), String::new(), Vec::new());
                let error = UniformError::Unknown { name, help, others }.or_one_of(constants);
                return Err(Failure::usage(error.to_string()));
            }
        }
        Ok(())
    }

    /// The values that are given to the uniform of that name, in order.
    pub(super) fn values(&self, name: &str) -> impl Iterator<Item = &str> {
        let all = self.file.iter().chain(&self.set);
        all.filter(move |(of, _)| of == name).map(|(_, value)| value.as_str())
    }

    /// The words that are given to a constant, if any are. What comes later counts; a structure
    /// keeps the fields that it leaves out.
    pub(super) fn constant(&self, types: &Types, constant: &Uniform) -> Result<Option<Box<[u32]>>> {
        let (mut constant, mut is_given) = (constant.clone(), false);
        for (all, is_in_file) in [(&self.file, true), (&self.set, false)] {
            for (_, text) in all.iter().filter(|(name, _)| *name == constant.name) {
                let words = Settings::constant_words(types, &constant, text);
                constant.default = words.map_err(|error| self.failure(is_in_file, &error))?;
                is_given = true;
            }
        }
        Ok(is_given.then_some(constant.default))
    }

    /// What an error is in a value of the file, or of the command line.
    fn failure(&self, is_in_file: bool, error: &UniformError) -> Failure {
        match is_in_file {
            true => Failure::input(format!("`{}`: {error}", self.name)),
            false => Failure::usage(error.to_string()),
        }
    }

    /// Gives these uniforms, of a program with these constants, which have their values already,
    /// theirs, and the textures and buffers of these types their data.
    pub(super) fn apply(
        &self,
        settings: &mut Settings,
        types: &Types,
        uniforms: &[Uniform],
        constants: &[Uniform],
    ) -> Result {
        for (index, words) in &self.blocks {
            settings.inputs.uniforms[*index].clone_from(words);
        }
        for (all, is_in_file) in [(&self.file, true), (&self.set, false)] {
            for (name, value) in all {
                if constants.iter().any(|constant| constant.name == *name) {
                    continue;
                }
                let result = settings.set_text(types, uniforms, name, value);
                let fail =
                    |error: UniformError| self.failure(is_in_file, &error.or_one_of(constants));
                result.map_err(fail)?;
            }
        }
        self.binds.apply(settings, types)
    }
}

/// Whether a uniform or constant of the program is called so.
fn has_uniform(of: &Loaded, name: &str) -> bool {
    let named = |uniform: &Uniform| uniform.name == name;
    let core = of.core.as_ref();
    core.is_some_and(|core| core.uniforms.iter().chain(&core.constants).any(named))
        || of.module.as_ref().is_some_and(|module| module.interface.uniform(name).is_some())
}

/// Whether the program is a module with an input at that location.
fn has_location(of: &Loaded, location: u32) -> bool {
    let mut all = of.module.iter().flat_map(|module| &module.interface.locations);
    all.any(|input| input.location == location)
}

/// Whether a block of uniforms of the module is called so.
fn is_block(of: &LoadedModule, name: &str) -> bool {
    of.interface.members.iter().any(|member| member.binding.to_string() == name)
}

/// Whether a texture, a buffer or a block of the program is called so.
fn has_resource(of: &Loaded, name: &str) -> bool {
    let mut all = of.core.iter().flat_map(|core| core.graph.types().resources());
    let mut bound = of.module.iter().flat_map(|module| &module.interface.resources);
    all.any(|resource| *resource.name == *name)
        || bound.any(|resource| resource.binding.to_string() == name)
        || of.module.as_ref().is_some_and(|module| is_block(module, name))
}

/// A name and a value as the program of a module has them.
fn renamed(core: &Core, of: &LoadedModule, given: &(String, String)) -> (String, String) {
    let name = module::uniform_name(core, of, &given.0).unwrap_or_else(|| given.0.clone());
    let value = module::value(core, &name, &given.1).map_or(given.1.clone(), str::to_owned);
    (name, value)
}
