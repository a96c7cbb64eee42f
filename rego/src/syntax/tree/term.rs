//! Terms.

use arcstr::ArcStr;

use super::{Body, Expr, Var};
use crate::syntax::span::Span;

/// A value that is written down.
#[derive(Clone, Debug)]
pub struct Term {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: Kind,
}

/// What a term is.
#[derive(Clone, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true`.
    Bool(bool),
    /// As it is written.
    Number(ArcStr),
    /// Without quotes and escapes.
    String(ArcStr),
    /// A name.
    Var(Var),
    /// `a.b[c]`: the first term is a variable, a call or a collection. `input` and `data` alone are references of one term.
    Ref(Vec<Term>),
    /// `[a, b]`.
    Array(Vec<Term>),
    /// `{a: b}`, in OPA's order of the keys. Equal keys stay, as they do in OPA's tree, in the order of the text.
    Object(Vec<(Term, Term)>),
    /// `{a, b}`, in OPA's order, no two equal.
    Set(Vec<Term>),
    /// `[a | …]`.
    ArrayCompr(Box<Comprehension>),
    /// `{a | …}`.
    SetCompr(Box<Comprehension>),
    /// `{a: b | …}`.
    ObjectCompr(Box<ObjectComprehension>),
    /// `f(a, b)`: the operator as a reference, then the operands.
    Call(Vec<Term>),
    /// `$"a {b}"`.
    Template(Box<Template>),
}

/// `[a | …]` or `{a | …}`.
#[derive(Clone, Debug)]
pub struct Comprehension {
    /// What each solution gives.
    pub term: Term,
    /// What is solved.
    pub body: Body,
}

/// `{a: b | …}`.
#[derive(Clone, Debug)]
pub struct ObjectComprehension {
    /// What each solution gives.
    pub key: Term,
    /// What each solution gives.
    pub value: Term,
    /// What is solved.
    pub body: Body,
}

/// `$"a {b}"`.
#[derive(Clone, Debug)]
pub struct Template {
    /// Strings as terms, and expressions.
    pub parts: Vec<TemplatePart>,
    /// Written between backquotes.
    pub multi_line: bool,
}

/// A part of a template.
#[derive(Clone, Debug)]
pub enum TemplatePart {
    /// Text.
    Text(Term),
    /// `{…}`.
    Expr(Expr),
}

impl Kind {
    /// Whether it is a collection or comprehension, as it is written.
    pub fn is_collection(&self) -> bool {
        let comprehension = matches!(self, Self::ArrayCompr(_) | Self::SetCompr(_) | Self::ObjectCompr(_));
        comprehension || matches!(self, Self::Array(_) | Self::Set(_) | Self::Object(_))
    }
}

impl Term {
    /// A term at a place.
    pub fn new(span: Span, kind: Kind) -> Self {
        Self { span, kind }
    }

    /// A variable.
    pub fn var(span: Span, name: impl Into<Var>) -> Self {
        Self::new(span, Kind::Var(name.into()))
    }

    /// A string.
    pub fn string(span: Span, text: impl Into<ArcStr>) -> Self {
        Self::new(span, Kind::String(text.into()))
    }

    /// Where an expression is in OPA that is made of this term: a range in a report on coverage. Of a reference into a collection that is
    /// written out, such as `[1, 2][0]`, OPA takes `][0]` for the text of the whole, so that it ends four characters from its beginning.
    pub fn made_place(&self) -> Span {
        let head = self.as_ref_parts().and_then(<[Self]>::first).filter(|head| head.kind.is_collection());
        let text = head.map(|head| self.span.end.saturating_sub(head.span.end).saturating_add(1));
        Span { end: text.map_or(self.span.end, |text| self.span.start.saturating_add(text)), ..self.span }
    }

    /// The variable's name, if it is one.
    pub fn as_var(&self) -> Option<&Var> {
        if let Kind::Var(name) = &self.kind { Some(name) } else { None }
    }

    /// The string's text, if it is one.
    pub fn as_str(&self) -> Option<&ArcStr> {
        if let Kind::String(text) = &self.kind { Some(text) } else { None }
    }

    /// The parts of a reference, if it is one.
    pub fn as_ref_parts(&self) -> Option<&[Term]> {
        if let Kind::Ref(parts) = &self.kind { Some(parts) } else { None }
    }
}
