//! Which variables an equality binds when these are bound already (`v1/ast/unify.go`).

use foldhash::{HashMap, HashSet};

use super::super::vars::{Params, SAFETY, VarSet};
use crate::syntax::order::compare;
use crate::syntax::tree::{Kind, Term, Var};

/// What patterns bind: not what references start with, not keys, nothing in closures.
const PATTERN: Params<'static> = Params { skip_ref_head: true, skip_object_keys: true, skip_closures: true, ..Params::ALL };

/// Whether a variable is bound.
pub(super) type IsSafe<'a> = dyn Fn(&Var) -> bool + 'a;

/// The variables that `a = b` binds.
pub(super) fn unify(safe: &IsSafe<'_>, a: &Term, b: &Term) -> HashSet<Var> {
    let mut unifier = Unifier { safe, unified: HashSet::default(), needs: HashMap::default(), needed_by: HashMap::default() };
    unifier.unify(a, b);
    unifier.unified
}

/// Whether a reference can be looked up: what it starts with is bound.
pub(super) fn is_ref_safe(parts: &[Term], safe: &IsSafe<'_>) -> bool {
    match parts.first() {
        None => true,
        Some(Term { kind: Kind::Var(name), .. }) => safe(name),
        Some(first) => all_safe(first, safe),
    }
}

fn all_safe(term: &Term, safe: &IsSafe<'_>) -> bool {
    let mut vars = VarSet::default();
    vars.add_term(term, SAFETY);
    vars.iter().all(safe)
}

struct Unifier<'a> {
    safe: &'a IsSafe<'a>,
    unified: HashSet<Var>,
    /// Variables that are bound as soon as all of theirs are; and the other way round.
    needs: HashMap<Var, HashSet<Var>>,
    needed_by: HashMap<Var, Vec<Var>>,
}

