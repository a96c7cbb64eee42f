//! Merging an applied configuration into the live object: its leaves win, nothing is removed. Source:
//! `structured-merge-diff` `typed/merge.go`.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use serde_json::{Map, Value as Json};

use super::element::Element;
use super::shape::{Shape, Type, fields, members};

/// `live` with `config`.
pub(crate) fn merged(live: &Json, config: &Json, of: Type<'_>) -> Json {
    value(Some(live), Some(config), of).unwrap_or_default()
}

fn value(live: Option<&Json>, config: Option<&Json>, of: Type<'_>) -> Option<Json> {
    let winner = config.or(live)?;
    let is_empty_map = |value| fields(value).is_none_or(Map::is_empty);
    match of.shape(winner) {
        Shape::List { atomic: false } if !(members(live).is_empty() && members(config).is_empty()) => {
            Some(Json::Array(lists(members(live), members(config), of)))
        }
        Shape::Map { atomic: false } if !(is_empty_map(live) && is_empty_map(config)) => {
            Some(Json::Object(maps(fields(live), fields(config), of)))
        }
        _ => Some(winner.clone()),
    }
}

fn maps(live: Option<&Map<String, Json>>, config: Option<&Map<String, Json>>, of: Type<'_>) -> Map<String, Json> {
    let mut out = live.cloned().unwrap_or_default();
    for (name, field) in config.into_iter().flatten() {
        let merged = value(live.and_then(|live| live.get(name)), Some(field), of.field(name));
        out.insert(name.clone(), merged.unwrap_or_default());
    }
    out
}

/// Members in the order of the configuration; what only the live list has keeps its place among the shared ones.
fn lists(live: &[Json], config: &[Json], of: Type<'_>) -> Vec<Json> {
    match Zip::of(live, config, of) {
        Some(zip) => zip.merged(of.items()),
        None => config.to_vec(),
    }
}

type Member<'a> = (Element, &'a Json);

/// Two lists on their way into one.
struct Zip<'a> {
    live: VecDeque<Member<'a>>,
    config: VecDeque<Member<'a>>,
    /// Of the live list; `None` for what is there twice: it is not merged with.
    current: BTreeMap<Element, Option<&'a Json>>,
    /// What both have and is still to come, in the order of the configuration.
    shared: VecDeque<Element>,
    wanted: BTreeSet<Element>,
    done: BTreeSet<Element>,
}

impl<'a> Zip<'a> {
    /// `None` if a member cannot be told from others; the configuration was checked, so it is a live one.
    fn of(live: &'a [Json], config: &'a [Json], of: Type<'_>) -> Option<Self> {
        let known = |list: &'a [Json]| -> Option<VecDeque<Member<'a>>> {
            list.iter().map(|member| Some((of.element(member).ok()?, member))).collect()
        };
        let (live, config) = (known(live)?, known(config)?);
        let mut current = BTreeMap::new();
        for (element, item) in &live {
            current.entry(element.clone()).and_modify(|first| *first = None).or_insert(Some(*item));
        }
        let shared = config.iter().map(|(element, _)| element).filter(|element| current.contains_key(element)).cloned().collect();
        let wanted = config.iter().map(|(element, _)| element.clone()).collect();
        Some(Self { live, config, current, shared, wanted, done: BTreeSet::new() })
    }

    fn merged(mut self, items: Type<'_>) -> Vec<Json> {
        let mut out = Vec::with_capacity(self.live.len().max(self.config.len()));
        while !(self.live.is_empty() && self.config.is_empty()) {
            if let (Some((left, _)), Some((right, _))) = (self.live.front(), self.config.front()) {
                if left == right {
                    self.live.pop_front();
                    self.shared.pop_front();
                    out.extend(self.take(items).map(|(_, item)| item));
                    continue;
                }
                if self.wanted.contains(left) && self.shared.front().is_some_and(|next| next != left) {
                    self.live.pop_front();
                    continue;
                }
            }
            if let Some((left, item)) = self.live.front() {
                if !self.wanted.contains(left) {
                    out.push((*item).clone());
                    self.live.pop_front();
                    continue;
                }
                if self.done.contains(left) {
                    self.live.pop_front();
                }
            }
            if let Some((element, item)) = self.take(items) {
                out.push(item);
                self.shared.pop_front_if(|next| *next == element);
            }
        }
        out
    }

