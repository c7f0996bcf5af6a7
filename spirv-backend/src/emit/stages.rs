//! Inputs and outputs of the stages of a program that draws triangles, and of `frag-coord`.
//!
//! Attributes and varyings are variables at locations; indices, position and depth are built-in variables. The
//! value of an input at another pixel of the quad is swapped within the quad. All pixels of a quad must take
//! part in that, so it happens at the beginning of the entry point.

use super::declarations::Declarations;
use super::interface::Interface;
use super::translator::Translator;
use lambdav_core::graph::{Axis, Interpolation, Place, Side, StageInput};
use lambdav_core::inputs::Input;
use lambdav_core::interface::{LocationSource, Stage};
use lambdav_core::memory::InvocationInput;
use lambdav_core::op::Op as Core;
use lambdav_core::schedule::{Expr, Program, Statement};
use lambdav_core::triangles::{DEPTH, POSITION};
use lambdav_core::types::{Scalar, Type};
use rspirv::dr::Operand;
use rspirv::spirv::{BuiltIn, Decoration, Op, Scope, StorageClass, Word};
use rustc_hash::FxHashMap;

impl Interface {
    /// The variable of a stage input. That of a depth or of 1/w is `frag-coord`.
    pub(super) fn stage_input(
        &mut self,
        declarations: &mut Declarations<'_>,
        input: StageInput,
    ) -> Word {
        let input = match input {
            StageInput::Depth(_) => StageInput::W(Place::HERE),
            other => other.at(Place::HERE),
        };
        if let Some(&known) = self.stage_inputs.get(&input) {
            return known;
        }
        let at_location = match input {
            StageInput::Attribute(index) => Some(&self.bound.locations[index as usize]),
            StageInput::Varying(index, _) => self.bound.location(index),
            _ => None,
        };
        let at_location = at_location.map(|of| (of.ty, of.location, of.name.clone(), of.source));
        let id = match at_location {
            Some((ty, location, name, source)) => {
                let ty = declarations.ty(ty);
                let id = self.variable(declarations, StorageClass::Input, ty, &name);
                declarations.decorate(id, Decoration::Location, [Operand::LiteralBit32(location)]);
                let interpolation = match source {
                    Ok(LocationSource::Varying(Interpolation::Flat)) => Some(Decoration::Flat),
                    Ok(LocationSource::Varying(Interpolation::Linear)) => {
                        Some(Decoration::NoPerspective)
                    }
                    _ => None,
                };
                if let Some(interpolation) = interpolation {
                    declarations.decorate(id, interpolation, []);
                }
                id
            }
            None => self.built_in_input(declarations, input),
        };
        self.stage_inputs.insert(input, id);
        id
    }

    fn built_in_input(&mut self, declarations: &mut Declarations<'_>, input: StageInput) -> Word {
        let (built_in, ty, name) = match input {
            StageInput::VertexIndex => (BuiltIn::VertexIndex, Type::INT, input.name()),
            StageInput::InstanceIndex => (BuiltIn::InstanceIndex, Type::INT, input.name()),
            StageInput::PrimitiveIndex => (BuiltIn::PrimitiveId, Type::INT, input.name()),
            StageInput::FrontFacing => (BuiltIn::FrontFacing, Type::BOOL, input.name()),
            StageInput::Invocation(of) => {
                let built_in = match of {
                    InvocationInput::GlobalId => BuiltIn::GlobalInvocationId,
                    InvocationInput::LocalId => BuiltIn::LocalInvocationId,
                    InvocationInput::WorkgroupId => BuiltIn::WorkgroupId,
                    InvocationInput::LocalIndex => BuiltIn::LocalInvocationIndex,
                    InvocationInput::Workgroups => BuiltIn::NumWorkgroups,
                };
                (built_in, of.ty(), of.name())
            }
            _ => (BuiltIn::FragCoord, Type::vec(4), Input::FragCoord.name()),
        };
        let ty = declarations.ty(ty);
        let id = self.variable(declarations, StorageClass::Input, ty, name);
        declarations.decorate(id, Decoration::BuiltIn, [Operand::BuiltIn(built_in)]);
        if built_in == BuiltIn::PrimitiveId {
            declarations.decorate(id, Decoration::Flat, []);
            self.reads_primitive = true;
        }
        id
    }

    /// True if the output at a location is a colour, which has four components.
    pub(super) fn is_colour(&self, location: u32) -> bool {
        self.bound.entry_point.stage == Stage::Fragment && location != DEPTH
    }

    /// The variable of the output at a location, of a value of type `own`.
    pub(super) fn output(
        &mut self,
        declarations: &mut Declarations<'_>,
        location: u32,
        own: Type,
    ) -> Word {
        if let Some(&known) = self.outputs.get(&location) {
            return known;
        }
        let ty = if self.is_colour(location) && !own.is_integer() { Type::vec(4) } else { own };
        let ty = declarations.ty(ty);
        let built_in = match location {
            POSITION => Some((BuiltIn::Position, "position")),
            DEPTH => Some((BuiltIn::FragDepth, "depth")),
            _ => None,
        };
        let id = match built_in {
            Some((built_in, name)) => {
                let id = self.variable(declarations, StorageClass::Output, ty, name);
                declarations.decorate(id, Decoration::BuiltIn, [Operand::BuiltIn(built_in)]);
                id
            }
            None => {
                let mut outputs = self.bound.outputs.iter();
                let named = outputs.find(|of| of.location == location && !of.name.is_empty());
                let name = match named {
                    Some(of) => of.name.clone(),
                    None => format!("output {location}"),
                };
                let id = self.variable(declarations, StorageClass::Output, ty, &name);
                declarations.decorate(id, Decoration::Location, [Operand::LiteralBit32(location)]);
                id
            }
        };
        self.outputs.insert(location, id);
        id
    }
}

