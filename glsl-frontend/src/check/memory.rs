//! Loads, stores, and the ids of values.

use super::checker::{Body, Checker};
use super::declarations::OPERANDS;
use super::values::{Constant, Layout, Memory, Operand, Place, Value};
use crate::types::{Kind, Length, Scalar, Type, Types};
use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::source::Span;
use rspirv::spirv::{Op, StorageClass};

/// Most parts of arrays and structures that the program copies or compares one by one.
const EXPANDED: usize = 1 << 21;

impl Checker<'_> {
    /// The open function.
    pub(super) fn body(&mut self) -> &mut Body {
        self.body.as_mut().expect("expressions stand in functions")
    }

    /// Adds an instruction with a result.
    pub(super) fn emit(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.module.id();
        self.body().builder.push_value(op, ty, id, operands);
        id
    }

    /// Adds an instruction without a result.
    pub(super) fn act(&mut self, op: Op, operands: &[u32]) {
        self.body().builder.push(op, operands);
    }

    /// Adds an instruction whose result has this type.
    pub(super) fn compute(&mut self, op: Op, ty: Type, operands: &[u32]) -> Value {
        let result = self.id_of(ty, None);
        Value::new(ty, self.emit(op, result, operands))
    }

    pub(super) fn uint(&mut self, value: u32) -> u32 {
        let ty = self.module.ty(Op::TypeInt, &[32, 0]);
        self.module.constant(Op::Constant, ty, &[value])
    }

    pub(super) fn int(&mut self, value: i32) -> u32 {
        let ty = self.module.ty(Op::TypeInt, &[32, 1]);
        self.module.constant(Op::Constant, ty, &[value as u32])
    }

    pub(super) fn float(&mut self, value: f32) -> u32 {
        let ty = self.module.ty(Op::TypeFloat, &[32]);
        self.module.constant(Op::Constant, ty, &[value.to_bits()])
    }

    /// The id of a constant.
    pub(super) fn constant_id(&mut self, ty: Type, constant: &Constant) -> u32 {
        let id = self.id_of(ty, None);
        match constant {
            Constant::Scalar(Scalar::Bool, 0) => self.module.constant(Op::ConstantFalse, id, &[]),
            Constant::Scalar(Scalar::Bool, _) => self.module.constant(Op::ConstantTrue, id, &[]),
            Constant::Scalar(Scalar::Double, bits) => {
                let bits = f64::from(f32::from_bits(*bits)).to_bits();
                self.module.constant(Op::Constant, id, &[bits as u32, (bits >> 32) as u32])
            }
            Constant::Scalar(_, bits) => self.module.constant(Op::Constant, id, &[*bits]),
            Constant::Composite(parts) => {
                let ids: Vec<u32> = (0..)
                    .zip(parts)
                    .map(|(k, part)| {
                        let ty = self.part(ty, k);
                        self.constant_id(ty, part)
                    })
                    .collect();
                self.module.constant(Op::ConstantComposite, id, &ids)
            }
        }
    }

    /// The id of a value.
    pub(super) fn id(&mut self, value: &Value) -> u32 {
        match &value.constant {
            Some(constant) if value.id == 0 => self.constant_id(value.ty, constant),
            _ => value.id,
        }
    }

    /// The type of part k of a vector, matrix, array or structure.
    pub(super) fn part(&mut self, ty: Type, k: usize) -> Type {
        match self.types.kind(ty) {
            Kind::Vector(scalar, _) => self.types.of(Kind::Scalar(scalar)),
            Kind::Matrix(scalar, _, rows) => self.types.vector(scalar, rows),
            Kind::Array(element, _) => element,
            Kind::Struct(number) => {
                self.structure(number).members.get(k).map_or(Types::ERROR, |member| member.ty)
            }
            _ => Types::ERROR,
        }
    }

    /// The number of parts of a vector, matrix, array or structure.
    pub(super) fn parts(&self, ty: Type) -> usize {
        match self.types.kind(ty) {
            Kind::Vector(_, width) => width.into(),
            Kind::Matrix(_, columns, _) => columns.into(),
            Kind::Array(_, Length::Known(length)) => length as usize,
            Kind::Struct(number) => self.structure(number).members.len(),
            _ => 0,
        }
    }

    /// Part k of a value.
    pub(super) fn extract(&mut self, value: &Value, k: usize) -> Value {
        let ty = self.part(value.ty, k);
        if value.id == 0
            && let Some(Constant::Composite(parts)) = value.constant.as_deref()
            && let Some(part) = parts.get(k)
        {
            return Value::constant(ty, part.clone());
        }
        let id = self.id(value);
        self.compute(Op::CompositeExtract, ty, &[id, k as u32])
    }

    /// A value of these parts.
    pub(super) fn compose(&mut self, ty: Type, parts: &[Value]) -> Value {
        let constants: Option<Vec<Constant>> = parts
            .iter()
            .map(|part| part.constant.as_deref().filter(|_| part.id == 0).cloned())
            .collect();
        if let Some(constants) = constants {
            return Value::constant(ty, Constant::Composite(constants));
        }
        let ids: Vec<u32> = parts.iter().map(|part| self.id(part)).collect();
        self.compute(Op::CompositeConstruct, ty, &ids)
    }

    /// A new variable of the open function.
    pub(super) fn temporary(&mut self, ty: Type) -> Place {
        let id = self.id_of(ty, None);
        let pointer = self.module.pointer(StorageClass::Function, id);
        let id = self.module.id();
        self.body().builder.variable(pointer, id);
        Place::variable(id, StorageClass::Function, ty)
    }

    /// The pointer to a place, without its swizzle.
    pub(super) fn pointer_to(&mut self, place: &Place) -> u32 {
        if place.chain.is_empty() {
            return place.pointer;
        }
        let ty = self.id_of(place.whole, place.layout);
        let ty = self.module.pointer(place.class, ty);
        let mut operands = vec![place.pointer];
        operands.extend_from_slice(&place.chain);
        self.emit(Op::AccessChain, ty, &operands)
    }

    /// Reads a place.
    pub(super) fn load(&mut self, place: &Place) -> Value {
        let pointer = self.pointer_to(place);
        let ty = self.id_of(place.whole, place.layout);
        let id = self.emit(Op::Load, ty, &[pointer]);
        let whole = match place.layout {
            Some(layout) => self.value_in_memory(id, place.whole, layout),
            None => Value::new(place.whole, id),
        };
        match &place.swizzle {
            Some(components) => self.swizzle(&whole, components),
            None => whole,
        }
    }

    /// Components of a vector.
    pub(super) fn swizzle(&mut self, value: &Value, components: &[u8]) -> Value {
        if self.types.numeric(value.ty).is_some_and(|(_, width)| width == 1) {
            // A scalar has one component.
            let parts = vec![value.clone(); components.len()];
            let Some((scalar, _)) = self.types.numeric(value.ty) else { return value.clone() };
            let ty = self.types.vector(scalar, components.len() as u8);
            return if parts.len() == 1 { value.clone() } else { self.compose(ty, &parts) };
        }
        if let [one] = components {
            return self.extract(value, (*one).into());
        }
        let Some((scalar, _)) = self.types.numeric(value.ty) else { return value.clone() };
        let ty = self.types.vector(scalar, components.len() as u8);
        if value.id == 0 && value.constant.is_some() {
            let parts: Vec<Value> =
                components.iter().map(|&k| self.extract(value, k.into())).collect();
            return self.compose(ty, &parts);
        }
        let id = self.id(value);
        let mut operands = vec![id, id];
        operands.extend(components.iter().map(|&k| u32::from(k)));
        self.compute(Op::VectorShuffle, ty, &operands)
    }

    /// True if a type lies in memory as it does in a value.
    fn is_plain(&self, ty: Type) -> bool {
        match self.types.kind(ty) {
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) => scalar != Scalar::Bool,
            Kind::Array(..) | Kind::Struct(_) => false,
            _ => true,
        }
    }

    /// The number of parts of a type whose parts are copied or compared one by one; 0, with an error, beyond a limit.
    pub(super) fn expansion(&mut self, ty: Type) -> usize {
        let parts = self.parts(ty);
        self.expanded = self.expanded.saturating_add(parts);
        if parts <= OPERANDS && self.expanded <= EXPANDED {
            return parts;
        }
        if !std::mem::replace(&mut self.is_expanded, true) {
            let message = match parts <= OPERANDS {
                true => format!(
                    "copies and comparisons of whole arrays and structures have more than {EXPANDED} parts"
                ),
                false => format!("an array of {parts} elements is copied or compared as a whole"),
            };
            let at = self.statement_at;
            self.wrong(DiagnosticCode::GlslTooLarge, at, message);
            self.help("copy or compare the elements in a loop");
        }
        0
    }

    /// The value of what was read from the memory of a block.
    fn value_in_memory(&mut self, id: u32, ty: Type, layout: Layout) -> Value {
        if self.is_plain(ty) {
            return Value::new(ty, id);
        }
        if let Some((_, width)) = self.types.numeric(ty) {
            let zero = self.zero_words(width);
            return self.compute(Op::INotEqual, ty, &[id, zero]);
        }
        let parts: Vec<Value> = (0..self.expansion(ty))
            .map(|k| {
                let part = self.part(ty, k);
                let inner = self.layout_of_part(ty, k, layout);
                let part_id = self.id_of(part, Some(inner));
                let id = self.emit(Op::CompositeExtract, part_id, &[id, k as u32]);
                self.value_in_memory(id, part, inner)
            })
            .collect();
        self.compose(ty, &parts)
    }

    /// What is written to the memory of a block.
    fn memory_of(&mut self, value: &Value, layout: Layout) -> u32 {
        let ty = value.ty;
        if self.is_plain(ty) {
            return self.id(value);
        }
        let result = self.id_of(ty, Some(layout));
        if let Some((_, width)) = self.types.numeric(ty) {
            let id = self.id(value);
            let [zero, one] = [self.zero_words(width), self.one_words(width)];
            return self.emit(Op::Select, result, &[id, one, zero]);
        }
        let parts: Vec<u32> = (0..self.expansion(ty))
            .map(|k| {
                let part = self.extract(value, k);
                let inner = self.layout_of_part(ty, k, layout);
                self.memory_of(&part, inner)
            })
            .collect();
        self.emit(Op::CompositeConstruct, result, &parts)
    }

    pub(super) fn layout_of_part(&self, ty: Type, k: usize, layout: Layout) -> Layout {
        match self.types.kind(ty) {
            Kind::Struct(number) => match self.structure(number).members.get(k) {
                Some(member) => layout.of_member(member),
                None => layout,
            },
            _ => layout,
        }
    }

    fn words_of(&mut self, width: u8, bits: u32) -> u32 {
        let ty = self.types.vector(Scalar::Uint, width);
        let one = Constant::Scalar(Scalar::Uint, bits);
        match width {
            1 => self.constant_id(ty, &one),
            _ => self.constant_id(ty, &Constant::Composite(vec![one; width.into()])),
        }
    }

    fn zero_words(&mut self, width: u8) -> u32 {
        self.words_of(width, 0)
    }

    fn one_words(&mut self, width: u8) -> u32 {
        self.words_of(width, 1)
    }

    /// Writes a value of the right type to a place.
    pub(super) fn store(&mut self, place: &Place, value: &Value) {
        let Some(components) = &place.swizzle else {
            let pointer = self.pointer_to(place);
            let id = match place.layout {
                Some(layout) => self.memory_of(value, layout),
                None => self.id(value),
            };
            self.act(Op::Store, &[pointer, id]);
            return;
        };
        // Each component is written by itself, so the others keep what they are.
        if let [one] = components[..] {
            let mut part = place.clone();
            part.chain.push(self.int(one.into()));
            part.whole = place.ty;
            part.swizzle = None;
            return self.store(&part, value);
        }
        let whole = Place { swizzle: None, ty: place.whole, ..place.clone() };
        let old = self.load(&whole);
        let width = self.parts(place.whole);
        let mut order: Vec<u32> = (0..width as u32).collect();
        for (k, &component) in (width as u32..).zip(components) {
            if let Some(slot) = order.get_mut(usize::from(component)) {
                *slot = k;
            }
        }
        let mut operands = vec![old.id, self.id(value)];
        operands.extend(order);
        let new = self.compute(Op::VectorShuffle, place.whole, &operands);
        self.store(&whole, &new);
    }

    /// The value of an operand. An opaque variable stays a variable.
    pub(super) fn value_of(&mut self, operand: Operand, at: Span) -> Option<Value> {
        match operand {
            Operand::Value(value) => Some(value),
            Operand::Place(place) => {
                if self.types.contents(place.ty).is_open {
                    self.wrong(
                        DiagnosticCode::GlslTypes,
                        at,
                        "an array of unknown length is not a value",
                    )
                    .help("use its elements, or give it a length");
                    return None;
                }
                Some(self.load(&place))
            }
            Operand::Block(_) => {
                self.wrong(DiagnosticCode::GlslTypes, at, "a block is not a value")
                    .help("use its members");
                None
            }
            Operand::List(_) => {
                self.wrong(DiagnosticCode::GlslTypes, at, "a list stands only behind `=`");
                None
            }
            Operand::Text(_) => {
                self.wrong(DiagnosticCode::GlslTypes, at, "a string is not a value")
                    .help("only `debugPrintfEXT` takes one");
                None
            }
            Operand::Error => None,
        }
    }
}

impl Place {
    /// A whole variable.
    pub(super) fn variable(pointer: u32, class: StorageClass, ty: Type) -> Self {
        Self {
            pointer,
            class,
            chain: Vec::new(),
            whole: ty,
            swizzle: None,
            ty,
            layout: None,
            constant: None,
            memory: Memory::default(),
        }
    }
}
