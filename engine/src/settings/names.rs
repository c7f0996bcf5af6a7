//! Suggestions for unknown names.

use lambdav_core::diagnostics::nearest_name;

/// Suggests a similar name, or lists all names.
pub(super) fn instead<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest_name(name, names.clone()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => listed(&names.collect::<Vec<_>>()),
    }
}

/// Lists the names.
pub(super) fn all_of<'a>(names: impl Iterator<Item = &'a str>) -> String {
    const SOME: usize = 20;
    let mut names: Vec<&str> = names.take(SOME + 1).collect();
    if names.len() > SOME {
        names[SOME] = "…";
    }
    listed(&names)
}

fn listed(names: &[&str]) -> String {
    match names {
        [] => "it has none".to_owned(),
        names => format!("it has {}", names.join(", ")),
    }
}

/// Name of a type with its indefinite article.
pub(super) fn with_article(name: &str) -> String {
    let article = if name.starts_with(['a', 'e', 'i', 'o']) { "an" } else { "a" };
    format!("{article} {name}")
}

/// Suggests a similar name and lists all names.
pub(super) fn instead_of<'a>(name: &str, names: impl Iterator<Item = &'a str> + Clone) -> String {
    let near = nearest_name(name, names.clone());
    let near = near.map_or(String::new(), |near| format!("did you mean `{near}`? "));
    format!("{near}{}", all_of(names))
}
