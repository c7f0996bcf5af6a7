//! Reads the syntax tree as terms. A list is a special form or an application depending on the scope, since
//! forms can be renamed and shadowed. Reading resolves that, numbers each binder, and finds the free
//! variables of each term. It does not recurse.

mod aggregates;
mod declarations;
mod passes;

use super::fault::SourceFault;
use super::observer::Names;
use super::operate::Data;
use super::program::{SourcePass, SourceProgram, SourceResult, SourceUniform};
use super::shape::Shape;
use super::text::{Form, Primitive, TextId, Texts, Variable};
use crate::builtins::Builtin;
use crate::mutants::{Mutant, is_active};
use crate::syntax::{ExprId, ExprKind, Tree};
use lambdav_core::graph::{Place, StageInput};
use lambdav_core::source::Span;
use lambdav_core::types::{Resource, ResourceKind, Type, Types};
use rustc_hash::{FxHashMap, FxHashSet};

/// A special form.
#[derive(Clone, Copy, Debug)]
enum Special {
    Let,
    LetStar,
    Func,
    RecFunc,
    If,
    The,
    With,
    Case,
    Tabulate,
    Probe,
    /// `@` or `$`.
    Mode,
}

impl Special {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "let" => Self::Let,
            "let*" => Self::LetStar,
            "func" => Self::Func,
            "rec-func" => Self::RecFunc,
            "if" => Self::If,
            "the" => Self::The,
            "with" => Self::With,
            "case" => Self::Case,
            "tabulate" => Self::Tabulate,
            "probe" => Self::Probe,
            "@" | "$" => Self::Mode,
            _ => return None,
        })
    }
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug)]
enum Meaning {
    Special(Special),
    Variable(Variable),
    /// The value of a `define`, a uniform, or a constructor.
    Text(TextId),
    Builtin(Builtin),
    Primitive(Primitive),
}

