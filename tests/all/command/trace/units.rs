//! `lambdav trace --of`: vertices, ids of passes, invocations.

use super::super::harness::TestFolder;
use super::json;

const TRIANGLES: &str = "\
(define turn (/ (num (vertex-index)) 3))
(define (bend x) (* x x))
(define corner (vec2 (bend turn) (- 1 turn)))
(position (vec4 corner 0 1))
(varying shade (vec3 corner (bend turn)))
(varying number (num (instance-index)))
(output 0 (vec4 shade number))
";

#[test]
fn a_vertex() {
    let place = TestFolder::with([("a.lv", TRIANGLES)]);
    let found = place.run_line("trace a.lv --of vertex:2:1 --vertices 3 --instances 2").done();
    let text = found.text();
    for part in [
        "a.lv: vertex 2 of instance 1\n",
        "\nposition = (0.44444448, 0.3333333, 0.0, 1.0) [",
        "\nshade = (0.44444448, 0.3333333, 0.44444448) [",
        "\nnumber = 1.0 [",
        "a.lv:3:9  corner = (0.44444448, 0.3333333)",
        "a.lv:1:9  turn = 0.6666667 ",
        "a.lv:3:22  bend(x = 0.6666667 [0x3f2aaaab]) = 0.44444448",
        "a.lv:5:29  bend(x = ",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    // Position and varyings are evaluated apart, and tell of a name once.
    assert_eq!(text.matches("turn = ").count(), 1, "{text}");
    assert_eq!(text.matches("corner = ").count(), 1, "{text}");
    let trace = json(&place, &["trace", "a.lv", "--of", "vertex:2", "--vertices", "3"]);
    assert_eq!(trace["unit"], "vertex 2 of instance 0");
    assert!(trace["pixel"].is_null() && trace["value"].is_null());
    assert_eq!(trace["results"][0]["name"], "position");
    place.fails(
        &["trace", "a.lv", "--of", "vertex:3", "--vertices", "3"],
        2,
        "has no vertex 3: the last one is 2",
    );
    place.fails(
        &["trace", "a.lv", "--of", "vertex:0:2", "--vertices", "3", "--instances", "2"],
        2,
        "no instance 2",
    );
    place.fails(&["trace", "a.lv", "--of", "vertex:0"], 2, "--vertices N");
    place.fails(&["trace", "a.lv", "--of", "id:0", "--vertices", "3"], 2, "has no passes");
    place.fails(&["trace", "a.lv", "--of", "corner:0"], 2, "write vertex:N");
    place.fails(&["trace", "a.lv", "1", "1", "--of", "vertex:0"], 2, "cannot be used with");
}

/// Fragments that cover the whole picture; the nearest one comes last.
const FRAGMENTS: &str = "\
(define n (vertex-index))
(define corner (at (array (vec2 -1 -1) (vec2 3 -1) (vec2 -1 3)) (rem n 3i)))
(position (vec4 corner (- 0.9 (* 0.1 (num (div n 3i)))) 1))
(varying level (num (div n 3i)) flat)
(define (twice x) (* 2 x))
(define x (.x (frag-coord)))
(state (blend add))
(discard-if (and (= level 1) (< x 1)))
(output 0 (vec3 (twice level) x 0.5))
";

#[test]
fn fragments_of_a_pixel() {
    let place = TestFolder::with([("a.lv", FRAGMENTS)]);
    let found = place.run_line("trace a.lv 0 0 --size 2x1 --vertices 9").done();
    let text = found.text();
    let lines = "a.lv: pixel (0, 0) of 2x1
output 0 = (4.0, 1.0, 1.0, 2.0) [0x40800000 0x3f800000 0x3f800000 0x40000000]

Nearest first:
  -  fragment(primitive-index = 2 [0x00000002]) = (4.0, 0.5, 0.5) [0x40800000 0x3f000000 0x3f000000]
    a.lv:9:17  twice(x = 2.0 [0x40000000]) = 4.0 [0x40800000]
    a.lv:6:9  x = 0.5 [0x3f000000]
    a.lv:4:10  level = 2.0 [0x40000000]
  -  discarded fragment(primitive-index = 1 [0x00000001])
    a.lv:6:9  x = 0.5 [0x3f000000]
    a.lv:4:10  level = 1.0 [0x3f800000]
  -  fragment(primitive-index = 0 [0x00000000]) = (0.0, 0.5, 0.5) [0x00000000 0x3f000000 0x3f000000]
    a.lv:9:17  twice(x = 0.0 [0x00000000]) = 0.0 [0x00000000]
    a.lv:6:9  x = 0.5 [0x3f000000]
    a.lv:4:10  level = 0.0 [0x00000000]
";
    assert_eq!(text, lines);
    let found = place.run_line("trace a.lv --break level>1 --size 2x1 --vertices 9 --compare simd");
    assert!(found.text().contains("engine simd = (4.0, 1.0, 1.0, 2.0)"), "{}", found.text());
    let trace = json(&place, &["trace", "a.lv", "1", "0", "--size", "2x1", "--vertices", "9"]);
    assert_eq!(trace["scopes"][0]["items"].as_array().map(Vec::len), Some(3));
    assert_eq!(trace["value"]["decimal"][0], "6.0");
    place.fails(&["trace", "a.lv", "0", "0"], 2, "--vertices N");
}

const PASSES: &str = "\
(result squares num 8)
(result sums num 4)
(pass square (size 8)
  (define n (num (id)))
  (scatter squares (id) (* n n) (when (!= n 3))))
(pass add (size 2 2)
  (define k (+ (.x (id)) (* 2i (.y (id)))))
  (scatter sums k (+ (at squares (* 2i k)) (at squares (+ 1i (* 2i k))))))
";

#[test]
fn an_id_of_a_pass() {
    let place = TestFolder::with([("a.lv", PASSES)]);
    let found = place.run_line("trace a.lv --of id:1,1:add").done();
    let text = found.text();
    // 36 + 49, from the pass before.
    for part in ["a.lv: id (1, 1) of add\n", "\nsums[3] = 85.0 [0x42aa0000]\n", "a.lv:7:11  k = 3 "]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(text.matches("k = 3").count(), 1, "{text}");
    // The results are those that `run` writes.
    place.run_line("run a.lv --save sums=sums.json --save squares=squares.json").done();
    let sums: Vec<f64> = serde_json::from_slice(&place.read("sums.json")).expect("it is a list");
    for (id, expected) in [("0,0", 0), ("1,0", 1), ("0,1", 2), ("1,1", 3)] {
        let unit = format!("id:{id}:add");
        let trace = json(&place, &["trace", "a.lv", "--of", &unit]);
        let value = &trace["results"][0];
        assert_eq!(value["name"], format!("sums[{expected}]"));
        let decimal = value["value"]["decimal"][0].as_str().expect("a number");
        assert_eq!(decimal.parse(), Ok(sums[expected]), "{unit}");
    }
    // A write whose condition is false.
    let found = place.run_line("trace a.lv --of id:3:square").done();
    assert!(found.text().contains("\nsquares, written = false\n"), "{}", found.text());
    place.fails(&["trace", "a.lv", "--of", "id:0"], 2, "has the passes `square`, `add`: name one");
    place.fails(&["trace", "a.lv", "--of", "id:0:subtract"], 2, "has no pass `subtract`");
    place.fails(&["trace", "a.lv", "--of", "id:8:square"], 2, "have 1 number, each below 8");
    place.fails(&["trace", "a.lv", "--of", "id:1:add"], 2, "have 2 numbers, each below 2, 2");
    place.fails(&["trace", "a.lv", "--of", "id:1:add", "--groups", "2"], 2, "leave out --groups");
    place.fails(&["trace", "a.lv", "--of", "vertex:0"], 2, "has no vertices");
}

#[cfg(feature = "foreign")]
const SUMS: &str = "\
struct Points { count: u32, values: array<f32> }
@group(0) @binding(0) var<storage, read_write> points: Points;
var<workgroup> shared_sum: array<f32, 4>;
fn weight(k: u32) -> f32 { return f32(k) * 0.5; }
@compute @workgroup_size(4) fn main(
  @builtin(global_invocation_id) id: vec3u,
  @builtin(local_invocation_index) local: u32,
) {
  let own = weight(id.x);
  let lost = own * 3.0;
  shared_sum[local] = own;
  workgroupBarrier();
  var sum = 0.0;
  for (var k = 0u; k < 4u; k++) { sum += shared_sum[k]; }
  if id.x > 100u { sum = lost; }
  points.values[id.x] = sum;
}
";

#[test]
#[cfg(feature = "foreign")]
fn an_invocation() {
    let place = TestFolder::with([("a.wgsl", SUMS)]);
    let line = "trace a.wgsl --of id:6 --groups 2 --zeros points=8";
    let found = place.run_line(line);
    let text = found.text();
    for part in [
        "a.wgsl: id 6\n",
        // 0.5 * (4 + 5 + 6 + 7), through the barrier.
        "values[6] = 11.0 [0x41300000]",
        "own = 3.0 ",
        "shared_sum[2] = 3.0 ",
        "weight(k = 6 [0x00000006]) = 3.0 ",
        "loop: 5 rounds",
        "if id.x > 100u: false",
    ] {
        assert!(text.contains(part), "{part}: {text}{}", found.err);
    }
    assert!(!text.contains("lost = "), "{text}");
    assert!(place.run_line(&format!("{line} --all")).text().contains("lost = 9.0"));
    // The word is the one that `run` leaves.
    place.run_line("run a.wgsl --groups 2 --zeros points=8 --save points=a.json");
    let saved: serde_json::Value = serde_json::from_slice(&place.read("a.json")).expect("JSON");
    assert_eq!(saved["values"][6], 11.0);
    place.fails(
        &["trace", "a.wgsl", "--of", "id:8", "--groups", "2", "--zeros", "points=8"],
        2,
        "there are 8 x 1 x 1",
    );
    place.fails(&["trace", "a.wgsl", "--of", "id:0"], 2, "say how many workgroups run");
    place.fails(&["trace", "a.wgsl", "--of", "id:0:main", "--groups", "2"], 2, "has no passes");
}
