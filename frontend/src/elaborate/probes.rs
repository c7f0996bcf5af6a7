//! Probes of a program whose undefined behaviour is to be reported ([`lambdav_core::probes`]).
//!
//! Conditions belong to the builtins that the author wrote: an application inside the expansion of another one has none. A
//! condition is elaborated on the operands' values; one that is false whatever the inputs are leaves nothing behind. Under `@`
//! constants decide, so an application to constants stays one: a condition that holds is noted at once, and so is one that
//! holds where the default of a uniform or constant is computed.

use super::elaborator::Elaborator;
use super::values::{Data, Site, Value};
use crate::builtins::{Builtin, Recipe};
use lambdav_core::graph::NodeId;
use lambdav_core::op::Op;
use lambdav_core::probes::{self, Operands};
use lambdav_core::source::Span;
use lambdav_core::types::{Scalar, Type};

/// A condition of an application.
struct Hit {
    node: NodeId,
    words: &'static str,
    /// Its place among the conditions of the builtin.
    place: u32,
}

/// The conditions of a builtin have places below this number.
const PLACES: u32 = 8;

impl Elaborator {
    /// The probes of an application of a builtin, if they are wanted.
    pub(super) fn probes(
        &mut self,
        builtin: Builtin,
        recipe: &Recipe,
        operands: &[Data],
        site: Site,
    ) -> Vec<NodeId> {
        let activation = &self.activations[site.activation.0 as usize];
        if self.sites.is_none() || activation.expansion.is_some() {
            return Vec::new();
        }
        let is_constant = |of: &Data| self.constancies.whole(of.constancy).is_some();
        let is_decided = self.is_eager(site.activation) && operands.iter().all(is_constant);
        let span = self.site_span(site);
        let (hits, shown) = match self.outside(recipe, operands, site) {
            Some((node, shown)) => {
                let words = "an index or level outside";
                (vec![Hit { node, words, place: 0 }], shown)
            }
            None => (
                self.conditions(builtin, operands, site),
                operands.iter().map(|of| of.node).collect(),
            ),
        };
        let order = builtin.place() * PLACES;
        let probes = hits.into_iter().filter_map(|Hit { node, words, place }| {
            let operation = builtin.name().into_owned();
            let site = probes::Site {
                span,
                operation,
                condition: words,
                order: order + place,
                is_defined: false,
            };
            match is_decided {
                true => {
                    self.meet(site, node, &shown);
                    None
                }
                false => self.probe(site, node, &shown),
            }
        });
        probes.collect()
    }

    /// The output, after a probe that it is finite.
    pub(super) fn probed_output(&mut self, node: NodeId, span: Span) -> NodeId {
        if self.sites.is_none() {
            return node;
        }
        let ty = self.graph.value_type(node);
        // The difference of an infinity and itself is a NaN.
        let difference = self.graph.op(Op::Sub, vec![node, node], span);
        let differs = self.graph.op(Op::NotEqual, vec![difference, difference], span);
        let hit =
            if ty == Type::NUM { differs } else { self.graph.op(Op::Any, vec![differs], span) };
        let operation = "output".to_owned();
        let site = probes::Site {
            span,
            operation,
            condition: "NaN or infinity",
            order: u32::MAX,
            is_defined: false,
        };
        let probe = self.probe(site, hit, &[node]);
        self.graph.after(node, probe, span)
    }

    /// Notes a site if its condition, which is decided, is true.
    fn meet(&mut self, site: probes::Site, hit: NodeId, shown: &[NodeId]) {
        if self.graph.constant_words(hit) != Some(&[1]) {
            return;
        }
        let operand = |&node: &NodeId| {
            Some((self.graph.value_type(node), self.graph.constant_words(node)?.into()))
        };
        let operands = Operands(shown.iter().filter_map(operand).collect());
        let number = self.sites.as_mut().expect("probes are wanted").number(site);
        self.met.add(number, operands);
    }

    /// A probe, unless its condition is false.
    fn probe(&mut self, site: probes::Site, hit: NodeId, shown: &[NodeId]) -> Option<NodeId> {
        if self.graph.constant_words(hit) == Some(&[0]) {
            return None;
        }
        let span = site.span;
        let number = self.sites.as_mut().expect("probes are wanted").number(site);
        let operands = std::iter::once(hit).chain(shown.iter().copied()).collect();
        Some(self.graph.op(Op::Probe(number), operands, span))
    }

    /// The conditions of the table.
    fn conditions(&mut self, builtin: Builtin, operands: &[Data], site: Site) -> Vec<Hit> {
        let types: Vec<Type> = operands.iter().map(|of| self.graph.value_type(of.node)).collect();
        let mut hits = Vec::new();
        for (place, condition) in (0..).zip(builtin.undefined(&types)) {
            let function = self.expansion(&condition.predicate);
            let arguments = Self::arguments_of(operands.iter().map(|&of| Value::Data(of)));
            if let Value::Data(Data { node, .. }) = self.apply_to(function, site, arguments) {
                hits.push(Hit { node, words: condition.words, place });
            }
        }
        hits
    }

    /// For an access by an index: the condition that it is outside, and the indices.
    fn outside(
        &mut self,
        recipe: &Recipe,
        operands: &[Data],
        site: Site,
    ) -> Option<(NodeId, Vec<NodeId>)> {
        let span = self.site_span(site);
        let node = |k: usize| operands.get(k).map(|of: &Data| of.node);
        match recipe {
            Recipe::At(None) | Recipe::Update(None) => {
                let index = node(1)?;
                let parts = self.graph.types().parts(self.graph.value_type(node(0)?)).len();
                let count = self.graph.constant(Type::UINT, &[parts as u32], span);
                Some((self.beyond(index, count, span), vec![index]))
            }
            Recipe::Element(literal) => {
                let index = match literal {
                    Some(index) => self.graph.constant(Type::UINT, &[*index], span),
                    None => node(1)?,
                };
                let count = self.graph.op(Op::Length, vec![node(0)?], span);
                Some((self.beyond(index, count, span), vec![index]))
            }
            Recipe::Direct(Op::Texel) => {
                let (texture, place, level) = (node(0)?, node(1)?, node(2)?);
                let levels = self.graph.op(Op::TextureLevels, vec![texture], span);
                let size = self.graph.op(Op::TextureSize, vec![texture, level], span);
                let beyond = self.beyond(level, levels, span);
                let outside = self.beyond(place, size, span);
                let outside = self.graph.op(Op::Any, vec![outside], span);
                Some((self.graph.op(Op::Or, vec![beyond, outside], span), vec![place, level]))
            }
            _ => None,
        }
    }

    /// True where an integer is negative, or not below another one.
    fn beyond(&mut self, index: NodeId, count: NodeId, span: Span) -> NodeId {
        let [index, count] = [index, count].map(|of| {
            let is_signed = self.graph.value_type(of).scalar() == Some(Scalar::I32);
            if is_signed { self.graph.op(Op::Convert(Scalar::U32), vec![of], span) } else { of }
        });
        let inside = self.graph.op(Op::Less, vec![index, count], span);
        self.graph.op(Op::Not, vec![inside], span)
    }
}
