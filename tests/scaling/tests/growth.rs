//! The compiler's allocations for each family grow linearly with the text.
//!
//! The tests count bytes and calls of the allocator, never seconds. Quadratic time nearly always comes with
//! quadratic allocation; `lambdav-scaling` finds the exceptions.

use lambdav_scaling::families::{self, LIMITED};
use lambdav_scaling::{Answer, Family, Way};

/// Approximate length of the shortest text: the variable `BYTES`, or a default. The longest text is four
/// times as long.
fn shortest() -> usize {
    std::env::var("BYTES").ok().and_then(|bytes| bytes.parse().ok()).unwrap_or(2500)
}

/// Largest growth of the work for each byte of text.
const GROWTH: f64 = 1.3;

/// Allocated bytes, and calls of the allocator, for each byte of a family's text of that size.
fn work(family: Family, way: Way, size: usize) -> [f64; 2] {
    let text = (family.text)(size);
    let info = allocation_counter::measure(|| drop(way.go(&text)));
    [info.bytes_total, info.count_total].map(|total| total as f64 / text.len() as f64)
}

fn grows_as_its_text(way: Way) {
    // Warm-up: allocations of the process's statics do not count.
    drop(way.go(match way {
        Way::Glsl => "void main() {}",
        Way::Wgsl => "@fragment fn main() -> @location(0) vec4f { return vec4f(); }",
        _ => "(sin (time))",
    }));
    let mut wrong = Vec::new();
    let is_limited = |family: &Family| LIMITED.iter().any(|&(name, _)| name == family.name);
    let all = families::all().chain(families::foreign()).filter(|family| way.takes(*family));
    for family in all.filter(|family| !is_limited(family)) {
        let (size, _) = family.of_length(shortest());
        let [one, four] = [1, 4].map(|times| work(family, way, size * times));
        for (what, k) in [("bytes", 0), ("allocations", 1)] {
            let growth = four[k] / one[k];
            if growth >= GROWTH {
                let name = family.name;
                wrong.push(format!("{name}: {what} grow by {growth:.2} at 4 times {size}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn to_registers() {
    grows_as_its_text(Way::Registers);
}

#[test]
fn to_core_text() {
    grows_as_its_text(Way::CoreText);
}

#[test]
fn to_spirv() {
    grows_as_its_text(Way::Spirv);
}

#[test]
fn from_glsl() {
    grows_as_its_text(Way::Glsl);
}

#[test]
fn from_wgsl() {
    grows_as_its_text(Way::Wgsl);
}

#[test]
fn what_describes_more_is_refused() {
    for (name, code) in LIMITED {
        let (_, text) = Family::named(name).expect("it is one").of_length(150_000);
        assert_eq!(Way::CoreText.go(&text), Answer::Refused(code.to_owned()), "{name}");
    }
}

/// Checks that the size of a family is proportional to the length of its text.
#[test]
fn sizes_are_lengths() {
    let mut names = std::collections::BTreeSet::new();
    for family in families::all().chain(families::foreign()) {
        assert!(names.insert(family.name), "{} is the name of two", family.name);
        let (size, text) = family.of_length(shortest());
        let longer = (family.text)(4 * size).len() as f64 / text.len() as f64;
        assert!((2.5..6.0).contains(&longer), "{}: {longer} times the length", family.name);
    }
}
