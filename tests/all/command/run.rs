//! `lambdav run`: compute programs on buffers.
#![cfg(feature = "foreign")]

use super::harness::TestFolder;
use std::path::Path;

/// The engines.
const ENGINES: [&str; 3] = ["simd", "core", "spirv"];

/// A folder with the compute shaders of the gallery.
fn gallery() -> TestFolder {
    let place = TestFolder::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("shaders/compute");
    for entry in std::fs::read_dir(folder).expect("the gallery has compute shaders") {
        let path = entry.expect("it is listed").path();
        let name = path.file_name().expect("a file").to_str().expect("ASCII").to_owned();
        place.write(&name, std::fs::read(&path).expect("it can be read"));
    }
    place
}

/// A JSON list.
fn list<T: ToString>(values: impl IntoIterator<Item = T>) -> String {
    let values: Vec<String> = values.into_iter().map(|value| value.to_string()).collect();
    format!("[{}]", values.join(", "))
}

/// What a buffer holds afterwards, as JSON: the same by all engines.
#[track_caller]
fn saved(place: &TestFolder, line: &str, buffer: &str) -> String {
    saved_by(&ENGINES, place, line, buffer)
}

/// What a result holds after the passes of a shader, as JSON: the same by all engines.
#[track_caller]
fn result(place: &TestFolder, line: &str, result: &str) -> String {
    saved_by(&["simd", "core", "spirv", "source"], place, line, result)
}

#[track_caller]
fn saved_by(engines: &[&str], place: &TestFolder, line: &str, buffer: &str) -> String {
    let mut found: Option<String> = None;
    for engine in engines {
        let outcome =
            place.run_line(&format!("run {line} --save {buffer}=out.json --engine {engine}"));
        assert_eq!(outcome.status, 0, "{engine}: {}", outcome.err);
        let text = String::from_utf8(place.read("out.json")).expect("JSON is text");
        match &found {
            None => found = Some(text),
            Some(first) => assert_eq!(*first, text, "{engine}"),
        }
    }
    found.expect("an engine runs it").trim_end().to_owned()
}

