//! Why a patch was refused, and what the client is told. Sources: `apiserver` `pkg/endpoints/handlers/patch.go` and
//! `responsewriters/status.go`; the texts that clients see are upstream's.

use super::fields::{Conflicts, TypedPatchError};
use crate::status::{Details, Reason, Status};

/// Why a patch was refused.
#[derive(Debug, thiserror::Error)]
pub enum PatchError {
    /// The body is not JSON of the right shape.
    #[error("error decoding patch: {0}")]
    Undecodable(#[source] serde_json::Error),
    /// The patch breaks a rule of its format.
    #[error("{0}")]
    Malformed(String),
    /// The patch costs too much.
    #[error("{0}")]
    TooLarge(String),
    /// The patch does not fit this object.
    #[error("{0}")]
    Unfit(String),
    /// Others own the fields.
    #[error("{0}")]
    Conflicts(Conflicts),
    /// The configuration that is applied is not of the schema. Upstream answers it as [`PatchError::Failed`].
    #[error("failed to create typed patch object ({object}): {source}")]
    Untyped {
        /// The object, as `namespace/name; group/version, Kind=Kind`.
        object: String,
        /// The fields that do not fit the schema.
        source: TypedPatchError,
    },
    /// What upstream answers with a bare error: 500 without a reason, although it is the client's fault.
    #[error("{0}")]
    Failed(String),
}

impl From<PatchError> for Status {
    fn from(error: PatchError) -> Self {
        let message = error.to_string();
        match error {
            PatchError::Undecodable(_) | PatchError::Malformed(_) => Self::bad_request(message),
            PatchError::TooLarge(_) => Self::too_large(message),
            // Upstream keeps the particulars from the client here, and kubectl's text would change with them.
            PatchError::Unfit(_) => {
                Self::new(422, Reason::Invalid, "the server rejected our request due to an error in our request")
                    .with_details(Details::default())
            }
            PatchError::Conflicts(conflicts) => Self::apply_conflict(message, conflicts.causes()),
            PatchError::Failed(_) | PatchError::Untyped { .. } => Self::new(500, Reason::Unknown, message),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_upstreams_code_and_reason() {
        let table = [
            (PatchError::Malformed("bad".into()), 400, Reason::BadRequest, "bad"),
            (PatchError::TooLarge("much".into()), 413, Reason::RequestEntityTooLarge, "Request entity too large: much"),
            (
                PatchError::Unfit("testing value /a failed: test failed".into()),
                422,
                Reason::Invalid,
                "the server rejected our request due to an error in our request",
            ),
            (PatchError::Failed("no".into()), 500, Reason::Unknown, "no"),
        ];
        for (error, code, reason, message) in table {
            let status = Status::from(error);
            assert_eq!((status.code, status.reason, status.message.as_str()), (code, reason, message));
        }
    }
}
