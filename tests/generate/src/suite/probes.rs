//! Programs with names in place of probes.

use lambdav_core::source::SourceFile;
use lambdav_frontend::syntax::{ExprKind, parse};

/// The program with `(let ((name e)) name)` for each `(probe "name" e)`; `None` if there is none. The names of probes must be
/// names that the program does not bind.
pub fn with_names_for_probes(source: &SourceFile) -> Option<SourceFile> {
    let (tree, _) = parse(source);
    let mut edits: Vec<(usize, usize, String)> = Vec::new();
    for (_, expr) in tree.iter() {
        if let ExprKind::List(children) = &expr.kind
            && let &[word, name, _] = &**children
            && let (ExprKind::Identifier(word), ExprKind::String(text)) =
                (&tree.get(word).kind, &tree.get(name).kind)
            && &**word == "probe"
        {
            let (start, end) = (expr.span.start as usize, expr.span.end as usize);
            edits.push((start, tree.get(name).span.end as usize, format!("(let (({text}")));
            edits.push((end - 1, end, format!(")) {text})")));
        }
    }
    if edits.is_empty() {
        return None;
    }
    edits.sort_unstable();
    let (mut text, mut done) = (String::new(), 0);
    for (start, end, new) in edits {
        text += &source.text()[done..start];
        text += &new;
        done = end;
    }
    text += &source.text()[done..];
    Some(SourceFile::new(source.name(), text))
}
