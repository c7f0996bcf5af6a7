//! Bytes to a syntax tree.

use super::{FuzzTarget, Reached};
use crate::seeds::Seeds;
use crate::text::Language;
use crate::text::random_text;
use lambdav_frontend::reduction::SourceProgram;
use lambdav_frontend::syntax::{ExprKind, Tree, decode, parse};
use lambdav_generate::{Random, unfit};

pub(super) struct Parse<'s> {
    pub(super) seeds: &'s Seeds,
}

impl FuzzTarget for Parse<'_> {
    fn name(&self) -> &'static str {
        "parse"
    }

    fn input(&self, random: &mut Random) -> Vec<u8> {
        match random.percent(10) {
            true => random_text(random),
            false => super::program(self.seeds, random),
        }
    }

    fn mutate(&self, input: &[u8], random: &mut Random) -> Vec<u8> {
        super::changed(input, &self.seeds.texts, Language::Program, random)
    }

    fn run(&self, input: &[u8], number: u64) -> Result<Reached, String> {
        let file = match decode("fuzz.lv", input.to_vec()) {
            Ok(file) => file,
            Err((file, diagnostic)) => {
                let what = unfit(&file, &[diagnostic], false);
                return what.map_or(Ok(Reached::default()), Err);
            }
        };
        let (tree, diagnostics) = parse(&file);
        let parsed = diagnostics.is_empty();
        if !parsed || number.is_multiple_of(8) {
            unfit(&file, &diagnostics, parsed).map_or(Ok(()), Err)?;
        }
        in_order(&tree, file.text().len())?;
        // The source evaluator resolves names by itself, in any tree.
        let accepted = SourceProgram::new(&tree).is_ok();
        Ok(Reached { parsed, accepted, computed: false })
    }
}

/// Checks that children stand before their lists in post-order, and inside their spans, and that each has one
/// parent.
fn in_order(tree: &Tree, length: usize) -> Result<(), String> {
    let mut owned = vec![false; tree.len()];
    for (id, expr) in tree.iter() {
        if expr.span.start > expr.span.end || expr.span.end as usize > length {
            return Err(format!("{:?} is not in the text", expr.span));
        }
        let ExprKind::List(parts) = &expr.kind else { continue };
        let mut end = expr.span.start;
        for &part in parts {
            let span = tree.get(part).span;
            if part >= id || std::mem::replace(&mut owned[part.index()], true) {
                return Err(format!("node {part:?} is not in post-order"));
            }
            if span.start < end || span.end > expr.span.end {
                return Err(format!("{span:?} is not in its place in {:?}", expr.span));
            }
            end = span.end;
        }
    }
    Ok(())
}
