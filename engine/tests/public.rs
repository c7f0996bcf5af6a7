//! Tests of the public API, as an embedder uses it.

use lambdav_engine::interface::{Binding, EntryPoint, Input, Stage};
use lambdav_engine::{
    Bindings, DataRef, Engine, Error, Frame, Image, Options, Pipeline, RenderOptions, Shader,
    ShaderOptions, Size, Target, UniformError, save,
};
use std::num::NonZeroUsize;
use std::time::Duration;

fn size() -> Size {
    Size::new(4, 2).expect("within the limits")
}

fn shader(text: &str) -> Shader {
    Shader::new("test.lv", text).expect("it is right")
}

fn pipeline(text: &str) -> Pipeline {
    shader(text).pipeline(&Options::default()).expect("it is small")
}

fn pixel(pipeline: &Pipeline, bindings: &Bindings, x: u32, y: u32) -> [f32; 4] {
    let frame = pipeline.render(bindings, size()).expect("nothing is in the way");
    frame.pixel(x, y).expect("it is inside")
}

#[test]
fn text_becomes_a_picture() {
    let text = "(uniform tint vec3 (vec3 1)) (output 3 tint) (output 1 (time))";
    let shader = shader(text);
    assert!(shader.warnings().is_none());
    assert_eq!(shader.outputs(), [1, 3]);
    let first = shader.pipeline(&Options::default()).expect("it is small");
    assert_eq!(first.output(), 1);
    let mut bindings = shader.bindings();
    bindings.time(0.5).set("tint", [1.0, 0.5, 0.0]).expect("a vec3");
    assert_eq!(pixel(&first, &bindings, 3, 1), [0.5, 0.0, 0.0, 1.0]);
    let third = shader.pipeline(&Options::default().output(3)).expect("it has one");
    let two = NonZeroUsize::new(2).expect("not zero");
    let pool = lambdav_workers::thread_pool(two).expect("threads can be started");
    let mut frame = pool.install(|| third.render(&bindings, size())).expect("it ends");
    assert_eq!(frame.pixel(0, 0), Some([1.0, 0.5, 0.0, 1.0]));
    // Pictures drawn one after another into the same memory.
    let before = frame.samples().as_ptr();
    bindings.set("tint", [0.0; 3]).expect("a vec3");
    third.render_into(&bindings, &mut frame).expect("nothing is in the way");
    assert_eq!(frame.samples().as_ptr(), before);
    assert_eq!(frame.pixel(3, 1), Some([0.0, 0.0, 0.0, 1.0]));
}

/// One pipeline draws all sizes, with images of all sizes, and is shared by threads.
#[test]
fn a_pipeline_is_compiled_once() {
    let text = "(texture photo (wrap repeat)) (uniform k num 1)
        (+ (* k (sample photo (/ (.xy (frag-coord)) 3))) (vec4 (num (texture-size photo)) (resolution)))";
    for engine in [Engine::Fast, Engine::Simd, Engine::Core, Engine::Source, Engine::Spirv] {
        let options = Options::default().engine(engine);
        let pipeline = shader(text).pipeline(&options).expect("it is small");
        let draw = |side: u32| {
            let photo = Frame::from_fn(Size::new(side, 2 * side).expect("small"), |x, y| {
                [x as f32, y as f32, 0.25, 1.0]
            });
            let mut bindings = pipeline.bindings();
            bindings.set("k", side as f32).expect("a num").bind("photo", &photo).expect("an image");
            let size = Size::new(side + 3, side).expect("small");
            pipeline.render(&bindings, size).expect("it is bound")
        };
        let alone: Vec<Frame> = (1..9).map(draw).collect();
        std::thread::scope(|scope| {
            let threads: Vec<_> = (1..9).map(|side| scope.spawn(move || draw(side))).collect();
            for (thread, alone) in threads.into_iter().zip(&alone) {
                let frame = thread.join().expect("it does not panic");
                assert_eq!(frame.samples(), alone.samples());
            }
        });
        // The texels at 2.5 and 1.5 widths and heights lie at (2, 4.5) of 5x10.
        assert_eq!(alone[4].pixel(7, 4), Some([15.0, 32.5, 9.25, 10.0]));
    }
}

