//! Files cannot control the terminal: printed names and texts have no control characters, and binary output
//! is not written to a terminal.

use super::harness::{LAMBDAV, TestFolder};
use lambdav_core::diagnostics::is_control;
use std::process::Command;

/// Sets the title, clears the screen, changes the direction of text, ends a line and a quoted name.
const HOSTILE: &str = "a\u{1b}]0;own\u{7}\u{1b}[2J\u{9b}31m\u{202e}\u{2028}\n\t\"); b";

/// A module whose entry point, block, member and texture have this name.
fn module(name: &str) -> String {
    let name = name.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "OpCapability Shader
%ext = OpExtInstImport \"GLSL.std.450\"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main \"{name}\" %o
OpExecutionMode %main OriginUpperLeft
OpName %ub \"{name}\"
OpName %UB \"{name}\"
OpMemberName %UB 0 \"{name}\"
OpName %tex \"t{name}\"
OpDecorate %o Location 0
OpDecorate %ub DescriptorSet 0
OpDecorate %ub Binding 0
OpDecorate %tex DescriptorSet 0
OpDecorate %tex Binding 1
OpDecorate %UB Block
OpMemberDecorate %UB 0 Offset 0
%void = OpTypeVoid
%fn = OpTypeFunction %void
%float = OpTypeFloat 32
%v4 = OpTypeVector %float 4
%v2 = OpTypeVector %float 2
%int = OpTypeInt 32 1
%zero = OpConstant %int 0
%fz = OpConstant %float 0
%uv = OpConstantComposite %v2 %fz %fz
%UB = OpTypeStruct %v4
%pub = OpTypePointer Uniform %UB
%pv4 = OpTypePointer Uniform %v4
%ub = OpVariable %pub Uniform
%img = OpTypeImage %float 2D 0 0 0 1 Unknown
%simg = OpTypeSampledImage %img
%ptex = OpTypePointer UniformConstant %simg
%tex = OpVariable %ptex UniformConstant
%ptr = OpTypePointer Output %v4
%o = OpVariable %ptr Output
%main = OpFunction %void None %fn
%l = OpLabel
%a = OpAccessChain %pv4 %ub %zero
%x = OpLoad %v4 %a
%t = OpLoad %simg %tex
%y = OpImageSampleImplicitLod %v4 %t %uv
%z = OpFAdd %v4 %x %y
OpStore %o %z
OpReturn
OpFunctionEnd
"
    )
}

#[track_caller]
fn harmless(what: &str, text: &str) {
    let wrong = text.chars().find(|&c| is_control(c));
    assert_eq!(wrong, None, "{what}: {text:?}");
    // The end of the name, behind a raw line end.
    let broken = text.lines().find(|line| line.starts_with("\t\"); b"));
    assert_eq!(broken, None, "{what}: {text:?}");
}

#[test]
fn names_of_a_module_are_escaped_wherever_they_are_printed() {
    let place = TestFolder::with([("a.spvasm", &module(HOSTILE))]);
    place.write("t.lv", "(vec4 1)");
    place.run(&["render", "t.lv", "t.png", "--size", "1x1"]).done();
    let lines: [&[&str]; 9] = [
        &["inspect", "a.spvasm"],
        &["inspect", "a.spvasm", "--message-format", "json"],
        &["render", "a.spvasm", "o.npy"],
        &["render", "a.spvasm", "o.npy", "--entry", "q"],
        &["render", "a.spvasm", "o.npy", "--bind", "0.1=t.png", "--size", "1x1", "--stats"],
        &["check", "a.spvasm", "--entry", "q", "--message-format", "json"],
        &["compile", "a.spvasm", "--emit", "core"],
        &["compile", "a.spvasm", "--emit", "lanes", "--bind", "0.1=t.png"],
        &["compile", "a.spvasm", "--emit", "registers", "--bind", "0.1=t.png"],
    ];
    let mut escaped = 0;
    for line in lines {
        let outcome = place.run(line);
        for text in [outcome.text(), &outcome.err] {
            harmless(&line.join(" "), text);
            escaped +=
                usize::from(text.contains("\\u{1b}]0;own") || text.contains("\\u001b]0;own"));
        }
        if line.contains(&"json") && !outcome.out.is_empty() {
            serde_json::from_str::<serde_json::Value>(outcome.text()).expect("it is JSON");
        }
    }
    assert!(escaped >= 6, "{escaped} of {} show names", lines.len());
}

