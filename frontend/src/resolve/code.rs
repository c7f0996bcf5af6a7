//! Resolved code, the input of elaboration, in an arena.

use super::declared::{Annotation, FieldName, Former};
use crate::builtins::Builtin;
use lambdav_core::graph::Name;
use lambdav_core::sets::{SetId, Sets};
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type};
use rustc_hash::{FxHashMap, FxHashSet};

/// Index of a piece of code in a [`CodeArena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CodeId(u32);

/// Identity of code, positions aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Key(u32);

/// The address of a local: the number of scopes around the binding one, and the index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Local {
    pub(crate) level: u32,
    pub(crate) index: u32,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    pub(crate) name: Name,
    pub(crate) annotation: Option<(Annotation, Span)>,
    pub(crate) span: Span,
}

/// A piece of resolved code.
#[derive(Clone, Debug)]
pub(crate) enum Code {
    /// An error, already reported.
    Error,
    /// The value, and the index if the token consists of digits only.
    Number(f32, Option<u32>),
    /// An integer of this type, as its bits.
    Integer(Scalar, u32),
    Bool(bool),
    Local(Local),
    /// Index into [`Items::globals`](super::Items::globals).
    Global(u32),
    Builtin(Builtin),
    /// A constructor or accessor of a declared type.
    Former(Former),
    Apply {
        callee: CodeId,
        arguments: Box<[CodeId]>,
    },
    /// Opens a scope with these values, for the body only.
    Let {
        names: Box<[Name]>,
        values: Box<[CodeId]>,
        body: CodeId,
    },
    /// Opens a scope with the parameters and, for a `rec-func`, `rec` after them.
    Function(Abstraction),
    If([CodeId; 3]),
    The(Annotation, CodeId),
    /// Elaborates the value eagerly (`@`) or as usual (`$`).
    Mode {
        eager: bool,
        value: CodeId,
    },
    /// A value with some of its fields replaced.
    With {
        value: CodeId,
        fields: Box<[(FieldName, CodeId)]>,
    },
    /// An array of this many elements, each made by the function from its index.
    Tabulate(u32, CodeId),
    Case(std::rc::Rc<Case>),
}

impl Code {
    /// Calls `each` with the pieces of code directly inside this one, in the order of the text.
    pub(crate) fn children(&self, mut each: impl FnMut(CodeId)) {
        match self {
            Self::Error
            | Self::Number(..)
            | Self::Integer(..)
            | Self::Bool(_)
            | Self::Local(_)
            | Self::Global(_)
            | Self::Builtin(_)
            | Self::Former(_) => {}
            Self::Apply { callee, arguments } => {
                each(*callee);
                arguments.iter().copied().for_each(each);
            }
            Self::Let { values, body, .. } => {
                values.iter().copied().for_each(&mut each);
                each(*body);
            }
            Self::Function(f) => each(f.body),
            Self::If(children) => children.iter().copied().for_each(each),
            Self::The(_, value) | Self::Mode { value, .. } | Self::Tabulate(_, value) => {
                each(*value);
            }
            Self::With { value, fields } => {
                each(*value);
                fields.iter().for_each(|&(_, value)| each(value));
            }
            Self::Case(case) => {
                each(case.scrutinee);
                case.bodies().for_each(each);
            }
        }
    }
}

/// A `case` of a variant.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) ty: Type,
    pub(crate) scrutinee: CodeId,
    /// The cases, each once, with their bodies, in the order of the text. The body of a case with fields
    /// opens a scope with these.
    pub(crate) arms: Box<[(u32, CodeId)]>,
    pub(crate) otherwise: Option<CodeId>,
}

impl Case {
    /// All bodies, in the order of the text.
    pub(crate) fn bodies(&self) -> impl ExactSizeIterator<Item = CodeId> + DoubleEndedIterator {
        let count = self.arms.len() + usize::from(self.otherwise.is_some());
        (0..count).map(|i| match self.arms.get(i) {
            Some(&(_, body)) => body,
            None => self.otherwise.expect("it comes after the arms"),
        })
    }
}

