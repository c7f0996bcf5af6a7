use cranelift_codegen::dominator_tree::DominatorTree;
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::loop_analysis::LoopAnalysis;
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_frontend::compile;

use super::*;
use crate::emit::Target;
use crate::pipeline::Compiler;

/// The function for a row, at eight lanes.
fn row(shader: &str, allocation: Allocation) -> ir::Function {
    let (core, diagnostics) = compile(&SourceFile::new("test.lv", shader));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let program = schedule(&core.expect("no errors"), &[0]).expect("it nests little");
    let target =
        Target::with(&[]).expect("a machine that is not too old").with_allocation(allocation);
    let compiler = Compiler { lanes: Some(8), ..Compiler::new(target) };
    let lanes = compiler.lane_program(&program);
    let (program, allocation) = compiler.register_program(&lanes, compiler.choice(&lanes).shape);
    let emitter = CraneliftEmitter::host(&[]).expect("as above");
    let (index, of_row) = parts(&program, allocation).enumerate().last().expect("a row function");
    emitter.function(&program, index, &of_row, &mut FunctionBuilderContext::new())
}

/// Counts blocks that Cranelift's layout puts between the blocks of a loop although they lie
/// outside it. Blocks that lead straight out of that range do not count.
fn strangers(function: &ir::Function) -> usize {
    let flow = ControlFlowGraph::with_function(function);
    let tree = DominatorTree::with_function(function, &flow);
    let mut loops = LoopAnalysis::new();
    loops.compute(function, &flow, &tree);
    let order: Vec<ir::Block> = tree.cfg_rpo().copied().collect();
    let strangers_in = |of| {
        let is_in = |block: &ir::Block| loops.is_in_loop(*block, of);
        let first = order.iter().position(is_in).expect("its header");
        let last = order.iter().rposition(is_in).expect("its header");
        let between = &order[first..=last];
        let stays = |&block: &ir::Block| flow.succ_iter(block).any(|next| between.contains(&next));
        between.iter().filter(|&block| !is_in(block) && stays(block)).count()
    };
    assert!(loops.loops().count() > 3, "the shader has some");
    loops.loops().map(strangers_in).sum()
}

#[test]
fn loops_stand_together_for_the_single_pass() {
    let shader = "
        (define (until c x) ((rec-func (n v) (if (and (less n 9) (less v c)) (rec (+ n 1) (+ v x)) v)) 0 x))
        (define (rounds k x) ((rec-func (n v) (if (less n k) (rec (+ n 1) (* v (until 5 x))) v)) 0 x))
        (define (search x)
          ((rec-func (v) (if (less v 9) (if (less v 1) (rec (* v 3)) (if (less v 2) 7 (rec (+ v 1)))) v)) x))
        (define p (/ (.xy (frag-coord)) (resolution)))
        (search (rounds 3 (until 7 (search (+ (.x p) (rounds 2 (.y p)))))))";
    assert_eq!(strangers(&row(shader, Allocation::Quick)), 0);
    // The test shader does show the problem: the default order puts the rest of the program in
    // between.
    assert_ne!(strangers(&row(shader, Allocation::Thorough)), 0);
}
