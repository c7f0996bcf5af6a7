//! Random programs of structures, variants and arrays, built as graphs, so that backends are tested without
//! any text.

use lambdav_core::graph::{Core, Graph, NodeId, Output, Uniform};
use lambdav_core::inputs::Input;
use lambdav_core::op::Op;
use lambdav_core::source::Span;
use lambdav_core::types::{Case, Field, Scalar, Structure, Type, TypeKind, Variant};

use lambdav_test_support::Random;

const SPAN: Span = Span { start: 0, end: 0 };

/// A program with one output and about this many operations.
pub(crate) fn aggregates(random: &mut Random, operations: usize) -> Core {
    let mut maker = Maker { core: Core::default(), random, types: Vec::new(), nodes: Vec::new() };
    maker.declare();
    maker.leaves();
    for _ in 0..operations {
        let made = maker.operation();
        maker.nodes.push(made);
    }
    maker.output();
    maker.core
}

struct Maker<'r> {
    core: Core,
    random: &'r mut Random,
    types: Vec<Type>,
    nodes: Vec<NodeId>,
}

fn field(name: &str, ty: Type) -> Field {
    Field { name: name.into(), ty, is_generic: false }
}

impl Maker<'_> {
    fn graph(&mut self) -> &mut Graph {
        &mut self.core.graph
    }

    fn op(&mut self, op: Op, operands: &[NodeId]) -> NodeId {
        self.graph().op(op, operands.to_vec(), SPAN)
    }

    fn ty(&self, node: NodeId) -> Type {
        self.core.graph.value_type(node)
    }

    /// Declares the types of the program, parts before wholes.
    fn declare(&mut self) {
        let small = "declared types are small";
        let types = self.core.graph.types_mut();
        let short = types.add_array(Type::NUM, 3).expect(small);
        let long = types.add_array(Type::vec(2), 19).expect(small);
        let bools = types.add_array(Type::BOOL, 11).expect(small);
        let fields = [field("a", Type::INT), field("b", short), field("c", Type::bvec(2))];
        let structure = Structure { name: "S".into(), fields: fields.into() };
        let structure = types.add_structure(structure).expect(small);
        let unit = Structure { name: "Unit".into(), fields: [].into() };
        let unit = types.add_structure(unit).expect(small);
        let cases = [
            Case {
                name: "A".into(),
                fields: [field("x", Type::NUM), field("y", Type::UINT)].into(),
            },
            Case {
                name: "B".into(),
                fields: [field("s", structure), field("t", Type::vec(3))].into(),
            },
            Case { name: "C".into(), fields: [].into() },
        ];
        let variant = Variant { name: "V".into(), cases: cases.into() };
        let variant = types.add_variant(variant).expect(small);
        let structures = types.add_array(structure, 4).expect(small);
        let variants = types.add_array(variant, 3).expect(small);
        let nested = types.add_array(long, 2).expect(small);
        let all = [field("m", Type::mat(2)), field("l", nested), field("s", structures)];
        let all = Structure { name: "All".into(), fields: all.into() };
        let all = types.add_structure(all).expect(small);
        self.types = vec![
            Type::NUM,
            Type::INT,
            Type::UINT,
            Type::BOOL,
            Type::vec(2),
            Type::vec(3),
            Type::mat(2),
            short,
            long,
            bools,
            structure,
            unit,
            variant,
            structures,
            variants,
            all,
        ];
    }

    fn words(&mut self, ty: Type) -> Vec<u32> {
        let scalars: Vec<Scalar> = self.core.graph.types().scalars(ty).collect();
        let is_variant = |types: &lambdav_core::types::Types, ty| types.variant(ty).is_some();
        assert!(!is_variant(self.core.graph.types(), ty), "variants are injected");
        let random = &mut *self.random;
        let word = |scalar| match scalar {
            Scalar::F32 => (random.below(64) as f32 / 4.0 - 8.0).to_bits(),
            Scalar::Bool => random.below(2) as u32,
            Scalar::I32 | Scalar::U32 => (random.below(24) as u32).wrapping_sub(4),
        };
        scalars.into_iter().map(word).collect()
    }

    fn leaves(&mut self) {
        for ty in self.types.clone() {
            let has_variant = self.core.graph.types().name(ty).to_string().contains('V');
            if has_variant {
                continue;
            }
            let words = self.words(ty);
            let constant = self.graph().constant(ty, &words, SPAN);
            self.nodes.push(constant);
            let default = self.words(ty).into();
            let index = self.core.uniforms.len() as u32;
            self.core.uniforms.push(Uniform { name: format!("u{index}"), ty, default });
            let uniform = self.graph().uniform(index, ty, SPAN);
            self.nodes.push(uniform);
        }
        let coordinate = self.graph().input(Input::FragCoord, SPAN);
        for k in 0..2 {
            let number = self.op(Op::Component(k), &[coordinate]);
            let integer = self.op(Op::Convert(Scalar::I32), &[number]);
            let five = self.graph().constant(Type::INT, &[5], SPAN);
            let small = self.op(Op::Sub, &[integer, five]);
            self.nodes.extend([number, small]);
        }
    }

    /// A value of that type: mostly an existing one, else a new one.
    fn value(&mut self, ty: Type) -> NodeId {
        let known = self.nodes.iter().copied().filter(|&node| self.ty(node) == ty);
        let known: Vec<NodeId> = known.collect();
        if !known.is_empty() && !self.random.percent(8) {
            // Prefers the latest values, so that chains grow.
            let from = if self.random.percent(60) { known.len().saturating_sub(4) } else { 0 };
            return known[from + self.random.below(known.len() - from)];
        }
        self.make(ty)
    }

    /// Constructs a value of that type.
    fn make(&mut self, ty: Type) -> NodeId {
        let types = self.core.graph.types();
        if let Some(variant) = types.variant(ty) {
            let case = self.random.below(variant.cases.len());
            let fields: Vec<Type> = variant.cases[case].fields.iter().map(|f| f.ty).collect();
            let operands: Vec<NodeId> = fields.into_iter().map(|ty| self.value(ty)).collect();
            return self.op(Op::Inject(ty, case as u32), &operands);
        }
        let parts: Vec<Type> = types.parts(ty).collect();
        if parts.is_empty() && !matches!(types.kind(ty), TypeKind::Structure(_)) {
            let words = self.words(ty);
            return self.graph().constant(ty, &words, SPAN);
        }
        let operands: Vec<NodeId> = parts.into_iter().map(|ty| self.value(ty)).collect();
        self.op(Op::Construct(ty), &operands)
    }

    fn index(&mut self) -> NodeId {
        let ty = [Type::INT, Type::INT, Type::UINT][self.random.below(3)];
        self.value(ty)
    }

    /// A part of a value, by a constant or computed index; the value itself if it has no parts.
    fn part(&mut self, of: NodeId) -> NodeId {
        let ty = self.ty(of);
        let types = self.core.graph.types();
        if let Some(variant) = types.variant(ty) {
            let case = self.random.below(variant.cases.len());
            let fields = variant.cases[case].fields.len();
            return if fields == 0 {
                self.op(Op::Tag, &[of])
            } else {
                let field = self.random.below(fields) as u32;
                self.op(Op::Payload(case as u32, field), &[of])
            };
        }
        let count = types.parts(ty).len();
        if count == 0 {
            return of;
        }
        match types.kind(ty) {
            TypeKind::Structure(_) => {
                let field = self.random.below(count) as u32;
                self.op(Op::Field(field), &[of])
            }
            TypeKind::Vector(..) if self.random.percent(50) => {
                let part = self.random.below(count) as u8;
                self.op(Op::Component(part), &[of])
            }
            TypeKind::Matrix(..) if self.random.percent(50) => {
                let part = self.random.below(count) as u8;
                self.op(Op::Column(part), &[of])
            }
            _ => {
                let index = self.index();
                self.op(Op::At, &[of, index])
            }
        }
    }

    fn condition(&mut self) -> NodeId {
        match self.random.below(3) {
            0 => self.value(Type::BOOL),
            1 => {
                let of = [self.value(Type::INT), self.value(Type::INT)];
                self.op(Op::Less, &of)
            }
            _ => {
                let of = [self.value(Type::NUM), self.value(Type::NUM)];
                self.op(Op::LessEqual, &of)
            }
        }
    }

    fn operation(&mut self) -> NodeId {
        let ty = self.types[self.random.below(self.types.len())];
        match self.random.below(12) {
            0..3 => {
                let of = self.value(ty);
                self.part(of)
            }
            3..5 => {
                let of = self.value(ty);
                let types = self.core.graph.types();
                match types.kind(ty) {
                    TypeKind::Array(..) | TypeKind::Vector(..) | TypeKind::Matrix(..) => {
                        let (part, _) = types.part(ty, 0).expect("it has parts");
                        let operands = [of, self.index(), self.value(part)];
                        self.op(Op::Update, &operands)
                    }
                    _ => self.part(of),
                }
            }
            5..7 => self.make(ty),
            7 => {
                let operands = [self.condition(), self.value(ty), self.value(ty)];
                self.op(Op::Select, &operands)
            }
            8 => {
                let of = [self.condition(), self.value(ty), self.value(ty)];
                self.graph().if_(of, SPAN)
            }
            9 => {
                let of = [self.value(Type::NUM), self.value(Type::NUM)];
                let op = [Op::Add, Op::Sub, Op::Mul][self.random.below(3)];
                self.op(op, &of)
            }
            10 => {
                let of = [self.value(Type::INT), self.value(Type::INT)];
                let op = [Op::Add, Op::Sub][self.random.below(2)];
                self.op(op, &of)
            }
            _ => self.iteration(ty),
        }
    }

    /// A loop of at most seven rounds that carries a value of that type.
    fn iteration(&mut self, ty: Type) -> NodeId {
        let of = self.graph().begin_loop();
        let count = self.graph().param(of, 0, Type::INT, SPAN);
        let carried = self.graph().param(of, 1, ty, SPAN);
        let rounds = self.value(Type::INT);
        let inits = vec![self.graph().constant(Type::INT, &[0], SPAN), self.value(ty)];
        let mask = self.graph().constant(Type::INT, &[7], SPAN);
        let rounds = self.op(Op::And, &[rounds, mask]);
        let one = self.graph().constant(Type::INT, &[1], SPAN);
        let goes_on = self.op(Op::Less, &[count, rounds]);
        let next = self.op(Op::Add, &[count, one]);
        let before = self.nodes.len();
        self.nodes.extend([count, carried, carried, carried]);
        for _ in 0..3 {
            let part = self.part(carried);
            self.nodes.push(part);
            let types = self.core.graph.types();
            if let TypeKind::Array(element, _) = *types.kind(ty) {
                let operands = [carried, count, self.value(element)];
                let updated = self.op(Op::Update, &operands);
                self.nodes.push(updated);
            }
        }
        let changed = self.value(ty);
        let value = self.value(ty);
        self.nodes.truncate(before);
        let rec = self.graph().rec(of, vec![next, changed], SPAN);
        let body = self.graph().if_([goes_on, rec, value], SPAN);
        self.graph().finish_loop(of, vec![count, carried], inits, body, SPAN)
    }

    /// A number computed from a value.
    fn number(&mut self, mut node: NodeId) -> NodeId {
        loop {
            let ty = self.ty(node);
            match ty.scalar().filter(|_| ty.width() == Some(1)) {
                Some(Scalar::F32) => return node,
                Some(_) => return self.op(Op::Convert(Scalar::F32), &[node]),
                None if self.core.graph.types().components(ty) == 0 => {
                    return self.value(Type::NUM);
                }
                None => node = self.part(node),
            }
        }
    }

    fn output(&mut self) {
        let mut channels = [None; 4];
        for k in 0..24 {
            let from = if k % 2 == 0 { self.nodes.len() / 2 } else { 0 };
            let node = self.nodes[from + self.random.below(self.nodes.len() - from)];
            let number = self.number(node);
            let channel = channels[k % 4];
            channels[k % 4] = Some(match channel {
                Some(sum) => self.op(Op::Add, &[sum, number]),
                None => number,
            });
        }
        let channels = channels.map(|channel| channel.expect("each has several"));
        let node = self.op(Op::Construct(Type::vec(4)), &channels);
        self.core.outputs.push(Output { location: 0, node, span: SPAN });
    }
}
