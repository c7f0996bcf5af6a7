//! Trials of samplers by engines.

pub(crate) mod twins;

use lambdav_core::float::canonical_bits;
use lambdav_engine::{Bindings, Engine, Options, Shader, ShaderOptions, Size, TextLanguage};
use lambdav_oracle::samplers::{GROUP, Trial};

/// Runs a compute shader in GLSL and returns the words of its buffer `Found`.
fn run(
    text: &str,
    options: ShaderOptions,
    engine: Engine,
    count: usize,
    bind: impl Fn(&mut Bindings),
) -> Vec<u32> {
    let options = options.compute().language(TextLanguage::Glsl);
    let shader = Shader::with_options("trial.comp", text, &options);
    let shader = shader.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let pipeline = shader.compute_pipeline(&Options::default().engine(engine)).expect("it is run");
    let mut bindings = pipeline.bindings();
    bind(&mut bindings);
    bindings.bind_zeros("Found", count as u32).expect("it is a buffer");
    pipeline.dispatch(&mut bindings, [count.div_ceil(GROUP) as u32, 1, 1]).expect("it ends");
    bindings.words("Found").expect("it is a buffer").to_vec()
}

/// The first invocation of a trial that finds other numbers than the oracle.
pub(crate) fn first_difference(trial: &Trial, engine: Engine) -> Option<String> {
    let text = trial.text();
    let mut options = ShaderOptions::default().sampler("t", trial.sampler);
    if trial.mipmaps {
        options = options.mipmaps("t");
    }
    let found = run(&text, options, engine, trial.places.len(), |bindings| {
        match trial.is_integer {
            true => bindings.bind_integers("t", trial.size(), &trial.integers()),
            false => bindings.bind_planes("t", trial.size(), &trial.texels()),
        }
        .expect("it is a texture");
        bindings.bind("Given", &trial.given()[..]).expect("it is a buffer");
    });
    found.chunks(4).enumerate().find_map(|(number, found)| {
        let wanted = trial.wanted(number);
        (found != wanted.map(canonical_bits)).then(|| {
            let found: Vec<f32> = found.iter().map(|&word| f32::from_bits(word)).collect();
            let (size, place) = (trial.size(), trial.places[number]);
            format!("{text}\n{size:?} {:?}\n{place:?}\n{found:?}, not {wanted:?}", trial.sampler)
        })
    })
}

/// The shader of [`wrong_element`].
const ELEMENTS: &str = "#version 450
layout(local_size_x = 64) in;
layout(binding = 0) uniform sampler2D t[3];
layout(binding = 2, std430) buffer Found { float found[]; };
void main() {
    int k = int(gl_GlobalInvocationID.x);
    found[k] = textureLod(t[k - 2], vec2(0.5), 0.0).x;
}
";

/// The first index from −2 to 5 by which an array of three textures gives another one than the nearest.
pub(crate) fn wrong_element(engine: Engine) -> Option<usize> {
    let found = run(ELEMENTS, ShaderOptions::default(), engine, GROUP, |bindings| {
        for k in 0..3 {
            let texel = [[k as f32, 0.0, 0.0, 0.0]];
            bindings.bind_planes(&format!("t[{k}]"), [1, 1, 1], &texel).expect("it is a texture");
        }
    });
    let wanted = [0.0, 0.0, 0.0, 1.0, 2.0, 2.0, 2.0, 2.0_f32];
    (0..8).find(|&k| found[k] != wanted[k].to_bits())
}

/// A fragment shader that samples by a projection (red, green) and by the quotients (blue, alpha): a colour, and a comparison.
const PROJECTIONS: &str = "
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"main\" %out %position
OpExecutionMode %main OriginUpperLeft
OpName %t \"t\"
OpName %d \"d\"
OpDecorate %out Location 0
OpDecorate %position BuiltIn FragCoord
OpDecorate %t DescriptorSet 0
OpDecorate %t Binding 1
OpDecorate %d DescriptorSet 0
OpDecorate %d Binding 2
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%v2 = OpTypeVector %float 2
%v3 = OpTypeVector %float 3
%v4 = OpTypeVector %float 4
%image = OpTypeImage %float 2D 0 0 0 1 Unknown
%depth = OpTypeImage %float 2D 1 0 0 1 Unknown
%sampled = OpTypeSampledImage %image
%shadow = OpTypeSampledImage %depth
%to_sampled = OpTypePointer UniformConstant %sampled
%to_shadow = OpTypePointer UniformConstant %shadow
%to_out = OpTypePointer Output %v4
%to_position = OpTypePointer Input %v4
%t = OpVariable %to_sampled UniformConstant
%d = OpVariable %to_shadow UniformConstant
%out = OpVariable %to_out Output
%position = OpVariable %to_position Input
%zero = OpConstant %float 0
%eighth = OpConstant %float 0.125
%reference = OpConstant %float 0.75
%main = OpFunction %void None %function
%begin = OpLabel
%at = OpLoad %v4 %position
%scaled = OpVectorTimesScalar %v4 %at %eighth
%u = OpCompositeExtract %float %scaled 0
%v = OpCompositeExtract %float %scaled 1
%q = OpFAdd %float %v %eighth
%place = OpCompositeConstruct %v3 %u %v %q
%u_by_q = OpFDiv %float %u %q
%v_by_q = OpFDiv %float %v %q
%reference_by_q = OpFDiv %float %reference %q
%quotient = OpCompositeConstruct %v2 %u_by_q %v_by_q
%of_t = OpLoad %sampled %t
%of_d = OpLoad %shadow %d
%a = OpImageSampleProjExplicitLod %v4 %of_t %place Lod %zero
%b = OpImageSampleProjDrefExplicitLod %float %of_d %place %reference Lod %zero
%c = OpImageSampleExplicitLod %v4 %of_t %quotient Lod %zero
%e = OpImageSampleDrefExplicitLod %float %of_d %quotient %reference_by_q Lod %zero
%red = OpCompositeExtract %float %a 0
%blue = OpCompositeExtract %float %c 0
%colour = OpCompositeConstruct %v4 %red %b %blue %e
OpStore %out %colour
OpReturn
OpFunctionEnd
";

/// The first of 64 pixels in which a projection samples another place or compares with another number than the quotients say.
pub(crate) fn wrong_projection(engine: Engine) -> Option<usize> {
    let shader = Shader::new("projections.spvasm", PROJECTIONS).expect("it is a module");
    let pipeline = shader.pipeline(&Options::default().engine(engine)).expect("it is drawn");
    let mut bindings = pipeline.bindings();
    let texels: Vec<[f32; 4]> = (0..16).map(|k| [k as f32 / 16.0; 4]).collect();
    bindings.bind_planes("t", [4, 4, 1], &texels).expect("it is a texture");
    bindings.bind_planes("d", [4, 4, 1], &texels).expect("it is a texture");
    let size = Size::new(8, 8).expect("within the limits");
    let frame = pipeline.render(&bindings, size).expect("it ends");
    frame.pixels().iter().position(|&[a, b, c, d]| [a, b] != [c, d])
}
