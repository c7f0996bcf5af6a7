//! Structures, variants and arrays: declarations, constructions, updates and accesses.

use crate::generator::Generator;
use crate::scope::{Form, What};
use crate::table::{TYPES, type_name};
use crate::term::{FunctionKind, Term, TermKind};
use lambdav_core::types::{Case, Field, Scalar, Structure, Type, TypeKind, Types, Variant};

/// Names of fields. Some are swizzles, too.
const FIELDS: [&str; 10] = ["a", "b", "hue", "x", "xy", "r", "next", "size", "bgr", "k"];

/// Largest number of components of an aggregate.
const MAX_COMPONENTS: usize = 48;

/// The declared types of a program.
#[derive(Debug, Default)]
pub(crate) struct Declared {
    pub(crate) types: Types,
    /// Structures, variants and arrays, each type once.
    aggregates: Vec<Type>,
}

fn value(ty: Type) -> TermKind {
    TermKind::Value(ty)
}

impl Declared {
    pub(crate) fn is_aggregate(ty: Type) -> bool {
        ty.builtin().is_none()
    }

    /// All structures, variants and arrays of the program.
    pub(crate) fn aggregates(&self) -> &[Type] {
        &self.aggregates
    }

    /// The text of a type.
    pub(crate) fn text(&self, ty: Type) -> String {
        match *self.types.kind(ty) {
            TypeKind::Structure(_) | TypeKind::Variant(_) => self.name(ty),
            TypeKind::Array(element, count) => format!("(array {count} {})", self.text(element)),
            _ => type_name(ty).to_owned(),
        }
    }

    /// The name of a structure or variant.
    fn name(&self, ty: Type) -> String {
        let structure = self.types.structure(ty).map(|structure| &structure.name);
        let variant = || self.types.variant(ty).map(|variant| &variant.name);
        structure.or_else(variant).expect("it is declared").to_string()
    }

    /// True if the type can be written where types must be complete.
    fn is_complete(&self, ty: Type) -> bool {
        match *self.types.kind(ty) {
            TypeKind::Structure(_) => {
                let fields = &self.types.structure(ty).expect("it is one").fields;
                fields.iter().all(|field| !field.is_generic && self.is_complete(field.ty))
            }
            TypeKind::Array(element, _) => self.is_complete(element),
            _ => true,
        }
    }

    /// True if the type can be written in an annotation. There, a structure's name stands for any types of
    /// its generic fields.
    pub(crate) fn fits_annotation(&self, ty: Type) -> bool {
        self.types.structure(ty).is_some() || self.is_complete(ty)
    }

    /// True if uniforms may have the type.
    pub(crate) fn fits_uniform(&self, ty: Type) -> bool {
        self.is_complete(ty) && self.types.fits_uniform(ty)
    }
}

