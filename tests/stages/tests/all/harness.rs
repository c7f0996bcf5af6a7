//! The harness finds wrong files.

use lambdav_stages::run;

/// A case that passes.
const GOOD: &str = "; A sum.
;; command: lanes
(+ (.x (frag-coord)) (time))
;; lines 2 from: coordinate
;| v0: x f32 = coordinate x
;| v1: x f32 = add v0, v2
;; count 1: = add
;; not: = mul
";

/// The failures of a file, as line and beginning of the message.
#[track_caller]
fn fails(text: &str, expected: &[(usize, &str)]) {
    let outcome = run(text);
    let matches = outcome.failures.len() == expected.len()
        && outcome
            .failures
            .iter()
            .zip(expected)
            .all(|((line, message), (at, begins))| line == at && message.starts_with(begins));
    assert!(matches, "{:#?}\nof\n{text}", outcome.failures);
}

#[test]
fn a_right_file_passes_and_stays() {
    let blessed = run(GOOD).blessed;
    fails(&blessed, &[]);
    assert_eq!(run(&blessed).blessed, blessed);
}

#[test]
fn a_wrong_excerpt_is_found() {
    let good = run(GOOD).blessed;
    for (from, to) in [("= add v", "= sub v"), ("x f32 = add", "y f32 = add"), (", v2", ", v0")] {
        let wrong = good.replace(from, to);
        assert_ne!(wrong, good, "{from} is in\n{good}");
        fails(&wrong, &[(4, "expected")]);
        assert_eq!(run(&wrong).blessed, good, "blessed");
    }
    // Too few and too many lines.
    let short: Vec<&str> =
        good.lines().enumerate().filter(|(i, _)| *i != 5).map(|of| of.1).collect();
    fails(&short.join("\n"), &[(4, "expected")]);
    fails(&good.replace("\n;; count", "\n;| more\n;; count"), &[(4, "expected")]);
}

#[test]
fn ids_are_compared_up_to_renaming() {
    let good = run(GOOD).blessed;
    let renamed = good.replace("v0", "v70").replace("v1", "v5");
    assert_ne!(renamed, good);
    fails(&renamed, &[]);
    assert_eq!(run(&renamed).blessed, good);
}

#[test]
fn wrong_claims_are_found_and_stay() {
    let good = run(GOOD).blessed;
    let wrong = good
        .replace("count 1: = add", "count 2: = add")
        .replace("not: = mul", "not: = coordinate")
        .replace("from: coordinate", "from: coordinates");
    fails(&wrong, &[(4, "no line"), (7, "1 lines"), (8, "the output contains")]);
    assert_eq!(run(&wrong).blessed, wrong);
}

/// A text does not match a part of a word.
#[test]
fn words_are_whole() {
    let text = ";; command: lanes\n(num (mul-high 3u (uint (time))))\n";
    let of = |claim: &str| format!("{text};; {claim}\n");
    let program = run(&of("all lines")).failures;
    assert!(program[0].1.contains("= mul-high "), "{program:?}");
    fails(&of("not: = mul"), &[]);
    fails(&of("not: high"), &[]);
    fails(&of("count 1: = mul-high"), &[]);
}

#[test]
fn a_file_has_commands_and_checks() {
    fails("(time)\n", &[(1, "there is no command")]);
    fails(";; command: lanes\n(time)\n", &[(1, "the command has no check")]);
    fails("(time)\n;; not: x\n", &[(2, "a check follows a command")]);
    fails(
        ";; command: lanes\n(time)\n;; command: lanes --no-hoist\n;; not: nothing\n",
        &[(1, "the command has no check")],
    );
    fails(";; command: lanes\n;; case: a\n(time)\n", &[(2, "the command has no check")]);
    fails(";; command: lanes\n;; not: x\n;; case: a\n(time)\n", &[(3, "checks stand below")]);
}

#[test]
fn what_is_unknown_is_an_error() {
    let of = |command: &str, claim: &str| format!(";; command: {command}\n(time)\n;; {claim}\n");
    fails(&of("lines", "not: x"), &[(1, "`lines` is no command")]);
    fails(&of("lanes --many", "not: x"), &[(1, "the command has no option `--many`")]);
    fails(&of("lanes --width 3", "not: x"), &[(1, "`3` is no width")]);
    fails(&of("lanes --width", "not: x"), &[(1, "`--width` has no value")]);
    fails(&of("lanes", "never: x"), &[(3, "`never: x` is no directive")]);
    fails(&of("lanes", "not:"), &[(3, "`not:` has no text")]);
    fails(&of("lanes", "count 0: x"), &[(3, "`0` is no number above 0")]);
    fails(&of("lanes", "not: x\n;| x"), &[(4, "an expected line follows")]);
    fails(&of("lanes", "all lines\n\n;| x"), &[(5, "an expected line follows")]);
    fails(";; command: lanes\n(timr)\n;; not: x\n", &[(1, "the program is refused")]);
}

/// Cases share the head's text and command, and each may have commands of its own.
#[test]
fn cases_share_the_head() {
    let text = "(define a (.x (frag-coord)))
;; command: lanes
;; case: a sum
(+ a (time))
;; count 1: = add
;; case: in one lane, then in many
;; command: lanes --width one
(* a (time))
;; count 1: group f32 = mul
;; command: lanes
;; count 1: x f32 = mul
";
    fails(text, &[]);
    fails(&text.replace("= add", "= sub"), &[(5, "0 lines")]);
    fails(&text.replace(" x f32", " y f32"), &[(11, "0 lines")]);
}
