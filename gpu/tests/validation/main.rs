//! All calls satisfy the validation layers of Khronos.
//!
//! The layers are Debian's vulkan-validationlayers, which `.ci/install-tools` installs. Without them, or
//! without a device, the tests are skipped and report that.

mod dispatch;
mod triangles;

use lambdav_core::graph::Core;
use lambdav_core::inputs::Inputs;
use lambdav_core::op::{Elementary, Op};
use lambdav_core::resource::{Bound, BufferData};
use lambdav_core::schedule::schedule;
use lambdav_core::source::SourceFile;
use lambdav_core::texture::TextureData;
use lambdav_core::types::{Scalar, Type};
use lambdav_frontend::compile;
use lambdav_gpu::probe::apply;
use lambdav_gpu::{Complaints, Device, DeviceKind, Error, Job, PixelBits, Vulkan, forever};
use lambdav_spirv_backend::emit::{EmitOptions, Version, emit};
use lambdav_spirv_eval::Resources;
use lambdav_test_support::skipped;
use std::sync::Arc;

const PROGRAM: &str = "(texture levels mipmaps (wrap repeat) (filter linear))
    (texture plain)
    (buffer numbers vec3)
    (uniform gain num 2)
    (uniform turn mat3 (mat3 1))
    (define p (/ (.xy (frag-coord)) (resolution)))
    (define n (at numbers (int (.x (frag-coord)))))
    (state (clear 0.5 0.25 0 1))
    (discard-if (< (.x (frag-coord)) 2))
    (output 0 (+ (* gain (sample-level levels p 0.5)) (texel plain (int (.xy (frag-coord))))))
    (output 3 (* turn n (/ (+ 1 (time)) 3)))";

const SIZE: [u32; 2] = [13, 7];

