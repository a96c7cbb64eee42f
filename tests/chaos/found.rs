//! What one cell came to: what the client was told, what was counted, what the audit log says.

use std::fmt::Write as _;

use serde_json::Value as Json;

use super::cells::{Cell, Kind};
use super::world::Answer;

/// The traces of one call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) code: u16,
    /// Up to what the systems' own words begin with.
    pub(super) message: String,
    pub(super) mutated: bool,
    /// `request_total`, by `rejected`.
    pub(super) called: [u64; 2],
    pub(super) rejections: u64,
    /// `code` of `request_total`, and of `rejection_count` `error_type` and `rejection_code`.
    pub(super) labels: [String; 3],
    pub(super) failed_open: u64,
    /// The code in the audit log.
    pub(super) audited: u64,
    /// What the annotation of a mutating webhook says; nothing where there is none.
    pub(super) said_mutated: Option<bool>,
    pub(super) said_failed_open: bool,
}

impl Found {
    /// Reads the traces; the message is cut behind the webhook's name and the kind of failure.
    pub(super) fn of(cell: &Cell, answer: &Answer, metrics: &str, audited: &[Json]) -> Self {
        let line = audited.iter().find(|line| line["auditID"] == cell.audit_id());
        let annotations = line.and_then(|line| line["annotations"].as_object().cloned()).unwrap_or_default();
        let (name, webhook) = (Json::from(cell.webhook()), cell.webhook());
        let mutation = annotations.iter().filter(|(key, _)| key.starts_with("mutation.webhook.admission.k8s.io/"));
        let mutation = mutation.filter_map(|(_, text)| serde_json::from_str::<Json>(text.as_str()?).ok());
        let mut said_mutated = mutation.filter(|said| said["webhook"] == name).map(|said| said["mutated"] == true);
        let opened = if cell.kind == Kind::Mutating { "mutation" } else { "validating" };
        let opened = format!("failed-open.{opened}.webhook.admission.k8s.io/");
        let count =
            |metric: &str, labels: &[&str]| count(metrics, &format!("apiserver_admission_webhook_{metric}{{"), &webhook, labels);
        Self {
            code: answer.code,
            message: start(answer.body["message"].as_str().unwrap_or_default()),
            mutated: answer.body["data"]["cell"] == "changed",
            called: [r#"rejected="false""#, r#"rejected="true""#].map(|rejected| count("request_total", &[rejected])),
            rejections: count("rejection_count", &[]),
            labels: [("request_total", "code"), ("rejection_count", "error_type"), ("rejection_count", "rejection_code")]
                .map(|(metric, label)| self::label(metrics, &format!("apiserver_admission_webhook_{metric}{{"), &webhook, label)),
            failed_open: count("fail_open_count", &[]),
            audited: line.and_then(|line| line["responseStatus"]["code"].as_u64()).unwrap_or_default(),
            said_mutated: said_mutated.next(),
            said_failed_open: annotations.iter().any(|(key, value)| key.starts_with(&opened) && *value == name),
        }
    }

    /// Where two servers say different things, one line each.
    pub(super) fn differences(&self, other: &Self) -> String {
        let mut text = String::new();
        let mut compare = |name: &str, ours: String, theirs: String| {
            if ours != theirs {
                writeln!(text, "  {name}: {ours} | {theirs}").unwrap();
            }
        };
        compare("code", self.code.to_string(), other.code.to_string());
        compare("message", self.message.clone(), other.message.clone());
        compare("mutated", self.mutated.to_string(), other.mutated.to_string());
        compare("called", format!("{:?}", self.called), format!("{:?}", other.called));
        compare("rejections", self.rejections.to_string(), other.rejections.to_string());
        compare("labels", self.labels.join(" "), other.labels.join(" "));
        compare("failed open", self.failed_open.to_string(), other.failed_open.to_string());
        compare("audited", self.audited.to_string(), other.audited.to_string());
        compare("audit mutation", format!("{:?}", self.said_mutated), format!("{:?}", other.said_mutated));
        compare("audit failed open", self.said_failed_open.to_string(), other.said_failed_open.to_string());
        text
    }
}

/// The lines of a metric about one webhook.
fn lines<'a>(metrics: &'a str, start: &'a str, webhook: &str) -> impl Iterator<Item = &'a str> {
    let name = format!("name=\"{webhook}\"");
    metrics.lines().filter(move |line| line.starts_with(start) && line.contains(&name))
}

/// The value of a label; empty where there is no line.
fn label(metrics: &str, start: &str, webhook: &str, label: &str) -> String {
    let label = format!("{label}=\"");
    let found = lines(metrics, start, webhook).find_map(|line| line.split_once(&label)?.1.split_once('"'));
    found.map(|(value, _)| value.to_owned()).unwrap_or_default()
}

fn count(metrics: &str, start: &str, webhook: &str, labels: &[&str]) -> u64 {
    let lines = lines(metrics, start, webhook).filter(|line| labels.iter().all(|label| line.contains(label)));
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<u64>().ok()).sum()
}

/// Up to the words of the system below, which differ: after the kind of failure, or at the address.
fn start(message: &str) -> String {
    let ends = ["failed to call webhook: ", "received invalid webhook response: ", "unsupported patch type ", "the patch of "];
    let end = ends.iter().filter_map(|end| Some(message.find(end)? + end.len())).min();
    message[..end.unwrap_or(message.len())].to_owned()
}
