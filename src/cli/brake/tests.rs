use plimsoll_sidecar::cluster::Fault;
use plimsoll_sidecar::plan::brake::kept::Requests;
use plimsoll_sidecar::plan::brake::record::{MoveRecord, ShownRecord, TripRecord};
use plimsoll_sidecar::write::brake::RecordError;

use super::*;

fn record() -> Record {
    let shown = |id: &str, cause: &str, moves: usize| ShownRecord {
        id: id.into(),
        cause: cause.into(),
        moves,
        ids: String::new(),
        examples: vec![MoveRecord { object: "deployments shop/web".into(), from: vec!["a".into()], to: vec![] }],
    };
    Record {
        moved: [(7, "00000000010000000002".to_owned())].into(),
        trips: vec![TripRecord { namespace: None, cluster: None, since: 7, moves: 12, limit: 10 }],
        shown: vec![shown("00000000aa", "policy a -> b", 1), shown("00000000bb", "clusters c1: removed", 3)],
        ..Record::default()
    }
}

#[test]
fn people_see_where_what_stands_still_would_go() {
    let print_paused = |record: &Record, pause: &str| {
        let mut out = Vec::new();
        human::print(record, &Requests { release: "00000000bb".into(), pause: pause.into() }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    let print = |record: &Record| print_paused(record, "");
    let expected = "the brake is on in the fleet: 12 objects moved or would have; the limit is 10
2 objects moved, or were about to, within its window; 4 moves stand still

policy a -> b  1 move  (id 00000000aa)
  deployments shop/web  a -> (none named)

clusters c1: removed  3 moves, released  (id 00000000bb)
  deployments shop/web  a -> (none named)
  … and 2 more

let them go: plimsoll brake release [--for ID]
";
    assert_eq!(print(&record()), expected);
    assert_eq!(
        print(&Record { trips: vec![], ..record() }),
        "the brake is off: 2 objects moved, or were about to, within its window\n"
    );
    let paused = print_paused(&Record::default(), "namespace/shop,fleets");
    assert!(paused.starts_with("paused: namespace/shop; go on with"), "{paused}");
    assert!(paused.contains("`fleets` names no part of a fleet"), "{paused}");
}

#[test]
fn what_was_released_is_counted_as_far_as_it_is_still_shown() {
    let said = |names: &[&str], pause: &str| {
        let mut out = Vec::new();
        human::released(&record(), names, &Scopes::read(pause).0, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    assert_eq!(said(&["00000000aa", "00000000bb"], ""), "released: 4 moves (00000000aa, 00000000bb)\n");
    assert_eq!(said(&["0123456789"], ""), "released: what was shown as 0123456789\n");
    let both = said(&["00000000bb", "0123456789"], "kind/pods");
    assert_eq!(
        both,
        "released: 3 moves (00000000bb)\nreleased: what was shown as 0123456789\n\
         but kind/pods is paused: what is released there goes after `plimsoll brake resume`\n"
    );
}

#[test]
fn a_record_that_nobody_wrote_is_kept_by_nobody() {
    assert!(!kept::is_kept(&Record::default()));
    assert!(kept::is_kept(&Record { holder: "sidecar-1".into(), ..Record::default() }));
    let at = At { server: Kubeconfig::default(), namespace: "policies".into(), name: "brake".into() };
    let missing = RecordError::Missing { namespace: "policies".into(), name: "brake".into() };
    assert!(kept::remedied(missing, &at).to_string().contains("kubectl create configmap"));
    let source = Fault::Answered { code: 403, reason: "Forbidden".into(), message: "no".into() };
    let forbidden = RecordError::Fault { namespace: "policies".into(), name: "brake".into(), source };
    assert!(kept::remedied(forbidden, &at).to_string().contains("brake-operator"));
    let text = kept::nobody(&at);
    for part in [
        "no sidecar keeps a record in ConfigMap `policies/brake`",
        "`policyNamespace: policies`",
        "plimsoll_sidecar_brake_failed",
    ] {
        assert!(text.contains(part), "{part} in {text}");
    }
}

#[test]
fn what_is_resumed_was_paused() {
    let mut paused = Scopes::read("fleet,namespace/shop").0;
    assert!(take(&mut paused, &Scope::Fleet) && !take(&mut paused, &Scope::Kind("pods".into())));
    assert_eq!(paused.to_string(), "namespace/shop");
}

#[test]
fn what_is_released_is_what_is_shown() {
    let record = record();
    let chosen = |causes: &[&str]| {
        let causes: Vec<String> = causes.iter().map(|cause| (*cause).to_owned()).collect();
        let chosen = super::chosen(&record, &causes).map_err(|error| error.to_string());
        chosen.map(|names| names.into_iter().map(str::to_owned).collect::<Vec<_>>())
    };
    assert_eq!(chosen(&[]).unwrap(), ["00000000aa", "00000000bb"]);
    assert_eq!(chosen(&["policy a -> b"]).unwrap(), ["00000000aa"]);
    assert_eq!(chosen(&["00000000bb"]).unwrap(), ["00000000bb"]);
    assert_eq!(chosen(&["0123456789"]).unwrap(), ["0123456789"], "what was shown before the list changed is still known");
    let error = chosen(&["policy b -> c"]).unwrap_err();
    assert!(error.contains("`policy b -> c`") && error.contains("`policy a -> b` (00000000aa)"), "{error}");
}

#[test]
fn a_cause_that_was_released_by_its_text_stays_released() {
    assert_eq!(wished("", &["00000000aa", "00000000bb"]), "00000000aa,00000000bb");
    assert_eq!(wished("00000000cc,00000000dd\npolicy a -> b", &["00000000aa"]), "policy a -> b\n00000000aa");
}
