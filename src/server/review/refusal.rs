//! What is answered to a review that is not decided: a verdict where its uid is known, else an HTTP error.

use actix_web::HttpResponse;
use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderValue};
use plimsoll_contract::version::ResourceVersion;
use serde_json::Value as Json;

use super::judge::Undecided;
use super::start;
use super::verdict::{Denial, NotReady, Verdict};
use super::wire::{ReviewError, answer, status};
use crate::budget::BudgetError;
use crate::server::limits::{BodyError, Unread};
use crate::server::pool::PoolError;
use crate::server::respond;

/// Of the start of a body nothing behind this is looked at.
const START: usize = 16 << 10;
/// Kubernetes' names of 413 and 429.
const TOO_LARGE: &str = "RequestEntityTooLarge";
const TOO_MANY: &str = "TooManyRequests";

/// Why there is no verdict.
#[derive(Debug, thiserror::Error)]
pub(super) enum NoVerdict {
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Review(#[from] ReviewError),
    #[error("{0}")]
    Parameter(String),
    #[error(transparent)]
    NotReady(#[from] NotReady),
    /// Not the last word: it is asked again.
    #[error("version {0} of the fleet has not been seen yet")]
    Behind(ResourceVersion),
    /// Nor is this.
    #[error("this review takes longer")]
    Long,
    #[error("{0}")]
    Log(String),
}

impl From<Undecided> for NoVerdict {
    fn from(undecided: Undecided) -> Self {
        match undecided {
            Undecided::NotReady(not_ready) => Self::NotReady(not_ready),
            Undecided::Behind(version) => Self::Behind(version),
            Undecided::Long => Self::Long,
        }
    }
}

/// A refusal as a verdict: an HTTP error would open the side that may fail, and shows users of the other one a 500.
pub(super) fn refused(body: &[u8], denial: Denial) -> Result<Json, NoVerdict> {
    let (version, uid) = start::asked(body).ok_or(BodyError::Budget(BudgetError::Full))?;
    tracing::warn!(uid, code = denial.code, message = denial.message, "a review was refused");
    Ok(answer(version, &uid, &Verdict::denied(denial)))
}

/// Returns the refusal of a body that was not read to its end. Fails where it does not name its request, or breaks.
pub(super) fn of_body(Unread { error, start }: Unread) -> Result<Json, NoVerdict> {
    let denial = match &error {
        BodyError::TooLarge { .. } | BodyError::UnpackedTooLarge(_) => denied((413, TOO_LARGE), &error),
        BodyError::Budget(budget) => no_memory(*budget),
        BodyError::Slow | BodyError::Stopped | BodyError::Broken(_) => return Err(error.into()),
    };
    match start::asked(start.get(..START).unwrap_or(&start)) {
        Some((version, uid)) => Ok(answer(version, &uid, &Verdict::denied(denial))),
        None => Err(error.into()),
    }
}

/// Returns the denial for a request that there is no memory for.
pub(super) fn no_memory(error: BudgetError) -> Denial {
    match error {
        BudgetError::TooLarge { .. } => denied((413, TOO_LARGE), &error),
        BudgetError::Full => denied((429, TOO_MANY), &error),
    }
}

fn denied((code, reason): (u16, &'static str), why: &impl ToString) -> Denial {
    Denial { code, reason, message: why.to_string() }
}

/// A decision that had to be logged, and was not.
pub(super) fn not_logged(why: &str) -> Denial {
    denied((500, "InternalError"), &why)
}

/// Returns the denial for a request that a pool did not answer.
pub(super) fn of_pool(error: PoolError) -> Denial {
    let code = match error {
        PoolError::Overloaded | PoolError::Expired => (429, TOO_MANY),
        PoolError::Overrun | PoolError::Panicked => (500, "InternalError"),
    };
    denied(code, &error)
}

/// No verdict: an HTTP error with a Status, so that the caller's failurePolicy decides.
pub(super) fn unanswered(error: &NoVerdict) -> HttpResponse {
    let (code, reason) = match error {
        NoVerdict::Body(BodyError::TooLarge { .. } | BodyError::UnpackedTooLarge(_)) => {
            (StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE)
        }
        NoVerdict::Body(BodyError::Budget(BudgetError::TooLarge { .. })) => (StatusCode::PAYLOAD_TOO_LARGE, TOO_LARGE),
        NoVerdict::Body(BodyError::Budget(BudgetError::Full)) => (StatusCode::TOO_MANY_REQUESTS, TOO_MANY),
        NoVerdict::Body(BodyError::Slow) => (StatusCode::REQUEST_TIMEOUT, "Timeout"),
        NoVerdict::Body(BodyError::Broken(_) | BodyError::Stopped) | NoVerdict::Review(_) | NoVerdict::Parameter(_) => {
            (StatusCode::BAD_REQUEST, "BadRequest")
        }
        NoVerdict::NotReady(_) | NoVerdict::Behind(_) | NoVerdict::Long => {
            (StatusCode::SERVICE_UNAVAILABLE, "ServiceUnavailable")
        }
        NoVerdict::Log(_) => (StatusCode::INTERNAL_SERVER_ERROR, "InternalError"),
    };
    tracing::warn!(code = code.as_u16(), %error, "a review was not decided");
    let mut answer = respond::json(code, &status(code.as_u16(), reason, &error.to_string()), false);
    if code == StatusCode::TOO_MANY_REQUESTS {
        answer.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
    }
    answer
}
