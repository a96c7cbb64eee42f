//! Which reference a term is, or stands for (opa `v1/ast/index.go`, `resolveVarToRef`, `resolveRefHead`, `isValidIndexRef`).

use super::constraint::Indices;
use super::expr::Collector;
use super::references::Located;
use crate::compile::constants::value as constant;
use crate::compile::vars::{DATA, INPUT};
use crate::ir::{IndexReference, IndexRoot};
use crate::syntax::tree::{Kind, Term, Var};

/// The name of a variable that is no document.
pub(super) fn variable(term: &Term) -> Option<&Var> {
    term.as_var().filter(|name| **name != INPUT && **name != DATA)
}

/// The parts of a reference; `input` and `data` by themselves are references, too.
pub(super) fn parts(term: &Term) -> Option<&[Term]> {
    match &term.kind {
        Kind::Ref(parts) => Some(parts),
        _ => None,
    }
}

impl Collector<'_> {
    /// What a variable stands for: a reference that it was found equal to, or an operand.
    pub(super) fn resolve(&self, indices: &Indices<'_>, name: &Var) -> Option<Located> {
        if let Some(number) = indices.local(name) {
            return self.references.get(number).cloned();
        }
        let operand = self.args.iter().position(|arg| arg.as_var() == Some(name))?;
        Some(Located { reference: IndexReference::root(IndexRoot::Operand(operand)), at: None })
    }

    /// Where a reference begins, and its other parts. What a variable stands for is spliced in.
    pub(super) fn head<'p>(&self, indices: &Indices<'_>, parts: &'p [Term]) -> Option<(Located, &'p [Term])> {
        let (first, rest) = parts.split_first()?;
        match variable(first) {
            Some(name) => Some((self.resolve(indices, name)?, rest)),
            None => Some((self.root(first)?, rest)),
        }
    }

    fn root(&self, first: &Term) -> Option<Located> {
        let root = match first.as_var()? {
            name if *name == INPUT => IndexRoot::Input,
            name if *name == DATA => IndexRoot::Data,
            _ => return None,
        };
        Some(Located { reference: IndexReference::root(root), at: Some((self.module, first.span.start)) })
    }

    /// A reference into the input or base documents; `None` for others, and for those with variables.
    pub(super) fn whole(&self, (mut head, rest): (Located, &[Term])) -> Option<Located> {
        for part in rest {
            head.reference.path.push(constant(part)?);
        }
        self.is_base(&head).then_some(head)
    }

    /// The same for a reference that is written so.
    pub(super) fn written(&self, parts: &[Term]) -> Option<Located> {
        let (first, rest) = parts.split_first()?;
        self.whole((self.root(first)?, rest))
    }

    fn is_base(&self, located: &Located) -> bool {
        match located.reference.root {
            IndexRoot::Input => true,
            IndexRoot::Data => !(self.is_virtual)(&located.reference.path),
            IndexRoot::Operand(_) => false,
        }
    }

    /// The reference that a term is, or that a variable stands for, into the input or base documents (`resolveAndValidateRef`).
    pub(super) fn looked_up(&self, indices: &Indices<'_>, term: &Term) -> Option<Located> {
        match variable(term) {
            Some(name) => self.resolve(indices, name).filter(|located| self.is_base(located)),
            None => self.written(parts(term)?),
        }
    }
}
