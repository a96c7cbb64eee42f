//! Answers: the one place that turns errors into HTTP, in OPA's shape, and stamps answers with epoch and revision.

use std::fmt;
use std::time::Duration;

use actix_web::http::StatusCode;
use actix_web::http::header::{self, HeaderMap, HeaderName, HeaderValue};
use actix_web::{HttpResponse, HttpResponseBuilder, ResponseError};
use plimsoll_contract::policy::{Diagnostic, Location};
use plimsoll_contract::source::SourceAge;
use serde::Serialize;
use serde_json::Value as Json;

use crate::rego::EvalError;
use crate::server::pool::PoolError;
use crate::snapshot::store::SyncError;
use crate::snapshot::{BELIEVED_AFTER, ModuleError, QueryError, Snapshot, WithdrawError};
use crate::state::WriteError;

/// The code of what would be in the way of a bundle.
const OWNED: &str = "bundle_error";

/// The code of what takes too much of a fleet away.
const HELD_BACK: &str = "fleet_held_back";

/// Bytes of an answer for which there is room at first.
const TYPICAL: usize = 128;

/// The engine process that answered.
pub const EPOCH: HeaderName = HeaderName::from_static("plimsoll-epoch");
/// The snapshot that the answer was made on.
pub const REVISION: HeaderName = HeaderName::from_static("plimsoll-revision");
/// `name=seconds` of every source, `name=unknown` before it is loaded.
pub const SOURCE_AGES: HeaderName = HeaderName::from_static("plimsoll-source-ages");

/// An error as OPA writes it: `{"code","message","errors"?}`, indented.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ApiError {
    /// HTTP status.
    #[serde(skip)]
    pub status: StatusCode,
    /// OPA's code, such as `invalid_parameter`.
    pub code: &'static str,
    /// One sentence.
    pub message: String,
    /// Details with locations.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<ErrorDetail>,
}

/// One of an error's details.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ErrorDetail {
    /// OPA's code, such as `eval_conflict_error`.
    pub code: String,
    /// What is wrong.
    pub message: String,
    /// Where, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub location: Option<Location>,
    /// Of a parse error: the source line, the place in it, and notes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Json>,
}

impl ApiError {
    /// An error without details.
    pub fn new(status: StatusCode, code: &'static str, message: impl Into<String>) -> Self {
        Self { status, code, message: message.into(), errors: Vec::new() }
    }

    /// 400 `invalid_parameter`.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "invalid_parameter", message)
    }

    /// 404 `resource_not_found`.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, "resource_not_found", message)
    }

    /// 500 `internal_error`.
    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal_error", message)
    }

    /// 429: not now; `code` says why.
    pub fn too_many(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::TOO_MANY_REQUESTS, code, message)
    }

    /// 503; `code` says why.
    pub fn unavailable(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(StatusCode::SERVICE_UNAVAILABLE, code, message)
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl std::error::Error for ApiError {}

impl ResponseError for ApiError {
    fn status_code(&self) -> StatusCode {
        self.status
    }

    fn error_response(&self) -> HttpResponse {
        let mut response = HttpResponse::build(self.status);
        if matches!(self.status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS) {
            response.insert_header((header::RETRY_AFTER, "1"));
        }
        if self.code == HELD_BACK {
            response.insert_header((header::RETRY_AFTER, BELIEVED_AFTER.as_secs().to_string()));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            response.insert_header((header::WWW_AUTHENTICATE, "Bearer"));
        }
        encode(&mut response, self, true)
    }
}

/// Refuses what asks policies while some that this engine was started with have never been in force: OPA does not start with
/// those, and callers that look for a `deny` would find none.
pub fn loaded(snapshot: &Snapshot) -> Result<(), ApiError> {
    match snapshot.not_loaded.as_slice() {
        [] => Ok(()),
        reasons => Err(ApiError::internal(format!("not loaded: {}", reasons.join("; ")))),
    }
}

impl From<WriteError> for ApiError {
    fn from(error: WriteError) -> Self {
        let message = error.to_string();
        match error {
            WriteError::BelowScalar(_) => Self::new(StatusCode::NOT_FOUND, "resource_conflict", message),
            WriteError::NotFound(_) => Self::not_found(message),
            WriteError::Owned { .. } | WriteError::Invalid(_) => Self::invalid(message),
        }
    }
}

impl From<SyncError> for ApiError {
    fn from(error: SyncError) -> Self {
        let message = error.to_string();
        match error {
            SyncError::SessionEnded { .. } => Self::new(StatusCode::CONFLICT, "resource_conflict", message),
            SyncError::HeldBack(_) => Self::new(StatusCode::CONFLICT, HELD_BACK, message),
            SyncError::UnknownSource(_) => Self::not_found(message),
            SyncError::Invalid(_) => Self::invalid(message),
            SyncError::NoMemory { never: true, .. } => Self::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message),
            SyncError::NoMemory { never: false, .. } => Self::too_many("memory", message),
        }
    }
}

