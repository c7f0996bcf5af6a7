//! Uniforms and their parts by path: `gain`, `light.power`, `kernel[1]`, `lights[0].at.x`.
//!
//! All settings are resolved here, from the command line, a file, a test directive or a library call.

use super::error::UniformError;
use super::names::{all_of, instead_of, with_article};
use lambdav_core::graph::Uniform;
use lambdav_core::interface::Interface;
use lambdav_core::types::{Type, TypeKind, Types};
use std::collections::HashMap;

/// Names of components, in place of `[0]` to `[3]`.
const COMPONENTS: [&str; 3] = ["xyzw", "rgba", "stpq"];

/// A uniform, or a part of one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of the uniform.
    pub uniform: usize,
    /// Type of the part.
    pub ty: Type,
    /// Index of the part's first word in the uniform.
    pub start: usize,
}

/// Target of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// A uniform, or a part of one.
    Place(Place),
    /// A block of a module: names of its members, and the indices of their uniforms.
    Block(&'a [(String, usize)]),
    /// An input that the module declares but does not use, or a part of one: any value is accepted.
    Unused,
}

/// A module's names for uniforms and blocks, besides the uniforms' own.
#[derive(Clone, Debug, Default)]
pub struct ModuleNames {
    aliases: Vec<(String, usize)>,
    blocks: Vec<(String, Vec<(String, usize)>)>,
    /// Names of declared but unused resources, and the names of their members for blocks.
    unused: Vec<(String, Vec<String>)>,
    /// True if `true` and `false` stand for the integers 1 and 0: blocks hold no bools.
    takes_truths: bool,
}

impl ModuleNames {
    /// Names of a module with this interface: `SET.BINDING.member`, `push.member`, `block.member` and
    /// `input.LOCATION`; whole blocks by `SET.BINDING`, `push` and `block`.
    pub fn new(interface: &Interface) -> Self {
        Self { takes_truths: true, ..Self::of(interface, true) }
    }

    /// Names of a program whose author chose no bindings: `SET.BINDING.member` and `SET.BINDING`.
    pub fn by_bindings(interface: &Interface) -> Self {
        Self::of(interface, false)
    }

    fn of(interface: &Interface, has_blocks: bool) -> Self {
        let mut names = Self::default();
        for (block, uniform, member) in interface.uniforms() {
            let binding = block.binding.to_string();
            let own = Some(&block.name).filter(|name| has_blocks && !name.is_empty());
            for block in [Some(&binding), own].into_iter().flatten() {
                names.aliases.push((format!("{block}.{}", member.name), uniform));
                let one = (member.name.clone(), uniform);
                match names.blocks.iter_mut().find(|(name, _)| name == block) {
                    Some((_, members)) => members.push(one),
                    None => names.blocks.push((block.clone(), vec![one])),
                }
            }
        }
        for input in &interface.locations {
            if let Err(uniform) = input.source {
                names.aliases.push((format!("input.{}", input.location), uniform));
            }
        }
        for input in &interface.unused {
            for name in &input.names {
                let of_block = input.members.iter().map(|of| (format!("{name}.{of}"), Vec::new()));
                names.unused.extend(of_block);
                names.unused.push((name.clone(), input.members.clone()));
            }
            let location = input.location.map(|location| format!("input.{location}"));
            let others = input.members.iter().cloned().chain(location);
            names.unused.extend(others.map(|name| (name, Vec::new())));
        }
        names
    }

    /// True if a texture, buffer or block of that name is declared but not used.
    pub fn is_unused(&self, name: &str) -> bool {
        self.unused.iter().any(|(unused, _)| unused == name)
    }

    /// Names that are declared but not used.
    pub fn unused(&self) -> impl Iterator<Item = &str> + Clone {
        let all = self.unused.iter().map(|(name, _)| name.as_str());
        all.filter(|name| !name.contains('.'))
    }

    /// No names, for a module whose uniforms have only their own.
    pub fn none() -> Self {
        Self { takes_truths: true, ..Self::default() }
    }
}

