//! Builtins: evaluates their operands and builds the nodes of their recipes.

use super::constancy::Constancy;
use super::continuation::{Continuation, OperandSource, State};
use super::elaborator::Elaborator;
use super::values::{Data, FunctionId, FunctionValue, ROOT, Site, Value};
use crate::builtins::{Builtin, Operand, Recipe, SignatureError};
use crate::resolve::{Code, resolve_expansion};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{Axis, NodeId, Place, Side, StageInput};
use lambdav_core::inputs::Input;
use lambdav_core::op::{Op, clamped_index};
use lambdav_core::sets::SetId;
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type, TypeKind};

impl Elaborator {
    pub(super) fn apply_builtin(
        &mut self,
        builtin: Builtin,
        site: Site,
        source: OperandSource,
    ) -> State {
        let count = self.argument_count_of(site);
        let (least, most) = builtin.arity();
        if !builtin.is_function() || count < least || most.is_some_and(|most| count > most) {
            // Any types: the number of operands is wrong.
            let operands = vec![Operand::from(Type::NUM); count];
            let error = builtin.resolve(&operands).expect_err("the number of operands is wrong");
            self.report_signature(builtin, &error, &operands, site);
            return State::Return(Value::Error);
        }
        self.next_operand(builtin, site, source, Vec::with_capacity(count))
    }

    pub(super) fn argument_count_of(&self, site: Site) -> usize {
        match self.arena.get(site.code) {
            Code::Apply { arguments, .. } => arguments.len(),
            Code::Tabulate(..) => 1,
            _ => unreachable!("a site is an application"),
        }
    }

    /// Evaluates the next operand, or applies the builtin when all have values.
    pub(super) fn next_operand(
        &mut self,
        builtin: Builtin,
        site: Site,
        source: OperandSource,
        values: Vec<Value>,
    ) -> State {
        let next = values.len();
        let state = match &source {
            OperandSource::Text(env) => {
                if next < self.argument_count_of(site) {
                    Some(State::Evaluate(self.argument_code(site, next), *env))
                } else {
                    None
                }
            }
            OperandSource::Arguments(arguments) => {
                arguments.get(next).map(|&argument| State::Force(argument))
            }
        };
        match state {
            Some(state) => {
                self.wait(Continuation::Operands { builtin, site, source, values });
                state
            }
            None => self.apply_to_values(builtin, site, &values),
        }
    }

    pub(super) fn apply_to_values(
        &mut self,
        builtin: Builtin,
        site: Site,
        values: &[Value],
    ) -> State {
        let mut data = Vec::with_capacity(values.len());
        for (i, &value) in values.iter().enumerate() {
            let span = self.argument_span(site, i);
            let role = format_args!("an operand of `{}`", builtin.name());
            match self.require_value(value, span, role, Some(site.activation)) {
                Some(one) => data.push(one),
                None => return State::Return(Value::Error),
            }
        }
        let operands: Vec<Operand> = data
            .iter()
            .enumerate()
            .map(|(i, one)| Operand {
                index: match self.arena.get(self.argument_code(site, i)) {
                    Code::Number(_, index) => *index,
                    _ => None,
                },
                ..Operand::of(self.graph.types(), self.graph.value_type(one.node))
            })
            .collect();
        match builtin.resolve(&operands) {
            Ok(resolved) => {
                for other in self.probes(builtin, &resolved.recipe, &data, site) {
                    self.wait(Continuation::After { other, site });
                }
                self.follow(&resolved.recipe, &data, site)
            }
            Err(error) => {
                self.report_signature(builtin, &error, &operands, site);
                State::Return(Value::Error)
            }
        }
    }

