//! Rewrites bodies (`v1/ast/compile.go`, `rewriteDeclaredVarsInBody`).

use foldhash::{HashMap, HashSet};

use super::scope::{Entry, Occurrence, Scopes};
use crate::compile::names::{ASSIGN, Names};
use crate::compile::terms::calls;
use crate::error::{Code, Error};
use crate::syntax::span::Span;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Term, Var};

/// Rewrites what one rule, or one term of a head, holds.
pub(super) struct Rewriter<'a> {
    pub(super) names: &'a mut Names,
    pub(super) rewritten: &'a mut HashMap<Var, Var>,
    pub(super) scopes: Scopes,
    pub(super) strict: bool,
    /// What is wrong.
    pub(super) errors: Vec<Error>,
    /// What is declared and not used.
    pub(super) unused: Vec<Error>,
    /// Variables that stand in the tree under their own names.
    pub(super) mentioned: HashSet<Var>,
    /// How much was met that is otherwise when it is rewritten once more: `every` in comprehensions, and variables that are declared
    /// where their names stand already.
    pub(super) repeats: usize,
    /// How deep comprehensions nest here.
    pub(super) comprehensions: usize,
    /// How many times what is rewritten now was rewritten before, or will be once more.
    pub(super) passes: usize,
    /// Inside of an expression: a `with` is treated as one in a body.
    pub(super) withs: bool,
}

/// Why a variable cannot be declared, in OPA's words.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub(super) enum DeclareError {
    /// It was used before, as one of an outer scope.
    #[error("var {0} referenced above")]
    Referenced(Var),
    /// `x := …` stands above.
    #[error("var {0} assigned above")]
    Assigned(Var),
    /// `some x` stands above.
    #[error("var {0} declared above")]
    Declared(Var),
    /// It is an argument of the function.
    #[error("arg {0} redeclared")]
    Argument(Var),
    /// A term that is no variable, by its kind.
    #[error("cannot assign to {0}")]
    Target(&'static str),
}

impl<'a> Rewriter<'a> {
    pub(super) fn new(names: &'a mut Names, rewritten: &'a mut HashMap<Var, Var>, scopes: Scopes, strict: bool) -> Self {
        Self {
            names,
            rewritten,
            scopes,
            strict,
            errors: Vec::new(),
            unused: Vec::new(),
            mentioned: HashSet::default(),
            repeats: 0,
            comprehensions: 0,
            passes: 0,
            withs: false,
        }
    }

    /// A body, in the scope that is there; `used` is what uses it from outside.
    pub(super) fn statements(&mut self, used: &[&Term], body: &mut Body) {
        let first = body.first().map(|expr| expr.span).unwrap_or_default();
        for mut expr in std::mem::take(body) {
            if self.statement(&mut expr) {
                body.push(expr);
            }
        }
        if body.is_empty() {
            body.push(Expr::new(first, ExprKind::Term(Term::new(first, Kind::Bool(true)))));
        }
        self.check_unused_assigned(used, first);
        self.check_unused_declared(used, first);
    }

    /// `false` for what leaves nothing behind, such as `some x`.
    pub(super) fn statement(&mut self, expr: &mut Expr) -> bool {
        if calls(expr, &ASSIGN) {
            self.assignment(expr);
            return true;
        }
        match &expr.kind {
            ExprKind::Some(_) => return self.some(expr),
            ExprKind::Every(_) => return self.every(expr),
            ExprKind::Not(_) => self.not(expr),
            ExprKind::And(_) | ExprKind::Or(_) => self.logical(expr, false),
            _ => self.terms_of(expr),
        }
        true
    }

    /// A new name for a variable that is declared here. Fails when the name is in the scope already.
    pub(super) fn declare(&mut self, name: &Var, occurrence: Occurrence, span: Option<Span>) -> Result<Var, DeclareError> {
        match self.scopes.occurrence(name) {
            Some(Occurrence::Seen) => return Err(DeclareError::Referenced(name.clone())),
            Some(Occurrence::Assigned) => return Err(DeclareError::Assigned(name.clone())),
            Some(Occurrence::Declared) => return Err(DeclareError::Declared(name.clone())),
            Some(Occurrence::Arg) => return Err(DeclareError::Argument(name.clone())),
            None => {}
        }
        let local = self.names.generate();
        self.repeats = self.repeats.saturating_add(usize::from(self.mentioned.contains(name)));
        self.scopes.insert(self.rewritten, name.clone(), Entry::new(local.clone(), occurrence, span));
        Ok(local)
    }

    pub(super) fn error(&mut self, span: Span, message: impl Into<String>) {
        self.errors.push(Error::new(Code::Compile, span, message));
    }
}