/// Rows of a target begin a stride apart; memory between them is unchanged.
#[test]
fn memory_of_the_caller() {
    let pipeline = pipeline("(vec4 (/ (.xy (frag-coord)) 4) 0.5 1)");
    let bindings = pipeline.bindings();
    let exact = pipeline.render(&bindings, size()).expect("it ends");
    let (stride, rest) = (4 * 4 + 3, 7.0);
    let mut floats = vec![rest; 2 * stride];
    let target = Target::rgba32f(&mut floats, size(), stride).expect("it fits");
    pipeline.render_into(&bindings, target).expect("it ends");
    for (row, samples) in floats.chunks(stride).enumerate() {
        assert_eq!(samples[..16], exact.samples()[16 * row..][..16]);
        assert_eq!(samples[16..], [rest; 3]);
    }
    // The last row needs no padding after it.
    let mut bytes = vec![9_u8; stride + 16];
    let target = Target::rgba8(&mut bytes, size(), stride).expect("it fits");
    pipeline.render_into(&bindings, target.srgb()).expect("it ends");
    assert_eq!(bytes[16..stride], [9; 3]);
    assert_eq!(bytes[stride..][..4], [99, 165, 188, 255]);
    let mut words = vec![0_u16; 32];
    let target = Target::rgba16(&mut words, size(), 16).expect("it fits");
    pipeline.render_into(&bindings, target).expect("it ends");
    assert_eq!(words[16..20], [8192, 24576, 32768, 65535]);
    let mut image = Image::<u8>::zeros(size()).expect("it is small");
    pipeline.render_into(&bindings, &mut image).expect("it ends");
    assert_eq!(image.pixel(0, 1), Some([32, 96, 128, 255]));

    for (length, stride) in [(31, 16), (32, 15), (0, 16), (100, usize::MAX)] {
        let mut short = vec![0; length];
        let error = Target::rgba8(&mut short, size(), stride).expect_err("it does not fit");
        assert!(error.to_string().contains("do not hold a picture of 4x2"), "{error}");
    }
}

/// `TimedOut` reports the given timeout.
#[test]
fn time_is_limited() {
    let endless = "((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (time))";
    let options = Options::default().max_iterations(u64::MAX);
    let pipeline = shader(endless).pipeline(&options).expect("it is small");
    let bindings = pipeline.bindings();
    for timeout in [Duration::ZERO, Duration::from_nanos(1), Duration::from_millis(20)] {
        let mut frame = Frame::zeros(size()).expect("it is small");
        let how = RenderOptions { timeout: Some(timeout), ..RenderOptions::default() };
        match pipeline.render_with(&bindings, &mut frame, &how).expect_err("it does not end") {
            Error::TimedOut { work: "rendering", timeout: told } => assert_eq!(told, timeout),
            other => panic!("{other}"),
        }
    }
    let options = Options::default().timeout(Duration::ZERO);
    match shader(endless).pipeline(&options).expect_err("there is no time") {
        Error::TimedOut { work: "compiling", timeout: Duration::ZERO } => {}
        other => panic!("{other}"),
    }
}

/// The first pixel, with default uniforms.
fn drawn_of(shader: &Shader) -> [f32; 4] {
    let pipeline = shader.pipeline(&Options::default()).expect("it is small");
    pixel(&pipeline, &pipeline.bindings(), 0, 0)
}