    fn report_signature(
        &mut self,
        builtin: Builtin,
        error: &SignatureError,
        operands: &[Operand],
        site: Site,
    ) {
        let message = builtin.message(self.graph.types(), error, operands);
        let span = match error {
            SignatureError::Index { operand, .. } => self.argument_span(site, *operand),
            SignatureError::NotAFunction => match *self.arena.get(site.code) {
                Code::Apply { callee, .. } => self.span_in(callee, site.activation),
                _ => unreachable!("a site is an application"),
            },
            _ => self.site_span(site),
        };
        let help = match error {
            SignatureError::Types { instead: Some(instead), .. } => Some((*instead).to_owned()),
            SignatureError::Index { operand, found: None, .. } => {
                let mut converted = operands.to_vec();
                converted[*operand] = Type::INT.into();
                let is_enough = builtin.resolve(&converted).is_ok();
                is_enough.then(|| "an index that is computed is an integer: `(int …)`".to_owned())
            }
            SignatureError::Types { .. } => pick_components(operands).or_else(|| convert(operands)),
            _ => None,
        };
        let help = help.unwrap_or_else(|| format!("write `{}`", builtin.usage()));
        let mut diagnostic = Diagnostic::new(error.code(), span, message).help(help);
        if let SignatureError::Types { culprit, .. } = error {
            let shown: Vec<usize> = match culprit {
                Some(k) if operands.len() > 2 => vec![*k],
                _ => (0..operands.len()).collect(),
            };
            for i in shown {
                let at = self.argument_span(site, i);
                if at != span {
                    diagnostic = diagnostic.also(at, format!("this is {}", self.a(operands[i].ty)));
                }
            }
        }
        self.report_in(diagnostic, site.activation);
    }

    /// Builds the nodes of a recipe.
    fn follow(&mut self, recipe: &Recipe, operands: &[Data], site: Site) -> State {
        let span = self.site_span(site);
        let constancy = self.constancy_of(recipe, operands);
        let nodes: Vec<NodeId> = operands.iter().map(|operand| operand.node).collect();
        let node = match recipe {
            Recipe::Fold(op, ty) => {
                let mut operands = nodes.iter().map(|&n| (n, *ty)).collect::<Vec<_>>().into_iter();
                let (first, ty) = operands.next().expect("a fold has an operand");
                let first = self.graph.broadcast(first, ty, span);
                if nodes.len() == 1 {
                    self.graph.op(*op, vec![first], span)
                } else {
                    operands.fold(first, |left, (right, ty)| {
                        let right = self.graph.broadcast(right, ty, span);
                        self.graph.op(*op, vec![left, right], span)
                    })
                }
            }
            Recipe::Reversed(op, ty) => {
                let operands = [nodes[1], nodes[0]].map(|n| self.graph.broadcast(n, *ty, span));
                self.graph.op(*op, operands.into(), span)
            }
            Recipe::Broadcast(op, width) => {
                let operands = nodes.iter().map(|&node| {
                    let ty = self.graph.value_type(node);
                    let scalar = self.graph.types().component(ty, 0);
                    self.graph.broadcast(node, Type::of(scalar, *width), span)
                });
                let operands = operands.collect();
                self.graph.op(*op, operands, span)
            }
            Recipe::Direct(op) => self.graph.op(*op, nodes, span),
            Recipe::Flatten(ty) => self.flatten(*ty, &nodes, span),
            Recipe::Diagonal(ty) => self.diagonal(*ty, nodes[0], span),
            Recipe::Swizzle(components) => {
                let vector = self.graph.value_type(nodes[0]);
                let scalar = self.graph.types().component(vector, 0);
                let parts: Vec<NodeId> = components
                    .iter()
                    .map(|&k| self.graph.op(Op::Component(k), vec![nodes[0]], span))
                    .collect();
                match parts.as_slice() {
                    &[one] => one,
                    _ => {
                        let ty = Type::of(scalar, parts.len() as u8);
                        self.graph.op(Op::Construct(ty), parts, span)
                    }
                }
            }
            Recipe::Column(k) => self.graph.op(Op::Column(*k), vec![nodes[0]], span),
            Recipe::At(index) => {
                let index = self.index(*index, operands, site);
                self.graph.op(Op::At, vec![nodes[0], index], span)
            }
            Recipe::Element(index) => {
                let index = match *index {
                    Some(index) => {
                        let span = self.argument_span(site, 1);
                        self.graph.constant(Type::UINT, &[index], span)
                    }
                    None => nodes[1],
                };
                self.graph.op(Op::Element, vec![nodes[0], index], span)
            }
            Recipe::Update(index) => {
                let index = self.index(*index, operands, site);
                let updated = self.graph.op(Op::Update, vec![nodes[0], index, nodes[2]], span);
                self.folded(updated, constancy, span)
            }
            Recipe::Input(Input::FragCoord) if self.draws_triangles => self.frag_coord(span),
            Recipe::Input(input) => self.graph.input(*input, span),
            Recipe::Stage(input) => self.graph.stage_input(*input, input.ty(&[], &[]), span),
            Recipe::Derivative(axis) => match self.derivative(*axis, nodes[0], site) {
                Some(node) => node,
                None => return State::Return(Value::Error),
            },
            Recipe::Expansion(text) => {
                let function = self.expansion(text);
                let argument = |node| self.data(node, constancy);
                let arguments = Self::arguments_of(nodes.into_iter().map(argument));
                return State::Apply(function, site, arguments);
            }
        };
        State::Return(self.data(node, constancy))
    }