impl Unifier<'_> {
    fn unify(&mut self, a: &Term, b: &Term) {
        match (&a.kind, &b.kind) {
            (Kind::Var(x), Kind::Var(y)) => self.variables(x, y),
            (Kind::Var(x), Kind::Array(_) | Kind::Object(_)) => self.with_pattern(x, b),
            (Kind::Array(_) | Kind::Object(_), Kind::Var(y)) => self.with_pattern(y, a),
            (Kind::Var(x), _) => self.if_known(b, |unifier| unifier.mark_safe(x.clone())),
            (_, Kind::Var(y)) => self.if_known(a, |unifier| unifier.mark_safe(y.clone())),
            (Kind::Ref(_) | Kind::Call(_), Kind::Array(_) | Kind::Object(_)) => {
                self.if_known(a, |unifier| unifier.mark_all_safe(b))
            }
            (Kind::Array(_) | Kind::Object(_), Kind::Ref(_) | Kind::Call(_)) => {
                self.if_known(b, |unifier| unifier.mark_all_safe(a))
            }
            (Kind::ArrayCompr(_), Kind::Array(_)) | (Kind::ObjectCompr(_), Kind::Object(_)) => self.mark_all_safe(b),
            (Kind::Array(_), Kind::ArrayCompr(_) | Kind::ObjectCompr(_) | Kind::SetCompr(_)) => self.mark_all_safe(a),
            (Kind::Array(x), Kind::Array(y)) if x.len() == y.len() => x.iter().zip(y).for_each(|(x, y)| self.unify(x, y)),
            (Kind::Object(x), Kind::Object(y)) if x.len() == y.len() => self.objects(x, y),
            _ => {}
        }
    }

    fn is_safe(&self, var: &Var) -> bool {
        (self.safe)(var) || self.unified.contains(var)
    }

    /// Goes on if a term has a value: always, but for references and calls of what is not bound.
    fn if_known(&mut self, term: &Term, then: impl FnOnce(&mut Self)) {
        let known = match &term.kind {
            Kind::Ref(parts) => is_ref_safe(parts, self.safe),
            Kind::Call(_) => all_safe(term, self.safe),
            _ => true,
        };
        if known {
            then(self);
        }
    }

    fn variables(&mut self, x: &Var, y: &Var) {
        if self.is_safe(y) {
            self.mark_safe(x.clone());
        } else if self.is_safe(x) {
            self.mark_safe(y.clone());
        } else {
            self.mark_unknown(x, y);
            self.mark_unknown(y, x);
        }
    }

    fn with_pattern(&mut self, var: &Var, pattern: &Term) {
        if self.is_safe(var) {
            return self.mark_all_safe(pattern);
        }
        let mut vars = VarSet::default();
        vars.add_term(pattern, PATTERN);
        let open: Vec<&Var> = vars.iter().filter(|inner| !self.is_safe(inner)).collect();
        if open.is_empty() {
            return self.mark_safe(var.clone());
        }
        open.into_iter().for_each(|inner| self.mark_unknown(var, inner));
    }

    fn objects(&mut self, x: &[(Term, Term)], y: &[(Term, Term)]) {
        for (key, value) in x {
            if let Some((_, other)) = y.binary_search_by(|(probe, _)| compare(probe, key)).ok().and_then(|at| y.get(at)) {
                self.unify(value, other);
            }
        }
    }

    fn mark_all_safe(&mut self, pattern: &Term) {
        let mut vars = VarSet::default();
        vars.add_term(pattern, PATTERN);
        vars.iter().for_each(|var| self.mark_safe(var.clone()));
    }

    /// A variable has a value, and so has what it was equated with, and what needed nothing else.
    fn mark_safe(&mut self, var: Var) {
        let mut rest = vec![var];
        while let Some(var) = rest.pop() {
            rest.extend(self.needs.remove(&var).into_iter().flatten());
            for user in self.needed_by.remove(&var).unwrap_or_default() {
                if self.needs.get_mut(&user).is_some_and(|needs| needs.remove(&var) && needs.is_empty()) {
                    rest.push(user);
                }
            }
            self.unified.insert(var);
        }
    }

    fn mark_unknown(&mut self, var: &Var, needed: &Var) {
        if self.needs.entry(var.clone()).or_default().insert(needed.clone()) {
            self.needed_by.entry(needed.clone()).or_default().push(var.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unify;
    use crate::syntax::span::Span;
    use crate::syntax::tree::{Kind, Term};

    fn var(name: &str) -> Term {
        Term::var(Span::default(), name)
    }

    fn array(items: &[Term]) -> Term {
        Term::new(Span::default(), Kind::Array(items.to_vec()))
    }

    fn object(key: &str, value: Term) -> Term {
        Term::new(Span::default(), Kind::Object(vec![(Term::string(Span::default(), key), value)]))
    }

    fn reference(first: &str) -> Term {
        Term::new(Span::default(), Kind::Ref(vec![var(first), Term::string(Span::default(), "k")]))
    }

    /// The table of `v1/ast/unify_test.go`, where it says something of its own; `a`, `b` and `input` are bound.
    #[test]
    fn binds_what_opa_binds() {
        let cases: &[(Term, Term, &str)] = &[
            (var("x"), reference("input"), "x"),
            (var("x"), reference("y"), ""),
            (reference("input"), array(&[var("x"), var("y")]), "x y"),
            (var("x"), var("y"), ""),
            (var("x"), var("a"), "x"),
            (array(&[var("x"), var("x")]), array(&[var("y"), var("a")]), "x y"),
            (array(&[var("x"), var("y")]), array(&[array(&[var("y"), var("z")]), var("a")]), "y"),
            (array(&[var("x"), var("y"), var("z")]), array(&[array(&[var("y"), var("z")]), var("a"), var("b")]), "x y z"),
            (array(&[var("x"), var("y"), var("x")]), array(&[var("y"), array(&[var("z")]), var("a")]), "x y z"),
            (array(&[var("x"), var("x")]), array(&[array(&[var("y"), var("z")]), var("a")]), "x y z"),
            (array(&[var("x")]), array(&[var("a"), var("b")]), ""),
            (object("k", var("x")), object("k", var("a")), "x"),
            (object("k", var("x")), object("j", var("a")), ""),
            (object("k", array(&[var("x")])), var("a"), "x"),
        ];
        let safe = |name: &_| ["a", "b", "input"].iter().any(|known| *known == AsRef::<str>::as_ref(name));
        for (a, b, expected) in cases {
            for (a, b) in [(a, b), (b, a)] {
                let mut bound: Vec<String> = unify(&safe, a, b).iter().map(ToString::to_string).collect();
                bound.retain(|name| !["a", "b", "input"].contains(&name.as_str()));
                bound.sort();
                assert_eq!(bound.join(" "), *expected, "{a:?} = {b:?}");
            }
        }
    }
}