#[test]
fn the_gallery_computes_what_it_says() {
    let place = gallery();
    // Values with 24 bits: their bins are exact.
    let values: Vec<f64> = (0..1000_u64).map(|k| (k * 7919 % 4096) as f64 / 4096.0).collect();
    place.write("values.json", list(&values));
    let mut bins = [0; 16];
    values.iter().for_each(|value| bins[((value.min(0.999)) * 16.0) as usize] += 1);
    let line = "histogram.wgsl --groups 16 --bind values=values.json";
    let wanted = format!("{{\"total\": 1000, \"bins\": {}}}", list(bins));
    assert_eq!(saved(&place, line, "histogram"), wanted);
    let line = "histogram.lv --bind values=values.json";
    assert_eq!(result(&place, line, "bins"), list(bins));
    assert_eq!(result(&place, line, "total"), "[1000]");

    let values: Vec<u64> = (0..512).map(|k| k * k % 10).collect();
    place.write("values.json", list(&values));
    let line =
        "prefix-sum.wgsl --groups 2 --bind values=values.json --zeros sums=512 --zeros totals=2";
    let sums = values.chunks(256).flat_map(|block| {
        block.iter().scan(0, |sum, value| {
            *sum += value;
            Some(*sum)
        })
    });
    let sums: Vec<u64> = sums.collect();
    assert_eq!(saved(&place, line, "sums"), list(&sums));
    assert_eq!(saved(&place, line, "totals"), list([sums[255], sums[511]]));
    let line = "prefix-sum.lv --bind values=values.json";
    assert_eq!(result(&place, line, "sums"), list(&sums));
    assert_eq!(result(&place, line, "totals"), list([sums[255], sums[511]]));

    let matrix: Vec<u32> = (0..256).map(|k| k * k % 11).collect();
    place.write("m.json", list(&matrix));
    let line =
        "matrix-product.wgsl --groups 2,2 --bind a=m.json --bind b=m.json --zeros product=256";
    let product = (0..256).map(|at| {
        let (row, column) = (at / 16, at % 16);
        let terms = (0..16).map(|k| matrix[row * 16 + k] * matrix[k * 16 + column]);
        format!("{}.0", terms.sum::<u32>())
    });
    let product = list(product);
    assert_eq!(saved(&place, line, "product"), product);
    let line = "matrix-product.lv --bind a=m.json --bind b=m.json";
    assert_eq!(result(&place, line, "product"), product);

    place.write(
        "particles.json",
        r#"[{"position": [1, 4, 0], "velocity": [2, 0, 0]}, {"position": [0, 1, 0], "bounces": 5}]"#,
    );
    let line = "particles.wgsl --groups 1 --bind particles=particles.json --set step=0.5";
    let first = (0.0_f32 + -9.81 * 0.5, 4.0_f32 + (-9.81 * 0.5) * 0.5);
    let second = (-4.905_f32 * -0.5, -(1.0_f32 + -4.905 * 0.5));
    let wanted = format!(
        "[{{\"position\": [2.0, {:?}, 0.0], \"age\": 0.5, \"velocity\": [2.0, {:?}, 0.0], \"bounces\": 0}}, \
         {{\"position\": [0.0, {:?}, 0.0], \"age\": 0.5, \"velocity\": [0.0, {:?}, 0.0], \"bounces\": 6}}]",
        first.1, first.0, second.1, second.0
    );
    assert_eq!(saved(&place, line, "particles"), wanted);
    let line = "particles.lv --bind before=particles.json --set step=0.5";
    assert_eq!(result(&place, line, "particles"), wanted);

    // Two boids attract each other, and a third one is too far away to be seen.
    let boids = r#"[{"position": [0, 0]}, {"position": [0.25, 0]}, {"position": [9, 9], "velocity": [0, 0.125]}]"#;
    place.write("boids.json", boids);
    let line = "boids.wgsl --groups 1 --bind before=boids.json --zeros after=3 --set STEP=1";
    let found = saved(&place, line, "after");
    // The speed is at least 0.05.
    let wanted = r#"[{"position": [0.05, 0.0], "velocity": [0.05, 0.0]}, {"position": [0.2, 0.0], "velocity": [-0.05, 0.0]}, {"position": [9.0, 9.125], "velocity": [0.0, 0.125]}]"#;
    assert_eq!(found, wanted);
    let line = "boids.lv --bind before=boids.json --set STEP=1";
    assert_eq!(result(&place, line, "after"), wanted);
}

/// Passes have the results of compute shaders, bit for bit, on numbers whose sums are rounded.
#[test]
fn passes_and_compute_shaders_agree() {
    let place = gallery();
    let mut state = 1_u64;
    let mut number = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (state >> 40) as f64 / f64::from(1 << 24) - 0.5
    };
    let mut vector = |n: usize| list((0..n).map(|_| number()));
    let boid = |_| format!("{{\"position\": {}, \"velocity\": {}}}", vector(2), vector(2));
    place.write("boids.json", list((0..70).map(boid)));
    let wgsl = "boids.wgsl --groups 2 --bind before=boids.json --zeros after=70";
    let lambda_v = "boids.lv --bind before=boids.json";
    assert_eq!(saved(&place, wgsl, "after"), result(&place, lambda_v, "after"));

    let particle = |k: u32| {
        let (position, velocity) = (vector(3), vector(3));
        format!(
            "{{\"position\": {position}, \"velocity\": {velocity}, \"age\": {k}, \"bounces\": {k}}}"
        )
    };
    place.write("particles.json", list((0..70).map(particle)));
    let wgsl = "particles.wgsl --groups 2 --bind particles=particles.json --set step=0.07";
    let lambda_v = "particles.lv --bind before=particles.json --set step=0.07";
    assert_eq!(saved(&place, wgsl, "particles"), result(&place, lambda_v, "particles"));

    for name in ["a", "b"] {
        place.write(&format!("{name}.json"), vector(256));
    }
    let binds = "--bind a=a.json --bind b=b.json";
    let wgsl = format!("matrix-product.wgsl --groups 2,2 {binds} --zeros product=256");
    let lambda_v = format!("matrix-product.lv {binds}");
    assert_eq!(saved(&place, &wgsl, "product"), result(&place, &lambda_v, "product"));
}