    /// The difference of a node's values at the two pixels of the quad. An error if the node has no value at
    /// the other pixel: a parameter of a loop around it belongs to a round, and a field bound by a `case`
    /// around it to a case.
    fn derivative(&mut self, axis: Axis, of: NodeId, site: Site) -> Option<NodeId> {
        let span = self.site_span(site);
        if self.axes.is_some() {
            let message = "a pass has no derivatives";
            let diagnostic = Diagnostic::new(DiagnosticCode::WrongStage, span, message)
                .label("ids have no neighbours")
                .help("take it in an output; of a texture, `sample-level` asks no neighbour");
            self.report_in(diagnostic, site.activation);
            return None;
        }
        if self.is_in_vertex_stage {
            let message = "the vertex stage has no derivatives";
            let diagnostic = Diagnostic::new(DiagnosticCode::WrongStage, span, message)
                .label("vertices have no neighbours")
                .help("take it in an output; of a texture, `sample-level` asks no neighbour");
            self.report_in(diagnostic, site.activation);
            return None;
        }
        let around = self.graph.free_loops(of).first().copied();
        let (field, looked_at) = self.graph.undecided_field(of);
        self.steps += looked_at as u32;
        let diagnostic = Diagnostic::new(
            DiagnosticCode::NoNeighbour,
            span,
            "the neighbour has no value of this",
        );
        let diagnostic = match (around, field) {
            (Some(of), _) => diagnostic
                .label("this depends on a parameter of a loop around it")
                .also(self.loops[&of].span, "the loop is this"),
            (None, Some(_)) => {
                diagnostic.label("this depends on a field that a `case` around it binds")
            }
            (None, None) => {
                let before = self.graph.len();
                let [odd, even] = [Side::Odd, Side::Even]
                    .map(|side| self.graph.at_neighbour(&mut self.neighbours, of, axis, side));
                self.steps += (self.graph.len() - before) as u32;
                return Some(self.graph.op(Op::Sub, vec![odd, even], span));
            }
        };
        let help =
            "take it outside and pass its value on; of a texture, `sample-level` asks no neighbour";
        self.report_in(diagnostic.help(help), site.activation);
        None
    }

    /// `frag-coord` of a program that draws triangles: depth and 1/w are those of the triangle.
    fn frag_coord(&mut self, span: Span) -> NodeId {
        let position = self.graph.input(Input::FragCoord, span);
        let [x, y] = [0, 1].map(|k| self.graph.op(Op::Component(k), vec![position], span));
        let [z, w] = [StageInput::Depth(Place::HERE), StageInput::W(Place::HERE)]
            .map(|input| self.graph.stage_input(input, Type::NUM, span));
        self.graph.op(Op::Construct(Type::vec(4)), vec![x, y, z, w], span)
    }

    /// The value of an `update`. If it replaced the last part that was not constant, the result must be a
    /// constant node; it is folded from its parts.
    fn folded(&mut self, updated: NodeId, constancy: Constancy, span: Span) -> NodeId {
        let is_constant = self.constancies.whole(constancy).is_some();
        if !is_constant
            || self.graph.may_diverge(updated)
            || self.graph.constant_words(updated).is_some()
        {
            return updated;
        }
        let ty = self.graph.value_type(updated);
        let count = self.graph.types().parts(ty).len() as u32;
        let part = |k| {
            let index = self.graph.constant(Type::INT, &[k], span);
            self.graph.op(Op::At, vec![updated, index], span)
        };
        let parts = (0..count).map(part).collect();
        self.graph.op(Op::Construct(ty), parts, span)
    }