/// A `func` or `rec-func`.
#[derive(Clone, Debug)]
pub(crate) struct Abstraction {
    pub(crate) recursive: bool,
    /// For a `rec-func`: the parameters that each `rec` in the body's text passes on unchanged.
    pub(crate) fixed: Box<[bool]>,
    pub(crate) parameters: std::rc::Rc<[Parameter]>,
    pub(crate) body: CodeId,
    /// The name in messages.
    pub(crate) name: Option<Box<str>>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum CodeShape {
    Error(u32),
    Number(u32, Option<u32>),
    Integer(Scalar, u32),
    Bool(bool),
    Local(Local),
    Global(u32),
    Builtin(Builtin),
    Former(Former),
    Apply(Box<[Key]>),
    Let(Box<[Key]>),
    Function(bool, Box<[Option<Annotation>]>, Key),
    If([Key; 3]),
    The(Annotation, Key),
    Mode(bool, Key),
    With(Box<[FieldName]>, Box<[Key]>),
    Tabulate(u32, Key),
    Case(Type, Box<[u32]>, Box<[Key]>),
}

/// Longer sets of locals are not listed: all locals of their scopes count as used.
const MAX_LISTED: usize = 64;

/// The free locals of some code.
#[derive(Clone, Copy, Debug)]
enum FreeSet {
    Listed(SetId),
    /// Many: all locals of scopes up to this level.
    UpTo(u32),
}

/// A [`FreeSet`], resolved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Free<'a> {
    /// Exactly these, ascending.
    Listed(&'a [Local]),
    /// Many: all locals of scopes up to this level. Since a number represents them, nested code in which each
    /// level uses all outer names takes time linear in its length.
    UpTo(u32),
}

#[derive(Clone, Copy, Debug)]
struct Info {
    span: Span,
    key: Key,
    free: FreeSet,
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

    /// The position of the code. (Code of an expansion has no position in the program.)
    pub(crate) fn span(&self, id: CodeId) -> Span {
        self.info[id.0 as usize].span
    }

    pub(crate) fn key(&self, id: CodeId) -> Key {
        self.info[id.0 as usize].key
    }

    /// The free locals of the code.
    pub(crate) fn free(&self, id: CodeId) -> Free<'_> {
        match self.info[id.0 as usize].free {
            FreeSet::Listed(set) => Free::Listed(self.sets.get(set)),
            FreeSet::UpTo(level) => Free::UpTo(level),
        }
    }

    /// The free locals, of scopes up to this level, of code for which they are not listed; and the number of
    /// pieces of code visited. Takes time by the length of the text.
    pub(crate) fn listed(&self, id: CodeId, level: u32) -> (FxHashSet<Local>, u32) {
        let (mut found, mut looked_at, mut rest) = (FxHashSet::default(), 0, vec![id]);
        while let Some(id) = rest.pop() {
            looked_at += 1;
            if let FreeSet::Listed(set) = self.info[id.0 as usize].free {
                found.extend(self.sets.get(set).iter().filter(|local| local.level <= level));
                continue;
            }
            self.get(id).children(|child| rest.push(child));
        }
        (found, looked_at)
    }

    /// The union of the children's free locals and `more`.
    fn joint(&mut self, children: &[CodeId], more: FreeSet) -> FreeSet {
        let (mut one, mut others, mut level) = (SetId::default(), Vec::new(), None);
        let all = children.iter().map(|child| self.info[child.0 as usize].free);
        for free in all.chain([more]) {
            match free {
                FreeSet::Listed(set) if set == SetId::default() || set == one => {}
                FreeSet::Listed(set) if one == SetId::default() => one = set,
                FreeSet::Listed(set) if others.contains(&set) => {}
                // So many different sets contain many locals together.
                FreeSet::Listed(set) if others.len() >= MAX_LISTED => {
                    let last = self.sets.get(set).last().map_or(0, |local| local.level);
                    level = Some(level.unwrap_or(0).max(last));
                }
                FreeSet::Listed(set) => others.push(set),
                FreeSet::UpTo(other) => level = Some(level.unwrap_or(0).max(other)),
            }
        }
        if let Some(level) = level {
            let lasts = others.iter().chain([&one]);
            let lasts = lasts.filter_map(|&set| Some(self.sets.get(set).last()?.level));
            return FreeSet::UpTo(lasts.fold(level, u32::max));
        }
        let set = match *others {
            [] => return FreeSet::Listed(one),
            [other] => self.sets.union(one, other),
            _ => {
                let sets = others.iter().chain([&one]);
                let mut all: Vec<Local> =
                    sets.flat_map(|&set| self.sets.get(set)).copied().collect();
                all.sort_unstable();
                all.dedup();
                match all.last() {
                    Some(last) if all.len() > MAX_LISTED => return FreeSet::UpTo(last.level),
                    _ => self.sets.of(all),
                }
            }
        };
        match self.sets.get(set).last() {
            Some(last) if self.sets.get(set).len() > MAX_LISTED => FreeSet::UpTo(last.level),
            _ => FreeSet::Listed(set),
        }
    }

