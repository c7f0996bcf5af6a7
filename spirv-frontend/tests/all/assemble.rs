//! The assembler: its words are those of `spirv-as`, and errors have places.

use crate::support::{Shader, gallery};
use crate::tools;
use lambdav_core::source::SourceFile;
use lambdav_spirv::assemble::{SpirvVersion, assemble, is_assembly};
use lambdav_spirv::disassemble;
use lambdav_spirv_backend::emit::EmitOptions;
use lambdav_test_support::{has_tool, skipped};
use std::path::Path;

/// All shaders in SPIR-V text of a script, with their target environments.
fn sections(script: &str) -> Vec<(String, String)> {
    let mut lines = script.lines();
    let mut sections = Vec::new();
    while let Some(line) = lines.next() {
        let words: Vec<&str> = line.split_whitespace().collect();
        if let ["SHADER", _, _, "SPIRV-ASM", ref rest @ ..] = words[..] {
            let text: Vec<&str> = lines.by_ref().take_while(|line| line.trim() != "END").collect();
            sections.push((rest.get(1).unwrap_or(&"spv1.0").to_string(), text.join("\n")));
        }
    }
    sections
}

#[test]
fn words_are_those_of_spirv_as() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/corpus/graphicsfuzz");
    let Ok(files) = std::fs::read_dir(folder) else {
        skipped("../shared/corpus/graphicsfuzz is not there");
        return;
    };
    if !has_tool("spirv-as") {
        return;
    }
    let mut count = 0;
    for file in files {
        let path = file.expect("it is listed").path();
        let script = std::fs::read_to_string(&path).expect("it can be read");
        for (environment, text) in sections(&script) {
            let version = SpirvVersion::of_environment(&environment).expect("it is known");
            let name = path.display();
            let words = assemble(&text, version).unwrap_or_else(|error| {
                let at = SourceFile::new("", &*text).line_column(error.span.start);
                panic!("{name}: {at:?} {}", error.kind)
            });
            assert!(is_assembly(&text), "{name}");
            let wanted = tools::assemble(&text, &environment);
            assert!(words == wanted, "{name}: other words");
            count += 1;
        }
    }
    println!("{count} texts");
}

#[test]
fn our_own_text_comes_back() {
    let shaders: Vec<Shader> = gallery();
    assert!(!shaders.is_empty());
    for shader in &shaders {
        let module = shader.emitted(&EmitOptions::default());
        let text = disassemble(&module.words).expect("it is a module");
        let name = shader.source.name();
        let words = assemble(&text, SpirvVersion::of_environment("spv1.0").expect("it is known"))
            .unwrap_or_else(|error| panic!("{name}: {:?} {}", error.span, error.kind));
        // Version, generator and bound are not part of the text.
        let same = words.iter().zip(&module.words).skip(5).take_while(|(a, b)| a == b).count();
        let (found, wanted) = (words.get(5 + same), module.words.get(5 + same));
        assert!(
            words[5..] == module.words[5..],
            "{name}: {found:x?}, {wanted:x?} at {same}\n{text}"
        );
        assert!(is_assembly(&text));
    }
}

/// Each construct of the syntax once.
#[test]
fn numbers_strings_and_masks() {
    let text = r#"
        ; a comment
        %int = OpTypeInt 32 1 ; another
        %long = OpTypeInt 64 0
        %short = OpTypeInt 16 1
        %float = OpTypeFloat 32
        %double = OpTypeFloat 64
        %a = OpConstant %int -1 %b = OpConstant %int 0xffffffff
        %c = OpConstant %long 0x100000002
        %d = OpConstant %short -2
        %e = OpConstant %float 0x1.8p+128 %f = OpConstant %float -0x1p-149
        %g = OpConstant %double 1.5
        %h = OpConstant %float !0x3f800000
        OpName %a "a \"quoted\" \\ ; string"
        %i = OpSpecConstantOp %int IAdd %a %b
        %j = OpLoad %int %a Volatile|Aligned 16
        %k = OpTypeImage %float 2D 0 0 0 1 Unknown
        OpSwitch %c %a 0x100000002 %b"#;
    let words = assemble(text, SpirvVersion::default()).expect("it is right");
    let has = |part: &[u32]| words.windows(part.len()).any(|words| words == part);
    assert_eq!(words[..5], [0x0723_0203, 0x0001_0600, 7 << 16, 17, 0]);
    assert!(has(&[1, 6, 0xffff_ffff]) && has(&[1, 7, 0xffff_ffff]));
    assert!(has(&[2, 8, 2, 1]), "64 bits");
    assert!(has(&[3, 9, 0xffff_fffe]), "16 bits");
    assert!(has(&[4, 10, 0x7fc0_0000]) && has(&[4, 11, 0x8000_0001]));
    assert!(has(&[5, 12, 0, 0x3ff8_0000]));
    assert!(has(&[4, 13, 0x3f80_0000]));
    assert!(has(&[1, 14, 128, 6, 7]), "the opcode of a specialisation constant");
    assert!(has(&[1, 15, 6, 3, 16]), "a mask with its operand");
    assert!(has(&[4, 1, 0, 0, 0, 1, 0]), "a dimension");
    assert!(has(&[8, 6, 2, 1, 7]), "a switch of 64 bits");
    let quoted: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let string = b"a \"quoted\" \\ ; string\0";
    assert!(quoted.windows(string.len()).any(|bytes| bytes == string));
}

