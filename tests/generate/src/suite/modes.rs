//! Programs without partial evaluation.

use lambdav_core::source::SourceFile;
use lambdav_frontend::syntax::{ExprKind, parse};

/// The program with `e` for each `(@ e)` and `($ e)`, at the same place; `None` if there is none. By LANGUAGE
/// §11 this does not change the value of a program that stays well typed. The program must not bind `@` or
/// `$`.
pub fn without_modes(source: &SourceFile) -> Option<SourceFile> {
    let (tree, _) = parse(source);
    let mut text = source.text().as_bytes().to_vec();
    for (_, expr) in tree.iter() {
        if let ExprKind::List(children) = &expr.kind
            && let &[word, value] = &**children
            && let ExprKind::Identifier(name) = &tree.get(word).kind
            && matches!(&**name, "@" | "$")
        {
            let inner = tree.get(value).span;
            text[expr.span.start as usize..inner.start as usize].fill(b' ');
            text[inner.end as usize..expr.span.end as usize].fill(b' ');
        }
    }
    let changed = text != source.text().as_bytes();
    let text = String::from_utf8(text).expect("whole tokens were replaced");
    changed.then(|| SourceFile::new(source.name(), text))
}
