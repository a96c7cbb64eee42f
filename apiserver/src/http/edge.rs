//! What happens to every request, whatever it asks for. Nothing leaves here that is not an answer: a panic costs one
//! request, a late one is given up.

use std::panic::AssertUnwindSafe;
use std::time::{Duration, Instant};

use actix_web::http::Method;
use actix_web::http::header::{self, HeaderName, HeaderValue};
use actix_web::web::{Data, Payload};
use actix_web::{HttpRequest, HttpResponse};
use futures::FutureExt;
use tokio::time::timeout_at;
use uuid::Uuid;

use super::info::{Info, Target, Verb};
use super::listen::Peer;
use super::query::Query;
use super::{audited, dispatch, paths, respond};
use crate::audit::Trail;
use crate::authn::User;
use crate::authz::{Access, Impersonation, What};
use crate::metrics::Label;
use crate::server::{ApiServer, Ticket};
use crate::status::Status;

/// For a request that may change something, as upstream.
const MUTATING: Duration = Duration::from_secs(34);
/// For every other one, but watches.
const READING: Duration = Duration::from_secs(60);

const AUDIT_ID: HeaderName = HeaderName::from_static("audit-id");

/// A request whose caller is known.
pub struct Request {
    /// The shared parts.
    pub server: Data<ApiServer>,
    /// As it came.
    pub http: HttpRequest,
    /// Who asks.
    pub user: User,
    /// The part after `?`.
    pub query: Query,
    /// The answer must be there by then.
    pub deadline: Instant,
    /// Its place among those in flight; who only waits gives it up.
    pub ticket: Option<Ticket>,
    /// For the audit log.
    pub trail: Trail,
}