fn device() -> Option<(Device, Complaints)> {
    match Vulkan::validated() {
        Ok(Some((vulkan, complaints))) => {
            let number = vulkan.devices().iter().position(|about| about.kind == DeviceKind::Cpu);
            let number = number.map(|number| number.to_string());
            Some((vulkan.open(number.as_deref()).expect("it can be opened"), complaints))
        }
        Ok(None) => {
            skipped("there are no validation layers; .ci/install-tools installs them");
            None
        }
        Err(Error::NoLoader | Error::NoDevice) => {
            skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn texture(side: u32, mipmaps: bool, first: f32) -> Arc<TextureData> {
    let texels = (0..side * side).map(|k| [first + k as f32, 1.0, 0.0, 1.0]);
    Arc::new(TextureData::new([side, side], texels, mipmaps).expect("it is small"))
}

fn inputs(core: &Core) -> Inputs {
    let words = (0..12).map(|k| (k as f32).to_bits()).collect();
    let buffer = BufferData::new(core.graph.types(), Type::vec(3), words);
    Inputs {
        resolution: SIZE.map(|side| side as f32),
        time: 0.5,
        uniforms: core.uniforms.iter().map(|uniform| uniform.default.clone()).collect(),
        resources: vec![
            Bound::Texture(texture(8, true, 0.0)),
            Bound::Texture(texture(16, false, 3.0)),
            Bound::Buffer(Arc::new(buffer.expect("it has elements"))),
        ],
        ..Inputs::default()
    }
}

/// Draws both outputs at once, twice, with another texture and time, and one of them alone.
fn draw(device: &Device, options: &EmitOptions) -> [Vec<PixelBits>; 2] {
    let source = SourceFile::new("a.lv", PROGRAM);
    let (core, diagnostics) = compile(&source);
    let core = core.unwrap_or_else(|| panic!("{diagnostics:?}"));
    let program = schedule(&core, &[0, 3]).expect("it is small");
    let module = emit(&program, Some(&source), options).expect("it is small");
    let types = core.uniforms.iter().map(|uniform| uniform.ty);
    let resources = Resources::new(&inputs(&core), &program.types, types);
    let all = Job::new(&module.words, &[0, 3], SIZE).with(&resources);
    let all = Job { clear: program.clear(), ..all };
    let mut prepared = device.prepare(&all, &forever).expect("it can be drawn");
    let read = |prepared: &mut lambdav_gpu::Prepared| -> Vec<PixelBits> {
        prepared.draw(&forever).expect("it draws");
        let read = [0, 3].map(|location| prepared.read(location, &forever));
        read.map(|pixels| pixels.expect("it was drawn")).into()
    };
    let first = read(&mut prepared);
    let mut later = resources.clone();
    later.set_time(3.0, 1.0);
    prepared.set_push_constants(later.push_constants()).expect("there is memory");
    prepared.set_texture(1, &texture(8, true, 9.0), &forever).expect("it is filled");
    let second = read(&mut prepared);

    let one = Job { outputs: &[3], only: Some([5, 2, 1, 1]), ..all };
    let mut prepared = device.prepare(&one, &forever).expect("it can be drawn");
    prepared.draw(&forever).expect("it draws");
    let alone = prepared.read(3, &forever).expect("it was drawn");
    let at = 2 * 13 + 5;
    assert_eq!(alone[at], first[1][at]);
    assert!(alone.iter().enumerate().all(|(k, pixel)| k == at || *pixel == program.clear()));
    [first, second]
}

#[test]
fn nothing_is_said_of_pictures() {
    let Some((device, complaints)) = device() else { return };
    let [first, second] = draw(&device, &EmitOptions::default());
    let clear = [0.5_f32, 0.25, 0.0, 1.0].map(f32::to_bits);
    assert_eq!([first[0][1], first[1][1]], [clear; 2], "the first columns are discarded");
    assert!(first[0][2] != second[0][2], "the texture is another");
    assert!(first[1][9] != second[1][9], "the time is another");
    let exact = device.exact(false, None);
    draw(&device, &exact);
    draw(&device, &EmitOptions { version: Version::MAX, ..EmitOptions::default() });
    drop(device);
    assert_eq!(complaints.all(), [""; 0]);
}

#[test]
fn nothing_is_said_of_operations() {
    let Some((device, complaints)) = device() else { return };
    let ask = |op, of: &[Scalar], operands: &[[u32; 3]]| {
        let options = EmitOptions::default();
        apply(&device, &options, op, of, operands, &forever).expect("it draws")
    };
    let bits = f32::to_bits;
    let floats = [Scalar::F32; 3];
    // More than one row of pixels, and more than one picture.
    let many: Vec<[u32; 3]> =
        (0..70_000).map(|k| [bits(k as f32), bits(2.0), bits(-1.0)]).collect();
    let sums = ask(Op::Add, &floats[..2], &many);
    assert_eq!(sums.len(), many.len());
    let wrong = (0..many.len()).find(|k| sums[*k] != bits(*k as f32 + 2.0));
    assert_eq!(wrong, None);
    let one = [bits(-2.5), bits(4.0), bits(0.5)];
    assert_eq!(ask(Op::Fma, &floats, &[one]), [bits(-9.5)]);
    assert_eq!(ask(Op::Less, &floats[..2], &[one]), [1]);
    assert_eq!(ask(Op::Convert(Scalar::I32), &floats[..1], &[one]), [-2_i32 as u32]);
    assert_eq!(ask(Op::Convert(Scalar::F32), &[Scalar::Bool], &[[1, 0, 0]]), [bits(1.0)]);
    assert_eq!(ask(Op::Bits, &floats[..1], &[one]), [one[0]]);
    assert_eq!(
        ask(Op::Elementary(Elementary::Pow), &floats[..2], &[[one[1], one[2], 0]]),
        [bits(2.0)]
    );
    drop(device);
    assert_eq!(complaints.all(), [""; 0]);
}

/// A module that draws white.
fn white() -> Vec<u32> {
    let source = SourceFile::new("a.lv", "(vec4 1)");
    let core = compile(&source).0.expect("it is right");
    let program = schedule(&core, &[0]).expect("it is small");
    emit(&program, None, &EmitOptions::default()).expect("it is small").words
}

/// A job beyond the limits of a device is refused before any call.
#[test]
fn limits_are_errors() {
    let Some((device, complaints)) = device() else { return };
    let words = white();
    let job = Job::new(&words, &[0], SIZE);
    let refused = |job: &Job<'_>, what: &str| match device.prepare(job, &forever) {
        Err(Error::Limit { what: said, .. }) => assert_eq!(said, what),
        other => panic!("{other:?}"),
    };
    refused(&Job { size: [1 << 20, 1], ..job }, "pixels in a row");
    refused(&Job { size: [1, 1 << 20], ..job }, "rows of pixels");
    refused(&Job { outputs: &[0, device.most_outputs()], ..job }, "locations of outputs");
    refused(&Job { uniforms: &vec![0; 1 << 28], ..job }, "bytes of uniforms");
    let error = device.prepare(&Job { words: &[1, 2, 3], ..job }, &forever);
    assert!(matches!(error, Err(Error::Module(_))), "{error:?}");
    drop(device);
    assert_eq!(complaints.all(), [""; 0]);
}

/// The layers report a mistake: a module declares 16-bit floats, which are not enabled.
#[test]
fn complaints_arrive() {
    let Some((device, complaints)) = device() else { return };
    let mut words = white();
    // OpCapability Float16, before all others.
    words.splice(5..5, [2 << 16 | 17, 9]);
    let job = Job::new(&words, &[0], SIZE);
    // The result is the driver's business.
    drop(device.prepare(&job, &forever));
    let said = complaints.all();
    assert!(said.iter().any(|text| text.contains("Float16")), "{said:?}");
}
