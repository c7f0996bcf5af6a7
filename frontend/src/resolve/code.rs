//! Resolved code: what resolution makes and elaboration runs, in an arena.

use crate::builtins::Builtin;
use lambdav_core::graph::Name;
use lambdav_core::sets::{SetId, Sets};
use lambdav_core::source::Span;
use lambdav_core::types::Type;
use rustc_hash::FxHashMap;

/// Index of a piece of code in a [`CodeArena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CodeId(u32);

/// Identity of code up to positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(u32);

/// The address of a local: how many scopes enclose the one that binds it, and its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Local {
    pub(crate) level: u32,
    pub(crate) index: u32,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) annotation: Option<(Type, Span)>,
    pub(crate) span: Span,
}

/// Resolved code.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    /// Reported already.
    Error,
    /// Value, and its index where the token is of digits alone.
    Number(f32, Option<u32>),
    Bool(bool),
    Local(Local),
    /// Index into [`Items::globals`](super::Items::globals).
    Global(u32),
    Builtin(Builtin),
    Apply {
        callee: CodeId,
        arguments: Box<[CodeId]>,
    },
    /// Opens a scope with these values, which do not see it.
    Let {
        names: Box<[Name]>,
        values: Box<[CodeId]>,
        body: CodeId,
    },
    /// Opens a scope with the parameters and, of a `rec-func`, with `rec` after them.
    Function(Abstraction),
    If([CodeId; 3]),
    The(Type, CodeId),
}

/// A `func` or `rec-func`.
#[derive(Clone, Debug)]
pub(crate) struct Abstraction {
    pub(crate) recursive: bool,
    pub(crate) parameters: std::rc::Rc<[Parameter]>,
    pub(crate) body: CodeId,
    /// How messages call it.
    pub(crate) name: Option<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CodeShape {
    Error(u32),
    Number(u32, Option<u32>),
    Bool(bool),
    Local(Local),
    Global(u32),
    Builtin(Builtin),
    Apply(Box<[Key]>),
    Let(Box<[Key]>),
    Function(bool, Box<[Option<Type>]>, Key),
    If([Key; 3]),
    The(Type, Key),
}

#[derive(Clone, Copy, Debug)]
struct Info {
    span: Span,
    key: Key,
    free: SetId,
}

/// All resolved code of a program and of the expansions of builtins that it uses.
#[derive(Debug, Default)]
pub(crate) struct CodeArena {
    code: Vec<Code>,
    info: Vec<Info>,
    keys: FxHashMap<CodeShape, Key>,
    sets: Sets<Local>,
}

impl CodeArena {
    pub(crate) fn get(&self, id: CodeId) -> &Code {
        &self.code[id.0 as usize]
    }

    /// Where the code stands. (Code of an expansion stands nowhere in the program.)
    pub(crate) fn span(&self, id: CodeId) -> Span {
        self.info[id.0 as usize].span
    }

    pub(crate) fn key(&self, id: CodeId) -> Key {
        self.info[id.0 as usize].key
    }

    /// The locals that the code uses and does not bind itself, ascending.
    pub(crate) fn free(&self, id: CodeId) -> &[Local] {
        self.sets.get(self.info[id.0 as usize].free)
    }

    /// Adds code that stands in `level` scopes.
    pub(super) fn push(&mut self, code: Code, span: Span, level: u32) -> CodeId {
        let id = CodeId(self.code.len() as u32);
        let info = |id: CodeId| self.info[id.0 as usize];
        let keys = |ids: &[CodeId]| ids.iter().map(|&i| info(i).key).collect::<Vec<_>>();
        let mut free = SetId::default();
        let mut add = |sets: &mut Sets<Local>, children: &[CodeId]| {
            for child in children {
                free = sets.union(free, self.info[child.0 as usize].free);
            }
        };
        let shape = match &code {
            Code::Error => CodeShape::Error(id.0),
            Code::Number(value, index) => CodeShape::Number(value.to_bits(), *index),
            Code::Bool(b) => CodeShape::Bool(*b),
            Code::Local(local) => {
                free = self.sets.single(*local);
                CodeShape::Local(*local)
            }
            Code::Global(global) => CodeShape::Global(*global),
            Code::Builtin(builtin) => CodeShape::Builtin(*builtin),
            Code::Apply { callee, arguments } => {
                add(&mut self.sets, &[*callee]);
                add(&mut self.sets, arguments);
                let mut all = vec![info(*callee).key];
                all.extend(keys(arguments));
                CodeShape::Apply(all.into())
            }
            Code::Let { values, body, .. } => {
                let inside = info(*body).free;
                let outside = self.sets.filter(inside, |l| l.level <= level);
                add(&mut self.sets, values);
                free = self.sets.union(free, outside);
                let mut all = keys(values);
                all.push(info(*body).key);
                CodeShape::Let(all.into())
            }
            Code::Function(f) => {
                free = self.sets.filter(info(f.body).free, |l| l.level <= level);
                let types = f.parameters.iter().map(|p| p.annotation.map(|(t, _)| t)).collect();
                CodeShape::Function(f.recursive, types, info(f.body).key)
            }
            Code::If(children) => {
                add(&mut self.sets, children);
                CodeShape::If(children.map(|c| info(c).key))
            }
            Code::The(ty, value) => {
                add(&mut self.sets, &[*value]);
                CodeShape::The(*ty, info(*value).key)
            }
        };
        let next = Key(self.keys.len() as u32);
        let key = *self.keys.entry(shape).or_insert(next);
        self.code.push(code);
        self.info.push(Info { span, key, free });
        id
    }
}
