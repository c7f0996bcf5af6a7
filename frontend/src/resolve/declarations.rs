//! Declarations of types, and type expressions.

use super::declared::{
    Annotation, FieldDeclaration, Former, StructureDeclaration, StructureIndex, TypeMeaning,
};
use super::resolver::{Binding, Resolver};
use crate::syntax::{ExprId, ExprKind};
use lambdav_core::diagnostics::{Diagnostic, DiagnosticCode, Severity, nearest_name};
use lambdav_core::source::Span;
use lambdav_core::types::{Case, Field, Type, TypeLimit, Variant};
use rustc_hash::FxHashMap;
use std::sync::Arc;

impl<'t> Resolver<'t> {
    fn declare(&mut self, name: &'t str, meaning: TypeMeaning, span: Span) {
        self.declarations.names.entry(name.into()).or_insert((meaning, span));
    }

    /// True if a type can have this name; reports it if not.
    fn may_declare(&mut self, name: &'t str, span: Span) -> bool {
        let diagnostic = |message: String| {
            Diagnostic::new(DiagnosticCode::DuplicateType, span, message)
                .help("types have names of their own: choose another")
        };
        if Type::from_name(name).is_some() || name == "array" {
            self.report(diagnostic(format!("`{name}` is a type of the language")));
            return false;
        }
        if let Some(&(_, first)) = self.declarations.names.get(name) {
            let message = format!("a second type named `{name}`");
            self.report(diagnostic(message).label("here again").also(first, "first here"));
            return false;
        }
        true
    }

    /// The name of a declaration, its position, and the rest.
    fn declared_name(&self, rest: &'t [ExprId]) -> Option<(&'t str, Span, &'t [ExprId])> {
        let (&name, rest) = rest.split_first()?;
        Some((self.identifier(name)?, self.tree.get(name).span, rest))
    }

    /// `(struct name field …)`, without its head.
    pub(super) fn structure(&mut self, span: Span, rest: &'t [ExprId]) {
        const USAGE: &str = "(struct NAME field (field TYPE) …)";
        let Some((name, name_span, fields)) = self.declared_name(rest) else {
            return self.malformed_declaration(span, "`struct` needs a name", USAGE);
        };
        let fields = self.fields(fields, true, USAGE);
        if !self.may_bind(name, name_span) || !self.may_declare(name, name_span) {
            return;
        }
        let Some(fields) = fields else {
            self.declare(name, TypeMeaning::Error, name_span);
            return self.bind_global(name, Binding::Error);
        };
        let index = StructureIndex(self.declarations.structures.len() as u32);
        let complete: Option<Vec<Type>> = fields.iter().map(|field| field.ty).collect();
        let positions = fields.iter().enumerate().map(|(k, field)| (field.name, k)).collect();
        let structure = StructureDeclaration { name: name.into(), fields, positions, span };
        self.declarations.structures.push(structure);
        let made = complete.map(|of| {
            let mut types = std::mem::take(&mut self.declarations.types);
            let made = self.declarations.instance(&mut types, index, &of);
            self.declarations.types = types;
            made
        });
        let meaning = match made {
            None => TypeMeaning::Structure(index, Annotation::Instance(index)),
            Some(Ok(ty)) => TypeMeaning::Structure(index, Annotation::Type(ty)),
            Some(Err(limit)) => {
                self.too_large(span, limit);
                TypeMeaning::Error
            }
        };
        self.declare(name, meaning, name_span);
        self.bind_global(
            name,
            match meaning {
                TypeMeaning::Error => Binding::Error,
                _ => Binding::Former(Former::Structure(index)),
            },
        );
    }

