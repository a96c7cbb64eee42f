//! Which definitions read which.

use std::collections::HashMap;

use super::names::{DATA, Var, VarSet};
use super::rule::{Rule, Unit};
use super::term::{Expr, Kind, Operator, Term};
use super::tree::Tree;
use super::walk::{self, ALL, Go};

/// How far one reference is written out into the constant references it can be.
const MAX_EXPANSION: usize = 64;

/// Definitions, `else` branches counted apart, and what each may read.
#[derive(Debug)]
pub(super) struct Graph<'r> {
    pub(super) rules: Vec<&'r Rule>,
    pub(super) reads: Vec<Vec<Edge>>,
}

/// One definition may read another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) to: usize,
    /// It does, whatever the variables in the reference hold.
    pub(super) certain: bool,
}

impl<'r> Graph<'r> {
    pub(super) fn new(units: &'r [Unit], tree: &Tree<'r>) -> Self {
        let rules: Vec<&Rule> = units.iter().flat_map(|unit| &unit.rules).flat_map(Rule::chain).collect();
        let index: HashMap<*const Rule, usize> =
            rules.iter().enumerate().map(|(at, rule)| (std::ptr::from_ref(*rule), at)).collect();
        let reads = rules.iter().map(|rule| Reader { rule, tree, index: &index, edges: HashMap::new() }.read()).collect();
        Self { rules, reads }
    }
}

struct Reader<'r, 'g> {
    rule: &'r Rule,
    tree: &'g Tree<'r>,
    index: &'g HashMap<*const Rule, usize>,
    edges: HashMap<usize, bool>,
}

/// Constants that a variable ranges over.
type Known = HashMap<Var, Vec<Term>>;

impl Reader<'_, '_> {
    fn read(mut self) -> Vec<Edge> {
        let mut known = Known::new();
        let mut before = VarSet::new();
        self.rule.args.iter().chain([self.rule.head.term()]).for_each(|term| walk::add_term(term, ALL, &mut before));
        self.rule.path.iter().for_each(|term| walk::add_term(term, ALL, &mut before));
        for expr in &self.rule.body {
            self.expr(expr, &known, &before);
            walk::add_expr(expr, ALL, &mut before);
            learn(expr, &mut known);
        }
        let rule = self.rule;
        let mut see = |term: &Term| {
            self.reference(term, &known, &before);
            Go::Deeper
        };
        rule.path.iter().chain(&rule.args).chain([rule.head.term()]).for_each(|term| walk::visit(term, &mut see));
        let mut edges: Vec<Edge> = self.edges.into_iter().map(|(to, certain)| Edge { to, certain }).collect();
        edges.sort_by_key(|edge| edge.to);
        edges
    }

    fn expr(&mut self, expr: &Expr, known: &Known, before: &VarSet) {
        calls(expr, &mut |path| self.path(path, known, before));
        walk::visit_expr(expr, &mut |term| {
            self.reference(term, known, before);
            Go::Deeper
        });
    }

    fn reference(&mut self, term: &Term, known: &Known, before: &VarSet) {
        if let Kind::Ref(path) = &term.kind {
            self.path(path, known, before);
        }
    }

    fn path(&mut self, path: &[Term], known: &Known, before: &VarSet) {
        if path.first().and_then(Term::as_var) != Some(DATA) {
            return;
        }
        let expanded = expand(path, known);
        let selecting = match expanded.as_slice() {
            [one] => one.as_slice(),
            _ => path,
        };
        for path in &expanded {
            for rule in self.tree.read_by(path) {
                let certain = selects(selecting, rule, before);
                for branch in rule.chain() {
                    if let Some(to) = self.index.get(&std::ptr::from_ref(branch)) {
                        *self.edges.entry(*to).or_default() |= certain;
                    }
                }
            }
        }
    }
}

