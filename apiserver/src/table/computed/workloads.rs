//! Cells of what makes pods: deployments, sets, jobs.

use serde_json::Value as Json;
use time::OffsetDateTime;

use crate::table::duration;
use crate::table::object::{integer, list, present, text};

/// Ready pods of those asked for.
pub(super) fn ready(object: &Json) -> String {
    format!("{}/{}", integer(object, "/status/readyReplicas"), integer(object, "/spec/replicas"))
}

/// One field of each container of the pod template.
pub(super) fn containers(object: &Json, field: &str) -> String {
    let of_job = list(object, "/spec/jobTemplate/spec/template/spec/containers");
    let containers = list(object, "/spec/template/spec/containers").iter().chain(of_job);
    containers.map(|container| container.get(field).and_then(Json::as_str).unwrap_or_default()).collect::<Vec<_>>().join(",")
}

pub(super) fn job_status(job: &Json) -> &'static str {
    let holds = |name: &str| {
        let condition = list(job, "/status/conditions").iter().find(|condition| text(condition, "/type") == name);
        condition.is_some_and(|condition| text(condition, "/status") == "True")
    };
    match () {
        () if holds("Complete") => "Complete",
        () if holds("Failed") => "Failed",
        () if present(job, "/metadata/deletionTimestamp").is_some() => "Terminating",
        () if holds("Suspended") => "Suspended",
        () if holds("FailureTarget") => "FailureTarget",
        () if holds("SuccessCriteriaMet") => "SuccessCriteriaMet",
        () => "Running",
    }
}

pub(super) fn job_completions(job: &Json) -> String {
    let succeeded = integer(job, "/status/succeeded");
    match (present(job, "/spec/completions").and_then(Json::as_i64), integer(job, "/spec/parallelism")) {
        (Some(completions), _) => format!("{succeeded}/{completions}"),
        (None, parallelism) if parallelism > 1 => format!("{succeeded}/1 of {parallelism}"),
        (None, _) => format!("{succeeded}/1"),
    }
}

pub(super) fn job_duration(job: &Json, now: OffsetDateTime) -> String {
    let start = duration::parse(text(job, "/status/startTime"));
    let end = duration::parse(text(job, "/status/completionTime"));
    start.map_or_else(String::new, |start| duration::human(end.unwrap_or(now) - start))
}

pub(super) fn timezone(cron_job: &Json) -> &str {
    present(cron_job, "/spec/timeZone").and_then(Json::as_str).unwrap_or("<none>")
}

pub(super) fn suspend(cron_job: &Json) -> &'static str {
    match present(cron_job, "/spec/suspend").and_then(Json::as_bool) {
        Some(true) => "True",
        Some(false) => "False",
        None => "<unset>",
    }
}

pub(super) fn last_schedule(cron_job: &Json, now: OffsetDateTime) -> String {
    match present(cron_job, "/status/lastScheduleTime") {
        Some(time) => duration::since(Some(time), now),
        None => "<none>".into(),
    }
}
