//! A body in its place: which of its expressions need which others.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use plimsoll_rego::syntax::tree::{Expr, ExprKind, Term, Var};
use plimsoll_rego::syntax::visit::Node;

use super::ask::{Calls, Question};
use super::bindings::{answered, bound, declared, operator, variables, written};
use super::policies::{File, Policies};

/// Expressions of a body, by number.
pub(super) type Part = BTreeSet<usize>;

/// The call of a function: its place, and its operands.
#[derive(Clone)]
pub(super) struct Origin<'p> {
    pub(super) caller: Rc<Frame<'p>>,
    pub(super) operands: &'p [Term],
    pub(super) calls: Rc<Calls>,
}

/// A body, and what is known of the variables around it.
pub(super) struct Frame<'p> {
    pub(super) file: &'p File,
    pub(super) body: &'p [Expr],
    /// Which operands the function was called with.
    pub(super) at: Option<usize>,
    /// Expressions that give the variables around it their values.
    given: Vec<String>,
    given_variables: BTreeSet<Var>,
    /// What operands were written as, where the function was called.
    pub(super) operands: BTreeMap<Var, (&'p Term, Rc<Frame<'p>>)>,
    /// How the function was called.
    pub(super) origin: Option<Origin<'p>>,
    /// The body around it: a comprehension sees its variables.
    around: Option<Rc<Frame<'p>>>,
}

impl<'p> Frame<'p> {
    /// A body of a rule.
    pub(super) fn of(file: &'p File, body: &'p [Expr]) -> Self {
        let (given, given_variables) = (Vec::new(), BTreeSet::new());
        Self { file, body, at: None, given, given_variables, operands: BTreeMap::new(), origin: None, around: None }
    }

    /// Returns the frame with the operands of a call matched to `patterns`.
    pub(super) fn called(mut self, policies: &Policies, patterns: &'p [Term], (calls, at): (&Calls, usize)) -> Self {
        let variables: BTreeSet<_> = patterns.iter().flat_map(|pattern| variables(Node::Term(pattern))).collect();
        let declared: Vec<_> = variables.iter().map(ToString::to_string).collect();
        if !declared.is_empty() {
            self.given.push(format!("some {}", declared.join(", ")));
        }
        let texts: Vec<_> = patterns.iter().map(|pattern| policies.term(pattern)).collect();
        self.given.extend(calls.given(&texts.join(", ")));
        self.given_variables.extend(variables);
        self.at = Some(at);
        self
    }

    /// The body of a comprehension in an expression of this one: what that expression needs is given.
    pub(super) fn inside(self: &Rc<Self>, policies: &Policies, body: &'p [Expr]) -> Self {
        let used = body.iter().flat_map(|expr| variables(Node::Expr(expr))).collect();
        let needed = self.binding(&used);
        let given = [self.given.clone(), self.texts(policies, &needed)].concat();
        let bound = needed.iter().filter_map(|number| self.body.get(*number)).flat_map(bound);
        let given_variables = self.given_variables.iter().cloned().chain(bound).collect();
        let operands = self.operands.clone();
        Self { file: self.file, body, at: self.at, given, given_variables, operands, origin: None, around: Some(Rc::clone(self)) }
    }

    pub(super) fn around(&self) -> Option<&Rc<Self>> {
        self.around.as_ref()
    }

    /// Some expressions as a question.
    pub(super) fn question<'q>(&'q self, expressions: &'q str) -> Question<'q> {
        Question { file: self.file, expressions, at: self.at }
    }

    /// The texts of some expressions, with what is given.
    pub(super) fn text(&self, policies: &Policies, part: &Part) -> String {
        [self.given.clone(), self.texts(policies, part)].concat().join("\n")
    }

    fn texts(&self, policies: &Policies, part: &Part) -> Vec<String> {
        let is_used = |number: &usize| {
            let declared = self.body.get(*number).map(declared).unwrap_or_default();
            declared.is_empty()
                || part.iter().filter(|other| *other != number).any(|other| {
                    let used = self.body.get(*other).map(|expr| variables(Node::Expr(expr))).unwrap_or_default();
                    declared.iter().any(|name| used.contains(name))
                })
        };
        let used = part.iter().filter(|number| is_used(number)).filter_map(|number| self.body.get(*number));
        used.map(|expr| written(policies, expr)).collect()
    }

    /// The expressions that an expression needs, itself left out.
    pub(super) fn needs(&self, number: usize) -> Part {
        let Some(expr) = self.body.get(number) else { return Part::new() };
        let mut part = self.binding(&variables(Node::Expr(expr)));
        part.remove(&number);
        part
    }

    /// The expressions that a term needs.
    pub(super) fn needs_of(&self, term: &Term) -> Part {
        self.binding(&variables(Node::Term(term)))
    }

    /// The expressions that give some variables their values, and those that these need, and declarations.
    fn binding(&self, variables_used: &BTreeSet<Var>) -> Part {
        let mut part = Part::new();
        let mut waiting: Vec<Var> = variables_used.iter().cloned().collect();
        let mut seen = BTreeSet::new();
        while let Some(variable) = waiting.pop() {
            if self.given_variables.contains(&variable) || !seen.insert(variable.clone()) {
                continue;
            }
            for number in self.declares(&variable).chain(self.binder(&variable)).collect::<Vec<_>>() {
                if part.insert(number) {
                    waiting.extend(self.body.get(number).map(|expr| variables(Node::Expr(expr))).into_iter().flatten());
                }
            }
        }
        part
    }

    /// Whether a name is a variable that has a value here.
    pub(super) fn gives(&self, variable: &Var) -> bool {
        self.operands.contains_key(variable)
            || self.binder(variable).is_some()
            || self.around.as_ref().is_some_and(|around| around.gives(variable))
    }

    /// Whether the first of some terms is a variable here, whatever rules are called so.
    pub(super) fn is_local(&self, terms: &[Term]) -> bool {
        terms.first().and_then(Term::as_var).is_some_and(|name| self.given_variables.contains(name) || self.gives(name))
    }

    /// The expression that gives a variable its value: the first one that can.
    pub(super) fn binder(&self, variable: &Var) -> Option<usize> {
        if self.file.is_global(variable) && self.declares(variable).next().is_none() && !self.assigns(variable) {
            return None;
        }
        let by = |gives: fn(&Expr) -> BTreeSet<Var>| self.body.iter().position(|expr| gives(expr).contains(variable));
        by(bound).or_else(|| by(answered))
    }

    fn assigns(&self, variable: &Var) -> bool {
        self.body.iter().any(|expr| {
            let declared = matches!(&expr.kind, ExprKind::Some(_)) || operator(expr).is_some_and(|name| name == "assign");
            declared && bound(expr).contains(variable)
        })
    }

    fn declares(&self, variable: &Var) -> impl Iterator<Item = usize> {
        let is_it = move |expr: &Expr| match &expr.kind {
            ExprKind::Some(some) => some.symbols.iter().any(|symbol| symbol.as_var() == Some(variable)),
            _ => false,
        };
        self.body.iter().enumerate().filter(move |(_, expr)| is_it(expr)).map(|(number, _)| number)
    }
}
