//! Reduction to a value: finds the outermost place where a rule of the semantics applies, and applies it.
//! Terms that wait for the value of an inner term are on a stack of frames.

use super::aggregate::Buffers;
use super::fault::{Limits, SourceFault};
use super::observer::{Birth, Observer, SourceEvent, Watcher, seen};
use super::operate::{Data, follow, operate};
use super::pixel::Pixel;
use super::program::{SourceProgram, SourceUniform, StageValues};
use super::read;
use super::shape::Shape;
use super::term::{
    Aggregate, AggregateKind, Entry, Node, Part, Parts, Source, State, Substitution, instantiate,
    live_nodes,
};
use super::text::{Arm, Form, Primitive, TextId, Texts, Variable};
use crate::builtins::{Builtin, Operand, Recipe};
use crate::mutants::{Mutant, is_active};
use crate::syntax;
use lambdav_core::evaluate::EvaluationFault;
use lambdav_core::graph::{Axis, Place, Side, StageInput};
use lambdav_core::inputs::{Input, Inputs};
use lambdav_core::op::Op;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Type, Types};
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

/// The number of reductions between two cancellation polls.
const POLL_INTERVAL: u64 = 1 << 12;
/// Most live nodes in one thread: about a gigabyte.
const MAX_NODES: usize = 1 << 23;
/// Most pending reductions.
const MAX_FRAMES: usize = 1 << 23;

/// The next step.
enum Control {
    Reduce(Rc<Node>),
    Return(Part),
}

/// A term that waits for the value of another one.
enum ReductionFrame {
    /// A shared node, overwritten by the value.
    Update(Rc<Node>),
    /// An application waits for its callee.
    Callee(Rc<Node>),
    /// An application of a builtin waits for the operand before `next`.
    Operands { application: Rc<Node>, builtin: Builtin, next: usize },
    /// An application of a `rec-func` or a `rec` waits for the argument before `next`.
    Arguments { application: Rc<Node>, callee: Rc<Node>, functions: Rc<[bool]>, next: usize },
    /// A term made of values waits for its child before `next`; `values` are those so far.
    Strict { term: Rc<Node>, form: Form, values: Vec<Part>, next: usize },
    /// An `if` waits for its condition.
    Condition(Rc<Node>),
    /// A `case` waits for its scrutinee.
    Case(Rc<Node>),
    /// An annotated expression; the type is known if it is builtin.
    The(Option<Type>, Span),
    /// An observed `probe`: its name, its place, and its scope.
    Probe(Span, Span, u32),
    /// An entry of a loop.
    Loop(Rc<Entry>),
    /// A derivative evaluated at the pixel `back`. `odd` is the operand's value on the odd side, unless that
    /// is being reduced.
    Derivative { application: Rc<Node>, axis: Axis, back: Pixel, odd: Option<Data> },
    /// A field bound by a `case` waits for its variant.
    Field(Rc<Node>),
    /// An observed term; the scope to return to.
    Watched(Box<Birth>, u32),
    /// The body of an observed call; its scope, and the scope to return to.
    Called(u32, u32),
}

/// A run for one pixel.
pub(super) struct Reducer<'a, O> {
    texts: Texts,
    /// The terms of the text.
    nodes: Vec<Rc<Node>>,
    frames: Vec<ReductionFrame>,
    substitution: Substitution,
    /// The functions of builtins' expansions, by their text.
    expansions: FxHashMap<String, Rc<Node>>,
    types: &'a Types,
    uniforms: &'a [SourceUniform],
    buffers: Buffers<'a>,
    constants: &'a [(Shape, Arc<[u32]>)],
    inputs: &'a Inputs,
    stage: &'a dyn StageValues,
    limits: Limits,
    cancelled: &'a dyn Fn() -> bool,
    reductions: u64,
    /// The pixel at which terms are reduced.
    pixel: Pixel,
    /// The program has derivatives, so terms are kept beside their values.
    has_derivatives: bool,
    watcher: Watcher<'a, O>,
}

type Step<T> = Result<T, SourceFault>;

impl<'a, O: Observer> Reducer<'a, O> {
    pub(super) fn observed(
        program: &'a SourceProgram,
        inputs: &'a Inputs,
        stage: &'a dyn StageValues,
        limits: Limits,
        cancelled: &'a dyn Fn() -> bool,
        watcher: Watcher<'a, O>,
    ) -> Self {
        let mut nodes = Vec::with_capacity(program.texts.len());
        instantiate(&program.texts, 0, &mut nodes);
        Self {
            texts: program.texts.clone(),
            nodes,
            frames: Vec::new(),
            substitution: Substitution::default(),
            expansions: FxHashMap::default(),
            types: &program.types,
            uniforms: &program.uniforms,
            buffers: Buffers {
                types: &program.types,
                elements: &program.elements,
                bound: &inputs.resources,
                results: &program.results,
            },
            constants: &program.constants,
            inputs,
            stage,
            limits,
            cancelled,
            reductions: 0,
            pixel: Pixel::default(),
            has_derivatives: program.texts.have_derivatives(),
            watcher,
        }
    }

