//! From a request for a resource to a verb, and back to an answer.

use std::cell::{OnceCell, RefCell};

use actix_web::HttpResponse;
use actix_web::http::{ConnectionType, header};
use actix_web::web::Payload;
use bytes::Bytes;
use serde_json::Value as Json;

use super::accept::Accept;
use super::body;
use super::edge::Request;
use super::info::{Info, Verb};
use super::{options, respond, warnings};
use crate::patch::PatchKind;
use crate::resources::connect::Connect;
use crate::resources::decode::{Decoded, Format, decode};
use crate::resources::resource::Scale;
use crate::resources::{self, FieldValidation, Resource, Scope};
use crate::rest::context::{Context, Object};
use crate::rest::delete::{Deleted, Options as DeleteOptions};
use crate::rest::form::{self, Shape};
use crate::rest::patch::{Patch, Patched};
use crate::rest::{access_review, collection, connect, create, delete, initialization, list, patch, scale, update};
use crate::server::GetVisibility;
use crate::status::{FieldError, Status, success};
use crate::table::IncludeObject;
use crate::watch;

/// Longest name of a field manager, as upstream.
const MANAGER: usize = 128;

/// A request on its way through a verb.
struct Call {
    context: Context,
    request: Request,
    accept: Accept,
    shape: Shape,
    body: Bytes,
}

/// Answers a request for a resource.
pub async fn answer(request: Request, payload: Payload, verb: Verb, info: Info) -> Result<HttpResponse, Status> {
    let context = context(&request, verb, info)?;
    let accept = Accept::read(Some(request.header(header::ACCEPT)), true)?;
    let include = IncludeObject::parse(request.query.text("includeObject"));
    let include = include.ok_or_else(|| Status::bad_request("includeObject must be one of None, Metadata, Object"))?;
    let shape = Shape { form: accept.form, include, headings: true };
    if verb == Verb::Watch {
        let options = options::watch(&context, &request.query)?;
        return Ok(respond::lines(watch::open(context, options, shape).await?));
    }
    let connect = Connect::named(&context.subresource);
    let body = match verb.mutates() && connect.is_none() {
        true => body::read(&mut payload.into_inner(), request.http.headers()).await?,
        false => Bytes::new(),
    };
    let mut call = Call { context, request, accept, shape, body };
    // Who is refused is warned as well.
    let answer = match connect {
        Some(connect) => call.connect(connect).await,
        None => call.run(verb).await,
    };
    let mut response = answer.unwrap_or_else(|status| respond::status(&status));
    if connect.is_some() {
        // What follows an upgrade is no request.
        response.head_mut().set_connection_type(ConnectionType::Close);
    }
    warnings::add(&mut response, &call.context.warnings.borrow());
    Ok(response)
}

fn context(request: &Request, verb: Verb, info: Info) -> Result<Context, Status> {
    let server = request.server.clone().into_inner();
    let registry = server.registry.load();
    let resource = registry.find(&info.group, &info.version, &info.resource).ok_or_else(Status::no_such_path)?;
    check(&resource, verb, &info)?;
    let namespace = if resource.scope == Scope::Cluster { String::new() } else { info.namespace };
    // A list or watch by name is a selector, not a path.
    let by_selector = matches!(verb, Verb::List)
        || verb == Verb::Watch && !request.http.uri().path().trim_end_matches('/').ends_with(&format!("/{}", info.name));
    Ok(Context {
        server,
        registry,
        resource,
        subresource: info.subresource,
        namespace,
        name: if by_selector { String::new() } else { info.name },
        in_collection: false,
        user: request.user.clone(),
        manager: manager(request)?,
        validation: validation(request.query.text("fieldValidation"))?,
        dry_run: verb.mutates() && request.query.dry_run()?,
        sees_uninitialized: options::sees_uninitialized(request),
        deadline: request.deadline,
        options: options::given(&request.query),
        warnings: RefCell::default(),
        trail: request.trail.clone(),
        configuration: OnceCell::new(),
    })
}

