//! Macros of GLSL: an upper bound of the cost of their expansion, computed before anything is expanded.
//!
//! The preprocessor expands the arguments of a macro first, so that a few lines of nested macros can
//! take hours and all memory within one call. [`check`] bounds the number of tokens that it processes
//! from above, in time linear in the text. A macro counts as defined wherever the text has its
//! `#define`, even in a branch that is not taken, and its cost is computed once for all uses. If the
//! bound is small enough, the tokens are produced and counted, with their nesting.
//!
//! The bound works as follows. A token counts once per copy: an argument is copied once per occurrence
//! of its parameter in the body, and arguments nest. The name of a macro counts as its body. The name
//! of a macro with parameters, without arguments, may receive its arguments anywhere (`#define TWICE(F)
//! F(F)`), and parentheses that macros open or close may belong to other macros; in both cases the
//! worst one counts.

use super::budget::Budget;
use super::directives::{Definition, Parts, is_punct};
use super::nesting::{GLSL_OPERATOR, NestingToken};
use lambdav_core::source::Span;
use pp_rs::pp::Preprocessor;
use pp_rs::token::{PreprocessorError, Punct, Token, TokenValue};
use rustc_hash::{FxHashMap, FxHashSet};

/// Most tokens that the preprocessor may process, copies included.
const WORK: u64 = 1 << 22;

/// Deepest nesting of macro uses, in arguments and in bodies: expansion recurses.
const LEVELS: u64 = 200;

/// Most tokens of an expanded condition: its parser recurses.
const CONDITION: u64 = 2_000;

/// An exceeded limit and its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMuch {
    pub(super) span: Span,
    pub(super) what: &'static str,
}

/// Reason to refuse a text.
#[derive(Debug, PartialEq)]
pub(super) enum Refused {
    TooMuch(TooMuch),
    /// The preprocessor reports an error.
    Wrong(Span, PreprocessorError),
}

/// Checks the cost of macro expansion, and then the expanded tokens against naga's limits.
///
/// naga refuses a text with a preprocessor error but reads on, and macros after the error expand in
/// lines that begin as directives. So the first error is reported here, and nothing after it is read.
pub(super) fn check(text: &str) -> Result<(), Refused> {
    let parts = Parts::new(text);
    bound(&parts).map_err(Refused::TooMuch)?;
    let mut budget = Budget::default();
    for token in Preprocessor::new(text) {
        let token = token.map_err(|(error, at)| {
            // The lexer does not report where it stopped.
            let place = match parts.unknown {
                Some(start) if (at.start, at.end) == (0, 0) => {
                    let length = text[start..].chars().next().map_or(0, char::len_utf8);
                    Span::new(start as u32, (start + length) as u32)
                }
                _ => Span::new(at.start, at.end),
            };
            Refused::Wrong(place, error)
        })?;
        let span = span(&token);
        let taken = budget.take(nesting_token(&token), GLSL_OPERATOR);
        taken.map_err(|what| Refused::TooMuch(TooMuch { span, what }))?;
    }
    Ok(())
}

fn span(token: &Token) -> Span {
    Span::new(token.location.start, token.location.end)
}

fn nesting_token(token: &Token) -> NestingToken {
    match &token.value {
        TokenValue::Ident(name) => NestingToken::word(name),
        TokenValue::Punct(punct) => match punct {
            Punct::LeftParen => NestingToken::Open(b'('),
            Punct::RightParen => NestingToken::Close(b')'),
            Punct::LeftBracket => NestingToken::Open(b'['),
            Punct::RightBracket => NestingToken::Close(b']'),
            Punct::LeftBrace => NestingToken::Open(b'{'),
            Punct::RightBrace => NestingToken::Close(b'}'),
            Punct::Comma => NestingToken::Comma,
            Punct::Semicolon => NestingToken::Semicolon,
            _ => NestingToken::Operator,
        },
        _ => NestingToken::Operand,
    }
}

/// Cost of a use of a macro without its arguments; the maximum over its definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cost {
    tokens: u64,
    /// Number of copies of an argument.
    copies: u64,
    /// Depth of macro uses in the body.
    levels: u64,
    /// Parentheses opened but not closed.
    opens: usize,
}

const NOTHING: Cost = Cost { tokens: 0, copies: 1, levels: 0, opens: 0 };

