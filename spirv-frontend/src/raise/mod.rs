//! Raises the functions of a module to a graph.
//!
//! Calls are inlined. Each function is walked along its structure ([`control`]), with the contents of
//! variables on each way ([`crate::memory`]), and ways are joined where they meet ([`crate::flow`]).

mod bits;
mod blocks;
mod calls;
mod conditions;
mod control;
mod cubes;
mod derivatives;
mod globals;
mod glsl;
mod guards;
mod images;
mod instructions;
mod linear;
mod loops;
mod memories;
mod opaque;
mod opened;
mod operation_names;
mod operations;
mod outside;
mod pipeline;
mod probes;
mod raiser;
mod samples;
mod switches;
mod tails;
mod types;
mod unset;

use crate::error::{RaiseError, Result};
use crate::flow::{Flow, FlowId, Leaf, Target};
use crate::memory::Memory;
use crate::module::{DEMOTED, EntryPoint, Module, REPORTED};
use crate::options::RaiseOptions;
use crate::structure::{FunctionFacts, analyse};
use lambdav_core::graph::{Core, Effect, Graph, Neighbours, NodeId, Output};
use lambdav_core::interface::{self, Interface, Stage};
use lambdav_core::probes::Sites;
use lambdav_core::source::{SourceFile, Span};
use lambdav_core::types::{Scalar, Type};
use lambdav_spirv::stage_name;
use opened::Memories;
use outside::Outside;
pub(crate) use pipeline::raise_stages;
use raiser::{Frame, Raiser};
use rspirv::spirv::{ExecutionMode, StorageClass};
use rustc_hash::{FxHashMap, FxHashSet};
use unset::Unset;

/// Raises an entry point of a module.
pub(crate) fn raise<'m>(
    module: &'m Module<'_>,
    source: &'m SourceFile,
    options: &'m RaiseOptions,
) -> Result<(Core, Interface)> {
    let entry = entry_point(module, options.stage, options.entry_point.as_deref())?;
    raise_entry(module, source, options, entry, options.stage)
}

/// Raises an entry point as a program of that stage.
fn raise_entry<'m>(
    module: &'m Module<'_>,
    source: &'m SourceFile,
    options: &'m RaiseOptions,
    entry: &EntryPoint,
    stage: Stage,
) -> Result<(Core, Interface)> {
    let facts = analyse(module, entry.function)?;
    let mut raiser = Raiser::new(module, source, &facts, stage);
    raiser.has_levels = raiser.asks_for_levels();
    if let Some(reports) = &options.reports {
        raiser.names = Some(reports.names);
        for guard in &reports.guards {
            raiser.guards.entry(guard.instruction).or_default().push(*guard);
        }
    }
    let used = used(module, entry, &facts);
    let mut outside = Outside::default();
    raiser.reserve_names(&used, &mut outside);
    let StageRoots { outputs, discarded, effects, reported } =
        raiser.raise_stage(entry, &used, options, &mut outside)?;
    if stage.has_pixels() && outputs.is_empty() {
        return Err(RaiseError::unsupported("an entry point that writes no colour"));
    }
    raiser.describe(entry, &used, &mut outside.interface);
    let workgroup = match stage {
        Stage::Compute => Some(raiser.workgroup(entry)?),
        _ => None,
    };
    let (graph, uniforms, sites) = (raiser.graph, outside.uniforms, raiser.sites.into_all());
    let mut core = Core { graph, uniforms, outputs, effects, workgroup, sites, ..Core::default() };
    if let Some(condition) = discarded {
        core.discard_if(condition, options.clear, Span::default());
    }
    for output in &mut core.outputs {
        output.node = core.graph.after(output.node, reported, output.span);
    }
    for effect in &mut core.effects {
        effect.node = core.graph.after(effect.node, reported, effect.span);
    }
    outside.interface.inputs = core.inputs();
    outside.interface.images = options.images.clone();
    Ok((core, outside.interface))
}

/// The results of a stage.
struct StageRoots {
    /// The outputs, ascending by location.
    outputs: Vec<Output>,
    /// The condition under which a pixel is discarded.
    discarded: Option<NodeId>,
    /// The final states of memories.
    effects: Vec<Effect>,
    /// The value that waits for all probes, if undefined behaviour is reported.
    reported: Option<NodeId>,
}

