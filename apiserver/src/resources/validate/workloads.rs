//! Controllers of pods: apps/v1 and batch/v1. Source: `kubernetes/pkg/apis/{apps,batch}/validation`.

use serde_json::{Value as Json, json};

use super::peek::{below, field, given, number, text};
use super::{immutable, non_negative, one_of, pod_spec, selector};
use crate::names;
use crate::status::field::{Faults, Path};

/// Deployments.
pub(super) fn deployment(spec: &Json, old: Option<&Json>, path: &Path<'_>, faults: &mut Faults) {
    non_negative(spec, &["replicas"], path, faults);
    selected(spec, "deployment", path, faults);
    let template = field(spec, "template");
    pod_spec::template(template, &path.child("template"), faults);
    pod_spec::always(template, &path.child("template"), faults);
    strategy(field(spec, "strategy"), "strategy", &["Recreate", "RollingUpdate"], path, faults);
    non_negative(spec, &["minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"], path, faults);
    let ready = number(spec, "minReadySeconds").unwrap_or_default();
    if number(spec, "progressDeadlineSeconds").is_some_and(|deadline| deadline >= 0 && deadline <= ready) {
        let deadline = field(spec, "progressDeadlineSeconds");
        faults.invalid(&path.child("progressDeadlineSeconds"), deadline, "must be greater than minReadySeconds");
    }
    unchanged(spec, old, path, faults);
}

/// ReplicaSets.
pub(super) fn replica_set(spec: &Json, old: Option<&Json>, path: &Path<'_>, faults: &mut Faults) {
    non_negative(spec, &["replicas", "minReadySeconds"], path, faults);
    selected(spec, "deployment", path, faults);
    let template = field(spec, "template");
    pod_spec::template(template, &path.child("template"), faults);
    pod_spec::always(template, &path.child("template"), faults);
    unchanged(spec, old, path, faults);
}

/// DaemonSets.
pub(super) fn daemon_set(spec: &Json, old: Option<&Json>, path: &Path<'_>, faults: &mut Faults) {
    selected(spec, "daemonset", path, faults);
    let template = field(spec, "template");
    pod_spec::template(template, &path.child("template"), faults);
    pod_spec::always(template, &path.child("template"), faults);
    non_negative(spec, &["minReadySeconds"], path, faults);
    strategy(field(spec, "updateStrategy"), "updateStrategy", &["RollingUpdate", "OnDelete"], path, faults);
    non_negative(spec, &["revisionHistoryLimit"], path, faults);
    unchanged(spec, old, path, faults);
}

/// StatefulSets.
pub(super) fn stateful_set(spec: &Json, old: Option<&Json>, path: &Path<'_>, faults: &mut Faults) {
    if !matches!(text(spec, "podManagementPolicy"), "OrderedReady" | "Parallel") {
        let policy = field(spec, "podManagementPolicy");
        faults.invalid(&path.child("podManagementPolicy"), policy, "must be 'OrderedReady' or 'Parallel'");
    }
    let update = field(spec, "updateStrategy");
    if !matches!(text(update, "type"), "RollingUpdate" | "OnDelete") {
        faults.invalid(&path.child("updateStrategy"), &internal(update), "must be 'RollingUpdate' or 'OnDelete'");
    }
    non_negative(spec, &["replicas", "minReadySeconds"], path, faults);
    selected(spec, "statefulset", path, faults);
    let template = field(spec, "template");
    pod_spec::template(template, &path.child("template"), faults);
    pod_spec::always(template, &path.child("template"), faults);
    if let Some(old) = old.filter(|old| frozen(old) != frozen(spec)) {
        let _before = old;
        faults.forbidden(path, "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden");
    }
}

/// What must not change in a StatefulSet.
fn frozen(spec: &Json) -> Json {
    let mut frozen = spec.clone();
    if let Some(fields) = frozen.as_object_mut() {
        let free = [
            "replicas",
            "ordinals",
            "template",
            "updateStrategy",
            "revisionHistoryLimit",
            "persistentVolumeClaimRetentionPolicy",
            "minReadySeconds",
        ];
        free.iter().for_each(|name| drop(fields.remove(*name)));
    }
    frozen
}

/// A selector that is there, selects something, and selects the template.
fn selected(spec: &Json, kind: &str, path: &Path<'_>, faults: &mut Faults) {
    let (selector, at) = (field(spec, "selector"), path.child("selector"));
    if selector.is_null() {
        faults.required(&at, "");
    } else {
        selector::validate(selector, &at, faults);
        if selector::is_empty(selector) {
            return faults.invalid(&at, selector, &format!("empty selector is invalid for {kind}"));
        }
        if !selector::is_readable(selector) {
            return faults.invalid(&at, selector, "invalid label selector");
        }
    }
    let template = path.child("template");
    let labels = below(spec, "template.metadata.labels");
    if selector.is_null() || !selector::matches(selector, labels) {
        let metadata = template.child("metadata");
        faults.invalid(&metadata.child("labels"), labels, "`selector` does not match template `labels`");
    }
}

