//! The values of uniforms and constants, and the data of textures and buffers, as the options say.

use super::binds::Binds;
use super::failure::{Failure, Result};
use super::files::{compile_fixed, read_bytes};
use super::messages::{Messages, note};
use super::module::{self, BlockData, LocationValue, ModuleArguments};
use super::setting::Setting;
use lambdav_core::graph::Uniform;
use lambdav_core::inputs::Input;
use lambdav_core::types::{Scalar, Types};
use lambdav_engine::program::{Loaded, LoadedModule};
use lambdav_engine::settings::{
    BindError, ModuleNames, Paths, Settings, Target, block_members, set_words, unset_parts,
};
use lambdav_spirv_frontend::{GivenInput, RaiseOptions};
use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

/// The values that are given, in order: those of files, then those of the command line. The last for a path counts.
#[derive(Clone)]
pub(super) struct Given {
    set: Vec<Setting>,
    /// The files for textures and buffers.
    binds: Binds,
    /// How a module is raised, and what its inputs of locations are.
    raise: RaiseOptions,
    inputs: Vec<LocationValue>,
    /// Names that a module has for its uniforms.
    names: ModuleNames,
    /// The words that the bytes of blocks give to uniforms of a module, by their numbers.
    blocks: Vec<(usize, Arc<[u32]>)>,
    /// Names that are given something and that the module declares without using them.
    unused: Vec<String>,
    /// Parts of uniforms that are inputs of λV, and their paths.
    reached: Vec<(GivenInput, String)>,
}

impl Given {
    /// Reads the file of uniforms, if there is one, and takes the options apart.
    pub(super) fn read(set: &[String], uniforms: Option<&PathBuf>) -> Result<Self> {
        let mut all = match uniforms {
            Some(path) => {
                let (name, bytes) = read_bytes(path)?;
                module::object(&name, &bytes, "NAME")?
            }
            None => Vec::new(),
        };
        for text in set {
            let Some((path, value)) = text.split_once('=') else {
                let what = format!("`{text}` sets nothing: write --set NAME=VALUE");
                return Err(Failure::usage(what));
            };
            let (path, value) = (path.to_owned(), value.to_owned());
            all.push(Setting { path, value, place: None });
        }
        Ok(Self {
            set: all,
            binds: Binds::default(),
            raise: RaiseOptions::default(),
            inputs: Vec::new(),
            names: ModuleNames::default(),
            blocks: Vec::new(),
            unused: Vec::new(),
            reached: Vec::new(),
        })
    }

    /// The same with what is said of modules.
    pub(super) fn with_module(self, arguments: &ModuleArguments) -> Result<Self> {
        let (raise, inputs) = arguments.read()?;
        Ok(Self { raise, inputs, ..self })
    }

    /// The same for a program that has been read: of a module, blocks as their members, and inputs by the names of their
    /// uniforms.
    pub(super) fn for_program(&self, loaded: &Loaded) -> Result<Self> {
        let (Some(core), Some(module)) = (&loaded.core, &loaded.module) else {
            return Ok(self.clone());
        };
        let names = ModuleNames::new(&module.interface);
        let paths = Paths::new(core.graph.types(), &core.uniforms).with_module(&names);
        let mut unused: Vec<String> = Vec::new();
        let mut set = Vec::new();
        for (location, value) in &self.inputs {
            match module::location_name(core, module, *location)? {
                Some(path) => set.push(Setting { path, value: value.clone(), place: None }),
                None => unused.push(format!("input {location}")),
            }
        }
        for location in self.raise.locations.keys() {
            let all = &module.interface.locations;
            if !all.iter().any(|input| input.location == *location)
                && module::location_name(core, module, *location)?.is_none()
            {
                unused.push(format!("input {location}"));
            }
        }
        let (bound, binds) = self.binds.clone().split(|name| is_block(module, name));
        let mut blocks = Vec::new();
        for (name, path) in &bound {
            match module::block(module, name, path)? {
                BlockData::Members(members) => set.extend(members),
                BlockData::Words(words) => blocks.extend(words),
            }
        }
        for setting in &self.set {
            let Ok(Target::Block(_)) = paths.find(&setting.path) else {
                set.push(setting.clone());
                continue;
            };
            let members = block_members(&setting.path, &setting.value);
            for member in members.map_err(|error| setting.failure(error))? {
                let place = setting.place.as_ref();
                let place = place.map(|(file, at)| (Rc::clone(file), at.then(member.at)));
                set.push(Setting { path: member.name, value: member.value.to_owned(), place });
            }
        }
        let name = |name: &str| {
            let all = &module.interface.resources;
            let found = all.iter().find(|resource| resource.binding.to_string() == name);
            found.map(|resource| resource.name.clone())
        };
        let is_known =
            |name: &str| core.graph.types().resources().iter().any(|of| *of.name == *name);
        let binds = binds.renamed(name);
        let (dropped, binds) = binds.split(|name| !is_known(name) && names.is_unused(name));
        unused.extend(dropped.into_iter().map(|(name, _)| name));
        if let Some(name) = binds.names().find(|name| !is_known(name)) {
            let error = BindError::unknown_beside(core.graph.types(), names.unused(), name);
            return Err(Failure::usage(error.to_string()));
        }
        let given = set.iter().map(|setting| &setting.path);
        unused.extend(given.filter(|path| paths.find(path) == Ok(Target::Unused)).cloned());
        Ok(Self { set, binds, names, blocks, unused, ..self.clone() })
    }

