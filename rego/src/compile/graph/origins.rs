//! Where the variables of a reference get their values, for messages (`v1/ast/compile.go`, `varOrigins`).

use foldhash::HashMap;

use super::super::constants::is_constant;
use super::super::terms::{is_equality, operands};
use super::super::vars::{DATA, INPUT};
pub(crate) use super::bindings::members;
use crate::builtins;
use crate::syntax::print as text;
use crate::syntax::tree::{Expr, ExprKind, Kind, Rule, Term, Var};

/// Where a variable gets its value.
#[derive(Clone, Debug)]
pub(crate) enum Origin {
    /// From the input.
    Input(Vec<Term>),
    /// From a rule.
    Rule(Vec<Term>),
    /// From a constant collection.
    Collection(Term),
    /// A builtin computes it.
    Builtin(String),
    /// A key of the rule.
    HeadKey,
    /// An argument of the rule.
    HeadArg,
}

/// What the expressions before a reference, and the head, say of variables.
struct Search<'a> {
    bindings: HashMap<&'a Var, &'a Term>,
    outputs: HashMap<&'a Var, String>,
    head: HashMap<&'a Var, Origin>,
    limit: usize,
}

/// The origins of the variables in a reference, in the expression at an index.
pub(super) fn origins(rule: &Rule, index: usize, path: &[&Term]) -> HashMap<Var, Origin> {
    let mut search =
        Search { bindings: HashMap::default(), outputs: HashMap::default(), head: head(rule), limit: rule.body.len() };
    rule.body.iter().take(index).filter(|expr| !expr.negated && expr.with.is_empty()).for_each(|expr| search.read(expr));
    let vars = path.iter().skip(1).filter_map(|part| part.as_var());
    vars.filter_map(|var| Some((var.clone(), search.resolve(var)?))).collect()
}

fn head(rule: &Rule) -> HashMap<&Var, Origin> {
    let keys = rule.head.reference.iter().chain(&rule.head.key);
    let mut head: HashMap<&Var, Origin> = keys.skip(1).filter_map(|part| Some((part.as_var()?, Origin::HeadKey))).collect();
    head.extend(rule.head.args.iter().flatten().filter_map(|arg| Some((arg.as_var()?, Origin::HeadArg))));
    head
}

impl<'a> Search<'a> {
    fn read(&mut self, expr: &'a Expr) {
        let all = operands(expr);
        if is_equality(expr) {
            if let [left, right] = all {
                for (side, other) in [(left, right), (right, left)] {
                    if let Some(var) = side.as_var() {
                        self.bindings.entry(var).or_insert(other);
                    }
                }
            }
            return;
        }
        let ExprKind::Call(parts) = &expr.kind else { return };
        let Some(name) = parts.first().map(text::term) else { return };
        let answers = builtins::find(&name).is_some_and(|builtin| builtin.operands.len().checked_add(1) == Some(all.len()));
        if let Some(var) = all.last().and_then(Term::as_var).filter(|_| answers) {
            self.outputs.insert(var, name);
        }
    }

    /// Follows variables to where a value comes from, no longer than a body of this size can lead.
    fn resolve(&self, var: &Var) -> Option<Origin> {
        let mut var = var;
        for depth in 0..=self.limit {
            if let Some(name) = self.outputs.get(var) {
                return Some(Origin::Builtin(name.clone()));
            }
            let Some(term) = self.bindings.get(var) else { return self.head.get(var).cloned() };
            match &term.kind {
                Kind::Var(next) => var = next,
                Kind::Ref(parts) => return self.reference(parts, depth).or_else(|| self.head.get(var).cloned()),
                _ => return self.head.get(var).cloned(),
            }
        }
        None
    }

    fn reference(&self, parts: &[Term], depth: usize) -> Option<Origin> {
        let constant =
            || parts.iter().enumerate().take_while(|(at, part)| *at == 0 || is_constant(part)).map(|(_, part)| part.clone());
        match parts {
            [first, ..] if first.as_var() == Some(&INPUT) => Some(Origin::Input(constant().collect())),
            [first, ..] if first.as_var() == Some(&DATA) => Some(Origin::Rule(constant().collect())),
            [first, key] if !is_constant(key) => self.collection(first, depth).map(Origin::Collection),
            _ => None,
        }
    }

    fn collection(&self, mut term: &'a Term, depth: usize) -> Option<Term>
    where
        Self: 'a,
    {
        for _ in depth..=self.bindings.len() {
            let Some(var) = term.as_var() else { break };
            term = self.bindings.get(var)?;
        }
        (matches!(term.kind, Kind::Array(_) | Kind::Set(_) | Kind::Object(_)) && is_constant(term)).then(|| term.clone())
    }
}
