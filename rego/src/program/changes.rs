//! What differs between two versions of base documents: only what they do not share in memory is gone through.

use crate::eval::unusual;
use crate::value::{Object, Value};

/// More changes are not told apart.
const MOST: usize = 4_096;

/// Deeper values are not looked into.
const DEPTH: usize = 128;

/// From one version to the next.
#[derive(Debug, Default)]
pub(super) struct Changes {
    /// Where something is not written as it was, is there no longer, or is new.
    paths: Vec<Vec<Value>>,
    /// How many numbers came that may be written in another way, and how many went.
    unusual: (usize, usize),
}

impl Changes {
    /// What has changed; `None` if that is too much.
    pub(super) fn between(old: &Value, new: &Value) -> Option<Self> {
        let mut changes = Self::default();
        changes.compare(&mut Vec::new(), old, new)?;
        Some(changes)
    }

    /// Where something has changed.
    pub(super) fn paths(&self) -> &[Vec<Value>] {
        &self.paths
    }

    /// How many numbers may be written in another way now, if that many could be before.
    pub(super) fn unusual(&self, before: usize) -> usize {
        before.saturating_add(self.unusual.0).saturating_sub(self.unusual.1)
    }

    fn compare(&mut self, path: &mut Vec<Value>, old: &Value, new: &Value) -> Option<()> {
        match (old, new) {
            _ if is_same(old, new) => Some(()),
            (Value::Object(old), Value::Object(new)) if path.len() < DEPTH => self.members(path, old, new),
            (Value::Array(old), Value::Array(new)) if path.len() < DEPTH && old.len() == new.len() => {
                let mut items = old.items().iter().zip(new.items()).enumerate();
                items.try_for_each(|(index, (old, new))| self.below(path, &Value::from(index), (old, new)))
            }
            (old, new) => self.change(path, Some(old), Some(new)),
        }
    }

    fn members(&mut self, path: &mut Vec<Value>, old: &Object, new: &Object) -> Option<()> {
        let (mut before, mut after) = (old.iter().peekable(), new.iter().peekable());
        loop {
            let order = match (before.peek(), after.peek()) {
                (None, None) => return Some(()),
                (Some(_), None) => std::cmp::Ordering::Less,
                (None, Some(_)) => std::cmp::Ordering::Greater,
                (Some((old, _)), Some((new, _))) => old.cmp(new),
            };
            let old = before.next_if(|_| order.is_le());
            let new = after.next_if(|_| order.is_ge());
            match (old, new) {
                (Some((key, old)), Some((_, new))) => self.below(path, key, (old, new))?,
                (Some((key, _)), None) | (None, Some((key, _))) => {
                    path.push(key.clone());
                    self.change(path, old.map(|(_, value)| value), new.map(|(_, value)| value))?;
                    path.pop();
                }
                (None, None) => return Some(()),
            }
        }
    }

    fn below(&mut self, path: &mut Vec<Value>, key: &Value, (old, new): (&Value, &Value)) -> Option<()> {
        if is_same(old, new) {
            return Some(());
        }
        path.push(key.clone());
        let found = self.compare(path, old, new);
        path.pop();
        found
    }

    fn change(&mut self, path: &[Value], old: Option<&Value>, new: Option<&Value>) -> Option<()> {
        let count = |value: Option<&Value>| value.map_or(0, |value| unusual(value).count());
        let (came, went) = self.unusual;
        self.unusual = (came.saturating_add(count(new)), went.saturating_add(count(old)));
        self.paths.push(path.to_vec());
        (self.paths.len() <= MOST).then_some(())
    }
}

/// Whether two values are one in memory, or scalars that are written the same: `1` is not `1.0`.
fn is_same(old: &Value, new: &Value) -> bool {
    match (old, new) {
        (Value::Null, Value::Null) | (Value::False, Value::False) | (Value::True, Value::True) => true,
        (Value::Int(old), Value::Int(new)) => old == new,
        (Value::Number(old), Value::Number(new)) => old.text() == new.text(),
        (Value::String(old), Value::String(new)) => old == new,
        (old, new) => old.is_same(new),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::json;

    fn changes(old: &str, new: &str) -> Vec<String> {
        let [old, new] = [old, new].map(|text| json::read(text.as_bytes(), 100).unwrap());
        let changes = Changes::between(&old, &new).unwrap();
        changes.paths().iter().map(|path| Value::array(path.clone()).to_string()).collect()
    }

    #[test]
    fn changes_are_found_where_they_are() {
        let old = r#"{"a": {"b": 1, "c": [1, {"d": null}], "e": "x"}, "f": [1], "g": 1, "i": {}}"#;
        let new = r#"{"a": {"b": 1.0, "c": [1, {"d": 2}], "e": "x"}, "f": [1, 2], "h": 1, "i": []}"#;
        assert_eq!(changes(old, new), [r#"["a", "b"]"#, r#"["a", "c", 1, "d"]"#, r#"["f"]"#, r#"["g"]"#, r#"["h"]"#, r#"["i"]"#]);
        assert!(changes(old, old).is_empty());
    }

    #[test]
    fn numbers_that_may_be_written_otherwise_are_counted() {
        let [old, new] = [r#"{"a": 1.0, "b": [0.5], "c": 1e2}"#, r#"{"a": 1, "b": [0.50, 2.0], "c": 1e2}"#]
            .map(|text| json::read(text.as_bytes(), 100).unwrap());
        assert_eq!(unusual(&old).count(), 2);
        let changes = Changes::between(&old, &new).unwrap();
        assert_eq!((changes.unusual(2), unusual(&new).count()), (3, 3));
    }
}
