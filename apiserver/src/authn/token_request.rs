//! Tokens on request, for a ServiceAccount and for a time. Source: `kubernetes`
//! `pkg/registry/core/serviceaccount/storage/token.go`.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use time::format_description::well_known::Rfc3339;
use time::{Duration, OffsetDateTime};
use uuid::Uuid;

use super::authenticator::uid;
use super::service_account::{Binding, Claims, ISSUER, Reference, TokenKey};
use super::user::service_account_name;
use crate::status::{Details, FieldError, Reason, Status};
use crate::storage::{Key, Snapshot};

const GROUP: &str = "authentication.k8s.io";
const HOUR: i64 = 3600;
const SHORTEST: i64 = 600;
const LONGEST: i64 = 1 << 32;

/// What a token is asked for.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Spec {
    audiences: Option<Vec<String>>,
    expiration_seconds: Option<i64>,
    bound_object_ref: Option<Bound>,
}

/// The object whose end is the token's end.
#[derive(Debug, Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Bound {
    api_version: String,
    kind: String,
    name: String,
    uid: String,
}

/// A ServiceAccount by namespace and name.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// Its namespace.
    pub namespace: &'a str,
    /// Its name.
    pub name: &'a str,
}

/// Answers a `TokenRequest` for an account in `objects`, at `now`.
pub fn grant(
    key: &TokenKey,
    objects: &Snapshot,
    account: Account<'_>,
    request: &Json,
    now: OffsetDateTime,
) -> Result<Json, Status> {
    let text = |pointer: &str| request.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
    check_identity(account, text("/metadata/name"), text("/metadata/namespace"))?;
    let find = |plural: &str, name: &str| find(objects, plural, account.namespace, name);
    let own = find("serviceaccounts", account.name)?;
    if !["", own.uid.as_str()].contains(&text("/metadata/uid")) {
        let why = "the UID in the token request";
        let owner = "the UID of the service account";
        return Err(conflict(
            "TokenRequest",
            account.name,
            &format!("{why} ({}) does not match {owner} ({})", text("/metadata/uid"), own.uid),
        ));
    }
    let spec: Spec = match request.get("spec") {
        None | Some(Json::Null) => Spec::default(),
        Some(spec) => Spec::deserialize(spec).map_err(|error| Status::bad_request(format!("spec: {error}")))?,
    };
    let life = life(spec.expiration_seconds)?;
    let audiences = spec.audiences.filter(|audiences| !audiences.is_empty()).unwrap_or_else(|| vec![ISSUER.to_owned()]);
    let mut binding = Binding { namespace: account.namespace.into(), serviceaccount: own.clone(), ..Binding::default() };
    match spec.bound_object_ref.as_ref().map(|bound| (bound, bound.api_version.as_str(), bound.kind.as_str())) {
        None => (),
        Some((bound, "v1", "Pod")) => binding.pod = Some(same(find("pods", &bound.name)?, bound)?),
        Some((bound, "v1", "Secret")) => binding.secret = Some(same(find("secrets", &bound.name)?, bound)?),
        Some((_, version, kind)) => {
            let version = if version == "v1" { "/v1" } else { version };
            return Err(Status::bad_request(format!("cannot bind token to object of type {version}, Kind={kind}")));
        }
    }
    if let Some(pod) = &binding.pod {
        check_pod(objects, account, pod)?;
    }
    let claims = claims(account, binding, audiences, (now, life));
    let token = key.sign(&claims).map_err(Status::internal)?;
    Ok(answer(&claims, &token, request, (now, life)))
}

fn check_identity(account: Account<'_>, name: &str, namespace: &str) -> Result<(), Status> {
    if !["", account.name].contains(&name) {
        let error = FieldError::invalid("metadata.name", name, "must match the service account name if specified");
        return Err(Status::invalid_kind(GROUP, "TokenRequest", account.name, &[error]));
    }
    if !["", account.namespace].contains(&namespace) {
        return Err(Status::bad_request("the namespace of the provided object does not match the namespace sent on the request"));
    }
    Ok(())
}

