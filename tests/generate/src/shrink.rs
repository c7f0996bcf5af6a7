//! Greedy shrinking of programs.

use crate::table::type_name;
use crate::term::{GeneratedProgram, Term, TermKind, TermRole, TermShape};
use lambdav_core::types::{Scalar, Type};

/// Number of descendants of a term that are tried in its place.
const MAX_DESCENDANTS: usize = 24;

/// Reduces a program while `still` is true of it. `still` is called at most `attempts` times.
///
/// Each step removes a form, a binding, a part of a declaration, or a parameter with its arguments, or it
/// replaces an expression by a constant or by a part of the same kind. A step may produce a program that is
/// ill-formed or endless; `still` must refuse those.
pub fn shrink(
    program: &GeneratedProgram,
    attempts: usize,
    still: &mut dyn FnMut(&GeneratedProgram) -> bool,
) -> GeneratedProgram {
    let mut best = program.clone();
    let mut left = attempts;
    loop {
        let before = best.size();
        let mut at = 0;
        while at < count(&best) {
            let smaller = candidates(&best, at).into_iter().find(|candidate| {
                if left == 0 || candidate.size() >= best.size() {
                    return false;
                }
                left -= 1;
                still(candidate)
            });
            match smaller {
                Some(candidate) => best = candidate,
                None => at += 1,
            }
        }
        if best.size() == before || left == 0 {
            return best;
        }
    }
}

/// Terms are numbered in preorder, form after form.
fn count(program: &GeneratedProgram) -> usize {
    program.size()
}

fn candidates(program: &GeneratedProgram, at: usize) -> Vec<GeneratedProgram> {
    let mut first = 0;
    for (i, form) in program.forms.iter().enumerate() {
        let size = form.size();
        if at < first + size {
            let mut all = Vec::new();
            if at == first {
                let mut without = program.clone();
                without.forms.remove(i);
                all.push(without);
            }
            for new in replacements(find(form, at - first)) {
                let mut with = program.clone();
                replace(&mut with.forms[i], at - first, &new);
                all.push(with);
            }
            return all;
        }
        first += size;
    }
    Vec::new()
}

fn find(term: &Term, mut at: usize) -> &Term {
    if at == 0 {
        return term;
    }
    at -= 1;
    for part in term.parts() {
        let size = part.size();
        if at < size {
            return find(part, at);
        }
        at -= size;
    }
    unreachable!("the number is below the size of the term")
}

/// Replaces the term with that number.
pub(crate) fn replace(term: &mut Term, mut at: usize, new: &Term) {
    if at == 0 {
        *term = new.clone();
        return;
    }
    at -= 1;
    let TermShape::List(parts) = &mut term.shape else { unreachable!("an atom has no parts") };
    for part in parts {
        let size = part.size();
        if at < size {
            return replace(part, at, new);
        }
        at -= size;
    }
}

/// Replacements to try for a term, the smallest first.
fn replacements(term: &Term) -> Vec<Term> {
    let mut all = Vec::new();
    match &term.role {
        TermRole::Expression(kind) => {
            if let TermKind::Value(ty) = kind {
                all.extend(constants(*ty));
            }
            let mut parts = Vec::new();
            descendants(term, kind, &mut parts);
            parts.sort_by_key(Term::size);
            parts.truncate(MAX_DESCENDANTS);
            all.append(&mut parts);
        }
        TermRole::Bindings => {
            for i in 0..term.parts().len() {
                let mut parts = term.parts().to_vec();
                parts.remove(i);
                all.push(Term::bindings(parts));
            }
        }
        TermRole::Syntax => all.extend(without_declared(term)),
    }
    // The body of a `let`, also inside of a form.
    if let [_, bindings, body] = term.parts()
        && bindings.role == TermRole::Bindings
    {
        all.push(body.clone());
    }
    all.extend(without_parameters(term));
    all
}

/// The smallest constants of a builtin type.
fn constants(ty: Type) -> Vec<Term> {
    if ty.builtin().is_none() {
        return Vec::new();
    }
    let (scalar, texts) = match ty.scalar() {
        Some(Scalar::Bool) => (Type::BOOL, ["false", "true"]),
        Some(Scalar::I32) => (Type::INT, ["0i", "1i"]),
        Some(Scalar::U32) => (Type::UINT, ["0u", "1u"]),
        Some(Scalar::F32) | None => (Type::NUM, ["0", "1"]),
    };
    let atom = |text: &str| Term::atom(TermKind::Value(scalar), text);
    let broadcast =
        |text: &str| Term::list(TermKind::Value(ty), vec![Term::word(type_name(ty)), atom(text)]);
    texts.map(|text| if ty == scalar { atom(text) } else { broadcast(text) }).into()
}

fn descendants(term: &Term, kind: &TermKind, found: &mut Vec<Term>) {
    for part in term.parts() {
        if part.kind() == Some(kind) {
            found.push(part.clone());
        }
        descendants(part, kind, found);
    }
}

/// `(struct NAME field …)` and `(variant NAME case …)` without one of their parts.
fn without_declared(term: &Term) -> Vec<Term> {
    let head = term.parts().first().map(|head| &head.shape);
    let declares =
        matches!(head, Some(TermShape::Atom(word)) if word == "struct" || word == "variant");
    let last = if declares { term.parts().len() } else { 0 };
    let without = |i| {
        let mut parts = term.parts().to_vec();
        parts.remove(i);
        Term::syntax(parts)
    };
    (2..last).map(without).collect()
}

/// `((func (p …) b) e …)` and `((rec-func (p …) b) e …)` without one of their parameters, also in the `rec`s.
fn without_parameters(term: &Term) -> Vec<Term> {
    let Some(lambda) = term.parts().first() else { return Vec::new() };
    let [word, params, body] = lambda.parts() else { return Vec::new() };
    let count = params.parts().len();
    if params.role != TermRole::Syntax || count == 0 || term.parts().len() != count + 1 {
        return Vec::new();
    }
    (0..count)
        .map(|i| {
            let less = |parts: &[Term], i: usize| {
                let mut parts = parts.to_vec();
                parts.remove(i);
                TermShape::List(parts)
            };
            let params = Term { role: params.role.clone(), shape: less(params.parts(), i) };
            let mut body = body.clone();
            drop_argument(&mut body, count, i);
            let lambda = Term {
                role: lambda.role.clone(),
                shape: TermShape::List(vec![word.clone(), params, body]),
            };
            let mut whole = Term { role: term.role.clone(), shape: less(term.parts(), i + 1) };
            if let TermShape::List(parts) = &mut whole.shape {
                parts[0] = lambda;
            }
            whole
        })
        .collect()
}

fn drop_argument(term: &mut Term, count: usize, i: usize) {
    let TermShape::List(parts) = &mut term.shape else { return };
    let is_rec = matches!(&parts.first().map(|p| &p.shape), Some(TermShape::Atom(a)) if a == "rec");
    if is_rec && parts.len() == count + 1 {
        parts.remove(i + 1);
    }
    parts.iter_mut().for_each(|part| drop_argument(part, count, i));
}
