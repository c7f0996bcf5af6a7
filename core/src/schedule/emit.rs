//! Converts placed nodes to blocks.

use super::place::topological_order;
use super::program::{Block, BlockId, End, Expr, Program, Statement, ValueId, ValueInfo};
use super::regions::{Placed, ROOT, RegionId};
use crate::diagnostics::{Diagnostic, DiagnosticCode};
use crate::graph::{Discard, Name, Neighbour, Node, NodeId, Uniform};
use crate::limits::{BLOCK_NESTING, OPERANDS, VALUE_WORDS};
use crate::mutants::{Mutant, is_active};
use crate::source::Span;
use rustc_hash::FxHashMap;

/// A block under construction.
struct Open {
    block: BlockId,
    region: RegionId,
    /// The number of the region's nodes already emitted.
    done: usize,
    statements: Vec<Statement>,
    /// The node at the block's end: an arm's value or a tail; `None` for the root.
    end: Option<NodeId>,
    /// The number of enclosing blocks.
    depth: usize,
}

struct Emitter<'a> {
    placed: &'a Placed,
    /// The nodes of each region, operands first.
    contents: Vec<Vec<NodeId>>,
    ids: Vec<Option<ValueId>>,
    values: Vec<ValueInfo>,
    names: FxHashMap<ValueId, Name>,
    guards: Vec<ValueId>,
    blocks: Vec<Option<Block>>,
    open: Vec<Open>,
    /// The number of operands so far.
    operands: usize,
}

pub(super) fn emit(
    placed: &Placed,
    locations: Vec<u32>,
    uniforms: Vec<Uniform>,
    discard: Option<Discard>,
) -> Result<Program, Diagnostic> {
    let mut contents = vec![Vec::new(); placed.regions.len()];
    let order = topological_order(placed).map_err(|node| out_of_order(placed.graph.span(node)))?;
    for node in order {
        let is_value = placed.graph.expr_type(node).value().is_some();
        if let (true, Some(region)) = (is_value, placed.region_of(node)) {
            contents[region.0 as usize].push(node);
        }
    }
    let mut emitter = Emitter {
        placed,
        contents,
        ids: vec![None; placed.graph.len()],
        values: Vec::new(),
        names: FxHashMap::default(),
        guards: Vec::new(),
        blocks: Vec::new(),
        open: Vec::new(),
        operands: 0,
    };
    emitter.open_block(ROOT, None, 0);
    while let Some(open) = emitter.open.pop() {
        emitter.advance(open)?;
    }
    let blocks = emitter.blocks.into_iter().map(|b| b.expect("all blocks are closed")).collect();
    let Emitter { values, names, guards, ids, .. } = emitter;
    let neighbours = neighbours(placed, &ids);
    // The outputs choose by the condition alike: if none does so at the root, none does at all.
    let is_chosen = |of: &Discard| placed.region_of(of.condition) == Some(ROOT);
    let discard = discard.filter(is_chosen);
    let discard = discard.and_then(|Discard { condition, when, clear }| {
        Some(Discard { condition: ids[condition.index()]?, when, clear })
    });
    let types = placed.graph.types().clone();
    let words: usize = values.iter().map(|value| types.components(value.ty)).sum();
    if words > VALUE_WORDS {
        let largest = values.iter().max_by_key(|value| types.components(value.ty));
        return Err(too_many_words(largest.map_or(Span::default(), |value| value.span)));
    }
    Ok(Program { types, values, names, neighbours, blocks, locations, uniforms, guards, discard })
}