impl Cost {
    fn most(self, other: Self) -> Self {
        Self {
            tokens: self.tokens.max(other.tokens),
            copies: self.copies.max(other.copies),
            levels: self.levels.max(other.levels),
            opens: self.opens.max(other.opens),
        }
    }
}

const RECURSIVE: &str = "macros lead back to themselves in more than one way";
const PARENTHESES: &str = "macros close or open parentheses of one another";
const LARGE: &str = "macros expand to too much";
const DEEP: &str = "uses of macros nest too deep";

/// Macros of a text and their costs.
struct Bound<'a> {
    macros: FxHashMap<&'a str, Vec<&'a Definition>>,
    /// Costs of the macros visited so far, or the reason why there is no bound.
    costs: FxHashMap<&'a str, Result<Cost, &'static str>>,
    /// Macros whose bodies are being visited, outermost first.
    active: Vec<&'a str>,
    /// Maximal cost of the macros whose names occur without arguments, if there are any.
    floating: Option<Cost>,
    /// True while `floating` is being computed.
    is_finding: bool,
}

/// Bounds the work of the preprocessor.
fn bound(parts: &Parts) -> Result<(), TooMuch> {
    let mut bound = Bound {
        macros: FxHashMap::default(),
        costs: FxHashMap::default(),
        active: Vec::new(),
        floating: None,
        is_finding: true,
    };
    for (name, definition) in &parts.definitions {
        bound.macros.entry(name).or_default().push(definition);
    }
    let Parts { definitions, conditions, rest, directives, .. } = parts;
    let bodies = definitions.iter().map(|(_, definition)| &definition.body);
    let all = bodies.chain(conditions).chain([rest]);
    let floating: FxHashSet<&str> =
        all.flat_map(|tokens| bound.without_arguments(tokens)).collect();
    for name in floating {
        let cost = bound.cost(name).map_err(|what| {
            let first = rest.first().map(span).unwrap_or_default();
            TooMuch { span: first, what }
        })?;
        bound.floating = Some(bound.floating.map_or(cost, |worst| worst.most(cost)));
    }
    (bound.is_finding, bound.costs) = (false, FxHashMap::default());
    let at =
        |tokens: &[Token], (index, what): (usize, _)| TooMuch { span: span(&tokens[index]), what };
    for condition in conditions {
        bound.walk(condition, &[], CONDITION).map_err(|wrong| at(condition, wrong))?;
    }
    let within = bound.walk_text(rest, directives);
    within.map_err(|wrong| at(rest, wrong))
}

/// An open pair of parentheses.
#[derive(Debug)]
struct Open {
    /// Copies of each token before it.
    copies: u64,
    /// True if it encloses the arguments of a macro.
    is_use: bool,
}

/// State and result of a walk over tokens.
#[derive(Debug)]
struct Walk {
    cost: Cost,
    open: Vec<Open>,
    /// Copies of each token here.
    copies: u64,
    /// Macro uses whose arguments enclose the current token.
    levels: u64,
    /// Copies of each parameter.
    uses: Vec<u64>,
    /// Copies of the macro's own name.
    itself: u64,
    /// Copies of each argument, if parentheses follow now.
    head: Option<u64>,
}

