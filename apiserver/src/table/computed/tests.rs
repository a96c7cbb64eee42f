//! Cells against what kube-apiserver's printers make of the same objects.

use serde_json::json;
use time::format_description::well_known::Rfc3339;

use super::*;

fn cell(name: &str, object: &Json) -> Json {
    let now = OffsetDateTime::parse("2026-01-02T00:00:00Z", &Rfc3339).unwrap();
    find(name).unwrap()(object, now)
}

#[track_caller]
fn check(name: &str, cases: &[(Json, Json)]) {
    for (object, expected) in cases {
        assert_eq!(cell(name, object), *expected, "{name} of {object}");
    }
}

#[test]
fn names_are_unique() {
    let mut names: Vec<_> = names().collect();
    names.sort_unstable();
    let count = names.len();
    names.dedup();
    assert_eq!(names.len(), count);
}

#[test]
fn nothing_panics_on_an_empty_or_strange_object() {
    let strange = json!({"metadata": [], "spec": {"template": 1, "ports": {}, "containers": [null, 3]}, "status": "x",
        "subjects": [1], "series": {}, "roleRef": []});
    for name in names() {
        for object in [json!({}), Json::Null, strange.clone()] {
            cell(name, &object);
        }
    }
}

fn pod(spec: Json, status: Json) -> Json {
    json!({"kind": "Pod", "spec": spec, "status": status})
}

