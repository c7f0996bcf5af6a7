//! The order of a function's blocks: in reverse postorder of a depth-first walk from the first one. In
//! structured control flow only branches to headers of loops go back then, whatever the order of the words is.

/// The blocks in that order, those that are not reached behind all others, and how many are reached.
/// `successors` are those of each.
pub(super) fn reverse_postorder(successors: &[Vec<usize>]) -> (Vec<usize>, usize) {
    let mut seen = vec![false; successors.len()];
    let mut order = Vec::with_capacity(successors.len());
    // Blocks on the way, and which of its successors is next for each.
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