#[test]
fn what_is_wrong_is_said() {
    for (text, line, column, message) in [
        ("OpFoo", 1, 1, "there is no instruction `OpFoo`"),
        ("OpNop\n  nonsense", 2, 3, "OpNop has an operand too many: `nonsense`"),
        ("nonsense", 1, 1, "expected an instruction"),
        ("%1 = ", 1, 1, "expected an instruction"),
        ("OpTypeVoid", 1, 1, "OpTypeVoid has a result: write `%id = OpTypeVoid`"),
        ("%1 = OpNop", 1, 1, "OpNop has no result"),
        ("OpName %1", 1, 1, "OpName ends too early: expected a string"),
        ("OpName %1 \"a", 1, 11, "the string has no end"),
        ("OpName 1 \"a\"", 1, 8, "expected an id such as `%1`, found `1`"),
        ("OpCapability Shade", 1, 14, "expected a capability, found `Shade`"),
        ("%1 = OpTypeInt 4294967296 0", 1, 16, "`4294967296` does not fit its type"),
        ("%1 = OpTypeInt x 0", 1, 16, "expected an integer, found `x`"),
        ("%2 = OpConstant %1 3", 1, 6, "the type of the number `3` is unknown"),
        ("%1 = OpTypeFloat 32 %2 = OpConstant %1 nan", 1, 40, "expected a number, found `nan`"),
        ("%1 = OpTypeFloat 32 %2 = OpConstant %1 1e99", 1, 40, "`1e99` does not fit its type"),
        ("%1 = OpExtInst %2 %3 Sin %4", 1, 22, "there is no instruction `Sin` in ``"),
        ("%99999999 = OpTypeVoid", 1, 1, "`%99999999` does not fit its type"),
        ("%0 = OpTypeVoid", 1, 1, "`%0` does not fit its type"),
    ] {
        let error = assemble(text, SpirvVersion::default()).expect_err(text);
        let at = SourceFile::new("", text).line_column(error.span.start);
        let said = error.kind.to_string();
        assert!(said.contains(message), "{text}: {said}");
        assert_eq!((at.line, at.column), (line, column), "{text}: {said}");
    }
    assert!(!is_assembly("(vec4 1)") && !is_assembly("") && !is_assembly("; %1 = OpNop\n(vec4 1)"));
    assert!(!is_assembly("Option") && is_assembly("; SPIR-V\n OpCapability Shader"));
}

/// Texts that are truncated or have a part replaced.
#[test]
fn no_text_is_a_panic() {
    let shaders = gallery();
    let module = shaders[0].emitted(&EmitOptions::default());
    let text = disassemble(&module.words).expect("it is a module");
    let parts =
        ["%", "\"", "=", " ", "-", "|", "!", "4294967296", "OpConstant", "0x1p+9999", "\\", "é"];
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..2000 {
        let mut text: Vec<char> = text.chars().collect();
        for _ in 0..=random(3) {
            let at = random(text.len());
            match random(3) {
                0 => text.truncate(at.max(1)),
                1 => drop(text.splice(at..at + 1, parts[random(parts.len())].chars())),
                _ => {
                    let other = random(text.len());
                    text.swap(at, other);
                }
            }
        }
        let text: String = text.into_iter().collect();
        if let Err(error) = assemble(&text, SpirvVersion::default()) {
            assert!(text.get(error.span.start as usize..error.span.end as usize).is_some());
        }
    }
}