impl<'m, 'w> Raiser<'m, 'w> {
    /// A raiser of a stage whose functions have these facts, with an empty graph.
    fn new(
        module: &'m Module<'w>,
        source: &'m SourceFile,
        facts: &'m FxHashMap<u32, FunctionFacts>,
        stage: Stage,
    ) -> Self {
        Self {
            module,
            source,
            stage,
            pipeline: None,
            facts,
            graph: Graph::default(),
            flow: Flow::default(),
            frames: Vec::new(),
            tasks: Vec::new(),
            globals: FxHashMap::default(),
            constants: FxHashMap::default(),
            types: FxHashMap::default(),
            zeros: FxHashMap::default(),
            neighbours: Neighbours::without_probes(),
            alike: Vec::new(),
            span: Span::default(),
            steps: 0,
            has_levels: false,
            memories: Memories::default(),
            names: None,
            guards: FxHashMap::default(),
            sites: Sites::default(),
            unset: Unset::default(),
            reported: None,
        }
    }

    /// Raises an entry point to the graph.
    fn raise_stage(
        &mut self,
        entry: &EntryPoint,
        used: &FxHashSet<u32>,
        options: &RaiseOptions,
        outside: &mut Outside,
    ) -> Result<StageRoots> {
        if self.module.mode(entry.function, ExecutionMode::OriginLowerLeft).is_some() {
            return Err(RaiseError::unsupported("an origin at the lower left"));
        }
        let mut memory = Memory::default();
        self.open(used, options, &mut memory, outside)?;
        self.memories.note(&self.facts[&entry.function]);
        let function = &self.module.functions[&entry.function];
        let mut frame = Frame::new(function, &self.facts[&entry.function], memory.len());
        self.bind_globals(&mut frame);
        self.frames.push(frame);
        let root = self.run(memory)?;
        let mut outputs = self.colours(root, outside, options)?;
        self.probe_outputs(entry, outside, &mut outputs)?;
        self.check_alike()?;
        let discarded = self.discarded(root, outside)?;
        let effects = self.final_states(root)?;
        let reported = self.all_probes(root)?;
        if outputs
            .iter()
            .chain(&discarded)
            .chain(&reported)
            .any(|&node| !self.graph.free_loops(node).is_empty())
        {
            return Err(RaiseError::malformed("a value is used outside the loop that computes it"));
        }
        let has_integers = outputs.iter().any(|&node| self.type_of(node).is_integer());
        if self.stage.has_pixels() && has_integers && self.pipeline.is_some() {
            let what = "an output of integers in a pipeline of two stages";
            return Err(RaiseError::unsupported(what));
        }
        let mut all = Vec::new();
        for (node, &(location, _)) in outputs.into_iter().zip(&outside.outputs) {
            let span = self.graph.span(node);
            let node = if self.stage.has_pixels() { self.four_integers(node)? } else { node };
            all.push(Output { location, node, span });
        }
        Ok(StageRoots { outputs: all, discarded, effects, reported })
    }

    /// Fills integers of an output from (0, 0, 0, 1). Engines fill numbers.
    fn four_integers(&mut self, node: NodeId) -> Result<NodeId> {
        let ty = self.type_of(node);
        let (Some(scalar), Some(width)) = (ty.scalar(), ty.width()) else { return Ok(node) };
        if !ty.is_integer() || width == 4 {
            return Ok(node);
        }
        let mut parts = self.scalars(&[node])?;
        for k in width..4 {
            parts.push(self.splat(Type::of(scalar, 1), u32::from(k == 3)));
        }
        self.construct(Type::of(scalar, 4), parts)
    }

    /// Completes the interface of an entry point.
    fn describe(&self, entry: &EntryPoint, used: &FxHashSet<u32>, interface: &mut Interface) {
        interface.entry_point = interface::EntryPoint::new(entry.name.clone(), self.stage);
        let all = self.module.entry_points.iter();
        let all = all.filter_map(|of| Some(interface::EntryPoint::new(of.name.clone(), of.stage?)));
        interface.entry_points = all.collect();
        interface.outputs.sort_by_key(|output| output.location);
        interface.unused = self.unused(used, entry);
        interface.samplers = self.samplers();
    }
}

impl Raiser<'_, '_> {
    /// Refuses a feature that the stage lacks.
    fn demand(&self, has: impl Fn(Stage) -> bool, what: &str) -> Result<()> {
        match has(self.stage) {
            true => Ok(()),
            false => Err(RaiseError::unsupported(format!("{what} in the {} stage", self.stage))),
        }
    }

