//! Numbers, strings and template strings (`v1/ast/parser.go`, `parseNumber`, `parseString`, `parseTemplateString`).

use super::state::{Parser, Tall};
use super::unquote::{join_braces, unquote};
use crate::syntax::lexer::Mode;
use crate::syntax::token::Token;
use crate::syntax::tree::{Expr, ExprKind, Kind, Template, TemplatePart, Term, Version};

/// The largest binary exponent of a number (`v1/ast/term.go`, `maxNumberExp`).
const MAX_EXPONENT: f64 = 1e5;

impl Parser<'_> {
    /// A number as it is written, with its sign.
    pub(super) fn parse_number(&mut self) -> Option<Term> {
        let begin = self.here();
        let mut prefix = String::new();
        if self.is(Token::Sub) {
            prefix.push('-');
            self.scan();
            if !matches!(self.token(), Token::Number | Token::Dot) {
                return self.refuse("expected number");
            }
        }
        if self.is(Token::Dot) {
            prefix.push('.');
            self.scan();
            if !self.is(Token::Number) {
                return self.refuse("expected number");
            }
        }
        let (digits, goes_on) = (self.literal(), self.goes_on());
        if !prefix.ends_with('.') && has_leading_zero(digits, goes_on) {
            return self.refuse("expected number without leading zero");
        }
        let text = format!("{prefix}{digits}");
        match exponent(&text).filter(|_| !goes_on) {
            None => return self.refuse("invalid float"),
            // Beyond what a big float holds, a number is zero.
            Some(exponent) if exponent.abs() > MAX_EXPONENT && exponent >= f64::from(i32::MIN) => {
                return self.fail(self.here(), "number too big");
            }
            Some(_) => {}
        }
        Some(Term::new(begin, Kind::Number(text.into())))
    }

    /// Whether a character that is not ASCII stands behind the token: OPA's scanner takes its first bytes for a part of a number.
    fn goes_on(&self) -> bool {
        let end = usize::try_from(self.here().end).unwrap_or(usize::MAX);
        self.text.as_bytes().get(end).is_some_and(|next| !next.is_ascii())
    }

    /// A string or a raw string.
    pub(super) fn parse_string(&mut self) -> Option<Term> {
        let written = self.literal();
        let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or_default();
        if !written.starts_with('"') || !inner.contains('\\') {
            return Some(Term::string(self.here(), inner));
        }
        match unquote(inner) {
            Some(text) => Some(Term::string(self.here(), text)),
            None => self.fail(self.here(), format!("illegal string literal: {written}")),
        }
    }

    /// `$"…"`, or the raw one.
    pub(super) fn parse_template(&mut self, raw: bool) -> Option<Tall<Term>> {
        let begin = self.here();
        if matches!(self.version, Version::V0 | Version::V0CompatV1) {
            return self.fail(begin, "template strings are not supported by current capabilities");
        }
        let (mut parts, mut height) = (Vec::new(), 0);
        loop {
            parts.extend(self.template_text(raw)?.map(TemplatePart::Text));
            if matches!(self.token(), Token::TemplateEnd | Token::RawTemplateEnd) {
                break;
            }
            let part = self.template_expr()?;
            height = height.max(part.height);
            parts.push(part.node);
            self.advance(false, if raw { Mode::RawTemplate } else { Mode::Template });
        }
        let span = self.span(begin.start, self.at.end);
        self.tall(Term::new(span, Kind::Template(Box::new(Template { parts, multi_line: raw }))), height)
    }

    /// The text in front of an expression, if there is any.
    fn template_text(&mut self, raw: bool) -> Option<Option<Term>> {
        if !matches!(self.token(), Token::TemplatePart | Token::TemplateEnd | Token::RawTemplatePart | Token::RawTemplateEnd) {
            return self.fail(self.here(), "expected template-string part");
        }
        // Between its marks: quotes, or the braces of expressions. The brace in front of it is no part of the token.
        let continued = !self.literal().starts_with('$') || self.slice(self.at.start.saturating_sub(1), self.at.start) == "}";
        let start = if continued { self.at.start.saturating_sub(1) } else { self.at.start.saturating_add(1) };
        let written = join_braces(self.slice(start, self.at.end), raw);
        let inner = written.get(1..written.len().saturating_sub(1)).unwrap_or_default();
        let text = if raw || !inner.contains('\\') { Some(inner.to_owned()) } else { unquote(inner) };
        match text {
            Some(text) if text.is_empty() => Some(None),
            Some(text) => Some(Some(Term::string(self.here(), text))),
            None => self.fail(self.here(), format!("illegal template-string part: {written}")),
        }
    }

    fn template_expr(&mut self) -> Option<Tall<TemplatePart>> {
        let comments = self.comments.len();
        self.scan();
        let before_comments = self.comments.len();
        let Some(expr) = self.parse_literal() else {
            return self.fail(self.here(), "invalid template-string expression");
        };
        if let Some(message) = not_in_template(&expr.node) {
            return self.fail(expr.node.span, message);
        }
        if !self.is(Token::RBrace) {
            return self.fail(self.here(), "expected } to end template string expression");
        }
        Some(expr.map(|expr| match expr {
            Expr { kind: ExprKind::Term(term), .. } if comments == before_comments && is_scalar(&term) => {
                TemplatePart::Text(term)
            }
            expr => TemplatePart::Expr(expr),
        }))
    }
}

