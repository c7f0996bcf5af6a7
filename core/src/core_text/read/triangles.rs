//! The stages of a program that draws triangles, and the interface between them.

use super::super::line::{Line, Reading, Token, malformed, unknown};
use super::super::names::is_digits;
use super::{Pending, Reader};
use crate::diagnostics::quote;
use crate::graph::{
    Attribute, AttributeRate, Interpolation, NodeId, Place, Readers, Side, StageInput, Triangles,
    Varying,
};
use crate::memory::InvocationInput;
use crate::source::Span;
use crate::state::State;
use crate::types::Type;

/// The names of inputs of stages.
pub(super) const STAGE_INPUTS: [&str; 14] = [
    "vertex-index",
    "instance-index",
    "primitive-index",
    "front-facing",
    "depth",
    "w",
    "global-id",
    "local-id",
    "workgroup-id",
    "local-index",
    "workgroups",
    "id",
    "id.2",
    "id.3",
];

/// The input of a stage with this name, at the pixel itself.
pub(super) fn stage_input(name: &str) -> Option<StageInput> {
    let all = [
        StageInput::VertexIndex,
        StageInput::InstanceIndex,
        StageInput::PrimitiveIndex,
        StageInput::FrontFacing,
        StageInput::Depth(Place::HERE),
        StageInput::W(Place::HERE),
    ];
    let of_invocations = InvocationInput::ALL.map(StageInput::Invocation);
    let ids = [1, 2, 3].map(StageInput::Id);
    all.into_iter().chain(of_invocations).chain(ids).find(|input| input.name() == name)
}

impl Reader {
    /// Takes a line of a program that draws triangles, after its first word.
    pub(super) fn of_triangles(
        &mut self,
        word: &str,
        line: &mut Line<'_>,
        first: Span,
    ) -> Reading<()> {
        self.triangles.first.get_or_insert(first);
        match word {
            "attribute" => self.attribute(line, first),
            "varying" => self.varying(line, first),
            "state" => self.state(line, first),
            "vary" => {
                let span = line.peek().span;
                let name = line.string()?;
                let index = self.varying_named(&name, span)?;
                line.expect("=")?;
                let ty = self.triangles.varyings[index].ty;
                let node = self.root(line, first, "a value of a varying", Some(ty))?;
                let place = &mut self.triangles.varied[index];
                if place.replace(node).is_some() {
                    let message = format!("the varying {} has a value already", quote(&name));
                    return Err(malformed(span, message).into());
                }
                Ok(())
            }
            "discard-if" => {
                let node = self.root(line, first, "`discard-if`", Some(Type::BOOL))?;
                self.once(word, first, self.triangles.discard.is_some())?;
                self.triangles.discard = Some(node);
                Ok(())
            }
            _ => {
                line.expect("=")?;
                let is_position = word == "position";
                let ty = if is_position { Type::vec(4) } else { Type::NUM };
                let node = self.root(line, first, &quote(word), Some(ty))?;
                let known = match is_position {
                    true => &mut self.triangles.position,
                    false => &mut self.triangles.depth,
                };
                let is_known = known.replace(node).is_some();
                self.once(word, first, is_known)
            }
        }
    }

    fn once(&self, word: &str, span: Span, is_known: bool) -> Reading<()> {
        match is_known {
            true => Err(malformed(span, format!("there is a `{word}` already")).into()),
            false => Ok(()),
        }
    }

    /// Takes a value of this type, and the end of the line.
    fn root(
        &self,
        line: &mut Line<'_>,
        first: Span,
        what: &str,
        wanted: Option<Type>,
    ) -> Reading<NodeId> {
        let (node, ty) = self.operand(line)?;
        line.end()?;
        self.check_root(first, what)?;
        if wanted.is_some_and(|wanted| wanted != ty) {
            let message = format!("{what} cannot be a {}", self.type_name(ty));
            return Err(malformed(line.span_from(first), message).into());
        }
        Ok(node)
    }

