//! A first pass over all instructions: finds the entry point and the functions that it calls.

use super::binary::{Instruction, instructions};
use super::error::LoadError;
use super::options::LoadOptions;
use lambdav_core::interface::Stage;
use rspirv::spirv::{ExecutionModel, Op};
use rustc_hash::{FxHashMap, FxHashSet};

/// Result of the first pass.
#[derive(Debug)]
pub(super) struct Scan<'w> {
    /// Function of the chosen entry point, if any, and its interface variables.
    pub(super) entry: Option<u32>,
    pub(super) interface: FxHashSet<u32>,
    /// The functions reachable by calls, the entry included, in module order.
    pub(super) functions: Vec<Head<'w>>,
    /// True if one of these functions queries the number of a texture's levels.
    pub(super) asks_for_levels: bool,
}

/// Header of a function.
#[derive(Debug)]
pub(super) struct Head<'w> {
    pub(super) id: u32,
    pub(super) function: Instruction<'w>,
    pub(super) parameters: Vec<Instruction<'w>>,
}

/// A function and its calls.
struct Calling<'w> {
    head: Head<'w>,
    calls: Vec<(u32, usize)>,
    asks_for_levels: bool,
}

/// An entry point of the stage.
struct Entry<'w> {
    name: String,
    function: u32,
    rest: &'w [u32],
}

/// Scans all instructions of a module.
pub(super) fn scan<'w>(words: &'w [u32], options: &LoadOptions) -> Result<Scan<'w>, LoadError> {
    let model = match options.stage {
        Stage::Vertex => ExecutionModel::Vertex,
        Stage::Compute => ExecutionModel::GLCompute,
        _ => ExecutionModel::Fragment,
    };
    let mut entries = Vec::new();
    let mut functions: Vec<Calling<'w>> = Vec::new();
    for instruction in instructions(words)? {
        let instruction = instruction?;
        let operand = |index| instruction.operand(index);
        match instruction.op {
            Op::EntryPoint if operand(0)? == model as u32 => {
                let (name, function) = (instruction.string(2)?, operand(1)?);
                let rest = instruction.rest(3 + name.len() / 4)?;
                entries.push(Entry { name, function, rest });
            }
            Op::Function => {
                let head = Head { id: operand(1)?, function: instruction, parameters: Vec::new() };
                functions.push(Calling { head, calls: Vec::new(), asks_for_levels: false });
            }
            Op::FunctionParameter => match functions.last_mut() {
                Some(function) => function.head.parameters.push(instruction),
                None => return Err(instruction.malformed("it is outside a function")),
            },
            Op::ImageQueryLevels => {
                functions.last_mut().into_iter().for_each(|of| of.asks_for_levels = true);
            }
            Op::FunctionCall => match functions.last_mut() {
                Some(function) => function.calls.push((operand(2)?, instruction.at)),
                None => return Err(instruction.malformed("it is outside a function")),
            },
            _ => {}
        }
    }
    let Some(entry) = chosen(entries, options) else {
        let (interface, functions) = (FxHashSet::default(), Vec::new());
        return Ok(Scan { entry: None, interface, functions, asks_for_levels: false });
    };
    let called = called(&functions, entry.function)?;
    let is_called = |of: &&Calling<'_>| called.contains(&of.head.id);
    let asks_for_levels = functions.iter().filter(is_called).any(|of| of.asks_for_levels);
    let functions = functions.into_iter().map(|function| function.head);
    Ok(Scan {
        entry: Some(entry.function),
        interface: entry.rest.iter().copied().collect(),
        functions: functions.filter(|head| called.contains(&head.id)).collect(),
        asks_for_levels,
    })
}

/// The entry point of the given name, or the only one, or the one called `main`.
fn chosen<'w>(mut all: Vec<Entry<'w>>, options: &LoadOptions) -> Option<Entry<'w>> {
    let wanted = match (&options.entry_point, all.len()) {
        (Some(name), _) => name.as_str(),
        (None, 1) => return all.pop(),
        (None, _) => "main",
    };
    all.into_iter().find(|entry| entry.name == wanted)
}

/// The functions that `entry` calls, directly or not. Recursion is an error.
fn called(functions: &[Calling<'_>], entry: u32) -> Result<FxHashSet<u32>, LoadError> {
    let by_id: FxHashMap<u32, &Calling<'_>> =
        functions.iter().map(|function| (function.head.id, function)).collect();
    let mut done = FxHashSet::default();
    // The call path, each function with the index of its next call.
    let mut way = vec![(entry, 0)];
    let mut on_way = FxHashSet::from_iter([entry]);
    while let Some((id, next)) = way.last_mut() {
        let calls = by_id.get(id).map_or(&[][..], |function| &function.calls[..]);
        match calls.get(*next) {
            Some(&(callee, at)) => {
                *next += 1;
                if on_way.contains(&callee) {
                    return Err(LoadError::Unknown {
                        what: "a function that calls itself".into(),
                        at,
                    });
                }
                if !done.contains(&callee) {
                    on_way.insert(callee);
                    way.push((callee, 0));
                }
            }
            None => {
                done.insert(*id);
                on_way.remove(id);
                way.pop();
            }
        }
    }
    Ok(done)
}