/// The uniforms of a program under all their names.
#[derive(Debug)]
pub struct Paths<'a> {
    pub(super) types: &'a Types,
    uniforms: &'a [Uniform],
    constants: &'a [Uniform],
    module: Option<&'a ModuleNames>,
    index: HashMap<&'a str, Known<'a>>,
    longest: usize,
    pub(super) takes_truths: bool,
}

#[derive(Clone, Copy, Debug)]
enum Known<'a> {
    Uniform(usize),
    Block(&'a [(String, usize)]),
    Unused(&'a [String]),
}

impl<'a> Paths<'a> {
    /// The uniforms of a program in λV.
    pub fn new(types: &'a Types, uniforms: &'a [Uniform]) -> Self {
        let all = uniforms.iter().enumerate();
        let index: HashMap<_, _> =
            all.map(|(k, uniform)| (uniform.name.as_str(), Known::Uniform(k))).collect();
        let (constants, takes_truths) = (&[][..], false);
        Self { types, uniforms, constants, module: None, index, longest: 0, takes_truths }
            .with_longest()
    }

    /// Adds constants, whose indices follow those of the uniforms.
    #[must_use]
    pub fn with_constants(mut self, constants: &'a [Uniform]) -> Self {
        for (index, constant) in (self.uniforms.len()..).zip(constants) {
            self.index.entry(&constant.name).or_insert(Known::Uniform(index));
        }
        self.constants = constants;
        self.with_longest()
    }

    fn with_longest(mut self) -> Self {
        self.longest = self.index.keys().map(|name| name.len()).max().unwrap_or(0);
        self
    }

    /// Adds the names of a module. A uniform's own name takes precedence, then that of a member, then
    /// that of a block.
    #[must_use]
    pub fn with_module(mut self, names: &'a ModuleNames) -> Self {
        for (name, uniform) in &names.aliases {
            self.index.entry(name).or_insert(Known::Uniform(*uniform));
        }
        for (name, members) in &names.blocks {
            self.index.entry(name).or_insert(Known::Block(members));
        }
        for (name, members) in &names.unused {
            self.index.entry(name).or_insert(Known::Unused(members));
        }
        (self.module, self.takes_truths) = (Some(names), names.takes_truths);
        self.with_longest()
    }

    /// True if a path begins with a known name.
    pub fn knows(&self, path: &str) -> bool {
        self.head(path).is_some()
    }

    /// Resolves a path.
    ///
    /// # Errors
    ///
    /// [`UniformError::Unknown`] if the path begins with no known name; [`UniformError::Path`], which
    /// names the first wrong part and lists the existing ones.
    pub fn find(&self, path: &str) -> Result<Target<'a>, UniformError> {
        let Some((known, end)) = self.head(path) else {
            return Err(self.unknown(path));
        };
        let fail = |reason| UniformError::Path { path: path.to_owned(), reason, at: None };
        match known {
            Known::Uniform(uniform) => {
                let ty = match self.uniforms.get(uniform) {
                    Some(of) => of.ty,
                    None => self.constants[uniform - self.uniforms.len()].ty,
                };
                let part = part(self.types, ty, path, end).map_err(fail)?;
                Ok(Target::Place(Place { uniform, ty: part.0, start: part.1 }))
            }
            Known::Block(members) if end == path.len() => Ok(Target::Block(members)),
            Known::Unused(members) if end == path.len() || members.is_empty() => Ok(Target::Unused),
            Known::Block(members) => {
                let all = members.iter().map(|(name, _)| name.as_str());
                Err(fail(not_in_block(path, end, all)))
            }
            Known::Unused(members) => {
                Err(fail(not_in_block(path, end, members.iter().map(String::as_str))))
            }
        }
    }

    /// Error of a path that begins with no known name.
    fn unknown(&self, path: &str) -> UniformError {
        let mut end = first_end(path);
        // Set and binding of a block.
        if let Some(rest) = path[end..].strip_prefix('.')
            && path[..end].bytes().all(|byte| byte.is_ascii_digit())
        {
            end += 1 + first_end(rest);
        }
        let name = if end == 0 { path } else { &path[..end] };
        let all = self.uniforms.iter().chain(self.constants).map(|of| &of.name);
        let module = self.module.iter();
        let blocks = module.clone().flat_map(|of| &of.blocks).map(|(name, _)| name.as_str());
        let blocks = blocks.filter(|name| !name.starts_with(|c: char| c.is_ascii_digit()));
        let others = all.map(String::as_str).chain(blocks).chain(module.flat_map(|of| of.unused()));
        UniformError::unknown(name.to_owned(), others.map(str::to_owned).collect())
    }

    /// The longest known name at the beginning of the path, and its end.
    fn head(&self, path: &str) -> Option<(Known<'a>, usize)> {
        let is_end = |&end: &usize| {
            path.is_char_boundary(end) && (end == path.len() || path[end..].starts_with(['.', '[']))
        };
        let mut ends = (0..=self.longest.min(path.len())).rev().filter(is_end);
        ends.find_map(|end| Some((*self.index.get(&path[..end])?, end)))
    }
}

