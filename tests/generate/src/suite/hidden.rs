//! Programs of the conformance suite with their literals hidden from folding.

use lambdav_core::source::SourceFile;
use lambdav_core::types::Type;
use lambdav_frontend::syntax::{Expr, ExprId, ExprKind, Tree, parse};
use std::fmt::Write as _;

/// The program with every number replaced by a uniform with that default, so that engines compute what the
/// compiler would fold.
///
/// Required literals stay. `None` for programs without numbers, for programs with uniforms (a default must
/// not depend on other uniforms), and for programs with `@` (its meaning depends on constants).
pub fn hide_literals(source: &SourceFile) -> Option<String> {
    let (tree, _) = parse(source);
    let has_uniforms =
        tree.roots.iter().any(|&root| matches!(head(&tree, root), Some("uniform" | "constant")));
    let is_eager = |expr: &Expr| matches!(&expr.kind, ExprKind::Identifier(name) if **name == *"@");
    if has_uniforms || tree.iter().any(|(_, expr)| is_eager(expr)) {
        return None;
    }
    let mut kept = vec![false; tree.len()];
    for (id, expr) in tree.iter() {
        if let (ExprKind::List(children), Some(head)) = (&expr.kind, head(&tree, id)) {
            let literals = match head {
                "at" | "col" | "update" => children.get(2..3),
                // The length in an array's type. It also keeps the first of two listed elements.
                "array" if children.len() == 3 => children.get(1..2),
                "output" | "tabulate" => children.get(1..2),
                "clear" | "size" | "bias" | "levels" => children.get(1..),
                "gather" => children.get(3..4),
                // The length of a result, and the index of a write.
                "result" => children.get(3..4),
                "scatter" | "combine" => children.get(2..3),
                _ => None,
            };
            literals.into_iter().flatten().for_each(|i| kept[i.index()] = true);
        }
    }
    let (mut uniforms, mut text, mut done) = (String::new(), String::new(), 0);
    let mut numbers: Vec<_> = tree
        .iter()
        .filter(|(id, _)| !kept[id.index()])
        .filter_map(|(_, e)| match e.kind {
            ExprKind::Number { .. } => Some((e.span, Type::NUM)),
            ExprKind::Integer(scalar, _) => Some((e.span, Type::of(scalar, 1))),
            _ => None,
        })
        .collect();
    numbers.sort_unstable();
    for (i, (span, ty)) in numbers.into_iter().enumerate() {
        let _ = writeln!(uniforms, "(uniform hidden-{i} {ty:?} {})", source.slice(span));
        text.push_str(&source.text()[done..span.start as usize]);
        let _ = write!(text, "hidden-{i}");
        done = span.end as usize;
    }
    text.push_str(&source.text()[done..]);
    (!uniforms.is_empty()).then(|| uniforms + &text)
}

/// The name at the head of a list.
fn head(tree: &Tree, id: ExprId) -> Option<&str> {
    let ExprKind::List(children) = &tree.get(id).kind else { return None };
    match &tree.get(*children.first()?).kind {
        ExprKind::Identifier(name) => Some(name),
        _ => None,
    }
}
