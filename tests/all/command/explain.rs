//! `lambdav explain`: the pages.

use super::harness::TestFolder;
use lambdav_core::diagnostics::DiagnosticCode;

#[test]
fn each_code_has_its_page() {
    let place = TestFolder::new();
    for &code in DiagnosticCode::ALL {
        let outcome = place.run(&["explain", code.as_str()]).done();
        assert_eq!(outcome.text(), code.page());
        let title = format!("# {}: {}\n", code.as_str(), code.title());
        assert!(outcome.text().starts_with(&title), "{}", outcome.text());
    }
    let outcome = place.run(&["explain", "lv0301"]).done();
    assert_eq!(outcome.text(), DiagnosticCode::UnboundName.page());
}

#[test]
fn without_a_code_all_are_listed() {
    let outcome = TestFolder::new().run(&["explain"]).done();
    let codes: Vec<&str> = outcome.text().lines().map(|line| &line[..6]).collect();
    let all: Vec<&str> = DiagnosticCode::ALL.iter().map(|code| code.as_str()).collect();
    assert_eq!(codes, all);
}

#[test]
fn other_codes_are_refused() {
    let place = TestFolder::new();
    for code in ["LV9999", "", "0301", "E0308", "λ"] {
        let message = format!("there is no diagnostic `{code}`; `lambdav explain` lists them all");
        place.fails(&["explain", code], 2, &message);
    }
}
