//! Visible names and their meanings.

use crate::term::TermKind;
use lambdav_core::types::Type;
use lambdav_frontend::builtins::Builtin;
use lambdav_test_support::Random;
use std::collections::BTreeSet;

/// The special forms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    Let,
    LetStar,
    Func,
    RecFunc,
    If,
    The,
}

impl Form {
    pub(crate) const ALL: [Self; 6] =
        [Self::Let, Self::LetStar, Self::Func, Self::RecFunc, Self::If, Self::The];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Let => "let",
            Self::LetStar => "let*",
            Self::Func => "func",
            Self::RecFunc => "rec-func",
            Self::If => "if",
            Self::The => "the",
        }
    }
}

/// The number of a `bool` binding, and its value.
pub(crate) type Fact = (u32, bool);

/// Holds only where no pixel gets to.
pub(crate) const IMPOSSIBLE: Fact = (u32::MAX, true);

/// The meaning of a name.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A term of that kind. `loops`: depth of loops in it, for functions.
    Term { kind: TermKind, loops: u32 },
    /// A binding that must not be used.
    Hidden,
    /// A value that ends only where the fact holds.
    Guarded(Type, Fact),
    /// A special form under another name.
    Form(Form),
}

#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) name: String,
    pub(crate) what: What,
    /// The binding's number in facts.
    pub(crate) id: u32,
    /// Preferred as a variable.
    pub(crate) hot: bool,
}

/// All bindings, inner ones last, and the facts that hold here.
#[derive(Debug, Default)]
pub(crate) struct Scope {
    pub(crate) bindings: Vec<Binding>,
    pub(crate) facts: Vec<Fact>,
    /// The builtins used so far.
    pub(crate) used: BTreeSet<Builtin>,
    next_id: u32,
}

impl Scope {
    pub(crate) fn push(&mut self, name: impl Into<String>, what: What, hot: bool) {
        self.next_id += 1;
        self.bindings.push(Binding { name: name.into(), what, id: self.next_id, hot });
    }

    /// The visible bindings, inner ones first.
    pub(crate) fn visible(&self) -> impl Iterator<Item = &Binding> {
        let seen =
            |i: usize| self.bindings[i + 1..].iter().any(|b| b.name == self.bindings[i].name);
        (0..self.bindings.len()).rev().filter(move |&i| !seen(i)).map(|i| &self.bindings[i])
    }

    pub(crate) fn is_shadowed(&self, name: &str) -> bool {
        self.bindings.iter().any(|b| b.name == name)
    }

    pub(crate) fn holds(&self, fact: Fact) -> bool {
        self.facts.contains(&fact) || self.facts.contains(&IMPOSSIBLE)
    }

    /// A random name of the form, if it has one here.
    pub(crate) fn form(&self, form: Form, random: &mut Random) -> Option<String> {
        let mut names: Vec<String> = self
            .visible()
            .filter(|b| matches!(b.what, What::Form(f) if f == form))
            .map(|b| b.name.clone())
            .collect();
        if !self.is_shadowed(form.name()) {
            names.push(form.name().into());
        }
        (!names.is_empty()).then(|| random.pick(&names).clone())
    }

    /// A random name of the builtin, if it has one here.
    pub(crate) fn builtin(&mut self, builtin: Builtin, random: &mut Random) -> Option<String> {
        let mut names = vec![builtin.name().into_owned()];
        names.extend(builtin.aliases().iter().map(|&a| a.to_owned()));
        names.retain(|name| !self.is_shadowed(name));
        if names.is_empty() {
            return None;
        }
        self.used.insert(builtin);
        Some(random.pick(&names).clone())
    }

    /// True if none of these names is shadowed.
    pub(crate) fn are_original(&self, names: &[&str]) -> bool {
        names.iter().all(|name| !self.is_shadowed(name))
    }

    pub(crate) fn variables(&self, accepts: impl Fn(&TermKind) -> bool) -> Vec<(String, bool)> {
        self.visible()
            .filter(|b| match &b.what {
                What::Term { kind, .. } => accepts(kind),
                What::Guarded(ty, fact) => self.holds(*fact) && accepts(&TermKind::Value(*ty)),
                What::Hidden | What::Form(_) => false,
            })
            .map(|b| (b.name.clone(), b.hot))
            .collect()
    }
}
