//! Which ConfigMaps an accepted set changed: what the policies do to many objects is said on them.

use std::collections::BTreeMap;

use plimsoll_contract::annotations::digest_all;

use super::maps::{Map, Maps};
use crate::plan::note::Subject;

/// The set that was accepted last: by uid, a digest of each ConfigMap.
#[derive(Debug, Default)]
pub(super) struct Accepted {
    last: Option<BTreeMap<String, String>>,
}

impl Accepted {
    /// Returns the ConfigMaps that are new or changed since the set that was accepted before; none if there was none, for then nobody
    /// knows.
    pub(super) fn changed(&mut self, maps: &Maps) -> Vec<Subject> {
        let now: BTreeMap<String, String> = maps.iter().map(|map| (map.subject.uid.clone(), digest(map))).collect();
        let last = self.last.replace(now.clone());
        let Some(last) = last else { return Vec::new() };
        let is_changed = |map: &&Map| last.get(&map.subject.uid) != now.get(&map.subject.uid);
        maps.iter().filter(is_changed).map(|map| map.subject.clone()).collect()
    }
}

fn digest(map: &Map) -> String {
    let texts = |texts: &BTreeMap<String, String>| -> Vec<String> {
        texts.iter().flat_map(|(key, text)| [key.clone(), text.clone()]).chain([String::new()]).collect()
    };
    let all = [texts(&map.modules), texts(&map.data)].concat();
    digest_all(all.iter().map(String::as_str))
}

#[cfg(test)]
mod tests {
    use tokio::time::Instant;

    use super::super::maps::tests::object;
    use super::*;
    use crate::replicate::reflector::Step;
    use crate::replicate::seen::Seen;

    fn maps(texts: &[(&str, &str)]) -> Maps {
        let mut maps = Maps::default();
        let objects = texts.iter().map(|(name, text)| object(name, &[("p.rego", text)])).collect();
        [Step::Begin(Seen::together(Instant::now())), Step::Page(objects), Step::End]
            .into_iter()
            .for_each(|step| maps.take(step));
        maps
    }

    #[test]
    fn what_changed_since_the_last_set_that_was_good_is_named() {
        let mut accepted = Accepted::default();
        let steps = [
            (vec![("a", "1"), ("b", "1")], vec![]),
            (vec![("a", "2"), ("b", "1")], vec!["a"]),
            (vec![("a", "2"), ("b", "1")], vec![]),
            (vec![("a", "2"), ("b", "1"), ("c", "1")], vec!["c"]),
            (vec![("b", "2"), ("c", "2")], vec!["b", "c"]),
        ];
        for (texts, changed) in steps {
            let names: Vec<String> = accepted.changed(&maps(&texts)).into_iter().map(|subject| subject.name).collect();
            assert_eq!(names, changed, "{texts:?}");
        }
    }
}
