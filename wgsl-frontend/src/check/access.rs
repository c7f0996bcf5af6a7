//! Members, components, elements.

use super::checker::Checker;
use super::values::{Index, Operand, Place, Value};
use crate::const_eval::Constant;
use crate::token::Name;
use crate::types::{Kind, Length, Scalar, Space, Type};
use lambdav_core::diagnostics::{DiagnosticCode, nearest_name, quote};
use lambdav_core::source::Span;
use rspirv::spirv::{Op, StorageClass};

/// The components that the letters of a swizzle name.
fn swizzle(text: &str, width: u8) -> Option<Vec<u8>> {
    if text.is_empty() || text.len() > 4 {
        return None;
    }
    let of = |set: &str| -> Option<Vec<u8>> {
        text.chars()
            .map(|c| set.find(c).map(|k| k as u8).filter(|&component| component < width))
            .collect()
    };
    of("xyzw").or_else(|| of("rgba"))
}

impl Checker<'_> {
    /// `a.name`
    pub(super) fn field(&mut self, operand: Operand, name: Name, at: Span) -> Operand {
        // A pointer is followed by itself.
        let operand = match operand {
            Operand::Pointer(place) => Operand::Place(place),
            other => other,
        };
        let ty = match &operand {
            Operand::Error => return Operand::Error,
            Operand::Place(place) => place.ty,
            Operand::Value(value) => value.ty,
            _ => {
                self.value_of(operand, at);
                return Operand::Error;
            }
        };
        let text = self.text(name);
        match self.types.kind(ty) {
            Kind::Struct(number) => {
                let members = &self.types.structs[number as usize].members;
                let found = self
                    .members
                    .get(&(number, name))
                    .copied()
                    // Structures that functions of the language return have two members.
                    .or_else(|| members.iter().take(2).position(|member| member.name == name));
                let Some(k) = found else {
                    let known: Vec<&str> =
                        members.iter().map(|member| self.set.names.text(member.name)).collect();
                    let nearest = nearest_name(text, known).map(str::to_owned);
                    let structure = self.type_name(ty);
                    let message = format!("{structure} has no member {}", quote(text));
                    self.wrong(DiagnosticCode::WgslName, at, message);
                    if let Some(nearest) = nearest {
                        self.help(format!("{} is similar", quote(&nearest)));
                    }
                    return Operand::Error;
                };
                let member = members[k].ty;
                match operand {
                    Operand::Place(place) => Operand::Place(self.part_of(place, k as u32, member)),
                    Operand::Value(value) => Operand::Value(self.extract(&value, k, member)),
                    _ => Operand::Error,
                }
            }
            Kind::Vector(scalar, width) => {
                let Some(components) = swizzle(text, width) else {
                    let vector = self.type_name(ty);
                    let message = format!("{vector} has no components {}", quote(text));
                    self.wrong(DiagnosticCode::WgslName, at, message);
                    self.help("components are `xyzw` or `rgba`, as many as the vector has");
                    return Operand::Error;
                };
                self.swizzled(operand, scalar, &components, at)
            }
            _ => {
                let found = self.type_name(ty);
                let message = format!("{found} has no members");
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                Operand::Error
            }
        }
    }

    fn swizzled(
        &mut self,
        operand: Operand,
        scalar: Scalar,
        components: &[u8],
        at: Span,
    ) -> Operand {
        let part = self.types.scalar_type(scalar);
        if let [one] = components {
            return match operand {
                Operand::Place(place) => {
                    let place = self.part_of(place, (*one).into(), part);
                    Operand::Place(Place { member: COMPONENT, ..place })
                }
                Operand::Value(value) => Operand::Value(self.extract(&value, (*one).into(), part)),
                _ => Operand::Error,
            };
        }
        let Some(value) = self.value_of(operand, at) else { return Operand::Error };
        let ty = self.types.vector(scalar, components.len() as u8);
        if let Some(constant) = &value.constant {
            let parts = crate::const_eval::scalars(constant);
            let chosen = components.iter().map(|&k| parts[usize::from(k)].clone()).collect();
            return Operand::Value(Value::constant(ty, Constant::composite(chosen)));
        }
        let id = self.id(&value);
        let mut operands = vec![id, id];
        operands.extend(components.iter().map(|&k| u32::from(k)));
        Operand::Value(self.compute(Op::VectorShuffle, ty, &operands))
    }

    /// A part of a value.
    pub(super) fn extract(&mut self, value: &Value, k: usize, ty: Type) -> Value {
        if let Some(constant) = &value.constant {
            let part = constant.part(&mut self.types, value.ty, k);
            return Value::constant(ty, part);
        }
        let id = self.id(value);
        self.compute(Op::CompositeExtract, ty, &[id, k as u32])
    }

    /// True for a component of a vector.
    pub(super) fn is_component(&self, place: &Place) -> bool {
        place.member == COMPONENT
    }

    /// `a[i]`
    pub(super) fn index(
        &mut self,
        operand: Operand,
        index: Operand,
        index_at: Span,
        at: Span,
    ) -> Operand {
        let operand = match operand {
            Operand::Pointer(place) => Operand::Place(place),
            other => other,
        };
        let Some(index) = self.value_of(index, index_at) else { return Operand::Error };
        let ty = match &operand {
            Operand::Error => return Operand::Error,
            Operand::Place(place) => place.ty,
            Operand::Value(value) => value.ty,
            _ => {
                self.value_of(operand, at);
                return Operand::Error;
            }
        };
        let length = match self.types.kind(ty) {
            Kind::Array(_, Length::Open) => None,
            Kind::Array(..) | Kind::Vector(..) | Kind::Matrix(..) => Some(self.types.parts(ty)),
            _ => {
                let found = self.type_name(ty);
                let message = format!("{found} has no elements");
                self.wrong(DiagnosticCode::WgslTypes, at, message);
                return Operand::Error;
            }
        };
        if !matches!(self.types.kind(index.ty), Kind::Scalar(scalar) if scalar.is_integer()) {
            let found = self.type_name(index.ty);
            let message = format!("an index is an integer, and this is {found}");
            self.wrong(DiagnosticCode::WgslTypes, index_at, message);
            return Operand::Error;
        }
        let Some(index) = self.concrete(&index, index_at) else { return Operand::Error };
        let part = self.types.part(ty, 0);
        let scalar = self.types.scalar(index.ty).unwrap_or(Scalar::Int);
        let number = index.constant.as_ref().and_then(|constant| constant.integer(scalar));
        if let Some(number) = number
            && (number < 0 || length.is_some_and(|length| number >= length as i64))
        {
            if self.unevaluated > 0 {
                return Operand::Value(self.zero_value(part));
            }
            let message = match length {
                Some(length) => {
                    format!("the index {number} lies outside: there are {length} elements")
                }
                None => format!("the index {number} lies outside"),
            };
            self.wrong(DiagnosticCode::WgslConstant, index_at, message);
            return Operand::Error;
        }
        match operand {
            Operand::Place(mut place) => {
                let id = self.id(&index);
                let dynamic = number.is_none().then_some(index.ty);
                place.chain.push(Index { id, dynamic });
                place.member = match self.types.kind(ty) {
                    Kind::Vector(..) => COMPONENT,
                    _ => 0,
                };
                place.ty = part;
                Operand::Place(place)
            }
            Operand::Value(value) => match number {
                Some(number) => Operand::Value(self.extract(&value, number as usize, part)),
                None => {
                    // The program chooses among concrete values.
                    let Some(value) = self.concrete(&value, at) else { return Operand::Error };
                    let part = self.types.part(value.ty, 0);
                    Operand::Value(self.chosen(&value, &index, part))
                }
            },
            _ => Operand::Error,
        }
    }

    /// An element of a value, by an index that the program computes.
    fn chosen(&mut self, value: &Value, index: &Value, part: Type) -> Value {
        let id = self.id(value);
        let index_id = self.id(index);
        if matches!(self.types.kind(value.ty), Kind::Vector(..)) {
            return self.compute(Op::VectorExtractDynamic, part, &[id, index_id]);
        }
        let mut place = match value.constant {
            Some(_) => self.constant_variable(value.ty, id),
            None => {
                let place = self.local_variable(value.ty);
                self.store(&place, value);
                place
            }
        };
        place.chain.push(Index { id: index_id, dynamic: Some(index.ty) });
        place.ty = part;
        self.load(&place)
    }

    /// A variable that holds a constant.
    fn constant_variable(&mut self, ty: Type, constant: u32) -> Place {
        let root = match self.constant_variables.get(&constant) {
            Some(&root) => root,
            None => {
                let id = self.id_of(ty);
                let pointer = self.module.pointer(StorageClass::Private, id);
                let class = StorageClass::Private;
                let root = self.module.initialised_variable(pointer, class, constant, None);
                self.constant_variables.insert(constant, root);
                root
            }
        };
        Place::whole(root, Space::Private, crate::types::Access::Read, ty)
    }
}

/// Marks a place that is a component of a vector ([`Place::member`]).
pub(super) const COMPONENT: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::swizzle;

    #[test]
    fn letters_are_components() {
        assert_eq!(swizzle("zyx", 3), Some(vec![2, 1, 0]));
        assert_eq!(swizzle("rgba", 4), Some(vec![0, 1, 2, 3]));
        for text in ["xyg", "w", "xyzxy", "", "é"] {
            assert_eq!(swizzle(text, 3), None, "{text}");
        }
    }
}