    /// The condition under which a pixel is discarded: killed, or a helper at its end; `None` if it
    /// never is.
    fn discarded(&mut self, root: FlowId, outside: &Outside) -> Result<Option<NodeId>> {
        let is_killed = |leaf: &Leaf| leaf.target == Target::Kill && leaf.values.is_empty();
        let Some(slot) = outside.demoted else {
            return self.flow.is_reached(&mut self.graph, root, is_killed, Span::default());
        };
        let [yes, no] = [true, false].map(|is| self.graph.bool(is, Span::default()));
        let of = |_, leaf: &Leaf| {
            Some(vec![match leaf.target {
                Target::Kill if leaf.values.is_empty() => yes,
                Target::Kill => no,
                _ => leaf.memory.get(slot),
            }])
        };
        let all = self.flow.all_values(&mut self.graph, root, 1, of, Span::default())?;
        Ok(all.and_then(|all| all.first().copied()).filter(|&node| node != no))
    }

    /// The final states of the memories that an invocation changes.
    fn final_states(&mut self, root: FlowId) -> Result<Vec<Effect>> {
        let count = self.memories.count();
        if count == 0 {
            return Ok(Vec::new());
        }
        let of = |_, leaf: &Leaf| Some((0..count).map(|slot| leaf.memory.get(slot)).collect());
        let all = self.flow.all_values(&mut self.graph, root, count, of, Span::default())?;
        // Without a way out, the last states are unknown: OpUnreachable.
        Ok(all.map_or(Vec::new(), |all| self.effects(&all)))
    }

    /// The colours of all outputs of a pixel that is not discarded: the contents of their variables at
    /// the end.
    fn colours(
        &mut self,
        root: FlowId,
        outside: &Outside,
        options: &RaiseOptions,
    ) -> Result<Vec<NodeId>> {
        self.span = Span::default();
        let leaves = self.flow.leaves(root);
        let mut values: FxHashMap<FlowId, Vec<NodeId>> = FxHashMap::default();
        let mut kept = Vec::new();
        for &(_, slot) in &outside.outputs {
            // As many components as the output has.
            let ty = match leaves.first() {
                Some(&leaf) => self.type_of(self.flow.leaf(leaf).memory.get(slot)),
                None => Type::vec(4),
            };
            let width = ty.width().unwrap_or(4);
            let words = match self.pipeline {
                None => options.clear.map(f32::to_bits),
                Some(_) => [0; 4],
            };
            let ty = Type::of(ty.scalar().unwrap_or(Scalar::F32), width);
            kept.push(self.graph.constant(ty, &words[..usize::from(width)], self.span));
        }
        for &id in &leaves {
            let leaf = self.flow.leaf(id);
            let of = match leaf.target {
                Target::Kill if leaf.values.is_empty() => continue,
                // Make the colour depend on the values that do not terminate.
                Target::Kill => {
                    let all = kept.iter();
                    let after = |&of| self.graph.after(of, leaf.values.iter().copied(), self.span);
                    all.map(after).collect()
                }
                _ => outside.outputs.iter().map(|&(_, slot)| leaf.memory.get(slot)).collect(),
            };
            values.insert(id, of);
        }
        if values.is_empty() && !leaves.is_empty() {
            // All pixels are discarded.
            return Ok(kept);
        }
        let count = outside.outputs.len();
        let of = |id, _: &Leaf| values.get(&id).cloned();
        let all = self.flow.all_values(&mut self.graph, root, count, of, self.span)?;
        all.ok_or_else(|| RaiseError::unsupported("an entry point that never ends"))
    }
}

/// The entry point of that stage with the given name, or by default the only one or `main`.
fn entry_point<'m>(
    module: &'m Module<'_>,
    stage: Stage,
    name: Option<&str>,
) -> Result<&'m EntryPoint> {
    let is_of_stage = |of: &&EntryPoint| of.stage == Some(stage);
    let all: Vec<&EntryPoint> = module.entry_points.iter().filter(is_of_stage).collect();
    let names = || {
        let names = all.iter().map(|of| format!("`{}`", of.name));
        names.collect::<Vec<String>>().join(", ")
    };
    match (name, &all[..]) {
        (_, []) => {
            let stages = module.entry_points.iter().filter_map(|of| of.stage);
            let stages: Vec<String> = stages.map(stage_name).collect();
            let what = format!("the module has no {stage} entry point");
            Err(RaiseError::unsupported(match stages.is_empty() {
                true => what,
                false => format!("{what}, only {}", stages.join(", ")),
            }))
        }
        (Some(name), _) => {
            let found = all.iter().find(|of| of.name == name).copied();
            found.ok_or_else(|| {
                RaiseError::unsupported(format!("the module has no {stage} entry point `{name}`"))
                    .help(format!("it has {}", names()))
            })
        }
        (None, [only]) => Ok(only),
        (None, _) => {
            let main = all.iter().find(|of| of.name == "main").copied();
            main.ok_or_else(|| {
                RaiseError::unsupported(format!("the module has several {stage} entry points"))
                    .help(format!("name one of {}", names()))
            })
        }
    }
}