/// Error of a path in a block with these members; the block's name ends at `end`.
fn not_in_block<'m>(
    path: &str,
    end: usize,
    members: impl Iterator<Item = &'m str> + Clone,
) -> String {
    let (block, rest) = path.split_at(end);
    match rest.strip_prefix('.') {
        Some(rest) => {
            let name = &rest[..first_end(rest)];
            let help = instead_of(name, members);
            format!("the block `{block}` has no member `{name}`; {help}")
        }
        None => format!("the block `{block}` is no array; {}", all_of(members)),
    }
}

/// Length of the name at the beginning of a path.
fn first_end(path: &str) -> usize {
    path.find(['.', '[']).unwrap_or(path.len())
}

/// Type and first word of the part that `path[from..]` selects in a value of type `ty`; or an error
/// message.
fn part(types: &Types, ty: Type, path: &str, from: usize) -> Result<(Type, usize), String> {
    let (mut ty, mut start, mut at) = (ty, 0, from);
    while at < path.len() {
        let (whole, rest) = path.split_at(at);
        let (index, length) = match rest.strip_prefix('.') {
            Some(rest) => {
                let (index, length) = named(types, ty, whole, rest)?;
                (index, length + 1)
            }
            None => indexed(types, ty, whole, rest)?,
        };
        let (part, offset) = types.part(ty, index).expect("it has that part");
        (ty, start, at) = (part, start + offset, at + length);
    }
    Ok((ty, start))
}

/// Description of a value's type for messages.
fn described(types: &Types, whole: &str, ty: Type) -> String {
    match types.kind(ty) {
        TypeKind::Array(..) => {
            format!("`{whole}` is an array of {} elements", types.parts(ty).len())
        }
        _ => format!("`{whole}` is {}", with_article(&types.name(ty).to_string())),
    }
}

