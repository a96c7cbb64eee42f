//! `walk` (opa `v1/topdown/walk.go`).

use super::bindings::{Bound, Item};
use super::{Leave, Next, Query, Run, Traced};
use crate::syntax::tree::{Kind, Term};
use crate::value::Value;

/// What is asked of a walk.
struct Walk<'a> {
    query: Query<'a>,
    out: Option<&'a Term>,
    /// Whether paths are made.
    paths: bool,
    /// The keys of the path in the answer, as far as they are known: these are looked up.
    keys: Vec<Option<Value>>,
}

impl<'a> Traced<'a> {
    pub(super) fn walk(&mut self, query: Query<'a>, (value, out): (&Value, Option<&'a Term>), next: Next<'_, 'a>) -> Run {
        let path = out.and_then(|out| self.asked_path(query, out));
        let paths = !path.as_ref().and_then(Bound::as_var).is_some_and(|name| name.starts_with('$'));
        let keys = path.map_or_else(Vec::new, |path| path.items().iter().map(|key| self.plug(key)).collect());
        self.walk_from(&Walk { query, out, paths, keys }, (&mut Vec::new(), value), next)
    }

    /// Returns the path in the answer if it is an array, or a variable without a value; `None` where no path can be told.
    fn asked_path(&self, query: Query<'a>, out: &'a Term) -> Option<Bound<'a>> {
        let pair = self.apply(Bound::tree(out, query.frame));
        match (&pair.item, pair.items().as_slice()) {
            (Item::Tree(Term { kind: Kind::Array(_), .. }) | Item::Value(Value::Array(_)), [path, _]) => {
                let path = self.apply(path.clone());
                let is_asked = matches!(
                    path.item,
                    Item::Tree(Term { kind: Kind::Array(_) | Kind::Var(_), .. }) | Item::Value(Value::Array(_))
                );
                is_asked.then_some(path)
            }
            _ => None,
        }
    }

    fn walk_from(&mut self, walk: &Walk<'a>, (path, value): (&mut Vec<Value>, &Value), next: Next<'_, 'a>) -> Run {
        let asked = walk.keys.get(path.len());
        if asked.is_none() {
            self.context.account.charge(path.len().saturating_add(4).saturating_mul(size_of::<Value>()))?;
            let shown = if walk.paths { path.as_slice() } else { &[] };
            let pair = Value::array([Value::array(shown.iter().cloned()), value.clone()]);
            self.answer(walk.query, walk.out, Bound::value(pair), next)?;
        }
        let parts = match asked {
            Some(Some(key)) => self.part(value, key)?.map(|part| (key.clone(), part)).into_iter().collect(),
            _ => parts(value),
        };
        for (key, part) in &parts {
            self.context.account.step(1)?;
            path.push(key.clone());
            let run = self.deeper(|eval| eval.walk_from(walk, (path, part), next));
            path.pop();
            run?;
        }
        Ok(())
    }

    /// Returns what lies at a key, of a set the key as it is asked for; `None` if there is nothing. Fails when a bound is reached.
    fn part(&mut self, value: &Value, key: &Value) -> Result<Option<Value>, Leave> {
        let found = value.get_within(key, &mut self.context.account)?;
        Ok(found.map(|found| if matches!(value, Value::Set(_)) { key } else { found }.clone()))
    }
}

fn parts(value: &Value) -> Vec<(Value, Value)> {
    match value {
        Value::Array(array) => array.items().iter().enumerate().map(|(at, item)| (Value::from(at), item.clone())).collect(),
        Value::Object(object) => object.iter().map(|(key, value)| (key.clone(), value.clone())).collect(),
        Value::Set(set) => set.members().iter().map(|member| (member.clone(), member.clone())).collect(),
        _ => Vec::new(),
    }
}
