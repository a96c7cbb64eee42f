//! Which brackets belong together, and which parentheses may hold `and`, `or` or `not` instead of a term: found once for a text
//! that uses these words, so that nobody reads a group twice to see what it is.

use foldhash::{HashMap, HashSet};

use super::state::Parser;
use crate::syntax::lexer::{Lexer, Mode};
use crate::syntax::token::{Keywords, Token};

/// See the module. Brackets are known by their offsets.
pub(super) struct Groups {
    keywords: Keywords,
    ends: HashMap<u32, u32>,
    logical: HashSet<u32>,
}

struct Open {
    start: u32,
    /// How the text of a template goes on behind the bracket.
    template: Option<Mode>,
    first: Option<(Token, u32)>,
    logical: bool,
}

impl Parser<'_> {
    /// Behind the bracket that closes the one at an offset.
    pub(super) fn bracket_end(&mut self, start: u32) -> Option<u32> {
        self.groups().ends.get(&start).copied()
    }

    /// Whether parentheses may be a group of `and`, `or` and `not`.
    pub(super) fn may_be_group(&mut self, start: u32) -> bool {
        self.groups().logical.contains(&start)
    }

    fn groups(&mut self) -> &Groups {
        let (text, keywords) = (self.text, self.keywords);
        let fits = self.groups.as_ref().is_some_and(|groups| groups.keywords == keywords);
        let known = self.groups.take().filter(|_| fits);
        self.groups.insert(known.unwrap_or_else(|| Groups::of(text, keywords)))
    }
}

impl Groups {
    fn of(text: &str, keywords: Keywords) -> Self {
        let mut groups = Self { keywords, ends: HashMap::default(), logical: HashSet::default() };
        let mut open: Vec<Open> = Vec::new();
        let mut lexer = Lexer::new(text, 0);
        let mut mode = Mode::Token;
        loop {
            let lexeme = lexer.scan(mode, keywords);
            mode = Mode::Token;
            let template = template(lexeme.token);
            match lexeme.token {
                Token::Eof => {
                    while !open.is_empty() {
                        groups.close(&mut open, lexeme.end);
                    }
                    return groups;
                }
                Token::Whitespace | Token::Comment => continue,
                Token::RBrace | Token::RParen | Token::RBrack => mode = groups.close(&mut open, lexeme.end),
                token => groups.note(&mut open, token, lexeme.start),
            }
            if template.is_some() || matches!(lexeme.token, Token::LBrace | Token::LParen | Token::LBrack) {
                open.push(Open { start: lexeme.start, template, first: None, logical: false });
            }
        }
    }

    fn note(&self, open: &mut [Open], token: Token, start: u32) {
        if let Some(last) = open.last_mut() {
            last.first.get_or_insert((token, start));
            last.logical |= matches!(token, Token::LogicalAnd | Token::LogicalOr | Token::With);
        }
    }

    fn close(&mut self, open: &mut Vec<Open>, end: u32) -> Mode {
        let Some(closed) = open.pop() else { return Mode::Token };
        self.ends.insert(closed.start, end);
        let begins = match closed.first {
            Some((Token::Not | Token::LBrace, _)) => true,
            Some((Token::LParen, inner)) => self.logical.contains(&inner),
            _ => false,
        };
        if closed.logical || begins {
            self.logical.insert(closed.start);
        }
        closed.template.unwrap_or(Mode::Token)
    }
}

fn template(token: Token) -> Option<Mode> {
    match token {
        Token::TemplatePart => Some(Mode::Template),
        Token::RawTemplatePart => Some(Mode::RawTemplate),
        _ => None,
    }
}