    /// `(variant name (case (field TYPE) …) …)`, without its head.
    pub(super) fn variant(&mut self, span: Span, rest: &'t [ExprId]) {
        const USAGE: &str = "(variant NAME (CASE (field TYPE) …) …)";
        let Some((name, name_span, cases)) = self.declared_name(rest) else {
            return self.malformed_declaration(span, "`variant` needs a name", USAGE);
        };
        let mut parsed = Some(Vec::with_capacity(cases.len()));
        let mut names = Vec::with_capacity(cases.len());
        if cases.is_empty() {
            self.malformed_declaration(span, "a variant has at least one case", USAGE);
            parsed = None;
        }
        for &case in cases {
            let parts = self.list(case).and_then(<[_]>::split_first);
            let case_name = parts.and_then(|(&name, _)| self.identifier(name));
            let (Some((&at, fields)), Some(case_name)) = (parts, case_name) else {
                let at = self.tree.get(case).span;
                let what = "a case is a list of a name and fields with types";
                self.malformed_declaration(at, what, USAGE);
                parsed = None;
                continue;
            };
            names.push((case_name, self.tree.get(at).span));
            match (self.fields(fields, false, USAGE), &mut parsed) {
                (Some(fields), Some(all)) => {
                    let fields = fields.into_iter().map(|field| Field {
                        name: Arc::clone(self.declarations.field_name(field.name)),
                        ty: field.ty.expect("it is demanded"),
                        is_generic: false,
                    });
                    all.push(Case { name: case_name.into(), fields: fields.collect() });
                }
                _ => parsed = None,
            }
        }
        let distinct = self.check_names(names.iter().copied());
        if !self.may_bind(name, name_span) || !self.may_declare(name, name_span) {
            return names.iter().for_each(|&(case, _)| self.bind_global(case, Binding::Error));
        }
        let variant = parsed.filter(|_| distinct.is_some()).map(|cases| {
            let variant = Variant { name: name.into(), cases: cases.into() };
            self.declarations.types.add_variant(variant)
        });
        let meaning = match variant {
            None => TypeMeaning::Error,
            Some(Ok(ty)) => TypeMeaning::Variant(ty),
            Some(Err(limit)) => {
                self.too_large(span, limit);
                TypeMeaning::Error
            }
        };
        self.declare(name, meaning, name_span);
        for (index, (case, _)) in (0..).zip(names) {
            self.bind_global(
                case,
                match meaning {
                    TypeMeaning::Variant(ty) => Binding::Former(Former::Case(ty, index)),
                    _ => Binding::Error,
                },
            );
        }
    }

    /// Resolves fields; `None` if one is wrong, after reporting it.
    fn fields(
        &mut self,
        fields: &'t [ExprId],
        may_be_generic: bool,
        usage: &str,
    ) -> Option<Vec<FieldDeclaration>> {
        let (mut parsed, mut names) = (Some(Vec::with_capacity(fields.len())), Vec::new());
        for &field in fields {
            let span = self.tree.get(field).span;
            let (name, ty) = match (self.identifier(field), self.list(field)) {
                (Some(name), _) if may_be_generic => (Some(name), Some(None)),
                (_, Some(&[name, ty])) => {
                    let name = self.identifier(name);
                    (name, if name.is_some() { self.complete_type(ty).map(Some) } else { None })
                }
                _ => (None, None),
            };
            match name {
                Some(name) => names.push((name, span)),
                None if matches!(self.tree.get(field).kind, ExprKind::Error) => {}
                None => {
                    let what = match may_be_generic {
                        true => "a field is a name, or a name and a type in parentheses",
                        false => "a field of a case is a name and a type in parentheses",
                    };
                    self.malformed_declaration(span, what, usage);
                }
            }
            match (name, ty, &mut parsed) {
                (Some(name), Some(ty), Some(parsed)) => {
                    let name = self.declarations.field(name);
                    parsed.push(FieldDeclaration { name, ty });
                }
                _ => parsed = None,
            }
        }
        let mut seen: FxHashMap<&str, Span> = FxHashMap::default();
        for (name, span) in names {
            if let Some(&first) = seen.get(name) {
                let diagnostic = Diagnostic::new(
                    DiagnosticCode::DuplicateName,
                    span,
                    format!("a second field named `{name}`"),
                );
                let diagnostic = diagnostic.label("here again").also(first, "first here");
                self.report(diagnostic.help("the fields of one value must differ"));
                parsed = None;
            }
            seen.entry(name).or_insert(span);
        }
        parsed
    }

    fn malformed_declaration(&mut self, span: Span, what: &str, usage: &str) {
        let diagnostic = Diagnostic::new(DiagnosticCode::MalformedTopLevel, span, what)
            .help(format!("write `{usage}`"));
        self.report(diagnostic);
    }

    fn too_large(&mut self, span: Span, limit: TypeLimit) {
        self.report(too_large(span, limit));
    }

