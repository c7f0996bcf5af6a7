//! Instrumented modules on a device: its buffer says what the engines report. So does a picture of the engine `gpu`.
//!
//! Without a device the tests are skipped with a message.

use lambdav_core::inputs::Inputs;
use lambdav_engine::engines::GpuMode;
use lambdav_engine::stages::EmitOptions;
use lambdav_engine::{Drawn, Engine, Frame, Options, RenderOptions, Shader, Size, Unit};
use lambdav_gpu::{Device, Job, forever};
use lambdav_gpu_tests::open;
use lambdav_spirv::inspect::inspect;
use lambdav_spirv_eval::Resources;
use lambdav_test_support::skipped;
use std::fs;
use std::path::Path;

const SIZE: [u32; 2] = [61, 37];

/// Programs with several sites: in loops, in arms, in functions, and with discarded pixels.
const PROGRAMS: [(&str, &str); 4] = [
    (
        "loops.lv",
        "(define p (.xy (frag-coord)))
(define (safe d) (if (= d 0) 0 (/ 1 d)))
(output 0 (if (< (.x p) 30)
  (vec3 (sqrt (- (.y p) 20)) (safe (- (.x p) 3.5)) 0)
  (vec3 (/ 1 (floor (- (.x p) 40.5))) (rec-func ((i 0) (s 0)) (if (< i 9) (rec (+ i 1) (+ s (log (- i (.y p))))) s)) 1)))
",
    ),
    (
        "integers.frag",
        "#version 450
layout(location = 0) out vec4 colour;
int quotient(int a, int b) { return a / b; }
void main() {
  ivec2 p = ivec2(gl_FragCoord.xy);
  float sum = 0.0;
  for (int i = 0; i < p.y % 7; i++) sum += float(quotient(i, p.x - i)) + float(1 << (p.x + i));
  float a[4] = float[4](1.0, 2.0, 3.0, 4.0);
  if (p.x > 50) discard;
  colour = vec4(a[p.x / 10], p.x == 7 ? 0.0 : float(1 / (p.x - 7)), sum, 1.0);
}
",
    ),
    (
        "functions.wgsl",
        "fn f(x: f32) -> f32 { if (x < 4.0) { return asin(x); } return pow(x - 9.0, 0.5); }
@fragment fn main(@builtin(position) p: vec4f) -> @location(0) vec4f {
  return vec4f(f(p.x), f(p.y), clamp(0.5, p.x, p.y), 1.0);
}
",
    ),
    ("none.lv", "(output 0 (/ (.x (frag-coord)) (.x (resolution))))"),
];

fn device() -> Option<Device> {
    let device = open().expect("Vulkan works, if it is there");
    if device.is_none() {
        skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    }
    device
}

/// The picture and its report by an engine.
fn drawn(shader: &Shader, engine: Engine) -> (Drawn, Frame) {
    let options = Options::default().engine(engine).report_undefined(true);
    let pipeline = shader.pipeline(&options).expect("it is compiled");
    let size = Size::new(SIZE[0], SIZE[1]).expect("it is small");
    let mut frame = Frame::zeros(size).expect("it is small");
    let bindings = pipeline.bindings();
    let drawn = pipeline.render_with(&bindings, &mut frame, &RenderOptions::default());
    (drawn.expect("it is drawn"), frame)
}

/// The lines of a report as places, operations and conditions, with their words in a buffer, in order.
fn words(drawn: &Drawn) -> Vec<(String, [u32; 2])> {
    let line = |of: &lambdav_engine::Undefined| {
        let Some(Unit::Pixel([x, y])) = of.first else { panic!("{of} is of no pixel") };
        let (file, line, column) = &of.place;
        let text = format!("{file}:{line}:{column}: {}: {}", of.operation, of.condition);
        (text, [y << 16 | x, of.units as u32])
    };
    let mut all: Vec<_> = drawn.undefined.iter().map(line).collect();
    all.sort();
    all
}

/// The report of an instrumented module on a device.
fn by_module(device: &Device, shader: &Shader, options: &EmitOptions) -> Vec<(String, [u32; 2])> {
    let module = shader.instrumented_spirv(&shader.outputs()[..1], options);
    let module = module.expect("it is emitted").words;
    let interface = inspect(&module).expect("it is a module");
    if interface.sites.is_empty() {
        return Vec::new();
    }
    let is_buffer = |of: &&lambdav_spirv::inspect::Resource| of.name == "sites";
    let binding = interface.resources.iter().find(is_buffer).and_then(|of| of.binding);
    let core = shader.core();
    let defaults = core.uniforms.iter().map(|uniform| uniform.default.clone());
    let resolution = SIZE.map(|of| of as f32);
    let inputs = Inputs { resolution, uniforms: defaults.collect(), ..Inputs::default() };
    let types = core.uniforms.iter().map(|uniform| uniform.ty);
    let resources = Resources::new(&inputs, core.graph.types(), types);
    let zeros = [u32::MAX, 0].repeat(interface.sites.len());
    let location = shader.outputs()[0];
    let outputs = [location];
    let job = Job::new(&module, &outputs, SIZE).with(&resources);
    let job = Job { changed: Some((binding.expect("it is bound"), &zeros)), ..job };
    let mut prepared = device.prepare(&job, &forever).expect("it is prepared");
    prepared.draw(&forever).expect("it is drawn");
    let found = prepared.read_changed().expect("it is read");
    let sites = interface.sites.iter().zip(found.as_chunks::<2>().0);
    let met = sites.filter(|(_, [_, count])| *count > 0);
    let mut all: Vec<_> = met.map(|(site, words)| (site.text.clone(), *words)).collect();
    all.sort();
    all
}

/// Programs of the gallery that cover the screen and need no data.
fn gallery() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders");
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("the gallery is there") {
        let path = entry.expect("it is read").path();
        if path.extension().is_some_and(|ending| ending == "lv") {
            let text = fs::read_to_string(&path).expect("it is a text");
            found.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), text));
        }
    }
    found.sort();
    found
}

/// Exact modules report what the processor reports; so does the engine `gpu`.
#[test]
fn devices_report_what_the_processor_reports() {
    let Some(device) = device() else { return };
    let own = PROGRAMS.map(|(name, text)| (name.to_owned(), text.to_owned()));
    let (mut compared, mut lines) = (0, 0);
    for (name, text) in own.into_iter().chain(gallery()) {
        let Ok(shader) = Shader::new(&name, &text) else { continue };
        let core = shader.core();
        let has_data = !core.graph.types().resources().is_empty();
        if has_data || core.triangles.is_some() || core.passes.is_some() {
            continue;
        }
        let (report, picture) = drawn(&shader, Engine::Fast);
        let expected = words(&report);
        let exact = GpuMode::Exact.emit_options(&device, None);
        assert_eq!(by_module(&device, &shader, &exact), expected, "{name}");
        if compared < PROGRAMS.len() {
            let engine = Engine::Gpu(device.clone(), GpuMode::Exact);
            let (of_device, frame) = drawn(&shader, engine);
            assert_eq!(of_device.undefined, report.undefined, "{name}");
            assert_eq!(of_device.undefined_pixels, report.undefined_pixels, "{name}");
            let bits = |frame: &Frame| -> Vec<u32> {
                frame.samples().iter().map(|sample| sample.to_bits()).collect()
            };
            assert_eq!(bits(&frame), bits(&picture), "{name}");
        }
        compared += 1;
        lines += expected.len();
    }
    println!("{compared} programs, {lines} lines");
    assert!(compared > 8 && lines > 9, "{compared} programs, {lines} lines");
}
