//! A small evaluator of λV expressions, only for tests of the table: call by value, no `if`, no loops. It
//! computes builtins by [`Builtin::resolve`] and [`Op::apply`] only.

use std::rc::Rc;

use super::{RESOURCES, TYPES, resource};
use crate::builtins::{Builtin, Operand, Recipe};
use lambdav_core::inputs::Input;
use lambdav_core::op::Op;
use lambdav_core::types::{Type, TypeKind};

/// A value that is not a function.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct ConcreteValue {
    pub(super) ty: Type,
    pub(super) bits: Vec<u32>,
}

impl ConcreteValue {
    pub(super) fn floats(&self) -> Vec<f32> {
        self.bits.iter().map(|&b| f32::from_bits(b)).collect()
    }

    pub(super) fn of(ty: Type, floats: &[f32]) -> Self {
        assert_eq!(TYPES.components(ty), floats.len());
        Self { ty, bits: floats.iter().map(|f| f.to_bits()).collect() }
    }

    fn broadcast(&self, to: Type) -> Self {
        if self.ty == to {
            return self.clone();
        }
        assert_eq!(self.ty.width(), Some(1), "{:?} cannot be broadcast to {to:?}", self.ty);
        assert_eq!(TYPES.component(self.ty, 0), TYPES.component(to, 0));
        Self { ty: to, bits: vec![self.bits[0]; TYPES.components(to)] }
    }
}

fn int(index: u32) -> ConcreteValue {
    ConcreteValue { ty: Type::INT, bits: vec![index] }
}

/// A parsed expression.
#[derive(Debug, PartialEq)]
pub(super) enum Syntax {
    Atom(String),
    List(Vec<Syntax>),
}

impl Syntax {
    pub(super) fn atom(&self) -> &str {
        match self {
            Self::Atom(atom) => atom,
            Self::List(_) => panic!("{self:?} should be an atom"),
        }
    }

    pub(super) fn list(&self) -> &[Self] {
        match self {
            Self::List(items) => items,
            Self::Atom(_) => panic!("{self:?} should be a list"),
        }
    }
}

/// Parses exactly one expression, with balanced parentheses.
pub(super) fn read(text: &str) -> Syntax {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open: Vec<Vec<Syntax>> = vec![vec![]];
    for token in spaced.split_whitespace() {
        match token {
            "(" => open.push(vec![]),
            ")" => {
                let list = open.pop().expect("parentheses balance");
                open.last_mut().expect("parentheses balance").push(Syntax::List(list));
            }
            atom => open.last_mut().expect("never empty").push(Syntax::Atom(atom.to_owned())),
        }
    }
    assert_eq!(open.len(), 1, "parentheses do not balance in {text}");
    let mut expressions = open.remove(0);
    assert_eq!(expressions.len(), 1, "{text} should be one expression");
    expressions.remove(0)
}

/// The value of an expression without free names.
pub(super) fn evaluate(text: &str) -> ConcreteValue {
    RecipeEvaluator::default().expression(&read(text), &None)
}

/// The value of a `(func …)` applied to these arguments.
pub(super) fn call(text: &str, arguments: &[ConcreteValue]) -> ConcreteValue {
    RecipeEvaluator::default().call(&read(text), arguments)
}

/// The value of a builtin at these operands; panics if it does not accept them.
pub(super) fn apply(builtin: Builtin, operands: &[ConcreteValue]) -> ConcreteValue {
    let operands: Vec<_> = operands.iter().map(|v| (v.clone(), None)).collect();
    RecipeEvaluator::default().builtin(builtin, &operands)
}

type Scope = Option<Rc<Binding>>;

struct Binding {
    name: String,
    value: ConcreteValue,
    outer: Scope,
}

fn bind(outer: &Scope, name: &str, value: ConcreteValue) -> Scope {
    Some(Rc::new(Binding { name: name.to_owned(), value, outer: outer.clone() }))
}

fn find(mut scope: &Scope, name: &str) -> Option<ConcreteValue> {
    while let Some(binding) = scope {
        if binding.name == name {
            return Some(binding.value.clone());
        }
        scope = &binding.outer;
    }
    None
}

#[derive(Default)]
struct RecipeEvaluator {
    /// The expansions under evaluation; one inside itself is a cycle.
    active: Vec<(Builtin, Vec<Type>)>,
    /// The pixel's offset from the upper left one.
    moved: [f32; 2],
}

