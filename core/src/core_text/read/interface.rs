//! Uniforms, outputs and `discard`.

use super::super::line::{Line, LineError, Reading, malformed};
use super::super::names::is_digits;
use super::{BlockKind, OpenBlock, Reader};
use crate::diagnostics::quote;
use crate::graph::{Output, Uniform};
use crate::limits::VALUE_WORDS;
use crate::op::Op;
use crate::source::Span;
use crate::types::Type;

impl Reader {
    pub(super) fn uniform(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let name_span = line.peek().span;
        let name = line.string()?;
        line.expect(":")?;
        let type_span = line.peek().span;
        let ty = line.ty(&self.types)?;
        line.expect("=")?;
        let default = line.constant(self.core.graph.types(), ty)?;
        line.end()?;
        self.check_root(first, "a uniform")?;
        if name.is_empty() {
            return Err(malformed(name_span, "a uniform has a name").into());
        }
        if !self.core.graph.types().fits_uniform(ty) {
            let message = format!("a uniform cannot be a {}", self.type_name(ty));
            return Err(malformed(type_span, message).into());
        }
        let types = self.core.graph.types();
        self.uniform_words += types.components(ty);
        if self.uniform_words > VALUE_WORDS {
            let message = "the uniforms are too large together";
            let note = format!("all values together have at most {VALUE_WORDS} words");
            return Err(malformed(type_span, message).note(note).into());
        }
        if self.uniforms.contains_key(&name) {
            let message = format!("there is a uniform {} already", quote(&name));
            return Err(malformed(name_span, message).into());
        }
        self.uniforms.insert(name.clone(), self.core.uniforms.len() as u32);
        self.core.uniforms.push(Uniform { name, ty, default: default.into() });
        Ok(())
    }

    pub(super) fn output(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let location = line.take();
        line.expect("=")?;
        let (node, ty) = self.operand(line)?;
        line.end()?;
        self.check_root(first, "an output")?;
        let index = location.text.parse().ok().filter(|&l: &u32| l < 8 && is_digits(location.text));
        let Some(index) = index else {
            let message = format!("an output has a location from 0 to 7, not {}", location.name());
            return Err(malformed(location.span, message).into());
        };
        let span = line.span_from(first);
        let is_output = ty.is_num() || ty.is_integer() && ty.width() == Some(4);
        if !is_output {
            let message = format!("an output cannot be a {}", self.type_name(ty));
            return Err(malformed(span, message).into());
        }
        if let Some(other) = self.core.outputs.iter().find(|output| output.location == index) {
            let message = format!("there is an output {index} already");
            return Err(malformed(span, message).also(other.span, "here").into());
        }
        self.core.outputs.push(Output { location: index, node, span });
        Ok(())
    }

    pub(super) fn discard(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let is_negated = line.peek().text == "not";
        if is_negated {
            line.take();
        }
        let (condition, ty) = self.operand(line)?;
        line.expect("=")?;
        let clear = line.constant(self.core.graph.types(), Type::vec(4))?;
        line.end()?;
        self.check_root(first, "`discard`")?;
        let span = line.span_from(first);
        if ty != Type::BOOL {
            let message = format!("a condition is a bool, not a {}", self.type_name(ty));
            return Err(malformed(span, message).into());
        }
        if let Some((_, _, other)) = self.discard {
            let message = "there is a `discard` already";
            return Err(malformed(span, message).also(other, "here").into());
        }
        let condition = match is_negated {
            true => self.core.graph.op(Op::Not, vec![condition], span),
            false => condition,
        };
        let mut colour = [0.0; 4];
        colour.iter_mut().zip(&clear).for_each(|(part, &word)| *part = f32::from_bits(word));
        self.discard = Some((condition, colour, span));
        Ok(())
    }

    pub(super) fn check_root(&self, span: Span, what: &str) -> Reading<()> {
        match self.open_blocks.iter().find(|open_block| !matches!(open_block.kind, BlockKind::Root))
        {
            None => Ok(()),
            Some(OpenBlock { kind: BlockKind::Broken, .. }) => Err(LineError::Known),
            Some(open_block) => Err(malformed(span, format!("{what} stands outside all blocks"))
                .also(open_block.span, "this block is open")
                .into()),
        }
    }
}