impl From<WithdrawError> for ApiError {
    fn from(error: WithdrawError) -> Self {
        match error {
            WithdrawError::Unknown(error) => error.into(),
            WithdrawError::Rejected(errors) => refused("error(s) occurred while compiling module(s)", errors),
        }
    }
}

impl From<PoolError> for ApiError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Overloaded => Self::too_many("overloaded", error.to_string()),
            PoolError::Expired => Self::unavailable("overloaded", error.to_string()),
            PoolError::Overrun => Self::unavailable("overrun", error.to_string()),
            PoolError::Panicked => Self::internal(error.to_string()),
        }
    }
}

impl From<EvalError> for ApiError {
    fn from(error: EvalError) -> Self {
        let placed = |code: &str, message: String, location: &str| ErrorDetail {
            code: code.into(),
            message,
            location: parse_location(location),
            details: None,
        };
        let detail = match error {
            EvalError::Conflict { location, message } => placed("eval_conflict_error", message, &location),
            EvalError::Builtin { code, location, message } => placed(code, message, &location),
            other => {
                ErrorDetail { code: "eval_internal_error".into(), message: other.to_string(), location: None, details: None }
            }
        };
        Self { errors: vec![detail], ..Self::internal("error(s) occurred while evaluating query") }
    }
}

impl From<Diagnostic> for ErrorDetail {
    fn from(d: Diagnostic) -> Self {
        let details = details(&d);
        Self { code: d.code, message: d.message, location: Some(d.location), details }
    }
}

impl From<ModuleError> for ApiError {
    fn from(error: ModuleError) -> Self {
        match error {
            ModuleError::Missing(_) => Self::not_found(error.to_string()),
            ModuleError::Elsewhere { .. } => Self::invalid(error.to_string()),
            // As OPA: whose path it is, and nothing of compiling.
            ModuleError::Rejected(errors) if errors.iter().any(|error| error.code == OWNED) => {
                let owned = errors.into_iter().find(|error| error.code == OWNED);
                Self::invalid(owned.map(|error| error.message).unwrap_or_default())
            }
            ModuleError::Rejected(errors) => refused("error(s) occurred while compiling module(s)", errors),
        }
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Parse(errors) => refused("error(s) occurred while parsing query", errors),
            QueryError::Compile(errors) => refused("error(s) occurred while compiling query", errors),
            QueryError::Eval(error) => error.into(),
        }
    }
}

fn refused(message: &str, errors: Vec<Diagnostic>) -> ApiError {
    ApiError { errors: errors.into_iter().map(ErrorDetail::from).collect(), ..ApiError::invalid(message) }
}

/// The source line and the place in it, which OPA gives for parse errors only; what is known beside.
fn details(d: &Diagnostic) -> Option<Json> {
    let (line, notes) = d.details.split_first()?;
    let mut details = serde_json::Map::new();
    if let Some(idx) = d.idx {
        details.insert("line".into(), line.as_str().into());
        details.insert("idx".into(), idx.into());
    }
    if !notes.is_empty() {
        details.insert("notes".into(), notes.into());
    }
    (!details.is_empty()).then_some(Json::Object(details))
}

/// `file:row:col`, where the file may hold colons.
fn parse_location(text: &str) -> Option<Location> {
    let mut parts = text.rsplitn(3, ':');
    let col = parts.next()?.parse().ok()?;
    let row = parts.next()?.parse().ok()?;
    Some(Location { file: parts.next()?.to_owned(), row, col })
}

/// A JSON body as OPA writes it: newline-terminated, indented when asked.
pub fn json(status: StatusCode, body: &impl Serialize, pretty: bool) -> HttpResponse {
    encode(&mut HttpResponse::build(status), body, pretty)
}

