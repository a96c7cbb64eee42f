//! Rules (`v1/ast/parser.go`, `parseRules`).

use super::state::{Parser, Tall};
use crate::syntax::ground::is_ground;
use crate::syntax::relocate;
use crate::syntax::span::Span;
use crate::syntax::token::Token;
use crate::syntax::tree::{Body, Expr, ExprKind, Head, Kind, Rule, Term};

/// A rule, and which words its head and those of its `else` branches have.
pub(super) struct Draft {
    pub(super) rule: Rule,
    pub(super) words: Vec<Words>,
    pub(super) height: u32,
}

/// Keywords of a head.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Words {
    pub(super) has_if: bool,
    pub(super) has_contains: bool,
}

impl Parser<'_> {
    /// A rule with all of its bodies; `None` without an error: it is no rule.
    pub(super) fn parse_rules(&mut self) -> Option<Vec<Draft>> {
        let begin = self.here();
        self.name_ahead();
        let default = self.is(Token::Default);
        if default {
            self.scan();
            self.name_ahead();
        }
        if !self.is(Token::Ident) {
            if default {
                self.keyword_as_name(true);
            }
            return None;
        }
        let (head, has_contains) = self.parse_head(default)?;
        if default {
            return self.default_rule(begin, head).map(|draft| vec![draft]);
        }
        let mut head = head;
        let words = Words { has_if: self.is(Token::If), has_contains };
        if !has_contains {
            settle(&mut head.node, words.has_if)?;
        }
        let Some(body) = self.rule_body(words.has_if)? else {
            return has_contains.then(|| vec![bodiless(begin, head, words)]);
        };
        let draft = self.with_else(begin, head, body, words)?;
        self.further_bodies(draft)
    }

    /// The body, if there is one; the outer `None` is an error, or no rule.
    fn rule_body(&mut self, has_if: bool) -> Option<Option<Tall<Body>>> {
        if has_if {
            self.scan();
            let brace = self.is(Token::LBrace);
            let state = self.save();
            if let Some(expr) = self.parse_literal()
                && !(brace && is_set(&expr.node))
            {
                return Some(Some(expr.map(|expr| vec![expr])));
            }
            if !brace {
                return None;
            }
            self.restore(state);
        }
        if !self.is(Token::LBrace) {
            return Some(None);
        }
        self.scan();
        let body = self.parse_body(Token::RBrace)?;
        self.scan();
        Some(Some(body))
    }

    fn with_else(&mut self, begin: Span, head: Tall<Head>, body: Tall<Body>, words: Words) -> Option<Draft> {
        let mut rule = written(begin, head.node, body.node);
        let mut draft = (vec![words], head.height.max(body.height));
        if self.is(Token::Else) && !self.name_ahead() {
            let reference = rule.head.reference.as_slice();
            if reference.get(1..).is_some_and(|rest| !rest.iter().all(is_ground)) {
                return self.fail(self.here(), "else keyword cannot be used on rules with variables in head");
            }
            if rule.head.key.is_some() {
                return self.fail(self.here(), "else keyword cannot be used on multi-value rules");
            }
            let otherwise = self.nested(|parser| parser.parse_else(&rule.head))?;
            draft.0.extend(otherwise.words);
            draft.1 = draft.1.max(otherwise.height);
            rule.otherwise = Some(Box::new(otherwise.rule));
        }
        rule.span = self.since(begin);
        let Tall { node: rule, height } = self.tall(rule, draft.1)?;
        Some(Draft { rule, words: draft.0, height })
    }

    /// Bodies that follow the first one are rules of the same head.
    fn further_bodies(&mut self, first: Draft) -> Option<Vec<Draft>> {
        let mut drafts = vec![first];
        while self.is(Token::LBrace) {
            let Draft { rule, words, .. } = drafts.first()?;
            if rule.otherwise.is_some() {
                return self.fail(self.here(), "expected else keyword");
            }
            let (mut head, words) = (rule.head.clone(), words.clone());
            let begin = self.here();
            self.scan();
            let body = self.parse_body(Token::RBrace)?;
            self.scan();
            let span = self.since(begin);
            self.fresh_wildcards(&mut head);
            relocate::head(&mut head, span);
            let height = body.height.max(drafts.first().map_or(0, |draft| draft.height));
            let rule = Rule { span, ..written(begin, head, body.node) };
            drafts.push(Draft { rule, words, height });
        }
        Some(drafts)
    }

    /// Arguments that are wildcards become others.
    pub(super) fn fresh_wildcards(&mut self, head: &mut Head) {
        for arg in head.args.iter_mut().flatten() {
            if arg.as_var().is_some_and(|name| name.starts_with('$')) {
                *arg = self.wildcard(arg.span);
            }
        }
    }
}

pub(super) fn written(span: Span, head: Head, body: Body) -> Rule {
    Rule { span, default: false, head, body, generated_body: false, otherwise: None, annotations: Vec::new() }
}

/// `true`, which nobody wrote.
pub(super) fn implicit_body(span: Span) -> Body {
    let kind = ExprKind::Term(Term::new(span, Kind::Bool(true)));
    vec![Expr { generated: true, ..super::literal::plain(span, kind) }]
}

/// `p contains x`.
fn bodiless(begin: Span, head: Tall<Head>, words: Words) -> Draft {
    let rule = Rule { generated_body: true, ..written(head.node.span, head.node, implicit_body(begin)) };
    Draft { rule, words: vec![words], height: head.height.saturating_add(1) }
}

/// What `p[x]` is depends on the `if` behind it; `None` for what is no rule.
fn settle(head: &mut Head, has_if: bool) -> Option<()> {
    let [first, last] = head.reference.as_slice() else { return Some(()) };
    let (first, last) = (first.as_var().cloned(), last.clone());
    if has_if {
        if !head.is_function() && (!is_ground(&last) || matches!(last.kind, Kind::Ref(_))) {
            head.key = Some(last);
        }
        if head.value.is_none() {
            head.generated_value = true;
            head.value = Some(Term::new(head.span, Kind::Bool(true)));
        } else {
            head.name = first?;
        }
    } else if !head.is_function() {
        head.name = first?;
        head.key = Some(last);
        if head.value.is_none() {
            head.reference.truncate(1);
        }
    }
    Some(())
}

fn is_set(expr: &Expr) -> bool {
    matches!(&expr.kind, ExprKind::Term(term) if matches!(term.kind, Kind::Set(_)))
}
