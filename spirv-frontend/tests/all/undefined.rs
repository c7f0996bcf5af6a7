//! The table of docs/spirv.md, "What undefined behaviour becomes", row by row, for the raised core and
//! for the evaluator of words.

use crate::operations::{by_words, joined, text};
use lambdav_core::evaluate::{Evaluated, Evaluator, Observer};
use lambdav_core::inputs::Inputs;
use lambdav_core::op::{NAN, Op};
use lambdav_core::schedule::{schedule, schedule_probed};
use lambdav_spirv::assemble::{SpirvVersion, assemble};
use lambdav_spirv_eval::{LoadOptions, Module, Undefined};
use lambdav_spirv_frontend::{OperationNames, RaiseOptions, Reports, raise};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Instructions that compute the uint `%r`; the words of `%a`, `%b` and `%c`; the word of the result.
type Case = (&'static str, [u32; 3], u32);

/// Proof of a row.
enum Proof {
    /// Results of instructions, by both evaluators.
    Values(&'static [Case]),
    /// A test elsewhere: file and name.
    Test(&'static str, &'static str),
    /// A test of this module.
    Here,
}
use Proof::{Here, Test, Values};

const MINUS_ONE: u32 = u32::MAX;
const LEAST: u32 = 1 << 31;
const MAX_INT: u32 = i32::MAX as u32;
const ONE: u32 = 0x3f80_0000;
const MINUS_ZERO: u32 = LEAST;
const INFINITY: u32 = 0x7f80_0000;
/// 1 + 2^-23, and its square, rounded.
const ABOVE_ONE: u32 = ONE + 1;
const SQUARE: u32 = ONE + 2;

/// The first columns of the table.
const ROWS: &[(&str, Proof)] = &[
    (
        "a variable without an initialiser, before anything is stored to it",
        Values(&[("%q = OpLoad %float %undefined\n %r = OpBitcast %uint %q", [7; 3], 0)]),
    ),
    (
        "OpUndef, other parts of a variable of which a part was stored, outputs that are not written",
        Values(&[
            ("%r = OpUndef %uint", [7; 3], 0),
            (
                "%p = OpAccessChain %to_float %array %c\n OpStore %p %y\n %first = OpAccessChain %to_float %array %zero\n %q = OpLoad %float %first\n %r = OpBitcast %uint %q",
                [7, 4, 1],
                0,
            ),
            (
                "%unset = OpCompositeConstruct %vec2 %x %y\n %r = OpCopyObject %uint %a\n ; no colour",
                [7; 3],
                0,
            ),
        ]),
    ),
    (
        "an index that lies outside",
        Values(&[
            ("%q = OpVectorExtractDynamic %float %xy %c\n %r = OpBitcast %uint %q", [3, 4, 9], 4),
            (
                "%q = OpVectorExtractDynamic %float %xy %i\n %r = OpBitcast %uint %q",
                [MINUS_ONE, 4, 9],
                NAN,
            ),
            (
                "%n = OpISub %int %i %j\n %w = OpCompositeConstruct %vec2 %z %x\n %q = OpVectorExtractDynamic %float %w %n\n %r = OpBitcast %uint %q",
                [3, 4, 5],
                5,
            ),
            (
                "OpStore %array %arrays\n %p = OpAccessChain %to_float %array %i\n OpStore %p %y\n %first = OpAccessChain %to_float %array %zero\n %q = OpLoad %float %first\n %r = OpBitcast %uint %q",
                [MINUS_ONE, 4, 0],
                4,
            ),
        ]),
    ),
    (
        "division of integers by zero, the least integer by −1",
        Values(&[
            ("%r = OpUDiv %uint %a %b", [7, 0, 0], 7),
            ("%r = OpUMod %uint %a %b", [7, 0, 0], 0),
            ("%q = OpSDiv %int %i %j\n %r = OpBitcast %uint %q", [LEAST, 0, 0], LEAST),
            ("%q = OpSDiv %int %i %j\n %r = OpBitcast %uint %q", [LEAST, MINUS_ONE, 0], LEAST),
            ("%q = OpSRem %int %i %j\n %r = OpBitcast %uint %q", [LEAST, MINUS_ONE, 0], 0),
            ("%q = OpSMod %int %i %j\n %r = OpBitcast %uint %q", [7, 0, 0], 0),
        ]),
    ),
    (
        "FRem, FMod by zero",
        Values(&[
            ("%q = OpFRem %float %x %y\n %r = OpBitcast %uint %q", [ONE, 0, 0], NAN),
            ("%q = OpFMod %float %x %y\n %r = OpBitcast %uint %q", [ONE, MINUS_ZERO, 0], NAN),
        ]),
    ),
    (
        "OpSRem, OpSMod of negative numbers",
        Values(&[
            (
                "%q = OpSRem %int %i %j\n %r = OpBitcast %uint %q",
                [7_u32.wrapping_neg(), 3, 0],
                MINUS_ONE,
            ),
            ("%q = OpSRem %int %i %j\n %r = OpBitcast %uint %q", [7, 3_u32.wrapping_neg(), 0], 1),
            ("%q = OpSMod %int %i %j\n %r = OpBitcast %uint %q", [7_u32.wrapping_neg(), 3, 0], 2),
            (
                "%q = OpSMod %int %i %j\n %r = OpBitcast %uint %q",
                [7, 3_u32.wrapping_neg(), 0],
                2_u32.wrapping_neg(),
            ),
        ]),
    ),
    (
        "shifts by 32 and more",
        Values(&[
            ("%r = OpShiftLeftLogical %uint %a %b", [1, 33, 0], 2),
            ("%r = OpShiftRightLogical %uint %a %b", [8, 34, 0], 2),
            (
                "%q = OpShiftRightArithmetic %int %i %b\n %r = OpBitcast %uint %q",
                [LEAST, 32, 0],
                LEAST,
            ),
        ]),
    ),
    (
        "bit fields beyond bit 31",
        Values(&[
            ("%r = OpBitFieldUExtract %uint %a %b %c", [MINUS_ONE, 28, 20], 15),
            (
                "%q = OpBitFieldSExtract %int %i %b %c\n %r = OpBitcast %uint %q",
                [7 << 28, 28, 8],
                7,
            ),
            ("%r = OpBitFieldInsert %uint %a %b %c %seven", [0, 255, 28], 15 << 28),
        ]),
    ),
    (
        "OpConvertFToS, OpConvertFToU of what is out of range",
        Values(&[
            ("%q = OpConvertFToS %int %x\n %r = OpBitcast %uint %q", [0x4f32_d05e, 0, 0], MAX_INT),
            ("%q = OpConvertFToS %int %x\n %r = OpBitcast %uint %q", [0xcf32_d05e, 0, 0], LEAST),
            ("%q = OpConvertFToS %int %x\n %r = OpBitcast %uint %q", [NAN, 0, 0], 0),
            ("%r = OpConvertFToU %uint %x", [ONE | LEAST, 0, 0], 0),
            ("%r = OpConvertFToU %uint %x", [INFINITY, 0, 0], MINUS_ONE),
            ("%r = OpConvertFToU %uint %x", [NAN, 0, 0], 0),
        ]),
    ),
    (
        "FMin, FMax of NaN and of zeros",
        Values(&[
            (
                "%q = OpExtInst %float %glsl FMin %x %y\n %r = OpBitcast %uint %q",
                [NAN, ONE, 0],
                NAN,
            ),
            (
                "%q = OpExtInst %float %glsl FMin %x %y\n %r = OpBitcast %uint %q",
                [ONE, NAN, 0],
                ONE,
            ),
            (
                "%q = OpExtInst %float %glsl FMin %x %y\n %r = OpBitcast %uint %q",
                [0, MINUS_ZERO, 0],
                0,
            ),
            (
                "%q = OpExtInst %float %glsl FMax %x %y\n %r = OpBitcast %uint %q",
                [MINUS_ZERO, 0, 0],
                MINUS_ZERO,
            ),
            (
                "%q = OpExtInst %float %glsl NMin %x %y\n %r = OpBitcast %uint %q",
                [NAN, ONE, 0],
                ONE,
            ),
            (
                "%q = OpExtInst %float %glsl NMax %x %y\n %r = OpBitcast %uint %q",
                [ONE, NAN, 0],
                ONE,
            ),
        ]),
    ),
    (
        "FClamp, NClamp, SClamp, UClamp with bounds in the wrong order",
        Values(&[
            (
                "%q = OpExtInst %float %glsl FClamp %x %y %z\n %r = OpBitcast %uint %q",
                [0x40a0_0000, 0x4040_0000, ONE],
                ONE,
            ),
            (
                "%k = OpBitcast %int %c\n %q = OpExtInst %int %glsl SClamp %i %j %k\n %r = OpBitcast %uint %q",
                [5, 3, 1],
                1,
            ),
        ]),
    ),
    (
        "FSign of NaN, Round of halves",
        Values(&[
            ("%q = OpExtInst %float %glsl FSign %x\n %r = OpBitcast %uint %q", [NAN, 0, 0], 0),
            (
                "%q = OpExtInst %float %glsl Round %x\n %r = OpBitcast %uint %q",
                [0x3f00_0000, 0, 0],
                0,
            ),
            (
                "%q = OpExtInst %float %glsl Round %x\n %r = OpBitcast %uint %q",
                [0x3fc0_0000, 0, 0],
                0x4000_0000,
            ),
            (
                "%q = OpExtInst %float %glsl Round %x\n %r = OpBitcast %uint %q",
                [0x4020_0000, 0, 0],
                0x4000_0000,
            ),
        ]),
    ),
    (
        "Modf, and what is left of an infinity",
        Values(&[
            (
                "%f = OpExtInst %modf %glsl ModfStruct %x\n %q = OpCompositeExtract %float %f 0\n %r = OpBitcast %uint %q",
                [ONE | LEAST, 0, 0],
                MINUS_ZERO,
            ),
            (
                "%f = OpExtInst %modf %glsl ModfStruct %x\n %q = OpCompositeExtract %float %f 0\n %r = OpBitcast %uint %q",
                [INFINITY | LEAST, 0, 0],
                MINUS_ZERO,
            ),
            (
                "%f = OpExtInst %modf %glsl ModfStruct %x\n %q = OpCompositeExtract %float %f 1\n %r = OpBitcast %uint %q",
                [INFINITY, 0, 0],
                INFINITY,
            ),
        ]),
    ),
    (
        "Frexp of zero, infinities and NaN",
        Values(&[
            (
                "%f = OpExtInst %frexp %glsl FrexpStruct %x\n %q = OpCompositeExtract %float %f 0\n %r = OpBitcast %uint %q",
                [MINUS_ZERO, 0, 0],
                MINUS_ZERO,
            ),
            (
                "%f = OpExtInst %frexp %glsl FrexpStruct %x\n %q = OpCompositeExtract %float %f 0\n %r = OpBitcast %uint %q",
                [INFINITY, 0, 0],
                INFINITY,
            ),
            (
                "%f = OpExtInst %frexp %glsl FrexpStruct %x\n %q = OpCompositeExtract %int %f 1\n %r = OpBitcast %uint %q",
                [INFINITY, 0, 0],
                0,
            ),
            (
                "%f = OpExtInst %frexp %glsl FrexpStruct %x\n %q = OpCompositeExtract %float %f 0\n %r = OpBitcast %uint %q",
                [NAN, 0, 0],
                NAN,
            ),
        ]),
    ),
    (
        "Sqrt, Log, Log2 of negative numbers",
        Values(&[
            (
                "%q = OpExtInst %float %glsl Log %x\n %r = OpBitcast %uint %q",
                [ONE | LEAST, 0, 0],
                NAN,
            ),
            (
                "%q = OpExtInst %float %glsl Log2 %x\n %r = OpBitcast %uint %q",
                [ONE | LEAST, 0, 0],
                NAN,
            ),
            (
                "%q = OpExtInst %float %glsl Log %x\n %r = OpBitcast %uint %q",
                [MINUS_ZERO, 0, 0],
                INFINITY | LEAST,
            ),
            (
                "%q = OpExtInst %float %glsl Sqrt %x\n %r = OpBitcast %uint %q",
                [MINUS_ZERO, 0, 0],
                MINUS_ZERO,
            ),
            (
                "%q = OpExtInst %float %glsl Sqrt %x\n %r = OpBitcast %uint %q",
                [ONE | LEAST, 0, 0],
                NAN,
            ),
        ]),
    ),
    (
        "InverseSqrt of numbers that are not positive",
        Values(&[
            (
                "%q = OpExtInst %float %glsl InverseSqrt %x\n %r = OpBitcast %uint %q",
                [0, 0, 0],
                INFINITY,
            ),
            (
                "%q = OpExtInst %float %glsl InverseSqrt %x\n %r = OpBitcast %uint %q",
                [ONE | LEAST, 0, 0],
                NAN,
            ),
        ]),
    ),
    (
        "Asin, Acos; Acosh; Atanh out of their domains",
        Values(&[
            (
                "%q = OpExtInst %float %glsl Asin %x\n %r = OpBitcast %uint %q",
                [0x4000_0000, 0, 0],
                NAN,
            ),
            (
                "%q = OpExtInst %float %glsl Acos %x\n %r = OpBitcast %uint %q",
                [0xc000_0000, 0, 0],
                NAN,
            ),
            (
                "%q = OpExtInst %float %glsl Acosh %x\n %r = OpBitcast %uint %q",
                [0x3f00_0000, 0, 0],
                NAN,
            ),
            (
                "%q = OpExtInst %float %glsl Atanh %x\n %r = OpBitcast %uint %q",
                [ONE, 0, 0],
                INFINITY,
            ),
            (
                "%q = OpExtInst %float %glsl Atanh %x\n %r = OpBitcast %uint %q",
                [0x4000_0000, 0, 0],
                NAN,
            ),
        ]),
    ),
    (
        "Pow of a negative number, and of 0 with an exponent that is not positive",
        Values(&[(
            "%q = OpExtInst %float %glsl Pow %x %y\n %r = OpBitcast %uint %q",
            [ONE | LEAST, 0x3f00_0000, 0],
            NAN,
        )]),
    ),
    (
        "Atan2 of zeros",
        Values(&[(
            "%q = OpExtInst %float %glsl Atan2 %x %y\n %r = OpBitcast %uint %q",
            [0, 0, 0],
            0,
        )]),
    ),
    (
        "Normalize of zero",
        Values(&[(
            "%v = OpExtInst %vec2 %glsl Normalize %xy\n %q = OpCompositeExtract %float %v 0\n %r = OpBitcast %uint %q",
            [0; 3],
            NAN,
        )]),
    ),
    (
        "SmoothStep with edges that do not ascend",
        Values(&[
            (
                "%q = OpExtInst %float %glsl SmoothStep %x %x %y\n %r = OpBitcast %uint %q",
                [ONE, 0x4000_0000, 0],
                ONE,
            ),
            (
                "%q = OpExtInst %float %glsl SmoothStep %x %x %y\n %r = OpBitcast %uint %q",
                [ONE, 0, 0],
                0,
            ),
        ]),
    ),
    (
        "MatrixInverse of a singular matrix",
        Test("tests/all/command/undefined_foreign.rs", "each_condition_of_glsl"),
    ),
    (
        "precision of functions, RelaxedPrecision, contraction",
        Values(&[
            (
                "%p = OpFMul %float %x %x\n %q = OpFSub %float %p %y\n %r = OpBitcast %uint %q",
                [ABOVE_ONE, SQUARE, 0],
                0,
            ),
            (
                "%relaxed = OpFMul %float %x %x\n %q = OpFSub %float %relaxed %y\n %r = OpBitcast %uint %q",
                [ABOVE_ONE, SQUARE, 0],
                0,
            ),
        ]),
    ),
    (
        "OpQuantizeToF16 of what is smaller than a normal binary16",
        Values(&[(
            "%q = OpQuantizeToF16 %float %x\n %r = OpBitcast %uint %q",
            [0xb586_37bd, 0, 0],
            MINUS_ZERO,
        )]),
    ),
    (
        "bits of a NaN",
        Values(&[
            ("%q = OpFDiv %float %x %y\n %r = OpBitcast %uint %q", [0; 3], 0x7fc0_0000),
            (
                "%q = OpFSub %float %x %y\n %r = OpBitcast %uint %q",
                [INFINITY, INFINITY, 0],
                0x7fc0_0000,
            ),
            ("%r = OpBitcast %uint %x", [0xffc1_2345, 0, 0], 0x7fc0_0000),
        ]),
    ),
    (
        "a texel or level that lies outside",
        Test("tests/all/command/undefined_foreign.rs", "outputs_texels_and_dead_ends"),
    ),
    ("OpUnreachable", Here),
    (
        "an output that is a NaN or an infinity",
        Test("tests/all/command/undefined_foreign.rs", "outputs_texels_and_dead_ends"),
    ),
    (
        "a derivative under divergent control flow",
        Test("spirv-frontend/tests/all/words.rs", "they_agree"),
    ),
    (
        "coordinates of images beyond the second",
        Test("spirv-frontend/tests/all/words.rs", "they_agree"),
    ),
    (
        "OpKill and what is like it",
        Test("tests/all/command/discard.rs", "they_keep_the_clear_colour_in_every_engine"),
    ),
    ("a loop whose result nobody needs", Here),
];

/// The words of a module whose result is `%r`.
fn module(body: &str) -> Vec<u32> {
    let decorated = "OpDecorate %block Block\n OpDecorate %relaxed RelaxedPrecision";
    let mut whole = text(body);
    if body.contains("%relaxed") {
        whole = whole.replace("OpDecorate %block Block", decorated);
    }
    if body.contains("; no colour") {
        whole = whole.replace("OpStore %out %colour", "");
    }
    let version = SpirvVersion::of_environment("spv1.3").expect("it is one");
    assemble(&whole, version).unwrap_or_else(|error| panic!("{body}: {error:?}"))
}

/// The result of a module's core for these words.
fn by_core(body: &str, words: &[u32], of: [u32; 3]) -> Result<u32, String> {
    let (core, _) = raise("a.spv", words, &RaiseOptions::default())
        .program
        .unwrap_or_else(|error| panic!("{body}: {error:?}"));
    let program = schedule(&core, &[0]).expect("it can be scheduled");
    let mut evaluator = Evaluator::new(&program, 1000);
    let uniforms = of.map(|word| [word].into()).to_vec();
    let inputs = Inputs { uniforms, ..Inputs::default() };
    evaluator.run(&inputs, &|| false).map_err(|error| format!("{error:?}"))?;
    Ok(joined(evaluator.output(0)))
}

/// The conditions that a program of the core reports.
fn reported(words: &[u32], of: [u32; 3]) -> BTreeSet<&'static str> {
    let reports = Reports { names: OperationNames::Instructions, guards: Vec::new() };
    let options = RaiseOptions { reports: Some(reports), ..RaiseOptions::default() };
    let (core, _) = raise("a.spv", words, &options).program.expect("it is raised as before");
    let program = schedule_probed(&core, &[0]).expect("it can be scheduled");
    let uniforms = of.map(|word| [word].into()).to_vec();
    let inputs = Inputs { uniforms, ..Inputs::default() };
    let mut met = Met(BTreeSet::new());
    let mut evaluator = Evaluator::new(&program, 1000);
    evaluator.run_observed(&inputs, &|| false, &mut met).expect("it ends");
    met.0.into_iter().map(|site| core.sites[site as usize].condition).collect()
}

/// The sites that an evaluation meets.
struct Met(BTreeSet<u32>);

impl Observer for Met {
    fn operation(&mut self, evaluated: &Evaluated<'_>) {
        if let (Op::Probe(site), [1]) = (evaluated.op, evaluated.result) {
            self.0.insert(site);
        }
    }
}

/// The results, and what is reported: each case meets only conditions of its row, and each condition is met by a case.
#[test]
fn every_row_of_the_table_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("docs/spirv.md")).expect("it is there");
    let heading = "| undefined, or open, in SPIR-V | is | reported as |\n";
    let (_, table) = page.split_once(heading).expect("a table");
    let rows = table.lines().skip(1).take_while(|line| line.starts_with("| "));
    let rows: BTreeMap<&str, BTreeSet<&str>> = rows
        .map(|row| {
            let columns: Vec<&str> = row.split('|').map(str::trim).collect();
            let conditions = columns[3].split("; ").filter(|of| !of.starts_with("not in WGSL"));
            (columns[1], conditions.filter(|of| !of.is_empty()).collect())
        })
        .collect();
    let tested: BTreeSet<&str> = ROWS.iter().map(|(row, _)| *row).collect();
    assert!(rows.keys().eq(&tested), "each row has its proof here, and each proof its row");
    for (row, proof) in ROWS {
        match proof {
            Here => {}
            Test(file, name) => {
                let text = fs::read_to_string(root.join(file)).expect("it is there");
                assert!(text.contains(&format!("#[test]\nfn {name}()")), "{file}: {name}");
            }
            Values(cases) => {
                let mut met = BTreeSet::new();
                for &(body, of, expected) in *cases {
                    let words = module(body);
                    let found = by_core(body, &words, of).expect("it ends");
                    assert_eq!(found, expected, "{row}: {body}: {of:x?}: core {found:#x}");
                    let options =
                        LoadOptions { undefined: Undefined::Total, ..LoadOptions::default() };
                    let loaded = Module::with_options(&words, &options).expect("it is a module");
                    let found = by_words(&loaded, of);
                    assert_eq!(found, expected, "{row}: {body}: {of:x?}: words {found:#x}");
                    met.extend(reported(&words, of));
                }
                assert_eq!(met, rows[row], "{row}");
            }
        }
    }
}

