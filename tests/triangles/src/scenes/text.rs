//! Scenes as programs in λV.

use super::family::{Comparison, Component, Limit, Output, Site, Source};
use super::{Attribute, Scalar, Scene, VaryingValues};
use crate::reference::{Blend, Cull, DepthTest, Front, Interpolation, Samples, State, Topology};
use std::fmt::Write as _;

impl Scene {
    /// The program. It reads [`Scene::attributes`] from a mesh with [`Scene::indices`] and from instances.
    pub fn lambda_v(&self) -> String {
        let mut text = String::new();
        for Attribute { name, scalar, components, per_instance, .. } in self.attributes() {
            let ty = type_name(scalar, components);
            let rate = if per_instance { " instance" } else { "" };
            _ = writeln!(text, "(attribute {name} {ty}{rate})");
        }
        self.stages(&mut text, "(vertex-index)");
        text
    }

    /// A program without attributes, which gives the same picture with `--vertices` of the number of indices
    /// and `--instances`: the mesh is written as arrays.
    pub fn lambda_v_with_arrays(&self) -> String {
        let mut text = String::new();
        let indices: Vec<String> = self.indices().iter().map(|index| format!("{index}i")).collect();
        let indices = indices.join(" ");
        _ = writeln!(text, "(define index (at (array {indices}) (vertex-index)))");
        for Attribute { name, scalar, components, per_instance, words } in self.attributes() {
            let place = if per_instance { "(instance-index)" } else { "index" };
            _ = write!(text, "(define {name} (at (array");
            for element in words.chunks(components) {
                _ = write!(text, " {}", literal(scalar, element));
            }
            _ = writeln!(text, ") {place}))");
        }
        self.stages(&mut text, "index");
        text
    }

    /// All forms after the attributes. `index` is the vertex's index.
    fn stages(&self, text: &mut String, index: &str) {
        if self.limit.is_some() {
            // 0 where x < bound; else it does not end.
            *text += "(define (spin x bound) ((rec-func (n) (if (less n bound) 0 (rec n))) x))\n";
        }
        let position = if self.offsets.is_some() { "(+ p offset)" } else { "p" };
        let limited = self.limited(Site::Position, position.into());
        _ = writeln!(text, "(position {limited})");
        for (k, varying) in self.varyings.iter().enumerate() {
            let value = match varying.values {
                VaryingValues::Attribute(_) => format!("v{k}"),
                VaryingValues::VertexIndex => index.into(),
                VaryingValues::InstanceIndex => "(instance-index)".into(),
            };
            let interpolation = match varying.interpolation {
                Interpolation::Perspective => "",
                Interpolation::Linear => " linear",
                Interpolation::Flat => " flat",
            };
            _ = writeln!(text, "(varying f{k} {value}{interpolation})");
        }
        let options = options(&self.state);
        if !options.is_empty() {
            _ = writeln!(text, "(state {})", options.join(" "));
        }
        if let Some(Comparison { component, bound }) = self.discard {
            let condition = format!("(less {} {})", self.component_text(component), number(bound));
            let condition = match self.spin(Site::Discard) {
                Some(spin) => format!("(and {condition} (eq {spin} 0))"),
                None => condition,
            };
            _ = writeln!(text, "(discard-if {condition})");
        }
        if let Some(depth) = self.depth {
            let depth = self.limited(Site::Depth, self.component_text(depth));
            _ = writeln!(text, "(depth {depth})");
        }
        for (k, &output) in self.outputs.iter().enumerate() {
            let output = self.limited(Site::Output(k), self.output_text(output));
            _ = writeln!(text, "(output {k} {output})");
        }
    }

    /// The expression, plus the loop of its site, which is 0 where it ends.
    fn limited(&self, site: Site, expression: String) -> String {
        match self.spin(site) {
            Some(spin) => format!("(+ {expression} {spin})"),
            None => expression,
        }
    }

    /// The loop of a site.
    fn spin(&self, site: Site) -> Option<String> {
        let Limit { condition: Comparison { component, bound }, .. } =
            self.limit.filter(|limit| limit.site == site)?;
        let component = match site {
            Site::Position => swizzle("p", component.index),
            Site::Discard | Site::Depth | Site::Output(_) => self.component_text(component),
        };
        Some(format!("(spin {component} {})", number(bound)))
    }

