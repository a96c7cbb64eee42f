//! The faults: what the webhook does, and what that is called.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};

use super::authority::Authority;
use super::cells::{Cell, Kind, Version};
use super::engine::{Act, Engine, UID, ok, status};

/// What is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// Nothing.
    Up,
    /// Nobody listens.
    Refused,
    /// It takes the connection, and never says a word of TLS.
    BlackHole,
    SlowHeader,
    SlowBody,
    /// The connection ends in the middle of the body.
    CutBody,
    Redirect,
    NotFound,
    ServerError,
    /// A body without end.
    HugeBody,
    InvalidJson,
    WrongUid,
    /// A review of another version.
    WrongVersion,
    WrongPatchType,
    /// A patch that does not apply.
    InvalidPatch,
    ExpiredCertificate,
    WrongName,
    /// Its certificate is of another authority than the one that is trusted.
    RotatedAuthority,
    /// It closes the connection that was kept for the next call, after an answer.
    IdleReset,
    /// It dies while it is asked.
    Dies,
}

/// What the call comes to, whatever the failure policy makes of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    Allowed {
        mutated: bool,
    },
    /// No verdict: the failure policy decides.
    Failed,
    /// No verdict, and the request is refused under both policies.
    Impossible,
}

impl Fault {
    pub(super) const ALL: [Self; 20] = [
        Self::Up,
        Self::Refused,
        Self::BlackHole,
        Self::SlowHeader,
        Self::SlowBody,
        Self::CutBody,
        Self::Redirect,
        Self::NotFound,
        Self::ServerError,
        Self::HugeBody,
        Self::InvalidJson,
        Self::WrongUid,
        Self::WrongVersion,
        Self::WrongPatchType,
        Self::InvalidPatch,
        Self::ExpiredCertificate,
        Self::WrongName,
        Self::RotatedAuthority,
        Self::IdleReset,
        Self::Dies,
    ];

    /// Seconds: short where the call never ends, long where a busy machine must not end it.
    pub(super) fn timeout(self) -> u8 {
        if matches!(self, Self::BlackHole | Self::SlowHeader | Self::SlowBody | Self::HugeBody) { 1 } else { 10 }
    }
}

impl Cell {
    /// Source of the rules: `apiserver` `pkg/admission/plugin/webhook/request/admissionreview.go` (uid, version and patch type count in
    /// `v1` alone; a validating webhook's patch is looked at in `v1` alone) and `mutating/dispatcher.go`.
    pub(super) fn end(&self) -> End {
        let (mutating, v1) = (self.kind == Kind::Mutating, self.version == Version::V1);
        match self.fault {
            Fault::Up | Fault::IdleReset => End::Allowed { mutated: mutating },
            Fault::WrongUid if !v1 => End::Allowed { mutated: false },
            Fault::WrongPatchType if !v1 => End::Allowed { mutated: mutating },
            Fault::InvalidPatch if mutating => End::Impossible,
            Fault::InvalidPatch if !v1 => End::Allowed { mutated: false },
            _ => End::Failed,
        }
    }

    /// The webhook, and where it is; `None`: nobody is there.
    pub(super) fn hook(&self, authority: &Authority, name: &str) -> (Option<Engine>, String) {
        if self.fault == Fault::Refused {
            // A port that no other cell gets.
            return (None, "https://localhost:1".into());
        }
        let hook = match self.fault {
            // Without TLS the greeting is read as a request that never ends.
            Fault::BlackHole => Engine::start([Act::Hang]),
            Fault::ExpiredCertificate => Engine::secured(self.acts(), authority.expired(name)),
            Fault::WrongName => Engine::secured(self.acts(), authority.server("elsewhere", None)),
            Fault::RotatedAuthority => Engine::secured(self.acts(), Authority::new().server(name, None)),
            _ => Engine::secured(self.acts(), authority.server(name, None)),
        };
        let url = hook.origin().replace("http://127.0.0.1", "https://localhost");
        (Some(hook), url)
    }

    fn acts(&self) -> Vec<Act> {
        let half = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 900\r\n\r\n{\"kind\":";
        let right = || self.review(json!({}));
        vec![match self.fault {
            Fault::SlowHeader => Act::Stall("HTTP/1.1 200 OK\r\ncontent-type: app".into()),
            Fault::SlowBody => Act::Stall(half.into()),
            Fault::CutBody => Act::Bytes(half.into()),
            Fault::Redirect => Act::Reply(302, "location: https://localhost:1/\r\n", String::new()),
            Fault::NotFound => status(404),
            Fault::ServerError => status(500),
            Fault::HugeBody => Act::Endless,
            Fault::InvalidJson => ok("{\"kind\": \"AdmissionReview\", }"),
            Fault::WrongUid => self.review(json!({"uid": "another"})),
            Fault::WrongVersion => {
                ok(json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v9", "response": {"uid": UID}}))
            }
            Fault::WrongPatchType => self.review(json!({"patch": patch("/data/cell"), "patchType": "Guess"})),
            Fault::InvalidPatch => self.review(json!({"patch": patch("/nowhere/cell"), "patchType": "JSONPatch"})),
            Fault::IdleReset => match right() {
                Act::Reply(_, _, body) => Act::Answered(body),
                act => act,
            },
            Fault::Dies => Act::Close,
            _ => right(),
        }]
    }

    /// A review that allows; a mutating webhook's patches. What is given stands in its response instead.
    fn review(&self, members: Json) -> Act {
        if self.version == Version::V1Alpha1 {
            return ok(
                json!({"kind": "AdmissionReview", "apiVersion": "admission.k8s.io/v1alpha1", "status": {"allowed": true}}),
            );
        }
        let mut response = json!({"uid": UID, "allowed": true});
        let patches = self.kind == Kind::Mutating && matches!(self.fault, Fault::Up | Fault::IdleReset);
        if patches {
            response["patch"] = patch("/data/cell").into();
            response["patchType"] = "JSONPatch".into();
        }
        response.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
        let version = format!("admission.k8s.io/{}", self.version.name());
        ok(json!({"kind": "AdmissionReview", "apiVersion": version, "response": response}))
    }
}

fn patch(path: &str) -> String {
    STANDARD.encode(json!([{"op": "add", "path": path, "value": "changed"}]).to_string())
}
