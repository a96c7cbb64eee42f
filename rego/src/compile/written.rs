//! References with the names of variables that were written (`v1/ast/compile.go`, `rewriteVarsInRef`).

use foldhash::HashMap;

use super::vars::{VarSet, shown};
use crate::error::{Code, Error};
use crate::syntax::print;
use crate::syntax::span::Span;
use crate::syntax::tree::{Kind, Term, Var};
use crate::syntax::visit::{Mutable, walk_mut};

/// A reference as messages show it.
pub(crate) fn reference(rewritten: &HashMap<Var, Var>, parts: &[Term]) -> String {
    print::reference(&parts.iter().map(|part| term(rewritten, part)).collect::<Vec<_>>())
}

/// A term with the names that were written.
pub(crate) fn term(rewritten: &HashMap<Var, Var>, term: &Term) -> Term {
    let mut term = term.clone();
    walk_mut(Mutable::Term(&mut term), &mut |node| {
        if let Mutable::Term(Term { kind: Kind::Var(name), .. }) = node
            && let Some(written) = rewritten.get(name)
        {
            *name = written.clone();
        }
        false
    });
    term
}

/// The errors of variables that nothing has bound at a place.
pub(super) fn undeclared(rewritten: &HashMap<Var, Var>, vars: VarSet, span: Span) -> impl Iterator<Item = Error> {
    vars.sorted().into_iter().map(move |var| {
        let name = rewritten.get(&var).unwrap_or(&var);
        Error::new(Code::Compile, span, format!("var {} is undeclared", shown(name)))
    })
}