impl<'a> Bound<'a> {
    /// Macros with parameters that occur among the tokens without arguments.
    fn without_arguments(&self, tokens: &[Token]) -> Vec<&'a str> {
        let mut found = Vec::new();
        for (index, token) in tokens.iter().enumerate() {
            let TokenValue::Ident(name) = &token.value else { continue };
            let Some((name, all)) = self.macros.get_key_value(name.as_str()) else { continue };
            let open = tokens.get(index + 1).is_some_and(|next| is_punct(next, Punct::LeftParen));
            if !open && all.iter().any(|definition| definition.parameters.is_some()) {
                found.push(*name);
            }
        }
        found
    }

    /// Cost of a use of a macro.
    fn cost(&mut self, name: &'a str) -> Result<Cost, &'static str> {
        if let Some(known) = self.costs.get(name) {
            return *known;
        }
        if self.active.contains(&name) {
            return Err(RECURSIVE);
        }
        if self.active.len() as u64 >= LEVELS {
            return Err(DEEP);
        }
        self.active.push(name);
        let definitions = self.macros[name].clone();
        let mut costs = definitions.iter().map(|definition| self.cost_of(definition));
        let first = costs.next().expect("a macro has a definition");
        let cost = first.and_then(|first| {
            costs.try_fold(first, |most, cost| {
                let cost = cost?;
                let same = cost.opens == most.opens;
                if same { Ok(most.most(cost)) } else { Err(PARENTHESES) }
            })
        });
        self.active.pop();
        self.costs.insert(name, cost);
        cost
    }

    fn cost_of(&mut self, definition: &Definition) -> Result<Cost, &'static str> {
        let parameters = definition.parameters.as_deref().unwrap_or_default();
        let walk = self.walk(&definition.body, parameters, WORK).map_err(|(_, what)| what)?;
        let copies = walk.uses.iter().copied().max().unwrap_or(1).max(1);
        let mut cost = Cost { copies, opens: walk.open.len(), ..walk.cost };
        if walk.open.iter().any(|open| open.is_use) {
            return Err(PARENTHESES);
        }
        // If the result is an argument, it is expanded again at each level.
        match walk.itself {
            0 => {}
            1 if copies == 1 => cost.tokens = cost.tokens.saturating_mul(LEVELS),
            _ => return Err(RECURSIVE),
        }
        Ok(cost)
    }

    /// Walks over the text outside of directives.
    fn walk_text(
        &mut self,
        tokens: &[Token],
        directives: &[usize],
    ) -> Result<(), (usize, &'static str)> {
        let mut walk = Walk::new(0);
        let mut directives = directives.iter().peekable();
        for index in 0..tokens.len() {
            while directives.next_if(|&&at| at <= index).is_some() {
                // Parentheses in a branch that is not taken do not count, so a directive inside a use
                // is ambiguous.
                if walk.levels > 0 {
                    return Err((index, PARENTHESES));
                }
            }
            self.step(&mut walk, tokens, index, &[], WORK).map_err(|what| (index, what))?;
        }
        Ok(())
    }

    /// Walks over the tokens of a body or a condition.
    fn walk(
        &mut self,
        tokens: &[Token],
        parameters: &[String],
        limit: u64,
    ) -> Result<Walk, (usize, &'static str)> {
        let mut walk = Walk::new(parameters.len());
        for index in 0..tokens.len() {
            if is_punct(&tokens[index], Punct::RightParen) && walk.open.is_empty() {
                return Err((index, PARENTHESES));
            }
            self.step(&mut walk, tokens, index, parameters, limit).map_err(|what| (index, what))?;
        }
        Ok(walk)
    }

    fn step(
        &mut self,
        walk: &mut Walk,
        tokens: &[Token],
        index: usize,
        parameters: &[String],
        limit: u64,
    ) -> Result<(), &'static str> {
        walk.count(1);
        let head = walk.head.take();
        match &tokens[index].value {
            TokenValue::Punct(Punct::LeftParen) => {
                walk.open.push(Open { copies: walk.copies, is_use: head.is_some() });
                if let Some(copies) = head {
                    walk.copies = walk.copies.saturating_mul(copies);
                    walk.levels += 1;
                }
            }
            TokenValue::Punct(Punct::RightParen) => {
                if let Some(open) = walk.open.pop() {
                    walk.copies = open.copies;
                    if open.is_use {
                        walk.levels -= 1;
                        // The result may be the name of another macro.
                        if opens(tokens, index) {
                            self.take_any(walk)?;
                        }
                    }
                }
            }
            TokenValue::Ident(name) => {
                let parameter = parameters.iter().position(|parameter| parameter == name);
                let of = self.macros.get_key_value(name.as_str());
                if let Some(parameter) = parameter {
                    let uses = &mut walk.uses[parameter];
                    *uses = uses.saturating_add(walk.copies);
                    if opens(tokens, index) {
                        self.take_any(walk)?;
                    }
                } else if self.active.last().is_some_and(|active| active == name) {
                    walk.itself = walk.itself.saturating_add(walk.copies);
                } else if let Some((&name, definitions)) = of {
                    let is_named = |of: &&Definition| of.parameters.is_none();
                    let some_named = definitions.iter().any(is_named);
                    let all_named = definitions.iter().all(is_named);
                    let cost = self.cost(name)?;
                    walk.take(cost);
                    let same = |copies| Open { copies, is_use: false };
                    let copies = walk.copies;
                    walk.open.extend(std::iter::repeat_with(|| same(copies)).take(cost.opens));
                    if opens(tokens, index) {
                        if some_named {
                            self.take_any(walk)?;
                        }
                        if !all_named {
                            walk.head = walk.head.max(Some(cost.copies));
                        }
                    }
                }
            }
            _ => {}
        }
        if walk.cost.levels > LEVELS {
            return Err(DEEP);
        }
        if walk.cost.tokens > limit { Err(LARGE) } else { Ok(()) }
    }

    /// Charges the worst macro that occurs without arguments: any of them may receive its arguments
    /// here.
    fn take_any(&self, walk: &mut Walk) -> Result<(), &'static str> {
        match self.floating {
            // It may be any macro, even the current one: not known yet.
            _ if self.is_finding => Err(RECURSIVE),
            Some(cost) => {
                walk.take(cost);
                walk.head = Some(cost.copies);
                Ok(())
            }
            None => Ok(()),
        }
    }
}