    /// The same for the first of two programs, without what only the other one knows.
    pub(super) fn for_one_of(&self, [this, other]: [&Loaded; 2]) -> Result<Self> {
        let is_for_this = |knows: [bool; 2]| knows[0] || !knows[1];
        let both = [this, other];
        let names = both.map(names_of);
        let paths = [paths_of(this, &names[0]), paths_of(other, &names[1])];
        let knows = |all: &[Paths<'_>], path: &str| all.iter().any(|all| all.knows(path));
        let mut all = self.clone();
        all.inputs.retain(|(location, _)| is_for_this(both.map(|of| has_location(of, *location))));
        all.set.retain(|of| is_for_this([0, 1].map(|k| knows(&paths[k], &of.path))));
        all.binds = all
            .binds
            .filter(|name| is_for_this([0, 1].map(|k| has_resource(both[k], &names[k], name))));
        all.for_program(this)
    }

    /// Notes on a program, which they call `name`, and what it is given: inputs that it declares without using them,
    /// and parts of uniforms that are inputs of λV.
    pub(super) fn remarks(&self, name: &str) -> impl Iterator<Item = String> {
        [self.unused(name), self.reached(name)].into_iter().flatten()
    }

    fn unused(&self, name: &str) -> Option<String> {
        let mut names: Vec<String> = Vec::new();
        for unused in &self.unused {
            if !names.contains(unused) {
                names.push(unused.clone());
            }
        }
        let changes = if names.len() == 1 { "its value changes" } else { "their values change" };
        let all = module::some_of(&names);
        (!names.is_empty()).then(|| format!("`{name}` does not use {all}: {changes} nothing"))
    }

    /// The same for a module that is executed as it is, whose uniforms have no other names.
    #[must_use]
    pub(super) fn for_words(&self) -> Self {
        Self { names: ModuleNames::none(), ..self.clone() }
    }

    /// The same where parts of a module's uniforms that are called as inputs of λV, and are not set, are these inputs; but for
    /// uniforms of which `keeps` holds. The module is raised again.
    pub(super) fn reaching(&self, loaded: &mut Loaded, keeps: &dyn Fn(&str) -> bool) -> Self {
        let (Some(core), Some(module)) = (&loaded.core, &loaded.module) else {
            return self.clone();
        };
        let names = ModuleNames::new(&module.interface);
        let paths = Paths::new(core.graph.types(), &core.uniforms).with_module(&names);
        let (bound, _) = self.binds.clone().split(|name| is_block(module, name));
        let given = self.values(&paths, core.uniforms.len());
        let mut raise = self.raise.clone();
        let mut found: Vec<(usize, usize, String)> = Vec::new();
        for member in &module.interface.members {
            let uniform = &core.uniforms[member.uniform];
            let binding = member.binding.to_string();
            if keeps(&uniform.name) || bound.iter().any(|(name, _)| *name == binding) {
                continue;
            }
            let all = inputs_in(core.graph.types(), &member.member, uniform);
            if all.is_empty() {
                continue;
            }
            let given = &given[member.uniform];
            // What is wrong with a value is told where it is set.
            let Ok(is_set) = set_words(&paths, uniform, member.uniform, given) else { continue };
            for (path, start, input) in all {
                let count = core.graph.types().components(input.ty());
                if !is_set[start..start + count].contains(&true) {
                    raise.inputs.insert((member.binding, member.offsets[start]), input);
                    found.push((member.uniform, start, path));
                }
            }
        }
        if found.is_empty() {
            return self.clone();
        }
        loaded.raise_again(&raise);
        let mut reached = Vec::new();
        for part in loaded.module.iter().flat_map(|module| &module.interface.given) {
            let is_it = |of: &&(usize, usize, String)| (of.0, of.1) == (part.uniform, part.start);
            reached.extend(found.iter().find(is_it).map(|(.., path)| (*part, path.clone())));
        }
        Self { raise, reached, ..self.clone() }
    }

    /// What is given to each of so many uniforms: paths and values, in order.
    fn values<'s>(&'s self, paths: &Paths<'_>, count: usize) -> Vec<Vec<(Cow<'s, str>, &'s str)>> {
        let mut all = vec![Vec::new(); count];
        let mut add = |path: Cow<'s, str>, value: &'s str| {
            if let Ok(Target::Place(place)) = paths.find(&path) {
                all[place.uniform].push((path, value));
            }
        };
        for Setting { path, value, .. } in &self.set {
            match paths.find(path) {
                Ok(Target::Block(_)) => {
                    for member in block_members(path, value).unwrap_or_default() {
                        add(member.name.into(), member.value);
                    }
                }
                _ => add(path.into(), value),
            }
        }
        all
    }