impl Translator<'_> {
    /// The value of a stage input.
    pub(super) fn stage_input(&mut self, input: StageInput, ty: Type) -> Word {
        let input = self.placed_input(input);
        if let Some(&id) = self.function.moved.get(&input) {
            return id;
        }
        if let Some(&variable) = self.moved.get(&input) {
            return self.load_input(variable, ty, "");
        }
        self.stage_input_here(input, ty)
    }

    /// The value at the pixel itself.
    fn stage_input_here(&mut self, input: StageInput, ty: Type) -> Word {
        let variable = self.interface.stage_input(&mut self.declarations, input);
        let component = match input {
            StageInput::Depth(_) => 2,
            StageInput::W(_) => 3,
            _ => {
                let name = self.input_name(input);
                return self.load_input(variable, ty, &name);
            }
        };
        let position = self.load_input(variable, Type::vec(4), Input::FragCoord.name());
        self.extract(ty, position, component)
    }

    fn input_name(&self, input: StageInput) -> String {
        let locations = &self.interface.bound.locations;
        match input {
            StageInput::Attribute(index) => locations[index as usize].name.clone(),
            StageInput::Varying(index, _) => {
                let found = self.interface.bound.location(index);
                found.map(|of| of.name.clone()).unwrap_or_default()
            }
            _ => input.name().to_owned(),
        }
    }

    /// The input at the place where it is read: a flat varying is the same at all pixels.
    fn placed_input(&self, input: StageInput) -> StageInput {
        let StageInput::Varying(index, _) = input else { return input };
        match self.interface.bound.location(index).map(|of| of.source) {
            Some(Ok(LocationSource::Varying(Interpolation::Flat))) => input.at(Place::HERE),
            _ => input,
        }
    }

    /// Reads the stage inputs at other pixels of the quad that the program needs.
    pub(super) fn moved_inputs(&mut self) -> FxHashMap<StageInput, Word> {
        let mut moved = FxHashMap::default();
        for (input, ty) in stage_inputs(self.function.program) {
            let input = self.placed_input(input);
            let place = input.place().unwrap_or_default();
            if place == Place::HERE || moved.contains_key(&input) {
                continue;
            }
            let mut id = self.stage_input_here(input.at(Place::HERE), ty);
            for (axis, side) in [(Axis::X, place.x), (Axis::Y, place.y)] {
                if let Some(side) = side {
                    id = self.at_side(id, ty, axis, side);
                }
            }
            moved.insert(input, id);
        }
        moved
    }

    /// The same, into variables of the module, for the functions of an exact one.
    pub(super) fn store_moved_inputs(&mut self) {
        let types: FxHashMap<StageInput, Type> = stage_inputs(self.function.program)
            .map(|(input, ty)| (self.placed_input(input), ty))
            .collect();
        let mut moved: Vec<(StageInput, Word)> = self.moved_inputs().into_iter().collect();
        // By id, so that equal programs give equal words.
        moved.sort_unstable_by_key(|&(_, id)| id);
        for (input, id) in moved {
            let ty = types[&input];
            let zero = self.everywhere(ty, 0);
            let variable = self.interface.private(&mut self.declarations, ty, zero);
            self.store(variable, id);
            self.moved.insert(input, variable);
        }
    }

    /// The value that the pixel on this side of the quad has.
    fn at_side(&mut self, value: Word, ty: Type, axis: Axis, side: Side) -> Word {
        self.interface.reads_quads = true;
        let subgroup = self.declarations.uint(Scope::Subgroup as u32);
        let direction = self.declarations.uint(u32::from(axis == Axis::Y));
        let result = self.declarations.ty(ty);
        let operands =
            vec![Operand::IdScope(subgroup), Operand::IdRef(value), Operand::IdRef(direction)];
        let other = self.compute(Op::GroupNonUniformQuadSwap, result, operands);
        let position =
            self.interface.stage_input(&mut self.declarations, StageInput::W(Place::HERE));
        let position = self.load_input(position, Type::vec(4), Input::FragCoord.name());
        let coordinate = self.extract(Type::NUM, position, u32::from(axis == Axis::Y));
        let coordinate =
            self.natively(Core::Convert(Scalar::U32), Type::NUM, Type::UINT, &[coordinate]);
        let one = self.declarations.uint(1);
        let parity = self.instruction(Op::BitwiseAnd, Type::UINT, &[coordinate, one]);
        let own = self.declarations.uint(u32::from(side == Side::Odd));
        let is_here = self.instruction(Op::IEqual, Type::BOOL, &[parity, own]);
        self.select(is_here, ty, value, other)
    }
}

/// The stage inputs that a program reads, with their types.
fn stage_inputs(program: &Program) -> impl Iterator<Item = (StageInput, Type)> {
    let statements = program.blocks.iter().flat_map(|block| &block.statements);
    statements.filter_map(|statement| match statement {
        Statement::Let { value, expr: Expr::Stage(input) } => Some((*input, program.ty(*value))),
        _ => None,
    })
}
