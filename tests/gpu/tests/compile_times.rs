//! `compile-times` measures without drivers' caches.
//!
//! Without a device the test is skipped with a message.

use lambdav_gpu_tests::open;
use lambdav_test_support::{files_below, skipped};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs a command on a program with a small exact module, with a fresh folder for the driver's cache. The
/// result is the command's output and the files that the driver cached.
fn run(name: &str, arguments: &[&str]) -> (String, Vec<PathBuf>) {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("caches-{name}"));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let mut command = Command::new(env!("CARGO_BIN_EXE_lambdav-gpu-tests"));
    command.args(arguments).env_remove("MESA_SHADER_CACHE_DISABLE");
    for variable in ["MESA_SHADER_CACHE_DIR", "XDG_CACHE_HOME", "__GL_SHADER_DISK_CACHE_PATH"] {
        command.env(variable, &folder);
    }
    let output = command.output().expect("it is started");
    let report = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success(), "{report}{}", String::from_utf8_lossy(&output.stderr));
    (report, files_below(&folder, &[]))
}

#[test]
fn drivers_keep_nothing() {
    let Some(device) = open().expect("Vulkan works, if it is there") else {
        return skipped("there is no Vulkan device; .ci/install-tools installs one without a GPU");
    };
    let shader = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shaders/hello.lv");
    let shader = shader.to_str().expect("it is text");
    let (report, kept) = run("off", &["compile-times", "--no-gallery", "--no-conformance", shader]);
    assert!(report.contains(&format!("The slowest is `{shader}`: ")), "{report}");
    assert!(report.contains("1 programs, 0 refused"), "{report}");
    assert_eq!(kept, Vec::<PathBuf>::new());
    // Another command shows that the driver does cache files.
    if device.name().contains("llvmpipe") {
        let (_, kept) = run("on", &["exact", "hello"]);
        assert_ne!(kept, Vec::<PathBuf>::new(), "the driver has no cache here");
    }
}