/// Whether the path and the verb fit the kind.
fn check(resource: &Resource, verb: Verb, info: &Info) -> Result<(), Status> {
    let own_namespace = info.resource == "namespaces" && info.group.is_empty();
    match (resource.scope, info.namespace.is_empty()) {
        (Scope::Cluster, false) if !own_namespace => return Err(Status::no_such_path()),
        (Scope::Namespaced, true) if verb == Verb::Create => return Err(Status::method_not_allowed()),
        (Scope::Namespaced, true) if !matches!(verb, Verb::List | Verb::Watch | Verb::DeleteCollection) => {
            return Err(Status::no_such_path());
        }
        _ => {}
    }
    let allowed = match info.subresource.as_str() {
        // An object that is not there yet has no path.
        "" if verb == Verb::Create && !info.name.is_empty() => false,
        "" => resource.verbs.iter().any(|known| known == verb.name()),
        "status" if resource.subresources.status => matches!(verb, Verb::Get | Verb::Update | Verb::Patch),
        "scale" if resource.subresources.scale.is_some() => matches!(verb, Verb::Get | Verb::Update | Verb::Patch),
        "finalize" if resource.subresources.finalize => verb == Verb::Update,
        below if resource.subresources.connect && Connect::named(below).is_some() => matches!(verb, Verb::Get | Verb::Create),
        "token" if *resource.collection == *access_review::ACCOUNTS => verb == Verb::Create,
        _ => return Err(Status::no_such_path()),
    };
    if allowed { Ok(()) } else { Err(Status::method_not_allowed()) }
}

/// The caller's choice, or its program's name.
fn manager(request: &Request) -> Result<String, Status> {
    let chosen = request.query.text("fieldManager");
    if chosen.is_empty() {
        let program = request.header(header::USER_AGENT).split('/').next().unwrap_or_default();
        return Ok(program.chars().filter(|c| !c.is_control()).take(MANAGER).collect());
    }
    let fine = chosen.chars().count() <= MANAGER && !chosen.chars().any(char::is_control);
    let error = || FieldError::invalid("fieldManager", chosen, "must be at most 128 printable characters");
    if fine { Ok(chosen.to_owned()) } else { Err(Status::invalid_kind("meta.k8s.io", "Options", "", &[error()])) }
}

fn validation(text: &str) -> Result<FieldValidation, Status> {
    match text {
        "" | "Warn" => Ok(FieldValidation::Warn),
        "Ignore" => Ok(FieldValidation::Ignore),
        "Strict" => Ok(FieldValidation::Strict),
        other => {
            let error = FieldError::not_supported("fieldValidation", other, &["", "Ignore", "Strict", "Warn"]);
            Err(Status::invalid_kind("meta.k8s.io", "Options", "", &[error]))
        }
    }
}

impl Call {
    async fn run(&mut self, verb: Verb) -> Result<HttpResponse, Status> {
        if let (true, Some(paths)) = (self.context.subresource == "scale", self.context.resource.subresources.scale.clone()) {
            return self.scale(verb, &paths).await;
        }
        if let Some(question) = access_review::question(&self.context) {
            let answer = question(&self.context, self.decoded()?)?;
            return respond::body(201, form::Body::Value(answer), self.accept);
        }
        match verb {
            Verb::Get => self.get().await,
            Verb::List => {
                let options = options::list(&self.context, &self.request.query)?;
                let page = list::list(&self.context, &options).await?;
                respond::body(200, form::list(&self.context, &page, self.shape)?, self.accept)
            }
            Verb::Create => {
                let body = self.decoded()?;
                let object = create::create(&mut self.context, body).await?;
                self.created(object).await
            }
            Verb::Update => {
                let body = self.decoded()?;
                let object = update::replace(&self.context, body).await?;
                self.object(200, &object)
            }
            Verb::Patch => self.patch().await,
            Verb::Delete => self.delete().await,
            Verb::DeleteCollection => self.delete_collection().await,
            Verb::Watch => Err(Status::internal("a watch went astray")),
        }
    }

    fn object(&self, code: u16, object: &Object) -> Result<HttpResponse, Status> {
        respond::body(code, form::object(&self.context, object, self.shape)?, self.accept)
    }

    fn content_type(&self) -> &str {
        self.request.header(header::CONTENT_TYPE)
    }

    fn decoded(&self) -> Result<Decoded, Status> {
        body::decode(&self.body, self.content_type())
    }

    async fn get(&self) -> Result<HttpResponse, Status> {
        let revision = options::list::revision(&self.request.query).map_err(|error| Status::unreadable_version(&error))?;
        let revision = revision.filter(|revision| *revision > 0);
        let version = revision.map_or(list::Version::Latest, list::Version::NotOlder);
        let snapshot = list::snapshot(&self.context, version).await?;
        let record = snapshot.get(&self.context.key(&self.context.name)).cloned();
        let record = record.ok_or_else(|| Status::not_found(&self.context.resource, &self.context.name))?;
        let record = initialization::read_repaired(&self.context, record).await?;
        let shown = match self.context.server.initialization.settings.get {
            GetVisibility::Strict => self.context.seen(record)?,
            GetVisibility::Upstream => record,
        };
        self.object(200, &Object::Stored(shown))
    }

