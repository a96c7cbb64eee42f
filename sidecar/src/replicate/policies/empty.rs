//! What is said of a policy set that has no policies: most often a label is missing.

/// Returns why nothing of `namespace` is policy. With a selector nobody knows what else is there: only what matches is listed.
pub(super) fn reason(namespace: &str, selector: Option<&str>) -> String {
    match selector {
        Some(selector) => format!(
            "no ConfigMap in namespace `{namespace}` that matches `policySelector: {selector}` has a key that ends in .rego: label the \
             ConfigMaps that have the policies, or correct `policySelector`"
        ),
        None => format!("no ConfigMap in namespace `{namespace}` has a key that ends in .rego"),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use plimsoll_contract::policy::{PoliciesAccepted, PutPolicies};

    use super::super::{Policies, Verdict};
    use super::*;
    use crate::cluster::connection::Connection;
    use crate::config::MirrorConfig;
    use crate::health::Health;
    use crate::metrics::Metrics;
    use crate::notes::Notes;
    use crate::notes::causes::Causes;
    use crate::replicate::age::Ages;
    use crate::replicate::discovery::Discovered;
    use crate::replicate::session::Keeper;
    use crate::scripted::Scripted;

    async fn policies(health: &Health) -> Policies {
        let nobody = Scripted::start(vec![]).await;
        let sent = health.gate("policies", "not sent yet");
        sent.met();
        Policies {
            connection: Connection::of(nobody.client()),
            engine: nobody.engine(),
            source: "fed".into(),
            namespace: "policy".into(),
            selector: Some("example.com/policy=rego".into()),
            relist: std::time::Duration::from_secs(60),
            pace: MirrorConfig::default(),
            sessions: Keeper::channel().1,
            sent,
            in_force: health.note("policies in force", "not known yet"),
            age: Ages::default().of("policies", true),
            notes: Notes::new(Causes::new(None, Discovered::of(vec![]))),
            metrics: Metrics::new().unwrap(),
        }
    }

    fn set(modules: &[&str]) -> PutPolicies {
        let modules: BTreeMap<_, _> = modules.iter().map(|name| ((*name).to_owned(), "package a".to_owned())).collect();
        PutPolicies { modules, data: BTreeMap::new(), session: None }
    }

    #[test]
    fn the_selector_is_named_where_there_is_one() {
        let labelled = reason("policy", Some("a=b"));
        assert!(labelled.contains("matches `policySelector: a=b`") && labelled.contains("label the ConfigMaps"), "{labelled}");
        assert_eq!(reason("policy", None), "no ConfigMap in namespace `policy` has a key that ends in .rego");
    }

    #[tokio::test]
    async fn a_set_without_policies_is_a_note_until_there_are_some() {
        let health = Health::default();
        let policies = policies(&health).await;
        let (epoch, digest) = ("e".to_owned(), "d".to_owned());
        let accepted = Verdict::Accepted(PoliciesAccepted { epoch, revision: 1, digest, notes: vec![], warnings: vec![] });
        policies.judged(&set(&[]), &accepted);
        let expected = format!("policies in force: {}", reason("policy", Some("example.com/policy=rego")));
        assert_eq!((health.notes(), health.not_ready()), (vec![expected], vec![]));
        policies.judged(&set(&["policy/a/a.rego"]), &accepted);
        assert_eq!(health.notes(), [""; 0]);
    }
}