fn life(asked: Option<i64>) -> Result<i64, Status> {
    let seconds = asked.unwrap_or(HOUR);
    let detail = match seconds {
        seconds if seconds < SHORTEST => "may not specify a duration less than 10 minutes",
        seconds if seconds > LONGEST => "may not specify a duration larger than 2^32 seconds",
        seconds => return Ok(seconds),
    };
    let error = FieldError::invalid("spec.expirationSeconds", seconds, detail);
    Err(Status::invalid_kind(GROUP, "TokenRequest", "", &[error]))
}

fn find(objects: &Snapshot, plural: &str, namespace: &str, name: &str) -> Result<Reference, Status> {
    let stored = objects.get(&key(plural, namespace, name)).filter(|record| !record.uninitialized);
    let found = stored.and_then(|record| uid(&record.value));
    let details = || Details { name: name.into(), kind: plural.into(), ..Details::default() };
    let missing = || Status::new(404, Reason::NotFound, format!("{plural} {name:?} not found")).with_details(details());
    found.map(|uid| Reference { name: name.into(), uid }).ok_or_else(missing)
}

fn key(plural: &str, namespace: &str, name: &str) -> Key {
    Key { collection: format!("core/{plural}").into(), namespace: namespace.into(), name: name.into() }
}

/// The object found, unless another one was meant.
fn same(found: Reference, bound: &Bound) -> Result<Reference, Status> {
    if bound.uid.is_empty() || bound.uid == found.uid {
        return Ok(found);
    }
    let why = "the UID in the bound object reference";
    let rest = "does not match the UID in record. The object might have been deleted and then recreated";
    Err(conflict(&bound.kind, &bound.name, &format!("{why} ({}) {rest}", bound.uid)))
}

fn check_pod(objects: &Snapshot, account: Account<'_>, pod: &Reference) -> Result<(), Status> {
    let record = objects.get(&key("pods", account.namespace, &pod.name));
    let object: Json = record.and_then(|record| serde_json::from_slice(&record.value).ok()).unwrap_or_default();
    let runs_as = object.pointer("/spec/serviceAccountName").and_then(Json::as_str);
    if runs_as == Some(account.name) {
        return Ok(());
    }
    let message =
        format!("cannot bind token for serviceaccount {:?} to pod running with different serviceaccount name.", account.name);
    Err(Status::bad_request(message))
}

fn conflict(kind: &str, name: &str, why: &str) -> Status {
    let kind_and_group = if kind == "TokenRequest" { format!("{kind}.{GROUP}") } else { kind.to_owned() };
    let group = if kind == "TokenRequest" { GROUP } else { "" };
    let details = Details { name: name.into(), group: group.into(), kind: kind.into(), ..Details::default() };
    let message = format!("Operation cannot be fulfilled on {kind_and_group} {name:?}: {why}");
    Status::new(409, Reason::Conflict, message).with_details(details)
}

fn claims(account: Account<'_>, binding: Binding, aud: Vec<String>, (now, life): (OffsetDateTime, i64)) -> Claims {
    let iat = now.unix_timestamp();
    Claims {
        aud,
        exp: iat.saturating_add(life),
        iat,
        iss: ISSUER.into(),
        jti: Uuid::new_v4().to_string(),
        sub: service_account_name(account.namespace, account.name),
        binding,
        nbf: iat,
    }
}

fn answer(claims: &Claims, token: &str, request: &Json, (now, life): (OffsetDateTime, i64)) -> Json {
    let Binding { namespace, serviceaccount, .. } = &claims.binding;
    let stamp = |time: OffsetDateTime| time.replace_nanosecond(0).unwrap_or(time).format(&Rfc3339).unwrap_or_default();
    let bound = request.pointer("/spec/boundObjectRef").cloned().unwrap_or_default();
    json!({
        "kind": "TokenRequest",
        "apiVersion": format!("{GROUP}/v1"),
        "metadata": {
            "name": serviceaccount.name, "namespace": namespace, "uid": serviceaccount.uid, "creationTimestamp": stamp(now),
        },
        "spec": { "audiences": claims.aud, "expirationSeconds": life, "boundObjectRef": bound },
        "status": { "token": token, "expirationTimestamp": stamp(now.saturating_add(Duration::seconds(life))) },
    })
}

#[cfg(test)]
mod tests;
