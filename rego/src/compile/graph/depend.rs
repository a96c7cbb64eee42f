//! The rules that a rule refers to (`v1/ast/compile.go`, `walkRuleDependencies`, `addDynamic`).

use foldhash::{HashMap, HashSet};

use super::super::constants::is_constant;
use super::super::{Compiler, RuleId};
use super::bindings::Bindings;
use super::lookup::rules_dynamic;
use super::origins::{Origin, origins};
use super::selects::{Bound, selects};
use crate::syntax::tree::{Kind, Rule, Term, Var};
use crate::syntax::visit::{Node, walk_terms};

/// A reference that chooses rules by the value of a variable, kept for messages.
#[derive(Debug)]
pub(crate) struct Dynamic {
    /// As it is written.
    pub reference: Vec<Term>,
    /// With the values of variables that can have only one.
    pub selects: Vec<Term>,
    /// Its variables that may have a value when it is evaluated.
    pub bound: HashSet<Var>,
    /// Where its variables get their values.
    pub origins: HashMap<Var, Origin>,
    /// The rules that nothing else chooses.
    pub rules: Vec<RuleId>,
}

/// One reference of a rule.
pub(crate) struct Reference<'a> {
    /// As it is written.
    pub parts: &'a [Term],
    /// With the values of variables that can have only one.
    pub selects: Vec<&'a Term>,
    /// The index of the expression that it is in; of a head, behind the last one.
    pub index: usize,
    /// Its variables that may have a value when it is evaluated.
    pub bound: HashSet<Var>,
}

/// Where a reference leads to.
#[derive(Clone, Copy)]
pub(crate) enum Led {
    /// To all rules of its path: it has no variables.
    ToAll,
    /// Perhaps to a rule; and whether it does so whatever its variables hold.
    To(RuleId, bool),
}

/// Calls with each reference of a rule, and each rule that it may lead to.
pub(crate) fn dependencies<'a>(compiler: &Compiler, rule: &'a Rule, mut found: impl FnMut(&Reference<'a>, Led)) {
    let mut walk = Walk { compiler, rule, known: None, index: 0 };
    for (index, expr) in rule.body.iter().enumerate() {
        walk.index = index;
        walk.node(Node::Expr(expr), &mut found);
    }
    walk.index = rule.body.len();
    walk.node(Node::Head(&rule.head), &mut found);
}

struct Walk<'a, 'c> {
    compiler: &'c Compiler,
    rule: &'a Rule,
    /// Made when a reference with a variable turns up.
    known: Option<(Bindings<'a>, Bound)>,
    index: usize,
}

impl<'a> Walk<'a, '_> {
    fn node(&mut self, node: Node<'a>, found: &mut impl FnMut(&Reference<'a>, Led)) {
        walk_terms(node, |term| {
            if let Kind::Ref(parts) = &term.kind {
                self.reference(parts, found);
            }
            false
        });
    }

    fn reference(&mut self, parts: &'a [Term], found: &mut impl FnMut(&Reference<'a>, Led)) {
        let index = self.index;
        let mut reference = Reference { parts, selects: parts.iter().collect(), index, bound: HashSet::default() };
        if parts.first().and_then(Term::as_var) != Some(&super::super::vars::DATA) {
            return;
        }
        if parts.iter().skip(1).all(is_constant) {
            return found(&reference, Led::ToAll);
        }
        let rule = self.rule;
        let (bindings, bound) = self.known.get_or_insert_with(|| (Bindings::of(&rule.body), Bound::of(rule)));
        let expanded = if bindings.any_before(index) { bindings.expand(parts, index) } else { vec![reference.selects.clone()] };
        if let [only] = expanded.as_slice() {
            reference.selects = only.clone();
        }
        reference.bound = bound.among(&reference.selects, index);
        for path in &expanded {
            for id in rules_dynamic(self.compiler, path) {
                let always = self.compiler.rule(id).is_some_and(|to| selects(&reference.selects, to, &reference.bound));
                found(&reference, Led::To(id, always));
            }
        }
    }
}

/// The references of a rule that choose rules by the value of a variable; without rules that another reference leads to always.
pub(super) fn dynamic(compiler: &Compiler, rule: &Rule) -> Vec<Dynamic> {
    let mut always: HashSet<RuleId> = HashSet::default();
    dependencies(compiler, rule, |reference, led| match led {
        Led::ToAll => always.extend(rules_dynamic(compiler, &reference.selects)),
        Led::To(id, true) => drop(always.insert(id)),
        Led::To(_, false) => {}
    });
    let mut all: Vec<(*const Term, Dynamic)> = Vec::new();
    dependencies(compiler, rule, |reference, led| {
        let Led::To(id, _) = led else { return };
        if always.contains(&id) {
            return;
        }
        let identity = reference.parts.as_ptr();
        if all.last().is_none_or(|(last, _)| *last != identity) {
            all.push((identity, made(rule, reference)));
        }
        all.last_mut().into_iter().for_each(|(_, last)| last.rules.push(id));
    });
    all.into_iter().map(|(_, dynamic)| dynamic).collect()
}

fn made(rule: &Rule, reference: &Reference<'_>) -> Dynamic {
    Dynamic {
        reference: reference.parts.to_vec(),
        selects: reference.selects.iter().map(|part| (*part).clone()).collect(),
        bound: reference.bound.clone(),
        origins: origins(rule, reference.index, &reference.selects),
        rules: Vec::new(),
    }
}