impl Generator<'_> {
    /// A random declared type.
    pub(crate) fn any_aggregate(&mut self) -> Option<Type> {
        let all = &self.declared.aggregates;
        (!all.is_empty()).then(|| *self.random.pick(all))
    }

    fn small_type(&mut self) -> Type {
        loop {
            let aggregate = match self.random.percent(20) {
                true => self.any_aggregate(),
                false => None,
            };
            let ty = match aggregate {
                Some(ty) => ty,
                None => {
                    let weights = [30, 12, 6, 6, 4, 2, 1, 1, 1, 1, 0, 14, 2, 2, 1, 12, 1, 2, 1];
                    TYPES[self.random.weighted(&weights)]
                }
            };
            if self.declared.types.components(ty) <= MAX_COMPONENTS / 4 {
                return ty;
            }
        }
    }

    fn fields(&mut self, most: usize, complete: bool) -> Vec<Field> {
        let count = self.random.weighted(&[1, 4, 6, 4, 2][..=most]);
        let mut names = FIELDS;
        self.random.shuffle(&mut names);
        let mut fields = Vec::new();
        for name in &names[..count] {
            let ty = loop {
                let ty = self.small_type();
                if self.declared.is_complete(ty) {
                    break ty;
                }
            };
            let is_generic = !complete && self.random.percent(25);
            fields.push(Field { name: (*name).into(), ty, is_generic });
        }
        fields
    }

    /// Declares random types and returns the forms.
    pub(crate) fn declarations(&mut self) -> Vec<Term> {
        let mut forms = Vec::new();
        if self.random.percent(20) {
            return forms;
        }
        for i in 0..self.random.weighted(&[3, 5, 2]) {
            let name = format!("S{i}");
            let fields = self.fields(4, false);
            let mut parts = vec![Term::word("struct"), Term::word(name.clone())];
            parts.extend(fields.iter().map(|field| self.field(field)));
            forms.push(Term::syntax(parts));
            let instances = 1 + usize::from(self.random.percent(40));
            for instance in 0..instances {
                let mut fields = fields.clone();
                if instance > 0 {
                    for field in fields.iter_mut().filter(|field| field.is_generic) {
                        field.ty = self.small_type();
                    }
                }
                let structure = Structure { name: name.as_str().into(), fields: fields.into() };
                let ty = self.declared.types.add_structure(structure).expect("it is small");
                self.add_aggregate(ty);
            }
        }
        for i in 0..self.random.weighted(&[3, 4, 2]) {
            let name = format!("V{i}");
            let mut parts = vec![Term::word("variant"), Term::word(name.clone())];
            let mut cases = Vec::new();
            for k in 0..self.random.between(1, 4) {
                let case = format!("C{i}{k}");
                let fields = self.fields(3, true);
                let mut words = vec![Term::word(case.clone())];
                words.extend(fields.iter().map(|field| self.field(field)));
                parts.push(Term::syntax(words));
                cases.push(Case { name: case.as_str().into(), fields: fields.into() });
            }
            forms.push(Term::syntax(parts));
            let variant = Variant { name: name.as_str().into(), cases: cases.into() };
            let ty = self.declared.types.add_variant(variant).expect("it is small");
            self.add_aggregate(ty);
        }
        for _ in 0..self.random.weighted(&[1, 4, 3]) {
            let count = [1, 2, 3, 4, 5, 7, 16, 40][self.random.weighted(&[1, 4, 5, 4, 4, 2, 2, 1])];
            let element = self.small_type();
            if self.declared.types.components(element) * count <= MAX_COMPONENTS {
                let ty = self.declared.types.add_array(element, count as u32);
                self.add_aggregate(ty.expect("it is small"));
            }
        }
        forms
    }

    fn add_aggregate(&mut self, ty: Type) {
        if !self.declared.aggregates.contains(&ty) {
            self.declared.aggregates.push(ty);
        }
    }

    fn field(&self, field: &Field) -> Term {
        let name = Term::word(&*field.name);
        match field.is_generic {
            true => name,
            false => Term::syntax(vec![name, Term::word(self.declared.text(field.ty))]),
        }
    }

    /// The smallest term of that aggregate type, without variables.
    pub(crate) fn aggregate_leaf(&mut self, ty: Type) -> Term {
        self.make(ty, 0)
    }

    /// Constructs a structure, variant or array from its parts.
    pub(crate) fn make(&mut self, ty: Type, size: usize) -> Term {
        match *self.declared.types.kind(ty) {
            TypeKind::Structure(_) => {
                let structure = self.declared.types.structure(ty).expect("it is one").clone();
                let fields: Vec<Type> = structure.fields.iter().map(|field| field.ty).collect();
                let parts = self.values(&fields, size);
                let word = Term::word(&*structure.name);
                Term::list(value(ty), [vec![word], parts].concat())
            }
            TypeKind::Variant(_) => {
                let variant = self.declared.types.variant(ty).expect("it is one").clone();
                let case = self.random.pick(&variant.cases).clone();
                if case.fields.is_empty() {
                    return Term::atom(value(ty), &*case.name);
                }
                let fields: Vec<Type> = case.fields.iter().map(|field| field.ty).collect();
                let parts = self.values(&fields, size);
                Term::list(value(ty), [vec![Term::word(&*case.name)], parts].concat())
            }
            TypeKind::Array(element, count) => self.array(ty, element, count, size),
            _ => unreachable!("it is an aggregate"),
        }
    }

    fn array(&mut self, ty: Type, element: Type, count: u32, size: usize) -> Term {
        let listed = count == 1 || (count < 6 && self.random.percent(60));
        if listed {
            let parts = self.values(&vec![element; count as usize], size);
            return Term::list(value(ty), [vec![Term::word("array")], parts].concat());
        }
        let function = FunctionKind { params: vec![value(Type::INT)], result: value(element) };
        let function = self.function(&function, size.saturating_sub(2));
        let words = vec![Term::word("tabulate"), Term::word(count.to_string()), function];
        Term::list(value(ty), words)
    }

    /// An aggregate or vector with some parts replaced, by `with` or `update`.
    pub(crate) fn changed(&mut self, ty: Type, size: usize) -> Option<Term> {
        if let Some(structure) = self.declared.types.structure(ty).cloned() {
            let mut fields = structure.fields.to_vec();
            self.random.shuffle(&mut fields);
            fields.truncate(self.random.between(1, 2));
            if fields.is_empty() {
                return None;
            }
            let mut parts = vec![Term::word("with"), self.value(ty, size / 2)];
            for field in fields {
                let new = self.value(field.ty, size / 3);
                parts.push(Term::syntax(vec![Term::word(&*field.name), new]));
            }
            return Some(Term::list(value(ty), parts));
        }
        if ty.is_matrix() {
            return None;
        }
        let part = self.declared.types.parts(ty).next()?;
        let whole = match self.random.percent(50) {
            true => self.leaf(ty),
            false => self.value(ty, size / 2),
        };
        let index = self.index(ty, size / 4);
        let new = self.value(part, size / 4);
        Some(Term::list(value(ty), vec![Term::word("update"), whole, index, new]))
    }

    /// An array of a loop with one element updated, so that arrays change from round to round. Other values
    /// are unchanged.
    pub(crate) fn updated(&mut self, ty: Type, whole: Term) -> Term {
        let TypeKind::Array(element, _) = *self.declared.types.kind(ty) else { return whole };
        let index = self.index(ty, 0);
        let new = self.leaf(element);
        Term::list(value(ty), vec![Term::word("update"), whole, index, new])
    }

    /// An index into that type: a token, or a number that may be out of bounds.
    fn index(&mut self, ty: Type, size: usize) -> Term {
        let count = self.declared.types.parts(ty).len();
        match self.random.weighted(&[2, 5, 3]) {
            0 => Term::word(self.random.below(count).to_string()),
            1 => self.value(Type::INT, size),
            _ => self.value(Type::UINT, size),
        }
    }

    /// A value of that type that is a part of a structure, vector, matrix or array, or the size of an array.
    pub(crate) fn part(&mut self, ty: Type, size: usize) -> Option<Term> {
        if self.random.percent(40)
            && let Some(value) = self.held_value(ty)
        {
            return Some(value);
        }
        let mut ways: Vec<(Type, Option<String>)> = Vec::new();
        for &aggregate in &self.declared.aggregates {
            match self.declared.types.structure(aggregate) {
                Some(structure) => {
                    let fitting = structure.fields.iter().filter(|field| field.ty == ty);
                    ways.extend(fitting.map(|field| (aggregate, Some(format!(".{}", field.name)))));
                }
                None if self.declared.types.parts(aggregate).next() == Some(ty) => {
                    ways.push((aggregate, None));
                }
                None => {}
            }
        }
        ways.retain(|(_, name)| name.as_ref().is_none_or(|name| !self.scope.is_shadowed(name)));
        match ty.scalar().filter(|_| ty.width() == Some(1)) {
            Some(scalar) => ways.push((Type::of(scalar, self.random.between(2, 4) as u8), None)),
            None => {
                if let (Some(Scalar::F32), Some(n)) = (ty.scalar(), ty.width()) {
                    ways.push((Type::mat(n), None));
                }
            }
        }
        if ty == Type::INT && self.random.percent(10) {
            let arrays = self.declared.aggregates.iter().copied();
            let arrays = arrays.filter(|&ty| self.declared.types.parts(ty).len() > 0);
            let arrays: Vec<Type> =
                arrays.filter(|&ty| self.declared.types.structure(ty).is_none()).collect();
            if !arrays.is_empty() {
                let of = *self.random.pick(&arrays);
                let array = self.value(of, size - 1);
                return Some(Term::list(value(ty), vec![Term::word("size-of"), array]));
            }
        }
        if ways.is_empty() {
            return None;
        }
        let (of, name) = self.random.pick(&ways).clone();
        let whole = self.value(of, size.saturating_sub(1) / 2);
        Some(match name {
            Some(name) => Term::list(value(ty), vec![Term::word(name), whole]),
            None => {
                let index = self.index(of, size / 3);
                Term::list(value(ty), vec![Term::word("at"), whole, index])
            }
        })
    }

    /// `case` of any kind except functions.
    pub(crate) fn case(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        let variants = self.declared.aggregates.iter().copied();
        let variants: Vec<Type> =
            variants.filter(|&ty| self.declared.types.variant(ty).is_some()).collect();
        if variants.is_empty() || matches!(kind, TermKind::Function(_)) {
            return None;
        }
        let ty = *self.random.pick(&variants);
        let variant = self.declared.types.variant(ty).expect("it is one").clone();
        let scrutinee = match self.random.percent(40) {
            true => self.choice(&value(ty), size / 3),
            false => None,
        };
        let scrutinee = scrutinee.unwrap_or_else(|| self.value(ty, size / 3));
        let mut cases = variant.cases.to_vec();
        self.random.shuffle(&mut cases);
        let has_else = cases.len() > 1 && self.random.percent(30);
        if has_else {
            cases.truncate(self.random.between(1, cases.len() - 1));
        }
        let arms = cases.len() + usize::from(has_else);
        let goes_on = self.random.below(arms);
        let in_tail = matches!(kind, TermKind::Tail { .. });
        let mut parts = vec![Term::word("case"), scrutinee];
        self.if_depth += 1;
        for arm in 0..arms {
            let kind = match kind {
                TermKind::Tail { of, ty, goes_on: true } => {
                    TermKind::Tail { of: *of, ty: *ty, goes_on: arm == goes_on }
                }
                _ => kind.clone(),
            };
            parts.push(self.inside_here(|this| {
                let pattern = match cases.get(arm) {
                    None => Term::word("else"),
                    Some(case) => {
                        let (mut words, mut names) = (vec![Term::word(&*case.name)], Vec::new());
                        for field in &case.fields {
                            if this.random.percent(20) {
                                words.push(Term::word("_"));
                                continue;
                            }
                            let name = this.name(&names, in_tail);
                            words.push(Term::word(name.clone()));
                            names.push(name.clone());
                            let what = What::Term { kind: value(field.ty), loops: 0 };
                            this.scope.push(name, what, true);
                        }
                        Term::syntax(words)
                    }
                };
                let body = this.term(&kind, size / (arms + 1));
                Term::syntax(vec![pattern, body])
            }));
        }
        self.if_depth -= 1;
        Some(Term::list(kind.clone(), parts))
    }

    /// `((.f (S … FUNCTION …)) e …)`: a call of a function in a structure.
    pub(crate) fn held_call(&mut self, kind: &TermKind, size: usize) -> Option<Term> {
        self.form(Form::Func)?;
        let structures = self.generic_structures();
        if structures.is_empty() {
            return None;
        }
        let structure = self.random.pick(&structures).clone();
        let generic: Vec<usize> =
            (0..structure.fields.len()).filter(|&i| structure.fields[i].is_generic).collect();
        let held = *self.random.pick(&generic);
        let accessor = format!(".{}", structure.fields[held].name);
        if self.scope.is_shadowed(&accessor) {
            return None;
        }
        let function = self.function_kind(kind.clone());
        let mut parts = vec![Term::word(&*structure.name)];
        for (i, field) in structure.fields.iter().enumerate() {
            parts.push(match i == held {
                true => self.function(&function, size / 2),
                false => self.value(field.ty, size / 6),
            });
        }
        let callee = Term::syntax(vec![Term::word(accessor), Term::syntax(parts)]);
        Some(self.call(callee, &function, size / 3))
    }

    /// A constructor or accessor of that function kind, if one is visible.
    pub(crate) fn aggregate_function(&mut self, kind: &FunctionKind) -> Option<String> {
        let TermKind::Value(result) = kind.result else { return None };
        let mut found = Vec::new();
        for &ty in &self.declared.aggregates {
            let Some(structure) = self.declared.types.structure(ty) else { continue };
            if ty == result
                && structure
                    .fields
                    .iter()
                    .map(|field| value(field.ty))
                    .eq(kind.params.iter().cloned())
            {
                found.push(structure.name.to_string());
            }
            if kind.params == [value(ty)] {
                let fitting = structure.fields.iter().filter(|field| field.ty == result);
                let names = fitting.map(|field| format!(".{}", field.name));
                found.extend(names.filter(|name| !self.scope.is_shadowed(name)));
            }
        }
        (!found.is_empty()).then(|| self.random.pick(&found).clone())
    }
}
