//! The values of uniforms are stored once in the settings, and once more for the code that reads them.

use lambdav_engine::engines::{CoreEngine, FastEngine};
use lambdav_engine::program::Loaded;
use lambdav_engine::settings::{Settings, to_json_within};
use lambdav_image::Size;

/// Number of components of a uniform.
const LENGTH: usize = 60_000;

/// A program with `count` uniforms, of which the first `read` are read.
fn text(count: usize, read: usize) -> String {
    let declared = |i: usize| format!("(uniform u{i} (array {LENGTH} num))\n");
    let at = |i: usize| format!("(at u{i} (int (.x (frag-coord))))");
    let declarations: String = (0..count).map(declared).collect();
    let reads: Vec<String> = (0..read).map(at).collect();
    format!("{declarations}(vec3 (+ 0 {}))", reads.join(" "))
}

/// Peak memory in bytes for everything up to the code, with `given` uniforms set.
fn peak(count: usize, read: usize, given: usize) -> u64 {
    let text = text(count, read);
    let info = allocation_counter::measure(|| {
        let Loaded { core, .. } = Loaded::from_bytes("a.lv", text.as_bytes().to_vec());
        let core = core.expect("it is right");
        let size = Size::new(8, 8).expect("it is small");
        let mut settings = Settings::new(&core, size);
        for index in 0..given {
            let (types, name) = (core.graph.types(), format!("u{index}[7]"));
            settings.set(types, &core.uniforms, &name, index as f32).expect("it is a number");
        }
        let told = to_json_within(core.graph.types(), settings.values(&core.uniforms), 1 << 16);
        assert_eq!(told, None);
        let _evaluator = CoreEngine::new(&core, 0, &settings).expect("it is small");
        let _engine = FastEngine::new(&core, 0, &settings, None).expect("it is small");
    });
    info.bytes_max
}

/// Size in bytes of the values of `count` uniforms.
fn once(count: usize) -> u64 {
    (count * LENGTH * 4) as u64
}

#[test]
fn defaults_of_a_type_are_one() {
    // Warm-up: allocations of the process's statics do not count.
    peak(1, 1, 0);
    let [few, many] = [10, 200].map(|count| peak(count, 1, 0));
    assert!(many - few < once(5), "{few} bytes for 10 uniforms, {many} for 200");
}

#[test]
fn values_are_kept_by_the_settings_and_by_the_code() {
    peak(1, 1, 0);
    let [none, given, read] = [peak(40, 1, 0), peak(40, 1, 40), peak(40, 40, 40)];
    assert!(given - none < once(44), "{none} bytes, {given} with values");
    assert!(read - given < once(44), "{given} bytes, {read} where all are read");
}

#[test]
fn long_values_are_not_told() {
    let told = |length: usize, most: usize| {
        let text = format!("(uniform u (array {length} num)) (at u 0i)");
        let Loaded { core, .. } = Loaded::from_bytes("a.lv", text.into_bytes());
        let core = core.expect("it is right");
        let settings = Settings::new(&core, Size::new(1, 1).expect("it is small"));
        to_json_within(core.graph.types(), settings.values(&core.uniforms), most)
    };
    let short = told(2, 1 << 16);
    assert_eq!(short.as_deref(), Some(r#"{"u": [0.0, 0.0]}"#));
    let length = short.map_or(0, |text| text.len());
    assert!(told(2, length).is_some() && told(2, length - 1).is_none());
}