    /// Answers when the object is initialized, unless the caller wants to see it before.
    async fn created(&mut self, object: Object) -> Result<HttpResponse, Status> {
        match object {
            Object::Stored(record) if record.uninitialized && self.context.sees_uninitialized => {
                self.object(202, &Object::Stored(record))
            }
            Object::Stored(record) if record.uninitialized => {
                self.request.ticket = None;
                let object = initialization::wait(&self.context, &record).await?;
                self.object(201, &object)
            }
            object => self.object(201, &object),
        }
    }

    async fn patch(&mut self) -> Result<HttpResponse, Status> {
        let kind = self.patch_kind()?;
        let force = self.request.query.flag("force");
        patch::check_options(kind, self.request.query.text("fieldManager"), force)?;
        let body = self.body.clone();
        match patch::patch(&mut self.context, &Patch { kind, body: &body, force }).await? {
            Patched::Created(object) => self.created(object).await,
            Patched::Changed(object) => self.object(200, &object),
        }
    }

    fn patch_kind(&self) -> Result<PatchKind, Status> {
        let known = PatchKind::ALL.into_iter().filter(|kind| *kind != PatchKind::Strategic || !self.context.resource.custom);
        let types: Vec<_> = known.map(PatchKind::content_type).collect();
        let kind = PatchKind::from_content_type(self.content_type());
        kind.filter(|kind| types.contains(&kind.content_type())).ok_or_else(|| Status::unsupported_media_type(&types))
    }

    fn delete_options(&mut self) -> Result<DeleteOptions, Status> {
        let body = if self.body.is_empty() { None } else { Some(self.decoded()?.object) };
        if let Some(given) = body.as_ref().filter(|body| body.is_object()) {
            self.context.options = given.clone();
        }
        let options = options::delete(body, &self.request.query)?;
        self.context.dry_run |= options.is_dry_run();
        Ok(options)
    }

    async fn delete(&mut self) -> Result<HttpResponse, Status> {
        let options = self.delete_options()?;
        match delete::delete(&self.context, &options).await? {
            Deleted::Gone(details) => respond::body(200, form::Body::Value(success(&details)), self.accept),
            Deleted::Waiting(object) => self.object(200, &object),
            Deleted::Hidden(details) => respond::body(200, form::Body::Value(success(&details)), self.accept),
        }
    }

    async fn delete_collection(&mut self) -> Result<HttpResponse, Status> {
        let wanted = options::list(&self.context, &self.request.query)?;
        let options = self.delete_options()?;
        let page = collection::delete_collection(&self.context, &wanted, &options).await?;
        respond::body(200, form::list(&self.context, &page, self.shape)?, self.accept)
    }

    async fn connect(&self, to: Connect) -> Result<HttpResponse, Status> {
        let options = options::connect(to, &self.request.query)?;
        connect::connect(&self.context, to, options).await.map(|never| match never {})
    }

    async fn scale(&mut self, verb: Verb, paths: &Scale) -> Result<HttpResponse, Status> {
        let object = match verb {
            Verb::Get => Object::Stored(self.context.visible()?),
            Verb::Update => {
                let scale = self.decoded()?.object;
                scale::set(&self.context, paths, &|_| Ok(scale.clone())).await?
            }
            _ => {
                let make = self.scale_patch()?;
                scale::set(&self.context, paths, &make).await?
            }
        };
        let scale = resources::scale::view(&form::value(&self.context, &object)?, paths);
        respond::body(200, form::Body::Value(form::shaped(&self.context, scale, self.shape)), self.accept)
    }

    /// A scale has no lists: the kinds of merging do the same to it.
    fn scale_patch(&self) -> Result<impl Fn(&Json) -> Result<Json, Status> + use<>, Status> {
        let kind = self.patch_kind()?;
        let (body, merged) = (self.body.clone(), kind != PatchKind::Json);
        let decoded = if merged { decode(&body, Format::Yaml)?.object } else { Json::Null };
        Ok(move |scale: &Json| match merged {
            true => Ok(crate::patch::merge(scale, &decoded)?),
            false => Ok(crate::patch::json(scale, &body)?),
        })
    }
}
