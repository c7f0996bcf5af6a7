//! Functions of the language that are not numeric: derivatives, barriers, atomics, and what returns structures.

use super::checker::Checker;
use super::items::Need;
use super::values::{Operand, Place, Value};
use crate::const_eval::{Constant, frexp, modf, zip};
use crate::types::{Access, Kind, Member, Scalar, Space, Struct, Type, Types};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::source::Span;
use lambdav_spirv::build::round_up;
use rspirv::spirv::{Capability, GlslStd450Op as Glsl, Op};

/// Scope of memory and execution.
const DEVICE: u32 = 1;
const WORKGROUP: u32 = 2;
/// Memory semantics: acquire and release, and the memory that is meant.
const ACQUIRE_RELEASE: u32 = 0x8;
const UNIFORM_MEMORY: u32 = 0x40;
const WORKGROUP_MEMORY: u32 = 0x100;
const IMAGE_MEMORY: u32 = 0x800;

/// The instruction of a derivative; true if it needs a capability.
fn derivative(name: &str) -> Option<(Op, bool)> {
    Some(match name {
        "dpdx" => (Op::DPdx, false),
        "dpdy" => (Op::DPdy, false),
        "fwidth" => (Op::Fwidth, false),
        "dpdxCoarse" => (Op::DPdxCoarse, true),
        "dpdyCoarse" => (Op::DPdyCoarse, true),
        "fwidthCoarse" => (Op::FwidthCoarse, true),
        "dpdxFine" => (Op::DPdxFine, true),
        "dpdyFine" => (Op::DPdyFine, true),
        "fwidthFine" => (Op::FwidthFine, true),
        _ => return None,
    })
}

