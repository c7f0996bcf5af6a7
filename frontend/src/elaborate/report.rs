//! Reports of diagnostics: each kind once per position, with the applications that led there.

use super::elaborator::Elaborator;
use super::values::{Activation, ActivationId, Value};
use crate::resolve::{Code, CodeId};
use lambdav_core::diagnostics::Diagnostic;
use lambdav_core::graph::ExprType;
use lambdav_core::types::{Type, TypeKind};

impl Elaborator {
    /// True after a limit was exceeded: nothing is evaluated any more.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped
    }

    pub(super) fn has_errors(&self) -> bool {
        self.diagnostics.has_errors()
    }

    /// Reports a diagnostic, unless one of its kind was reported at its position.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        if self.reported.insert((diagnostic.code, diagnostic.primary.span)) {
            self.diagnostics.push(diagnostic);
        }
    }

    /// The same, with the applications through which the position was reached.
    pub(super) fn report_in(&mut self, mut diagnostic: Diagnostic, activation: ActivationId) {
        let mut at = activation;
        let mut shown = 0;
        while at != ActivationId(0) && shown < 2 {
            let Activation { caller, site, expansion, function, .. } =
                self.activations[at.0 as usize];
            if expansion.is_none() && site != diagnostic.primary.span {
                let name = function.and_then(|f| self.function_name(f));
                let what =
                    name.map_or("this application".to_owned(), |n| format!("applying `{n}`"));
                diagnostic = diagnostic.also(site, format!("reached by {what}"));
                shown += 1;
            }
            at = caller;
        }
        self.report(diagnostic);
    }

    pub(super) fn function_name(&self, code: CodeId) -> Option<&str> {
        match self.arena.get(code) {
            Code::Function(f) => f.name.as_deref(),
            _ => None,
        }
    }

    /// A description of a value, as a part of a sentence.
    pub(super) fn describe(&self, value: Value) -> String {
        match value {
            Value::Data(data) => match self.graph.expr_type(data.node) {
                ExprType::Value(ty) => self.a(ty),
                ExprType::Rec(ty) => format!("{} or the next round", self.a(ty)),
                ExprType::PureRec => "the next round".to_owned(),
            },
            Value::Structure(id) => {
                let name = &self.declarations.structure(self.held(id).declaration).name;
                format!("{} that holds a function", with_article(name))
            }
            Value::Function(_) | Value::Error => "a function".to_owned(),
        }
    }

    /// A type, as a part of a sentence: `a vec3`.
    pub(super) fn a(&self, ty: Type) -> String {
        let name = self.graph.types().name(ty).to_string();
        match self.graph.types().kind(ty) {
            TypeKind::Array(..) => format!("an {name}"),
            _ => with_article(&name),
        }
    }
}

/// The name of a type with its article, by its probable pronunciation.
pub(super) fn with_article(name: &str) -> String {
    let article =
        if name.starts_with(['a', 'e', 'i', 'o', 'A', 'E', 'I', 'O']) { "an" } else { "a" };
    format!("{article} {name}")
}