/// Core text with any names can be read again, and draws the same picture.
#[test]
fn core_text_with_such_names_reads_back() {
    let place = TestFolder::with([("a.spvasm", &module(HOSTILE)), ("t.lv", "(vec4 0.5)")]);
    place.run(&["render", "t.lv", "t.npy", "--size", "1x1"]).done();
    place.run(&["compile", "a.spvasm", "--emit", "core", "-o", "a.core"]).done();
    place.run(&["compile", "a.core", "--emit", "core", "-o", "b.core"]).done();
    let text = |name| String::from_utf8(place.read(name)).expect("core text is UTF-8");
    let lines = |text: String| {
        text.lines()
            .filter(|l| !l.starts_with(';'))
            .map(|l| l.split("  ;").next().map(str::to_owned))
            .collect::<Vec<_>>()
    };
    assert_eq!(lines(text("a.core")), lines(text("b.core")));
    let bind = format!("t{HOSTILE}=t.npy");
    let set = format!("{HOSTILE}=1,2,3,4");
    let draw = ["render", "b.core", "o.npy", "--size", "1x1", "--bind", &bind, "--set", &set];
    place.run(&draw).done();
    assert_eq!(place.frame("o.npy").pixel(0, 0), Some([1.5, 2.5, 3.5, 4.5]));
}

#[test]
fn texts_of_an_image_are_escaped() {
    let place = TestFolder::new();
    place.write("a.png", include_bytes!("terminal/comment.png"));
    let outcome = place.run(&["inspect", "a.png"]).done();
    harmless("inspect", outcome.text());
    assert!(outcome.text().contains("\\u{1b}]0;owned\\u{7}"), "{}", outcome.text());
}

/// The command's exit status and output on a terminal.
fn on_terminal(place: &TestFolder, arguments: &str) -> Option<(i32, String)> {
    // The shell expands the variable, so blanks in the command's path do no harm.
    let line = format!("\"$LAMBDAV\" {arguments}");
    let mut script = Command::new("script");
    script.args(["-qec", &line, "/dev/null"]).env("LAMBDAV", LAMBDAV);
    let output = script.current_dir(place.path("")).output();
    match output {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            Some((output.status.code().expect("it is not killed"), text))
        }
        Err(_) => {
            lambdav_test_support::skipped("there is no `script`, which makes terminals");
            None
        }
    }
}

#[test]
fn binary_output_does_not_go_to_a_terminal() {
    let place = TestFolder::with([("a.lv", "(vec4 1)"), ("a.spvasm", &module(HOSTILE))]);
    for line in [
        "render a.lv - --format png",
        "compile a.lv --emit spirv",
        "compile a.lv --emit spirv -o -",
    ] {
        let Some((status, text)) = on_terminal(&place, line) else { return };
        assert_eq!(status, 2, "{line}: {text}");
        assert!(text.contains("standard output is a terminal"), "{line}: {text}");
        harmless(line, &text.replace('\r', ""));
    }
    let line = "compile a.spvasm --emit spirv-text --color never";
    let Some((status, text)) = on_terminal(&place, line) else { return };
    assert_eq!(status, 0, "{text}");
    harmless(line, &text.replace('\r', ""));
    // Off the terminal the text is exact, as `spirv-as` reads it.
    let exact = place.run(&["compile", "a.spvasm", "--emit", "spirv-text"]).done();
    assert!(exact.text().contains("\u{1b}]0;own"), "{}", exact.text());
}