impl RecipeEvaluator {
    fn expression(&mut self, syntax: &Syntax, scope: &Scope) -> ConcreteValue {
        match syntax {
            Syntax::Atom(atom) => self.atom(atom, scope),
            Syntax::List(items) => match items[0].atom() {
                "let" => self.bindings(items, scope, true),
                "let*" => self.bindings(items, scope, false),
                name => {
                    assert!(find(scope, name).is_none(), "{name} is no function here");
                    let builtin =
                        Builtin::lookup(name).unwrap_or_else(|| panic!("{name} is not bound"));
                    if builtin.is_derivative() {
                        return self.derivative(name, &items[1], scope);
                    }
                    let operands: Vec<_> = items[1..]
                        .iter()
                        .map(|item| (self.expression(item, scope), index(item)))
                        .collect();
                    self.builtin(builtin, &operands)
                }
            },
        }
    }

    /// The derivative of an expression at the upper left pixel.
    fn derivative(&mut self, name: &str, operand: &Syntax, scope: &Scope) -> ConcreteValue {
        let axis = match name {
            "dfdx" => 0,
            "dfdy" => 1,
            "fwidth" => {
                let [x, y] = ["dfdx", "dfdy"].map(|name| {
                    let value = self.derivative(name, operand, scope);
                    let ty = value.ty;
                    primitive(Op::Abs, &[value], ty)
                });
                let ty = x.ty;
                return primitive(Op::Add, &[x, y], ty);
            }
            _ => panic!("{name} is no derivative"),
        };
        let [odd, even] = [1.0, 0.0].map(|moved| {
            let before = std::mem::replace(&mut self.moved[axis], moved);
            let value = self.expression(operand, scope);
            self.moved[axis] = before;
            value
        });
        let ty = odd.ty;
        primitive(Op::Sub, &[odd, even], ty)
    }

    fn atom(&mut self, atom: &str, scope: &Scope) -> ConcreteValue {
        if let Some(value) = find(scope, atom) {
            return value;
        }
        if let Some(value) = Builtin::lookup(atom).and_then(Builtin::constant) {
            return ConcreteValue::of(Type::NUM, &[value]);
        }
        match atom {
            "t" => ConcreteValue { ty: resource(0), bits: vec![] },
            "b" => ConcreteValue { ty: resource(1), bits: vec![] },
            "true" => ConcreteValue { ty: Type::BOOL, bits: vec![1] },
            "false" => ConcreteValue { ty: Type::BOOL, bits: vec![0] },
            _ => {
                if let Some(integer) = integer(atom) {
                    return integer;
                }
                let digits = atom.trim_start_matches(['+', '-', '.']);
                assert!(digits.starts_with(|c: char| c.is_ascii_digit()), "{atom} is not bound");
                let value = atom.parse().unwrap_or_else(|_| panic!("{atom} is not a number"));
                ConcreteValue::of(Type::NUM, &[value])
            }
        }
    }

    fn bindings(&mut self, items: &[Syntax], scope: &Scope, parallel: bool) -> ConcreteValue {
        let [_, bindings, body] = items else { panic!("a let has two parts") };
        let mut inner = scope.clone();
        for binding in bindings.list() {
            let [name, value] = binding.list() else { panic!("a binding has two parts") };
            let value = self.expression(value, if parallel { scope } else { &inner });
            inner = bind(&inner, name.atom(), value);
        }
        self.expression(body, &inner)
    }

    fn call(&mut self, function: &Syntax, arguments: &[ConcreteValue]) -> ConcreteValue {
        let [head, parameters, body] = function.list() else { panic!("a func has two parts") };
        assert_eq!(head.atom(), "func");
        let parameters = parameters.list();
        assert_eq!(parameters.len(), arguments.len(), "number of parameters");
        let scope = parameters
            .iter()
            .zip(arguments)
            .fold(None, |scope, (name, value)| bind(&scope, name.atom(), value.clone()));
        self.expression(body, &scope)
    }

