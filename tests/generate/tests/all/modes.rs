//! Removal of `@` and `$`.

use lambdav_core::source::SourceFile;
use lambdav_generate::suite::without_modes;

#[test]
fn what_is_inside_stays_where_it_is() {
    let source = SourceFile::new("a.lv", "(+ (@ ($ 1)) ; (@ 2)\n x)");
    let without = without_modes(&source).expect("it has some");
    assert_eq!(without.text(), "(+       1   ; (@ 2)\n x)");
    assert!(without_modes(&without).is_none());
}