    /// Reduces a closed term of the text to a value.
    pub(super) fn run(mut self, root: TextId) -> Step<Part> {
        if O::IS_ACTIVE {
            self.watcher.begin(&self.texts, &self.nodes);
        }
        let root = self.nodes[root.0 as usize].clone();
        let mut control = Control::Reduce(root.clone());
        loop {
            control = match control {
                Control::Reduce(node) => {
                    self.count()?;
                    self.reduce(node)?
                }
                // A function of a structure is reduced where it is wanted.
                Control::Return(Part::Function(function)) if !self.is_function_value(&function) => {
                    Control::Reduce(function)
                }
                Control::Return(value) => match (self.frames.pop(), value) {
                    (Some(frame), value) => self.resume(frame, value)?,
                    (None, Part::Function(_)) => {
                        return self.unexpected(&root, "the result is a function");
                    }
                    (None, value) => return Ok(value),
                },
            };
        }
    }

    fn count(&mut self) -> Step<()> {
        self.reductions += 1;
        if self.reductions.is_multiple_of(POLL_INTERVAL) && (self.cancelled)() {
            return Err(EvaluationFault::Cancelled.into());
        }
        if self.reductions + self.substitution.copied > self.limits.max_steps {
            return Err(SourceFault::Limit("steps"));
        }
        if live_nodes() > MAX_NODES {
            return Err(SourceFault::Limit("nodes"));
        }
        if self.frames.len() > MAX_FRAMES {
            return Err(SourceFault::Limit("pending reductions"));
        }
        Ok(())
    }

    fn unexpected<T>(&self, node: &Node, what: &'static str) -> Step<T> {
        Err(SourceFault::Unexpected(self.texts.get(node.text).span, what))
    }

    fn child(&self, node: &Node, i: usize) -> Step<Rc<Node>> {
        node.child(i).ok_or(SourceFault::Unexpected(
            self.texts.get(node.text).span,
            "a term has lost a part while it was reduced",
        ))
    }

    fn reduce(&mut self, node: Rc<Node>) -> Step<Control> {
        match &*node.state.borrow() {
            State::Data(data) => return Ok(Control::Return(Part::Data(data.clone()))),
            State::Function(f) => return Ok(Control::Return(Part::Function(f.clone()))),
            State::Aggregate(a) => return Ok(Control::Return(Part::Aggregate(a.clone()))),
            State::Rec(_) => return Ok(Control::Return(Part::Function(node.clone()))),
            State::Term(_) => {}
            State::Known(known) => match (known.at(self.pixel), &known.term) {
                (Some(value), _) => return Ok(Control::Return(value.clone())),
                (None, Source::Term(_)) => {}
                (None, Source::Field(of, ..)) => {
                    self.frames.push(ReductionFrame::Field(node.clone()));
                    return Ok(Control::Reduce(of.clone()));
                }
            },
        }
        let form = self.texts.get(node.text).form.clone();
        if is_function(&form) {
            return Ok(Control::Return(Part::Function(node)));
        }
        if O::IS_ACTIVE && self.is_watched() {
            let back = self.watcher.scope;
            if let Some(birth) = self.watcher.take(&node) {
                self.frames.push(ReductionFrame::Watched(birth.into(), back));
            }
        }
        // The node is shared: other holders will find its value there.
        if Rc::strong_count(&node) > 1 {
            self.frames.push(ReductionFrame::Update(node.clone()));
        }
        match form {
            Form::Apply => {
                let callee = self.child(&node, 0)?;
                self.frames.push(ReductionFrame::Callee(node));
                Ok(Control::Reduce(callee))
            }
            Form::Let(first) => {
                if O::IS_ACTIVE && self.is_watched() && self.watcher.is_own(node.text) {
                    let values = node.with_children(<[Rc<Node>]>::to_vec).unwrap_or_default();
                    let values = values.split_last().map_or(&[][..], |(_, values)| values);
                    self.watcher.bind(&self.texts, first, values, None);
                }
                Ok(Control::Reduce(self.let_(&node, first)?))
            }
            Form::If => {
                let condition = self.child(&node, 0)?;
                self.frames.push(ReductionFrame::Condition(node));
                Ok(Control::Reduce(condition))
            }
            Form::Constant(constructor) => {
                Ok(Control::Return(made(AggregateKind::Made(constructor), Vec::new())))
            }
            Form::With(_) => self.strict(node, form, Vec::new(), 0),
            Form::Case(_) => {
                let scrutinee = self.child(&node, 0)?;
                self.frames.push(ReductionFrame::Case(node));
                Ok(Control::Reduce(scrutinee))
            }
            Form::The(ty) => {
                let span = self.texts.get(node.text).span;
                self.frames.push(ReductionFrame::The(ty, span));
                Ok(Control::Reduce(self.child(&node, 0)?))
            }
            Form::Probe(name) => {
                let inner = self.child(&node, 0)?;
                let is_folded = is_active(Mutant::FoldedProbe) && inner.is_evaluated(self.pixel);
                if O::IS_ACTIVE
                    && (self.is_watched() || is_active(Mutant::NeighboursProbe))
                    && !is_folded
                {
                    let (span, scope) = (self.texts.get(node.text).span, self.watcher.scope);
                    self.frames.push(ReductionFrame::Probe(name, span, scope));
                }
                Ok(Control::Reduce(inner))
            }
            Form::Uniform(index) => {
                let uniform = self.uniforms.get(index as usize);
                let words = self.inputs.uniforms.get(index as usize);
                let value = uniform.zip(words);
                match value.and_then(|(uniform, words)| uniform.shape.stored(words)) {
                    Some(value) => Ok(Control::Return(value.into())),
                    None => {
                        self.unexpected(&node, "this uniform was not given a value of its type")
                    }
                }
            }
            Form::Fixed(index) => {
                let value = self.constants.get(index as usize);
                let value = value.and_then(|(shape, words)| shape.stored(words));
                match value {
                    Some(value) => Ok(Control::Return(value.into())),
                    None => self.unexpected(&node, "this constant has no value of its type"),
                }
            }
            Form::Stage(input) => match self.stage_input(input) {
                Some(data) => Ok(Control::Return(Part::Data(data))),
                None => self.unexpected(&node, "this input of a stage has no value"),
            },
            Form::Variable(_) => self.unexpected(&node, "this variable was not substituted"),
            Form::Data(_)
            | Form::Builtin(_)
            | Form::Func(..)
            | Form::RecFunc(..)
            | Form::Constructor(_)
            | Form::Accessor(_)
            | Form::Primitive(_) => self.unexpected(&node, "this was a value already"),
        }
    }