    fn builtin(
        &mut self,
        builtin: Builtin,
        operands: &[(ConcreteValue, Option<u32>)],
    ) -> ConcreteValue {
        let described: Vec<Operand> = operands
            .iter()
            .map(|(v, index)| Operand { index: *index, ..Operand::of(&TYPES, v.ty) })
            .collect();
        let resolved = builtin
            .resolve(&described)
            .unwrap_or_else(|e| panic!("{}", builtin.message(&TYPES, &e, &described)));
        let values: Vec<ConcreteValue> = operands.iter().map(|(v, _)| v.clone()).collect();
        let result = resolved.result;
        let value = match resolved.recipe {
            Recipe::Fold(op, ty) => {
                let mut values = values.iter().map(|v| v.broadcast(ty));
                let first = values.next().expect("a fold has operands");
                match operands.len() {
                    1 => primitive(op, &[first], result),
                    _ => values.fold(first, |a, b| primitive(op, &[a, b], result)),
                }
            }
            Recipe::Reversed(op, ty) => {
                let [a, b] = values.as_slice() else { panic!("two operands are reversed") };
                primitive(op, &[b.broadcast(ty), a.broadcast(ty)], result)
            }
            Recipe::Broadcast(op, width) => {
                let own = |v: &ConcreteValue| Type::of(TYPES.component(v.ty, 0), width);
                let values: Vec<_> = values.iter().map(|v| v.broadcast(own(v))).collect();
                primitive(op, &values, result)
            }
            Recipe::Direct(op) => primitive(op, &values, result),
            Recipe::Flatten(ty) => match values.as_slice() {
                [one] if one.ty.width() == Some(1) => one.broadcast(ty),
                many => {
                    ConcreteValue { ty, bits: many.iter().flat_map(|v| v.bits.clone()).collect() }
                }
            },
            Recipe::Diagonal(ty) => {
                let Some(TypeKind::Matrix(_, n)) = ty.builtin() else {
                    panic!("{ty:?} has no diagonal")
                };
                let n = usize::from(n);
                let bits = (0..n * n).map(|k| if k % (n + 1) == 0 { values[0].bits[0] } else { 0 });
                ConcreteValue { ty, bits: bits.collect() }
            }
            Recipe::Swizzle(components) => ConcreteValue {
                ty: Type::of(TYPES.component(values[0].ty, 0), components.len() as u8),
                bits: components.iter().map(|&c| values[0].bits[usize::from(c)]).collect(),
            },
            Recipe::Column(k) => primitive(Op::Column(k), &values[..1], result),
            Recipe::At(index) => {
                let index = index.map_or_else(|| values[1].clone(), int);
                primitive(Op::At, &[values[0].clone(), index], result)
            }
            Recipe::Update(index) => {
                let index = index.map_or_else(|| values[1].clone(), int);
                primitive(Op::Update, &[values[0].clone(), index, values[2].clone()], result)
            }
            Recipe::Element(index) => {
                let index = index.map_or_else(|| values[1].clone(), int);
                primitive(Op::Element, &[values[0].clone(), index], result)
            }
            Recipe::Expansion(text) => {
                let types = values.iter().map(|v| v.ty).collect();
                let this = (builtin, types);
                assert!(!self.active.contains(&this), "{builtin:?} expands to itself");
                self.active.push(this);
                let value = self.call(&read(&text), &values);
                self.active.pop();
                value
            }
            // A value is the same at each pixel.
            Recipe::Derivative(_) => {
                primitive(Op::Sub, &[values[0].clone(), values[0].clone()], result)
            }
            // The first vertex of a front.
            Recipe::Stage(_) => {
                let bits = vec![u32::from(result == Type::BOOL)];
                ConcreteValue { ty: result, bits }
            }
            Recipe::Input(input) => match input {
                Input::FragCoord => {
                    let [x, y] = self.moved.map(|moved| 0.5 + moved);
                    ConcreteValue::of(Type::vec(4), &[x, y, 0.0, 1.0])
                }
                Input::Resolution => ConcreteValue::of(Type::vec(2), &[512.0, 512.0]),
                Input::Time | Input::Frame => ConcreteValue::of(Type::NUM, &[0.0]),
                Input::Mouse => ConcreteValue::of(Type::vec(4), &[0.0; 4]),
            },
        };
        assert_eq!(value.ty, result, "type of the value of {builtin:?} on {described:?}");
        assert_eq!(value.bits.len(), TYPES.components(result));
        value
    }
}

/// The value of an integer token.
pub(super) fn integer(atom: &str) -> Option<ConcreteValue> {
    let (digits, base) = match atom.get(..2) {
        Some("0x") => (&atom[2..], 16),
        Some("0b") => (&atom[2..], 2),
        _ => (atom, 10),
    };
    let value = |suffix| i64::from_str_radix(digits.strip_suffix(suffix)?, base).ok();
    let (ty, value) = match value('i') {
        Some(value) => (Type::INT, value),
        None => (Type::UINT, value('u')?),
    };
    Some(ConcreteValue { ty, bits: vec![value as u32] })
}

/// The value of a token of digits only.
fn index(syntax: &Syntax) -> Option<u32> {
    match syntax {
        Syntax::Atom(atom) if atom.bytes().all(|b| b.is_ascii_digit()) => atom.parse().ok(),
        _ => None,
    }
}

fn primitive(op: Op, operands: &[ConcreteValue], result: Type) -> ConcreteValue {
    let types: Vec<Type> = operands.iter().map(|v| v.ty).collect();
    assert_eq!(op.result_type(&TYPES, &types), Some(result), "{op:?} on {types:?}");
    let bits: Vec<&[u32]> = operands.iter().map(|v| v.bits.as_slice()).collect();
    let mut out = vec![0; TYPES.components(result)];
    op.evaluate(&TYPES, &*RESOURCES, &types, &bits, &mut out);
    ConcreteValue { ty: result, bits: out }
}
