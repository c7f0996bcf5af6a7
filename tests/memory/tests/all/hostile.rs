//! Changed core texts: each is refused or runs, without a panic.

use lambdav_core::core_text::{print, read};
use lambdav_core::evaluate::{Dispatch, Memory};
use lambdav_core::inputs::Inputs;
use lambdav_core::schedule::schedule_effects;
use lambdav_core::source::SourceFile;
use lambdav_memory_tests::{generate, graph};
use lambdav_test_support::Random;

/// The values that a text defines, with their types.
fn definitions(text: &str) -> Vec<(&str, &str)> {
    let words: Vec<&str> = text.split([' ', '\n', ',', '(', ')']).collect();
    let pairs = words.windows(2).filter(|pair| pair[0].starts_with('%') && pair[0].ends_with(':'));
    pairs.map(|pair| (pair[0].trim_end_matches(':'), pair[1])).collect()
}

/// Deletes or moves a line, or replaces a use of a value by another value of its type, more often a state.
fn changed(text: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let (at, other) = (1 + random.below(lines.len() - 1), 1 + random.below(lines.len() - 1));
    match random.below(10) {
        0 => drop(lines.remove(at)),
        1 => {
            let line = lines.remove(at);
            lines.insert(other.min(lines.len()), line);
        }
        _ => {
            let defined = definitions(text);
            let (mut at, mut tries) = (at, 0);
            // Lines that pass states on.
            while tries < 40
                && !["store", "barrier", "rec", "construct"].iter().any(|of| lines[at].contains(of))
            {
                (at, tries) = (1 + random.below(lines.len() - 1), tries + 1);
            }
            let line = lines[at].clone();
            let (head, uses) = line.split_once(" = ").unwrap_or(("", &line));
            let all: Vec<&str> =
                uses.split([' ', ',']).filter(|word| word.starts_with('%')).collect();
            if let Some(used) = all.first().map(|_| *random.pick(&all)) {
                let ty = defined.iter().find(|(name, _)| *name == used).map(|(_, ty)| *ty);
                let equal: Vec<&str> = defined
                    .iter()
                    .filter(|(_, of)| Some(*of) == ty)
                    .map(|(name, _)| *name)
                    .collect();
                if !equal.is_empty() {
                    let new = *random.pick(&equal);
                    let replaced: Vec<String> = uses
                        .split(' ')
                        .map(|word| match word.trim_end_matches(',') == used {
                            true => word.replace(used, new),
                            false => word.to_owned(),
                        })
                        .collect();
                    let separator = if head.is_empty() { "" } else { " = " };
                    lines[at] = format!("{head}{separator}{}", replaced.join(" "));
                }
            }
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn changed_texts_are_refused_or_run() {
    let (mut accepted, mut refused) = (0, 0);
    for seed in 0..400 {
        let program = generate(seed);
        let text = print(&graph::build(&program), None).expect("it is right");
        let mut random = Random::new(seed);
        for _ in 0..8 {
            let text = changed(&text, &mut random);
            let Some(core) = read(&SourceFile::new("a.core", &*text)).0 else { continue };
            let memories: Vec<usize> = core.graph.types().memories().map(|(of, _)| of).collect();
            let Ok(scheduled) = schedule_effects(&core, &memories) else {
                refused += 1;
                continue;
            };
            accepted += 1;
            let Some(workgroup) = core.workgroup else { continue };
            let dispatch = Dispatch { workgroup, groups: [1, 1, 1] };
            let memory = Memory::new(&scheduled.types);
            // Any outcome is right, also a fault.
            drop(dispatch.run(&scheduled, &Inputs::default(), memory, 20, &|_| false));
        }
    }
    println!("{accepted} are accepted, {refused} refused when they are scheduled");
    assert!(accepted > 100 && refused > 20);
}
