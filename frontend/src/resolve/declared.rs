//! Declared types: the types that `struct` and `variant` add to a program, their constructors and accessors.

use crate::syntax::{ExprId, ExprKind, Tree};
use lambdav_core::source::Span;
use lambdav_core::types::{Field, Structure, Type, TypeLimit, Types};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Index of a `struct` in [`Declarations::structures`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct StructureIndex(pub(crate) u32);

/// The name of a field, shared by all structures that have such a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct FieldName(u32);

/// A constructor or accessor of a declared type. A case without fields is a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Former {
    /// The constructor of a structure.
    Structure(StructureIndex),
    /// The constructor of a case of a variant.
    Case(Type, u32),
    /// `.f`.
    Field(FieldName),
    /// `array`.
    Array,
    /// `size-of`.
    SizeOf,
    /// `count`.
    Count,
    /// `id`.
    Id,
}

/// The types that an annotation accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Annotation {
    Type(Type),
    /// Every instance of a structure with generic fields.
    Instance(StructureIndex),
}

/// A `struct`.
#[derive(Clone, Debug)]
pub(crate) struct StructureDeclaration {
    pub(crate) name: Arc<str>,
    pub(crate) fields: Vec<FieldDeclaration>,
    pub(super) positions: FxHashMap<FieldName, usize>,
    pub(crate) span: Span,
}

impl StructureDeclaration {
    /// The index of a field.
    pub(crate) fn position(&self, field: FieldName) -> Option<usize> {
        self.positions.get(&field).copied()
    }
}

/// A field of a `struct`; without a type it is generic.
#[derive(Clone, Debug)]
pub(crate) struct FieldDeclaration {
    pub(crate) name: FieldName,
    pub(crate) ty: Option<Type>,
}

/// The meaning of a name in the name space of types.
#[derive(Clone, Copy, Debug)]
pub(super) enum TypeMeaning {
    Structure(StructureIndex, Annotation),
    Variant(Type),
    /// A wrong declaration.
    Error,
}

/// All declared types of a program.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) types: Types,
    pub(crate) structures: Vec<StructureDeclaration>,
    /// The text of each field name.
    pub(crate) field_names: Vec<Arc<str>>,
    field_ids: FxHashMap<Arc<str>, FieldName>,
    pub(super) names: FxHashMap<Arc<str>, (TypeMeaning, Span)>,
}

impl Declarations {
    /// No declarations yet, but the names of all fields that the program declares: their accessors are bound
    /// everywhere.
    pub(super) fn new(tree: &Tree) -> Self {
        let mut declarations = Self::default();
        let list = |id: ExprId| match &tree.get(id).kind {
            ExprKind::List(children) => Some(&**children),
            _ => None,
        };
        let name = |id: ExprId| match &tree.get(id).kind {
            ExprKind::Identifier(name) => Some(&**name),
            _ => None,
        };
        for children in tree.roots.iter().filter_map(|&root| list(root)) {
            if let Some((&head, [_, fields @ ..])) = children.split_first()
                && name(head) == Some("struct")
            {
                for &field in fields {
                    let field = list(field).and_then(|list| list.first().copied()).unwrap_or(field);
                    if let Some(name) = name(field) {
                        declarations.field(name);
                    }
                }
            }
        }
        declarations
    }

    pub(super) fn field(&mut self, name: &str) -> FieldName {
        if let Some(&known) = self.field_ids.get(name) {
            return known;
        }
        let (id, name) = (FieldName(self.field_names.len() as u32), Arc::<str>::from(name));
        self.field_names.push(Arc::clone(&name));
        self.field_ids.insert(name, id);
        id
    }

    /// The name of a field that some structure declares; `None` for others.
    pub(super) fn known_field(&self, name: &str) -> Option<FieldName> {
        self.field_ids.get(name).copied()
    }

    pub(crate) fn field_name(&self, field: FieldName) -> &Arc<str> {
        &self.field_names[field.0 as usize]
    }

    pub(crate) fn structure(&self, index: StructureIndex) -> &StructureDeclaration {
        &self.structures[index.0 as usize]
    }

    /// The declaration of which a structure is an instance.
    pub(crate) fn declaration_of(&self, structure: &Structure) -> StructureIndex {
        match self.names[&structure.name] {
            (TypeMeaning::Structure(index, _), _) => index,
            _ => unreachable!("all structures are declared"),
        }
    }

    /// The instance of a structure for these types of its fields.
    pub(crate) fn instance(
        &self,
        types: &mut Types,
        index: StructureIndex,
        of: &[Type],
    ) -> Result<Type, TypeLimit> {
        let declaration = self.structure(index);
        let fields = declaration.fields.iter().zip(of).map(|(field, &ty)| Field {
            name: Arc::clone(self.field_name(field.name)),
            ty,
            is_generic: field.ty.is_none(),
        });
        types.add_structure(Structure {
            name: Arc::clone(&declaration.name),
            fields: fields.collect(),
        })
    }
}