fn unchanged(spec: &Json, old: Option<&Json>, path: &Path<'_>, faults: &mut Faults) {
    if let Some(old) = old {
        immutable(spec, old, "selector", path, faults);
    }
}

/// As upstream's internal type reads in messages.
fn internal(strategy: &Json) -> Json {
    json!({"RollingUpdate": field(strategy, "rollingUpdate"), "Type": field(strategy, "type")})
}

fn strategy(strategy: &Json, name: &str, kinds: &[&str], path: &Path<'_>, faults: &mut Faults) {
    let at = path.child(name);
    let (kind, rolling) = (text(strategy, "type"), at.child("rollingUpdate"));
    if !kinds.contains(&kind) {
        return faults.not_supported(&at, &internal(strategy), kinds);
    }
    if kind == "Recreate" && given(strategy, "rollingUpdate") {
        return faults.forbidden(&rolling, "may not be specified when strategy `type` is 'Recreate'");
    }
    if kind == "RollingUpdate" {
        rolling_update(field(strategy, "rollingUpdate"), &rolling, faults);
    }
}

fn rolling_update(update: &Json, path: &Path<'_>, faults: &mut Faults) {
    for name in ["maxUnavailable", "maxSurge"] {
        amount(field(update, name), &path.child(name), faults);
    }
    let nothing = |name: &str| match field(update, name) {
        Json::String(text) => text.trim_end_matches('%') == "0",
        value => value.as_i64() == Some(0),
    };
    if nothing("maxUnavailable") && nothing("maxSurge") {
        let value = field(update, "maxUnavailable");
        faults.invalid(&path.child("maxUnavailable"), value, "may not be 0 when `maxSurge` is 0");
    }
}

/// A number or a percentage.
fn amount(value: &Json, path: &Path<'_>, faults: &mut Faults) {
    match value {
        Json::String(text) if !names::is_percentage(text) => faults.invalid(path, value, names::PERCENTAGE),
        Json::Number(number) if number.as_i64().is_some_and(|number| number < 0) => {
            faults.invalid(path, value, "must be greater than or equal to 0");
        }
        _ => {}
    }
}

// --- batch ---

/// Jobs.
pub(super) fn job(spec: &Json, old: Option<&Json>, path: &Path<'_>, faults: &mut Faults) {
    job_spec(spec, path, faults);
    let selector = field(spec, "selector");
    let at = path.child("selector");
    match selector.is_null() {
        true => faults.required(&at, ""),
        false => {
            selector::validate(selector, &at, faults);
            selector::for_template(spec, field(spec, "template"), path, faults);
        }
    }
    if let Some(old) = old {
        for name in ["completions", "selector", "template", "completionMode"] {
            immutable(spec, old, name, path, faults);
        }
    }
}

fn job_spec(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let numbers = ["parallelism", "completions", "activeDeadlineSeconds", "backoffLimit", "ttlSecondsAfterFinished"];
    non_negative(spec, &numbers, path, faults);
    let template = field(spec, "template");
    let path = path.child("template");
    pod_spec::template(template, &path, faults);
    let policy = below(template, "spec.restartPolicy");
    if policy != "OnFailure" && policy != "Never" && policy == "Always" {
        let at = path.child("spec");
        faults.required(&at.child("restartPolicy"), "valid values: \"OnFailure\", \"Never\"");
    }
}

/// CronJobs.
pub(super) fn cron_job(spec: &Json, path: &Path<'_>, faults: &mut Faults) {
    let (schedule, at) = (text(spec, "schedule"), path.child("schedule"));
    let fields = schedule.split_whitespace().count();
    if schedule.is_empty() {
        faults.required(&at, "");
    } else if fields != 5 && !schedule.starts_with('@') && !schedule.contains("TZ=") {
        let found: Vec<&str> = schedule.split_whitespace().collect();
        let text = format!("expected exactly 5 fields, found {fields}: [{}]", found.join(" "));
        faults.invalid_text(&at, schedule, &text);
    }
    non_negative(spec, &["startingDeadlineSeconds"], path, faults);
    one_of(spec, "concurrencyPolicy", &["Allow", "Forbid", "Replace"], path, faults);
    let template = path.child("jobTemplate");
    job_spec(below(spec, "jobTemplate.spec"), &template.child("spec"), faults);
    non_negative(spec, &["successfulJobsHistoryLimit", "failedJobsHistoryLimit"], path, faults);
}