#[test]
fn constants_are_fixed_by_the_shader() {
    let text = "(constant flat bool true) (constant k num 2) (uniform u num 3)
        (@ (if flat (* k u) (vec2 k u)))";
    let drawn = |shader: &Shader| {
        let general = shader.pipeline(&Options::default()).expect("it is small");
        let mut bindings = shader.bindings();
        bindings.set("u", 5.0).expect("a num");
        let special = shader.pipeline(&Options::default().specialise(&bindings));
        let special = special.expect("it is small");
        let drawn = pixel(&general, &bindings, 0, 0);
        assert_eq!(pixel(&special, &bindings, 0, 0), drawn);
        // It keeps the values that it was compiled for.
        bindings.set("u", 6.0).expect("a num");
        assert_eq!(pixel(&special, &bindings, 0, 0), drawn);
        drawn
    };
    let shader = shader(text);
    assert_eq!(drawn(&shader), [10.0, 0.0, 0.0, 1.0]);
    let other = shader.with_constant("flat", false).expect("a bool");
    let other = other.with_constant("k", 7.0).expect("a num");
    assert_eq!(drawn(&other), [7.0, 5.0, 0.0, 1.0]);
    let options = ShaderOptions::default().constant("flat", false).constant("k", 7.0);
    let again = Shader::with_options("test.lv", text, &options).expect("it is right");
    assert_eq!(drawn(&again), [7.0, 5.0, 0.0, 1.0]);
    let words: Vec<u32> = other.constants().iter().map(|c| c.default[0]).collect();
    assert_eq!(words, [0, 7f32.to_bits()]);

    let mut bindings = shader.bindings();
    let message = bindings.set("flat", false).expect_err("a constant").to_string();
    assert!(message.contains("`flat` is a constant"), "{message}");
    assert!(message.contains("Shader::with_constant"), "{message}");
    let error = bindings.set("flt", false).expect_err("no such name");
    assert!(error.to_string().contains("did you mean `flat`?"), "{error}");
    let error = shader.with_constant("flat", 1.0).expect_err("a bool");
    assert!(error.to_string().starts_with("constant `flat`: it is a bool"), "{error}");
    let options = ShaderOptions::default().constant("flt", 1.0);
    let error = Shader::with_options("test.lv", text, &options).expect_err("no such name");
    assert!(matches!(error, Error::Uniform(UniformError::Unknown { .. })), "{error}");
    let parts = "(struct Light (power num) (n int)) (constant light Light (Light 1 2i))
        (vec2 (.power light) (num (.n light)))";
    let options = ShaderOptions::default().constant("light.power", 0.5);
    let lit = Shader::with_options("test.lv", parts, &options).expect("it is right");
    assert_eq!(drawn_of(&lit), [0.5, 2.0, 0.0, 1.0]);
    // Bindings belong to a program.
    let pipeline = shader.pipeline(&Options::default()).expect("it is small");
    let error = pipeline.render(&other.bindings(), size()).expect_err("another program");
    assert!(matches!(error, Error::Foreign { .. }), "{error}");
}

/// A texture from a picture, and texels of the caller.
#[test]
fn textures_are_images_or_texels() {
    let text = "(texture last) (+ 1 (texel last (int (.xy (frag-coord)))))";
    let shader = shader(text);
    assert_eq!(*shader.resources()[0].name, *"last");
    let pipeline = shader.pipeline(&Options::default()).expect("it is small");
    let mut bindings = pipeline.bindings();
    assert_eq!(bindings.unbound(), Some("last"));
    let error = pipeline.render(&bindings, size()).expect_err("nothing is bound");
    assert!(error.to_string().starts_with("error[LV0507]: the texture `last`"), "{error}");
    bindings.bind_texels("last", [1, 1], &[[0.0, 1.0, 2.0, 3.0]]).expect("one of one");
    assert_eq!(bindings.unbound(), None);
    let mut frame = pipeline.render(&bindings, size()).expect("it is bound");
    for _ in 0..3 {
        bindings.bind("last", &frame).expect("it is a frame");
        frame = pipeline.render(&bindings, size()).expect("it is bound");
    }
    assert_eq!(frame.pixel(3, 1), Some([4.0, 5.0, 6.0, 7.0]));
    let error = bindings.bind("lost", &frame).expect_err("no such name");
    assert!(error.to_string().contains("did you mean `last`?"), "{error}");
    let error = bindings.bind_texels("last", [2, 1], &[[0.0; 4]]).expect_err("one of two");
    assert!(error.to_string().contains("another number of texels than 1"), "{error}");
    let error = bindings.bind_texels("last", [0, 0], &[]).expect_err("no texels");
    assert!(error.to_string().contains("0x0 has no texels"), "{error}");
    let error = bindings.bind("last", DataRef::Bytes(&[])).expect_err("bytes");
    assert_eq!(error.to_string(), "`last` is a texture, which takes an image");
}

