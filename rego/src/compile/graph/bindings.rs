//! Variables whose values are known when a set is compiled (`v1/ast/compile.go`, `orderedVarBindings`).

use foldhash::HashMap;

use super::super::constants::is_constant;
use super::super::terms::{is_equality, operands};
use crate::syntax::order::compare;
use crate::syntax::tree::{Expr, Kind, Term, Var};

/// How many references one reference is taken for at most; with more it is looked up as it is.
const EXPANSION: usize = 64;

/// Variables that expressions of a body bind to constants, each with the index of the first such expression.
#[derive(Debug, Default)]
pub(super) struct Bindings<'a>(HashMap<&'a Var, (usize, Vec<&'a Term>)>);

impl<'a> Bindings<'a> {
    /// Of a body: what an expression reads must be bound before it.
    pub(super) fn of(body: &'a [Expr]) -> Self {
        let mut known = Self::default();
        for (index, expr) in body.iter().enumerate() {
            let [left, right] = operands(expr) else { continue };
            if !is_equality(expr) || expr.negated || !expr.with.is_empty() {
                continue;
            }
            if let Some((var, values)) = known.binding(left, right, index).or_else(|| known.binding(right, left, index)) {
                known.0.entry(var).or_insert((index, values));
            }
        }
        known
    }

    fn binding(&self, var: &'a Term, term: &'a Term, index: usize) -> Option<(&'a Var, Vec<&'a Term>)> {
        let var = var.as_var()?;
        Some((var, self.values(term, index)?))
    }

    /// Whether some variable is known before an expression.
    pub(super) fn any_before(&self, index: usize) -> bool {
        self.0.values().any(|(at, _)| *at < index)
    }

    /// What a term can be before an expression; `None` when that is not known (`termValues`).
    fn values(&self, term: &'a Term, index: usize) -> Option<Vec<&'a Term>> {
        match &term.kind {
            Kind::Var(name) => self.0.get(name).filter(|(at, _)| *at < index).map(|(_, values)| values.clone()),
            Kind::Ref(parts) => self.of_ref(parts, index),
            _ => is_constant(term).then(|| vec![term]),
        }
    }

    fn of_ref(&self, parts: &'a [Term], index: usize) -> Option<Vec<&'a Term>> {
        let (first, rest) = parts.split_first()?;
        let mut values = self.values(first, index)?;
        for part in rest {
            let mut next = Vec::new();
            for value in values {
                if is_constant(part) {
                    next.extend(get(value, part));
                } else {
                    next.extend(members(value)?);
                }
            }
            if next.len() > EXPANSION {
                return None;
            }
            values = next;
        }
        Some(values)
    }

    /// The references that a reference can be, at least itself (`expandRefVars`).
    pub(super) fn expand(&self, parts: &'a [Term], index: usize) -> Vec<Vec<&'a Term>> {
        let mut expanded: Vec<Vec<&'a Term>> = vec![parts.iter().collect()];
        for (at, part) in parts.iter().enumerate().skip(1) {
            if is_constant(part) {
                continue;
            }
            let Some(values) = self.values(part, index).filter(|values| !values.is_empty()) else { continue };
            if expanded.len().saturating_mul(values.len()) > EXPANSION {
                continue;
            }
            let with = |path: &Vec<&'a Term>, value: &'a Term| {
                let mut path = path.clone();
                path.get_mut(at).into_iter().for_each(|part| *part = value);
                path
            };
            expanded =
                expanded.iter().flat_map(|path| values.iter().map(|value| with(path, value)).collect::<Vec<_>>()).collect();
        }
        expanded
    }
}

/// What a constant finds in a constant.
fn get<'a>(of: &'a Term, key: &'a Term) -> Option<&'a Term> {
    match &of.kind {
        Kind::Array(items) => {
            let Kind::Number(text) = &key.kind else { return None };
            items.get(text.parse::<usize>().ok()?)
        }
        Kind::Object(members) => {
            let at = members.binary_search_by(|(probe, _)| compare(probe, key)).ok()?;
            members.get(at).map(|(_, value)| value)
        }
        Kind::Set(members) => members.binary_search_by(|probe| compare(probe, key)).ok().map(|_| key),
        _ => None,
    }
}

/// All that a constant collection holds: items, or values of members; `None` for what is no collection (`valueMembers`).
pub(crate) fn members(of: &Term) -> Option<Vec<&Term>> {
    match &of.kind {
        Kind::Array(items) | Kind::Set(items) => Some(items.iter().collect()),
        Kind::Object(members) => Some(members.iter().map(|(_, value)| value).collect()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::Bindings;
    use crate::syntax::parse;
    use crate::syntax::source::{Source, Sources};
    use crate::syntax::tree::{ExprKind, Version};

    /// For how many references one with two variables is taken, each of which may be one of so many.
    fn expanded(count: usize) -> usize {
        let items: Vec<String> = (0..count).map(|at| format!("\"k{at}\"")).collect();
        let mut sources = Sources::default();
        let id = sources.add(Source::new("", &format!("ks = [{}]; k = ks[_]; data.p[k][k]", items.join(", "))));
        let body = parse::parse_body(sources.get(id).unwrap(), id, &parse::Options::of(Version::V1)).unwrap();
        let ExprKind::Term(term) = &body[2].kind else { unreachable!("the last one is a reference") };
        Bindings::of(&body).expand(term.as_ref_parts().unwrap(), 2).len()
    }

    #[test]
    fn references_are_taken_for_no_more_than_so_many() {
        assert_eq!([1, 8, 9, 64, 65].map(expanded), [1, 64, 9, 64, 1]);
    }
}