fn not_in_template(expr: &Expr) -> Option<&'static str> {
    let operator = match &expr.kind {
        ExprKind::Call(terms) => terms.first().map(crate::syntax::print::name),
        _ => None,
    };
    match (&expr.kind, operator.as_deref()) {
        _ if expr.negated => Some("unexpected negation ('not') in template-string expression"),
        (_, Some("eq")) => Some("unexpected unification ('=') in template-string expression"),
        (_, Some("assign")) => Some("unexpected assignment (':=') in template-string expression"),
        (ExprKind::Every(_), _) => Some("unexpected 'every' in template-string expression"),
        (ExprKind::Some(_), _) => Some("unexpected 'some' in template-string expression"),
        _ => None,
    }
}

fn is_scalar(term: &Term) -> bool {
    matches!(term.kind, Kind::String(_) | Kind::Number(_) | Kind::Bool(_) | Kind::Null)
}

/// `01` is no number; `0.1` and `0e1` are. Something may follow that counts as a part of it.
fn has_leading_zero(digits: &str, goes_on: bool) -> bool {
    let mut bytes = digits.bytes();
    match (bytes.next(), bytes.next()) {
        (Some(b'0'), Some(b'.')) => false,
        (Some(b'0'), None) => goes_on,
        (Some(b'0'), Some(b'e' | b'E')) => digits.len() <= 2 && !goes_on,
        (Some(b'0'), Some(_)) => true,
        _ => false,
    }
}

/// The binary exponent of a number, near enough; `None` when its decimal exponent is no 32-bit number.
fn exponent(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let exponent = f64::from(exponent.parse::<i32>().ok()?);
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let whole = whole.trim_start_matches(['-', '0']);
    let zeros = fraction.len().saturating_sub(fraction.trim_start_matches('0').len());
    let significant = mantissa.chars().filter(char::is_ascii_digit).skip_while(|digit| *digit == '0').take(17);
    let digits: String = significant.collect();
    if digits.is_empty() {
        return Some(0.0);
    }
    let leading: f64 = format!("0.{digits}").parse().ok()?;
    let position = if whole.is_empty() { -count(zeros) } else { count(whole.len()) };
    Some((leading.log2() + (position + exponent) * 10_f64.log2()).floor() + 1.0)
}

fn count(length: usize) -> f64 {
    f64::from(u32::try_from(length).unwrap_or(u32::MAX))
}
