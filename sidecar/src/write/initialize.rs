//! What an initializer makes of an object, in one write that holds for the version it has seen, and takes its name off.

use kube::api::{Patch as Body, PatchParams};
use kube::core::Request as Resource;
use plimsoll_contract::kind::Gvr;
use plimsoll_contract::source::ObjectName;
use serde_json::Value as Json;

use super::COMPONENT;
use super::apply::Apply;
use super::throttle::Permit;
use crate::cluster::path;
use crate::results::WriteEnd;

/// What became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Nothing is left to do: it is written, or the object is another one by now, gone, or not ours to write.
    Done,
    /// It could not be written now.
    Later,
}

impl Apply {
    /// Patches `metadata` of one object, with the preconditions that are in it.
    pub async fn initialize(&self, gvr: &Gvr, name: &ObjectName, patch: Json, permit: Permit) -> Ended {
        let namespace = Some(name.namespace.as_str()).filter(|namespace| !namespace.is_empty());
        let params = PatchParams { field_manager: Some(COMPONENT.into()), ..PatchParams::default() };
        let request = Resource::new(path(gvr, namespace)).patch(&name.name, &params, &Body::Merge(patch));
        let written = self.send(request).await;
        permit.end(written.as_ref().err());
        let end = match &written {
            Ok(_) => WriteEnd::Patched,
            Err(failed) => match failed.fault.code() {
                Some(409) => WriteEnd::Conflict,
                Some(404) => WriteEnd::Gone,
                Some(429 | 500..) | None => WriteEnd::Unreachable,
                Some(_) => WriteEnd::Refused,
            },
        };
        self.metrics.write(end);
        if let (WriteEnd::Refused, Err(failed)) = (end, &written) {
            let hint = "does this sidecar have the verb `initialize` on the kind?";
            tracing::warn!(kind = %gvr, namespace = name.namespace, name = name.name, error = %failed.fault, hint, "not initialized");
        }
        if end == WriteEnd::Unreachable { Ended::Later } else { Ended::Done }
    }
}
