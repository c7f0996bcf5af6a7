//! Template lists: which `<` and `>` are brackets, as the specification's "template list discovery" says.
//!
//! The others are operators; adjacent ones are joined here, since the lexer leaves them single. One pass, linear.

use crate::token::{Punctuation as P, Token, TokenKind};
use lambdav_core::source::Span;

/// A `<` behind a name that may begin a list.
struct Candidate {
    at: usize,
    depth: u32,
}

/// True if two tokens touch.
fn touches(a: &Token, b: &Token) -> bool {
    a.span.end == b.span.start
}

fn is(token: Option<&Token>, p: P) -> bool {
    token.is_some_and(|token| token.kind == TokenKind::Punctuation(p))
}

/// Marks the brackets of template lists, and joins the other `<` and `>`.
pub(crate) fn discover(mut tokens: Vec<Token>) -> Vec<Token> {
    mark(&mut tokens);
    join(&tokens)
}

fn mark(tokens: &mut [Token]) {
    let mut pending: Vec<Candidate> = Vec::new();
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(token) = tokens.get(at) {
        let TokenKind::Punctuation(p) = token.kind else {
            at += 1;
            continue;
        };
        match p {
            P::Less => {
                let next = tokens.get(at + 1).filter(|next| touches(token, next));
                let is_operator = is(next, P::Less) || is(next, P::Assign);
                let behind_name = at > 0 && matches!(tokens[at - 1].kind, TokenKind::Name(_));
                if is_operator {
                    at += 1;
                } else if behind_name {
                    pending.push(Candidate { at, depth });
                }
            }
            P::Greater => match pending.last() {
                Some(candidate) if candidate.depth == depth => {
                    tokens[candidate.at].kind = TokenKind::Punctuation(P::TemplateBegin);
                    tokens[at].kind = TokenKind::Punctuation(P::TemplateEnd);
                    pending.pop();
                }
                _ => {
                    let next = tokens.get(at + 1).filter(|next| touches(token, next));
                    at += usize::from(is(next, P::Assign));
                }
            },
            P::LeftParenthesis | P::LeftBracket => depth += 1,
            P::RightParenthesis | P::RightBracket => {
                while pending.last().is_some_and(|candidate| candidate.depth >= depth) {
                    pending.pop();
                }
                depth = depth.saturating_sub(1);
            }
            P::Semicolon | P::LeftBrace | P::Colon | P::Assign => {
                depth = 0;
                pending.clear();
            }
            P::AndAnd | P::OrOr => {
                while pending.last().is_some_and(|candidate| candidate.depth >= depth) {
                    pending.pop();
                }
            }
            _ => {}
        }
        at += 1;
    }
}

/// Joins adjacent tokens to the operators `<<`, `<=`, `>>=` and so on.
fn join(tokens: &[Token]) -> Vec<Token> {
    let mut joined = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let [token, behind @ ..] = rest {
        let next = behind.first().filter(|next| touches(token, next));
        let third = next.and_then(|next| behind.get(1).filter(|third| touches(next, third)));
        let (p, length) = match token.kind {
            TokenKind::Punctuation(own @ (P::Less | P::Greater)) => {
                let [shift, shift_assign, equal] = match own {
                    P::Less => [P::ShiftLeft, P::ShiftLeftAssign, P::LessEqual],
                    _ => [P::ShiftRight, P::ShiftRightAssign, P::GreaterEqual],
                };
                match (is(next, own), is(third, P::Assign), is(next, P::Assign)) {
                    (true, true, _) => (shift_assign, 3),
                    (true, false, _) => (shift, 2),
                    (_, _, true) => (equal, 2),
                    _ => (own, 1),
                }
            }
            _ => {
                joined.push(*token);
                rest = behind;
                continue;
            }
        };
        let span = Span::new(token.span.start, rest[length - 1].span.end);
        joined.push(Token { kind: TokenKind::Punctuation(p), span });
        rest = &rest[length..];
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lexer::Lexer;
    use crate::token::Names;

    /// The text with `«` and `»` in place of the brackets of lists, tokens apart.
    fn shown(text: &str) -> String {
        let mut names = Names::default();
        let mut lexer = Lexer::new(text, 0, 0);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next(&mut names).expect("the text is well-formed");
            if token.kind == TokenKind::End {
                break;
            }
            tokens.push(token);
        }
        let show = |token: &Token| match token.kind {
            TokenKind::Punctuation(P::TemplateBegin) => "«".to_owned(),
            TokenKind::Punctuation(P::TemplateEnd) => "»".to_owned(),
            _ => text[token.span.start as usize..token.span.end as usize].to_owned(),
        };
        discover(tokens).iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lists_are_found() {
        assert_eq!(shown("array<vec2<f32>>=b"), "array « vec2 « f32 » » = b");
        assert_eq!(shown("vec3<f32>(1)"), "vec3 « f32 » ( 1 )");
        assert_eq!(
            shown("array<i32,select(2,3,(a>b))>"),
            "array « i32 , select ( 2 , 3 , ( a > b ) ) »"
        );
        assert_eq!(shown("a<b>(c)"), "a « b » ( c )");
        assert_eq!(shown("A<B<<C>"), "A « B << C »");
        assert_eq!(shown("A<(B>=C)>"), "A « ( B >= C ) »");
    }

    #[test]
    fn comparisons_are_none() {
        assert_eq!(shown("a<b && c>d"), "a < b && c > d");
        assert_eq!(shown("if (a<b) { c>d; }"), "if ( a < b ) { c > d ; }");
        assert_eq!(shown("a[b<d]>e"), "a [ b < d ] > e");
        assert_eq!(shown("x = i<n; y = n>i;"), "x = i < n ; y = n > i ;");
        assert_eq!(shown("a<<=b>>c>>=d<=e>=f"), "a <<= b >> c >>= d <= e >= f");
        assert_eq!(shown("1<2>3"), "1 < 2 > 3");
    }
}