    fn resume(&mut self, frame: ReductionFrame, value: Part) -> Step<Control> {
        match (frame, value) {
            (ReductionFrame::Update(node), value) => {
                node.update(value.clone(), self.has_derivatives.then_some(self.pixel));
                Ok(Control::Return(value))
            }
            (ReductionFrame::Callee(application), Part::Function(callee)) => {
                self.apply(application, callee)
            }
            (ReductionFrame::Callee(application), Part::Data(_) | Part::Aggregate(_)) => {
                self.unexpected(&application, "this applies what is not a function")
            }
            (
                ReductionFrame::Operands { application, builtin, next },
                Part::Data(_) | Part::Aggregate(_),
            ) => self.operands(application, builtin, next),
            (ReductionFrame::Operands { application, .. }, _) => {
                self.unexpected(&application, "an operand is a function")
            }
            (ReductionFrame::Strict { term, form, mut values, next }, value) => {
                values.push(value);
                self.strict(term, form, values, next)
            }
            (ReductionFrame::Case(term), Part::Aggregate(value)) => self.case(&term, &value),
            (ReductionFrame::Case(term), _) => {
                self.unexpected(&term, "the scrutinee is not a variant")
            }
            (ReductionFrame::Arguments { application, callee, functions, next }, _) => {
                self.arguments(application, callee, functions, next)
            }
            (ReductionFrame::Condition(choice), Part::Data(data)) if data.ty == Type::BOOL => {
                let branch = if data.words[0] != 0 { 1 } else { 2 };
                self.note_decision(&choice, &Part::Data(data), branch);
                Ok(Control::Reduce(self.child(&choice, branch)?))
            }
            (ReductionFrame::Condition(choice), _) => {
                self.unexpected(&choice, "the condition is not a bool")
            }
            (ReductionFrame::The(Some(ty), _), Part::Data(data)) if data.ty == ty => {
                Ok(Control::Return(Part::Data(data)))
            }
            (ReductionFrame::The(None, _), Part::Aggregate(value)) => {
                Ok(Control::Return(Part::Aggregate(value)))
            }
            (ReductionFrame::The(_, span), _) => {
                Err(SourceFault::Unexpected(span, "this is not of the annotated type"))
            }
            (ReductionFrame::Probe(name, at, scope), value) => {
                self.watcher.probed(scope, name, at, &value);
                Ok(Control::Return(value))
            }
            (ReductionFrame::Loop(entry), value) => {
                if O::IS_ACTIVE && entry.scope != 0 {
                    self.watcher.close(entry.scope, &value, entry.back);
                }
                Ok(Control::Return(value))
            }
            (ReductionFrame::Watched(birth, back), value) => {
                self.watcher.born(&birth, &value);
                self.watcher.scope = back;
                Ok(Control::Return(value))
            }
            (ReductionFrame::Called(scope, back), value) => {
                self.watcher.close(scope, &value, back);
                Ok(Control::Return(value))
            }
            (ReductionFrame::Derivative { application, axis, back, odd: None }, value) => {
                match value {
                    Part::Data(odd) if odd.ty.is_num() => {
                        self.derivative(application, axis, back, Some(odd))
                    }
                    _ => self.unexpected(&application, "this has no derivative"),
                }
            }
            (ReductionFrame::Derivative { application, back, odd: Some(odd), .. }, value) => {
                self.pixel = back;
                let difference = match value {
                    Part::Data(even) if even.ty == odd.ty => {
                        operate(self.types, Op::Sub, &[&odd, &even])
                    }
                    _ => None,
                };
                match difference {
                    Some(difference) => Ok(Control::Return(Part::Data(difference))),
                    None => self.unexpected(&application, "this has no derivative"),
                }
            }
            (ReductionFrame::Field(node), Part::Aggregate(value)) => {
                let field = match (&*node.state.borrow(), &value.kind) {
                    (State::Known(known), AggregateKind::Made(made)) => match &known.term {
                        Source::Field(_, constructor, index) if constructor == made => {
                            Some(value.parts.get(*index))
                        }
                        Source::Field(..) | Source::Term(_) => None,
                    },
                    _ => None,
                };
                match field {
                    Some(field) => {
                        node.update(field.clone(), Some(self.pixel));
                        Ok(Control::Return(field))
                    }
                    None => self.unexpected(&node, "the neighbour's variant has no such field"),
                }
            }
            (ReductionFrame::Field(node), _) => {
                self.unexpected(&node, "the scrutinee is not a variant")
            }
        }
    }

