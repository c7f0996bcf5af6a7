//! `lambdav trace --compare`: engines and pictures.

use super::super::harness::{TestFolder, assert_one_error};
use super::{STEPS, json};

#[test]
fn engines_draw_the_same_pixel() {
    let place = TestFolder::with([("steps.lv", STEPS)]);
    for engine in ["simd", "core", "source", "spirv"] {
        let line = format!("trace steps.lv 4 7 --size 9x8 --compare {engine}");
        let found = place.run_line(&line).done();
        let drawn = found.text().lines().nth(2).expect("a third line");
        assert!(drawn.starts_with(&format!("engine {engine} = (")), "{drawn}");
        assert!(drawn.ends_with("]: the same"), "{drawn}");
        let json = json(&place, &line.split(' ').collect::<Vec<_>>());
        let against = &json["compared"];
        assert_eq!(
            (&against["name"], &against["equal"]),
            (&format!("engine {engine}").into(), &true.into())
        );
        assert_eq!((&against["value"], &against["here"]), (&json["value"], &json["value"]));
        // Two evaluators name values, too.
        let has_names = matches!(engine, "core" | "spirv");
        assert_eq!(
            against["names"].as_u64().is_some_and(|names| names >= 2),
            has_names,
            "{against}"
        );
        assert!(against["first"].is_null(), "{against}");
        // Without a pixel, all are compared.
        let line = format!("trace steps.lv --size 9x8 --compare {engine}");
        let expected = format!("steps.lv: all pixels of 9x8 are the same: engine {engine}\n");
        assert_eq!(place.run_line(&line).done().text(), expected);
        assert_eq!(place.run_line(&format!("{line} --json")).done().text(), "null\n");
    }
    place.fails(
        &["trace", "steps.lv", "0", "0", "--native"],
        2,
        "--native is for the engine `gpu`; add --compare gpu",
    );
    place.fails(&["trace", "steps.lv", "0", "0", "--compare", "gpux"], 2, "engines are simd, core");
    place.fails(&["trace", "steps.lv", "0", "0", "--compare", "core", "--srgb"], 2, "floats");
    // Without such a device, and without devices at all.
    let line = "trace steps.lv 0 0 --compare gpu --device no-such-device";
    let outcome = place.run_line(line);
    assert!(matches!(outcome.status, 2 | 3), "{}", outcome.err);
    assert_one_error(&outcome.err, "device");
}

/// A picture of each kind: the first pixel that differs, and one that is the same.
#[test]
fn pictures_are_compared() {
    let place = TestFolder::with([("steps.lv", STEPS)]);
    let other = STEPS.replace(
        "(k (+ shade 0.5))",
        "(k (if (all-of (= (.xy (frag-coord)) (vec2 3.5 2.5))) 9 (+ shade 0.5)))",
    );
    place.write("other.lv", other);
    for (file, options) in
        [("a.png", ""), ("a.png", "--srgb"), ("a.png", "--depth 16"), ("a.npy", "")]
    {
        for (shader, differs) in [("steps.lv", false), ("other.lv", true)] {
            place.run_line(&format!("render {shader} {file} --size 9x8 {options}")).done();
            let srgb = if options == "--srgb" { options } else { "" };
            let found =
                place.run_line(&format!("trace steps.lv --compare {file} --size 9x8 {srgb}"));
            assert_eq!((found.status, found.err.as_str()), (differs.into(), ""));
            let text = found.text();
            match differs {
                false => {
                    assert!(text.contains("all pixels of 9x8 are the same: picture a."), "{text}");
                }
                true => {
                    assert!(text.starts_with("steps.lv: pixel (3, 2) of 9x8\n"), "{text}");
                    let third = text.lines().nth(2).expect("a third line");
                    assert!(
                        third.starts_with("picture a.") && third.ends_with(": different"),
                        "{third}"
                    );
                    assert!(text.contains("k = "), "{text}");
                    let same = place.run_line(&format!(
                        "trace steps.lv 4 2 --compare {file} --size 9x8 {srgb}"
                    ));
                    assert!(same.done().text().contains("]: the same\n"));
                }
            }
        }
    }
    place.fails(
        &["trace", "steps.lv", "--compare", "a.npy", "--size", "9x9"],
        2,
        "`a.npy` is of 9x8, and the picture of 9x9: give --size 9x8",
    );
    place.fails(
        &["trace", "steps.lv", "--compare", "a.npy", "--size", "9x8", "--srgb"],
        2,
        "leave out --srgb",
    );
    place.fails(&["trace", "steps.lv", "--compare", "steps.lv"], 1, "steps.lv");
}
