//! What to say of a name that there is not.

use lambdav_core::diagnostics::nearest_name;

/// Which name may have been meant in place of one that none of these is.
pub(super) fn instead<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest_name(name, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => match &*names.collect::<Vec<_>>() {
            [] => "it has none".to_owned(),
            names => format!("it has {}", names.join(", ")),
        },
    }
}
