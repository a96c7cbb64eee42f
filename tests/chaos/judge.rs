//! What each cell must come to. Source of the table: `apiserver` `pkg/admission/plugin/webhook/{mutating,validating}/dispatcher.go`.

use super::cells::{Cell, Kind, Version};
use super::faults::{End, Fault};
use super::found::Found;

/// What is wrong with what was found; empty: nothing.
pub(super) fn judge(cell: &Cell, found: &Found) -> Vec<String> {
    let mut wrong = Vec::new();
    let mut check = |what: &str, is_so: bool| {
        if !is_so {
            wrong.push(format!("{}: {what}: {found:?}", cell.about()));
        }
    };
    let (end, mutating) = (cell.end(), cell.kind == Kind::Mutating);
    let opened = end == End::Failed && cell.ignores;
    let admitted = opened || matches!(end, End::Allowed { .. });
    let called = if cell.version == Version::V1Alpha1 { "admission webhook" } else { "webhook" };
    let head = format!("Internal error occurred: failed calling {called} \"{}\": ", cell.webhook());
    check("code", found.code == if admitted { 201 } else { 500 });
    check(
        "message",
        match end {
            _ if admitted => found.message.is_empty(),
            End::Failed => found.message.starts_with(&head),
            _ => found.message.starts_with("Internal error occurred: "),
        },
    );
    let mutated = end == End::Allowed { mutated: true };
    check("what is stored", found.mutated == mutated);
    let calls = if cell.fault == Fault::IdleReset { 2 } else { 1 };
    check("calls", found.called == if admitted { [calls, 0] } else { [0, calls] });
    check("rejections", found.rejections == u64::from(!admitted));
    check("calls that failed open", found.failed_open == u64::from(opened));
    check("code in the audit log", found.audited == u64::from(found.code));
    check("mutation in the audit log", found.said_mutated == mutating.then_some(mutated));
    check("fail open in the audit log", found.said_failed_open == opened);
    wrong
}