    /// Reduces the operand of a derivative at the two pixels: on the odd side, then on the even one.
    fn derivative(
        &mut self,
        application: Rc<Node>,
        axis: Axis,
        back: Pixel,
        odd: Option<Data>,
    ) -> Step<Control> {
        let side = if odd.is_none() { Side::Odd } else { Side::Even };
        let operand = self.child(&application, 1)?;
        self.pixel = back.neighbour(axis, side);
        self.frames.push(ReductionFrame::Derivative { application, axis, back, odd });
        Ok(Control::Reduce(operand))
    }

    /// Applies a function to the arguments of an application.
    fn apply(&mut self, application: Rc<Node>, callee: Rc<Node>) -> Step<Control> {
        if let State::Rec(entry) = &*callee.state.borrow() {
            // In a loop that the compiler unrolls, functions may become values.
            let mut functions = entry.functions.to_vec();
            for (is_function, argument) in functions.iter_mut().zip(self.values(&application)) {
                *is_function = *is_function && self.is_function(&argument)?;
            }
            return self.arguments(application, callee.clone(), functions.into(), 0);
        }
        let form = self.texts.get(callee.text).form.clone();
        match form {
            Form::Builtin(builtin) => self.operands(application, builtin, 0),
            Form::Constructor(_) | Form::Accessor(_) | Form::Primitive(_) => {
                self.strict(application, form, Vec::new(), 1)
            }
            Form::Func(first, _) => {
                let values = self.values(&application);
                let body = self.enter(&callee, &values)?;
                if O::IS_ACTIVE && self.is_watched() && self.watcher.is_own(application.text) {
                    self.note_call(&application, &callee, first, &values);
                }
                Ok(Control::Reduce(body))
            }
            Form::RecFunc(..) => {
                let arguments = self.values(&application);
                let functions = arguments.iter().map(|a| self.is_function(a));
                let functions = functions.collect::<Step<Rc<[bool]>>>()?;
                self.arguments(application, callee, functions, 0)
            }
            _ => self.unexpected(&application, "this applies what is not a function"),
        }
    }

    /// The arguments of an application.
    fn values(&self, application: &Node) -> Vec<Rc<Node>> {
        application.with_children(|children| children[1..].to_vec()).unwrap_or_default()
    }

    /// The body of a `let` with its values substituted.
    fn let_(&mut self, node: &Node, first: Variable) -> Step<Rc<Node>> {
        let children = node.with_children(<[Rc<Node>]>::to_vec).unwrap_or_default();
        match children.split_last() {
            Some((body, values)) => Ok(self.substitution.apply(&self.texts, body, first, values)),
            None => self.unexpected(node, "this `let` was reduced already"),
        }
    }

    /// The body of a function with its arguments substituted. The arguments of a `rec-func` are followed by
    /// the term for `rec`.
    fn enter(&mut self, function: &Node, values: &[Rc<Node>]) -> Step<Rc<Node>> {
        let (first, count) = match self.texts.get(function.text).form {
            Form::Func(first, count) => (first, count as usize),
            Form::RecFunc(first, count) => (first, count as usize + 1),
            _ => return self.unexpected(function, "this is not a function"),
        };
        if values.len() != count {
            return self.unexpected(function, "this is applied to a wrong number of arguments");
        }
        let body = self.child(function, 0)?;
        Ok(self.substitution.apply(&self.texts, &body, first, values))
    }