/// A pending step, the next one last. Every task but `Bind` and `Unbind` leaves one result.
enum Task<'t> {
    Read(ExprId),
    /// Reads the rest of a `let*`.
    Sequence {
        span: Span,
        bindings: &'t [ExprId],
        body: ExprId,
    },
    Bind(Vec<(&'t str, Meaning)>),
    Unbind(Vec<(&'t str, Meaning)>),
    /// Makes an array from a function's values at `count` indices; the latest result is the function.
    Tabulate {
        span: Span,
        count: u32,
    },
    /// Makes a term from the latest results.
    Build {
        form: Form,
        span: Span,
        children: usize,
    },
    /// Notes where the parts of the latest result stand: a part that is a name is the term that it denotes.
    Parts(Box<[Span]>),
}

/// The results and passes so far.
#[derive(Default)]
struct Passes<'t> {
    results: Vec<SourceResult>,
    passes: Vec<SourcePass>,
    /// The names of buffers and results, with their numbers.
    named: Vec<(&'t str, usize)>,
}

/// Reads terms in a scope.
struct Reader<'t> {
    tree: &'t Tree,
    texts: &'t mut Texts,
    scope: FxHashMap<&'t str, Vec<Meaning>>,
    /// The declared types; `None` for those without a shape.
    types: FxHashMap<&'t str, Option<Shape>>,
    declarations: u32,
    /// The names of all fields of structures, including later ones.
    fields: FxHashSet<&'t str>,
    /// The names of the `define`s so far.
    defined: FxHashSet<&'t str>,
    tasks: Vec<Task<'t>>,
    results: Vec<TextId>,
    names: Names,
}

/// The heads of top-level forms that can be shadowed.
const RENAMABLE: [&str; 13] = [
    "struct",
    "variant",
    "constant",
    "texture",
    "buffer",
    "discard-if",
    "state",
    "attribute",
    "position",
    "varying",
    "depth",
    "result",
    "pass",
];

type Read<T> = Result<T, SourceFault>;

/// Reads a program. `given` has values for constants, by name, in place of their defaults. `beside` is an expression that
/// sees all definitions.
pub(super) fn program(
    tree: &Tree,
    given: &[(&str, &[u32])],
    beside: Option<ExprId>,
) -> Read<SourceProgram> {
    let mut texts = Texts::default();
    let mut reader = Reader::new(tree, &mut texts);
    let (mut uniforms, mut outputs, mut constants) = (Vec::new(), Vec::new(), Vec::new());
    let (mut types, mut elements) = (Types::default(), Vec::new());
    let (mut discard, mut clear) = (None, [0.0; 4]);
    let mut passes = Passes::default();
    let (mut position, mut varyings, mut depth, mut attributes) = (None, Vec::new(), None, 0);
    reader.find_fields();
    for &root in &tree.roots {
        let span = tree.get(root).span;
        let list = reader.list(root).unwrap_or_default();
        let word = list.first().and_then(|&head| reader.name(head));
        // A `define` can shadow these names.
        let word = word.filter(|word| !RENAMABLE.contains(word) || !reader.defined.contains(word));
        match (word, list) {
            (Some("define"), &[_, target, value]) => reader.define(target, value)?,
            (Some("output"), &[_, location, value]) => {
                let ExprKind::Number { index: Some(location), .. } = tree.get(location).kind else {
                    return Err(SourceFault::Unexpected(span, "an output without a location"));
                };
                outputs.push((location, reader.term(value)?));
            }
            (Some("struct"), &[_, name, ref fields @ ..]) => reader.structure(name, fields)?,
            (Some("variant"), &[_, name, ref cases @ ..]) => reader.variant(name, cases)?,
            (Some("uniform"), &[_, name, ty, ref default @ ..]) => {
                let Some(shape) = reader.shape(ty)? else {
                    return Err(SourceFault::Unexpected(span, "a uniform of no complete type"));
                };
                let default = default.first().map(|&d| reader.term(d)).transpose()?;
                let uniform =
                    reader.texts.push(Form::Uniform(uniforms.len() as u32), &[], span, None)?;
                uniforms.push(SourceUniform { shape, default });
                reader.define_as(name, Meaning::Text(uniform))?;
            }
            (Some("constant"), &[_, name, ty, ref default @ ..]) => {
                let Some(shape) = reader.shape(ty)? else {
                    return Err(SourceFault::Unexpected(span, "a constant of no complete type"));
                };
                let default = default.first().map(|&d| reader.term(d)).transpose()?;
                let given = given.iter().find(|(given, _)| Some(*given) == reader.name(name));
                let value = match (given, default) {
                    (None, Some(default)) => default,
                    (given, _) => {
                        let mut words = Vec::new();
                        match given {
                            Some((_, given)) => words.extend_from_slice(given),
                            None => shape.zero(&Types::default(), &mut words),
                        }
                        let fixed = Form::Fixed(constants.len() as u32);
                        constants.push((shape, words.into()));
                        reader.texts.push(fixed, &[], span, None)?
                    }
                };
                reader.define_as(name, Meaning::Text(value))?;
            }
            (Some("texture"), &[_, name, ref parts @ ..]) => {
                let kind = ResourceKind::Texture(reader.texture_options(parts));
                reader.resource(&mut types, name, kind, span)?;
                elements.push(None);
            }
            (Some("attribute"), &[_, name, _] | &[_, name, _, _]) => {
                reader.stage_input(StageInput::Attribute(attributes), name, span)?;
                attributes += 1;
            }
            (Some("position"), &[_, value]) => position = Some(reader.term(value)?),
            (Some("varying"), &[_, name, value] | &[_, name, value, _]) => {
                let index = varyings.len() as u32;
                varyings.push(reader.term(value)?);
                reader.stage_input(StageInput::Varying(index, Place::HERE), name, span)?;
            }
            (Some("depth"), &[_, value]) => depth = Some(reader.term(value)?),
            (Some("discard-if"), &[_, condition]) => discard = Some(reader.term(condition)?),
            (Some("state"), &[_, ref options @ ..]) => {
                clear = options.iter().find_map(|&o| reader.clear(o)).unwrap_or(clear);
            }
            (Some("buffer"), &[_, name, ty]) => {
                let Some(shape) = reader.shape(ty)? else {
                    return Err(SourceFault::Unexpected(span, "a buffer of no complete type"));
                };
                let limit = |_| SourceFault::Limit("words of a buffer's element");
                let kind = ResourceKind::Buffer(shape.declare(&mut types).map_err(limit)?);
                reader.resource(&mut types, name, kind, span)?;
                passes.named.extend(reader.name(name).map(|name| (name, elements.len())));
                elements.push(Some(shape));
            }
            (Some("result"), &[_, name, ty, length]) => {
                let Some(shape) = reader.shape(ty)? else {
                    return Err(SourceFault::Unexpected(span, "a result of no complete type"));
                };
                let limit = |_| SourceFault::Limit("words of a buffer's element");
                let kind = ResourceKind::Buffer(shape.declare(&mut types).map_err(limit)?);
                reader.result(&mut passes, length, elements.len(), span)?;
                reader.resource(&mut types, name, kind, span)?;
                passes.named.extend(reader.name(name).map(|name| (name, elements.len())));
                elements.push(Some(shape));
            }
            (Some("pass"), &[_, name, size, ref forms @ ..]) => {
                reader.pass(&mut passes, name, size, forms)?;
            }
            _ => outputs.push((0, reader.term(root)?)),
        }
    }
    let expression = beside.map(|root| reader.term(root)).transpose()?;
    Reader::add_counters(&mut passes, &mut types);
    let names = reader.names;
    let Passes { results, passes, .. } = passes;
    Ok(SourceProgram {
        names,
        results,
        passes,
        types,
        elements,
        texts,
        uniforms,
        constants,
        outputs,
        expression,
        discard,
        clear,
        position,
        varyings,
        depth,
    })
}

/// Reads one expression whose free names belong to the outermost scope.
pub(super) fn expansion(tree: &Tree, texts: &mut Texts) -> Read<TextId> {
    match *tree.roots {
        [root] => Reader::new(tree, texts).term(root),
        _ => Err(SourceFault::Unexpected(Span::default(), "an expansion is not one expression")),
    }
}

impl<'t> Reader<'t> {
    fn new(tree: &'t Tree, texts: &'t mut Texts) -> Self {
        Self {
            tree,
            texts,
            scope: FxHashMap::default(),
            types: FxHashMap::default(),
            declarations: 0,
            fields: FxHashSet::default(),
            defined: FxHashSet::default(),
            tasks: Vec::new(),
            results: Vec::new(),
            names: Names::default(),
        }
    }

    /// The colour of `(clear r g b a)`.
    fn clear(&self, option: ExprId) -> Option<[f32; 4]> {
        let &[_, ref parts @ ..] = self.list(option)? else { return None };
        let number = |&part: &ExprId| match self.tree.get(part).kind {
            ExprKind::Number { value, .. } => Some(value),
            _ => None,
        };
        parts.iter().map(number).collect::<Option<Vec<f32>>>()?.try_into().ok()
    }

    /// A texture or a buffer.
    fn resource(
        &mut self,
        types: &mut Types,
        name: ExprId,
        kind: ResourceKind,
        span: Span,
    ) -> Read<()> {
        let called = self.name(name).unwrap_or_default().into();
        let ty = types.add_resource(Resource { name: called, kind });
        let data = Form::Data(Data { ty, words: Box::default() });
        let value = self.texts.push(data, &[], span, None)?;
        self.define_as(name, Meaning::Text(value))
    }

    /// An attribute or a varying.
    fn stage_input(&mut self, input: StageInput, name: ExprId, span: Span) -> Read<()> {
        let value = self.texts.push(Form::Stage(input), &[], span, None)?;
        self.define_as(name, Meaning::Text(value))
    }

    fn name(&self, id: ExprId) -> Option<&'t str> {
        match &self.tree.get(id).kind {
            ExprKind::Identifier(name) => Some(name),
            _ => None,
        }
    }

    fn list(&self, id: ExprId) -> Option<&'t [ExprId]> {
        match &self.tree.get(id).kind {
            ExprKind::List(children) => Some(children),
            _ => None,
        }
    }

    fn unexpected<T>(&self, id: ExprId, what: &'static str) -> Read<T> {
        Err(SourceFault::Unexpected(self.tree.get(id).span, what))
    }

    fn meaning(&self, name: &str) -> Option<Meaning> {
        let innermost = |meanings: &Vec<Meaning>| match is_active(Mutant::CapturedName) {
            true => meanings.first().copied(),
            false => meanings.last().copied(),
        };
        let bound = self.scope.get(name).and_then(innermost);
        bound
            .or_else(|| Special::from_name(name).map(Meaning::Special))
            .or_else(|| Primitive::from_name(name).map(Meaning::Primitive))
            .or_else(|| Builtin::lookup(name).map(Meaning::Builtin))
    }

    /// The special form that an expression names; `None` for others.
    fn special(&self, id: ExprId) -> Option<Special> {
        match self.meaning(self.name(id)?)? {
            Meaning::Special(special) => Some(special),
            _ => None,
        }
    }

    fn define(&mut self, target: ExprId, value: ExprId) -> Read<()> {
        let named = self.list(target).and_then(<[_]>::first).copied().unwrap_or(target);
        self.defined.extend(self.name(named));
        if let Some(special) = self.special(value)
            && self.name(target).is_some()
        {
            return self.define_as(target, Meaning::Special(special));
        }
        let (name, text) = match self.list(target).and_then(<[_]>::split_first) {
            None => (target, self.term(value)?),
            Some((&name, parameters)) => {
                let span = self.tree.get(target).span;
                self.function(false, parameters, value, span)?;
                (name, self.finish()?)
            }
        };
        self.define_as(name, Meaning::Text(text))
    }

    fn define_as(&mut self, name: ExprId, meaning: Meaning) -> Read<()> {
        match self.name(name) {
            Some(text) => {
                if let Meaning::Text(term) = meaning {
                    self.names.set_text(term, self.tree.get(name).span);
                }
                self.scope.insert(text, vec![meaning]);
                Ok(())
            }
            None => self.unexpected(name, "not a name"),
        }
    }

    fn term(&mut self, id: ExprId) -> Read<TextId> {
        self.tasks.push(Task::Read(id));
        self.finish()
    }

    fn finish(&mut self) -> Read<TextId> {
        while let Some(task) = self.tasks.pop() {
            match task {
                Task::Read(id) => self.read(id)?,
                Task::Sequence { span, bindings, body } => match bindings.split_first() {
                    None => self.tasks.push(Task::Read(body)),
                    Some((&first, bindings)) => {
                        self.let_(&[first], Task::Sequence { span, bindings, body }, span)?;
                    }
                },
                Task::Bind(names) => {
                    for (name, meaning) in names {
                        self.scope.entry(name).or_default().push(meaning);
                    }
                }
                Task::Unbind(names) => {
                    for (name, _) in names {
                        self.scope.get_mut(name).and_then(Vec::pop);
                    }
                }
                Task::Parts(parts) => {
                    if let Some(&choice) = self.results.last() {
                        self.names.set_parts(choice, parts);
                    }
                }
                Task::Tabulate { span, count } => self.tabulate(span, count)?,
                Task::Build { form, span, children } => {
                    let children = self.results.split_off(self.results.len() - children);
                    let index = match form {
                        Form::Probe(_) => self.texts.get(children[0]).index,
                        _ => None,
                    };
                    let text = self.texts.push(form, &children, span, index)?;
                    self.results.push(text);
                }
            }
        }
        let missing = SourceFault::Unexpected(Span::default(), "nothing was read");
        self.results.pop().ok_or(missing)
    }

    /// Pushes tasks to be executed in the given order.
    fn schedule(&mut self, tasks: impl IntoIterator<Item = Task<'t>>) {
        let start = self.tasks.len();
        self.tasks.extend(tasks);
        self.tasks[start..].reverse();
    }

    fn read(&mut self, id: ExprId) -> Read<()> {
        let span = self.tree.get(id).span;
        let (form, index) = match &self.tree.get(id).kind {
            ExprKind::Number { value, index } => (Form::Data(Data::num(*value)), *index),
            ExprKind::Integer(scalar, bits) => {
                let data = Data { ty: Type::of(*scalar, 1), words: [*bits].into() };
                (Form::Data(data), None)
            }
            ExprKind::Bool(b) => (Form::Data(Data::bool(*b)), None),
            ExprKind::Identifier(name) => match self.meaning(name) {
                Some(Meaning::Variable(variable)) => (Form::Variable(variable), None),
                Some(Meaning::Builtin(_)) if name.starts_with('.') => {
                    (Form::Accessor((&**name).into()), None)
                }
                Some(Meaning::Builtin(builtin)) => match builtin.constant() {
                    Some(value) => (Form::Data(Data::num(value)), None),
                    None => (Form::Builtin(builtin), None),
                },
                Some(Meaning::Text(text)) => {
                    self.results.push(text);
                    return Ok(());
                }
                Some(Meaning::Primitive(primitive)) => (Form::Primitive(primitive), None),
                Some(Meaning::Special(_)) => return self.unexpected(id, "a form is not a value"),
                None if name.strip_prefix('.').is_some_and(|field| self.fields.contains(field)) => {
                    (Form::Accessor((&**name).into()), None)
                }
                None => return self.unexpected(id, "this name is not bound"),
            },
            ExprKind::List(list) => return self.read_list(id, list),
            ExprKind::String(_) => return self.unexpected(id, "a string is not a value"),
            ExprKind::Error => return self.unexpected(id, "this could not be parsed"),
        };
        let text = self.texts.push(form, &[], span, index)?;
        self.results.push(text);
        Ok(())
    }

    fn read_list(&mut self, id: ExprId, list: &'t [ExprId]) -> Read<()> {
        let span = self.tree.get(id).span;
        let Some((&head, rest)) = list.split_first() else {
            return self.unexpected(id, "an empty list means nothing");
        };
        let Some(special) = self.special(head) else {
            self.build(Form::Apply, list, span);
            return Ok(());
        };
        match (special, rest) {
            // A mode affects elaboration, not the value.
            (Special::Mode, &[value]) => self.tasks.push(Task::Read(value)),
            (Special::If, [_, _, _]) => {
                let parts = rest.iter().map(|&part| self.tree.get(part).span);
                self.tasks.push(Task::Parts(parts.collect()));
                self.build(Form::If, rest, span);
            }
            (Special::Probe, &[name, value]) => {
                let name = self.tree.get(name).span;
                self.build(Form::Probe(name), &[value], span);
            }
            (Special::The, &[ty, value]) => {
                let ty = self.annotation(ty)?;
                self.build(Form::The(ty), &[value], span);
            }
            (Special::With, &[structure, ref fields @ ..]) => self.with(span, structure, fields)?,
            (Special::Case, &[scrutinee, ref arms @ ..]) => self.case(span, scrutinee, arms)?,
            (Special::Tabulate, &[count, function]) => {
                let ExprKind::Number { index: Some(count @ 1..), .. } = self.tree.get(count).kind
                else {
                    return self.unexpected(count, "not a number of elements");
                };
                self.schedule([Task::Read(function), Task::Tabulate { span, count }]);
            }
            (Special::Func | Special::RecFunc, &[parameters, body]) => {
                let recursive = matches!(special, Special::RecFunc);
                let parameters = self.list(parameters).unwrap_or_default();
                self.function(recursive, parameters, body, span)?;
            }
            (Special::Let, &[bindings, body]) => {
                let bindings = self.list(bindings).unwrap_or_default();
                self.let_(bindings, Task::Read(body), span)?;
            }
            (Special::LetStar, &[bindings, body]) => {
                let bindings = self.list(bindings).unwrap_or_default();
                self.tasks.push(Task::Sequence { span, bindings, body });
            }
            _ => return self.unexpected(id, "a malformed special form"),
        }
        Ok(())
    }

    fn build(&mut self, form: Form, children: &[ExprId], span: Span) {
        let build = Task::Build { form, span, children: children.len() };
        self.schedule(children.iter().map(|&c| Task::Read(c)).chain([build]));
    }

    /// Reads a `let` whose body is read by `body`.
    fn let_(&mut self, bindings: &[ExprId], body: Task<'t>, span: Span) -> Read<()> {
        let (mut names, mut tasks) = (Vec::new(), Vec::new());
        let first = self.texts.new_variables(bindings.len());
        for &binding in bindings {
            let Some(&[name, value]) = self.list(binding) else {
                return self.unexpected(binding, "a malformed binding");
            };
            let span = self.tree.get(name).span;
            let Some(name) = self.name(name) else {
                return self.unexpected(name, "not a name");
            };
            names.push((
                name,
                match self.special(value) {
                    Some(special) => Meaning::Special(special),
                    None => {
                        tasks.push(Task::Read(value));
                        let variable = first + tasks.len() as u32 - 1;
                        self.names.set_variable(variable, span);
                        Meaning::Variable(variable)
                    }
                },
            ));
        }
        let values = tasks.len();
        tasks.extend([Task::Bind(names.clone()), body, Task::Unbind(names)]);
        if values > 0 {
            tasks.push(Task::Build { form: Form::Let(first), span, children: values + 1 });
        }
        self.schedule(tasks);
        Ok(())
    }

    fn function(
        &mut self,
        recursive: bool,
        parameters: &[ExprId],
        body: ExprId,
        span: Span,
    ) -> Read<()> {
        let count = parameters.len();
        let first = self.texts.new_variables(count + usize::from(recursive));
        let mut names = Vec::new();
        for (variable, &parameter) in (first..).zip(parameters) {
            // The annotation of `(name TYPE)` does not affect the value.
            let name = self.list(parameter).and_then(|l| l.first().copied()).unwrap_or(parameter);
            let span = self.tree.get(name).span;
            match self.name(name) {
                Some(name) => {
                    self.names.set_variable(variable, span);
                    names.push((name, Meaning::Variable(variable)));
                }
                None => return self.unexpected(parameter, "not a parameter"),
            }
        }
        let form = if recursive {
            names.push(("rec", Meaning::Variable(first + count as u32)));
            Form::RecFunc(first, count as u32)
        } else {
            Form::Func(first, count as u32)
        };
        self.schedule([
            Task::Bind(names.clone()),
            Task::Read(body),
            Task::Unbind(names),
            Task::Build { form, span, children: 1 },
        ]);
        Ok(())
    }
}
