//! Words that are keywords in one place and names in another one.

use super::state::Parser;
use crate::syntax::token::{Keywords, Token, is_keyword};
use crate::syntax::tree::Kind;

impl Parser<'_> {
    /// Whether a keyword may be a part of a reference (`isAllowedRefKeyword`). As in OPA it is the token's name that counts, so
    /// that `&`, which is called `and`, may be one too where `and` is a keyword.
    pub(super) fn may_be_name(&self, token: Token) -> bool {
        let name = token.name();
        is_keyword(name, self.version) || self.keywords.token(name) != Token::Ident
    }

    /// A keyword with a dot or a bracket behind it is a name (`scanAheadRef`); whether it is.
    pub(super) fn name_ahead(&mut self) -> bool {
        let is_name = self.may_be_name(self.token()) && matches!(self.peek(false), Token::Dot | Token::LBrack);
        if is_name {
            self.at.token = Token::Ident;
        }
        is_name
    }

    /// A name, or a keyword that is one here (`isIdentOrAllowedRefKeyword`).
    pub(super) fn name_here(&mut self) -> bool {
        if self.may_be_name(self.token()) {
            self.at.token = Token::Ident;
        }
        self.is(Token::Ident)
    }

    /// Whether `and` or `or` is a keyword.
    pub(super) fn logical_words(&self) -> bool {
        self.keywords.token("and") != Token::Ident || self.keywords.token("or") != Token::Ident
    }

    /// Does something as if all words to come were keywords, for a hint; nothing of it stays.
    pub(super) fn in_future<T>(&mut self, attempt: impl FnOnce(&mut Self) -> Option<T>) -> Option<T> {
        let (state, keywords) = (self.save(), self.keywords);
        self.keywords = Keywords::ALL;
        self.ahead = None;
        let result = attempt(self);
        self.keywords = keywords;
        self.ahead = None;
        self.restore(state);
        result
    }
}

/// What messages call a term (`v1/ast/strings.go`, `ValueName`).
pub fn kind_name(kind: &Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool(_) => "boolean",
        Kind::Number(_) => "number",
        Kind::String(_) => "string",
        Kind::Var(_) => "var",
        Kind::Ref(_) => "ref",
        Kind::Array(_) => "array",
        Kind::Object(_) => "object",
        Kind::Set(_) => "set",
        Kind::ArrayCompr(_) => "arraycomprehension",
        Kind::SetCompr(_) => "setcomprehension",
        Kind::ObjectCompr(_) => "objectcomprehension",
        Kind::Call(_) => "call",
        Kind::Template(_) => "templatestring",
    }
}
