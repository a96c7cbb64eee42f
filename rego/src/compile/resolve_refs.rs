//! Names of rules and imports as full references (`v1/ast/compile.go`, `resolveAllRefs`): below `import data.foo.bar`, `bar[_]`
//! becomes `data.foo.bar[_]`; a rule `c` of the package `a.b` becomes `data.a.b.c`.

mod globals;
mod shadows;

use foldhash::HashSet;

use super::Compiler;
use super::vars::is_root_document;
use crate::error::{Code, Error};
use crate::syntax::order::sort;
use crate::syntax::tree::{Body, Expr, ExprKind, Kind, Rule, Term, Var};
use crate::syntax::visit::{Node, Rewrite, walk};

pub(super) use globals::{Exports, Globals};
pub(super) use shadows::declared_in_body;

/// Names that mean something else from here to the end of a scope.
type Scopes = Vec<HashSet<Var>>;

/// Resolves what one module mentions.
#[derive(Debug)]
pub(super) struct Resolver<'a> {
    globals: Globals<'a>,
    shadowed: Scopes,
}

/// The stage `ResolveRefs`.
pub(super) fn resolve_all_refs(compiler: &mut Compiler) {
    let Compiler { modules, findings, unused_imports, options, .. } = compiler;
    let exports = Exports::of(modules);
    for (index, module) in modules.iter_mut().enumerate() {
        let globals = Globals::new(&module.package.path, exports.names(&module.package.path), &module.imports);
        let mut resolver = Resolver::new(globals);
        for rule in &mut module.rules {
            let mut next = Some(rule);
            while let Some(rule) = next {
                if let Err(error) = resolver.rule(rule) {
                    findings.stop(error);
                    break;
                }
                next = rule.otherwise.as_deref_mut();
            }
        }
        if options.strict {
            unused_imports.extend(resolver.globals.unused(&module.imports).into_iter().map(|import| (index, import)));
        }
    }
}

impl<'a> Resolver<'a> {
    pub(super) fn new(globals: Globals<'a>) -> Self {
        Self { globals, shadowed: Scopes::new() }
    }

    fn rule(&mut self, rule: &mut Rule) -> Result<(), Error> {
        let args = argument_names(rule)?;
        self.shadowed.extend([args, declared_in_body(&rule.body)]);
        self.terms(rule.head.reference.iter_mut().skip(1));
        self.terms(rule.head.key.iter_mut().chain(&mut rule.head.value));
        self.body(&mut rule.body);
        self.shadowed.clear();
        Ok(())
    }

    /// Resolves a query.
    pub(super) fn query(&mut self, body: &mut Body) {
        self.shadowed.push(declared_in_body(body));
        self.body(body);
    }

    /// A name in front is replaced by its path, one in brackets becomes a reference of its own; templates in brackets stay, as in
    /// OPA (`resolveRef`).
    fn reference(&mut self, parts: &mut Vec<Term>) {
        for part in parts.iter_mut().skip(1).filter(|part| !matches!(part.kind, Kind::Template(_))) {
            self.term(part);
        }
        let Some(first) = parts.first_mut() else { return };
        match &first.kind {
            Kind::Var(name) => {
                if let Some(path) = self.globals.path(name, &self.shadowed, first.span) {
                    parts.splice(..1, path);
                }
            }
            Kind::Template(_) => {}
            _ => self.term(first),
        }
    }
}

impl Rewrite for Resolver<'_> {
    fn expr(&mut self, expr: &mut Expr) {
        let ExprKind::Every(every) = &mut expr.kind else { return self.inside_expr(expr) };
        let mut names = HashSet::default();
        every.key.iter().chain([&every.value]).for_each(|term| shadows::add_vars(&mut names, term));
        self.shadowed.push(names);
        self.term(&mut every.domain);
        self.body(&mut every.body);
        self.shadowed.pop();
        expr.with.iter_mut().for_each(|with| self.with(with));
    }

    fn comprehension(&mut self, heads: &mut [&mut Term], body: &mut Body) {
        self.shadowed.push(declared_in_body(body));
        heads.iter_mut().for_each(|head| self.term(head));
        self.body(body);
        self.shadowed.pop();
    }

    fn term(&mut self, term: &mut Term) {
        match &mut term.kind {
            Kind::Var(name) => {
                if let Some(path) = self.globals.path(name, &self.shadowed, term.span) {
                    term.kind = Kind::Ref(path);
                }
            }
            Kind::Ref(parts) => self.reference(parts),
            _ => {
                self.inside_term(term);
                sort(&mut term.kind);
            }
        }
    }
}

/// The variables of a rule's arguments. Fails when one is `input` or `data`.
fn argument_names(rule: &Rule) -> Result<HashSet<Var>, Error> {
    let mut names = HashSet::default();
    let mut shadow = None;
    for arg in rule.head.args.iter().flatten() {
        walk(Node::Term(arg), &mut |node| {
            let Node::Term(term) = node else { return true };
            match &term.kind {
                Kind::Var(name) => _ = names.insert(name.clone()),
                Kind::Set(_) | Kind::ArrayCompr(_) | Kind::SetCompr(_) | Kind::ObjectCompr(_) | Kind::Call(_) => return true,
                Kind::Ref(_) => shadow = shadow.take().or_else(|| is_root_document(term).cloned()),
                _ => {}
            }
            shadow.is_some()
        });
    }
    match shadow {
        None => Ok(names),
        Some(name) => {
            let message = format!("args must not shadow {name} (use a different variable name)");
            Err(Error::new(Code::Compile, rule.span, message))
        }
    }
}