impl Checker<'_> {
    pub(super) fn wrong_arguments(&mut self, at: Span, form: &str) -> Option<Value> {
        self.wrong(DiagnosticCode::WgslArguments, at, form);
        None
    }

    /// Calls a function that is neither numeric, nor of textures or atomics.
    pub(super) fn call_other(
        &mut self,
        name: &str,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        if matches!(name, "modf" | "frexp") && arguments.len() == 1 {
            return self.split(name, arguments, at);
        }
        if self.body.is_none() {
            self.not_constant(at, "this call");
            return None;
        }
        if let Some((op, is_controlled)) = derivative(name) {
            return self.call_derivative(name, op, is_controlled, arguments, at);
        }
        match (name, &arguments[..]) {
            ("workgroupBarrier", []) => self.barrier(WORKGROUP_MEMORY, at),
            ("storageBarrier", []) => self.barrier(UNIFORM_MEMORY, at),
            ("textureBarrier", []) => self.barrier(IMAGE_MEMORY, at),
            ("workgroupUniformLoad", [(Operand::Pointer(place), _)])
                if place.space == Space::Workgroup =>
            {
                let place = place.clone();
                self.barrier(WORKGROUP_MEMORY, at);
                let value = match self.types.kind(place.ty) {
                    Kind::Atomic(scalar) => {
                        let ty = self.types.scalar_type(scalar);
                        self.atomic(Op::AtomicLoad, ty, &place, &[])
                    }
                    _ => self.load(&place),
                };
                self.barrier(WORKGROUP_MEMORY, at);
                self.note_equal(&value);
                Some(value)
            }
            ("arrayLength", [(Operand::Pointer(place), _)])
                if self.types.facts(place.ty).is_open
                    && matches!(self.types.kind(place.ty), Kind::Array(..)) =>
            {
                let (root, member) = (place.root, place.member);
                if self.is_dry {
                    return Some(Value::new(Types::UINT, root));
                }
                Some(self.compute(Op::ArrayLength, Types::UINT, &[root, member]))
            }
            ("arrayLength", _) => self.wrong_arguments(
                at,
                "`arrayLength` takes a pointer to an array without a length: `arrayLength(&a)`",
            ),
            ("workgroupUniformLoad", _) => self.wrong_arguments(
                at,
                "`workgroupUniformLoad` takes a pointer to a variable in `workgroup`",
            ),
            _ if name.starts_with("subgroup")
                || name.starts_with("quad")
                || name.starts_with("rayQuery") =>
            {
                self.unsupported(at, &format!("{} is", quote(name)));
                None
            }
            _ => self.wrong_arguments(at, &format!("no `{name}` takes these arguments")),
        }
    }

    fn call_derivative(
        &mut self,
        name: &str,
        op: Op,
        is_controlled: bool,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        let values = self.values(arguments)?;
        if let [(value, span)] = &values[..] {
            let width = self.types.width(value.ty).unwrap_or(0);
            let wanted = self.types.vector(Scalar::Float, width.max(1));
            if width > 0 && self.fits(value.ty, wanted) {
                let value = self.coerce(value, wanted, *span, "the argument has the type")?;
                if is_controlled {
                    self.module.capability(Capability::DerivativeControl);
                }
                self.need(Need::Derivatives, at);
                self.need_uniform("a derivative", false, at);
                let id = self.id(&value);
                return Some(self.compute(op, wanted, &[id]));
            }
        }
        self.wrong_arguments(at, &format!("`{name}` takes an `f32` or a vector of them"))
    }

    fn barrier(&mut self, memory: u32, at: Span) -> Option<Value> {
        self.need(Need::Workgroup, at);
        self.need_uniform("a barrier", true, at);
        let scope = self.uint(WORKGROUP);
        let semantics = self.uint(ACQUIRE_RELEASE | memory);
        self.act(Op::ControlBarrier, &[scope, scope, semantics]);
        Some(Value::new(Types::VOID, 0))
    }

    /// The structure that a function of the language returns.
    fn result_type(&mut self, name: &'static str, key: Type, parts: [(&str, Type); 2]) -> Type {
        let concrete = parts.map(|(name, ty)| (name, self.types.concrete(ty)));
        let own = self.types.concrete(key);
        let concrete = (concrete != parts).then(|| self.result_type(name, own, concrete));
        if let Some(&ty) = self.results.get(&(name, key)) {
            return ty;
        }
        let mut end = 0;
        let mut members = Vec::new();
        let mut most = 1;
        for (name, ty) in parts {
            let facts = self.types.facts(ty);
            let offset = round_up(end, facts.align);
            end = offset + facts.size;
            most = most.max(facts.align);
            // The names are noted in advance.
            let name = self.set.names.find(name).unwrap_or(crate::token::Name(0));
            members.push(Member { name, ty, offset });
        }
        let name_text = format!("__{name}_result");
        let size = round_up(end, most);
        let structure = Struct { name: name_text, members, size, align: most, concrete };
        let ty = self.types.structure(structure);
        self.results.insert((name, key), ty);
        ty
    }

    /// `modf`, `frexp`
    fn split(&mut self, name: &str, arguments: Vec<(Operand, Span)>, at: Span) -> Option<Value> {
        let values = self.values(arguments)?;
        let (value, span) = values.first()?;
        let width = self.types.width(value.ty).unwrap_or(0);
        let is_abstract = self.types.is_abstract(value.ty);
        let scalars = match is_abstract {
            true => [Scalar::AbstractFloat, Scalar::AbstractInt],
            false => [Scalar::Float, Scalar::Int],
        };
        let [wanted, exponent] = scalars.map(|scalar| self.types.vector(scalar, width.max(1)));
        if width == 0 || !self.fits(value.ty, wanted) {
            return self
                .wrong_arguments(at, &format!("`{name}` takes an `f32` or a vector of them"));
        }
        let value = self.coerce(value, wanted, *span, "the argument has the type")?;
        type Parts = fn(&Constant) -> [Constant; 2];
        let (ty, parts, function): (_, Parts, _) = match name {
            "modf" => {
                let ty = self.result_type("modf", wanted, [("fract", wanted), ("whole", wanted)]);
                (ty, modf, Glsl::ModfStruct)
            }
            _ => {
                let ty = self.result_type("frexp", wanted, [("fract", wanted), ("exp", exponent)]);
                (ty, frexp, Glsl::FrexpStruct)
            }
        };
        if let Some(constant) = &value.constant {
            let member = |k: usize| zip(&[constant], &mut |of| Ok(parts(of[0])[k].clone()));
            let result =
                member(0).and_then(|first| Ok(Constant::composite(vec![first, member(1)?])));
            return self.folded(ty, result, at);
        }
        if self.body.is_none() {
            self.not_constant(at, "this call");
            return None;
        }
        let id = self.id(&value);
        Some(self.glsl(function, ty, &[id]))
    }

    /// `bitcast<T>(e)`
    pub(super) fn bitcast(
        &mut self,
        ty: Type,
        values: &[(Value, Span)],
        at: Span,
    ) -> Option<Value> {
        let is_bits = |checker: &Self, ty| {
            matches!(
                checker.types.kind(ty),
                Kind::Scalar(scalar) | Kind::Vector(scalar, _) if scalar != Scalar::Bool
            )
        };
        let [(value, span)] = values else {
            return self.wrong_arguments(at, "`bitcast` takes one value");
        };
        let value = self.concrete(value, *span)?;
        let widths = [ty, value.ty].map(|ty| self.types.width(ty));
        if !is_bits(self, ty) || !is_bits(self, value.ty) || widths[0] != widths[1] {
            let [a, b] = [value.ty, ty].map(|ty| self.type_name(ty));
            return self.wrong_arguments(at, &format!("`bitcast` does not make {b} of {a}"));
        }
        if let Some(constant) = &value.constant {
            let is_float = self.types.scalar(ty) == Some(Scalar::Float);
            let result = zip(&[constant], &mut |of| match of[0].word() {
                Some(word) if is_float => Constant::float(f32::from_bits(word)),
                _ => Ok(of[0].clone()),
            });
            return self.folded(ty, result, at);
        }
        if value.ty == ty {
            return Some(value);
        }
        let id = self.id(&value);
        Some(self.compute(Op::Bitcast, ty, &[id]))
    }

    /// An atomic instruction.
    fn atomic(&mut self, op: Op, ty: Type, place: &Place, values: &[u32]) -> Value {
        let scope = if place.space == Space::Workgroup { WORKGROUP } else { DEVICE };
        let [scope, relaxed] = [self.uint(scope), self.uint(0)];
        let pointer = self.pointer_to(place);
        let mut operands = vec![pointer, scope, relaxed];
        if op == Op::AtomicCompareExchange {
            operands.push(relaxed);
        }
        operands.extend_from_slice(values);
        if op == Op::AtomicStore {
            self.act(op, &operands);
            return Value::new(Types::VOID, 0);
        }
        self.compute(op, ty, &operands)
    }

    /// Calls an atomic function.
    pub(super) fn call_atomic(
        &mut self,
        name: &str,
        arguments: Vec<(Operand, Span)>,
        at: Span,
    ) -> Option<Value> {
        if self.body.is_none() {
            self.not_constant(at, "this call");
            return None;
        }
        let mut arguments = arguments.into_iter();
        let place = match arguments.next() {
            Some((Operand::Pointer(place), _))
                if matches!(self.types.kind(place.ty), Kind::Atomic(_)) =>
            {
                place
            }
            _ => {
                let message =
                    format!("`{name}` takes a pointer to an atomic first: `{name}(&a, …)`");
                return self.wrong_arguments(at, &message);
            }
        };
        let Kind::Atomic(scalar) = self.types.kind(place.ty) else { return None };
        let ty = self.types.scalar_type(scalar);
        let is_signed = scalar == Scalar::Int;
        let (op, count) = match name {
            "atomicLoad" => (Op::AtomicLoad, 0),
            "atomicStore" => (Op::AtomicStore, 1),
            "atomicAdd" => (Op::AtomicIAdd, 1),
            "atomicSub" => (Op::AtomicISub, 1),
            "atomicMax" if is_signed => (Op::AtomicSMax, 1),
            "atomicMax" => (Op::AtomicUMax, 1),
            "atomicMin" if is_signed => (Op::AtomicSMin, 1),
            "atomicMin" => (Op::AtomicUMin, 1),
            "atomicAnd" => (Op::AtomicAnd, 1),
            "atomicOr" => (Op::AtomicOr, 1),
            "atomicXor" => (Op::AtomicXor, 1),
            "atomicExchange" => (Op::AtomicExchange, 1),
            "atomicCompareExchangeWeak" => (Op::AtomicCompareExchange, 2),
            _ => return None,
        };
        if arguments.len() != count {
            let message = format!(
                "`{name}` takes {count} numbers behind the pointer, and here are {}",
                arguments.len()
            );
            return self.wrong_arguments(at, &message);
        }
        if place.access == Access::Read {
            let message = "atomics need the access `read_write`";
            self.wrong(DiagnosticCode::WgslTypes, at, message);
            return None;
        }
        let mut ids = Vec::new();
        for (operand, span) in arguments {
            let value = self.value_of(operand, span)?;
            let value = self.coerce(&value, ty, span, "the number has the type")?;
            ids.push(self.id(&value));
        }
        if op != Op::AtomicCompareExchange {
            return Some(self.atomic(op, ty, &place, &ids));
        }
        // The instruction takes the new value first.
        let compared = ids[0];
        ids.reverse();
        let old = self.atomic(op, ty, &place, &ids);
        let exchanged = self.compute(Op::IEqual, Types::BOOL, &[old.id, compared]);
        let parts = [("old_value", ty), ("exchanged", Types::BOOL)];
        let result = self.result_type("atomic_compare_exchange", ty, parts);
        Some(self.compute(Op::CompositeConstruct, result, &[old.id, exchanged.id]))
    }
}
