//! Results and passes.
//!
//! The type of `(id)` depends on the number of axes of the pass, so code that is elaborated for another number of axes has
//! memos of its own: a definition is elaborated at most once for each.

use super::elaborator::{Elaborator, Memos};
use super::values::{self, Data};
use crate::resolve::{
    CodeId, GlobalValue, Items, Pass as PassItem, PassSize, ResultItem, ResultLength as Length,
    WriteIndex, WriteItem,
};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode};
use lambdav_core::graph::{NodeId, Pass, PassResult, Passes, ResultLength, Uniform, Write};
use lambdav_core::limits::{BUFFER_WORDS, PASS_NODES};
use lambdav_core::types::{Scalar, Type};

/// The results and passes of a program; none if it has none, or after an error. `constants` have their values.
pub(super) fn elaborate_passes(
    elaborator: &mut Elaborator,
    items: &Items,
    constants: &[Option<Uniform>],
) -> Option<Box<Passes>> {
    if items.results.is_empty() && items.passes.is_empty() {
        return None;
    }
    let number = |elaborator: &Elaborator, ty| {
        elaborator.graph.types().resource(ty).expect("a result is a resource") as u32
    };
    let mut results = Some(Vec::new());
    for item in &items.results {
        let length = elaborator.result_length(item, constants);
        let (resource, counter) =
            (number(elaborator, item.ty), item.counter.map(|ty| number(elaborator, ty)));
        let result = |length| PassResult { resource, length, counter, span: item.span };
        results = results.zip(length.map(result)).map(|(mut all, result)| {
            all.push(result);
            all
        });
    }
    let mut passes = Some(Vec::new());
    let mut memos: [Option<Memos>; 3] = [None, None, None];
    for item in &items.passes {
        let size: Option<Vec<NodeId>> =
            item.size.iter().map(|size| elaborator.pass_size(size)).collect();
        let writes = elaborator.pass_writes(item, items, &mut memos);
        let (name, span) = (item.name.clone(), item.span);
        let pass = size.zip(writes).map(|(size, writes)| Pass { name, size, writes, span });
        passes = passes.zip(pass).map(|(mut all, pass)| {
            all.push(pass);
            all
        });
    }
    let passes = Passes { results: results?, passes: passes? };
    if let Some(pass) = passes.beyond_limit(&elaborator.graph) {
        let message = "the passes have too many operations together";
        let diagnostic = Diagnostic::new(DiagnosticCode::ExpansionTooLarge, pass.span, message);
        let note = format!("all passes together have at most {PASS_NODES} operations");
        let help = "let a pass write what several of them compute";
        let diagnostic = diagnostic.label("with this one").note(note).help(help);
        elaborator.report(diagnostic);
    }
    Some(passes.into())
}

impl Elaborator {
    /// The number of elements of a result; reports wrong ones.
    fn result_length(
        &mut self,
        item: &ResultItem,
        constants: &[Option<Uniform>],
    ) -> Option<ResultLength> {
        let index = match item.length {
            Length::Elements(count) => return Some(ResultLength::Elements(count)),
            Length::Of(ty) => {
                let number = self.graph.types().resource(ty).expect("a buffer is a resource");
                return Some(ResultLength::Of(number as u32));
            }
            Length::Constant(index) => index,
        };
        let words = self.graph.types().components(item.element) as u64;
        let constant = constants.get(index as usize)?.as_ref()?;
        let value = match constant.ty.builtin().and_then(|_| constant.ty.scalar()) {
            _ if constant.default.len() != 1 => None,
            Some(Scalar::F32) => Some(f32::from_bits(constant.default[0]))
                .filter(|value| value.fract() == 0.0 && (1.0..=268_435_456.0).contains(value))
                .map(|value| value as u32),
            Some(Scalar::I32) => u32::try_from(constant.default[0] as i32).ok(),
            Some(Scalar::U32) => Some(constant.default[0]),
            Some(Scalar::Bool) | None => None,
        };
        let fits = |count: &u32| *count > 0 && u64::from(*count) * words <= BUFFER_WORDS.into();
        let value = value.filter(fits);
        if value.is_none() {
            let message = format!("the constant `{}` is no length of a result", constant.name);
            let note = format!("a result has at least 1 element, and at most {BUFFER_WORDS} words");
            let code = DiagnosticCode::ResultLength;
            self.report(Diagnostic::new(code, item.length_span, message).note(note));
        }
        value.map(ResultLength::Elements)
    }