    /// Says what there is to say of what a module, which messages call `name`, is given, and that these parts of its uniforms
    /// are not.
    pub(super) fn note(&self, name: &str, unset: &[String], messages: Messages) {
        module::note_unset(name, unset, messages);
        for remark in self.remarks(name) {
            note(&remark, messages);
        }
    }

    fn reached(&self, name: &str) -> Option<String> {
        let option = |input| match input {
            Input::Resolution => "--size",
            Input::Time => "--time",
            Input::Frame => "--frame",
            _ => "--mouse",
        };
        let all =
            self.reached.iter().map(|(part, path)| format!("`{path}` by {}", option(part.input)));
        let all: Vec<String> = all.collect();
        let all = all.join(", ");
        (!all.is_empty())
            .then(|| format!("`{name}`: set by their names: {all}; --set gives others"))
    }

    /// The uniforms, and parts of uniforms that are set in part, that are given no value; at most so many.
    pub(super) fn unset(&self, types: &Types, uniforms: &[Uniform], most: usize) -> Vec<String> {
        let paths = Paths::new(types, uniforms).with_module(&self.names);
        let given = self.values(&paths, uniforms.len());
        let mut unset = Vec::new();
        for (index, uniform) in uniforms.iter().enumerate() {
            if unset.len() < most && !self.blocks.iter().any(|(of, _)| *of == index) {
                // What is wrong with a value is told where it is set.
                let Ok(mut is_set) = set_words(&paths, uniform, index, &given[index]) else {
                    continue;
                };
                for (part, _) in self.reached.iter().filter(|(part, _)| part.uniform == index) {
                    let count = types.components(part.input.ty());
                    is_set[part.start..part.start + count].fill(true);
                }
                unset.extend(unset_parts(&paths, uniform, &is_set, most - unset.len()));
            }
        }
        unset
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

    /// Whether one of these constants, or a part of one, has a value here.
    pub(super) fn sets_any(&self, types: &Types, constants: &[Uniform]) -> bool {
        let paths = Paths::new(types, constants);
        self.set.iter().any(|setting| paths.knows(&setting.path))
    }

    /// Checks that nothing else than constants is given a value.
    pub(super) fn are_constants(
        &self,
        types: &Types,
        uniforms: &[Uniform],
        constants: &[Uniform],
    ) -> Result {
        let [of_uniforms, of_constants] = [uniforms, constants].map(|all| Paths::new(types, all));
        for Setting { path, .. } in &self.set {
            if of_uniforms.knows(path) {
                return Err(Failure::usage(format!(
                    "`{path}` is a uniform, which has its value when something is drawn; `compile` sets constants"
                )));
            }
            of_constants.find(path).map_err(|error| Failure::usage(error.to_string()))?;
        }
        Ok(())
    }

    /// The words that are given to a constant, if any are. What comes later counts; a structure
    /// keeps the fields that it leaves out.
    pub(super) fn constant(&self, types: &Types, constant: &Uniform) -> Result<Option<Arc<[u32]>>> {
        let (mut constant, mut is_given) = (constant.clone(), false);
        for setting in &self.set {
            let Setting { path, value, .. } = setting;
            // Another uniform or constant may have a longer name that begins so.
            if Paths::new(types, std::slice::from_ref(&constant)).find(path).is_err() {
                continue;
            }
            let words = Settings::constant_words(types, &constant, path, value);
            constant.default = words.map_err(|error| setting.failure(error))?;
            is_given = true;
        }
        Ok(is_given.then_some(constant.default))
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
        // The name of a uniform may begin as a constant's path does, so both are asked for at once.
        let paths = Paths::new(types, uniforms).with_constants(constants).with_module(&self.names);
        for setting in &self.set {
            let target = paths.find(&setting.path).map_err(|error| setting.failure(error))?;
            if let Target::Place(place) = target
                && place.uniform >= uniforms.len()
            {
                continue;
            }
            let set = settings.set_text_at(&paths, &setting.path, &setting.value);
            set.map_err(|error| setting.failure(error))?;
        }
        let reached: Vec<GivenInput> = self.reached.iter().map(|(part, _)| *part).collect();
        settings.give(&reached);
        self.binds.apply(settings, types)
    }
}

/// The parts of a uniform, the last part of whose name is `name`, that are called as inputs of λV and are as these: paths, first words and
/// inputs.
fn inputs_in(types: &Types, name: &str, uniform: &Uniform) -> Vec<(String, usize, Input)> {
    let mut found = Vec::new();
    let mut open = vec![(name, uniform.name.clone(), uniform.ty, 0)];
    while let Some((name, path, ty, start)) = open.pop() {
        if let Some(structure) = types.structure(ty) {
            for (index, field) in structure.fields.iter().enumerate().rev() {
                let (part, offset) = types.part(ty, index).expect("it is a field");
                open.push((&field.name, format!("{path}.{}", field.name), part, start + offset));
            }
            continue;
        }
        let input = match name {
            "time" => Input::Time,
            "frame" => Input::Frame,
            "resolution" | "size" => Input::Resolution,
            "mouse" => Input::Mouse,
            _ => continue,
        };
        let is_whole = matches!(input, Input::Frame | Input::Resolution);
        let fits = match ty.scalar() {
            Some(Scalar::F32) => true,
            Some(Scalar::I32 | Scalar::U32) => is_whole,
            _ => false,
        };
        if fits && ty.width() == input.ty().width() {
            found.push((path, start, input));
        }
    }
    found
}

/// The names that a program has for its uniforms if it is a module.
fn names_of(of: &Loaded) -> ModuleNames {
    of.module.as_ref().map(|module| ModuleNames::new(&module.interface)).unwrap_or_default()
}

/// The uniforms of a program with these names, and its constants.
fn paths_of<'a>(of: &'a Loaded, names: &'a ModuleNames) -> Vec<Paths<'a>> {
    let Some(core) = &of.core else { return Vec::new() };
    let types = core.graph.types();
    vec![Paths::new(types, &core.uniforms).with_module(names), Paths::new(types, &core.constants)]
}

/// Whether the program is a module with an input at that location.
fn has_location(of: &Loaded, location: u32) -> bool {
    let mut all = of.module.iter().flat_map(|module| &module.interface.locations);
    let mut unused = of.module.iter().flat_map(|module| &module.interface.unused);
    all.any(|input| input.location == location)
        || unused.any(|input| input.location == Some(location))
}

/// Whether a block of uniforms of the module is called so.
fn is_block(of: &LoadedModule, name: &str) -> bool {
    of.interface.members.iter().any(|member| member.binding.to_string() == name)
}

/// Whether a texture, a buffer or a block of a program with these names is called so.
fn has_resource(of: &Loaded, names: &ModuleNames, name: &str) -> bool {
    let mut all = of.core.iter().flat_map(|core| core.graph.types().resources());
    let mut bound = of.module.iter().flat_map(|module| &module.interface.resources);
    all.any(|resource| *resource.name == *name)
        || bound.any(|resource| resource.binding.to_string() == name)
        || names.is_unused(name)
        || of.module.as_ref().is_some_and(|module| is_block(module, name))
}