/// The entry points of the module of a shader have the results of its passes, by all engines that run modules.
#[test]
fn entry_points_of_passes() {
    let place = gallery();
    let values: Vec<f64> = (0..500_u64).map(|k| (k * 7919 % 4096) as f64 / 4096.0).collect();
    place.write("values.json", list(&values));
    let matrix: Vec<u32> = (0..256).map(|k| k * k % 11).collect();
    place.write("m.json", list(&matrix));
    for name in ["histogram", "matrix-product"] {
        place.run_line(&format!("compile {name}.lv -o {name}.spv")).done();
    }
    let wanted = result(&place, "histogram.lv --bind values=values.json", "bins");
    let product = result(&place, "matrix-product.lv --bind a=m.json --bind b=m.json", "product");
    for engine in ENGINES {
        let run = ["run", "histogram.spv", "--entry", "count-values", "--groups", "8"];
        let zeros = ["--zeros", "bins after=16", "--zeros", "total after=1"];
        let rest = ["--bind", "values=values.json", "--save", "bins after=-", "--engine", engine];
        let outcome = place.run(&[&run[..], &zeros, &rest].concat()).done();
        assert_eq!(outcome.text().trim_end(), wanted, "{engine}");
        let run = ["run", "matrix-product.spv", "--entry", "multiply", "--groups", "2,2"];
        let binds = ["--bind", "a=m.json", "--bind", "b=m.json", "--zeros", "product after=256"];
        let rest = ["--save", "product after=-", "--engine", engine];
        let outcome = place.run(&[&run[..], &binds, &rest].concat()).done();
        // The module writes the bits of numbers.
        let bits: Vec<u32> = outcome
            .text()
            .trim_matches(['[', ']', '\n'])
            .split(", ")
            .map(|word| word.parse().expect("a word"))
            .collect();
        let numbers = bits.into_iter().map(|bits| format!("{:?}", f32::from_bits(bits)));
        assert_eq!(list(numbers), product, "{engine}");
    }
    let text = "(result r num 4) (pass p (size 4) (scatter r (- 3i (id)) 1))";
    place.write("order.lv", text);
    let outcome = place.run_line("compile order.lv -o order.spv");
    assert!(outcome.status == 1 && outcome.err.contains("LV0512"), "{}", outcome.err);
    place.write("order.lv", text.replace(") 1))", ") 1 unique))"));
    place.run_line("compile order.lv -o order.spv").done();
}

