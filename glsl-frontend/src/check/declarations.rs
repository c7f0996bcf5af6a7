//! Declarations of variables and structures.

use super::checker::Checker;
use super::items::{Direction, Stage};
use super::scopes::Symbol;
use super::values::{Operand, Place, Value};
use crate::mutants::{Mutant, is_active};
use crate::syntax::tree::{
    self, Declaration, Declarator, Expression, Mark, Qualifiers, Storage, TypeName, TypeSpecifier,
};
use crate::token::Name;
use crate::types::{Kind, Length, Member, MemberLayout, Scalar, Struct, Type, Types, named};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::limits::TYPE_NESTING;
use lambdav_core::source::Span;
use rspirv::spirv::{Decoration, Op, StorageClass};
use rustc_hash::FxHashMap;

/// Most numbers and vectors in an array or a structure.
const ELEMENTS: u64 = 1 << 24;

/// Most parts of an instruction of SPIR-V, whose length has 16 bits.
pub(super) const OPERANDS: usize = 65_000;

impl Checker<'_> {
    /// The type that a specifier names; declares a structure in it.
    pub(super) fn specified(&mut self, of: &TypeSpecifier) -> Option<Type> {
        let base = match &of.what {
            TypeName::Named(name) => self.named_type(*name, of.span)?,
            TypeName::Struct(declaration) => self.structure_type(declaration)?,
        };
        self.with_dims(base, &of.dims)
    }

    fn named_type(&mut self, name: Name, at: Span) -> Option<Type> {
        match self.scopes.find(name) {
            Some(&Symbol::Type(ty)) => return Some(ty),
            Some(Symbol::Error) => return None,
            Some(_) => {
                let text = self.text(name).to_owned();
                self.wrong(DiagnosticCode::GlslTypes, at, format!("`{text}` is no type"));
                return None;
            }
            None => {}
        }
        let text = self.text(name).to_owned();
        if let Some(ty) = named(&mut self.types, &text) {
            return Some(ty);
        }
        let wide = [
            "int64_t",
            "uint64_t",
            "int8_t",
            "uint8_t",
            "int16_t",
            "uint16_t",
            "float16_t",
            "float64_t",
            "f16vec2",
            "f16vec3",
            "f16vec4",
            "u64vec2",
            "u64vec3",
            "u64vec4",
            "i64vec2",
            "i64vec3",
            "i64vec4",
            "f16mat3",
            "f16mat4",
            "i16vec2",
            "i16vec3",
            "i16vec4",
            "u16vec2",
            "u16vec3",
            "u16vec4",
            "i8vec2",
            "i8vec3",
            "i8vec4",
            "u8vec2",
            "u8vec3",
            "u8vec4",
        ];
        if wide.contains(&&*text) {
            self.unsupported(at, "numbers of 8, 16 and 64 bits");
            return None;
        }
        let features = [
            ("accelerationStructureEXT", "ray queries"),
            ("rayQueryEXT", "ray queries"),
            ("hitObjectNV", "ray queries"),
            ("coopmat", "cooperative matrices"),
        ];
        if let Some((_, what)) = features.iter().find(|(of, _)| *of == text) {
            self.unsupported(at, what);
            return None;
        }
        if !self.reported_names.insert(name) {
            return None;
        }
        self.wrong(DiagnosticCode::GlslName, at, format!("the type {} is unknown", quote(&text)));
        None
    }

    /// The array type with these lengths in front of those of the type.
    pub(super) fn with_dims(&mut self, mut ty: Type, dims: &[Option<Expression>]) -> Option<Type> {
        if !dims.is_empty() && ty == Types::VOID {
            return None;
        }
        for dim in dims.iter().rev() {
            let length = match dim {
                None => Length::Open,
                Some(expression) => {
                    let length = self.constant_integer(*expression, "the length of an array")?;
                    let inner = self.types.contents(ty).leaves;
                    let is_long = |length| inner.saturating_mul(length) > ELEMENTS;
                    if u64::try_from(length).map_or(true, |length| length == 0 || is_long(length)) {
                        let message = match length <= 0 {
                            true => "the length of an array is at least 1".to_owned(),
                            false => format!("an array has at most {ELEMENTS} elements"),
                        };
                        self.wrong(DiagnosticCode::GlslTypes, expression.span, message);
                        return None;
                    }
                    Length::Known(length as u32)
                }
            };
            ty = self.types.array(ty, length);
            let at = dim.map_or(Span::default(), |dim| dim.span);
            self.check_nesting(ty, at)?;
        }
        Some(ty)
    }

    /// Refuses a type in which too many structures and arrays nest.
    pub(super) fn check_nesting(&mut self, ty: Type, at: Span) -> Option<()> {
        if self.types.contents(ty).nesting <= TYPE_NESTING {
            return Some(());
        }
        let message = format!("structures and arrays nest at most {TYPE_NESTING} deep");
        self.wrong(DiagnosticCode::GlslTooLarge, at, message);
        None
    }

    /// Refuses a list with more parts than an instruction has room for. `beyond` is the first part too many.
    pub(super) fn check_operands(&mut self, beyond: Option<Span>, what: &str) -> Option<()> {
        let Some(at) = beyond else { return Some(()) };
        self.wrong(DiagnosticCode::GlslTooLarge, at, format!("{what} {OPERANDS} parts"));
        None
    }

    fn structure_type(&mut self, of: &tree::StructDeclaration) -> Option<Type> {
        let ty = self.members(&of.members).and_then(|members| {
            let wide = members.get(OPERANDS).map(|member| member.at);
            self.check_operands(wide, "a structure has at most")?;
            let (name, at) = match of.name {
                Some((name, at)) => (self.text(name).to_owned(), at),
                None => (String::new(), Span::default()),
            };
            let ty = self.types.structure(Struct { name, members });
            self.check_nesting(ty, at)?;
            if self.types.contents(ty).leaves > ELEMENTS {
                let message = format!("a structure has at most {ELEMENTS} numbers and vectors");
                self.wrong(DiagnosticCode::GlslTooLarge, at, message);
                return None;
            }
            Some(ty)
        });
        // The name of a wrong structure is known, so that its uses are no further mistakes.
        if let Some((name, at)) = of.name {
            self.bind(name, ty.map_or(Symbol::Error, Symbol::Type), at);
        }
        ty
    }

    /// The members of a structure or block.
    pub(super) fn members(&mut self, of: &[Declaration]) -> Option<Vec<Member>> {
        let mut members: Vec<Member> = Vec::new();
        let mut places: FxHashMap<Name, Span> = FxHashMap::default();
        let mut failed = false;
        for declaration in of {
            let Some(base) = self.specified(&declaration.ty) else {
                failed = true;
                continue;
            };
            for declarator in &declaration.declarators {
                let Some(ty) = self.with_dims(base, &declarator.dims) else {
                    failed = true;
                    continue;
                };
                if ty == Types::VOID {
                    self.wrong(
                        DiagnosticCode::GlslTypes,
                        declarator.span,
                        "a member is not `void`",
                    );
                    failed = true;
                    continue;
                }
                if let Some(&before) = places.get(&declarator.name) {
                    let text = self.text(declarator.name).to_owned();
                    let message = format!("the member `{text}` is declared twice");
                    self.wrong(DiagnosticCode::GlslRedeclared, declarator.span, message);
                    self.also(before, "declared here before");
                    failed = true;
                    continue;
                }
                let layout = self.member_layout(&declaration.qualifiers);
                places.insert(declarator.name, declarator.span);
                members.push(Member { name: declarator.name, ty, at: declarator.span, layout });
            }
        }
        (!failed).then_some(members)
    }

    fn member_layout(&mut self, of: &Qualifiers) -> MemberLayout {
        let mut layout = MemberLayout::default();
        for item in &of.layout {
            match self.text(item.name) {
                "row_major" => layout.row_major = Some(true),
                "column_major" => layout.row_major = Some(false),
                "offset" => layout.offset = self.layout_number(item),
                "align" => layout.align = self.layout_number(item),
                "location" => layout.location = self.layout_number(item),
                _ => {}
            }
        }
        layout.flat = of.marked(Mark::Flat);
        layout
    }

    /// The number of `location = 0` and the like.
    pub(super) fn layout_number(&mut self, of: &tree::LayoutItem) -> Option<u32> {
        let text = self.text(of.name).to_owned();
        let Some(value) = of.value else {
            let message = format!("`{text}` needs a number: `{text} = 0`");
            self.wrong(DiagnosticCode::GlslQualifier, of.span, message);
            return None;
        };
        let number = self.constant_integer(value, "the number of a layout")?;
        match u32::try_from(number) {
            Ok(number) => Some(number),
            Err(_) => {
                self.wrong(DiagnosticCode::GlslQualifier, value.span, "this number is negative");
                None
            }
        }
    }

    /// The number that a layout gives to a name.
    pub(super) fn layout_of(&mut self, qualifiers: &Qualifiers, name: &str) -> Option<u32> {
        let item = *qualifiers.layout.iter().rev().find(|item| self.text(item.name) == name)?;
        self.layout_number(&item)
    }

    pub(super) fn has_layout(&self, qualifiers: &Qualifiers, name: &str) -> bool {
        qualifiers.layout.iter().any(|item| self.text(item.name) == name)
    }

    /// The value of an initialiser, and its type: an array may get its length from it.
    fn initial(&mut self, of: Expression, ty: Type) -> Option<Value> {
        let operand = self.expression(of);
        self.initial_operand(operand, ty, of.span)
    }

    fn initial_operand(&mut self, operand: Operand, ty: Type, at: Span) -> Option<Value> {
        let Operand::List(items) = operand else {
            let value = self.value_of(operand, at)?;
            let ty = match self.types.kind(ty) {
                Kind::Array(..) if self.sized_as(ty, value.ty) => value.ty,
                _ => ty,
            };
            return self.coerce(&value, ty, at, "the variable has the type");
        };
        let count = items.len();
        self.check_operands(items.get(OPERANDS).map(|(_, at)| *at), "a list has at most")?;
        let ty = match self.types.kind(ty) {
            Kind::Array(element, Length::Open) => {
                self.types.array(element, Length::Known(count as u32))
            }
            _ => ty,
        };
        if self.parts(ty) != count {
            let (name, parts) = (self.type_name(ty), self.parts(ty));
            let message = format!("{name} has {parts} parts, and this list has {count}");
            self.wrong(DiagnosticCode::GlslTypes, at, message);
            return None;
        }
        let mut parts = Vec::new();
        for (k, (item, span)) in items.into_iter().enumerate() {
            let part = self.part(ty, k);
            parts.push(self.initial_operand(item, part, span)?);
        }
        Some(self.compose(ty, &parts))
    }

    /// True if an array type is another one without a length.
    fn sized_as(&self, open: Type, sized: Type) -> bool {
        match (self.types.kind(open), self.types.kind(sized)) {
            (Kind::Array(a, Length::Open), Kind::Array(b, _)) => a == b || self.sized_as(a, b),
            (Kind::Array(a, x), Kind::Array(b, y)) => x == y && self.sized_as(a, b),
            _ => open == sized,
        }
    }

    /// A declaration in a function.
    pub(super) fn local(&mut self, of: &Declaration) {
        let qualifiers = &of.qualifiers;
        for &(storage, at) in &qualifiers.storage {
            if storage != Storage::Const {
                self.wrong(
                    DiagnosticCode::GlslQualifier,
                    at,
                    "this qualifier belongs to variables outside of functions",
                );
                return self.failed(&of.declarators);
            }
        }
        let Some(base) = self.specified(&of.ty) else { return self.failed(&of.declarators) };
        let is_const = qualifiers.has(Storage::Const);
        for declarator in &of.declarators {
            self.variable(declarator, base, is_const, StorageClass::Function);
        }
    }

    /// Binds names of a faulty declaration, so that their uses are no errors.
    fn failed(&mut self, declarators: &[Declarator]) {
        for declarator in declarators {
            self.scopes.bind(declarator.name, Symbol::Error, declarator.span);
        }
    }

    /// A variable of a function, or one outside that is not shared with anything.
    fn variable(&mut self, of: &Declarator, base: Type, is_const: bool, class: StorageClass) {
        let Some(mut ty) = self.with_dims(base, &of.dims) else {
            return self.failed(std::slice::from_ref(of));
        };
        if ty == Types::VOID || self.types.is_opaque(self.types.innermost(ty).0) {
            let name = self.type_name(ty);
            let message = format!("a variable has not the type {name}");
            self.wrong(DiagnosticCode::GlslTypes, of.span, message);
            if ty != Types::VOID {
                self.help("textures and samplers are `uniform`");
            }
            return self.failed(std::slice::from_ref(of));
        }
        let mut value = None;
        match of.initial {
            Some(initial) => {
                let position = self.body().builder.position();
                value = self.initial(initial, ty);
                if class == StorageClass::Private {
                    self.line_before(position, of.span);
                }
                match &value {
                    Some(value) => ty = value.ty,
                    // The type is known, so uses can be checked.
                    None if !is_const && !self.has_open_length(ty) => {}
                    None => return self.failed(std::slice::from_ref(of)),
                }
            }
            None if is_const => {
                self.wrong(DiagnosticCode::GlslNotConstant, of.span, "a `const` needs a value");
                return self.failed(std::slice::from_ref(of));
            }
            None => {}
        }
        if self.has_open_length(ty) {
            self.wrong(DiagnosticCode::GlslTypes, of.span, "the array has no length");
            self.help("give it one, or an initialiser");
            return self.failed(std::slice::from_ref(of));
        }
        if is_const
            && let Some(Value { id: 0, constant: Some(constant), .. }) = &value
            && !matches!(self.types.kind(ty), Kind::Array(..) | Kind::Struct(_))
        {
            let symbol = Symbol::Constant(ty, constant.clone());
            return self.bind(of.name, symbol, of.span);
        }
        let mut place = match class {
            StorageClass::Function => self.temporary(ty),
            _ => self.global_variable(ty, class),
        };
        let text = self.text(of.name).to_owned();
        match class {
            StorageClass::Function => self.body().builder.name(place.pointer, &text),
            _ => self.module.name(place.pointer, &text),
        }
        let is_lost = class == StorageClass::Private && is_active(Mutant::LostInitialiser);
        if let Some(value) = value.as_ref().filter(|_| !is_lost) {
            if class == StorageClass::Private {
                self.line(of.span);
            }
            self.store(&place, value);
        }
        if is_const {
            place.constant = Some("it is `const`");
            if let Some(Value { id: 0, constant: Some(constant), .. }) = value {
                self.constant_arrays.insert(place.pointer, constant);
            }
        }
        self.bind(of.name, Symbol::Variable(place, None), of.span);
    }

    /// True if the type is or has an array without a length.
    pub(super) fn has_open_length(&self, ty: Type) -> bool {
        self.types.contents(ty).is_open
    }

    /// A new variable outside of functions.
    pub(super) fn global_variable(&mut self, ty: Type, class: StorageClass) -> Place {
        let id = self.id_of(ty, None);
        let pointer = self.module.pointer(class, id);
        let id = self.variable_outside(pointer, class);
        Place::variable(id, class, ty)
    }

    /// A new variable outside of functions, with the place of the declaration that is checked.
    pub(super) fn variable_outside(&mut self, pointer: u32, class: StorageClass) -> u32 {
        let declared = self.declared;
        match declared.and_then(|at| self.place_of(at)) {
            Some(place) => self.module.variable_at(pointer, class, place),
            None => self.module.variable(pointer, class),
        }
    }

    /// A declaration outside of functions.
    pub(super) fn global(&mut self, of: &Declaration) {
        let qualifiers = &of.qualifiers;
        let position = self.body().builder.position();
        let Some(base) = self.specified(&of.ty) else { return self.failed(&of.declarators) };
        let has = |storage| qualifiers.has(storage);
        let direction = if has(Storage::Out) {
            Some(Direction::Out)
        } else if has(Storage::In) || has(Storage::Attribute) {
            Some(Direction::In)
        } else if has(Storage::Varying) {
            Some(match self.set.stage {
                Stage::Vertex => Direction::Out,
                _ => Direction::In,
            })
        } else {
            None
        };
        for declarator in &of.declarators {
            self.declared = Some(declarator.span);
            if self.redeclares(declarator, qualifiers) {
                continue;
            }
            if let Some(direction) = direction {
                if direction == Direction::Out {
                    self.note_output("a declared output", declarator.span);
                }
                self.interface_variable(declarator, base, qualifiers, direction);
            } else if has(Storage::Uniform) {
                self.uniform(declarator, base, qualifiers);
            } else if has(Storage::Buffer) {
                self.wrong(DiagnosticCode::GlslQualifier, declarator.span, "a `buffer` is a block")
                    .help("write `buffer Name { float values[]; };`");
                self.failed(std::slice::from_ref(declarator));
            } else if has(Storage::Shared) {
                match self.with_dims(base, &declarator.dims) {
                    Some(ty) => {
                        let place = self.global_variable(ty, StorageClass::Workgroup);
                        let text = self.text(declarator.name).to_owned();
                        self.module.name(place.pointer, &text);
                        self.bind(declarator.name, Symbol::Variable(place, None), declarator.span);
                    }
                    None => self.failed(std::slice::from_ref(declarator)),
                }
            } else if self.has_layout(qualifiers, "constant_id") {
                self.specialisation(declarator, base, qualifiers);
            } else {
                let is_const = has(Storage::Const);
                self.variable(declarator, base, is_const, StorageClass::Private);
            }
        }
        self.init_used |= self.body().builder.position() > position;
    }

    /// True if a declaration says something more of a built-in variable: `in vec4 gl_FragCoord;`.
    fn redeclares(&mut self, of: &Declarator, qualifiers: &Qualifiers) -> bool {
        let text = self.text(of.name);
        if !text.starts_with("gl_") {
            return false;
        }
        if text == "gl_FragDepth" || text == "gl_FragCoord" {
            for item in &qualifiers.layout {
                let name = self.text(item.name).to_owned();
                self.interface.modes.push(name);
            }
        }
        if self.is_built_in(of.name) {
            return true;
        }
        let text = self.text(of.name).to_owned();
        let message = format!("names that begin with `gl_` are reserved: {}", quote(&text));
        self.wrong(DiagnosticCode::GlslName, of.span, message);
        true
    }

    /// `layout(constant_id = 0) const int n = 4;`
    fn specialisation(&mut self, of: &Declarator, base: Type, qualifiers: &Qualifiers) {
        let Some(number) = self.layout_of(qualifiers, "constant_id") else {
            return self.failed(std::slice::from_ref(of));
        };
        let value = of.initial.and_then(|initial| self.initial(initial, base));
        let Some(value) = value else {
            if of.initial.is_none() {
                self.wrong(DiagnosticCode::GlslNotConstant, of.span, "a `const` needs a value");
            }
            return self.failed(std::slice::from_ref(of));
        };
        let (Some(bits), Kind::Scalar(scalar)) = (value.bits(), self.types.kind(base)) else {
            self.wrong(
                DiagnosticCode::GlslNotConstant,
                of.span,
                "a specialisation constant is a scalar with a constant value",
            );
            return self.failed(std::slice::from_ref(of));
        };
        let ty = self.id_of(base, None);
        let id = match scalar {
            Scalar::Bool if bits == 0 => self.module.specialisation(Op::SpecConstantFalse, ty, &[]),
            Scalar::Bool => self.module.specialisation(Op::SpecConstantTrue, ty, &[]),
            _ => self.module.specialisation(Op::SpecConstant, ty, &[bits]),
        };
        self.module.decorate(id, Decoration::SpecId, &[number]);
        let text = self.text(of.name).to_owned();
        self.module.name(id, &text);
        // A variable holds it, so that all uses read what specialisation gives.
        let place = self.global_variable(base, StorageClass::Private);
        self.store(&place, &Value::new(base, id));
        let place = Place { constant: Some("it is `const`"), ..place };
        self.bind(of.name, Symbol::Variable(place, value.constant), of.span);
    }
}
