//! What `walk` is asked for.

use super::Lower;
use super::scope::Scope;
use super::term::unbound;
use crate::compile::vars::is_wildcard;
use crate::ir::{KnownPath, Pattern, Target, Term};
use crate::syntax::tree::{self, Kind};

impl Lower<'_> {
    /// Returns the pattern that an answer must fit. In `walk(x, [_, v])` it takes any path: nobody reads `_`, so that none is made.
    pub(super) fn answer(&mut self, output: &tree::Term, target: &Target, scope: &mut Scope) -> Pattern {
        let mut pattern = self.pattern(output, scope);
        if let (true, Kind::Array(parts), Pattern::Array(patterns)) = (target.is_relation(), &output.kind, &mut pattern)
            && let ([path, _], [asked @ Pattern::Bind(_), _]) = (parts.as_slice(), patterns.as_mut())
            && path.as_var().is_some_and(is_wildcard)
        {
            *asked = Pattern::Any;
        }
        pattern
    }

    /// Returns what is known of the path in an answer, `None` for nothing. To be asked before [`Self::answer`], which binds variables.
    pub(super) fn known_path(&mut self, output: &tree::Term, scope: &mut Scope) -> Option<KnownPath> {
        let Kind::Array(parts) = &output.kind else { return self.known(output, scope).map(KnownPath::Pair) };
        let [path, _] = parts.as_slice() else { return None };
        let Kind::Array(keys) = &path.kind else { return self.known(path, scope).map(KnownPath::Path) };
        Some(KnownPath::Keys(keys.iter().map(|key| self.known(key, scope)).collect()))
    }

    fn known(&mut self, term: &tree::Term, scope: &mut Scope) -> Option<Term> {
        (!unbound(term, scope)).then(|| self.term(term, scope))
    }
}
