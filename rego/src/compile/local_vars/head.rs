//! Arguments, and comprehensions in heads.

use std::collections::HashMap;

use super::rewriter::Rewriter;
use super::scope::{Entry, Occurrence, Scopes};
use crate::compile::Findings;
use crate::compile::names::Names;
use crate::compile::terms::is_ground;
use crate::error::{Code, Error};
use crate::syntax::order::sort;
use crate::syntax::tree::{Head, Kind, Term, Var};

/// Gives arguments new names; the scope that they are in (`rewriteLocalArgVars`).
pub(super) fn rewrite_args(
    names: &mut Names,
    rewritten: &mut HashMap<Var, Var>,
    findings: &mut Findings,
    args: Option<&mut [Term]>,
) -> Scopes {
    let mut args_of = Args { names, rewritten, findings, scopes: Scopes::default() };
    args.into_iter().flatten().for_each(|arg| args_of.term(arg));
    args_of.scopes
}

struct Args<'a> {
    names: &'a mut Names,
    rewritten: &'a mut HashMap<Var, Var>,
    findings: &'a mut Findings,
    scopes: Scopes,
}

impl Args<'_> {
    fn term(&mut self, term: &mut Term) {
        match &mut term.kind {
            Kind::Var(name) => {
                if let Some(local) = self.scopes.mention(name, true) {
                    *name = local;
                } else {
                    let local = self.names.generate();
                    let written = std::mem::replace(name, local.clone());
                    self.scopes.insert(self.rewritten, written, Entry::new(local, Occurrence::Arg, None));
                }
            }
            Kind::Ref(parts) | Kind::Array(parts) => parts.iter_mut().for_each(|part| self.term(part)),
            Kind::Object(members) => members.iter_mut().for_each(|(_, value)| self.term(value)),
            Kind::Call(_) => {
                self.findings.stop(Error::new(Code::Compile, term.span, "rule arguments cannot contain calls"));
            }
            _ => {}
        }
    }
}

/// Gives new names to what comprehensions and templates in a head declare: before the body, which has scopes of its own
/// (`rewriteNestedHeadVarLocalTransform`).
pub(super) fn rewrite_nested(
    names: &mut Names,
    rewritten: &mut HashMap<Var, Var>,
    findings: &mut Findings,
    strict: bool,
    head: &mut Head,
) {
    let mut nested = Nested { names, rewritten, strict, errors: Vec::new(), unused: Vec::new() };
    for term in head.args.iter_mut().flatten().chain(&mut head.key).chain(&mut head.value) {
        nested.term(term);
    }
    let Nested { errors, unused, .. } = nested;
    errors.into_iter().for_each(|error| _ = findings.stop(error));
    unused.into_iter().for_each(|error| _ = findings.go_on(error));
}

struct Nested<'a> {
    names: &'a mut Names,
    rewritten: &'a mut HashMap<Var, Var>,
    strict: bool,
    errors: Vec<Error>,
    unused: Vec<Error>,
}

impl Nested<'_> {
    fn term(&mut self, term: &mut Term) {
        if matches!(term.kind, Kind::Object(_) | Kind::Set(_)) && is_ground(term) {
            return;
        }
        match &mut term.kind {
            Kind::Null | Kind::Bool(_) | Kind::Number(_) | Kind::String(_) | Kind::Var(_) => return,
            Kind::Ref(parts) | Kind::Array(parts) | Kind::Call(parts) => {
                return parts.iter_mut().for_each(|part| self.term(part));
            }
            Kind::Set(members) => members.iter_mut().for_each(|member| self.term(member)),
            Kind::Object(members) => members.iter_mut().for_each(|(key, value)| {
                self.term(key);
                self.term(value);
            }),
            Kind::ArrayCompr(inner) | Kind::SetCompr(inner) => {
                self.alone(|rewriter| rewriter.comprehension(&mut [&mut inner.term], &mut inner.body));
            }
            Kind::ObjectCompr(inner) => {
                self.alone(|rewriter| rewriter.comprehension(&mut [&mut inner.key, &mut inner.value], &mut inner.body));
            }
            Kind::Template(template) => self.alone(|rewriter| rewriter.template(template)),
        }
        sort(&mut term.kind);
    }

    /// Rewrites something outside of all scopes.
    fn alone(&mut self, rewrite: impl FnOnce(&mut Rewriter<'_>)) {
        let mut rewriter = Rewriter::new(self.names, self.rewritten, Scopes::default(), self.strict);
        rewriter.errors.append(&mut self.errors);
        rewrite(&mut rewriter);
        let Rewriter { errors, unused, .. } = rewriter;
        self.errors = errors;
        self.unused.extend(unused);
    }
}
