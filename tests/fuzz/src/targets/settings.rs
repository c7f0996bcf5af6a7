//! Settings by path, compared with a list of all paths.

use super::json::Program;
use super::{FuzzTarget, Reached};
use lambdav_core::interface::{Binding, Block, BlockMember, Interface, MemberValue, Placement};
use lambdav_core::types::{Type, TypeKind, Types};
use lambdav_engine::settings::{ModuleNames, Paths, Target};
use lambdav_generate::Random;
use std::collections::HashMap;

pub(super) struct SettingPaths {
    program: Program,
    names: ModuleNames,
    /// Uniform, first word and type for each path.
    known: HashMap<String, (usize, usize, Type)>,
    all: Vec<String>,
}

/// Names of uniforms. Some are prefixes of others, or look like paths.
const NAMES: [(&str, &str); 9] = [
    ("gain", "num"),
    ("light", "light"),
    ("lights", "lights"),
    ("lights[1]", "int"),
    ("light.a", "uint"),
    ("m", "mat2"),
    ("tint", "vec3"),
    ("kernel", "kernel"),
    ("λ", "bool"),
];

impl SettingPaths {
    pub(super) fn new() -> Self {
        let program = Program::new(&NAMES);
        let member = |&uniform: &usize| BlockMember {
            value: MemberValue::Uniform(uniform),
            name: NAMES[uniform].0.to_owned(),
            placement: Placement::Std140(0),
        };
        let block = |name: &str, binding, members: &[usize]| Block {
            binding: Binding::Descriptor { set: 0, binding },
            name: name.to_owned(),
            members: members.iter().map(member).collect(),
        };
        let mut interface = Interface::default();
        interface.blocks = vec![block("params", 1, &[0, 1]), block("", 2, &[7])];
        let names = ModuleNames::new(&interface);
        let mut heads: Vec<(String, usize)> = NAMES
            .iter()
            .enumerate()
            .map(|(index, (name, _))| ((*name).to_owned(), index))
            .collect();
        for (block, uniforms) in [("params", &[0, 1][..]), ("0.1", &[0, 1]), ("0.2", &[7])] {
            heads.extend(uniforms.iter().map(|&k| (format!("{block}.{}", NAMES[k].0), k)));
        }
        let mut known = HashMap::new();
        for (head, index) in &heads {
            let mut paths = Vec::new();
            let ty = program.uniforms[*index].ty;
            list(&program.types, ty, head.clone(), 0, &mut paths);
            for (path, start, ty) in paths {
                // The longest matching name wins.
                let is_longer = |(other, _): &(String, usize)| {
                    other.len() > head.len()
                        && path
                            .strip_prefix(other.as_str())
                            .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
                };
                if !heads.iter().any(is_longer) {
                    known.insert(path, (*index, start, ty));
                }
            }
        }
        let mut all: Vec<String> = known.keys().cloned().collect();
        all.sort();
        Self { program, names, known, all }
    }
}

/// Lists all paths to parts of a value.
fn list(types: &Types, ty: Type, path: String, start: usize, out: &mut Vec<(String, usize, Type)>) {
    for (index, part) in types.parts(ty).enumerate() {
        let (_, offset) = types.part(ty, index).expect("it is below the count");
        let names = match types.kind(ty) {
            TypeKind::Structure(_) => {
                let structure = types.structure(ty).expect("it is one");
                vec![format!("{path}.{}", structure.fields[index].name)]
            }
            TypeKind::Vector(..) => {
                let letters = ["xyzw", "rgba", "stpq"].map(|names| names.chars().nth(index));
                let letters = letters.into_iter().flatten().map(|name| format!("{path}.{name}"));
                letters.chain([format!("{path}[{index}]")]).collect()
            }
            _ => vec![format!("{path}[{index}]")],
        };
        for name in names {
            list(types, part, name, start + offset, out);
        }
    }
    out.push((path, start, ty));
}

