//! Mistakes in well-typed programs.
//!
//! Most results are ill-formed or ill-typed, but not all: an unused argument may have any type, and an edit
//! may fall into a comment. Callers must ask the compiler.

use crate::shrink::replace;
use crate::term::{GeneratedProgram, Term, TermKind, TermRole, TermShape};
use lambdav_test_support::Random;

/// A kind of change to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mistake {
    /// Removes a part of a list, but not its first.
    DroppedArgument,
    /// Adds an expression to a list.
    AddedArgument,
    /// Replaces an expression by one of another type.
    OtherType,
    /// Unbinds a name, or replaces it by another.
    UnboundName,
    /// Puts a `rec` outside of a tail, or into the body of another loop.
    MisplacedRec,
    /// Adds or removes a parenthesis.
    Parenthesis,
    /// Deletes, inserts or exchanges characters.
    Edit,
    /// Joins the beginning of one program and the end of another, or inserts an expression of another.
    Splice,
    /// Replaces a number by one that is malformed or out of range.
    Literal,
    /// Puts a reserved word, or a form's name, where a name is bound or used.
    Reserved,
    /// Changes a static argument of `rec`: another function, or another structure that holds functions, than
    /// the parameter.
    Changed,
}

/// Tokens that start like numbers; most are malformed or out of range.
const LITERALS: [&str; 18] = [
    "1e39",
    "-1e39",
    "3.5e38",
    "340282356779733661637539395458142568448",
    "1e999999999",
    "1x",
    "1.2.3",
    "0x10",
    "1e",
    "1e+",
    "-.5.",
    "1_000",
    "+1-",
    "4",
    "4294967296",
    "99999999999999999999",
    "1e-999",
    "-0",
];

/// Reserved words and names of forms and types.
const WORDS: [&str; 15] = [
    "define",
    "discard-if",
    "state",
    "output",
    "uniform",
    "let",
    "let*",
    "func",
    "rec-func",
    "if",
    "the",
    "rec",
    "true",
    "false",
    "num",
];

/// Characters to insert.
const CHARACTERS: [&str; 16] =
    ["(", ")", " ", "\n", ";", ".", "-", "+", "0", "e", "x", "λ", "\t", "\"", "\u{a0}", "9"];