/// Files of results, and pictures after passes.
#[test]
fn results_of_passes() {
    let text = "(buffer values num) (uniform bins int 4i)
(result histogram uint 4) (result kept vec3 3) (result none num 2)
(pass count-values (size (count values))
  (define v (at values (id)))
  (combine histogram (int (* (num bins) v)) 1u add)
  (append kept (vec3 v (num (id)) 0) (when (> v 0.5))))
(output 0 (num (at histogram (int (.x (frag-coord))))))
(output 1 (num (count kept)))
";
    let place = TestFolder::with([("a.lv", text), ("v.json", "[0.1, 0.9, 0.3, 0.6, 2]")]);
    let bound = "a.lv --bind values=v.json";
    place
        .run_line(&format!(
            "run {bound} --save kept=kept.npy --save none=none.json --save histogram=h.bin"
        ))
        .done();
    let rows = place.read("kept.npy");
    assert!(String::from_utf8_lossy(&rows).contains("'shape': (3, 3)"));
    assert_eq!(place.read("none.json"), b"[0.0, 0.0]\n");
    let words: Vec<u8> = [1_u32, 1, 1, 1].into_iter().flat_map(u32::to_le_bytes).collect();
    assert_eq!(place.read("h.bin"), words);
    let again = format!("run {bound} --save kept=- --set bins=2i");
    assert_eq!(
        place.run_line(&again).done().text(),
        "[[0.9, 1.0, 0.0], [0.6, 3.0, 0.0], [2.0, 4.0, 0.0]]\n"
    );
    for engine in ["simd", "core", "spirv", "source"] {
        let line = format!("render {bound} out.npy --size 4x1 --engine {engine}");
        place.run_line(&line).done();
        let picture = place.read("out.npy");
        let floats: Vec<f32> = picture[picture.len() - 64..]
            .chunks_exact(4)
            .map(|bytes| f32::from_le_bytes(bytes.try_into().expect("four")))
            .collect();
        assert_eq!(floats.iter().step_by(4).copied().collect::<Vec<_>>(), [1.0; 4], "{engine}");
    }
    // Each frame begins with zeros.
    place.run_line(&format!("render {bound} o-%d.npy --size 1x1 --frames 0..3 --output 1")).done();
    assert_eq!(place.read("o-0.npy"), place.read("o-2.npy"));
    // Vertices read results, too.
    let text = "(result corners vec2 3)
(pass p (size 3) (scatter corners (id) (at (array (vec2 -1 -1) (vec2 3 -1) (vec2 -1 3)) (id))))
(position (vec4 (at corners (vertex-index)) 0.5 1))
(output 0 (vec4 (.x (at corners 1))))
";
    place.write("triangle.lv", text);
    for engine in ["simd", "core", "spirv", "source"] {
        let line = format!("render triangle.lv t.npy --vertices 3 --size 2x2 --engine {engine}");
        place.run_line(&line).done();
        let picture = place.read("t.npy");
        let bytes = picture[picture.len() - 64..].chunks_exact(4);
        assert!(bytes.into_iter().all(|bytes| bytes == 3.0_f32.to_le_bytes()), "{engine}");
    }
    place.run_line("compile triangle.lv -o triangle.spv").done();
    // From its core text, too.
    place.run_line("compile a.lv --emit core -o a.core").done();
    let line = "run a.core --bind values=v.json --save histogram=-";
    assert_eq!(place.run_line(line).done().text(), "[1, 1, 1, 1]\n");
}

/// The faults of passes, by all engines.
#[test]
fn faults_of_passes() {
    let endless = "(result r num 1)
(pass p (size 3 2) (combine r 0 ((rec-func (n) (if (= (.x (id)) 1i) (rec n) (if (> n 9) n (rec (+ n 1))))) 0) max))";
    let place = TestFolder::with([
        ("twice.lv", "(result r num 4) (pass p (size 2 3) (scatter r (.y (id)) 1 unique))"),
        ("many.lv", "(uniform n uint) (result r num 4) (pass p (size n n) (scatter r 0 1))"),
        ("endless.lv", endless),
        ("unbound.lv", "(buffer b num) (result r num (count b)) (pass p (size 1) (scatter r 0 1))"),
        ("picture.lv", "(vec3 1)"),
        ("bound.json", "[1]"),
    ]);
    for engine in ["simd", "core", "spirv", "source"] {
        for (line, messages) in [
            (
                "twice.lv",
                &["LV0511", "the id (1, 0) writes element 0 of `r` again", "the id (0, 0)"][..],
            ),
            ("many.lv --set n=65536u", &["LV0510", "65536 x 65536 ids"]),
            (
                "endless.lv --max-iterations 100",
                &["LV0504", "the first such id of the pass `p` is (1, 0)"],
            ),
            ("unbound.lv", &["LV0507", "`b`"]),
        ] {
            let outcome = place.run_line(&format!("run {line} --save r=r.json --engine {engine}"));
            assert_eq!(outcome.status, 1, "{line}: {}", outcome.err);
            for message in messages {
                assert!(outcome.err.contains(message), "{engine} {line}: {}", outcome.err);
            }
            assert!(!place.path("r.json").exists(), "{line}");
        }
    }
    for (line, status, message) in [
        ("run twice.lv --groups 1", 2, "say how many ids they have"),
        ("run picture.lv", 2, "is no compute program and has no passes"),
        ("run twice.lv --bind r=bound.json", 1, "`r` is a result"),
        ("run unbound.lv --bind b=bound.json --save s=-", 2, "writes no buffer `s`; it has `r`"),
        ("render twice.lv out.png", 1, "LV0202"),
        ("render twice.lv out.png --output all", 1, "LV0202"),
        ("render twice.lv out.png --output 1", 1, "LV0202"),
    ] {
        let outcome = place.run_line(line);
        assert_eq!(outcome.status, status, "{line}: {}", outcome.err);
        assert!(outcome.err.contains(message), "{line}: {}", outcome.err);
    }
}

