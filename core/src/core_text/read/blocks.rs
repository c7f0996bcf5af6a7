//! Ends of blocks, and the nodes of statements whose blocks have been read.

use super::super::line::{Line, LineError, Reading, malformed};
use super::{BlockKind, Definition, Ending, OpenBlock, Reader, State, Wants};
use crate::graph::{ExprType, NodeId};
use crate::limits::BLOCK_NESTING;
use crate::source::Span;

impl Reader {
    /// Takes the end of a block; its first word is already taken.
    pub(super) fn end(&mut self, word: &str, line: &mut Line<'_>, first: Span) -> Reading<()> {
        let wants = self.open_block().wants.clone();
        let not_here = |what: &str| -> Reading<()> {
            Err(malformed(first, format!("{what} stands in tails of loops only")).into())
        };
        match (word, wants) {
            (_, Wants::Anything) => Err(LineError::Known),
            (_, Wants::Nothing) => {
                let message = format!("`{word}` stands in blocks only");
                Err(malformed(first, message).help("outputs are written `output 0 = %…`").into())
            }
            ("yield", wants) => {
                let (node, ty) = self.operand(line)?;
                line.end()?;
                let wanted = match wants {
                    Wants::Tail(open) => open.ty,
                    Wants::Value(ty) => ty,
                    Wants::Nothing | Wants::Anything => unreachable!("handled above"),
                };
                if ty != wanted {
                    let (ty, wanted) = (self.type_name(ty), self.type_name(wanted));
                    let message = format!("the block yields a {ty} where a {wanted} is wanted");
                    return Err(malformed(line.span_from(first), message).into());
                }
                self.set_ending(Some(node));
                Ok(())
            }
            ("rec", Wants::Tail(open)) => {
                let arguments = line.list(|line| self.operand(line))?;
                line.end()?;
                let graph = &mut self.core.graph;
                let wanted = open.params.iter().map(|&param| graph.value_type(param));
                if !wanted.eq(arguments.iter().map(|&(_, ty)| ty)) {
                    let message = "`rec` has one value for each parameter of the loop, of its type";
                    return Err(malformed(line.span_from(first), message).into());
                }
                let arguments = arguments.into_iter().map(|(node, _)| node).collect();
                let node = graph.rec(open.id, arguments, line.span_from(first));
                self.set_ending(Some(node));
                Ok(())
            }
            ("rec", _) => not_here("`rec`"),
            (_, wants @ Wants::Tail(_)) => {
                let condition = self.condition(line)?;
                let kind = BlockKind::If { target: None, condition, then: None };
                self.open(OpenBlock::new(kind, wants, line.span_from(first)));
                Ok(())
            }
            _ => not_here("an `if` without a value"),
        }
    }

    pub(super) fn open(&mut self, open_block: OpenBlock) {
        if self.open_blocks.len() > BLOCK_NESTING {
            if self.diagnostics.is_empty() {
                let message = format!("blocks are nested more than {BLOCK_NESTING} deep");
                self.report(malformed(open_block.span, message));
            }
            self.stopped = true;
            return;
        }
        self.open_blocks.push(open_block);
    }

    /// Takes the rest of a line after `}`, and closes the block even if the line is wrong.
    pub(super) fn close(&mut self, line: &mut Line<'_>, first: Span) -> Reading<()> {
        if self.open_blocks.len() == 1 {
            return Err(malformed(first, "there is no block to close").into());
        }
        let is_else = line.accept("else");
        let shape = if is_else { line.expect("{") } else { Ok(()) }.and_then(|()| line.end());
        let open_block = self.open_block();
        let ending = open_block.ending.take();
        if ending.is_none() && !matches!(open_block.kind, BlockKind::Broken) {
            let diagnostic = malformed(first, "the block has no end")
                .also(open_block.span, "it begins here")
                .help("a block ends in `yield`, `rec` or an `if` of such blocks");
            self.report(diagnostic);
        }
        for number in std::mem::take(&mut self.open_block().defined) {
            if let Some((state @ State::Defined(_), _)) = self.values.get_mut(&number) {
                *state = State::Gone;
            }
        }
        let ending = ending.flatten();
        let open_block = self.open_block();
        if is_else {
            return match &mut open_block.kind {
                BlockKind::Broken => shape,
                BlockKind::If { then: then @ None, .. } => {
                    *then = Some(ending);
                    shape
                }
                BlockKind::Loop(target, _)
                | BlockKind::Guard(target)
                | BlockKind::If { target: Some(target), .. } => {
                    let number = target.number;
                    self.values.entry(number).and_modify(|(state, _)| *state = State::Broken);
                    self.no_else(line.span_from(first))
                }
                _ => self.no_else(line.span_from(first)),
            };
        }
        let open_block = self.open_blocks.pop().expect("the root is never closed");
        self.finish(open_block, ending, first).and(shape)
    }

    /// Reports an `else` in a block without one, and marks the block as broken.
    fn no_else(&mut self, span: Span) -> Reading<()> {
        let open_block = self.open_block();
        (open_block.kind, open_block.wants) = (BlockKind::Broken, Wants::Anything);
        let diagnostic = malformed(span, "this block has no `else`");
        Err(diagnostic.also(open_block.span, "it belongs to this").into())
    }

    /// Makes the node of a statement when its last block closes.
    fn finish(&mut self, open_block: OpenBlock, ending: Ending, closing: Span) -> Reading<()> {
        let graph = &mut self.core.graph;
        match open_block.kind {
            BlockKind::Root => unreachable!("the root is never closed"),
            BlockKind::Broken => Ok(()),
            BlockKind::If { target, then: None, .. } => {
                self.settle(target, None);
                Err(malformed(closing, "`} else {` must follow")
                    .also(open_block.span, "after this")
                    .into())
            }
            BlockKind::If { target, condition, then: Some(then) } => {
                let arms = then.zip(ending).filter(|&(then, otherwise)| {
                    graph.expr_type(then).rec_match(graph.expr_type(otherwise)).is_some()
                });
                let node = arms.map(|(then, otherwise)| {
                    graph.if_([condition, then, otherwise], open_block.span)
                });
                self.settle(target, node);
                Ok(())
            }
            BlockKind::Guard(target) => {
                self.settle(Some(target), ending);
                Ok(())
            }
            BlockKind::Loop(target, open) => {
                let ty = ending.map(|body| graph.expr_type(body));
                let wrong = match ty {
                    None => None,
                    Some(ExprType::Rec(_)) => None,
                    Some(ExprType::PureRec) => Some("no path through the loop ends in `yield`"),
                    Some(ExprType::Value(_)) => Some("no path through the loop ends in `rec`"),
                };
                if let Some(message) = wrong {
                    self.settle(Some(target), None);
                    return Err(malformed(open_block.span, message).into());
                }
                let node = ending.map(|body| {
                    let (params, inits) = (open.params.clone(), open.inits.clone());
                    graph.finish_loop(open.id, params, inits, body, open_block.span)
                });
                self.settle(Some(target), node);
                Ok(())
            }
        }
    }

    /// Sets the node of a pending value or, without a target, the end of the block that ended in an `if`.
    fn settle(&mut self, target: Option<Definition>, node: Option<NodeId>) {
        let Some(target) = target else {
            return self.set_ending(node);
        };
        let node = node.filter(|&n| self.core.graph.expr_type(n) == ExprType::Value(target.ty));
        if let (Some(node), Some(name)) = (node, &target.name) {
            self.core.graph.set_name(node, name);
        }
        let (state, _) = self.values.get_mut(&target.number).expect("it is pending");
        *state = node.map_or(State::Broken, State::Defined);
    }
}
