//! The order of a function's blocks: reverse postorder from the entry block. In structured control flow
//! only branches to loop headers then go back, whatever the order of the words is.

/// Block indices in reverse postorder, with unreachable blocks last, and the number of reachable ones.
/// `successors[b]` are the successors of block b.
pub(super) fn reverse_postorder(successors: &[Vec<usize>]) -> (Vec<usize>, usize) {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::with_capacity(successors.len());
    // The depth-first path, each block with the index of its next successor.
    let mut way = Vec::new();
    if let Some(first) = seen.first_mut() {
        *first = true;
        way.push((0, 0));
    }
    while let Some((block, next)) = way.last_mut() {
        match successors[*block].get(*next) {
            Some(&successor) => {
                *next += 1;
                if !std::mem::replace(&mut seen[successor], true) {
                    way.push((successor, 0));
                }
            }
            None => {
                order.push(*block);
                way.pop();
            }
        }
    }
    order.reverse();
    let reached = order.len();
    order.extend((0..seen.len()).filter(|&block| !seen[block]));
    (order, reached)
}