/// Images of the crate `image`.
#[cfg(feature = "image")]
#[test]
fn buffers_of_images_are_textures() {
    let pipeline = pipeline("(texture picture) (texel picture (int (.xy (frag-coord))))");
    let buffer =
        image::RgbaImage::from_fn(4, 3, |x, y| image::Rgba([51 * x as u8, y as u8, 0, 255]));
    let picture = Image::try_from(&buffer).expect("it is small");
    let mut bindings = pipeline.bindings();
    bindings.bind("picture", &picture).expect("it is an image");
    assert_eq!(pixel(&pipeline, &bindings, 2, 1), [0.4, 1.0 / 255.0, 0.0, 1.0]);
}

/// Binds files to textures, buffers and blocks.
#[test]
fn files_are_bound() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name);
    let pipeline = pipeline(
        "(texture photo) (buffer heights num) (+ (texel photo (ivec2 0i)) (at heights 1i))",
    );
    let frame = Frame::from_fn(size(), |_, _| [0.25, 0.5, 0.75, 1.0]);
    save(path("photo.npy"), &frame).expect("it is written");
    std::fs::write(path("heights.json"), "[1, 2]").expect("it is written");
    let mut bindings = pipeline.bindings();
    bindings.bind_file("photo", path("photo.npy")).expect("it is an image");
    bindings.bind_file("heights", path("heights.json")).expect("it is a list");
    assert_eq!(pixel(&pipeline, &bindings, 0, 0), [2.25, 2.5, 2.75, 3.0]);
    let error = bindings.bind_file("heights", path("none.json")).expect_err("no file");
    assert!(matches!(error, Error::Open { .. }), "{error}");
    let error = bindings.bind_file("photo", path("heights.json")).expect_err("no image");
    assert!(matches!(error, Error::Load(_)), "{error}");
    let error = bindings.bind_file("lost", path("heights.json")).expect_err("no name");
    assert!(matches!(error, Error::Bind(_)), "{error}");
}

/// Text that Rust prints for a `main` that returns an error.
#[test]
fn errors_say_what_and_where() {
    let error = Shader::new("wrong.lv", "(vec3 (sin x) 1)").expect_err("x is not bound");
    let text = format!("{:?}", Error::from(error));
    assert!(text.starts_with("error[LV0301]: `x` is not bound\n --> wrong.lv:1:12"), "{text}");

    let endless = shader("((rec-func (n) (if (< n 0) n (rec (+ n 1)))) (time))");
    let pipeline = endless.pipeline(&Options::default().max_iterations(100)).expect("small");
    let error = pipeline.render(&pipeline.bindings(), size()).expect_err("no end");
    assert!(error.to_string().contains("the first such pixel in scan order is (0, 0)"));
    let error = endless.pipeline(&Options::default().output(2)).expect_err("it has one at 0");
    assert_eq!(error.to_string(), "the program has no output 2; it has 0");
    let error = endless.pipeline(&Options::default().target("pdp-11")).expect_err("no such");
    assert!(error.to_string().starts_with("`pdp-11` is none of baseline, "), "{error}");

    let frame = Frame::zeros(size()).expect("it is small");
    let error = save("no/such/folder/a.png", &frame).expect_err("no folder");
    let text = format!("{error:?}");
    assert!(text.starts_with("cannot write `no/such/folder/a.png`: "), "{text}");
}