    /// The constancy of a recipe's value. A recipe that only moves components keeps theirs; any other is
    /// constant if all operands are.
    fn constancy_of(&mut self, recipe: &Recipe, operands: &[Data]) -> Constancy {
        let types = self.graph.types();
        let ty = |i: usize| self.graph.value_type(operands[i].node);
        let parts = |i: usize| types.parts(ty(i)).len();
        match recipe {
            Recipe::Input(_) | Recipe::Stage(_) => Constancy::Varies,
            Recipe::Direct(op) if op.reads_resource() => Constancy::Varies,
            Recipe::Element(_) => Constancy::Varies,
            Recipe::Flatten(made) => {
                let mut all = Vec::new();
                for (i, operand) in operands.iter().enumerate() {
                    match types.kind(ty(i)) {
                        TypeKind::Vector(_, n) => {
                            let n = usize::from(*n);
                            let part = |k| self.constancies.part(operand.constancy, k, n);
                            all.extend((0..n).map(part));
                        }
                        _ => all.push(operand.constancy),
                    }
                }
                match *types.kind(*made) {
                    TypeKind::Matrix(_, n) => {
                        let columns = all.chunks(n.into());
                        let columns: Vec<Constancy> =
                            columns.map(|column| self.constancies.made_of(column)).collect();
                        self.constancies.made_of(&columns)
                    }
                    TypeKind::Vector(_, n) if all.len() == 1 => {
                        self.constancies.made_of(&vec![all[0]; n.into()])
                    }
                    _ => self.constancies.made_of(&all),
                }
            }
            Recipe::Swizzle(components) => {
                let count = parts(0);
                let part = |&k: &u8| self.constancies.part(operands[0].constancy, k.into(), count);
                let all: Vec<Constancy> = components.iter().map(part).collect();
                self.constancies.made_of(&all)
            }
            Recipe::Column(k) => {
                self.constancies.part(operands[0].constancy, (*k).into(), parts(0))
            }
            Recipe::At(literal) => {
                let count = parts(0);
                let Some((index, by)) = self.constant_index(*literal, operands, count) else {
                    return Constancy::Varies;
                };
                let part = self.constancies.part(operands[0].constancy, index, count);
                self.constancies.decided_by(part, by)
            }
            Recipe::Update(literal) => {
                let count = parts(0);
                let Some((index, by)) = self.constant_index(*literal, operands, count) else {
                    return Constancy::Varies;
                };
                let [of, _, part] = [0, 1, 2].map(|i| operands[i].constancy);
                let updated = self.constancies.updated(of, index, count, part);
                self.constancies.decided_by(updated, by)
            }
            _ => self.constancies.all(operands.iter().map(|operand| operand.constancy)),
        }
    }

    /// The part selected by a constant index, and the origins of the index.
    fn constant_index(
        &self,
        literal: Option<u32>,
        operands: &[Data],
        count: usize,
    ) -> Option<(usize, SetId)> {
        if let Some(index) = literal {
            return Some((index as usize, SetId::EMPTY));
        }
        let (by, word) = self.constant(operands[1])?;
        Some((clamped_index(self.graph.value_type(operands[1].node), word, count), by))
    }

    /// The index of `at` or `update`: the literal, or the second operand.
    fn index(&mut self, literal: Option<u32>, operands: &[Data], site: Site) -> NodeId {
        let span = self.argument_span(site, 1);
        if let Some(index) = literal {
            return self.graph.constant(Type::INT, &[index], span);
        }
        let index = operands[1].node;
        let count = self.graph.types().parts(self.graph.value_type(operands[0].node)).len();
        if let Some((_, word)) = self.constant(operands[1])
            && word as usize >= count
        {
            let is_int = self.graph.value_type(index) == Type::INT;
            let shown = if is_int { (word as i32).to_string() } else { word.to_string() };
            self.report_in(
                Diagnostic::new(
                    DiagnosticCode::ConstantIndex,
                    span,
                    format!("the index {shown} lies outside"),
                )
                .label(format!("the indices are 0 to {}", count - 1))
                .help("an index is clamped: below 0 it is 0, above the last it is the last"),
                site.activation,
            );
        }
        index
    }