    fn source_text(&self, source: Source) -> String {
        match source {
            Source::Varying(k) if self.varyings[k].scalar == Scalar::Num => format!("f{k}"),
            Source::Varying(k) => format!("(num f{k})"),
            Source::FragCoord => "(frag-coord)".into(),
            Source::PrimitiveIndex => "(num (primitive-index))".into(),
            Source::Facing => "(if (front-facing) 1 -1)".into(),
        }
    }

    /// The number of components of a source.
    pub(super) fn components(&self, source: Source) -> usize {
        match source {
            Source::Varying(k) => self.varyings[k].components,
            Source::FragCoord => 4,
            Source::PrimitiveIndex | Source::Facing => 1,
        }
    }

    fn component_text(&self, Component { source, index }: Component) -> String {
        let text = self.source_text(source);
        if self.components(source) == 1 { text } else { swizzle(&text, index) }
    }

    fn output_text(&self, output: Output) -> String {
        match output {
            Output::Value(source) => self.source_text(source),
            Output::Dfdx(source) => format!("(dfdx {})", self.source_text(source)),
            Output::Dfdy(source) => format!("(dfdy {})", self.source_text(source)),
            Output::Fwidth(source) => format!("(fwidth {})", self.source_text(source)),
            Output::Grey(value, alpha) => {
                format!(
                    "(vec4 (vec3 {}) {})",
                    self.component_text(value),
                    self.component_text(alpha)
                )
            }
        }
    }
}

/// The options of a state that are not the language's defaults.
fn options(state: &State) -> Vec<String> {
    let default = State::default();
    let cull = match state.cull {
        Cull::None => "none",
        Cull::Back => "back",
        Cull::Front => "front",
    };
    let front = match state.front {
        Front::Ccw => "ccw",
        Front::Cw => "cw",
    };
    let depth = match state.depth {
        DepthTest::Never => "never",
        DepthTest::Less => "less",
        DepthTest::Equal => "equal",
        DepthTest::LessEq => "less-eq",
        DepthTest::Greater => "greater",
        DepthTest::Neq => "neq",
        DepthTest::GreaterEq => "greater-eq",
        DepthTest::Always => "always",
        DepthTest::Off => "off",
    };
    let depth_write = if state.depth_write { "on" } else { "off" };
    let blend = match state.blend {
        Blend::Off => "off",
        Blend::Over => "over",
        Blend::Add => "add",
        Blend::Multiply => "multiply",
    };
    let samples = match state.samples {
        Samples::One => "1",
        Samples::Four => "4",
    };
    let topology = match state.topology {
        Topology::Triangles => "triangles",
        Topology::Strip => "strip",
        Topology::Fan => "fan",
    };
    let clear = state.clear.map(number).join(" ");
    let is_clear_default = state.clear.map(f32::to_bits) == default.clear.map(f32::to_bits);
    [
        (state.cull == default.cull, format!("(cull {cull})")),
        (state.front == default.front, format!("(front {front})")),
        (state.depth == default.depth, format!("(depth {depth})")),
        (state.depth_write == default.depth_write, format!("(depth-write {depth_write})")),
        (state.blend == default.blend, format!("(blend {blend})")),
        (state.samples == default.samples, format!("(samples {samples})")),
        (is_clear_default, format!("(clear {clear})")),
        (state.topology == default.topology, format!("(topology {topology})")),
    ]
    .into_iter()
    .filter_map(|(is_default, option)| (!is_default).then_some(option))
    .collect()
}

fn swizzle(vector: &str, index: usize) -> String {
    format!("(.{} {vector})", ["x", "y", "z", "w"][index])
}

/// The name of a type.
fn type_name(scalar: Scalar, components: usize) -> String {
    match (scalar, components) {
        (Scalar::Num, 1) => "num".into(),
        (Scalar::Int, 1) => "int".into(),
        (Scalar::Uint, 1) => "uint".into(),
        (Scalar::Num, n) => format!("vec{n}"),
        (Scalar::Int, n) => format!("ivec{n}"),
        (Scalar::Uint, n) => format!("uvec{n}"),
    }
}

/// An element of an attribute.
fn literal(scalar: Scalar, words: &[u32]) -> String {
    let component = |word: &u32| match scalar {
        Scalar::Num => number(f32::from_bits(*word)),
        Scalar::Int => format!("{}i", *word as i32),
        Scalar::Uint => format!("{word}u"),
    };
    let components: Vec<String> = words.iter().map(component).collect();
    match &components[..] {
        [one] => one.clone(),
        all => format!("({} {})", type_name(scalar, all.len()), all.join(" ")),
    }
}