/// For timers.
pub fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn encode(response: &mut HttpResponseBuilder, body: &impl Serialize, pretty: bool) -> HttpResponse {
    response.content_type("application/json");
    match encoded(body, pretty) {
        Ok(text) => response.body(text),
        Err(error) => {
            tracing::error!(%error, "an answer could not be encoded");
            response.status(StatusCode::INTERNAL_SERVER_ERROR).finish()
        }
    }
}

/// The bytes of a JSON body.
pub fn encoded(body: &impl Serialize, pretty: bool) -> Result<Vec<u8>, serde_json::Error> {
    encoded_of(body, pretty, TYPICAL)
}

/// [`encoded`], of a body that has about so many bytes.
pub fn encoded_of(body: &impl Serialize, pretty: bool, about: usize) -> Result<Vec<u8>, serde_json::Error> {
    let mut text = Vec::with_capacity(about);
    if pretty {
        serde_json::to_writer_pretty(&mut text, body)?;
    } else {
        serde_json::to_writer(&mut text, body)?;
    }
    text.push(b'\n');
    Ok(text)
}

/// Says which snapshot an answer was made on; a stamp that is already there stays.
pub fn stamp(headers: &mut HeaderMap, epoch: &str, revision: u64, ages: &[SourceAge]) {
    if headers.contains_key(&REVISION) {
        return;
    }
    headers.insert(REVISION, HeaderValue::from(revision));
    if let Ok(epoch) = HeaderValue::from_str(epoch) {
        headers.insert(EPOCH, epoch);
    }
    if !ages.is_empty()
        && let Ok(ages) = HeaderValue::from_str(&ages_text(ages))
    {
        headers.insert(SOURCE_AGES, ages);
    }
}

/// [`stamp`] with a snapshot's facts.
pub fn stamped(mut response: HttpResponse, snapshot: &Snapshot, ages: &[SourceAge]) -> HttpResponse {
    stamp(response.headers_mut(), &snapshot.epoch, snapshot.revision, ages);
    response
}

fn ages_text(ages: &[SourceAge]) -> String {
    let one = |age: &SourceAge| match age.age_seconds {
        Some(seconds) => format!("{}={seconds:.3}", age.name),
        None => format!("{}=unknown", age.name),
    };
    ages.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_have_opas_status_and_code() {
        let table: [(ApiError, u16, &str); 10] = [
            (WriteError::BelowScalar("/a/b".into()).into(), 404, "resource_conflict"),
            (WriteError::NotFound("/a".into()).into(), 404, "resource_not_found"),
            (WriteError::Invalid("x".into()).into(), 400, "invalid_parameter"),
            (SyncError::HeldBack("x".into()).into(), 409, "fleet_held_back"),
            (SyncError::UnknownSource("s".into()).into(), 404, "resource_not_found"),
            (SyncError::SessionEnded { source_name: "s".into(), session: "1".into() }.into(), 409, "resource_conflict"),
            (PoolError::Overloaded.into(), 429, "overloaded"),
            (PoolError::Expired.into(), 503, "overloaded"),
            (PoolError::Overrun.into(), 503, "overrun"),
            (PoolError::Panicked.into(), 500, "internal_error"),
        ];
        for (error, status, code) in table {
            assert_eq!((error.status.as_u16(), error.code), (status, code), "{error}");
        }
    }

    #[test]
    fn a_conflict_keeps_its_location() {
        let error: ApiError = EvalError::Conflict { location: "ns/c:m/a.rego:3:7".into(), message: "m".into() }.into();
        let location = error.errors[0].location.clone().unwrap();
        assert_eq!((location.file.as_str(), location.row, location.col), ("ns/c:m/a.rego", 3, 7));
        assert_eq!(error.message, "error(s) occurred while evaluating query");
    }

    #[test]
    fn ages_are_readable_and_say_unknown() {
        let ages =
            [SourceAge { name: "fleet".into(), age_seconds: Some(0.25) }, SourceAge { name: "other".into(), age_seconds: None }];
        assert_eq!(ages_text(&ages), "fleet=0.250, other=unknown");
    }

    #[test]
    fn the_first_stamp_stays() {
        let mut headers = HeaderMap::new();
        stamp(&mut headers, "e", 3, &[]);
        stamp(&mut headers, "e", 4, &[]);
        assert_eq!(headers.get(&REVISION).unwrap(), "3");
        assert_eq!(headers.get(&EPOCH).unwrap(), "e");
    }
}
