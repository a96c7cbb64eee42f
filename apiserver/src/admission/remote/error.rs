//! Why configurations are not there to judge by, and what a write is told then. Source of the texts: `apiserver`
//! `pkg/admission/plugin/initialization` and `pkg/admission/plugin/webhook`, 1.7 and 1.8.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use crate::admission::outbound::GetError;
use crate::admission::{initializers, webhook};
use crate::resources::Resource;
use crate::status::{Cause, Details, Reason, Status};

/// Why a read failed. What it says is shown to whoever writes, so nothing of an answer's body is in it.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// Something was not got.
    #[error(transparent)]
    Get(#[from] GetError),
    /// No JSON, or not of the form that it must have.
    #[error("GET {path}: the answer cannot be read, line {} column {}", source.line(), source.column())]
    Unreadable {
        /// The path of the request, without the server.
        path: String,
        /// Why, with what was found instead.
        source: serde_json::Error,
    },
    /// A 200 with something else.
    #[error("GET {path}: {why}")]
    Unexpected {
        /// The path of the request, without the server.
        path: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// All of it took too long.
    #[error("no answer within {0:?}")]
    Late(Duration),
    /// A configuration of webhooks.
    #[error("a webhook configuration cannot be read")]
    Webhooks(#[source] webhook::LoadError),
    /// A configuration of initializers.
    #[error("an initializer configuration cannot be read")]
    Initializers(#[source] initializers::LoadError),
    /// Nobody knows: a defect, or the end of this server.
    #[error("the configurations were not made ready to judge by")]
    GivenUp(#[source] tokio::task::JoinError),
}

/// Nothing that was read is recent enough.
#[derive(Debug)]
pub struct NotFresh {
    /// Whether a read has ever succeeded.
    pub ever: bool,
    /// Why the last one failed, if it has.
    pub why: Option<Arc<RefreshError>>,
}

/// Who cannot judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Initializers, which are for what is created.
    Initializers,
    /// Webhooks of all kinds.
    Webhooks,
}

impl RefreshError {
    /// What only the log may tell, such as the other server's words; in at most 300 characters.
    pub fn detail(&self) -> String {
        const MOST: usize = 300;
        let told = match self {
            Self::Get(GetError::Answered { message, .. }) => message.clone(),
            error => error.source().map(ToString::to_string).unwrap_or_default(),
        };
        told.chars().take(MOST).collect()
    }
}

/// Reason and message of the cause where initializers could not be read again.
pub const INITIALIZERS_FAILED: (&str, &str) = (
    "InitializerConfigurationFailure",
    "An error has occurred while refreshing the initializer configuration, no resources can be created until a refresh succeeds.",
);

impl std::fmt::Display for NotFresh {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (&self.why, self.ever) {
            (Some(why), _) => write!(out, "{why}"),
            (None, true) => out.write_str("the last read is too old"),
            (None, false) => out.write_str("not read yet"),
        }
    }
}

impl Error for NotFresh {}

impl NotFresh {
    /// The refusal of a write.
    pub fn refusal(&self, stage: Stage, resource: &Resource) -> Status {
        let (message, cause) = match (stage, self.ever) {
            (Stage::Initializers, false) => (
                "Waiting for initialization configuration to load",
                ("InitializerConfigurationPending", "The server is waiting for the initializer configuration to be loaded."),
            ),
            (Stage::Initializers, true) => ("Unable to refresh the initializer configuration", INITIALIZERS_FAILED),
            (Stage::Webhooks, false) => (
                "Waiting for webhook configuration to load",
                ("WebhookConfigurationPending", "The server is waiting for the webhook configuration to be loaded."),
            ),
            (Stage::Webhooks, true) => (
                "Unable to refresh the webhook configuration",
                (
                    "WebhookConfigurationFailure",
                    "An error has occurred while refreshing the webhook configuration, no resources can be \
                     created/updated/deleted/connected until a refresh succeeds.",
                ),
            ),
        };
        loading(format!("{message}: {self}"), cause, resource)
    }
}

/// A 500 of the reason `LoadingConfiguration` that asks to come again in a second, with one cause: its reason and its message.
pub fn loading(message: String, (reason, cause): (&str, &str), resource: &Resource) -> Status {
    let details = Details { kind: resource.plural.clone(), group: resource.group.clone(), ..Details::default() };
    let cause = Cause { reason: reason.into(), message: cause.into(), field: String::new() };
    let status = Status::new(500, Reason::Other("LoadingConfiguration".into()), message);
    status.with_details(details).retry_after(1).with_cause(cause)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::admission::testing::resource;

    #[test]
    fn a_refusal_says_which_stage_waits_for_what_and_nothing_of_a_body() {
        let row = resource("apps", "v1", "ReplicaSet", "replicasets");
        let error = GetError::Answered { path: "apis".into(), code: 403, message: "geheim".into() };
        let (none, some) = (None, Some(Arc::new(RefreshError::from(error))));
        let answered = "GET apis: the API server answered 403";
        let table = [
            (Stage::Initializers, false, &none, "Waiting for initialization", "not read yet", "InitializerConfigurationPending"),
            (Stage::Initializers, true, &some, "Unable to refresh the initializer", answered, "InitializerConfigurationFailure"),
            (Stage::Webhooks, false, &some, "Waiting for webhook", answered, "WebhookConfigurationPending"),
            (
                Stage::Webhooks,
                true,
                &none,
                "Unable to refresh the webhook",
                "the last read is too old",
                "WebhookConfigurationFailure",
            ),
        ];
        for (stage, ever, why, begin, end, reason) in table {
            let status = NotFresh { ever, why: why.clone() }.refusal(stage, &row);
            let details = status.details.unwrap();
            assert!(
                status.code == 500 && status.message.starts_with(begin) && status.message.ends_with(end),
                "{}",
                status.message
            );
            assert_eq!((details.causes[0].reason.as_str(), details.retry_after_seconds), (reason, Some(1)));
        }
        assert_eq!(some.unwrap().detail(), "geheim");
    }
}