/// All ids that the functions use, and the outputs of the entry point.
fn used(
    module: &Module<'_>,
    entry: &EntryPoint,
    facts: &FxHashMap<u32, FunctionFacts>,
) -> FxHashSet<u32> {
    let functions = facts.keys().map(|id| &module.functions[id]);
    let blocks = functions.flat_map(|of| &of.blocks);
    let instructions = blocks.flat_map(|block| &block.instructions);
    let mut used: FxHashSet<u32> = instructions.flat_map(|of| of.uses()).copied().collect();
    let all = module.variables.iter().filter(|of| of.class == StorageClass::Output);
    let is_there = |id: &u32| matches!(*id, DEMOTED | REPORTED) || entry.variables.contains(id);
    used.extend(all.map(|of| of.id).filter(is_there));
    used
}

#[cfg(test)]
mod tests {
    use super::*;
    use lambdav_spirv::assemble::{SpirvVersion, assemble};

    /// A module with these instructions, and an input with that decoration.
    fn module(decoration: &str, instructions: &str) -> String {
        format!(
            "OpCapability Shader
            OpMemoryModel Logical GLSL450
            OpEntryPoint Fragment %main \"main\" %out %in
            OpExecutionMode %main OriginUpperLeft
            OpDecorate %out Location 0
            OpDecorate %in {decoration}
            %void = OpTypeVoid
            %main_type = OpTypeFunction %void
            %float = OpTypeFloat 32
            %vec4 = OpTypeVector %float 4
            %to_out = OpTypePointer Output %vec4
            %to_in = OpTypePointer Input %vec4
            %out = OpVariable %to_out Output
            %in = OpVariable %to_in Input
            %main = OpFunction %void None %main_type
            %start = OpLabel
            {instructions}
            OpFunctionEnd"
        )
    }

    /// Colours, `frag-coord`, discard and derivatives need the fragment stage; nothing else depends on
    /// the stage.
    #[test]
    fn three_things_depend_on_the_stage() {
        let raised = |text: &str, has_output: bool, stage| {
            let words = assemble(text, SpirvVersion::default()).expect("it is right");
            let mut module = Module::read(&words).expect("it is right");
            let (source, options) = (SourceFile::new("a.spv", ""), RaiseOptions::default());
            if !has_output {
                module.variables.retain(|of| of.class != StorageClass::Output);
            }
            let entry = &module.entry_points[0];
            let raised = raise_entry(&module, &source, &options, entry, stage);
            raised.map(|(_, interface)| interface.entry_point.stage).map_err(|error| error.message)
        };
        let load = "%x = OpLoad %vec4 %in";
        let (position, other) = ("BuiltIn FragCoord", "Location 1");
        let derivative = format!("{load}\n%d = OpDPdx %vec4 %x\nOpReturn");
        for (text, has_output, refused) in [
            (
                module(other, &format!("{load}\nOpStore %out %x\nOpReturn")),
                true,
                "outputs at locations",
            ),
            (module(position, &format!("{load}\nOpReturn")), false, "frag-coord"),
            (module(other, "OpKill"), false, "discard"),
            (module(other, &derivative), false, "OpDPdx: derivatives"),
        ] {
            assert_eq!(raised(&text, true, Stage::Fragment), Ok(Stage::Fragment));
            for (stage, name) in [(Stage::Vertex, "vertex"), (Stage::Compute, "compute")] {
                let message = raised(&text, has_output, stage).expect_err("it is refused");
                assert_eq!(message, format!("{refused} in the {name} stage"));
            }
        }
        let plain = module(other, &format!("{load}\nOpReturn"))
            .replace("OriginUpperLeft", "LocalSize 1 1 1");
        assert_eq!(raised(&plain, false, Stage::Compute), Ok(Stage::Compute));
    }
}
