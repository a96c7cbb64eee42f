//! Whether what the engine says may be acted upon now. Pure.

use plimsoll_contract::status::Status;

/// Why nothing may be written; `None`: write.
pub fn closed(leading: bool, feed: Option<&str>, latest: Option<&str>, status: Option<&Status>) -> Option<String> {
    let Some(feed) = feed else { return Some("the placements are out of sight".into()) };
    let Some(status) = status else { return Some("the engine does not answer".into()) };
    if status.epoch != feed || latest.is_some_and(|latest| latest != feed) {
        return Some("the placements are of another engine process".into());
    }
    if !status.ready {
        return Some(format!("the engine is not ready: {}", status.not_ready.join("; ")));
    }
    stale(status).or_else(|| (!leading).then(|| "this replica does not hold the Lease".into()))
}

/// Returns why the engine's state is stale, if it is: nothing is moved then, whatever admission does. The engine says so itself; the
/// ages of required kinds are compared here too, for its status may be older than the limit.
fn stale(status: &Status) -> Option<String> {
    let limit = status.stale_after_seconds;
    let said = (!status.stale.is_empty()).then(|| status.stale.join("; "));
    said.or_else(|| {
        status.sources.iter().filter(|(_, source)| source.declared && source.required).find_map(|(name, source)| {
            let required = source.kinds.iter().filter(|kind| kind.required);
            let kind = required.filter(|kind| kind.age_seconds.is_none_or(|age| age > limit)).map(|kind| &kind.gvr).next()?;
            Some(format!("{kind} of source `{name}` has not been proved current for {limit} s"))
        })
    })
}

#[cfg(test)]
mod tests {
    use plimsoll_contract::kind::Gvr;
    use plimsoll_contract::status::{KindStatus, OnStale, SourceStatus};
    use plimsoll_contract::still::Still;

    use super::*;

    fn status(ready: bool, age: Option<f64>) -> Status {
        let kind = KindStatus {
            gvr: Gvr::try_from("v1/pods".to_owned()).unwrap(),
            required: true,
            loaded: true,
            objects: 1,
            age_seconds: age,
        };
        let source = SourceStatus { declared: true, required: true, kinds: vec![kind], ..SourceStatus::default() };
        Status {
            epoch: "e1".into(),
            revision: 1,
            version: String::new(),
            ready,
            not_ready: vec!["source `fed` is not loaded".into()],
            armed: true,
            placement_path: String::new(),
            reads: None,
            digest: String::new(),
            policies: Default::default(),
            sources: [("fed".to_owned(), source)].into(),
            stale_after_seconds: 60.0,
            on_stale: OnStale::Deny,
            stale: vec![],
            still: Still::default(),
            notes: vec![],
        }
    }

    #[test]
    fn t10_nothing_is_written_unless_everything_is_of_one_fresh_and_ready_engine() {
        let fresh = status(true, Some(3.0));
        assert_eq!(closed(true, Some("e1"), Some("e1"), Some(&fresh)), None);
        let cases = [
            ("not the leader", closed(false, Some("e1"), Some("e1"), Some(&fresh)), "does not hold"),
            ("no stream", closed(true, None, Some("e1"), Some(&fresh)), "out of sight"),
            ("no status", closed(true, Some("e1"), Some("e1"), None), "does not answer"),
            ("old stream", closed(true, Some("e0"), Some("e1"), Some(&fresh)), "another engine"),
            ("newer answer", closed(true, Some("e1"), Some("e2"), Some(&fresh)), "another engine"),
            ("not ready", closed(true, Some("e1"), Some("e1"), Some(&status(false, Some(3.0)))), "not loaded"),
            ("stale", closed(true, Some("e1"), Some("e1"), Some(&status(true, Some(61.0)))), "v1/pods"),
            ("never proved", closed(true, Some("e1"), Some("e1"), Some(&status(true, None))), "v1/pods"),
        ];
        for (name, closed, expected) in cases {
            assert!(closed.unwrap_or_default().contains(expected), "{name}");
        }
    }

    #[test]
    fn what_is_stale_is_the_engines_word_whatever_admission_does() {
        for on_stale in [OnStale::Deny, OnStale::Warn, OnStale::Ignore] {
            let open = |status: &Status| closed(true, Some("e1"), Some("e1"), Some(status)).is_none();
            let fresh = Status { on_stale, stale_after_seconds: 90.0, ..status(true, Some(75.0)) };
            assert!(open(&fresh), "the engine's own limit counts");
            assert!(!open(&Status { stale: vec!["v1/pods of source `fed`".into()], ..fresh.clone() }), "{on_stale:?}");
            assert!(!open(&Status { stale_after_seconds: 0.5, ..fresh.clone() }), "{on_stale:?}");
            let mut optional = Status { stale_after_seconds: 60.0, ..fresh };
            optional.sources.values_mut().for_each(|source| source.required = false);
            assert!(open(&optional), "no decision depends on it, or the engine would say so");
        }
    }
}
