//! Cells of pods: what the containers' states add up to.

use serde_json::{Value as Json, json};
use time::OffsetDateTime;

use crate::table::duration;
use crate::table::object::{holds, integer, list, present, text};

/// What `printPod` works out.
#[derive(Default)]
struct Summary<'a> {
    ready: usize,
    total: usize,
    restarts: i64,
    /// When a container ended last, as text: all such timestamps are UTC and order as they read.
    last_restart: &'a str,
    reason: String,
}

pub(super) fn ready(pod: &Json) -> String {
    let summary = Summary::of(pod);
    format!("{}/{}", summary.ready, summary.total)
}

pub(super) fn status(pod: &Json) -> String {
    Summary::of(pod).reason
}

pub(super) fn restarts(pod: &Json, now: OffsetDateTime) -> String {
    let summary = Summary::of(pod);
    if summary.restarts == 0 || summary.last_restart.is_empty() {
        return summary.restarts.to_string();
    }
    format!("{} ({} ago)", summary.restarts, duration::since(Some(&summary.last_restart.into()), now))
}

pub(super) fn readiness_gates(pod: &Json) -> String {
    let gates = list(pod, "/spec/readinessGates");
    if gates.is_empty() {
        return "<none>".into();
    }
    let conditions = list(pod, "/status/conditions");
    let holds = |gate: &&Json| {
        let condition = conditions.iter().find(|condition| text(condition, "/type") == text(gate, "/conditionType"));
        condition.is_some_and(|condition| text(condition, "/status") == "True")
    };
    format!("{}/{}", gates.iter().filter(holds).count(), gates.len())
}

/// The row condition of a pod that has ended; kubectl may leave such rows out.
pub(in crate::table) fn completed(object: &Json) -> Option<Json> {
    if text(object, "/kind") != "Pod" {
        return None;
    }
    let (reason, message) = match text(object, "/status/phase") {
        "Succeeded" => ("Succeeded", "The pod has completed successfully."),
        "Failed" => ("Failed", "The pod failed."),
        _ => return None,
    };
    Some(json!({ "type": "Completed", "status": "True", "reason": reason, "message": message }))
}

impl<'a> Summary<'a> {
    fn of(pod: &'a Json) -> Self {
        let sidecars = list(pod, "/spec/initContainers").iter().filter(|container| is_sidecar(container)).count();
        let total = list(pod, "/spec/containers").len() + sidecars;
        let mut summary = Summary { total, reason: phase_reason(pod), ..Summary::default() };
        let initializing = summary.init_containers(pod);
        if !initializing || condition_holds(pod, "Initialized") {
            summary.containers(pod);
        }
        if present(pod, "/metadata/deletionTimestamp").is_some() {
            if text(pod, "/status/reason") == "NodeLost" {
                summary.reason = "Unknown".into();
            } else if !matches!(text(pod, "/status/phase"), "Succeeded" | "Failed") {
                summary.reason = "Terminating".into();
            }
        }
        summary
    }

    /// Goes through the init containers up to the first that is not done; says whether there is one.
    fn init_containers(&mut self, pod: &'a Json) -> bool {
        let declared = list(pod, "/spec/initContainers");
        let mut of_sidecars = Summary::default();
        for (index, status) in list(pod, "/status/initContainerStatuses").iter().enumerate() {
            let container = declared.iter().find(|container| text(container, "/name") == text(status, "/name"));
            let sidecar = container.is_some_and(is_sidecar);
            self.count_restarts(status);
            if sidecar {
                of_sidecars.count_restarts(status);
            }
            if terminated(status).is_some_and(|state| integer(state, "/exitCode") == 0) {
                continue;
            }
            if sidecar && holds(status, "/started") {
                self.ready += usize::from(holds(status, "/ready"));
                continue;
            }
            self.reason = init_reason(status, index, declared.len());
            // Sidecars' restarts count on; those of the others no longer do once the pod is initialized.
            if condition_holds(pod, "Initialized") {
                self.take_restarts(of_sidecars);
            }
            return true;
        }
        self.take_restarts(of_sidecars);
        false
    }

    fn take_restarts(&mut self, other: Summary<'a>) {
        self.restarts = other.restarts;
        self.last_restart = other.last_restart;
    }

    fn count_restarts(&mut self, status: &'a Json) {
        self.restarts += integer(status, "/restartCount");
        self.last_restart = self.last_restart.max(text(status, "/lastState/terminated/finishedAt"));
    }

    fn containers(&mut self, pod: &'a Json) {
        let (mut running, mut failure) = (false, String::new());
        for status in list(pod, "/status/containerStatuses").iter().rev() {
            self.count_restarts(status);
            if let Some(reason) = waiting_reason(status) {
                self.reason = reason.into();
            } else if let Some(state) = terminated(status) {
                self.reason = termination(state);
                if integer(state, "/exitCode") != 0 {
                    failure.clone_from(&self.reason);
                }
            } else if holds(status, "/ready") && present(status, "/state/running").is_some() {
                running = true;
                self.ready += 1;
            }
        }
        // A container may have completed while another still runs.
        if self.reason == "Completed" {
            match (running, failure.is_empty()) {
                (true, _) if condition_holds(pod, "Ready") => self.reason = "Running".into(),
                (_, false) => self.reason = failure,
                (true, true) => self.reason = "NotReady".into(),
                (false, true) => {}
            }
        }
    }
}

fn phase_reason(pod: &Json) -> String {
    let gated = list(pod, "/status/conditions")
        .iter()
        .any(|condition| text(condition, "/type") == "PodScheduled" && text(condition, "/reason") == "SchedulingGated");
    match (gated, text(pod, "/status/reason")) {
        (true, _) => "SchedulingGated".into(),
        (false, "") => text(pod, "/status/phase").into(),
        (false, reason) => reason.into(),
    }
}

/// A restartable init container keeps running beside the others.
fn is_sidecar(container: &Json) -> bool {
    text(container, "/restartPolicy") == "Always"
}

fn condition_holds(pod: &Json, name: &str) -> bool {
    list(pod, "/status/conditions")
        .iter()
        .any(|condition| text(condition, "/type") == name && text(condition, "/status") == "True")
}

fn terminated(status: &Json) -> Option<&Json> {
    present(status, "/state/terminated")
}

fn waiting_reason(status: &Json) -> Option<&str> {
    Some(text(status, "/state/waiting/reason")).filter(|reason| !reason.is_empty())
}

fn init_reason(status: &Json, index: usize, count: usize) -> String {
    match (terminated(status), waiting_reason(status)) {
        (Some(state), _) => format!("Init:{}", termination(state)),
        (None, Some(reason)) if reason != "PodInitializing" => format!("Init:{reason}"),
        _ => format!("Init:{index}/{count}"),
    }
}

fn termination(state: &Json) -> String {
    match (text(state, "/reason"), integer(state, "/signal")) {
        ("", 0) => format!("ExitCode:{}", integer(state, "/exitCode")),
        ("", signal) => format!("Signal:{signal}"),
        (reason, _) => reason.into(),
    }
}
