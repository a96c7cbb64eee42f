//! Statements, one after the other (`v1/ast/parser.go`, `Parse`).

use super::rule::Draft;
use super::state::{Parser, State, Tall};
use crate::error::Error;
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Import, Package};

/// A part of a text.
pub(super) enum Statement {
    Package(Package),
    Import(Import),
    Rule(Draft),
    Body(Tall<Body>),
}

impl Parser<'_> {
    /// All statements, and all that is wrong. OPA ends at the first statement that is wrong; here the next one that begins in the
    /// first column of a line is read again.
    pub(super) fn parse_statements(&mut self) -> (Vec<Statement>, Vec<Error>) {
        let (mut statements, mut errors) = (Vec::new(), Vec::new());
        let mut behind_wrong = false;
        self.scan();
        while !self.is(Token::Eof) || !self.errors.is_empty() {
            let begin = self.at.start;
            let taken = !self.is(Token::Eof) && self.statement(&mut statements, behind_wrong).is_some();
            if taken && self.errors.is_empty() {
                continue;
            }
            // OPA ends without another word at what is no statement, if it has said something before.
            if self.errors.is_empty() && !behind_wrong {
                self.illegal_token();
            }
            errors.append(&mut self.take_errors());
            // What is wrong in a statement that was read to its end, such as an import, does not hide what is wrong in the next one.
            behind_wrong = taken;
            if taken {
                continue;
            }
            // What is wrong with a query is shown as OPA shows it.
            if self.skip_rules {
                break;
            }
            self.recover(begin);
        }
        (statements, errors)
    }

    /// Reads a package, an import, rules or a body, tried in this order; after an error, here or `before`, no other kind is tried.
    fn statement(&mut self, into: &mut Vec<Statement>, before: bool) -> Option<()> {
        if !self.skip_rules && self.keyword_as_name(false) {
            return None;
        }
        let state = self.save();
        if self.is(Token::Package) {
            if let Some(package) = self.parse_package() {
                return self.declared(into, Statement::Package(package));
            }
            self.undo(&state, before)?;
        }
        if self.is(Token::Import) {
            if let Some(import) = self.parse_import() {
                return self.imported(into, import);
            }
            self.undo(&state, before)?;
        }
        if !self.skip_rules {
            if let Some(rules) = self.parse_rules() {
                into.extend(rules.into_iter().map(Statement::Rule));
                return Some(());
            }
            self.undo(&state, before)?;
        }
        let body = self.parse_query(true, Token::Eof)?;
        into.push(Statement::Body(body));
        Some(())
    }

    /// Goes back to try something else. Returns `None` if there was an error, in this statement or `before` it.
    fn undo(&mut self, state: &State, before: bool) -> Option<()> {
        if before || !self.errors.is_empty() {
            return None;
        }
        self.restore(state.clone());
        Some(())
    }

    fn imported(&mut self, into: &mut Vec<Statement>, import: Import) -> Option<()> {
        if self.is(Token::Sub) {
            return self.refuse("");
        }
        self.take_effect(&import);
        into.push(Statement::Import(import));
        Some(())
    }

    /// A minus behind a path would be read as that of the next statement.
    fn declared(&mut self, into: &mut Vec<Statement>, statement: Statement) -> Option<()> {
        if self.is(Token::Sub) {
            return self.refuse("");
        }
        into.push(statement);
        Some(())
    }

    /// A keyword in front of what only a rule's name has behind it is an error; whether it was (`errKeywordRuleName`).
    pub(super) fn keyword_as_name(&mut self, default: bool) -> bool {
        let followers: &[Token] = match self.token() {
            Token::Every | Token::If | Token::In | Token::Some | Token::As => {
                &[Token::Assign, Token::Unify, Token::If, Token::Contains, Token::LParen]
            }
            Token::Package | Token::Import => &[Token::Assign, Token::Unify, Token::LParen],
            Token::Not | Token::LogicalAnd | Token::LogicalOr => &[Token::Assign, Token::Unify, Token::If, Token::Contains],
            Token::Contains => &[Token::If, Token::Contains],
            _ => return false,
        };
        if !default && !followers.contains(&self.peek(true)) {
            return false;
        }
        self.error(self.here(), format!("{} keyword cannot be used for rule name", self.token().name()));
        true
    }

    /// To the next line that begins with a name, behind the place where it went wrong.
    fn recover(&mut self, begin: u32) {
        let from = usize::try_from(self.at.start.max(begin)).unwrap_or(usize::MAX);
        let rest = self.text.get(from..).unwrap_or_default();
        let next = rest.match_indices('\n').map(|(at, _)| at.saturating_add(1)).find(|at| {
            let line = rest.get(*at..).unwrap_or_default();
            line.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !line.starts_with("else")
        });
        let at = next.map_or(self.text.len(), |at| from.saturating_add(at));
        let wildcards = self.at.wildcards;
        self.ahead = None;
        self.nesting = 0;
        self.at.end = u32::try_from(at).unwrap_or(u32::MAX);
        self.at.wildcards = wildcards;
        self.at.hints.clear();
        self.scan();
    }
}
