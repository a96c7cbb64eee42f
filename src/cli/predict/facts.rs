//! Collects all facts before the prediction: the request, what is registered, and what the API server says about both.

use std::sync::Arc;

use anyhow::Context;
use plimsoll_apiserver::admission::{Attributes, Operation};
use plimsoll_apiserver::authn::User;
use plimsoll_apiserver::resources::Resource;
use plimsoll_sidecar::cluster::Fault;
use serde_json::Value as Json;

use super::Args;
use super::api::Server;
use super::given::Given;
use super::registered::Registered;
use super::request::{self, Asked};
use super::review::ReviewError;
use super::schema::{Schema, SchemaError};
use super::served::Served;
use super::{dry_run, review};

/// The facts that predictions are based on.
pub(super) struct Facts {
    pub(super) request: Attributes,
    pub(super) registered: Registered,
    /// Whether the API server is the embedded one of `plimsoll dev`.
    pub(super) is_embedded: bool,
    /// Whether the stored object was given as a file, in which fields may be missing.
    pub(super) old_is_written: bool,
    /// Ok if `request.user` is known from the API server; otherwise the user is at most the name of `--as`.
    pub(super) user: Result<(), ReviewError>,
    /// The Namespace whose labels a `namespaceSelector` is compared with.
    pub(super) namespace: Result<Json, NamespaceError>,
    /// The schema of the object's kind.
    pub(super) schema: Result<Schema, SchemaError>,
    /// The object that the server would store, as the dry run showed it; `None` without one.
    pub(super) stored: Option<Json>,
    /// Notes for people about facts that could not be read.
    pub(super) notes: Vec<String>,
}

/// Why a Namespace is not known.
#[derive(Debug, thiserror::Error)]
pub(super) enum NamespaceError {
    /// No Namespace has the name.
    #[error("there is no namespace `{0}`")]
    Absent(String),
    /// The API server refused it, or did not answer.
    #[error("the namespace `{name}` cannot be read: {source}")]
    Refused {
        /// Name of the Namespace.
        name: String,
        /// What the API server answered.
        source: Fault,
    },
}

impl Facts {
    /// Asks the API server for all facts. Fails when the object, its kind, or what is registered cannot be read.
    pub(super) async fn gather(server: &Server, args: &Args, given: Given) -> anyhow::Result<Self> {
        let Given { object, old, namespace: default } = given;
        let served = Served::ask(server).await?;
        let resource = served.kind_of(&object.object).with_context(|| object.place.clone())?;
        let registered = Registered::ask(server, &served).await?;
        let (operation, old_is_written) = (args.operation.done(), old.is_some());
        let object = request::completed(object.object, &resource, &default);
        let old = old.map(|old| request::completed(old.object, &resource, &default));
        let old = stored(server, operation, &resource, &object, old).await?;
        let answer = if args.dry_run {
            dry_run::ask(server, operation, &resource, &object, old.as_ref()).await.map(Some)
        } else {
            Ok(None)
        };
        let schema = Schema::ask(server, &resource).await;
        let user = review::who(server).await;
        let mut notes: Vec<String> =
            served.unread.iter().map(|unread| format!("its kinds could not be read: {unread}")).collect();
        let stored = answer.unwrap_or_else(|why| {
            notes.push(why.to_string());
            None
        });
        let named = User { name: args.user.clone().unwrap_or_default(), ..User::default() };
        let known = user.as_ref().ok().cloned().unwrap_or(named);
        let registry = Arc::clone(&served.registry);
        let request = request::attributes(Asked { operation, registry, resource, object, old, user: known });
        let namespace = namespace(server, &request).await;
        let (user, is_embedded) = (user.map(drop), served.is_embedded);
        Ok(Self { request, registered, is_embedded, old_is_written, user, namespace, schema, stored, notes })
    }
}

/// Returns the object as it is stored: that of `--old`, or else the API server's; `None` for a creation. Fails when the API server does
/// not have it.
async fn stored(
    server: &Server,
    operation: Operation,
    resource: &Resource,
    object: &Json,
    given: Option<Json>,
) -> anyhow::Result<Option<Json>> {
    if operation == Operation::Create {
        return Ok(None);
    }
    if given.is_some() {
        return Ok(given);
    }
    let path = request::path(resource, object);
    let stored = server.get(&path).await;
    Ok(Some(stored.with_context(|| format!("could not read {path} as it is stored: give it with --old"))?))
}

/// Returns the Namespace that a `namespaceSelector` applies to: the object's, or the object itself. Fails when there is none of this
/// name, or it cannot be read.
async fn namespace(server: &Server, request: &Attributes) -> Result<Json, NamespaceError> {
    let name = if request.is_about_namespace() { &request.name } else { &request.namespace };
    match server.get(&format!("/api/v1/namespaces/{name}")).await {
        Ok(namespace) => Ok(namespace),
        Err(Fault::Answered { code: 404, .. }) => Err(NamespaceError::Absent(name.clone())),
        Err(source) => Err(NamespaceError::Refused { name: name.clone(), source }),
    }
}