    /// The next member of the configuration, merged with the live one.
    fn take(&mut self, items: Type<'_>) -> Option<(Element, Json)> {
        let (element, item) = self.config.pop_front()?;
        self.done.insert(element.clone());
        let current = self.current.get(&element).copied().flatten();
        Some((element, value(current, Some(item), items)?))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::patch::testing::{any_json, config_map, list, object, text, workload};
    use crate::resources::Schema;
    use crate::resources::schema::ListType;

    #[test]
    fn maps_merge_and_leaves_win() {
        let live = json!({"metadata": {"name": "x", "labels": {"a": "1"}}, "data": {"k": "old", "l": "kept"}});
        let config = json!({"metadata": {"labels": {"b": "2"}}, "data": {"k": "new"}});
        let expected = json!({"metadata": {"name": "x", "labels": {"a": "1", "b": "2"}}, "data": {"k": "new", "l": "kept"}});
        assert_eq!(merged(&live, &config, Type::root(&config_map())), expected);
    }

    #[test]
    fn sets_keep_both_orders_where_they_can() {
        let schema = object([("x", list(text(), ListType::Set))]);
        let table = [
            ("a b c", "x b", "a x b c"),
            ("a b c d", "", "a b c d"),
            ("", "a b", "a b"),
            ("a b c", "c a", "b c a"),
            ("1 a b c d", "d c b a 1", "d c b a 1"),
            ("a b", "c", "a b c"),
            ("a c", "a b c", "a b c"),
            ("a b c d e", "e x a", "b c d e x a"),
        ];
        let set = |text: &str| json!({"x": text.split_whitespace().collect::<Vec<_>>()});
        for (live, config, expected) in table {
            assert_eq!(merged(&set(live), &set(config), Type::root(&schema)), set(expected), "{live} + {config}");
        }
    }

    #[test]
    fn members_merge_by_their_keys_and_atomic_values_are_replaced() {
        let with = |spec: Json| json!({"spec": {"template": {"spec": spec}}});
        let live = with(
            json!({"containers": [{"name": "a", "image": "1", "args": ["x", "y"]}, {"name": "b"}], "nodeSelector": {"p": "q"}}),
        );
        let config = with(json!({"containers": [{"name": "a", "args": ["z"]}], "nodeSelector": {"r": "s"}}));
        let expected =
            with(json!({"containers": [{"name": "a", "image": "1", "args": ["z"]}, {"name": "b"}], "nodeSelector": {"r": "s"}}));
        assert_eq!(merged(&live, &config, Type::root(&workload())), expected);
    }

    proptest! {
        #[test]
        fn merging_again_changes_nothing(live in any_json(), config in any_json()) {
            let schema = Schema::default();
            let once = merged(&live, &config, Type::root(&schema));
            prop_assert_eq!(merged(&once, &config, Type::root(&schema)), once);
        }

        #[test]
        fn no_member_of_a_set_is_lost_or_doubled(live in "[a-f]{0,6}", config in "[a-f]{0,6}") {
            let schema = object([("x", list(text(), ListType::Set))]);
            let distinct = |text: &str| text.chars().map(String::from).collect::<BTreeSet<_>>();
            let (live, config) = (distinct(&live), distinct(&config));
            let out = merged(&json!({"x": live}), &json!({"x": config}), Type::root(&schema));
            let members = out["x"].as_array().unwrap();
            prop_assert_eq!(members.len(), live.union(&config).count());
        }
    }
}