    /// The components of the operands, in order.
    fn scalars(&mut self, nodes: &[NodeId], span: Span) -> Vec<NodeId> {
        let mut scalars = Vec::new();
        for &node in nodes {
            match *self.graph.types().kind(self.graph.value_type(node)) {
                TypeKind::Vector(_, n) => {
                    for k in 0..n {
                        scalars.push(self.graph.op(Op::Component(k), vec![node], span));
                    }
                }
                _ => scalars.push(node),
            }
        }
        scalars
    }

    fn flatten(&mut self, ty: Type, nodes: &[NodeId], span: Span) -> NodeId {
        let mut scalars = self.scalars(nodes, span);
        match *self.graph.types().kind(ty) {
            TypeKind::Matrix(scalar, n) => {
                let column = Type::of(scalar, n);
                let columns = scalars
                    .chunks(n.into())
                    .map(|c| self.graph.op(Op::Construct(column), c.to_vec(), span))
                    .collect();
                self.graph.op(Op::Construct(ty), columns, span)
            }
            _ => {
                if scalars.len() == 1 {
                    scalars = vec![scalars[0]; self.graph.types().components(ty)];
                }
                self.graph.op(Op::Construct(ty), scalars, span)
            }
        }
    }

    fn diagonal(&mut self, ty: Type, value: NodeId, span: Span) -> NodeId {
        let TypeKind::Matrix(scalar, n) = *self.graph.types().kind(ty) else {
            unreachable!("a diagonal is that of a matrix")
        };
        let zero = self.graph.number(0.0, span);
        let columns = (0..n)
            .map(|i| {
                let column = (0..n).map(|j| if i == j { value } else { zero }).collect();
                self.graph.op(Op::Construct(Type::of(scalar, n)), column, span)
            })
            .collect();
        self.graph.op(Op::Construct(ty), columns, span)
    }

    /// The closure of an expansion's text.
    pub(super) fn expansion(&mut self, text: &str) -> FunctionId {
        if let Some(&known) = self.expansions.get(text) {
            return known;
        }
        let code = resolve_expansion(&mut self.arena, text);
        let id = self.function_id(FunctionValue::Closure { code, env: ROOT, expansion: true });
        self.expansions.insert(text.to_owned(), id);
        id
    }
}

/// The advice for numbers and vectors of one kind: only their sizes can be wrong.
fn pick_components(operands: &[Operand]) -> Option<String> {
    let kind = operands.first()?.ty.scalar().filter(|kind| *kind != Scalar::Bool)?;
    let sizes = operands.iter().filter_map(|operand| match operand.ty.builtin() {
        Some(TypeKind::Vector(scalar, size)) if scalar == kind => Some(Some(usize::from(size))),
        Some(TypeKind::Scalar(scalar)) if scalar == kind => None,
        _ => Some(None),
    });
    let sizes: Vec<usize> = sizes.collect::<Option<_>>()?;
    let (small, large) = (*sizes.iter().min()?, *sizes.iter().max()?);
    let swizzle = &"xyzw"[..small];
    let name = |size: usize| Type::of(kind, size as u8).name().unwrap_or_default();
    (small < large).then(|| {
        let (small, large) = (name(small), name(large));
        let article = if kind == Scalar::I32 { "an" } else { "a" };
        format!("pick components of the {large}: `(.{swizzle} v)` is {article} {small}")
    })
}

/// The advice for numbers of several kinds, or of a kind that the builtin does not accept.
fn convert(operands: &[Operand]) -> Option<String> {
    let is_of = |scalar: Scalar| move |operand: &Operand| operand.ty.scalar() == Some(scalar);
    let integer = operands.iter().find(|operand| operand.ty.is_integer())?;
    let (name, suffix) = match integer.ty.scalar() {
        Some(Scalar::I32) => ("int", 'i'),
        _ => ("uint", 'u'),
    };
    let literal = operands.iter().find_map(|operand| operand.index);
    Some(match literal.filter(|_| operands.iter().any(is_of(Scalar::F32))) {
        Some(number) => format!("`{number}{suffix}` is a literal of type {name}, `{number}` a num"),
        None if operands.iter().all(is_of(Scalar::I32))
            || operands.iter().all(is_of(Scalar::U32)) =>
        {
            "convert with `(num …)`: nothing is converted by itself".to_owned()
        }
        None => format!("convert with `({name} …)` or `(num …)`: nothing is converted by itself"),
    })
}
