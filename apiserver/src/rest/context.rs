//! What the verbs work with: one write or read by one caller, whether it came over HTTP or from a controller of ours.

mod version;

use std::cell::{OnceCell, RefCell};
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;

use crate::admission::{Attributes, InForce, Operation, Reinvocation};
use crate::audit::Trail;
use crate::authn::User;
use crate::resources::{FieldValidation, Registry, Resource};
use crate::server::ApiServer;
use crate::status::Status;
use crate::storage::{Key, Record, Snapshot, WriteError};

/// Annotation of the audit log: the revision of what was stored when admission began, so of the configurations in force.
const SNAPSHOT: &str = "admission.plimsoll.io/snapshot-revision";
/// The same of another API server, where that has the configurations: its resourceVersion.
const REMOTE: &str = "admission.plimsoll.io/remote-configuration-revision";
/// For what our own controllers do.
const INTERNAL: Duration = Duration::from_secs(30);

/// One call.
pub struct Context {
    /// Everything that is shared.
    pub server: Arc<ApiServer>,
    /// The table of kinds as it was when the call began.
    pub registry: Arc<Registry>,
    /// In the version of the request.
    pub resource: Arc<Resource>,
    /// Empty for the object itself.
    pub subresource: String,
    /// Empty for what has no namespace, and for all namespaces.
    pub namespace: String,
    /// Empty for the collection, and where a create has not named its object yet.
    pub name: String,
    /// One of many in a deletecollection: admission is not told its name, as upstream.
    pub in_collection: bool,
    /// Who asks.
    pub user: User,
    /// Who is noted as the owner of changed fields.
    pub manager: String,
    /// What is done about unknown fields.
    pub validation: FieldValidation,
    /// Nothing is stored.
    pub dry_run: bool,
    /// Objects that are not initialized are seen too.
    pub sees_uninitialized: bool,
    /// The answer must be there by then.
    pub deadline: Instant,
    /// `dryRun`, `fieldManager` and such, as the caller gave them; null where nobody gave any.
    pub options: Json,
    /// For the user.
    pub warnings: RefCell<Vec<String>>,
    /// For the audit log.
    pub trail: Trail,
    /// What was in force when admission began.
    pub configuration: OnceCell<InForce>,
}

/// An object on its way out.
#[derive(Clone, Debug)]
pub enum Object {
    /// As it is stored.
    Stored(Arc<Record>),
    /// In the version of the request.
    Built(Json),
}

impl Context {
    /// A context for our own controllers: everything is allowed, admission sees it.
    pub fn internal(server: &Arc<ApiServer>, resource: &Arc<Resource>, user: User) -> Self {
        Self {
            server: Arc::clone(server),
            registry: server.registry.load(),
            resource: Arc::clone(resource),
            subresource: String::new(),
            namespace: String::new(),
            name: String::new(),
            in_collection: false,
            manager: user.name.clone(),
            user,
            validation: FieldValidation::Ignore,
            dry_run: false,
            sees_uninitialized: true,
            deadline: Instant::now() + INTERNAL,
            options: Json::Null,
            warnings: RefCell::default(),
            trail: Trail::default(),
            configuration: OnceCell::new(),
        }
    }

    /// The same call, about one object of the collection.
    pub fn of_object(&self, key: &Key) -> Self {
        Self {
            server: Arc::clone(&self.server),
            registry: Arc::clone(&self.registry),
            resource: Arc::clone(&self.resource),
            subresource: String::new(),
            namespace: key.namespace.to_string(),
            name: key.name.to_string(),
            in_collection: false,
            user: self.user.clone(),
            manager: self.manager.clone(),
            validation: self.validation,
            dry_run: self.dry_run,
            sees_uninitialized: self.sees_uninitialized,
            deadline: self.deadline,
            options: self.options.clone(),
            warnings: RefCell::default(),
            trail: self.trail.clone(),
            configuration: OnceCell::new(),
        }
    }

    /// Where the object is kept.
    pub fn key(&self, name: &str) -> Key {
        let collection = Arc::clone(&self.resource.collection);
        Key { collection, namespace: self.namespace.as_str().into(), name: name.into() }
    }

    /// What is stored now, with every write that was answered before.
    pub fn snapshot(&self) -> Snapshot {
        self.server.store.snapshot()
    }

    fn in_force(&self) -> InForce {
        let remote = self.server.remote.as_ref().map(|remote| remote.now());
        InForce { stored: self.snapshot(), manifests: self.server.manifests.now(), remote }
    }

    /// The object of the call, or 404; also one that the caller does not see, for writes go by name.
    pub fn current(&self) -> Result<Arc<Record>, Status> {
        let snapshot = self.snapshot();
        snapshot.get(&self.key(&self.name)).cloned().ok_or_else(|| Status::not_found(&self.resource, &self.name))
    }

    /// The object of the call if the caller sees it, or 404.
    pub fn visible(&self) -> Result<Arc<Record>, Status> {
        self.seen(self.current()?)
    }

    /// An object that was found, or 404 where the caller does not see it.
    pub fn seen(&self, record: Arc<Record>) -> Result<Arc<Record>, Status> {
        match record.uninitialized && !self.sees_uninitialized {
            true => Err(Status::not_found(&self.resource, &self.name)),
            false => Ok(record),
        }
    }

    /// What admission is told.
    pub fn attributes(&self, operation: Operation, object: Option<Json>, old: Option<Arc<Json>>) -> Attributes {
        let configuration = self.configuration.get_or_init(|| self.in_force()).clone();
        self.trail.annotate(SNAPSHOT, configuration.stored.revision().to_string());
        if let Some(Ok(remote)) = &configuration.remote {
            self.trail.annotate(REMOTE, remote.revision.clone());
        }
        if !self.in_collection {
            self.trail.named(&self.name);
        }
        Attributes {
            operation,
            registry: Arc::clone(&self.registry),
            options: self.options_of(operation),
            configuration,
            reinvocation: Reinvocation::default(),
            reveals: false,
            resource: Arc::clone(&self.resource),
            subresource: self.subresource.clone(),
            namespace: self.namespace.clone(),
            name: if self.in_collection { String::new() } else { self.name.clone() },
            object,
            old,
            user: self.user.clone(),
            dry_run: self.dry_run,
            deadline: self.deadline,
            warnings: RefCell::default(),
            trail: self.trail.clone(),
        }
    }

    fn options_of(&self, operation: Operation) -> Json {
        let Some(kind) = operation.options_kind() else { return Json::Null };
        let mut options = self.options.clone();
        if let Some(options) = options.as_object_mut() {
            options.insert("kind".to_owned(), kind.into());
            options.insert("apiVersion".to_owned(), "meta.k8s.io/v1".into());
        }
        options
    }

    /// The mutating stages.
    pub async fn mutate(&self, attributes: &mut Attributes) -> Result<(), Status> {
        let result = self.server.chain.admit(attributes).await;
        self.warnings.borrow_mut().append(attributes.warnings.get_mut());
        result
    }

    /// The validating stages.
    pub async fn validate(&self, attributes: &mut Attributes) -> Result<(), Status> {
        let result = self.server.chain.validate(attributes).await;
        self.warnings.borrow_mut().append(attributes.warnings.get_mut());
        result
    }

    /// A failed write that is no conflict.
    pub fn write_failed(&self, error: WriteError) -> Status {
        match error {
            WriteError::Conflict { .. } => Status::modified(&self.resource, &self.name),
            WriteError::TooLarge { .. } => Status::too_large(error),
            WriteError::Closed => Status::unavailable("the server is shutting down"),
            error => Status::internal(error),
        }
    }
}
