//! References: what a value has (opa `v1/topdown/eval.go`, `evalTerm`).

use super::bindings::{Bound, Class, Item};
use super::leave::Deferred;
use super::tree::Walk;
use super::{Next, Query, Run, Traced};
use crate::ir::NodeId;
use crate::syntax::tree::{Kind, Term};
use crate::value::Value;

/// A reference on its way through a value.
#[derive(Clone)]
pub(super) struct Path<'a> {
    pub(super) parts: &'a [Term],
    /// The next part.
    pub(super) at: usize,
    pub(super) frame: usize,
    /// What the value that it leads to must be.
    pub(super) out: Bound<'a>,
}

impl<'a> Traced<'a> {
    /// Unifies what a reference leads to with a term.
    pub(super) fn reference(&mut self, query: Query<'a>, of: (&'a [Term], usize), out: Bound<'a>, next: Next<'_, 'a>) -> Run {
        let (parts, frame) = of;
        let Some(head) = parts.first() else { return Ok(()) };
        let value = match head.as_var().map(|name| name.as_str()) {
            Some("data") => {
                let walk = Walk { parts, at: 1, frame, path: Vec::new(), node: Some(NodeId::ROOT), out };
                return self.tree(query, walk, next);
            }
            Some("input") => match &self.scope.input {
                Some(input) => Bound::value(input.clone()),
                None => return Ok(()),
            },
            _ => {
                let value = self.apply(Bound::tree(head, frame));
                match value.class() {
                    Class::Var => return Ok(()),
                    _ => value,
                }
            }
        };
        self.values(query, Path { parts, at: 1, frame, out }, value, next)
    }

    /// Goes on from a value.
    pub(super) fn values(&mut self, query: Query<'a>, mut path: Path<'a>, mut value: Bound<'a>, next: Next<'_, 'a>) -> Run {
        while let Some(part) = path.parts.get(path.at) {
            let Some(key) = self.plug_tree(part, path.frame) else {
                return self.each(query, &path, &value, next);
            };
            match self.below(&value, &key) {
                Some(found) => value = found,
                None => return Ok(()),
            }
            path.at = path.at.saturating_add(1);
        }
        self.unify(query, value, path.out, next)
    }

    fn below(&self, value: &Bound<'a>, key: &Value) -> Option<Bound<'a>> {
        match &value.item {
            // The member of a set is written as it is asked for.
            Item::Value(Value::Set(set)) => set.contains(key).then(|| Bound::value(key.clone())),
            Item::Value(value) => value.get(key).cloned().map(Bound::value),
            Item::Tree(Term { kind: Kind::Array(items), .. }) => {
                let index = usize::try_from(key.as_i64()?).ok()?;
                items.get(index).map(|item| self.apply(Bound::tree(item, value.frame)))
            }
            Item::Tree(Term { kind: Kind::Object(members), .. }) => {
                let found = members.iter().find(|(name, _)| self.plug_tree(name, value.frame).as_ref() == Some(key));
                found.map(|(_, member)| self.apply(Bound::tree(member, value.frame)))
            }
            Item::Tree(Term { kind: Kind::Set(items), .. }) => {
                let found = items.iter().any(|item| self.plug_tree(item, value.frame).as_ref() == Some(key));
                found.then(|| Bound::value(key.clone()))
            }
            Item::Tree(_) => None,
        }
    }

    fn each(&mut self, query: Query<'a>, path: &Path<'a>, value: &Bound<'a>, next: Next<'_, 'a>) -> Run {
        let Some(part) = path.parts.get(path.at) else { return Ok(()) };
        let mut deferred = Deferred::default();
        for key in self.keys(path, value) {
            self.context.account.step(1)?;
            let run = self.deeper(|eval| eval.key(query, (path, part), (value, key), next));
            deferred.hold(run)?;
        }
        deferred.release()
    }

    /// What a reference goes through. Of a set, when it is known what its member must be, only that.
    fn keys(&self, path: &Path<'a>, value: &Bound<'a>) -> Vec<Bound<'a>> {
        match value.class() {
            Class::Array => (0..value.items().len()).map(|index| Bound::value(Value::from(index))).collect(),
            Class::Object => match &value.item {
                Item::Value(object) => {
                    let keys = object.as_object().map(|object| object.keys()).unwrap_or_default();
                    keys.iter().cloned().map(Bound::value).collect()
                }
                Item::Tree(Term { kind: Kind::Object(members), .. }) => {
                    members.iter().map(|(key, _)| Bound::tree(key, value.frame)).collect()
                }
                Item::Tree(_) => Vec::new(),
            },
            Class::Set => {
                let last = path.at.saturating_add(1) == path.parts.len();
                match self.plug(&path.out).filter(|_| last).zip(self.plug(value)) {
                    Some((wanted, set)) => set.get(&wanted).map(|_| Bound::value(wanted)).into_iter().collect(),
                    None => value.items(),
                }
            }
            _ => Vec::new(),
        }
    }

    fn key(
        &mut self,
        query: Query<'a>,
        (path, part): (&Path<'a>, &'a Term),
        (value, key): (&Bound<'a>, Bound<'a>),
        next: Next<'_, 'a>,
    ) -> Run {
        let part = Bound::tree(part, path.frame);
        let known = key.clone();
        let mut on = |eval: &mut Self| {
            let Some(found) = eval.plug(&known).and_then(|key| eval.below(value, &key)) else { return Ok(()) };
            let path = Path { at: path.at.saturating_add(1), ..path.clone() };
            eval.values(query, path, found, next)
        };
        if value.class() != Class::Array {
            return self.unify(query, key, part, &mut on);
        }
        // Positions are bound to variables, and match nothing else.
        if part.as_var().is_none() {
            return Ok(());
        }
        self.event_unify(query, &key, &part);
        let part = self.apply(part);
        self.binding(&part, key, on)
    }
}
