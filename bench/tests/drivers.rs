//! The table of drivers can be made, and drivers draw shaders without elementary functions exactly.

use serde_json::Value;
use std::process::Command;

#[test]
fn what_has_no_elementary_function_is_right() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let numbers = folder.path().join("numbers.json");
    let mut bench = Command::new(env!("CARGO_BIN_EXE_lambdav-bench"));
    bench.args(["drivers", "constant", "kernels/mandelbrot", "--size", "70x40", "--runs", "1"]);
    let output = bench.arg("--json").arg(&numbers).output().expect("it has been built");
    let err = String::from_utf8_lossy(&output.stderr);
    if err.contains("there is no Vulkan device") {
        return lambdav_test_support::skipped("there is no Vulkan device");
    }
    assert!(output.status.success(), "{err}");
    let numbers = std::fs::read(numbers).expect("it has been written");
    let numbers: Value = serde_json::from_slice(&numbers).expect("JSON");
    let rows = numbers["rows"].as_array().expect("a list");
    let shaders: Vec<_> = rows.iter().map(|row| row["shader"].as_str()).collect();
    assert!(shaders.contains(&Some("constant")) && shaders.contains(&Some("kernels/mandelbrot")));
    for row in rows {
        let [driver] = &row["drivers"].as_array().expect("a list")[..] else { panic!("{row}") };
        assert_eq!(driver["wrong"], 0, "{row}");
        assert!(driver["time"]["median"].as_f64().expect("a number") > 0.0);
    }
}
