//! The pages of WGSL's errors: the first text of a page has the error, the second one none.

use lambdav_core::diagnostics::DiagnosticCode;
use lambdav_core::files::NoFiles;
use lambdav_core::source::SourceFile;
use lambdav_wgsl_frontend::{Compiled, Options, compile};

fn compiled(text: &str) -> Compiled {
    let options = Options::default();
    compile(SourceFile::new("page.wgsl", text), &options, &mut NoFiles)
}

/// The fenced texts of a page.
fn texts(page: &str) -> Vec<&str> {
    page.split("```").skip(1).step_by(2).filter_map(|part| part.strip_prefix("text\n")).collect()
}

#[test]
fn each_page_shows_its_error_and_the_mended_text() {
    let codes = DiagnosticCode::ALL.iter().filter(|code| {
        let number: u32 = code.as_str()[2..].parse().expect("a number");
        (631..=644).contains(&number)
    });
    let mut seen = 0;
    for code in codes {
        let texts = texts(code.page());
        let [wrong, mended] = texts[..] else { panic!("{} has two texts", code.as_str()) };
        let found = compiled(wrong).diagnostics;
        assert!(found.iter().any(|of| of.code == *code), "{}: {found:?}", code.as_str());
        assert_eq!(found.len(), 1, "{}: one mistake is one error: {found:?}", code.as_str());
        // An import is mended by a file that a page does not have.
        if *code == DiagnosticCode::WgslDirective {
            seen += 1;
            continue;
        }
        let mended = compiled(mended);
        assert!(
            mended.words.is_some() && mended.diagnostics.is_empty(),
            "{}: {:?}",
            code.as_str(),
            mended.diagnostics
        );
        seen += 1;
    }
    assert_eq!(seen, 14);
}
