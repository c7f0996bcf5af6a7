//! The order in which declarations are checked: each behind those that it uses.

use super::checker::Checker;
use super::values::Symbol;
use crate::syntax::tree::{Item, Reference};
use lambdav_core::diagnostics::{DiagnosticCode, Severity, quote};
use lambdav_core::source::Span;

impl Checker<'_> {
    /// Notes all declarations by name; a name that exists is reported.
    pub(super) fn declare_all(&mut self) {
        let unit = self.set.unit;
        self.symbols = vec![None; unit.globals.len()];
        for (number, global) in unit.globals.iter().enumerate() {
            let Some(name) = global.name else { continue };
            let reference = Reference { module: global.module, name };
            if global.replaces.is_some() {
                continue;
            }
            if let Some(&before) = self.declared.get(&reference) {
                let message = format!("{} is declared twice", quote(self.text(name)));
                self.wrong(DiagnosticCode::WgslRedeclared, global.at, message);
                self.also(unit.globals[before].at, "declared here before");
                continue;
            }
            self.declared.insert(reference, number);
        }
        // Of several functions that replace one, the last is called, and calls the one before.
        for (number, global) in unit.globals.iter().enumerate() {
            let Some(old) = global.replaces.and_then(|old| self.global_of(old)) else { continue };
            self.replaced.entry(old).or_default().push(number);
        }
    }

    /// The declaration that a name means in the declaration `from`.
    pub(super) fn target(&self, from: usize, reference: Reference) -> Option<usize> {
        let old = self.global_of(reference)?;
        let Some(all) = self.replaced.get(&old) else { return Some(old) };
        match all.iter().position(|&number| number == from) {
            Some(0) => Some(old),
            Some(k) => all.get(k - 1).copied(),
            None => all.last().copied(),
        }
    }

    /// The declaration that a name means.
    pub(super) fn global_of(&self, reference: Reference) -> Option<usize> {
        if let Some(&number) = self.declared.get(&reference) {
            return Some(number);
        }
        let imported = self.set.imports.get(&reference)?;
        self.declared.get(imported).copied()
    }

    /// All declarations in order. A cycle is reported, and its declarations are left out.
    pub(super) fn in_order(&mut self) -> Vec<usize> {
        let unit = self.set.unit;
        let count = unit.globals.len();
        // 0: not seen, 1: on the path, 2: done.
        let mut state = vec![0_u8; count];
        let mut order = Vec::with_capacity(count);
        for root in 0..count {
            // Declaration, the next of its uses.
            let mut path: Vec<(usize, usize)> = vec![(root, 0)];
            if state[root] != 0 {
                continue;
            }
            state[root] = 1;
            while let Some((number, next)) = path.last_mut() {
                let number = *number;
                let Some(&(used, at)) = unit.globals[number].uses.get(*next) else {
                    state[number] = 2;
                    order.push(number);
                    path.pop();
                    continue;
                };
                *next += 1;
                let Some(used) = self.target(number, used) else { continue };
                match state[used] {
                    0 => {
                        state[used] = 1;
                        path.push((used, 0));
                    }
                    1 => {
                        for number in [number, used] {
                            self.symbols[number] = Some(Symbol::Error);
                        }
                        if !self.diagnostics.has_room(Severity::Error) {
                            self.diagnostics.omit(Severity::Error);
                            continue;
                        }
                        let from = path.iter().position(|&(of, _)| of == used).unwrap_or(0);
                        let around: Vec<usize> = path[from..].iter().map(|&(of, _)| of).collect();
                        self.cycle(&around, at);
                    }
                    _ => {}
                }
            }
        }
        order
    }

    fn cycle(&mut self, around: &[usize], at: Span) {
        let unit = self.set.unit;
        let name = |number: usize| {
            unit.globals[number].name.map_or("", |name| self.set.names.text(name)).to_owned()
        };
        let first = around[0];
        let is_function =
            around.iter().all(|&number| matches!(unit.globals[number].what, Item::Function(_)));
        let message = match (around, is_function) {
            ([_], true) => format!("the function `{}` calls itself", name(first)),
            (_, true) => format!("the function `{}` calls itself through others", name(first)),
            _ => format!("the declaration of `{}` depends on itself", name(first)),
        };
        self.wrong(DiagnosticCode::WgslPlacement, at, message);
        let help = match is_function {
            true => "WGSL has no recursion: write a loop",
            false => "take one of the uses away",
        };
        self.help(help);
    }
}