impl Request {
    /// A header as text; empty if it is not there.
    pub fn header(&self, name: HeaderName) -> &str {
        self.http.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// What is known of a request when it ends.
struct Course {
    label: Label,
    trail: Trail,
    /// The answer must be there by then.
    deadline: Instant,
    /// Whether it is answered before its line is in the audit log.
    is_probe: bool,
}

/// Answers every request.
pub async fn handle(server: Data<ApiServer>, http: HttpRequest, payload: Payload) -> HttpResponse {
    let (started, method) = (Instant::now(), http.method().clone());
    let audit = audit_id(&http);
    let trail = if server.audit.is_some() { Trail::kept() } else { Trail::default() };
    let entry = server.audit.is_some().then(|| audited::Entry::new(&server, &trail, &http, &audit));
    let mut course = Course { label: Label::default(), trail, deadline: started + READING, is_probe: false };
    let answer = AssertUnwindSafe(route(&server, http, payload, &mut course)).catch_unwind().await;
    let panicked = answer.is_err();
    let mut response = answered(answer, &method);
    if let Some(receipt) = entry.and_then(|entry| entry.answered(&response, panicked))
        && !course.is_probe
        && timeout_at(course.deadline.into(), receipt.settled()).await.is_err()
    {
        // As upstream, whose log holds up the answer until the request is late.
        response = respond::status(&Status::deadline());
    }
    let headers = response.headers_mut();
    headers.insert(AUDIT_ID, audit);
    if !headers.contains_key(header::CACHE_CONTROL) {
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache, private"));
    }
    server.metrics.answered(&course.label, response.status().as_u16(), started.elapsed());
    response
}

/// What is answered, whatever came of it.
fn answered(answer: std::thread::Result<Result<HttpResponse, Status>>, method: &Method) -> HttpResponse {
    match answer {
        Ok(Ok(response)) => response,
        Ok(Err(status)) => respond::status(&status),
        Err(_) => {
            tracing::error!(method = method.as_str(), "a request ended in a panic: this is a defect of plimsoll");
            respond::status(&Status::internal("the request ended unexpectedly, the log has the details"))
        }
    }
}

/// The caller's own, so that it finds its request in logs, or a new one.
fn audit_id(http: &HttpRequest) -> HeaderValue {
    let own = http.headers().get(AUDIT_ID).filter(|value| (1..=64).contains(&value.len()) && value.to_str().is_ok());
    let fresh = || HeaderValue::from_str(&Uuid::new_v4().to_string()).unwrap_or(HeaderValue::from_static("none"));
    own.cloned().unwrap_or_else(fresh)
}

async fn route(
    server: &Data<ApiServer>,
    http: HttpRequest,
    payload: Payload,
    course: &mut Course,
) -> Result<HttpResponse, Status> {
    let target = Target::read(http.uri().path());
    audited::begin(&course.trail, &http, target.as_ref().ok());
    let target = target?;
    let user = caller(server, &http, &target, &course.trail)?;
    let query = Query::read(http.query_string())?;
    match target {
        Target::Path(path) => {
            let verb = http.method().as_str().to_ascii_lowercase();
            let what = What::Path { verb: &verb, path: &path };
            course.is_probe = audited::is_probe(&path);
            authorize(server, &user, &what, &course.trail)?;
            let ticket = Some(server.in_flight.enter(false, user.is_master())?);
            let (deadline, trail) = (course.deadline, course.trail.clone());
            let request = Request { server: server.clone(), http, user, query, deadline, ticket, trail };
            paths::answer(&request, &path).await
        }
        Target::Resource(info) => resource(server, http, payload, (info, user, query), course).await,
    }
}

async fn resource(
    server: &Data<ApiServer>,
    http: HttpRequest,
    payload: Payload,
    (mut info, user, query): (Info, User, Query),
    course: &mut Course,
) -> Result<HttpResponse, Status> {
    let verb =
        Verb::of(http.method().as_str(), !info.name.is_empty(), query.flag("watch")).ok_or_else(Status::method_not_allowed)?;
    let known = server.registry.load().find(&info.group, &info.version, &info.resource);
    course.label = Label::of(verb.name(), known.as_deref(), &info.subresource);
    if matches!(verb, Verb::List | Verb::Watch)
        && info.name.is_empty()
        && let Some(name) = single_name(&query)
    {
        info.name = name;
    }
    audited::asks(&course.trail, verb, &info);
    authorize(server, &user, &access(verb, &info), &course.trail)?;
    let ticket = match verb {
        Verb::Watch => None,
        verb => Some(server.in_flight.enter(verb.mutates(), user.is_master())?),
    };
    let deadline = Instant::now() + limit(verb, &query)?;
    course.deadline = deadline;
    let request = Request { server: server.clone(), http, user, query, deadline, ticket, trail: course.trail.clone() };
    let answer = dispatch::answer(request, payload, verb, info);
    timeout_at(deadline.into(), answer).await.unwrap_or_else(|_| Err(Status::deadline()))
}

/// A list of one name is authorized as that name. Source: upstream's request info.
fn single_name(query: &Query) -> Option<String> {
    let selector = query.get("fieldSelector")?;
    let name = selector.split(',').find_map(|part| part.strip_prefix("metadata.name="))?;
    let name = name.strip_prefix('=').unwrap_or(name);
    let plain = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.:".contains(c));
    plain.then(|| name.to_owned())
}

fn caller(server: &ApiServer, http: &HttpRequest, target: &Target, trail: &Trail) -> Result<User, Status> {
    let path = match target {
        Target::Path(path) => path.as_str(),
        Target::Resource(_) => "",
    };
    let header = http.headers().get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    let bearer = header.and_then(|value| value.strip_prefix("Bearer ")).map(str::trim);
    let certificate = http.conn_data::<Peer>().and_then(|peer| peer.certificate.as_deref());
    let user = server.authenticator.authenticate(path, bearer, certificate)?;
    trail.note(|subject| subject.user = Some(user.clone()));
    let headers = http.headers().iter().filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
    match Impersonation::read(headers)? {
        Some(impersonation) => {
            let acting = impersonation.apply(&server.authorizer.policy(), &user)?;
            trail.note(|subject| subject.impersonated = Some(acting.clone()));
            Ok(acting)
        }
        None => Ok(user),
    }
}

fn access(verb: Verb, info: &Info) -> What<'_> {
    What::Resource(Access {
        verb: verb.name(),
        group: &info.group,
        resource: &info.resource,
        subresource: &info.subresource,
        namespace: &info.namespace,
        name: &info.name,
    })
}

/// Fails when the user may not do it; notes which.
fn authorize(server: &ApiServer, user: &User, what: &What<'_>, trail: &Trail) -> Result<(), Status> {
    let allowed = server.authorizer.authorize(user, what).or_forbidden(user, what);
    trail.annotate("authorization.k8s.io/decision", if allowed.is_ok() { "allow" } else { "forbid" });
    allowed
}

fn limit(verb: Verb, query: &Query) -> Result<Duration, Status> {
    let most = if verb.mutates() { MUTATING } else { READING };
    let asked = query.timeout()?.filter(|asked| !asked.is_zero());
    Ok(asked.map_or(most, |asked| asked.min(most)))
}