    /// Takes the name and the type of a declaration.
    fn declared(&self, line: &mut Line<'_>) -> Reading<(String, Span, Type, Span)> {
        let span = line.peek().span;
        let name = line.string()?;
        line.expect(":")?;
        let type_span = line.peek().span;
        let ty = line.ty(&self.types)?;
        if name.is_empty() {
            return Err(malformed(span, "attributes and varyings have names").into());
        }
        Ok((name, span, ty, type_span))
    }

    fn attribute(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let (name, span, ty, type_span) = self.declared(line)?;
        let word = line.take();
        let Some(rate) = AttributeRate::ALL.into_iter().find(|rate| rate.name() == word.text)
        else {
            let all = AttributeRate::ALL.map(AttributeRate::name);
            return Err(unknown(word.text, word.span, "kind of attribute", all));
        };
        line.end()?;
        self.check_root(first, "an attribute")?;
        if !Attribute::fits(ty, rate) {
            let message = format!("an attribute cannot be a {}", self.type_name(ty));
            return Err(malformed(type_span, message).into());
        }
        if self.triangles.attributes.iter().any(|other| other.name == name) {
            let message = format!("there is an attribute {} already", quote(&name));
            return Err(malformed(span, message).into());
        }
        self.triangles.attributes.push(Attribute { name, ty, rate, span });
        Ok(())
    }

    fn varying(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let (name, span, ty, type_span) = self.declared(line)?;
        let word = line.take();
        let Some(interpolation) = Interpolation::from_name(word.text) else {
            let all = Interpolation::ALL.map(Interpolation::name);
            return Err(unknown(word.text, word.span, "interpolation", all));
        };
        let readers = readers(line)?;
        line.end()?;
        self.check_root(first, "a varying")?;
        if !Varying::fits(ty) {
            let message = format!("a varying cannot be a {}", self.type_name(ty));
            return Err(malformed(type_span, message).into());
        }
        if ty.is_integer() && interpolation != Interpolation::Flat {
            let message = "a varying of integers is flat";
            return Err(malformed(word.span, message).into());
        }
        if self.triangles.varyings.iter().any(|other| other.name == name) {
            let message = format!("there is a varying {} already", quote(&name));
            return Err(malformed(span, message).into());
        }
        let node = NodeId(0);
        self.triangles.varyings.push(Varying { name, ty, interpolation, node, readers, span });
        self.triangles.varied.push(None);
        Ok(())
    }

    fn state(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let mut state = State::default();
        let mut seen: Vec<String> = Vec::new();
        while !line.peek().text.is_empty() {
            let option = line.take();
            if seen.iter().any(|other| other == option.text) {
                let message = format!("the state has {} already", option.name());
                return Err(malformed(option.span, message).into());
            }
            seen.push(option.text.to_owned());
            if option.text == "clear" {
                let words = line.constant(self.core.graph.types(), Type::vec(4))?;
                for (part, &word) in state.clear.iter_mut().zip(&words) {
                    *part = f32::from_bits(word);
                }
                continue;
            }
            let value = line.take();
            let Some(is_known) = state.set(option.text, value.text) else {
                let message = format!("there is no option {}", option.name());
                return Err(malformed(option.span, message).into());
            };
            if !is_known {
                let message = format!("{} is no value of {}", value.name(), option.name());
                return Err(malformed(value.span, message).into());
            }
        }
        self.check_root(first, "the state")?;
        let is_known = self.triangles.state.replace(state).is_some();
        self.once("state", first, is_known)
    }

    fn varying_named(&self, name: &str, span: Span) -> Reading<usize> {
        let mut all = self.triangles.varyings.iter();
        all.position(|varying| varying.name == name).ok_or_else(|| {
            let names = self.triangles.varyings.iter().map(|varying| &*varying.name);
            unknown(name, span, "varying", names)
        })
    }

