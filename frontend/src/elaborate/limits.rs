//! The limits of elaboration, and their diagnostics. After an exceeded limit elaboration stops.

use super::continuation::Continuation;
use super::elaborator::Elaborator;
use super::values::{Activation, ActivationId, EnvId, FunctionId, FunctionValue, Site};
use crate::resolve::CodeId;
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::limits::{APPLICATION_NESTING, BINDINGS, EXPANSION_STEPS, EXTENT, NODES};
use lambdav_core::source::Span;

impl Elaborator {
    /// Pushes the continuation for the next returned value.
    pub(super) fn wait(&mut self, continuation: Continuation) {
        self.continuations.push(continuation);
        if self.graph.len() > NODES {
            self.too_large(Span::default(), NODES, "operations");
        }
        if self.graph.extent() > EXTENT {
            self.too_large(Span::default(), EXTENT, "words of constants and operands");
        }
    }

    /// Counts an evaluated expression.
    pub(super) fn count_step(&mut self, code: CodeId, env: EnvId) {
        self.steps += 1;
        self.unrolling.at = self.activations[self.env(env).activation.0 as usize].eager;
        if self.steps > EXPANSION_STEPS {
            let at = self.span(code, env);
            self.too_large(at, EXPANSION_STEPS as usize, "steps of expansion");
        }
    }

    /// Counts the bindings of a scope.
    pub(super) fn count_bindings(&mut self, count: usize, activation: ActivationId) {
        self.bindings += count;
        if self.bindings > BINDINGS {
            let at = self.activations[activation.0 as usize].site;
            self.too_large(at, BINDINGS, "arguments and bindings");
        }
    }

    /// Enters the body of a closure applied at `site`.
    pub(super) fn activate(&mut self, function: FunctionId, site: Site) -> Option<ActivationId> {
        let FunctionValue::Closure { code, expansion, .. } = self.function(function) else {
            unreachable!("only closures have bodies")
        };
        let caller = &self.activations[site.activation.0 as usize];
        let depth = caller.depth + 1;
        let at = self.site_span(site);
        let (eager, expansion) = (caller.eager, caller.expansion.or(expansion.then_some(at)));
        let activation = Activation {
            caller: site.activation,
            depth,
            function: Some(code),
            site: at,
            expansion,
            eager,
        };
        let id = ActivationId(self.activations.len() as u32);
        self.activations.push(activation);
        if depth > APPLICATION_NESTING {
            self.endless(id);
            return None;
        }
        Some(id)
    }

    /// Reports that applications nest too deep, with the functions of the cycle.
    fn endless(&mut self, last: ActivationId) {
        let mut chain = Vec::new();
        let mut at = last;
        while at != ActivationId(0) && chain.len() < 1000 {
            let activation = self.activations[at.0 as usize];
            chain.push((activation.function, activation.site));
            at = activation.caller;
        }
        // The smallest period of the latest applications.
        let period = (1..=chain.len() / 3).find(|&p| (0..2 * p).all(|i| chain[i] == chain[i + p]));
        let cycle = &chain[..period.unwrap_or(1).min(6)];
        let mut diagnostic = Diagnostic::new(
            DiagnosticCode::EndlessExpansion,
            cycle[0].1,
            "functions apply each other without end",
        )
        .label(format!("after {APPLICATION_NESTING} nested applications"))
        .note("every application of a `func` is inlined, so its nesting must be finite")
        .help("use `rec-func` for a loop");
        for (function, site) in &cycle[1..] {
            let name = function.and_then(|f| self.function_name(f)).unwrap_or("a function");
            diagnostic =
                diagnostic.also(*site, format!("which is inside this application of {name}"));
        }
        if let Some(function) = cycle[0].0 {
            diagnostic = diagnostic
                .also(self.arena.span(function), "this function is applied again and again");
        }
        let eager = self.activations[last.0 as usize].eager;
        self.report(match eager {
            Some(at) => diagnostic.also(at, "elaborated eagerly because of this `@`"),
            None => diagnostic,
        });
        self.stopped = true;
    }

    fn too_large(&mut self, at: Span, most: usize, what: &str) {
        if self.stopped {
            return;
        }
        let eager = self.unrolling.at;
        let message = "the program expands to too much code";
        let diagnostic = match eager {
            Some(eager) => Diagnostic::new(DiagnosticCode::ExpansionTooLarge, eager, message)
                .label("what this `@` unrolls is too large")
                .also(at, "the limit was reached here")
                .note(format!(
                    "rounds are unrolled and applications inlined; at most {most} {what} are accepted"
                ))
                .help("`($ e)` inside it is elaborated as usual"),
            None => Diagnostic::new(DiagnosticCode::ExpansionTooLarge, at, message)
                .label("the limit was reached here")
                .note(format!("every application is inlined; at most {most} {what} are accepted"))
                .help("repeat with `rec-func`, which becomes a loop, instead of nesting functions"),
        };
        self.report(diagnostic);
        self.stopped = true;
    }
}