    /// The number of ids along an axis: an `int` or a `uint`.
    fn pass_size(&mut self, size: &PassSize) -> Option<NodeId> {
        match *size {
            PassSize::Token(count, span) => Some(self.graph.constant(Type::UINT, &[count], span)),
            PassSize::Code(code) => self.integer(code, "a number of ids"),
        }
    }

    /// The writes of a pass, with the memos for its number of axes.
    fn pass_writes(
        &mut self,
        pass: &PassItem,
        items: &Items,
        memos: &mut [Option<Memos>; 3],
    ) -> Option<Vec<Write>> {
        let axes = pass.size.len();
        // The size was malformed, which has been reported.
        let memos = memos.get_mut(axes.checked_sub(1)?)?;
        if memos.is_none() {
            let (mut new, values) = (Memos::default(), self.globals.clone());
            self.swap_memos(&mut new);
            for (global, &value) in items.globals.iter().zip(&values) {
                let denotation = match global {
                    GlobalValue::Code(_, code) => self.thunk(*code, values::ROOT),
                    _ => value,
                };
                self.globals.push(denotation);
            }
            self.swap_memos(&mut new);
            *memos = Some(new);
        }
        let memos = memos.as_mut().expect("they were just made");
        self.swap_memos(memos);
        self.axes = Some(axes as u8);
        let writes: Vec<Option<Write>> =
            pass.writes.iter().map(|item| self.pass_write(item)).collect();
        self.axes = None;
        self.swap_memos(memos);
        writes.into_iter().collect()
    }

    fn pass_write(&mut self, item: &WriteItem) -> Option<Write> {
        let WriteItem { way, ty, span, .. } = *item;
        let condition = item.condition.map(|code| self.condition(code));
        let index = item.index.map(|index| match index {
            WriteIndex::Token(digits, span) => {
                Some(self.graph.constant(Type::UINT, &[digits], span))
            }
            WriteIndex::Code(code) => self.integer(code, "an index"),
        });
        let value = self.element(item);
        let resource = self.graph.types().resource(ty).expect("a result is a resource") as u32;
        let (condition, index) = (transposed(condition)?, transposed(index)?);
        Some(Write { way, resource, index, value: value?, condition, span })
    }

    /// The value that is written; reports other types.
    fn element(&mut self, item: &WriteItem) -> Option<NodeId> {
        let span = self.arena.span(item.value);
        let value = self.evaluate(item.value);
        let Data { node, .. } = self.require_value(value, span, "a written value", None)?;
        let found = self.graph.value_type(node);
        if found == item.element {
            return Some(node);
        }
        let (found, wanted) = (self.a(found), self.a(item.element));
        let message = format!("the elements are {wanted} each, not {found}");
        self.report(
            Diagnostic::new(DiagnosticCode::WriteType, span, message)
                .label(format!("this is {found}"))
                .help("give a value of the declared type; nothing is converted by itself"),
        );
        None
    }

    /// The `int` or `uint` that an expression is; reports other values.
    fn integer(&mut self, code: CodeId, what: &str) -> Option<NodeId> {
        let span = self.arena.span(code);
        let value = self.evaluate(code);
        let Data { node, .. } = self.require_value(value, span, what, None)?;
        let ty = self.graph.value_type(node);
        if matches!(ty, Type::INT | Type::UINT) {
            return Some(node);
        }
        let found = self.a(ty);
        let message = format!("{what} is an int or a uint, not {found}");
        let help = match ty == Type::NUM {
            true => "convert it: `(int …)`",
            false => "of a vector take a component, such as `(.x v)`",
        };
        let diagnostic = Diagnostic::new(DiagnosticCode::WriteType, span, message);
        self.report(diagnostic.label(format!("this is {found}")).help(help));
        None
    }

    /// Notes the counters of results.
    pub(super) fn declare_counters(&mut self, items: &Items) {
        let all = items.results.iter().filter_map(|item| Some((item.ty, item.counter?)));
        self.counters.extend(all);
    }
}

/// `None` for an inner `None`.
fn transposed(of: Option<Option<NodeId>>) -> Option<Option<NodeId>> {
    match of {
        Some(None) => None,
        Some(found) => Some(found),
        None => Some(None),
    }
}
