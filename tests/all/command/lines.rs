//! Messages about a module point into its author's text, by OpLine or NonSemantic.Shader.DebugInfo.100.

use super::harness::TestFolder;

/// An endless loop and an unsupported instruction, with line information in these forms: text in OpSource
/// behind glslang's comment lines, a name without text, and the same in the extended instruction set.
const FORMS: [(&str, &str, &str); 4] = [
    (
        "%file = OpString \"a.frag\"
         OpSource GLSL 450 %file \"// OpModuleProcessed entry-point main\n#line 1\none\n  two three\n\"",
        "OpLine %file 2 7",
        "  two three",
    ),
    ("%file = OpString \"a.frag\"\nOpSource GLSL 450 %file", "OpLine %file 2 7", ""),
    (
        "%name = OpString \"a.frag\"\n%text = OpString \"one\n  two \"\n%more = OpString \"three\n\"",
        "%lineN = OpExtInst %void %debug DebugLine %file %n2 %n2 %n7 %n9",
        "  two three",
    ),
    (
        "%name = OpString \"a.frag\"",
        "%lineN = OpExtInst %void %debug DebugLine %file %n2 %n2 %n7 %n9",
        "",
    ),
];

fn module(strings: &str, line: &str, body: &str) -> String {
    let is_extended = line.contains("DebugLine");
    let (import, source) = match (is_extended, strings.contains("%text")) {
        (false, _) => ("", ""),
        (true, true) => (
            "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"",
            "%file = OpExtInst %void %debug DebugSource %name %text
             %rest = OpExtInst %void %debug DebugSourceContinued %more",
        ),
        (true, false) => (
            "%debug = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\"",
            "%file = OpExtInst %void %debug DebugSource %name",
        ),
    };
    let lines = (0..).map(|n| line.replace("lineN", &format!("line{n}")));
    let mut lines = lines.map(|line| line + "\n");
    let mut body_with_lines = String::new();
    for part in body.split("LINE") {
        if !body_with_lines.is_empty() {
            body_with_lines += &lines.next().expect("there are many");
        }
        body_with_lines += part;
    }
    format!(
        "OpCapability Shader
         {import}
         OpMemoryModel Logical GLSL450
         OpEntryPoint Fragment %main \"main\" %out
         OpExecutionMode %main OriginUpperLeft
         {strings}
         OpDecorate %out Location 0
         %void = OpTypeVoid
         %main_type = OpTypeFunction %void
         %bool = OpTypeBool
         %float = OpTypeFloat 32
         %uint = OpTypeInt 32 0
         %vec4 = OpTypeVector %float 4
         %n2 = OpConstant %uint 2
         %n7 = OpConstant %uint 7
         %n9 = OpConstant %uint 9
         {source}
         %to_out = OpTypePointer Output %vec4
         %out = OpVariable %to_out Output
         %one = OpConstant %float 1
         %colour = OpConstantComposite %vec4 %one %one %one %one
         %main = OpFunction %void None %main_type
         %start = OpLabel
         {body_with_lines}
         OpFunctionEnd\n"
    )
}

#[test]
fn messages_have_the_authors_lines() {
    let endless = "OpBranch %loop
         %loop = OpLabel
         %x = OpPhi %float %one %start %y %next
         LINE OpLoopMerge %end %next None
         OpBranch %test
         %test = OpLabel
         %goes = OpFOrdGreaterThan %bool %x %one
         OpBranchConditional %goes %end %next
         %next = OpLabel
         %y = OpFMul %float %x %one
         OpBranch %loop
         %end = OpLabel
         %all = OpCompositeConstruct %vec4 %x %x %x %x
         OpStore %out %all
         OpReturn";
    let wrong = "OpStore %out %colour
         LINE %x = OpExpectKHR %float %one %one
         OpReturn";
    let place = TestFolder::new();
    for (strings, line, text) in FORMS {
        place.write("a.spvasm", module(strings, line, endless));
        for engine in ["simd", "core", "spirv"] {
            let render = ["render", "a.spvasm", "a.png", "--size", "1x1", "--max-iterations", "9"];
            let render = [&render[..], &["--engine", engine]].concat();
            place.fails(&render, 1, "error[LV0504]");
            place.fails(&render, 1, "--> a.frag:2:7");
            place.fails(&render, 1, text);
        }
        place.write("a.spvasm", module(strings, line, wrong));
        place.fails(&["check", "a.spvasm"], 1, "error[LV0605]: OpExpectKHR");
        place.fails(&["check", "a.spvasm"], 1, "--> a.frag:2:7");
    }
}