/// The called paths of a statement and of the bodies inside it.
fn calls(expr: &Expr, see: &mut dyn FnMut(&[Term])) {
    let path = |operator: &Operator, see: &mut dyn FnMut(&[Term])| {
        if let Operator::Path(path) = operator {
            see(path);
        }
    };
    match &expr.kind {
        super::term::ExprKind::Call(call) => path(&call.operator, see),
        super::term::ExprKind::Every(every) => every.body.iter().for_each(|expr| calls(expr, see)),
        _ => {}
    }
    walk::visit_expr(expr, &mut |term| {
        match &term.kind {
            Kind::Call(call) => path(&call.operator, see),
            Kind::Comprehension(compr) => compr.body.iter().for_each(|expr| calls(expr, see)),
            _ => {}
        }
        Go::Deeper
    });
}

/// Whether a reference reads a rule whatever its variables hold: one that is unbound and stands once ranges over everything.
fn selects(path: &[Term], rule: &Rule, bound: &VarSet) -> bool {
    path.iter().zip(&rule.path).skip(1).all(|(part, of_rule)| {
        let free = part
            .as_var()
            .is_some_and(|var| !bound.contains(&var) && path.iter().filter(|other| other.as_var() == Some(var)).count() == 1);
        !of_rule.is_constant() || free || part.is_constant() && part.same_constant(of_rule)
    })
}

/// Remembers the constants that a statement lets a variable be.
fn learn(expr: &Expr, known: &mut Known) {
    if expr.negated || !expr.with.is_empty() {
        return;
    }
    let Some((left, right)) = expr.equality() else { return };
    let learned = [(left, right), (right, left)].into_iter().find_map(|(var, term)| Some((var.as_var()?, values(term, known)?)));
    if let Some((var, values)) = learned {
        known.entry(var).or_insert(values);
    }
}

fn values(term: &Term, known: &Known) -> Option<Vec<Term>> {
    match &term.kind {
        Kind::Var(var) => known.get(var).cloned(),
        Kind::Ref(path) => {
            let (head, steps) = path.split_first()?;
            steps.iter().try_fold(values(head, known)?, |values, step| {
                let next: Vec<Term> = values.iter().map(|value| members(value, step)).collect::<Option<Vec<_>>>()?.concat();
                (next.len() <= MAX_EXPANSION).then_some(next)
            })
        }
        _ => term.is_constant().then(|| vec![term.clone()]),
    }
}

/// The members of a constant that a step selects.
fn members(value: &Term, step: &Term) -> Option<Vec<Term>> {
    let all: Vec<(Term, Term)> = match &value.kind {
        Kind::Array(items) => items
            .iter()
            .enumerate()
            .map(|(at, item)| {
                (Term { at: 0, kind: Kind::Scalar(regorus::Value::from(u64::try_from(at).unwrap_or(0))) }, item.clone())
            })
            .collect(),
        Kind::Set(items) => items.iter().map(|item| (item.clone(), item.clone())).collect(),
        Kind::Object(fields) => fields.clone(),
        _ => return if step.is_constant() { Some(Vec::new()) } else { None },
    };
    let selected = all.into_iter().filter(|(key, _)| !step.is_constant() || key.same_constant(step));
    Some(selected.map(|(_, value)| value).collect())
}

/// The constant references that a reference can be, as far as that is known and few.
fn expand(path: &[Term], known: &Known) -> Vec<Vec<Term>> {
    let mut expanded = vec![path.to_vec()];
    for (at, part) in path.iter().enumerate().skip(1) {
        if part.is_constant() {
            continue;
        }
        let Some(values) = values(part, known).filter(|values| !values.is_empty()) else { continue };
        if expanded.len() * values.len() > MAX_EXPANSION {
            continue;
        }
        let with = |path: &Vec<Term>, value: &Term| {
            let mut path = path.clone();
            if let Some(part) = path.get_mut(at) {
                part.kind = value.kind.clone();
            }
            path
        };
        expanded = expanded.iter().flat_map(|path| values.iter().map(move |value| with(path, value))).collect();
    }
    expanded
}