impl Mistake {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::DroppedArgument,
        Self::AddedArgument,
        Self::OtherType,
        Self::UnboundName,
        Self::MisplacedRec,
        Self::Parenthesis,
        Self::Edit,
        Self::Splice,
        Self::Literal,
        Self::Reserved,
        Self::Changed,
    ];

    /// The text of `program` with this mistake; `None` if the program has no place for it. `other` is a
    /// second program, for splices.
    pub fn make(
        self,
        program: &GeneratedProgram,
        other: &GeneratedProgram,
        random: &mut Random,
    ) -> Option<String> {
        match self {
            Self::Parenthesis | Self::Edit => {
                let text = program.to_string();
                Some(if self == Self::Edit {
                    edit(&text, random)
                } else {
                    unbalance(&text, random)
                })
            }
            Self::Splice if random.percent(50) => {
                let (text, end) = (program.to_string(), other.to_string());
                let (at, from) = (place(&text, random), place(&end, random));
                Some(format!("{}{}", &text[..at], &end[from..]))
            }
            _ => Some(self.change(program, other, random)?.to_string()),
        }
    }

    fn change(
        self,
        program: &GeneratedProgram,
        other: &GeneratedProgram,
        random: &mut Random,
    ) -> Option<GeneratedProgram> {
        let all = sites(program);
        let expressions = |all: &[Site<'_>]| -> Vec<Term> {
            let terms = all.iter().map(|site| site.term);
            terms.filter(|term| term.kind().is_some()).cloned().collect()
        };
        let pick = |random: &mut Random, accepts: &dyn Fn(&Term) -> bool| {
            let fitting: Vec<Site<'_>> =
                all.iter().filter(|site| accepts(site.term)).copied().collect();
            (!fitting.is_empty()).then(|| *random.pick(&fitting))
        };
        let is_list = |term: &Term| term.parts().len() >= 2;
        let (site, new) = match self {
            Self::DroppedArgument => {
                let site = pick(random, &is_list)?;
                let mut parts = site.term.parts().to_vec();
                parts.remove(random.between(1, parts.len() - 1));
                (site, with_parts(site.term, parts))
            }
            Self::AddedArgument => {
                let site = pick(random, &is_list)?;
                let mut parts = site.term.parts().to_vec();
                let all = expressions(&all);
                let added =
                    if all.is_empty() { Term::word("1") } else { random.pick(&all).clone() };
                parts.insert(random.between(1, parts.len()), added);
                (site, with_parts(site.term, parts))
            }
            Self::OtherType => {
                let is_value = |term: &Term| matches!(term.kind(), Some(TermKind::Value(_)));
                let site = pick(random, &is_value)?;
                let kind = site.term.kind().cloned();
                let mut others = expressions(&all);
                others.retain(|other| other.kind() != kind.as_ref());
                let constants = ["true", "1", "(vec2 1)", "(bvec3 true)", "(mat2 1)", "sin"];
                others.extend(constants.map(Term::word));
                (site, random.pick(&others).clone())
            }
            Self::UnboundName => {
                let is_name = |term: &Term| name(term).is_some();
                let removes =
                    |term: &Term| term.role == TermRole::Bindings && !term.parts().is_empty();
                match random.below(3) {
                    0 if pick(random, &removes).is_some() => {
                        let site = pick(random, &removes)?;
                        let mut parts = site.term.parts().to_vec();
                        parts.remove(random.below(parts.len()));
                        (site, with_parts(site.term, parts))
                    }
                    1 => {
                        let (site, from) = (pick(random, &is_name)?, pick(random, &is_name)?);
                        (site, from.term.clone())
                    }
                    _ => {
                        let site = pick(random, &is_name)?;
                        (site, Term::word(format!("{}'", name(site.term)?)))
                    }
                }
            }
            Self::MisplacedRec => {
                let is_rec = |term: &Term| {
                    term.parts().first().is_some_and(|head| name(head) == Some("rec"))
                };
                let rec = pick(random, &is_rec)?;
                let call = rec.term.clone();
                match random.below(3) {
                    0 => {
                        let around = *random.pick(&[
                            ["(+ 1 ", ")"],
                            ["(the num ", ")"],
                            ["((func (x) (- x)) ", ")"],
                            ["(if ", " 1 2)"],
                            ["((rec-func (n) (if (< n 1) n (rec (- n 1)))) ", ")"],
                        ]);
                        (rec, Term::word(format!("{}{call}{}", around[0], around[1])))
                    }
                    1 => {
                        let site = pick(random, &|term| term.kind().is_some())?;
                        (site, call)
                    }
                    _ => {
                        let site = pick(random, &|term| name(term).is_some())?;
                        (site, Term::word("rec"))
                    }
                }
            }
            Self::Splice => {
                let site = pick(random, &|term| term.kind().is_some())?;
                let others = expressions(&sites(other));
                let fitting: Vec<&Term> =
                    others.iter().filter(|other| other.kind() == site.term.kind()).collect();
                match fitting.is_empty() || random.percent(40) {
                    true if others.is_empty() => return None,
                    true => (site, random.pick(&others).clone()),
                    false => (site, (*random.pick(&fitting)).clone()),
                }
            }
            Self::Literal => {
                let is_number = |term: &Term| atom(term).is_some_and(starts_like_a_number);
                (pick(random, &is_number)?, Term::word(*random.pick(&LITERALS)))
            }
            Self::Reserved => {
                let site = pick(random, &|term| name(term).is_some())?;
                (site, Term::word(*random.pick(&WORDS)))
            }
            Self::Changed => {
                let is_function = |term: &Term| match term.kind() {
                    Some(TermKind::Static(name)) => name.starts_with('f'),
                    Some(TermKind::Whole(..)) => true,
                    _ => false,
                };
                let site = pick(random, &is_function)?;
                (site, changed(site.term, random)?)
            }
            Self::Parenthesis | Self::Edit => return None,
        };
        let (form, at) = (site.form, site.at);
        let mut changed = program.clone();
        replace(&mut changed.forms[form], at, &new);
        Some(changed)
    }
}