/// Results have goldens, like buffers of compute shaders.
#[test]
fn results_have_goldens() {
    let text = "; test: one --bind values=v.json --save sums
; test: two --bind values=v.json --set by=2 --save sums
(buffer values num) (uniform by num 1) (result sums num 2)
(pass p (size (count values)) (combine sums 0 (* by (at values (id))) max))
";
    let place = TestFolder::with([("a.lv", text), ("v.json", "[0.5, 4]")]);
    place.run_line("test . --bless").done();
    let golden = String::from_utf8(place.read("a.two.json")).expect("it is text");
    assert!(golden.ends_with("\"value\": [8.0, 0.0]}\n"), "{golden}");
    for engine in ["simd", "core", "spirv", "source"] {
        let text = place.run_line(&format!("test . --engine {engine}")).done().text().to_owned();
        assert!(text.starts_with("2 tests: 2 passed"), "{text}");
    }
    place.write("v.json", "[0.5, 3]");
    let failed = place.run_line("test .");
    let what = "the buffer differs, first at [0]: expected 4.0, got 3.0";
    assert!(failed.status == 1 && failed.text().contains(what), "{}", failed.text());
    for (words, message) in [
        ("--groups 1 --save sums", "passes say how many ids they have"),
        ("--save values", "the program writes no buffer `values`"),
    ] {
        let text = text
            .replace("--bind values=v.json --save sums", &format!("{words} --bind values=v.json"));
        place.write("a.lv", text);
        let outcome = place.run_line("test .");
        assert!(outcome.status != 0 && outcome.text().contains(message), "{}", outcome.text());
    }
}

/// A buffer goes through each form of file unchanged.
#[test]
fn forms_of_buffers() {
    let text = "struct S { head: vec2u, @align(16) all: array<vec3f> }
@group(0) @binding(0) var<storage, read_write> s: S;
@group(0) @binding(1) var<storage, read_write> rows: array<vec3f>;
@group(1) @binding(4) var<storage, read_write> ints: array<i32, 3>;
@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) {
    s.head.y = arrayLength(&s.all);
    rows[id.x] += s.all[0];
    ints[id.x] -= 7;
}
";
    let place = TestFolder::with([
        ("a.wgsl", text),
        ("s.json", r#"{"all": [[1, 2, 3], [4, 5, 6]], "head": [9, 0]}"#),
        ("rows.json", "[[10, 20, 30], [40, 50, 60]]"),
    ]);
    let line = "run a.wgsl --groups 1 --bind s=s.json --bind rows=rows.json --save s=s.bin --save rows=rows.npy \
                --save 1.4=ints.json";
    place.run_line(line).done();
    let words = [9, 2, 0, 0]
        .into_iter()
        .chain([1.0_f32, 2.0, 3.0, 0.0, 4.0, 5.0, 6.0, 0.0].into_iter().map(f32::to_bits));
    assert_eq!(place.read("s.bin"), words.flat_map(u32::to_le_bytes).collect::<Vec<_>>());
    assert_eq!(place.read("ints.json"), b"[-7, -7, 0]\n");
    let rows = place.read("rows.npy");
    assert!(String::from_utf8_lossy(&rows).contains("'descr': '<f4'"));
    assert!(String::from_utf8_lossy(&rows).contains("'shape': (2, 3)"));
    let again = "run a.wgsl --groups 1 --bind s=s.bin --bind rows=rows.npy --save s=- --save rows=again.json";
    assert_eq!(
        place.run_line(again).done().text(),
        "{\"head\": [9, 2], \"all\": [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]}\n"
    );
    assert_eq!(place.read("again.json"), b"[[12.0, 24.0, 36.0], [42.0, 54.0, 66.0]]\n");
}