/// An array too large for machine code, indexed by a variable.
#[test]
fn large_computed_arrays_are_drawn_by_the_evaluator() {
    let text = "(uniform gain num) (uniform n int 0i)
         (define t (tabulate 16385 (func (i) (* gain (+ (num i) (.y (frag-coord)))))))
         (at t (+ n (int (.x (frag-coord)))))";
    let shader = shader(text);
    let error = shader.pipeline(&Options::default().engine(Engine::Simd)).expect_err("too large");
    assert!(error.to_string().starts_with("error[LV0506]"), "{error}");
    let pipeline = shader.pipeline(&Options::default()).expect("it is evaluated");
    assert!(pipeline.code().is_none() && pipeline.exceeded_limit().is_some());
    let mut bindings = pipeline.bindings();
    bindings.set_all(r#"{"n": 16381, "gain": 2}"#).expect("it has these");
    assert_eq!(pixel(&pipeline, &bindings, 0, 0), [32763.0, 0.0, 0.0, 1.0]);
    assert_eq!(pixel(&pipeline, &bindings, 3, 1), [32771.0, 0.0, 0.0, 1.0]);
}

/// Loops that nest too deeply for machine code.
#[test]
fn deep_nests_are_drawn_by_the_evaluator() {
    let mut text = "(time)".to_owned();
    for _ in 0..230 {
        text = format!("((rec-func (n s) (if (< n 1) (rec (+ n 1) {text}) s)) (time) 1)");
    }
    let pipeline = pipeline(&text);
    assert!(pipeline.exceeded_limit().is_some_and(|why| why.contains("deep")));
    assert_eq!(pixel(&pipeline, &pipeline.bindings(), 3, 1), [0.0, 0.0, 0.0, 1.0]);
    let error = shader(&text).pipeline(&Options::default().engine(Engine::Simd));
    let error = error.expect_err("it is too deep");
    assert!(matches!(error, Error::Code { is_limit: true, .. }), "{error}");
}

/// Interface of a program in λV: it has the numbers of LANGUAGE §5, which bind data, too.
#[test]
fn interfaces_of_shaders() {
    let text = "(uniform tint vec3 (vec3 1)) (uniform flip bool)
        (texture photo) (buffer heights num)
        (output 2 (* tint (.x (texel photo (ivec2 0i 0i)))))
        (output 0 (if flip (at heights 0) (+ (time) (.x (frag-coord)))))";
    let shader = shader(text);
    let interface = shader.interface();
    assert_eq!(interface.entry_point, EntryPoint::new("main", Stage::Fragment));
    assert!(interface.entry_points.is_empty() && interface.locations.is_empty());
    assert_eq!(interface.inputs, [Input::FragCoord, Input::Time]);
    let outputs = interface.outputs.iter();
    let outputs: Vec<_> = outputs.map(|of| (of.location, shader.type_name(of.ty))).collect();
    assert_eq!(outputs, [(0, "num".to_owned()), (2, "vec3".to_owned())]);
    let members = interface.uniforms();
    let members: Vec<_> = members
        .map(|(block, index, of)| (block.binding, index, &*of.name, of.placement.first()))
        .collect();
    let at = |binding| Binding::Descriptor { set: 0, binding };
    assert_eq!(members, [(at(0), 0, "tint", 0), (at(0), 1, "flip", 12)]);
    let resources: Vec<_> = interface.resources.iter().map(|of| (&*of.name, of.binding)).collect();
    assert_eq!(resources, [("photo", at(1)), ("heights", at(2))]);
    assert_eq!(interface.resource(at(2)), Some(1));
    let own = interface.blocks.iter().find(|block| block.binding == Binding::PushConstants);
    assert_eq!(own.map(|block| block.members.len()), Some(4));
    // Data by set and number.
    let mut bindings = shader.bindings();
    let photo = Frame::from_fn(Size::new(1, 1).expect("small"), |_, _| [0.5; 4]);
    bindings.bind("0.1", &photo).expect("a texture").bind("heights", &[7.0_f32][..]).expect("nums");
    let words = [1.0_f32.to_bits(), 2.0_f32.to_bits(), 3.0_f32.to_bits(), 8];
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    bindings.bind("0.0", DataRef::Bytes(&bytes)).expect("the block");
    for engine in [Engine::Fast, Engine::Core, Engine::Source, Engine::Spirv] {
        let draw = |location, bindings: &Bindings| {
            let options = Options::default().engine(engine.clone()).output(location);
            pixel(&shader.pipeline(&options).expect("it is small"), bindings, 1, 0)
        };
        assert_eq!(draw(2, &bindings), [0.5, 1.0, 1.5, 1.0]);
        assert_eq!(draw(0, &bindings), [7.0, 0.0, 0.0, 1.0]);
        let mut other = bindings.clone();
        other.set_text("0.0.flip", "false").expect("a bool");
        other.set_text("0.0", r#"{"tint": [4, 4, 4]}"#).expect("a block");
        assert_eq!(draw(0, other.clone().time(0.25)), [1.75, 0.0, 0.0, 1.0]);
        assert_eq!(draw(2, &other), [2.0, 2.0, 2.0, 1.0]);
    }
    let error = bindings.bind("0.0", DataRef::Bytes(&bytes[..12])).expect_err("short");
    assert!(error.to_string().contains("12 bytes, and `flip` of the block 0.0 ends"), "{error}");
    assert!(bindings.bind("0.3", &photo).is_err());
}

/// Modules: entry points, sources of inputs, clear colours, blocks, and parts that are inputs of λV by
/// name.
#[cfg(feature = "foreign")]
mod modules {
    use super::*;
    use lambdav_engine::interface::LocationSource;
    use lambdav_engine::{LocationInput, LocationUse};

    const TEXT: &str = "
        struct Parameters { gain: f32, time: f32, size: vec2f }
        @group(0) @binding(2) var<uniform> parameters: Parameters;
        @fragment fn red(@location(0) uv: vec2f, @location(3) k: f32) -> @location(0) vec4f {
            if (uv.x > 0.5) { discard; }
            return vec4f(uv, k, parameters.gain);
        }
        @fragment fn timed() -> @location(0) vec4f {
            return vec4f(parameters.time, parameters.size, parameters.gain);
        }";

    fn open(entry: &str) -> Shader {
        let options = ShaderOptions::default()
            .entry_point(entry)
            .input(0, LocationInput::Uv)
            .clear([0.25; 4]);
        Shader::with_options("module.wgsl", TEXT, &options).expect("it is right")
    }

    #[test]
    fn entry_points_and_inputs() {
        let red = open("red");
        assert_eq!(red.entry_points(), ["red", "timed"]);
        assert_eq!(red.location(0), Some(LocationUse::Source));
        assert_eq!(red.location(3), Some(LocationUse::Value));
        assert_eq!(red.location(1), None);
        for engine in [Engine::Fast, Engine::Core, Engine::Spirv] {
            let pipeline = red.pipeline(&Options::default().engine(engine)).expect("small");
            let mut bindings = pipeline.bindings();
            assert_eq!(bindings.unset(9), ["gain", "k"]);
            bindings.set("input.3", 0.5).expect("a num").set("0.2.gain", 2.0).expect("a num");
            assert!(bindings.unset(9).is_empty());
            assert_eq!(pixel(&pipeline, &bindings, 0, 1), [0.125, 0.75, 0.5, 2.0]);
            assert_eq!(pixel(&pipeline, &bindings, 3, 1), [0.25; 4]);
        }
        let error = Shader::new("module.wgsl", TEXT).expect_err("it has two");
        assert!(error.to_string().contains("red"), "{error}");
    }

    /// Sets, numbers and names are the author's.
    #[test]
    fn interfaces_of_modules() {
        let text = "
            struct Parameters { gain: f32, tint: vec3f }
            @group(1) @binding(2) var<uniform> parameters: Parameters;
            @group(0) @binding(5) var photo: texture_2d<f32>;
            @group(3) @binding(1) var<storage, read> heights: array<f32>;
            struct Out { @location(0) colour: vec4f, @location(1) height: f32 }
            @vertex fn corner() -> @builtin(position) vec4f { return vec4f(); }
            @compute @workgroup_size(1) fn work() {}
            @fragment fn shade(
                @builtin(position) at: vec4f, @location(3) uv: vec2f, @location(4) k: f32,
            ) -> Out {
                let texel = textureLoad(photo, vec2i(uv), 0) * parameters.gain;
                return Out(texel * at.x, heights[0] + k + parameters.tint.y);
            }";
        let options = ShaderOptions::default().input(3, LocationInput::Uv);
        let shader = Shader::with_options("module.wgsl", text, &options).expect("it is right");
        let interface = shader.interface();
        assert_eq!(interface.entry_point, EntryPoint::new("shade", Stage::Fragment));
        let all = [("corner", Stage::Vertex), ("work", Stage::Compute), ("shade", Stage::Fragment)];
        assert_eq!(interface.entry_points, all.map(|(name, stage)| EntryPoint::new(name, stage)));
        assert_eq!(shader.entry_points(), ["shade"]);
        // Sources of location inputs are computed from these two.
        assert_eq!(interface.inputs, [Input::FragCoord, Input::Resolution]);
        let locations: Vec<_> = interface
            .locations
            .iter()
            .map(|of| (of.location, &*of.name, shader.type_name(of.ty), of.source))
            .collect();
        let k = shader.uniforms().iter().position(|of| of.name == "k").expect("a uniform");
        let [vec2, num] = ["vec2", "num"].map(str::to_owned);
        let uv = (3, "uv", vec2, Ok(LocationSource::Uv));
        assert_eq!(locations, [uv, (4, "k", num, Err(k))]);
        let outputs: Vec<_> = interface
            .outputs
            .iter()
            .map(|of| (of.location, &*of.name, shader.type_name(of.ty)))
            .collect();
        let [vec4, num] = ["vec4", "num"].map(str::to_owned);
        assert_eq!(outputs, [(0, "colour", vec4), (1, "height", num)]);
        let at = |set, binding| Binding::Descriptor { set, binding };
        let resources = interface.resources.iter();
        let resources: Vec<_> = resources.map(|of| (&*of.name, of.binding)).collect();
        assert_eq!(resources, [("photo", at(0, 5)), ("heights", at(3, 1))]);
        let members: Vec<_> = interface
            .uniforms()
            .map(|(block, _, of)| (block.binding, &*block.name, &*of.name, of.placement.first()))
            .collect();
        let block = (at(1, 2), "parameters");
        assert_eq!(members, [(block.0, block.1, "gain", 0), (block.0, block.1, "tint", 16)]);
    }

    /// Another value of an override keeps the entry point, the imports and the values given before.
    #[test]
    fn overrides_have_other_values() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |name: &str, text: &str| {
            std::fs::write(folder.path().join(name), text).expect("it can be written");
        };
        write("scale.wgsl", "override scale = 2.0; fn scaled(x: f32) -> f32 { return x * scale; }");
        write(
            "main.wgsl",
            "import package::scale::scaled;
            override base = 3.0; override sum = base + 1.0; override most: f32 = 9.0;
            @fragment fn other() -> @location(0) vec4f { return vec4f(); }
            @fragment fn main() -> @location(0) vec4f {
                return vec4f(scaled(sum), base, most, 1.0);
            }",
        );
        let options = ShaderOptions::default().entry_point("main").constant("most", 8.0);
        let shader = Shader::open_with(folder.path().join("main.wgsl"), &options);
        let shader = shader.expect("it is right");
        let drawn = |shader: &Shader| {
            let pipeline = shader.pipeline(&Options::default()).expect("it is small");
            pixel(&pipeline, &shader.bindings(), 0, 0)
        };
        assert_eq!(drawn(&shader), [8.0, 3.0, 8.0, 1.0]);
        let other = shader.with_constant("base", 5.0).expect("a number");
        assert_eq!(drawn(&other), [12.0, 5.0, 8.0, 1.0]);
        let other = other.with_constant("scale", 10.0).expect("a number");
        assert_eq!(drawn(&other), [60.0, 5.0, 8.0, 1.0]);
        assert_eq!(drawn(&shader), [8.0, 3.0, 8.0, 1.0]);
        shader.with_constant("base", true).expect_err("a number");
    }

    /// Members named `time` and `size` are inputs until they are set, in all engines and when
    /// specialised.
    #[test]
    fn members_are_inputs_by_their_names() {
        let timed = open("timed");
        for engine in [Engine::Fast, Engine::Core, Engine::Spirv] {
            let options = Options::default().engine(engine);
            let mut bindings = timed.bindings();
            bindings.set("gain", 3.0).expect("a num").time(7.0);
            let special = options.clone().specialise(&bindings);
            for options in [options, special] {
                let pipeline = timed.pipeline(&options).expect("it is small");
                assert_eq!(pixel(&pipeline, &bindings, 0, 0), [7.0, 4.0, 2.0, 3.0]);
                let mut later = bindings.clone();
                later.time(8.0);
                assert_eq!(pixel(&pipeline, &later, 0, 0), [8.0, 4.0, 2.0, 3.0]);
            }
            let paths: Vec<&str> = bindings.reached().into_iter().map(|(path, _)| path).collect();
            assert_eq!(paths, ["time", "size"]);
            // The bytes of the block.
            let pipeline = timed.pipeline(&Options::default()).expect("it is small");
            let bytes: Vec<u8> =
                [1.0_f32, 2.0, 3.0, 4.0].iter().flat_map(|x| x.to_le_bytes()).collect();
            bindings.bind("0.2", DataRef::Bytes(&bytes)).expect("it is long enough");
            assert!(bindings.reached().is_empty());
            assert_eq!(pixel(&pipeline, &bindings, 0, 0), [2.0, 3.0, 4.0, 1.0]);
            let error = bindings.bind("0.2", DataRef::Bytes(&bytes[..12])).expect_err("short");
            assert!(
                error.to_string().contains("12 bytes, and `size` of the block 0.2 ends at byte 16"),
                "{error}"
            );
        }
    }
}

/// Pipelines can be sent to and shared between threads.
#[test]
fn pipelines_are_shared() {
    fn anywhere<T: Send + Sync + Clone + 'static>() {}
    anywhere::<Pipeline>();
    anywhere::<Bindings>();
    anywhere::<Shader>();
}

/// Drawing several outputs together gives the same bits as drawing each alone, on all engines, in
/// targets of different formats.
#[test]
fn outputs_are_drawn_at_once() {
    let text = "(uniform k num 0.25) (define p (/ (.xy (frag-coord)) (resolution)))
        (output 3 (vec3 p k)) (output 1 (* k (dfdx (* (.x p) (.x p))))) (output 2 p)
        (discard-if (< (.x p) 0.2))";
    let shader = shader(text);
    for engine in [Engine::Fast, Engine::Simd, Engine::Core, Engine::Source, Engine::Spirv] {
        let options = Options::default().engine(engine);
        let both = shader.pipeline(&options.clone().outputs([1, 3])).expect("it has both");
        assert_eq!((both.outputs(), both.output()), (&[3, 1][..], 3));
        let mut bindings = shader.bindings();
        bindings.set("k", 0.5).expect("a num");
        let found = both.render_outputs(&bindings, size()).expect("nothing is in the way");
        let alone = [3, 1].map(|location| {
            let pipeline = shader.pipeline(&options.clone().output(location)).expect("it has it");
            pipeline.render(&bindings, size()).expect("nothing is in the way")
        });
        let samples = |frames: &[Frame]| -> Vec<Vec<f32>> {
            frames.iter().map(|frame| frame.samples().to_vec()).collect()
        };
        assert_eq!(samples(&found), samples(&alone));
        assert_ne!(found[0].samples(), found[1].samples());

        let (width, height) = (size().width() as usize, size().height() as usize);
        let mut bytes = vec![7_u8; 4 * width * height];
        let mut floats = vec![7.0_f32; (4 * width + 3) * height];
        let targets = vec![
            Target::rgba32f(&mut floats, size(), 4 * width + 3).expect("it fits"),
            Target::rgba8(&mut bytes, size(), 4 * width).expect("it fits"),
        ];
        both.render_outputs_with(&bindings, targets, &RenderOptions::default()).expect("it fits");
        let rows: Vec<f32> =
            floats.chunks(4 * width + 3).flat_map(|row| &row[..4 * width]).copied().collect();
        assert_eq!(rows, alone[0].samples());
        let quantised = alone[1].samples().iter().map(|c| (c * 255.0).round() as u8);
        assert_eq!(bytes, quantised.collect::<Vec<_>>());

        // One target for two outputs, and targets of two sizes.
        let Err(Error::Mismatch(why)) = both.render(&bindings, size()) else {
            panic!("there are two outputs")
        };
        assert_eq!(why, "the pipeline draws 2 outputs at once, and there are 1 targets");
        let other = Size::new(1, 1).expect("small");
        let mut frames = [size(), other].map(|size| Frame::zeros(size).expect("it is small"));
        let targets = frames.iter_mut().map(Target::from).collect();
        let wrong = both.render_outputs_with(&bindings, targets, &RenderOptions::default());
        assert!(matches!(wrong, Err(Error::Mismatch(_))), "{wrong:?}");
    }
    let absent = shader.pipeline(&Options::default().outputs([1, 4])).expect_err("there is no 4");
    assert!(matches!(absent, Error::Output { location: 4, .. }));
}