/// Name of the case, the pod, and its cells Ready, Status, Restarts.
fn pods() -> Vec<(&'static str, Json, [&'static str; 3])> {
    let two = json!({"containers": [{"name": "a"}, {"name": "b"}]});
    let with_init = |init: Json| json!({"containers": [{"name": "a"}], "initContainers": init});
    let running = json!({"name": "a", "ready": true, "restartCount": 0, "state": {"running": {}}});
    let crashed = json!({"name": "b", "restartCount": 3, "state": {"waiting": {"reason": "CrashLoopBackOff"}},
        "lastState": {"terminated": {"finishedAt": "2026-01-01T23:55:00Z"}}});
    let ended = |state: Json| json!({"name": "b", "restartCount": 0, "state": {"terminated": state}});
    let ready = json!([{"type": "Ready", "status": "True"}]);
    let sidecar = json!([{"name": "s", "restartPolicy": "Always"}]);
    vec![
        ("new", pod(two.clone(), json!({"phase": "Pending"})), ["0/2", "Pending", "0"]),
        ("evicted", pod(two.clone(), json!({"phase": "Failed", "reason": "Evicted"})), ["0/2", "Evicted", "0"]),
        (
            "gated",
            pod(two.clone(), json!({"phase": "Pending", "conditions": [{"type": "PodScheduled", "reason": "SchedulingGated"}]})),
            ["0/2", "SchedulingGated", "0"],
        ),
        (
            "crashing",
            pod(two.clone(), json!({"phase": "Running", "containerStatuses": [running, crashed]})),
            ["1/2", "CrashLoopBackOff", "3 (5m ago)"],
        ),
        (
            "one of two done",
            pod(
                two.clone(),
                json!({"phase": "Running", "conditions": ready,
                "containerStatuses": [running, ended(json!({"reason": "Completed"}))]}),
            ),
            ["1/2", "Running", "0"],
        ),
        (
            "one of two done, not ready",
            pod(
                two.clone(),
                json!({"phase": "Running",
                "containerStatuses": [ended(json!({"reason": "Completed"})), running]}),
            ),
            ["1/2", "NotReady", "0"],
        ),
        (
            "failed with a signal",
            pod(two.clone(), json!({"phase": "Failed", "containerStatuses": [ended(json!({"signal": 9, "exitCode": 137}))]})),
            ["0/2", "Signal:9", "0"],
        ),
        (
            "failed without a reason",
            pod(two.clone(), json!({"phase": "Failed", "containerStatuses": [ended(json!({"exitCode": 2}))]})),
            ["0/2", "ExitCode:2", "0"],
        ),
        (
            "initializing",
            pod(
                with_init(json!([{"name": "i"}, {"name": "j"}])),
                json!({"phase": "Pending",
                "initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 0}}},
                    {"name": "j", "restartCount": 1, "state": {"running": {}}}]}),
            ),
            ["0/1", "Init:1/2", "1"],
        ),
        (
            "failing to initialize",
            pod(
                with_init(json!([{"name": "i"}])),
                json!({"phase": "Pending",
                "initContainerStatuses": [{"name": "i", "state": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}),
            ),
            ["0/1", "Init:Error", "0"],
        ),
        (
            "image of an init container missing",
            pod(
                with_init(json!([{"name": "i"}])),
                json!({"phase": "Pending",
                "initContainerStatuses": [{"name": "i", "state": {"waiting": {"reason": "ErrImagePull"}}}]}),
            ),
            ["0/1", "Init:ErrImagePull", "0"],
        ),
        (
            "with a sidecar",
            pod(
                with_init(sidecar),
                json!({"phase": "Running", "containerStatuses": [running],
                "initContainerStatuses": [{"name": "s", "started": true, "ready": true, "restartCount": 2, "state": {"running": {}}}]}),
            ),
            ["2/2", "Running", "2"],
        ),
    ]
}

#[test]
fn pods_show_what_their_containers_do() {
    for (name, pod, [ready, status, restarts]) in pods() {
        assert_eq!(cell("pod-ready", &pod), ready, "{name}");
        assert_eq!(cell("pod-status", &pod), status, "{name}");
        assert_eq!(cell("pod-restarts", &pod), restarts, "{name}");
    }
}

#[test]
fn a_deleted_pod_is_terminating_unless_it_has_ended_or_is_lost() {
    for (status, shown) in [
        (json!({"phase": "Running"}), "Terminating"),
        (json!({"phase": "Succeeded"}), "Succeeded"),
        (json!({"phase": "Running", "reason": "NodeLost"}), "Unknown"),
    ] {
        let mut pod = pod(json!({}), status);
        pod["metadata"] = json!({"deletionTimestamp": "2026-01-01T00:00:00Z"});
        assert_eq!(cell("pod-status", &pod), shown);
    }
}

#[test]
fn an_ended_pod_marks_its_row() {
    let condition = completed(&pod(json!({}), json!({"phase": "Failed"}))).unwrap();
    assert_eq!(condition, json!({"type": "Completed", "status": "True", "reason": "Failed", "message": "The pod failed."}));
    assert_eq!(completed(&pod(json!({}), json!({"phase": "Running"}))), None);
}

#[test]
fn wide_pod_cells_say_none_where_there_is_nothing() {
    for name in ["pod-ip", "pod-node", "pod-nominated-node", "pod-readiness-gates"] {
        assert_eq!(cell(name, &pod(json!({}), json!({}))), "<none>", "{name}");
    }
    let gated = pod(
        json!({"readinessGates": [{"conditionType": "a"}, {"conditionType": "b"}]}),
        json!({"conditions": [{"type": "a", "status": "True"}, {"type": "b", "status": "False"}]}),
    );
    assert_eq!(cell("pod-readiness-gates", &gated), "1/2");
}

#[test]
fn workloads() {
    let web = json!({
        "spec": {"replicas": 3, "selector": {"matchLabels": {"b": "2", "a": "1"},
            "matchExpressions": [{"key": "c", "operator": "In", "values": ["y", "x"]}, {"key": "aa", "operator": "DoesNotExist"}]},
            "template": {"spec": {"containers": [{"name": "a", "image": "x:1"}, {"name": "b", "image": "y"}], "nodeSelector": {"z": "1"}}}},
        "status": {"readyReplicas": 2}});
    let selector = "a=1,!aa,b=2,c in (x,y)";
    for (name, expected) in [
        ("deployment-ready", "2/3"),
        ("containers", "a,b"),
        ("images", "x:1,y"),
        ("selector", selector),
        ("node-selector", "z=1"),
        ("age", "<unknown>"),
    ] {
        assert_eq!(cell(name, &web), expected, "{name}");
    }
    assert_eq!(cell("selector", &json!({})), "<none>");
    assert_eq!(
        cell("selector", &json!({"spec": {"selector": {"matchExpressions": [{"key": "a", "operator": "Like"}]}}})),
        "<error>"
    );
}

#[test]
fn jobs() {
    let job = |spec: Json, status: Json| json!({"spec": spec, "status": status});
    let holds = |name: &str| json!({"conditions": [{"type": name, "status": "True"}]});
    check(
        "job-status",
        &[
            (job(json!({}), holds("Complete")), json!("Complete")),
            (job(json!({}), holds("Suspended")), json!("Suspended")),
            (job(json!({}), json!({})), json!("Running")),
            (json!({"metadata": {"deletionTimestamp": "2026-01-01T00:00:00Z"}}), json!("Terminating")),
        ],
    );
    check(
        "job-completions",
        &[
            (job(json!({"completions": 5}), json!({"succeeded": 2})), json!("2/5")),
            (job(json!({"parallelism": 4}), json!({})), json!("0/1 of 4")),
            (job(json!({}), json!({"succeeded": 1})), json!("1/1")),
        ],
    );
    check(
        "job-duration",
        &[
            (job(json!({}), json!({})), json!("")),
            (job(json!({}), json!({"startTime": "2026-01-01T23:59:30Z"})), json!("30s")),
            (
                job(json!({}), json!({"startTime": "2026-01-01T22:00:00Z", "completionTime": "2026-01-01T22:05:01Z"})),
                json!("5m1s"),
            ),
        ],
    );
    check("cronjob-suspend", &[(json!({}), json!("<unset>")), (json!({"spec": {"suspend": false}}), json!("False"))]);
    check("cronjob-active", &[(json!({}), json!(0)), (json!({"status": {"active": [{}, {}]}}), json!(2))]);
    check(
        "cronjob-last-schedule",
        &[(json!({}), json!("<none>")), (json!({"status": {"lastScheduleTime": "2026-01-01T23:00:00Z"}}), json!("60m"))],
    );
    check("cronjob-timezone", &[(json!({}), json!("<none>")), (json!({"spec": {"timeZone": "Etc/UTC"}}), json!("Etc/UTC"))]);
}

#[test]
fn services() {
    let service = |spec: Json| json!({"spec": spec});
    check(
        "service-external-ip",
        &[
            (service(json!({"type": "ClusterIP"})), json!("<none>")),
            (service(json!({"type": "NodePort", "externalIPs": ["1.2.3.4", "5.6.7.8"]})), json!("1.2.3.4,5.6.7.8")),
            (service(json!({"type": "LoadBalancer"})), json!("<pending>")),
            (service(json!({"type": "ExternalName", "externalName": "example.org"})), json!("example.org")),
            (service(json!({})), json!("<unknown>")),
            (
                json!({"spec": {"type": "LoadBalancer", "externalIPs": ["9.9.9.9"]},
                "status": {"loadBalancer": {"ingress": [{"ip": "2.2.2.2"}, {"hostname": "lb"}, {"ip": "1.1.1.1"}, {"ip": "2.2.2.2"}]}}}),
                json!("1.1.1.1,2.2.2.2,lb,9.9.9.9"),
            ),
        ],
    );
    check(
        "service-ports",
        &[
            (service(json!({})), json!("<none>")),
            (
                service(json!({"ports": [{"port": 80, "protocol": "TCP"}, {"port": 53, "nodePort": 30053, "protocol": "UDP"}]})),
                json!("80/TCP,53:30053/UDP"),
            ),
        ],
    );
    check(
        "service-cluster-ip",
        &[(service(json!({})), json!("<none>")), (service(json!({"clusterIPs": ["10.0.0.1"]})), json!("10.0.0.1"))],
    );
    check("service-selector", &[(service(json!({})), json!("<none>")), (service(json!({"selector": {"a": "b"}})), json!("a=b"))]);
}

#[test]
fn events_read_alike_in_both_versions() {
    let core = json!({"involvedObject": {"kind": "ReplicaSet", "name": "web", "fieldPath": "spec"}, "message": " moved \n",
        "firstTimestamp": "2026-01-01T23:00:00Z", "lastTimestamp": "2026-01-01T23:59:00Z", "count": 4,
        "source": {"component": "plimsoll", "host": "h"}});
    let new = json!({"regarding": {"kind": "ReplicaSet", "name": "web", "fieldPath": "spec"}, "note": " moved \n",
        "deprecatedFirstTimestamp": "2026-01-01T23:00:00Z", "deprecatedLastTimestamp": "2026-01-01T23:59:00Z",
        "deprecatedCount": 4, "deprecatedSource": {"component": "plimsoll", "host": "h"}});
    for event in [core, new] {
        for (name, expected) in [
            ("event-last-seen", json!("60s")),
            ("event-first-seen", json!("60m")),
            ("event-object", json!("replicaset/web")),
            ("event-source", json!("plimsoll, h")),
            ("event-message", json!("moved")),
            ("event-count", json!(4)),
        ] {
            assert_eq!(cell(name, &event), expected, "{name}");
        }
    }
}

#[test]
fn an_event_of_the_new_api_counts_by_its_series() {
    let once = json!({"eventTime": "2026-01-01T23:59:00.000000Z", "reportingController": "c", "reportingInstance": "i"});
    let often = json!({"eventTime": "2026-01-01T23:00:00.000000Z", "series": {"count": 9, "lastObservedTime": "2026-01-01T23:59:30.000000Z"}});
    assert_eq!(cell("event-last-seen", &once), "60s");
    assert_eq!(cell("event-count", &once), 1);
    assert_eq!(cell("event-source", &once), "c, i");
    assert_eq!(cell("event-last-seen", &often), "30s");
    assert_eq!(cell("event-count", &often), 9);
    assert_eq!(cell("event-first-seen", &json!({"firstTimestamp": null})), "<unknown>");
}

#[test]
fn the_rest() {
    let binding = json!({"roleRef": {"kind": "Role", "name": "r"}, "subjects": [{"kind": "User", "name": "u"},
        {"kind": "Group", "name": "g"}, {"kind": "User", "name": "v"}, {"kind": "ServiceAccount", "name": "s", "namespace": "n"}]});
    check("role-ref", &[(binding.clone(), json!("Role/r"))]);
    check("subject-users", &[(binding.clone(), json!("u, v"))]);
    check("subject-groups", &[(binding.clone(), json!("g"))]);
    check("subject-service-accounts", &[(binding, json!("n/s"))]);
    check("data-count", &[(json!({"data": {"a": "1"}, "binaryData": {"b": "2"}}), json!(2)), (json!({}), json!(0))]);
    check(
        "cluster-status",
        &[
            (json!({}), json!("Unknown")),
            (json!({"status": {"conditions": [{"type": "Ready", "status": "True"}]}}), json!("Ready")),
            (
                json!({"status": {"conditions": [{"type": "Ready", "status": "False"}, {"type": "Offline", "status": "True"}]}}),
                json!("NotReady,Offline"),
            ),
        ],
    );
}

#[test]
fn nodes() {
    let node = json!({"metadata": {"labels": {"node-role.kubernetes.io/b": "", "kubernetes.io/role": "a", "node-role.kubernetes.io/": ""}},
        "spec": {"unschedulable": true},
        "status": {"conditions": [{"type": "Ready", "status": "False"}], "addresses": [{"type": "InternalIP", "address": "10.0.0.1"}],
            "nodeInfo": {"kernelVersion": "6.1", "architecture": "amd64", "osImage": "Debian"}}});
    for (name, shown, of_nothing) in [
        ("node-status", "NotReady,SchedulingDisabled", "Unknown"),
        ("node-roles", "a,b", "<none>"),
        ("node-internal-ip", "10.0.0.1", "<none>"),
        ("node-external-ip", "<none>", "<none>"),
        ("node-os-image", "Debian", "<unknown>"),
        ("node-kernel-version", "6.1 (amd64)", "<unknown>"),
        ("node-container-runtime", "<unknown>", "<unknown>"),
    ] {
        assert_eq!(cell(name, &node), shown, "{name}");
        assert_eq!(cell(name, &json!({})), of_nothing, "{name}");
    }
}

#[test]
fn the_table_of_kinds_uses_known_names_only() {
    let registry = crate::resources::Registry::built_in().unwrap();
    let columns = registry.all().flat_map(|row| &row.columns);
    let used: std::collections::BTreeSet<&str> = columns
        .filter_map(|column| match &column.cell {
            crate::resources::resource::Cell::Computed(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(used, names().collect(), "names that rows use, and names that there are");
}
