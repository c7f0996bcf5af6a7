//! stub
use super::Checker;
use super::values::Operand;
use crate::types::Type;
use lambdav_core::source::Span;
impl Checker<'_> {
    pub(super) fn is_builtin_function(&self, _name: &str) -> bool {
        false
    }
    pub(super) fn builtin_keeps(&self, _name: &str) -> Vec<bool> {
        Vec::new()
    }
    pub(super) fn call_builtin(
        &mut self,
        _name: &str,
        _a: Vec<(Operand, Span)>,
        _at: Span,
    ) -> Operand {
        Operand::Error
    }
    pub(super) fn texture_constructor(
        &mut self,
        _ty: Type,
        _a: Vec<(Operand, Span)>,
        _at: Span,
    ) -> Operand {
        Operand::Error
    }
}
