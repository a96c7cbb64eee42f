//! Expressions, and what they hold.

use super::Term;
use crate::syntax::span::Span;

/// Expressions that must all hold.
pub type Body = Vec<Expr>;

/// One expression of a body.
#[derive(Clone, Debug)]
pub struct Expr {
    /// Without its `with`.
    pub span: Span,
    /// What it says.
    pub kind: ExprKind,
    /// `not …`.
    pub negated: bool,
    /// Made by the compiler.
    pub generated: bool,
    /// An equality that was written with `:=` (`v1/ast/policy.go`, `fromAssignment`).
    pub from_assignment: bool,
    /// What it replaces while it is evaluated.
    pub with: Vec<With>,
}

/// What an expression says.
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A term that must be defined and not false.
    Term(Term),
    /// A call or an operator: the operator as a reference, then the operands.
    Call(Vec<Term>),
    /// `some x, y`: variables, or one call of `internal.member_2` or `internal.member_3`.
    Some(SomeDecl),
    /// `every k, v in xs { … }`.
    Every(Box<Every>),
    /// `not …` where `not` takes a body (`import future.keywords.not`, `import rego.v2`).
    Not(Box<Not>),
    /// `a and b`.
    And(Box<Logical>),
    /// `a or b`.
    Or(Box<Logical>),
}

/// `some x`.
#[derive(Clone, Debug)]
pub struct SomeDecl {
    /// All of it.
    pub span: Span,
    /// What is declared.
    pub symbols: Vec<Term>,
}

/// `every k, v in xs { … }`.
#[derive(Clone, Debug)]
pub struct Every {
    /// All of it.
    pub span: Span,
    /// Perhaps not named.
    pub key: Option<Term>,
    /// A variable.
    pub value: Term,
    /// What is gone through.
    pub domain: Term,
    /// What must hold for each.
    pub body: Body,
}

/// `not { … }`.
#[derive(Clone, Debug)]
pub struct Not {
    /// All of it.
    pub span: Span,
    /// What must not hold.
    pub body: Body,
    /// It is written in braces.
    pub explicit: bool,
}

/// Both sides of `and` and `or`.
#[derive(Clone, Debug)]
pub struct Logical {
    /// All of it.
    pub span: Span,
    /// Left.
    pub left: Body,
    /// Right.
    pub right: Body,
    /// Left is written in braces.
    pub explicit_left: bool,
    /// Right is written in braces.
    pub explicit_right: bool,
}

/// `with input.a as 1`.
#[derive(Clone, Debug)]
pub struct With {
    /// All of it.
    pub span: Span,
    /// What is replaced.
    pub target: Term,
    /// By what.
    pub value: Term,
}

impl Expr {
    /// An expression that somebody wrote, without `with`.
    pub fn new(span: Span, kind: ExprKind) -> Self {
        Self { span, kind, negated: false, generated: false, from_assignment: false, with: Vec::new() }
    }
}
