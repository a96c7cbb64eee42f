//! Declared variables (`v1/ast/compile.go`, `rewriteLocalVars`): `a := 1; p[a]` becomes `__local0__ = 1; p[__local0__]`. Names are
//! checked on the way: none is declared twice, or used before it is declared.

mod closures;
mod head;
mod rewriter;
mod scope;
mod statements;
mod terms;
mod unused;

use std::collections::BTreeSet;

use foldhash::HashMap;

use super::names::Names;
use super::options::Options;
use super::resolve_refs::declared_in_body;
use super::terms::is_scalar;
use super::vars::{Params, VarSet, is_wildcard};
use super::{Compiler, Findings};
use crate::error::{Code, Error};
use crate::syntax::tree::{Body, Head, Kind, Rule, Term, Var};
use crate::syntax::visit::{Mutable, Node, transform, walk};

use rewriter::Rewriter;
use scope::{Entry, Occurrence, Scopes};

/// What the rules of a set share.
struct Stage<'a> {
    options: &'a Options,
    names: &'a mut Names,
    rewritten: &'a mut HashMap<Var, Var>,
    findings: &'a mut Findings,
}

/// The stage `RewriteLocalVars`.
pub(super) fn rewrite_local_vars(compiler: &mut Compiler) {
    let Compiler { modules, options, names, rewritten, findings, .. } = compiler;
    let mut stage = Stage { options, names, rewritten, findings };
    for rule in modules.iter_mut().flat_map(|module| &mut module.rules) {
        stage.rule(rule);
    }
}

/// The same for a query; gives errors, and notes what variables were called.
pub(super) fn rewrite_query(strict: bool, rewritten: &mut HashMap<Var, Var>, body: &mut Body) -> Vec<Error> {
    let mut names = Names::for_query(body);
    let mut rewriter = Rewriter::new(&mut names, rewritten, Scopes::default(), strict);
    rewriter.statements(&[], body);
    rewriter.errors.append(&mut rewriter.unused);
    rewriter.errors
}

impl Stage<'_> {
    /// A rule and what follows its `else`, which share their arguments.
    fn rule(&mut self, rule: &mut Rule) {
        let strict = self.options.strict;
        let mut unused_args: BTreeSet<Var> = BTreeSet::new();
        if strict {
            let mut vars = VarSet::default();
            vars.add_terms(rule.head.args.iter().flatten(), Params::ALL);
            unused_args = vars.iter().cloned().collect();
        }
        let head = rule.head.span;
        let args = head::rewrite_args(self.names, self.rewritten, self.findings, rule.head.args.as_deref_mut());
        rule.each_of_chain(|rule| self.branch(rule, &args, &mut unused_args));
        for arg in unused_args.iter().filter(|arg| !is_wildcard(arg)) {
            let message = format!("unused argument {arg}. (hint: use _ (wildcard variable) instead)");
            self.findings.go_on(Error::new(Code::Compile, head, message));
        }
    }

    fn branch(&mut self, rule: &mut Rule, args: &Scopes, unused_args: &mut BTreeSet<Var>) {
        let plain = !may_have_vars(&rule.head);
        let mut used: Vec<&Term> = Vec::new();
        if !plain {
            head::rewrite_nested(self.names, self.rewritten, self.findings, self.options.strict, &mut rule.head);
            used = used_terms(&rule.head);
            forget_used(unused_args, rule.head.value.as_ref());
        }
        let mut scopes = args.clone();
        self.hide_builtins(rule, &mut scopes);
        let mut rewriter = Rewriter::new(self.names, self.rewritten, scopes, self.options.strict);
        rewriter.statements(&used, &mut rule.body);
        let Rewriter { errors, unused, scopes, .. } = rewriter;
        self.findings.stop_all(errors);
        self.findings.go_on_all(unused);
        unused_args.retain(|arg| scopes.count(arg) <= 1);
        if !plain {
            rename_in_head(&scopes, &mut rule.head);
        }
    }

    /// A variable that a body binds and that is called as a builtin gets a new name, lest later stages take it for the builtin.
    fn hide_builtins(&mut self, rule: &Rule, scopes: &mut Scopes) {
        let mut vars = VarSet::default();
        vars.add_body(&rule.body, Params { skip_ref_call_head: true, skip_closures: true, ..Params::ALL });
        let mut hiding: Vec<Var> = vars.iter().filter(|name| self.options.builtin(name).is_some()).cloned().collect();
        if hiding.is_empty() {
            return;
        }
        hiding.sort_unstable();
        let declared = declared_in_body(&rule.body);
        let replaced = vars_of_withs(rule);
        for name in hiding {
            if !declared.contains(&name) && !replaced.contains(&name) && scopes.declared(&name).is_none() {
                let local = self.names.generate();
                scopes.insert(self.rewritten, name, Entry::new(local, Occurrence::Seen, None));
            }
        }
    }
}

/// Variables in targets and values of `with`.
fn vars_of_withs(rule: &Rule) -> VarSet {
    let mut vars = VarSet::default();
    walk(Node::Rule(rule), &mut |node| {
        if let Node::With(with) = node {
            vars.add_terms([&with.target, &with.value], Params { skip_ref_call_head: true, ..Params::ALL });
        }
        false
    });
    vars
}

/// Whether a head holds anything but scalars (`headMayHaveVars`).
fn may_have_vars(head: &Head) -> bool {
    let terms = head.args.iter().flatten().chain(&head.key).chain(&head.value);
    terms.chain(head.reference.iter().skip(1)).any(|term| !is_scalar(term))
}

/// What a head uses of its body.
fn used_terms(head: &Head) -> Vec<&Term> {
    let terms = head.reference.iter().skip(1).chain(&head.key).chain(&head.value);
    terms.filter(|term| !is_scalar(term)).collect()
}

fn forget_used(unused_args: &mut BTreeSet<Var>, value: Option<&Term>) {
    if !unused_args.is_empty()
        && let Some(value) = value
    {
        let mut vars = VarSet::default();
        vars.add_term(value, Params::ALL);
        unused_args.retain(|arg| !vars.contains(arg));
    }
}

/// What the body declares has its new name in the head, too.
fn rename_in_head(scopes: &Scopes, head: &mut Head) {
    let terms = head.args.iter_mut().flatten().chain(head.reference.iter_mut().skip(1));
    for term in terms.chain(&mut head.key).chain(&mut head.value) {
        transform(Mutable::Term(term), &mut |node| {
            if let Mutable::Term(Term { kind: Kind::Var(name), .. }) = node
                && let Some(local) = scopes.declared(name)
            {
                *name = local.clone();
            }
            false
        });
    }
}
