//! Terms: what is declared gets its new name.

use super::rewriter::Rewriter;
use super::scope::{Entry, Occurrence};
use crate::compile::vars::{INPUT, is_root_document};
use crate::syntax::order::sort;
use crate::syntax::print;
use crate::syntax::tree::{Body, Expr, Kind, Template, TemplatePart, Term, Var, With};
use crate::syntax::visit::{Node, Rewrite, walk_terms};

impl Rewriter<'_> {
    /// All terms of an expression, bodies included.
    pub(super) fn terms_of(&mut self, expr: &mut Expr) {
        let outside = std::mem::replace(&mut self.withs, true);
        self.inside_expr(expr);
        self.withs = outside;
    }

    /// A `with`. What is called `input` here may be shadowed, but its target never is.
    pub(super) fn shadowed_with(&mut self, with: &mut With) {
        let outside = std::mem::replace(&mut self.withs, false);
        self.term(&mut with.target);
        if let Some(shadow) = self.scopes.declared(&INPUT) {
            match &mut with.target.kind {
                Kind::Var(name) if name == shadow => {
                    let input = Term::var(with.target.span, INPUT);
                    with.target.kind = Kind::Ref(vec![input]);
                }
                Kind::Ref(parts) => {
                    if let Some(Term { kind: Kind::Var(name), .. }) = parts.first_mut()
                        && name == shadow
                    {
                        *name = INPUT;
                    }
                }
                _ => {}
            }
        }
        self.term(&mut with.value);
        self.withs = outside;
    }

    fn var(&mut self, name: &mut Var) {
        match self.scopes.mention(name, true) {
            Some(local) => *name = local,
            None => {
                self.mentioned.insert(name.clone());
                self.scopes.insert(self.rewritten, name.clone(), Entry::new(name.clone(), Occurrence::Seen, None));
            }
        }
    }

    /// `input` or `data`, which may be shadowed.
    fn root_document(&mut self, term: &mut Term) {
        let Some(name) = is_root_document(term).cloned() else { return };
        if self.scopes.occurrence_anywhere(&name).is_some_and(|occurrence| occurrence != Occurrence::Seen)
            && let Some(local) = self.scopes.mention(&name, false)
            && local != name
        {
            term.kind = Kind::Var(local);
        }
    }

    /// A function cannot be a variable.
    fn shadowed_call(&self, called: &Term) -> Option<String> {
        let mut shadowed = false;
        walk_terms(Node::Term(called), |term| {
            shadowed |= term.as_var().is_some_and(|name| self.scopes.declared(name).is_some_and(|local| local != name));
            false
        });
        shadowed.then(|| format!("called function {} shadowed", print::term(called)))
    }

    /// A template in a head: each of its expressions has a scope of its own.
    pub(super) fn template(&mut self, template: &mut Template) {
        for part in &mut template.parts {
            if let TemplatePart::Expr(expr) = part {
                self.scopes.push();
                self.terms_of(expr);
                self.scopes.pop();
            }
        }
    }
}

impl Rewrite for Rewriter<'_> {
    fn term(&mut self, term: &mut Term) {
        if is_root_document(term).is_some() {
            return self.root_document(term);
        }
        match &mut term.kind {
            Kind::Var(name) => return self.var(name),
            Kind::Call(parts) => {
                if let Some(message) = parts.first().and_then(|called| self.shadowed_call(called)) {
                    self.error(term.span, message);
                }
            }
            _ => {}
        }
        self.inside_term(term);
        sort(&mut term.kind);
    }

    fn with(&mut self, with: &mut With) {
        if self.withs {
            return self.shadowed_with(with);
        }
        self.terms([&mut with.target, &mut with.value]);
    }

    /// A comprehension has a scope of its own.
    fn comprehension(&mut self, heads: &mut [&mut Term], body: &mut Body) {
        let outside = std::mem::replace(&mut self.withs, false);
        self.scopes.push();
        self.comprehensions = self.comprehensions.saturating_add(1);
        let used: Vec<&Term> = heads.iter().map(|term| &**term).collect();
        self.statements(&used, body);
        heads.iter_mut().for_each(|term| self.term(term));
        self.comprehensions = self.comprehensions.saturating_sub(1);
        self.scopes.pop();
        self.withs = outside;
    }
}