/// A condition that leads to OpUnreachable has the other value.
#[test]
fn unreachable_is_not_reached() {
    let body = "%is = OpUGreaterThan %bool %a %b
         OpSelectionMerge %meet None
         OpBranchConditional %is %dead %alive
         %dead = OpLabel
         OpUnreachable
         %alive = OpLabel
         OpBranch %meet
         %meet = OpLabel
         %r = OpSelect %uint %is %seven %four";
    let words = module(body);
    assert_eq!(by_core(body, &words, [1, 2, 0]).ok(), Some(4));
    assert_eq!(by_core(body, &words, [2, 1, 0]).ok(), Some(7), "the value itself is what it is");
}

/// An endless loop does not run if its result is unused, and exceeds the limit otherwise.
#[test]
fn loops_that_nobody_needs_do_not_run() {
    let body = |result: &str| {
        format!(
            "OpBranch %loop
             %loop = OpLabel
             %k = OpPhi %uint %zero %start %next %continue
             OpLoopMerge %behind %continue None
             OpBranch %test
             %test = OpLabel
             %less = OpULessThan %bool %a %b
             OpBranchConditional %less %continue %behind
             %continue = OpLabel
             %next = OpIAdd %uint %k %a
             OpBranch %loop
             %behind = OpLabel
             %r = OpCopyObject %uint {result}"
        )
    };
    let words = module(&body("%seven"));
    assert_eq!(by_core("a loop", &words, [1, 2, 0]), Ok(7));
    let words = module(&body("%k"));
    assert!(by_core("a loop", &words, [1, 2, 0]).is_err_and(|error| error.contains("LoopLimit")));
}