    /// Takes the name of an attribute or varying.
    pub(super) fn named_stage_input(&self, word: &str, line: &mut Line<'_>) -> Reading<StageInput> {
        let span = line.peek().span;
        let name = line.string()?;
        if word == "varying" {
            let index = self.varying_named(&name, span)? as u32;
            return Ok(StageInput::Varying(index, Place::HERE));
        }
        let mut all = self.triangles.attributes.iter();
        match all.position(|attribute| attribute.name == name) {
            Some(index) => Ok(StageInput::Attribute(index as u32)),
            None => {
                let names = self.triangles.attributes.iter().map(|attribute| &*attribute.name);
                Err(unknown(&name, span, "attribute", names))
            }
        }
    }

    /// Takes the place of an input of a stage, if there is one. Returns the input's node and type.
    pub(super) fn stage_input(
        &mut self,
        line: &mut Line<'_>,
        input: StageInput,
        first: Span,
    ) -> Reading<(NodeId, Type)> {
        match input {
            StageInput::Invocation(_) => self.invocation.get_or_insert(first),
            StageInput::Id(_) => self.passes.id.get_or_insert(first),
            _ => self.triangles.first.get_or_insert(first),
        };
        let mut input = input;
        let word = line.peek();
        if word.text == "at" {
            line.take();
            let [x, y] = [side(line)?, side(line)?];
            if input.place().is_none() {
                let message = "only interpolated values have a place";
                return Err(malformed(word.span, message).into());
            }
            input = input.at(Place { x, y });
        }
        let Pending { attributes, varyings, .. } = &self.triangles;
        let ty = input.ty(attributes, varyings);
        Ok((self.core.graph.stage_input(input, ty, line.span_from(first)), ty))
    }

    /// Makes the stages of a text without errors.
    pub(super) fn finish_triangles(&mut self) {
        let Some(first) = self.triangles.first else { return };
        let pending = std::mem::take(&mut self.triangles);
        let Pending { attributes, mut varyings, varied, position, depth, discard, state, .. } =
            pending;
        let Some(position) = position else {
            let message = "a program that draws triangles has a `position`";
            return self.report(malformed(first, message).help("add `position = %…`"));
        };
        for (varying, node) in varyings.iter_mut().zip(varied) {
            let Some(node) = node else {
                let message = format!("the varying {} has no value", quote(&varying.name));
                let span = varying.span;
                return self.report(malformed(span, message).help("add `vary \"…\" = %…`"));
            };
            varying.node = node;
        }
        if let Some((_, _, span)) = self.discard {
            let message = "a program that draws triangles has `discard-if`";
            return self.report(malformed(span, message));
        }
        let state = state.unwrap_or_default();
        let triangles = Triangles { attributes, varyings, position, depth, discard, state };
        if let Some(node) = triangles.misplaced(&self.core) {
            let message = "an input of the other stage";
            return self.report(malformed(self.core.graph.span(node), message));
        }
        self.core.triangles = Some(triangles.into());
    }
}

fn side(line: &mut Line<'_>) -> Reading<Option<Side>> {
    let word = line.take();
    match word.text {
        "here" => Ok(None),
        "even" => Ok(Some(Side::Even)),
        "odd" => Ok(Some(Side::Odd)),
        other => Err(unknown(other, word.span, "side of a quad", ["here", "even", "odd"])),
    }
}

/// Takes the results that use a varying.
fn readers(line: &mut Line<'_>) -> Reading<Readers> {
    line.expect("read")?;
    let mut readers = Readers::default();
    while is_digits(line.peek().text) {
        let Token { text, span } = line.take();
        let location: Option<u32> = text.parse().ok();
        let ascends = |location: &u32| readers.outputs.last().is_none_or(|last| last < location);
        let Some(location) = location.filter(|location| *location < 8).filter(ascends) else {
            return Err(malformed(span, "locations of outputs ascend, from 0 to 7").into());
        };
        readers.outputs.push(location);
    }
    readers.in_test = line.accept("test");
    Ok(readers)
}