impl FuzzTarget for SettingPaths {
    fn name(&self) -> &'static str {
        "settings"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        let path = random.pick(&self.all).clone();
        let value = random.pick(&["1", "true", "0.5,2", "1,2,3", "[1, 2, 3]", "{}", "-1", ""]);
        let text = format!("{path}={value}");
        match random.percent(60) {
            true => self.mutate(text.as_bytes(), random),
            false => text.into_bytes(),
        }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        const PARTS: [&str; 18] = [
            ".",
            "[",
            "]",
            "[0]",
            "[1]",
            "[2]",
            "[00]",
            "[-1]",
            "[18446744073709551616]",
            ".x",
            ".w",
            ".at",
            ".power",
            "params",
            "0.1",
            "λ",
            "..",
            "[[",
        ];
        let text = String::from_utf8_lossy(input).into_owned();
        let (path, value) = text.split_once('=').unwrap_or((&text, "1"));
        let mut path = path.to_owned();
        for _ in 0..1 + random.below(2) {
            let mut ends: Vec<usize> = path.char_indices().map(|(at, _)| at).collect();
            ends.push(path.len());
            let at = *random.pick(&ends);
            let part: &&str = random.pick(&PARTS);
            match random.below(4) {
                0 => path.truncate(at),
                1 if at < path.len() => drop(path.remove(at)),
                2 => path.push_str(part),
                _ => path.insert_str(at, part),
            }
        }
        format!("{path}={value}").into_bytes()
    }

    fn run(&self, input: &[u8], _: u64) -> Result<Reached, String> {
        let text = String::from_utf8_lossy(input);
        let (path, value) = text.split_once('=').unwrap_or((&text, "1"));
        let Program { types, uniforms } = &self.program;
        let paths = Paths::new(types, uniforms).with_module(&self.names);
        let plain = self.known.get(&without_zeros(path));
        let place = match paths.find(path) {
            Ok(Target::Place(place)) => {
                let found = (place.uniform, place.start, place.ty);
                if plain != Some(&found) {
                    return Err(format!("`{path}` is {found:?}, not {plain:?}"));
                }
                place
            }
            Ok(_) if ["params", "0.1", "0.2"].contains(&path) => return Ok(Reached::default()),
            Ok(other) => return Err(format!("`{path}` is {other:?}")),
            Err(why) if plain.is_some() => return Err(format!("`{path}` is refused: {why}")),
            Err(why) => {
                let why = why.to_string();
                let is_told = why.contains("it has")
                    || why.contains("did you mean")
                    || why.contains("has no part")
                    || why.contains("cannot follow");
                return if is_told { Ok(Reached::default()) } else { Err(why) };
            }
        };
        let mut settings = self.program.settings();
        let accepted = settings.set_text_at(&paths, path, value).is_ok();
        let count = types.components(place.ty);
        for (index, (words, uniform)) in settings.inputs.uniforms.iter().zip(uniforms).enumerate() {
            let is_set = |word: usize| {
                accepted
                    && index == place.uniform
                    && (place.start..place.start + count).contains(&word)
            };
            let mut words = words.iter().zip(uniform.default.iter()).enumerate();
            if words.any(|(word, (new, old))| new != old && !is_set(word)) {
                return Err(format!("`{path}` changes another word of `{}`", uniform.name));
            }
        }
        Ok(Reached { parsed: true, accepted, computed: accepted })
    }
}

/// The path with leading zeros of indices removed.
fn without_zeros(path: &str) -> String {
    let mut parts = path.split('[');
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (digits, rest) = part.split_once(']').unwrap_or((part, ""));
        let closes = part.contains(']');
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let digits = match is_number && closes {
            true => match digits.trim_start_matches('0') {
                "" => "0",
                digits => digits,
            },
            false => digits,
        };
        plain += &format!("[{digits}{}{rest}", if closes { "]" } else { "" });
    }
    plain
}