    /// True if a function is a value.
    fn is_function_value(&self, function: &Rc<Node>) -> bool {
        match &*function.state.borrow() {
            State::Rec(_) => true,
            State::Term(_) => is_function(&self.texts.get(function.text).form),
            _ => false,
        }
    }

    /// Reduces the children of a term from `next` on, then makes the term's value. The functions in a structure are not reduced.
    fn strict(
        &mut self,
        term: Rc<Node>,
        form: Form,
        mut values: Vec<Part>,
        mut next: usize,
    ) -> Step<Control> {
        while let Some(child) = term.child(next) {
            let may_be_function = match &form {
                Form::Constructor(made) => made.types.get(next - 1).is_some_and(Option::is_none),
                Form::With(_) => next > 0,
                _ => false,
            };
            if may_be_function && !child.is_evaluated(self.pixel) && self.is_function(&child)? {
                values.push(Part::Function(child));
                next += 1;
                continue;
            }
            self.frames.push(ReductionFrame::Strict { term, form, values, next: next + 1 });
            return Ok(Control::Reduce(child));
        }
        match (&form, &values[..]) {
            (Form::Constructor(constructor), _)
                if values.len() == constructor.fields.len()
                    && values.iter().enumerate().all(|(i, value)| constructor.takes(i, value)) =>
            {
                let kind = AggregateKind::Made(Arc::clone(constructor));
                return Ok(Control::Return(made(kind, values)));
            }
            (Form::Accessor(name), [Part::Aggregate(value)]) => {
                if let Some(field) = value.field(&name[1..]) {
                    return Ok(Control::Return(value.parts.get(field)));
                }
            }
            (Form::Accessor(name), [Part::Data(_)]) => {
                if let Some(swizzle) = Builtin::lookup(name) {
                    return self.operands(term, swizzle, 0);
                }
            }
            (Form::Primitive(Primitive::Id), []) => {
                if let Some(data) = self.stage_input(StageInput::Id(1)) {
                    return Ok(Control::Return(Part::Data(data)));
                }
            }
            (Form::Primitive(primitive), operands) => {
                let index = term.child(2).and_then(|index| self.texts.get(index.text).index);
                let value = primitive.read(&self.buffers, operands, index);
                if let Some(value) = value.or_else(|| primitive.apply(self.types, operands, index))
                {
                    return Ok(Control::Return(value));
                }
            }
            (Form::With(names), [Part::Aggregate(value), new @ ..]) => {
                let fields = names.iter().map(|name| value.field(name));
                let takes = |field: usize, part: &Part| match &value.kind {
                    AggregateKind::Made(constructor) => constructor.takes(field, part),
                    AggregateKind::Array => false,
                };
                if let Some(fields) = fields.collect::<Option<Vec<usize>>>()
                    && fields.iter().zip(new).all(|(&field, part)| takes(field, part))
                {
                    let mut parts = value.parts.to_vec();
                    for (field, part) in fields.into_iter().zip(new) {
                        parts[field] = part.clone();
                    }
                    return Ok(Control::Return(made(value.kind.clone(), parts)));
                }
            }
            _ => {}
        }
        self.unexpected(&term, "this is not defined on such values")
    }

    /// The body of a `case` for its scrutinee, with the fields substituted.
    fn case(&mut self, term: &Rc<Node>, value: &Rc<Aggregate>) -> Step<Control> {
        let form = self.texts.get(term.text).form.clone();
        let (Form::Case(arms), AggregateKind::Made(made)) = (form, &value.kind) else {
            return self.unexpected(term, "the scrutinee is not a variant");
        };
        let is_for = |arm: &Arm| arm.constructor.as_ref().is_none_or(|c| c == made);
        let Some(index) = arms.iter().position(is_for) else {
            return self.unexpected(term, "no arm is for this case");
        };
        self.note_decision(term, &Part::Aggregate(Rc::clone(value)), 1 + index);
        let body = self.child(term, 1 + index)?;
        if arms[index].constructor.is_none() {
            return Ok(Control::Reduce(body));
        }
        let scrutinee = self.child(term, 0)?;
        let field = |(index, part): (usize, Part)| match part {
            Part::Data(_) | Part::Aggregate(_) if self.has_derivatives => {
                let of = (term.text, scrutinee.clone());
                Node::field(of, made, index, self.pixel, part)
            }
            _ => Node::of_part(term.text, part),
        };
        let fields: Vec<Rc<Node>> = value.parts.iter().enumerate().map(field).collect();
        let first = arms[index].first;
        if O::IS_ACTIVE && self.is_watched() {
            for (variable, part) in (first..).zip(value.parts.iter()) {
                self.watcher.bind_value(variable, &part);
            }
        }
        Ok(Control::Reduce(self.substitution.apply(&self.texts, &body, first, &fields)))
    }