/// A term similar to a function parameter, or to a parameter that holds functions, but not the parameter
/// itself.
fn changed(parameter: &Term, random: &mut Random) -> Option<Term> {
    let held = match parameter.kind()? {
        TermKind::Whole(name, held) => Some((name, held)),
        _ => None,
    };
    let Some((name, held)) = held else {
        let text = format!("(func (one) ({parameter} one))");
        return Some(Term::word(text));
    };
    let (field, kind) = random.pick(&held.fields);
    let structure = &held.structure;
    Some(Term::word(match (random.below(4), kind) {
        (0, _) => format!("(with {name} ({field} (.{field} {name})))"),
        (1, _) => {
            let fields = held.fields.iter().map(|(field, _)| format!(" (.{field} {name})"));
            format!("({structure}{})", fields.collect::<String>())
        }
        (2, _) => format!("(if (< 0 1) {name} (with {name} ({field} (.{field} {name}))))"),
        (_, TermKind::Function(_)) => format!("(with {name} ({field} (func (one) one)))"),
        _ => format!("(.{field} {name})"),
    }))
}

/// A term of a program: the form's index, and the term's preorder number in it.
#[derive(Clone, Copy)]
struct Site<'p> {
    form: usize,
    at: usize,
    term: &'p Term,
}

fn sites(program: &GeneratedProgram) -> Vec<Site<'_>> {
    fn visit<'p>(term: &'p Term, form: usize, at: &mut usize, all: &mut Vec<Site<'p>>) {
        all.push(Site { form, at: *at, term });
        *at += 1;
        term.parts().iter().for_each(|part| visit(part, form, at, all));
    }
    let mut all = Vec::new();
    for (form, term) in program.forms.iter().enumerate() {
        visit(term, form, &mut 0, &mut all);
    }
    all
}

fn with_parts(term: &Term, parts: Vec<Term>) -> Term {
    Term { role: term.role.clone(), shape: TermShape::List(parts) }
}

fn atom(term: &Term) -> Option<&str> {
    match &term.shape {
        TermShape::Atom(text) => Some(text),
        TermShape::List(_) => None,
    }
}

fn name(term: &Term) -> Option<&str> {
    atom(term).filter(|text| !starts_like_a_number(text) && !matches!(*text, "true" | "false"))
}

fn starts_like_a_number(text: &str) -> bool {
    let unsigned = text.trim_start_matches(['+', '-']);
    unsigned.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit())
}

/// A random character boundary.
fn place(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Deletes or doubles a parenthesis.
fn unbalance(text: &str, random: &mut Random) -> String {
    let all: Vec<usize> = text.match_indices(['(', ')']).map(|(at, _)| at).collect();
    if all.is_empty() {
        return format!("{text})");
    }
    let at = *random.pick(&all);
    match random.percent(50) {
        true => format!("{}{}", &text[..at], &text[at + 1..]),
        false => format!("{}{}", &text[..=at], &text[at..]),
    }
}

/// Deletes, inserts or exchanges a few characters.
fn edit(text: &str, random: &mut Random) -> String {
    let mut characters: Vec<char> = text.chars().collect();
    for _ in 0..random.between(1, 4) {
        let at = random.below(characters.len() + 1);
        match random.below(3) {
            0 => characters.splice(at..at, random.pick(&CHARACTERS).chars()).for_each(drop),
            1 if at < characters.len() => {
                let end = (at + random.between(1, 3)).min(characters.len());
                characters.drain(at..end);
            }
            _ if at + 1 < characters.len() => characters.swap(at, at + 1),
            _ => {}
        }
    }
    characters.into_iter().collect()
}