impl Emitter<'_> {
    fn open_block(&mut self, region: RegionId, end: Option<NodeId>, depth: usize) -> BlockId {
        let block = BlockId(self.blocks.len() as u32);
        self.blocks.push(None);
        self.open.push(Open { block, region, done: 0, statements: Vec::new(), end, depth });
        block
    }

    /// Opens two blocks; the first is worked on first.
    fn open_arms(&mut self, node: NodeId, arms: [NodeId; 2], depth: usize) -> [BlockId; 2] {
        let regions = self.placed.arms(node);
        let then = self.open_block(regions[0], Some(arms[0]), depth);
        let otherwise = self.open_block(regions[1], Some(arms[1]), depth);
        let last = self.open.len() - 1;
        self.open.swap(last - 1, last);
        [then, otherwise]
    }

    fn id(&self, node: NodeId) -> ValueId {
        self.ids[node.index()].expect("operands are emitted first")
    }

    fn define(&mut self, node: NodeId) -> ValueId {
        let id = ValueId(self.values.len() as u32);
        let info = ValueInfo {
            ty: self.placed.graph.value_type(node),
            span: self.placed.graph.span(node),
        };
        self.values.push(info);
        if let Some(name) = self.placed.graph.name(node) {
            self.names.insert(id, name.clone());
        }
        self.ids[node.index()] = Some(id);
        if self.placed.guards.contains(&node) {
            self.guards.push(id);
        }
        id
    }

    fn all(&self, nodes: &[NodeId]) -> Box<[ValueId]> {
        nodes.iter().map(|&n| self.id(n)).collect()
    }

    /// Emits statements up to the next one with inner blocks, or closes the block. The inner blocks are
    /// worked on before this block continues, since later statements may need their values' numbers.
    fn advance(&mut self, mut open: Open) -> Result<(), Diagnostic> {
        let inner = open.depth + 1;
        while let Some(&node) = self.contents[open.region.0 as usize].get(open.done) {
            open.done += 1;
            let graph = &self.placed.graph;
            match graph.node(node) {
                Node::If([condition, then, otherwise]) => {
                    let (condition, arms) = (self.id(*condition), [*then, *otherwise]);
                    self.check_depth(inner, node)?;
                    let value = self.define(node);
                    let at = self.open.len();
                    let [then, otherwise] = self.open_arms(node, arms, inner);
                    open.statements.push(Statement::If { value, condition, then, otherwise });
                    self.open.insert(at, open);
                    return Ok(());
                }
                Node::Loop(of) => {
                    let l = graph.loop_(*of);
                    let inits = self.all(&l.inits);
                    self.check_depth(inner, node)?;
                    let value = self.define(node);
                    let params = l.params.iter().map(|&p| self.define(p)).collect();
                    let at = self.open.len();
                    let body = self.open_block(self.placed.body(node), Some(l.body), inner);
                    open.statements.push(Statement::Loop { value, params, inits, body });
                    self.open.insert(at, open);
                    return Ok(());
                }
                simple => {
                    let expr = match simple {
                        Node::Constant(_, words) => Expr::Constant(words.clone()),
                        Node::Input(input) => Expr::Input(*input),
                        Node::Uniform(index, _) => Expr::Uniform(*index),
                        Node::Stage(input, _) => Expr::Stage(*input),
                        Node::Op(op, operands) => Expr::Op(*op, self.all(operands)),
                        Node::Param(..) | Node::If(_) | Node::Loop(_) | Node::Rec(..) => {
                            unreachable!("not a statement")
                        }
                    };
                    let value = self.define(node);
                    open.statements.push(Statement::Let { value, expr });
                }
            }
        }
        let end = match open.end {
            None => End::Yield(self.all(&self.placed.outputs)),
            Some(node) => match self.placed.graph.node(node) {
                Node::Rec(_, arguments) => End::Rec(self.all(arguments)),
                Node::If([condition, then, otherwise])
                    if self.placed.graph.expr_type(node).value().is_none() =>
                {
                    let (condition, arms) = (self.id(*condition), [*then, *otherwise]);
                    self.check_depth(inner, node)?;
                    let mut blocks = self.open_arms(node, arms, inner);
                    if is_active(Mutant::SwappedTails) {
                        blocks.reverse();
                    }
                    let [then, otherwise] = blocks;
                    End::If { condition, then, otherwise }
                }
                _ => End::Yield([self.id(node)].into()),
            },
        };
        self.operands += end.uses().len();
        self.operands += open.statements.iter().map(|s| s.uses().len()).sum::<usize>();
        if self.operands > OPERANDS {
            return Err(too_many_operands(
                open.end.map_or(Span::default(), |node| self.placed.graph.span(node)),
            ));
        }
        self.blocks[open.block.index()] = Some(Block { statements: open.statements, end });
        Ok(())
    }

    fn check_depth(&self, depth: usize, node: NodeId) -> Result<(), Diagnostic> {
        if depth <= BLOCK_NESTING {
            return Ok(());
        }
        Err(Diagnostic::new(
            DiagnosticCode::BlocksTooDeep,
            self.placed.graph.span(node),
            "branches and loops are nested too deep",
        )
        .label(format!("more than {BLOCK_NESTING} levels"))
        .help("use a loop, or compute what the branches have in common before them"))
    }
}

/// The neighbour links of nodes, as links of values.
fn neighbours(placed: &Placed, ids: &[Option<ValueId>]) -> FxHashMap<ValueId, Neighbour<ValueId>> {
    let node = |(index, id): (usize, &Option<ValueId>)| {
        let Neighbour { of, axis, side } = placed.graph.neighbour_of(NodeId(index as u32))?;
        Some(((*id)?, Neighbour { of: ids[of.index()]?, axis, side }))
    };
    ids.iter().enumerate().filter_map(node).collect()
}

/// The error of a program that does not access its memories in an order of execution.
pub(super) fn out_of_order(at: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::MalformedCore,
        at,
        "the program uses a state of a memory after it has been consumed",
    )
    .label("this is where it shows")
    .help("each path uses a state once, and goes on with the state that an access, an `if` or a loop yields")
}

fn too_many_operands(at: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::ExpansionTooLarge,
        at,
        "the program's branches and loops pass on too many values",
    )
    .label("the limit was reached here")
    .note(format!(
        "at most {OPERANDS} operands are accepted, those of a `rec` wherever it is reached"
    ))
    .help("give loops with many parameters fewer places that go on with `rec`")
}

fn too_many_words(at: Span) -> Diagnostic {
    Diagnostic::new(
        DiagnosticCode::ExpansionTooLarge,
        at,
        "the values of the program are too large together",
    )
    .label("the largest is this")
    .note(format!("all values together have at most {VALUE_WORDS} words"))
    .help("use smaller arrays, or fewer values that are arrays")
}