    /// Reduces the operands of a builtin from `next` on, then applies it.
    fn operands(
        &mut self,
        application: Rc<Node>,
        builtin: Builtin,
        mut next: usize,
    ) -> Step<Control> {
        if let Some(axis) = builtin.axis() {
            return self.derivative(application, axis, self.pixel, None);
        }
        while let Some(operand) = application.child(1 + next) {
            next += 1;
            if !operand.is_evaluated(self.pixel) {
                self.frames.push(ReductionFrame::Operands { application, builtin, next });
                return Ok(Control::Reduce(operand));
            }
        }
        let nodes = self.values(&application);
        // The only builtin that accepts aggregates, whole.
        if builtin.name() == "select"
            && let [condition, then, otherwise] = &nodes[..]
            && let Some(Data { ty: Type::BOOL, words }) = condition.data(self.pixel)
            && otherwise.data(self.pixel).is_none()
        {
            let chosen = if words[0] != 0 { then } else { otherwise };
            return Ok(Control::Reduce(chosen.clone()));
        }
        let Some(values) = nodes.iter().map(|n| n.data(self.pixel)).collect::<Option<Vec<Data>>>()
        else {
            return self.unexpected(&application, "an operand is not a value");
        };
        let operands: Vec<Operand> = values
            .iter()
            .zip(&nodes)
            .map(|(v, n)| Operand {
                index: self.texts.get(n.text).index,
                ..Operand::of(self.types, v.ty)
            })
            .collect();
        let Ok(resolved) = builtin.resolve(&operands) else {
            return self.unexpected(&application, "a builtin does not take these operands");
        };
        if O::IS_ACTIVE && self.watcher.is_own(application.text) {
            let operands = values.iter().map(|of| (of.ty, of.words.clone())).collect();
            let at = self.texts.get(application.text).span;
            self.watcher.event(SourceEvent::Operation { builtin, at, operands });
        }
        if let Recipe::Expansion(text) = resolved.recipe {
            let function = self.expansion(text)?;
            return Ok(Control::Reduce(self.enter(&function, &nodes)?));
        }
        if resolved.recipe == Recipe::Input(Input::FragCoord) {
            let mut here = self.pixel.frag_coord(self.inputs.frag_coord);
            let of_triangle = [StageInput::Depth(Place::HERE), StageInput::W(Place::HERE)];
            for (part, input) in here[2..].iter_mut().zip(of_triangle) {
                if let Some(data) = self.stage_input(input) {
                    *part = f32::from_bits(data.words[0]);
                }
            }
            return Ok(Control::Return(Part::Data(Data::floats(resolved.result, &here))));
        }
        if let Recipe::Stage(input) = resolved.recipe {
            return match self.stage_input(input) {
                Some(data) => Ok(Control::Return(Part::Data(data))),
                None => self.unexpected(&application, "this input of a stage has no value"),
            };
        }
        match follow(self.types, &resolved.recipe, &values, self.inputs) {
            Some(data) if data.ty == resolved.result => Ok(Control::Return(Part::Data(data))),
            _ => self.unexpected(&application, "the recipe of a builtin does not fit"),
        }
    }

    /// The value of an input of a stage at the pixel at which terms are reduced.
    fn stage_input(&self, input: StageInput) -> Option<Data> {
        let (ty, words) = self.stage.value(input.at(self.pixel.place()))?;
        Some(Data { ty, words })
    }

    /// The function of an expansion's text.
    fn expansion(&mut self, text: String) -> Step<Rc<Node>> {
        if let Some(known) = self.expansions.get(&text) {
            return Ok(known.clone());
        }
        let (tree, errors) = syntax::parse(&SourceFile::new("<expansion>", text.as_str()));
        if !errors.is_empty() {
            return Err(SourceFault::Unexpected(Span::default(), "a malformed expansion"));
        }
        let root = read::expansion(&tree, &mut self.texts)?;
        instantiate(&self.texts, self.nodes.len(), &mut self.nodes);
        let function = self.nodes[root.0 as usize].clone();
        self.expansions.insert(text, function.clone());
        Ok(function)
    }

