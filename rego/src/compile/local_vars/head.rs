//! Arguments, and comprehensions in heads.

use foldhash::HashMap;

use super::rewriter::Rewriter;
use super::scope::{Entry, Occurrence, Scopes};
use crate::compile::Findings;
use crate::compile::names::Names;
use crate::compile::terms::is_ground;
use crate::error::{Code, Error};
use crate::syntax::order::sort;
use crate::syntax::tree::{Body, Head, Kind, Term, Var};
use crate::syntax::visit::Rewrite;

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
    nested.terms(head.args.iter_mut().flatten().chain(&mut head.key).chain(&mut head.value));
    let Nested { errors, unused, .. } = nested;
    findings.stop_all(errors);
    findings.go_on_all(unused);
}

struct Nested<'a> {
    names: &'a mut Names,
    rewritten: &'a mut HashMap<Var, Var>,
    strict: bool,
    errors: Vec<Error>,
    unused: Vec<Error>,
}

impl Rewrite for Nested<'_> {
    fn term(&mut self, term: &mut Term) {
        if matches!(term.kind, Kind::Object(_) | Kind::Set(_)) && is_ground(term) {
            return;
        }
        match &mut term.kind {
            Kind::Template(template) => self.alone(|rewriter| rewriter.template(template)),
            _ => self.inside_term(term),
        }
        sort(&mut term.kind);
    }

    fn comprehension(&mut self, heads: &mut [&mut Term], body: &mut Body) {
        self.alone(|rewriter| rewriter.comprehension(heads, body));
    }
}

impl Nested<'_> {
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
