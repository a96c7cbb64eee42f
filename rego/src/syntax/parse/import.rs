//! `package` and `import` (`v1/ast/parser.go`, `parsePackage`, `parseImport`, `futureImport`, `regoImport`).

use super::state::Parser;
use super::words::kind_name;
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::token::{Keywords, Token, is_keyword};
use crate::syntax::tree::{Import, Kind, Package, Term, Version};

/// What imports may begin with, as messages list it.
const ROOTS: &str = "{data, future, input, rego}";

impl Parser<'_> {
    /// `package a.b`; `None` without an error: it is a reference.
    pub(super) fn parse_package(&mut self) -> Option<Package> {
        let begin = self.here();
        let path = self.path(self.keywords, false)?;
        let path = match path.kind {
            Kind::Var(_) => vec![path],
            Kind::Ref(parts) => parts,
            _ => return self.refuse(""),
        };
        let mut parts = path.into_iter();
        let first = parts.next()?;
        let Some(name) = first.as_var().cloned() else {
            return self.fail(first.span, format!("unexpected {} token: expecting var", kind_name(&first.kind)));
        };
        let mut path = vec![Term::var(first.span, "data"), Term::string(first.span, name)];
        for part in parts {
            if part.as_str().is_none() {
                return self.fail(part.span, format!("unexpected {} token: expecting string", kind_name(&part.kind)));
            }
            path.push(part);
        }
        Some(Package { span: self.since(begin), path })
    }

    /// The path behind `package` or `import`, read with these keywords. A broken one is named once more behind `import`, not behind
    /// `package`.
    fn path(&mut self, words: Keywords, import: bool) -> Option<Term> {
        self.scan_space();
        if matches!(self.token(), Token::Dot | Token::LBrack) {
            return None;
        }
        if self.is(Token::Whitespace) {
            self.scan();
        }
        if !self.name_here() {
            return self.refuse("");
        }
        let keywords = std::mem::replace(&mut self.keywords, words);
        let path = self.parse_term();
        self.keywords = keywords;
        if path.is_none() && import {
            self.error(self.here(), "expected path");
        }
        path.map(|path| path.node)
    }

    /// `import data.a as b`; `None` without an error: it is a reference.
    pub(super) fn parse_import(&mut self) -> Option<Import> {
        let begin = self.here();
        // Without the keywords that are imported: `import future.keywords.in` may come twice.
        let path = self.path(Keywords::OF_PATHS, true)?;
        let path = self.import_path(path)?;
        let Kind::Ref(parts) = &path.kind else {
            return self.fail(self.here(), "expected path");
        };
        let first = parts.first()?;
        if !first.as_var().is_some_and(|name| matches!(name.as_str(), "data" | "input" | "future" | "rego")) {
            let message = format!("unexpected import path, must begin with one of: {ROOTS}, got: {}", print::term(first));
            self.hint("if this is unexpected, try updating OPA");
            return self.fail(path.span, message);
        }
        if self.is(Token::As) {
            return self.aliased(begin, path);
        }
        self.check_last(&path);
        Some(Import { span: self.since(begin), path, alias: None })
    }

    fn import_path(&mut self, path: Term) -> Option<Term> {
        match path.kind {
            Kind::Var(_) => Some(Term::new(path.span, Kind::Ref(vec![path]))),
            Kind::Ref(parts) => {
                if let Some(part) = parts.iter().skip(1).find(|part| part.as_str().is_none()) {
                    return self.fail(part.span, format!("unexpected {} token: expecting string", kind_name(&part.kind)));
                }
                Some(Term::new(path.span, Kind::Ref(parts)))
            }
            _ => self.fail(self.here(), "expected path"),
        }
    }

    fn aliased(&mut self, begin: Span, path: Term) -> Option<Import> {
        self.scan();
        if !self.is(Token::Ident) {
            return self.refuse("expected var");
        }
        let alias = self.parse_term()?.node;
        match &alias.kind {
            Kind::Var(name) => Some(Import { span: self.since(begin), path, alias: Some((name.clone(), alias.span)) }),
            Kind::Ref(parts) if parts.len() == 1 => self
                .fail(alias.span, format!("unexpected import alias, must not be a reserved name, got: {}", print::term(&alias))),
            _ => self.refuse("expected var"),
        }
    }

    /// Without another name, the last part of the path is one, and may be no keyword.
    fn check_last(&mut self, path: &Term) {
        let parts = path.as_ref_parts().unwrap_or_default();
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return };
        let future = parts.len() > 1 && is_var(first, "future");
        let Some(name) = last.as_var().or_else(|| last.as_str()).filter(|name| !future && is_keyword(name, self.version)) else {
            return;
        };
        self.hint("import a different path or use an alias");
        self.error(last.span, format!("unexpected import path, must not end with a keyword, got: {name}"));
    }

    /// Imports of `rego` and `future` change what is a keyword, from the token behind them on.
    pub(super) fn take_effect(&mut self, import: &Import) {
        let parts = import.path.as_ref_parts().unwrap_or_default();
        if parts.first().is_some_and(|first| is_var(first, "rego")) {
            self.import_rego(import, parts);
        } else if parts.first().is_some_and(|first| is_var(first, "future")) {
            self.import_future(import, parts);
        } else {
            return;
        }
        if self.is(Token::Ident) {
            self.at.token = self.keywords.token(self.literal());
        }
    }

    fn import_rego(&mut self, import: &Import, parts: &[Term]) {
        let version = match parts {
            [_, last] => last.as_str().map(|name| name.as_str()),
            _ => None,
        };
        let words = match version {
            Some("v1") => Keywords::V0,
            Some("v2") => Keywords::ALL,
            _ => {
                let path = print::reference(parts);
                self.error(import.path.span, format!("invalid import `{path}`, must be one of: `rego.v1`, `rego.v2`"));
                return;
            }
        };
        if let Some((_, span)) = import.alias {
            self.error(span, "`rego` imports cannot be aliased");
        } else if self.version != Version::V1 || version != Some("v1") {
            self.add_keywords(words);
        }
    }

    fn import_future(&mut self, import: &Import, parts: &[Term]) {
        let named = |index: usize| parts.get(index).and_then(Term::as_str);
        if named(1).is_none_or(|name| name != "keywords") {
            self.error(import.path.span, "invalid import, must be `future.keywords`");
        } else if let Some((_, span)) = import.alias {
            self.error(span, "`future` imports cannot be aliased");
        } else if parts.len() != 3 {
            self.add_keywords(Keywords::ALL);
        } else if let Some(words) = named(2).and_then(|name| Keywords::of(name)) {
            self.add_keywords(words);
        } else {
            let names = Keywords::ALL.names().join(" ");
            self.error(import.path.span, format!("unexpected keyword, must be one of [{names}]"));
        }
    }

    fn add_keywords(&mut self, words: Keywords) {
        self.keywords = self.keywords.with(words);
        self.not_bodies |= self.keywords.has(Keywords::NOT);
    }
}

fn is_var(term: &Term, name: &str) -> bool {
    term.as_var().is_some_and(|var| var == name)
}