    /// Reduces the value arguments of a `rec-func` or `rec` from `next` on, then begins a round.
    fn arguments(
        &mut self,
        application: Rc<Node>,
        callee: Rc<Node>,
        functions: Rc<[bool]>,
        mut next: usize,
    ) -> Step<Control> {
        while let Some(argument) = application.child(1 + next) {
            let is_function = functions.get(next).copied().unwrap_or(false);
            next += 1;
            if !is_function && !argument.is_evaluated(self.pixel) {
                self.frames.push(ReductionFrame::Arguments {
                    application,
                    callee,
                    functions,
                    next,
                });
                return Ok(Control::Reduce(argument));
            }
        }
        let entry = match &*callee.state.borrow() {
            State::Rec(entry) => Some(entry.clone()),
            _ => None,
        };
        let mut values = self.values(&application);
        let entry = match entry {
            Some(entry) => {
                self.go_on(&application, &entry)?;
                // An argument passed on unchanged keeps its term. Other parameters belong to the pixel: their
                // terms are dropped, since each holds that of the round before.
                for (value, first) in values.iter_mut().zip(&entry.first) {
                    if Rc::ptr_eq(&self.without_probes(value), first) {
                        value.clone_from(first);
                    } else if let Some(data) = value.data(self.pixel) {
                        *value = Node::of_part(value.text, Part::Data(data));
                    }
                }
                entry
            }
            None => {
                let kept = values.iter().filter(|_| self.has_derivatives);
                let first: Vec<Rc<Node>> = kept.map(|value| self.without_probes(value)).collect();
                let (first, rounds) = (first.into(), Cell::new(0));
                let (scope, back) = match O::IS_ACTIVE && self.is_watched() {
                    true => (self.note_loop(&application, &callee), self.watcher.scope),
                    false => (0, 0),
                };
                let entry = Entry { function: callee, functions, first, rounds, scope, back };
                let entry = Rc::new(entry);
                self.frames.push(ReductionFrame::Loop(entry.clone()));
                entry
            }
        };
        if O::IS_ACTIVE && entry.scope != 0 {
            self.note_round(&application, &entry, &values);
        }
        values.push(Node::rec(entry.clone()));
        Ok(Control::Reduce(self.enter(&entry.function, &values)?))
    }

    /// The term inside of `probe`s.
    fn without_probes(&self, node: &Rc<Node>) -> Rc<Node> {
        let mut node = node.clone();
        while let Form::Probe(_) = self.texts.get(node.text).form
            && let Some(inner) = node.child(0)
        {
            node = inner;
        }
        node
    }

    /// Counts an executed `rec`, and drops the update frames of terms whose value is the loop's.
    fn go_on(&mut self, application: &Node, entry: &Rc<Entry>) -> Step<()> {
        let rounds = entry.rounds.get() + 1;
        let mut limit = self.limits.max_iterations;
        if is_active(Mutant::OneRoundMore) {
            limit = limit.saturating_add(1);
        }
        if rounds > limit {
            return Err(EvaluationFault::LoopLimit(self.texts.get(entry.function.text).span).into());
        }
        entry.rounds.set(rounds);
        loop {
            match self.frames.last() {
                // A call or an observed term that ends in `rec` has no value of its own, too.
                Some(
                    ReductionFrame::Update(_)
                    | ReductionFrame::Probe(..)
                    | ReductionFrame::Watched(..)
                    | ReductionFrame::Called(..),
                ) => {
                    self.frames.pop();
                }
                Some(ReductionFrame::Loop(innermost)) if Rc::ptr_eq(innermost, entry) => {
                    return Ok(());
                }
                _ => return self.unexpected(application, "`rec` is not in tail position"),
            }
        }
    }

    /// True at the evaluated pixel itself.
    fn is_watched(&self) -> bool {
        self.pixel == Pixel::default()
    }

    /// Tells the observer that the child `taken` of an `if` or `case` is evaluated next.
    fn note_decision(&mut self, choice: &Node, value: &Part, taken: usize) {
        if !O::IS_ACTIVE || !self.is_watched() || !self.watcher.is_own(choice.text) {
            return;
        }
        let text = self.texts.get(choice.text);
        let child = |index: usize| self.watcher.part(choice.text, index);
        if let (Some(condition), Some(arm), Some(value)) = (child(0), child(taken), seen(value)) {
            let at = text.span;
            self.watcher.event(SourceEvent::Condition { at, condition, value, arm });
        }
    }

    /// Begins the scope of a call, whose parameters are the variables from `first` on.
    fn note_call(
        &mut self,
        application: &Node,
        callee: &Node,
        first: Variable,
        values: &[Rc<Node>],
    ) {
        let at = self.texts.get(application.text).span;
        let (name, back) = (self.watcher.function(callee), self.watcher.scope);
        let scope = self.watcher.open(|scope| SourceEvent::Call { scope, name, at });
        self.watcher.bind(&self.texts, first, values, Some(scope));
        self.frames.push(ReductionFrame::Called(scope, back));
        self.watcher.scope = scope;
    }

    /// Begins the scope of a loop; the current scope stays.
    fn note_loop(&mut self, application: &Node, callee: &Node) -> u32 {
        let at = self.texts.get(application.text).span;
        let name = self.watcher.function(callee);
        self.watcher.open(|scope| SourceEvent::Loop { scope, name, at })
    }