    /// The type denoted by a type expression, which must be complete: all its generic fields have types.
    pub(super) fn complete_type(&mut self, id: ExprId) -> Option<Type> {
        let span = self.tree.get(id).span;
        match self.type_name(id)? {
            Annotation::Type(ty) => Some(ty),
            Annotation::Instance(index) => {
                let structure = self.declarations.structure(index);
                let generic = structure.fields.iter().find(|field| field.ty.is_none());
                let generic = generic.expect("an instance has generic fields");
                let field = self.declarations.field_name(generic.name);
                let diagnostic = Diagnostic::new(
                    DiagnosticCode::IncompleteType,
                    span,
                    format!("the fields of `{}` have no types", structure.name),
                )
                .label("a complete type must stand here")
                .also(structure.span, format!("`{field}` is declared without a type"))
                .help(format!("declare it with one: `({field} num)`"));
                self.report(diagnostic);
                None
            }
        }
    }

    /// The annotation denoted by a type expression.
    pub(super) fn type_name(&mut self, id: ExprId) -> Option<Annotation> {
        // The lengths of the enclosing arrays, outermost first.
        let mut lengths = Vec::new();
        let mut inner = id;
        while let Some(children) = self.list(inner) {
            let &[head, length, element] = children else { break };
            if self.identifier(head) != Some("array") {
                break;
            }
            let at = self.tree.get(length).span;
            match self.tree.get(length).kind {
                ExprKind::Number { index: Some(length @ 1..), .. } => {
                    lengths.push((length, self.tree.get(inner).span));
                }
                ExprKind::Error => return None,
                _ => {
                    self.report(
                        Diagnostic::new(DiagnosticCode::MalformedForm, at, "not a length")
                            .label("must be a token of decimal digits, at least 1")
                            .help("write `(array N TYPE)`, such as `(array 4 vec2)`"),
                    );
                    return None;
                }
            }
            inner = element;
        }
        let found = self.plain_type(inner)?;
        if lengths.is_empty() {
            return Some(found);
        }
        let mut ty = match found {
            Annotation::Type(ty) => ty,
            Annotation::Instance(_) => self.complete_type(inner)?,
        };
        while let Some((length, span)) = lengths.pop() {
            match self.declarations.types.add_array(ty, length) {
                Ok(array) => ty = array,
                Err(limit) => {
                    self.too_large(span, limit);
                    return None;
                }
            }
        }
        Some(Annotation::Type(ty))
    }

    /// The position of a later declaration of a type with this name.
    fn type_below(&self, name: &str) -> Option<Span> {
        let may_look = self.diagnostics.has_room(Severity::Error);
        may_look.then(|| {
            self.declared_below(|parts| match *parts {
                [head, target, ..] => {
                    let declares = matches!(self.identifier(head), Some("struct" | "variant"));
                    (declares && self.identifier(target) == Some(name)).then_some(target)
                }
                _ => None,
            })
        })?
    }

    fn plain_type(&mut self, id: ExprId) -> Option<Annotation> {
        let span = self.tree.get(id).span;
        let name = self.identifier(id);
        if let Some(ty) = name.and_then(Type::from_name) {
            return Some(Annotation::Type(ty));
        }
        match name.and_then(|name| self.declarations.names.get(name)) {
            Some((TypeMeaning::Structure(_, annotation), _)) => return Some(*annotation),
            Some((TypeMeaning::Variant(ty), _)) => return Some(Annotation::Type(*ty)),
            Some((TypeMeaning::Error, _)) => return None,
            None => {}
        }
        if !matches!(self.tree.get(id).kind, ExprKind::Error) {
            let mut diagnostic =
                Diagnostic::new(DiagnosticCode::UnknownType, span, "there is no type of that name")
                    .label("a type must stand here");
            let near = name.and_then(|name| {
                let mut names: Vec<&str> = Type::names().collect();
                names.extend(self.declarations.names.keys().map(|name| &**name));
                names.sort_unstable();
                nearest_name(name, names).map(str::to_owned)
            });
            if let Some(at) = name.and_then(|name| self.type_below(name)) {
                let diagnostic = self.defined_below(diagnostic, at);
                self.report(diagnostic);
                return None;
            }
            diagnostic = match near.filter(|_| !self.declarations.names.is_empty()) {
                Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
                None => diagnostic.help(
                    "the types are num, int, uint, bool, their vectors such as vec2 and ivec3, mat2 to mat4, what `struct` and `variant` declare before, and `(array N TYPE)`",
                ),
            };
            self.report(diagnostic);
        }
        None
    }
}

/// The diagnostic for a type that exceeds a limit.
pub(crate) fn too_large(span: Span, limit: TypeLimit) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::TypeTooLarge, span, "a value of this type is too large")
        .label(limit.to_string())
        .help("use fewer or smaller elements")
}