impl Walk {
    fn new(parameters: usize) -> Self {
        Self {
            cost: NOTHING,
            open: Vec::new(),
            copies: 1,
            levels: 0,
            uses: vec![0; parameters],
            itself: 0,
            head: None,
        }
    }

    /// Counts tokens; each level of arguments processes them again.
    fn count(&mut self, tokens: u64) {
        let times = self.copies.saturating_mul(1 + self.levels);
        self.cost.tokens = self.cost.tokens.saturating_add(tokens.saturating_mul(times));
    }

    fn take(&mut self, cost: Cost) {
        self.count(cost.tokens);
        self.cost.levels = self.cost.levels.max(self.levels + 1 + cost.levels);
    }
}

/// True if an opening parenthesis follows the token.
fn opens(tokens: &[Token], index: usize) -> bool {
    tokens.get(index + 1).is_some_and(|next| is_punct(next, Punct::LeftParen))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(text: &str, what: &str) {
        match check(text).expect_err("it is refused") {
            Refused::TooMuch(found) => assert_eq!(found.what, what),
            wrong => panic!("{wrong:?}"),
        }
    }

    #[track_caller]
    fn wrong_at(text: &str, place: &str) {
        match check(text).expect_err("it is refused") {
            Refused::Wrong(at, _) => {
                assert_eq!(&text[at.start as usize..at.end as usize], place, "{text}");
            }
            other => panic!("{other:?}: {text}"),
        }
    }

    /// The rest of the line of a wrong directive would expand.
    #[test]
    fn nothing_behind_a_wrong_directive_expands() {
        let calls = nested(24, |i| format!("(x) A{i}(A{i}(x))"));
        let macros = format!("#define A0(x) (x+1.0)\n{calls}");
        for (line, place) in [
            ("#defe m(x) A23(1.0)", "defe"),
            ("#error A23(1.0)", "error"),
            ("#define m(1) A23(1.0)", "1"),
            ("#undef m 1 A23(1.0)", "1"),
            ("#if 1\n#else 2 A23(1.0)\n#endif", "2"),
            ("#if 1\n#endif 3 A23(1.0)", "3"),
            ("#ifdef m 4 A23(1.0)\n#endif", "4"),
            ("float x = 1.0 @ + A23(1.0);", "@"),
        ] {
            wrong_at(&format!("{macros}{line}\nvoid main() {{}}\n"), place);
        }
        // These are no directives.
        refused(&format!("{macros}<#define m(x) A23(1.0)\nvoid main() {{}}\n"), LARGE);
        refused(&format!("{macros}x #error A23(1.0)\nvoid main() {{}}\n"), LARGE);
    }

    /// The end of a directive's line is found exactly.
    #[test]
    fn macros_behind_the_line_of_a_directive_count() {
        let calls = nested(24, |i| format!("(x) A{i}(A{i}(x))"));
        let macros = format!("#define A0(x) (x+1.0)\n{calls}");
        for line in [
            "#define m /* one */\n/* two */ float y = A23(1.0);",
            "#define m // one \n/* two */ float y = A23(1.0);",
            "\\\n#define m(x) A23(x)\nfloat y = m(1.0);",
            "#\\\ndefine m(x) A23(x)\nfloat y = m(1.0);",
            "/* one */ # /* two\n */ define m\\\n(x) A23(x)\nfloat y = m(1.0);",
        ] {
            refused(&format!("{macros}{line}\nvoid main() {{}}\n"), LARGE);
        }
    }

    #[track_caller]
    fn accepted(text: &str) {
        assert_eq!(check(text), Ok(()), "{text}");
    }

    fn nested(count: usize, body: impl Fn(usize) -> String) -> String {
        let lines = (1..count).map(|index| format!("#define A{index}{}\n", body(index - 1)));
        lines.collect()
    }

    #[test]
    fn nested_macros_are_refused_before_they_are_expanded() {
        let words = nested(14, |i| format!(" A{i} A{i} A{i} A{i}"));
        refused(&format!("#define A0 +1.0\n{words}void main() {{ x = 0.0 A13; }}"), LARGE);
        let calls = nested(24, |i| format!("(x) A{i}(A{i}(x))"));
        refused(&format!("#define A0(x) (x+1.0)\n{calls}void main() {{ x = A23(1.0); }}"), LARGE);
        let copies = "A(".repeat(30) + "1" + &")".repeat(30);
        refused(&format!("#define A(x) (x x)\nfloat y = {copies};"), LARGE);
        refused(&format!("#define A(x) (x x)\n#if {copies}\n#endif\n"), LARGE);
        let deep = "A(".repeat(3000) + "1" + &")".repeat(3000);
        refused(&format!("#define A(x) x\nfloat y = {deep};"), DEEP);
    }

    #[test]
    fn names_that_find_their_arguments_later_count() {
        refused("#define A(F) F(F) F(F)\nfloat x = A(A);", RECURSIVE);
        let calls = nested(24, |i| format!("(x) A{i}(A{i}(x))"));
        let text = format!("#define A0(x) (x+1.0)\n{calls}#define B A23\nfloat x = B (1.0);");
        refused(&text, LARGE);
        let text = format!("#define A0(x) (x+1.0)\n{calls}#define U(F) F(1.0)\nfloat x = U(A23);");
        refused(&text, LARGE);
    }

    #[test]
    fn macros_that_lead_back_are_refused_where_they_multiply() {
        refused("#define A A A\nfloat x = A;", RECURSIVE);
        refused("#define A(x) B(x)\n#define B(x) A(x)\nfloat x = A(1);", RECURSIVE);
        accepted(
            "#define texture(s, p) texture(s, (p) * 0.5)\nvec4 x = texture(a, texture(b, c).xy);",
        );
    }

    #[test]
    fn parentheses_of_macros_do_not_hide_arguments() {
        let text = "#define A(x) (x x)\n#define E )\nfloat x = A(E A(E A(1)));";
        refused(text, PARENTHESES);
        let text = "#define A(x) (x x)\nfloat x = A(\n#if 0\n)\n#endif\n1);";
        refused(text, PARENTHESES);
        accepted("#define L length(\n#define A(x) (x*x)\nfloat x = A(1.0) + L vec2(A(2.0)));");
    }

    #[test]
    fn what_people_write_is_accepted() {
        accepted(
            "#version 450
            #define PI 3.14159 // (see below
            #define S(a, b, t) smoothstep(a, b, t)
            #define rot(a) mat2(cos(a), -sin(a), \\
                sin(a), cos(a))
            #define sat(x) clamp(x, 0., 1.)
            #define LIST(F) F(a) F(b) F(c)
            #define ITEM(x) + x
            #ifdef GL_ES
            precision highp float;
            #endif
            #define LEVEL 3
            #if defined(A) && (LEVEL > 3)
            #endif
            void main() { p.xy *= rot(sat(S(0., 1., sat(p.z)))); float y = 0. LIST(ITEM); }",
        );
    }

    /// The bound is at least the number of tokens that the preprocessor produces.
    #[test]
    fn the_bound_is_one() {
        let text =
            "#define A(x) (x + x)\n#define B(x, y) A(x) * A(A(y))\n#define C B(A(1), 2) ;\nC C C";
        let parts = Parts::new(text);
        let all = Preprocessor::new(text).count() as u64;
        let mut of = Bound {
            macros: FxHashMap::default(),
            costs: FxHashMap::default(),
            active: Vec::new(),
            floating: None,
            is_finding: false,
        };
        for (name, definition) in &parts.definitions {
            of.macros.entry(name).or_default().push(definition);
        }
        let found = of.walk(&parts.rest, &[], WORK).expect("it is small").cost.tokens;
        assert!(found >= all && found < 30 * all, "{found}, {all}");
    }
}