    /// Begins the scope of a round.
    fn note_round(&mut self, application: &Node, entry: &Entry, values: &[Rc<Node>]) {
        let at = self.texts.get(application.text).span;
        self.watcher.scope = entry.scope;
        let scope = self.watcher.open(|scope| SourceEvent::Round { scope, at });
        if let Form::RecFunc(first, _) = self.texts.get(entry.function.text).form {
            self.watcher.bind(&self.texts, first, values, Some(scope));
        }
        self.watcher.scope = scope;
    }

    /// True if a closed term denotes a function. No condition is reduced: the branches of an `if` are both
    /// functions or both not. No argument is reduced either, since function arguments must not be, and this
    /// test is to find them.
    fn is_function(&mut self, term: &Rc<Node>) -> Step<bool> {
        let is_function = self.denotes_function(term)?;
        term.is_known_function.set(is_function);
        Ok(is_function)
    }

    fn denotes_function(&mut self, term: &Rc<Node>) -> Step<bool> {
        let mut node = term.clone();
        // Pending outer forms, innermost last.
        let mut around: Vec<Around> = Vec::new();
        loop {
            self.count()?;
            if around.is_empty() && node.is_known_function.get() {
                return Ok(true);
            }
            let seen = match &*node.state.borrow() {
                State::Data(_) => return Ok(false),
                State::Rec(_) => return Ok(around.is_empty()),
                State::Function(function) => Some(function.clone()),
                State::Aggregate(value) => match around.pop() {
                    Some(Around::Field(name)) => match value.field(&name[1..]) {
                        Some(field) => Some(Node::of_part(node.text, value.parts.get(field))),
                        None => return self.unexpected(&node, "there is no such field"),
                    },
                    Some(Around::Application(_)) | None => return Ok(false),
                },
                State::Term(_) => None,
                State::Known(known) => match &known.term {
                    Source::Term(_) => None,
                    Source::Field(..) => return Ok(false),
                },
            };
            if let Some(value) = seen {
                node = value;
                continue;
            }
            node = match self.texts.get(node.text).form.clone() {
                Form::Data(_)
                | Form::Uniform(_)
                | Form::Fixed(_)
                | Form::Stage(_)
                | Form::Constant(_) => return Ok(false),
                Form::The(_) if around.is_empty() => return Ok(false),
                Form::The(_) | Form::Probe(_) => self.child(&node, 0)?,
                Form::Builtin(_) | Form::Primitive(_) | Form::RecFunc(..) => {
                    return Ok(around.is_empty());
                }
                Form::Func(..) => match around.pop() {
                    None => return Ok(true),
                    Some(Around::Application(application)) => {
                        self.enter(&node, &self.values(&application))?
                    }
                    Some(Around::Field(_)) => return self.unexpected(&node, "it has no fields"),
                },
                Form::Accessor(name) => match around.pop() {
                    None => return Ok(true),
                    Some(Around::Application(application)) => {
                        around.push(Around::Field(name));
                        self.child(&application, 1)?
                    }
                    Some(Around::Field(_)) => return self.unexpected(&node, "it has no fields"),
                },
                Form::Constructor(constructor) => match (around.pop(), around.pop()) {
                    (None, _) => return Ok(true),
                    (Some(Around::Application(made)), Some(Around::Field(name))) => {
                        let field = constructor.fields.iter().position(|f| **f == name[1..]);
                        match field {
                            Some(field) => self.child(&made, 1 + field)?,
                            None => return self.unexpected(&node, "there is no such field"),
                        }
                    }
                    _ => return Ok(false),
                },
                Form::With(names) => match around.last() {
                    Some(Around::Field(name)) => {
                        let new = names.iter().position(|field| **field == name[1..]);
                        if new.is_some() {
                            around.pop();
                        }
                        self.child(&node, new.map_or(0, |new| 1 + new))?
                    }
                    Some(Around::Application(_)) | None => return Ok(false),
                },
                Form::Apply => {
                    let callee = self.child(&node, 0)?;
                    around.push(Around::Application(node));
                    callee
                }
                Form::Let(first) => self.let_(&node, first)?,
                Form::If | Form::Case(_) => self.child(&node, 1)?,
                // A field bound by a `case`.
                Form::Variable(_) => return Ok(false),
            };
        }
    }
}

/// A pending outer form.
enum Around {
    Application(Rc<Node>),
    /// Takes the field with this name, with its dot.
    Field(Arc<str>),
}

fn made(kind: AggregateKind, parts: Vec<Part>) -> Part {
    let parts = Parts::Values(parts);
    Part::Aggregate(Rc::new(Aggregate { kind, parts }))
}

/// True if a term of this form is a function without reduction.
fn is_function(form: &Form) -> bool {
    matches!(
        form,
        Form::Builtin(_)
            | Form::Func(..)
            | Form::RecFunc(..)
            | Form::Constructor(_)
            | Form::Accessor(_)
            | Form::Primitive(_)
    )
}