/// The part that the name at the beginning of `rest` selects, and the length of the name.
fn named(types: &Types, ty: Type, whole: &str, rest: &str) -> Result<(usize, usize), String> {
    let name = &rest[..first_end(rest)];
    if let Some(structure) = types.structure(ty) {
        let is_field = |field: &str| {
            let rest = rest.strip_prefix(field);
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let all = structure.fields.iter().enumerate();
        let fitting = all.filter(|(_, field)| is_field(&field.name));
        return match fitting.max_by_key(|(_, field)| field.name.len()) {
            Some((index, field)) => Ok((index, field.name.len())),
            None => {
                let all = structure.fields.iter().map(|field| &*field.name);
                let help = instead_of(name, all);
                Err(format!("`{whole}`, a {}, has no field `{name}`; {help}", structure.name))
            }
        };
    }
    let count = types.parts(ty).len();
    let said = described(types, whole, ty);
    match types.kind(ty) {
        TypeKind::Vector(..) => {
            let index = COMPONENTS.iter().find_map(|names| names.find(name));
            match index.filter(|index| name.len() == 1 && *index < count) {
                Some(index) => Ok((index, 1)),
                None => {
                    let all = COMPONENTS[0][..count].chars().map(String::from);
                    let all = all.collect::<Vec<_>>().join(", ");
                    Err(format!("{said}, which has no component `{name}`; it has {all}"))
                }
            }
        }
        TypeKind::Scalar(..) => Err(format!("{said}, which has no part `.{name}`")),
        _ => Err(format!("{said}, which has no field `{name}`; {}", indices(whole, count))),
    }
}

/// The part that the index at the beginning of `rest` selects, and the length of the index.
fn indexed(types: &Types, ty: Type, whole: &str, rest: &str) -> Result<(usize, usize), String> {
    let count = types.parts(ty).len();
    let said = described(types, whole, ty);
    let Some(text) = rest.strip_prefix('[') else {
        let wrong = &rest[..first_end(rest)];
        return Err(format!("`{wrong}` cannot follow `{whole}`; a part begins with `.` or `[`"));
    };
    let is_indexed =
        matches!(types.kind(ty), TypeKind::Vector(..) | TypeKind::Matrix(..) | TypeKind::Array(..));
    if !is_indexed {
        let has = match types.structure(ty) {
            Some(structure) => all_of(structure.fields.iter().map(|field| &*field.name)),
            None => "it has no parts".to_owned(),
        };
        return Err(format!("{said}, and no array; {has}"));
    }
    let Some((digits, _)) = text.split_once(']') else {
        return Err(format!("`{rest}` has no `]`; {}", indices(whole, count)));
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err(format!("`[{digits}]` is no index; {}", indices(whole, count)));
    }
    match digits.parse().ok().filter(|index| *index < count) {
        Some(index) => Ok((index, digits.len() + 2)),
        None => Err(format!("{said}, without `[{digits}]`; {}", indices(whole, count))),
    }
}

/// The valid indices, for messages.
fn indices(whole: &str, count: usize) -> String {
    match count {
        1 => format!("it has `{whole}[0]` only"),
        _ => format!("it has `{whole}[0]` to `{whole}[{}]`", count - 1),
    }
}

/// Largest parts of the value `name` without a set word, at most `most`.
pub(super) fn unset_parts(
    types: &Types,
    ty: Type,
    name: &str,
    is_set: &[bool],
    most: usize,
) -> Vec<String> {
    let mut found = Vec::new();
    if !is_set.contains(&true) {
        return vec![name.to_owned()];
    }
    // Partly set values, each with the index of its next part.
    let mut open = vec![(name.to_owned(), ty, 0, 0)];
    while let Some((name, ty, start, next)) = open.last_mut().filter(|_| found.len() < most) {
        let Some((part, offset)) = types.part(*ty, *next) else {
            open.pop();
            continue;
        };
        let (index, start) = (*next, *start + offset);
        *next += 1;
        let words = &is_set[start..start + types.components(part)];
        if !words.contains(&false) {
            continue;
        }
        let name = match types.structure(*ty) {
            Some(structure) => format!("{name}.{}", structure.fields[index].name),
            None => format!("{name}[{index}]"),
        };
        match words.contains(&true) {
            true => open.push((name, part, start, 0)),
            false => found.push(name),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use lambdav_core::inputs::Inputs;
    use lambdav_core::interface::{Binding, Block, BlockMember, MemberValue, Placement};
    use lambdav_core::types::{Field, Structure};

    fn program() -> (Types, Vec<Uniform>) {
        let mut types = Types::default();
        let field = |name: &str, ty| Field { name: name.into(), ty, is_generic: false };
        let structure = |types: &mut Types, name: &str, fields: &[(&str, Type)]| {
            let fields = fields.iter().map(|&(name, ty)| field(name, ty)).collect();
            types.add_structure(Structure { name: name.into(), fields }).expect("is small")
        };
        let parts = [("power", Type::NUM), ("at", Type::vec(3)), ("on", Type::BOOL)];
        let light = structure(&mut types, "Light", &parts);
        let lights = types.add_array(light, 2).expect("is small");
        let odd = structure(
            &mut types,
            "Odd",
            &[("a", Type::NUM), ("a.b", Type::INT), ("c[0]", Type::UINT)],
        );
        let kernel = types.add_array(Type::NUM, 3).expect("is small");
        let all = [
            ("gain", Type::NUM),
            ("lights", lights),
            ("m", Type::mat(2)),
            ("kernel", kernel),
            ("lights[1]", Type::INT),
            ("odd", odd),
            ("odd.z", Type::NUM),
            ("", Type::NUM),
        ];
        let uniform = |(name, ty): (&str, Type)| {
            let default = vec![0; types.components(ty)].into();
            Uniform { name: name.to_owned(), ty, default }
        };
        let uniforms = all.map(uniform).to_vec();
        (types, uniforms)
    }

    fn refused(paths: &Paths<'_>, path: &str) -> String {
        paths.find(path).expect_err(path).to_string()
    }

    #[test]
    fn paths_lead_to_parts() {
        let (types, uniforms) = program();
        let paths = Paths::new(&types, &uniforms);
        for (path, uniform, start, ty) in [
            ("gain", 0, 0, Type::NUM),
            ("lights[0].power", 1, 0, Type::NUM),
            ("lights[0].at", 1, 1, Type::vec(3)),
            ("lights[0].at.z", 1, 3, Type::NUM),
            ("lights[0].at.b", 1, 3, Type::NUM),
            ("lights[0].at[1]", 1, 2, Type::NUM),
            ("lights[00].on", 1, 4, Type::BOOL),
            ("m[1]", 2, 2, Type::vec(2)),
            ("m[1].x", 2, 2, Type::NUM),
            ("m[1][1]", 2, 3, Type::NUM),
            ("kernel[2]", 3, 2, Type::NUM),
            // The longest name takes precedence.
            ("lights[1]", 4, 0, Type::INT),
            ("odd.a", 5, 0, Type::NUM),
            ("odd.a.b", 5, 1, Type::INT),
            ("odd.c[0]", 5, 2, Type::UINT),
            ("odd.z", 6, 0, Type::NUM),
            ("", 7, 0, Type::NUM),
        ] {
            let found = paths.find(path).unwrap_or_else(|error| panic!("{path}: {error}"));
            assert_eq!(found, Target::Place(Place { uniform, ty, start }), "{path}");
        }
    }

    #[test]
    fn the_first_wrong_part_is_told() {
        let (types, uniforms) = program();
        let paths = Paths::new(&types, &uniforms);
        for (path, message) in [
            ("gian.x.y", "the program has no uniform `gian`; did you mean `gain`?"),
            (
                "lights[2].power",
                "`lights[2].power`: `lights` is an array of 2 elements, without `[2]`; it has `lights[0]` to `lights[1]`",
            ),
            (
                "lights[99999999999999999999]",
                "`lights` is an array of 2 elements, without `[99999999999999999999]`; it has",
            ),
            ("lights[-1]", "`[-1]` is no index; it has `lights[0]` to `lights[1]`"),
            ("lights[]", "`[]` is no index; it has"),
            ("lights[0", "`[0` has no `]`; it has"),
            (
                "lights.power",
                "`lights` is an array of 2 elements, which has no field `power`; it has",
            ),
            (
                "lights[0].powr",
                "`lights[0]`, a Light, has no field `powr`; did you mean `power`? it has power, at, on",
            ),
            ("lights[0][1]", "`lights[0]` is a Light, and no array; it has power, at, on"),
            (
                "lights[0].at.w",
                "`lights[0].at` is a vec3, which has no component `w`; it has x, y, z",
            ),
            ("lights[0].at.xy", "which has no component `xy`; it has x, y, z"),
            ("lights[0].at[3]", "`lights[0].at` is a vec3, without `[3]`; it has"),
            ("lights[0].", "has no field ``; it has power, at, on"),
            ("lights[0]power", "`power` cannot follow `lights[0]`; a part begins with `.` or `[`"),
            ("gain.x", "`gain` is a num, which has no part `.x`"),
            ("gain[0]", "`gain` is a num, and no array; it has no parts"),
            ("m.x", "`m` is a mat2, which has no field `x`; it has `m[0]` to `m[1]`"),
            ("m[0][2]", "`m[0]` is a vec2, without `[2]`; it has `m[0][0]` to `m[0][1]`"),
        ] {
            let found = refused(&paths, path);
            assert!(found.contains(message), "{path}: {found}");
        }
    }

    #[test]
    fn blocks_of_modules_have_names() {
        let (types, uniforms) = program();
        let member = |(uniform, member): &(usize, &str)| BlockMember {
            value: MemberValue::Uniform(*uniform),
            name: (*member).to_owned(),
            placement: Placement::Std140(0),
        };
        let block = |name: &str, binding, members: &[(usize, &str)]| Block {
            binding: Binding::Descriptor { set: 0, binding },
            name: name.to_owned(),
            members: members.iter().map(member).collect(),
        };
        let mut interface = Interface::default();
        interface.blocks = vec![
            block("params", 1, &[(0, "gain"), (1, "lights")]),
            block("", 2, &[(3, "kernel")]),
            // The uniform's own name takes precedence.
            block("odd", 3, &[(2, "m")]),
        ];
        let names = ModuleNames::new(&interface);
        let paths = Paths::new(&types, &uniforms).with_module(&names);
        for (path, uniform, start) in [
            ("gain", 0, 0),
            ("params.gain", 0, 0),
            ("0.1.gain", 0, 0),
            ("params.lights[0].at.y", 1, 2),
            ("0.2.kernel[1]", 3, 1),
            ("odd.m[1].y", 2, 3),
        ] {
            let found = paths.find(path).unwrap_or_else(|error| panic!("{path}: {error}"));
            let place = match found {
                Target::Place(place) => (place.uniform, place.start),
                found => panic!("{path} is {found:?}"),
            };
            assert_eq!(place, (uniform, start), "{path}");
        }
        assert!(matches!(paths.find("params"), Ok(Target::Block([_, _]))));
        for (path, message) in [
            (
                "params.gian",
                "`params.gian`: the block `params` has no member `gian`; did you mean `gain`? it has gain, lights",
            ),
            ("0.1.x[0]", "the block `0.1` has no member `x`; it has gain, lights"),
            ("params[0]", "the block `params` is no array; it has gain, lights"),
            ("0.7.gain", "the program has no uniform `0.7`; it has gain,"),
            ("parms.gain", "no uniform `parms`; did you mean `params`?"),
        ] {
            let found = refused(&paths, path);
            assert!(found.contains(message), "{path}: {found}");
        }
        let mut settings = Settings { inputs: Inputs::default(), max_iterations: 0 };
        settings.inputs.uniforms = uniforms.iter().map(|uniform| uniform.default.clone()).collect();
        let text = r#"{"gain": 2, "lights[0].on": true}"#;
        settings.set_text_at(&paths, "params", text).expect("it is an object");
        assert_eq!(*settings.inputs.uniforms[0], [2_f32.to_bits()]);
        assert_eq!(settings.inputs.uniforms[1][4], 1);
        let error = settings.set_text_at(&paths, "params", "1").expect_err("it is none");
        assert!(matches!(error, UniformError::Value { .. }), "{error}");
    }

    #[test]
    fn parts_that_are_not_set_are_told() {
        let (types, uniforms) = program();
        let paths = Paths::new(&types, &uniforms);
        let unset = |index: usize, given: &[(&str, &str)], most| {
            let words = crate::settings::set_words(&paths, &uniforms[index], index, given);
            let words = words.expect("the settings are right");
            crate::settings::unset_parts(&paths, &uniforms[index], &words, most)
        };
        assert_eq!(unset(1, &[], 9), ["lights"]);
        let given = [("lights[0].at.x", "0"), ("lights[0].power", "1")];
        let parts = ["lights[0].at[1]", "lights[0].at[2]", "lights[0].on", "lights[1]"];
        assert_eq!(unset(1, &given, 9), parts);
        assert_eq!(unset(1, &given, 2), parts[..2]);
        assert_eq!(unset(3, &[("kernel", "[1, 2, 3]")], 9), [""; 0]);
    }
}