    /// The union of two sets of free locals.
    fn joint_of(&mut self, one: FreeSet, other: FreeSet) -> FreeSet {
        match (one, other) {
            (FreeSet::Listed(a), FreeSet::Listed(b)) => {
                let set = self.sets.union(a, b);
                match self.sets.get(set).last() {
                    Some(last) if self.sets.get(set).len() > MAX_LISTED => {
                        FreeSet::UpTo(last.level)
                    }
                    _ => FreeSet::Listed(set),
                }
            }
            (FreeSet::UpTo(a), FreeSet::UpTo(b)) => FreeSet::UpTo(a.max(b)),
            (FreeSet::UpTo(level), FreeSet::Listed(set))
            | (FreeSet::Listed(set), FreeSet::UpTo(level)) => {
                let last = self.sets.get(set).last().map_or(0, |local| local.level);
                FreeSet::UpTo(level.max(last))
            }
        }
    }

    /// The free locals bound outside the innermost of `level + 1` scopes.
    fn outside(&mut self, free: FreeSet, level: u32) -> FreeSet {
        match free {
            FreeSet::Listed(set) => {
                FreeSet::Listed(self.sets.filter(set, |local| local.level <= level))
            }
            FreeSet::UpTo(_) if level == 0 => FreeSet::Listed(SetId::default()),
            FreeSet::UpTo(last) => FreeSet::UpTo(last.min(level)),
        }
    }

    /// Adds code inside `level` scopes.
    pub(super) fn push(&mut self, code: Code, span: Span, level: u32) -> CodeId {
        let id = CodeId(self.code.len() as u32);
        let info = |id: CodeId| self.info[id.0 as usize];
        let keys = |ids: &[CodeId]| ids.iter().map(|&i| info(i).key).collect::<Vec<_>>();
        let none = FreeSet::Listed(SetId::default());
        let (shape, free) = match &code {
            Code::Error => (CodeShape::Error(id.0), none),
            Code::Number(value, index) => (CodeShape::Number(value.to_bits(), *index), none),
            Code::Integer(scalar, bits) => (CodeShape::Integer(*scalar, *bits), none),
            Code::Bool(b) => (CodeShape::Bool(*b), none),
            Code::Local(local) => {
                (CodeShape::Local(*local), FreeSet::Listed(self.sets.single(*local)))
            }
            Code::Global(global) => (CodeShape::Global(*global), none),
            Code::Builtin(builtin) => (CodeShape::Builtin(*builtin), none),
            Code::Former(former) => (CodeShape::Former(*former), none),
            Code::Apply { callee, arguments } => {
                let mut all = vec![info(*callee).key];
                all.extend(keys(arguments));
                let free = info(*callee).free;
                (CodeShape::Apply(all.into()), self.joint(arguments, free))
            }
            Code::Let { values, body, .. } => {
                let mut all = keys(values);
                all.push(info(*body).key);
                let inside = info(*body).free;
                let free = self.outside(inside, level);
                (CodeShape::Let(all.into()), self.joint(values, free))
            }
            Code::Function(f) => {
                let types = f.parameters.iter().map(|p| p.annotation.map(|(t, _)| t)).collect();
                let body = info(f.body);
                let shape = CodeShape::Function(f.recursive, types, body.key);
                (shape, self.outside(body.free, level))
            }
            Code::If(children) => {
                let shape = CodeShape::If(children.map(|c| info(c).key));
                (shape, self.joint(children, none))
            }
            Code::The(ty, value) => (CodeShape::The(*ty, info(*value).key), info(*value).free),
            Code::Mode { eager, value } => {
                (CodeShape::Mode(*eager, info(*value).key), info(*value).free)
            }
            Code::With { value, fields } => {
                let (names, values): (Vec<FieldName>, Vec<CodeId>) = fields.iter().copied().unzip();
                let mut all = vec![info(*value).key];
                all.extend(keys(&values));
                let free = info(*value).free;
                (CodeShape::With(names.into(), all.into()), self.joint(&values, free))
            }
            Code::Tabulate(count, function) => {
                let function = info(*function);
                (CodeShape::Tabulate(*count, function.key), function.free)
            }
            Code::Case(case) => {
                let cases = case.arms.iter().map(|&(index, _)| index).collect();
                let mut all = vec![info(case.scrutinee).key];
                let bodies: Vec<CodeId> = case.bodies().collect();
                all.extend(keys(&bodies));
                let mut free = info(case.scrutinee).free;
                for body in bodies {
                    let inside = self.info[body.0 as usize].free;
                    let outside = self.outside(inside, level);
                    free = self.joint_of(free, outside);
                }
                (CodeShape::Case(case.ty, cases, all.into()), free)
            }
        };
        let next = Key(self.keys.len() as u32);
        let key = *self.keys.entry(shape).or_insert(next);
        self.code.push(code);
        self.info.push(Info { span, key, free });
        id
    }
}
