//! Entry points: a function around each, which reads the inputs and writes the outputs.

use super::attributes::OUTSIDE;
use super::built_ins::{BUILT_INS, Stage, built_in};
use super::checker::{Body, Checker};
use super::items::Need;
use super::values::Value;
use crate::syntax::tree::{self, Attribute, Global, Item};
use crate::token::Name;
use crate::types::{Kind, Scalar, Type, Types};
use lambdav_core::diagnostics::{DiagnosticCode, quote};
use lambdav_core::source::Span;
use lambdav_spirv::build::FunctionBuilder;
use rspirv::spirv::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass,
};
use rustc_hash::FxHashSet;
use std::rc::Rc;

/// The interface of an entry point as far as it is made.
struct Interface {
    stage: Stage,
    is_output: bool,
    variables: Vec<u32>,
    locations: FxHashSet<(u32, u32)>,
    builtins: Vec<BuiltIn>,
    is_wrong: bool,
}

/// A value that an input or output names.
struct Outside<'t> {
    name: Option<Name>,
    at: Span,
    attributes: &'t [Attribute],
    ty: Type,
}

impl Checker<'_> {
    /// The stage of a function.
    pub(super) fn stage_of(&mut self, of: &Global) -> Option<Stage> {
        let all =
            [("vertex", Stage::Vertex), ("fragment", Stage::Fragment), ("compute", Stage::Compute)];
        let mut found = None;
        for (name, stage) in all {
            if let Some(attribute) = self.attribute(&of.attributes, name)
                && found.replace(stage).is_some()
            {
                let at = attribute.span;
                self.wrong(DiagnosticCode::WgslAttribute, at, "a function has one stage");
            }
        }
        // Entry points of imported modules are not this program's.
        found.filter(|_| of.module == 0)
    }

    /// Writes the function around an entry point.
    pub(super) fn entry_point(&mut self, number: usize, of: &Global, function: &tree::Function) {
        let Some(stage) = self.functions[number].stage else { return };
        if !self.check_needs(number, stage) {
            return;
        }
        let void = self.module.ty(Op::TypeVoid, &[]);
        let ty = self.module.ty(Op::TypeFunction, &[void]);
        let [id, label] = [self.module.id(), self.module.id()];
        let builder = FunctionBuilder::new(id, void, ty, &[], label);
        let (targets, line) = (Vec::new(), [0; 3]);
        self.body = Some(Body { builder, label, result: Types::VOID, targets, line });
        let mut interface = Interface {
            stage,
            is_output: false,
            variables: Vec::new(),
            locations: FxHashSet::default(),
            builtins: Vec::new(),
            is_wrong: false,
        };
        let parameters = self.functions[number].parameters.clone();
        let mut arguments = Vec::new();
        for (parameter, of) in parameters.iter().zip(&function.parameters) {
            let outside = Outside {
                name: Some(of.name),
                at: of.at,
                attributes: &of.attributes,
                ty: parameter.ty,
            };
            if let Some(value) = self.input(&mut interface, &outside) {
                arguments.push(value.id);
            }
        }
        let result = self.functions[number].result;
        let mut operands = vec![self.functions[number].id];
        operands.extend(arguments);
        let value = self.compute(Op::FunctionCall, result, &operands);
        interface.is_output = true;
        interface.locations.clear();
        interface.builtins.clear();
        if result != Types::VOID {
            let outside = Outside {
                name: None,
                at: function.result.map_or(of.at, |ty| ty.span),
                attributes: &function.result_attributes,
                ty: result,
            };
            self.output(&mut interface, &outside, &value);
        }
        self.end(Op::Return, &[]);
        let Some(body) = self.body.take() else { return };
        if interface.is_wrong {
            return;
        }
        if stage == Stage::Vertex && !interface.builtins.contains(&BuiltIn::Position) {
            self.lacks(of.at, "a vertex function returns `@builtin(position)`");
            return;
        }
        self.code.push(Rc::new(body.builder));
        self.modes(of, stage, id, &interface);
        let name = self.functions[number].name.clone();
        let model = match stage {
            Stage::Vertex => ExecutionModel::Vertex,
            Stage::Fragment => ExecutionModel::Fragment,
            Stage::Compute => ExecutionModel::GLCompute,
        };
        self.module.entry_point(model, id, &name, &interface.variables);
        self.entries += 1;
    }

    /// False if the stage lacks what the function needs, which is reported.
    fn check_needs(&mut self, number: usize, stage: Stage) -> bool {
        for (need, at) in self.functions[number].needs.clone() {
            let what = match (need, stage) {
                (Need::Derivatives, Stage::Vertex | Stage::Compute) => {
                    "derivatives, and samples that choose their level by them, belong to the fragment stage"
                }
                (Need::Discard, Stage::Vertex | Stage::Compute) => {
                    "`discard` belongs to the fragment stage"
                }
                (Need::Workgroup, Stage::Vertex | Stage::Fragment) => {
                    "barriers and shared memory belong to the compute stage"
                }
                _ => continue,
            };
            self.wrong(DiagnosticCode::WgslPlacement, at, what);
            if need == Need::Derivatives {
                self.help("give the level: `textureSampleLevel(…)`");
            }
            return false;
        }
        true
    }

    fn modes(&mut self, of: &Global, stage: Stage, id: u32, interface: &Interface) {
        match stage {
            Stage::Vertex => {}
            Stage::Fragment => {
                self.module.mode(id, ExecutionMode::OriginUpperLeft, &[]);
                if interface.builtins.contains(&BuiltIn::FragDepth) {
                    self.module.mode(id, ExecutionMode::DepthReplacing, &[]);
                }
            }
            Stage::Compute => {
                let Some(attribute) = self.attribute(&of.attributes, "workgroup_size") else {
                    self.lacks(of.at, "a compute function has `@workgroup_size`");
                    return;
                };
                let mut size = [1; 3];
                if attribute.arguments.is_empty() || attribute.arguments.len() > 3 {
                    self.lacks(attribute.span, "`@workgroup_size` has one to three numbers");
                }
                for (slot, &argument) in size.iter_mut().zip(&attribute.arguments) {
                    match self.attribute_value(argument) {
                        Some(0) => {
                            self.lacks(argument.span, "a workgroup has a size of at least 1");
                        }
                        Some(number) => *slot = number,
                        None => {}
                    }
                }
                self.module.mode(id, ExecutionMode::LocalSize, &size);
            }
        }
    }

    /// Reads an input, which may be a structure of them.
    fn input(&mut self, interface: &mut Interface, of: &Outside<'_>) -> Option<Value> {
        let is_structure = matches!(self.types.kind(of.ty), Kind::Struct(_));
        if !is_structure {
            let variable = self.outside_variable(interface, of)?;
            return Some(self.read_input(variable, of.ty));
        }
        let unit = self.set.unit;
        let Kind::Struct(number) = self.types.kind(of.ty) else { return None };
        let global = *self.declarations.get(&number)?;
        let Item::Structure(fields) = &unit.globals[global].what else { return None };
        let mut parts = Vec::new();
        for (k, field) in fields.iter().enumerate() {
            let ty = self.types.part(of.ty, k);
            let (name, at, attributes) = (Some(field.name), field.at, &field.attributes[..]);
            let outside = Outside { name, at, attributes, ty };
            let variable = self.outside_variable(interface, &outside)?;
            parts.push(self.read_input(variable, ty).id);
        }
        Some(self.compute(Op::CompositeConstruct, of.ty, &parts))
    }

    fn read_input(&mut self, (variable, wraps): (u32, Wraps), ty: Type) -> Value {
        match wraps {
            Wraps::Nothing => self.compute(Op::Load, ty, &[variable]),
            Wraps::Array => {
                let pointer = self.only_element(variable, StorageClass::Input, ty);
                self.compute(Op::Load, ty, &[pointer])
            }
            Wraps::Signed => {
                let number = self.compute(Op::Load, Types::INT, &[variable]);
                self.compute(Op::Bitcast, ty, &[number.id])
            }
        }
    }

    fn only_element(&mut self, variable: u32, class: StorageClass, ty: Type) -> u32 {
        let inner = self.id_of(ty);
        let pointer = self.module.pointer(class, inner);
        let zero = self.uint(0);
        self.emit(Op::AccessChain, pointer, &[variable, zero])
    }

    /// Writes an output, which may be a structure of them.
    fn output(&mut self, interface: &mut Interface, of: &Outside<'_>, value: &Value) {
        let unit = self.set.unit;
        let write = |checker: &mut Self, (variable, wraps): (u32, Wraps), value: &Value| {
            let pointer = match wraps {
                Wraps::Array => checker.only_element(variable, StorageClass::Output, value.ty),
                _ => variable,
            };
            checker.act(Op::Store, &[pointer, value.id]);
        };
        let Kind::Struct(number) = self.types.kind(of.ty) else {
            if let Some(variable) = self.outside_variable(interface, of) {
                write(self, variable, value);
            }
            return;
        };
        let Some(&global) = self.declarations.get(&number) else { return };
        let Item::Structure(fields) = &unit.globals[global].what else { return };
        for (k, field) in fields.iter().enumerate() {
            let ty = self.types.part(of.ty, k);
            let (name, at, attributes) = (Some(field.name), field.at, &field.attributes[..]);
            let outside = Outside { name, at, attributes, ty };
            let Some(variable) = self.outside_variable(interface, &outside) else { return };
            let part = self.extract(value, k, ty);
            write(self, variable, &part);
        }
    }

    /// The variable of an input or output.
    fn outside_variable(
        &mut self,
        interface: &mut Interface,
        of: &Outside<'_>,
    ) -> Option<(u32, Wraps)> {
        let variable = self.new_outside(interface, of);
        interface.is_wrong |= variable.is_none();
        variable
    }

    fn new_outside(&mut self, interface: &mut Interface, of: &Outside<'_>) -> Option<(u32, Wraps)> {
        let mut allowed = OUTSIDE.to_vec();
        allowed.extend(["size", "align"]);
        self.check_attributes(of.attributes, &allowed, "an input or output");
        let location = self.attribute(of.attributes, "location");
        let builtin = self.attribute(of.attributes, "builtin");
        let (class, what) = match interface.is_output {
            true => (StorageClass::Output, "output"),
            false => (StorageClass::Input, "input"),
        };
        match (location, builtin) {
            (Some(attribute), None) => {
                let location = self.attribute_number(attribute)?;
                self.located(interface, of, class, location)
            }
            (None, Some(attribute)) => self.built_in_variable(interface, of, class, attribute),
            _ => {
                let message = format!("an {what} has either `@location` or `@builtin`");
                self.lacks(of.at, message);
                None
            }
        }
    }

    fn located(
        &mut self,
        interface: &mut Interface,
        of: &Outside<'_>,
        class: StorageClass,
        location: u32,
    ) -> Option<(u32, Wraps)> {
        let scalar = match self.types.kind(of.ty) {
            Kind::Scalar(scalar) | Kind::Vector(scalar, _) if scalar != Scalar::Bool => scalar,
            _ => {
                let found = self.type_name(of.ty);
                let message = format!("a value at a location is a number or vector, not {found}");
                self.wrong(DiagnosticCode::WgslTypes, of.at, message);
                return None;
            }
        };
        if interface.stage == Stage::Compute {
            self.lacks(of.at, "a compute function has no locations");
            return None;
        }
        let blend = self.numbered(of.attributes, "blend_src");
        if !interface.locations.insert((location, blend.unwrap_or(0))) {
            self.lacks(of.at, format!("the location {location} is taken already"));
            return None;
        }
        let inner = self.id_of(of.ty);
        let pointer = self.module.pointer(class, inner);
        let variable = match self.place_of(of.at) {
            Some(place) => self.module.variable_at(pointer, class, place),
            None => self.module.variable(pointer, class),
        };
        if let Some(name) = of.name {
            let text = self.text(name);
            self.module.name(variable, text);
        }
        self.module.decorate(variable, Decoration::Location, &[location]);
        if let Some(index) = blend {
            self.module.decorate(variable, Decoration::Index, &[index]);
        }
        let between = matches!(
            (interface.stage, interface.is_output),
            (Stage::Vertex, true) | (Stage::Fragment, false)
        );
        let words: Vec<&str> = self
            .attribute(of.attributes, "interpolate")
            .map(|one| one.words.iter().map(|&(word, _)| self.text(word)).collect())
            .unwrap_or_default();
        if between {
            if scalar.is_integer() || words.first() == Some(&"flat") {
                self.module.decorate(variable, Decoration::Flat, &[]);
            } else if words.first() == Some(&"linear") {
                self.module.decorate(variable, Decoration::NoPerspective, &[]);
            }
            match words.get(1) {
                Some(&"centroid") => self.module.decorate(variable, Decoration::Centroid, &[]),
                Some(&"sample") => {
                    self.module.capability(Capability::SampleRateShading);
                    self.module.decorate(variable, Decoration::Sample, &[]);
                }
                _ => {}
            }
        }
        interface.variables.push(variable);
        Some((variable, Wraps::Nothing))
    }

    fn built_in_variable(
        &mut self,
        interface: &mut Interface,
        of: &Outside<'_>,
        class: StorageClass,
        attribute: &Attribute,
    ) -> Option<(u32, Wraps)> {
        let Some(&(word, at)) = attribute.words.first() else {
            self.lacks(attribute.span, "`@builtin` names a value: `@builtin(position)`");
            return None;
        };
        let name = self.text(word);
        if name == "clip_distances" {
            self.unsupported(at, "clip distances are");
            return None;
        }
        let Some((built_in, scalar, width)) = built_in(name, interface.stage, interface.is_output)
        else {
            let is_known = BUILT_INS.contains(&name);
            if name.contains("subgroup") || name == "barycentric" {
                self.unsupported(at, &format!("{} is", quote(name)));
            } else {
                let message = match is_known {
                    true => format!("this stage has no {} here", quote(name)),
                    false => format!("there is no built-in value {}", quote(name)),
                };
                self.lacks(at, message);
            }
            return None;
        };
        let wanted = self.types.vector(scalar, width);
        let is_view = built_in == BuiltIn::ViewIndex && of.ty == Types::UINT;
        if wanted != of.ty && !is_view {
            let [a, b] = [wanted, of.ty].map(|ty| self.type_name(ty));
            let message = format!("{} has the type {a}, and this is {b}", quote(name));
            self.wrong(DiagnosticCode::WgslTypes, of.at, message);
            return None;
        }
        if interface.builtins.contains(&built_in) {
            self.lacks(at, format!("{} is named twice", quote(name)));
            return None;
        }
        let wraps = match built_in {
            BuiltIn::SampleMask => Wraps::Array,
            _ if is_view => Wraps::Signed,
            _ => Wraps::Nothing,
        };
        let capability = match built_in {
            BuiltIn::SampleId => Some(Capability::SampleRateShading),
            BuiltIn::PrimitiveId => Some(Capability::Geometry),
            BuiltIn::ViewIndex => {
                self.module.extension("SPV_KHR_multiview");
                Some(Capability::MultiView)
            }
            _ => None,
        };
        if let Some(capability) = capability {
            self.module.capability(capability);
        }
        let inner = match wraps {
            // An array without a stride, as inputs have none.
            Wraps::Array => {
                let element = self.id_of(wanted);
                let one = self.uint(1);
                self.module.unique_type(Op::TypeArray, &[element, one], 2).0
            }
            _ => self.id_of(wanted),
        };
        let pointer = self.module.pointer(class, inner);
        let variable = match self.place_of(of.at) {
            Some(place) => self.module.variable_at(pointer, class, place),
            None => self.module.variable(pointer, class),
        };
        let text = of.name.map_or(name, |name| self.text(name));
        self.module.name(variable, text);
        self.module.decorate(variable, Decoration::BuiltIn, &[built_in as u32]);
        let is_fragment_input = interface.stage == Stage::Fragment && !interface.is_output;
        if is_fragment_input && scalar.is_integer() && built_in != BuiltIn::SampleMask {
            self.module.decorate(variable, Decoration::Flat, &[]);
        }
        if self.attribute(of.attributes, "invariant").is_some() && interface.is_output {
            self.module.decorate(variable, Decoration::Invariant, &[]);
        }
        interface.builtins.push(built_in);
        interface.variables.push(variable);
        Some((variable, wraps))
    }
}

/// How a built-in variable holds its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wraps {
    Nothing,
    /// In an array of one element.
    Array,
    /// As a signed integer.
    Signed,
}