/// GLSL, a module, and core text, whose memories are lists of words.
#[test]
fn other_languages() {
    let glsl = "#version 450
layout(local_size_x = 2) in;
layout(std430, binding = 2) buffer Data { uint all[]; } data;
layout(push_constant) uniform P { uint k; };
void main() { atomicAdd(data.all[gl_WorkGroupID.x], k + gl_LocalInvocationIndex); }
";
    let core = "lambdav-core 2
type #0 = memory \"m\"
workgroup-size 4 1 1
%0: #0 = state
%1: uint = input local-index
%2: uint = load %0, %1
%3: uint = add %2, %1
%4: #0 = store %0, %1, %3
effect %4
";
    let place = TestFolder::with([("a.comp", glsl), ("b.txt", glsl), ("c.core", core)]);
    let values = "--groups 2 --zeros data=3 --set k=5";
    assert_eq!(saved(&place, &format!("a.comp {values}"), "data"), "[11, 11, 0]");
    assert_eq!(saved(&place, &format!("b.txt {values}"), "data"), "[11, 11, 0]");
    place.run_line("compile a.comp --emit spirv -o a.spv").done();
    assert_eq!(saved(&place, &format!("a.spv {values}"), "0.2"), "[11, 11, 0]");
    // A memory that is only stored to, atomically.
    let atomic = "@group(0) @binding(0) var<storage, read_write> a: atomic<u32>;
        @compute @workgroup_size(1) fn main() { atomicStore(&a, 7u); }";
    place.write("atomic.wgsl", atomic);
    assert_eq!(saved(&place, "atomic.wgsl --groups 1", "a"), r#"{"0": 7}"#);
    place.write("m.json", "[5, 6, 7]");
    let outcome = place.run_line("run c.core --groups 2 --bind m=m.json --save m=-").done();
    assert_eq!(outcome.text(), "[5, 8, 11]\n");
}

/// One error each; no file is written, and none is lost.
#[test]
fn wrong_runs() {
    let text = "@group(0) @binding(0) var<storage, read_write> a: array<u32>;
struct B { n: u32, all: array<f32, 2> }
@group(0) @binding(1) var<storage, read_write> b: B;
@compute @workgroup_size(4) fn main(@builtin(local_invocation_index) k: u32) {
    if a[0] == 9u && k < 2u { workgroupBarrier(); }
    while a[3] == 8u && k == 2u { a[1] += 1u; }
    a[k] = k + b.n;
}
";
    let place = TestFolder::with([
        ("a.wgsl", text),
        ("a.lv", "(vec3 1)"),
        ("nine.json", "[9, 0, 0, 0]"),
        ("eight.json", "[0, 0, 0, 8]"),
        ("b.json", r#"{"m": 1}"#),
        ("kept.json", "kept"),
        ("odd.bin", "abc"),
    ]);
    let run = "run a.wgsl --groups 1";
    let bound = format!("{run} --zeros a=4");
    for (line, status, message) in [
        (
            format!("{run} --save a=kept.json"),
            1,
            "the buffer `a` has an array without a length, and no data",
        ),
        (
            format!("{bound} --save c=kept.json"),
            2,
            "the program writes no buffer `c`; it has `a`, `b`",
        ),
        (
            format!("{bound} --save b=kept.npy"),
            2,
            "its block is not one array, which an NPY file holds",
        ),
        (
            format!("{bound} --save a=kept.txt"),
            2,
            "the file of a buffer ends in .npy, .json or .bin",
        ),
        (format!("{bound} --save a"), 2, "`a` saves nothing"),
        (format!("{bound} --save a=x.json --save b=x.json"), 2, "two buffers would go to `x.json`"),
        (format!("{bound} --bind b=b.json --save b=b.json"), 2, "would be overwritten"),
        (format!("{bound} --bind b=b.json --save a=kept.json"), 1, "its block has no member `m`"),
        (
            format!("{run} --bind a=odd.bin --save a=kept.json"),
            1,
            "3 bytes are no whole words of 4",
        ),
        (format!("{run} --zeros a=x"), 2, "`a=x` is no number of zeros"),
        (
            format!("{run} --bind a=nine.json --save a=kept.json"),
            1,
            "the invocation (0, 0, 0) waits here for (2, 0, 0)",
        ),
        (
            format!("{run} --bind a=eight.json --max-iterations 99 --save a=kept.json"),
            1,
            "does not end within 99 rounds",
        ),
        ("run a.lv --groups 1".to_owned(), 2, "is no compute program"),
        ("run a.wgsl".to_owned(), 2, "--groups"),
        (
            "run a.wgsl --groups 65535,65535,65535 --zeros a=1 --save a=kept.json".to_owned(),
            2,
            "more than 2^48 invocations",
        ),
        ("render a.wgsl kept.png".to_owned(), 1, "`lambdav run` runs compute shaders"),
    ] {
        let outcome = place.run_line(&line);
        assert_eq!(outcome.status, status, "{line}: {}", outcome.err);
        assert!(outcome.err.contains(message), "{line}: {}", outcome.err);
    }
    assert_eq!(place.read("kept.json"), b"kept");
    assert_eq!(place.files().len(), 7, "{:?}", place.files().keys());
    let outcome = place.run_line(&format!("{run} --bind a=eight.json --max-iterations 99"));
    assert!(outcome.err.contains("the first such invocation is (2, 0, 0)"), "{}", outcome.err);
    // Several entry points need a name.
    let two = "@group(0) @binding(0) var<storage, read_write> a: array<u32, 2>;
@compute @workgroup_size(1) fn one() { a[0] = 1u; }
@compute @workgroup_size(1) fn two() { a[1] = 2u; }
@fragment fn colour() -> @location(0) vec4f { return vec4f(f32(a[0])); }
";
    place.write("two.wgsl", two);
    let outcome = place.run_line("run two.wgsl --groups 1 --save a=-");
    assert!(outcome.err.contains("several compute entry points"), "{}", outcome.err);
    assert_eq!(
        place.run_line("run two.wgsl --groups 1 --entry two --save a=-").done().text(),
        "[0, 2]\n"
    );
}

/// Goldens of buffers: made, met by each engine, and missed; only what was written is replaced.
#[test]
fn buffers_have_goldens() {
    let wgsl = "// test: --groups 2 --bind steps=in/steps.json --save sums
@group(0) @binding(0) var<storage, read> steps: array<f32>;
@group(0) @binding(1) var<storage, read_write> sums: array<vec2f, 4>;
@compute @workgroup_size(2) fn main(@builtin(global_invocation_id) id: vec3u) {
    sums[id.x] = vec2f(f32(id.x), steps[id.x]);
}
";
    let glsl = "#version 450
// test: one --groups 1 --zeros data=2 --save data
// test: two --groups 2 --zeros data=2 --save 0.3 --set k=2
layout(local_size_x = 1) in;
layout(binding = 3) buffer Data { int data[]; } data;
layout(push_constant) uniform P { int k; };
void main() { data.data[gl_GlobalInvocationID.x] = 5 + k; }
";
    let place = TestFolder::with([
        ("t/a.wgsl", wgsl),
        ("t/b.comp", glsl),
        ("t/in/steps.json", "[1, 2, 4, 8]"),
        ("t/b.one.json", "mine"),
    ]);
    let text = place.run_line("test t").text().to_owned();
    assert!(text.contains("there is no `t/a.json`; --bless makes it"), "{text}");
    let text = place.run_line("test t --bless").text().to_owned();
    assert!(text.contains("`t/b.one.json` was not written by `lambdav test`"), "{text}");
    assert_eq!(place.read("t/b.one.json"), b"mine");
    place.run_line("test t --bless --adopt").done();
    let golden = "{\"lambdav\": \"golden of a.wgsl\",\n\"value\": [[0.0, 1.0], [1.0, 2.0], [2.0, 4.0], [3.0, 8.0]]}\n";
    assert_eq!(String::from_utf8(place.read("t/a.json")).expect("it is text"), golden);
    for engine in ENGINES {
        let text = place.run_line(&format!("test t --engine {engine}")).done().text().to_owned();
        assert!(text.starts_with("3 tests: 3 passed"), "{text}");
    }
    place.write("t/in/steps.json", "[1, 2, 5, 8]");
    let failed = place.run_line("test t");
    let what = "failed t/a.wgsl: the buffer differs, first at [2][1]: expected 4.0, got 5.0";
    assert!(failed.status == 1 && failed.text().contains(what), "{}", failed.text());
    assert!(place.path("t/a.new.json").exists());
    place.write("t/in/steps.json", "[1, 2, 4, 8]");
    place.run_line("test t").done();
    assert!(!place.path("t/a.new.json").exists());
    for (words, message) in [
        ("--groups 1", "name a buffer, --save NAME"),
        ("--save sums", "a compute program has --groups beside --save"),
        ("--groups 1 --save sums --format npy", "a buffer is compared exactly, as JSON"),
        ("--groups 1 --save none", "the program writes no buffer `none`"),
        ("--groups 1 --save sums --bind steps=no.json", "cannot read"),
    ] {
        place.write(
            "t/a.wgsl",
            wgsl.replace("--groups 2 --bind steps=in/steps.json --save sums", words),
        );
        let outcome = place.run_line("test t/a.wgsl");
        assert!(
            outcome.status != 0 && outcome.text().contains(message),
            "{words}: {}",
            outcome.text()
        );
    }
}

/// Specialisation constants, also of the size of a workgroup, take values of `--set`.
#[test]
fn specialisation_constants_are_set() {
    let place = TestFolder::new();
    place.write(
        "a.comp",
        "#version 450
layout(local_size_x = 2, local_size_x_id = 7) in;
layout(constant_id = 3) const uint step = 10;
layout(constant_id = 4) const bool is_last = false;
layout(binding = 0) buffer Out { uint values[]; };
void main() {
    uint k = gl_GlobalInvocationID.x;
    values[k] = step * k + gl_WorkGroupSize.x + (is_last ? 1000 : 0);
}
",
    );
    for (set, wanted) in [
        ("", "[2, 12, 22, 32, 0, 0, 0, 0]"),
        ("--set step=5", "[2, 7, 12, 17, 0, 0, 0, 0]"),
        ("--set local_size_x=3 --set is_last=true", "[1003, 1013, 1023, 1033, 1043, 1053, 0, 0]"),
    ] {
        let line = format!("a.comp --groups 2 --zeros Out=8 {set}");
        assert_eq!(saved(&place, &line, "Out"), wanted, "{set}");
    }
    let outcome = place.run_line("compile a.comp -o a.spv");
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    let line = "a.spv --groups 2 --zeros Out=8 --set step=1 --set local_size_x=1";
    assert_eq!(saved(&place, line, "Out"), "[1, 2, 0, 0, 0, 0, 0, 0]");
    let outcome = place.run_line("run a.comp --groups 2 --zeros Out=8 --set steps=1");
    assert_eq!(outcome.status, 2);
    assert!(outcome.err.contains("`step`"), "{}", outcome.err);
    // One without a name has its number.
    let text = String::from_utf8(place.run_line("compile a.comp --emit spirv-text").out);
    let text = text.expect("it is a text");
    let lines =
        text.lines().filter(|line| !line.starts_with("OpName") && !line.contains(" OpName "));
    place.write("b.spvasm", lines.collect::<Vec<_>>().join("\n"));
    let buffer = "0.0=8 --set constant.3=2";
    let outcome =
        place.run_line(&format!("run b.spvasm --groups 2 --zeros {buffer} --save 0.0=out.json"));
    assert_eq!(outcome.status, 0, "{}", outcome.err);
    assert_eq!(place.read("out.json"), b"[2, 4, 6, 8, 0, 0, 0, 0]\n");
}