/// A number: a token if it is finite. The shortest digits that give it again.
fn number(x: f32) -> String {
    if x.is_finite() { format!("{x:?}") } else { format!("(from-bits {:#010x}u)", x.to_bits()) }
}

#[cfg(test)]
mod tests {
    use super::super::{Geometry, Varying};
    use super::*;

    fn scene() -> Scene {
        let component = |source, index| Component { source, index };
        Scene {
            width: 4,
            height: 3,
            state: State {
                cull: Cull::Back,
                depth: DepthTest::LessEq,
                samples: Samples::Four,
                clear: [0.5, -0.0, 1e-7, 3e38],
                topology: Topology::Strip,
                ..State::default()
            },
            geometry: Geometry::Soup,
            positions: vec![[0.0, -0.0, 1.0, 1.5], [f32::INFINITY, 1e20, 0.1, 1.0]],
            offsets: Some(vec![[0.25, 0.0, 0.0, 0.0]]),
            indices: Some(vec![1, 0, 1]),
            varyings: vec![
                Varying {
                    scalar: Scalar::Num,
                    components: 2,
                    interpolation: Interpolation::Linear,
                    values: VaryingValues::Attribute(vec![
                        vec![0x3f80_0000, 0x7fc0_0000],
                        vec![0, 0x3f00_0000],
                    ]),
                },
                Varying {
                    scalar: Scalar::Int,
                    components: 1,
                    interpolation: Interpolation::Flat,
                    values: VaryingValues::Attribute(vec![vec![u32::MAX], vec![7]]),
                },
                Varying {
                    scalar: Scalar::Int,
                    components: 1,
                    interpolation: Interpolation::Flat,
                    values: VaryingValues::VertexIndex,
                },
            ],
            discard: Some(Comparison { component: component(Source::Varying(0), 1), bound: 0.5 }),
            depth: Some(component(Source::FragCoord, 2)),
            outputs: vec![
                Output::Fwidth(Source::Varying(0)),
                Output::Grey(component(Source::Varying(1), 0), component(Source::Facing, 0)),
                Output::Value(Source::Varying(2)),
            ],
            limit: Some(Limit {
                site: Site::Discard,
                condition: Comparison { component: component(Source::FragCoord, 0), bound: 2.0 },
            }),
        }
    }

    const SPIN: &str = "(define (spin x bound) ((rec-func (n) (if (less n bound) 0 (rec n))) x))\n";

    const FRAGMENT: &str = "\
(state (cull back) (depth less-eq) (samples 4) (clear 0.5 -0.0 1e-7 3e38) (topology strip))
(discard-if (and (less (.y f0) 0.5) (eq (spin (.x (frag-coord)) 2.0) 0)))
(depth (.z (frag-coord)))
(output 0 (fwidth f0))
(output 1 (vec4 (vec3 (num f1)) (if (front-facing) 1 -1)))
(output 2 (num f2))
";

    #[test]
    fn programs_with_attributes() {
        let vertex = "\
(position (+ p offset))
(varying f0 v0 linear)
(varying f1 v1 flat)
(varying f2 (vertex-index) flat)
";
        let attributes = "\
(attribute p vec4)
(attribute offset vec4 instance)
(attribute v0 vec2)
(attribute v1 int)
";
        assert_eq!(scene().lambda_v(), format!("{attributes}{SPIN}{vertex}{FRAGMENT}"));
    }

    #[test]
    fn programs_with_arrays() {
        let vertex = "\
(position (+ p offset))
(varying f0 v0 linear)
(varying f1 v1 flat)
(varying f2 index flat)
";
        let arrays = "\
(define index (at (array 1i 0i 1i) (vertex-index)))
(define p (at (array (vec4 0.0 -0.0 1.0 1.5) (vec4 (from-bits 0x7f800000u) 1e20 0.1 1.0)) index))
(define offset (at (array (vec4 0.25 0.0 0.0 0.0)) (instance-index)))
(define v0 (at (array (vec2 1.0 (from-bits 0x7fc00000u)) (vec2 0.0 0.5)) index))
(define v1 (at (array -1i 7i) index))
";
        assert_eq!(scene().lambda_v_with_arrays(), format!("{arrays}{SPIN}{vertex}{FRAGMENT}"));
    }
}
